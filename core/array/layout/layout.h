/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - arithmetic on shapes and strides: no device, no array.
 *
 * Extents, strides and offsets are in elements; extents are not negative.
 */
#ifndef ARRAY_LAYOUT_H
#define ARRAY_LAYOUT_H

#include <stdbool.h>

#include <dpr/array.h>

/* Where the elements of an array are. */
struct layout {
	int rank;
	int64_t offset;
	int64_t dim[DPR_MAX_RANK], stride[DPR_MAX_RANK];
};

/* The product of the extents; false if it does not fit. */
bool layout_count(int rank, const int64_t *dim, int64_t *count);

/* Strides in C order.  Those of an array without elements are as if every
   extent were at least 1. */
void layout_c_strides(int rank, const int64_t *dim, int64_t *stride);

/* Whether the elements lie one after the other in C order. */
bool layout_is_contiguous(int rank, const int64_t *dim, const int64_t *stride);

/* The lowest and the highest element, relative to the first one; false if that
   does not fit.  Of no elements: 0 and -1. */
bool layout_bounds(int rank, const int64_t *dim, const int64_t *stride,
		   int64_t *low, int64_t *high);

/*
 * Basic indexing of @x.  DPR_ERROR_INDEX: as dpr_array_index().
 * DPR_ERROR_SHAPE: more than DPR_MAX_RANK axes.
 */
dpr_status layout_index(const struct layout *x, const dpr_index *indices,
			size_t n_indices, struct layout *out);

/*
 * The strides with which the elements in C order have another shape of as many
 * elements; false where that needs a copy.
 */
bool layout_reshape(const struct layout *x, int rank, const int64_t *dim,
		    int64_t *stride);

/*
 * Widen @shape, of rank *@rank (at most DPR_MAX_RANK), to what it and @dim
 * broadcast to; false if they do not match, with the axis of the result at
 * which that is in *@axis.
 */
bool layout_broadcast(int *rank, int64_t *shape, int dim_rank,
		      const int64_t *dim, int *axis);

/* The strides of @x when it is broadcast to @dim, which it fits; false if it
   does not. */
bool layout_expand(const struct layout *x, int rank, const int64_t *dim,
		   int64_t *stride);

/*
 * Rewrite @n operands over the same extents to the fewest axes: extents of 1
 * go, and neighbours that every operand steps through as through one axis are
 * merged.  With @free_order the elements may be visited in any order: axes are
 * sorted by the strides of operand 0 (then the following ones), the largest
 * first, and axes that no operand walks forwards are turned round, which moves
 * @offset.  The rank left is returned, 0 for a single element.  Extents of 0
 * give one axis of extent 0.
 */
int layout_collapse(int n, int rank, int64_t *dim,
		    int64_t (*stride)[DPR_MAX_RANK], int64_t *offset,
		    bool free_order);

/* How far a step of @stride goes, either way. */
static inline int64_t layout_magnitude(int64_t stride)
{
	return stride < 0 ? -stride : stride;
}

#endif
