# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# declared.sh - the functions that the public headers declare.

# declared DIRECTORIES TMP: print them, sorted.  DIRECTORIES are include
# directories, separated by colons; TMP is a folder for files.  Needs gcc, whose
# -aux-info lists every declaration with its file.
declared() {
	dirs=$1 cppflags='' old_ifs=$IFS IFS=:
	set -f
	for dir in $dirs; do
		cppflags="$cppflags${cppflags:+:}-I$dir"
	done
	set +f
	for dir in $dirs; do
		for header in "$dir"/dpr/*.h; do
			[ -e "$header" ] &&
				printf '#include <dpr/%s>\n' "${header##*/}"
		done
	done | sort -u >"$2/all.c"
	# shellcheck disable=SC2086 # split at the colons
	gcc -std=gnu11 -D_GNU_SOURCE $cppflags -aux-info "$2/declared.X" \
		-fsyntax-only "$2/all.c"
	rc=$?
	IFS=$old_ifs
	[ $rc -eq 0 ] || return 1
	# Lines look like:
	#	/* FILE:LINE:NC */ extern int dpr_f (int);
	sed -n 's|^/\* .*/dpr/[^/]*:[0-9]*:N[CF] \*/ extern .*[ *(]\(dpr_[A-Za-z0-9_]*\) (.*|\1|p' \
		"$2/declared.X" | grep -v '^dpr_plugin_abi' | sort -u
}
