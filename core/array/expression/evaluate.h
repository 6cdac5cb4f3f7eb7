/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.h - running a plan. */
#ifndef ARRAY_EVALUATE_H
#define ARRAY_EVALUATE_H

#include "core/array/expression/plan.h"

/* An evaluation of a plan: its operands, its queue and its results. */
struct evaluation {
	const struct plan *plan;
	const dpr_binding *bindings;
	size_t n_bindings;
	dpr_queue *queue; /* NULL: the queue of the arrays */
	/* The plan->n_results arrays to write the results to; NULL: make new
	   arrays. */
	dpr_array *const *into;
	struct place fault;
	/* If not NULL, called after each step, with that step's value. */
	dpr_status (*watch)(struct evaluation *evaluation, size_t step,
			    const struct value *value);
	void *user;
	/* Set by evaluate_run(): */
	const dpr_operand **operands; /* one per operand of the plan; NULL for a
					 constant */
	const dpr_array **arrays;     /* the operands that are arrays */
	const char **names;           /* the names of these arrays */
	size_t n_arrays;
	struct fusion fusion; /* the calls that are put off */
	struct value *values; /* one for each step */
	size_t *uses;         /* how many uses of each value are left */
};

/* Compute the results.  Without `into`, @results gets n_results new references,
   or nothing after a failure. */
dpr_status evaluate_run(struct evaluation *evaluation, dpr_array **results);

#endif
