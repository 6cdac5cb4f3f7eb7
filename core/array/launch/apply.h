/* SPDX-License-Identifier: Apache-2.0 */
/* apply.h - applies an operation of kernels/operations.def to arrays, and says
   whether the result may overwrite an operand. */
#ifndef ARRAY_APPLY_H
#define ARRAY_APPLY_H

#include "core/array/engine/engine.h"
#include "core/array/object/array.h"

#define APPLY_OPERANDS 3

/* A call of an operation, or of where().  The call computes all elements of
   `out`. */
struct apply_call {
	const char *what; /* the first words of error texts */
	unsigned operation;
	/* compute: the dtype in which the operation computes.  result: the
	   dtype of the operation's value.  Where engine_casts() is true, the
	   operands and `out` may have other dtypes, and the kernel casts them.
	   */
	dpr_dtype compute, result;
	dpr_array *out;
	/* The number of operands.  If pow has one operand, its exponent is 3,
	   or one half if `is_root` is set. */
	int n;
	bool is_root;
	/* set for a comparison of signed integers with uint64
	   (graph_compare()); no operand is cast */
	bool is_mixed;
	/* The operands; the kernel broadcasts them to the shape of `out`.  A
	   NULL operand is the scalar in `value`. */
	const dpr_array *x[APPLY_OPERANDS];
	struct engine_scalar value[APPLY_OPERANDS];
};

/* Launch @call on the queue of `out`, without waiting.  An operation of several
   steps takes a launch for each of them where kernels have one step only.  Does
   nothing if `out` has no elements. */
dpr_status apply_launch(const struct apply_call *call);

/* Whether the kernel may write @out while it reads the operands.  This is so if
   each operand either has exactly the layout of @out in the same memory, or
   does not overlap @out. */
bool apply_can_write(const struct apply_call *call, const dpr_array *out);

#endif
