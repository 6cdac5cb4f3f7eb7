#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the array functions with NumPy, and tests their rules, on one kind of
# device and one path to its memory.  The scripts numerics-*.sh choose them.
#
# usage: numerics.sh SELECTOR [CHOICE [CASE...]]: see api_numerics.c; of api_rules
# these cases, or all
set -u
tests=${top_builddir:-.}/tests
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-numerics.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

selector=$1 choice=${2:-all}
shift
[ $# = 0 ] || shift

# Two processes, because a driver builds kernels on one core at a time.
"$tests/kernels/api_numerics" "$selector" 1 2 "$choice" >"$tmp/log" 2>&1 &
second=$!
rules=
if [ $# = 0 ]; then
	"$tests/kernels/api_rules" "$selector"
	rules=$?
fi
for case; do
	CK_RUN_CASE=$case "$tests/kernels/api_rules" "$selector"
	rules="$rules $?"
done
"$tests/kernels/api_numerics" "$selector" 0 2 "$choice"
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
