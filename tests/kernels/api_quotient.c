/* SPDX-License-Identifier: Apache-2.0 */
/* api_quotient.c - floor_divide and remainder of floats, against fmod() of the
   C library, for quotients of each size. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/random.h"

/* Some runs of elements in which all quotients are of one kind. */
#define BLOCK 2000

enum kind {
	SMALL,    /* up to 2^18 */
	WHOLE,    /* next to an integer */
	LARGE,    /* from 2^18 to 2^55 */
	TINY,     /* of subnormal numbers */
	HUGE_TWO, /* of numbers near the largest */
	INFINITE, /* by an infinity */
	ANY,
	KINDS
};

#define COUNT (BLOCK * KINDS)

static double xs[COUNT], ys[COUNT];

/* Round to the dtype. */
static double rounded(dpr_dtype dtype, double x)
{
	return dtype == DPR_FLOAT32 ? (double)(float)x : x;
}

static double next(dpr_dtype dtype, double x, double towards)
{
	return dtype == DPR_FLOAT32
		       ? (double)nextafterf((float)x, (float)towards)
		       : nextafter(x, towards);
}

/* A number with random bits between @low and @high powers of 2. */
static double number(struct random *seed, dpr_dtype dtype, int low, int high)
{
	double part = (double)(random_next(seed) >> 12) * 0x1p-52 + 1;
	double x = rounded(dtype,
			   ldexp(part, (int)random_between(seed, low, high)));

	return random_next(seed) >> 63 ? -x : x;
}

static void make_pair(struct random *seed, dpr_dtype dtype, enum kind kind,
		      double *x, double *y)
{
	const int top = dtype == DPR_FLOAT32 ? 126 : 1022;
	const int bottom = dtype == DPR_FLOAT32 ? -148 : -1073;
	int size;

	*y = number(seed, dtype, -20, 20);
	switch (kind) {
	case SMALL:
		size = ilogb(*y);
		*x = number(seed, dtype, size - 30, size + 17);
		break;
	case WHOLE:
		*x = rounded(dtype,
			     *y * (double)random_between(seed, -2000, 2000));
		size = (int)random_between(seed, -1, 1);
		if (size)
			*x = next(dtype, *x, size * INFINITY);
		break;
	case LARGE:
		size = ilogb(*y);
		*x = number(seed, dtype, size + 18, size + 55);
		break;
	case TINY:
		*y = number(seed, dtype, bottom, bottom + 30);
		*x = number(seed, dtype, bottom, bottom + 40);
		break;
	case HUGE_TWO:
		*y = number(seed, dtype, top - 22, top);
		*x = number(seed, dtype, top - 22, top);
		break;
	case INFINITE:
		*x = number(seed, dtype, -20, 20);
		*y = copysign(INFINITY, *y);
		break;
	default:
		*y = number(seed, dtype, bottom, top);
		*x = number(seed, dtype, bottom, top);
	}
}

static void expect(dpr_dtype dtype, double x, double y, double *quotient,
		   double *rest)
{
	double left = fmod(x, y), n = rint((x - left) / y);

	if (left != 0 && (left < 0) != (y < 0)) {
		n -= 1;
		left = dtype == DPR_FLOAT32 ? (double)((float)left + (float)y)
					    : left + y;
	}
	*quotient = n == 0 ? copysign(0, x / y) : n;
	*rest = left == 0 ? copysign(0, y) : left;
}

static dpr_array *new_array(dpr_dtype dtype, const double *from)
{
	float narrow[COUNT];
	dpr_array *x;
	int i;

	for (i = 0; i < COUNT; i++)
		narrow[i] = (float)from[i];
	CHECK_OK(dpr_array_from_memory(
		dtype == DPR_FLOAT32 ? (const void *)narrow : from,
		DPR_SHAPE(COUNT), NULL, dtype, test_queue, &x));
	return x;
}

/* A quotient that has more bits than its dtype need not be the nearest. */
static bool is_near(dpr_dtype dtype, double got, double want)
{
	const double limit = dtype == DPR_FLOAT32 ? 0x1p24 : 0x1p50;

	return fabs(want) >= limit &&
	       (rounded(dtype, want) == got ||
		fabs(got - want) <= fabs(want) * 4 / limit);
}

static void check(dpr_dtype dtype, dpr_array *results[2], bool reverse,
		  double fixed)
{
	double got[2][COUNT], want[2];
	float narrow[COUNT];
	int i, k;

	for (k = 0; k < 2; k++) {
		CHECK_OK(dpr_array_to_memory(
			results[k],
			dtype == DPR_FLOAT32 ? (void *)narrow : got[k],
			dpr_array_nbytes(results[k]), NULL));
		for (i = 0; dtype == DPR_FLOAT32 && i < COUNT; i++)
			got[k][i] = (double)narrow[i];
		dpr_array_release(results[k]);
	}
	for (i = 0; i < COUNT; i++) {
		int at = reverse ? COUNT - 1 - i : i;
		double y = fixed != 0 ? fixed : ys[at];

		expect(dtype, xs[at], y, &want[0], &want[1]);
		for (k = 0; k < 2; k++)
			ck_assert_msg(!memcmp(&got[k][i], &want[k], 8) ||
					      (!k && is_near(dtype, got[k][i],
							     want[k])),
				      "%a %s %a: %a, not %a", xs[at],
				      k ? "%" : "//", y, got[k][i], want[k]);
	}
}

/* The same elements as neighbours, through views with a stride, and with one
   divisor. */
START_TEST(quotients)
{
	const dpr_dtype dtype = _i ? DPR_FLOAT64 : DPR_FLOAT32;
	const double divisor = rounded(dtype, -4.0 / 3);
	struct random seed = { 11 };
	dpr_array *x, *y, *back[2], *results[2];
	int i;

	if (_i && !dpr_device_has(test_device, "fp64"))
		return;
	for (i = 0; i < COUNT; i++)
		make_pair(&seed, dtype, (enum kind)(i / BLOCK), &xs[i], &ys[i]);
	x = new_array(dtype, xs);
	y = new_array(dtype, ys);
	CHECK_OK(dpr_floor_divide(x, y, &results[0]));
	CHECK_OK(dpr_remainder(x, y, &results[1]));
	check(dtype, results, false, 0);
	CHECK_OK(dpr_floor_divide(x, divisor, &results[0]));
	CHECK_OK(dpr_remainder(x, divisor, &results[1]));
	check(dtype, results, false, divisor);
	CHECK_OK(
		dpr_array_view(x, &back[0], DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
	CHECK_OK(
		dpr_array_view(y, &back[1], DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
	CHECK_OK(dpr_floor_divide(back[0], back[1], &results[0]));
	CHECK_OK(dpr_remainder(back[0], back[1], &results[1]));
	check(dtype, results, true, 0);
	dpr_array_release(back[0]);
	dpr_array_release(back[1]);
	dpr_array_release(x);
	dpr_array_release(y);
}
END_TEST

static Suite *quotient_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("quotient");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, quotients, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(quotient_suite, NULL);
}
