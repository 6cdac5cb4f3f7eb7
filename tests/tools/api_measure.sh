#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program "measure" has each file of tools/bench/programs as a program, and
# passes arguments and exit statuses on.  No figure is tested.
set -u
me=api_measure
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"
dpr=${top_builddir:-.}/tools/bench/programs/measure

run 0
says out 'usage: measure NAME'
silent err
LC_ALL=C ls "${top_srcdir:-.}/tools/bench/programs" | sed -n 's/\.c$//p' |
	grep -v '^measure$' >"$tmp/files"
sed -n 's/^  \([a-z_]*\) .*/\1/p' "$tmp/out" >"$tmp/names"
cmp -s "$tmp/files" "$tmp/names" ||
	complain "other programs than files: $(cat "$tmp/files")"

run 2 nothing
says err 'measure: nothing: there is no such program'
silent out

# The program that is named gets the arguments behind its name.
for name in by_hand by_indices fused heat_by_hand native_images rows \
	rows_by_hand; do
	run 2 $name host 0
	says err "usage: measure $name ["
done
run 2 turns
says err 'usage: measure turns '
run 1 fused nonsense 1 1
says err 'fused: '
if "${top_builddir:-.}/tools/dpr" devices host >/dev/null 2>&1; then
	run 0 rows host 1 1
	says out softmax
	run 0 trace_cost 2
	silent out
fi
finish "$(wc -l <"$tmp/names") programs"
