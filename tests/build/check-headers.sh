#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each public header stands on its own, as C11, C++11 and C++17, without a
# warning, with every compiler that is here.  A .hpp does as C++17 and C++20, with
# the warnings of lossy conversions, and behind <complex.h>, whose macro I GNU C++
# has.  The plugin ABI and the public API can be included in one file, in either
# order.  And each function that a header declares or defines has a comment.  The
# comment is directly above the function, or above its group, which ends at a
# blank line.
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

# name.c includes name.h twice; a .hpp is for C++17 alone.
: >"$tmp/c" && : >"$tmp/c++" && : >"$tmp/c++17"
write() {
	name=$1
	shift
	for header; do
		printf '#include <dpr/%s>\n' "$header"
	done >"$tmp/$name.c"
	printf 'extern int dpr_check_%s;\n' "$(printf '%s' "$name" |
		tr -c 'a-z0-9' _)" >>"$tmp/$name.c"
	cp "$tmp/$name.c" "$tmp/$name.cc"
}
while read -r header; do
	write "$header" "$header" "$header"
	case $header in
	*.h) printf '%s\n' "$header" | tee -a "$tmp/c" >>"$tmp/c++" ;;
	*) printf '%s\n' "$header" >>"$tmp/c++17" ;;
	esac
done <"$tmp/names"
if grep -qx dpr.h "$tmp/names" && grep -qx backend.h "$tmp/names"; then
	write api_abi dpr.h backend.h
	write abi_api backend.h dpr.h
	printf 'api_abi\nabi_api\n' | tee -a "$tmp/c" >>"$tmp/c++"
fi

# uncommented HEADER: its functions without a comment.  A comment covers the lines
# below it, up to the next blank line.  Preprocessor lines are skipped, with their
# continuation lines.  The inside of braces is skipped, too, and the rest of a
# declaration.
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

# uncommented_hpp HEADER: the same of a header for C++, for what stands in no
# function: in a namespace, at the beginning of a line, and in a class behind one
# tab.  Not looked at are the namespace detail, what is private, and members that
# are defined behind their class.
uncommented_hpp() {
	awk '
	macro { macro = /\\$/; next }
	comment { comment = !/\*\//; next }
	body { body = !/^\t?}$/; next }
	/^\t?{$/ && !opens { body = 1; next }
	{ opens = 0 }
	/^#/ { macro = /\\$/; next }
	/^[ \t]*\/\*/ { covered = 1; comment = !/\*\//; next }
	/^[ \t]*$/ { covered = 0; next }
	/^namespace / { opens = 1; detail = /detail/ }
	/^} \/\/ namespace detail/ { detail = 0; next }
	detail { next }
	/^private:/ { private = 1; next }
	/^(public|protected):/ { private = 0; next }
	/^};/ { class = private = 0; next }
	/^(inline|constexpr|template|class|struct|auto|array) / &&
		!/;$/ && !/::[a-z_]+\(/ {
		if (!covered)
			printf "%s:%d: no comment above: %s\n", FILENAME, FNR, $0
		covered = 1
	}
	/^(class|struct) .*{$/ || /^template .*(class|struct) [a-z_]+.*{$/ {
		class = 1
		next
	}
	class && !private && /^\t[a-z]/ && !covered {
		printf "%s:%d: no comment above: %s\n", FILENAME, FNR, $0
		covered = 1
	}
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
	case $list in
	*/c++17) set -- "$@" -Wold-style-cast -Wconversion ;;
	esac
	case $std in
	gnu*) set -- "$@" -include complex.h ;;
	esac
	while read -r name; do
		compiled=$((compiled + 1))
		"$cc" "-std=$std" "$@" -Wall -Wextra -Wpedantic -Wshadow \
			-Wundef -Werror -fsyntax-only "$tmp/$name.$suffix" || {
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
for std in c++17 c++20 gnu++17; do
	compile g++ $std cc "$tmp/c++17" "$@"
	compile "$clangxx" $std cc "$tmp/c++17" "$@"
done

for dir; do
	for header in "$dir"/dpr/*.h; do
		[ -e "$header" ] && uncommented "$header"
	done
	for header in "$dir"/dpr/*.hpp; do
		[ -e "$header" ] && uncommented_hpp "$header"
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
