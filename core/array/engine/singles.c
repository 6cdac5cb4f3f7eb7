/* SPDX-License-Identifier: Apache-2.0 */
/* singles.c - recognises graphs of a single operation. */
#include "core/array/engine/singles.h"

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
