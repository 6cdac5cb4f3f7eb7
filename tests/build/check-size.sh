#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an installation takes on disk, by part: the library, the plugins and the
# tool, stripped.  Prints the bytes, and fails above the limit.  SPIR-V and PTX
# take more where the build does not deflate them.
#
# usage: check-size.sh [LIMIT [FILE...]]
set -u
limit=${1:-5250000}
# shellcheck disable=SC2154 # comes from the test environment
if [ $# -gt 0 ]; then
	shift
elif grep -q '^#define EMBED_DEFLATED' "$top_builddir/config.h"; then
	limit=4600000
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-size.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

if ! strip --version >/dev/null 2>&1; then
	echo "needs strip"
	exit 77
fi
# The limit is that of the usual build on the usual machine.
# shellcheck disable=SC2154 # comes from the test environment
if [ $# -eq 0 ]; then
	if [ "$(uname -m)" != x86_64 ]; then
		echo "needs a build for x86_64"
		exit 77
	fi
	if ! grep -q '^CFLAGS = .*-O2' "$top_builddir/Makefile"; then
		echo "needs a build with -O2"
		exit 77
	fi
	set -- "$top_builddir/.libs/libdpr.so" \
		"$top_builddir"/backends/.libs/libdpr-*.so \
		"$top_builddir/tools/.libs/dpr" "$top_builddir/tools/dpr"
fi

sum=0
for file; do
	[ -e "$file" ] || continue
	# In a build with libtool, tools/dpr may be a script.
	strip -o "$tmp/stripped" "$file" 2>/dev/null || continue
	size=$(wc -c <"$tmp/stripped")
	sum=$((sum + size))
	printf '%9d %s\n' "$size" "${file##*/}"
	# The largest parts of it.
	size -A "$file" | awk '$2 + 0 >= 100000 && $1 !~ /^\.debug|^Total/ {
		printf "%19d %s\n", $2, $1 }'
done
printf '%9d in all, of at most %d\n' "$sum" "$limit"
if [ "$sum" -eq 0 ]; then
	echo "nothing was built"
	exit 1
fi
[ "$sum" -le "$limit" ]
