/* SPDX-License-Identifier: Apache-2.0 */
/* fusion.c - computing several elementwise calls in one kernel. */
#include "core/array/expression/fusion.h"

#include <string.h>

#include <dpr/creation.h>
#include <dpr/queue.h>

#include "core/array/data/copy.h"
#include "core/array/element/scalar.h"
#include "core/array/engine/engine.h"
#include "core/array/engine/operations.h"
#include "core/array/functions/elementwise.h"
#include "core/array/functions/reduce.h"
#include "core/array/functions/where.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/panels.h"
#include "core/array/object/array.h"
#include "core/base/log.h"
#include "core/base/mem.h"

/* A result that is broadcast to a larger shape is computed anew for each
   element there, if that takes no more steps than this and none of them is a
   long function. */
#define CHEAP_STEPS 4

/* Nodes of which a graph is sure to have room for all steps and operands. */
#define SURE_STEPS 8

/* --- Nodes -----------------------------------------------------------------
 */

static const char *name_of(const struct fusion_node *node)
{
	switch (node->kind) {
	case FUSION_NONE: break;
	case FUSION_OPERATION: return operations_table[node->op].name;
	case FUSION_WHERE: return "where";
	case FUSION_CAST: return "astype";
	}
	return "expression";
}

struct fusion_node *fusion_retain(struct fusion_node *node)
{
	node->refs++;
	return node;
}

struct fusion_node *fusion_watch(struct fusion_node *node)
{
	node->watchers++;
	return fusion_retain(node);
}

static void drop_operands(struct fusion_node *node)
{
	for (int i = 0; i < node->n; i++) {
		fusion_release(node->operand[i].node);
		if (node->operand[i].value.kind == DPR_OPERAND_ARRAY)
			dpr_array_release(
				(dpr_array *)(uintptr_t)node->operand[i]
					.value.as.array);
	}
	node->n = 0;
}

void fusion_release(struct fusion_node *node)
{
	if (!node)
		return;
	node->refs--;
	if (node->refs > node->watchers)
		return;
	/* Whoever only watches needs neither the operands nor the result. */
	drop_operands(node);
	dpr_array_release(node->made);
	node->made = NULL;
	if (node->refs)
		return;
	dpr_array_release(node->header);
	mem_free(node);
}

void fusion_unwatch(struct fusion_node *node)
{
	if (node)
		node->watchers--;
	fusion_release(node);
}

/* Take references to the operands.  One that is computed is an array. */
static void take_operands(struct fusion_node *node, int n,
			  const struct fusion_operand *operands)
{
	node->n = n;
	node->steps = 1 + (size_t)n; /* casts, or inputs and scalars */
	for (int i = 0; i < n; i++) {
		struct fusion_operand *to = &node->operand[i];

		*to = operands[i];
		if (to->node && to->node->made) {
			to->value = dpr_operand_array(to->node->made);
			to->node = NULL;
		}
		if (to->node) {
			fusion_retain(to->node);
			/* A sum over a tree, which the nodes are not: it may be
			   far too high, but must not overflow. */
			if (node->steps < GRAPH_STEPS)
				node->steps += to->node->steps;
		}
		if (to->value.kind == DPR_OPERAND_ARRAY)
			dpr_array_retain(
				(dpr_array *)(uintptr_t)to->value.as.array);
	}
}

/* --- Graphs ----------------------------------------------------------------
 */

/* A graph that is made of nodes, with its operands. */
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
};

static int weave_array(struct weave *w, const dpr_array *x)
{
	int k = 0, step;

	while (k < w->graph.n_inputs && w->input[k] != x)
		k++;
	if (k < w->graph.n_inputs)
		return w->input_step[k];
	step = graph_input(&w->graph, x->dtype);
	if (step < 0)
		return -1;
	w->input[k] = x;
	w->input_step[k] = step;
	return step;
}

static int weave_scalar(struct weave *w, const struct fusion_node *node,
			dpr_operand value)
{
	struct engine_scalar made;
	int k = 0, step;

	w->status = scalar_store_computed(name_of(node), value, node->compute,
					  made.bytes);
	if (w->status)
		return -1;
	while (k < w->graph.n_scalars &&
	       (w->graph.step[w->scalar_step[k]].dtype != node->compute ||
		memcmp(&w->scalar[k], &made, sizeof(made)) != 0))
		k++;
	if (k < w->graph.n_scalars)
		return w->scalar_step[k];
	step = graph_scalar(&w->graph, node->compute);
	if (step < 0)
		return -1;
	w->scalar[k] = made;
	w->scalar_step[k] = step;
	return step;
}

static int weave_node(struct weave *w, struct fusion_node *node);

/* Whether operand @i is cast to the dtype in which @node computes. */
static bool is_cast(const struct fusion_node *node, int i)
{
	return node->kind == FUSION_OPERATION ||
	       (node->kind == FUSION_WHERE && i > 0);
}

/* Add operand @i of @node. */
static int weave_operand(struct weave *w, const struct fusion_node *node, int i)
{
	const struct fusion_operand *x = &node->operand[i];
	int step;

	if (x->node && !x->node->made)
		step = weave_node(w, x->node);
	else if (x->node)
		step = weave_array(w, x->node->made);
	else if (x->value.kind == DPR_OPERAND_ARRAY)
		step = weave_array(w, x->value.as.array);
	else
		return weave_scalar(w, node, x->value);
	if (step >= 0 && is_cast(node, i) &&
	    w->graph.step[step].dtype != node->compute)
		step = graph_cast(&w->graph, node->compute, step);
	return step;
}

/* Whether an operation only returns its operand's value. */
static bool is_identity(const struct fusion_node *node)
{
	return strchr(operations_table[node->op].identity,
		      dpr_dtype_kind(node->compute)) != NULL;
}

/* Add the step of @node itself, on the steps @x. */
static int weave_call(struct weave *w, const struct fusion_node *node,
		      const int *x)
{
	const unsigned dtype = node->header->dtype;

	switch (node->kind) {
	case FUSION_NONE: return -1;
	case FUSION_OPERATION:
		return is_identity(node)
			       ? x[0]
			       : graph_operation(&w->graph, (unsigned)node->op,
						 node->compute, dtype, node->n,
						 x);
	case FUSION_WHERE: return graph_where(&w->graph, dtype, x);
	case FUSION_CAST:
		return w->graph.step[x[0]].dtype == dtype
			       ? x[0]
			       : graph_cast(&w->graph, dtype, x[0]);
	}
	return -1;
}

/* Add @node and what it is computed from.  Returns its step, or -1.  A graph
   has room for so few nodes that the recursion is not deep. */
static int weave_node(struct weave *w, struct fusion_node *node)
{
	int x[FUSION_OPERANDS], k = 0;

	while (k < w->n_nodes && w->node[k] != node)
		k++;
	if (k < w->n_nodes) {
		w->uses[k]++;
		return w->step[k];
	}
	if (k == GRAPH_STEPS)
		return -1;
	w->node[w->n_nodes++] = node;
	w->uses[k] = 1;
	w->step[k] = 0;
	for (int i = 0; i < node->n; i++) {
		x[i] = weave_operand(w, node, i);
		if (x[i] < 0)
			return -1;
	}
	w->step[k] = weave_call(w, node, x);
	return w->step[k];
}

/* Whether a node of the graph is used by something else too. */
static bool is_wanted(const struct weave *w, int k)
{
	return w->node[k]->refs - w->node[k]->watchers > w->uses[k];
}

/* Make results of the nodes that something else will need, as far as there is
   room, so that they are not computed twice. */
static void weave_more(struct weave *w, const dpr_array *like,
		       struct fusion_node **results)
{
	for (int k = 0; k < w->n_nodes; k++) {
		bool known = false;

		for (int i = 0; i < w->graph.n_results; i++)
			known |= results[i] == w->node[k];
		if (known || !is_wanted(w, k) ||
		    !array_same_shape(w->node[k]->header, like) ||
		    !graph_result(&w->graph, w->step[k]))
			continue;
		results[w->graph.n_results - 1] = w->node[k];
	}
}

/* Weave @n nodes into a graph.  False: there is no room, or w->status. */
static bool weave_all(struct weave *w, struct fusion_node *const *nodes,
		      size_t n)
{
	mem_zero(w, sizeof(*w));
	for (size_t i = 0; i < n; i++) {
		int step = weave_node(w, nodes[i]);

		/* What uses the results is not in the graph. */
		if (step < 0 || !graph_result(&w->graph, step))
			return false;
	}
	return true;
}

/* --- Computing -------------------------------------------------------------
 */

static dpr_status run_alone(struct fusion *fusion, struct fusion_node *node,
			    dpr_array *into);

/* Get operand @i of @node as its function takes it; an operation's in the dtype
   to compute in, as it may have taken the place of another one.  @cast gets an
   array that the caller releases afterwards, or stays NULL. */
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
	    out->as.array->dtype == node->compute)
		return DPR_OK;
	*fusion->fault = node->place;
	status = cast_new(name_of(node), out->as.array, node->compute,
			  out->as.array->kind, cast);
	if (!status)
		*out = dpr_operand_array(*cast);
	return status;
}

/* Call the function of @node, into @into if that is not NULL. */
static dpr_status call_function(struct fusion_node *node, dpr_operand *x,
				dpr_array *into)
{
	switch (node->kind) {
	case FUSION_NONE: break;
	case FUSION_OPERATION:
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
	}
	return DPR_ERROR_UNSUPPORTED;
}

/* Compute a node by calling its function.  A graph has room for so few nodes
   that the recursion is not deep. */
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
		status = call_function(node, operands, into);
	}
	for (int i = 0; i < FUSION_OPERANDS; i++)
		dpr_array_release(cast[i]);
	if (status)
		return status;
	if (into)
		node->made = dpr_array_retain(into);
	node->was_made = true;
	drop_operands(node);
	return DPR_OK;
}

static dpr_status new_result(const struct fusion_node *node, dpr_array **out)
{
	const dpr_array *x = node->header;

	return array_new(name_of(node), x->dtype, x->rank, array_shape(x),
			 x->queue, x->kind, out);
}

/* Replace inputs that the kernel would read slowly by contiguous copies, for
   the caller to release. */
static dpr_status turn_inputs(struct weave *w, const char *what,
			      dpr_array *copies[GRAPH_INPUTS])
{
	dpr_status status = DPR_OK;

	for (int k = 0; !status && k < w->graph.n_inputs; k++) {
		const dpr_array *x = w->input[k];

		if (!panels_copies(x) ||
		    engine_reads_turned(dpr_queue_device(x->queue)))
			continue;
		status =
			cast_new(what, x, x->dtype, DPR_USM_DEVICE, &copies[k]);
		if (!status)
			w->input[k] = copies[k];
	}
	return status;
}

/* Launch the graph, and give its nodes their results. */
static dpr_status run_weave(struct fusion *fusion, struct weave *w,
			    struct fusion_node **results, dpr_array *into)
{
	const int n = w->graph.n_results;
	struct engine_call call = {
		.what = name_of(results[0]),
		.graph = &w->graph,
		.results = w->result,
		.inputs = w->input,
		.scalars = w->scalar,
	};
	dpr_array *copies[GRAPH_INPUTS] = { NULL };
	dpr_status status = turn_inputs(w, call.what, copies);

	for (int i = 0; !status && i < n; i++) {
		if (i == 0 && into)
			w->result[i] = dpr_array_retain(into);
		else
			status = new_result(results[i], &w->result[i]);
	}
	if (!status)
		status = engine_run(&call);
	for (int k = 0; k < w->graph.n_inputs; k++)
		dpr_array_release(copies[k]);
	fusion->kernels += !status;
	for (int i = 0; i < n; i++) {
		if (status) {
			dpr_array_release(w->result[i]);
			continue;
		}
		results[i]->made = w->result[i];
		results[i]->was_made = true;
		results[i]->kernel = fusion->kernels;
	}
	for (int i = 0; !status && i < n; i++)
		drop_operands(results[i]);
	return status;
}

/* Whether the steps can still run one after the other. */
static bool is_refusal(dpr_status status)
{
	return status == DPR_ERROR_UNSUPPORTED || status == DPR_ERROR_BUILD;
}

/* Whether there is only one call, which needs no cast before it. */
static bool is_one_call(const struct weave *w)
{
	if (w->n_nodes == 1 && w->node[0]->kind == FUSION_CAST)
		return true;
	for (int i = 0; i < w->graph.n_steps; i++)
		if (w->graph.step[i].kind == GRAPH_CAST)
			return false;
	return w->n_nodes == 1;
}

/* Compute @n nodes that fit into one graph. */
static dpr_status make_together(struct fusion *fusion, struct weave *w,
				struct fusion_node *const *nodes, size_t n,
				dpr_array *into)
{
	struct fusion_node *results[GRAPH_RESULTS];
	dpr_status status;

	/* What the function does at once it does best. */
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

/* Whether computing @node for each element of a larger shape is dearer than
   storing it. */
static bool is_dear(const struct fusion_node *node)
{
	if (node->steps > 3 * CHEAP_STEPS ||
	    (node->kind == FUSION_OPERATION &&
	     operations_table[node->op].family == OPERATIONS_MATH))
		return true;
	for (int i = 0; i < node->n; i++)
		if (node->operand[i].node && !node->operand[i].node->made &&
		    is_dear(node->operand[i].node))
			return true;
	return false;
}

/* Compute the operands that must not be in one kernel with @node; @all: all of
   them. */
static dpr_status make_operands(struct fusion *fusion, struct fusion_node *node,
				bool all)
{
	dpr_status status = DPR_OK;

	for (int i = 0; !status && i < node->n; i++) {
		struct fusion_node *x = node->operand[i].node;

		if (x && !x->made &&
		    (all ||
		     (x->header->size < node->header->size && is_dear(x))))
			status = fusion_make(fusion, &x, 1, NULL);
	}
	return status;
}

/* Compute a node in a kernel of its own.  It did fit into one when it was
   added, but an operand that has been computed since is one more input. */
static dpr_status make_alone(struct fusion *fusion, struct fusion_node *node,
			     dpr_array *into)
{
	struct weave weave;
	dpr_status status;

	if (!weave_all(&weave, &node, 1)) {
		status = weave.status ? weave.status
				      : make_operands(fusion, node, true);
		if (status)
			return status;
		if (!weave_all(&weave, &node, 1))
			return weave.status ? weave.status
					    : run_alone(fusion, node, into);
	}
	return make_together(fusion, &weave, &node, 1, into);
}

dpr_status fusion_make(struct fusion *fusion, struct fusion_node *const *nodes,
		       size_t n, dpr_array *into)
{
	struct fusion_node *left[GRAPH_RESULTS];
	struct weave weave;
	dpr_status status = DPR_OK;
	size_t n_left = 0;

	for (size_t i = 0; i < n; i++)
		if (!nodes[i]->made)
			left[n_left++] = nodes[i];
	if (!n_left)
		return DPR_OK;
	if (weave_all(&weave, left, n_left))
		return make_together(fusion, &weave, left, n_left, into);
	if (weave.status)
		return weave.status;
	/* Too many for one kernel. */
	for (size_t i = 0; !status && i < n_left; i++)
		if (!left[i]->made)
			status = make_alone(fusion, left[i], into);
	return status;
}

/* Whether a kernel that reduces the graph saves anything: what something else
   needs too is cheap to compute again, and it reads its inputs fast.  @again:
   something else needs the graph's result. */
static bool is_worth_reducing(const struct weave *w, bool again)
{
	for (int k = 0; k < w->n_nodes; k++)
		if ((is_wanted(w, k) || (again && k == 0)) &&
		    is_dear(w->node[k]))
			return false;
	for (int k = 0; k < w->graph.n_inputs; k++)
		if (panels_copies(w->input[k]) &&
		    !engine_reads_turned(dpr_queue_device(w->input[k]->queue)))
			return false;
	/* A step that changes nothing makes a copy, in C order. */
	return w->graph.n_steps > 1;
}

bool fusion_reduce(struct fusion *fusion, struct fusion_node *node, bool again,
		   enum reduction reduction, const dpr_axes *axes, dpr_dtype as,
		   dpr_array **out, dpr_status *status)
{
	struct reduce_source source;
	struct weave weave;

	if (node->made ||
	    !reduction_is_there(dpr_queue_device(node->header->queue)) ||
	    !weave_all(&weave, &node, 1) || !is_worth_reducing(&weave, again))
		return false;
	source = (struct reduce_source){ .graph = &weave.graph,
					 .inputs = weave.input,
					 .scalars = weave.scalar,
					 .like = node->header };
	*status = reduce_source(reduction, &source, axes, as, out);
	fusion->kernels += !*status;
	return !is_refusal(*status);
}

bool fusion_can_write(const struct fusion_node *node, const dpr_array *into)
{
	struct fusion_node *nodes[] = { (struct fusion_node *)node };
	struct weave weave;

	if (node->made || !weave_all(&weave, nodes, 1))
		return false;
	for (int k = 0; k < weave.graph.n_inputs; k++)
		if (!array_same_layout(weave.input[k], into) &&
		    array_may_overlap(weave.input[k], into))
			return false;
	return true;
}

/* --- Putting off -----------------------------------------------------------
 */

/* Find the outcome of @call, and its operands @x, which may become others. */
static dpr_status foresee(const struct fusion_call *call, dpr_operand *x,
			  struct elementwise_outcome *out)
{
	switch (call->kind) {
	case FUSION_NONE: break;
	case FUSION_OPERATION: return elementwise_foresee(call->op, x, out);
	case FUSION_WHERE: return where_foresee(x[0].as.array, x + 1, out);
	case FUSION_CAST:
		out->compute = out->result = call->dtype;
		out->queue = x[0].as.array->queue;
		out->kind = x[0].as.array->kind;
		out->rank = x[0].as.array->rank;
		for (int d = 0; d < out->rank; d++)
			out->shape[d] = array_shape(x[0].as.array)[d];
		return copy_check_astype(x[0].as.array, call->dtype);
	}
	return DPR_ERROR_UNSUPPORTED;
}

static int count_operands(enum fusion_kind kind, int op)
{
	return kind == FUSION_OPERATION ? operations_table[op].n
	       : kind == FUSION_WHERE   ? 3
					: 1;
}

/* Give @node the operands @values.  They may have changed places since they
   were
   @given. */
static void set_operands(struct fusion_node *node, const dpr_operand *values,
			 int n, const struct fusion_operand *given, int n_given)
{
	struct fusion_operand taken[FUSION_OPERANDS];

	for (int i = 0; i < n; i++) {
		taken[i] = (struct fusion_operand){ NULL, values[i] };
		for (int k = 0; k < n_given; k++)
			if (given[k].node &&
			    values[i].kind == DPR_OPERAND_ARRAY &&
			    values[i].as.array == given[k].value.as.array)
				taken[i].node = given[k].node;
	}
	take_operands(node, n, taken);
}

static dpr_status new_node(const struct fusion_call *call,
			   const struct fusion_operand *operands,
			   struct fusion_node **out)
{
	const int n = count_operands(call->kind, call->op);
	dpr_operand values[FUSION_OPERANDS] = { 0 };
	struct elementwise_outcome outcome = { 0 };
	struct fusion_node *node;
	dpr_status status;

	for (int i = 0; i < n; i++)
		values[i] = operands[i].value;
	status = foresee(call, values, &outcome);
	if (status)
		return status;
	node = mem_alloc(sizeof(*node));
	if (!node)
		return fail_memory("expression");
	node->refs = 1;
	node->kind = call->kind;
	node->place = call->place;
	node->op = outcome.op;
	node->compute = outcome.compute;
	set_operands(node, values, count_operands(call->kind, outcome.op),
		     operands, n);
	status =
		array_make(outcome.result, outcome.rank, outcome.shape, NULL, 0,
			   NULL, outcome.queue, outcome.kind, &node->header);
	if (status) {
		fusion_release(node);
		return status;
	}
	*out = node;
	return DPR_OK;
}

dpr_status fusion_add(struct fusion *fusion, const struct fusion_call *call,
		      const struct fusion_operand *operands,
		      struct fusion_node **out)
{
	struct fusion_node *node;
	struct weave weave;
	dpr_status status = new_node(call, operands, &node);

	if (status)
		return status;
	status = make_operands(fusion, node, false);
	if (!status)
		*fusion->fault = call->place;
	if (!status && node->steps > SURE_STEPS &&
	    !weave_all(&weave, &node, 1)) {
		status = weave.status;
		if (!status)
			status = make_operands(fusion, node, true);
		if (!status) {
			*fusion->fault = call->place;
			node->steps = 1 + (size_t)node->n;
		}
	}
	if (status) {
		fusion_release(node);
		return status;
	}
	*out = node;
	return DPR_OK;
}
