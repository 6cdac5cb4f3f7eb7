/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_reduce_load.h - the state of a work-group that reduces (vm_reduce.c), and
 * how the group loads operands.
 */
#ifndef DPR_VM_REDUCE_LOAD_H
#define DPR_VM_REDUCE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/vm_lanes.h"
#include "kernels/vm_program.h"

#define VM_REDUCE_SLOTS 256

struct vm_reduce_operand {
	unsigned char *base;   /* the allocation */
	unsigned char *buffer; /* the register of the operand */
	int64_t at;            /* the position of the team's first element */
	/* The axes over which a team goes, the innermost first: their number,
	   extents and steps.  Neighbouring axes are merged if the strides of
	   this operand allow this. */
	int axes;
	int64_t extent[VM_REDUCE_RANK + 1], step[VM_REDUCE_RANK + 1];
	/* the address of the element whose copies fill the register, or NULL */
	const unsigned char *kept;
};

/* The state of a work-group that runs. */
struct vm_reduce_work {
	const struct vm_code *code;
	const struct vm_operand *kind;
	const struct vm_step *step;
	struct vm_words words;
	struct vm_reduce_words sizes;
	/* is_plain: set if the program only loads an input and reduces it.
	   is_short: set if is_plain is set, and vm_lanes_short() can reduce the
	   rows. */
	bool is_plain, is_short;
	/* set if each block is prefetched while the program computes the block
	   before: processors prefetch less between two reads of memory */
	bool fetches;
	/* the most rows of a block; 0: a block has a row, or a part of a row */
	int64_t together;
	/* the number of kept axes, which are the inner ones */
	int kept;
	/* the index of the team's first result, for each axis */
	uint64_t column[VM_REDUCE_RANK];
	int64_t number; /* the number of the team's next element or row */
	/* Results wait to be stored.  first: the number of the first waiting
	   result.  waiting: the number of waiting results.  room: the most. */
	int64_t first, waiting, room;
	struct vm_lanes lanes;
	struct vm_lanes_test test;
	/* For VM_ANY and VM_ALL.  A deciding element decides the result: a true
	   element for VM_ANY, a false element for VM_ALL.  stops: set if a
	   deciding element may end the reduction.  open: the content of lanes
	   that have seen no deciding element.  decided: set if a lane has seen
	   a deciding element, or if a block has decided the result (is_first).
	   */
	uint64_t open;
	bool stops, decided;
	/* set if the reduction is the minimum of positions that increase.  Then
	   the first block that `test` does not leave out decides the result. */
	bool is_first;
	/* results: the waiting results.  stored: room for the same results as
	   16-bit floats. */
	unsigned char *results, *stored;
	unsigned char *slot[VM_REDUCE_SLOTS];
	struct vm_reduce_operand operand[VM_OPERANDS];
};

static inline int64_t vm_reduce_load_stride(const struct vm_reduce_work *w,
					    int axis, int k)
{
	return w->words.stride[axis * w->code->operands + k];
}

static inline int64_t vm_reduce_load_least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline unsigned char *vm_reduce_load_address(
	const struct vm_reduce_work *w, int k, int64_t at)
{
	unsigned char *base = w->operand[k].base;

	return base ? base + at * ((int64_t)1 << w->kind[k].shift) : NULL;
}

/* Returns the position in operand @k of the team's element or row with number
   @number.  Sets the index along each axis of the operand. */
int64_t vm_reduce_load_place(const struct vm_reduce_work *w, int k,
			     int64_t number, int64_t *index);

/* The number of elements (or rows) of operand @k, from number w->number on,
   that are @step elements apart in memory: at least 1, at most @n. */
int64_t vm_reduce_load_follow(const struct vm_reduce_work *w, int k, int64_t n,
			      int64_t step);

/* Let the slot of operand @k point to the next @n elements: in the operand's
   memory or, where needed, in the operand's register, to which they are copied.
   The register of a `kept` operand is filled with copies of a single element.
   */
void vm_reduce_load(struct vm_reduce_work *w, int k, int64_t n);

#endif
