#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs dpr eval as a user types it: results, exit statuses, messages.  After a
# failure no output file must be left.
#
# usage: api_eval.sh [SELECTOR [few]]
# On OpenCL it takes a few expressions: its drivers compile for each process.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
if [ $# -eq 0 ]; then
	ran=no
	for device in host 'opencl few'; do
		# shellcheck disable=SC2086 # a list of words
		sh "$0" $device
		case $? in
		0) ran=yes ;;
		77) ;;
		*) exit 1 ;;
		esac
	done
	[ "$ran" = yes ] || exit 77
	exit 0
fi
src=${top_srcdir:-.}
dpr=${top_builddir:-.}/tools/dpr
device=$1
few=${2-}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-eval.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
x=$src/examples/data/x.npy
y=$src/examples/data/y.npy
failed=0
checks=0

[ -x "$dpr" ] || {
	echo "skipped: $dpr is not built"
	exit 77
}
"$dpr" eval 'ones(1)' --device "$device" >/dev/null 2>"$tmp/why" || {
	if grep -q 'DPR_ERROR_NOT_FOUND\|no device' "$tmp/why"; then
		echo "skipped: no device '$device'"
		exit 77
	fi
	cat "$tmp/why"
	exit 1
}

complain() {
	echo "FAILED: $*"
	failed=1
}

# run STATUS ARGUMENT...: check that dpr eval ends with STATUS.
run() {
	expected=$1
	shift
	checks=$((checks + 1))
	"$dpr" eval --device "$device" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	what="dpr eval $*"
	[ "$status" -eq "$expected" ] || {
		complain "$what: status $status instead of $expected"
		cat "$tmp/err"
	}
}

# prints TEXT: check that the last run printed TEXT, without blanks at line
# ends.
prints() {
	found=$(sed 's/[ 	]*$//' "$tmp/out")
	[ "$found" = "$1" ] ||
		complain "$what: printed '$found' instead of '$1'"
}

# says TEXT: check that the last run printed TEXT on stderr, and no result.
says() {
	grep -qF -- "$1" "$tmp/err" || {
		complain "$what: does not say '$1' but"
		cat "$tmp/err"
	}
	[ ! -s "$tmp/out" ] || complain "$what: printed a result, too"
}

finish() {
	[ "$failed" -eq 0 ] && echo "api_eval: $checks runs on $device"
	exit "$failed"
}

# --- Results -------------------------------------------------------------------

run 0 'x' x="$x"
prints '[-4. -3. -2. -1.  0.  1.  2.  3.  4.]'
run 0 'sum(sqrt(x*x + y*y), axis=0, keepdims=True) * 0 + 1' x="$x" y="$y"
prints '[[1. 1. 1. 1. 1. 1. 1. 1. 1.]]'
run 0 'astype(x + y, float64)' x="$x" y="$y" -o "$tmp/r.npy"
prints ''
run 0 'sum(r)' r="$tmp/r.npy"
prints 0.0
run 1 'x + z' x="$x"
says "unknown name 'z'; known are x"
[ -z "$few" ] || finish

run 0 '1 + 2*3'
prints 7
run 0 '2**0.5'
prints 1.4142135623730951
run 0 'x*x + 1' x="$x"
prints '[17. 10.  5.  2.  1.  2.  5. 10. 17.]'
run 0 'sum(x*x)' x="$x"
prints 60.0
run 0 'max(x + y)' x="$x" y="$y"
prints 8.0
run 0 'where((x < 0) & ~(x == -2), 0, x)' x="$x"
prints '[ 0.  0. -2.  0.  0.  1.  2.  3.  4.]'
run 0 'astype(x, int32) // 2 % 3' x="$x"
prints '[1 1 2 2 0 0 1 1 2]'
run 0 'any(x > 3)' x="$x"
prints True
run 0 'multiply_add(x, 2, 1)' x="$x"
prints '[-7. -5. -3. -1.  1.  3.  5.  7.  9.]'
run 0 'sqrt(4)*x' x="$x"
prints '[-8. -6. -4. -2.  0.  2.  4.  6.  8.]'
run 0 'real(x*1j + 2)' x="$x"
prints '[2. 2. 2. 2. 2. 2. 2. 2. 2.]'
run 0 'reshape(arange(6), (2, 3)) ** 2'
prints '[[ 0  1  4]
 [ 9 16 25]]'
# A file may have the name of a constant.
run 0 'sum(concat((e, x), axis=0))' x="$x" e="$x"
prints 0.0
run 0 'arange(5, step=2)'
prints '[0 2 4]'
run 0 'arange(5, None, 2)'
prints '[0 2 4]'
run 0 'arange(1, 5, 2)'
prints '[1 3]'
run 0 '(-x) + +x - -2' x="$x"
prints '[2. 2. 2. 2. 2. 2. 2. 2. 2.]'

run 0 'x[1:-1:2] + x[0]*x[::-1][2:6]' x="$x"
prints '[-11.  -5.   1.   7.]'
run 1 '1 + x[9]' x="$x"
says 'column 6: index: 9 is out of range for axis 0 of extent 9'
run 1 'x[i]' x="$x"
says "column 3: unknown name 'i'; known are x"

run 0 'd = x - 1; min(d), max(d)' x="$x"
prints '-5.0
3.0'
run 0 'sum(x)' x="$x" --explain
prints 0.0
grep -q '1  sum(x)  *float32  *()  *4  eager' "$tmp/err" ||
	complain "--explain says $(cat "$tmp/err")"
tail -n 1 "$tmp/err" | grep -qx '1 launch, 0 bytes in between\|2 launches, 0 bytes in between' ||
	complain "--explain ends with $(tail -n 1 "$tmp/err")"

# --- Files ---------------------------------------------------------------------

# NumPy's samples in Fortran order, and in the other byte order.
run 0 'matrix_transpose(r)' r="$tmp/r.npy" -o "$tmp/t.npy"
run 0 'all(matrix_transpose(t) == r)' r="$tmp/r.npy" t="$tmp/t.npy"
prints True
run 0 '3' -o "$tmp/three.npy"
run 0 'three + 1' three="$tmp/three.npy"
prints 4
run 0 'zeros((0, 3))' -o "$tmp/empty.npy"
run 0 'sum(empty)' empty="$tmp/empty.npy"
prints 0.0
if command -v python3 >/dev/null 2>&1; then
	(cd "$tmp" && cp "$x" x.npy &&
		python3 -m zipfile -c two.npz x.npy three.npy)
	run 0 'x + three' x="$tmp/two.npz" three="$tmp/two.npz"
	prints '[-1.  0.  1.  2.  3.  4.  5.  6.  7.]'
	run 1 'y' y="$tmp/two.npz"
	says "two.npz: has no array 'y'"
fi
"$dpr" eval --device "$device" 'x' x="$x" -o /dev/stdout 2>"$tmp/err" |
	cmp -s - "$x" || complain "x written to a pipe is not x.npy again"
"$dpr" eval --device "$device" 'sum(x*x)' x=/dev/stdin <"$x" >"$tmp/out" ||
	complain "reading a .npy from standard input"
run 0 'x' x="$x" --time
grep -q '^compute ' "$tmp/err" || complain "--time says nothing"

# --- Standard input and output ---------------------------------------------------

"$dpr" eval --device "$device" 'x' x="$x" -o - 2>"$tmp/err" | cmp -s - "$x" ||
	complain "-o - does not write x.npy"
"$dpr" eval --device "$device" 'x + 1' x="$x" -o - |
	"$dpr" eval --device "$device" 'sum(x) + sum(y)' x=- y="$y" >"$tmp/out" ||
	complain "from one dpr eval to the next"
prints "$("$dpr" eval --device "$device" 'sum(x + 1) + sum(y)' x="$x" y="$y")"
run 2 'x + y' x=- y=-
says 'y: the standard input, -, has one array'
cat "$x" "$x" >"$tmp/long.npy"
run 1 'x' x=- <"$tmp/long.npy"
says 'standard input: it goes on after the elements of the array'
run 1 'x' x=- <"$src/tests/tools/api_eval.sh"
says 'standard input: '
run 1 'x' x=- </dev/null
says 'standard input: '
run 2 'x' x="$x" -o - --plot
says '-o - and --plot both write to the standard output'
run 1 'x, -x' x="$x" -o -
says 'the expression has 2 results'
if [ -w /dev/full ]; then
	"$dpr" eval --device "$device" 'x' x="$x" -o - >/dev/full 2>"$tmp/err" &&
		complain "-o - to a full disk succeeds"
fi
terminal=no
if command -v script >/dev/null; then
	terminal=yes
	# on_terminal COMMAND: run dpr eval COMMAND on a terminal of 50 columns.
	on_terminal() {
		script -qec "stty cols 50 rows 20; '$dpr' eval -d '$device' $1" \
			/dev/null </dev/null 2>&1 | tr -d '\r' >"$tmp/out"
	}
	on_terminal "x x='$x' -o -"
	grep -q 'the standard output is a terminal' "$tmp/out" ||
		complain "a .npy file on a terminal: $(cat "$tmp/out")"
	on_terminal "x x=-"
	grep -q 'the standard input is a terminal' "$tmp/out" ||
		complain "x=- from a terminal: $(cat "$tmp/out")"
fi

# --- Drawings --------------------------------------------------------------------

LC_ALL=C
export LC_ALL
run 0 'x' x="$x" --plot
[ "$(wc -l <"$tmp/out")" = 17 ] || complain "a line of $(wc -l <"$tmp/out") lines"
awk 'length($0) > 80 || /[^ -~]/ { exit 1 }' "$tmp/out" ||
	complain "more than 80 columns, or not ASCII"
grep -qx "  *4 .*'" "$tmp/out" || complain "the largest is not at the top right"
grep -qx '  *-4 \..*' "$tmp/out" || complain "the smallest is not at the bottom left"
tail -n 1 "$tmp/out" | grep -qx '9 elements from -4 to 4' ||
	complain "the last line: $(tail -n 1 "$tmp/out")"
run 0 'reshape(x, (3, 3))' x="$x" -p
prints '  ..::
--++**
##%%@@
3 x 3 elements from -4 to 4'
run 0 'x // 3' x="$x" --plot=hist
grep -qx '  *-1 #* 3' "$tmp/out" || complain "three elements are -1"
run 0 'reshape(x, (1, 3, 3))' x="$x" --plot=hist
grep -q '^9 elements' "$tmp/out" || complain "a histogram of three axes"
for dtype in bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 \
	bfloat16 float64; do
	run 0 "astype(arange(2) + 0, $dtype)" --plot
	tail -n 1 "$tmp/out" | grep -qx '2 elements from 0 to 1' ||
		complain "a line of $dtype: $(tail -n 1 "$tmp/out")"
done
run 0 'where(x > 3, nan, where(x < -3, inf, x))' x="$x" --plot
tail -n 1 "$tmp/out" | grep -qx '9 elements from -3 to 3, 1 NaN (?), 1 infinite (^)' ||
	complain "NaN and infinity: $(tail -n 1 "$tmp/out")"
grep -q '\^.*?' "$tmp/out" || complain "no marks"
run 0 'zeros((0, 3))' --plot
prints '0 x 3 elements'
run 0 '7' --plot
tail -n 1 "$tmp/out" | grep -qx '1 element from 7 to 7' || complain "a number"
run 0 'x, x + 1' x="$x" --plot=hist
[ "$(grep -c '^9 elements' "$tmp/out")" = 2 ] || complain "two drawings"
run 0 'x' x="$x" --plot=hist -o "$tmp/p.npy"
cmp -s "$tmp/p.npy" "$x" || complain "-o beside --plot"
LC_ALL=C.UTF-8
run 0 'x' x="$x" --plot
grep -q '▀$' "$tmp/out" || echo "no blocks: is there no locale C.UTF-8?"
LC_ALL=C
if [ $terminal = yes ]; then
	on_terminal "'linspace(0, 1, num=200)' --plot"
	[ "$(awk 'length($0) > n { n = length($0) } END { print n }' \
		"$tmp/out")" = 50 ] || complain "not the width of the terminal"
fi
run 1 'x*1j' x="$x" --plot
says 'the result is complex; draw its abs(), real() or imag()'
run 1 'reshape(x, (1, 3, 3))' x="$x" --plot
says 'the result has 3 axes; draw a part of it, as in x[0], or --plot=hist'
run 2 'x' x="$x" --plot hist
says 'hist: is not NAME=FILE.npy (a value of --plot follows a =, as in --plot=hist)'
run 2 'x' x="$x" --plot=line
says '--plot=line: neither hist nor a name that ends in .svg or .png'
unset LC_ALL

# Into a file, by a program in place of gnuplot, which gives its commands back.
mkdir "$tmp/bin"
printf '#!/bin/sh\ncat\n' >"$tmp/bin/gnuplot"
chmod +x "$tmp/bin/gnuplot"
before=$PATH
PATH=$tmp/bin:$PATH
run 0 'x*1' x="$x" --plot="$tmp/r.svg"
prints ''
grep -qx "set title 'x\*1' noenhanced" "$tmp/r.svg" || complain "no title"
[ "$(sed -n '/<< END/,/^END/p' "$tmp/r.svg" | grep -cx -- '-*[0-9]')" = 9 ] ||
	complain "not nine numbers"
run 0 'x' x="$x" --plot=hist,"$tmp/r.png"
grep -q 'set terminal pngcairo' "$tmp/r.png" || complain "no PNG"
run 1 'x/0*0' x="$x" --plot="$tmp/none.svg"
says 'none.svg: no element is finite, so there is nothing to draw'
run 1 'x, x' x="$x" --plot="$tmp/none.svg"
says 'the expression has 2 results'
run 1 'x' x="$x" --plot="$tmp/nowhere/r.svg"
says 'cannot write there'
printf '#!/bin/sh\necho no such terminal >&2\nexit 1\n' >"$tmp/bin/gnuplot"
run 1 'x' x="$x" --plot="$tmp/none.svg"
says 'no such terminal'
says 'gnuplot has failed'
[ ! -e "$tmp/none.svg" ] || complain "a file after a failure"
PATH=$before
# Without a gnuplot.  In a build tree, dpr may be a script that needs programs.
real=${top_builddir:-.}/tools/.libs/dpr
[ -x "$real" ] || real=$dpr
PATH=$tmp/nowhere LD_LIBRARY_PATH=${top_builddir:-.}/.libs "$real" eval \
	-d "$device" 'arange(3)' --plot="$tmp/none.svg" >"$tmp/out" 2>"$tmp/err" &&
	complain "there is no gnuplot"
says 'needs gnuplot, which is not installed'
if command -v gnuplot >/dev/null; then
	run 0 'x' x="$x" --plot="$tmp/real.svg"
	grep -q '</svg>' "$tmp/real.svg" || complain "gnuplot wrote no SVG"
	run 0 'reshape(x, (3, 3))' x="$x" --plot="$tmp/real.png"
	[ -s "$tmp/real.png" ] || complain "gnuplot wrote no PNG"
	run 0 'x*0' x="$x" --plot=hist,"$tmp/real.svg"
	[ ! -s "$tmp/err" ] || complain "gnuplot complains: $(cat "$tmp/err")"
	run 0 'zeros((3, 2))' --plot="$tmp/real.svg"
	[ ! -s "$tmp/err" ] || complain "gnuplot complains: $(cat "$tmp/err")"
fi

# --- What is refused, and how --------------------------------------------------

run 2
says 'the expression is missing'
run 2 'x' --what
says '--what: unknown option'
run 2 '-x' x="$x"
says '-x: unknown option (an expression that begins with - goes in parentheses)'
run 2 'x' -o
says 'needs a value'
run 2 'x' x
says 'x: is not NAME=FILE.npy'
run 2 'x' 1x="$x"
says '1x: is not a name'
run 2 'x' x=
says 'x: has no file'
run 2 'x' x="$x" x="$y"
says 'x: this name is given twice'

run 1 'x + z' x="$x"
says "unknown name 'z'; known are x"
says '  x + z
'
says '      ^'
run 1 'x + z'
says 'give its file as x=FILE.npy'
run 1 'astype(x, int)' x="$x"
says 'did you mean int64?'
grep -q 'give its file' "$tmp/err" && complain 'int is no file'
run 1 'rows + 1' row="$x"
says 'did you mean row?'
grep -q 'give its file' "$tmp/err" && complain 'rows is no file'
run 1 'x, -x' x="$x" -o "$tmp/two.npy"
says 'the expression has 2 results, but a file holds only one'
run 1 'sqr(x)' x="$x"
says "unknown function 'sqr'; did you mean sqrt?"
run 1 'sqrt(x, x)' x="$x"
says 'sqrt takes at most 1 argument'
run 1 'add(x)' x="$x"
says 'add needs the argument x2'
run 1 'sum(x, axes=0)' x="$x"
says "sum has no argument 'axes'"
run 1 'sum(x, axis=0, axis=0)' x="$x"
says 'axis is given twice'
run 1 'sum(x, axis=5)' x="$x"
says 'axis'
run 1 'sum(x, axis=1.5)' x="$x"
says 'sum: axis is neither an integer nor a tuple of integers'
run 1 'sum(x, keepdims=1)' x="$x"
says 'sum: keepdims is neither True nor False'
run 1 'x + ' x="$x"
says 'the expression ends where'
run 1 'x & 1' x="$x"
says 'bitwise_and'
run 1 'x + reshape(x, (3, 3))' x="$x"
says '  ^'
run 1 '1 // 0'
says '// divides by zero'
run 1 'x' x="$tmp/none.npy"
says "none.npy: cannot open: No such file or directory"
run 1 'x + float32' x="$x"
says '+ works only on arrays and numbers'
run 1 'astype(x, 1)' x="$x"
says 'not a dtype'
run 1 'x' x="$x" --device nonsense:0
says 'nonsense'
printf 'not a file' >"$tmp/bad.npy"
run 1 'x' x="$tmp/bad.npy"
says 'bad.npy: not a .npy file'
head -c 140 "$x" >"$tmp/short.npy"
run 1 'x' x="$tmp/short.npy"
says 'short.npy: cut short: 36 bytes of elements expected, 12 found'
head -c 140 "$x" | "$dpr" eval --device "$device" 'x' x=/dev/stdin \
	>"$tmp/out" 2>"$tmp/err" && complain "a pipe cut short is accepted"
says '36 bytes of elements expected, 12 found'

# --- Limits --------------------------------------------------------------------

# limit WORDS: print the number that the manual page gives before WORDS.
limit() {
	sed -n "s/.*at most \([0-9]*\) $1.*/\1/p" "$src/doc/man/dpr-expression.7"
}

# repeat COUNT LETTER: print LETTER COUNT times.
repeat() {
	printf "%$1s" '' | tr ' ' "$2"
}

longest=$(limit characters)
run 0 "1$(repeat $((longest - 1)) ' ')"
prints 1
run 1 "1$(repeat "$longest" ' ')"
says "at most $longest"
deepest=$(limit deep)
run 0 "$(repeat "$deepest" '(')1$(repeat "$deepest" ')')"
prints 1
run 1 "$(repeat $((deepest + 1)) '(')1$(repeat $((deepest + 1)) ')')"
says "nested deeper than $deepest"

# --- No output file after a failure ---------------------------------------------

mkdir "$tmp/folder"
for bad in 'x +' 'x + z' 'x & 1' 'sum(x, axis=7)'; do
	run 1 "$bad" x="$x" -o "$tmp/folder/r.npy"
done
run 1 'x' x="$tmp/short.npy" -o "$tmp/folder/r.npy"
run 1 'astype(x, bfloat16)' x="$x" -o "$tmp/folder/r.npy"
says '.npy has no bfloat16'
run 1 'x' x="$x" -o "$tmp/folder/none/r.npy"
says 'cannot write there'
run 1 'x' x="$x" -o "$tmp/folder"
says 'is a directory'
[ -z "$(ls -A "$tmp/folder")" ] ||
	complain "left in the folder: $(ls -A "$tmp/folder")"
cp "$y" "$tmp/folder/r.npy"
run 1 'x & 1' x="$x" -o "$tmp/folder/r.npy"
cmp -s "$y" "$tmp/folder/r.npy" || complain "the old file was changed"
if [ -w /dev/full ]; then
	run 1 'x' x="$x" -o /dev/full
	says '/dev/full: cannot write'
	"$dpr" eval --device "$device" 'x' x="$x" >/dev/full 2>"$tmp/err" &&
		complain "printing to a full disk succeeds"
fi

finish
