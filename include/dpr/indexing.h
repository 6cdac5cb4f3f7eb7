/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indexing.h - elements at places that arrays of indices name.
 *
 * Indices are arrays of any integer dtype, and of any number of axes.  A
 * negative index counts from the end of its axis, as in Python, except with
 * DPR_BOUNDS_CLIP, where it is 0.
 *
 * Functions that read, without "_into", make a C-contiguous array of the dtype
 * of @x.  The caller gets a reference to this array.  Those with "_into" write
 * to @out, which must have the shape of the result and a dtype of the same or a
 * higher kind.  @out may share memory with the other arrays: then the result is
 * computed apart and copied.  @out may not be NULL.  Work is submitted to the
 * queue of the arrays and not waited for, except with DPR_BOUNDS_CHECK; the
 * first call of a kind may build a kernel.  Elements are moved bit by bit.  All
 * functions may be called in any thread.
 *
 * Errors of all functions that read:
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
#include <dpr/creation.h>
#include <dpr/operand.h>

DPR_BEGIN_DECLS

/*
 * What becomes of an index that is not in its axis, of n elements.
 *
 * CHECK: an error.  The call waits for the work that writes the indices, and
 * for a reduction that tests them.  Index arrays that broadcast to no elements
 * are not tested.  The other two never wait.
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
 * x.shape[axis + 1:].  (array API, take(); indices of any number of axes, as in
 * NumPy.)
 *
 * @axis DPR_AXIS_NONE: the indices count all elements of @x in C order, and the
 * shape is that of the indices, as in numpy.take().  If the strides of @x do
 * not allow a view with one axis, @x is copied first.
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

/*
 * Functions that write to elements of @x.  The elements are those that the
 * function without "put" or "set" in its name would read, and @values, an array
 * or a number, is broadcast to their shape.  Values are cast to the dtype of @x
 * as by dpr_copy_into(); without a cast they are moved bit by bit.  An element
 * that is named several times gets one of its values.  Neighbours in a row may
 * get theirs from different rows, and the two parts of a complex128 element may
 * come from different values.  Values are not added: what
 * numpy.add.at() and scatter_add() do is not supported yet.  @values and the
 * index arrays may share memory with @x: they count as copied before.  The work
 * is submitted to the queue of @x and not waited for, except with
 * DPR_BOUNDS_CHECK, which tests all indices before anything is written.  The
 * first call of a kind may build a kernel.  May be called in any thread.  If
 * the work fails later, the contents of @x's allocation are invalid
 * (dpr/usm.h).
 *
 * Errors of all of them:
 * - DPR_ERROR_DTYPE: indices are no integers, or complex values are for a real
 *   array.
 * - DPR_ERROR_INDEX: an index is out of range (with DPR_BOUNDS_CHECK), and the
 *   text names the index, its place, the axis and the extent.  Or an axis is
 *   out of range; or there are indices for an axis that has no elements.
 * - DPR_ERROR_SHAPE: shapes do not match.
 * - DPR_ERROR_OVERFLOW: a number is out of the range of an integer dtype.
 * - DPR_ERROR_EXECUTION_PLACEMENT: the arrays are on different queues; the text
 *   says how to move one.
 * - DPR_ERROR_LAYOUT: elements of @x share memory.
 * - DPR_ERROR_INVALID_ARGUMENT: an argument is NULL, @bounds is unknown, or @x
 *   is read-only.
 * - the errors of dpr_usm_alloc() and dpr_kernel_launch_args(), and with
 *   DPR_BOUNDS_CHECK those of dpr_array_wait().
 */

/*
 * Write to the elements at @indices along @axis: @values is broadcast to
 * x.shape[:axis] + indices.shape + x.shape[axis + 1:].  (dpctl.tensor.put().
 * Its mode "wrap" first clamps an index to -n and n - 1, so that n gives the
 * last element; DPR_BOUNDS_WRAP gives the first, as NumPy's mode "wrap" does.)
 *
 * @axis DPR_AXIS_NONE: the indices count all elements of @x in C order, as in
 * numpy.put(), and @values is broadcast to the shape of the indices; it is not
 * cycled through.  If the strides of @x do not allow a view with one axis, a
 * copy of @x is written, and then copied back as a whole.
 */
DPR_API DPR_CHECK dpr_status dpr_put(dpr_array *x, const dpr_array *indices,
	dpr_operand values, int axis, dpr_bounds bounds);

/* Along @axis, write to the elements that @indices names: for axis 0,
   x[indices[i, j], j] = values[i, j].  @indices has as many axes as @x, and
   along the others both broadcast.  (dpctl.tensor.put_along_axis(),
   numpy.put_along_axis().)
   DPR_ERROR_SHAPE: the numbers of axes differ. */
DPR_API DPR_CHECK dpr_status dpr_put_along_axis(dpr_array *x,
	const dpr_array *indices, dpr_operand values, int axis,
	dpr_bounds bounds);

/*
 * Assign by arrays and basic indices together, as x[i, 2:5, j] = values.  Entry
 * k of the list is the array arrays[k], or, if this is NULL, the basic index
 * indices[k].  The arrays broadcast to one shape.  Its axes come where the
 * arrays stand, if the arrays and integers of the list are side by side, else
 * first (dpr_array_index_arrays()).
 * DPR_ERROR_INDEX: too many indices, or an integer out of range.
 * DPR_ERROR_INVALID_ARGUMENT: no entry is an array.
 */
DPR_API DPR_CHECK dpr_status dpr_array_set_index_arrays(dpr_array *x,
	const dpr_index *indices, const dpr_array *const *arrays, size_t count,
	dpr_operand values, dpr_bounds bounds);

/*
 * Assign to the elements where @mask, a bool array, is true: x[mask] = value.
 * The axes of the mask are the first axes of @x.  @value is a number, or an
 * array that is broadcast to the axes that the mask lacks.  One axis of extent
 * 1 may come before those.  @mask and @value may share memory with @x, as
 * above.  Reads and writes all of @x, and never waits.  (array API, "Boolean
 * Array Indexing".)
 * DPR_ERROR_DTYPE: @mask is not bool, or a complex value is for a real array.
 * DPR_ERROR_SHAPE: the shapes do not match.
 * DPR_ERROR_UNSUPPORTED: @value has an element for each true element of the
 * mask, as in numpy.place().  This is not supported yet; use dpr_where_into().
 */
DPR_API DPR_CHECK dpr_status dpr_array_set_mask(
	dpr_array *x, const dpr_array *mask, dpr_operand value);

DPR_END_DECLS

/* The wrappers take arrays and plain numbers where the functions take a
   dpr_operand. */
#define dpr_put(x, indices, values, axis, bounds) \
	(dpr_put)((x), (indices), DPR__OPERAND(values), (axis), (bounds))
#define dpr_put_along_axis(x, indices, values, axis, bounds)           \
	(dpr_put_along_axis)((x), (indices), DPR__OPERAND(values), (axis), \
		(bounds))
#define dpr_array_set_index_arrays(x, indices, arrays, count, values, bounds) \
	(dpr_array_set_index_arrays)((x), (indices), (arrays), (count),       \
		DPR__OPERAND(values), (bounds))
#define dpr_array_set_mask(x, mask, value) \
	(dpr_array_set_mask)((x), (mask), DPR__OPERAND(value))

#endif
