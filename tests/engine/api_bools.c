/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_bools.c - bytes other than 0 and 1 in arrays of bool, as programs,
 * kernels and other libraries may store them.  Each is true: results are those
 * of the same array with 1 in their place, bit for bit.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define MOST 5000
static const size_t sizes[] = { 1, 6, 100, MOST };
#define SIZES (int)(sizeof(sizes) / sizeof(sizes[0]))

static const char *const of_one[] = {
	"abs(x)",
	"real(x)",
	"~x",
	"x == 1",
	"x < True",
	"logical_not(x)",
	"astype(x, int8)",
	"astype(x, int16)",
	"astype(x, int32)",
	"astype(x, int64)",
	"astype(x, uint8)",
	"astype(x, uint16)",
	"astype(x, uint32)",
	"astype(x, uint64)",
	"astype(x, float16)",
	"astype(x, bfloat16)",
	"astype(x, float32)",
	"astype(x, complex64)",
	"x + 0.5",
	"sqrt(x)",
	"sum(x)",
	"sum(x * 2.5)",
	"sum(astype(x, uint8))",
	"min(x)",
	"max(x)",
	"any(x)",
	"all(x)",
	"mean(astype(x, float32))",
	"astype(x, int32) / sum(astype(x, int32))",
	"x * 1.5 / sum(x)",
	"mean(x)",
	"where(max(x), 2, sum(x) + x)",
};
static const char *const of_two[] = {
	"x + y",
	"x * y",
	"minimum(x, y)",
	"maximum(x, y)",
	"x & y",
	"x | y",
	"x ^ y",
	"x == y",
	"x != y",
	"x < y",
	"x <= y",
	"x > y",
	"x >= y",
	"logical_and(x, y)",
	"logical_or(x, y)",
	"logical_xor(x, y)",
	"where(x, y, 3)",
	"where(x & y, 1.5, x)",
	"x * 3 + y * 2",
	"sum(x & y)",
	"min(x | y)",
	"any(x ^ y)",
	"max(astype(x, int16)) - astype(y, int16)",
};
#define ONES (int)(sizeof(of_one) / sizeof(of_one[0]))
#define TEXTS (ONES + (int)(sizeof(of_two) / sizeof(of_two[0])))

/* Bytes of all kinds, and the same as 0 and 1. */
static void make_bytes(unsigned seed, unsigned char *raw, unsigned char *plain)
{
	static const unsigned char some[] = { 0, 1, 2, 255, 3, 0, 128, 254 };

	for (size_t i = 0; i < MOST; i++) {
		raw[i] = some[(i * seed + i / 7) % sizeof(some)];
		plain[i] = raw[i] != 0;
	}
}

static dpr_array *array_of(const unsigned char *bytes, size_t n)
{
	dpr_array *x;

	CHECK_OK(dpr_array_from_memory(bytes, DPR_SHAPE((int64_t)n), NULL,
				       DPR_BOOL, test_queue, &x));
	return x;
}

/* Compute text number @i; *@size gets the bytes of the elements, which the
   caller frees. */
static unsigned char *compute(int i, dpr_array *x, dpr_array *y, size_t *size)
{
	const char *text = i < ONES ? of_one[i] : of_two[i - ONES];
	unsigned char *bytes;
	dpr_array *out;

	if (i < ONES)
		CHECK_OK(dpr_evaluate(text, NULL, &out, "x", x));
	else
		CHECK_OK(dpr_evaluate(text, NULL, &out, "x", x, "y", y));
	*size = (size_t)dpr_array_size(out) * dpr_array_itemsize(out);
	bytes = malloc(*size);
	ck_assert_ptr_nonnull(bytes);
	CHECK_OK(dpr_array_to_memory(out, bytes, dpr_array_nbytes(out), NULL));
	dpr_array_release(out);
	return bytes;
}

/* Whether the text has the same result of the bytes as of 0 and 1. */
static bool is_same(int i, size_t n, bool strided)
{
	unsigned char raw[2][MOST], plain[2][MOST], *a, *b;
	dpr_array *x[2], *y[2], *whole;
	size_t size[2];
	bool same;

	for (unsigned k = 0; k < 2; k++)
		make_bytes(3 + 2 * k, raw[k], plain[k]);
	for (int k = 0; k < 2; k++) {
		x[k] = array_of(k ? plain[0] : raw[0], n);
		y[k] = array_of(k ? plain[1] : raw[1], n);
		if (!strided)
			continue;
		whole = x[k];
		CHECK_OK(dpr_array_view(whole, &x[k],
					DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
		dpr_array_release(whole);
	}
	a = compute(i, x[0], y[0], &size[0]);
	b = compute(i, x[1], y[1], &size[1]);
	same = size[0] == size[1] && !memcmp(a, b, size[0]);
	free(a);
	free(b);
	for (int k = 0; k < 2; k++) {
		dpr_array_release(x[k]);
		dpr_array_release(y[k]);
	}
	return same;
}

START_TEST(any_byte)
{
	const char *text = _i < ONES ? of_one[_i] : of_two[_i - ONES];
	int wrong = 0;

	if (leaves_out(_i, 4))
		return;
	for (int s = 0; s < SIZES; s++)
		for (int strided = 0; strided < 2; strided++)
			wrong += !is_same(_i, sizes[s], strided);
	ck_assert_msg(!wrong, "%s: %d results differ", text, wrong);
}
END_TEST

/* The values that the array API gives, not only the same ones. */
START_TEST(values)
{
	static const unsigned char bytes[] = { 0, 1, 2, 255, 3, 0 };
	dpr_array *x = array_of(bytes, sizeof(bytes)), *out;
	int32_t ints[6];
	int64_t sum;

	CHECK_OK(dpr_evaluate("sum(x)", NULL, &out, "x", x));
	CHECK_OK(dpr_array_to_memory(out, &sum, sizeof(sum), NULL));
	ck_assert_int_eq(sum, 4);
	dpr_array_release(out);
	CHECK_OK(dpr_astype(x, DPR_INT32, &out));
	CHECK_OK(dpr_array_to_memory(out, ints, sizeof(ints), NULL));
	for (int i = 1; i < 5; i++)
		ints[0] += ints[i] == 1;
	ck_assert_int_eq(ints[0], 4);
	ck_assert_int_eq(ints[5], 0);
	dpr_array_release(out);
	dpr_array_release(x);
}
END_TEST

static Suite *bools_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("bools");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, any_byte, 0, TEXTS);
	tcase_add_test(t, values);
	suite_add_tcase(suite, t);
	return suite;
}

int main(void)
{
	return run_on_selected(bools_suite, NULL);
}
