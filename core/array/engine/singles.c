/* SPDX-License-Identifier: Apache-2.0 */
/* singles.c - graphs of a single operation. */
#include "core/array/engine/singles.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <dpr/dtype.h>

#include "core/array/engine/operations.h"
#include "core/base/mem.h"

#define FORMS (1u << SINGLES_OPERANDS)

bool singles_find(const struct graph *graph, struct single *out)
{
	const struct graph_step *step = &graph->step[graph->n_steps - 1];

	if (graph->n_results != 1 || step->kind != GRAPH_OPERATION ||
	    graph->n_steps != step->n + 1 || step->n > SINGLES_OPERANDS)
		return false;
	out->operation = step->at;
	out->dtype = step->compute;
	out->numbers = 0;
	for (unsigned k = 0; k < step->n; k++) {
		if (step->x[k] != k || graph->step[k].dtype != step->compute)
			return false;
		if (graph->step[k].kind == GRAPH_SCALAR)
			out->numbers |= 1u << k;
		else if (graph->step[k].kind != GRAPH_INPUT)
			return false;
	}
	return graph->n_inputs > 0;
}

bool singles_graph(const struct single *single, struct graph *graph)
{
	const struct operations_entry *o = &operations_table[single->operation];
	const char kind = dpr_dtype_kind((dpr_dtype)single->dtype);
	int x[SINGLES_OPERANDS];

	if (!strchr(o->classes, kind) || strchr(o->identity, kind) ||
	    single->numbers + 1 >= 1u << o->n)
		return false;
	mem_zero(graph, offsetof(struct graph, step));
	for (int k = 0; k < o->n; k++)
		x[k] = single->numbers >> k & 1
			       ? graph_scalar(graph, single->dtype)
			       : graph_input(graph, single->dtype);
	graph_result(graph,
		     graph_operation(
			     graph, single->operation, single->dtype,
			     operations_dtype(single->operation, single->dtype),
			     o->n, x));
	return true;
}

bool singles_next(struct singles_walk *walk, unsigned dtype, int n)
{
	while (walk->next < OPERATION_COUNT * FORMS) {
		walk->single = (struct single){ .operation = walk->next / FORMS,
						.dtype = dtype,
						.numbers = walk->next % FORMS };
		walk->next++;
		if (singles_graph(&walk->single, &walk->graph) &&
		    (n == 0 || walk->graph.n_inputs == n))
			return true;
	}
	return false;
}

void singles_name(const struct single *single, char name[GRAPH_NAME])
{
	char numbers[SINGLES_OPERANDS + 1] = "", *at = numbers;

	for (int k = 0; k < SINGLES_OPERANDS; k++)
		if (single->numbers >> k & 1)
			*at++ = (char)('1' + k);
	*at = '\0';
	snprintf(name, GRAPH_NAME, "%.20s_%.12s%s%s",
		 operations_table[single->operation].name,
		 dpr_dtype_name((dpr_dtype)single->dtype),
		 *numbers ? "_number" : "", numbers);
}

bool singles_cast(unsigned from, unsigned to, struct graph *graph)
{
	int x;

	if (from == to || (dpr_dtype_kind((dpr_dtype)from) == 'c' &&
			   dpr_dtype_kind((dpr_dtype)to) != 'c'))
		return false;
	mem_zero(graph, offsetof(struct graph, step));
	x = graph_input(graph, from);
	graph_result(graph, graph_cast(graph, to, x));
	return graph_is_double(&graph->step[0]) ||
	       !graph_is_double(&graph->step[1]);
}

bool singles_find_cast(const struct graph *graph, char name[GRAPH_NAME])
{
	const struct graph_step *step = &graph->step[graph->n_steps - 1];
	struct graph same;

	if (graph->n_steps != 2 || step->kind != GRAPH_CAST ||
	    !singles_cast(step->compute, step->dtype, &same) ||
	    graph_size(graph) != graph_size(&same) ||
	    memcmp(graph, &same, graph_size(&same)) != 0)
		return false;
	snprintf(name, GRAPH_NAME, "cast_%.12s_%.12s",
		 dpr_dtype_name((dpr_dtype)step->compute),
		 dpr_dtype_name((dpr_dtype)step->dtype));
	return true;
}
