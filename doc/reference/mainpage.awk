# SPDX-License-Identifier: Apache-2.0
# mainpage.awk - the first page of the reference in HTML: the pages for users, with
# the first paragraph of each, the man pages of sections 1 and 7, and the index by topic.
#
# Variables: tree, the source folder; pages, the names of pages from there, in order;
# mans, the files of the man pages.
# The input is the headers, and then topics.list.  labels.awk comes before this file.

# Print the title of a page as a link, and its first paragraph.
function describe(page,   line, n, title, text, in_block) {
	while ((n = (getline line < (tree "/" page))) > 0) {
		if (line ~ /^```/)
			in_block = !in_block
		if (line ~ /^# / && title == "") {
			title = substr(line, 3)
			continue
		}
		if (in_block || line ~ /^(<|#|\||!|```|    )/ || title == "")
			continue
		if (line == "" && text != "")
			break
		text = text (text == "" ? "" : " ") line
	}
	close(tree "/" page)
	gsub(/\]\([^)]*\)/, "]", text)
	gsub(/[\[\]]/, "", text)
	printf "- [%s](@ref %s)<br>%s\n", title, label(page), text
}

# Print the name of a man page as a link, and its description.
function describe_man(page,   line, title) {
	while ((getline line < page) > 0 && line !~ /^\.SH NAME/)
		;
	getline line < page
	close(page)
	gsub(/\\-/, "-", line)
	title = page
	sub(/.*\//, "", title)
	printf "- [%s(%s)](@ref %s): %s\n", substr(title, 1, length(title) - 2), \
		substr(title, length(title)), label("man/" title), \
		substr(line, index(line, " - ") + 3)
}

function heading(text) {
	if (text != last_heading)
		printf "\n## %s\n\n", text
	last_heading = text
}

BEGIN {
	print "# dpr"
	print "\nOne program for every compute device of a machine, whoever made it.\n"
	n = split(pages, page, " ")
	for (i = 1; i <= n; i++) {
		if (page[i] ~ /^doc\/guide\//)
			heading("Guides")
		else if (page[i] ~ /^doc\/porting\//)
			heading("Coming from another library")
		else {
			if (last_heading != "More") {
				heading("Commands, environment variables and languages")
				n_mans = split(mans, man, " ")
				for (k = 1; k <= n_mans; k++)
					describe_man(man[k])
			}
			heading("More")
		}
		describe(page[i])
	}
	print "\n## Reference by topic"
}

FILENAME !~ /topics\.list$/ {
	while (match($0, /dpr_[a-z0-9_]+\(/)) {
		functions[substr($0, RSTART, RLENGTH - 1)] = 1
		$0 = substr($0, RSTART + RLENGTH)
	}
	next
}
/^#/ || /^$/ { next }
/^= / {
	printf "\n**%s**\n\n", substr($0, 3)
	next
}
{
	for (i = 1; i <= NF; i++)
		print $i in functions ? $i "()" : $i ~ /\.h$/ ? $i : "`" $i "`"
}
