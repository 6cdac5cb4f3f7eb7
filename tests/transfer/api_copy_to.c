/* SPDX-License-Identifier: Apache-2.0 */
/* api_copy_to.c - assigning to views on other queues and devices: the halos of
   a grid by rows and by columns, with the memory needed, and any layouts. */
#include <check.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"
#include "tests/support/layouts.h"
#include "tests/support/random.h"

#define ROWS 60
#define COLUMNS 50

static dpr_device *all[MAX_DEVICES];
static size_t n_all;

/* Make a grid on @queue whose elements count from @first on. */
static dpr_array *grid(dpr_queue *queue, int first)
{
	static int32_t values[ROWS * COLUMNS];
	dpr_array *x;

	for (int i = 0; i < ROWS * COLUMNS; i++)
		values[i] = first + i;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_INT32, queue, &x));
	return x;
}

/* How many allocations in DEVICE memory the device of @x has made. */
static uint64_t count_allocations(const dpr_array *x)
{
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };

	CHECK_OK(dpr_pool_get_stats(dpr_array_device(x), DPR_USM_DEVICE,
				    &stats));
	return stats.requests;
}

/* Copy @value into @view, which takes at most @most new arrays. */
static void exchange(dpr_array *view, const dpr_array *value, uint64_t most)
{
	const bool same = dpr_array_device(view) == dpr_array_device(value);
	const uint64_t to = count_allocations(view),
		       from = count_allocations(value);
	uint64_t made;

	CHECK_OK(dpr_array_copy_to(view, value));
	made = count_allocations(view) - to;
	if (!same)
		made += count_allocations(value) - from;
	ck_assert_msg(made <= most, "%s to %s: %d new arrays",
		      dpr_queue_name(dpr_array_queue(value)),
		      dpr_queue_name(dpr_array_queue(view)), (int)made);
}

/* Check that @x counts from @first on, except for line @line of axis @axis.
   There @x has line @other of a grid that counts from @second on. */
static void check_grid(const dpr_array *x, int first, int axis, int line,
		       int other, int second)
{
	static int32_t have[ROWS][COLUMNS];
	int bad = 0;

	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < COLUMNS; k++) {
			int32_t want = first + i * COLUMNS + k;

			if (!axis && i == line)
				want = second + other * COLUMNS + k;
			if (axis && k == line)
				want = second + i * COLUMNS + other;
			bad += have[i][k] != want;
		}
	ck_assert_int_eq(bad, 0);
}

/* Exchange halos between grids on @a and @b, by rows and by columns. */
static void check_halos(dpr_queue *a, dpr_queue *b)
{
	dpr_array *x, *y, *to, *from;

	for (int axis = 0; axis < 2; axis++) {
		const int last = (axis ? COLUMNS : ROWS) - 2;
		uint64_t most = 0;

		x = grid(a, 0);
		y = grid(b, 10000);
		if (axis) {
			CHECK_OK(dpr_array_view(x, &from, DPR_ALL,
						DPR_AT(last)));
			CHECK_OK(dpr_array_view(y, &to, DPR_ALL, DPR_AT(0)));
			/* One for each side, unless kernels or the host reach
			   both. */
			if (dpr_device_root(dpr_queue_device(a)) !=
				    dpr_device_root(dpr_queue_device(b)) &&
			    !(dpr_array_data(x) && dpr_array_data(y)))
				most = 2;
		} else {
			CHECK_OK(dpr_array_view(x, &from, DPR_AT(last)));
			CHECK_OK(dpr_array_view(y, &to, DPR_AT(0)));
		}
		exchange(to, from, most);
		/* A later write of the source does not reach the copy. */
		CHECK_OK(dpr_copy_into(x, 7));
		check_grid(y, 10000, axis, 0, last, 0);
		dpr_array_release(to);
		dpr_array_release(from);
		dpr_array_release(x);
		dpr_array_release(y);
	}
}

START_TEST(halos_by_rows_and_columns)
{
	dpr_queue *other;

	CHECK_OK(dpr_queue_create(test_device, 0, &other));
	check_halos(test_queue, other);
	check_halos(test_queue, test_queue);
	for (size_t i = 0; i < n_all; i++)
		check_halos(other, queue_of(all[i]));
	dpr_queue_release(other);
}
END_TEST

/* Copy @value into each layout of an array on @queue, and compare with a copy
   on that queue. */
static void check_layouts(const dpr_array *value, dpr_queue *queue)
{
	static int32_t zeros[LAYOUTS_ELEMENTS], want[LAYOUTS_ELEMENTS],
		have[LAYOUTS_ELEMENTS];
	dpr_array *x[2], *view, *moved;

	CHECK_OK(dpr_array_to_queue(value, queue, &moved));
	for (int k = 0; k < LAYOUTS_COUNT; k++) {
		for (int i = 0; i < 2; i++) {
			CHECK_OK(dpr_array_from_memory(
				zeros, DPR_SHAPE(4, 5, 6), NULL, DPR_INT32,
				queue, &x[i]));
			view = layouts_make(x[i], k);
			if (k == 4 ||
			    dpr_array_rank(view) < dpr_array_rank(value)) {
				/* Elements share memory, or @value has too
				   many axes. */
			} else if (i) {
				CHECK_OK(dpr_array_copy_to(view, value));
			} else {
				CHECK_OK(dpr_copy_into(view, moved));
			}
			dpr_array_release(view);
		}
		CHECK_OK(dpr_array_to_memory(x[0], want, sizeof(want), NULL));
		CHECK_OK(dpr_array_to_memory(x[1], have, sizeof(have), NULL));
		ck_assert_mem_eq(have, want, sizeof(want));
		dpr_array_release(x[0]);
		dpr_array_release(x[1]);
	}
	dpr_array_release(moved);
}

/* A value of one element, which is broadcast, of another dtype, too. */
START_TEST(values_are_cast_and_broadcast)
{
	const float number = 41;
	const int64_t integer = 42;
	dpr_array *x, *y;

	CHECK_OK(dpr_array_from_memory(&number, DPR_SCALAR_SHAPE, NULL,
				       DPR_FLOAT32, test_queue, &x));
	CHECK_OK(dpr_array_from_memory(&integer, DPR_SHAPE(1), NULL, DPR_INT64,
				       test_queue, &y));
	for (size_t i = 0; i < n_all; i++)
		if (!leaves_out((int)i, 3)) {
			check_layouts(x, queue_of(all[i]));
			check_layouts(y, queue_of(all[i]));
		}
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

/* Copy between the same views of two arrays, the second of them on @queue. */
static void check_views(const dpr_array *x, dpr_queue *queue, int which)
{
	static int32_t want[LAYOUTS_ELEMENTS], have[LAYOUTS_ELEMENTS];
	dpr_array *y, *to, *from;

	CHECK_OK(dpr_zeros(DPR_SHAPE(4, 5, 6), DPR_INT32, queue, &y));
	to = layouts_make(y, which);
	from = layouts_make(x, which);
	if (which == 4) {
		CHECK_FAILS(DPR_ERROR_LAYOUT, dpr_array_copy_to(to, from));
	} else {
		CHECK_OK(dpr_array_copy_to(to, from));
		CHECK_OK(dpr_array_to_memory(to, have, sizeof(have), NULL));
		CHECK_OK(dpr_array_to_memory(from, want, sizeof(want), NULL));
		ck_assert_mem_eq(have, want, dpr_array_nbytes(to));
	}
	dpr_array_release(to);
	dpr_array_release(from);
	dpr_array_release(y);
}

START_TEST(views_go_to_views)
{
	int32_t data[LAYOUTS_ELEMENTS], have[LAYOUTS_ELEMENTS];
	dpr_array *x, *transposed, *y, *other;

	for (int i = 0; i < LAYOUTS_ELEMENTS; i++)
		data[i] = i + 1;
	CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(4, 5, 6), NULL,
				       DPR_INT32, test_queue, &x));
	for (size_t i = 0; i < n_all; i++) {
		for (int k = 0; k < LAYOUTS_COUNT; k++)
			check_views(x, queue_of(all[i]), k);
		/* Transposed on one side only. */
		CHECK_OK(dpr_permute_dims(x, NULL, &transposed));
		CHECK_OK(dpr_zeros(DPR_SHAPE(6, 5, 4), DPR_INT32,
				   queue_of(all[i]), &y));
		CHECK_OK(dpr_array_copy_to(y, transposed));
		CHECK_OK(dpr_permute_dims(y, NULL, &other));
		CHECK_OK(dpr_array_to_memory(other, have, sizeof(have), NULL));
		ck_assert_mem_eq(have, data, sizeof(data));
		dpr_array_release(other);
		dpr_array_release(y);
		dpr_array_release(transposed);
	}
	dpr_array_release(x);
}
END_TEST

START_TEST(what_cannot_be_assigned_is_refused)
{
	dpr_array *x, *y, *z;

	CHECK_OK(dpr_zeros(DPR_SHAPE(3), DPR_FLOAT32, test_queue, &x));
	for (size_t i = 0; i < n_all; i++) {
		dpr_queue *queue = queue_of(all[i]);

		CHECK_OK(dpr_zeros(DPR_SHAPE(4), DPR_FLOAT32, queue, &y));
		CHECK_OK(dpr_zeros(DPR_SHAPE(3), DPR_COMPLEX64, queue, &z));
		CHECK_FAILS(DPR_ERROR_SHAPE, dpr_array_copy_to(x, y));
		CHECK_FAILS(DPR_ERROR_DTYPE, dpr_array_copy_to(x, z));
		dpr_array_release(y);
		dpr_array_release(z);
	}
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_array_copy_to(x, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_array_copy_to(NULL, x));
	dpr_array_release(x);
}
END_TEST

static Suite *copy_to_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("copy to");

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, halos_by_rows_and_columns);
	tcase_add_test(tcase, values_are_cast_and_broadcast);
	tcase_add_test(tcase, views_go_to_views);
	tcase_add_test(tcase, what_cannot_be_assigned_is_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	use_mock_devices();
	if (dpr_device_enumerate(NULL, all, MAX_DEVICES, &n_all)) {
		printf("no list of devices: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	n_all = n_all < MAX_DEVICES ? n_all : MAX_DEVICES;
	return run_on_devices(copy_to_suite, all, n_all);
}
