/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_sum.h - what kernels in PTX accumulate while they reduce.
 *
 * %z0e5 is part 0 of the accumulated value 5.  The frame says which reduction
 * it is, in which dtype, and how many values a work-item accumulates.
 */
#ifndef ARRAY_PTX_SUM_H
#define ARRAY_PTX_SUM_H

#include "core/array/engine/ptx/ptx.h"

/* The registers of a value: its parts. */
struct ptx_pair {
	struct ptx_register part[2];
};

/* The registers of an accumulated value (z), of one that is on its way (m:
   cast, x: combined, y: from another item, w: moved), or of a result (o). */
struct ptx_pair ptx_sum_pair(char name, int at);

/* The work-items of a team. */
int ptx_sum_team(const struct ptx *e);

/* The dtype of the result. */
unsigned ptx_sum_result(const struct ptx *e);

/* Declare the registers; local memory for tree @tree. */
void ptx_sum_registers(struct ptx *e);
void ptx_sum_tree(struct ptx *e, int tree);

/* Let all accumulated values be the first one. */
void ptx_sum_first(struct ptx *e);

/* The value @to becomes @from, or with @checked only if %q holds. */
void ptx_sum_copy(struct ptx *e, const struct ptx_pair *to,
		  const struct ptx_pair *from, bool checked);

/* The value of step @step for element @j of the block in the dtype that
   accumulates. */
struct ptx_pair ptx_sum_cast(struct ptx *e, int step, int j);

/* Combine @value with accumulated value @at; with @checked if %q holds. */
void ptx_sum_combine(struct ptx *e, int at, const struct ptx_pair *value,
		     bool checked);

/* Combine @n accumulated values, @apart from each other, from @at on: that one
   then is all. */
void ptx_sum_halves(struct ptx *e, int n, int apart, int at);

/* Combine values 0 of a team; its first item then has that of all. */
void ptx_sum_gather(struct ptx *e, int tree);

/* Give that to all items of the team. */
void ptx_sum_share(struct ptx *e);

/* Make accumulated value @at a result: divide and cast it.  Returns where it
   is, a 16-bit float as it is stored. */
struct ptx_pair ptx_sum_finish(struct ptx *e, int at);

#endif
