#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of arrays with OpenCL memory without addresses, as with old
# drivers.  The memory has sub-buffers, and nothing can be bound at some offsets.
set -u
DPR_OPTION_OPENCL_MEMORY=buffer
DPR_BACKEND=opencl
export DPR_OPTION_OPENCL_MEMORY DPR_BACKEND
if [ ! -e "${top_builddir:-.}/backends/.libs/libdpr-opencl.so" ]; then
	echo "needs the OpenCL backend, which was not built"
	exit 77
fi
skipped=yes
for t in api_array api_array_launch api_memory api_view; do
	"${top_builddir:-.}/tests/array/$t"
	case $? in
	0) skipped=no ;;
	77) ;;
	*) echo "$t failed with DPR_OPTION_OPENCL_MEMORY=buffer"; exit 1 ;;
	esac
done
DPR_TEST_DEVICES=opencl:cpu "${top_builddir:-.}/tests/array/api_expression_random"
case $? in
0 | 77) ;;
*) echo "random expressions failed with DPR_OPTION_OPENCL_MEMORY=buffer"
	exit 1 ;;
esac
[ $skipped = no ] || exit 77
