/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_stages.c - kernels as SPIR-V that compute a row in stages.
 *
 * A team goes over its row once for each reduction, of which every item then
 * has the value, and once more to store results.  It loads and computes again
 * what several stages need.
 */
#include "core/array/engine/spirv/spirv_stages.h"

#include "core/array/engine/spirv/spirv_rounds.h"
#include "core/array/engine/stages_plan.h"

/* Find where the row is of each operand. */
static void find_places(struct spirv_steps *e, struct spirv_rounds *f)
{
	uint32_t at[FRAME_OPERANDS], begin, rest;

	rest = spirv_rounds_begin(e, f, &begin);
	spirv_access_begin(e, at);
	spirv_access_axes(e, 0, rest, at);
	for (int k = 0; k < frame_operands(e->graph); k++) {
		f->place[k].origin = at[k];
		if (e->frame->inner[k] != FRAME_NEXT)
			f->place[k].scale =
				spirv_steps_word(e, e->words.step + k);
	}
}

/* Compute the steps @set, which have one value for a row. */
static void add_singles(struct spirv_steps *e, const struct spirv_rounds *f,
			uint64_t set)
{
	const int results = e->graph->n_results;
	uint32_t in[GRAPH_INPUTS][SPIRV_STEPS_PARTS];

	for (int k = 0; k < e->graph->n_inputs; k++)
		for (unsigned p = 0; p < SPIRV_STEPS_PARTS; p++)
			in[k][p] = f->once[results + k].part[p];
	spirv_steps_values(e, set, false, in);
}

/* Every item of a team gets the value of reduction @at. */
static void add_reduction(struct spirv_steps *e, struct spirv_rounds *f,
			  const struct stages_plan *plan, int at)
{
	const struct frame *whole = e->frame;
	const struct frame frame = stages_plan_frame(plan, at);
	const unsigned team = 1u << frame.gpu.team_bits;
	const int i = plan->reduce[at];
	uint32_t part[SPIRV_STEPS_PARTS];

	e->frame = &frame;
	f->set = plan->need[at];
	spirv_sum_begin(e, &f->sum, e->graph->step[i].x[0],
			frame.gpu.lanes * f->pack);
	spirv_rounds_add(e, f);
	spirv_sum_load(e, &f->sum, f->sum.n);
	spirv_sum_halves(e, &f->sum, f->sum.n, 1, 0);
	if (team > 1) {
		spirv_sum_join(e, &f->sum, team, f->item, f->lane);
		spirv_sum_share(e, &f->sum, f->item, f->lane);
	}
	spirv_sum_finish(e, &f->sum, 0, part);
	spirv_steps_take(e, i, part);
	e->frame = whole;
}

/* Store the results that have one element for a row. */
static void store_once(struct spirv_steps *e, const struct spirv_rounds *f)
{
	const uint32_t store = spirv_module_id(&e->module);
	const uint32_t end = spirv_module_id(&e->module);
	const uint32_t items = spirv_access_choose(
		e, f->ok, spirv_access_number(e, 1), spirv_access_number(e, 0));
	uint32_t part[SPIRV_STEPS_PARTS];

	spirv_access_branch_if(e, spirv_access_is_below(e, f->lane, items),
			       store, end);
	spirv_access_label(e, store);
	for (int k = 0; k < e->graph->n_results; k++)
		if (spirv_rounds_is_once(e, f, k)) {
			spirv_steps_give(e, e->graph->result[k], part);
			spirv_access_store(e, k, f->place[k].origin, part);
		}
	spirv_access_branch(e, end);
	spirv_access_label(e, end);
}

void spirv_stages_add(struct spirv_steps *e)
{
	struct stages_plan plan;
	struct spirv_rounds f;

	stages_plan_begin(&plan, e->graph, e->frame);
	find_places(e, &f);
	spirv_rounds_load_once(e, &f);
	add_singles(e, &f, stages_plan_singles(&plan, -1));
	for (int at = 0; at < plan.n; at++) {
		add_reduction(e, &f, &plan, at);
		add_singles(e, &f, stages_plan_singles(&plan, at));
	}
	f.set = plan.need[plan.n];
	f.stores = true;
	f.sum.n = 0;
	if (plan.end[plan.n])
		spirv_rounds_add(e, &f);
	store_once(e, &f);
	spirv_access_leave(e);
}
