# SPDX-License-Identifier: Apache-2.0
# Reads kernels/reductions.def and kernels/derived.def, and writes
# include/dpr/reductions.h.
# -v operations=... is the list that ops.awk writes.

BEGIN {
	count = derived = 0
	while ((getline line < operations) > 0) {
		split(line, column, "\t")
		arguments[column[1]] = column[2]
		result[column[1]] = column[3]
		classes[column[1]] = column[4]
	}
}

function trim(s)
{
	gsub(/^[ \t]+|[ \t]+$/, "", s)
	return s
}

function bad(text)
{
	printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
	failed = 1
	exit 1
}

# Check that the columns of line @k fit together.
function check(k, c)
{
	if (name[k] !~ /^[a-z][a-z0-9_]*$/)
		bad(name[k] ": is no name")
	if (name[k] in known)
		bad(name[k] ": is there twice")
	known[name[k]] = 1
	if (name[k] in arguments)
		bad(name[k] ": is an operation")
	if (arguments[combine[k]] != 2 || result[combine[k]] != "same")
		bad(name[k] ": " combine[k] " combines no elements")
	if (sum[k] !~ /^(BOOL|SAME|WIDE|FLOAT)$/ ||
	    first[k] !~ /^(ZERO|ONE|HIGHEST|LOWEST)$/ ||
	    finish[k] !~ /^(NOTHING|DIVIDE)$/)
		bad(name[k] ": unknown dtype, first value or finish")
	c = classes[combine[k]]
	if (sum[k] == "BOOL" && c !~ /b/)
		bad(name[k] ": " combine[k] " does not take bool")
	if (sum[k] == "FLOAT" && c !~ /f/)
		bad(name[k] ": " combine[k] " does not take floats")
	if (sum[k] != "BOOL" && c ~ /c/ && first[k] ~ /^(HIGHEST|LOWEST)$/)
		bad(name[k] ": complex numbers have no order")
	if (finish[k] == "DIVIDE" && sum[k] != "FLOAT")
		bad(name[k] ": only FLOAT can be divided")
	if (text[k] == "" || text[k] ~ /[\\"]|\*\//)
		bad(name[k] ": a text in quotes comes last, without \\, \" and */")
}

# Take a line apart: REDUCTION(NAME, COMBINE, SUM, FIRST, FINISH, "TEXT")
function reduction(line, quote, part)
{
	sub(/^REDUCTION\([ \t]*/, "", line)
	quote = index(line, "\"")
	if (split(quote ? substr(line, 1, quote - 1) : line, part, ",") != 6 ||
	    (quote && trim(part[6]) != "") || line !~ /"[ \t]*\)$/)
		bad(trim(part[1]) ": six columns, of which the last is a text in quotes")
	name[count] = trim(part[1])
	combine[count] = trim(part[2])
	sum[count] = trim(part[3])
	first[count] = trim(part[4])
	finish[count] = trim(part[5])
	text[count] = substr(line, quote + 1)
	sub(/"[ \t]*\)$/, "", text[count])
	gsub(/"[ \t]*"/, "", text[count])
	check(count)
	count++
}

# Take a line apart: DERIVED(NAME, FORM, "EXPRESSION", "TEXT")
function derivation(line, n, part, head, k, i)
{
	k = derived++
	sub(/^DERIVED\([ \t]*/, "", line)
	n = split(line, part, "\"")
	i = split(part[1], head, ",")
	derived_name[k] = trim(head[1])
	form[k] = trim(head[2])
	if (i != 3 || trim(head[3]) != "" || n < 5 || n % 2 == 0 ||
	    trim(part[n - 2]) != "," || part[n] !~ /^[ \t]*\)$/)
		bad(derived_name[k] ": four columns, of which the last two are texts in quotes")
	for (i = 3; i < n - 2; i += 2)
		if (trim(part[i]) != "")
			bad(derived_name[k] ": the expression is in one column")
	if (derived_name[k] !~ /^[a-z][a-z0-9_]*$/)
		bad(derived_name[k] ": is no name")
	if (derived_name[k] in known)
		bad(derived_name[k] ": is there twice")
	known[derived_name[k]] = 1
	if (derived_name[k] in arguments)
		bad(derived_name[k] ": is an operation")
	if (form[k] !~ /^(REDUCES|CHOOSES|CORRECTS|ALONG)$/)
		bad(derived_name[k] ": unknown form")
	derived_text[k] = part[n - 1]
	for (i = 2; i < n - 2; i += 2)
		if (part[i] ~ /(max|min)\(/)
			extreme[k] = 1
	if (part[2] == "" || derived_text[k] == "" ||
	    derived_text[k] ~ /\*\//)
		bad(derived_name[k] ": an expression or a text is empty")
}

comment || /^\/\*/ { comment = !/\*\/[ \t]*$/; next }
/^[ \t]*$/ && pending == "" { next }
{
	pending = pending (pending == "" ? "" : " ") trim($0)
	if (pending !~ /^(REDUCTION|DERIVED)\(/)
		bad("a line begins with REDUCTION( or DERIVED(")
	if (pending !~ /\)$/)
		next
	line = pending
	pending = ""
	if (line ~ /^DERIVED/)
		derivation(line)
	else
		reduction(line)
}

# Returns a sentence about the dtypes that reduction @k refuses, because its
# combining operation lacks their classes.  Returns "" if there are none.
function refused(k, c, s)
{
	c = classes[combine[k]]
	if (sum[k] == "BOOL")
		return ""
	if (sum[k] == "SAME" && c !~ /b/)
		s = s ", bool"
	if (sum[k] != "FLOAT" && c !~ /i/)
		s = s (sum[k] == "WIDE" ? ", bool" : "") ", signed integers"
	if (sum[k] != "FLOAT" && c !~ /u/)
		s = s ", unsigned integers"
	if (c !~ /f/)
		s = s ", floats"
	if (c !~ /c/)
		s = s ", complex numbers"
	return s == "" ? "" : "  It does not take " substr(s, 3) "."
}

# Returns a sentence about the dtype of the result.
function rule(k)
{
	if (sum[k] == "BOOL")
		return "  The result is bool."
	if (sum[k] == "FLOAT")
		return "  Bool and integers are made the default float first."
	if (sum[k] == "WIDE")
		return "  Bool and signed integers are made int64 first, unsigned" \
			" ones uint64.  dpr_" name[k] "_as() makes the elements" \
			" @dtype first, and the result too."
	return ""
}

function of_none(k)
{
	if (finish[k] == "DIVIDE")
		return "  Without elements it is NaN."
	if (first[k] == "ZERO")
		return "  Without elements it is " (sum[k] == "BOOL" ? "false." : "0.")
	if (first[k] == "ONE")
		return "  Without elements it is " (sum[k] == "BOOL" ? "true." : "1.")
	return "  Without elements it fails with DPR_ERROR_SHAPE."
}

# Print a comment, in lines of at most 80 columns.
function comment_of(s, n, i, word, line)
{
	gsub(/\.  /, ".\001 ", s)
	n = split(s " */", word, " ")
	line = "/*"
	for (i = 1; i <= n; i++) {
		if (length(line) + 1 + length(word[i]) > 80) {
			sub(/\001 *$/, "", line)
			gsub(/\001/, " ", line)
			print line
			line = "  "
		}
		line = line " " word[i]
	}
	gsub(/\001/, " ", line)
	print line
}

function declaration(name, last)
{
	printf "DPR_API DPR_CHECK dpr_status dpr_%s(\n\t%s%s);\n", name,
		"const dpr_array *x, const struct dpr_axes *axis, ", last
}

# Print the beginning of macro @map, which lists names.
function begin_map(comment, map, arguments)
{
	print comment
	print "#define " map "(" arguments ") \\"
}

function derived_declarations(k, more)
{
	for (k = 0; k < derived; k++) {
		more = form[k] == "CORRECTS" ? "double correction,\n\t" : ""
		print ""
		comment_of(derived_text[k] (extreme[k] ? \
			"  Without elements it fails with DPR_ERROR_SHAPE." : ""))
		declaration(derived_name[k], more "dpr_array **out")
		declaration(derived_name[k] "_into", more "dpr_array *out")
	}
}

function header(k)
{
	print "/* SPDX-License-Identifier: Apache-2.0 */"
	print "/*"
	print " * reductions.h - the functions that reduce.h describes, which includes this."
	print " *"
	print " * Written by kernels/reductions.awk."
	print " */"
	print "#ifndef DPR_REDUCTIONS_H"
	print "#define DPR_REDUCTIONS_H"
	print ""
	print "#include <dpr/array.h>"
	print ""
	begin_map("/* X(name) for each reduction. */", "DPR_REDUCTION_MAP", "X")
	for (k = 0; k < count; k++)
		printf "\tX(%s)%s\n", name[k], k < count - 1 ? " \\" : ""
	print ""
	begin_map("/* X(name, form) for each function that is computed by an expression.  form:\n" \
		"   REDUCES; CHOOSES, which takes a mask; CORRECTS, which does so too and has a\n" \
		"   parameter `correction`; or ALONG, whose result has the shape of x. */", "DPR_DERIVED_MAP", "X")
	for (k = 0; k < derived; k++)
		printf "\tX(%s, %s)%s\n", derived_name[k], form[k],
			k < derived - 1 ? " \\" : ""
	print ""
	print "DPR_BEGIN_DECLS"
	print ""
	print "struct dpr_axes; /* reduce.h */"
	for (k = 0; k < count; k++) {
		print ""
		comment_of(text[k] refused(k) rule(k) of_none(k))
		declaration(name[k], "dpr_array **out")
		declaration(name[k] "_into", "dpr_array *out")
		if (sum[k] == "WIDE")
			declaration(name[k] "_as", "dpr_dtype dtype,\n\tdpr_array **out")
	}
	derived_declarations()
	print ""
	print "DPR_END_DECLS"
	print ""
	print "#endif"
}

END {
	if (failed)
		exit 1
	if (pending != "")
		bad("the last line has no end")
	if (!count)
		bad("there are no reductions")
	header()
}
