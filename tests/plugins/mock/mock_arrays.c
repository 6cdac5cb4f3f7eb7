/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mock_arrays.c - some array kernels, as the author of a backend with a format
 * of its own would write them.  Only "dpr kernels --list" describes their
 * arguments.
 */
#include "tests/plugins/mock/mock_impl.h"

#include <math.h>
#include <string.h>

#define RANK 8

/* The words of a kernel over strided arrays: count, rows, extent[8], offset[n],
   stride[8][n], numbers. */
struct strided {
	const uint64_t *extent, *offset, *stride, *numbers;
	uint64_t count;
	int n; /* operands */
};

static struct strided strided_of(const void *arg, int n)
{
	const uint64_t *w = arg;
	struct strided s = { .count = w[0], .extent = w + 2, .n = n };

	s.offset = s.extent + RANK;
	s.stride = s.offset + n;
	s.numbers = s.stride + RANK * n;
	return s;
}

/* Where element @i of operand @k is. */
static int64_t place(const struct strided *s, int k, uint64_t i)
{
	int64_t at = (int64_t)s->offset[k];
	int d;

	for (d = 0; d < RANK; d++) {
		at += (int64_t)(i % s->extent[d]) *
		      (int64_t)s->stride[d * s->n + k];
		i /= s->extent[d];
	}
	return at;
}

static void *pointer(void *const *args, int k)
{
	return *(void **)args[k];
}

/* Element @at of operand @k, from 1 on, or the number in its place. */
static float operand(const uint64_t *numbers, void *const *args, int k,
		     int64_t at)
{
	const float *x = pointer(args, k);
	float number;

	memcpy(&number, &numbers[2 * (k - 1) + 1], sizeof(number));
	return numbers[2 * (k - 1)] ? number : x[at];
}

dprp_rc mock_flat_add(const uint64_t global[3], void *const *args)
{
	const uint64_t *w = args[3];
	float *out = pointer(args, 0);
	int64_t i;

	(void)global;
	for (i = 0; i < (int64_t)w[0]; i++)
		out[i] =
			operand(w + 1, args, 1, i) + operand(w + 1, args, 2, i);
	return DPR_RC_OK;
}

dprp_rc mock_flat_less(const uint64_t global[3], void *const *args)
{
	const uint64_t *w = args[3];
	uint8_t *out = pointer(args, 0);
	int64_t i;

	(void)global;
	for (i = 0; i < (int64_t)w[0]; i++)
		out[i] =
			operand(w + 1, args, 1, i) < operand(w + 1, args, 2, i);
	return DPR_RC_OK;
}

static float plus(float x, float y)
{
	return x + y;
}

static float times(float x, float y)
{
	return x * y;
}

/* An operation of two operands. */
static dprp_rc run_strided(void *const *args, float (*of)(float x, float y))
{
	const struct strided s = strided_of(args[3], 3);
	float *out = pointer(args, 0);
	uint64_t i;

	for (i = 0; i < s.count; i++)
		out[place(&s, 0, i)] =
			of(operand(s.numbers, args, 1, place(&s, 1, i)),
			   operand(s.numbers, args, 2, place(&s, 2, i)));
	return DPR_RC_OK;
}

dprp_rc mock_strided_add(const uint64_t global[3], void *const *args)
{
	(void)global;
	return run_strided(args, plus);
}

dprp_rc mock_strided_multiply(const uint64_t global[3], void *const *args)
{
	(void)global;
	return run_strided(args, times);
}

dprp_rc mock_strided_equal(const uint64_t global[3], void *const *args)
{
	const struct strided s = strided_of(args[3], 3);
	uint8_t *out = pointer(args, 0);

	(void)global;
	for (uint64_t i = 0; i < s.count; i++)
		out[place(&s, 0, i)] =
			operand(s.numbers, args, 1, place(&s, 1, i)) ==
			operand(s.numbers, args, 2, place(&s, 2, i));
	return DPR_RC_OK;
}

dprp_rc mock_flat_square(const uint64_t global[3], void *const *args)
{
	const uint64_t *w = args[2];
	const float *x = pointer(args, 1);
	float *out = pointer(args, 0);
	uint64_t i;

	(void)global;
	for (i = 0; i < w[0]; i++)
		out[i] = x[i] * x[i];
	return DPR_RC_OK;
}

/* The bits of a float16, rounded to nearest even: from the exponent on they are
   one number. */
static uint16_t to_float16(float value)
{
	const float a = value < 0 ? -value : value;
	const int sign = value < 0 ? 0x8000 : 0;
	volatile float rounded = 0x1p23f;
	int exponent = -13;

	if (!(a < 65520))
		return (uint16_t)(sign | (a == a ? 0x7c00 : 0x7e00));
	if (a >= 0x1p-14f)
		frexpf(a, &exponent);
	rounded += ldexpf(a, 11 - exponent);
	return (uint16_t)(sign |
			  ((exponent + 13) * 1024 + (int)(rounded - 0x1p23f)));
}

static uint16_t to_bfloat16(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return (uint16_t)(value == value
				  ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16
				  : 0x7fc0);
}

static float from_bfloat16(uint16_t half)
{
	const uint32_t bits = (uint32_t)half << 16;
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

typedef struct {
	uint64_t low, high;
} two_words;

#define ITSELF(v) (v)
#define STRIDED(name, from, to, OF)                                    \
	dprp_rc mock_strided_##name(const uint64_t global[3],          \
				    void *const *args)                 \
	{                                                              \
		const struct strided s = strided_of(args[2], 2);       \
		const from *x = pointer(args, 1);                      \
		to *out = pointer(args, 0);                            \
		uint64_t i;                                            \
                                                                       \
		(void)global;                                          \
		for (i = 0; i < s.count; i++)                          \
			out[place(&s, 0, i)] = OF(x[place(&s, 1, i)]); \
		return DPR_RC_OK;                                      \
	}
STRIDED(cast_int32_float32, int32_t, float, (float))
STRIDED(cast_int32_float64, int32_t, double, (double))
STRIDED(cast_int64_int32, int64_t, int32_t, (int32_t))
STRIDED(cast_int64_uint64, int64_t, uint64_t, (uint64_t))
STRIDED(cast_float32_float16, float, uint16_t, to_float16)
STRIDED(cast_float32_bfloat16, float, uint16_t, to_bfloat16)
STRIDED(cast_bfloat16_float32, uint16_t, float, from_bfloat16)
STRIDED(copy_uint8, uint8_t, uint8_t, ITSELF)
STRIDED(copy_uint16, uint16_t, uint16_t, ITSELF)
STRIDED(copy_uint32, uint32_t, uint32_t, ITSELF)
STRIDED(copy_uint64, uint64_t, uint64_t, ITSELF)
STRIDED(copy_complex128, two_words, two_words, ITSELF)

/* Operations of two operands, each of them an array or a number. */
#define FLAT(name, type, result, OF) FLAT_OF(name, type, result, x[0] OF x[1])
#define FLAT_OF(name, type, result, value)                                    \
	dprp_rc mock_flat_##name(const uint64_t global[3], void *const *args) \
	{                                                                     \
		const uint64_t *w = args[3];                                  \
		result *out = pointer(args, 0);                               \
		uint64_t i;                                                   \
                                                                              \
		(void)global;                                                 \
		for (i = 0; i < w[0]; i++) {                                  \
			type x[2];                                            \
			int k;                                                \
                                                                              \
			for (k = 0; k < 2; k++)                               \
				memcpy(&x[k],                                 \
				       w[1 + 2 * k]                           \
					       ? (const type *)&w[2 + 2 * k]  \
					       : (const type *)pointer(       \
							 args, k + 1) +       \
							 i,                   \
				       sizeof(type));                         \
			out[i] = (result)(value);                             \
		}                                                             \
		return DPR_RC_OK;                                             \
	}
FLAT(add_float64, double, double, +)
FLAT(multiply_float64, double, double, *)
FLAT(equal_int64, int64_t, uint8_t, ==)
FLAT(less_int64, int64_t, uint8_t, <)
FLAT(less_uint64, uint64_t, uint8_t, <)
FLAT(greater_equal_int64, int64_t, uint8_t, >=)
FLAT(equal_uint64, uint64_t, uint8_t, ==)
FLAT(bitwise_and_bool, uint8_t, uint8_t, &)
FLAT(bitwise_or_bool, uint8_t, uint8_t, |)
FLAT(bitwise_and_int32, int32_t, int32_t, &)
FLAT(bitwise_xor_int32, int32_t, int32_t, ^)
FLAT(less_int32, int32_t, uint8_t, <)
FLAT(bitwise_or_int32, int32_t, int32_t, |)
FLAT(equal_int32, int32_t, uint8_t, ==)
FLAT(not_equal_bool, uint8_t, uint8_t, !=)
FLAT(equal_float32, float, uint8_t, ==)
FLAT(not_equal_float32, float, uint8_t, !=)
FLAT_OF(minimum_float32, float, float,
	x[0] < x[1] || x[0] != x[0] ? x[0] : x[1])
FLAT_OF(minimum_uint64, uint64_t, uint64_t, x[0] < x[1] ? x[0] : x[1])
FLAT_OF(ldexp_float32, float, float, ldexpf(x[0], (int)x[1]))
FLAT_OF(maximum_float32, float, float,
	x[0] > x[1] || x[0] != x[0] ? x[0] : x[1])

#define FLAT_1(name, type, value)                                             \
	dprp_rc mock_flat_##name(const uint64_t global[3], void *const *args) \
	{                                                                     \
		const uint64_t *w = args[2];                                  \
		const type *x = pointer(args, 1);                             \
		type *out = pointer(args, 0);                                 \
		uint64_t i;                                                   \
                                                                              \
		(void)global;                                                 \
		for (i = 0; i < w[0]; i++)                                    \
			out[i] = (value);                                     \
		return DPR_RC_OK;                                             \
	}
FLAT_1(bitwise_invert_int32, int32_t, ~x[i])
FLAT_1(negative_int32, int32_t, (int32_t)(0u - (uint32_t)x[i]))

dprp_rc mock_strided_fill(const uint64_t global[3], void *const *args)
{
	const struct strided s = strided_of(args[1], 1);
	uint32_t *out = pointer(args, 0);
	uint64_t i;

	(void)global;
	for (i = 0; i < s.count; i++)
		out[place(&s, 0, i)] = (uint32_t)s.numbers[0];
	return DPR_RC_OK;
}

#define WHERE(name, type)                                                     \
	dprp_rc mock_flat_##name(const uint64_t global[3], void *const *args) \
	{                                                                     \
		const uint64_t *w = args[4];                                  \
		const uint8_t *condition = pointer(args, 1);                  \
		type *out = pointer(args, 0);                                 \
		uint64_t i;                                                   \
                                                                              \
		(void)global;                                                 \
		for (i = 0; i < w[0]; i++) {                                  \
			const int k = condition[i] ? 2 : 3;                   \
			const uint64_t *number = &w[1 + 2 * (k - 2)];         \
			const type *x = pointer(args, k);                     \
                                                                              \
			out[i] = number[0] ? (type)number[1] : x[i];          \
		}                                                             \
		return DPR_RC_OK;                                             \
	}
WHERE(where_uint32, uint32_t)
WHERE(where_uint64, uint64_t)

/* The second operand has no memory: its places are the values. */
dprp_rc mock_strided_index(const uint64_t global[3], void *const *args)
{
	const struct strided s = strided_of(args[1], 2);
	int64_t *out = pointer(args, 0);
	uint64_t i;

	(void)global;
	for (i = 0; i < s.count; i++)
		out[place(&s, 0, i)] = place(&s, 1, i);
	return DPR_RC_OK;
}

/* The third operand says how far behind its place an element is stored. */
dprp_rc mock_strided_put(const uint64_t global[3], void *const *args)
{
	const struct strided s = strided_of(args[3], 3);
	const uint32_t *x = pointer(args, 1);
	const int64_t *behind = pointer(args, 2);
	uint32_t *out = pointer(args, 0);
	uint64_t i;

	(void)global;
	for (i = 0; i < s.count; i++) {
		const int64_t at = behind[place(&s, 2, i)];

		if (at >= 0)
			out[place(&s, 0, i) + at] = x[place(&s, 1, i)];
	}
	return DPR_RC_OK;
}

/* The second operand says which element of the third one is read. */
dprp_rc mock_strided_gather(const uint64_t global[3], void *const *args)
{
	const struct strided s = strided_of(args[3], 3);
	const int64_t *at = pointer(args, 1);
	const uint32_t *x = pointer(args, 2);
	uint32_t *out = pointer(args, 0);
	uint64_t i;

	(void)global;
	for (i = 0; i < s.count; i++)
		out[place(&s, 0, i)] = x[place(&s, 2, i) + at[place(&s, 1, i)]];
	return DPR_RC_OK;
}

/* --- Products ------------------------------------------------------------- */

/* The words of a product, in the order of the list. */
struct matmul {
	int64_t m, n, k;
	int64_t offset[3], row[3], column[3];
	int64_t tiles, down, across, rows, columns, each, first;
	int64_t axes, extent[8], stride[3][8];
};

/* Compute a tile. */
static void multiply(const struct matmul *w, int64_t tile, void *const *args)
{
	const int64_t in = tile % (w->down * w->across);
	int64_t rest = tile / (w->down * w->across), at[3];
	const float *a = pointer(args, 0), *b = pointer(args, 1);
	float *c = pointer(args, 2);

	memcpy(at, w->offset, sizeof(at));
	for (int64_t d = w->axes - 1; d >= 0; d--) {
		for (int x = 0; x < 3; x++)
			at[x] += rest % w->extent[d] * w->stride[x][d];
		rest /= w->extent[d];
	}
	for (int64_t i = in / w->across * w->rows;
	     i < (in / w->across + 1) * w->rows && i < w->m; i++)
		for (int64_t j = in % w->across * w->columns;
		     j < (in % w->across + 1) * w->columns && j < w->n; j++) {
			float sum = 0;

			for (int64_t p = 0; p < w->k; p++)
				sum += a[at[0] + i * w->row[0] +
					 p * w->column[0]] *
				       b[at[1] + p * w->row[1] +
					 j * w->column[1]];
			c[at[2] + i * w->row[2] + j * w->column[2]] = sum;
		}
}

/* A group of 256 work-items computes a tile. */
dprp_rc mock_matmul(const uint64_t global[3], void *const *args)
{
	struct matmul w;

	memcpy(&w, args[3], sizeof(w));
	for (int64_t i = 0; i < (int64_t)(global[0] / 256); i++)
		multiply(&w, w.first + i, args);
	return DPR_RC_OK;
}
