# SPDX-License-Identifier: Apache-2.0
# facts.awk - what the tables say of an array function: its shapes, dtypes, special
# values, names elsewhere, and an example.
#
# man.awk and doxygen.awk write these into the reference, and examples.awk makes a
# test of the examples.  A function is named without dpr_ here, and a function of the
# form NAME_into has the facts of NAME.
#
# facts_read(DIRECTORY) reads the tables below the top folder of the source.  tables.awk
# comes before this file.

# Split the columns of a line of a list, which " | " separates.
function fact_columns(line, column, n, i) {
	n = split(line, column, /[ \t][|]/)
	for (i = 1; i <= n; i++)
		column[i] = trimmed(column[i])
	return n
}

# Take an operation of operations.def, which is one line here, apart.
function fact_operation(line, part, head, n, i, letters) {
	sub(/;[ \t]*#.*/, "", line)
	n = split(line, part, /[ \t]*;[ \t]*/)
	split(part[1], head, /[ \t]+/)
	letters = ""
	for (i = 2; i <= n; i++)
		letters = letters substr(part[i], 1, index(part[i], " ") - 1)
	fact_rule[head[1]] = head[4]
	fact_operands[head[1]] = head[2]
	# Casts that the rule makes, before the expression of the table.
	if (head[4] ~ /^(float|part|first)$/)
		letters = "biu" letters
	if (head[4] == "complex")
		letters = "biuf"
	fact_classes[head[1]] = letters
	fact_shape[head[1]] = head[2] == 1 ? "x any; the result has its shape." : \
		"The operands broadcast to the shape of the result."
}

function fact_read_operations(file, line, whole) {
	while ((getline line <file) > 0) {
		if (whole == "" && line ~ /^[ \t]*(#|$)/)
			continue
		whole = whole trimmed(line)
		if (whole ~ /\\$/) {
			whole = substr(whole, 1, length(whole) - 1)
			continue
		}
		fact_operation(whole)
		whole = ""
	}
	close(file)
}

function fact_read_reductions(file, line, part, c, name) {
	while ((getline line <file) > 0) {
		if (line !~ /^REDUCTION\(/)
			continue
		sub(/^REDUCTION\(/, "", line)
		split(line, part, /[ \t]*,[ \t]*/)
		name = part[1]
		c = fact_classes[part[2]]
		fact_shape[name] = "reduction"
		fact_row[name] = 1
		fact_rule[name] = part[3] == "BOOL" ? "bool" : tolower(part[3])
		if (part[3] == "BOOL")
			c = "biufc"
		else if (part[3] == "WIDE" && c ~ /i/ && c !~ /b/)
			c = "b" c
		else if (part[3] == "FLOAT")
			c = "biu" c
		fact_classes[name] = c
		fact_classes[name "_as"] = c
		fact_shape[name "_as"] = "reduction"
		fact_rule[name "_as"] = "given"
	}
	close(file)
}

# fact_row[]: the functions of the two tables of reductions.
function fact_read_derived(file, line) {
	while ((getline line <file) > 0)
		if (match(line, /^DERIVED\([a-z0-9_]+,/))
			fact_row[substr(line, 9, RLENGTH - 9)] = 1
	close(file)
}

function fact_read_shapes(file, line, column, name, n, i, word) {
	while ((getline line <file) > 0) {
		if (line ~ /^(#|$)/)
			continue
		fact_columns(line, column)
		n = split(column[1], name, " ")
		for (i = 1; i <= n; i++) {
			fact_shape[name[i]] = column[2]
			fact_more[name[i]] = column[3]
			if (column[3] !~ /^[biufcFC]+ [a-z0-9]+( |$)/)
				continue
			split(column[3], word, " ")
			fact_classes[name[i]] = word[1]
			fact_rule[name[i]] = word[2]
			sub(/^[^ ]+ [^ ]+ */, "", fact_more[name[i]])
		}
	}
	close(file)
}

function fact_read_examples(file, line, column, name) {
	while ((getline line <file) > 0) {
		if (line ~ /^(#|$)/)
			continue
		fact_columns(line, column)
		name = column[1]
		fact_order[++fact_count] = name
		fact_numpy[name] = column[2] == "=" ? "numpy." name : column[2]
		fact_arrays[name] = column[3]
		fact_calls[name] = column[4]
		fact_prints[name] = column[5]
	}
	close(file)
}

function fact_read_special(file, line) {
	while ((getline line <file) > 0)
		if (line !~ /^(#|$)/)
			fact_special[substr(line, 1, index(line, " ") - 1)] = \
				substr(line, index(line, "|") + 2)
	close(file)
}

function fact_read_names(file, line, word, n, i, name) {
	while ((getline line <file) > 0) {
		if (line ~ /^(#|$)/)
			continue
		n = split(line, word, " ")
		name = word[2]
		sub(/.*\./, "", name)
		if (word[4] != "=") {
			word[5] = "dpr_" name
			n = 5
		}
		for (i = 5; i <= n && word[i] !~ /^[~!]$/; i++) {
			name = word[i]
			sub(/^dpr_/, "", name)
			# The function of the same name comes before an extension's.
			if (word[3] ~ /[se]/ && !(name in fact_standard))
				fact_standard[name] = word[2]
			if (word[3] ~ /d/ && !(name in fact_dpctl))
				fact_dpctl[name] = word[2]
		}
	}
	close(file)
}

function facts_read(top) {
	fact_read_operations(top "/kernels/operations.def")
	fact_read_reductions(top "/kernels/reductions.def")
	fact_read_derived(top "/kernels/derived.def")
	fact_read_shapes(top "/doc/reference/shapes.list")
	fact_read_special(top "/doc/reference/special.list")
	fact_read_names(top "/doc/parity.list")
	fact_read_examples(top "/doc/reference/examples.list")
}

# The function whose facts @name, with dpr_ in front, has.  "": there are none.
function fact_name(name) {
	if (name !~ /^dpr_/)
		return ""
	sub(/^dpr_/, "", name)
	if (name in fact_calls)
		return name
	sub(/_into$/, "", name)
	return name in fact_calls ? name : ""
}

# The shapes of @name, as a sentence.
function fact_shapes(name) {
	return fact_shape[name] != "reduction" ? fact_shape[name] : \
		"x any; the result is without the reduced axes, or with keepdims" \
		" these have the extent 1."
}

function fact_add(list, word) {
	return list == "" ? word : list ", " word
}

# The dtypes of @name, as sentences.
function fact_dtypes(name, c, rule, s) {
	if (!(name in fact_classes))
		return fact_more[name]
	c = fact_classes[name]
	rule = fact_rule[name]
	s = ""
	if (c ~ /b/)
		s = fact_add(s, "bool")
	if (c ~ /i/ && c ~ /u/)
		s = fact_add(s, "integers")
	else if (c ~ /[iu]/)
		s = fact_add(s, c ~ /i/ ? "signed integers" : "unsigned integers")
	if (c ~ /F/)
		s = fact_add(s, "float32, float64")
	if (c ~ /f/)
		s = fact_add(s, "floats")
	if (c ~ /C/)
		s = fact_add(s, "complex64, complex128")
	if (c ~ /c/)
		s = fact_add(s, "complex numbers")
	s = toupper(substr(s, 1, 1)) substr(s, 2) "."
	if (rule == "same")
		s = s "  The result has the same dtype" \
			(fact_shape[name] ~ /x1|perands|rrays/ ? \
				"; several are promoted to one." : ".")
	else if (rule == "bool" || rule == "int64")
		s = s "  The result is of " rule "."
	else if (rule == "real")
		s = s "  The result has the same dtype, but is real."
	else if (rule ~ /^(float|part|first)$/ && c ~ /[biu]/)
		s = s "  Bool and integers are first cast to the default float." \
			(rule == "part" ? "  The result is real." : "")
	else if (rule == "complex")
		s = s "  The result is complex."
	else if (rule == "wide")
		s = s "  The result is of int64 for bool and signed integers, and" \
			" of uint64 for unsigned integers; else it has the same dtype."
	else if (rule == "given")
		s = s "  The result is of @dtype."
	return fact_more[name] == "" ? s : s "  " fact_more[name]
}

# A name elsewhere, or "none".
function fact_or_none(name) {
	return name == "" ? "none" : name
}
function fact_base(name) {
	sub(/_(as|on|copy|axes)$/, "", name)
	return name
}
function fact_in_numpy(name) {
	return fact_numpy[name]
}
function fact_in_standard(name) {
	return fact_or_none(name in fact_standard ? fact_standard[name] : \
		fact_standard[fact_base(name)])
}
function fact_in_dpctl(name) {
	return fact_or_none(name in fact_dpctl ? fact_dpctl[name] : \
		fact_dpctl[fact_base(name)])
}

# The special values of @name, a line each.  "": there are none.
function fact_values(name, part, n, i, s) {
	if (!(name in fact_special))
		return ""
	n = split(fact_special[name], part, / [|] /)
	s = ""
	for (i = 1; i <= n; i++) {
		if (part[i] == "complex")
			continue
		sub(/ = /, ") = ", part[i])
		sub(/^\(\)\)/, "no elements)", part[i])
		s = s name "(" part[i] "\n"
	}
	return s
}

# Whether complex numbers have the special values of the standard, too.
function fact_complex(name) {
	return fact_special[name] ~ / [|] complex$/
}

# --- Examples

# The lists of printed arrays: print_name[1 ... n] and print_text[1 ... n].
# Returns n.
function fact_outputs(name, part, n, i, s, made, k) {
	k = 0
	s = fact_calls[name]
	while (match(s, /&[a-z][a-z0-9]*/)) {
		made[++k] = substr(s, RSTART + 1, RLENGTH - 1)
		s = substr(s, RSTART + RLENGTH)
	}
	if (!k) {
		s = fact_calls[name]
		sub(/^[^(]*\(/, "", s)
		sub(/,.*/, "", s)
		made[1] = s
	}
	n = split(fact_prints[name], part, /[ \t]*;[ \t]*/)
	for (i = 1; i <= n; i++) {
		print_name[i] = made[i]
		print_text[i] = part[i]
		if (match(part[i], /^[a-z0-9]+(\[[0-9]\])? = /)) {
			print_name[i] = substr(part[i], 1, RLENGTH - 3)
			print_text[i] = substr(part[i], RLENGTH + 1)
		}
	}
	return n
}

# @text as dpr_array_print() breaks it into lines.
function fact_printed(text, rank, depth, i, c, out, k) {
	match(text, /^\[*/)
	rank = RLENGTH
	depth = 0
	out = ""
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		depth += (c == "[") - (c == "]")
		if (c != " " || depth >= rank || !depth) {
			out = out c
			continue
		}
		for (k = depth; k < rank; k++)
			out = out "\n"
		for (k = 0; k < depth; k++)
			out = out " "
	}
	return out
}

# The words before the code of the example of @name: the arrays that it has.
function fact_given(name, s, n, part, i) {
	n = split(fact_arrays[name], part, /[ \t]*;[ \t]*/)
	s = ""
	for (i = 1; i <= n; i++)
		s = s (i == 1 ? "" : i == n ? " and " : ", ") part[i]
	return n ? "With " s " these lines" : "These lines"
}

# Break the line @s behind commas.
function fact_fold(s, out, at, i) {
	out = ""
	while (length(s) > 72) {
		at = 0
		for (i = 20; i <= 71; i++)
			if (substr(s, i, 2) == ", ")
				at = i
		if (!at)
			break
		out = out substr(s, 1, at) "\n"
		s = "        " substr(s, at + 2)
	}
	return out s
}

# The example of @name, as C.  Lines end with newlines.
function fact_code(name, part, n, i, k, step, steps, s) {
	steps = split(fact_calls[name], step, /;[ \t]*/)
	n = fact_outputs(name)
	for (i = 1; i <= n; i++)
		step[++steps] = print_name[i] == "dtype" ? "" : \
			"dpr_array_print(" print_name[i] ", stdout)"
	s = ""
	for (i = 1; i < steps; i++)
		s = s fact_fold((i == 1 ? "if (" : "    ") "!(status = " step[i] ")" \
			(i < steps - 1 ? " &&" : ")")) "\n"
	return s (step[steps] == "" ? "\tputs(dpr_dtype_name(dtype));\n" : \
		"\tstatus = " step[steps] ";\n")
}

# What the example prints.  Lines end with newlines.
function fact_result(name, n, i, s) {
	n = fact_outputs(name)
	s = ""
	for (i = 1; i <= n; i++)
		s = s fact_printed(print_text[i]) "\n"
	return s
}

# The call that computes the example of @name into arrays that exist.
function fact_into(name, s) {
	s = fact_calls[name]
	sub(/;.*/, "", s)
	sub("^dpr_" name "\\(", "dpr_" name "_into(", s)
	gsub(/&/, "", s)
	return s
}
