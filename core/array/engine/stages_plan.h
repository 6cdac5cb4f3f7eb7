/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stages_plan.h - decides in which stage a kernel of SCHEDULE_STAGES computes
 * each step.
 *
 * A stage is one walk over the elements of a row.  Each stage but the last ends
 * in a reduction: it computes the operand of the reduction for each element.
 * The last stage computes and stores the results that have a value for each
 * element.  A uniform step has one value for the row.
 */
#ifndef ARRAY_STAGES_PLAN_H
#define ARRAY_STAGES_PLAN_H

#include "core/array/engine/schedule.h"

#define STAGES_PLAN_BIT(i) (UINT64_C(1) << (i))

/* A plan.  Each set of steps is a uint64_t with a bit for each step of the
   graph. */
struct stages_plan {
	const struct graph *graph;
	const struct schedule *schedule;
	int n;                   /* the number of reductions */
	int reduce[GRAPH_STEPS]; /* the steps that are reductions */
	uint64_t uniform;
	/* need[s]: the steps that stage s computes for each element.  end[s]:
	   the steps whose values stage s reduces or stores. */
	uint64_t need[GRAPH_STEPS + 1], end[GRAPH_STEPS + 1];
	uint64_t kept; /* steps whose values are kept for later stages */
};

/* Begin a plan in which no value is kept: each stage computes all steps whose
   values it needs. */
void stages_plan_begin(struct stages_plan *plan, const struct graph *graph,
		       const struct schedule *schedule);

/* Whether a value is expensive enough to be kept for later stages.  @set is the
   steps that compute the value.  @context comes from the caller of
   stages_plan_keep(). */
typedef bool stages_plan_dear(const struct stages_plan *plan, uint64_t set,
			      void *context);

/* Keep each value that several stages need and @is_dear calls expensive. */
void stages_plan_keep(struct stages_plan *plan, stages_plan_dear *is_dear,
		      void *context);

/* Keep no values any more: go back to the plan of stages_plan_begin(). */
void stages_plan_forget(struct stages_plan *plan);

/* Whether operand @k has an element for each element of the row. */
static inline bool stages_plan_is_row(const struct stages_plan *plan, int k)
{
	return plan->schedule->inner[k] != SCHEDULE_FIXED;
}

/* Whether stage @at reads an element of operand @k, an input, for each element
   of the row.  Operands are numbered with the results first. */
bool stages_plan_needs(const struct stages_plan *plan, int at, int k);

/* The uniform steps between reduction number @at and the next reduction.  -1:
   the uniform steps before the first reduction. */
uint64_t stages_plan_singles(const struct stages_plan *plan, int at);

/* Whether a kernel whose stages keep no values would be too long.  A kernel is
   too long if it computes too many steps, or if more than two stages compute
   the same long function. */
bool stages_plan_is_long(const struct graph *graph,
			 const struct schedule *schedule);

/* A copy of the kernel's schedule in which the members `reduction`, `sum`,
   `result` and `accumulators` describe reduction number @at. */
struct schedule stages_plan_schedule(const struct stages_plan *plan, int at);

#endif
