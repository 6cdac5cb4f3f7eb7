/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce_axes.c - reduces axes of an array.  A kernel reads the array in its
 * own layout.  If no kernel can reduce all axes at once, the axes are reduced
 * in several launches, or a copy of the array is reduced.
 */
#include "core/array/launch/reduce_axes.h"

#include "core/array/engine/reduce/reduce_launch.h"
#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"

/* Copy @x with its axes reordered: the reduced axes come last. */
static dpr_status copy_packed(const char *what, const dpr_array *x,
			      const bool *reduced, dpr_array **out)
{
	struct layout layout = { .offset = x->offset };
	dpr_array *view;
	dpr_status status;

	*out = NULL;
	for (int pass = 0; pass < 2; pass++)
		for (int d = 0; d < x->rank; d++)
			if (reduced[d] == (pass == 1)) {
				layout.dim[layout.rank] = array_shape(x)[d];
				layout.stride[layout.rank++] =
					array_strides(x)[d];
			}
	status = array_view(x, &layout, &view);
	if (status)
		return status;
	status = cast_new(what, view, x->dtype, DPR_USM_DEVICE, out);
	dpr_array_release(view);
	return status;
}

/* Reduce a copy of @x in which the reduced axes come last. */
static dpr_status run_packed(struct reduce_call *call, const dpr_array *x)
{
	const bool same_rank = call->out->rank == x->rank;
	struct layout layout = { .offset = call->out->offset };
	bool reduced[DPR_MAX_RANK];
	dpr_array *packed, *out;
	dpr_status status;
	int at = 0;

	for (int d = 0; d < x->rank; d++) {
		if (!call->reduced[d]) {
			layout.dim[layout.rank] = array_shape(x)[d];
			layout.stride[layout.rank++] =
				array_strides(call->out)[same_rank ? d : at++];
		}
	}
	for (int d = 0; d < x->rank; d++)
		reduced[d] = d >= layout.rank;
	status = copy_packed(call->what, x, call->reduced, &packed);
	if (status)
		return status;
	status = array_view(call->out, &layout, &out);
	if (!status) {
		call->inputs = (const dpr_array *const[]){ packed };
		call->shape = array_shape(packed);
		call->reduced = reduced;
		call->out = out;
		status = reduce_launch_run(call);
		dpr_array_release(out);
	}
	dpr_array_release(packed);
	return status;
}

/* Find a group of reduced axes that are adjacent in memory, and mark its axes
   in @run.  Of several groups, take the group with the most elements.  Of
   groups with equally many elements, take the outermost.  Returns whether other
   reduced axes are left. */
static bool find_run(const dpr_array *x, const bool *reduced, bool *run)
{
	const int64_t *dim = array_shape(x), *stride = array_strides(x);
	int64_t length = 0, longest = 0;
	int first = 0, last = -1, end = 0, inner = -1;
	bool is_left = false;

	for (int d = x->rank - 1; d >= 0; d--) {
		if (dim[d] == 1)
			continue;
		/* An axis that is not adjacent in memory to the next axis
		   inside it begins a new group. */
		if (!length || stride[d] != stride[inner] * dim[inner]) {
			length = 1;
			end = d;
		}
		length = reduced[d] ? length * dim[d] : 0;
		if (length && length >= longest) {
			longest = length;
			first = d;
			last = end;
		}
		inner = d;
	}
	for (int d = 0; d < x->rank; d++) {
		run[d] = reduced[d] && d >= first && d <= last;
		is_left |= reduced[d] && !run[d] && dim[d] != 1;
	}
	return is_left;
}

static dpr_status run_call(struct reduce_call *call, const dpr_array *x);

/* Reduce the axes marked in @run into a new array.  Then reduce the other axes
   of the new array. */
static dpr_status run_apart(const struct reduce_call *call, const dpr_array *x,
			    const bool *run)
{
	const unsigned value = call->graph->step[call->graph->result[0]].dtype;
	struct reduce_call first = *call, rest = *call;
	struct graph graph = { 0 };
	int64_t dim[DPR_MAX_RANK];
	dpr_array *partial;
	dpr_status status;
	unsigned sum;

	first.reduction =
		reduce_table_twin(call->reduction, REDUCE_TABLE_NOTHING);
	sum = reduce_table_sum(first.reduction, value);
	rest.elements = call->elements ? call->elements : 1;
	for (int d = 0; d < x->rank; d++) {
		dim[d] = run[d] ? 1 : array_shape(x)[d];
		if (!call->elements && call->reduced[d])
			rest.elements *= array_shape(x)[d];
	}
	graph_result(&graph, graph_input(&graph, sum));
	rest.graph = &graph;
	rest.shape = dim;
	status = array_new(call->what, (dpr_dtype)sum, x->rank, dim, x->queue,
			   DPR_USM_DEVICE, &partial);
	if (status)
		return status;
	first.reduced = run;
	first.out = partial;
	status = reduce_launch_run(&first);
	if (!status)
		status = run_call(&rest, partial);
	dpr_array_release(partial);
	return status;
}

/* Whether to reduce a copy of the array after @status: memory ran out, and the
   copy gives the same bits.  The copy may be smaller than the array of partial
   results: a sum of 8-bit integers has 64 bits.  For sums of floats the
   function returns false: in a copy the order of additions may be another,
   which changes the bits of a sum.  The bits must not depend on how much memory
   is free. */
static bool is_short(const struct reduce_call *call, dpr_status status)
{
	const unsigned value = call->graph->step[call->graph->result[0]].dtype;

	return (status == DPR_ERROR_OUT_OF_MEMORY ||
		status == DPR_ERROR_OUT_OF_DEVICE_MEMORY) &&
	       reduce_table_is_exact(call->reduction,
				     reduce_table_sum(call->reduction, value));
}

/* Reduce @x, the only input: in one launch, in several, or from a copy. */
static dpr_status run_call(struct reduce_call *call, const dpr_array *x)
{
	bool run[DPR_MAX_RANK];
	dpr_status status;

	call->inputs = &x;
	status = reduce_launch_run(call);
	if (status != DPR_ERROR_UNSUPPORTED || reduce_launch_reads(call))
		return status;
	if (find_run(x, call->reduced, run))
		status = run_apart(call, x, run);
	if (status == DPR_ERROR_UNSUPPORTED || is_short(call, status))
		status = run_packed(call, x);
	return status;
}

dpr_status reduce_axes_launch(const char *what, enum reduction reduction,
			      const dpr_array *x, dpr_dtype as,
			      const bool *reduced, dpr_array *out)
{
	struct graph graph = { 0 };
	struct reduce_call call = { .what = what,
				    .reduction = reduction,
				    .graph = &graph,
				    .rank = x->rank,
				    .shape = array_shape(x),
				    .reduced = reduced,
				    .out = out };
	int step;

	step = graph_input(&graph, x->dtype);
	if (as != x->dtype)
		step = graph_cast(&graph, as, step);
	graph_result(&graph, step);
	return run_call(&call, x);
}
