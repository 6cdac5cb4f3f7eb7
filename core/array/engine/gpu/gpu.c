/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.c - writes the body of a kernel for GPUs.  SCHEDULE_FLAT,
   SCHEDULE_STRIDED and SCHEDULE_ROWS are written here, other schedules by other
   files of this folder. */
#include "core/array/engine/gpu/gpu.h"

#include "core/array/engine/gpu/gpu_reduce.h"
#include "core/array/engine/gpu/gpu_run.h"
#include "core/array/engine/gpu/gpu_stages.h"
#include "core/array/engine/gpu/gpu_tile.h"
#include "core/array/engine/stages_plan.h"

/* SCHEDULE_FLAT.  If operands are aligned, and the steps are short enough, a
   work-item takes a pack of neighbouring elements.  Otherwise the elements of a
   work-item are SCHEDULE_GROUP elements apart, so that neighbouring work-items
   access neighbouring elements. */
static void add_flat(struct machine *m)
{
	const unsigned n = (unsigned)schedule_pack(m->graph);
	const bool packed = m->schedule->gpu.aligned &&
			    !m->as->way(m, MACHINE_ALL, n, true);
	struct gpu_run run = { .n = n, .step = packed ? 1 : SCHEDULE_GROUP };
	const uint32_t count = m->as->word(m, m->words.count);
	const uint32_t all = m->as->number(m, (uint64_t)n * run.step);
	uint32_t last;

	if (packed) {
		run.begin =
			machine_product(m, m->as->id(m, MACHINE_GLOBAL), all);
	} else {
		run.begin =
			machine_product(m, m->as->id(m, MACHINE_GROUP), all);
		run.begin =
			machine_sum(m, run.begin, m->as->id(m, MACHINE_LOCAL));
	}
	run.begin = m->as->name(m, "begin", -1, run.begin);
	last = machine_sum(m, run.begin,
			   m->as->number(m, (uint64_t)(n - 1) * run.step));
	run.whole =
		m->as->name(m, "whole", -1, machine_is_below(m, last, count));
	/* The run ends after the work-item's last element, but not beyond the
	   end of the arrays. */
	run.end = m->as->choose(m, run.whole, machine_sum(m, run.begin, all),
				count);
	for (int k = 0; packed && k < schedule_operands(m->graph); k++)
		run.place[k].way = GPU_RUN_PACK;
	gpu_run_add(m, &run);
}

/* Write code that finds the number of the work-item's first element.  A
   work-item takes @n elements.  If gpu.slots is set, the elements of a
   work-item are apart: in each slot, a team of 2^team_bits work-items takes
   neighbours. */
static uint32_t first_element(struct machine *m, unsigned n)
{
	const unsigned team = 1u << m->schedule->gpu.team_bits;
	uint32_t id = m->as->id(m, MACHINE_GLOBAL), teams;

	if (!m->schedule->gpu.slots)
		return machine_product(m, id, m->as->number(m, n));
	id = m->as->name(m, "id", -1, id);
	teams = m->as->compute(m, MACHINE_QUOTIENT, id, m->as->number(m, team));
	return machine_sum(
		m, id,
		machine_product(m, teams, m->as->number(m, team * (n - 1))));
}

/* SCHEDULE_STRIDED: a work-item takes one element.  SCHEDULE_ROWS: a work-item
   takes a pack of neighbouring elements of a row, or elements that are apart.
 */
static void add_strided(struct machine *m)
{
	const bool apart = m->schedule->gpu.slots;
	const unsigned n =
		m->schedule->kind == SCHEDULE_ROWS
			? (unsigned)schedule_items(m->graph, m->schedule)
			: 1;
	struct gpu_run run = { .n = n,
			       .step = apart ? 1u << m->schedule->gpu.team_bits
					     : 1 };
	const uint32_t count = m->as->word(m, m->words.count);
	const uint32_t id = m->as->name(m, "first", -1, first_element(m, n));
	uint32_t at[SCHEDULE_OPERANDS];

	m->as->leave_unless(m, machine_is_below(m, id, count));
	m->as->begin(m, at);
	m->as->axes(m, 0, id, at);
	run.begin = m->as->number(m, 0);
	run.end = m->as->number(m, (uint64_t)n * run.step);
	for (int k = 0; k < schedule_operands(m->graph); k++) {
		const bool fixed =
			n == 1 || m->schedule->inner[k] == SCHEDULE_FIXED;

		run.place[k] =
			(struct gpu_run_place){ .way = fixed   ? GPU_RUN_FIXED
						       : apart ? GPU_RUN_APART
							       : GPU_RUN_PACK,
						.origin = at[k] };
	}
	gpu_run_add(m, &run);
}

bool gpu_add(struct machine *m)
{
	switch ((enum schedule_kind)m->schedule->kind) {
	case SCHEDULE_FLAT: add_flat(m); return true;
	case SCHEDULE_STRIDED:
	case SCHEDULE_ROWS: add_strided(m); return true;
	case SCHEDULE_TILE: gpu_tile_add(m); return true;
	case SCHEDULE_REDUCE_ROWS:
	case SCHEDULE_REDUCE_COLUMNS: gpu_reduce_add(m); return true;
	case SCHEDULE_STAGES:
		if (stages_plan_is_long(m->graph, m->schedule))
			return false;
		gpu_stages_add(m);
		return true;
	}
	return false;
}
