/* SPDX-License-Identifier: Apache-2.0 */
/* inner.h - the functions that only the texts of kernels/derived.def and of
   kernels/composed.def call. */
#ifndef ARRAY_INNER_H
#define ARRAY_INNER_H

#include "core/array/expression/builtins.h"

/* Find a function of this kind by its name, or drop_axes(x, axis, keepdims),
   which removes the reduced axes from the result of a text.  Returns NULL if
   there is no such function. */
const struct function *inner_find(const char *name, size_t length);

/* Whether inner_find() finds @function. */
bool inner_is(const struct function *function);

#endif
