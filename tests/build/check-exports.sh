#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# libdpr.so exports exactly what the public headers declare, in both
# directions, and each plugin exports its entry point and nothing else.
#
# usage: check-exports.sh [LIBRARY HEADER-DIRECTORIES PLUGIN...]
# HEADER-DIRECTORIES are include directories, separated by colons.
set -u
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-exports.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

if [ $# -eq 0 ]; then
	# shellcheck disable=SC2154 # both come from the test environment
	set -- "$top_builddir/.libs/libdpr.so" \
		"$top_srcdir/include:$top_builddir/include" \
		"$top_builddir"/backends/.libs/libdpr-*.so
fi
library=$1 dirs=$2
shift 2

# shellcheck source=../support/declared.sh
. "$(dirname "$0")/../support/declared.sh"
if ! gcc --version >/dev/null 2>&1; then
	echo "needs gcc, which lists the declarations of the headers"
	exit 77
fi
if [ ! -e "$library" ]; then
	echo "no $library: shared libraries were not built"
	exit 77
fi

# exported FILE: its dynamic symbols, less the version nodes.
exported() {
	${NM:-nm} -D -P --defined-only "$1" |
		awk '$2 != "A" { sub(/@.*/, "", $1); print $1 }' | sort -u
}

declared "$dirs" "$tmp" >"$tmp/declared" || exit 1
exported "$library" >"$tmp/exported"

bad=0
if [ ! -s "$tmp/declared" ]; then
	echo "no declaration was found in the headers"
	bad=1
fi
for sym in $(comm -13 "$tmp/declared" "$tmp/exported"); do
	echo "${library##*/} exports $sym, which no public header declares"
	bad=1
done
for sym in $(comm -23 "$tmp/declared" "$tmp/exported"); do
	echo "a public header declares $sym, which ${library##*/} lacks"
	bad=1
done

for plugin; do
	[ -e "$plugin" ] || continue
	exported "$plugin" >"$tmp/plugin"
	if [ "$(cat "$tmp/plugin")" != dpr_plugin_abi1 ]; then
		echo "${plugin##*/} exports other than dpr_plugin_abi1:"
		sed 's/^/    /' "$tmp/plugin"
		bad=1
	fi
done

[ $bad -eq 0 ] && echo "$(wc -l <"$tmp/exported") functions declared and exported"
exit $bad
