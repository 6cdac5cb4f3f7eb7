/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fusion.h - defers elementwise calls, where(), casts and reductions, so that
 * one kernel can compute several of them.
 *
 * A deferred call is a node.  The dtype, shape, queue and kind of memory of its
 * result are known at once, and errors of its operands are reported at once.
 * The work is submitted when another step needs the values.  Values and results
 * are the same as if each function were called at once.
 *
 * Nodes belong to one evaluation, and so to one thread.
 */
#ifndef ARRAY_FUSION_H
#define ARRAY_FUSION_H

#include "core/array/engine/reduce_table.h"
#include "core/array/expression/node.h"

struct weave;

struct fusion_call {
	enum fusion_kind kind;
	int op;             /* for OPERATION */
	dpr_dtype dtype;    /* for CAST and BITS */
	struct place place; /* the place of the call in the text */
};

/* The state that the nodes of an evaluation share. */
struct fusion {
	/* the format of the device's kernels; NULL if no call can be
	   deferred */
	const char *format;
	struct place *fault;
	size_t kernels; /* the number of kernels launched so far */
	/* A graph of the newest nodes, to which the next node is added to see
	   whether it fits.  Its nodes are watched.  The caller gives the
	   memory, with n_nodes 0, and calls fusion_end() in the end. */
	struct weave *fit;
};

/* Stop watching the nodes of fusion->fit. */
void fusion_end(struct fusion *fusion);

/*
 * Defer @call.  At least one operand must be an array.  The condition of
 * where(), and the operand of a cast or of bits, must always be arrays.  An
 * operand that is a deferred array has a `node`.  Its `value` is the header of
 * this node: an array without memory that describes the result.  The caller
 * gets a reference to the new node.  Operands that cannot be in one kernel with
 * the call are computed now.
 */
dpr_status fusion_add(struct fusion *fusion, const struct fusion_call *call,
		      const struct fusion_operand *operands,
		      struct fusion_node **out);

struct layout;

/* Defer a call of the expression function index(), whose result has no memory.
   @index is the layout of the result.  The value of an element is its position
   in this layout: the offset plus, for each axis, index times stride.  The
   caller gets a reference to the node. */
dpr_status fusion_index(struct place place, const struct layout *index,
			dpr_queue *queue, dpr_usm_kind kind,
			struct fusion_node **out);

/*
 * Defer reading elements of @x by index arrays.  @operands: the index arrays,
 * which broadcast to the elements as they are, in the order of @indexing.
 * @indexing becomes empty.  The caller gets a reference to the node.
 */
dpr_status fusion_gather(struct fusion *fusion, struct place place,
			 const dpr_array *x, struct indexing *indexing,
			 const struct fusion_operand *operands,
			 struct fusion_node **out);

struct fusion_reduce_call {
	enum reduction reduction;
	const dpr_axes *axes; /* NULL for all axes */
	/* the dtype argument of a sum; 0 if there is none */
	dpr_dtype as;
	struct place place;
};

/* Defer a reduction.  If the reduction cannot be deferred, does nothing and
   returns false: the caller must then compute the reduction at once.  Otherwise
   returns true and sets *@status.  *@out is set if *@status is DPR_OK. */
bool fusion_reduce_later(struct fusion *fusion,
			 const struct fusion_reduce_call *call,
			 const struct fusion_operand *operand,
			 struct fusion_node **out, dpr_status *status);

/*
 * Compute @n nodes of one shape, together if one kernel can.  If @into is not
 * NULL, the result is written to this array.  In this case @n must be 1, and
 * @into must have the dtype and shape of the node.
 */
dpr_status fusion_make(struct fusion *fusion, struct fusion_node *const *nodes,
		       size_t n, dpr_array *into);

/*
 * Reduce the values of @node in the kernel that computes them, as
 * reduce_source() does.  The caller passes @again = true if another step needs
 * these values, too.
 *
 * Returns false if one kernel should not or cannot do both: the caller then
 * computes the values into an array first.  Otherwise returns true, and
 * *@status is the outcome.
 */
bool fusion_reduce(struct fusion *fusion, struct fusion_node *node, bool again,
		   enum reduction reduction, const dpr_axes *axes, dpr_dtype as,
		   dpr_array **out, dpr_status *status);

/* Whether fusion_make() may write the result of @node into @into.  The kernel
   must not read elements that it has already overwritten. */
bool fusion_can_write(const struct fusion_node *node, const dpr_array *into);

#endif
