/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_launch.c - launches reductions, in one pass or two. */
#include "core/array/engine/reduce/reduce_launch.h"

#include <string.h>

#include "core/array/engine/engine.h"
#include "core/array/engine/kernel_store.h"
#include "core/array/engine/reduce/reduce_pass.h"
#include "core/base/mem.h"
#include "core/base/status.h"

static dpr_status launch(struct pass *p, dpr_array *out, int64_t elements)
{
	const struct kernel_store_kernel *made;
	struct launch_plan *plan = &p->plan;
	dpr_status status = kernel_store_get(
		plan->queue, plan->target, plan->graph, &plan->schedule, &made);

	if (status)
		return status;
	plan->array[0] = out;
	plan->target->format->fill_reduction(p, out, elements);
	status = launch_plan_send(plan, made);
	kernel_store_put(made);
	return status;
}

/* Whether the result may share memory with an input.  Then two passes are
   needed: the first pass reads all inputs before the second pass writes the
   result. */
static bool overlaps(const struct reduce_call *call)
{
	for (int k = 0; k < call->graph->n_inputs; k++)
		if (array_may_overlap(call->inputs[k], call->out))
			return true;
	return false;
}

static dpr_status begin_pass(struct pass *p, const struct reduce_call *call,
			     unsigned sum)
{
	dpr_queue *queue = call->out->queue;
	dpr_status status;

	p->call = call;
	launch_plan_begin(&p->plan, call->what, call->graph, call->scalars,
			  queue, target_of(dpr_queue_device(queue)));
	p->plan.array[0] = call->out;
	for (int k = 0; k < call->graph->n_inputs; k++)
		p->plan.array[k + 1] = call->inputs[k];
	p->plan.schedule.reduction = (uint8_t)call->reduction;
	p->plan.schedule.sum = (uint8_t)sum;
	if (!p->plan.target->format->plan_reduction)
		return kernel_store_refuse(queue);
	status = reduce_pass_layouts(p);
	return status ? status : p->plan.target->format->plan_reduction(p);
}

/* Launch the first pass, which reduces each part into a new array *@partial. */
static dpr_status run_first(struct pass *p, dpr_array **partial)
{
	dpr_status status;
	int64_t n;

	if (__builtin_mul_overflow(p->count, p->parts, &n))
		return fail(DPR_ERROR_OVERFLOW, "%s: too many elements",
			    p->call->what);
	status = array_new(p->call->what, (dpr_dtype)p->plan.schedule.sum, 1,
			   &n, p->plan.queue, DPR_USM_DEVICE, partial);
	p->is_first = p->plan.schedule.gpu.open;
	if (!status)
		status = launch(p, *partial, p->length);
	if (status) {
		dpr_array_release(*partial);
		*partial = NULL;
	}
	return status;
}

/* Find the layout *@to of the last pass's result, after pass @first.  Axis 0 is
   the axis of the parts, and has extent 1.  The axes of the results of @first
   follow.  Sets @reduced for each axis that the last pass must reduce. */
static void find_rest(const struct pass *first, struct layout *to,
		      bool *reduced)
{
	const struct axes *kept = &first->plan.kept;

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

/* Launch the last pass, which reduces @partial: the accumulated values of the
   first pass @p.  @partial has the results of the first part, then those of the
   second part, and so on.  The results of a part are in the order of the axes
   that the first pass kept.  If the first pass left reduced axes to the last
   pass, these axes are reduced here, too.  *@p becomes the last pass, because a
   small stack has no room for two passes. */
__attribute__((noinline)) static dpr_status run_last(struct pass *p,
						     const dpr_array *partial,
						     int64_t elements)
{
	const struct reduce_call *call = p->call;
	const unsigned sum = p->plan.schedule.sum;
	bool reduced[DPR_MAX_RANK];
	struct reduce_call last = *call;
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
	reduce_pass_clear(p);
	p->is_last = true;
	if (!status)
		status = begin_pass(p, &last, sum);
	if (!status) {
		p->plan.schedule.result = (uint8_t)call->out->dtype;
		status = launch(p, to, elements);
	}
	dpr_array_release(from);
	dpr_array_release(to);
	return status;
}

bool reduce_launch_computes(dpr_device *device)
{
	return target_of(device)->format->has_stages;
}

/* The dtype in which values are accumulated. */
static unsigned sum_of(const struct reduce_call *call)
{
	const unsigned result = call->graph->result[0];

	return reduce_table_sum(call->reduction,
				call->graph->step[result].dtype);
}

/* For kernels in files, which do not cast results: compute the results in the
   dtype in which the reduction accumulates, and cast them with another kernel.
   */
static dpr_status run_wide(const struct reduce_call *call)
{
	const dpr_array *out = call->out;
	struct reduce_call wide = *call;
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
	status = reduce_launch_run(&wide);
	if (!status)
		status = engine_run(&cast);
	dpr_array_release(wide.out);
	return status;
}

dpr_status reduce_launch_run(const struct reduce_call *call)
{
	struct pass pass;
	dpr_array *partial;
	dpr_status status;
	int64_t elements;

	reduce_pass_clear(&pass);
	if (call->out->size == 0)
		return DPR_OK;
	if (graph_gathers(call->graph))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: no kernel reads by indices and reduces",
			    call->what);
	if (call->out->dtype != (dpr_dtype)sum_of(call) &&
	    target_of(dpr_queue_device(call->out->queue))->format->in_files)
		return run_wide(call);
	status = begin_pass(&pass, call, sum_of(call));
	if (status)
		return status;
	elements =
		call->elements ? call->elements : reduce_pass_elements(&pass);
	if (pass.parts == 1 && !pass.is_half && !overlaps(call)) {
		pass.plan.schedule.result = (uint8_t)call->out->dtype;
		return launch(&pass, call->out, elements);
	}
	status = run_first(&pass, &partial);
	if (status)
		return status;
	status = run_last(&pass, partial, elements);
	dpr_array_release(partial);
	return status;
}

bool reduce_launch_reads(const struct reduce_call *call)
{
	struct pass pass;

	reduce_pass_clear(&pass);
	return begin_pass(&pass, call, sum_of(call)) == DPR_OK;
}

dpr_status reduce_launch_accumulate(const struct reduce_call *call,
				    dpr_array **partial, int64_t *parts)
{
	struct pass pass;
	dpr_status status;

	reduce_pass_clear(&pass);
	status = begin_pass(&pass, call, sum_of(call));
	if (status)
		return status;
	if (pass.parts == 1 || pass.is_half ||
	    !layout_is_contiguous(pass.plan.kept.rank, pass.plan.kept.dim,
				  pass.plan.kept.stride[PASS_RESULT]))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: there is only one part, or the results are in "
			    "another order",
			    call->what);
	*parts = pass.parts;
	return run_first(&pass, partial);
}

/* --- Shapes ------------------------------------------------------------- */

/* Whether the elements of each row lie in C order in memory, at equal
   distances. */
static bool is_in_order(const struct reduce_values *v)
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

/* Set the layouts of pass @p: the layout of the values @v, and a result in C
   order. */
static void take_values(struct pass *p, const struct reduce_values *v)
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

bool reduce_launch_foresee(const struct reduce_values *v,
			   struct reduce_shape *out)
{
	struct graph graph = { 0 };
	const struct reduce_call call = { .what = "reduction",
					  .reduction = v->reduction,
					  .graph = &graph,
					  .inputs = &v->plain,
					  .rank = v->rank,
					  .shape = v->shape,
					  .reduced = v->reduced };
	struct pass pass;
	int step = graph_input(&graph, v->dtype);

	reduce_pass_clear(&pass);
	mem_zero(&pass.plan.schedule, sizeof(pass.plan.schedule));
	pass.call = &call;
	pass.n = 2;
	pass.is_last = v->is_last;
	if (!v->plain)
		step = graph_cast(&graph, v->dtype, step);
	graph_result(&graph, step);
	pass.plan.schedule.sum =
		(uint8_t)reduce_table_sum(v->reduction, v->dtype);
	take_values(&pass, v);
	out->is_exact =
		reduce_table_is_exact(v->reduction, pass.plan.schedule.sum);
	if (v->plain && !out->is_exact && !is_in_order(v))
		return false;
	if (!v->format->foresee_rows || !v->format->foresee_rows(&pass))
		return false;
	out->count = pass.count;
	out->length = pass.length;
	out->parts = pass.parts;
	out->pack = pass.plan.schedule.gpu.pack;
	out->team_bits = pass.plan.schedule.gpu.team_bits;
	return true;
}
