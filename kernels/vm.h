/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm.h - the functions of native code that work on a block of elements.
 *
 * A block has up to VM_LONG elements, which stay in the first-level cache.
 * There is a function for each operation and dtype (vm.cl).  A program
 * (vm_program.h) lists the functions to call, in order.
 *
 * A function is called with a whole number of units.  If a block ends within a
 * unit, the last element is repeated up to the end of the unit.
 */
#ifndef KERNELS_VM_H
#define KERNELS_VM_H

#include <stdint.h>

#define VM_LONG 1024 /* the most elements of a block */
/* the most elements of a block whose operands are in memory */
#define VM_RUN 256
#define VM_UNIT 32

/*
 * Compute @units units of elements.  @code says what the function computes, see
 * below.  @out may be one of the operands, if its elements have the same size.
 * The operands are in the form in which arrays store them.  Only casts and
 * moves take 16-bit floats.
 */
typedef void vm_function(unsigned code, int units, void *out, const void *x,
			 const void *y, const void *z);

/* The groups of functions.  The number of a function is the group plus the
   dtype, or for moves the group plus the logarithm of an element's size. */
enum {
	/* an operation, whose code is the number in the table of operations, or
	   a VM_PAIR() */
	VM_OPERATION = 0,
	VM_MATH = 16,   /* an operation of the family math; the same codes */
	VM_CAST = 32,   /* a cast; the code is the dtype of the result */
	VM_CAST64 = 48, /* a cast to a dtype with doubles */
	VM_MOVE = 64,   /* a move; the code is VM_COPY or VM_WHERE */
	VM_UNITS = VM_MOVE + 5
};
enum { VM_COPY, VM_WHERE };
#define VM_CODE 0xffu

/* Flags in the code of a VM_OPERATION with two operands and no fast path.  The
   operand x or y is a single element, which is used with every element of the
   other operand. */
#define VM_ONE_X 0x100u
#define VM_ONE_Y 0x200u

/*
 * Pairs of operations on float32 and float64.  The first operation makes v,
 * which is x + y, x - y or x * y.  The second makes v + z, v - z, z - v, v * z,
 * v / z, z / v or sqrt(v).  The last three are the square roots of v + z, v - z
 * and z - v.  Each operation is rounded.
 */
enum { VM_ADD, VM_SUBTRACT, VM_MULTIPLY };
enum {
	VM_PLUS,
	VM_MINUS,
	VM_FROM,
	VM_TIMES,
	VM_OVER,
	VM_UNDER,
	VM_ROOT,
	VM_ROOT_PLUS,
	VM_ROOT_MINUS,
	VM_ROOT_FROM,
	VM_SECONDS
};
#define VM_PAIR_CODES 128
#define VM_PAIR(first, second) (VM_PAIR_CODES + (first)*VM_SECONDS + (second))

/* The only pair of VM_MATH, which is exp(x - y). */
#define VM_EXP_DIFFERENCE VM_PAIR_CODES

/* The extent of a tile that is transposed at a time.  @shift is the logarithm
   of the size of an element.  A row of the tile is whole cache lines, and the
   tile fits into a core's first-level cache. */
#define VM_TRANSPOSED(shift) ((shift) == 0 ? 128 : (shift) <= 2 ? 64 : 32)

/*
 * A copy of n[1] rows of n[0] elements.  The steps between elements and between
 * rows are counted in elements.
 */
struct vm_move {
	void *to;
	const void *from;
	int64_t n[2], to_step[2], from_step[2];
	/* Set only for a box (struct vm_boxes) of a program that copies.
	   past_caches: the stores bypass the caches, since the result is not
	   read soon.  transposed: the copy transposes a box of at most
	   VM_TRANSPOSED() elements each way; the source is contiguous along
	   axis 1, the result along axis 0.  next: most likely the next box
	   along axis 0 is copied afterwards, so this copy prefetches it. */
	int past_caches, transposed, next;
};
typedef void vm_mover(const struct vm_move *move);

/* A lane is an accumulator.  A reduction combines rows of elements with a row
   of lanes, element j of each row with lane j. */
enum { VM_SUM, VM_MIN, VM_MAX, VM_ANY, VM_ALL, VM_PROD };
enum {
	/* set `width` lanes to the first value, such as 0 for a sum */
	VM_REDUCE_FIRST,
	/* combine `rows` rows of `width` elements with the lanes */
	VM_REDUCE_ADD,
	/* for SUM: add the lanes to the totals, and set the lanes to 0; needed
	   at least once in VM_REDUCE_ROWS rows */
	VM_REDUCE_EMPTY,
	/* combine lanes that are `keep` apart, and write the `keep` lanes that
	   are left */
	VM_REDUCE_END,
	/* reduce each of `rows` rows by itself; a row has at most
	   VM_REDUCE_ROWS * VM_LANES elements */
	VM_REDUCE_SHORT,
	/* for SUM of products or squares: write the terms of `width`
	   elements */
	VM_REDUCE_ELEMENTS,
	VM_REDUCE_STEPS
};
#define VM_REDUCE_CODE(what, step) ((what)*VM_REDUCE_STEPS + (step))
#define VM_LANES 32
#define VM_REDUCE_ROWS 128

/* The terms of a sum of float32 or float64: elements x, products x * y, or
   squares of x - y.  Each operation is rounded. */
enum { VM_ELEMENTS, VM_PRODUCTS, VM_SQUARES };

struct vm_reduce {
	unsigned code; /* made by VM_REDUCE_CODE() */
	/* `stride` is the number of elements from row to row */
	int64_t width, rows, stride, keep;
	int has_totals; /* for SUM: `total` and `lost` are set */
	int of;         /* VM_ELEMENTS, VM_PRODUCTS or VM_SQUARES */
	/* x and y of the terms; `with` is the same as `from` if they have no
	   y */
	const void *from, *with;
	/* all y are equal, so only the first VM_LANES are read */
	int with_stays;
	/* For SUM, `total` has the sum of what the lanes held before, and
	   `lost` the rounding errors of this sum.  `to` gets the results.  All
	   but `lane` have the type in which the reduction accumulates. */
	void *lane, *total, *lost, *to;
};
typedef void vm_reducer(const struct vm_reduce *reduce);

#endif
