// SPDX-License-Identifier: Apache-2.0
// api_cxx_expressions.cc - expressions of dpr.hpp: what operators and functions
// mean, that a kernel computes several steps, and what an expression that was
// not computed yet holds.
#include <sstream>
#include <thread>

#include "tests/cplusplus/cxx_test.h"

using floats = std::vector<float>;
using ints = std::vector<int>;
using bytes = std::vector<unsigned char>;

#define CHECK_TEXT(e, expected) \
	ck_assert_msg((e).text() == (expected), "%s", (e).text().c_str())

// The elements of an array of bool, as 0 and 1.
static bytes truth(const dpr::array &x)
{
	return dpr::astype(x, DPR_UINT8).to_vector<unsigned char>();
}

// Whether two arrays have the same dtype, shape and text.
static bool same(const dpr::array &a, const dpr::array &b)
{
	return a.dtype() == b.dtype() && a.shape() == b.shape() &&
	       a.to_string() == b.to_string();
}

START_TEST(operators)
{
	const dpr::array x({ 6, 7, -8 }, the_queue());
	const dpr::array y({ 4, -2, 3 }, the_queue());

	ck_assert(has<int>(x + y, { 10, 5, -5 }));
	ck_assert(has<int>(x - y, { 2, 9, -11 }));
	ck_assert(has<int>(x * y, { 24, -14, -24 }));
	ck_assert((x / y).evaluate()[0].item() == 1.5);
	ck_assert(has<int>(x % y, { 2, -1, 1 }));
	ck_assert(has<int>(x & y, { 6 & 4, 7 & -2, -8 & 3 }));
	ck_assert(has<int>(x | y, { 6 | 4, 7 | -2, -8 | 3 }));
	ck_assert(has<int>(x ^ y, { 6 ^ 4, 7 ^ -2, -8 ^ 3 }));
	ck_assert(has<int>(x << y, { 96, 0, -64 }));
	ck_assert(has<int>(x >> y, { 0, 0, -1 }));
	ck_assert(has<int>(1 << (x & 3), { 4, 8, 1 }));
	ck_assert(has<int>(-x, { -6, -7, 8 }));
	ck_assert(has<int>(+x, { 6, 7, -8 }));
	ck_assert(has<int>(~x, { ~6, ~7, ~-8 }));
	ck_assert(truth(x == 7) == (bytes{ 0, 1, 0 }));
	ck_assert(truth(x != 7) == (bytes{ 1, 0, 1 }));
	ck_assert(truth(x < 6) == (bytes{ 0, 0, 1 }));
	ck_assert(truth(x <= 6) == (bytes{ 1, 0, 1 }));
	ck_assert(truth(6 < x) == (bytes{ 0, 1, 0 }));
	ck_assert(truth(x > y) == (bytes{ 1, 1, 0 }));
	ck_assert(truth(x >= y) == (bytes{ 1, 1, 0 }));
	ck_assert(has<int>(10 - x, { 4, 3, 18 }));
	ck_assert((x * 0.5).evaluate().dtype() ==
		  dpr_dtype_default(test_device, 'f'));
	ck_assert(has<int>(x + true, { 7, 8, -7 }));
	CHECK_THROWS(DPR_ERROR_SHAPE,
		     (x + dpr::array({ 1, 2 }, the_queue())).evaluate());
	CHECK_THROWS(DPR_ERROR_OVERFLOW, (x + 5000000000).evaluate());
}
END_TEST

// The text has the meaning of the C++ code, with few parentheses.
START_TEST(texts)
{
	const dpr::array a({ 2.0F, 3.0F }, the_queue());
	const dpr::array b({ 5.0F, 7.0F }, the_queue());

	CHECK_TEXT((a - (b - a)), "x0 - (x1 - x0)");
	CHECK_TEXT((a - b - a), "x0 - x1 - x0");
	CHECK_TEXT((a / (b * a)), "x0/(x1*x0)");
	CHECK_TEXT(((a + b) * 2), "(x0 + x1)*x2");
	CHECK_TEXT((-(a + b)), "-(x0 + x1)");
	CHECK_TEXT((-a * -(-b)), "-x0*--x1");
	CHECK_TEXT(((a < b) == (b < a)), "(x0 < x1) == (x1 < x0)");
	CHECK_TEXT((((a < b) & (b < a)) | (a == b)),
		   "(x0 < x1) & (x1 < x0) | (x0 == x1)");
	CHECK_TEXT(((a + 1) << (b & a)), "x0 + x1 << (x2 & x0)");
	CHECK_TEXT(((a >> 1) + (b << 2) == a), "(x0 >> x1) + (x2 << x3) == x0");
	CHECK_TEXT((-a >> 1), "-x0 >> x1");
	CHECK_TEXT(pow(a + b, 2), "pow(x0 + x1, x2)");
	CHECK_TEXT(sum(a * b, dpr::axes_kept(0, 1)),
		   "sum(x0*x1, axis=(x2, x3), keepdims=True)");
	CHECK_TEXT(max(a, dpr::all_kept), "max(x0, keepdims=True)");
	CHECK_TEXT(dpr::astype<int>(a + b), "astype(x0 + x1, int32)");
	CHECK_TEXT(where(a < b, a, 0), "where(x0 < x1, x0, x2)");
	ck_assert(has<float>(a - (b - a), { -1, -1 }));
	ck_assert(has<float>(a - b - a, { -5, -7 }));
	ck_assert(has<float>(-a * -(-b), { -10, -21 }));
	ck_assert(truth((a < b) == (b < a)) == (bytes{ 0, 0 }));
}
END_TEST

// The expression @e must give the array that the C function has made, or fail
// with its status.
template <class E>
static void check_call(const char *name, dpr_status status, dpr_array *made,
		       const E &e)
{
	const dpr::array expected = dpr::array::adopt(made);

	if (status) {
		CHECK_THROWS(status, e.evaluate());
		return;
	}
	ck_assert_msg(same(e, expected), "%s: %s is not %s", name,
		      e.to_string().c_str(), expected.to_string().c_str());
	dpr::array out = dpr::zeros_like(expected);

	e.into(out);
	ck_assert_msg(same(out, expected), "%s into an array", name);
}

// The text of a function must mean the function.
static void check_text(const char *text, dpr_status status, dpr_array *made,
		       const dpr_binding *bindings, size_t count)
{
	const dpr::array expected = dpr::array::share(made);
	dpr::array found;

	ck_assert_int_eq(
		dpr_evaluate_with(text, bindings, count, nullptr, found.put()),
		status);
	ck_assert_msg(status || same(found, expected), "%s", text);
}

// Every function that works element by element.
static void check_functions(const dpr::array &x, const dpr::array &y)
{
	const dpr_binding bindings[] = { { "x0", DPR_OPERAND(x.get()) },
					 { "x1", DPR_OPERAND(y.get()) },
					 { "x2", DPR_OPERAND(2) } };
	dpr_array *made;
	dpr_status status;

#define CALL(function, n)                                                      \
	status = STATUS_##n(function);                                         \
	check_text(VALUE_##n(function).text().c_str(), status, made, bindings, \
		   n);                                                         \
	check_call(#function, status, made, VALUE_##n(function));
#define STATUS_1(function) dpr_##function(x.get(), &made)
#define STATUS_2(function) dpr_##function(x.get(), y.get(), &made)
#define STATUS_3(function) dpr_##function(x.get(), y.get(), 2, &made)
#define VALUE_1(function) function(x)
#define VALUE_2(function) function(x, y)
#define VALUE_3(function) function(x, y, 2)
	DPR_ELEMENTWISE_MAP(CALL)
#undef CALL
}

START_TEST(functions)
{
	const dpr::array x({ 0.5F, 2.25F, 1.0F }, the_queue());
	const dpr::array y({ 1.5F, 0.25F, 2.0F }, the_queue());

	check_functions(x, y);
	if (!takes_few())
		check_functions(dpr::array({ 6, 7, 3 }, the_queue()),
				dpr::array({ 4, 2, 3 }, the_queue()));
}
END_TEST

// Every reduction, and the ways to name axes: alone, and in an expression of
// two steps.
static void check_reductions(const dpr::array &m)
{
	dpr_array *made;
	dpr_status status;

#define ALL(name)                                                    \
	status = dpr_##name(m.get(), DPR_AXES_KEPT(0), &made);       \
	check_call(#name, status, made, name(m, dpr::axes_kept(0))); \
	status = dpr_##name(m.get(), NULL, &made);                   \
	check_call(#name, status, made, name(m));
	DPR_REDUCTION_MAP(ALL)
#undef ALL
#define ALL_REDUCES(name, ...)                                              \
	status = dpr_##name(m.get(), DPR_AXES_KEPT(0), __VA_ARGS__ & made); \
	check_call(#name, status, made, dpr::name(m, dpr::axes_kept(0)));   \
	ALL_ALONG(name, __VA_ARGS__)
#define ALL_CHOOSES ALL_REDUCES
#define ALL_ALONG(name, ...)                                           \
	status = dpr_##name(m.get(), NULL, __VA_ARGS__ & made);        \
	check_call(#name, status, made, dpr::name(m));                 \
	status = dpr_##name(m.get(), DPR_AXES(1), __VA_ARGS__ & made); \
	check_call(#name, status, made, dpr::name(m + 0, 1));
#define ALL_CORRECTS(name, ...)                                              \
	ALL_REDUCES(name, 0, )                                               \
	status = dpr_##name(m.get(), DPR_AXES_KEPT(1), 1, &made);            \
	check_call(#name, status, made, dpr::name(m, dpr::axes_kept(1), 1)); \
	status = dpr_##name(m.get(), DPR_AXES(0), 0.5, &made);               \
	check_call(#name, status, made, dpr::name(m, 0, 0.5) + 0);
#define ALL(name, form) ALL_##form(name, )
	DPR_DERIVED_MAP(ALL)
#undef ALL
#undef ALL_CORRECTS
#undef ALL_CHOOSES
#undef ALL_ALONG
#undef ALL_REDUCES
#define SUM(c_axes, ...)                                        \
	status = dpr_sum(m.get(), c_axes, &made);               \
	check_call(#c_axes, status, made, sum(m, __VA_ARGS__)); \
	status = dpr_sum(m.get(), c_axes, &made);               \
	check_call(#c_axes, status, made, sum(m + 0, __VA_ARGS__));
	SUM(DPR_AXES(1), 1)
	SUM(DPR_AXES(-2), dpr::axes(-2))
	SUM(DPR_AXES(0, 1), dpr::axes(0, 1))
	SUM(DPR_AXES_KEPT(1, 0), dpr::axes_kept(1, 0))
	SUM(DPR_ALL_KEPT, dpr::all_kept)
	SUM(DPR_AXES(2), 2)
#undef SUM
}

START_TEST(reductions)
{
	check_reductions(dpr::array(
		{ { 0.5F, 2.25F, 1.0F }, { 4.0F, 5.0F, 0.0F } }, the_queue()));
}
END_TEST

START_TEST(other_functions)
{
	const dpr::array x({ 1.5F, -2.5F }, the_queue());
	const dpr::array m({ { 1, 2 }, { 3, 4 } }, the_queue());

	ck_assert(has<float>(where(x > 0, x, 0), { 1.5F, 0 }));
	ck_assert(has<float>(where((x > 0).evaluate(), 1, x), { 1, -2.5F }));
	ck_assert(has<int>(dpr::astype<int>(x), { 1, -2 }));
	ck_assert(has<int>(dpr::astype<int>(x + x), { 3, -5 }));
	ck_assert(has<std::int64_t>(dpr::index(1) * 10 + m, { 1, 12, 3, 14 }));
	ck_assert(has<std::int64_t>(dpr::index(0, m) + 1, { 1, 1, 2, 2 }));
	ck_assert(has<std::int64_t>(dpr::index(0, m), { 0, 0, 1, 1 }));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, dpr::index(0).evaluate());
	CHECK_THROWS(DPR_ERROR_DTYPE, where(x, x, 0).evaluate());
}
END_TEST

// What is used twice has a name, and operands that are the same are one: arrays
// by identity, numbers by their bits.  The text follows the operands, not the
// type.
START_TEST(shared_parts)
{
	const dpr::array x({ 2.0F, 3.0F }, the_queue());
	const dpr::array y({ 2.0F, 3.0F }, the_queue());
	const auto twice = [](const dpr::array &a, const dpr::array &b,
			      float k) { return (a + k) * (b + 2.0F); };
	const auto d = x - mean(x), e = y - mean(x);

	CHECK_TEXT(twice(x, x, 2.0F), "p0 = x0 + x1; p0*p0");
	CHECK_TEXT(twice(x, x, 3.0F), "(x0 + x1)*(x0 + x2)");
	CHECK_TEXT(twice(x, y, 2.0F), "(x0 + x1)*(x2 + x1)");
	ck_assert(has<float>(twice(x, x, 2.0F), { 16, 25 }));
	ck_assert(has<float>(twice(x, x, 3.0F), { 20, 30 }));
	ck_assert(has<float>(twice(x, y, 2.0F), { 16, 25 }));
	ck_assert(has<float>(twice(x, x, 2.0F), { 16, 25 }));
	CHECK_TEXT(sum(d * d) / sum(e * d),
		   "p0 = mean(x0); p1 = x0 - p0; sum(p1*p1)/sum((x1 - p0)*p1)");
	CHECK_TEXT(x * 0.0F + -0.0F, "x0*x1 + x2");
	CHECK_TEXT(sum(x * 0, 0), "sum(x0*x1, axis=x1)");
	CHECK_TEXT(sum(x, 0) + max(x, 0),
		   "sum(x0, axis=x1) + max(x0, axis=x1)");
}
END_TEST

// More ways in which operands of one type are the same than are kept.
START_TEST(many_ways)
{
	const dpr::array x({ 1.0F }, the_queue());

	for (unsigned i = 0; i < 128; i++) {
		float k[8];
		float expected = 1;

		for (unsigned j = 0; j < 8; j++) {
			k[j] = i >> j & 1 ? 1.0F : static_cast<float>(j + 2);
			expected += k[j];
		}
		ck_assert((x + k[0] + k[1] + k[2] + k[3] + k[4] + k[5] + k[6] +
			   k[7])
				  .item<float>() == expected);
	}
}
END_TEST

// Several steps are one kernel, and nothing is stored between them.
START_TEST(fused)
{
	const dpr::array x = dpr::ones({ 1000 }, DPR_FLOAT32, the_queue());
	const dpr::array y = dpr::ones({ 1000 }, DPR_FLOAT32, the_queue());
	const auto e = sqrt(x * x + y * y) - 2.5 / (x + y);
	const std::string plan = e.explain();

	ck_assert_msg(plan.find("1 launch, 0 bytes in between") !=
			      std::string::npos,
		      "%s", plan.c_str());
	ck_assert(e.evaluate()[7].item<float>() == std::sqrt(2.0F) - 1.25F);
}
END_TEST

// An expression has the elements of the time when it is computed, of the arrays
// that it was made of, and numbers of the time when it was made.
START_TEST(not_computed)
{
	dpr::array x({ 1, 2 }, the_queue()), y({ 10, 20 }, the_queue());
	int k = 1;
	const auto e = x + y;
	const auto scaled = x * k;
	const dpr::array at_once = x + y;

	x(dpr::ellipsis) = 5;
	k = 3;
	ck_assert(has<int>(e, { 15, 25 }));
	ck_assert(has<int>(scaled, { 5, 5 }));
	ck_assert(has<int>(at_once, { 11, 22 }));
	x = y;
	ck_assert(has<int>(e, { 15, 25 }));
	y[0] = 0;
	ck_assert(has<int>(e, { 5, 25 }));
	ck_assert(has<int>(e, { 5, 25 }));
}
END_TEST

// An expression keeps its arrays, temporary ones too.
START_TEST(retained)
{
	const auto make = [] {
		const dpr::array x({ 1, 2, 3 }, the_queue());

		return sum(
			(x(dpr::slice(1)) + dpr::array({ 10, 20 }, x.queue())) *
			x(dpr::slice(0, 2)));
	};
	const auto e = make(), copy = e;

	ck_assert_int_eq(e.item<std::int64_t>(), 12 + 46);
	ck_assert_int_eq(copy.item<std::int64_t>(), 12 + 46);
}
END_TEST

START_TEST(into_arrays)
{
	const dpr::array x({ 1.5F, 2.5F }, the_queue());
	dpr::array out({ 0.0F, 0.0F }, the_queue()), shared = out;
	dpr::array i({ 1, 2 }, the_queue());

	(x + x).into(out);
	ck_assert(has<float>(shared, { 3, 5 }));
	(x * x + x).into(out);
	ck_assert(has<float>(shared, { 3.75F, 8.75F }));
	(out * 2 + out).into(out);
	ck_assert(has<float>(shared, { 11.25F, 26.25F }));
	out += x;
	out -= 1;
	out *= x + 1;
	ck_assert(has<float>(shared, { 29.375F, 97.125F }));
	out /= 2;
	out(dpr::slice(1)) += 10;
	out[0] -= 0.6875F;
	ck_assert(has<float>(shared, { 14, 58.5625F }));
	i %= 2;
	i |= 4;
	i &= 6;
	i ^= 1;
	i <<= 3;
	ck_assert(has<int>(i, { 40, 40 }));
	i >>= 3;
	ck_assert(has<int>(i, { 5, 5 }));
	CHECK_THROWS(DPR_ERROR_DTYPE, i += x);
	CHECK_THROWS(DPR_ERROR_DTYPE, (x + x).into(i));
	CHECK_THROWS(DPR_ERROR_SHAPE, (x * x + x).into(out[0]));
	ck_assert(has<int>(i, { 5, 5 }));
}
END_TEST

START_TEST(several_results)
{
	const dpr::array x({ 3, 4 }, the_queue()), y({ 1, 2 }, the_queue());
	const auto [a, b, c] = dpr::evaluate(x + y, x - y, sum(x * y));
	dpr::array p, q;

	ck_assert(has<int>(a, { 4, 6 }) && has<int>(b, { 2, 2 }));
	ck_assert_int_eq(c.item<int>(), 11);
	std::tie(p, q) = dpr::evaluate(y * 2, y * 3);
	ck_assert(has<int>(p, { 2, 4 }) && has<int>(q, { 3, 6 }));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     dpr::evaluate(x + y, x + dpr::array()));
}
END_TEST

START_TEST(copied_out)
{
	const dpr::array x({ 1, 2 }, the_queue());
	std::ostringstream stream;
	std::array<int, 2> memory{};

	stream << x + 1 << ' ' << sum(x);
	ck_assert(stream.str() == "[2 3] 3");
	ck_assert((x + 1).to_string() == "[2 3]");
	ck_assert((x * 2 + 1).to_vector<int>() == (ints{ 3, 5 }));
	(x * 3).to_memory(memory);
	ck_assert(memory[0] == 3 && memory[1] == 6);
	(x * 4).to_memory(memory.data(), 2);
	ck_assert(memory[0] == 4 && memory[1] == 8);
	ck_assert_int_eq(sum(x + x).item<int>(), 6);
}
END_TEST

START_TEST(from_text)
{
	const dpr::array x({ 1.0F, 2.0F }, the_queue());
	const dpr::expression e("d = x - k; d, sum(d)"), one("x*x");
	const std::vector<dpr::array> both = e.all("x", x, "k", 0.5);

	ck_assert_uint_eq(e.result_count(), 2);
	ck_assert(has<float>(both.at(0), { 0.5F, 1.5F }));
	ck_assert(both.at(1).item() == 2.0);
	ck_assert(has<float>(one("x", x), { 1, 4 }));
	ck_assert(one.explain("x", x).find("multiply(x, x)") !=
		  std::string::npos);
	ck_assert(
		has<float>(dpr::evaluate("x + k*2", "x", x, "k", 1), { 3, 4 }));
	dpr::define("cxx_twice(a) = a + a");
	ck_assert(has<float>(dpr::evaluate("cxx_twice(x)", "x", x), { 2, 4 }));
	dpr::undefine("cxx_twice");
	CHECK_THROWS(DPR_ERROR_NOT_FOUND, dpr::undefine("cxx_twice"));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, dpr::expression("x +"));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, one("y", x));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, one());
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, e("x", x, "k", 1));
}
END_TEST

START_TEST(texts_into_arrays)
{
	const dpr::array x({ 1.0F, 2.0F }, the_queue());
	const dpr::array out = dpr::zeros({ 3 }, DPR_FLOAT32, the_queue());
	const dpr::expression one("x*k");

	one.into(out(dpr::slice(0, 2)), "x", x + 1, "k", 2);
	ck_assert(has<float>(out, { 4, 6, 0 }));
	dpr::evaluate_into("x - k", out(dpr::slice(1)), "x", x, "k", 3);
	ck_assert(has<float>(out, { 4, -2, -1 }));
	CHECK_THROWS(DPR_ERROR_SHAPE, one.into(out, "x", x, "k", 2));
	CHECK_THROWS(DPR_ERROR_SHAPE, dpr::evaluate_into("x", out, "x", x));
}
END_TEST

// Masks and initial numbers of reductions.
START_TEST(masks)
{
	const dpr::array x({ { 1, 2 }, { 3, 4 } }, the_queue());
	const dpr::array mask = x > 1;
	dpr_array *made;

	ck_assert(dpr::sum(x, dpr::axes().where(mask)).item() == 9);
	ck_assert(has<std::int64_t>(dpr::sum(x, dpr::axes(0).where(x > 1)),
				    { 3, 6 }));
	ck_assert(has<int>(dpr::max(x + 1, dpr::axes_kept(1).initial(4)),
			   { 4, 5 }));
	ck_assert(has<int>(dpr::min(x, dpr::axes(1).where(mask).initial(9)),
			   { 2, 3 }));
	ck_assert(dpr::sum(x, dpr::all_kept.where(mask)).rank() == 2);
	ck_assert(dpr::var(x, dpr::axes().where(x > 2)).item() == 0.25);
	ck_assert(dpr::var(x, dpr::axes().where(x > 2), 1).item() == 0.5);
	ck_assert(dpr::nansum(x, dpr::axes().where(mask)).item() == 9);
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     dpr::min(x, dpr::axes().where(mask)));
	CHECK_THROWS(DPR_ERROR_DTYPE, dpr::sum(x, dpr::axes().where(x)));
	// The same with dpr/reduce.h.
	ck_assert(!dpr_max(x.get(),
			   DPR_WHERE(mask.get(),
				     DPR_INITIAL(0, DPR_AXES_KEPT(0))),
			   &made));
	ck_assert(has<int>(dpr::array::adopt(made), { 3, 4 }));
	ck_assert(!dpr_sum(x.get(), DPR_WHERE(mask.get(), NULL), &made));
	ck_assert(dpr::array::adopt(made).item() == 9);
	// A condition has another side.
	for (const bool some : { true, false }) {
		ck_assert(!dpr_sum(x.get(),
				   some ? DPR_WHERE(mask.get(), NULL) : NULL,
				   &made));
		ck_assert(dpr::array::adopt(made).item() ==
			  (some ? 9 : dpr::sum(x).item()));
	}
}
END_TEST

// What the head of the header says to write, of an array and an expression.
START_TEST(written_instead)
{
	const dpr::array x({ { 1, 2 }, { 3, 4 } }, the_queue());
	const auto e = x + 1;
	const double d = sum(x).item<double>();

	ck_assert(dpr::astype(x, DPR_FLOAT32).dtype() == DPR_FLOAT32);
	ck_assert(dpr::astype(e, DPR_FLOAT32).dtype() == DPR_FLOAT32);
	ck_assert(dpr::astype<float>(x).evaluate().dtype() == DPR_FLOAT32);
	ck_assert(dpr::astype<float>(e).evaluate().dtype() == DPR_FLOAT32);
	ck_assert(sum(x, dpr::axes(0, 1)).item() == 10);
	ck_assert(d == 10);
	ck_assert(has<int>(e.evaluate()(dpr::slice(1))(0), { 4, 5 }));
}
END_TEST

// A text without arrays runs on the queue that the call gives.
START_TEST(texts_on_queues)
{
	const dpr::queue other(the_queue().device(), 0);
	const dpr::array x({ 1.0F, 2.0F }, the_queue());
	const dpr::expression one("zeros(n, dtype=float32) + 2"),
		two("ones(n, dtype=int32), arange(n, dtype=int32)");
	const dpr::array made =
		dpr::evaluate_on(other, "full(n, 3, dtype=int32)", "n", 2);

	ck_assert(has<int>(made, { 3, 3 }));
	ck_assert(made.queue() == other);
	ck_assert(has<float>(one.on(the_queue(), "n", 2), { 2, 2 }));
	ck_assert(has<int>(two.all_on(the_queue(), "n", 2).at(1), { 0, 1 }));
	ck_assert(one.explain_on(the_queue(), "n", 2).find("launch") !=
		  std::string::npos);
	ck_assert(has<float>(dpr::evaluate_on(dpr::queue(), "x + 1", "x", x),
			     { 2, 3 }));
	CHECK_THROWS(DPR_ERROR_EXECUTION_PLACEMENT,
		     dpr::evaluate_on(other, "x + 1", "x", x));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, one("n", 2));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     dpr::evaluate("full(n, 3, dtype=int32)", "n", 2));
}
END_TEST

START_TEST(result_types)
{
	const dpr::array x({ 1.0F, 2.0F }, the_queue());
	const dpr::array n({ 1, 2 }, the_queue());

	ck_assert_int_eq(dpr::result_type(n), DPR_INT32);
	ck_assert_int_eq(dpr::result_type(n, x), (n + x).evaluate().dtype());
	ck_assert_int_eq(dpr::result_type(x, 2), DPR_FLOAT32);
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, dpr::result_type(1, 2.5));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, dpr::result_type());
}
END_TEST

// An expression as a value for a text is computed first, and its array lives
// until the call returns.
START_TEST(values_for_texts)
{
	const dpr::array x({ 1.0F, 2.0F }, the_queue());
	const dpr::expression one("a*b + k");

	ck_assert(has<float>(dpr::evaluate("x + 1", "x", x + x), { 3, 5 }));
	ck_assert(has<float>(one("a", x * 2 + 1, "b", -x, "k", 0.5),
			     { -2.5F, -9.5F }));
	ck_assert(has<float>(one.all("a", x, "b", x + 1, "k", sum(x)).at(0),
			     { 5, 9 }));
	ck_assert(one.explain("a", x + 1, "b", x, "k", 1).find("launch") !=
		  std::string::npos);
}
END_TEST

// A number that is no int is not cut to the number of another axis.
START_TEST(axes_out_of_range)
{
	const dpr::array m({ { 1, 2 }, { 3, 4 } }, the_queue());
	const short last = -1;
	const long long large = 4294967296;

	ck_assert(has<std::int64_t>(sum(m, last), { 3, 7 }));
	ck_assert(has<std::int64_t>(sum(m, dpr::axes(std::size_t{ 0 })),
				    { 4, 6 }));
	CHECK_THROWS(DPR_ERROR_INDEX, sum(m, large).evaluate());
	CHECK_THROWS(DPR_ERROR_INDEX, sum(m, dpr::axes(large)).evaluate());
	CHECK_THROWS(DPR_ERROR_INDEX, sum(m, dpr::axes_kept(large)).evaluate());
	CHECK_THROWS(DPR_ERROR_INDEX, sum(m, UINT64_MAX).evaluate());
	CHECK_THROWS(DPR_ERROR_INDEX, (sum(m + 1, large) + 1).evaluate());
	CHECK_THROWS(DPR_ERROR_INDEX, (dpr::index(large) + m).evaluate());
}
END_TEST

// The first use of an expression's type, in several threads.
START_TEST(first_uses)
{
	const dpr::array x({ 3.0F, 4.0F }, the_queue());
	const auto e = maximum(x * x - x, x + 5) * 2 + dpr::index(0);
	std::vector<std::thread> threads;
	std::array<double, 4> found{};

	for (double &f : found)
		threads.emplace_back([&] { f = sum(e).item(); });
	for (std::thread &t : threads)
		t.join();
	for (const double f : found)
		ck_assert(f == 16 + 25);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("cxx_expressions");

	tcase_set_timeout(t, 600);
	tcase_add_test(t, operators);
	tcase_add_test(t, texts);
	tcase_add_test(t, functions);
	tcase_add_test(t, reductions);
	tcase_add_test(t, other_functions);
	tcase_add_test(t, shared_parts);
	tcase_add_test(t, many_ways);
	tcase_add_test(t, fused);
	tcase_add_test(t, not_computed);
	tcase_add_test(t, retained);
	tcase_add_test(t, into_arrays);
	tcase_add_test(t, several_results);
	tcase_add_test(t, copied_out);
	tcase_add_test(t, from_text);
	tcase_add_test(t, texts_into_arrays);
	tcase_add_test(t, masks);
	tcase_add_test(t, written_instead);
	tcase_add_test(t, texts_on_queues);
	tcase_add_test(t, result_types);
	tcase_add_test(t, values_for_texts);
	tcase_add_test(t, axes_out_of_range);
	tcase_add_test(t, first_uses);
	suite_add_tcase(s, t);
	return s;
}

int main()
{
	return run_cxx(suite);
}
