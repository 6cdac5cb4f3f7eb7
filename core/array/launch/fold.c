/* SPDX-License-Identifier: Apache-2.0 */
/* fold.c - reductions of arrays: as they lie, or else of a copy. */
#include "core/array/launch/fold.h"

#include "core/array/engine/reduction.h"
#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"

/* Copy @x with the axes last that are reduced. */
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

/* Reduce a copy with the reduced axes last. */
static dpr_status run_packed(struct reduction_call *call, const dpr_array *x)
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
		status = reduction_run(call);
		dpr_array_release(out);
	}
	dpr_array_release(packed);
	return status;
}

dpr_status fold_launch(const char *what, enum reduction reduction,
		       const dpr_array *x, dpr_dtype as, const bool *reduced,
		       dpr_array *out)
{
	struct graph graph = { 0 };
	struct reduction_call call = { .what = what,
				       .reduction = reduction,
				       .graph = &graph,
				       .inputs = &x,
				       .rank = x->rank,
				       .shape = array_shape(x),
				       .reduced = reduced,
				       .out = out };
	dpr_status status;
	int step;

	step = graph_input(&graph, x->dtype);
	if (as != x->dtype)
		step = graph_cast(&graph, as, step);
	graph_result(&graph, step);
	status = reduction_run(&call);
	if (status != DPR_ERROR_UNSUPPORTED || reduction_reads(&call))
		return status;
	return run_packed(&call, x);
}
