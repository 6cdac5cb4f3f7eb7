/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - functions that go over a block of elements, as native code.
 *
 * A block is up to BLOCK_LONG elements, which stay in the first-level cache.
 * For each operation and dtype there is a function (block.cl).  A program
 * (block_program.h) says which functions to call, in which order.
 *
 * A function is called with a whole number of units.  Where a block ends within
 * a unit, its last element is repeated up to the unit's end.
 */
#ifndef KERNELS_BLOCK_H
#define KERNELS_BLOCK_H

#include <stdint.h>

#define BLOCK_LONG 1024 /* the most elements of a block, */
#define BLOCK_RUN 256   /* and where operands are in memory */
#define BLOCK_UNIT 32

/*
 * Compute @units units of elements.  @out may be one of the operands, if its
 * elements have the same size.  The operands are as arrays store them; 16-bit
 * floats are known to casts and moves alone.
 */
typedef void block_function(unsigned code, int units, void *out, const void *x,
			    const void *y, const void *z);

/* Which function: these, and the dtype, or the logarithm of the size of an
   element. */
enum {
	BLOCK_OPERATION = 0, /* code: the number in the table of operations, or
				a pair of them */
	BLOCK_MATH = 16,     /* the same, of the family math */
	BLOCK_CAST = 32,     /* code: the result's dtype, */
	BLOCK_CAST64 = 48,   /* which has doubles */
	BLOCK_MOVE = 64,     /* code: below */
	BLOCK_UNITS = BLOCK_MOVE + 5
};
enum { BLOCK_COPY, BLOCK_WHERE };
#define BLOCK_CODE 0xffu

/* Added to the code of a BLOCK_OPERATION of two operands that has no fast path:
   one of them is a single element. */
#define BLOCK_ONE_X 0x100u
#define BLOCK_ONE_Y 0x200u

/*
 * Pairs, of float32 and float64.  The first step makes v, which is x + y, x - y
 * or x * y; the second one makes v + z, v - z, z - v, v * z, v / z, z / v or
 * sqrt(v).  The last three are a sum or a difference and its square root.  Each
 * step is rounded.
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

/* The pair of BLOCK_MATH: e to the power of x - y. */
#define BLOCK_EXP_DIFFERENCE BLOCK_PAIR_CODES

/* The extent of a tile of kernels/turn.cl: a row of it is whole cache lines,
   and it fits into a core's first-level cache. */
#define BLOCK_TURNED(shift) ((shift) == 0 ? 128 : (shift) <= 2 ? 64 : 32)

/*
 * A copy of n[1] rows of n[0] elements; the steps between elements and between
 * rows are in elements.
 */
struct block_move {
	void *to;
	const void *from;
	int64_t n[2], to_step[2], from_step[2];
	/* Of a box of a program that copies.  past_caches: what is stored is
	   not read soon.  turned: the source is contiguous along axis 1, the
	   result along axis 0, and the box is a tile of kernels/turn.cl at
	   most; next: and most likely the next one along axis 0 follows. */
	int past_caches, turned, next;
};
typedef void block_mover(const struct block_move *move);

/* A reduction combines rows of elements with a row of lanes: element j with
   lane j. */
enum { BLOCK_SUM, BLOCK_MIN, BLOCK_MAX, BLOCK_ANY, BLOCK_ALL };
enum {
	BLOCK_FOLD_FIRST, /* begin with nothing in `width` lanes */
	BLOCK_FOLD_ADD,   /* add `rows` of `width` elements */
	BLOCK_FOLD_EMPTY, /* SUM: move what the lanes have to the totals; at
			     least once in BLOCK_FOLD_ROWS rows */
	BLOCK_FOLD_END,   /* combine lanes that are `keep` apart, and write the
			     first so many */
	BLOCK_FOLD_SHORT, /* each of `rows` is reduced by itself: of up to
			     BLOCK_FOLD_ROWS * BLOCK_LANES elements */
	BLOCK_FOLD_ELEMENTS, /* SUM of products or squares: write what is summed
				of `width` elements */
	BLOCK_FOLD_STEPS
};
#define BLOCK_FOLD(what, step) ((what)*BLOCK_FOLD_STEPS + (step))
#define BLOCK_LANES 32
#define BLOCK_FOLD_ROWS 128

/* What a sum of float32 or float64 adds: elements x, x * y, or (x - y)
   squared.  Each operation is rounded. */
enum { BLOCK_ELEMENTS, BLOCK_PRODUCTS, BLOCK_SQUARES };

struct block_fold {
	unsigned code;                     /* BLOCK_FOLD() */
	int64_t width, rows, stride, keep; /* stride: of elements to the next
					      row */
	int has_totals;                    /* SUM: lanes were emptied before */
	int of;                            /* BLOCK_ELEMENTS, ... */
	const void *from, *with; /* x, and y, or x again if `of` has no y */
	/* Of SUM, `total` and `lost` have what was accumulated.  Their type
	   and that of `to` is what the reduction accumulates. */
	void *lane, *total, *lost, *to;
};
typedef void block_folder(const struct block_fold *fold);

#endif
