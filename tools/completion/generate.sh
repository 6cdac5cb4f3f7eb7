#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the completion script of a shell for the program dpr, from what the program
# says about itself: its commands and their options, array functions, rows of dpr
# bench, groups of dpr check-plugin; and from the aspects in a header.
#
# usage: generate.sh bash|zsh|fish DPR dpr/info.h
#
# AWK is the awk to use.
set -eu
shell=$1 dpr=$2 header=$3
here=$(dirname "$0")

describe() {
	sed -n 's/.*X(ASPECT_\([A-Z0-9_]*\),.*/@aspect \1/p' "$header" |
		tr '[:upper:]' '[:lower:]'
	"$dpr" bench --list | sed -n 's/^\([a-z0-9_.-]*\) .*/@row \1/p'
	"$dpr" check-plugin --list |
		sed -n -e 's/^\([a-z_]*\): .*/@group \1/p' \
			-e 's/^  *\([a-z_]*\.[a-z0-9_]*\)$/@group \1/p'
	echo '@help'
	"$dpr" help
	"$dpr" help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p' |
		while read -r name; do
			echo "@command $name"
			"$dpr" help "$name"
		done
}

describe | "${AWK:-awk}" -v "template=$here/dpr.$shell" \
	-f "$here/parse.awk" -f "$here/$shell.awk"
