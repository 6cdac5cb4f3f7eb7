#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of expressions print the same on every CPU, but for its name.
set -u
# shellcheck source=../support/same-output.sh
. "${top_srcdir:-.}/tests/support/same-output.sh"

plain() {
	sed 's/^queue [^ ]* /queue DEVICE /'
}

grep -e '^host:' -e '^opencl:cpu:' "$tmp/devices" >"$tmp/cpus"
for example in black_scholes mandelbrot softmax_regression; do
	for language in '' _cxx; do
		while read -r cpu; do
			compare $example$language "$cpu" $example$language
		done <"$tmp/cpus"
	done
done
finish
