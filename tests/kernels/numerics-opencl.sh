#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices, by the best path to memory that each
# has (shared virtual memory on PoCL).

# A driver compiles a kernel for each function, dtype and layout.  So some of the
# cases are checked, each in some of its layouts, in turn; with DPR_TEST_ALL=1
# all.  A step with a factor in common with the turns would leave layouts out; with
# this one each reduction is there, too.  Of the rules those are checked that depend
# on the device.
numerics=${top_srcdir:-.}/tests/kernels/numerics.sh
[ -z "${DPR_TEST_ALL-}" ] || exec sh "$numerics" opencl
DPR_TEST_TURNS=1 exec sh "$numerics" opencl 77 values large
