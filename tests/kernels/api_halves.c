/* SPDX-License-Identifier: Apache-2.0 */
/* api_halves.c - casts of every float16 to float32 and integers, of float32
   next to every float16 and between any two back to float16, and of integers
   to 16-bit floats. */
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

/* The value of float16 @half; the bits of NaN stay. */
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
	CHECK_OK(dpr_array_to_memory(y, to, dpr_array_nbytes(y), NULL));
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

/* --- Integers ------------------------------------------------------------- */

static const dpr_dtype integer_types[] = { DPR_INT8,   DPR_INT16, DPR_INT32,
					   DPR_INT64,  DPR_UINT8, DPR_UINT16,
					   DPR_UINT32, DPR_UINT64 };
#define INTEGER_TYPES (sizeof(integer_types) / sizeof(integer_types[0]))

/* The number that is stored in @bytes of @dtype: its size, and whether it is
   negative. */
static uint64_t size_of(const unsigned char *bytes, dpr_dtype dtype,
			bool *negative)
{
	const size_t size = dpr_dtype_size(dtype);
	uint64_t v = 0;

	memcpy(&v, bytes, size);
	*negative = dpr_dtype_kind(dtype) == 'i' && v >> (8 * size - 1);
	if (*negative)
		v |= size < 8 ? UINT64_MAX << (8 * size) : 0;
	return *negative ? 0 - v : v;
}

/* @size as a bfloat16, rounded once. */
static uint16_t narrow_to_bfloat(uint64_t size)
{
	uint64_t kept = size, rest = 0, half = 1;
	int power = 0;
	float f;

	while (kept >> 8) {
		half <<= power ? 1 : 0;
		rest |= (kept & 1) << power++;
		kept >>= 1;
	}
	if (power && (rest > half || (rest == half && kept & 1)))
		kept++;
	f = ldexpf((float)kept, power);
	return (uint16_t)(bits_of(f) >> 16);
}

/* Numbers of 8 or 11 bits and what is beside the middle between two of them, at
   each place of 64 bits. */
#define PLACES 64
#define MANTISSAS 7
#define BESIDE 6
#define NUMBERS (PLACES * MANTISSAS * BESIDE * 2)
static void make_numbers(uint64_t numbers[NUMBERS])
{
	static const unsigned mantissas[MANTISSAS] = { 0x400, 0x401, 0x402,
						       0x7fe, 0x7ff, 0x408,
						       0x7f8 };
	int n = 0;

	for (int place = 0; place < PLACES; place++)
		for (int k = 0; k < MANTISSAS; k++)
			for (int beside = 0; beside < BESIDE; beside++) {
				const int bits = beside < 3 ? 11 : 8;
				const uint64_t top = (uint64_t)mantissas[k]
							     << 53 >>
						     (63 - place);
				const uint64_t middle =
					place >= bits
						? UINT64_C(1) << (place - bits)
						: 0;
				const uint64_t v = top + middle +
						   (uint64_t)(beside % 3) - 1;

				numbers[n++] = v;
				numbers[n++] = 0 - v;
			}
}

START_TEST(integers_are_rounded_once)
{
	static unsigned char from[NUMBERS * 8];
	static uint64_t numbers[NUMBERS];
	static uint16_t to[NUMBERS];
	const dpr_dtype dtype = integer_types[_i / 2];
	const dpr_dtype result = _i % 2 ? DPR_BFLOAT16 : DPR_FLOAT16;
	const size_t size = dpr_dtype_size(dtype);

	if (leaves_out(_i, 5))
		return;
	make_numbers(numbers);
	for (int i = 0; i < NUMBERS; i++)
		memcpy(from + (size_t)i * size, &numbers[i], size);
	cast(from, dtype, NUMBERS, result, to);
	for (int i = 0; i < NUMBERS; i++) {
		bool negative;
		const uint64_t v =
			size_of(from + (size_t)i * size, dtype, &negative);
		uint16_t want = result == DPR_BFLOAT16 ? narrow_to_bfloat(v)
				: v >= 65520           ? 0x7c00
						       : narrow((float)v);

		want |= negative ? 0x8000 : 0;
		if (to[i] != want)
			ck_abort_msg("%s %s%#llx is %#x there, not %#x",
				     dpr_dtype_name(dtype), negative ? "-" : "",
				     (unsigned long long)v, (unsigned)to[i],
				     (unsigned)want);
	}
}
END_TEST

/* Every float16 as an integer: the nearest end of the range for what is
   outside, 0 for NaN. */
START_TEST(every_half_becomes_an_integer)
{
	static unsigned char to[HALVES * 8];
	const dpr_dtype dtype = integer_types[_i];
	const bool is_signed = dpr_dtype_kind(dtype) == 'i';
	const size_t size = dpr_dtype_size(dtype);
	const uint64_t all = UINT64_MAX >> (64 - 8 * size);
	const uint64_t high = is_signed ? all >> 1 : all;
	const uint64_t low = is_signed ? 0 - high - 1 : 0;

	if (leaves_out(_i, 3))
		return;
	for (int i = 0; i < HALVES; i++)
		halves[i] = (uint16_t)i;
	cast(halves, DPR_FLOAT16, HALVES, dtype, to);
	for (int i = 0; i < HALVES; i++) {
		const float f = widen((uint16_t)i);
		uint64_t want, got = 0;

		memcpy(&got, to + (size_t)i * size, size);
		if (isnan(f))
			want = 0;
		else if (f < 0)
			want = (double)f <= (double)(int64_t)low
				       ? low
				       : (uint64_t)(int64_t)f;
		else
			want = (double)f >= (double)high ? high : (uint64_t)f;
		if (got != (want & all))
			ck_abort_msg("%a as %s is %#llx there, not %#llx",
				     (double)f, dpr_dtype_name(dtype),
				     (unsigned long long)got,
				     (unsigned long long)(want & all));
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
	tcase_add_loop_test(tcase, integers_are_rounded_once, 0,
			    2 * INTEGER_TYPES);
	tcase_add_loop_test(tcase, every_half_becomes_an_integer, 0,
			    INTEGER_TYPES);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(halves_suite, NULL);
}
