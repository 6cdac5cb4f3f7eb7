# SPDX-License-Identifier: Apache-2.0
# pages.awk - makes a page in Markdown readable to Doxygen, which runs it on each.
#
# Comments go, since a page begins with its title.  The title gets a label, page_ with
# the folder and the name, to which links from other pages lead.  `dpr_f()` loses its
# quotes and becomes a link.

# folder: of the page that has the link; "doc" for what is not in a folder of doc/.
function label(path, folder,   n, part) {
	n = split(path, part, "/")
	if (n > 1)
		folder = part[n - 1] == ".." ? "doc" : part[n - 1]
	path = tolower(folder "_" part[n])
	sub(/\.md.*/, "", path)
	gsub(/[^a-z0-9]/, "_", path)
	return "page_" path
}

FNR == 1 {
	n_parts = split(FILENAME, parts, "/")
	here = n_parts > 2 && parts[n_parts - 2] == "doc" ? parts[n_parts - 1] : "doc"
	is_index = parts[n_parts] == "index.md"
}

/^<!-- .* -->$/ {
	print ""
	next
}
/^```/ {
	in_block = !in_block
	print $0 == "```console" ? "```{.unparsed}" : $0
	next
}
in_block || /^(    |\t)/ || is_index {
	print
	next
}
/^# / && !is_titled {
	is_titled = 1
	$0 = $0 " {#" label(parts[n_parts], here) "}"
}
{
	while (match($0, /`dpr_[a-z0-9_]+\(\)`/))
		$0 = substr($0, 1, RSTART - 1) substr($0, RSTART + 1, RLENGTH - 2) \
			substr($0, RSTART + RLENGTH)
	text = ""
	while (match($0, /\]\([^():]*\.md[^():]*\)/)) {
		text = text substr($0, 1, RSTART) "(@ref " \
			label(substr($0, RSTART + 2, RLENGTH - 3), here) ")"
		$0 = substr($0, RSTART + RLENGTH)
	}
	print text $0
}
