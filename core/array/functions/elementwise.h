/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise.h - the operation table in C, and how its functions run. */
#ifndef ARRAY_ELEMENTWISE_H
#define ARRAY_ELEMENTWISE_H

#include "core/array/functions/operations.h"
#include "core/array/launch/walk.h"
#include "core/array/object/array.h"

enum elementwise_family {
	ELEMENTWISE_ARITH,
	ELEMENTWISE_MATH,
	ELEMENTWISE_COMPARE
};

/* The rules of kernels/operations.def. */
enum elementwise_result {
	ELEMENTWISE_SAME,
	ELEMENTWISE_BOOL,
	ELEMENTWISE_REAL,
	ELEMENTWISE_FLOAT
};

struct elementwise_operation {
	const char *name;
	int n; /* operands */
	enum elementwise_family family;
	enum elementwise_result result;
	const char *classes;  /* kinds of dtype that it takes, of "biufc" */
	const char *identity; /* those where it does nothing */
};

/* By OPERATION__name. */
extern const struct elementwise_operation elementwise_operations[];

/*
 * The dtype that operation @op computes in for @operands, and the dtype of its
 * result.  Fails as the function itself would.
 */
dpr_status elementwise_dtypes(int op, const dpr_operand *operands,
			      dpr_dtype *compute, dpr_dtype *result);

/* A value of @dtype for a kernel, which computes 16-bit floats as float. */
dpr_status elementwise_value(const char *what, dpr_operand value,
			     dpr_dtype dtype, struct walk_scalar *out);

/* Whether a result of dtype @from may be stored in an array of dtype @to: of
   its kind or a higher one. */
bool elementwise_stores(dpr_dtype from, dpr_dtype to);

#endif
