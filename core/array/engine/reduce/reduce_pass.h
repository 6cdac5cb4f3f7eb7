/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce_pass.h - a pass of a reduction: one launch that reduces.
 *
 * Most reductions need one pass.  A reduction takes two passes in three cases:
 * its axes are cut into parts, the first pass reduces only some axes (is_half),
 * or the result may share memory with an input.  The last pass reduces the
 * results of the first.  reduce_native.c and reduce_teams.c plan a pass, and
 * reduce_launch.c launches it.
 */
#ifndef ARRAY_REDUCE_PASS_H
#define ARRAY_REDUCE_PASS_H

#include <stddef.h>

#include "core/array/engine/launch_plan.h"
#include "core/array/layout/layout.h"
#include "core/base/mem.h"

/* A side is a layout along the axes of the call.  Side 0 is the layout of the
   values that are reduced, side 1 is the layout of the result, and side k + 2
   is the layout of input k. */
#define PASS_VALUES 0
#define PASS_RESULT 1
#define PASS_SIDES (2 + GRAPH_INPUTS)

/* How the elements of a side lie along the axes of the call's shape. */
struct pass_side {
	int64_t offset, stride[DPR_MAX_RANK];
};

struct pass {
	const struct reduce_call *call;
	int n; /* the number of sides: 2 plus the number of inputs */
	/* reduced: set for each axis that this pass reduces.  is_half: set if
	   the last pass reduces further axes of the call. */
	bool reduced[DPR_MAX_RANK], is_half;
	int64_t count;       /* the number of results */
	int64_t length;      /* the number of elements reduced to each result */
	int64_t parts, part; /* the number of parts, and the length of a part */
	/* For native code.  columns: a team reduces at most this number of
	   results, and these are neighbours.  linear: these results follow each
	   other along all kept axes, not only along axis 0 (struct
	   vm_reduce_words). */
	int64_t columns;
	bool linear;
	/* kernels in files: a team has 2^team_bits work-items; the schedule
	   does not contain this number */
	int team_bits;
	bool is_last; /* set if this is the last of two passes */
	/* set only for kernels in files: this is the first of two passes.  Its
	   results are the accumulated values of parts. */
	bool is_first;
	/* reduce_pass_clear() does not clear the large members from here on.
	   half: if is_half is set, the place of the results of this pass in the
	   call's result.  Axes that the last pass reduces have stride 0. */
	struct layout half;
	struct pass_side layout[PASS_SIDES];
	struct launch_plan plan;
};

/* Set the members before `half` to 0. */
static inline void reduce_pass_clear(struct pass *p)
{
	mem_zero(p, offsetof(struct pass, half));
}

/* The dtype of the values that are reduced. */
unsigned reduce_pass_dtype(const struct pass *p);

/* Whether the values are the elements of an input, without a computation. */
bool reduce_pass_is_plain(const struct pass *p);

/* Set p->n, p->reduced and the layout of each side. */
dpr_status reduce_pass_layouts(struct pass *p);

/* Describe axes of @p in *@out, for the first @n sides.  Pass @reduced = true
   for the reduced axes, false for the kept axes.  Neighbouring axes are merged
   where possible. */
void reduce_pass_axes(const struct pass *p, bool reduced, int n,
		      struct axes *out);

/* The number of elements that all passes together reduce to a result. */
int64_t reduce_pass_elements(const struct pass *p);

/* Fill the words (schedule.h) that the launch of every pass has.  @elements is
   the divisor of a mean. */
void reduce_pass_words(struct pass *p, const dpr_array *out, int64_t elements);

#endif
