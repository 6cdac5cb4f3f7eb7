#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices, by the best path to memory that each
# has (shared virtual memory on PoCL): all of them on CPUs, which run native code.

# A driver of another device compiles a kernel for each function, dtype and layout.
# So each function is checked there in one of its dtypes, and that in some of its
# layouts, in turn; with DPR_TEST_ALL=1 all.  Of the rules those are checked that
# depend on the device.
numerics=${top_srcdir:-.}/tests/kernels/numerics.sh
[ -z "${DPR_TEST_ALL-}" ] || exec sh "$numerics" opencl
sh "$numerics" opencl:cpu
cpu=$?
DPR_TEST_TURNS=1 sh "$numerics" 'opencl:gpu,opencl:accelerator' each values large
other=$?
for status in $cpu $other; do
	case $status in
	0 | 77) ;;
	*) exit "$status" ;;
	esac
done
[ "$cpu" = 0 ] || exit "$other"
