# SPDX-License-Identifier: Apache-2.0
# Reads kernels/operations.def and writes, as -v output=... says:
#   header  include/dpr/elementwise.h     cases   the cases of native code
#   table   the table for C               list    names for tests and texts
#   steps   a function for each operation and class, for kernels/step.cl

BEGIN { count = computed = 0 }

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

# Take an entry of the table, which is one line here, apart:
# NAME ARGUMENTS FAMILY RESULT ; CLASSES EXPRESSION ; ... ; # TEXT
function operation(line, part, n, i, j, head, sep, letters, expression)
{
	if (!match(line, /;[ \t]*#/))
		bad("a line ends with ; # and a text")
	text[count] = trim(substr(line, RSTART + RLENGTH))
	n = split(substr(line, 1, RSTART - 1), part, /[ \t]*;[ \t]*/)
	if (split(part[1], head, /[ \t]+/) != 4)
		bad("a line begins with name, arguments, family and result")
	if (head[3] !~ /^(arith|math|compare|steps)$/ ||
	    head[4] !~ /^(same|bool|real|float|part|complex|first)$/ || head[2] !~ /^[123]$/)
		bad(head[1] ": unknown family, result or number of arguments")
	if (head[1] in known)
		bad(head[1] ": is there twice")
	known[head[1]] = 1
	name[count] = head[1]
	args[count] = head[2]
	family[count] = head[3]
	result[count] = head[4]
	for (i = 2; i <= n; i++) {
		if (part[i] == "")
			continue
		sep = index(part[i], " ")
		letters = substr(part[i], 1, sep - 1)
		expression = trim(substr(part[i], sep + 1))
		if (letters !~ /^[biufc]+$/ || expression == "")
			bad(head[1] ": classes are of b, i, u, f and c")
		if ((expression == "steps") != (head[3] == "steps") &&
		    expression != "x")
			bad(head[1] ": only the family steps has steps")
		for (j = 1; j <= length(letters); j++)
			rule[count, substr(letters, j, 1)] = expression
	}
	if (head[3] != "steps" && computed++ < count)
		bad(head[1] ": comes after an operation of the family steps")
	count++
}

/^[ \t]*(#|$)/ && pending == "" { next }
{
	line = pending trim($0)
	if (line ~ /\\$/) {
		pending = substr(line, 1, length(line) - 1)
		next
	}
	pending = ""
	operation(line)
}

function operands(k, form, i, s)
{
	for (i = 1; i <= args[k]; i++) {
		s = s (i > 1 ? ", " : "")
		s = s sprintf(form, args[k] > 1 ? "x" i : "x")
	}
	return s
}

function wrapper(suffix, k)
{
	printf "#define dpr_%s%s(%s, out) \\\n\t(dpr_%s%s)(%s, (out))\n",
		name[k], suffix, operands(k, "%s"), name[k], suffix,
		operands(k, "DPR_OPERAND(%s)")
}

function header(k)
{
	print "/* SPDX-License-Identifier: Apache-2.0 */"
	print "/*"
	print " * elementwise.h - functions that work element by element."
	print " *"
	print " * Names and rules of the array API standard 2024.12.  Operands are arrays or"
	print " * plain numbers (operand.h); shapes are broadcast, dtypes promoted.  The result"
	print " * is a new C-contiguous array on the queue that the operands share, in DEVICE"
	print " * memory if one of them is, else SHARED, else HOST."
	print " * The _into forms write into an array that exists, of the shape that the"
	print " * operands broadcast to, and of a dtype of the result's kind or a higher one"
	print " * (bool, integer, float, complex).  It may be one of the operands; if it"
	print " * overlaps one in any other way, the result goes through a temporary array."
	print " * No function waits for its result."
	print " * Errors of all: DPR_ERROR_DTYPE (the function does not take this dtype),"
	print " * DPR_ERROR_SHAPE (shapes do not match), DPR_ERROR_EXECUTION_PLACEMENT (arrays"
	print " * of different queues), DPR_ERROR_INVALID_ARGUMENT (no array among the"
	print " * operands), DPR_ERROR_OVERFLOW (a number is out of the dtype's range),"
	print " * DPR_ERROR_UNSUPPORTED (a float64 computation on a device without it)."
	print " */"
	print "#ifndef DPR_ELEMENTWISE_H"
	print "#define DPR_ELEMENTWISE_H"
	print ""
	print "#include <dpr/array.h>"
	print ""
	print "/* X(name, number of operands) for each function.  X joins the name to other"
	print "   letters or quotes it: <complex.h> has a macro of the name complex. */"
	print "#define DPR_ELEMENTWISE_MAP(X) \\"
	for (k = 0; k < count; k++)
		printf "\tX(%s, %d)%s\n", name[k], args[k],
			k < count - 1 ? " \\" : ""
	print "\nDPR_BEGIN_DECLS"
	for (k = 0; k < count; k++) {
		printf "\n/* %s */\n", text[k]
		printf "DPR_API DPR_CHECK dpr_status dpr_%s(\n\t%s, dpr_array **out);\n",
			name[k], operands(k, "dpr_operand %s")
		printf "DPR_API DPR_CHECK dpr_status dpr_%s_into(\n\t%s, dpr_array *out);\n",
			name[k], operands(k, "dpr_operand %s")
	}
	print "\nDPR_END_DECLS\n"
	print "/* The wrappers take arrays and plain numbers where the functions take a"
	print "   dpr_operand. */"
	for (k = 0; k < count; k++) {
		wrapper("", k)
		wrapper("_into", k)
	}
	print "\n#endif"
}

# The letter for the type of a stored result: the dtype of the computation (t),
# bool (b), or the part of a complex number (r).
function stored(k, class)
{
	if (result[k] == "bool")
		return "b"
	return result[k] ~ /^(real|part)$/ && class == "c" ? "r" : "t"
}

function cases(k, i, class, group, lines, number, step, order)
{
	for (k = 0; k < computed; k++)
		for (i = 1; i <= 5; i++) {
			class = substr("biufc", i, 1)
			# A result that is x itself takes a copy, not a kernel.
			if (!((k, class) in rule) || rule[k, class] == "x")
				continue
			group = family[k] args[k] stored(k, class) "_" class
			if (split(rule[k, class], step, / *\?\? */) == 3)
				lines[group] = lines[group] \
					sprintf(" \\\n\tY(%s, %d, %s, %s, %s)",
						stored(k, class), k, step[1],
						step[2], step[3])
			else
				lines[group] = lines[group] \
					sprintf(" \\\n\tX(%s, %d, %s)",
						stored(k, class), k,
						rule[k, class])
			number[group]++
		}
	print "/* Written by kernels/ops.awk: the operations of each family, number of"
	print "   arguments, result and class. */"
	# Define every group that the kernels use, also empty groups.
	split("arith1t arith1r arith2t arith3t math1t math1r math2t compare1b compare2b",
		order, " ")
	for (i = 1; i in order; i++)
		for (k = 1; k <= 5; k++) {
			group = order[i] "_" substr("biufc", k, 1)
			printf "#define HAS_%s %d\n", group, number[group]
			printf "#define OPS_%s(X, Y)%s\n", group, lines[group]
			delete lines[group]
		}
	for (group in lines)
		bad("kernels/vm.cl has no functions for " group)
}

function steps(k, i, class, step, n)
{
	print "/* Written by kernels/ops.awk: the operations as functions. */"
	for (i = 1; i <= 5; i++) {
		class = substr("biufc", i, 1)
		printf "#%s KIND_%s\n", (i > 1 ? "elif" : "if"), toupper(class)
		for (k = 0; k < computed; k++) {
			# A result that is x itself needs no step.
			if (!((k, class) in rule) || rule[k, class] == "x")
				continue
			n = split(rule[k, class], step, / *\?\? */)
			if (n == 3)
				printf "STEP_GUARDED_%d(%s, %s, %s, %s, %s)\n",
					args[k], stored(k, class), name[k],
					step[1], step[2], step[3]
			else
				printf "STEP_%d(%s, %s, %s)\n", args[k],
					stored(k, class), name[k],
					rule[k, class]
		}
	}
	print "#endif"
}

# The classes of an operation.  @only_x: the classes in which the operation only
# returns x.
function classes_of(k, only_x, i, class, list)
{
	list = ""
	for (i = 1; i <= 5; i++) {
		class = substr("biufc", i, 1)
		if ((k, class) in rule && (!only_x || rule[k, class] == "x"))
			list = list class
	}
	return list
}

# The classes in which an operation has a fast path.
function guarded(k, i, class, step, list)
{
	list = ""
	for (i = 1; i <= 5; i++) {
		class = substr("biufc", i, 1)
		if ((k, class) in rule &&
		    split(rule[k, class], step, / *\?\? */) == 3)
			list = list class
	}
	return list
}

function table(k)
{
	print "/* SPDX-License-Identifier: Apache-2.0 */"
	print "/* Written by kernels/ops.awk: the operations for C."
	print "   X(name, arguments, family, result, classes, identity classes,"
	print "   classes with a fast path)"
	print "   OPERATION_COUNT: the operations that have functions.  Those of"
	print "   several steps come after them. */"
	print "#define OPERATION_MAP(X) \\"
	for (k = 0; k < count; k++)
		printf "\tX(%s, %d, %s, %s, \"%s\", \"%s\", \"%s\")%s\n",
			name[k], args[k], toupper(family[k]), toupper(result[k]),
			classes_of(k, 0), classes_of(k, 1), guarded(k),
			k < count - 1 ? " \\" : ""
	for (k = 0; k < count; k++)
		printf "#define OPERATION__%s %d\n", name[k], k
	printf "#define OPERATION_COUNT %d\n", computed
}

function list(k)
{
	for (k = 0; k < count; k++)
		printf "%s\t%d\t%s\t%s\t%s\n", name[k], args[k], result[k],
			classes_of(k, 0), text[k]
}

END {
	if (failed)
		exit 1
	if (pending != "")
		bad("the last line is continued")
	if (output == "header")
		header()
	else if (output == "cases")
		cases()
	else if (output == "steps")
		steps()
	else if (output == "table")
		table()
	else
		list()
}
