/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linalg.hpp - dpr/linalg.h in C++17.
 *
 * Arguments are arrays; an expression is computed first.  All functions wait
 * until the library is done; norms that need no library do not wait.  Several
 * results are a struct, so that each gets a name: auto [q, r] = dpr::qr(x);
 */
#ifndef DPR_LINALG_HPP
#define DPR_LINALG_HPP

#include <dpr/expression.hpp>
#include <dpr/linalg.h>

namespace dpr
{

/* The results of the functions below, in the order of the C functions. */
struct slogdet_result {
	/* A number of absolute value 1, or 0; and a real logarithm. */
	array sign, logabsdet;
};
struct lu_result {
	/* x = p l u: a permutation, a lower and an upper triangle. */
	array p, l, u;
};
struct qr_result {
	/* x = q r: orthonormal columns, and an upper triangle. */
	array q, r;
};
struct eigen_result {
	/* Eigenvectors are the columns of the last two axes. */
	array eigenvalues, eigenvectors;
};
struct svd_result {
	/* x = u diag(s) vh, with the singular values s. */
	array u, s, vh;
};
struct lstsq_result {
	/* The solution; rank and singular values of x1. */
	array solution, rank, values;
};

/* The factor of Cholesky; as dpr_cholesky(). */
inline array cholesky(const array &x, bool upper = false)
{
	array made;

	check(dpr_cholesky(x.get(), upper, made.put()));
	return made;
}

/* Solutions of x1 y = x2; as dpr_solve() and dpr_solve_triangular(). */
inline array solve(const array &x1, const array &x2)
{
	array made;

	check(dpr_solve(x1.get(), x2.get(), made.put()));
	return made;
}
inline array solve_triangular(
	const array &x1, const array &x2, bool upper = false, bool unit = false)
{
	array made;

	check(dpr_solve_triangular(
		x1.get(), x2.get(), upper, unit, made.put()));
	return made;
}

/* Inverse matrices and determinants; as dpr_inv(), dpr_det() and
   dpr_slogdet(). */
inline array inv(const array &x)
{
	array made;

	check(dpr_inv(x.get(), made.put()));
	return made;
}
inline array det(const array &x)
{
	array made;

	check(dpr_det(x.get(), made.put()));
	return made;
}
inline slogdet_result slogdet(const array &x)
{
	slogdet_result made;

	check(dpr_slogdet(x.get(), made.sign.put(), made.logabsdet.put()));
	return made;
}

/* Factors of matrices; as dpr_lu(), dpr_qr() and dpr_svd(). */
inline lu_result lu(const array &x)
{
	lu_result made;

	check(dpr_lu(x.get(), made.p.put(), made.l.put(), made.u.put()));
	return made;
}
inline qr_result qr(const array &x, dpr_qr_mode mode = DPR_QR_REDUCED)
{
	qr_result made;

	check(dpr_qr(x.get(), mode, made.q.put(), made.r.put()));
	return made;
}
inline svd_result svd(const array &x, bool full_matrices = true)
{
	svd_result made;

	check(dpr_svd(x.get(), full_matrices, made.u.put(), made.s.put(),
		made.vh.put()));
	return made;
}
inline array svdvals(const array &x)
{
	array made;

	check(dpr_svdvals(x.get(), made.put()));
	return made;
}

/* Eigenvalues and eigenvectors; as dpr_eigh(), dpr_eigvalsh(), dpr_eig() and
   dpr_eigvals(). */
inline eigen_result eigh(const array &x, bool upper = false)
{
	eigen_result made;

	check(dpr_eigh(x.get(), upper, made.eigenvalues.put(),
		made.eigenvectors.put()));
	return made;
}
inline array eigvalsh(const array &x, bool upper = false)
{
	array made;

	check(dpr_eigvalsh(x.get(), upper, made.put()));
	return made;
}
inline eigen_result eig(const array &x)
{
	eigen_result made;

	check(dpr_eig(
		x.get(), made.eigenvalues.put(), made.eigenvectors.put()));
	return made;
}
inline array eigvals(const array &x)
{
	array made;

	check(dpr_eigvals(x.get(), made.put()));
	return made;
}

/* The tolerance of the functions below: nothing, a number, or an array of the
   shape of the batch. */
class tolerance
{
public:
	/* Nothing; a number; an array, which is borrowed. */
	tolerance() : operand(dpr_operand_none())
	{
	}
	tolerance(double number) : operand(dpr_operand_float(number))
	{
	}
	tolerance(const array &x) : operand(dpr_operand_array(x.get()))
	{
	}
	/* The operand of C functions. */
	dpr_operand operand;
};

/* Pseudo-inverses, ranks and least squares; as dpr_pinv(), dpr_matrix_rank()
   and dpr_lstsq(). */
inline array pinv(const array &x, const tolerance &rtol = {})
{
	array made;

	check((dpr_pinv)(x.get(), rtol.operand, made.put()));
	return made;
}
inline array matrix_rank(const array &x, const tolerance &rtol = {})
{
	array made;

	check((dpr_matrix_rank)(x.get(), rtol.operand, made.put()));
	return made;
}
inline lstsq_result lstsq(
	const array &x1, const array &x2, const tolerance &rtol = {})
{
	lstsq_result made;

	check((dpr_lstsq)(x1.get(), x2.get(), rtol.operand, made.solution.put(),
		made.rank.put(), made.values.put()));
	return made;
}

/* Norms and condition numbers; as dpr_matrix_norm() and dpr_cond(). */
inline array matrix_norm(
	const array &x, dpr_norm ord = DPR_NORM_FRO, bool keepdims = false)
{
	array made;

	check(dpr_matrix_norm(x.get(), ord, keepdims, made.put()));
	return made;
}
inline array cond(const array &x, dpr_norm ord = DPR_NORM_2)
{
	array made;

	check(dpr_cond(x.get(), ord, made.put()));
	return made;
}

} // namespace dpr

#endif
