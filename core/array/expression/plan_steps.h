/* SPDX-License-Identifier: Apache-2.0 */
/* plan_steps.h - the steps of a plan: adds them, and counts their uses. */
#ifndef ARRAY_PLAN_STEPS_H
#define ARRAY_PLAN_STEPS_H

#include "core/array/expression/plan.h"

/* Make room in *@list for one more element of @size bytes than its @count.
   *@room is the number of elements that fit.  Returns false if memory runs
   out. */
bool plan_steps_grow(void **list, size_t count, size_t *room, size_t size);

/* Add a step without arguments. */
dpr_status plan_steps_add(struct plan *plan, enum plan_kind kind,
			  struct place place, struct plan_step **out);

/* Add an argument to @step, the last step. */
dpr_status plan_steps_argument(struct plan *plan, struct plan_step *step,
			       size_t argument);

/* Set `choice` of the steps that compute arguments 1 and 2 of a call of
   either().  Argument 0 must be a call, and the steps of each argument must
   come behind those of the one before. */
void plan_steps_choose(struct plan *plan, const size_t *arguments);

/* Set `uses` and `orders` of each step of a new plan. */
void plan_steps_count_uses(struct plan *plan);

#endif
