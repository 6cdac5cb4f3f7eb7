/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_reduce.c - writes kernels in PTX that reduce an axis.
 *
 * In each round (ptx_rounds.h) a work-item loads a pack into each slot
 * (ptx_slot.h), and computes the steps.  Then it combines the values of the
 * reduced step with its accumulators (ptx_combine.h).
 */
#include "core/array/engine/ptx/ptx_reduce.h"

#include "core/array/engine/ptx/ptx_axis.h"
#include "core/array/engine/ptx/ptx_rounds.h"
#include "core/array/engine/ptx/ptx_slot.h"
#include "core/array/engine/ptx/ptx_combine.h"

/* The most bytes of templates for all elements of a round together.  If the
   templates are longer, the round is a loop over its slots.  The bytes of a
   step that declare and move registers do not count. */
#define LONGEST_ROUND 8192
#define STEP_DECLARATIONS 64

static bool is_rows(const struct ptx *e)
{
	return e->schedule->kind == SCHEDULE_REDUCE_ROWS;
}

void ptx_reduce_begin(struct ptx *e)
{
	e->slots = is_rows(e) ? SCHEDULE_REDUCE_ROW_SLOTS
			      : SCHEDULE_REDUCE_COLUMN_SLOTS;
	ptx_slot_prepare(e);
}

/* --- Rounds ------------------------------------------------------------- */

/* Write the steps for the pack whose inputs are in the cells of slot @slot.
   Then write code that combines the values with the accumulators.  @missing:
   which elements may be missing. */
static void add_slot(struct ptx *e, int slot, enum schedule_missing missing)
{
	for (int begin = 0; begin < e->pack; begin += e->block) {
		ptx_slot_block(e, slot, begin);
		PTX_ADD(e, "{\n");
		ptx_block(e);
		PTX_ADD(e, "}\n");
		ptx_rounds_combine(e, e->graph->result[0], slot, begin,
				   missing);
	}
}

/* Write the end of a turn of the loop over slots.  Every turn computes slot 0.
   So the cells and accumulators of each slot are copied to the slot before.
   The accumulators of slot 0 are copied to the last slot. */
static void add_turn(struct ptx *e)
{
	const int last = (e->schedule->gpu.accumulators - 1) * e->pack;

	for (int k = 1; k < schedule_operands(e->graph); k++)
		for (int c = 0; !ptx_slot_is_once(e, k) &&
				c < (e->slots - 1) * ptx_slot_cells(e, k);
		     c++)
			PTX_ADD(e, "mov.b%d %s,%s;\n",
				ptx_bits(schedule_operand(e->graph, k)),
				ptx_cell(k, c).name,
				ptx_cell(k, c + ptx_slot_cells(e, k)).name);
	for (int j = 0; last && j < e->pack; j++) {
		const struct ptx_pair z = ptx_combine_pair('z', j);
		const struct ptx_pair w = ptx_combine_pair('w', j);

		ptx_combine_copy(e, &w, &z, false);
	}
	for (int at = 0; at < last + (last ? e->pack : 0); at++) {
		const struct ptx_pair to = ptx_combine_pair('z', at);
		const struct ptx_pair from =
			at < last ? ptx_combine_pair('z', at + e->pack)
				  : ptx_combine_pair('w', at - last);

		ptx_combine_copy(e, &to, &from, false);
	}
}

/* Write a round (struct ptx_rounds): loads for all slots, then the steps. */
static void add_round(void *context, enum schedule_missing missing)
{
	struct ptx *e = context;
	const size_t least = (size_t)e->graph->n_steps * STEP_DECLARATIONS;
	const size_t size = ptx_steps_size(e);
	const size_t n = (size_t)(e->slots * e->pack);

	PTX_ADD(e, "{\n");
	for (int slot = 0; slot < e->slots; slot++)
		for (int k = 1; k < schedule_operands(e->graph); k++)
			ptx_slot_load(e, k, slot, missing);
	if (size <= least || (size - least) * n <= LONGEST_ROUND) {
		for (int slot = 0; slot < e->slots; slot++)
			add_slot(e, slot, missing);
		PTX_ADD(e, "}\n");
		return;
	}
	PTX_ADD(e, "mov.u32 %%turn,0;\nF_slot:\n.pragma \"nounroll\";\n");
	add_slot(e, 0, missing);
	add_turn(e);
	if (missing)
		PTX_ADD(e, "sub.s32 %%left32,%%left32,%d;\n",
			ptx_slot_distance(e, 1, 0));
	PTX_ADD(e,
		"add.u32 %%turn,%%turn,1;\nsetp.lt.u32 %%q,%%turn,%d;\n"
		"@%%q bra F_slot;\n}\n",
		e->slots);
}

/* The operands whose addresses move along the reduced axis, as a set: bit k
   stands for operand k. */
static uint64_t find_moves(const struct ptx *e)
{
	uint64_t moves = 0;

	for (int k = 1; k < schedule_operands(e->graph); k++)
		moves |= ptx_slot_is_once(e, k) ? 0 : UINT64_C(1) << k;
	return moves;
}

/* --- Places ------------------------------------------------------------- */

/* Write code that finds the part of the axis which the team with number %id
   reduces.  %begin becomes the index of the work-item's first element along
   this axis.  %left32 becomes the number of elements from this element to the
   end of the part.  %rest64 becomes the number of the result for which the team
   reduces the part.  In SCHEDULE_REDUCE_COLUMNS a team has several results, and
   %rest64 is the number of the first result. */
static void add_part(struct ptx *e)
{
	const int part = 8 * e->words.part;

	PTX_ADD(e, "ld.param.u64 %%left,[w+%d];\nmov.u64 %%rest64,%%id;\n",
		8 * e->words.length);
	PTX_ADD(e, "mov.u64 %%begin,0;\n");
	if (e->schedule->gpu.cut) {
		PTX_ADD(e, "ld.param.u64 %%per,[w+%d];\n",
			8 * e->words.per_part);
		if (e->schedule->gpu.small)
			PTX_ADD(e, "cvt.u32.u64 %%t32,%%id;\n"
				   "cvt.u32.u64 %%n,%%per;\n"
				   "div.u32 %%t32,%%t32,%%n;\n"
				   "cvt.u64.u32 %%part,%%t32;\n");
		else
			PTX_ADD(e, "div.u64 %%part,%%id,%%per;\n");
		PTX_ADD(e,
			"mul.lo.u64 %%t64,%%part,%%per;\n"
			"sub.u64 %%rest64,%%id,%%t64;\n"
			"ld.param.u64 %%length,[w+%d];\n"
			"mul.lo.u64 %%begin,%%part,%%length;\n"
			"sub.u64 %%left,%%left,%%begin;\n"
			"min.s64 %%left,%%left,%%length;\n",
			part);
	}
	PTX_ADD(e, "cvt.u32.u64 %%left32,%%left;\n");
	if (is_rows(e))
		PTX_ADD(e,
			"mul.lo.u32 %%t32,%%member,%d;\n"
			"sub.s32 %%left32,%%left32,%%t32;\n"
			"selp.b32 %%left32,%%left32,0,%%ok;\n"
			"cvt.u64.u32 %%t64,%%t32;\n"
			"add.u64 %%begin,%%begin,%%t64;\n",
			e->pack);
	else
		PTX_ADD(e, "mul.lo.u64 %%rest64,%%rest64,%d;\n", e->pack);
	PTX_ADD(e, "cvt.u32.u64 %%rest,%%rest64;\n");
}

static int operand_size(const struct ptx *e, int k)
{
	return k ? ptx_step(e, k) : ptx_size(ptx_combine_result(e));
}

/* Write code that moves the address of operand @k by %i64 elements along kept
   axis @d. */
static void add_kept(struct ptx *e, int k, int d)
{
	const int operands = schedule_operands(e->graph);
	const int inner = k && d == 0 && !is_rows(e) ? e->schedule->inner[k]
						     : SCHEDULE_ANY;

	if (inner == SCHEDULE_NEXT)
		PTX_ADD(e, "mad.lo.u64 %%a%d,%%i64,%d,%%a%d;\n", k,
			operand_size(e, k), k);
	if (inner != SCHEDULE_ANY)
		return;
	PTX_ADD(e,
		"ld.param.u64 %%stride,[w+%d];\n"
		"mul.lo.u64 %%stride,%%stride,%%i64;\n"
		"mad.lo.u64 %%a%d,%%stride,%d,%%a%d;\n",
		8 * (e->words.stride + d * operands + k), k, operand_size(e, k),
		k);
}

/* Write code that finds the address of the work-item's first element in each
   operand, and the distances %d0, %d1 and so on (ptx_rounds_step()). */
static void add_places(struct ptx *e)
{
	const int operands = schedule_operands(e->graph);
	const int first = e->schedule->result ? 0 : 1;

	for (int k = 0; k < operands; k++) {
		PTX_ADD(e,
			"ld.param.u64 %%t64,[w+%d];\n"
			"mad.lo.u64 %%a%d,%%t64,%d,%%a%d;\n",
			8 * (e->words.offset + k), k, operand_size(e, k), k);
		ptx_rounds_step(e, k, k ? e->words.step + k : e->words.stride,
				operand_size(e, k));
	}
	if (first)
		PTX_ADD(e, "mad.lo.u64 %%a0,%%id,%d,%%a0;\n",
			operand_size(e, 0) * (is_rows(e) ? 1 : e->pack));
	for (int d = 0; d < e->schedule->rank; d++) {
		ptx_axis(e, d);
		for (int k = first; k < operands; k++)
			add_kept(e, k, d);
	}
	for (int k = 1; k < operands; k++)
		if (!ptx_slot_is_once(e, k))
			ptx_rounds_begin(e, k);
}

/* --- Ends --------------------------------------------------------------- */

/* Write code that stores accumulator @at as the team's result @at. */
static void add_store(struct ptx *e, int at)
{
	const unsigned result = ptx_combine_result(e);
	const int size = ptx_size(result), parts = ptx_parts(result);
	const struct ptx_pair from = ptx_combine_finish(e, at);

	if (e->schedule->result)
		PTX_ADD(e, "mad.lo.u64 %%t64,%%d0,%d,%%a0;\n", at);
	else
		PTX_ADD(e, "add.u64 %%t64,%%a0,%d;\n", at * size);
	for (int part = 0; part < parts; part++)
		PTX_ADD(e, "st.global.%c%d [%%t64+%d],%s;\n",
			size < 4 ? 'u' : 'b', size / parts * 8,
			part * size / parts, from.part[part].name);
}

void ptx_reduce(struct ptx *e)
{
	const int accumulators = e->schedule->gpu.accumulators;
	const struct ptx_rounds rounds = { .moves = find_moves(e),
					   .last = SCHEDULE_ELEMENTS,
					   .add = add_round,
					   .context = e };

	ptx_combine_registers(e);
	ptx_combine_tree(e, 0);
	PTX_ADD(e,
		".reg .pred %%ok;\n.reg .b32 %%left32,%%member;\n"
		".reg .b64 %%id,%%part,%%per,%%length,%%d<%d>;\n",
		schedule_operands(e->graph));
	ptx_slot_team(e);
	add_part(e);
	add_places(e);
	ptx_combine_first(e);
	ptx_slot_load_once(e);
	ptx_rounds_add(e, &rounds);
	if (is_rows(e)) {
		ptx_combine_halves(e, accumulators * e->pack, 1, 0);
		ptx_combine_gather(e, 0);
		PTX_ADD(e, "setp.eq.u32 %%q,%%member,0;\n"
			   "and.pred %%q,%%q,%%ok;\n@!%%q ret;\n");
		add_store(e, 0);
	} else {
		for (int at = 0; at < e->pack; at++) {
			ptx_combine_halves(e, accumulators, e->pack, at);
			add_store(e, at);
		}
	}
	PTX_ADD(e, "ret;\n");
}
