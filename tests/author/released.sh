#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plugins of other versions of the interface work with this core.  One plugin is
# built with the header of version 1.0, from tests/fixtures.  The other is of the
# next version: its structs and tables are longer.  No binary is kept: the
# template is built with these headers.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
src=${top_srcdir:-.}
build=${top_builddir:-.}
dpr=$build/tools/dpr
frozen=$src/tests/fixtures/backend-1.0
CC=${CC:-cc}
# With a space, as the path of a checkout may have.
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr released.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

# A library with a sanitizer is loaded only by a program with the same one.
if [ "${dpr_sanitizers:-none}" != none ]; then
	echo "not in a build with sanitizers"
	exit 77
fi

fail() {
	echo "FAIL: $*"
	[ -f "$tmp/log" ] && grep -v 'clean$' "$tmp/log"
	exit 1
}

# plugin DIRECTORY SOURCE: build it with the backend.h there.
plugin() {
	mkdir -p "$tmp/out"
	# shellcheck disable=SC2086 # CC may have options
	$CC -std=gnu11 -O1 -Wall -Werror -fPIC -fvisibility=hidden -pthread -shared \
		-Wl,-z,defs -Wl,-z,nodelete -MD -MF "$tmp/rule" "-I$1" \
		"-I$src/include" "-I$build/include" \
		-o "$tmp/out/libdpr-mydevice.so" "$2" >"$tmp/log" 2>&1 ||
		fail "$2 cannot be built with $1"
	# A rule of make has a backslash before each space of a name.
	sed 's/\\ / /g' "$tmp/rule" >"$tmp/used"
	grep -qF "$1/dpr/backend.h" "$tmp/used" ||
		fail "it was not built with $1/dpr/backend.h"
	grep -qF "$src/include/dpr/backend.h" "$tmp/used" &&
		fail "it was built with another backend.h, too"
}

# works WHAT: the contract is kept, and programs can use the plugin.
works() {
	"$dpr" check-plugin --timeout 30 --group descriptor --group open \
		--group outputs --group info --group memory --group copies \
		--group order --group events --group modules --group kernels \
		--group finish --group arrays "$tmp/out/libdpr-mydevice.so" \
		>"$tmp/log" 2>&1 || fail "findings in $1"
	grep -q '^arrays\..* clean$' "$tmp/log" ||
		fail "$1 computes no arrays"
	DPR_PLUGINS=$tmp/out/libdpr-mydevice.so "$dpr" eval \
		'sum(sqrt(x*x + y*y)) > 0' --device mydevice \
		"x=$src/examples/data/x.npy" "y=$src/examples/data/y.npy" \
		>"$tmp/log" 2>&1 || fail "no array is computed by $1"
	grep -qi true "$tmp/log" || fail "a wrong value by $1"
	echo "$1 works"
}

plugin "$frozen" "$src/backends/template/mydevice.c"
works "a plugin of version 1.0"

# A plugin of the next version has members that this core does not know, and
# entries that the core must not call.
next=$tmp/next
mkdir -p "$next/dpr"
cp "$src/include/dpr/info.h" "$next/dpr"
minor=$(sed -n 's/^#define DPRP_ABI_MINOR \([0-9]*\).*/\1/p' \
	"$src/include/dpr/backend.h")
sed -e "s/^\(#define DPRP_ABI_MINOR\) .*/\1 $((minor + 1))/" \
	-e 's/^} dprp_\([a-z]*_ops\|plugin\|host\);/	void (*added)(void);\n&/' \
	-e 's/^} dprp_\(deps\|[a-z]*_desc\|partition\|image\|launch\|event_state\|ext\|ipc\|native_module\|test_fault\);/	uint64_t added;\n&/' \
	"$src/include/dpr/backend.h" >"$next/dpr/backend.h"
[ "$(diff "$src/include/dpr/backend.h" "$next/dpr/backend.h" |
	grep -c '^> .*added')" -ge 18 ] || fail "the structs did not grow"
awk '
/^#define NAME/ {
	print
	print "\n#include <stdlib.h>\nstatic void added(void)\n{\n\tabort();\n}"
	next
}
/^static const dprp_[a-z]*_ops |^static const dprp_plugin / { inside = 1 }
inside && /^};/ {
	print "\t, added"
	tables++
	inside = 0
}
{ print }
END { exit tables != 7 }
' "$src/backends/template/mydevice.c" >"$tmp/next.c" ||
	fail "the template has not seven tables"
plugin "$next" "$tmp/next.c"
works "a plugin of version 1.$((minor + 1))"

# A plugin that needs the next version of the core is refused, with a message.
sed 's/^\(	0,\)\( .. the oldest minor version\)/	DPRP_ABI_MINOR,\2/' \
	"$tmp/next.c" >"$tmp/needs.c"
plugin "$next" "$tmp/needs.c"
DPR_PLUGINS=$tmp/out/libdpr-mydevice.so "$dpr" devices >"$tmp/log" 2>&1 &&
	fail "a plugin that needs a newer core has devices"
grep -q "version 1\.$((minor + 1))" "$tmp/log" ||
	fail "it is not said which version the plugin needs"
