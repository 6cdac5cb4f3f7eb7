# SPDX-License-Identifier: Apache-2.0
# Make a template of each function in PTX that clang has written, and refuse
# functions that cannot be pasted into a kernel.  kernels/templates.h describes
# a template.
#
# usage: awk -f templates.awk -v out=FILE PTX... >INDEX
# FILE gets the templates and the tables that they read.

BEGIN {
	n_tables = at = 0
}

function refuse(text)
{
	printf "%s: %s: %s\n", FILENAME, name == "" ? "the file" : name,
		text >"/dev/stderr"
	failed = 1
	exit 1
}

function trim(s)
{
	gsub(/^[ \t]+|[ \t]+$/, "", s)
	return s
}

function keep(line)
{
	lines[++n_lines] = line
}

# Keep the declaration of a table of constants.  The table goes into global
# memory: threads read different elements, and the cache of PTX's const space
# serves these one after another.  The table is made longer, because the last
# element may be read as part of 16 aligned bytes.
function table(line, s, n)
{
	sub(/^.*\.const[ \t]+/, "", line)
	gsub(/, /, ",", line)
	gsub(/ = /, "=", line)
	sub(/\.align [0-9]+ /, ".align 16 ", line)
	if (match(line, /\[[0-9]+\]/)) {
		n = substr(line, RSTART + 1, RLENGTH - 2)
		n += 31 - (n + 15) % 16
		line = substr(line, 1, RSTART) n \
			substr(line, RSTART + RLENGTH - 1)
	}
	s = line
	sub(/\[.*/, "", s)
	sub(/^.*[ \t]/, "", s)
	if (s in tables) {
		if (tables[s] != line)
			refuse("there are two tables " s)
		return
	}
	add_table(s, line, ".global")
}

function add_table(s, line, space)
{
	tables[s] = line
	table_space[n_tables] = space
	table_name[n_tables] = s
	table_number[s] = n_tables++
	if (n_tables > 64)
		refuse("there are more than 64 tables")
}

# Whether @s is a table that libclc reads before libclc checks the index.  For
# large or infinite arguments the index can be anything.  Reading beyond a table
# is harmless in the const space, but ends the context in any other space.
function is_read_unchecked(s)
{
	return s ~ /^(COSH|SINH|SINHCOSH|ATAN_JBY256|ATANH?)_TBL$/
}

# If the function reads a table of is_read_unchecked(), all tables of the
# function are read from the const space.
function use_const(i, s, any, was)
{
	for (i in used)
		any = any || is_read_unchecked(table_name[i])
	if (!any)
		return
	for (i in used)
		was[i] = 1
	for (i in was) {
		s = table_name[i]
		if (!((s "_C") in table_number)) {
			line = tables[s]
			sub(s, s "_C", line)
			add_table(s "_C", line, ".const")
		}
		delete used[i]
		used[table_number[s "_C"]] = 1
		for (line = 1; line <= n_lines; line++)
			sub("," s ";$", "," s "_C;", lines[line])
	}
	for (i = 1; i <= n_lines; i++)
		sub(/ld\.global\.nc\./, "ld.const.", lines[i])
}

# Whether the function has no template because its dtype is float16 or bfloat16.
# These dtypes are computed as float32, so they only have templates that load,
# store, and cast to them.
function is_of_16_bits()
{
	return name ~ /^cast_1[01]_/ || \
		(name ~ /_1[01]$/ && name !~ /^(load|store|cast_[0-9]+)_1[01]$/)
}

# If @line declares a complex value, which is a struct of two parts, returns the
# number of bytes of a part.  Otherwise returns 0.
function part_size(line)
{
	if (line !~ /\[[0-9]+\]/)
		return 0
	sub(/\].*/, "", line)
	sub(/.*\[/, "", line)
	return line / 2
}

function begin(line)
{
	name = line
	sub(/\(([ \t]*)$/, "", name)
	sub(/^.*[ \t]/, "", name)
	result_part = part_size(line)
	n_lines = n_params = ends = 0
	delete part
	delete alias
	delete used
	delete spare
}

# The number of the part at byte @at of a value.  The parts of the value are
# @size bytes long.
function part_at(size, at)
{
	if (at == 0)
		return 0
	if (at != size)
		refuse("takes apart a value in the middle")
	return 1
}

# Returns the number N of the placeholder ?N for the parameter at @address.  The
# address is PARAMETER, PARAMETER+4, or a register with such an address.
function parameter(address, at, plus)
{
	gsub(/[][ ]/, "", address)
	at = 0
	plus = index(address, "+")
	if (plus) {
		at = substr(address, plus + 1) + 0
		address = substr(address, 1, plus - 1)
	}
	if (address in alias)
		address = alias[address]
	if (index(address, name "_param_") != 1)
		refuse("reads a parameter that is not its own")
	address = substr(address, length(name "_param_") + 1) + 0
	return 2 * address + part_at(part[address], at)
}

# Whether @operands of a mov are a register and the address of a parameter.  If
# so, the parameter is read through this register later.
function is_address(operands, at, to, from)
{
	at = index(operands, ",")
	to = substr(operands, 1, at - 1)
	from = substr(operands, at + 1)
	if (from in alias)
		from = alias[from]
	else if (from !~ /_param_[0-9]+$/)
		return 0
	alias[to] = from
	return 1
}

# The number of bits of a PTX register, from its name.
function bits_of(register)
{
	return register ~ /^%r?d/ || register ~ /^%fd/ ? 64 : \
		register ~ /^%rs/ ? 16 : 32
}

# If parameter @p is a single byte, returns "s8" or "u8", which says how it is
# extended to 32 bits.  Otherwise returns "".  The dtypes of one byte are 1
# (bool), 2 (int8) and 6 (uint8).
function byte_of(p, n, field)
{
	n = split(name, field, "_")
	n = name ~ /^cast_/ ? field[2] : name ~ /^where_/ && p == 0 ? 1 : \
		field[n]
	return n == 2 ? "s8" : n == 1 || n == 6 ? "u8" : ""
}

# Replace a load of a parameter with moves from placeholders.  A load may want
# only the low bits of an integer.
function load(op, registers, address, i, n, r, from, type, bits)
{
	from = parameter(address)
	gsub(/[{} ]/, "", registers)
	n = split(registers, r, ",")
	sub(/.*\./, "", op)
	sub(/b/, "u", op)
	type = substr(op, 1, 1)
	bits = substr(op, 2) + 0
	if (n > 2)
		refuse("loads more parts than a value has")
	if (op !~ /^[fsu](8|16|32|64)$/)
		refuse("takes a parameter of type " op)
	for (i = 1; i <= n; i++) {
		if (bits == width[int(from / 2)] && bits == bits_of(r[i]))
			keep("mov.b" bits " " r[i] ",?" from + i - 1 ";")
		else if (type == "f")
			refuse("takes a part of a float")
		else if (op == byte_of(int(from / 2)))
			keep((bits_of(r[i]) == 16 ? "cvt.u16.u32 " : \
				"mov.b32 ") r[i] ",?" from + i - 1 ";")
		else if (bits == bits_of(r[i]))
			keep("cvt.u" bits ".u" width[int(from / 2)] " " r[i] \
				",?" from + i - 1 ";")
		else
			keep("cvt." type bits_of(r[i]) "." op " " r[i] ",?" \
				from + i - 1 ";")
	}
}

function store(op, registers, address, i, n, r, at)
{
	gsub(/[][ ]/, "", address)
	if (address !~ /^func_retval0(\+[0-9]+)?$/)
		refuse("returns something else than a value")
	at = address
	at = sub(/.*\+/, "", at) ? at + 0 : 0
	at = part_at(result_part, at)
	gsub(/[{} ]/, "", registers)
	n = split(registers, r, ",")
	if (at + n > 2)
		refuse("returns more parts than a value has")
	sub(/.*\./, "", op)
	if (op !~ /^[fbsu](32|64)$/)
		refuse("returns a value of type " op)
	sub(/^./, "b", op)
	for (i = 1; i <= n; i++) {
		if (op != "b" bits_of(r[i]))
			refuse("returns a value of another size")
		keep("mov." op " ?" substr("ri", at + i, 1) "," r[i] ";")
	}
}

# Refuse names in @operands that are no registers, labels or tables.  Record the
# tables as used.
function check_names(operands, s)
{
	s = operands
	gsub(/%(p|rs|rd|r|fd|f|t)[0-9]+/, " ", s)
	gsub(/0[fd][0-9A-F]+/, " ", s)
	gsub(/\$L[_A-Z]*[0-9_]+/, " ", s)
	gsub(/[]{}[+,|-]/, " ", s)
	s = trim(s)
	while (s != "") {
		operands = s
		sub(/ .*/, "", operands)
		sub(/^[^ ]+ */, "", s)
		if (operands in table_number)
			used[table_number[operands]] = 1
		else if (operands !~ /^[0-9]+$/)
			refuse("names " operands ", which a kernel has not")
	}
}

# Check an instruction of a template.  Rounding must be named: otherwise an
# assembler may fuse a product and a sum.
function check(op)
{
	if (op ~ /^call/)
		refuse("calls a function: " op)
	if (op ~ /\.local/)
		refuse("uses local memory: " op)
	if (op ~ /^((rcp|rsqrt|lg2)\.approx\.ftz\.f32|rcp\.approx\.ftz\.f64)$/ ||
	    op == "ex2.approx.f32")
		return
	if (op ~ /\.ftz/)
		refuse("flushes subnormal numbers: " op)
	if (op ~ /\.(approx|full)/)
		refuse("is not precise: " op)
	if (op ~ /^(add|sub|mul|fma|mad|div|rcp|sqrt)\..*f(16|16x2|32|64)$/ &&
	    op !~ /\.r[nzmp]\./)
		refuse("may be contracted: " op)
	if (op !~ /^(abs|add|and|bfe|bfi|bra|brev|clz|cnot|copysign|cvt|div)(\.|$)/ &&
	    op !~ /^(fma|lop3|mad|max|min|mov|mul|neg|not|or|popc|prmt|rcp|rem)(\.|$)/ &&
	    op !~ /^(ret|sad|selp|set|setp|shf|shl|shr|slct|sqrt|sub|testp|xor)(\.|$)/ &&
	    op !~ /^ld\.const\./)
		refuse("has an instruction that no template may have: " op)
}

# From version 17 on, clang takes one half of a value with `{ .reg .b32 tmp;
# mov.b64 {tmp, %r1}, %rd1; }`.  Returns @line with a register of the template
# in place of tmp.  Any other line is returned unchanged.
function half(line, bits)
{
	if (line !~ /^\{ *\.reg \.b(16|32) tmp; *mov\.b(32|64) \{(tmp, *%rs?[0-9]+|%rs?[0-9]+, *tmp)\}, *%rd?[0-9]+; *\}$/)
		return line
	bits = line ~ /^\{ *\.reg \.b16 / ? 16 : 32
	spare[bits] = 1
	sub(/^[^;]*; */, "", line)
	sub(/ *\}$/, "", line)
	sub(/tmp/, "%t" bits, line)
	return line
}

function statement(line, guard, op, operands, at)
{
	guard = ""
	if (match(line, /^@!?%p[0-9]+[ \t]+/)) {
		guard = trim(substr(line, 1, RLENGTH)) " "
		line = substr(line, RLENGTH + 1)
	}
	if (line !~ /;$/)
		refuse("has a line that is no statement: " line)
	line = substr(line, 1, length(line) - 1)
	op = line
	sub(/[ \t].*/, "", op)
	operands = trim(substr(line, length(op) + 1))
	gsub(/[ \t]*,[ \t]*/, ",", operands)
	if (op ~ /^(ld|st)\.param/ && guard != "")
		refuse("reads or returns a value under a condition")
	if (op ~ /^ld\.param\./) {
		at = index(operands, "[")
		load(op, substr(operands, 1, at - 2), substr(operands, at))
		return
	}
	if (op ~ /^st\.param\./) {
		at = index(operands, "]")
		store(op, substr(operands, at + 2), substr(operands, 1, at))
		return
	}
	if (op ~ /^mov\.[bu]64$/ && is_address(operands))
		return
	check(op)
	check_names(operands)
	for (at in alias)
		if ((operands ",") ~ (at "[^0-9]"))
			refuse("keeps the address of a parameter")
	sub(/^ld\.const\./, "ld.global.nc.", op)
	if (op == "ret") {
		keep(guard "bra" (guard == "" ? ".uni" : "") " E;")
		return
	}
	gsub(/\$L__BB[0-9]+_/, "L", operands)
	keep(guard op " " operands ";")
}

function finish(i, body, words, ends)
{
	if (lines[n_lines] == "bra.uni E;")
		n_lines--
	else if (lines[n_lines] !~ /^bra\.uni /)
		refuse("does not end with a return")
	use_const()
	body = "{\n"
	for (i = 16; i <= 32; i += 16)
		if (i in spare)
			body = body ".reg .b" i " %_t" i ";\n"
	for (i = 1; i <= n_lines; i++) {
		gsub(/%/, "%_", lines[i])
		body = body lines[i] "\n"
		ends = ends || lines[i] ~ / E;$/
	}
	body = body (ends ? "E:\n" : "") "}\n"
	if (body ~ /_param_|func_retval/)
		refuse("has a parameter left over")
	words = ""
	for (i = 0; i < 64; i++)
		if (i in used)
			words = words " | UINT64_C(1) << " i
	add(body, words)
	name = ""
}

# Write template @body.  In the PTX a function comes first, then its fast path,
# then the guard.  For some dtypes, such as float64, the fast path has the same
# body as the function.  The fast path and the guard are then left out.
function add(body, words, whole)
{
	whole = name
	if (sub(/_fast_/, "_", whole) && whole == last_name &&
	    body == last_body) {
		sub(/_fast_/, "_guard_", name)
		left_out = name
		return
	}
	if (name == left_out)
		return
	last_name = name
	last_body = body
	printf "%s", body >out
	printf "TEMPLATE(%s, %d, %d, 0%s)\n", name, at, length(body), words
	at += length(body)
}

{
	sub(/\/\/.*/, "")
	line = trim($0)
}
line == "" { next }
state == "" && line ~ /\.const[ \t]/ { table(line); next }
# Functions that are not visible are left out: only other functions call them, and
# calls are refused.
state == "" && line ~ /^(\.visible[ \t]+)?\.func/ {
	state = "head"
	begin(line)
	hidden = line !~ /^\.visible/ || is_of_16_bits()
	next
}
state == "head" && line ~ /^\.param/ {
	part[n_params] = part_size(line)
	width[n_params++] = part_size(line) ? 8 * part_size(line) : \
		line ~ /^\.param \.[bf]64 / ? 64 : 32
	next
}
state == "head" && line == "{" { state = "body"; next }
state == "body" && line == "}" {
	if (!hidden)
		finish()
	state = ""
	next
}
state == "body" && hidden { next }
state == "body" && line ~ /^\.reg/ {
	gsub(/[ \t]+/, " ", line)
	keep(line)
	next
}
state == "body" && line ~ /^\$L__BB[0-9_]+:$/ {
	sub(/^\$L__BB[0-9]+_/, "L", line)
	keep(line)
	next
}
state == "body" && line == ".pragma \"nounroll\";" { keep(line); next }
state == "body" && line ~ /\.local/ { refuse("uses local memory: " line) }
state == "body" { statement(half(line)) }

END {
	if (failed)
		exit 1
	for (i = 0; i < n_tables; i++) {
		line = table_space[i] " " tables[table_name[i]] "\n"
		printf "%s", line >out
		printf "TABLE(%s, %d, %d)\n", table_name[i], at, length(line)
		at += length(line)
	}
}
