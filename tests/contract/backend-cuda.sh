#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the plugin contract on the CUDA backend: on a mock of the
# driver and, if there is one, on a GPU.
set -u
build=${top_builddir:-.}
mock=$build/tests/cuda/driver/.libs
DPR_TEST_BACKENDS=cuda
DPR_BACKEND=cuda
export DPR_TEST_BACKENDS DPR_BACKEND
if [ ! -e "$build/backends/.libs/libdpr-cuda.so" ]; then
	echo "needs the CUDA backend, which was not built"
	exit 77
fi

# The mock runs some kernels by name, given as PTX.  Left out are the two cases
# about local memory as an argument, which PTX has not.
cases='device
event
life
memory
queue
module pick
module bad image
module flags
module constants
module wrong arguments
module ranges
module no items
module binary'
if [ -e "$mock/libcuda.so.1" ]; then
	printf '%s\n' "$cases" | while read -r program name; do
		LD_LIBRARY_PATH=$mock${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
			env DPR_TEST_PTX=1 ${name:+"CK_RUN_CASE=$name"} \
			"$build/tests/contract/backend_$program" || exit 1
	done || exit 1
else
	echo "without the mock of CUDA's driver, which was not built"
fi

if ! "$build/tools/dpr" devices; then
	echo "without a GPU"
	exit 0
fi
failed=0
for t in device event life memory module queue; do
	"$build/tests/contract/backend_$t" || failed=1
done
exit $failed
