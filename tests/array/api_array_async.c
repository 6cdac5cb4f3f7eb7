/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_array_async.c - arrays while work is under way, on the mock backend,
 * which delays, reorders and fails work on demand.  Views on two queues stay in
 * order, a move waits for the work on its elements, and failures are reported.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dpr/dpr.h>

#include "tests/plugins/mock_control.h"
#include "tests/support/devices.h"

#define N 64

static const struct mock_control *mock;

static dpr_array *zeros(dpr_queue *queue)
{
	const int32_t values[N] = { 0 };
	dpr_array *x;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(N), NULL, DPR_INT32,
				       queue, &x));
	return x;
}

static dpr_kernel *kernel(dpr_queue *queue, const char *name)
{
	dpr_image image = { "mock", NULL, name, strlen(name) };
	dpr_program *program;
	dpr_kernel *k;

	CHECK_OK(dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, name, &k));
	dpr_program_release(program);
	return k;
}

static dpr_status add_one(dpr_kernel *k, dpr_array *x)
{
	return dpr_kernel_launch(dpr_array_queue(x), k, DPR_RANGE1(N), NULL,
				 NULL, DPR_ARG(x), DPR_ARG((uint64_t)N));
}

static void check_all(const dpr_array *x, int32_t want)
{
	int32_t have[N];

	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(have[i], want);
}

START_TEST(views_on_two_queues_take_turns)
{
	dpr_kernel *k = kernel(test_queue, "add_one");
	dpr_array *x = zeros(test_queue), *y;
	dpr_queue *other;

	CHECK_OK(dpr_queue_create(test_device, DPR_QUEUE_OUT_OF_ORDER, &other));
	CHECK_OK(dpr_array_to_queue(x, other, &y));
	mock->reorder(1);
	mock->hold(1);
	for (int i = 0; i < 10; i++) {
		CHECK_OK(add_one(k, x));
		CHECK_OK(add_one(k, y));
		CHECK_OK(add_one(k, y));
	}
	mock->hold(0);
	check_all(y, 30);
	check_all(x, 30);
	mock->reset();
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_queue_release(other);
	dpr_kernel_release(k);
}
END_TEST

/* A view is made while work on the memory is queued.  Any use of the view comes
   after this work, even if the core does not know that the work uses this
   memory. */
START_TEST(a_view_comes_after_the_work_queued_so_far)
{
	dpr_kernel *k = kernel(test_queue, "add_one");
	dpr_array *x = zeros(test_queue), *y;
	int32_t have[N];
	dpr_queue *other;

	CHECK_OK(dpr_queue_create(test_device, 0, &other));
	mock->delay(20000000);
	CHECK_OK(dpr_kernel_launch(test_queue, k, DPR_RANGE1(N), NULL, NULL,
				   DPR_USM_AT(dpr_array_usm(x), 0),
				   DPR_ARG((uint64_t)N)));
	mock->delay(0);
	CHECK_OK(dpr_array_to_queue(x, other, &y));
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	ck_assert_int_eq(have[0], 1);
	ck_assert_int_eq(have[N - 1], 1);
	mock->reset();
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_queue_release(other);
	dpr_kernel_release(k);
}
END_TEST

START_TEST(a_move_waits_for_what_it_moves)
{
	dpr_kernel *k = kernel(test_queue, "add_one");
	dpr_array *x = zeros(test_queue), *there, *back;
	dpr_device *host;

	if (dpr_device_select("host", &host))
		return;
	mock->delay(20000000);
	CHECK_OK(add_one(k, x));
	mock->delay(0);
	CHECK_OK(dpr_array_to_device(x, host, &there));
	/* The source has been read already: this addition must not show in the
	   copy. */
	CHECK_OK(add_one(k, x));
	check_all(there, 1);
	CHECK_OK(dpr_array_to_device(there, test_device, &back));
	dpr_array_release(there);
	CHECK_OK(add_one(k, back));
	check_all(back, 2);
	check_all(x, 2);
	mock->reset();
	dpr_array_release(back);
	dpr_array_release(x);
	dpr_kernel_release(k);
}
END_TEST

START_TEST(wait_is_for_the_work_that_writes)
{
	dpr_kernel *k = kernel(test_queue, "add_one");
	dpr_array *x = zeros(test_queue), *y;
	dpr_queue *other;

	CHECK_OK(dpr_queue_create(test_device, 0, &other));
	CHECK_OK(dpr_array_to_queue(x, other, &y));
	mock->delay(20000000);
	CHECK_OK(add_one(k, y));
	CHECK_OK(dpr_array_wait(x));
	ck_assert_uint_eq(mock->pending(), 0);
	mock->reset();
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_queue_release(other);
	dpr_kernel_release(k);
}
END_TEST

START_TEST(wait_tells_that_the_work_failed)
{
	dpr_kernel *k = kernel(test_queue, "add_one");
	dpr_queue *queue;
	dpr_array *x;

	CHECK_OK(dpr_queue_create(test_device, 0, &queue));
	x = zeros(queue);
	CHECK_OK(dpr_array_wait(x));
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	CHECK_OK(add_one(k, x));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_array_wait(x));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "add_one"));
	mock->reset();
	dpr_array_release(x);
	dpr_queue_release(queue);
	dpr_kernel_release(k);
}
END_TEST

START_TEST(reading_tells_that_the_work_failed)
{
	dpr_kernel *k = kernel(test_queue, "add_one");
	int32_t have[N];
	dpr_queue *queue;
	dpr_array *x;

	CHECK_OK(dpr_queue_create(test_device, 0, &queue));
	x = zeros(queue);
	mock->fail_command(1, DPR_RC_NATIVE, -42);
	CHECK_OK(add_one(k, x));
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_array_to_memory(x, have, sizeof(have), NULL));
	mock->reset();
	dpr_array_release(x);
	dpr_queue_release(queue);
	dpr_kernel_release(k);
}
END_TEST

/* Bytes of device memory in use or not yet back in the pool. */
static uint64_t used(void)
{
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };

	CHECK_OK(dpr_pool_get_stats(test_device, DPR_USM_DEVICE, &stats));
	return stats.used + stats.pending;
}

/* No reference to an array, a queue or memory is left. */
START_TEST(nothing_stays_behind)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint64_t queues = mock->live(MOCK_QUEUE), memory = used();
	dpr_array *x, *y, *z;
	dpr_queue *other;

	CHECK_OK(dpr_queue_create(test_device, 0, &other));
	x = zeros(test_queue);
	CHECK_OK(dpr_array_to_queue(x, other, &y));
	CHECK_OK(dpr_array_view(y, &z, DPR_SLICE(0, 10, 2)));
	dpr_queue_release(other);
	dpr_array_release(x);
	dpr_array_release(y);
	ck_assert_uint_gt(used(), memory);
	CHECK_OK(dpr_array_wait(z));
	dpr_array_release(z);
	CHECK_OK(dpr_queue_wait(test_queue));
	/* The queue is freed by a later call, once its barrier is over. */
	for (int i = 0;
	     i < 10000 && (used() > memory || mock->live(MOCK_QUEUE) > queues);
	     i++) {
		CHECK_OK(dpr_queue_wait(test_queue));
		nanosleep(&pause, NULL);
	}
	ck_assert_uint_eq(used(), memory);
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), queues);
}
END_TEST

/* The event completes with the work that writes the array, and not before. */
START_TEST(the_event_of_the_work_that_writes)
{
	dpr_kernel *k = kernel(test_queue, "add_one");
	dpr_array *x = zeros(test_queue), *none;
	dpr_event *event;

	mock->hold(1);
	CHECK_OK(add_one(k, x));
	CHECK_OK(dpr_array_event(x, &event));
	ck_assert_int_lt(dpr_event_get_state(event), DPR_EVENT_COMPLETE);
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(event, 1000000));
	mock->hold(0);
	CHECK_OK(dpr_event_wait(event));
	dpr_event_release(event);
	check_all(x, 1);
	CHECK_OK(dpr_empty(DPR_SHAPE(0), DPR_INT32, test_queue, &none));
	event = (dpr_event *)x;
	CHECK_OK(dpr_array_event(none, &event));
	ck_assert_ptr_null(event);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_array_event(NULL, &event));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_array_event(x, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_usm_event(NULL, &event));
	dpr_array_release(none);
	dpr_array_release(x);
	dpr_kernel_release(k);
}
END_TEST

static Suite *async_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("async");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, views_on_two_queues_take_turns);
	tcase_add_test(tcase, a_view_comes_after_the_work_queued_so_far);
	tcase_add_test(tcase, a_move_waits_for_what_it_moves);
	tcase_add_test(tcase, wait_is_for_the_work_that_writes);
	tcase_add_test(tcase, wait_tells_that_the_work_failed);
	tcase_add_test(tcase, reading_tells_that_the_work_failed);
	tcase_add_test(tcase, the_event_of_the_work_that_writes);
	tcase_add_test(tcase, nothing_stays_behind);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	use_mock_devices();
	mock = mock_control_open("mock", NULL, 0);
	if (!mock) {
		printf("skipped: no mock backend in DPR_TEST_PLUGIN_DIR\n");
		return 77;
	}
	return run_on_selected(async_suite, "mock");
}
