/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_combine.h - writes the code that combines values in reductions, in
 * SPIR-V.
 *
 * A work-item has several accumulators, in variables.  Within a basic block of
 * SPIR-V, `z` has the ids of the components of all accumulators.  In the end a
 * work-item combines its accumulators into accumulator 0.  Then a team combines
 * accumulator 0 of all its work-items.
 */
#ifndef ARRAY_SPIRV_COMBINE_H
#define ARRAY_SPIRV_COMBINE_H

#include "core/array/engine/spirv/spirv_access.h"

struct spirv_combine {
	int step; /* the step whose values are combined */
	unsigned dtype;
	unsigned n; /* the number of accumulators */
	uint32_t z[MACHINE_ROUND][MACHINE_PARTS];
	uint32_t variable[MACHINE_ROUND][MACHINE_PARTS];
	/* ids of functions; `cast` is 0 if the values of `step` need no cast */
	uint32_t combine, cast;
	/* for complex values: variables for the operands and the outcome of a
	   combination */
	struct spirv_value x, y, out;
};

/* Begin a reduction of the values of step @step.  Declare @n accumulators, and
   write code that sets them to the value with which the reduction begins. */
void spirv_combine_begin(struct spirv_steps *e, struct spirv_combine *s,
			 int step, unsigned n);

/* spirv_combine_load(): write loads of the first @n accumulators from their
   variables into s->z.  spirv_combine_store(): write stores back into the
   variables. */
void spirv_combine_load(struct spirv_steps *e, struct spirv_combine *s,
			unsigned n);
void spirv_combine_store(struct spirv_steps *e, const struct spirv_combine *s,
			 unsigned n);

/* Write code that combines the value of the step with accumulator @at.  If
   @condition is not 0, the kernel does so only if @condition holds. */
void spirv_combine_add(struct spirv_steps *e, struct spirv_combine *s,
		       unsigned at, uint32_t condition);

/* Write code that rotates the accumulators: number @by becomes number 0, number
   @by + 1 becomes number 1, and so on. */
void spirv_combine_rotate(struct spirv_steps *e, struct spirv_combine *s,
			  unsigned by);

/* Write code that combines @n accumulators in a binary tree: @at, @at + @apart,
   @at + 2 * @apart and so on.  @n is a power of two.  The outcome is in
   accumulator @at. */
void spirv_combine_halves(struct spirv_steps *e, struct spirv_combine *s,
			  unsigned n, unsigned apart, unsigned at);

/* Write code that combines accumulator 0 of all work-items of each team, in
   local memory.  A team has @team neighbouring work-items, at least two.  All
   work-items of the group must execute this code.  @item is the number of the
   work-item in the group, and @member is its number in the team.  Afterwards
   spirv_combine_joined() gives the outcome to accumulator 0 of a team's first
   work-item. */
void spirv_combine_join(struct spirv_steps *e, struct spirv_combine *s,
			unsigned team, uint32_t item, uint32_t member);
void spirv_combine_joined(struct spirv_steps *e, struct spirv_combine *s,
			  uint32_t item);
/* Write code that sets accumulator 0 of all work-items of a team to the outcome
   of spirv_combine_join(). */
void spirv_combine_share(struct spirv_steps *e, struct spirv_combine *s,
			 uint32_t item, uint32_t member);

/* Write code that makes a result of accumulator @at.  If the reduction is a
   mean, the sum is divided.  Then the value is cast to the dtype of the
   results.  @part gets the ids of the components to store. */
void spirv_combine_finish(struct spirv_steps *e, const struct spirv_combine *s,
			  unsigned at, uint32_t *part);

#endif
