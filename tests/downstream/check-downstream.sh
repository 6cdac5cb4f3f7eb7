#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Four small programs of other projects, each with its own build system, against an
# installation that was moved afterwards: kmeans with CMake, heat with Autotools,
# filter with Meson, cities in C++20 with plain make.  Each prints the same on host
# and on OpenCL.  Each is also built with too new a version and without a backend
# that it needs, and says so.  A program whose tools are not here is left out.
set -u
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-downstream.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=../support/installation.sh disable=SC2154 # from the environment
. "$top_srcdir/tests/support/installation.sh"
src=$top_srcdir
count=0 left_out=

# refuses WHAT PATTERN COMMAND...: it must fail, and say why.  CMake breaks lines.
refuses() {
	what=$1 pattern=$2
	shift 2
	"$@" >"$tmp/log" 2>&1 && fail "$what: it was built"
	tr -s '\n ' '  ' <"$tmp/log" | grep -Eq "$pattern" ||
		fail "$what: it does not say \"$pattern\""
}

# has PROGRAM COMMAND...: whether the tools of PROGRAM are here; says so if not.
has() {
	program=$1
	shift
	for command; do
		command -v "$command" >/dev/null 2>&1 && continue
		echo "left out: $program, which needs $command"
		left_out="$left_out $program"
		return 1
	done
}

# --- The installation, moved ------------------------------------------------

# libtool wants the prefix to end in the configured one.
quiet "make install" "$MAKE" -C "$build" install "prefix=$tmp/staged$prefix"
mv "$tmp/staged$prefix" "$tmp/moved" || exit 99
rm -rf "$tmp/staged"
root=$tmp/moved
use "$root"
plugin=$libdir/dpr/libdpr-host.so
[ -e "$plugin" ] || {
	echo "needs the host backend"
	exit 77
}
# The prefix is where the file dpr.pc is now.
PKG_CONFIG='pkg-config --define-prefix'
ACLOCAL_PATH=$root/share/aclocal
export PKG_CONFIG ACLOCAL_PATH
quiet "copying" cp -R "$src/tests/downstream" "$tmp/src"
quiet "making writable" chmod -R u+w "$tmp/src"

backends=host
if [ -n "$(DPR_BACKEND=opencl dpr devices 2>/dev/null)" ]; then
	backends='host opencl'
fi

# same EXPECTED COMMAND...: on each backend, it reads $tmp/input, and prints a line
# that matches, and the same as on the others.
same() {
	expected=$1
	shift
	for backend in $backends; do
		DPR_BACKEND=$backend
		export DPR_BACKEND
		"$@" <"$tmp/input" >"$tmp/$backend" 2>"$tmp/log" ||
			fail "$* on $backend"
		unset DPR_BACKEND
		grep -Eq "$expected" "$tmp/$backend" || {
			cp "$tmp/$backend" "$tmp/log"
			fail "$* on $backend: no \"$expected\""
		}
		cmp "$tmp/host" "$tmp/$backend" >/dev/null && continue
		diff "$tmp/host" "$tmp/$backend" >"$tmp/log"
		fail "$* prints something else on $backend than on host"
	done
	count=$((count + 1))
}

# without_host COMMAND...: run it while the plugin of the host is not installed.
without_host() {
	mv "$plugin" "$tmp/taken" || exit 99
	"$@"
	mv "$tmp/taken" "$plugin" || exit 99
}

# What each build has to say.
lacks="installed without its backend host: there is no *$plugin"
new="dpr >= 99.* 0\.|dpr' has version '0\..*>= 99"

# --- kmeans: CMake ----------------------------------------------------------

# Four clusters of 40 points, as bytes: the format of .npy is a line of text, and
# the elements behind it.
make_points() {
	head="{'descr': '|u1', 'fortran_order': False, 'shape': (160, 2), }"
	printf '\223NUMPY\001\000v\000%-117s\n' "$head"
	awk 'BEGIN {
		split("20 20 80 30 30 90 90 90", middle, " ")
		for (i = 0; i < 160; i++)
			for (k = 1; k <= 2; k++) {
				off = i * (5 + 4 * k) % 13 - 6
				printf "\\%03o", middle[i % 4 * 2 + k] + off
			}
		print ""
	}' | while read -r escapes; do
		# shellcheck disable=SC2059 # a format of nothing but bytes
		printf "$escapes"
	done
}

configure_kmeans() {
	cmake -S "$tmp/src/kmeans" -B "$tmp/kmeans-$1" \
		-D "CMAKE_PREFIX_PATH=$root"
}

kmeans() {
	has kmeans cmake || return 0
	make_points >"$tmp/points.npy"
	quiet "cmake of kmeans" configure_kmeans right
	quiet "kmeans" cmake --build "$tmp/kmeans-right"
	: >"$tmp/input"
	same '^   40 points: ' "$tmp/kmeans-right/kmeans" "$tmp/points.npy" 4
	without_host refuses "kmeans without host" "$lacks" configure_kmeans lacking
	sed -i 's/dpr 0\.1 /dpr 99 /' "$tmp/src/kmeans/CMakeLists.txt"
	refuses "kmeans with dpr 99" 'requested version "99".*version: 0\.' \
		configure_kmeans new
}

# --- heat: Autotools --------------------------------------------------------

heat() {
	has heat autoreconf automake || return 0
	cd "$tmp/src/heat" || exit 99
	quiet "autoreconf of heat" autoreconf -i
	mkdir build && cd build || exit 99
	quiet "configure of heat" ../configure
	mv "$tmp/log" "$tmp/configured"
	quiet "heat" "$MAKE"
	same '^row +0: 100\.00$' ./heat 64 300
	other=$libdir/dpr/libdpr-opencl.so
	if [ -e "$other" ]; then
		grep -q ': with OpenCL$' "$tmp/configured" ||
			fail "configure of heat does not find OpenCL"
		mv "$other" "$tmp/taken" || exit 99
		quiet "heat without OpenCL" ../configure
		grep -q ": without OpenCL: .*without its backend opencl: .*$other" \
			"$tmp/log" || fail "heat without OpenCL: no reason is given"
		mv "$tmp/taken" "$other" || exit 99
	fi
	without_host refuses "heat without host" "$lacks" ../configure
	sed -i 's/dpr >= 0\.1/dpr >= 99/g' ../configure
	refuses "heat with dpr 99" "$new" \
		../configure
	cd "$tmp" || exit 99
}

# --- filter: Meson ----------------------------------------------------------

setup_filter() {
	meson setup "$tmp/filter-$1" "$tmp/src/filter"
}

filter() {
	has filter meson ninja || return 0
	quiet "meson setup of filter" setup_filter right
	quiet "filter" meson compile -C "$tmp/filter-right"
	awk 'BEGIN {
		print "P2 100 70 255"
		for (i = 0; i < 7000; i++)
			print i * i % 251
	}' >"$tmp/input"
	same '^100 70$' "$tmp/filter-right/filter"
	# A pixel in the middle, by hand: row 1, column 1 is 5*c - n - s - w - e.
	awk 'function v(r, c) { return (r * 100 + c) ^ 2 % 251 }
		BEGIN { s = 5 * v(1, 1) - v(0, 1) - v(2, 1) - v(1, 0) - v(1, 2)
			print (s < 0 ? 0 : (s > 255 ? 255 : s)) }' >"$tmp/pixel"
	[ "$(sed -n 5p "$tmp/host" | cut -d ' ' -f 2)" = "$(cat "$tmp/pixel")" ] ||
		fail "filter gives another pixel than $(cat "$tmp/pixel")"
	without_host refuses "filter without host" "$lacks" setup_filter lacking
	sed -i "s/>=0\\.1/>=99/" "$tmp/src/filter/meson.build"
	refuses "filter with dpr 99" "[Dd]ependency.*dpr.*0\\..*>=99" setup_filter new
}

# --- cities: C++20, make ----------------------------------------------------

cities() {
	has cities pkg-config || return 0
	if ! echo 'int main() {}' | $CXX -std=c++20 -fsyntax-only -x c++ - \
		2>/dev/null; then
		echo "left out: cities, which needs C++20 of $CXX"
		left_out="$left_out cities"
		return 0
	fi
	cd "$tmp/src/cities" || exit 99
	quiet "cities" "$MAKE" "CXX=$CXX" CXXFLAGS='-O0 -Wall -Wextra -Werror'
	cat >"$tmp/input" <<-'END'
		Berlin 52.52 13.41
		Hamburg 53.55 9.99
		Lima -12.05 -77.04
		Quito -0.18 -78.47
		Tokyo 35.68 139.69
		Seoul 37.57 126.98
	END
	same '^Hamburg: Berlin, 2[0-9]0 km$' ./cities
	same '^Quito: Lima, 13[0-9]0 km$' ./cities
	without_host refuses "cities without host" "$lacks" "$MAKE" -B
	refuses "cities with dpr 99" "$new" \
		"$MAKE" -B 'WANTED=dpr >= 99'
	cd "$tmp" || exit 99
}

kmeans
heat
filter
cities
[ $count -gt 0 ] || fail "not one program was built: the tools of all are missing"
echo "built against a moved prefix and run on $backends: $count times${left_out:+, without$left_out}"
