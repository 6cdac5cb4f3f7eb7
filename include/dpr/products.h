/* SPDX-License-Identifier: Apache-2.0 */
/*
 * products.h - products of matrices and of vectors, and sums of products over
 * any axes.
 *
 * Names and rules are those of the array API standard 2024.12; functions that
 * the standard lacks follow NumPy.
 *
 * Arrays of one call are on one queue.  Work is submitted and not waited for,
 * though the first call of a kind may load a library or build a kernel.  A new
 * array is on this queue; the caller gets a reference.  Any thread may call.
 *
 * Errors of all functions:
 * - DPR_ERROR_INVALID_ARGUMENT: an array or @out is NULL.
 * - DPR_ERROR_SHAPE: the shapes do not fit together, or the result has more
 *   than 32 axes.
 * - DPR_ERROR_DTYPE: all arrays are bool.
 * - DPR_ERROR_EXECUTION_PLACEMENT: the arrays are on different queues.
 * - DPR_ERROR_OVERFLOW: the size of the result does not fit in 64 bits.
 * - DPR_ERROR_UNSUPPORTED: float64 or complex128 on a device without it.
 * - Those of dpr_usm_alloc() and dpr_kernel_launch_args().
 */
#ifndef DPR_PRODUCTS_H
#define DPR_PRODUCTS_H

#include <dpr/array.h>
#include <dpr/reduce.h>

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
 * Floats and complex numbers are computed by a library, where the device's
 * backend finds one: on the host backend and on CPUs of OpenCL a CBLAS, such as
 * OpenBLAS (DPR_OPTION_HOST_BLAS, DPR_OPTION_OPENCL_BLAS), on NVIDIA's GPUs
 * cuBLAS (DPR_OPTION_CUDA_BLAS), which does not round float32 to TF32.  GPUs of
 * OpenCL take CLBlast, if DPR_OPTION_OPENCL_BLAS names it.  The driver compiles
 * CLBlast's kernels for the first product of each dtype, unless it has them in a
 * cache of its own.  `dpr doctor` shows the library.  Transposed operands and
 * views of rows are passed to it as they are; views with other strides, and
 * operands of another dtype than the result, are copied first.  A CBLAS and
 * CLBlast get larger matrices of 16-bit floats as copies in float32.
 *
 * Elsewhere, and for integers, dpr multiplies itself, by a kernel which takes
 * any strides; only operands of another dtype are copied.  The order of its
 * additions follows from the shapes alone, not from strides or the number of
 * threads.  Some products are faster as reductions: those of long vectors with
 * vectors or matrices, and those with a few long sums.  A device without the
 * kernel computes every product as a reduction, which is much slower for large
 * matrices.  These are devices whose kernels come in files, and CUDA and Level
 * Zero devices if dpr was built without SPIR-V and PTX.  With kernels in files,
 * a product also stores all products of elements, m * n * k of them.
 *
 * dpr_matmul_into() writes into @out, which must have the result's shape, and
 * may overlap the operands; the result is cast to @out's dtype.
 *
 * Errors beside those of all functions:
 * - DPR_ERROR_SHAPE: an operand has no axis, or there are more than 29 axes
 *   before the last two.
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

/*
 * Products of matrices and vectors, as dpr_matmul(), but with vectors in the
 * last axis of one operand; the axes before them are broadcast.
 * dpr_matvec(): @x1 of shape (..., m, k), @x2 of shape (..., k); the result has
 * the shape (..., m).
 * dpr_vecmat(): @x1 of shape (..., k), @x2 of shape (..., k, n); the result has
 * the shape (..., n).  Of complex numbers it takes conj(x1).
 * The errors, and those of the _into forms, are those of dpr_matmul().
 */
DPR_API DPR_CHECK dpr_status dpr_matvec(
	const dpr_array *x1, const dpr_array *x2, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_matvec_into(
	const dpr_array *x1, const dpr_array *x2, dpr_array *out);
DPR_API DPR_CHECK dpr_status dpr_vecmat(
	const dpr_array *x1, const dpr_array *x2, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_vecmat_into(
	const dpr_array *x1, const dpr_array *x2, dpr_array *out);

/*
 * The sum of the products of the elements of @x1 and @x2 over some of their
 * axes.  The result has the other axes of @x1, then those of @x2, and the dtype
 * to which both are promoted.
 * dpr_tensordot(): over the last @axes axes of @x1, and as many first ones of
 * @x2; 0 for all products without a sum.
 * dpr_tensordot_axes(): over the axes @axes1 of @x1, each with the axis in its
 * place in @axes2 of @x2, as DPR_AXES(1, 0) and DPR_AXES(0, 1); NULL: all axes.
 * A sum is one product of matrices, as by dpr_matmul().  An operand is copied
 * first only if its axes cannot be joined to those of a matrix by a view.
 * DPR_ERROR_INDEX: @axes is negative, or more than an operand has; an axis is
 * out of range or named twice.
 * DPR_ERROR_SHAPE: axes that go together have different extents.
 * DPR_ERROR_INVALID_ARGUMENT: one list is longer, has a negative count, or is
 * NULL with a count.
 */
DPR_API DPR_CHECK dpr_status dpr_tensordot(const dpr_array *x1,
	const dpr_array *x2, int axes, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_tensordot_axes(const dpr_array *x1,
	const dpr_array *x2, const dpr_axes *axes1, const dpr_axes *axes2,
	dpr_array **out);

/*
 * Sums of products of 1 to 12 arrays, as numpy.einsum().  @subscripts has a
 * letter, of a to z and A to Z, for each axis of each operand, which are
 * separated by commas; then "->" and the letters of the result, as
 * "bij,bjk->bik".  It sums over all letters that the result does not have.  A
 * letter that an operand has twice takes its diagonal.  "..." stands for other
 * axes, which are broadcast from the last one on.  Axes of one letter are
 * equally long, or 1.  Spaces mean nothing.  Without "->" the result has the
 * axes of "...", then all letters that come once, sorted.
 *
 * The result has the dtype to which all operands are promoted, in which all is
 * computed; 16-bit floats are added in float32.  If nothing is multiplied or
 * summed, as in "ij->ji" and "ii->i", the result is a view, which keeps the
 * operand alive.  Otherwise it is a new array, whose axes may be in another
 * order in memory, as after dpr_permute_dims().
 *
 * Each operand is first summed over letters that it alone has.  Then two at a
 * time are multiplied, as by dpr_matmul(), in the order with the fewest
 * multiplications.  In memory are, beside the result, the products that are
 * not used yet: each has the letters that the result or another operand needs.
 * An operand is copied if its axes cannot be joined to those of a matrix by a
 * view, or if it has another dtype.  Two operands that have the same letters,
 * in the same order in memory, are not copied.
 *
 * DPR_ERROR_INVALID_ARGUMENT: there are no operands, or more than 12;
 * @subscripts is NULL, is not understood, or has another number of operands;
 * the result has a letter twice, or one that no operand has, or lacks "...".
 * DPR_ERROR_SHAPE: an operand has another number of axes than letters, or the
 * extents of a letter do not match; there are more than 64 different axes; a
 * product of two operands has more than 32 axes.
 */
DPR_API DPR_CHECK dpr_status dpr_einsum(const char *subscripts,
	const dpr_array *const *operands, size_t count, dpr_array **out);

/* The Kronecker product, as numpy.kron(): each element of @x1 in its place,
   multiplied by the whole @x2.  If one has fewer axes, axes of extent 1 are put
   before its own.  The result is C-contiguous.
   DPR_ERROR_SHAPE: both together have more than 32 axes longer than 1. */
DPR_API DPR_CHECK dpr_status dpr_kron(
	const dpr_array *x1, const dpr_array *x2, dpr_array **out);

/*
 * The product of 2 to 256 matrices, as numpy.linalg.multi_dot(), in the order
 * with the fewest multiplications.  The first and the last array may be
 * vectors.  The result has the dtype to which all are promoted, in which all is
 * computed.  In memory are, beside the result, the products that are not used
 * yet.
 * DPR_ERROR_INVALID_ARGUMENT: there are fewer or more arrays.
 */
DPR_API DPR_CHECK dpr_status dpr_multi_dot(
	const dpr_array *const *arrays, size_t count, dpr_array **out);

/*
 * The product of @n times each matrix in the last two axes of @x, by repeated
 * squaring.  With @n 0 these are identity matrices, with 1 a copy.  Integers
 * wrap.  With @n < 0 the inverse matrices (dpr_inv()) are multiplied; then the
 * function waits, and takes float32, float64, complex64 and complex128 only.
 * DPR_ERROR_SHAPE: the array has fewer than two axes, or the last two are not
 * equally long.
 * With @n < 0 also:
 * DPR_ERROR_DTYPE: the array is of another dtype.
 * DPR_ERROR_LINALG: a matrix is singular; the text names it.
 * DPR_ERROR_UNSUPPORTED: there is no LAPACK; the text names a package to
 * install.
 * DPR_ERROR_BUSY: in an event's callback.
 */
DPR_API DPR_CHECK dpr_status dpr_matrix_power(
	const dpr_array *x, int64_t n, dpr_array **out);

DPR_END_DECLS

#endif
