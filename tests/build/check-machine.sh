#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# configure refuses machines that dpr is not for, in a sentence with the reason: of
# 32 bits, and with the high byte first.  The answers of the compiler are given to
# configure as cached ones; where the compiler has -m32, that is tried, too.
#
# usage: check-machine.sh [CONFIGURE]
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
configure=${1:-$src/configure}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-machine.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
CC=${CC:-cc}
bad=0

# refuses TEXT ARGUMENT...: configure stops at once, and says TEXT with a reason.
refuses() {
	text=$1
	shift
	rm -rf "$tmp/build"
	mkdir "$tmp/build" && cd "$tmp/build" || exit 99
	timeout 120 "$configure" --quiet "$@" >"$tmp/out" 2>&1
	rc=$?
	if [ $rc -eq 0 ] || [ -e config.status ]; then
		echo "configure takes $*"
	elif ! grep -q "error: dpr needs a $text machine: .*, and the " "$tmp/out"
	then
		echo "configure ends with $rc, and gives no reason for $*:"
		sed 's/^/    /' "$tmp/out"
	else
		grep "error: dpr needs" "$tmp/out"
		return
	fi
	bad=1
}

refuses 64-bit "CC=$CC" ac_cv_sizeof_void_p=4
refuses little-endian "CC=$CC" ac_cv_c_bigendian=yes
refuses little-endian "CC=$CC" ac_cv_c_bigendian=unknown
# A compiler for 32 bits.  It needs no library, and its programs need not run.
echo 'int main(void) { return 0; }' >"$tmp/main.c"
# CC may be several words.
# shellcheck disable=SC2086
if $CC -m32 -nostdlib -Wl,-e,main -o "$tmp/main" "$tmp/main.c" 2>/dev/null; then
	refuses 64-bit "CC=$CC -m32 -nostdlib" LDFLAGS=-Wl,-e,main \
		--host=i686-linux-gnu
else
	echo "not tried: $CC makes no programs with -m32"
fi
exit $bad
