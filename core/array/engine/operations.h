/* SPDX-License-Identifier: Apache-2.0 */
/* operations.h - the table of elementwise operations. */
#ifndef ARRAY_OPERATIONS_H
#define ARRAY_OPERATIONS_H

#include <stdbool.h>

#include "core/array/engine/operations_map.h"

/* As in kernels/operations.def: those of MATH take long. */
enum operations_family {
	OPERATIONS_ARITH,
	OPERATIONS_MATH,
	OPERATIONS_COMPARE
};

/* The dtype of a result, as in kernels/operations.def. */
enum operations_result {
	OPERATIONS_SAME,
	OPERATIONS_BOOL,
	OPERATIONS_REAL,
	OPERATIONS_FLOAT
};

struct operations_entry {
	const char *name;
	int n; /* operands */
	enum operations_family family;
	enum operations_result result;
	const char *classes;  /* kinds of dtype that it takes: some of
				 "biufc" */
	const char *identity; /* kinds whose values it returns unchanged */
	const char *guarded;  /* kinds for which it has a fast path */
};

/* Indexed by OPERATION__name. */
extern const struct operations_entry operations_table[];

/* The dtype of operation @op's result, if it is computed in @dtype. */
unsigned operations_dtype(unsigned op, unsigned dtype);

/* Whether operation @op has a fast path for @dtype, as kernels/step.cl says. */
bool operations_is_guarded(unsigned op, unsigned dtype);

#endif
