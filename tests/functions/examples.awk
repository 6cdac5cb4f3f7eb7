# SPDX-License-Identifier: Apache-2.0
# examples.awk - makes a function of each example of doc/reference/examples.list, and
# a table of the special values of special.list, for api_examples.c.
#
# The code of an example is what the man page shows.  If a header declares
# dpr_NAME_into(), the example is also computed into arrays that exist.
#
# usage: awk -v top=SOURCE -f tables.awk -f facts.awk -f examples.awk HEADER...

BEGIN { facts_read(top) }

{
	s = $0
	while (match(s, /dpr_[a-z0-9_]+\(/)) {
		declared[substr(s, RSTART, RLENGTH - 1)] = 1
		s = substr(s, RSTART + RLENGTH)
	}
}

function quoted(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	gsub(/\n/, "\\n", s)
	return "\"" s "\""
}

# Collect the arrays that example @n has before its call, and the arrays that the
# call makes.
function find_arrays(name, part, n, i, s, at) {
	for (s in size)
		delete size[s]
	for (s in made)
		delete made[s]
	n_made = 0
	n = split(fact_arrays[name], part, /[ \t]*;[ \t]*/)
	n_given = n
	for (i = 1; i <= n; i++) {
		at = index(part[i], " = ")
		given_name[i] = substr(part[i], 1, at - 1)
		given_text[i] = substr(part[i], at + 3)
	}
	s = fact_calls[name]
	while (match(s, /&[a-z][a-z0-9]*/)) {
		made[++n_made] = substr(s, RSTART + 1, RLENGTH - 1)
		s = substr(s, RSTART + RLENGTH)
	}
	n = fact_outputs(name)
	for (i = 1; i <= n; i++)
		if (match(print_name[i], /\[/)) {
			s = substr(print_name[i], 1, RSTART - 1)
			if (!(s in size))
				made[++n_made] = s
			size[s] = substr(print_name[i], RSTART + 1) + 1
		}
}

# Whether the call has a number for an array: bool arrays are then computed in
# another dtype.
function has_number(name) {
	return (name in fact_operands || name ~ /^(where|divmod)$/) && \
		fact_calls[name] ~ /, -?[0-9.]+, /
}

# Write code that calls the _into form with existing arrays, and prints the
# results.
function write_into(name, n, i) {
	n = fact_outputs(name)
	printf "\tif (!status && example->into) {\n"
	for (i = 1; i <= n; i++)
		printf "\t\toverwrite(&%s);\n", print_name[i]
	printf "\t\tstatus = %s;\n", fact_into(name)
	for (i = 1; i <= n; i++)
		printf "\t\tif (!status)\n\t\t\tstatus = dpr_array_print(%s, stdout);\n",
			print_name[i]
	printf "\t}\n"
}

# The lines of @code, a tab further to the right.
function indented(code) {
	sub(/\n$/, "", code)
	gsub(/\n/, "\n\t", code)
	return "\t" code
}

function write_example(name, i, k) {
	find_arrays(name)
	printf "static dpr_status example_%s(struct example *example)\n{\n", name
	for (i = 1; i <= n_given; i++)
		printf "\tdpr_array *%s = given(example, %s, %s);\n", given_name[i],
			quoted(given_name[i]), quoted(given_text[i])
	for (i = 1; i <= n_made; i++) {
		if (made[i] == "dtype")
			printf "\tdpr_dtype dtype;\n"
		else if (made[i] in size)
			printf "\tdpr_array *%s[%d] = { NULL };\n", made[i], size[made[i]]
		else
			printf "\tdpr_array *%s = NULL;\n", made[i]
	}
	printf "\tdpr_status status;\n\n%s\n", indented(fact_code(name))
	if (n_made && made[1] != "dtype")
		printf "\texample->made = dpr_array_dtype(%s);\n",
			made[1] (made[1] in size ? "[0]" : "")
	if (("dpr_" name "_into") in declared && name != "copy") {
		write_into(name)
		has_into[name] = 1
	}
	for (i = 1; i <= n_given; i++)
		printf "\tdpr_array_release(%s);\n", given_name[i]
	for (i = 1; i <= n_made; i++) {
		for (k = 0; made[i] in size && k < size[made[i]]; k++)
			printf "\tdpr_array_release(%s[%d]);\n", made[i], k
		if (!(made[i] in size) && made[i] != "dtype")
			printf "\tdpr_array_release(%s);\n", made[i]
	}
	printf "\treturn status;\n}\n\n"
}

# A special value as an expression of C.
function number(s) {
	if (s == "nan")
		return "NAN"
	if (s ~ /pi/) {
		sub(/3pi/, "3 * pi", s)
		sub(/pi/, "M_PI", s)
		return s
	}
	sub(/inf/, "INFINITY", s)
	if (s ~ /^(True|False)$/)
		return s == "True" ? 1 : 0
	return s
}

# How the function @name is called.
function how(name) {
	if (name in fact_operands)
		return ".f" fact_operands[name]
	return name ~ /^(var|std)$/ ? ".correct" : ".reduce"
}

function write_values(name, part, n, i, k, m, side, operand) {
	n = split(fact_special[name], part, / [|] /)
	for (i = 1; i <= n; i++) {
		if (part[i] == "complex")
			continue
		split(part[i], side, / = /)
		m = side[1] == "()" ? 0 : split(side[1], operand, /, */)
		printf "\t{ \"%s\", { %s = (dpr_%s) }, %d, %d, { ", name, how(name), name,
			(name in fact_operands) ? fact_operands[name] : \
			how(name) == ".reduce" ? 0 : -1, m
		for (k = 1; k <= m; k++)
			printf "%s%s", k == 1 ? "" : ", ", number(operand[k])
		printf "%s }, %s },\n", m ? "" : "0", number(side[2])
	}
}

END {
	print "/* Written by examples.awk. */"
	for (i = 1; i <= fact_count; i++)
		write_example(fact_order[i])
	print "static const struct example_entry examples[] = {"
	for (i = 1; i <= fact_count; i++) {
		name = fact_order[i]
		printf "\t{ \"%s\", example_%s,\n\t  %s, \"%s\", \"%s\", %d, %d },\n",
			name, name, quoted(fact_result(name)),
			fact_arrays[name] == "" ? "" : fact_classes[name],
			fact_rule[name], has_number(name), (name in has_into)
	}
	print "};\n\nstatic const struct special_value special_values[] = {"
	for (i = 1; i <= fact_count; i++)
		if (fact_order[i] in fact_special)
			write_values(fact_order[i])
	print "};"
}
