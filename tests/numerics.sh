#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The array functions against NumPy and their rules, on one kind of device and
# one path to its memory.  numerics-*.sh say which.
#
# usage: numerics.sh SELECTOR
set -u
tests=${top_builddir:-.}/tests
passed=no
for program in api_rules api_numerics; do
	"$tests/$program" "$1"
	status=$?
	case $status in
	0) passed=yes ;;
	77) ;;
	*) exit "$status" ;;
	esac
done
[ "$passed" = yes ] || exit 77
