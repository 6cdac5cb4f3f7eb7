/* SPDX-License-Identifier: Apache-2.0 */
/* derived.h - calls of functions that expressions compute. */
#ifndef ARRAY_DERIVED_H
#define ARRAY_DERIVED_H

#include "core/array/expression/derived_table.h"
#include "core/array/expression/value.h"
#include "core/array/functions/reduce.h"

/* A call of a function along axes. */
struct derived_call {
	const struct function *function;
	const char *name;
	const dpr_array *x;
	const dpr_axes *axes;
	double number; /* the correction, or the order of a norm */
	dpr_dtype
		dtype; /* of the result of a sum; DEFAULT: that of dpr_sum() */
	/* Set when the call begins.  shape: that of a reduction. */
	enum derived_call_kind kind;
	struct reduce_outcome shape;
};

/* The kind of a call of @function with @axes.  It is PLAIN unless the function
   takes a mask or an initial number, and the call has one. */
enum derived_call_kind derived_kind(const struct function *function,
				    const dpr_axes *axes);

/* Compute the result in a new array, or in an existing array. */
dpr_status derived_new(struct derived_call *call, dpr_array **out);
dpr_status derived_into(struct derived_call *call, dpr_array *out);

/* Compute @function.  @given has a value for each operand of the text
   derived_table_call().  Texts of errors name the function @name.  If @into is
   NULL, the result is a new array *@out. */
dpr_status derived_compute(const struct function *function,
			   enum derived_call_kind kind, const char *name,
			   const struct value *given, dpr_array *into,
			   dpr_array **out);

#endif
