# SPDX-License-Identifier: Apache-2.0
# The tables of the completion for zsh.

# A text within a word of _arguments or _describe, and in quotes.
function quoted(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/[]:[]/, "\\\\&", text)
	gsub(/'/, "'\\''", text)
	return text
}

# What _arguments does for a value or an argument.
function action(kind) {
	if (kind == "none")
		return " "
	if (kind ~ /^=/)
		return "(" substr(kind, 2) ")"
	if (kind == "file")
		return "_files"
	if (kind == "directory")
		return "_files -/"
	if (kind == "row")
		return "_sequence compadd - " words["row"]
	if (kind == "group")
		return "(" words["group"] ")"
	return "_dpr_" kind "s"
}

function write_tables(   c, i, n) {
	print "_dpr_commands=("
	for (c = 1; c <= commands; c++)
		print "\t'" command[c] ":" quoted(about[command[c]]) "'"
	print ")"
	print "_dpr_function_names=(" words["function"] ")"
	print "_dpr_aspects=(" words["aspect"] ")"
	print ""
	print "# Set $specs to what _arguments wants to know about the command $1."
	print "_dpr_specs() {\n\tcase $1 in"
	for (c = 1; c <= commands; c++) {
		n = command[c]
		print "\t" n ")\n\t\tspecs=("
		for (i = 1; i <= options[n]; i++) {
			printf "\t\t\t'"
			if (short[n, i] != "")
				printf "%s'{-%s%s,", \
					n == "check-plugin" && kind[n, i] == "group" ? "*" : \
					"(-" short[n, i] " --" long[n, i] ")", \
					short[n, i], kind[n, i] == "" ? "" : "+"
			printf "--%s%s%s[%s]", long[n, i], kind[n, i] == "" ? "" : "=", \
				short[n, i] == "" ? "" : "}'", quoted(text[n, i])
			if (kind[n, i] != "")
				printf ":%s:%s", quoted(meaning[n, i]), action(kind[n, i])
			print "'"
		}
		for (i = 1; i <= places[n]; i++)
			printf "\t\t\t'%s:%s:%s'\n", \
				i == places[n] && repeats[n] ? "*" : i, \
				place[n, i] ~ /^=/ ? "word" : place[n, i], action(place[n, i])
		print "\t\t) ;;"
	}
	print "\tesac\n}"
}
