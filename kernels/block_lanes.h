/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_lanes.h - the lanes in which a reduction accumulates.
 *
 * Rows of elements are combined with a row of lanes.  The lanes of a sum are
 * added to the totals after BLOCK_FOLD_ROWS rows.
 */
#ifndef KERNELS_BLOCK_LANES_H
#define KERNELS_BLOCK_LANES_H

#include "kernels/block_program.h"

/* The lanes of a reduction.  The caller provides the memory of fold.lane,
   fold.total and fold.lost, with room for `width` elements each. */
struct block_lanes {
	const struct block_folding *how;
	struct block_fold fold;
	int64_t width; /* the number of lanes, in elements */
	int64_t rows;  /* the rows that the lanes hold since they were empty */
	int shift;     /* the logarithm of the size of an element */
};

/* The width of a row of lanes when results are reduced one after the other.
   Each neighbour gets the same number of lanes. */
int64_t block_lanes_width(const struct block_folding *how);

/* Begin with @width empty lanes. */
void block_lanes_begin(struct block_lanes *l, int64_t width);

/* The number of rows that may be added before lanes must be emptied. */
int64_t block_lanes_left(const struct block_lanes *l);

/* Combine @rows rows with the lanes.  A row has @width elements, and rows are
   @stride elements apart. */
void block_lanes_add(struct block_lanes *l, const void *from, int64_t width,
		     int64_t rows, int64_t stride);

/* Combine the next @n elements, which are contiguous, with the lanes.  @n is
   whole rows, except at the end.  @with: NULL, or the other operand of
   how->of. */
void block_lanes_take(struct block_lanes *l, const void *from, const void *with,
		      int64_t n);

/* Write the accumulated values of @n results to @to. */
void block_lanes_end(struct block_lanes *l, void *to, int64_t n);

/* Reduce each of @rows rows by itself, as if each were reduced alone.  A row
   has @length elements, at most BLOCK_FOLD_ROWS * BLOCK_LANES, and rows are
   @stride elements apart.  Only for real numbers. */
void block_lanes_short(struct block_lanes *l, const void *from,
		       const void *with, int64_t length, int64_t rows,
		       int64_t stride, void *to);

/* Write the terms of a sum for @n elements @from and @with: the products or
   squared differences. */
void block_lanes_elements(struct block_lanes *l, const void *from,
			  const void *with, int64_t n, void *to);

#endif
