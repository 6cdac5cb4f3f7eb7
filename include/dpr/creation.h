/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creation.h - make arrays, convert them, join them.
 *
 * Names and rules are those of the array API standard 2024.12.  @queue NULL is
 * the default device's canonical queue.  The `_on` functions take the kind of
 * memory; the others use DEVICE.  @dtype DPR_DTYPE_DEFAULT is the device's
 * default float, or the dtype that suits the values.
 *
 * Errors of all functions:
 * - DPR_ERROR_INVALID_ARGUMENT: a negative extent, or more than 32 axes.
 * - DPR_ERROR_OVERFLOW: the size in bytes does not fit in 64 bits.
 * - DPR_ERROR_DTYPE: an unknown dtype.
 * - DPR_ERROR_UNSUPPORTED: the device cannot compute in float64 or complex128,
 *   or lacks this kind of memory.
 * - Those of dpr_usm_alloc(), and with @queue NULL those of
 *   dpr_device_select().
 *
 * The caller gets a reference to each new array.  Work is submitted and not
 * waited for.  Only the allocation of memory may wait (dpr/pool.h).
 */
#ifndef DPR_CREATION_H
#define DPR_CREATION_H

#include <dpr/array.h>

DPR_BEGIN_DECLS

/*
 * Make an array. dpr_empty() leaves its elements undefined; dpr_zeros(),
 * dpr_ones() and dpr_full() set them to 0, 1 and @fill_value.
 * For dpr_full() also:
 * DPR_ERROR_INVALID_ARGUMENT: @fill_value is an array.
 * DPR_ERROR_OVERFLOW: @fill_value is out of the range of an integer dtype.
 */
DPR_API DPR_CHECK dpr_status dpr_empty(
	dpr_shape shape, dpr_dtype dtype, dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_zeros(
	dpr_shape shape, dpr_dtype dtype, dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_ones(
	dpr_shape shape, dpr_dtype dtype, dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_full(dpr_shape shape, dpr_operand fill_value,
	dpr_dtype dtype, dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_empty_on(dpr_shape shape, dpr_dtype dtype,
	dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_zeros_on(dpr_shape shape, dpr_dtype dtype,
	dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_ones_on(dpr_shape shape, dpr_dtype dtype,
	dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_full_on(dpr_shape shape,
	dpr_operand fill_value, dpr_dtype dtype, dpr_queue *queue,
	dpr_usm_kind kind, dpr_array **out);

/* Make an array with the shape, queue and kind of memory of @x, and with its
   dtype unless @dtype is given.  @fill_value as for dpr_full(). */
DPR_API DPR_CHECK dpr_status dpr_empty_like(
	const dpr_array *x, dpr_dtype dtype, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_zeros_like(
	const dpr_array *x, dpr_dtype dtype, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_ones_like(
	const dpr_array *x, dpr_dtype dtype, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_full_like(const dpr_array *x,
	dpr_operand fill_value, dpr_dtype dtype, dpr_array **out);

/*
 * The numbers start, start + step, ... up to but without stop.  If all three are
 * integers, the numbers are exact, and the default dtype is int64, or uint64 if
 * int64 lacks one of the numbers; else it is the default float.  Of numbers that
 * are too large for an integer @dtype the low bits stay, as in additions.
 * DPR_ERROR_OVERFLOW: without a dtype, neither int64 nor uint64 has all integers;
 * or there are more elements than an array can have.
 * DPR_ERROR_INVALID_ARGUMENT: step is 0, an operand is an array or complex, or
 * the length is not defined (NaN).
 * DPR_ERROR_DTYPE: @dtype is bool.
 */
DPR_API DPR_CHECK dpr_status dpr_arange(dpr_operand start, dpr_operand stop,
	dpr_operand step, dpr_dtype dtype, dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_arange_on(dpr_operand start, dpr_operand stop,
	dpr_operand step, dpr_dtype dtype, dpr_queue *queue, dpr_usm_kind kind,
	dpr_array **out);

/*
 * @num evenly spaced numbers from @start to @stop.  dpr_linspace_on() leaves out
 * @stop if @endpoint is false: the numbers are then @start + i * (@stop -
 * @start) / @num.  A single number is @start.  Otherwise the last number is
 * @stop, rounded to the dtype.  Without a dtype, complex ends give the device's
 * default complex dtype.  Integer ends may have 64 bits: no more is rounded than
 * the numbers of the result.  In an integer dtype, which the standard does not
 * ask for, the ends must be integers, and the numbers are rounded down.  If
 * @start is infinite and @stop is not, all numbers but @stop are @start.
 * Between two opposite infinities they are NaN, as in NumPy.
 * DPR_ERROR_INVALID_ARGUMENT: @num is negative, or an end is an array.
 * DPR_ERROR_DTYPE: @dtype is bool; it is real and an end is complex; it is an
 * integer dtype and an end is not an integer.
 * DPR_ERROR_OVERFLOW: an end is out of the range of an integer dtype, or there
 * are more than 3037000499 integers with a step that is no integer.
 */
DPR_API DPR_CHECK dpr_status dpr_linspace(dpr_operand start, dpr_operand stop,
	int64_t num, dpr_dtype dtype, dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_linspace_on(dpr_operand start,
	dpr_operand stop, int64_t num, bool endpoint, dpr_dtype dtype,
	dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);

/*
 * Numbers in geometric progression, as NumPy has them: dpr_logspace() raises
 * @base to each power of dpr_linspace(@start, @stop); dpr_geomspace() gives
 * numbers with a constant ratio, from exactly @start to exactly @stop.  The
 * `_on` functions leave out @stop as dpr_linspace_on() does.  If a number is
 * complex, or for dpr_geomspace() the dtype, all are computed as complex
 * numbers; complex numbers in geometric progression are on a spiral around 0.
 * The powers are computed in float64 or complex128, on devices without these in
 * float32 or complex64.
 * DPR_ERROR_INVALID_ARGUMENT: @num is negative; a number is an array; for
 * dpr_geomspace() an end is 0, or the ends have different signs and @dtype is
 * not complex.
 * DPR_ERROR_DTYPE: @dtype is neither a float nor a complex dtype, or it is real
 * and a number is complex.
 */
DPR_API DPR_CHECK dpr_status dpr_logspace(dpr_operand start, dpr_operand stop,
	int64_t num, dpr_operand base, dpr_dtype dtype, dpr_queue *queue,
	dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_logspace_on(dpr_operand start,
	dpr_operand stop, int64_t num, bool endpoint, dpr_operand base,
	dpr_dtype dtype, dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_geomspace(dpr_operand start, dpr_operand stop,
	int64_t num, dpr_dtype dtype, dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_geomspace_on(dpr_operand start,
	dpr_operand stop, int64_t num, bool endpoint, dpr_dtype dtype,
	dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);

/* A @n_rows x @n_cols matrix of zeros, with ones on diagonal @k (0: the main
   diagonal; positive: above it). */
DPR_API DPR_CHECK dpr_status dpr_eye(int64_t n_rows, int64_t n_cols, int64_t k,
	dpr_dtype dtype, dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_eye_on(int64_t n_rows, int64_t n_cols,
	int64_t k, dpr_dtype dtype, dpr_queue *queue, dpr_usm_kind kind,
	dpr_array **out);

/* Whether a function may, must or must not copy. */
typedef enum dpr_copy_mode {
	DPR_COPY_IF_NEEDED = 0,
	DPR_COPY_ALWAYS = 1,
	DPR_COPY_NEVER = 2
} dpr_copy_mode;

/*
 * Get @x in @dtype (DEFAULT: its own).  If nothing changes and @copy allows it,
 * the result is @x itself with another reference.
 * DPR_ERROR_INVALID_ARGUMENT: NEVER, but a copy is needed; or @copy is unknown.
 */
DPR_API DPR_CHECK dpr_status dpr_asarray(const dpr_array *x, dpr_dtype dtype,
	dpr_copy_mode copy, dpr_array **out);
/* Get @x on @device's canonical queue, in its own dtype.  It is moved as by
   dpr_array_to_device(), with the errors of that function.  An array without
   elements goes to any device without a copy. */
DPR_API DPR_CHECK dpr_status dpr_asarray_to_device(const dpr_array *x,
	dpr_device *device, dpr_copy_mode copy, dpr_array **out);

/* Make a C-contiguous array with the elements cast to @dtype.  The standard's
   astype(x, dtype, copy=False) is dpr_asarray() with DPR_COPY_IF_NEEDED.
   DPR_ERROR_DTYPE: from a complex to a real dtype (use dpr_real()). */
DPR_API DPR_CHECK dpr_status dpr_astype(
	const dpr_array *x, dpr_dtype dtype, dpr_array **out);
/* Get @x in @dtype (DEFAULT: its own) on @device's canonical queue.  If nothing
   changes and @copy allows it, the result is @x itself with another reference.
   Otherwise @x is cast before it is moved if this does not make its elements
   larger, or if only its own device can compute in both dtypes; else
   afterwards.  The
   errors are those of dpr_astype() and dpr_asarray_to_device(). */
DPR_API DPR_CHECK dpr_status dpr_astype_to_device(const dpr_array *x,
	dpr_dtype dtype, dpr_device *device, dpr_copy_mode copy,
	dpr_array **out);
/* Make a C-contiguous array with the same elements. */
DPR_API DPR_CHECK dpr_status dpr_copy(const dpr_array *x, dpr_array **out);

/*
 * Assign @value to all elements of @view, as view[...] = value in NumPy.  It
 * is cast to the view's dtype and broadcast to its shape.  The value may
 * overlap the view.  A value on another queue or device, as a halo between two
 * devices, is for dpr_array_copy_to() (placement.h).
 * DPR_ERROR_DTYPE: a complex value into a real view.
 * DPR_ERROR_EXECUTION_PLACEMENT: the value is on another queue.
 * DPR_ERROR_LAYOUT: elements of the view share memory, as after
 * dpr_broadcast_to().
 * DPR_ERROR_OVERFLOW: a number out of the range of an integer view.
 */
DPR_API DPR_CHECK dpr_status dpr_copy_into(dpr_array *view, dpr_operand value);

/* Take @x1 where @condition (a bool array) is true, else @x2; all three are
   broadcast. dpr_where_into() writes to @out, which must have the shape of the
   result.  Two numbers count as arrays that dpr_full() makes of them.
   DPR_ERROR_DTYPE: @condition is not bool, or the result cannot be cast to
   @out's dtype.
   DPR_ERROR_SHAPE: the shapes do not match.
   DPR_ERROR_EXECUTION_PLACEMENT: the arrays are on different queues.
   DPR_ERROR_LAYOUT: elements of @out share memory.
   DPR_ERROR_OVERFLOW: a number out of the dtype's range. */
DPR_API DPR_CHECK dpr_status dpr_where(const dpr_array *condition,
	dpr_operand x1, dpr_operand x2, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_where_into(const dpr_array *condition,
	dpr_operand x1, dpr_operand x2, dpr_array *out);

/* Join the arrays along @axis (negative: from the end), in the dtype that they
   are promoted to.  @axis DPR_AXIS_NONE: the result has one axis, with the
   elements of each array in C order.  The arrays may then have any shapes.
   Another function, dpr_stack() (shapes.h), joins them along a new axis.
   DPR_ERROR_SHAPE: the ranks or the extents of other axes differ, or the first
   array is 0-d.
   DPR_ERROR_INDEX: @axis is out of range.
   DPR_ERROR_EXECUTION_PLACEMENT: the arrays are on different queues. */
DPR_API DPR_CHECK dpr_status dpr_concat(const dpr_array *const *arrays,
	size_t count, int axis, dpr_array **out);

/* The dtype that a function of these operands computes in.  Does no work.
   DPR_ERROR_INVALID_ARGUMENT: no operand is an array, or one has an unknown
   kind. */
DPR_API DPR_CHECK dpr_status dpr_result_type(
	const dpr_operand *operands, size_t count, dpr_dtype *out);

DPR_END_DECLS

/* The wrappers take arrays and plain numbers where the functions take a
   dpr_operand. */
#ifdef __cplusplus
#define DPR__OPERAND(x) dpr_operand_of(x)
#else
#define DPR__OPERAND(x) DPR_OPERAND(x)
#endif
#define dpr_full(shape, fill_value, dtype, queue, out) \
	(dpr_full)((shape), DPR__OPERAND(fill_value), (dtype), (queue), (out))
#define dpr_full_on(shape, fill_value, dtype, queue, kind, out)            \
	(dpr_full_on)((shape), DPR__OPERAND(fill_value), (dtype), (queue), \
		(kind), (out))
#define dpr_full_like(x, fill_value, dtype, out) \
	(dpr_full_like)((x), DPR__OPERAND(fill_value), (dtype), (out))
#define dpr_arange(start, stop, step, dtype, queue, out)      \
	(dpr_arange)(DPR__OPERAND(start), DPR__OPERAND(stop), \
		DPR__OPERAND(step), (dtype), (queue), (out))
#define dpr_arange_on(start, stop, step, dtype, queue, kind, out) \
	(dpr_arange_on)(DPR__OPERAND(start), DPR__OPERAND(stop),  \
		DPR__OPERAND(step), (dtype), (queue), (kind), (out))
#define dpr_linspace(start, stop, num, dtype, queue, out)                \
	(dpr_linspace)(DPR__OPERAND(start), DPR__OPERAND(stop), (num), \
		(dtype), (queue), (out))
#define dpr_linspace_on(start, stop, num, endpoint, dtype, queue, kind, out) \
	(dpr_linspace_on)(DPR__OPERAND(start), DPR__OPERAND(stop), (num),  \
		(endpoint), (dtype), (queue), (kind), (out))
#define dpr_logspace(start, stop, num, base, dtype, queue, out)          \
	(dpr_logspace)(DPR__OPERAND(start), DPR__OPERAND(stop), (num), \
		DPR__OPERAND(base), (dtype), (queue), (out))
#define dpr_logspace_on(                                                    \
	start, stop, num, endpoint, base, dtype, queue, kind, out)          \
	(dpr_logspace_on)(DPR__OPERAND(start), DPR__OPERAND(stop), (num), \
		(endpoint), DPR__OPERAND(base), (dtype), (queue), (kind),   \
		(out))
#define dpr_geomspace(start, stop, num, dtype, queue, out)                \
	(dpr_geomspace)(DPR__OPERAND(start), DPR__OPERAND(stop), (num), \
		(dtype), (queue), (out))
#define dpr_geomspace_on(start, stop, num, endpoint, dtype, queue, kind, out) \
	(dpr_geomspace_on)(DPR__OPERAND(start), DPR__OPERAND(stop), (num),  \
		(endpoint), (dtype), (queue), (kind), (out))
#define dpr_copy_into(view, value) (dpr_copy_into)((view), DPR__OPERAND(value))
#define dpr_where(condition, x1, x2, out) \
	(dpr_where)((condition), DPR__OPERAND(x1), DPR__OPERAND(x2), (out))
#define dpr_where_into(condition, x1, x2, out) \
	(dpr_where_into)((condition), DPR__OPERAND(x1), DPR__OPERAND(x2), (out))

#endif
