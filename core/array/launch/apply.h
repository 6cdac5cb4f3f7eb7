/* SPDX-License-Identifier: Apache-2.0 */
/* apply.h - applying an operation of the table to arrays. */
#ifndef ARRAY_APPLY_H
#define ARRAY_APPLY_H

#include "core/array/engine/engine.h"
#include "core/array/object/array.h"

#define APPLY_OPERANDS 3

/* An operation, or a choice, over all elements of @out. */
struct apply_call {
	const char *what; /* begins the text of an error */
	unsigned operation;
	/* What the operation computes in, and what its value is.  Where
	   engine_casts(), the operands and `out` may have other dtypes: they
	   are cast. */
	dpr_dtype compute, result;
	dpr_array *out;
	/* How many operands.  With one operand pow has the exponent 3 or, if
	   is_root, one half. */
	int n;
	bool is_root;
	bool is_mixed; /* graph_compare() of operands that are not cast */
	/* The operands, which are broadcast to out's shape.  NULL: a scalar,
	   which is in `value`. */
	const dpr_array *x[APPLY_OPERANDS];
	struct engine_scalar value[APPLY_OPERANDS];
};

/* Launch @call on its result's queue; does nothing if that has no elements.
   Does not wait. */
dpr_status apply_launch(const struct apply_call *call);

/* Whether the kernel may write @out while it reads the operands: each operand
   is either @out's elements in the same places, or does not overlap it. */
bool apply_can_write(const struct apply_call *call, const dpr_array *out);

#endif
