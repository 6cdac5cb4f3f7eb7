/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_stages.c - writes kernels that compute rows in stages (stages_plan.h).
 *
 * A team computes a row.  The team goes over the row once for each reduction,
 * and once more to store results.  After a reduction every work-item of the
 * team has the reduced value.  If several stages need a step, each of these
 * stages computes the step again.
 */
#include "core/array/engine/gpu/gpu_stages.h"

#include "core/array/engine/gpu/gpu_rounds.h"
#include "core/array/engine/stages_plan.h"

/* Write code that finds where the team's row begins in each operand. */
static void find_places(struct machine *m, struct gpu_rounds *f)
{
	uint32_t at[SCHEDULE_OPERANDS], begin, rest;

	rest = gpu_rounds_begin(m, f, &begin);
	m->as->begin(m, at);
	m->as->axes(m, 0, rest, at);
	for (int k = 0; k < schedule_operands(m->graph); k++) {
		f->place[k].origin = at[k];
		if (m->schedule->inner[k] != SCHEDULE_NEXT)
			f->place[k].scale = m->as->word(m, m->words.step + k);
	}
}

/* Write the steps @set.  Each of these steps has one value for the whole
   row. */
static void add_singles(struct machine *m, const struct gpu_rounds *f,
			uint64_t set)
{
	m->as->steps(m, set, false, &f->once[m->graph->n_results]);
}

/* Write reduction @at of the plan: a walk over the row.  Afterwards every
   work-item of the team has the reduced value. */
static void add_reduction(struct machine *m, struct gpu_rounds *f,
			  const struct stages_plan *plan, int at)
{
	const struct schedule *whole = m->schedule;
	const struct schedule schedule = stages_plan_schedule(plan, at);
	const int i = plan->reduce[at];
	struct machine_element x;

	m->schedule = &schedule;
	f->set = plan->need[at];
	f->values = schedule.gpu.accumulators * f->pack;
	m->as->begin_values(m, m->graph->step[i].x[0], f->values);
	gpu_rounds_add(m, f);
	m->as->load_values(m, f->values);
	m->as->halves(m, f->values, 1, machine_at(0));
	if (f->is_team) {
		m->as->join(m, f->team, f->item, f->member);
		m->as->share(m, f->item, f->member);
	}
	x = m->as->finish(m, machine_at(0));
	m->as->take(m, i, &x);
	m->schedule = whole;
}

/* Write stores of the results that have one element for the row.  Only the
   first work-item of a team stores. */
static void store_once(struct machine *m, const struct gpu_rounds *f)
{
	const uint32_t items = m->as->choose(m, f->ok, m->as->number(m, 1),
					     m->as->number(m, 0));
	struct machine_if store;

	m->as->begin_if(m, &store, machine_is_below(m, f->member, items));
	for (int k = 0; k < m->graph->n_results; k++)
		if (gpu_rounds_is_once(m, f, k)) {
			const struct machine_element x =
				m->as->give(m, m->graph->result[k]);

			m->as->store(m, k, f->place[k].origin, &x);
		}
	m->as->end_if(m, &store);
}

static bool has_once(const struct machine *m, const struct gpu_rounds *f)
{
	for (int k = 0; k < m->graph->n_results; k++)
		if (gpu_rounds_is_once(m, f, k))
			return true;
	return false;
}

void gpu_stages_add(struct machine *m)
{
	struct stages_plan plan;
	struct gpu_rounds f;

	stages_plan_begin(&plan, m->graph, m->schedule);
	find_places(m, &f);
	gpu_rounds_load_once(m, &f);
	add_singles(m, &f, stages_plan_singles(&plan, -1));
	for (int at = 0; at < plan.n; at++) {
		add_reduction(m, &f, &plan, at);
		add_singles(m, &f, stages_plan_singles(&plan, at));
	}
	f.set = plan.need[plan.n];
	f.stores = true;
	f.values = 0;
	if (plan.end[plan.n])
		gpu_rounds_add(m, &f);
	if (has_once(m, &f))
		store_once(m, &f);
}
