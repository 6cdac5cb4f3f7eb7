/* SPDX-License-Identifier: Apache-2.0 */
/* api_lost.c - when a device is lost, error texts name the work that was under
   way on it. */
#include "tests/support/runtime_test.h"

#define N 16

static dpr_kernel *add, *index_of;
static dpr_usm *a, *b; /* on q1's device */
static dpr_queue *q3;  /* another queue of that device */

static void setup(void)
{
	start_mocks();
	add = mock_kernel(q1, "add_one");
	index_of = mock_kernel(q1, "fill_index");
	a = new_ints(q1, N, 0);
	b = new_ints(q1, N, 0);
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_OUT_OF_ORDER,
				  &q3));
	CHECK_OK(dpr_queue_wait(q1));
}

static void run(dpr_queue *queue, dpr_kernel *kernel, dpr_usm *usm,
		dpr_event **done)
{
	dpr_arg args[] = { DPR_USM_READ_WRITE(usm, 0), DPR_ARG((uint64_t)N) };

	CHECK_OK(dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(N), NULL, done,
				       args, 2));
}

static void check_lost(dpr_status status, const char *list)
{
	char text[400];

	ck_assert_int_eq(status, DPR_ERROR_DEVICE_LOST);
	snprintf(text, sizeof(text), "was known to be complete: %s", list);
	CHECK_TEXT(text);
}

/* The first failure seen makes the list of work.  Later events and the wait of
   each queue report the same list. */
START_TEST(events)
{
	dpr_event *first, *last, *other;
	const char *list = "copy on mock:gpu:0 (queue 1); add_one, copy on "
			   "mock:gpu:0 (canonical)";
	dpr_usm *c = new_ints(q2, N, 0);

	run(q1, index_of, a, &first);
	CHECK_OK(dpr_event_wait(first));
	mock->hold(1);
	mock2->hold(1);
	run(q1, add, a, NULL);
	CHECK_OK(dpr_usm_copy(q1, a, 0, a, 32, 16, NULL, &last));
	CHECK_OK(dpr_usm_copy(q3, b, 0, b, 32, 16, NULL, &other));
	CHECK_OK(dpr_usm_fill(q2, c, 0, "abcd", 4, 4, NULL, NULL));
	mock->lose(0);
	check_lost(dpr_event_wait(last), list);
	ck_assert_ptr_nonnull(
		strstr(dpr_last_error(), "copy on mock:gpu:0 (canonical) "));
	ck_assert_ptr_null(strstr(dpr_last_error(), "fill"));
	ck_assert_ptr_null(strstr(dpr_last_error(), "mock2"));
	check_lost(dpr_event_wait(other), list);
	check_lost(dpr_queue_wait(q1), list);
	check_lost(dpr_queue_wait(q3), list);
	/* Nothing can be written again there. */
	ck_assert_int_eq(dpr_usm_wait(a), DPR_ERROR_DEVICE_LOST);
	CHECK_TEXT("no valid contents");
	ck_assert_ptr_null(strstr(dpr_last_error(), "write the whole"));
	mock2->hold(0);
	CHECK_OK(dpr_queue_wait(q2));
	dpr_event_release(first);
	dpr_event_release(last);
	dpr_event_release(other);
	dpr_usm_release(c);
}
END_TEST

/* Without events, only the wait for the queue sees the loss. */
START_TEST(waits)
{
	mock->hold(1);
	run(q1, add, a, NULL);
	run(q1, index_of, a, NULL);
	run(q3, add, b, NULL);
	mock->lose(0);
	check_lost(dpr_queue_wait(q1),
		   "add_one on mock:gpu:0 (queue 1); "
		   "add_one, fill_index on mock:gpu:0 (canonical)");
}
END_TEST

/* On an out-of-order queue, complete work may lie between work that is not: the
   list leaves it out. */
START_TEST(out_of_order)
{
	dpr_event *done[3];
	int i;

	mock->hold(1);
	mock->reorder(1);
	run(q3, add, b, &done[0]);
	CHECK_OK(dpr_usm_fill(q3, a, 0, "abcd", 4, 4, NULL, &done[1]));
	mock->step(1);
	CHECK_OK(dpr_event_wait(done[1]));
	run(q3, index_of, b, &done[2]);
	mock->lose(0);
	check_lost(dpr_event_wait(done[2]),
		   "add_one, fill_index on mock:gpu:0 (queue 1)");
	ck_assert_ptr_null(strstr(dpr_last_error(), ", fill,"));
	for (i = 0; i < 3; i++)
		dpr_event_release(done[i]);
}
END_TEST

/* The oldest of many commands are named.  With _i there are more than the queue
   remembers.  Then the oldest that it remembers are named. */
START_TEST(many)
{
	dpr_event *last;
	int i;

	mock->hold(1);
	for (i = 0; i < (_i ? 100 : 10); i++)
		run(q1, i ? add : index_of, a, NULL);
	run(q1, add, a, &last);
	mock->lose(0);
	check_lost(dpr_event_wait(last),
		   _i ? "add_one, add_one, add_one, add_one and 97 more on "
			"mock:gpu:0 (canonical)"
		      : "fill_index, add_one, add_one, add_one and 7 more on "
			"mock:gpu:0 (canonical)");
	dpr_event_release(last);
}
END_TEST

/* Work that the core holds has not reached the device, so it is not named. */
START_TEST(held)
{
	dpr_usm *c = new_ints(q2, N, 0);
	dpr_event *gate, *last;

	mock->hold(1);
	mock2->hold(1);
	CHECK_OK(dpr_usm_fill(q2, c, 0, "abcd", 4, 4, NULL, &gate));
	run(q1, add, a, &last);
	CHECK_OK(dpr_usm_fill(q1, a, 0, "abcd", 4, 4, DPR_AFTER(gate), NULL));
	run(q1, index_of, a, NULL);
	mock->lose(0);
	check_lost(dpr_event_wait(last), "add_one on mock:gpu:0 (canonical)");
	mock2->hold(0);
	/* Wait for the held work, which the progress thread lets go, before the
	   process ends. */
	ck_assert_int_eq(dpr_queue_wait(q1), DPR_ERROR_DEVICE_LOST);
	dpr_event_release(gate);
	dpr_event_release(last);
	dpr_usm_release(c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lost");
	TCase *t = tcase_create("lost");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, events);
	tcase_add_test(t, waits);
	tcase_add_test(t, out_of_order);
	tcase_add_loop_test(t, many, 0, 2);
	tcase_add_test(t, held);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
