/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_chain.h - chains: several cheap operations of float32 or float64 in one
 * step.  Values between the operations stay in vector registers.
 *
 * A chain works on a stack of BLOCK_CHAIN_DEPTH places.  Each link of a chain
 * is one operation.  It works on the place number `depth` and perhaps the next
 * ones, and may read a slot.  All links run for one tile of a block, then for
 * the next tile.  Each operation is rounded as if it were a step of its own.
 */
#ifndef KERNELS_BLOCK_CHAIN_H
#define KERNELS_BLOCK_CHAIN_H

#include <stdbool.h>

#include "kernels/block_program.h"

#define BLOCK_CHAIN_DEPTH 3
#define BLOCK_CHAIN_LINKS 64 /* the most links of a chain */
#define BLOCK_CHAIN_TILE 128 /* the most elements of a tile */

/* clang-format off */
/* Operations of two operands, x and y, written with macros of block_chain.c.
   The first six give a mask: all bits of an element, or none.  Leaves may read
   both operands from slots. */
#define BLOCK_CHAIN_LEAVES(X) \
	X(LESS, CHAIN_MASK(CHAIN_IF(x, y, _CMP_LT_OQ))) \
	X(LESS_EQUAL, CHAIN_MASK(CHAIN_IF(x, y, _CMP_LE_OQ))) \
	X(GREATER, CHAIN_MASK(CHAIN_IF(x, y, _CMP_GT_OQ))) \
	X(GREATER_EQUAL, CHAIN_MASK(CHAIN_IF(x, y, _CMP_GE_OQ))) \
	X(EQUAL, CHAIN_MASK(CHAIN_IF(x, y, _CMP_EQ_OQ))) \
	X(NOT_EQUAL, CHAIN_MASK(CHAIN_IF(x, y, _CMP_NEQ_UQ))) \
	X(ADD, x + y) \
	X(MULTIPLY, x * y) \
	X(SUBTRACT, x - y) \
	X(FROM, y - x)
#define BLOCK_CHAIN_BINARY(X) \
	BLOCK_CHAIN_LEAVES(X) \
	X(DIVIDE, x / y) \
	X(UNDER, y / x) \
	X(MINIMUM, CHAIN_PICK(x, y, _CMP_LT_OQ)) \
	X(MINIMUM_FROM, CHAIN_PICK(y, x, _CMP_LT_OQ)) \
	X(MAXIMUM, CHAIN_PICK(x, y, _CMP_GT_OQ)) \
	X(MAXIMUM_FROM, CHAIN_PICK(y, x, _CMP_GT_OQ))

/* Operations of one operand, x. */
#define BLOCK_CHAIN_UNARY(X) \
	X(NEGATIVE, -x) \
	X(ABS, CHAIN_ABS(x)) \
	X(SQRT, CHAIN_SQRT(x)) \
	X(SQUARE, x * x)

/*
 * The codes of links.  Each operation has one for each depth.
 *
 *   READ_...   Of two operands: x is the place at `depth`, y the slot.  The
 *              result replaces x.
 *   FIXED_...  The same, but y is the first element of the slot.
 *   STACK_...  The same, but y is the next place.
 *   BOTH_...   Of leaves: x is the slot, y another slot.  The place becomes the
 *              result.
 *   WITH_...   The same, but y is the first element of the other slot.
 *   LOAD       The place becomes the elements of the slot.
 *   LOAD_MASK  The place becomes a mask, of the bool of the slot.
 *   CHOOSE     The place is a mask.  It chooses from the next two places, and
 *              becomes the result.
 *   CHOOSE_X   The same, but the slot has what a true bit chooses.
 *   CHOOSE_Y   The same, but the slot has what a false bit chooses.
 *   CHOOSE_XY  The same, but the slot has the values for true bits, and another
 *              slot has the values for false bits.
 *   STORE      The first place is stored into the slot.
 *   STREAM     The same, past the caches.
 *   QUOTIENT   A faster FIXED_DIVIDE.  block_chain_run() uses it if it can.
 */
enum {
#define BLOCK_LINK_READ(op, e) BLOCK_LINK_READ_##op,
#define BLOCK_LINK_FIXED(op, e) BLOCK_LINK_FIXED_##op,
#define BLOCK_LINK_STACK(op, e) BLOCK_LINK_STACK_##op,
#define BLOCK_LINK_BOTH(op, e) BLOCK_LINK_BOTH_##op,
#define BLOCK_LINK_WITH(op, e) BLOCK_LINK_WITH_##op,
#define BLOCK_LINK_UNARY(op, e) BLOCK_LINK_##op,
	BLOCK_CHAIN_BINARY(BLOCK_LINK_READ)
	BLOCK_CHAIN_BINARY(BLOCK_LINK_FIXED)
	BLOCK_CHAIN_BINARY(BLOCK_LINK_STACK)
	BLOCK_CHAIN_LEAVES(BLOCK_LINK_BOTH)
	BLOCK_CHAIN_LEAVES(BLOCK_LINK_WITH)
	BLOCK_CHAIN_UNARY(BLOCK_LINK_UNARY)
	BLOCK_LINK_LOAD,
	BLOCK_LINK_LOAD_MASK,
	BLOCK_LINK_CHOOSE,
	BLOCK_LINK_CHOOSE_X,
	BLOCK_LINK_CHOOSE_Y,
	BLOCK_LINK_CHOOSE_XY,
	BLOCK_LINK_STORE,
	BLOCK_LINK_STREAM,
	BLOCK_LINK_QUOTIENT,
	BLOCK_LINK_OPS
};
/* clang-format on */
#define BLOCK_LINK(op, depth) ((op)*BLOCK_CHAIN_DEPTH + (depth))
/* Whether a link reads the operands of a leaf from two slots. */
static inline bool block_link_is_both(unsigned code)
{
	return code >= BLOCK_LINK(BLOCK_LINK_BOTH_LESS, 0) &&
	       code < BLOCK_LINK(BLOCK_LINK_WITH_LESS, 0);
}

_Static_assert(BLOCK_LINK_OPS *BLOCK_CHAIN_DEPTH <= UINT8_MAX,
	       "codes are bytes");

/* The operand y of a link of two operands.  SCALAR: a slot whose elements are
   all the same.  SPREAD: a slot over which the values of rows are spread.  In a
   block of one row, the link then reads the source of the spread instead. */
enum { BLOCK_LINK_SCALAR = 1, BLOCK_LINK_SPREAD = 2 };

/* Whether the CPU has the vectors that chains need. */
bool block_chain_is_there(void);

/* Flags of block_chain_run().  ONE_ROW: all elements belong to a single row.
   CACHED: the result is stored into the caches. */
enum { BLOCK_CHAIN_ONE_ROW = 1, BLOCK_CHAIN_CACHED = 2 };

/* Run the chain that begins with @step, on @units units.  Returns the last link
   of the chain. */
const struct block_step *block_chain_run(const struct block_step *step,
					 int units, unsigned char *const *slot,
					 unsigned how);

#endif
