#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions on OpenCL devices, by the best path to memory that each
# has (shared virtual memory on PoCL).

# A driver compiles a kernel for each function, dtype and layout.  So some of the
# cases are checked, each in some of its layouts, in turn; with DPR_TEST_ALL=1
# all.  A step with a factor in common with the turns would leave layouts out; with
# this one each reduction is there, too.
every=1
if [ -z "${DPR_TEST_ALL-}" ]; then
	DPR_TEST_TURNS=1 every=77
	export DPR_TEST_TURNS
fi
exec sh "${top_srcdir:-.}/tests/kernels/numerics.sh" opencl $every
