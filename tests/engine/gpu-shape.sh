#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reductions and rows as kernels in OpenCL C of the shape for GPUs, on PoCL.
[ -n "${DPR_TEST_ALL-}" ] || {
	DPR_TEST_TURNS=1 DPR_TEST_EVERY=40
	export DPR_TEST_TURNS DPR_TEST_EVERY
}
DPR_TEST_SWAP=1 DPR_TEST_SMALL=1 DPR_TEST_DEVICES=opencl:cpu
export DPR_TEST_SWAP DPR_TEST_SMALL DPR_TEST_DEVICES
engine=${top_builddir:-.}/tests/engine
"$engine/unit_reduce" 12 15 || exit
DPR_TEST_EVERY=12 exec "$engine/unit_rows"
