/* SPDX-License-Identifier: Apache-2.0 */
/* planner.h - a plan that is being made, and the meaning of names. */
#ifndef ARRAY_PLANNER_H
#define ARRAY_PLANNER_H

#include "core/array/expression/plan.h"
#include "core/base/status.h"

/* The meaning of the names in a tree. */
struct scope {
	const struct tree *tree;
	size_t *steps; /* the step of each node of the tree */
	/* For the body of a function: the function, the steps of the arguments,
	   and the place of the call.  All are NULL for the expression itself.
	   */
	const struct definition *definition;
	const size_t *arguments;
	const struct place *site;
	int depth;
	size_t first_name; /* the first name of this scope in planner.names */
};

struct planner {
	struct plan *plan;
	struct place *fault;
	/* The expression's own functions.  They hide functions of the process
	   that have the same names. */
	struct definition *own;
	/* The definition that is being checked.  The definition keeps
	   references to the functions that its body calls. */
	struct definition *checked;
	/* the number of nodes planned so far; each node makes at most one
	   step */
	size_t nodes;
	size_t operand_steps[PLAN_MAX_NAMES];
	/* The names that statements of this scope, and of the scopes around it,
	   have defined. */
	struct {
		const struct node *node;
		size_t step;
	} names[PLAN_MAX_NAMES];
	size_t n_names;
	/* the name of the outermost function whose text (derived_table.c) is
	   being planned; NULL if there is none */
	const char *derived;
};

/* The place of a node in the expression.  A node in a function's body has the
   place of the call. */
static inline struct place planner_place(const struct scope *scope,
					 const struct node *node)
{
	return scope->site ? *scope->site
			   : (struct place){ node->column, node->length };
}

/* Fail because of @node. */
#define planner_fail(p, scope, node, ...)              \
	(*(p)->fault = planner_place((scope), (node)), \
	 fail(DPR_ERROR_INVALID_ARGUMENT, __VA_ARGS__))

/* The text of a node, for "%.*s". */
static inline const char *planner_text(const struct scope *scope,
				       const struct node *node)
{
	return scope->tree->text + node->column;
}

/* The length of the text, for an error. */
static inline int planner_length(const struct node *node)
{
	return node->length > 40 ? 40 : (int)node->length;
}

#endif
