/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - nodes: calls that are deferred. */
#include "core/array/expression/node.h"

#include <string.h>

#include <dpr/creation.h>
#include <dpr/queue.h>

#include "core/array/engine/compound.h"
#include "core/array/engine/graph.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce_table.h"
#include "core/array/functions/elementwise.h"
#include "core/array/indexing/gather.h"
#include "core/array/launch/iota.h"
#include "core/array/object/array.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* A value counts as cheap if it takes at most about this number of steps, none
   of them a long function.  Cheap values may be computed again instead of being
   stored. */
#define CHEAP_STEPS 4

/* --- Nodes -----------------------------------------------------------------
 */

const char *node_name(const struct fusion_node *node)
{
	switch (node->kind) {
	case FUSION_NONE: break;
	case FUSION_OPERATION: return operations_table[node->op].name;
	case FUSION_WHERE: return "where";
	case FUSION_CAST: return "astype";
	case FUSION_BITS: return "bits";
	case FUSION_INDEX: return "index";
	case FUSION_REDUCTION: return reduce_table[node->op].name;
	case FUSION_GATHER: return node->source->indexing.what;
	}
	return "expression";
}

dpr_status node_begin(enum fusion_kind kind, struct place place,
		      struct fusion_node **out)
{
	struct fusion_node *node = mem_alloc(sizeof(*node));

	*out = node;
	if (!node)
		return fail_memory("expression");
	node->refs = 1;
	node->kind = kind;
	node->place = place;
	return DPR_OK;
}

dpr_status node_finish(dpr_status status, struct fusion_node *node,
		       struct fusion_node **out)
{
	if (status)
		node_release(node);
	else
		*out = node;
	return status;
}

struct fusion_node *node_retain(struct fusion_node *node)
{
	node->refs++;
	return node;
}

struct fusion_node *node_watch(struct fusion_node *node)
{
	node->watchers++;
	return node_retain(node);
}

static void drop_operands(struct fusion_node *node)
{
	for (int i = 0; i < node->n; i++) {
		node_release(node->operand[i].node);
		if (node->operand[i].value.kind == DPR_OPERAND_ARRAY)
			dpr_array_release(
				(dpr_array *)(uintptr_t)node->operand[i]
					.value.as.array);
	}
	node->n = 0;
	/* The result needs the elements no more, but the name of the call. */
	if (node->source)
		indexing_source_drop(node->source);
}

void node_release(struct fusion_node *node)
{
	if (!node)
		return;
	node->refs--;
	if (node->refs > node->watchers)
		return;
	/* Watchers need neither the operands nor the result. */
	drop_operands(node);
	dpr_array_release(node->made);
	node->made = NULL;
	if (node->refs)
		return;
	dpr_array_release(node->header);
	indexing_source_free(node->source);
	mem_free(node);
}

void node_unwatch(struct fusion_node *node)
{
	if (node)
		node->watchers--;
	node_release(node);
}

bool node_is_power(const struct fusion_node *node)
{
	return node->kind == FUSION_OPERATION && node->op == OPERATION__pow &&
	       node->n == 1;
}

void node_count(struct fusion_node *node)
{
	/* Each operand may need a cast. */
	node->steps = 1 + (size_t)node->n;
	if (node_is_power(node)) /* graph_power() makes these steps */
		node->steps += node->is_root ? 4 : 1;
	/* graph_compare() has 5 steps, one of which is a cast */
	if (node->is_mixed)
		node->steps += 2;
	/* The value may need a cast. */
	if (node->kind == FUSION_OPERATION &&
	    operations_table[node->op].result == OPERATIONS_FIRST)
		node->steps++;
	node->leaves = 0;
	if (node->kind == FUSION_OPERATION && compound_is((unsigned)node->op)) {
		node->steps += (size_t)compound_steps((unsigned)node->op) - 1;
		node->leaves = COMPOUND_NUMBERS;
	}
	if (node->kind == FUSION_GATHER) {
		node->steps += INDEXING_STEPS;
		node->leaves = 2 + INDEXING_NUMBERS;
	}
	for (int i = 0; i < node->n; i++) {
		const struct fusion_node *x = node_pending(&node->operand[i]);

		/* Several operands may need the same node, which this sum then
		   counts several times.  So the sum may be far too high, but
		   must not overflow. */
		if (x && node->steps < GRAPH_STEPS)
			node->steps += x->steps;
		if (!x)
			node->leaves++;
		else if (node->leaves < GRAPH_STEPS)
			node->leaves += x->leaves;
	}
}

bool node_is_dear(const struct fusion_node *node)
{
	if (node->steps > 3 * CHEAP_STEPS || node->kind == FUSION_GATHER ||
	    (node->kind == FUSION_OPERATION && !node_is_power(node) &&
	     operations_table[node->op].family == OPERATIONS_MATH))
		return true;
	for (int i = 0; i < node->n; i++) {
		const struct fusion_node *x = node_pending(&node->operand[i]);

		if (x && node_is_dear(x))
			return true;
	}
	return false;
}

/* If the node of an operand is computed already, the operand becomes the node's
   array. */
void node_take_operands(struct fusion_node *node, int n,
			const struct fusion_operand *operands)
{
	node->n = n;
	for (int i = 0; i < n; i++) {
		struct fusion_operand *to = &node->operand[i];

		*to = operands[i];
		if (to->node && to->node->made) {
			to->value = dpr_operand_array(to->node->made);
			to->node = NULL;
		}
		if (to->node)
			node_retain(to->node);
		if (to->value.kind == DPR_OPERAND_ARRAY)
			dpr_array_retain(
				(dpr_array *)(uintptr_t)to->value.as.array);
	}
	node_count(node);
}

/* --- Results ---------------------------------------------------------------
 */

void node_end(struct fusion_node *node)
{
	node->was_made = true;
	drop_operands(node);
}

dpr_status node_new_result(const struct fusion_node *node, dpr_array **out)
{
	const dpr_array *x = node->header;

	return array_new(node_name(node), x->dtype, x->rank, array_shape(x),
			 x->queue, x->kind, out);
}

/* Write the values of an index() node to @into, or to a new array. */
static dpr_status run_index(struct fusion_node *node, dpr_array *into)
{
	dpr_array *made = NULL;
	dpr_status status = DPR_OK;

	if (!into)
		status = node_new_result(node, &made);
	if (!status)
		status = iota_index("index", node->header, into ? into : made);
	if (!into)
		status = array_finish(status, made, &node->made);
	return status;
}

/* The bits of the array @x, a view of it or a copy in @into. */
static dpr_status run_bits(struct fusion_node *node, const dpr_array *x,
			   dpr_array *into)
{
	dpr_array *view = NULL;
	dpr_status status = array_bits(x, node->header->dtype, &view);

	if (status || !into) {
		node->made = view;
		return status;
	}
	status = dpr_copy_into(into, view);
	dpr_array_release(view);
	return status;
}

/* Write the elements of a GATHER node to @into, or to a new array.  @x: the
   index arrays. */
static dpr_status run_gather(struct fusion_node *node, const dpr_operand *x,
			     dpr_array *into)
{
	const dpr_array *arrays[FUSION_OPERANDS];
	dpr_array *made = NULL;
	dpr_status status = DPR_OK;

	for (int i = 0; i < node->n; i++)
		arrays[i] = x[i].as.array;
	if (!into)
		status = node_new_result(node, &made);
	if (!status)
		status = indexing_source_read(node->source, arrays,
					      into ? into : made);
	if (!into)
		status = array_finish(status, made, &node->made);
	return status;
}

dpr_status node_call(struct fusion_node *node, dpr_operand *x, dpr_array *into)
{
	switch (node->kind) {
	case FUSION_NONE: break;
	case FUSION_OPERATION:
		if (node_is_power(node))
			x[1] = node->is_root ? dpr_operand_float(0.5)
					     : dpr_operand_int(3);
		return into ? elementwise_run_into(node->op, x, into)
			    : elementwise_run(node->op, x, &node->made);
	case FUSION_WHERE:
		return into ? (dpr_where_into)(x[0].as.array, x[1], x[2], into)
			    : (dpr_where)(x[0].as.array, x[1], x[2],
					  &node->made);
	case FUSION_CAST:
		return into ? (dpr_copy_into)(into, x[0])
			    : dpr_astype(x[0].as.array, node->header->dtype,
					 &node->made);
	case FUSION_BITS: return run_bits(node, x[0].as.array, into);
	case FUSION_INDEX: return run_index(node, into);
	case FUSION_GATHER: return run_gather(node, x, into);
	case FUSION_REDUCTION: break;
	}
	return DPR_ERROR_UNSUPPORTED;
}

void node_take_results(struct fusion_node *const *nodes, dpr_array **arrays,
		       int n, size_t kernel)
{
	for (int i = 0; i < n; i++) {
		if (!kernel) {
			dpr_array_release(arrays[i]);
			continue;
		}
		nodes[i]->made = arrays[i];
		nodes[i]->kernel = kernel;
	}
	for (int i = 0; kernel && i < n; i++)
		node_end(nodes[i]);
}

/* --- Rows ------------------------------------------------------------------
 */

const dpr_array *node_reduced(const struct fusion_node *node)
{
	return node->operand[0].value.as.array;
}

bool node_same_rows(const struct fusion_node *a, const struct fusion_node *b)
{
	return array_same_shape(node_reduced(a), node_reduced(b)) &&
	       !memcmp(a->reduction.reduced, b->reduction.reduced,
		       sizeof(a->reduction.reduced));
}

/* The extent of @x along axis @d, after broadcasting @x to @rank axes. */
static int64_t extent_of(const dpr_array *x, int rank, int d)
{
	const int at = d - (rank - x->rank);

	return at < 0 ? 1 : array_shape(x)[at];
}

/* Get the shape that the reduction @space reduces, and mark the reduced axes.
   Pass @narrow = true to leave the reduced axes out.  Returns the rank. */
static int take_shape(const struct fusion_node *space, bool narrow,
		      int64_t dim[DPR_MAX_RANK], bool reduced[DPR_MAX_RANK])
{
	const dpr_array *x = node_reduced(space);
	int rank = 0;

	for (int d = 0; d < x->rank; d++) {
		if (narrow && space->reduction.reduced[d])
			continue;
		reduced[rank] = space->reduction.reduced[d];
		dim[rank++] = array_shape(x)[d];
	}
	return rank;
}

bool node_fits(const dpr_array *x, const struct fusion_node *space, bool narrow)
{
	int64_t dim[DPR_MAX_RANK];
	bool reduced[DPR_MAX_RANK];
	const int rank = take_shape(space, narrow, dim, reduced);
	bool fits = x->rank <= rank;

	for (int d = 0; fits && d < rank; d++)
		fits = extent_of(x, rank, d) == 1 ||
		       extent_of(x, rank, d) == dim[d];
	return fits;
}

bool node_is_result(const dpr_array *x, const struct fusion_node *space,
		    bool narrow)
{
	int64_t dim[DPR_MAX_RANK];
	bool reduced[DPR_MAX_RANK], whole = true, one = true, fits;
	const int rank = take_shape(space, narrow, dim, reduced);

	fits = x->rank <= rank;
	for (int d = 0; fits && d < rank; d++) {
		const int64_t extent = extent_of(x, rank, d);

		if (reduced[d]) {
			whole &= extent == dim[d];
			one &= extent == 1;
		} else {
			fits = extent == dim[d];
		}
	}
	return fits && (whole || one);
}
