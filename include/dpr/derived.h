/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derived.h - comparisons within a tolerance, products of vectors, norms, and
 * other functions that consist of simpler ones.
 *
 * Names and rules are those of the array API standard 2024.12; of isclose,
 * allclose, average and one_hot those of NumPy and of array-api-extra.  All but
 * dpr_diff() are computed by an expression (kernels/composed.def): in one kernel
 * where a kernel can hold it.  16-bit floats are computed in float32, and sums of
 * them too.
 *
 * Negative axes count from the end.  Arrays of one call are on one queue, and
 * broadcast.  Work is submitted and not waited for, though the first call of a
 * kind may build a kernel.  A new array is on this queue; the caller gets a
 * reference.  The _into forms write into @out, which must have the result's
 * shape; the result is cast to @out's dtype.  Any thread may call.
 *
 * Errors of all functions:
 * - DPR_ERROR_INVALID_ARGUMENT: an array is NULL that must be given, or no
 *   operand is an array.
 * - DPR_ERROR_DTYPE: the function does not take this dtype.
 * - DPR_ERROR_SHAPE: the shapes do not fit together.
 * - DPR_ERROR_INDEX: there is no such axis.
 * - DPR_ERROR_EXECUTION_PLACEMENT: the arrays are on different queues.
 * - DPR_ERROR_UNSUPPORTED: float64 or complex128 on a device without it.
 * - Those of dpr_usm_alloc() and dpr_kernel_launch_args().
 * Of the _into forms also:
 * - DPR_ERROR_SHAPE: @out has another shape.
 * - DPR_ERROR_DTYPE: the result cannot be cast to @out's dtype.
 * - DPR_ERROR_LAYOUT: elements of @out share memory.
 */
#ifndef DPR_DERIVED_H
#define DPR_DERIVED_H

#include <dpr/creation.h>
#include <dpr/reduce.h>

DPR_BEGIN_DECLS

/*
 * dpr_isclose(): whether abs(x1 - x2) <= atol + rtol * abs(x2), in bool (NumPy's
 * isclose).  An infinity is close to the same infinity alone.  NaN is close to
 * nothing, or with @equal_nan to NaN.  Bool and integers are made the default
 * float first.  The usual @rtol is 1e-5, the usual @atol 1e-8.
 * dpr_allclose(): whether all elements are close, as a 0-d array.
 */
DPR_API DPR_CHECK dpr_status dpr_isclose(dpr_operand x1, dpr_operand x2,
	double rtol, double atol, int equal_nan, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_isclose_into(dpr_operand x1, dpr_operand x2,
	double rtol, double atol, int equal_nan, dpr_array *out);
DPR_API DPR_CHECK dpr_status dpr_allclose(dpr_operand x1, dpr_operand x2,
	double rtol, double atol, int equal_nan, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_allclose_into(dpr_operand x1, dpr_operand x2,
	double rtol, double atol, int equal_nan, dpr_array *out);

/*
 * The sum of conj(x1) * x2 along @axis, which has the same extent in both; all
 * other axes are broadcast.  If the ranks differ, @axis is negative.  The
 * result has the dtype that both are promoted to.  Integers wrap.  It does not
 * take bool.
 */
DPR_API DPR_CHECK dpr_status dpr_vecdot(const dpr_array *x1,
	const dpr_array *x2, int axis, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_vecdot_into(const dpr_array *x1,
	const dpr_array *x2, int axis, dpr_array *out);

/*
 * The norm of the vectors along @axis, in a real float: with @ord 2 the root of
 * the sum of squares, INFINITY the greatest absolute value, -INFINITY the least
 * one, 0 the number of elements that are not 0, and with any other number p
 * sum(abs(x)**p)**(1/p).  No power overflows.  @axis NULL takes all elements.
 * Bool and integers are made the default float first.  Without elements it is
 * 0, or with a finite number below 0 infinity.
 * DPR_ERROR_INVALID_ARGUMENT: @ord is NaN.
 * DPR_ERROR_SHAPE: @ord is -INFINITY, and there are no elements.
 */
DPR_API DPR_CHECK dpr_status dpr_vector_norm(const dpr_array *x,
	const dpr_axes *axis, double ord, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_vector_norm_into(const dpr_array *x,
	const dpr_axes *axis, double ord, dpr_array *out);

/* The products x1[i] * x2[j] of two arrays of one axis. */
DPR_API DPR_CHECK dpr_status dpr_outer(
	const dpr_array *x1, const dpr_array *x2, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_outer_into(
	const dpr_array *x1, const dpr_array *x2, dpr_array *out);

/* The cross products of vectors of 3 elements along @axis.  All other axes are
   broadcast.  If the ranks differ, @axis is negative.  It does not take bool.
   DPR_ERROR_SHAPE: the extent of @axis is not 3. */
DPR_API DPR_CHECK dpr_status dpr_cross(const dpr_array *x1,
	const dpr_array *x2, int axis, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_cross_into(const dpr_array *x1,
	const dpr_array *x2, int axis, dpr_array *out);

/* The sum of diagonal @offset of the matrices in the last two axes (0: the main
   diagonal; positive: above it).  The dtype is that of dpr_sum(), or with
   @dtype that of dpr_sum_as(). */
DPR_API DPR_CHECK dpr_status dpr_trace(const dpr_array *x, int64_t offset,
	dpr_dtype dtype, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_trace_into(const dpr_array *x,
	int64_t offset, dpr_dtype dtype, dpr_array *out);

/*
 * sum(x * weights) / sum(weights) along @axis, of floats (NumPy's average).
 * @weights has the shape of @x; or one axis, with the extent of the only axis
 * that is reduced.  NULL: all are 1.  NaN or infinite if the weights sum to 0.
 */
DPR_API DPR_CHECK dpr_status dpr_average(const dpr_array *x,
	const dpr_axes *axis, const dpr_array *weights, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_average_into(const dpr_array *x,
	const dpr_axes *axis, const dpr_array *weights, dpr_array *out);

/*
 * A new last axis of @num_classes elements: 1 at the position that @indices
 * has, else 0, in @dtype (DEFAULT: the default float).  An index that is
 * negative or too large gives zeros alone.
 * DPR_ERROR_DTYPE: @indices are no integers.
 * DPR_ERROR_INVALID_ARGUMENT: @num_classes is negative.
 */
DPR_API DPR_CHECK dpr_status dpr_one_hot(const dpr_array *indices,
	int64_t num_classes, dpr_dtype dtype, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_one_hot_into(const dpr_array *indices,
	int64_t num_classes, dpr_dtype dtype, dpr_array *out);

/*
 * Each element along @axis less the one before it, taken @n times; of bool
 * whether the two differ.  @prepend and @append are joined with @x first, as by
 * dpr_concat(); they may be NULL.  With @n 0 the result is a copy.
 * DPR_ERROR_INVALID_ARGUMENT: @n is negative.
 */
DPR_API DPR_CHECK dpr_status dpr_diff(const dpr_array *x, int axis, int64_t n,
	const dpr_array *prepend, const dpr_array *append, dpr_array **out);

/*
 * Split each number into two parts: a quotient and a remainder, or the parts of a
 * float.  Both results are made, or both are NULL.
 * dpr_divmod(): dpr_floor_divide() and dpr_remainder().
 * dpr_modf(): the fractional and the integral part of floats, both with the sign
 * of x.  The fractional part of an infinity is 0; NaN gives NaN twice.
 * dpr_frexp(): x = mantissa * 2**exponent, with a mantissa from 0.5 on, below 1,
 * or its negative, and an exponent in int32.  Zeros, infinities and NaN are their
 * mantissa, with the exponent 0.
 * Of the last two bool and integers are made the default float first.
 * DPR_ERROR_DTYPE: a complex dtype.
 */
DPR_API DPR_CHECK dpr_status dpr_divmod(dpr_operand x1, dpr_operand x2,
	dpr_array **quotient, dpr_array **remainder);
DPR_API DPR_CHECK dpr_status dpr_modf(const dpr_array *x,
	dpr_array **fractional, dpr_array **integral);
DPR_API DPR_CHECK dpr_status dpr_frexp(const dpr_array *x,
	dpr_array **mantissa, dpr_array **exponent);

DPR_END_DECLS

/* The wrappers take arrays and plain numbers where the functions take a
   dpr_operand. */
#define dpr_isclose(x1, x2, rtol, atol, equal_nan, out)                    \
	(dpr_isclose)(DPR__OPERAND(x1), DPR__OPERAND(x2), (rtol), (atol), \
		(equal_nan), (out))
#define dpr_isclose_into(x1, x2, rtol, atol, equal_nan, out)           \
	(dpr_isclose_into)(DPR__OPERAND(x1), DPR__OPERAND(x2), (rtol), \
		(atol), (equal_nan), (out))
#define dpr_allclose(x1, x2, rtol, atol, equal_nan, out)                    \
	(dpr_allclose)(DPR__OPERAND(x1), DPR__OPERAND(x2), (rtol), (atol), \
		(equal_nan), (out))
#define dpr_allclose_into(x1, x2, rtol, atol, equal_nan, out)           \
	(dpr_allclose_into)(DPR__OPERAND(x1), DPR__OPERAND(x2), (rtol), \
		(atol), (equal_nan), (out))
#define dpr_divmod(x1, x2, quotient, remainder)                       \
	(dpr_divmod)(DPR__OPERAND(x1), DPR__OPERAND(x2), (quotient), \
		(remainder))

#endif
