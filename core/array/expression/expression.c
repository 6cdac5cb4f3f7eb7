/* SPDX-License-Identifier: Apache-2.0 */
/* expression.c - the public functions for array expressions. */
#include <dpr/expression.h>

#include <stdio.h>
#include <string.h>

#include "core/array/expression/evaluate.h"
#include "core/array/expression/explain.h"
#include "core/array/expression/functions.h"
#include "core/array/expression/names.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/refs.h"
#include "core/base/text.h"
#include "core/base/trace.h"

/* An expression.  After its creation only the reference count changes. */
struct dpr_expression {
	struct refs refs;
	struct plan plan;
};

/* The place that dpr_expression_fault() returns. */
static _Thread_local dpr_text_place last_fault;

dpr_text_place dpr_expression_fault(void)
{
	return last_fault;
}

/* Begin a public function: forget the last fault, and check the arguments.
   Pass @has_all = false if an argument is NULL. */
static dpr_status expression_begin(const char *what, bool has_all,
				   struct place *fault)
{
	last_fault = (dpr_text_place){ 0, 0 };
	names_note_nearest(NULL);
	if (fault)
		place_set(fault, PLACE_NOWHERE, 0);
	return has_all ? process_check(what)
		       : fail(DPR_ERROR_INVALID_ARGUMENT,
			      "%s: an argument is NULL", what);
}

/* If @status is a failure because of the place @fault in a text, set
   last_fault, and put @what (the name of the text) and the column in front of
   the error text.  If memory ran out, no place is at fault. */
static dpr_status note_fault(dpr_status status, const struct place *fault,
			     const char *what)
{
	if (!status || status == DPR_ERROR_OUT_OF_MEMORY ||
	    fault->column == PLACE_NOWHERE)
		return status;
	last_fault = (dpr_text_place){ fault->column + 1, fault->length };
	status_prefix("%s, column %zu", what, last_fault.column);
	return status;
}

/* End a public function that returns @status.  If @status is a failure,
   remember its place @fault for dpr_expression_fault(), and put the place in
   front of the error text. */
static dpr_status expression_end(dpr_status status, const struct place *fault)
{
	return note_fault(status, fault, "expression");
}

dpr_expression *dpr_expression_retain(dpr_expression *x)
{
	HANDLES_RETAIN(x);
	if (x)
		refs_take(&x->refs);
	return x;
}

void dpr_expression_release(dpr_expression *x)
{
	HANDLES_RELEASE(dpr_expression_release, x);
	if (!x || !refs_drop(&x->refs))
		return;
	plan_free(&x->plan);
	handles_free(x, mem_free);
}

const dpr_expression *dpr_expression_keep(dpr_expression *x)
{
	HANDLES_KEEP(x);
	return x;
}

const dpr_expression_operand *dpr_expression_operands(const dpr_expression *x,
						      size_t *count)
{
	HANDLES_GET(x);
	if (count)
		*count = x ? x->plan.n_operands : 0;
	return x ? x->plan.operands : NULL;
}

size_t dpr_expression_result_count(const dpr_expression *x)
{
	HANDLES_GET(x);
	return x ? x->plan.n_results : 0;
}

const char *dpr_expression_function(size_t index)
{
	const struct function *function = functions_at(index);

	return function ? function->signature.name : NULL;
}

/* --- Applying ------------------------------------------------------------ */

/* Make the evaluation of @plan with the bindings @bindings. */
static struct evaluation evaluation_of(const struct plan *plan,
				       const dpr_binding *bindings,
				       size_t n_bindings)
{
	return (struct evaluation){ .plan = plan,
				    .bindings = bindings,
				    .n_bindings = n_bindings };
}

static dpr_status check_results(const dpr_expression *x, size_t n_results)
{
	if (n_results == x->plan.n_results)
		return DPR_OK;
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "the expression has %zu results, but %zu were requested",
		    x->plan.n_results, n_results);
}

dpr_status dpr_expression_apply(const dpr_expression *x,
				const dpr_binding *bindings, size_t n_bindings,
				dpr_queue *queue, dpr_array **results,
				size_t n_results)
{
	TRACE_CALL;
	HANDLES(x, handle_bindings(bindings, n_bindings), queue,
		handle_arrays_out(results, n_results));
	struct evaluation ev;
	dpr_status status;

	for (size_t i = 0; results && i < n_results; i++)
		results[i] = NULL;
	status = expression_begin(
		"expression", x && results && (bindings || !n_bindings), NULL);
	if (!status)
		status = check_results(x, n_results);
	if (status)
		return status;
	ev = evaluation_of(&x->plan, bindings, n_bindings);
	ev.queue = queue;
	status = evaluate_run(&ev, results);
	return expression_end(status, &ev.fault);
}

dpr_status dpr_expression_apply_into(const dpr_expression *x,
				     const dpr_binding *bindings,
				     size_t n_bindings,
				     dpr_array *const *results,
				     size_t n_results)
{
	TRACE_CALL;
	HANDLES(x, handle_bindings(bindings, n_bindings),
		handle_arrays((const dpr_array *const *)results, n_results));
	bool has_all = x && results && (bindings || !n_bindings);
	struct evaluation ev;
	dpr_status status;

	for (size_t i = 0; has_all && i < n_results; i++)
		has_all = results[i] != NULL;
	status = expression_begin("expression", has_all, NULL);
	if (!status)
		status = check_results(x, n_results);
	if (status)
		return status;
	ev = evaluation_of(&x->plan, bindings, n_bindings);
	ev.into = results;
	status = evaluate_run(&ev, NULL);
	return expression_end(status, &ev.fault);
}

dpr_status dpr_expression_explain(const dpr_expression *x,
				  const dpr_binding *bindings,
				  size_t n_bindings, dpr_queue *queue,
				  char **text)
{
	TRACE_CALL;
	HANDLES(x, handle_bindings(bindings, n_bindings), queue);
	struct evaluation ev;
	dpr_status status;

	if (text)
		*text = NULL;
	status = expression_begin("expression",
				  x && text && (bindings || !n_bindings), NULL);
	if (status)
		return status;
	ev = evaluation_of(&x->plan, bindings, n_bindings);
	ev.queue = queue;
	status = explain_run(&ev, text);
	return expression_end(status, &ev.fault);
}

/* Make the plan of @text, which must have one result.  The caller frees @plan.
 */
static dpr_status plan_one(const char *text, struct plan *plan)
{
	struct place fault;
	dpr_status status = expression_begin("evaluate", text != NULL, &fault);

	if (status)
		return status;
	status = plan_make(text, NULL, plan, &fault);
	if (!status && plan->n_results > 1)
		status = fail(DPR_ERROR_INVALID_ARGUMENT,
			      "evaluate: the expression has %zu results; use "
			      "dpr_expression_apply() for more than one",
			      plan->n_results);
	return expression_end(status, &fault);
}

dpr_status dpr_evaluate_with(const char *text, const dpr_binding *bindings,
			     size_t n_bindings, dpr_queue *queue,
			     dpr_array **out)
{
	TRACE_CALL;
	HANDLES(handle_bindings(bindings, n_bindings), queue, out);
	struct plan plan = { 0 };
	struct evaluation ev;
	dpr_status status;

	if (out)
		*out = NULL;
	status =
		plan_one(out && (bindings || !n_bindings) ? text : NULL, &plan);
	if (!status) {
		ev = evaluation_of(&plan, bindings, n_bindings);
		ev.queue = queue;
		status = evaluate_run(&ev, out);
		status = expression_end(status, &ev.fault);
	}
	plan_free(&plan);
	return status;
}

dpr_status dpr_evaluate_with_into(const char *text, const dpr_binding *bindings,
				  size_t n_bindings, dpr_array *out)
{
	TRACE_CALL;
	HANDLES(handle_bindings(bindings, n_bindings), out);
	struct plan plan = { 0 };
	struct evaluation ev;
	dpr_status status;

	status =
		plan_one(out && (bindings || !n_bindings) ? text : NULL, &plan);
	if (!status) {
		ev = evaluation_of(&plan, bindings, n_bindings);
		ev.into = &out;
		status = evaluate_run(&ev, NULL);
		status = expression_end(status, &ev.fault);
	}
	plan_free(&plan);
	return status;
}

/* --- Definitions --------------------------------------------------------- */

#define fail_token(fault, token, ...)                      \
	fail_at((fault), (token)->column, (token)->length, \
		DPR_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

static bool same_text(const char *text, const struct token *a,
		      const struct token *b)
{
	return a->length == b->length &&
	       !memcmp(text + a->column, text + b->column, a->length);
}

/* Check the names in a definition's head. */
static dpr_status check_head(const struct parser_head *head, const char *text,
			     struct place *fault)
{
	const struct token *name = &head->name;
	const struct name_constant *constant;

	if (functions_find(text + name->column, name->length))
		return fail_token(fault, name, "%.*s is a built-in function",
				  (int)name->length, text + name->column);
	if (names_find(text + name->column, name->length))
		return fail_token(fault, name, "%.*s is a constant",
				  (int)name->length, text + name->column);
	if (head->n_parameters > PLAN_MAX_PARAMETERS)
		return fail_token(fault, &head->parameters[PLAN_MAX_PARAMETERS],
				  "a function can have at most %d parameters",
				  PLAN_MAX_PARAMETERS);
	for (size_t i = 0; i < head->n_parameters; i++) {
		const struct token *p = &head->parameters[i];

		constant = names_find(text + p->column, p->length);
		if (constant && constant->is_word)
			return fail_token(fault, p,
					  "'%s' is a reserved word and cannot "
					  "be the name of a parameter",
					  constant->name);
		for (size_t k = 0; k < i; k++)
			if (same_text(text, p, &head->parameters[k]))
				return fail_token(
					fault, p,
					"there are two parameters of this "
					"name");
	}
	return DPR_OK;
}

/* Make a definition.  Its body may call the functions of the list @own. */
static dpr_status read_definition(const char *text, struct definition *own,
				  struct place *fault, struct definition **out)
{
	struct definition *definition;
	struct parser_head head;
	struct tree tree;
	dpr_status status = parser_definition(text, &head, &tree, fault);

	if (status)
		return status;
	status = check_head(&head, text, fault);
	if (status) {
		mem_free(head.parameters);
		parser_free(&tree);
		return status;
	}
	definition = definitions_new(&head, &tree);
	mem_free(head.parameters);
	if (!definition)
		return fail_memory("expression");
	status = plan_check(definition, own, fault);
	if (status)
		definitions_release(definition);
	else
		*out = definition;
	return status;
}

static dpr_status fail_defined(const char *text,
			       const struct definition *definition,
			       struct place *fault)
{
	const char *name = definition->signature.name;

	return fail_at(fault, strspn(text, " \t\r\n"), strlen(name),
		       DPR_ERROR_EXISTS, "%s() is defined already", name);
}

static dpr_status define(const char *text, struct place *fault)
{
	struct definition *definition;
	dpr_status status = read_definition(text, NULL, fault, &definition);

	if (status)
		return status;
	if (!definitions_add(DEFINITIONS_PROGRAM, definition))
		status = fail_defined(text, definition, fault);
	definitions_release(definition);
	return status;
}

dpr_status dpr_expression_define(const char *text)
{
	TRACE_CALL;
	struct place fault;
	dpr_status status = expression_begin("define", text != NULL, &fault);

	if (status)
		return status;
	return expression_end(define(text, &fault), &fault);
}

dpr_status dpr_expression_undefine(const char *name)
{
	TRACE_CALL;
	dpr_status status = expression_begin("undefine", name != NULL, NULL);

	if (status)
		return status;
	return definitions_remove(name)
		       ? DPR_OK
		       : fail(DPR_ERROR_NOT_FOUND,
			      "undefine: there is no function '%s' of the "
			      "program",
			      text_quote(name).bytes);
}

/* --- Creating ------------------------------------------------------------ */

static bool is_own(struct definition *own, const struct definition *d)
{
	const char *name = d->signature.name;
	struct definition *other = definitions_find_in(own, name, strlen(name));

	definitions_release(other);
	return other != NULL;
}

/* Make the list of an expression's own functions, with the last function first.
   A function may call the functions that were defined before it. */
static dpr_status read_own(const dpr_expression_options *options,
			   struct place *fault, struct definition **own)
{
	dpr_status status = DPR_OK;
	char what[40];

	for (size_t i = 0; !status && i < options->n_definitions; i++) {
		const char *text = options->definitions[i];
		struct definition *d;

		status = text ? read_definition(text, *own, fault, &d)
			      : fail(DPR_ERROR_INVALID_ARGUMENT,
				     "expression: definition %zu is NULL",
				     i + 1);
		if (!status && is_own(*own, d)) {
			status = fail_defined(text, d, fault);
			definitions_release(d);
		} else if (!status) {
			d->next = *own;
			*own = d;
		}
		snprintf(what, sizeof(what), "definition %zu", i + 1);
		status = note_fault(status, fault, what);
	}
	return status;
}

static dpr_status check_options(const dpr_expression_options *options)
{
	if (options->struct_size < sizeof(*options))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "expression: struct_size of the options is not "
			    "set");
	if (options->n_definitions && !options->definitions)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "expression: the list of definitions is NULL");
	return DPR_OK;
}

/* Make the expression.  It may call the functions of the list @own. */
static dpr_status create(const char *text, struct definition *own,
			 dpr_expression **out)
{
	dpr_expression *x = mem_alloc(sizeof(*x));
	struct place fault;
	dpr_status status;

	if (!x)
		return fail_memory("expression");
	place_set(&fault, PLACE_NOWHERE, 0);
	refs_init(&x->refs);
	status = plan_make(text, own, &x->plan, &fault);
	if (status)
		mem_free(x);
	else
		*out = x;
	return expression_end(status, &fault);
}

dpr_status dpr_expression_create_with(const char *text,
				      const dpr_expression_options *options,
				      dpr_expression **out)
{
	TRACE_CALL;
	HANDLES(out);
	struct definition *own = NULL;
	struct place fault;
	dpr_status status;

	if (out)
		*out = NULL;
	status = expression_begin("expression", text && out, &fault);
	if (!status && options)
		status = check_options(options);
	if (!status && options)
		status = read_own(options, &fault, &own);
	if (!status)
		status = create(text, own, out);
	definitions_release_list(own);
	return status;
}

dpr_status dpr_expression_create(const char *text, dpr_expression **out)
{
	TRACE_CALL;
	HANDLES(out);

	return dpr_expression_create_with(text, NULL, out);
}
