/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - builds and names graphs. */
#include "core/array/engine/graph.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"
#include "core/base/hash.h"

static int graph_add(struct graph *graph, const struct graph_step *step)
{
	/* Two inputs or scalars are never merged: each is an operand of its
	   own. */
	if (!graph_is_leaf(step))
		for (int i = 0; i < graph->n_steps; i++)
			if (!memcmp(&graph->step[i], step, sizeof(*step)))
				return i;
	if (graph->n_steps == GRAPH_STEPS)
		return -1;
	graph->step[graph->n_steps] = *step;
	return graph->n_steps++;
}

/* Add @step, which reads an input of its own: the next one. */
static int graph_add_input(struct graph *graph, struct graph_step step)
{
	int made = -1;

	step.at = graph->n_inputs;
	if (graph->n_inputs < GRAPH_INPUTS)
		made = graph_add(graph, &step);
	graph->n_inputs += made >= 0;
	return made;
}

int graph_input(struct graph *graph, unsigned dtype)
{
	const struct graph_step step = { .kind = GRAPH_INPUT,
					 .dtype = (uint8_t)dtype,
					 .compute = (uint8_t)dtype };

	return graph_add_input(graph, step);
}

int graph_index(struct graph *graph)
{
	const struct graph_step step = { .kind = GRAPH_INDEX,
					 .dtype = DPR_INT64,
					 .compute = DPR_INT64 };

	return graph_add_input(graph, step);
}

int graph_scalar(struct graph *graph, unsigned dtype)
{
	const struct graph_step step = { .kind = GRAPH_SCALAR,
					 .dtype = (uint8_t)dtype,
					 .compute = (uint8_t)dtype,
					 .at = graph->n_scalars };
	int made = -1;

	if (graph->n_scalars < GRAPH_SCALARS)
		made = graph_add(graph, &step);
	graph->n_scalars += made >= 0;
	return made;
}

int graph_operation(struct graph *graph, unsigned operation, unsigned compute,
		    unsigned dtype, int n, const int *x)
{
	struct graph_step step = { .kind = GRAPH_OPERATION,
				   .n = (uint8_t)n,
				   .dtype = (uint8_t)dtype,
				   .compute = (uint8_t)compute,
				   .at = (uint16_t)operation };

	for (int i = 0; i < n; i++)
		step.x[i] = (uint16_t)x[i];
	return graph_add(graph, &step);
}

static int add_unary(struct graph *graph, unsigned operation, unsigned dtype,
		     int x)
{
	return x < 0 ? -1
		     : graph_operation(graph, operation, dtype,
				       operation == OPERATION__isinf ? DPR_BOOL
								     : dtype,
				       1, &x);
}

/* Add pow(x, 0.5).  The value is sqrt(x), but -0 gives 0, and -infinity gives
   infinity. */
static int add_root(struct graph *graph, unsigned dtype, int x)
{
	const int root = add_unary(graph, OPERATION__sqrt, dtype, x);
	const int values[] = { add_unary(graph, OPERATION__isinf, dtype, x),
			       add_unary(graph, OPERATION__abs, dtype, x),
			       add_unary(graph, OPERATION__abs, dtype, root) };

	return values[0] < 0 || values[1] < 0 || values[2] < 0
		       ? -1
		       : graph_where(graph, dtype, values);
}

static int add_cube(struct graph *graph, unsigned dtype, int x)
{
	int square = graph_operation(graph, OPERATION__multiply, dtype, dtype,
				     2, (const int[]){ x, x });

	return square < 0
		       ? -1
		       : graph_operation(graph, OPERATION__multiply, dtype,
					 dtype, 2, (const int[]){ square, x });
}

int graph_power(struct graph *graph, unsigned dtype, int x, bool root)
{
	return root ? add_root(graph, dtype, x) : add_cube(graph, dtype, x);
}

bool graph_compare_below(unsigned operation, int at)
{
	switch (operation) {
	case OPERATION__not_equal: return true;
	case OPERATION__less:
	case OPERATION__less_equal: return at == 0;
	case OPERATION__greater:
	case OPERATION__greater_equal: return at == 1;
	}
	return false;
}

int graph_sign(struct graph *graph, bool below, int x)
{
	const unsigned dtype = graph->step[x].dtype;
	const int zero = graph_operation(graph, OPERATION__bitwise_xor, dtype,
					 dtype, 2, (const int[]){ x, x });

	return zero < 0 ? -1
			: graph_operation(graph,
					  below ? OPERATION__less
						: OPERATION__greater_equal,
					  dtype, DPR_BOOL, 2,
					  (const int[]){ x, zero });
}

/* No integer dtype has all values of both operands.  So the sign decides first:
   a negative integer is below every unsigned integer.  All other integers can
   be cast to uint64 before the comparison. */
int graph_compare(struct graph *graph, unsigned operation, const int *x)
{
	const int s = graph->step[x[0]].dtype == DPR_UINT64;
	const bool below = graph_compare_below(operation, s);
	int values[] = { x[0], x[1] }, parts[2];

	parts[0] = graph_sign(graph, below, x[s]);
	values[s] = graph_cast(graph, DPR_UINT64, x[s]);
	if (parts[0] < 0 || values[s] < 0)
		return -1;
	parts[1] = graph_operation(graph, operation, DPR_UINT64, DPR_BOOL, 2,
				   values);
	return parts[1] < 0 ? -1
			    : graph_operation(graph,
					      below ? OPERATION__bitwise_or
						    : OPERATION__bitwise_and,
					      DPR_BOOL, DPR_BOOL, 2, parts);
}

int graph_where(struct graph *graph, unsigned dtype, const int *x)
{
	const struct graph_step step = { .kind = GRAPH_WHERE,
					 .n = 3,
					 .dtype = (uint8_t)dtype,
					 .compute = (uint8_t)dtype,
					 .x = { (uint16_t)x[0], (uint16_t)x[1],
						(uint16_t)x[2] } };

	return graph_add(graph, &step);
}

int graph_cast(struct graph *graph, unsigned dtype, int x)
{
	const struct graph_step step = { .kind = GRAPH_CAST,
					 .n = 1,
					 .dtype = (uint8_t)dtype,
					 .compute = graph->step[x].dtype,
					 .x = { (uint16_t)x } };

	return graph_add(graph, &step);
}

int graph_reduce(struct graph *graph, unsigned reduction, unsigned sum,
		 unsigned dtype, int x)
{
	const struct graph_step step = { .kind = GRAPH_REDUCE,
					 .n = 1,
					 .dtype = (uint8_t)dtype,
					 .compute = (uint8_t)sum,
					 .at = (uint16_t)reduction,
					 .x = { (uint16_t)x } };

	return graph_add(graph, &step);
}

int graph_bits(struct graph *graph, unsigned dtype, int x)
{
	const struct graph_step step = { .kind = GRAPH_BITS,
					 .n = 1,
					 .dtype = (uint8_t)dtype,
					 .compute = graph->step[x].dtype,
					 .x = { (uint16_t)x } };

	return graph_add(graph, &step);
}

int graph_gather(struct graph *graph, unsigned dtype, int x)
{
	const struct graph_step step = { .kind = GRAPH_GATHER,
					 .n = 1,
					 .dtype = (uint8_t)dtype,
					 .compute = DPR_INT64,
					 .x = { (uint16_t)x } };

	return graph_add_input(graph, step);
}

int graph_put(struct graph *graph, int x, int place)
{
	const struct graph_step step = { .kind = GRAPH_PUT,
					 .n = 2,
					 .dtype = graph->step[x].dtype,
					 .compute = graph->step[x].dtype,
					 .x = { (uint16_t)x,
						(uint16_t)place } };

	return graph_add(graph, &step);
}

int graph_like(struct graph *graph, const struct graph_step *step, const int *x)
{
	switch ((enum graph_kind)step->kind) {
	case GRAPH_INPUT: return graph_input(graph, step->dtype);
	case GRAPH_INDEX: return graph_index(graph);
	case GRAPH_SCALAR: return graph_scalar(graph, step->dtype);
	case GRAPH_OPERATION:
		return graph_operation(graph, step->at, step->compute,
				       step->dtype, step->n, x);
	case GRAPH_WHERE: return graph_where(graph, step->dtype, x);
	case GRAPH_CAST: return graph_cast(graph, step->dtype, x[0]);
	case GRAPH_BITS: return graph_bits(graph, step->dtype, x[0]);
	case GRAPH_GATHER: return graph_gather(graph, step->dtype, x[0]);
	case GRAPH_PUT: return graph_put(graph, x[0], x[1]);
	case GRAPH_REDUCE: break;
	}
	return graph_reduce(graph, step->at, step->compute, step->dtype, x[0]);
}

bool graph_result(struct graph *graph, int step)
{
	if (graph->n_results == GRAPH_RESULTS)
		return false;
	graph->result[graph->n_results++] = (uint16_t)step;
	return true;
}

bool graph_puts(const struct graph *graph)
{
	for (int k = 0; k < graph->n_results; k++)
		if (graph_place(graph, k) >= 0)
			return true;
	return false;
}

static bool graph_is_wide(unsigned dtype)
{
	return dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128;
}

bool graph_is_double(const struct graph_step *step)
{
	return graph_is_wide(step->dtype) || graph_is_wide(step->compute);
}

size_t graph_size(const struct graph *graph)
{
	return offsetof(struct graph, step) +
	       graph->n_steps * sizeof(graph->step[0]);
}

static bool has_kind(const struct graph *graph, enum graph_kind kind)
{
	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].kind == kind)
			return true;
	return false;
}

bool graph_reduces(const struct graph *graph)
{
	return has_kind(graph, GRAPH_REDUCE);
}

bool graph_gathers(const struct graph *graph)
{
	return has_kind(graph, GRAPH_GATHER);
}

bool graph_keeps_stored(const struct graph *graph, int i)
{
	const struct graph_step *step = &graph->step[i];

	if (step->dtype != DPR_FLOAT16 && step->dtype != DPR_BFLOAT16)
		return false;
	return (step->kind == GRAPH_INPUT || step->kind == GRAPH_CAST ||
		step->kind == GRAPH_WHERE || step->kind == GRAPH_BITS ||
		step->kind == GRAPH_GATHER) &&
	       (has_kind(graph, GRAPH_BITS) || graph_gathers(graph) ||
		graph_puts(graph));
}

bool graph_uses(const struct graph *graph, unsigned dtype)
{
	for (int i = 0; i < graph->n_steps; i++)
		if (graph->step[i].dtype == dtype ||
		    graph->step[i].compute == dtype)
			return true;
	return false;
}

/* Find the step for which a kernel is named: the only step that computes
   something other than a cast.  If all steps that compute something are casts,
   find the last cast.  NULL: several steps compute something other than a cast,
   or the graph has several results or a reduction. */
static const struct graph_step *graph_only(const struct graph *graph)
{
	const struct graph_step *only = NULL;

	for (int i = 0; i < graph->n_steps; i++) {
		const struct graph_step *step = &graph->step[i];

		if (graph_is_leaf(step))
			continue;
		if (!only || only->kind == GRAPH_CAST)
			only = step;
		else if (step->kind != GRAPH_CAST)
			return NULL;
	}
	return graph->n_results == 1 && !graph_reduces(graph) ? only : NULL;
}

void graph_name(const struct graph *graph, char name[GRAPH_NAME])
{
	const struct graph_step *only = graph_only(graph);
	unsigned char hash[HASH_SIZE];
	struct hash state;
	const char *what;

	if (graph->n_steps == 1) {
		snprintf(name, GRAPH_NAME, "%s_%.12s",
			 graph->step[0].kind == GRAPH_INPUT   ? "copy"
			 : graph->step[0].kind == GRAPH_INDEX ? "index"
							      : "fill",
			 dpr_dtype_name(graph->step[0].dtype));
		return;
	}
	if (only) {
		what = only->kind == GRAPH_WHERE    ? "where"
		       : only->kind == GRAPH_CAST   ? "cast"
		       : only->kind == GRAPH_BITS   ? "bits"
		       : only->kind == GRAPH_GATHER ? "gather"
		       : only->kind == GRAPH_PUT
			       ? "put"
			       : operations_table[only->at].name;
		snprintf(name, GRAPH_NAME, "%.24s_%.12s", what,
			 dpr_dtype_name(only->kind == GRAPH_GATHER
						? only->dtype
						: only->compute));
		return;
	}
	hash_start(&state);
	hash_add(&state, graph, graph_size(graph));
	hash_end(&state, hash);
	snprintf(name, GRAPH_NAME, "fused_%02x%02x%02x%02x%02x%02x%02x%02x",
		 hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6],
		 hash[7]);
}
