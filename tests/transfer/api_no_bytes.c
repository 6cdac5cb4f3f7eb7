/* SPDX-License-Identifier: Apache-2.0 */
/* api_no_bytes.c - operations on 0 bytes: they wait for earlier work in the
   same way as others, and change nothing. */
#include "tests/support/runtime_test.h"

#include <stdatomic.h>

#include "tests/support/no_bytes.h"

#define N 64

/* On an in-order queue the event completes after the work before it. */
START_TEST(after_earlier_work)
{
	dpr_usm *a = new_ints(q1, N, 7), *b = new_ints(q2, N, 5);
	dpr_event *done;

	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	set_ints(q1, a, N, 8);
	CHECK_OK(no_bytes_do(_i, q1, a, _i ? a : b, NULL, &done));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(done, 20 * MS));
	mock->hold(0);
	CHECK_OK(dpr_event_wait_for(done, 10 * SECOND));
	ck_assert_int_eq(first_int(q1, a), 8);
	dpr_event_release(done);
	dpr_usm_release(a);
	dpr_usm_release(b);
}
END_TEST

/* The event completes after an event of another backend, and work that is
   submitted later waits for it, on an out-of-order queue too. */
START_TEST(after_other_events)
{
	dpr_usm *a = new_ints(q1, N, 7), *b = new_ints(q2, N, 5);
	dpr_event *before, *done, *later;
	dpr_queue *queue;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_OUT_OF_ORDER,
				  &queue));
	CHECK_OK(dpr_queue_wait(q2));
	mock2->hold(1);
	CHECK_OK(dpr_queue_barrier(q2, NULL, &before));
	CHECK_OK(no_bytes_do(_i, queue, a, _i ? a : b, DPR_AFTER(before),
			     &done));
	CHECK_OK(dpr_usm_fill(queue, a, 0, "abcd", 4, 4, NULL, &later));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(done, 20 * MS));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(later, 0));
	mock2->hold(0);
	CHECK_OK(dpr_event_wait_for(later, 10 * SECOND));
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_COMPLETE);
	dpr_event_release(before);
	dpr_event_release(done);
	dpr_event_release(later);
	dpr_queue_release(queue);
	dpr_usm_release(a);
	dpr_usm_release(b);
}
END_TEST

/* On an out-of-order queue an operation on 0 bytes orders more than an
   operation on 4 bytes does.  It completes after earlier work on other memory,
   and later work waits for it. */
START_TEST(out_of_order)
{
	const bool has_bytes = _i == NO_BYTES_OPERATIONS;
	dpr_usm *memory[3];
	dpr_event *events[3];
	dpr_queue *queue;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_OUT_OF_ORDER,
				  &queue));
	for (int i = 0; i < 3; i++)
		memory[i] = new_ints(q1, N, 7);
	CHECK_OK(dpr_queue_wait(q1));
	mock->reorder(1);
	mock->hold(1);
	for (int i = 0; i < 3; i++)
		if (i == 1 && !has_bytes)
			CHECK_OK(no_bytes_do(_i, queue, memory[i], memory[i],
					     NULL, &events[i]));
		else
			CHECK_OK(dpr_usm_fill(queue, memory[i], 0, "abcd", 4, 4,
					      NULL, &events[i]));
	/* The mock starts the last command that may start. */
	mock->step(1);
	CHECK_OK(dpr_event_wait_for(events[has_bytes ? 2 : 0], 10 * SECOND));
	CHECK_FAILS(DPR_ERROR_TIMEOUT,
		    dpr_event_wait_for(events[has_bytes ? 0 : 2], 0));
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(queue));
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(dpr_event_get_state(events[i]),
				 DPR_EVENT_COMPLETE);
		dpr_event_release(events[i]);
		dpr_usm_release(memory[i]);
	}
	dpr_queue_release(queue);
}
END_TEST

/* The failure of an event before it is passed on; the memory stays valid. */
START_TEST(after_a_failure)
{
	dpr_usm *a = new_ints(q1, N, 7), *b = new_ints(q2, N, 5);
	dpr_event *failed, *done;

	CHECK_OK(dpr_queue_wait(q2));
	mock2->fail_command(1, DPR_RC_NATIVE, -98);
	CHECK_OK(dpr_queue_barrier(q2, NULL, &failed));
	CHECK_OK(no_bytes_do(_i, q1, a, _i ? a : b, DPR_AFTER(failed), &done));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(done));
	CHECK_TEXT("-98");
	if (_i == 1 || _i == 2)
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    no_bytes_do(_i, q1, a, a, DPR_AFTER(failed), NULL));
	dpr_event_release(failed);
	dpr_event_release(done);
	ck_assert_int_eq(first_int(q1, a), 7);
	ck_assert_int_eq(first_int(q2, b), 5);
	dpr_usm_release(a);
	dpr_usm_release(b);
}
END_TEST

/* Invalid contents do not make the operation fail, and stay invalid.  The
   driver gets no call but a barrier. */
START_TEST(invalid_contents)
{
	dpr_usm *a = new_ints(q1, N, 7), *b = new_ints(q2, N, 5);

	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q2));
	CHECK_OK(dpr_usm_invalidate(a, DPR_ERROR_DRIVER, "given up"));
	CHECK_OK(dpr_usm_invalidate(b, DPR_ERROR_DRIVER, "given up"));
	mock->reset();
	mock2->reset();
	CHECK_OK(no_bytes_do(_i, q1, a, _i ? a : b, NULL, NULL));
	ck_assert_uint_eq(mock->calls(MOCK_queue_write) +
				  mock->calls(MOCK_queue_read) +
				  mock->calls(MOCK_queue_copy) +
				  mock->calls(MOCK_queue_fill) +
				  mock->calls(MOCK_queue_prefetch) +
				  mock2->calls(MOCK_queue_write) +
				  mock2->calls(MOCK_queue_read),
			  0);
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	check_spoiled(q2, b, DPR_ERROR_DRIVER);
	dpr_usm_release(a);
	dpr_usm_release(b);
}
END_TEST

/* A pattern may be NULL for 0 bytes alone, and its size is always checked. */
START_TEST(patterns)
{
	dpr_usm *a = new_ints(q1, N, 7);

	CHECK_OK(dpr_usm_fill(q1, a, 0, NULL, 128, 0, NULL, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_fill(q1, a, 0, NULL, 4, 4, NULL, NULL));
	CHECK_TEXT("the pattern is NULL");
	for (int i = 0; i < 2; i++) {
		CHECK_FAILS(
			DPR_ERROR_INVALID_ARGUMENT,
			dpr_usm_fill(q1, a, 0, NULL, i * 129, 0, NULL, NULL));
		CHECK_TEXT("it must have 1 to 128");
	}
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_fill(q1, a, N * sizeof(int) + 1, NULL, 1, 0, NULL,
				 NULL));
	ck_assert_int_eq(first_int(q1, a), 7);
	dpr_usm_release(a);
}
END_TEST

struct answers {
	dpr_usm *usm;
	dpr_status waiting[NO_BYTES_OPERATIONS],
		with_event[NO_BYTES_OPERATIONS];
	atomic_bool ready;
};

static void submits(dpr_event *event, dpr_status status, void *user)
{
	struct answers *answers = user;
	dpr_event *done;

	(void)event;
	(void)status;
	for (int i = 0; i < NO_BYTES_OPERATIONS; i++) {
		answers->waiting[i] = no_bytes_do(i, q1, answers->usm,
						  answers->usm, NULL, NULL);
		answers->with_event[i] = no_bytes_do(i, q1, answers->usm,
						     answers->usm, NULL, &done);
		dpr_event_release(done);
	}
	atomic_store(&answers->ready, true);
}

/* A write or read without an event waits, so that a callback must not do it. */
START_TEST(in_a_callback)
{
	struct answers answers = { .usm = new_ints(q1, N, 7) };
	dpr_event *event;

	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, submits, &answers));
	EVENTUALLY(atomic_load(&answers.ready));
	for (int i = 0; i < NO_BYTES_OPERATIONS; i++) {
		ck_assert_int_eq(answers.waiting[i],
				 i == 1 || i == 2 ? DPR_ERROR_BUSY : DPR_OK);
		ck_assert_int_eq(answers.with_event[i], DPR_OK);
	}
	dpr_event_release(event);
	dpr_usm_release(answers.usm);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("api_no_bytes");
	TCase *tcase = tcase_create("no bytes");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, after_earlier_work, 0, NO_BYTES_OPERATIONS);
	tcase_add_loop_test(tcase, after_other_events, 0, NO_BYTES_OPERATIONS);
	tcase_add_loop_test(tcase, out_of_order, 0, NO_BYTES_OPERATIONS + 1);
	tcase_add_loop_test(tcase, after_a_failure, 0, NO_BYTES_OPERATIONS);
	tcase_add_loop_test(tcase, invalid_contents, 0, NO_BYTES_OPERATIONS);
	tcase_add_test(tcase, patterns);
	tcase_add_test(tcase, in_a_callback);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
