/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fusion.h - elementwise calls, choices, casts and reductions that are put off,
 * so that one kernel can compute several of them.
 *
 * A call that is put off is a node.  Its dtype, shape, queue and kind of memory
 * are known at once, and so are the errors of its operands; the work is
 * submitted when something else needs the values.  Values and results are those
 * of calling the functions one after the other.
 *
 * Nodes belong to one evaluation, and so to one thread.
 */
#ifndef ARRAY_FUSION_H
#define ARRAY_FUSION_H

#include "core/array/engine/reductions.h"
#include "core/array/expression/node.h"

struct fusion_call {
	enum fusion_kind kind;
	int op;             /* OPERATION */
	dpr_dtype dtype;    /* CAST */
	struct place place; /* of the call in the text */
};

/* What the nodes of an evaluation share. */
struct fusion {
	const char *format; /* in which kernels are made; NULL: nothing is put
			       off */
	struct place *fault;
	size_t kernels; /* launched so far */
};

/*
 * Put off @call, with at least one operand that is an array, as a condition and
 * the operand of a cast must be.  An operand whose node is not NULL is that
 * node; the value is then its header.  The caller gets a reference to the node.
 * Operands that cannot be in one kernel with the call are computed now.
 */
dpr_status fusion_add(struct fusion *fusion, const struct fusion_call *call,
		      const struct fusion_operand *operands,
		      struct fusion_node **out);

struct layout;

/* Put off index(): the elements of @index are where they would be if they had
   memory.  The caller gets a reference to the node. */
dpr_status fusion_index(struct place place, const struct layout *index,
			dpr_queue *queue, dpr_usm_kind kind,
			struct fusion_node **out);

struct fusion_reduce_call {
	enum reduction reduction;
	const dpr_axes *axes; /* NULL: all */
	dpr_dtype as;         /* of a sum; 0: none */
	struct place place;
};

/* The same for a reduction.  Returns false, and does nothing, if it cannot be
   put off; then it is to be called. */
bool fusion_reduce_later(struct fusion *fusion,
			 const struct fusion_reduce_call *call,
			 const struct fusion_operand *operand,
			 struct fusion_node **out, dpr_status *status);

/*
 * Compute @n nodes of one shape, together if a kernel can.  @into: the array
 * that gets the result of the only node, if it is not NULL; it has the node's
 * dtype and shape.
 */
dpr_status fusion_make(struct fusion *fusion, struct fusion_node *const *nodes,
		       size_t n, dpr_array *into);

/*
 * Reduce @node's values in the kernel that computes them, as reduce_source()
 * says.  Returns false, and does nothing, if they must be computed first:
 * something else needs them too and they are dear, or no kernel can do that.
 * @again: something else needs the node itself.
 */
bool fusion_reduce(struct fusion *fusion, struct fusion_node *node, bool again,
		   enum reduction reduction, const dpr_axes *axes, dpr_dtype as,
		   dpr_array **out, dpr_status *status);

/* Whether fusion_make() may write @node's result into @into: the kernel would
   not read elements that it has overwritten. */
bool fusion_can_write(const struct fusion_node *node, const dpr_array *into);

#endif
