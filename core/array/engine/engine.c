/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c - computes a graph: broadcasts its operands, merges axes, chooses
   the schedule and launches the kernel. */
#include "core/array/engine/engine.h"

#include <string.h>

#include "core/array/engine/eager_cache.h"
#include "core/array/engine/kernel_files.h"
#include "core/array/engine/kernel_store.h"
#include "core/array/engine/launch_plan.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/transposed.h"
#include "core/array/layout/layout.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* SCHEDULE_ROWS: the most slots of kernels that read rows of sources, and the
   most slots of kernels that read single elements.  2^LEAST_TEAM to 2^MOST_TEAM
   work-items have neighbouring packs.  The fewest access 64 bytes. */
#define ROW_SLOTS 2
#define ELEMENT_SLOTS 4
#define LEAST_TEAM 2
#define MOST_TEAM 5

static size_t item_size(const struct launch_plan *l, int k)
{
	return dpr_dtype_size(l->array[k]->dtype);
}

/* --- Places ------------------------------------------------------------- */

static void take_operands(struct launch_plan *l, const struct engine_call *call)
{
	const struct graph *graph = call->graph;
	dpr_queue *queue = call->results[0]->queue;

	launch_plan_begin(l, call->what, graph, call->scalars, queue,
			  target_of(dpr_queue_device(queue)));
	for (int k = 0; k < graph->n_results; k++)
		l->array[k] = call->results[k];
	for (int k = 0; k < graph->n_inputs; k++)
		l->array[graph->n_results + k] = call->inputs[k];
	l->rest = call->rest;
	l->whole = call->whole;
}

static bool is_source(const struct launch_plan *l, int k)
{
	return l->gathers && schedule_is_source(l->graph, k);
}

/* Whether operand @k is a GRAPH_PUT. */
static bool is_put(const struct launch_plan *l, int k)
{
	return k < l->graph->n_results && graph_place(l->graph, k) >= 0;
}

/* Whether steps compute the places of operand @k. */
static bool is_placed(const struct launch_plan *l, int k)
{
	return is_source(l, k) || is_put(l, k);
}

static bool has_strides(const dpr_array *x)
{
	for (int d = 0; d < x->rank; d++)
		if (array_strides(x)[d] != 0)
			return true;
	return false;
}

/* Whether all arrays but sources have the same shape and are contiguous; if
   operand @k is a GRAPH_PUT, whether its strides are 0.  In this usual case no
   axes have to be broadcast and merged. */
static bool is_plain(const struct launch_plan *l)
{
	for (int k = 0; k < l->n; k++) {
		const dpr_array *x = l->array[k];

		if (!is_source(l, k) &&
		    ((is_put(l, k) ? has_strides(x) : !x->contiguous) ||
		     !array_same_shape(x, l->array[0])))
			return false;
	}
	return true;
}

static void place_plain(struct launch_plan *l)
{
	l->kept.rank = 1;
	l->kept.dim[0] = l->array[0]->size;
	for (int k = 0; k < l->n; k++) {
		l->kept.offset[k + 1] = l->array[k]->offset;
		l->kept.stride[k + 1][0] = !is_placed(l, k);
	}
}

static dpr_status place_operands(struct launch_plan *l)
{
	const dpr_array *out = l->array[0];
	struct layout layout;

	if (is_plain(l)) {
		place_plain(l);
		return DPR_OK;
	}
	l->kept.rank = out->rank;
	for (int d = 0; d < out->rank; d++)
		l->kept.dim[d] = array_shape(out)[d];
	for (int k = 0; k < l->n; k++) {
		array_layout(l->array[k], &layout);
		l->kept.offset[k + 1] = layout.offset;
		if (is_source(l, k))
			layout.rank = 0;
		if (!layout_expand(&layout, out->rank, l->kept.dim,
				   l->kept.stride[k + 1]))
			return fail(DPR_ERROR_SHAPE,
				    "%s: operand %d does not fit the result's "
				    "shape",
				    l->what, k);
	}
	axes_collapse(&l->kept, 1, l->n);
	/* A single element counts as contiguous, so that SCHEDULE_FLAT is
	   possible. */
	for (int k = 0; l->kept.dim[0] == 1 && k < l->n; k++)
		l->kept.stride[k + 1][0] = !is_placed(l, k);
	return DPR_OK;
}

/* --- Schedules ---------------------------------------------------------- */

/* Whether the device accepts a pointer to the first element of operand @k. */
static bool can_begin(const struct launch_plan *l, int k)
{
	return l->kept.offset[k + 1] == 0 ||
	       (l->target->binds_anywhere && dpr_usm_address(l->array[k]->usm));
}

static bool is_flat(const struct launch_plan *l)
{
	if (l->kept.rank != 1 || l->gathers)
		return false;
	for (int k = 0; k < l->n; k++)
		if (l->kept.stride[k + 1][0] != !is_put(l, k) ||
		    !schedule_has_memory(l->graph, k) || !can_begin(l, k))
			return false;
	return true;
}

/* The address of an operand's first element.  An unknown address of an
   allocation counts as 0. */
static uintptr_t first_address(const struct launch_plan *l, int k)
{
	return (uintptr_t)dpr_usm_address(l->array[k]->usm) +
	       (uintptr_t)l->kept.offset[k + 1] * item_size(l, k);
}

static bool is_aligned(const struct launch_plan *l)
{
	const size_t pack = (size_t)schedule_pack(l->graph);

	if (graph_puts(l->graph))
		return false;
	for (int k = 0; k < l->n; k++)
		if (first_address(l, k) % (pack * item_size(l, k)) != 0)
			return false;
	return true;
}

/* Whether each row of result @k has at least SCHEDULE_RUN elements and begins
   at a cache line. */
static bool has_lines(const struct launch_plan *l, int k)
{
	const int inner = l->kept.rank - 1;

	if (first_address(l, k) % SCHEDULE_STREAM_LINE != 0 ||
	    l->kept.stride[k + 1][inner] != 1 ||
	    l->kept.dim[inner] < SCHEDULE_RUN)
		return false;
	for (int d = 0; d < inner; d++)
		if ((uint64_t)l->kept.stride[k + 1][d] * item_size(l, k) %
			    SCHEDULE_STREAM_LINE !=
		    0)
			return false;
	return true;
}

/* Whether to write the results past the CPU's caches.  A result with an unknown
   address counts as aligned here.  At run time the kernel looks at the real
   address, and stores through the caches if the rows are not aligned. */
static bool is_streamed(const struct launch_plan *l)
{
	const int64_t whole = l->whole ? l->whole : l->array[0]->size;
	int64_t bytes = 0;

	for (int k = 0; k < l->n; k++) {
		const bool is_result = k < l->graph->n_results;

		if (is_result && !has_lines(l, k))
			return false;
		if (schedule_has_memory(l->graph, k) && !is_source(l, k))
			bytes += (is_result ? whole : l->array[k]->size) *
				 (int64_t)item_size(l, k);
	}
	return target_streams(l->target, bytes);
}

/* --- Rows ----------------------------------------------------------------- */

/* The most bytes that a kernel loads or stores together. */
#define PACK_BYTES 16

/* How the value of a step changes along a row: SCHEDULE_FIXED, SCHEDULE_NEXT if
   each element adds 1, else SCHEDULE_ANY.  multiple: a power of two up to
   PACK_BYTES.  The value in the first element of each row is a multiple of this
   number. */
struct motion {
	enum schedule_inner inner;
	int multiple;
};

/* The largest power of two up to PACK_BYTES that divides @n. */
static int power_in(uint64_t n)
{
	n |= PACK_BYTES;
	return (int)(n & (~n + 1));
}

/* The motion of @step, an input. */
static struct motion move_input(const struct launch_plan *l,
				const struct graph_step *step)
{
	const int k = l->graph->n_results + step->at;
	const enum schedule_inner inner = l->schedule.inner[k];
	uint64_t apart = (uint64_t)l->kept.offset[k + 1];

	if (step->kind != GRAPH_INDEX)
		return (struct motion){ inner == SCHEDULE_FIXED ? SCHEDULE_FIXED
								: SCHEDULE_ANY,
					1 };
	for (int d = 0; d < l->kept.rank - 1; d++)
		apart |= (uint64_t)l->kept.stride[k + 1][d];
	return (struct motion){ inner, power_in(apart) };
}

/* The motion of @step, a scalar. */
static struct motion move_scalar(const struct launch_plan *l,
				 const struct graph_step *step)
{
	uint64_t value = 1;

	if (step->dtype == DPR_INT64)
		memcpy(&value, l->scalars[step->at].bytes, sizeof(value));
	return (struct motion){ SCHEDULE_FIXED, power_in(value) };
}

/* The motion of @step, which has operands.  @before: the motions of all earlier
   steps. */
static struct motion move_step(const struct graph_step *step,
			       const struct motion *before)
{
	const bool is_place =
		step->kind == GRAPH_OPERATION && step->dtype == DPR_INT64;
	const struct motion *a = &before[step->x[0]], *b = &before[step->x[1]];
	bool moves = false;

	for (int k = 0; k < step->n; k++)
		moves |= before[step->x[k]].inner != SCHEDULE_FIXED;
	if (is_place && step->at == OPERATION__add &&
	    (a->inner == SCHEDULE_FIXED || b->inner == SCHEDULE_FIXED))
		return (struct motion){
			a->inner == SCHEDULE_FIXED ? b->inner : a->inner,
			a->multiple < b->multiple ? a->multiple : b->multiple
		};
	if (is_place && step->at == OPERATION__multiply && !moves)
		return (struct motion){
			SCHEDULE_FIXED,
			power_in((uint64_t)(a->multiple * b->multiple))
		};
	return (struct motion){ moves ? SCHEDULE_ANY : SCHEDULE_FIXED, 1 };
}

/* Find how the places in each source change along a row: place[k] is for
   operand k, and is set for sources alone.  Returns whether there are sources,
   and all are read by rows: the elements that a row needs are neighbours. */
static bool find_places(const struct launch_plan *l, struct motion *place)
{
	struct motion motion[GRAPH_STEPS];
	bool rows = l->gathers;

	for (int i = 0; l->gathers && i < l->graph->n_steps; i++) {
		const struct graph_step *step = &l->graph->step[i];

		motion[i] = graph_is_input(step) ? move_input(l, step)
			    : step->kind == GRAPH_SCALAR
				    ? move_scalar(l, step)
				    : move_step(step, motion);
		if (step->kind != GRAPH_GATHER)
			continue;
		place[l->graph->n_results + step->at] = motion[step->x[0]];
		rows &= motion[step->x[0]].inner == SCHEDULE_NEXT;
	}
	return rows;
}

/* Whether each pack of source @k lies side by side in memory, and is aligned.
   @place: how the places in the source change along a row that moves. */
static bool is_packed_source(const struct launch_plan *l, int k, int pack,
			     const struct motion *place)
{
	return place->multiple % pack == 0 && axes_is_aligned(l->array[k]) &&
	       l->kept.offset[k + 1] % pack == 0;
}

/* The number of elements that fill PACK_BYTES bytes of the largest operand that
   moves along the row. */
static int widest_pack(const struct launch_plan *l)
{
	int largest = 1;

	for (int k = 0; k < l->n; k++)
		if (l->schedule.inner[k] == SCHEDULE_NEXT &&
		    schedule_has_memory(l->graph, k) &&
		    (int)item_size(l, k) > largest)
			largest = (int)item_size(l, k);
	return PACK_BYTES / largest;
}

/* Choose the pack of SCHEDULE_ROWS.  @place: as find_places() sets it.  A source
   that is not read in packs becomes SCHEDULE_FIXED. */
static void choose_pack(struct launch_plan *l, const struct motion *place)
{
	struct schedule *schedule = &l->schedule;
	int pack = widest_pack(l);

	if (l->kept.dim[l->kept.rank - 1] % pack != 0)
		pack = 1;
	for (int k = 0; k < l->n; k++)
		if (schedule->inner[k] == SCHEDULE_NEXT && !is_source(l, k) &&
		    !launch_plan_is_packs(l, k, l->kept.rank - 1, pack))
			pack = 1;
	for (int k = 0; k < l->n; k++)
		if (is_source(l, k) && schedule->inner[k] == SCHEDULE_NEXT &&
		    (pack == 1 || !is_packed_source(l, k, pack, &place[k])))
			schedule->inner[k] = SCHEDULE_FIXED;
	schedule->gpu.pack = (uint8_t)pack;
}

/* Whether any source has elements of more than 4 bytes. */
static bool has_large_sources(const struct launch_plan *l)
{
	for (int k = l->graph->n_results; k < l->n; k++)
		if (is_source(l, k) && item_size(l, k) > 4)
			return true;
	return false;
}

/* The most packs that a work-item of a kernel with sources takes.  @rows: the
   kernel reads rows of its sources.  If it reads elements at random places in
   all memory, as in an array of one axis, more packs do not help.  With large
   elements they are slower. */
static int most_slots(const struct launch_plan *l, bool rows)
{
	const struct kernel_format *format = l->target->format;
	const int slots = rows ? ROW_SLOTS
			  : l->kept.rank == 1 || has_large_sources(l)
				  ? 1
				  : ELEMENT_SLOTS;
	int most = rows && l->schedule.gpu.pack == 1 ? slots : 1;

	if (format->row_packs)
		most = format->row_packs(l->graph, &l->schedule);
	return most < slots ? most : slots;
}

/* Choose how many packs of a row a work-item takes, at most @slots, and how far
   apart these lie. */
static void choose_slots(struct launch_plan *l, int slots)
{
	struct schedule *schedule = &l->schedule;
	const int64_t packs =
		l->kept.dim[l->kept.rank - 1] / schedule->gpu.pack;
	int bits = MOST_TEAM;

	while (slots > 1 && packs % (slots << LEAST_TEAM) != 0)
		slots /= 2;
	if (slots == 1 || !schedule_takes_slots(l->graph, schedule))
		return;
	while (packs % (slots << bits) != 0)
		bits--;
	schedule->gpu.slots = (uint8_t)slots;
	schedule->gpu.team_bits = (uint8_t)bits;
}

/* Choose SCHEDULE_ROWS where a work-item can take several elements of a row.
   Each operand must move along the row to its next element, or, if it is an
   input, not at all.  In a kernel that has sources a work-item takes several
   packs: more loads are under way at a time, and for rows of sources the indices
   are read once for all packs. */
static void choose_rows(struct launch_plan *l)
{
	struct schedule *schedule = &l->schedule;
	struct motion place[SCHEDULE_OPERANDS] = { { 0 } };
	bool rows;

	for (int k = 0; k < l->n; k++)
		if (schedule->inner[k] != SCHEDULE_NEXT &&
		    (schedule->inner[k] != SCHEDULE_FIXED ||
		     k < l->graph->n_results))
			return;
	rows = find_places(l, place);
	for (int k = 0; k < l->n; k++)
		if (is_source(l, k) && place[k].inner == SCHEDULE_NEXT)
			schedule->inner[k] = SCHEDULE_NEXT;
	schedule->kind = SCHEDULE_ROWS;
	choose_pack(l, place);
	if (l->gathers)
		choose_slots(l, most_slots(l, rows));
	if (schedule->gpu.pack > 1 || schedule->gpu.slots)
		return;
	schedule->kind = SCHEDULE_STRIDED;
	schedule->gpu.pack = 0;
}

/* --- Choice --------------------------------------------------------------- */

static void choose_schedule(struct launch_plan *l, int first)
{
	const struct kernel_format *format = l->target->format;
	const int inner = l->kept.rank - 1;
	struct schedule *schedule = &l->schedule;

	if (format->in_files) {
		*schedule = kernel_files_schedule(
			is_flat(l) ? SCHEDULE_FLAT : SCHEDULE_STRIDED);
		return;
	}
	if (is_flat(l)) {
		schedule->kind = SCHEDULE_FLAT;
		if (format->is_native)
			schedule->cpu.stream = is_streamed(l);
		else
			schedule->gpu.aligned = is_aligned(l);
		if (schedule->gpu.aligned && format->flat_packs)
			schedule->gpu.slots =
				(uint8_t)format->flat_packs(l->graph);
		return;
	}
	schedule->kind = SCHEDULE_STRIDED;
	schedule->rank = (uint8_t)(l->kept.rank - first);
	for (int k = 0; k < l->n; k++)
		schedule->inner[k] = axes_inner(l->kept.stride[k + 1][inner]);
	if (format->is_native) {
		schedule->cpu.stream = is_streamed(l);
		transposed_bring_inwards(l, first);
		return;
	}
	schedule->gpu.small = axes_count(&l->kept, first) < INT32_MAX;
	if (transposed_choose_squares(l, first))
		return;
	if (!graph_puts(l->graph))
		choose_rows(l);
}

/* --- Launches ----------------------------------------------------------- */

/* Get the kernel of the schedule.  Where kernels come in files and there is no
   file for SCHEDULE_FLAT, get the kernel of SCHEDULE_STRIDED instead. */
static dpr_status get_kernel(struct launch_plan *l,
			     const struct kernel_store_kernel **made)
{
	dpr_status status = kernel_store_get(l->queue, l->target, l->graph,
					     &l->schedule, made);

	if (status != DPR_ERROR_UNSUPPORTED ||
	    l->schedule.kind != SCHEDULE_FLAT || !l->target->format->in_files)
		return status;
	l->schedule = kernel_files_schedule(SCHEDULE_STRIDED);
	return kernel_store_get(l->queue, l->target, l->graph, &l->schedule,
				made);
}

/* Launch the kernel over axis @first and all axes inside axis @first. */
static dpr_status launch_part(struct launch_plan *l, int first)
{
	const struct kernel_store_kernel *made;
	dpr_status status = get_kernel(l, &made);

	if (status)
		return status;
	launch_plan_words(l, first);
	status = launch_plan_send(l, made);
	if (l->schedule.kind == SCHEDULE_FLAT && !l->target->format->in_files)
		eager_cache_add(dpr_queue_device(l->queue), l->target, l->graph,
				&l->schedule, made);
	kernel_store_put(made);
	return status;
}

/* Compute a call with more axes than a kernel takes (SCHEDULE_RANK).  The
   kernel is launched once for each combination of indices along the first
   @outer axes. */
static dpr_status launch_parts(struct launch_plan *l, int outer)
{
	int64_t index[DPR_MAX_RANK] = { 0 };
	dpr_status status;
	int d;

	do {
		status = launch_part(l, outer);
		for (int k = 0; status && l->rest && k < l->graph->n_results;
		     k++)
			(void)array_stopped(l->array[k], status);
		if (status)
			return status;
		l->rest = true;
		for (d = outer - 1; d >= 0; d--) {
			index[d]++;
			for (int k = 0; k < l->n; k++)
				l->kept.offset[k + 1] +=
					l->kept.stride[k + 1][d];
			if (index[d] < l->kept.dim[d])
				break;
			for (int k = 0; k < l->n; k++)
				l->kept.offset[k + 1] -=
					l->kept.dim[d] *
					l->kept.stride[k + 1][d];
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

/* Describe the call for a kernel that is in a file (kernel_files.h). */
static dpr_status take_file(struct launch_plan *l,
			    const struct engine_call *call,
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
	struct launch_plan launch;
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
	outer = launch.kept.rank > SCHEDULE_RANK
			? launch.kept.rank - SCHEDULE_RANK
			: 0;
	choose_schedule(&launch, outer);
	status = launch_plan_check_size(&launch);
	if (status)
		return status;
	return outer ? launch_parts(&launch, outer) : launch_part(&launch, 0);
}
