/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_tile.c - writes kernels in PTX that transpose operands in local memory.
 *
 * A group computes a tile: a square of elements along axes 0 and 1.  The
 * elements of a transposed operand (SCHEDULE_TRANSPOSED) are contiguous along
 * axis 1.  The group reads the tile of such an operand along axis 1, and stores
 * it in local memory.  After a barrier the group reads this tile along axis 0.
 * Other operands are read, and results are written, along axis 0 as well.  All
 * reads from global memory come before the barrier.
 *
 * A group takes some rows of the tile at a time.  In this file a pass is the
 * work on these rows.  In each pass a work-item takes a vector of elements in
 * one row of the tile.  A row lies along axis 1 while a transposed operand is
 * read from global memory, and along axis 0 otherwise.  If rows are not
 * aligned, the elements of a vector are not neighbours.  Instead, neighbouring
 * work-items access neighbouring elements.
 *
 *  %row %col      the work-item's row in the first pass, and its first element
 *                 in this row
 *  %len0 %len1    the extents of the tile: gpu.tile, or less at the end of an
 *                 axis
 *  %whole         both extents are gpu.tile
 *  %x3            the distance in bytes between passes, for operand 3
 *  %y3            if operand 3 is SCHEDULE_ANY: the distance in bytes between
 *                 the elements of a vector
 */
#include "core/array/engine/ptx/ptx_tile.h"

#include "core/array/engine/ptx/ptx_axis.h"
#include "core/array/engine/ptx/ptx_pack.h"

static bool is_transposed(const struct ptx *e, int k)
{
	return e->schedule->inner[k] == SCHEDULE_TRANSPOSED;
}

static int size_of(const struct ptx *e, int k)
{
	return ptx_size(schedule_operand(e->graph, k));
}

/* The number of rows of the tile that a group takes in a pass (top of the
   file). */
static int rows(const struct ptx *e)
{
	return SCHEDULE_GROUP * schedule_tile_vector(e->graph, e->schedule) /
	       e->schedule->gpu.tile;
}

/* The number of work-items that share a row of the tile. */
static int row_items(const struct ptx *e)
{
	return e->schedule->gpu.tile /
	       schedule_tile_vector(e->graph, e->schedule);
}

/* The distance between the elements of a work-item's vector, counted in
   elements. */
static int distance(const struct ptx *e)
{
	return e->schedule->gpu.aligned ? 1 : row_items(e);
}

/* --- Places ------------------------------------------------------------- */

/* Declare registers, and the tiles in local memory, in the kernel. */
static void add_registers(struct ptx *e)
{
	PTX_ADD(e, ".reg .pred %%inside;\n"
		   ".reg .b32 %%row,%%col,%%len0,%%len1,%%have,%%local;\n"
		   ".reg .b64 %%row64,%%col64,%%first0,%%first1,%%at,%%end;\n");
	for (int k = 0; k < schedule_operands(e->graph); k++) {
		PTX_ADD(e, ".reg .b64 %%x%d,%%y%d;\n", k, k);
		if (is_transposed(e, k))
			PTX_ADD(e, ".shared .align 16 .b8 transposed%d[%d];\n",
				k,
				schedule_tile_bytes(e->schedule->gpu.tile,
						    size_of(e, k)));
	}
}

/* Write code that finds where the group's tile lies along axis @d.  %rest is
   divided by the number of tiles along this axis.  The remainder is the number
   of the group's tile along the axis.  %first1 (if @d is 1) becomes the index
   of the tile's first element, and %len1 the extent of the tile. */
static void add_square(struct ptx *e, int d)
{
	const int tile = e->schedule->gpu.tile;

	PTX_ADD(e,
		"ld.param.u64 %%extent,[w+%d];\n"
		"add.u64 %%t64,%%extent,%d;\n"
		"shr.u64 %%t64,%%t64,%d;\n"
		"cvt.u32.u64 %%i32,%%t64;\n"
		"div.u32 %%next,%%rest,%%i32;\n"
		"mul.lo.u32 %%i32,%%next,%%i32;\n"
		"sub.u32 %%i32,%%rest,%%i32;\n"
		"mov.u32 %%rest,%%next;\n",
		8 * (e->words.extent + d), tile - 1,
		tile == SCHEDULE_TILE_LARGE ? 6 : 5);
	PTX_ADD(e,
		"mul.wide.u32 %%first%d,%%i32,%d;\n"
		"sub.u64 %%t64,%%extent,%%first%d;\n"
		"min.u64 %%t64,%%t64,%d;\n"
		"cvt.u32.u64 %%len%d,%%t64;\n",
		d, tile, d, tile, d);
}

/* Write code that finds the group's tile, and the work-item's position in the
   tile. */
static void add_places(struct ptx *e)
{
	const int tile = e->schedule->gpu.tile;
	const int vector = schedule_tile_vector(e->graph, e->schedule);

	PTX_ADD(e, "mov.u32 %%rest,%%group;\n");
	add_square(e, 0);
	add_square(e, 1);
	for (int k = 0; k < schedule_operands(e->graph); k++)
		ptx_axis_begin(e, k);
	for (int d = 2; d < e->schedule->rank; d++) {
		ptx_axis(e, d);
		for (int k = 0; k < schedule_operands(e->graph); k++)
			ptx_axis_move(e, k, d);
	}
	PTX_ADD(e,
		"min.u32 %%t32,%%len0,%%len1;\n"
		"setp.eq.u32 %%whole,%%t32,%d;\n"
		"div.u32 %%row,%%item,%d;\n"
		"rem.u32 %%col,%%item,%d;\n"
		"mul.lo.u32 %%col,%%col,%d;\n"
		"cvt.u64.u32 %%row64,%%row;\n"
		"cvt.u64.u32 %%col64,%%col;\n",
		tile, row_items(e), row_items(e),
		e->schedule->gpu.aligned ? vector : 1);
}

/* Write code that moves the address of operand @k to the work-item's first
   element.  The code also sets %x3 (if @k is 3) to the distance between passes.
   If operand @k is SCHEDULE_ANY, %y3 is set to the distance between the
   elements of a vector.  Both distances are in bytes. */
static void add_steps_of(struct ptx *e, int k)
{
	const int size = ptx_step(e, k), operands = schedule_operands(e->graph);
	const int along = is_transposed(e, k) ? 1 : 0;
	const int strides = e->words.stride + k;

	PTX_ADD(e,
		"ld.param.u64 %%stride,[w+%d];\n"
		"add.u64 %%t64,%%first%d,%%row64;\n"
		"mul.lo.u64 %%t64,%%t64,%%stride;\n"
		"mad.lo.u64 %%a%d,%%t64,%d,%%a%d;\n"
		"mul.lo.u64 %%x%d,%%stride,%d;\n",
		8 * (strides + (1 - along) * operands), 1 - along, k, size, k,
		k, size * rows(e));
	if (e->schedule->inner[k] == SCHEDULE_FIXED)
		return;
	PTX_ADD(e, "add.u64 %%t64,%%first%d,%%col64;\n", along);
	if (e->schedule->inner[k] == SCHEDULE_ANY)
		PTX_ADD(e,
			"ld.param.u64 %%stride,[w+%d];\n"
			"mul.lo.u64 %%t64,%%t64,%%stride;\n"
			"mul.lo.u64 %%y%d,%%stride,%d;\n",
			8 * strides, k, size * distance(e));
	PTX_ADD(e, "mad.lo.u64 %%a%d,%%t64,%d,%%a%d;\n", k, size, k);
}

/* --- Global memory ------------------------------------------------------ */

/* Whether a work-item accesses its elements of a row of operand @k as a
   vector. */
static bool is_vector(const struct ptx *e, int k)
{
	const int bytes =
		schedule_tile_vector(e->graph, e->schedule) * size_of(e, k);

	return e->schedule->gpu.aligned && bytes >= 4 &&
	       (e->schedule->inner[k] == SCHEDULE_NEXT || is_transposed(e, k));
}

/* Write loads or stores of the work-item's elements of pass @pass, one by one.
   If a->guard is set, only the first %have elements of the row are accessed,
   counted from the work-item's first element. */
static void add_elements(struct ptx *e, struct ptx_access *a, int pass)
{
	const int k = a->operand;
	const int vector = schedule_tile_vector(e->graph, e->schedule);
	const bool is_any = e->schedule->inner[k] == SCHEDULE_ANY;
	const bool is_fixed = e->schedule->inner[k] == SCHEDULE_FIXED;

	a->address = (struct ptx_register){ "%end" };
	PTX_ADD(e, "mov.u64 %%end,%%at;\n");
	for (int j = 0; j < vector; j++) {
		a->bytes = is_any || is_fixed
				   ? 0
				   : j * distance(e) * ptx_step(e, k);
		if (a->guard[0])
			PTX_ADD(e, "setp.gt.s32 %%q,%%have,%d;\n",
				j * distance(e));
		ptx_element(e, a, pass * vector + j);
		if (is_any)
			PTX_ADD(e, "add.u64 %%end,%%end,%%y%d;\n", k);
	}
}

/* The first cell of operand @k for the elements of pass @pass. */
static int first_cell(const struct ptx *e, int k, int pass)
{
	const int j = pass * schedule_tile_vector(e->graph, e->schedule);
	int below;

	return ptx_is_shared(e, k) ? ptx_shared_cell(e, k, j, &below)
				   : j * ptx_cells(e, k, 1);
}

/* Write loads or stores of operand @k in global memory, for all passes.  Pass
   @ends = true if the tile may reach beyond the ends of axes 0 and 1: elements
   beyond the ends are left out. */
static void add_global(struct ptx *e, int k, bool ends)
{
	const int vector = schedule_tile_vector(e->graph, e->schedule);
	const int along = is_transposed(e, k) ? 1 : 0;
	struct ptx_access a = { .operand = k,
				.is_store = k < e->graph->n_results,
				.guard = ends ? "@%q " : "",
				.space = ".global" };

	if (!a.is_store && (ends || !is_vector(e, k)))
		ptx_clear(e, k);
	PTX_ADD(e, "mov.u64 %%at,%%a%d;\n", k);
	for (int pass = 0; pass < e->pack / vector; pass++) {
		if (ends)
			PTX_ADD(e,
				"add.u32 %%t32,%%row,%d;\n"
				"setp.lt.u32 %%inside,%%t32,%%len%d;\n"
				"sub.u32 %%have,%%len%d,%%col;\n"
				"selp.b32 %%have,%%have,0,%%inside;\n",
				pass * rows(e), 1 - along, along);
		if (ends || !is_vector(e, k)) {
			add_elements(e, &a, pass);
		} else {
			a.address = (struct ptx_register){ "%at" };
			a.bytes = 0;
			ptx_access(e, &a, first_cell(e, k, pass),
				   ptx_cells(e, k, vector),
				   vector * size_of(e, k));
		}
		PTX_ADD(e, "add.u64 %%at,%%at,%%x%d;\n", k);
	}
}

/* Write loads of all inputs, the transposed inputs first.  @ends: see
   add_global(). */
static void add_inputs(struct ptx *e, bool ends)
{
	for (int turn = 1; turn >= 0; turn--)
		for (int k = e->graph->n_results;
		     k < schedule_operands(e->graph); k++)
			if (is_transposed(e, k) == turn)
				add_global(e, k, ends);
}

static void add_results(struct ptx *e, bool ends)
{
	for (int k = 0; k < e->graph->n_results; k++)
		add_global(e, k, ends);
}

/* --- Local memory ------------------------------------------------------- */

/* Write code that stores the tile of operand @k in local memory or, if
   @is_store is false, loads the tile from local memory, transposed. */
static void add_local(struct ptx *e, int k, bool is_store)
{
	const int vector = schedule_tile_vector(e->graph, e->schedule);
	const int pitch = e->schedule->gpu.tile + 1, size = size_of(e, k);
	struct ptx_access a = { .operand = k,
				.is_store = is_store,
				.guard = "",
				.space = ".shared",
				.address = { "%local" } };

	if (!is_store)
		ptx_clear(e, k);
	PTX_ADD(e,
		"mov.u32 %%local,transposed%d;\n"
		"mad.lo.u32 %%t32,%s,%d,%s;\n"
		"mad.lo.u32 %%local,%%t32,%d,%%local;\n",
		k, is_store ? "%col" : "%row", pitch,
		is_store ? "%row" : "%col", size);
	for (int j = 0; j < e->pack; j++) {
		const int row = j / vector * rows(e);
		const int col = j % vector * distance(e);

		a.bytes = (is_store ? col * pitch + row : row * pitch + col) *
			  size;
		ptx_element(e, &a, j);
	}
}

static void add_transposed(struct ptx *e, bool is_store)
{
	for (int k = 0; k < schedule_operands(e->graph); k++)
		if (is_transposed(e, k))
			add_local(e, k, is_store);
}

void ptx_tile(struct ptx *e)
{
	add_registers(e);
	add_places(e);
	for (int k = 0; k < schedule_operands(e->graph); k++)
		add_steps_of(e, k);
	PTX_ADD(e, "@!%%whole bra F_rest;\n");
	add_inputs(e, false);
	PTX_ADD(e, "bra.uni F_loaded;\nF_rest:\n");
	add_inputs(e, true);
	PTX_ADD(e, "F_loaded:\n");
	add_transposed(e, true);
	PTX_ADD(e, "bar.sync 0;\n");
	add_transposed(e, false);
	ptx_pack_steps(e);
	PTX_ADD(e, "@!%%whole bra F_end;\n");
	add_results(e, false);
	PTX_ADD(e, "ret;\nF_end:\n");
	add_results(e, true);
	PTX_ADD(e, "ret;\n");
}
