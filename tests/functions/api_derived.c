/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_derived.c - the functions of kernels/derived.def: their values beside
 * loops in C, by axes and layouts, from C and in expressions; NaN and
 * infinities; and the texts of errors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

#define ROWS 7
#define COLUMNS 45
#define MOST (ROWS * COLUMNS)

/* --- The functions ------------------------------------------------------- */

typedef dpr_status (*making)(const dpr_array *, const dpr_axes *, dpr_array **);
typedef dpr_status (*writing)(const dpr_array *, const dpr_axes *, dpr_array *);

static dpr_status make_var(const dpr_array *x, const dpr_axes *axis,
			   dpr_array **out)
{
	return dpr_var(x, axis, 1, out);
}

static dpr_status write_var(const dpr_array *x, const dpr_axes *axis,
			    dpr_array *out)
{
	return dpr_var_into(x, axis, 1, out);
}

static dpr_status make_std(const dpr_array *x, const dpr_axes *axis,
			   dpr_array **out)
{
	return dpr_std(x, axis, 0, out);
}

static dpr_status write_std(const dpr_array *x, const dpr_axes *axis,
			    dpr_array *out)
{
	return dpr_std_into(x, axis, 0, out);
}

static dpr_status make_nanvar(const dpr_array *x, const dpr_axes *axis,
			      dpr_array **out)
{
	return dpr_nanvar(x, axis, 1, out);
}

static dpr_status write_nanvar(const dpr_array *x, const dpr_axes *axis,
			       dpr_array *out)
{
	return dpr_nanvar_into(x, axis, 1, out);
}

static dpr_status make_nanstd(const dpr_array *x, const dpr_axes *axis,
			      dpr_array **out)
{
	return dpr_nanstd(x, axis, 0, out);
}

static dpr_status write_nanstd(const dpr_array *x, const dpr_axes *axis,
			       dpr_array *out)
{
	return dpr_nanstd_into(x, axis, 0, out);
}

/* Values that a loop over @n elements collects. */
struct seen {
	double n, sum, squares, least, most, exponentials, mean, apart;
	double nonzero, numbers, number_sum, number_least, number_most;
	int least_at, most_at;
};

static struct seen see(const double *v, int n)
{
	struct seen s = { .n = n,
			  .least = v[0],
			  .most = v[0],
			  .number_least = NAN,
			  .number_most = NAN };

	for (int i = 0; i < n; i++) {
		s.sum += v[i];
		s.squares += v[i] * v[i];
		s.nonzero += v[i] != 0;
		s.least_at = v[i] < v[s.least_at] ? i : s.least_at;
		s.most_at = v[i] > v[s.most_at] ? i : s.most_at;
		s.least = v[i] < s.least || v[i] != v[i] ? v[i] : s.least;
		s.most = v[i] > s.most || v[i] != v[i] ? v[i] : s.most;
		s.number_least = fmin(s.number_least, v[i]);
		s.number_most = fmax(s.number_most, v[i]);
		s.numbers += v[i] == v[i];
		s.number_sum += v[i] == v[i] ? v[i] : 0;
	}
	s.mean = s.sum / n;
	for (int i = 0; i < n; i++) {
		s.apart += (v[i] - s.mean) * (v[i] - s.mean);
		s.exponentials += exp(v[i] - s.most);
	}
	return s;
}

/* The functions of @v, one of the elements in @s. */
#define OF(name, value)                                         \
	static double of_##name(const struct seen *s, double v) \
	{                                                       \
		(void)v;                                        \
		return value;                                   \
	}

OF(count_nonzero, s->nonzero)
OF(reduce_hypot, sqrt(s->squares))
OF(logsumexp, log(s->exponentials) + s->most)
OF(var, s->apart / (s->n - 1))
OF(std, sqrt(s->apart / s->n))
OF(ptp, s->most - s->least)
OF(nansum, s->number_sum)
OF(nanmean, s->number_sum / s->numbers)
OF(nanmin, s->number_least)
OF(nanmax, s->number_most)
OF(argmax, s->most_at)
OF(argmin, s->least_at)
/* No element is NaN. */
#define of_nanvar of_var
#define of_nanstd of_std

static double of_softmax(const struct seen *s, double v)
{
	return exp(v - s->most) / s->exponentials;
}

static double of_log_softmax(const struct seen *s, double v)
{
	return v - s->most - log(s->exponentials);
}

enum { REDUCES, CHOOSES, CORRECTS, ALONG };

static const struct {
	const char *name, *more; /* further arguments in an expression */
	making make;
	writing write;
	double (*of)(const struct seen *, double);
	int form;
} functions[] = {
#define CALL_REDUCES(name) "", dpr_##name, dpr_##name##_into
#define CALL_CHOOSES(name) CALL_REDUCES(name)
#define CALL_ALONG(name) "", dpr_##name, dpr_##name##_into
#define MORE_var ", correction=1"
#define MORE_std ""
#define MORE_nanvar ", correction=1"
#define MORE_nanstd ""
#define CALL_CORRECTS(name) MORE_##name, make_##name, write_##name
#define FUNCTION(name, form) { #name, CALL_##form(name), of_##name, form },
	DPR_DERIVED_MAP(FUNCTION)
#undef FUNCTION
};
#define FUNCTIONS ((int)(sizeof(functions) / sizeof(functions[0])))

/* --- Values -------------------------------------------------------------- */

/* Whether all of @n values are near @want. */
static int count_far(const double *have, const double *want, int n,
		     double allowed)
{
	int far = 0;

	for (int i = 0; i < n; i++)
		far += !(fabs(have[i] - want[i]) <=
			 allowed * (1 + fabs(want[i]))) &&
		       !(have[i] != have[i] && want[i] != want[i]) &&
		       have[i] != want[i];
	return far;
}

static int64_t read_doubles(dpr_array *x, double *out)
{
	dpr_array *all;
	const int64_t n = dpr_array_size(x);
	float single[MOST];

	CHECK_OK(dpr_astype(x,
			    dpr_array_dtype(x) == DPR_FLOAT64 ? DPR_FLOAT64
							      : DPR_FLOAT32,
			    &all));
	if (dpr_array_dtype(all) == DPR_FLOAT64) {
		CHECK_OK(dpr_array_to_memory(all, out, dpr_array_nbytes(all),
					     NULL));
	} else {
		CHECK_OK(
			dpr_array_to_memory(all, single, sizeof(single), NULL));
		for (int64_t i = 0; i < n; i++)
			out[i] = (double)single[i];
	}
	dpr_array_release(all);
	return n;
}

static dpr_array *table_of(const double *v, dpr_dtype dtype, bool transposed)
{
	float single[MOST];
	dpr_array *flat, *x, *out;

	for (int i = 0; i < MOST; i++)
		single[i] = (float)v[i];
	CHECK_OK(dpr_array_from_memory(single,
				       transposed ? DPR_SHAPE(COLUMNS, ROWS)
					      : DPR_SHAPE(ROWS, COLUMNS),
				       NULL, DPR_FLOAT32, test_queue, &flat));
	CHECK_OK(dpr_astype(flat, dtype, &x));
	dpr_array_release(flat);
	if (!transposed)
		return x;
	CHECK_OK(dpr_matrix_transpose(x, &out));
	dpr_array_release(x);
	return out;
}

/* The result of function @f by a loop.  axis -1: all.  Returns the number of
   values. */
static int loop(int f, const double v[ROWS][COLUMNS], int axis, double *out)
{
	const int results = axis < 0 ? 1 : axis ? ROWS : COLUMNS;
	const int length = MOST / results;
	int n = 0;

	for (int r = 0; r < results; r++) {
		double part[MOST];
		struct seen s;

		for (int i = 0; i < length; i++)
			part[i] = axis < 0 ? v[i / COLUMNS][i % COLUMNS]
				  : axis   ? v[r][i]
					   : v[i][r];
		s = see(part, length);
		if (functions[f].form != ALONG)
			out[n++] = functions[f].of(&s, 0);
		for (int i = 0; functions[f].form == ALONG && i < length; i++)
			out[axis ? r * length + i : i * COLUMNS + r] =
				functions[f].of(&s, part[i]);
	}
	return functions[f].form == ALONG ? MOST : n;
}

static void expect(int f, dpr_array *have, const double *want, int n, int rank,
		   const char *what)
{
	const dpr_dtype dtype = dpr_array_dtype(have);
	double found[MOST];

	ck_assert_int_eq(dpr_array_rank(have), rank);
	ck_assert_int_eq(read_doubles(have, found), n);
	ck_assert_msg(
		!count_far(found, want, n, dtype == DPR_FLOAT64 ? 1e-6 : 1e-4),
		"%s, %s: %g, not %g", functions[f].name, what, found[0],
		want[0]);
	dpr_array_release(have);
}

/* Check the function along an axis: alone, into an array, in expressions. */
static void check_axis(int f, dpr_array *x, const double v[ROWS][COLUMNS],
		       int axis)
{
	const int list[] = { axis - 2 };
	const dpr_axes axes = { .count = axis >= 0,
				.keepdims = 0,
				.axis = axis < 0 ? NULL : list };
	const dpr_axes kept = { .count = axis >= 0,
				.keepdims = 1,
				.axis = axis < 0 ? NULL : list };
	const bool along = functions[f].form == ALONG;
	char text[100], where[20] = "None";
	double want[MOST];
	const int n = loop(f, v, axis, want);
	const int rank = along ? 2 : axis < 0 ? 0 : 1;
	dpr_array *y, *z;

	CHECK_OK(functions[f].make(x, &axes, &y));
	CHECK_OK(dpr_zeros(dpr_shape_of(rank, dpr_array_shape(y)),
			   dpr_array_dtype(y), test_queue, &z));
	expect(f, y, want, n, rank, "new");
	CHECK_OK(functions[f].write(x, &axes, z));
	expect(f, z, want, n, rank, "into");
	CHECK_OK(functions[f].make(x, &kept, &y));
	expect(f, y, want, n, 2, "keepdims");
	if (axis >= 0)
		snprintf(where, sizeof(where), "(%d,)", axis - 2);
	snprintf(text, sizeof(text), "0 + %s(x, axis=%s%s)", functions[f].name,
		 where, functions[f].more);
	CHECK_OK(dpr_evaluate(text, NULL, &y, "x", x));
	expect(f, y, want, n, rank, text);
	if (along)
		return;
	snprintf(text, sizeof(text), "%s(x, %s, keepdims=True%s) - 0",
		 functions[f].name, where, functions[f].more);
	CHECK_OK(dpr_evaluate(text, NULL, &y, "x", x));
	expect(f, y, want, n, 2, text);
}

static void fill(double v[ROWS][COLUMNS])
{
	for (int i = 0; i < MOST; i++)
		v[i / COLUMNS][i % COLUMNS] = i * 37 % 101 / 16.0 - 3;
	v[1][5] = v[4][0] = 0;
}

START_TEST(values)
{
	double v[ROWS][COLUMNS], transposed[COLUMNS][ROWS];

	fill(v);
	for (int i = 0; i < MOST; i++)
		transposed[i % COLUMNS][i / COLUMNS] =
			v[i / COLUMNS][i % COLUMNS];
	if (leaves_out(_i, 5))
		return;
	for (int axis = -1; axis < 2; axis++) {
		dpr_array *x = table_of(v[0], DPR_FLOAT32, false);
		dpr_array *y = table_of(transposed[0], DPR_FLOAT32, true);

		check_axis(_i, x, v, axis);
		if (!takes_few())
			check_axis(_i, y, v, axis);
		dpr_array_release(x);
		dpr_array_release(y);
	}
	if (!takes_few() &&
	    dpr_dtype_default(test_device, 'f') == DPR_FLOAT64) {
		dpr_array *x = table_of(v[0], DPR_FLOAT64, false);

		check_axis(_i, x, v, 1);
		dpr_array_release(x);
	}
}
END_TEST

/* Integers are made floats where the result is no integer. */
START_TEST(integers)
{
	double v[ROWS][COLUMNS], want[MOST];
	dpr_array *x, *y;

	for (int i = 0; i < MOST; i++)
		v[i / COLUMNS][i % COLUMNS] = i * 37 % 11;
	if (takes_few())
		return;
	x = table_of(v[0], DPR_INT32, false);
	for (int f = 0; f < FUNCTIONS; f++) {
		const int n = loop(f, v, 1, want);

		CHECK_OK(functions[f].make(x, DPR_AXES(1), &y));
		expect(f, y, want, n, functions[f].form == ALONG ? 2 : 1,
		       "int32");
	}
	dpr_array_release(x);
}
END_TEST

/* --- Small dtypes --------------------------------------------------------- */

/* In these dtypes intermediate values would wrap or overflow. */
static const struct {
	making make;
	dpr_dtype dtype, result; /* result: DEFAULT is the device's float */
	double first, second;    /* the elements in turns */
	int n;
	double want;
} narrow[] = {
	{ dpr_logsumexp, DPR_UINT8, DPR_DTYPE_DEFAULT, 3, 0, 2, 3.0485873516 },
	{ dpr_logsumexp, DPR_INT8, DPR_DTYPE_DEFAULT, -128, 127, 2, 127 },
	{ dpr_logsumexp, DPR_UINT64, DPR_DTYPE_DEFAULT, 1, 0, 2, 1.3132616875 },
	{ dpr_logsumexp, DPR_FLOAT16, DPR_FLOAT16, 0, 0, 70000, 11.15625 },
	{ dpr_nanmean, DPR_INT8, DPR_DTYPE_DEFAULT, 1, 1, 200, 1 },
	{ dpr_nanmean, DPR_UINT8, DPR_DTYPE_DEFAULT, 255, 1, 256, 128 },
	{ dpr_nanmean, DPR_BOOL, DPR_DTYPE_DEFAULT, 1, 0, 4, 0.5 },
	{ dpr_nanmean, DPR_INT64, DPR_DTYPE_DEFAULT, 0x1p62, 0x1p62, 4,
	  0x1p62 },
	{ dpr_nanmean, DPR_FLOAT16, DPR_FLOAT16, 2000, 2000, 70000, 2000 },
	{ dpr_reduce_hypot, DPR_INT8, DPR_DTYPE_DEFAULT, -128, -128, 2,
	  181.0193359838 },
	{ dpr_reduce_hypot, DPR_FLOAT16, DPR_FLOAT16, 1, 1, 65536, 256 },
	{ make_var, DPR_FLOAT16, DPR_FLOAT16, 0, 0.25, 70000, 0.015625 },
	{ make_std, DPR_FLOAT16, DPR_FLOAT16, 0, 0.25, 70000, 0.125 },
	{ make_var, DPR_UINT8, DPR_DTYPE_DEFAULT, 0, 255, 2, 32512.5 },
	{ make_nanvar, DPR_UINT8, DPR_DTYPE_DEFAULT, 0, 255, 2, 32512.5 },
	{ make_nanvar, DPR_FLOAT16, DPR_FLOAT16, 0, 0.25, 70000, 0.015625 },
	{ make_nanstd, DPR_FLOAT16, DPR_FLOAT16, 0, 0.25, 70000, 0.125 },
	{ dpr_nanmin, DPR_INT8, DPR_INT8, 5, -128, 6, -128 },
	{ dpr_nanmax, DPR_UINT64, DPR_UINT64, 5, 0x1p63, 6, 0x1p63 },
	{ dpr_nanmax, DPR_INT16, DPR_INT16, -5, -7, 6, -5 },
	{ dpr_nanmin, DPR_BOOL, DPR_BOOL, 1, 0, 4, 0 },
	{ dpr_nanmin, DPR_BOOL, DPR_BOOL, 1, 1, 4, 1 },
	{ dpr_nanmax, DPR_BOOL, DPR_BOOL, 0, 1, 4, 1 },
	{ dpr_nanmax, DPR_BOOL, DPR_BOOL, 0, 0, 4, 0 },
};
#define NARROW ((int)(sizeof(narrow) / sizeof(narrow[0])))

START_TEST(small_dtypes)
{
	const double both[] = { narrow[_i].first, narrow[_i].second };
	const dpr_dtype usual = dpr_dtype_default(test_device, 'f');
	const dpr_dtype result = narrow[_i].result ? narrow[_i].result : usual;
	dpr_array *pair, *row, *x, *y;
	double have;

	if (leaves_out(_i, 6) || usual != DPR_FLOAT64)
		return;
	CHECK_OK(dpr_array_from_memory(both, DPR_SHAPE(2), NULL, DPR_FLOAT64,
				       test_queue, &pair));
	CHECK_OK(dpr_broadcast_to(pair, DPR_SHAPE(narrow[_i].n / 2, 2), &row));
	CHECK_OK(dpr_astype(row, narrow[_i].dtype, &x));
	CHECK_OK(narrow[_i].make(x, NULL, &y));
	ck_assert_int_eq(dpr_array_dtype(y), result);
	CHECK_OK(dpr_array_item_double(y, &have));
	ck_assert_msg(fabs(have - narrow[_i].want) <=
			      1e-3 * fabs(narrow[_i].want),
		      "case %d: %g, not %g", _i, have, narrow[_i].want);
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_array_release(row);
	dpr_array_release(pair);
}
END_TEST

/* Differences of unsigned numbers would wrap. */
START_TEST(softmax_of_unsigned)
{
	static const uint8_t numbers[] = { 1, 0, 3 };
	static const double want[] = { 0.1141952, 0.0420101, 0.8437947 };
	double have[3];
	dpr_array *x, *y, *z;

	if (dpr_dtype_default(test_device, 'f') != DPR_FLOAT64)
		return;
	CHECK_OK(dpr_array_from_memory(numbers, DPR_SHAPE(3), NULL, DPR_UINT8,
				       test_queue, &x));
	CHECK_OK(dpr_softmax(x, NULL, &y));
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	for (int i = 0; i < 3; i++)
		ck_assert(fabs(have[i] - want[i]) < 1e-6);
	CHECK_OK(dpr_log_softmax(x, NULL, &z));
	CHECK_OK(dpr_array_to_memory(z, have, sizeof(have), NULL));
	for (int i = 0; i < 3; i++)
		ck_assert(fabs(exp(have[i]) - want[i]) < 1e-6);
	dpr_array_release(z);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

static const struct {
	making make;
	float in[4], out;
} special[] = {
	{ dpr_reduce_hypot, { 3e38f, 3e38f, 0, 0 }, INFINITY },
	{ dpr_reduce_hypot, { 2e38f, -2e38f, 0, 0 }, 2.8284271e38f },
	{ dpr_reduce_hypot, { 3e-30f, 4e-30f, 0, 0 }, 5e-30f },
	{ dpr_reduce_hypot, { 0, 0, -0.0f, 0 }, 0 },
	{ dpr_reduce_hypot, { 1, -INFINITY, 0, 0 }, INFINITY },
	{ dpr_reduce_hypot, { 1, INFINITY, NAN, 0 }, NAN },
	{ dpr_logsumexp, { 1000, 1000, 1000, 1000 }, 1001.3863f },
	{ dpr_logsumexp,
	  { -INFINITY, -INFINITY, -INFINITY, -INFINITY },
	  -INFINITY },
	{ dpr_logsumexp, { INFINITY, 1, 2, -INFINITY }, INFINITY },
	{ dpr_logsumexp, { NAN, 1, 2, 3 }, NAN },
	{ make_var, { INFINITY, 1, 2, 3 }, NAN },
	{ make_std, { 5, 5, 5, 5 }, 0 },
	{ dpr_ptp, { INFINITY, 1, 2, -INFINITY }, INFINITY },
	{ dpr_ptp, { NAN, 1, 2, 3 }, NAN },
	{ dpr_nansum, { NAN, 1, NAN, 3 }, 4 },
	{ dpr_nansum, { NAN, NAN, NAN, NAN }, 0 },
	{ dpr_nansum, { NAN, 1, INFINITY, 3 }, INFINITY },
	{ dpr_nanmean, { NAN, 1, NAN, 3 }, 2 },
	{ dpr_nanmean, { NAN, NAN, NAN, NAN }, NAN },
	{ make_nanvar, { NAN, 1, NAN, 4 }, 4.5f },
	{ make_nanstd, { NAN, 1, NAN, 4 }, 1.5f },
	{ make_nanvar, { NAN, 1, NAN, NAN }, NAN },
	{ make_nanstd, { NAN, 1, NAN, NAN }, 0 },
	{ make_nanvar, { NAN, NAN, NAN, NAN }, NAN },
	{ make_nanvar, { NAN, 1, INFINITY, 4 }, NAN },
	{ dpr_nanmin, { NAN, 1, NAN, -3 }, -3 },
	{ dpr_nanmin, { NAN, NAN, NAN, NAN }, NAN },
	{ dpr_nanmin, { INFINITY, NAN, INFINITY, NAN }, INFINITY },
	{ dpr_nanmax, { NAN, 1, NAN, -3 }, 1 },
	{ dpr_nanmax, { NAN, NAN, NAN, NAN }, NAN },
	{ dpr_nanmax, { -INFINITY, NAN, NAN, NAN }, -INFINITY },
};
#define SPECIAL ((int)(sizeof(special) / sizeof(special[0])))

START_TEST(special_values)
{
	dpr_array *x, *y;
	double have, want = (double)special[_i].out;

	if (leaves_out(_i, 7))
		return;
	CHECK_OK(dpr_array_from_memory(special[_i].in, DPR_SHAPE(4), NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(special[_i].make(x, NULL, &y));
	ck_assert_int_eq(read_doubles(y, &have), 1);
	ck_assert_msg(!count_far(&have, &want, 1, 0) ||
			      fabs(have - want) <= 1e-6 * fabs(want),
		      "%g, not %g", have, want);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

START_TEST(complex_numbers)
{
	const float data[] = { 3, 4, 0, -2, 1, 0, 0, 0 };
	dpr_array *x, *y;
	double have, want;

	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(4), NULL, DPR_COMPLEX64,
				       test_queue, &x));
	CHECK_OK(dpr_reduce_hypot(x, NULL, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_FLOAT32);
	(void)read_doubles(y, &have);
	want = sqrt(30);
	ck_assert_int_eq(count_far(&have, &want, 1, 1e-6), 0);
	dpr_array_release(y);
	CHECK_OK(dpr_count_nonzero(x, NULL, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_INT64);
	(void)read_doubles(y, &have);
	ck_assert(have == 3);
	dpr_array_release(y);
	/* The mean is 1 + i/2; the squared distances add up to 25. */
	CHECK_OK(dpr_var(x, NULL, 0, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_FLOAT32);
	(void)read_doubles(y, &have);
	want = 25 / 4.0;
	ck_assert_int_eq(count_far(&have, &want, 1, 1e-6), 0);
	dpr_array_release(y);
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_softmax(x, NULL, &y));
	ck_assert_str_eq(dpr_last_error(), "softmax: does not take complex64");
	dpr_array_release(x);
}
END_TEST

/* --- No elements, one element -------------------------------------------- */

START_TEST(nothing)
{
	dpr_array *x, *y;
	double have[3];

	CHECK_OK(dpr_zeros(DPR_SHAPE(3, 0), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_count_nonzero(x, DPR_AXES(1), &y));
	ck_assert_int_eq(read_doubles(y, have), 3);
	ck_assert(have[0] == 0 && have[2] == 0);
	dpr_array_release(y);
	CHECK_OK(dpr_std(x, DPR_AXES(1), 0, &y));
	ck_assert_int_eq(read_doubles(y, have), 3);
	ck_assert(isnan(have[0]) && isnan(have[2]));
	dpr_array_release(y);
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_logsumexp(x, DPR_AXES(1), &y));
	ck_assert_str_eq(dpr_last_error(),
			 "logsumexp: undefined for an empty axis; the reduced "
			 "axes have extent 0");
	CHECK_OK(dpr_ptp(x, DPR_AXES(0), &y));
	ck_assert_int_eq(dpr_array_size(y), 0);
	dpr_array_release(y);
	dpr_array_release(x);
	CHECK_OK(dpr_full(DPR_SCALAR_SHAPE, 3, DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_std(x, NULL, 1, &y));
	ck_assert_int_eq(read_doubles(y, have), 1);
	ck_assert(isnan(have[0]));
	dpr_array_release(y);
	CHECK_OK(dpr_softmax(x, NULL, &y));
	ck_assert_int_eq(dpr_array_rank(y), 0);
	ck_assert_int_eq(read_doubles(y, have), 1);
	ck_assert(have[0] == 1);
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
	dpr_array *x, *flags, *y, *z;

	CHECK_OK(dpr_ones(DPR_SHAPE(2, 3), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_ones(DPR_SHAPE(2), DPR_BOOL, test_queue, &flags));
	CHECK_OK(dpr_ones(DPR_SHAPE(2), DPR_FLOAT32, test_queue, &z));
	y = x;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_var(NULL, NULL, 0, &y));
	says("var: the array is NULL");
	ck_assert_ptr_null(y);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_ptp(x, NULL, NULL));
	says("ptp: out is NULL");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_ptp_into(x, NULL, NULL));
	says("ptp: out is NULL");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_std(x, DPR_AXES(2), 0, &y));
	says("std: there is no axis 2 in an array of 2 axes");
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_nanmin(x, DPR_AXES(0, -2), &y));
	says("nanmin: axis -2 is named twice");
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_ptp(flags, NULL, &y));
	says("ptp: does not take bool");
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_logsumexp_into(x, DPR_AXES(0), z));
	ck_assert(!strncmp(dpr_last_error(), "logsumexp: ", 11));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_logsumexp_into(x, DPR_AXES(1), flags));
	ck_assert(!strncmp(dpr_last_error(), "logsumexp: ", 11));
	CHECK_FAILS(DPR_ERROR_INDEX,
		    dpr_evaluate("1 + var(x, axis=7)", NULL, &y, "x", x));
	says("expression, column 5: var: there is no axis 7 in an array of 2 "
	     "axes");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("std(x, corection=1)", NULL, &y, "x", x));
	ck_assert_str_eq(dpr_expression_nearest(), "correction");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("var(x, correction=x)", NULL, &y, "x", x));
	says("expression, column 5: var: correction is not a real number");
	/* Functions that only the texts of the table may call. */
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_evaluate("dtype_of(x)", NULL, &y, "x", x));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_expression_define("softmax(x) = x"));
	says("expression, column 1: softmax is a built-in function");
	dpr_array_release(z);
	dpr_array_release(flags);
	dpr_array_release(x);
}
END_TEST

/* A function of the program may call them, and its parameters may have the
   names of theirs. */
START_TEST(in_definitions)
{
	dpr_array *x, *y, *z;
	double have;

	CHECK_OK(dpr_arange(0, 12, 1, DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_expression_define(
		"scaled(m, axis) = d = m - mean(m); d / std(d, axis=axis)"));
	CHECK_OK(dpr_evaluate("scaled(x, axis=0)", NULL, &y, "x", x));
	CHECK_OK(dpr_expression_undefine("scaled"));
	CHECK_OK(dpr_std(y, NULL, 0, &z));
	ck_assert_int_eq(read_doubles(z, &have), 1);
	ck_assert(fabs(have - 1) < 1e-5);
	dpr_array_release(z);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* An argument that the kernel of another step has computed. */
START_TEST(computed_before)
{
	double have;
	dpr_array *x, *y;

	CHECK_OK(dpr_arange(0, 12, 1, DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_evaluate("e = exp(x - 11); r = reshape(e + 1, 12);"
			      "sum(r) + 0*var(e) + 0*nanmean(e)",
			      NULL, &y, "x", x));
	ck_assert_int_eq(read_doubles(y, &have), 1);
	ck_assert(fabs(have - 13.581967) < 1e-3);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* A number is an array without axes.  main() finds what is not released. */
START_TEST(numbers)
{
	double have;
	dpr_array *x, *y;

	CHECK_OK(dpr_zeros(DPR_SHAPE(1), DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_evaluate("x + var(3) + std(2) + nanmean(4.5) + "
			      "softmax(7) + logsumexp(2.25) + nanmin(0.5)",
			      NULL, &y, "x", x));
	CHECK_OK(dpr_array_item_double(y, &have));
	ck_assert(fabs(have - 8.25) < 1e-5);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* --- Traces -------------------------------------------------------------- */

static const char *program;

/* The calls to trace, made in the child of one_call(). */
static int trace_one_call(void)
{
	dpr_array *x, *y;
	dpr_queue *queue;

	if (dpr_canonical_queue("host", &queue))
		return 77;
	if (dpr_ones(DPR_SHAPE(2, 3), DPR_FLOAT32, queue, &x) ||
	    dpr_std(x, DPR_AXES(1), 0, &y))
		return 1;
	dpr_array_release(y);
	dpr_array_release(x);
	return dpr_finalize() != DPR_OK;
}

/* A trace has one call, and its kernel has the function's name. */
START_TEST(one_call)
{
	static char text[100000];
	char file[] = "/tmp/dpr-derived.XXXXXX";
	const int fd = mkstemp(file);
	pid_t child;
	ssize_t n;
	int how;

	ck_assert_int_ge(fd, 0);
	child = fork();
	if (!child) {
		setenv("DPR_LAYERS", "trace", 1);
		setenv("DPR_TRACE", file, 1);
		execl(program, program, "--trace", (char *)NULL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(child, &how, 0), child);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	unlink(file);
	if (WIFEXITED(how) && WEXITSTATUS(how) == 77)
		return;
	ck_assert_int_eq(how, 0);
	ck_assert_int_gt(n, 0);
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"dpr_std\""));
	ck_assert_ptr_nonnull(
		strstr(text, "\"cat\":\"kernel\",\"name\":\"std\""));
	ck_assert_ptr_null(strstr(text, "dpr_array_index"));
}
END_TEST

static Suite *derived(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("derived");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, values, 0, FUNCTIONS);
	tcase_add_test(tcase, integers);
	tcase_add_loop_test(tcase, small_dtypes, 0, NARROW);
	tcase_add_test(tcase, softmax_of_unsigned);
	tcase_add_loop_test(tcase, special_values, 0, SPECIAL);
	tcase_add_test(tcase, complex_numbers);
	tcase_add_test(tcase, nothing);
	tcase_add_test(tcase, errors);
	tcase_add_test(tcase, in_definitions);
	tcase_add_test(tcase, computed_before);
	tcase_add_test(tcase, numbers);
	tcase_add_test(tcase, one_call);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(int argc, char **argv)
{
	int failed;

	program = argv[0];
	if (argc > 1 && !strcmp(argv[1], "--trace"))
		return trace_one_call();
	failed = run_on_selected(derived, NULL);
	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return failed;
}
