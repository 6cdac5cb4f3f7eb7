/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indexing.h - which elements of an array arrays of indices name.
 *
 * An array x is indexed along some of its axes.  The indexed elements form a
 * shape.  Its axes are the axes to which the index arrays broadcast, and the
 * other axes of x.  The place of an indexed element, relative to the first
 * element of x, is the sum of
 *
 *	the position along the other axes: `place`, an offset and strides
 *	index * stride, for each index array
 *
 * indexing_steps.h makes steps of a graph that compute this sum.
 */
#ifndef ARRAY_INDEXING_H
#define ARRAY_INDEXING_H

#include <dpr/indexing.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"

/* An array of indices for one axis. */
struct indexing_array {
	/* an array of any integer dtype; holds a reference.  It may have no
	   memory, as long as nobody computes with it */
	dpr_array *array;
	int axis; /* the axis of x */
	/* the extent and the stride of this axis; the stride counts elements */
	int64_t length, stride;
	/* set if the elements are places already: they are added as they are */
	bool is_place;
};

struct indexing {
	const char *what; /* begins the text of an error */
	dpr_bounds bounds;
	dpr_queue *queue; /* the queue of x and of all index arrays */
	/* dim: the shape of the indexed elements.  offset, stride: their
	   position along the other axes of x; the strides of the axes of the
	   index arrays are 0. */
	struct layout place;
	/* Each index array is broadcast to `place`, after this number of axes
	   of extent 1 has been added at the end of its shape. */
	int behind;
	int n; /* the number of index arrays */
	struct indexing_array array[DPR_MAX_RANK];
};

/*
 * Find the elements that a function names.  Its arguments are those of the
 * public function.  Reads no memory and does not block.  The caller ends @out
 * with indexing_end(), also after a failure.  Errors are those of the public
 * functions (dpr/indexing.h), except for indices out of range.
 *
 * indexing_mixed(): entry i is the index array arrays[i], or, if this is NULL,
 * the basic index indices[i].
 */
dpr_status indexing_take(const char *what, const dpr_array *x,
			 const dpr_array *indices, int axis, dpr_bounds bounds,
			 struct indexing *out);
dpr_status indexing_along(const char *what, const dpr_array *x,
			  const dpr_array *indices, int axis, dpr_bounds bounds,
			  struct indexing *out);
dpr_status indexing_mixed(const char *what, const dpr_array *x,
			  const dpr_index *indices,
			  const dpr_array *const *arrays, size_t n,
			  dpr_bounds bounds, struct indexing *out);
void indexing_end(struct indexing *indexing);

/* Get @x, with a reference.  If *@axis is DPR_AXIS_NONE, get its elements in C
   order along one axis instead, and set *@axis to 0: as a view, or as a copy if
   the strides do not allow a view. */
dpr_status indexing_line(const dpr_array *x, int *axis, dpr_array **out);

/* Whether the indices are the same for all elements along the last axis. */
bool indexing_has_rows(const struct indexing *indexing);

/* Make a view of index array @i that broadcasts to the indexed elements. */
dpr_status indexing_view(const struct indexing *indexing, int i,
			 dpr_array **out);

/* With DPR_BOUNDS_CHECK, wait for the index arrays and test them.  Does nothing
   with other bounds, and where the arrays broadcast to no elements.
   DPR_ERROR_INDEX: an index is out of range; the text names the index, its
   place, the axis and the axis's extent. */
dpr_status indexing_check(const struct indexing *indexing);

#endif
