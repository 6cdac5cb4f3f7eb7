/* SPDX-License-Identifier: Apache-2.0 */
/* plan_steps.c - the steps of a plan: adds them, and counts their uses. */
#include "core/array/expression/plan_steps.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"

bool plan_steps_grow(void **list, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *bigger;

	if (count < *room)
		return true;
	bigger = mem_grow(*list, more, size);
	if (!bigger)
		return false;
	*list = bigger;
	*room = more;
	return true;
}

dpr_status plan_steps_add(struct plan *plan, enum plan_kind kind,
			  struct place place, struct plan_step **out)
{
	if (!plan_steps_grow((void **)&plan->steps, plan->n_steps,
			     &plan->steps_room, sizeof(*plan->steps)))
		return fail_memory("expression");
	*out = &plan->steps[plan->n_steps++];
	memset(*out, 0, sizeof(**out));
	(*out)->kind = kind;
	(*out)->place = place;
	(*out)->first = plan->n_arguments;
	(*out)->choice = PLAN_ABSENT;
	return DPR_OK;
}

dpr_status plan_steps_argument(struct plan *plan, struct plan_step *step,
			       size_t argument)
{
	if (!plan_steps_grow((void **)&plan->arguments, plan->n_arguments,
			     &plan->arguments_room, sizeof(*plan->arguments)))
		return fail_memory("expression");
	plan->arguments[plan->n_arguments++] = argument;
	step->n++;
	return DPR_OK;
}

void plan_steps_choose(struct plan *plan, const size_t *arguments)
{
	const size_t choice = arguments[0];
	size_t at = choice + 1;

	for (int i = 1; i <= 2; i++)
		for (; at <= arguments[i]; at++) {
			struct plan_step *step = &plan->steps[at];

			if (step->choice != PLAN_ABSENT)
				continue;
			step->choice = choice;
			step->chosen = i == 1;
		}
}

/* Set `orders` for the first argument of a reduction.  If this argument is a
   view, also set `orders` for the first argument of the view, and so on.  A
   reduction then adds in the same order as if each function were called alone.
   */
static void mark_order(struct plan *plan, const struct plan_step *step)
{
	const struct function *f = step->function;
	const bool is_view = step->kind == PLAN_VIEW ||
			     (f && f->run && f->fuses == FUSION_NONE);

	if (step->n && ((f && f->deferred) || (is_view && step->orders)) &&
	    plan->arguments[step->first] != PLAN_ABSENT)
		plan->steps[plan->arguments[step->first]].orders = true;
}

/* Count the uses of the steps that a result needs, from the last step to the
   first. */
void plan_steps_count_uses(struct plan *plan)
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
