#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices, by the best path to memory that each
# has (shared virtual memory on PoCL).
#
# A driver compiles a kernel for each function, dtype and layout, so each case is
# checked in some of its layouts, in turn; with DPR_TEST_ALL=1 in all.
[ -n "${DPR_TEST_ALL-}" ] || DPR_TEST_TURNS=1
export DPR_TEST_TURNS
exec sh "${top_srcdir:-.}/tests/kernels/numerics.sh" opencl
