#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices through cl_mem objects, as on drivers
# without shared virtual memory.
DPR_OPTION_OPENCL_MEMORY=buffer
export DPR_OPTION_OPENCL_MEMORY

# A driver compiles a kernel for each function, dtype and layout.  So some of the
# cases are checked, each in some of its layouts, in turn; with DPR_TEST_ALL=1
# all.
every=1
if [ -z "${DPR_TEST_ALL-}" ]; then
	DPR_TEST_TURNS=1 every=50
	export DPR_TEST_TURNS
fi
exec "${top_builddir:-.}/tests/kernels/api_numerics" opencl 0 1 $every
