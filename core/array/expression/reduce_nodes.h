/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce_nodes.h - computes deferred reductions.  If possible, one kernel
 * computes their operands, the reductions, and the steps that follow.
 */
#ifndef ARRAY_REDUCE_NODES_H
#define ARRAY_REDUCE_NODES_H

#include "core/array/expression/weave.h"

/* Whether @n is 1, and the node is a reduction that needs no other deferred
   reduction. */
bool reduce_nodes_is_single(struct fusion_node *const *nodes, size_t n);

/* The axes of reduction @node, in the form that its function takes.  @list gets
   the numbers of the axes. */
dpr_axes reduce_nodes_axes(const struct fusion_node *node,
			   int list[DPR_MAX_RANK]);

/* Call the function of the reduction @node. */
dpr_status reduce_nodes_call(const struct fusion_node *node, const dpr_array *x,
			     dpr_array **out);

/* Find a deferred reduction that needs no other deferred reduction: @node, or a
   reduction that @node needs.  Returns NULL if there is none. */
struct fusion_node *reduce_nodes_first(struct fusion_node *node);

/*
 * Compute the @n nodes of graph @w in one kernel.  weave_all() has made the
 * graph, which has reductions.  *@kernels counts the launched kernels.  @into:
 * as in fusion_make().  DPR_ERROR_UNSUPPORTED: nothing was done, and the nodes
 * must be computed in another way.
 */
dpr_status reduce_nodes_together(struct weave *w,
				 struct fusion_node *const *nodes, size_t n,
				 dpr_array *into, size_t *kernels);

#endif
