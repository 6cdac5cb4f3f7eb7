/* SPDX-License-Identifier: Apache-2.0 */
/* api_wrapped_queue.c - queues that wrap handles of the driver: order and
   profiling are those of the handle. */
#include "tests/support/runtime_test.h"

#define N 64

/* Wrap a queue of the mock that was created with @flags. */
static dpr_queue *over_mock(uint32_t flags, dpr_queue **below)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_queue *queue = NULL;
	uintptr_t handle = 0;

	CHECK_OK(dpr_queue_create(device, flags, below));
	CHECK_OK(dpr_queue_native(*below, &handle));
	CHECK_OK(dpr_queue_from_native(device, handle, 0, &queue));
	return queue;
}

/* The number of events that ten queued launches on @queue take in the
   driver. */
static uint64_t events_of_launches(dpr_queue *queue)
{
	dpr_kernel *kernel = mock_kernel(queue, "add_one");
	dpr_usm *usm = new_ints(queue, N, 1);
	uint64_t before, events;
	int i;

	CHECK_OK(dpr_queue_wait(queue));
	mock->hold(1);
	before = mock->live(MOCK_EVENT);
	for (i = 0; i < 10; i++)
		add_one(queue, kernel, usm, N, NULL, NULL);
	events = mock->live(MOCK_EVENT) - before;
	mock->hold(0);
	ck_assert_int_eq(first_int(queue, usm), 11);
	dpr_usm_release(usm);
	dpr_kernel_release(kernel);
	return events;
}

/* Launches on an in-order stream of another library need no events. */
START_TEST(a_wrapped_queue_in_order)
{
	dpr_queue *below, *queue = over_mock(DPR_QUEUE_IN_ORDER, &below);
	dpr_event *event;
	dpr_times times;

	ck_assert_uint_eq(dpr_queue_get_flags(queue), DPR_QUEUE_IN_ORDER);
	ck_assert_uint_eq(events_of_launches(queue), 0);
	CHECK_OK(dpr_queue_barrier(queue, NULL, &event));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_event_times(event, &times));
	CHECK_TEXT("without DPR_QUEUE_PROFILING");
	dpr_event_release(event);
	dpr_queue_release(queue);
	dpr_queue_release(below);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(a_wrapped_queue_with_times)
{
	dpr_queue *below, *queue = over_mock(DPR_QUEUE_PROFILING, &below);
	dpr_event *event;
	dpr_times times;

	ck_assert_uint_eq(dpr_queue_get_flags(queue), DPR_QUEUE_PROFILING);
	/* Each has one, and the allocation gives up that of its write. */
	ck_assert_uint_eq(events_of_launches(queue), 10 - 1);
	CHECK_OK(dpr_queue_barrier(queue, NULL, &event));
	CHECK_OK(dpr_event_times(event, &times));
	dpr_event_release(event);
	dpr_queue_release(queue);
	dpr_queue_release(below);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The launches use the same memory, so each depends on the event of the
   previous one.  The mock would start the last command that can run. */
START_TEST(a_wrapped_queue_out_of_order)
{
	dpr_queue *below, *queue = over_mock(DPR_QUEUE_OUT_OF_ORDER, &below);

	mock->reorder(1);
	ck_assert_uint_eq(dpr_queue_get_flags(queue), DPR_QUEUE_OUT_OF_ORDER);
	ck_assert_uint_eq(events_of_launches(queue), 10);
	dpr_queue_release(queue);
	dpr_queue_release(below);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* If the backend does not know the order, the queue counts as out of order. */
START_TEST(a_wrapped_queue_of_unknown_order)
{
	dpr_queue *below, *queue;

	mock->lie(MOCK_LIE_FLAGS, DPRP_QUEUE_OUT_OF_ORDER);
	queue = over_mock(DPR_QUEUE_IN_ORDER, &below);
	ck_assert_uint_eq(dpr_queue_get_flags(queue), DPR_QUEUE_OUT_OF_ORDER);
	ck_assert_uint_eq(events_of_launches(queue), 10);
	dpr_queue_release(queue);
	dpr_queue_release(below);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(wrapped_flags_that_do_not_exist)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_queue *queue = (void *)1;
	uintptr_t handle = 0;
	uint64_t live;

	CHECK_OK(dpr_queue_native(q1, &handle));
	live = mock->live(MOCK_QUEUE);
	mock->lie(MOCK_LIE_FLAGS, 4);
	CHECK_FAILS(DPR_ERROR_PLUGIN,
		    dpr_queue_from_native(device, handle, 0, &queue));
	CHECK_TEXT("native_wrap of backend mock gave flags 0x4");
	ck_assert_ptr_null(queue);
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), live);
	CHECK_OK(dpr_finalize());
}
END_TEST

static Suite *wrapped_queue_suite(void)
{
	Suite *suite = suite_create("wrapped queues");
	TCase *tcase = tcase_create("mock");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_add_test(tcase, a_wrapped_queue_in_order);
	tcase_add_test(tcase, a_wrapped_queue_with_times);
	tcase_add_test(tcase, a_wrapped_queue_out_of_order);
	tcase_add_test(tcase, a_wrapped_queue_of_unknown_order);
	tcase_add_test(tcase, wrapped_flags_that_do_not_exist);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(wrapped_queue_suite());
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
