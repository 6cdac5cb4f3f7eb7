/* SPDX-License-Identifier: Apache-2.0 */
/* api_integers.c - functions of two integers, such as floor_divide and pow,
   against C: all pairs of 8 bits, all dividends of 16 bits, and pairs of 32
   bits next to where a quotient changes. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tests/support/elements.h"
#include "tests/support/random.h"

#define COUNT 65536

static int64_t xs[COUNT], ys[COUNT], got[COUNT];

/* --- What C computes -------------------------------------------------------
 */

static bool is_signed(dpr_dtype dtype)
{
	return dpr_dtype_kind(dtype) == 'i';
}

/* The number with the low bits of @v. */
static int64_t wrap(dpr_dtype dtype, uint64_t v)
{
	const int bits = 8 * (int)dpr_dtype_size(dtype);
	const uint64_t low = v & (UINT64_MAX >> (64 - bits));
	const bool is_negative = is_signed(dtype) && low >> (bits - 1);

	return (int64_t)low - (is_negative ? INT64_C(1) << bits : 0);
}

static int64_t divide(int64_t x, int64_t y)
{
	return y ? x / y - (x % y != 0 && (x < 0) != (y < 0)) : 0;
}

static int64_t rest(int64_t x, int64_t y)
{
	return y ? x - divide(x, y) * y : 0;
}

/* A negative power is the integer part of a reciprocal. */
static int64_t power(int64_t x, int64_t y)
{
	uint64_t result = 1, factor = (uint64_t)x;

	if (y < 0)
		return x == 1 ? 1 : x != -1 ? 0 : y % 2 ? -1 : 1;
	for (; y; y /= 2) {
		if (y % 2)
			result *= factor;
		factor *= factor;
	}
	return (int64_t)result;
}

/* The numbers are widened to 64 bits, so a shift by all bits of the dtype or
   more only needs care from 64 on.  wrap() leaves the low bits. */
static int64_t left_shift(int64_t x, int64_t y)
{
	return y < 0 || y > 63 ? 0 : (int64_t)((uint64_t)x << y);
}

static int64_t right_shift(int64_t x, int64_t y)
{
	return y < 0 || y > 63 ? -(x < 0) : x >> y;
}

static uint64_t size_of(int64_t x)
{
	return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

static int64_t divisor(int64_t x, int64_t y)
{
	return y ? divisor((int64_t)size_of(y), x % y) : (int64_t)size_of(x);
}

static int64_t multiple(int64_t x, int64_t y)
{
	const uint64_t least = (uint64_t)divisor(x, y);

	return (int64_t)(least ? size_of(x) / least * size_of(y) : 0);
}

/* --- What the device computes ----------------------------------------------
 */

struct function {
	const char *sign;
	dpr_status (*call)(dpr_operand x, dpr_operand y, dpr_array **out);
	int64_t (*expect)(int64_t x, int64_t y);
};

static const struct function functions[] = {
	{ "//", (dpr_floor_divide), divide },
	{ "%", (dpr_remainder), rest },
	{ "**", (dpr_pow), power },
	{ "<<", (dpr_bitwise_left_shift), left_shift },
	{ ">>", (dpr_bitwise_right_shift), right_shift },
	{ "gcd", (dpr_gcd), divisor },
	{ "lcm", (dpr_lcm), multiple },
};
#define N_FUNCTIONS (sizeof(functions) / sizeof(*functions))
/* Without gcd and lcm, which take long. */
#define N_QUICK (N_FUNCTIONS - 2)

static dpr_array *new_array(dpr_dtype dtype, const int64_t *from)
{
	return cast(array_of(from, COUNT, DPR_INT64), dtype);
}

static void check_function(const struct function *f, dpr_dtype dtype,
			   const dpr_array *x, const dpr_array *y)
{
	dpr_array *result, *wide;
	int wrong = -1;

	CHECK_OK(f->call(DPR_OPERAND(x), DPR_OPERAND(y), &result));
	CHECK_OK(dpr_astype(result, DPR_INT64, &wide));
	CHECK_OK(dpr_array_to_memory(wide, got, dpr_array_nbytes(wide), NULL));
	for (int i = 0; i < COUNT && wrong < 0; i++)
		if (got[i] != wrap(dtype, (uint64_t)f->expect(xs[i], ys[i])))
			wrong = i;
	ck_assert_msg(wrong < 0,
		      "%s: %" PRId64 " %s %" PRId64 " is %" PRId64 " there",
		      dpr_dtype_name(dtype), xs[wrong], f->sign, ys[wrong],
		      got[wrong]);
	dpr_array_release(wide);
	dpr_array_release(result);
}

/* Check the first @n functions of xs and ys, which are numbers of @dtype. */
static void check(dpr_dtype dtype, size_t n)
{
	dpr_array *x = new_array(dtype, xs), *y = new_array(dtype, ys);

	for (size_t k = 0; k < n; k++)
		check_function(&functions[k], dtype, x, y);
	dpr_array_release(x);
	dpr_array_release(y);
}

START_TEST(all_pairs_of_8_bits)
{
	const dpr_dtype dtype = _i ? DPR_UINT8 : DPR_INT8;

	for (int i = 0; i < COUNT; i++) {
		xs[i] = wrap(dtype, (uint64_t)i);
		ys[i] = wrap(dtype, (uint64_t)i >> 8);
	}
	check(dtype, N_FUNCTIONS);
}
END_TEST

/* The divisors are those up to 20, and powers of 2 and their neighbours, of
   each sign; and some others. */
START_TEST(all_dividends_of_16_bits)
{
	const dpr_dtype dtype = _i ? DPR_UINT16 : DPR_INT16;
	const bool few = getenv("DPR_TEST_SMALL") || takes_few() || test_again;
	struct random seed = { 7 };
	uint64_t divisor;

	for (int i = 0; i < COUNT; i++)
		xs[i] = wrap(dtype, (uint64_t)i);
	for (int k = 0; k < 160; k += few ? 9 : 1) {
		if (k < 41)
			divisor = (uint64_t)(int64_t)(k - 20);
		else if (k < 128)
			divisor = (uint64_t)((INT64_C(1) << (4 + k % 13)) - 1 +
					     k % 3);
		else
			divisor = random_next(&seed);
		if (k % 2)
			divisor = 0 - divisor;
		for (int i = 0; i < COUNT; i++)
			ys[i] = wrap(dtype, divisor);
		check(dtype, k % 9 ? N_QUICK : N_FUNCTIONS);
	}
}
END_TEST

/* A number of any size. */
static int64_t number(struct random *seed, dpr_dtype dtype)
{
	const int64_t v = wrap(dtype, random_next(seed) >> 32);
	const int64_t unit = INT64_C(1) << random_between(seed, 0, 31);

	return v / unit;
}

START_TEST(pairs_of_32_bits)
{
	const dpr_dtype dtype = _i ? DPR_UINT32 : DPR_INT32;
	const int rounds = getenv("DPR_TEST_SMALL")    ? 1
			   : takes_few() || test_again ? 5
						       : 30;
	const uint64_t edges[] = { 0,          1,          2,
				   UINT32_MAX, 0x7fffffff, 0x80000000,
				   0x80000001, 3 };
	struct random seed = { 5 };

	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < COUNT; i++) {
			ys[i] = number(&seed, dtype);
			xs[i] = number(&seed, dtype);
			if (i % 2 && ys[i])
				xs[i] = xs[i] / ys[i] * ys[i] + i / 2 % 3 - 1;
			if (i < 64) {
				xs[i] = (int64_t)edges[i % 8];
				ys[i] = (int64_t)edges[i / 8];
			}
			xs[i] = wrap(dtype, (uint64_t)xs[i]);
			ys[i] = wrap(dtype, (uint64_t)ys[i]);
		}
		check(dtype, N_FUNCTIONS);
	}
}
END_TEST

static Suite *integers_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("integers");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, all_pairs_of_8_bits, 0, 2);
	tcase_add_loop_test(tcase, all_dividends_of_16_bits, 0, 2);
	tcase_add_loop_test(tcase, pairs_of_32_bits, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(integers_suite, NULL);
}
