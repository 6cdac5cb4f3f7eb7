#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices through cl_mem objects, as on drivers
# without shared virtual memory.
DPR_OPTION_OPENCL_MEMORY=buffer
export DPR_OPTION_OPENCL_MEMORY
exec sh "${top_srcdir:-.}/tests/kernels/numerics.sh" opencl
