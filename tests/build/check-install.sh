#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What "make install" delivers is enough to build against: with pkg-config,
# with dpr-backend.pc for a plugin of somebody else's, and with CMake; both
# under DESTDIR and under another prefix.  The documentation is there, and the examples
# can be built where they are.  "make uninstall" leaves nothing.
set -u
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-install.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=../support/installation.sh disable=SC2154 # from the environment
. "$top_srcdir/tests/support/installation.sh"

# CC may be several words.
compile() {
	# shellcheck disable=SC2086
	$CC "$@"
}

makes() {
	quiet "make $*" "$MAKE" -C "$build" "$@"
}

# variable NAME: of the Makefile, expanded with its own prefix.
variable() {
	# shellcheck disable=SC2016 # make expands it
	printf 'include Makefile\nprint-%s:\n\t@echo "$(%s)"\n' "$1" "$1" |
		"$MAKE" -s -C "$build" -f - "print-$1" 2>/dev/null
}
libdir=$(variable libdir)

# The program lists the plugins that the installed library finds by itself.
cat >"$tmp/user.c" <<'END'
#include <dpr/dpr.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
	dpr_plugin_report *list;
	size_t count, i;

	if (dpr_plugins(0, &list, &count)) {
		printf("%s\n", dpr_last_error());
		return 1;
	}
	printf("dpr %s\n", dpr_version());
	for (i = 0; i < count; i++)
		printf("plugin %s %s %s\n", list[i].file,
		       dpr_plugin_stage_name(list[i].stage), list[i].text);
	dpr_free(list);
	return strcmp(dpr_version(), DPR_VERSION) != 0;
}
END
# Somebody else's plugin: the sources of a test plugin, taken out of the tree.
theirs=$tmp/theirs/tests/plugins
mkdir -p "$theirs" || exit 99
# shellcheck disable=SC2154 # comes from the test environment
quiet "copying" cp -R "$top_srcdir"/tests/plugins/mock* "$theirs"
quiet "making writable" chmod -R u+w "$theirs"

# run LIBDIR PROGRAM: it finds the plugins that are installed beside the
# library, and they load.
run() {
	LD_LIBRARY_PATH=$1 "$2" >"$tmp/log" 2>&1 || fail "$2 failed"
	grep -q '^dpr [0-9]' "$tmp/log" || fail "$2 printed something else"
	for plugin in "$1"/dpr/libdpr-*.so; do
		[ -e "$plugin" ] || continue
		grep -Eq "^plugin $plugin (loaded|ready|absent)" "$tmp/log" ||
			fail "$2 did not load $plugin"
	done
}

# with_pkg_config ROOT LIBDIR OPTION...: ROOT is in front of every path.
with_pkg_config() {
	root=$1 lib=$2
	shift 2
	if ! pkg-config --version >/dev/null 2>&1; then
		echo "no pkg-config: left out"
		return
	fi
	PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
	export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
	flags=$(pkg-config "$@" --cflags --libs dpr) || fail "no dpr.pc"
	# shellcheck disable=SC2086 # flags are words
	quiet "a program with $flags" compile -o "$tmp/user" "$tmp/user.c" $flags
	run "$lib" "$tmp/user"

	flags=$(pkg-config "$@" --cflags dpr-backend) ||
		fail "no dpr-backend.pc"
	[ -z "$(pkg-config "$@" --libs dpr-backend | tr -d ' ')" ] ||
		fail "dpr-backend.pc has libraries: a plugin links nothing"
	# shellcheck disable=SC2086
	quiet "a plugin with $flags" compile -D_GNU_SOURCE -shared -fPIC \
		-fvisibility=hidden -pthread -Wl,-z,defs -Wl,-z,nodelete \
		-o "$tmp/libdpr-theirs.so" "-I$tmp/theirs" \
		"$theirs"/mock/*.c $flags -ldl -lm
	DPR_PLUGINS=$tmp/libdpr-theirs.so LD_LIBRARY_PATH=$lib "$tmp/user" \
		>"$tmp/log" 2>&1 || fail "a program with a plugin of theirs"
	grep -q "^plugin $tmp/libdpr-theirs.so loaded" "$tmp/log" ||
		fail "their plugin was not loaded"
	dir=$(pkg-config "$@" --variable=plugindir dpr-backend)
	case $dir in
	*/dpr) ;;
	*) fail "plugindir is $dir" ;;
	esac
	case $(pkg-config "$@" --variable=manifestdir dpr-backend) in
	*/dpr/plugins.d) ;;
	*) fail "manifestdir is wrong" ;;
	esac
	unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
}

# with_static LIBDIR: what pkg-config says for a static libdpr is all that such a
# library needs.  The archive of the build stands in for it.
with_static() {
	pkg-config --version >/dev/null 2>&1 || return
	PKG_CONFIG_LIBDIR=$1/pkgconfig
	export PKG_CONFIG_LIBDIR
	quiet "dpr.pc is valid" pkg-config --validate dpr
	quiet "dpr-backend.pc is valid" pkg-config --validate dpr-backend
	archive=$build/core/.libs/libdprcore.a
	mkdir -p "$tmp/static"
	if [ -e "$archive" ] && cp "$archive" "$tmp/static/libdpr.a"; then
		flags=$(pkg-config --define-prefix --static --cflags --libs dpr)
		# shellcheck disable=SC2086 # flags are words
		quiet "a static program with $flags" compile -o "$tmp/static/user" \
			"$tmp/user.c" "-L$tmp/static" $flags
		"$tmp/static/user" >"$tmp/log" 2>&1 || fail "the static program"
		grep -q '^dpr [0-9]' "$tmp/log" || fail "it printed something else"
	else
		echo "no $archive: static programs are left out"
	fi
	unset PKG_CONFIG_LIBDIR
}

# documented ROOT: what users read is there, and the examples are as in the tree.
documented() {
	doc=$1/share/doc/dpr
	for file in "$doc/README.md" "$doc/NEWS" "$doc/LICENSE" \
		"$doc/building-programs.md" "$1/share/aclocal/dpr.m4"; do
		[ -s "$file" ] || fail "no $file"
	done
	if ! grep -q '^S\["DOC_TRUE"\]=""' "$build/config.status"; then
		[ ! -e "$doc/examples" ] || fail "examples with --disable-doc"
		return
	fi
	(cd "$top_srcdir" && find examples doc/guide doc/porting -name '*.md' -o \
		-name '*.c' -o -name '*.cc' -o -name Makefile 2>/dev/null) \
		>"$tmp/pages"
	[ "$(wc -l <"$tmp/pages")" -ge 40 ] || fail "hardly any example"
	while read -r file; do
		[ -s "$doc/${file#doc/}" ] || fail "$file is not in $doc"
	done <"$tmp/pages"
	quiet "links" "$top_srcdir/tests/build/check-links.sh" "$doc"
}

# completed ROOT: the shells find the completion below share/.
completed() {
	for file in bash-completion/completions/dpr zsh/site-functions/_dpr \
		fish/vendor_completions.d/dpr.fish; do
		[ -s "$1/share/$file" ] ||
			grep -q '^S\["CROSS_COMPILING_TRUE"\]=""' \
				"$build/config.status" || fail "no share/$file"
	done
}

# with_examples ROOT LIBDIR: in a folder of their own, and not in the installed one.
with_examples() {
	[ -e "$1/share/doc/dpr/examples" ] || return
	pkg-config --version >/dev/null 2>&1 || return
	mkdir -p "$tmp/examples"
	PKG_CONFIG_PATH=$2/pkgconfig
	export PKG_CONFIG_PATH
	quiet "two examples" "$MAKE" -C "$tmp/examples" \
		-f "$1/share/doc/dpr/examples/Makefile" CC="$CC" CFLAGS=-O0 \
		PKG_CONFIG='pkg-config --define-prefix' run-hello linalg/pca
	unset PKG_CONFIG_PATH
	grep -q '^2000000' "$tmp/log" || grep -q '^2e+06' "$tmp/log" ||
		fail "the example hello printed something else"
	[ -x "$tmp/examples/linalg/pca" ] || fail "linalg/pca is not there"
	[ -z "$(find "$1/share/doc/dpr" -name '*.o' -o -name hello)" ] ||
		fail "the installed folder was written to"
}

# with_cmake LIBDIR
with_cmake() {
	if ! cmake --version >/dev/null 2>&1; then
		echo "no cmake: left out"
		return
	fi
	rm -rf "$tmp/cmake"
	mkdir "$tmp/cmake"
	cat >"$tmp/cmake/CMakeLists.txt" <<-'END'
		cmake_minimum_required(VERSION 3.13)
		project(user C)
		find_package(dpr 0.1 REQUIRED CONFIG OPTIONAL_COMPONENTS teapot)
		if(dpr_teapot_FOUND OR NOT dpr_FOUND)
			message(FATAL_ERROR "a backend teapot: ${DPR_BACKENDS}")
		endif()
		foreach(name IN LISTS DPR_BACKENDS)
			find_package(dpr REQUIRED CONFIG COMPONENTS ${name})
			if(NOT dpr_${name}_FOUND)
				message(FATAL_ERROR "no backend ${name}")
			endif()
		endforeach()
		find_package(dpr CONFIG COMPONENTS teapot)
		if(dpr_FOUND)
			message(FATAL_ERROR "dpr has a backend teapot")
		endif()
		find_package(dpr 0.1 REQUIRED CONFIG)
		if(NOT IS_ABSOLUTE "${DPR_PLUGIN_DIR}")
			message(FATAL_ERROR "no DPR_PLUGIN_DIR")
		endif()
		add_executable(user ../user.c)
		target_link_libraries(user dpr::dpr)
		if(CMAKE_VERSION VERSION_LESS 3.19)
			return()
		endif()
		find_package(dpr 0.0.1...0.1 REQUIRED CONFIG)
		find_package(dpr 0.0.1...<0.1 CONFIG QUIET)
		if(dpr_FOUND)
			message(FATAL_ERROR "dpr is older than 0.1")
		endif()
	END
	quiet "cmake" cmake -S "$tmp/cmake" -B "$tmp/cmake/b" \
		-D "dpr_DIR=$1/cmake/dpr"
	quiet "a program with cmake" cmake --build "$tmp/cmake/b"
	run "$1" "$tmp/cmake/b/user"

	# A version that we do not have must not be found.
	sed 's/dpr 0.1/dpr 99/' "$tmp/cmake/CMakeLists.txt" >"$tmp/cmake/new" &&
		mv "$tmp/cmake/new" "$tmp/cmake/CMakeLists.txt"
	cmake -S "$tmp/cmake" -B "$tmp/cmake/c" -D "dpr_DIR=$1/cmake/dpr" \
		>"$tmp/log" 2>&1 && fail "cmake took us for dpr 99"
}

# nothing_left DIRECTORY
nothing_left() {
	left=$(find "$1" ! -type d -print)
	[ -z "$left" ] || fail "make uninstall left $left"
	left=$(find "$1" -type d -name dpr -print)
	[ -z "$left" ] || fail "make uninstall left the folder $left"
}

# Under DESTDIR, as packagers do.
dest=$tmp/dest
makes install "DESTDIR=$dest"
[ -e "$dest$libdir/libdpr.so" ] || fail "no libdpr.so in $dest$libdir"
find "$dest" -name '*.a' | grep . && fail "static libraries were installed"
for plugin in "$build"/backends/.libs/libdpr-*.so; do
	[ -e "$plugin" ] || continue
	[ -e "$dest$libdir/dpr/${plugin##*/}" ] ||
		fail "${plugin##*/} is not in $libdir/dpr"
done
with_pkg_config "$dest" "$dest$libdir"
with_cmake "$dest$libdir"
makes uninstall "DESTDIR=$dest"
nothing_left "$dest"

# Under a prefix given to make.  libtool wants it to end in the configured one.
moved=$tmp/moved$prefix
makes install "prefix=$moved"
lib=$moved${libdir#"$prefix"}
[ -e "$lib/libdpr.so" ] || fail "no libdpr.so in $lib"
with_pkg_config '' "$lib" --define-prefix
with_cmake "$lib"
with_static "$lib"
documented "$moved"
completed "$moved"
with_examples "$moved" "$lib"
makes uninstall "prefix=$moved"
nothing_left "$tmp/moved"

echo "installed, used and uninstalled, twice"
