#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the shared objects ask of the dynamic linker: the C library, zlib for
# libdpr.so, and nothing else, never to be unloaded, no text relocations, no executable stack, no
# search path of their own, no static thread-local storage.
#
# usage: check-needed.sh [FILE...]
set -u
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-needed.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

if ! readelf --version >/dev/null 2>&1; then
	echo "needs readelf"
	exit 77
fi
if [ $# -eq 0 ]; then
	# shellcheck disable=SC2154 # comes from the test environment
	set -- "$top_builddir/.libs/libdpr.so" \
		"$top_builddir"/backends/.libs/libdpr-*.so
fi

bad=0
bad() {
	printf '%s: %s\n' "${file##*/}" "$*"
	bad=1
}

checked=0
for file; do
	[ -e "$file" ] || continue
	checked=$((checked + 1))
	readelf -dW "$file" >"$tmp/dynamic" || exit 1
	readelf -lW "$file" >"$tmp/segments" || exit 1

	sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$tmp/dynamic" >"$tmp/needed"
	while read -r lib; do
		case $lib in
		libc.so.* | libm.so.* | libdl.so.* | libpthread.so.*) ;;
		libgcc_s.so.* | ld-linux*) ;;
		libz.so.*)
			case ${file##*/} in
			libdpr.so*) ;;
			*) bad "needs $lib, which only libdpr.so may" ;;
			esac ;;
		*) bad "needs $lib, which is not part of the C library" ;;
		esac
	done <"$tmp/needed"
	grep -q 'FLAGS_1.*NODELETE' "$tmp/dynamic" ||
		bad "is not marked NODELETE: it could be unloaded"
	grep -Eq '\(TEXTREL\)|\(FLAGS\).*TEXTREL' "$tmp/dynamic" &&
		bad "has text relocations"
	grep -Eq '\(RPATH\)|\(RUNPATH\)' "$tmp/dynamic" &&
		bad "has a library search path of its own"
	grep -q '(FLAGS).*STATIC_TLS' "$tmp/dynamic" &&
		bad "uses static thread-local storage"
	grep -q 'GNU_STACK' "$tmp/segments" ||
		bad "does not say that its stack need not be executable"
	grep 'GNU_STACK' "$tmp/segments" | grep -q 'RWE' &&
		bad "asks for an executable stack"
done

if [ $checked -eq 0 ]; then
	echo "no shared objects were built"
	exit 77
fi
[ $bad -eq 0 ] && echo "$checked files ask for the C library, and libdpr.so for zlib"
exit $bad
