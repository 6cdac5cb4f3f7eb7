#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public function that does work begins with TRACE_CALL, and "dpr eval"
# under the layer "trace" leaves a file with what it called and what ran.
set -u
src=${top_srcdir:-.}
dpr=${top_builddir:-.}/tools/dpr
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-trace.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0

complain() {
	bad=$((bad + 1))
	printf 'api_trace: %s\n' "$*"
}

# Those that only compute, and those that work without the runtime.
cat >"$tmp/allowed" <<'END'
dpr_dtype_promote
dpr_execution_queue
dpr_result_type
dpr_variables
END
find "$src/core" -name '*.c' -exec awk '
	/^dpr_status ?\(?dpr_[a-z0-9_]+/ {
		name = $0
		sub(/^dpr_status ?\(?/, "", name)
		sub(/[^a-z0-9_].*/, "", name)
	}
	/;$/ && !/^\t/ { name = "" }
	name != "" && /^\{/ {
		if ((getline line) <= 0 || line != "\tTRACE_CALL;")
			print name
		name = ""
	}' {} + | sort | grep -vxF -f "$tmp/allowed" >"$tmp/missing"
while read -r name; do
	complain "$name() does not begin with TRACE_CALL"
done <"$tmp/missing"
for file in elementwise reduce; do
	grep -q '^		TRACE_CALL;  *\\$' "$src/core/array/$file.c" ||
		complain "the functions that $file.c makes have no TRACE_CALL"
done

is_json() {
	if command -v python3 >/dev/null; then
		python3 -m json.tool <"$trace" >/dev/null 2>"$tmp/json" ||
			complain "$trace is no JSON: $(cat "$tmp/json")"
	fi
}

# eval DEVICE
eval_on() {
	trace=$tmp/$1.json
	DPR_LAYERS=trace DPR_TRACE=$trace "$dpr" eval 'sqrt(x*x + y*y)' \
		"x=$src/examples/data/x.npy" "y=$src/examples/data/y.npy" \
		-o "$tmp/r.npy" --device "$1" >"$tmp/out" 2>&1 || {
		if grep -q 'DPR_ERROR_NOT_FOUND\|no device' "$tmp/out"; then
			echo "not tried: there is no device $1"
			return
		fi
		complain "eval on $1: $(cat "$tmp/out")"
		return
	}
	for what in '"name":"dpr_sqrt"' '"name":"dpr_multiply"' \
		'"name":"dpr_add"' '"cat":"kernel","name":"arith2t_c"' \
		'"cat":"read"' '"ph":"s"' '"ph":"f"' \
		"\"name\":\"thread_name\",\"args\":{\"name\":\"$1"; do
		grep -qF "$what" "$trace" ||
			complain "no $what in the trace of eval on $1"
	done
	if grep -q '"unfinished"\|"error"' "$trace"; then
		complain "the trace of eval on $1 tells of a failure"
	fi
	is_json
}

if [ -x "$dpr" ]; then
	eval_on host
	eval_on opencl
else
	echo "not tried: $dpr is not built"
fi

# Everything at once, in eight threads.
threads=${top_builddir:-.}/tests/api_threads
trace=$tmp/threads.json
if [ -x "$threads" ]; then
	DPR_TEST_SECONDS=1 DPR_LAYERS=trace DPR_TRACE=$trace "$threads" \
		>"$tmp/out" 2>&1
	status=$?
	[ "$status" = 0 ] || [ "$status" = 77 ] ||
		complain "api_threads: $status: $(tail -n 40 "$tmp/out")"
	if [ "$status" = 0 ]; then
		grep -q '"cat":"kernel"' "$trace" ||
			complain "no kernel in the trace of api_threads"
		is_json
	fi
fi

# A file that cannot be written is an error that says which variable it is.
DPR_LAYERS=trace DPR_TRACE=relative.json "$dpr" devices >"$tmp/out" 2>&1 &&
	complain "a relative name is taken"
grep -q 'DPR_TRACE' "$tmp/out" || complain "DPR_TRACE is not named"

if [ "$bad" != 0 ]; then
	echo "api_trace: $bad complaints"
	exit 1
fi
echo "api_trace: all well"
