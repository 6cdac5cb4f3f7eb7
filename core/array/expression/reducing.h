/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reducing.h - reductions that are put off, so that one kernel computes what
 * they reduce, the reductions and what follows.
 */
#ifndef ARRAY_REDUCING_H
#define ARRAY_REDUCING_H

#include "core/array/expression/weave.h"

/* Whether the nodes are one reduction, with no other before it. */
bool reducing_is_single(struct fusion_node *const *nodes, size_t n);

/* The axes of reduction @node as its function takes them: @list gets their
   numbers. */
dpr_axes reducing_axes(const struct fusion_node *node, int list[DPR_MAX_RANK]);

/* Call the function of @node, which reduces. */
dpr_status reducing_call(const struct fusion_node *node, const dpr_array *x,
			 dpr_array **out);

/* Of the reductions that @node is computed from, or is, one that no other is
   needed for. */
struct fusion_node *reducing_first(struct fusion_node *node);

/*
 * Compute @n nodes, which weave_all() has made the graph @w with reductions of,
 * in one go; *@kernels counts what is launched.  @into: as in fusion_make().
 * DPR_ERROR_UNSUPPORTED: they must be computed in another way; nothing was
 * done.
 */
dpr_status reducing_together(struct weave *w, struct fusion_node *const *nodes,
			     size_t n, dpr_array *into, size_t *kernels);

#endif
