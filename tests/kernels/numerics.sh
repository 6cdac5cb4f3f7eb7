#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the array functions with NumPy, and tests their rules, on one kind of
# device and one path to its memory.  The scripts numerics-*.sh choose them.
#
# usage: numerics.sh SELECTOR [EVERY]: see api_numerics.c
set -u
tests=${top_builddir:-.}/tests
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-numerics.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

# Two processes, because a driver builds kernels on one core at a time.
"$tests/kernels/api_numerics" "$1" 1 2 "${2:-1}" >"$tmp/log" 2>&1 &
second=$!
"$tests/kernels/api_rules" "$1"
rules=$?
"$tests/kernels/api_numerics" "$1" 0 2 "${2:-1}"
first=$?
wait "$second"
second=$?
cat "$tmp/log"

passed=no
for status in $rules $first $second; do
	case $status in
	0) passed=yes ;;
	77) ;;
	*) exit "$status" ;;
	esac
done
[ "$passed" = yes ] || exit 77
