/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mock_reduce.c - the array kernels that reduce, as the author of a backend
 * with a format of its own would write them.  Only dpr-backend(7) describes
 * their arguments.
 */
#include "tests/plugins/mock/mock_reduce.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* Names have it in them. */
#undef bool

#define RANK 8
#define GROUP 256

/* The words: count, rows, extent[8], offset[2], stride[8][2], step[2], length,
   part, divisor, team. */
struct reduce {
	uint64_t count, rows;
	uint64_t extent[RANK];
	int64_t offset[2], stride[RANK][2], step[2], length, part;
	uint64_t divisor, team;
};
_Static_assert(sizeof(struct reduce) == MOCK_REDUCE_WORDS * sizeof(uint64_t),
	       "no padding");

/* The share of a team: the first element in operand 1, the number of elements,
   and the place of the result. */
struct span {
	int64_t from, n, to;
};

/* Whether the words say what they should, and there are work-items for all. */
static int is_right(const struct reduce *f, const uint64_t global[3])
{
	uint64_t rows = 1;
	int d;

	for (d = 0; d < RANK; d++)
		rows *= f->extent[d];
	return rows == f->rows && f->count % rows == 0 && f->team > 0 &&
	       f->team <= GROUP && (f->team & (f->team - 1)) == 0 &&
	       global[0] % GROUP == 0 && global[0] >= f->count * f->team &&
	       global[0] < f->count * f->team + GROUP;
}

static struct span span_of(const struct reduce *f, uint64_t id)
{
	const int64_t part = (int64_t)(id / f->rows);
	const int64_t begin = part * f->part;
	uint64_t rest = id % f->rows;
	struct span s = { .from = f->offset[1] + begin * f->step[1],
			  .n = f->length - begin,
			  .to = f->offset[0] + part * f->step[0] };
	int d;

	if (s.n > f->part)
		s.n = f->part;
	for (d = 0; d < RANK; d++) {
		const int64_t i = (int64_t)(rest % f->extent[d]);

		s.to += i * f->stride[d][0];
		s.from += i * f->stride[d][1];
		rest /= f->extent[d];
	}
	return s;
}

/* --- Elements ----------------------------------------------------------- */

static float bfloat16_value(uint16_t bits)
{
	const uint32_t wide = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &wide, sizeof(value));
	return value;
}

static float float16_value(uint16_t bits)
{
	const int exponent = bits >> 10 & 31, fraction = bits & 1023;
	const float value =
		exponent == 31 ? (fraction ? NAN : INFINITY)
		: exponent     ? ldexpf((float)(fraction + 1024), exponent - 25)
			       : ldexpf((float)fraction, -24);

	return bits >> 15 ? -value : value;
}

#define ITSELF(v) (v)

/* X(DTYPE, type of an element, the least one, the largest one) */
#define INTEGERS(X)                             \
	X(bool, uint8_t, 0, 1)                  \
	X(int8, int8_t, INT8_MIN, INT8_MAX)     \
	X(int16, int16_t, INT16_MIN, INT16_MAX) \
	X(int32, int32_t, INT32_MIN, INT32_MAX) \
	X(int64, int64_t, INT64_MIN, INT64_MAX) \
	X(uint8, uint8_t, 0, UINT8_MAX)         \
	X(uint16, uint16_t, 0, UINT16_MAX)      \
	X(uint32, uint32_t, 0, UINT32_MAX)      \
	X(uint64, uint64_t, 0, UINT64_MAX)

/* --- Kernels ------------------------------------------------------------ */

/* Accumulate values @v in z, of type S, which begins as @first. */
#define KERNEL(op, dtype, T, S, VALUE, first, OF, FINISH)                    \
	dprp_rc mock_reduce_##op##_##dtype(const uint64_t global[3],         \
					   void *const *args)                \
	{                                                                    \
		const T *x = *(void **)args[1];                              \
		S *out = *(void **)args[0];                                  \
		struct reduce f;                                             \
		uint64_t id;                                                 \
		int64_t i;                                                   \
                                                                             \
		memcpy(&f, args[2], sizeof(f));                              \
		if (!is_right(&f, global))                                   \
			return DPR_RC_NATIVE;                                \
		for (id = 0; id < f.count; id++) {                           \
			const struct span s = span_of(&f, id);               \
			S z = (first);                                       \
                                                                             \
			for (i = 0; i < s.n; i++) {                          \
				const S v =                                  \
					(S)VALUE(x[s.from + i * f.step[1]]); \
				z = (S)OF(z, v);                             \
			}                                                    \
			out[s.to] = FINISH(z);                               \
		}                                                            \
		return DPR_RC_OK;                                            \
	}

#define PLUS(z, v) ((z) + (v))
#define LESS(z, v) ((v) < (z) || (v) != (v) ? (v) : (z))
#define MORE(z, v) ((v) > (z) || (v) != (v) ? (v) : (z))
#define OR(z, v) ((z) | (v))
#define AND(z, v) ((z) & (v))

/* A mean is divided by the bits of a number of the type that accumulates. */
static double divisor(const struct reduce *f, int is_double)
{
	double wide;
	float single;

	memcpy(&wide, &f->divisor, sizeof(wide));
	memcpy(&single, &f->divisor, sizeof(single));
	return is_double ? wide : (double)single;
}

#define DIVIDE_SINGLE(z) (f.divisor ? (z) / (float)divisor(&f, 0) : (z))
#define DIVIDE_DOUBLE(z) (f.divisor ? (z) / divisor(&f, 1) : (z))

KERNEL(sum, bool, uint8_t, int64_t, ITSELF, 0, PLUS, ITSELF)
KERNEL(sum, int8, int8_t, int64_t, ITSELF, 0, PLUS, ITSELF)
KERNEL(sum, int16, int16_t, int64_t, ITSELF, 0, PLUS, ITSELF)
KERNEL(sum, int32, int32_t, int64_t, ITSELF, 0, PLUS, ITSELF)
KERNEL(sum, int64, int64_t, int64_t, ITSELF, 0, PLUS, ITSELF)
KERNEL(sum, uint8, uint8_t, uint64_t, ITSELF, 0, PLUS, ITSELF)
KERNEL(sum, uint16, uint16_t, uint64_t, ITSELF, 0, PLUS, ITSELF)
KERNEL(sum, uint32, uint32_t, uint64_t, ITSELF, 0, PLUS, ITSELF)
KERNEL(sum, uint64, uint64_t, uint64_t, ITSELF, 0, PLUS, ITSELF)
KERNEL(sum, float16, uint16_t, float, float16_value, 0, PLUS, DIVIDE_SINGLE)
KERNEL(sum, bfloat16, uint16_t, float, bfloat16_value, 0, PLUS, DIVIDE_SINGLE)
KERNEL(sum, float32, float, float, ITSELF, 0, PLUS, DIVIDE_SINGLE)
KERNEL(sum, float64, double, double, ITSELF, 0, PLUS, DIVIDE_DOUBLE)
KERNEL(sum, complex64, float complex, float complex, ITSELF, 0, PLUS,
       DIVIDE_SINGLE)
KERNEL(sum, complex128, double complex, double complex, ITSELF, 0, PLUS,
       DIVIDE_DOUBLE)

/* Signed integers wrap. */
#define TIMES(z, v) ((z) * (v))
#define WRAPPED(z, v) ((uint64_t)(z) * (uint64_t)(v))
KERNEL(prod, bool, uint8_t, int64_t, ITSELF, 1, WRAPPED, ITSELF)
KERNEL(prod, int8, int8_t, int64_t, ITSELF, 1, WRAPPED, ITSELF)
KERNEL(prod, int16, int16_t, int64_t, ITSELF, 1, WRAPPED, ITSELF)
KERNEL(prod, int32, int32_t, int64_t, ITSELF, 1, WRAPPED, ITSELF)
KERNEL(prod, int64, int64_t, int64_t, ITSELF, 1, WRAPPED, ITSELF)
KERNEL(prod, uint8, uint8_t, uint64_t, ITSELF, 1, TIMES, ITSELF)
KERNEL(prod, uint16, uint16_t, uint64_t, ITSELF, 1, TIMES, ITSELF)
KERNEL(prod, uint32, uint32_t, uint64_t, ITSELF, 1, TIMES, ITSELF)
KERNEL(prod, uint64, uint64_t, uint64_t, ITSELF, 1, TIMES, ITSELF)
KERNEL(prod, float16, uint16_t, float, float16_value, 1, TIMES, ITSELF)
KERNEL(prod, bfloat16, uint16_t, float, bfloat16_value, 1, TIMES, ITSELF)
KERNEL(prod, float32, float, float, ITSELF, 1, TIMES, ITSELF)
KERNEL(prod, float64, double, double, ITSELF, 1, TIMES, ITSELF)
KERNEL(prod, complex64, float complex, float complex, ITSELF, 1, TIMES, ITSELF)
KERNEL(prod, complex128, double complex, double complex, ITSELF, 1, TIMES, ITSELF)

#define INTEGER_EXTREMES(dtype, T, least, largest)              \
	KERNEL(min, dtype, T, T, ITSELF, largest, LESS, ITSELF) \
	KERNEL(max, dtype, T, T, ITSELF, least, MORE, ITSELF)
#define FLOAT_EXTREMES(dtype, T, S, VALUE)                      \
	KERNEL(min, dtype, T, S, VALUE, INFINITY, LESS, ITSELF) \
	KERNEL(max, dtype, T, S, VALUE, -INFINITY, MORE, ITSELF)
INTEGERS(INTEGER_EXTREMES)
FLOAT_EXTREMES(float16, uint16_t, float, float16_value)
FLOAT_EXTREMES(bfloat16, uint16_t, float, bfloat16_value)
FLOAT_EXTREMES(float32, float, float, ITSELF)
FLOAT_EXTREMES(float64, double, double, ITSELF)

#define IS_TRUE(v) ((v) != 0)
#define IS_TRUE_FLOAT16(v) (float16_value(v) != 0)
#define IS_TRUE_BFLOAT16(v) (bfloat16_value(v) != 0)
#define LOGIC(dtype, T, VALUE)                               \
	KERNEL(any, dtype, T, uint8_t, VALUE, 0, OR, ITSELF) \
	KERNEL(all, dtype, T, uint8_t, VALUE, 1, AND, ITSELF)
#define INTEGER_LOGIC(dtype, T, least, largest) LOGIC(dtype, T, IS_TRUE)
INTEGERS(INTEGER_LOGIC)
LOGIC(float16, uint16_t, IS_TRUE_FLOAT16)
LOGIC(bfloat16, uint16_t, IS_TRUE_BFLOAT16)
LOGIC(float32, float, IS_TRUE)
LOGIC(float64, double, IS_TRUE)
LOGIC(complex64, float complex, IS_TRUE)
LOGIC(complex128, double complex, IS_TRUE)
