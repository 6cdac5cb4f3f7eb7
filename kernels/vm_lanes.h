/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_lanes.h - the lanes in which a reduction accumulates.
 *
 * Rows of elements are combined with a row of lanes, see VM_REDUCE_CODE().  The
 * lanes of a sum are added to the totals after VM_REDUCE_ROWS rows.
 */
#ifndef KERNELS_VM_LANES_H
#define KERNELS_VM_LANES_H

#include "kernels/vm_program.h"

/* The lanes of a reduction.  The caller provides the memory of reduce.lane,
   reduce.total and reduce.lost, with room for `width` elements each. */
struct vm_lanes {
	const struct vm_reducing *how;
	struct vm_reduce reduce;
	int64_t width; /* the number of lanes, in elements */
	/* the number of rows since the lanes were set or emptied */
	int64_t rows;
	int shift; /* the logarithm of the size of an element */
};

/* The width of a row of lanes if elements come result by result.  Each of the
   how->near results that are reduced together gets the same number of lanes. */
int64_t vm_lanes_width(const struct vm_reducing *how);

/* Begin with @width empty lanes. */
void vm_lanes_begin(struct vm_lanes *l, int64_t width);

/* The number of rows that may be added before lanes must be emptied. */
int64_t vm_lanes_left(const struct vm_lanes *l);

/* Combine @rows rows with the lanes.  A row has @width elements, and rows are
   @stride elements apart. */
void vm_lanes_add(struct vm_lanes *l, const void *from, int64_t width,
		  int64_t rows, int64_t stride);

/* Combine the next @n elements, which are contiguous, with the lanes.  @n must
   be a multiple of the width, except at the end.  @with has the values y of the
   terms (see how->of), or is NULL if the terms have no y. */
void vm_lanes_take(struct vm_lanes *l, const void *from, const void *with,
		   int64_t n);

/* Write the accumulated values of @n results to @to. */
void vm_lanes_end(struct vm_lanes *l, void *to, int64_t n);

/* Reduce each of @rows rows by itself, as if each were reduced alone.  A row
   has @length elements, at most VM_REDUCE_ROWS * VM_LANES, and rows are
   @stride elements apart.  Only for real numbers. */
void vm_lanes_short(struct vm_lanes *l, const void *from, const void *with,
		    int64_t length, int64_t rows, int64_t stride, void *to);

/* Write the terms of a sum for @n elements @from and @with: the products or
   squared differences. */
void vm_lanes_elements(struct vm_lanes *l, const void *from, const void *with,
		       int64_t n, void *to);

#endif
