/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.hpp - n-d arrays in C++17: making, viewing and reading them.
 *
 * An array is a handle, as dpr/handle.hpp says: a copy shares the elements.  As
 * in Python, `x = y` lets the name x stand for the array y, and an assignment
 * to a view writes its elements:
 *
 *	x = y;
 *	x(dpr::slice(1, -1)) = y;
 *	x[0] = 2.5;
 *	x(dpr::ellipsis) = 0;
 *
 * Where a function makes an array, a queue without an object is the default
 * device's canonical queue.
 */
#ifndef DPR_ARRAY_HPP
#define DPR_ARRAY_HPP

#include <cmath>
#include <complex>
#include <cstdio>
#include <iterator>
#include <limits>
#include <ostream>

#include <dpr/array.h>
#include <dpr/creation.h>
#include <dpr/handle.hpp>
#include <dpr/operand.h>
#include <dpr/placement.h>

namespace dpr
{

class array;
template <class F, class... A> class expr;

namespace detail
{

template <> struct counted<dpr_array> {
	static dpr_array *retain(dpr_array *x) noexcept
	{
		return dpr_array_retain(x);
	}
	static void release(dpr_array *x) noexcept
	{
		dpr_array_release(x);
	}
};

template <class T> using plain = std::remove_cv_t<std::remove_reference_t<T>>;

template <class T> inline constexpr bool is_complex = false;
template <class T> inline constexpr bool is_complex<std::complex<T>> = true;
template <class T> inline constexpr bool is_expr = false;
template <class F, class... A>
inline constexpr bool is_expr<expr<F, A...>> = true;

/* A number of C++, which a dpr_operand can hold. */
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || is_complex<T>;

/* Whether T is a type of characters, which have no dtype. */
template <class T>
inline constexpr bool is_character =
	std::is_same_v<T, char> || std::is_same_v<T, wchar_t> ||
#ifdef __cpp_char8_t
	std::is_same_v<T, char8_t> ||
#endif
	std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

/* The dtype of T, which is not const; DEFAULT: there is none. */
template <class T> constexpr dpr_dtype find_dtype() noexcept
{
	constexpr dpr_dtype integers[2][4] = { { DPR_UINT8, DPR_UINT16,
						       DPR_UINT32, DPR_UINT64 },
		{ DPR_INT8, DPR_INT16, DPR_INT32, DPR_INT64 } };

	if constexpr (std::is_same_v<T, bool>)
		return DPR_BOOL;
	else if constexpr (std::is_same_v<T, float>)
		return DPR_FLOAT32;
	else if constexpr (std::is_same_v<T, double>)
		return DPR_FLOAT64;
	else if constexpr (std::is_same_v<T, std::complex<float>>)
		return DPR_COMPLEX64;
	else if constexpr (std::is_same_v<T, std::complex<double>>)
		return DPR_COMPLEX128;
	else if constexpr (std::is_integral_v<T> && !is_character<T> &&
			   sizeof(T) <= 8)
		return integers[std::is_signed_v<T>][sizeof(T) == 8 ? 3
						     : sizeof(T) == 4
							     ? 2
							     : sizeof(T) - 1];
	else
		return DPR_DTYPE_DEFAULT;
}
template <class T>
inline constexpr bool has_dtype =
	find_dtype<std::remove_cv_t<T>>() != DPR_DTYPE_DEFAULT;

/* The element type of what has data() and size(), as std::vector, std::array
   and std::span have; void: T is not such a type, or its elements have no
   dtype. */
template <class T, class = void> struct elements {
	using type = void;
};
template <class T>
struct elements<T, std::void_t<decltype(*std::data(std::declval<T &>())),
			   decltype(std::size(std::declval<T &>()))>> {
	using found =
		std::remove_pointer_t<decltype(std::data(std::declval<T &>()))>;
	using type = std::conditional_t<has_dtype<found>, found, void>;
};
template <class T>
inline constexpr bool has_elements =
	!std::is_void_v<typename elements<T>::type>;

} // namespace detail

/* The dtype of elements of type T: bool, integers of 1 to 8 bytes but
   characters, float, double, and std::complex of these two. */
template <class T>
inline constexpr dpr_dtype dtype_of = detail::find_dtype<std::remove_cv_t<T>>();

/* The limits of the numbers of a dtype, as dpr_iinfo() and dpr_finfo(), and
   whether it is of a kind, as dpr_isdtype(). */
inline dpr_integer_limits iinfo(dpr_dtype dtype)
{
	dpr_integer_limits limits;

	check(dpr_iinfo(dtype, &limits));
	return limits;
}
inline dpr_float_limits finfo(dpr_dtype dtype)
{
	dpr_float_limits limits;

	check(dpr_finfo(dtype, &limits));
	return limits;
}
inline bool isdtype(dpr_dtype dtype, const char *kind) noexcept
{
	return dpr_isdtype(dtype, kind) != 0;
}

/* The extents or strides of an array, one for each axis.  They are lent as long
   as the array, or as the dpr::shape that they were made of. */
class extents
{
public:
	/* @size numbers from @data on. */
	constexpr extents(const std::int64_t *data, std::size_t size) noexcept
	    : data_(data), size_(size)
	{
	}

	/* As those of std::vector. */
	constexpr const std::int64_t *data() const noexcept
	{
		return data_;
	}
	constexpr std::size_t size() const noexcept
	{
		return size_;
	}
	constexpr const std::int64_t *begin() const noexcept
	{
		return data_;
	}
	constexpr const std::int64_t *end() const noexcept
	{
		return data_ + size_;
	}
	constexpr std::int64_t operator[](std::size_t i) const noexcept
	{
		return data_[i];
	}

	/* Whether both have the same numbers. */
	friend bool operator==(const extents &a, const extents &b) noexcept
	{
		bool same = a.size_ == b.size_;

		for (std::size_t i = 0; same && i < a.size_; i++)
			same = a.data_[i] == b.data_[i];
		return same;
	}
	friend bool operator!=(const extents &a, const extents &b) noexcept
	{
		return !(a == b);
	}

private:
	const std::int64_t *data_;
	std::size_t size_;
};

/* A shape, with numbers of its own: dpr::shape{ 2, n }, x.shape().  Without
   numbers, dpr::shape(), it is the shape of a 0-d array. */
class shape
{
public:
	/* An extent of any integer type. */
	struct extent {
		std::int64_t value;
		template <class T,
			class = std::enable_if_t<std::is_integral_v<T>>>
		constexpr extent(T n) noexcept
		    : value(static_cast<std::int64_t>(n))
		{
		}
	};

	/* The shape of a 0-d array. */
	shape() noexcept : rank_(0)
	{
	}

	/* The shape with these extents.  Throws DPR_ERROR_INVALID_ARGUMENT if
	   there are more than 32. */
	shape(std::initializer_list<extent> list) : rank_(count(list.size()))
	{
		std::size_t i = 0;

		for (const extent &e : list)
			dim_[i++] = e.value;
	}
	shape(const extents &list) : rank_(count(list.size()))
	{
		for (std::size_t i = 0; i < rank_; i++)
			dim_[i] = list[i];
	}

	/* The shape for C functions; lent as long as this one. */
	operator dpr_shape() const noexcept
	{
		return dpr_shape_of(static_cast<int>(rank_), dim_);
	}

	/* The extents; lent as long as this shape, so a temporary shape lends
	   none. */
	operator extents() const &noexcept
	{
		return extents(dim_, rank_);
	}
	operator extents() && = delete;
	operator extents() const && = delete;

	/* The numbers, as those of extents: size() is the number of axes. */
	const std::int64_t *data() const noexcept
	{
		return dim_;
	}
	std::size_t size() const noexcept
	{
		return rank_;
	}
	const std::int64_t *begin() const noexcept
	{
		return dim_;
	}
	const std::int64_t *end() const noexcept
	{
		return dim_ + rank_;
	}
	std::int64_t operator[](std::size_t i) const noexcept
	{
		return dim_[i];
	}

	/* How many elements an array of this shape has; 0 if an extent is
	   negative, or if the number does not fit. */
	std::size_t elements() const noexcept
	{
		std::uint64_t n = 1;

		for (const std::int64_t axis : *this) {
			const auto d = static_cast<std::uint64_t>(axis);

			if (axis <= 0 || n > INT64_MAX / d)
				return 0;
			n *= d;
		}
		return static_cast<std::size_t>(n);
	}

	/* Whether both have the same numbers. */
	friend bool operator==(const shape &a, const shape &b) noexcept
	{
		return extents(a.dim_, a.rank_) == extents(b.dim_, b.rank_);
	}
	friend bool operator==(const shape &a, const extents &b) noexcept
	{
		return extents(a.dim_, a.rank_) == b;
	}
	friend bool operator==(const extents &a, const shape &b) noexcept
	{
		return b == a;
	}
	friend bool operator!=(const shape &a, const shape &b) noexcept
	{
		return !(a == b);
	}
	friend bool operator!=(const shape &a, const extents &b) noexcept
	{
		return !(a == b);
	}
	friend bool operator!=(const extents &a, const shape &b) noexcept
	{
		return !(b == a);
	}

private:
	static std::size_t count(std::size_t rank)
	{
		if (rank > DPR_MAX_RANK)
			throw error(DPR_ERROR_INVALID_ARGUMENT,
				"shape: " + std::to_string(rank) +
					" axes; an array has at most 32");
		return rank;
	}

	std::size_t rank_;
	std::int64_t dim_[DPR_MAX_RANK] = {};
};

namespace detail
{

template <> inline constexpr bool is_struct<dpr_shape> = false;
template <> inline constexpr bool is_struct<extents> = false;
template <> inline constexpr bool is_struct<shape> = false;
template <class F, class... A>
inline constexpr bool is_struct<expr<F, A...>> = false;

} // namespace detail

/* Stands for a bound that a slice leaves out. */
inline constexpr std::int64_t open = DPR_OPEN;

/* start:stop:step, an index of array::operator(); slice() is the whole axis. */
constexpr dpr_index slice(std::int64_t start = open, std::int64_t stop = open,
	std::int64_t step = 1) noexcept
{
	return dpr_index{ DPR_INDEX_SLICE, 0, start, stop, step };
}

/* Indices of array::operator(): a new axis of extent 1, and all axes that the
   other indices leave out. */
inline constexpr dpr_index new_axis{ DPR_INDEX_NEW_AXIS, 0, 0, 0, 0 };
inline constexpr dpr_index ellipsis{ DPR_INDEX_ELLIPSIS, 0, 0, 0, 0 };

namespace detail
{

/* One step of indexing from an integer or a dpr_index. */
template <class T> constexpr dpr_index index_of(const T &i) noexcept
{
	if constexpr (std::is_same_v<T, dpr_index>) {
		return i;
	} else {
		static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>,
			"an index is an integer, dpr::slice(), dpr::new_axis "
			"or dpr::ellipsis");
		return dpr_index{ DPR_INDEX_INTEGER, 0,
			static_cast<std::int64_t>(i), 0, 0 };
	}
}

[[noreturn]] inline void fail_item(dpr_status status, const char *what)
{
	throw error(status, std::string("item: the element is ") + what +
				    ", and the type does not hold it");
}

/* Whether the integer type T holds @value, truncated if it is a float. */
template <class T, class V> constexpr bool holds(V value) noexcept
{
	using limits = std::numeric_limits<T>;

	if constexpr (std::is_floating_point_v<V>)
		return std::trunc(value) >= static_cast<V>(limits::min()) &&
		       std::trunc(value) < std::ldexp(V(1), limits::digits);
	else if constexpr (std::is_signed_v<V>)
		return value < 0 ? value >= static_cast<V>(limits::min())
				 : static_cast<std::uint64_t>(value) <=
					   static_cast<std::uint64_t>(
						   limits::max());
	else
		return value <= static_cast<V>(limits::max());
}

/* @value as a T. */
template <class T, class V> T cast_number(V value)
{
	if constexpr (std::is_integral_v<T>)
		if (!holds<T>(value))
			fail_item(DPR_ERROR_OVERFLOW, "out of range");
	return static_cast<T>(value);
}

/* The number in @o, which is no array, as a T. */
template <class T> T number_of(const dpr_operand &o)
{
	if constexpr (is_complex<T>) {
		using part = typename T::value_type;

		if (o.kind == DPR_OPERAND_COMPLEX)
			return T(static_cast<part>(o.as.c[0]),
				static_cast<part>(o.as.c[1]));
		return T(number_of<part>(o));
	} else {
		if (o.kind == DPR_OPERAND_COMPLEX)
			fail_item(DPR_ERROR_DTYPE, "complex");
		if (o.kind == DPR_OPERAND_FLOAT)
			return cast_number<T>(o.as.f);
		if (o.kind == DPR_OPERAND_INT)
			return cast_number<T>(o.as.i);
		return cast_number<T>(o.as.u);
	}
}

} // namespace detail

/* An n-d array. */
class array : public handle<array, dpr_array>
{
public:
	/* No object. */
	array() noexcept = default;

	/* Retain the array of @other, or take over its reference. */
	array(const array &other) noexcept = default;
	array(array &&other) noexcept = default;

	/*
	 * Make an array of the numbers in braces, of one or two axes, in DEVICE
	 * memory: dpr::array{ 1.0f, 2.0f }, dpr::array{ { 1, 2 }, { 3, 4 } }.
	 * The dtype is that of the numbers' type, int32 for int.
	 * DPR_ERROR_SHAPE: the rows have different lengths.
	 */
	template <class T, class = std::enable_if_t<detail::has_dtype<T>>>
	array(std::initializer_list<T> values, const dpr::queue &queue = {})
	    : array(values.begin(), dpr::shape{ values.size() }, queue)
	{
	}
	template <class T, class = std::enable_if_t<detail::has_dtype<T>>>
	array(std::initializer_list<std::initializer_list<T>> rows,
		const dpr::queue &queue = {})
	{
		const std::size_t n = rows.size() ? rows.begin()->size() : 0;
		const auto all = std::make_unique<T[]>(rows.size() * n + 1);
		T *next = all.get();

		for (const auto &row : rows) {
			if (row.size() != n)
				throw error(DPR_ERROR_SHAPE,
					"array: the rows in braces have "
					"different lengths");
			for (const T &value : row)
				*next++ = value;
		}
		*this = array(all.get(), dpr::shape{ rows.size(), n }, queue);
	}

	/* Make an array of the elements in host memory, which is C-contiguous
	   and has as many as @shape says; as dpr_array_from_memory_on().  @data
	   is a reference so that an array of C++ is none, and has its elements
	   counted. */
	template <class T, class = std::enable_if_t<detail::has_dtype<T>>>
	array(const T *const &data, const dpr::shape &shape,
		const dpr::queue &queue = {},
		dpr_usm_kind kind = DPR_USM_DEVICE)
	{
		check(dpr_array_from_memory_on(data, shape, nullptr,
			dtype_of<T>, queue.get(), kind, put()));
	}

	/* Make an array of a std::vector, std::array, std::span or another type
	   with data() and size(): of one axis, or of @shape.
	   DPR_ERROR_SHAPE: @shape has another number of elements. */
	template <class C,
		class = std::enable_if_t<detail::has_elements<const C>>>
	explicit array(const C &values, const dpr::queue &queue = {},
		dpr_usm_kind kind = DPR_USM_DEVICE)
	    : array(std::data(values), dpr::shape{ std::size(values) }, queue,
		      kind)
	{
	}
	template <class C,
		class = std::enable_if_t<detail::has_elements<const C>>>
	array(const C &values, const dpr::shape &shape,
		const dpr::queue &queue = {},
		dpr_usm_kind kind = DPR_USM_DEVICE)
	{
		if (std::size(values) != shape.elements())
			throw error(DPR_ERROR_SHAPE,
				"array: " + std::to_string(std::size(values)) +
					" elements for a shape of " +
					std::to_string(shape.elements()));
		*this = array(std::data(values), shape, queue, kind);
	}

	/* Make an array over existing memory; as dpr_array_over(), C-contiguous
	   from element @offset on. */
	array(const dpr::usm &usm, std::int64_t offset, const dpr::shape &shape,
		dpr_dtype dtype)
	{
		check(dpr_array_over(
			usm.get(), offset, shape, nullptr, dtype, put()));
	}

	/* Let this object stand for the array of @other. */
	array &operator=(const array &other) &noexcept = default;
	array &operator=(array &&other) &noexcept = default;

	/* Write @value into the elements of this array, which is a temporary:
	   x(dpr::slice(1, 3)) = y.  The value is an array, a number or an
	   expression, and is cast and broadcast; as dpr_copy_into(). */
	void operator=(const array &value) &&
	{
		check((dpr_copy_into)(get(), dpr_operand_array(value.get())));
	}
	template <class V, class = std::enable_if_t<detail::is_number<V> ||
						    detail::is_expr<V>>>
	void operator=(const V &value) &&
	{
		if constexpr (detail::is_number<V>)
			check((dpr_copy_into)(get(), dpr_operand_of(value)));
		else
			value.copy_into(*this);
	}

	/* An array is not true or false; see any() and all(). */
	explicit operator bool() const = delete;

	/* The type of the elements, the number of axes, the extents, and the
	   strides in elements.  A temporary array lends no numbers: it gives
	   numbers of their own. */
	dpr_dtype dtype() const noexcept
	{
		return dpr_array_dtype(get());
	}
	int rank() const noexcept
	{
		return dpr_array_rank(get());
	}
	extents shape() const &noexcept
	{
		return extents(dpr_array_shape(get()),
			static_cast<std::size_t>(rank()));
	}
	dpr::shape shape() const &&
	{
		return dpr::shape(shape());
	}
	extents strides() const &noexcept
	{
		return extents(dpr_array_strides(get()),
			static_cast<std::size_t>(rank()));
	}
	dpr::shape strides() const &&
	{
		return dpr::shape(strides());
	}

	/* The position of the first element, in elements from the start of the
	   allocation. */
	std::int64_t offset() const noexcept
	{
		return dpr_array_offset(get());
	}

	/* The number of elements, the bytes of an element, and whether the
	   array is C-contiguous. */
	std::int64_t size() const noexcept
	{
		return dpr_array_size(get());
	}
	std::size_t itemsize() const noexcept
	{
		return dpr_array_itemsize(get());
	}
	bool is_contiguous() const noexcept
	{
		return dpr_array_is_contiguous(get()) != 0;
	}

	/* The array's allocation (no object if its size is zero), queue, device
	   and kind of memory. */
	dpr::usm usm() const noexcept
	{
		return dpr::usm::share(dpr_array_usm(get()));
	}
	dpr::queue queue() const noexcept
	{
		return dpr::queue::share(dpr_array_queue(get()));
	}
	dpr::device device() const noexcept
	{
		return dpr::device(dpr_array_device(get()));
	}
	dpr_usm_kind kind() const noexcept
	{
		return dpr_array_kind(get());
	}

	/* The bytes of all elements; as dpr_array_nbytes(). */
	std::size_t nbytes() const noexcept
	{
		return dpr_array_nbytes(get());
	}

	/* The address of the first element where the host may use the memory,
	   else NULL; as dpr_array_data(), which says when.

	   DPR_ERROR_DTYPE: T has another dtype than the array. */
	template <class T> T *data() const
	{
		check_dtype<std::remove_cv_t<T>>();
		return static_cast<T *>(dpr_array_data(get()));
	}

	/* Wait for the work that writes the array; as dpr_array_wait(). */
	void wait() const
	{
		check(dpr_array_wait(get()));
	}

	/* The same for at most @time.  Returns whether the work is over. */
	template <class R, class P>
	bool wait_for(const std::chrono::duration<R, P> &time) const
	{
		return detail::wait_for(
			time, [this](std::uint64_t nanoseconds) {
				return dpr_array_wait_for(get(), nanoseconds);
			});
	}

	/* The event of the work that writes the array last; as
	   dpr_array_event(). */
	dpr::event event() const
	{
		dpr::event last;

		check(dpr_array_event(get(), last.put()));
		return last;
	}

	/* A view by basic indexing, as dpr_array_index(): x(3, dpr::slice(0,
	   10, 2)), x(dpr::ellipsis, 0), x[i].  Negative integers count from the
	   end. */
	template <class... X> array operator()(const X &...indices) const
	{
		const dpr_index list[] = { detail::index_of(indices)...,
			dpr_index() };
		array view;

		check(dpr_array_index(get(), list, sizeof...(X), view.put()));
		return view;
	}
	template <class X> array operator[](const X &index) const
	{
		return (*this)(index);
	}

	/* The array on @device's canonical queue, or on @queue; as
	   dpr_array_to_device() and dpr_array_to_queue(). */
	array to_device(const dpr::device &device) const
	{
		array moved;

		check(dpr_array_to_device(get(), device.get(), moved.put()));
		return moved;
	}
	array to_queue(const dpr::queue &queue) const
	{
		array moved;

		check(dpr_array_to_queue(get(), queue.get(), moved.put()));
		return moved;
	}

	/* Write the elements of this array into the elements of @view, cast and
	   broadcast, where @view may be on another queue or device; as
	   dpr_array_copy_to(view, *this). */
	void copy_to(const array &view) const
	{
		check(dpr_array_copy_to(view.get(), get()));
	}

	/*
	 * The element of an array of size 1 as a number of C++.  Waits.  A
	 * float is truncated to an integer, as dpr_array_item_int64() does.
	 *
	 * DPR_ERROR_SHAPE: the array has another size.
	 *
	 * DPR_ERROR_DTYPE: the array is complex, and T is not.
	 *
	 * DPR_ERROR_OVERFLOW: the integer type T does not hold the number.
	 */
	template <class T = double> T item() const
	{
		static_assert(detail::is_number<T>);
		dpr_operand element;

		check(dpr_array_item(get(), &element));
		return detail::number_of<T>(element);
	}

	/*
	 * Copy the elements, in C order, into @count elements of host memory;
	 * as dpr_array_to_memory().  Waits.
	 *
	 * DPR_ERROR_DTYPE: T has another dtype than the array; see astype().
	 *
	 * DPR_ERROR_SHAPE: @count is not the array's size.
	 */
	template <class T> void to_memory(T *data, std::size_t count) const
	{
		check_count<T>("to_memory", count);
		check(dpr_array_to_memory(
			get(), data, count * sizeof(T), nullptr));
	}

	/* The same into a std::vector, std::array, std::span or another type
	   with data() and size(). */
	template <class C, class = std::enable_if_t<detail::has_elements<C>>>
	void to_memory(C &&values) const
	{
		to_memory(std::data(values), std::size(values));
	}

	/* Copy @count elements of host memory, in C order, into the elements of
	   this array, which may be a view; as dpr_array_set_memory().  Errors
	   as to_memory(). */
	template <class T>
	void set_memory(const T *data, std::size_t count) const
	{
		check_count<T>("set_memory", count);
		check(dpr_array_set_memory(get(), data, nullptr));
	}

	/* The same from a std::vector, std::array, std::span or another type
	   with data() and size(). */
	template <class C,
		class = std::enable_if_t<detail::has_elements<const C>>>
	void set_memory(const C &values) const
	{
		set_memory(std::data(values), std::size(values));
	}

	/* The elements in C order; errors as to_memory(). */
	template <class T> std::vector<T> to_vector() const
	{
		static_assert(!std::is_same_v<T, bool>,
			"std::vector<bool> has no bytes; use to_memory()");
		std::vector<T> values(static_cast<std::size_t>(size()));

		to_memory(values);
		return values;
	}

	/* The elements as text; as dpr_array_format().  Waits. */
	std::string to_string(const dpr_print_options *options = nullptr) const
	{
		char *text = nullptr;

		check(dpr_array_format(get(), options, &text));
		return detail::take_text(text);
	}

	/* Write the elements to @stream, with a newline; as dpr_array_print().
	   Waits. */
	void print(std::FILE *stream = stdout) const
	{
		check(dpr_array_print(get(), stream));
	}

	/* Write the elements as text.  Waits. */
	friend std::ostream &operator<<(std::ostream &stream, const array &x)
	{
		return stream << x.to_string();
	}

private:
	/* Throw an error if the elements are no T. */
	template <class T> void check_dtype() const
	{
		static_assert(detail::has_dtype<T>);
		if (get() && dtype() != dtype_of<T>)
			throw error(DPR_ERROR_DTYPE,
				std::string("the elements are ") +
					dpr_dtype_name(dtype()) + ", not " +
					dpr_dtype_name(dtype_of<T>) +
					"; cast them with astype()");
	}

	/* Throw if the elements are not of type T, or if there are not @count of
	   them.  @function is the name for the message. */
	template <class T>
	void check_count(const char *function, std::size_t count) const
	{
		check_dtype<T>();
		if (get() && static_cast<std::size_t>(size()) != count)
			throw error(DPR_ERROR_SHAPE,
				std::string(function) + ": the array has " +
					std::to_string(size()) +
					" elements, the memory " +
					std::to_string(count));
	}
};

namespace detail
{

template <> struct argument<array> {
	static dpr_arg make(array &value) noexcept
	{
		return dpr_arg_array_rw(value.get());
	}
	static dpr_arg make(const array &value) noexcept
	{
		return dpr_arg_array_r(value.get());
	}
};

} // namespace detail

/* Arguments of a launch.  read(): an array that the kernel only reads.
   strided(): an array of any layout, in two parameters, as DPR_STRIDED().
   base(): the first of these parameters alone, as DPR_BASE().  With strided()
   and base(), the kernel reads a const array, and reads and writes any other
   array, also a temporary view: dpr::strided(x[0]). */
inline dpr_arg read(const array &x) noexcept
{
	return dpr_arg_array_r(x.get());
}
inline dpr_arg strided(const array &x) noexcept
{
	return dpr_arg_strided_r(x.get());
}
inline dpr_arg strided(array &x) noexcept
{
	return dpr_arg_strided_rw(x.get());
}
inline dpr_arg strided(array &&x) noexcept
{
	return dpr_arg_strided_rw(x.get());
}
inline dpr_arg base(const array &x) noexcept
{
	return dpr_arg_base_r(x.get());
}
inline dpr_arg base(array &x) noexcept
{
	return dpr_arg_base_rw(x.get());
}
inline dpr_arg base(array &&x) noexcept
{
	return dpr_arg_base_rw(x.get());
}

/* Make an array of @shape; as dpr_empty_on(), dpr_zeros_on() and
   dpr_ones_on(). */
inline array empty(const shape &shape, dpr_dtype dtype = DPR_DTYPE_DEFAULT,
	const queue &queue = {}, dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check(dpr_empty_on(shape, dtype, queue.get(), kind, made.put()));
	return made;
}
inline array zeros(const shape &shape, dpr_dtype dtype = DPR_DTYPE_DEFAULT,
	const queue &queue = {}, dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check(dpr_zeros_on(shape, dtype, queue.get(), kind, made.put()));
	return made;
}
inline array ones(const shape &shape, dpr_dtype dtype = DPR_DTYPE_DEFAULT,
	const queue &queue = {}, dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check(dpr_ones_on(shape, dtype, queue.get(), kind, made.put()));
	return made;
}

/* An array of @shape with each element @fill_value, a number; as
   dpr_full_on(). */
template <class T, class = std::enable_if_t<detail::is_number<T>>>
array full(const shape &shape, T fill_value,
	dpr_dtype dtype = DPR_DTYPE_DEFAULT, const queue &queue = {},
	dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check((dpr_full_on)(shape, dpr_operand_of(fill_value), dtype,
		queue.get(), kind, made.put()));
	return made;
}

/* Make an array like @x, with its dtype unless @dtype is given; as
   dpr_empty_like(), dpr_zeros_like() and dpr_ones_like(). */
inline array empty_like(const array &x, dpr_dtype dtype = DPR_DTYPE_DEFAULT)
{
	array made;

	check(dpr_empty_like(x.get(), dtype, made.put()));
	return made;
}
inline array zeros_like(const array &x, dpr_dtype dtype = DPR_DTYPE_DEFAULT)
{
	array made;

	check(dpr_zeros_like(x.get(), dtype, made.put()));
	return made;
}
inline array ones_like(const array &x, dpr_dtype dtype = DPR_DTYPE_DEFAULT)
{
	array made;

	check(dpr_ones_like(x.get(), dtype, made.put()));
	return made;
}

/* The same with each element @fill_value, a number; as dpr_full_like(). */
template <class T, class = std::enable_if_t<detail::is_number<T>>>
array full_like(
	const array &x, T fill_value, dpr_dtype dtype = DPR_DTYPE_DEFAULT)
{
	array made;

	check((dpr_full_like)(x.get(), dpr_operand_of(fill_value), dtype,
		made.put()));
	return made;
}

/* start, start + step, ... up to but without stop; as dpr_arange_on().  All
   three are numbers; a dtype in the place of the step is the dtype. */
template <class A, class B = A, class C = int,
	class = std::enable_if_t<detail::is_number<A> && detail::is_number<B> &&
				 detail::is_number<C>>>
array arange(A start, B stop, C step = 1, dpr_dtype dtype = DPR_DTYPE_DEFAULT,
	const queue &queue = {}, dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check((dpr_arange_on)(dpr_operand_of(start), dpr_operand_of(stop),
		dpr_operand_of(step), dtype, queue.get(), kind, made.put()));
	return made;
}
template <class A, class B = A,
	class = std::enable_if_t<detail::is_number<A> && detail::is_number<B>>>
array arange(A start, B stop, dpr_dtype dtype, const queue &queue = {},
	dpr_usm_kind kind = DPR_USM_DEVICE)
{
	return arange(start, stop, 1, dtype, queue, kind);
}

/* @num evenly spaced numbers from @start to @stop; without @stop if @endpoint is
   false; as dpr_linspace_on().  Both ends are numbers. */
template <class A, class B,
	class = std::enable_if_t<detail::is_number<A> && detail::is_number<B>>>
array linspace(A start, B stop, std::int64_t num, bool endpoint,
	dpr_dtype dtype = DPR_DTYPE_DEFAULT, const queue &queue = {},
	dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check((dpr_linspace_on)(dpr_operand_of(start), dpr_operand_of(stop),
		num, endpoint, dtype, queue.get(), kind, made.put()));
	return made;
}
template <class A, class B,
	class = std::enable_if_t<detail::is_number<A> && detail::is_number<B>>>
array linspace(A start, B stop, std::int64_t num,
	dpr_dtype dtype = DPR_DTYPE_DEFAULT, const queue &queue = {},
	dpr_usm_kind kind = DPR_USM_DEVICE)
{
	return linspace(start, stop, num, true, dtype, queue, kind);
}

/* A dtype is no count. */
template <class A, class B, class... C>
array linspace(A start, B stop, dpr_dtype, C...) = delete;

/* @base to powers of linspace(@start, @stop, @num, @endpoint), and numbers with
   a constant ratio; as dpr_logspace_on() and dpr_geomspace_on(). */
template <class A, class B, class C = int,
	class = std::enable_if_t<detail::is_number<A> && detail::is_number<B> &&
				 detail::is_number<C>>>
array logspace(A start, B stop, std::int64_t num, bool endpoint = true,
	C base = 10, dpr_dtype dtype = DPR_DTYPE_DEFAULT,
	const queue &queue = {}, dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check((dpr_logspace_on)(dpr_operand_of(start), dpr_operand_of(stop),
		num, endpoint, dpr_operand_of(base), dtype, queue.get(), kind,
		made.put()));
	return made;
}
template <class A, class B,
	class = std::enable_if_t<detail::is_number<A> && detail::is_number<B>>>
array geomspace(A start, B stop, std::int64_t num, bool endpoint = true,
	dpr_dtype dtype = DPR_DTYPE_DEFAULT, const queue &queue = {},
	dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check((dpr_geomspace_on)(dpr_operand_of(start), dpr_operand_of(stop),
		num, endpoint, dtype, queue.get(), kind, made.put()));
	return made;
}

/* A dtype is not whether @stop is included. */
template <class A, class B, class... C>
array logspace(A start, B stop, std::int64_t, dpr_dtype, C...) = delete;
template <class A, class B, class... C>
array geomspace(A start, B stop, std::int64_t, dpr_dtype, C...) = delete;

/* A matrix of zeros, with ones on diagonal @k; as dpr_eye_on().  A dtype in the
   place of @k is the dtype. */
inline array eye(std::int64_t n_rows, std::int64_t n_cols, std::int64_t k = 0,
	dpr_dtype dtype = DPR_DTYPE_DEFAULT, const queue &queue = {},
	dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check(dpr_eye_on(
		n_rows, n_cols, k, dtype, queue.get(), kind, made.put()));
	return made;
}
inline array eye(std::int64_t n_rows, std::int64_t n_cols, dpr_dtype dtype,
	const queue &queue = {}, dpr_usm_kind kind = DPR_USM_DEVICE)
{
	return eye(n_rows, n_cols, 0, dtype, queue, kind);
}

/* A dtype is no number of columns. */
template <class... A> array eye(std::int64_t n_rows, dpr_dtype, A...) = delete;

/* A copy of @x in @dtype; as dpr_astype(). */
inline array astype(const array &x, dpr_dtype dtype)
{
	array made;

	check(dpr_astype(x.get(), dtype, made.put()));
	return made;
}

/* The same elements on @device's canonical queue: @x itself if nothing changes
   and @copy allows this; as dpr_astype_to_device(). */
inline array astype(const array &x, dpr_dtype dtype, const device &device,
	dpr_copy_mode copy = DPR_COPY_ALWAYS)
{
	array made;

	check(dpr_astype_to_device(
		x.get(), dtype, device.get(), copy, made.put()));
	return made;
}

/* A copy of @x; as dpr_copy(). */
inline array copy(const array &x)
{
	array made;

	check(dpr_copy(x.get(), made.put()));
	return made;
}

/* The array @x in @dtype, and on @device's canonical queue: itself if nothing
   changes and @copy allows this; as dpr_asarray() and
   dpr_asarray_to_device(). */
inline array asarray(const array &x, dpr_dtype dtype = DPR_DTYPE_DEFAULT,
	dpr_copy_mode copy = DPR_COPY_IF_NEEDED)
{
	array made;

	check(dpr_asarray(x.get(), dtype, copy, made.put()));
	return made;
}
inline array asarray_to_device(const array &x, const device &device,
	dpr_copy_mode copy = DPR_COPY_IF_NEEDED)
{
	array made;

	check(dpr_asarray_to_device(x.get(), device.get(), copy, made.put()));
	return made;
}

/* The elements in another shape; as dpr_reshape(). */
inline array reshape(const array &x, const shape &shape)
{
	array made;

	check(dpr_reshape(x.get(), shape, made.put()));
	return made;
}

/* A view with the axes in the order of @axes, one for each axis; as
   dpr_permute_dims().
   DPR_ERROR_INDEX: @axes has another number of axes than @x. */
inline array permute_dims(const array &x, std::initializer_list<int> axes)
{
	array made;

	if (x.get() && axes.size() != static_cast<std::size_t>(x.rank()))
		throw error(DPR_ERROR_INDEX,
			"permute_dims: " + std::to_string(axes.size()) +
				" axes for an array of " +
				std::to_string(x.rank()));
	check(dpr_permute_dims(x.get(), axes.begin(), made.put()));
	return made;
}

/* A view with the axes in reverse order. */
inline array permute_dims(const array &x)
{
	array made;

	check(dpr_permute_dims(x.get(), nullptr, made.put()));
	return made;
}

/* Views: with the last two axes swapped, in a larger shape, and with a new axis of
   extent 1; as dpr_matrix_transpose(), dpr_broadcast_to() and
   dpr_expand_dims(). */
inline array matrix_transpose(const array &x)
{
	array made;

	check(dpr_matrix_transpose(x.get(), made.put()));
	return made;
}
inline array broadcast_to(const array &x, const shape &shape)
{
	array made;

	check(dpr_broadcast_to(x.get(), shape, made.put()));
	return made;
}
inline array expand_dims(const array &x, int axis)
{
	array made;

	check(dpr_expand_dims(x.get(), axis, made.put()));
	return made;
}

namespace detail
{

/* The C objects of @arrays. */
inline std::vector<const dpr_array *> list_of(const std::vector<array> &arrays)
{
	std::vector<const dpr_array *> list;

	list.reserve(arrays.size());
	for (const array &x : arrays)
		list.push_back(x.get());
	return list;
}

} // namespace detail

/* The arrays joined along @axis, or with DPR_AXIS_NONE in C order; as
   dpr_concat(). */
inline array concat(const std::vector<array> &arrays, int axis = 0)
{
	const std::vector<const dpr_array *> list = detail::list_of(arrays);
	array made;

	check(dpr_concat(list.data(), list.size(), axis, made.put()));
	return made;
}

/* The queue that all of @arrays are on; as dpr_execution_queue(). */
inline queue execution_queue(const std::vector<array> &arrays)
{
	const std::vector<const dpr_array *> list = detail::list_of(arrays);
	dpr_queue *found = nullptr;

	check(dpr_execution_queue(list.data(), list.size(), &found));
	return queue::share(found);
}

/* What x.to_device(device) would do; as dpr_transfer_plan(). */
inline dpr_transfer transfer_plan(const array &x, const device &device)
{
	dpr_transfer plan = {};

	check(dpr_transfer_plan(x.get(), device.get(), &plan));
	return plan;
}

} // namespace dpr

#endif
