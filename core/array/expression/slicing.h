/* SPDX-License-Identifier: Apache-2.0 */
/* slicing.h - indexes the operands of deferred calls instead of the result. */
#ifndef ARRAY_SLICING_H
#define ARRAY_SLICING_H

#include "core/array/expression/node.h"

/*
 * Index @node, a deferred array: make new nodes of the calls that compute
 * @node, with views of the operands.  So only the elements of the result are
 * computed.  *@out gets a reference to the new node.
 *
 * *@out is NULL if the caller must compute @node and index its array.  The
 * caller must do so if @node needs a reduction, or if the values of @node are
 * expensive and another step needs them, too.  Pass @again = true if a later
 * step needs the values.
 *
 * Errors as dpr_array_index().
 */
dpr_status slicing_push(struct fusion_node *node, const dpr_index *indices,
			size_t n_indices, bool again, struct fusion_node **out);

#endif
