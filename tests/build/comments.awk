# SPDX-License-Identifier: Apache-2.0
# Takes comments apart into sentences: those of C, awk, shell, m4, Python and make
# files.  In pages of Markdown and roff, and in NEWS, all prose is one comment.
#
# Without `sample`, each sentence with more than `limit` pronouns gives a line:
# the number of pronouns, file:line and the sentence, with tabs between.
#
# With `sample`, that many comments are drawn at random.  Each is printed with
# the lines around it.  The same `seed` and files draw the same comments.

BEGIN {
	n = split("it that those what which", list, " ")
	for (i = 1; i <= n; i++)
		is_pronoun[list[i]] = 1
	# "one" is a pronoun before these words and before a mark, and a number
	# before any other word.
	n = split("of that which who whose is are was has have had can may and or but nor in on at by with for from to after before per than as if when where while without", list, " ")
	for (i = 1; i <= n; i++)
		ends_one[list[i]] = 1
	n = split("e.g. i.e. etc. vs. cf.", list, " ")
	for (i = 1; i <= n; i++)
		is_short[list[i]] = 1
}

# --- Sentences ---------------------------------------------------------------

function bare(word) {
	word = tolower(word)
	sub(/^[("'`\[]+/, "", word)
	sub(/'s?[^a-z]*$/, "", word)
	sub(/[^a-z]+$/, "", word)
	return word
}

function count_pronouns(from, to,   i, n, word) {
	for (i = from; i <= to; i++) {
		word = bare(words[i])
		if (word in is_pronoun)
			n++
		else if (word == "one" && (i == to || words[i] ~ /[^a-zA-Z]$/ ||
			 bare(words[i + 1]) in ends_one))
			n++
	}
	return n + 0
}

function end_sentence(from, to,   i, n, text) {
	if (to < from)
		return
	n = count_pronouns(from, to)
	if (n <= limit)
		return
	text = words[from]
	for (i = from + 1; i <= to; i++)
		text = text " " words[i]
	printf "%d\t%s:%d\t%s\n", n, file[n_files], at[from], text
}

function rank(   i, from) {
	from = 1
	for (i = 1; i <= n_words; i++)
		if (words[i] == "") {
			end_sentence(from, i - 1)
			from = i + 1
		} else if (words[i] ~ /[.!?]["')]*$/ && !(words[i] in is_short)) {
			end_sentence(from, i)
			from = i + 1
		}
	end_sentence(from, n_words)
}

# --- Comments ----------------------------------------------------------------

function begin_comment() {
	n_words = is_banner = 0
	first_line = FNR
	is_open = 1
}

# A line of a comment.  An empty word ends a paragraph, and the sentence.  An item
# of a list starts with a dash, a number, or a name in a column of its own.
function add_line(text,   i, n, part) {
	sub(/\\$/, "", text)
	is_banner = is_banner || text ~ /^[ \t]*---/
	n = split(text, part, /[ \t]+/)
	if (text ~ /^[ \t]*(- |[0-9]+\. |$)/ ||
	    text ~ /^[ \t]*[^ \t].*[^ \t.?!:](\t|  )[ \t]*[^ \t]/) {
		words[++n_words] = ""
		at[n_words] = FNR
	}
	for (i = 1; i <= n; i++)
		if (part[i] != "" && part[i] !~ /^[-=*]+$/) {
			words[++n_words] = part[i]
			at[n_words] = FNR
		}
}

function end_comment(last,   i, is_text) {
	is_open = 0
	for (i = 1; i <= n_words; i++) {
		if (words[i] ~ /^SPDX-/)
			return
		if (words[i] ~ /[a-z]/)
			is_text++
	}
	if (!is_text || is_banner)
		return
	if (!sample) {
		rank()
		return
	}
	n_comments++
	comment_file[n_comments] = n_files
	comment_first[n_comments] = first_line
	comment_last[n_comments] = last
}

# The text of line `rest`, behind a comment or outside of any.
function scan_c(rest,   mark, text) {
	while (1) {
		if (is_open) {
			if (!(mark = index(rest, "*/"))) {
				sub(/^[ \t]*\*/, "", rest)
				add_line(rest)
				return
			}
			text = substr(rest, 1, mark - 1)
			sub(/^[ \t]*\*/, "", text)
			if (text !~ /^[ \t]*$/)
				add_line(text)
			end_comment(FNR)
			rest = substr(rest, mark + 2)
			continue
		}
		if (!match(rest, /\/\*|\/\/|"|'/))
			return
		mark = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (mark == "/*") {
			begin_comment()
			if (rest ~ /^[ \t]*$/)
				return
		} else if (mark == "//") {
			begin_comment()
			add_line(rest)
			end_comment(FNR)
			return
		} else if (match(rest, mark == "\"" ? /^([^"\\]|\\.)*"/ \
						     : /^([^'\\]|\\.)*'/)) {
			rest = substr(rest, RLENGTH + 1)
		} else {
			return
		}
	}
}

# Lines of comments that follow one another are one comment.
function scan_hash(line) {
	if (line ~ /SPDX-/) {
		if (is_open)
			end_comment(FNR - 1)
		return
	}
	if (line ~ /^[ \t]*(#|dnl)([ \t]|$)/) {
		if (!is_open)
			begin_comment()
		sub(/^[ \t]*(#|dnl)/, "", line)
		add_line(line)
		return
	}
	if (is_open)
		end_comment(FNR - 1)
	gsub(/"([^"\\]|\\.)*"/, "", line)
	if (match(line, /[ \t]#[ \t]/)) {
		begin_comment()
		add_line(substr(line, RSTART + 3))
		end_comment(FNR)
	}
}

# A line of a page.  Blocks of code and comments are left out.  A heading and a
# cell of a table are sentences of their own.
function scan_markdown(line,   i, n, cell) {
	if (line ~ /^ *```/)
		is_code = !is_code
	if (is_code || line ~ /^(    |\t)/ && was_blank || line ~ /^ *(```|<!--)|^[-=|: ]*$/)
		line = ""
	was_blank = line == ""
	gsub(/\*\*/, "", line)
	gsub(/`[^`]*`/, "X", line)
	n = line ~ /^ *\|/ ? split(line, cell, "|") : 0
	for (i = 1; i <= n; i++) {
		add_line("")
		add_line(cell[i])
	}
	if (n)
		return
	if (line ~ /^#/)
		add_line("")
	sub(/^ *\* /, "- ", line)
	add_line(line)
	if (line ~ /^#/)
		add_line("")
}

# A line of a manual page.  Requests for a font go on with the sentence.
function scan_roff(line) {
	if (line ~ /^\.(nf|EX)/)
		is_code = 1
	else if (line ~ /^\.(fi|EE)/)
		is_code = 0
	gsub(/\\f[A-Z]/, "", line)
	gsub(/\\-/, "-", line)
	gsub(/\\&/, "", line)
	if (is_code || line ~ /^\.\\"/)
		line = ""
	else if (!sub(/^\.[BI]?[BIR] /, "", line) && line ~ /^\./)
		line = ""
	add_line(line)
}

# --- Files -------------------------------------------------------------------

FNR == 1 {
	if (is_open)
		end_comment(last_line)
	is_c = FILENAME ~ /\.(c|h|cl|cpp|hpp|def)$/ && $0 !~ /^# /
	is_markdown = FILENAME ~ /\.md$|(^|\/)NEWS$/
	is_roff = FILENAME ~ /\.[0-9]$/
	is_code = was_blank = 0
	if (is_markdown || is_roff)
		begin_comment()
	file[++n_files] = FILENAME
}
{ last_line = FNR }
sample { line_of[n_files, FNR] = $0 }
is_c { scan_c($0) }
is_markdown { scan_markdown($0) }
is_roff { scan_roff($0) }
!is_c && !is_markdown && !is_roff { scan_hash($0) }

# --- Samples -----------------------------------------------------------------

# The minimal standard generator: awks differ in rand().
function draw(below) {
	seed = (seed * 16807) % 2147483647
	return int(seed / 2147483647 * below)
}

function show(c,   f, i, is_around) {
	f = comment_file[c]
	printf "== %s:%d\n", file[f], comment_first[c]
	for (i = comment_first[c] - 2; i <= comment_last[c] + 4; i++)
		if ((f, i) in line_of) {
			is_around = i < comment_first[c] || i > comment_last[c]
			print (is_around ? "  " : "> ") line_of[f, i]
		}
	print ""
}

END {
	if (is_open)
		end_comment(last_line)
	if (!sample)
		exit
	seed = seed % 2147483646 + 1
	for (i = 1; i <= n_comments; i++)
		drawn[i] = i
	for (i = 1; i <= sample && i <= n_comments; i++) {
		j = i + draw(n_comments - i + 1)
		c = drawn[j]
		drawn[j] = drawn[i]
		show(c)
	}
}
