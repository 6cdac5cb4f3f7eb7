#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of expressions print the same on every CPU, but for its name.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
build=${top_builddir:-.}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-examples.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

"$build/tools/dpr" devices | sed 's/[[:space:]].*//' >"$tmp/all" || exit 1
grep -e '^host:' -e '^opencl:cpu:' "$tmp/all" >"$tmp/devices"
bad=0 runs=0
for name in black_scholes mandelbrot softmax_regression; do
	for program in $name ${name}_cxx; do
		while read -r device; do
			DPR_DEVICE=$device "$build/examples/$program" \
				>"$tmp/whole" 2>"$tmp/error"
			rc=$?
			sed 's/^queue [^ ]* /queue DEVICE /' "$tmp/whole" \
				>"$tmp/out"
			[ -f "$tmp/$program" ] || cp "$tmp/out" "$tmp/$program"
			runs=$((runs + 1))
			if [ $rc != 0 ] || [ ! -s "$tmp/out" ] ||
				! diff "$tmp/$program" "$tmp/out"; then
				echo "$program on $device: exit status $rc"
				cat "$tmp/error"
				bad=1
			fi
		done <"$tmp/devices"
	done
done
echo "$runs runs"
[ $runs -gt 0 ] || exit 77
exit $bad
