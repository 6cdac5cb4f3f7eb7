/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_bits.c - signbit(), copysign(), nextafter() and nan_to_num() of all
 * floats: the bits of each result, also of zeros, subnormal numbers, infinities
 * and NaNs with a payload.
 *
 * DPR_TEST_DEVICES is a selector (default: host,opencl).
 */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define KINDS 10
#define N (2 * KINDS) /* numbers, with both signs */
#define ALL (N * N)

/* A dtype of floats: the bits of its mantissa, and those of 2.5. */
static const struct format {
	dpr_dtype dtype;
	int mantissa;
	uint64_t number;
} formats[] = {
	{ DPR_FLOAT16, 10, UINT64_C(0x4100) },
	{ DPR_BFLOAT16, 7, UINT64_C(0x4020) },
	{ DPR_FLOAT32, 23, UINT64_C(0x40200000) },
	{ DPR_FLOAT64, 52, UINT64_C(0x4004000000000000) },
};
#define FORMATS (int)(sizeof(formats) / sizeof(formats[0]))

static const struct format *format;
static uint64_t some[N]; /* the bits of the numbers */
/* Arrays of N x N: x has the same number in each row, y in each column. */
static dpr_array *x, *y;

/* --- Numbers ---------------------------------------------------------------
 */

static size_t size_of(void)
{
	return dpr_dtype_size(format->dtype);
}

static uint64_t sign_bit(void)
{
	return UINT64_C(1) << (size_of() * 8 - 1);
}

static bool is_negative(uint64_t bits)
{
	return bits & sign_bit();
}

static uint64_t infinity(void)
{
	return sign_bit() - (UINT64_C(1) << format->mantissa);
}

static bool is_nan(uint64_t bits)
{
	return (bits & ~sign_bit()) > infinity();
}

static uint64_t with_sign(uint64_t bits, uint64_t sign)
{
	return (bits & ~sign_bit()) | (sign & sign_bit());
}

static void make_numbers(void)
{
	const uint64_t one = UINT64_C(1) << format->mantissa;
	const uint64_t endless = infinity(), quiet = one / 2;
	const uint64_t positive[KINDS] = {
		0,
		1,       /* the smallest subnormal number */
		one - 1, /* the largest one */
		one,     /* the smallest normal number */
		format->number,
		endless - 1, /* the largest number */
		endless,
		endless | 1, /* a signalling NaN */
		endless | quiet,
		endless | quiet | 5,
	};

	for (int i = 0; i < N; i++)
		some[i] = with_sign(positive[i / 2], i % 2 ? sign_bit() : 0);
}

/* An array of some of the bits. */
static dpr_array *floats(const uint64_t *bits, dpr_shape shape)
{
	unsigned char bytes[ALL * 8];
	dpr_array *made;
	int64_t n = 1;

	for (int d = 0; d < shape.rank; d++)
		n *= shape.dim[d];
	for (int64_t i = 0; i < n; i++)
		memcpy(bytes + (size_t)i * size_of(), &bits[i], size_of());
	CHECK_OK(dpr_array_from_memory(bytes, shape, NULL, format->dtype,
				       test_queue, &made));
	return made;
}

static void start(int at)
{
	uint64_t rows[ALL], columns[ALL];

	format = &formats[at];
	make_numbers();
	for (int i = 0; i < ALL; i++) {
		rows[i] = some[i / N];
		columns[i] = some[i % N];
	}
	x = floats(rows, DPR_SHAPE(N, N));
	y = floats(columns, DPR_SHAPE(N, N));
}

static void finish(void)
{
	dpr_array_release(x);
	dpr_array_release(y);
}

/* --- Results ---------------------------------------------------------------
 */

/* The bits of the result for the numbers @a of x and @b of y. */
typedef uint64_t expected(uint64_t a, uint64_t b);

static uint64_t copied(uint64_t a, uint64_t b)
{
	return with_sign(a, b);
}

static uint64_t copied_back(uint64_t a, uint64_t b)
{
	return with_sign(b, a);
}

/* Stands for a NaN of any sign and payload. */
#define ANY_NAN UINT64_MAX

/* The place of a number in their order; both zeros have the place 0. */
static int64_t place(uint64_t bits)
{
	const int64_t size = (int64_t)(bits & ~sign_bit());

	return is_negative(bits) ? -size : size;
}

static uint64_t neighbour(uint64_t a, uint64_t b)
{
	if (is_nan(a) || is_nan(b))
		return ANY_NAN;
	if (place(a) == place(b))
		return b;
	if (place(a) == 0)
		return with_sign(1, b);
	return (place(a) < place(b)) == is_negative(a) ? a - 1 : a + 1;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	(void)b;
	return neighbour(a, infinity());
}

static uint64_t neighbour_of_number(uint64_t a, uint64_t b)
{
	(void)b;
	return neighbour(format->number, a);
}

static uint64_t finite_x(uint64_t a, uint64_t b)
{
	(void)b;
	if (is_nan(a))
		return 0;
	return (a & ~sign_bit()) == infinity() ? a - 1 : a;
}

static uint64_t sign_of_x(uint64_t a, uint64_t b)
{
	(void)b;
	return is_negative(a);
}

static uint64_t same_x(uint64_t a, uint64_t b)
{
	(void)b;
	return a;
}

static uint64_t signs_differ(uint64_t a, uint64_t b)
{
	return is_negative(a) != is_negative(b);
}

static uint64_t not_negative(uint64_t a, uint64_t b)
{
	(void)a;
	return !is_negative(b);
}

static uint64_t negative_x(uint64_t a, uint64_t b)
{
	(void)b;
	return a | sign_bit();
}

static uint64_t number(uint64_t a, uint64_t b)
{
	(void)b;
	return with_sign(format->number, a);
}

static uint64_t chosen(uint64_t a, uint64_t b)
{
	return is_negative(b) ? a | sign_bit() : b;
}

/* Compare element i, j of @out with @value of numbers i and j, or with @back of
   the numbers from the last one on.  Releases @out. */
static void check_in(dpr_array *out, expected *value, bool back,
		     const char *what)
{
	const size_t size = dpr_array_itemsize(out);
	unsigned char bytes[ALL * 8];

	ck_assert_int_eq(dpr_array_size(out), ALL);
	CHECK_OK(dpr_array_to_memory(out, bytes, sizeof(bytes), NULL));
	for (int i = 0; i < ALL; i++) {
		const int r = back ? N - 1 - i / N : i / N;
		const int c = back ? N - 1 - i % N : i % N;
		const uint64_t want = value(some[r], some[c]);
		uint64_t have = 0;

		memcpy(&have, bytes + (size_t)i * size, size);
		if (want == ANY_NAN && is_nan(have))
			continue;
		ck_assert_msg(have == want, "%s of %s %#llx, %#llx: %#llx",
			      what, dpr_dtype_name(format->dtype),
			      (unsigned long long)some[r],
			      (unsigned long long)some[c],
			      (unsigned long long)have);
	}
	dpr_array_release(out);
}

static void check(dpr_array *out, expected *value, const char *what)
{
	check_in(out, value, false, what);
}

/* --- Tests -----------------------------------------------------------------
 */

START_TEST(functions)
{
	dpr_array *row, *column, *out;

	start(_i);
	CHECK_OK(dpr_signbit(x, &out));
	ck_assert_int_eq(dpr_array_dtype(out), DPR_BOOL);
	check(out, sign_of_x, "signbit");
	CHECK_OK(dpr_copysign(x, y, &out));
	ck_assert_int_eq(dpr_array_dtype(out), format->dtype);
	check(out, copied, "copysign");
	CHECK_OK(dpr_copysign(x, -1, &out));
	check(out, negative_x, "copysign of a number");
	CHECK_OK(dpr_copysign(2.5, x, &out));
	check(out, number, "copysign to a number");
	CHECK_OK(dpr_nextafter(x, y, &out));
	ck_assert_int_eq(dpr_array_dtype(out), format->dtype);
	check(out, neighbour, "nextafter");
	CHECK_OK(dpr_nextafter(x, INFINITY, &out));
	check(out, above, "nextafter towards a number");
	CHECK_OK(dpr_nextafter(2.5, x, &out));
	check(out, neighbour_of_number, "nextafter of a number");
	CHECK_OK(dpr_nan_to_num(x, &out));
	ck_assert_int_eq(dpr_array_dtype(out), format->dtype);
	check(out, finite_x, "nan_to_num");
	row = floats(some, DPR_SHAPE(N));
	column = floats(some, DPR_SHAPE(N, 1));
	CHECK_OK(dpr_nextafter(column, row, &out));
	check(out, neighbour, "broadcast nextafter");
	CHECK_OK(dpr_copysign(column, row, &out));
	check(out, copied, "broadcast copysign");
	CHECK_OK(dpr_copy(x, &out));
	CHECK_OK(dpr_nextafter_into(out, y, out));
	check(out, neighbour, "nextafter_into");
	CHECK_OK(dpr_copysign_into(x, y, x));
	check(dpr_array_retain(x), copied, "copysign_into");
	dpr_array_release(row);
	dpr_array_release(column);
	finish();
}
END_TEST

START_TEST(views)
{
	const dpr_index back = DPR_SLICE(DPR_OPEN, DPR_OPEN, -1);
	dpr_array *from, *to, *out;

	start(_i);
	CHECK_OK(dpr_array_view(x, &from, back, back));
	CHECK_OK(dpr_array_view(y, &to, back, back));
	CHECK_OK(dpr_copysign(from, to, &out));
	check_in(out, copied, true, "copysign of views");
	CHECK_OK(dpr_signbit(from, &out));
	check_in(out, sign_of_x, true, "signbit of a view");
	dpr_array_release(from);
	/* The transposed x has the numbers of y. */
	CHECK_OK(dpr_matrix_transpose(x, &from));
	CHECK_OK(dpr_copysign(from, x, &out));
	check(out, copied_back, "transposed copysign");
	dpr_array_release(from);
	dpr_array_release(to);
	finish();
}
END_TEST

static const struct {
	const char *text;
	expected *value;
} texts[] = {
	{ "copysign(copysign(x, y), x)", same_x },
	{ "where(signbit(y), copysign(x, y), y)", chosen },
	{ "copysign(where(signbit(x), x, x), where(y == 0, y, y))", copied },
	{ "signbit(x) != signbit(copysign(x, y))", signs_differ },
	{ "nextafter(x, nextafter(y, y))", neighbour },
	{ "nan_to_num(copysign(x, where(y == 0, x, x)))", finite_x },
	{ "signbit(-copysign(2.5, y) * 2) | (x != x) & (x == x)",
	  not_negative },
	{ "copysign(y, max(copysign(1.0, x), axis=1, keepdims=True))",
	  copied_back },
	{ "copysign(x, max(copysign(1.0, y), axis=0, keepdims=True))", copied },
};

START_TEST(expressions)
{
	start(_i);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		dpr_array *out;

		if (leaves_out((int)i + _i, 2))
			continue;
		CHECK_OK(dpr_evaluate(texts[i].text, NULL, &out, "x", x, "y",
				      y));
		check(out, texts[i].value, texts[i].text);
	}
	finish();
}
END_TEST

/* Two results of one kernel, and a reduction of bits. */
START_TEST(results)
{
	dpr_array *out[2], *sum;
	dpr_expression *e;
	int64_t counts[N];

	start(_i);
	const dpr_binding bindings[] = { { "x", DPR_OPERAND(x) },
					 { "y", DPR_OPERAND(y) } };

	CHECK_OK(dpr_expression_create("copysign(x, y), signbit(x)", &e));
	CHECK_OK(dpr_expression_apply(e, bindings, 2, NULL, out, 2));
	dpr_expression_release(e);
	check(out[0], copied, "the first result");
	check(out[1], sign_of_x, "the second result");
	CHECK_OK(dpr_evaluate("sum(where(signbit(x), 2, 0) +"
			      " where(signbit(y), 1, 0), axis=1)",
			      NULL, &sum, "x", x, "y", y));
	CHECK_OK(dpr_array_to_memory(sum, counts, sizeof(counts), NULL));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(counts[i], KINDS + i % 2 * 2 * N);
	dpr_array_release(sum);
	finish();
}
END_TEST

START_TEST(shapes)
{
	dpr_array *one, *none, *out;
	uint64_t have = 0;

	start(_i);
	one = floats(&some[1], DPR_SCALAR_SHAPE);
	CHECK_OK(dpr_copysign(2.5, one, &out));
	ck_assert_int_eq(dpr_array_rank(out), 0);
	CHECK_OK(dpr_array_to_memory(out, &have, sizeof(have), NULL));
	ck_assert(have == with_sign(format->number, some[1]));
	dpr_array_release(out);
	CHECK_OK(dpr_empty(DPR_SHAPE(0, 1), format->dtype, test_queue, &none));
	CHECK_OK(dpr_copysign(none, one, &out));
	ck_assert_int_eq(dpr_array_size(out), 0);
	dpr_array_release(out);
	CHECK_OK(dpr_signbit(none, &out));
	ck_assert_int_eq(dpr_array_size(out), 0);
	dpr_array_release(out);
	dpr_array_release(none);
	dpr_array_release(one);
	finish();
}
END_TEST

/* signbit() takes integers and bool as they are.  copysign() first casts them
   to the default float. */
START_TEST(other_dtypes)
{
	static const dpr_dtype dtypes[] = { DPR_INT8, DPR_INT64, DPR_UINT16,
					    DPR_BOOL };

	for (int i = 0; i < 4; i++) {
		const bool is_signed = i < 2;
		unsigned char signs[4];
		dpr_array *whole, *cast, *out;

		CHECK_OK(dpr_arange(is_signed ? -2 : 0, is_signed ? 2 : 4, 1,
				    DPR_INT64, test_queue, &whole));
		CHECK_OK(dpr_astype(whole, dtypes[i], &cast));
		CHECK_OK(dpr_signbit(cast, &out));
		CHECK_OK(dpr_array_to_memory(out, signs, sizeof(signs), NULL));
		for (int k = 0; k < 4; k++)
			ck_assert_int_eq(signs[k], is_signed && k < 2);
		dpr_array_release(out);
		CHECK_OK(dpr_copysign(cast, -0.0, &out));
		ck_assert_int_eq(dpr_array_dtype(out),
				 dpr_dtype_default(test_device, 'f'));
		dpr_array_release(out);
		dpr_array_release(cast);
		dpr_array_release(whole);
	}
}
END_TEST

START_TEST(complex_numbers_are_refused)
{
	dpr_array *z, *out;

	CHECK_OK(dpr_zeros(DPR_SHAPE(2), DPR_COMPLEX64, test_queue, &z));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_signbit(z, &out));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_copysign(z, 1, &out));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_nextafter(z, 1, &out));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_nan_to_num(z, &out));
	dpr_array_release(z);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("bits");

	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, functions, 0, FORMATS);
	tcase_add_loop_test(t, views, 0, FORMATS);
	tcase_add_loop_test(t, expressions, 0, FORMATS);
	tcase_add_loop_test(t, results, 0, FORMATS);
	tcase_add_loop_test(t, shapes, 0, FORMATS);
	tcase_add_test(t, other_dtypes);
	tcase_add_test(t, complex_numbers_are_refused);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	const char *devices = getenv("DPR_TEST_DEVICES");

	return run_on_selected(suite, devices ? devices : "host,opencl");
}
