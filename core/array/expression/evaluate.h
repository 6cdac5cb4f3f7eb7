/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.h - evaluates a plan. */
#ifndef ARRAY_EVALUATE_H
#define ARRAY_EVALUATE_H

#include "core/array/expression/plan.h"

/* An evaluation of a plan.  The caller sets the members down to `user`, except
   `fault`.  After a failure, `fault` is the faulty place in the text. */
struct evaluation {
	const struct plan *plan;
	const dpr_binding *bindings;
	size_t n_bindings;
	/* For a call of a function of derived_table.h.  name: the name of the
	   function.  given: a value for each operand, in place of the bindings.
	   Both are NULL for expressions. */
	const char *name;
	const struct value *given;
	dpr_queue *queue; /* if NULL, it is set to the queue of the arrays */
	/* The plan->n_results arrays that receive the results.  If NULL, new
	   arrays are made. */
	dpr_array *const *into;
	struct place fault;
	/* Called after each step with its value, if not NULL. */
	dpr_status (*watch)(struct evaluation *evaluation, size_t step,
			    const struct value *value);
	void *user;
	/* The members below are set by evaluate_run(). */
	/* the value bound to each operand of the plan; NULL for a constant such
	   as pi */
	const dpr_operand **operands;
	const dpr_array **arrays; /* the operands that are arrays */
	const char **names;       /* the names of these arrays */
	size_t n_arrays;
	struct fusion fusion; /* the deferred calls */
	struct value *values; /* the value of each step */
	size_t *uses;         /* the number of remaining uses of each value */
};

/* Compute the results.  If `into` is NULL, @results gets n_results new
   references; after a failure @results gets none. */
dpr_status evaluate_run(struct evaluation *evaluation, dpr_array **results);

#endif
