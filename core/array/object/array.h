/* SPDX-License-Identifier: Apache-2.0 */
/* array.h - the array object, and helpers of the array code. */
#ifndef ARRAY_ARRAY_H
#define ARRAY_ARRAY_H

#include <stdbool.h>

#include <dpr/array.h>

#include "core/base/refs.h"

/* An array.  Only the reference count ever changes. */
struct dpr_array {
	struct refs refs;
	dpr_dtype dtype;
	int rank;
	bool contiguous; /* the elements are contiguous in C order */
	/* the kind of the allocation; also set without an allocation */
	dpr_usm_kind kind;
	dpr_queue *queue; /* with a reference */
	dpr_usm *usm;     /* with a reference; NULL if size is 0 */
	/* the first element, and the number of elements */
	int64_t offset, size;
	int64_t dim[]; /* the extents, then the strides */
};

static inline const int64_t *array_shape(const dpr_array *x)
{
	return x->dim;
}

static inline const int64_t *array_strides(const dpr_array *x)
{
	return x->dim + x->rank;
}

/*
 * Make an array over @usm, which is NULL if the shape has no elements.  The
 * array gets its own references to @usm and @queue.  @strides NULL:
 * C-contiguous.  The caller has checked that every element is inside @usm.
 */
dpr_status array_make(dpr_dtype dtype, int rank, const int64_t *shape,
		      const int64_t *strides, int64_t offset, dpr_usm *usm,
		      dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);

/* Make a C-contiguous array with undefined elements.  @what begins the text of
   an error. */
dpr_status array_new(const char *what, dpr_dtype dtype, int rank,
		     const int64_t *shape, dpr_queue *queue, dpr_usm_kind kind,
		     dpr_array **out);

/* Make a view of the memory of @x in which the elements have @dtype, which has
   the size of @x's dtype. */
dpr_status array_bits(const dpr_array *x, dpr_dtype dtype, dpr_array **out);

struct layout;

/* array_layout() gets the layout of @x.  array_view() makes a view of the
   allocation of @x with another layout; the caller has checked that all
   elements are inside the allocation. */
void array_layout(const dpr_array *x, struct layout *layout);
dpr_status array_view(const dpr_array *x, const struct layout *layout,
		      dpr_array **out);

/* Count the elements of @shape.  DPR_ERROR_INVALID_ARGUMENT: an extent is
   negative, or the rank is wrong.  DPR_ERROR_OVERFLOW: count * @itemsize needs
   more than 64 bits. */
dpr_status array_count(const char *what, int rank, const int64_t *shape,
		       size_t itemsize, int64_t *count);

/* Whether two arrays have the same shape. */
static inline bool array_same_shape(const dpr_array *a, const dpr_array *b)
{
	bool same = a->rank == b->rank;

	for (int k = 0; same && k < a->rank; k++)
		same = a->dim[k] == b->dim[k];
	return same;
}

/* Whether two arrays have the same layout: shape, strides, offset, size of
   dtype and allocation. */
bool array_same_layout(const dpr_array *a, const dpr_array *b);

/* Whether elements of the two arrays can share a byte.  True in doubt. */
bool array_may_overlap(const dpr_array *a, const dpr_array *b);

/* Check that @x may be written.  DPR_ERROR_LAYOUT: elements of @x share memory,
   as in a broadcast view.  DPR_ERROR_INVALID_ARGUMENT: @x is read-only. */
dpr_status array_check_output(const char *what, const dpr_array *x);

/* Like array_check_output(), and check that @x has this shape and a dtype of
   the same or a higher kind than @dtype.  DPR_ERROR_SHAPE: another shape.
   DPR_ERROR_DTYPE: a lower kind. */
dpr_status array_check_result(const char *what, const dpr_array *x, int rank,
			      const int64_t *shape, dpr_dtype dtype);

/* Begin a function that makes an array from @x.  Checks that @x and @out are
   not NULL, and sets *@out to NULL. */
dpr_status array_check_call(const char *what, const dpr_array *x,
			    dpr_array **out);

/* End a function that makes an array: set *@out to @made.  If @status is a
   failure, @made is released.  Returns @status. */
static inline dpr_status array_finish(dpr_status status, dpr_array *made,
				      dpr_array **out)
{
	if (status)
		dpr_array_release(made);
	else
		*out = made;
	return status;
}

/* Set *@at to the axis of @x with the number @axis.  A negative number counts
   from the end.  DPR_ERROR_INDEX: there is no such axis. */
dpr_status array_axis(const char *what, const dpr_array *x, int axis, int *at);

/* The access of an operation that writes @n elements of the allocation of @x:
   DPR_WRITE_ALL if they are the whole allocation, else DPR_WRITE. */
uint32_t array_write_access(const dpr_array *x, int64_t n);

/* Mark the memory of @x as invalid: an operation has written a part of it, and
   then failed with @status.  The reason is this thread's last error.  Returns
   @status. */
dpr_status array_stopped(const dpr_array *x, dpr_status status);

/* Note an array's dtype and shape for the calls that this thread is in, if the
   layer "trace" is on.  A call keeps only its first array. */
void array_trace(dpr_dtype dtype, int rank, const int64_t *shape);

/* The kind of memory of a result of @n arrays: device if any of them is in
   device memory, else shared if any is in shared memory, else host. */
dpr_usm_kind array_result_kind(const dpr_array *const *arrays, size_t n);

#endif
