/* SPDX-License-Identifier: Apache-2.0 */
/* inner.h - the functions that only the texts of kernels/derived.def and of
   kernels/composed.def call. */
#ifndef ARRAY_INNER_H
#define ARRAY_INNER_H

#include "core/array/expression/builtins.h"

/* An entry of a table of functions of this kind.  @needs: what the function
   needs.  ALL: the elements of all arguments.  REST: the elements of all
   arguments except argument 0.  SHAPES: only shapes and dtypes. */
#define INNER_NEEDS_ALL 0
#define INNER_NEEDS_REST 1
#define INNER_NEEDS_SHAPES BUILTINS_PARAMETERS
#define INNER_LIST(...) ((const char *const[]){ __VA_ARGS__ })
#define INNER_FUNCTION(name_, n_, needs, ...)                           \
	{                                                               \
		.signature = { .name = #name_,                          \
			       .required = n_,                          \
			       .positional = n_,                        \
			       .n = n_,                                 \
			       .parameters = INNER_LIST(__VA_ARGS__) }, \
		.run = run_##name_, .deferred = INNER_NEEDS_##needs     \
	}

/* Find a function of this kind by its name, or drop_axes(x, axis, keepdims),
   which removes the reduced axes from the result of a text.  Returns NULL if
   there is no such function. */
const struct function *inner_find(const char *name, size_t length);

/* Whether inner_find() finds @function. */
bool inner_is(const struct function *function);

#endif
