/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linalg.h - linear algebra: factors, solutions, eigenvalues, singular values.
 *
 * Names and rules are those of the linalg extension of the array API standard
 * 2024.12.  Functions that the standard lacks (lu, solve_triangular, eig,
 * eigvals, lstsq, cond) follow NumPy and SciPy.
 *
 * The last two axes of an array are a matrix of m rows and n columns; the axes
 * before are a batch of matrices.  min is the smaller one of m and n.  Matrices
 * and batches may have no elements.  Operands are of float32, float64,
 * complex64 or complex128, in any layout.  Two operands are promoted to one
 * dtype.  Cast integers and 16-bit floats with dpr_astype() first.
 *
 * A LAPACK computes.  If the device's backend has the routine, the routine runs
 * on the queue of the operands.  Otherwise the operands are copied to the host
 * backend, and the results are copied back.  The host backend and CPUs of OpenCL
 * take a LAPACK of the system, such as OpenBLAS, or the library that
 * DPR_OPTION_HOST_LAPACK and DPR_OPTION_OPENCL_LAPACK name.  On NVIDIA's GPUs
 * cuSOLVER computes (DPR_OPTION_CUDA_LAPACK), with cuBLAS; before CUDA 12.6 it
 * has no eig.  `dpr doctor` shows the libraries, and dpr_expression_explain()
 * says which calls went through host memory.  Results may differ in their last
 * bits from library to library, and the signs or phases of vectors may differ,
 * too.
 *
 * All functions wait until the library is done, because only then it is known
 * whether a matrix has a result.  LAPACK overwrites its operands.  Each call
 * copies them first, and so takes at least as much memory again.  Each result is
 * a new array on the queue of the operands, in their kind of memory, and the
 * caller gets a reference.  The array may be a view of column-major memory: see
 * its strides.  After a failure all results are NULL.  Any thread may call.
 *
 * Errors of all functions:
 * - DPR_ERROR_INVALID_ARGUMENT: an array, or the place for a result, is NULL.
 * - DPR_ERROR_SHAPE: an operand has fewer than two axes, or matrices are not
 *   square and the function needs square ones.
 * - DPR_ERROR_DTYPE: an operand is of another dtype.
 * - DPR_ERROR_LINALG: a matrix has no such result.  The text names the matrix
 *   and says why.  NaN or infinity in a matrix gives NaN, or this error.
 * - DPR_ERROR_UNSUPPORTED: no library has the routine.  The text names a
 *   package to install.
 * - DPR_ERROR_BUSY: in an event's callback.
 * - Those of dpr_usm_alloc() and dpr_kernel_launch_args().
 * Of functions with two operands also:
 * - DPR_ERROR_SHAPE: the shapes do not fit together.
 * - DPR_ERROR_EXECUTION_PLACEMENT: the operands are on different queues.
 */
#ifndef DPR_LINALG_H
#define DPR_LINALG_H

#include <dpr/array.h>

DPR_BEGIN_DECLS

/*
 * The triangular factor L of Hermitian positive definite matrices x = L L^H, or
 * with @upper the factor U of x = U^H U.  The elements of the other triangle
 * are 0.  Of @x only the same triangle is read.
 * DPR_ERROR_LINALG: a matrix is not positive definite.
 */
DPR_API DPR_CHECK dpr_status dpr_cholesky(
	const dpr_array *x, int upper, dpr_array **out);

/*
 * The solution y of x1 y = x2, for square matrices x1.  @x2 has the shape
 * (..., n, k), and k solutions; the axes before the last two are broadcast.  If
 * @x2 has just one axis, it is one vector of n elements, and the result has the
 * shape (..., n).  An LU factorisation is used.
 * DPR_ERROR_LINALG: a matrix of x1 is singular.
 */
DPR_API DPR_CHECK dpr_status dpr_solve(
	const dpr_array *x1, const dpr_array *x2, dpr_array **out);

/* As dpr_solve(), for triangular matrices x1: lower ones, or with @upper upper
   ones.  The other triangle is not read.  @unit: the diagonal counts as 1, and
   is not read, either.
   DPR_ERROR_LINALG: a matrix has a 0 on its diagonal. */
DPR_API DPR_CHECK dpr_status dpr_solve_triangular(const dpr_array *x1,
	const dpr_array *x2, int upper, int unit, dpr_array **out);

/* The inverse matrices.  dpr_solve() is faster and more exact than a product
   with the inverse.
   DPR_ERROR_LINALG: a matrix is singular. */
DPR_API DPR_CHECK dpr_status dpr_inv(const dpr_array *x, dpr_array **out);

/* The determinants of square matrices, from an LU factorisation.  They may
   overflow where those of dpr_slogdet() do not. */
DPR_API DPR_CHECK dpr_status dpr_det(const dpr_array *x, dpr_array **out);

/* The determinants of square matrices as sign * exp(logabsdet).  The sign is a
   number of absolute value 1 in the dtype of @x, and the logarithm is real.  Of
   a singular matrix the sign is 0, and the logarithm is -infinity. */
DPR_API DPR_CHECK dpr_status dpr_slogdet(
	const dpr_array *x, dpr_array **sign, dpr_array **logabsdet);

/* Factors x = p l u: a permutation matrix (m, m), a lower triangular matrix
   (m, min) with ones on its diagonal, and an upper triangular one (min, n).  A
   singular matrix has factors, too. */
DPR_API DPR_CHECK dpr_status dpr_lu(
	const dpr_array *x, dpr_array **p, dpr_array **l, dpr_array **u);

/* Which factors dpr_qr() makes. */
typedef enum dpr_qr_mode {
	DPR_QR_REDUCED = 0, /* q is (m, min) and r is (min, n) */
	DPR_QR_COMPLETE = 1 /* q is (m, m) and r is (m, n) */
} dpr_qr_mode;

/* Factors x = q r: columns that are orthonormal, and an upper triangular
   matrix.
   DPR_ERROR_INVALID_ARGUMENT: @mode is unknown. */
DPR_API DPR_CHECK dpr_status dpr_qr(
	const dpr_array *x, dpr_qr_mode mode, dpr_array **q, dpr_array **r);

/*
 * The eigenvalues of Hermitian matrices, in ascending order and real, and the
 * eigenvectors as columns of a matrix.  Of @x the lower triangle is read, or
 * the upper one if @upper is set.
 */
DPR_API DPR_CHECK dpr_status dpr_eigh(const dpr_array *x, int upper,
	dpr_array **eigenvalues, dpr_array **eigenvectors);
DPR_API DPR_CHECK dpr_status dpr_eigvalsh(
	const dpr_array *x, int upper, dpr_array **out);

/* The eigenvalues of square matrices in no order, and the eigenvectors, of norm
   1, as columns of a matrix.  Both are complex, also for real matrices. */
DPR_API DPR_CHECK dpr_status dpr_eig(
	const dpr_array *x, dpr_array **eigenvalues, dpr_array **eigenvectors);
DPR_API DPR_CHECK dpr_status dpr_eigvals(const dpr_array *x, dpr_array **out);

/*
 * Factors x = u diag(s) vh, with the singular values s in descending order.  u
 * is (m, min) and vh is (min, n), or with @full_matrices (m, m) and (n, n).
 * Singular values are real.
 */
DPR_API DPR_CHECK dpr_status dpr_svd(const dpr_array *x, int full_matrices,
	dpr_array **u, dpr_array **s, dpr_array **vh);
DPR_API DPR_CHECK dpr_status dpr_svdvals(const dpr_array *x, dpr_array **out);

/*
 * The pseudo-inverses (Moore-Penrose), of the shape (..., n, m).  Singular
 * values up to @rtol times the largest of the matrix count as 0.  @rtol is a
 * real number, an array that broadcasts to the shape of the batch, or
 * dpr_operand_none(): max(m, n) times eps (dpr_finfo()).
 * DPR_ERROR_INVALID_ARGUMENT: @rtol is complex.
 * DPR_ERROR_SHAPE: @rtol is an array of another shape, or @x has more than 29
 * axes before the last two.
 * DPR_ERROR_EXECUTION_PLACEMENT: @rtol is an array on another queue.
 */
DPR_API DPR_CHECK dpr_status dpr_pinv(
	const dpr_array *x, dpr_operand rtol, dpr_array **out);

/* The ranks, in int64: how many singular values do not count as 0.  @rtol, and
   its errors, are those of dpr_pinv(). */
DPR_API DPR_CHECK dpr_status dpr_matrix_rank(
	const dpr_array *x, dpr_operand rtol, dpr_array **out);

/* The norms of a matrix. */
typedef enum dpr_norm {
	DPR_NORM_FRO = 0, /* the root of the sum of squares (Frobenius) */
	DPR_NORM_NUC = 1, /* the sum of the singular values */
	DPR_NORM_1 = 2, /* the largest sum of a column */
	DPR_NORM_MINUS_1 = 3, /* the least sum of a column */
	DPR_NORM_2 = 4, /* the largest singular value */
	DPR_NORM_MINUS_2 = 5, /* the least singular value */
	DPR_NORM_INF = 6, /* the largest sum of a row */
	DPR_NORM_MINUS_INF = 7 /* the least sum of a row */
} dpr_norm;

/*
 * The norms of matrices, in the real dtype.  Sums are of absolute values.
 * @keepdims: the last two axes stay, with the extent 1.  DPR_NORM_NUC and
 * DPR_NORM_2 and its negative need a library.  The others do not, and do not
 * wait.  The norm of a matrix without elements is 0.
 * DPR_ERROR_INVALID_ARGUMENT: @ord is unknown.
 * DPR_ERROR_SHAPE: the norm is the least of some numbers, and there are none.
 */
DPR_API DPR_CHECK dpr_status dpr_matrix_norm(
	const dpr_array *x, dpr_norm ord, int keepdims, dpr_array **out);

/*
 * The condition numbers, in the real dtype: the norm of @x times that of its
 * inverse.  For DPR_NORM_2 this is the largest singular value divided by the
 * least one, and for DPR_NORM_MINUS_2 the least one divided by the largest.
 * These two norms also take matrices that are not square.  A singular matrix
 * gives infinity, or a large number where rounding hides that it is singular.
 * With DPR_NORM_MINUS_2 it gives a number near 0.  A matrix of zeros always
 * gives infinity.
 * DPR_ERROR_INVALID_ARGUMENT: @ord is unknown.
 * DPR_ERROR_SHAPE: a matrix has no elements.
 */
DPR_API DPR_CHECK dpr_status dpr_cond(
	const dpr_array *x, dpr_norm ord, dpr_array **out);

/*
 * Least squares: the y for which the norm of x2 - x1 y is least.  Of several
 * such y, the result is the one of the least norm.  @x2 is as for dpr_solve(),
 * with m rows; y has n rows.  Singular values of x1 count as 0 as for
 * dpr_pinv(), and @rtol broadcasts to the batch of x1.  *@rank gets the ranks
 * of x1, in int64, and *@values its singular values.  Either pointer may be
 * NULL.
 * The errors for @rtol, and for more than 29 axes, are those of dpr_pinv().
 */
DPR_API DPR_CHECK dpr_status dpr_lstsq(const dpr_array *x1, const dpr_array *x2,
	dpr_operand rtol, dpr_array **out, dpr_array **rank,
	dpr_array **values);

DPR_END_DECLS

/* The wrappers take plain numbers where the functions take a dpr_operand. */
#define dpr_pinv(x, rtol, out) (dpr_pinv)((x), DPR__OPERAND(rtol), (out))
#define dpr_matrix_rank(x, rtol, out) \
	(dpr_matrix_rank)((x), DPR__OPERAND(rtol), (out))
#define dpr_lstsq(x1, x2, rtol, out, rank, values) \
	(dpr_lstsq)((x1), (x2), DPR__OPERAND(rtol), (out), (rank), (values))

#endif
