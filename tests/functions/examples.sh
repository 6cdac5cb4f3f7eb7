#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs api_examples, which is about the default device, on host and on OpenCL.  Also
# compiles and runs the program in dpr(7).
set -u
build=${top_builddir:-.} src=${top_srcdir:-.}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-examples.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
ran=no
for device in host opencl; do
	if [ ! -e "$build/backends/.libs/libdpr-$device.so" ]; then
		echo "$device: was not built"
		continue
	fi
	DPR_DEVICE=$device "$build/tests/functions/api_examples"
	case $? in
	0) ran=yes ;;
	77) ;;
	*) echo "api_examples failed with DPR_DEVICE=$device"; exit 1 ;;
	esac
done

[ $ran = yes ] || exit 77

# block N: set code N behind the heading EXAMPLE of dpr(7), as it is shown.
block() {
	awk -v n="$1" '
	/^\.SH EXAMPLE/ { inside = 1 }
	inside && /^\.nf/ { k++; set = 1; next }
	/^\.fi/ { set = 0 }
	set && k == n { gsub(/\\e/, "\\"); gsub(/\\-/, "-"); print }
	' "$src/doc/man/dpr.7"
}
if [ "${dpr_sanitizers:-none}" = none ] && [ -e "$build/.libs/libdpr.so" ]; then
	block 1 >"$tmp/program.c"
	block 2 >"$tmp/expected"
	# CC may be several words.
	# shellcheck disable=SC2086
	${CC:-cc} -Wall -Wextra -Werror -I"$src/include" -I"$build/include" \
		"$tmp/program.c" -o "$tmp/program" -L"$build/.libs" -ldpr || exit 1
	LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
		"$tmp/program" >"$tmp/printed" || exit 1
	cmp "$tmp/expected" "$tmp/printed" || {
		echo "the program in dpr(7) prints:"
		cat "$tmp/printed"
		exit 1
	}
fi
