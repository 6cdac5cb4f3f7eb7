/* SPDX-License-Identifier: Apache-2.0 */
/* vmcode_instructions.c - turns a graph into a list of instructions. */
#include "core/array/engine/native/vmcode_instructions.h"

#include <string.h>

#include "core/array/engine/native/vmcode_reduce.h"
#include "core/array/engine/operations.h"

_Static_assert(OPERATION_COUNT <= VM_PAIR_CODES, "codes are apart");

static bool is_double(unsigned dtype)
{
	return dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128;
}

/* --- Instructions ------------------------------------------------------- */

int vmcode_instructions_value(struct maker *m, unsigned dtype)
{
	m->value[m->n_values] = (struct vmcode_value){ .dtype = (uint8_t)dtype,
						       .operand = NO_OPERAND,
						       .last = -1,
						       .slot = -1,
						       .spread_of = NO_VALUE };
	return m->n_values++;
}

struct instruction *vmcode_instructions_add(struct maker *m, enum vm_kind kind,
					    int out)
{
	m->instruction[m->n_instructions] =
		(struct instruction){ .kind = (uint8_t)kind, .out = out };
	return &m->instruction[m->n_instructions++];
}

static void add_operand(struct instruction *instruction, int value)
{
	instruction->x[instruction->n++] = value;
}

/* Add a call of function @code of the group @unit (kernels/vm.h).  The result
   of the call is a new value of @dtype. */
static struct instruction *add_call(struct maker *m, unsigned unit,
				    unsigned code, unsigned dtype)
{
	struct instruction *instruction = vmcode_instructions_add(
		m, VM_CALL, vmcode_instructions_value(m, dtype));

	instruction->unit = (uint8_t)unit;
	instruction->code = (uint8_t)code;
	return instruction;
}

static int add_cast(struct maker *m, unsigned from, unsigned to, int x)
{
	const unsigned unit =
		is_double(to) && !is_double(from) ? VM_CAST64 : VM_CAST;
	struct instruction *instruction = add_call(m, unit + from, to, to);

	add_operand(instruction, x);
	return instruction->out;
}

static int add_scalar(struct maker *m, unsigned dtype, int at)
{
	const int value = vmcode_instructions_value(m, dtype);

	m->value[value].kept = m->value[value].scalar = true;
	m->scalar[m->n_scalars++] = (struct scalar){ value, at };
	return value;
}

static int add_input(struct maker *m, const struct graph_step *step)
{
	const int k = m->graph->n_results + step->at;
	const int value = vmcode_instructions_value(m, step->dtype);

	m->value[value].operand = k;
	m->value[value].kept = m->schedule->kind != SCHEDULE_FLAT &&
			       m->schedule->kind != SCHEDULE_STAGES &&
			       m->schedule->inner[k] == SCHEDULE_FIXED;
	vmcode_instructions_add(m, VM_LOAD, value);
	return value;
}

/* The value of step @i, with elements as an array stores them.  An input or a
   scalar enters the list of values when it is first used. */
static int stored_value(struct maker *m, int i)
{
	const struct graph_step *step = &m->graph->step[i];

	if (m->stored[i] == NO_VALUE)
		m->stored[i] = step->kind == GRAPH_SCALAR
				       ? add_scalar(m, step->dtype, step->at)
				       : add_input(m, step);
	return m->stored[i];
}

/* The value of step @i, a 16-bit float, as float32.  The cast is added when
   this value is first used. */
static int wide_value(struct maker *m, int i)
{
	const struct graph_step *step = &m->graph->step[i];

	if (m->wide[i] == NO_VALUE)
		m->wide[i] = step->kind == GRAPH_SCALAR
				     ? add_scalar(m, DPR_FLOAT32, step->at)
				     : add_cast(m, step->dtype, DPR_FLOAT32,
						stored_value(m, i));
	return m->wide[i];
}

/* The group of functions with operation @op in @dtype. */
static unsigned unit_of(unsigned op, unsigned dtype)
{
	return dtype + (operations_table[op].family == OPERATIONS_MATH
				? VM_MATH
				: VM_OPERATION);
}

static int add_operation(struct maker *m, const struct graph_step *step)
{
	const bool half = vmcode_instructions_is_half(step->compute);
	const bool narrow = half && vmcode_instructions_is_half(step->dtype);
	struct instruction *instruction;
	int x[3];

	for (int k = 0; k < step->n; k++)
		x[k] = half ? wide_value(m, step->x[k])
			    : stored_value(m, step->x[k]);
	instruction = add_call(
		m,
		unit_of(step->at, half ? (unsigned)DPR_FLOAT32 : step->compute),
		step->at, narrow ? (unsigned)DPR_FLOAT32 : step->dtype);
	for (int k = 0; k < step->n; k++)
		add_operand(instruction, x[k]);
	return narrow ? add_cast(m, DPR_FLOAT32, step->dtype, instruction->out)
		      : instruction->out;
}

static int add_where(struct maker *m, const struct graph_step *step)
{
	struct instruction *instruction;
	int x[3];

	for (int k = 0; k < 3; k++)
		x[k] = stored_value(m, step->x[k]);
	instruction =
		add_call(m, VM_MOVE + vmcode_instructions_shift(step->dtype),
			 VM_WHERE, step->dtype);
	for (int k = 0; k < 3; k++)
		add_operand(instruction, x[k]);
	return instruction->out;
}

/* Add a VM_GATHER.  Its source needs no load: the function reads memory. */
static int add_gather(struct maker *m, const struct graph_step *step)
{
	const int place = stored_value(m, step->x[0]);
	const int source = vmcode_instructions_value(m, step->dtype);
	struct instruction *instruction;

	m->value[source].operand = m->graph->n_results + step->at;
	instruction =
		add_call(m, VM_MOVE + vmcode_instructions_shift(step->dtype),
			 VM_GATHER, step->dtype);
	add_operand(instruction, place);
	add_operand(instruction, source);
	return instruction->out;
}

/* Add a reduction of rows. */
static int add_reduction(struct maker *m, const struct graph_step *step)
{
	const unsigned dtype = m->graph->step[step->x[0]].dtype;
	const bool half = vmcode_instructions_is_half(dtype);
	const int x =
		half ? wide_value(m, step->x[0]) : stored_value(m, step->x[0]);
	struct instruction *instruction = vmcode_instructions_add(
		m, VM_REDUCE, vmcode_instructions_value(m, step->dtype));

	add_operand(instruction, x);
	if (m->n_reductions == VM_ROWS_REDUCTIONS) {
		m->overflows = true;
		return instruction->out;
	}
	instruction->unit = (uint8_t)m->n_reductions;
	m->reduce[m->n_reductions++] = vmcode_reduce_of_rows(step, dtype);
	return instruction->out;
}

static void add_step(struct maker *m, int i)
{
	const struct graph_step *step = &m->graph->step[i];

	switch ((enum graph_kind)step->kind) {
	case GRAPH_INPUT:
	case GRAPH_INDEX:
	/* stored_value() and wide_value() add inputs and scalars */
	case GRAPH_SCALAR:
	/* add_results() adds the store of a GRAPH_PUT */
	case GRAPH_PUT: break;
	case GRAPH_REDUCE: m->stored[i] = add_reduction(m, step); break;
	case GRAPH_OPERATION: m->stored[i] = add_operation(m, step); break;
	case GRAPH_WHERE: m->stored[i] = add_where(m, step); break;
	case GRAPH_GATHER: m->stored[i] = add_gather(m, step); break;
	case GRAPH_BITS:
		/* A register holds bits without a dtype, so nothing is to be
		   done. */
		m->stored[i] = stored_value(m, step->x[0]);
		break;
	case GRAPH_CAST:
		m->stored[i] = add_cast(m, step->compute, step->dtype,
					stored_value(m, step->x[0]));
		break;
	}
}

/* Whether the value of step @i is an input or a scalar. */
static bool is_leaf(const struct maker *m, int i)
{
	while (m->graph->step[i].kind == GRAPH_BITS)
		i = m->graph->step[i].x[0];
	return graph_is_leaf(&m->graph->step[i]);
}

/*
 * Add the instructions that store the results, or that reduce the only result.
 * A result that is an input or a scalar is first copied, so that VM_STORE only
 * stores computed values.  All stores come at the end, after the last read of
 * an input, because a result may share memory with an input.
 */
static void add_results(struct maker *m)
{
	int made[GRAPH_RESULTS], place[GRAPH_RESULTS];

	if (vmcode_reduce_is_end(m->schedule)) {
		const int i = m->graph->result[0];

		made[0] = vmcode_instructions_is_half(m->graph->step[i].dtype)
				  ? wide_value(m, i)
				  : stored_value(m, i);
		add_operand(vmcode_instructions_add(m, VM_REDUCE, 0), made[0]);
		return;
	}
	for (int k = 0; k < m->graph->n_results; k++) {
		const int i = m->graph->result[k];
		const struct graph_step *step = &m->graph->step[i];
		struct instruction *instruction;

		if (step->kind == GRAPH_PUT) {
			made[k] = stored_value(m, step->x[0]);
			place[k] = stored_value(m, step->x[1]);
			continue;
		}
		made[k] = stored_value(m, i);
		if (!is_leaf(m, i))
			continue;
		instruction = add_call(
			m, VM_MOVE + vmcode_instructions_shift(step->dtype),
			VM_COPY, step->dtype);
		add_operand(instruction, made[k]);
		made[k] = instruction->out;
	}
	for (int k = 0; k < m->graph->n_results; k++) {
		const bool puts = graph_place(m->graph, k) >= 0;
		struct instruction *instruction =
			vmcode_instructions_add(m, puts ? VM_PUT : VM_STORE, k);

		add_operand(instruction, made[k]);
		if (puts)
			add_operand(instruction, place[k]);
	}
}

void vmcode_instructions_make(struct maker *m)
{
	const struct graph *graph = m->graph;

	for (int i = 0; i < graph->n_steps; i++)
		m->stored[i] = m->wide[i] = NO_VALUE;
	for (int i = 0; i < graph->n_steps; i++)
		add_step(m, i);
	add_results(m);
}

int vmcode_instructions_register(struct maker *m, uint8_t shift)
{
	int best = -1;

	for (int i = 0; i < m->n_registers; i++)
		if (!m->busy[i] && (best < 0 || m->shift[i] == shift))
			best = i;
	if (best < 0) {
		best = m->n_registers++;
		m->shift[best] = 0;
	}
	m->busy[best] = true;
	if (m->shift[best] < shift)
		m->shift[best] = shift;
	return best;
}

void vmcode_instructions_keep(struct maker *m)
{
	for (int i = 0; i < m->n_values; i++)
		if (m->value[i].kept)
			m->value[i].slot = vmcode_instructions_register(
				m,
				vmcode_instructions_shift(m->value[i].dtype));
}

/* --- Pairs -------------------------------------------------------------- */

/* The code of operation @op as the first of a pair, or -1. */
static int first_of(unsigned op)
{
	switch (op) {
	case OPERATION__add: return VM_ADD;
	case OPERATION__subtract: return VM_SUBTRACT;
	case OPERATION__multiply:
	case OPERATION__square: return VM_MULTIPLY;
	}
	return -1;
}

/* The code of operation @op as the second of a pair, or -1.  Operand @k of the
   second operation is the value of the first. */
static int second_of(unsigned op, int k)
{
	switch (op) {
	case OPERATION__add: return VM_PLUS;
	case OPERATION__subtract: return k ? VM_FROM : VM_MINUS;
	case OPERATION__multiply: return VM_TIMES;
	case OPERATION__divide: return k ? VM_UNDER : VM_OVER;
	case OPERATION__sqrt: return VM_ROOT;
	}
	return -1;
}

int vmcode_instructions_pair_of(unsigned first, unsigned second, int k)
{
	const int form = second_of(second, k);
	int pair;

	if (second == OPERATION__exp)
		return first == OPERATION__subtract ? VM_EXP_DIFFERENCE : -1;
	if (form < 0)
		return -1;
	if (first < VM_PAIR_CODES)
		return first_of(first) < 0 ? -1
					   : VM_PAIR(first_of(first), form);
	pair = (int)first - VM_PAIR_CODES;
	if (form != VM_ROOT || pair % VM_SECONDS > VM_FROM)
		return -1;
	return (int)first + VM_ROOT_PLUS - VM_PLUS;
}

static bool has_pairs(const struct instruction *instruction)
{
	return instruction->kind == VM_CALL &&
	       (instruction->unit == VM_OPERATION + DPR_FLOAT32 ||
		instruction->unit == VM_OPERATION + DPR_FLOAT64);
}

bool vmcode_instructions_is_exp(const struct instruction *instruction)
{
	return instruction->kind == VM_CALL &&
	       instruction->code == OPERATION__exp &&
	       (instruction->unit == VM_MATH + DPR_FLOAT32 ||
		instruction->unit == VM_MATH + DPR_FLOAT64);
}

/* Find the instruction that computes @value.  NULL: no instruction computes
   @value, or the instruction can be in no pair (has_pairs()).  Sets *@reads to
   the number of times that instructions read @value. */
static struct instruction *find_maker(struct maker *m, int value, int *reads)
{
	struct instruction *made = NULL;

	*reads = 0;
	for (int i = 0; i < m->n_instructions; i++) {
		if (has_pairs(&m->instruction[i]) &&
		    m->instruction[i].out == value)
			made = &m->instruction[i];
		for (int k = 0; k < m->instruction[i].n; k++)
			*reads += m->instruction[i].x[k] == value;
	}
	return made;
}

/* Find the instruction that computes @value.  NULL: the instruction can be in
   no pair, or @value is read more than once. */
static struct instruction *find_first(struct maker *m, int value)
{
	int reads;
	struct instruction *made = find_maker(m, value, &reads);

	return reads == 1 ? made : NULL;
}

static void drop(struct instruction *instruction)
{
	instruction->kind = NO_INSTRUCTION;
	instruction->n = 0;
}

/* Join @first and @second.  Operand @k of @second must be the value of @first.
   @second becomes the pair, and @first is dropped.  Returns false if there is
   no such pair. */
static bool make_pair(const struct maker *m, struct instruction *first,
		      struct instruction *second, int k)
{
	const int code =
		vmcode_instructions_pair_of(first->code, second->code, k);
	const int other = second->x[1 - k];

	if (code < 0 ||
	    m->value[first->out].narrow != m->value[second->out].narrow)
		return false;
	if (first->code == OPERATION__square)
		add_operand(first, first->x[0]);
	if (second->n == 2)
		add_operand(first, other);
	second->code = (uint8_t)code;
	second->n = first->n;
	memcpy(second->x, first->x, sizeof(first->x));
	drop(first);
	return true;
}

/* Whether reading @value a second time costs little.  This is so for an input
   that is contiguous along the row or has one element for the row, for a value
   with one element for each row, and for a scalar. */
static bool is_at_hand(const struct maker *m, int value)
{
	const struct vmcode_value *x = &m->value[value];

	if (x->operand != NO_OPERAND)
		return m->schedule->inner[x->operand] <= SCHEDULE_NEXT;
	return x->narrow || x->scalar;
}

/* @sum adds the products of its two operands.  If both operands are the same
   difference x - y, let @sum compute (x - y)^2 itself, and return true.  If
   other instructions read the difference, too, the program then computes the
   difference twice.  This is worth the time only if x and y cost little to read
   again. */
static bool take_difference(struct maker *m, struct instruction *sum)
{
	int reads;
	struct instruction *first = find_maker(m, sum->x[0], &reads);

	if (sum->x[0] != sum->x[1] || !first ||
	    first->code != OPERATION__subtract ||
	    (reads > 2 &&
	     !(is_at_hand(m, first->x[0]) && is_at_hand(m, first->x[1]))))
		return false;
	memcpy(sum->x, first->x, sizeof(first->x));
	if (reads == 2)
		drop(first);
	return true;
}

/* If the reduction @sum adds up products that no other instruction reads, let
   @sum compute the products itself. */
static void take_products(struct maker *m, struct instruction *sum)
{
	struct vm_reducing *how = &m->reduce[sum->unit];
	int reads;
	struct instruction *last = find_maker(m, sum->x[0], &reads);

	if (how->what != VM_SUM || how->parts > 1 || !last || reads > 1 ||
	    m->value[last->out].narrow ||
	    (last->code != OPERATION__multiply &&
	     last->code != OPERATION__square))
		return;
	sum->n = 2;
	sum->x[0] = last->x[0];
	sum->x[1] = last->x[last->n - 1];
	drop(last);
	how->of = take_difference(m, sum) ? VM_SQUARES : VM_PRODUCTS;
}

/* Remove the instructions that drop() has marked. */
static void remove_dropped(struct maker *m)
{
	int left = 0;

	for (int i = 0; i < m->n_instructions; i++)
		if (m->instruction[i].kind != NO_INSTRUCTION)
			m->instruction[left++] = m->instruction[i];
	m->n_instructions = left;
}

void vmcode_instructions_sum_products(struct maker *m)
{
	for (int i = 0; i < m->n_instructions; i++)
		if (m->instruction[i].kind == VM_REDUCE && m->n_reductions)
			take_products(m, &m->instruction[i]);
	remove_dropped(m);
}

void vmcode_instructions_pair(struct maker *m)
{
	for (int i = 0; i < m->n_instructions; i++) {
		struct instruction *second = &m->instruction[i];
		bool joined = !has_pairs(second) &&
			      !vmcode_instructions_is_exp(second);

		for (int k = 0; !joined && k < second->n; k++) {
			struct instruction *first = find_first(m, second->x[k]);

			joined = first && make_pair(m, first, second, k);
		}
	}
	remove_dropped(m);
}
