/* SPDX-License-Identifier: Apache-2.0 */
/* api_short_rows.c - many short rows beside one row that is the same for all.
   The values are compared with those of a whole array in place of this row. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

static const int64_t lengths[] = { 2, 3, 5, 7, 16, 63, 64, 65, 100 };
#define LENGTHS ((int)(sizeof(lengths) / sizeof(lengths[0])))

static const dpr_dtype dtypes[] = { DPR_INT8, DPR_FLOAT16, DPR_FLOAT32,
				    DPR_COMPLEX64 };
#define DTYPES ((int)(sizeof(dtypes) / sizeof(dtypes[0])))

/* The last one has a fast path that large numbers do not take. */
static const char *const texts[] = { "x + y", "x*y - x", "y == x",
				     "sin(x*y*y)" };
#define TEXTS ((int)(sizeof(texts) / sizeof(texts[0])))

/* @length elements of each of the rows: the first elements, every second
   element, or the elements from the last one on. */
static dpr_array *make_row(dpr_dtype dtype, int64_t length, int how)
{
	dpr_array *numbers, *all, *row;
	const dpr_index part = how == 0   ? DPR_SLICE(1, length + 1, 1)
			       : how == 1 ? DPR_SLICE(0, 2 * length, 2)
					  : DPR_SLICE(length - 1, DPR_OPEN, -1);

	CHECK_OK(dpr_arange(1, 2 * length + 2, 1, DPR_FLOAT32, test_queue,
			    &numbers));
	CHECK_OK(dpr_astype(numbers, dtype, &all));
	CHECK_OK(dpr_array_view(all, &row, part));
	ck_assert_int_eq(dpr_array_size(row), length);
	dpr_array_release(numbers);
	dpr_array_release(all);
	return row;
}

/* @rows x @length elements, which begin off the allocation's begin. */
static dpr_array *make_rows(dpr_dtype dtype, int64_t rows, int64_t length)
{
	dpr_array *numbers, *small, *all, *part, *shaped;

	CHECK_OK(dpr_arange(0, rows * length + 1, 1, DPR_INT32, test_queue,
			    &numbers));
	CHECK_OK(dpr_remainder(numbers, 113, &small));
	CHECK_OK(dpr_astype(small, dtype, &all));
	CHECK_OK(dpr_array_view(all, &part, DPR_SLICE(1, DPR_OPEN, 1)));
	CHECK_OK(dpr_reshape(part, DPR_SHAPE(rows, length), &shaped));
	dpr_array_release(numbers);
	dpr_array_release(small);
	dpr_array_release(all);
	dpr_array_release(part);
	return shaped;
}

static void compare(const char *text, dpr_array *row, dpr_array *y)
{
	dpr_array *wide, *whole, *have, *want;
	size_t size;
	void *a, *b;

	CHECK_OK(dpr_broadcast_to(row, dpr_shape_of(2, dpr_array_shape(y)),
				  &wide));
	CHECK_OK(dpr_copy(wide, &whole));
	CHECK_OK(dpr_evaluate(text, NULL, &have, "x", row, "y", y));
	CHECK_OK(dpr_evaluate(text, NULL, &want, "x", whole, "y", y));
	size = (size_t)dpr_array_size(want) * dpr_array_itemsize(want);
	a = malloc(size);
	b = malloc(size);
	ck_assert(a && b);
	CHECK_OK(dpr_array_to_memory(have, a, dpr_array_nbytes(have), NULL));
	CHECK_OK(dpr_array_to_memory(want, b, dpr_array_nbytes(want), NULL));
	ck_assert_msg(!memcmp(a, b, size), "%s of %s, rows of %d", text,
		      dpr_dtype_name(dpr_array_dtype(y)),
		      (int)dpr_array_size(row));
	free(a);
	free(b);
	dpr_array_release(wide);
	dpr_array_release(whole);
	dpr_array_release(have);
	dpr_array_release(want);
}

/* The numbers of rows: too few to be taken together, less than a work-item
   takes, and several work-items with a rest. */
START_TEST(one_row_for_many)
{
	static const int64_t counts[] = { 200, 257, 2900 };
	const dpr_dtype dtype = dtypes[_i % DTYPES];
	const int64_t length = lengths[_i / DTYPES];
	const int text = (_i + _i / DTYPES) % TEXTS;

	if (leaves_out(_i, 5))
		return;
	if ((dtype == DPR_INT8 || dtype == DPR_COMPLEX64) && text == 3)
		return;
	for (int k = 0; k < 3; k++) {
		dpr_array *row = make_row(dtype, length, k);
		dpr_array *y = make_rows(dtype, counts[k], length);

		compare(texts[text], row, y);
		dpr_array_release(row);
		row = make_row(dtype, length, (k + _i) % 3);
		compare("x + y", row, y);
		dpr_array_release(row);
		dpr_array_release(y);
	}
}
END_TEST

static Suite *rows_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("short rows");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, one_row_for_many, 0, LENGTHS * DTYPES);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(rows_suite, NULL);
}
