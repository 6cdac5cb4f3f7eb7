# SPDX-License-Identifier: Apache-2.0
# The tables of the completion for bash.
function write_tables(   c, i, n, names) {
	for (c = 1; c <= commands; c++)
		names = names (c > 1 ? " " : "") command[c]
	print "_dpr_commands='" names "'"
	print "_dpr_functions='" words["function"] "'"
	print "_dpr_aspects='" words["aspect"] "'"
	print "_dpr_rows='" words["row"] "'"
	print "_dpr_groups='" words["group"] "'"
	print ""
	print "# Set $options to the options of the command $1."
	print "_dpr_options() {\n\tcase $1 in"
	for (c = 1; c <= commands; c++) {
		names = ""
		for (i = 1; i <= options[command[c]]; i++)
			names = names (i > 1 ? " " : "") "--" long[command[c], i]
		print "\t" command[c] ") options='" names "' ;;"
	}
	print "\t*) options='' ;;\n\tesac\n}\n"
	print "# Set $kind to what the option or the argument number $2 of the command $1 is."
	print "_dpr_kind() {\n\tcase \"$1 $2\" in"
	for (c = 1; c <= commands; c++) {
		n = command[c]
		for (i = 1; i <= options[n]; i++)
			if (kind[n, i] != "")
				print "\t" (short[n, i] == "" ? "" : "'" n " -" short[n, i] "' | ") \
					"'" n " --" long[n, i] "') kind=" kind[n, i] " ;;"
		for (i = 1; i <= places[n]; i++)
			print "\t'" n " '" (i == places[n] && repeats[n] ? "[0-9]*" : i) ") kind='" place[n, i] "' ;;"
	}
	print "\t*) kind='' ;;\n\tesac\n}"
}
