/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_special.c - special values of functions, as the array API standard states
 * them: functions such as sin, exp, log and sqrt of complex infinities and NaN,
 * floor_divide and remainder at infinities and zeros, the sign of zeros.  For
 * gamma and lgamma the C standard states them.  Also complex quotients of tiny
 * numbers.
 */
#include <check.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* --- Complex functions -------------------------------------------------- */

/* A zero or infinity whose sign the standard leaves open. */
enum { ANY_SIGN_RE = 1, ANY_SIGN_IM = 2 };

struct complex_case {
	double in[2], out[2];
	unsigned open;
};

/* The standard's cases of sinh, cosh and tanh.  Those of sin and cos follow
   from sin(z) = -i sinh(iz) and cos(z) = cosh(iz). */
static const struct complex_case sinh_cases[] = {
	{ { 0, 0 }, { 0, 0 }, 0 },
	{ { 0, INFINITY }, { 0, NAN }, ANY_SIGN_RE },
	{ { 0, NAN }, { 0, NAN }, ANY_SIGN_RE },
	{ { 2, INFINITY }, { NAN, NAN }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { INFINITY, 0 }, { INFINITY, 0 }, 0 },
	{ { INFINITY, 1 }, { INFINITY, INFINITY }, 0 },
	{ { INFINITY, 2 }, { -INFINITY, INFINITY }, 0 },
	{ { INFINITY, INFINITY }, { INFINITY, NAN }, ANY_SIGN_RE },
	{ { INFINITY, NAN }, { INFINITY, NAN }, ANY_SIGN_RE },
	{ { NAN, 0 }, { NAN, 0 }, 0 },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, INFINITY }, { NAN, NAN }, 0 },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
};

static const struct complex_case cosh_cases[] = {
	{ { 0, 0 }, { 1, 0 }, 0 },
	{ { 0, INFINITY }, { NAN, 0 }, ANY_SIGN_IM },
	{ { 0, NAN }, { NAN, 0 }, ANY_SIGN_IM },
	{ { 2, INFINITY }, { NAN, NAN }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { INFINITY, 0 }, { INFINITY, 0 }, 0 },
	{ { INFINITY, 1 }, { INFINITY, INFINITY }, 0 },
	{ { INFINITY, 2 }, { -INFINITY, INFINITY }, 0 },
	{ { INFINITY, INFINITY }, { INFINITY, NAN }, ANY_SIGN_RE },
	{ { INFINITY, NAN }, { INFINITY, NAN }, 0 },
	{ { NAN, 0 }, { NAN, 0 }, ANY_SIGN_IM },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, INFINITY }, { NAN, NAN }, 0 },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
};

static const struct complex_case tanh_cases[] = {
	{ { 0, 0 }, { 0, 0 }, 0 },
	{ { 2, INFINITY }, { NAN, NAN }, 0 },
	{ { 300, INFINITY }, { NAN, NAN }, 0 },
	{ { 0, INFINITY }, { 0, NAN }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { 300, NAN }, { NAN, NAN }, 0 },
	{ { 0, NAN }, { 0, NAN }, 0 },
	{ { INFINITY, 0 }, { 1, 0 }, 0 },
	{ { INFINITY, 1 }, { 1, 0 }, 0 },
	{ { INFINITY, 2 }, { 1, -0.0 }, 0 },
	{ { INFINITY, 3e38 }, { 1, 0 }, ANY_SIGN_IM },
	{ { INFINITY, INFINITY }, { 1, 0 }, ANY_SIGN_IM },
	{ { INFINITY, NAN }, { 1, 0 }, ANY_SIGN_IM },
	{ { NAN, 0 }, { NAN, 0 }, 0 },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
};

static const struct complex_case exp_cases[] = {
	{ { 0, 0 }, { 1, 0 }, 0 },
	{ { -0.0, 0 }, { 1, 0 }, 0 },
	{ { 2, INFINITY }, { NAN, NAN }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { INFINITY, 0 }, { INFINITY, 0 }, 0 },
	{ { -INFINITY, 1 }, { 0, 0 }, 0 },
	{ { -INFINITY, 2 }, { -0.0, 0 }, 0 },
	{ { INFINITY, 1 }, { INFINITY, INFINITY }, 0 },
	{ { INFINITY, 2 }, { -INFINITY, INFINITY }, 0 },
	{ { -INFINITY, INFINITY }, { 0, 0 }, ANY_SIGN_RE | ANY_SIGN_IM },
	{ { INFINITY, INFINITY }, { INFINITY, NAN }, ANY_SIGN_RE },
	{ { -INFINITY, NAN }, { 0, 0 }, ANY_SIGN_RE | ANY_SIGN_IM },
	{ { INFINITY, NAN }, { INFINITY, NAN }, ANY_SIGN_RE },
	{ { NAN, 0 }, { NAN, 0 }, 0 },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, INFINITY }, { NAN, NAN }, 0 },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
};

static const struct complex_case expm1_cases[] = {
	{ { 0, 0 }, { 0, 0 }, 0 },
	{ { -0.0, 0 }, { -0.0, 0 }, 0 },
	{ { 2, INFINITY }, { NAN, NAN }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { INFINITY, 0 }, { INFINITY, 0 }, 0 },
	{ { -INFINITY, 1 }, { -1, 0 }, 0 },
	{ { -INFINITY, 2 }, { -1, 0 }, 0 },
	{ { INFINITY, 1 }, { INFINITY, INFINITY }, 0 },
	{ { INFINITY, 2 }, { -INFINITY, INFINITY }, 0 },
	{ { -INFINITY, INFINITY }, { -1, 0 }, ANY_SIGN_IM },
	{ { INFINITY, INFINITY }, { INFINITY, NAN }, ANY_SIGN_RE },
	{ { -INFINITY, NAN }, { -1, 0 }, ANY_SIGN_IM },
	{ { INFINITY, NAN }, { INFINITY, NAN }, ANY_SIGN_RE },
	{ { NAN, 0 }, { NAN, 0 }, 0 },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, INFINITY }, { NAN, NAN }, 0 },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
};

static const struct complex_case exp2_cases[] = {
	{ { 0, 0 }, { 1, 0 }, 0 },
	{ { -0.0, 0 }, { 1, 0 }, 0 },
	{ { 3, 0 }, { 8, 0 }, 0 },
	{ { 2, INFINITY }, { NAN, NAN }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { INFINITY, 0 }, { INFINITY, 0 }, 0 },
	{ { -INFINITY, 1 }, { 0, 0 }, 0 },
	{ { -INFINITY, 3 }, { -0.0, 0 }, 0 },
	{ { INFINITY, 1 }, { INFINITY, INFINITY }, 0 },
	{ { INFINITY, 3 }, { -INFINITY, INFINITY }, 0 },
	{ { -INFINITY, INFINITY }, { 0, 0 }, ANY_SIGN_RE | ANY_SIGN_IM },
	{ { INFINITY, INFINITY }, { INFINITY, NAN }, ANY_SIGN_RE },
	{ { -INFINITY, NAN }, { 0, 0 }, ANY_SIGN_RE | ANY_SIGN_IM },
	{ { INFINITY, NAN }, { INFINITY, NAN }, ANY_SIGN_RE },
	{ { NAN, 0 }, { NAN, 0 }, 0 },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, INFINITY }, { NAN, NAN }, 0 },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
};

/* The standard's cases of acos, acosh, asinh and atanh.  Those of asin and atan
   follow from asin(z) = -i asinh(iz) and atan(z) = -i atanh(iz).  The numbers of
   the branch cuts are acosh(2) and atanh(1/2). */
static const struct complex_case acos_cases[] = {
	{ { 0, 0 }, { M_PI_2, -0.0 }, 0 },
	{ { -0.0, 0 }, { M_PI_2, -0.0 }, 0 },
	{ { 0, NAN }, { M_PI_2, NAN }, 0 },
	{ { -0.0, NAN }, { M_PI_2, NAN }, 0 },
	{ { 2, INFINITY }, { M_PI_2, -INFINITY }, 0 },
	{ { 0, INFINITY }, { M_PI_2, -INFINITY }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { -INFINITY, 2 }, { M_PI, -INFINITY }, 0 },
	{ { INFINITY, 2 }, { 0, -INFINITY }, 0 },
	{ { -INFINITY, INFINITY }, { 3 * M_PI_4, -INFINITY }, 0 },
	{ { INFINITY, INFINITY }, { M_PI_4, -INFINITY }, 0 },
	{ { INFINITY, NAN }, { NAN, INFINITY }, ANY_SIGN_IM },
	{ { -INFINITY, NAN }, { NAN, INFINITY }, ANY_SIGN_IM },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, INFINITY }, { NAN, -INFINITY }, 0 },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
	{ { 1, 0 }, { 0, -0.0 }, 0 },
	{ { -1, 0 }, { M_PI, -0.0 }, 0 },
	{ { 2, 0 }, { 0, -1.3169578969248166 }, 0 },
	{ { -2, 0 }, { M_PI, -1.3169578969248166 }, 0 },
};

static const struct complex_case acosh_cases[] = {
	{ { 0, 0 }, { 0, M_PI_2 }, 0 },
	{ { -0.0, 0 }, { 0, M_PI_2 }, 0 },
	{ { 2, INFINITY }, { INFINITY, M_PI_2 }, 0 },
	{ { 0, INFINITY }, { INFINITY, M_PI_2 }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { 0, NAN }, { NAN, M_PI_2 }, ANY_SIGN_IM },
	{ { -INFINITY, 2 }, { INFINITY, M_PI }, 0 },
	{ { INFINITY, 2 }, { INFINITY, 0 }, 0 },
	{ { -INFINITY, INFINITY }, { INFINITY, 3 * M_PI_4 }, 0 },
	{ { INFINITY, INFINITY }, { INFINITY, M_PI_4 }, 0 },
	{ { INFINITY, NAN }, { INFINITY, NAN }, 0 },
	{ { -INFINITY, NAN }, { INFINITY, NAN }, 0 },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, INFINITY }, { INFINITY, NAN }, 0 },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
	{ { 1, 0 }, { 0, 0 }, 0 },
	{ { -1, 0 }, { 0, M_PI }, 0 },
	{ { 0.5, 0 }, { 0, M_PI / 3 }, 0 },
	{ { -2, 0 }, { 1.3169578969248166, M_PI }, 0 },
};

static const struct complex_case asinh_cases[] = {
	{ { 0, 0 }, { 0, 0 }, 0 },
	{ { 2, INFINITY }, { INFINITY, M_PI_2 }, 0 },
	{ { 0, INFINITY }, { INFINITY, M_PI_2 }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { 0, NAN }, { NAN, NAN }, 0 },
	{ { INFINITY, 2 }, { INFINITY, 0 }, 0 },
	{ { INFINITY, INFINITY }, { INFINITY, M_PI_4 }, 0 },
	{ { INFINITY, NAN }, { INFINITY, NAN }, 0 },
	{ { NAN, 0 }, { NAN, 0 }, 0 },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, INFINITY }, { INFINITY, NAN }, ANY_SIGN_RE },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
	{ { 0, 1 }, { 0, M_PI_2 }, 0 },
	{ { 0, 2 }, { 1.3169578969248166, M_PI_2 }, 0 },
};

static const struct complex_case atanh_cases[] = {
	{ { 0, 0 }, { 0, 0 }, 0 },
	{ { 0, NAN }, { 0, NAN }, 0 },
	{ { 1, 0 }, { INFINITY, 0 }, 0 },
	{ { 2, INFINITY }, { 0, M_PI_2 }, 0 },
	{ { 0, INFINITY }, { 0, M_PI_2 }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { INFINITY, 2 }, { 0, M_PI_2 }, 0 },
	{ { INFINITY, INFINITY }, { 0, M_PI_2 }, 0 },
	{ { INFINITY, NAN }, { 0, NAN }, 0 },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, 0 }, { NAN, NAN }, 0 },
	{ { NAN, INFINITY }, { 0, M_PI_2 }, ANY_SIGN_RE },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
	{ { 0.5, 0 }, { 0.5493061443340548, 0 }, 0 },
	{ { 2, 0 }, { 0.5493061443340548, M_PI_2 }, 0 },
};

static const struct complex_case log1p_cases[] = {
	{ { -1, 0 }, { -INFINITY, 0 }, 0 },
	{ { 0, 0 }, { 0, 0 }, 0 },
};

static const struct complex_case log_cases[] = {
	{ { -0.0, 0 }, { -INFINITY, M_PI }, 0 },
	{ { 0, 0 }, { -INFINITY, 0 }, 0 },
};

/* Cases of log() and of log1p(). */
static const struct complex_case large_log_cases[] = {
	{ { 2, INFINITY }, { INFINITY, M_PI_2 }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { -INFINITY, 2 }, { INFINITY, M_PI }, 0 },
	{ { INFINITY, 2 }, { INFINITY, 0 }, 0 },
	{ { -INFINITY, INFINITY }, { INFINITY, 3 * M_PI_4 }, 0 },
	{ { INFINITY, INFINITY }, { INFINITY, M_PI_4 }, 0 },
	{ { INFINITY, NAN }, { INFINITY, NAN }, 0 },
	{ { -INFINITY, NAN }, { INFINITY, NAN }, 0 },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, INFINITY }, { INFINITY, NAN }, 0 },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
};

static const struct complex_case sqrt_cases[] = {
	{ { 0, 0 }, { 0, 0 }, 0 },
	{ { -0.0, 0 }, { 0, 0 }, 0 },
	{ { 2, INFINITY }, { INFINITY, INFINITY }, 0 },
	{ { INFINITY, INFINITY }, { INFINITY, INFINITY }, 0 },
	{ { -INFINITY, INFINITY }, { INFINITY, INFINITY }, 0 },
	{ { NAN, INFINITY }, { INFINITY, INFINITY }, 0 },
	{ { 2, NAN }, { NAN, NAN }, 0 },
	{ { -INFINITY, 2 }, { 0, INFINITY }, 0 },
	{ { INFINITY, 2 }, { INFINITY, 0 }, 0 },
	{ { -INFINITY, NAN }, { NAN, INFINITY }, ANY_SIGN_IM },
	{ { INFINITY, NAN }, { INFINITY, NAN }, 0 },
	{ { NAN, 2 }, { NAN, NAN }, 0 },
	{ { NAN, NAN }, { NAN, NAN }, 0 },
};

static const struct complex_case proj_cases[] = {
	{ { 2, -3 }, { 2, -3 }, 0 },
	{ { -0.0, 0 }, { -0.0, 0 }, 0 },
	{ { INFINITY, 2 }, { INFINITY, 0 }, 0 },
	{ { -INFINITY, 2 }, { INFINITY, 0 }, 0 },
	{ { -INFINITY, INFINITY }, { INFINITY, 0 }, 0 },
	{ { 2, INFINITY }, { INFINITY, 0 }, 0 },
	{ { NAN, INFINITY }, { INFINITY, 0 }, 0 },
	{ { -INFINITY, NAN }, { INFINITY, 0 }, ANY_SIGN_IM },
	{ { NAN, 2 }, { NAN, 2 }, 0 },
	{ { 2, NAN }, { 2, NAN }, 0 },
};

enum symmetry {
	SYMMETRY_NONE, /* but that of the conjugate, which all have */
	SYMMETRY_EVEN,
	SYMMETRY_ODD
};

static const struct {
	const char *name;
	dpr_status (*function)(dpr_operand, dpr_array **);
	const struct complex_case *cases;
	size_t count;
	bool transposed; /* by i: the cases are those of the hyperbolic function
			  */
	enum symmetry symmetry;
} functions[] = {
#define CASES(c) c, sizeof(c) / sizeof((c)[0])
	{ "sin", (dpr_sin), CASES(sinh_cases), true, SYMMETRY_ODD },
	{ "cos", (dpr_cos), CASES(cosh_cases), true, SYMMETRY_EVEN },
	{ "tanh", (dpr_tanh), CASES(tanh_cases), false, SYMMETRY_ODD },
	{ "sinh", (dpr_sinh), CASES(sinh_cases), false, SYMMETRY_ODD },
	{ "cosh", (dpr_cosh), CASES(cosh_cases), false, SYMMETRY_EVEN },
	{ "tan", (dpr_tan), CASES(tanh_cases), true, SYMMETRY_ODD },
	{ "expm1", (dpr_expm1), CASES(expm1_cases), false, SYMMETRY_NONE },
	{ "log1p", (dpr_log1p), CASES(log1p_cases), false, SYMMETRY_NONE },
	{ "log1p", (dpr_log1p), CASES(large_log_cases), false, SYMMETRY_NONE },
	{ "exp", (dpr_exp), CASES(exp_cases), false, SYMMETRY_NONE },
	{ "log", (dpr_log), CASES(log_cases), false, SYMMETRY_NONE },
	{ "log", (dpr_log), CASES(large_log_cases), false, SYMMETRY_NONE },
	{ "sqrt", (dpr_sqrt), CASES(sqrt_cases), false, SYMMETRY_NONE },
	{ "proj", (dpr_proj), CASES(proj_cases), false, SYMMETRY_NONE },
	{ "exp2", (dpr_exp2), CASES(exp2_cases), false, SYMMETRY_NONE },
	{ "asin", (dpr_asin), CASES(asinh_cases), true, SYMMETRY_ODD },
	{ "acos", (dpr_acos), CASES(acos_cases), false, SYMMETRY_NONE },
	{ "atan", (dpr_atan), CASES(atanh_cases), true, SYMMETRY_ODD },
	{ "asinh", (dpr_asinh), CASES(asinh_cases), false, SYMMETRY_ODD },
	{ "acosh", (dpr_acosh), CASES(acosh_cases), false, SYMMETRY_NONE },
	{ "atanh", (dpr_atanh), CASES(atanh_cases), false, SYMMETRY_ODD },
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* The value of a complex function as a complex number, computed in @dtype. */
static void compute(int which, const double in[2], double out[2],
		    dpr_dtype dtype)
{
	const bool narrow = dtype == DPR_COMPLEX64;
	const float narrow_in[2] = { (float)in[0], (float)in[1] };
	float narrow_out[2] = { 0, 0 };
	dpr_array *x, *y;

	CHECK_OK(dpr_array_from_memory(
		narrow ? (const void *)narrow_in : (const void *)in,
		DPR_SHAPE(1), NULL, dtype, test_queue, &x));
	CHECK_OK(functions[which].function(dpr_operand_array(x), &y));
	CHECK_OK(dpr_array_to_memory(y,
				     narrow ? (void *)narrow_out : (void *)out,
				     dpr_array_nbytes(y), NULL));
	if (narrow) {
		out[0] = narrow_out[0];
		out[1] = narrow_out[1];
	}
	dpr_array_release(x);
	dpr_array_release(y);
}

static bool is_same(double got, double want, bool any_sign)
{
	if (isnan(want))
		return isnan(got);
	if (any_sign)
		return is_same(fabs(got), fabs(want), false);
	/* An angle is rounded. */
	return (got == want || fabs(got - want) < 1e-6) &&
	       !signbit(got) == !signbit(want);
}

/* Check one case with the real part times @re and the imaginary part times
   @im, each 1 or -1. */
static void check_case(int which, const struct complex_case *c, dpr_dtype dtype,
		       int re, int im)
{
	const double z[2] = { c->in[0] * re, c->in[1] * im };
	const bool odd = functions[which].symmetry == SYMMETRY_ODD;
	double in[2] = { z[0], z[1] }, got[2], out[2];

	/* sin(z) = -i sinh(iz), so sinh(w) = i sin(-iw); cosh(w) = cos(-iw). */
	if (functions[which].transposed) {
		in[0] = z[1];
		in[1] = -z[0];
	}
	compute(which, in, got, dtype);
	out[0] = got[0];
	out[1] = got[1];
	if (functions[which].transposed && odd) {
		out[0] = -got[1];
		out[1] = got[0];
	}
	/* f(conj z) = conj f(z), and f(-z) is f(z) or -f(z). */
	out[0] *= odd ? re : 1;
	out[1] *= odd ? im : re * im;
	ck_assert_msg(is_same(out[0], c->out[0], c->open & ANY_SIGN_RE) &&
			      is_same(out[1], c->out[1], c->open & ANY_SIGN_IM),
		      "%s %s: of %g %gi: %g %gi", functions[which].name,
		      dpr_dtype_name(dtype), in[0], in[1], got[0], got[1]);
}

START_TEST(complex_functions)
{
	const dpr_dtype dtype = _i % 2 ? DPR_COMPLEX128 : DPR_COMPLEX64;
	const int which = _i / 2;

	if (dtype == DPR_COMPLEX128 && !dpr_device_has(test_device, "fp64"))
		return;
	for (size_t i = 0; i < functions[which].count; i++)
		for (int signs = 0; signs < 4; signs++)
			if (functions[which].symmetry || !(signs & 1))
				check_case(which, &functions[which].cases[i],
					   dtype, signs & 1 ? -1 : 1,
					   signs & 2 ? -1 : 1);
}
END_TEST

/* --- floor_divide and remainder ----------------------------------------- */

struct real_case {
	float x, y, quotient, rest;
};

/* The standard also allows NaN as the quotient of an infinity; dpr does not
   give it. */
static const struct real_case real_cases[] = {
	{ NAN, 2, NAN, NAN },
	{ 2, NAN, NAN, NAN },
	{ INFINITY, INFINITY, NAN, NAN },
	{ INFINITY, -INFINITY, NAN, NAN },
	{ 0.0f, 0.0f, NAN, NAN },
	{ 0.0f, -0.0f, NAN, NAN },
	{ 0.0f, 2, 0.0f, 0.0f },
	{ -0.0f, 2, -0.0f, 0.0f },
	{ 0.0f, -2, -0.0f, -0.0f },
	{ -0.0f, -2, 0.0f, -0.0f },
	{ 2, 0.0f, INFINITY, NAN },
	{ 2, -0.0f, -INFINITY, NAN },
	{ -2, 0.0f, -INFINITY, NAN },
	{ -2, -0.0f, INFINITY, NAN },
	{ INFINITY, 2, INFINITY, NAN },
	{ INFINITY, -2, -INFINITY, NAN },
	{ -INFINITY, 2, -INFINITY, NAN },
	{ -INFINITY, -2, INFINITY, NAN },
	{ 2, INFINITY, 0.0f, 2 },
	{ 2, -INFINITY, -1, -INFINITY },
	{ -2, INFINITY, -1, INFINITY },
	{ -2, -INFINITY, 0.0f, -2 },
	{ 6, 2, 3, 0.0f },
	{ -6, 2, -3, 0.0f },
	{ 6, -2, -3, -0.0f },
	{ 7, -2, -4, -1 },
	{ 1, 2, 0.0f, 1 },
	{ -1, -2, 0.0f, -1 },
};

START_TEST(quotients_and_rests)
{
	enum { COUNT = sizeof(real_cases) / sizeof(real_cases[0]) };
	const dpr_dtype dtype = _i ? DPR_FLOAT64 : DPR_FLOAT32;
	float x[COUNT], y[COUNT], quotient[COUNT], rest[COUNT];
	dpr_array *a, *b, *c, *d;

	if (_i && !dpr_device_has(test_device, "fp64"))
		return;
	for (int i = 0; i < COUNT; i++) {
		x[i] = real_cases[i].x;
		y[i] = real_cases[i].y;
	}
	CHECK_OK(dpr_array_from_memory(x, DPR_SHAPE(COUNT), NULL, DPR_FLOAT32,
				       test_queue, &a));
	CHECK_OK(dpr_array_from_memory(y, DPR_SHAPE(COUNT), NULL, DPR_FLOAT32,
				       test_queue, &b));
	if (_i) {
		CHECK_OK(dpr_astype(a, dtype, &c));
		CHECK_OK(dpr_astype(b, dtype, &d));
		dpr_array_release(a);
		dpr_array_release(b);
		a = c;
		b = d;
	}
	for (int which = 0; which < 2; which++) {
		if (which)
			CHECK_OK(dpr_remainder(a, b, &c));
		else
			CHECK_OK(dpr_floor_divide(a, b, &c));
		CHECK_OK(dpr_astype(c, DPR_FLOAT32, &d));
		CHECK_OK(dpr_array_to_memory(d, which ? rest : quotient,
					     dpr_array_nbytes(d), NULL));
		dpr_array_release(c);
		dpr_array_release(d);
	}
	for (int i = 0; i < COUNT; i++) {
		const struct real_case *r = &real_cases[i];

		ck_assert_msg(is_same(quotient[i], r->quotient, false),
			      "%g // %g: %g", (double)r->x, (double)r->y,
			      (double)quotient[i]);
		ck_assert_msg(is_same(rest[i], r->rest, false), "%g %% %g: %g",
			      (double)r->x, (double)r->y, (double)rest[i]);
	}
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* --- Zeros -------------------------------------------------------------- */

START_TEST(zeros_keep_their_sign)
{
	static dpr_status (*const list[])(dpr_operand, dpr_array **) = {
		(dpr_sin),   (dpr_tanh),  (dpr_sqrt),  (dpr_floor),
		(dpr_ceil),  (dpr_trunc), (dpr_round), (dpr_expm1),
		(dpr_log1p), (dpr_tan),   (dpr_asin),  (dpr_atan),
		(dpr_sinh),  (dpr_asinh), (dpr_atanh), (dpr_cbrt),
		(dpr_erf),
	};
	float zeros[2] = { 0, -0.0f };
	dpr_array *x, *y, *z;

	if (_i && !dpr_device_has(test_device, "fp64"))
		return;
	CHECK_OK(dpr_array_from_memory(zeros, DPR_SHAPE(2), NULL, DPR_FLOAT32,
				       test_queue, &z));
	CHECK_OK(dpr_astype(z, _i ? DPR_FLOAT64 : DPR_FLOAT32, &x));
	dpr_array_release(z);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		CHECK_OK(list[i](DPR_OPERAND(x), &y));
		CHECK_OK(dpr_astype(y, DPR_FLOAT32, &z));
		CHECK_OK(dpr_array_to_memory(z, zeros, sizeof(zeros), NULL));
		ck_assert_msg(is_same(zeros[0], 0.0f, false) &&
				      is_same(zeros[1], -0.0f, false),
			      "function %d: %g, %g", (int)i, (double)zeros[0],
			      (double)zeros[1]);
		dpr_array_release(z);
		dpr_array_release(y);
	}
	dpr_array_release(x);
}
END_TEST

/* --- Error functions ---------------------------------------------------- */

START_TEST(ends_of_error_functions)
{
	static const dpr_dtype dtypes[] = { DPR_FLOAT32, DPR_FLOAT64,
					    DPR_FLOAT16, DPR_BFLOAT16 };
	static const struct {
		float x, erf, erfc;
	} cases[] = {
		{ INFINITY, 1, 0 },
		{ -INFINITY, -1, 2 },
		{ 0, 0, 1 },
		{ -0.0f, -0.0f, 1 },
		{ 30, 1, 0 },
		{ -30, -1, 2 },
		{ 60000, 1, 0 },
		{ -60000, -1, 2 },
		{ NAN, NAN, NAN },
	};
	enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
	float in[COUNT], out[COUNT];
	dpr_array *x, *y, *z;

	if (dtypes[_i] == DPR_FLOAT64 && !dpr_device_has(test_device, "fp64"))
		return;
	for (int i = 0; i < COUNT; i++)
		in[i] = cases[i].x;
	CHECK_OK(dpr_array_from_memory(in, DPR_SHAPE(COUNT), NULL, DPR_FLOAT32,
				       test_queue, &z));
	CHECK_OK(dpr_astype(z, dtypes[_i], &x));
	dpr_array_release(z);
	for (int which = 0; which < 2; which++) {
		if (which)
			CHECK_OK(dpr_erfc(x, &y));
		else
			CHECK_OK(dpr_erf(x, &y));
		ck_assert_int_eq(dpr_array_dtype(y), dtypes[_i]);
		CHECK_OK(dpr_astype(y, DPR_FLOAT32, &z));
		CHECK_OK(dpr_array_to_memory(z, out, sizeof(out), NULL));
		for (int i = 0; i < COUNT; i++)
			ck_assert_msg(is_same(out[i],
					      which ? cases[i].erfc
						    : cases[i].erf,
					      false),
				      "%s(%g): %g", which ? "erfc" : "erf",
				      (double)in[i], (double)out[i]);
		dpr_array_release(z);
		dpr_array_release(y);
	}
	dpr_array_release(x);
}
END_TEST

/* --- gamma and lgamma --------------------------------------------------- */

/* The functions of float32 or float64 numbers, which are given and returned as
   doubles. */
static void compute_real(dpr_status (*function)(dpr_operand, dpr_array **),
			 const double *in, double *out, size_t n,
			 dpr_dtype dtype)
{
	const bool narrow = dtype == DPR_FLOAT32;
	float part[32];
	dpr_array *x, *y;

	ck_assert_uint_le(n, 32);
	for (size_t i = 0; i < n; i++)
		part[i] = (float)in[i];
	CHECK_OK(dpr_array_from_memory(
		narrow ? (const void *)part : (const void *)in, DPR_SHAPE(n),
		NULL, dtype, test_queue, &x));
	CHECK_OK(function(dpr_operand_array(x), &y));
	CHECK_OK(dpr_array_to_memory(y, narrow ? (void *)part : (void *)out,
				     dpr_array_nbytes(y), NULL));
	for (size_t i = 0; i < n && narrow; i++)
		out[i] = part[i];
	dpr_array_release(x);
	dpr_array_release(y);
}

/* As C states them. */
static const struct {
	double x, gamma, lgamma;
} gamma_cases[] = {
	{ 0, INFINITY, INFINITY },
	{ -0.0, -INFINITY, INFINITY },
	{ 1, 1, 0 },
	{ 2, 1, 0 },
	{ -1, NAN, INFINITY },
	{ -2, NAN, INFINITY },
	{ -170, NAN, INFINITY },
	{ -0x1p60, NAN, INFINITY },
	{ -0x1p100, NAN, INFINITY },
	{ INFINITY, INFINITY, INFINITY },
	{ -INFINITY, NAN, INFINITY },
	{ NAN, NAN, NAN },
	{ -200.5, -0.0, -864.73828787067972 },
	{ -201.5, 0, -870.04407725206645 },
	{ 0x1p-127, 0x1p127, 88.029691931113054 },
	{ -0x1p-127, -0x1p127, 88.029691931113054 },
};

enum { GAMMA_CASES = sizeof(gamma_cases) / sizeof(gamma_cases[0]) };

static void check_gamma(int i, double gamma, double lgamma, dpr_dtype dtype)
{
	const double x = gamma_cases[i].x, want = gamma_cases[i].lgamma;
	const double unit = dtype == DPR_FLOAT64 ? 0x1p-51 : 0x1p-22;

	ck_assert_msg(is_same(gamma, gamma_cases[i].gamma, false),
		      "gamma of %g: %g", x, gamma);
	ck_assert_msg(is_same(lgamma, want, false) ||
			      fabs(lgamma - want) <= fabs(want) * unit,
		      "lgamma of %g: %g", x, lgamma);
}

START_TEST(gamma_of_special_numbers)
{
	const dpr_dtype dtype = _i ? DPR_FLOAT64 : DPR_FLOAT32;
	double x[GAMMA_CASES], gamma[GAMMA_CASES], lgamma[GAMMA_CASES];

	if (_i && !dpr_device_has(test_device, "fp64"))
		return;
	for (int i = 0; i < GAMMA_CASES; i++)
		x[i] = gamma_cases[i].x;
	compute_real((dpr_gamma), x, gamma, GAMMA_CASES, dtype);
	compute_real((dpr_lgamma), x, lgamma, GAMMA_CASES, dtype);
	for (int i = 0; i < GAMMA_CASES; i++)
		check_gamma(i, gamma[i], lgamma[i], dtype);
}
END_TEST

/* A block takes the slow path if any of its numbers needs that.  Here each
   number has only ordinary neighbours.  So its own guard must be true, or the
   fast path right. */
START_TEST(gamma_of_a_special_number_alone)
{
	enum { COUNT = 8, AT = 2 };
	const dpr_dtype dtype = _i ? DPR_FLOAT64 : DPR_FLOAT32;
	double x[COUNT], gamma[COUNT], lgamma[COUNT];

	if (_i && !dpr_device_has(test_device, "fp64"))
		return;
	for (int i = 0; i < GAMMA_CASES; i++) {
		for (int j = 0; j < COUNT; j++)
			x[j] = j == AT ? gamma_cases[i].x : 2 + j % 2;
		compute_real((dpr_gamma), x, gamma, COUNT, dtype);
		compute_real((dpr_lgamma), x, lgamma, COUNT, dtype);
		check_gamma(i, gamma[AT], lgamma[AT], dtype);
		for (int j = 0; j < COUNT; j++)
			ck_assert_msg(j == AT || gamma[j] == 1 + j % 2,
				      "gamma of %g: %g", x[j], gamma[j]);
	}
}
END_TEST

/* Also beside a number for which the functions take their slow path. */
START_TEST(gamma_of_whole_numbers_is_exact)
{
	const dpr_dtype dtype = _i ? DPR_FLOAT64 : DPR_FLOAT32;
	const int most = _i ? 23 : 14;
	double x[24], got[24], want = 1;

	if (_i && !dpr_device_has(test_device, "fp64"))
		return;
	for (int mixed = 0; mixed < 2; mixed++) {
		for (int i = 0; i < most; i++)
			x[i] = 1 + i;
		x[most] = mixed ? -0.5 : 1;
		compute_real((dpr_gamma), x, got, (size_t)most + 1, dtype);
		want = 1;
		for (int i = 0; i < most; want *= ++i)
			ck_assert_msg(got[i] == want, "gamma of %g: %a, not %a",
				      x[i], got[i], want);
	}
}
END_TEST

/* --- Tiny numbers ------------------------------------------------------- */

/* The smallest number by 3 + i times the smallest normal one is 0.3 - 0.1i
   times a power of 2. */
START_TEST(tiny_complex_quotients)
{
	const uint32_t key =
		_i ? DPR_INFO_DOUBLE_FP_CONFIG : DPR_INFO_SINGLE_FP_CONFIG;
	const double tiny = _i ? 0x1p-1074 : 0x1p-149;
	const double least = _i ? 0x1p-1022 : 0x1p-126;
	const double unit = _i ? 0x1p-52 : 0x1p-23;
	const double _Complex x = tiny, y = CMPLX(3 * least, least);
	const float _Complex narrow[2] = { (float _Complex)x,
					   (float _Complex)y };
	const double _Complex wide[2] = { x, y };
	const size_t size = _i ? sizeof(wide[0]) : sizeof(narrow[0]);
	const char *from = _i ? (const char *)wide : (const char *)narrow;
	float _Complex got_narrow;
	double _Complex got;
	dpr_array *a[2], *z;
	uint64_t keeps;

	if (dpr_device_info_u64(test_device, key, &keeps) ||
	    !(keeps & DPR_FP_DENORM) ||
	    (_i && !dpr_device_has(test_device, "fp64")))
		return;
	for (int k = 0; k < 2; k++)
		CHECK_OK(dpr_array_from_memory(
			from + (size_t)k * size, DPR_SHAPE(1), NULL,
			_i ? DPR_COMPLEX128 : DPR_COMPLEX64, test_queue,
			&a[k]));
	CHECK_OK(dpr_divide(a[0], a[1], &z));
	CHECK_OK(dpr_array_to_memory(z, _i ? (void *)&got : (void *)&got_narrow,
				     dpr_array_nbytes(z), NULL));
	if (!_i)
		got = (double _Complex)got_narrow;
	ck_assert_msg(cabs(got - CMPLX(0.3, -0.1) * unit) < 2 * unit * unit,
		      "(%a, 0) / (%a, %a): %a, %a", tiny, 3 * least, least,
		      creal(got), cimag(got));
	for (int k = 0; k < 2; k++)
		dpr_array_release(a[k]);
	dpr_array_release(z);
}
END_TEST

static Suite *special_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("special");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, complex_functions, 0, 2 * FUNCTIONS);
	tcase_add_loop_test(tcase, quotients_and_rests, 0, 2);
	tcase_add_loop_test(tcase, zeros_keep_their_sign, 0, 2);
	tcase_add_loop_test(tcase, ends_of_error_functions, 0, 4);
	tcase_add_loop_test(tcase, gamma_of_special_numbers, 0, 2);
	tcase_add_loop_test(tcase, gamma_of_a_special_number_alone, 0, 2);
	tcase_add_loop_test(tcase, gamma_of_whole_numbers_is_exact, 0, 2);
	tcase_add_loop_test(tcase, tiny_complex_quotients, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(special_suite, NULL);
}
