/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - an expression as steps: names, functions and arguments are resolved,
 * and functions that the program defined are substituted.
 */
#ifndef ARRAY_PLAN_H
#define ARRAY_PLAN_H

#include <dpr/expression.h>

#include "core/array/expression/builtins.h"
#include "core/array/expression/definitions.h"

enum plan_kind {
	PLAN_OPERAND, /* operand */
	PLAN_VALUE,   /* value: a number, dtype or None */
	PLAN_TUPLE,   /* its arguments */
	PLAN_CALL     /* a call of `function`, with one argument for each
			 parameter */
};

/* An argument that was left out. */
#define PLAN_ABSENT ((size_t)-1)

struct plan_step {
	enum plan_kind kind;
	enum token_kind op; /* the operator of a call; TOKEN_END: none */
	/* it is an &, | or ^ without parentheses beside a comparison, such as
	   the | of "a | b > c" */
	bool loose;
	const struct function *function;
	struct place place;
	size_t operand;
	struct value value;
	size_t first, n; /* in arguments[]: indices of earlier steps */
	size_t uses;     /* how often needed steps and results use it */
};

/* Never changes once it is made. */
struct plan {
	char *text;
	struct plan_step *steps;
	size_t n_steps, steps_room;
	size_t *arguments;
	size_t n_arguments, arguments_room;
	dpr_expression_operand *operands;
	size_t n_operands, operands_room;
	size_t *results; /* steps */
	size_t n_results;
};

#define PLAN_MAX_STEPS 65536
#define PLAN_MAX_NAMES 256 /* operands, and names of statements */
#define PLAN_MAX_DEPTH 64  /* the depth of calls between functions */
#define PLAN_MAX_PARAMETERS 16

/* Make the plan of @text, which may call the functions of the list @own and of
   the process.  After a failure *@out is empty, and @fault mostly says where
   the text is wrong. */
dpr_status plan_make(const char *text, struct definition *own, struct plan *out,
		     struct place *fault);
void plan_free(struct plan *plan);

/* Check the body of @definition, which gets references to the functions of @own
   and of the process that it calls. */
dpr_status plan_check(struct definition *definition, struct definition *own,
		      struct place *fault);

#endif
