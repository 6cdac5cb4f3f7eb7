/* SPDX-License-Identifier: Apache-2.0 */
/* plan_uses.c - counts the uses of the steps of a plan. */
#include "core/array/expression/plan_uses.h"

/* Set `orders` for the first argument of a reduction.  If this argument is a
   view, also set `orders` for the first argument of the view, and so on.  A
   reduction then adds in the same order as if each function were called alone.
   */
static void mark_order(struct plan *plan, const struct plan_step *step)
{
	const struct function *f = step->function;
	const bool is_view = step->kind == PLAN_VIEW ||
			     (f && f->run && f->fuses == FUSION_NONE);

	if (step->n && ((f && f->reduces) || (is_view && step->orders)) &&
	    plan->arguments[step->first] != PLAN_ABSENT)
		plan->steps[plan->arguments[step->first]].orders = true;
}

/* Count the uses of the steps that a result needs, from the last step to the
   first. */
void plan_uses_count(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_results; i++)
		plan->steps[plan->results[i]].uses++;
	for (size_t i = plan->n_steps; i-- > 0;) {
		const struct plan_step *step = &plan->steps[i];
		const size_t *arguments = plan->arguments + step->first;

		if (!step->uses)
			continue;
		mark_order(plan, step);
		for (size_t k = 0; k < step->n; k++)
			if (arguments[k] != PLAN_ABSENT)
				plan->steps[arguments[k]].uses++;
	}
}
