#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of linear algebra print the same on every device, in C and in C++.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=${top_builddir:-.}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-examples.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

"$build/tools/dpr" devices | sed 's/[[:space:]].*//' >"$tmp/devices" || exit 1
bad=0 runs=0
for name in kalman pca ridge; do
	while read -r device; do
		for program in $name ${name}_cxx; do
			DPR_DEVICE=$device "$build/examples/linalg/$program" \
				>"$tmp/out" 2>"$tmp/error"
			rc=$?
			if [ $rc = 77 ]; then
				cat "$tmp/error"
				exit 77
			fi
			[ -f "$tmp/$name" ] || cp "$tmp/out" "$tmp/$name"
			runs=$((runs + 1))
			if [ $rc != 0 ] || [ ! -s "$tmp/out" ] ||
				! diff "$tmp/$name" "$tmp/out"; then
				echo "$program on $device: exit status $rc"
				cat "$tmp/error"
				bad=1
			fi
		done
	done <"$tmp/devices"
done
echo "$runs runs"
[ $runs -gt 0 ] || exit 77
exit $bad
