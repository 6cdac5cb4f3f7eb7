/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmcode_rows.c - puts the orders of programs that compute rows into sections.
 *
 * Sections with odd numbers compute elements; the others compute one value for
 * each row.  A reduction is in the first section where its operand can be
 * computed.  Any other order is in the last section that is early enough for
 * its readers.  So few values must be kept for a whole row.
 */
#include "core/array/engine/native/vmcode_rows.h"

#include <limits.h>
#include <string.h>

#include "core/array/engine/native/vmcode_brief.h"
#include "core/array/engine/native/vmcode_chain.h"
#include "core/array/engine/native/vmcode_reduce.h"

/* Of a work-group: the least elements, and the most work-items. */
#define LEAST_ELEMENTS 4096
#define MOST_ITEMS 1024
/* The overhead of a work-item takes as long as this number of additions. */
#define ITEM_WEIGHT 128

#define NOT_NEEDED INT_MAX

struct sections {
	struct maker *m;
	int last; /* the last section that computes elements */
	/* the first section that can use each value */
	int there[VMCODE_VALUES];
	int needed[VMCODE_VALUES]; /* the first section that uses each value */
	/* the last section that uses each value, or -1 */
	int used[VMCODE_VALUES];
	int made[VMCODE_VALUES]; /* the section that makes each value */
	int section[VMCODE_ORDERS];
	/* the value that spreads each value over its row */
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

/* Find the values that belong to rows. */
static void mark_narrow(struct maker *m)
{
	for (int i = 0; i < m->n_orders; i++) {
		const struct order *order = &m->order[i];
		struct value *out = &m->value[order->out];

		switch (order->kind) {
		case VM_LOAD:
			out->narrow = is_narrow_operand(m, out->operand);
			break;
		case VM_REDUCE: out->narrow = true; break;
		case VM_CALL:
			out->narrow = true;
			for (int k = 0; k < order->n; k++)
				out->narrow &= m->value[order->x[k]].narrow ||
					       m->value[order->x[k]].scalar;
			break;
		}
	}
}

/* --- Values that are spread --------------------------------------------- */

/* Whether @order needs its operands for each element. */
static bool is_wide(const struct maker *m, const struct order *order)
{
	switch (order->kind) {
	case VM_CALL:
	case VM_LOAD: return !m->value[order->out].narrow;
	case VM_REDUCE: return true;
	case VM_STORE: return !is_narrow_operand(m, order->out);
	}
	return false;
}

/* The value that has @value for each element of a row. */
static int spread_of(struct sections *s, int value)
{
	struct maker *m = s->m;
	const unsigned dtype = m->value[value].dtype;
	struct order *order;

	if (s->spread[value] != NO_VALUE)
		return s->spread[value];
	if (m->n_spreads == VMCODE_SPREADS) {
		m->overflows = true;
		return value;
	}
	m->n_spreads++;
	s->spread[value] = vmcode_orders_value(m, dtype);
	m->value[s->spread[value]].spread_of = value;
	order = vmcode_orders_add(m, VM_SPREAD, s->spread[value]);
	order->code = vmcode_orders_shift(dtype);
	order->x[order->n++] = value;
	return s->spread[value];
}

/* Spread the values of rows that elements need. */
static void add_spreads(struct sections *s)
{
	struct maker *m = s->m;
	const int n = m->n_orders;

	for (int i = 0; i < VMCODE_VALUES; i++)
		s->spread[i] = NO_VALUE;
	for (int i = 0; i < n; i++) {
		struct order *order = &m->order[i];

		for (int k = 0; k < order->n; k++) {
			const struct value *x = &m->value[order->x[k]];

			if (is_wide(m, order) && x->narrow)
				order->x[k] = spread_of(s, order->x[k]);
			else if (order->kind == VM_STORE &&
				 !is_wide(m, order) && !x->narrow)
				m->overflows = true;
		}
	}
}

/* The value that @value spreads, or @value itself. */
static int spread_source(const struct maker *m, int value)
{
	const int of = m->value[value].spread_of;

	return of == NO_VALUE ? value : of;
}

/* --- Sections ----------------------------------------------------------- */

/* The first section that can use value @x: for elements (@wide), or for
   rows. */
static int section_of_use(const struct sections *s, int x, bool wide)
{
	const struct value *value = &s->m->value[x];

	if (value->scalar)
		return wide;
	return s->there[x] + (wide && s->there[x] % 2 == 0);
}

/* Find the first section in which each order can be. */
static void find_first(struct sections *s)
{
	struct maker *m = s->m;

	s->last = 1;
	/* A spread value can be used in the section where it is spread. */
	for (int i = 0; i < m->n_values; i++)
		s->there[i] = 0;
	for (int i = 0; i < m->n_orders; i++) {
		const struct order *order = &m->order[i];
		const bool wide = is_wide(m, order);
		int first = wide;

		if (order->kind == VM_SPREAD)
			continue;
		for (int k = 0; k < order->n; k++) {
			const int x = spread_source(m, order->x[k]);

			first = larger(first, section_of_use(s, x, wide));
		}
		s->section[i] = first;
		if (order->kind == VM_REDUCE)
			s->there[order->out] = first + 1;
		else if (order->kind != VM_STORE)
			s->there[order->out] = first;
		if (wide)
			s->last = larger(s->last, first);
	}
}

/* Note that value @x is used in @section. */
static void use(struct sections *s, int x, int section)
{
	s->needed[x] = lesser(s->needed[x], section);
	s->used[x] = larger(s->used[x], section);
}

/* Find the section of each order. */
static void find_sections(struct sections *s)
{
	struct maker *m = s->m;

	for (int i = 0; i < m->n_values; i++) {
		s->needed[i] = NOT_NEEDED;
		s->used[i] = -1;
	}
	for (int i = m->n_orders - 1; i >= 0; i--) {
		const struct order *order = &m->order[i];
		const bool wide = is_wide(m, order);

		if (order->kind == VM_SPREAD)
			continue;
		if (order->kind == VM_STORE)
			s->section[i] = wide ? s->last : s->last + 1;
		else if (order->kind != VM_REDUCE &&
			 s->needed[order->out] != NOT_NEEDED)
			s->section[i] = s->needed[order->out];
		if (order->kind == VM_CALL)
			s->made[order->out] = s->section[i];
		for (int k = 0; k < order->n; k++) {
			const int x = order->x[k];
			const int source = spread_source(m, x);

			use(s, x, s->section[i]);
			if (source != x)
				use(s, source, s->section[i] - 1);
		}
	}
	for (int i = 0; i < m->n_orders; i++)
		if (m->order[i].kind == VM_SPREAD)
			s->section[i] = s->needed[m->order[i].out] - 1;
}

/* Whether order @i is in @section.  A load of elements is in every section that
   uses the elements. */
static bool is_in(const struct sections *s, int i, int section)
{
	const struct maker *m = s->m;
	const struct order *order = &m->order[i];

	if (order->kind != VM_LOAD || !is_wide(m, order))
		return s->section[i] == section;
	for (int j = i; j < m->n_orders; j++)
		for (int k = 0; s->section[j] == section && k < m->order[j].n;
		     k++)
			if (m->order[j].x[k] == order->out)
				return true;
	return false;
}

/* Sort the orders by section.  Returns false if there are too many. */
static bool sort_orders(struct sections *s)
{
	struct maker *m = s->m;
	struct order sorted[VMCODE_ORDERS];
	int n = 0;

	for (int section = 0; section <= s->last + 1; section++) {
		for (int i = 0; i < m->n_orders; i++) {
			if (!is_in(s, i, section))
				continue;
			if (n + 1 >= VMCODE_ORDERS)
				return false;
			sorted[n++] = m->order[i];
		}
		sorted[n++] = (struct order){ .kind = VM_NEXT };
		if (n == VMCODE_ORDERS)
			return false;
	}
	memcpy(m->order, sorted, (size_t)n * sizeof(sorted[0]));
	m->n_orders = n;
	return true;
}

/* Elements that a later section needs are kept for the whole row. */
static void find_whole(struct sections *s)
{
	struct maker *m = s->m;

	for (int i = 0; i < m->n_orders; i++) {
		const int out = m->order[i].out;

		if (m->order[i].kind == VM_CALL && !m->value[out].narrow)
			m->value[out].whole = s->used[out] > s->made[out];
	}
}

/* Compute elements of a result directly in the result's memory, if no input is
   read after that. */
static void place_results(struct maker *m)
{
	int first = 0;

	/* Within an order, all reads come before the write. */
	for (int i = 0; i < m->n_orders; i++) {
		const struct order *order = &m->order[i];

		if (order->kind == VM_LOAD && is_wide(m, order))
			first = i + 1;
		for (int k = 0; k < order->n; k++)
			if (m->value[order->x[k]].operand != NO_OPERAND)
				first = i;
	}
	for (int i = 0; i < m->n_orders; i++) {
		const struct order *order = &m->order[i];
		struct value *x;

		if (order->kind != VM_STORE || !is_wide(m, order))
			continue;
		x = &m->value[order->x[0]];
		if (x->whole || x->operand != NO_OPERAND)
			continue;
		for (int j = first; j < i; j++)
			if (vmcode_chain_computes(&m->order[j]) &&
			    m->order[j].out == order->x[0])
				x->operand = order->out;
	}
}

/* --- Registers ---------------------------------------------------------- */

/* Find the last order that needs each value.  A section loops over its
   elements.  So values from before the section are needed until its end. */
static void find_last(struct maker *m)
{
	int section = 0, end = 0, made[VMCODE_VALUES];

	for (int i = 0; i < m->n_values; i++)
		made[i] = 0;
	for (int i = 0; i < m->n_orders; i++) {
		const struct order *order = &m->order[i];

		for (end = i; m->order[end].kind != VM_NEXT;)
			end++;
		for (int k = 0; k < order->n; k++) {
			struct value *x = &m->value[order->x[k]];

			x->last = section % 2 && made[order->x[k]] != section
					  ? end
					  : vmcode_chain_end_of_read(m, i, x);
		}
		if (order->kind == VM_NEXT)
			section++;
		else if (order->kind == VM_LOAD || order->kind == VM_REDUCE ||
			 order->kind == VM_SPREAD ||
			 vmcode_chain_computes(order))
			made[order->out] = section;
	}
}

/* Free the registers of values that no order after @i needs.  @like: only
   values with elements of this size; NULL: all. */
static void free_registers(struct maker *m, int i, const struct value *like)
{
	for (int k = 0; k < m->n_values; k++) {
		const struct value *x = &m->value[k];

		if (x->last == i && x->slot >= 0 && !x->kept && !x->whole &&
		    (!like || vmcode_orders_shift(x->dtype) ==
				      vmcode_orders_shift(like->dtype)))
			m->busy[x->slot] = false;
	}
}

/* Assign a register to the value of order @i, and free registers after it. */
static void take(struct maker *m, int i)
{
	struct value *out = &m->value[m->order[i].out];

	/* A function may write over its operand, if the sizes agree. */
	if (vmcode_chain_computes(&m->order[i]))
		free_registers(m, i, out);
	if (out->slot < 0 && !out->whole)
		out->slot = vmcode_orders_register(
			m, vmcode_orders_shift(out->dtype));
	free_registers(m, i, NULL);
	if (!out->whole)
		m->busy[out->slot] = true;
}

static void assign_registers(struct maker *m)
{
	vmcode_orders_keep(m);
	for (int i = 0; i < m->n_orders; i++) {
		const struct order *order = &m->order[i];

		if (order->kind == VM_NEXT || order->kind == VM_STORE ||
		    order->kind == VM_CHAIN ||
		    (order->kind == VM_LINK && !vmcode_chain_ends(order)))
			free_registers(m, i, NULL);
		else
			take(m, i);
	}
	for (int i = 0; i < m->n_values; i++) {
		struct value *x = &m->value[i];

		if (!x->whole)
			continue;
		x->slot = m->n_registers++;
		m->shift[x->slot] = vmcode_orders_shift(x->dtype);
		m->n_whole++;
	}
}

/* The operand of @order that can be read as one element if it is spread; -1:
   there is none. */
static int find_one(const struct order *order)
{
	if (order->kind == VM_LINK)
		return vmcode_chain_one(order);
	return order->kind == VM_REDUCE && order->n > 1 &&
			       order->x[0] != order->x[1]
		       ? 1
		       : -1;
}

/* For each operand that is spread, add the value before spreading as another
   operand.  In blocks of one row it is read instead. */
static void add_sources(struct maker *m)
{
	for (int i = 0; i < m->n_orders; i++) {
		struct order *order = &m->order[i];
		const int k = find_one(order);

		if (k < 0 || m->value[order->x[k]].spread_of == NO_VALUE)
			continue;
		order->x[order->n++] = m->value[order->x[k]].spread_of;
		if (order->kind == VM_REDUCE)
			order->code = VM_ROWS_ONE;
	}
}

/* Find the values that need not be spread in blocks of one row. */
static void find_ones(struct maker *m)
{
	for (int i = 0; i < m->n_orders; i++) {
		struct order *order = &m->order[i];

		if (order->kind != VM_SPREAD)
			continue;
		order->unit = VM_ROWS_ONE;
		for (int j = 0; j < m->n_orders; j++)
			for (int k = 0; k < m->order[j].n; k++)
				if (m->order[j].x[k] == order->out &&
				    find_one(&m->order[j]) != k)
					order->unit = 0;
	}
}

bool vmcode_rows_arrange(struct maker *m)
{
	struct sections s;

	s.m = m;
	mark_narrow(m);
	vmcode_orders_sum_products(m);
	m->n_spreads = m->n_whole = 0;
	add_spreads(&s);
	if (m->overflows)
		return false;
	find_first(&s);
	find_sections(&s);
	find_whole(&s);
	if (!sort_orders(&s))
		return false;
	vmcode_chain_make(m);
	vmcode_orders_pair(m);
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
