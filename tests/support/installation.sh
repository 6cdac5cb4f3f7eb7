# SPDX-License-Identifier: Apache-2.0
# Variables and functions that the tests of an installation share.  $tmp is a
# folder of the script that sources this.  $MAKE, $CC and $CXX are the programs.
# The make around the test passes none of its settings to the make that the test
# starts.  $build is the build folder, $prefix the configured prefix.
# shellcheck shell=sh disable=SC2034,SC2154 # shared with the sourcing script
build=$top_builddir
MAKE=${MAKE:-make} CC=${CC:-cc} CXX=${CXX:-c++}
export CC CXX
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR DPR_PLUGIN_PATH

fail() {
	echo "FAIL: $*"
	[ -f "$tmp/log" ] && sed 's/^/    /' "$tmp/log"
	exit 1
}

# quiet WHAT COMMAND...: run COMMAND, and show its output only if it fails.
quiet() {
	what=$1
	shift
	"$@" >"$tmp/log" 2>&1 || fail "$what"
}

prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
[ -n "$prefix" ] || fail "no prefix in $build/Makefile"

# use ROOT: programs, libraries and pkg-config files of the installation there come
# first.  Sets $libdir.
use() {
	libdir=$(dirname "$(find "$1" -name libdpr.so)")
	[ -e "$libdir/libdpr.so" ] || fail "no libdpr.so below $1"
	PATH=$1/bin:$PATH
	LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	PKG_CONFIG_PATH=$libdir/pkgconfig
	export PATH LD_LIBRARY_PATH PKG_CONFIG_PATH
}
