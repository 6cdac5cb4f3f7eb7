/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_combine.c - writes the code that combines values in reductions, in
   SPIR-V. */
#include "core/array/engine/spirv/spirv_combine.h"

#include <stdio.h>
#include <string.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce_table.h"

#define JOINED 8 /* the most values that a work-item combines at a time */

static const struct spirv_value none = { 0, 0 };

static unsigned parts_of(const struct spirv_combine *s)
{
	return spirv_steps_parts(s->dtype);
}

static uint32_t part_type(struct spirv_steps *e, const struct spirv_combine *s)
{
	return spirv_steps_part_type(e, s->dtype);
}

static uint32_t find(struct spirv_steps *e, const char *name, unsigned from,
		     unsigned to)
{
	char full[64];

	if (to)
		snprintf(full, sizeof(full), "%.40s_%u_%u", name, from, to);
	else
		snprintf(full, sizeof(full), "%.40s_%u", name, from);
	return spirv_module_function(&e->module, full);
}

/* --- Variables ---------------------------------------------------------- */

void spirv_combine_load(struct spirv_steps *e, struct spirv_combine *s,
			unsigned n)
{
	for (unsigned at = 0; at < n; at++)
		for (unsigned p = 0; p < parts_of(s); p++)
			s->z[at][p] = SPIRV_MAKE(
				&e->module, LOAD, part_type(e, s),
				s->variable[at][p], SPIRV_ACCESS_ALIGNED,
				spirv_steps_part_size(s->dtype));
}

void spirv_combine_store(struct spirv_steps *e, const struct spirv_combine *s,
			 unsigned n)
{
	for (unsigned at = 0; at < n; at++)
		for (unsigned p = 0; p < parts_of(s); p++)
			SPIRV_DO(&e->module, STORE, s->variable[at][p],
				 s->z[at][p], SPIRV_ACCESS_ALIGNED,
				 spirv_steps_part_size(s->dtype));
}

void spirv_combine_rotate(struct spirv_steps *e, struct spirv_combine *s,
			  unsigned by)
{
	uint32_t first[MACHINE_ROUND][MACHINE_PARTS];

	spirv_combine_load(e, s, s->n);
	memcpy(first, s->z[0], by * sizeof(s->z[0]));
	memmove(s->z[0], s->z[by], (s->n - by) * sizeof(s->z[0]));
	memcpy(s->z[s->n - by], first, by * sizeof(s->z[0]));
	spirv_combine_store(e, s, s->n);
}

/* --- Begin -------------------------------------------------------------- */

static uint32_t constant(struct spirv_steps *e, const struct spirv_combine *s,
			 uint64_t bits)
{
	const uint32_t words[] = { (uint32_t)bits, (uint32_t)(bits >> 32) };

	return spirv_module_global(&e->module, SPIRV_CONSTANT, part_type(e, s),
				   words,
				   spirv_steps_part_size(s->dtype) > 4 ? 2 : 1);
}

static void find_functions(struct spirv_steps *e, struct spirv_combine *s)
{
	const struct reduce_table_entry *entry =
		&reduce_table[e->machine.schedule->reduction];
	unsigned from = e->machine.graph->step[s->step].dtype;

	if (from == DPR_FLOAT16 || from == DPR_BFLOAT16)
		from = DPR_FLOAT32;
	s->combine =
		find(e, operations_table[entry->combine].name, s->dtype, 0);
	if (from != s->dtype)
		s->cast = find(e, "cast", from, s->dtype);
	if (parts_of(s) == 1)
		return;
	s->x = spirv_steps_variable(e, s->dtype);
	s->y = spirv_steps_variable(e, s->dtype);
	s->out = spirv_steps_variable(e, s->dtype);
}

void spirv_combine_begin(struct spirv_steps *e, struct spirv_combine *s,
			 int step, unsigned n)
{
	const unsigned size = spirv_steps_part_size(e->machine.schedule->sum);
	uint64_t first;
	uint32_t type;

	*s = (struct spirv_combine){ .step = step,
				     .dtype = e->machine.schedule->sum,
				     .n = n };
	find_functions(e, s);
	first = reduce_table_first(
		(enum reduction)e->machine.schedule->reduction, s->dtype);
	type = spirv_module_pointer(&e->module, SPIRV_CLASS_FUNCTION,
				    part_type(e, s));
	for (unsigned at = 0; at < n; at++)
		for (unsigned p = 0; p < parts_of(s); p++) {
			s->z[at][p] = constant(e, s, p ? 0 : first);
			s->variable[at][p] =
				spirv_module_variable(&e->module, type, size);
		}
	spirv_combine_store(e, s, n);
}

/* --- Combining ---------------------------------------------------------- */

/* Return a value with the components @part, to be passed to a function.  A
   complex value is passed by address, so it is stored in @variable. */
static struct spirv_value value_of(struct spirv_steps *e,
				   const struct spirv_combine *s,
				   struct spirv_value variable,
				   const uint32_t *part)
{
	if (parts_of(s) == 1)
		return (struct spirv_value){ part[0], part_type(e, s) };
	spirv_steps_put(e, s->dtype, variable, part);
	return variable;
}

/* Write code that combines @x with the value whose components are @z.  The
   components of the outcome replace @z. */
static void combine(struct spirv_steps *e, const struct spirv_combine *s,
		    struct spirv_value x, uint32_t *z)
{
	const struct spirv_value in[] = { x, value_of(e, s, s->y, z) };
	struct spirv_value out = s->out;
	const uint32_t id =
		spirv_steps_call(e, s->combine, part_type(e, s), out, in, 2);

	if (!out.id)
		out.id = id;
	spirv_steps_get(e, s->dtype, out, z);
}

void spirv_combine_add(struct spirv_steps *e, struct spirv_combine *s,
		       unsigned at, uint32_t condition)
{
	struct spirv_value x = e->value[s->step];
	uint32_t *z = s->z[at], old[MACHINE_PARTS];

	if (s->cast) {
		const uint32_t id = spirv_steps_call(
			e, s->cast, part_type(e, s), s->x, &x, 1);

		x = s->x.id ? s->x
			    : (struct spirv_value){ id, part_type(e, s) };
	}
	memcpy(old, z, sizeof(old));
	combine(e, s, x, z);
	for (unsigned p = 0; condition && p < parts_of(s); p++)
		z[p] = SPIRV_MAKE(&e->module, SELECT, part_type(e, s),
				  condition, z[p], old[p]);
}

void spirv_combine_halves(struct spirv_steps *e, struct spirv_combine *s,
			  unsigned n, unsigned apart, unsigned at)
{
	for (n /= 2; n > 0; n /= 2)
		for (unsigned i = 0; i < n; i++)
			combine(e, s,
				value_of(e, s, s->x,
					 s->z[at + (i + n) * apart]),
				s->z[at + i * apart]);
}

/* --- Teams -------------------------------------------------------------- */

/* Write code that combines @n values in local memory: the values of work-items
   @item, @item + @half, @item + 2 * @half and so on.  @item is this work-item,
   and the outcome replaces its value. */
static void join_some(struct spirv_steps *e, struct spirv_combine *s,
		      uint32_t item, unsigned half, unsigned n)
{
	uint32_t part[JOINED][MACHINE_PARTS];

	for (unsigned i = 0; i < n; i++)
		spirv_access_load_local(
			e, s->dtype, e->local[s->dtype],
			i ? spirv_access_sum(
				    e, item,
				    spirv_access_number(e, (uint64_t)i * half))
			  : item,
			part[i]);
	for (unsigned i = 1; i < n; i++)
		combine(e, s, value_of(e, s, s->x, part[i]), part[0]);
	spirv_access_store_local(e, s->dtype, e->local[s->dtype], item,
				 part[0]);
}

/* In each turn of the loop below, the first work-items of a team combine their
   values with the values of other work-items.  The next turn reads only the
   values of these first work-items.  No work-item reads a value that another
   work-item writes in the same turn. */
void spirv_combine_join(struct spirv_steps *e, struct spirv_combine *s,
			unsigned team, uint32_t item, uint32_t member)
{
	struct machine *m = &e->machine;

	/* If an earlier reduction has used the same local memory, wait until
	   all work-items have read its values. */
	if (e->local[s->dtype])
		e->machine.as->barrier(&e->machine);
	else
		e->local[s->dtype] =
			spirv_access_local(e, s->dtype, SCHEDULE_GROUP);
	spirv_access_store_local(e, s->dtype, e->local[s->dtype], item,
				 s->z[0]);
	while (team > 1) {
		const unsigned n = team < JOINED ? team : JOINED;
		struct machine_if some;

		team /= n;
		m->as->barrier(m);
		m->as->begin_if(
			m, &some,
			spirv_access_is_below(e, member,
					      spirv_access_number(e, team)));
		join_some(e, s, item, team, n);
		m->as->end_if(m, &some);
	}
}

void spirv_combine_joined(struct spirv_steps *e, struct spirv_combine *s,
			  uint32_t item)
{
	spirv_access_load_local(e, s->dtype, e->local[s->dtype], item, s->z[0]);
}

void spirv_combine_share(struct spirv_steps *e, struct spirv_combine *s,
			 uint32_t item, uint32_t member)
{
	const uint32_t first = SPIRV_MAKE(
		&e->module, I_SUB, spirv_access_number_type(e), item, member);

	e->machine.as->barrier(&e->machine);
	spirv_combine_joined(e, s, first);
}

/* --- Results ------------------------------------------------------------ */

/* The number of elements, by which a mean divides, as a float of @dtype. */
static struct spirv_value divisor_of(struct spirv_steps *e, unsigned dtype)
{
	const uint32_t type = spirv_steps_part_type(e, dtype);
	const uint32_t word = spirv_steps_word(e, e->machine.words.divisor);
	const struct spirv_value integer = { word,
					     spirv_access_number_type(e) };
	uint32_t id;

	if (e->machine.schedule->kind == SCHEDULE_STAGES)
		id = spirv_steps_call(e, find(e, "cast", DPR_INT64, dtype),
				      type, none, &integer, 1);
	else
		id = spirv_steps_low_bits(e, word, type,
					  spirv_steps_part_size(dtype) * 8);
	return (struct spirv_value){ id, type };
}

/* Write code that divides the components @part by the number of elements, for a
   mean. */
static void divide(struct spirv_steps *e, const struct spirv_combine *s,
		   uint32_t *part)
{
	const unsigned dtype = (unsigned)dtype_part((dpr_dtype)s->dtype);
	const uint32_t type = part_type(e, s);
	const uint32_t function = find(e, "divide", dtype, 0);
	const struct spirv_value n = divisor_of(e, dtype);

	for (unsigned p = 0; p < parts_of(s); p++) {
		const struct spirv_value in[] = { { part[p], type }, n };

		part[p] = spirv_steps_call(e, function, type, none, in, 2);
	}
}

void spirv_combine_finish(struct spirv_steps *e, const struct spirv_combine *s,
			  unsigned at, uint32_t *part)
{
	const unsigned result = e->machine.schedule->result
					? e->machine.schedule->result
					: s->dtype;
	struct spirv_value x;

	memcpy(part, s->z[at], sizeof(s->z[at]));
	if (e->machine.schedule->result &&
	    reduce_table[e->machine.schedule->reduction].finish ==
		    REDUCE_TABLE_DIVIDE)
		divide(e, s, part);
	if (result == s->dtype)
		return;
	x = value_of(e, s, s->x, part);
	part[0] =
		spirv_steps_call(e, find(e, "cast", s->dtype, result),
				 spirv_steps_part_type(e, result), none, &x, 1);
}
