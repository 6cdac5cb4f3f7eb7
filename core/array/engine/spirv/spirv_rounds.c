/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_rounds.c - rounds of a team of work-items, as SPIR-V.
 *
 * In the last round some elements are missing.  In the place of each, or of
 * each pack, a work-item takes its first one, so that there are no branches.  A
 * reduction drops what comes of that.  A result is stored once more where the
 * first one is; it is the same, since all loads of a round come before its
 * stores.
 *
 * Where the steps are long, a round is a loop over its elements.  It combines
 * each with the first accumulated value; then these are turned, so that after
 * a round each is in its place again.  Both ways give the same bits.
 */
#include "core/array/engine/spirv/spirv_rounds.h"

#include <string.h>

#define MOST_SLOTS FRAME_FOLD_COLUMN_SLOTS

/* A round: where its elements are in the part, and, if some may be missing,
   whether each is there.  0: that was not needed yet. */
struct round {
	uint32_t begin;
	bool checked;
	uint32_t at[SPIRV_SUM_VALUES], here[SPIRV_SUM_VALUES];
};

static unsigned operand_parts(const struct spirv_steps *e, int k)
{
	return spirv_steps_parts(spirv_access_dtype(e, k));
}

bool spirv_rounds_is_once(const struct spirv_steps *e,
			  const struct spirv_rounds *f, int k)
{
	return !f->is_columns && e->frame->inner[k] == FRAME_FIXED;
}

/* Whether operand @k, an input, is loaded in each round. */
static bool is_loaded(const struct spirv_steps *e, const struct spirv_rounds *f,
		      int k)
{
	for (int i = 0; i < e->graph->n_steps; i++)
		if (f->set >> i & 1 && graph_is_input(&e->graph->step[i]) &&
		    e->graph->step[i].at == k - e->graph->n_results)
			return !spirv_rounds_is_once(e, f, k);
	return false;
}

/* Whether result @k is stored in each round. */
static bool is_stored(const struct spirv_steps *e, const struct spirv_rounds *f,
		      int k)
{
	return f->stores && !spirv_rounds_is_once(e, f, k);
}

/* How far element @j of slot @slot is from the item's first one, along the axis
   that is reduced. */
static unsigned distance(const struct spirv_steps *e,
			 const struct spirv_rounds *f, unsigned slot,
			 unsigned j)
{
	return f->is_columns ? slot
			     : (slot << e->frame->gpu.team_bits) * f->pack + j;
}

/* --- Loads -----------------------------------------------------------------
 */

/* Whether only whole packs may be missing. */
static bool has_packs(const struct spirv_steps *e, const struct spirv_rounds *f)
{
	return f->is_columns || e->frame->gpu.missing == FRAME_PACKS;
}

/* Find element @j of slot @slot. */
static unsigned find_element(struct spirv_steps *e,
			     const struct spirv_rounds *f, struct round *r,
			     unsigned slot, unsigned j)
{
	const unsigned n = f->is_columns ? slot : slot * f->pack + j;
	const unsigned far = distance(e, f, slot, j);
	uint32_t at = r->begin;

	if (r->at[n])
		return n;
	if (far)
		at = spirv_access_sum(e, at, spirv_access_number(e, far));
	if (r->checked) {
		uint32_t there = r->begin;

		if (j && has_packs(e, f))
			there = spirv_access_sum(e, there,
						 spirv_access_number(e, j));
		r->here[n] = spirv_access_is_below(e, at, f->end);
		at = spirv_access_choose(e, r->here[n], at, there);
	}
	r->at[n] = at;
	return n;
}

/* The index of an element in operand @k; @j: 0, or that of a neighbour along
   kept axis 0. */
static uint32_t index_of(struct spirv_steps *e, const struct spirv_rounds *f,
			 int k, uint32_t at, uint32_t j)
{
	const uint32_t index = spirv_run_index(e, &f->place[k], at);

	return j && f->is_columns && e->frame->inner[k] == FRAME_NEXT
		       ? spirv_access_sum(e, index, j)
		       : index;
}

/* Load or store a pack that lies side by side, 16 bytes at a time. */
static void access_pack(struct spirv_steps *e, const struct spirv_rounds *f,
			int k, uint32_t index, struct spirv_access_pack *all)
{
	const unsigned most = 16 / (unsigned)spirv_access_size(e, k);
	const unsigned n = most < f->pack ? most : f->pack;
	const unsigned parts = operand_parts(e, k);
	struct spirv_access_pack some;

	for (unsigned j = 0; j < f->pack; j += n) {
		uint32_t *part = &all->part[j * parts];
		const uint32_t at =
			j ? spirv_access_sum(e, index,
					     spirv_access_number(e, j))
			  : index;

		if (k < e->graph->n_results) {
			memcpy(some.part, part, n * parts * sizeof(part[0]));
			spirv_access_store_pack(e, k, n, at, &some);
			continue;
		}
		spirv_access_load_pack(e, k, n, at, &some);
		memcpy(part, some.part, n * parts * sizeof(part[0]));
	}
}

/* Whether a pack of operand @k is accessed at once. */
static bool is_whole(const struct spirv_steps *e, const struct spirv_rounds *f,
		     int k, const struct round *r)
{
	return f->pack > 1 && e->frame->inner[k] == FRAME_NEXT &&
	       (has_packs(e, f) || !r->checked);
}

/* Load the pack of a slot, or the element that is in all of it. */
static void load_slot(struct spirv_steps *e, const struct spirv_rounds *f,
		      int k, struct round *r, unsigned slot,
		      struct spirv_access_pack *in)
{
	const unsigned inner = e->frame->inner[k], parts = operand_parts(e, k);
	unsigned n;

	if (!is_loaded(e, f, k)) {
		*in = f->once[k];
		return;
	}
	n = find_element(e, f, r, slot, 0);
	if (is_whole(e, f, k, r)) {
		access_pack(e, f, k, index_of(e, f, k, r->at[n], 0), in);
		return;
	}
	for (unsigned j = 0; j < f->pack; j++) {
		uint32_t *part = &in->part[j * parts];

		if (j > 0 && inner == FRAME_FIXED) {
			for (unsigned p = 0; p < parts; p++)
				part[p] = in->part[p];
			continue;
		}
		n = find_element(e, f, r, slot, j);
		spirv_access_load(e, k, index_of(e, f, k, r->at[n], 0), part);
	}
}

void spirv_rounds_load_once(struct spirv_steps *e, struct spirv_rounds *f)
{
	for (int k = e->graph->n_results; k < frame_operands(e->graph); k++) {
		const unsigned parts = operand_parts(e, k);
		uint32_t *part = f->once[k].part;

		if (!spirv_rounds_is_once(e, f, k))
			continue;
		spirv_access_load(e, k, f->place[k].origin, part);
		for (unsigned i = parts; i < f->pack * parts; i++)
			part[i] = part[i - parts];
	}
}

/* --- Rounds ----------------------------------------------------------------
 */

/* Get the elements of the results that are stored. */
static void take_results(struct spirv_steps *e, const struct spirv_rounds *f,
			 unsigned j, struct spirv_access_pack *out)
{
	for (int k = 0; k < e->graph->n_results; k++)
		if (is_stored(e, f, k))
			spirv_steps_give(e, e->graph->result[k],
					 &out[k].part[j * operand_parts(e, k)]);
}

/* Store the pack of a slot. */
static void store_slot(struct spirv_steps *e, const struct spirv_rounds *f,
		       struct round *r, unsigned slot,
		       struct spirv_access_pack *out)
{
	for (int k = 0; k < e->graph->n_results; k++) {
		const unsigned parts = operand_parts(e, k);
		unsigned n;

		if (!is_stored(e, f, k))
			continue;
		if (is_whole(e, f, k, r)) {
			n = find_element(e, f, r, slot, 0);
			access_pack(e, f, k, index_of(e, f, k, r->at[n], 0),
				    &out[k]);
			continue;
		}
		for (unsigned j = 0; j < f->pack; j++) {
			n = find_element(e, f, r, slot, j);
			spirv_access_store(e, k, index_of(e, f, k, r->at[n], 0),
					   &out[k].part[j * parts]);
		}
	}
}

static void add_slot(struct spirv_steps *e, struct spirv_rounds *f,
		     struct round *r, unsigned slot,
		     const struct spirv_access_pack *all)
{
	const unsigned lane = e->frame->gpu.lanes > 1 ? slot * f->pack : 0;
	uint32_t in[GRAPH_INPUTS][SPIRV_STEPS_PARTS];
	struct spirv_access_pack out[GRAPH_RESULTS];

	for (unsigned j = 0; j < f->pack; j++) {
		uint32_t here = 0;

		for (int k = 0; k < e->graph->n_inputs; k++) {
			const unsigned parts =
				operand_parts(e, e->graph->n_results + k);

			for (unsigned p = 0; p < parts; p++)
				in[k][p] = all[k].part[j * parts + p];
		}
		if (r->checked && !f->stores)
			here = r->here[find_element(e, f, r, slot, j)];
		spirv_steps_values(e, f->set, false, in);
		if (f->stores)
			take_results(e, f, j, out);
		else
			spirv_sum_add(e, &f->sum, lane + j, here);
	}
	if (f->stores)
		store_slot(e, f, r, slot, out);
}

/* Append a round that begins at @begin: all loads come first. */
static void add_round(struct spirv_steps *e, struct spirv_rounds *f,
		      uint32_t begin, bool checked)
{
	const int results = e->graph->n_results;
	struct spirv_access_pack in[MOST_SLOTS][GRAPH_INPUTS];
	struct round r = { .begin = begin, .checked = checked };

	spirv_sum_load(e, &f->sum, f->sum.n);
	for (unsigned slot = 0; slot < f->slots; slot++)
		for (int k = 0; k < e->graph->n_inputs; k++)
			load_slot(e, f, results + k, &r, slot, &in[slot][k]);
	for (unsigned slot = 0; slot < f->slots; slot++)
		add_slot(e, f, &r, slot, in[slot]);
	spirv_sum_store(e, &f->sum, f->sum.n);
}

/* Append a loop over rounds that are whole, and a round of what is left. */
static void add_rounds(struct spirv_steps *e, struct spirv_rounds *f)
{
	struct spirv_module *m = &e->module;
	const uint32_t type = spirv_access_number_type(e);
	const uint32_t last = spirv_access_number(
		e, distance(e, f, f->slots - 1, f->pack - 1));
	const uint32_t rest = spirv_module_id(m), all = spirv_module_id(m);
	struct spirv_run run = { .n = 1,
				 .step = distance(e, f, f->slots, 0),
				 .begin = f->first };
	struct spirv_run_loop loop;
	uint32_t at;

	run.end = spirv_access_choose(e, spirv_access_is_below(e, last, f->end),
				      SPIRV_MAKE(m, I_SUB, type, f->end, last),
				      spirv_access_number(e, 0));
	at = spirv_run_open(e, &run, &loop);
	add_round(e, f, at, false);
	spirv_run_close(e, &run, at, &loop);
	at = SPIRV_MAKE(m, LOAD, type, loop.variable, SPIRV_ACCESS_ALIGNED, 8);
	spirv_access_branch_if(e, spirv_access_is_below(e, at, f->end), rest,
			       all);
	spirv_access_label(e, rest);
	add_round(e, f, at, true);
	spirv_access_branch(e, all);
	spirv_access_label(e, all);
}

/* Compute element @j of the slot at @at, and combine it with value 0, or store
   results. */
static void add_element(struct spirv_steps *e, struct spirv_rounds *f,
			uint32_t at, uint32_t j)
{
	const int results = e->graph->n_results;
	uint32_t in[GRAPH_INPUTS][SPIRV_STEPS_PARTS];
	uint32_t out[SPIRV_STEPS_PARTS];

	for (int k = results; k < frame_operands(e->graph); k++) {
		uint32_t *part = in[k - results];

		for (unsigned p = 0; p < operand_parts(e, k); p++)
			part[p] = f->once[k].part[p];
		if (is_loaded(e, f, k))
			spirv_access_load(e, k, index_of(e, f, k, at, j), part);
	}
	spirv_steps_values(e, f->set, false, in);
	for (int k = 0; k < results; k++) {
		if (!is_stored(e, f, k))
			continue;
		spirv_steps_give(e, e->graph->result[k], out);
		spirv_access_store(e, k, index_of(e, f, k, at, j), out);
	}
	if (f->stores)
		return;
	spirv_sum_load(e, &f->sum, 1);
	spirv_sum_add(e, &f->sum, 0, 0);
	spirv_sum_store(e, &f->sum, 1);
}

/* Append a loop over rounds, in it a loop over the elements of a round. */
static void add_loops(struct spirv_steps *e, struct spirv_rounds *f)
{
	struct spirv_module *m = &e->module;
	const struct spirv_run rounds = { .n = 1,
					  .step = distance(e, f, f->slots, 0),
					  .begin = f->first,
					  .end = f->end };
	const struct spirv_run elements = { .n = 1,
					    .step = 1,
					    .begin = spirv_access_number(e, 0),
					    .end = spirv_access_number(
						    e, f->slots * f->pack) };
	const uint32_t inside = spirv_module_id(m), out = spirv_module_id(m);
	const uint32_t pack = spirv_access_number(e, f->pack);
	struct spirv_run_loop outer, inner;
	uint32_t begin, n, slot, at, j;

	begin = spirv_run_open(e, &rounds, &outer);
	n = spirv_run_open(e, &elements, &inner);
	slot = n;
	j = spirv_access_split(e, true, &slot, pack);
	at = spirv_access_product(e, slot,
				  spirv_access_number(e, distance(e, f, 1, 0)));
	if (!f->is_columns)
		at = spirv_access_sum(e, at, j);
	at = spirv_access_sum(e, begin, at);
	spirv_access_branch_if(e, spirv_access_is_below(e, at, f->end), inside,
			       out);
	spirv_access_label(e, inside);
	add_element(e, f, at, j);
	spirv_access_branch(e, out);
	spirv_access_label(e, out);
	if (!f->stores)
		spirv_sum_turn(e, &f->sum);
	spirv_run_close(e, &elements, n, &inner);
	spirv_run_close(e, &rounds, begin, &outer);
}

void spirv_rounds_add(struct spirv_steps *e, struct spirv_rounds *f)
{
	if (spirv_run_is_short(e, f->set, f->slots * f->pack, false))
		add_rounds(e, f);
	else
		add_loops(e, f);
}

/* --- Teams ----------------------------------------------------------------
 */

/* Find the team and the item's number in it. */
static void find_team(struct spirv_steps *e, struct spirv_rounds *f)
{
	const unsigned team = 1u << e->frame->gpu.team_bits;
	uint32_t first = spirv_access_group_id(e), rest;

	f->item = spirv_access_local_id(e);
	rest = f->item;
	f->lane = spirv_access_split(e, true, &rest,
				     spirv_access_number(e, team));
	first = spirv_access_product(
		e, first, spirv_access_number(e, FRAME_GROUP / team));
	f->id = spirv_access_sum(e, first, rest);
	f->ok = spirv_access_is_below(e, f->id,
				      spirv_steps_word(e, e->words.count));
}

/* Leave if there is nothing to do, or, in rows, where items wait for others,
   do the first team's work and drop the outcome. */
static void leave_idle(struct spirv_steps *e, struct spirv_rounds *f)
{
	const uint32_t inside = spirv_module_id(&e->module);
	const uint32_t idle = spirv_module_id(&e->module);

	if (!f->is_columns) {
		f->id = spirv_access_choose(e, f->ok, f->id,
					    spirv_access_number(e, 0));
		return;
	}
	spirv_access_branch_if(e, f->ok, inside, idle);
	spirv_access_label(e, idle);
	spirv_access_leave(e);
	spirv_access_label(e, inside);
}

/* Find the part: it begins at @*begin.  Returns the number of the first result
   in it. */
static uint32_t find_part(struct spirv_steps *e, struct spirv_rounds *f,
			  uint32_t *begin)
{
	const uint32_t zero = spirv_access_number(e, 0);
	const uint32_t pack = spirv_access_number(e, f->pack);
	uint32_t rest = f->id, length, left;

	f->end = spirv_steps_word(e, e->words.length);
	*begin = zero;
	if (e->frame->gpu.cut) {
		uint32_t part = f->id;

		rest = spirv_access_split(
			e, e->frame->gpu.small, &part,
			spirv_steps_word(e, e->words.per_part));
		length = spirv_steps_word(e, e->words.part);
		*begin = spirv_access_product(e, part, length);
		left = SPIRV_MAKE(&e->module, I_SUB,
				  spirv_access_number_type(e), f->end, *begin);
		f->end = spirv_access_choose(
			e, spirv_access_is_below(e, left, length), left,
			length);
	}
	f->first = zero;
	if (f->is_columns)
		return spirv_access_product(e, rest, pack);
	f->end = spirv_access_choose(e, f->ok, f->end, zero);
	f->first = spirv_access_product(e, f->lane, pack);
	return rest;
}

uint32_t spirv_rounds_begin(struct spirv_steps *e, struct spirv_rounds *f,
			    uint32_t *begin)
{
	*f = (struct spirv_rounds){ .set = SPIRV_STEPS_ALL,
				    .is_columns = e->frame->kind ==
						  FRAME_FOLD_COLUMNS,
				    .pack = e->frame->gpu.pack };
	f->slots =
		f->is_columns ? FRAME_FOLD_COLUMN_SLOTS : FRAME_FOLD_ROW_SLOTS;
	find_team(e, f);
	leave_idle(e, f);
	return find_part(e, f, begin);
}
