/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_fold.c - kernels as SPIR-V that reduce an axis.
 *
 * In each round a work-item loads the packs of all slots, computes the steps,
 * and combines the values with those that it has accumulated (spirv_sum.h).
 * In the last round, of which only some elements are there, it computes one
 * that is there in the place of each that is missing, and drops the outcome:
 * there are no branches.
 *
 * Where the steps are long, a round is a loop over its elements.  It combines
 * each with the first accumulated value; then these are turned, so that after
 * a round each is in its place again.  Both ways give the same bits.
 */
#include "core/array/engine/spirv/spirv_fold.h"

#include "core/array/engine/spirv/spirv_run.h"
#include "core/array/engine/spirv/spirv_sum.h"

#define MOST_SLOTS FRAME_FOLD_COLUMN_SLOTS

struct fold {
	struct spirv_sum sum;
	bool is_rows;
	unsigned slots, pack;
	uint32_t id;         /* of the team */
	uint32_t item, lane; /* of the work-item, in its group and its team */
	uint32_t ok;         /* rows: whether the team has anything to do */
	/* In the part: the item's first element, and where it ends. */
	uint32_t first, end;
	/* Where the part is, along the axis that is reduced. */
	struct spirv_run_place place[FRAME_OPERANDS];
	struct spirv_access_pack once[FRAME_OPERANDS]; /* FIXED, of rows */
};

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

static bool is_once(const struct spirv_steps *e, const struct fold *f, int k)
{
	return f->is_rows && e->frame->inner[k] == FRAME_FIXED;
}

/* How far element @j of slot @slot is from the item's first one, along the axis
   that is reduced. */
static unsigned distance(const struct spirv_steps *e, const struct fold *f,
			 unsigned slot, unsigned j)
{
	return f->is_rows ? (slot << e->frame->team_bits) * f->pack + j : slot;
}

/* --- Loads -----------------------------------------------------------------
 */

/* Find element @j of slot @slot. */
static unsigned find_element(struct spirv_steps *e, const struct fold *f,
			     struct round *r, unsigned slot, unsigned j)
{
	const unsigned n = f->is_rows ? slot * f->pack + j : slot;
	const unsigned far = distance(e, f, slot, j);
	uint32_t at = r->begin;

	if (r->at[n])
		return n;
	if (far)
		at = spirv_access_sum(e, at, spirv_access_number(e, far));
	if (r->checked) {
		r->here[n] = spirv_access_is_below(e, at, f->end);
		at = spirv_access_choose(e, r->here[n], at, r->begin);
	}
	r->at[n] = at;
	return n;
}

/* The index of an element in operand @k; @j: 0, or that of a neighbour along
   kept axis 0. */
static uint32_t index_of(struct spirv_steps *e, const struct fold *f, int k,
			 uint32_t at, uint32_t j)
{
	const uint32_t index = spirv_run_index(e, &f->place[k], at);

	return j && !f->is_rows && e->frame->inner[k] == FRAME_NEXT
		       ? spirv_access_sum(e, index, j)
		       : index;
}

/* Load a pack that lies side by side, 16 bytes at a time. */
static void load_pack(struct spirv_steps *e, const struct fold *f, int k,
		      uint32_t index, struct spirv_access_pack *in)
{
	const unsigned most = 16 / (unsigned)spirv_access_size(e, k);
	const unsigned n = most < f->pack ? most : f->pack;
	const unsigned parts = operand_parts(e, k);
	struct spirv_access_pack some;

	for (unsigned j = 0; j < f->pack; j += n) {
		spirv_access_load_pack(
			e, k, n,
			j ? spirv_access_sum(e, index,
					     spirv_access_number(e, j))
			  : index,
			&some);
		for (unsigned i = 0; i < n * parts; i++)
			in->part[j * parts + i] = some.part[i];
	}
}

/* Load the pack of a slot, or the element that is in all of it. */
static void load_slot(struct spirv_steps *e, const struct fold *f, int k,
		      struct round *r, unsigned slot,
		      struct spirv_access_pack *in)
{
	const unsigned inner = e->frame->inner[k], parts = operand_parts(e, k);
	unsigned n;

	if (is_once(e, f, k)) {
		*in = f->once[k];
		return;
	}
	n = find_element(e, f, r, slot, 0);
	if (f->pack > 1 && inner == FRAME_NEXT && !(f->is_rows && r->checked)) {
		load_pack(e, f, k, index_of(e, f, k, r->at[n], 0), in);
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

static void load_once(struct spirv_steps *e, struct fold *f)
{
	for (int k = 1; k < frame_operands(e->graph); k++) {
		const unsigned parts = operand_parts(e, k);
		uint32_t *part = f->once[k].part;

		if (!is_once(e, f, k))
			continue;
		spirv_access_load(e, k, f->place[k].origin, part);
		for (unsigned i = parts; i < f->pack * parts; i++)
			part[i] = part[i - parts];
	}
}

/* --- Rounds ----------------------------------------------------------------
 */

static void add_slot(struct spirv_steps *e, struct fold *f, struct round *r,
		     unsigned slot, const struct spirv_access_pack *all)
{
	const unsigned lane = e->frame->lanes > 1 ? slot * f->pack : 0;
	uint32_t in[GRAPH_INPUTS][SPIRV_STEPS_PARTS];

	for (unsigned j = 0; j < f->pack; j++) {
		uint32_t here = 0;

		for (int k = 0; k < e->graph->n_inputs; k++) {
			const unsigned parts = operand_parts(e, k + 1);

			for (unsigned p = 0; p < parts; p++)
				in[k][p] = all[k].part[j * parts + p];
		}
		if (r->checked)
			here = r->here[find_element(e, f, r, slot, j)];
		spirv_steps_values(e, false, in);
		spirv_sum_add(e, &f->sum, lane + j, here);
	}
}

/* Append a round that begins at @begin: all loads come first. */
static void add_round(struct spirv_steps *e, struct fold *f, uint32_t begin,
		      bool checked)
{
	struct spirv_access_pack in[MOST_SLOTS][GRAPH_INPUTS];
	struct round r = { .begin = begin, .checked = checked };

	spirv_sum_load(e, &f->sum, f->sum.n);
	for (unsigned slot = 0; slot < f->slots; slot++)
		for (int k = 0; k < e->graph->n_inputs; k++)
			load_slot(e, f, k + 1, &r, slot, &in[slot][k]);
	for (unsigned slot = 0; slot < f->slots; slot++)
		add_slot(e, f, &r, slot, in[slot]);
	spirv_sum_store(e, &f->sum, f->sum.n);
}

/* Append a loop over rounds that are whole, and a round of what is left. */
static void add_rounds(struct spirv_steps *e, struct fold *f)
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

/* Compute element @j of the slot at @at, and combine it with value 0. */
static void add_element(struct spirv_steps *e, struct fold *f, uint32_t at,
			uint32_t j)
{
	uint32_t in[GRAPH_INPUTS][SPIRV_STEPS_PARTS];

	for (int k = 1; k < frame_operands(e->graph); k++) {
		uint32_t *part = in[k - 1];

		for (unsigned p = 0; p < operand_parts(e, k); p++)
			part[p] = f->once[k].part[p];
		if (!is_once(e, f, k))
			spirv_access_load(e, k, index_of(e, f, k, at, j), part);
	}
	spirv_sum_load(e, &f->sum, 1);
	spirv_steps_values(e, false, in);
	spirv_sum_add(e, &f->sum, 0, 0);
	spirv_sum_store(e, &f->sum, 1);
}

/* Append a loop over rounds, in it a loop over the elements of a round. */
static void add_loops(struct spirv_steps *e, struct fold *f)
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
	if (f->is_rows)
		at = spirv_access_sum(e, at, j);
	at = spirv_access_sum(e, begin, at);
	spirv_access_branch_if(e, spirv_access_is_below(e, at, f->end), inside,
			       out);
	spirv_access_label(e, inside);
	add_element(e, f, at, j);
	spirv_access_branch(e, out);
	spirv_access_label(e, out);
	spirv_sum_turn(e, &f->sum);
	spirv_run_close(e, &elements, n, &inner);
	spirv_run_close(e, &rounds, begin, &outer);
}

/* --- Places ----------------------------------------------------------------
 */

/* Find the team and the item's number in it. */
static void find_team(struct spirv_steps *e, struct fold *f)
{
	const unsigned team = 1u << e->frame->team_bits;
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
static void leave_idle(struct spirv_steps *e, struct fold *f)
{
	const uint32_t inside = spirv_module_id(&e->module);
	const uint32_t idle = spirv_module_id(&e->module);

	if (f->is_rows) {
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
static uint32_t find_part(struct spirv_steps *e, struct fold *f,
			  uint32_t *begin)
{
	const uint32_t zero = spirv_access_number(e, 0);
	const uint32_t pack = spirv_access_number(e, f->pack);
	uint32_t rest = f->id, length, left;

	f->end = spirv_steps_word(e, e->words.length);
	*begin = zero;
	if (e->frame->cut) {
		uint32_t part = f->id;

		rest = spirv_access_split(e, e->frame->small, &part,
					  spirv_steps_word(e, e->words.rows));
		length = spirv_steps_word(e, e->words.part);
		*begin = spirv_access_product(e, part, length);
		left = SPIRV_MAKE(&e->module, I_SUB,
				  spirv_access_number_type(e), f->end, *begin);
		f->end = spirv_access_choose(
			e, spirv_access_is_below(e, left, length), left,
			length);
	}
	f->first = zero;
	if (!f->is_rows)
		return spirv_access_product(e, rest, pack);
	f->end = spirv_access_choose(e, f->ok, f->end, zero);
	f->first = spirv_access_product(e, f->lane, pack);
	return rest;
}

/* Find where operands are, and return the index of the first result. */
static uint32_t find_places(struct spirv_steps *e, struct fold *f)
{
	uint32_t at[FRAME_OPERANDS], begin, rest, result;

	rest = find_part(e, f, &begin);
	spirv_access_begin(e, at);
	result = spirv_access_product(
		e, f->id, spirv_access_number(e, f->is_rows ? 1 : f->pack));
	result = spirv_access_sum(e, at[0], result);
	spirv_access_axes(e, 0, rest, at);
	for (int k = 1; k < frame_operands(e->graph); k++) {
		const uint32_t step = spirv_steps_word(e, e->words.step + k);

		f->place[k].origin = spirv_access_sum(
			e, at[k], spirv_access_product(e, begin, step));
		f->place[k].scale =
			f->is_rows && e->frame->inner[k] == FRAME_NEXT ? 0
								       : step;
	}
	return e->frame->result ? at[0] : result;
}

/* --- Ends ------------------------------------------------------------------
 */

/* Store value @at as the result with that number, from @first on. */
static void add_store(struct spirv_steps *e, const struct fold *f,
		      uint32_t first, unsigned at)
{
	uint32_t part[SPIRV_STEPS_PARTS], way = spirv_access_number(e, at);

	spirv_sum_finish(e, &f->sum, at, part);
	if (e->frame->result)
		way = spirv_access_product(e, way,
					   spirv_access_stride(e, 0, 0));
	spirv_access_store(e, 0, at ? spirv_access_sum(e, first, way) : first,
			   part);
}

static void end_rows(struct spirv_steps *e, struct fold *f, uint32_t result)
{
	const unsigned team = 1u << e->frame->team_bits;
	const uint32_t store = spirv_module_id(&e->module);
	const uint32_t end = spirv_module_id(&e->module);
	uint32_t first;

	spirv_sum_halves(e, &f->sum, f->sum.n, 1, 0);
	if (team > 1)
		spirv_sum_join(e, &f->sum, team, f->item, f->lane);
	first = spirv_access_choose(e, f->ok, spirv_access_number(e, 1),
				    spirv_access_number(e, 0));
	spirv_access_branch_if(e, spirv_access_is_below(e, f->lane, first),
			       store, end);
	spirv_access_label(e, store);
	if (team > 1)
		spirv_sum_joined(e, &f->sum, f->item);
	add_store(e, f, result, 0);
	spirv_access_branch(e, end);
	spirv_access_label(e, end);
}

static void end_columns(struct spirv_steps *e, struct fold *f, uint32_t result)
{
	for (unsigned at = 0; at < f->pack; at++) {
		spirv_sum_halves(e, &f->sum, e->frame->lanes, f->pack, at);
		add_store(e, f, result, at);
	}
}

void spirv_fold_add(struct spirv_steps *e)
{
	struct fold f = { .is_rows = e->frame->kind == FRAME_FOLD_ROWS,
			  .pack = e->frame->pack };
	uint32_t result;

	f.slots = f.is_rows ? FRAME_FOLD_ROW_SLOTS : FRAME_FOLD_COLUMN_SLOTS;
	find_team(e, &f);
	leave_idle(e, &f);
	result = find_places(e, &f);
	spirv_sum_begin(e, &f.sum, e->frame->lanes * f.pack);
	load_once(e, &f);
	if (spirv_run_is_short(e, f.slots * f.pack, false))
		add_rounds(e, &f);
	else
		add_loops(e, &f);
	spirv_sum_load(e, &f.sum, f.sum.n);
	if (f.is_rows)
		end_rows(e, &f, result);
	else
		end_columns(e, &f, result);
	spirv_access_leave(e);
}
