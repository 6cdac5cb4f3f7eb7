/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_kernel_reductions.c - reductions on a device of the mock that takes only
 * kernels in files: each reduction of each dtype, compared with a loop over the
 * elements.
 *
 * Elements are small whole numbers, so that sums are exact in every order.
 */
#include "tests/support/files_device.h"

#include <math.h>

#include <dpr/array_kernels.h>

#include "core/array/element/scalar.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce_table.h"
#include "core/base/mem.h"
#include "tests/support/combined.h"
#include "tests/support/random.h"

#define MOST 100000
#define LARGE 3000001

static struct random rng = { 20261127 };
static const struct mock_control *control; /* of the device */

typedef dpr_status (*function)(const dpr_array *, const dpr_axes *,
			       dpr_array **);
static const function functions[REDUCTION_COUNT] = {
#define REDUCTION(name, combine, sum, first, finish, text) dpr_##name,
#include "kernels/reductions.def"
#undef REDUCTION
};

/* The kernels beside those that reduce. */
static const char *const others[] = {
	"strided_cast_int32_float64",    "strided_cast_float32_float16",
	"strided_cast_float32_bfloat16", "strided_copy_uint8",
	"strided_copy_uint16",           "strided_copy_uint32",
	"strided_copy_uint64",           "strided_copy_complex128",
	"strided_add_float32",           "flat_square_float32",
};
#define N_OTHERS (sizeof(others) / sizeof(*others))

static void start(void)
{
	dpr_array_kernel *all;
	size_t n;

	start_kernel_files("mock", others, N_OTHERS);
	CHECK_OK(dpr_array_kernels(&all, &n));
	for (size_t i = 0; i < n; i++)
		if (!strncmp(all[i].name, "reduce_", 7))
			bring(all[i].name);
	dpr_free(all);
	setenv("DPR_TEST_PLUGIN_DIR", files_folder, 1);
	control = control_of("mock");
	control->reset();
}

static uint64_t launches(void)
{
	return control->calls(MOCK_queue_launch);
}

/* --- All of them -------------------------------------------------------- */

/* How an array is cut out of contiguous elements: the shape that these have, a
   slice of each axis, and an order of the axes. */
static const struct shape {
	int rank;
	int64_t dim[4];
	int64_t begin[4], step[4]; /* step 0: all of the axis */
	int order[4];
} shapes[] = {
	{ 0, { 0 }, { 0 }, { 0 }, { 0 } },
	{ 1, { 1 }, { 0 }, { 0 }, { 0 } },
	{ 1, { 37 }, { 0 }, { 0 }, { 0 } },
	{ 1, { 5001 }, { 1 }, { 1 }, { 0 } },
	{ 1, { 9000 }, { 8999 }, { -2 }, { 0 } },
	{ 2, { 60, 520 }, { 0 }, { 0 }, { 0, 1 } },
	{ 2, { 61, 523 }, { 0 }, { 0 }, { 1, 0 } },
	{ 2, { 90, 300 }, { 3, 299 }, { 1, -1 }, { 0, 1 } },
	{ 2, { 4000, 3 }, { 0 }, { 0 }, { 0, 1 } },
	{ 2, { 5000, 8 }, { 0 }, { 0 }, { 0, 1 } },
	{ 2, { 3, 4000 }, { 0 }, { 0 }, { 0, 1 } },
	{ 3, { 20, 33, 24 }, { 0 }, { 0 }, { 2, 0, 1 } },
	{ 4, { 9, 7, 12, 16 }, { 0, 1 }, { 0, 2 }, { 1, 3, 0, 2 } },
};
#define SHAPES (sizeof(shapes) / sizeof(*shapes))

static int8_t numbers[MOST];

static int64_t elements_of(const struct shape *s)
{
	int64_t n = 1;

	for (int d = 0; d < s->rank; d++)
		n *= s->dim[d];
	return n;
}

/* A complex number has the negative one as its imaginary part. */
static dpr_operand operand_of(dpr_dtype dtype, double value)
{
	return dpr_dtype_kind(dtype) == 'c'
		       ? dpr_operand_complex_parts(value, 0 - value)
		       : dpr_operand_float(value);
}

static void store(dpr_dtype dtype, double value, unsigned char *to)
{
	if (scalar_store("test", operand_of(dtype, value), dtype, to))
		ck_abort_msg("%s", dpr_last_error());
}

/* Store an element or a result.  A factor of a product is a real number. */
static void store_number(dpr_dtype dtype, double value, bool multiplies,
			 unsigned char *to)
{
	if (multiplies && dpr_dtype_kind(dtype) == 'c') {
		if (scalar_store("test", dpr_operand_complex_parts(value, 0),
				 dtype, to))
			ck_abort_msg("%s", dpr_last_error());
		return;
	}
	store(dtype, value, to);
}

/* Random numbers as an array of the whole shape, before it is sliced.
   @multiplies: as factors of a product. */
static dpr_array *new_base(const struct shape *s, dpr_dtype dtype,
			   bool multiplies)
{
	static unsigned char bytes[MOST * 16];
	const size_t size = dpr_dtype_size(dtype);
	const char kind = dpr_dtype_kind(dtype);
	const int64_t n = elements_of(s);
	dpr_array *base;

	for (int64_t i = 0; i < n; i++)
		numbers[i] =
			(int8_t)(kind == 'b'   ? random_between(&rng, 0, 1)
				 : kind == 'u' ? random_between(&rng, 0, 9)
					       : random_between(&rng, -9, 9));
	if (multiplies)
		combined_factors(&rng, kind, numbers, n);
	for (int64_t i = 0; i < n; i++)
		store_number(dtype, numbers[i], multiplies,
			     bytes + (size_t)i * size);
	CHECK_OK(dpr_array_from_memory(bytes, dpr_shape_of(s->rank, s->dim),
				       NULL, dtype, q1, &base));
	return base;
}

static dpr_array *new_view(const struct shape *s, const dpr_array *base)
{
	dpr_array *part, *turned;
	dpr_index index[4];

	for (int d = 0; d < s->rank; d++)
		index[d] = s->step[d] ? DPR_SLICE(s->begin[d], DPR_OPEN,
						  s->step[d])
				      : DPR_ALL;
	CHECK_OK(dpr_array_index(base, index, (size_t)s->rank, &part));
	CHECK_OK(dpr_permute_dims(part, s->rank ? s->order : NULL, &turned));
	dpr_array_release(part);
	return turned;
}

/* What a loop gives for each result.  Returns how many there are. */
static int64_t reduce_numbers(const dpr_array *view, enum reduction reduction,
			      int set, double *out)
{
	const struct reduce_table_entry *entry = &reduce_table[reduction];
	const int64_t *dim = dpr_array_shape(view);
	const int rank = dpr_array_rank(view);
	int64_t index[4] = { 0 }, results = 1, length = 1;
	static bool seen[MOST];

	for (int d = 0; d < rank; d++)
		*(set >> d & 1 ? &length : &results) *= dim[d];
	memset(seen, 0, sizeof(seen));
	for (int64_t i = 0; i < results * length; i++) {
		int64_t at = dpr_array_offset(view), to = 0;
		double v;

		for (int d = 0; d < rank; d++) {
			at += index[d] * dpr_array_strides(view)[d];
			if (!(set >> d & 1))
				to = to * dim[d] + index[d];
		}
		v = numbers[at];
		if (entry->sum == REDUCE_TABLE_BOOL)
			v = v != 0;
		out[to] = seen[to] ? combined(entry->combine, out[to], v) : v;
		seen[to] = true;
		for (int d = rank - 1; d >= 0; d--) {
			if (++index[d] < dim[d])
				break;
			index[d] = 0;
		}
	}
	if (entry->finish == REDUCE_TABLE_DIVIDE)
		for (int64_t i = 0; i < results; i++)
			out[i] /= (double)length;
	return results;
}

static bool multiplies(enum reduction reduction)
{
	return reduce_table[reduction].combine == OPERATION__multiply;
}

/* Reduce the axes whose bits are in @set, and compare. */
static void check_one(const dpr_array *x, enum reduction reduction, int set)
{
	static unsigned char have[MOST * 16];
	static double want[MOST];
	int list[4];
	dpr_axes axes = { .count = 0, .keepdims = set % 3 == 0, .axis = list };
	unsigned char bytes[16];
	dpr_array *out;
	dpr_dtype dtype;
	size_t size;
	int64_t n, at;

	for (int d = 0; d < dpr_array_rank(x); d++)
		if (set >> d & 1)
			list[axes.count++] = d;
	CHECK_OK(functions[reduction](x, &axes, &out));
	CHECK_OK(dpr_array_to_memory(out, have, sizeof(have), NULL));
	n = reduce_numbers(x, reduction, set, want);
	ck_assert_int_eq(dpr_array_size(out), n);
	dtype = dpr_array_dtype(out);
	size = dpr_dtype_size(dtype);
	for (at = 0; at < n; at++) {
		/* What accumulates a 16-bit mean is rounded first. */
		store_number(dtype,
			     dtype == DPR_FLOAT64 || dtype == DPR_COMPLEX128
				     ? want[at]
				     : (double)(float)want[at],
			     multiplies(reduction), bytes);
		if (memcmp(have + (size_t)at * size, bytes, size) != 0)
			break;
	}
	ck_assert_msg(at == n, "%s of %s, axes %x: result %d is not %g",
		      reduce_table[reduction].name,
		      dpr_dtype_name(dpr_array_dtype(x)), (unsigned)set,
		      (int)at, want[at]);
	dpr_array_release(out);
}

/* Integers that are made floats first are cast: one dtype is enough. */
static bool is_taken(enum reduction reduction, dpr_dtype dtype)
{
	return dtype == DPR_INT32 || reduce_table_takes(reduction, dtype);
}

/* Check the reductions that multiply, or all others. */
static void check_some(const struct shape *s, dpr_dtype dtype, bool products)
{
	dpr_array *base = new_base(s, dtype, products);
	dpr_array *x = new_view(s, base);

	for (int r = 0; r < REDUCTION_COUNT; r++)
		for (int set = 0; set < 1 << s->rank; set++)
			if (multiplies((enum reduction)r) == products &&
			    is_taken((enum reduction)r, dtype))
				check_one(x, (enum reduction)r, set);
	dpr_array_release(base);
	dpr_array_release(x);
}

START_TEST(every_one)
{
	for (size_t i = 0; i < SHAPES; i++) {
		check_some(&shapes[i], (dpr_dtype)_i, false);
		check_some(&shapes[i], (dpr_dtype)_i, true);
	}
}
END_TEST

/* --- Many axes ---------------------------------------------------------- */

/* Sum the axes of extent 2 whose bits are in @set, of @n such axes; @apart: an
   axis of extent 1 follows each; @turned: the axes are in reverse order. */
static void check_many(int n, uint32_t set, bool apart, bool turned)
{
	const int64_t size = INT64_C(1) << n;
	const int step = apart ? 2 : 1, rank = n * step;
	int32_t *values = malloc((size_t)size * sizeof(*values));
	int64_t *want = calloc((size_t)size, sizeof(*want));
	int64_t *have = calloc((size_t)size, sizeof(*have));
	int64_t dim[32];
	int list[32];
	dpr_axes axes = { .count = 0, .keepdims = false, .axis = list };
	dpr_array *flat, *cube, *x, *out;

	ck_assert(values && want && have);
	for (int d = 0; d < rank; d++)
		dim[d] = d % step ? 1 : 2;
	for (int d = 0; d < n; d++)
		if (set >> d & 1)
			list[axes.count++] =
				turned ? rank - 1 - d * step : d * step;
	for (int64_t i = 0; i < size; i++) {
		int64_t to = 0;

		for (int k = 0; k < n; k++) {
			const int d = turned ? n - 1 - k : k;

			if (!(set >> d & 1))
				to = to * 2 + (i >> (n - 1 - d) & 1);
		}
		values[i] = (int32_t)random_between(&rng, -999, 999);
		want[to] += values[i];
	}
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(size), NULL, DPR_INT32,
				       q1, &flat));
	CHECK_OK(dpr_reshape(flat, dpr_shape_of(rank, dim), &cube));
	if (turned)
		CHECK_OK(dpr_permute_dims(cube, NULL, &x));
	else
		x = dpr_array_retain(cube);
	CHECK_OK(dpr_sum(x, &axes, &out));
	CHECK_OK(dpr_array_to_memory(out, have, dpr_array_nbytes(out), NULL));
	ck_assert_msg(!memcmp(have, want, (size_t)size * sizeof(*have)),
		      "axes %x of %d", set, rank);
	dpr_array_release(flat);
	dpr_array_release(cube);
	dpr_array_release(x);
	dpr_array_release(out);
	free(values);
	free(want);
	free(have);
}

START_TEST(many_axes)
{
	/* every other axis; then more kept axes than a kernel takes */
	for (int last = 0; last < 2; last++) {
		check_many(10, 0x155 << last, false, false);
		check_many(18, 0x15555 << last, false, false);
		check_many(16, 0x5555 << last, true, false);
		check_many(16, 0x5555 << last, true, true);
	}
	check_many(10, 1, false, true);
	check_many(16, 1 << 15, true, true);
	check_many(16, 0xffff, true, true);
	check_many(16, 0, true, true);
}
END_TEST

/* --- Sizes -------------------------------------------------------------- */

static void check_empty(const dpr_array *x, const dpr_axes *axes, int64_t n)
{
	unsigned char bools[3];
	double means[3];
	int64_t sums[3];
	dpr_array *out;

	CHECK_OK(dpr_sum(x, axes, &out));
	CHECK_OK(dpr_array_to_memory(out, sums, sizeof(sums), NULL));
	ck_assert_int_eq(dpr_array_size(out), n);
	dpr_array_release(out);
	CHECK_OK(dpr_any(x, axes, &out));
	CHECK_OK(dpr_array_to_memory(out, bools, sizeof(bools), NULL));
	for (int64_t i = 0; i < n; i++)
		ck_assert(sums[i] == 0 && bools[i] == 0);
	dpr_array_release(out);
	CHECK_OK(dpr_all(x, axes, &out));
	CHECK_OK(dpr_array_to_memory(out, bools, sizeof(bools), NULL));
	dpr_array_release(out);
	CHECK_OK(dpr_mean(x, axes, &out));
	CHECK_OK(dpr_array_to_memory(out, means, sizeof(means), NULL));
	for (int64_t i = 0; i < n; i++)
		ck_assert(bools[i] == 1 && means[i] != means[i]);
	dpr_array_release(out);
}

START_TEST(empty)
{
	dpr_array *x, *out;

	CHECK_OK(dpr_empty(DPR_SHAPE(3, 0), DPR_INT32, q1, &x));
	check_empty(x, DPR_AXES(1), 3);
	check_empty(x, NULL, 1);
	check_empty(x, DPR_AXES(0), 0);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_min(x, DPR_AXES(1), &out));
	CHECK_OK(dpr_max(x, DPR_AXES(0), &out));
	ck_assert_int_eq(dpr_array_size(out), 0);
	ck_assert_uint_eq(launches(), 0);
	dpr_array_release(out);
	dpr_array_release(x);
}
END_TEST

/* Long axes are cut into parts, which a second launch reduces. */
START_TEST(large)
{
	static int8_t values[LARGE];
	dpr_array *x, *part, *tall, *out;
	int64_t sum = 0, have[4];
	int8_t most;

	for (int64_t i = 0; i < LARGE; i++)
		sum += values[i] = (int8_t)(i % 101 - 30);
	values[LARGE - 1] = 117;
	sum += 117 - ((LARGE - 1) % 101 - 30);
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(LARGE), NULL, DPR_INT8,
				       q1, &x));
	CHECK_OK(dpr_sum(x, NULL, &out));
	CHECK_OK(dpr_array_to_memory(out, have, sizeof(have), NULL));
	ck_assert_int_eq(have[0], sum);
	ck_assert_uint_eq(launches(), 2);
	dpr_array_release(out);
	CHECK_OK(dpr_max(x, NULL, &out));
	CHECK_OK(dpr_array_to_memory(out, &most, sizeof(most), NULL));
	ck_assert_int_eq(most, 117);
	ck_assert_uint_eq(launches(), 4);
	dpr_array_release(out);
	CHECK_OK(dpr_array_view(x, &part, DPR_SLICE(1, DPR_OPEN, 1)));
	CHECK_OK(dpr_reshape(part, DPR_SHAPE(LARGE / 4, 4), &tall));
	CHECK_OK(dpr_sum(tall, DPR_AXES(0), &out));
	CHECK_OK(dpr_array_to_memory(out, have, sizeof(have), NULL));
	ck_assert_int_eq(have[0] + have[1] + have[2] + have[3],
			 sum - values[0]);
	for (int64_t i = 1; i < LARGE; i += 4)
		have[0] -= values[i];
	ck_assert_int_eq(have[0], 0);
	ck_assert_uint_eq(launches(), 6);
	dpr_array_release(out);
	CHECK_OK(dpr_sum(tall, DPR_AXES(1), &out));
	ck_assert_uint_eq(launches(), 7);
	dpr_array_release(out);
	dpr_array_release(tall);
	dpr_array_release(part);
	dpr_array_release(x);
}
END_TEST

/* --- Values ------------------------------------------------------------- */

/* What a product begins with, as bits. */
START_TEST(one_is_first)
{
	const uint64_t wide = UINT64_C(0x3ff) << 52;
	const enum reduction r = REDUCTION__prod;

	ck_assert_int_eq(reduce_table[r].first, REDUCE_TABLE_ONE);
	ck_assert_uint_eq(reduce_table_first(r, DPR_INT64), 1);
	ck_assert_uint_eq(reduce_table_first(r, DPR_FLOAT32), 0x3f800000);
	ck_assert_uint_eq(reduce_table_first(r, DPR_COMPLEX64), 0x3f800000);
	ck_assert_uint_eq(reduce_table_first(r, DPR_FLOAT64), wide);
	ck_assert_uint_eq(reduce_table_first(r, DPR_COMPLEX128), wide);
}
END_TEST

/* A NaN anywhere gives NaN, and is true; infinities are values. */
START_TEST(special)
{
	static float values[9000];
	const function floats[] = { dpr_sum, dpr_prod, dpr_mean, dpr_min,
				    dpr_max };
	dpr_array *x, *out;
	unsigned char is_true;
	float have;

	for (int i = 0; i < 9000; i++)
		values[i] = INFINITY;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(9000), NULL,
				       DPR_FLOAT32, q1, &x));
	CHECK_OK(dpr_min(x, NULL, &out));
	CHECK_OK(dpr_array_to_memory(out, &have, sizeof(have), NULL));
	ck_assert(have == INFINITY);
	dpr_array_release(out);
	dpr_array_release(x);
	memset(values, 0, sizeof(values));
	values[7777] = NAN;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(9000), NULL,
				       DPR_FLOAT32, q1, &x));
	for (size_t k = 0; k < sizeof(floats) / sizeof(*floats); k++) {
		CHECK_OK(floats[k](x, NULL, &out));
		CHECK_OK(dpr_array_to_memory(out, &have, sizeof(have), NULL));
		ck_assert(have != have);
		dpr_array_release(out);
	}
	CHECK_OK(dpr_any(x, NULL, &out));
	CHECK_OK(dpr_array_to_memory(out, &is_true, sizeof(is_true), NULL));
	ck_assert_int_eq(is_true, 1);
	dpr_array_release(out);
	dpr_array_release(x);
}
END_TEST

/* The result may be a part of the operand. */
START_TEST(in_place)
{
	int64_t values[4][500], want[4] = { 0 }, have[4];
	dpr_array *x, *out;

	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 500; k++)
			want[i] += values[i][k] = 1000 * i + k;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(4, 500), NULL,
				       DPR_INT64, q1, &x));
	CHECK_OK(dpr_array_view(x, &out, DPR_AT(0), DPR_SLICE(0, 4, 1)));
	CHECK_OK(dpr_sum_into(x, DPR_AXES(1), out));
	CHECK_OK(dpr_array_to_memory(out, have, dpr_array_nbytes(out), NULL));
	ck_assert_mem_eq(have, want, sizeof(want));
	dpr_array_release(out);
	dpr_array_release(x);
}
END_TEST

/* An expression runs one call after the other. */
START_TEST(expression)
{
	static float values[30][40];
	float want[40] = { 0 }, have[40];
	dpr_array *x, *out;

	for (int i = 0; i < 30; i++)
		for (int k = 0; k < 40; k++) {
			const float v = (float)(i - k);

			values[i][k] = v;
			want[k] += v * v + v;
		}
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(30, 40), NULL,
				       DPR_FLOAT32, q1, &x));
	CHECK_OK(
		dpr_evaluate("sum(square(x) + x, axis=0)", NULL, &out, "x", x));
	CHECK_OK(dpr_array_to_memory(out, have, dpr_array_nbytes(out), NULL));
	ck_assert_mem_eq(have, want, sizeof(want));
	dpr_array_release(out);
	dpr_array_release(x);
}
END_TEST

/* --- Failures ----------------------------------------------------------- */

static dpr_array *new_zeros(dpr_dtype dtype, int64_t rows, int64_t columns)
{
	static const unsigned char zeros[MOST];
	dpr_array *x;

	CHECK_OK(dpr_array_from_memory(zeros, DPR_SHAPE(rows, 5, columns), NULL,
				       dtype, q1, &x));
	return x;
}

/* Reduce as if by the kernel @name, whose file is not there. */
static void check_missing(const char *name, const dpr_array *x,
			  const dpr_axes *axes, enum reduction reduction)
{
	dpr_array *out;

	take_away(name);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, functions[reduction](x, axes, &out));
	ck_assert_ptr_null(out);
	CHECK_TEXT(name);
	bring(name);
	CHECK_OK(functions[reduction](x, axes, &out));
	dpr_array_release(out);
}

START_TEST(missing)
{
	dpr_array *shorts = new_zeros(DPR_INT16, 30, 40), *turned;
	dpr_array *halves = new_zeros(DPR_FLOAT16, 30, 40), *out;
	uint64_t before;

	CHECK_OK(dpr_permute_dims(shorts, NULL, &turned));
	before = launches();
	check_missing("reduce_max_int16", shorts, DPR_AXES(2), REDUCTION__max);
	check_missing("reduce_min_int16", turned, DPR_AXES(0), REDUCTION__min);
	ck_assert_uint_eq(launches(), before + 2);
	/* Axes that are apart are reduced one after the other. */
	check_missing("reduce_all_int16", shorts, DPR_AXES(0, 2),
		      REDUCTION__all);
	check_missing("reduce_any_bool", shorts, DPR_AXES(0, 2),
		      REDUCTION__any);
	before = launches();
	CHECK_OK(dpr_any(shorts, DPR_AXES(0, 2), &out));
	ck_assert_uint_eq(launches(), before + 2);
	dpr_array_release(out);
	/* of the last pass, and what makes 16-bit floats of the sum */
	check_missing("reduce_sum_int64", shorts, NULL, REDUCTION__sum);
	check_missing("strided_cast_float32_float16", halves, DPR_AXES(2),
		      REDUCTION__sum);
	check_missing("reduce_sum_float32", halves, NULL, REDUCTION__mean);
	dpr_array_release(shorts);
	dpr_array_release(turned);
	dpr_array_release(halves);
}
END_TEST

/* Each allocation of a call fails in turn.  Returns how many calls fail; the
   others give zeros. */
static int fail_in_turn(dpr_status (*call)(const dpr_array *, const dpr_axes *,
					   dpr_array **),
			const dpr_array *x, const dpr_axes *axes)
{
	static const unsigned char zeros[10];
	unsigned char values[10];
	dpr_status status;
	int failures = 0;
	dpr_array *out;

	for (uint64_t n = 0; n < 400; n++) {
		mem_fault_once(n);
		status = call(x, axes, &out);
		mem_fault_clear();
		ck_assert(!status == !!out);
		ck_assert_msg(!status || status == DPR_ERROR_OUT_OF_MEMORY ||
				      status == DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			      "%d: %s", (int)n, dpr_last_error());
		failures += status != DPR_OK;
		if (!status) {
			memset(values, 1, sizeof(values));
			CHECK_OK(dpr_array_to_memory(out, values,
						     sizeof(values), NULL));
			ck_assert(!memcmp(values, zeros,
					  5 * dpr_array_itemsize(out)));
		}
		dpr_array_release(out);
	}
	return failures;
}

START_TEST(no_memory)
{
	dpr_array *x = new_zeros(DPR_FLOAT16, 30, 40);

	ck_assert_int_gt(fail_in_turn(dpr_mean, x, DPR_AXES(0, 2)), 10);
	/* The order does not matter: a copy is another way. */
	ck_assert_int_lt(fail_in_turn(dpr_any, x, DPR_AXES(0, 2)), 5);
	dpr_array_release(x);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel folds");
	TCase *tcase = tcase_create("folds"), *every = tcase_create("every");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(every, start, end_kernel_files);
	tcase_set_timeout(every, 300);
	tcase_add_loop_test(every, every_one, DPR_BOOL, DPR_COMPLEX128 + 1);
	suite_add_tcase(suite, every);
	tcase_add_checked_fixture(tcase, start, end_kernel_files);
	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, many_axes);
	tcase_add_test(tcase, empty);
	tcase_add_test(tcase, large);
	tcase_add_test(tcase, special);
	tcase_add_test(tcase, one_is_first);
	tcase_add_test(tcase, in_place);
	tcase_add_test(tcase, expression);
	tcase_add_test(tcase, missing);
	tcase_add_test(tcase, no_memory);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
