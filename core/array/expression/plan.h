/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - an expression as a list of steps.  Names, functions and arguments
 * are resolved, and the bodies of the program's functions are substituted for
 * their calls.
 */
#ifndef ARRAY_PLAN_H
#define ARRAY_PLAN_H

#include <dpr/expression.h>

#include "core/array/expression/builtins.h"
#include "core/array/expression/definitions.h"

/* The kinds of steps.  After the colon: the members of struct plan_step that a
   kind uses.  All but the first two also use the arguments. */
enum plan_kind {
	PLAN_OPERAND, /* an operand of the expression: `operand` */
	PLAN_VALUE,   /* a number, dtype or None: `value` */
	PLAN_TUPLE,   /* a tuple of the arguments */
	PLAN_VIEW,    /* the argument, indexed: `first_index`, `n_indices` */
	/* a call, with one argument for each parameter: `function` */
	PLAN_CALL,
	/* The arguments are the results of a function that has several.  This
	   step is not evaluated: only a statement that names each result, and
	   the end of a text, can use it. */
	PLAN_RESULTS
};

/* Stands for an argument that was left out. */
#define PLAN_ABSENT ((size_t)-1)

struct plan_step {
	enum plan_kind kind;
	/* the operator of a call; TOKEN_END if there is none */
	enum token_kind op;
	/* Set if the step is an &, | or ^ without parentheses beside a
	   comparison, such as the | of "a | b > c". */
	bool loose;
	/* Set if a reduction adds this value in the order of its layout.  If
	   the step indexes a deferred array, this array must then be computed
	   first: only a view of a computed array has a layout of its own. */
	bool orders;
	const struct function *function;
	/* the name of the outermost function whose text (derived_table.c) has
	   the step; NULL if there is none */
	const char *derived;
	struct place place;
	/* The step computes an argument of either(), and runs only if the value
	   of step `choice` is `chosen`.  PLAN_ABSENT: the step always runs. */
	size_t choice;
	bool chosen;
	size_t operand;
	struct value value;
	/* the arguments: n earlier steps, listed in arguments[] from `first`
	   on */
	size_t first, n;
	/* the indices: n_indices of indices[], from first_index on */
	size_t first_index, n_indices;
	/* the number of uses of the value, by results and by steps that a
	   result needs */
	size_t uses;
};

/* A plan.  It never changes once it is made. */
struct plan {
	char *text;
	struct plan_step *steps;
	size_t n_steps, steps_room;
	size_t *arguments;
	size_t n_arguments, arguments_room;
	dpr_index *indices;
	size_t n_indices, indices_room;
	dpr_expression_operand *operands;
	size_t n_operands, operands_room;
	size_t *results; /* the steps that compute the results */
	size_t n_results;
};

#define PLAN_MAX_STEPS 65536
/* the most operands, and the most names of statements */
#define PLAN_MAX_NAMES 256
#define PLAN_MAX_DEPTH 64 /* the most levels of calls between functions */
#define PLAN_MAX_PARAMETERS 16

/* Make the plan of @text, which may call the functions of the list @own and of
   the process.  After a failure *@out is empty.  @fault is then the faulty
   place in the text, where there is one. */
dpr_status plan_make(const char *text, struct definition *own, struct plan *out,
		     struct place *fault);
void plan_free(struct plan *plan);

/* Check the body of @definition.  The body may call functions of the list @own
   and of the process; @definition gets references to the functions that it
   calls. */
dpr_status plan_check(struct definition *definition, struct definition *own,
		      struct place *fault);

#endif
