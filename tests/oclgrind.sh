#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array kernels under Oclgrind, which reports accesses out of bounds, data
# races and values that were never set: first faults that must be seen, planted
# in user kernels and in the array kernels themselves, then the numerical tests,
# of which its log must stay empty.  In both shapes, the GPU's and the CPU's.
#
# usage: oclgrind.sh [whole]: without it a sample.
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
watch=$tests/icd/.libs/watch_icd.so
[ -r "$watch" ] || { echo "needs tests/icd/watch_icd.la"; exit 99; }
mkdir "$tmp/vendors" && echo "$watch" >"$tmp/vendors/watch.icd" || exit 99
OCL_ICD_VENDORS=$tmp/vendors
OCLGRIND_DATA_RACES=1 OCLGRIND_UNINITIALIZED=1 OCLGRIND_CHECK_API=1
OCLGRIND_MAX_ERRORS=1000000 OCLGRIND_GLOBAL_MEM_SIZE=1073741824
DPR_BACKEND=opencl DPR_TEST_SMALL=1
export OCL_ICD_VENDORS WATCH_ICD_DRIVER OCLGRIND_DATA_RACES \
	OCLGRIND_UNINITIALIZED OCLGRIND_CHECK_API OCLGRIND_MAX_ERRORS \
	OCLGRIND_GLOBAL_MEM_SIZE DPR_BACKEND DPR_TEST_SMALL
# The driver keeps its buffers on purpose.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

failed=0

# run NAME COMMAND...: it must pass and leave an empty log.
run() {
	name=$1
	shift
	OCLGRIND_LOG=$tmp/$name.log "$@" >"$tmp/$name.out" 2>&1
	rc=$?
	[ $rc -eq 0 ] && [ ! -s "$tmp/$name.log" ] && return
	echo "FAIL: $name: exit $rc, what Oclgrind says:"
	tail -n 30 "$tmp/$name.out"
	head -n 40 "$tmp/$name.log" 2>/dev/null
	return 1
}

# in_shape gpu|cpu COMMAND...
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

# Faults of user kernels are all that is to be reported here: the log is not
# empty, the program says whether it is right.
faults() {
	OCLGRIND_LOG=$tmp/faults.log CK_RUN_CASE=faults \
		"$tests/api_oclgrind" >"$tmp/faults.out" 2>&1
	rc=$?
	cat "$tmp/faults.out"
	if [ $rc -eq 77 ] || ! grep -q '^100%: Checks: [1-9]' "$tmp/faults.out"
	then
		echo "FAIL: faults: exit $rc"
		return 1
	fi
}

# seen SHAPE 'OLD=>NEW' COMMAND...: with that change to the array kernels the
# command must make Oclgrind report something.
planted=0
seen() {
	shape=$1 change=$2
	shift 2
	rm -f "$tmp/planted" "$tmp/seen.log"
	WATCH_ICD_PLANT=$change WATCH_ICD_PLANTED=$tmp/planted \
		OCLGRIND_LOG=$tmp/seen.log OCLGRIND_MAX_ERRORS=50
	export WATCH_ICD_PLANT WATCH_ICD_PLANTED OCLGRIND_LOG
	in_shape "$shape" "$@" >"$tmp/seen.out" 2>&1
	rc=$?
	unset WATCH_ICD_PLANT WATCH_ICD_PLANTED OCLGRIND_LOG
	OCLGRIND_MAX_ERRORS=1000000
	if [ ! -e "$tmp/planted" ]; then
		echo "FAIL: the kernels have no place for: $change"
		failed=1
	elif [ ! -s "$tmp/seen.log" ]; then
		echo "FAIL: not reported (exit $rc): $shape: $change"
		failed=1
	else
		planted=$((planted + 1))
		[ -z "$verbose" ] || echo "$shape: $change: exit $rc, $(grep -m 1 . \
			"$tmp/seen.log" | sed 's/ address.*//')"
	fi
}
verbose=${DPR_TEST_VERBOSE-}

for shape in gpu cpu; do
	in_shape $shape faults || exit 1
done
# numbers FUNCTION: its tests for float32.
numbers() {
	"$tests/api_numerics" opencl 12 16 1 "$1"
}
# moves CASE: some of what moves elements.
moves() {
	CK_RUN_CASE=$1 "$tests/api_oclgrind"
}
seen gpu 'barrier(CLK_LOCAL_MEM_FENCE);=>' numbers sum
seen cpu 'return left < RUN ? (int)left : RUN;=>return RUN;' numbers add

if [ "${1-}" != whole ]; then
	(in_shape gpu run sample-gpu "$tests/api_numerics" opencl 12 16 7) &
	first=$!
	in_shape cpu run sample-cpu "$tests/api_numerics" opencl 13 16 7 ||
		failed=1
	wait $first || failed=1
	[ $failed -eq 0 ] && echo "$planted planted faults were reported"
	exit $failed
fi

# A check or a barrier less in each kind of kernel.
seen gpu 'if (me < half_of)=>if (me <= half_of)' numbers max
seen gpu 'if (id >= (ulong)f->kept * (ulong)f->parts)=>if (0)' numbers min
seen gpu 'if (id >= (ulong)f->kept)=>if (0)' numbers any
seen gpu 'if (id < (ulong)w->count)=>if (1)' moves joins
seen gpu 'begin + WIDTH <= (ulong)w->count)=>1)' numbers add
seen gpu 'if (!walk_element(w, id, 4, at))=>walk_element(w, id, 4, at); if (0)' \
	numbers where
seen gpu 'barrier(CLK_LOCAL_MEM_FENCE);=>' moves copies
seen gpu 'j0 + fast < w.shape[1]=>1' moves copies
seen cpu 'nj = w->shape[1] - j0 < TILE=>nj = 0' moves copies
seen cpu 'begin >= (ulong)w->shape[0])=>0)' numbers multiply
seen cpu 'i + LANES <= (n)=>i < (n)' numbers sum
seen cpu 'if (id >= (ulong)f->kept * (ulong)f->parts)=>if (0)' numbers all
echo "$planted planted faults were reported"

for shape in gpu cpu; do
	for part in copies joins reductions; do
		in_shape $shape run "moves-$shape-$part" moves $part || failed=1
	done
	(CK_RUN_CASE=rules in_shape $shape run rules-$shape \
		"$tests/api_rules" opencl) &
	first=$!
	part=1 # dtypes begin with 1
	while [ $part -lt 16 ]; do
		in_shape $shape run "numerics-$shape-$part" \
			"$tests/api_numerics" opencl $part 16 || failed=1
		part=$((part + 1))
	done
	wait $first || failed=1
done
[ $failed -eq 0 ] && echo "all kernels in both shapes: nothing reported"
exit $failed
