/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.c - evaluates a plan.  Each step is a call of a function.  Where
 * possible, a call is deferred (fusion.h), so that one kernel computes several
 * calls.
 */
#include "core/array/expression/evaluate.h"

#include <stdio.h>
#include <string.h>

#include <dpr/creation.h>
#include <dpr/queue.h>

#include "core/array/engine/engine.h"
#include "core/array/expression/calls/index_calls.h"
#include "core/array/expression/faults/evaluate_faults.h"
#include "core/array/expression/functions.h"
#include "core/array/expression/names.h"
#include "core/array/expression/number.h"
#include "core/array/expression/slicing.h"
#include "core/array/expression/weave.h"
#include "core/array/object/array.h"
#include "core/array/object/execution.h"
#include "core/base/call_stack.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"

/* --- Operands ------------------------------------------------------------ */

/* Find the operand of the plan for each binding. */
static dpr_status bind_all(struct evaluation *ev)
{
	const struct plan *plan = ev->plan;
	const char *unused = NULL;

	for (size_t i = 0; i < ev->n_bindings; i++) {
		const dpr_binding *binding = &ev->bindings[i];
		size_t k = 0;

		if (!binding->name)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "binding %zu has no name", i + 1);
		while (k < plan->n_operands &&
		       strcmp(plan->operands[k].name, binding->name) != 0)
			k++;
		if (k == plan->n_operands) {
			unused = binding->name;
			continue;
		}
		if (ev->operands[k])
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "'%s' is bound twice",
				    text_quote(binding->name).bytes);
		if (binding->value.kind > DPR_OPERAND_COMPLEX ||
		    (binding->value.kind == DPR_OPERAND_ARRAY &&
		     !binding->value.as.array))
			return fail(DPR_ERROR_INVALID_ARGUMENT, "'%s' is %s",
				    text_quote(binding->name).bytes,
				    binding->value.kind ? "bound to a value of "
							  "an unknown kind"
							: "bound to NULL");
		ev->operands[k] = &binding->value;
	}
	for (size_t k = 0; k < plan->n_operands; k++)
		if (!ev->operands[k] && plan->operands[k].required)
			return evaluate_faults_unbound(ev,
						       &plan->operands[k]);
	return unused ? evaluate_faults_unused(ev, unused) : DPR_OK;
}

/* The name for error texts: ev->name, the called function of derived_table.h,
   or @what. */
static const char *name_or(const struct evaluation *ev, const char *what)
{
	return ev->name ? ev->name : what;
}

static void add_array(struct evaluation *ev, const char *name,
		      const dpr_array *x)
{
	ev->names[ev->n_arrays] = name;
	ev->arrays[ev->n_arrays++] = x;
}

/* Fail because the arrays are on @queue, and another queue was given. */
static dpr_status fail_queue(const struct evaluation *ev,
			     const dpr_queue *queue)
{
	struct text names = { 0 };
	dpr_status status;

	for (size_t k = 0; k < ev->n_arrays; k++)
		text_print(&names, "%s%s", k ? ", " : "", ev->names[k]);
	status = fail(DPR_ERROR_EXECUTION_PLACEMENT,
		      "expression: on %s: %s; but the given queue is %s; give "
		      "no queue, or move the arrays with dpr_array_to_queue()",
		      dpr_queue_name(queue), text_get(&names),
		      dpr_queue_name(ev->queue));
	text_fini(&names);
	return status;
}

/* Find the queue that all arrays share. */
static dpr_status find_queue(struct evaluation *ev)
{
	size_t own;
	dpr_queue *queue;
	dpr_status status;

	for (size_t k = 0; k < ev->plan->n_operands; k++)
		if (ev->given && ev->given[k].kind == VALUE_ARRAY)
			add_array(ev, ev->plan->operands[k].name,
				  ev->given[k].array);
		else if (ev->operands[k] &&
			 ev->operands[k]->kind == DPR_OPERAND_ARRAY)
			add_array(ev, ev->plan->operands[k].name,
				  ev->operands[k]->as.array);
	own = ev->n_arrays;
	for (size_t i = 0; ev->into && i < ev->plan->n_results; i++)
		add_array(ev, "out", ev->into[i]);
	if (!ev->n_arrays && !ev->queue)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "none of the operands is an array, so there is no "
			    "queue to compute on; give the call a queue");
	if (!ev->n_arrays)
		return DPR_OK;
	status = execution_queue(name_or(ev, "expression"), ev->arrays,
				 ev->names, ev->n_arrays, ev->n_arrays - own,
				 &queue);
	ev->n_arrays = own;
	if (status)
		return status;
	if (ev->queue && queue != ev->queue)
		return fail_queue(ev, queue);
	ev->queue = queue;
	return DPR_OK;
}

/* --- Steps --------------------------------------------------------------- */

static struct value operand_value(const struct evaluation *ev, size_t operand)
{
	const dpr_operand *bound = ev->operands[operand];
	const dpr_expression_operand *name = &ev->plan->operands[operand];
	struct value value = { .kind = VALUE_SCALAR };

	if (ev->given)
		return value_share(&ev->given[operand]);
	if (!bound)
		return names_find(name->name, name->length)->value;
	if (bound->kind != DPR_OPERAND_ARRAY) {
		value.scalar = *bound;
		return value;
	}
	value.kind = VALUE_ARRAY;
	value.array = dpr_array_retain((dpr_array *)(uintptr_t)bound->as.array);
	return value;
}

static dpr_status make_tuple(const struct evaluation *ev,
			     const struct plan_step *step, struct value *out)
{
	const size_t *arguments = ev->plan->arguments + step->first;

	out->items = mem_array(step->n + 1, sizeof(*out->items));
	if (!out->items)
		return fail_memory("expression");
	out->kind = VALUE_TUPLE;
	for (size_t i = 0; i < step->n; i++) {
		const struct value *item = &ev->values[arguments[i]];

		/* An item may be a parameter of a function, and the call may
		   have given a tuple for this parameter. */
		if (item->kind == VALUE_TUPLE)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "a tuple cannot be in a tuple");
		out->items[out->count++] = value_share(item);
	}
	return DPR_OK;
}

/* Compute an elementwise operator on the host by Python's rules, if all of its
   operands are numbers.  Returns false if an operand is no number. */
static bool run_numbers(const struct evaluation *ev,
			const struct plan_step *step, struct value *out,
			dpr_status *status)
{
	const size_t *arguments = ev->plan->arguments + step->first;
	const struct value *a = &ev->values[arguments[0]];
	const struct value *b = &ev->values[arguments[step->n - 1]];

	if (step->op == TOKEN_END || step->function->run ||
	    a->kind != VALUE_SCALAR ||
	    b->kind != VALUE_SCALAR)
		return false;
	*status = step->n == 1 ? number_unary(step->op, a->scalar, &out->scalar)
			       : number_binary(step->op, a->scalar, b->scalar,
					       &out->scalar);
	if (!*status)
		out->kind = VALUE_SCALAR;
	return true;
}

static dpr_status check_operator(const struct evaluation *ev,
				 const struct plan_step *step)
{
	const size_t *arguments = ev->plan->arguments + step->first;
	dpr_operand operand;

	for (size_t i = 0; step->op != TOKEN_END && i < step->n; i++)
		if (!value_operand(&ev->values[arguments[i]], &operand))
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "%s works only on arrays and numbers",
				    lexer_token_text(step->op));
	return DPR_OK;
}

/* Get the array for the result, if step @index may write it directly; else
   NULL.  The step must make the only result, and no other step may use its
   value. */
static dpr_array *direct_output(const struct evaluation *ev, size_t index)
{
	const struct plan *plan = ev->plan;

	return ev->into && plan->n_results == 1 && plan->results[0] == index &&
			       plan->steps[index].uses == 1
		       ? ev->into[0]
		       : NULL;
}

/* Compute a deferred argument, or the deferred items of a tuple. */
static dpr_status make_argument(struct evaluation *ev, struct value *value)
{
	dpr_status status = DPR_OK;

	if (value->kind == VALUE_NODE)
		status = fusion_make(&ev->fusion, &value->node, 1, NULL);
	if (!status)
		value_settle(value);
	for (size_t i = 0; !status && i < value->count; i++)
		status = make_argument(ev, &value->items[i]);
	return status;
}

/* Compute the deferred arguments of a step before it runs.  The first
   function->deferred arguments stay deferred. */
static dpr_status make_arguments(struct evaluation *ev,
				 const struct plan_step *step)
{
	const size_t *arguments = ev->plan->arguments + step->first;
	const struct place place = ev->fault;
	dpr_status status = DPR_OK;

	for (size_t i = (size_t)step->function->deferred;
	     !status && i < step->n; i++)
		if (arguments[i] != PLAN_ABSENT)
			status = make_argument(ev, &ev->values[arguments[i]]);
	if (!status)
		ev->fault = place;
	return status;
}

/* Collect the operands of a step for a deferred call.  Returns false if the
   call cannot be deferred. */
static bool take_operands(struct evaluation *ev, const struct plan_step *step,
			  struct fusion_call *call,
			  struct fusion_operand *operands)
{
	const size_t *arguments = ev->plan->arguments + step->first;
	/* The second argument of a cast is a dtype. */
	const size_t n = call->kind == FUSION_CAST ? 1 : step->n;
	/* The value of each argument that is absent.  Nothing writes to this
	   value, so all these arguments can share it. */
	struct value absent = { .kind = VALUE_EMPTY };
	bool arrays = false;

	for (size_t i = 0; i < n; i++) {
		struct value *value = arguments[i] == PLAN_ABSENT
					      ? &absent
					      : &ev->values[arguments[i]];

		value_settle(value);
		if (!functions_operand(step->function, value,
				       &operands[i].value))
			return false;
		operands[i].node = value->node;
		arrays |= operands[i].value.kind == DPR_OPERAND_ARRAY;
	}
	if (call->kind == FUSION_OPERATION)
		return arrays;
	if (call->kind == FUSION_CAST) {
		call->dtype = ev->values[arguments[1]].dtype;
		if (ev->values[arguments[1]].kind != VALUE_DTYPE)
			return false;
	}
	return operands[0].value.kind == DPR_OPERAND_ARRAY;
}

/* Defer the step if possible.  Returns false if the step cannot be deferred,
   and must run now.  Otherwise sets *@status to DPR_OK or an error. */
static bool defer_step(struct evaluation *ev, size_t index, struct value *out,
		       dpr_status *status)
{
	const struct plan_step *step = &ev->plan->steps[index];
	struct fusion_operand operands[FUSION_OPERANDS] = { 0 };
	struct fusion_call call = { .kind = step->function->fuses,
				    .op = step->function->operation,
				    .place = step->place };

	if (call.kind == FUSION_NONE || !ev->fusion.format ||
	    !take_operands(ev, step, &call, operands))
		return false;
	*status = fusion_add(&ev->fusion, &call, operands, &out->node);
	if (!*status)
		out->kind = VALUE_NODE;
	return true;
}

/* Call the function of a step at once. */
static dpr_status run_function(struct evaluation *ev, size_t index,
			       struct value *out)
{
	const struct plan_step *step = &ev->plan->steps[index];
	const size_t *arguments = ev->plan->arguments + step->first;
	dpr_array *into = direct_output(ev, index);
	struct function_call call = { .function = step->function,
				      .queue = ev->queue,
				      .operands = ev->arrays,
				      .n_operands = ev->n_arrays,
				      .place = step->place,
				      .fault = &ev->fault,
				      .fusion = &ev->fusion };
	dpr_status status = make_arguments(ev, step);

	if (status)
		return status;
	for (size_t i = 0; i < step->n; i++) {
		if (arguments[i] == PLAN_ABSENT)
			continue;
		value_settle(&ev->values[arguments[i]]);
		call.arguments[i] = ev->values[arguments[i]];
		call.places[i] = ev->plan->steps[arguments[i]].place;
	}
	call.again = step->function->deferred && ev->uses[arguments[0]] > 1;
	if (!functions_can_write(&call))
		into = NULL;
	status = functions_run(&call, into);
	for (size_t i = 0; i < BUILTINS_PARAMETERS; i++)
		dpr_array_release(call.made[i]);
	*out = call.result;
	if (!status && into) {
		out->kind = VALUE_ARRAY;
		out->array = dpr_array_retain(into);
	}
	return status;
}

static dpr_status run_call(struct evaluation *ev, size_t index,
			   struct value *out)
{
	const struct plan_step *step = &ev->plan->steps[index];
	dpr_status status = check_operator(ev, step);

	return status || run_numbers(ev, step, out, &status) ||
			       defer_step(ev, index, out, &status)
		       ? status
		       : run_function(ev, index, out);
}

/* Index by arrays: the arguments behind the first. */
static dpr_status run_view_by_arrays(struct evaluation *ev, size_t index,
				     struct value *out)
{
	const struct plan_step *step = &ev->plan->steps[index];
	const size_t *arguments = ev->plan->arguments + step->first;
	struct value values[PARSER_MAX_INDICES + 2];
	const struct index_calls_view view = { .fusion = &ev->fusion,
					       .place = step->place,
					       .arguments = values,
					       .indices = ev->plan->indices +
							  step->first_index,
					       .n_indices = step->n_indices };

	for (size_t i = 0; i < step->n; i++) {
		value_settle(&ev->values[arguments[i]]);
		values[i] = ev->values[arguments[i]];
	}
	return index_calls_run_view(&view, out);
}

/* Index the argument of a step.  If the argument is deferred, its own operands
   are indexed where this is possible. */
static dpr_status run_view(struct evaluation *ev, size_t index,
			   struct value *out)
{
	const struct plan_step *step = &ev->plan->steps[index];
	const size_t argument = ev->plan->arguments[step->first];
	const dpr_index *indices = ev->plan->indices + step->first_index;
	struct value *x = &ev->values[argument];
	dpr_status status = DPR_OK;

	value_settle(x);
	if (x->kind == VALUE_NODE && !step->orders) {
		status = slicing_push(x->node, indices, step->n_indices,
				      ev->uses[argument] > 1, &out->node);
		if (out->node)
			out->kind = VALUE_NODE;
		if (status || out->node)
			return status;
	}
	if (x->kind == VALUE_NODE) {
		status = make_argument(ev, x);
		if (status)
			return status;
		ev->fault = step->place;
	}
	if (x->kind != VALUE_ARRAY)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "only an array can be indexed");
	status = dpr_array_index(x->array, indices, step->n_indices,
				 &out->array);
	if (!status)
		out->kind = VALUE_ARRAY;
	return status;
}

/* Append to the error's text how to put comparisons first. */
static void append_parentheses(enum token_kind op)
{
	const char *text = lexer_token_text(op);
	char hint[100];

	snprintf(hint, sizeof(hint),
		 "; %s binds more tightly than comparisons: write (a < b) %s "
		 "(c < d)",
		 text, text);
	status_append(hint);
}

static dpr_status run_step(struct evaluation *ev, size_t index)
{
	const struct plan_step *step = &ev->plan->steps[index];
	struct value *out = &ev->values[index];
	dpr_status status = DPR_OK;

	ev->fault = step->place;
	switch (step->kind) {
	case PLAN_OPERAND: *out = operand_value(ev, step->operand); break;
	case PLAN_VALUE: *out = step->value; break;
	case PLAN_TUPLE: status = make_tuple(ev, step, out); break;
	case PLAN_VIEW:
		status = step->n > 1 ? run_view_by_arrays(ev, index, out)
				     : run_view(ev, index, out);
		break;
	case PLAN_CALL: status = run_call(ev, index, out); break;
	case PLAN_RESULTS: break; /* no step uses its value */
	}
	if (step->loose &&
	    (status == DPR_ERROR_DTYPE || status == DPR_ERROR_INVALID_ARGUMENT))
		append_parentheses(step->op);
	if (status && step->derived)
		status_rename(step->derived);
	if (!status && ev->watch)
		status = ev->watch(ev, index, out);
	return status;
}

/* Release the values that @step was the last to use. */
static void end_step(struct evaluation *ev, const struct plan_step *step)
{
	const size_t *arguments = ev->plan->arguments + step->first;

	for (size_t i = 0; i < step->n; i++)
		if (arguments[i] != PLAN_ABSENT && !--ev->uses[arguments[i]])
			value_clear(&ev->values[arguments[i]]);
}

/* Whether @step computes an argument of either() that is not chosen, or that is
   part of such an argument. */
static bool is_left_out(const struct evaluation *ev,
			const struct plan_step *step)
{
	const struct value *choice = &ev->values[step->choice];

	return choice->kind == VALUE_EMPTY ||
	       (choice->scalar.as.u != 0) != step->chosen;
}

static dpr_status run_steps(struct evaluation *ev)
{
	const struct plan *plan = ev->plan;
	dpr_status status = DPR_OK;

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (!step->uses)
			continue;
		if (step->choice == PLAN_ABSENT || !is_left_out(ev, step))
			status = run_step(ev, i);
		if (status)
			return status;
		end_step(ev, step);
	}
	place_set(&ev->fault, PLACE_NOWHERE, 0);
	return DPR_OK;
}

/* --- Results ------------------------------------------------------------- */

/* Whether two results can come from one kernel. */
static bool fits_together(const struct value *a, const struct value *b)
{
	return b->kind == VALUE_NODE && !b->node->made &&
	       array_same_shape(a->node->header, b->node->header);
}

/* Compute result @i.  The kernel of result @i also computes later results, as
   far as they fit into the kernel. */
static dpr_status make_node(struct evaluation *ev, size_t i)
{
	struct value *value = &ev->values[ev->plan->results[i]];
	struct fusion_node *nodes[GRAPH_RESULTS];
	dpr_status status;
	size_t n = 0;

	nodes[n++] = value->node;
	for (size_t k = i + 1; k < ev->plan->n_results && n < GRAPH_RESULTS;
	     k++) {
		struct value *next = &ev->values[ev->plan->results[k]];
		bool known = !fits_together(value, next);

		for (size_t at = 0; !known && at < n; at++)
			known = nodes[at] == next->node;
		if (!known)
			nodes[n++] = next->node;
	}
	status = fusion_make(&ev->fusion, nodes, n, NULL);
	for (size_t k = i; k < ev->plan->n_results; k++)
		value_settle(&ev->values[ev->plan->results[k]]);
	return status;
}

static dpr_status make_result(struct evaluation *ev, size_t i, dpr_array **out)
{
	const size_t step = ev->plan->results[i];
	struct value *value = &ev->values[step];
	dpr_status status;

	value_settle(value);
	if (value->kind == VALUE_NODE) {
		status = make_node(ev, i);
		if (status)
			return status;
	}
	if (value->kind == VALUE_ARRAY) {
		*out = dpr_array_retain(value->array);
		return DPR_OK;
	}
	ev->fault = ev->plan->steps[step].place;
	if (value->kind != VALUE_SCALAR)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "the result is neither an array nor a number");
	return dpr_full(DPR_SCALAR_SHAPE, value->scalar, DPR_DTYPE_DEFAULT,
			ev->queue, out);
}

static dpr_status make_results(struct evaluation *ev, dpr_array **results)
{
	dpr_status status = DPR_OK;

	for (size_t i = 0; !status && i < ev->plan->n_results; i++)
		status = make_result(ev, i, &results[i]);
	for (size_t i = 0; status && i < ev->plan->n_results; i++) {
		dpr_array_release(results[i]);
		results[i] = NULL;
	}
	return status;
}

/* Check the shapes and dtypes of all results before the first is written. */
static dpr_status check_results(struct evaluation *ev,
				dpr_array *const *results)
{
	dpr_status status = DPR_OK;
	char what[40];

	snprintf(what, sizeof(what), "%s", name_or(ev, "result"));
	for (size_t i = 0; !status && i < ev->plan->n_results; i++) {
		ev->fault = ev->plan->steps[ev->plan->results[i]].place;
		if (ev->plan->n_results > 1)
			snprintf(what, sizeof(what), "result %zu", i + 1);
		status = array_check_result(what, ev->into[i], results[i]->rank,
					    array_shape(results[i]),
					    results[i]->dtype);
	}
	return status;
}

/* Copy each result whose memory is overwritten when an earlier result is
   written.  Only a result that is also an operand can need a copy. */
static dpr_status keep_apart(const struct evaluation *ev, dpr_array **results)
{
	const size_t n = ev->plan->n_results;
	dpr_status status = DPR_OK;

	for (size_t i = 0; !status && i < n; i++)
		for (size_t k = 0; !status && k < i; k++) {
			dpr_array *copy;

			if (!array_may_overlap(results[i], ev->into[k]))
				continue;
			status = dpr_copy(results[i], &copy);
			if (status)
				break;
			dpr_array_release(results[i]);
			results[i] = copy;
		}
	return status;
}

/* Compute @node, cast to the dtype of @into, in a kernel that writes @into.
   Returns false if no kernel can do so. */
static bool write_node(struct evaluation *ev, struct fusion_node *node,
		       dpr_array *into, dpr_status *status)
{
	const struct fusion_operand x = { node,
					  dpr_operand_array(node->header) };
	const struct fusion_call cast = { .kind = FUSION_CAST,
					  .dtype = into->dtype,
					  .place = node->place };
	struct fusion_node *last = NULL;
	bool can;

	*status = DPR_OK;
	if (into->dtype == node->header->dtype)
		last = node_retain(node);
	else
		*status = fusion_add(&ev->fusion, &cast, &x, &last);
	if (*status)
		return true;
	can = fusion_can_write(last, into);
	if (can)
		*status = fusion_make(&ev->fusion, &last, 1, into);
	node_release(last);
	return can;
}

/* Compute the only result directly into the caller's array, if the result is
   deferred and a kernel may write this array.  Returns false if the result was
   not computed; otherwise *@status is the outcome. */
static bool write_directly(struct evaluation *ev, dpr_status *status)
{
	struct value *value = &ev->values[ev->plan->results[0]];
	dpr_array *into = ev->into[0];
	struct fusion_node *node;

	value_settle(value);
	node = value->node;
	if (ev->plan->n_results > 1 || value->kind != VALUE_NODE)
		return false;
	ev->fault = node->place;
	*status = array_check_result(
		name_or(ev, "result"), into, node->header->rank,
		array_shape(node->header), node->header->dtype);
	return *status || write_node(ev, node, into, status);
}

static dpr_status write_results(struct evaluation *ev)
{
	const size_t n = ev->plan->n_results;
	dpr_array **results = mem_array(n, sizeof(dpr_array *));
	dpr_status status;

	if (!results)
		return fail_memory("expression");
	status = make_results(ev, results);
	if (!status)
		status = check_results(ev, results);
	if (!status)
		status = keep_apart(ev, results);
	for (size_t i = 0; !status && i < n; i++)
		if (results[i] != ev->into[i])
			status = dpr_copy_into(ev->into[i], results[i]);
	for (size_t i = 0; i < n; i++)
		dpr_array_release(results[i]);
	mem_free(results);
	return status;
}

/* --- Evaluating ---------------------------------------------------------- */

static dpr_status evaluate_begin(struct evaluation *ev, struct weave *fit)
{
	const struct plan *plan = ev->plan;
	const size_t n = plan->n_steps, n_operands = plan->n_operands;
	const size_t most = n_operands + plan->n_results;
	dpr_status status;

	place_set(&ev->fault, PLACE_NOWHERE, 0);
	/* All lists are one block: plans bound their lengths. */
	ev->values =
		mem_alloc(n * (sizeof(*ev->values) + sizeof(*ev->uses)) +
			  n_operands * sizeof(*ev->operands) +
			  most * (sizeof(*ev->arrays) + sizeof(*ev->names)));
	if (!ev->values)
		return fail_memory("expression");
	ev->uses = (size_t *)(ev->values + n);
	ev->operands = (const dpr_operand **)(ev->uses + n);
	ev->arrays = (const dpr_array **)(ev->operands + n_operands);
	ev->names = (const char **)(ev->arrays + most);
	for (size_t i = 0; i < plan->n_steps; i++)
		ev->uses[i] = plan->steps[i].uses;
	status = ev->given ? DPR_OK : bind_all(ev);
	if (!status)
		status = find_queue(ev);
	ev->fusion.fault = &ev->fault;
	ev->fusion.fit = fit;
	if (!status)
		ev->fusion.format = engine_format(dpr_queue_device(ev->queue));
	return status;
}

static void evaluate_end(struct evaluation *ev)
{
	if (ev->fusion.fit)
		fusion_end(&ev->fusion);
	for (size_t i = 0; ev->values && i < ev->plan->n_steps; i++)
		value_clear(&ev->values[i]);
	mem_free(ev->values);
}

dpr_status evaluate_run(struct evaluation *ev, dpr_array **results)
{
	const struct quoted text = text_quote(ev->plan->text);
	const bool titled = call_stack_title_begin(name_or(ev, text.bytes));
	struct weave fit;
	dpr_status status;

	fit.n_nodes = 0;
	status = evaluate_begin(ev, &fit);

	if (!status)
		status = run_steps(ev);
	if (!status && ev->into && !write_directly(ev, &status))
		status = write_results(ev);
	else if (!status && !ev->into)
		status = make_results(ev, results);
	evaluate_end(ev);
	call_stack_title_end(titled);
	return status;
}
