/* SPDX-License-Identifier: Apache-2.0 */
/* api_accuracy.c - the accuracy of products, sums and functions of complex
   numbers, of results that overlap an operand, and of transposed operands. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/ulps.h"

/* Every backend must round each product before adding it.  The volatile
   variables here keep the compiler from fusing the two. */
START_TEST(complex_products_are_plain)
{
	enum { N = 4097 };
	static float x[N][2], y[N][2], out[N][2];
	volatile float a, b;
	dpr_array *left, *right, *product;

	for (int i = 0; i < N; i++) {
		x[i][0] = 0.1f * (float)(i % 997) - 37;
		x[i][1] = 0.3f * (float)(i % 89) + 1;
		y[i][0] = 0.7f * (float)(i % 61) - 20;
		y[i][1] = 0.9f * (float)(i % 1013) - 400;
	}
	CHECK_OK(dpr_array_from_memory(x, DPR_SHAPE(N), NULL, DPR_COMPLEX64,
				       test_queue, &left));
	CHECK_OK(dpr_array_from_memory(y, DPR_SHAPE(N), NULL, DPR_COMPLEX64,
				       test_queue, &right));
	CHECK_OK(dpr_multiply(left, right, &product));
	CHECK_OK(dpr_array_to_memory(product, out, sizeof(out), NULL));
	for (int i = 0; i < N; i++) {
		a = x[i][0] * y[i][0];
		b = x[i][1] * y[i][1];
		ck_assert_float_eq(out[i][0], a - b);
		a = x[i][0] * y[i][1];
		b = x[i][1] * y[i][0];
		ck_assert_float_eq(out[i][1], a + b);
	}
	dpr_array_release(product);
	dpr_array_release(right);
	dpr_array_release(left);
}
END_TEST

/* --- Sums ------------------------------------------------------------------
 */

static float item_float(const dpr_array *x)
{
	dpr_operand value;

	CHECK_OK(dpr_array_item(x, &value));
	return (float)value.as.f;
}

START_TEST(long_sums_keep_their_digits)
{
	const int64_t n = 300007;
	float *values = malloc((size_t)n * sizeof(*values));
	dpr_array *x, *sum;
	double truth = 0;

	ck_assert(values != NULL);
	srand(7);
	for (int64_t i = 0; i < n; i++) {
		values[i] = (float)rand() / (float)RAND_MAX + 0.1f;
		truth += values[i];
	}
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(n), NULL, DPR_FLOAT32,
				       test_queue, &x));
	CHECK_OK(dpr_sum(x, NULL, &sum));
	ck_assert_double_le(ulps(item_float(sum), truth), 8);
	dpr_array_release(sum);
	CHECK_OK(dpr_mean(x, NULL, &sum));
	ck_assert_double_le(ulps(item_float(sum), truth / (double)n), 8);
	dpr_array_release(sum);
	dpr_array_release(x);
	free(values);
}
END_TEST

START_TEST(sums_over_rows_and_columns_agree)
{
	dpr_array *x, *rows, *columns, *a, *b;

	/* Odd extents: no multiples of a block size. */
	CHECK_OK(dpr_ones(DPR_SHAPE(333, 517), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_sum(x, DPR_AXES(0), &rows));
	CHECK_OK(dpr_sum(x, DPR_AXES(1), &columns));
	CHECK_OK(dpr_min(rows, NULL, &a));
	CHECK_OK(dpr_max(rows, NULL, &b));
	ck_assert_float_eq(item_float(a), 333);
	ck_assert_float_eq(item_float(b), 333);
	dpr_array_release(a);
	dpr_array_release(b);
	CHECK_OK(dpr_min(columns, NULL, &a));
	CHECK_OK(dpr_max(columns, NULL, &b));
	ck_assert_float_eq(item_float(a), 517);
	ck_assert_float_eq(item_float(b), 517);
	dpr_array_release(a);
	dpr_array_release(b);
	dpr_array_release(rows);
	dpr_array_release(columns);
	dpr_array_release(x);
}
END_TEST

START_TEST(halves_are_summed_in_float32)
{
	dpr_array *x, *sum;

	/* If it were added up in float16, the sum would stop at 2048. */
	CHECK_OK(dpr_ones(DPR_SHAPE(30000), DPR_FLOAT16, test_queue, &x));
	CHECK_OK(dpr_sum(x, NULL, &sum));
	ck_assert_float_eq(item_float(sum), 30000);
	dpr_array_release(sum);
	dpr_array_release(x);
}
END_TEST

/* --- Overlaps, transposed operands ------------------------------------------
 */

#define LENGTH 5000

/* Compute x[to : to + count] = x[from : ... : step] + 1 within one
   allocation. */
static void check_overlap(int64_t to, int64_t from, int64_t step, int64_t count)
{
	float before[LENGTH], after[LENGTH];
	dpr_array *x, *source, *target;

	for (int i = 0; i < LENGTH; i++)
		before[i] = (float)i;
	CHECK_OK(dpr_array_from_memory(before, DPR_SHAPE(LENGTH), NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_array_view(x, &target, DPR_SLICE(to, to + count, 1)));
	CHECK_OK(dpr_array_over(dpr_array_usm(x), from, DPR_SHAPE(count), &step,
				DPR_FLOAT32, &source));
	CHECK_OK(dpr_add_into(source, 1, target));
	CHECK_OK(dpr_array_to_memory(x, after, sizeof(after), NULL));
	for (int64_t i = 0; i < count; i++)
		before[to + i] = (float)(from + i * step) + 1;
	ck_assert_mem_eq(before, after, sizeof(before));
	dpr_array_release(target);
	dpr_array_release(source);
	dpr_array_release(x);
}

START_TEST(results_may_overlap_operands)
{
	check_overlap(0, 0, 1, LENGTH); /* in place */
	check_overlap(1, 0, 1, LENGTH - 1);
	check_overlap(0, 1, 1, LENGTH - 1);
	check_overlap(0, LENGTH - 1, -1, LENGTH);
	check_overlap(100, 0, 2, 2000);
	check_overlap(7, 3, 0, 600);
}
END_TEST

/* Copied in several panels, of which the last one is smaller. */
START_TEST(transposed_operands_go_by_panels)
{
	enum { ROWS = 4111, COLUMNS = 4099 };
	const size_t n = (size_t)ROWS * COLUMNS;
	float *in = malloc(n * sizeof(*in)), *out = malloc(n * sizeof(*out));
	dpr_array *x, *t, *y;
	size_t wrong = 0;

	ck_assert(in && out);
	for (size_t i = 0; i < n; i++)
		in[i] = (float)i;
	CHECK_OK(dpr_array_from_memory(in, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_matrix_transpose(x, &t));
	CHECK_OK(dpr_multiply(t, 2, &y));
	CHECK_OK(dpr_array_to_memory(y, out, dpr_array_nbytes(y), NULL));
	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 0; j < COLUMNS; j++)
			wrong += out[j * ROWS + i] != 2 * in[i * COLUMNS + j];
	ck_assert_uint_eq(wrong, 0);
	dpr_array_release(y);
	dpr_array_release(t);
	dpr_array_release(x);
	free(out);
	free(in);
}
END_TEST

START_TEST(transposed_operands_go_by_tiles)
{
	enum { ROWS = 150, COLUMNS = 133 };
	static float in[ROWS][COLUMNS], out[COLUMNS][ROWS];
	dpr_array *x, *t, *y;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			in[i][j] = (float)(1000 * i + j);
	CHECK_OK(dpr_array_from_memory(in, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_matrix_transpose(x, &t));
	CHECK_OK(dpr_add(t, 0.5, &y));
	CHECK_OK(dpr_array_to_memory(y, out, sizeof(out), NULL));
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			ck_assert_float_eq(out[j][i], in[i][j] + 0.5f);
	dpr_array_release(y);
	CHECK_OK(dpr_copy(t, &y));
	CHECK_OK(dpr_array_to_memory(y, out, sizeof(out), NULL));
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			ck_assert_float_eq(out[j][i], in[i][j]);
	dpr_array_release(y);
	dpr_array_release(t);
	dpr_array_release(x);
}
END_TEST

/* --- Functions of complex numbers ------------------------------------------ */

/* The allowed error of a part in units in the last place.  The expected value
   itself is rounded.  OpenCL allows divisions and roots of float32 that are not
   rounded correctly. */
#define LIMIT 4.5
#define LIMIT_NOT_ROUNDED 16.0

struct point {
	dpr_status (*function)(dpr_operand, dpr_array **);
	const char *name;
	dpr_dtype dtype;
	double in[2], out[2];
};

#define POINT(name, dtype, re, im, out_re, out_im) \
	{ (dpr_##name), #name, DPR_##dtype, { re, im }, { out_re, out_im } },
static const struct point points[] = {
#include "tests/fixtures/complex_fixtures.h"
};
#undef POINT

enum { POINTS = sizeof(points) / sizeof(points[0]) };

static bool has_bit(uint32_t key, uint64_t bit)
{
	uint64_t config;

	return !dpr_device_info_u64(test_device, key, &config) &&
	       (config & bit);
}

static double limit_of(dpr_dtype dtype)
{
	return dtype == DPR_COMPLEX128 ||
			       has_bit(DPR_INFO_SINGLE_FP_CONFIG,
				       DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
		       ? LIMIT
		       : LIMIT_NOT_ROUNDED;
}

/* The error of @got in units of the last place of @want, in @dtype. */
static double error_of(dpr_dtype dtype, double got, double want)
{
	int power;

	if (isinf(got) && got == want)
		return 0;
	if (!isfinite(got) || !isfinite(want))
		return INFINITY;
	frexp(want, &power);
	return ldexp(fabs(got - want),
		     (dtype == DPR_COMPLEX64 ? 24 : 53) - power);
}

/* Whether the device may take a part of @p as 0. */
static bool is_flushed(const struct point *p)
{
	const bool narrow = p->dtype == DPR_COMPLEX64;
	const double normal = narrow ? 0x1p-126 : 0x1p-1022;

	return (fabs(p->in[0]) < normal || fabs(p->in[1]) < normal) &&
	       !has_bit(narrow ? DPR_INFO_SINGLE_FP_CONFIG
			       : DPR_INFO_DOUBLE_FP_CONFIG,
			DPR_FP_DENORM);
}

/* Compute the @n points at @p, all of one function and dtype. */
static void compute(const struct point *p, size_t n, double (*out)[2])
{
	const bool narrow = p->dtype == DPR_COMPLEX64;
	const int64_t count = (int64_t)n;
	float narrow_values[POINTS][2];
	dpr_array *x, *y;

	for (size_t i = 0; i < n; i++)
		for (int part = 0; part < 2; part++) {
			out[i][part] = p[i].in[part];
			narrow_values[i][part] = (float)p[i].in[part];
		}
	CHECK_OK(dpr_array_from_memory(narrow ? (const void *)narrow_values
					      : (const void *)out,
				       DPR_SHAPE(count), NULL, p->dtype,
				       test_queue, &x));
	CHECK_OK(p->function(dpr_operand_array(x), &y));
	CHECK_OK(dpr_array_to_memory(
		y, narrow ? (void *)narrow_values : (void *)out,
		dpr_array_nbytes(y), NULL));
	for (size_t i = 0; narrow && i < n; i++)
		for (int part = 0; part < 2; part++)
			out[i][part] = narrow_values[i][part];
	dpr_array_release(x);
	dpr_array_release(y);
}

static void check_points(const struct point *p, size_t n)
{
	static double out[POINTS][2];
	const double limit = limit_of(p->dtype);

	compute(p, n, out);
	for (size_t i = 0; i < n; i++)
		for (int part = 0; part < 2; part++)
			ck_assert_msg(
				is_flushed(&p[i]) ||
					error_of(p->dtype, out[i][part],
						 p[i].out[part]) <= limit,
				"%s %s: of %a, %a: part %d is %a, not %a",
				p->name, dpr_dtype_name(p->dtype), p[i].in[0],
				p[i].in[1], part, out[i][part], p[i].out[part]);
}

START_TEST(each_part)
{
	const dpr_dtype dtype = _i ? DPR_COMPLEX128 : DPR_COMPLEX64;
	size_t n;
	int step = _i;

	if (_i && !dpr_device_has(test_device, "fp64"))
		return;
	for (size_t i = 0; i < POINTS; i += n) {
		for (n = 1; i + n < POINTS && points[i + n].dtype ==
						      points[i].dtype &&
			    points[i + n].function == points[i].function;
		     n++)
			continue;
		if (points[i].dtype == dtype && !leaves_out(step++, 4))
			check_points(&points[i], n);
	}
}
END_TEST

/* The result is tiny, although the product of five factors, or of 44, overflows
   before it is inverted. */
START_TEST(overflowing_powers)
{
	static const double wide[2] = { 0x1p276, -1 };
	static const float narrow[2] = { 0x1p74f, -1 };
	const dpr_dtype dtype = _i ? DPR_COMPLEX128 : DPR_COMPLEX64;
	double power[2] = { NAN, NAN };
	float narrow_power[2] = { NAN, NAN };
	dpr_array *x, *y;

	if (_i && !dpr_device_has(test_device, "fp64"))
		return;
	for (int n = 5; n <= 44; n += 39) {
		CHECK_OK(dpr_array_from_memory(_i ? (const void *)wide
						  : (const void *)narrow,
					       DPR_SHAPE(1), NULL, dtype,
					       test_queue, &x));
		CHECK_OK(dpr_pow(x, -n, &y));
		CHECK_OK(dpr_array_to_memory(
			y, _i ? (void *)power : (void *)narrow_power,
			dpr_array_nbytes(y), NULL));
		if (!_i) {
			power[0] = narrow_power[0];
			power[1] = narrow_power[1];
		}
		ck_assert_msg(fabs(power[0]) < 0x1p-126 &&
				      fabs(power[1]) < 0x1p-126,
			      "to the power of %d: %g %g", -n, power[0],
			      power[1]);
		dpr_array_release(x);
		dpr_array_release(y);
	}
}
END_TEST

static Suite *accuracy_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("accuracy");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, complex_products_are_plain);
	tcase_add_test(tcase, long_sums_keep_their_digits);
	tcase_add_test(tcase, sums_over_rows_and_columns_agree);
	tcase_add_test(tcase, halves_are_summed_in_float32);
	tcase_add_test(tcase, results_may_overlap_operands);
	tcase_add_test(tcase, transposed_operands_go_by_tiles);
	tcase_add_test(tcase, transposed_operands_go_by_panels);
	tcase_add_loop_test(tcase, each_part, 0, 2);
	tcase_add_loop_test(tcase, overflowing_powers, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(accuracy_suite, NULL);
}
