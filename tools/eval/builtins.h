/* SPDX-License-Identifier: Apache-2.0 */
/* builtins.h - the functions of an expression that are not elementwise. */
#ifndef TOOLS_BUILTINS_H
#define TOOLS_BUILTINS_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/operand.h>
#include <dpr/queue.h>

#include "tools/eval/value.h"
#include "tools/shared/message.h"

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

/* These functions, sorted by name. */
extern const struct function builtins_list[];
extern const size_t builtins_count;

#endif
