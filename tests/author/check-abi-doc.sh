#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/abi.md says what each version of the interface of plugins has added, and NEWS
# names the same versions.
#
# usage: check-abi-doc.sh [DOCUMENT [NEWS]]
set -u
src=${top_srcdir:-.}
doc=${1:-$src/doc/abi.md}
news=${2:-$src/NEWS}
list=$src/tests/author/abi_plugin.def
frozen=$src/tests/fixtures/backend-1.0/abi_plugin.def
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-abi.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0

fail() {
	echo "$*"
	bad=1
}

minor=$(sed -n 's/^#define DPRP_ABI_MINOR \([0-9]*\).*/\1/p' \
	"$src/include/dpr/backend.h")
[ -n "$minor" ] || fail "backend.h has no DPRP_ABI_MINOR"
i=0
while [ "$i" -le "${minor:-0}" ]; do
	grep -q "^| 1\.$i |" "$doc" || fail "$doc: no row for version 1.$i"
	grep -q "^\*\*1\.$i\*\*" "$doc" ||
		fail "$doc: nothing on what version 1.$i has"
	grep -q "Version 1\.$i" "$news" || fail "$news: no version 1.$i"
	i=$((i + 1))
done

# The versions that the table has as frozen are those with a header in fixtures.
sed -n 's/^| \(1\.[0-9]*\) |.*| frozen |$/\1/p' "$doc" >"$tmp/told"
for folder in "$src"/tests/fixtures/backend-*; do
	echo "${folder##*-}"
done >"$tmp/kept"
cmp -s "$tmp/told" "$tmp/kept" ||
	fail "$doc: frozen are $(tr '\n' ' ' <"$tmp/kept")and no others"

# Every name that came after 1.0 is in the document, or one of a group NAME_*.
# Members of a new struct come with it.
names() {
	sed -n -e 's/^[SK](\([A-Za-z0-9_]*\),.*/\1/p' \
		-e 's/^M(\([a-z0-9_]*\), \([a-z0-9_]*\),.*/\1.\2/p' "$1" |
		LC_ALL=C sort
}
names "$frozen" >"$tmp/old"
names "$list" >"$tmp/new"
LC_ALL=C comm -13 "$tmp/old" "$tmp/new" >"$tmp/added"
[ -s "$tmp/added" ] || [ "$minor" = 0 ] || fail "no name was added since 1.0"
while read -r name; do
	grep -qxF "${name%.*}" "$tmp/added" && [ "${name%.*}" != "$name" ] &&
		continue
	grep -qF "\`$name\`" "$doc" && continue
	grep -qF "\`${name%_*}_*\`" "$doc" && continue
	grep -qF "\`${name%_*_*}_*\`" "$doc" && continue
	fail "$doc: $name is not in it"
done <"$tmp/added"

[ $bad = 0 ] && echo "$(wc -l <"$tmp/added") additions since 1.0, all in abi.md"
exit $bad
