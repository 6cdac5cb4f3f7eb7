# SPDX-License-Identifier: Apache-2.0
# dox.awk - texts of comments and facts, as Doxygen reads them.  doxygen.awk calls
# these functions for headers of C, and doxygen_cxx.awk for headers of C++.

# Write @text as Doxygen reads it.  @own: the comment is that of a function.
function dox(text, own, n, line, i, s, out, mode, term) {
	n = split(text, line, "\n")
	out = mode = ""
	for (i = 1; i <= n; i++) {
		s = line[i]
		if (is_code(s, mode)) {
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
		term = error_term(s)
		if (term != "") {
			s = substr(s, RLENGTH + 1)
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

# What facts.awk knows of the function @name.  "": nothing.
function dox_facts(name, s, values) {
	name = fact_name(name)
	if (name == "")
		return ""
	s = "\n\\par Shapes and dtypes\n" dox(fact_shapes(name)) "\n" \
		dox(fact_dtypes(name))
	values = fact_values(name)
	if (values != "")
		s = s "\n\\par Special values of real floats, as the array API" \
			" standard states them\n" dox_code(values) (fact_complex(name) ? \
			"Complex numbers have the values of the standard, too.\n" : "")
	s = s "\n\\par In other libraries\n" dox("NumPy: " fact_in_numpy(name) \
		".  Array API 2024.12: " fact_in_standard(name) \
		".  dpctl.tensor: " fact_in_dpctl(name) ".")
	return s "\n\\par Example\n" dox(fact_given(name)) dox_code(fact_code(name)) \
		"print\n" dox_code(fact_result(name))
}

# Lines of code, which end with newlines.
function dox_code(lines) {
	return "\\code{.unparsed}\n" lines "\\endcode\n"
}

# Begin a header with its module: the name @group, and a title.
function begin_file(title) {
	if (FILENAME ~ /\.hpp$/) {
		group = "cxx"
		title = "dpr.hpp, the API in C++17"
	} else if (FILENAME ~ /(^|\/)(backend|help-)[^\/]*$/) {
		group = "abi"
		title = "The plugin ABI, and its helpers"
	} else {
		group = "c"
		title = "The API in C"
	}
	printf "/** \\addtogroup %s %s */\n", group, title
}

# Take the comment at the top of a header: a title, and paragraphs.
function describe_file(title, at) {
	started = 1
	title = comment
	sub(/^[a-z_-]+\.h(pp)? - /, "", title)
	at = index(title, "\n\n")
	comment = at ? substr(title, at + 2) : ""
	if (at)
		title = substr(title, 1, at)
	gsub(/\n/, " ", title)
	printf "/** \\file\n\\ingroup %s\n\\brief %s\n\n%s*/\n", group, dox(title), \
		dox(comment)
}
