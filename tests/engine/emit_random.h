/* SPDX-License-Identifier: Apache-2.0 */
/* emit_random.h - random graphs, and random schedules as the planner might
   choose them, for tests of what writes kernels. */
#ifndef TESTS_EMIT_RANDOM_H
#define TESTS_EMIT_RANDOM_H

#include "tests/engine/emit_stages.h"

static inline int emit_below(struct random *r, int n)
{
	return (int)random_between(r, 0, n - 1);
}

/* --- Graphs ------------------------------------------------------------- */

/* Reduce a row of some step's values, and use the outcome in another step.
   Returns false if the graph has no room, or the values cannot be reduced. */
static inline bool emit_add_reduction(struct graph *graph, struct random *r)
{
	const enum reduction reduction =
		(enum reduction)emit_below(r, REDUCTION_COUNT);
	const int x = emit_below(r, graph->n_steps);
	const unsigned dtype = graph->step[x].dtype;
	const unsigned sum = reduce_table_sum(reduction, dtype);
	int pair[2], made;

	if (!reduce_table_takes(reduction, dtype))
		return false;
	pair[0] = graph_reduce(graph, reduction, sum,
			       sum == DPR_FLOAT32 ? dtype : sum, x);
	if (pair[0] < 0)
		return false;
	pair[1] = emit_some(graph, r, graph->step[pair[0]].dtype);
	if (pair[1] < 0)
		return false;
	made = graph_operation(graph, OPERATION__not_equal,
			       graph->step[pair[0]].dtype, DPR_BOOL, 2, pair);
	return made >= 0;
}

/* A graph with reductions of rows.  @bits: some steps take bits. */
static inline void emit_random_stages(struct graph *graph, struct random *r,
				      bool bits)
{
	struct graph all;
	int made = 0;

	emit_random(&all, r, bits ? EMIT_MOVES_BITS : EMIT_NO_MOVES);
	for (int i = 0; i < 6 && all.n_steps < GRAPH_STEPS - 6 && made < 3; i++)
		made += emit_add_reduction(&all, r);
	all.n_results = 0;
	for (int k = emit_below(r, GRAPH_RESULTS); k >= 0; k--)
		if (k < all.n_steps)
			graph_result(&all, all.n_steps - 1 - k);
	emit_needed(&all, graph);
}

/* --- Schedules of a GPU ------------------------------------------------- */

static inline void emit_random_inner(const struct graph *graph,
				     struct random *r,
				     struct schedule *schedule)
{
	for (int k = 0; k < schedule_operands(graph); k++)
		schedule->inner[k] =
			(uint8_t)(k < graph->n_results
					  ? SCHEDULE_NEXT
					  : emit_below(r, SCHEDULE_ANY + 1));
}

/* Whether operand @k may move along the rows of SCHEDULE_ROWS.  A pack of a
   source has at least two elements, and at most 16 bytes. */
static inline bool emit_moves(const struct graph *graph, int k,
			      const struct schedule *schedule)
{
	const size_t size =
		dpr_dtype_size((dpr_dtype)schedule_operand(graph, k));

	return !schedule_is_source(graph, k) ||
	       (schedule->gpu.pack > 1 && schedule->gpu.pack * size <= 16);
}

/* How a GPU goes over the elements of a graph without reductions. */
static inline struct schedule emit_random_schedule(const struct graph *graph,
						   struct random *r)
{
	struct schedule schedule =
		emit_schedule(emit_below(r, EMIT_SCHEDULES), graph);

	if (schedule.kind == SCHEDULE_FLAT) {
		schedule.gpu.aligned = (uint8_t)emit_below(r, 2);
		schedule.gpu.slots =
			(uint8_t)(schedule.gpu.aligned * emit_below(r, 3));
		if (!schedule_takes_packs(graph))
			schedule.gpu.slots = 0;
		return schedule;
	}
	schedule.rank = (uint8_t)(schedule.kind == SCHEDULE_TILE
					  ? 2 + emit_below(r, SCHEDULE_RANK - 1)
					  : 1 + emit_below(r, SCHEDULE_RANK));
	if (schedule.kind == SCHEDULE_TILE) {
		schedule.gpu.aligned = (uint8_t)emit_below(r, 2);
		return schedule;
	}
	schedule.gpu.small = (uint8_t)emit_below(r, 2);
	if (schedule.kind == SCHEDULE_ROWS)
		for (int k = graph->n_results; k < schedule_operands(graph);
		     k++)
			schedule.inner[k] =
				emit_below(r, 2) &&
						emit_moves(graph, k, &schedule)
					? SCHEDULE_NEXT
					: SCHEDULE_FIXED;
	if (schedule.kind == SCHEDULE_ROWS &&
	    schedule_takes_slots(graph, &schedule)) {
		schedule.gpu.slots = (uint8_t)(2 * emit_below(r, 3));
		schedule.gpu.team_bits =
			(uint8_t)(schedule.gpu.slots ? emit_below(r, 6) : 0);
	}
	return schedule;
}

/* Make a graph, and choose how a GPU reduces what it computes.  Returns false
   if it cannot. */
static inline bool emit_random_reduce(struct graph *graph,
				      struct schedule *schedule,
				      struct random *r)
{
	if (!emit_reduction(graph, schedule, emit_below(r, EMIT_REDUCTIONS), r))
		return false;
	schedule->rank = (uint8_t)(1 + emit_below(r, SCHEDULE_RANK));
	schedule->gpu.small = (uint8_t)emit_below(r, 2);
	schedule->gpu.cut = (uint8_t)emit_below(r, 2);
	if (schedule->kind == SCHEDULE_REDUCE_ROWS)
		schedule->gpu.team_bits = (uint8_t)emit_below(r, 9);
	return true;
}

/* How a GPU goes over rows in stages. */
static inline struct schedule emit_random_rows(const struct graph *graph,
					       struct random *r)
{
	const unsigned dtype = schedule_operand(graph, 0);
	struct schedule schedule = emit_stages_schedule(
		graph, dtype, emit_below(r, EMIT_STAGES_SHAPES));

	schedule.rank = (uint8_t)(1 + emit_below(r, SCHEDULE_RANK));
	schedule.gpu.small = (uint8_t)emit_below(r, 2);
	schedule.gpu.team_bits = (uint8_t)emit_below(r, 9);
	schedule.gpu.slots =
		(uint8_t)(emit_below(r, 3)
				  ? emit_below(r, SCHEDULE_STAGES_SLOTS) + 1
				  : 0);
	schedule.gpu.missing = (uint8_t)emit_below(r, SCHEDULE_ELEMENTS + 1);
	emit_random_inner(graph, r, &schedule);
	return schedule;
}

/* Make a schedule of PTX the one that is chosen for the same launch in SPIR-V
   and in text. */
static inline struct schedule emit_not_ptx(struct schedule schedule)
{
	if (schedule.kind == SCHEDULE_TILE) {
		schedule.gpu.aligned = 0;
		schedule.gpu.tile = SCHEDULE_TILE_SMALL;
	}
	if (schedule.kind == SCHEDULE_ROWS && schedule.gpu.pack > 1)
		schedule.gpu.slots = schedule.gpu.team_bits = 0;
	if (schedule.kind == SCHEDULE_STAGES) {
		schedule.gpu.slots = 0;
		if (schedule.gpu.missing == SCHEDULE_NOTHING)
			schedule.gpu.missing = SCHEDULE_PACKS;
	}
	/* In about half of the launches rows are whole packs. */
	if (schedule.kind == SCHEDULE_REDUCE_ROWS && schedule.gpu.team_bits % 2)
		schedule.gpu.missing = SCHEDULE_PACKS;
	return schedule;
}

/* --- Schedules of native code ------------------------------------------- */

/* How native code goes over the elements of a graph without reductions. */
static inline struct schedule emit_native_schedule(const struct graph *graph,
						   struct random *r)
{
	struct schedule schedule = { .kind = SCHEDULE_FLAT };

	schedule.cpu.stream = (uint8_t)emit_below(r, 2);
	if (schedule_pointers(graph) == schedule_operands(graph) &&
	    !graph_gathers(graph) && emit_below(r, 2))
		return schedule;
	schedule.kind = SCHEDULE_STRIDED;
	schedule.rank = (uint8_t)(1 + emit_below(r, SCHEDULE_RANK));
	/* Native code does not look at what is for GPUs. */
	schedule.gpu.small = (uint8_t)emit_below(r, 2);
	emit_random_inner(graph, r, &schedule);
	for (int k = 0; k < schedule_operands(graph); k++)
		if (schedule_is_source(graph, k))
			schedule.inner[k] = SCHEDULE_FIXED;
	return schedule;
}

/* Make the schedule of a reduction on a GPU one of native code. */
static inline struct schedule emit_native_reduce(const struct graph *graph,
						 const struct schedule *gpu,
						 struct random *r)
{
	struct schedule schedule = { .kind = gpu->kind,
				     .reduction = gpu->reduction,
				     .sum = gpu->sum,
				     .result = gpu->result,
				     .cpu.near = 1 };

	schedule.rank = (uint8_t)(2 + emit_below(r, SCHEDULE_REDUCE_RANK - 1));
	schedule.cpu.reduced = (uint8_t)(1 + emit_below(r, schedule.rank - 1));
	if (schedule.kind == SCHEDULE_REDUCE_ROWS && !emit_below(r, 3))
		schedule.cpu.near = (uint8_t)(2 + emit_below(r, 7));
	for (int k = 1; k < schedule_operands(graph); k++)
		schedule.inner[k] = schedule.kind == SCHEDULE_REDUCE_ROWS &&
						    schedule.cpu.near == 1 &&
						    emit_below(r, 2)
					    ? SCHEDULE_FIXED
					    : SCHEDULE_ANY;
	return schedule;
}

/* How native code computes rows in stages. */
static inline struct schedule emit_native_rows(const struct graph *graph,
					       struct random *r)
{
	struct schedule schedule = { .kind = SCHEDULE_STAGES };

	schedule.rank = (uint8_t)(1 + emit_below(r, SCHEDULE_RANK));
	schedule.cpu.stream = (uint8_t)emit_below(r, 2);
	emit_random_inner(graph, r, &schedule);
	return schedule;
}

#endif
