/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_rows.c - one operation on rows of every length and layout, compared with
 * plain C: the rest of a row, one value for a row, and a result that is an
 * operand.  Also sums of many short rows and of their products, sums over more
 * memory than a cache has, and extremes and a NaN at each place of a long row.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

enum { ROWS = 3, LONGEST = 1100 };

/* How an operand lies in memory. */
enum layout {
	LAYOUT_WHOLE,
	LAYOUT_ROW,    /* one row, for all rows */
	LAYOUT_COLUMN, /* one value for a row */
	LAYOUT_NUMBER, /* no array */
	LAYOUT_PADDED, /* a part of longer rows */
	LAYOUT_SECOND, /* every second element */
	LAYOUT_TRANSPOSED,
	LAYOUT_BACK, /* from the last element to the first */
	LAYOUTS
};

/* An operand, and what it has at each place. */
struct operand {
	enum layout layout;
	dpr_array *memory, *x;
	double value[ROWS * LONGEST];
};

static const int64_t odd_lengths[] = { 255, 256,  257,  288,
				       316, 1023, 1024, LONGEST };
enum { SHORT = 70 };

static int64_t length_of(int i)
{
	return i < SHORT ? i + 1 : odd_lengths[i - SHORT];
}

/* A value for place @i, which every dtype holds. */
static double value_of(int64_t i, int which)
{
	return (double)((i * 7 + which * 5) % 50 + 1);
}

static void make_memory(struct operand *o, dpr_dtype dtype, int64_t rows,
			int64_t columns, int which)
{
	double *values =
		malloc(sizeof(*values) * (size_t)rows * (size_t)columns);
	dpr_array *wide;

	ck_assert_ptr_nonnull(values);
	for (int64_t i = 0; i < rows * columns; i++)
		values[i] = value_of(i, which);
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(rows, columns), NULL,
				       DPR_FLOAT64, test_queue, &wide));
	CHECK_OK(dpr_astype(wide, dtype, &o->memory));
	dpr_array_release(wide);
	free(values);
}

/* Make the view of the memory, which has @n elements in a row, and read it. */
static void make_view(struct operand *o, int64_t n)
{
	dpr_array *all, *wide;

	switch (o->layout) {
	case LAYOUT_PADDED:
		CHECK_OK(dpr_array_view(o->memory, &o->x, DPR_ALL,
					DPR_SLICE(2, n + 2, 1)));
		break;
	case LAYOUT_SECOND:
		CHECK_OK(dpr_array_view(o->memory, &o->x, DPR_ALL,
					DPR_SLICE(1, 2 * n, 2)));
		break;
	case LAYOUT_TRANSPOSED:
		CHECK_OK(dpr_matrix_transpose(o->memory, &o->x));
		break;
	case LAYOUT_BACK:
		CHECK_OK(dpr_array_view(o->memory, &o->x,
					DPR_SLICE(DPR_OPEN, DPR_OPEN, -1),
					DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
		break;
	case LAYOUT_WHOLE:
	case LAYOUT_ROW:
	case LAYOUT_COLUMN:
	case LAYOUT_NUMBER:
	case LAYOUTS: o->x = dpr_array_retain(o->memory); break;
	}
	CHECK_OK(dpr_broadcast_to(o->x, DPR_SHAPE(ROWS, n), &all));
	CHECK_OK(dpr_astype(all, DPR_FLOAT64, &wide));
	CHECK_OK(dpr_array_to_memory(wide, o->value, dpr_array_nbytes(wide),
				     NULL));
	dpr_array_release(wide);
	dpr_array_release(all);
}

static void make_operand(struct operand *o, enum layout layout, dpr_dtype dtype,
			 int64_t n, int which)
{
	const bool is_one = layout == LAYOUT_NUMBER;
	const int64_t rows = is_one || layout == LAYOUT_ROW ? 1 : ROWS;
	const int64_t columns = is_one || layout == LAYOUT_COLUMN ? 1
				: layout == LAYOUT_PADDED         ? n + 5
				: layout == LAYOUT_SECOND         ? 2 * n
								  : n;

	o->layout = layout;
	if (layout == LAYOUT_TRANSPOSED)
		make_memory(o, dtype, n, ROWS, which);
	else
		make_memory(o, dtype, rows, columns, which);
	make_view(o, n);
}

static void drop_operand(struct operand *o)
{
	dpr_array_release(o->x);
	dpr_array_release(o->memory);
}

static dpr_operand operand_of(const struct operand *o)
{
	return o->layout == LAYOUT_NUMBER ? dpr_operand_float(o->value[0])
					  : dpr_operand_array(o->x);
}

/* Compare @have with @x - @y, or with x < y. */
static void check(const struct operand *x, const struct operand *y,
		  dpr_array *have, int64_t n, bool is_less)
{
	static double found[ROWS * LONGEST];
	dpr_array *wide;

	CHECK_OK(dpr_astype(have, DPR_FLOAT64, &wide));
	CHECK_OK(dpr_array_to_memory(wide, found, sizeof(found), NULL));
	dpr_array_release(wide);
	for (int64_t i = 0; i < ROWS * n; i++) {
		const double want = is_less ? x->value[i] < y->value[i]
					    : x->value[i] - y->value[i];

		if (found[i] != want)
			ck_abort_msg(
				"%s of %s, layouts %d and %d, length %lld: "
				"element %lld is %g, not %g",
				is_less ? "less" : "subtract",
				dpr_dtype_name(dpr_array_dtype(x->x)),
				x->layout, y->layout, (long long)n,
				(long long)i, found[i], want);
	}
}

/* Integers are refused as operands of the other kind: pass whole numbers. */
static dpr_operand whole_number(dpr_operand x, dpr_dtype dtype)
{
	return x.kind == DPR_OPERAND_FLOAT && dpr_dtype_kind(dtype) == 'i'
		       ? dpr_operand_int((int64_t)x.as.f)
		       : x;
}

static void try_pair(const struct operand *x, const struct operand *y,
		     dpr_dtype dtype, int64_t n)
{
	const dpr_operand a = whole_number(operand_of(x), dtype);
	const dpr_operand b = whole_number(operand_of(y), dtype);
	dpr_array *out;

	CHECK_OK((dpr_less)(a, b, &out));
	if (dpr_array_size(out) == ROWS * n)
		check(x, y, out, n, true);
	dpr_array_release(out);
	CHECK_OK((dpr_subtract)(a, b, &out));
	if (dpr_array_size(out) == ROWS * n)
		check(x, y, out, n, false);
	dpr_array_release(out);
}

/* Let the result be the first operand; this changes @x. */
static void try_in_place(const struct operand *x, const struct operand *y,
			 dpr_dtype dtype, int64_t n)
{
	const dpr_operand b = whole_number(operand_of(y), dtype);

	CHECK_OK((dpr_subtract_into)(dpr_operand_array(x->x), b, x->x));
	check(x, y, x->x, n, false);
}

START_TEST(rows)
{
	static const dpr_dtype dtypes[] = { DPR_FLOAT32, DPR_INT8, DPR_FLOAT16,
					    DPR_FLOAT64 };
	static struct operand x, y;
	const dpr_dtype dtype = dtypes[_i];
	const int step = getenv("DPR_TEST_SMALL") ? 9 : 1;
	const int lengths = SHORT + sizeof(odd_lengths) / sizeof(*odd_lengths);

	for (int i = 0; i < lengths; i += step)
		for (int pair = 0; pair < LAYOUTS * LAYOUTS; pair++) {
			const enum layout first = pair % LAYOUTS;
			const enum layout second = pair / LAYOUTS;
			const int64_t n = length_of(i);

			if (first == LAYOUT_NUMBER && second == LAYOUT_NUMBER)
				continue;
			make_operand(&x, first, dtype, n, 0);
			make_operand(&y, second, dtype, n, 1);
			try_pair(&x, &y, dtype, n);
			if (first != LAYOUT_ROW && first != LAYOUT_COLUMN &&
			    first != LAYOUT_NUMBER)
				try_in_place(&x, &y, dtype, n);
			drop_operand(&y);
			drop_operand(&x);
		}
}
END_TEST

/* --- Sums of short rows --------------------------------------------------- */

enum { MANY = 301, MOST = 600 };

/* MANY rows of @n elements: a view of @m rows of @columns elements.  In memory
   the elements of the view are @step elements apart. */
static dpr_array *rows_of(const float *values, int64_t m, int64_t columns,
			  int64_t n, int64_t step)
{
	dpr_array *memory, *view, *all;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(m, columns), NULL,
				       DPR_FLOAT32, test_queue, &memory));
	CHECK_OK(dpr_array_view(memory, &view, DPR_ALL,
				DPR_SLICE(0, (n - 1) * step + 1, step)));
	CHECK_OK(dpr_broadcast_to(view, DPR_SHAPE(MANY, n), &all));
	dpr_array_release(view);
	dpr_array_release(memory);
	return all;
}

/* Check the sums of the rows @b, whose elements are @step apart, or of their
   products with the rows @a, and release the array @sums.  All are exact. */
static void check_sums(dpr_array *sums, const float *a, const float *b,
		       int64_t n, int64_t columns, int64_t step)
{
	static float found[MANY];

	CHECK_OK(dpr_array_to_memory(sums, found, sizeof(found), NULL));
	dpr_array_release(sums);
	for (int64_t r = 0; r < MANY; r++) {
		double want = 0;

		for (int64_t k = 0; k < n; k++)
			want += (a ? (double)a[r * n + k] : 1) *
				(double)b[r * columns + k * step];
		if ((double)found[r] != want)
			ck_abort_msg(
				"%s of %lld elements, row %lld: %g, not %g",
				a ? "products" : "sum", (long long)n,
				(long long)r, (double)found[r], want);
	}
}

/* Sums of rows, and of products of rows, in several layouts. */
START_TEST(sums_of_rows)
{
	static const int64_t lengths[] = { 1,   31,  32,  33,  48,  64,  100,
					   127, 128, 255, 511, 512, 513, MOST };
	static const int64_t layouts[][3] = {
		/* rows, more columns, and the step */
		{ MANY, 0, 1 },
		{ MANY, 3, 1 },
		{ 1, 0, 1 },
		{ MANY, MOST + 1, 2 },
	};
	static float v[MANY * (2 * MOST + 1)];
	const int64_t n = lengths[_i / 4], *layout = layouts[_i % 4];
	const int64_t columns = n + (layout[1] > 3 ? n + 1 : layout[1]);
	const int64_t follow = layout[0] > 1 ? columns : 0;
	dpr_array *x, *y, *sums;

	for (int64_t i = 0; i < MANY * (2 * MOST + 1); i++)
		v[i] = (float)value_of(i, 0);
	x = rows_of(v, MANY, n, n, 1);
	y = rows_of(v, layout[0], columns, n, layout[2]);
	CHECK_OK(dpr_vecdot(x, y, -1, &sums));
	check_sums(sums, v, v, n, follow, layout[2]);
	CHECK_OK(dpr_sum(y, DPR_AXES(1), &sums));
	check_sums(sums, NULL, v, n, follow, layout[2]);
	dpr_array_release(x);
	dpr_array_release(y);
}
END_TEST

/* The minimum and the maximum of @x must be these, or NaN. */
static void check_extremes(const dpr_array *x, double low, double high)
{
	dpr_array *out, *wide;
	double found;

	for (int i = 0; i < 2; i++) {
		const double want = i ? high : low;

		CHECK_OK((i ? dpr_max : dpr_min)(x, NULL, &out));
		CHECK_OK(dpr_astype(out, DPR_FLOAT64, &wide));
		CHECK_OK(
			dpr_array_to_memory(wide, &found, sizeof(found), NULL));
		ck_assert_msg(isnan(want) ? isnan(found) : found == want,
			      "%s is %g, not %g", i ? "max" : "min", found,
			      want);
		dpr_array_release(wide);
		dpr_array_release(out);
	}
}

static void check_values(const double *value, int n, dpr_dtype dtype,
			 double low, double high)
{
	dpr_array *x, *wide;

	CHECK_OK(dpr_array_from_memory(value, DPR_SHAPE(n), NULL, DPR_FLOAT64,
				       test_queue, &wide));
	CHECK_OK(dpr_astype(wide, dtype, &x));
	check_extremes(x, low, high);
	dpr_array_release(x);
	dpr_array_release(wide);
}

START_TEST(extremes_anywhere)
{
	static const dpr_dtype dtypes[] = { DPR_FLOAT32, DPR_FLOAT64,
					    DPR_FLOAT16, DPR_BFLOAT16 };
	enum { N = 4133 };
	static double value[N];

	for (int i = 0; i < N; i++)
		value[i] = i % 251 - 125;
	/* The last ones are behind the last four rows of lanes. */
	for (int place = 0; place < N; place += place < 4080 ? 61 : 1) {
		const double kept = value[place];

		value[place] = NAN;
		check_values(value, N, dtypes[_i], (double)NAN, (double)NAN);
		value[place] = -1000;
		check_values(value, N, dtypes[_i], -1000, 125);
		value[place] = 1000;
		check_values(value, N, dtypes[_i], -125, 1000);
		value[place] = kept;
	}
}
END_TEST

/* Values that are computed of more memory than the cache of a core has are
   reduced along each axis.  x[i, j] is (WIDE*i + j) % 1009, as an int32. */
START_TEST(more_than_a_cache)
{
	enum { HIGH = 1027, WIDE = 1031 };
	static int64_t want[3][WIDE], have[WIDE];
	static const int64_t length[] = { WIDE, HIGH, 1 };
	static const char *const text[] = { "sum(x*x - 1, axis=0)",
					    "sum(x*x - 1, axis=1)",
					    "sum(x*x - 1)" };
	dpr_array *line, *x, *sum = NULL;

	for (int64_t i = 0; i < HIGH; i++)
		for (int64_t j = 0; j < WIDE; j++) {
			const int64_t value = (WIDE * i + j) % 1009;

			want[0][j] += value * value - 1;
			want[1][i] += value * value - 1;
			want[2][0] += value * value - 1;
		}
	CHECK_OK(dpr_arange(0, HIGH * WIDE, 1, DPR_INT32, test_queue, &line));
	CHECK_OK(dpr_remainder_into(line, 1009, line));
	CHECK_OK(dpr_reshape(line, DPR_SHAPE(HIGH, WIDE), &x));
	for (int k = 0; k < 3; k++) {
		CHECK_OK(dpr_evaluate(text[k], NULL, &sum, "x", x));
		ck_assert_int_eq(dpr_array_size(sum), length[k]);
		CHECK_OK(dpr_array_to_memory(sum, have, sizeof(have), NULL));
		ck_assert(!memcmp(have, want[k],
				  (size_t)length[k] * sizeof(have[0])));
		dpr_array_release(sum);
		sum = NULL;
	}
	dpr_array_release(x);
	dpr_array_release(line);
}
END_TEST

static Suite *rows_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("rows");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, rows, 0, 4);
	tcase_add_loop_test(tcase, sums_of_rows, 0, 56);
	tcase_add_loop_test(tcase, extremes_anywhere, 0, 4);
	tcase_add_test(tcase, more_than_a_cache);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(int argc, char **argv)
{
	return run_on_selected(rows_suite, argc > 1 ? argv[1] : "host");
}
