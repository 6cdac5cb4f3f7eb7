/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.h - what an expression can call.
 *
 * Elementwise functions come from the operation table of the library; the
 * others (reductions, where, astype, ...) are listed here.
 */
#ifndef TOOLS_FUNCTIONS_H
#define TOOLS_FUNCTIONS_H

#include "tools/eval/evaluate.h"

#define FUNCTION_MAX_PARAMETERS 4

/* A call being evaluated: arguments[i] belongs to the i-th parameter, empty if
   it was left out. */
struct call {
	const struct function *function;
	dpr_queue *queue;
	struct value arguments[FUNCTION_MAX_PARAMETERS];
	size_t columns[FUNCTION_MAX_PARAMETERS]; /* where they stand */
	size_t column;                           /* of the function's name */
	struct value result;
	struct message *message;
};

struct function {
	const char *name;
	int required;   /* parameters that must be given */
	int positional; /* parameters that may be given without their name */
	const char *parameters[FUNCTION_MAX_PARAMETERS];
	bool (*run)(struct call *call); /* NULL: elementwise */
	/* Of an elementwise function, the one of its arity. */
	dpr_status (*unary)(dpr_operand, dpr_array **);
	dpr_status (*binary)(dpr_operand, dpr_operand, dpr_array **);
	dpr_status (*ternary)(dpr_operand, dpr_operand, dpr_operand,
			      dpr_array **);
};

/* The function of that name, NULL if there is none. */
const struct function *function_find(const char *name, size_t length);

/* The function that an operator stands for; @unary for the one of - and +. */
const struct function *function_of_operator(enum token_kind op, bool unary);

/* The known function nearest to a misspelt one, NULL if none is near. */
const char *function_nearest(const char *name, size_t length);

/* All names in alphabetical order, for the help text; NULL after the last. */
const char *function_name(size_t index);

/* Number of parameters. */
int function_arity(const struct function *function);

/* Run @call: arguments to result.  On failure the message is at a column. */
bool function_run(struct call *call);

/* The functions that are not elementwise (builtins.c). */
extern const struct function builtin_functions[];
extern const size_t n_builtin_functions;

#endif
