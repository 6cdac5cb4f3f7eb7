# SPDX-License-Identifier: Apache-2.0
# Writes files, one after the other, as a C character array.  -v name=... is
# the name of the array.  Comments are left out, since drivers read the text at
# run time.  The text is an array because string literals have a limited length.

BEGIN {
	for (i = 1; i < 256; i++)
		code[sprintf("%c", i)] = i
	print "/* Written by kernels/text.awk. */"
	printf "extern const char images_text_%s[];\n", name
	printf "const char images_text_%s[] = {", name
}

function put(s, i)
{
	for (i = 1; i <= length(s); i++)
		printf "%s%d,", column++ % 20 ? "" : "\n", code[substr(s, i, 1)]
}

{
	line = $0
	while (line != "") {
		if (inside) {
			if (!(at = index(line, "*/")))
				break
			line = substr(line, at + 2)
			inside = 0
		} else if ((at = index(line, "/*"))) {
			put(substr(line, 1, at - 1))
			line = substr(line, at + 2)
			inside = 1
		} else {
			put(line)
			break
		}
	}
	put("\n")
}

END { print "\n0 };" }
