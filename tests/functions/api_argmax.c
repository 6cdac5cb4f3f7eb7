/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_argmax.c - argmax and argmin beside loops in C: every dtype, shapes and
 * layouts, each axis; equal elements, zeros of both signs and NaN; limits of
 * integers; long rows; and the texts of errors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define MOST 3000

/* --- Loops --------------------------------------------------------------- */

/* Elements in C order. */
struct elements {
	int rank;
	int64_t shape[DPR_MAX_RANK];
	int64_t n;
	float value[MOST];
};

/* Whether @b is found rather than @a, which comes first. */
static bool is_better(float a, float b, bool most)
{
	if (isnan(a))
		return false;
	return isnan(b) || (most ? b > a : b < a);
}

/* Find the elements along @axis; -1: all elements.  Returns the number of
   results. */
static int64_t find(const struct elements *x, int axis, bool most, int64_t *out)
{
	int64_t before = 1, length = x->n, after = 1;

	if (axis >= 0) {
		length = x->shape[axis];
		for (int d = 0; d < axis; d++)
			before *= x->shape[d];
		for (int d = axis + 1; d < x->rank; d++)
			after *= x->shape[d];
	}
	for (int64_t r = 0; r < before * after; r++) {
		const float *v =
			x->value + r / after * length * after + r % after;

		out[r] = 0;
		for (int64_t i = 1; i < length; i++)
			if (is_better(v[out[r] * after], v[i * after], most))
				out[r] = i;
	}
	return before * after;
}

static void read_elements(const dpr_array *x, struct elements *out)
{
	dpr_array *floats;

	out->rank = dpr_array_rank(x);
	out->n = dpr_array_size(x);
	memcpy(out->shape, dpr_array_shape(x),
	       sizeof(int64_t) * (size_t)out->rank);
	ck_assert_int_le(out->n, MOST);
	CHECK_OK(dpr_astype(x, DPR_FLOAT32, &floats));
	CHECK_OK(dpr_array_to_memory(floats, out->value, sizeof(out->value),
				     NULL));
	dpr_array_release(floats);
}

/* --- Checks -------------------------------------------------------------- */

static const struct {
	const char *name;
	dpr_status (*make)(const dpr_array *, const dpr_axes *, dpr_array **);
	dpr_status (*write)(const dpr_array *, const dpr_axes *, dpr_array *);
	bool most;
} functions[] = {
	{ "argmax", dpr_argmax, dpr_argmax_into, true },
	{ "argmin", dpr_argmin, dpr_argmin_into, false },
};

/* Compare @have, which is released. */
static void expect(dpr_array *have, const int64_t *want, int64_t n, int rank,
		   const char *what)
{
	int64_t found[MOST], far = 0, at = 0;

	ck_assert_int_eq(dpr_array_dtype(have), DPR_INT64);
	ck_assert_int_eq(dpr_array_rank(have), rank);
	ck_assert_int_eq(dpr_array_size(have), n);
	CHECK_OK(dpr_array_to_memory(have, found, sizeof(found), NULL));
	for (int64_t i = n - 1; i >= 0; i--)
		if (found[i] != want[i]) {
			far++;
			at = i;
		}
	ck_assert_msg(!far, "%s: %lld differ; result %lld is %lld, not %lld",
		      what, (long long)far, (long long)at, (long long)found[at],
		      (long long)want[at]);
	dpr_array_release(have);
}

static void check_axis(int f, dpr_array *x, const struct elements *v, int axis)
{
	const int list[] = { axis - v->rank };
	const dpr_axes axes = { .count = axis >= 0,
				.keepdims = 0,
				.axis = axis < 0 ? NULL : list };
	const dpr_axes kept = { .count = axis >= 0,
				.keepdims = 1,
				.axis = axis < 0 ? NULL : list };
	const int rank = axis < 0 ? 0 : v->rank - 1;
	const char *name = functions[f].name;
	char text[100], where[20] = "None";
	int64_t want[MOST];
	const int64_t n = find(v, axis, functions[f].most, want);
	dpr_array *y, *z;

	if (axis >= 0)
		snprintf(where, sizeof(where), "%d", list[0]);
	snprintf(text, sizeof(text), "%s(x, axis=%s) of %s", name, where,
		 dpr_dtype_name(dpr_array_dtype(x)));
	CHECK_OK(functions[f].make(x, axis < 0 ? NULL : &axes, &y));
	expect(dpr_array_retain(y), want, n, rank, text);
	CHECK_OK(dpr_zeros_like(y, DPR_DTYPE_DEFAULT, &z));
	CHECK_OK(functions[f].write(x, &axes, z));
	expect(z, want, n, rank, "into");
	dpr_array_release(y);
	if (takes_few() && axis > 0)
		return;
	CHECK_OK(functions[f].make(x, &kept, &y));
	expect(y, want, n, v->rank, "keepdims");
	snprintf(text, sizeof(text), "%s(%s, %s, keepdims=True) + 0", name,
		 dpr_array_dtype(x) == DPR_BOOL ? "x" : "+x", where);
	CHECK_OK(dpr_evaluate(text, NULL, &y, "x", x));
	expect(y, want, n, v->rank, text);
}

static void check_all(dpr_array *x)
{
	struct elements v;

	read_elements(x, &v);
	for (int f = 0; f < 2; f++)
		for (int axis = -1; axis < v.rank; axis++)
			check_axis(f, x, &v, axis);
}

/* --- Dtypes -------------------------------------------------------------- */

static const dpr_dtype dtypes[] = {
	DPR_FLOAT32, DPR_BOOL,    DPR_INT8,     DPR_INT64, DPR_FLOAT16,
	DPR_UINT8,   DPR_INT16,   DPR_UINT16,   DPR_INT32, DPR_UINT32,
	DPR_UINT64,  DPR_FLOAT64, DPR_BFLOAT16,
};
#define DTYPES ((int)(sizeof(dtypes) / sizeof(dtypes[0])))

static bool is_there(dpr_dtype dtype)
{
	return dtype != DPR_FLOAT64 ||
	       dpr_dtype_default(test_device, 'f') == DPR_FLOAT64;
}

static dpr_array *array_of(const float *v, dpr_shape shape, dpr_dtype dtype)
{
	dpr_array *floats, *x;

	CHECK_OK(dpr_array_from_memory(v, shape, NULL, DPR_FLOAT32, test_queue,
				       &floats));
	CHECK_OK(dpr_astype(floats, dtype, &x));
	dpr_array_release(floats);
	return x;
}

/* Elements with many equal ones, which @dtype has. */
static void fill(float *v, int n, dpr_dtype dtype)
{
	const char kind = dpr_dtype_kind(dtype);

	for (int i = 0; i < n; i++) {
		v[i] = (float)(i * 37 % 101 % 29);
		if (kind == 'b')
			v[i] = i % 5 == 3;
		else if (kind == 'i' || kind == 'f')
			v[i] -= 14;
		if (kind == 'f')
			v[i] /= 4;
	}
}

START_TEST(dtypes_and_axes)
{
	float v[7 * 45];
	dpr_array *x;

	if (leaves_out(_i, 5) || !is_there(dtypes[_i]))
		return;
	fill(v, 7 * 45, dtypes[_i]);
	x = array_of(v, DPR_SHAPE(7, 45), dtypes[_i]);
	check_all(x);
	dpr_array_release(x);
}
END_TEST

/* --- Equal elements, zeros and NaN ---------------------------------------- */

static const struct {
	float in[6];
	int most, least;
} special[] = {
	{ { 1, NAN, 5, -NAN, 0, 7 }, 1, 1 },
	{ { 1, 9, 5, 7, 0, -NAN }, 5, 5 },
	{ { -NAN, NAN, 5, 7, 0, 1 }, 0, 0 },
	{ { -0.0f, 0, -0.0f, 0, -0.0f, 0 }, 0, 0 },
	{ { -1, 0, -0.0f, -1, -0.0f, 0 }, 1, 0 },
	{ { -1, -0.0f, 0, -1, -0.0f, 0 }, 1, 0 },
	{ { 1, 0, -0.0f, 1, -0.0f, 0 }, 0, 1 },
	{ { 1, -0.0f, 0, 1, -0.0f, 0 }, 0, 1 },
	{ { -INFINITY, INFINITY, 5, 0, INFINITY, -INFINITY }, 1, 0 },
	{ { -INFINITY, -INFINITY, 0, INFINITY, INFINITY, NAN }, 5, 5 },
	{ { -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY },
	  0,
	  0 },
	{ { 0.25f, 0.5f, -0.5f, -0.25f, 0.5f, -0.5f }, 1, 2 },
};
#define SPECIAL ((int)(sizeof(special) / sizeof(special[0])))

START_TEST(special_values)
{
	static const dpr_dtype floats[] = { DPR_FLOAT32, DPR_FLOAT16,
					    DPR_BFLOAT16, DPR_FLOAT64 };

	for (int i = 0; i < 4; i++) {
		const int64_t most[] = { special[_i].most };
		const int64_t least[] = { special[_i].least };
		dpr_array *x, *y;

		if (!is_there(floats[i]))
			continue;
		x = array_of(special[_i].in, DPR_SHAPE(6), floats[i]);
		CHECK_OK(dpr_argmax(x, NULL, &y));
		expect(y, most, 1, 0, "argmax");
		CHECK_OK(dpr_argmin(x, DPR_AXES(0), &y));
		expect(y, least, 1, 0, "argmin");
		dpr_array_release(x);
	}
}
END_TEST

/* Numbers that no float64 tells apart, or no float32. */
START_TEST(large_integers)
{
	static const int64_t whole[] = { INT64_MAX - 1, INT64_MIN + 1,
					 INT64_MAX,     INT64_MIN,
					 INT64_MAX,     INT64_MIN };
	static const uint64_t natural[] = { UINT64_MAX - 1, 1, UINT64_MAX, 0, 0,
					    UINT64_MAX };
	static const int32_t narrow[] = { INT32_MAX - 1, INT32_MIN + 1,
					  INT32_MAX,     INT32_MIN,
					  INT32_MAX,     INT32_MIN };
	static const uint32_t small[] = { UINT32_MAX - 1, 1, UINT32_MAX, 0, 0,
					  UINT32_MAX };
	const int64_t two[] = { 2 }, three[] = { 3 };
	const void *const data[] = { whole, natural, narrow, small };
	const dpr_dtype types[] = { DPR_INT64, DPR_UINT64, DPR_INT32,
				    DPR_UINT32 };

	for (int i = 0; i < 4; i++) {
		dpr_array *x, *y;

		CHECK_OK(dpr_array_from_memory(data[i], DPR_SHAPE(6), NULL,
					       types[i], test_queue, &x));
		CHECK_OK(dpr_argmax(x, NULL, &y));
		expect(y, two, 1, 0, "argmax");
		CHECK_OK(dpr_argmin(x, NULL, &y));
		expect(y, three, 1, 0, "argmin");
		dpr_array_release(x);
	}
}
END_TEST

/* --- Shapes and layouts --------------------------------------------------- */

START_TEST(layouts)
{
	const dpr_index backwards[] = { DPR_ALL,
					DPR_SLICE(DPR_OPEN, DPR_OPEN, -1) };
	const dpr_index part[] = { DPR_SLICE(1, 6, 2), DPR_SLICE(40, 3, -3) };
	float v[7 * 45];
	dpr_array *x, *line, *y;

	fill(v, 7 * 45, DPR_FLOAT32);
	x = array_of(v, DPR_SHAPE(7, 45), DPR_FLOAT32);
	CHECK_OK(dpr_matrix_transpose(x, &y));
	check_all(y);
	dpr_array_release(y);
	CHECK_OK(dpr_array_index(x, backwards, 2, &y));
	check_all(y);
	dpr_array_release(y);
	CHECK_OK(dpr_array_index(x, part, 2, &y));
	check_all(y);
	dpr_array_release(y);
	line = array_of(v, DPR_SHAPE(5, 1), DPR_FLOAT32);
	CHECK_OK(dpr_broadcast_to(line, DPR_SHAPE(3, 5, 4), &y));
	check_all(y);
	dpr_array_release(y);
	dpr_array_release(line);
	dpr_array_release(x);
}
END_TEST

START_TEST(many_axes)
{
	static const int order[] = { 3, 8, 0, 5, 1, 7, 2, 6, 4 };
	const dpr_shape shape = DPR_SHAPE(2, 3, 1, 2, 2, 3, 2, 2, 3);
	struct elements e;
	float v[864];
	dpr_array *x, *y;

	fill(v, 864, DPR_INT16);
	x = array_of(v, shape, DPR_INT16);
	CHECK_OK(dpr_permute_dims(x, order, &y));
	read_elements(y, &e);
	for (int axis = -1; axis < 9; axis += takes_few() ? 5 : 1)
		check_axis(axis & 1, y, &e, axis);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* Several axes count in row-major order. */
START_TEST(several_axes)
{
	float v[4 * 5 * 6];
	int64_t want[5];
	dpr_array *x, *y;

	fill(v, 4 * 5 * 6, DPR_FLOAT32);
	for (int64_t k = 0; k < 5; k++) {
		float best = -INFINITY;

		for (int64_t i = 0; i < 24; i++) {
			const float e = v[i / 6 * 30 + k * 6 + i % 6];

			want[k] = e > best ? i : want[k];
			best = e > best ? e : best;
		}
	}
	x = array_of(v, DPR_SHAPE(4, 5, 6), DPR_FLOAT32);
	CHECK_OK(dpr_argmax(x, DPR_AXES(2, 0), &y));
	expect(y, want, 5, 1, "two axes");
	dpr_array_release(x);
}
END_TEST

START_TEST(one_element)
{
	static const int64_t zeros[6] = { 0 };
	const float v[] = { 3, NAN, 5, 6, 7, 8 };
	dpr_array *x, *y;

	x = array_of(v, DPR_SCALAR_SHAPE, DPR_FLOAT32);
	check_all(x);
	dpr_array_release(x);
	x = array_of(v, DPR_SHAPE(1), DPR_FLOAT32);
	check_all(x);
	dpr_array_release(x);
	x = array_of(v, DPR_SHAPE(3, 1, 2), DPR_FLOAT32);
	CHECK_OK(dpr_argmin(x, DPR_AXES(1), &y));
	expect(y, zeros, 6, 2, "an axis of one element");
	dpr_array_release(x);
	CHECK_OK(dpr_zeros(DPR_SHAPE(1), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_evaluate("argmax(7) + argmin(True) + astype(x, int64)",
			      NULL, &y, "x", x));
	expect(y, zeros, 1, 1, "numbers");
	dpr_array_release(x);
}
END_TEST

/* Rows in one kernel, in parts, and in columns. */
START_TEST(long_rows)
{
	static const struct {
		int64_t rows, columns;
		int axis;
	} of[] = {
		{ 1, 1000003, 1 },
		{ 1000003, 1, 0 },
		{ 30001, 40, 0 },
		{ 40, 30001, 1 },
	};
	const int64_t rows = of[_i].rows, columns = of[_i].columns;
	const int64_t length = of[_i].axis ? columns : rows;
	const int64_t results = of[_i].axis ? rows : columns;
	const dpr_index back = DPR_SLICE(DPR_OPEN, DPR_OPEN, -1);
	const dpr_index backwards[] = { of[_i].axis ? DPR_ALL : back,
					of[_i].axis ? back : DPR_ALL };
	int64_t want[40], want_back[40];
	float *v;
	dpr_array *x, *z, *y;

	if (leaves_out(_i, 3))
		return;
	v = calloc((size_t)(rows * columns), sizeof(*v));
	ck_assert_ptr_nonnull(v);
	for (int64_t r = 0; r < results; r++) {
		/* Two equal elements: of these the first one is far back. */
		const int64_t first = length - 1 - r * 701 % (length / 2);
		const int64_t at[] = { first, (first + length) / 2 };

		want[r] = first;
		want_back[r] = length - 1 - at[1];
		for (int k = 0; k < 2; k++)
			v[of[_i].axis ? r * columns + at[k]
				      : at[k] * columns + r] = 5;
	}
	x = array_of(v, DPR_SHAPE(rows, columns), DPR_FLOAT32);
	CHECK_OK(dpr_argmax(x, DPR_AXES(of[_i].axis), &y));
	expect(y, want, results, 1, "long rows");
	CHECK_OK(dpr_array_index(x, backwards, 2, &z));
	CHECK_OK(dpr_argmax(z, DPR_AXES(of[_i].axis), &y));
	expect(y, want_back, results, 1, "long rows, backwards");
	dpr_array_release(z);
	if (!_i) {
		CHECK_OK(dpr_argmax(x, NULL, &y));
		expect(y, want, 1, 0, "all");
	}
	CHECK_OK(dpr_argmin(x, DPR_AXES(of[_i].axis), &y));
	for (int64_t r = 0; r < results; r++)
		want[r] = 0;
	expect(y, want, results, 1, "the first element");
	dpr_array_release(x);
	free(v);
}
END_TEST

/* Positions found by a minimum or a maximum of indices.  Elements that do not
   count get a limit of int64 or another number. */
static const struct {
	const char *text;
	int64_t want;
} positions[] = {
	{ "min(where(x == 1, index(0), 9223372036854775807))", 70001 },
	{ "min(where(x == 1, index(0), 50))", 50 },
	{ "min(where(x == 1, index(0), -50))", -50 },
	{ "min(where(x != 1, index(0), 9223372036854775807))", 0 },
	{ "min(where(x == 1, -index(0), 9223372036854775807))", -99999 },
	{ "min(where(x == 2, index(0), 9223372036854775807))",
	  9223372036854775807 },
	{ "max(where(x == 1, index(0), -9223372036854775807 - 1))", 99999 },
	{ "max(where(x == 1, index(0), -1))", 99999 },
	{ "max(where(x == 1, index(0), 200000))", 200000 },
	{ "min(where(x[::-1] == 1, index(0), 9223372036854775807))", 0 },
	{ "99999 - min(where(x == 1, 99999 - index(0), 9223372036854775807))",
	  99999 },
	{ "sum(where(x == 1, index(0), 0))", 170000 },
	{ "sum(min(where(reshape(x, (5, 20000)) == 1,"
	  " index(1, reshape(x, (5, 20000))), 20000), axis=1))",
	  3 * 20000 + 10001 + 19999 },
	{ "sum(min(where(reshape(x, (5, 20000)) == 1,"
	  " index(1, reshape(x, (5, 20000))), 20000), axis=0))",
	  INT64_C(19998) * 20000 + 10001 + 19999 },
	{ "y = reshape(x, (5, 20000)); m = max(y, axis=1, keepdims=True);"
	  "sum(min(where(y == m, index(1, y), 9223372036854775807), axis=1))",
	  10001 + 19999 },
	{ "y = reshape(x, (5, 20000)); m = max(y, axis=1, keepdims=True);"
	  "sum(min(where(y == m, index(1, y), 7), axis=1))",
	  7 + 7 },
	{ "y = reshape(x, (5, 20000)); m = max(y, axis=1, keepdims=True);"
	  "sum(max(where(y == m, index(1, y), -9223372036854775807 - 1),"
	  " axis=1))",
	  3 * 19999 + 10001 + 19999 },
};
#define POSITIONS ((int)(sizeof(positions) / sizeof(positions[0])))

START_TEST(places)
{
	static float v[100000];
	int64_t have;
	dpr_array *x, *y;

	if (leaves_out(_i, 5))
		return;
	v[70001] = v[99999] = 1;
	x = array_of(v, DPR_SHAPE(100000), DPR_FLOAT32);
	CHECK_OK(dpr_evaluate(positions[_i].text, NULL, &y, "x", x));
	CHECK_OK(dpr_array_to_memory(y, &have, sizeof(have), NULL));
	ck_assert_msg(have == positions[_i].want, "%s: %lld, not %lld",
		      positions[_i].text, (long long)have,
		      (long long)positions[_i].want);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* The result is cast to the dtype of an array that is given. */
START_TEST(into_another_dtype)
{
	const float v[] = { 1, 5, 2, 0, 3, 5 };
	int32_t have[2];
	dpr_array *x = array_of(v, DPR_SHAPE(2, 3), DPR_FLOAT32), *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(2), DPR_INT32, test_queue, &y));
	CHECK_OK(dpr_argmax_into(x, DPR_AXES(1), y));
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	ck_assert(have[0] == 1 && have[1] == 2);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* --- Errors -------------------------------------------------------------- */

static void says(const char *text)
{
	ck_assert_str_eq(dpr_last_error(), text);
}

START_TEST(errors)
{
	dpr_array *none, *x, *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(3, 0), DPR_FLOAT32, test_queue, &none));
	CHECK_OK(dpr_ones(DPR_SHAPE(2, 3), DPR_COMPLEX64, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_argmax(none, DPR_AXES(1), &y));
	says("argmax: x has no elements along the axis, so none has an index; "
	     "give x an element there, or reduce another axis");
	ck_assert_ptr_null(y);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_argmin(none, NULL, &y));
	CHECK_OK(dpr_argmin(none, DPR_AXES(0), &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_INT64);
	ck_assert_int_eq(dpr_array_rank(y), 1);
	ck_assert_int_eq(dpr_array_size(y), 0);
	dpr_array_release(y);
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_argmin(x, NULL, &y));
	says("argmin: x is complex64, and complex numbers have no order; give "
	     "it abs(x) or real(x)");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_argmax(x, DPR_AXES(-3), &y));
	says("argmax: there is no axis -3 in an array of 2 axes");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_argmax(NULL, NULL, &y));
	says("argmax: the array is NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_argmax(x, NULL, NULL));
	says("argmax: out is NULL");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_argmax_into(none, DPR_AXES(0), x));
	CHECK_FAILS(DPR_ERROR_SHAPE,
		    dpr_evaluate("1 + argmax(x)", NULL, &y, "x", none));
	says("expression, column 5: argmax: x has no elements along the axis, "
	     "so none has an index; give x an element there, or reduce another "
	     "axis");
	dpr_array_release(x);
	dpr_array_release(none);
}
END_TEST

static Suite *argmax(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("argmax");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, dtypes_and_axes, 0, DTYPES);
	tcase_add_loop_test(tcase, special_values, 0, SPECIAL);
	tcase_add_test(tcase, large_integers);
	tcase_add_test(tcase, layouts);
	tcase_add_test(tcase, many_axes);
	tcase_add_test(tcase, several_axes);
	tcase_add_test(tcase, one_element);
	tcase_add_loop_test(tcase, long_rows, 0, 4);
	tcase_add_loop_test(tcase, places, 0, POSITIONS);
	tcase_add_test(tcase, into_another_dtype);
	tcase_add_test(tcase, errors);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	int failed = run_on_selected(argmax, NULL);

	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return failed;
}
