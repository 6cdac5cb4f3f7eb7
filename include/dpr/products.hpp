/* SPDX-License-Identifier: Apache-2.0 */
/*
 * products.hpp - dpr/products.h in C++17: products of matrices, tensordot, einsum
 * and others.
 *
 * Arguments are arrays; an expression is computed first.  Work is submitted and
 * not waited for, but for negative powers of matrices.
 */
#ifndef DPR_PRODUCTS_HPP
#define DPR_PRODUCTS_HPP

#include <string>
#include <vector>

#include <dpr/expression.hpp>
#include <dpr/products.h>

namespace dpr
{

/* Products of matrices and vectors; as dpr_matmul(), dpr_matvec() and
   dpr_vecmat(). */
inline array matmul(const array &x1, const array &x2)
{
	array made;

	check(dpr_matmul(x1.get(), x2.get(), made.put()));
	return made;
}
inline array matvec(const array &x1, const array &x2)
{
	array made;

	check(dpr_matvec(x1.get(), x2.get(), made.put()));
	return made;
}
inline array vecmat(const array &x1, const array &x2)
{
	array made;

	check(dpr_vecmat(x1.get(), x2.get(), made.put()));
	return made;
}

/* Sums of products over the last axes of @x1 and the first ones of @x2, and over
   axes that are named, as tensordot(x, y, axes(1, 0), axes(0, 1)); as
   dpr_tensordot() and dpr_tensordot_axes(). */
inline array tensordot(const array &x1, const array &x2, int axes = 2)
{
	array made;

	check(dpr_tensordot(x1.get(), x2.get(), axes, made.put()));
	return made;
}
template <std::size_t N>
array tensordot(const array &x1, const array &x2,
	const detail::axis_list<N, false> &axes1,
	const detail::axis_list<N, false> &axes2)
{
	const dpr_axes first = detail::op_sum::list(axes1);
	const dpr_axes second = detail::op_sum::list(axes2);
	array made;

	check(dpr_tensordot_axes(
		x1.get(), x2.get(), &first, &second, made.put()));
	return made;
}

/* Sums of products, as einsum("ij,jk->ik", { x, y }); as dpr_einsum(). */
inline array einsum(
	const std::string &subscripts, const std::vector<array> &operands)
{
	const std::vector<const dpr_array *> list = detail::list_of(operands);
	array made;

	check(dpr_einsum(
		subscripts.c_str(), list.data(), list.size(), made.put()));
	return made;
}

/* The Kronecker product; as dpr_kron(). */
inline array kron(const array &x1, const array &x2)
{
	array made;

	check(dpr_kron(x1.get(), x2.get(), made.put()));
	return made;
}

/* The product of matrices, in the cheapest order; as dpr_multi_dot(). */
inline array multi_dot(const std::vector<array> &arrays)
{
	const std::vector<const dpr_array *> list = detail::list_of(arrays);
	array made;

	check(dpr_multi_dot(list.data(), list.size(), made.put()));
	return made;
}

/* The product of @n times the same matrix, or its inverse; as
   dpr_matrix_power(). */
inline array matrix_power(const array &x, std::int64_t n)
{
	array made;

	check(dpr_matrix_power(x.get(), n, made.put()));
	return made;
}

} // namespace dpr

#endif
