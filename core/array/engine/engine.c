/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c - launching graphs: broadcast, collapse axes, choose the frame. */
#include "core/array/engine/engine.h"

#include <string.h>

#include "core/array/engine/kernel_files.h"
#include "core/array/engine/kernel_store.h"
#include "core/array/engine/send.h"
#include "core/array/engine/slots.h"
#include "core/array/layout/layout.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* When FRAME_TILE is used: the fewest elements of the result, and the smallest
   extent of the two axes that are turned.  What it takes at most: registers of
   a work-item for what it loads and stores, and local memory of a group, of
   which devices may have less. */
#define LEAST_TURNED_COUNT 4096
#define LEAST_TURNED 16
#define LEAST_TURNED_CPU 8 /* where native code turns it */
#define TILE_REGISTERS 96
#define TILE_LOCAL ((size_t)48 * 1024)

#define MOST_WORDS \
	(2 + FRAME_RANK + FRAME_OPERANDS * (1 + FRAME_RANK) + 2 * GRAPH_SCALARS)

/* One call, and the places of its operands: first the results, then the
   inputs.  Axis 0 of dim and stride is the outermost. */
struct launch {
	const struct engine_call *call;
	const struct target *target;
	dpr_queue *queue;
	int n;
	const dpr_array *array[FRAME_OPERANDS];
	bool rest; /* an earlier launch has written a part of the results */
	unsigned unread; /* bit k: input k is not read */
	int rank;
	int64_t dim[DPR_MAX_RANK], offset[FRAME_OPERANDS];
	int64_t stride[FRAME_OPERANDS][DPR_MAX_RANK];
	struct frame frame;
	uint64_t words[MOST_WORDS];
};

static size_t item_size(const struct launch *l, int k)
{
	return dpr_dtype_size(l->array[k]->dtype);
}

static bool has_memory(const struct launch *l, int k)
{
	return frame_has_memory(l->call->graph, k);
}

/* --- Places ----------------------------------------------------------------
 */

static void take_operands(struct launch *l, const struct engine_call *call)
{
	const struct graph *graph = call->graph;

	l->call = call;
	l->n = frame_operands(graph);
	for (int k = 0; k < graph->n_results; k++)
		l->array[k] = call->results[k];
	for (int k = 0; k < graph->n_inputs; k++)
		l->array[graph->n_results + k] = call->inputs[k];
	l->queue = l->array[0]->queue;
	l->target = target_of(dpr_queue_device(l->queue));
	l->rest = false;
	l->unread = 0;
	mem_zero(&l->frame, sizeof(l->frame));
}

/* Whether all arrays are contiguous and of one shape, as they mostly are. */
static bool is_plain(const struct launch *l)
{
	for (int k = 0; k < l->n; k++)
		if (!l->array[k]->contiguous ||
		    !array_same_shape(l->array[k], l->array[0]))
			return false;
	return true;
}

static void place_plain(struct launch *l)
{
	l->rank = 1;
	l->dim[0] = l->array[0]->size;
	for (int k = 0; k < l->n; k++) {
		l->offset[k] = l->array[k]->offset;
		l->stride[k][0] = 1;
	}
}

static dpr_status place_operands(struct launch *l)
{
	const dpr_array *out = l->array[0];
	struct layout layout;

	if (is_plain(l)) {
		place_plain(l);
		return DPR_OK;
	}
	l->rank = out->rank;
	for (int d = 0; d < out->rank; d++)
		l->dim[d] = array_shape(out)[d];
	for (int k = 0; k < l->n; k++) {
		array_layout(l->array[k], &layout);
		l->offset[k] = layout.offset;
		if (!layout_expand(&layout, out->rank, l->dim, l->stride[k]))
			return fail(DPR_ERROR_SHAPE,
				    "%s: operand %d does not fit the result's "
				    "shape",
				    l->call->what, k);
	}
	l->rank = layout_collapse(l->n, l->rank, l->dim, l->stride, l->offset,
				  true);
	if (l->rank > 0)
		return DPR_OK;
	l->rank = 1;
	l->dim[0] = 1;
	for (int k = 0; k < l->n; k++)
		l->stride[k][0] = 1;
	return DPR_OK;
}

/* --- Frames ----------------------------------------------------------------
 */

/* Whether a kernel's pointer may begin at element l->offset[k]. */
static bool can_begin(const struct launch *l, int k)
{
	return l->offset[k] == 0 ||
	       (l->target->binds_anywhere && dpr_usm_address(l->array[k]->usm));
}

static bool is_flat(const struct launch *l)
{
	if (l->rank != 1)
		return false;
	for (int k = 0; k < l->n; k++)
		if (l->stride[k][0] != 1 || !has_memory(l, k) ||
		    !can_begin(l, k))
			return false;
	return true;
}

/* The address of an operand's first element, as far as it is known. */
static uintptr_t first_address(const struct launch *l, int k)
{
	return (uintptr_t)dpr_usm_address(l->array[k]->usm) +
	       (uintptr_t)l->offset[k] * item_size(l, k);
}

static bool is_aligned(const struct launch *l)
{
	const size_t pack = (size_t)frame_pack(l->call->graph);

	for (int k = 0; k < l->n; k++)
		if (first_address(l, k) % (pack * item_size(l, k)) != 0)
			return false;
	return true;
}

/* How many elements the launch computes, from axis @first on. */
static int64_t count_from(const struct launch *l, int first)
{
	int64_t count = 1;

	for (int d = first; d < l->rank; d++)
		count *= l->dim[d];
	return count;
}

/* Whether each row of result @k is long and begins a cache line. */
static bool has_lines(const struct launch *l, int k)
{
	const int inner = l->rank - 1;

	if (first_address(l, k) % FRAME_STREAM_LINE != 0 ||
	    l->stride[k][inner] != 1 || l->dim[inner] < FRAME_RUN)
		return false;
	for (int d = 0; d < inner; d++)
		if ((uint64_t)l->stride[k][d] * item_size(l, k) %
			    FRAME_STREAM_LINE !=
		    0)
			return false;
	return true;
}

/* Whether to write past the caches.  Without an address only the kernel can
   tell where lines begin. */
static bool is_streamed(const struct launch *l)
{
	const int64_t whole =
		l->call->whole ? l->call->whole : l->array[0]->size;
	int64_t bytes = 0;

	for (int k = 0; k < l->n; k++) {
		const bool is_result = k < l->call->graph->n_results;

		if (is_result && !has_lines(l, k))
			return false;
		if (has_memory(l, k))
			bytes += (is_result ? whole : l->array[k]->size) *
				 (int64_t)item_size(l, k);
	}
	return target_streams(l->target, bytes);
}

/* Whether each row is whole packs, in every operand that moves along it: what
   FRAME_ROWS wants. */
static bool is_rows_of_packs(const struct launch *l)
{
	const int inner = l->rank - 1, pack = frame_pack(l->call->graph);

	if (pack == 1 || l->dim[inner] % pack != 0)
		return false;
	for (int k = 0; k < l->n; k++) {
		if (l->frame.inner[k] == FRAME_FIXED &&
		    k >= l->call->graph->n_results)
			continue;
		if (l->frame.inner[k] == FRAME_NEXT && !has_memory(l, k))
			continue;
		if (l->frame.inner[k] != FRAME_NEXT ||
		    l->offset[k] % pack != 0 ||
		    (uintptr_t)dpr_usm_address(l->array[k]->usm) % 16 != 0)
			return false;
		for (int d = 0; d < inner; d++)
			if (l->stride[k][d] % pack != 0)
				return false;
	}
	return true;
}

/* --- Turned operands --------------------------------------------------------
 */

/* Whether the elements of input @k lie side by side along axis @d, and not
   along the innermost one. */
static bool is_turned(const struct launch *l, int k, int d)
{
	const int64_t inner = l->stride[k][l->rank - 1];

	return k >= l->call->graph->n_results && has_memory(l, k) &&
	       l->stride[k][d] == 1 && inner != 0 && inner != 1;
}

/* The axis along which the first turned input lies, or -1: there is none for
   which squares pay. */
static int turned_axis(const struct launch *l, int first)
{
	const int64_t least =
		l->target->format->is_native ? LEAST_TURNED_CPU : LEAST_TURNED;
	const int inner = l->rank - 1;

	if (l->dim[inner] < least || count_from(l, first) < LEAST_TURNED_COUNT)
		return -1;
	for (int k = 0; k < l->call->graph->n_results; k++)
		if (l->stride[k][inner] != 1)
			return -1;
	for (int k = l->call->graph->n_results; k < l->n; k++)
		for (int d = first; d < inner; d++)
			if (l->dim[d] >= least && is_turned(l, k, d))
				return d;
	return -1;
}

/* Move axis @d next to the innermost. */
static void bring_inwards(struct launch *l, int d)
{
	for (; d < l->rank - 2; d++) {
		const int64_t dim = l->dim[d];

		l->dim[d] = l->dim[d + 1];
		l->dim[d + 1] = dim;
		for (int k = 0; k < l->n; k++) {
			const int64_t stride = l->stride[k][d];

			l->stride[k][d] = l->stride[k][d + 1];
			l->stride[k][d + 1] = stride;
		}
	}
}

/* Returns false if there is no such axis. */
static bool bring_turned_inwards(struct launch *l, int first)
{
	const int axis = turned_axis(l, first);

	if (axis >= 0)
		bring_inwards(l, axis);
	return axis >= 0;
}

/* The bytes of local memory for squares. */
static size_t tile_local(const struct launch *l)
{
	return l->target->local_bytes < TILE_LOCAL
		       ? (size_t)l->target->local_bytes
		       : TILE_LOCAL;
}

/* The extent of squares with which few registers and little local memory are
   used. */
static int choose_tile(const struct launch *l)
{
	const int large = FRAME_TILE_LARGE;
	size_t local = 0, registers = 0;

	if (!l->target->format->has_vector_tiles)
		return FRAME_TILE_SMALL;
	for (int k = 0; k < l->n; k++) {
		const size_t size = item_size(l, k);

		if (size > 4)
			return FRAME_TILE_SMALL;
		registers += size * (size_t)(large * large / FRAME_GROUP) / 4;
		if (is_turned(l, k, l->rank - 2))
			local += (size_t)frame_tile_bytes(large, (int)size);
	}
	return registers > TILE_REGISTERS || local > tile_local(l)
		       ? FRAME_TILE_SMALL
		       : FRAME_TILE_LARGE;
}

/* Whether every row of operand @k begins at a vector. */
static bool has_aligned_rows(const struct launch *l, int k)
{
	const int vector = frame_tile_vector(l->call->graph, &l->frame);
	const int own = l->rank - (l->frame.inner[k] == FRAME_TURNED ? 2 : 1);

	if (!has_memory(l, k))
		return true;
	if (l->offset[k] % vector != 0 ||
	    (uintptr_t)dpr_usm_address(l->array[k]->usm) % 16 != 0)
		return false;
	for (int d = 0; d < l->rank; d++)
		if (d != own && l->stride[k][d] % vector != 0)
			return false;
	return true;
}

/* Have the frame turn input @k if it lies along the next axis and its square
   fits beside @local bytes of others.  Returns the bytes of them all. */
static size_t turn_input(struct launch *l, int k, size_t local)
{
	const size_t all =
		local + (size_t)frame_tile_bytes(l->frame.gpu.tile,
						 (int)item_size(l, k));

	if (!is_turned(l, k, l->rank - 2) || all > tile_local(l))
		return local;
	l->frame.inner[k] = FRAME_TURNED;
	return all;
}

/* Choose FRAME_TILE if an operand is turned.  What does not fit into local
   memory is read as it lies. */
static bool choose_turned(struct launch *l, int first)
{
	struct frame *frame = &l->frame;
	size_t local = 0;

	if (!bring_turned_inwards(l, first))
		return false;
	frame->kind = FRAME_TILE;
	frame->gpu.small = 1;
	frame->gpu.aligned = l->target->format->has_vector_tiles;
	frame->gpu.tile = (uint8_t)choose_tile(l);
	for (int k = 0; k < l->n; k++) {
		local = turn_input(l, k, local);
		if (frame->inner[k] == FRAME_NEXT ||
		    frame->inner[k] == FRAME_TURNED)
			frame->gpu.aligned &= has_aligned_rows(l, k);
	}
	return true;
}

static void choose_frame(struct launch *l, int first)
{
	const struct kernel_format *format = l->target->format;
	const int inner = l->rank - 1;
	struct frame *frame = &l->frame;

	if (format->in_files) {
		*frame = kernel_files_frame(is_flat(l) ? FRAME_FLAT
						       : FRAME_STRIDED);
		return;
	}
	if (is_flat(l)) {
		frame->kind = FRAME_FLAT;
		if (format->is_native)
			frame->cpu.stream = is_streamed(l);
		else
			frame->gpu.aligned = is_aligned(l);
		return;
	}
	frame->kind = FRAME_STRIDED;
	frame->rank = (uint8_t)(l->rank - first);
	for (int k = 0; k < l->n; k++)
		frame->inner[k] = l->stride[k][inner] == 0   ? FRAME_FIXED
				  : l->stride[k][inner] == 1 ? FRAME_NEXT
							     : FRAME_ANY;
	if (format->is_native) {
		frame->cpu.stream = is_streamed(l);
		bring_turned_inwards(l, first);
		return;
	}
	frame->gpu.small = count_from(l, first) < INT32_MAX;
	if (!choose_turned(l, first) && is_rows_of_packs(l))
		frame->kind = FRAME_ROWS;
}

/* --- Arguments -------------------------------------------------------------
 */

static void add_scalars(struct launch *l, int at)
{
	const struct graph *graph = l->call->graph;

	for (int k = 0; k < graph->n_scalars; k++) {
		const int n = frame_scalar_words(graph, k);

		memcpy(&l->words[at], l->call->scalars[k].bytes,
		       (size_t)n * sizeof(l->words[0]));
		at += n;
	}
}

/* Fill the words, and return how many there are. */
static int fill_words(struct launch *l, int first)
{
	const struct frame_words at = frame_words(l->call->graph, &l->frame);
	const int64_t count = count_from(l, first);
	uint64_t *words = l->words;

	words[at.count] = (uint64_t)count;
	add_scalars(l, at.scalar);
	if (l->frame.kind == FRAME_FLAT)
		return at.n;
	words[at.rows] = (uint64_t)(count / l->dim[l->rank - 1]);
	for (int k = 0; k < l->n; k++)
		words[at.offset + k] = (uint64_t)l->offset[k];
	for (int i = 0; i < l->frame.rank; i++) {
		const int d = l->rank - 1 - i;
		const bool any = d >= first;

		words[at.extent + i] = any ? (uint64_t)l->dim[d] : 1;
		for (int k = 0; k < l->n; k++)
			words[at.stride + i * l->n + k] =
				any ? (uint64_t)l->stride[k][d] : 0;
	}
	return at.n;
}

/* How the launch accesses a result, of which it may write only a part. */
static uint32_t result_access(const struct launch *l, const dpr_array *x)
{
	const struct engine_call *call = l->call;

	return l->rest || call->rest
		       ? (uint32_t)DPR_WRITE
		       : array_write_access(x, call->whole ? call->whole
							   : x->size);
}

/* How the launch accesses an input.  An array that is not read must not make
   the launch depend on its elements: it may be the result. */
static uint32_t input_access(const struct launch *l, int k)
{
	return l->unread >> k & 1 && l->call->inputs[k] == l->call->results[0]
		       ? (uint32_t)DPR_WRITE
		       : (uint32_t)DPR_READ;
}

static void set_operand(const struct launch *l, int k, dpr_arg *arg)
{
	const int input = k - l->call->graph->n_results;
	const dpr_array *x = l->array[k];

	arg->kind = DPR_ARG_USM;
	arg->access = input < 0 ? result_access(l, x) : input_access(l, input);
	arg->size = 0;
	arg->as.at.usm = x->usm;
	arg->as.at.offset = l->frame.kind == FRAME_FLAT
				    ? (size_t)l->offset[k] * item_size(l, k)
				    : 0;
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit;
}

/* The number of squares of FRAME_TILE. */
static uint64_t count_squares(const struct launch *l, int64_t count)
{
	const uint64_t tile = l->frame.gpu.tile;
	const uint64_t x = (uint64_t)l->dim[l->rank - 1];
	const uint64_t y = (uint64_t)l->dim[l->rank - 2];

	return (uint64_t)count / x / y * round_up(x, tile) * round_up(y, tile);
}

/* The range of a kernel that a driver builds. */
static dpr_range choose_range(const struct launch *l, int64_t count)
{
	const uint64_t pack = (uint64_t)frame_pack(l->call->graph);
	uint64_t items = (uint64_t)count;

	if (l->frame.kind == FRAME_FLAT)
		return send_flat_range(pack, items);
	if (l->frame.kind == FRAME_TILE)
		items = count_squares(l, count) * FRAME_GROUP;
	else if (l->frame.kind == FRAME_ROWS)
		items = round_up(items, pack);
	return (dpr_range){
		.dims = 1,
		.global = { round_up(items, FRAME_GROUP) * FRAME_GROUP, 1, 1 },
		.local = { FRAME_GROUP, 1, 1 }
	};
}

/* Whether the device takes the arguments: a pointer for each operand, and the
   words.  A kernel of one step has less than 700 bytes of them. */
static bool fits_parameters(const struct launch *l)
{
	const struct frame_words words = frame_words(l->call->graph, &l->frame);

	return (uint64_t)(words.n + l->n) * sizeof(l->words[0]) <=
	       l->target->parameter_bytes;
}

/* Get the kernel.  In place of a flat one that has no file the strided one can
   do the work. */
static dpr_status get_kernel(struct launch *l,
			     const struct kernel_store_kernel **made)
{
	dpr_status status = kernel_store_get(l->queue, l->target,
					     l->call->graph, &l->frame, made);

	if (status != DPR_ERROR_UNSUPPORTED || l->frame.kind != FRAME_FLAT ||
	    !l->target->format->in_files)
		return status;
	l->frame = kernel_files_frame(FRAME_STRIDED);
	return kernel_store_get(l->queue, l->target, l->call->graph, &l->frame,
				made);
}

/* Launch the kernel over the innermost axes, those from @first on. */
static dpr_status launch_part(struct launch *l, int first)
{
	const struct kernel_store_kernel *made;
	dpr_arg args[FRAME_OPERANDS + 1];
	struct send send = { .what = l->call->what,
			     .queue = l->queue,
			     .target = l->target,
			     .args = args,
			     .words = l->words };
	dpr_range range;
	dpr_status status;

	status = get_kernel(l, &made);
	if (status)
		return status;
	send.made = made;
	send.n_words = (size_t)fill_words(l, first);
	range = choose_range(l, count_from(l, first));
	for (int k = 0; k < l->n; k++)
		if (has_memory(l, k))
			set_operand(l, k, &args[send.n_args++]);
	status = send_launch(&send, &range);
	if (l->frame.kind == FRAME_FLAT && !l->target->format->in_files)
		slots_add(dpr_queue_device(l->queue), l->target, l->call->graph,
			  &l->frame, made);
	kernel_store_put(made);
	return status;
}

/* A kernel takes FRAME_RANK axes at most: launch it for each place along the
   first @outer axes. */
static dpr_status launch_parts(struct launch *l, int outer)
{
	const struct graph *graph = l->call->graph;
	int64_t index[DPR_MAX_RANK] = { 0 };
	dpr_status status;
	int d;

	do {
		status = launch_part(l, outer);
		for (int k = 0; status && (l->rest || l->call->rest) &&
				k < graph->n_results;
		     k++)
			(void)array_stopped(l->array[k], status);
		if (status)
			return status;
		l->rest = true;
		for (d = outer - 1; d >= 0; d--) {
			index[d]++;
			for (int k = 0; k < l->n; k++)
				l->offset[k] += l->stride[k][d];
			if (index[d] < l->dim[d])
				break;
			for (int k = 0; k < l->n; k++)
				l->offset[k] -= l->dim[d] * l->stride[k][d];
			index[d] = 0;
		}
	} while (d >= 0);
	return DPR_OK;
}

bool engine_casts(dpr_device *device)
{
	return !target_of(device)->format->in_files;
}

const char *engine_format(dpr_device *device)
{
	const char *name = target_of(device)->format_name;

	return *name ? name : NULL;
}

/* Make the launch one of the kernel in a file that computes the call. */
static dpr_status take_file(struct launch *l, const struct engine_call *call,
			    struct kernel_files_call *single)
{
	if (!kernel_files_take(call, single))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: %s has kernels of one step only", call->what,
			    dpr_queue_name(l->queue));
	take_operands(l, &single->call);
	l->unread = single->unread;
	return DPR_OK;
}

dpr_status engine_run(const struct engine_call *call)
{
	struct kernel_files_call single;
	struct launch launch;
	dpr_status status = DPR_OK;
	int outer;

	if (call->results[0]->size == 0)
		return DPR_OK;
	take_operands(&launch, call);
	if (launch.target->format->in_files)
		status = take_file(&launch, call, &single);
	if (!status)
		status = place_operands(&launch);
	if (status)
		return status;
	outer = launch.rank > FRAME_RANK ? launch.rank - FRAME_RANK : 0;
	choose_frame(&launch, outer);
	if (!fits_parameters(&launch))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the kernel would have more than the %llu "
			    "bytes of arguments that %s takes; use fewer "
			    "operands at a time",
			    call->what,
			    (unsigned long long)launch.target->parameter_bytes,
			    dpr_queue_name(launch.queue));
	return outer ? launch_parts(&launch, outer) : launch_part(&launch, 0);
}
