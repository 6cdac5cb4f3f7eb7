/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_pass.h - a pass of a reduction.  reduce_native.c and
   reduce_teams.c plan it, and reduce_launch.c launches it. */
#ifndef ARRAY_REDUCE_PASS_H
#define ARRAY_REDUCE_PASS_H

#include <stddef.h>

#include "core/array/engine/launch_plan.h"
#include "core/array/layout/layout.h"
#include "core/base/mem.h"

/* Sides of the axes: the values, then the result, then the inputs. */
#define PASS_VALUES 0
#define PASS_RESULT 1
#define PASS_SIDES (2 + GRAPH_INPUTS)

/* How the elements of an operand lie along the axes of the call's shape. */
struct pass_side {
	int64_t offset, stride[DPR_MAX_RANK];
};

struct pass {
	const struct reduce_call *call;
	int n; /* the number of sides: 2 plus the number of inputs */
	/* The axes that this pass reduces.  `is_half` is set if the call
	   reduces more axes. */
	bool reduced[DPR_MAX_RANK], is_half;
	int64_t count;  /* the number of results */
	int64_t length; /* the number of elements reduced to each result */
	int64_t parts, part;
	/* native code: the columns of a team; see vm_program.h */
	int64_t columns;
	bool linear;
	/* kernels in files: a team has 2^team_bits work-items, which the
	   schedule does not say */
	int team_bits;
	bool is_last;  /* the elements are accumulated values of parts */
	bool is_first; /* kernels in files: the pass accumulates parts, and
			  stores them like results */
	/* reduce_pass_clear() leaves out the large members from here on.
	   half: with is_half, the layout of the results with all axes.  Axes
	   that a last pass reduces have stride 0. */
	struct layout half;
	struct pass_side layout[PASS_SIDES];
	struct launch_plan plan;
};

/* Set the members before `half` to 0. */
static inline void reduce_pass_clear(struct pass *p)
{
	mem_zero(p, offsetof(struct pass, half));
}

/* The dtype of the values. */
unsigned reduce_pass_dtype(const struct pass *p);

/* Whether the values are the elements of an array, without a computation. */
bool reduce_pass_is_plain(const struct pass *p);

/* Describe each side by a layout with the axes of the call's shape. */
dpr_status reduce_pass_layouts(struct pass *p);

/* Merge the reduced axes, or the kept axes, of the first @n sides. */
void reduce_pass_axes(const struct pass *p, bool reduced, int n,
		      struct axes *out);

/* The number of elements that all passes together reduce to each result. */
int64_t reduce_pass_elements(const struct pass *p);

/* Fill the words that every launch has.  @elements is the divisor of a mean. */
void reduce_pass_words(struct pass *p, const dpr_array *out, int64_t elements);

#endif
