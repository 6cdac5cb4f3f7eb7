/* SPDX-License-Identifier: Apache-2.0 */
/* stages_plan.c - decides in which stage a kernel of SCHEDULE_STAGES computes
   each step. */
#include "core/array/engine/stages_plan.h"

#include "core/array/engine/operations.h"
#include "core/array/engine/reduce_table.h"

#define BIT(i) STAGES_PLAN_BIT(i)

/* MOST_STEPS: the most steps that the code may have, counted for each stage and
   for each element of a pack.  MOST_LONG: the most stages that may compute the
   same long function. */
#define MOST_STEPS 512
#define MOST_LONG 2

/* Find the uniform steps, which have one value for a row. */
static void find_uniform(struct stages_plan *plan)
{
	const struct graph *graph = plan->graph;

	for (int i = 0; i < graph->n_steps; i++) {
		const struct graph_step *step = &graph->step[i];
		bool all =
			!graph_is_input(step) ||
			!stages_plan_is_row(plan, graph->n_results + step->at);

		for (int k = 0; k < step->n && step->kind != GRAPH_REDUCE; k++)
			all &= plan->uniform >> step->x[k] & 1;
		plan->uniform |= all ? BIT(i) : 0;
	}
}

/* The steps @set and all steps that they need for each element; uniform steps
   are left out.  The values of the steps @known have been kept, so the steps
   that compute these values are not needed. */
static uint64_t reach(const struct stages_plan *plan, uint64_t set,
		      uint64_t known)
{
	const struct graph *graph = plan->graph;

	set &= ~plan->uniform;
	for (int i = graph->n_steps - 1; i >= 0; i--)
		for (int k = 0; (set & ~known) >> i & 1 && k < graph->step[i].n;
		     k++)
			set |= BIT(graph->step[i].x[k]) & ~plan->uniform;
	return set;
}

static void find_needs(struct stages_plan *plan)
{
	uint64_t known = 0;

	for (int at = 0; at <= plan->n; at++) {
		plan->need[at] = reach(plan, plan->end[at], known);
		known |= plan->need[at] & plan->kept;
	}
}

void stages_plan_begin(struct stages_plan *plan, const struct graph *graph,
		       const struct schedule *schedule)
{
	*plan = (struct stages_plan){ .graph = graph, .schedule = schedule };
	find_uniform(plan);
	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == GRAPH_REDUCE) {
			plan->end[plan->n] = BIT(graph->step[i].x[0]);
			plan->reduce[plan->n++] = i;
		}
	for (int k = 0; k < graph->n_results; k++)
		if (stages_plan_is_row(plan, k))
			plan->end[plan->n] |= BIT(graph->result[k]);
	find_needs(plan);
}

/* The number of stages that compute step @i. */
static int count_stages(const struct stages_plan *plan, int i)
{
	int stages = 0;

	for (int at = 0; at <= plan->n; at++)
		stages += plan->need[at] >> i & 1;
	return stages;
}

void stages_plan_keep(struct stages_plan *plan, stages_plan_dear *is_dear,
		      void *context)
{
	for (int i = plan->graph->n_steps - 1; i >= 0; i--) {
		if (count_stages(plan, i) < 2 ||
		    graph_is_input(&plan->graph->step[i]) ||
		    !is_dear(plan, reach(plan, BIT(i), 0), context))
			continue;
		plan->kept |= BIT(i);
		find_needs(plan);
	}
}

void stages_plan_forget(struct stages_plan *plan)
{
	plan->kept = 0;
	find_needs(plan);
}

bool stages_plan_needs(const struct stages_plan *plan, int at, int k)
{
	const struct graph *graph = plan->graph;

	for (int i = 0; i < graph->n_steps; i++)
		if (graph_is_input(&graph->step[i]) &&
		    graph->step[i].at == k - graph->n_results)
			return plan->need[at] >> i & 1;
	return false;
}

uint64_t stages_plan_singles(const struct stages_plan *plan, int at)
{
	const int begin = at < 0 ? 0 : plan->reduce[at] + 1;
	const int end =
		at + 1 < plan->n ? plan->reduce[at + 1] : plan->graph->n_steps;
	uint64_t set = 0;

	for (int i = begin; i < end; i++)
		set |= plan->uniform & BIT(i);
	return set;
}

bool stages_plan_is_long(const struct graph *graph,
			 const struct schedule *schedule)
{
	struct stages_plan plan;
	int all = 0;

	stages_plan_begin(&plan, graph, schedule);
	for (int i = 0; i < graph->n_steps; i++) {
		const struct graph_step *step = &graph->step[i];
		const int stages = count_stages(&plan, i);

		if (stages > MOST_LONG && step->kind == GRAPH_OPERATION &&
		    operations_table[step->at].family == OPERATIONS_MATH)
			return true;
		all += stages;
	}
	return all * schedule->gpu.pack > MOST_STEPS;
}

struct schedule stages_plan_schedule(const struct stages_plan *plan, int at)
{
	const struct graph_step *step = &plan->graph->step[plan->reduce[at]];
	struct schedule schedule = *plan->schedule;

	schedule.reduction = (uint8_t)step->at;
	schedule.sum = step->compute;
	schedule.result = step->dtype;
	if (reduce_table_is_exact((enum reduction)step->at, step->compute))
		schedule.gpu.accumulators = 1;
	return schedule;
}
