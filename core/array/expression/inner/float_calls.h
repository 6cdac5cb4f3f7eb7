/* SPDX-License-Identifier: Apache-2.0 */
/* float_calls.h - floats in the texts of kernels/derived.def and of
   kernels/composed.def. */
#ifndef ARRAY_FLOAT_CALLS_H
#define ARRAY_FLOAT_CALLS_H

#include "core/array/expression/builtins.h"

/* Functions of a call: see `run` of struct function. */
dpr_status float_calls_bits(struct function_call *call);
dpr_status float_calls_fraction_bits(struct function_call *call);
dpr_status float_calls_integer_of(struct function_call *call);
dpr_status float_calls_largest_exponent(struct function_call *call);
dpr_status float_calls_real_dtype(struct function_call *call);
dpr_status float_calls_real_floats(struct function_call *call);
dpr_status float_calls_squared(struct function_call *call);

#endif
