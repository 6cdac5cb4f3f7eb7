#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Both binary interfaces only grow: abidiff compares the types of this build with
# those of the released ones.  Of plugins that is the frozen header
# (tests/fixtures/backend-1.0), of libdpr.so the list tests/fixtures/libdpr.abi.
# New functions, and members at the end of what has a struct_size, are no
# findings.  Changes are planted to see that they are found.
#
# usage: check-abi.sh [--write FILE]
# --write FILE: write the list of this build's functions instead.
set -u
src=${top_srcdir:-.}
build=${top_builddir:-.}
frozen=$src/tests/fixtures/backend-1.0
CC=${CC:-cc}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-abi.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

for tool in abidiff abidw; do
	command -v $tool >/dev/null 2>&1 || {
		echo "needs $tool, of the package abigail-tools"
		exit 77
	}
done
if [ "$(uname -m)" != x86_64 ] || [ ! -e "$build/.libs/libdpr.so" ]; then
	echo "needs libdpr.so for x86-64, for which the list is"
	exit 77
fi

# compiled OBJECT SOURCE INCLUDE-DIRECTORY...: with all types of the headers.
compiled() {
	object=$1 source=$2
	shift 2
	for dir; do
		set -- "$@" "-I$dir"
		shift
	done
	# shellcheck disable=SC2086 # CC may have options
	$CC -std=gnu11 -D_GNU_SOURCE -g -O0 -w -fPIC -shared -nostdlib \
		-fno-eliminate-unused-debug-types "$@" -o "$object" "$source" ||
		exit 99
}

# abidiff knows its files by their first line.
sed 1d "$src/tests/fixtures/libdpr.abi" >"$tmp/libdpr.abi" || exit 99
list=$tmp/libdpr.abi

# sizes FILE: the structs that may grow, with their sizes.  Their attributes come in
# an order that depends on abidw.
sizes() {
	case $1 in
	*.abi) cat "$1" ;;
	*) abidw "$1" ;;
	esac | sed -n "s/.*class-decl name='\([a-z0-9_]*\)'.* size-in-bits='\([0-9]*\)'.*/\1 \2/p" |
		grep -E '^(dprp_|dpr_(dlpack_options|pool_stats|allocator|build_options|expression_options|print_options) )' |
		grep -vE '^dprp_(arg|spec|param|native_kernel|sink) ' | sort -u
}

# same OLD NEW: NEW has all of OLD.  If a struct has become longer, abidiff only
# says so.  unit_abi checks that the old members are in their places.  FILE is the
# C library's, and differs between its versions.
same() {
	sizes "$1" >"$tmp/old"
	sizes "$2" >"$tmp/new"
	{
		echo _IO_FILE
		join "$tmp/old" "$tmp/new" | while read -r name old new; do
			[ "$new" -gt "$old" ] && echo "$name"
		done
	} | while read -r name; do
		printf '[suppress_type]\n type_kind=struct\n name=%s\n' "$name"
	done >"$tmp/allowed"
	abidiff --no-added-syms --suppressions "$tmp/allowed" "$1" "$2" \
		>"$tmp/out" 2>&1
}

bad=0
# found WHAT OLD NEW: the planted change is found.
found() {
	if same "$2" "$3"; then
		echo "planted, but not found: $1"
		bad=1
	fi
}

# --- libdpr.so --------------------------------------------------------------

{
	for header in "$src"/include/dpr/*.h "$build"/include/dpr/*.h; do
		echo "#include <dpr/${header##*/}>"
	done | sort -u
	# shellcheck disable=SC2086 # NM may have options
	${NM:-nm} -D -P --defined-only "$build/.libs/libdpr.so" |
		sed -n 's/^\(dpr_[a-z0-9_]*\)[ @].*/__typeof__(\1) *abi_\1;/p'
} >"$tmp/public.c"
compiled "$tmp/public.so" "$tmp/public.c" "$src/include" "$build/include"
if [ "${1-}" = --write ]; then
	{
		echo '<!-- SPDX-License-Identifier: Apache-2.0 -->'
		abidw --no-show-locs --no-corpus-path --no-comp-dir-path \
			--no-elf-needed --exported-interfaces-only \
			"$tmp/public.so" | sed 's/ path=.[^ ]*//; s/^ *//'
	} >"${2:?}"
	exit
fi
if ! same "$list" "$tmp/public.so"; then
	echo "libdpr.so no longer has all that it had; doc/abi.md says what may" \
		"change, and how:"
	cat "$tmp/out"
	bad=1
fi

# planted WHAT SED-SCRIPT: a change of a public header.
planted() {
	rm -rf "$tmp/planted"
	mkdir -p "$tmp/planted/dpr"
	cp "$src"/include/dpr/*.h "$build"/include/dpr/*.h "$tmp/planted/dpr"
	cat "$tmp"/planted/dpr/*.h >"$tmp/before"
	sed -i "$2" "$tmp"/planted/dpr/*.h
	cat "$tmp"/planted/dpr/*.h | cmp -s - "$tmp/before" && {
		echo "nothing was planted: $1"
		bad=1
	}
	compiled "$tmp/planted.so" "$tmp/public.c" "$tmp/planted"
	found "$1" "$list" "$tmp/planted.so"
}
grep -v 'abi_dpr_add;' "$tmp/public.c" >"$tmp/less.c"
compiled "$tmp/less.so" "$tmp/less.c" "$src/include" "$build/include"
found "a function less" "$list" "$tmp/less.so"
planted "another type of a parameter" \
	'/dpr_linspace(/s/dpr_operand start/double start/'
planted "a member more in a struct that is passed by value" \
	's/^} dpr_range;/	uint64_t more;\n&/'
planted "another value of a status" \
	's/X(ERROR_BUSY, -6/X(ERROR_BUSY, -60/'

# --- Plugins ----------------------------------------------------------------

cat >"$tmp/plugin.c" <<'END_PLUGIN'
#include <dpr/backend.h>

dprp_entry_fn abi_entry;
dprp_host *abi_host;
dprp_plugin *abi_plugin;
dprp_native_module *abi_native;
dprp_test_fault *abi_fault;
dprp_ext *abi_ext;
END_PLUGIN
# written_out SED-SCRIPT OBJECT: compile the backend.h of this tree with a change, and with
# the entries as version 1.0 has them: abidiff takes the name of a function's type for
# another type.
written_out() {
	rm -rf "$tmp/written"
	mkdir -p "$tmp/written/dpr"
	sed "$1" "$src/include/dpr/backend.h" | awk '
	/^typedef .*_fn\($/ || /^typedef .*_fn\([^*]/ {
		text = $0
		while (text !~ /;$/ && (getline more) > 0)
			text = text " " more
		print text
		match(text, /dprp_[a-z_]*_fn\(/)
		name = substr(text, RSTART, RLENGTH - 1)
		result[name] = substr(text, 9, RSTART - 9)
		rest[name] = substr(text, RSTART + RLENGTH - 1)
		next
	}
	/^\tdprp_[a-z_]*_fn \*/ && $1 in result {
		match($2, /[a-z_]+/)
		print result[$1] "(*" substr($2, RSTART, RLENGTH) ")" rest[$1]
		n++
		next
	}
	{ print }
	END { exit n < 40 }
	' >"$tmp/written/dpr/backend.h" || {
		echo "backend.h has hardly any entry with a type"
		exit 99
	}
	compiled "$2" "$tmp/plugin.c" "$tmp/written" "$src/include"
}

compiled "$tmp/frozen.so" "$tmp/plugin.c" "$frozen"
written_out '' "$tmp/now.so"
if ! same "$tmp/frozen.so" "$tmp/now.so"; then
	echo "dpr/backend.h has not all of version 1.0; doc/abi.md says what may" \
		"change, and how:"
	cat "$tmp/out"
	bad=1
fi

written_out '/dprp_mem_info_fn(/s/uint32_t key/uint64_t key/' "$tmp/changed.so"
found "another parameter of an entry's type" "$tmp/frozen.so" "$tmp/changed.so"
written_out '/dprp_event_destroy_fn(/s/void/dprp_rc/' "$tmp/changed.so"
found "another result of an entry's type" "$tmp/frozen.so" "$tmp/changed.so"

# changed WHAT SED-SCRIPT: a header of plugins with a change.
changed() {
	rm -rf "$tmp/changed"
	mkdir -p "$tmp/changed/dpr"
	cp "$frozen"/dpr/*.h "$tmp/changed/dpr"
	sed -i "$2" "$tmp/changed/dpr/backend.h"
	cmp -s "$frozen/dpr/backend.h" "$tmp/changed/dpr/backend.h" && {
		echo "nothing was planted: $1"
		bad=1
	}
	compiled "$tmp/changed.so" "$tmp/plugin.c" "$tmp/changed"
}
changed "a member less" '/uint32_t domain; /d'
found "a member less" "$tmp/frozen.so" "$tmp/changed.so"
changed "another type" 's/uint64_t size, const dprp_deps \*deps/uint32_t size, const dprp_deps *deps/'
found "another type of a parameter" "$tmp/frozen.so" "$tmp/changed.so"
changed "a longer argument" 's/^} dprp_arg;/	uint64_t more;\n&/'
found "a longer element of a list" "$tmp/frozen.so" "$tmp/changed.so"
changed "growth" 's/^} dprp_\(queue_ops\|deps\|host\|plugin\);/	void (*more)(void);\n&/'
same "$tmp/frozen.so" "$tmp/changed.so" || {
	echo "members at the end count as a change:"
	cat "$tmp/out"
	bad=1
}
[ $bad = 0 ] && echo "all of both released interfaces is there"
exit $bad
