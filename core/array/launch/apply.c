/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c - applies an operation of kernels/operations.def, as a graph of one
   or more steps, with casts. */
#include "core/array/launch/apply.h"

#include <stddef.h>
#include <string.h>

#include "core/array/element/scalar.h"
#include "core/array/engine/compound.h"
#include "core/array/launch/step_by_step.h"
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

/* Add a cast of @step to @dtype, if the dtype of @step differs.  Returns the
   step with the value. */
static int as_dtype(struct graph *graph, unsigned dtype, int step)
{
	return graph->step[step].dtype == dtype
		       ? step
		       : graph_cast(graph, dtype, step);
}

/* Add the constants that a compound operation (compound.h) needs as further
   operands.  @x gets the steps of the constants. */
static dpr_status add_numbers(const struct apply_call *call,
			      struct graph *graph,
			      struct engine_scalar *scalars, int *x)
{
	dpr_status status = DPR_OK;
	dpr_operand number;
	dpr_dtype dtype;

	for (int i = 0;
	     !status && compound_number(call->operation, call->compute, i,
					&number, &dtype);
	     i++) {
		x[i] = graph_scalar(graph, dtype);
		status = scalar_store_computed(
			call->what, number, dtype,
			scalars[graph->n_scalars - 1].bytes);
	}
	return status;
}

/* Add the operation of @call on the steps @x.  Returns the step of the result.
 */
static int add_operation(const struct apply_call *call, struct graph *graph,
			 const int *x)
{
	int step;

	/* If the kind of the dtype is in `identity` (struct operations_entry),
	   the result is the operand itself. */
	if (strchr(operations_table[call->operation].identity,
		   dpr_dtype_kind(call->compute)))
		return x[0];
	if (call->is_mixed)
		return graph_compare(graph, call->operation, x);
	if (call->operation == OPERATION__pow && call->n == 1)
		return graph_power(graph, call->compute, x[0], call->is_root);
	if (compound_is(call->operation))
		return compound_add(graph, call->operation, x);
	step = graph_operation(graph, call->operation, call->compute,
			       operations_dtype(call->operation, call->compute),
			       call->n, x);
	return as_dtype(graph, call->result, step);
}

dpr_status apply_launch(const struct apply_call *call)
{
	const dpr_array *inputs[APPLY_OPERANDS];
	struct engine_scalar scalars[APPLY_OPERANDS + COMPOUND_NUMBERS];
	dpr_array *out = call->out;
	struct graph graph;
	struct engine_call run = { .what = call->what,
				   .graph = &graph,
				   .results = &out,
				   .inputs = inputs,
				   .scalars = scalars };
	int x[APPLY_OPERANDS + COMPOUND_NUMBERS], step;
	dpr_status status;

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
	status = add_numbers(call, &graph, scalars, &x[call->n]);
	if (status)
		return status;
	step = add_operation(call, &graph, x);
	graph_result(&graph, as_dtype(&graph, out->dtype, step));
	return compound_is(call->operation)
		       ? step_by_step_run(&run)
		       : engine_run(&run);
}
