/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_chain.h - chains: several cheap operations on float32 or float64 in one
 * step of a program.  Values between the operations stay in vector registers.
 *
 * A chain computes a block in tiles: all links of the chain run for one tile,
 * then for the next tile.  The chain has a stack of VM_CHAIN_DEPTH places.  A
 * place has room for the elements of a tile.  A link is one operation on place
 * number `depth` of the stack.  Some links also work on the places after this
 * place, or read a slot of the program (vm_program.h).  Each operation is
 * rounded as if it were a step of its own.
 */
#ifndef KERNELS_VM_CHAIN_H
#define KERNELS_VM_CHAIN_H

#include <stdbool.h>

#include "kernels/vm_program.h"

#define VM_CHAIN_DEPTH 3
#define VM_CHAIN_LINKS 64 /* the most links of a chain */
#define VM_CHAIN_TILE 128 /* the most elements of a tile */

/* clang-format off */
/* Operations of two operands, x and y, written with macros of vm_chain.c.  The
   first six are comparisons.  The result of a comparison is a mask: all bits of
   an element are set, or none.  A link may read both operands of an operation
   of VM_CHAIN_LEAVES from slots. */
#define VM_CHAIN_LEAVES(X) \
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
#define VM_CHAIN_BINARY(X) \
	VM_CHAIN_LEAVES(X) \
	X(DIVIDE, x / y) \
	X(UNDER, y / x) \
	X(MINIMUM, CHAIN_PICK(x, y, _CMP_LT_OQ)) \
	X(MINIMUM_FROM, CHAIN_PICK(y, x, _CMP_LT_OQ)) \
	X(MAXIMUM, CHAIN_PICK(x, y, _CMP_GT_OQ)) \
	X(MAXIMUM_FROM, CHAIN_PICK(y, x, _CMP_GT_OQ))

/* Operations of one operand, x. */
#define VM_CHAIN_UNARY(X) \
	X(NEGATIVE, -x) \
	X(ABS, CHAIN_ABS(x)) \
	X(SQRT, CHAIN_SQRT(x)) \
	X(SQUARE, x * x)

/*
 * The operations of links.  VM_LINK() makes a code of an operation and a depth.
 *
 *   READ_...   An operation of two operands: x is the place at `depth`, and y
 *              is a slot.  The result replaces x.
 *   FIXED_...  As READ, but y is the first element of the slot.
 *   STACK_...  As READ, but y is the next place.
 *   BOTH_...   An operation of VM_CHAIN_LEAVES: x is a slot, and y is another
 *              slot.  The place at `depth` becomes the result.
 *   WITH_...   As BOTH, but y is the first element of the other slot.
 *   LOAD       The place at `depth` becomes the elements of the slot.
 *   LOAD_MASK  The place at `depth` becomes a mask, from the bools of the slot.
 *   CHOOSE     The place at `depth` is a mask, which chooses from the next two
 *              places.  The result replaces the mask.
 *   CHOOSE_X   As CHOOSE, but the slot has the values for true bits.
 *   CHOOSE_Y   As CHOOSE, but the slot has the values for false bits.
 *   CHOOSE_XY  As CHOOSE, but the slot has the values for true bits, and
 *              another slot has the values for false bits.
 *   STORE      The first place is stored into the slot.
 *   STREAM     As STORE, but the store bypasses the caches.
 *   QUOTIENT   A faster FIXED_DIVIDE, for a y that is neither too small nor too
 *              large.  vm_chain_run() chooses this operation (vm_chain.c).
 */
enum {
#define VM_LINK_READ(op, e) VM_LINK_READ_##op,
#define VM_LINK_FIXED(op, e) VM_LINK_FIXED_##op,
#define VM_LINK_STACK(op, e) VM_LINK_STACK_##op,
#define VM_LINK_BOTH(op, e) VM_LINK_BOTH_##op,
#define VM_LINK_WITH(op, e) VM_LINK_WITH_##op,
#define VM_LINK_UNARY(op, e) VM_LINK_##op,
	VM_CHAIN_BINARY(VM_LINK_READ)
	VM_CHAIN_BINARY(VM_LINK_FIXED)
	VM_CHAIN_BINARY(VM_LINK_STACK)
	VM_CHAIN_LEAVES(VM_LINK_BOTH)
	VM_CHAIN_LEAVES(VM_LINK_WITH)
	VM_CHAIN_UNARY(VM_LINK_UNARY)
	VM_LINK_LOAD,
	VM_LINK_LOAD_MASK,
	VM_LINK_CHOOSE,
	VM_LINK_CHOOSE_X,
	VM_LINK_CHOOSE_Y,
	VM_LINK_CHOOSE_XY,
	VM_LINK_STORE,
	VM_LINK_STREAM,
	VM_LINK_QUOTIENT,
	VM_LINK_OPS
};
/* clang-format on */
#define VM_LINK(op, depth) ((op)*VM_CHAIN_DEPTH + (depth))
/* Whether a link is a BOTH_... operation, which reads both operands from slots.
 */
static inline bool vm_link_is_both(unsigned code)
{
	return code >= VM_LINK(VM_LINK_BOTH_LESS, 0) &&
	       code < VM_LINK(VM_LINK_WITH_LESS, 0);
}

_Static_assert(VM_LINK_OPS *VM_CHAIN_DEPTH <= UINT8_MAX, "codes are bytes");

/* In the struct vm_step of a link with two operands, x[0] says where operand y
   comes from.  SCALAR: from a slot whose elements are all the same.  SPREAD:
   from the output of a VM_SPREAD; in a block of one row, from the input of the
   VM_SPREAD instead.  0: from any other slot, or from the stack. */
enum { VM_LINK_SCALAR = 1, VM_LINK_SPREAD = 2 };

/* Whether the CPU has the vector instructions that chains need. */
bool vm_chain_is_there(void);

/* Flags of vm_chain_run().  ONE_ROW: all elements belong to a single row.
   CACHED: a STREAM does not bypass the caches. */
enum { VM_CHAIN_ONE_ROW = 1, VM_CHAIN_CACHED = 2 };

/* Run the chain that begins with @step, on @units units.  Returns the last link
   of the chain. */
const struct vm_step *vm_chain_run(const struct vm_step *step, int units,
				   unsigned char *const *slot, unsigned how);

#endif
