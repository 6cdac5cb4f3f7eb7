/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes.hpp - the functions of dpr/shapes.h in C++17.
 *
 *	auto grid = dpr::meshgrid({ x, y });
 *	dpr::array turned = dpr::flip(x, { 0, 1 });
 *
 * A list of axes is an integer, or several in braces.  Errors are thrown.
 */
#ifndef DPR_SHAPES_HPP
#define DPR_SHAPES_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dpr/array.hpp>
#include <dpr/shapes.h>

namespace dpr
{

namespace detail
{

/* The result of dpr::axes() (expression.hpp). */
template <std::size_t N, bool Kept> struct axis_list;

} // namespace detail

/* One axis, or several in braces: { 0, -1 }, or by dpr::axes(0, -1).  Lives for
   the call. */
class axis_list
{
public:
	/* One axis; several; those of dpr::axes(). */
	axis_list(int axis) : axis_{ axis }
	{
	}
	axis_list(std::initializer_list<int> axes) : axis_(axes)
	{
	}
	template <std::size_t N, bool Kept>
	axis_list(const detail::axis_list<N, Kept> &axes)
	    : axis_(axes.axis.begin(), axes.axis.begin() + N)
	{
	}

	/* The axes for C functions; lent as long as this list. */
	dpr_axes get() const noexcept
	{
		static const int none = 0;

		return dpr_axes_list(static_cast<std::int32_t>(axis_.size()), 0,
			axis_.empty() ? &none : axis_.data());
	}

	/* How many axes these are. */
	std::size_t size() const noexcept
	{
		return axis_.size();
	}

private:
	std::vector<int> axis_;
};

namespace detail
{

/* Take the references at @list. */
inline std::vector<array> own_all(const std::vector<dpr_array *> &list)
{
	std::vector<array> made(list.size());

	for (std::size_t i = 0; i < list.size(); i++)
		*made[i].put() = list[i];
	return made;
}

} // namespace detail

/* The elements in another shape, copied or not; as dpr_reshape_copy(). */
inline array reshape(const array &x, const shape &shape, dpr_copy_mode copy)
{
	array made;

	check(dpr_reshape_copy(x.get(), shape, copy, made.put()));
	return made;
}

/* A view with axes in reverse order, and with all; as dpr_flip(). */
inline array flip(const array &x, const axis_list &axis)
{
	const dpr_axes axes = axis.get();
	array made;

	check(dpr_flip(x.get(), &axes, made.put()));
	return made;
}
inline array flip(const array &x)
{
	array made;

	check(dpr_flip(x.get(), nullptr, made.put()));
	return made;
}

/* A copy whose elements are moved along axes, or in C order; as dpr_roll().
   With one shift and several axes, each is rolled by this shift.
   DPR_ERROR_INVALID_ARGUMENT: several shifts, and another number of axes. */
inline array roll(const array &x, std::initializer_list<std::int64_t> shift,
	const axis_list &axis)
{
	const dpr_axes axes = axis.get();
	array made;

	if (shift.size() != axis.size())
		throw error(DPR_ERROR_INVALID_ARGUMENT,
			"roll: " + std::to_string(shift.size()) +
				" shifts for " + std::to_string(axis.size()) +
				" axes");
	check(dpr_roll(x.get(), shift.begin(), &axes, made.put()));
	return made;
}
inline array roll(const array &x, std::int64_t shift, const axis_list &axis)
{
	const std::vector<std::int64_t> all(axis.size(), shift);
	const dpr_axes axes = axis.get();
	array made;

	check(dpr_roll(x.get(), all.data(), &axes, made.put()));
	return made;
}
inline array roll(const array &x, std::int64_t shift)
{
	array made;

	check(dpr_roll(x.get(), &shift, nullptr, made.put()));
	return made;
}

/* The arrays joined along a new axis; as dpr_stack(). */
inline array stack(const std::vector<array> &arrays, int axis = 0)
{
	const std::vector<const dpr_array *> list = detail::list_of(arrays);
	array made;

	check(dpr_stack(list.data(), list.size(), axis, made.put()));
	return made;
}

/* Views of the parts along @axis, which they lack; as dpr_unstack(). */
inline std::vector<array> unstack(const array &x, int axis = 0)
{
	const int rank = x.rank();
	const int at = axis < 0 ? axis + rank : axis;
	std::vector<dpr_array *> list(
		at >= 0 && at < rank
			? static_cast<std::size_t>(
				  x.shape()[static_cast<std::size_t>(at)])
			: 0);

	check(dpr_unstack(x.get(), axis, list.data(), list.size()));
	return detail::own_all(list);
}

/* Views of @count equal parts, and of the parts that begin at 0 and at the
   positions @at; as dpr_split(). */
inline std::vector<array> split(const array &x, std::size_t count, int axis = 0)
{
	std::vector<dpr_array *> list(count);

	check(dpr_split(x.get(), axis, nullptr, list.data(), list.size()));
	return detail::own_all(list);
}
inline std::vector<array> split_at(
	const array &x, const std::vector<std::int64_t> &at, int axis = 0)
{
	static const std::int64_t none = 0;
	std::vector<dpr_array *> list(at.size() + 1);

	check(dpr_split(x.get(), axis, at.empty() ? &none : at.data(),
		list.data(), list.size()));
	return detail::own_all(list);
}

/* A copy that repeats the array along each axis; as dpr_tile(). */
inline array tile(const array &x, const shape &repetitions)
{
	array made;

	check(dpr_tile(x.get(), repetitions, made.put()));
	return made;
}

/* A copy that repeats each element; as dpr_repeat(). */
inline array repeat(
	const array &x, std::int64_t repeats, int axis = DPR_AXIS_NONE)
{
	array made;

	check(dpr_repeat(x.get(), repeats, axis, made.put()));
	return made;
}

/* A copy with elements around it; as dpr_pad().  @width has the elements before
   and behind, for each axis; a single number is for both ends of all axes. */
template <class T = int, class = std::enable_if_t<detail::is_number<T>>>
array pad(const array &x,
	const std::vector<std::pair<std::int64_t, std::int64_t>> &width,
	dpr_pad_mode mode = DPR_PAD_CONSTANT, T value = 0)
{
	std::vector<std::int64_t> all;
	array made;

	for (const auto &axis : width) {
		all.push_back(axis.first);
		all.push_back(axis.second);
	}
	check((dpr_pad)(x.get(),
		dpr_shape_of(static_cast<int>(all.size()), all.data()), mode,
		dpr_operand_of(value), made.put()));
	return made;
}
template <class T = int, class = std::enable_if_t<detail::is_number<T>>>
array pad(const array &x, std::int64_t width,
	dpr_pad_mode mode = DPR_PAD_CONSTANT, T value = 0)
{
	return pad(x,
		std::vector<std::pair<std::int64_t, std::int64_t>>(
			static_cast<std::size_t>(x.rank()), { width, width }),
		mode, value);
}

/* The coordinates of a grid, as views; as dpr_meshgrid(). */
inline std::vector<array> meshgrid(const std::vector<array> &arrays,
	dpr_indexing indexing = DPR_INDEXING_XY)
{
	const std::vector<const dpr_array *> list = detail::list_of(arrays);
	std::vector<dpr_array *> made(list.size());

	check(dpr_meshgrid(list.data(), list.size(), indexing, made.data()));
	return detail::own_all(made);
}

/* Views of the arrays in their common shape; as dpr_broadcast_arrays(). */
inline std::vector<array> broadcast_arrays(const std::vector<array> &arrays)
{
	const std::vector<const dpr_array *> list = detail::list_of(arrays);
	std::vector<dpr_array *> made(list.size());

	check(dpr_broadcast_arrays(list.data(), list.size(), made.data()));
	return detail::own_all(made);
}

/* Views with axes in other places; as dpr_moveaxis() and dpr_swapaxes(). */
inline array moveaxis(
	const array &x, const axis_list &source, const axis_list &destination)
{
	const dpr_axes from = source.get(), to = destination.get();
	array made;

	check(dpr_moveaxis(x.get(), &from, &to, made.put()));
	return made;
}
inline array swapaxes(const array &x, int axis1, int axis2)
{
	array made;

	check(dpr_swapaxes(x.get(), axis1, axis2, made.put()));
	return made;
}

/* Views without axes of extent 1: those named, and all; as dpr_squeeze(). */
inline array squeeze(const array &x, const axis_list &axis)
{
	const dpr_axes axes = axis.get();
	array made;

	check(dpr_squeeze(x.get(), &axes, made.put()));
	return made;
}
inline array squeeze(const array &x)
{
	array made;

	check(dpr_squeeze(x.get(), nullptr, made.put()));
	return made;
}

/* Copies of the triangles below and above a diagonal, and a view of the
   diagonal; as dpr_tril(), dpr_triu() and dpr_diagonal(). */
inline array tril(const array &x, std::int64_t k = 0)
{
	array made;

	check(dpr_tril(x.get(), k, made.put()));
	return made;
}
inline array triu(const array &x, std::int64_t k = 0)
{
	array made;

	check(dpr_triu(x.get(), k, made.put()));
	return made;
}
inline array diagonal(const array &x, std::int64_t offset = 0)
{
	array made;

	check(dpr_diagonal(x.get(), offset, made.put()));
	return made;
}

/* A view turned by @k times 90 degrees; as dpr_rot90(). */
inline array rot90(
	const array &x, std::int64_t k = 1, const axis_list &axes = { 0, 1 })
{
	const dpr_axes plane = axes.get();
	array made;

	check(dpr_rot90(x.get(), k, &plane, made.put()));
	return made;
}

/* Views with at least one, two or three axes; as dpr_atleast_1d() and its
   like. */
inline array atleast_1d(const array &x)
{
	array made;

	check(dpr_atleast_1d(x.get(), made.put()));
	return made;
}
inline array atleast_2d(const array &x)
{
	array made;

	check(dpr_atleast_2d(x.get(), made.put()));
	return made;
}
inline array atleast_3d(const array &x)
{
	array made;

	check(dpr_atleast_3d(x.get(), made.put()));
	return made;
}

} // namespace dpr

#endif
