#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the Level Zero backend on Intel's own driver, without a GPU
# (intel-mode.sh): the driver compiles every module of the array kernels, also
# for a device without fp64, and accepts our calls.  Other tests check results.
#
# usage: intel-level-zero.sh [whole]: compiles a sample of the modules, or all.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=${top_builddir:-.}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-intel.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

found=
for file in /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib; do
	[ -r "$file/libze_intel_gpu.so.1" ] && found=yes
done
if [ -z "$found" ]; then
	echo "needs Intel's Level Zero driver (Debian: intel-opencl-icd)"
	exit 77
fi
if [ ! -e "$build/backends/.libs/libdpr-level_zero.so" ]; then
	echo "needs the Level Zero backend, which was not built"
	exit 77
fi
backend=level_zero
whole=
[ "${1-}" = whole ] && whole=yes
. "${top_srcdir:-.}/tests/support/intel-mode.sh"

# The checks of the plugin contract in which nothing is executed.
checks='descriptor info open.again open.longer_host open.options outputs
	devices.contexts devices.clocks memory.kinds memory.sizes
	memory.alignment memory.addresses modules.pick modules.flags
	modules.constants modules.names modules.answers'

# programs: test how the driver applies build flags and constants.
programs() {
	"$build/tests/level_zero/api_ze_intel" >"$tmp/out" 2>&1 || {
		cat "$tmp/out"
		fail "api_ze_intel"
	}
}

# offline DEVICE: compile the same images with Intel's compiler alone.
offline() {
	if ! command -v ocloc >/dev/null; then
		echo "without ocloc, which is not installed"
		return
	fi
	count=0
	for image in "$tmp"/images/*; do
		[ -e "$image" ] || break
		ocloc compile -q -spirv_input -file "$image" -device "$1" \
			-out_dir "$tmp/ocloc" >"$tmp/out" 2>&1 || {
			cat "$tmp/out"
			fail "ocloc does not compile $(basename "$image")"
		}
		count=$((count + 1))
	done
	echo "ocloc compiles $count modules for $1"
}

as skl
if [ -z "$(info name)" ]; then
	cat "$tmp/err"
	echo "needs a driver that works without a GPU; this one does not"
	exit 77
fi
[ "$(info aspect_fp64)" = yes ] || fail "has no fp64"
# shellcheck disable=SC2086 # a list of words
contract $checks
programs
modules spirv 48
offline skl

# A device without fp64: one kernel that uses it would fail its whole module.
as tgllp
[ "$(info aspect_fp64)" = no ] || fail "has fp64"
# shellcheck disable=SC2086 # a list of words
contract $checks
programs
modules spirv 36
offline tgllp

# Two devices with two tiles each.
as pvc HardwareInfoOverride=8x8x8 CreateMultipleRootDevices=2 \
	CreateMultipleSubDevices=2
[ "$("$build/tools/dpr" devices | wc -l)" -eq 2 ] || fail "not two devices"
for tile in 0.0 0.1 1.0 1.1; do
	"$build/tools/dpr" devices "level_zero:$tile" >"$tmp/out" 2>&1 || {
		cat "$tmp/out"
		fail "no tile $tile"
	}
done
"$build/tools/dpr" devices level_zero:0.2 >"$tmp/out" 2>&1 &&
	fail "a third tile"
# The case "partition" would run a kernel on a tile.
# shellcheck disable=SC2086 # a list of words
contract $checks
programs
modules spirv 48
offline pvc
exit $failed
