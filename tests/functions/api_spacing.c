/* SPDX-License-Identifier: Apache-2.0 */
/* api_spacing.c - linspace, logspace and geomspace on every device: NumPy's
   numbers, the same bits from expressions, exact integers, and errors. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/elements.h"

#define MOST 12

enum which { LINSPACE, LOGSPACE, GEOMSPACE };

#define INT(x)                                       \
	{                                            \
		.kind = DPR_OPERAND_INT, .as.i = (x) \
	}
#define UINT(x)                                               \
	{                                                     \
		.kind = DPR_OPERAND_UINT, .as.u = UINT64_C(x) \
	}
#define FLOAT(x)                                       \
	{                                              \
		.kind = DPR_OPERAND_FLOAT, .as.f = (x) \
	}
#define COMPLEX(re, im)                                         \
	{                                                       \
		.kind = DPR_OPERAND_COMPLEX, .as.c = { re, im } \
	}

static const struct sample {
	const char *text;
	enum which which;
	dpr_operand start, stop;
	int num;
	bool endpoint;
	dpr_operand base;
	dpr_dtype dtype, made;
	double want[MOST][2];
} samples[] = {
#include "tests/fixtures/spacing_fixtures.h"
};

#define SAMPLES ((int)(sizeof(samples) / sizeof(samples[0])))

static dpr_status call(const struct sample *s, dpr_array **out)
{
	const dpr_usm_kind kind = DPR_USM_DEVICE;

	switch (s->which) {
	case LINSPACE:
		return dpr_linspace_on(s->start, s->stop, s->num, s->endpoint,
				       s->dtype, test_queue, kind, out);
	case LOGSPACE:
		return dpr_logspace_on(s->start, s->stop, s->num, s->endpoint,
				       s->base, s->dtype, test_queue, kind,
				       out);
	case GEOMSPACE: break;
	}
	return dpr_geomspace_on(s->start, s->stop, s->num, s->endpoint,
				s->dtype, test_queue, kind, out);
}

/* How far a number may be from @want.  An error of an exponent grows with the
   exponent; an error of linspace is relative to the larger end. */
static double tolerance(const struct sample *s, const double want[2])
{
	const double size = hypot(want[0], want[1]);
	const double work = dpr_dtype_computes(test_device, DPR_FLOAT64)
				    ? DBL_EPSILON
				    : FLT_EPSILON;
	dpr_float_limits limits;
	double most = 0;

	CHECK_OK(dpr_finfo(s->made, &limits));
	if (s->which != LINSPACE)
		return size * (limits.eps +
			       work * (8 + 4 * fabs(log10(size)))) +
		       4 * limits.smallest_subnormal;
	for (int i = 0; i < s->num; i++)
		most = fmax(most, hypot(s->want[i][0], s->want[i][1]));
	return most * limits.eps * 2;
}

static bool is_near(double have, double want, double most)
{
	return have == want || fabs(have - want) <= most ||
	       (isnan(have) && isnan(want));
}

/* Get element @i of @x. */
static void element(const dpr_array *x, int64_t i, double parts[2])
{
	dpr_operand value;
	dpr_array *one;

	CHECK_OK(dpr_array_view(x, &one, DPR_AT(i)));
	CHECK_OK(dpr_array_item(one, &value));
	dpr_array_release(one);
	parts[0] =
		value.kind == DPR_OPERAND_COMPLEX ? value.as.c[0] : value.as.f;
	parts[1] = value.kind == DPR_OPERAND_COMPLEX ? value.as.c[1] : 0;
}

START_TEST(numpy)
{
	const struct sample *s = &samples[_i];
	double have[2] = { 0, 0 };
	dpr_array *x;
	int i = 0;

	if (leaves_out(_i, 8) || !dpr_dtype_computes(test_device, s->made))
		return;
	CHECK_OK(call(s, &x));
	ck_assert_str_eq(dpr_dtype_name(dpr_array_dtype(x)),
			 dpr_dtype_name(s->made));
	ck_assert_int_eq(dpr_array_size(x), s->num);
	for (; i < s->num; i++) {
		const double most = tolerance(s, s->want[i]);

		element(x, i, have);
		if (!is_near(have[0], s->want[i][0], most) ||
		    !is_near(have[1], s->want[i][1], most))
			break;
	}
	ck_assert_msg(
		i == s->num, "%s: element %d is %.17g%+.17gj, not %.17g%+.17gj",
		s->text, i, have[0], have[1], s->want[i][0], s->want[i][1]);
	dpr_array_release(x);
}
END_TEST

/* An expression calls the same functions. */
START_TEST(expressions)
{
	const struct sample *s = &samples[_i];
	unsigned char want[16 * MOST];
	dpr_array *x, *y;

	if (leaves_out(_i, 8) || !dpr_dtype_computes(test_device, s->made))
		return;
	CHECK_OK(call(s, &x));
	CHECK_OK(dpr_array_to_memory(x, want, sizeof(want), NULL));
	dpr_array_release(x);
	CHECK_OK(dpr_evaluate(s->text, test_queue, &y));
	expect(y, s->made, want, s->num);
}
END_TEST

/* The parts of a complex result are the floats between the parts of the ends,
   in arrays of all lengths. */
START_TEST(complex_parts)
{
	static const int64_t lengths[] = { 2, 63, 4097, 10001 };
	const int64_t n = lengths[_i];
	const dpr_operand start = dpr_operand_complex_parts(-1, 1e5),
			  stop = dpr_operand_complex_parts(0.3, -7);
	float *parts = calloc((size_t)n, 2 * sizeof(float));
	float *real = calloc((size_t)n, sizeof(float));
	float *imag = calloc((size_t)n, sizeof(float));
	dpr_array *x;
	int64_t i = 0;

	ck_assert(parts && real && imag);
	CHECK_OK(dpr_linspace(start, stop, n, DPR_COMPLEX64, test_queue, &x));
	CHECK_OK(dpr_array_to_memory(x, parts, (size_t)n * 8, NULL));
	dpr_array_release(x);
	CHECK_OK(dpr_linspace(-1, 0.3, n, DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_array_to_memory(x, real, (size_t)n * 4, NULL));
	dpr_array_release(x);
	CHECK_OK(dpr_linspace(1e5, -7, n, DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_array_to_memory(x, imag, (size_t)n * 4, NULL));
	dpr_array_release(x);
	while (i < n && parts[2 * i] == real[i] && parts[2 * i + 1] == imag[i])
		i++;
	ck_assert_int_eq(i, n);
	ck_assert(real[n - 1] == 0.3f && imag[n - 1] == -7);
	free(parts);
	free(real);
	free(imag);
}
END_TEST

static dpr_array *integers(dpr_operand start, dpr_operand stop, int64_t num,
			   bool endpoint, dpr_dtype dtype)
{
	dpr_array *x;

	CHECK_OK(dpr_linspace_on(start, stop, num, endpoint, dtype, test_queue,
				 DPR_USM_DEVICE, &x));
	return x;
}

#define ENDS(a, b) DPR_OPERAND(a), DPR_OPERAND(b)

/* Integers are exact, and rounded down. */
START_TEST(whole_numbers)
{
	const int64_t wide[] = { INT64_MIN, -1, INT64_MAX };
	const int64_t down[] = { 0, -1, -1, -2, -2, -3 };
	const uint64_t high[] = { UINT64_MAX, UINT64_MAX / 3 * 2,
				  UINT64_MAX / 3, 0 };
	const uint64_t open[] = { 0, UINT64_MAX / 2 };
	const int8_t bytes[] = { -128, -43, 42, 127 };
	const int64_t odd = ((int64_t)1 << 53) + 1;
	int64_t many[1000];

	expect(integers(ENDS(INT64_MIN, INT64_MAX), 3, true, DPR_INT64),
	       DPR_INT64, wide, 3);
	expect(integers(ENDS(0, -3), 6, false, DPR_INT64), DPR_INT64, down, 6);
	expect(integers(ENDS(UINT64_MAX, 0), 4, true, DPR_UINT64), DPR_UINT64,
	       high, 4);
	expect(integers(ENDS(0, UINT64_MAX), 2, false, DPR_UINT64), DPR_UINT64,
	       open, 2);
	expect(integers(ENDS(-128, 127), 4, true, DPR_INT8), DPR_INT8, bytes,
	       4);
	for (int i = 0; i < 1000; i++)
		many[i] = odd - (i * INT64_C(12345678901234) + 998) / 999;
	expect(integers(ENDS(odd, odd - 12345678901234), 1000, true, DPR_INT64),
	       DPR_INT64, many, 1000);
}
END_TEST

/* Ends of 64 bits that cancel each other: a float64 has 53. */
START_TEST(long_ends)
{
	const int64_t odd = ((int64_t)1 << 53) + 1;
	const double middle[] = { -0x1p53, 0, 0x1p53 };
	const double steps[] = { 0x1p53, 0x1p53 + 2, 0x1p53 + 4, 0x1p53 + 4 };
	dpr_array *x;

	if (!dpr_dtype_computes(test_device, DPR_FLOAT64))
		return;
	CHECK_OK(dpr_linspace(-odd, odd, 3, DPR_FLOAT64, test_queue, &x));
	expect(x, DPR_FLOAT64, middle, 3);
	CHECK_OK(dpr_linspace(odd, odd + 3, 4, DPR_FLOAT64, test_queue, &x));
	expect(x, DPR_FLOAT64, steps, 4);
}
END_TEST

#define REFUSED(status, text, name, ...)                                 \
	do {                                                             \
		dpr_array *x_ = (dpr_array *)&x_;                        \
                                                                         \
		CHECK_FAILS(status, name(__VA_ARGS__, test_queue, &x_)); \
		ck_assert_ptr_null(x_);                                  \
		ck_assert_msg(strstr(dpr_last_error(), text), "%s",      \
			      dpr_last_error());                         \
	} while (0)

START_TEST(refused)
{
	const dpr_operand i = dpr_operand_complex_parts(0, 1);
	const dpr_dtype none = DPR_DTYPE_DEFAULT;
	dpr_array *x;

	CHECK_OK(dpr_ones(DPR_SHAPE(1), DPR_FLOAT32, test_queue, &x));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "linspace: start and stop must be",
		dpr_linspace, x, 1, 3, none);
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "logspace: start, stop and base",
		dpr_logspace, 0, 1, 3, x, none);
	dpr_array_release(x);
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "num is -1, but must be 0 or more",
		dpr_linspace, 0, 1, -1, none);
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "num is -1, but must be 0 or more",
		dpr_geomspace, 1, 2, -1, none);
	REFUSED(DPR_ERROR_DTYPE, "must be complex, not float32", dpr_linspace,
		0, i, 3, DPR_FLOAT32);
	REFUSED(DPR_ERROR_DTYPE, "bool is not supported", dpr_linspace, 0, 1, 3,
		DPR_BOOL);
	REFUSED(DPR_ERROR_DTYPE, "for int32 the ends must be integers",
		dpr_linspace, 0, 0.5, 3, DPR_INT32);
	REFUSED(DPR_ERROR_OVERFLOW, "300 is out of the range of uint8",
		dpr_linspace, 0, 300, 3, DPR_UINT8);
	REFUSED(DPR_ERROR_OVERFLOW, "too many integers", dpr_linspace, 0, 1,
		INT64_C(3037000501), DPR_INT8);
	REFUSED(DPR_ERROR_DTYPE, "float or complex, not int32", dpr_logspace, 0,
		1, 3, 10, DPR_INT32);
	REFUSED(DPR_ERROR_DTYPE, "complex, as a number is, not float32",
		dpr_logspace, 0, 1, 3, i, DPR_FLOAT32);
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "geomspace: start or stop is 0",
		dpr_geomspace, 1, 0, 3, none);
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, "different signs", dpr_geomspace,
		-1, 1, 3, none);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_geomspace(1, 2, 3, none, test_queue, NULL));
}
END_TEST

static Suite *spacing_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("spacing");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, numpy, 0, SAMPLES);
	tcase_add_loop_test(tcase, expressions, 0, SAMPLES);
	tcase_add_loop_test(tcase, complex_parts, 0, 4);
	tcase_add_test(tcase, whole_numbers);
	tcase_add_test(tcase, long_ends);
	tcase_add_test(tcase, refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(spacing_suite, NULL);
}
