/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm.h - native code: the functions that compute one operation for a block of
 * elements.
 *
 * A block has up to VM_LONG elements, so that its values stay in the CPU's
 * first-level cache.  There is a function for each operation and dtype (vm.cl).
 * A program (vm_program.h) lists the functions to call, in order.
 *
 * A unit is VM_UNIT elements.  A function is called with a whole number of
 * units.  If a block ends within a unit, the last element is repeated up to the
 * end of the unit.
 */
#ifndef KERNELS_VM_H
#define KERNELS_VM_H

#include <stdint.h>

#define VM_LONG 1024 /* the most elements of a block */
/* the most elements of a block whose operands come from memory, not from the
   CPU's caches */
#define VM_RUN 256
#define VM_UNIT 32

/*
 * Compute @units units of elements.  @code says what the function computes: see
 * the groups of functions below.  @out may be one of the operands, if its
 * elements have the same size.  The operands have the types in which arrays
 * store them.  Only casts and moves take 16-bit floats.
 */
typedef void vm_function(unsigned code, int units, void *out, const void *x,
			 const void *y, const void *z);

/* The groups of functions.  The number of a function is its group plus the
   dtype.  For a move it is VM_MOVE plus the binary logarithm of an element's
   size. */
enum {
	/* an operation; the code is its number in kernels/operations.def, or a
	   VM_PAIR() */
	VM_OPERATION = 0,
	/* an operation of the family math; the code is as for VM_OPERATION */
	VM_MATH = 16,
	VM_CAST = 32,   /* a cast; the code is the dtype of the result */
	VM_CAST64 = 48, /* a cast to a dtype with doubles */
	VM_MOVE = 64,   /* a move; the code is VM_COPY, VM_WHERE or VM_GATHER */
	VM_UNITS = VM_MOVE + 5
};
/* VM_GATHER: element x[i] of y, for each i.  x has int64_t, and y is an array
   of any length. */
enum { VM_COPY, VM_WHERE, VM_GATHER };
#define VM_CODE 0xffu

/* Flags in the code of a VM_OPERATION that has two operands and no fast path.
   VM_ONE_X: x points to a single element.  VM_ONE_Y: y points to a single
   element.  The function uses this element with every element of the other
   operand. */
#define VM_ONE_X 0x100u
#define VM_ONE_Y 0x200u

/*
 * A pair is a function that computes two operations on float32 or float64.  The
 * first operation computes v, which is x + y, x - y or x * y.  The second
 * computes v + z, v - z, z - v, v * z, v / z, z / v or sqrt(v).  VM_ROOT_PLUS,
 * VM_ROOT_MINUS and VM_ROOT_FROM compute three operations: sqrt(v + z), sqrt(v
 * - z) or sqrt(z - v).  Each operation is rounded.
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

/* A copy that transposes goes from tile to tile.  This is the number of
   elements along each side of a tile; @shift is the binary logarithm of the
   size of an element.  A row of the tile is whole cache lines, and the tile
   fits into a core's first-level cache. */
#define VM_TRANSPOSED(shift) ((shift) == 0 ? 128 : (shift) <= 2 ? 64 : 32)

/*
 * A copy of n[1] rows of n[0] elements.  to_step[0] and from_step[0] are the
 * distances between elements of a row, to_step[1] and from_step[1] the
 * distances between rows.  All are counted in elements.
 */
struct vm_move {
	void *to;
	const void *from;
	int64_t n[2], to_step[2], from_step[2];
	/* Set only in programs that copy, for a box (struct vm_boxes).
	   past_caches: the stores bypass the caches, since the result is not
	   read soon.  transposed: the copy transposes a box of at most
	   VM_TRANSPOSED() elements each way; the source is contiguous along
	   axis 1, the result along axis 0.  next: the next box along axis 0 is
	   most likely copied afterwards, so this copy prefetches that box. */
	int past_caches, transposed, next;
};
typedef void vm_mover(const struct vm_move *move);

/* A reduction has a row of lanes.  A lane is an accumulator: element j of each
   row of elements is combined with lane j. */
enum { VM_SUM, VM_MIN, VM_MAX, VM_ANY, VM_ALL, VM_PROD };
enum {
	/* set `width` lanes to the value with which the reduction begins, such
	   as 0 for a sum */
	VM_REDUCE_FIRST,
	/* combine `rows` rows of `width` elements with the lanes */
	VM_REDUCE_ADD,
	/* for VM_SUM: add each lane to its total, and set the lanes to 0; the
	   caller must do this after at most VM_REDUCE_ROWS rows */
	VM_REDUCE_EMPTY,
	/* combine the lanes of each result, and write the results; there are
	   `keep` results, and result r has lane r, lane r + `keep`, and so on
	   */
	VM_REDUCE_END,
	/* reduce each of `rows` rows to a result; a row has at most
	   VM_REDUCE_ROWS * VM_LANES elements */
	VM_REDUCE_SHORT,
	/* for VM_SUM of products or squares: write the products or squares of
	   `width` elements to `to` */
	VM_REDUCE_ELEMENTS,
	VM_REDUCE_STEPS
};
#define VM_REDUCE_CODE(what, step) ((what)*VM_REDUCE_STEPS + (step))
#define VM_LANES 32
#define VM_REDUCE_ROWS 128

/* The terms that a sum of float32 or float64 adds: elements x, products x * y,
   or squares of x - y.  Each operation is rounded. */
enum { VM_ELEMENTS, VM_PRODUCTS, VM_SQUARES };

struct vm_reduce {
	unsigned code; /* made by VM_REDUCE_CODE() */
	/* A row has `width` elements, and rows are `stride` elements apart.
	   `keep` is for VM_REDUCE_END.  In sums and products of complex
	   numbers, `width`, `stride` and `keep` count real and imaginary
	   parts. */
	int64_t width, rows, stride, keep;
	int has_totals; /* VM_SUM: `total` and `lost` are set */
	int of;         /* VM_ELEMENTS, VM_PRODUCTS or VM_SQUARES */
	/* x and y of the terms; `with` is the same as `from` for VM_ELEMENTS */
	const void *from, *with;
	/* set if all y are equal; then only the first VM_LANES values y are
	   read */
	int with_stays;
	/* For VM_SUM: VM_REDUCE_EMPTY adds each lane to its element of `total`,
	   and the rounding error to its element of `lost`.  `to` gets the
	   results.  `total`, `lost` and `to` have the type in which the
	   reduction accumulates. */
	void *lane, *total, *lost, *to;
};
typedef void vm_reducer(const struct vm_reduce *reduce);

#endif
