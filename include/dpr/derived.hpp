/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derived.hpp - dpr/derived.h in C++17: isclose, vecdot, norms, diff and others.
 *
 * Arguments are arrays; an expression is computed first.  Work is submitted and
 * not waited for.
 */
#ifndef DPR_DERIVED_HPP
#define DPR_DERIVED_HPP

#include <utility>

#include <dpr/derived.h>
#include <dpr/expression.hpp>
#include <dpr/namespace.h>

namespace dpr
{

/* Whether abs(x1 - x2) <= atol + rtol * abs(x2), of each element, and of all
   elements as a 0-d array; as dpr_isclose() and dpr_allclose().  @x2 may be a
   number. */
inline array isclose(const array &x1, const array &x2, double rtol = 1e-5,
	double atol = 1e-8, bool equal_nan = false)
{
	array made;

	check((dpr_isclose)(dpr_operand_array(x1.get()),
		dpr_operand_array(x2.get()), rtol, atol, equal_nan,
		made.put()));
	return made;
}
template <class T, class = std::enable_if_t<detail::is_number<T>>>
array isclose(const array &x1, T x2, double rtol = 1e-5, double atol = 1e-8,
	bool equal_nan = false)
{
	array made;

	check((dpr_isclose)(dpr_operand_array(x1.get()), dpr_operand_of(x2),
		rtol, atol, equal_nan, made.put()));
	return made;
}
inline array allclose(const array &x1, const array &x2, double rtol = 1e-5,
	double atol = 1e-8, bool equal_nan = false)
{
	array made;

	check((dpr_allclose)(dpr_operand_array(x1.get()),
		dpr_operand_array(x2.get()), rtol, atol, equal_nan,
		made.put()));
	return made;
}
template <class T, class = std::enable_if_t<detail::is_number<T>>>
array allclose(const array &x1, T x2, double rtol = 1e-5, double atol = 1e-8,
	bool equal_nan = false)
{
	array made;

	check((dpr_allclose)(dpr_operand_array(x1.get()), dpr_operand_of(x2),
		rtol, atol, equal_nan, made.put()));
	return made;
}

/* Products of vectors; as dpr_vecdot(), dpr_cross() and dpr_outer(). */
inline array vecdot(const array &x1, const array &x2, int axis = -1)
{
	array made;

	check(dpr_vecdot(x1.get(), x2.get(), axis, made.put()));
	return made;
}
inline array cross(const array &x1, const array &x2, int axis = -1)
{
	array made;

	check(dpr_cross(x1.get(), x2.get(), axis, made.put()));
	return made;
}
inline array outer(const array &x1, const array &x2)
{
	array made;

	check(dpr_outer(x1.get(), x2.get(), made.put()));
	return made;
}

/* The norm of all elements, and of those along @axes, such as dpr::axes(0), or
   along one axis: vector_norm(x, -1, 1.0); as dpr_vector_norm(). */
template <std::size_t N = 0, bool Kept = false>
array vector_norm(const array &x,
	const detail::axis_list<N, Kept> &axes = detail::axis_list<0, false>{},
	double ord = 2)
{
	const dpr_axes some = detail::op_sum::list(axes);
	array made;

	check(dpr_vector_norm(
		x.get(), N || Kept ? &some : nullptr, ord, made.put()));
	return made;
}
template <class A, class = std::enable_if_t<detail::is_axis<A>>>
array vector_norm(const array &x, A axis, double ord = 2)
{
	return vector_norm(x, axes(axis), ord);
}

/* The sum of the diagonal @offset of the last two axes; as dpr_trace(). */
inline array trace(const array &x, std::int64_t offset = 0,
	dpr_dtype dtype = DPR_DTYPE_DEFAULT)
{
	array made;

	check(dpr_trace(x.get(), offset, dtype, made.put()));
	return made;
}

/* The mean, weighted by @weights, of all elements and along axes; as
   dpr_average(). */
template <std::size_t N = 0, bool Kept = false>
array average(const array &x, const array &weights,
	const detail::axis_list<N, Kept> &axes = detail::axis_list<0, false>{})
{
	const dpr_axes some = detail::op_sum::list(axes);
	array made;

	check(dpr_average(x.get(), N || Kept ? &some : nullptr, weights.get(),
		made.put()));
	return made;
}
template <class A, class = std::enable_if_t<detail::is_axis<A>>>
array average(const array &x, const array &weights, A axis)
{
	return average(x, weights, axes(axis));
}

/* A new last axis with 1 at the position of the index, else 0; as
   dpr_one_hot(). */
inline array one_hot(const array &indices, std::int64_t num_classes,
	dpr_dtype dtype = DPR_DTYPE_DEFAULT)
{
	array made;

	check(dpr_one_hot(indices.get(), num_classes, dtype, made.put()));
	return made;
}

/* Differences of neighbours along an axis, taken @n times, with arrays before
   and behind @x; as dpr_diff().  An empty object is no array. */
inline array diff(const array &x, int axis = -1, std::int64_t n = 1,
	const array &prepend = {}, const array &append = {})
{
	array made;

	check(dpr_diff(x.get(), axis, n, prepend.get(), append.get(),
		made.put()));
	return made;
}

/* The floor of x1 / x2 and what remains; as dpr_divmod().  @x2 may be a
   number. */
inline std::pair<array, array> divmod(const array &x1, const array &x2)
{
	array first, second;

	check((dpr_divmod)(dpr_operand_array(x1.get()),
		dpr_operand_array(x2.get()), first.put(), second.put()));
	return { std::move(first), std::move(second) };
}
template <class T, class = std::enable_if_t<detail::is_number<T>>>
std::pair<array, array> divmod(const array &x1, T x2)
{
	array first, second;

	check((dpr_divmod)(dpr_operand_array(x1.get()), dpr_operand_of(x2),
		first.put(), second.put()));
	return { std::move(first), std::move(second) };
}

/* The fractional and the integral part; as dpr_modf(). */
inline std::pair<array, array> modf(const array &x)
{
	array first, second;

	check(dpr_modf(x.get(), first.put(), second.put()));
	return { std::move(first), std::move(second) };
}

/* The mantissa and the exponent; as dpr_frexp(). */
inline std::pair<array, array> frexp(const array &x)
{
	array first, second;

	check(dpr_frexp(x.get(), first.put(), second.put()));
	return { std::move(first), std::move(second) };
}

/* What dpr can do with a device, without one with the default device; as
   dpr_namespace_info(). */
inline dpr_namespace namespace_info(
	const device &device = {}, const char *kind = nullptr)
{
	dpr_namespace info = {};

	check(dpr_namespace_info(device.get(), kind, &info));
	return info;
}

} // namespace dpr

#endif
