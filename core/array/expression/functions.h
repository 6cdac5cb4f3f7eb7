/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.h - the functions that an expression can call.
 *
 * Elementwise functions come from the table of operations, the others
 * (reductions, where, astype, ...) from builtins.c.
 */
#ifndef ARRAY_FUNCTIONS_H
#define ARRAY_FUNCTIONS_H

#include "core/array/expression/builtins.h"
#include "core/array/expression/lexer.h"
#include "core/base/suggest.h"

/* Find the built-in function @name; NULL if there is none. */
const struct function *functions_find(const char *name, size_t length);

/* The function that an operator stands for.  @unary: the operator is a - or +
   with one operand. */
const struct function *functions_of_operator(enum token_kind op, bool unary);

/* The function at @index, in no particular order; NULL after the last one. */
const struct function *functions_at(size_t index);

/* Offer all names to @suggestion. */
void functions_offer(struct suggestion *suggestion);

/* Run @call.  If @into is not NULL, the function must be elementwise and have
   array operands; then the result is written to @into, and call->result stays
   empty. */
dpr_status functions_run(struct function_call *call, dpr_array *into);

/* Whether functions_run() accepts @into for this call. */
bool functions_can_write(const struct function_call *call);

#endif
