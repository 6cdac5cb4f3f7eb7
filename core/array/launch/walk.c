/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - launching kernels over arrays: broadcast, collapse axes, launch. */
#include "core/array/launch/walk.h"

#include <stddef.h>
#include <string.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/frame.h"
#include "core/array/engine/operations.h"
#include "core/array/layout/layout.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* How many elements a work-item takes on a CPU, as in kernels/types.cl. */
#define RUN 256
#define CPU_GROUP 16
#define GPU_GROUP 256
#define GPU_TILE 32

/* The most elements that are cast or moved in a microsecond or two. */
#define BRIEF_ELEMENTS 1024

#define STREAM_ALIGN 64

#define FLAG_SMALL 2u
#define FLAG_STREAM 8u

/* The last parameter of the kernels that walk, as in kernels/walk.cl. */
struct walk {
	int32_t operation, rank;
	uint32_t scalars, flags;
	int64_t rows, count;
	struct engine_scalar value[WALK_OPERANDS - 1];
	int64_t offset[WALK_OPERANDS];
	int64_t shape[WALK_RANK];
	int64_t stride[WALK_OPERANDS][WALK_RANK];
};
_Static_assert(sizeof(struct walk) == 432, "kernels/walk.cl has the same");

/* The result and the operands, over the result's extents; axis 0 is the
   outermost. */
struct plan {
	int n, rank; /* n counts the result */
	int64_t dim[DPR_MAX_RANK], offset[WALK_OPERANDS];
	int64_t stride[WALK_OPERANDS][DPR_MAX_RANK];
};

/* Whether all arrays are contiguous and of one shape, as they mostly are. */
static bool is_plain(const struct walk_call *call)
{
	const dpr_array *out = call->out;

	if (!out->contiguous)
		return false;
	for (int k = 0; k < call->n; k++)
		if (call->x[k] && (!call->x[k]->contiguous ||
				   !array_same_shape(call->x[k], out)))
			return false;
	return true;
}

/* If is_plain(), make the plan, which has one axis.  Otherwise return false. */
static bool make_plain_plan(const struct walk_call *call, struct plan *plan)
{
	const dpr_array *out = call->out;

	if (!is_plain(call))
		return false;
	plan->n = call->n + 1;
	plan->rank = out->size > 1;
	plan->dim[0] = out->size;
	plan->offset[0] = out->offset;
	plan->stride[0][0] = 1;
	for (int k = 0; k < call->n; k++) {
		plan->offset[k + 1] = call->x[k] ? call->x[k]->offset : 0;
		plan->stride[k + 1][0] = call->x[k] ? 1 : 0;
	}
	return true;
}

static dpr_status make_plan(const struct walk_call *call, struct plan *plan)
{
	const dpr_array *out = call->out;

	if (make_plain_plan(call, plan))
		return DPR_OK;
	memset(plan, 0, sizeof(*plan));
	plan->n = call->n + 1;
	plan->rank = out->rank;
	plan->offset[0] = out->offset;
	if (out->rank) {
		memcpy(plan->dim, array_shape(out),
		       sizeof(plan->dim[0]) * (size_t)out->rank);
		memcpy(plan->stride[0], array_strides(out),
		       sizeof(plan->dim[0]) * (size_t)out->rank);
	}
	for (int k = 0; k < call->n; k++) {
		struct layout layout;

		/* A scalar's strides stay 0, so they do not prevent merging
		   axes. */
		if (!call->x[k])
			continue;
		array_layout(call->x[k], &layout);
		plan->offset[k + 1] = layout.offset;
		if (!layout_expand(&layout, out->rank, plan->dim,
				   plan->stride[k + 1]))
			return fail(DPR_ERROR_SHAPE,
				    "%s: x%d does not fit the result's shape",
				    call->what, k + 1);
	}
	plan->rank = layout_collapse(plan->n, plan->rank, plan->dim,
				     plan->stride, plan->offset, true);
	return DPR_OK;
}

/* Whether kernel _c can be used: the innermost axis has step 1 in the result,
   and step 1 (or, in the CPU shape, 0) in the operands. */
static bool is_flat(const struct walk_call *call, const struct plan *plan,
		    bool is_cpu)
{
	const int inner = plan->rank - 1;
	bool any = call->n == 0;

	if (plan->rank == 0)
		return true;
	if (plan->stride[0][inner] != 1 || (!is_cpu && plan->rank > 1))
		return false;
	for (int k = 1; k < plan->n; k++) {
		const int64_t stride = plan->stride[k][inner];

		if (!call->x[k - 1])
			continue;
		if (stride != 1 && (stride != 0 || !is_cpu))
			return false;
		any |= stride == 1;
	}
	return any;
}

/* If this is a copy whose source is contiguous along another axis than the
   result, return that axis, else -1. */
static int transposed_axis(const struct walk_call *call,
			   const struct plan *plan)
{
	const int inner = plan->rank - 1;

	if (call->strided != MODULES_copy_s || plan->rank < 2 ||
	    plan->stride[0][inner] != 1 || plan->stride[1][inner] == 1 ||
	    plan->dim[inner] < 8)
		return -1;
	for (int d = 0; d < inner; d++)
		if (plan->stride[1][d] == 1 && plan->dim[d] >= 8)
			return d;
	return -1;
}

/* Move axis @d next to the innermost. */
static void bring_inwards(struct plan *plan, int d)
{
	for (; d < plan->rank - 2; d++) {
		int64_t t = plan->dim[d];

		plan->dim[d] = plan->dim[d + 1];
		plan->dim[d + 1] = t;
		for (int k = 0; k < plan->n; k++) {
			t = plan->stride[k][d];
			plan->stride[k][d] = plan->stride[k][d + 1];
			plan->stride[k][d + 1] = t;
		}
	}
}

bool walk_can_write(const struct walk_call *call, const dpr_array *out)
{
	for (int k = 0; k < call->n; k++)
		if (call->x[k] && !array_same_layout(call->x[k], out) &&
		    array_may_overlap(call->x[k], out))
			return false;
	return true;
}

static uint64_t count_blocks(int64_t extent, int64_t size)
{
	return ((uint64_t)extent + (uint64_t)size - 1) / (uint64_t)size;
}

/* kernels/move.cl has the same sizes.  On a CPU a row of a block is whole cache
   lines, and a block fits into a core's first-level cache. */
int64_t walk_tile(const dpr_array *x)
{
	const size_t item = dpr_dtype_size(x->dtype);

	if (!target_of(dpr_queue_device(x->queue))->is_cpu)
		return GPU_TILE;
	return item == 1 ? 128 : item <= 4 ? 64 : 32;
}

/* The number of work-items, before rounding up to whole groups. */
static uint64_t work_items(const struct walk *w, const struct walk_call *call,
			   enum modules_kernel kernel, bool is_cpu)
{
	if (kernel == MODULES_copy_t) {
		const int64_t tile = walk_tile(call->out);

		return count_blocks(w->shape[0], tile) *
		       count_blocks(w->shape[1], tile) * (uint64_t)w->rows *
		       (is_cpu ? 1 : GPU_GROUP);
	}
	if (kernel == MODULES_iota)
		return is_cpu ? count_blocks(w->count, RUN)
			      : (uint64_t)w->count;
	return is_cpu ? count_blocks(w->shape[0], RUN) * (uint64_t)w->rows
		      : (uint64_t)w->count;
}

/* Whether the result is too large for the caches and its element at @offset may
   begin a cache line.  Without an address only the kernels can tell. */
static bool may_stream(const struct walk_call *call, int64_t offset)
{
	const dpr_array *out = call->out;
	const int64_t size = (int64_t)dpr_dtype_size(out->dtype);
	const int64_t count = call->whole ? call->whole : out->size;

	return count * size >= frame_stream_size() &&
	       offset % (STREAM_ALIGN / size) == 0 &&
	       (uintptr_t)dpr_usm_address(out->usm) % STREAM_ALIGN == 0;
}

/* Whether the result of kernel copy_t is written past the caches: each row must
   begin a cache line. */
static bool is_turned_streamed(const struct walk_call *call,
			       const struct walk *w)
{
	const int64_t size = (int64_t)dpr_dtype_size(call->out->dtype);

	for (int d = 1; d < w->rank; d++)
		if (w->stride[0][d] % (STREAM_ALIGN / size) != 0)
			return false;
	return may_stream(call, w->offset[0]);
}

/* The work-items per group, a power of two. */
static uint64_t group_size(enum modules_kernel kernel, bool is_cpu)
{
	if (!is_cpu)
		return GPU_GROUP;
	/* One work-item of this kernel has enough work for a whole group. */
	return kernel == MODULES_copy_t ? 1 : CPU_GROUP;
}

/* Pass @x's allocation: passing an array would only repeat checks.  Set the
   fields one by one: copying a struct that a function has just returned would
   stall in the store buffer. */
static void set_memory(dpr_arg *arg, const dpr_array *x, uint32_t access)
{
	arg->kind = DPR_ARG_USM;
	arg->access = access;
	arg->size = 0;
	arg->as.at.usm = x->usm;
	arg->as.at.offset = 0;
}

static void set_bytes(dpr_arg *arg, const void *bytes, size_t size)
{
	arg->kind = DPR_ARG_BYTES_AT;
	arg->access = 0;
	arg->size = size;
	arg->as.bytes = bytes;
}

/* How a launch accesses its result, of which it may write only a part. */
static uint32_t out_access(const struct walk_call *call)
{
	const int64_t whole = call->whole ? call->whole : call->out->size;

	return call->rest ? (uint32_t)DPR_WRITE
			  : array_write_access(call->out, whole);
}

static dpr_status submit_walk(const struct walk_call *call,
			      enum modules_kernel kernel, const struct walk *w,
			      bool is_cpu)
{
	const dpr_array *some = call->out;
	dpr_range range = { .dims = 1,
			    .global = { 1, 1, 1 },
			    .local = { 1, 1, 1 } };
	dpr_arg args[WALK_OPERANDS + 1];
	dpr_kernel *handle;
	dpr_status status;
	uint64_t group;
	size_t n = 0;

	/* Set the range well before the call, which copies it: copying what has
	   just been written would stall in the store buffer. */
	if (call->out->size <= BRIEF_ELEMENTS)
		range.flags = DPR_RANGE_BRIEF;
	group = group_size(kernel, is_cpu);
	range.global[0] = (work_items(w, call, kernel, is_cpu) + group - 1) &
			  ~(group - 1);
	range.local[0] = group;
	status = modules_kernel(call->out->queue, call->family, call->type,
				kernel, &handle);
	if (status)
		return status;
	for (int k = 0; k < call->n; k++)
		if (call->x[k])
			some = call->x[k];
	set_memory(&args[n++], call->out, out_access(call));
	/* For a scalar pass some array as a placeholder, which is not read. */
	for (int k = 0; k < call->n; k++)
		set_memory(&args[n++], call->x[k] ? call->x[k] : some,
			   call->x[k] || some != call->out ? DPR_READ
							   : DPR_WRITE);
	set_bytes(&args[n++], w, sizeof(*w));
	return dpr_kernel_launch_usm(call->out->queue, handle, range, NULL,
				     NULL, args, n);
}

/* Launch the kernel over the innermost axes, those from @first on. */
static dpr_status launch_part(const struct walk_call *call,
			      const struct plan *plan, int first,
			      enum modules_kernel kernel, bool is_cpu)
{
	struct walk w;

	mem_zero(&w, sizeof(w));
	w.operation = call->operation;
	w.rank = plan->rank - first;
	w.flags = call->flags;
	w.rows = 1;
	w.shape[0] = 1;
	for (int k = 0; k < plan->n; k++) {
		w.offset[k] = plan->offset[k];
		/* With rank 0, pass one axis of extent 1. */
		w.stride[k][0] = k == 0 || call->x[k - 1] ? 1 : 0;
	}
	for (int i = 0; i < w.rank; i++) {
		const int d = plan->rank - 1 - i;

		w.shape[i] = plan->dim[d];
		w.rows *= i ? plan->dim[d] : 1;
		for (int k = 0; k < plan->n; k++)
			w.stride[k][i] = plan->stride[k][d];
	}
	w.rank = w.rank ? w.rank : 1;
	w.count = w.rows * w.shape[0];
	if (kernel == MODULES_copy_t)
		w.rows /= w.shape[1];
	for (int k = 0; k < call->n; k++)
		if (!call->x[k]) {
			w.scalars |= 1u << k;
			w.value[k] = call->value[k];
		}
	if (call->n == 0)
		memcpy(w.value, call->value, sizeof(w.value));
	if (w.count < INT32_MAX)
		w.flags |= FLAG_SMALL;
	if (is_cpu && kernel == MODULES_copy_t && is_turned_streamed(call, &w))
		w.flags |= FLAG_STREAM;
	return submit_walk(call, kernel, &w, is_cpu);
}

/* A kernel takes WALK_RANK axes at most: launch it for each place along the
   first @outer axes. */
static dpr_status launch_parts(const struct walk_call *call, struct plan *plan,
			       int outer, enum modules_kernel kernel,
			       bool is_cpu)
{
	int64_t index[DPR_MAX_RANK] = { 0 };
	struct walk_call part = *call;
	dpr_status status;
	int d;

	do {
		status = launch_part(&part, plan, outer, kernel, is_cpu);
		if (status)
			return part.rest ? array_stopped(call->out, status)
					 : status;
		part.rest = true;
		for (d = outer - 1; d >= 0; d--) {
			index[d]++;
			for (int k = 0; k < plan->n; k++)
				plan->offset[k] += plan->stride[k][d];
			if (index[d] < plan->dim[d])
				break;
			for (int k = 0; k < plan->n; k++)
				plan->offset[k] -=
					plan->dim[d] * plan->stride[k][d];
			index[d] = 0;
		}
	} while (d >= 0);
	return DPR_OK;
}

bool walk_reads_turned(const struct walk_call *call)
{
	return call->is_operation &&
	       engine_moves(dpr_queue_device(call->out->queue));
}

/* The value of @step, cast to @dtype if it has another one. */
static int as_dtype(struct graph *graph, unsigned dtype, int step)
{
	return graph->step[step].dtype == dtype
		       ? step
		       : graph_cast(graph, dtype, step);
}

/* Compute an operation of the table as a graph of one step, and casts. */
static dpr_status launch_graph(const struct walk_call *call)
{
	const dpr_array *inputs[WALK_OPERANDS - 1];
	struct engine_scalar scalars[WALK_OPERANDS - 1];
	dpr_array *out = call->out;
	struct graph graph;
	struct engine_call run = { .what = call->what,
				   .graph = &graph,
				   .results = &out,
				   .inputs = inputs,
				   .scalars = scalars,
				   .whole = call->whole,
				   .rest = call->rest };
	int x[WALK_OPERANDS - 1], step;

	mem_zero(&graph, offsetof(struct graph, step));
	for (int k = 0; k < call->n; k++) {
		if (call->x[k]) {
			inputs[graph.n_inputs] = call->x[k];
			x[k] = as_dtype(&graph, call->type,
					graph_input(&graph, call->x[k]->dtype));
		} else {
			scalars[graph.n_scalars] = call->value[k];
			x[k] = graph_scalar(&graph, call->type);
		}
	}
	/* Some operations only return their operand's value. */
	if (strchr(operations_table[call->operation].identity,
		   dpr_dtype_kind((dpr_dtype)call->type)))
		step = x[0];
	else
		step = graph_operation(&graph, (unsigned)call->operation,
				       call->type, call->result, call->n, x);
	graph_result(&graph, as_dtype(&graph, out->dtype, step));
	return engine_run(&run);
}

dpr_status walk_launch(const struct walk_call *call)
{
	const struct target *device;
	enum modules_kernel kernel = call->strided;
	struct plan plan;
	dpr_status status;
	int axis;

	if (call->out->size == 0)
		return DPR_OK;
	device = target_of(dpr_queue_device(call->out->queue));
	if (!device->is_known)
		return fail_memory(call->what);
	if (call->is_operation)
		return launch_graph(call);
	status = make_plan(call, &plan);
	if (status)
		return status;
	axis = transposed_axis(call, &plan);
	if (axis >= 0) {
		bring_inwards(&plan, axis);
		kernel = MODULES_copy_t;
	} else if (call->flat != MODULES_KERNELS &&
		   is_flat(call, &plan, device->is_cpu)) {
		kernel = call->flat;
	}
	if (plan.rank <= WALK_RANK)
		return launch_part(call, &plan, 0, kernel, device->is_cpu);
	return launch_parts(call, &plan, plan.rank - WALK_RANK, kernel,
			    device->is_cpu);
}
