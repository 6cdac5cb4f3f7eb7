/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indexing.hpp - the functions of dpr/indexing.h in C++17.
 *
 *	dpr::array rows = dpr::take(x, numbers, 0);
 *	dpr::array some = dpr::index_arrays(x, { i, dpr::slice(2, 5), j });
 *	dpr::put(x, numbers, 0.5, 0);
 *
 * Errors are thrown.
 */
#ifndef DPR_INDEXING_HPP
#define DPR_INDEXING_HPP

#include <cstdint>
#include <initializer_list>
#include <vector>

#include <dpr/array.hpp>
#include <dpr/expression.hpp>
#include <dpr/indexing.h>

namespace dpr
{

/* The elements at indices along an axis; as dpr_take(). */
inline array take(const array &x, const array &indices, int axis,
	dpr_bounds bounds = DPR_BOUNDS_CHECK)
{
	array made;

	check(dpr_take(x.get(), indices.get(), axis, bounds, made.put()));
	return made;
}
inline void take_into(const array &x, const array &indices, int axis,
	const array &out, dpr_bounds bounds = DPR_BOUNDS_CHECK)
{
	check(dpr_take_into(x.get(), indices.get(), axis, bounds, out.get()));
}

/* Along an axis, the elements that indices name; as dpr_take_along_axis(). */
inline array take_along_axis(const array &x, const array &indices,
	int axis = -1, dpr_bounds bounds = DPR_BOUNDS_CHECK)
{
	array made;

	check(dpr_take_along_axis(
		x.get(), indices.get(), axis, bounds, made.put()));
	return made;
}
inline void take_along_axis_into(const array &x, const array &indices,
	int axis, const array &out, dpr_bounds bounds = DPR_BOUNDS_CHECK)
{
	check(dpr_take_along_axis_into(
		x.get(), indices.get(), axis, bounds, out.get()));
}

/* An entry of index_arrays(): an array, an integer, or what dpr::slice() and
   the like give.  Lives for the call. */
class index_entry
{
public:
	/* An array of indices, which is borrowed; a basic index; an integer. */
	index_entry(const array &indices) : array_{ indices.get() }
	{
	}
	index_entry(const dpr_index &index) : index_{ index }
	{
	}
	index_entry(std::int64_t i)
	    : index_{ DPR_INDEX_INTEGER, 0, i, 0, 0 }
	{
	}

	/* The entry for C functions: a basic index, and an array or NULL. */
	const dpr_index &index() const noexcept
	{
		return index_;
	}
	const dpr_array *indices() const noexcept
	{
		return array_;
	}

private:
	dpr_index index_{ DPR_INDEX_SLICE, 0, DPR_OPEN, DPR_OPEN, 1 };
	const dpr_array *array_{ nullptr };
};

namespace detail
{

/* The entries as two lists for C functions. */
struct index_lists {
	index_lists(std::initializer_list<index_entry> entries)
	{
		for (const index_entry &entry : entries) {
			indices.push_back(entry.index());
			arrays.push_back(entry.indices());
		}
	}

	std::vector<dpr_index> indices;
	std::vector<const dpr_array *> arrays;
};

} // namespace detail

/* Index by arrays and basic indices together; as dpr_array_index_arrays(). */
inline array index_arrays(const array &x,
	std::initializer_list<index_entry> entries,
	dpr_bounds bounds = DPR_BOUNDS_CHECK)
{
	const detail::index_lists lists{ entries };
	array made;

	check(dpr_array_index_arrays(x.get(), lists.indices.data(),
		lists.arrays.data(), entries.size(), bounds, made.put()));
	return made;
}
inline void index_arrays_into(const array &x,
	std::initializer_list<index_entry> entries, const array &out,
	dpr_bounds bounds = DPR_BOUNDS_CHECK)
{
	const detail::index_lists lists{ entries };

	check(dpr_array_index_arrays_into(x.get(), lists.indices.data(),
		lists.arrays.data(), entries.size(), bounds, out.get()));
}

/* Write to the elements at indices along an axis; as dpr_put().  The values are
   an array or a number. */
template <class V>
void put(const array &x, const array &indices, const V &values, int axis,
	dpr_bounds bounds = DPR_BOUNDS_CHECK)
{
	const auto &held = detail::hold(values);

	check((dpr_put)(x.get(), indices.get(), detail::operand_of(held), axis,
		bounds));
}

/* Along an axis, write to the elements that indices name; as
   dpr_put_along_axis(). */
template <class V>
void put_along_axis(const array &x, const array &indices, const V &values,
	int axis = -1, dpr_bounds bounds = DPR_BOUNDS_CHECK)
{
	const auto &held = detail::hold(values);

	check((dpr_put_along_axis)(x.get(), indices.get(),
		detail::operand_of(held), axis, bounds));
}

/* Assign by arrays and basic indices together; as
   dpr_array_set_index_arrays(). */
template <class V>
void set_index_arrays(const array &x,
	std::initializer_list<index_entry> entries, const V &values,
	dpr_bounds bounds = DPR_BOUNDS_CHECK)
{
	const detail::index_lists lists{ entries };
	const auto &held = detail::hold(values);

	check((dpr_array_set_index_arrays)(x.get(), lists.indices.data(),
		lists.arrays.data(), entries.size(), detail::operand_of(held),
		bounds));
}

/* Assign to the elements where a mask is true; as dpr_array_set_mask(). */
template <class V>
void set_mask(const array &x, const array &mask, const V &value)
{
	const auto &held = detail::hold(value);

	check((dpr_array_set_mask)(
		x.get(), mask.get(), detail::operand_of(held)));
}

} // namespace dpr

#endif
