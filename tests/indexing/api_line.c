/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_line.c - indices that count all elements of an array (DPR_AXIS_NONE), and
 * index arrays without axes, without elements and on other queues, on every
 * device.
 */
#include <dpr/dpr.h>

#include "tests/support/rearranged.h"

/* Indices of 24 elements: in range, from the end, and too large. */
static const int64_t list[] = { 23, 0, -24, 7, 30, -1 };
#define N 6
#define SIZE 24

static int64_t resolve(int64_t i, dpr_bounds bounds)
{
	if (bounds == DPR_BOUNDS_CLIP)
		return i < 0 ? 0 : i < SIZE ? i : SIZE - 1;
	return (i % SIZE + SIZE) % SIZE;
}

static dpr_array *indices_of(const int64_t *from, dpr_shape shape)
{
	dpr_array *x;

	CHECK_OK(dpr_array_from_memory(from, shape, NULL, DPR_INT64, test_queue,
				       &x));
	return x;
}

/* Arrays of 24 elements: contiguous; with axes that a view can join; with axes
   that a view cannot join; and with the axes of the first array reversed. */
#define LAYOUTS 4
static dpr_array *make(int layout, dpr_array **whole)
{
	dpr_array *x;

	if (layout == 0 || layout == 3) {
		*whole = numbered(DPR_SHAPE(2, 3, 4), DPR_INT32);
	} else {
		*whole = numbered(DPR_SHAPE(4, 6, 2), DPR_INT32);
	}
	if (layout == 0)
		return dpr_array_retain(*whole);
	if (layout == 3)
		CHECK_OK(dpr_permute_dims(*whole, NULL, &x));
	else if (layout == 1)
		CHECK_OK(dpr_array_view(*whole, &x, DPR_ALL, DPR_ALL,
					DPR_AT(1)));
	else
		CHECK_OK(dpr_array_view(*whole, &x, DPR_ALL,
					DPR_SLICE(0, 6, 2)));
	return x;
}

START_TEST(all_elements_are_taken)
{
	const dpr_bounds bounds = _i % 2 ? DPR_BOUNDS_CLIP : DPR_BOUNDS_WRAP;
	dpr_array *whole, *x = make(_i / 2, &whole), *y, *z;
	dpr_array *at = indices_of(list, DPR_SHAPE(2, 3));
	int32_t have[SIZE], found[N];

	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	CHECK_OK(dpr_take(x, at, DPR_AXIS_NONE, bounds, &y));
	ck_assert_int_eq(dpr_array_rank(y), 2);
	ck_assert_int_eq(dpr_array_shape(y)[1], 3);
	CHECK_OK(dpr_array_to_memory(y, found, sizeof(found), NULL));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(found[i], have[resolve(list[i], bounds)]);
	CHECK_OK(dpr_zeros(DPR_SHAPE(2, 3), DPR_INT32, test_queue, &z));
	CHECK_OK(dpr_take_into(x, at, DPR_AXIS_NONE, bounds, z));
	CHECK_OK(dpr_array_to_memory(z, have, sizeof(found), NULL));
	ck_assert_mem_eq(have, found, sizeof(found));
	dpr_array_release(z);
	dpr_array_release(y);
	dpr_array_release(at);
	dpr_array_release(x);
	dpr_array_release(whole);
}
END_TEST

START_TEST(all_elements_are_put)
{
	static const int32_t values[N] = { 100, 101, 102, 103, 104, 105 };
	const dpr_bounds bounds = _i % 2 ? DPR_BOUNDS_CLIP : DPR_BOUNDS_WRAP;
	dpr_array *whole, *x = make(_i / 2, &whole), *v;
	dpr_array *at = indices_of(list, DPR_SHAPE(N));
	int32_t before[SIZE], have[SIZE], all[48], rest[48];

	CHECK_OK(dpr_array_to_memory(x, before, sizeof(before), NULL));
	CHECK_OK(
		dpr_array_to_memory(whole, all, dpr_array_nbytes(whole), NULL));
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(N), NULL, DPR_INT32,
				       test_queue, &v));
	CHECK_OK(dpr_put(x, at, v, DPR_AXIS_NONE, bounds));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int k = 0; k < SIZE; k++) {
		bool named = false, right = false;

		for (int i = 0; i < N; i++)
			if (resolve(list[i], bounds) == k) {
				named = true;
				right |= have[k] == values[i];
			}
		ck_assert_msg(named ? right : have[k] == before[k],
			      "element %d is %d", k, have[k]);
	}
	/* All other elements are unchanged: set x to its old elements, and
	   compare the whole memory. */
	dpr_array_release(at);
	CHECK_OK(dpr_array_from_memory(
		before, dpr_shape_of(dpr_array_rank(x), dpr_array_shape(x)),
		NULL, DPR_INT32, test_queue, &at));
	CHECK_OK(dpr_copy_into(x, at));
	CHECK_OK(dpr_array_to_memory(whole, rest, dpr_array_nbytes(whole),
				     NULL));
	ck_assert_mem_eq(rest, all, dpr_array_nbytes(whole));
	dpr_array_release(at);
	dpr_array_release(v);
	dpr_array_release(x);
	dpr_array_release(whole);
}
END_TEST

/* A failure leaves the array as it was, also where it is copied before. */
START_TEST(out_of_range)
{
	dpr_array *whole, *x = make(_i, &whole), *y;
	dpr_array *at = indices_of(list, DPR_SHAPE(N));
	int32_t before[SIZE], have[SIZE];

	CHECK_OK(dpr_array_to_memory(x, before, sizeof(before), NULL));
	CHECK_FAILS(DPR_ERROR_INDEX,
		    dpr_put(x, at, 5, DPR_AXIS_NONE, DPR_BOUNDS_CHECK));
	ck_assert_str_eq(dpr_last_error(),
			 "put: index 30, at (4,) of the indices, is out of "
			 "range for axis 0 of extent 24");
	CHECK_FAILS(DPR_ERROR_INDEX,
		    dpr_take(x, at, DPR_AXIS_NONE, DPR_BOUNDS_CHECK, &y));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	ck_assert_mem_eq(have, before, sizeof(have));
	dpr_array_release(at);
	dpr_array_release(x);
	dpr_array_release(whole);
}
END_TEST

/* --- Index arrays without axes and without elements ----------------------- */

START_TEST(without_axes)
{
	dpr_array *x = numbered(DPR_SHAPE(3, 4), DPR_FLOAT32), *y;
	dpr_array *at = indices_of(&list[5], dpr_shape_of(0, NULL));
	const dpr_index index[] = { DPR_AT(1), DPR_ALL };
	const dpr_array *arrays[] = { NULL, at };
	float have[12], one;

	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int b = DPR_BOUNDS_CHECK; b <= DPR_BOUNDS_WRAP; b++) {
		CHECK_OK(dpr_take(x, at, DPR_AXIS_NONE, (dpr_bounds)b, &y));
		ck_assert_int_eq(dpr_array_rank(y), 0);
		CHECK_OK(dpr_array_to_memory(y, &one, sizeof(one), NULL));
		ck_assert(one == have[11]);
		dpr_array_release(y);
		CHECK_OK(dpr_array_index_arrays(x, index, arrays, 2,
						(dpr_bounds)b, &y));
		ck_assert_int_eq(dpr_array_rank(y), 0);
		CHECK_OK(dpr_array_to_memory(y, &one, sizeof(one), NULL));
		ck_assert(one == have[7]);
		dpr_array_release(y);
	}
	CHECK_OK(dpr_array_set_index_arrays(x, index, arrays, 2, 50,
					    DPR_BOUNDS_CHECK));
	have[7] = 50;
	CHECK_OK(dpr_put(x, at, 60, DPR_AXIS_NONE, DPR_BOUNDS_CHECK));
	have[11] = 60;
	float now[12];
	CHECK_OK(dpr_array_to_memory(x, now, sizeof(now), NULL));
	ck_assert_mem_eq(now, have, sizeof(now));
	dpr_array_release(at);
	dpr_array_release(x);
}
END_TEST

/* Nothing is read or written, whatever the bounds, and shapes are right. */
START_TEST(without_elements)
{
	const dpr_bounds bounds = (dpr_bounds)_i;
	dpr_array *x = numbered(DPR_SHAPE(3, 4), DPR_FLOAT32), *y, *none, *wide;
	const dpr_index index[] = { DPR_ALL, DPR_SLICE(1, 3, 1) };
	float have[12], now[12];

	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	CHECK_OK(dpr_zeros(DPR_SHAPE(0), DPR_INT32, test_queue, &none));
	CHECK_OK(dpr_zeros(DPR_SHAPE(3, 0), DPR_UINT8, test_queue, &wide));
	const dpr_array *arrays[] = { none, NULL };

	CHECK_OK(dpr_take(x, none, DPR_AXIS_NONE, bounds, &y));
	ck_assert_int_eq(dpr_array_shape(y)[0], 0);
	dpr_array_release(y);
	CHECK_OK(dpr_take_along_axis(x, wide, 1, bounds, &y));
	ck_assert_int_eq(dpr_array_shape(y)[0], 3);
	ck_assert_int_eq(dpr_array_shape(y)[1], 0);
	dpr_array_release(y);
	CHECK_OK(dpr_array_index_arrays(x, index, arrays, 2, bounds, &y));
	ck_assert_int_eq(dpr_array_shape(y)[0], 0);
	ck_assert_int_eq(dpr_array_shape(y)[1], 2);
	dpr_array_release(y);
	CHECK_OK(dpr_put(x, none, 9, DPR_AXIS_NONE, bounds));
	CHECK_OK(dpr_put(x, none, 9, 0, bounds));
	CHECK_OK(dpr_put_along_axis(x, wide, 9, 1, bounds));
	CHECK_OK(dpr_array_set_index_arrays(x, index, arrays, 2, 9, bounds));
	CHECK_OK(dpr_array_to_memory(x, now, sizeof(now), NULL));
	ck_assert_mem_eq(now, have, sizeof(now));
	dpr_array_release(wide);
	dpr_array_release(none);
	dpr_array_release(x);
}
END_TEST

/* --- Index arrays on other queues ----------------------------------------- */

/* The call is refused, and the error says how to move an array. */
#define REFUSED(call)                                                \
	do {                                                         \
		CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT, call);    \
		ck_assert_msg(strstr(dpr_last_error(),               \
				     "move one with dpr_array_to_"), \
			      "%s", dpr_last_error());               \
	} while (0)

START_TEST(on_other_queues)
{
	dpr_array *x = numbered(DPR_SHAPE(3, 4), DPR_FLOAT32), *at, *wide, *y;
	const dpr_index index[] = { DPR_ALL, DPR_ALL };
	dpr_queue *queue;

	CHECK_OK(dpr_queue_create(test_device, 0, &queue));
	CHECK_OK(dpr_zeros(DPR_SHAPE(3), DPR_INT32, queue, &at));
	CHECK_OK(dpr_zeros(DPR_SHAPE(3, 1), DPR_INT32, queue, &wide));
	const dpr_array *arrays[] = { at, NULL };

	REFUSED(dpr_take(x, at, DPR_AXIS_NONE, DPR_BOUNDS_WRAP, &y));
	REFUSED(dpr_take_along_axis(x, wide, 1, DPR_BOUNDS_WRAP, &y));
	REFUSED(dpr_array_index_arrays(x, index, arrays, 2, DPR_BOUNDS_WRAP,
				       &y));
	REFUSED(dpr_put(x, at, 1, DPR_AXIS_NONE, DPR_BOUNDS_WRAP));
	REFUSED(dpr_put_along_axis(x, wide, 1, 1, DPR_BOUNDS_WRAP));
	REFUSED(dpr_array_set_index_arrays(x, index, arrays, 2, 1,
					   DPR_BOUNDS_WRAP));
	dpr_array_release(wide);
	dpr_array_release(at);
	dpr_array_release(x);
	dpr_queue_release(queue);
}
END_TEST

static Suite *line_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("line");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, all_elements_are_taken, 0, 2 * LAYOUTS);
	tcase_add_loop_test(tcase, all_elements_are_put, 0, 2 * LAYOUTS);
	tcase_add_loop_test(tcase, out_of_range, 0, LAYOUTS);
	tcase_add_test(tcase, without_axes);
	tcase_add_loop_test(tcase, without_elements, 0, 3);
	tcase_add_test(tcase, on_other_queues);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_all(line_suite);
}
