#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run the array kernels under Oclgrind, which reports accesses out of bounds,
# data races and uses of uninitialized values.  First, faults are planted in
# user kernels and in the array kernels, and must be reported.  Then the
# numerical tests run, and nothing must be reported.
#
# usage: oclgrind.sh [layouts]
# Runs a quarter of the functions of each dtype, each in some layouts of its
# operands, in turn; with "layouts" all functions in each layout, which takes
# several times as long.
set -u
build=${top_builddir:-.}
tests=$build/tests
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-oclgrind.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

for file in /usr/lib/oclgrind /usr/lib/x86_64-linux-gnu/oclgrind \
	/usr/lib/aarch64-linux-gnu/oclgrind /usr/local/lib/oclgrind \
	/usr/local/lib; do
	WATCH_ICD_DRIVER=$file/liboclgrind-rt-icd.so
	[ -r "$WATCH_ICD_DRIVER" ] && break
done
if [ ! -r "$WATCH_ICD_DRIVER" ]; then
	echo "needs oclgrind"
	exit 77
fi
watch=$tests/opencl/icd/.libs/watch_icd.so
[ -r "$watch" ] || { echo "needs tests/opencl/icd/watch_icd.la"; exit 99; }
mkdir "$tmp/vendors" && echo "$watch" >"$tmp/vendors/watch.icd" || exit 99
OCL_ICD_VENDORS=$tmp/vendors
OCLGRIND_DATA_RACES=1 OCLGRIND_UNINITIALIZED=1 OCLGRIND_CHECK_API=1
OCLGRIND_MAX_ERRORS=500 OCLGRIND_GLOBAL_MEM_SIZE=1073741824
# There is a process for each processor.  With several threads Oclgrind once took
# memory for unwritten that two groups had written side by side.
OCLGRIND_NUM_THREADS=1
DPR_BACKEND=opencl DPR_TEST_SMALL=1
export OCL_ICD_VENDORS WATCH_ICD_DRIVER OCLGRIND_DATA_RACES \
	OCLGRIND_UNINITIALIZED OCLGRIND_CHECK_API OCLGRIND_MAX_ERRORS \
	OCLGRIND_GLOBAL_MEM_SIZE OCLGRIND_NUM_THREADS DPR_BACKEND DPR_TEST_SMALL
# watch_icd.c never releases buffers, on purpose.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

. "${top_srcdir:-.}/tests/support/jobs.sh"

# run NAME COMMAND...: the command must pass and leave an empty log.
run() {
	name=$1
	shift
	started=$(date +%s)
	OCLGRIND_LOG=$tmp/$begun.log "$@" >"$tmp/$begun.out" 2>&1
	rc=$?
	if [ $rc -eq 0 ] && [ ! -s "$tmp/$begun.log" ]; then
		echo "$name: nothing reported, $(($(date +%s) - started)) s"
		return
	fi
	echo "FAIL: $name: exit $rc; its output:"
	cat "$tmp/$begun.out"
	echo "FAIL: $name: Oclgrind reported:"
	cat "$tmp/$begun.log"
	return 1
}

# faults: run the user kernels with planted faults.  The log is not empty then;
# the program itself checks it.
faults() {
	OCLGRIND_LOG=$tmp/$begun.log CK_RUN_CASE=faults \
		"$tests/opencl/api_oclgrind" >"$tmp/$begun.out" 2>&1
	rc=$?
	cat "$tmp/$begun.out"
	if [ $rc -ne 0 ] ||
		! grep -q '^100%: Checks: [1-9]' "$tmp/$begun.out"; then
		echo "FAIL: faults: exit $rc"
		return 1
	fi
}

# seen 'OLD=>NEW' COMMAND...: with OLD replaced by NEW in the array
# kernels, the command must make Oclgrind report something.
planted=0
seen() {
	planted=$((planted + 1))
	job plant "$@"
}
plant() {
	change=$1
	shift
	WATCH_ICD_PLANT=$change WATCH_ICD_PLANTED=$tmp/$begun.planted \
		OCLGRIND_LOG=$tmp/$begun.log OCLGRIND_MAX_ERRORS=50
	export WATCH_ICD_PLANT WATCH_ICD_PLANTED OCLGRIND_LOG
	"$@" >"$tmp/$begun.out" 2>&1
	rc=$?
	if [ ! -e "$tmp/$begun.planted" ]; then
		echo "FAIL: the text to replace is not in the kernels: $change"
		cat "$tmp/$begun.out"
		return 1
	fi
	if [ ! -s "$tmp/$begun.log" ]; then
		echo "FAIL: not reported (exit $rc): $change"
		cat "$tmp/$begun.out"
		return 1
	fi
	[ -z "$verbose" ] || echo "$change: exit $rc, $(grep -m 1 . \
		"$tmp/$begun.log" | sed 's/ address.*//')"
}
verbose=${DPR_TEST_VERBOSE-}

# If these faults are not reported, the other results mean nothing.
job faults
all_of_them || exit 1

# numbers FUNCTION: run the numerical tests of a function for float32.
numbers() {
	"$tests/kernels/api_numerics" opencl 12 16 all "$1"
}
# moves CASE: run a test of the kernels that move elements.
moves() {
	CK_RUN_CASE=$1 "$tests/opencl/api_oclgrind"
}
# rows: run a test of kernels that compute rows in stages.
rows() {
	CK_RUN_CASE=rows "$tests/kernels/unit_streams" opencl
}
# products CASE: run products of matrices.
products() {
	CK_RUN_CASE=$1 "$tests/functions/api_matmul"
}

# Remove a check or a barrier from each kind of kernel.
seen 'barrier(CLK_LOCAL_MEM_FENCE);=>' numbers sum
seen 'if (member < half_of)=>if (member <= half_of)' numbers max
seen 'if (j + s * 8 < end)=>if (j + s * 8 <= end)' numbers min
seen 'if (member < (ok ? 1 : 0))=>if (member < 1)' numbers any
seen 'whole = begin + 3 < (long)w.w[0];=>whole = 1;' numbers add
seen 'whole ? begin + 4 : (long)w.w[0];=>begin + 4;' numbers where
seen 'barrier(CLK_LOCAL_MEM_FENCE);=>' moves copies
seen '(col < width) ? height : 0=>height' moves copies
seen 'c.line < lines && c.step < steps=>c.line < lines' products part
seen 'c.line < lines && c.step < steps=>c.step < steps' products part
seen 'if (r < rows && =>if (' products part
seen 'is_whole = rows == MATMUL_TILE && =>is_whole = ' products part
seen 'is_whole && steps == MATMUL_STEPS=>is_whole' products part
seen 'barrier(CLK_LOCAL_MEM_FENCE);=>' products part

choice=all
if [ $# -eq 0 ]; then
	DPR_TEST_TURNS=1 choice=pairs
	export DPR_TEST_TURNS
fi
rules() {
	CK_RUN_CASE=$1 "$tests/kernels/api_rules" opencl
}
# Kernels for other compilers.
sources() {
	CK_RUN_CASE=reductions "$tests/kernels/api_kernel_sources"
}
job run sources sources
job run rows rows
job run products products part
job run products-kinds products parts
for part in copies joins reductions; do
	job run "moves-$part" moves $part
done
job run rules rules rules
job run values rules values
part=1 # dtypes begin with 1
while [ $part -lt 16 ]; do
	job run "numerics-$part" \
		"$tests/kernels/api_numerics" opencl $part 16 $choice
	part=$((part + 1))
done
all_of_them || exit 1
echo "$planted planted faults were reported"
echo "all kernels: nothing else was reported"
