#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reductions of float32 as kernels in OpenCL C of the shape for GPUs, on PoCL.
unset DPR_TEST_DEVICES
[ -n "${DPR_TEST_ALL-}" ] || {
	DPR_TEST_TURNS=1 DPR_TEST_EVERY=40
	export DPR_TEST_TURNS DPR_TEST_EVERY
}
DPR_TEST_SMALL=1 exec "${top_builddir:-.}/tests/engine/unit_reduce" 12 15 swap
