#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Test the OpenCL backend on Intel's own driver without a GPU (intel-mode.sh).
# This shows that the driver accepts the backend's calls on the path of
# cl_intel_unified_shared_memory, and its modules as SPIR-V.  Nothing is
# executed, so results are not tested.
#
# usage: intel-driver.sh [whole]
# Builds a sample of the modules, or with "whole" all of them.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=${top_builddir:-.}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-intel.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

driver=
for file in /usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so \
	/usr/lib64/intel-opencl/libigdrcl.so \
	/usr/lib/intel-opencl/libigdrcl.so; do
	[ -r "$file" ] && driver=$file && break
done
if [ -z "$driver" ]; then
	echo "needs Intel's OpenCL driver (Debian: intel-opencl-icd)"
	exit 77
fi
if [ ! -e "$build/backends/.libs/libdpr-opencl.so" ]; then
	echo "needs the OpenCL backend, which was not built"
	exit 77
fi
mkdir "$tmp/vendors" && echo "$driver" >"$tmp/vendors/intel.icd" || exit 99
OCL_ICD_VENDORS=$tmp/vendors
export OCL_ICD_VENDORS
backend=opencl
whole=
[ "${1-}" = whole ] && whole=yes
. "${top_srcdir:-.}/tests/support/intel-mode.sh"

# The checks of the contract in which nothing is executed.
checks='descriptor info open.again open.longer_host open.options outputs
	devices.contexts devices.clocks memory.kinds memory.sizes
	memory.alignment memory.addresses modules.pick modules.flags
	modules.constants modules.names modules.answers
	events.notify events.many_waiters events.outlives exit.while_busy
	host_alloc'

as skl
if [ -z "$(info name)" ]; then
	cat "$tmp/err"
	echo "needs a driver that works without a GPU; this one does not"
	exit 77
fi
[ "$(info memory_path)" = usm ] ||
	fail "the memory path is $(info memory_path), not usm"
[ "$(info aspect_fp64)" = yes ] || fail "has no fp64"
# shellcheck disable=SC2086 # a list of words
contract $checks
modules spirv 48
modules opencl-c 94

# This GPU has no fp64: a single kernel with fp64 would make its module fail.
as tgllp
[ "$(info aspect_fp64)" = no ] || fail "has fp64"
modules spirv 36

# Two devices.  Recording is slow for a GPU of this size, so only compile.
as pvc HardwareInfoOverride=8x8x8 CreateMultipleRootDevices=2 \
	CreateMultipleSubDevices=2
[ "$("$build/tools/dpr" devices | wc -l)" -eq 2 ] || fail "not two devices"
modules spirv 48
exit $failed
