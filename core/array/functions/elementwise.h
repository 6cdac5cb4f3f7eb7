/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise.h - the table of element-wise operations. */
#ifndef ARRAY_ELEMENTWISE_H
#define ARRAY_ELEMENTWISE_H

#include "core/array/functions/operations.h"
#include "core/array/launch/walk.h"
#include "core/array/object/array.h"

/* The dtype of a result, as in kernels/operations.def. */
enum elementwise_result {
	ELEMENTWISE_SAME,
	ELEMENTWISE_BOOL,
	ELEMENTWISE_REAL,
	ELEMENTWISE_FLOAT
};

struct elementwise_operation {
	const char *name;
	int n; /* operands */
	enum images_family family;
	enum elementwise_result result;
	const char *classes;  /* kinds of dtype that it takes: some of
				 "biufc" */
	const char *identity; /* kinds whose values it returns unchanged */
};

/* Indexed by OPERATION__name. */
extern const struct elementwise_operation elementwise_operations[];

/*
 * Get the dtype that operation @op computes in for @operands, and the dtype of
 * its result.  Fails where the operation would fail.
 */
dpr_status elementwise_dtypes(int op, const dpr_operand *operands,
			      dpr_dtype *compute, dpr_dtype *result);

#endif
