/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_ulp_double.c - how accurate functions of float64 are on each device: at
 * most 2 ulp, as measured with the long double functions of the C library.
 * Exits 77 where long double is no longer than double.
 *
 * With DPR_TEST_WHOLE=1, on the host alone, with 1000 times as many samples,
 * and prints the worst input of each function.
 */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/random.h"

#define BLOCK 65536 /* inputs that are given to a function at a time */

static bool whole;
static bool flushes; /* subnormal numbers may count as 0 */
static double a[BLOCK], b[BLOCK], out[BLOCK];

static long double reciprocal(long double x)
{
	return 1 / x;
}

static long double rsqrt(long double x)
{
	return 1 / sqrtl(x);
}

static long double deg2rad(long double x)
{
	return x * (acosl(-1) / 180);
}

static long double rad2deg(long double x)
{
	return x * (180 / acosl(-1));
}

static long double sinc(long double x)
{
	const long double n = rintl(x), pi = acosl(-1), s = sinl(pi * (x - n));

	if (x == n && isfinite(x))
		return x == 0;
	return (fmodl(n, 2) != 0 ? -s : s) / (pi * x);
}

/* The larger one and a logarithm can cancel. */
static long double logaddexp(long double x, long double y)
{
	const long double less = x == y ? 0 : -fabsl(x - y);

	return (x < y ? y : x) + log1pl(expl(less));
}

/* lgamma of numbers above 0.  Below 0, lgamma is a difference near its
   zeros. */
static dpr_status lgamma_above(dpr_operand x, dpr_array **y)
{
	dpr_array *size;

	CHECK_OK((dpr_abs)(x, &size));
	CHECK_OK((dpr_lgamma)(dpr_operand_array(size), y));
	dpr_array_release(size);
	return DPR_OK;
}

static long double lgammal_above(long double x)
{
	return lgammal(fabsl(x));
}

static const struct {
	const char *name;
	dpr_status (*one)(dpr_operand, dpr_array **);
	long double (*one_truth)(long double);
	dpr_status (*two)(dpr_operand, dpr_operand, dpr_array **);
	long double (*two_truth)(long double, long double);
	double limit; /* ulp */
	double least; /* errors of smaller results are those beside it */
} functions[] = {
	{ "exp", (dpr_exp), expl, NULL, NULL, 1.25, 0 },
	{ "log", (dpr_log), logl, NULL, NULL, 1.25, 0 },
	{ "sin", (dpr_sin), sinl, NULL, NULL, 1.75, 0 },
	{ "cos", (dpr_cos), cosl, NULL, NULL, 1.75, 0 },
	{ "tanh", (dpr_tanh), tanhl, NULL, NULL, 1.75, 0 },
	{ "sqrt", (dpr_sqrt), sqrtl, NULL, NULL, 0.51, 0 },
	{ "exp2", (dpr_exp2), exp2l, NULL, NULL, 1.25, 0 },
	{ "expm1", (dpr_expm1), expm1l, NULL, NULL, 1.75, 0 },
	{ "log2", (dpr_log2), log2l, NULL, NULL, 1.25, 0 },
	{ "log10", (dpr_log10), log10l, NULL, NULL, 1.25, 0 },
	{ "log1p", (dpr_log1p), log1pl, NULL, NULL, 1.25, 0 },
	{ "tan", (dpr_tan), tanl, NULL, NULL, 1.75, 0 },
	{ "asin", (dpr_asin), asinl, NULL, NULL, 1.5, 0 },
	{ "acos", (dpr_acos), acosl, NULL, NULL, 1.5, 0 },
	{ "atan", (dpr_atan), atanl, NULL, NULL, 1.75, 0 },
	{ "sinh", (dpr_sinh), sinhl, NULL, NULL, 1.75, 0 },
	{ "cosh", (dpr_cosh), coshl, NULL, NULL, 1.75, 0 },
	{ "asinh", (dpr_asinh), asinhl, NULL, NULL, 1.5, 0 },
	{ "acosh", (dpr_acosh), acoshl, NULL, NULL, 2, 0 },
	{ "atanh", (dpr_atanh), atanhl, NULL, NULL, 1.25, 0 },
	{ "pow", NULL, NULL, (dpr_pow), powl, 1.25, 0 },
	{ "atan2", NULL, NULL, (dpr_atan2), atan2l, 1.75, 0 },
	{ "hypot", NULL, NULL, (dpr_hypot), hypotl, 1.25, 0 },
	{ "cbrt", (dpr_cbrt), cbrtl, NULL, NULL, 0.75, 0 },
	{ "reciprocal", (dpr_reciprocal), reciprocal, NULL, NULL, 0.51, 0 },
	{ "rsqrt", (dpr_rsqrt), rsqrt, NULL, NULL, 1.75, 0 },
	{ "deg2rad", (dpr_deg2rad), deg2rad, NULL, NULL, 1.25, 0 },
	{ "rad2deg", (dpr_rad2deg), rad2deg, NULL, NULL, 1.25, 0 },
	{ "sinc", (dpr_sinc), sinc, NULL, NULL, 2, 0 },
	{ "erf", (dpr_erf), erfl, NULL, NULL, 2, 0 },
	{ "erfc", (dpr_erfc), erfcl, NULL, NULL, 2, 0 },
	{ "gamma", (dpr_gamma), tgammal, NULL, NULL, 1.75, 0 },
	{ "lgamma", (dpr_lgamma), lgammal, NULL, NULL, 2, 0.5 },
	{ "lgamma above 0", lgamma_above, lgammal_above, NULL, NULL, 2, 0 },
	{ "fmod", NULL, NULL, (dpr_fmod), fmodl, 0, 0 },
	{ "logaddexp", NULL, NULL, (dpr_logaddexp), logaddexp, 2, 0.5 },
};

/* --- Inputs ----------------------------------------------------------------
 */

/* Where functions have their special cases; the last one before infinity is
   next to a multiple of pi/2. */
static const double edges[] = {
	0.0,
	0x1p-1074,
	0x1.ffffffffffffep-1023,
	0x1p-1022,
	0x1p-54,
	0.5,
	0x1.6a09e667f3bcdp-1,
	0x1.fffffffffffffp-1,
	1.0,
	0x1.0000000000001p+0,
	1.5,
	2.0,
	3.0,
	0x1.62e42fefa39efp+9,
	0x1.74910d52d3051p+9,
	1075.0,
	0x1p39,
	0x1p40,
	0x1p51,
	0x1.8p52,
	0x1.0000000000001p53,
	0x1p500,
	0x1.fffffffffffffp1023,
	0x1.6ac5b262ca1ffp+849,
	INFINITY,
	NAN,
};
enum { EDGES = 2 * sizeof(edges) / sizeof(edges[0]) };

static double edge(unsigned i)
{
	return i % 2 ? -edges[i / 2] : edges[i / 2];
}

/* From -1 to 1. */
static double fraction(struct random *random)
{
	return (double)(int64_t)random_next(random) * 0x1p-63;
}

static double any_bits(struct random *random)
{
	const uint64_t bits = random_next(random);
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Pairs of edges first; then by turns any bits, numbers of moderate size, of
   many exponents, near 1, and a power that is just finite.  A run of one kind
   is long enough for a fast path. */
static void fill(bool first, struct random *random)
{
	for (unsigned i = 0; i < BLOCK; i++) {
		const int scale = (int)random_between(random, -60, 60);
		const unsigned kind = i / 1024 % 5;

		if (first && i < EDGES * EDGES) {
			a[i] = edge(i % EDGES);
			b[i] = edge(i / EDGES);
			continue;
		}
		a[i] = any_bits(random);
		b[i] = any_bits(random);
		if (kind == 1) {
			a[i] = 50 * fraction(random);
			b[i] = 50 * fraction(random);
		} else if (kind == 2) {
			a[i] = ldexp(fraction(random), scale);
			b[i] = ldexp(fraction(random), scale / 2);
		} else if (kind == 3) {
			a[i] = 1 + ldexp(fraction(random), -abs(scale));
			b[i] = 1080 * fraction(random) / log2(fabs(a[i]));
		} else if (kind == 4) {
			a[i] = fabs(a[i]);
			b[i] = 1080 * fraction(random) / log2(a[i]);
		}
	}
}

/* --- Errors ----------------------------------------------------------------
 */

/* The error of @got.  A NaN on one side only, and a wrong infinity or sign of
   0, is an infinite one. */
static double error_of(double got, long double truth, double least)
{
	const double rounded = (double)truth;
	int exponent;

	if (isnan(rounded) || isnan(got))
		return isnan(rounded) && isnan(got) ? 0 : HUGE_VAL;
	if (isinf(rounded) != isinf(got) && !isinf(truth)) {
		/* The largest numbers may be rounded to infinity. */
		truth = ldexpl(truth, -1);
		return (double)(fabsl(copysignl(0x1p1023L, truth) - truth) /
				0x1p970L);
	}
	if (isinf(rounded) || isinf(got))
		return got == rounded ? 0 : HUGE_VAL;
	if (truth == 0)
		return got == 0 && !signbit(got) == !signbit(truth) ? 0
								    : HUGE_VAL;
	frexpl(fabsl(truth) < least ? least : truth, &exponent);
	exponent = exponent < -1021 ? -1021 : exponent;
	return (double)ldexpl(fabsl(got - truth), 53 - exponent);
}

static bool is_subnormal(double x)
{
	return x != 0 && fabs(x) < DBL_MIN;
}

/* Compute a block of function @f, and return the index of its worst result. */
static unsigned measure(int f, double *worst)
{
	unsigned at = 0;
	dpr_array *x, *y, *z;

	CHECK_OK(dpr_array_from_memory(a, DPR_SHAPE(BLOCK), NULL, DPR_FLOAT64,
				       test_queue, &x));
	CHECK_OK(dpr_array_from_memory(b, DPR_SHAPE(BLOCK), NULL, DPR_FLOAT64,
				       test_queue, &y));
	if (functions[f].one)
		CHECK_OK(functions[f].one(dpr_operand_array(x), &z));
	else
		CHECK_OK(functions[f].two(dpr_operand_array(x),
					  dpr_operand_array(y), &z));
	CHECK_OK(dpr_array_to_memory(z, out, dpr_array_nbytes(z), NULL));
	dpr_array_release(z);
	dpr_array_release(y);
	dpr_array_release(x);
	*worst = 0;
	for (unsigned i = 0; i < BLOCK; i++) {
		const long double truth =
			functions[f].one ? functions[f].one_truth(a[i])
					 : functions[f].two_truth(a[i], b[i]);
		const double error = error_of(out[i], truth, functions[f].least);

		if (flushes && (is_subnormal(a[i]) || is_subnormal(b[i]) ||
				is_subnormal((double)truth)))
			continue;
		if (error > *worst) {
			*worst = error;
			at = i;
		}
	}
	return at;
}

START_TEST(errors_are_small)
{
	struct random random = { 1 };
	double worst = 0, of_a = 0, of_b = 0;

	if (!dpr_device_has(test_device, "fp64"))
		return;
	for (int block = 0; block < (whole ? 1000 : 1); block++) {
		double error;
		unsigned at;

		fill(!block, &random);
		at = measure(_i, &error);
		if (error > worst) {
			worst = error;
			of_a = a[at];
			of_b = b[at];
		}
	}
	if (whole)
		printf("%s: %.3f ulp at %a, %a\n", functions[_i].name, worst,
		       of_a, of_b);
	ck_assert_msg(worst <= functions[_i].limit, "%s: %g ulp at %a, %a",
		      functions[_i].name, worst, of_a, of_b);
}
END_TEST

static Suite *ulp_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("ulp");
	uint64_t keeps = 0;

	if (dpr_device_info_u64(test_device, DPR_INFO_DOUBLE_FP_CONFIG, &keeps))
		keeps = 0;
	flushes = !(keeps & DPR_FP_DENORM);
	tcase_set_timeout(tcase, whole ? 7200 : 120);
	tcase_add_loop_test(tcase, errors_are_small, 0,
			    sizeof(functions) / sizeof(functions[0]));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const char *all = getenv("DPR_TEST_WHOLE");

	if (LDBL_MANT_DIG <= DBL_MANT_DIG) {
		printf("long double is no longer than double here\n");
		return 77;
	}
	whole = all && *all == '1';
	return run_on_selected(ulp_suite, whole ? "host" : NULL);
}
