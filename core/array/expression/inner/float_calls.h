/* SPDX-License-Identifier: Apache-2.0 */
/* float_calls.h - floats in the texts of kernels/derived.def and of
   kernels/composed.def. */
#ifndef ARRAY_FLOAT_CALLS_H
#define ARRAY_FLOAT_CALLS_H

#include "core/array/expression/builtins.h"

/* A part of the list that inner_find() searches. */
extern const struct function float_calls_parts[];
extern const size_t float_calls_count;

#endif
