/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmcode_rows.c - puts the instructions of programs that compute rows into
 * sections.
 *
 * A section is a group of steps of the program; sections are numbered from 0.
 * An odd section is a loop over the elements of rows.  An even section computes
 * values that have one element for each row.
 *
 * A reduction is in the first section that can compute its operand.  Any other
 * instruction is as late as possible: in the section that is the first to read
 * its value.  So few values must be kept for whole rows.
 *
 * If an instruction that runs for each element reads a value of the row, a
 * VM_SPREAD repeats the value for each element.
 */
#include "core/array/engine/native/vmcode_rows.h"

#include <limits.h>
#include <string.h>

#include "core/array/engine/native/vmcode_brief.h"
#include "core/array/engine/native/vmcode_chain.h"
#include "core/array/engine/native/vmcode_reduce.h"

/* A work-group computes at least LEAST_ELEMENTS elements, and has at most
   MOST_ITEMS work-items. */
#define LEAST_ELEMENTS 4096
#define MOST_ITEMS 1024
/* Starting a work-item takes as long as this number of additions of float32. */
#define ITEM_WEIGHT 128

#define NOT_NEEDED INT_MAX

struct sections {
	struct maker *m;
	int last; /* the last section that computes elements */
	/* For each value.  there: the first section that can read the value.
	   needed: the first section that reads the value, or NOT_NEEDED.  used:
	   the last section that reads the value, or -1.  made: the section that
	   computes the value. */
	int there[VMCODE_VALUES];
	int needed[VMCODE_VALUES];
	int used[VMCODE_VALUES];
	int made[VMCODE_VALUES];
	/* For each instruction: its section. */
	int section[VMCODE_INSTRUCTIONS];
	/* For each value: the spread value that repeats it, or NO_VALUE. */
	int spread[VMCODE_VALUES];
};

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int lesser(int a, int b)
{
	return a < b ? a : b;
}

/* Whether operand @k has one element for each row. */
static bool is_narrow_operand(const struct maker *m, int k)
{
	return m->schedule->inner[k] == SCHEDULE_FIXED;
}

/* Mark the values that have one element for each row. */
static void mark_narrow(struct maker *m)
{
	for (int i = 0; i < m->n_instructions; i++) {
		const struct instruction *instruction = &m->instruction[i];
		struct vmcode_value *out = &m->value[instruction->out];

		switch (instruction->kind) {
		case VM_LOAD:
			out->narrow = is_narrow_operand(m, out->operand);
			break;
		case VM_REDUCE: out->narrow = true; break;
		case VM_CALL:
			out->narrow = true;
			for (int k = 0; k < instruction->n; k++)
				out->narrow &=
					m->value[instruction->x[k]].narrow ||
					m->value[instruction->x[k]].scalar;
			break;
		}
	}
}

/* --- Values of rows, repeated for each element -------------------------- */

/* Whether @instruction runs for each element, not only once for each row. */
static bool is_wide(const struct maker *m,
		    const struct instruction *instruction)
{
	switch (instruction->kind) {
	case VM_CALL:
	case VM_LOAD: return !m->value[instruction->out].narrow;
	case VM_REDUCE: return true;
	case VM_STORE: return !is_narrow_operand(m, instruction->out);
	}
	return false;
}

/* The value that repeats @value for each element of a row.  If there is no
   value of this kind yet, add an instruction that makes one. */
static int spread_of(struct sections *s, int value)
{
	struct maker *m = s->m;
	const unsigned dtype = m->value[value].dtype;
	struct instruction *instruction;

	if (s->spread[value] != NO_VALUE)
		return s->spread[value];
	if (m->n_spreads == VMCODE_SPREADS) {
		m->overflows = true;
		return value;
	}
	m->n_spreads++;
	s->spread[value] = vmcode_instructions_value(m, dtype);
	m->value[s->spread[value]].spread_of = value;
	instruction = vmcode_instructions_add(m, VM_SPREAD, s->spread[value]);
	instruction->code = vmcode_instructions_shift(dtype);
	instruction->x[instruction->n++] = value;
	return s->spread[value];
}

/* Let instructions that run for each element read spread values in place of
   values of the row. */
static void add_spreads(struct sections *s)
{
	struct maker *m = s->m;
	const int n = m->n_instructions;

	for (int i = 0; i < VMCODE_VALUES; i++)
		s->spread[i] = NO_VALUE;
	for (int i = 0; i < n; i++) {
		struct instruction *instruction = &m->instruction[i];

		for (int k = 0; k < instruction->n; k++) {
			const struct vmcode_value *x =
				&m->value[instruction->x[k]];

			if (is_wide(m, instruction) && x->narrow)
				instruction->x[k] =
					spread_of(s, instruction->x[k]);
			else if (instruction->kind == VM_STORE &&
				 !is_wide(m, instruction) && !x->narrow)
				m->overflows = true;
		}
	}
}

/* The value of the row that @value repeats; @value itself if it is not a spread
   value. */
static int spread_source(const struct maker *m, int value)
{
	const int of = m->value[value].spread_of;

	return of == NO_VALUE ? value : of;
}

/* --- Sections ----------------------------------------------------------- */

/* The first section in which an instruction can read value @x.  Pass @wide =
   true if the instruction runs for each element, false if it runs once for each
   row. */
static int section_of_use(const struct sections *s, int x, bool wide)
{
	const struct vmcode_value *value = &s->m->value[x];

	if (value->scalar)
		return wide;
	return s->there[x] + (wide && s->there[x] % 2 == 0);
}

/* For each instruction, find the first section that has its operands.
   (find_sections() may choose a later one.) */
static void find_first(struct sections *s)
{
	struct maker *m = s->m;

	s->last = 1;
	/* Spread values are left out: any section that can read a value of the
	   row can also read the value spread. */
	for (int i = 0; i < m->n_values; i++)
		s->there[i] = 0;
	for (int i = 0; i < m->n_instructions; i++) {
		const struct instruction *instruction = &m->instruction[i];
		const bool wide = is_wide(m, instruction);
		int first = wide;

		if (instruction->kind == VM_SPREAD)
			continue;
		for (int k = 0; k < instruction->n; k++) {
			const int x = spread_source(m, instruction->x[k]);

			first = larger(first, section_of_use(s, x, wide));
		}
		s->section[i] = first;
		if (instruction->kind == VM_REDUCE)
			s->there[instruction->out] = first + 1;
		else if (instruction->kind != VM_STORE)
			s->there[instruction->out] = first;
		if (wide)
			s->last = larger(s->last, first);
	}
}

/* Record that @section reads value @x. */
static void use(struct sections *s, int x, int section)
{
	s->needed[x] = lesser(s->needed[x], section);
	s->used[x] = larger(s->used[x], section);
}

/* Choose the section of each instruction: the first section that reads its
   value.  Reductions stay in the section of find_first(), and stores come last.
   A VM_SPREAD is in the section before the first section that reads its value.
   */
static void find_sections(struct sections *s)
{
	struct maker *m = s->m;

	for (int i = 0; i < m->n_values; i++) {
		s->needed[i] = NOT_NEEDED;
		s->used[i] = -1;
	}
	for (int i = m->n_instructions - 1; i >= 0; i--) {
		const struct instruction *instruction = &m->instruction[i];
		const bool wide = is_wide(m, instruction);

		if (instruction->kind == VM_SPREAD)
			continue;
		if (instruction->kind == VM_STORE)
			s->section[i] = wide ? s->last : s->last + 1;
		else if (instruction->kind != VM_REDUCE &&
			 s->needed[instruction->out] != NOT_NEEDED)
			s->section[i] = s->needed[instruction->out];
		if (instruction->kind == VM_CALL)
			s->made[instruction->out] = s->section[i];
		for (int k = 0; k < instruction->n; k++) {
			const int x = instruction->x[k];
			const int source = spread_source(m, x);

			use(s, x, s->section[i]);
			if (source != x)
				use(s, source, s->section[i] - 1);
		}
	}
	for (int i = 0; i < m->n_instructions; i++)
		if (m->instruction[i].kind == VM_SPREAD)
			s->section[i] = s->needed[m->instruction[i].out] - 1;
}

/* Whether instruction @i is in @section.  A load that runs for each element is
   repeated in every section that reads the loaded value. */
static bool is_in(const struct sections *s, int i, int section)
{
	const struct maker *m = s->m;
	const struct instruction *instruction = &m->instruction[i];

	if (instruction->kind != VM_LOAD || !is_wide(m, instruction))
		return s->section[i] == section;
	for (int j = i; j < m->n_instructions; j++)
		for (int k = 0;
		     s->section[j] == section && k < m->instruction[j].n; k++)
			if (m->instruction[j].x[k] == instruction->out)
				return true;
	return false;
}

/* Sort the instructions by section.  Returns false if there are too many
   instructions. */
static bool sort_instructions(struct sections *s)
{
	struct maker *m = s->m;
	struct instruction sorted[VMCODE_INSTRUCTIONS];
	int n = 0;

	for (int section = 0; section <= s->last + 1; section++) {
		for (int i = 0; i < m->n_instructions; i++) {
			if (!is_in(s, i, section))
				continue;
			if (n + 1 >= VMCODE_INSTRUCTIONS)
				return false;
			sorted[n++] = m->instruction[i];
		}
		sorted[n++] = (struct instruction){ .kind = VM_NEXT };
		if (n == VMCODE_INSTRUCTIONS)
			return false;
	}
	memcpy(m->instruction, sorted, (size_t)n * sizeof(sorted[0]));
	m->n_instructions = n;
	return true;
}

/* Mark the computed values that a later section needs.  All elements of such a
   value are kept, for whole rows. */
static void find_whole(struct sections *s)
{
	struct maker *m = s->m;

	for (int i = 0; i < m->n_instructions; i++) {
		const int out = m->instruction[i].out;

		if (m->instruction[i].kind == VM_CALL && !m->value[out].narrow)
			m->value[out].whole = s->used[out] > s->made[out];
	}
}

/* Let an instruction compute the elements of a result directly in the memory of
   the result, if no later instruction reads an input. */
static void place_results(struct maker *m)
{
	int first = 0;

	/* `first` is the first instruction that may write to a result.  The
	   last instruction that reads an input may also write: an instruction
	   reads a whole block before it writes. */
	for (int i = 0; i < m->n_instructions; i++) {
		const struct instruction *instruction = &m->instruction[i];

		if (instruction->kind == VM_LOAD && is_wide(m, instruction))
			first = i + 1;
		for (int k = 0; k < instruction->n; k++)
			if (m->value[instruction->x[k]].operand != NO_OPERAND)
				first = i;
	}
	for (int i = 0; i < m->n_instructions; i++) {
		const struct instruction *instruction = &m->instruction[i];
		struct vmcode_value *x;

		if (instruction->kind != VM_STORE || !is_wide(m, instruction))
			continue;
		x = &m->value[instruction->x[0]];
		if (x->whole || x->operand != NO_OPERAND)
			continue;
		for (int j = first; j < i; j++)
			if (vmcode_chain_computes(&m->instruction[j]) &&
			    m->instruction[j].out == instruction->x[0])
				x->operand = instruction->out;
	}
}

/* --- Registers ---------------------------------------------------------- */

/* Set `last` of each value: the last instruction that needs the value.  An odd
   section is a loop, so values of earlier sections are needed until the end of
   the loop. */
static void find_last(struct maker *m)
{
	int section = 0, end = 0, made[VMCODE_VALUES];

	for (int i = 0; i < m->n_values; i++)
		made[i] = 0;
	for (int i = 0; i < m->n_instructions; i++) {
		const struct instruction *instruction = &m->instruction[i];

		for (end = i; m->instruction[end].kind != VM_NEXT;)
			end++;
		for (int k = 0; k < instruction->n; k++) {
			const int value = instruction->x[k];
			struct vmcode_value *x = &m->value[value];

			x->last = section % 2 && made[value] != section
					  ? end
					  : vmcode_chain_end_of_read(m, i, x);
		}
		if (instruction->kind == VM_NEXT)
			section++;
		else if (instruction->kind == VM_LOAD ||
			 instruction->kind == VM_REDUCE ||
			 instruction->kind == VM_SPREAD ||
			 vmcode_chain_computes(instruction))
			made[instruction->out] = section;
	}
}

/* Free the registers of the values whose last use is instruction @i.  The
   registers of kept values, and of values for whole rows, are never freed.  If
   @like is not NULL, free only registers whose elements are as large as those
   of @like. */
static void free_registers(struct maker *m, int i,
			   const struct vmcode_value *like)
{
	for (int k = 0; k < m->n_values; k++) {
		const struct vmcode_value *x = &m->value[k];

		if (x->last == i && x->slot >= 0 && !x->kept && !x->whole &&
		    (!like || vmcode_instructions_shift(x->dtype) ==
				      vmcode_instructions_shift(like->dtype)))
			m->busy[x->slot] = false;
	}
}

/* Assign a register to the value of instruction @i, and free the registers that
   no later instruction needs. */
static void take(struct maker *m, int i)
{
	struct vmcode_value *out = &m->value[m->instruction[i].out];

	/* A function may write its value over an operand whose elements have
	   the same size.  So the registers of such operands are freed first. */
	if (vmcode_chain_computes(&m->instruction[i]))
		free_registers(m, i, out);
	if (out->slot < 0 && !out->whole)
		out->slot = vmcode_instructions_register(
			m, vmcode_instructions_shift(out->dtype));
	free_registers(m, i, NULL);
	if (!out->whole)
		m->busy[out->slot] = true;
}

static void assign_registers(struct maker *m)
{
	vmcode_instructions_keep(m);
	for (int i = 0; i < m->n_instructions; i++) {
		const struct instruction *instruction = &m->instruction[i];

		if (instruction->kind == VM_NEXT ||
		    instruction->kind == VM_STORE ||
		    instruction->kind == VM_CHAIN ||
		    (instruction->kind == VM_LINK &&
		     !vmcode_chain_ends(instruction)))
			free_registers(m, i, NULL);
		else
			take(m, i);
	}
	for (int i = 0; i < m->n_values; i++) {
		struct vmcode_value *x = &m->value[i];

		if (!x->whole)
			continue;
		x->slot = m->n_registers++;
		m->shift[x->slot] = vmcode_instructions_shift(x->dtype);
		m->n_whole++;
	}
}

/* The operand of which @instruction can read a single element in a block of one
   row, in place of a spread value.  -1: the instruction has no operand of this
   kind. */
static int find_one(const struct instruction *instruction)
{
	if (instruction->kind == VM_LINK)
		return vmcode_chain_one(instruction);
	return instruction->kind == VM_REDUCE && instruction->n > 1 &&
			       instruction->x[0] != instruction->x[1]
		       ? 1
		       : -1;
}

/* If the operand that find_one() returns is a spread value, add the value of
   the row as another operand.  In blocks of one row, the instruction reads this
   operand instead. */
static void add_sources(struct maker *m)
{
	for (int i = 0; i < m->n_instructions; i++) {
		struct instruction *instruction = &m->instruction[i];
		const int k = find_one(instruction);

		if (k < 0 || m->value[instruction->x[k]].spread_of == NO_VALUE)
			continue;
		instruction->x[instruction->n++] =
			m->value[instruction->x[k]].spread_of;
		if (instruction->kind == VM_REDUCE)
			instruction->code = VM_ROWS_ONE;
	}
}

/* Mark the VM_SPREAD instructions that are not needed in blocks of one row,
   because all readers can read the value of the row instead. */
static void find_ones(struct maker *m)
{
	for (int i = 0; i < m->n_instructions; i++) {
		struct instruction *spread = &m->instruction[i];

		if (spread->kind != VM_SPREAD)
			continue;
		spread->unit = VM_ROWS_ONE;
		for (int j = 0; j < m->n_instructions; j++)
			for (int k = 0; k < m->instruction[j].n; k++)
				if (m->instruction[j].x[k] == spread->out &&
				    find_one(&m->instruction[j]) != k)
					spread->unit = 0;
	}
}

bool vmcode_rows_arrange(struct maker *m)
{
	struct sections s;

	s.m = m;
	mark_narrow(m);
	vmcode_instructions_sum_products(m);
	m->n_spreads = m->n_whole = 0;
	add_spreads(&s);
	if (m->overflows)
		return false;
	find_first(&s);
	find_sections(&s);
	find_whole(&s);
	if (!sort_instructions(&s))
		return false;
	vmcode_chain_make(m);
	vmcode_instructions_pair(m);
	add_sources(m);
	find_ones(m);
	place_results(m);
	find_last(m);
	assign_registers(m);
	return true;
}

/* --- Launches ----------------------------------------------------------- */

dpr_range vmcode_rows_range(const struct vm_code *code, uint64_t cores)
{
	const struct vm_rows rows = vm_rows(code);
	const uint64_t elements = (uint64_t)(rows.rows * rows.length);
	const uint64_t least = (LEAST_ELEMENTS + elements - 1) / elements;
	const uint64_t items = (uint64_t)rows.items;
	const uint64_t most = VMCODE_BRIEF / 2;
	const bool brief = vm_rows_needs_little(code, &rows) &&
			   items <= most / ITEM_WEIGHT &&
			   elements * items <= most / code->weight;
	uint64_t group = items / (cores * 16);

	group = group < least ? least : group > MOST_ITEMS ? MOST_ITEMS : group;
	return (dpr_range){ .dims = 1,
			    .flags = brief ? DPR_RANGE_BRIEF : 0,
			    .global = { (items + group - 1) / group * group, 1,
					1 },
			    .local = { group, 1, 1 } };
}
