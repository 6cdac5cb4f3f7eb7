#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels in OpenCL C, which are for GPUs, on PoCL: of elementwise functions,
# reductions, rows and products of matrices, in float32 and some other dtypes.  A
# sample, since PoCL compiles each kernel; with DPR_TEST_ALL=1 more of them.
set -u
tests=${top_builddir:-.}/tests
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-shape.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
[ -n "${DPR_TEST_ALL-}" ] || {
	DPR_TEST_TURNS=1 DPR_TEST_EVERY=40
	export DPR_TEST_TURNS DPR_TEST_EVERY
}
DPR_OPTION_OPENCL_NATIVE=no DPR_TEST_SMALL=1 DPR_TEST_DEVICES=opencl:cpu
export DPR_OPTION_OPENCL_NATIVE DPR_TEST_SMALL DPR_TEST_DEVICES
. "${top_srcdir:-.}/tests/support/jobs.sh"

"$tests/kernels/unit_shapes" >"$tmp/log"
status=$?
cat "$tmp/log"
[ $status = 0 ] || exit $status
job "$tests/expression/api_bits"
job "$tests/expression/api_index_texts"
job "$tests/expression/api_one_read"
job "$tests/expression/api_slices"
job env CK_RUN_CASE=part "$tests/functions/api_matmul"
[ -z "${DPR_TEST_ALL-}" ] ||
	job env CK_RUN_CASE=parts "$tests/functions/api_matmul"
job "$tests/engine/unit_reduce" 12 15
job env DPR_TEST_EVERY=12 "$tests/engine/unit_rows"
all_of_them
