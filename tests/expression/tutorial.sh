#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The steps of the tutorial print the same on every device, in C and in C++.  Those
# that take selectors print the same for each choice of devices.  When a launch fails,
# each step but the first says so and leaves no object behind.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=$(cd "${top_builddir:-.}" && pwd) || exit 99
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-tutorial.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
# The last step writes files.
mkdir "$tmp/run" && cd "$tmp/run" || exit 99

"$build/tools/dpr" devices | sed 's/[[:space:]].*//' >"$tmp/devices" || exit 1
[ -s "$tmp/devices" ] || exit 77
bad=0 runs=0

# Times, names of devices, and the steps of a plan may differ.
plain() {
	sed -e 's/took [0-9]* us/took TIME us/' -e 's/ on [a-z_]*:[a-z]*:.*/ on DEVICE/' \
		-e '/^queue /d' -e '/^ *[0-9][0-9]*  [a-z]/d'
}

# try STEP DEVICE SELECTOR...: the step in both languages, with this default device.
# The first output, without the names of strips, is what all others are compared with.
try() {
	step=$1 device=$2
	shift 2
	for program in "$step" "${step}_cxx"; do
		DPR_DEVICE=$device "$build/examples/tutorial/$program" "$@" \
			>"$tmp/whole" 2>"$tmp/error"
		rc=$?
		plain <"$tmp/whole" | grep -v '^strip ' >"$tmp/out"
		[ -f "$tmp/$step" ] || cp "$tmp/out" "$tmp/$step"
		runs=$((runs + 1))
		if [ $rc != 0 ] || [ ! -s "$tmp/out" ] ||
			! diff "$tmp/$step" "$tmp/out"; then
			echo "$program $* on $device: exit status $rc"
			cat "$tmp/error"
			bad=1
		fi
	done
}

while read -r device; do
	for step in step1 step2 step3 step4 step5 step6 step7 step8; do
		try $step "$device"
	done
	# With each other device.
	while read -r other; do
		[ "$other" = "$device" ] && continue
		try step6 "$device" "$other"
		try step7 "$device" "$device" "$other"
		try step8 "$device" "$other" "$device" "$other"
	done <"$tmp/devices"
done <"$tmp/devices"
# The first step leaves an array behind, as its page says.
for step in step2 step3 step4 step5 step6 step7 step8; do
	for program in "$step" "${step}_cxx"; do
		: >"$tmp/log"
		DPR_LAYERS=fault,handles DPR_FAULT=queue.launch:2 DPR_LOG="warn:$tmp/log" \
			"$build/examples/tutorial/$program" >"$tmp/out" 2>"$tmp/error"
		rc=$?
		if [ $rc != 1 ] || ! grep -q "^$program: .*DPR_FAULT" "$tmp/error" ||
			[ -s "$tmp/log" ]; then
			echo "$program without its second launch: exit status $rc"
			cat "$tmp/error" "$tmp/log"
			bad=1
		fi
	done
done
echo "$runs runs"
exit $bad
