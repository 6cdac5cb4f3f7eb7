/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_tile.c - writes kernels that transpose operands in local memory.
 *
 * A group computes a tile: a square of elements along axes 0 and 1.  First the
 * group copies the tile of each SCHEDULE_TRANSPOSED operand to local memory.
 * In this phase neighbouring work-items read neighbours along axis 1.  After a
 * barrier the steps are computed.  In this phase neighbouring work-items take
 * neighbours along axis 0, and read the transposed operands from local memory.
 * All other operands are read from global memory.
 *
 * The work-items of a group take rows() whole rows of the tile at a time.  A
 * work-item has the elements in column `col` of rows `row`, `row` + rows(), and
 * so on.
 */
#include "core/array/engine/gpu/gpu_tile.h"

#include "core/array/engine/gpu/gpu_run.h"

/* The group's tile.  `first`: the index of its first element along axis 0 and
   along axis 1.  `extent`: the number of its elements along these axes.  An
   extent is gpu.tile, or less at the end of an axis. */
struct square {
	uint32_t first[2], extent[2];
	uint32_t whole;    /* a condition: both extents are gpu.tile */
	uint32_t row, col; /* the work-item's first row and its column */
	/* for each operand: the index of the element that is first along axes 0
	   and 1 */
	uint32_t at[SCHEDULE_OPERANDS];
};

static bool is_transposed(const struct machine *m, int k)
{
	return m->schedule->inner[k] == SCHEDULE_TRANSPOSED;
}

/* The number of rows of the tile that a group takes at a time: each work-item
   takes one element. */
static unsigned rows(const struct machine *m)
{
	return SCHEDULE_GROUP / m->schedule->gpu.tile;
}

/* The number of elements of a tile that a work-item takes. */
static unsigned passes(const struct machine *m)
{
	return m->schedule->gpu.tile / rows(m);
}

/* --- Places ------------------------------------------------------------- */

static uint32_t least(struct machine *m, uint32_t a, uint32_t b)
{
	return m->as->choose(m, machine_is_below(m, a, b), a, b);
}

/* Write code that finds where the group's tile begins along axis @d.  @d is 0,
   then 1.  *@rest is the number of the group, divided by the number of tiles
   along each earlier axis.  Afterwards *@rest is also divided by the number of
   tiles along axis @d. */
static void find_axis(struct machine *m, struct square *s, int d,
		      uint32_t *rest)
{
	static const char *const first[] = { "left", "top" };
	static const char *const extent[] = { "width", "height" };
	const uint32_t tile = m->as->number(m, m->schedule->gpu.tile);
	const uint32_t all = m->as->word(m, m->words.extent + d);
	uint32_t n, left;

	n = machine_sum(m, all, m->as->number(m, m->schedule->gpu.tile - 1u));
	n = m->as->name(m, d ? "rows" : "columns", -1,
			m->as->compute(m, MACHINE_QUOTIENT, n, tile));
	s->first[d] = m->as->name(
		m, first[d], -1,
		machine_product(m, m->as->split(m, true, rest, n), tile));
	left = m->as->compute(m, MACHINE_DIFFERENCE, all, s->first[d]);
	s->extent[d] = m->as->name(m, extent[d], -1, least(m, left, tile));
}

static void find_square(struct machine *m, struct square *s)
{
	const uint32_t tile = m->as->number(m, m->schedule->gpu.tile);
	uint32_t rest = m->as->id(m, MACHINE_GROUP), smaller;

	for (int d = 0; d < 2; d++)
		find_axis(m, s, d, &rest);
	smaller = least(m, s->extent[0], s->extent[1]);
	s->whole = m->as->name(
		m, "whole", -1,
		machine_is_below(m,
				 m->as->number(m, m->schedule->gpu.tile - 1u),
				 smaller));
	m->as->begin(m, s->at);
	if (m->schedule->rank > 2)
		m->as->axes(m, 2, rest, s->at);
	s->row = m->as->id(m, MACHINE_LOCAL);
	s->col =
		m->as->name(m, "col", -1, m->as->split(m, true, &s->row, tile));
	s->row = m->as->name(m, "row", -1, s->row);
}

/* Return the index of the element that is @i elements from index @at of operand
   @k, along axis @d. */
static uint32_t move(struct machine *m, int k, int d, uint32_t at, uint32_t i)
{
	const unsigned inner = m->schedule->inner[k];

	if (d == 0 && inner == SCHEDULE_FIXED)
		return at;
	if (d != (inner == SCHEDULE_NEXT         ? 0
		  : inner == SCHEDULE_TRANSPOSED ? 1
						 : -1))
		i = machine_product(m, i, machine_stride(m, k, d));
	return machine_sum(m, at, i);
}

/* Return the run of the work-item's elements.  @along is the axis, 0 or 1,
   along which the rows of the tile lie: neighbouring work-items take neighbours
   along this axis.  If the work-item's column is beyond the end of the axis,
   the run is empty. */
static struct gpu_run run_along(struct machine *m, const struct square *s,
				int along)
{
	const uint32_t inside = machine_is_below(m, s->col, s->extent[along]);

	return (struct gpu_run){ .n = passes(m),
				 .step = rows(m),
				 .begin = s->row,
				 .end = m->as->choose(m, inside,
						      s->extent[1 - along],
						      m->as->number(m, 0)),
				 .whole = s->whole };
}

/* Return where the elements of run_along(@along) lie in operand @k, in global
   memory. */
static struct gpu_run_place place_of(struct machine *m, const struct square *s,
				     int k, int along)
{
	const int across = 1 - along;
	uint32_t at = move(m, k, across, s->at[k], s->first[across]);

	at = move(m, k, along, at, machine_sum(m, s->first[along], s->col));
	return (struct gpu_run_place){ .origin = m->as->name(m, "from", k, at),
				       .scale = machine_stride(m, k, across) };
}

/* --- Local memory ------------------------------------------------------- */

/* Return where the elements of run_along(@along) lie in @array, the copy of an
   operand's tile in local memory.  The element with index i along axis 0 and j
   along axis 1 is number i * (gpu.tile + 1) + j of this array. */
static struct gpu_run_place local_place(struct machine *m,
					const struct square *s, int along,
					uint32_t array)
{
	const uint32_t pitch = m->as->number(m, m->schedule->gpu.tile + 1u);

	return (struct gpu_run_place){
		.way = GPU_RUN_LOCAL,
		.origin = along ? s->col : machine_product(m, s->col, pitch),
		.scale = along ? pitch : 0,
		.array = array
	};
}

/* Write code that copies operand @k's tile to local memory, in a loop over the
   elements of a run that is not whole. */
static void fill_loop(struct machine *m, int k, const struct gpu_run *run,
		      const struct gpu_run_place *local)
{
	struct machine_loop loop;
	struct machine_element x;

	gpu_run_begin_loop(m, run, &loop);
	x = m->as->load(m, k, gpu_run_index(m, &run->place[k], loop.at));
	m->as->store_local(m, k, local->array, gpu_run_index(m, local, loop.at),
			   &x);
	m->as->end_loop(m, &loop);
}

/* The context of fill_element(). */
struct filling {
	struct machine *m;
	const struct gpu_run *run;
	const struct gpu_run_place *local;
	const struct machine_pack *pack;
};

static void fill_element(void *context, struct machine_index j)
{
	const struct filling *f = context;
	const struct machine_element x = f->m->as->get(f->m, f->pack, j);

	f->m->as->store_local(
		f->m, f->pack->k, f->local->array,
		gpu_run_index(f->m, f->local, gpu_run_count(f->m, f->run, j)),
		&x);
}

/* Write code that copies operand @k's tile to local memory if the tile is
   whole: all loads come first, then the stores. */
static void fill_whole(struct machine *m, int k, const struct gpu_run *run,
		       const struct gpu_run_place *local)
{
	struct machine_pack pack;
	struct filling f = { m, run, local, &pack };

	gpu_run_load(m, run, k, &pack);
	m->as->each(m, run->n, MACHINE_ITEM, fill_element, &f);
}

/* Write code that copies the tiles of all transposed operands to local memory.
   place[k] becomes the place from which the work-item reads operand k after the
   barrier. */
static void fill(struct machine *m, const struct square *s,
		 struct gpu_run_place *place)
{
	struct gpu_run run = run_along(m, s, 1);
	const unsigned size =
		m->schedule->gpu.tile * (m->schedule->gpu.tile + 1u);
	struct gpu_run_place local[SCHEDULE_OPERANDS];
	struct machine_if f;

	for (int k = 0; k < schedule_operands(m->graph); k++) {
		if (!is_transposed(m, k))
			continue;
		run.place[k] = place_of(m, s, k, 1);
		local[k] = local_place(m, s, 1, m->as->local(m, k, size));
		place[k] = local_place(m, s, 0, local[k].array);
	}
	m->as->begin_if(m, &f, run.whole);
	for (int k = 0; k < schedule_operands(m->graph); k++)
		if (is_transposed(m, k))
			fill_whole(m, k, &run, &local[k]);
	m->as->begin_else(m, &f);
	for (int k = 0; k < schedule_operands(m->graph); k++)
		if (is_transposed(m, k))
			fill_loop(m, k, &run, &local[k]);
	m->as->end_if(m, &f);
}

void gpu_tile_add(struct machine *m)
{
	struct gpu_run_place transposed[SCHEDULE_OPERANDS];
	struct gpu_run run;
	struct square square;

	find_square(m, &square);
	fill(m, &square, transposed);
	m->as->barrier(m);
	run = run_along(m, &square, 0);
	for (int k = 0; k < schedule_operands(m->graph); k++)
		run.place[k] = is_transposed(m, k) ? transposed[k]
						   : place_of(m, &square, k, 0);
	gpu_run_add(m, &run);
}
