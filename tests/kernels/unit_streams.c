/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_streams.c - native code for large results bypasses the caches.  Here it
 * runs at small sizes, and must give its usual results.  The same is tested for
 * transposes in blocks of every extent, and for rows that are reduced in the
 * middle of an expression.
 *
 * usage: unit_streams [SELECTOR]
 */
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>
#include <dpr/info.h>

#include "core/array/engine/target.h"
#include "core/base/process.h"
#include "tests/support/devices.h"
#include "tests/support/random.h"

static bool is_small(void)
{
	return getenv("DPR_TEST_SMALL") != NULL;
}

/* --- Binary operations --------------------------------------------------- */

typedef dpr_status binary(dpr_operand x1, dpr_operand x2, dpr_array *out);

static const struct {
	const char *name, *kinds; /* the letters of the kinds below */
	binary *into;
} operations[] = {
	{ "add", "ifc", dpr_add_into },
	{ "subtract", "ifc", dpr_subtract_into },
	{ "multiply", "ifc", dpr_multiply_into },
	{ "divide", "fc", dpr_divide_into },
	{ "minimum", "if", dpr_minimum_into },
	{ "maximum", "if", dpr_maximum_into },
	{ "bitwise_and", "i", dpr_bitwise_and_into },
	{ "bitwise_or", "i", dpr_bitwise_or_into },
	{ "bitwise_xor", "i", dpr_bitwise_xor_into },
};
#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

/* Longer than a work-item's share, and not a whole number of cache lines. */
enum { LONGEST = 9001, MARGIN = 8 };

/* Slow runs, under tools that check kernels, use only the first ones. */
static const int64_t sizes[] = { 15, 4161, 1, 64, 300, 4096, LONGEST };

/* Small whole numbers in @dtype, some of them 0.  NULL if the device does not
   compute in @dtype. */
static dpr_array *numbers(dpr_dtype dtype, uint64_t seed)
{
	const bool is_signed = dtype != DPR_BOOL && dtype != DPR_UINT8 &&
			       dtype != DPR_UINT16 && dtype != DPR_UINT32 &&
			       dtype != DPR_UINT64;
	struct random random = { seed };
	int8_t values[LONGEST + MARGIN];
	dpr_array *bytes, *x;
	dpr_status status;

	for (size_t i = 0; i < sizeof(values); i++)
		values[i] = (int8_t)random_between(&random, is_signed ? -50 : 0,
						   100);
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(LONGEST + MARGIN),
				       NULL, DPR_INT8, test_queue, &bytes));
	status = dpr_astype(bytes, dtype, &x);
	ck_assert_msg(status == DPR_OK || status == DPR_ERROR_UNSUPPORTED, "%s",
		      dpr_last_error());
	dpr_array_release(bytes);
	return x;
}

static dpr_array *part(const dpr_array *x, int64_t begin, int64_t n)
{
	dpr_array *view;

	CHECK_OK(dpr_array_view(x, &view, DPR_SLICE(begin, begin + n, 1)));
	return view;
}

/* Store the bytes of operation @k's result. */
static void take_result(size_t k, dpr_operand x, dpr_operand y, dpr_array *out,
			unsigned char *bytes)
{
	ck_assert_msg(!operations[k].into(x, y, out), "%s: %s",
		      operations[k].name, dpr_last_error());
	CHECK_OK(dpr_array_to_memory(out, bytes, dpr_array_nbytes(out), NULL));
}

/* Compute with and without bypassing the caches, and compare.  The result array
   has other contents before. */
static void compare(size_t k, dpr_operand x, dpr_operand y, dpr_dtype dtype,
		    int64_t n)
{
	const size_t size = dpr_dtype_size(dtype) * (size_t)n;
	unsigned char *through = malloc(size), *past = malloc(size);
	dpr_array *out;

	ck_assert(through && past);
	CHECK_OK(dpr_zeros(DPR_SHAPE(n), dtype, test_queue, &out));
	target_stream_from(1);
	take_result(k, x, y, out, past);
	target_stream_from(0);
	CHECK_OK(dpr_copy_into(out, 1));
	take_result(k, x, y, out, through);
	ck_assert_msg(!memcmp(through, past, size), "%s of %lld %s differs",
		      operations[k].name, (long long)n, dpr_dtype_name(dtype));
	dpr_array_release(out);
	free(past);
	free(through);
}

static bool is_native(void)
{
	return target_of(dpr_queue_device(test_queue))->format->is_native;
}

static size_t count_kernels(void)
{
	size_t programs = 0, kernels = 0;

	process_count_kept(&programs, &kernels);
	return kernels;
}

/* Add @x to a copy of itself with and without bypassing the caches: each time
   native code has a new kernel, even if the result is also an operand. */
static void check_kernels(const dpr_array *x, dpr_dtype dtype)
{
	const size_t size = dpr_dtype_size(dtype) * LONGEST;
	unsigned char *found[2] = { malloc(size), malloc(size) };
	size_t before = count_kernels(), after;
	dpr_array *whole = part(x, 0, LONGEST), *out;

	for (int past = 0; past < 2; past++) {
		ck_assert_ptr_nonnull(found[past]);
		CHECK_OK(dpr_copy(whole, &out));
		if (past == 0)
			before = count_kernels();
		target_stream_from(past);
		CHECK_OK(dpr_add_into(DPR_OPERAND(out), DPR_OPERAND(whole),
				      out));
		after = count_kernels();
		ck_assert_uint_eq(after, before + (past == 0 || is_native()));
		before = after;
		CHECK_OK(dpr_array_to_memory(out, found[past],
					     dpr_array_nbytes(out), NULL));
		dpr_array_release(out);
	}
	target_stream_from(0);
	ck_assert(!memcmp(found[0], found[1], size));
	dpr_array_release(whole);
	free(found[0]);
	free(found[1]);
}

static void compare_all(size_t k, dpr_dtype dtype, const dpr_array *x,
			const dpr_array *y)
{
	const size_t lengths =
		is_small() ? 2 : sizeof(sizes) / sizeof(sizes[0]);

	for (size_t i = 0; i < lengths; i++) {
		const int64_t n = sizes[i];
		dpr_array *x0 = part(x, 0, n), *x1 = part(x, 1, n);
		dpr_array *y3 = part(y, 3, n);

		compare(k, DPR_OPERAND(x0), DPR_OPERAND(y3), dtype, n);
		compare(k, DPR_OPERAND(y3), DPR_OPERAND(x1), dtype, n);
		compare(k, DPR_OPERAND(x1), DPR_OPERAND(x1), dtype, n);
		compare(k, DPR_OPERAND(x1), DPR_OPERAND(true), dtype, n);
		compare(k, DPR_OPERAND(true), DPR_OPERAND(y3), dtype, n);
		dpr_array_release(y3);
		dpr_array_release(x1);
		dpr_array_release(x0);
	}
}

static bool takes(size_t k, dpr_dtype dtype)
{
	return strchr(operations[k].kinds, dpr_dtype_kind(dtype)) != NULL;
}

/* Whether every operation is computed in all of its dtypes.  This is so at
   small sizes, which tools that check kernels use, and on the host, where no
   driver compiles. */
static bool is_whole(void)
{
	const dpr_device *device = dpr_queue_device(test_queue);

	return is_small() || getenv("DPR_TEST_ALL") ||
	       !strcmp(dpr_device_backend(device), "host");
}

/* Whether dtype @i of @n is the one in which operation @k is computed. */
static bool is_turn(size_t k, const dpr_dtype *dtypes, size_t n, size_t i)
{
	size_t turn = k % n;

	while (!takes(k, dtypes[turn]))
		turn = (turn + 1) % n;
	return i == turn;
}

START_TEST(results_past_the_caches)
{
	/* One dtype for each source text of the kernels. */
	static const dpr_dtype all[] = { DPR_FLOAT32, DPR_INT16, DPR_COMPLEX64,
					 DPR_FLOAT64, DPR_FLOAT16 };
	const size_t n = is_small() ? 3 : sizeof(all) / sizeof(all[0]);

	for (size_t i = 0; i < n; i++) {
		dpr_array *x = numbers(all[i], 7), *y = numbers(all[i], 11);

		if (x && y)
			check_kernels(x, all[i]);
		for (size_t k = 0; x && y && k < OPERATIONS; k++)
			if (takes(k, all[i]) &&
			    (is_whole() || is_turn(k, all, n, i)))
				compare_all(k, all[i], x, y);
		dpr_array_release(y);
		dpr_array_release(x);
	}
}
END_TEST

/* How many kernels hypot(x, y) makes, where results go past the caches from so
   many bytes on. */
static size_t kernels_from(const dpr_array *x, const dpr_array *y,
			   int64_t bytes)
{
	const size_t before = count_kernels();
	dpr_array *out;

	target_stream_from(bytes);
	CHECK_OK(dpr_hypot(DPR_OPERAND(x), DPR_OPERAND(y), &out));
	target_stream_from(0);
	dpr_array_release(out);
	return count_kernels() - before;
}

/* Two operands and the result have 3 times 4 bytes an element. */
START_TEST(operands_fill_the_caches)
{
	const int64_t n = 4096, bytes = n * 3 * 4;
	dpr_device *device = dpr_queue_device(test_queue);
	const struct target *target = target_of(device);
	uint64_t cache = 0;
	dpr_array *x, *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(n), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_ones(DPR_SHAPE(n), DPR_FLOAT32, test_queue, &y));
	ck_assert_uint_eq(kernels_from(x, y, bytes + 1), 1);
	ck_assert_uint_eq(kernels_from(x, y, bytes + 1), 0);
	if (is_native())
		ck_assert_uint_eq(kernels_from(x, y, bytes), 1);
	dpr_array_release(y);
	dpr_array_release(x);
	if (dpr_device_info_u64(device, DPR_INFO_GLOBAL_CACHE_SIZE, &cache) ||
	    cache < 2 || cache > (UINT64_C(64) << 20))
		return;
	ck_assert(target_streams(target, (int64_t)cache / 2));
	ck_assert(!target_streams(target, (int64_t)cache / 2 - 1));
}
END_TEST

/* --- Transposes ---------------------------------------------------------- */

enum { DEEP = 2, PAD = 3 };

/* Transpose the last two axes of DEEP tables of @rows x @columns: into a new
   array, and into a part of a wider one, whose rows begin anywhere. */
static void turn(dpr_dtype dtype, int64_t rows, int64_t columns)
{
	const size_t item = dpr_dtype_size(dtype),
		     area = (size_t)(rows * columns);
	const size_t size = DEEP * area * item;
	unsigned char *data = malloc(size), *want = malloc(size);
	unsigned char *have = malloc(size);
	struct random random = { (uint64_t)(rows * 1000 + columns) };
	dpr_array *x, *transposed, *copy, *wide, *inner;

	ck_assert(data && want && have);
	for (size_t i = 0; i < size; i++)
		data[i] = (unsigned char)random_next(&random);
	for (size_t t = 0; t < DEEP; t++)
		for (size_t i = 0; i < area; i++)
			memcpy(want + (t * area +
				       i % (size_t)columns * (size_t)rows +
				       i / (size_t)columns) *
					       item,
			       data + (t * area + i) * item, item);
	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(DEEP, rows, columns),
				       NULL, dtype, test_queue, &x));
	CHECK_OK(dpr_matrix_transpose(x, &transposed));
	CHECK_OK(dpr_copy(transposed, &copy));
	CHECK_OK(dpr_array_to_memory(copy, have, dpr_array_nbytes(copy), NULL));
	ck_assert_msg(!memcmp(have, want, size), "%s, %lld x %lld, copied",
		      dpr_dtype_name(dtype), (long long)rows,
		      (long long)columns);
	CHECK_OK(dpr_zeros(DPR_SHAPE(DEEP, columns, rows + PAD), dtype,
			   test_queue, &wide));
	CHECK_OK(dpr_array_view(wide, &inner, DPR_ALL, DPR_ALL,
				DPR_SLICE(PAD, DPR_OPEN, 1)));
	CHECK_OK(dpr_copy_into(inner, transposed));
	CHECK_OK(dpr_array_to_memory(inner, have, dpr_array_nbytes(inner),
				     NULL));
	ck_assert_msg(!memcmp(have, want, size), "%s, %lld x %lld, a part",
		      dpr_dtype_name(dtype), (long long)rows,
		      (long long)columns);
	dpr_array_release(inner);
	dpr_array_release(wide);
	dpr_array_release(copy);
	dpr_array_release(transposed);
	dpr_array_release(x);
	free(have);
	free(want);
	free(data);
}

/* Extents around those of blocks (32 to 256 elements) and of the squares in
   them (up to 16).  Rows of 288 elements are whole lines, but not whole blocks.
 */
START_TEST(transposes_of_every_extent)
{
	static const dpr_dtype dtypes[] = { DPR_UINT8, DPR_INT64, DPR_INT16,
					    DPR_FLOAT32, DPR_COMPLEX128 };
	static const int64_t rows[] = { 288, 130, 9, 64, 8, 31, 32, 100, 256 };
	static const int64_t columns[] = {
		9, 40, 130, 64, 8, 31, 32, 270, 128
	};
	const size_t n = is_small() ? 2 : sizeof(rows) / sizeof(rows[0]);

	for (size_t t = 0; t < sizeof(dtypes) / sizeof(dtypes[0]); t++) {
		if (!is_whole() && leaves_out((int)t, 2))
			continue;
		for (size_t i = 0; i < 2 * n * n; i++) {
			target_stream_from(i % 2);
			turn(dtypes[t], rows[i / 2 / n], columns[i / 2 % n]);
		}
	}
	target_stream_from(0);
}
END_TEST

/* --- Rows ---------------------------------------------------------------- */

/* e ** (x - max) over its sum, and x over its length: calls one after the
 * other. */
static dpr_array *softmax_by_calls(const dpr_array *x)
{
	dpr_array *made[5];

	CHECK_OK(dpr_max(x, DPR_AXES_KEPT(-1), &made[0]));
	CHECK_OK(dpr_subtract(x, made[0], &made[1]));
	CHECK_OK(dpr_exp(made[1], &made[2]));
	CHECK_OK(dpr_sum(made[2], DPR_AXES_KEPT(-1), &made[3]));
	CHECK_OK(dpr_divide(made[2], made[3], &made[4]));
	for (int i = 0; i < 4; i++)
		dpr_array_release(made[i]);
	return made[4];
}

static dpr_array *length_by_calls(const dpr_array *x)
{
	dpr_array *made[4];

	CHECK_OK(dpr_multiply(x, x, &made[0]));
	CHECK_OK(dpr_sum(made[0], DPR_AXES_KEPT(-1), &made[1]));
	CHECK_OK(dpr_sqrt(made[1], &made[2]));
	CHECK_OK(dpr_divide(x, made[2], &made[3]));
	for (int i = 0; i < 3; i++)
		dpr_array_release(made[i]);
	return made[3];
}

static const struct {
	const char *text;
	dpr_array *(*by_calls)(const dpr_array *x);
} rows_of[] = {
	{ "e = exp(x - max(x, axis=-1, keepdims=True));"
	  "e / sum(e, axis=-1, keepdims=True)",
	  softmax_by_calls },
	{ "x / sqrt(sum(x*x, axis=-1, keepdims=True))", length_by_calls },
};

/* Compare an expression, past the caches or not, with its calls. */
static void compare_rows(size_t k, const dpr_array *x, bool past)
{
	const size_t size = (size_t)dpr_array_size(x) * sizeof(float);
	const dpr_binding binding = { "x", dpr_operand_array(x) };
	unsigned char *found[2] = { malloc(size), malloc(size) };
	dpr_array *want = rows_of[k].by_calls(x), *have;

	ck_assert(found[0] && found[1]);
	target_stream_from(past);
	CHECK_OK(dpr_evaluate_with(rows_of[k].text, &binding, 1, NULL, &have));
	target_stream_from(0);
	CHECK_OK(dpr_array_to_memory(have, found[0], dpr_array_nbytes(have),
				     NULL));
	CHECK_OK(dpr_array_to_memory(want, found[1], dpr_array_nbytes(want),
				     NULL));
	ck_assert_msg(!memcmp(found[0], found[1], size), "rows of %lld: %s",
		      (long long)dpr_array_shape(x)[1], rows_of[k].text);
	dpr_array_release(have);
	dpr_array_release(want);
	free(found[0]);
	free(found[1]);
}

/* Rows that begin lines, or not, and that are whole lines, or not. */
START_TEST(rows_past_the_caches)
{
	static const int64_t lengths[] = { 128, 141, 1100, 17, 64, 33 };
	dpr_array *base = numbers(DPR_FLOAT32, 3);

	for (size_t i = 0; i < (is_small() ? 4 : 6); i++)
		for (int begin = 0; begin < 2; begin++) {
			dpr_array *flat = part(base, begin, 5 * lengths[i]), *x;

			CHECK_OK(dpr_reshape(flat, DPR_SHAPE(5, lengths[i]),
					     &x));
			for (size_t k = 0; k < 2; k++)
				compare_rows(k, x, (i + (size_t)begin) % 3 < 2);
			dpr_array_release(x);
			dpr_array_release(flat);
		}
	dpr_array_release(base);
}
END_TEST

/* A result whose rows begin cache lines, with gaps between them. */
START_TEST(rows_with_gaps)
{
	enum { ROWS = 20, GAP = 64, MOST = 1024 };
	static const int64_t lengths[] = { 240, 256, 384, 512, MOST };
	static float have[ROWS * (MOST + GAP)];

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const int64_t n = lengths[i], step = n + GAP;
		dpr_array *x, *all, *rows;
		int wrong = 0;

		CHECK_OK(dpr_full(DPR_SHAPE(ROWS, n), 1.5, DPR_FLOAT32,
				  test_queue, &x));
		CHECK_OK(dpr_zeros(DPR_SHAPE(ROWS, step), DPR_FLOAT32,
				   test_queue, &all));
		CHECK_OK(dpr_array_view(all, &rows, DPR_SLICE(0, ROWS, 1),
					DPR_SLICE(0, n, 1)));
		target_stream_from(1);
		CHECK_OK(dpr_evaluate_into("x*2 + x*x - 3", rows, "x", x));
		target_stream_from(0);
		CHECK_OK(dpr_array_to_memory(all, have, sizeof(have), NULL));
		for (int64_t at = 0; at < ROWS * step; at++)
			wrong += have[at] != (at % step < n ? 2.25f : 0.0f);
		ck_assert_msg(!wrong, "rows of %d: %d wrong", (int)n, wrong);
		dpr_array_release(rows);
		dpr_array_release(all);
		dpr_array_release(x);
	}
}
END_TEST

static Suite *streams_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *rows = tcase_create("rows");
	TCase *results = tcase_create("results");
	TCase *transposes = tcase_create("transposes");

	tcase_set_timeout(results, 300);
	tcase_add_test(results, results_past_the_caches);
	tcase_add_test(results, operands_fill_the_caches);
	suite_add_tcase(suite, results);
	tcase_set_timeout(transposes, 300);
	tcase_add_test(transposes, transposes_of_every_extent);
	suite_add_tcase(suite, transposes);
	tcase_set_timeout(rows, 300);
	tcase_add_test(rows, rows_past_the_caches);
	tcase_add_test(rows, rows_with_gaps);
	suite_add_tcase(suite, rows);
	return suite;
}

int main(int argc, char **argv)
{
	return run_on_selected(streams_suite, argc > 1 ? argv[1] : "cpu");
}
