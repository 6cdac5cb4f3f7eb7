#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the plugin contract on the OpenCL backend's first device.
set -u
build=${top_builddir:-.}
DPR_TEST_BACKENDS=opencl
DPR_BACKEND=opencl
export DPR_TEST_BACKENDS DPR_BACKEND
if [ ! -e "$build/backends/.libs/libdpr-opencl.so" ]; then
	echo "needs the OpenCL backend, which was not built"
	exit 77
fi
if ! "$build/tools/dpr" devices; then
	echo "needs an OpenCL device"
	exit 77
fi
for t in device event life memory module queue; do
	"$build/tests/contract/backend_$t" || exit 1
done
