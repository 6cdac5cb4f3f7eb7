# SPDX-License-Identifier: Apache-2.0
# doxygen.awk - makes a header readable to Doxygen, which runs it on each file.
#
# A comment above several declarations is repeated above each.  "@name" becomes a
# parameter, "DPR_ERROR_X: cause" a row of a table, indented lines become code.  What
# facts.awk knows of an array function is in its text.  A macro that has the name of a
# function, and is a template in C++, is shown as that function.
#
# usage: awk -v top=SOURCE -f tables.awk -f facts.awk -f dox.awk -f doxygen.awk HEADER

BEGIN { facts_read(top) }

# Write the comment above what comes next, which is the function @name or "".
function above(name) {
	if (covered)
		printf "/**\n%s%s*/\n", dox(comment, 1), dox_facts(name)
}

FNR == 1 { begin_file() }

# The names of the ABI are in its module, too.
function open_group() {
	if (group == "abi")
		print "/** \\addtogroup abi\n\\{ */"
}
function close_group() {
	if (group == "abi" && started)
		print "/** \\} */"
}

# The parameters of a template of C++, whose name is a macro in C.
/^#ifdef __cplusplus/ { cplusplus = 1; print; next }
cplusplus && /^#(else|endif)/ { cplusplus = 0; template = ""; print; next }
cplusplus {
	if (template != "" || match($0, /dpr_status dpr_[a-z_]+\(/)) {
		template = template " " $0
		if (/\)$/) {
			gsub(/[ \t]+/, " ", template)
			sub(/.*dpr_status/, "dpr_status", template)
			sub(/[A-Za-z &]+\.\.\. ?[a-z]+\)$/, " ...)", template)
			sub(/const A &\.\.\.pairs\)$/, "...)", template)
			s = template
			sub(/^dpr_status /, "", s)
			sub(/\(.*/, "", s)
			templates[s] = template
			template = ""
		}
	}
	next
}

/^\/\* (clang-format|SPDX)/ { next }

state == "comment" || (state == "" && /^\/\*/) {
	take_comment($0)
	next
}

state == "macro" {
	table_line(macro, $0)
	state = /\\$/ ? "macro" : ""
	print
	next
}
state == "body" {
	state = /^}/ ? "" : state
	next
}

# Members of structs and enums: a comment above a member, or behind it.
state == "type" && /^#define DPR__X\(/ { table_form($0); next }
state == "type" && /^#/ { next }
state == "type" && /_MAP\(DPR__X\)/ {
	s = $0
	gsub(/[ \t]|\(.*/, "", s)
	printf "%s", table_enumerators(s, "/**<")
	next
}
state == "type" {
	if (/^}/)
		state = ""
	if (member != "" || /^[ \t]+\/\*/) {
		member = member " " $0
		if (/\*\//) {
			gsub(/[ \t]*\/\* ?|[ \t]*\*\/$|\n/, "", member)
			gsub(/[ \t]+\* ?/, " ", member)
			printf "/** %s */\n", dox(member)
			member = ""
		}
		next
	}
	if (/^\tsize_t struct_size;$/)
		print "/** The size of the struct, as whoever fills it knows it. */"
	if (!/\/\*/) {
		print
		next
	}
	s = $0
	while (s !~ /\*\// && (getline more) > 0) {
		sub(/^[ \t]+/, " ", more)
		s = s more
	}
	at = index(s, "/*")
	text = substr(s, at + 2)
	sub(/\*\/.*/, "", text)
	printf "%s/**< %s */\n", substr(s, 1, at - 1), dox(text)
	next
}

# Declarations go on to the semicolon; the bodies of functions are left out.
state == "function" {
	text = text "\n" $0
	if (/[;{][ \t]*$/ || /^{/)
		end_function()
	next
}
function end_function() {
	if (text ~ /{[ \t]*$/) {
		state = "body"
		sub(/[ \t\n]*{[ \t]*$/, ";", text)
	} else
		state = ""
	name = match(text, /[a-z_0-9]+\(/) ? substr(text, RSTART, RLENGTH - 1) : ""
	above(name)
	print text
	functions[name] = 1
}

/^[ \t]*$/ || /^#ifndef DPR_[A-Z_]*_H/ {
	if (covered && !used) {
		if (!started) {
			describe_file()
			open_group()
		} else if (comment !~ /^---/) {
			close_group()
			printf "/** \\file\n\\details\n%s*/\n", dox(comment)
			open_group()
		}
	}
	covered = used = 0
	print
	next
}

# A macro that takes numbers for arrays has the name of a function.  A reader
# looks for this name.
/^#define dpr_[a-z0-9_]*\(/ {
	s = $0
	sub(/^#define /, "", s)
	sub(/\(.*/, "", s)
	if (s in templates) {
		above(s)
		print templates[s] ";"
		used = 1
	}
	if (s in functions || s in templates) {
		state = /\\$/ ? "wrapper" : ""
		next
	}
}
state == "wrapper" {
	state = /\\$/ ? "wrapper" : ""
	next
}
/^#define/ {
	if (covered && $2 !~ /^DPR__/) {
		above()
		used = 1
	}
	state = /\\$/ ? "macro" : ""
	macro = $2
	sub(/\(.*/, "", macro)
	print
	next
}
/^(DPR_API|DPR_CHECK|DPRH_STATIC|static|__attribute__\(\(format.*DPRH_STATIC) / {
	text = $0
	sub(/^__attribute__\(\(format\([a-z, 0-9]*\)\)\) /, "", text)
	used = 1
	if (/[;{][ \t]*$/)
		end_function()
	else
		state = "function"
	next
}
/^(typedef|struct) / {
	above()
	used = 1
	state = /\{/ && !/\}/ ? "type" : ""
	print
	next
}
{ print }

END { close_group() }
