/* SPDX-License-Identifier: Apache-2.0 */
/* transposed.c - decides how a kernel reads transposed operands. */
#include "core/array/engine/transposed.h"

/* Transposing by tiles is faster if the result has at least
   LEAST_TRANSPOSED_COUNT elements, and if both axes of the tiles have at least
   extent LEAST_TRANSPOSED.  In SCHEDULE_TILE a work-item holds elements in at
   most TILE_REGISTERS registers.  A work-group takes at most TILE_LOCAL bytes
   of local memory, or what the device has, if this is less. */
#define LEAST_TRANSPOSED_COUNT 4096
#define LEAST_TRANSPOSED 16
/* takes the place of LEAST_TRANSPOSED in native code */
#define LEAST_TRANSPOSED_CPU 8
#define TILE_REGISTERS 96
#define TILE_LOCAL ((size_t)48 * 1024)
/* A transposed array is read slowly if it has at least SLOW_SIZE elements, and
   if the last axis and the contiguous axis have at least extent SLOW_EXTENT. */
#define SLOW_SIZE 16384
#define SLOW_EXTENT 16

static size_t item_size(const struct launch_plan *p, int k)
{
	return dpr_dtype_size(p->array[k]->dtype);
}

/* Whether operand @k is a transposed input: contiguous along axis @d, and not
   along the innermost axis. */
static bool is_transposed(const struct launch_plan *p, int k, int d)
{
	const int64_t inner = p->kept.stride[k + 1][p->kept.rank - 1];

	return k >= p->graph->n_results && schedule_has_memory(p->graph, k) &&
	       p->kept.stride[k + 1][d] == 1 && inner != 0 && inner != 1;
}

/* The axis along which the first transposed input is contiguous.  -1: no input
   would be read faster by tiles. */
static int transposed_axis(const struct launch_plan *p, int first)
{
	const int64_t least = p->target->format->is_native
				      ? LEAST_TRANSPOSED_CPU
				      : LEAST_TRANSPOSED;
	const int inner = p->kept.rank - 1;

	if (p->kept.dim[inner] < least ||
	    axes_count(&p->kept, first) < LEAST_TRANSPOSED_COUNT)
		return -1;
	for (int k = 0; k < p->graph->n_results; k++)
		if (p->kept.stride[k + 1][inner] != 1)
			return -1;
	for (int k = p->graph->n_results; k < p->n; k++)
		for (int d = first; d < inner; d++)
			if (p->kept.dim[d] >= least && is_transposed(p, k, d))
				return d;
	return -1;
}

/* Move axis @d next to the innermost axis: tiles lie along these two axes. */
static void bring_inwards(struct launch_plan *p, int d)
{
	for (; d < p->kept.rank - 2; d++) {
		const int64_t dim = p->kept.dim[d];

		p->kept.dim[d] = p->kept.dim[d + 1];
		p->kept.dim[d + 1] = dim;
		for (int k = 0; k < p->n; k++) {
			const int64_t stride = p->kept.stride[k + 1][d];

			p->kept.stride[k + 1][d] = p->kept.stride[k + 1][d + 1];
			p->kept.stride[k + 1][d + 1] = stride;
		}
	}
}

bool transposed_bring_inwards(struct launch_plan *p, int first)
{
	const int axis = transposed_axis(p, first);

	if (axis >= 0)
		bring_inwards(p, axis);
	return axis >= 0;
}

/* The bytes of local memory that the tiles of all operands together may take.
 */
static size_t tile_local(const struct launch_plan *p)
{
	return p->target->local_bytes < TILE_LOCAL
		       ? (size_t)p->target->local_bytes
		       : TILE_LOCAL;
}

/* Choose the number of elements along each side of a tile.  Large tiles are
   chosen only if few registers and little local memory suffice for them. */
static int choose_tile(const struct launch_plan *p)
{
	const int large = SCHEDULE_TILE_LARGE;
	size_t local = 0, registers = 0;

	if (!p->target->format->has_vector_tiles)
		return SCHEDULE_TILE_SMALL;
	for (int k = 0; k < p->n; k++) {
		const size_t size = item_size(p, k);

		if (size > 4)
			return SCHEDULE_TILE_SMALL;
		registers +=
			size * (size_t)(large * large / SCHEDULE_GROUP) / 4;
		if (is_transposed(p, k, p->kept.rank - 2))
			local += (size_t)schedule_tile_bytes(large, (int)size);
	}
	return registers > TILE_REGISTERS || local > tile_local(p)
		       ? SCHEDULE_TILE_SMALL
		       : SCHEDULE_TILE_LARGE;
}

/* Let the schedule transpose input @k in local memory, if the input is
   contiguous along the axis next to the innermost, and if its tile fits beside
   @local bytes of other tiles.  Returns the bytes of all tiles. */
static size_t transpose_input(struct launch_plan *p, int k, size_t local)
{
	const size_t all =
		local + (size_t)schedule_tile_bytes(p->schedule.gpu.tile,
						    (int)item_size(p, k));

	if (!is_transposed(p, k, p->kept.rank - 2) || all > tile_local(p))
		return local;
	p->schedule.inner[k] = SCHEDULE_TRANSPOSED;
	return all;
}

/* Whether every row of operand @k begins at a multiple of a vector's size.
   Only then can vectors be loaded and stored. */
static bool is_vectors(const struct launch_plan *p, int k)
{
	const int own = p->kept.rank -
			(p->schedule.inner[k] == SCHEDULE_TRANSPOSED ? 2 : 1);

	return launch_plan_is_packs(
		p, k, own, schedule_tile_vector(p->graph, &p->schedule));
}

/* If the tile of a transposed input does not fit into local memory, the kernel
   reads the input directly, although neighbours along a row are far apart. */
bool transposed_choose_squares(struct launch_plan *p, int first)
{
	struct schedule *schedule = &p->schedule;
	size_t local = 0;

	/* No tiles if places are computed: the elements at these places are far
	   apart with tiles, too. */
	if (p->gathers || graph_puts(p->graph) ||
	    !transposed_bring_inwards(p, first))
		return false;
	schedule->kind = SCHEDULE_TILE;
	schedule->gpu.small = 1;
	schedule->gpu.aligned = p->target->format->has_vector_tiles;
	schedule->gpu.tile = (uint8_t)choose_tile(p);
	for (int k = 0; k < p->n; k++) {
		local = transpose_input(p, k, local);
		if (schedule->inner[k] == SCHEDULE_NEXT ||
		    schedule->inner[k] == SCHEDULE_TRANSPOSED)
			schedule->gpu.aligned &= is_vectors(p, k);
	}
	return true;
}

/* Whether @x is contiguous along an axis other than the last, and is large
   enough that reading it is slow. */
static bool is_transposed_array(const dpr_array *x)
{
	const int64_t *dim = array_shape(x), *stride = array_strides(x);
	int last = x->rank - 1;

	while (last > 0 && dim[last] == 1)
		last--;
	if (last < 1 || dim[last] < SLOW_EXTENT ||
	    (stride[last] >= -1 && stride[last] <= 1) || x->size < SLOW_SIZE)
		return false;
	for (int d = 0; d < last; d++)
		if (stride[d] == 1 && dim[d] >= SLOW_EXTENT)
			return true;
	return false;
}

bool transposed_reads_well(const dpr_array *x)
{
	return x->contiguous || !x->usm || !is_transposed_array(x) ||
	       target_of(dpr_queue_device(x->queue))->format->reads_transposed;
}
