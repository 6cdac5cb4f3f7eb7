#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run the array kernels under Oclgrind, which reports accesses out of bounds,
# data races and uses of uninitialized values.  First, faults are planted in
# user kernels and in the array kernels, and must be reported.  Then the
# numerical tests run, and nothing must be reported.  All this is done with the
# kernels in their GPU shape and in their CPU shape.
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

# in_shape gpu|cpu COMMAND...: run it with kernels in this shape.
in_shape() {
	if [ "$1" = cpu ]; then
		WATCH_ICD_CPU=1
		export WATCH_ICD_CPU
	else
		unset WATCH_ICD_CPU
	fi
	shift
	"$@"
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

# seen SHAPE 'OLD=>NEW' COMMAND...: with OLD replaced by NEW in the array
# kernels, the command must make Oclgrind report something.
planted=0
seen() {
	planted=$((planted + 1))
	job plant "$@"
}
plant() {
	shape=$1 change=$2
	shift 2
	WATCH_ICD_PLANT=$change WATCH_ICD_PLANTED=$tmp/$begun.planted \
		OCLGRIND_LOG=$tmp/$begun.log OCLGRIND_MAX_ERRORS=50
	export WATCH_ICD_PLANT WATCH_ICD_PLANTED OCLGRIND_LOG
	in_shape "$shape" "$@" >"$tmp/$begun.out" 2>&1
	rc=$?
	if [ ! -e "$tmp/$begun.planted" ]; then
		echo "FAIL: the text to replace is not in the kernels: $change"
		cat "$tmp/$begun.out"
		return 1
	fi
	if [ ! -s "$tmp/$begun.log" ]; then
		echo "FAIL: not reported (exit $rc): $shape: $change"
		cat "$tmp/$begun.out"
		return 1
	fi
	[ -z "$verbose" ] || echo "$shape: $change: exit $rc, $(grep -m 1 . \
		"$tmp/$begun.log" | sed 's/ address.*//')"
}
verbose=${DPR_TEST_VERBOSE-}

# If these faults are not reported, the other results mean nothing.
for shape in gpu cpu; do
	job in_shape $shape faults
done
all_of_them || exit 1

# numbers FUNCTION: run the numerical tests of a function for float32.
numbers() {
	"$tests/kernels/api_numerics" opencl 12 16 1 "$1"
}
# moves CASE: run a test of the kernels that move elements.
moves() {
	CK_RUN_CASE=$1 "$tests/opencl/api_oclgrind"
}
# streams CASE: run a test of kernels with stores that bypass a CPU's caches.
streams() {
	CK_RUN_CASE=$1 "$tests/kernels/unit_streams" opencl
}

# Remove a check or a barrier from each kind of kernel.
seen gpu 'barrier(CLK_LOCAL_MEM_FENCE);=>' numbers sum
seen cpu 'const int n = left < 4096 ? (int)left : 4096;=>const int n = 4096;' \
	numbers add
seen cpu 'const int n = left < 64 ? (int)left : 64;=>const int n = 64;' \
	moves copies
seen gpu 'if (lane < half_of)=>if (lane <= half_of)' numbers max
seen gpu '+ i < left) {=>+ i <= left) {' numbers min
seen gpu 'if (lane > 0 || !ok)=>if (lane > 0)' numbers any
seen gpu 'if (begin + 4 <= w.w[0])=>if (1)' numbers add
seen gpu 'i = begin; i < w.w[0];=>i = begin; i < begin + 4;' numbers where
seen gpu 'barrier(CLK_LOCAL_MEM_FENCE);=>' moves copies
seen gpu 'if (i < n && col < m)=>if (i < n)' moves copies
seen cpu 'm = below < 64=>m = 0' moves copies
seen cpu 'if (n == 128 && BEGINS=>if (BEGINS' streams transposes
seen cpu 'if (n == 256 && BEGINS=>if (BEGINS' streams results
seen cpu 'if (rest >= w.w[1] || begin >= w.w[2])=>if (0)' numbers multiply
seen cpu 'j < size - done;=>j <= size - done;' numbers sum
seen cpu 'team < last;=>team <= last;' numbers all
seen cpu 'row < last;=>row <= last;' streams rows
seen cpu 'for (; size >= 64;=>for (; size > 0;' streams rows

every=1
if [ $# -eq 0 ]; then
	DPR_TEST_TURNS=1 every=4
	export DPR_TEST_TURNS
fi
for part in results transposes rows; do
	job in_shape cpu run "streams-cpu-$part" streams $part
done
rules() {
	CK_RUN_CASE=$1 "$tests/kernels/api_rules" opencl
}
# Kernels for other compilers, which have only one shape.
sources() {
	CK_RUN_CASE=reductions "$tests/kernels/api_kernel_sources"
}
job in_shape gpu run sources sources
for shape in gpu cpu; do
	for part in copies joins reductions; do
		job in_shape $shape run "moves-$shape-$part" moves $part
	done
	job in_shape $shape run "rules-$shape" rules rules
	job in_shape $shape run "values-$shape" rules values
	part=1 # dtypes begin with 1
	while [ $part -lt 16 ]; do
		job in_shape $shape run "numerics-$shape-$part" \
			"$tests/kernels/api_numerics" opencl $part 16 $every
		part=$((part + 1))
	done
done
all_of_them || exit 1
echo "$planted planted faults were reported"
echo "all kernels in both shapes: nothing else was reported"
