/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - the functions of native code that work on a block of elements.
 *
 * A block has up to BLOCK_LONG elements, which stay in the first-level cache.
 * There is a function for each operation and dtype (block.cl).  A program
 * (block_program.h) lists the functions to call, in order.
 *
 * A function is called with a whole number of units.  If a block ends within a
 * unit, the last element is repeated up to the end of the unit.
 */
#ifndef KERNELS_BLOCK_H
#define KERNELS_BLOCK_H

#include <stdint.h>

#define BLOCK_LONG 1024 /* the most elements of a block */
/* the most elements of a block whose operands are in memory */
#define BLOCK_RUN 256
#define BLOCK_UNIT 32

/*
 * Compute @units units of elements.  @out may be one of the operands, if its
 * elements have the same size.  The operands are in the form in which arrays
 * store them.  Only casts and moves know 16-bit floats.
 */
typedef void block_function(unsigned code, int units, void *out, const void *x,
			    const void *y, const void *z);

/* The groups of functions.  The number of a function is the group plus the
   dtype, or for moves the group plus the logarithm of an element's size. */
enum {
	/* an operation: the code is the number in the table of operations, or a
	   pair of operations */
	BLOCK_OPERATION = 0,
	BLOCK_MATH = 16,   /* an operation of the family math */
	BLOCK_CAST = 32,   /* a cast: the code is the dtype of the result */
	BLOCK_CAST64 = 48, /* a cast to a dtype with doubles */
	BLOCK_MOVE = 64,   /* a move: the code is BLOCK_COPY or BLOCK_WHERE */
	BLOCK_UNITS = BLOCK_MOVE + 5
};
enum { BLOCK_COPY, BLOCK_WHERE };
#define BLOCK_CODE 0xffu

/* Added to the code of a BLOCK_OPERATION of two operands without a fast path:
   this operand is a single element. */
#define BLOCK_ONE_X 0x100u
#define BLOCK_ONE_Y 0x200u

/*
 * Pairs of operations on float32 and float64.  The first operation makes v,
 * which is x + y, x - y or x * y.  The second makes v + z, v - z, z - v, v * z,
 * v / z, z / v or sqrt(v).  The last three pairs combine the square root of a
 * sum or difference with z.  Each operation is rounded.
 */
enum { BLOCK_ADD, BLOCK_SUBTRACT, BLOCK_MULTIPLY };
enum {
	BLOCK_PLUS,
	BLOCK_MINUS,
	BLOCK_FROM,
	BLOCK_TIMES,
	BLOCK_OVER,
	BLOCK_UNDER,
	BLOCK_ROOT,
	BLOCK_ROOT_PLUS,
	BLOCK_ROOT_MINUS,
	BLOCK_ROOT_FROM,
	BLOCK_SECONDS
};
#define BLOCK_PAIR_CODES 128
#define BLOCK_PAIR(first, second) \
	(BLOCK_PAIR_CODES + (first)*BLOCK_SECONDS + (second))

/* The pair of BLOCK_MATH: exp(x - y). */
#define BLOCK_EXP_DIFFERENCE BLOCK_PAIR_CODES

/* The extent of a tile of kernels/turn.cl.  A row of the tile is whole cache
   lines, and the tile fits into a core's first-level cache. */
#define BLOCK_TURNED(shift) ((shift) == 0 ? 128 : (shift) <= 2 ? 64 : 32)

/*
 * A copy of n[1] rows of n[0] elements.  The steps between elements and between
 * rows are counted in elements.
 */
struct block_move {
	void *to;
	const void *from;
	int64_t n[2], to_step[2], from_step[2];
	/* For a box of a program that copies.  past_caches: the stores bypass
	   the caches, since the result is not read soon.  turned: the copy
	   transposes; the source is contiguous along axis 1 and the result
	   along axis 0, and the box is at most a tile of kernels/turn.cl.
	   next: the next box along axis 0 most likely follows. */
	int past_caches, turned, next;
};
typedef void block_mover(const struct block_move *move);

/* A reduction combines rows of elements with a row of lanes: element j is
   combined with lane j. */
enum { BLOCK_SUM, BLOCK_MIN, BLOCK_MAX, BLOCK_ANY, BLOCK_ALL };
enum {
	BLOCK_FOLD_FIRST, /* empty `width` lanes */
	/* combine `rows` rows of `width` elements with the lanes */
	BLOCK_FOLD_ADD,
	/* for SUM: add the lanes to the totals; needed at least once in
	   BLOCK_FOLD_ROWS rows */
	BLOCK_FOLD_EMPTY,
	/* combine lanes that are `keep` apart, and write the first `keep`
	   lanes */
	BLOCK_FOLD_END,
	/* reduce each of `rows` rows by itself; a row has at most
	   BLOCK_FOLD_ROWS * BLOCK_LANES elements */
	BLOCK_FOLD_SHORT,
	/* for SUM of products or squares: write the terms of `width`
	   elements */
	BLOCK_FOLD_ELEMENTS,
	BLOCK_FOLD_STEPS
};
#define BLOCK_FOLD(what, step) ((what)*BLOCK_FOLD_STEPS + (step))
#define BLOCK_LANES 32
#define BLOCK_FOLD_ROWS 128

/* The terms of a sum of float32 or float64: elements x, products x * y, or
   squares of x - y.  Each operation is rounded. */
enum { BLOCK_ELEMENTS, BLOCK_PRODUCTS, BLOCK_SQUARES };

struct block_fold {
	unsigned code; /* made by BLOCK_FOLD() */
	/* `stride` is the number of elements from row to row */
	int64_t width, rows, stride, keep;
	int has_totals; /* for SUM: the lanes were added to the totals before */
	int of;         /* BLOCK_ELEMENTS, BLOCK_PRODUCTS or BLOCK_SQUARES */
	/* x and y; the second is x again if the terms have no y */
	const void *from, *with;
	int with_stays; /* all y are equal: read only the first BLOCK_LANES */
	/* `total` and `lost` hold the totals of SUM.  They and `to` have the
	   type in which the reduction accumulates. */
	void *lane, *total, *lost, *to;
};
typedef void block_folder(const struct block_fold *fold);

#endif
