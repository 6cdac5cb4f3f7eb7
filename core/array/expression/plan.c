/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - makes steps from the parsed tree of an expression. */
#include "core/array/expression/plan.h"

#include <string.h>

#include "core/array/expression/calls/linalg_calls.h"
#include "core/array/expression/derived_table.h"
#include "core/array/expression/faults/plan_faults.h"
#include "core/array/expression/functions.h"
#include "core/array/expression/inner/inner.h"
#include "core/array/expression/names.h"
#include "core/array/expression/plan_steps.h"
#include "core/array/expression/planner.h"
#include "core/base/mem.h"

static dpr_status plan_scope(struct planner *p, struct scope *scope,
			     size_t *root);

/* --- Steps --------------------------------------------------------------- */

static dpr_status add_step(struct planner *p, enum plan_kind kind,
			   struct place place, struct plan_step **out)
{
	dpr_status status = plan_steps_add(p->plan, kind, place, out);

	if (!status)
		(*out)->derived = p->derived;
	return status;
}

static dpr_status add_argument(struct planner *p, struct plan_step *step,
			       size_t argument)
{
	return plan_steps_argument(p->plan, step, argument);
}

static dpr_status add_value(struct planner *p, struct place place,
			    const struct value *value, size_t *out)
{
	struct plan_step *step;
	dpr_status status = add_step(p, PLAN_VALUE, place, &step);

	if (status)
		return status;
	step->value = *value;
	*out = p->plan->n_steps - 1;
	return DPR_OK;
}

static dpr_status add_tuple(struct planner *p, const struct scope *scope,
			    const struct node *node, size_t *out)
{
	const size_t *children = parser_children(scope->tree, node);
	struct plan_step *step;
	dpr_status status;

	for (size_t i = 0; i < node->n_children; i++)
		if (p->plan->steps[scope->steps[children[i]]].kind ==
		    PLAN_TUPLE)
			return planner_fail(p, scope,
					    &scope->tree->nodes[children[i]],
					    "a tuple cannot be in a tuple");
	status = add_step(p, PLAN_TUPLE, planner_place(scope, node), &step);
	for (size_t i = 0; !status && i < node->n_children; i++)
		status = add_argument(p, step, scope->steps[children[i]]);
	*out = p->plan->n_steps - 1;
	return status;
}

/* Plan a NODE_VIEW, whose children are an array and its indices.  An index that
   has a child is argument `reserved` of the step. */
static dpr_status plan_view(struct planner *p, const struct scope *scope,
			    const struct node *node, size_t *out)
{
	const size_t *children = parser_children(scope->tree, node);
	struct plan *plan = p->plan;
	struct plan_step *step;
	dpr_status status;

	status = add_step(p, PLAN_VIEW, planner_place(scope, node), &step);
	if (!status)
		status = add_argument(p, step, scope->steps[children[0]]);
	if (status)
		return status;
	step->first_index = plan->n_indices;
	step->n_indices = node->n_children - 1;
	for (size_t i = 1; !status && i < node->n_children; i++) {
		const struct node *index = &scope->tree->nodes[children[i]];

		if (!plan_steps_grow((void **)&plan->indices, plan->n_indices,
				     &plan->indices_room,
				     sizeof(*plan->indices)))
			return fail_memory("expression");
		plan->indices[plan->n_indices++] = index->index;
		if (!index->n_children)
			continue;
		plan->indices[plan->n_indices - 1].reserved = (uint32_t)step->n;
		status = add_argument(
			p, step,
			scope->steps[*parser_children(scope->tree, index)]);
	}
	*out = plan->n_steps - 1;
	return status;
}

/* --- Names --------------------------------------------------------------- */

static dpr_status find_operand(struct planner *p, const struct scope *scope,
			       const struct node *node, bool required,
			       size_t *out)
{
	struct plan *plan = p->plan;
	struct plan_step *step;
	dpr_status status;
	char *name;

	for (size_t i = 0; i < plan->n_operands; i++)
		if (parser_is(scope->tree, node, plan->operands[i].name)) {
			*out = p->operand_steps[i];
			return DPR_OK;
		}
	if (plan->n_operands == PLAN_MAX_NAMES)
		return planner_fail(p, scope, node,
				    "the expression has more than %d operands",
				    PLAN_MAX_NAMES);
	status = add_step(p, PLAN_OPERAND, planner_place(scope, node), &step);
	if (status)
		return status;
	if (!plan_steps_grow((void **)&plan->operands, plan->n_operands,
			     &plan->operands_room, sizeof(*plan->operands)))
		return fail_memory("expression");
	name = mem_alloc(node->length + 1);
	if (!name)
		return fail_memory("expression");
	memcpy(name, planner_text(scope, node), node->length);
	step->operand = plan->n_operands;
	*out = p->operand_steps[plan->n_operands] = plan->n_steps - 1;
	plan->operands[plan->n_operands++] =
		(dpr_expression_operand){ .name = name,
					  .column = node->column + 1,
					  .length = node->length,
					  .required = required };
	return DPR_OK;
}

/* Find a parameter of the function, or a name that an earlier statement has
   defined. */
static bool find_local(const struct planner *p, const struct scope *scope,
		       const struct node *node, size_t *out)
{
	const struct signature *s;

	if (scope->definition) {
		s = &scope->definition->signature;
		for (int i = 0; i < s->n; i++)
			if (parser_is(scope->tree, node, s->parameters[i])) {
				*out = scope->arguments[i];
				return true;
			}
	}
	for (size_t i = scope->first_name; i < p->n_names; i++) {
		const struct node *name = p->names[i].node;

		if (name->length == node->length &&
		    !memcmp(planner_text(scope, name),
			    planner_text(scope, node), node->length)) {
			*out = p->names[i].step;
			return true;
		}
	}
	return false;
}

static dpr_status plan_name(struct planner *p, const struct scope *scope,
			    const struct node *node, size_t *out)
{
	const struct name_constant *constant;

	if (find_local(p, scope, node, out))
		return DPR_OK;
	constant = names_find(planner_text(scope, node), node->length);
	if (constant && (constant->is_word || scope->definition))
		return add_value(p, planner_place(scope, node),
				 &constant->value, out);
	if (scope->definition)
		return planner_fail(
			p, scope, node,
			"unknown name '%.*s'; a function knows only "
			"its parameters, its own parts, constants and "
			"dtypes",
			planner_length(node), planner_text(scope, node));
	return find_operand(p, scope, node, !constant, out);
}

/* Plan a string: the name of a dtype, or a word that a function takes. */
static dpr_status plan_string(struct planner *p, const struct scope *scope,
			      const struct node *node, size_t *out)
{
	const struct name_constant *constant =
		names_find(planner_text(scope, node), node->length);

	struct value bounds = { .kind = VALUE_BOUNDS };
	struct value word = { .kind = VALUE_WORD };

	if (names_bounds(planner_text(scope, node), node->length,
			 &bounds.bounds))
		return add_value(p, planner_place(scope, node), &bounds, out);
	if (names_word(planner_text(scope, node), node->length, &word.word))
		return add_value(p, planner_place(scope, node), &word, out);
	if (!constant || constant->value.kind != VALUE_DTYPE)
		return plan_faults_dtype(p, scope, node);
	return add_value(p, planner_place(scope, node), &constant->value, out);
}

/* Whether the name of @node was already used as an operand. */
static bool is_operand(const struct planner *p, const struct scope *scope,
		       const struct node *node)
{
	for (size_t i = 0; i < p->plan->n_operands; i++)
		if (parser_is(scope->tree, node, p->plan->operands[i].name))
			return true;
	return false;
}

/* Give the name @node to @step. */
static dpr_status add_name(struct planner *p, const struct scope *scope,
			   const struct node *node, size_t step)
{
	const char *name = planner_text(scope, node);
	const struct name_constant *constant = names_find(name, node->length);
	int length = planner_length(node);
	size_t before;

	if (constant && constant->is_word)
		return planner_fail(p, scope, node,
				    "'%.*s' is a reserved word and cannot be "
				    "given a value",
				    length, name);
	if (find_local(p, scope, node, &before))
		return planner_fail(
			p, scope, node,
			"'%.*s' has a value already; use another name", length,
			name);
	if (!scope->definition && is_operand(p, scope, node))
		return planner_fail(p, scope, node,
				    "'%.*s' was used before as an operand "
				    "of the expression; use another name",
				    length, name);
	if (p->n_names == PLAN_MAX_NAMES)
		return planner_fail(
			p, scope, node,
			"the expression defines more than %d names, "
			"including those of its functions",
			PLAN_MAX_NAMES);
	p->names[p->n_names].node = node;
	p->names[p->n_names++].step = step;
	return DPR_OK;
}

/* Check that no child of @node has several results.  Only a statement, and the
   only result of a text, may have some. */
static dpr_status check_children(struct planner *p, const struct scope *scope,
				 const struct node *node)
{
	const size_t *children = parser_children(scope->tree, node);

	if (node->kind == NODE_ASSIGN ||
	    (node->kind == NODE_RESULTS && node->n_children == 1))
		return DPR_OK;
	for (size_t i = 0; i < node->n_children; i++) {
		const size_t at = scope->steps[children[i]];

		if (at < p->plan->n_steps &&
		    p->plan->steps[at].kind == PLAN_RESULTS)
			return plan_faults_several(
				p, scope, &scope->tree->nodes[children[i]],
				p->plan->steps[at].n);
	}
	return DPR_OK;
}

static dpr_status plan_assign(struct planner *p, const struct scope *scope,
			      const struct node *node)
{
	const size_t *children = parser_children(scope->tree, node);
	const struct node *value = &scope->tree->nodes[children[0]];
	const size_t at = scope->steps[children[0]];
	const struct plan_step *step = &p->plan->steps[at];
	const bool several = step->kind == PLAN_RESULTS;
	const size_t first = step->first, n = node->n_children - 1;
	dpr_status status = DPR_OK;

	if (several && n == 1)
		return plan_faults_several(p, scope, value, step->n);
	if (n != (several ? step->n : 1))
		return planner_fail(
			p, scope, node,
			"there are %zu names, but the value has %zu "
			"result%s",
			n, several ? step->n : 1, several ? "s" : "");
	for (size_t i = 0; !status && i < n; i++)
		status =
			add_name(p, scope, &scope->tree->nodes[children[1 + i]],
				 several ? p->plan->arguments[first + i] : at);
	return status;
}

/* --- Calls --------------------------------------------------------------- */

static dpr_status fail_unknown_function(struct planner *p,
					const struct scope *scope,
					const struct node *node)
{
	const char *name = planner_text(scope, node);
	size_t local;

	if (scope->definition &&
	    parser_is(scope->tree, node, scope->definition->signature.name))
		return planner_fail(p, scope, node, "%.*s cannot call itself",
				    planner_length(node), name);
	if (find_local(p, scope, node, &local) ||
	    names_find(name, node->length))
		return planner_fail(p, scope, node, "%.*s is not a function",
				    planner_length(node), name);
	if (is_operand(p, scope, node))
		return planner_fail(p, scope, node,
				    "%.*s is an operand here, not a function",
				    planner_length(node), name);
	return plan_faults_function(p, scope, node);
}

/* The parameter that a keyword argument names, or -1. */
static int find_parameter(const struct scope *scope, const struct node *node,
			  const struct signature *s)
{
	for (int i = 0; i < s->n; i++)
		if (parser_is(scope->tree, node, s->parameters[i]))
			return i;
	return -1;
}

/* Find the argument for each parameter: its step, or PLAN_ABSENT if it was left
   out. */
static dpr_status place_arguments(struct planner *p, const struct scope *scope,
				  const struct node *node,
				  const struct signature *s,
				  size_t steps[PLAN_MAX_PARAMETERS])
{
	const size_t *children = parser_children(scope->tree, node);

	for (int i = 0; i < PLAN_MAX_PARAMETERS; i++)
		steps[i] = PLAN_ABSENT;
	for (size_t n = 0; n < node->n_children; n++) {
		const struct node *child = &scope->tree->nodes[children[n]];
		int i = (int)n;

		if (child->kind == NODE_KEYWORD) {
			i = find_parameter(scope, child, s);
			if (i < 0)
				return plan_faults_parameter(p, scope, child,
							     s);
			if (steps[i] != PLAN_ABSENT)
				return planner_fail(p, scope, child,
						    "%s is given twice",
						    s->parameters[i]);
		} else if (n >= (size_t)s->positional) {
			return planner_fail(p, scope, node,
					    "%s takes at most %d argument%s "
					    "without a name",
					    s->name, s->positional,
					    s->positional == 1 ? "" : "s");
		}
		steps[i] = scope->steps[children[n]];
	}
	for (int i = 0; i < s->required; i++)
		if (steps[i] == PLAN_ABSENT)
			return planner_fail(p, scope, node,
					    "%s needs the argument %s", s->name,
					    s->parameters[i]);
	return DPR_OK;
}

/* Substitute the steps of a function's body for its call. */
static dpr_status substitute(struct planner *p, const struct scope *scope,
			     const struct node *node,
			     const struct definition *definition, size_t *out)
{
	const struct place site = planner_place(scope, node);
	size_t arguments[PLAN_MAX_PARAMETERS];
	struct scope inner = { .tree = &definition->tree,
			       .definition = definition,
			       .arguments = arguments,
			       .site = &site,
			       .depth = scope->depth + 1 };
	dpr_status status;

	if (inner.depth > PLAN_MAX_DEPTH)
		return planner_fail(
			p, scope, node,
			"calls of functions are nested more than %d "
			"deep",
			PLAN_MAX_DEPTH);
	status = place_arguments(p, scope, node, &definition->signature,
				 arguments);
	return status ? status : plan_scope(p, &inner, out);
}

/* Find a function of the program, and take a reference.  A body calls the
   functions that existed when the body was defined. */
static struct definition *find_defined(struct planner *p,
				       const struct scope *scope,
				       const struct node *node)
{
	const char *name = planner_text(scope, node);
	struct definition *d;

	if (scope->definition && scope->definition != p->checked)
		return definitions_find_used(scope->definition, name,
					     node->length);
	/* A definition calls neither itself nor another function of the same
	   name. */
	if (scope->definition &&
	    parser_is(scope->tree, node, scope->definition->signature.name))
		return NULL;
	d = definitions_find_in(p->own, name, node->length);
	return d ? d
		 : definitions_find(DEFINITIONS_PROGRAM, name, node->length);
}

/* Plan a call of a function of the program. */
static dpr_status plan_defined(struct planner *p, const struct scope *scope,
			       const struct node *node, size_t *out)
{
	struct definition *definition = find_defined(p, scope, node);
	dpr_status status;

	if (!definition)
		return fail_unknown_function(p, scope, node);
	if (p->checked && p->checked == scope->definition &&
	    !definitions_use(p->checked, definition))
		status = fail_memory("expression");
	else
		status = substitute(p, scope, node, definition, out);
	definitions_release(definition);
	return status;
}

static dpr_status add_call(struct planner *p, struct place place,
			   const struct function *function, const size_t *steps,
			   size_t *out)
{
	struct plan_step *step;
	dpr_status status = add_step(p, PLAN_CALL, place, &step);

	if (status)
		return status;
	step->function = function;
	for (int i = 0; !status && i < function->signature.n; i++)
		status = add_argument(p, step, steps[i]);
	*out = p->plan->n_steps - 1;
	return status;
}

/* Add a call of a function that has several results, and a step for each of
   them. */
static dpr_status add_several(struct planner *p, struct place place,
			      const struct function *function,
			      const size_t *steps, size_t *out)
{
	struct value number = { .kind = VALUE_SCALAR };
	size_t parts[PLAN_MAX_PARAMETERS], part[2];
	struct plan_step *step;
	dpr_status status = add_call(p, place, function, steps, &part[0]);

	for (int k = 0; !status && k < function->results; k++) {
		number.scalar = dpr_operand_int(k);
		status = add_value(p, place, &number, &part[1]);
		if (!status)
			status = add_call(p, place, &linalg_calls_part, part,
					  &parts[k]);
	}
	if (!status)
		status = add_step(p, PLAN_RESULTS, place, &step);
	for (int k = 0; !status && k < function->results; k++)
		status = add_argument(p, step, parts[k]);
	*out = p->plan->n_steps - 1;
	return status;
}

/* The argument of the parameter @name.  PLAN_ABSENT if it was left out, or if
   the function has no such parameter. */
static size_t argument_of(const struct signature *s, const size_t *arguments,
			  const char *name)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->parameters[i], name))
			return arguments[i];
	return PLAN_ABSENT;
}

/* Remove the reduced axes from *@out, the result of a text, unless keepdims is
   True. */
static dpr_status drop_axes(struct planner *p, struct place place,
			    const struct function *function,
			    const size_t *arguments, size_t *out)
{
	const size_t keep =
		argument_of(&function->signature, arguments, "keepdims");
	const struct value *keepdims = &p->plan->steps[keep].value;
	const size_t steps[] = { *out, arguments[1], keep };

	if (keepdims->scalar.kind == DPR_OPERAND_BOOL && keepdims->scalar.as.u)
		return DPR_OK;
	return add_call(p, place, inner_find("drop_axes", 9), steps, out);
}

/* Plan a call that a text computes.  Pass @masked = true for the text of a call
   with `where`.  If a function of derived_table[] has defaults for missing
   arguments, @arguments gets the steps of these defaults. */
static dpr_status plan_text(struct planner *p, const struct scope *scope,
			    const struct node *node,
			    const struct function *function, bool masked,
			    size_t *arguments, size_t *out)
{
	const struct derived *derived = function->derived;
	const struct signature *s = &function->signature;
	const char *const outer = p->derived;
	const struct place site = planner_place(scope, node);
	struct definition *definition;
	struct value value;
	struct scope inner = { .arguments = arguments,
			       .site = &site,
			       .depth = scope->depth + 1 };
	dpr_status status = DPR_OK;

	for (int i = 0; !status && derived && i < s->n; i++)
		if (arguments[i] == PLAN_ABSENT &&
		    derived_table_default(function, i, &value))
			status = add_value(p, site, &value, &arguments[i]);
	if (!status)
		status = derived_table_definition(
			masked ? function
			       : derived_table_planned(function, p->plan,
						       arguments),
			masked ? DERIVED_CALL_MASKED : DERIVED_CALL_PLAIN,
			&definition);
	if (status)
		return status;
	inner.tree = &definition->tree;
	inner.definition = definition;
	p->derived = outer ? outer : s->name;
	status = plan_scope(p, &inner, out);
	if (!status && derived && derived_keeps_axes(derived->form))
		status = drop_axes(p, site, function, arguments, out);
	p->derived = outer;
	definitions_release(definition);
	return status;
}

static dpr_status plan_call(struct planner *p, const struct scope *scope,
			    const struct node *node, size_t *out)
{
	const char *name = planner_text(scope, node);
	const struct function *function =
		p->derived ? inner_find(name, node->length) : NULL;
	size_t steps[PLAN_MAX_PARAMETERS];
	dpr_status status;
	bool masked;

	if (!function)
		function = functions_find(name, node->length);
	if (!function)
		return plan_defined(p, scope, node, out);
	status = place_arguments(p, scope, node, &function->signature, steps);
	if (status)
		return status;
	masked = argument_of(&function->signature, steps, "where") !=
		 PLAN_ABSENT;
	if (masked || function->derived)
		return plan_text(p, scope, node, function, masked, steps, out);
	if (function->chooses)
		plan_steps_choose(p->plan, steps);
	if (function->results)
		return add_several(p, planner_place(scope, node), function,
				   steps, out);
	return add_call(p, planner_place(scope, node), function, steps, out);
}

static dpr_status plan_operator(struct planner *p, const struct scope *scope,
				const struct node *node, size_t *out)
{
	const size_t *children = parser_children(scope->tree, node);
	struct plan_step *step;
	dpr_status status;

	status = add_step(p, PLAN_CALL, planner_place(scope, node), &step);
	if (status)
		return status;
	step->op = node->op;
	step->function =
		functions_of_operator(node->op, node->kind == NODE_UNARY);
	for (size_t i = 0; !status && i < node->n_children; i++) {
		status = add_argument(p, step, scope->steps[children[i]]);
		if (parser_is_loose(scope->tree, node, i))
			p->plan->steps[scope->steps[children[i]]].loose = true;
	}
	*out = p->plan->n_steps - 1;
	return status;
}

/* --- Trees --------------------------------------------------------------- */

/* Sets *@out to the step of the results: the only result, or PLAN_RESULTS. */
static dpr_status plan_results(struct planner *p, const struct scope *scope,
			       const struct node *node, size_t *out)
{
	const size_t *children = parser_children(scope->tree, node);
	struct plan_step *step;
	dpr_status status;

	*out = scope->steps[children[0]];
	if (node->n_children == 1)
		return DPR_OK;
	status = add_step(p, PLAN_RESULTS, planner_place(scope, node), &step);
	for (size_t i = 0; !status && i < node->n_children; i++)
		status = add_argument(p, step, scope->steps[children[i]]);
	*out = p->plan->n_steps - 1;
	return status;
}

/* Set the results of the plan, whose step is @root. */
static dpr_status take_results(struct plan *plan, size_t root)
{
	const struct plan_step *step = &plan->steps[root];
	const bool several = step->kind == PLAN_RESULTS;
	const size_t n = several ? step->n : 1;

	plan->results = mem_array(n, sizeof(*plan->results));
	if (!plan->results)
		return fail_memory("expression");
	plan->n_results = n;
	for (size_t i = 0; i < n; i++)
		plan->results[i] =
			several ? plan->arguments[step->first + i] : root;
	return DPR_OK;
}

static dpr_status plan_node(struct planner *p, const struct scope *scope,
			    const struct node *node, size_t *out)
{
	struct value number = { .kind = VALUE_SCALAR, .scalar = node->number };
	dpr_status status = check_children(p, scope, node);

	if (status)
		return status;
	switch (node->kind) {
	case NODE_NUMBER:
		return add_value(p, planner_place(scope, node), &number, out);
	case NODE_NAME: return plan_name(p, scope, node, out);
	case NODE_STRING: return plan_string(p, scope, node, out);
	case NODE_UNARY:
	case NODE_BINARY: return plan_operator(p, scope, node, out);
	case NODE_CALL: return plan_call(p, scope, node, out);
	case NODE_KEYWORD:
		*out = scope->steps[*parser_children(scope->tree, node)];
		return DPR_OK;
	case NODE_TUPLE: return add_tuple(p, scope, node, out);
	case NODE_INDEX:  /* a part of plan_view() */
	case NODE_TARGET: /* a part of plan_assign() */
		*out = PLAN_ABSENT;
		return DPR_OK;
	case NODE_VIEW: return plan_view(p, scope, node, out);
	case NODE_ASSIGN: return plan_assign(p, scope, node);
	case NODE_RESULTS: return plan_results(p, scope, node, out);
	}
	return fail(DPR_ERROR_INTERNAL, "unknown kind of node");
}

/* Add the steps of a tree.  Sets *@root to the step of its results. */
static dpr_status plan_scope(struct planner *p, struct scope *scope,
			     size_t *root)
{
	const struct tree *tree = scope->tree;
	dpr_status status = DPR_OK;

	p->nodes += tree->n_nodes;
	if (p->nodes > PLAN_MAX_STEPS) {
		if (scope->site)
			*p->fault = *scope->site;
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "the expression has more than %d steps, "
			    "including those of its functions",
			    PLAN_MAX_STEPS);
	}
	scope->steps = mem_array(tree->n_nodes, sizeof(*scope->steps));
	if (!scope->steps)
		return fail_memory("expression");
	scope->first_name = p->n_names;
	for (size_t i = 0; !status && i < tree->n_nodes; i++)
		status = plan_node(p, scope, &tree->nodes[i], &scope->steps[i]);
	p->n_names = scope->first_name;
	*root = scope->steps[tree->n_nodes - 1];
	mem_free(scope->steps);
	return status;
}

dpr_status plan_make(const char *text, struct definition *own, struct plan *out,
		     struct place *fault)
{
	struct planner p = { .plan = out, .fault = fault, .own = own };
	struct tree tree;
	struct scope scope = { .tree = &tree };
	dpr_status status;
	size_t root;

	memset(out, 0, sizeof(*out));
	status = parser_parse(text, &tree, fault);
	if (status)
		return status;
	status = plan_scope(&p, &scope, &root);
	if (!status)
		status = take_results(out, root);
	out->text = tree.text;
	tree.text = NULL;
	parser_free(&tree);
	if (status)
		plan_free(out);
	else
		plan_steps_count_uses(out);
	return status;
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_operands; i++)
		mem_free((void *)(uintptr_t)plan->operands[i].name);
	mem_free(plan->operands);
	mem_free(plan->steps);
	mem_free(plan->arguments);
	mem_free(plan->indices);
	mem_free(plan->results);
	mem_free(plan->text);
	memset(plan, 0, sizeof(*plan));
}

dpr_status plan_check(struct definition *definition, struct definition *own,
		      struct place *fault)
{
	struct plan plan = { 0 };
	struct planner p = {
		.plan = &plan, .fault = fault, .own = own, .checked = definition
	};
	size_t arguments[PLAN_MAX_PARAMETERS] = { 0 }, root;
	struct scope scope = { .tree = &definition->tree,
			       .definition = definition,
			       .arguments = arguments };
	struct plan_step *step;
	dpr_status status;

	/* The body is only checked, so one step stands for all arguments. */
	status = add_step(&p, PLAN_OPERAND, (struct place){ 0, 0 }, &step);
	if (!status)
		status = plan_scope(&p, &scope, &root);
	plan_free(&plan);
	return status;
}
