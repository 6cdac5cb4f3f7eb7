/* SPDX-License-Identifier: Apache-2.0 */
/* array.h - an array inside, and what the array code shares. */
#ifndef ARRAY_ARRAY_H
#define ARRAY_ARRAY_H

#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/array.h>

/* Immutable, except for the reference count. */
struct dpr_array {
	atomic_uint refs;
	dpr_dtype dtype;
	int rank;
	bool contiguous;      /* in C order */
	dpr_usm_kind kind;    /* of the allocation; set even without one */
	dpr_queue *queue;     /* holds a reference */
	dpr_usm *usm;         /* holds a reference; NULL when size is 0 */
	int64_t offset, size; /* elements */
	int64_t dim[];        /* rank extents, then rank strides */
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
 * Make an array over @usm (NULL if the shape has no elements).  It takes
 * references of its own to @usm and @queue.  @strides NULL: C-contiguous.  The
 * caller has checked that every element lies inside @usm.
 */
dpr_status array_make(dpr_dtype dtype, int rank, const int64_t *shape,
		      const int64_t *strides, int64_t offset, dpr_usm *usm,
		      dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);

/* A new C-contiguous array with undefined elements; @what begins the text of an
   error. */
dpr_status array_new(const char *what, dpr_dtype dtype, int rank,
		     const int64_t *shape, dpr_queue *queue, dpr_usm_kind kind,
		     dpr_array **out);

struct layout;

/* array_layout() gets the layout of @x. array_view() makes a view of @x's
   allocation with another layout; the caller has checked that its elements lie
   inside the allocation. */
void array_layout(const dpr_array *x, struct layout *layout);
dpr_status array_view(const dpr_array *x, const struct layout *layout,
		      dpr_array **out);

/* Count the elements of @shape; DPR_ERROR_INVALID_ARGUMENT for a negative
   extent or a bad rank, DPR_ERROR_OVERFLOW if count * @itemsize does not fit.
 */
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

/* Whether two arrays have the same layout: shape, strides, offset, dtype size
   and allocation. */
bool array_same_layout(const dpr_array *a, const dpr_array *b);

/* Whether elements of the two can share a byte; true in doubt. */
bool array_may_overlap(const dpr_array *a, const dpr_array *b);

/* Check that @x may be written.  DPR_ERROR_LAYOUT: its elements share memory,
   as in a broadcast view.  DPR_ERROR_INVALID_ARGUMENT: it is read-only. */
dpr_status array_check_output(const char *what, const dpr_array *x);

/* The same as array_check_output(), and check that @x has this shape and a
   dtype of @dtype's kind or a higher one.  DPR_ERROR_SHAPE, DPR_ERROR_DTYPE. */
dpr_status array_check_result(const char *what, const dpr_array *x, int rank,
			      const int64_t *shape, dpr_dtype dtype);

/* Begin a function that makes an array from @x: check that neither @x nor @out
   is NULL, and set *@out to NULL. */
dpr_status array_check_call(const char *what, const dpr_array *x,
			    dpr_array **out);

/* End such a function: set *@out to @made, or if @status is a failure, release
   @made.  Returns @status. */
static inline dpr_status array_finish(dpr_status status, dpr_array *made,
				      dpr_array **out)
{
	if (status)
		dpr_array_release(made);
	else
		*out = made;
	return status;
}

/* Set *@at to the axis of @x that @axis means; a negative one counts from the
   end.  DPR_ERROR_INDEX. */
dpr_status array_axis(const char *what, const dpr_array *x, int axis, int *at);

/* The access of an operation that writes @n elements of @x's allocation:
   DPR_WRITE_ALL if they fill it, else DPR_WRITE. */
uint32_t array_write_access(const dpr_array *x, int64_t n);

/* Mark the memory of @x as invalid, after an operation wrote a part of it and
   failed with @status; this thread's last error is the reason.  Returns
   @status. */
dpr_status array_stopped(const dpr_array *x, dpr_status status);

/* If the layer "trace" is on, note an array's dtype and shape for all calls
   that this thread is in.  A call keeps only its first array. */
void array_trace(dpr_dtype dtype, int rank, const int64_t *shape);

/* The kind of memory of a result of @n arrays: device if one of them is in
   device memory, else shared if one is, else host. */
dpr_usm_kind array_result_kind(const dpr_array *const *arrays, size_t n);

#endif
