/* SPDX-License-Identifier: Apache-2.0 */
/* stages.c - launching kernels that compute rows in stages. */
#include "core/array/engine/stages.h"

#include <string.h>

#include <dpr/launch.h>

#include "core/array/engine/kernel_store.h"
#include "core/array/engine/native/blocks.h"
#include "core/array/engine/reduction.h"
#include "core/array/engine/reduction_teams.h"
#include "core/array/engine/send.h"
#include "core/array/layout/layout.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* Kernels count the elements of a row in 32 bits. */
#define LONGEST_ROW (INT64_C(1) << 24)
/* Elements that are further apart, in bytes, are read faster by a kernel that
   turns them, if there are many. */
#define FAR_APART 64
#define MANY_ELEMENTS 65536
/* On a CPU: rows for each core, at least, if there are many elements. */
#define ROWS_OF_CORE 4

#define MOST_WORDS                                                \
	(2 + FRAME_RANK + FRAME_OPERANDS * (2 + FRAME_RANK) + 3 + \
	 2 * GRAPH_SCALARS)

/* Operands along some axes: first what gives the order, which is C order.  Axis
   0 is the outermost. */
#define MOST_SIDES (1 + FRAME_OPERANDS)
struct axes {
	int rank;
	int64_t dim[DPR_MAX_RANK], offset[MOST_SIDES];
	int64_t stride[MOST_SIDES][DPR_MAX_RANK];
};

/* One launch. */
struct rows {
	const char *what;
	const struct graph *graph;
	const struct engine_scalar *scalars;
	dpr_queue *queue;
	const struct target *target;
	int n; /* operands */
	const dpr_array *array[FRAME_OPERANDS];
	struct axes kept, gone;
	int64_t count, length;
	int64_t elements; /* that a mean divides by */
	struct frame frame;
	uint64_t words[MOST_WORDS];
};

/* A graph that is made of steps of another one, with its inputs and scalars. */
struct piece {
	const struct stages_call *call;
	struct graph graph;
	uint16_t made[GRAPH_STEPS]; /* of each step of the other graph */
	const dpr_array *input[GRAPH_INPUTS];
	struct engine_scalar scalar[GRAPH_SCALARS];
	uint32_t narrow; /* of its inputs */
};

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

static dpr_status refuse(const char *what, const char *why)
{
	return fail(DPR_ERROR_UNSUPPORTED, "%s: %s for one kernel", what, why);
}

/* --- Axes ------------------------------------------------------------------
 */

static void begin_axes(struct rows *r, const struct stages_call *call)
{
	r->kept.rank = r->gone.rank = 0;
	for (int d = 0; d < call->rank; d++) {
		struct axes *axes = call->reduced[d] ? &r->gone : &r->kept;

		axes->dim[axes->rank++] = call->shape[d];
	}
	layout_c_strides(r->kept.rank, r->kept.dim, r->kept.stride[0]);
	layout_c_strides(r->gone.rank, r->gone.dim, r->gone.stride[0]);
	r->kept.offset[0] = r->gone.offset[0] = 0;
}

/* Add operand @k: array @x, which is broadcast. */
static dpr_status add_operand(struct rows *r, const struct stages_call *call,
			      int k, const dpr_array *x, bool is_narrow)
{
	int64_t all[DPR_MAX_RANK], *kept = r->kept.stride[k + 1];
	int64_t *gone = r->gone.stride[k + 1];
	struct layout layout;
	bool fits;

	array_layout(x, &layout);
	r->array[k] = x;
	r->kept.offset[k + 1] = layout.offset;
	r->gone.offset[k + 1] = 0;
	if (is_narrow) {
		fits = layout_expand(&layout, r->kept.rank, r->kept.dim, kept);
		for (int d = 0; fits && d < r->gone.rank; d++)
			gone[d] = 0;
	} else {
		fits = layout_expand(&layout, call->rank, call->shape, all);
		for (int d = 0; fits && d < call->rank; d++)
			*(call->reduced[d] ? gone++ : kept++) = all[d];
	}
	return fits ? DPR_OK
		    : fail(DPR_ERROR_SHAPE,
			   "%s: operand %d does not fit the shape", r->what, k);
}

static void collapse(struct axes *axes, int n)
{
	axes->rank = layout_collapse(n, axes->rank, axes->dim, axes->stride,
				     axes->offset, true);
	if (axes->rank)
		return;
	axes->rank = 1;
	axes->dim[0] = 1;
	for (int k = 0; k < n; k++)
		axes->stride[k][0] = 0;
}

/* Have rows along one axis, and as few others as possible. */
static dpr_status end_axes(struct rows *r)
{
	collapse(&r->kept, 1 + r->n);
	collapse(&r->gone, 1 + r->n);
	r->length = r->gone.dim[0];
	r->count = 1;
	for (int d = 0; d < r->kept.rank; d++)
		r->count *= r->kept.dim[d];
	if (r->gone.rank > 1 || r->kept.rank > FRAME_RANK)
		return refuse(r->what,
			      "the operands have too many axes of different "
			      "strides");
	if (r->length > LONGEST_ROW)
		return refuse(r->what, "the rows are too long");
	return DPR_OK;
}

/* --- Frames ----------------------------------------------------------------
 */

/* Whether every row of operand @k begins at a pack of @pack elements. */
static bool is_aligned(const struct rows *r, int k, int pack)
{
	const dpr_array *x = r->array[k];

	if (!frame_has_memory(r->graph, k))
		return true;
	if ((uintptr_t)dpr_usm_address(x->usm) % 16 != 0 ||
	    (r->kept.offset[k + 1] + r->gone.offset[k + 1]) % pack != 0)
		return false;
	for (int d = 0; d < r->kept.rank; d++)
		if (r->kept.stride[k + 1][d] % pack != 0)
			return false;
	return true;
}

/* Whether reading the operands as they lie is slow. */
static bool is_far(const struct rows *r)
{
	for (int k = 0; k < r->n; k++)
		if (frame_has_memory(r->graph, k) &&
		    layout_magnitude(r->gone.stride[k + 1][0]) *
				    (int64_t)dpr_dtype_size(
					    r->array[k]->dtype) >=
			    FAR_APART &&
		    r->count > 1 && r->count * r->length > MANY_ELEMENTS)
			return true;
	return false;
}

/* The pack of a kernel whose reductions may take any. */
static int free_pack(const struct rows *r)
{
	const int pack = frame_pack(r->graph);

	for (int k = 0; k < r->n; k++)
		if (r->gone.stride[k + 1][0] == 1 && !is_aligned(r, k, pack))
			return 1;
	return pack;
}

/* The frame of native code, which takes rows of any layout. */
static void choose_native(struct rows *r)
{
	struct frame *frame = &r->frame;
	int64_t bytes = 0;

	mem_zero(frame, sizeof(*frame));
	frame->kind = FRAME_STAGES;
	frame->rank = (uint8_t)r->kept.rank;
	for (int k = 0; k < r->n; k++) {
		const int64_t step = r->gone.stride[k + 1][0];

		frame->inner[k] = step == 0   ? FRAME_FIXED
				  : step == 1 ? FRAME_NEXT
					      : FRAME_ANY;
	}
	for (int k = 0; k < r->n; k++)
		if (frame_has_memory(r->graph, k))
			bytes += r->array[k]->size *
				 (int64_t)dpr_dtype_size(r->array[k]->dtype);
	frame->cpu.stream = target_streams(r->target, bytes);
}

/* Whether a work-item for some rows would leave other cores without work. */
static bool is_lonely(const struct rows *r)
{
	return r->target->format->is_native &&
	       r->count * r->length > MANY_ELEMENTS &&
	       r->count < ROWS_OF_CORE * (int64_t)r->target->cores;
}

static void choose_frame(struct rows *r, int pack, int team_bits)
{
	const bool holds = r->target->format->holds_rows;
	const int64_t share = (int64_t)pack << team_bits;
	const int64_t slots = divide_up(r->length, share);
	struct frame *frame = &r->frame;

	mem_zero(frame, sizeof(*frame));
	frame->kind = FRAME_STAGES;
	frame->gpu.pack = (uint8_t)pack;
	frame->gpu.lanes = FRAME_FOLD_ROW_SLOTS;
	frame->gpu.team_bits = (uint8_t)team_bits;
	if (holds && slots <= FRAME_STAGES_SLOTS)
		frame->gpu.slots = (uint8_t)slots;
	if (!holds || r->length % share != 0)
		frame->gpu.missing =
			r->length % pack ? FRAME_ELEMENTS : FRAME_PACKS;
	frame->rank = (uint8_t)r->kept.rank;
	frame->gpu.small = r->count < INT32_MAX;
	for (int k = 0; k < r->n; k++) {
		const int64_t step = r->gone.stride[k + 1][0];

		frame->inner[k] = step == 0 || r->length == 1 ? FRAME_FIXED
				  : step == 1 && is_aligned(r, k, pack)
					  ? FRAME_NEXT
					  : FRAME_ANY;
	}
}

/* --- Launches --------------------------------------------------------------
 */

/* Fill the words of a launch, and return how many there are. */
static int fill_words(struct rows *r)
{
	const struct frame_words at = frame_words(r->graph, &r->frame);
	uint64_t *words = r->words;
	int next = at.scalar;

	words[at.count] = words[at.per_part] = (uint64_t)r->count;
	for (int k = 0; k < r->n; k++) {
		words[at.offset + k] = (uint64_t)(r->kept.offset[k + 1] +
						  r->gone.offset[k + 1]);
		words[at.step + k] = (uint64_t)r->gone.stride[k + 1][0];
	}
	for (int i = 0; i < r->kept.rank; i++) {
		const int d = r->kept.rank - 1 - i;

		words[at.extent + i] = (uint64_t)r->kept.dim[d];
		for (int k = 0; k < r->n; k++)
			words[at.stride + i * r->n + k] =
				(uint64_t)r->kept.stride[k + 1][d];
	}
	words[at.length] = words[at.part] = (uint64_t)r->length;
	words[at.divisor] = (uint64_t)r->elements;
	for (int k = 0; k < r->graph->n_scalars; k++) {
		const int n = frame_scalar_words(r->graph, k);

		memcpy(&words[next], r->scalars[k].bytes,
		       (size_t)n * sizeof(words[0]));
		next += n;
	}
	return at.n;
}

static dpr_range choose_range(const struct rows *r)
{
	const uint64_t items = (uint64_t)r->count << r->frame.gpu.team_bits;
	const uint64_t groups = (items + FRAME_GROUP - 1) / FRAME_GROUP;

	return dpr_range_local(dpr_range1(groups * FRAME_GROUP), FRAME_GROUP, 1,
			       1);
}

/* The longest row that the kernel may have. */
static int64_t longest_row(const struct rows *r,
			   const struct kernel_store_kernel *made)
{
	return r->target->format->is_native
		       ? blocks_longest_row(made->code.bytes)
		       : LONGEST_ROW;
}

static dpr_status launch(struct rows *r)
{
	const struct kernel_store_kernel *made;
	const int n_words = fill_words(r);
	dpr_arg args[FRAME_OPERANDS + 1];
	struct send send = { .what = r->what,
			     .queue = r->queue,
			     .target = r->target,
			     .args = args,
			     .words = r->words };
	dpr_status status;
	dpr_range range;

	if ((uint64_t)(n_words + r->n) * sizeof(r->words[0]) >
	    r->target->parameter_bytes)
		return refuse(r->what, "there are too many operands");
	status = kernel_store_get(r->queue, r->target, r->graph, &r->frame,
				  &made);
	if (status)
		return status;
	for (int k = 0; k < r->n; k++) {
		const dpr_array *x = r->array[k];
		const bool is_result = k < r->graph->n_results;

		if (!frame_has_memory(r->graph, k))
			continue;
		args[send.n_args++] = dpr_arg_usm_use(
			x->usm, 0,
			is_result ? array_write_access(x, x->size)
				  : (uint32_t)DPR_READ);
	}
	range = choose_range(r);
	send.made = made;
	send.n_words = (size_t)n_words;
	if (r->length > longest_row(r, made))
		status = refuse(r->what, "the rows are too long");
	else
		status = send_launch(&send, &range);
	kernel_store_put(made);
	return status;
}

/* --- One launch ------------------------------------------------------------
 */

static void begin_rows(struct rows *r, const struct stages_call *call,
		       const struct graph *graph,
		       const struct engine_scalar *scalars)
{
	r->what = call->what;
	r->graph = graph;
	r->scalars = scalars;
	r->queue = call->results[0]->queue;
	r->target = target_of(dpr_queue_device(r->queue));
	r->n = frame_operands(graph);
}

static const struct target *target_of_call(const struct stages_call *call)
{
	return target_of(dpr_queue_device(call->results[0]->queue));
}

/* Find how reduction @step of the call goes over rows. */
static bool foresee(const struct stages_call *call, int step,
		    struct reduction_shape *out)
{
	const struct graph_step *reduce = &call->graph->step[step];
	const struct graph_step *x = &call->graph->step[reduce->x[0]];
	const struct reduction_values values = {
		.reduction = (enum reduction)reduce->at,
		.dtype = x->dtype,
		.rank = call->rank,
		.shape = call->shape,
		.reduced = call->reduced,
		.plain = x->kind == GRAPH_INPUT ? call->inputs[x->at] : NULL,
		.format = target_of_call(call)->format,
	};

	/* An array that is broadcast is not what is reduced. */
	if (values.plain && (values.plain->rank != call->rank ||
			     memcmp(array_shape(values.plain), call->shape,
				    (size_t)call->rank * sizeof(int64_t)) != 0))
		return false;
	return reduction_foresee(&values, out);
}

/* Find the shape that all reductions of the call have: the pack is 0 if any
   will do.  Returns false if they differ, or *@cut if rows are cut. */
static bool find_shape(const struct stages_call *call,
		       struct reduction_shape *out, bool *cut)
{
	bool known = false;

	*cut = false;
	for (int i = 0; i < call->graph->n_steps; i++) {
		struct reduction_shape shape;

		if (call->graph->step[i].kind != GRAPH_REDUCE)
			continue;
		if (!foresee(call, i, &shape) || shape.parts > 1) {
			*cut = true;
			return false;
		}
		if (shape.is_exact)
			continue;
		if (known && (shape.pack != out->pack ||
			      shape.team_bits != out->team_bits))
			return false;
		*out = shape;
		known = true;
	}
	if (!known)
		out->pack = 0;
	return true;
}

static dpr_status run_whole(const struct stages_call *call,
			    const struct reduction_shape *shape)
{
	const int n_results = call->graph->n_results;
	struct rows r;
	dpr_status status = DPR_OK;
	int pack;

	begin_rows(&r, call, call->graph, call->scalars);
	begin_axes(&r, call);
	for (int k = 0; !status && k < r.n; k++)
		status =
			add_operand(&r, call, k,
				    k < n_results ? call->results[k]
						  : call->inputs[k - n_results],
				    call->narrow >> k & 1);
	if (!status)
		status = end_axes(&r);
	if (status)
		return status;
	if (is_far(&r))
		return refuse(call->what,
			      "an operand is turned, which is slow");
	if (is_lonely(&r))
		return refuse(call->what, "there are too few rows");
	r.elements = r.length;
	if (r.target->format->is_native) {
		choose_native(&r);
		return launch(&r);
	}
	pack = shape->pack ? shape->pack : free_pack(&r);
	choose_frame(&r, pack,
		     shape->pack ? shape->team_bits
				 : reduction_teams_bits(r.length, pack));
	return launch(&r);
}

/* --- Parts -----------------------------------------------------------------
 */

/* Copy step @i of the call's graph; its operands have been copied. */
static void copy_step(struct piece *piece, int i)
{
	const struct stages_call *call = piece->call;
	const struct graph_step *step = &call->graph->step[i];
	struct graph *graph = &piece->graph;
	int x[3] = { 0 };

	for (int k = 0; k < step->n; k++)
		x[k] = piece->made[step->x[k]];
	if (graph_is_input(step)) {
		if (call->narrow >> (call->graph->n_results + step->at) & 1)
			piece->narrow |= 1u << graph->n_inputs;
		piece->input[graph->n_inputs] = call->inputs[step->at];
	} else if (step->kind == GRAPH_SCALAR) {
		piece->scalar[graph->n_scalars] = call->scalars[step->at];
	}
	piece->made[i] = (uint16_t)graph_like(graph, step, x);
}

/* Copy the steps that step @last needs, with itself.  @from: a step that is
   there and needs none. */
static void copy_needed(struct piece *piece, int last, int from)
{
	const struct graph *graph = piece->call->graph;
	bool needed[GRAPH_STEPS] = { false };

	needed[last] = true;
	for (int i = last; i >= 0; i--)
		for (int k = 0; needed[i] && i != from && k < graph->step[i].n;
		     k++)
			needed[graph->step[i].x[k]] = true;
	for (int i = 0; i <= last; i++)
		if (needed[i] && i != from)
			copy_step(piece, i);
}

/* The only reduction of the call, or -1. */
static int only_reduction(const struct graph *graph)
{
	int only = -1;

	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == GRAPH_REDUCE) {
			if (only >= 0)
				return -1;
			only = i;
		}
	return only;
}

/* Accumulate the parts of rows that reduction @step of the call reduces. */
static dpr_status accumulate(const struct stages_call *call, int step,
			     dpr_array **partial, int64_t *parts)
{
	const struct graph_step *reduce = &call->graph->step[step];
	struct piece piece = { .call = call };
	const struct reduction_call first = {
		.what = call->what,
		.reduction = (enum reduction)reduce->at,
		.graph = &piece.graph,
		.inputs = piece.input,
		.scalars = piece.scalar,
		.rank = call->rank,
		.shape = call->shape,
		.reduced = call->reduced,
		.out = call->results[0],
	};

	copy_needed(&piece, reduce->x[0], -1);
	graph_result(&piece.graph, piece.made[reduce->x[0]]);
	return piece.narrow ? refuse(call->what, "an operand has no rows")
			    : reduction_accumulate(&first, partial, parts);
}

/* Describe the last pass: row i has what was accumulated of result i. */
static dpr_status take_parts(struct rows *r, const struct stages_call *call,
			     const struct piece *piece, int64_t parts)
{
	dpr_status status = DPR_OK;

	begin_axes(r, call);
	r->count = 1;
	for (int d = 0; d < r->kept.rank; d++)
		r->count *= r->kept.dim[d];
	for (int k = 0; !status && k < r->n; k++) {
		const int input = k - 1;

		if (input == 0)
			continue;
		status = add_operand(r, call, k,
				     input < 0 ? call->results[0]
					       : piece->input[input],
				     input < 0 ? call->narrow & 1
					       : piece->narrow >> input & 1);
	}
	r->gone.rank = 1;
	r->gone.dim[0] = parts;
	for (int k = 0; k <= r->n; k++) {
		r->gone.stride[k][0] = k == 0 ? 1 : k == 2 ? r->count : 0;
		r->gone.offset[k] = 0;
	}
	r->array[1] = piece->input[0];
	layout_c_strides(r->kept.rank, r->kept.dim, r->kept.stride[2]);
	r->kept.offset[2] = piece->input[0]->offset;
	return status ? status : end_axes(r);
}

/* How the last pass of reduction_run() would go over the parts. */
static bool foresee_last(const struct rows *r, enum reduction reduction,
			 int64_t parts, struct reduction_shape *out)
{
	const bool reduced[2] = { true };
	const int64_t shape[2] = { parts, r->count };
	struct layout layout = { .rank = 2, .dim = { parts, r->count } };
	struct reduction_values values = { .reduction = reduction,
					   .dtype = r->array[1]->dtype,
					   .rank = 2,
					   .shape = shape,
					   .reduced = reduced,
					   .is_last = true,
					   .format = r->target->format };
	dpr_array *view;
	bool found;

	layout_c_strides(2, layout.dim, layout.stride);
	layout.offset = r->array[1]->offset;
	if (array_view(r->array[1], &layout, &view))
		return false;
	values.plain = view;
	found = reduction_foresee(&values, out);
	dpr_array_release(view);
	return found;
}

/* Reduce the parts, and compute what follows. */
static dpr_status run_last(const struct stages_call *call, int step,
			   const dpr_array *partial, int64_t parts)
{
	const struct graph_step *reduce = &call->graph->step[step];
	struct piece piece = { .call = call, .input = { partial } };
	struct reduction_shape shape;
	struct rows r;
	dpr_status status;

	piece.made[step] = (uint16_t)graph_reduce(
		&piece.graph, reduce->at, reduce->compute, reduce->dtype,
		graph_input(&piece.graph, reduce->compute));
	copy_needed(&piece, call->graph->result[0], step);
	graph_result(&piece.graph, piece.made[call->graph->result[0]]);
	begin_rows(&r, call, &piece.graph, piece.scalar);
	status = take_parts(&r, call, &piece, parts);
	if (status)
		return status;
	if (!foresee_last(&r, (enum reduction)reduce->at, parts, &shape))
		return refuse(call->what, "the parts cannot be reduced");
	r.elements = 1;
	for (int d = 0; d < call->rank; d++)
		r.elements *= call->reduced[d] ? call->shape[d] : 1;
	choose_frame(&r, shape.pack, shape.team_bits);
	return launch(&r);
}

/* Whether the only result has one element for each row, after a reduction. */
static bool is_tail(const struct stages_call *call)
{
	const dpr_array *x = call->results[0];
	int64_t count = 1;

	for (int d = 0; d < call->rank; d++)
		count *= call->reduced[d] ? 1 : call->shape[d];
	return call->graph->n_results == 1 && x->size == count &&
	       only_reduction(call->graph) >= 0;
}

/* --- Calls -----------------------------------------------------------------
 */

dpr_status stages_run(const struct stages_call *call)
{
	struct reduction_shape shape;
	dpr_array *partial = NULL;
	dpr_status status;
	int64_t parts = 1;
	bool cut;
	int step;

	if (find_shape(call, &shape, &cut))
		return run_whole(call, &shape);
	/* On a CPU no kernel begins with parts. */
	if (!cut || !is_tail(call) || target_of_call(call)->format->is_native)
		return refuse(call->what,
			      "rows are reduced in parts, or in several ways,");
	step = only_reduction(call->graph);
	status = accumulate(call, step, &partial, &parts);
	if (!status)
		status = run_last(call, step, partial, parts);
	dpr_array_release(partial);
	return status;
}
