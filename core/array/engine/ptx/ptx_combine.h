/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_combine.h - how kernels in PTX combine values when they reduce.
 *
 * Each work-item combines elements with accumulated values: %z0e5 is part 0 of
 * accumulated value 5.  In the end the accumulated values of a work-item are
 * combined, and then those of a team of work-items.  The schedule gives the
 * reduction, its dtype, and the number of accumulated values of a work-item.
 */
#ifndef ARRAY_PTX_COMBINE_H
#define ARRAY_PTX_COMBINE_H

#include "core/array/engine/ptx/ptx.h"

/* The registers of the parts of a value. */
struct ptx_pair {
	struct ptx_register part[2];
};

/* The registers of value @at of a kind.  @name is the kind: an accumulated
   value (z), a cast value (m), a combined value (x), a value from another
   work-item (y), a moved value (w), or a result (o). */
struct ptx_pair ptx_combine_pair(char name, int at);

/* The number of work-items in a team. */
int ptx_combine_team(const struct ptx *e);

/* The dtype of the result. */
unsigned ptx_combine_result(const struct ptx *e);

/* Declare the registers of all these values.  ptx_combine_tree() declares the
   local memory through which the items of a large team exchange values; @tree
   numbers the reductions of a kernel. */
void ptx_combine_registers(struct ptx *e);
void ptx_combine_tree(struct ptx *e, int tree);

/* Set all accumulated values to the value with which the reduction begins, such
   as 0 for a sum. */
void ptx_combine_first(struct ptx *e);

/* Copy value @from to @to.  If @checked is set, the kernel does so only if %q
   holds. */
void ptx_combine_copy(struct ptx *e, const struct ptx_pair *to,
		      const struct ptx_pair *from, bool checked);

/* Cast the value of step @step for element @j of the block to the dtype in
   which the reduction accumulates.  Returns its registers. */
struct ptx_pair ptx_combine_cast(struct ptx *e, int step, int j);

/* Combine @value with accumulated value @at.  If @checked is set, the kernel
   does so only if %q holds. */
void ptx_combine_value(struct ptx *e, int at, const struct ptx_pair *value,
		       bool checked);

/* Combine @n accumulated values: @at, @at + @apart, @at + 2 * @apart and so on.
   The outcome is accumulated value @at. */
void ptx_combine_halves(struct ptx *e, int n, int apart, int at);

/* Combine accumulated value 0 of all items of a team.  The outcome is value 0
   of the team's first item. */
void ptx_combine_gather(struct ptx *e, int tree);

/* Give the outcome of ptx_combine_gather() to all items of the team. */
void ptx_combine_share(struct ptx *e);

/* Make a result of accumulated value @at: divide it, if the reduction is like a
   mean, and cast it.  Returns the registers of the result, which is in its
   stored form. */
struct ptx_pair ptx_combine_finish(struct ptx *e, int at);

#endif
