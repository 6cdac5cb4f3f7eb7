#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Many random expressions, 12 levels deep, on each device that is there: see
# api_expression_random.c.  20000 on the host and on CUDA, there by 16 processes;
# 2000 on PoCL in each way to allocate memory, and on the software driver of
# Level Zero.  It takes a while on the latter two, and is not part of "make check".
#
# usage: expressions.sh [host|cuda|opencl|level_zero...]
# DPR_TEST_SEED repeats a run.  77: one of these is missing, none has failed.
set -u
build=${top_builddir:-.}
test=$build/tests/array/api_expression_random
seed=${DPR_TEST_SEED:-$(date +%s)}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-expressions.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
DPR_TEST_DEPTH=12
export DPR_TEST_DEPTH
echo "seed $seed"
missing=
failed=

# compared NAME COUNT PART [VARIABLE=VALUE...]: one process, which has a seed of its
# own.
compared() {
	name=$1 count=$2 part=$3
	shift 3
	env "DPR_TEST_EXPRESSIONS=$count" "DPR_TEST_SEED=$((seed + part * 7919))" \
		"$@" "$test" >"$tmp/$name.$part" 2>&1
	echo $? >"$tmp/$name.$part.status"
}

# told NAME PART: what has become of it.
told() {
	status=$(cat "$tmp/$1.$2.status" 2>/dev/null || echo 99)
	sed "s/^/$1: /" "$tmp/$1.$2"
	case $status in
	0) ;;
	77) missing="$missing $1" ;;
	*) failed="$failed $1" ;;
	esac
}

[ $# -gt 0 ] || set -- host cuda opencl level_zero
for backend; do
	case $backend in
	host)
		compared host 20000 0 DPR_TEST_DEVICES=host:0
		told host 0
		;;
	cuda)
		part=0
		while [ $part -lt 16 ]; do
			compared cuda 1250 $part DPR_TEST_DEVICES=cuda:0 &
			part=$((part + 1))
		done
		wait
		part=0
		while [ $part -lt 16 ]; do
			told cuda $part
			part=$((part + 1))
		done
		;;
	opencl)
		for memory in svm-fine svm-coarse usm buffer; do
			compared "opencl-$memory" 2000 0 \
				DPR_TEST_DEVICES=opencl:cpu:0 \
				"DPR_OPTION_OPENCL_MEMORY=$memory"
			told "opencl-$memory" 0
		done
		;;
	level_zero)
		compared level_zero 2000 0 DPR_TEST_DEVICES=level_zero:0 \
			DPR_TEST_SMALL=1 DPR_BACKEND=level_zero ZECPU_STRICT=1 \
			"ZE_ENABLE_ALT_DRIVERS=$build/tests/zecpu/driver/.libs/libzecpu.so"
		told level_zero 0
		;;
	*)
		echo "$backend is no backend of this list"
		exit 99
		;;
	esac
done
[ -z "$failed" ] || {
	echo "failed:$failed"
	exit 1
}
[ -z "$missing" ] || {
	echo "missing:$missing"
	exit 77
}
