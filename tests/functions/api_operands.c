/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_operands.c - functions whose operands have another dtype than the result:
 * complex() and ldexp().
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* Numbers that floats of 16 bits have, too. */
static const double some[] = { 0,        -0.0, 1,   -2.5, 3,        96,
			       INFINITY, NAN,  0.5, -7,   -INFINITY };
static const double others[] = { -0.0, 0,   NAN, 1,         -1.5, 2,
				 8,    -96, 3,   -INFINITY, 0.25 };
enum { N = sizeof(some) / sizeof(some[0]) };

/* A row of @dtype with the numbers @from.  Integers are 0 where these are not
   finite. */
static dpr_array *row_of(const double *from, dpr_dtype dtype)
{
	const bool floats = dpr_dtype_kind(dtype) == 'f';
	float narrow[N];
	dpr_array *x, *out;

	for (int i = 0; i < N; i++)
		narrow[i] = floats || isfinite(from[i]) ? (float)from[i] : 0;
	CHECK_OK(dpr_array_from_memory(narrow, DPR_SHAPE(N), NULL, DPR_FLOAT32,
				       test_queue, &x));
	if (!floats) {
		CHECK_OK(dpr_astype(x, DPR_INT64, &out));
		dpr_array_release(x);
		x = out;
	}
	CHECK_OK(dpr_astype(x, dtype, &out));
	dpr_array_release(x);
	return out;
}

static void get(dpr_array *x, dpr_dtype dtype, void *out)
{
	dpr_array *cast;

	CHECK_OK(dpr_astype(x, dtype, &cast));
	CHECK_OK(dpr_array_to_memory(cast, out, dpr_array_nbytes(cast), NULL));
	dpr_array_release(cast);
}

static bool is_same(double got, double want)
{
	return isnan(want) ? isnan(got)
			   : got == want && !signbit(got) == !signbit(want);
}

static bool has(dpr_dtype dtype)
{
	return dpr_dtype_computes(test_device, dtype);
}

/* --- complex() ----------------------------------------------------------- */

/* Check and release @z: its parts are those of the arrays @re and @im, or the
   number @number where one is NULL. */
static void check_complex(dpr_array *z, dpr_array *re, dpr_array *im,
			  double number, dpr_dtype dtype)
{
	float _Complex got[N];
	float want[2][N];

	ck_assert_int_eq(dpr_array_dtype(z), dtype);
	ck_assert_int_eq(dpr_array_size(z), N);
	for (int i = 0; i < N; i++)
		want[0][i] = want[1][i] = (float)number;
	if (re)
		get(re, DPR_FLOAT32, want[0]);
	if (im)
		get(im, DPR_FLOAT32, want[1]);
	get(z, DPR_COMPLEX64, got);
	for (int i = 0; i < N; i++)
		ck_assert_msg(is_same(crealf(got[i]), want[0][i]) &&
				      is_same(cimagf(got[i]), want[1][i]),
			      "complex(%g, %g): %g, %g", (double)want[0][i],
			      (double)want[1][i], (double)crealf(got[i]),
			      (double)cimagf(got[i]));
	dpr_array_release(z);
}

static const struct {
	dpr_dtype x, y, z; /* 0: the default complex dtype */
} dtypes[] = {
	{ DPR_FLOAT32, DPR_FLOAT32, DPR_COMPLEX64 },
	{ DPR_FLOAT64, DPR_FLOAT64, DPR_COMPLEX128 },
	{ DPR_FLOAT16, DPR_FLOAT16, DPR_COMPLEX64 },
	{ DPR_BFLOAT16, DPR_BFLOAT16, DPR_COMPLEX64 },
	{ DPR_FLOAT16, DPR_BFLOAT16, DPR_COMPLEX64 },
	{ DPR_FLOAT64, DPR_FLOAT32, DPR_COMPLEX128 },
	{ DPR_FLOAT32, DPR_INT16, DPR_COMPLEX64 },
	{ DPR_INT8, DPR_INT64, DPR_DTYPE_DEFAULT },
	{ DPR_UINT32, DPR_UINT32, DPR_DTYPE_DEFAULT },
	{ DPR_BOOL, DPR_BOOL, DPR_DTYPE_DEFAULT },
};

START_TEST(parts_of_many_dtypes)
{
	const dpr_dtype fallback = dpr_dtype_default(test_device, 'c');
	const dpr_dtype dtype = dtypes[_i].z ? dtypes[_i].z : fallback;
	dpr_array *x, *y, *z;

	if (!has(dtypes[_i].x) || !has(dtypes[_i].y) || !has(dtype))
		return;
	x = row_of(some, dtypes[_i].x);
	y = row_of(others, dtypes[_i].y);
	CHECK_OK(dpr_complex(x, y, &z));
	check_complex(z, x, y, 0, dtype);
	CHECK_OK(dpr_zeros(DPR_SHAPE(N), dtype, test_queue, &z));
	CHECK_OK(dpr_complex_into(y, x, z));
	check_complex(z, y, x, 0, dtype);
	CHECK_OK(dpr_evaluate("complex(x, y)", NULL, &z, "x", x, "y", y));
	check_complex(z, x, y, 0, dtype);
	dpr_array_release(x);
	dpr_array_release(y);
}
END_TEST

START_TEST(numbers_as_parts)
{
	dpr_array *x = row_of(some, DPR_FLOAT32), *z;

	CHECK_OK(dpr_complex(x, -2.5, &z));
	check_complex(z, x, NULL, -2.5, DPR_COMPLEX64);
	CHECK_OK(dpr_complex(-0.0, x, &z));
	check_complex(z, NULL, x, -0.0, DPR_COMPLEX64);
	CHECK_OK(dpr_evaluate("complex(x, 7)", NULL, &z, "x", x));
	check_complex(z, x, NULL, 7, DPR_COMPLEX64);
	dpr_array_release(x);
}
END_TEST

START_TEST(views_and_shapes)
{
	const dpr_index back = DPR_SLICE(DPR_OPEN, DPR_OPEN, -1);
	dpr_array *x = row_of(some, DPR_FLOAT32), *reversed, *column, *z, *w;
	float _Complex got[N][N];

	CHECK_OK(dpr_array_view(x, &reversed, back));
	CHECK_OK(dpr_complex(reversed, x, &z));
	check_complex(z, reversed, x, 0, DPR_COMPLEX64);
	CHECK_OK(dpr_reshape(x, DPR_SHAPE(N, 1), &column));
	CHECK_OK(dpr_complex(column, x, &z));
	CHECK_OK(dpr_array_to_memory(z, got, sizeof(got), NULL));
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			ck_assert(is_same(crealf(got[i][k]), some[i]) &&
				  is_same(cimagf(got[i][k]), some[k]));
	dpr_array_release(column);
	dpr_array_release(z);
	/* In one kernel with its neighbours. */
	CHECK_OK(dpr_evaluate("real(conj(complex(y * 2, x)))", NULL, &z, "x", x,
			      "y", x));
	CHECK_OK(dpr_multiply(x, 2, &w));
	CHECK_OK(dpr_complex(z, w, &column));
	check_complex(column, w, z, 0, DPR_COMPLEX64);
	dpr_array_release(z);
	dpr_array_release(w);
	dpr_array_release(reversed);
	dpr_array_release(x);
}
END_TEST

START_TEST(complex_parts_are_refused)
{
	dpr_array *x = row_of(some, DPR_FLOAT32), *z, *out;

	CHECK_OK(dpr_complex(x, 1, &z));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_complex(x, z, &out));
	ck_assert_ptr_nonnull(
		strstr(dpr_last_error(), "complex: operand x2 is complex"));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_complex(z, x, &out));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "operand x1"));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    (dpr_complex)(dpr_operand_array(x),
				  dpr_operand_complex_parts(0, 1), &out));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "operand x2"));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_complex_into(x, x, x));
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		(dpr_complex)(dpr_operand_int(1), dpr_operand_int(2), &out));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    dpr_evaluate("complex(z, 1)", NULL, &out, "z", z));
	dpr_array_release(x);
	dpr_array_release(z);
}
END_TEST

/* --- ldexp() ------------------------------------------------------------- */

/* The properties of a float dtype: bits of the significand, the exponent of its
   smallest number, and its largest number. */
static const struct format {
	dpr_dtype dtype;
	int bits, least;
	double most;
} formats[] = {
	{ DPR_FLOAT32, 24, -149, 0x1.fffffep127 },
	{ DPR_FLOAT64, 53, -1074, 0x1.fffffffffffffp1023 },
	{ DPR_FLOAT16, 11, -24, 65504 },
	{ DPR_BFLOAT16, 8, -133, 0x1.fep127 },
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]), ROWS = 13, MOST = 24 };

/* Rows of x for a format. */
static void fill_rows(const struct format *f, double *x)
{
	const double least = ldexp(1, f->least), ulp = ldexp(1, 1 - f->bits);
	const double rows[ROWS] = {
		1,
		-1.5,
		1 + ulp,
		2 - ulp,
		0,
		-0.0,
		INFINITY,
		-INFINITY,
		NAN,
		f->most,
		least,
		-3 * least,
		(1 + 3 * ulp) * ldexp(1, f->least + f->bits - 1),
	};

	memcpy(x, rows, sizeof(rows));
}

/* @v rounded to the format, halves to even. */
static double rounded(const struct format *f, double v)
{
	int exponent;
	double unit;

	if (v == 0 || !isfinite(v) || f->dtype == DPR_FLOAT64)
		return v;
	frexp(v, &exponent);
	exponent -= f->bits;
	unit = ldexp(1, exponent < f->least ? f->least : exponent);
	v = rint(v / unit) * unit;
	return fabs(v) > f->most ? copysign(INFINITY, v) : v;
}

static const int64_t exponents[] = {
	0,     1,     2,      -1,        -2,        7,         -8,
	-24,   100,   127,    -128,      257,       -257,      259,
	-149,  -150,  1074,   -1075,     -2098,     2097,      3000,
	-3000, 70000, -70000, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN,
};

/* The exponents that @dtype has, as an array.  Returns how many there are. */
static int make_exponents(dpr_dtype dtype, int64_t *n, dpr_array **out)
{
	const size_t bits = 8 * dpr_dtype_size(dtype);
	const char kind = dpr_dtype_kind(dtype);
	dpr_array *whole;
	int count = 0;

	for (size_t i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++) {
		const int64_t e = exponents[i];
		const int64_t most =
			kind == 'b' ? 1
			: bits == 64
				? INT64_MAX
				: (INT64_C(1) << (bits - (kind == 'i'))) - 1;

		if (e <= most && e >= (kind == 'i' ? -most - 1 : 0) &&
		    count < MOST)
			n[count++] = e;
	}
	CHECK_OK(dpr_array_from_memory(n, DPR_SHAPE(count), NULL, DPR_INT64,
				       test_queue, &whole));
	CHECK_OK(dpr_astype(whole, dtype, out));
	dpr_array_release(whole);
	return count;
}

static dpr_array *make_column(const struct format *f, const double *x)
{
	float narrow[ROWS];
	dpr_array *column, *out;

	for (int i = 0; i < ROWS; i++)
		narrow[i] = (float)x[i];
	if (f->dtype == DPR_FLOAT64)
		CHECK_OK(dpr_array_from_memory(x, DPR_SHAPE(ROWS, 1), NULL,
					       DPR_FLOAT64, test_queue, &out));
	else
		CHECK_OK(dpr_array_from_memory(narrow, DPR_SHAPE(ROWS, 1), NULL,
					       DPR_FLOAT32, test_queue, &out));
	CHECK_OK(dpr_astype(out, f->dtype, &column));
	dpr_array_release(out);
	return column;
}

/* Check and release @y, an array of @f with ROWS rows of @count products. */
static void check_products(dpr_array *y, const struct format *f,
			   const double *x, const int64_t *n, int count,
			   const char *what)
{
	static double wide[ROWS * MOST];
	static float narrow[ROWS * MOST];
	const bool is_wide = f->dtype == DPR_FLOAT64;

	ck_assert_int_eq(dpr_array_dtype(y), f->dtype);
	ck_assert_int_eq(dpr_array_size(y), ROWS * count);
	get(y, is_wide ? DPR_FLOAT64 : DPR_FLOAT32,
	    is_wide ? (void *)wide : (void *)narrow);
	for (int i = 0; i < ROWS * count; i++) {
		const double from = x[i / count];
		const int64_t e = n[i % count];
		const double want =
			rounded(f, ldexp(from, e > 9000    ? 9000
					       : e < -9000 ? -9000
							   : (int)e));
		const double got = is_wide ? wide[i] : (double)narrow[i];

		ck_assert_msg(is_same(got, want), "%s %s: ldexp(%a, %lld): %a",
			      what, dpr_dtype_name(f->dtype), from,
			      (long long)e, got);
	}
	dpr_array_release(y);
}

static const dpr_dtype integers[] = {
	DPR_INT32, DPR_BOOL,   DPR_INT8,   DPR_INT16,  DPR_INT64,
	DPR_UINT8, DPR_UINT16, DPR_UINT32, DPR_UINT64,
};
enum { INTEGERS = sizeof(integers) / sizeof(integers[0]) };

START_TEST(products_with_powers)
{
	const struct format *f = &formats[_i / INTEGERS];
	const dpr_dtype dtype = integers[_i % INTEGERS];
	dpr_array *column, *powers, *y;
	int64_t n[MOST];
	double x[ROWS];
	int count;

	if (!has(f->dtype) || leaves_out(_i, 5))
		return;
	fill_rows(f, x);
	column = make_column(f, x);
	count = make_exponents(dtype, n, &powers);
	CHECK_OK(dpr_ldexp(column, powers, &y));
	check_products(y, f, x, n, count, dpr_dtype_name(dtype));
	CHECK_OK(dpr_zeros(DPR_SHAPE(ROWS, count), f->dtype, test_queue, &y));
	CHECK_OK(dpr_ldexp_into(column, powers, y));
	check_products(y, f, x, n, count, "ldexp_into");
	CHECK_OK(dpr_evaluate("ldexp(-x, n) * -1", NULL, &y, "x", column, "n",
			      powers));
	check_products(y, f, x, n, count, "in an expression");
	dpr_array_release(column);
	dpr_array_release(powers);
}
END_TEST

START_TEST(numbers_as_powers)
{
	static const int64_t n[] = { -3, 5 };
	dpr_array *column, *powers, *y;
	float got[2];
	double x[ROWS];

	fill_rows(&formats[0], x);
	column = make_column(&formats[0], x);
	/* Call twice: the second call finds the kernel that the first has
	   made. */
	for (int i = 0; i < 2; i++) {
		CHECK_OK(dpr_ldexp(column, n[i], &y));
		check_products(y, &formats[0], x, &n[i], 1, "a number");
		CHECK_FAILS(DPR_ERROR_DTYPE, dpr_ldexp(column, 2.5, &y));
	}
	CHECK_OK(dpr_array_from_memory(n, DPR_SHAPE(2), NULL, DPR_INT64,
				       test_queue, &powers));
	CHECK_OK(dpr_ldexp(1.25, powers, &y));
	ck_assert_int_eq(dpr_array_dtype(y),
			 dpr_dtype_default(test_device, 'f'));
	get(y, DPR_FLOAT32, got);
	ck_assert(got[0] == 0.15625f && got[1] == 40);
	dpr_array_release(y);
	CHECK_OK(dpr_ldexp(powers, powers, &y));
	ck_assert_int_eq(dpr_array_dtype(y),
			 dpr_dtype_default(test_device, 'f'));
	get(y, DPR_FLOAT32, got);
	ck_assert(got[0] == -0.375f && got[1] == 160);
	dpr_array_release(y);
	dpr_array_release(powers);
	dpr_array_release(column);
}
END_TEST

/* 1.5 times the smallest float16 is rounded to float16 also where the result
   goes into a wider array. */
START_TEST(results_are_rounded)
{
	dpr_array *x, *y;
	float got;

	CHECK_OK(dpr_full(DPR_SHAPE(1), 1.5, DPR_FLOAT16, test_queue, &x));
	CHECK_OK(dpr_zeros(DPR_SHAPE(1), DPR_FLOAT32, test_queue, &y));
	CHECK_OK(dpr_ldexp_into(x, -24, y));
	get(y, DPR_FLOAT32, &got);
	ck_assert(got == 0x1p-23f);
	dpr_array_release(x);
	dpr_array_release(y);
}
END_TEST

START_TEST(other_powers_are_refused)
{
	dpr_array *x = row_of(some, DPR_FLOAT32), *n, *z, *out;

	n = row_of(some, DPR_INT32);
	CHECK_OK(dpr_complex(x, 1, &z));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_ldexp(x, x, &out));
	ck_assert_ptr_nonnull(strstr(
		dpr_last_error(), "ldexp: operand x2 is of float32, and must "
				  "be an integer"));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_ldexp(n, z, &out));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "operand x2"));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_ldexp(z, n, &out));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "operand x1"));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_ldexp_into(x, n, n));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    dpr_evaluate("ldexp(x, 0.5)", NULL, &out, "x", x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    (dpr_ldexp)(dpr_operand_int(1), dpr_operand_int(2), &out));
	dpr_array_release(x);
	dpr_array_release(n);
	dpr_array_release(z);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("operands");

	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, parts_of_many_dtypes, 0,
			    sizeof(dtypes) / sizeof(dtypes[0]));
	tcase_add_test(t, numbers_as_parts);
	tcase_add_test(t, views_and_shapes);
	tcase_add_test(t, complex_parts_are_refused);
	tcase_add_loop_test(t, products_with_powers, 0, FORMATS * INTEGERS);
	tcase_add_test(t, numbers_as_powers);
	tcase_add_test(t, results_are_rounded);
	tcase_add_test(t, other_powers_are_refused);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	const char *devices = getenv("DPR_TEST_DEVICES");

	return run_on_selected(suite, devices ? devices : "host,opencl");
}
