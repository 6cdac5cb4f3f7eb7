/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stages_plan.h - what a kernel of FRAME_STAGES computes in which stage.
 *
 * Each stage but the last computes the steps that a reduction needs of each
 * element of a row; the last one computes the results that have an element for
 * each.  A step that is uniform has one value for the row.
 */
#ifndef ARRAY_STAGES_PLAN_H
#define ARRAY_STAGES_PLAN_H

#include "core/array/engine/frame.h"

#define STAGES_PLAN_BIT(i) (UINT64_C(1) << (i))

/* Sets have a bit for each step of the graph. */
struct stages_plan {
	const struct graph *graph;
	const struct frame *frame;
	int n;                   /* reductions */
	int reduce[GRAPH_STEPS]; /* their steps */
	uint64_t uniform;
	/* Of each stage, the steps that it needs of each element, and those of
	   them that end it. */
	uint64_t need[GRAPH_STEPS + 1], end[GRAPH_STEPS + 1];
	uint64_t kept; /* steps whose values a later stage finds */
};

/* Plan stages that keep nothing. */
void stages_plan_begin(struct stages_plan *plan, const struct graph *graph,
		       const struct frame *frame);

/* Whether computing the steps @set takes long. */
typedef bool stages_plan_dear(const struct stages_plan *plan, uint64_t set,
			      void *context);

/* Keep the values that several stages would compute, and that are dear. */
void stages_plan_keep(struct stages_plan *plan, stages_plan_dear *is_dear,
		      void *context);

/* Keep none. */
void stages_plan_forget(struct stages_plan *plan);

/* Whether operand @k moves along the row. */
static inline bool stages_plan_is_row(const struct stages_plan *plan, int k)
{
	return plan->frame->inner[k] != FRAME_FIXED;
}

/* Whether stage @at needs operand @k, an input, of each element. */
bool stages_plan_needs(const struct stages_plan *plan, int at, int k);

/* The steps that have one value for a row, between reduction @at and the next
   one; if @at is -1, before the first one. */
uint64_t stages_plan_singles(const struct stages_plan *plan, int at);

/* Whether a kernel whose stages keep nothing would be too long: it computes too
   many steps, or a long function more than twice. */
bool stages_plan_is_long(const struct graph *graph, const struct frame *frame);

/* The frame of reduction @at alone. */
struct frame stages_plan_frame(const struct stages_plan *plan, int at);

#endif
