#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each public header stands on its own, as C11, C++11 and C++17, without a
# warning, with every compiler that is here; the plugin ABI and the public API
# can be included in one file, in either order.  And each function that a header
# declares or defines has a comment directly above it or above its group, which
# a blank line ends.
#
# usage: check-headers.sh [INCLUDE-DIRECTORY...]
set -u
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-headers.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

if [ $# -eq 0 ]; then
	# shellcheck disable=SC2154 # both come from the test environment
	set -- "$top_srcdir/include" "$top_builddir/include"
fi

for dir; do
	for header in "$dir"/dpr/*.h "$dir"/dpr/*.hpp; do
		[ -e "$header" ] && printf '%s\n' "${header##*/}"
	done
done | sort -u >"$tmp/names"

# name.c includes name.h twice; a .hpp is for C++ alone.
: >"$tmp/c" && : >"$tmp/c++"
write() {
	name=$1
	shift
	for header; do
		printf '#include <dpr/%s>\n' "$header"
	done >"$tmp/$name.c"
	printf 'extern int dpr_check_%s;\n' "$(printf '%s' "$name" |
		tr -c 'a-z0-9' _)" >>"$tmp/$name.c"
	cp "$tmp/$name.c" "$tmp/$name.cc"
	printf '%s\n' "$name" >>"$tmp/c++"
}
while read -r header; do
	write "$header" "$header" "$header"
	case $header in
	*.h) printf '%s\n' "$header" >>"$tmp/c" ;;
	esac
done <"$tmp/names"
if grep -qx dpr.h "$tmp/names" && grep -qx backend.h "$tmp/names"; then
	write api_abi dpr.h backend.h
	write abi_api backend.h dpr.h
	printf 'api_abi\nabi_api\n' >>"$tmp/c"
fi

# uncommented HEADER: its functions without a comment.  A comment covers what
# follows it up to the next blank line; preprocessor lines, also those that go on
# with a backslash, are passed over, and so is what stands in braces or in a
# declaration that has begun.
uncommented() {
	awk '
	macro { macro = /\\$/; next }
	comment { comment = !/\*\//; next }
	inside { inside = !/^}/; next }
	rest && !/^[{}]/ { if (/;[ \t]*(\/\*.*)?$/) rest = 0; next }
	rest { rest = 0; inside = !/}/; next }
	/^#/ { macro = /\\$/; next }
	/^\/\*/ { covered = 1; comment = !/\*\//; next }
	/^[ \t]*$/ { covered = 0; next }
	/^(DPR_API|DPR_CHECK|static) / {
		if (!covered)
			printf "%s:%d: no comment above: %s\n",
				FILENAME, FNR, $0
		rest = !/[;}][ \t]*(\/\*.*)?$/
		next
	}
	/^[^ \t}].*{$/ && !/extern "C"/ { inside = 1 }
	' "$1"
}

clang=clang clangxx=clang++
for v in 19 18 17 16 15; do
	command -v $clang >/dev/null 2>&1 || clang=clang-$v clangxx=clang++-$v
done

bad=0 compiled=0
# compile COMPILER LANGUAGE-STANDARD SUFFIX LIST INCLUDE-DIRECTORY...
compile() {
	cc=$1 std=$2 suffix=$3 list=$4
	shift 4
	command -v "$cc" >/dev/null 2>&1 || return 0
	for dir; do
		set -- "$@" "-I$dir"
		shift
	done
	while read -r name; do
		compiled=$((compiled + 1))
		"$cc" "-std=$std" "$@" -Wall -Wextra -Wpedantic -Wshadow \
			-Wundef -Werror -c "$tmp/$name.$suffix" -o "$tmp/out.o" || {
			echo "$name: not clean as $std with $cc"
			bad=1
		}
	done <"$list"
}
compile gcc c11 c "$tmp/c" "$@"
compile "$clang" c11 c "$tmp/c" "$@"
for std in c++11 c++17; do
	compile g++ $std cc "$tmp/c++" "$@"
	compile "$clangxx" $std cc "$tmp/c++" "$@"
done

for dir; do
	for header in "$dir"/dpr/*.h; do
		[ -e "$header" ] && uncommented "$header"
	done
done >"$tmp/uncommented"
if [ -s "$tmp/uncommented" ]; then
	cat "$tmp/uncommented"
	bad=1
fi

if [ ! -s "$tmp/names" ]; then
	echo "no headers in $*"
	exit 1
fi
if [ $compiled -eq 0 ]; then
	echo "needs gcc, g++, clang or clang++"
	exit 77
fi
[ $bad -eq 0 ] && echo "$(wc -l <"$tmp/names") headers, $compiled compilations"
exit $bad
