/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_ulp.c - how accurate functions of float32 are: at most 2 ulp where the
 * device rounds division and square root correctly.
 *
 * By default each function gets samples of all exponents, on every device.
 * With DPR_TEST_WHOLE=1, on the host alone, functions of one operand get every
 * float32, and those of two 10^9 samples.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/random.h"
#include "tests/support/ulps.h"

#define BLOCK 262144 /* inputs that are given to a function at a time */

static bool whole;
static double limit; /* ulp */
static bool flushes; /* subnormal numbers may count as 0 */
static float a[BLOCK], b[BLOCK], out[BLOCK];

struct worst {
	double error;
	float a, b;
};

static float float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static bool is_subnormal(double x)
{
	return x != 0 && fabs(x) < 0x1p-126;
}

/* Where the truth is smaller than @least, errors are those beside @least. */
static void note(struct worst *worst, size_t i, double truth, double least)
{
	const double more = fabs(truth) < least ? least : 0;
	const double error = more > 0 ? fabs(out[i] - truth) / (least * 0x1p-23)
				      : ulps(out[i], truth);

	if (flushes &&
	    (is_subnormal(a[i]) || is_subnormal(b[i]) || is_subnormal(truth)))
		return;
	if (error > worst->error)
		*worst = (struct worst){ error, a[i], b[i] };
}

static dpr_array *array_of(const float *values)
{
	dpr_array *x;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(BLOCK), NULL,
				       DPR_FLOAT32, test_queue, &x));
	return x;
}

static void take_result(dpr_array *y)
{
	CHECK_OK(dpr_array_to_memory(y, out, dpr_array_nbytes(y), NULL));
	dpr_array_release(y);
}

/* --- One operand -----------------------------------------------------------
 */

struct unary {
	const char *name;
	dpr_status (*function)(dpr_operand, dpr_array **);
	double (*truth)(double);
};

static double reciprocal(double x)
{
	return 1 / x;
}

static double rsqrt(double x)
{
	return 1 / sqrt(x);
}

static double deg2rad(double x)
{
	return x * (M_PI / 180);
}

static double rad2deg(double x)
{
	return x * (180 / M_PI);
}

static double sinc(double x)
{
	const double n = rint(x), s = sin(M_PI * (x - n));

	if (x == n && isfinite(x))
		return x == 0;
	return (fmod(n, 2) != 0 ? -s : s) / (M_PI * x);
}

static const struct unary unaries[] = {
	{ "exp", (dpr_exp), exp },    { "log", (dpr_log), log },
	{ "sin", (dpr_sin), sin },    { "cos", (dpr_cos), cos },
	{ "tanh", (dpr_tanh), tanh }, { "sqrt", (dpr_sqrt), sqrt },
	{ "exp2", (dpr_exp2), exp2 },
	{ "expm1", (dpr_expm1), expm1 },
	{ "log2", (dpr_log2), log2 },
	{ "log10", (dpr_log10), log10 },
	{ "log1p", (dpr_log1p), log1p },
	{ "tan", (dpr_tan), tan },
	{ "asin", (dpr_asin), asin },
	{ "acos", (dpr_acos), acos },
	{ "atan", (dpr_atan), atan },
	{ "sinh", (dpr_sinh), sinh },
	{ "cosh", (dpr_cosh), cosh },
	{ "asinh", (dpr_asinh), asinh },
	{ "acosh", (dpr_acosh), acosh },
	{ "atanh", (dpr_atanh), atanh },
	{ "cbrt", (dpr_cbrt), cbrt },
	{ "reciprocal", (dpr_reciprocal), reciprocal },
	{ "rsqrt", (dpr_rsqrt), rsqrt },
	{ "deg2rad", (dpr_deg2rad), deg2rad },
	{ "rad2deg", (dpr_rad2deg), rad2deg },
	{ "sinc", (dpr_sinc), sinc },
	{ "erf", (dpr_erf), erf },
	{ "erfc", (dpr_erfc), erfc },
	{ "gamma", (dpr_gamma), tgamma },
	{ "lgamma", (dpr_lgamma), lgamma },
};

/* Numbers at which functions have their special cases. */
static float edge(unsigned i)
{
	static const float edges[] = {
		0.0f,
		0x1p-149f,
		0x1.fffffcp-127f,
		0x1p-126f,
		0.5f,
		0x1p-24f,
		1.0f,
		1.5f,
		2.0f,
		3.0f,
		0x1p23f,
		0x1p24f,
		0x1.fffffep127f,
		INFINITY,
		NAN,
		1.000001f,
	};
	const float x = edges[i / 2 % 16];

	return i % 2 ? -x : x;
}

/* After the edges, half of the samples: floats of every exponent and sign.  The
   other half: the range in which the functions vary most. */
static float sample(uint32_t i)
{
	if (i < 32)
		return edge(i);
	if (i >= BLOCK / 2)
		return ((float)i - 0.75f * BLOCK) * 0.001f;
	return float_of(2 * (i * 16384u + i % 16381u));
}

static void measure_unary(const struct unary *f, struct worst *worst)
{
	/* At its zeros, lgamma of negative numbers is a difference. */
	const double least = f->truth == lgamma ? 0.5 : 0;
	dpr_array *x = array_of(a), *y;

	CHECK_OK(f->function(dpr_operand_array(x), &y));
	take_result(y);
	dpr_array_release(x);
	for (size_t i = 0; i < BLOCK; i++)
		note(worst, i, f->truth(a[i]), a[i] < 0 ? least : 0);
}

START_TEST(one_operand)
{
	const struct unary *f = &unaries[_i];
	const uint32_t blocks = whole ? UINT32_MAX / BLOCK + 1 : 1;
	struct worst worst = { 0, 0, 0 };

	for (uint32_t block = 0; block < blocks; block++) {
		for (uint32_t i = 0; i < BLOCK; i++)
			a[i] = whole ? float_of(block * BLOCK + i) : sample(i);
		measure_unary(f, &worst);
	}
	if (whole)
		printf("%s: %.3f ulp at %a\n", f->name, worst.error,
		       (double)worst.a);
	ck_assert_msg(worst.error <= limit, "%s: %g ulp at %a", f->name,
		      worst.error, (double)worst.a);
}
END_TEST

/* --- Two operands ----------------------------------------------------------
 */

struct binary {
	const char *name;
	dpr_status (*function)(dpr_operand, dpr_operand, dpr_array **);
	double (*truth)(double, double);
	double least; /* see note() */
};

/* The larger one and a logarithm can cancel. */
static double logaddexp(double x, double y)
{
	const double less = x == y ? 0 : -fabs(x - y);

	return (x < y ? y : x) + log1p(exp(less));
}

static const struct binary binaries[] = {
	{ "pow", (dpr_pow), pow, 0 },
	{ "atan2", (dpr_atan2), atan2, 0 },
	{ "hypot", (dpr_hypot), hypot, 0 },
	{ "fmod", (dpr_fmod), fmod, 0 },
	{ "logaddexp", (dpr_logaddexp), logaddexp, 0.5 },
};

/* Pairs of edges first; then by turns any bits, and numbers of moderate size.
 */
static void fill_pairs(uint64_t block, struct random *random)
{
	for (uint32_t i = 0; i < BLOCK; i++) {
		const uint64_t bits = random_next(random);

		if (!block && i < 32 * 32) {
			a[i] = edge(i / 32);
			b[i] = edge(i % 32);
		} else if (i % 2) {
			a[i] = float_of((uint32_t)bits);
			b[i] = float_of((uint32_t)(bits >> 32));
		} else {
			a[i] = (float)(uint32_t)bits * 0x1p-26f;
			b[i] = (float)(int32_t)(bits >> 32) * 0x1p-26f;
		}
	}
}

START_TEST(two_operands)
{
	const struct binary *f = &binaries[_i];
	const uint64_t blocks = whole ? 1000000000 / BLOCK + 1 : 2;
	struct worst worst = { 0, 0, 0 };
	struct random random = { 1 };

	for (uint64_t block = 0; block < blocks; block++) {
		dpr_array *x, *y, *z;

		fill_pairs(block, &random);
		x = array_of(a);
		y = array_of(b);
		CHECK_OK(f->function(dpr_operand_array(x), dpr_operand_array(y),
				     &z));
		take_result(z);
		dpr_array_release(x);
		dpr_array_release(y);
		for (size_t i = 0; i < BLOCK; i++)
			note(&worst, i, f->truth(a[i], b[i]), f->least);
	}
	if (whole)
		printf("%s: %.3f ulp at %a, %a\n", f->name, worst.error,
		       (double)worst.a, (double)worst.b);
	ck_assert_msg(worst.error <= limit, "%s: %g ulp at %a, %a", f->name,
		      worst.error, (double)worst.a, (double)worst.b);
}
END_TEST

static Suite *ulp_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("ulp");
	uint64_t keeps = 0;

	/* OpenCL allows 2.5 ulp for a division and 3 for a square root. */
	if (dpr_device_info_u64(test_device, DPR_INFO_SINGLE_FP_CONFIG, &keeps))
		keeps = 0;
	limit = keeps & DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? 2 : 8;
	flushes = !(keeps & DPR_FP_DENORM);

	tcase_set_timeout(tcase, whole ? 7200 : 120);
	tcase_add_loop_test(tcase, one_operand, 0,
			    sizeof(unaries) / sizeof(unaries[0]));
	tcase_add_loop_test(tcase, two_operands, 0,
			    sizeof(binaries) / sizeof(binaries[0]));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const char *all = getenv("DPR_TEST_WHOLE");

	whole = all && *all == '1';
	return run_on_selected(ulp_suite, whole ? "host" : NULL);
}
