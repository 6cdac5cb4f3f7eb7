/* SPDX-License-Identifier: Apache-2.0 */
/* emit_random.h - random graphs, and random frames as the planner might choose
   them, for tests of what writes kernels. */
#ifndef TESTS_EMIT_RANDOM_H
#define TESTS_EMIT_RANDOM_H

#include "tests/engine/emit_stages.h"

static inline int emit_below(struct random *r, int n)
{
	return (int)random_between(r, 0, n - 1);
}

/* --- Graphs ----------------------------------------------------------------
 */

/* Reduce a row of some step's values, and use the outcome in another step.
   Returns false if the graph has no room, or the values cannot be reduced. */
static inline bool emit_add_reduction(struct graph *graph, struct random *r)
{
	const enum reduction reduction =
		(enum reduction)emit_below(r, REDUCTION_COUNT);
	const int x = emit_below(r, graph->n_steps);
	const unsigned dtype = graph->step[x].dtype;
	const unsigned sum = reductions_sum(reduction, dtype);
	int pair[2], made;

	if (!reductions_takes(reduction, dtype))
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

	emit_random(&all, r, bits);
	for (int i = 0; i < 6 && all.n_steps < GRAPH_STEPS - 6 && made < 3; i++)
		made += emit_add_reduction(&all, r);
	all.n_results = 0;
	for (int k = emit_below(r, GRAPH_RESULTS); k >= 0; k--)
		if (k < all.n_steps)
			graph_result(&all, all.n_steps - 1 - k);
	emit_needed(&all, graph);
}

/* --- Frames of a GPU -------------------------------------------------------
 */

static inline void emit_random_inner(const struct graph *graph,
				     struct random *r, struct frame *frame)
{
	for (int k = 0; k < frame_operands(graph); k++)
		frame->inner[k] =
			(uint8_t)(k < graph->n_results
					  ? FRAME_NEXT
					  : emit_below(r, FRAME_ANY + 1));
}

/* How a GPU goes over the elements of a graph without reductions. */
static inline struct frame emit_random_frame(const struct graph *graph,
					     struct random *r)
{
	struct frame frame = emit_frame(emit_below(r, EMIT_FRAMES), graph);

	if (frame.kind == FRAME_FLAT) {
		frame.gpu.aligned = (uint8_t)emit_below(r, 2);
		return frame;
	}
	frame.rank = (uint8_t)(frame.kind == FRAME_TILE
				       ? 2 + emit_below(r, FRAME_RANK - 1)
				       : 1 + emit_below(r, FRAME_RANK));
	if (frame.kind == FRAME_TILE) {
		frame.gpu.aligned = (uint8_t)emit_below(r, 2);
		return frame;
	}
	frame.gpu.small = (uint8_t)emit_below(r, 2);
	if (frame.kind == FRAME_ROWS)
		for (int k = graph->n_results; k < frame_operands(graph); k++)
			frame.inner[k] =
				emit_below(r, 2) ? FRAME_NEXT : FRAME_FIXED;
	return frame;
}

/* Make a graph, and choose how a GPU reduces what it computes.  Returns false
   if it cannot. */
static inline bool emit_random_fold(struct graph *graph, struct frame *frame,
				    struct random *r)
{
	if (!emit_fold(graph, frame, emit_below(r, EMIT_FOLDS), r))
		return false;
	frame->rank = (uint8_t)(1 + emit_below(r, FRAME_RANK));
	frame->gpu.small = (uint8_t)emit_below(r, 2);
	frame->gpu.cut = (uint8_t)emit_below(r, 2);
	if (frame->kind == FRAME_FOLD_ROWS)
		frame->gpu.team_bits = (uint8_t)emit_below(r, 9);
	return true;
}

/* How a GPU goes over rows in stages. */
static inline struct frame emit_random_rows(const struct graph *graph,
					    struct random *r)
{
	const unsigned dtype = frame_operand(graph, 0);
	struct frame frame = emit_stages_frame(
		graph, dtype, emit_below(r, EMIT_STAGES_SHAPES));

	frame.rank = (uint8_t)(1 + emit_below(r, FRAME_RANK));
	frame.gpu.small = (uint8_t)emit_below(r, 2);
	frame.gpu.team_bits = (uint8_t)emit_below(r, 9);
	frame.gpu.slots =
		(uint8_t)(emit_below(r, 3)
				  ? emit_below(r, FRAME_STAGES_SLOTS) + 1
				  : 0);
	frame.gpu.missing = (uint8_t)emit_below(r, FRAME_ELEMENTS + 1);
	emit_random_inner(graph, r, &frame);
	return frame;
}

/* Make a frame of PTX the one that is chosen for the same launch in SPIR-V and
   in text. */
static inline struct frame emit_not_ptx(struct frame frame)
{
	if (frame.kind == FRAME_TILE) {
		frame.gpu.aligned = 0;
		frame.gpu.tile = FRAME_TILE_SMALL;
	}
	if (frame.kind == FRAME_STAGES) {
		frame.gpu.slots = 0;
		if (frame.gpu.missing == FRAME_NOTHING)
			frame.gpu.missing = FRAME_PACKS;
	}
	/* In about half of the launches rows are whole packs. */
	if (frame.kind == FRAME_FOLD_ROWS && frame.gpu.team_bits % 2)
		frame.gpu.missing = FRAME_PACKS;
	return frame;
}

/* --- Frames of native code -------------------------------------------------
 */

/* How native code goes over the elements of a graph without reductions. */
static inline struct frame emit_native_frame(const struct graph *graph,
					     struct random *r)
{
	struct frame frame = { .kind = FRAME_FLAT };

	frame.cpu.stream = (uint8_t)emit_below(r, 2);
	if (frame_pointers(graph) == frame_operands(graph) && emit_below(r, 2))
		return frame;
	frame.kind = FRAME_STRIDED;
	frame.rank = (uint8_t)(1 + emit_below(r, FRAME_RANK));
	/* Native code does not look at what is for GPUs. */
	frame.gpu.small = (uint8_t)emit_below(r, 2);
	emit_random_inner(graph, r, &frame);
	return frame;
}

/* Make the frame of a reduction on a GPU one of native code. */
static inline struct frame emit_native_fold(const struct graph *graph,
					    const struct frame *gpu,
					    struct random *r)
{
	struct frame frame = { .kind = gpu->kind,
			       .reduction = gpu->reduction,
			       .sum = gpu->sum,
			       .result = gpu->result,
			       .cpu.near = 1 };

	frame.rank = (uint8_t)(2 + emit_below(r, FRAME_FOLD_RANK - 1));
	frame.cpu.reduced = (uint8_t)(1 + emit_below(r, frame.rank - 1));
	if (frame.kind == FRAME_FOLD_ROWS && !emit_below(r, 3))
		frame.cpu.near = (uint8_t)(2 + emit_below(r, 7));
	for (int k = 1; k < frame_operands(graph); k++)
		frame.inner[k] = frame.kind == FRAME_FOLD_ROWS &&
						 frame.cpu.near == 1 &&
						 emit_below(r, 2)
					 ? FRAME_FIXED
					 : FRAME_ANY;
	return frame;
}

/* How native code computes rows in stages. */
static inline struct frame emit_native_rows(const struct graph *graph,
					    struct random *r)
{
	struct frame frame = { .kind = FRAME_STAGES };

	frame.rank = (uint8_t)(1 + emit_below(r, FRAME_RANK));
	frame.cpu.stream = (uint8_t)emit_below(r, 2);
	emit_random_inner(graph, r, &frame);
	return frame;
}

#endif
