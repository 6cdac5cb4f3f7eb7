# SPDX-License-Identifier: Apache-2.0
# labels.awk - the labels that lead to a page of the reference in HTML.  pages.awk,
# man_dox.awk and mainpage.awk call label().

# The label of the page @path, with its folder.  A page of section 1 or 7 is in the
# folder man.  @folder: of the page that has the link; "" and what is not in a folder of
# doc/: "doc".
function label(path, folder,   n, part) {
	n = split(path, part, "/")
	if (n > 1)
		folder = part[n - 1]
	if (folder == "" || folder == "..")
		folder = "doc"
	path = tolower(folder "_" part[n])
	sub(/\.md.*/, "", path)
	gsub(/[^a-z0-9]/, "_", path)
	return "page_" path
}
