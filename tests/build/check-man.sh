#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The man pages that doc/reference/man.awk writes: each declared function has a page, each
# page has a short description, a page that another names is there, and mandoc has
# no complaint.  The page of an array function has an example, and the name in NumPy or
# the word none.  The pages of sections 1 and 7 are looked at, too, and dpr(1) has all
# environment variables.
# Also runs Doxygen and apropos, if they are installed; Doxygen's first page leads to
# all guides, and to the man pages of sections 1 and 7, which are pages there, too.
#
# usage: check-man.sh [DIRECTORY [NAME...]]
# Checks the pages in DIRECTORY, of the functions NAME..., rather than the tree's.
set -u
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-man.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0

complain() {
	echo "$*"
	bad=1
}

# man_pages DIRECTORY HEADER...: write the pages of the headers there.
man_pages() {
	dir=$1
	shift
	mkdir "$dir" || exit 99
	awk -v dir="$dir" -v version=0 -v top="$src" \
		-f "$src/doc/reference/tables.awk" -f "$src/doc/reference/facts.awk" \
		-f "$src/doc/reference/man.awk" "$@" pass=2 "$@" ||
		complain "man.awk fails"
}

if [ $# -gt 0 ]; then
	pages=$1
	shift
	printf '%s\n' "$@" >"$tmp/names"
else
	src=${top_srcdir:-.} build=${top_builddir:-.}
	# shellcheck source=../support/declared.sh
	. "$(dirname "$0")/../support/declared.sh"
	gcc --version >/dev/null 2>&1 || {
		echo "needs gcc, which lists the declarations of the headers"
		exit 77
	}
	declared "$src/include:$build/include" "$tmp" |
		grep -o '^dpr_[a-z0-9_]*' >"$tmp/names" || exit 1
	# A build with --disable-doc has no pages.
	pages=$tmp/man3
	man_pages "$pages" "$src"/include/dpr/*.h "$build"/include/dpr/*.h
fi
# The pages of sections 1 and 7, beside those of section 3.
others=$(dirname "$pages")
if [ -n "${src:-}" ]; then
	cp "$src"/doc/man/*.[17] "$others" || bad=1
	awk -v version=0 -f "$src/doc/reference/topics.awk" \
		"$src/doc/reference/topics.list" "$pages"/*.3 \
		>"$others/dpr-topics.7" || bad=1
	awk -v version=0 -f "$src/doc/reference/environment.awk" \
		"$src/core/base/env.h" >"$others/dpr-environment.7" || bad=1
	sed -n 's/^\.B \(DPR_[A-Z_]*\)$/\1/p' "$others/dpr-environment.7" >"$tmp/variables"
	[ -s "$tmp/variables" ] || complain "dpr-environment.7: has no variables"
	while read -r name; do
		grep -qx "\.B $name" "$others/dpr.1" ||
			complain "dpr.1: says nothing of $name"
	done <"$tmp/variables"
	# The values of complex numbers have tests of their own.
	sed -n 's/^\([a-z0-9]*\) .*| complex$/\1/p' "$src/doc/reference/special.list" \
		>"$tmp/complex"
	[ -s "$tmp/complex" ] || complain "special.list: has no complex values"
	while read -r name; do
		grep -q "{ \"$name\", (dpr_$name), CASES(" "$src/tests/kernels/api_special.c" ||
			complain "special.list: api_special.c has no complex values of $name"
	done <"$tmp/complex"
	# What man.awk makes of a header with every difficult form of a comment.
	mkdir "$tmp/sample"
	cat >"$tmp/sample/sample.h" <<-'END'
		/* sample.h - a header of this test. */
		#ifndef DPR_SAMPLE_H
		#define DPR_SAMPLE_H

		/* The functions below count, and never fail. */

		/* The most things. */
		#define DPR_SAMPLE_MAX 7

		/* How things are counted. */
		typedef enum dpr_sample_how {
			DPR_SAMPLE_UP = 0 /* upwards */
		} dpr_sample_how;

		/* A thing without a page. */
		struct dpr_sample_thing {
			int x; /* a number */
		};

		/* Count to a point (x, y).  More. */
		DPR_API int dpr_sample_point(dpr_sample_how how);

		/* The numbers 1, 2, ... up to 7 (or more).  More. */
		DPR_API int dpr_sample_numbers(void);

		/* Count as a type of function says.  More. */
		typedef int dpr_sample_count_fn(dpr_sample_how how,
			void *user);

		/* --- More ------------------------------------------------------ */

		/*
		 * Take @from apart.  It is kept.  Errors as dpr_sample_point(), and
		 * DPR_ERROR_SHAPE: the point has no shape.
		 */
		DPR_API DPR_CHECK dpr_status dpr_sample_apart(const char *from);

		#endif
	END
	man_pages "$tmp/sample/man3" "$tmp/sample/sample.h"
	(cd "$tmp/sample/man3" && {
		sed -n '/^\.SH NAME/{n;p;}' dpr_sample_[acnp]*.3
		grep '^.fBtypedef' dpr_sample_count_fn.3
		grep -l 'FUNCTIONS OF THIS KIND' ./*.3
		sed -n '/^\.SH FUNCTIONS/,/^\.SH SEE/p' dpr_sample_point.3
		sed -n '/^\.SH DESC/,/^\.SH SEE/p' dpr_sample_apart.3
		grep -l '^\.BR dpr_sample_how (3)' ./*.3
	}) >"$tmp/sample/is"
	cat >"$tmp/sample/wanted" <<-'END'
		dpr_sample_apart \- take "from" apart
		dpr_sample_count_fn \- count as a type of function says
		dpr_sample_numbers \- the numbers 1, 2, ... up to 7
		dpr_sample_point \- count to a point (x, y)
		\fBtypedef int dpr_sample_count_fn(dpr_sample_how \fIhow\fB, void *\fIuser\fB);\fR
		./dpr_sample_count_fn.3
		./dpr_sample_numbers.3
		./dpr_sample_point.3
		.SH FUNCTIONS OF THIS KIND
		These functions count, and never fail.
		.SH SEE ALSO
		.SH DESCRIPTION
		Take \fIfrom\fR apart.  It is kept.
		.SH ERRORS
		Errors as \fBdpr_sample_point\fR(3), and
		.TP
		.B DPR_ERROR_SHAPE
		the point has no shape.
		.SH SEE ALSO
		./dpr_sample_count_fn.3
		./dpr_sample_point.3
	END
	diff "$tmp/sample/wanted" "$tmp/sample/is" ||
		complain "man.awk: the pages of a sample are other ones"
	# dpr-backend(7) names each entry of a plugin.
	awk '
	/^typedef struct dprp_[a-z]+_ops [{]/ || /^typedef struct dprp_plugin [{]/ { inside = 1 }
	/^}/ { inside = 0 }
	inside && match($0, /_fn [*][a-z_]+;/) { print substr($0, RSTART + 5, RLENGTH - 6) }
	' "$src/include/dpr/backend.h" | sort -u >"$tmp/entries"
	[ "$(wc -l <"$tmp/entries")" -gt 20 ] || complain "backend.h: hardly any entry"
	while read -r name; do
		grep -qw "$name" "$others/dpr-backend.7" ||
			complain "dpr-backend.7: says nothing of the entry $name"
	done <"$tmp/entries"
fi

while read -r name; do
	[ -f "$pages/$name.3" ] || complain "$name: has no page"
done <"$tmp/names"

# Descriptions, and the pages that pages name.
for page in "$pages"/*.3 "$others"/*.[17]; do
	[ ! -e "$page" ] || printf '%s\n' "$page"
done | awk -v dir="$pages" -v others="$others" '
function complain(text) {
	printf "%s: %s\n", name, text
	bad = 1
}
# @page: a name, a point and the section
function wants(page) {
	if (!(page in there))
		there[page] = (getline line < ((page ~ /3$/ ? dir : others) "/" page)) >= 0
	sub(/\.3$/, "", page)
	if (!there[page] && !there[page ".3"])
		complain("names a page that is not there: " page)
}
# The functions on this page that need an example.
function is_array_function(f, base) {
	base = f
	sub(/_into$/, "", base)
	if (!index(synopsis, "dpr_status " f "(") ||
	    (base != f && index(synopsis, "dpr_status " base "(")))
		return 0
	return header ~ /^(elementwise|reduce|derived|creation|shapes|indexing|products|linalg)\.h$/ ||
		f ~ /^dpr_(reshape|permute_dims|matrix_transpose|broadcast_to|expand_dims|array_index)$/
}
function check_facts(f, n, i) {
	n = split(names, f, /, /)
	for (i = 1; i <= n; i++) {
		if (!is_array_function(f[i]))
			continue
		if (!index(example, f[i] "("))
			complain(f[i] " has no example")
		if (numpy[f[i]] == "")
			complain(f[i] " has no name in NumPy, and no none")
	}
	for (i in numpy)
		delete numpy[i]
}
{
	file = $0
	name = file
	sub(/.*\//, "", name)
	in_name = broken = returns_status = 0
	header = section = synopsis = example = names = last = kind = word = ""
	while ((getline s < file) > 0) {
		if (s ~ /^\.\\" Written by man\.awk from/) {
			header = s
			sub(/.*<dpr\//, "", header)
			sub(/>.*/, "", header)
		}
		# A sentence that announces a list, without this list.
		if (last ~ /(:| and)$/ && (s ~ /^\.SH / || (broken && s !~ /^\.(RS|TP|IP)/)))
			complain("the list behind this line is not there: " last)
		broken = s == ".PP"
		if (!broken)
			last = section == "DESCRIPTION" && s !~ /^\./ ? s : ""
		if (s ~ /^\.SH /)
			section = substr(s, 5)
		if (section ~ /^(SYNOPSIS|DESCRIPTION)$/ && s ~ /dpr_status/)
			returns_status = 1
		if (section == "FUNCTIONS OF THIS KIND")
			kind = kind s "\n"
		if (in_name) {
			names = s
			sub(/ \\- .*/, "", names)
		}
		if (section == "SYNOPSIS")
			synopsis = synopsis s
		if (section ~ /^EXAMPLES?$/)
			example = example s
		if (section == "IN OTHER LIBRARIES" && s ~ /^\.B dpr_/)
			function_name = substr(s, 4)
		if (section == "IN OTHER LIBRARIES" && s ~ /^NumPy: ./)
			numpy[function_name] = substr(s, 8)
		if (in_name) {
			in_name = 0
			sub(/.* \\- /, "", s)
			if (s == "" || length(s) > 150)
				complain("its description is too short or too long: " s)
			if (s ~ /( and| the point| the shape|[^.]\.\.?)$/)
				complain("its description is cut off: " s)
			if (name ~ /^dpr_/ && s ~ /^[a-z]+$/)
				word = s
			if (s ~ /^(the same( as|$)|see |its |it )/)
				complain("its description does not stand alone: " s)
			continue
		}
		if (s ~ /^\.SH NAME$/)
			in_name = 1
		if (s ~ /^\.so man3\//) {
			sub(/^\.so man3\//, "", s)
			wants(s)
		}
		gsub(/\\-/, "-", s)
		while (match(s, /\\fB[a-z_0-9.-]+\\fR\([137]\)|^\.BR [a-z_0-9.-]+ "?\([137]\)/)) {
			link = substr(s, RSTART, RLENGTH)
			s = substr(s, RSTART + RLENGTH)
			gsub(/\\f.|^\.BR |[ ")]/, "", link)
			sub(/\(/, ".", link)
			# Pages of dpr alone.
			if (link ~ /^dpr/)
				wants(link)
		}
	}
	close(file)
	check_facts()
	split(names, f, /, /)
	if (word != "" && index(synopsis, f[1] "("))
		complain("its description is one word: " word)
	if (kind != "" && !index(synopsis, f[1] "("))
		complain("a text on functions is on the page of something else")
	if (kind ~ /unctions below/ || (returns_status && kind ~ /never fail/))
		complain("a text on functions is not true of this one")
}
END { exit bad }' || bad=1

if command -v mandoc >/dev/null 2>&1; then
	# A page without a date, and links by .so, are meant.
	(cd "$others" && for page in "${pages##*/}"/*.3 ./*.[17]; do
		[ ! -e "$page" ] || printf '%s\n' "$page"
	done | xargs mandoc -Tlint -Wwarning) >"$tmp/lint" 2>&1
	grep -v 'missing date\|\.so is fragile' "$tmp/lint" >"$tmp/complaints" && {
		head -40 "$tmp/complaints"
		bad=1
	}
fi
# apropos finds a function by a word of its description.
# Debian calls that of mandoc mapropos, which reads the index of its makewhatis.
if [ -n "${src:-}" ] && command -v makewhatis >/dev/null 2>&1 &&
	command -v mapropos >/dev/null 2>&1; then
	mkdir "$tmp/man" "$tmp/man/man1" "$tmp/man/man7" && mv "$pages" "$tmp/man/man3" &&
		mv "$others"/*.1 "$tmp/man/man1" && mv "$others"/*.7 "$tmp/man/man7" &&
		makewhatis "$tmp/man" >"$tmp/whatis" 2>&1
	pages=$tmp/man/man3
	for word in determinants selector 'environment variables'; do
		mapropos -M "$tmp/man" "$word" 2>"$tmp/whatis" | grep -q '^dpr' || {
			complain "apropos finds nothing of $word"
			cat "$tmp/whatis"
		}
	done
fi
# Doxygen warns of a member without a comment, too.
if [ -n "${build:-}" ] && command -v doxygen >/dev/null 2>&1; then
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "${MAKE:-make}" -C "$build" html \
		>"$tmp/html" 2>&1 || {
		head -40 "$tmp/html"
		bad=1
	}
	# The first page leads to each page for users.
	for page in "$src"/doc/guide/*.md; do
		name=page_guide_$(basename "$page" .md | tr -c 'a-z0-9\n' _).html
		grep -q "href=\"$name\"" "$build/doc/html/html/index.html" &&
			[ -s "$build/doc/html/html/$name" ] && continue
		complain "doc/html/html/index.html: no link to $name"
	done
	for page in "$src"/doc/man/*.[17] dpr-environment.7; do
		name=page_man_$(basename "$page" | tr -c 'a-z0-9\n' _).html
		grep -q "href=\"$name\"" "$build/doc/html/html/index.html" &&
			grep -q '^Description</h1>' "$build/doc/html/html/$name" && continue
		complain "doc/html/html/index.html: no link to $name, or the page has no text"
	done
	while read -r name; do
		grep -q "'$name'.*page_env_" "$build"/doc/html/html/search/pages_*.js && continue
		complain "make html: the search does not find $name"
	done <"$tmp/variables"
	# Pages that Doxygen alone would not make: functions defined by macros, a
	# macro that readers use as a function, helpers of plugins, and facts of
	# array functions.
	while read -r page word; do
		grep -q "$word" "$build/doc/html/html/$page" ||
			complain "make html: $page has no $word"
	done <<-'END'
		group__cxx.html log_softmax
		group__cxx.html operator+=
		group__cxx.html dpr::lu_result
		group__abi.html dprh_alloc
		group__abi.html backend.h
		array_8h.html dpr_array_view
		expression_8h.html dpr_evaluate_into
		creation_8h.html numpy.full_like
		elementwise_8h.html sqrt(-1)
		page_man_dpr_expression_7.html <b>x\[i, :, j\]</b>
		page_man_dpr_1.html &lt;dpr/backend.h&gt;
		page_man_dpr_1.html <a href="page_man_dpr_bench_1.html">
		page_guide_expressions.html page_man_dpr_expression_7.html
		page_env_dpr_pool_limit.html DPR_ERROR_OUT_OF_DEVICE_MEMORY
	END
fi
[ $bad -eq 0 ] && echo "$(find "$pages" -name '*.3' | wc -l) pages"
exit $bad
