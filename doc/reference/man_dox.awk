# SPDX-License-Identifier: Apache-2.0
# man_dox.awk - makes a page for Doxygen of a man page of section 1 or 7.  The text is
# HTML; titles are Doxygen's.  Doxygen's search finds titles of pages alone, so each
# variable of dpr-environment(7) gets a page below that one.
#
# usage: awk -v name=dpr-selector.7 -v known="dpr.1 dpr-selector.7" -f labels.awk \
#	-f man_dox.awk PAGE

# HTML of a text with fonts.  The end of a comment would end Doxygen's.
function html_of(s, out, font, c) {
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	gsub(/>/, "\\&gt;", s)
	gsub(/\/\*/, "/\\&#42;", s)
	gsub(/\*\//, "*\\&#47;", s)
	gsub(/\\&amp;|\\&$/, "", s)
	gsub(/\\-/, "-", s)
	gsub(/\\ /, "\\&nbsp;", s)
	gsub(/\\\(bu/, "\\&bull;", s)
	gsub(/\\\(dq/, "\"", s)
	gsub(/\\\(aq/, "'", s)
	out = font = ""
	while (match(s, /\\f[BIRP]|\\e/)) {
		c = substr(s, RSTART + 1, RLENGTH - 1)
		out = out substr(s, 1, RSTART - 1)
		s = substr(s, RSTART + RLENGTH)
		if (c == "e") {
			out = out "\\"
			continue
		}
		out = out font
		font = c == "fB" ? "</b>" : c == "fI" ? "</i>" : ""
		out = out (c == "fB" ? "<b>" : c == "fI" ? "<i>" : "")
	}
	return out s font
}

# The arguments of a request: arg[1 ... n].  Returns n.
function arguments(s, n) {
	n = 0
	for (sub(/^ +/, "", s); s != ""; sub(/^ +/, "", s)) {
		if (s ~ /^"/)
			match(s, /^"[^"]*"?/)
		else
			match(s, /^(\\ |[^ ])+/)
		arg[++n] = substr(s, 1, RLENGTH)
		s = substr(s, RLENGTH + 1)
		gsub(/^"|"$/, "", arg[n])
	}
	return n
}

function in_font(font, s) {
	s = html_of(s)
	return font == "B" ? "<b>" s "</b>" : font == "I" ? "<i>" s "</i>" : s
}

# HTML of a line of text, or of a request for fonts.
function line_of(s, request, n, i, out, page) {
	if (s !~ /^\.(B|I|BR|BI|IR|IB|RB|RI) /)
		return html_of(s)
	request = substr(s, 2, index(s, " ") - 2)
	n = arguments(substr(s, index(s, " ") + 1))
	page = arg[1]
	gsub(/\\-/, "-", page)
	if (n > 1 && match(arg[2], /^\([17]\)/)) {
		page = page "." substr(arg[2], 2, 1)
		if (index(" " known " ", " " page " ") && page != name)
			return "<a href=\"" label("man/" page) ".html\"><b>" html_of(arg[1]) \
				"</b>" substr(arg[2], 1, 3) "</a>" html_of(substr(arg[2], 4))
	}
	out = ""
	for (i = 1; i <= n; i++)
		out = out (length(request) == 1 ? (i > 1 ? " " : "") arg[i] : \
			in_font(substr(request, 2 - i % 2, 1), arg[i]))
	return length(request) == 1 ? in_font(request, out) : out
}

function html(s) {
	if (!is_html)
		printf "\\htmlonly\n"
	is_html = 1
	print s
}

function dox(s) {
	if (is_html)
		printf "\\endhtmlonly\n"
	is_html = 0
	print s
}

# End the list of this depth, if there is one.
function end_list() {
	if (listed[depth])
		html("</dd></dl>")
	listed[depth] = 0
}

function end_all() {
	for (; depth > 0; depth--) {
		end_list()
		html("</div>")
	}
	end_list()
}

function title_of(s) {
	return substr(s, 1, 1) tolower(substr(s, 2))
}

function term(s) {
	if (s ~ /^<b>DPR_[A-Z_]+<\/b>$/ && name == "dpr-environment.7") {
		end_all()
		gsub(/<[^>]*>/, "", s)
		variable[++n_variables] = s
		in_variable = 1
		dox("\n\\subpage page_env_" tolower(s) "\n")
		return
	}
	in_variable = 0
	html((listed[depth] ? "</dd>" : "<dl>") "<dt>" s "</dt><dd>")
	listed[depth] = 1
}

FNR == 1 {
	print "/**"
	depth = 0
}
/^\.\\"/ || /^\.TH / { next }
/^\.SH NAME/ { in_name = 1; next }
in_name {
	in_name = 0
	gsub(/\\-/, "-")
	sub(/ - /, " ")
	title = name
	sub(/\.[17]$/, "(&)", title)
	sub(/\(\./, "(", title)
	print "\\page " label("man/" name) " " title ": " substr($0, index($0, " ") + 1)
	next
}
want_term {
	want_term = 0
	term(line_of($0))
	next
}
/^\.S[HS] / {
	end_all()
	in_variable = 0
	n_sections++
	s = substr($0, 5)
	gsub(/\\-/, "-", s)
	gsub(/"/, "", s)
	dox("\n" (/^\.SH/ ? "\\section " : "\\subsection ") label("man/" name) "_" n_sections " " \
		(/^\.SH/ ? title_of(s) : s) "\n")
	next
}
/^\.(PP|P|LP)$/ { end_list(); html("<p>"); next }
/^\.T[PQ]/ { want_term = 1; next }
/^\.IP$/ { html("<p>"); next }
/^\.IP / { arguments(substr($0, 5)); term(html_of(arg[1])); next }
/^\.RS/ { html("<div class=\"indent\">"); depth++; next }
/^\.RE/ { end_list(); html("</div>"); depth--; next }
/^\.nf/ { html("<pre>"); next }
/^\.fi/ { html("</pre>"); next }
{
	s = /^\.br/ ? "<br>" : line_of($0)
	if (in_variable)
		text[n_variables] = text[n_variables] s "\n"
	html(s)
}

END {
	end_all()
	dox("*/")
	for (i = 1; i <= n_variables; i++) {
		print "/** \\page page_env_" tolower(variable[i]) " " variable[i]
		print "\\htmlonly\n" text[i] "\\endhtmlonly"
		print "\n\\ref " label("man/dpr.1") " tells more.\n*/"
	}
}
