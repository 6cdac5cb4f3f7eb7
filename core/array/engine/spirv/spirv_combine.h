/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_combine.h - writes the code that combines values in reductions, in
 * SPIR-V.
 *
 * A work-item has several accumulators.  Between basic blocks of SPIR-V, they
 * are in variables.  Within a basic block, `z` has the ids of their components.
 * In the end the accumulators of a work-item are combined, and then those of a
 * team's work-items.
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
	/* ids of functions; `cast` is 0 if the step's values need no cast */
	uint32_t combine, cast;
	/* for complex values: variables for the operands and the outcome of a
	   combination */
	struct spirv_value x, y, out;
};

/* Begin a reduction of the values of step @step.  There are @n accumulators,
   all set to the value with which the reduction begins. */
void spirv_combine_begin(struct spirv_steps *e, struct spirv_combine *s,
			 int step, unsigned n);

/* Load the first @n accumulators from their variables, or store them there. */
void spirv_combine_load(struct spirv_steps *e, struct spirv_combine *s,
			unsigned n);
void spirv_combine_store(struct spirv_steps *e, const struct spirv_combine *s,
			 unsigned n);

/* Combine the value of the step with accumulator @at.  If @condition is not 0,
   do so only where @condition holds. */
void spirv_combine_add(struct spirv_steps *e, struct spirv_combine *s,
		       unsigned at, uint32_t condition);

/* Rotate the variables of the accumulators: each gets the value of the variable
   @by places further, and the last ones get the values of the first. */
void spirv_combine_rotate(struct spirv_steps *e, struct spirv_combine *s,
			  unsigned by);

/* Combine @n accumulators in a tree into the first of them, accumulator @at.
   Their numbers are @apart apart. */
void spirv_combine_halves(struct spirv_steps *e, struct spirv_combine *s,
			  unsigned n, unsigned apart, unsigned at);

/* Combine accumulator 0 of all work-items of each team, in local memory.  A
   team has @team neighbouring work-items, more than one.  All work-items of the
   group must execute this code.  @item is the number of the work-item in the
   group, and @member its number in the team.  Afterwards spirv_combine_joined()
   sets accumulator 0 of a team's first work-item to the outcome. */
void spirv_combine_join(struct spirv_steps *e, struct spirv_combine *s,
			unsigned team, uint32_t item, uint32_t member);
void spirv_combine_joined(struct spirv_steps *e, struct spirv_combine *s,
			  uint32_t item);
/* Set accumulator 0 of all work-items of a team to the outcome of
   spirv_combine_join(). */
void spirv_combine_share(struct spirv_steps *e, struct spirv_combine *s,
			 uint32_t item, uint32_t member);

/* Turn accumulator @at into a result: divide it if the reduction is a mean, and
   cast it.  @part gets the components of the element to be stored. */
void spirv_combine_finish(struct spirv_steps *e, const struct spirv_combine *s,
			  unsigned at, uint32_t *part);

#endif
