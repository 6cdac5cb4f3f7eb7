/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c - runs an operation of the table as a graph of one step and casts. */
#include "core/array/launch/apply.h"

#include <stddef.h>
#include <string.h>

#include "core/array/engine/operations.h"
#include "core/array/layout/layout.h"
#include "core/base/mem.h"

bool apply_can_write(const struct apply_call *call, const dpr_array *out)
{
	for (int k = 0; k < call->n; k++)
		if (call->x[k] && !array_same_layout(call->x[k], out) &&
		    array_may_overlap(call->x[k], out))
			return false;
	return true;
}

/* The value of @step, cast to @dtype if it has another one. */
static int as_dtype(struct graph *graph, unsigned dtype, int step)
{
	return graph->step[step].dtype == dtype
		       ? step
		       : graph_cast(graph, dtype, step);
}

dpr_status apply_launch(const struct apply_call *call)
{
	const dpr_array *inputs[APPLY_OPERANDS];
	struct engine_scalar scalars[APPLY_OPERANDS];
	dpr_array *out = call->out;
	struct graph graph;
	struct engine_call run = { .what = call->what,
				   .graph = &graph,
				   .results = &out,
				   .inputs = inputs,
				   .scalars = scalars };
	int x[APPLY_OPERANDS], step;

	if (out->size == 0)
		return DPR_OK;
	mem_zero(&graph, offsetof(struct graph, step));
	for (int k = 0; k < call->n; k++) {
		if (call->x[k]) {
			inputs[graph.n_inputs] = call->x[k];
			x[k] = graph_input(&graph, call->x[k]->dtype);
			if (!call->is_mixed)
				x[k] = as_dtype(&graph, call->compute, x[k]);
		} else {
			scalars[graph.n_scalars] = call->value[k];
			x[k] = graph_scalar(&graph, call->compute);
		}
	}
	/* Some operations return their operand unchanged for this kind of
	   dtype. */
	if (strchr(operations_table[call->operation].identity,
		   dpr_dtype_kind(call->compute)))
		step = x[0];
	else if (call->is_mixed)
		step = graph_compare(&graph, call->operation, x);
	else if (call->operation == OPERATION__pow && call->n == 1)
		step = graph_power(&graph, call->compute, x[0], call->is_root);
	else
		step = graph_operation(&graph, call->operation, call->compute,
				       call->result, call->n, x);
	graph_result(&graph, as_dtype(&graph, out->dtype, step));
	return engine_run(&run);
}
