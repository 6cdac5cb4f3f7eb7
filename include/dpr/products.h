/* SPDX-License-Identifier: Apache-2.0 */
/*
 * products.h - products of matrices.
 *
 * Names and rules are those of the array API standard 2024.12.
 */
#ifndef DPR_PRODUCTS_H
#define DPR_PRODUCTS_H

#include <dpr/array.h>

DPR_BEGIN_DECLS

/*
 * The matrix product of x1, of shape (..., m, k), and x2, of shape (..., k, n),
 * which has the shape (..., m, n).  The axes before the last two are broadcast:
 * there is a product for each index of them.  A 1-d x1 is a matrix of one row,
 * a 1-d x2 a matrix of one column, and this axis is not in the result.
 *
 * The result has the dtype that both are promoted to.  Integers wrap.  16-bit
 * floats are multiplied and added in float32.  Without elements to add the
 * result is 0.  The order of additions, and so the last bits of floats, is not
 * promised.
 *
 * float32, float64, complex64 and complex128 are computed by a library, where the
 * device's backend finds one: on the host backend a CBLAS, such as OpenBLAS
 * (DPR_OPTION_HOST_BLAS; `dpr doctor` shows it).  Transposed operands and views
 * of rows are passed to it as they are; views with other strides, and operands
 * of another dtype than the result, are copied first.  Elsewhere, and for all
 * other dtypes, dpr adds the products itself, which is much slower for large
 * matrices.  A device whose kernels come in files also stores all m * n * k
 * products.
 *
 * Arrays of one call are on one queue.  Work is submitted and not waited for,
 * though the first call of a kind may load a library or build a kernel.  A new
 * array is on this queue; the caller gets a reference.  dpr_matmul_into() writes
 * into @out, which must have the result's shape, and may overlap the operands;
 * the result is cast to @out's dtype.  Any thread may call.
 *
 * - DPR_ERROR_INVALID_ARGUMENT: an array is NULL.
 * - DPR_ERROR_SHAPE: the shapes do not fit together, an operand has no axis, or
 *   there are more than 29 axes before the last two.
 * - DPR_ERROR_DTYPE: both operands are bool.
 * - DPR_ERROR_EXECUTION_PLACEMENT: the arrays are on different queues.
 * - DPR_ERROR_UNSUPPORTED: float64 or complex128 on a device without it.
 * - Those of dpr_usm_alloc() and dpr_kernel_launch_args().
 * Of dpr_matmul_into() also:
 * - DPR_ERROR_SHAPE: @out has another shape.
 * - DPR_ERROR_DTYPE: the result cannot be cast to @out's dtype.
 * - DPR_ERROR_LAYOUT: elements of @out share memory.
 * - DPR_ERROR_INVALID_ARGUMENT: @out is read-only.
 */
DPR_API DPR_CHECK dpr_status dpr_matmul(
	const dpr_array *x1, const dpr_array *x2, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_matmul_into(
	const dpr_array *x1, const dpr_array *x2, dpr_array *out);

DPR_END_DECLS

#endif
