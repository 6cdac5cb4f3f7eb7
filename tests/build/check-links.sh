#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each link of the pages (*.md) in a folder leads to a file that is there.
#
# usage: check-links.sh [DIRECTORY]    by default the documentation that
#                                      "make install" would deliver
set -u
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-links.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

dir=${1-}
if [ -z "$dir" ]; then
	# shellcheck disable=SC2154 # comes from the test environment
	docdir=$(sed -n 's/^docdir = //p' "$top_builddir/Makefile")
	dir=$tmp/doc
	"${MAKE:-make}" -C "$top_builddir" install-pages install-dist_docDATA \
		"docdir=$dir" DESTDIR= >"$tmp/log" 2>&1 || {
		echo "FAIL: the pages of $docdir cannot be installed:"
		cat "$tmp/log"
		exit 1
	}
fi

find "$dir" -name '*.md' >"$tmp/pages"
if [ ! -s "$tmp/pages" ]; then
	echo "FAIL: no page in $dir"
	exit 1
fi
bad=0 links=0
while read -r page; do
	awk '/^(```|~~~)/ { code = !code } !code' "$page" |
		grep -oE '\[[^][]+\]\([^() ]+\)' | sed 's/.*](\(.*\))/\1/' |
		grep -Ev '^([a-z]+:|#)' | sed 's/#.*//' >"$tmp/targets"
	while read -r target; do
		links=$((links + 1))
		[ -e "${page%/*}/$target" ] && continue
		echo "${page#"$dir"/}: a link to $target, which is not there"
		bad=1
	done <"$tmp/targets"
done <"$tmp/pages"
[ $bad -eq 0 ] && echo "$(wc -l <"$tmp/pages") pages, $links links"
exit $bad
