/* SPDX-License-Identifier: Apache-2.0 */
/* step_by_step.c - computes a graph with a launch for each step. */
#include "core/array/launch/step_by_step.h"

#include <stddef.h>

#include "core/array/element/scalar.h"
#include "core/array/engine/engine.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/cast_copy_fill.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* A graph that is computed step by step. */
struct steps {
	const struct engine_call *call;
	/* the values of the steps so far; owned.  A scalar has one only where
	   its bits are read. */
	dpr_array *value[GRAPH_STEPS];
	/* The last step that is computed, and the array for its value, in the
	   memory of the result.  If the result is the bits of another step,
	   `last` is this step, and `out` has its dtype. */
	int last;
	dpr_array *out;
};

/* Make an array for the value of step @i. */
static dpr_status new_value(struct steps *s, int i)
{
	const dpr_array *like = s->call->results[0];

	return array_new(s->call->what,
			 (dpr_dtype)s->call->graph->step[i].dtype, like->rank,
			 array_shape(like), like->queue, like->kind,
			 &s->value[i]);
}

/* Set the value of step @i, the bits of another step.  A scalar becomes an
   array first, since a scalar has no memory. */
static dpr_status take_bits(struct steps *s, int i)
{
	const struct graph_step *all = s->call->graph->step;
	const int x = all[i].x[0];
	const dpr_dtype dtype = (dpr_dtype)all[x].dtype;
	const bool is_half =
		dpr_dtype_kind(dtype) == 'f' && dpr_dtype_size(dtype) == 2;
	dpr_status status = DPR_OK;

	if (all[x].kind == GRAPH_SCALAR && !s->value[x]) {
		status = new_value(s, x);
		if (!status)
			status = cast_fill(
				s->value[x],
				scalar_load(s->call->scalars[all[x].at].bytes,
					    is_half ? DPR_FLOAT32 : dtype));
	}
	return status ? status
		      : array_bits(s->value[x], (dpr_dtype)all[i].dtype,
				   &s->value[i]);
}

/* Compute step @i, a where() that only moves bits. */
static dpr_status run_choice(struct steps *s, int i, dpr_array *out)
{
	const struct graph_step *all = s->call->graph->step;
	struct apply_call call = { .what = s->call->what, .out = out, .n = 3 };

	for (int k = 0; k < 3; k++) {
		const int x = all[i].x[k];

		if (all[x].kind == GRAPH_SCALAR)
			call.value[k] = s->call->scalars[all[x].at];
		else
			call.x[k] = s->value[x];
	}
	return cast_copy_fill_where(&call, (dpr_dtype)all[i].dtype);
}

/* Compute step @i by a graph of this step alone. */
static dpr_status run_step(struct steps *s, int i, dpr_array *out)
{
	const struct graph_step *all = s->call->graph->step, *step = &all[i];
	const dpr_array *input[GRAPH_INPUTS];
	struct engine_scalar scalar[GRAPH_SCALARS];
	struct graph graph;
	const struct engine_call call = { .what = s->call->what,
					  .graph = &graph,
					  .results = &out,
					  .inputs = input,
					  .scalars = scalar };
	int x[3] = { 0 };

	mem_zero(&graph, offsetof(struct graph, step));
	for (int k = 0; k < step->n; k++) {
		const struct graph_step *operand = &all[step->x[k]];

		if (operand->kind == GRAPH_SCALAR) {
			scalar[graph.n_scalars] = s->call->scalars[operand->at];
			x[k] = graph_scalar(&graph, operand->dtype);
		} else {
			input[graph.n_inputs] = s->value[step->x[k]];
			x[k] = graph_input(&graph, operand->dtype);
		}
	}
	if (graph_reads_input(step))
		input[graph.n_inputs] = s->call->inputs[step->at];
	graph_result(&graph, graph_like(&graph, step, x));
	return engine_run(&call);
}

/* Compute step @i, which has memory for its value. */
static dpr_status compute_value(struct steps *s, int i)
{
	dpr_status status = DPR_OK;

	if (i == s->last)
		s->value[i] = dpr_array_retain(s->out);
	else
		status = new_value(s, i);
	if (status)
		return status;
	return s->call->graph->step[i].kind == GRAPH_WHERE
		       ? run_choice(s, i, s->value[i])
		       : run_step(s, i, s->value[i]);
}

/* Set the value of step @i.  A scalar gets none, since steps read scalars from
   the call. */
static dpr_status set_value(struct steps *s, int i)
{
	const struct graph_step *step = &s->call->graph->step[i];
	const dpr_array *x;

	switch ((enum graph_kind)step->kind) {
	case GRAPH_SCALAR: break;
	case GRAPH_INPUT:
		if (i == s->last)
			return compute_value(s, i);
		x = s->call->inputs[step->at];
		s->value[i] = dpr_array_retain((dpr_array *)(uintptr_t)x);
		break;
	case GRAPH_BITS: return take_bits(s, i);
	case GRAPH_INDEX:
	case GRAPH_OPERATION:
	case GRAPH_WHERE:
	case GRAPH_CAST:
	case GRAPH_REDUCE:
	case GRAPH_GATHER:
	case GRAPH_PUT: return compute_value(s, i);
	}
	return DPR_OK;
}

/* Release the values that no step after @i reads. */
static void release_read(struct steps *s, int i)
{
	const struct graph *graph = s->call->graph;

	for (int v = 0; v < i; v++) {
		bool wanted = false;

		for (int j = i + 1; j < graph->n_steps; j++)
			for (int k = 0; k < graph->step[j].n; k++)
				wanted |= graph->step[j].x[k] == v;
		if (!wanted) {
			dpr_array_release(s->value[v]);
			s->value[v] = NULL;
		}
	}
}

static dpr_status run_steps(const struct engine_call *call)
{
	const struct graph *graph = call->graph;
	struct steps s = { .call = call, .last = graph->result[0] };
	dpr_status status;

	while (graph->step[s.last].kind == GRAPH_BITS)
		s.last = graph->step[s.last].x[0];
	status = array_bits(call->results[0],
			    (dpr_dtype)graph->step[s.last].dtype, &s.out);
	for (int i = 0; !status && i <= s.last; i++) {
		status = set_value(&s, i);
		release_read(&s, i);
	}
	for (int i = 0; i < graph->n_steps; i++)
		dpr_array_release(s.value[i]);
	dpr_array_release(s.out);
	return status;
}

dpr_status step_by_step_run(const struct engine_call *call)
{
	const dpr_status status = engine_run(call);

	return status == DPR_ERROR_UNSUPPORTED && call->graph->n_steps > 1
		       ? run_steps(call)
		       : status;
}
