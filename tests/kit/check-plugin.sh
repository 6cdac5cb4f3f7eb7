#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dpr check-plugin on the plugins of this tree, on their drivers in software,
# and its command line.  zecpu-suite.sh runs it on the software driver of Level
# Zero.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
src=${top_srcdir:-.}
build=${top_builddir:-.}
dpr=$build/tools/dpr
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-kit.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
: >"$tmp/bad"

# Processes end here with work under way and nothing freed, which is no leak; the
# checks count the blocks of a plugin.  PoCL uses the signal stack of the thread
# that opens it.  AddressSanitizer would free this stack.  Some plugins ask malloc()
# for more memory than there is.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0:use_sigaltstack=0
ASAN_OPTIONS=$ASAN_OPTIONS:allocator_may_return_null=1
export ASAN_OPTIONS

bad() {
	printf '%s\n' "$*" | tee -a "$tmp/bad"
}

# clean FILE [KNOB=VALUE...]: the plugin has no finding.  A plugin without a device
# here is left out.  In the modes of a mock, no check runs once more behind the layer.
clean() {
	file=$1
	shift
	[ -e "$file" ] || {
		echo "without $file, which was not built"
		return
	}
	once=
	case $#:$file in [1-9]*libdpr-mock*) once=--once ;; esac
	# shellcheck disable=SC2086 # an option, or none
	env "$@" "$dpr" check-plugin $once "$file" >"$tmp/out" 2>&1
	case $? in
	0) echo "$(basename "$file") $*: $(tail -n 1 "$tmp/out")" ;;
	2) echo "without $file: $(tail -n 1 "$tmp/out")" ;;
	*)
		bad "$file $*:"
		grep -vE ' (clean|skipped)' "$tmp/out" ;;
	esac
}

# status WANTED TEXT ARGUMENT...: the exit status and a text of the output.
status() {
	wanted=$1 text=$2
	shift 2
	"$dpr" check-plugin "$@" >"$tmp/out" 2>&1
	got=$?
	[ $got = "$wanted" ] || bad "check-plugin $*: status $got, not $wanted"
	grep -q -e "$text" "$tmp/out" || bad "check-plugin $*: no \"$text\""
}

mock=$build/tests/plugins/.libs/libdpr-mock.so
status 0 'descriptor.fields' --list
status 0 'usage' --help
status 2 'usage'
status 2 'usage' "$mock" "$mock"
status 2 'no group "none"' --group none "$mock"
status 2 'no group "info.none"' --group info.none "$mock"
status 0 '1 checks: 1 clean' --group open.twice "$mock"
status 2 '1 to 3600' --timeout 0 "$mock"
status 2 'no such file' ./no-such-file
status 2 'no plugin of the name' no_such_name
status 2 'Makefile is not a shared library' Makefile
status 2 'takes one check' --no-fork --group info "$mock"
status 0 'info.form  *clean' --no-fork --group info.form "$mock"
status 0 'start.probe' --list
status 2 'is no plugin' "$build/tools/../libdpr.la" --group info
DPR_OPTION_MOCK_DRIVER=0
export DPR_OPTION_MOCK_DRIVER
status 2 'NO_DRIVER' "$mock"
unset DPR_OPTION_MOCK_DRIVER
# The smallest plugin has some handles once only, but its memory is as it must be:
# sizes near SIZE_MAX, too.
cp "$build/tests/plugins/.libs/minimal.so" "$tmp/libdpr-minimal.so" &&
	status 0 ' 0 with findings' --group memory.sizes "$tmp/libdpr-minimal.so"
status 2 'no device for the selector' --selector cpu "$mock"
status 0 'device: mock device 0' --selector mock:gpu:0 --group info "$mock"
DPR_OPTION_MOCK_DEVICES=3
export DPR_OPTION_MOCK_DEVICES
status 0 'device: mock device 2' --selector gpu:2 --group info "$mock"
unset DPR_OPTION_MOCK_DEVICES
# The selector mock:0.0 divides along a domain.
DPR_OPTION_MOCK_DOMAINS=0
export DPR_OPTION_MOCK_DOMAINS
status 0 'note: .*"mock:0.0" finds nothing' --group devices.divisions "$mock"
unset DPR_OPTION_MOCK_DOMAINS
status 0 '"findings": 0' --json --group descriptor "$mock"
if python3 -c '' 2>/dev/null; then
	"$dpr" check-plugin --json --group info "$mock" | python3 -m json.tool \
		>/dev/null || bad "--json: no JSON"
fi

# fault FAULT WANTED TEXT ARGUMENT...: the same with a planted fault.
faulty=$build/tests/kit/.libs/libdpr-faulty.so
fault() {
	DPR_TEST_FAULT=$1
	export DPR_TEST_FAULT
	shift
	status "$@" "$faulty"
	unset DPR_TEST_FAULT
}
# says TEXT: the last output has it.
says() {
	grep -qFe "$1" "$tmp/out" || bad "there is no \"$1\""
}
# none TEXT: the last output does not have it.
none() {
	! grep -e "$1" "$tmp/out" || bad "there is \"$1\""
}

fault bool_two 1 '\[V6\]' --group info
fault bool_two 1 'got: *8 bytes of another value' --group info.form
fault bool_two 1 '\[V6\]' --no-fork --group info.form
fault half_number 1 'got: *4 bytes$' --group info.form
fault bool_two 1 '"rule": "V6"' --json --group info
for key in expected got times notes output; do
	grep -q "\"$key\": " "$tmp/out" || bad "--json: no \"$key\""
done
fault no_magic 2 'magic 0 and abi_major 1, not DPRP_MAGIC (0x31'
# Each thread has the same findings; they are listed once.
fault cuts_answers 1 'times)$' --group info.threads
# Where the bytes differ, and after which call; the cause alone is a finding.
fault writes_less 1 'call: *queue->write(offset=1, size=' \
	--group copies.write_read
grep -q 'got: *byte [0-9]* of [0-9]* is 0x[0-9a-f]*, not 0x' "$tmp/out" ||
	bad "no position of another byte"
fault writes_less 1 '\[Q8\]' --group memory --group open.twice
none '\[M2\]'
none '\[O[35]\]'
fault notify_never 1 '\[N9\]' --timeout 4 --group events.notify
none 'a hang'
fault signals_open 1 '\[T2\]' --group events
fault mask 1 'signal mask: signals are blocked' --group open.state
# Threads of the checks are none of the plugin.
fault tells_again 1 '\[N9\]' --group events
none '\[T2\]'
# The layer "check" finds a fault around a check without a finding of its own, also
# around the plugin that the library has opened.
for check in memory.sizes arrays.host; do
	fault mask 1 "^$check, layer check  *1 finding" --group $check
	grep -q '\[E4\]' "$tmp/out" || bad "layer check: no rule"
	grep -q 'call: *open(' "$tmp/out" || bad "layer check: no call"
	grep -q '; 1 finding of the layer check$' "$tmp/out" ||
		bad "layer check: not counted"
done
fault mask 1 'as in [0-9]* further checks' --group memory
[ "$(grep -c 'layer check  *1' "$tmp/out")" = 1 ] ||
	bad "a finding of the layer check twice"
fault mask 1 '\[E4\]' --no-fork --behind --group memory.sizes
fault mask 0 'clean' --no-fork --group memory.sizes
fault mask 0 '0 with findings$' --once --group memory
fault mask 1 '"layer": \[' --json --group memory
grep -q '"check": "memory.kinds"' "$tmp/out" || bad "--json: no check"
grep -q '"findings": 1' "$tmp/out" || bad "--json: not counted"
# A check that names the fault itself is enough, and so is another one.
fault mask 1 'signal mask' --group open.state --group memory
none 'layer check'
# A finding names the call that broke the rule, not the check's next call.
fault ignores 1 'call: *queue->create(flags=' --group outputs.unknown
none 'call: *queue->destroy'
fault ignores 1 'call: *queue->create(a longer struct, its tail not' \
	--group outputs.longer
none 'call: *queue->destroy'
fault other_code 1 'call: *queue->create(flags=0; alloc' --group host_alloc
none 'call: *[a-z]*->\(destroy\|free\|kernel_destroy\)'
fault logs_in_thread 1 'call: *host->log(in a thread of the plugin)' \
	--group events.notify
fault null_error 1 '\[E2\]' --group memory.sizes
fault unknown_state 1 '(no such state)' --group events
fault block_leak 1 '1 block is left' --group open.silent
# What a check has printed that did not end.
fault option_aborts 1 '| no number: no such value' --group open.options
# The same finding of many checks, and what comes after two hangs.
fault unset_handle 1 'mem->alloc: .*: in 9 checks, the first is copies.write' \
	--group copies
[ "$(grep -c '^copies\.' "$tmp/out")" = 3 ] ||
	bad "not three lines for the same finding"
fault finish_hangs 1 'further checks* calls* queue->finish, which did not' \
	--timeout 1 --group order --group finish
[ "$(grep -c 'a hang' "$tmp/out")" -le 3 ] || bad "more than two hangs"

# ended SIGNAL: a check that hangs ends with its parent.  What has the pipe open
# is alive.
ended() {
	rm -f "$tmp/pipe"
	mkfifo "$tmp/pipe" || return
	DPR_TEST_FAULT=hang "$dpr" check-plugin "$faulty" 9>"$tmp/pipe" \
		>"$tmp/out" 2>&1 &
	pid=$!
	timeout 30 cat "$tmp/pipe" &
	reader=$!
	sleep 1
	kill -s "$1" $pid
	wait $reader || bad "a check goes on after $1"
	wait $pid
}
ended TERM
ended KILL

# Each rule of the header is in the table of the tool, and is used there.
grep -o '\[[A-Z][0-9][0-9]*\]' "$src/include/dpr/backend.h" | tr -d '[]' |
	sort -u >"$tmp/header"
sed -nE 's/^	\{ "([A-Z][0-9]+)",.*/\1/p' "$src/tools/kit/rules.c" |
	sort -u >"$tmp/table"
[ -s "$tmp/header" ] || bad "backend.h has no numbered rules"
cmp -s "$tmp/header" "$tmp/table" || {
	bad "the rules of backend.h and of tools/kit/rules.c differ:"
	diff "$tmp/header" "$tmp/table"
}
while read -r rule; do
	cat "$src"/tools/kit/[!r]*.c "$src"/tools/kit/*/*.c | grep -q "\"$rule\"" ||
		bad "$rule: no check asks for it"
done <"$tmp/table"

clean "$build/backends/.libs/libdpr-host.so"
clean "$build/examples/plugin/.libs/libdpr-pooled.so"

# The options that the manual gives for AddressSanitizer: the check asks for more
# memory than there is, and this plugin passes that on to malloc().
asan=$(${CC:-cc} -print-file-name=libasan.so 2>/dev/null)
minimal=$build/tests/plugins/.libs/minimal.so
if [ -f "$asan" ] && [ -e "$minimal" ] && [ "${dpr_sanitizers:-none}" = none ]; then
	options=$(sed -n 's/^ASAN_OPTIONS=\([^ ]*\).*/\1/p' \
		"$src/doc/man/dpr-check-plugin.1")
	env ASAN_OPTIONS="$options" LD_PRELOAD="$asan" "$dpr" check-plugin \
		--group memory.sizes "$minimal" >"$tmp/out" 2>&1
	grep -q '^1 checks' "$tmp/out" || bad "AddressSanitizer: no check"
	! grep -E 'ended with status|a crash|ERROR: Addr' "$tmp/out" ||
		bad "AddressSanitizer with $options ends the check"
else
	echo "without AddressSanitizer"
fi
clean "$build/tests/plugins/.libs/libdpr-mock_bare.so" \
	DPR_OPTION_MOCK_BARE_TYPE=cpu
clean "$build/backends/.libs/libdpr-opencl.so"

# The mock in modes in which drivers were seen, and which the rules allow.
DPR_OPTION_MOCK_TYPE=cpu
export DPR_OPTION_MOCK_TYPE
clean "$mock"
clean "$mock" DPR_OPTION_MOCK_LAZY=1 DPR_OPTION_MOCK_DEPS=0 \
	DPR_OPTION_MOCK_DEVICES=2 DPR_OPTION_MOCK_WAITS=1
clean "$mock" DPR_OPTION_MOCK_PAGEABLE=0 DPR_OPTION_MOCK_OVERLAP=1 \
	DPR_OPTION_MOCK_HASTY=1 DPR_OPTION_MOCK_OPTIONAL=0
says 'memory (HOST_MEMORY)'
# mock2 is a plugin of version 1.1.
clean "$build/tests/plugins/.libs/libdpr-mock2.so" DPR_OPTION_MOCK2_TYPE=cpu \
	DPR_OPTION_MOCK2_PAGEABLE=0 DPR_OPTION_MOCK2_DEPS=0
says 'memory (NO_PATH)'
says 'cannot wait for dependencies'
clean "$mock" DPR_OPTION_MOCK_ADDRESSES=0 DPR_OPTION_MOCK_KINDS=device \
	DPR_OPTION_MOCK_PROFILING=0 DPR_OPTION_MOCK_OUT_OF_ORDER=0 \
	DPR_OPTION_MOCK_NOTIFY=0

# The mock of CUDA's driver crashes NVIDIA's compiler, so that is hidden, and
# cuBLAS and cuSOLVER are a fake.  Then a GPU, if there is one.
if [ -e "$build/tests/cuda/driver/.libs/libcuda.so.1" ] &&
	[ -e "$build/backends/.libs/libdpr-cuda.so" ]; then
	clean "$build/backends/.libs/libdpr-cuda.so" \
		DPR_OPTION_CUDA_NVRTC=/none \
		DPR_OPTION_CUDA_BLAS="$build/tests/cuda/calls/.libs/libfake_cublas.so" \
		DPR_OPTION_CUDA_LAPACK="$build/tests/cuda/calls/.libs/libfake_cublas.so" \
		LD_LIBRARY_PATH="$build/tests/cuda/driver/.libs"
	says 'memory (HOST_MEMORY)'
fi
clean "$build/backends/.libs/libdpr-cuda.so"
[ -s "$tmp/bad" ] && exit 1
exit 0
