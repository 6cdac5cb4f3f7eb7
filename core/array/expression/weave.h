/* SPDX-License-Identifier: Apache-2.0 */
/* weave.h - makes a graph from deferred nodes. */
#ifndef ARRAY_WEAVE_H
#define ARRAY_WEAVE_H

#include "core/array/engine/engine.h"
#include "core/array/expression/node.h"

/*
 * A graph with its operands.  If the graph has reductions, its shape is the
 * shape of the array that is reduced (see stages.h).  This shape, and the
 * reduced axes, are those of the reduction `space`.
 */
struct weave {
	struct graph graph;
	const dpr_array *input[GRAPH_INPUTS];
	int input_step[GRAPH_INPUTS]; /* -1: the input is a source */
	struct engine_scalar scalar[GRAPH_SCALARS];
	int scalar_step[GRAPH_SCALARS];
	dpr_array *result[GRAPH_RESULTS];
	/* node: the nodes in the graph.  step: the step of each node.  uses:
	   for each node, the number of references from other nodes of the
	   graph, and from the caller of weave_plain() or weave_all(). */
	struct fusion_node *node[GRAPH_STEPS];
	int step[GRAPH_STEPS];
	size_t uses[GRAPH_STEPS];
	int n_nodes;
	/* DPR_OK, or the error of a step that could not be added */
	dpr_status status;
	/* A reduction whose operand has the graph's shape.  NULL if the graph
	   has no reductions. */
	const struct fusion_node *space;
	/* A reduction that cannot be in the graph.  NULL if there is none. */
	struct fusion_node *blocked;
	/* Bit k of narrow_input is set if input k lacks the reduced axes.  Bit
	   k of narrow_node is set if the value of node k lacks these axes. */
	uint32_t narrow_input;
	uint64_t narrow_node;
};

/* Make a graph of @n nodes without reductions.  Returns false if no graph was
   made.  The reason is then w->blocked or w->status; if neither is set, the
   graph had no room. */
bool weave_plain(struct weave *w, struct fusion_node *const *nodes, size_t n);

/* Make a graph of @n nodes, with reductions if the nodes need some.  Returns as
   weave_plain() does. */
bool weave_all(struct weave *w, struct fusion_node *const *nodes, size_t n);

/* Add @node to a graph that was made before, and of which no node has been
   computed or released since.  The graph need not have @node as a result.  If
   this fails, the graph cannot be used any more, but a graph of @node alone may
   have room. */
bool weave_add(struct weave *w, struct fusion_node *node);

/* Whether the value of a node of the graph lacks the reduced axes. */
bool weave_is_narrow(const struct weave *w, const struct fusion_node *node);

/* Whether anything outside the graph needs node @k, too. */
bool weave_is_wanted(const struct weave *w, int k);

/* Record in the nodes of the graph that kernel number @kernel computes them. */
void weave_note_kernel(const struct weave *w, size_t kernel);

/* Let more nodes be results of the graph, as far as there is room: nodes that
   will be needed outside the graph, and would be computed again there.
   @results lists the nodes that are results already, and gets the new ones.  In
   a graph without reductions, a result must have the shape of @like. */
void weave_more(struct weave *w, const dpr_array *like,
		struct fusion_node **results);

#endif
