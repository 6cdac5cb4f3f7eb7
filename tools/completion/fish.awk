# SPDX-License-Identifier: Apache-2.0
# The tables of the completion for fish.

function quoted(text) {
	gsub(/[\\']/, "\\\\&", text)
	return "'" text "'"
}

# What comes as a value or an argument: options of complete.
function offer(kind) {
	if (kind == "none")
		return ""
	if (kind ~ /^=/)
		return " -a " substr(kind, 2)
	if (kind == "file")
		return " -F"
	if (kind == "directory")
		return " -a '(__fish_complete_directories (commandline -ct))'"
	if (kind == "row" || kind == "group")
		return " -a " quoted(words[kind])
	return " -a '(__dpr_" kind "s)'"
}

function write_tables(   c, i, n) {
	print "set -g __dpr_function_names " words["function"]
	print "set -g __dpr_aspects " words["aspect"]
	printf "%s", "set -g __dpr_valued"
	for (c = 1; c <= commands; c++) {
		n = command[c]
		for (i = 1; i <= options[n]; i++)
			if (kind[n, i] != "")
				printf "%s", (short[n, i] == "" ? "" : " '" n " -" short[n, i] "'") \
					" '" n " --" long[n, i] "'"
	}
	print ""
	print ""
	for (c = 1; c <= commands; c++)
		print "complete -c dpr -n __dpr_no_command -a " command[c] " -d " \
			quoted(about[command[c]])
	for (c = 1; c <= commands; c++)
		print "complete -c dpr -n '__dpr_argument help 1' -a " command[c]
	for (c = 1; c <= commands; c++) {
		n = command[c]
		for (i = 1; i <= options[n]; i++)
			print "complete -c dpr -n '__dpr_argument " n "'" \
				(short[n, i] == "" ? "" : " -s " short[n, i]) " -l " long[n, i] (kind[n, i] == "" ? "" : \
				(kind[n, i] == "file" ? " -r" : " -x") offer(kind[n, i])) " -d " quoted(text[n, i])
		for (i = 1; i <= places[n]; i++)
			print "complete -c dpr -n '__dpr_argument " n " " i \
				(i == places[n] && repeats[n] ? " more" : "") "'" offer(place[n, i])
	}
}
