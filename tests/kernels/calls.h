/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - the array functions by the names that the oracle uses, and the
 * accuracy of each.
 */
#ifndef TESTS_CALLS_H
#define TESTS_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/dpr.h>

#include "oracle.h"

/* An elementwise function.  Only the two members for its arity are set. */
struct operation {
	const char *name;
	int arity;
	dpr_status (*unary)(dpr_operand, dpr_array **);
	dpr_status (*binary)(dpr_operand, dpr_operand, dpr_array **);
	dpr_status (*ternary)(dpr_operand, dpr_operand, dpr_operand,
			      dpr_array **);
	dpr_status (*unary_into)(dpr_operand, dpr_array *);
	dpr_status (*binary_into)(dpr_operand, dpr_operand, dpr_array *);
	dpr_status (*ternary_into)(dpr_operand, dpr_operand, dpr_operand,
				   dpr_array *);
};

/* The function called @name, or "where"; NULL if there is none. */
const struct operation *calls_find(const char *name);

/* The i-th function, not counting "where"; NULL after the last. */
const struct operation *calls_at(size_t i);

/* Call the function with its number of operands from @x. */
dpr_status calls_apply(const struct operation *op, dpr_array *const *x,
		       dpr_array **out);
dpr_status calls_apply_into(const struct operation *op, dpr_array *const *x,
			    dpr_array *out);

typedef dpr_status (*calls_reduction)(const dpr_array *, const dpr_axes *,
				      dpr_array **);

/* The name of the i-th reduction; NULL after the last. */
const char *calls_reduction_at(size_t i);

/* The reduction called @name; NULL if there is none. */
calls_reduction calls_find_reduction(const char *name);

/* Parse "all" or a list like "0,2" into *@axes, which points to @list.  Every
   second axis is counted from the end. */
void calls_parse_axes(const char *text, dpr_axes *axes, int list[3]);

/* How far a result may be from the true value.  @rounds is calls_round()'s
   result. */
struct tolerance calls_tolerance(const char *function, dpr_dtype in,
				 dpr_dtype out, bool rounds);

/* Whether the device rounds division and square root of float32 correctly. */
bool calls_round(dpr_device *device);

#endif
