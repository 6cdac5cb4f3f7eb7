/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_pass.c - the layouts of a reduction's operands, and the words of its
   launch. */
#include "core/array/engine/reduce/reduce_pass.h"

#include <string.h>

#include "core/array/element/dtype.h"
#include "core/base/status.h"

unsigned reduce_pass_dtype(const struct pass *p)
{
	const struct graph *graph = p->call->graph;

	return graph->step[graph->result[0]].dtype;
}

bool reduce_pass_is_plain(const struct pass *p)
{
	return p->call->graph->n_steps == 1 &&
	       p->call->graph->step[0].kind == GRAPH_INPUT;
}

dpr_status reduce_pass_layouts(struct pass *p)
{
	const struct reduce_call *call = p->call;
	const bool same_rank = call->out->rank == call->rank;
	struct pass_side *result = &p->layout[PASS_RESULT];
	struct layout layout;
	int at = 0;

	p->n = 2 + call->graph->n_inputs;
	memcpy(p->reduced, call->reduced,
	       (size_t)call->rank * sizeof(p->reduced[0]));
	for (int k = 2; k < p->n; k++) {
		array_layout(call->inputs[k - 2], &layout);
		p->layout[k].offset = layout.offset;
		if (!layout_expand(&layout, call->rank, call->shape,
				   p->layout[k].stride))
			return fail(DPR_ERROR_SHAPE,
				    "%s: operand %d does not fit the shape",
				    call->what, k - 2);
	}
	if (reduce_pass_is_plain(p)) {
		p->layout[PASS_VALUES] = p->layout[2];
	} else {
		p->layout[PASS_VALUES].offset = 0;
		layout_c_strides(call->rank, call->shape,
				 p->layout[PASS_VALUES].stride);
	}
	result->offset = call->out->offset;
	for (int d = 0; d < call->rank; d++) {
		result->stride[d] = 0;
		if (!call->reduced[d])
			result->stride[d] =
				array_strides(call->out)[same_rank ? d : at++];
	}
	return DPR_OK;
}

void reduce_pass_axes(const struct pass *p, bool reduced, int n,
		      struct axes *out)
{
	out->rank = 0;
	for (int d = 0; d < p->call->rank; d++) {
		if (p->reduced[d] != reduced)
			continue;
		out->dim[out->rank] = p->call->shape[d];
		for (int k = 0; k < n; k++)
			out->stride[k][out->rank] = p->layout[k].stride[d];
		out->rank++;
	}
	for (int k = 0; k < n; k++)
		out->offset[k] = reduced ? 0 : p->layout[k].offset;
	/* Side PASS_VALUES comes first here, so its strides decide the order of
	   the axes.  For values that the kernel computes, this is C order. */
	axes_collapse(out, 0, n - 1);
	/* axes_collapse() gives a single element stride 0.  A single result
	   gets stride 1 instead, as a contiguous array has. */
	if (out->dim[0] == 1 && n > PASS_RESULT)
		out->stride[PASS_RESULT][0] = 1;
}

int64_t reduce_pass_elements(const struct pass *p)
{
	int64_t n = 1;

	for (int d = 0; d < p->call->rank; d++)
		n *= p->call->reduced[d] ? p->call->shape[d] : 1;
	return n;
}

/* The divisor of a mean of @n elements, as the bits of a float or double. */
static uint64_t divisor_bits(const struct pass *p, int64_t n)
{
	const float single = (float)n;
	const double wide = (double)n;
	uint64_t bits = 0;

	if (dtype_part((dpr_dtype)p->plan.schedule.sum) == DPR_FLOAT32)
		memcpy(&bits, &single, sizeof(single));
	else
		memcpy(&bits, &wide, sizeof(wide));
	return bits;
}

/* Set the strides of the result so that the results of each part are stored in
   C order. */
static void fill_partial(struct launch_plan *p)
{
	int64_t stride = 1;

	for (int i = 0; i < p->kept.rank; i++) {
		p->words[p->at.stride + i * p->n] = (uint64_t)stride;
		stride *= p->kept.dim[p->kept.rank - 1 - i];
	}
}

void reduce_pass_words(struct pass *p, const dpr_array *out, int64_t elements)
{
	struct launch_plan *plan = &p->plan;

	launch_plan_words(plan, 0);
	if (!plan->schedule.result || p->is_first)
		plan->words[plan->at.offset] = (uint64_t)out->offset;
	if (p->is_first)
		fill_partial(plan);
	plan->words[plan->at.length] = (uint64_t)p->length;
	plan->words[plan->at.part] = (uint64_t)p->part;
	plan->words[plan->at.divisor] =
		divisor_bits(p, p->is_first ? 1 : elements);
}
