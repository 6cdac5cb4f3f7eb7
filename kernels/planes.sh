#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Write a file of 32-bit words in planes: byte 0 of each word, then byte 1 of each,
# and so on.  SPIR-V deflates better so, because high bytes are mostly 0.  Only
# programs of POSIX are used, because the build may be for another machine.
#
# usage: planes.sh FILE
# Environment: AWK
set -eu

tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-planes.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
# A line has 16 bytes, so each line begins with byte 0 of a word.
od -An -v -to1 <"$1" >"$tmp/bytes"
for plane in 1 2 3 4; do
	"${AWK:-awk}" -v plane=$plane '
		{ for (i = plane; i <= NF; i += 4) line = line "\\" $i }
		NR % 64 == 0 { print line; line = "" }
		END { print line }' "$tmp/bytes"
done >"$tmp/planes"
while read -r bytes; do
	# shellcheck disable=SC2059 # the bytes are a format
	printf "$bytes"
done <"$tmp/planes"
