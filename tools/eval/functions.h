/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.h - what an expression can call.
 *
 * Elementwise functions come from the operation table of the library, the
 * others (reductions, where, astype, ...) from builtins.c.
 */
#ifndef TOOLS_FUNCTIONS_H
#define TOOLS_FUNCTIONS_H

#include "tools/eval/builtins.h"
#include "tools/eval/lexer.h"

/* The function of that name, NULL if there is none. */
const struct function *functions_find(const char *name, size_t length);

/* The function that an operator stands for; @unary for the one of - and +. */
const struct function *functions_of_operator(enum token_kind op, bool unary);

/* The known function nearest to a misspelt one, NULL if none is near. */
const char *functions_nearest(const char *name, size_t length);

/* All names in alphabetical order, for the help text; NULL after the last. */
const char *functions_name(size_t index);

/* Number of parameters. */
int functions_arity(const struct function *function);

/* Run @call: arguments to result.  On failure the message is at a column. */
bool functions_run(struct call *call);

#endif
