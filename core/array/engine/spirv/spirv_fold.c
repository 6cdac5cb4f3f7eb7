/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_fold.c - kernels as SPIR-V that reduce an axis. */
#include "core/array/engine/spirv/spirv_fold.h"

#include "core/array/engine/spirv/spirv_rounds.h"

/* Find where operands are, and return the index of the first result. */
static uint32_t find_places(struct spirv_steps *e, struct spirv_rounds *f)
{
	uint32_t at[FRAME_OPERANDS], begin, rest, result;

	rest = spirv_rounds_begin(e, f, &begin);
	spirv_access_begin(e, at);
	result = spirv_access_product(
		e, f->id, spirv_access_number(e, f->is_columns ? f->pack : 1));
	result = spirv_access_sum(e, at[0], result);
	spirv_access_axes(e, 0, rest, at);
	for (int k = 1; k < frame_operands(e->graph); k++) {
		const uint32_t step = spirv_steps_word(e, e->words.step + k);

		f->place[k].origin = spirv_access_sum(
			e, at[k], spirv_access_product(e, begin, step));
		f->place[k].scale =
			!f->is_columns && e->frame->inner[k] == FRAME_NEXT
				? 0
				: step;
	}
	return e->frame->result ? at[0] : result;
}

/* --- Ends ------------------------------------------------------------------
 */

/* Store value @at as the result with that number, from @first on. */
static void add_store(struct spirv_steps *e, const struct spirv_rounds *f,
		      uint32_t first, unsigned at)
{
	uint32_t part[SPIRV_STEPS_PARTS], way = spirv_access_number(e, at);

	spirv_sum_finish(e, &f->sum, at, part);
	if (e->frame->result)
		way = spirv_access_product(e, way,
					   spirv_access_stride(e, 0, 0));
	spirv_access_store(e, 0, at ? spirv_access_sum(e, first, way) : first,
			   part);
}

static void end_rows(struct spirv_steps *e, struct spirv_rounds *f,
		     uint32_t result)
{
	const unsigned team = 1u << e->frame->gpu.team_bits;
	const uint32_t store = spirv_module_id(&e->module);
	const uint32_t end = spirv_module_id(&e->module);
	uint32_t first;

	spirv_sum_halves(e, &f->sum, f->sum.n, 1, 0);
	if (team > 1)
		spirv_sum_join(e, &f->sum, team, f->item, f->lane);
	first = spirv_access_choose(e, f->ok, spirv_access_number(e, 1),
				    spirv_access_number(e, 0));
	spirv_access_branch_if(e, spirv_access_is_below(e, f->lane, first),
			       store, end);
	spirv_access_label(e, store);
	if (team > 1)
		spirv_sum_joined(e, &f->sum, f->item);
	add_store(e, f, result, 0);
	spirv_access_branch(e, end);
	spirv_access_label(e, end);
}

static void end_columns(struct spirv_steps *e, struct spirv_rounds *f,
			uint32_t result)
{
	for (unsigned at = 0; at < f->pack; at++) {
		spirv_sum_halves(e, &f->sum, e->frame->gpu.lanes, f->pack, at);
		add_store(e, f, result, at);
	}
}

void spirv_fold_add(struct spirv_steps *e)
{
	struct spirv_rounds f;
	const uint32_t result = find_places(e, &f);

	spirv_sum_begin(e, &f.sum, e->graph->result[0],
			e->frame->gpu.lanes * f.pack);
	spirv_rounds_load_once(e, &f);
	spirv_rounds_add(e, &f);
	spirv_sum_load(e, &f.sum, f.sum.n);
	if (f.is_columns)
		end_columns(e, &f, result);
	else
		end_rows(e, &f, result);
	spirv_access_leave(e);
}
