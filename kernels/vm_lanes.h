/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_lanes.h - the lanes of a reduction.
 *
 * A lane is an accumulator (vm.h).  A reduction has a row of lanes.  It
 * combines element j of each row of elements with lane j.  In a sum the lanes
 * are added to totals after VM_REDUCE_ROWS rows.
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
	/* the number of rows combined since the lanes were last set to their
	   first value */
	int64_t rows;
	int shift; /* the binary logarithm of the size of an element */
};

/* The number of lanes for a reduction that takes the elements of how->near
   results together.  Each of these results gets the same number of lanes. */
int64_t vm_lanes_width(const struct vm_reducing *how);

/* Begin a reduction: set @width lanes to the first value of the reduction, such
   as 0 for a sum. */
void vm_lanes_begin(struct vm_lanes *l, int64_t width);

/* The number of rows that may be combined before vm_lanes_add() or
   vm_lanes_take() has to add the lanes to the totals. */
int64_t vm_lanes_left(const struct vm_lanes *l);

/* Combine @rows rows with the lanes.  A row has @width elements, and rows are
   @stride elements apart. */
void vm_lanes_add(struct vm_lanes *l, const void *from, int64_t width,
		  int64_t rows, int64_t stride);

/* Combine the next @n elements, which are contiguous, with the lanes.  @n must
   be a multiple of the width, except in the last call.  @with has the values y
   of the terms (VM_PRODUCTS, VM_SQUARES), or is NULL for VM_ELEMENTS. */
void vm_lanes_take(struct vm_lanes *l, const void *from, const void *with,
		   int64_t n);

/* Combine the lanes of each of @n results, and write the results to @to. */
void vm_lanes_end(struct vm_lanes *l, void *to, int64_t n);

/* Reduce each of @rows rows to a result, as if each were reduced alone.  A row
   has @length elements, at most VM_REDUCE_ROWS * VM_LANES, and rows are @stride
   elements apart.  Only for real numbers. */
void vm_lanes_short(struct vm_lanes *l, const void *from, const void *with,
		    int64_t length, int64_t rows, int64_t stride, void *to);

/* Write the terms of a sum for @n elements x at @from and y at @with: the
   products or the squares of the differences. */
void vm_lanes_elements(struct vm_lanes *l, const void *from, const void *with,
		       int64_t n, void *to);

#endif
