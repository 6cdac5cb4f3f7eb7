# SPDX-License-Identifier: Apache-2.0
# parity.awk - writes parity.md from parity.list.
#
# usage: awk -v declared=FILE -f parity.awk parity.list
# FILE has the functions that the headers declare, a name in each line.  A
# function of the list must be declared, unless the list leaves its name out.

BEGIN {
	while ((getline name <declared) > 0)
		is_declared[name] = 1
	title["s"] = "array API 2024.12"
	title["e"] = "its extensions linalg and fft"
	title["d"] = "dpctl.tensor 0.21.1"
	n_groups = 0
}

/^#/ || NF == 0 { next }

{
	group = $1
	name = $2
	lists = $3
	names = missing = reason = ""
	at = "="
	for (i = 4; i <= NF; i++) {
		if ($i == "=" || $i == "~" || $i == "!")
			at = $i
		else if (at == "=")
			names = names (names == "" ? "" : " ") $i
		else if (at == "~")
			missing = missing (missing == "" ? "" : " ") $i
		else
			reason = reason (reason == "" ? "" : " ") $i
	}
	state = "present"
	if (reason != "") {
		state = "not needed"
		shown = reason
	} else if (names == "") {
		shown = name
		sub(/.*\./, "", shown)
		shown = "dpr_" shown
		if (!is_declared[shown]) {
			state = "missing"
			shown = "-"
			if (missing != "")
				complain("has no function, but a list of what is missing in it")
		} else {
			shown = "`" shown "()`"
		}
	} else {
		n = split(names, each, " ")
		shown = ""
		for (i = 1; i <= n; i++) {
			if (each[i] ~ /^dpr_/ && !is_declared[each[i]])
				complain("has " each[i] "(), which no header declares")
			sub(/^enum:/, "enum ", each[i])
			shown = shown (i > 1 ? ", " : "") "`" each[i] \
				(each[i] ~ /^dpr_/ ? "()" : "") "`"
		}
	}
	if (missing != "" && state == "present") {
		state = "in part"
		shown = shown "; not yet: " missing
	}
	for (i = 1; i <= length(lists); i++)
		count[substr(lists, i, 1), state]++
	if (!(group in rows)) {
		order[++n_groups] = group
		rows[group] = ""
	}
	where = ""
	for (i = 1; i <= length(lists); i++)
		where = where (i > 1 ? ", " : "") \
			(substr(lists, i, 1) == "d" ? "dpctl" : "standard")
	rows[group] = rows[group] "| " name " | " where " | " shown " |\n"
}

function complain(text)
{
	print "parity.list, " FNR ": " name " " text >"/dev/stderr"
	failed = 1
}

END {
	if (failed)
		exit 1
	print "<!-- SPDX-License-Identifier: Apache-2.0 -->"
	print "# The array API and dpctl.tensor, name by name\n"
	print "Written by parity.awk from parity.list and the headers;" \
		" tests/build/check-parity.sh --write does that.\n"
	print "| | present | in part | missing | not needed in C |"
	print "|---|---|---|---|---|"
	for (i = 1; i <= 3; i++) {
		list = substr("sed", i, 1)
		print "| " title[list] " | " count[list, "present"] + 0 " | " \
			count[list, "in part"] + 0 " | " \
			count[list, "missing"] + 0 " | " \
			count[list, "not needed"] + 0 " |"
	}
	for (i = 1; i <= n_groups; i++) {
		print "\n## " order[i] "\n"
		print "| name | in | dpr |\n|---|---|---|"
		printf "%s", rows[order[i]]
	}
}
