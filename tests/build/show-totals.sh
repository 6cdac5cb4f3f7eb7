#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# After "make check": what each Check program counted, their sum, and
# Automake's totals, from the logs of a build folder.
#
# usage: show-totals.sh [BUILD-DIRECTORY]
set -u
cd "${1:-.}" || exit 1

find tests examples doc -name '*.log' 2>/dev/null | sort | while read -r log; do
	awk -v name="${log%.log}" '
		/^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/ {
			printf "%-40s %s\n", name, $0
		}' "$log"
done | awk '
	{ print; checks += $4; failures += $6; errors += $8 }
	END {
		printf "Check: %d checks, %d failures, %d errors\n",
			checks, failures, errors
	}'

# The result is the last of a .trs file's lines of that name.
find tests examples doc -name '*.trs' 2>/dev/null | while read -r trs; do
	sed -n 's/^:global-test-result: *//p' "$trs" | tail -n 1
done | awk '
	{ n[$1]++ }
	END {
		printf "Automake: %d tests, %d passed, %d skipped, ",
			NR, n["PASS"], n["SKIP"]
		printf "%d failed, %d errors\n", n["FAIL"] + n["XPASS"],
			n["ERROR"]
	}'
