/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.h - the functions that an expression can call.
 *
 * Elementwise functions come from the table of operations.  Functions that are
 * computed by a text come from derived_table.c, and all others (reductions,
 * where, astype, ...) from builtins.c.
 */
#ifndef ARRAY_FUNCTIONS_H
#define ARRAY_FUNCTIONS_H

#include "core/array/expression/builtins.h"
#include "core/array/expression/lexer.h"
#include "core/base/suggest.h"

/* Find the built-in function @name.  Returns NULL if there is none. */
const struct function *functions_find(const char *name, size_t length);

/* The function of the operator @op.  Pass @unary = true for - and + with one
   operand, and for ~. */
const struct function *functions_of_operator(enum token_kind op, bool unary);

/* The function at @index, in no particular order.  NULL after the last one. */
const struct function *functions_at(size_t index);

/* Offer the names of all functions to @suggestion. */
void functions_offer(struct suggestion *suggestion);

/* Get argument @value of an elementwise function as an operand.  Bounds of
   clip() may be None, or left out.  Returns false if @value is no operand. */
bool functions_operand(const struct function *function,
		       const struct value *value, dpr_operand *out);

/* Run @call.  If @into is not NULL, the result is written to @into and
   call->result stays empty.  In this case the function must be elementwise, and
   an operand must be an array. */
dpr_status functions_run(struct function_call *call, dpr_array *into);

/* Whether functions_run() accepts an array @into for this call. */
bool functions_can_write(const struct function_call *call);

#endif
