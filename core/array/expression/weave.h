/* SPDX-License-Identifier: Apache-2.0 */
/* weave.h - a graph that is made of nodes that are put off. */
#ifndef ARRAY_WEAVE_H
#define ARRAY_WEAVE_H

#include "core/array/engine/engine.h"
#include "core/array/expression/node.h"

/*
 * A graph with its operands.  With reductions in it, the graph goes over the
 * shape of what they reduce (stages.h): that shape, and which axes are reduced,
 * are those of node `space`.
 */
struct weave {
	struct graph graph;
	const dpr_array *input[GRAPH_INPUTS];
	int input_step[GRAPH_INPUTS];
	struct engine_scalar scalar[GRAPH_SCALARS];
	int scalar_step[GRAPH_SCALARS];
	dpr_array *result[GRAPH_RESULTS];
	/* The nodes that are in the graph, their steps, and how many of their
	   references are from nodes of the graph. */
	struct fusion_node *node[GRAPH_STEPS];
	int step[GRAPH_STEPS];
	size_t uses[GRAPH_STEPS];
	int n_nodes;
	dpr_status status; /* a failure; DPR_OK beside -1: no room */
	/* NULL: there are no reductions. */
	const struct fusion_node *space;
	/* A reduction that cannot be in the graph; NULL: there is none. */
	struct fusion_node *blocked;
	/* Bit k: input k, or the value of node k, lacks the reduced axes. */
	uint32_t narrow_input;
	uint64_t narrow_node;
};

/* Make a graph of @n nodes.  False: it was not made, because of w->blocked, or
   w->status if that is an error, or else for want of room. */
bool weave_plain(struct weave *w, struct fusion_node *const *nodes, size_t n);

/* The same; if that is blocked by a reduction, with reductions. */
bool weave_all(struct weave *w, struct fusion_node *const *nodes, size_t n);

/* Whether the value of a node of the graph lacks the reduced axes. */
bool weave_is_narrow(const struct weave *w, const struct fusion_node *node);

/* Whether a node of the graph is used by something else too. */
bool weave_is_wanted(const struct weave *w, int k);

/* Note that kernel number @kernel computes the nodes of the graph. */
void weave_note_kernel(const struct weave *w, size_t kernel);

/* Make results of the nodes that something else will need, as far as there is
   room, so that they are not computed twice; @results has those that are
   results already.  Without reductions they must have the shape of @like. */
void weave_more(struct weave *w, const dpr_array *like,
		struct fusion_node **results);

#endif
