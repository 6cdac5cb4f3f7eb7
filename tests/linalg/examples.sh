#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of linear algebra print the same on every device, in C and in C++.
set -u
# shellcheck source=../support/same-output.sh
. "${top_srcdir:-.}/tests/support/same-output.sh"

plain() {
	cat
}

for step in kalman pca ridge; do
	while read -r each; do
		for language in '' _cxx; do
			compare $step "$each" "linalg/$step$language"
			[ $rc != 77 ] || exit 77
		done
	done <"$tmp/devices"
done
finish
