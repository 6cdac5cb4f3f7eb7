/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_slot.c - writes the loads of kernels that reduce, in PTX. */
#include "core/array/engine/ptx/ptx_slot.h"

#include <stdio.h>

/* --- Places ------------------------------------------------------------- */

static bool is_rows(const struct ptx *e)
{
	return e->schedule->kind != SCHEDULE_REDUCE_COLUMNS;
}

int ptx_slot_distance(const struct ptx *e, int slot, int j)
{
	return is_rows(e) ? (slot << e->schedule->gpu.team_bits) * e->pack + j
			  : slot;
}

bool ptx_slot_is_once(const struct ptx *e, int k)
{
	return is_rows(e) && ptx_is_fixed(e, k);
}

int ptx_slot_cells(const struct ptx *e, int k)
{
	return ptx_is_fixed(e, k)
		       ? ptx_cells(e, k, 1)
		       : e->pack / e->block * ptx_cells(e, k, e->block);
}

void ptx_slot_prepare(struct ptx *e)
{
	for (int k = 0; k < e->graph->n_results; k++)
		e->cells[k] = ptx_cells(e, k, e->block);
	for (int k = e->graph->n_results; k < schedule_operands(e->graph); k++)
		e->cells[k] = (ptx_slot_is_once(e, k) ? 1 : e->slots) *
			      ptx_slot_cells(e, k);
}

void ptx_slot_block(struct ptx *e, int slot, int begin)
{
	for (int k = e->graph->n_results; k < schedule_operands(e->graph);
	     k++) {
		e->base[k] = ptx_slot_is_once(e, k)
				     ? 0
				     : slot * ptx_slot_cells(e, k);
		if (!ptx_is_fixed(e, k))
			e->base[k] +=
				begin / e->block * ptx_cells(e, k, e->block);
	}
}

void ptx_slot_check(struct ptx *e, int slot, int j)
{
	PTX_ADD(e, "setp.gt.s32 %%q,%%left32,%d;\n",
		ptx_slot_distance(e, slot, j));
}

void ptx_slot_team(struct ptx *e)
{
	const int team = 1 << e->schedule->gpu.team_bits;

	PTX_ADD(e,
		"mul.wide.u32 %%id,%%group,%d;\n"
		"shr.u32 %%t32,%%item,%d;\ncvt.u64.u32 %%t64,%%t32;\n"
		"add.u64 %%id,%%id,%%t64;\nand.b32 %%member,%%item,%d;\n"
		"setp.lt.u64 %%ok,%%id,%%count;\n",
		SCHEDULE_GROUP / team, e->schedule->gpu.team_bits, team - 1);
	if (is_rows(e))
		PTX_ADD(e, "selp.b64 %%id,%%id,0,%%ok;\n");
	else
		PTX_ADD(e, "@!%%ok ret;\n");
}

/* --- Loads -------------------------------------------------------------- */

/* Write loads of @bytes contiguous bytes into the cells of operand @k, from
   cell @cell on.  The address is the register @address plus @offset bytes.  For
   an operand without memory, @bytes is the number of elements. */
static void add_load(struct ptx *e, int k, int cell, int bytes,
		     const char *address, int offset, const char *guard)
{
	const int bits = ptx_bits(schedule_operand(e->graph, k));
	const int most = 16 / (bits / 8);
	const int n = bytes > bits / 8 ? bytes / (bits / 8) : 1;

	if (!schedule_has_memory(e->graph, k)) {
		struct ptx_access a = { .operand = k,
					.guard = guard,
					.bytes = offset };

		snprintf(a.address.name, sizeof(a.address.name), "%s", address);
		ptx_access(e, &a, cell, bytes, 0);
		return;
	}
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
			ptx_bits(schedule_operand(e->graph, k)),
			ptx_cell(k, cell + c).name);
}

/* In SCHEDULE_REDUCE_COLUMNS: write loads of the pack of slot @slot, whose
   elements are neighbours along kept axis 0.  An operand with one element for
   the whole pack is loaded once.  Pass @checked = true if the pack may be
   missing: its cells then become 0. */
static void load_across(struct ptx *e, int k, int slot, bool checked)
{
	const int size = ptx_step(e, k);
	const int cell = slot * ptx_slot_cells(e, k);
	const int bytes = ptx_is_fixed(e, k) ? size : e->pack * size;
	char address[16] = "%t64";

	if (checked) {
		ptx_slot_check(e, slot, 0);
		add_zeros(e, k, cell, ptx_slot_cells(e, k));
	}
	if (slot)
		PTX_ADD(e, "mad.lo.u64 %%t64,%%d%d,%d,%%a%d;\n", k, slot, k);
	else
		snprintf(address, sizeof(address), "%%a%d", k);
	add_load(e, k, cell, bytes, address, 0, checked ? "@%q " : "");
}

/* Write a load of element @j of the pack of slot @slot into the cells of this
   element.  The pack lies along the reduced axis.  If elements share a cell,
   only this element's bytes of the cell are set. */
static void load_element(struct ptx *e, int k, int slot, int j, bool checked)
{
	const int size = ptx_step(e, k);
	const int cell = slot * ptx_slot_cells(e, k);
	const char *guard = checked ? "@%q " : "";
	char address[16] = "%t64";
	int offset = 0, below, at;

	if (checked)
		ptx_slot_check(e, slot, j);
	if (e->schedule->inner[k] == SCHEDULE_ANY) {
		PTX_ADD(e, "mad.lo.u64 %%t64,%%d%d,%d,%%a%d;\n", k,
			ptx_slot_distance(e, slot, j), k);
	} else {
		snprintf(address, sizeof(address), "%%a%d", k);
		offset = ptx_slot_distance(e, slot, j) * size;
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

/* Write loads of the pack of slot @slot along the reduced axis (not for
   SCHEDULE_REDUCE_COLUMNS: see load_across()).  @missing says what may be
   beyond the end. */
static void load_along(struct ptx *e, int k, int slot,
		       enum schedule_missing missing)
{
	const int size = ptx_step(e, k);
	const int cell = slot * ptx_slot_cells(e, k);
	char address[16];

	if (missing != SCHEDULE_NOTHING)
		add_zeros(e, k, cell, ptx_slot_cells(e, k));
	if (e->schedule->inner[k] == SCHEDULE_NEXT &&
	    missing != SCHEDULE_ELEMENTS) {
		if (missing != SCHEDULE_NOTHING)
			ptx_slot_check(e, slot, 0);
		snprintf(address, sizeof(address), "%%a%d", k);
		add_load(e, k, cell, e->pack * size, address,
			 ptx_slot_distance(e, slot, 0) * size,
			 missing == SCHEDULE_NOTHING ? "" : "@%q ");
		return;
	}
	for (int j = 0; j < e->pack; j++)
		load_element(e, k, slot, j, missing != SCHEDULE_NOTHING);
}

void ptx_slot_load(struct ptx *e, int k, int slot,
		   enum schedule_missing missing)
{
	if (!is_rows(e))
		load_across(e, k, slot, missing != SCHEDULE_NOTHING);
	else if (!ptx_slot_is_once(e, k))
		load_along(e, k, slot, missing);
}

void ptx_slot_load_once(struct ptx *e)
{
	for (int k = e->graph->n_results; k < schedule_operands(e->graph);
	     k++) {
		char address[16];

		if (!ptx_slot_is_once(e, k))
			continue;
		snprintf(address, sizeof(address), "%%a%d", k);
		add_load(e, k, 0, ptx_step(e, k), address, 0, "");
	}
}
