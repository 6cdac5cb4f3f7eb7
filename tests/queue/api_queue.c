/* SPDX-License-Identifier: Apache-2.0 */
/* api_queue.c - queues on every device: their identity, properties, order and
   waits. */
#include <pthread.h>

#include "tests/support/runtime_test.h"

START_TEST(canonical_is_one)
{
	dpr_queue *again, *selected;

	CHECK_OK(dpr_device_queue(test_device, &again));
	ck_assert_ptr_eq(again, test_queue);
	CHECK_OK(dpr_canonical_queue(dpr_device_selector(test_device),
				     &selected));
	ck_assert_ptr_eq(selected, test_queue);
	ck_assert(dpr_queue_is_canonical(again));
	ck_assert_uint_eq(dpr_queue_get_flags(again), DPR_QUEUE_IN_ORDER);
	ck_assert_ptr_eq(dpr_queue_device(again), test_device);
	ck_assert_ptr_nonnull(strstr(dpr_queue_name(again), "(canonical)"));
	ck_assert_ptr_nonnull(strstr(dpr_queue_name(again),
				     dpr_device_selector(test_device)));
	/* The canonical queue is lent: retain and release do nothing. */
	ck_assert_ptr_eq(dpr_queue_retain(again), again);
	dpr_queue_release(again);
	dpr_queue_release(again);
	CHECK_OK(dpr_queue_wait(again));
}
END_TEST

START_TEST(others_are_others)
{
	dpr_queue *a, *b;

	CHECK_OK(dpr_queue_create(test_device, 0, &a));
	CHECK_OK(dpr_queue_create(test_device, 0, &b));
	ck_assert_ptr_ne(a, b);
	ck_assert_ptr_ne(a, test_queue);
	ck_assert(!dpr_queue_is_canonical(a));
	ck_assert_str_ne(dpr_queue_name(a), dpr_queue_name(b));
	ck_assert_ptr_nonnull(strstr(dpr_queue_name(a), "(queue "));
	dpr_queue_retain(a);
	dpr_queue_release(a);
	CHECK_OK(dpr_queue_wait(a));
	dpr_queue_release(a);
	dpr_queue_release(b);
}
END_TEST

START_TEST(bad_queues)
{
	dpr_queue *queue = (dpr_queue *)&queue;
	dpr_event *done;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_create(test_device, 64, &queue));
	ck_assert_ptr_null(queue);
	CHECK_TEXT("0x40");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_create(test_device,
				     DPR_QUEUE_PRIORITY_LOW |
					     DPR_QUEUE_PRIORITY_HIGH,
				     &queue));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_create(NULL, 0, &queue));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_create(test_device, 0, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_device_queue(NULL, &queue));
	ck_assert_ptr_null(queue);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_device_queue(test_device, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_queue_wait(NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_queue_flush(NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_barrier(NULL, NULL, &done));
	ck_assert_ptr_null(done);
	dpr_queue_release(NULL);
	ck_assert_ptr_null(dpr_queue_retain(NULL));
	ck_assert_ptr_null(dpr_queue_device(NULL));
	ck_assert_str_ne(dpr_queue_name(NULL), "");
}
END_TEST

START_TEST(flags_are_granted_or_refused)
{
	static const uint32_t flags[] = {
		DPR_QUEUE_OUT_OF_ORDER, DPR_QUEUE_PROFILING,
		DPR_QUEUE_OUT_OF_ORDER | DPR_QUEUE_PROFILING,
		DPR_QUEUE_PRIORITY_LOW, DPR_QUEUE_PRIORITY_HIGH
	};
	dpr_queue *queue;
	dpr_status status;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		status = dpr_queue_create(test_device, flags[i], &queue);
		if (status) {
			ck_assert_int_eq(status, DPR_ERROR_UNSUPPORTED);
			ck_assert_ptr_null(queue);
			continue;
		}
		ck_assert_uint_eq(dpr_queue_get_flags(queue) |
					  DPR_QUEUE_OUT_OF_ORDER,
				  flags[i] | DPR_QUEUE_OUT_OF_ORDER);
		CHECK_OK(dpr_queue_wait(queue));
		dpr_queue_release(queue);
	}
}
END_TEST

/* Release the only reference to a queue while its work is under way. */
START_TEST(released_at_work)
{
	dpr_usm *usm = new_usm(test_queue, DPR_USM_DEVICE, 1 << 20);
	dpr_event *done;
	dpr_queue *queue;
	int i, value;

	for (i = 0; i < 20; i++) {
		CHECK_OK(dpr_queue_create(test_device,
					  i & 1 ? DPR_QUEUE_OUT_OF_ORDER : 0,
					  &queue));
		CHECK_OK(dpr_usm_fill(queue, usm, 0, &i, 4, 1 << 20, NULL,
				      &done));
		dpr_queue_release(queue);
		/* The read is ordered after the fill nevertheless. */
		CHECK_OK(dpr_usm_read(test_queue, &value, usm, 4096, 4, NULL,
				      NULL));
		ck_assert_int_eq(value, i);
		CHECK_OK(dpr_event_wait(done));
		dpr_event_release(done);
	}
	dpr_usm_release(usm);
}
END_TEST

START_TEST(barriers)
{
	dpr_event *done, *last;
	dpr_queue *queue;
	int i;

	for (i = 0; i < 2; i++) {
		CHECK_OK(dpr_queue_create(
			test_device, i ? DPR_QUEUE_OUT_OF_ORDER : 0, &queue));
		CHECK_OK(dpr_queue_barrier(queue, NULL, NULL));
		CHECK_OK(dpr_queue_barrier(queue, NULL, &done));
		CHECK_OK(dpr_queue_barrier(queue, DPR_AFTER(done, NULL, done),
					   &last));
		CHECK_OK(dpr_queue_flush(queue));
		CHECK_OK(dpr_event_wait_for(last, 10 * SECOND));
		ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_COMPLETE);
		ck_assert_str_eq(dpr_event_name(last), "barrier");
		CHECK_OK(dpr_queue_wait_for(queue, 10 * SECOND));
		CHECK_OK(dpr_queue_wait_for(queue, 0));
		dpr_queue_release(queue);
		/* An event outlives its queue. */
		ck_assert_int_eq(dpr_event_get_state(last), DPR_EVENT_COMPLETE);
		dpr_event_release(done);
		dpr_event_release(last);
	}
}
END_TEST

START_TEST(times)
{
	dpr_queue *queue, *plain = test_queue;
	dpr_event *event;
	dpr_times t;
	struct timespec now;
	uint64_t ran, before, after;
	dpr_status status;
	dpr_usm *usm = new_usm(test_queue, DPR_USM_DEVICE, 1 << 20);
	int zero = 0;

	CHECK_OK(dpr_queue_barrier(plain, NULL, &event));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_event_times(event, &t));
	CHECK_TEXT("DPR_QUEUE_PROFILING");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_event_duration(event, &ran));
	dpr_event_release(event);
	if (dpr_queue_create(test_device, DPR_QUEUE_PROFILING, &queue)) {
		dpr_usm_release(usm);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	before = (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &zero, 4, 1 << 20, NULL, &event));
	CHECK_OK(dpr_event_duration(event, &ran));
	clock_gettime(CLOCK_MONOTONIC, &now);
	after = (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
	ck_assert_uint_le(ran, after - before);
	status = dpr_event_times(event, &t);
	if (status) {
		ck_assert_int_eq(status, DPR_ERROR_UNSUPPORTED);
	} else {
		ck_assert_uint_le(t.queued, t.submitted);
		ck_assert_uint_le(t.submitted, t.started);
		ck_assert_uint_le(t.started, t.ended);
		/* The comparison of clocks is off by a few milliseconds at
		   most. */
		ck_assert_uint_ge(t.queued + 20 * MS, before);
		ck_assert_uint_le(t.ended, after + 20 * MS);
		ck_assert_uint_eq(t.ended - t.started, ran);
	}
	dpr_event_release(event);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
}
END_TEST

/* Several threads use one queue: their commands run in some order, and all are
   done. */
struct writer {
	dpr_usm *usm;
	int index, n;
};

static void *writes(void *user)
{
	struct writer *w = user;
	dpr_event *done;
	int i;

	for (i = 1; i <= w->n; i++) {
		CHECK_OK(dpr_usm_fill(test_queue, w->usm, (size_t)w->index * 4,
				      &i, 4, 4, NULL, i % 3 ? NULL : &done));
		if (i % 3)
			continue;
		if (i % 9 == 0)
			CHECK_OK(dpr_event_wait(done));
		dpr_event_release(done);
	}
	return NULL;
}

START_TEST(threads_share_a_queue)
{
	enum { THREADS = 4, EACH = 300 };
	dpr_usm *usm = new_usm(test_queue, DPR_USM_DEVICE, THREADS * 4);
	struct writer w[THREADS];
	pthread_t threads[THREADS];
	int values[THREADS], i;

	for (i = 0; i < THREADS; i++) {
		w[i] = (struct writer){ usm, i, EACH };
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, writes, &w[i]), 0);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_OK(dpr_usm_read(test_queue, values, usm, 0, sizeof(values), NULL,
			      NULL));
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(values[i], EACH);
	dpr_usm_release(usm);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *tcase = tcase_create("queue");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, canonical_is_one);
	tcase_add_test(tcase, others_are_others);
	tcase_add_test(tcase, bad_queues);
	tcase_add_test(tcase, flags_are_granted_or_refused);
	tcase_add_test(tcase, released_at_work);
	tcase_add_test(tcase, barriers);
	tcase_add_test(tcase, times);
	tcase_add_test(tcase, threads_share_a_queue);
	suite_add_tcase(s, tcase);
	return s;
}

int main(void)
{
	return run_on_all(suite);
}
