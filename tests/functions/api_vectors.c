/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_vectors.c - products of vectors, norms, traces, averages, classes and
 * differences beside loops in C.
 */
#include <complex.h>

#include "tests/support/real_arrays.h"

/* --- Products ------------------------------------------------------------- */

/* x1 of shape (4, 1, 5) and x2 of shape (3, 5), along the last axis; and along
   the first of two axes. */
START_TEST(vector_products)
{
	const dpr_dtype dtype = dtypes[_i];
	const char kind = dpr_dtype_kind(dtype);
	const int parts = kind == 'c' ? 2 : 1;
	double v[20], w[20], want[24] = { 0 };
	dpr_array *x1, *x2, *y;

	if (!computes(dtype) || kind == 'b' || leaves_out(_i, 6))
		return;
	for (int i = 0; i < 20; i++) {
		v[i] = i * 7 % 13 - (kind == 'u' ? 0 : 4);
		w[i] = i * 5 % 7 - 2;
	}
	for (int i = 0; i < 60; i++) {
		const int a = i / 15 * 5 + i % 5, b = i / 5 % 3 * 5 + i % 5;
		const double complex p =
			parts == 1 ? v[a] * v[b]
				   : (v[a] - I * w[a]) * (v[b] + I * w[b]);

		want[i / 5 * parts] += creal(p);
		if (parts == 2)
			want[i / 5 * 2 + 1] += cimag(p);
	}
	x1 = complex_in(v, w, DPR_SHAPE(4, 1, 5), dtype);
	x2 = complex_in(v, w, DPR_SHAPE(3, 5), dtype);
	CHECK_OK(dpr_vecdot(x1, x2, -1, &y));
	ck_assert_int_eq(dpr_array_rank(y), 2);
	if (dpr_dtype_size(dtype) == 1)
		for (int i = 0; i < 12; i++)
			want[i] = kind == 'i' ? (int8_t)(int)want[i]
					      : (uint8_t)(int)want[i];
	expect_near(y, dtype, want, 12, parts, near_of(dtype), "vecdot");
	dpr_array_release(x1);
	dpr_array_release(x2);
}
END_TEST

/* Integers wrap in their dtype; 16-bit floats are summed in float32; two dtypes
   are promoted; a sum of nothing is 0. */
START_TEST(vector_products_of_dtypes)
{
	dpr_array *x, *y, *z, *many;

	x = array_in((double[]){ 100, 100, 3 }, DPR_SHAPE(3), DPR_INT8);
	CHECK_OK(dpr_vecdot(x, x, 0, &y));
	expect_near(y, DPR_INT8, (double[]){ (int8_t)(20009 % 256) }, 1, 1, 0,
		    "int8");
	z = array_in((double[]){ 0.5, 1, -2 }, DPR_SHAPE(3), DPR_FLOAT32);
	CHECK_OK(dpr_vecdot(x, z, -1, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ 144 }, 1, 1, 0, "promoted");
	dpr_array_release(z);
	dpr_array_release(x);
	x = array_in((double[]){ 0.5 }, DPR_SHAPE(1), DPR_FLOAT16);
	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(40000), &many));
	CHECK_OK(dpr_vecdot(many, many, -1, &y));
	expect_near(y, DPR_FLOAT16, (double[]){ 10000 }, 1, 1, 0, "float16");
	dpr_array_release(many);
	dpr_array_release(x);
	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 0), DPR_INT32, test_queue, &x));
	CHECK_OK(dpr_vecdot(x, x, -1, &y));
	expect_near(y, DPR_INT32, (double[]){ 0, 0 }, 2, 1, 0, "none");
	dpr_array_release(x);
}
END_TEST

START_TEST(outer_and_cross)
{
	const double v[] = { 1, 2, 3, 4, 5, 6 }, w[] = { 7, 1, 5 };
	double want[18], cross[6];
	dpr_array *x1, *x2, *m, *y;

	for (int i = 0; i < 18; i++)
		want[i] = v[i / 3] * w[i % 3];
	for (int i = 0; i < 6; i++) {
		const double *a = v + i / 3 * 3;
		const int j = (i % 3 + 1) % 3, k = (i % 3 + 2) % 3;

		cross[i] = a[j] * w[k] - a[k] * w[j];
	}
	x1 = array_in(v, DPR_SHAPE(6), DPR_INT16);
	x2 = array_in(w, DPR_SHAPE(3), DPR_FLOAT32);
	CHECK_OK(dpr_outer(x1, x2, &y));
	ck_assert_int_eq(dpr_array_rank(y), 2);
	ck_assert_int_eq(dpr_array_shape(y)[0], 6);
	expect_near(y, DPR_FLOAT32, want, 18, 1, 0, "outer");
	CHECK_OK(dpr_empty(DPR_SHAPE(6, 3), DPR_FLOAT32, test_queue, &y));
	CHECK_OK(dpr_outer_into(x1, x2, y));
	expect_near(y, DPR_FLOAT32, want, 18, 1, 0, "outer into");
	CHECK_OK(dpr_evaluate("outer(x + 0, y)", NULL, &y, "x", x1, "y", x2));
	expect_near(y, DPR_FLOAT32, want, 18, 1, 0, "outer, text");
	CHECK_OK(dpr_reshape(x1, DPR_SHAPE(2, 3), &m));
	CHECK_OK(dpr_cross(m, x2, -1, &y));
	expect_near(y, DPR_FLOAT32, cross, 6, 1, 0, "cross");
	CHECK_OK(dpr_cross(x2, m, -1, &y));
	for (int i = 0; i < 6; i++)
		cross[i] = -cross[i];
	expect_near(y, DPR_FLOAT32, cross, 6, 1, 0, "cross, turned");
	dpr_array_release(m);
	dpr_array_release(x1);
	CHECK_OK(dpr_zeros(DPR_SHAPE(0), DPR_FLOAT32, test_queue, &x1));
	CHECK_OK(dpr_outer(x1, x2, &y));
	ck_assert_int_eq(dpr_array_size(y), 0);
	ck_assert_int_eq(dpr_array_shape(y)[1], 3);
	dpr_array_release(y);
	dpr_array_release(x1);
	dpr_array_release(x2);
}
END_TEST

/* --- Norms ---------------------------------------------------------------- */

static const double orders[] = { 2,   INFINITY, -INFINITY, 0,  1,   3,
				 0.5, 2.5,      -1,        -2, -2.5 };
#define ORDERS ((int)(sizeof(orders) / sizeof(orders[0])))

static double norm_of(const double *v, int n, int stride, double ord)
{
	double sum = 0, most = 0, least = INFINITY;

	for (int i = 0; i < n; i++) {
		const double a = fabs(v[i * stride]);

		most = a > most ? a : most;
		least = a < least ? a : least;
		sum += ord == 0 ? a != 0 : pow(a, ord);
	}
	return ord == INFINITY    ? most
	       : ord == -INFINITY ? least
	       : ord == 0         ? sum
				  : pow(sum, 1 / ord);
}

START_TEST(norms)
{
	const dpr_dtype dtype = dtypes[_i / ORDERS];
	const double ord = orders[_i % ORDERS];
	const char kind = dpr_dtype_kind(dtype);
	double v[42], want[7];
	char text[200];
	dpr_array *x, *y, *z;

	if (!computes(dtype) || leaves_out(_i, 29))
		return;
	for (int i = 0; i < 42; i++)
		v[i] = kind == 'b' ? i % 3 == 0
				   : i * 7 % 13 - (kind == 'u' ? 0 : 4);
	x = array_in(v, DPR_SHAPE(6, 7), dtype);
	for (int i = 0; i < 7; i++)
		want[i] = norm_of(v + i, 6, 7, ord);
	CHECK_OK(dpr_vector_norm(x, DPR_AXES(0), ord, &y));
	ck_assert_int_eq(dpr_array_rank(y), 1);
	expect_near(y, float_of(dtype), want, 7, 1, near_of(float_of(dtype)),
		    "axis 0");
	want[0] = norm_of(v, 42, 1, ord);
	CHECK_OK(dpr_vector_norm(x, NULL, ord, &y));
	ck_assert_int_eq(dpr_array_rank(y), 0);
	expect_near(y, float_of(dtype), want, 1, 1, near_of(float_of(dtype)),
		    "all axes");
	for (int i = 0; i < 6; i++)
		want[i] = norm_of(v + 7 * i, 7, 1, ord);
	CHECK_OK(dpr_vector_norm(x, DPR_AXES_KEPT(1), ord, &y));
	ck_assert_int_eq(dpr_array_rank(y), 2);
	snprintf(text, sizeof(text), "vector_norm(x, 1, ord=%g, keepdims=True)",
		 ord);
	CHECK_OK(dpr_evaluate(text, NULL, &z, "x", x));
	dpr_array_retain(y);
	expect_same(y, z, text);
	expect_near(y, float_of(dtype), want, 6, 1, near_of(float_of(dtype)),
		    "axis 1");
	dpr_array_release(x);
}
END_TEST

/* Norms of great and small numbers, infinities and NaN. */
static const struct {
	double v[3], ord, want;
} special[] = {
	{ { 3e30, 4e30, 0 }, 2, 5e30 },
	{ { 3e-30, 4e-30, 0 }, 2, 5e-30 },
	{ { 1e30, -1e30, 0 }, 3, 1.2599210498948732e30 },
	{ { 0, 0, 0 }, 2, 0 },
	{ { 0, 0, -0.0 }, 3, 0 },
	{ { 1, INFINITY, 2 }, 2, INFINITY },
	{ { 1, -INFINITY, 2 }, 3, INFINITY },
	{ { 1, NAN, INFINITY }, 2, NAN },
	{ { 1, NAN, 2 }, 1, NAN },
	{ { 1, NAN, 2 }, 0.5, NAN },
	{ { 1, NAN, 2 }, INFINITY, NAN },
	{ { 1, NAN, 2 }, -INFINITY, NAN },
	{ { 0, NAN, 2 }, 0, 2 },
	{ { 1e-30, -1e-30, 3 }, -2, 7.0710678118654752e-31 },
	{ { 4, 0, 2 }, -1, 0 },
	{ { 4, INFINITY, 4 }, -1, 2 },
	{ { INFINITY, INFINITY, INFINITY }, -2, INFINITY },
	{ { 0, NAN, 2 }, -1, NAN },
};

/* Norms of great and small numbers, infinities, NaN, complex numbers and
   nothing. */
START_TEST(special_norms)
{
	const float pair[] = { 3, 4, 0, -12 };
	dpr_array *x, *y, *z;

	for (int i = 0; i < (int)(sizeof(special) / sizeof(special[0])); i++) {
		if (leaves_out(i, 6))
			continue;
		x = array_in(special[i].v, DPR_SHAPE(3), DPR_FLOAT32);
		CHECK_OK(dpr_vector_norm(x, NULL, special[i].ord, &y));
		/* For small numbers the error is relative. */
		if (special[i].want > 0 && special[i].want < 1) {
			CHECK_OK(dpr_divide(y, special[i].want, &z));
			dpr_array_release(y);
			expect_near(z, DPR_FLOAT32, (double[]){ 1 }, 1, 1, 2e-6,
				    "small");
		} else {
			expect_near(y, DPR_FLOAT32, &special[i].want, 1, 1,
				    2e-6, "special");
		}
		dpr_array_release(x);
	}
	CHECK_OK(dpr_array_from_memory(pair, DPR_SHAPE(2), NULL, DPR_COMPLEX64,
				       test_queue, &x));
	CHECK_OK(dpr_vector_norm(x, NULL, 2, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ 13 }, 1, 1, 2e-6, "complex");
	CHECK_OK(dpr_vector_norm(x, NULL, 1, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ 17 }, 1, 1, 2e-6, "complex");
	CHECK_OK(dpr_evaluate("vector_norm(x, ord=p)", NULL, &y, "x", x, "p",
			      -1));
	expect_near(y, DPR_FLOAT32, (double[]){ 60.0 / 17 }, 1, 1, 2e-6,
		    "complex, order -1");
	dpr_array_release(x);
	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 0), DPR_FLOAT32, test_queue, &x));
	for (int i = 0; i < ORDERS; i++) {
		if (orders[i] == -INFINITY) {
			CHECK_FAILS(
				DPR_ERROR_SHAPE,
				dpr_vector_norm(x, DPR_AXES(1), orders[i], &y));
			expect_text("vector_norm: undefined for an empty axis; "
				    "the reduced axes have extent 0");
			continue;
		}
		CHECK_OK(dpr_vector_norm(x, DPR_AXES(1), orders[i], &y));
		expect_near(y, DPR_FLOAT32,
			    orders[i] < 0 ? (double[]){ INFINITY, INFINITY }
					  : (double[]){ 0, 0 },
			    2, 1, 0, "nothing");
	}
	dpr_array_release(x);
}
END_TEST

/* --- Sums ----------------------------------------------------------------- */

START_TEST(traces)
{
	double v[24], want[2];
	dpr_array *x, *y;

	for (int i = 0; i < 24; i++)
		v[i] = i;
	x = array_in(v, DPR_SHAPE(2, 3, 4), DPR_INT8);
	for (int64_t offset = -4; offset <= 5; offset++) {
		for (int m = 0; m < 2; m++) {
			want[m] = 0;
			for (int i = 0; i < 12; i++)
				if (i % 4 - i / 4 == offset)
					want[m] += v[m * 12 + i];
		}
		CHECK_OK(dpr_trace(x, offset, DPR_DTYPE_DEFAULT, &y));
		expect_near(y, DPR_INT64, want, 2, 1, 0, "trace");
	}
	CHECK_OK(dpr_trace(x, INT64_MIN, DPR_DTYPE_DEFAULT, &y));
	expect_near(y, DPR_INT64, (double[]){ 0, 0 }, 2, 1, 0, "far");
	CHECK_OK(dpr_trace(x, INT64_MAX, DPR_FLOAT32, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ 0, 0 }, 2, 1, 0, "far");
	CHECK_OK(dpr_trace(x, 0, DPR_FLOAT32, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ 15, 51 }, 2, 1, 0, "dtype");
	CHECK_OK(dpr_trace(x, 0, DPR_INT8, &y));
	expect_near(y, DPR_INT8, (double[]){ 15, 51 }, 2, 1, 0, "dtype");
	CHECK_OK(dpr_evaluate("trace(x, offset=1, dtype=float32)", NULL, &y,
			      "x", x));
	expect_near(y, DPR_FLOAT32, (double[]){ 18, 54 }, 2, 1, 0, "text");
	dpr_array_release(x);
	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 0, 0), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_trace(x, 0, DPR_DTYPE_DEFAULT, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ 0, 0 }, 2, 1, 0, "none");
	dpr_array_release(x);
}
END_TEST

START_TEST(averages)
{
	const double v[] = { 1, 2, 3, 4, 5, 6 }, w[] = { 3, 1, 0 };
	const double all[] = { 1, 2, 1, 2, 1, 3 };
	dpr_array *x = array_in(v, DPR_SHAPE(2, 3), DPR_FLOAT32), *y;
	dpr_array *line = array_in(w, DPR_SHAPE(3), DPR_INT32);
	dpr_array *table = array_in(all, DPR_SHAPE(2, 3), DPR_FLOAT32);
	dpr_dtype both;

	CHECK_OK(dpr_dtype_promote(DPR_FLOAT32, DPR_INT32, &both));
	if (computes(both)) {
		CHECK_OK(dpr_average(x, DPR_AXES(1), line, &y));
		expect_near(y, both, (double[]){ 1.25, 4.25 }, 2, 1, 1e-6,
			    "a line");
		CHECK_OK(dpr_average(x, DPR_AXES_KEPT(-1), line, &y));
		ck_assert_int_eq(dpr_array_rank(y), 2);
		expect_near(y, both, (double[]){ 1.25, 4.25 }, 2, 1, 1e-6,
			    "kept");
	}
	CHECK_OK(dpr_average(x, NULL, table, &y));
	ck_assert_int_eq(dpr_array_rank(y), 0);
	expect_near(y, DPR_FLOAT32, (double[]){ 3.9 }, 1, 1, 1e-6, "all");
	CHECK_OK(dpr_average(x, DPR_AXES(0), table, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ 3, 3, 5.25 }, 3, 1, 1e-6,
		    "axis 0");
	CHECK_OK(dpr_average(x, DPR_AXES_KEPT(0), NULL, &y));
	ck_assert_int_eq(dpr_array_rank(y), 2);
	expect_near(y, DPR_FLOAT32, (double[]){ 2.5, 3.5, 4.5 }, 3, 1, 1e-6,
		    "no weights");
	CHECK_OK(dpr_average(line, NULL, line, &y));
	expect_near(y, default_float(), (double[]){ 2.5 }, 1, 1, 1e-6,
		    "integers");
	CHECK_OK(dpr_evaluate("average(x) + average(x, None, y, keepdims=True)",
			      NULL, &y, "x", x, "y", table));
	ck_assert_int_eq(dpr_array_rank(y), 2);
	expect_near(y, DPR_FLOAT32, (double[]){ 7.4 }, 1, 1, 1e-6, "text");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_average(x, DPR_AXES(0), line, &y));
	expect_text("average: the weights have neither the shape of x nor the "
		    "extent of its one reduced axis");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_average(x, NULL, line, &y));
	dpr_array_release(table);
	dpr_array_release(line);
	dpr_array_release(x);
}
END_TEST

/* --- Classes and differences ---------------------------------------------- */

START_TEST(classes)
{
	const double v[] = { 0, 2, -1, 5, 1 };
	const double want[] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0 };
	dpr_array *x, *y, *number;

	for (int i = 0; i < DTYPES; i++) {
		if (dpr_dtype_kind(dtypes[i]) != 'i' || leaves_out(i, 3))
			continue;
		x = array_in(v, DPR_SHAPE(5), dtypes[i]);
		CHECK_OK(dpr_one_hot(x, 3, DPR_DTYPE_DEFAULT, &y));
		ck_assert_int_eq(dpr_array_rank(y), 2);
		expect_near(y, default_float(), want, 15, 1, 0, "one_hot");
		CHECK_OK(dpr_one_hot(x, 3, DPR_BOOL, &y));
		expect_near(y, DPR_BOOL, want, 15, 1, 0, "one_hot");
		CHECK_OK(dpr_one_hot(x, 0, DPR_BOOL, &y));
		ck_assert_int_eq(dpr_array_size(y), 0);
		dpr_array_release(y);
		dpr_array_release(x);
	}
	CHECK_OK(dpr_full(DPR_SCALAR_SHAPE, UINT64_MAX, DPR_UINT64, test_queue,
			  &number));
	CHECK_OK(dpr_one_hot(number, 2, DPR_INT8, &y));
	expect_near(y, DPR_INT8, (double[]){ 0, 0 }, 2, 1, 0, "uint64");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_one_hot(number, -1, DPR_INT8, &y));
	expect_text("one_hot: num_classes is negative");
	dpr_array_release(number);
}
END_TEST

START_TEST(differences)
{
	const double v[] = { 3, 1, 4, 1, 5, 9 }, more[] = { 2, 6 };
	dpr_array *x = array_in(v, DPR_SHAPE(2, 3), DPR_UINT8), *y;
	dpr_array *ends = array_in(more, DPR_SHAPE(2, 1), DPR_FLOAT32);
	dpr_array *flags =
		array_in((double[]){ 0, 1, 1 }, DPR_SHAPE(3), DPR_BOOL);

	CHECK_OK(dpr_diff(x, -1, 1, NULL, NULL, &y));
	expect_near(y, DPR_UINT8, (double[]){ 254, 3, 4, 4 }, 4, 1, 0, "diff");
	CHECK_OK(dpr_diff(x, 0, 1, NULL, NULL, &y));
	expect_near(y, DPR_UINT8, (double[]){ 254, 4, 5 }, 3, 1, 0, "axis 0");
	CHECK_OK(dpr_diff(x, 1, 2, ends, NULL, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ -3, 5, 9, 0 }, 4, 1, 0,
		    "prepend");
	CHECK_OK(dpr_diff(x, 1, 1, ends, ends, &y));
	expect_near(y, DPR_FLOAT32, (double[]){ 1, -2, 3, -2, -5, 4, 4, -3 }, 8,
		    1, 0, "both");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_diff(x, 0, 1, NULL, ends, &y));
	expect_text("diff: axis 1 has the extent 1 in append, but 3 in x");
	CHECK_OK(dpr_diff(x, 1, 0, NULL, NULL, &y));
	expect_near(y, DPR_UINT8, v, 6, 1, 0, "n 0");
	CHECK_OK(dpr_diff(x, 1, INT64_MAX, NULL, NULL, &y));
	ck_assert_int_eq(dpr_array_size(y), 0);
	ck_assert_int_eq(dpr_array_rank(y), 2);
	dpr_array_release(y);
	CHECK_OK(dpr_diff(flags, 0, 1, NULL, NULL, &y));
	expect_near(y, DPR_BOOL, (double[]){ 1, 0 }, 2, 1, 0, "bool");
	dpr_array_release(flags);
	dpr_array_release(ends);
	dpr_array_release(x);
}
END_TEST

/* The value of `text` for x and y, a single float. */
static float item_of(const char *text, const dpr_array *x, const dpr_array *y)
{
	dpr_array *made;
	double value;

	CHECK_OK(dpr_evaluate(text, NULL, &made, "x", x, "y", y));
	CHECK_OK(dpr_array_item_double(made, &value));
	dpr_array_release(made);
	return (float)value;
}

/* Products and variances of 16-bit floats are computed in float32. */
START_TEST(results_alone_have_16_bits)
{
	dpr_array *x =
		array_in((double[]){ 0, 300, 299 }, DPR_SHAPE(3), DPR_FLOAT16);
	dpr_array *y =
		array_in((double[]){ 0, 301, 300 }, DPR_SHAPE(3), DPR_FLOAT16);
	dpr_array *z;

	CHECK_OK(dpr_cross(x, y, -1, &z));
	expect_near(z, DPR_FLOAT16, (double[]){ 1, 0, 0 }, 3, 1, 0, "cross");
	ck_assert(item_of("astype(nanstd(x * 100), float32) + 0 * y[0]", x, y) >
		  14000);
	dpr_array_release(x);
	dpr_array_release(y);
}
END_TEST

/* Arguments that are numbers: some may be a bool or an integer, others must be
   real, or fit in the dtype. */
START_TEST(numbers_of_calls)
{
	dpr_array *x =
		array_in((double[]){ 1.5, NAN, 3 }, DPR_SHAPE(3), DPR_FLOAT32);
	dpr_array *y = array_in((double[]){ 1, 2, 3 }, DPR_SHAPE(3), DPR_INT8);
	dpr_array *z;

	CHECK_OK(dpr_evaluate("isclose(x, x, equal_nan=2)", NULL, &z, "x", x));
	expect_near(z, DPR_BOOL, (double[]){ 1, 1, 1 }, 3, 1, 0, "equal_nan");
	ck_assert(
		isnan(item_of("nanvar(x, correction=2, where=y != 3)", x, y)));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("nanvar(x, correction=y)", NULL, &z, "x", x,
				 "y", y));
	ck_assert_ptr_nonnull(strstr(
		dpr_last_error(), "nanvar: correction is not a real number"));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    dpr_evaluate("max(y, where=y > 1, initial=2.5)", NULL, &z,
				 "y", y));
	ck_assert_ptr_nonnull(
		strstr(dpr_last_error(), "max: initial is no int8"));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("max(y, where=y > 1, initial=None)", NULL, &z,
				 "y", y));
	ck_assert_ptr_nonnull(
		strstr(dpr_last_error(), "max: initial is not a number"));
	dpr_array_release(x);
	dpr_array_release(y);
}
END_TEST

/* Results are in the kind of memory of the array. */
START_TEST(kinds_of_memory)
{
	const dpr_usm_kind kind = host_or_device();
	dpr_array *x, *y, *none;

	CHECK_OK(dpr_arange_on(0, 4, 1, DPR_INT32, test_queue, kind, &x));
	CHECK_OK(dpr_one_hot(x, 4, DPR_FLOAT32, &y));
	ck_assert_int_eq(dpr_array_kind(y), kind);
	dpr_array_release(y);
	CHECK_OK(dpr_array_view(x, &none, DPR_SLICE(0, 0, 1)));
	CHECK_OK(dpr_evaluate("max(x, initial=2)", NULL, &y, "x", none));
	ck_assert_int_eq(dpr_array_kind(y), kind);
	dpr_array_release(y);
	dpr_array_release(none);
	dpr_array_release(x);
}
END_TEST

static Suite *vectors(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("vectors");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, vector_products, 0, DTYPES);
	tcase_add_test(tcase, vector_products_of_dtypes);
	tcase_add_test(tcase, outer_and_cross);
	tcase_add_loop_test(tcase, norms, 0, DTYPES * ORDERS);
	tcase_add_test(tcase, special_norms);
	tcase_add_test(tcase, traces);
	tcase_add_test(tcase, averages);
	tcase_add_test(tcase, classes);
	tcase_add_test(tcase, differences);
	tcase_add_test(tcase, results_alone_have_16_bits);
	tcase_add_test(tcase, numbers_of_calls);
	tcase_add_test(tcase, kinds_of_memory);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const int failed = run_on_selected(vectors, NULL);

	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return failed;
}
