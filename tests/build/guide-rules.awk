# SPDX-License-Identifier: Apache-2.0
# The rules that a page of the guides keeps, as check-guide.sh names them.
#
# Variables: tree, the source folder; build, the build folder; page, the name of the
# page from there; prose, the file that gets the page's sentences as lines of "#".
# The first file has the names that headers declare, the second is the page.

function bad(line, text)
{
	printf "%s:%d: %s\n", page, line, text
}

function exists(path)
{
	return system("test -e '" path "'") == 0
}

# Read a program.  Sets source[1..n_source], without the licence, the blank line
# below, and the marks of parts.  The line below mark[k] is source[behind[k]].  False:
# there is no such file.
function read_source(path,   line, n, is_licence)
{
	n_source = n_marks = 0
	while ((n = (getline line < (tree "/" path))) > 0) {
		if (line ~ /SPDX-License-Identifier/ && !n_source) {
			is_licence = 1
			continue
		}
		if (is_licence && line == "") {
			is_licence = 0
			continue
		}
		is_licence = 0
		if (line ~ /^[ \t]*(\/\*|#) guide: .*$/) {
			mark[++n_marks] = mark_name(line)
			behind[n_marks] = n_source + 1
		} else
			source[++n_source] = line
	}
	close(tree "/" path)
	return n == 0
}

function mark_name(line)
{
	sub(/^[ \t]*(\/\*|#) guide: /, "", line)
	sub(/[ \t]*(\*\/)?[ \t]*$/, "", line)
	return line
}

# Set first and last to the lines of a part.  False: there is none of this name.
function find_part(name,   k)
{
	for (k = 1; k <= n_marks && mark[k] != name; k++)
		;
	first = behind[k]
	for (; k <= n_marks && mark[k] != "end"; k++)
		;
	last = behind[k] - 1
	return k <= n_marks && last >= first
}

# Take away what all lines from first to last begin with, of tabs and blanks.
function outdent(   i, common, lead)
{
	common = -1
	for (i = first; i <= last; i++) {
		if (source[i] == "")
			continue
		match(source[i], /^[ \t]*/)
		lead = substr(source[i], 1, RLENGTH)
		if (common == -1)
			common = lead
		while (substr(lead, 1, length(common)) != common)
			common = substr(common, 1, length(common) - 1)
	}
	for (i = first; i <= last; i++)
		if (source[i] != "")
			source[i] = substr(source[i], length(common) + 1)
}

# Compare the lines of the block with the lines of the program that it shows.
function compare(from,   i, n)
{
	n = split(from, word, " ")
	if (n != word_count[word[1]])
		return bad(opened, "a comment of another form: " from)
	if (!read_source(word[2]))
		return bad(opened, "there is no " word[2])
	first = 1
	last = n_source
	if (word[1] == "part:") {
		if (!find_part(word[3]))
			return bad(opened, word[2] " has no part " word[3])
		outdent()
	}
	for (i = 1; i <= n_block || first + i - 1 <= last; i++) {
		if (i <= n_block && first + i - 1 <= last &&
		    block[i] == source[first + i - 1])
			continue
		return bad(opened + i, "differs from " word[2] ": " \
			(first + i - 1 <= last ? source[first + i - 1] : "it has ended"))
	}
}

# A block that is not compiled must not use names of dpr: nobody would notice a
# mistake there.
function check_other(   i)
{
	for (i = 1; i <= n_block; i++)
		if (block[i] ~ /(dpr|DPR)(_|::|\/)[a-zA-Z]/)
			return bad(opened + i, "a program with dpr is in examples/: use file: or part:")
}

function close_block(   i, n_from, is_program)
{
	n_from = 0
	is_program = language ~ /^(c|cpp)$/
	for (i = 1; i <= n_comments; i++)
		if (comment[i] ~ /^(file|part): /) {
			n_from++
			compare(comment[i])
		} else if (comment[i] == "other") {
			n_from++
			if (is_program)
				check_other()
		} else if (comment[i] !~ /^(varies|only|needs|not run|copy): ./)
			bad(opened, "an unknown comment: " comment[i])
		else if (comment[i] ~ /^only: / && comment[i] !~ /^only: (host|opencl)$/)
			bad(opened, "only: host or opencl, not " comment[i])
	if (is_program && n_from != 1)
		bad(opened, "a block of " language " says above where it is from: " \
			"file:, part: or other")
	if (language == "console" && block[1] !~ /^\$ /)
		bad(opened + 1, "a session begins with a command")
}

# Whether a header declares a name; a name of C may be the beginning of several.  Of
# dpr::a::b each word has to be in a header of C++.
function is_declared(name,   i, n, part)
{
	if (name in declared)
		return 1
	if (name ~ /^dpr::./) {
		n = split(name, part, "::")
		for (i = 2; i <= n; i++)
			if (part[i] != "" && !("dpr::" part[i] in declared))
				return 0
		return 1
	}
	if (name !~ /_$/)
		return 0
	for (i in declared)
		if (index(i, name) == 1)
			return 1
	return 0
}

function check_names(text,   name, rest)
{
	rest = text
	while (match(rest, /(dpr|DPR|DPRH|DPRP)_[A-Za-z0-9_]*(\.h)?|dpr::[a-z0-9_:]*/)) {
		name = substr(rest, RSTART, RLENGTH)
		if (substr(rest, 1, RSTART - 1) ~ /[A-Za-z0-9_\/-]$/)
			name = ""
		rest = substr(rest, RSTART + RLENGTH)
		if (name ~ /\.h$/) {
			name = substr(name, 5)
			if (!exists(tree "/include/dpr/" name) &&
			    !exists(build "/include/dpr/" name))
				bad(FNR, "there is no header " name)
		} else if (name != "" && !is_declared(name))
			bad(FNR, "no header declares " name)
	}
}

# What is in backquotes and looks like a file of the tree has to be there.
function check_paths(text,   n, part, i)
{
	n = split(text, part, "`")
	for (i = 2; i <= n; i += 2)
		if (part[i] ~ /^(backends|core|doc|examples|include|kernels|tests|tools)\/[A-Za-z0-9_.\/-]*$/ &&
		    !exists(tree "/" part[i]) && !exists(build "/" part[i]))
			bad(FNR, "there is no " part[i])
}

function check_links(text,   to, folder)
{
	gsub(/`[^`]*`/, "", text)
	folder = page
	if (!sub(/\/[^\/]*$/, "/", folder))
		folder = ""
	while (match(text, /\]\([^()]*\)/)) {
		to = substr(text, RSTART + 2, RLENGTH - 3)
		text = substr(text, RSTART + RLENGTH)
		if (to ~ /^(https?:|mailto:|#)/)
			continue
		sub(/#.*/, "", to)
		if (!exists(tree "/" folder to))
			bad(FNR, "a link to nothing: " to)
	}
}

# A row of a table in doc/porting: another system's name, dpr's, and what differs.  The
# second cell says "none", or has names, and its code is nothing else: check_names()
# looks whether headers declare them.
function check_row(row,   n, cell, i, part, name)
{
	gsub(/\\\|/, "", row)
	n = split(row, cell, "|")
	if (n != 5)
		return bad(FNR, "a row of " n - 2 " cells, not 3")
	if (cell[3] ~ /^ none *$/)
		return
	n = split(cell[3], part, "`")
	if (n < 3)
		return bad(FNR, "neither a name of dpr nor none: " cell[3])
	for (i = 2; i <= n; i += 2) {
		name = part[i]
		sub(/\(\)$/, "", name)
		if (name !~ /^(dpr|DPR)(_|::)[A-Za-z0-9_:]+$/)
			bad(FNR, "not a name of a header: " part[i])
	}
}

BEGIN {
	word_count["file:"] = 2
	word_count["part:"] = 3
}

FILENAME == ARGV[1] {
	declared[$1] = 1
	next
}

FNR == 1 && !/^<!-- SPDX-License-Identifier: Apache-2\.0 -->$/ {
	bad(1, "no SPDX line")
}
FNR == 2 && !/^# [^ ]/ {
	bad(2, "no title")
}

/^```/ && !opened {
	language = substr($0, 4)
	if (language !~ /^[a-z]+$/)
		bad(FNR, "a block names its language")
	opened = FNR
	n_block = 0
	split("", block)
	print "#" >prose
	next
}
/^```/ {
	if ($0 != "```")
		bad(FNR, "a block inside a block")
	close_block()
	opened = n_comments = 0
	print "#" >prose
	next
}
opened {
	block[++n_block] = $0
	print "#" >prose
	next
}

/^<!-- .* -->$/ {
	comment[++n_comments] = substr($0, 6, length($0) - 9)
	if (FNR > 1 && comment[n_comments] ~ /^copy: / &&
	    !exists(tree "/" substr(comment[n_comments], 7)))
		bad(FNR, "there is no " substr(comment[n_comments], 7))
	print "#" >prose
	next
}
# Indented text is set as it is.
/^(    |\t)/ {
	print "#" >prose
	next
}
/<!--|-->/ {
	bad(FNR, "a comment is a line of its own")
}
page ~ /^doc\/porting\// && /^\|/ {
	# The first two rows are the heading.
	if (++n_rows > 2)
		check_row($0)
}
!/^\|/ {
	n_rows = 0
}
{
	n_comments = 0
	check_names($0)
	check_paths($0)
	check_links($0)
	# A row of a table, a heading and an item begin a sentence.
	if (/^[|#]/)
		print "# - " $0 >prose
	else
		print "# " $0 >prose
}

END {
	if (opened)
		bad(opened, "a block without an end")
	print "#" >prose
}
