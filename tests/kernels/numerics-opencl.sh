#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices, by the best path to memory that each
# has (shared virtual memory on PoCL): all of them on CPUs, which run native code.

# A driver of another device compiles a kernel for each function, dtype and layout.
# So some of the cases are checked there, each in some of its layouts, in turn; with
# DPR_TEST_ALL=1 all.  A step with a factor in common with the turns would leave
# layouts out; with this one each reduction is there, too.  Of the rules those are
# checked that depend on the device.
numerics=${top_srcdir:-.}/tests/kernels/numerics.sh
[ -z "${DPR_TEST_ALL-}" ] || exec sh "$numerics" opencl
sh "$numerics" opencl:cpu
cpu=$?
DPR_TEST_TURNS=1 sh "$numerics" 'opencl:gpu,opencl:accelerator' 77 values large
other=$?
for status in $cpu $other; do
	case $status in
	0 | 77) ;;
	*) exit "$status" ;;
	esac
done
[ "$cpu" = 0 ] || exit "$other"
