/* SPDX-License-Identifier: Apache-2.0 */
/* fusion.c - computes several calls in one kernel. */
#include "core/array/expression/fusion.h"

#include <stddef.h>
#include <string.h>

#include <dpr/queue.h>

#include "core/array/data/copy.h"
#include "core/array/engine/engine.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce/reduce_launch.h"
#include "core/array/engine/transposed.h"
#include "core/array/expression/reduce_nodes.h"
#include "core/array/functions/elementwise.h"
#include "core/array/functions/reduce.h"
#include "core/array/functions/where.h"
#include "core/array/indexing/gather.h"
#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/log.h"

/* --- Computing -------------------------------------------------------------
 */

static dpr_status run_alone(struct fusion *fusion, struct fusion_node *node,
			    dpr_array *into);

/* Get operand @i of @node in the form that the node's function takes.  The
   operand of an operation is cast to node->compute.  A cheaper operation may
   have replaced the operation of the call, and the function of the cheaper
   operation might compute uncast operands in another dtype.  The caller
   releases *@cast, which is the cast array or NULL. */
static dpr_status take_operand(struct fusion *fusion, struct fusion_node *node,
			       int i, dpr_operand *out, dpr_array **cast)
{
	const struct fusion_operand *x = &node->operand[i];
	dpr_status status;

	*out = x->value;
	if (x->node && !x->node->made) {
		status = run_alone(fusion, x->node, NULL);
		if (status)
			return status;
	}
	if (x->node)
		*out = dpr_operand_array(x->node->made);
	if (out->kind != DPR_OPERAND_ARRAY || node->kind != FUSION_OPERATION ||
	    node->is_mixed || out->as.array->dtype == node->compute)
		return DPR_OK;
	*fusion->fault = node->place;
	status = cast_new(node_name(node), out->as.array, node->compute,
			  out->as.array->kind, cast);
	if (!status)
		*out = dpr_operand_array(*cast);
	return status;
}

/* Compute the operands of a node, then call the function of the node.  The
   recursion is not deep, since a graph has room for few nodes. */
static dpr_status run_alone(struct fusion *fusion, struct fusion_node *node,
			    dpr_array *into)
{
	dpr_operand operands[FUSION_OPERANDS] = { 0 };
	dpr_array *cast[FUSION_OPERANDS] = { NULL };
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < node->n; i++)
		status = take_operand(fusion, node, i, &operands[i], &cast[i]);
	if (!status) {
		*fusion->fault = node->place;
		status = node->kind == FUSION_REDUCTION
				 ? reduce_nodes_call(node,
						     operands[0].as.array,
						     &node->made)
				 : node_call(node, operands, into);
	}
	for (int i = 0; i < FUSION_OPERANDS; i++)
		dpr_array_release(cast[i]);
	if (status)
		return status;
	if (into)
		node->made = dpr_array_retain(into);
	node->kernel = 0;
	node_end(node);
	return DPR_OK;
}

/* Launch the graph, and give its nodes their results. */
static dpr_status run_weave(struct fusion *fusion, struct weave *w,
			    struct fusion_node **results, dpr_array *into)
{
	const int n = w->graph.n_results;
	struct engine_call call = {
		.what = node_name(results[0]),
		.graph = &w->graph,
		.results = w->result,
		.inputs = w->input,
		.scalars = w->scalar,
	};
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < n; i++) {
		if (i == 0 && into)
			w->result[i] = dpr_array_retain(into);
		else
			status = node_new_result(results[i], &w->result[i]);
	}
	if (!status)
		status = engine_run(&call);
	fusion->kernels += !status;
	if (!status)
		weave_note_kernel(w, fusion->kernels);
	node_take_results(results, w->result, n, status ? 0 : fusion->kernels);
	return status;
}

/* Whether the calls can be run one by one after a kernel of all calls failed
   with @status. */
static bool is_refusal(dpr_status status)
{
	return status == DPR_ERROR_UNSUPPORTED || status == DPR_ERROR_BUILD;
}

/* Whether the graph is a single call without a cast before it.  Casts of indices
   belong to the call. */
static bool is_one_call(const struct weave *w)
{
	if (w->n_nodes == 1 && (w->node[0]->kind == FUSION_CAST ||
				w->node[0]->kind == FUSION_GATHER))
		return true;
	for (int i = 0; i < w->graph.n_steps; i++)
		if (w->graph.step[i].kind == GRAPH_CAST)
			return false;
	return w->n_nodes == 1;
}

/* Compute @n nodes.  weave_plain() or weave_all() has made the graph @w of
   these nodes. */
static dpr_status make_together(struct fusion *fusion, struct weave *w,
				struct fusion_node *const *nodes, size_t n,
				dpr_array *into)
{
	struct fusion_node *results[GRAPH_RESULTS];
	dpr_status status;

	/* A single call is fastest through its own function. */
	if (is_one_call(w))
		return run_alone(fusion, nodes[0], into);
	memcpy(results, nodes, n * sizeof(results[0]));
	if (!into)
		weave_more(w, nodes[0]->header, results);
	*fusion->fault = nodes[0]->place;
	status = run_weave(fusion, w, results, into);
	if (!is_refusal(status))
		return status;
	log_post(DPR_LOG_INFO,
		 "expression: one call after the other instead of one kernel: "
		 "%s",
		 dpr_last_error());
	status = DPR_OK;
	for (size_t i = 0; !status && i < n; i++)
		if (!nodes[i]->made)
			status = run_alone(fusion, nodes[i], into);
	return status;
}

/* Whether computing @node needs a reduction that is still deferred.  Reductions
   that were deferred when the node was made may be computed by now. */
static bool is_reducing(struct fusion_node *node)
{
	return node->reduces && reduce_nodes_first(node);
}

/* Compute the operands of @node that must not be in the node's kernel.  Pass
   @all = true to compute every operand. */
static dpr_status make_operands(struct fusion *fusion, struct fusion_node *node,
				bool all)
{
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < node->n; i++) {
		struct fusion_node *x = node->operand[i].node;

		/* An operand that needs a reduction may stay in the kernel,
		   which computes its value once for each row. */
		if (x && !x->made &&
		    (all || (x->header->size < node->header->size &&
			     !is_reducing(x) && node_is_dear(x))))
			status = fusion_make(fusion, &x, 1, NULL);
	}
	return status;
}

/* Compute a node in a kernel of its own.  The node fitted into a kernel when it
   was created.  An operand that has been computed since then is now one more
   input, for which the kernel may have no room. */
static dpr_status make_alone(struct fusion *fusion, struct fusion_node *node,
			     dpr_array *into)
{
	struct weave weave;
	dpr_status status;

	if (!weave_plain(&weave, &node, 1)) {
		status = weave.status ? weave.status
				      : make_operands(fusion, node, true);
		if (status)
			return status;
		if (!weave_plain(&weave, &node, 1))
			return weave.status ? weave.status
					    : run_alone(fusion, node, into);
	}
	return make_together(fusion, &weave, &node, 1, into);
}

/* First compute the expensive operands that are smaller than the kernel's
   shape.  The kernel would compute them again for each element of the larger
   shape. */
static dpr_status make_small(struct fusion *fusion, const struct weave *w)
{
	struct fusion_node *nodes[GRAPH_STEPS];
	const int n = w->n_nodes;
	dpr_status status = DPR_OK;

	/* node_watch() takes a reference, so the nodes live until their
	   operands are computed. */
	for (int k = 0; k < n; k++)
		nodes[k] = node_watch(w->node[k]);
	for (int k = 0; !status && k < n; k++)
		if (!nodes[k]->made)
			status = make_operands(fusion, nodes[k], false);
	for (int k = 0; k < n; k++)
		node_unwatch(nodes[k]);
	return status;
}

/* Compute the reduction @node: if possible in the kernel that computes its
   operand, otherwise after the operand. */
static dpr_status run_reduction(struct fusion *fusion, struct fusion_node *node)
{
	const struct fusion_operand *operand = &node->operand[0];
	struct fusion_node *x = node_pending(operand);
	int list[DPR_MAX_RANK];
	const dpr_axes axes = reduce_nodes_axes(node, list);
	dpr_status status = DPR_OK;

	*fusion->fault = node->place;
	if (x &&
	    fusion_reduce(fusion, x, false, (enum reduction)node->op, &axes,
			  node->reduction.as, &node->made, &status)) {
		node->kernel = fusion->kernels;
	} else {
		if (x)
			status = fusion_make(fusion, &x, 1, NULL);
		*fusion->fault = node->place;
		if (!status)
			status = reduce_nodes_call(
				node,
				operand->node ? operand->node->made
					      : operand->value.as.array,
				&node->made);
	}
	if (!status)
		node_end(node);
	return status;
}

/* Compute @n nodes, each in its own kernel. */
static dpr_status make_each(struct fusion *fusion,
			    struct fusion_node *const *nodes, size_t n)
{
	dpr_status status = DPR_OK;

	for (size_t i = 0; !status && i < n; i++) {
		struct fusion_node *node = nodes[i];

		status = fusion_make(fusion, &node, 1, NULL);
	}
	return status;
}

/* Compute @n nodes whose graph, made by weave_all(), has reductions.  If no
   kernel can compute the whole graph, compute each node in its own kernel.  For
   a single node, compute one of its reductions instead: fusion_make() then
   tries again, because the rest may fit. */
static dpr_status make_reducing(struct fusion *fusion, struct weave *w,
				struct fusion_node *const *nodes, size_t n,
				dpr_array *into)
{
	dpr_status status = DPR_ERROR_UNSUPPORTED;

	if (!reduce_nodes_is_single(nodes, n)) {
		*fusion->fault = nodes[0]->place;
		status = reduce_nodes_together(w, nodes, n, into,
					       &fusion->kernels);
	}
	if (!is_refusal(status))
		return status;
	/* One kernel for each node may be possible. */
	if (n > 1)
		return make_each(fusion, nodes, n);
	return run_reduction(fusion, reduce_nodes_first(nodes[0]));
}

dpr_status fusion_make(struct fusion *fusion, struct fusion_node *const *nodes,
		       size_t n, dpr_array *into)
{
	struct fusion_node *left[GRAPH_RESULTS];
	struct weave weave;
	dpr_status status = DPR_OK;
	size_t n_left;
	bool again = false;

	while (!status) {
		n_left = 0;
		for (size_t i = 0; i < n; i++)
			if (!nodes[i]->made)
				left[n_left++] = nodes[i];
		if (!n_left)
			return DPR_OK;
		if (!weave_all(&weave, left, n_left)) {
			status = weave.status;
			if (!status && !weave.blocked)
				break;
			if (!status && n_left > 1)
				return make_each(fusion, left, n_left);
			if (!status)
				status = run_reduction(
					fusion,
					reduce_nodes_first(weave.blocked));
			again = true;
		} else if (weave.space) {
			status = make_reducing(fusion, &weave, left, n_left,
					       into);
			again = true;
		} else if (again) {
			status = make_small(fusion, &weave);
			again = false;
		} else {
			return make_together(fusion, &weave, left, n_left,
					     into);
		}
	}
	/* The nodes are too many for one kernel. */
	for (size_t i = 0; !status && i < n_left; i++)
		if (!left[i]->made)
			status = make_alone(fusion, left[i], into);
	return status;
}

/* Whether one kernel should compute and reduce the graph.  Values that another
   step needs, too, must be cheap to compute again, and the inputs must be fast
   to read.  The caller passes @again = true if another step needs the graph's
   result. */
static bool is_worth_reducing(const struct weave *w, bool again)
{
	for (int k = 0; k < w->n_nodes; k++)
		if ((weave_is_wanted(w, k) || (again && k == 0)) &&
		    node_is_dear(w->node[k]))
			return false;
	if (graph_gathers(&w->graph))
		return false;
	for (int k = 0; k < w->graph.n_inputs; k++)
		if (!transposed_reads_well(w->input[k]))
			return false;
	/* If the only step reads an input, the node is a copy in C order.  The
	   kernel would add in the order of the input instead, which can give
	   other bits. */
	return w->graph.n_steps > 1 || w->graph.step[0].kind == GRAPH_INDEX;
}

bool fusion_reduce(struct fusion *fusion, struct fusion_node *node, bool again,
		   enum reduction reduction, const dpr_axes *axes, dpr_dtype as,
		   dpr_array **out, dpr_status *status)
{
	struct reduce_source source;
	struct weave weave;

	if (node->made ||
	    !reduce_launch_computes(dpr_queue_device(node->header->queue)) ||
	    !weave_plain(&weave, &node, 1) || !is_worth_reducing(&weave, again))
		return false;
	source = (struct reduce_source){ .graph = &weave.graph,
					 .inputs = weave.input,
					 .scalars = weave.scalar,
					 .like = node->header };
	*status = reduce_source(reduction, &source, axes, as, out);
	fusion->kernels += !*status;
	if (!*status)
		weave_note_kernel(&weave, fusion->kernels);
	return !is_refusal(*status);
}

/* Whether a kernel may write @into, the value of @node, while it reads input @k
   in the same memory.  Only the work-item that writes an element may read that
   element. */
static bool is_read_where_written(const struct weave *w, int k,
				  const struct fusion_node *node,
				  const dpr_array *into)
{
	const bool narrow = w->narrow_input >> k & 1;

	return w->input_step[k] >= 0 && array_same_layout(w->input[k], into) &&
	       (!w->space || narrow == weave_is_narrow(w, node));
}

bool fusion_can_write(const struct fusion_node *node, const dpr_array *into)
{
	struct fusion_node *nodes[] = { (struct fusion_node *)node };
	struct weave weave;

	if (node->made || node->kind == FUSION_REDUCTION ||
	    !weave_all(&weave, nodes, 1))
		return false;
	for (int k = 0; k < weave.graph.n_inputs; k++)
		if (array_may_overlap(weave.input[k], into) &&
		    !is_read_where_written(&weave, k, node, into))
			return false;
	return true;
}

/* --- Deferring ----------------------------------------------------------- */

/* Find the dtype, shape and queue of the result of @call.  @x: the operands,
   which may be replaced. */
static dpr_status foresee(const struct fusion_call *call, dpr_operand *x,
			  struct elementwise_outcome *out)
{
	switch (call->kind) {
	case FUSION_NONE: break;
	case FUSION_OPERATION: return elementwise_foresee(call->op, x, out);
	case FUSION_WHERE: return where_foresee(x[0].as.array, x + 1, out);
	case FUSION_CAST:
	case FUSION_BITS:
		out->compute = out->result = call->dtype;
		out->queue = x[0].as.array->queue;
		out->kind = x[0].as.array->kind;
		out->rank = x[0].as.array->rank;
		for (int d = 0; d < out->rank; d++)
			out->shape[d] = array_shape(x[0].as.array)[d];
		return call->kind == FUSION_BITS
			       ? DPR_OK
			       : copy_check_astype(x[0].as.array, call->dtype);
	case FUSION_INDEX:
	case FUSION_REDUCTION:
	case FUSION_GATHER: break;
	}
	return DPR_ERROR_UNSUPPORTED;
}

static int count_operands(enum fusion_kind kind, int op)
{
	return kind == FUSION_OPERATION ? operations_table[op].n
	       : kind == FUSION_WHERE   ? 3
					: 1;
}

/* Whether the value of operand @x is @value, the header of a node. */
static bool is_node(const struct fusion_operand *x, dpr_operand value)
{
	return x->node && value.kind == DPR_OPERAND_ARRAY &&
	       value.as.array == x->value.as.array;
}

/* Give @node the operands @values.  Usually these are the operands @given.  If
   only one of @given is an array, @values may be in another order, or fewer.
   An operand takes the node of @given that has its value as header.  Nodes may
   share a header, so the operand of @given in the same place is tried first. */
static void set_operands(struct fusion_node *node, const dpr_operand *values,
			 int n, const struct fusion_operand *given, int n_given)
{
	struct fusion_operand taken[FUSION_OPERANDS];

	for (int i = 0; i < n; i++) {
		taken[i] = (struct fusion_operand){ NULL, values[i] };
		if (is_node(&given[i], values[i]))
			taken[i].node = given[i].node;
		for (int k = 0; !taken[i].node && k < n_given; k++)
			if (is_node(&given[k], values[i]))
				taken[i].node = given[k].node;
	}
	node_take_operands(node, n, taken);
}

/* Find the header of an operand that also describes the result @o.  Returns
   NULL if there is none.  The header of an index() node cannot be used, because
   its strides give the values. */
static dpr_array *find_header(const struct elementwise_outcome *o,
			      const struct fusion_operand *operands, int n)
{
	for (int i = 0; i < n; i++) {
		const struct fusion_node *x = operands[i].node;

		if (x && x->kind != FUSION_INDEX &&
		    x->header->dtype == o->result &&
		    x->header->queue == o->queue &&
		    x->header->kind == o->kind && x->header->rank == o->rank &&
		    !memcmp(array_shape(x->header), o->shape,
			    sizeof(o->shape[0]) * (size_t)o->rank))
			return x->header;
	}
	return NULL;
}

static dpr_status new_node(const struct fusion_call *call,
			   const struct fusion_operand *operands,
			   struct fusion_node **out)
{
	const int n = count_operands(call->kind, call->op);
	dpr_operand values[FUSION_OPERANDS];
	struct elementwise_outcome outcome;
	struct fusion_node *node;
	dpr_status status;

	memset(&outcome, 0, offsetof(struct elementwise_outcome, shape));
	for (int i = 0; i < n; i++)
		values[i] = operands[i].value;
	status = foresee(call, values, &outcome);
	if (status)
		return status;
	status = node_begin(call->kind, call->place, &node);
	if (status)
		return status;
	node->op = outcome.op;
	node->is_root = outcome.is_root;
	node->is_mixed = outcome.is_mixed;
	node->compute = outcome.compute;
	set_operands(node, values, outcome.n ? outcome.n : n, operands, n);
	node->header = dpr_array_retain(find_header(&outcome, operands, n));
	if (!node->header)
		status = array_make(outcome.result, outcome.rank, outcome.shape,
				    NULL, 0, NULL, outcome.queue, outcome.kind,
				    &node->header);
	return node_finish(status, node, out);
}

/* Whether a graph surely has room for the node and all nodes that it needs,
   even if these nodes have no steps in common. */
static bool is_small(const struct fusion_node *node)
{
	return node->leaves <= GRAPH_INPUTS && node->leaves <= GRAPH_SCALARS &&
	       node->steps + node->leaves <= GRAPH_STEPS;
}

/* The operand with the most steps among those that are not computed yet. */
static struct fusion_node *find_largest(const struct fusion_node *node)
{
	struct fusion_node *largest = NULL;

	for (int i = 0; i < node->n; i++) {
		struct fusion_node *x = node_pending(&node->operand[i]);

		if (x && (!largest || x->steps > largest->steps))
			largest = x;
	}
	return largest;
}

/* Whether all nodes of the graph @w still need to be computed, and are needed
   themselves.  So their operands live, too. */
static bool is_pending(const struct weave *w)
{
	for (int k = 0; k < w->n_nodes; k++)
		if (w->node[k]->made || w->node[k]->was_made ||
		    w->node[k]->refs == w->node[k]->watchers)
			return false;
	return w->n_nodes > 0;
}

void fusion_end(struct fusion *fusion)
{
	struct weave *w = fusion->fit;

	for (int k = 0; k < w->n_nodes; k++)
		node_unwatch(w->node[k]);
	w->n_nodes = 0;
}

/*
 * Whether a graph has room for @node and all nodes that it needs.  Each node of
 * an expression is tried when it is made.  So the graph of the nodes before is
 * kept, and usually needs only a few more steps.  This graph may have nodes
 * that @node does not need.  Where it has no room, a new graph is begun.
 */
static bool fits(struct fusion *fusion, struct fusion_node *node,
		 dpr_status *status)
{
	struct weave *w = fusion->fit;
	int n = w->n_nodes;
	bool fit = is_pending(w) && weave_add(w, node);

	if (!fit) {
		w->n_nodes = n;
		fusion_end(fusion);
		n = 0;
		fit = weave_all(w, &node, 1);
		*status = fit ? DPR_OK : w->status;
		if (!fit)
			w->n_nodes = 0;
	}
	for (int k = n; k < w->n_nodes; k++)
		node_watch(w->node[k]);
	return fit;
}

/* Compute the operands of a new node that cannot be in the node's kernel.  If a
   graph has no room, the largest operand is computed first, so that the rest
   may fit. */
static dpr_status fit_node(struct fusion *fusion, struct fusion_node *node)
{
	struct fusion_node *largest;
	dpr_status status;

	for (int i = 0; i < node->n; i++) {
		const struct fusion_node *x = node->operand[i].node;

		node->reduces |= x && x->reduces;
		node->is_narrow |=
			x && x->is_narrow && node->kind != FUSION_REDUCTION;
	}
	status = make_operands(fusion, node, false);
	while (!status && (node->reduces || !is_small(node)) &&
	       (largest = find_largest(node))) {
		*fusion->fault = node->place;
		if (fits(fusion, node, &status))
			break;
		if (!status && node->reduces)
			status = make_operands(fusion, node, true);
		else if (!status)
			status = fusion_make(fusion, &largest, 1, NULL);
		node_count(node);
	}
	if (!status)
		*fusion->fault = node->place;
	return status;
}

dpr_status fusion_add(struct fusion *fusion, const struct fusion_call *call,
		      const struct fusion_operand *operands,
		      struct fusion_node **out)
{
	struct fusion_node *node;
	dpr_status status = new_node(call, operands, &node);

	if (status)
		return status;
	status = fit_node(fusion, node);
	if (status) {
		node_release(node);
		return status;
	}
	*out = node;
	return DPR_OK;
}

dpr_status fusion_index(struct place place, const struct layout *index,
			dpr_queue *queue, dpr_usm_kind kind,
			struct fusion_node **out)
{
	struct fusion_node *node;
	dpr_status status = node_begin(FUSION_INDEX, place, &node);

	if (status)
		return status;
	node->steps = node->leaves = 1;
	status = array_make(DPR_INT64, index->rank, index->dim, index->stride,
			    index->offset, NULL, queue, kind, &node->header);
	return node_finish(status, node, out);
}

dpr_status fusion_gather(struct fusion *fusion, struct place place,
			 const dpr_array *x, struct indexing *indexing,
			 const struct fusion_operand *operands,
			 struct fusion_node **out)
{
	const struct layout *shape = &indexing->place;
	struct fusion_node *node;
	dpr_status status = node_begin(FUSION_GATHER, place, &node);

	if (status)
		return status;
	node_take_operands(node, indexing->n, operands);
	status = array_make(x->dtype, shape->rank, shape->dim, NULL, 0, NULL,
			    x->queue, gather_kind(indexing, x), &node->header);
	if (!status)
		status = indexing_source_new(x, indexing, &node->source);
	if (!status)
		status = fit_node(fusion, node);
	return node_finish(status, node, out);
}

/* --- Deferring reductions ------------------------------------------------ */

/* Whether a reduction drops its reduced axes, and a kept axis comes before a
   reduced axis.  Broadcasting the result to the shape of the operand then puts
   the kept axes in other places. */
static bool moves_axes(const struct reduce_outcome *outcome, int rank,
		       bool keep)
{
	bool kept = false, moves = false;

	for (int d = 0; d < rank && !keep; d++) {
		kept |= !outcome->reduced[d];
		moves |= kept && outcome->reduced[d];
	}
	return moves;
}

bool fusion_reduce_later(struct fusion *fusion,
			 const struct fusion_reduce_call *call,
			 const struct fusion_operand *operand,
			 struct fusion_node **out, dpr_status *status)
{
	const dpr_array *x = operand->value.as.array;
	struct reduce_outcome outcome;
	struct fusion_node *node;

	if (!fusion->format || x->size == 0 || x->rank == 0 ||
	    !reduce_launch_computes(dpr_queue_device(x->queue)) ||
	    reduce_foresee(call->reduction, x, call->axes, call->as, &outcome))
		return false;
	*status = node_begin(FUSION_REDUCTION, call->place, &node);
	if (*status)
		return true;
	node->op = (int)call->reduction;
	node->reduction.as = call->as;
	node->reduction.cast = outcome.cast;
	node->reduction.sum = outcome.sum;
	node->reduction.keep = call->axes && call->axes->keepdims;
	memcpy(node->reduction.reduced, outcome.reduced,
	       sizeof(outcome.reduced));
	node->is_narrow = moves_axes(&outcome, x->rank, node->reduction.keep);
	node->reduces = true;
	node_take_operands(node, 1, operand);
	*status = array_make(outcome.dtype, outcome.rank, outcome.shape, NULL,
			     0, NULL, x->queue, x->kind, &node->header);
	if (!*status)
		*status = fit_node(fusion, node);
	*status = node_finish(*status, node, out);
	return true;
}
