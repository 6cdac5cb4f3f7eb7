#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices through cl_mem objects, as on drivers
# without shared virtual memory.
DPR_OPTION_OPENCL_MEMORY=buffer
export DPR_OPTION_OPENCL_MEMORY
#
# A driver compiles a kernel for each function, dtype and layout, so each case is
# checked in some of its layouts, in turn; with DPR_TEST_ALL=1 in all.
[ -n "${DPR_TEST_ALL-}" ] || DPR_TEST_TURNS=1
export DPR_TEST_TURNS
exec sh "${top_srcdir:-.}/tests/kernels/numerics.sh" opencl
