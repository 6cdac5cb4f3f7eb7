/* SPDX-License-Identifier: Apache-2.0 */
/* plan_faults.c - error texts of plans: what was probably meant. */
#include "core/array/expression/faults/plan_faults.h"

#include "core/array/expression/foreign.h"
#include "core/array/expression/functions.h"
#include "core/array/expression/names.h"
#include "core/base/text.h"

/* Fail because @node is an unknown @what.  The text suggests the name @near. */
static dpr_status fail_near(struct planner *p, const struct scope *scope,
			    const struct node *node, const char *near,
			    const char *what)
{
	names_note_nearest(near);
	return planner_fail(p, scope, node, "%s '%.*s'; did you mean %s?", what,
			    planner_length(node), planner_text(scope, node),
			    near);
}

dpr_status plan_faults_dtype(struct planner *p, const struct scope *scope,
			     const struct node *node)
{
	const char *name = planner_text(scope, node);
	struct suggestion near = suggest_start(name, node->length);
	const char *best = foreign_dtype(name, node->length);
	dpr_status status;

	names_offer_dtypes(&near);
	if (!best)
		best = near.best;
	status = best ? fail_near(p, scope, node, best, "unknown dtype")
		      : planner_fail(p, scope, node,
				     "'%.*s' is neither a dtype nor \"wrap\", "
				     "\"clip\", \"check\" or another word "
				     "that a function takes",
				     planner_length(node), name);
	suggest_end(&near);
	return status;
}

dpr_status plan_faults_several(struct planner *p, const struct scope *scope,
			       const struct node *node, size_t n)
{
	const char *name = planner_text(scope, node);
	struct text names = { 0 };
	dpr_status status;

	/* There may be more results than letters. */
	for (size_t i = 0; i < n && i < 3; i++)
		text_print(&names, "%s%c", i ? ", " : "", "qrs"[i]);
	status = planner_fail(p, scope, node,
			      "%.*s gives %zu results: write %s%s = %.*s(...)",
			      planner_length(node), name, n, text_get(&names),
			      n > 3 ? ", ..." : "", planner_length(node), name);
	text_fini(&names);
	return status;
}

dpr_status plan_faults_function(struct planner *p, const struct scope *scope,
				const struct node *node)
{
	const char *name = planner_text(scope, node);
	const char *dtype = foreign_dtype(name, node->length);
	const char *best = foreign_function(name, node->length);
	const char *lack = foreign_lack(name, node->length);
	struct suggestion near = suggest_start(name, node->length);
	struct definition *defined = NULL;
	const int n = planner_length(node);
	dpr_status status;

	functions_offer(&near);
	for (struct definition *d = p->own; d; d = d->next)
		suggest_offer(&near, d->signature.name);
	definitions_offer(&near, &defined);
	if (!best)
		best = near.best;
	if (dtype)
		status = planner_fail(p, scope, node,
				      "%.*s is not a function; write "
				      "astype(..., %s)",
				      n, name, dtype);
	else if (lack)
		status = planner_fail(p, scope, node, "%s %.*s yet", lack, n,
				      name);
	else if (best)
		status = fail_near(p, scope, node, best, "unknown function");
	else
		status = planner_fail(p, scope, node,
				      "unknown function '%.*s'; "
				      "dpr_expression_function() and dpr eval "
				      "--help list the functions",
				      n, name);
	definitions_release(defined);
	suggest_end(&near);
	return status;
}

dpr_status plan_faults_parameter(struct planner *p, const struct scope *scope,
				 const struct node *node,
				 const struct signature *s)
{
	const char *name = planner_text(scope, node);
	struct suggestion near = suggest_start(name, node->length);
	struct text known = { 0 };
	dpr_status status;

	for (int i = 0; i < s->n; i++)
		suggest_offer(&near, s->parameters[i]);
	suggest_list(&near, &known);
	names_note_nearest(near.best);
	status = planner_fail(
		p, scope, node,
		"%s has no argument '%.*s'; its arguments: %s%s%s%s", s->name,
		planner_length(node), name, text_get(&known),
		near.best ? "; did you mean " : "", near.best ? near.best : "",
		near.best ? "?" : "");
	text_fini(&known);
	suggest_end(&near);
	return status;
}
