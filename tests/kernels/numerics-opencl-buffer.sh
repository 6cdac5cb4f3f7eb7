#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices through cl_mem objects, as on drivers
# without shared virtual memory.
DPR_OPTION_OPENCL_MEMORY=buffer
export DPR_OPTION_OPENCL_MEMORY

# A driver compiles a kernel for each function, dtype and layout.  So some of the
# cases are checked, each in some of its layouts, in turn; with DPR_TEST_ALL=1
# all, and the rules, for which the path to memory makes no difference.  A step with
# a factor in common with the turns would leave layouts out.
[ -z "${DPR_TEST_ALL-}" ] ||
	exec sh "${top_srcdir:-.}/tests/kernels/numerics.sh" opencl
DPR_TEST_TURNS=1 exec "${top_builddir:-.}/tests/kernels/api_numerics" opencl 0 1 121
