#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs dpr bench as a user does: rows, JSON, options and exit statuses.  A wrong
# result must be an error.  No figure is tested.
set -u
me=api_bench subcommand=bench
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"

# is_rows N: check that the output is JSON with N complete rows of the right
# types.
is_rows() {
	is_json
	awk -v want="$1" '
		function member(name, pattern) {
			if (!(name in value)) {
				print "row " rows ": no " name
				status = 1
			} else if (value[name] !~ ("^(" pattern ")$")) {
				print "row " rows ": " name ": " value[name]
				status = 1
			}
		}
		/^    \{$/ { split("", value); inside = 1; next }
		/^    \},?$/ {
			rows++
			inside = 0
			member("name", "\"[a-z0-9-]+\"")
			member("device", "\"[a-z0-9_:./]+\"")
			member("unit", "\"(GB/s|ms|us|ns)\"")
			number = "-?[0-9][0-9.]*(e[-+][0-9]+)?|null"
			member("value", number)
			member("baseline", number)
			member("ratio", number)
			member("goal", "null|\"(ratio|value) [<>]= [0-9.]+\"")
			member("met", "true|false|null")
			member("rounds", "[0-9]+")
			member("note", "null|\".*\"")
			if (value["value"] == "null" && value["note"] == "null") {
				print "row " rows ": nothing, without a note"
				status = 1
			}
			if (value["value"] == "null" && value["met"] != "null") {
				print "row " rows ": nothing meets its goal"
				status = 1
			}
			next
		}
		inside {
			line = $0
			sub(/^ *"/, "", line)
			name = line
			sub(/".*/, "", name)
			sub(/^[^"]*": /, "", line)
			sub(/,$/, "", line)
			value[name] = line
		}
		END {
			if (rows + 0 != want) {
				print rows + 0 " rows, not " want
				status = 1
			}
			exit status
		}' "$tmp/out" >"$tmp/wrong" ||
		complain "wrong JSON: $(cat "$tmp/wrong")"
}

# --- The command line ---------------------------------------------------------

run 0 --help
says out 'usage: dpr bench'
silent err
run 0 --list
rows=$(wc -l <"$tmp/out")
names=$(sed 's/ .*//' "$tmp/out" | paste -sd, -)
for row in add add-transposed multiply-add cast-int8 cast-float64 where put sum \
	write read transfer to-cpu to-opencl peer step-1 turned-4 spread-4 \
	step-read-4 small-add launch launch-part half alloc alloc-large \
	queue-by-device queue-by-selector start start-cold start-ten \
	first-call devices; do
	grep -q "^$row " "$tmp/out" || complain "no row $row in the list"
done
says out 'a part, scaled to half of the units'
run 2 --nonsense
says err 'usage: dpr bench'
run 2 gpu cpu
says err 'more than one selector'
for size in 0 1 5k 1.5M 1M2 -1M '' 1000000G; do
	run 2 --size "$size"
	says err 'not a multiple of 1M'
done
for rounds in 0 -1 many 3x 99999; do
	run 2 --rounds "$rounds"
	says err 'not a number from 1 to 10000'
done
run 2 --threads 0
says err 'not a number from 1 to 1024'
run 2 --rows sum,summ
says err 'sum,summ: no row has this name'
run 1 nonsense
says err 'unknown word "nonsense"'
silent out
run 1 host:7
says err 'no device matches'
silent out

run 2 --against= host
says err 'no selector of a device'
run 2 --rows= host
says err 'no name of a row'
run 2 --cliffs --against host
says err 'has no meaning'
run 0 --cliffs --list
# Each function of the tables has a row, and each dtype has rows.
for name in $(cat "${top_builddir:-.}/include/dpr/elementwise.h" \
	"${top_builddir:-.}/include/dpr/reductions.h" |
	sed -n 's/^DPR_API.*dpr_status dpr_\([a-z0-9_]*\)($/\1/p' |
	sed -E '/_(into|as)$/d'); do
	grep -q "^$name/float32 " "$tmp/out" || complain "no cliff of $name"
done
for dtype in bool int8 uint64 float16 bfloat16 float64 complex128; do
	grep -q "^add/turned/$dtype " "$tmp/out" || complain "no cliff of $dtype"
done

# --- Devices ------------------------------------------------------------------

# count SELECTOR: print how many devices it selects.
count() {
	"$dpr" devices --explain "$1" 2>/dev/null | grep -c ', taken by "'
}

# bench DEVICE ROWS: run these rows on each device that DEVICE selects.
bench() {
	n=$(count "$1")
	if [ "$n" = 0 ]; then
		echo "api_bench: there is no device $1"
		return
	fi
	run 0 --json --quick --size 1M --rows "$2" "$1"
	silent err
	is_rows $((n * $(echo "$2" | tr , '\n' | wc -l)))
	says out '"load_average": '
	run 0 -q -s 1M -n 1 -r 'queue*,sum' "$1"
	[ "$(grep -c "^[a-z-]* *$1" "$tmp/out")" = $((n * 3)) ] ||
		complain "not $((n * 3)) rows"
	says out 'goals are met'
	run 0 -v -q -s 1M -t 3 -r sum "$1"
	says out 'baseline: '
}

# cliffs DEVICE: the other table, of some functions.  Those that a dtype does not
# have are left out.
cliffs() {
	n=$(count "$1")
	[ "$n" != 0 ] || return
	run 0 -c -q -s 1M -r \
		'bitwise_and/*32,sum/axis-?/int8,add/turned/*64,copy/wide/int8' "$1"
	grep -q "^bitwise_and/int32 *$1.* yes$\|^bitwise_and/int32 *$1.* NO$" \
		"$tmp/out" || complain "no row bitwise_and/int32"
	! grep -q bitwise_and/float32 "$tmp/out" ||
		complain "float32 has no bits"
	[ "$(grep -c 'GB/s' "$tmp/out")" = $((n * 9)) ] ||
		complain "not $((n * 9)) rows of cliffs"
	says out " of $((n * 9)) rows are slower than that"
	run 0 -c -j -q -s 1M -r cast/int8/float32 "$1"
	is_json
	says out '"text": "astype(x, float32)"'
}

# On OpenCL the rows start-*, with empty caches, come below.
bench host "$names"
bench opencl "$(echo "$names" | sed 's/,start-[a-z]*//g')"
cliffs host
hosts=$(count host)

# How far it is: on a terminal, and nowhere else.
if command -v script >/dev/null; then
	for what in '-r add,copy' '--cliffs -r add/int8,add/int16'; do
		script -qec "'$dpr' bench -q -s 1M $what host:0" /dev/null \
			</dev/null >"$tmp/out" 2>&1
		says out '1 of 2: add'
		says out '2 of 2: '
	done
fi
run 0 -q -s 1M -r add,copy host:0
silent err
if [ "$hosts" != 0 ]; then
	run 0 -q -s 1M -j -r copy,add host,host:0
	is_rows $((hosts * 2))
fi
both=$(count host,opencl)
if [ "$hosts" != 0 ] && [ "$both" -gt "$hosts" ]; then
	run 0 -q -s 1M -j -r 'add*' --against opencl host
	is_rows $((hosts * 3))
	says out '"baseline_is": "opencl:'
	says out '"goal": null'
	run 0 -q -s 1M -j -r alloc,copy host,opencl
	is_rows $((both * 2))
fi

# Processes with empty caches keep what they compile in folders of their own.  On a
# CPU the baseline has warm caches: its program is the only one in PoCL's.
if [ "$(count opencl)" != 0 ]; then
	mkdir "$tmp/kept" "$tmp/pocl" "$tmp/folders"
	DPR_CACHE_DIR=$tmp/kept POCL_CACHE_DIR=$tmp/pocl TMPDIR=$tmp/folders \
		run 0 -q -r 'start-*,first-call' opencl
	says out 'first-call '
	says out 'start-cold '
	says out 'start-ten '
	[ -z "$(ls -A "$tmp/kept")" ] || complain "kept: $(ls -A "$tmp/kept")"
	[ "$(find "$tmp/pocl" -name '*.so' | wc -l)" -le 1 ] ||
		complain "kept by PoCL: $(find "$tmp/pocl" -name '*.so')"
	[ -z "$(ls -A "$tmp/folders")" ] ||
		complain "left: $(ls -A "$tmp/folders")"
	TMPDIR=$tmp/nowhere run 1 -q -j -r start-cold opencl
	says out 'cannot make a temporary folder'
fi

# The baselines use memory of the kind that dpr uses on the device.
if [ "$(count opencl:cpu)" != 0 ]; then
	for memory in buffer=clEnqueueCopyBuffer \
		svm-coarse=clEnqueueSVMMemcpy; do
		with "DPR_OPTION_OPENCL_MEMORY=${memory%=*}" 0 -j -q -s 1M \
			-r write,read,copy,small-add,alloc opencl:cpu:0
		is_rows 5
		says out "\"baseline_is\": \"${memory#*=}\""
	done
fi

# --- Rates over the size ---------------------------------------------------------

for range in 4K 4K: :1G 8K:4K 1K:4K 5K:8K 4K:64G x:y; do
	run 2 --sweep "$range"
	says err 'no range of sizes, as in 4K:1G'
done
run 2 --tsv "$tmp/r.tsv"
says err '--tsv is for a sweep'
run 2 --sweep 4K:8K --json
says err 'a sweep has no --cliffs, --json or --size'
run 2 --sweep 4K:8K --rows alloc
says err 'a sweep takes rows in GB/s only'
run 1 --sweep 4K:8K --tsv "$tmp/nowhere/r.tsv" host:0
says err 'r.tsv: cannot write: No such file'

# is_sweep FILE ROWS SIZES: check a file of a sweep: its head, and for each device
# and row as many sizes as expected, each twice the size before.
is_sweep() {
	awk -F '\t' -v rows="$2" -v sizes="$3" '
		function wrong(text) {
			print FNR ": " text ": " $0
			status = 1
		}
		FNR == 1 && !/^# machine: [0-9]+ CPUs?, .*; load average [0-9.]+ at the start; dpr [0-9.]+, [0-9-]+$/ {
			wrong("not the machine")
		}
		FNR == 3 && $0 != "device\trow\tbytes\trate\trate_low\trate_high\tbaseline\tratio\tfirst\trounds" {
			wrong("not the names")
		}
		/^# [a-z_]+:[a-z]+:[0-9]+: .*; driver: / { devices++ }
		/^#/ || FNR == 3 { next }
		NF != 10 { wrong("not ten columns") }
		$4 <= 0 || $5 > $4 || $6 < $4 || $9 <= 0 { wrong("no rates") }
		$7 != "NaN" && ($7 <= 0 || $8 <= 0) { wrong("no baseline") }
		$1 == device && $2 == row {
			if ($3 != 2 * bytes)
				wrong("not twice the size")
		}
		{ device = $1; row = $2; bytes = $3; seen[$1 "\t" $2]++ }
		END {
			for (k in seen) {
				n++
				if (seen[k] != sizes) {
					print k ": " seen[k] " sizes"
					status = 1
				}
			}
			if (!devices || n != rows * devices) {
				print n " rows of " devices " devices"
				status = 1
			}
			exit status
		}' "$1" >"$tmp/wrong" || complain "$1: $(cat "$tmp/wrong")"
}
for device in host opencl; do
	[ "$(count $device)" != 0 ] || continue
	run 0 -q --sweep 4K:64K --tsv "$tmp/r.tsv" $device
	silent out
	silent err
	is_sweep "$tmp/r.tsv" 3 5
	# With one thread or all, there is a baseline of every size on the host.
	[ $device != host ] || ! grep -q NaN "$tmp/r.tsv" ||
		complain "no baseline: $(cat "$tmp/r.tsv")"
	# So few elements take one thread less time than a team needs to begin.
	[ $device != host ] || grep -q '^# add: baseline: .* 1 threads$' \
		"$tmp/r.tsv" || complain "no baseline of one thread"
	run 0 -q --sweep 1M:1M -r write,add,small-add,alloc,turned-4 $device
	is_sweep "$tmp/out" 2 1
	run 0 -q --sweep 4K:8K -r sum,peer $device
	[ "$(count $device)" != 1 ] || is_sweep "$tmp/out" 1 2
	[ "$(count $device)" != 1 ] ||
		says out '# peer: not measured: the backend has no other device'
	if command -v gnuplot >/dev/null; then
		gnuplot -c "${top_srcdir:-.}/tools/bench/bench.gp" \
			"$tmp/r.tsv" "$tmp/r.svg" >"$tmp/err" 2>&1 ||
			complain "bench.gp fails"
		silent err
		grep -q '</svg>' "$tmp/r.svg" || complain "bench.gp draws nothing"
		grep -q "sum on $device:" "$tmp/r.svg" ||
			complain "bench.gp names no row"
	fi
done
if [ "$hosts" != 0 ] && [ "$both" -gt "$hosts" ]; then
	run 0 -q --sweep 1M:2M -r add --against opencl host:0
	is_sweep "$tmp/out" 1 2
	says out '# add: baseline: opencl:'
fi

# --- CUDA, on a mock of the driver -----------------------------------------------

# The mock runs no array kernels; tests/cuda/api_cuda_bench runs their baselines.
cuda=${DPR_PLUGIN_PATH:-${top_builddir:-.}/backends/.libs}/libdpr-cuda.so
driver=${top_builddir:-.}/tests/cuda/driver/.libs
if [ -e "$cuda" ] && [ -e "$driver/libcuda.so.1" ]; then
	these=write,read,copy,peer,kernel,launch,launch-part,event-wait
	these=$these,alloc,alloc-large,queue-by-device,devices
	with "LD_LIBRARY_PATH=$driver" 0 -j -q -s 1M -r "$these" cuda:gpu:0
	silent err
	is_rows 12
	! grep -q '"value": null' "$tmp/out" || complain "a row has no value"
	[ "$(grep -c '"baseline": null' "$tmp/out")" = 1 ] ||
		complain "a baseline is missing, not only that of queue-by-device"
	for baseline in 'cuMemcpyAsync from pinned memory' cuMemcpyPeerAsync \
		'cuLaunchKernel of it' 'the same on the whole device' \
		'cuMemAllocAsync, cuMemFreeAsync' \
		'a program that only calls cuInit'; do
		says out "\"baseline_is\": \"$baseline\""
	done
	says out '"goal": "ratio >= 0.45"'
	says out '"goal": "value <= 200"'
	# A part of a card, and a row for which there is no baseline there.
	with "LD_LIBRARY_PATH=$driver" 0 -j -q -s 1M -r copy,event-wait \
		cuda:gpu:0/equally:8.0
	is_rows 2
	grep -A 15 '"name": "event-wait"' "$tmp/out" |
		grep -q '"baseline": null' || complain "a baseline that is not there"
	# A GPU through OpenCL, on a mock of that driver, too.
	icd=${top_builddir:-$PWD}/tests/opencl/icd/.libs/mock_icd.so
	if [ -e "$icd" ]; then
		mkdir "$tmp/vendors"
		echo "$icd" >"$tmp/vendors/mock.icd"
		LD_LIBRARY_PATH=$driver OCL_ICD_VENDORS=$tmp/vendors \
			run 0 -j -q -s 1M -r to-opencl cuda:gpu:0
		is_rows 1
		if grep -q 'no opencl:gpu' "$tmp/out"; then
			echo "api_bench: the ICD loader does not find the mock"
		else
			says out '"clEnqueueWriteBuffer from the same chunks"'
			! grep -q '"baseline": null' "$tmp/out" ||
				complain "no baseline of to-opencl"
		fi
	fi
else
	echo "api_bench: there is no CUDA backend, or no mock of its driver"
fi

# --- Level Zero, on the software driver --------------------------------------------

driver=${top_builddir:-.}/tests/zecpu/driver/.libs/libzecpu.so
states=${top_builddir:-.}/tests/level_zero/api_ze_states
if [ -e "$driver" ] && [ -e "$states" ] && "$states" able; then
	these=add,add-transposed,sum,write,read,copy,peer,small-add,kernel
	these=$these,launch-wait,launch,launch-part,half,event-wait,alloc
	these=$these,alloc-large,start,devices
	there=18
	if [ "$hosts" != 0 ]; then
		these=$these,transfer
		there=19
	fi
	ZECPU_STRICT=1
	export ZECPU_STRICT
	with "ZE_ENABLE_ALT_DRIVERS=$driver" 0 -j -q -s 1M -r "$these" \
		level_zero:0
	silent err
	is_rows $there
	[ "$hosts" = 0 ] || says out '"pinned memory there and back"'
	! grep -q '"value": null' "$tmp/out" || complain "a row has no value"
	! grep -q '"baseline": null' "$tmp/out" || complain "a baseline is missing"
	for baseline in 'an appended copy within the device' \
		'an appended copy from pinned memory' \
		'an appended copy to pinned memory' \
		'an appended copy to the other device' \
		'two kernels in groups of 256' \
		'a barrier, and a wait for its event' \
		'zeMemAllocDevice, zeMemFree' \
		'a program that only calls zeInit' \
		'appended launches with the same arguments' \
		'appended launches of the same kernel' \
		'a launch, and a wait for its event' 'appended launches of it' \
		'the same on the whole device' \
		'a native module, Level Zero alone'; do
		says out "\"baseline_is\": \"$baseline\""
	done
	# Programs that use Level Zero directly do not know tiles.
	with "ZE_ENABLE_ALT_DRIVERS=$driver" 0 -j -q -r start,launch \
		level_zero:0.1
	is_rows 2
	grep -A 15 '"name": "start"' "$tmp/out" |
		grep -q '"baseline": null' || complain "a baseline that is not there"
	unset ZECPU_STRICT
else
	echo "api_bench: no Level Zero on the software driver"
fi

# --- What cannot be measured, and what is wrong --------------------------------

# The mock cannot build our source.  The other rows are still measured.
DPR_PLUGINS=$plugins/libdpr-mock.so
DPR_OPTION_MOCK_FORMATS=opencl-c,mock
export DPR_PLUGINS DPR_OPTION_MOCK_FORMATS
run 1 -j -q -s 1M -r 'add,alloc,copy,event-wait,kernel,write' mock:gpu:0
is_rows 6
grep -A 15 '"name": "add"' "$tmp/out" | grep -q '"note": ".' ||
	complain "no note why the mock cannot add"
grep -A 15 '"name": "copy"' "$tmp/out" | grep -q '"note": null' ||
	complain "the mock cannot copy"
run 1 -q -r add mock
says out 'no kernel that the mock knows'
run 1 -q --sweep 4K:8K -r add,copy mock:gpu:0
says out '# add of 4096 bytes: not measured: '
! grep -q '# add of 8192' "$tmp/out" || complain 'a row goes on after a failure'
[ "$(grep -c '^mock:gpu:0	copy	' "$tmp/out")" = 2 ] || complain 'no other row'

finish "$rows rows"
