# SPDX-License-Identifier: Apache-2.0
# topics.awk - writes dpr-topics(7), the index by topic, from topics.list and the
# pages of man.awk.  A name without a topic is an error.
#
# usage: awk -v version=VERSION -f topics.awk topics.list PAGE...

function complain(text) {
	printf "%s\n", text >"/dev/stderr"
	bad = 1
}

FNR == 1 { is_list = FILENAME ~ /topics\.list$/; header = "" }

is_list && /^= / { title[++n] = substr($0, 3); next }
is_list && !/^#/ {
	for (i = 1; i <= NF; i++) {
		if ($i in topic)
			complain("topics.list: " $i " has two topics")
		topic[$i] = n
	}
	next
}
is_list { next }

/^\.so / { next }
FNR == 1 {
	header = $0
	sub(/.*<dpr\//, "", header)
	sub(/>.*/, "", header)
	next
}
/^\.SH NAME$/ { in_name = 1; next }
in_name {
	in_name = 0
	at = index($0, " \\- ")
	names = substr($0, 1, at - 1)
	brief = substr($0, at + 4)
	# The page of a header.
	if (names == "dpr_" header || names == "dpr")
		next
	split(names, name, ", ")
	t = name[1] in topic ? topic[name[1]] : topic[header]
	for (i = 1; i in name; i++)
		used[name[i]] = 1
	used[header] = 1
	if (!t)
		complain("topics.list: no topic for " names " of " header)
	# A backend's author looks at the header.
	if (header ~ /^help-|^backend/)
		next
	entries[t] = entries[t] ".TP\n.BR " name[1] " \"(3)" \
		substr(names, length(name[1]) + 1) "\"\n\\&" brief "\n"
}

END {
	for (s in topic)
		if (!(s in used))
			complain("topics.list: there is no " s)
	if (bad)
		exit 1
	printf ".\\\" Written by topics.awk.\n.TH dpr-topics 7 \"\" \"dpr %s\" \"dpr\"\n", version
	printf ".SH NAME\ndpr-topics \\- the functions of dpr by topic\n"
	printf ".SH DESCRIPTION\nEach name has a page in section 3, and so has each header:\n"
	printf ".BR dpr (3)\nlists the headers.\n"
	for (i = 1; i <= n; i++)
		if (i in entries)
			printf ".SH %s\n%s", toupper(title[i]), entries[i]
		else
			printf ".SH %s\n.BR dpr_backend.h (3),\n.BR dpr-backend (7)\n",
				toupper(title[i])
	printf ".SH SEE ALSO\n.BR dpr (1),\n.BR dpr (3),\n.BR dpr (7),\n.BR dpr-expression (7)\n"
}
