/* SPDX-License-Identifier: Apache-2.0 */
/* operations.h - the table of elementwise operations. */
#ifndef ARRAY_OPERATIONS_H
#define ARRAY_OPERATIONS_H

#include <stdbool.h>

#include "core/array/engine/operations_map.h"

/* The families of kernels/operations.def.  OPERATIONS_MATH: the operation takes
   long.  OPERATIONS_STEPS: compound.h computes the operation in several steps.
   */
enum operations_family {
	OPERATIONS_ARITH,
	OPERATIONS_MATH,
	OPERATIONS_COMPARE,
	OPERATIONS_STEPS
};

/* How the dtype of the result follows from the dtype of the computation: RESULT
   in kernels/operations.def. */
enum operations_result {
	OPERATIONS_SAME,
	OPERATIONS_BOOL,
	OPERATIONS_REAL,
	OPERATIONS_FLOAT,
	OPERATIONS_PART,
	OPERATIONS_COMPLEX,
	OPERATIONS_FIRST
};

struct operations_entry {
	const char *name;
	int n; /* the number of operands */
	enum operations_family family;
	enum operations_result result;
	/* the kinds of dtype that the operation accepts: some of the letters
	   "biufc" (dpr_dtype_kind()) */
	const char *classes;
	/* if the dtype's kind is one of these letters, the result is the
	   operand itself */
	const char *identity;
	/* if the dtype's kind is one of these letters, there is a fast path
	   (kernels/step.cl) */
	const char *guarded;
};

/* Indexed by OPERATION__name. */
extern const struct operations_entry operations_table[];

/* The dtype of the value of operation @op, which computes in @dtype.  With
   OPERATIONS_FIRST the result of the function may have another dtype: a 16-bit
   float, although the operation computes in float32. */
unsigned operations_dtype(unsigned op, unsigned dtype);

/* Whether the function of operation @op takes arrays of the dtype in which the
   operation computes.  Any other function takes arrays of other dtypes, and
   casts them to this dtype. */
static inline bool operations_takes_computed(unsigned op)
{
	return operations_table[op].result != OPERATIONS_COMPLEX &&
	       operations_table[op].result != OPERATIONS_FIRST;
}

/* Whether operation @op has a fast path for @dtype (see kernels/step.cl). */
bool operations_is_guarded(unsigned op, unsigned dtype);

#endif
