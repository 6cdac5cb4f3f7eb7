#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The steps of the tutorial print the same on every device, in C and in C++.  Those
# that take selectors print the same for each choice of devices.  When a launch fails,
# each step but the first says so and leaves no object behind.
set -u
# shellcheck source=../support/same-output.sh
. "${top_srcdir:-.}/tests/support/same-output.sh"
# The last step writes files.
mkdir "$tmp/run" && cd "$tmp/run" || exit 99

# Times, names of devices and strips, and the steps of a plan may differ.
plain() {
	sed -e 's/took [0-9]* us/took TIME us/' -e 's/ on [a-z_]*:[a-z]*:.*/ on DEVICE/' \
		-e '/^queue /d' -e '/^ *[0-9][0-9]*  [a-z]/d' -e '/^strip /d'
}

# try STEP DEVICE SELECTOR...: the step in both languages, with this default device.
try() {
	step=$1 default=$2
	shift 2
	for language in '' _cxx; do
		compare "$step" "$default" "tutorial/$step$language" "$@"
	done
}

while read -r first; do
	for each in step1 step2 step3 step4 step5 step6 step7 step8; do
		try $each "$first"
	done
	# With each other device.
	while read -r other; do
		[ "$other" = "$first" ] && continue
		try step6 "$first" "$other"
		try step7 "$first" "$first" "$other"
		try step8 "$first" "$other" "$first" "$other"
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
finish
