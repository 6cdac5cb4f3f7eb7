/* SPDX-License-Identifier: Apache-2.0 */
/* api_steps.c - linspace and arange near the ends of a dtype's range, over
   distances longer than its largest number, from infinite numbers, and of
   integers that no double holds. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define INF INFINITY
#define MOST 6

/* The results of linspace. */
static const struct {
	double start, stop;
	dpr_dtype dtype;
	int count;
	double want[MOST];
} lines[] = {
	{ -3e38, 3e38, DPR_FLOAT32, 5, { -3e38, -1.5e38, 0, 1.5e38, 3e38 } },
	{ -3e38, 3e38, DPR_FLOAT32, 2, { -3e38, 3e38 } },
	{ 3e38, -3e38, DPR_COMPLEX64, 5, { 3e38, 1.5e38, 0, -1.5e38, -3e38 } },
	{ -3e38, 3e38, DPR_BFLOAT16, 5, { -3e38, -1.5e38, 0, 1.5e38, 3e38 } },
	{ 0, 1e39, DPR_FLOAT32, 3, { 0, INF, INF } },
	{ 1e300, 0, DPR_FLOAT32, 5, { INF, INF, INF, INF, 0 } },
	{ -1e300, 1e300, DPR_FLOAT32, 5, { -INF, -INF, 0, INF, INF } },
	{ 1e39, 1e38, DPR_FLOAT32, 4, { INF, INF, INF, 1e38 } },
	{ 1e39, 1e38, DPR_FLOAT32, 6, { INF, INF, INF, INF, 2.8e38, 1e38 } },
	{ -65504, 65504, DPR_FLOAT16, 5, { -65504, -32752, 0, 32752, 65504 } },
	{ INF, INF, DPR_FLOAT32, 5, { INF, INF, INF, INF, INF } },
	{ -INF, -INF, DPR_BFLOAT16, 3, { -INF, -INF, -INF } },
	{ -INF, 5, DPR_FLOAT32, 4, { -INF, -INF, -INF, 5 } },
	{ 0, INF, DPR_FLOAT16, 4, { 0, INF, INF, INF } },
	{ -INF, INF, DPR_FLOAT32, 3, { -INF, NAN, INF } },
	{ -1.7e308,
	  1.7e308,
	  DPR_FLOAT64,
	  5,
	  { -1.7e308, -8.5e307, 0, 8.5e307, 1.7e308 } },
	{ -1e308, 1e308, DPR_COMPLEX128, 2, { -1e308, 1e308 } },
	{ INF, INF, DPR_FLOAT64, 4, { INF, INF, INF, INF } },
	{ -INF, 5, DPR_FLOAT64, 4, { -INF, -INF, -INF, 5 } },
};

/* The results of arange, from start to stop by `step`. */
static const struct {
	double start, stop, step;
	dpr_dtype dtype;
	int count;
	double want[MOST];
} ranges[] = {
	{ -3e38,
	  3.1e38,
	  1.5e38,
	  DPR_FLOAT32,
	  5,
	  { -3e38, -1.5e38, 0, 1.5e38, 3e38 } },
	{ 0, 6e38, 1e38, DPR_FLOAT32, 6, { 0, 1e38, 2e38, 3e38, INF, INF } },
	{ 3e38, -3.1e38, -3e38, DPR_BFLOAT16, 3, { 3e38, 0, -3e38 } },
	{ 1e300, -1e299, -5e299, DPR_FLOAT32, 3, { INF, INF, 0 } },
	{ -1.7e308,
	  1.75e308,
	  8.5e307,
	  DPR_FLOAT64,
	  5,
	  { -1.7e308, -8.5e307, 0, 8.5e307, 1.7e308 } },
	{ 1.5e308, 1.7e308, 1e308, DPR_FLOAT64, 1, { 1.5e308 } },
	{ 0, 5, INF, DPR_FLOAT32, 1, { 0 } },
	{ 5, 0, -INF, DPR_FLOAT32, 1, { 5 } },
	{ 0, 5, -INF, DPR_FLOAT32, 0, { 0 } },
	{ 5, 5, INF, DPR_FLOAT32, 0, { 0 } },
	{ 0, 1e-300, 1e300, DPR_FLOAT32, 1, { 0 } },
};

#define INT(x)                                       \
	{                                            \
		.kind = DPR_OPERAND_INT, .as.i = (x) \
	}
#define UINT(x)                                       \
	{                                             \
		.kind = DPR_OPERAND_UINT, .as.u = (x) \
	}
#define ODD (((int64_t)1 << 53) + 1)
#define HIGH ((uint64_t)1 << 63)

/* arange of integers that no double has.  @want are the low 64 bits, of a
   float64 the integers. */
static const struct {
	dpr_operand start, stop, step;
	dpr_dtype dtype, made;
	int count;
	uint64_t want[MOST];
} integers[] = {
	{ INT(INT64_MAX - 5),
	  INT(INT64_MAX),
	  INT(2),
	  DPR_DTYPE_DEFAULT,
	  DPR_INT64,
	  3,
	  { HIGH - 6, HIGH - 4, HIGH - 2 } },
	{ INT(INT64_MIN),
	  INT(INT64_MAX),
	  INT(INT64_MAX),
	  DPR_DTYPE_DEFAULT,
	  DPR_INT64,
	  3,
	  { HIGH, UINT64_MAX, HIGH - 2 } },
	{ INT(INT64_MAX),
	  INT(INT64_MIN),
	  INT(INT64_MIN),
	  DPR_DTYPE_DEFAULT,
	  DPR_INT64,
	  2,
	  { HIGH - 1, UINT64_MAX } },
	{ INT(ODD),
	  INT(ODD + 3),
	  INT(1),
	  DPR_DTYPE_DEFAULT,
	  DPR_INT64,
	  3,
	  { ODD, ODD + 1, ODD + 2 } },
	{ INT(1),
	  UINT(UINT64_MAX),
	  UINT(HIGH),
	  DPR_DTYPE_DEFAULT,
	  DPR_UINT64,
	  2,
	  { 1, HIGH + 1 } },
	{ UINT(UINT64_MAX),
	  UINT(0),
	  INT(INT64_MIN),
	  DPR_DTYPE_DEFAULT,
	  DPR_UINT64,
	  2,
	  { UINT64_MAX, HIGH - 1 } },
	{ UINT(HIGH),
	  UINT(HIGH + 3),
	  INT(1),
	  DPR_UINT64,
	  DPR_UINT64,
	  3,
	  { HIGH, HIGH + 1, HIGH + 2 } },
	{ UINT(UINT64_MAX),
	  UINT(UINT64_MAX),
	  INT(1),
	  DPR_DTYPE_DEFAULT,
	  DPR_INT64,
	  0,
	  { 0 } },
	{ INT(INT64_MIN),
	  UINT(UINT64_MAX),
	  INT(-1),
	  DPR_INT8,
	  DPR_INT8,
	  0,
	  { 0 } },
	{ INT(254),
	  INT(258),
	  INT(1),
	  DPR_UINT8,
	  DPR_UINT8,
	  4,
	  { 254, 255, 0, 1 } },
	{ INT(3),
	  INT(-3),
	  INT(-2),
	  DPR_UINT64,
	  DPR_UINT64,
	  3,
	  { 3, 1, UINT64_MAX } },
	{ INT(ODD),
	  INT(ODD + 4),
	  INT(1),
	  DPR_FLOAT64,
	  DPR_FLOAT64,
	  4,
	  { ODD - 1, ODD + 1, ODD + 3, ODD + 3 } },
	{ INT(-ODD),
	  INT(ODD),
	  INT(ODD),
	  DPR_FLOAT64,
	  DPR_FLOAT64,
	  2,
	  { (uint64_t)1 - ODD, 0 } },
};

/* The largest relative error: a rounding, but two of a product that is up to
   four times as large as the value where float64 is computed in itself. */
static double precision(dpr_dtype dtype)
{
	switch (dtype) {
	case DPR_FLOAT16: return 0x1p-11;
	case DPR_BFLOAT16: return 0x1p-8;
	case DPR_FLOAT64:
	case DPR_COMPLEX128: return 0x1p-50;
	default: return 0x1p-24;
	}
}

static double element(const dpr_array *x, int64_t i)
{
	dpr_array *one;
	dpr_operand value;

	CHECK_OK(dpr_array_view(x, &one, DPR_AT(i)));
	CHECK_OK(dpr_array_item(one, &value));
	dpr_array_release(one);
	return value.kind == DPR_OPERAND_COMPLEX ? value.as.c[0] : value.as.f;
}

/* Check the elements of @x, and release it. */
static void check(dpr_array *x, const double *want, int count)
{
	const double most = precision(dpr_array_dtype(x));
	double have = 0;
	int i = 0;

	ck_assert_int_eq(dpr_array_size(x), count);
	for (; i < count; i++) {
		have = element(x, i);
		if (have != want[i] &&
		    !(fabs(have - want[i]) <= most * fabs(want[i])) &&
		    !(isnan(have) && isnan(want[i])))
			break;
	}
	ck_assert_msg(i == count, "%s: element %d is %g, not %g",
		      dpr_dtype_name(dpr_array_dtype(x)), i, have, want[i]);
	dpr_array_release(x);
}

START_TEST(linspace)
{
	dpr_array *x;

	if (leaves_out(_i, 5) ||
	    !dpr_dtype_computes(test_device, lines[_i].dtype))
		return;
	CHECK_OK(dpr_linspace(lines[_i].start, lines[_i].stop, lines[_i].count,
			      lines[_i].dtype, test_queue, &x));
	check(x, lines[_i].want, lines[_i].count);
}
END_TEST

START_TEST(arange)
{
	dpr_array *x;

	if (leaves_out(_i, 5) ||
	    !dpr_dtype_computes(test_device, ranges[_i].dtype))
		return;
	CHECK_OK(dpr_arange(ranges[_i].start, ranges[_i].stop, ranges[_i].step,
			    ranges[_i].dtype, test_queue, &x));
	check(x, ranges[_i].want, ranges[_i].count);
}
END_TEST

START_TEST(exact_arange)
{
	const int count = integers[_i].count;
	dpr_array *x, *one;
	int64_t have = 0;
	uint64_t want;
	int i = 0;

	if (leaves_out(_i, 5) ||
	    !dpr_dtype_computes(test_device, integers[_i].made))
		return;
	CHECK_OK(dpr_arange(integers[_i].start, integers[_i].stop,
			    integers[_i].step, integers[_i].dtype, test_queue,
			    &x));
	ck_assert_str_eq(dpr_dtype_name(dpr_array_dtype(x)),
			 dpr_dtype_name(integers[_i].made));
	ck_assert_int_eq(dpr_array_size(x), count);
	for (; i < count; i++) {
		dpr_operand value;

		want = integers[_i].want[i];
		CHECK_OK(dpr_array_view(x, &one, DPR_AT(i)));
		CHECK_OK(dpr_array_item(one, &value));
		dpr_array_release(one);
		have = value.kind == DPR_OPERAND_FLOAT ? (int64_t)value.as.f
						       : value.as.i;
		if (have != (int64_t)want)
			break;
	}
	ck_assert_msg(i == count, "element %d of arange %d is %lld, not %lld",
		      i, _i, (long long)have, (long long)want);
	dpr_array_release(x);
}
END_TEST

START_TEST(refused)
{
	dpr_array *x;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_arange(0, 0, 0, DPR_INT32, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_arange(0, 1, -0.0, DPR_FLOAT32, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_arange(NAN, 1, 1, DPR_FLOAT32, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_arange(0, dpr_operand_complex_parts(1, 0), 1,
			       DPR_FLOAT32, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    dpr_arange(0, 1, 1, DPR_BOOL, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_OVERFLOW, dpr_arange(INT64_MIN, UINT64_MAX, 1,
						   DPR_INT8, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_OVERFLOW,
		    dpr_arange(0, 1, 1e-300, DPR_FLOAT32, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_OVERFLOW,
		    dpr_arange(-1, UINT64_MAX, UINT64_MAX, DPR_DTYPE_DEFAULT,
			       test_queue, &x));
	ck_assert_msg(strstr(dpr_last_error(), "neither int64 nor uint64"),
		      "%s", dpr_last_error());
	ck_assert_ptr_null(x);
}
END_TEST

START_TEST(in_an_expression)
{
	static const double want[] = { -3e38, -1.5e38, 0, 1.5e38, 3e38 };
	dpr_array *x, *one;

	CHECK_OK(dpr_ones(DPR_SHAPE(1), DPR_FLOAT32, test_queue, &one));
	CHECK_OK(dpr_evaluate("linspace(-3e38, 3e38, 5, dtype=float32) * one",
			      NULL, &x, "one", one));
	dpr_array_release(one);
	check(x, want, 5);
}
END_TEST

static Suite *steps_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("steps");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, linspace, 0,
			    (int)(sizeof(lines) / sizeof(lines[0])));
	tcase_add_loop_test(tcase, arange, 0,
			    (int)(sizeof(ranges) / sizeof(ranges[0])));
	tcase_add_loop_test(tcase, exact_arange, 0,
			    (int)(sizeof(integers) / sizeof(integers[0])));
	tcase_add_test(tcase, refused);
	tcase_add_test(tcase, in_an_expression);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(steps_suite, NULL);
}
