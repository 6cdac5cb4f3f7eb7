/* SPDX-License-Identifier: Apache-2.0 */
/* api_compare.c - comparisons of integers that no integer dtype holds together:
   signed integers with uint64, and arrays with numbers outside their dtype.
   The functions and expressions are both compared with C. */
#include <check.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* Holds every integer of 64 bits, signed or not. */
typedef __int128 wide;

static const struct {
	const char *text;
	dpr_status (*call)(dpr_operand, dpr_operand, dpr_array **);
	dpr_status (*into)(dpr_operand, dpr_operand, dpr_array *);
} comparisons[] = {
	{ "<", dpr_less, dpr_less_into },
	{ "==", dpr_equal, dpr_equal_into },
	{ ">=", dpr_greater_equal, dpr_greater_equal_into },
	{ "!=", dpr_not_equal, dpr_not_equal_into },
	{ "<=", dpr_less_equal, dpr_less_equal_into },
	{ ">", dpr_greater, dpr_greater_into },
};
#define COMPARISONS (int)(sizeof(comparisons) / sizeof(comparisons[0]))

static bool holds(int c, wide a, wide b)
{
	switch (c) {
	case 0: return a < b;
	case 1: return a == b;
	case 2: return a >= b;
	case 3: return a != b;
	case 4: return a <= b;
	default: return a > b;
	}
}

static const int64_t lows[] = {
	INT64_MIN,
	INT64_MIN + 1,
	-(1LL << 53) - 1,
	-129,
	-128,
	-1,
	0,
	1,
	127,
	(1LL << 53) - 1,
	1LL << 53,
	(1LL << 53) + 1,
	1LL << 62,
	INT64_MAX - 1023,
	INT64_MAX - 1,
	INT64_MAX,
};
static const uint64_t highs[] = {
	0,
	1,
	127,
	128,
	255,
	(1ULL << 53) - 1,
	1ULL << 53,
	(1ULL << 53) + 1,
	1ULL << 62,
	INT64_MAX - 1ULL,
	INT64_MAX,
	1ULL << 63,
	(1ULL << 63) + 1,
	UINT64_MAX - 127,
	UINT64_MAX - 1,
	UINT64_MAX,
};
#define N 16

static dpr_array *array_of(const void *data, dpr_shape shape, dpr_dtype dtype)
{
	dpr_array *out;

	CHECK_OK(dpr_array_from_memory(data, shape, NULL, dtype, test_queue,
				       &out));
	return out;
}

/* The elements that have a wrong result.  Releases @x. */
static int count_wrong(dpr_array *x, const uint8_t *want, int n)
{
	uint8_t have[N * N];
	int wrong = 0;

	ck_assert_int_eq(dpr_array_dtype(x), DPR_BOOL);
	ck_assert_int_eq(dpr_array_size(x), n);
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int i = 0; i < n; i++)
		wrong += have[i] != want[i];
	dpr_array_release(x);
	return wrong;
}

/* Compare @a with @b in all ways, and check that the results are @want.  The
   shape of both together is N of N, or N. */
static void check(int c, dpr_operand a, dpr_operand b, const uint8_t *want,
		  int n, const char *what)
{
	const char *text = comparisons[c].text;
	char expression[80];
	dpr_array *z, *column;

	CHECK_OK(comparisons[c].call(a, b, &z));
	ck_assert_msg(!count_wrong(z, want, n), "%s: %s", what, text);
	CHECK_OK(dpr_zeros(n > N ? DPR_SHAPE(N, N) : DPR_SHAPE(N), DPR_BOOL,
			   test_queue, &z));
	CHECK_OK(comparisons[c].into(a, b, z));
	ck_assert_msg(!count_wrong(z, want, n), "%s: %s into", what, text);
	snprintf(expression, sizeof(expression), "a %s b", text);
	CHECK_OK(dpr_evaluate(expression, NULL, &z, "a", a, "b", b));
	ck_assert_msg(!count_wrong(z, want, n), "%s: %s", what, expression);
	/* In a kernel with other steps. */
	CHECK_OK(dpr_ones(DPR_SHAPE(N), DPR_INT16, test_queue, &column));
	snprintf(expression, sizeof(expression), "where(a %s b, k, 0) > 0",
		 text);
	CHECK_OK(dpr_evaluate(expression, NULL, &z, "a", a, "b", b, "k",
			      column));
	ck_assert_msg(!count_wrong(z, want, n), "%s: %s", what, expression);
	dpr_array_release(column);
}

static const dpr_dtype signed_dtypes[] = { DPR_INT64, DPR_INT8, DPR_INT32,
					   DPR_INT16 };

START_TEST(signed_with_uint64)
{
	const int c = _i % COMPARISONS, d = _i / COMPARISONS;
	uint8_t want[N * N], transposed[N * N];
	int64_t cast[N];
	dpr_array *x, *narrow, *y;

	if (leaves_out(_i, 5))
		return;
	x = array_of(lows, DPR_SHAPE(N, 1), DPR_INT64);
	y = array_of(highs, DPR_SHAPE(N), DPR_UINT64);
	CHECK_OK(dpr_astype(x, signed_dtypes[d], &narrow));
	dpr_array_release(x);
	CHECK_OK(dpr_astype(narrow, DPR_INT64, &x));
	CHECK_OK(dpr_array_to_memory(x, cast, sizeof(cast), NULL));
	for (int i = 0; i < N * N; i++) {
		want[i] = holds(c, cast[i / N], highs[i % N]);
		transposed[i] = holds(c, highs[i % N], cast[i / N]);
	}
	check(c, dpr_operand_array(narrow), dpr_operand_array(y), want, N * N,
	      dpr_dtype_name(signed_dtypes[d]));
	check(c, dpr_operand_array(y), dpr_operand_array(narrow), transposed,
	      N * N, "transposed");
	dpr_array_release(x);
	dpr_array_release(narrow);
	dpr_array_release(y);
}
END_TEST

/* The dtype of an array, and a number outside of it. */
static const struct {
	dpr_dtype dtype;
	bool is_unsigned;
	int64_t number;
} outside[] = {
	{ DPR_UINT8, false, 300 },        { DPR_INT64, true, INT64_MIN },
	{ DPR_UINT64, false, -1 },        { DPR_INT8, false, -129 },
	{ DPR_INT8, false, 128 },         { DPR_UINT8, false, -1 },
	{ DPR_INT16, false, 40000 },      { DPR_INT32, false, INT64_MIN },
	{ DPR_UINT32, true, -1 },         { DPR_BOOL, true, -1 },
	{ DPR_UINT64, false, INT64_MIN },
};

START_TEST(numbers_outside_the_dtype)
{
	const int c = _i % COMPARISONS, k = _i / COMPARISONS;
	const dpr_operand number =
		outside[k].is_unsigned
			? dpr_operand_uint((uint64_t)outside[k].number)
			: dpr_operand_int(outside[k].number);
	const wide value = outside[k].is_unsigned
				   ? (wide)(uint64_t)outside[k].number
				   : (wide)outside[k].number;
	uint8_t want[N], transposed[N];
	dpr_array *x, *y;

	if (leaves_out(_i, 5))
		return;
	x = array_of(lows, DPR_SHAPE(N), DPR_INT64);
	CHECK_OK(dpr_astype(x, outside[k].dtype, &y));
	/* Each element is between the ends of its dtype, so 0 stands for it. */
	for (int i = 0; i < N; i++) {
		want[i] = holds(c, 0, value);
		transposed[i] = holds(c, value, 0);
	}
	check(c, dpr_operand_array(y), number, want, N,
	      dpr_dtype_name(outside[k].dtype));
	check(c, number, dpr_operand_array(y), transposed, N, "transposed");
	/* Everything else refuses the number, but for bool. */
	dpr_array_release(x);
	if (outside[k].dtype != DPR_BOOL)
		CHECK_FAILS(DPR_ERROR_OVERFLOW,
			    (dpr_maximum)(dpr_operand_array(y), number, &x));
	dpr_array_release(y);
}
END_TEST

static Suite *compare_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("compare");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, signed_with_uint64, 0,
			    COMPARISONS * (int)(sizeof(signed_dtypes) /
						sizeof(signed_dtypes[0])));
	tcase_add_loop_test(
		tcase, numbers_outside_the_dtype, 0,
		COMPARISONS * (int)(sizeof(outside) / sizeof(outside[0])));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(compare_suite, NULL);
}
