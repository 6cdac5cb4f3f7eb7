/* SPDX-License-Identifier: Apache-2.0 */
/* weave.c - makes a graph from deferred nodes. */
#include "core/array/expression/weave.h"

#include <stddef.h>
#include <string.h>

#include "core/array/element/scalar.h"
#include "core/array/engine/compound.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce_table.h"
#include "core/array/object/array.h"
#include "core/base/mem.h"

/* Whether two inputs are the same: one array, or two equal views. */
static bool is_same_input(const dpr_array *a, const dpr_array *b)
{
	return a == b || (a->dtype == b->dtype && array_same_layout(a, b));
}

/* Add the array @x as an input, and return its step.  Pass @is_index = true if
   @x is the header of an index() node, which has no memory.  Pass @narrow =
   true if the input lacks the reduced axes. */
static int weave_array(struct weave *w, const dpr_array *x, bool is_index,
		       bool narrow)
{
	int k = 0, step;

	while (k < w->graph.n_inputs &&
	       (w->input_step[k] < 0 || !is_same_input(w->input[k], x) ||
		(w->narrow_input >> k & 1) != narrow))
		k++;
	if (k < w->graph.n_inputs)
		return w->input_step[k];
	step = is_index ? graph_index(&w->graph)
			: graph_input(&w->graph, x->dtype);
	if (step < 0)
		return -1;
	w->input[k] = x;
	w->input_step[k] = step;
	w->narrow_input |= (uint32_t)narrow << k;
	return step;
}

/* Add the number @value in @dtype, and return its step.  @node is named in the
   text of an error. */
static int weave_scalar(struct weave *w, const struct fusion_node *node,
			dpr_operand value, dpr_dtype dtype)
{
	struct engine_scalar made;
	int k = 0, step;

	w->status = scalar_store_computed(node_name(node), value, dtype,
					  made.bytes);
	if (w->status)
		return -1;
	while (k < w->graph.n_scalars &&
	       (w->graph.step[w->scalar_step[k]].dtype != (uint8_t)dtype ||
		memcmp(&w->scalar[k], &made, sizeof(made)) != 0))
		k++;
	if (k < w->graph.n_scalars)
		return w->scalar_step[k];
	step = graph_scalar(&w->graph, dtype);
	if (step < 0)
		return -1;
	w->scalar[k] = made;
	w->scalar_step[k] = step;
	return step;
}

static int weave_node(struct weave *w, struct fusion_node *node, bool narrow);

/* Whether operand @i is cast to the dtype in which @node computes. */
static bool is_cast(const struct fusion_node *node, int i)
{
	return (node->kind == FUSION_OPERATION && !node->is_mixed) ||
	       (node->kind == FUSION_WHERE && i > 0);
}

/* Add operand @i of @node.  @narrow: as in weave_array(). */
static int weave_operand(struct weave *w, const struct fusion_node *node, int i,
			 bool narrow)
{
	const struct fusion_operand *x = &node->operand[i];
	int step;

	if (x->node && !x->node->made)
		step = weave_node(w, x->node, narrow);
	else if (x->node)
		step = weave_array(w, x->node->made, false, narrow);
	else if (x->value.kind == DPR_OPERAND_ARRAY)
		step = weave_array(w, x->value.as.array, false, narrow);
	else
		return weave_scalar(w, node, x->value, node->compute);
	if (step >= 0 && is_cast(node, i) &&
	    w->graph.step[step].dtype != node->compute)
		step = graph_cast(&w->graph, node->compute, step);
	return step;
}

/* Whether an operation returns its operand unchanged. */
static bool is_identity(const struct fusion_node *node)
{
	return strchr(operations_table[node->op].identity,
		      dpr_dtype_kind(node->compute)) != NULL;
}

/* Add the steps that reduce step @x.  Fails if the operand is a deferred call,
   but step @x is an input.  Such a call makes a copy in C order.  A reduction
   of the input would add in the order of the input, which could give other
   bits. */
static int weave_reduction(struct weave *w, const struct fusion_node *node,
			   int x)
{
	const struct fusion_reduction *r = &node->reduction;
	const unsigned sum =
		reduce_table_sum((enum reduction)node->op, (unsigned)r->cast);

	if (node->operand[0].node && !node->operand[0].node->made &&
	    w->graph.step[x].kind == GRAPH_INPUT)
		return -1;
	if (w->graph.step[x].dtype != r->cast)
		x = graph_cast(&w->graph, r->cast, x);
	if (x >= 0)
		x = graph_reduce(&w->graph, (unsigned)node->op, sum, r->sum, x);
	if (x >= 0 && r->sum != node->header->dtype)
		x = graph_cast(&w->graph, node->header->dtype, x);
	return x;
}

/* Add a compound operation on the steps @x. */
static int weave_compound(struct weave *w, const struct fusion_node *node,
			  const int *x)
{
	int all[FUSION_OPERANDS + COMPOUND_NUMBERS];
	dpr_operand number;
	dpr_dtype dtype;

	memcpy(all, x, sizeof(all[0]) * (size_t)node->n);
	for (int i = 0; compound_number((unsigned)node->op, node->compute, i,
					&number, &dtype);
	     i++) {
		all[node->n + i] = weave_scalar(w, node, number, dtype);
		if (all[node->n + i] < 0)
			return -1;
	}
	return compound_add(&w->graph, (unsigned)node->op, all);
}

/* Add the steps that read the source of @node.  @x: the steps of its index
   arrays. */
static int weave_gather(struct weave *w, const struct fusion_node *node,
			const int *x, bool narrow)
{
	const struct indexing_source *source = node->source;
	struct indexing_number number[INDEXING_NUMBERS];
	const int n = indexing_steps_numbers(&source->indexing, number);
	int numbers[INDEXING_NUMBERS], position = -1, step;

	for (int i = 0; i < n; i++) {
		numbers[i] =
			weave_scalar(w, node, dpr_operand_int(number[i].value),
				     number[i].dtype);
		if (numbers[i] < 0)
			return -1;
	}
	if (source->position) {
		position = weave_array(w, source->position, true, narrow);
		if (position < 0)
			return -1;
	}
	step = indexing_steps_add(&source->indexing, &w->graph, x, numbers,
				  position);
	if (step >= 0)
		step = graph_gather(&w->graph, source->x->dtype, step);
	if (step < 0)
		return -1;
	w->input[w->graph.n_inputs - 1] = source->x;
	w->input_step[w->graph.n_inputs - 1] = -1;
	return step;
}

/* Add the step of @node itself.  @x: the steps of its operands. */
static int weave_call(struct weave *w, const struct fusion_node *node,
		      const int *x, bool narrow)
{
	const unsigned dtype = node->header->dtype;
	unsigned made;
	int step;

	switch (node->kind) {
	case FUSION_NONE: return -1;
	case FUSION_OPERATION:
		if (node_is_power(node))
			return graph_power(&w->graph, node->compute, x[0],
					   node->is_root);
		if (node->is_mixed)
			return graph_compare(&w->graph, (unsigned)node->op, x);
		if (is_identity(node))
			return x[0];
		if (compound_is((unsigned)node->op))
			return weave_compound(w, node, x);
		made = operations_dtype((unsigned)node->op, node->compute);
		step = graph_operation(&w->graph, (unsigned)node->op,
				       node->compute, made, node->n, x);
		return step < 0 || made == dtype
			       ? step
			       : graph_cast(&w->graph, dtype, step);
	case FUSION_WHERE: return graph_where(&w->graph, dtype, x);
	case FUSION_CAST:
		return w->graph.step[x[0]].dtype == dtype
			       ? x[0]
			       : graph_cast(&w->graph, dtype, x[0]);
	case FUSION_BITS: return graph_bits(&w->graph, dtype, x[0]);
	case FUSION_INDEX: return weave_array(w, node->header, true, narrow);
	case FUSION_REDUCTION: return weave_reduction(w, node, x[0]);
	case FUSION_GATHER: return weave_gather(w, node, x, narrow);
	}
	return -1;
}

/* Whether @node can be in the graph.  Pass @narrow = true if the value of @node
   would lack the reduced axes. */
static bool has_place(struct weave *w, struct fusion_node *node, bool narrow)
{
	const struct fusion_node *space = w->space;

	if (!space && node->kind != FUSION_REDUCTION)
		return true;
	if (!space ||
	    (node->kind == FUSION_REDUCTION && !node_same_rows(node, space))) {
		w->blocked = node;
		return false;
	}
	if (node->kind == FUSION_REDUCTION)
		return node->is_narrow == narrow;
	/* No kernel reads by indices and reduces. */
	if (node->kind == FUSION_GATHER)
		return false;
	return (narrow || !node->is_narrow) &&
	       node_fits(node->header, space, narrow);
}

/* The number of @node in the graph.  For a node that is not in the graph, this
   is the number that the next added node gets. */
static int find_node(const struct weave *w, const struct fusion_node *node)
{
	int k = 0;

	while (k < w->n_nodes && w->node[k] != node)
		k++;
	return k;
}

/* Add @node and all nodes that it needs.  Returns the node's step, or -1.  The
   recursion is not deep, since a graph has room for few nodes. */
static int weave_node(struct weave *w, struct fusion_node *node, bool narrow)
{
	const bool below = narrow && node->kind != FUSION_REDUCTION;
	const int k = find_node(w, node);
	int x[FUSION_OPERANDS];

	if (k < w->n_nodes) {
		w->uses[k]++;
		return (w->narrow_node >> k & 1) == narrow ? w->step[k] : -1;
	}
	if (k == GRAPH_STEPS || !has_place(w, node, narrow))
		return -1;
	w->narrow_node |= (uint64_t)narrow << k;
	w->node[w->n_nodes++] = node;
	w->uses[k] = 1;
	w->step[k] = 0;
	for (int i = 0; i < node->n; i++) {
		x[i] = weave_operand(w, node, i, below);
		if (x[i] < 0)
			return -1;
	}
	w->step[k] = weave_call(w, node, x, below);
	return w->step[k];
}

bool weave_is_narrow(const struct weave *w, const struct fusion_node *node)
{
	const int k = find_node(w, node);

	return k < w->n_nodes && w->narrow_node >> k & 1;
}

bool weave_is_wanted(const struct weave *w, int k)
{
	return w->node[k]->refs - w->node[k]->watchers > w->uses[k];
}

void weave_note_kernel(const struct weave *w, size_t kernel)
{
	for (int k = 0; k < w->n_nodes; k++)
		if (!w->node[k]->made)
			w->node[k]->kernel = kernel;
}

/* Whether node @k of the graph can be a result. */
static bool can_result(const struct weave *w, int k, const dpr_array *like)
{
	return w->space ? node_is_result(w->node[k]->header, w->space,
					 w->narrow_node >> k & 1)
			: array_same_shape(w->node[k]->header, like);
}

void weave_more(struct weave *w, const dpr_array *like,
		struct fusion_node **results)
{
	for (int k = 0; k < w->n_nodes; k++) {
		/* An index() needs no memory, so its values are not stored. */
		bool known = w->node[k]->kind == FUSION_INDEX;

		for (int i = 0; i < w->graph.n_results; i++)
			known |= results[i] == w->node[k];
		if (known || !weave_is_wanted(w, k) ||
		    !can_result(w, k, like) ||
		    !graph_result(&w->graph, w->step[k]))
			continue;
		results[w->graph.n_results - 1] = w->node[k];
	}
}

/* Add a node that has the shape of a result.  Returns its step, or -1. */
static int weave_root(struct weave *w, struct fusion_node *node)
{
	const bool narrow = w->space && node->is_narrow;

	return !w->space || node_is_result(node->header, w->space, narrow)
		       ? weave_node(w, node, narrow)
		       : -1;
}

bool weave_add(struct weave *w, struct fusion_node *node)
{
	return weave_root(w, node) >= 0;
}

static bool weave_in(struct weave *w, const struct fusion_node *space,
		     struct fusion_node *const *nodes, size_t n)
{
	/* The large arrays of *w are not cleared: their elements are written
	   before they are read. */
	mem_zero(&w->graph, offsetof(struct graph, step));
	memset(w->result, 0, sizeof(w->result));
	w->n_nodes = 0;
	w->status = DPR_OK;
	w->space = space;
	w->blocked = NULL;
	w->narrow_input = 0;
	w->narrow_node = 0;
	for (size_t i = 0; i < n; i++) {
		const int step = weave_root(w, nodes[i]);

		/* The use of nodes[i] that weave_node() has just counted is the
		   reference of the caller. */
		if (step < 0 || !graph_result(&w->graph, step))
			return false;
	}
	return true;
}

bool weave_plain(struct weave *w, struct fusion_node *const *nodes, size_t n)
{
	return weave_in(w, NULL, nodes, n);
}

bool weave_all(struct weave *w, struct fusion_node *const *nodes, size_t n)
{
	struct fusion_node *space;

	if (weave_plain(w, nodes, n))
		return true;
	space = w->blocked;
	if (w->status || !space || weave_in(w, space, nodes, n))
		return !w->status && space;
	w->blocked = space;
	return false;
}
