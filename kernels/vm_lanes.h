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

#include <stdbool.h>

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
	/* the first bytes of the lanes when the reduction began */
	unsigned char first[8];
};

/* The number of lanes for a reduction that takes the elements of how->near
   results together.  Each of these results gets the same number of lanes. */
int64_t vm_lanes_width(const struct vm_reducing *how);

/* Begin a reduction: set @width lanes to the first value of the reduction, such
   as 0 for a sum. */
void vm_lanes_begin(struct vm_lanes *l, int64_t width);

/* For a sum: the number of rows that may be combined before vm_lanes_add() or
   vm_lanes_take() has to add the lanes to the totals.  For other reductions:
   VM_REDUCE_ROWS. */
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

/* Reduce each of @rows rows to a result, as if each row were reduced alone.  A
   row has @length elements, at most VM_REDUCE_ROWS * VM_LANES, and rows are
   @stride elements apart.  The dtype must not be complex. */
void vm_lanes_short(struct vm_lanes *l, const void *from, const void *with,
		    int64_t length, int64_t rows, int64_t stride, void *to);

/*
 * Let a reduction be the minimum or maximum of where(c, x, number), and let the
 * lanes begin with the number.  Then a block can be left out if c is false for
 * all its elements.  If c is true for few elements, the reduction takes little
 * longer than the computation of c.
 *
 * at: the step before which vm_lanes_look() tests c; NULL if no block can be
 * left out.  condition, x, number: the slots of c, x and the number.
 */
struct vm_lanes_test {
	const struct vm_step *at;
	uint8_t condition, x, number;
};

/* Find the test for the steps from @first to @reduce, which is a VM_REDUCE. */
struct vm_lanes_test vm_lanes_test(const struct vm_code *code,
				   const struct vm_step *first,
				   const struct vm_step *reduce);

/* Whether @step writes something that later blocks, later sections or the
   result need. */
bool vm_lanes_keeps(const struct vm_code *code, const struct vm_step *step);

/* Test c of struct vm_lanes_test for the block of @n elements whose values are
   in @slot.  Call this after vm_lanes_begin().  VM_MISSED: the block can be
   left out.  VM_FOUND: the block is needed, because c is true for an element.
   VM_UNKNOWN: the block is needed, because lanes begin with another value. */
enum vm_look { VM_UNKNOWN, VM_MISSED, VM_FOUND };
enum vm_look vm_lanes_look(const struct vm_lanes *l,
			   const struct vm_lanes_test *test,
			   unsigned char *const *slot, int64_t n);

/* Write the terms of a sum to @to: the products x * y or the squares of x - y,
   for @n elements x at @from and y at @with. */
void vm_lanes_elements(struct vm_lanes *l, const void *from, const void *with,
		       int64_t n, void *to);

/* Divide @n sums by the number at @by.  All are floats or doubles of @size
   bytes. */
void vm_lanes_divide(void *sums, int64_t n, size_t size, const void *by);

#endif
