/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c - a parsed expression and arrays to a result. */
#include "tools/eval/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/creation.h>

#include "tools/eval/functions.h"
#include "tools/eval/number.h"

/* An evaluation: values[i] is that of the expression's node i until the node
   above takes it. */
struct evaluation {
	const struct expression *expression;
	const struct scope *scope;
	struct value *values;
	struct message *message;
};

/* --- Names --------------------------------------------------------------- */

static const struct {
	const char *name;
	struct value value;
} constants[] = {
#define FLOAT(x)                                   \
	{                                          \
		.kind = VALUE_SCALAR, .scalar = {  \
			.kind = DPR_OPERAND_FLOAT, \
			.as.f = (x)                \
		}                                  \
	}
#define BOOL(x)                                   \
	{                                         \
		.kind = VALUE_SCALAR, .scalar = { \
			.kind = DPR_OPERAND_BOOL, \
			.as.u = (x)               \
		}                                 \
	}
#define DTYPE(x)                                  \
	{                                         \
		.kind = VALUE_DTYPE, .dtype = (x) \
	}
	{ "True", BOOL(1) },
	{ "False", BOOL(0) },
	{ "None", { .kind = VALUE_NONE } },
	{ "pi", FLOAT(M_PI) },
	{ "e", FLOAT(M_E) },
	{ "inf", FLOAT(INFINITY) },
	{ "nan", FLOAT(NAN) },
#define DTYPE_NAME(name, lower, number, size, kind) \
	{ #lower, DTYPE(DPR_##name) },
	DPR_DTYPE_MAP(DTYPE_NAME)
};

#define N_CONSTANTS (sizeof(constants) / sizeof(constants[0]))

static const struct value *find_constant(const struct expression *e,
					 const struct node *node)
{
	size_t i;

	for (i = 0; i < N_CONSTANTS; i++)
		if (expression_is(e, node, constants[i].name))
			return &constants[i].value;
	return NULL;
}

/* What the user named comes before the constants: a file may be called e. */
static const struct binding *find_binding(const struct expression *e,
					  const struct scope *scope,
					  const struct node *node)
{
	size_t i;

	for (i = 0; i < scope->count; i++)
		if (expression_is(e, node, scope->bindings[i].name))
			return &scope->bindings[i];
	return NULL;
}

static bool fail_unknown_name(const struct expression *e,
			      const struct scope *scope,
			      const struct node *node, struct message *message)
{
	int length = node->length > 40 ? 40 : (int)node->length;
	const char *text = e->text + node->column;
	char *known = NULL;
	size_t size, i;
	FILE *list;

	if (functions_find(text, node->length))
		return message_set_at(message, node->column,
				      "%.*s is a function; write %.*s(...)",
				      length, text, length, text);
	list = open_memstream(&known, &size);
	if (!list)
		return message_set(message, "out of memory");
	for (i = 0; i < scope->count; i++)
		fprintf(list, "%s%s", i ? ", " : "", scope->bindings[i].name);
	if (fclose(list) || !known)
		message_record(message, "out of memory");
	else if (!scope->count)
		message_record_at(message, node->column,
				  "unknown name '%.*s'; give its file as "
				  "%.*s=FILE.npy",
				  length, text, length, text);
	else
		message_record_at(message, node->column,
				  "unknown name '%.*s'; known are %s (and pi, "
				  "e, inf, nan, True, False)",
				  length, text, known);
	free(known);
	return false;
}

static bool evaluate_name(struct evaluation *ev, const struct node *node,
			  struct value *out)
{
	const struct binding *binding =
		find_binding(ev->expression, ev->scope, node);
	const struct value *constant;

	if (binding) {
		out->kind = VALUE_ARRAY;
		out->array = dpr_array_retain(binding->array);
		return true;
	}
	constant = find_constant(ev->expression, node);
	if (!constant)
		return fail_unknown_name(ev->expression, ev->scope, node,
					 ev->message);
	*out = *constant;
	return true;
}

/* A string can only be the name of a dtype. */
static bool evaluate_string(struct evaluation *ev, const struct node *node,
			    struct value *out)
{
	const struct value *constant = find_constant(ev->expression, node);

	if (!constant || constant->kind != VALUE_DTYPE)
		return message_set_at(
			ev->message, node->column, "'%.*s' is not a dtype",
			node->length > 40 ? 40 : (int)node->length,
			ev->expression->text + node->column);
	*out = *constant;
	return true;
}

/* --- Calls --------------------------------------------------------------- */

static const struct function *find_function(const struct expression *e,
					    const struct node *node)
{
	return functions_find(e->text + node->column, node->length);
}

static bool fail_unknown_function(const struct expression *e,
				  const struct scope *scope,
				  const struct node *node,
				  struct message *message)
{
	int length = node->length > 40 ? 40 : (int)node->length;
	const char *text = e->text + node->column;
	const char *near = functions_nearest(text, node->length);

	if (find_binding(e, scope, node) || find_constant(e, node))
		return message_set_at(message, node->column,
				      "%.*s is not a function", length, text);
	if (near)
		return message_set_at(message, node->column,
				      "unknown function '%.*s'; is it %s?",
				      length, text, near);
	return message_set_at(message, node->column,
			      "unknown function '%.*s'; dpr eval --help lists "
			      "those that there are",
			      length, text);
}

/* The parameter that a keyword argument names, -1 if there is none. */
static int find_parameter(const struct expression *e, const struct node *node,
			  const struct function *function)
{
	int i;

	for (i = 0; i < functions_arity(function); i++)
		if (expression_is(e, node, function->parameters[i]))
			return i;
	return -1;
}

/* Which parameter each argument is for; -1 in place[] for those left out,
   else the argument's place among the children. */
static bool place_arguments(const struct expression *e, const struct node *node,
			    const struct function *f,
			    int place[FUNCTION_MAX_PARAMETERS],
			    struct message *message)
{
	const size_t *children = expression_children(e, node);
	size_t n;
	int i;

	for (i = 0; i < FUNCTION_MAX_PARAMETERS; i++)
		place[i] = -1;
	for (n = 0; n < node->n_children; n++) {
		const struct node *child = &e->nodes[children[n]];

		if (child->kind != NODE_KEYWORD) {
			if (n >= (size_t)f->positional)
				return message_set_at(message, node->column,
						      "%s takes %d argument%s "
						      "without a name",
						      f->name, f->positional,
						      f->positional == 1 ? ""
									 : "s");
			place[n] = (int)n;
			continue;
		}
		i = find_parameter(e, child, f);
		if (i < 0)
			return message_set_at(message, child->column,
					      "%s has no argument of this name",
					      f->name);
		if (place[i] >= 0)
			return message_set_at(message, child->column,
					      "%s is given twice",
					      f->parameters[i]);
		place[i] = (int)n;
	}
	for (i = 0; i < f->required; i++)
		if (place[i] < 0)
			return message_set_at(message, node->column,
					      "%s needs %s", f->name,
					      f->parameters[i]);
	return true;
}

/* Move the value out of a child, which then holds nothing. */
static struct value take_value(struct evaluation *ev, size_t child)
{
	struct value value = ev->values[child];

	memset(&ev->values[child], 0, sizeof(value));
	return value;
}

static bool run_call(struct evaluation *ev, struct call *call,
		     struct value *out)
{
	bool ok;
	int i;

	call->queue = ev->scope->queue;
	call->message = ev->message;
	ok = functions_run(call);
	for (i = 0; i < FUNCTION_MAX_PARAMETERS; i++)
		value_clear(&call->arguments[i]);
	if (ok)
		*out = call->result;
	else
		value_clear(&call->result);
	return ok;
}

static bool evaluate_call(struct evaluation *ev, const struct node *node,
			  struct value *out)
{
	const struct expression *e = ev->expression;
	const size_t *children = expression_children(e, node);
	struct call call = { .function = find_function(e, node),
			     .column = node->column };
	int place[FUNCTION_MAX_PARAMETERS], i;

	if (!call.function)
		return fail_unknown_function(e, ev->scope, node, ev->message);
	if (!place_arguments(e, node, call.function, place, ev->message))
		return false;
	for (i = 0; i < FUNCTION_MAX_PARAMETERS; i++)
		if (place[i] >= 0) {
			call.arguments[i] = take_value(ev, children[place[i]]);
			call.columns[i] = e->nodes[children[place[i]]].column;
		}
	return run_call(ev, &call, out);
}

/* --- Operators and the rest ---------------------------------------------- */

/* Only numbers: Python's rules, on the host. */
static bool evaluate_numbers(struct evaluation *ev, const struct node *node,
			     struct value *out)
{
	const size_t *child = expression_children(ev->expression, node);
	dpr_operand a = ev->values[child[0]].scalar;
	bool ok;

	if (node->kind == NODE_UNARY)
		ok = number_unary(node->op, a, &out->scalar, ev->message);
	else
		ok = number_binary(node->op, a, ev->values[child[1]].scalar,
				   &out->scalar, ev->message);
	out->kind = VALUE_SCALAR;
	if (!ok)
		ev->message->column = node->column;
	return ok;
}

static bool evaluate_operator(struct evaluation *ev, const struct node *node,
			      struct value *out)
{
	const size_t *children = expression_children(ev->expression, node);
	struct call call = { .column = node->column };
	bool arrays = false;
	size_t i;

	for (i = 0; i < node->n_children; i++) {
		enum value_kind kind = ev->values[children[i]].kind;

		if (kind != VALUE_ARRAY && kind != VALUE_SCALAR)
			return message_set_at(ev->message, node->column,
					      "%s works on arrays and numbers",
					      lexer_token_text(node->op));
		arrays |= kind == VALUE_ARRAY;
	}
	if (!arrays)
		return evaluate_numbers(ev, node, out);
	call.function =
		functions_of_operator(node->op, node->kind == NODE_UNARY);
	/* Without a function for it, +x is x. */
	if (!call.function && node->op == TOKEN_ADD) {
		*out = take_value(ev, children[0]);
		return true;
	}
	if (!call.function)
		return message_set_at(ev->message, node->column,
				      "%s is not available for arrays",
				      lexer_token_text(node->op));
	for (i = 0; i < node->n_children; i++) {
		call.arguments[i] = take_value(ev, children[i]);
		call.columns[i] = ev->expression->nodes[children[i]].column;
	}
	return run_call(ev, &call, out);
}

static bool evaluate_tuple(struct evaluation *ev, const struct node *node,
			   struct value *out)
{
	const size_t *children = expression_children(ev->expression, node);
	size_t i;

	out->kind = VALUE_TUPLE;
	out->items = calloc(node->n_children ? node->n_children : 1,
			    sizeof(*out->items));
	if (!out->items)
		return message_set(ev->message, "out of memory");
	for (i = 0; i < node->n_children; i++)
		out->items[out->count++] = take_value(ev, children[i]);
	return true;
}

static bool evaluate_node(struct evaluation *ev, const struct node *node,
			  struct value *out)
{
	switch (node->kind) {
	case NODE_NUMBER:
		out->kind = VALUE_SCALAR;
		out->scalar = node->number;
		return true;
	case NODE_NAME: return evaluate_name(ev, node, out);
	case NODE_STRING: return evaluate_string(ev, node, out);
	case NODE_UNARY:
	case NODE_BINARY: return evaluate_operator(ev, node, out);
	case NODE_CALL: return evaluate_call(ev, node, out);
	case NODE_KEYWORD:
		*out = take_value(ev,
				  *expression_children(ev->expression, node));
		return true;
	case NODE_TUPLE: return evaluate_tuple(ev, node, out);
	}
	return message_set(ev->message, "unknown kind of node");
}

bool evaluate(const struct expression *e, const struct scope *scope,
	      struct value *out, struct message *message)
{
	struct evaluation ev = { .expression = e,
				 .scope = scope,
				 .message = message };
	bool ok = true;
	size_t i;

	memset(out, 0, sizeof(*out));
	ev.values = calloc(e->n_nodes, sizeof(*ev.values));
	if (!ev.values)
		return message_set(message, "out of memory");
	for (i = 0; ok && i < e->n_nodes; i++)
		ok = evaluate_node(&ev, &e->nodes[i], &ev.values[i]);
	if (ok)
		*out = take_value(&ev, e->n_nodes - 1);
	for (i = 0; i < e->n_nodes; i++)
		value_clear(&ev.values[i]);
	free(ev.values);
	if (ok && out->kind != VALUE_ARRAY && out->kind != VALUE_SCALAR) {
		value_clear(out);
		return message_set_at(message, 0,
				      "the result is neither an array nor a "
				      "number");
	}
	return ok;
}

bool evaluate_check(const struct expression *e, const struct scope *scope,
		    bool *used, struct message *message)
{
	int place[FUNCTION_MAX_PARAMETERS];
	const struct binding *binding;
	size_t i;

	for (i = 0; i < e->n_nodes; i++) {
		const struct node *node = &e->nodes[i];

		if (node->kind == NODE_NAME) {
			binding = find_binding(e, scope, node);
			if (binding)
				used[binding - scope->bindings] = true;
			else if (!find_constant(e, node))
				return fail_unknown_name(e, scope, node,
							 message);
		} else if (node->kind == NODE_CALL) {
			if (!find_function(e, node))
				return fail_unknown_function(e, scope, node,
							     message);
			if (!place_arguments(e, node, find_function(e, node),
					     place, message))
				return false;
		}
	}
	return true;
}
