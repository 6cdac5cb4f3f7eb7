/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_run.c - writes the code for a run: the few elements that a work-item
   takes in a kernel without reductions. */
#include "core/array/engine/gpu/gpu_run.h"

uint32_t gpu_run_index(struct machine *m, const struct gpu_run_place *place,
		       uint32_t at)
{
	if (place->way == GPU_RUN_FIXED)
		return place->origin;
	if (place->scale)
		at = machine_product(m, at, place->scale);
	return place->origin ? machine_sum(m, place->origin, at) : at;
}

void gpu_run_begin_loop(struct machine *m, const struct gpu_run *run,
			struct machine_loop *loop)
{
	m->as->begin_loop(m, loop, run->begin, run->end,
			  m->as->number(m, run->step));
}

/* Write a load, from operand @k, of the element with count @at (gpu_run.h). */
static struct machine_element load(struct machine *m, const struct gpu_run *run,
				   int k, uint32_t at)
{
	const struct gpu_run_place *place = &run->place[k];
	const uint32_t index = gpu_run_index(m, place, at);

	return place->way == GPU_RUN_LOCAL
		       ? m->as->load_local(m, k, place->array, index)
		       : m->as->load(m, k, index);
}

/* Whether input @k is a source: the steps load its elements themselves. */
static bool is_source(const struct machine *m, int k)
{
	return schedule_is_source(m->graph, m->graph->n_results + k);
}

/* --- Together ----------------------------------------------------------- */

uint32_t gpu_run_count(struct machine *m, const struct gpu_run *run,
		       struct machine_index j)
{
	if (machine_is_zero(j))
		return run->begin;
	return machine_sum(
		m, run->begin,
		m->as->index(m, machine_place(j, run->step, machine_at(0))));
}

/* The run whose elements are computed by the code that is being written.  `k`
   is the operand to load or store; add_element() does not use it. */
struct together {
	struct machine *m;
	const struct gpu_run *run;
	bool fast;
	int k;
	struct machine_pack *in, *out;
};

static void load_element(void *context, struct machine_index j)
{
	const struct together *t = context;
	const struct machine_element x =
		load(t->m, t->run, t->k, gpu_run_count(t->m, t->run, j));

	t->m->as->put(t->m, t->in, j, &x);
}

void gpu_run_load(struct machine *m, const struct gpu_run *run, int k,
		  struct machine_pack *in)
{
	const enum gpu_run_way way = run->place[k].way;
	struct together t = { .m = m, .run = run, .k = k, .in = in };

	in->k = k;
	in->n = way == GPU_RUN_FIXED ? 1 : run->n;
	in->vector = way == GPU_RUN_PACK ? run->n : 0;
	m->as->begin_pack(m, in);
	if (way == GPU_RUN_PACK)
		m->as->load_pack(m, in, machine_at(0), run->n,
				 gpu_run_index(m, &run->place[k], run->begin));
	else
		m->as->each(m, in->n, MACHINE_ITEM, load_element, &t);
}

static void store_element(void *context, struct machine_index j)
{
	const struct together *t = context;
	const struct machine_element x = t->m->as->get(t->m, t->out, j);

	t->m->as->store(t->m, t->k,
			gpu_run_index(t->m, &t->run->place[t->k],
				      gpu_run_count(t->m, t->run, j)),
			&x);
}

/* Write a store of element @x of result @k, which a GRAPH_PUT stores.  The
   value of step @place says how far behind its place the element is stored.
   The run has one element. */
static void store_put(struct machine *m, const struct gpu_run *run, int k,
		      int place, const struct machine_element *x)
{
	const uint32_t at = m->as->value(m, place);
	const uint32_t origin = run->place[k].origin;
	struct machine_if stored;

	m->as->begin_if(
		m, &stored,
		m->as->compute(m, MACHINE_REACHES, at, m->as->number(m, 0)));
	m->as->store(m, k, origin ? machine_sum(m, origin, at) : at, x);
	m->as->end_if(m, &stored);
}

static void store_result(struct machine *m, const struct gpu_run *run, int k,
			 struct machine_pack *out)
{
	const int place = graph_place(m->graph, k);
	struct together t = { .m = m, .run = run, .k = k, .out = out };

	if (place >= 0)
		store_put(m, run, k, place, &out->at[0]);
	else if (out->vector)
		m->as->store_pack(m, out, machine_at(0), run->n,
				  gpu_run_index(m, &run->place[k], run->begin));
	else
		m->as->each(m, run->n, MACHINE_ITEM, store_element, &t);
}

/* Whether input @k is a source that is read in packs. */
static bool is_packed(const struct machine *m, const struct gpu_run *run, int k)
{
	return is_source(m, k) &&
	       run->place[m->graph->n_results + k].way == GPU_RUN_PACK;
}

/* Get element @j of input @k from the registers.  A source that is not read in
   packs has none there. */
static struct machine_element get_input(const struct together *t, int k,
					struct machine_index j)
{
	const struct machine_element none = { { 0 } };

	if (is_source(t->m, k) && !is_packed(t->m, t->run, k))
		return none;
	return t->m->as->get(t->m, &t->in[k],
			     t->in[k].n == 1 ? machine_at(0) : j);
}

/* The steps that compute the places in all sources that are read in packs. */
static uint64_t find_places(const struct machine *m, const struct gpu_run *run)
{
	uint64_t found = 0;

	for (int i = m->graph->n_steps - 1; i >= 0; i--) {
		const struct graph_step *step = &m->graph->step[i];
		const bool is_place = step->kind == GRAPH_GATHER &&
				      is_packed(m, run, step->at);

		for (int k = 0; k < step->n && (is_place || found >> i & 1);
		     k++)
			found |= UINT64_C(1) << step->x[k];
	}
	return found;
}

/* Write code that loads a pack of each source that is read in packs.  The place
   of the first element is computed before the steps of the run. */
static void load_sources(const struct together *t)
{
	struct machine *m = t->m;
	const uint64_t places = find_places(m, t->run);
	struct machine_element in[GRAPH_INPUTS] = { { { 0 } } };

	if (!places)
		return;
	for (int k = 0; k < m->graph->n_inputs; k++)
		if (!is_source(m, k))
			in[k] = get_input(t, k, machine_at(0));
	m->as->steps(m, places, false, in);
	for (int i = 0; i < m->graph->n_steps; i++) {
		const struct graph_step *step = &m->graph->step[i];
		struct machine_pack *pack = &t->in[step->at];

		if (step->kind != GRAPH_GATHER ||
		    !is_packed(m, t->run, step->at))
			continue;
		pack->k = m->graph->n_results + step->at;
		pack->n = pack->vector = t->run->n;
		m->as->begin_pack(m, pack);
		m->as->load_pack(m, pack, machine_at(0), t->run->n,
				 machine_sum(m,
					     t->run->place[pack->k].origin,
					     m->as->value(m, step->x[0])));
	}
}

/* Write the steps for element @j of a run, and put the results into
   registers. */
static void add_element(void *context, struct machine_index j)
{
	const struct together *t = context;
	struct machine *m = t->m;
	struct machine_element in[GRAPH_INPUTS];

	for (int k = 0; k < m->graph->n_inputs; k++)
		in[k] = get_input(t, k, j);
	m->as->steps(m, MACHINE_ALL, t->fast, in);
	for (int k = 0; k < m->graph->n_results; k++) {
		const struct machine_element x =
			m->as->give(m, graph_stored(m->graph, k));

		m->as->put(m, &t->out[k], j, &x);
	}
}

/* Write code that computes all elements of a whole run at once.  Pass @fast =
   true to take the fast paths of the steps (kernels/step.cl).  @branch is then
   the branch around this code.  If a fast path was wrong for any element, the
   kernel leaves the branch before a result is stored.  The loop after the
   branch (add_loop()) then computes the run again. */
static void add_together(struct machine *m, const struct gpu_run *run,
			 bool fast, const struct machine_if *branch)
{
	const int results = m->graph->n_results;
	struct machine_pack in[GRAPH_INPUTS], out[GRAPH_RESULTS];
	struct together t = {
		.m = m, .run = run, .fast = fast, .in = in, .out = out
	};

	for (int k = 0; k < m->graph->n_inputs; k++)
		if (!is_source(m, k))
			gpu_run_load(m, run, results + k, &in[k]);
	load_sources(&t);
	for (int k = 0; k < results; k++) {
		out[k].k = k;
		out[k].n = run->n;
		out[k].vector = run->place[k].way == GPU_RUN_PACK ? run->n : 0;
		m->as->begin_pack(m, &out[k]);
	}
	m->as->each(m, run->n, MACHINE_ITEM, add_element, &t);
	if (fast)
		m->as->check_fast(m, branch);
	for (int k = 0; k < results; k++)
		store_result(m, run, k, &out[k]);
}

/* --- In a loop ---------------------------------------------------------- */

static void add_loop(struct machine *m, const struct gpu_run *run)
{
	const int results = m->graph->n_results;
	struct machine_element in[GRAPH_INPUTS] = { { { 0 } } };
	struct machine_element out[GRAPH_RESULTS];
	struct machine_loop loop;

	gpu_run_begin_loop(m, run, &loop);
	for (int k = 0; k < m->graph->n_inputs; k++)
		if (!is_source(m, k))
			in[k] = load(m, run, results + k, loop.at);
	m->as->steps(m, MACHINE_ALL, false, in);
	for (int k = 0; k < results; k++)
		out[k] = m->as->give(m, m->graph->result[k]);
	for (int k = 0; k < results; k++)
		m->as->store(m, k, gpu_run_index(m, &run->place[k], loop.at),
			     &out[k]);
	m->as->end_loop(m, &loop);
}

/* --- A run -------------------------------------------------------------- */

void gpu_run_add(struct machine *m, const struct gpu_run *run)
{
	/* For a single element, each step is a call of the function that is
	   right for every value.  The called function chooses the fast path by
	   itself. */
	const bool fast = run->n > 1 && m->as->is_guarded(m);
	struct machine_if whole;

	if (run->n > 1 && m->as->way(m, MACHINE_ALL, run->n, true)) {
		add_loop(m, run);
		return;
	}
	if (!run->whole && !fast) {
		add_together(m, run, false, NULL);
		return;
	}
	m->as->begin_if(m, &whole, run->whole);
	add_together(m, run, fast, &whole);
	if (run->n > 1)
		m->as->leave(m);
	m->as->end_if(m, &whole);
	/* A run that is not whole has fewer than n elements.  With n = 1 no
	   element is left to compute. */
	if (run->n > 1)
		add_loop(m, run);
}
