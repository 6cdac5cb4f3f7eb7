/* SPDX-License-Identifier: Apache-2.0 */
/* api_halves.c - casts of every float16 to float32, and of float32 next to
   every float16 and between any two back to float16. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define HALVES 65536
#define NEAR 5 /* the float32 at a float16, and in steps up to the next one */
#define COUNT (HALVES * NEAR)

static uint16_t halves[COUNT];
static float floats[COUNT];

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static bool is_nan(uint16_t half)
{
	return (half & 0x7fff) > 0x7c00;
}

/* What float16 @half is; the bits of NaN stay. */
static float widen(uint16_t half)
{
	const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
	const int power = half >> 10 & 31, part = half & 0x3ff;
	uint32_t bits;
	float f;

	if (power == 31) {
		bits = sign | 0x7f800000 | (uint32_t)part << 13;
		memcpy(&f, &bits, sizeof(f));
		return f;
	}
	f = power ? ldexpf((float)(part + 1024), power - 25)
		  : ldexpf((float)part, -24);
	return sign ? -f : f;
}

/* The nearest float16, of two the even one. */
static uint16_t narrow(float f)
{
	const uint16_t sign = bits_of(f) >> 31 ? 0x8000 : 0;
	const float size = fabsf(f);
	int power;

	if (isnan(f))
		return sign | 0x7e00;
	if (size >= 65520)
		return sign | 0x7c00;
	power = size < 0x1p-14f ? -14 : ilogbf(size);
	/* The carry of a rounded mantissa goes to the exponent. */
	return sign | (uint16_t)((power + 14) * 1024 +
				 (int)rintf(ldexpf(size, 10 - power)));
}

/* The device has the bits of NaN that are written above. */
static bool keeps_nan(void)
{
	return strstr(dpr_device_selector(test_device), "host") != NULL;
}

static void cast(const void *from, dpr_dtype dtype, int n, dpr_dtype other,
		 void *to)
{
	dpr_array *x, *y;

	CHECK_OK(dpr_array_from_memory(from, DPR_SHAPE(n), NULL, dtype,
				       test_queue, &x));
	CHECK_OK(dpr_astype(x, other, &y));
	CHECK_OK(dpr_array_to_memory(y, to, NULL));
	dpr_array_release(x);
	dpr_array_release(y);
}

START_TEST(every_half_is_widened)
{
	for (int i = 0; i < HALVES; i++)
		halves[i] = (uint16_t)i;
	cast(halves, DPR_FLOAT16, HALVES, DPR_FLOAT32, floats);
	for (int i = 0; i < HALVES; i++) {
		const uint32_t want = bits_of(widen((uint16_t)i));

		if (is_nan((uint16_t)i) && !keeps_nan() && isnan(floats[i]))
			continue;
		if (bits_of(floats[i]) != want)
			ck_abort_msg("%#x is %#x there, not %#x", (unsigned)i,
				     (unsigned)bits_of(floats[i]),
				     (unsigned)want);
	}
}
END_TEST

/* Next to a float16, 1/2 of the way to the next one, and on both sides of
   that. */
START_TEST(floats_are_rounded)
{
	static const uint32_t step[NEAR] = { 0, 1, 0xfff, 0x1000, 0x1001 };

	for (int i = 0; i < COUNT; i++) {
		uint32_t bits =
			bits_of(widen((uint16_t)(i / NEAR))) + step[i % NEAR];

		memcpy(&floats[i], &bits, sizeof(bits));
	}
	cast(floats, DPR_FLOAT32, COUNT, DPR_FLOAT16, halves);
	for (int i = 0; i < COUNT; i++) {
		const uint16_t want = narrow(floats[i]);

		if (isnan(floats[i]) && !keeps_nan() && is_nan(halves[i]))
			continue;
		if (halves[i] != want)
			ck_abort_msg("%a is %#x there, not %#x",
				     (double)floats[i], (unsigned)halves[i],
				     (unsigned)want);
	}
}
END_TEST

static Suite *halves_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("halves");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, every_half_is_widened);
	tcase_add_test(tcase, floats_are_rounded);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(halves_suite, NULL);
}
