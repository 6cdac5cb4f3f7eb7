#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that every public function that takes or gives handles names them to the
# layer "handles", by the types in the public headers.  A status function does so
# in HANDLES() behind TRACE_CALL, any other in a macro HANDLES_*.
set -u
me=api_handles runs_dpr=no
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"
src=${top_srcdir:-.}

# Each declaration on a line: NAME PARAMETERS.
for header in "$src"/include/dpr/*.h; do
	case $header in
	*/backend*.h | */help-*.h) continue ;;
	esac
	tr '\n\t' '  ' <"$header" | sed 's:/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/::g' |
		grep -o 'DPR_API [^;]*;'
done | sed -n 's/.*\<\(dpr_[a-z0-9_]*\) *(\(.*\)) *;/\1 \2/p' >"$tmp/declared"
types='device|queue|event|usm|program|kernel|array|expression'
# A device lasts, so none is named that a function gives.
sed 's/dpr_device \*\*//g' "$tmp/declared" | grep -E \
	" .*(\<dpr_($types) \*|\<dpr_events \*|\<dpr_operand [a-z]|const dpr_(operand|binding|arg) \*)" |
	sed 's/ .*//' | sort -u >"$tmp/wanted"
[ "$(wc -l <"$tmp/wanted")" -gt 150 ] || complain "too few functions were found"

# The functions that name handles.
find "$src/core" -name '*.c' -exec awk '
	/^[a-z]/ {
		name = $0
		sub(/^dpr_status *\(?/, "", name)
		name = match(name, /dpr_[a-z0-9_]+\)?\(/) ? \
			substr(name, RSTART, RLENGTH) : ""
		gsub(/[()]/, "", name)
	}
	/;$/ && !/^\t/ { name = "" }
	name != "" && /^\{/ {
		if ((getline line) > 0 && line == "\tTRACE_CALL;")
			getline line
		if (line ~ /^\tHANDLES(_(GET|ASK|LEND|RETAIN|KEEP|RELEASE))?\(/)
			print name
		name = ""
	}' {} + | sort -u >"$tmp/named"
comm -23 "$tmp/wanted" "$tmp/named" >"$tmp/missing"
# What a macro makes.
grep -vE '^dpr_((ones|zeros)(_like|_on)?|(matmul|matvec|vecmat)(_into)?)$' \
	"$tmp/missing" >"$tmp/bad"
while read -r name; do
	complain "$name() does not name its handles to the layer"
done <"$tmp/bad"
for file in data/creation functions/elementwise \
	derived/derived derived/reductions products/matmul; do
	macros=$(grep -c '^		TRACE_CALL; *\\$' "$src/core/array/$file.c")
	[ "$macros" -gt 0 ] &&
		[ "$macros" = "$(grep -c '^		HANDLES(.*); *\\$' \
			"$src/core/array/$file.c")" ] ||
		complain "a macro of $file.c has no HANDLES()"
done

finish
