/* SPDX-License-Identifier: Apache-2.0 */
/* reduction_pass.c - the operands of a reduction along its axes. */
#include "core/array/engine/reduction_pass.h"

#include <string.h>

#include "core/array/element/dtype.h"
#include "core/base/status.h"

unsigned reduction_pass_dtype(const struct pass *p)
{
	const struct graph *graph = p->call->graph;

	return graph->step[graph->result[0]].dtype;
}

bool reduction_pass_is_plain(const struct pass *p)
{
	return p->call->graph->n_steps == 1 &&
	       p->call->graph->step[0].kind == GRAPH_INPUT;
}

dpr_status reduction_pass_layouts(struct pass *p)
{
	const struct reduction_call *call = p->call;
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
	if (reduction_pass_is_plain(p)) {
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

void reduction_pass_sides(const struct pass *p, bool reduced, int n,
			  struct sides *out)
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
	/* What is computed is in C order, so no input may change it. */
	out->rank = layout_collapse(n, out->rank, out->dim, out->stride,
				    out->offset, true);
	if (out->rank)
		return;
	out->rank = 1;
	out->dim[0] = 1;
	for (int k = 0; k < n; k++)
		out->stride[k][0] = k == PASS_RESULT;
}

int64_t reduction_pass_elements(const struct pass *p)
{
	int64_t n = 1;

	for (int d = 0; d < p->call->rank; d++)
		n *= p->call->reduced[d] ? p->call->shape[d] : 1;
	return n;
}

int64_t reduction_pass_count(const struct sides *sides)
{
	int64_t count = 1;

	for (int d = 0; d < sides->rank; d++)
		count *= sides->dim[d];
	return count;
}

/* The number of elements that a mean divides by. */
static uint64_t divisor_bits(const struct pass *p, int64_t n)
{
	const float single = (float)n;
	const double wide = (double)n;
	uint64_t bits = 0;

	if (dtype_part((dpr_dtype)p->frame.sum) == DPR_FLOAT32)
		memcpy(&bits, &single, sizeof(single));
	else
		memcpy(&bits, &wide, sizeof(wide));
	return bits;
}

/* Let the results of parts lie in C order. */
static void fill_partial(struct pass *p, const struct frame_words *at,
			 const dpr_array *out)
{
	const int operands = frame_operands(p->call->graph);
	int64_t stride = 1;

	p->words[at->offset] = (uint64_t)out->offset;
	for (int i = 0; i < p->kept.rank; i++) {
		p->words[at->stride + i * operands] = (uint64_t)stride;
		stride *= p->kept.dim[p->kept.rank - 1 - i];
	}
}

void reduction_pass_words(struct pass *p, const struct frame_words *at,
			  const dpr_array *out, int64_t elements)
{
	const struct graph *graph = p->call->graph;
	const int operands = frame_operands(graph);
	uint64_t *words = p->words;
	int next = at->scalar;

	mem_zero(words, (size_t)at->n * sizeof(words[0]));
	for (int k = 0; k < operands; k++)
		words[at->offset + k] = (uint64_t)(p->kept.offset[k + 1] +
						   p->gone.offset[k + 1]);
	if (!p->frame.result)
		words[at->offset] = (uint64_t)out->offset;
	for (int i = 0; i < p->kept.rank; i++) {
		const int d = p->kept.rank - 1 - i;

		words[at->extent + i] = (uint64_t)p->kept.dim[d];
		for (int k = 0; k < operands; k++)
			words[at->stride + i * operands + k] =
				(uint64_t)p->kept.stride[k + 1][d];
	}
	words[at->length] = (uint64_t)p->length;
	words[at->part] = (uint64_t)p->part;
	words[at->divisor] = divisor_bits(p, p->is_first ? 1 : elements);
	if (p->is_first)
		fill_partial(p, at, out);
	for (int k = 0; k < graph->n_scalars; k++) {
		const int n = frame_scalar_words(graph, k);

		memcpy(&words[next], p->call->scalars[k].bytes,
		       (size_t)n * sizeof(words[0]));
		next += n;
	}
}
