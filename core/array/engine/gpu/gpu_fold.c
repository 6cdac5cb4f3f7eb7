/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_fold.c - kernels that reduce an axis. */
#include "core/array/engine/gpu/gpu_fold.h"

#include "core/array/engine/gpu/gpu_rounds.h"

/* A kernel that reduces, and the index of its first result. */
struct fold {
	struct machine *m;
	struct gpu_rounds rounds;
	uint32_t result;
};

/* Find the places of the operands, and the index of the first result. */
static void find_places(struct fold *fold)
{
	struct machine *m = fold->m;
	struct gpu_rounds *f = &fold->rounds;
	uint32_t at[SCHEDULE_OPERANDS], begin, rest;

	rest = gpu_rounds_begin(m, f, &begin);
	m->as->begin(m, at);
	fold->result = machine_product(
		m, f->id, m->as->number(m, f->is_columns ? f->pack : 1));
	fold->result = machine_sum(m, at[0], fold->result);
	if (!m->schedule->result)
		fold->result = m->as->name(m, "result", -1, fold->result);
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
		fold->result = at[0];
	if (m->schedule->gpu.open)
		fold->result = machine_sum(
			m, at[0],
			machine_product(m, f->part,
					m->as->word(m, m->words.next_part)));
}

/* --- Ends
   ------------------------------------------------------------------ */

/* Store value @at as result @at. */
static void add_store(struct fold *fold, struct machine_index at)
{
	struct machine *m = fold->m;
	uint32_t way = m->as->index(m, at);
	const struct machine_element x = m->as->finish(m, at);

	if (m->schedule->result)
		way = machine_product(m, way, machine_stride(m, 0, 0));
	m->as->store(m, 0,
		     machine_is_zero(at) ? fold->result
					 : machine_sum(m, fold->result, way),
		     &x);
}

static void end_rows(struct fold *fold)
{
	struct machine *m = fold->m;
	struct gpu_rounds *f = &fold->rounds;
	struct machine_if store;
	uint32_t first;

	m->as->halves(m, f->values, 1, machine_at(0));
	if (f->is_team)
		m->as->join(m, f->team, f->item, f->lane);
	first = m->as->choose(m, f->ok, m->as->number(m, 1),
			      m->as->number(m, 0));
	m->as->begin_if(m, &store, machine_is_below(m, f->lane, first));
	if (f->is_team)
		m->as->joined(m, f->item);
	add_store(fold, machine_at(0));
	m->as->end_if(m, &store);
}

static void end_column(void *context, struct machine_index at)
{
	struct fold *fold = context;
	struct machine *m = fold->m;

	m->as->halves(m, m->schedule->gpu.lanes, fold->rounds.pack, at);
	add_store(fold, at);
}

void gpu_fold_add(struct machine *m)
{
	struct fold fold = { .m = m };
	struct gpu_rounds *f = &fold.rounds;

	find_places(&fold);
	f->values = m->schedule->gpu.lanes * f->pack;
	m->as->begin_values(m, m->graph->result[0], f->values);
	gpu_rounds_load_once(m, f);
	gpu_rounds_add(m, f);
	m->as->load_values(m, f->values);
	if (f->is_columns)
		m->as->each(m, f->pack, MACHINE_ITEM, end_column, &fold);
	else
		end_rows(&fold);
}
