/* SPDX-License-Identifier: Apache-2.0 */
/* reduction.c - launching reductions: axes, frames and parts. */
#include "core/array/engine/reduction.h"

#include <string.h>

#include <dpr/launch.h>

#include "core/array/engine/kernel_files.h"
#include "core/array/engine/kernel_store.h"
#include "core/array/engine/reduction_blocks.h"
#include "core/array/engine/reduction_pass.h"
#include "core/array/engine/send.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* Work-groups and work-items that keep a large device busy. */
#define MANY_GROUPS 16384
#define MANY_ITEMS 262144
/* Elements that one accumulated value of a sum of floats takes at most, so that
   its error hardly grows with the length. */
#define MOST_SUMMED 256
/* Rows in a part of columns, at least. */
#define LEAST_ROWS 64
/* In the last pass neighbouring teams read neighbouring results, so small teams
   read whole sectors of memory. */
#define FEW_PARTS 256
/* No part is longer: kernels count its elements in 32 bits. */
#define LONGEST_PART (INT64_C(1) << 24)
/* The least elements, and the least extents, of an array that is read slowly if
   it is transposed. */
#define TURNED_SIZE 16384
#define TURNED_EXTENT 16

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

static int64_t round_up(int64_t n, int64_t unit)
{
	return divide_up(n, unit) * unit;
}

/* --- Frames ----------------------------------------------------------------
 */

/* Whether packs of the values of each row are aligned.  @at: where the first
   row begins. */
static bool is_dense(const struct pass *p, const struct sides *kept, int64_t at,
		     int pack)
{
	if (at % pack != 0 ||
	    (reduction_pass_is_plain(p) &&
	     (uintptr_t)dpr_usm_address(p->call->inputs[0]->usm) % 16 != 0))
		return false;
	for (int d = 0; d < kept->rank; d++)
		if (kept->stride[PASS_VALUES][d] % pack != 0)
			return false;
	return true;
}

static void cut(struct pass *p, int64_t part, int64_t unit)
{
	const int64_t most = round_up(p->length, unit);

	part = round_up(part < 1 ? 1 : part, unit);
	p->part = part < most ? part : most;
	p->parts = p->is_last ? 1 : divide_up(p->length, p->part);
	if (p->parts == 1)
		p->part = most;
}

/* The elements of a pack where packs can be taken.  Where the order does not
   matter, what is loaded decides. */
static int whole_pack(const struct pass *p)
{
	if (p->frame.gpu.open)
		return 1;
	if (reductions_is_exact(p->call->reduction, p->frame.sum))
		return frame_pack(p->call->graph);
	return (int)(16 / dpr_dtype_size((dpr_dtype)reduction_pass_dtype(p)));
}

int reduction_team(int64_t length, int pack)
{
	const int64_t round = (int64_t)FRAME_FOLD_ROW_SLOTS * pack;

	return length <= round         ? 0
	       : length <= 8 * round   ? 3
	       : length <= 128 * round ? 5
				       : 8;
}

static void plan_rows(struct pass *p, const struct sides *kept,
		      const struct sides *gone)
{
	const int64_t begin =
		kept->offset[PASS_VALUES] + gone->offset[PASS_VALUES];
	const int pack = whole_pack(p);
	struct frame *frame = &p->frame;
	int64_t round, part;

	frame->kind = FRAME_FOLD_ROWS;
	frame->gpu.pack = 1;
	if (gone->stride[PASS_VALUES][0] == 1 && is_dense(p, kept, begin, pack))
		frame->gpu.pack = (uint8_t)pack;
	frame->gpu.lanes = reductions_is_exact(p->call->reduction, frame->sum)
				   ? 1
				   : FRAME_FOLD_ROW_SLOTS;
	round = (int64_t)FRAME_FOLD_ROW_SLOTS * frame->gpu.pack;
	frame->gpu.team_bits =
		(uint8_t)reduction_team(p->length, frame->gpu.pack);
	if (p->is_last && p->count > 1 && p->length <= FEW_PARTS &&
	    frame->gpu.team_bits > 3)
		frame->gpu.team_bits = 3;
	round <<= frame->gpu.team_bits;
	part = divide_up(p->length, MANY_GROUPS) * p->count;
	if (p->count > MANY_GROUPS)
		part = p->length;
	if (frame->gpu.lanes > 1 && part > MOST_SUMMED * round)
		part = MOST_SUMMED * round;
	cut(p,
	    frame->gpu.team_bits < 8 ? p->length
	    : part > LONGEST_PART    ? LONGEST_PART
				     : part,
	    round);
}

static void plan_columns(struct pass *p)
{
	const int64_t most = FRAME_FOLD_COLUMN_SLOTS * MOST_SUMMED / 2;
	const int64_t items = divide_up(p->count, whole_pack(p));
	int64_t part = divide_up(p->length, divide_up(MANY_ITEMS, items));

	p->frame.kind = FRAME_FOLD_COLUMNS;
	p->frame.gpu.lanes =
		reductions_is_exact(p->call->reduction, p->frame.sum)
			? 1
			: FRAME_FOLD_COLUMN_SLOTS;
	p->frame.gpu.team_bits = 0;
	part = part < LEAST_ROWS ? LEAST_ROWS : part;
	if (p->frame.gpu.lanes > 1 && part > most)
		part = most;
	cut(p, part > LONGEST_PART ? LONGEST_PART : part,
	    FRAME_FOLD_COLUMN_SLOTS);
}

/* Choose the frame and the parts by the layout of the values alone. */
static dpr_status plan_pass(struct pass *p)
{
	struct sides kept, gone;
	int64_t step, inner;

	reduction_pass_sides(p, false, 2, &kept);
	reduction_pass_sides(p, true, 1, &gone);
	if (gone.rank > 1)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the reduced axes are not one after the other",
			    p->call->what);
	p->count = reduction_pass_count(&kept);
	p->length = gone.dim[0];
	step = gone.stride[PASS_VALUES][0];
	inner = kept.rank - 1;
	if (kept.stride[PASS_VALUES][inner] == 1 && kept.dim[inner] >= 8 &&
	    step != 1 && p->length > 1 && !p->is_last)
		plan_columns(p);
	else
		plan_rows(p, &kept, &gone);
	return DPR_OK;
}

/* Whether input @k, behind the values and the result, has memory. */
static bool has_memory(const struct pass *p, int k)
{
	return frame_has_memory(p->call->graph, k - 1);
}

/* Whether packs along kept axis 0 can be loaded of each input. */
static bool is_packs(const struct pass *p, int pack)
{
	const int inner = p->kept.rank - 1;

	if (p->kept.dim[inner] % pack != 0)
		return false;
	for (int k = 2; k < p->n; k++) {
		const dpr_array *x = p->call->inputs[k - 2];

		if (p->kept.stride[k][inner] == 0 ||
		    (p->kept.stride[k][inner] == 1 && !has_memory(p, k)))
			continue;
		if (p->kept.stride[k][inner] != 1 ||
		    (uintptr_t)dpr_usm_address(x->usm) % 16 != 0 ||
		    (p->kept.offset[k] + p->gone.offset[k]) % pack != 0 ||
		    p->gone.stride[k][0] % pack != 0)
			return false;
		for (int d = 0; d < inner; d++)
			if (p->kept.stride[k][d] % pack != 0)
				return false;
	}
	return true;
}

/* How input @k moves along the reduced axis; NEXT only if its packs are
   aligned. */
static enum frame_inner inner_of(const struct pass *p, int k)
{
	const dpr_array *x = p->call->inputs[k - 2];
	const int64_t step = p->gone.stride[k][0];
	const int pack = p->frame.gpu.pack;

	if (step == 0)
		return FRAME_FIXED;
	if (step == 1 && !has_memory(p, k))
		return FRAME_NEXT;
	if (step != 1 || (uintptr_t)dpr_usm_address(x->usm) % 16 != 0 ||
	    (p->kept.offset[k] + p->gone.offset[k]) % pack != 0)
		return FRAME_ANY;
	for (int d = 0; d < p->kept.rank; d++)
		if (p->kept.stride[k][d] % pack != 0)
			return FRAME_ANY;
	return FRAME_NEXT;
}

/* Refuse more bytes of arguments than the device takes. */
static dpr_status check_size(const struct pass *p)
{
	const struct graph *graph = p->call->graph;
	const uint64_t n = (uint64_t)frame_words(graph, &p->frame).n +
			   (uint64_t)frame_operands(graph);

	if (n * sizeof(p->words[0]) <= p->target->parameter_bytes)
		return DPR_OK;
	return fail(DPR_ERROR_UNSUPPORTED,
		    "%s: the kernel would have more than the %llu bytes of "
		    "arguments that %s takes; use fewer operands at a time",
		    p->call->what,
		    (unsigned long long)p->target->parameter_bytes,
		    dpr_queue_name(p->queue));
}

/* Find the axes of all operands. */
static dpr_status find_axes(struct pass *p)
{
	reduction_pass_sides(p, false, p->n, &p->kept);
	reduction_pass_sides(p, true, p->n, &p->gone);
	if (p->gone.rank > 1 || p->kept.rank > FRAME_RANK)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the operands have too many axes of different "
			    "strides for one kernel",
			    p->call->what);
	return DPR_OK;
}

/* Choose how the inputs are loaded. */
static dpr_status place_pass(struct pass *p)
{
	const int pack = whole_pack(p);
	struct frame *frame = &p->frame;
	dpr_status status = find_axes(p);

	if (status)
		return status;
	if (frame->kind == FRAME_FOLD_COLUMNS)
		frame->gpu.pack = is_packs(p, pack) ? (uint8_t)pack : 1;
	for (int k = 2; k < p->n; k++) {
		const int64_t stride = p->kept.stride[k][p->kept.rank - 1];

		if (frame->kind == FRAME_FOLD_ROWS)
			frame->inner[k - 1] = (uint8_t)inner_of(p, k);
		else
			frame->inner[k - 1] = frame->gpu.pack == 1 ? FRAME_ANY
					      : stride             ? FRAME_NEXT
						       : FRAME_FIXED;
	}
	if (frame->kind == FRAME_FOLD_ROWS &&
	    kernel_store_format(p->target) != KERNEL_STORE_PTX)
		frame->gpu.missing = p->length % frame->gpu.pack
					     ? FRAME_ELEMENTS
					     : FRAME_PACKS;
	frame->rank = (uint8_t)p->kept.rank;
	frame->gpu.cut = p->parts > 1;
	frame->gpu.small =
		p->count < INT32_MAX && p->parts < INT32_MAX / p->count;
	return check_size(p);
}

/* The only frame of kernels in files is like rows; a work-item that is a team
   of its own goes along columns, too. */
static dpr_status place_open(struct pass *p)
{
	dpr_status status;

	if (!reduction_pass_is_plain(p))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: %s has kernels of one step only",
			    p->call->what, dpr_queue_name(p->queue));
	status = find_axes(p);
	if (status)
		return status;
	p->team_bits = p->frame.gpu.team_bits;
	p->frame =
		kernel_files_fold(p->call->reduction, reduction_pass_dtype(p));
	return check_size(p);
}

/* --- Launches --------------------------------------------------------------
 */

/* Fill the words that only kernels in files have. */
static void fill_open(struct pass *p, const struct frame_words *at)
{
	const enum reductions_finish finish =
		reductions_table[p->call->reduction].finish;

	for (int d = p->kept.rank; d < p->frame.rank; d++)
		p->words[at->extent + d] = 1;
	p->words[at->next_part] = (uint64_t)p->count;
	p->words[at->team] = UINT64_C(1) << p->team_bits;
	if (p->is_first || finish != REDUCTIONS_DIVIDE)
		p->words[at->divisor] = 0;
}

/* Fill the words of a launch, and return how many there are. */
static int fill_words(struct pass *p, const dpr_array *out, int64_t elements)
{
	const struct frame_words at = frame_words(p->call->graph, &p->frame);
	const int operands = frame_operands(p->call->graph);
	const int64_t per = p->frame.kind == FRAME_FOLD_ROWS
				    ? p->count
				    : p->count / p->frame.gpu.pack;
	uint64_t *words = p->words;

	reduction_pass_words(p, &at, out, elements);
	words[at.count] = (uint64_t)(per * p->parts);
	words[at.per_part] = (uint64_t)per;
	for (int k = 0; k < operands; k++)
		words[at.step + k] = (uint64_t)p->gone.stride[k + 1][0];
	if (p->frame.gpu.open)
		fill_open(p, &at);
	return at.n;
}

static bool is_files(const struct target *target)
{
	return kernel_store_format(target) == KERNEL_STORE_FILES;
}

static bool is_native(const struct pass *p)
{
	return kernel_store_format(p->target) == KERNEL_STORE_NATIVE;
}

/* The range of a kernel that a driver builds. */
static dpr_range choose_range(const struct pass *p)
{
	const int bits =
		p->frame.gpu.open ? p->team_bits : p->frame.gpu.team_bits;
	const uint64_t items = p->words[0] << bits;
	const uint64_t groups = (items + FRAME_GROUP - 1) / FRAME_GROUP;

	return dpr_range_local(dpr_range1(groups * FRAME_GROUP), FRAME_GROUP, 1,
			       1);
}

static dpr_status launch(struct pass *p, dpr_array *out, int64_t elements)
{
	const struct reduction_call *call = p->call;
	const struct kernel_store_kernel *made;
	dpr_arg args[FRAME_OPERANDS + 1];
	struct send send = { .what = call->what,
			     .queue = p->queue,
			     .target = p->target,
			     .args = args,
			     .words = p->words };
	dpr_status status;
	dpr_range range;

	status = kernel_store_get(p->queue, p->target, call->graph, &p->frame,
				  &made);
	if (status)
		return status;
	args[send.n_args++] = dpr_arg_usm_use(
		out->usm, 0, array_write_access(out, out->size));
	for (int k = 0; k < call->graph->n_inputs; k++)
		if (has_memory(p, k + 2))
			args[send.n_args++] = dpr_arg_usm_use(
				call->inputs[k]->usm, 0, DPR_READ);
	send.made = made;
	send.n_words =
		(size_t)(is_native(p) ? reduction_blocks_words(p, out, elements)
				      : fill_words(p, out, elements));
	range = choose_range(p);
	status = send_launch(&send, &range);
	kernel_store_put(made);
	return status;
}

/* Whether the result must not be written before all inputs are read. */
static bool overlaps(const struct reduction_call *call)
{
	for (int k = 0; k < call->graph->n_inputs; k++)
		if (array_may_overlap(call->inputs[k], call->out))
			return true;
	return false;
}

static dpr_status begin_pass(struct pass *p, const struct reduction_call *call,
			     unsigned sum)
{
	dpr_status status;

	p->call = call;
	p->queue = call->out->queue;
	p->target = target_of(dpr_queue_device(p->queue));
	mem_zero(&p->frame, sizeof(p->frame));
	p->frame.reduction = (uint8_t)call->reduction;
	p->frame.sum = (uint8_t)sum;
	status = reduction_pass_layouts(p);
	if (status || is_native(p))
		return status ? status : reduction_blocks_plan(p);
	p->frame.gpu.open = is_files(p->target);
	status = plan_pass(p);
	return status              ? status
	       : p->frame.gpu.open ? place_open(p)
				   : place_pass(p);
}

/* Accumulate parts in a new array. */
static dpr_status run_first(struct pass *p, dpr_array **partial)
{
	dpr_status status;
	int64_t n;

	if (__builtin_mul_overflow(p->count, p->parts, &n))
		return fail(DPR_ERROR_OVERFLOW, "%s: too many elements",
			    p->call->what);
	status = array_new(p->call->what, (dpr_dtype)p->frame.sum, 1, &n,
			   p->queue, DPR_USM_DEVICE, partial);
	p->is_first = p->frame.gpu.open;
	if (!status)
		status = launch(p, *partial, p->length);
	if (status) {
		dpr_array_release(*partial);
		*partial = NULL;
	}
	return status;
}

/* Describe the results behind an axis of the parts, and say which axes of this
   layout are left to be reduced. */
static void find_rest(const struct pass *first, struct layout *to,
		      bool *reduced)
{
	const struct sides *kept = &first->kept;

	if (first->is_half) {
		*to = first->half;
	} else {
		to->rank = kept->rank;
		to->offset = kept->offset[PASS_RESULT];
		memcpy(to->dim, kept->dim, sizeof(to->dim));
		memcpy(to->stride, kept->stride[PASS_RESULT],
		       sizeof(to->stride));
	}
	for (int d = to->rank++; d > 0; d--) {
		to->dim[d] = to->dim[d - 1];
		to->stride[d] = to->stride[d - 1];
		reduced[d] = first->is_half && first->call->reduced[d - 1];
	}
	to->dim[0] = to->stride[0] = 1;
	reduced[0] = true;
}

/* Reduce what was accumulated: for each part the results in the order of the
   first pass's kept axes.  Of these it may have left some to be reduced here.
   *@p becomes the last pass: a small stack has no room for two. */
__attribute__((noinline)) static dpr_status run_last(struct pass *p,
						     const dpr_array *partial,
						     int64_t elements)
{
	const struct reduction_call *call = p->call;
	const unsigned sum = p->frame.sum;
	bool reduced[DPR_MAX_RANK];
	struct reduction_call last = *call;
	struct graph graph = { 0 };
	dpr_array *from = NULL, *to = NULL;
	struct layout layout, result;
	dpr_status status;

	find_rest(p, &layout, reduced);
	result = layout;
	for (int d = 0; d < result.rank; d++)
		result.dim[d] = reduced[d] ? 1 : result.dim[d];
	graph_result(&graph, graph_input(&graph, sum));
	status = array_view(call->out, &result, &to);
	layout_c_strides(layout.rank, layout.dim, layout.stride);
	layout.dim[0] = p->parts;
	layout.stride[0] = p->count;
	layout.offset = partial->offset;
	if (!status)
		status = array_view(partial, &layout, &from);
	last.graph = &graph;
	last.inputs = (const dpr_array *const[]){ from };
	last.rank = layout.rank;
	last.shape = layout.dim;
	last.reduced = reduced;
	last.out = to;
	reduction_pass_clear(p);
	p->is_last = true;
	if (!status)
		status = begin_pass(p, &last, sum);
	if (!status) {
		p->frame.result = (uint8_t)call->out->dtype;
		status = launch(p, to, elements);
	}
	dpr_array_release(from);
	dpr_array_release(to);
	return status;
}

bool reduction_computes(dpr_device *device)
{
	const enum kernel_store_format format =
		kernel_store_format(target_of(device));

	return format == KERNEL_STORE_PTX || format == KERNEL_STORE_SPIRV ||
	       format == KERNEL_STORE_TEXT || format == KERNEL_STORE_NATIVE;
}

/* Whether @x looks like a transposed array, and is not small. */
static bool is_transposed(const dpr_array *x)
{
	const int64_t *dim = array_shape(x), *stride = array_strides(x);
	int last = x->rank - 1;

	while (last > 0 && dim[last] == 1)
		last--;
	if (last < 1 || dim[last] < TURNED_EXTENT ||
	    (stride[last] >= -1 && stride[last] <= 1) || x->size < TURNED_SIZE)
		return false;
	for (int d = 0; d < last; d++)
		if (stride[d] == 1 && dim[d] >= TURNED_EXTENT)
			return true;
	return false;
}

bool reduction_reads_well(const dpr_array *x)
{
	dpr_device *device = dpr_queue_device(x->queue);

	return x->contiguous || !x->usm ||
	       kernel_store_format(target_of(device)) == KERNEL_STORE_PTX ||
	       !is_transposed(x);
}

/* The dtype in which values are accumulated. */
static unsigned sum_of(const struct reduction_call *call)
{
	const unsigned result = call->graph->result[0];

	return reductions_sum(call->reduction, call->graph->step[result].dtype);
}

/* Make the results in the dtype that accumulates them, and cast these. */
static dpr_status run_wide(const struct reduction_call *call)
{
	const dpr_array *out = call->out;
	struct reduction_call wide = *call;
	struct graph graph = { 0 };
	const struct engine_call cast = {
		.what = call->what,
		.graph = &graph,
		.inputs = (const dpr_array *const *)&wide.out,
		.results = &call->out,
	};
	dpr_status status;

	graph_result(&graph, graph_cast(&graph, (unsigned)out->dtype,
					graph_input(&graph, sum_of(call))));
	status = array_new(call->what, (dpr_dtype)sum_of(call), out->rank,
			   array_shape(out), out->queue, DPR_USM_DEVICE,
			   &wide.out);
	if (status)
		return status;
	status = reduction_run(&wide);
	if (!status)
		status = engine_run(&cast);
	dpr_array_release(wide.out);
	return status;
}

dpr_status reduction_run(const struct reduction_call *call)
{
	struct pass pass;
	dpr_array *partial;
	dpr_status status;
	int64_t elements;

	reduction_pass_clear(&pass);
	if (call->out->size == 0)
		return DPR_OK;
	if (call->out->dtype != (dpr_dtype)sum_of(call) &&
	    is_files(target_of(dpr_queue_device(call->out->queue))))
		return run_wide(call);
	status = begin_pass(&pass, call, sum_of(call));
	if (status)
		return status;
	elements = call->elements ? call->elements
				  : reduction_pass_elements(&pass);
	if (pass.parts == 1 && !pass.is_half && !overlaps(call)) {
		pass.frame.result = (uint8_t)call->out->dtype;
		return launch(&pass, call->out, elements);
	}
	status = run_first(&pass, &partial);
	if (status)
		return status;
	status = run_last(&pass, partial, elements);
	dpr_array_release(partial);
	return status;
}

bool reduction_reads(const struct reduction_call *call)
{
	struct pass pass;

	reduction_pass_clear(&pass);
	return begin_pass(&pass, call, sum_of(call)) == DPR_OK;
}

dpr_status reduction_accumulate(const struct reduction_call *call,
				dpr_array **partial, int64_t *parts)
{
	struct pass pass;
	dpr_status status;

	reduction_pass_clear(&pass);
	status = begin_pass(&pass, call, sum_of(call));
	if (status)
		return status;
	if (pass.parts == 1 || pass.is_half ||
	    !layout_is_contiguous(pass.kept.rank, pass.kept.dim,
				  pass.kept.stride[PASS_RESULT]))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: there is only one part, or the results are in "
			    "another order",
			    call->what);
	*parts = pass.parts;
	return run_first(&pass, partial);
}

/* --- Shapes ----------------------------------------------------------------
 */

/* Whether the elements of each row of @x lie one after the other, in C order.
 */
static bool is_in_order(const struct reduction_values *v)
{
	int64_t dim[DPR_MAX_RANK], stride[1][DPR_MAX_RANK], offset = 0;
	int rank = 0;

	for (int d = 0; d < v->rank; d++) {
		if (!v->reduced[d])
			continue;
		dim[rank] = v->shape[d];
		stride[0][rank++] = array_strides(v->plain)[d];
	}
	rank = layout_collapse(1, rank, dim, stride, &offset, false);
	return rank == 0 || (rank == 1 && stride[0][0] > 0);
}

/* Describe the values, and a result in C order. */
static void take_values(struct pass *p, const struct reduction_values *v)
{
	struct pass_side *values = &p->layout[PASS_VALUES];
	int64_t stride = 1;

	memcpy(p->reduced, v->reduced, (size_t)v->rank * sizeof(p->reduced[0]));
	values->offset = v->plain ? v->plain->offset : 0;
	p->layout[PASS_RESULT].offset = 0;
	if (v->plain)
		memcpy(values->stride, array_strides(v->plain),
		       (size_t)v->rank * sizeof(values->stride[0]));
	else
		layout_c_strides(v->rank, v->shape, values->stride);
	for (int d = v->rank - 1; d >= 0; d--) {
		p->layout[PASS_RESULT].stride[d] = v->reduced[d] ? 0 : stride;
		stride *= v->reduced[d] ? 1 : v->shape[d];
	}
}

bool reduction_foresee(const struct reduction_values *v,
		       struct reduction_shape *out)
{
	struct graph graph = { 0 };
	const struct reduction_call call = { .what = "reduction",
					     .reduction = v->reduction,
					     .graph = &graph,
					     .inputs = &v->plain,
					     .rank = v->rank,
					     .shape = v->shape,
					     .reduced = v->reduced };
	struct pass pass;
	int step = graph_input(&graph, v->dtype);

	reduction_pass_clear(&pass);
	pass.call = &call;
	pass.n = 2;
	pass.is_last = v->is_last;
	if (!v->plain)
		step = graph_cast(&graph, v->dtype, step);
	graph_result(&graph, step);
	pass.frame.sum = (uint8_t)reductions_sum(v->reduction, v->dtype);
	take_values(&pass, v);
	out->is_exact = reductions_is_exact(v->reduction, pass.frame.sum);
	if (v->plain && !out->is_exact && !is_in_order(v))
		return false;
	if (v->on_cpu ? !reduction_blocks_foresee(&pass)
		      : plan_pass(&pass) || pass.frame.kind != FRAME_FOLD_ROWS)
		return false;
	out->count = pass.count;
	out->length = pass.length;
	out->parts = pass.parts;
	out->pack = pass.frame.gpu.pack;
	out->team_bits = pass.frame.gpu.team_bits;
	return true;
}
