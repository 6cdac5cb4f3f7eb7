#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a machine can say about how the tree reads: the licence line, unique
# file names, sizes of files and functions, sentences of comments, no left-overs;
# and shellcheck over the scripts, where it is installed.
#
# usage: check-style.sh [SOURCE-DIRECTORY]
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 99
cd "${1:-${top_srcdir:-.}}" || exit 99
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-style.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
: >"$tmp/bad"

bad() {
	printf '%s\n' "$*" | tee -a "$tmp/bad"
}

# Folders of ours, less what autoreconf and "make dist" put there and what is kept
# of a released header, and files at the top.
find include core backends kernels tools examples tests doc m4 cmake \
	.ci -type f 2>/dev/null | grep -Ev '^m4/(libtool|lt[~a-z]*)\.m4$' |
	grep -Ev '__pycache__|^tests/fixtures/backend-1\.0/|^kernels/templates\.(def|ptx)$|^(tests/fixtures|examples/data)/[^.]*\.(txt|csv|json)$|\.(npy|npz|bin|xz|tsv|svg)$' >"$tmp/files"
for f in configure.ac Makefile.am README.md HACKING.md quickstart autogen.sh \
	dpr.pc.in dpr-backend.pc.in; do
	[ -f "$f" ] && printf '%s\n' "$f" >>"$tmp/files"
done
sort -o "$tmp/files" "$tmp/files"

# Configured headers in a build inside the source tree have the line too.
xargs awk '
	FNR == 1 { if (file && !licensed) print file ": no SPDX line in its first three"
		file = FILENAME; licensed = 0 }
	FNR <= 3 && /SPDX-License-Identifier: Apache-2\.0/ { licensed = 1 }
	/(^|[^A-Za-z])(TODO|FIXME|XXX)([^A-Za-z]|$)/ &&
		FILENAME !~ /^tests\/.*\/check-[^\/]*\.sh$|^HACKING\.md$/ {
		print FILENAME ":" FNR ":" $0
	}
	END { if (file && !licensed) print file ": no SPDX line in its first three" }
' <"$tmp/files" >"$tmp/hits" || bad 'the files cannot be read'
while read -r line; do
	bad "$line"
done <"$tmp/hits"

grep -E '\.[ch]$' "$tmp/files" >"$tmp/code"
# A header of core may have the same name as the public header that it serves.
grep -v '^include/' "$tmp/code" | sed 's|.*/||' | sort | uniq -d >"$tmp/twice"
while read -r name; do
	bad "$name: more than one file has this name"
done <"$tmp/twice"

# More than this in a folder, and no file is found at a glance.
grep '\.c$' "$tmp/code" | sed 's|/[^/]*$||' | sort | uniq -c |
	awk '$1 > 20 { print $2 ": " $1 " .c files, at most 20" }' >"$tmp/full"
while read -r line; do
	bad "$line"
done <"$tmp/full"

# A brace in the first column opens and closes a function.
LC_ALL=C.UTF-8 xargs awk '
	function columns(line,   n, i, part, parts) {
		if (!index(line, "\t"))
			return length(line)
		parts = split(line, part, "\t")
		for (i = 1; i < parts; i++)
			n = (int((n + length(part[i])) / 8) + 1) * 8
		return n + length(part[parts])
	}
	function finish() {
		if (lines > 800 && file ~ /\.c$/)
			printf "%s: %d lines\n", file, lines
	}
	FNR == 1 { finish(); file = FILENAME; start = 0 }
	{ lines = FNR }
	length($0) > 12 && columns($0) > 100 && !/https?:/ {
		printf "%s:%d: %d columns\n", FILENAME, FNR, columns($0)
	}
	/^\{/ { start = FNR }
	/^\}/ && start {
		if (FNR - start - 1 > 60)
			printf "%s:%d: a function of %d lines\n", FILENAME,
				start, FNR - start - 1
		start = 0
	}
	/[ \t]$/ { printf "%s:%d: blanks at the end\n", FILENAME, FNR }
	END { finish() }
' <"$tmp/code" >"$tmp/long" || bad 'the files cannot be read'
while read -r f; do
	[ -z "$(tail -c 1 "$f")" ] || echo "$f: no newline at the end"
done <"$tmp/code" >>"$tmp/long"
while read -r line; do
	bad "$line"
done <"$tmp/long"

# A debugger and an index of names show one struct for a name.  Each backend has
# its own of the opaque types of backend.h.
grep -E '^(core|backends|kernels|include)/' "$tmp/code" |
	xargs grep -hoE '^(static |const |typedef )*struct [a-z_0-9]+ \{' /dev/null |
	sed 's/.*struct \(.*\) {/\1/' | grep -v '^dprp_' | sort | uniq -d \
	>"$tmp/structs"
while read -r name; do
	bad "struct $name: more than one struct has this name"
done <"$tmp/structs"

# References of the core are counted in one way, in the memory order of refs.h.
grep '^core/' "$tmp/code" | grep -v '^core/base/refs\.h$' |
	xargs grep -nE '(atomic_[a-z]+|_Atomic) .*\<refs;|atomic_[a-z_]+\(&[^,]*\<refs\>' /dev/null \
	>"$tmp/counts"
while read -r line; do
	bad "$line: use core/base/refs.h"
done <"$tmp/counts"

# A sentence of pronouns has to be read twice.
"$here/comments.sh" --check >"$tmp/pronouns" || bad 'the comments cannot be read'
while read -r line; do
	bad "$line"
done <"$tmp/pronouns"

# What makes an object (the last parameter is `dpr_X **`) has to be called with
# faults, so its name is in one of the files of attempts.  An exception is a
# line of "unmade": the name, and the reason.
if ls tests/life/unit_faults*.c >/dev/null 2>&1; then
	: >"$tmp/unmade"
	sed 's|/\*.*\*/||' include/dpr/*.h | tr -s '\n\t ' ' ' | tr ';' '\n' |
		sed -nE 's/.*dpr_status (dpr_[a-z0-9_]+)\([^(){}]*dpr_[a-z_]+ \*\*[a-z_]+ ?\)$/\1/p' |
		sort -u >"$tmp/makers"
	[ -s "$tmp/makers" ] || bad "include/dpr: no function makes anything"
	while read -r name; do
		grep -q "^$name " "$tmp/unmade" ||
			grep -qE "(^|[^a-z_])$name\(" tests/life/unit_faults*.c ||
			bad "$name: no attempt with faults, see tests/support/faults.h"
	done <"$tmp/makers"
fi

if shellcheck --version >/dev/null 2>&1; then
	grep -lE '^#!.*(sh|bash)$' -r quickstart autogen.sh .ci tests tools \
		kernels 2>/dev/null >"$tmp/scripts"
	while read -r f; do
		shellcheck -x -P SCRIPTDIR -S warning "$f" >"$tmp/hits" 2>&1 || {
			bad "$f: shellcheck objects"
			sed 's/^/    /' "$tmp/hits"
		}
	done <"$tmp/scripts"
fi

if [ -s "$tmp/bad" ]; then
	echo "check-style: $(wc -l <"$tmp/bad") objections"
	exit 1
fi
echo "check-style: $(wc -l <"$tmp/files") files"
