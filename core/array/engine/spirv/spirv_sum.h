/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_sum.h - what kernels in SPIR-V accumulate while they reduce.
 *
 * A work-item accumulates several values.  From one block of code to another
 * they are in variables; within one, `z` has the ids of their components.
 */
#ifndef ARRAY_SPIRV_SUM_H
#define ARRAY_SPIRV_SUM_H

#include "core/array/engine/spirv/spirv_access.h"

struct spirv_sum {
	int step; /* whose values are combined */
	unsigned dtype;
	unsigned n; /* values */
	uint32_t z[MACHINE_ROUND][MACHINE_PARTS];
	uint32_t variable[MACHINE_ROUND][MACHINE_PARTS];
	uint32_t combine, cast; /* functions; cast 0: elements are not cast */
	/* Of complex values: what is combined with what, and the outcome. */
	struct spirv_value x, y, out;
};

/* Begin with @n values, all of them the first one of the reduction, for those
   of step @step. */
void spirv_sum_begin(struct spirv_steps *e, struct spirv_sum *s, int step,
		     unsigned n);

/* Get the values from their variables, or put them there; the first @n. */
void spirv_sum_load(struct spirv_steps *e, struct spirv_sum *s, unsigned n);
void spirv_sum_store(struct spirv_steps *e, const struct spirv_sum *s,
		     unsigned n);

/* Combine the step's value with value @at, if @condition holds or is 0. */
void spirv_sum_add(struct spirv_steps *e, struct spirv_sum *s, unsigned at,
		   uint32_t condition);

/* Let each variable have the value of the one @by further, and the last ones
   those of the first. */
void spirv_sum_turn(struct spirv_steps *e, struct spirv_sum *s, unsigned by);

/* Combine @n values, @apart from each other, from value @at on, which then is
   all of them. */
void spirv_sum_halves(struct spirv_steps *e, struct spirv_sum *s, unsigned n,
		      unsigned apart, unsigned at);

/*
 * Combine values 0 of each @team work-items that follow each other, in local
 * memory; more than one.  All items of the group come here.  @item is the
 * number of this one in the group, @lane in its team.  After
 * spirv_sum_joined(), value 0 of item 0 of a team is that of all.
 */
void spirv_sum_join(struct spirv_steps *e, struct spirv_sum *s, unsigned team,
		    uint32_t item, uint32_t lane);
void spirv_sum_joined(struct spirv_steps *e, struct spirv_sum *s,
		      uint32_t item);
/* The same for all items of a team. */
void spirv_sum_share(struct spirv_steps *e, struct spirv_sum *s, uint32_t item,
		     uint32_t lane);

/* Make value @at a result: divide and cast it.  @part: its components, as
   stored. */
void spirv_sum_finish(struct spirv_steps *e, const struct spirv_sum *s,
		      unsigned at, uint32_t *part);

#endif
