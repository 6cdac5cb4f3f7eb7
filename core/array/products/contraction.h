/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contraction.h - sums of products of several arrays, over any of their axes.
 *
 * Axes have numbers, the indices.  Axes of several operands with one index go
 * together, as i in the sum over i of a[i, j] * b[i, k].  An index that the
 * result does not have is summed.
 */
#ifndef ARRAY_CONTRACTION_H
#define ARRAY_CONTRACTION_H

#include "core/array/object/array.h"

#define CONTRACTION_OPERANDS 12
#define CONTRACTION_INDICES 64

/* Indices, in an order. */
struct contraction_list {
	int n;
	int index[CONTRACTION_INDICES];
};

/* An array, and the indices of its axes.  These indices differ from each other,
   and no axis has the extent 1. */
struct contraction_term {
	dpr_array *x;
	uint64_t set; /* the indices as bits */
	struct contraction_list axes;
};

struct contraction {
	const char *what;
	dpr_queue *queue;
	dpr_dtype dtype;
	dpr_usm_kind kind; /* the kind of memory of a new result */
	int n;
	struct contraction_term term[CONTRACTION_OPERANDS];
	int64_t extent[CONTRACTION_INDICES];
	struct contraction_list result; /* set by the caller */
};

/* Begin a contraction of @n operands for the function @what.  Checks that no
   operand is NULL, and that all are on one queue.  Checks the dtypes, which
   must be dtypes of a product. */
dpr_status contraction_begin(const char *what, const dpr_array *const *operands,
			     int n, struct contraction *c);

/* Add operand @x, whose axes have the indices @index.  All axes with the same
   index must have the same extent, with one exception: an operand may have the
   extent 1 along all its axes with an index.  Its element is then broadcast
   along the index. */
dpr_status contraction_add(struct contraction *c, const dpr_array *x,
			   const int *index);

/* Multiply two terms into a new one, which has the indices @keep. */
dpr_status contraction_pair(const struct contraction *c,
			    const struct contraction_term *first,
			    const struct contraction_term *second,
			    uint64_t keep, struct contraction_term *out);

/* Compute the result: two operands at a time, in the order with the fewest
   multiplications.  A result without products and sums is a view. */
dpr_status contraction_run(struct contraction *c, dpr_array **out);

/* Release the operands. */
void contraction_end(struct contraction *c);

/* The axis of @term with this index, or -1. */
static inline int contraction_axis(const struct contraction_term *term,
				   int index)
{
	for (int d = 0; d < term->axes.n; d++)
		if (term->axes.index[d] == index)
			return d;
	return -1;
}

/* The bit of an index. */
static inline uint64_t contraction_bit(int index)
{
	return UINT64_C(1) << index;
}

#endif
