/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmcode_chain.c - makes chains of instructions.
 *
 * An instruction can take over the instruction that computes one of its
 * operands, if no other instruction reads this operand, and if both operations
 * exist as links.  In this way instructions form trees: the root takes over the
 * instructions that compute its operands, and each of these instructions takes
 * over others in the same way.  A tree of more than two operations becomes a
 * chain, and so do some smaller trees.
 *
 * A chain keeps its values on a small stack of vector registers.  A place is an
 * entry of this stack.  A slot is a register of the program or an operand, as
 * in vm_program.h.
 */
#include "core/array/engine/native/vmcode_chain.h"

#include <stdatomic.h>
#include <string.h>

#include "core/array/engine/operations.h"
#include "kernels/vm_chain.h"

enum { NO_LINK = -1 };

static _Atomic bool forbidden;

/* The instructions of a program, and how they form trees. */
struct trees {
	struct maker *m;
	/* For each value.  reads: the number of reads.  made: the call that
	   computes the value, or -1. */
	int reads[VMCODE_VALUES], made[VMCODE_VALUES];
	/* takes[i][k]: set if instruction i takes over the instruction that
	   computes its operand k.  taken[i]: set if another instruction takes
	   over instruction i.  chain[i]: set if instruction i is the root of a
	   tree that becomes a chain. */
	bool takes[VMCODE_INSTRUCTIONS][3], taken[VMCODE_INSTRUCTIONS];
	bool chain[VMCODE_INSTRUCTIONS];
	/* The number of places, operations and links of the tree with root i.
	 */
	uint8_t places[VMCODE_INSTRUCTIONS], operations[VMCODE_INSTRUCTIONS];
	uint8_t links[VMCODE_INSTRUCTIONS];
	/* The new list of instructions, and their number. */
	struct instruction sorted[VMCODE_INSTRUCTIONS];
	int n;
};

/* --- Links -------------------------------------------------------------- */

/* The link that computes operation @op of two operands: x is in a place, and y
   is read from a slot.  Pass @swapped = true if y is the first operand.
   NO_LINK: there is no such link. */
static int binary_link(unsigned op, bool swapped)
{
	switch (op) {
	case OPERATION__add: return VM_LINK_READ_ADD;
	case OPERATION__multiply: return VM_LINK_READ_MULTIPLY;
	case OPERATION__subtract:
		return swapped ? VM_LINK_READ_FROM : VM_LINK_READ_SUBTRACT;
	case OPERATION__divide:
		return swapped ? VM_LINK_READ_UNDER : VM_LINK_READ_DIVIDE;
	case OPERATION__minimum:
		return swapped ? VM_LINK_READ_MINIMUM_FROM
			       : VM_LINK_READ_MINIMUM;
	case OPERATION__maximum:
		return swapped ? VM_LINK_READ_MAXIMUM_FROM
			       : VM_LINK_READ_MAXIMUM;
	case OPERATION__less:
		return swapped ? VM_LINK_READ_GREATER : VM_LINK_READ_LESS;
	case OPERATION__less_equal:
		return swapped ? VM_LINK_READ_GREATER_EQUAL
			       : VM_LINK_READ_LESS_EQUAL;
	case OPERATION__greater:
		return swapped ? VM_LINK_READ_LESS : VM_LINK_READ_GREATER;
	case OPERATION__greater_equal:
		return swapped ? VM_LINK_READ_LESS_EQUAL
			       : VM_LINK_READ_GREATER_EQUAL;
	case OPERATION__equal: return VM_LINK_READ_EQUAL;
	case OPERATION__not_equal: return VM_LINK_READ_NOT_EQUAL;
	}
	return NO_LINK;
}

static int unary_link(unsigned op)
{
	switch (op) {
	case OPERATION__negative: return VM_LINK_NEGATIVE;
	case OPERATION__abs: return VM_LINK_ABS;
	case OPERATION__sqrt: return VM_LINK_SQRT;
	case OPERATION__square: return VM_LINK_SQUARE;
	}
	return NO_LINK;
}

static bool is_float(unsigned dtype)
{
	return dtype == DPR_FLOAT32 || dtype == DPR_FLOAT64;
}

static bool is_where(const struct instruction *instruction)
{
	return instruction->unit >= VM_MOVE;
}

/* The dtype in which a link would compute @instruction; 0: no link can compute
   @instruction. */
static unsigned dtype_of(const struct maker *m,
			 const struct instruction *instruction)
{
	const unsigned out = m->value[instruction->out].dtype;
	const unsigned dtype = instruction->unit - VM_OPERATION;

	if (instruction->kind != VM_CALL || m->value[instruction->out].narrow)
		return 0;
	if (is_where(instruction))
		return instruction->code == VM_WHERE && is_float(out) ? out : 0;
	if (!is_float(dtype))
		return 0;
	return binary_link(instruction->code, false) != NO_LINK ||
			       unary_link(instruction->code) != NO_LINK
		       ? dtype
		       : 0;
}

/* Whether the value of @instruction is a bool that a chain would hold as a
   mask.  In a chain only where() can read a mask. */
static bool is_mask(const struct maker *m,
		    const struct instruction *instruction)
{
	return !is_where(instruction) &&
	       m->value[instruction->out].dtype == DPR_BOOL;
}

/* --- Trees -------------------------------------------------------------- */

/* The call that computes operand @k of instruction @i; -1: no call does. */
static int part_of(const struct trees *t, int i, int k)
{
	return t->made[t->m->instruction[i].x[k]];
}

/* The number of places that computing operand @k of instruction @i needs.  An
   operand that is read from a slot needs 1. */
static int places_of(const struct trees *t, int i, int k)
{
	return t->takes[i][k] ? t->places[part_of(t, i, k)] : 1;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Whether a single link can read both values of the where() @i from slots.  The
   second value must not be a scalar: the link reads all elements of a slot, and
   the register of a scalar is not filled. */
static bool chooses_slots(const struct trees *t, int i)
{
	return !t->takes[i][1] && !t->takes[i][2] &&
	       !t->m->value[t->m->instruction[i].x[2]].scalar;
}

/* The number of places that the where() @i needs.  Its condition, a mask, is in
   the first place. */
static int count_where(const struct trees *t, int i)
{
	const int mask = places_of(t, i, 0);
	const int x = places_of(t, i, 1), y = places_of(t, i, 2);

	if (t->takes[i][1] && t->takes[i][2])
		return larger(mask, larger(1 + x, 2 + y));
	if (chooses_slots(t, i))
		return mask;
	return larger(mask, 1 + larger(x, y));
}

/* The number of places that instruction @i needs.  If both of its operands are
   computed in the chain, the operand that needs more places is computed first.
   */
static int count_places(const struct trees *t, int i)
{
	const struct instruction *instruction = &t->m->instruction[i];
	const int x = places_of(t, i, 0);
	int y;

	if (is_where(instruction))
		return count_where(t, i);
	if (instruction->n == 1)
		return x;
	y = places_of(t, i, 1);
	return t->takes[i][0] && t->takes[i][1] && x == y ? x + 1
							  : larger(x, y);
}

/* An upper bound for the number of links of the tree with root @i. */
static int count_links(const struct trees *t, int i)
{
	int links = 1;

	for (int k = 0; k < t->m->instruction[i].n; k++)
		links += t->takes[i][k] ? t->links[part_of(t, i, k)] : 1;
	return links;
}

/* The number of operations of the tree with root @i. */
static int count_operations(const struct trees *t, int i)
{
	int operations = 1;

	for (int k = 0; k < t->m->instruction[i].n; k++)
		if (t->takes[i][k])
			operations += t->operations[part_of(t, i, k)];
	return operations;
}

/* Whether instruction @i, of @dtype, can take over the instruction that
   computes its operand @k. */
static bool can_take(const struct trees *t, int i, int k, unsigned dtype)
{
	const struct maker *m = t->m;
	const struct instruction *instruction = &m->instruction[i];
	const int part = part_of(t, i, k);

	if (part < 0 || t->reads[instruction->x[k]] != 1 ||
	    dtype_of(m, &m->instruction[part]) != dtype)
		return false;
	return is_mask(m, &m->instruction[part]) ==
	       (is_where(instruction) && k == 0);
}

/* Let instruction @i take over the instructions that compute its operands.
   While the tree is too large for a chain, leave out the largest operand of @i.
   */
static void take_parts(struct trees *t, int i)
{
	const struct instruction *instruction = &t->m->instruction[i];
	const unsigned dtype = dtype_of(t->m, instruction);

	if (!dtype)
		return;
	for (int k = 0; k < instruction->n; k++)
		t->takes[i][k] = can_take(t, i, k, dtype);
	while (count_places(t, i) > VM_CHAIN_DEPTH ||
	       count_links(t, i) >= VM_CHAIN_LINKS) {
		int most = 0;

		for (int k = 1; k < instruction->n; k++)
			if (t->takes[i][k] &&
			    (!t->takes[i][most] ||
			     t->links[part_of(t, i, k)] >
				     t->links[part_of(t, i, most)]))
				most = k;
		t->takes[i][most] = false;
	}
	t->places[i] = (uint8_t)count_places(t, i);
	t->links[i] = (uint8_t)count_links(t, i);
	t->operations[i] = (uint8_t)count_operations(t, i);
}

/* Whether the tree with root @i, which has two operations, could be a pair
   (vmcode_instructions.h).  A pair is as fast as a chain. */
static bool is_pair(const struct trees *t, int i)
{
	const struct instruction *instruction = &t->m->instruction[i];

	for (int k = 0; k < instruction->n; k++)
		if (t->takes[i][k] && !is_where(instruction))
			return vmcode_instructions_pair_of(
				       t->m->instruction[part_of(t, i, k)].code,
				       instruction->code, k) >= 0;
	return false;
}

/* Whether some operation of two operands, in the tree with root @i, reads a
   spread value.  In a block of one row, the link of this operation reads a
   single element instead. */
static bool reads_spread(const struct trees *t, int i)
{
	const struct instruction *instruction = &t->m->instruction[i];

	for (int k = 0; k < instruction->n; k++) {
		const struct vmcode_value *x = &t->m->value[instruction->x[k]];

		if (t->takes[i][k]
			    ? reads_spread(t, part_of(t, i, k))
			    : !is_where(instruction) && instruction->n == 2 &&
				      x->spread_of != NO_VALUE)
			return true;
	}
	return false;
}

/* Whether an exp() is the only reader of instruction @i's value, and the exp()
   and instruction @i can form a pair. */
static bool is_for_exp(const struct trees *t, int i)
{
	const struct instruction *first = &t->m->instruction[i];

	if (vmcode_instructions_pair_of(first->code, OPERATION__exp, 0) < 0)
		return false;
	for (int j = i + 1; j < t->m->n_instructions; j++) {
		const struct instruction *reader = &t->m->instruction[j];

		if (reader->n && reader->x[0] == first->out)
			return t->reads[first->out] == 1 &&
			       vmcode_instructions_is_exp(reader);
	}
	return false;
}

/* Whether the tree with root @i becomes a chain. */
static bool is_chain(const struct trees *t, int i)
{
	const struct maker *m = t->m;
	const struct instruction *instruction = &m->instruction[i];
	const int operations = t->operations[i];

	if (t->taken[i] || !dtype_of(m, instruction) || is_mask(m, instruction))
		return false;
	if (m->schedule->kind == SCHEDULE_STAGES && reads_spread(t, i))
		return operations > 1 || !is_for_exp(t, i);
	/* In a chain operands come straight from memory, and results are stored
	   past the caches.  A call needs a register in between. */
	if (m->schedule->cpu.stream && m->schedule->kind != SCHEDULE_STAGES)
		return true;
	return operations > 2 || (operations == 2 && !is_pair(t, i));
}

static void find_trees(struct trees *t)
{
	struct maker *m = t->m;

	memset(t->takes, 0, sizeof(t->takes));
	memset(t->taken, 0, sizeof(t->taken));
	for (int i = 0; i < m->n_values; i++) {
		t->reads[i] = 0;
		t->made[i] = -1;
	}
	for (int i = 0; i < m->n_instructions; i++) {
		const struct instruction *instruction = &m->instruction[i];

		if (instruction->kind == VM_CALL)
			t->made[instruction->out] = i;
		for (int k = 0; k < instruction->n; k++)
			t->reads[instruction->x[k]]++;
	}
	for (int i = 0; i < m->n_instructions; i++)
		take_parts(t, i);
	for (int i = m->n_instructions - 1; i >= 0; i--) {
		t->chain[i] = is_chain(t, i);
		for (int k = 0; k < m->instruction[i].n; k++) {
			t->takes[i][k] &= t->taken[i] || t->chain[i];
			if (t->takes[i][k])
				t->taken[part_of(t, i, k)] = true;
		}
	}
}

/* --- Chains ------------------------------------------------------------- */

/* Add the link VM_LINK(@op, @depth).  The link computes in place @depth.
   @value is the value that the link reads from a slot, or NO_VALUE. */
static void add_link(struct trees *t, int op, int depth, int value)
{
	t->sorted[t->n++] =
		(struct instruction){ .kind = VM_LINK,
				      .code = (uint8_t)VM_LINK(op, depth),
				      .n = value != NO_VALUE,
				      .x = { value } };
}

/* Add the link VM_LINK(@op, @depth), which reads both @value and @other from
   slots. */
static void add_link_of_two(struct trees *t, int op, int depth, int value,
			    int other)
{
	struct instruction *link = &t->sorted[t->n];

	add_link(t, op, depth, value);
	link->x[link->n++] = other;
}

static void add_tree(struct trees *t, int i, int depth);

/* Add the links that put operand @k of instruction @i into place @depth. */
static void add_operand(struct trees *t, int i, int k, int depth)
{
	const int value = t->m->instruction[i].x[k];

	if (t->takes[i][k])
		add_tree(t, part_of(t, i, k), depth);
	else
		add_link(t,
			 t->m->value[value].dtype == DPR_BOOL
				 ? VM_LINK_LOAD_MASK
				 : VM_LINK_LOAD,
			 depth, value);
}

static void add_where(struct trees *t, int i, int depth)
{
	const int *x = t->m->instruction[i].x;

	add_operand(t, i, 0, depth);
	if (chooses_slots(t, i)) {
		add_link_of_two(t, VM_LINK_CHOOSE_XY, depth, x[1], x[2]);
	} else if (!t->takes[i][2]) {
		add_operand(t, i, 1, depth + 1);
		add_link(t, VM_LINK_CHOOSE_Y, depth, x[2]);
	} else if (!t->takes[i][1]) {
		add_operand(t, i, 2, depth + 1);
		add_link(t, VM_LINK_CHOOSE_X, depth, x[1]);
	} else {
		add_operand(t, i, 1, depth + 1);
		add_operand(t, i, 2, depth + 2);
		add_link(t, VM_LINK_CHOOSE, depth, NO_VALUE);
	}
}

/* Whether @value is a scalar or a spread value: all elements are equal, at
   least within each row. */
static bool may_be_one(const struct trees *t, int value)
{
	const struct vmcode_value *x = &t->m->value[value];

	return x->scalar || x->spread_of != NO_VALUE;
}

/* Add instruction @i as a link that reads both operands from slots.  Returns
   false if there is no such link. */
static bool add_leaf(struct trees *t, int i, int depth)
{
	const struct instruction *instruction = &t->m->instruction[i];
	const bool swapped = may_be_one(t, instruction->x[0]);
	const int link = binary_link(instruction->code, swapped);

	if (t->takes[i][0] || t->takes[i][1] || link > VM_LINK_READ_FROM ||
	    (swapped && may_be_one(t, instruction->x[1])))
		return false;
	add_link_of_two(t, link + VM_LINK_BOTH_LESS - VM_LINK_READ_LESS, depth,
			instruction->x[swapped], instruction->x[!swapped]);
	return true;
}

static void add_binary(struct trees *t, int i, int depth)
{
	const struct instruction *instruction = &t->m->instruction[i];
	const bool both = t->takes[i][0] && t->takes[i][1];
	const bool swapped =
		both ? places_of(t, i, 1) > places_of(t, i, 0) : t->takes[i][1];
	const int link = binary_link(instruction->code, swapped);

	if (add_leaf(t, i, depth))
		return;
	add_operand(t, i, swapped, depth);
	if (both) {
		add_operand(t, i, !swapped, depth + 1);
		add_link(t, link + VM_LINK_STACK_LESS - VM_LINK_READ_LESS,
			 depth, NO_VALUE);
	} else {
		const int value = instruction->x[!swapped];
		const bool fixed = t->m->value[value].scalar;

		add_link(t,
			 link + (fixed ? VM_LINK_FIXED_LESS - VM_LINK_READ_LESS
				       : 0),
			 depth, value);
	}
}

/* Add the links that put the value of instruction @i into place @depth. */
static void add_tree(struct trees *t, int i, int depth)
{
	const struct instruction *instruction = &t->m->instruction[i];

	if (is_where(instruction)) {
		add_where(t, i, depth);
	} else if (instruction->n == 2) {
		add_binary(t, i, depth);
	} else {
		add_operand(t, i, 0, depth);
		add_link(t, unary_link(instruction->code), depth, NO_VALUE);
	}
}

static void add_chain(struct trees *t, int i)
{
	const struct instruction *instruction = &t->m->instruction[i];
	const int head = t->n++;

	add_tree(t, i, 0);
	add_link(t, VM_LINK_STORE, 0, NO_VALUE);
	t->sorted[t->n - 1].out = instruction->out;
	t->sorted[head] =
		(struct instruction){ .kind = VM_CHAIN,
				      .unit = (uint8_t)dtype_of(t->m,
								instruction),
				      .code = (uint8_t)(t->n - 1 - head) };
}

bool vmcode_chain_ends(const struct instruction *instruction)
{
	return instruction->kind == VM_LINK &&
	       instruction->code == VM_LINK(VM_LINK_STORE, 0);
}

bool vmcode_chain_computes(const struct instruction *instruction)
{
	return instruction->kind == VM_CALL || vmcode_chain_ends(instruction);
}

int vmcode_chain_one(const struct instruction *instruction)
{
	if (vm_link_is_both(instruction->code))
		return 1;
	return instruction->code < VM_LINK(VM_LINK_FIXED_LESS, 0) ? 0 : -1;
}

int vmcode_chain_end_of_read(const struct maker *m, int i,
			     const struct vmcode_value *x)
{
	while (m->instruction[i].kind == VM_LINK && x->dtype == DPR_BOOL &&
	       !vmcode_chain_ends(&m->instruction[i]))
		i++;
	return i;
}

void vmcode_chain_make(struct maker *m)
{
	struct trees t;

	if (!vm_chain_is_there() || atomic_load(&forbidden))
		return;
	t.m = m;
	t.n = 0;
	find_trees(&t);
	for (int i = 0; i < m->n_instructions; i++) {
		const int left = m->n_instructions - i;

		if (t.taken[i])
			continue;
		/* If there might be too many instructions, make no chains.
		   Without chains there is always room. */
		if (t.n + left + VM_CHAIN_LINKS + 1 > VMCODE_INSTRUCTIONS)
			return;
		if (t.chain[i])
			add_chain(&t, i);
		else
			t.sorted[t.n++] = m->instruction[i];
	}
	memcpy(m->instruction, t.sorted, (size_t)t.n * sizeof(t.sorted[0]));
	m->n_instructions = t.n;
}

void vmcode_chain_forbid(bool forbid)
{
	atomic_store(&forbidden, forbid);
}
