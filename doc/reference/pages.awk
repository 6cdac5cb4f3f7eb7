# SPDX-License-Identifier: Apache-2.0
# pages.awk - makes a page in Markdown readable to Doxygen, which runs it on each.
#
# Comments go, since a page begins with its title.  The title gets a label, to which
# links from other pages lead.  `dpr_f()` loses its quotes and becomes a link, and so
# does `man dpr-selector`.
#
# usage: awk -f labels.awk -f pages.awk PAGE

# A link to the page that the command @s shows.
function man_link(s,   name, section) {
	name = s
	sub(/.* /, "", name)
	section = s ~ / 7 / || name ~ /^dpr-(backend|environment|expression|selector|topics)$/ ? \
		"7" : "1"
	if (name == "dpr-topics")
		return "@ref index \"" s "\""
	return "@ref " label("man/" name "." section) " \"" s "\""
}

# Write the paragraph, on one line: Doxygen takes no link that goes over two.  Blank
# lines keep the numbers of the lines below, but would divide a list.
function end_paragraph(   text, i) {
	if (n_lines == 0)
		return
	while (match(paragraph, /`dpr_[a-z0-9_]+\(\)`/))
		paragraph = substr(paragraph, 1, RSTART - 1) \
			substr(paragraph, RSTART + 1, RLENGTH - 2) \
			substr(paragraph, RSTART + RLENGTH)
	while (match(paragraph, /`man ([17] )?dpr(-[a-z-]+)?`/))
		paragraph = substr(paragraph, 1, RSTART - 1) \
			man_link(substr(paragraph, RSTART + 1, RLENGTH - 2)) \
			substr(paragraph, RSTART + RLENGTH)
	while (match(paragraph, /\]\([^():]*\.md[^():]*\)/)) {
		text = text substr(paragraph, 1, RSTART) "(@ref " \
			label(substr(paragraph, RSTART + 2, RLENGTH - 3), here) ")"
		paragraph = substr(paragraph, RSTART + RLENGTH)
	}
	print text paragraph
	for (i = 1; i < n_lines && !is_item; i++)
		print ""
	n_lines = 0
}

function add_line(line) {
	if (n_lines)
		sub(/^ +/, "", line)
	else
		is_item = line ~ /^ *(-|[0-9]+\.) /
	paragraph = n_lines++ ? paragraph " " line : line
}

FNR == 1 {
	n_parts = split(FILENAME, parts, "/")
	here = n_parts > 2 && parts[n_parts - 2] == "doc" ? parts[n_parts - 1] : "doc"
	is_index = parts[n_parts] == "index.md"
}
is_index {
	print
	next
}

/^<!-- .* -->$/ {
	end_paragraph()
	print ""
	next
}
/^```/ {
	end_paragraph()
	in_block = !in_block
	print $0 == "```console" ? "```{.unparsed}" : $0
	next
}
in_block {
	print
	next
}
/^# / && !is_titled {
	is_titled = 1
	print $0 " {#" label(parts[n_parts], here) "}"
	next
}
/^(    |\t)/ && n_lines == 0 {
	print
	next
}
/^$/ {
	end_paragraph()
	print
	next
}
# A heading, a row of a table and an item begin a line.
/^(#|\||- |[0-9]+\. |  *- )/ {
	end_paragraph()
}
{
	add_line($0)
}
/^(#|\|)/ {
	end_paragraph()
}
END {
	end_paragraph()
}
