# SPDX-License-Identifier: Apache-2.0
# doxygen_cxx.awk - makes a header of C++ readable to Doxygen, which runs it on each
# file.
#
# It writes the declarations of the namespace dpr and of the public parts of classes,
# each with its comment.  A comment above several declarations is repeated above each.
# Left out are bodies, the namespace detail, and what is deleted.  Macros make the
# functions of the tables of kernels/, and operators; this file writes their
# declarations.
#
# usage: awk -v top=SOURCE -f tables.awk -f facts.awk -f dox.awk -f doxygen_cxx.awk HEADER

BEGIN { facts_read(top) }

function above(more) {
	if (covered)
		printf "/**\n%s%s*/\n", dox(comment, 0), more
}

FNR == 1 { begin_file() }

/^\/\* SPDX/ { next }

# A comment, at the beginning of a line or behind one tab.
state == "comment" || (state == "" && !detail && /^\t?\/\*/) {
	s = $0
	sub(/^\t/, "", s)
	take_comment(s)
	next
}

state == "macro" { state = /\\$/ ? "macro" : ""; next }
state == "body" {
	if ($0 == indent "}" || $0 == indent "};")
		state = ""
	next
}
state == "declaration" { take($0); next }

# --- What macros make

# The functions of the tables of reductions, or without @rows those of operations.def.
function write_functions(rows, i, name, more) {
	for (i = 1; i <= fact_count; i++) {
		name = fact_order[i]
		if (rows ? !(name in fact_row) : !(name in fact_operands))
			continue
		more = "\nAs dpr_" name "() of C.\n"
		above(more)
		if (rows) {
			printf "template <class T> auto %s(T &&x, const axes_of &axes = {});\n",
				name
			if (name !~ /^(var|std|nanvar|nanstd)$/)
				continue
			above(more)
			printf "template <class T> auto %s(T &&x, const axes_of &axes," \
				" double correction);\n", name
		} else if (fact_operands[name] == 1)
			printf "template <class T> auto %s(T &&x);\n", name
		else if (fact_operands[name] == 2)
			printf "template <class T, class U> auto %s(T &&x1, U &&x2);\n", name
		else
			printf "template <class T, class U, class V> auto" \
				" %s(T &&x1, U &&x2, V &&x3);\n", name
	}
}

# An operator: DPR__X(sign, name)
function write_operator(s, sign, name, is_assignment) {
	sub(/^DPR__X\(/, "", s)
	sub(/\)$/, "", s)
	sign = name = s
	sub(/,.*/, "", sign)
	sub(/.*, */, "", name)
	is_assignment = sign ~ /[^=!<>]=$|<<=|>>=/
	above("\nAs dpr_" name (is_assignment ? "_into" : "") "() of C.\n")
	if (is_assignment)
		printf "template <class T> array &operator %s(array &x, const T &value);\n",
			sign
	else if (name ~ /^(negative|positive|bitwise_invert)$/)
		printf "template <class T> auto operator %s(T &&x);\n", sign
	else
		printf "template <class T, class U> auto operator %s(T &&x1, U &&x2);\n",
			sign
}

# --- Declarations

# Go on with a declaration: up to its semicolon, or to the brace of its body.
function take(line, s, is_class) {
	# The bodies of constructors come behind their initialisers.
	if (line ~ /^\t?    : /)
		initialised = 1
	if (line ~ /^\t?[{]$/)
		s = "{"
	else if (!initialised)
		text = text (text == "" ? "" : "\n") line
	if (s != "{" && line !~ /;$/ && !(line ~ /[{]$/ && text !~ /=[^=]*$/)) {
		state = "declaration"
		return
	}
	state = ""
	is_class = text ~ /(^|[> \n])(class|struct) [a-z_]+( : public [^\n]*)?( [{])?$/ && \
		text !~ /;$/
	if (is_class && indent == "") {
		above("")
		sub(/ [{]$/, "", text)
		print text "\n{"
		outer_comment = comment
		outer_covered = covered
		covered = 0
		return
	}
	if (line ~ /[{]$/) {
		state = "body"
		sub(/[ \n\t]*[{]$/, "", text)
		sub(/ : [a-z_]+[({].*$/, "", text)
	}
	sub(/;$/, "", text)
	# Members behind their class have their text in it.
	if (indent == "" && text ~ /(^|[ \n*&])[a-z_]+::[a-z_]+\(/)
		return
	if (text ~ /= delete$/ || hidden || text ~ /^(template <[^\n]*> )?class [a-z_]+$/)
		return
	# An object shows no value that stands in braces.
	sub(/[{].*[}]$/, "", text)
	# Members of one type: each gets the comment.
	if (indent != "" && text ~ /^\t[a-z_:]+ [a-z_]+(, [a-z_]+)+$/) {
		write_members(text)
		return
	}
	above("")
	print text ";"
}

# Write the members "type a, b, c", each with the comment.
function write_members(s, name, n, i, type) {
	type = s
	sub(/ .*/, "", type)
	sub(/^[^ ]* /, "", s)
	n = split(s, name, /, /)
	for (i = 1; i <= n; i++) {
		above("")
		print type " " name[i] ";"
	}
}

/^namespace detail/ { detail = 1; next }
/^} \/\/ namespace detail/ { detail = 0; covered = 0; next }
detail { next }

/^[ \t]*$/ || /^#ifndef DPR_[A-Z_]*_HPP/ {
	if (covered && !started)
		describe_file()
	covered = 0
	print ""
	next
}
/^DPR_ELEMENTWISE_MAP\(/ { write_functions(0); next }
/^DPR_DERIVED_MAP\(/ { write_functions(1); next }
/^DPR_REDUCTION_MAP\(/ { next }
/^DPR__X\(/ { write_operator($0); next }
/^#/ { state = /\\$/ ? "macro" : ""; next }
# What stands in a namespace joins a module within the namespace alone.
/^namespace / { print $0 " {\n/** \\addtogroup cxx\n\\{ */"; next }
/^} \/\/ namespace/ { print "/** \\} */\n}"; next }
/^[{]$/ { next }
/^(public|protected|private):/ { hidden = /^private/; print; next }
/^};/ {
	hidden = 0
	comment = outer_comment
	covered = outer_covered
	print
	next
}
{
	match($0, /^\t*/)
	indent = substr($0, 1, RLENGTH)
	text = ""
	initialised = 0
	take($0)
}
