/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_combine.h - how kernels in PTX combine values when they reduce.
 *
 * %z0e5 is part 0 of the accumulated value 5.  The schedule gives the
 * reduction, its dtype, and the number of values that a work-item accumulates.
 */
#ifndef ARRAY_PTX_COMBINE_H
#define ARRAY_PTX_COMBINE_H

#include "core/array/engine/ptx/ptx.h"

/* The registers of the parts of a value. */
struct ptx_pair {
	struct ptx_register part[2];
};

/* The registers of a value.  @name says which one: an accumulated value (z), a
   cast value (m), a combined value (x), a value from another item (y), a moved
   value (w), or a result (o). */
struct ptx_pair ptx_combine_pair(char name, int at);

/* The number of work-items in a team. */
int ptx_combine_team(const struct ptx *e);

/* The dtype of the result. */
unsigned ptx_combine_result(const struct ptx *e);

/* Declare the registers, or the local memory for tree @tree. */
void ptx_combine_registers(struct ptx *e);
void ptx_combine_tree(struct ptx *e, int tree);

/* Set all accumulated values to the first value of the reduction. */
void ptx_combine_first(struct ptx *e);

/* Copy value @from to @to; with @checked, only if %q holds. */
void ptx_combine_copy(struct ptx *e, const struct ptx_pair *to,
		      const struct ptx_pair *from, bool checked);

/* Cast the value of step @step for element @j of the block to the dtype that
   accumulates. */
struct ptx_pair ptx_combine_cast(struct ptx *e, int step, int j);

/* Combine @value with accumulated value @at; with @checked, only if %q
   holds. */
void ptx_combine_value(struct ptx *e, int at, const struct ptx_pair *value,
		       bool checked);

/* Combine @n accumulated values, the first one at @at, with distance @apart
   between them.  The outcome is value @at. */
void ptx_combine_halves(struct ptx *e, int n, int apart, int at);

/* Combine values 0 of a team's items.  The outcome is value 0 of the team's
   first item. */
void ptx_combine_gather(struct ptx *e, int tree);

/* Give the outcome of ptx_combine_gather() to all items of the team. */
void ptx_combine_share(struct ptx *e);

/* Make accumulated value @at a result: divide and cast it.  Returns the
   result's registers.  A 16-bit float is as it is stored. */
struct ptx_pair ptx_combine_finish(struct ptx *e, int at);

#endif
