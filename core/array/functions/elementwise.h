/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise.h - what an element-wise operation computes, before it does. */
#ifndef ARRAY_ELEMENTWISE_H
#define ARRAY_ELEMENTWISE_H

#include "core/array/engine/operations.h"
#include "core/array/object/array.h"

/*
 * Get the dtype that operation @op computes in for @operands, and the dtype of
 * its result.  Fails where the operation would fail.  Where compare_is_mixed(),
 * the comparison is one of uint64.
 */
dpr_status elementwise_dtypes(int op, const dpr_operand *operands,
			      dpr_dtype *compute, dpr_dtype *result);

/* An operation whose operands were checked, and its result. */
struct elementwise_outcome {
	int op; /* the operation, or a cheaper one that gives the same */
	/* How many operands.  With one operand pow has the exponent 3 or, if
	   is_root, one half. */
	int n;
	bool is_root;
	bool is_mixed; /* graph_compare() of operands that are not cast */
	dpr_dtype compute, result;
	dpr_queue *queue;
	dpr_usm_kind kind;
	int rank;
	int64_t shape[DPR_MAX_RANK]; /* the first `rank` are set */
};

/* Find the outcome of @op without computing it.  Fails where the operation
   would fail.  If another operation gives the same, @operands becomes its
   operands; that one computes in out->compute too, whatever their dtypes are.
   The operands' memory is not looked at. */
dpr_status elementwise_foresee(int op, dpr_operand *operands,
			       struct elementwise_outcome *out);

/* Compute @op into a new array; into an array that exists. */
dpr_status elementwise_run(int op, dpr_operand *operands, dpr_array **out);
dpr_status elementwise_run_into(int op, dpr_operand *operands, dpr_array *out);

#endif
