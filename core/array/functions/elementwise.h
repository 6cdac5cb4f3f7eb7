/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise.h - the outcome of an elementwise operation, before it is
   computed. */
#ifndef ARRAY_ELEMENTWISE_H
#define ARRAY_ELEMENTWISE_H

#include "core/array/engine/operations.h"
#include "core/array/object/array.h"

/*
 * Get the dtype in which operation @op computes for @operands, and the dtype of
 * its result.  Fails where the operation would fail.  If compare_is_mixed() is
 * true, *@compute is uint64.
 */
dpr_status elementwise_dtypes(int op, const dpr_operand *operands,
			      dpr_dtype *compute, dpr_dtype *result);

/* An operation whose operands have been checked, and its result. */
struct elementwise_outcome {
	int op; /* the operation, or a cheaper operation with the same result */
	/* The number of operands.  pow with one operand has the exponent 3, or
	   one half if `is_root` is set. */
	int n;
	bool is_root;
	bool is_mixed; /* graph_compare() of operands that are not cast */
	dpr_dtype compute, result;
	dpr_queue *queue;
	dpr_usm_kind kind;
	int rank;
	int64_t shape[DPR_MAX_RANK]; /* only the first `rank` extents are set */
};

/* Find the outcome of @op without computing it, and without reading the
   operands' memory.  Fails where the operation would fail.  If a cheaper
   operation gives the same result, @operands are replaced by its operands.  The
   cheaper operation also computes in out->compute, for operands of any
   dtype. */
dpr_status elementwise_foresee(int op, dpr_operand *operands,
			       struct elementwise_outcome *out);

/* Compute @op into a new array, or into an existing array. */
dpr_status elementwise_run(int op, dpr_operand *operands, dpr_array **out);
dpr_status elementwise_run_into(int op, dpr_operand *operands, dpr_array *out);

#endif
