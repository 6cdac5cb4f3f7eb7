# SPDX-License-Identifier: Apache-2.0
# Reads what generate.sh collects into the arrays below.  Then writes the file
# "template", with what write_tables() writes in place of the line "# @tables@".  The
# file of a shell has this function.
#
#	command[1..commands], about[command]
#	options[command]; and of option i, by (command, i): short (a letter, or ""),
#	  long, text, and kind: of its value, "" for an option without a value
#	places[command]; and by (command, i) place: the kind of argument i; the last
#	  argument repeats if repeats[command]
#	words["aspect"], words["row"], words["group"], words["function"]
#
# Kinds: selector, array (an .npy file), binding (NAME=array), expression, row, group,
# kernel, file, directory, none; or "=WORD", a word to type.

# What a word of a help text like SELECTOR stands for.
function kind_of(name, word) {
	if (word ~ /^(SELECTOR|DEVICE)$/)
		return "selector"
	if (word ~ /^[A-Z]+=FILE/)
		return "binding"
	if (word ~ /\.np[yz]$/)
		return "array"
	if (word == "EXPR")
		return "expression"
	if (name == "bench" && word ~ /^NAME/)
		return "row"
	if (word == "GROUP")
		return "group"
	if (name == "kernels" && word == "NAME")
		return "kernel"
	if (word ~ /^FILE/)
		return "file"
	if (word ~ /^DIR/)
		return "directory"
	if (word ~ /^[a-z]+$/)
		return "=" word
	return "none"
}

# The arguments in a line of usage, less its options and their values.
function read_usage(name, line,   word, n, i, kind, again) {
	gsub(/\[-[^]]*\](\.\.\.)?/, "", line)
	gsub(/\[OPTION\.\.\.\]/, "", line)
	gsub(/--?[a-z][a-z-]*([= ][A-Z][A-Z.]*)?/, "", line)
	n = split(line, word, " ")
	for (i = 1; i <= n; i++) {
		again = word[i] ~ /\.\.\.$/
		sub(/\.\.\.$/, "", word[i])
		gsub(/[][]/, "", word[i])
		if (word[i] == "" || (name, word[i]) in seen_place)
			continue
		seen_place[name, word[i]] = 1
		kind = kind_of(name, word[i])
		place[name, ++places[name]] = kind
		repeats[name] = again
	}
}

function end_usage() {
	if (usage_line != "")
		read_usage(current, usage_line)
	usage_line = ""
}

function read_option(name, line,   i, value) {
	i = ++options[name]
	short[name, i] = line ~ /^  -/ ? substr(line, 4, 1) : ""
	sub(/^  (-., |    )--/, "", line)
	match(line, /^[a-z0-9+-]+/)
	long[name, i] = substr(line, 1, RLENGTH)
	line = substr(line, RLENGTH + 1)
	if (match(line, /^[= ][A-Z][^ ]*/)) {
		value = substr(line, 2, RLENGTH - 1)
		line = substr(line, RLENGTH + 1)
		kind[name, i] = kind_of(name, value)
		meaning[name, i] = value
	}
	sub(/^\[=[^]]*\]/, "", line) # a value that may be left out
	sub(/^ +/, "", line)
	text[name, i] = line
}

/^@(aspect|row|group) / {
	key = substr($1, 2)
	words[key] = words[key] (words[key] == "" ? "" : " ") $2
	next
}
/^@help/ {
	part = "help"
	next
}
/^@command / {
	part = "usage"
	current = $2
	usage_line = ""
	in_functions = 0
	next
}
part == "help" && /^  [a-z][a-z-]* +[a-z]/ {
	command[++commands] = $1
	line = $0
	sub(/^  [a-z-]+ +/, "", line)
	about[$1] = line
	next
}
part == "usage" && /^(usage:|      ) dpr / {
	end_usage()
	line = $0
	sub(/^(usage:|      ) dpr [a-z-]+/, "", line)
	usage_line = line
	next
}
part == "usage" && /^ / && usage_line != "" {
	usage_line = usage_line " " $0
	next
}
part == "usage" && /^$/ {
	end_usage()
	part = "options"
	next
}
part == "options" && /^  (-[a-z], |    )--[a-z]/ {
	read_option(current, $0)
	in_option = 1
	next
}
# A description goes on, below itself.
part == "options" && in_option && /^          +[^ ]/ {
	sub(/^ +/, "")
	text[current, options[current]] = text[current, options[current]] " " $0
	next
}
part == "options" {
	in_option = 0
}
# An option in another form would be lost.
part == "options" && /^  .*--[a-z]/ && !/^  dpr / {
	print "completion: dpr " current ": no option: " $0 >"/dev/stderr"
	failed = 1
}
part == "options" && /Functions:$/ {
	in_functions = 1
	next
}
in_functions && NF == 0 {
	in_functions = 0
}
in_functions {
	for (i = 1; i <= NF; i++)
		words["function"] = words["function"] (words["function"] == "" ? "" : " ") $i
}

END {
	if (!commands || words["function"] == "" || words["row"] == "" ||
	    words["group"] == "" || words["aspect"] == "") {
		print "completion: the help of dpr has another form" >"/dev/stderr"
		exit 1
	}
	for (i = 1; i <= commands; i++)
		if (!options[command[i]]) {
			print "completion: no options of dpr " command[i] >"/dev/stderr"
			failed = 1
		}
	if (failed)
		exit 1
	while ((getline line <template) > 0 && ++lines)
		if (line == "# @tables@")
			write_tables()
		else
			print line
	if (!lines) {
		print "completion: " template " cannot be read" >"/dev/stderr"
		exit 1
	}
}
