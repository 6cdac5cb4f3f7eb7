#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Products of matrices and linear algebra on an OpenCL driver of the CPU: by the
# CPU's libraries, with each kind of memory; and without them.  Then products are
# dpr's own, and LAPACK runs in host memory, as for a GPU.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=${top_builddir:-.}
if [ ! -e "$build/backends/.libs/libdpr-opencl.so" ]; then
	echo "needs the OpenCL backend, which was not built"
	exit 77
fi
ran=0

# run NAME=VALUE... TEST: with these variables.
run() {
	echo "$*:"
	env "$@"
	case $? in
	0) ran=$((ran + 1)) ;;
	77) ;;
	*)
		echo "$*: failed"
		exit 1 ;;
	esac
}

for memory in svm-coarse buffer; do
	for test in functions/api_matmul linalg/api_linalg \
		linalg/api_linalg_calls; do
		run DPR_BACKEND=opencl DPR_OPTION_OPENCL_MEMORY=$memory \
			"$build/tests/$test"
	done
	# Without a device the status is 2.
	env DPR_OPTION_OPENCL_MEMORY=$memory "$build/tools/dpr" check-plugin \
		--selector cpu --group calls \
		"$build/backends/.libs/libdpr-opencl.so"
	[ $? -ne 1 ] || exit 1
done
run DPR_OPTION_OPENCL_BLAS=none "$build/tests/functions/api_products"
# What no device has runs on the host backend.
run DPR_OPTION_OPENCL_LAPACK=none "$build/tests/linalg/api_linalg"
run DPR_OPTION_OPENCL_LAPACK=none "$build/tests/linalg/api_linalg_calls"
run DPR_BACKEND=opencl,host DPR_OPTION_OPENCL_NATIVE=no \
	"$build/tests/linalg/api_linalg_calls"
[ $ran -gt 0 ] || exit 77
