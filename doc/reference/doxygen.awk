# SPDX-License-Identifier: Apache-2.0
# doxygen.awk - makes a header readable to Doxygen, which runs it on each file.
#
# A comment above several declarations is repeated above each.  "@name" becomes a
# parameter, "DPR_ERROR_X: cause" a row of a table, indented lines become code.

# Write @text as Doxygen reads it.  @own: the comment is that of a function.
function dox(text, own, n, line, i, s, out, mode, term) {
	n = split(text, line, "\n")
	out = mode = ""
	for (i = 1; i <= n; i++) {
		s = line[i]
		if (mode != "item" && (s ~ /^(\t|    )/ || s ~ /[^ ]   / ||
		    (mode == "code" && s ~ /^[ \t]+[^ \t]/))) {
			if (mode != "code")
				out = out "\n\\code{.unparsed}\n"
			mode = "code"
			sub(/^(\t|    )/, "", s)
			out = out s "\n"
			continue
		}
		if (mode == "code") {
			out = out "\\endcode\n"
			mode = ""
		}
		if (s ~ /^[ \t]*$/) {
			mode = ""
			out = out "\n"
			continue
		}
		gsub(/\\/, "\\\\", s)
		gsub(/[<>#%&]/, "\\\\&", s)
		if (s !~ /^\|/)
			gsub(/\|/, "\\|", s)
		while (match(s, /@[a-z_][a-z_0-9]*/))
			s = substr(s, 1, RSTART - 1) "\\p " \
				substr(s, RSTART + 1, RLENGTH - 1) substr(s, RSTART + RLENGTH)
		if (match(s, /^(- )?DPRP?_(ERROR|RC)_[A-Z_]+(, DPRP?_(ERROR|RC)_[A-Z_]+)*: */)) {
			term = substr(s, 1, RLENGTH)
			s = substr(s, RLENGTH + 1)
			sub(/^- /, "", term)
			sub(/: *$/, "", term)
			# Doxygen takes each value once.
			if (own && term !~ /,/ && !index(out, "\\retval " term " "))
				out = out "\\retval " term " " s "\n"
			else
				out = out "- **" term "**: " s "\n"
			mode = "item"
			continue
		}
		if (s ~ /^- /)
			mode = "item"
		else if (mode == "item" && s ~ /^[A-Z]/ && line[i - 1] ~ /\.$/) {
			out = out "\n"
			mode = ""
		}
		out = out (mode == "item" && s !~ /^- / ? "  " : "") s "\n"
	}
	if (mode == "code")
		out = out "\\endcode\n"
	return out
}

# Write the comment above what comes next.
function above() {
	if (covered)
		printf "/**\n%s*/\n", dox(comment, 1)
}

function describe_file(title, at) {
	started = 1
	title = comment
	sub(/^[a-z_-]+\.h - /, "", title)
	at = index(title, "\n\n")
	if (at) {
		comment = substr(title, at + 2)
		title = substr(title, 1, at)
	} else
		comment = ""
	gsub(/\n/, " ", title)
	printf "/** \\file\n\\brief %s\n\n%s*/\n", dox(title), dox(comment)
}

/^\/\* clang-format/ || /^\/\* SPDX/ { next }

state == "comment" || (state == "" && /^\/\*/) {
	s = $0
	if (state == "") {
		comment = ""
		covered = 1
		starred = s ~ /^\/\*$/
	}
	state = s ~ /\*\// ? "" : "comment"
	s = comment_line(s, starred)
	if (!(starred && s == "" && comment == ""))
		comment = comment s "\n"
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
	above()
	print text
	if (match(text, /[a-z_0-9]+\(/))
		functions[substr(text, RSTART, RLENGTH - 1)] = 1
}

/^[ \t]*$/ || /^#ifndef DPR_[A-Z_]*_H/ {
	if (covered && !used) {
		if (!started)
			describe_file()
		else if (comment !~ /^---/)
			printf "/** \\file\n\\details\n%s*/\n", dox(comment)
	}
	covered = used = 0
	print
	next
}

# The macros that take numbers for arrays have the names of functions, which are
# what a reader looks for.
/^#define dpr_[a-z0-9_]*\(/ {
	s = $0
	sub(/^#define /, "", s)
	sub(/\(.*/, "", s)
	if (s in functions) {
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
