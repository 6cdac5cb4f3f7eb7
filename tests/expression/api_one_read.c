/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_one_read.c - argmax, argmin, var and std on every device.  Where kernels
 * are written for GPUs, each reads its operand once: the number of launches
 * shows this.  Everywhere: variances of numbers far from 0, of outliers, of
 * rows with an infinity or NaN, and of each layout, beside a loop.
 */
#include <math.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* Whether a kernel of the test device is written for GPUs. */
static bool is_for_gpus(void)
{
	const char *format = dpr_array_kernel_format(test_device);

	return format && (!strcmp(format, "ptx") || !strcmp(format, "spirv") ||
			  !strcmp(format, "opencl-c"));
}

/* Whether the device sums differences in double precision. */
static bool is_exact(void)
{
	return is_for_gpus() && dpr_dtype_computes(test_device, DPR_FLOAT64);
}

static dpr_array *array_of(const float *v, dpr_shape shape, dpr_dtype dtype)
{
	dpr_array *floats, *x;

	CHECK_OK(dpr_array_from_memory(v, shape, NULL, DPR_FLOAT32, test_queue,
				       &floats));
	CHECK_OK(dpr_astype(floats, dtype, &x));
	dpr_array_release(floats);
	return x;
}

/* --- Launches ------------------------------------------------------------- */

/* The launches of one read: one, or two if the axis is cut into parts, or if
   the results of columns are used. */
static const struct {
	const char *text;
	int64_t rows, columns;
	int launches;
} reads[] = {
	{ "argmax(x)", 1, 1000, 1 },
	{ "argmin(x, axis=1)", 30, 100, 1 },
	{ "argmax(x, axis=0)", 60, 40, 2 },
	{ "argmax(x)", 1, 1000000, 2 },
	{ "argmin(x, axis=0)", 20000, 16, 2 },
	{ "argmax(x*x + 1, axis=1)", 30, 100, 1 },
	{ "var(x)", 1, 1000, 1 },
	{ "std(x, axis=1)", 30, 100, 1 },
	{ "var(x, axis=0)", 60, 40, 2 },
	{ "std(x)", 1, 1000000, 2 },
	{ "var(x, axis=0)", 20000, 16, 2 },
	{ "var(x*x + 1, axis=0)", 60, 40, 2 },
};
#define READS ((int)(sizeof(reads) / sizeof(reads[0])))

/* The launches that the last line of a plan tells. */
static int count_launches(const char *plan)
{
	const char *last = strstr(plan, "result 1 is ");

	ck_assert_msg(last && strchr(last, '\n'), "%s", plan);
	return atoi(strchr(last, '\n') + 1);
}

START_TEST(launches)
{
	dpr_binding x = { .name = "x" };
	dpr_expression *e;
	dpr_array *made;
	char *plan;

	if (!is_for_gpus() || leaves_out(_i, 3) ||
	    (!is_exact() && strncmp(reads[_i].text, "arg", 3) != 0))
		return;
	CHECK_OK(dpr_full(DPR_SHAPE(reads[_i].rows, reads[_i].columns), 3,
			  DPR_FLOAT32, test_queue, &made));
	x.value = dpr_operand_array(made);
	CHECK_OK(dpr_expression_create(reads[_i].text, &e));
	CHECK_OK(dpr_expression_explain(e, &x, 1, NULL, &plan));
	ck_assert_msg(count_launches(plan) == reads[_i].launches, "%s: %s",
		      reads[_i].text, plan);
	dpr_free(plan);
	dpr_expression_release(e);
	dpr_array_release(made);
}
END_TEST

/* --- Values --------------------------------------------------------------- */

#define ROWS 24
#define COLUMNS 200
#define ALL (ROWS * COLUMNS)

/* The variance of @n numbers. */
static double variance(const float *v, int64_t n, int64_t stride)
{
	double mean = 0, squares = 0;

	for (int64_t i = 0; i < n; i++)
		mean += (double)v[i * stride] / (double)n;
	for (int64_t i = 0; i < n; i++) {
		const double d = (double)v[i * stride] - mean;

		squares += d * d;
	}
	return squares / (double)n;
}

static void expect(dpr_array *have, const double *want, int n, double allowed,
		   const char *what)
{
	float found[ALL];
	dpr_array *floats;

	ck_assert_int_eq(dpr_array_size(have), n);
	CHECK_OK(dpr_astype(have, DPR_FLOAT32, &floats));
	CHECK_OK(dpr_array_to_memory(floats, found, sizeof(found), NULL));
	for (int i = 0; i < n; i++)
		ck_assert_msg(fabs((double)found[i] - want[i]) <=
					      allowed * fabs(want[i]) ||
				      (isnan(found[i]) && isnan(want[i])),
			      "%s: result %d of %d is %.9g, not %.9g", what, i,
			      n, (double)found[i], want[i]);
	dpr_array_release(floats);
	dpr_array_release(have);
}

/* Compare the variances of rows, of columns, and of all elements of @v. */
static void check_matrix(const float *v, dpr_dtype dtype, double allowed,
			 const char *what)
{
	double rows[ROWS], columns[COLUMNS], all = variance(v, ALL, 1), root;
	dpr_array *x = array_of(v, DPR_SHAPE(ROWS, COLUMNS), dtype), *y, *t;

	for (int i = 0; i < ROWS; i++)
		rows[i] = variance(v + i * COLUMNS, COLUMNS, 1);
	for (int i = 0; i < COLUMNS; i++)
		columns[i] = variance(v + i, ROWS, COLUMNS);
	CHECK_OK(dpr_var(x, NULL, 0, &y));
	ck_assert_int_eq(dpr_array_dtype(y), dtype);
	expect(y, &all, 1, allowed, what);
	root = sqrt(all);
	CHECK_OK(dpr_std(x, NULL, 0, &y));
	ck_assert_int_eq(dpr_array_dtype(y), dtype);
	expect(y, &root, 1, allowed, what);
	CHECK_OK(dpr_var(x, DPR_AXES(1), 0, &y));
	expect(y, rows, ROWS, allowed, what);
	CHECK_OK(dpr_var(x, DPR_AXES(0), 0, &y));
	expect(y, columns, COLUMNS, allowed, what);
	CHECK_OK(dpr_matrix_transpose(x, &t));
	CHECK_OK(dpr_var(t, DPR_AXES(0), 0, &y));
	expect(y, rows, ROWS, allowed, what);
	CHECK_OK(dpr_var(t, DPR_AXES(-1), 0, &y));
	expect(y, columns, COLUMNS, allowed, what);
	dpr_array_release(t);
	dpr_array_release(x);
}

/* Small differences of numbers that are far from 0: the mean is no float32. */
START_TEST(far_from_zero)
{
	static float v[ALL];

	for (int i = 0; i < ALL; i++)
		v[i] = 1e8f + (float)(i * 37 % 101 * 8);
	check_matrix(v, DPR_FLOAT32, is_exact() ? 2e-7 : 5e-2, "1e8");
	for (int i = 0; i < ALL; i++)
		v[i] = (float)(i * 37 % 101 % 16) / 2 + 600;
	check_matrix(v, DPR_FLOAT16, 1e-3, "float16");
}
END_TEST

/* The first element is far from all others.  So the sum of squares about it is
   as much larger than the variance as it can be. */
START_TEST(outlier)
{
	static float v[ALL];

	for (int i = 0; i < ALL; i++)
		v[i] = (float)(i * 37 % 101) / 16;
	for (int i = 0; i < ROWS; i++)
		v[i * COLUMNS] = 12345.678f;
	for (int i = 0; i < COLUMNS; i++)
		v[i] = -54321.09f + (float)(i % 7);
	check_matrix(v, DPR_FLOAT32, is_exact() ? 2e-7 : 1e-4, "outlier");
}
END_TEST

/* Rows with their variances. */
static const struct {
	float in[4];
	double out;
} special[] = {
	{ { INFINITY, 1, 2, 3 }, NAN },
	{ { 1, 2, 3, -INFINITY }, NAN },
	{ { NAN, 1, 2, 3 }, NAN },
	{ { 1, 2, 3, NAN }, NAN },
	{ { INFINITY, INFINITY, INFINITY, INFINITY }, NAN },
	{ { 0.1f, 0.1f, 0.1f, 0.1f }, 0 },
	{ { -0.0f, 0, -0.0f, 0 }, 0 },
	{ { 5e18f, -5e18f, 5e18f, -5e18f }, 2.5e37 },
	{ { 1e-17f, -1e-17f, 1e-17f, -1e-17f }, 1e-34 },
	{ { 3, 3, 3, 7 }, 3 },
};
#define SPECIAL ((int)(sizeof(special) / sizeof(special[0])))

START_TEST(special_rows)
{
	float v[SPECIAL][4];
	double want[SPECIAL];
	dpr_array *x, *y;

	for (int i = 0; i < SPECIAL; i++) {
		memcpy(v[i], special[i].in, sizeof(v[i]));
		want[i] = special[i].out;
	}
	x = array_of(v[0], DPR_SHAPE(SPECIAL, 4), DPR_FLOAT32);
	CHECK_OK(dpr_var(x, DPR_AXES(1), 0, &y));
	expect(y, want, SPECIAL, 1e-6, "special");
	dpr_array_release(x);
}
END_TEST

/* Several axes, reversed and broadcast axes, and a correction. */
START_TEST(layouts)
{
	static float v[ALL];
	const dpr_index backwards[] = { DPR_SLICE(DPR_OPEN, DPR_OPEN, -1),
					DPR_SLICE(150, 20, -3) };
	const double nothing[] = { 0, 0, 0 };
	double want[COLUMNS], all = 0;
	dpr_array *x, *y, *z;

	for (int i = 0; i < ALL; i++)
		v[i] = 50 + (float)(i * 37 % 101) / 16;
	x = array_of(v, DPR_SHAPE(ROWS, COLUMNS), DPR_FLOAT32);
	CHECK_OK(dpr_array_index(x, backwards, 2, &z));
	for (int i = 0; i < 44; i++)
		want[i] = variance(v + 150 - 3 * i, ROWS, COLUMNS);
	CHECK_OK(dpr_var(z, DPR_AXES(0), 0, &y));
	expect(y, want, 44, 1e-5, "backwards");
	dpr_array_release(z);
	CHECK_OK(dpr_reshape(x, DPR_SHAPE(4, 6, COLUMNS), &z));
	for (int i = 0; i < 6; i++) {
		float line[4 * COLUMNS];

		for (int k = 0; k < 4; k++)
			memcpy(line + k * COLUMNS, v + (k * 6 + i) * COLUMNS,
			       sizeof(float) * COLUMNS);
		all = variance(line, 4 * COLUMNS, 1);
		want[i] = all * 4 * COLUMNS / (4 * COLUMNS - 1);
	}
	CHECK_OK(dpr_var(z, DPR_AXES(0, -1), 1, &y));
	expect(y, want, 6, 1e-5, "two axes");
	dpr_array_release(z);
	dpr_array_release(x);
	x = array_of(v, DPR_SHAPE(3, 1), DPR_FLOAT32);
	CHECK_OK(dpr_broadcast_to(x, DPR_SHAPE(3, 50), &z));
	CHECK_OK(dpr_std(z, DPR_AXES(1), 0, &y));
	expect(y, nothing, 3, 0, "broadcast");
	dpr_array_release(z);
	dpr_array_release(x);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("one_read");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, launches, 0, READS);
	tcase_add_test(tcase, far_from_zero);
	tcase_add_test(tcase, outlier);
	tcase_add_test(tcase, special_rows);
	tcase_add_test(tcase, layouts);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	int failed = run_on_selected(suite, getenv("DPR_TEST_DEVICES"));

	if (dpr_finalize()) {
		printf("%s\n", dpr_last_error());
		failed = failed && failed != 77 ? failed : 1;
	}
	return failed;
}
