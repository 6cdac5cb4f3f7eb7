/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_rows.h - programs that reduce rows and compute with the results
 * (SCHEDULE_STAGES of core/array/engine/schedule.h).
 *
 * A program that computes rows has sections, separated by VM_NEXT.  The first,
 * the third, and so on compute one value for each row.  The second, the fourth,
 * and so on go over the rows of a work-item in blocks of up to `run` elements
 * (struct vm_code).  After its last block, a section of this second kind has
 * the results of its reductions.  Elements that a later section needs are in
 * registers with room for whole rows.
 */
#ifndef KERNELS_VM_ROWS_H
#define KERNELS_VM_ROWS_H

#include "kernels/vm_program.h"

#define VM_ROWS_LINE 32      /* rows of fewer elements are transposed */
#define VM_ROWS_REDUCTIONS 8 /* the most reductions of a program */
#define VM_ROWS_MOST 128     /* the most rows of a work-item */
/* The most bytes that all registers with room for whole rows take together. */
#define VM_ROWS_WHOLE (512 << 10)
#define VM_ROWS_VALUE 16 /* the bytes of the largest element */
/*
 * A flag of a step, for blocks of one row; in other blocks the flag has no
 * effect.  As `unit` of a VM_SPREAD: the step is skipped, because all readers
 * of `out` can read one unit of x[0] instead.  As `code` of a VM_REDUCE: y is
 * in slot x[2], not in x[1].
 */
#define VM_ROWS_ONE 1

/* How a launch is cut into work-items.  A work-item takes `rows` rows that
   follow each other along axis 0; the last work-item along axis 0 takes the
   rows that are left.  A work-item takes several rows only if they fit into a
   block. */
struct vm_rows {
	int64_t length, rows;
	int64_t across; /* the number of work-items along axis 0 */
	int64_t items;
	/* for each operand: the distance between neighbours in a row */
	const int64_t *step;
	/* set if rows are transposed before they are reduced */
	int columns;
	/* the number of elements in a register with room for whole rows */
	int64_t room;
	/* lanes: the bytes of the lanes of one reduction.  bytes: the bytes of
	   all memory of a work-item, except registers without room for whole
	   rows. */
	size_t lanes, bytes;
};

/* The size in bytes of register @i, which has room for whole rows. */
static inline size_t vm_rows_register(const struct vm_code *code, int i,
				      int64_t room)
{
	return ((size_t)room << vm_registers(code)[i]) + 2 * VM_LINE;
}

/* The number of elements in the longest row that the program can compute.  The
   registers for whole rows must have room for this number of elements. */
static inline int64_t vm_rows_longest(const struct vm_code *code)
{
	int64_t size = 0;

	for (int i = code->registers - code->whole; i < code->registers; i++)
		size += (int64_t)1 << vm_registers(code)[i];
	return size ? VM_ROWS_WHOLE / size / VM_UNIT * VM_UNIT : INT64_MAX;
}

static inline struct vm_rows vm_rows(const struct vm_code *code)
{
	const struct vm_words words = vm_words(code);
	const int64_t extent = (int64_t)words.extent[0];
	const int64_t longest = vm_rows_longest(code);
	const int64_t run = code->run < longest ? code->run : longest;
	struct vm_rows rows = { .rows = 1 };

	rows.step = words.stride + (size_t)code->rank * code->operands;
	rows.length = rows.step[code->operands];
	rows.columns = words.count > 1 && rows.length < VM_ROWS_LINE;
	if (rows.length <= run / 2)
		rows.rows = (int64_t)vm_short_rows((uint64_t)run,
						   (uint64_t)rows.length);
	if (rows.rows > VM_ROWS_MOST)
		rows.rows = VM_ROWS_MOST;
	if (rows.rows > extent)
		rows.rows = extent;
	rows.across = (extent + rows.rows - 1) / rows.rows;
	rows.items = (int64_t)words.count / extent * rows.across;
	rows.room = (rows.rows * rows.length + VM_UNIT - 1) / VM_UNIT * VM_UNIT;
	rows.lanes = rows.columns ? (size_t)rows.rows * VM_ROWS_VALUE
				  : VM_LANES * sizeof(uint64_t);
	rows.lanes = (rows.lanes + VM_LINE - 1) / VM_LINE * VM_LINE;
	rows.bytes = 3 * rows.lanes * code->reductions;
	/* The reduced value of each row, and room for transposed elements. */
	rows.bytes += VM_ROWS_MOST * VM_ROWS_VALUE;
	rows.bytes += rows.columns ? (size_t)rows.room * VM_ROWS_VALUE : 0;
	for (int i = code->registers - code->whole; i < code->registers; i++)
		rows.bytes += vm_rows_register(code, i, rows.room);
	return rows;
}

/* Whether a launch needs at most VM_LITTLE bytes. */
static inline int vm_rows_needs_little(const struct vm_code *code,
				       const struct vm_rows *rows)
{
	return code->arena * (size_t)VM_LINE + rows->bytes <= VM_LITTLE;
}

/* Run the work-items of work-group @group; the group has @items work-items.
   args[@n] is the program.  The arguments before it point to the pointers of
   the operands. */
void vm_rows_group(const void *const *args, int n, uint64_t items,
		   uint64_t group);

#endif
