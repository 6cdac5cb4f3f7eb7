#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tables of kernels/: a line that is malformed is refused by its name, and
# one more reduction has everything but a function in native code and a text for
# calls with a mask: declarations, functions, an entry in the table, a name in
# expressions.
set -u
# shellcheck disable=SC2154 # both come from the test environment
src=$top_srcdir build=$top_builddir
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-tables.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
AWK=${AWK:-awk} CC=${CC:-cc}
failed=0 planted=0

complain() {
	echo "FAIL: $*"
	failed=1
}

operations() {
	"$AWK" -v output="$1" -f "$src/kernels/ops.awk" "$2"
}

reductions() {
	"$AWK" -v operations="$tmp/list" -f "$src/kernels/reductions.awk" "$@"
}

# refused COMMAND PATTERN: the last line of $tmp/table is refused, and the
# message has its place.
refused() {
	planted=$((planted + 1))
	lines=$(wc -l <"$tmp/table")
	if "$1" "$tmp/table" >/dev/null 2>"$tmp/log"; then
		complain "accepted: $(tail -n 1 "$tmp/table")"
	elif ! grep -q "/table:$lines: $2" "$tmp/log"; then
		complain "no \"$2\", but: $(cat "$tmp/log")"
	fi
}

# --- Operations -------------------------------------------------------------

list() {
	operations list "$1"
}

# operation LINE PATTERN
operation() {
	{
		echo 'add 2 arith same ; f x + y ; # x1 + x2.'
		echo "$1"
	} >"$tmp/table"
	refused list "$2"
}

operation 'new 2 arith same ; f x + y' 'a line ends with ; # and a text'
operation 'new 2 arith ; f x + y ; # x' 'a line begins with name'
operation 'new 2 slow same ; f x + y ; # x' 'new: unknown family'
operation 'new 2 arith less ; f x + y ; # x' 'new: unknown family'
operation 'new 4 arith same ; f x + y ; # x' 'new: unknown family'
operation 'new 2 arith same ; g x + y ; # x' 'new: classes are of'
operation 'add 2 arith same ; f x + y ; # x' 'add: is there twice'
operation 'new 2 arith same ; f steps ; # x' 'new: only the family steps'
operation 'new 2 steps same ; f x + y ; # x' 'new: only the family steps'
operation 'old 1 steps same ; f steps ; # x
new 2 arith same ; f x + y ; # x' 'new: comes after'

# --- Reductions -------------------------------------------------------------

list "$src/kernels/operations.def" >"$tmp/list" || exit 99

# reduction LINE PATTERN
reduction() {
	{
		echo 'REDUCTION(total, add, WIDE, ZERO, NOTHING, "The sum.")'
		echo "$1"
	} >"$tmp/table"
	refused reductions "$2"
}

reduction 'REDUCTION(new, add, WIDE, ZERO, NOTHING)' 'new: six columns'
reduction 'REDUCTION(new, add, ZERO, NOTHING, "x")' 'new: six columns'
reduction 'REDUCTION(new, add, WIDE, ZERO, NOTHING, x)' 'new: six columns'
reduction 'REDUCTION(new, add, WIDE, ZERO, NOTHING, "x", 1)' 'new: six columns'
reduction 'REDUCTION(new, add, WIDE, ZERO, NOTHING, "")' 'new: a text in quotes'
reduction 'REDUCTION(new, add, WIDE, ZERO, NOTHING, "*/")' 'new: a text in quotes'
reduction 'REDUCTION(new, nothing, WIDE, ZERO, NOTHING, "x")' 'new: nothing combines'
reduction 'REDUCTION(new, sqrt, WIDE, ZERO, NOTHING, "x")' 'new: sqrt combines'
reduction 'REDUCTION(new, less, BOOL, ZERO, NOTHING, "x")' 'new: less combines'
reduction 'REDUCTION(new, add, LONG, ZERO, NOTHING, "x")' 'new: unknown dtype'
reduction 'REDUCTION(new, add, WIDE, TWO, NOTHING, "x")' 'new: unknown dtype'
reduction 'REDUCTION(new, add, WIDE, ZERO, ROOT, "x")' 'new: unknown dtype'
reduction 'REDUCTION(new, subtract, BOOL, ZERO, NOTHING, "x")' 'new: subtract does not'
reduction 'REDUCTION(new, bitwise_or, FLOAT, ZERO, NOTHING, "x")' 'new: bitwise_or does not'
reduction 'REDUCTION(new, add, SAME, HIGHEST, NOTHING, "x")' 'new: complex numbers have'
reduction 'REDUCTION(new, add, SAME, ZERO, DIVIDE, "x")' 'new: only FLOAT'
reduction 'REDUCTION(total, add, WIDE, ZERO, NOTHING, "x")' 'total: is there twice'
reduction 'REDUCTION(New, add, WIDE, ZERO, NOTHING, "x")' 'New: is no name'
reduction 'REDUCTION(hypot, add, WIDE, ZERO, NOTHING, "x")' 'hypot: is an operation'
reduction 'REDUCE(new, add, WIDE, ZERO, NOTHING, "x")' 'a line begins with REDUCTION'
reduction 'REDUCTION(new, add, WIDE, ZERO, NOTHING, "x"' 'the last line has no end'

# derivation LINE PATTERN
derivation() {
	{
		echo 'REDUCTION(total, add, WIDE, ZERO, NOTHING, "The sum.")'
		echo 'DERIVED(old, ALONG, "x", "The same.")'
		echo "$1"
	} >"$tmp/table"
	refused reductions "$2"
}

derivation 'DERIVED(new, REDUCES, "x")' 'new: four columns'
derivation 'DERIVED(new, REDUCES, "x", x)' 'new: four columns'
derivation 'DERIVED(new, REDUCES, "x", "y", "z")' 'new: the expression is in one'
derivation 'DERIVED(new, REDUCES, x, "y", "z")' 'new: four columns'
derivation 'DERIVED(new, REDUCES, "x", "")' 'new: an expression or a text'
derivation 'DERIVED(new, REDUCES, "", "x")' 'new: an expression or a text'
derivation 'DERIVED(new, REDUCES, "x", "*/")' 'new: an expression or a text'
derivation 'DERIVED(new, SUMS, "x", "x")' 'new: unknown form'
derivation 'DERIVED(old, ALONG, "x", "x")' 'old: is there twice'
derivation 'DERIVED(total, ALONG, "x", "x")' 'total: is there twice'
derivation 'DERIVED(hypot, ALONG, "x", "x")' 'hypot: is an operation'
derivation 'DERIVED(New, ALONG, "x", "x")' 'New: is no name'
: >"$tmp/table"
refused reductions 'there are no reductions'

# --- One more reduction -----------------------------------------------------

# CC may be several words.
compile() {
	# shellcheck disable=SC2086
	$CC -std=gnu11 "-I$tmp/more" "-I$tmp/more/include" "-I$build" \
		"-I$build/include" "-I$src" "-I$src/include" "$@" 2>"$tmp/log"
}

# make_more SUM: a table of reductions with one more, "more", that accumulates by
# rule SUM.
make_more() {
	mkdir -p "$tmp/more/kernels" "$tmp/more/include/dpr"
	{
		cat "$src/kernels/reductions.def"
		echo "REDUCTION(more, fmax, $1, ONE, NOTHING,"
		echo '	"The larger one, of"'
		echo '	" all.")'
	} >"$tmp/more/kernels/reductions.def"
	reductions "$tmp/more/kernels/reductions.def" \
		>"$tmp/more/include/dpr/reductions.h" ||
		complain "one more reduction is refused"
}

# declares SUFFIX ARGUMENT
declares() {
	tr -s '\n\t ' ' ' <"$tmp/more/include/dpr/reductions.h" | grep -qF \
		"DPR_API DPR_CHECK dpr_status dpr_more$1( const dpr_array *x, const struct dpr_axes *axis, $2);"
}

# What is made of the table, as objects, without what nothing uses.
objects() {
	for file in derived/reductions engine/reduce_table; do
		compile -O1 -D_GNU_SOURCE -c "$src/core/array/$file.c" \
			-o "$tmp/${file##*/}.o" || {
			complain "$file.c with one more reduction"
			cat "$tmp/log"
		}
	done
}

defines() {
	${NM:-nm} -P "$tmp/reductions.o" | grep -q "^$1 T"
}

# knows PARAMETERS: whether expressions have the function, with these parameters.
knows() {
	compile -E "$src/core/array/expression/builtins.c" -o "$tmp/builtins.i" &&
		tr -d '\n\t ' <"$tmp/builtins.i" |
		grep -qF '"more",1,2,sizeof((constchar*[]){'"$1"
}

if ! compile --version >/dev/null; then
	echo "needs $CC"
	exit 77
fi
make_more WIDE
tr -s '\n ' ' ' <"$tmp/more/include/dpr/reductions.h" |
	grep -q 'The larger one, of all\. .* Without elements it is 1\.' ||
	complain "the text of one more reduction"
declares '' 'dpr_array **out' || complain "dpr_more() is not declared"
declares _into 'dpr_array *out' || complain "dpr_more_into() is not declared"
declares _as 'dpr_dtype dtype, dpr_array **out' ||
	complain "dpr_more_as() is not declared"
objects
for name in dpr_more dpr_more_into dpr_more_as; do
	defines $name || complain "there is no $name()"
done
knows '"x","axis","keepdims"' || complain "expressions have no more()"
knows '"x","axis","keepdims","dtype"' ||
	complain "more() of expressions takes no dtype"

# Native code needs a function, and says so.
if compile -fsyntax-only "$src/core/array/engine/native/vmcode_reduce.c"; then
	complain "native code combines by fmax"
elif ! grep -q 'native code does not combine by fmax' "$tmp/log"; then
	complain "vmcode_reduce.c does not say what is missing:"
	cat "$tmp/log"
fi

# So does a text for calls with a mask: of a reduction, and of a derived function.
# The macro is for ccache, which does not see that a table has come before another.
# masked_missing NAME
masked_missing() {
	if compile -fsyntax-only -D_GNU_SOURCE "-DPLANTED_$1" \
		"$src/core/array/expression/derived_table.c"; then
		complain "derived_table.c compiles without a masked text of $1()"
	elif ! grep -q "MASKED__$1" "$tmp/log"; then
		complain "derived_table.c does not say what is missing:"
		cat "$tmp/log"
	fi
}

masked_missing more
mkdir -p "$tmp/more/core/array/expression"
{
	cat "$src/core/array/expression/masked.def"
	echo 'MASKED(more, WIDE, "more(where(where, x, 1), axis=axis)")'
} >"$tmp/more/core/array/expression/masked.def"
compile -fsyntax-only -D_GNU_SOURCE \
	"$src/core/array/expression/derived_table.c" || {
	complain "derived_table.c with a masked text of one more reduction"
	cat "$tmp/log"
}
{
	cat "$src/kernels/derived.def"
	echo 'DERIVED(chosen, CHOOSES, "sum(x, axis=axis, keepdims=True)", "x")'
} >"$tmp/more/kernels/derived.def"
masked_missing chosen
rm -r "$tmp/more/core" "$tmp/more/kernels/derived.def"

# Other rules have no dtype.
make_more FLOAT
declares _as 'dpr_dtype dtype, dpr_array **out' &&
	complain "dpr_more_as() is declared"
objects
defines dpr_more_as && complain "there is a dpr_more_as()"
knows '"x","axis","keepdims","dtype"' &&
	complain "more() of expressions takes a dtype"

[ $failed -eq 0 ] && echo "$planted malformed lines are refused, one more line serves"
exit $failed
