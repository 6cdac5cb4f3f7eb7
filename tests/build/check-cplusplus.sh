#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests of dpr.hpp compile without a warning, as C++17 and C++20, with every
# compiler that is here; the examples in C++, as C++20 with g++ and as C++17 with
# clang.  The build compiles them as C++17 with g++.  The test of expressions and the
# program that measures dpr.hpp are run.  Code with another meaning than it seems to
# have does not compile.
set -u
# shellcheck disable=SC2154 # both come from the test environment
src=$top_srcdir build=$top_builddir
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-cplusplus.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

clangxx=clang++
for v in 19 18 17 16 15 14; do
	command -v $clangxx >/dev/null 2>&1 || clangxx=clang++-$v
done
set -- "$src"/tests/cplusplus/*.cc "$src"/examples/*_cxx.cc \
	"$src"/examples/*/*_cxx.cc
if ! pkg-config --exists check 2>/dev/null; then
	set -- "$src"/examples/*_cxx.cc "$src"/examples/*/*_cxx.cc
fi

bad=0 compiled=0
# compile COMPILER STANDARD FILE OUTPUT OPTION...
compile() {
	cxx=$1 std=$2 file=$3 out=$4
	shift 4
	compiled=$((compiled + 1))
	"$cxx" "-std=$std" -D_GNU_SOURCE -I"$src" -I"$src/include" \
		-I"$build/include" -Wall -Wextra -Wpedantic -Wshadow -Werror \
		"$file" -o "$out" "$@" || {
		echo "$file: not clean as $std with $cxx"
		bad=1
		return 1
	}
}

# run COMPILER STANDARD FILE ARGUMENT...: a program that this compiler made.
run() {
	by=$1 as=$2 made=$3
	# shellcheck disable=SC2046 # several options
	compile "$by" "$as" "$made" "$tmp/run" -L"$build/.libs" -ldpr -pthread \
		$(pkg-config --cflags --libs check) || return
	shift 3
	LD_LIBRARY_PATH=$build/.libs DPR_TEST_DEVICES=host "$tmp/run" "$@" \
		>"$tmp/log" 2>&1 && return
	cat "$tmp/log"
	echo "$made fails as $as with $by"
	bad=1
}

# refuse COMPILER OPTION...: each line of code below must be in an error or a
# warning.
cat >"$tmp/refused.cc" <<'END'
#include <dpr/dpr.hpp>
void refused(const dpr::queue &q, const dpr::kernel &k, dpr::array &x)
{
	q.launch(k, DPR_RANGE1(1), q.device());
	q.launch(k, DPR_RANGE1(1), x.shape());
	q.launch(k, DPR_RANGE1(1), dpr::shape{ 1 });
	q.launch(k, DPR_RANGE1(1), std::ref(x));
	q.launch(k, DPR_RANGE1(1), x + 1);
	q.launch(k, DPR_RANGE1(1), dpr::index(0));
	q.launch(k, { 0.5 }, x);
	(void)dpr::arange(0, DPR_FLOAT32);
	(void)dpr::arange(0, 8, 1, 2);
	(void)dpr::eye(3, DPR_FLOAT32);
	(void)dpr::linspace(0, 1, DPR_FLOAT32);
	(void)dpr::axes(0.9);
	(void)dpr::axes_kept(true);
	(void)sum(x, false);
	(void)dpr::detail::operand_of(x + x);
	dpr::extents lent = dpr::shape{ 2, 3 };
	(void)dpr::evaluate("x", "x");
	(void)dpr::evaluate("x", x);
	x + x;
	-x;
	sqrt(x);
	sum(x);
	sum(x, 0);
	where(x, x, 1);
	dpr::astype<int>(x);
	dpr::index(0, x);
}
END
refuse() {
	"$@" -I"$src/include" -I"$build/include" -fsyntax-only \
		"$tmp/refused.cc" 2>"$tmp/log"
	# Lines 4 to the last but one have code.
	n=4
	while [ $n -lt "$(wc -l <"$tmp/refused.cc")" ]; do
		grep -q "refused\.cc:$n:" "$tmp/log" || {
			echo "$1 takes: $(sed -n ${n}p "$tmp/refused.cc")"
			bad=1
		}
		n=$((n + 1))
	done
}

for cxx in g++ "$clangxx"; do
	command -v "$cxx" >/dev/null 2>&1 || continue
	case $cxx in
	clang*) refuse "$cxx" -std=c++17 -ferror-limit=0 ;;
	*) refuse "$cxx" -std=c++17 ;;
	esac
	for std in c++17 c++20; do
		for file; do
			case $cxx:$std:$file in
			*/api_cxx_expressions.cc) ;;
			g++:c++17:*/examples/* | clang*:c++20:*/examples/*) ;;
			*/gemv_clblast_cxx.cc)
				echo '#include <clblast.h>' | "$cxx" -x c++ -E - \
					>/dev/null 2>&1 && compile "$cxx" $std \
					"$file" "$tmp/none" -fsyntax-only
				;;
			*) compile "$cxx" $std "$file" "$tmp/none" -fsyntax-only ;;
			esac
		done
		# A library with a sanitizer needs programs with the same.
		if [ "${dpr_sanitizers-none}" = none ] &&
			pkg-config --exists check 2>/dev/null; then
			run "$cxx" $std \
				"$src/tests/cplusplus/api_cxx_expressions.cc"
			run "$cxx" $std \
				"$src/tools/bench/programs/cplusplus.cc" host 8 1
		fi
	done
done

if [ $compiled -eq 0 ]; then
	echo "needs g++ or clang++"
	exit 77
fi
[ $bad -eq 0 ] && echo "$compiled compilations"
exit $bad
