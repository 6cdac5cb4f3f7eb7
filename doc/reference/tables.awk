# SPDX-License-Identifier: Apache-2.0
# tables.awk - comments in headers; tables, such as DPR_STATUS_MAP; and the enums
# made from them.  The scripts that read headers call these functions.

# Take the next line of a comment.  @comment gets the text, without the marks around
# it.  @state is "comment" up to the last line, and @covered says that there is one.
# @starred: the comment has a star before each line.
function take_comment(s) {
	if (state == "") {
		comment = ""
		covered = 1
		starred = s ~ /^\/\*$/
	}
	state = s ~ /\*\// ? "" : "comment"
	sub(/^\/\* ?/, "", s)
	sub(/ ?\*\/.*$/, "", s)
	sub(starred ? "^ \\* ?" : "^   ", "", s)
	if (!(starred && s == "" && comment == ""))
		comment = comment s "\n"
}

# Whether the line @s of a comment is code.  @mode: "code" behind code, "item" in a list.
function is_code(s, mode) {
	return mode != "item" && (s ~ /^(\t|    )/ || s ~ /[^ ]   / || \
		(mode == "code" && s ~ /^[ \t]+[^ \t]/))
}

# The errors that begin the line @s: "DPR_ERROR_A, DPR_ERROR_B".  The text is behind
# RLENGTH.  "": there are none.
function error_term(s) {
	if (!match(s, /^(- )?DPRP?_(ERROR|RC)_[A-Z_]+(, DPRP?_(ERROR|RC)_[A-Z_]+)*: */))
		return ""
	s = substr(s, 1, RLENGTH)
	sub(/^- /, "", s)
	sub(/: *$/, "", s)
	return s
}

# Keep a line of the definition of the macro @name.
function table_line(name, line) {
	sub(/[ \t]*\\$/, "", line)
	sub(/^[ \t]+/, "", line)
	table[name] = table[name] " " line
}

# Read the definition of DPR__X, which makes an enumerator of each entry.
function table_form(line, params, n, i, name, number) {
	params = number = line
	sub(/.*= */, "", number)
	sub(/,.*/, "", number)
	sub(/^#define DPR__X\(/, "", params)
	form_prefix = params
	sub(/^[^)]*\) */, "", form_prefix)
	sub(/##.*/, "", form_prefix)
	sub(/\).*/, "", params)
	n = split(params, name, /, */)
	form_number = form_text = 0
	for (i = 1; i <= n; i++) {
		if (name[i] == number)
			form_number = i
		if (name[i] == "text")
			form_text = i
	}
}

function trimmed(s) {
	gsub(/^[ \t]+|[ \t]+$/, "", s)
	return s
}

# Write the enumerators of the table @name, a line each, with what the table says
# of each in a comment that begins with @open.
function table_enumerators(name, open, s, out, c, depth, quoted, field, n) {
	s = table[name]
	gsub(/\/\*[^*]*\*\//, "", s)
	out = ""
	while (match(s, /X\([A-Z]/)) {
		s = substr(s, RSTART + 2)
		n = 1
		depth = quoted = 0
		field[1] = ""
		while (s != "") {
			c = substr(s, 1, 1)
			s = substr(s, 2)
			if (c == "\"")
				quoted = !quoted
			else if (!quoted && c == "(")
				depth++
			else if (!quoted && c == ")" && !depth--)
				break
			if (!quoted && !depth && c == ",")
				field[++n] = ""
			else
				field[n] = field[n] c
		}
		out = out "\t" form_prefix field[1] " = " trimmed(field[form_number]) ","
		if (form_text) {
			c = field[form_text]
			gsub(/" *"|^ *"|"$/, "", c)
			out = out " " open " " c " */"
		}
		out = out "\n"
	}
	return out
}
