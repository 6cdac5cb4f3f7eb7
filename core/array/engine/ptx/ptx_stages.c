/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_stages.c - writes kernels in PTX that compute rows in stages
 * (stages_plan.h).
 *
 * A team computes a row.  Each stage but the last reduces a value that is
 * computed for each element, and every work-item of the team gets the outcome.
 * The last stage computes the results that have a value for each element of the
 * row.  Between stages every work-item computes the steps that have one value
 * for the row.
 *
 * The share of a work-item is the elements of the row that this work-item
 * loads.  A short row is held: its elements stay in registers, the cells of the
 * share, from stage to stage.  Values that are expensive to compute again are
 * kept in registers, too: %k4p0e9 is part 0 of step 4 for element 9 of the
 * share.  A longer row is loaded again in each stage, in rounds (ptx_rounds.h).
 *
 * No work-item reads elements that another work-item writes.  So a result may
 * share memory with an input of the same layout.
 */
#include "core/array/engine/ptx/ptx_stages.h"

#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/engine/ptx/ptx_axis.h"
#include "core/array/engine/ptx/ptx_rounds.h"
#include "core/array/engine/ptx/ptx_slot.h"
#include "core/array/engine/ptx/ptx_combine.h"
#include "core/array/engine/stages_plan.h"

/* The most registers of 32 bits in which a work-item holds its share of a
   row. */
#define MOST_HELD 96
/* Steps are expensive to compute again if their templates together have more
   bytes than this. */
#define CHEAP 512
/* The most bytes of a kernel's text.  A driver would take too long to assemble
   a longer text. */
#define LONGEST_TEXT 98304

#define BIT(i) STAGES_PLAN_BIT(i)

struct stages {
	struct ptx *e;
	const struct schedule *whole; /* the schedule of the kernel */
	/* the schedule with changes for the reduction of the current stage */
	struct schedule schedule;
	struct stages_plan plan;
	/* the steps that earlier stages have computed and kept */
	uint64_t known;
	uint64_t loaded; /* the operands that earlier stages have loaded */
	bool is_held;    /* set if the row is held in registers */
};

/* --- Plans -------------------------------------------------------------- */

/* Whether a value should be kept in registers for later stages.  @set is the
   steps that compute this value.  The value is kept if the steps take long, or
   if they read several inputs: the cells of several inputs take more registers
   than the value. */
static bool is_dear(const struct stages_plan *plan, uint64_t set, void *context)
{
	struct ptx *e = context;
	int inputs = 0;
	size_t size;

	(void)plan;
	e->left_out = ~set;
	size = ptx_steps_size(e);
	e->left_out = 0;
	for (int k = 0; k < e->graph->n_steps; k++)
		inputs += set >> k & 1 && graph_is_input(&e->graph->step[k]);
	return size > CHEAP || inputs > 1;
}

/* The first and the last stage that need an input or a step. */
struct ptx_span {
	int first, last;
};

static struct ptx_span span_of_input(const struct stages *s, int k)
{
	struct ptx_span span = { s->plan.n + 1, -1 };

	for (int at = s->plan.n; at >= 0; at--)
		if (stages_plan_needs(&s->plan, at, k)) {
			span.first = at;
			span.last = span.last < 0 ? at : span.last;
		}
	return span;
}

static struct ptx_span span_of_step(const struct stages *s, int i)
{
	struct ptx_span span = { s->plan.n + 1, -1 };

	for (int at = s->plan.n; at >= 0; at--)
		if (s->plan.need[at] >> i & 1) {
			span.first = at;
			span.last = span.last < 0 ? at : span.last;
		}
	return span;
}

/* Whether input @k of a held row is loaded late: slot by slot, just before each
   slot is computed.  Loading late takes fewer registers.  This is possible if
   only stage @at needs the input, and @at is not the first stage. */
static bool is_late(const struct stages *s, int at, int k)
{
	const struct ptx_span span = span_of_input(s, k);

	return at > 0 && span.first == at && span.last == at;
}

/* The number of 32-bit registers that a work-item needs for its share in stage
   @at, if the share has @slots slots. */
static int count_held(const struct stages *s, int slots, int at)
{
	const struct graph *graph = s->e->graph;
	int count = 0;

	for (int k = graph->n_results; k < schedule_operands(graph); k++) {
		const struct ptx_span span = span_of_input(s, k);

		if (span.first <= at && at <= span.last && !is_late(s, at, k))
			count += ptx_slot_cells(s->e, k) *
				 ptx_bits(schedule_operand(graph, k)) / 32;
	}
	for (int i = 0; i < graph->n_steps; i++) {
		const unsigned dtype = graph->step[i].dtype;
		const struct ptx_span span = span_of_step(s, i);

		if (s->plan.kept >> i & 1 && span.first < at && at <= span.last)
			count += s->e->pack * ptx_parts(dtype) *
				 ptx_bits(dtype) / 32;
	}
	return count * slots;
}

static bool fits_held(const struct stages *s, int slots)
{
	for (int at = 0; at <= s->plan.n; at++)
		if (count_held(s, slots, at) > MOST_HELD)
			return false;
	return slots > 0;
}

/* Estimate the size of the kernel's text, in bytes. */
static size_t text_size(struct stages *s)
{
	const int blocks = s->e->slots * s->e->pack / s->e->block;
	uint64_t known = 0;
	size_t size = 0;

	for (int at = 0; at <= s->plan.n; at++) {
		s->e->left_out = ~s->plan.need[at] | known;
		size += ptx_block_size(s->e);
		known |= s->plan.need[at] & s->plan.kept;
	}
	s->e->left_out = 0;
	return size * (size_t)blocks * (s->is_held ? 1 : 2);
}

static void make_plan(struct stages *s, struct ptx *e)
{
	const int slots = e->schedule->gpu.slots;

	*s = (struct stages){ .e = e, .whole = e->schedule };
	stages_plan_begin(&s->plan, e->graph, e->schedule);
	e->uniform = s->plan.uniform;
	stages_plan_keep(&s->plan, is_dear, e);
	if (!fits_held(s, slots))
		stages_plan_forget(&s->plan);
	s->is_held = fits_held(s, slots);
	e->slots = s->is_held ? slots : SCHEDULE_REDUCE_ROW_SLOTS;
	if (text_size(s) > LONGEST_TEXT)
		e->is_absent = true;
}

void ptx_stages_begin(struct ptx *e)
{
	struct stages s;

	make_plan(&s, e);
	ptx_slot_prepare(e);
}

/* --- Values ------------------------------------------------------------- */

static struct ptx_register kept_value(int i, int part, int at)
{
	struct ptx_register reg;

	snprintf(reg.name, sizeof(reg.name), "%%k%dp%de%d", i, part, at);
	return reg;
}

static void add_kept_registers(struct stages *s)
{
	struct ptx *e = s->e;

	for (int i = 0; i < e->graph->n_steps; i++) {
		const unsigned dtype = e->graph->step[i].dtype;

		for (int part = 0;
		     s->plan.kept >> i & 1 && part < ptx_parts(dtype); part++)
			PTX_ADD(e, ".reg .b%d %%k%dp%de<%d>;\n",
				ptx_bits(dtype), i, part, e->slots * e->pack);
	}
}

/* Write code that copies a kept value of step @i.  Pass @keep = true to copy
   from element @j of the block to %k..., the register for element @at of the
   share.  Pass @keep = false to copy in the other direction. */
static void move_value(struct ptx *e, int i, int j, int at, bool keep)
{
	const unsigned dtype = e->graph->step[i].dtype;
	const bool stored = graph_keeps_stored(e->graph, i);

	for (int part = 0; part < ptx_parts(dtype); part++) {
		const struct ptx_register v =
			stored ? ptx_stored(e, i, j) : ptx_value(e, i, part, j);
		const struct ptx_register k = kept_value(i, part, at);

		PTX_ADD(e, "mov.b%d %s,%s;\n", ptx_bits(dtype),
			keep ? k.name : v.name, keep ? v.name : k.name);
	}
	if (keep)
		return;
	if (stored)
		ptx_load_value(e, i, j);
	else if (ptx_is_16_bit(dtype))
		ptx_store_value(e, i, j);
}

/* Write code that copies the kept values of the steps @set, for the block that
   begins with element @first of the share.  Pass @keep = true to copy from the
   block to the registers %k..., false to copy from these registers to the
   block. */
static void move_kept(struct stages *s, uint64_t set, int first, bool keep)
{
	struct ptx *e = s->e;

	for (int i = 0; i < e->graph->n_steps; i++)
		for (int j = 0; set >> i & 1 && j < e->block; j++)
			move_value(e, i, j, first + j, keep);
}

/* Write the steps that stage @at needs, for the block that begins with element
   @begin of slot @slot.  Values that earlier stages have kept are copied, and
   values to be kept for later stages are saved. */
static void add_block(struct stages *s, int at, int slot, int begin)
{
	const uint64_t need = s->plan.need[at], kept = need & s->plan.kept;
	const int first = slot * s->e->pack + begin;

	ptx_slot_block(s->e, slot, begin);
	s->e->left_out = ~need | (kept & s->known);
	PTX_ADD(s->e, "{\n");
	move_kept(s, kept & s->known, first, false);
	ptx_block(s->e);
	move_kept(s, kept & ~s->known, first, true);
	PTX_ADD(s->e, "}\n");
	s->e->left_out = 0;
}

/* --- Stores ------------------------------------------------------------- */

/* Write stores of a block of result @k from its cells, in vectors of up to 16
   bytes.  @guard: see struct ptx_access. */
static void store_vectors(struct ptx *e, int k, int slot, int begin,
			  const char *guard)
{
	const unsigned dtype = schedule_operand(e->graph, k);
	const int size = ptx_size(dtype), cell = ptx_bits(dtype) / 8;
	const int bytes = e->block * size;
	struct ptx_access a = { .operand = k,
				.is_store = true,
				.guard = guard,
				.space = ".global",
				.address = ptx_address(k) };

	for (int at = 0; at < bytes; at += 16) {
		const int part = bytes - at < 16 ? bytes - at : 16;
		const int n = part < cell ? 1 : part / cell;

		a.bytes = ptx_slot_distance(e, slot, begin) * size + at;
		ptx_access(e, &a, at / cell, n, part);
	}
}

/* Write stores of a block of result @k, element by element.  Pass @checked =
   true if elements may be missing: missing elements are then not stored. */
static void store_elements(struct ptx *e, int k, int slot, int begin,
			   bool checked)
{
	const int size = ptx_size(schedule_operand(e->graph, k));
	struct ptx_access a = { .operand = k,
				.is_store = true,
				.guard = checked ? "@%q " : "",
				.space = ".global",
				.address = ptx_address(k) };

	for (int j = 0; j < e->block; j++) {
		const int place = ptx_slot_distance(e, slot, begin + j);

		if (checked)
			ptx_slot_check(e, slot, begin + j);
		if (e->schedule->inner[k] == SCHEDULE_ANY) {
			PTX_ADD(e, "mad.lo.u64 %%t64,%%d%d,%d,%%a%d;\n", k,
				place, k);
			a.address = (struct ptx_register){ "%t64" };
		} else {
			a.bytes = place * size;
		}
		ptx_element(e, &a, j);
	}
}

static void store_block(struct stages *s, int slot, int begin,
			enum schedule_missing missing)
{
	struct ptx *e = s->e;

	for (int k = 0; k < e->graph->n_results; k++) {
		if (!stages_plan_is_row(&s->plan, k))
			continue;
		for (int j = 0; j < e->block; j++)
			ptx_result(e, k, j);
		if (e->schedule->inner[k] == SCHEDULE_ANY ||
		    missing == SCHEDULE_ELEMENTS) {
			store_elements(e, k, slot, begin, missing);
			continue;
		}
		if (missing)
			ptx_slot_check(e, slot, 0);
		store_vectors(e, k, slot, begin, missing ? "@%q " : "");
	}
}

/* Write stores of the results that have one element for a row.  Only the first
   work-item of each team stores. */
static void store_rows(struct stages *s)
{
	struct ptx *e = s->e;

	PTX_ADD(e, "setp.eq.u32 %%q,%%member,0;\n@!%%q ret;\n");
	for (int k = 0; k < e->graph->n_results; k++) {
		const int i = e->graph->result[k];
		const unsigned dtype = e->graph->step[i].dtype;
		const int parts = ptx_parts(dtype);
		const int size = ptx_size(dtype) / parts;

		for (int part = 0;
		     !stages_plan_is_row(&s->plan, k) && part < parts; part++)
			PTX_ADD(e, "st.global.%c%d [%%a%d+%d],%s;\n",
				size < 4 ? 'u' : 'b', size * 8, k, part * size,
				ptx_is_16_bit(dtype)
					? ptx_stored(e, i, 0).name
					: ptx_value(e, i, part, 0).name);
	}
}

/* --- Stages ------------------------------------------------------------- */

static void add_slot(struct stages *s, int at, int slot,
		     enum schedule_missing missing)
{
	for (int begin = 0; begin < s->e->pack; begin += s->e->block) {
		add_block(s, at, slot, begin);
		if (at == s->plan.n)
			store_block(s, slot, begin, missing);
		else
			ptx_rounds_combine(
				s->e,
				s->e->graph->step[s->plan.reduce[at]].x[0],
				slot, begin, missing);
	}
}

/* The operands whose addresses move along the row in stage @at, as a set: bit k
   stands for operand k. */
static uint64_t find_moves(const struct stages *s, int at)
{
	const struct graph *graph = s->e->graph;
	uint64_t moves = 0;

	for (int k = 0; k < schedule_operands(graph); k++)
		if (k < graph->n_results
			    ? stages_plan_is_row(&s->plan, k) && at == s->plan.n
			    : stages_plan_needs(&s->plan, at, k))
			moves |= BIT(k);
	return moves;
}

/* Write loads for slot @slot of the inputs that stage @at needs, unless they
   are loaded already.  Pass @late = true for the inputs for which is_late()
   holds, false for all other inputs. */
static void load_slot(struct stages *s, int at, int slot, bool late,
		      enum schedule_missing missing)
{
	for (int k = s->e->graph->n_results; k < schedule_operands(s->e->graph);
	     k++)
		if (stages_plan_needs(&s->plan, at, k) &&
		    !(s->loaded >> k & 1) && is_late(s, at, k) == late)
			ptx_slot_load(s->e, k, slot, missing);
}

/* In this file a pass is one walk over the row, for stage `at`.  The addresses
   of the operands in `moves` move along the row. */
struct ptx_pass {
	struct stages *s;
	int at;
	uint64_t moves;
};

/* Which elements may be missing in slot @slot of a held row.  Only the last
   slot can reach beyond the end of the row. */
static enum schedule_missing missing_of(const struct stages *s, int slot)
{
	return slot == s->e->slots - 1
		       ? (enum schedule_missing)s->whole->gpu.missing
		       : SCHEDULE_NOTHING;
}

/* Write a walk over a held row, for one stage. */
static void add_held(const struct ptx_pass *pass)
{
	struct stages *s = pass->s;
	const int at = pass->at;

	for (int slot = 0; slot < s->e->slots; slot++)
		load_slot(s, at, slot, false, missing_of(s, slot));
	for (int slot = 0; slot < s->e->slots; slot++) {
		load_slot(s, at, slot, true, missing_of(s, slot));
		add_slot(s, at, slot, missing_of(s, slot));
	}
	s->loaded |= pass->moves;
}

static void add_round(void *context, enum schedule_missing missing)
{
	const struct ptx_pass *pass = context;
	struct stages *s = pass->s;

	for (int slot = 0; slot < s->e->slots; slot++) {
		load_slot(s, pass->at, slot, false, missing);
		load_slot(s, pass->at, slot, true, missing);
	}
	for (int slot = 0; slot < s->e->slots; slot++)
		add_slot(s, pass->at, slot, missing);
}

/* Write a walk over a row that is not held, in rounds. */
static void add_rounds(struct ptx_pass *pass)
{
	struct stages *s = pass->s;
	const struct ptx_rounds rounds = {
		.moves = pass->moves,
		.last = s->whole->gpu.missing
				? (enum schedule_missing)s->whole->gpu.missing
				: SCHEDULE_PACKS,
		.add = add_round,
		.context = pass
	};

	PTX_ADD(s->e, "mov.u32 %%left32,%%all32;\n");
	for (int k = 0; k < schedule_operands(s->e->graph); k++)
		if (pass->moves >> k & 1)
			PTX_ADD(s->e, "mov.u64 %%a%d,%%s%d;\n", k, k);
	ptx_rounds_add(s->e, &rounds);
}

static void add_pass(struct stages *s, int at)
{
	struct ptx_pass pass = { s, at, find_moves(s, at) };

	if (s->is_held)
		add_held(&pass);
	else
		add_rounds(&pass);
	s->known |= s->plan.need[at] & s->plan.kept;
}

/* Write code that copies the outcome of reduction @at, which is in accumulator
   0, to the value of the reduction's step. */
static void add_outcome(struct stages *s, int at)
{
	struct ptx *e = s->e;
	const int i = s->plan.reduce[at];
	const unsigned dtype = e->graph->step[i].dtype;
	const struct ptx_pair from = ptx_combine_finish(e, 0);

	if (ptx_is_16_bit(dtype)) {
		PTX_ADD(e, "mov.b32 %s,%s;\n", ptx_stored(e, i, 0).name,
			from.part[0].name);
		ptx_load_value(e, i, 0);
		return;
	}
	for (int part = 0; part < ptx_parts(dtype); part++)
		PTX_ADD(e, "mov.b%d %s,%s;\n", ptx_bits(dtype),
			ptx_value(e, i, part, 0).name, from.part[part].name);
}

static void add_reduction(struct stages *s, int at)
{
	struct ptx *e = s->e;

	s->schedule = stages_plan_schedule(&s->plan, at);
	e->schedule = &s->schedule;
	PTX_ADD(e, "{\n");
	ptx_combine_registers(e);
	ptx_combine_first(e);
	add_pass(s, at);
	ptx_combine_halves(e, s->schedule.gpu.accumulators * e->pack, 1, 0);
	ptx_combine_gather(e, at);
	ptx_combine_share(e);
	add_outcome(s, at);
	PTX_ADD(e, "}\n");
	e->schedule = s->whole;
}

/* Write the steps @set.  Each of these steps has one value for the whole
   row. */
static void add_singles(struct stages *s, uint64_t set)
{
	for (int i = 0; i < s->e->graph->n_steps; i++)
		if (set >> i & 1)
			ptx_single(s->e, i);
}

/* --- Kernels ------------------------------------------------------------ */

/* Write code that finds the address of the work-item's first element in each
   operand.  %left32 becomes the number of elements from this element to the end
   of the row. */
static void add_places(struct stages *s)
{
	struct ptx *e = s->e;
	const int operands = schedule_operands(e->graph);

	for (int k = 0; k < operands; k++) {
		ptx_axis_begin(e, k);
		ptx_rounds_step(e, k, e->words.step + k, ptx_step(e, k));
	}
	PTX_ADD(e, "mov.u64 %%rest64,%%id;\ncvt.u32.u64 %%rest,%%id;\n");
	for (int d = 0; d < e->schedule->rank; d++) {
		ptx_axis(e, d);
		for (int k = 0; k < operands; k++)
			ptx_axis_move(e, k, d);
	}
	PTX_ADD(e,
		"mul.lo.u32 %%t32,%%member,%d;\ncvt.u64.u32 %%begin,%%t32;\n"
		"ld.param.u64 %%left,[w+%d];\ncvt.u32.u64 %%all32,%%left;\n"
		"sub.s32 %%all32,%%all32,%%t32;\nmov.u32 %%left32,%%all32;\n",
		e->pack, 8 * e->words.length);
	for (int k = 0; k < operands; k++) {
		if (!stages_plan_is_row(&s->plan, k))
			continue;
		ptx_rounds_begin(e, k);
		if (!s->is_held)
			PTX_ADD(e, "mov.u64 %%s%d,%%a%d;\n", k, k);
	}
}

void ptx_stages(struct ptx *e)
{
	const int operands = schedule_operands(e->graph);
	struct stages s;

	make_plan(&s, e);
	PTX_ADD(e,
		".reg .pred %%ok;\n.reg .b32 %%left32,%%all32,%%member;\n"
		".reg .b64 %%id,%%d<%d>,%%s<%d>;\n",
		operands, operands);
	add_kept_registers(&s);
	for (int at = 0; at < s.plan.n; at++)
		ptx_combine_tree(e, at);
	ptx_slot_team(e);
	add_places(&s);
	ptx_slot_load_once(e);
	add_singles(&s, stages_plan_singles(&s.plan, -1));
	for (int at = 0; at < s.plan.n; at++) {
		add_reduction(&s, at);
		add_singles(&s, stages_plan_singles(&s.plan, at));
	}
	PTX_ADD(e, "@!%%ok ret;\n");
	if (s.plan.end[s.plan.n]) {
		PTX_ADD(e, "{\n");
		add_pass(&s, s.plan.n);
		PTX_ADD(e, "}\n");
	}
	store_rows(&s);
	PTX_ADD(e, "ret;\n");
}
