/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_fold.c - kernels in PTX that reduce an axis.
 *
 * In each round a work-item loads the packs of all slots, computes the steps,
 * and combines the values with those that it has accumulated: %z0e5 is part 0
 * of the accumulated value 5.  The last round, of which only some elements are
 * there, is written apart from the others.  %left32 elements are left from the
 * item's first one on.
 */
#include "core/array/engine/ptx/ptx_fold.h"

#include <inttypes.h>
#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reductions.h"

/* A round whose templates are longer together is a loop over its slots. */
#define LONGEST_ROUND 8192
#define WARP 32

/* --- Sizes -----------------------------------------------------------------
 */

static bool is_rows(const struct ptx *e)
{
	return e->frame->kind == FRAME_FOLD_ROWS;
}

static int slots_of(const struct ptx *e)
{
	return is_rows(e) ? FRAME_FOLD_ROW_SLOTS : FRAME_FOLD_COLUMN_SLOTS;
}

static int team_of(const struct ptx *e)
{
	return 1 << e->frame->team_bits;
}

/* How far element @j of slot @slot is from the item's first one, along the axis
   that is reduced. */
static int distance(const struct ptx *e, int slot, int j)
{
	return is_rows(e) ? slot * team_of(e) * e->pack + j : slot;
}

/* An input that is loaded once. */
static bool is_once(const struct ptx *e, int k)
{
	return is_rows(e) && ptx_is_fixed(e, k);
}

static int slot_cells(const struct ptx *e, int k)
{
	return ptx_is_fixed(e, k)
		       ? ptx_cells(e, k, 1)
		       : e->pack / e->block * ptx_cells(e, k, e->block);
}

void ptx_fold_begin(struct ptx *e)
{
	e->cells[0] = 1;
	for (int k = 1; k < frame_operands(e->graph); k++)
		e->cells[k] =
			(is_once(e, k) ? 1 : slots_of(e)) * slot_cells(e, k);
}

/* --- Accumulated values ----------------------------------------------------
 */

struct pair {
	struct ptx_register part[2];
};

/* The registers of an accumulated value, of one that is on its way (m: cast,
   x: combined, y: from another item, w: moved), or of a result (o). */
static struct pair pair_of(char name, int at)
{
	struct pair pair;

	for (int part = 0; part < 2; part++)
		snprintf(pair.part[part].name, sizeof(pair.part[part].name),
			 "%%%c%de%d", name, part, at);
	return pair;
}

static unsigned result_of(const struct ptx *e)
{
	return e->frame->result ? e->frame->result : e->frame->sum;
}

static void add_pairs(struct ptx *e, char name, unsigned dtype, int n)
{
	for (int part = 0; part < ptx_parts(dtype); part++)
		PTX_ADD(e, ".reg .b%d %%%c%de<%d>;\n", ptx_bits(dtype), name,
			part, n);
}

static void add_registers(struct ptx *e)
{
	const unsigned sum = e->frame->sum;

	add_pairs(e, 'z', sum, e->frame->lanes * e->pack);
	add_pairs(e, 'm', sum, 1);
	add_pairs(e, 'x', sum, 1);
	add_pairs(e, 'y', sum, 1);
	add_pairs(e, 'w', sum, e->pack);
	add_pairs(e, 'o', result_of(e), 1);
	PTX_ADD(e,
		".reg .pred %%ok;\n.reg .b32 %%left32,%%lane,%%low,%%high;\n"
		".reg .b%d %%divisor;\n"
		".reg .b64 %%id,%%part,%%per,%%length,%%d<%d>;\n",
		ptx_bits(sum), frame_operands(e->graph));
	if (team_of(e) > WARP)
		PTX_ADD(e, ".shared .align 16 .b8 F_team[%d];\n",
			16 * FRAME_GROUP / WARP);
}

/* The value @to becomes @from, or with @checked only if %q holds. */
static void add_copy(struct ptx *e, const struct pair *to,
		     const struct pair *from, bool checked)
{
	const unsigned sum = e->frame->sum;

	for (int part = 0; part < ptx_parts(sum); part++)
		PTX_ADD(e, "%smov.b%d %s,%s;\n", checked ? "@%q " : "",
			ptx_bits(sum), to->part[part].name,
			from->part[part].name);
}

/* Combine @value with accumulated value @at; with @checked if %q holds. */
static void add_combine(struct ptx *e, int at, const struct pair *value,
			bool checked)
{
	const struct pair z = pair_of('z', at), x = pair_of('x', 0);
	const struct ptx_register in[6] = { value->part[0], value->part[1],
					    z.part[0], z.part[1] };
	char name[48];

	snprintf(name, sizeof(name), "%s_%u",
		 operations_table[reductions_table[e->frame->reduction].combine]
			 .name,
		 e->frame->sum);
	ptx_paste(e, name, in, x.part);
	add_copy(e, &z, &x, checked);
}

static void add_first(struct ptx *e)
{
	const unsigned sum = e->frame->sum;
	const uint64_t first =
		reductions_first((enum reduction)e->frame->reduction, sum);

	for (int at = 0; at < e->frame->lanes * e->pack; at++)
		for (int part = 0; part < ptx_parts(sum); part++)
			PTX_ADD(e, "mov.b%d %s,%" PRIu64 ";\n", ptx_bits(sum),
				pair_of('z', at).part[part].name,
				part ? 0 : first);
}

/* Combine values @n to 2 * @n - 1, @apart from each other, with those before
   them, and so on. */
static void add_halves(struct ptx *e, int n, int apart, int at)
{
	for (n /= 2; n > 0; n /= 2)
		for (int i = 0; i < n; i++) {
			const struct pair other =
				pair_of('z', at + (i + n) * apart);

			add_combine(e, at + i * apart, &other, false);
		}
}

/* --- Loads -----------------------------------------------------------------
 */

/* Load @bytes that lie side by side into cells of operand @k from @cell on. */
static void add_load(struct ptx *e, int k, int cell, int bytes,
		     const char *address, int offset, const char *guard)
{
	const int bits = ptx_bits(frame_operand(e->graph, k));
	const int most = 16 / (bits / 8);
	const int n = bytes > bits / 8 ? bytes / (bits / 8) : 1;

	for (int at = 0; at < n; at += most) {
		const int m = n - at < most ? n - at : most;

		PTX_ADD(e, "%sld.global%s.%c%d %s", guard,
			m == 4   ? ".v4"
			: m == 2 ? ".v2"
				 : "",
			bytes < 4 ? 'u' : 'b', bytes < 4 ? 8 * bytes : bits,
			m > 1 ? "{" : "");
		for (int c = 0; c < m; c++)
			PTX_ADD(e, "%s%s", c ? "," : "",
				ptx_cell(k, cell + at + c).name);
		PTX_ADD(e, "%s,[%s+%d];\n", m > 1 ? "}" : "", address,
			offset + at * bits / 8);
	}
}

static void add_zeros(struct ptx *e, int k, int cell, int n)
{
	for (int c = 0; c < n; c++)
		PTX_ADD(e, "mov.b%d %s,0;\n",
			ptx_bits(frame_operand(e->graph, k)),
			ptx_cell(k, cell + c).name);
}

/* Let %q tell whether element @j of the slot is there. */
static void add_check(struct ptx *e, int slot, int j)
{
	PTX_ADD(e, "setp.gt.s32 %%q,%%left32,%d;\n", distance(e, slot, j));
}

/* Load a pack of neighbours, or their only element. */
static void load_across(struct ptx *e, int k, int slot, bool checked)
{
	const int size = ptx_size(frame_operand(e->graph, k));
	const int cell = slot * slot_cells(e, k);
	const int bytes = ptx_is_fixed(e, k) ? size : e->pack * size;
	char address[16] = "%t64";

	if (checked) {
		add_check(e, slot, 0);
		add_zeros(e, k, cell, slot_cells(e, k));
	}
	if (slot)
		PTX_ADD(e, "mad.lo.u64 %%t64,%%d%d,%d,%%a%d;\n", k, slot, k);
	else
		snprintf(address, sizeof(address), "%%a%d", k);
	add_load(e, k, cell, bytes, address, 0, checked ? "@%q " : "");
}

/* Load element @j of a slot along the axis into its cell, or its part of it. */
static void load_element(struct ptx *e, int k, int slot, int j, bool checked)
{
	const int size = ptx_size(frame_operand(e->graph, k));
	const int cell = slot * slot_cells(e, k);
	const char *guard = checked ? "@%q " : "";
	char address[16] = "%t64";
	int offset = 0, below, at;

	if (checked)
		add_check(e, slot, j);
	if (e->frame->inner[k] == FRAME_ANY) {
		PTX_ADD(e, "mad.lo.u64 %%t64,%%d%d,%d,%%a%d;\n", k,
			distance(e, slot, j), k);
	} else {
		snprintf(address, sizeof(address), "%%a%d", k);
		offset = distance(e, slot, j) * size;
	}
	if (!ptx_is_shared(e, k)) {
		add_load(e, k, cell + j * ptx_cells(e, k, 1), size, address,
			 offset, guard);
		return;
	}
	at = cell + ptx_shared_cell(e, k, j, &below);
	PTX_ADD(e,
		"mov.u32 %%t32,0;\n%sld.global.u%d %%t32,[%s+%d];\n"
		"shl.b32 %%t32,%%t32,%d;\nor.b32 %s,%s,%%t32;\n",
		guard, size * 8, address, offset, below * 8,
		ptx_cell(k, at).name, ptx_cell(k, at).name);
}

static void load_along(struct ptx *e, int k, int slot, bool checked)
{
	const int size = ptx_size(frame_operand(e->graph, k));
	const int cell = slot * slot_cells(e, k);
	char address[16];

	if (e->frame->inner[k] == FRAME_NEXT && !checked) {
		snprintf(address, sizeof(address), "%%a%d", k);
		add_load(e, k, cell, e->pack * size, address,
			 distance(e, slot, 0) * size, "");
		return;
	}
	if (checked)
		add_zeros(e, k, cell, slot_cells(e, k));
	for (int j = 0; j < e->pack; j++)
		load_element(e, k, slot, j, checked);
}

static void add_loads(struct ptx *e, bool checked)
{
	for (int slot = 0; slot < slots_of(e); slot++)
		for (int k = 1; k < frame_operands(e->graph); k++) {
			if (is_once(e, k))
				continue;
			if (is_rows(e))
				load_along(e, k, slot, checked);
			else
				load_across(e, k, slot, checked);
		}
}

static void load_once(struct ptx *e)
{
	for (int k = 1; k < frame_operands(e->graph); k++) {
		char address[16];

		if (!is_once(e, k))
			continue;
		snprintf(address, sizeof(address), "%%a%d", k);
		add_load(e, k, 0, ptx_size(frame_operand(e->graph, k)), address,
			 0, "");
	}
}

/* --- Rounds ----------------------------------------------------------------
 */

/* The value of element @j of the block in the dtype that accumulates. */
static struct pair add_cast(struct ptx *e, int j)
{
	const int step = e->graph->result[0];
	const unsigned from = ptx_computed(e->graph->step[step].dtype);
	const struct pair value = { { ptx_value(e, step, 0, j),
				      ptx_value(e, step, 1, j) } };
	const struct pair cast = pair_of('m', 0);
	char name[48];

	if (from == e->frame->sum)
		return value;
	snprintf(name, sizeof(name), "cast_%u_%u", from, e->frame->sum);
	ptx_paste(e, name, value.part, cast.part);
	return cast;
}

/* Compute and combine the pack in the cells of slot @slot. */
static void add_slot(struct ptx *e, int slot, bool checked)
{
	const int lane = e->frame->lanes > 1 ? slot * e->pack : 0;

	for (int begin = 0; begin < e->pack; begin += e->block) {
		for (int k = 1; k < frame_operands(e->graph); k++) {
			e->base[k] =
				is_once(e, k) ? 0 : slot * slot_cells(e, k);
			if (!ptx_is_fixed(e, k))
				e->base[k] += begin / e->block *
					      ptx_cells(e, k, e->block);
		}
		PTX_ADD(e, "{\n");
		ptx_block(e);
		PTX_ADD(e, "}\n");
		for (int j = 0; j < e->block; j++) {
			const struct pair value = add_cast(e, j);

			if (checked)
				add_check(e, slot, begin + j);
			add_combine(e, lane + begin + j, &value, checked);
		}
	}
}

/* Move the next slot's cells and accumulated values to the first place; the
   first values become the last. */
static void add_turn(struct ptx *e)
{
	const int last = (e->frame->lanes - 1) * e->pack;

	for (int k = 1; k < frame_operands(e->graph); k++)
		for (int c = 0;
		     !is_once(e, k) && c < (slots_of(e) - 1) * slot_cells(e, k);
		     c++)
			PTX_ADD(e, "mov.b%d %s,%s;\n",
				ptx_bits(frame_operand(e->graph, k)),
				ptx_cell(k, c).name,
				ptx_cell(k, c + slot_cells(e, k)).name);
	for (int j = 0; last && j < e->pack; j++) {
		const struct pair z = pair_of('z', j), w = pair_of('w', j);

		add_copy(e, &w, &z, false);
	}
	for (int at = 0; at < last + (last ? e->pack : 0); at++) {
		const struct pair to = pair_of('z', at);
		const struct pair from = at < last ? pair_of('z', at + e->pack)
						   : pair_of('w', at - last);

		add_copy(e, &to, &from, false);
	}
}

/* Write a round; with @checked, elements may be missing. */
static void add_round(struct ptx *e, bool checked)
{
	const size_t size = ptx_steps_size(e) * (size_t)(slots_of(e) * e->pack);

	PTX_ADD(e, "{\n");
	add_loads(e, checked);
	if (size <= LONGEST_ROUND) {
		for (int slot = 0; slot < slots_of(e); slot++)
			add_slot(e, slot, checked);
		PTX_ADD(e, "}\n");
		return;
	}
	PTX_ADD(e, "mov.u32 %%turn,0;\nF_slot:\n.pragma \"nounroll\";\n");
	add_slot(e, 0, checked);
	add_turn(e);
	if (checked)
		PTX_ADD(e, "sub.s32 %%left32,%%left32,%d;\n",
			distance(e, 1, 0));
	PTX_ADD(e,
		"add.u32 %%turn,%%turn,1;\nsetp.lt.u32 %%q,%%turn,%d;\n"
		"@%%q bra F_slot;\n}\n",
		slots_of(e));
}

static void add_rounds(struct ptx *e)
{
	const int slots = slots_of(e), round = distance(e, slots, 0);

	PTX_ADD(e,
		"F_round:\nsetp.gt.s32 %%whole,%%left32,%d;\n"
		"@!%%whole bra F_last;\n",
		distance(e, slots - 1, e->pack - 1));
	add_round(e, false);
	for (int k = 1; k < frame_operands(e->graph); k++)
		if (!is_once(e, k))
			PTX_ADD(e, "mad.lo.u64 %%a%d,%%d%d,%d,%%a%d;\n", k, k,
				round, k);
	PTX_ADD(e,
		"sub.s32 %%left32,%%left32,%d;\nbra.uni F_round;\nF_last:\n"
		"setp.gt.s32 %%q,%%left32,0;\n@!%%q bra F_all;\n",
		round);
	add_round(e, true);
	PTX_ADD(e, "F_all:\n");
}

/* --- Places ----------------------------------------------------------------
 */

/* Find the number of the team, %id, and the item in it, %lane.  %ok tells
   whether the team has anything to do. */
static void add_team(struct ptx *e)
{
	PTX_ADD(e,
		"mul.wide.u32 %%id,%%group,%d;\n"
		"shr.u32 %%t32,%%item,%d;\ncvt.u64.u32 %%t64,%%t32;\n"
		"add.u64 %%id,%%id,%%t64;\nand.b32 %%lane,%%item,%d;\n"
		"setp.lt.u64 %%ok,%%id,%%count;\n",
		FRAME_GROUP / team_of(e), e->frame->team_bits, team_of(e) - 1);
	if (is_rows(e))
		PTX_ADD(e, "selp.b64 %%id,%%id,0,%%ok;\n");
	else
		PTX_ADD(e, "@!%%ok ret;\n");
}

/* Find the part: it begins at %begin, and has %left elements.  %rest64 is the
   number of the result in it. */
static void add_part(struct ptx *e)
{
	const int part = 8 * e->words.part;

	PTX_ADD(e, "ld.param.u64 %%left,[w+%d];\nmov.u64 %%rest64,%%id;\n",
		8 * e->words.length);
	PTX_ADD(e, "mov.u64 %%begin,0;\n");
	if (e->frame->cut) {
		PTX_ADD(e, "ld.param.u64 %%per,[w+%d];\n", 8 * e->words.rows);
		if (e->frame->small)
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
			"mul.lo.u32 %%t32,%%lane,%d;\n"
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
	return ptx_size(k ? frame_operand(e->graph, k) : result_of(e));
}

/* Move the address of operand @k on by %i64 along kept axis @d. */
static void add_kept(struct ptx *e, int k, int d)
{
	const int operands = frame_operands(e->graph);
	const int inner =
		k && d == 0 && !is_rows(e) ? e->frame->inner[k] : FRAME_ANY;

	if (inner == FRAME_NEXT)
		PTX_ADD(e, "mad.lo.u64 %%a%d,%%i64,%d,%%a%d;\n", k,
			operand_size(e, k), k);
	if (inner != FRAME_ANY)
		return;
	PTX_ADD(e,
		"ld.param.u64 %%stride,[w+%d];\n"
		"mul.lo.u64 %%stride,%%stride,%%i64;\n"
		"mad.lo.u64 %%a%d,%%stride,%d,%%a%d;\n",
		8 * (e->words.stride + d * operands + k), k, operand_size(e, k),
		k);
}

/* Find the addresses of the item's first elements, and %d3, the bytes from one
   element of operand 3 to the next along the axis that is reduced. */
static void add_places(struct ptx *e)
{
	const int operands = frame_operands(e->graph);
	const int first = e->frame->result ? 0 : 1;

	for (int k = 0; k < operands; k++)
		PTX_ADD(e,
			"ld.param.u64 %%t64,[w+%d];\n"
			"mad.lo.u64 %%a%d,%%t64,%d,%%a%d;\n"
			"ld.param.u64 %%d%d,[w+%d];\n"
			"mul.lo.u64 %%d%d,%%d%d,%d;\n",
			8 * (e->words.offset + k), k, operand_size(e, k), k, k,
			8 * (k ? e->words.step + k : e->words.stride), k, k,
			operand_size(e, k));
	if (first)
		PTX_ADD(e, "mad.lo.u64 %%a0,%%id,%d,%%a0;\n",
			operand_size(e, 0) * (is_rows(e) ? 1 : e->pack));
	for (int d = 0; d < e->frame->rank; d++) {
		ptx_axis(e, d);
		for (int k = first; k < operands; k++)
			add_kept(e, k, d);
	}
	for (int k = 1; k < operands; k++)
		if (!is_once(e, k))
			PTX_ADD(e, "mad.lo.u64 %%a%d,%%begin,%%d%d,%%a%d;\n", k,
				k, k);
}

/* --- Ends ------------------------------------------------------------------
 */

/* Combine accumulated value 0 of the item @half places on with this item's. */
static void add_shuffle(struct ptx *e, int half)
{
	const struct pair z = pair_of('z', 0), y = pair_of('y', 0);

	for (int part = 0; part < ptx_parts(e->frame->sum); part++) {
		const char *from = z.part[part].name, *to = y.part[part].name;

		if (ptx_bits(e->frame->sum) == 32)
			PTX_ADD(e,
				"shfl.sync.down.b32 %s,%s,%d,31,0xffffffff;\n",
				to, from, half);
		else
			PTX_ADD(e,
				"mov.b64 {%%low,%%high},%s;\n"
				"shfl.sync.down.b32 %%low,%%low,%d,31,"
				"0xffffffff;\n"
				"shfl.sync.down.b32 %%high,%%high,%d,31,"
				"0xffffffff;\n"
				"mov.b64 %s,{%%low,%%high};\n",
				from, half, half, to);
	}
	add_combine(e, 0, &y, false);
}

/* Give the first items of the warps' values to all warps. */
static void add_exchange(struct ptx *e)
{
	const int bits = ptx_bits(e->frame->sum);
	const int parts = ptx_parts(e->frame->sum);
	const struct pair z = pair_of('z', 0);

	PTX_ADD(e, "and.b32 %%t32,%%item,31;\nsetp.eq.u32 %%q,%%t32,0;\n"
		   "shr.u32 %%t32,%%item,5;\nmul.wide.u32 %%t64,%%t32,16;\n"
		   "mov.u64 %%i64,F_team;\nadd.u64 %%t64,%%t64,%%i64;\n");
	for (int part = 0; part < parts; part++)
		PTX_ADD(e, "@%%q st.shared.b%d [%%t64+%d],%s;\n", bits,
			part * bits / 8, z.part[part].name);
	PTX_ADD(e,
		"bar.sync 0;\nand.b32 %%t32,%%item,%d;\n"
		"mul.wide.u32 %%t64,%%t32,16;\nadd.u64 %%t64,%%t64,%%i64;\n",
		FRAME_GROUP / WARP - 1);
	for (int part = 0; part < parts; part++)
		PTX_ADD(e, "ld.shared.b%d %s,[%%t64+%d];\n", bits,
			z.part[part].name, part * bits / 8);
}

/* Combine the values of a team; its first item then has that of all. */
static void add_gather(struct ptx *e)
{
	int half = team_of(e) < WARP ? team_of(e) : WARP;

	for (half /= 2; half > 0; half /= 2)
		add_shuffle(e, half);
	if (team_of(e) <= WARP)
		return;
	add_exchange(e);
	for (half = FRAME_GROUP / WARP / 2; half > 0; half /= 2)
		add_shuffle(e, half);
}

/* Divide accumulated value @at by the number of elements. */
static void add_divide(struct ptx *e, int at)
{
	const unsigned sum = e->frame->sum;
	const struct pair z = pair_of('z', at), x = pair_of('x', 0);
	char name[24];

	snprintf(name, sizeof(name), "divide_%u",
		 (unsigned)dtype_part((dpr_dtype)sum));
	PTX_ADD(e, "ld.param.b%d %%divisor,[w+%d];\n", ptx_bits(sum),
		8 * e->words.divisor);
	for (int part = 0; part < ptx_parts(sum); part++) {
		const struct ptx_register in[6] = { z.part[part],
						    { "" },
						    { "%divisor" } };

		ptx_paste(e, name, in, &x.part[part]);
	}
	add_copy(e, &z, &x, false);
}

/* Store accumulated value @at as a result. */
static void add_store(struct ptx *e, int at)
{
	const enum reductions_finish finish =
		reductions_table[e->frame->reduction].finish;
	const unsigned sum = e->frame->sum, result = result_of(e);
	const int size = ptx_size(result), parts = ptx_parts(result);
	struct pair from = pair_of('z', at);
	char name[24];

	if (e->frame->result && finish == REDUCTIONS_DIVIDE)
		add_divide(e, at);
	if (result != sum) {
		const struct pair cast = pair_of('o', 0);

		snprintf(name, sizeof(name), "cast_%u_%u", sum, result);
		ptx_paste(e, name, from.part, cast.part);
		from = cast;
	}
	if (e->frame->result)
		PTX_ADD(e, "mad.lo.u64 %%t64,%%d0,%d,%%a0;\n", at);
	else
		PTX_ADD(e, "add.u64 %%t64,%%a0,%d;\n", at * size);
	for (int part = 0; part < parts; part++)
		PTX_ADD(e, "st.global.%c%d [%%t64+%d],%s;\n",
			size < 4 ? 'u' : 'b', size / parts * 8,
			part * size / parts, from.part[part].name);
}

void ptx_fold(struct ptx *e)
{
	const int lanes = e->frame->lanes;

	add_registers(e);
	add_team(e);
	add_part(e);
	add_places(e);
	add_first(e);
	load_once(e);
	add_rounds(e);
	if (is_rows(e)) {
		add_halves(e, lanes * e->pack, 1, 0);
		add_gather(e);
		PTX_ADD(e, "setp.eq.u32 %%q,%%lane,0;\n"
			   "and.pred %%q,%%q,%%ok;\n@!%%q ret;\n");
		add_store(e, 0);
	} else {
		for (int at = 0; at < e->pack; at++) {
			add_halves(e, lanes, e->pack, at);
			add_store(e, at);
		}
	}
	PTX_ADD(e, "ret;\n");
}
