/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_rows.h - programs that compute rows, with reductions of the rows in
 * between (SCHEDULE_STAGES of core/array/engine/schedule.h).
 *
 * Such a program has sections, which are separated by BLOCK_NEXT.  The first,
 * third, and so on compute with one value for each row.  The second, fourth,
 * and so on go over the rows of a work-item in blocks of up to `run` elements,
 * and end with the values of their reductions.  Elements that a later section
 * needs are in registers with room for whole rows.
 */
#ifndef KERNELS_BLOCK_ROWS_H
#define KERNELS_BLOCK_ROWS_H

#include "kernels/block_program.h"

#define BLOCK_ROWS_LINE 32  /* shorter rows are reduced in columns */
#define BLOCK_ROWS_FOLDS 8  /* the most reductions of a program */
#define BLOCK_ROWS_MOST 128 /* the most rows of a work-item */
/* The most bytes of all registers with room for whole rows. */
#define BLOCK_ROWS_WHOLE (512 << 10)
#define BLOCK_ROWS_VALUE 16 /* the bytes of the largest element */
/*
 * A flag for blocks of one row.  As `unit` of a BLOCK_SPREAD: the step is not
 * needed, because its readers can read one unit of x[0] instead.  As `code` of
 * a BLOCK_REDUCE: the other operand is then slot x[2].
 */
#define BLOCK_ROWS_ONE 1

/* How a launch is cut into work-items.  Each takes `rows` rows that follow each
   other along axis 0, or the rows that are left there.  There are several rows
   only if they fit into a block. */
struct block_rows {
	int64_t length, rows;
	int64_t across; /* the number of work-items along axis 0 */
	int64_t items;
	const int64_t *step; /* the step of each operand along a row */
	int columns;         /* rows are reduced in columns */
	int64_t room; /* the elements of a register with room for whole rows */
	/* lanes: the bytes of the lanes of one reduction.  bytes: the size of
	   all memory, except of the registers without room for whole rows. */
	size_t lanes, bytes;
};

/* The bytes of register @i, which has room for whole rows. */
static inline size_t block_rows_register(const struct block_code *code, int i,
					 int64_t room)
{
	return ((size_t)room << block_registers(code)[i]) + 2 * BLOCK_LINE;
}

/* The longest row that a program may have.  The registers for whole rows must
   have room for its elements. */
static inline int64_t block_rows_longest(const struct block_code *code)
{
	int64_t size = 0;

	for (int i = code->registers - code->whole; i < code->registers; i++)
		size += (int64_t)1 << block_registers(code)[i];
	return size ? BLOCK_ROWS_WHOLE / size / BLOCK_UNIT * BLOCK_UNIT
		    : INT64_MAX;
}

static inline struct block_rows block_rows(const struct block_code *code)
{
	const struct block_words words = block_words(code);
	const int64_t extent = (int64_t)words.extent[0];
	const int64_t longest = block_rows_longest(code);
	const int64_t run = code->run < longest ? code->run : longest;
	struct block_rows rows = { .rows = 1 };

	rows.step = words.stride + (size_t)code->rank * code->operands;
	rows.length = rows.step[code->operands];
	rows.columns = words.count > 1 && rows.length < BLOCK_ROWS_LINE;
	if (rows.length <= run / 2)
		rows.rows = (int64_t)block_short_rows((uint64_t)run,
						      (uint64_t)rows.length);
	if (rows.rows > BLOCK_ROWS_MOST)
		rows.rows = BLOCK_ROWS_MOST;
	if (rows.rows > extent)
		rows.rows = extent;
	rows.across = (extent + rows.rows - 1) / rows.rows;
	rows.items = (int64_t)words.count / extent * rows.across;
	rows.room = (rows.rows * rows.length + BLOCK_UNIT - 1) / BLOCK_UNIT *
		    BLOCK_UNIT;
	rows.lanes = rows.columns ? (size_t)rows.rows * BLOCK_ROWS_VALUE
				  : BLOCK_LANES * sizeof(uint64_t);
	rows.lanes = (rows.lanes + BLOCK_LINE - 1) / BLOCK_LINE * BLOCK_LINE;
	rows.bytes = 3 * rows.lanes * code->folds;
	/* The accumulated values, and elements in columns. */
	rows.bytes += BLOCK_ROWS_MOST * BLOCK_ROWS_VALUE;
	rows.bytes += rows.columns ? (size_t)rows.room * BLOCK_ROWS_VALUE : 0;
	for (int i = code->registers - code->whole; i < code->registers; i++)
		rows.bytes += block_rows_register(code, i, rows.room);
	return rows;
}

/* Whether a launch needs at most BLOCK_LITTLE bytes. */
static inline int block_rows_needs_little(const struct block_code *code,
					  const struct block_rows *rows)
{
	return code->arena * (size_t)BLOCK_LINE + rows->bytes <= BLOCK_LITTLE;
}

/* Run the work-items of a group.  args[@n] is the program. */
void block_rows_group(const void *const *args, int n, uint64_t items,
		      uint64_t group);

#endif
