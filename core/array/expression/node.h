/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.h - calls that are put off.
 *
 * Of a call that is put off the dtype, shape, queue and kind of memory are
 * known at once.  Nodes belong to one evaluation, and so to one thread.
 */
#ifndef ARRAY_NODE_H
#define ARRAY_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/array.h>
#include <dpr/reduce.h>

#include "core/array/expression/place.h"

#define FUSION_OPERANDS 3

struct fusion_node;

/* What can be put off. */
enum fusion_kind {
	FUSION_NONE,
	FUSION_OPERATION, /* of the table */
	FUSION_WHERE,     /* condition, x1, x2 */
	FUSION_CAST,      /* astype(x, dtype) */
	FUSION_INDEX,     /* index(axis): the header's strides make the values
			   */
	FUSION_REDUCTION  /* of axes */
};

/* An operand of a node: another node, an array, or a number. */
struct fusion_operand {
	struct fusion_node *node; /* holds a reference; NULL: see `value` */
	dpr_operand value;        /* holds a reference to its array */
};

/* Of a node that reduces. */
struct fusion_reduction {
	dpr_dtype as;        /* the argument; 0: none */
	dpr_dtype cast, sum; /* reduce.h */
	bool keep;           /* keepdims */
	bool reduced[DPR_MAX_RANK];
};

struct fusion_node {
	size_t refs;
	size_t watchers; /* references of those who do not need the values */
	enum fusion_kind kind;
	struct place place; /* of the call in the text */
	/* The result before it is computed: an array without memory. */
	dpr_array *header;
	/* The result; NULL until it is computed, and again when only watchers
	   are left. */
	dpr_array *made;
	bool was_made;
	size_t kernel; /* the number of the last kernel that computed it; 0: a
			  call of its function */
	int op;        /* OPERATION; REDUCTION: enum reduction */
	bool is_root;  /* of pow with one operand, see elementwise.h */
	bool is_mixed; /* graph_compare() of operands that are not cast */
	struct fusion_reduction reduction;
	/* When it was added, it was computed from a reduction that was put off,
	   or is one; and from one after which the axes are in other places than
	   in what was reduced. */
	bool reduces, is_narrow;
	dpr_dtype compute; /* what the operands are cast to; not of CAST */
	int n;
	struct fusion_operand operand[FUSION_OPERANDS]; /* empty once made */
	/* Upper bounds: of the steps that compute it, and of the arrays and
	   numbers that they read. */
	size_t steps, leaves;
};

struct fusion_node *node_retain(struct fusion_node *node);
/* The same, for a caller that only looks at the node until the evaluation
   ends, and then calls node_unwatch(). */
struct fusion_node *node_watch(struct fusion_node *node);
void node_unwatch(struct fusion_node *node);
void node_release(struct fusion_node *node);

/* The name of the node's function. */
const char *node_name(const struct fusion_node *node);

/* Whether it is pow() with one operand: to the power of 3 or of one half. */
bool node_is_power(const struct fusion_node *node);

/* Set the node's steps and leaves; again after an operand was computed. */
void node_count(struct fusion_node *node);

/* Take references to the operands of a new node. */
void node_take_operands(struct fusion_node *node, int n,
			const struct fusion_operand *operands);

/* The node of an operand that is to be computed; NULL: there is none. */
static inline struct fusion_node *node_pending(const struct fusion_operand *x)
{
	return x->node && !x->node->made ? x->node : NULL;
}

/* Make an array for the node's result. */
dpr_status node_new_result(const struct fusion_node *node, dpr_array **out);

/* The node has its result, and needs its operands no more. */
void node_end(struct fusion_node *node);

/* Kernel @kernel has written @arrays, the results of @n nodes: give them to the
   nodes.  0: it failed; release them. */
void node_take_results(struct fusion_node *const *nodes, dpr_array **arrays,
		       int n, size_t kernel);

/* What a reduction reduces: an array that may have no memory. */
const dpr_array *node_reduced(const struct fusion_node *node);

/* Whether two nodes reduce the same axes of the same shape. */
bool node_same_rows(const struct fusion_node *a, const struct fusion_node *b);

/* Whether @x can be broadcast to the shape that @space reduces, and whether it
   has this shape, or one element for each row of it.  @narrow: without the
   reduced axes. */
bool node_fits(const dpr_array *x, const struct fusion_node *space,
	       bool narrow);
bool node_is_result(const dpr_array *x, const struct fusion_node *space,
		    bool narrow);

#endif
