/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_rounds.c - writes the loop in which a team reduces a part, or goes over a
 * row, in rounds.
 *
 * In the last round some elements may be missing: their positions are beyond
 * the end of the part or row.  If the printer (machine.h) has begin_needed(),
 * branches leave out the missing elements.  Otherwise (in SPIR-V) a work-item
 * computes its first element or pack again, in place of each missing element or
 * pack.  A reduction leaves the repeated value out.  A result is stored again
 * with the same value, because all loads of a round come before the stores of
 * the round.
 *
 * Where the steps are long, the code of a round is a loop over its slots or its
 * elements.  The body of this loop uses the first accumulators only.  At the
 * end of each turn all accumulators are rotated.  After the last turn each
 * accumulator is back in its place.  So the elements are combined in the same
 * order whether or not there is a loop.
 */
#include "core/array/engine/gpu/gpu_rounds.h"

#include <dpr/dtype.h>

/* A round that is being written.  `begin` is the position, in the part, of the
   work-item's first element.  checked: set if elements may be missing.
   by_slot: set if the kernel has a loop over the slots.  at[i]: the position of
   element i in the part.  here[i]: the condition that element i is not missing,
   or 0 if no element can be missing.  at[i] and here[i] are handles, and 0
   until they are computed.  If a loop in the kernel runs over the elements,
   at[i] and here[i] stay 0. */
struct round {
	struct machine *m;
	struct gpu_rounds *f;
	uint32_t begin;
	bool checked, by_slot;
	/* set between begin_needed() and end_needed(): the element is known not
	   to be missing */
	bool is_there;
	uint32_t at[MACHINE_ROUND], here[MACHINE_ROUND];
	struct machine_pack in[GRAPH_INPUTS], out[GRAPH_RESULTS];
};

/* The slot whose elements are computed by the code that is being written.  `k`
   is the operand to load or store; functions that compute do not use it. */
struct gpu_slot {
	struct round *r;
	struct machine_index slot;
	int k;
};

bool gpu_rounds_is_once(const struct machine *m, const struct gpu_rounds *f,
			int k)
{
	return !f->is_columns && m->schedule->inner[k] == SCHEDULE_FIXED;
}

/* Whether every round loads input @k.  A round loads an input that a step of
   the round reads, unless the input has one value for a whole row.  @k counts
   operands: results come first. */
static bool is_loaded(const struct machine *m, const struct gpu_rounds *f,
		      int k)
{
	for (int i = 0; i < m->graph->n_steps; i++)
		if (f->set >> i & 1 && graph_is_input(&m->graph->step[i]) &&
		    m->graph->step[i].at == k - m->graph->n_results)
			return !gpu_rounds_is_once(m, f, k);
	return false;
}

/* Whether every round stores result @k. */
static bool is_stored(const struct machine *m, const struct gpu_rounds *f,
		      int k)
{
	return f->stores && !gpu_rounds_is_once(m, f, k);
}

/* The distance from the work-item's first element of the round to element @j of
   slot @slot, counted in elements along the reduced axis. */
static uint32_t distance(struct machine *m, const struct gpu_rounds *f,
			 struct machine_index slot, struct machine_index j)
{
	if (f->is_columns)
		return m->as->index(m, slot);
	if (f->team)
		return m->as->index(m,
				    machine_place(slot, f->team * f->pack, j));
	/* f->team is 0: the kernel is for gpu.open, and each launch passes the
	   number of work-items in a team.  In this kernel a pack has one
	   element. */
	return machine_product(m, m->as->index(m, slot), f->items);
}

/* --- Elements ----------------------------------------------------------- */

/* Whether parts always end between packs.  If so, the elements of a pack are
   either all missing or all not missing. */
static bool has_packs(const struct machine *m, const struct gpu_rounds *f)
{
	return f->is_columns || m->schedule->gpu.missing == SCHEDULE_PACKS;
}

/* The index of element @j of slot @slot in round.at and round.here.  In
   SCHEDULE_REDUCE_COLUMNS a pack lies across the reduced axis.  So all elements
   of a pack have the same position along this axis, and the same index. */
static struct machine_index number_of(const struct gpu_rounds *f,
				      struct machine_index slot,
				      struct machine_index j)
{
	return f->is_columns ? slot : machine_place(slot, f->pack, j);
}

/* Return the position, in the part, of element @j of slot @slot.  *@here
   becomes the condition that the element is not missing, or 0 if no element can
   be missing.  In place of a missing element the kernel uses the position of
   another element. */
static uint32_t find_element(struct round *r, struct machine_index slot,
			     struct machine_index j, uint32_t *here)
{
	struct machine *m = r->m;
	const struct machine_index n = number_of(r->f, slot, j);
	const bool is_known = !n.slot && !n.item;
	uint32_t at = r->begin, there = r->begin, is_there = 0;

	if (is_known && r->at[n.n]) {
		*here = r->here[n.n];
		return r->at[n.n];
	}
	if (!machine_is_zero(n))
		at = machine_sum(m, at, distance(m, r->f, slot, j));
	if (r->checked && !r->is_there) {
		if (!machine_is_zero(j) && has_packs(m, r->f))
			there = machine_sum(m, there, m->as->index(m, j));
		is_there = machine_is_below(m, at, r->f->end);
		at = m->as->choose(m, is_there, at, there);
	}
	if (is_known) {
		r->at[n.n] = at;
		r->here[n.n] = is_there;
	}
	*here = is_there;
	return at;
}

/* Return the index, in operand @k, of the element at position @at of the part.
   @j is the number of the element in its pack, or 0 for the first element.
   Only SCHEDULE_REDUCE_COLUMNS uses @j. */
static uint32_t index_of(struct machine *m, const struct gpu_rounds *f, int k,
			 uint32_t at, uint32_t j)
{
	const uint32_t index = gpu_run_index(m, &f->place[k], at);

	return j && f->is_columns && m->schedule->inner[k] == SCHEDULE_NEXT
		       ? machine_sum(m, index, j)
		       : index;
}

/* Return the index, in operand s->k, of element @j of slot s->slot. */
static uint32_t find_index(const struct gpu_slot *s, struct machine_index j)
{
	uint32_t here;
	const uint32_t at = find_element(s->r, s->slot, j, &here);

	return index_of(s->r->m, s->r->f, s->k, at, 0);
}

/* --- Packs -------------------------------------------------------------- */

/* Whether packs of operand @k are loaded or stored as vectors. */
static bool is_whole(const struct round *r, int k)
{
	return r->f->pack > 1 && r->m->schedule->inner[k] == SCHEDULE_NEXT &&
	       (has_packs(r->m, r->f) || !r->checked);
}

/* Whether operand @k has a single element for a whole pack. */
static bool is_one(const struct round *r, int k)
{
	return r->m->schedule->inner[k] == SCHEDULE_FIXED;
}

/* Whether input @k is loaded for all slots of the round before the first
   element is computed.  If the round is a loop over slots, or has branches for
   missing elements, only inputs that are loaded as vectors are loaded so
   early. */
static bool is_ahead(const struct round *r, int k)
{
	return is_whole(r, k) ||
	       !(r->by_slot || (r->checked && r->m->as->begin_needed));
}

/* The index of element @j of slot @slot among the registers of operand @k.  A
   result has registers for one slot only. */
static struct machine_index place_in(const struct round *r, int k,
				     struct machine_index slot,
				     struct machine_index j)
{
	if (k < r->m->graph->n_results)
		return j;
	return is_one(r, k) ? slot : machine_place(slot, r->f->pack, j);
}

/* The number of elements of operand @k in a vector of up to 16 bytes.  0:
   elements are accessed one by one. */
static unsigned vector_of(const struct round *r, int k)
{
	const dpr_dtype dtype = (dpr_dtype)machine_dtype(r->m, k);
	const unsigned most = 16 / (unsigned)dpr_dtype_size(dtype);

	if (!is_whole(r, k))
		return 0;
	return most < r->f->pack ? most : r->f->pack;
}

static void begin_pack(struct round *r, int k, unsigned slots,
		       struct machine_pack *pack)
{
	pack->k = k;
	pack->n = is_one(r, k) ? slots : slots * r->f->pack;
	pack->vector = vector_of(r, k);
	r->m->as->begin_pack(r->m, pack);
}

/* Write code that loads input s->k, or stores result s->k, as vectors for the
   pack of slot @s.  @all has the registers. */
static void access_pack(const struct gpu_slot *s, struct machine_pack *all)
{
	struct machine *m = s->r->m;
	const unsigned pack = s->r->f->pack, n = all->vector;
	const uint32_t index = find_index(s, machine_at(0));

	for (unsigned j = 0; j < pack; j += n) {
		const struct machine_index to =
			place_in(s->r, s->k, s->slot, machine_at(j));
		const uint32_t at =
			j ? machine_sum(m, index, m->as->number(m, j)) : index;

		if (s->k < m->graph->n_results)
			m->as->store_pack(m, all, to, n, at);
		else
			m->as->load_pack(m, all, to, n, at);
	}
}

static void load_element(void *context, struct machine_index j)
{
	const struct gpu_slot *s = context;
	struct round *r = s->r;
	const struct machine_element x =
		r->m->as->load(r->m, s->k, find_index(s, j));

	r->m->as->put(r->m, &r->in[s->k - r->m->graph->n_results],
		      place_in(r, s->k, s->slot, j), &x);
}

/* Write loads for slot @slot, of each input for which is_ahead() holds.  An
   input with one element for the whole pack is loaded once. */
static void load_slot(void *context, struct machine_index slot)
{
	struct gpu_slot s = { .r = context, .slot = slot };
	struct machine *m = s.r->m;
	const int results = m->graph->n_results;

	for (s.k = results; s.k < schedule_operands(m->graph); s.k++)
		if (!is_loaded(m, s.r->f, s.k) || !is_ahead(s.r, s.k))
			continue;
		else if (is_whole(s.r, s.k))
			access_pack(&s, &s.r->in[s.k - results]);
		else
			m->as->each(m, is_one(s.r, s.k) ? 1 : s.r->f->pack,
				    MACHINE_ITEM, load_element, &s);
}

/* Write loads for all slots, of the inputs for which is_ahead() holds. */
static void load_ahead(struct round *r)
{
	const int results = r->m->graph->n_results;
	bool any = false;

	for (int k = results; k < schedule_operands(r->m->graph); k++)
		if (is_loaded(r->m, r->f, k) && is_ahead(r, k)) {
			begin_pack(r, k, r->f->slots, &r->in[k - results]);
			any = true;
		}
	if (any)
		r->m->as->each(r->m, r->f->slots, MACHINE_SLOT, load_slot, r);
}

void gpu_rounds_load_once(struct machine *m, struct gpu_rounds *f)
{
	for (int k = m->graph->n_results; k < schedule_operands(m->graph);
	     k++) {
		struct machine_element x;

		if (!gpu_rounds_is_once(m, f, k))
			continue;
		x = m->as->load(m, k, f->place[k].origin);
		f->once[k] = m->as->keep(m, k, &x);
	}
}

/* --- Rounds ------------------------------------------------------------- */

/* Write code that copies the results for element @j to the registers r->out. */
static void take_results(struct round *r, struct machine_index j)
{
	struct machine *m = r->m;

	for (int k = 0; k < m->graph->n_results; k++)
		if (is_stored(m, r->f, k)) {
			const struct machine_element x =
				m->as->give(m, m->graph->result[k]);

			m->as->put(m, &r->out[k], j, &x);
		}
}

/* Whether the code of slot @s needs branches.  Pass @packs = true for branches
   around missing packs, false for branches around missing elements of packs. */
static bool leaves_out(const struct gpu_slot *s, bool packs)
{
	return s->r->checked && s->r->m->as->begin_needed &&
	       has_packs(s->r->m, s->r->f) == packs;
}

static void begin_needed(const struct gpu_slot *s, bool packs,
			 struct machine_index j)
{
	uint32_t here;

	if (!leaves_out(s, packs))
		return;
	find_element(s->r, s->slot, j, &here);
	s->r->m->as->begin_needed(s->r->m, here);
	s->r->is_there = true;
}

static void end_needed(const struct gpu_slot *s, bool packs)
{
	if (!leaves_out(s, packs))
		return;
	s->r->is_there = false;
	s->r->m->as->end_needed(s->r->m);
}

static void store_element(void *context, struct machine_index j)
{
	const struct gpu_slot *s = context;
	struct round *r = s->r;
	struct machine *m = r->m;
	struct machine_element x;
	uint32_t index;

	if (r->f->pack > 1)
		begin_needed(s, false, j);
	index = find_index(s, j);
	x = m->as->get(m, &r->out[s->k], place_in(r, s->k, s->slot, j));
	m->as->store(m, s->k, index, &x);
	if (r->f->pack > 1)
		end_needed(s, false);
}

/* Write code that stores the pack of slot @of, for each result. */
static void store_slot(const struct gpu_slot *of)
{
	struct gpu_slot s = *of;
	struct machine *m = s.r->m;

	for (s.k = 0; s.k < m->graph->n_results; s.k++)
		if (!is_stored(m, s.r->f, s.k))
			continue;
		else if (is_whole(s.r, s.k))
			access_pack(&s, &s.r->out[s.k]);
		else
			m->as->each(m, s.r->f->pack, MACHINE_ITEM,
				    store_element, &s);
}

/* Return element @j of input @k in slot @s.  If the element is not in registers
   yet, write a load. */
static struct machine_element get_input(const struct gpu_slot *s, int k,
					struct machine_index j)
{
	const struct gpu_slot of = { .r = s->r, .slot = s->slot, .k = k };
	struct round *r = s->r;
	struct machine *m = r->m;

	if (!is_loaded(m, r->f, k))
		return r->f->once[k];
	if (is_ahead(r, k))
		return m->as->get(m, &r->in[k - m->graph->n_results],
				  place_in(r, k, s->slot, j));
	return m->as->load(m, k, find_index(&of, j));
}

/* Write the steps for element @j of a slot.  Then write code that combines the
   value with an accumulator, or that copies the results to registers for
   store_slot(). */
static void add_element(void *context, struct machine_index j)
{
	const struct gpu_slot *s = context;
	struct round *r = s->r;
	const struct gpu_rounds *f = r->f;
	struct machine *m = r->m;
	struct machine_element in[GRAPH_INPUTS];
	uint32_t here = 0;

	if (r->checked && !f->stores && !m->as->begin_needed)
		find_element(r, s->slot, j, &here);
	begin_needed(s, false, j);
	for (int i = 0; i < m->graph->n_inputs; i++)
		in[i] = get_input(s, m->graph->n_results + i, j);
	m->as->steps(m, f->set, false, in);
	if (f->stores)
		take_results(r, j);
	else
		m->as->add(m,
			   m->schedule->gpu.accumulators > 1 && !r->by_slot
				   ? machine_place(s->slot, f->pack, j)
				   : j,
			   here);
	if (f->stores && f->pack == 1)
		store_slot(s);
	end_needed(s, false);
}

static void add_slot(void *context, struct machine_index slot)
{
	struct gpu_slot s = { .r = context, .slot = slot };
	struct round *r = s.r;

	begin_needed(&s, true, machine_at(0));
	for (int k = 0; k < r->m->graph->n_results; k++)
		if (is_stored(r->m, r->f, k))
			begin_pack(r, k, 1, &r->out[k]);
	r->m->as->each(r->m, r->f->pack, MACHINE_ITEM, add_element, &s);
	if (r->f->stores && r->f->pack > 1)
		store_slot(&s);
	end_needed(&s, true);
	if (r->by_slot && !r->f->stores && r->m->schedule->gpu.accumulators > 1)
		r->m->as->rotate(r->m, r->f->pack);
}

static enum machine_way way_of(struct machine *m, const struct gpu_rounds *f)
{
	return m->as->way(m, f->set, f->slots * f->pack, false);
}

/* Append a round in which the work-item's first element has the position @begin
   in the part.  Pass @checked = true if elements may be missing. */
static void add_round(struct machine *m, struct gpu_rounds *f, uint32_t begin,
		      bool checked)
{
	const bool by_slot = way_of(m, f) == MACHINE_BY_SLOT;
	struct round r = { .m = m,
			   .f = f,
			   .begin = begin,
			   .checked = checked,
			   .by_slot = by_slot };

	m->as->load_values(m, f->values);
	load_ahead(&r);
	m->as->each(m, f->slots, by_slot ? MACHINE_ROLLED_SLOT : MACHINE_SLOT,
		    add_slot, &r);
	m->as->store_values(m, f->values);
}

/* Append a loop over the rounds in which no element is missing.  A last round
   follows, for the remaining elements. */
static void add_rounds(struct machine *m, struct gpu_rounds *f)
{
	const uint32_t last = distance(m, f, machine_at(f->slots - 1),
				       machine_at(f->pack - 1));
	struct machine_loop loop;
	struct machine_if rest;
	uint32_t end, at;

	end = m->as->choose(m, machine_is_below(m, last, f->end),
			    m->as->compute(m, MACHINE_DIFFERENCE, f->end, last),
			    m->as->number(m, 0));
	m->as->begin_loop(m, &loop, f->first, end,
			  distance(m, f, machine_at(f->slots), machine_at(0)));
	add_round(m, f, loop.at, false);
	m->as->end_loop(m, &loop);
	at = m->as->next(m, &loop);
	m->as->begin_if(m, &rest, machine_is_below(m, at, f->end));
	add_round(m, f, at, true);
	m->as->end_if(m, &rest);
}

/* Write the steps for the single element at position @at of the part, number @j
   of its pack.  Then write code that combines the value with accumulator 0, or
   that stores the results. */
static void add_far_element(struct machine *m, struct gpu_rounds *f,
			    uint32_t at, uint32_t j)
{
	const int results = m->graph->n_results;
	struct machine_element in[GRAPH_INPUTS];

	for (int k = results; k < schedule_operands(m->graph); k++)
		in[k - results] =
			is_loaded(m, f, k)
				? m->as->load(m, k, index_of(m, f, k, at, j))
				: f->once[k];
	m->as->steps(m, f->set, false, in);
	for (int k = 0; k < results; k++) {
		struct machine_element x;

		if (!is_stored(m, f, k))
			continue;
		x = m->as->give(m, m->graph->result[k]);
		m->as->store(m, k, index_of(m, f, k, at, j), &x);
	}
	if (f->stores)
		return;
	m->as->load_values(m, 1);
	m->as->add(m, machine_at(0), 0);
	m->as->store_values(m, 1);
}

/* Append a loop over rounds, and in this loop a loop over the elements of the
   round.  Kernels with very long steps have this form, because the steps are
   written only once. */
static void add_loops(struct machine *m, struct gpu_rounds *f)
{
	const uint32_t pack = m->as->number(m, f->pack);
	struct machine_loop rounds, elements;
	struct machine_if there;
	uint32_t slot, at, j;

	m->as->begin_loop(m, &rounds, f->first, f->end,
			  distance(m, f, machine_at(f->slots), machine_at(0)));
	m->as->begin_loop(m, &elements, m->as->number(m, 0),
			  m->as->number(m, f->slots * f->pack),
			  m->as->number(m, 1));
	slot = elements.at;
	j = m->as->split(m, true, &slot, pack);
	at = machine_product(m, slot,
			     distance(m, f, machine_at(1), machine_at(0)));
	if (!f->is_columns)
		at = machine_sum(m, at, j);
	at = m->as->name(m, "at", -1, machine_sum(m, rounds.at, at));
	m->as->begin_if(m, &there, machine_is_below(m, at, f->end));
	add_far_element(m, f, at, j);
	m->as->end_if(m, &there);
	if (!f->stores)
		m->as->rotate(m, 1);
	m->as->end_loop(m, &elements);
	m->as->end_loop(m, &rounds);
}

void gpu_rounds_add(struct machine *m, struct gpu_rounds *f)
{
	if (way_of(m, f) == MACHINE_BY_ELEMENT)
		add_loops(m, f);
	else
		add_rounds(m, f);
}

/* --- Teams -------------------------------------------------------------- */

/* Write code that finds the number of the team, and the number of the work-item
   in its team. */
static void find_team(struct machine *m, struct gpu_rounds *f)
{
	uint32_t first = m->as->id(m, MACHINE_GROUP), rest, teams;

	f->item = m->as->name(m, "item", -1, m->as->id(m, MACHINE_LOCAL));
	rest = f->item;
	f->member = m->as->name(m, "member", -1,
				m->as->split(m, true, &rest, f->items));
	teams = f->team ? m->as->number(m, SCHEDULE_GROUP / f->team)
			: m->as->compute(m, MACHINE_QUOTIENT,
					 m->as->number(m, SCHEDULE_GROUP),
					 f->items);
	first = machine_product(m, first, teams);
	f->id = m->as->name(m, "id", -1, machine_sum(m, first, rest));
	f->ok = m->as->name(
		m, "ok", -1,
		machine_is_below(m, f->id, m->as->word(m, m->words.count)));
}

/* Teams at the end of the last group may have no elements.  In a kernel of
   columns the work-items of such a team return from the kernel here.  In a
   kernel of rows the work-items must stay, because all work-items of a group
   have to reach each barrier.  The work-items of such a team take the number of
   team 0, but compute no elements and store nothing. */
static void leave_idle(struct machine *m, struct gpu_rounds *f)
{
	if (f->is_columns)
		m->as->leave_unless(m, f->ok);
	else
		f->id = m->as->name(
			m, "team", -1,
			m->as->choose(m, f->ok, f->id, m->as->number(m, 0)));
}

/* Write code that finds the team's part of the reduced axis.
   gpu_rounds_begin() (gpu_rounds.h) says what *@begin and the value returned
   are. */
static uint32_t find_part(struct machine *m, struct gpu_rounds *f,
			  uint32_t *begin)
{
	const uint32_t zero = m->as->number(m, 0);
	const uint32_t pack = m->as->number(m, f->pack);
	uint32_t rest = f->id, length, left;

	f->end = m->as->word(m, m->words.length);
	*begin = zero;
	if (m->schedule->gpu.cut) {
		f->part = f->id;
		rest = m->as->split(m, m->schedule->gpu.small, &f->part,
				    m->as->word(m, m->words.per_part));
		f->part = m->as->name(m, "part", -1, f->part);
		length = m->as->word(m, m->words.part);
		*begin = m->as->name(m, "begin", -1,
				     machine_product(m, f->part, length));
		left = m->as->compute(m, MACHINE_DIFFERENCE, f->end, *begin);
		f->end = m->as->choose(m, machine_is_below(m, left, length),
				       left, length);
	}
	f->first = zero;
	if (f->is_columns) {
		f->end = m->as->name(m, "end", -1, f->end);
		return machine_product(m, rest, pack);
	}
	f->end = m->as->name(m, "end", -1,
			     m->as->choose(m, f->ok, f->end, zero));
	f->first = machine_product(m, f->member, pack);
	return rest;
}

uint32_t gpu_rounds_begin(struct machine *m, struct gpu_rounds *f,
			  uint32_t *begin)
{
	const bool is_columns = m->schedule->kind == SCHEDULE_REDUCE_COLUMNS;

	*f = (struct gpu_rounds){ .set = MACHINE_ALL,
				  .is_columns = is_columns,
				  .pack = m->schedule->gpu.pack };
	f->slots = is_columns ? SCHEDULE_REDUCE_COLUMN_SLOTS
			      : SCHEDULE_REDUCE_ROW_SLOTS;
	f->is_team = m->schedule->gpu.open || m->schedule->gpu.team_bits;
	f->team = m->schedule->gpu.open ? 0 : 1u << m->schedule->gpu.team_bits;
	f->items = f->team ? m->as->number(m, f->team)
			   : m->as->name(m, "team", -1,
					 m->as->word(m, m->words.team));
	find_team(m, f);
	leave_idle(m, f);
	return find_part(m, f, begin);
}
