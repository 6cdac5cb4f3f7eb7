#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A command with one backend chosen, by selector or by DPR_BACKEND, starts no
# other driver: a backend that would crash the process is not opened, and the
# OpenCL loader is not even loaded.
set -u
me=check-drivers
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"
ours=${DPR_PLUGIN_PATH:-${top_builddir:-.}/backends/.libs}

# crashes YES-OR-NO VARIABLE=VALUE ARGUMENT...: check whether "dpr devices"
# crashes in the bad plugin's open().
crashes() {
	want=$1
	shift
	variable=$1
	shift
	env "DPR_PLUGIN_PATH=$tmp/p" DPR_TEST_BAD=open_crash "$variable" \
		"$dpr" devices "$@" >"$tmp/out" 2>&1
	case $? in
	0) got=no ;;
	1 | 2) got=failed ;;
	*) got=yes ;;
	esac
	[ "$got" = "$want" ] ||
		complain "$variable dpr devices $*: crashes: $got, not $want"
}

mkdir "$tmp/p" && chmod 755 "$tmp" "$tmp/p" || exit 99
cp "$plugins/libdpr-mock.so" "$plugins/libdpr-mock2.so" "$tmp/p" || exit 99
cp "$plugins/bad.so" "$tmp/p/libdpr-bad.so" || exit 99
crashes yes A=b
crashes yes DPR_BACKEND=mock,bad
crashes yes A=b bad
crashes no DPR_BACKEND=mock
crashes no DPR_BACKEND='^bad'
crashes no A=b mock
crashes no A=b mock:gpu:0
crashes no A=b mock,mock2:gpu
crashes no A=b '!bad'

# loads VARIABLE=VALUE ARGUMENT...: whether the OpenCL loader gets loaded, as
# glibc's dynamic linker reports.
loads() {
	variable=$1
	shift
	rm -f "$tmp"/ld*
	env "DPR_PLUGIN_PATH=$ours" LD_DEBUG=files "LD_DEBUG_OUTPUT=$tmp/ld" \
		"$variable" "$dpr" devices "$@" >"$tmp/out" 2>&1
	grep -q 'file=libOpenCL' "$tmp"/ld* 2>/dev/null
}

if [ -e "$ours/libdpr-host.so" ] && loads A=b opencl; then
	loads DPR_BACKEND=host && complain "DPR_BACKEND=host loads libOpenCL"
	loads DPR_BACKEND='^opencl' &&
		complain "DPR_BACKEND=^opencl loads libOpenCL"
	loads A=b host && complain "the selector host loads libOpenCL"
	loads A=b host:cpu:0 &&
		complain "the selector host:cpu:0 loads libOpenCL"
else
	echo "check-drivers: not with real drivers: no plugin for the host," \
		"no OpenCL loader, or no glibc"
fi

finish
