/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of array functions that a table of values does not test: weak scalars,
 * mixed dtypes, overlap, many axes, large reductions, casts out of range.
 *
 * usage: api_rules SELECTOR
 */
#include <math.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/elements.h"

/* --- Helpers ------------------------------------------------------------- */

/* An int32 array of @shape with elements 0, 1, ... */
static dpr_array *counting(dpr_shape shape)
{
	dpr_array *flat, *out;
	int64_t n = 1;
	int i;

	for (i = 0; i < shape.rank; i++)
		n *= shape.dim[i];
	CHECK_OK(dpr_arange(0, n, 1, DPR_INT32, test_queue, &flat));
	CHECK_OK(dpr_reshape(flat, shape, &out));
	dpr_array_release(flat);
	return out;
}

static double number_in(dpr_array *x)
{
	dpr_operand value;

	CHECK_OK(dpr_array_item(x, &value));
	dpr_array_release(x);
	switch (value.kind) {
	case DPR_OPERAND_FLOAT: return value.as.f;
	case DPR_OPERAND_INT: return (double)value.as.i;
	default: return (double)value.as.u;
	}
}

/* --- Weak scalars -------------------------------------------------------- */

static const struct {
	dpr_dtype array;
	int scalar;       /* kind of the scalar operand */
	dpr_dtype result; /* DPR_DTYPE_DEFAULT: the default float */
} weak[] = {
	{ DPR_BOOL, DPR_OPERAND_BOOL, DPR_BOOL },
	{ DPR_BOOL, DPR_OPERAND_INT, DPR_INT64 },
	{ DPR_BOOL, DPR_OPERAND_FLOAT, DPR_DTYPE_DEFAULT },
	{ DPR_INT8, DPR_OPERAND_BOOL, DPR_INT8 },
	{ DPR_INT8, DPR_OPERAND_INT, DPR_INT8 },
	{ DPR_UINT16, DPR_OPERAND_INT, DPR_UINT16 },
	{ DPR_UINT64, DPR_OPERAND_UINT, DPR_UINT64 },
	{ DPR_INT32, DPR_OPERAND_FLOAT, DPR_DTYPE_DEFAULT },
	{ DPR_FLOAT16, DPR_OPERAND_FLOAT, DPR_FLOAT16 },
	{ DPR_BFLOAT16, DPR_OPERAND_INT, DPR_BFLOAT16 },
	{ DPR_FLOAT32, DPR_OPERAND_INT, DPR_FLOAT32 },
	{ DPR_FLOAT32, DPR_OPERAND_FLOAT, DPR_FLOAT32 },
	{ DPR_FLOAT32, DPR_OPERAND_COMPLEX, DPR_COMPLEX64 },
	{ DPR_COMPLEX64, DPR_OPERAND_FLOAT, DPR_COMPLEX64 },
	{ DPR_COMPLEX64, DPR_OPERAND_COMPLEX, DPR_COMPLEX64 },
};

START_TEST(scalars_are_weak)
{
	dpr_dtype expected = weak[_i].result;
	dpr_operand one;
	dpr_array *x, *left, *right;

	if (leaves_out(_i, 7))
		return;
	if (!expected)
		expected = dpr_dtype_default(test_device, 'f');
	switch (weak[_i].scalar) {
	case DPR_OPERAND_BOOL: one = dpr_operand_bool(true); break;
	case DPR_OPERAND_INT: one = dpr_operand_int(1); break;
	case DPR_OPERAND_UINT: one = dpr_operand_uint(1); break;
	case DPR_OPERAND_FLOAT: one = dpr_operand_float(1); break;
	default: one = dpr_operand_complex_parts(1, 0); break;
	}
	CHECK_OK(dpr_ones(DPR_SHAPE(3), weak[_i].array, test_queue, &x));
	CHECK_OK(dpr_multiply(x, one, &left));
	CHECK_OK(dpr_multiply(one, x, &right));
	ck_assert_str_eq(dpr_dtype_name(dpr_array_dtype(left)),
			 dpr_dtype_name(expected));
	ck_assert_str_eq(dpr_dtype_name(dpr_array_dtype(right)),
			 dpr_dtype_name(expected));
	dpr_array_release(right);
	CHECK_OK(dpr_equal(left, 1, &right));
	expect(right, DPR_BOOL, "\1\1\1", 3);
	dpr_array_release(left);
	dpr_array_release(x);
}
END_TEST

START_TEST(scalars_out_of_range_are_refused)
{
	dpr_array *x, *y;

	CHECK_OK(dpr_ones(DPR_SHAPE(3), DPR_INT8, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_OVERFLOW, dpr_add(x, 128, &y));
	CHECK_FAILS(DPR_ERROR_OVERFLOW, dpr_add(x, -129, &y));
	CHECK_OK(dpr_add(x, -128, &y));
	dpr_array_release(y);
	dpr_array_release(x);
	CHECK_OK(dpr_ones(DPR_SHAPE(3), DPR_UINT64, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_OVERFLOW, dpr_add(x, -1, &y));
	CHECK_OK(dpr_add(x, UINT64_MAX, &y));
	expect(y, DPR_UINT64, (const uint64_t[]){ 0, 0, 0 }, 3);
	dpr_array_release(x);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_add(1, 2, &y));
	ck_assert_ptr_null(y);
}
END_TEST

/* --- Mixed dtypes -------------------------------------------------------- */

static const struct {
	dpr_dtype a, b, result;
} mixed[] = {
	{ DPR_INT8, DPR_UINT8, DPR_INT16 },
	{ DPR_INT16, DPR_UINT16, DPR_INT32 },
	{ DPR_INT64, DPR_UINT32, DPR_INT64 },
	{ DPR_INT64, DPR_UINT64, DPR_FLOAT64 },
	{ DPR_BOOL, DPR_UINT8, DPR_UINT8 },
	{ DPR_INT8, DPR_FLOAT32, DPR_FLOAT32 },
	{ DPR_INT32, DPR_FLOAT32, DPR_FLOAT64 },
	{ DPR_FLOAT16, DPR_FLOAT32, DPR_FLOAT32 },
	{ DPR_FLOAT32, DPR_FLOAT64, DPR_FLOAT64 },
	{ DPR_FLOAT32, DPR_COMPLEX64, DPR_COMPLEX64 },
	{ DPR_FLOAT64, DPR_COMPLEX64, DPR_COMPLEX128 },
};

START_TEST(dtypes_are_promoted)
{
	dpr_array *x, *y, *sum, *three;

	if (leaves_out(_i, 5) ||
	    !dpr_dtype_computes(test_device, mixed[_i].result))
		return;
	CHECK_OK(dpr_full(DPR_SHAPE(5), 1, mixed[_i].a, test_queue, &x));
	CHECK_OK(dpr_full(DPR_SHAPE(2, 1), 2, mixed[_i].b, test_queue, &y));
	CHECK_OK(dpr_add(x, y, &sum));
	ck_assert_str_eq(dpr_dtype_name(dpr_array_dtype(sum)),
			 dpr_dtype_name(mixed[_i].result));
	CHECK_OK(dpr_equal(sum, 3, &three));
	expect(three, DPR_BOOL, "\1\1\1\1\1\1\1\1\1\1", 10);
	dpr_array_release(sum);
	/* Operands of a comparison are promoted, too; the result is bool. */
	CHECK_OK(dpr_not_equal(x, y, &three));
	expect(three, DPR_BOOL, "\1\1\1\1\1\1\1\1\1\1", 10);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* --- Casts --------------------------------------------------------------- */

/* C leaves these casts undefined, and NumPy's depend on the processor.  Ours
   give the nearest end of the range, and 0 for NaN. */
START_TEST(floats_out_of_range_are_clamped)
{
	const float values[] = { 1e20f,     -1e20f, NAN,  INFINITY,
				 -INFINITY, 2.9f,   -2.9f };
	dpr_array *x = array_of(values, 7, DPR_FLOAT32), *y;

	CHECK_OK(dpr_astype(x, DPR_INT8, &y));
	expect(y, DPR_INT8, (const int8_t[]){ 127, -128, 0, 127, -128, 2, -2 },
	       7);
	CHECK_OK(dpr_astype(x, DPR_INT64, &y));
	expect(y, DPR_INT64,
	       (const int64_t[]){ INT64_MAX, INT64_MIN, 0, INT64_MAX, INT64_MIN,
				  2, -2 },
	       7);
	CHECK_OK(dpr_astype(x, DPR_UINT64, &y));
	expect(y, DPR_UINT64,
	       (const uint64_t[]){ UINT64_MAX, 0, 0, UINT64_MAX, 0, 2, 0 }, 7);
	CHECK_OK(dpr_astype(x, DPR_BOOL, &y));
	expect(y, DPR_BOOL, "\1\1\1\1\1\1\1", 7);
	dpr_array_release(x);
}
END_TEST

START_TEST(integers_out_of_range_wrap)
{
	const int32_t values[] = { 300, -1, 70000, INT32_MIN };
	dpr_array *x = array_of(values, 4, DPR_INT32), *y;

	CHECK_OK(dpr_astype(x, DPR_INT8, &y));
	expect(y, DPR_INT8, (const int8_t[]){ 44, -1, 112, 0 }, 4);
	CHECK_OK(dpr_astype(x, DPR_UINT16, &y));
	expect(y, DPR_UINT16, (const uint16_t[]){ 300, 65535, 4464, 0 }, 4);
	dpr_array_release(x);
}
END_TEST

START_TEST(complex_is_not_cast_to_real)
{
	dpr_array *x, *y;

	CHECK_OK(dpr_ones(DPR_SHAPE(3), DPR_COMPLEX64, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_astype(x, DPR_FLOAT32, &y));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_astype(x, DPR_INT32, &y));
	CHECK_OK(dpr_real(x, &y));
	expect(y, DPR_FLOAT32, (const float[]){ 1, 1, 1 }, 3);
	dpr_array_release(x);
}
END_TEST

/* --- Overlap, many axes -------------------------------------------------- */

START_TEST(results_may_overlap_operands)
{
	dpr_array *x = counting(DPR_SHAPE(9000)), *low, *high, *back, *y;
	int32_t expected[9000];
	int i;

	CHECK_OK(dpr_array_view(x, &low, DPR_SLICE(0, 8999, 1)));
	CHECK_OK(dpr_array_view(x, &high, DPR_SLICE(1, 9000, 1)));
	/* x[1:] = x[:-1] + 5 must act as if all of x were read first. */
	CHECK_OK(dpr_add_into(low, 5, high));
	for (i = 0; i < 9000; i++)
		expected[i] = i ? i + 4 : 0;
	CHECK_OK(dpr_copy(x, &y));
	expect(y, DPR_INT32, expected, 9000);
	/* In place: all of x, then x[1:]. */
	CHECK_OK(dpr_multiply_into(x, 2, x));
	CHECK_OK(dpr_subtract_into(3, high, high));
	/* With x backwards as an operand. */
	CHECK_OK(dpr_array_view(x, &back, DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
	CHECK_OK(dpr_add_into(x, back, x));
	for (i = 0; i < 9000; i++)
		expected[i] = (i ? -5 - 2 * i : 0) +
			      (i < 8999 ? -5 - 2 * (8999 - i) : 0);
	CHECK_OK(dpr_copy(x, &y));
	expect(y, DPR_INT32, expected, 9000);
	dpr_array_release(back);
	dpr_array_release(high);
	dpr_array_release(low);
	dpr_array_release(x);
}
END_TEST

/* A function that changes nothing also works in place. */
START_TEST(nothing_to_do_in_place)
{
	dpr_array *x = counting(DPR_SHAPE(3)), *y;

	CHECK_OK(dpr_positive_into(x, x));
	CHECK_OK(dpr_floor_into(x, x));
	CHECK_OK(dpr_ceil_into(x, x));
	CHECK_OK(dpr_trunc_into(x, x));
	CHECK_OK(dpr_round_into(x, x));
	CHECK_OK(dpr_real_into(x, x));
	CHECK_OK(dpr_conj_into(x, x));
	CHECK_OK(dpr_copy(x, &y));
	expect(y, DPR_INT32, (const int32_t[]){ 0, 1, 2 }, 3);
	dpr_array_release(x);
}
END_TEST

/* --- Near the ends of a type's range ------------------------------------- */

/* Check the real and imaginary part of a complex64 number, and release it. */
static void expect_near(dpr_array *x, float re, float im)
{
	const float wanted[2] = { re, im };
	float found[2];
	int i;

	CHECK_OK(dpr_array_to_memory(x, found, sizeof(found), NULL));
	for (i = 0; i < 2; i++)
		ck_assert_msg(found[i] == wanted[i] ||
				      fabsf(found[i] - wanted[i]) <=
					      1e-6f * fabsf(wanted[i]),
			      "part %d is %g, not %g", i, (double)found[i],
			      (double)wanted[i]);
	dpr_array_release(x);
}

START_TEST(complex_intermediates_do_not_overflow)
{
	const float numbers[][2] = { { INFINITY, 1 },
				     { 3e38f, 3e38f },
				     { 1, 1 },
				     { 3e38f, -3e38f },
				     { 1e-39f, 1e-39f } };
	dpr_array *x[5], *y;
	int i;

	for (i = 0; i < 5; i++)
		x[i] = array_of(numbers[i], 1, DPR_COMPLEX64);
	CHECK_OK(dpr_exp(x[0], &y));
	expect_near(y, INFINITY, INFINITY);
	CHECK_OK(dpr_sign(x[1], &y));
	expect_near(y, 0.70710678f, 0.70710678f);
	CHECK_OK(dpr_divide(x[1], x[2], &y));
	expect_near(y, 3e38f, 0);
	CHECK_OK(dpr_divide(x[1], x[3], &y));
	expect_near(y, 0, 1);
	/* Devices other than CPUs may treat subnormal numbers as 0. */
	if (dpr_device_get_type(test_device) == DPR_DEVICE_CPU) {
		CHECK_OK(dpr_sign(x[4], &y));
		expect_near(y, 0.70710678f, 0.70710678f);
		CHECK_OK(dpr_divide(x[4], x[4], &y));
		expect_near(y, 1, 0);
	}
	for (i = 0; i < 5; i++)
		dpr_array_release(x[i]);
}
END_TEST

/* Numbers just above the middle between two bfloat16 neighbours.  A first
   rounding to float or double would move them to the middle. */
START_TEST(integers_become_bfloat16_in_one_rounding)
{
	const int32_t narrow[] = { 0x1010001, -0x1010001, 0x1010000, 257 };
	const int64_t wide[] = { (1LL << 60) + (1LL << 52) + 1,
				 -(1LL << 60) - (1LL << 52) - 1,
				 (1LL << 60) + (1LL << 52), INT64_MIN };
	const uint64_t whole[] = { UINT64_MAX,
				   (1ULL << 63) + (1ULL << 55) + 1 };
	dpr_array *x = array_of(narrow, 4, DPR_INT32), *y;

	CHECK_OK(dpr_astype(x, DPR_BFLOAT16, &y));
	expect(y, DPR_BFLOAT16,
	       (const uint16_t[]){ 0x4b81, 0xcb81, 0x4b80, 0x4380 }, 4);
	dpr_array_release(x);
	x = array_of(wide, 4, DPR_INT64);
	CHECK_OK(dpr_astype(x, DPR_BFLOAT16, &y));
	expect(y, DPR_BFLOAT16,
	       (const uint16_t[]){ 0x5d81, 0xdd81, 0x5d80, 0xdf00 }, 4);
	dpr_array_release(x);
	x = array_of(whole, 2, DPR_UINT64);
	CHECK_OK(dpr_astype(x, DPR_BFLOAT16, &y));
	expect(y, DPR_BFLOAT16, (const uint16_t[]){ 0x5f80, 0x5f01 }, 2);
	dpr_array_release(x);
	CHECK_OK(dpr_full(DPR_SHAPE(1), wide[0], DPR_BFLOAT16, test_queue, &x));
	expect(x, DPR_BFLOAT16, (const uint16_t[]){ 0x5d81 }, 1);
}
END_TEST

START_TEST(extents_whose_product_overflows)
{
	const int64_t long_axis = 1LL << 40;
	dpr_array *x, *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(0, long_axis, long_axis), DPR_INT8,
			   test_queue, &x));
	CHECK_OK(dpr_max(x, DPR_AXES(1, 2), &y));
	ck_assert_int_eq(dpr_array_size(y), 0);
	dpr_array_release(y);
	dpr_array_release(x);
	CHECK_OK(dpr_eye(1, 1, INT64_MIN, DPR_INT8, test_queue, &x));
	expect(x, DPR_INT8, "\0", 1);
}
END_TEST

/* --- Axes and shapes ----------------------------------------------------- */

/* More axes than a kernel takes, and none can be merged with another. */
START_TEST(many_axes)
{
	static const int64_t shape[10] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 };
	dpr_array *x = counting(dpr_shape_of(10, shape)), *t, *sum;
	int32_t expected[1024];
	int i, bit;

	CHECK_OK(dpr_permute_dims(x, NULL, &t));
	CHECK_OK(dpr_subtract(x, t, &sum));
	for (i = 0; i < 1024; i++) {
		int reversed = 0;

		for (bit = 0; bit < 10; bit++)
			reversed |= (i >> bit & 1) << (9 - bit);
		expected[i] = i - reversed;
	}
	expect(sum, DPR_INT32, expected, 1024);
	CHECK_OK(dpr_sum(t, DPR_AXES(0, 2, 4, 6, 8), &sum));
	for (i = 0; i < 32; i++) {
		int k, value = 0;

		/* Element of t: the sum of 2^k over the axes k whose index is
		   1.  The sum leaves the odd axes, of which the first varies
		   slowest.  It has 32 terms; each even axis has index 1 in half
		   of them. */
		expected[i] = 0;
		for (k = 0; k < 5; k++)
			value |= (i >> (4 - k) & 1) << (2 * k + 1);
		expected[i] = 32 * value + 16 * (1 + 4 + 16 + 64 + 256);
	}
	ck_assert_int_eq(dpr_array_size(sum), 32);
	dpr_array_release(t);
	CHECK_OK(dpr_astype(sum, DPR_INT32, &t));
	dpr_array_release(sum);
	expect(t, DPR_INT32, expected, 32);
	dpr_array_release(x);
}
END_TEST

START_TEST(shapes_that_do_not_match_are_refused)
{
	dpr_array *x = counting(DPR_SHAPE(2, 3)), *y = counting(DPR_SHAPE(4));
	dpr_array *z, *condition;

	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_add(x, y, &z));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_add_into(x, 1, y));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_where(x, x, x, &z));
	CHECK_OK(dpr_greater(y, 1, &condition));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_where(condition, x, x, &z));
	CHECK_OK(dpr_where(condition, y, -1, &z));
	expect(z, DPR_INT32, (const int32_t[]){ -1, -1, 2, 3 }, 4);
	dpr_array_release(condition);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* --- Reductions ---------------------------------------------------------- */

/* Long enough for several work-groups, the last one not full. */
START_TEST(large_reductions)
{
	const int64_t n = getenv("DPR_TEST_SMALL") ? 40003 : 1000003;
	int32_t *values = malloc((size_t)n * sizeof(*values));
	dpr_array *x, *y, *f;
	int64_t i, sum = 0;

	ck_assert(values != NULL);
	for (i = 0; i < n; i++) {
		values[i] = (int32_t)(i * 7919 % 1000) - 400;
		sum += values[i];
	}
	values[n - 2] += 100000;
	values[n / 3] -= 100000;
	x = array_of(values, n, DPR_INT32);
	CHECK_OK(dpr_sum(x, NULL, &y));
	ck_assert_str_eq(dpr_dtype_name(dpr_array_dtype(y)), "int64");
	ck_assert(number_in(y) == (double)sum);
	CHECK_OK(dpr_max(x, NULL, &y));
	ck_assert(number_in(y) == values[n - 2]);
	CHECK_OK(dpr_min(x, NULL, &y));
	ck_assert(number_in(y) == values[n / 3]);
	CHECK_OK(dpr_astype(x, DPR_FLOAT32, &f));
	/* Each step rounds, but there are many short partial sums instead of
	   one long one. */
	CHECK_OK(dpr_sum(f, NULL, &y));
	ck_assert(fabs(number_in(y) - (double)sum) <= fabs((double)sum) * 1e-5);
	CHECK_OK(dpr_mean(f, NULL, &y));
	ck_assert(fabs(number_in(y) * (double)n - (double)sum) <=
		  fabs((double)sum) * 1e-5);
	CHECK_OK(dpr_sum_as(x, NULL, DPR_INT16, &y));
	ck_assert(number_in(y) == (int16_t)sum);
	dpr_array_release(f);
	dpr_array_release(x);
	free(values);
}
END_TEST

/* Sums over either axis of a large table, and over those of its transpose. */
START_TEST(large_reductions_over_an_axis)
{
	enum { ROWS = 1003, COLUMNS = 517 };
	static float values[ROWS][COLUMNS], rows[ROWS], columns[COLUMNS];
	dpr_array *x, *t, *y;
	int i, j;

	memset(rows, 0, sizeof(rows));
	memset(columns, 0, sizeof(columns));
	for (i = 0; i < ROWS; i++)
		for (j = 0; j < COLUMNS; j++) {
			values[i][j] = (float)((i * 31 + j * 17) % 64 - 20) / 8;
			rows[i] += values[i][j];
			columns[j] += values[i][j];
		}
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_sum(x, DPR_AXES(0), &y));
	expect(y, DPR_FLOAT32, columns, COLUMNS);
	CHECK_OK(dpr_sum(x, DPR_AXES(-1), &y));
	expect(y, DPR_FLOAT32, rows, ROWS);
	CHECK_OK(dpr_matrix_transpose(x, &t));
	CHECK_OK(dpr_sum(t, DPR_AXES(0), &y));
	expect(y, DPR_FLOAT32, rows, ROWS);
	CHECK_OK(dpr_sum(t, DPR_AXES_KEPT(1), &y));
	ck_assert_int_eq(dpr_array_rank(y), 2);
	expect(y, DPR_FLOAT32, columns, COLUMNS);
	dpr_array_release(t);
	dpr_array_release(x);
}
END_TEST

/* An axis with stride 0 counts each element as often as the axis is long. */
START_TEST(reduce_table_of_broadcasts)
{
	dpr_array *row = counting(DPR_SHAPE(4)), *x, *y;

	CHECK_OK(dpr_broadcast_to(row, DPR_SHAPE(3, 5, 4), &x));
	CHECK_OK(dpr_sum(x, DPR_AXES(0, 1), &y));
	expect(y, DPR_INT64, (const int64_t[]){ 0, 15, 30, 45 }, 4);
	CHECK_OK(dpr_sum(x, NULL, &y));
	expect(y, DPR_INT64, (const int64_t[]){ 90 }, 1);
	dpr_array_release(x);
	dpr_array_release(row);
}
END_TEST

START_TEST(reduce_table_of_nothing)
{
	dpr_array *x, *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(0, 3), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_sum(x, DPR_AXES(0), &y));
	expect(y, DPR_FLOAT32, (const float[]){ 0, 0, 0 }, 3);
	CHECK_OK(dpr_sum(x, DPR_AXES(1), &y));
	expect(y, DPR_FLOAT32, "", 0);
	CHECK_OK(dpr_any(x, NULL, &y));
	expect(y, DPR_BOOL, "\0", 1);
	CHECK_OK(dpr_all(x, NULL, &y));
	expect(y, DPR_BOOL, "\1", 1);
	CHECK_OK(dpr_prod(x, DPR_AXES(0), &y));
	expect(y, DPR_FLOAT32, (const float[]){ 1, 1, 1 }, 3);
	CHECK_OK(dpr_mean(x, NULL, &y));
	ck_assert(isnan(number_in(y)));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_max(x, NULL, &y));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_min(x, DPR_AXES(0), &y));
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_sum(x, DPR_AXES(2), &y));
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_sum(x, DPR_AXES(-3), &y));
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_sum(x, DPR_AXES(0, -2), &y));
	ck_assert_ptr_null(y);
	dpr_array_release(x);
	CHECK_OK(dpr_ones(DPR_SHAPE(2), DPR_COMPLEX64, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_max(x, NULL, &y));
	dpr_array_release(x);
}
END_TEST

/* Results go into arrays with other strides and with other dtypes of the same
   kind. */
START_TEST(reduce_table_into)
{
	dpr_array *x = counting(DPR_SHAPE(3, 4)), *table, *column, *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(3, 2), DPR_INT64, test_queue, &table));
	CHECK_OK(dpr_array_view(table, &column, DPR_ALL, DPR_AT(1)));
	CHECK_OK(dpr_sum_into(x, DPR_AXES(1), column));
	CHECK_OK(dpr_copy(table, &y));
	expect(y, DPR_INT64, (const int64_t[]){ 0, 6, 0, 22, 0, 38 }, 6);
	if (!takes_few()) {
		CHECK_OK(dpr_max_into(x, DPR_AXES(1), column));
		CHECK_OK(dpr_copy(column, &y));
		expect(y, DPR_INT64, (const int64_t[]){ 3, 7, 11 }, 3);
		CHECK_OK(dpr_min_into(x, DPR_AXES(-1), column));
		CHECK_OK(dpr_copy(column, &y));
		expect(y, DPR_INT64, (const int64_t[]){ 0, 4, 8 }, 3);
	}
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_sum_into(x, DPR_AXES(0), column));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_mean_into(x, DPR_AXES(1), column));
	dpr_array_release(column);
	dpr_array_release(table);
	CHECK_OK(dpr_zeros(DPR_SHAPE(4), DPR_FLOAT32, test_queue, &y));
	CHECK_OK(dpr_mean_into(x, DPR_AXES(0), y));
	expect(y, DPR_FLOAT32, (const float[]){ 4, 5, 6, 7 }, 4);
	CHECK_OK(dpr_zeros(DPR_SHAPE(4), DPR_BOOL, test_queue, &y));
	CHECK_OK(dpr_all_into(x, DPR_AXES(0), y));
	CHECK_OK(dpr_copy(y, &table));
	expect(table, DPR_BOOL, "\0\1\1\1", 4);
	CHECK_OK(dpr_any_into(x, DPR_AXES(0), y));
	expect(y, DPR_BOOL, "\1\1\1\1", 4);
	dpr_array_release(x);
}
END_TEST

/* --- Joining ------------------------------------------------------------- */

START_TEST(arrays_of_any_layout_are_joined)
{
	dpr_array *x = counting(DPR_SHAPE(2, 3)), *t, *back, *wide, *y;
	const dpr_array *list[3];

	CHECK_OK(dpr_reshape(x, DPR_SHAPE(3, 2), &y));
	CHECK_OK(dpr_matrix_transpose(y, &t));
	dpr_array_release(y);
	CHECK_OK(dpr_array_view(x, &back, DPR_ALL,
				DPR_SLICE(DPR_OPEN, DPR_OPEN, -2)));
	CHECK_OK(dpr_astype(x, DPR_INT64, &wide));
	list[0] = x;
	list[1] = t;
	list[2] = back;
	CHECK_OK(dpr_concat(list, 3, 1, &y));
	ck_assert_int_eq(dpr_array_shape(y)[1], 8);
	expect(y, DPR_INT32,
	       (const int32_t[]){ 0, 1, 2, 0, 2, 4, 2, 0, 3, 4, 5, 1, 3, 5, 5,
				  3 },
	       16);
	list[2] = wide;
	CHECK_OK(dpr_concat(list, 3, -2, &y));
	expect(y, DPR_INT64,
	       (const int64_t[]){ 0, 1, 2, 3, 4, 5, 0, 2, 4, 1, 3, 5, 0, 1, 2,
				  3, 4, 5 },
	       18);
	list[2] = back;
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_concat(list, 3, 0, &y));
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_concat(list, 2, 2, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_concat(list, 0, 0, &y));
	dpr_array_release(wide);
	dpr_array_release(back);
	dpr_array_release(t);
	dpr_array_release(x);
}
END_TEST

/* --- Creation ------------------------------------------------------------ */

static const dpr_dtype dtypes[] = {
#define DTYPE(name, lower, value, size, kind) DPR_##name,
	DPR_DTYPE_MAP(DTYPE)
#undef DTYPE
};

START_TEST(eye_full_ones_zeros)
{
	dpr_dtype dtype = dtypes[_i];
	dpr_array *x, *y, *z;

	if (leaves_out(_i, 6) || !dpr_dtype_computes(test_device, dtype))
		return;
	CHECK_OK(dpr_eye(2, 3, 1, dtype, test_queue, &x));
	CHECK_OK(dpr_not_equal(x, false, &y));
	expect(y, DPR_BOOL, "\0\1\0\0\0\1", 6);
	CHECK_OK(dpr_ones_like(x, DPR_DTYPE_DEFAULT, &y));
	CHECK_OK(dpr_full_like(x, true, DPR_DTYPE_DEFAULT, &z));
	ck_assert_int_eq(dpr_array_dtype(z), dtype);
	dpr_array_release(x);
	CHECK_OK(dpr_equal(y, z, &x));
	expect(x, DPR_BOOL, "\1\1\1\1\1\1", 6);
	dpr_array_release(y);
	dpr_array_release(z);
	CHECK_OK(dpr_zeros(DPR_SHAPE(0, 7), dtype, test_queue, &x));
	ck_assert_int_eq(dpr_array_size(x), 0);
	ck_assert_ptr_null(dpr_array_usm(x));
	dpr_array_release(x);
}
END_TEST

START_TEST(bad_creations_are_refused)
{
	dpr_array *x;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_arange(0, 5, 0, DPR_DTYPE_DEFAULT, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_zeros(DPR_SHAPE(3, -1), DPR_INT8, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_OVERFLOW, dpr_zeros(DPR_SHAPE(INT64_MAX, 2),
						  DPR_INT8, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_OVERFLOW,
		    dpr_full(DPR_SHAPE(2), 300, DPR_UINT8, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_DTYPE,
		    dpr_zeros(DPR_SHAPE(2), (dpr_dtype)99, test_queue, &x));
	ck_assert_ptr_null(x);
}
END_TEST

/* Large results bypass the caches if they begin at a cache line.  They must be
   the same as results that begin elsewhere, up to the last element. */
START_TEST(results_larger_than_caches)
{
	const int64_t n = (33 << 20) / 4 + 77;
	dpr_array *x, *whole, *from[2], *sum[2], *into, *equal;
	int k;

	CHECK_OK(dpr_arange(0, n, 1, DPR_INT32, test_queue, &x));
	CHECK_OK(dpr_empty(DPR_SHAPE(n), DPR_INT32, test_queue, &whole));
	CHECK_OK(dpr_array_view(x, &from[0], DPR_SLICE(0, n - 1, 1)));
	CHECK_OK(dpr_array_view(x, &from[1], DPR_SLICE(1, n, 1)));
	CHECK_OK(dpr_array_view(whole, &into, DPR_SLICE(1, n, 1)));
	CHECK_OK(dpr_add(from[0], from[1], &sum[0]));
	CHECK_OK(dpr_add_into(from[1], from[0], into));
	CHECK_OK(dpr_equal(sum[0], into, &equal));
	CHECK_OK(dpr_all(equal, NULL, &sum[1]));
	expect(sum[1], DPR_BOOL, "\1", 1);
	dpr_array_release(equal);
	dpr_array_release(into);
	for (k = 0; k < 3; k++) {
		const int64_t at = k == 0 ? 0 : k == 1 ? n / 2 : n - 2;

		CHECK_OK(dpr_array_view(sum[0], &into, DPR_AT(at)));
		ck_assert_double_eq(number_in(into), (double)(2 * at + 1));
	}
	/* The result is also an operand. */
	CHECK_OK(dpr_subtract_into(sum[0], from[1], sum[0]));
	CHECK_OK(dpr_equal(sum[0], from[0], &equal));
	CHECK_OK(dpr_all(equal, NULL, &sum[1]));
	expect(sum[1], DPR_BOOL, "\1", 1);
	dpr_array_release(equal);
	dpr_array_release(sum[0]);
	dpr_array_release(from[0]);
	dpr_array_release(from[1]);
	dpr_array_release(whole);
	dpr_array_release(x);
}
END_TEST

/* --- Running ------------------------------------------------------------- */

static Suite *rules(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("rules");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, scalars_are_weak, 0,
			    sizeof(weak) / sizeof(weak[0]));
	tcase_add_test(tcase, scalars_out_of_range_are_refused);
	tcase_add_loop_test(tcase, dtypes_are_promoted, 0,
			    sizeof(mixed) / sizeof(mixed[0]));
	tcase_add_test(tcase, complex_is_not_cast_to_real);
	tcase_add_test(tcase, results_may_overlap_operands);
	tcase_add_test(tcase, nothing_to_do_in_place);
	tcase_add_test(tcase, extents_whose_product_overflows);
	tcase_add_test(tcase, many_axes);
	tcase_add_test(tcase, shapes_that_do_not_match_are_refused);
	tcase_add_test(tcase, reduce_table_of_broadcasts);
	tcase_add_test(tcase, reduce_table_of_nothing);
	tcase_add_test(tcase, reduce_table_into);
	tcase_add_test(tcase, arrays_of_any_layout_are_joined);
	tcase_add_loop_test(tcase, eye_full_ones_zeros, 0,
			    sizeof(dtypes) / sizeof(dtypes[0]));
	tcase_add_test(tcase, bad_creations_are_refused);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("values");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, floats_out_of_range_are_clamped);
	tcase_add_test(tcase, integers_out_of_range_wrap);
	tcase_add_test(tcase, complex_intermediates_do_not_overflow);
	tcase_add_test(tcase, integers_become_bfloat16_in_one_rounding);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("large");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, large_reductions);
	tcase_add_test(tcase, large_reductions_over_an_axis);
	tcase_add_test(tcase, results_larger_than_caches);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(int argc, char **argv)
{
	return run_on_selected(rules, argc > 1 ? argv[1] : "host");
}
