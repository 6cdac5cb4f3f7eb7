/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_reduce.c - writes kernels that reduce an axis: SCHEDULE_REDUCE_*. */
#include "core/array/engine/gpu/gpu_reduce.h"

#include "core/array/engine/gpu/gpu_rounds.h"

/* The state of a kernel that is being written.  `result` is the handle of an
   index: where the team stores its first result. */
struct gpu_reduce {
	struct machine *m;
	struct gpu_rounds rounds;
	uint32_t result;
};

/* Write code that finds where the team's elements begin in each input, and the
   index of the team's first result. */
static void find_places(struct gpu_reduce *reduce)
{
	struct machine *m = reduce->m;
	struct gpu_rounds *f = &reduce->rounds;
	uint32_t at[SCHEDULE_OPERANDS], begin, rest;

	rest = gpu_rounds_begin(m, f, &begin);
	m->as->begin(m, at);
	reduce->result = machine_product(
		m, f->id, m->as->number(m, f->is_columns ? f->pack : 1));
	reduce->result = machine_sum(m, at[0], reduce->result);
	if (!m->schedule->result)
		reduce->result = m->as->name(m, "result", -1, reduce->result);
	m->as->axes(m, 0, rest, at);
	for (int k = 1; k < schedule_operands(m->graph); k++) {
		const uint32_t step = m->as->word(m, m->words.step + k);

		f->place[k].origin = m->as->name(
			m, "from", k,
			machine_sum(m, at[k], machine_product(m, begin, step)));
		f->place[k].scale =
			!f->is_columns && m->schedule->inner[k] == SCHEDULE_NEXT
				? 0
				: step;
	}
	if (m->schedule->result)
		reduce->result = at[0];
	if (m->schedule->gpu.open)
		reduce->result = machine_sum(
			m, at[0],
			machine_product(m, f->part,
					m->as->word(m, m->words.next_part)));
}

/* --- Ends --------------------------------------------------------------- */

/* Write code that stores accumulator @at as the team's result @at. */
static void add_store(struct gpu_reduce *reduce, struct machine_index at)
{
	struct machine *m = reduce->m;
	uint32_t way = m->as->index(m, at);
	const struct machine_element x = m->as->finish(m, at);

	if (m->schedule->result)
		way = machine_product(m, way, machine_stride(m, 0, 0));
	m->as->store(m, 0,
		     machine_is_zero(at) ? reduce->result
					 : machine_sum(m, reduce->result, way),
		     &x);
}

static void end_rows(struct gpu_reduce *reduce)
{
	struct machine *m = reduce->m;
	struct gpu_rounds *f = &reduce->rounds;
	struct machine_if store;
	uint32_t first;

	m->as->halves(m, f->values, 1, machine_at(0));
	if (f->is_team)
		m->as->join(m, f->team, f->item, f->member);
	first = m->as->choose(m, f->ok, m->as->number(m, 1),
			      m->as->number(m, 0));
	m->as->begin_if(m, &store, machine_is_below(m, f->member, first));
	if (f->is_team)
		m->as->joined(m, f->item);
	add_store(reduce, machine_at(0));
	m->as->end_if(m, &store);
}

static void end_column(void *context, struct machine_index at)
{
	struct gpu_reduce *reduce = context;
	struct machine *m = reduce->m;

	m->as->halves(m, m->schedule->gpu.accumulators, reduce->rounds.pack,
		      at);
	add_store(reduce, at);
}

void gpu_reduce_add(struct machine *m)
{
	struct gpu_reduce reduce = { .m = m };
	struct gpu_rounds *f = &reduce.rounds;

	find_places(&reduce);
	f->values = m->schedule->gpu.accumulators * f->pack;
	m->as->begin_values(m, m->graph->result[0], f->values);
	gpu_rounds_load_once(m, f);
	gpu_rounds_add(m, f);
	m->as->load_values(m, f->values);
	if (f->is_columns)
		m->as->each(m, f->pack, MACHINE_ITEM, end_column, &reduce);
	else
		end_rows(&reduce);
}
