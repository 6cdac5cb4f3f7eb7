/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - arithmetic on shapes and strides, without devices and arrays.
 *
 * Extents, strides and offsets are counted in elements.  Extents are not
 * negative.
 */
#ifndef ARRAY_LAYOUT_H
#define ARRAY_LAYOUT_H

#include <stdbool.h>

#include <dpr/array.h>

/* The shape of an array, and the positions of its elements. */
struct layout {
	int rank;
	int64_t offset;
	int64_t dim[DPR_MAX_RANK], stride[DPR_MAX_RANK];
};

/* Get the product of the extents.  False: the product needs more than 64
   bits. */
bool layout_count(int rank, const int64_t *dim, int64_t *count);

/* Get the strides in C order.  An extent of 0 counts as 1. */
void layout_c_strides(int rank, const int64_t *dim, int64_t *stride);

/* Write a shape such as "(2, 3)" to @text.  It is cut off if it does not fit
   into @room bytes.  Returns @text. */
const char *layout_shape_text(char *text, size_t room, int rank,
			      const int64_t *dim);

/* Whether the elements are contiguous in C order. */
bool layout_is_contiguous(int rank, const int64_t *dim, const int64_t *stride);

/* Exchange two axes. */
void layout_swap(struct layout *layout, int axis1, int axis2);

/* Get the positions of the lowest and the highest element, relative to the
   first element.  Without elements they are 0 and -1.  False: a position needs
   more than 64 bits. */
bool layout_bounds(int rank, const int64_t *dim, const int64_t *stride,
		   int64_t *low, int64_t *high);

/*
 * Apply basic indexing to @x.  DPR_ERROR_INDEX: as dpr_array_index().
 * DPR_ERROR_SHAPE: more than DPR_MAX_RANK axes.  DPR_ERROR_INVALID_ARGUMENT: an
 * index has an unknown kind.
 */
dpr_status layout_index(const struct layout *x, const dpr_index *indices,
			size_t n_indices, struct layout *out);

/*
 * Find strides that give the elements of @x, in C order, the shape @dim with
 * the same number of elements.  Returns false if this needs a copy.
 */
bool layout_reshape(const struct layout *x, int rank, const int64_t *dim,
		    int64_t *stride);

/*
 * Replace @shape by the shape to which it and @dim broadcast.  *@rank is the
 * rank of @shape, at most DPR_MAX_RANK.  Returns false if the shapes do not
 * match; then they differ at axis *@axis of the result.
 */
bool layout_broadcast(int *rank, int64_t *shape, int dim_rank,
		      const int64_t *dim, int *axis);

/* Get the strides of @x after broadcasting to @dim.  False: @x does not
   broadcast to @dim. */
bool layout_expand(const struct layout *x, int rank, const int64_t *dim,
		   int64_t *stride);

/*
 * Rewrite @n operands over the same extents so that they have the fewest axes.
 * Axes of extent 1 are dropped.  Neighbouring axes are merged if every operand
 * steps through them as through one axis.
 *
 * With @free_order the elements may be visited in any order.  Then axes are
 * sorted by the strides of operand 0 (then of the next operands), the largest
 * first.  Axes that no operand walks forwards are reversed, which changes
 * @offset.
 *
 * Returns the new rank, 0 for a single element.  With an extent of 0 the result
 * is one axis of extent 0.
 */
int layout_collapse(int n, int rank, int64_t *dim,
		    int64_t (*stride)[DPR_MAX_RANK], int64_t *offset,
		    bool free_order);

/* The absolute value of @stride. */
static inline int64_t layout_magnitude(int64_t stride)
{
	return stride < 0 ? -stride : stride;
}

#endif
