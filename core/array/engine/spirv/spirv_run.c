/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_run.c - the elements of a work-item, as SPIR-V. */
#include "core/array/engine/spirv/spirv_run.h"

/* The most words of SPIR-V of all functions that are computed together. */
#define LONG_RUN 6000

uint32_t spirv_run_index(struct spirv_steps *e,
			 const struct spirv_run_place *place, uint32_t at)
{
	if (place->way == SPIRV_RUN_FIXED)
		return place->origin;
	if (place->scale)
		at = spirv_access_product(e, at, place->scale);
	return place->origin ? spirv_access_sum(e, place->origin, at) : at;
}

static unsigned parts_of(const struct spirv_steps *e, int k)
{
	return spirv_steps_parts(spirv_access_dtype(e, k));
}

/* --- Together --------------------------------------------------------------
 */

uint32_t spirv_run_count(struct spirv_steps *e, const struct spirv_run *run,
			 unsigned j)
{
	return j ? spirv_access_sum(
			   e, run->begin,
			   spirv_access_number(e, (uint64_t)j * run->step))
		 : run->begin;
}

void spirv_run_load(struct spirv_steps *e, const struct spirv_run *run, int k,
		    struct spirv_access_pack *in)
{
	const struct spirv_run_place *place = &run->place[k];
	const unsigned parts = parts_of(e, k);
	uint32_t index = spirv_run_index(e, place, run->begin);

	if (place->way == SPIRV_RUN_PACK) {
		spirv_access_load_pack(e, k, run->n, index, in);
		return;
	}
	for (unsigned j = 0; j < run->n; j++) {
		uint32_t *part = &in->part[j * parts];

		if (place->way == SPIRV_RUN_FIXED && j > 0) {
			for (unsigned p = 0; p < parts; p++)
				part[p] = in->part[p];
			continue;
		}
		if (j > 0)
			index = spirv_run_index(e, place,
						spirv_run_count(e, run, j));
		if (place->way == SPIRV_RUN_LOCAL)
			spirv_access_load_local(e, spirv_access_dtype(e, k),
						place->array, index, part);
		else
			spirv_access_load(e, k, index, part);
	}
}

static void store_result(struct spirv_steps *e, const struct spirv_run *run,
			 int k, const struct spirv_access_pack *out)
{
	const struct spirv_run_place *place = &run->place[k];

	if (place->way == SPIRV_RUN_PACK) {
		spirv_access_store_pack(e, k, run->n,
					spirv_run_index(e, place, run->begin),
					out);
		return;
	}
	for (unsigned j = 0; j < run->n; j++)
		spirv_access_store(
			e, k,
			spirv_run_index(e, place, spirv_run_count(e, run, j)),
			&out->part[j * parts_of(e, k)]);
}

/* Append the steps for element @j of a run. */
static void add_element(struct spirv_steps *e, unsigned j, bool fast,
			const struct spirv_access_pack *all_in,
			struct spirv_access_pack *all_out)
{
	uint32_t in[GRAPH_INPUTS][SPIRV_STEPS_PARTS];
	uint32_t out[GRAPH_RESULTS][SPIRV_STEPS_PARTS];
	unsigned parts;

	for (int k = 0; k < e->graph->n_inputs; k++) {
		parts = parts_of(e, e->graph->n_results + k);
		for (unsigned p = 0; p < parts; p++)
			in[k][p] = all_in[k].part[j * parts + p];
	}
	spirv_steps_element(e, fast, in, out);
	for (int k = 0; k < e->graph->n_results; k++) {
		parts = parts_of(e, k);
		for (unsigned p = 0; p < parts; p++)
			all_out[k].part[j * parts + p] = out[k][p];
	}
}

/* Whether the steps take their fast paths.  For one element the functions
   decide themselves. */
static bool has_fast_path(const struct spirv_steps *e,
			  const struct spirv_run *run)
{
	return run->n > 1 && spirv_steps_is_guarded(e);
}

/* Append straight-line code for a whole run.  If one of its elements must not
   take the fast path, go to @slow before anything is stored. */
static void add_together(struct spirv_steps *e, const struct spirv_run *run,
			 uint32_t slow)
{
	const bool guarded = has_fast_path(e, run);
	struct spirv_access_pack in[GRAPH_INPUTS], out[GRAPH_RESULTS];
	uint32_t any, stores;

	for (int k = 0; k < e->graph->n_inputs; k++)
		spirv_run_load(e, run, e->graph->n_results + k, &in[k]);
	for (unsigned j = 0; j < run->n; j++)
		add_element(e, j, guarded, in, out);
	if (guarded) {
		stores = spirv_module_id(&e->module);
		any = SPIRV_MAKE(
			&e->module, I_NOT_EQUAL, spirv_access_bool_type(e),
			e->any,
			spirv_module_global(&e->module, SPIRV_CONSTANT,
					    spirv_module_integer(&e->module, 8),
					    SPIRV_WORDS(0)));
		spirv_access_branch_if(e, any, slow, stores);
		spirv_access_label(e, stores);
	}
	for (int k = 0; k < e->graph->n_results; k++)
		store_result(e, run, k, &out[k]);
	spirv_access_leave(e);
}

/* --- In a loop -------------------------------------------------------------
 */

uint32_t spirv_run_open(struct spirv_steps *e, const struct spirv_run *run,
			struct spirv_run_loop *loop)
{
	struct spirv_module *m = &e->module;
	const uint32_t type = spirv_access_number_type(e);
	const uint32_t test = spirv_module_id(m), body = spirv_module_id(m);
	uint32_t at;

	loop->variable = spirv_module_variable(
		m, spirv_module_pointer(m, SPIRV_CLASS_FUNCTION, type), 8);
	loop->head = spirv_module_id(m);
	loop->more = spirv_module_id(m);
	loop->end = spirv_module_id(m);
	SPIRV_DO(m, STORE, loop->variable, run->begin, SPIRV_ACCESS_ALIGNED, 8);
	spirv_access_branch(e, loop->head);
	spirv_access_label(e, loop->head);
	SPIRV_DO(m, LOOP_MERGE, loop->end, loop->more, SPIRV_LOOP_ROLLED);
	spirv_access_branch(e, test);
	spirv_access_label(e, test);
	at = SPIRV_MAKE(m, LOAD, type, loop->variable, SPIRV_ACCESS_ALIGNED, 8);
	spirv_access_branch_if(e, spirv_access_is_below(e, at, run->end), body,
			       loop->end);
	spirv_access_label(e, body);
	return at;
}

void spirv_run_close(struct spirv_steps *e, const struct spirv_run *run,
		     uint32_t at, const struct spirv_run_loop *loop)
{
	uint32_t next;

	spirv_access_branch(e, loop->more);
	spirv_access_label(e, loop->more);
	next = spirv_access_sum(e, at, spirv_access_number(e, run->step));
	SPIRV_DO(&e->module, STORE, loop->variable, next, SPIRV_ACCESS_ALIGNED,
		 8);
	spirv_access_branch(e, loop->head);
	spirv_access_label(e, loop->end);
}

static void add_loop(struct spirv_steps *e, const struct spirv_run *run)
{
	uint32_t in[GRAPH_INPUTS][SPIRV_STEPS_PARTS];
	uint32_t out[GRAPH_RESULTS][SPIRV_STEPS_PARTS];
	const int results = e->graph->n_results;
	struct spirv_run_loop loop;
	const uint32_t at = spirv_run_open(e, run, &loop);

	for (int k = results; k < frame_operands(e->graph); k++) {
		const struct spirv_run_place *place = &run->place[k];
		const uint32_t index = spirv_run_index(e, place, at);

		if (place->way == SPIRV_RUN_LOCAL)
			spirv_access_load_local(e, spirv_access_dtype(e, k),
						place->array, index,
						in[k - results]);
		else
			spirv_access_load(e, k, index, in[k - results]);
	}
	spirv_steps_element(e, false, in, out);
	for (int k = 0; k < results; k++)
		spirv_access_store(e, k, spirv_run_index(e, &run->place[k], at),
				   out[k]);
	spirv_run_close(e, run, at, &loop);
	spirv_access_leave(e);
}

/* --- A run -----------------------------------------------------------------
 */

/* The number of words of all functions that the steps @set call, with their
   fast paths or without: a driver compiles one anew for each call. */
static size_t words_of_steps(struct spirv_steps *e, uint64_t set, bool fast)
{
	struct spirv_library *library = &e->module.library;
	size_t words = 0;

	for (int i = 0; i < e->graph->n_steps; i++) {
		const struct spirv_steps_functions *f = &e->functions[i];

		if (!(set >> i & 1))
			continue;
		spirv_library_use(library,
				  fast && f->fast ? f->fast : f->plain);
		spirv_library_use(library, fast ? f->guard : 0);
		words += library->used_words;
		spirv_library_forget(library);
	}
	return words;
}

bool spirv_run_is_short(struct spirv_steps *e, uint64_t set, unsigned n,
			bool fast)
{
	return words_of_steps(e, set, fast) * n <= LONG_RUN;
}

void spirv_run_add(struct spirv_steps *e, const struct spirv_run *run)
{
	uint32_t together, rest;

	if (run->n == 1 ||
	    spirv_run_is_short(e, SPIRV_STEPS_ALL, run->n, true)) {
		together = spirv_module_id(&e->module);
		rest = spirv_module_id(&e->module);
		if (run->whole)
			spirv_access_branch_if(e, run->whole, together, rest);
		else
			spirv_access_branch(e, together);
		spirv_access_label(e, together);
		add_together(e, run, rest);
		if (!run->whole && !has_fast_path(e, run))
			return;
		spirv_access_label(e, rest);
		/* Of one element nothing is left. */
		if (run->n == 1) {
			spirv_access_leave(e);
			return;
		}
	}
	add_loop(e, run);
}
