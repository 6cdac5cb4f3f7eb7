#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each file that git tracks goes into the release tarball.
set -u
# shellcheck disable=SC2154 # both come from the test environment
src=$top_srcdir build=$top_builddir
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-dist.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL

if ! git -C "$src" rev-parse --git-dir >/dev/null 2>&1 ||
	[ ! -e "$src/.git" ]; then
	echo "not a checkout"
	exit 77
fi

# A makefile of our own includes the real one.  It prints the files that "make
# dist" would pack, and the name of the source folder.  This name may be a
# relative path.
# shellcheck disable=SC2016 # make expands it
printf 'include Makefile\nprint-dist:\n\t@printf "%%s\\n" srcdir=$(srcdir) $(DISTFILES)\n' |
	${MAKE:-make} -s -C "$build" -f - print-dist >"$tmp/make" || exit 1
srcdir=$(sed -n 's/^srcdir=//p' "$tmp/make")
while read -r f; do
	printf '%s\n' "${f#"$srcdir"/}"
done <"$tmp/make" | sed -e 's|^\./||' -e 's|.*/\.\./||' | sort -u >"$tmp/packed"

# What only a checkout has a use for.
git -C "$src" ls-files | grep -Ev '^\.git(ignore|attributes)$' |
	sort >"$tmp/tracked"

bad=0
while read -r f; do
	grep -qxF "$f" "$tmp/packed" && continue
	# A whole folder may be packed.
	dir=$f found=no
	while [ "$dir" != "${dir%/*}" ]; do
		dir=${dir%/*}
		grep -qxF "$dir" "$tmp/packed" && found=yes
	done
	[ $found = yes ] && continue
	echo "$f is not in the tarball"
	bad=1
done <"$tmp/tracked"
[ $bad -eq 0 ] && echo "$(wc -l <"$tmp/tracked") files"
exit $bad
