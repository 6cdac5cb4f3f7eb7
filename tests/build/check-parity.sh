#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/parity.md lists the functions of the array API and of dpctl.tensor, and
# those that dpr has.  The page is the output of parity.awk, and each function in
# it has a test.
#
# usage: check-parity.sh [--write]
# --write: write doc/parity.md instead.
set -u
src=${top_srcdir:-.}
build=${top_builddir:-.}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-parity.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=../support/declared.sh
. "$(dirname "$0")/../support/declared.sh"

gcc --version >/dev/null 2>&1 || {
	echo "needs gcc, which lists the declarations of the headers"
	exit 77
}
declared "$src/include:$build/include" "$tmp" >"$tmp/declared" || exit 1

# table LIST: parity.md of it, or the complaints of parity.awk.
table() {
	awk -v declared="$tmp/declared" -f "$src/doc/parity.awk" "$1"
}

table "$src/doc/parity.list" >"$tmp/parity.md" || exit 1
if [ "${1:-}" = --write ]; then
	cp "$tmp/parity.md" "$src/doc/parity.md"
	exit
fi
bad=0
cmp -s "$tmp/parity.md" "$src/doc/parity.md" || {
	diff "$src/doc/parity.md" "$tmp/parity.md"
	echo "doc/parity.md is not what it should be: check-parity.sh --write"
	bad=1
}

# The constants and types.
{
	sed 's|^|#include <dpr/|; s|$|>|' <<-END
		dpr.h
		dlpack.h
	END
	echo 'void use(void); void use(void) {'
	# shellcheck disable=SC2016 # the text has these marks
	grep -o '`DPR_[A-Z0-9_]*`' "$tmp/parity.md" | tr -d '`' | sort -u |
		sed 's/DPR_NEW_AXIS/sizeof(&)/; s/.*/(void)(&);/'
	# shellcheck disable=SC2016 # the text has these marks
	grep -o '`enum [a-z_]*`' "$tmp/parity.md" | tr -d '`' | sort -u |
		sed 's/.*/(void)sizeof(&);/'
	echo '}'
} >"$tmp/names.c"
gcc -std=gnu11 -fsyntax-only -I"$src/include" -I"$build/include" \
	"$tmp/names.c" || bad=1

# Functions of the tables have the tests that take each line of a table.
{
	grep -rhow 'dpr_[a-z0-9_]*' "$src/tests" --include='*.c' \
		--include='*.h' --include='*.cc' --include='*.sh'
	cut -f1 "$build/kernels/operations.list" | sed 's/^/dpr_/'
	sed -n 's/^\(REDUCTION\|DERIVED\)(\([a-z_]*\),.*/dpr_\2/p' \
		"$src/kernels/reductions.def" "$src/kernels/derived.def"
} | sort -u >"$tmp/tested"
# shellcheck disable=SC2016 # the text has these marks
grep -o '`dpr_[a-z0-9_]*()`' "$tmp/parity.md" | tr -d '`()' | sort -u |
	comm -23 - "$tmp/tested" >"$tmp/untested"
while read -r name; do
	echo "$name() is in doc/parity.md, but no test calls it"
	bad=1
done <"$tmp/untested"

# A function that is not there, and one without a name of its own.
printf 'shapes roll sd = dpr_rolled\nshapes untile sd ~ all\n' >"$tmp/planted"
if table "$tmp/planted" >/dev/null 2>"$tmp/told" ||
	[ "$(wc -l <"$tmp/told")" -ne 2 ]; then
	echo "parity.awk takes a list with two faults"
	bad=1
fi
exit $bad
