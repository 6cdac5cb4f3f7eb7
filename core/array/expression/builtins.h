/* SPDX-License-Identifier: Apache-2.0 */
/* builtins.h - functions in expressions, except elementwise ones. */
#ifndef ARRAY_BUILTINS_H
#define ARRAY_BUILTINS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <dpr/array.h>

#include "core/array/expression/place.h"
#include "core/array/expression/value.h"

#define BUILTINS_PARAMETERS 6

/* The parameters of a built-in function, or of a function of the program. */
struct signature {
	const char *name;
	int required; /* the number of parameters that must be given */
	/* the number of parameters that may be given without a name */
	int positional;
	int n;
	const char *const *parameters;
};

/* A call in progress.  Argument i belongs to parameter i; an argument that was
   left out is VALUE_EMPTY.  The arguments are borrowed. */
struct function_call {
	const struct function *function;
	dpr_queue *queue; /* where arrays are made from numbers */
	const dpr_array *const *operands; /* the arrays that the caller bound */
	size_t n_operands;
	struct value arguments[BUILTINS_PARAMETERS];
	/* the places of the arguments */
	struct place places[BUILTINS_PARAMETERS];
	struct place place; /* the place of the function's name */
	/* 0-d arrays made from arguments that are numbers */
	dpr_array *made[BUILTINS_PARAMETERS];
	struct value result;
	struct place *fault;
	struct fusion *fusion; /* computes deferred arguments */
	bool again;            /* set if a later step uses argument 0, too */
};

struct derived;

typedef dpr_status (*builtins_run)(struct function_call *call);

struct function {
	struct signature signature;
	builtins_run run;       /* NULL for an elementwise function */
	enum fusion_kind fuses; /* how a call can be deferred */
	/* the number of arguments, from the first on, that may still be
	   deferred when `run` is called; 0 except for reductions, take(),
	   functions such as zeros_like(), and functions of inner/ */
	int deferred;
	/* the text that plan.c substitutes for a call; `run` is then NULL.
	   NULL for other functions. */
	const struct derived *derived;
	/* The number of results of a function that has several, else 0.  The
	   result of `run` is then a tuple. */
	int results;
	/* Set for either(): only one of arguments 1 and 2 is computed. */
	bool chooses;
	/* Set only for elementwise functions.  operation: the index in
	   operations_table.  Of the function pointers, only the two that take
	   the function's number of operands are set. */
	int operation;
	dpr_status (*unary)(dpr_operand, dpr_array **);
	dpr_status (*binary)(dpr_operand, dpr_operand, dpr_array **);
	dpr_status (*ternary)(dpr_operand, dpr_operand, dpr_operand,
			      dpr_array **);
	dpr_status (*unary_into)(dpr_operand, dpr_array *);
	dpr_status (*binary_into)(dpr_operand, dpr_operand, dpr_array *);
	dpr_status (*ternary_into)(dpr_operand, dpr_operand, dpr_operand,
				   dpr_array *);
};

/* Whether the function has the name of @length bytes at @name. */
static inline bool builtins_is(const struct function *function,
			       const char *name, size_t length)
{
	const char *own = function->signature.name;

	/* The first byte tells most names apart. */
	return *own == *name && !strncmp(own, name, length) && !own[length];
}

/* The table of functions in builtins.c. */
extern const struct function builtins_list[];
extern const size_t builtins_count;

#endif
