# SPDX-License-Identifier: Apache-2.0
# Writes a page of documentation as it is installed.  There, the folder doc/ of the
# tree is the folder of all documentation, with examples/ in it.  A link to a file
# that is installed too leads to its new place.  Of other links to files of the tree
# only the text stays.
#
# usage: awk -v page=doc/guide/X.md -f links.awk LIST doc/guide/X.md
#
# LIST names all installed files, a line each, by their places in the tree.

# Resolve "." and ".." of a path.
function plain_path(path,   part, kept, n, m, i, out) {
	n = split(path, part, "/")
	for (i = 1; i <= n; i++) {
		if (part[i] == "" || part[i] == ".")
			continue
		if (part[i] == ".." && m > 0)
			m--
		else
			kept[++m] = part[i]
	}
	for (i = 1; i <= m; i++)
		out = out (i > 1 ? "/" : "") kept[i]
	return out
}

function installed_path(path) {
	sub(/^doc\//, "", path)
	return path
}

# The link from this page to the target, or "" if no such file is installed.
function moved(target,   anchor, path) {
	anchor = ""
	if (match(target, /#.*/)) {
		anchor = substr(target, RSTART)
		target = substr(target, 1, RSTART - 1)
	}
	path = plain_path(folder target)
	return path in installed ? up installed_path(path) anchor : ""
}

BEGIN {
	folder = page
	sub(/[^\/]*$/, "", folder)
	up = installed_path(page)
	sub(/[^\/]*$/, "", up)
	gsub(/[^\/]+\//, "../", up)
}

FNR == NR {
	installed[$0] = 1
	next
}

# Code stays as it is.
/^(```|~~~)/ { fenced = !fenced }
fenced {
	print
	next
}

{
	out = ""
	rest = $0
	while (match(rest, /\[[^][]+\]\([^() ]+\)/)) {
		link = substr(rest, RSTART, RLENGTH)
		before = substr(rest, 1, RSTART - 1)
		rest = substr(rest, RSTART + RLENGTH)
		text = substr(link, 2, index(link, "](") - 2)
		target = substr(link, length(text) + 4)
		target = substr(target, 1, length(target) - 1)
		if (target !~ /^([a-z]+:|#)/) {
			target = moved(target)
			if (target == "") {
				sub(/!$/, "", before)
				out = out before text
				continue
			}
		}
		out = out before "[" text "](" target ")"
	}
	print out rest
}
