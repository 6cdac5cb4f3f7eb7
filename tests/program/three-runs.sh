#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No run of a program makes a driver build more than the run before: a program
# runs three times, with empty caches at first.  On a CPU's OpenCL only a
# program's own kernel is compiled, and only by the first run.
set -u
me=three-runs
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"
build=${top_builddir:-.}
tried=0
if [ "${dpr_sanitizers:-none}" != none ]; then
	echo "skipped: a sanitizer changes nothing in what a driver builds"
	exit 77
fi

# compiled: how many kernels PoCL has in its cache.
compiled() {
	find "$POCL_CACHE_DIR" -name '*.so' | wc -l
}

# three WHAT SELECTOR OWN [VARIABLE=VALUE...]: OWN is how many kernels PoCL may
# compile, or "any".
three() {
	what=$1 selector=$2 own=$3
	shift 3
	rm -rf "$tmp/dpr" "$tmp/pocl"
	DPR_CACHE_DIR=$tmp/dpr
	POCL_CACHE_DIR=$tmp/pocl
	mkdir -p "$POCL_CACHE_DIR"
	export DPR_CACHE_DIR POCL_CACHE_DIR
	last=
	for turn in 1 2 3; do
		before=$(compiled)
		env "$@" "$build/tests/program/three_runs" "$selector" \
			>"$tmp/out" 2>"$tmp/err"
		rc=$?
		[ "$rc" = 77 ] && echo "$what: no device" && return
		[ "$rc" = 0 ] || complain "$what: run $turn ended with $rc"
		n=$(cat "$tmp/out")
		new=$(($(compiled) - before))
		echo "$what, run $turn: $n programs built," \
			"$new kernels compiled by PoCL"
		[ -z "$last" ] || [ "$n" -le "$last" ] ||
			complain "$what: run $turn built $n, the one before $last"
		[ "$turn" = 1 ] || [ "$new" = 0 ] ||
			complain "$what: PoCL compiled $new kernels in run $turn"
		[ "$turn" != 1 ] || [ "$own" = any ] || [ "$new" -le "$own" ] ||
			complain "$what: PoCL compiled $new kernels, not $own"
		last=$n
	done
	tried=$((tried + 1))
}

three host host 0
three opencl opencl:cpu 1
three 'opencl as a GPU' opencl any DPR_OPTION_OPENCL_NATIVE=no
three cuda cuda any
zecpu=$build/tests/zecpu/driver/.libs/libzecpu.so
[ ! -e "$zecpu" ] || three level_zero level_zero any \
	ZE_ENABLE_ALT_DRIVERS="$zecpu"
[ "$tried" -gt 0 ] || { echo "needs a device"; exit 77; }
finish
