#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dpr check-plugin finds each planted fault, in the group that is to find it and
# with its rule, and finds nothing in the plugin without a fault.  Each fault is
# looked for in that group alone.
#
# usage: check-plugin-faults.sh [FAULT...]
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
src=${top_srcdir:-.}
build=${top_builddir:-.}
list=$src/tests/kit/faults.txt
plugin=$build/tests/kit/.libs/libdpr-faulty.so
# A sanitizer ends a process by itself where a crash is to be found.
if [ "${dpr_sanitizers:-none}" != none ]; then
	echo "not in a build with sanitizers"
	exit 77
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-kit.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
# Arrays have kernels in native code.
DPR_OPTION_FAULTY_TYPE=cpu
export build plugin tmp DPR_OPTION_FAULTY_TYPE

# A word of the first line says what a process of the loop below is to do.  Many
# faults end in a hang, which is found soon; where another one is to be found, a
# busy machine may need longer.
cat >"$tmp/one" <<'END'
group=$1 fault=$2 word=$3
out=$tmp/$fault
for limit in 4 20; do
	DPR_TEST_FAULT=$fault timeout 180 "$build/tools/dpr" check-plugin \
		--once --timeout $limit --group "$group" "$plugin" >"$out" 2>&1
	status=$?
	grep -qE "\\[$word\\]|got: .*$word" "$out" && break
done
if [ $status != 1 ]; then
	echo "$group: $fault: exit status $status, not 1"
elif ! grep -q "^$group\\..* finding" "$out" ||
	! grep -qE "\\[$word\\]|got: .*$word" "$out"; then
	echo "$group: $fault: found, but not as $word"
	grep -E '\[|got:' "$out" | head -n 4
fi
END

grep -v '^#' "$list" >"$tmp/list"
for f; do
	grep " $f " "$list"
done >"$tmp/some"
[ -s "$tmp/some" ] && mv "$tmp/some" "$tmp/list"
jobs=$(getconf _NPROCESSORS_ONLN)
xargs -r -P "$((jobs + 2))" -L 1 sh "$tmp/one" <"$tmp/list" >"$tmp/bad"

if [ $# = 0 ]; then
	"$build/tools/dpr" check-plugin --timeout 30 "$plugin" \
		>"$tmp/clean" 2>&1 || {
		echo "a finding in the plugin without a fault:"
		grep -v 'clean$' "$tmp/clean"
	} >>"$tmp/bad"
	# Three faults at least for each group.
	"$build/tools/dpr" check-plugin --list | sed -n 's/^\([a-z_]*\):.*/\1/p' |
	while read -r group; do
		[ "$(grep -c "^$group " "$tmp/list")" -ge 3 ] ||
			echo "$group: fewer than three faults in faults.txt"
	done >>"$tmp/bad"
	# Every fault of the plugin is in the list.
	sed -nE 's/^	\{ "([a-z0-9_]+)", [a-z0-9_]+ \},$/\1/p' \
		"$src"/tests/kit/faulty_*.c "$src"/tests/kit/*/faulty_*.c | while read -r fault; do
		grep -q " $fault " "$list" || [ "$fault" = no_magic ] ||
			echo "$fault: not in faults.txt"
	done >>"$tmp/bad"
fi
if [ -s "$tmp/bad" ]; then
	cat "$tmp/bad"
	exit 1
fi
echo "$(wc -l <"$tmp/list") planted faults, all found"
