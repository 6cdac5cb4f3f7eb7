/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_combine.h - writes the code that combines values in reductions, in PTX.
 *
 * An accumulator is a value with which a work-item combines one element after
 * another.  Its registers are %z0e5, for part 0 of accumulator 5.  In the end a
 * work-item combines its accumulators into accumulator 0.  Then a team combines
 * accumulator 0 of all its work-items.  The schedule gives the reduction, the
 * dtype in which values are accumulated, and the number of accumulators.
 */
#ifndef ARRAY_PTX_COMBINE_H
#define ARRAY_PTX_COMBINE_H

#include "core/array/engine/ptx/ptx.h"

/* The registers of a value: its only part, or its real and imaginary part. */
struct ptx_pair {
	struct ptx_register part[2];
};

/* The registers of value number @at.  @name is the kind of value.  z: an
   accumulator.  m: a value cast to the dtype of accumulators.  x: the outcome
   of a combination.  y: a value from another work-item.  w: a value that is
   moved.  o: a result. */
struct ptx_pair ptx_combine_pair(char name, int at);

/* The number of work-items in a team. */
int ptx_combine_team(const struct ptx *e);

/* The dtype of the results that the kernel stores. */
unsigned ptx_combine_result(const struct ptx *e);

/* ptx_combine_registers(): declare the registers of all kinds of
   ptx_combine_pair().  ptx_combine_tree(): declare the local memory in which
   the work-items of a team exchange values, if the team is larger than a warp.
   @tree is the number of the reduction in the kernel. */
void ptx_combine_registers(struct ptx *e);
void ptx_combine_tree(struct ptx *e, int tree);

/* Write code that sets all accumulators to the value with which the reduction
   begins, such as 0 for a sum. */
void ptx_combine_first(struct ptx *e);

/* Write code that copies value @from to @to.  Pass @checked = true if the
   kernel must do so only if predicate %q holds. */
void ptx_combine_copy(struct ptx *e, const struct ptx_pair *to,
		      const struct ptx_pair *from, bool checked);

/* Write a cast of the value of step @step, for element @j of the block, to the
   dtype in which the reduction accumulates.  Returns the registers of the cast
   value. */
struct ptx_pair ptx_combine_cast(struct ptx *e, int step, int j);

/* Write code that combines @value with accumulator @at.  Pass @checked = true
   if the kernel must do so only if predicate %q holds. */
void ptx_combine_value(struct ptx *e, int at, const struct ptx_pair *value,
		       bool checked);

/* Write code that combines @n accumulators in a binary tree: @at, @at + @apart,
   @at + 2 * @apart and so on.  @n is a power of two.  The outcome is in
   accumulator @at. */
void ptx_combine_halves(struct ptx *e, int n, int apart, int at);

/* Write code that combines accumulator 0 of all work-items of a team.  The
   outcome is in accumulator 0 of the team's first work-item.  @tree is the
   number of the reduction in the kernel. */
void ptx_combine_gather(struct ptx *e, int tree);

/* Write code that copies the outcome of ptx_combine_gather() to accumulator 0
   of all work-items of the team. */
void ptx_combine_share(struct ptx *e);

/* Write code that makes a result of accumulator @at.  If the reduction is a
   mean, the sum is divided.  Then the value is cast to the dtype of the
   results.  Returns the registers of the result, which have the bits to store.
   */
struct ptx_pair ptx_combine_finish(struct ptx *e, int at);

#endif
