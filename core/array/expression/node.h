/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.h - nodes: calls that are deferred.
 *
 * The dtype, shape, queue and kind of memory of a deferred call's result are
 * known at once.  Nodes belong to one evaluation, and so to one thread.
 */
#ifndef ARRAY_NODE_H
#define ARRAY_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/array.h>
#include <dpr/reduce.h>

#include "core/array/expression/place.h"
#include "core/array/indexing/indexing_source.h"

#define FUSION_OPERANDS 3

struct fusion_node;

/* The calls that can be deferred. */
enum fusion_kind {
	FUSION_NONE,
	FUSION_OPERATION, /* an operation of the table */
	FUSION_WHERE,     /* where(condition, x1, x2) */
	FUSION_CAST,      /* astype(x, dtype) */
	FUSION_BITS,      /* the bits of x in a dtype of the same size */
	/* index(axis); the offset and strides of the header give the values */
	FUSION_INDEX,
	FUSION_REDUCTION, /* a reduction of axes */
	FUSION_GATHER /* elements of `source`; the operands are its indices */
};

/* An operand of a node: another node, an array, or a number. */
struct fusion_operand {
	/* holds a reference; NULL if the operand is `value` */
	struct fusion_node *node;
	/* the operand, or the header of `node`; holds a reference to the
	   array */
	dpr_operand value;
};

/* The arguments of a deferred reduction. */
struct fusion_reduction {
	dpr_dtype as;        /* the dtype argument; 0 if there is none */
	dpr_dtype cast, sum; /* as in struct reduce_outcome */
	bool keep;           /* set if keepdims is true */
	bool reduced[DPR_MAX_RANK];
};

struct fusion_node {
	size_t refs;
	/* the number of references, among all `refs`, that do not need the
	   values (node_watch()) */
	size_t watchers;
	enum fusion_kind kind;
	struct place place; /* the place of the call in the text */
	/* An array without memory that describes the result. */
	dpr_array *header;
	/* The result.  NULL until the result is computed, and after all
	   references but those of watchers are gone. */
	dpr_array *made;
	bool was_made;
	/* the number of the last kernel that computed the node; 0 if its
	   function was called */
	size_t kernel;
	int op; /* for OPERATION the operation, for REDUCTION enum reduction */
	/* for pow with one operand: set if the exponent is one half, not 3 */
	bool is_root;
	/* set for a comparison that graph_compare() computes, without casts of
	   the operands */
	bool is_mixed;
	struct fusion_reduction reduction;
	struct indexing_source *source; /* of GATHER; owned, else NULL */
	/* reduces: set if the node is a reduction, or if it needed a deferred
	   reduction when it was created.  is_narrow: set if the node's value
	   lacks the reduced axes, and a reduced axis comes after a kept axis.
	   Broadcasting the value to the reduced shape would put the kept axes
	   in wrong places. */
	bool reduces, is_narrow;
	/* the dtype to which the operands are cast; not used for CAST and
	   BITS */
	dpr_dtype compute;
	/* The n operands.  n is 0 once the node is computed. */
	int n;
	struct fusion_operand operand[FUSION_OPERANDS];
	/* Upper bounds.  steps: the number of steps of a graph that compute the
	   node.  leaves: the number of arrays and numbers that these steps
	   read. */
	size_t steps, leaves;
};

/* Begin a node without operands and header.  The caller gets a reference, and
   ends with node_finish(). */
dpr_status node_begin(enum fusion_kind kind, struct place place,
		      struct fusion_node **out);
/* Set *@out to the new node @node, or release @node if @status is a failure.
   Returns @status. */
dpr_status node_finish(dpr_status status, struct fusion_node *node,
		       struct fusion_node **out);

struct fusion_node *node_retain(struct fusion_node *node);
/* Take a reference for a caller that does not need the values.  The caller must
   call node_unwatch() when the evaluation ends. */
struct fusion_node *node_watch(struct fusion_node *node);
void node_unwatch(struct fusion_node *node);
void node_release(struct fusion_node *node);

/* The name of the node's function. */
const char *node_name(const struct fusion_node *node);

/* Whether the node is pow() with one operand: a cube, or a square root. */
bool node_is_power(const struct fusion_node *node);

/* Set the node's members steps and leaves.  Must be called again after an
   operand was computed. */
void node_count(struct fusion_node *node);

/* Whether computing the node's values again costs more than storing them. */
bool node_is_dear(const struct fusion_node *node);

/* Set the operands of a new node, and take references to them. */
void node_take_operands(struct fusion_node *node, int n,
			const struct fusion_operand *operands);

/* The operand's node, if the node is not computed yet; otherwise NULL. */
static inline struct fusion_node *node_pending(const struct fusion_operand *x)
{
	return x->node && !x->node->made ? x->node : NULL;
}

/* Make an array for the node's result. */
dpr_status node_new_result(const struct fusion_node *node, dpr_array **out);

/* Call the function of @node, which is no reduction, with the operands @x,
   which may be replaced.  The result goes to @into, if not NULL, otherwise to
   node->made. */
dpr_status node_call(struct fusion_node *node, dpr_operand *x, dpr_array *into);

/* Drop the operands of a node whose result has been computed. */
void node_end(struct fusion_node *node);

/* Give the results @arrays, which kernel @kernel has written, to the @n nodes.
   If @kernel is 0, the launch has failed, and the arrays are released. */
void node_take_results(struct fusion_node *const *nodes, dpr_array **arrays,
		       int n, size_t kernel);

/* The array that a reduction reduces.  It may have no memory. */
const dpr_array *node_reduced(const struct fusion_node *node);

/* Whether two nodes reduce the same axes of the same shape. */
bool node_same_rows(const struct fusion_node *a, const struct fusion_node *b);

/* Compare the shape of @x with S, the shape that the reduction @space reduces.
   Pass @narrow = true for S without the reduced axes.  node_fits(): whether @x
   can be broadcast to S.  node_is_result(): whether the shape of @x is S, or S
   with extent 1 in all reduced axes. */
bool node_fits(const dpr_array *x, const struct fusion_node *space,
	       bool narrow);
bool node_is_result(const dpr_array *x, const struct fusion_node *space,
		    bool narrow);

#endif
