// SPDX-License-Identifier: Apache-2.0
// api_cxx_arrays.cc - arrays of dpr.hpp: made of lists and containers, viewed,
// written through views, and copied out.
#include <array>
#include <sstream>
#if __has_include(<span>)
#include <span>
#endif

#include "tests/cplusplus/cxx_test.h"

using floats = std::vector<float>;
using ints = std::vector<int>;

START_TEST(lists)
{
	const dpr::queue queue = the_queue();
	const dpr::array x({ 1.5F, 2.5F }, queue);
	const dpr::array m({ { 1, 2, 3 }, { 4, 5, 6 } }, queue);
	const dpr::array none(std::initializer_list<float>{}, queue);

	ck_assert_int_eq(x.dtype(), DPR_FLOAT32);
	ck_assert(x.shape() == dpr::shape{ 2 });
	ck_assert(has<float>(x, { 1.5F, 2.5F }));
	ck_assert_int_eq(m.dtype(), DPR_INT32);
	ck_assert(m.shape() == (dpr::shape{ 2, 3 }));
	ck_assert(has<int>(m, { 1, 2, 3, 4, 5, 6 }));
	ck_assert_int_eq(none.size(), 0);
	ck_assert_int_eq(dpr::array({ true, false }, queue).dtype(), DPR_BOOL);
	ck_assert_int_eq(dpr::array({ 1.0, 2.0 }, queue).dtype(), DPR_FLOAT64);
	CHECK_THROWS(DPR_ERROR_SHAPE,
		     dpr::array({ { 1, 2 }, { 3, 4, 5 } }, queue));
}
END_TEST

static_assert(dpr::dtype_of<bool> == DPR_BOOL);
static_assert(dpr::dtype_of<signed char> == DPR_INT8);
static_assert(dpr::dtype_of<unsigned char> == DPR_UINT8);
static_assert(dpr::dtype_of<short> == DPR_INT16);
static_assert(dpr::dtype_of<unsigned short> == DPR_UINT16);
static_assert(dpr::dtype_of<int> == DPR_INT32);
static_assert(dpr::dtype_of<unsigned> == DPR_UINT32);
static_assert(dpr::dtype_of<long long> == DPR_INT64);
static_assert(dpr::dtype_of<unsigned long long> == DPR_UINT64);
static_assert(dpr::dtype_of<float> == DPR_FLOAT32);
static_assert(dpr::dtype_of<double> == DPR_FLOAT64);
static_assert(dpr::dtype_of<std::complex<float>> == DPR_COMPLEX64);
static_assert(dpr::dtype_of<std::complex<double>> == DPR_COMPLEX128);
static_assert(dpr::dtype_of<char> == DPR_DTYPE_DEFAULT);
static_assert(dpr::dtype_of<void *> == DPR_DTYPE_DEFAULT);
static_assert(dpr::dtype_of<const bool> == DPR_BOOL);
static_assert(dpr::dtype_of<volatile float> == DPR_FLOAT32);
static_assert(dpr::dtype_of<const char> == DPR_DTYPE_DEFAULT);
#ifdef __cpp_char8_t
static_assert(dpr::dtype_of<char8_t> == DPR_DTYPE_DEFAULT);
#endif

START_TEST(limits)
{
	ck_assert(dpr::iinfo(DPR_INT16).max == 32767);
	ck_assert(dpr::finfo(DPR_COMPLEX64).eps ==
		  std::numeric_limits<float>::epsilon());
	ck_assert(dpr::isdtype(dpr::dtype_of<int>, "integral"));
	ck_assert(!dpr::isdtype(dpr::dtype_of<int>, "real floating"));
	CHECK_THROWS(DPR_ERROR_DTYPE, dpr::iinfo(DPR_FLOAT32));
	CHECK_THROWS(DPR_ERROR_DTYPE, dpr::finfo(DPR_BOOL));
}
END_TEST

START_TEST(containers)
{
	const dpr::queue queue = the_queue();
	const floats values = { 1, 2, 3, 4, 5, 6 };
	static const float fixed[] = { 1, 2, 3, 4, 5, 6 };
	const dpr::array x(values, queue);
	const dpr::array m(values, { 2, 3 }, queue);
	const dpr::array a(std::array<int, 3>{ { 7, 8, 9 } }, queue);
	const dpr::array p(values.data() + 1, dpr::shape{ 2 }, queue);
	std::array<float, 6> back{};
	std::array<float, 5> few{};
	std::array<double, 6> wide{};

	ck_assert(x.shape() == dpr::shape{ 6 } && has(x, values));
	ck_assert(m.shape() == (dpr::shape{ 2, 3 }) && has(m, values));
	ck_assert(has<int>(a, { 7, 8, 9 }) && has<float>(p, { 2, 3 }));
	m.to_memory(back);
	ck_assert(floats(back.begin(), back.end()) == values);
	CHECK_THROWS(DPR_ERROR_SHAPE, m.to_memory(few));
	CHECK_THROWS(DPR_ERROR_DTYPE, m.to_memory(wide));
	CHECK_THROWS(DPR_ERROR_DTYPE, m.to_vector<int>());
	CHECK_THROWS(DPR_ERROR_SHAPE, dpr::array(values, { 4, 2 }, queue));
	CHECK_THROWS(DPR_ERROR_SHAPE, dpr::array(values, { -2, -3 }, queue));
	CHECK_THROWS(DPR_ERROR_SHAPE, dpr::array(fixed, { 4, 2 }, queue));
	ck_assert(has<float>(dpr::array(fixed, { 3, 2 }, queue), values));
	CHECK_THROWS(DPR_ERROR_SHAPE,
		     dpr::array(values, { INT64_MAX, 2 }, queue));
#ifdef __cpp_lib_span
	const dpr::array s(std::span<const float>(values).subspan(2), queue);

	ck_assert(has<float>(s, { 3, 4, 5, 6 }));
	s.to_memory(std::span<float>(back).first(4));
	ck_assert(back[0] == 3 && back[3] == 6 && back[4] == 5);
	ck_assert_int_eq(std::span<const std::int64_t>(m.shape())[1], 3);
#endif
}
END_TEST

START_TEST(making)
{
	const dpr::queue queue = the_queue();
	const std::size_t n = 2;

	ck_assert(has<float>(dpr::zeros({ n }, DPR_FLOAT32, queue), { 0, 0 }));
	ck_assert(has<int>(dpr::ones({ n, 1 }, DPR_INT32, queue), { 1, 1 }));
	ck_assert(has<float>(dpr::full({ 2 }, 2.5, DPR_FLOAT32, queue),
			     { 2.5F, 2.5F }));
	ck_assert(has<std::int64_t>(
		dpr::arange(0, 6, 2, DPR_DTYPE_DEFAULT, queue), { 0, 2, 4 }));
	ck_assert(has<float>(dpr::linspace(0, 1, 3, DPR_FLOAT32, queue),
			     { 0, 0.5F, 1 }));
	ck_assert(
		has<float>(dpr::linspace(0, 1.5, 3, false, DPR_FLOAT32, queue),
			   { 0, 0.5F, 1 }));
	ck_assert(has<std::complex<float>>(
		dpr::linspace(std::complex<float>(1, 2), 3, 2, DPR_COMPLEX64,
			      queue),
		{ { 1, 2 }, { 3, 0 } }));
	ck_assert(has<std::int64_t>(dpr::linspace(std::int64_t(INT64_MIN),
						  std::int64_t(INT64_MAX), 2,
						  DPR_INT64, queue),
				    { INT64_MIN, INT64_MAX }));
	ck_assert(
		has<float>(dpr::logspace(0, 2, 3, true, 2, DPR_FLOAT32, queue),
			   { 1, 2, 4 }));
	ck_assert(
		has<float>(dpr::geomspace(-1, -4, 2, false, DPR_FLOAT32, queue),
			   { -1, -2 }));
	ck_assert(
		has<int>(dpr::eye(2, 2, 1, DPR_INT32, queue), { 0, 1, 0, 0 }));
	ck_assert(has<int>(dpr::eye(2, 2, DPR_INT32, queue), { 1, 0, 0, 1 }));
	ck_assert(
		has<float>(dpr::arange(1, 4, DPR_FLOAT32, queue), { 1, 2, 3 }));
	const dpr::array x =
		dpr::empty({ 3, 2 }, DPR_FLOAT32, queue, host_or_device());

	ck_assert_int_eq(x.kind(), host_or_device());
	ck_assert(dpr::empty_like(x).shape() == x.shape());
	ck_assert(has<int>(dpr::zeros_like(x, DPR_INT32), ints(6, 0)));
	ck_assert(has<float>(dpr::ones_like(x), floats(6, 1)));
	ck_assert(has<float>(dpr::full_like(x, 2.5), floats(6, 2.5F)));
	ck_assert(has<int>(dpr::full_like(x, 7, DPR_INT32), ints(6, 7)));
	ck_assert_int_eq(dpr::zeros({}, DPR_INT32, queue).rank(), 0);
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     dpr::zeros({ -1 }, DPR_INT32, queue));
}
END_TEST

START_TEST(properties)
{
	const dpr::array x({ { 1, 2, 3 }, { 4, 5, 6 } }, the_queue());
	std::vector<std::int64_t> strides(x.strides().begin(),
					  x.strides().end());

	ck_assert(x.queue() == the_queue());
	ck_assert(x.device() == dpr::device(test_device));
	ck_assert(x.rank() == 2 && x.size() == 6 && x.itemsize() == 4);
	ck_assert(strides == (std::vector<std::int64_t>{ 3, 1 }));
	ck_assert(x.is_contiguous() && x.kind() == DPR_USM_DEVICE);
	ck_assert(x.shape() != (dpr::shape{ 2, 2 }));
	ck_assert(x.shape() != dpr::shape{ 2 });
	ck_assert_ptr_eq(x.usm().get(), dpr_array_usm(x.get()));
	ck_assert_uint_eq(x.nbytes(), 24);
	x.wait();
	ck_assert(x.wait_for(std::chrono::seconds(100)));
	x.event().wait();
}
END_TEST

// The shape of a temporary array, and shapes as lists of numbers.
START_TEST(numbers_of_shapes)
{
	const dpr::array x({ { 1, 2, 3 }, { 4, 5, 6 } }, the_queue());
	const dpr::shape none, two{ 2, 3 };
	const dpr::extents lent = two;
	std::int64_t sum = 0;

	for (const std::int64_t n : x[0].shape())
		sum += n;
	ck_assert_int_eq(sum, 3);
	ck_assert(x(dpr::slice(), 0).strides() == dpr::shape{ 3 });
	ck_assert(two.size() == 2 && two.elements() == 6 && two[1] == 3);
	ck_assert(two.end() - two.begin() == 2 && two.data() == lent.data());
	ck_assert(none.size() == 0 && none.elements() == 1);
	ck_assert(two == lent && lent == two && two == x.shape());
	ck_assert(two != none && !(two == none) && none == dpr::shape{});
	ck_assert(none != lent && lent != none && !(lent != two));
}
END_TEST

static_assert(std::is_convertible_v<const dpr::shape &, dpr::extents>);
static_assert(!std::is_convertible_v<dpr::shape, dpr::extents>);

START_TEST(addresses)
{
	const dpr::array x(std::vector<float>{ 1.5F, 2.5F }, the_queue(),
			   host_or_device());

	x.wait();
	ck_assert_ptr_eq(x.data<float>(), dpr_array_data(x.get()));
	if (x.data<float>())
		ck_assert(x[1].data<const float>()[0] == 2.5F);
	CHECK_THROWS(DPR_ERROR_DTYPE, x.data<int>());
}
END_TEST

START_TEST(views)
{
	const dpr::array x({ { 1, 2, 3 }, { 4, 5, 6 } }, the_queue());
	const short last = -1;

	ck_assert(has<int>(x[1], { 4, 5, 6 }));
	ck_assert(has<int>(x[last], { 4, 5, 6 }));
	ck_assert_int_eq(x(1, 2).item<int>(), 6);
	ck_assert_int_eq(x[0][2].item<int>(), 3);
	ck_assert(has<int>(x(dpr::slice(), dpr::slice(1)), { 2, 3, 5, 6 }));
	ck_assert(has<int>(x(0, dpr::slice(dpr::open, dpr::open, -1)),
			   { 3, 2, 1 }));
	ck_assert(has<int>(x(0, dpr::slice(0, -1)), { 1, 2 }));
	ck_assert(has<int>(x(dpr::ellipsis, 0), { 1, 4 }));
	ck_assert(x(dpr::new_axis, 0).shape() == (dpr::shape{ 1, 3 }));
	ck_assert(x().get() != nullptr && x().shape() == x.shape());
	CHECK_THROWS(DPR_ERROR_INDEX, x[2]);
	CHECK_THROWS(DPR_ERROR_INDEX, x(0, 0, 0));
}
END_TEST

// A name gets another array; a view writes its elements.
START_TEST(assignment)
{
	dpr::array x({ 1, 2, 3, 4 }, the_queue());
	const dpr::array shared = x;
	const dpr::array two({ 8, 9 }, the_queue());
	dpr::array view = x(dpr::slice(0, 2));

	x(dpr::slice(1, 3)) = two;
	ck_assert(has<int>(shared, { 1, 8, 9, 4 }));
	x[0] = 5;
	x(dpr::slice(2)) = x(dpr::slice(0, 2));
	ck_assert(has<int>(shared, { 5, 8, 5, 8 }));
	x(dpr::slice(0, 2)) = two + 1;
	x(dpr::slice(2)) = two / 2;
	ck_assert(has<int>(shared, { 9, 10, 4, 4 }));
	x(dpr::ellipsis) = 7.9;
	ck_assert(has<int>(shared, { 7, 7, 7, 7 }));
	x(dpr::ellipsis) = sum(two);
	ck_assert(has<int>(shared, { 17, 17, 17, 17 }));
	view = two;
	ck_assert(has<int>(shared, { 17, 17, 17, 17 }));
	x = two;
	ck_assert(has<int>(x, { 8, 9 }) && shared.size() == 4);
	x = { 1, 2, 3 };
	ck_assert_int_eq(x.size(), 3);
	CHECK_THROWS(DPR_ERROR_SHAPE, shared(dpr::slice(0, 3)) = two);
	CHECK_THROWS(DPR_ERROR_SHAPE, shared(dpr::slice(0, 3)) = two + 1);
}
END_TEST

START_TEST(elements)
{
	const dpr::queue queue = the_queue();
	const dpr::array i({ 300 }, queue), f({ 2.5F }, queue);
	const dpr::array u({ 255U }, queue), b({ true }, queue);
	const dpr::array negative({ -1 }, queue);
	const auto number = [&](std::initializer_list<double> value) {
		return dpr::array(value, queue);
	};
	const dpr::array c({ std::complex<float>(1, 2) }, queue);

	ck_assert_int_eq(i.item<int>(), 300);
	ck_assert(i.item() == 300.0 && f.item<float>() == 2.5F);
	ck_assert_uint_eq(u.item<unsigned char>(), 255);
	ck_assert_int_eq(negative.item<signed char>(), -1);
	ck_assert(b.item<bool>() && b.item<int>() == 1);
	ck_assert(c.item<std::complex<double>>() == std::complex<double>(1, 2));
	ck_assert(f.item<std::complex<double>>() == 2.5);
	ck_assert_int_eq(f.item<signed char>(), 2);
	ck_assert_int_eq(number({ -128.9 }).item<signed char>(), -128);
	ck_assert_uint_eq(number({ 255.9 }).item<unsigned char>(), 255);
	ck_assert(number({ -0x1p63 }).item<std::int64_t>() == INT64_MIN);
	CHECK_THROWS(DPR_ERROR_OVERFLOW,
		     number({ 0x1p63 }).item<std::int64_t>());
	CHECK_THROWS(DPR_ERROR_OVERFLOW, number({ 128.0 }).item<signed char>());
	CHECK_THROWS(DPR_ERROR_OVERFLOW,
		     number({ -129.0 }).item<signed char>());
	CHECK_THROWS(DPR_ERROR_OVERFLOW, number({ -1.0 }).item<unsigned>());
	CHECK_THROWS(DPR_ERROR_OVERFLOW, number({ NAN }).item<int>());
	CHECK_THROWS(DPR_ERROR_OVERFLOW, i.item<signed char>());
	CHECK_THROWS(DPR_ERROR_OVERFLOW, u.item<signed char>());
	CHECK_THROWS(DPR_ERROR_OVERFLOW, negative.item<unsigned>());
	CHECK_THROWS(DPR_ERROR_OVERFLOW, i.item<bool>());
	CHECK_THROWS(DPR_ERROR_DTYPE, c.item<double>());
	CHECK_THROWS(DPR_ERROR_SHAPE,
		     dpr::zeros({ 2 }, DPR_INT32, queue).item());
}
END_TEST

START_TEST(shapes)
{
	const dpr::array x({ { 1, 2, 3 }, { 4, 5, 6 } }, the_queue());
	const dpr::array row = x[0];

	ck_assert(has<int>(dpr::reshape(x, { 3, -1 }), { 1, 2, 3, 4, 5, 6 }));
	ck_assert(has<int>(dpr::matrix_transpose(x), { 1, 4, 2, 5, 3, 6 }));
	ck_assert(
		has<int>(dpr::permute_dims(x, { 1, 0 }), { 1, 4, 2, 5, 3, 6 }));
	ck_assert(has<int>(dpr::permute_dims(x), { 1, 4, 2, 5, 3, 6 }));
	ck_assert(has<int>(dpr::broadcast_to(row, { 2, 3 }),
			   { 1, 2, 3, 1, 2, 3 }));
	ck_assert(dpr::expand_dims(row, 0).shape() == (dpr::shape{ 1, 3 }));
	ck_assert(dpr::squeeze(dpr::expand_dims(row, 0), 0).rank() == 1);
	ck_assert(has<int>(dpr::concat({ row, x[1] }), { 1, 2, 3, 4, 5, 6 }));
	ck_assert(has<int>(dpr::concat({ x, x }, 1),
			   { 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6 }));
	ck_assert(has<float>(dpr::astype(row, DPR_FLOAT32), { 1, 2, 3 }));
	ck_assert(dpr::copy(row).usm().get() != row.usm().get());
	CHECK_THROWS(DPR_ERROR_INDEX, dpr::permute_dims(x, { 0 }));
	CHECK_THROWS(DPR_ERROR_SHAPE, dpr::reshape(x, { 4 }));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     dpr::shape(dpr::extents(x.shape().data(), 33)));
}
END_TEST

START_TEST(indexed)
{
	const dpr::array x({ { 1, 2, 3 }, { 4, 5, 6 } }, the_queue());
	const dpr::array i({ 2, -1, 0 }, the_queue());
	dpr::array y = dpr::zeros({ 2, 3 }, DPR_INT32, the_queue());

	ck_assert(has<int>(dpr::take(x, i, 1), { 3, 3, 1, 6, 6, 4 }));
	ck_assert(has<int>(dpr::take(x, i + 3, 1, DPR_BOUNDS_CLIP),
			   { 3, 3, 3, 6, 6, 6 }));
	dpr::take_into(dpr::astype(x, DPR_INT32), i, -1, y, DPR_BOUNDS_WRAP);
	ck_assert(has<int>(y, { 3, 3, 1, 6, 6, 4 }));
	ck_assert(has<int>(
		dpr::take_along_axis(
			x, dpr::reshape(i(dpr::slice(0, 1)), { 1, 1 })),
		{ 3, 6 }));
	ck_assert(has<int>(dpr::index_arrays(x, { dpr::slice(), i }),
			   { 3, 3, 1, 6, 6, 4 }));
	ck_assert(has<int>(dpr::index_arrays(x, { 1, i }), { 6, 6, 4 }));
	CHECK_THROWS(DPR_ERROR_INDEX, dpr::take(x, i, 0));
	dpr::put(y, i(dpr::slice(0, 2)), 8, 1);
	ck_assert(has<int>(y, { 3, 3, 8, 6, 6, 8 }));
	dpr::put_along_axis(y, dpr::reshape(i(dpr::slice(0, 1)), { 1, 1 }), 1);
	dpr::set_index_arrays(y, { 1, i(dpr::slice(1, 3)) },
			      x[0](dpr::slice(0, 2)));
	ck_assert(has<int>(y, { 3, 3, 1, 2, 6, 1 }));
	dpr::set_mask(y, y == 3, 0);
	ck_assert(has<int>(y, { 0, 0, 1, 2, 6, 1 }));
	CHECK_THROWS(DPR_ERROR_INDEX, dpr::put(y, i, 1, 0));
}
END_TEST

START_TEST(rearranged)
{
	const dpr::array x({ { 1, 2, 3 }, { 4, 5, 6 } }, the_queue());
	const dpr::array row = x[0], wide = dpr::expand_dims(x, 0);
	std::vector<dpr::array> parts;

	ck_assert(has<int>(dpr::reshape(x, { 3, 2 }, DPR_COPY_ALWAYS),
			   { 1, 2, 3, 4, 5, 6 }));
	ck_assert(has<int>(dpr::flip(x), { 6, 5, 4, 3, 2, 1 }));
	ck_assert(has<int>(dpr::flip(x, 0), { 4, 5, 6, 1, 2, 3 }));
	ck_assert(has<int>(dpr::flip(x, { 0, -1 }), { 6, 5, 4, 3, 2, 1 }));
	ck_assert(
		has<int>(dpr::flip(x + 1, dpr::axes(1)), { 4, 3, 2, 7, 6, 5 }));
	ck_assert(has<int>(dpr::flip(x, {}), { 1, 2, 3, 4, 5, 6 }));
	ck_assert(has<int>(dpr::roll(x, 1), { 6, 1, 2, 3, 4, 5 }));
	ck_assert(has<int>(dpr::roll(x, -1, 1), { 2, 3, 1, 5, 6, 4 }));
	ck_assert(has<int>(dpr::roll(x, 1, { 0, 1 }), { 6, 4, 5, 3, 1, 2 }));
	ck_assert(has<int>(dpr::roll(x, { 1, 2 }, { 0, 1 }),
			   { 5, 6, 4, 2, 3, 1 }));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, dpr::roll(x, { 1, 2 }, 0));
	ck_assert(
		has<int>(dpr::stack({ row, x[1] }, -1), { 1, 4, 2, 5, 3, 6 }));
	parts = dpr::unstack(x, 1);
	ck_assert(parts.size() == 3 && has<int>(parts[2], { 3, 6 }));
	CHECK_THROWS(DPR_ERROR_INDEX, dpr::unstack(x, 2));
	parts = dpr::split(x, 3, -1);
	ck_assert(parts.size() == 3 && has<int>(parts[1], { 2, 5 }));
	parts = dpr::split_at(x, { 1 }, 1);
	ck_assert(parts.size() == 2 && has<int>(parts[1], { 2, 3, 5, 6 }));
	ck_assert(dpr::split_at(x, {}).size() == 1);
	ck_assert(has<int>(dpr::tile(row, { 2, 1 }), { 1, 2, 3, 1, 2, 3 }));
	ck_assert(has<int>(dpr::repeat(row, 2), { 1, 1, 2, 2, 3, 3 }));
	ck_assert(has<int>(dpr::repeat(x, 2, 0),
			   { 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6 }));
	ck_assert(has<int>(dpr::pad(row, 1), { 0, 1, 2, 3, 0 }));
	ck_assert(has<int>(dpr::pad(row, 2, DPR_PAD_CONSTANT, 7.0),
			   { 7, 7, 1, 2, 3, 7, 7 }));
	ck_assert(has<int>(dpr::pad(x, { { 0, 1 }, { 1, 0 } }, DPR_PAD_EDGE),
			   { 1, 1, 2, 3, 4, 4, 5, 6, 4, 4, 5, 6 }));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     dpr::pad(x, { { 1, 1 } }, DPR_PAD_EDGE));
	ck_assert(has<int>(dpr::meshgrid({ row, x[1] })[0],
			   { 1, 2, 3, 1, 2, 3, 1, 2, 3 }));
	ck_assert(has<int>(dpr::meshgrid({ row, x[1] }, DPR_INDEXING_IJ)[0],
			   { 1, 1, 1, 2, 2, 2, 3, 3, 3 }));
	ck_assert(has<int>(dpr::broadcast_arrays({ row, x })[0],
			   { 1, 2, 3, 1, 2, 3 }));
	ck_assert(dpr::moveaxis(wide, 0, -1).shape() ==
		  (dpr::shape{ 2, 3, 1 }));
	ck_assert(dpr::moveaxis(wide, { 0, 1 }, { 2, 0 }).shape() ==
		  (dpr::shape{ 2, 3, 1 }));
	ck_assert(dpr::swapaxes(wide, 0, 2).shape() == (dpr::shape{ 3, 2, 1 }));
	ck_assert(dpr::squeeze(wide).shape() == (dpr::shape{ 2, 3 }));
	ck_assert(dpr::squeeze(dpr::expand_dims(wide, 0), { 0, 1 }).rank() ==
		  2);
	ck_assert(has<int>(dpr::tril(x), { 1, 0, 0, 4, 5, 0 }));
	ck_assert(has<int>(dpr::triu(x, 1), { 0, 2, 3, 0, 0, 6 }));
	ck_assert(has<int>(dpr::diagonal(x, 1), { 2, 6 }));
	ck_assert(has<int>(dpr::rot90(x), { 3, 6, 2, 5, 1, 4 }));
	ck_assert(has<int>(dpr::rot90(x, 1, { 1, 0 }), { 4, 1, 5, 2, 6, 3 }));
	ck_assert(dpr::atleast_1d(row).rank() == 1);
	ck_assert(dpr::atleast_2d(row).shape() == (dpr::shape{ 1, 3 }));
	ck_assert(dpr::atleast_3d(row).shape() == (dpr::shape{ 1, 3, 1 }));
	ck_assert(has<int>(dpr::concat({ x, row }, DPR_AXIS_NONE),
			   { 1, 2, 3, 4, 5, 6, 1, 2, 3 }));
}
END_TEST

START_TEST(text)
{
	const dpr::array x({ 0.125F, 2.0F }, the_queue());
	dpr_print_options options = {};
	std::ostringstream stream;

	options.struct_size = sizeof(options);
	options.precision = 1;
	stream << x;
	ck_assert(stream.str() == "[0.125 2.   ]");
	ck_assert(x.to_string(&options) == "[0.1 2. ]");
}
END_TEST

START_TEST(places)
{
	const dpr::queue other(dpr::device(test_device), 0);
	const dpr::array x({ 1, 2 }, the_queue());
	const dpr::array there = x.to_queue(other);

	ck_assert(there.queue() == other && has<int>(there, { 1, 2 }));
	ck_assert(x.to_device(dpr::device(test_device)).get() == x.get());
	CHECK_THROWS(DPR_ERROR_EXECUTION_PLACEMENT, (x + there).evaluate());

	ck_assert(dpr::execution_queue({ x, x }) == the_queue());
	CHECK_THROWS(DPR_ERROR_EXECUTION_PLACEMENT,
		     dpr::execution_queue({ x, there }));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, dpr::execution_queue({}));
	ck_assert_int_eq(dpr::transfer_plan(x, dpr::device(test_device)).path,
			 DPR_TRANSFER_NONE);
	ck_assert(dpr::asarray(x).get() == x.get());
	ck_assert(dpr::asarray(x, DPR_DTYPE_DEFAULT, DPR_COPY_ALWAYS).get() !=
		  x.get());
	ck_assert(has<float>(dpr::asarray(x, DPR_FLOAT32), { 1, 2 }));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     dpr::asarray(x, DPR_FLOAT32, DPR_COPY_NEVER));
	ck_assert(dpr::astype(x, x.dtype(), dpr::device(test_device),
			      DPR_COPY_IF_NEEDED)
			  .get() == x.get());
	ck_assert_int_eq(
		dpr::astype(x, DPR_INT8, dpr::device(test_device)).dtype(),
		DPR_INT8);
	ck_assert(dpr::asarray_to_device(x, dpr::device(test_device)).get() ==
		  x.get());
}
END_TEST

/* Elements come from host memory and from other queues into arrays that exist,
   and into views. */
START_TEST(into_existing)
{
	const dpr::queue other(dpr::device(test_device), 0);
	const dpr::array x({ { 1, 2, 3 }, { 4, 5, 6 } }, the_queue());
	const dpr::array there({ 7, 8 }, other);
	const std::array<int, 2> two{ { 10, 20 } };
	const int three[] = { -1, -2, -3 };

	x(dpr::ellipsis, 1).set_memory(two);
	x(1, dpr::ellipsis).set_memory(three);
	ck_assert(has<int>(x, { 1, 10, 3, -1, -2, -3 }));
	x.set_memory(ints{ 1, 2, 3, 4, 5, 6 });
	x[0](dpr::slice(0, 2)).set_memory(three + 1, 2);
	ck_assert(has<int>(x, { -2, -3, 3, 4, 5, 6 }));
	CHECK_THROWS(DPR_ERROR_SHAPE, x.set_memory(two));
	CHECK_THROWS(DPR_ERROR_DTYPE, x.set_memory(floats(6)));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, dpr::array().set_memory(two));

	there.copy_to(x(dpr::ellipsis, 2));
	ck_assert(has<int>(x, { -2, -3, 7, 4, 5, 8 }));
	(there * 2 + 1).copy_to(x(dpr::ellipsis, 0));
	there(dpr::slice(0, 1)).copy_to(x[1]);
	ck_assert(has<int>(x, { 15, -3, 7, 7, 7, 7 }));
	CHECK_THROWS(DPR_ERROR_SHAPE, there.copy_to(x));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, there.copy_to(dpr::array()));
	ck_assert_int_eq(x[1].offset(), 3);
}
END_TEST

START_TEST(nothing)
{
	const dpr::array none;
	std::array<int, 1> one{};

	ck_assert_ptr_null(none.get());
	ck_assert_int_eq(none.size(), 0);
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, none.wait());
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, none[0]);
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, none.item());
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, none.to_memory(one));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, (none + 1).evaluate());
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, (none + 1 + 2).evaluate());
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, sum(none).evaluate());
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     dpr::permute_dims(none, { 0 }));
}
END_TEST

/* The functions of dpr/derived.hpp and dpr/products.hpp. */
START_TEST(derived)
{
	const dpr::queue queue = the_queue();
	const dpr::array x = dpr::arange(0, 6, DPR_FLOAT32, queue);
	const dpr::array m = dpr::reshape(x, { 2, 3 });

	ck_assert(has<int>(dpr::astype(dpr::isclose(x, 2.1, 0.1, 0), DPR_INT32),
			   { 0, 0, 1, 0, 0, 0 }));
	ck_assert(dpr::allclose(x, x + 1e-9F).item() == 1);
	ck_assert(dpr::allclose(x, 3).item() == 0);
	ck_assert(dpr::vecdot(m, m[0]).to_vector<float>() ==
		  (std::vector<float>{ 5, 14 }));
	ck_assert(has<float>(dpr::cross(m, m[1]), { -3, 6, -3, 0, 0, 0 }));
	ck_assert(has<float>(dpr::outer(m[0], m[0]),
			     { 0, 0, 0, 0, 1, 2, 0, 2, 4 }));
	ck_assert(has<float>(dpr::matmul(m, m[1] + 0), { 14, 50 }));
	ck_assert(has<float>(dpr::matvec(m, m[1]), { 14, 50 }));
	ck_assert(has<float>(dpr::vecmat(m[1], dpr::matrix_transpose(m)),
			     { 14, 50 }));
	ck_assert(dpr::tensordot(m, m).item() == 55);
	ck_assert(has<float>(
		dpr::tensordot(m, m, dpr::axes(1), dpr::axes(-1)),
		{ 5, 14, 14, 50 }));
	ck_assert(has<float>(dpr::einsum("ij,kj->ik", { m, m + 0 }),
			     { 5, 14, 14, 50 }));
	ck_assert(has<float>(dpr::kron(m[0], m[0]),
			     { 0, 0, 0, 0, 1, 2, 0, 2, 4 }));
	ck_assert(has<float>(dpr::multi_dot({ m, dpr::matrix_transpose(m) }),
			     { 5, 14, 14, 50 }));
	ck_assert(has<float>(dpr::matrix_power(dpr::ones({ 2, 2 }, DPR_FLOAT32,
							  queue),
					       3),
			     { 4, 4, 4, 4 }));
	CHECK_THROWS(DPR_ERROR_SHAPE, dpr::einsum("ij,jk", { m, m }));
	ck_assert(has<float>(dpr::vector_norm(m, 0, 1), { 3, 5, 7 }));
	ck_assert(dpr::vector_norm(m, dpr::all_kept, INFINITY).rank() == 2);
	ck_assert(dpr::vector_norm(x[3]).item() == 3);
	ck_assert(dpr::trace(m, 1).item() == 6);
	ck_assert(has<float>(dpr::average(m, m, 0), { 3, 3.4F, 29.F / 7 }));
	ck_assert(dpr::average(x, x).item<float>() == 55.F / 15);
	ck_assert(has<float>(
		dpr::one_hot(dpr::astype(x, DPR_INT8), 2, DPR_FLOAT32)[1],
		{ 0, 1 }));
	ck_assert(has<float>(dpr::diff(m * m), { 1, 3, 7, 9 }));
	ck_assert(has<float>(dpr::diff(x, 0, 2, {}, x),
			     { 0, 0, 0, 0, -6, 6, 0, 0, 0, 0 }));
	const auto [quotient, remainder] = dpr::divmod(x, 4);
	ck_assert(has<float>(quotient, { 0, 0, 0, 0, 1, 1 }));
	ck_assert(has<float>(remainder, { 0, 1, 2, 3, 0, 1 }));
	ck_assert(
		has<float>(dpr::divmod(x, x + 1).second, { 0, 1, 2, 3, 4, 5 }));
	ck_assert(has<float>(dpr::modf(x / 2).first,
			     { 0, 0.5F, 0, 0.5F, 0, 0.5F }));
	ck_assert(has<int>(dpr::frexp(x).second, { 0, 1, 2, 2, 3, 3 }));
	ck_assert(dpr::namespace_info(queue.device(), "bool").n_dtypes == 1);
	CHECK_THROWS(DPR_ERROR_SHAPE, dpr::cross(x, x));
}
END_TEST

/* Whether there is a LAPACK. */
static bool has_lapack(const dpr::array &x)
{
	try {
		(void)dpr::inv(x);
	} catch (const dpr::error &e) {
		ck_assert(e.status() == DPR_ERROR_UNSUPPORTED);
		return false;
	}
	return true;
}

START_TEST(linear_algebra)
{
	const dpr::array x({ { 4.F, 0.F }, { 0.F, 1.F } }, the_queue());
	const dpr::array y({ 8.F, 3.F }, the_queue());

	CHECK_THROWS(DPR_ERROR_SHAPE, dpr::inv(y));
	ck_assert(dpr::matrix_norm(x, DPR_NORM_1).item() == 4);
	ck_assert(dpr::matrix_norm(x, DPR_NORM_FRO, true).rank() == 2);
	if (!has_lapack(x))
		return;
	ck_assert(has<float>(dpr::cholesky(x), { 2, 0, 0, 1 }));
	ck_assert(has<float>(dpr::solve(x, y), { 2, 3 }));
	ck_assert(has<float>(dpr::solve_triangular(x, y, true), { 2, 3 }));
	ck_assert(has<float>(dpr::inv(x), { 0.25F, 0, 0, 1 }));
	ck_assert(has<float>(dpr::matrix_power(x, -2), { 0.0625F, 0, 0, 1 }));
	ck_assert(dpr::det(x * 2).item() == 16);
	ck_assert(dpr::slogdet(x).sign.item() == 1);
	const auto [p, l, u] = dpr::lu(x);

	ck_assert(has<float>(dpr::matmul(p, l), { 1, 0, 0, 1 }));
	ck_assert(has<float>(u, { 4, 0, 0, 1 }));
	const auto [q, r] = dpr::qr(x);

	ck_assert(has<float>(abs(dpr::matmul(q, r)), { 4, 0, 0, 1 }));
	const auto [w, v] = dpr::eigh(x);

	ck_assert(has<float>(w, { 1, 4 }));
	ck_assert(has<float>(abs(v), { 0, 1, 1, 0 }));
	ck_assert(has<float>(dpr::eigvalsh(x, true), { 1, 4 }));
	ck_assert(dpr::eig(x).eigenvectors.dtype() == DPR_COMPLEX64);
	ck_assert(dpr::eigvals(x).size() == 2);
	ck_assert(has<float>(dpr::svd(x).s, { 4, 1 }));
	ck_assert(has<float>(dpr::svdvals(x), { 4, 1 }));
	ck_assert(dpr::matrix_rank(x).item() == 2);
	ck_assert(dpr::matrix_rank(x, 0.5).item() == 1);
	ck_assert(dpr::matrix_rank(x, dpr::array(max(x) / 8)).item() == 1);
	ck_assert(has<float>(dpr::pinv(x, 0.5), { 0.25F, 0, 0, 0 }));
	ck_assert(dpr::cond(x).item() == 4);
	ck_assert(has<float>(dpr::lstsq(x, y).solution, { 2, 3 }));
	CHECK_THROWS(DPR_ERROR_LINALG, dpr::inv(x - x));
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("cxx_arrays");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, lists);
	tcase_add_test(t, limits);
	tcase_add_test(t, containers);
	tcase_add_test(t, making);
	tcase_add_test(t, properties);
	tcase_add_test(t, numbers_of_shapes);
	tcase_add_test(t, addresses);
	tcase_add_test(t, views);
	tcase_add_test(t, assignment);
	tcase_add_test(t, elements);
	tcase_add_test(t, shapes);
	tcase_add_test(t, indexed);
	tcase_add_test(t, rearranged);
	tcase_add_test(t, text);
	tcase_add_test(t, places);
	tcase_add_test(t, into_existing);
	tcase_add_test(t, nothing);
	tcase_add_test(t, derived);
	tcase_add_test(t, linear_algebra);
	suite_add_tcase(s, t);
	return s;
}

int main()
{
	return run_cxx(suite);
}
