#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The guides, the tutorial and other pages for users show what is so:
#
# - A block of C or C++ is a file of examples/, or a part of such a file.  make
#   compiles the file, and the comment above the block names the file.  `other` marks
#   a program that is not dpr's.
# - A name dpr_x, DPR_X or dpr::x in the text is declared by a header, or is a
#   variable.  A file that the text names or links to is there.
# - No sentence has more than two of the pronouns that comments.sh counts.
# - doc/guide/guides.list has each page of its folder, and each program of
#   examples/guide, examples/porting and examples/tutorial is on some page.
#
# run-guide.sh runs the sessions of a page.
#
# usage: check-guide.sh [SOURCE-DIRECTORY BUILD-DIRECTORY [PAGE...]]
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 99
# shellcheck disable=SC2154 # both come from the test environment
tree=${1:-$top_srcdir} build=${2:-$top_builddir}
[ $# -lt 2 ] || shift 2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-guide.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
CC=${CC:-cc}
: >"$tmp/bad"

# CC may be several words.
compile() {
	# shellcheck disable=SC2086
	$CC "$@"
}

# What headers declare, of C as the preprocessor leaves it; the classes and functions
# of dpr.hpp; variables of the library; macros of the build.
for h in "$tree"/include/dpr/*.h "$build"/include/dpr/*.h; do
	[ ! -e "$h" ] || printf '#include <dpr/%s>\n' "${h##*/}"
done >"$tmp/all.c"
compile -E -dD -D_GNU_SOURCE "-I$tree/include" "-I$build/include" "$tmp/all.c" \
	>"$tmp/all.i" 2>"$tmp/log" || {
	echo "FAIL: the headers cannot be read"
	cat "$tmp/log"
	exit 1
}
{
	cat "$tmp/all.i"
	sed -n 's/^	X(\([A-Z_]*\),.*/DPR_\1/p' "$tree/core/base/env.h"
	grep -h 'DPR_OPTION_' "$tree/doc/man/dpr.1"
	cat "$tree"/cmake/*.in "$tree"/m4/dpr*.m4
} 2>/dev/null | tr -cs 'A-Za-z0-9_' '\n' |
	grep -E '^(dpr|DPR|DPRH|DPRP)_' | sort -u >"$tmp/names"
for h in "$tree"/include/dpr/*.hpp; do
	[ ! -e "$h" ] || sed -e 's|//.*||' -e 's|/\*.*\*/||' "$h"
done | tr -cs 'A-Za-z0-9_' '\n' | sort -u | sed 's/^/dpr::/' >>"$tmp/names"
echo dpr:: >>"$tmp/names"

# check_page PAGE: its name from the source folder.
check_page() {
	if [ ! -f "$tree/$1" ]; then
		echo "$1: there is no such page"
		return
	fi
	awk -v tree="$tree" -v build="$build" -v page="$1" -v prose="$tmp/prose.sh" \
		-f "$here/guide-rules.awk" "$tmp/names" "$tree/$1"
	LC_ALL=C awk -v limit=2 -f "$here/comments.awk" "$tmp/prose.sh" |
		awk -F '\t' -v page="$1" '{
			sub(/.*:/, "", $2)
			print page ":" $2 ": " $1 " pronouns: " $3
		}'
}

# Pages and programs that nobody would find.
check_lists() {
	sed '/^#/d' "$tree/doc/guide/guides.list" >"$tmp/listed"
	(cd "$tree" && ls doc/guide/*.md) | grep -v '/index\.md$' |
		sed 's|^doc/guide/||' | while read -r name; do
		grep -qxF "$name" "$tmp/listed" ||
			echo "doc/guide/guides.list: $name is missing"
		[ ! -f "$tree/doc/guide/index.md" ] ||
			grep -qF "($name)" "$tree/doc/guide/index.md" ||
			echo "doc/guide/index.md: no link to $name"
	done
	while read -r name; do
		[ -f "$tree/doc/guide/$name" ] ||
			echo "doc/guide/guides.list: there is no $name"
	done <"$tmp/listed"
	(cd "$tree" && find examples/guide examples/porting examples/tutorial -type f 2>/dev/null) |
		grep -v '\.mk$' | while read -r name; do
		# shellcheck disable=SC2046 # pages have no blanks in their names
		(cd "$tree" && grep -qE "^<!-- (file|part|copy): ${name}[ a-z0-9_]* -->" \
			$(cat "$tmp/pages")) || echo "$name: no page shows it"
	done
}

if [ $# -gt 0 ]; then
	printf '%s\n' "$@" >"$tmp/pages"
else
	(cd "$tree" && find README.md doc/guide doc/porting -name '*.md' 2>/dev/null) |
		LC_ALL=C sort >"$tmp/pages"
	check_lists >>"$tmp/bad"
fi
while read -r page; do
	check_page "$page" >>"$tmp/bad"
done <"$tmp/pages"

if [ -s "$tmp/bad" ]; then
	cat "$tmp/bad"
	echo "check-guide: $(wc -l <"$tmp/bad") objections"
	exit 1
fi
echo "check-guide: $(wc -l <"$tmp/pages") pages"
