/* SPDX-License-Identifier: Apache-2.0 */
/* builtins.h - the functions of an expression that are not elementwise. */
#ifndef ARRAY_BUILTINS_H
#define ARRAY_BUILTINS_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/array.h>

#include "core/array/expression/place.h"
#include "core/array/expression/value.h"

#define BUILTINS_PARAMETERS 4

/* The parameters of a function, built-in or of the program's own. */
struct signature {
	const char *name;
	int required;   /* parameters that must be given */
	int positional; /* parameters that may be given without their name */
	int n;
	const char *const *parameters;
};

/* A call in progress: argument i belongs to parameter i, and is empty if it was
   left out.  The arguments are borrowed. */
struct function_call {
	const struct function *function;
	dpr_queue *queue; /* for arrays that are made from numbers */
	const dpr_array *const *operands; /* arrays that the caller bound */
	size_t n_operands;
	struct value arguments[BUILTINS_PARAMETERS];
	struct place places[BUILTINS_PARAMETERS]; /* of the arguments */
	struct place place;                       /* of the function's name */
	dpr_array *made[BUILTINS_PARAMETERS];     /* arrays that were made from
						     numbers */
	struct value result;
	struct place *fault;
	struct fusion *fusion; /* computes arguments that are put off */
	bool again;            /* argument 0 is used again later */
};

typedef dpr_status (*builtins_run)(struct function_call *call);

struct function {
	struct signature signature;
	builtins_run run;       /* NULL: elementwise */
	enum fusion_kind fuses; /* how a call can be put off */
	bool reduces;           /* argument 0 may be put off when it runs */
	/* Of an elementwise function: its number in the table of operations,
	   and the library's functions for it; the others are NULL. */
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

/* The functions of builtins.c. */
extern const struct function builtins_list[];
extern const size_t builtins_count;

#endif
