/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_iota.c - arrays of equal steps have the bits of a loop in C.  The steps
 * are whole or not, overflow, or have zeros of both signs.  Some arrays have
 * too many elements for float32 to count them.
 *
 * DPR_TEST_DEVICES is a selector (default: host,opencl); DPR_TEST_ALL takes
 * more cases where drivers compile for minutes.  DPR_TEST_SEED
 * repeats a run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/engine.h"
#include "core/array/launch/iota.h"
#include "tests/support/bits.h"
#include "tests/engine/sweep.h"

#define MOST 70001
#define MANY                                                            \
	((INT64_C(1) << 24) + 1000) /* float32 does not hold its number \
				     */

/* A number as the sum of two floats. */
struct pair {
	float high, low;
};

static struct pair pair_of(double x)
{
	const float high = (float)x;

	return (struct pair){ high,
			      isfinite(high) ? (float)(x - (double)high) : 0 };
}

static int exponent_of(double x)
{
	int exponent;

	frexp(x, &exponent);
	return exponent;
}

/* The least power of two by which start and step are divided: then no number on
   the way to the values is 2^@limit or more. */
static int excess_of(const struct iota *iota, int64_t count, int limit)
{
	const int start = exponent_of(iota->start);
	const int way = exponent_of(iota->step) + exponent_of((double)count);
	const int excess = (start > way ? start : way) + 1 - limit;

	return excess > 0 ? excess : 0;
}

/* x * 2^n, where 2^n may be too large for a float. */
static float scaled(float x, int n)
{
	for (; n > 127 && x != 0 && isfinite(x); n -= 127)
		x *= 0x1p127f;
	return x * (float)ldexp(1, n > 127 ? 127 : n);
}

static float single_at(const struct iota *iota, int64_t i, int64_t count)
{
	const int excess = excess_of(iota, count, 127);
	const struct pair start = pair_of(ldexp(iota->start, -excess));
	const struct pair step = pair_of(ldexp(iota->step, -excess));
	const float high = (float)i, low = (float)(i - (int64_t)high);
	const float product = high * step.high;
	const float sum = start.high + product, back = sum - start.high;
	float error = fmaf(high, step.high, -product);

	if (iota->has_last && i == count - 1)
		return (float)iota->last;
	if (i == 0)
		return (float)iota->start;
	if (!isfinite(iota->start) || !isfinite(iota->step))
		return (float)(iota->start + iota->step);
	error = fmaf(high, step.low, fmaf(low, step.high, error));
	error += (start.high - (sum - back)) + (product - back);
	return scaled(sum + (error + start.low), excess);
}

static double double_at(const struct iota *iota, int64_t i, int64_t count)
{
	const int excess = excess_of(iota, count, 1023);
	const double start = ldexp(iota->start, -excess);
	const double step = ldexp(iota->step, -excess);

	if (iota->has_last && i == count - 1)
		return iota->last;
	if (i == 0)
		return iota->start;
	if (!isfinite(iota->start) || !isfinite(iota->step))
		return iota->start + iota->step;
	return ldexp(start + (double)i * step, excess);
}

/* The values of @n elements from @first on, in @part: float32, float64 or
   uint64. */
static dpr_array *new_values(const struct iota *iota, dpr_dtype part,
			     int64_t first, int64_t n, int64_t count)
{
	static uint64_t whole[MOST];
	static double doubles[MOST];
	static float singles[MOST];
	const void *from = part == DPR_FLOAT32   ? (const void *)singles
			   : part == DPR_FLOAT64 ? (const void *)doubles
						 : (const void *)whole;
	dpr_array *out;

	for (int64_t k = 0; k < n; k++) {
		const int64_t i = first + k;

		singles[k] = single_at(iota, i, count);
		doubles[k] = double_at(iota, i, count);
		whole[k] = iota->whole_start + (uint64_t)i * iota->whole_step;
	}
	MUST(dpr_array_from_memory(from, DPR_SHAPE(n), NULL, part, queue,
				   &out));
	return out;
}

/* Compare elements from @first on, at most MOST. */
static void compare(const dpr_array *x, const struct iota *iota, int64_t first)
{
	const dpr_dtype dtype = dpr_array_dtype(x);
	const int64_t count = dpr_array_size(x);
	const int64_t n = count - first < MOST ? count - first : MOST;
	const char kind = dpr_dtype_kind(dtype);
	const dpr_dtype part = kind == 'i' || kind == 'u' ? DPR_UINT64
			       : (dpr_dtype)dtype_part(dtype) == DPR_FLOAT64
				       ? DPR_FLOAT64
				       : DPR_FLOAT32;
	dpr_array *values = new_values(iota, part, first, n, count);
	dpr_array *want, *have;

	MUST(dpr_astype(values, dtype, &want));
	MUST(dpr_array_view(x, &have, DPR_SLICE(first, first + n, 1)));
	checks++;
	if (!bits_equal(have, want) && wrong++ < 20)
		printf("%s, %s, %lld elements from %a by %a to %a: other bits\n",
		       dpr_queue_name(queue), dpr_dtype_name(dtype),
		       (long long)count, iota->start, iota->step,
		       iota->has_last ? iota->last : NAN);
	dpr_array_release(values);
	dpr_array_release(want);
	dpr_array_release(have);
}

static dpr_array *new_steps(const struct iota *iota, dpr_dtype dtype,
			    int64_t count)
{
	dpr_array *x;

	MUST(array_new("test", dtype, 1, &count, queue, DPR_USM_DEVICE, &x));
	MUST(iota_launch("test", iota, x));
	return x;
}

/* Some cases have whole values, and some overflow. */
static struct iota some_steps(int64_t count)
{
	static const double starts[] = { 0,       -0.0,     1,         -5,
					 0.1,     1e30,     1e-45,     -3e38,
					 0.75,    16777217, -1e8,      1e300,
					 1.7e308, 3.3e38,   -INFINITY, NAN };
	static const double steps[] = { 1,    -1,     3,       0,
					0.1,  -0.25,  1e-7,    1e37,
					1e36, 1e300,  1e-50,   -2e307,
					3e33, 1e304,  0x1p-30, 7.0 / 3,
					1e38, -1e308, INFINITY };
	static const uint64_t wholes[] = { 0, 5, UINT64_MAX - 1000,
					   INT64_MAX - 70, 1u << 31 };
	static const int64_t strides[] = { 1, -1, 3, 0, -70000, INT64_MAX / 9 };
	struct iota iota = {
		.start = starts[random_between(&rng, 0, 15)],
		.step = steps[random_between(&rng, 0, 18)],
		.whole_start = wholes[random_between(&rng, 0, 4)],
		.whole_step = (uint64_t)strides[random_between(&rng, 0, 5)],
		.has_last = count > 1 && random_between(&rng, 0, 2) == 0,
	};

	if (random_between(&rng, 0, 2) == 0)
		iota.start = trunc(iota.start);
	iota.last = iota.start + iota.step * (double)(count - 1);
	if (random_between(&rng, 0, 3) == 0)
		iota.last = iota.last == 0 ? -0.0 : 2.5;
	return iota;
}

static void check_some(dpr_dtype dtype)
{
	static const int64_t counts[] = { 1, 2, 5, 300, 4097, MOST };
	const int64_t count = counts[random_between(&rng, 0, 5)];
	const struct iota iota = some_steps(count);
	dpr_array *x = new_steps(&iota, dtype, count);

	compare(x, &iota, 0);
	dpr_array_release(x);
}

/* Compare the begin and the end, where i has more digits than float32. */
static void check_many(dpr_dtype dtype)
{
	const struct iota iota = { .start = 0.1, .step = 1.0 / 3 };
	dpr_array *x = new_steps(&iota, dtype, MANY);

	compare(x, &iota, 0);
	compare(x, &iota, MANY - 3000);
	dpr_array_release(x);
}

static void run_device(dpr_device *device)
{
	const char *format = engine_format(device);
	const bool is_slow =
		!strcmp(format, "opencl-c") || !strcmp(format, "spirv");
	const int n = is_slow && !getenv("DPR_TEST_ALL") ? 1 : 60;

	MUST(dpr_device_queue(device, &queue));
	for (unsigned d = DPR_INT8; d <= DPR_COMPLEX128; d++) {
		const bool is_float = dpr_dtype_kind((dpr_dtype)d) == 'f';

		if (!dpr_dtype_computes(device, (dpr_dtype)d))
			continue;
		for (int i = 0; i < (d == DPR_FLOAT32 ? 4 * n : n); i++)
			check_some((dpr_dtype)d);
		if (is_float && (!is_slow || d == DPR_FLOAT32))
			check_many((dpr_dtype)d);
	}
	printf("%s: %ld comparisons so far, %ld wrong\n",
	       dpr_device_selector(device), checks, wrong);
}

static bool is_for(dpr_device *device)
{
	return engine_format(device) && !exact_memory(device);
}

int main(void)
{
	return sweep("host,opencl", is_for, run_device,
		     "no device takes kernels of the engine");
}
