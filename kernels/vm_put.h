/* SPDX-License-Identifier: Apache-2.0 */
/* vm_put.h - stores the elements of a block at places that another array
   gives. */
#ifndef KERNELS_VM_PUT_H
#define KERNELS_VM_PUT_H

#include "kernels/vm_program.h"

/* A block, and the operand in which a VM_PUT stores it. */
struct vm_put {
	const struct vm_code *code;
	const struct vm_words *words;
	int k; /* the number of the operand */
	/* the index of the block's first row; axis 0 is not used */
	const uint64_t *index;
	/* base: the allocation of the operand.  first: the place of the block's
	   first element. */
	unsigned char *base, *first;
	/* row: the position of the first element of the block's first row, for
	   a block of several rows.  step: the step between the places of
	   elements along axis 0. */
	int64_t row, step;
	int64_t n, rows; /* the number of elements, and of rows, in the block */
	const void *block;
	/* For each element: the distance from its place to where it is stored,
	   in elements.  An element with a negative number is not stored.
	   single: set if the first number is for all elements. */
	const int64_t *at;
	int single;
};

void vm_put(const struct vm_put *put);

#endif
