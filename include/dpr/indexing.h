/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indexing.h - elements at places that arrays of indices name.
 *
 * Indices are arrays of any integer dtype, and of any number of axes.  A
 * negative index counts from the end of its axis, as in Python.
 *
 * Functions without "_into" make a C-contiguous array of the dtype of @x, to
 * which the caller gets a reference.  The others write to @out, which must have
 * the shape of the result and a dtype of the same or a higher kind.  @out may
 * share memory with the other arrays: then the result is computed apart and
 * copied.  @out may not be NULL.  Work is submitted to the queue of the arrays
 * and not waited for, except with DPR_BOUNDS_CHECK; the first call of a kind
 * may build a kernel.  Elements are moved bit by bit.  All functions may be
 * called in any thread.
 *
 * Errors of all functions:
 * - DPR_ERROR_DTYPE: indices are no integers; or @out has a lower kind.
 * - DPR_ERROR_INDEX: an index is out of range (with DPR_BOUNDS_CHECK), and the
 *   text names the index, its place, the axis and the extent.  Or an axis is
 *   out of range; or there are indices for an axis that has no elements.
 * - DPR_ERROR_SHAPE: shapes do not match, @out has another shape, or the result
 *   would have more than 32 axes.
 * - DPR_ERROR_EXECUTION_PLACEMENT: the arrays are on different queues; the text
 *   says how to move one.
 * - DPR_ERROR_LAYOUT: elements of @out share memory.
 * - DPR_ERROR_INVALID_ARGUMENT: an argument is NULL, @bounds is unknown, or
 *   @out is read-only.
 * - the errors of dpr_usm_alloc() and dpr_kernel_launch_args(), and with
 *   DPR_BOUNDS_CHECK those of dpr_array_wait().
 */
#ifndef DPR_INDEXING_H
#define DPR_INDEXING_H

#include <dpr/array.h>

DPR_BEGIN_DECLS

/*
 * What becomes of an index that is not in its axis, of n elements.
 *
 * CHECK: an error.  The call waits for the work that writes the indices, and
 * for a reduction that tests them.  The other two never wait.
 * WRAP: the index counts modulo n, as in NumPy's mode "wrap".
 * CLIP: a greater index is n - 1.  A negative index is 0 and does not count
 * from the end, as in NumPy's mode "clip".
 */
typedef enum dpr_bounds {
	DPR_BOUNDS_CHECK = 0,
	DPR_BOUNDS_WRAP = 1,
	DPR_BOUNDS_CLIP = 2
} dpr_bounds;

/*
 * The elements of @x at @indices along @axis.  The axes of the indices stand in
 * place of @axis: the shape is x.shape[:axis] + indices.shape +
 * x.shape[axis + 1:].  (array API, take(); indices of any number of axes as in
 * NumPy.)
 */
DPR_API DPR_CHECK dpr_status dpr_take(const dpr_array *x,
	const dpr_array *indices, int axis, dpr_bounds bounds, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_take_into(const dpr_array *x,
	const dpr_array *indices, int axis, dpr_bounds bounds, dpr_array *out);

/*
 * Along @axis, the elements that @indices name: element i, j of the result is
 * x[indices[i, j], j] for axis 0.  @indices has as many axes as @x, and along
 * the others both broadcast.  (array API, take_along_axis().)
 * DPR_ERROR_SHAPE: the numbers of axes differ.
 */
DPR_API DPR_CHECK dpr_status dpr_take_along_axis(const dpr_array *x,
	const dpr_array *indices, int axis, dpr_bounds bounds, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_take_along_axis_into(const dpr_array *x,
	const dpr_array *indices, int axis, dpr_bounds bounds, dpr_array *out);

/*
 * Index @x by arrays and basic indices together, as x[i, 2:5, j].  Entry k of
 * the list is the array arrays[k], or, if this is NULL, the basic index
 * indices[k].  The arrays broadcast to one shape.  Its axes come where the
 * arrays stand, if the arrays and integers of the list are side by side.
 * Otherwise, as in x[i, :, j], they come first (NumPy, "Combining advanced and
 * basic indexing").  An ellipsis counts as something in between, also if it
 * stands for no axis.
 * DPR_ERROR_INDEX: too many indices, or an integer out of range.
 * DPR_ERROR_INVALID_ARGUMENT: no entry is an array.
 */
DPR_API DPR_CHECK dpr_status dpr_array_index_arrays(const dpr_array *x,
	const dpr_index *indices, const dpr_array *const *arrays, size_t count,
	dpr_bounds bounds, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_array_index_arrays_into(const dpr_array *x,
	const dpr_index *indices, const dpr_array *const *arrays, size_t count,
	dpr_bounds bounds, dpr_array *out);

DPR_END_DECLS

#endif
