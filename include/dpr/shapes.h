/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes.h - other shapes, orders and selections of the elements of arrays.
 *
 * Names and rules are those of the array API standard 2024.12.  Functions that
 * the standard lacks follow NumPy.  Reshaping, permuting and broadcasting are
 * in array.h, dpr_concat() is in creation.h.
 *
 * Negative axes count from the end.  Lists are borrowed for the call.  A list
 * of axes is written as DPR_AXES(0, 1) (reduce.h); its keepdims is not used.
 *
 * Functions that make a view copy nothing and never wait: the view shares the
 * allocation of its array, and keeps it alive.  The others make a C-contiguous
 * array in the kind of memory of their arrays.  Their work is submitted to the
 * queue of the arrays and not waited for, though the first call of a kind may
 * build a kernel.  Elements are moved bit by bit.  The caller gets a reference
 * to each result.  A list of results has room for @count arrays; after a
 * failure all of them are NULL.
 *
 * Errors of all functions:
 * - DPR_ERROR_INDEX: an axis is out of range or named twice.
 * - DPR_ERROR_INVALID_ARGUMENT: a list has a negative count, or is NULL with a
 *   count.
 * - DPR_ERROR_EXECUTION_PLACEMENT: the arrays are on different queues.
 * - DPR_ERROR_OVERFLOW: the size of the result does not fit in 64 bits.
 * Functions that copy also have the errors of dpr_usm_alloc() and
 * dpr_kernel_launch_args().
 */
#ifndef DPR_SHAPES_H
#define DPR_SHAPES_H

#include <dpr/array.h>
#include <dpr/creation.h>
#include <dpr/operand.h>
#include <dpr/reduce.h>

DPR_BEGIN_DECLS

/* As dpr_reshape() (array.h), with a say in whether the elements are copied:
   ALWAYS, or NEVER.
   DPR_ERROR_INVALID_ARGUMENT: NEVER, but the strides of @x do not allow a view;
   or @copy is unknown. */
DPR_API DPR_CHECK dpr_status dpr_reshape_copy(const dpr_array *x,
	dpr_shape shape, dpr_copy_mode copy, dpr_array **out);

/* A view with axes in reverse order; @axis NULL: all axes. */
DPR_API DPR_CHECK dpr_status dpr_flip(
	const dpr_array *x, const dpr_axes *axis, dpr_array **out);

/*
 * A copy in which the elements are moved by @shift along the axes.  Those that
 * leave at an end come in at the other.  @shift has an entry for each axis that
 * @axis names.  @axis NULL: @shift has one entry, and the elements move in C
 * order, as along one axis.
 */
DPR_API DPR_CHECK dpr_status dpr_roll(const dpr_array *x, const int64_t *shift,
	const dpr_axes *axis, dpr_array **out);

/* Join arrays of one shape along a new axis.  The result has the dtype to which
   their dtypes are promoted.  The new axis comes before @axis (-1: at the end).
   DPR_ERROR_SHAPE: the shapes differ, or have 32 axes.
   DPR_ERROR_INVALID_ARGUMENT: there are no arrays. */
DPR_API DPR_CHECK dpr_status dpr_stack(const dpr_array *const *arrays,
	size_t count, int axis, dpr_array **out);

/* Views of the parts of @x along @axis, which they lack.  @count is the extent
   of that axis. DPR_ERROR_SHAPE: @count is another number. */
DPR_API DPR_CHECK dpr_status dpr_unstack(
	const dpr_array *x, int axis, dpr_array **out, size_t count);

/* Views of @count parts of @x along @axis, as numpy.split().  Part i + 1 begins
   at position @at[i] of the axis, where part i ends.  @at NULL: the parts are
   equally long.
   DPR_ERROR_SHAPE: the extent is no multiple of @count, with @at NULL.
   DPR_ERROR_INDEX: a position is less than the one before, negative, or larger
   than the extent.
   DPR_ERROR_INVALID_ARGUMENT: @count is 0. */
DPR_API DPR_CHECK dpr_status dpr_split(const dpr_array *x, int axis,
	const int64_t *at, dpr_array **out, size_t count);

/*
 * A copy in which @x is repeated along each axis: DPR_SHAPE(2, 3) for twice and
 * three times.  If one of array and list has fewer axes, axes of extent 1, or
 * repetitions of 1, are put before its own.
 * DPR_ERROR_INVALID_ARGUMENT: a repetition is negative, or there are more than
 * 32.
 * DPR_ERROR_SHAPE: more than 32 axes are longer than 1, where repeated axes
 * count twice.
 */
DPR_API DPR_CHECK dpr_status dpr_tile(
	const dpr_array *x, dpr_shape repetitions, dpr_array **out);

/* A copy in which each element is repeated @repeats times along @axis.
   DPR_AXIS_NONE: the result has one axis, with the elements of @x in C order.
   Errors as dpr_tile(). */
DPR_API DPR_CHECK dpr_status dpr_repeat(
	const dpr_array *x, int64_t repeats, int axis, dpr_array **out);

/* What dpr_pad() puts around an array. */
typedef enum dpr_pad_mode {
	DPR_PAD_CONSTANT = 0, /* a number */
	DPR_PAD_EDGE = 1, /* the elements at the edge */
	DPR_PAD_REFLECT = 2, /* the elements next to the edge, mirrored */
	DPR_PAD_WRAP = 3 /* the elements from the other end */
} dpr_pad_mode;

/*
 * A copy with elements around it, as numpy.pad().  @width has two numbers for
 * each axis, as DPR_SHAPE(1, 2): how many elements come before, and how many
 * after.  Margins that are wider than the array reflect or wrap it several
 * times.  @value is for DPR_PAD_CONSTANT alone, and is cast to the dtype of @x.
 * DPR_ERROR_INVALID_ARGUMENT: a width is negative, @mode is unknown, or @value
 * is an array.
 * DPR_ERROR_SHAPE: an axis without elements gets some, with another mode than
 * DPR_PAD_CONSTANT.
 * DPR_ERROR_OVERFLOW: @value is out of the range of an integer dtype.
 * DPR_ERROR_DTYPE: @value is complex, and @x is real.
 */
DPR_API DPR_CHECK dpr_status dpr_pad(const dpr_array *x, dpr_shape width,
	dpr_pad_mode mode, dpr_operand value, dpr_array **out);

/* In which order dpr_meshgrid() takes the first two arrays. */
typedef enum dpr_indexing {
	DPR_INDEXING_XY = 0, /* the first array varies along axis 1 */
	DPR_INDEXING_IJ = 1 /* the first array varies along axis 0 */
} dpr_indexing;

/*
 * The coordinates of a grid: @out[i] has the elements of @arrays[i] along one
 * axis of the grid, and the same along all others.  The grid has an axis for
 * each array.  A 0-d array counts as one element.  The results are views with
 * strides of 0: copy them before you write to them.
 * DPR_ERROR_SHAPE: an array has several axes, or there are more than 32 arrays.
 * DPR_ERROR_INVALID_ARGUMENT: @indexing is unknown.
 */
DPR_API DPR_CHECK dpr_status dpr_meshgrid(const dpr_array *const *arrays,
	size_t count, dpr_indexing indexing, dpr_array **out);

/* Views of the arrays in the shape to which all broadcast; repeated axes have
   stride 0.
   DPR_ERROR_SHAPE: two shapes do not match (array API, "Broadcasting"). */
DPR_API DPR_CHECK dpr_status dpr_broadcast_arrays(
	const dpr_array *const *arrays, size_t count, dpr_array **out);

/* A view in which the axes @source have the places @destination, as DPR_AXES(0)
   and DPR_AXES(-1).  The other axes keep their order.
   DPR_ERROR_INVALID_ARGUMENT: a list is NULL, or one is longer. */
DPR_API DPR_CHECK dpr_status dpr_moveaxis(const dpr_array *x,
	const dpr_axes *source, const dpr_axes *destination, dpr_array **out);
/* A view with two axes swapped. */
DPR_API DPR_CHECK dpr_status dpr_swapaxes(
	const dpr_array *x, int axis1, int axis2, dpr_array **out);
/* A view without the axes @axis, whose extents are 1; @axis NULL: without every
   axis of extent 1.
   DPR_ERROR_SHAPE: the extent of an axis is not 1. */
DPR_API DPR_CHECK dpr_status dpr_squeeze(
	const dpr_array *x, const dpr_axes *axis, dpr_array **out);

/*
 * Copies of the lower and the upper triangles of the matrices in the last two
 * axes; the other elements are 0.  A triangle has diagonal @k, too (0: the main
 * diagonal; positive: above the main diagonal).
 * DPR_ERROR_SHAPE: the array has fewer than two axes.
 */
DPR_API DPR_CHECK dpr_status dpr_tril(
	const dpr_array *x, int64_t k, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_triu(
	const dpr_array *x, int64_t k, dpr_array **out);

/* A view of the diagonals of the matrices in the last two axes, as
   linalg.diagonal().  They are the last axis of the view.  @offset as @k above.
   DPR_ERROR_SHAPE: the array has fewer than two axes. */
DPR_API DPR_CHECK dpr_status dpr_diagonal(
	const dpr_array *x, int64_t offset, dpr_array **out);

/* A view turned by @k times 90 degrees in the plane of two axes, from the first
   towards the second, as numpy.rot90().  @axes NULL: axes 0 and 1.
   DPR_ERROR_SHAPE: the array has fewer than two axes.
   DPR_ERROR_INVALID_ARGUMENT: not two axes are named. */
DPR_API DPR_CHECK dpr_status dpr_rot90(
	const dpr_array *x, int64_t k, const dpr_axes *axes, dpr_array **out);

/* Views with at least one, two or three axes, as numpy.atleast_1d() and its
   like.  New axes have the extent 1.  They come first; but the third axis of
   dpr_atleast_3d() comes last, so that an array of n elements is (1, n, 1). */
DPR_API DPR_CHECK dpr_status dpr_atleast_1d(
	const dpr_array *x, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_atleast_2d(
	const dpr_array *x, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_atleast_3d(
	const dpr_array *x, dpr_array **out);

DPR_END_DECLS

/* The wrapper takes a plain number where the function takes a dpr_operand. */
#define dpr_pad(x, width, mode, value, out) \
	(dpr_pad)((x), (width), (mode), DPR__OPERAND(value), (out))

#endif
