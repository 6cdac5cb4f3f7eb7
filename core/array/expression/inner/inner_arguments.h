/* SPDX-License-Identifier: Apache-2.0 */
/* inner_arguments.h - arguments and results of the functions in this folder. */
#ifndef ARRAY_INNER_ARGUMENTS_H
#define ARRAY_INNER_ARGUMENTS_H

#include "core/array/expression/builtins.h"

/* Get argument @i of a call, of which only shape and dtype are needed.  So its
   elements may be deferred.  A number becomes a 0-d array. */
dpr_status inner_arguments_shape(struct function_call *call, int i,
				 const dpr_array **out);

/* Make @dtype the result. */
dpr_status inner_arguments_dtype(struct function_call *call, dpr_dtype dtype);

/* Make argument 0 the result, cast to @dtype unless it has this dtype already.
   @x is the array of argument 0, or the header of its node. */
dpr_status inner_arguments_cast(struct function_call *call, const dpr_array *x,
				dpr_dtype dtype);

#endif
