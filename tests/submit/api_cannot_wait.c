/* SPDX-License-Identifier: Apache-2.0 */
/* api_cannot_wait.c - plugins that cannot wait for an event: the core holds the
   submission until the event is complete. */
#include "tests/support/runtime_test.h"

#define N 256

/* The plugin says that it cannot wait for an event of another of its own
   queues, in either way. */
START_TEST(no_path_is_held)
{
	const dprp_rc rc = _i ? DPR_RC_CANNOT_WAIT : DPR_RC_NO_PATH;
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 0);
	dpr_event *gate, *done;
	dpr_queue *q3;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q3, NULL, &gate));
	mock->fail(MOCK_queue_launch, 1, 1, rc, 0);
	add_one(q1, plus, a, N, DPR_AFTER(gate), &done);
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_HELD);
	mock->hold(0);
	CHECK_OK(dpr_event_wait_for(done, 5 * SECOND));
	ck_assert_int_eq(first_int(q1, a), 1);
	dpr_event_release(gate);
	dpr_event_release(done);
	dpr_kernel_release(plus);
	dpr_usm_release(a);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A plugin of version 1.2 and one of version 1.1, each with its own code, which
   cannot wait for events of other queues. */
START_TEST(plugins_that_cannot_wait)
{
	const struct mock_control *control = _i ? mock2 : mock;
	dpr_queue *queue = _i ? q2 : q1, *other;
	dpr_usm *a = new_ints(queue, N, 0);
	dpr_event *gate, *done;
	int nine = 9;

	CHECK_OK(dpr_queue_create(dpr_queue_device(queue), 0, &other));
	CHECK_OK(dpr_queue_wait(queue));
	control->hold(1);
	CHECK_OK(dpr_queue_barrier(other, NULL, &gate));
	CHECK_OK(dpr_usm_fill(queue, a, 0, &nine, 4, N * 4, DPR_AFTER(gate),
			      &done));
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_HELD);
	control->hold(0);
	CHECK_OK(dpr_event_wait_for(done, 5 * SECOND));
	ck_assert_int_eq(first_int(queue, a), 9);
	dpr_event_release(gate);
	dpr_event_release(done);
	dpr_usm_release(a);
	dpr_queue_release(other);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A fill that cannot wait is no fill that the driver lacks: the core does not
   try to write a block. */
START_TEST(fill_that_cannot_wait)
{
	dpr_usm *a = new_ints(q1, N, 0);
	dpr_event *gate, *done;
	dpr_queue *other;
	int nine = 9;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &other));
	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(other, NULL, &gate));
	mock->fail(MOCK_queue_fill, 1, 1, DPR_RC_CANNOT_WAIT, 0);
	CHECK_OK(dpr_usm_fill(q1, a, 0, &nine, 4, N * 4, DPR_AFTER(gate),
			      &done));
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_HELD);
	mock->hold(0);
	CHECK_OK(dpr_event_wait_for(done, 5 * SECOND));
	ck_assert_uint_eq(mock->calls(MOCK_queue_write), 0);
	ck_assert_uint_eq(mock->calls(MOCK_queue_copy), 0);
	ck_assert_int_eq(first_int(q1, a), 9);
	dpr_event_release(gate);
	dpr_event_release(done);
	dpr_usm_release(a);
	dpr_queue_release(other);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void start_deaf(void)
{
	setenv("DPR_OPTION_MOCK_DEPS", "0", 1);
	setenv("DPR_OPTION_MOCK2_DEPS", "0", 1);
	start_mocks();
}

int main(void)
{
	Suite *suite = suite_create("cannot wait");
	TCase *tcase = tcase_create("held"), *deaf = tcase_create("deaf");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, no_path_is_held, 0, 2);
	tcase_add_test(tcase, fill_that_cannot_wait);
	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(deaf, start_deaf, NULL);
	tcase_set_timeout(deaf, 60);
	tcase_add_loop_test(deaf, plugins_that_cannot_wait, 0, 2);
	suite_add_tcase(suite, deaf);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
