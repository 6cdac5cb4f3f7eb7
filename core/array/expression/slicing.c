/* SPDX-License-Identifier: Apache-2.0 */
/* slicing.c - indexes the operands of deferred calls instead of the result. */
#include "core/array/expression/slicing.h"

#include "core/array/engine/graph.h"
#include "core/array/expression/reduce_nodes.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"

struct slicing {
	/* The indices, without an ellipsis: one for each axis of the shape that
	   is indexed, and the new axes. */
	dpr_index index[2 * DPR_MAX_RANK];
	size_t n_indices;
	int rank;
	const int64_t *dim;
	/* from: the nodes that are indexed so far.  to: the new node for each
	   of them, which is owned. */
	struct fusion_node *from[GRAPH_STEPS], *to[GRAPH_STEPS];
	int n;
};

static void take_whole(struct slicing *s, int n)
{
	while (n-- > 0)
		s->index[s->n_indices++] = DPR_ALL;
}

/* Take the indices for the shape of @x.  layout_index() has accepted them. */
static void take_indices(struct slicing *s, const dpr_array *x,
			 const dpr_index *indices, size_t n)
{
	int whole = x->rank;

	s->rank = x->rank;
	s->dim = array_shape(x);
	s->n_indices = 0;
	for (size_t i = 0; i < n; i++)
		whole -= indices[i].kind == DPR_INDEX_INTEGER ||
			 indices[i].kind == DPR_INDEX_SLICE;
	for (size_t i = 0; i < n; i++) {
		if (indices[i].kind != DPR_INDEX_ELLIPSIS) {
			s->index[s->n_indices++] = indices[i];
			continue;
		}
		take_whole(s, whole);
		whole = 0;
	}
	take_whole(s, whole);
}

/* Get the indices for @x, which is broadcast to the shape that is indexed.
   Returns their number. */
static size_t indices_for(const struct slicing *s, const dpr_array *x,
			  dpr_index out[2 * DPR_MAX_RANK])
{
	const int missing = s->rank - x->rank;
	int axis = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n_indices; i++) {
		const bool is_new = s->index[i].kind == DPR_INDEX_NEW_AXIS;
		const int d = axis;

		axis += !is_new;
		if (d < missing)
			continue;
		out[n++] = s->index[i];
		/* Along a broadcast axis, @x has only one element, which every
		   index selects. */
		if (!is_new && array_shape(x)[d - missing] == 1 &&
		    s->dim[d] != 1)
			out[n - 1] = s->index[i].kind == DPR_INDEX_INTEGER
					     ? DPR_AT(0)
					     : DPR_ALL;
	}
	return n;
}

static dpr_status index_layout(const struct slicing *s, const dpr_array *x,
			       struct layout *out)
{
	dpr_index indices[2 * DPR_MAX_RANK];
	const size_t n = indices_for(s, x, indices);
	struct layout from;

	array_layout(x, &from);
	return layout_index(&from, indices, n, out);
}

/* Index the header of a node.  For an index() node, the header keeps its
   strides, because they give the values. */
static dpr_status index_header(const struct slicing *s,
			       const struct fusion_node *from, dpr_array **out)
{
	const dpr_array *x = from->header;
	struct layout to;
	dpr_status status = index_layout(s, x, &to);

	if (status)
		return status;
	return from->kind == FUSION_INDEX
		       ? array_view(x, &to, out)
		       : array_make(x->dtype, to.rank, to.dim, NULL, 0, NULL,
				    x->queue, x->kind, out);
}

static dpr_status index_array(const struct slicing *s, const dpr_array *x,
			      struct fusion_operand *out)
{
	dpr_array *view = NULL;
	struct layout to;
	dpr_status status = index_layout(s, x, &to);

	if (!status)
		status = array_view(x, &to, &view);
	if (!status)
		out->value = dpr_operand_array(view);
	return status;
}

/* Index the source of a GATHER node.  The operands of @to are indexed
   already. */
static dpr_status index_source(const struct slicing *s,
			       const struct fusion_node *from,
			       struct fusion_node *to)
{
	dpr_index indices[2 * DPR_MAX_RANK];
	const size_t n = indices_for(s, from->header, indices);
	const dpr_array *arrays[FUSION_OPERANDS];

	for (int i = 0; i < to->n; i++)
		arrays[i] = to->operand[i].value.as.array;
	return indexing_source_index(from->source, indices, n, arrays,
				     &to->source);
}

static dpr_status index_node(struct slicing *s, struct fusion_node *from,
			     struct fusion_node **out);

/* Index an operand.  @out holds a reference to its value, but not to its node.
 */
static dpr_status index_operand(struct slicing *s,
				const struct fusion_operand *from,
				struct fusion_operand *out)
{
	struct fusion_node *pending = node_pending(from);
	dpr_status status;

	if (pending) {
		status = index_node(s, pending, &out->node);
		if (!status)
			out->value = dpr_operand_array(
				dpr_array_retain(out->node->header));
		return status;
	}
	if (from->node)
		return index_array(s, from->node->made, out);
	if (from->value.kind == DPR_OPERAND_ARRAY)
		return index_array(s, from->value.as.array, out);
	out->value = from->value;
	return DPR_OK;
}

/* Set the operands of @to to the operands of @from, indexed. */
static dpr_status index_operands(struct slicing *s,
				 const struct fusion_node *from,
				 struct fusion_node *to)
{
	struct fusion_operand operands[FUSION_OPERANDS] = { 0 };
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < from->n; i++)
		status = index_operand(s, &from->operand[i], &operands[i]);
	if (!status)
		node_take_operands(to, from->n, operands);
	for (int i = 0; i < from->n; i++)
		if (operands[i].value.kind == DPR_OPERAND_ARRAY)
			dpr_array_release((dpr_array *)(uintptr_t)operands[i]
						  .value.as.array);
	return status;
}

/* Make a new node for the call of @from, with its operands indexed.  The
   recursion is not deep, since @from fits into a graph. */
static dpr_status index_node(struct slicing *s, struct fusion_node *from,
			     struct fusion_node **out)
{
	struct fusion_node *node;
	dpr_status status;

	for (int k = 0; k < s->n; k++)
		if (s->from[k] == from) {
			*out = s->to[k];
			return DPR_OK;
		}
	status = node_begin(from->kind, from->place, &node);
	if (status)
		return status;
	node->op = from->op;
	node->is_root = from->is_root;
	node->is_mixed = from->is_mixed;
	node->compute = from->compute;
	node->steps = from->steps;
	node->leaves = from->leaves;
	status = index_header(s, from, &node->header);
	if (!status && from->n)
		status = index_operands(s, from, node);
	if (!status && from->source)
		status = index_source(s, from, node);
	if (status) {
		node_release(node);
		return status;
	}
	s->from[s->n] = from;
	s->to[s->n++] = node;
	*out = node;
	return DPR_OK;
}

dpr_status slicing_push(struct fusion_node *node, const dpr_index *indices,
			size_t n_indices, bool again, struct fusion_node **out)
{
	struct layout from, to;
	struct slicing s;
	dpr_status status;

	*out = NULL;
	array_layout(node->header, &from);
	status = layout_index(&from, indices, n_indices, &to);
	again |= node->refs - node->watchers > 1;
	if (status || (node->reduces && reduce_nodes_first(node)) ||
	    (again && node_is_dear(node)))
		return status;
	s.n = 0;
	take_indices(&s, node->header, indices, n_indices);
	status = index_node(&s, node, out);
	if (!status)
		node_retain(*out);
	for (int k = 0; k < s.n; k++)
		node_release(s.to[k]);
	return status;
}
