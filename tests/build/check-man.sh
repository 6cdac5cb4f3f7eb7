#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The man pages that doc/reference/man.awk writes: each declared function has a page, each
# page has a short description, a page that another names is there, and mandoc has
# no complaint.
# Also runs Doxygen, if it is installed; its first page leads to all guides.
#
# usage: check-man.sh [DIRECTORY [NAME...]]
# Checks the pages in DIRECTORY, of the functions NAME..., rather than the tree's.
set -u
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-man.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

if [ $# -gt 0 ]; then
	pages=$1
	shift
	printf '%s\n' "$@" >"$tmp/names"
else
	src=${top_srcdir:-.} build=${top_builddir:-.}
	# shellcheck source=../support/declared.sh
	. "$(dirname "$0")/../support/declared.sh"
	gcc --version >/dev/null 2>&1 || {
		echo "needs gcc, which lists the declarations of the headers"
		exit 77
	}
	declared "$src/include:$build/include" "$tmp" |
		grep -o '^dpr_[a-z0-9_]*' >"$tmp/names" || exit 1
	# A build with --disable-doc has no pages.
	pages=$tmp/man3
	mkdir "$pages"
	set -- "$src"/include/dpr/*.h "$build"/include/dpr/*.h
	awk -v dir="$pages" -v version=0 -f "$src/doc/reference/tables.awk" \
		-f "$src/doc/reference/man.awk" "$@" pass=2 "$@"
fi
bad=0
if [ -n "${src:-}" ]; then
	awk -v version=0 -f "$src/doc/reference/topics.awk" \
		"$src/doc/reference/topics.list" "$pages"/*.3 >/dev/null || bad=1
fi

while read -r name; do
	[ -f "$pages/$name.3" ] || {
		echo "$name: has no page"
		bad=1
	}
done <"$tmp/names"

# Descriptions, and the pages that pages name.
for page in "$pages"/*.3; do
	printf '%s\n' "$page"
done | awk -v dir="$pages" '
function complain(text) {
	printf "%s: %s\n", name, text
	bad = 1
}
function wants(page) {
	if (!(page in there))
		there[page] = (getline line < (dir "/" page ".3")) >= 0
	if (!there[page])
		complain("names a page that is not there: " page)
}
{
	file = $0
	name = file
	sub(/.*\//, "", name)
	in_name = 0
	while ((getline s < file) > 0) {
		if (in_name) {
			in_name = 0
			sub(/.* \\- /, "", s)
			if (s == "" || length(s) > 150)
				complain("its description is too short or too long: " s)
			if (s ~ /^(the same|see |its |it )/)
				complain("its description does not stand alone: " s)
			continue
		}
		if (s ~ /^\.SH NAME$/)
			in_name = 1
		if (s ~ /^\.so man3\//) {
			sub(/^\.so man3\//, "", s)
			sub(/\.3$/, "", s)
			wants(s)
		}
		while (match(s, /\\fB[a-z_0-9.-]+\\fR\(3\)|^\.BR [a-z_0-9.-]+ \(3\)/)) {
			link = substr(s, RSTART, RLENGTH)
			s = substr(s, RSTART + RLENGTH)
			gsub(/\\f.|\(3\)|^\.BR | /, "", link)
			wants(link)
		}
	}
	close(file)
}
END { exit bad }' || bad=1

if command -v mandoc >/dev/null 2>&1; then
	# A page without a date, and links by .so, are meant.
	(cd "$pages/.." && mandoc -Tlint -Wwarning "${pages##*/}"/*.3) >"$tmp/lint" 2>&1
	grep -v 'missing date\|\.so is fragile' "$tmp/lint" >"$tmp/complaints" && {
		head -40 "$tmp/complaints"
		bad=1
	}
fi
# Doxygen warns of a member without a comment, too.
if [ -n "${build:-}" ] && command -v doxygen >/dev/null 2>&1; then
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "${MAKE:-make}" -C "$build" html \
		>"$tmp/html" 2>&1 || {
		head -40 "$tmp/html"
		bad=1
	}
	# The first page leads to each page for users.
	for page in "$src"/doc/guide/*.md; do
		name=page_guide_$(basename "$page" .md | tr -c 'a-z0-9\n' _).html
		grep -q "href=\"$name\"" "$build/doc/html/html/index.html" &&
			[ -s "$build/doc/html/html/$name" ] && continue
		echo "doc/html/html/index.html: no link to $name"
		bad=1
	done
fi
[ $bad -eq 0 ] && echo "$(find "$pages" -name '*.3' | wc -l) pages"
exit $bad
