/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_operands.c - functions whose operands have another dtype than the result:
 * complex().
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
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	const char *devices = getenv("DPR_TEST_DEVICES");

	return run_on_selected(suite, devices ? devices : "host,opencl");
}
