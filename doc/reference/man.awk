# SPDX-License-Identifier: Apache-2.0
# man.awk - writes the man pages of section 3 from the headers.
#
# Each function, type and macro that a comment describes gets a page.  Names
# below one comment, without a blank line between them, share a page; each of
# them but the first is a link to it.  Each header gets a page that lists its names.
#
# A text names a page only if it is there.  So the headers are read twice, and
# pages are written in the second pass.  What facts.awk knows of an array function
# is on its page.
#
# usage: awk -v dir=DIRECTORY -v version=VERSION -v top=SOURCE -f tables.awk \
#	-f facts.awk -f man.awk HEADER... pass=2 HEADER...

BEGIN { facts_read(top) }

function escape(s) {
	gsub(/\\/, "\\e", s)
	sub(/^[.']/, "\\\\\\&&", s)
	return s
}

# Set the names in a text: parameters, functions, constants.
function marked(s, out, word) {
	s = escape(s)
	out = ""
	while (match(s, /@[a-z_][a-z_0-9]*|`[^`]+`|(dpr|dprh|dprp)_[a-z_0-9]+\(\)|DPRP?H?_[A-Z_0-9]*[A-Z0-9]/)) {
		word = substr(s, RSTART, RLENGTH)
		out = out substr(s, 1, RSTART - 1)
		if (word ~ /^@/)
			out = out "\\fI" substr(word, 2) "\\fR"
		else if (word ~ /^`/)
			out = out "\\fI" substr(word, 2, RLENGTH - 2) "\\fR"
		else if (word ~ /\(\)$/ && (substr(word, 1, RLENGTH - 2) in pages))
			out = out "\\fB" substr(word, 1, RLENGTH - 2) "\\fR(3)"
		else
			out = out "\\fB" word "\\fR"
		s = substr(s, RSTART + RLENGTH)
	}
	return out s
}

# The pages of a list of headers.
function heads(list) {
	gsub(/[a-z_]+\.h/, "dpr_&(3)", list)
	return list
}

# Write @text, whose lines end with newlines, as paragraphs, lists and code.
# Returns roff.
function roff(text, n, line, i, out, mode, s, term) {
	n = split(text, line, "\n")
	out = mode = ""
	for (i = 1; i <= n; i++) {
		s = line[i]
		if (is_code(s, mode)) {
			if (mode != "code")
				out = out (out ? ".PP\n" : "") ".RS 4\n.nf\n"
			mode = "code"
			sub(/^(\t|    )/, "", s)
			out = out escape(s) "\n"
			continue
		}
		if (mode == "code") {
			out = out ".fi\n.RE\n"
			mode = "after"
		}
		if (s ~ /^[ \t]*$/) {
			mode = mode == "" ? "" : "after"
			continue
		}
		if (s ~ /^\|/) {
			if (s ~ /^\|[-|]+$/)
				continue
			gsub(/^\| *| *\|$/, "", s)
			gsub(/ *\| */, " - ", s)
			out = out ".PP\n" marked(s) "\n"
			mode = "after"
			continue
		}
		term = error_term(s)
		if (term != "") {
			s = substr(s, RLENGTH + 1)
			out = out ".TP\n.B " term "\n" marked(s) "\n"
			mode = "item"
			continue
		}
		if (header == "dpr.h" && match(s, /^- [a-z_]+\.h[a-z_., ]*: /)) {
			out = out ".TP\n.B " heads(substr(s, 3, RLENGTH - 4)) "\n" \
				marked(substr(s, RLENGTH + 1)) "\n"
			mode = "item"
			continue
		}
		if (s ~ /^- /) {
			out = out ".IP \\(bu 2\n" marked(substr(s, 3)) "\n"
			mode = "item"
			continue
		}
		if (mode == "item" && s ~ /^[A-Z]/ && line[i - 1] ~ /\.$/)
			mode = "after"
		if (mode == "after")
			out = out ".PP\n"
		if (mode != "item")
			mode = "text"
		sub(/^ +/, "", s)
		out = out marked(s) "\n"
	}
	if (mode == "code")
		out = out ".fi\n.RE\n"
	return out
}

# The first sentence of @text, for the line of the name: up to a mark outside
# parentheses, and without an aside in parentheses at its end.  A point or a shape,
# such as (x2, x1), is no aside, and the points of "..." end no sentence.  There are no
# fonts in this line, so a parameter called "from" or "to" is put in quotes.
function brief(text, s, i, c, depth) {
	s = text
	gsub(/\n/, " ", s)
	gsub(/  +/, " ", s)
	sub(/^ +/, "", s)
	sub(/^[a-z_-]+\.h - /, "", s)
	if (match(s, /^(dprh?p?_[a-z_0-9]+\(\)|DPR[A-Z_]+\([^()]*\)): /))
		s = substr(s, RLENGTH + 1)
	depth = 0
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		depth += (c == "(") - (c == ")")
		if (depth <= 0 && substr(s, i, 2) ~ /^[.;:]( |$)/ &&
		    (c != "." || substr(s, i - 1, 1) != "."))
			break
	}
	s = substr(s, 1, i - 1)
	if (s !~ / \(([a-z0-9.]+, )+[a-z0-9]+\)$/)
		sub(/ \([^()]*\)$/, "", s)
	gsub(/@from|`from`/, "\"from\"", s)
	gsub(/@to|`to`/, "\"to\"", s)
	gsub(/[@`]/, "", s)
	if (s ~ /^[A-Z][a-z]/ || s ~ /^A /)
		s = tolower(substr(s, 1, 1)) substr(s, 2)
	gsub(/\\/, "\\e", s)
	return s
}

# Set the parameters' names of a prototype, and break its lines.
function prototype(s, head, rest, n, part, i, line, out, name, after) {
	gsub(/[ \t\n]+/, " ", s)
	gsub(/DPR_API |DPR_CHECK |DPRH_STATIC |static inline /, "", s)
	sub(/ *[{;] *$/, "", s)
	sub(/\( /, "(", s)
	sub(/^ /, "", s)
	if (!match(s, /\(/))
		return "\\fB" escape(s) ";\\fR\n"
	head = substr(s, 1, RSTART)
	rest = substr(s, RSTART + 1)
	n = split(rest, part, ", ")
	out = ""
	line = head
	for (i = 1; i <= n; i++) {
		if (length(line part[i]) > 76) {
			sub(/ $/, "", line)
			out = out line "\n"
			line = "    "
		}
		line = line part[i] (i < n ? ", " : ";")
	}
	out = out line
	gsub(/\\/, "\\e", out)
	# A name is a word before a comma, a bracket or the last parenthesis.
	rest = out
	out = ""
	while (match(rest, /[a-z_0-9]+(\[[0-9]*\])?(,|\);)/)) {
		name = substr(rest, RSTART, RLENGTH)
		after = substr(rest, RSTART + RLENGTH)
		out = out substr(rest, 1, RSTART - 1)
		if (name ~ /^(void|int|double|float)/)
			out = out name
		else {
			match(name, /^[a-z_0-9]+/)
			out = out "\\fI" substr(name, 1, RLENGTH) "\\fB" \
				substr(name, RLENGTH + 1)
		}
		rest = after
	}
	out = out rest
	gsub(/\n/, "\\fR\n\\fB", out)
	return "\\fB" out "\\fR\n"
}

# --- Pages

function page_head(name, header) {
	return ".\\\" Written by man.awk from <dpr/" header ">.\n" \
		".TH " name " 3 \"\" \"dpr " version "\" \"dpr\"\n"
}

# Lines of code or output, as roff.
function lines_of(text, line, n, i, s) {
	n = split(text, line, "\n")
	s = ""
	for (i = 1; i < n; i++)
		s = s escape(line[i]) "\n"
	return ".PP\n.RS 4\n.nf\n" s ".fi\n.RE\n"
}

# The functions of the page that have facts: fact[1 ... n].  Returns n.
function find_facts(n, i, k, s) {
	n = 0
	for (i = 1; i <= names; i++) {
		s = fact_name(name[i])
		for (k = 1; k <= n && fact[k] != s; k++)
			;
		if (s != "" && k > n)
			fact[++n] = s
	}
	return n
}

# The shapes and dtypes of @n functions; those that have the same share a text.
function shapes_section(n, i, k, s, text, out, done) {
	out = ""
	for (i = 1; i <= n; i++) {
		text = "Shapes: " marked(fact_shapes(fact[i])) "\n.br\nDtypes: " \
			marked(fact_dtypes(fact[i])) "\n"
		if (text in done)
			continue
		done[text] = 1
		s = ""
		for (k = i; k <= n; k++)
			if (fact_shapes(fact[k]) == fact_shapes(fact[i]) && \
			    fact_dtypes(fact[k]) == fact_dtypes(fact[i]))
				s = s (s == "" ? "" : ", ") "dpr_" fact[k]
		out = out ".TP 4\n.B " s "\n" text
	}
	for (i in done)
		delete done[i]
	return ".SH SHAPES AND DTYPES\n" out
}

function values_section(n, i, s, more) {
	s = more = ""
	for (i = 1; i <= n; i++) {
		s = s fact_values(fact[i])
		if (fact_complex(fact[i]))
			more = ".PP\nComplex numbers have the values of the standard, too.\n"
	}
	return s == "" ? "" : ".SH SPECIAL VALUES\n" \
		"Of real floats, as the array API standard states them:\n" \
		lines_of(s) more
}

function names_section(n, i, s) {
	s = ".SH IN OTHER LIBRARIES\n"
	for (i = 1; i <= n; i++)
		s = s ".TP 4\n.B dpr_" fact[i] "\nNumPy: " fact_in_numpy(fact[i]) \
			"\n.br\nArray API 2024.12: " fact_in_standard(fact[i]) \
			"\n.br\ndpctl.tensor: " fact_in_dpctl(fact[i]) "\n"
	return s
}

# Whether the function @s is on the page.
function on_page(s, i) {
	for (i = 1; i <= names; i++)
		if (name[i] == s)
			return 1
	return 0
}

function example_section(n, i, s, into) {
	s = n > 1 ? ".SH EXAMPLES\n" : ".SH EXAMPLE\n"
	for (i = 1; i <= n; i++) {
		s = s (i > 1 ? ".PP\n" : "") fact_given(fact[i]) "\n" \
			lines_of(fact_code(fact[i])) ".PP\nprint\n" \
			lines_of(fact_result(fact[i]))
		into = "dpr_" fact[i] "_into"
		if (on_page(into) && fact[i] != "copy")
			s = s ".PP\nInto an array that exists:\n" \
				lines_of("status = " fact_into(fact[i]) ";\n")
	}
	return s
}

# What facts.awk knows of the functions of the page.
function facts_sections(n) {
	n = find_facts()
	return !n ? "" : shapes_section(n) values_section(n) names_section(n) \
		example_section(n)
}

# The enums that the declarations or the comment name, as lines of SEE ALSO.  Almost
# all functions return a dpr_status.
function enums_on_page(s, word, out, done) {
	s = code " " comment
	out = ""
	while (match(s, /dprp?_[a-z_0-9]+/)) {
		word = substr(s, RSTART, RLENGTH)
		s = substr(s, RSTART + RLENGTH)
		if (!(word in enums) || word == "dpr_status" || on_page(word) || index(done, " " word " "))
			continue
		done = done " " word " "
		out = out ".BR " word " (3),\n"
	}
	return out
}

# Where in @text the sentence begins that ends with "and" or a colon, and so needs the
# list of errors behind it.  0: there is none.
function lead_in(text, at, s) {
	sub(/\n+$/, "", text)
	if (text !~ /(:|[ \n]and)$/)
		return 0
	at = 0
	for (s = text; match(s, /\.[ \n]+[A-Z]|\n\n/); s = substr(s, RSTART + RLENGTH - 1))
		at += RSTART + RLENGTH - 2
	s = substr(text, at + 1)
	match(s, /^\n*/)
	return at + 1 + RLENGTH
}

# Write the page of the names that the comment covers.
function finish(file, i, desc, errs, n, line, in_errors, list, at) {
	if (!names) {
		code = ""
		return
	}
	if (pass != 2) {
		names = functions = 0
		return
	}
	file = dir "/" name[1] ".3"
	list = name[1]
	for (i = 2; i <= names; i++)
		list = list ", " name[i]
	# Errors at the end of the comment have a section of their own.
	n = split(comment, line, "\n")
	desc = errs = ""
	in_errors = 0
	for (i = 1; i <= n; i++) {
		if (error_term(line[i]) != "")
			in_errors = 1
		else if (line[i] == "")
			in_errors = 0
		if (in_errors)
			errs = errs line[i] "\n"
		else
			desc = desc line[i] "\n"
	}
	at = errs ? lead_in(desc) : 0
	if (at) {
		errs = substr(desc, at) errs
		desc = substr(desc, 1, at - 1)
		sub(/[ \n]+$/, "\n", desc)
	}
	printf "%s.SH NAME\n%s \\- %s\n", page_head(name[1], header), list,
		brief(comment) >file
	printf ".SH SYNOPSIS\n.nf\n.B #include <dpr/%s>\n.PP\n%s.fi\n",
		header, code >file
	printf ".SH DESCRIPTION\n%s", roff(desc) >file
	if (abouts[header] && header != "dpr.h")
		printf ".PP\nMore that holds for all names of <dpr/%s>%s is in\n.BR %s (3).\n",
			header, abouts[header] ~ /DPR_ERROR_/ ? ", with errors," : "",
			page_of(header) >file
	printf "%s", facts_sections() >file
	if (errs)
		printf ".SH ERRORS\n%s", roff(errs) >file
	if (section && functions)
		printf ".SH FUNCTIONS OF THIS KIND\n%s", roff(section) >file
	printf ".SH SEE ALSO\n%s.BR %s (3),\n.BR dpr_base.h (3),\n.BR dpr (3),\n.BR dpr (7)\n",
		enums_on_page(), page_of(header) >file
	close(file)
	for (i = 2; i <= names; i++) {
		file = dir "/" name[i] ".3"
		printf ".so man3/%s.3\n", name[1] >file
		close(file)
	}
	# A period or a quote at the beginning of a line would be a request.
	contents[header] = contents[header] ".TP\n.B " list "\n\\&" brief(comment) "\n"
	names = functions = 0
	code = ""
}

function add_name(s) {
	if ((pass, s) in known)
		return 0
	known[pass, s] = pages[s] = 1
	name[++names] = s
	return 1
}

# The name of a header's page.  That of dpr.h is dpr.
function page_of(header) {
	return header == "dpr.h" ? "dpr" : "dpr_" header
}

# reductions.h is written by a program, and reduce.h, which includes it, describes
# its functions.
function of_header(file) {
	return file == "reductions.h" ? "reduce.h" : file
}

# Take the comment at the top of a header: a title, and paragraphs.
function describe_header(at) {
	started = 1
	if (header != file_name)
		return
	titles[header] = brief(comment)
	at = index(comment, "\n\n")
	abouts[header] = at ? substr(comment, at + 2) : ""
}

function write_header(header, file) {
	file = dir "/" page_of(header) ".3"
	printf "%s.SH NAME\n%s \\- %s\n", page_head(page_of(header), header),
		page_of(header), titles[header] >file
	printf ".SH SYNOPSIS\n.B #include <dpr/%s>\n", header >file
	if (abouts[header])
		printf ".SH DESCRIPTION\n%s", roff(abouts[header]) >file
	if (contents[header])
		printf ".SH NAMES\n%s", contents[header] >file
	printf ".SH SEE ALSO\n%s.BR dpr_base.h (3)\n", header == "dpr.h" ? \
		".BR dpr (1),\n.BR dpr-topics (7),\n" : ".BR dpr (3),\n" >file
	close(file)
}

FNR == 1 {
	finish()
	file_name = FILENAME
	sub(/.*\//, "", file_name)
	header = of_header(file_name)
	if (!(header in headers))
		order[++n_headers] = header
	headers[header] = 1
	comment = section = ""
	state = ""
	covered = started = cplusplus = 0
}

# C++ has its own headers.
/^#ifdef __cplusplus/ { cplusplus = 1; next }
cplusplus && /^#(else|endif)/ { cplusplus = 0; next }
cplusplus { next }

/^\/\* (clang-format|SPDX)/ { next }

# A comment
state == "comment" || (state == "" && /^\/\*/) {
	if (state == "")
		finish()
	take_comment($0)
	next
}

state == "macro" {
	if (pass == 2)
		table_line(macro, $0)
	state = /\\$/ ? "macro" : ""
	next
}

# The body of an inline function
state == "body" {
	if (/^}/)
		state = ""
	next
}

state == "type" && /^#define DPR__X\(/ { table_form($0); next }
state == "type" && /^#/ { next }
state == "type" && /_MAP\(DPR__X\)/ {
	s = $0
	gsub(/[ \t]|\(.*/, "", s)
	s = table_enumerators(s, "/*")
	n = split(s, line, "\n")
	for (i = 1; i < n; i++)
		code = code "\\fB" escape(line[i]) "\\fR\n"
	next
}
state == "type" {
	code = code "\\fB" escape($0) "\\fR\n"
	if (/^}/) {
		s = $0
		gsub(/^} *|;.*$/, "", s)
		if (code ~ /typedef enum/)
			enums[s] = 1
		add_name(s)
		state = ""
	}
	next
}

state == "function" {
	text = text " " $0
	if (/[;{][ \t]*(\/\*.*)?$/ || /^{/)
		end_function()
	next
}

function end_function(s) {
	state = text ~ /{[ \t]*$/ ? "body" : ""
	s = text
	sub(/[ \t]*\/\*.*$/, "", s)
	match(s, /[a-z_0-9A-Z]+\(/)
	if (covered && add_name(substr(s, RSTART, RLENGTH - 1))) {
		code = code prototype(s)
		functions++
	}
}

/^[ \t]*$/ {
	if (covered && !names) {
		if (!started)
			describe_header()
		else if (comment ~ /^---/)
			section = ""
		else if (!described)
			section = these_functions(comment)
	}
	finish()
	covered = described = 0
	next
}

# A comment of a struct without a page, or of lines for the preprocessor, is not one
# on the functions below.
covered && /^(struct|#if)/ { described = 1 }

# The page of a function has no functions below.
function these_functions(text) {
	gsub(/The functions below/, "These functions", text)
	return text
}

/^#ifndef DPR_[A-Z_]*_H/ {
	if (covered && !started)
		describe_header()
	covered = 0
	next
}

covered && /^#define (DPR[A-Z]?_[A-Z0-9]|dpr_)/ {
	s = $0
	sub(/^#define /, "", s)
	if (match(s, /^[A-Za-z_0-9]+\([^)]*\)/)) {
		s = substr(s, 1, RLENGTH)
		functions++
	} else
		sub(/[ \t]+\\$/, "", s)
	match(s, /^[A-Za-z_0-9]+/)
	macro = substr(s, 1, RLENGTH)
	if (add_name(substr(s, 1, RLENGTH)))
		code = code "\\fB#define " escape(s) "\\fR\n"
	state = /\\$/ ? "macro" : ""
	next
}
/^#/ { state = /\\$/ ? "macro" : ""; next }

/^(DPR_API|DPR_CHECK|DPRH_STATIC|static inline|__attribute__\(\(format.*DPRH_STATIC) / {
	text = $0
	sub(/^__attribute__\(\(format\([a-z, 0-9]*\)\)\) /, "", text)
	if (/[;{][ \t]*(\/\*.*)?$/)
		end_function()
	else
		state = "function"
	next
}

covered && /^typedef / {
	if (/\{/ && !/\}/) {
		code = code "\\fB" escape($0) "\\fR\n"
		state = "type"
		next
	}
	s = $0
	while (s !~ /;/ && (getline more) > 0)
		s = s " " more
	gsub(/[ \t]+/, " ", s)
	# The type of a function, such as an entry of plugins.
	if (s !~ /\(\*[a-z_0-9]+\)/ && match(s, /[a-z_0-9]+\(/)) {
		add_name(substr(s, RSTART, RLENGTH - 1))
		code = code prototype(s)
		functions++
		next
	}
	code = code "\\fB" escape(s) "\\fR\n"
	sub(/;.*$/, "", s)
	if (match(s, /\(\*[a-z_0-9]+\)/))
		s = substr(s, RSTART + 2, RLENGTH - 3)
	else
		sub(/.*[ *]/, "", s)
	add_name(s)
	next
}

END {
	finish()
	for (i = 1; i <= n_headers; i++)
		write_header(order[i])
}
