/* SPDX-License-Identifier: Apache-2.0 */
/* inner_arguments.h - arguments and results of the functions in this folder. */
#ifndef ARRAY_INNER_ARGUMENTS_H
#define ARRAY_INNER_ARGUMENTS_H

#include "core/array/expression/builtins.h"
#include "core/array/functions/reduce.h"

/* Get argument @i of a call, of which only shape and dtype are needed.  So its
   elements may be deferred.  A number becomes a 0-d array. */
dpr_status inner_arguments_shape(struct function_call *call, int i,
				 const dpr_array **out);

/* Find the axes of argument 0 that argument 1 names.  Only the shape and dtype
   of argument 0 are needed. */
dpr_status inner_arguments_reduced(struct function_call *call,
				   const dpr_array **x,
				   struct reduce_outcome *out);

/* Make @dtype the result. */
dpr_status inner_arguments_dtype(struct function_call *call, dpr_dtype dtype);

/* Make argument 0 the result, cast to @dtype unless it has this dtype already.
   @x is the array of argument 0, or the header of its node. */
dpr_status inner_arguments_cast(struct function_call *call, const dpr_array *x,
				dpr_dtype dtype);

/* Defer the call @later of argument 0, and make it the result.  @x: as for
   inner_arguments_cast(). */
dpr_status inner_arguments_defer(struct function_call *call,
				 const struct fusion_call *later,
				 const dpr_array *x);

#endif
