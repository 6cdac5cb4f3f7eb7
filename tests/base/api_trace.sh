#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that every public function that does work begins with TRACE_CALL.  Also
# checks that "dpr eval" with the layer "trace" records its calls and their work.
set -u
me=api_trace
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"
src=${top_srcdir:-.}

# Functions that only compute, or that work without the runtime.
cat >"$tmp/allowed" <<'END'
dpr_dtype_promote
dpr_finfo
dpr_iinfo
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
for file in functions/elementwise derived/reductions derived/derived; do
	grep -q '^		TRACE_CALL;  *\\$' "$src/core/array/$file.c" ||
		complain "the functions that $file.c makes have no TRACE_CALL"
done

# eval_on DEVICE KERNEL: the device's kernels are called KERNEL....
eval_on() {
	trace=$tmp/$1.json
	DPR_LAYERS=trace DPR_TRACE=$trace "$dpr" eval 'sqrt(x*x + y*y)' \
		"x=$src/examples/data/x.npy" "y=$src/examples/data/y.npy" \
		-o "$tmp/r.npy" --device "$1" >"$tmp/out" 2>&1 || {
		if grep -q 'DPR_ERROR_NOT_FOUND\|no device' "$tmp/out"; then
			echo "not tried: there is no device $1"
			return
		fi
		complain "eval on $1"
		return
	}
	for what in '"name":"dpr_expression_apply"' \
		'"cat":"kernel","name":"sqrt(x*x + y*y)"' "\"kernel\":\"$2" \
		'"cat":"write"' '"ph":"s"' '"ph":"f"' \
		"\"name\":\"thread_name\",\"args\":{\"name\":\"$1"; do
		grep -qF "$what" "$trace" ||
			complain "no $what in the trace of eval on $1"
	done
	if grep -q '"unfinished"\|"error"' "$trace"; then
		complain "the trace of eval on $1 tells of a failure"
	fi
	is_json "$trace"
}

if [ -x "$dpr" ]; then
	eval_on host vmcode_
	eval_on opencl:cpu vmcode_
else
	echo "not tried: $dpr is not built"
fi

# All kinds of calls at once, in eight threads.
threads=${top_builddir:-.}/tests/life/api_threads
trace=$tmp/threads.json
if [ -x "$threads" ]; then
	DPR_TEST_SECONDS=1 DPR_LAYERS=trace DPR_TRACE=$trace "$threads" \
		>"$tmp/out" 2>&1
	status=$?
	[ "$status" = 0 ] || [ "$status" = 77 ] ||
		complain "api_threads: $status"
	if [ "$status" = 0 ]; then
		grep -q '"cat":"kernel"' "$trace" ||
			complain "no kernel in the trace of api_threads"
		is_json "$trace"
	fi
fi

# If the file cannot be written, the error names the variable.
DPR_LAYERS=trace DPR_TRACE=relative.json "$dpr" devices >"$tmp/out" 2>&1 &&
	complain "a relative name is taken"
grep -q 'DPR_TRACE' "$tmp/out" || complain "DPR_TRACE is not named"

finish
