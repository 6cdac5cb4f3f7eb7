/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_nodes.c - computes deferred reductions. */
#include "core/array/expression/reduce_nodes.h"

#include <string.h>

#include "core/array/engine/stages.h"
#include "core/array/functions/reduce.h"
#include "core/array/object/array.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* --- One by one --------------------------------------------------------- */

struct fusion_node *reduce_nodes_first(struct fusion_node *node)
{
	struct fusion_node *found =
		node->kind == FUSION_REDUCTION ? node : NULL;

	for (int i = 0; i < node->n; i++) {
		struct fusion_node *x = node_pending(&node->operand[i]);

		if (x && x->reduces && (x = reduce_nodes_first(x)))
			return x;
	}
	/* If no reduction was found, there will be none later.  The flag
	   `reduces` then ends the next search here. */
	node->reduces = found;
	return found;
}

bool reduce_nodes_is_single(struct fusion_node *const *nodes, size_t n)
{
	return n == 1 && nodes[0]->kind == FUSION_REDUCTION &&
	       reduce_nodes_first(nodes[0]) == nodes[0];
}

dpr_axes reduce_nodes_axes(const struct fusion_node *node,
			   int list[DPR_MAX_RANK])
{
	dpr_axes axes = { .keepdims = node->reduction.keep, .axis = list };

	for (int d = 0; d < node_reduced(node)->rank; d++)
		if (node->reduction.reduced[d])
			list[axes.count++] = d;
	return axes;
}

dpr_status reduce_nodes_call(const struct fusion_node *node, const dpr_array *x,
			     dpr_array **out)
{
	int list[DPR_MAX_RANK];
	const dpr_axes axes = reduce_nodes_axes(node, list);

	return reduce_array((enum reduction)node->op, x, &axes,
			    node->reduction.as, out);
}

/* --- Together ----------------------------------------------------------- */

/* Launch the graph with the results of the nodes @results. */
static dpr_status launch(struct weave *w, struct fusion_node *const *results,
			 const char *what)
{
	const struct fusion_node *space = w->space;
	const int n = w->graph.n_results;
	struct stages_call call = {
		.what = what,
		.graph = &w->graph,
		.inputs = w->input,
		.scalars = w->scalar,
		.rank = node_reduced(space)->rank,
		.shape = array_shape(node_reduced(space)),
		.reduced = space->reduction.reduced,
		.results = w->result,
	};

	for (int i = 0; i < n; i++)
		call.narrow |= (uint32_t)weave_is_narrow(w, results[i]) << i;
	call.narrow |= w->narrow_input << n;
	return stages_run(&call);
}

/* Compute the graph with the results of the nodes @results. */
static dpr_status run(struct weave *w, struct fusion_node *const *results,
		      dpr_array *into, size_t *kernels)
{
	const char *what = node_name(results[0]);
	const int n = w->graph.n_results;
	dpr_status status = DPR_OK;

	for (int i = 0; i < n; i++)
		w->result[i] = NULL;
	for (int i = 0; !status && i < n; i++)
		if (i == 0 && into)
			w->result[i] = dpr_array_retain(into);
		else
			status = node_new_result(results[i], &w->result[i]);
	if (!status)
		status = launch(w, results, what);
	*kernels += !status;
	if (!status)
		weave_note_kernel(w, *kernels);
	node_take_results(results, w->result, n, status ? 0 : *kernels);
	return status;
}

dpr_status reduce_nodes_together(struct weave *w,
				 struct fusion_node *const *nodes, size_t n,
				 dpr_array *into, size_t *kernels)
{
	struct fusion_node *results[GRAPH_RESULTS];
	dpr_status status;

	memcpy(results, nodes, n * sizeof(results[0]));
	if (!into)
		weave_more(w, nodes[0]->header, results);
	status = run(w, results, into, kernels);
	if (status != DPR_ERROR_UNSUPPORTED || w->graph.n_results == n)
		return status;
	w->graph.n_results = (uint16_t)n;
	return run(w, results, into, kernels);
}
