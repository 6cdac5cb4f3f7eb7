/* SPDX-License-Identifier: Apache-2.0 */
/* api_numbers.c - functions of numbers in expressions.  Functions of integers
   have the results of the operators, and refuse results outside of 64 bits.
   Also arrays that full() and the like make of a number. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

static dpr_status evaluate(const char *text, dpr_array **out)
{
	dpr_expression *e;
	dpr_status status;

	CHECK_OK(dpr_expression_create(text, &e));
	status = dpr_expression_apply(e, NULL, 0, test_queue, out, 1);
	dpr_expression_release(e);
	return status;
}

/* The call of a function, and its result, which is a number.  NULL: the call is
   refused. */
static const struct {
	const char *call, *number;
} calls[] = {
	{ "pow(2, 64)", NULL },
	{ "pow(2, 63)", "9223372036854775808" },
	{ "pow(-2, 63)", "-9223372036854775808" },
	{ "pow(2, -1)", "0.5" },
	{ "square(2**32)", NULL },
	{ "square(-3)", "9" },
	{ "abs(-2**63)", "9223372036854775808" },
	{ "abs(-7)", "7" },
	{ "negative(-2**63)", "9223372036854775808" },
	{ "negative(2**63 + 1)", NULL },
	{ "add(2**63 - 1, 1)", "9223372036854775808" },
	{ "add(18446744073709551615, 1)", NULL },
	{ "add(True, 1)", "2" },
	{ "subtract(0, 18446744073709551615)", NULL },
	{ "subtract(18446744073709551615, 18446744073709551615)", "0" },
	{ "multiply(2**32, 2**32)", NULL },
	{ "multiply(-1, 2**63)", "-9223372036854775808" },
	{ "multiply_add(2**32, 2**32, 0)", NULL },
	{ "multiply_add(2**32, 2**32, -1)", "18446744073709551615" },
	{ "multiply_add(18446744073709551615, 18446744073709551615, -2**63)",
	  NULL },
	{ "floor_divide(-2**63, -1)", "9223372036854775808" },
	{ "floor_divide(-7, 2)", "-4" },
	{ "floor_divide(7, 0)", NULL },
	{ "remainder(-7, 18446744073709551615)", "18446744073709551608" },
	{ "remainder(7, 0)", NULL },
	{ "minimum(-1, 18446744073709551615)", "-1" },
	{ "maximum(-1, 18446744073709551615)", "18446744073709551615" },
	{ "bitwise_and(-1, 2**63)", "9223372036854775808" },
	{ "bitwise_or(-1, 2**63)", "-1" },
	{ "bitwise_invert(18446744073709551615)", NULL },
	{ "bitwise_left_shift(-1, 63)", "-9223372036854775808" },
	{ "bitwise_left_shift(1, 64)", NULL },
	{ "bitwise_left_shift(18446744073709551615, 64)", NULL },
	{ "bitwise_left_shift(0, 2**63)", "0" },
	{ "bitwise_right_shift(18446744073709551615, 63)", "1" },
	{ "bitwise_right_shift(-2**63, 2**63)", "-1" },
	{ "bitwise_right_shift(1, -1)", NULL },
	{ "gcd(-2**63, 0)", "9223372036854775808" },
	{ "clip(18446744073709551615, -1, 2**63)", "9223372036854775808" },
	{ "clip(-5, -1, 18446744073709551615)", "-1" },
	{ "clip(0, 5, 3)", "3" },
	{ "gcd(-12, 18)", "6" },
	{ "gcd(0, 0)", "0" },
	{ "lcm(-4, 6)", "12" },
	{ "lcm(0, -2**63)", "0" },
	{ "lcm(-2**63, 3)", NULL },
	{ "lcm(18446744073709551615, 2)", NULL },
	{ "lcm(18446744073709551615, 3)", "18446744073709551615" },
	{ "less(-1, 18446744073709551615)", "True" },
	{ "equal(2**63, -2**63)", "False" },
	/* Numbers that the device computes. */
	{ "divide(1, 2)", "0.5" },
	{ "add(0.5, 1)", "1.5" },
	{ "sqrt(16)", "4.0" },
	{ "sign(-5)", "-1" },
	{ "add(True, True)", "True" },
};

START_TEST(functions)
{
	const char *want = calls[_i].number;
	dpr_array *x;
	char *text;

	if (!want) {
		dpr_status status = evaluate(calls[_i].call, &x);

		ck_assert_msg(status == DPR_ERROR_OVERFLOW ||
				      status == DPR_ERROR_INVALID_ARGUMENT,
			      "%s: %s", calls[_i].call,
			      dpr_status_name(status));
		return;
	}
	CHECK_OK(evaluate(calls[_i].call, &x));
	CHECK_OK(dpr_array_format(x, NULL, &text));
	ck_assert_msg(!strcmp(text, want), "%s: %s, not %s", calls[_i].call,
		      text, want);
	dpr_free(text);
	dpr_array_release(x);
}
END_TEST

/* A choice between two numbers has the dtype that full() would choose. */
START_TEST(choices)
{
	const uint8_t truth[] = { 1, 0 };
	const uint64_t want[] = { UINT64_MAX, 0 };
	const int64_t small[] = { -1, 5 };
	uint64_t have[2];
	int64_t signs[2];
	dpr_array *c, *x;

	CHECK_OK(dpr_array_from_memory(truth, DPR_SHAPE(2), NULL, DPR_BOOL,
				       test_queue, &c));
	CHECK_OK(dpr_evaluate("where(c, 18446744073709551615, 0)", NULL, &x,
			      "c", c));
	ck_assert_int_eq(dpr_array_dtype(x), DPR_UINT64);
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, want, sizeof(want));
	dpr_array_release(x);
	CHECK_OK(dpr_where(c, UINT64_MAX, 0, &x));
	ck_assert_int_eq(dpr_array_dtype(x), DPR_UINT64);
	dpr_array_release(x);
	/* No integer dtype holds both. */
	CHECK_FAILS(DPR_ERROR_OVERFLOW, dpr_where(c, UINT64_MAX, -1, &x));
	CHECK_OK(dpr_where(c, -1, 5ULL, &x));
	ck_assert_int_eq(dpr_array_dtype(x), DPR_INT64);
	CHECK_OK(dpr_array_to_memory(x, signs, sizeof(signs), NULL));
	ck_assert_mem_eq(signs, small, sizeof(small));
	dpr_array_release(x);
	dpr_array_release(c);
}
END_TEST

/* Arrays of a number, as text.  x is [1 2] in int16, whose sums are deferred.
   DEFAULT: the call is refused, with this text in its error. */
static const struct {
	const char *call, *text;
	dpr_dtype dtype;
	bool has_x;
} fills[] = {
	{ "full(2, -2**63)", "[-9223372036854775808 -9223372036854775808]",
	  DPR_INT64, false },
	{ "full((), 18446744073709551615)", "18446744073709551615", DPR_UINT64,
	  false },
	{ "full((), 2**53 + 1)", "9007199254740993", DPR_INT64, false },
	{ "full((1, 2), True)", "[[ True  True]]", DPR_BOOL, false },
	{ "full(1, -2, dtype=float16)", "[-2.]", DPR_FLOAT16, false },
	{ "full(1, 1+2j, dtype=complex64)", "[1.+2.j]", DPR_COMPLEX64, false },
	{ "full(1, 2.7, dtype=int8)", "[2]", DPR_INT8, false },
	{ "full(0, 2)", "[]", DPR_INT64, false },
	{ "full(1, 300, dtype=uint8)", "300 is out of the range",
	  DPR_DTYPE_DEFAULT, false },
	{ "full(1, nan, dtype=int32)", "nan is out of the range",
	  DPR_DTYPE_DEFAULT, false },
	{ "full(1, 2j, dtype=float32)", "does not fit into float32",
	  DPR_DTYPE_DEFAULT, false },
	{ "full_like(x, 7)", "[7 7]", DPR_INT16, true },
	{ "full_like(x + x, -1)", "[-1 -1]", DPR_INT16, true },
	{ "full_like(x, 2**63, dtype=uint64)",
	  "[9223372036854775808 9223372036854775808]", DPR_UINT64, true },
	{ "full_like(x, 2**15)", "32768 is out of the range of int16",
	  DPR_DTYPE_DEFAULT, true },
	{ "full_like(x, x)", "fill_value is not a number", DPR_DTYPE_DEFAULT,
	  true },
	{ "full_like(3, 5, dtype=int8)", "5", DPR_INT8, false },
	{ "zeros_like(x + x) + x", "[1 2]", DPR_INT16, true },
	{ "zeros_like(sum(x, keepdims=True), dtype=int32)", "[0]", DPR_INT32,
	  true },
	{ "y = x + x; ones_like(y) - y", "[-1 -3]", DPR_INT16, true },
	{ "ones_like(x, dtype=bool)", "[ True  True]", DPR_BOOL, true },
};

START_TEST(filled)
{
	const int16_t data[] = { 1, 2 };
	dpr_status status;
	dpr_array *x, *y;
	char *text;

	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(2), NULL, DPR_INT16,
				       test_queue, &x));
	status = fills[_i].has_x
			 ? dpr_evaluate(fills[_i].call, test_queue, &y, "x", x)
			 : evaluate(fills[_i].call, &y);
	dpr_array_release(x);
	if (fills[_i].dtype == DPR_DTYPE_DEFAULT) {
		ck_assert_msg(status &&
				      strstr(dpr_last_error(), fills[_i].text),
			      "%s: %s", fills[_i].call, dpr_last_error());
		return;
	}
	CHECK_OK(status);
	ck_assert_str_eq(dpr_dtype_name(dpr_array_dtype(y)),
			 dpr_dtype_name(fills[_i].dtype));
	CHECK_OK(dpr_array_format(y, NULL, &text));
	ck_assert_msg(!strcmp(text, fills[_i].text), "%s: %s, not %s",
		      fills[_i].call, text, fills[_i].text);
	dpr_free(text);
	dpr_array_release(y);
}
END_TEST

static Suite *numbers_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("numbers");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, functions, 0,
			    (int)(sizeof(calls) / sizeof(calls[0])));
	tcase_add_test(tcase, choices);
	tcase_add_loop_test(tcase, filled, 0,
			    (int)(sizeof(fills) / sizeof(fills[0])));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(numbers_suite, NULL);
}
