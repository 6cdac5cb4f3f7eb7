/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_tile.c - kernels as SPIR-V that turn operands in local memory.
 *
 * A group puts a square of each FRAME_TURNED operand into local memory: the
 * work-items of a row of the square read elements that lie side by side along
 * axis 1.  Behind a barrier they take them from there, and all other operands
 * and the results from global memory, side by side along axis 0.
 *
 * Of each row a work-item has one element, in column `col`; its rows are
 * `row`, `row` + rows(), and so on.
 */
#include "core/array/engine/spirv/spirv_tile.h"

#include "core/array/engine/spirv/spirv_run.h"

/* The square: its first place along both axes, and its extents there. */
struct square {
	uint32_t first[2], extent[2];
	uint32_t whole;              /* whether the extents are gpu.tile */
	uint32_t row, col;           /* of the work-item */
	uint32_t at[FRAME_OPERANDS]; /* where the square's axes 0 and 1 begin */
};

static bool is_turned(const struct spirv_steps *e, int k)
{
	return e->frame->inner[k] == FRAME_TURNED;
}

/* The rows that all work-items together have at a time. */
static unsigned rows(const struct spirv_steps *e)
{
	return FRAME_GROUP / e->frame->gpu.tile;
}

static unsigned passes(const struct spirv_steps *e)
{
	return e->frame->gpu.tile / rows(e);
}

/* --- Places ----------------------------------------------------------------
 */

/* Find where the group's square lies along axis @d. */
static void find_axis(struct spirv_steps *e, struct square *s, int d,
		      uint32_t *rest)
{
	const uint32_t type = spirv_access_number_type(e);
	const uint32_t tile = spirv_access_number(e, e->frame->gpu.tile);
	const uint32_t all = spirv_steps_word(e, e->words.extent + d);
	uint32_t n, left;

	n = spirv_access_sum(e, all,
			     spirv_access_number(e, e->frame->gpu.tile - 1u));
	n = SPIRV_MAKE(&e->module, U_DIV, type, n, tile);
	s->first[d] = spirv_access_product(
		e, spirv_access_split(e, true, rest, n), tile);
	left = SPIRV_MAKE(&e->module, I_SUB, type, all, s->first[d]);
	s->extent[d] = spirv_access_choose(
		e, spirv_access_is_below(e, left, tile), left, tile);
}

static void find_square(struct spirv_steps *e, struct square *s)
{
	const uint32_t tile = spirv_access_number(e, e->frame->gpu.tile);
	uint32_t rest = spirv_access_group_id(e), least;

	for (int d = 0; d < 2; d++)
		find_axis(e, s, d, &rest);
	least = spirv_access_choose(
		e, spirv_access_is_below(e, s->extent[0], s->extent[1]),
		s->extent[0], s->extent[1]);
	s->whole = spirv_access_is_below(
		e, spirv_access_number(e, e->frame->gpu.tile - 1u), least);
	spirv_access_begin(e, s->at);
	if (e->frame->rank > 2)
		spirv_access_axes(e, 2, rest, s->at);
	s->row = spirv_access_local_id(e);
	s->col = spirv_access_split(e, true, &s->row, tile);
}

/* Move index @at of operand @k by @i along axis @d. */
static uint32_t move(struct spirv_steps *e, int k, int d, uint32_t at,
		     uint32_t i)
{
	const unsigned inner = e->frame->inner[k];

	if (d == 0 && inner == FRAME_FIXED)
		return at;
	if (d != (inner == FRAME_NEXT ? 0 : inner == FRAME_TURNED ? 1 : -1))
		i = spirv_access_product(e, i, spirv_access_stride(e, k, d));
	return spirv_access_sum(e, at, i);
}

/* A run over the work-item's rows, which lie along axis 1 - @along: none if its
   column is beyond the end of axis @along. */
static struct spirv_run run_along(struct spirv_steps *e, const struct square *s,
				  int along)
{
	const uint32_t inside =
		spirv_access_is_below(e, s->col, s->extent[along]);

	return (struct spirv_run){ .n = passes(e),
				   .step = rows(e),
				   .begin = s->row,
				   .end = spirv_access_choose(
					   e, inside, s->extent[1 - along],
					   spirv_access_number(e, 0)),
				   .whole = s->whole };
}

/* Where operand @k is accessed in rows that lie along axis 1 - @along. */
static struct spirv_run_place place_of(struct spirv_steps *e,
				       const struct square *s, int k, int along)
{
	const int across = 1 - along;
	uint32_t at = move(e, k, across, s->at[k], s->first[across]);

	at = move(e, k, along, at,
		  spirv_access_sum(e, s->first[along], s->col));
	return (struct spirv_run_place){
		.origin = at, .scale = spirv_access_stride(e, k, across)
	};
}

/* --- Local memory ----------------------------------------------------------
 */

/* Where turned operand @k is in local memory: the element in row i and column j
   of axis 0 and 1 is number i * (gpu.tile + 1) + j.  Rows lie along axis 0 if
   @along is 1. */
static struct spirv_run_place local_place(struct spirv_steps *e,
					  const struct square *s, int along,
					  uint32_t array)
{
	const uint32_t pitch = spirv_access_number(e, e->frame->gpu.tile + 1u);

	return (struct spirv_run_place){
		.way = SPIRV_RUN_LOCAL,
		.origin =
			along ? s->col : spirv_access_product(e, s->col, pitch),
		.scale = along ? pitch : 0,
		.array = array
	};
}

/* Fill operand @k's square in a loop. */
static void fill_loop(struct spirv_steps *e, int k, const struct spirv_run *run,
		      const struct spirv_run_place *local)
{
	struct spirv_run_loop loop;
	const uint32_t at = spirv_run_open(e, run, &loop);
	uint32_t part[SPIRV_STEPS_PARTS];

	spirv_access_load(e, k, spirv_run_index(e, &run->place[k], at), part);
	spirv_access_store_local(e, frame_operand(e->graph, k), local->array,
				 spirv_run_index(e, local, at), part);
	spirv_run_close(e, run, at, &loop);
}

/* Fill operand @k's square, which is whole: all loads come first. */
static void fill_whole(struct spirv_steps *e, int k,
		       const struct spirv_run *run,
		       const struct spirv_run_place *local)
{
	const unsigned parts = spirv_steps_parts(frame_operand(e->graph, k));
	struct spirv_access_pack pack;

	spirv_run_load(e, run, k, &pack);
	for (unsigned j = 0; j < run->n; j++)
		spirv_access_store_local(
			e, frame_operand(e->graph, k), local->array,
			spirv_run_index(e, local, spirv_run_count(e, run, j)),
			&pack.part[j * parts]);
}

/* Fill the squares of all turned operands, and find out where they are. */
static void fill(struct spirv_steps *e, const struct square *s,
		 struct spirv_run_place *place)
{
	struct spirv_run run = run_along(e, s, 1);
	const uint32_t whole = spirv_module_id(&e->module),
		       ends = spirv_module_id(&e->module),
		       filled = spirv_module_id(&e->module);
	const unsigned size = e->frame->gpu.tile * (e->frame->gpu.tile + 1u);
	struct spirv_run_place local[FRAME_OPERANDS];

	for (int k = 0; k < frame_operands(e->graph); k++) {
		if (!is_turned(e, k))
			continue;
		run.place[k] = place_of(e, s, k, 1);
		local[k] = local_place(
			e, s, 1,
			spirv_access_local(e, frame_operand(e->graph, k),
					   size));
		place[k] = local_place(e, s, 0, local[k].array);
	}
	spirv_access_branch_if(e, run.whole, whole, ends);
	spirv_access_label(e, whole);
	for (int k = 0; k < frame_operands(e->graph); k++)
		if (is_turned(e, k))
			fill_whole(e, k, &run, &local[k]);
	spirv_access_branch(e, filled);
	spirv_access_label(e, ends);
	for (int k = 0; k < frame_operands(e->graph); k++)
		if (is_turned(e, k))
			fill_loop(e, k, &run, &local[k]);
	spirv_access_branch(e, filled);
	spirv_access_label(e, filled);
}

void spirv_tile_add(struct spirv_steps *e)
{
	struct spirv_run_place turned[FRAME_OPERANDS];
	struct spirv_run run;
	struct square square;

	find_square(e, &square);
	fill(e, &square, turned);
	spirv_access_barrier(e);
	run = run_along(e, &square, 0);
	for (int k = 0; k < frame_operands(e->graph); k++)
		run.place[k] = is_turned(e, k) ? turned[k]
					       : place_of(e, &square, k, 0);
	spirv_run_add(e, &run);
}
