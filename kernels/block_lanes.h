/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_lanes.h - lanes, with which the elements of a reduction are combined.
 *
 * Rows of elements are combined with a row of lanes.  Those of a sum are
 * emptied after BLOCK_FOLD_ROWS rows.
 */
#ifndef KERNELS_BLOCK_LANES_H
#define KERNELS_BLOCK_LANES_H

#include "kernels/block_program.h"

/* The memory of fold.lane, fold.total and fold.lost is the caller's, and has
   room for `width` elements. */
struct block_lanes {
	const struct block_folding *how;
	struct block_fold fold;
	int64_t width; /* elements */
	int64_t rows;  /* that lanes have taken since they were empty */
	int shift;     /* the logarithm of the size of an element */
};

/* The elements of a row of lanes of a reduction of one result after the other:
   whole lanes for each neighbour. */
int64_t block_lanes_width(const struct block_folding *how);

/* Begin with nothing in @width lanes. */
void block_lanes_begin(struct block_lanes *l, int64_t width);

/* How many rows may be added at a time. */
int64_t block_lanes_left(const struct block_lanes *l);

/* Combine @rows of @width elements, @stride apart. */
void block_lanes_add(struct block_lanes *l, const void *from, int64_t width,
		     int64_t rows, int64_t stride);

/* Combine the next @n elements, which follow each other: whole rows, but at the
   end.  @with: NULL, or the other operand of how->of. */
void block_lanes_take(struct block_lanes *l, const void *from, const void *with,
		      int64_t n);

/* Write what was accumulated of @n results. */
void block_lanes_end(struct block_lanes *l, void *to, int64_t n);

/* Accumulate each of @rows of @length elements, @stride apart, for itself, as
   if it were taken alone: of real numbers, up to BLOCK_FOLD_ROWS * BLOCK_LANES
   of them. */
void block_lanes_short(struct block_lanes *l, const void *from,
		       const void *with, int64_t length, int64_t rows,
		       int64_t stride, void *to);

/* Write what is summed of the next @n elements @from and @with. */
void block_lanes_elements(struct block_lanes *l, const void *from,
			  const void *with, int64_t n, void *to);

#endif
