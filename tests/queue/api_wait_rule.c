/* SPDX-License-Identifier: Apache-2.0 */
/* api_wait_rule.c - one rule for all that a program can wait for: events, lists
   of events, queues, allocations and arrays. */
#include "tests/support/runtime_test.h"

#include <stdatomic.h>

#define N 64
#define KINDS 5

/* One submission, and all that waits for it. */
struct work {
	dpr_event *event;
	dpr_usm *usm;
	dpr_array *array;
};

static dpr_status wait_forever(const struct work *work, int kind)
{
	switch (kind) {
	case 0: return dpr_event_wait(work->event);
	case 1: return dpr_events_wait(DPR_AFTER(NULL, work->event));
	case 2: return dpr_queue_wait(q1);
	case 3: return dpr_usm_wait(work->usm);
	default: return dpr_array_wait(work->array);
	}
}

static dpr_status wait_for(const struct work *work, int kind, uint64_t limit)
{
	switch (kind) {
	case 0: return dpr_event_wait_for(work->event, limit);
	case 1: return dpr_events_wait_for(DPR_AFTER(NULL, work->event), limit);
	case 2: return dpr_queue_wait_for(q1, limit);
	case 3: return dpr_usm_wait_for(work->usm, limit);
	default: return dpr_array_wait_for(work->array, limit);
	}
}

/* Submit a fill of an array, which does not run yet. */
static struct work submit_held(void)
{
	const int seven = 7;
	struct work work;

	work.usm = new_usm(q1, DPR_USM_DEVICE, N * sizeof(int));
	CHECK_OK(dpr_array_over(work.usm, 0, DPR_SHAPE(N), NULL, DPR_INT32,
				&work.array));
	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, work.usm, 0, &seven, sizeof(seven),
			      N * sizeof(int), NULL, &work.event));
	return work;
}

static void drop(struct work *work)
{
	dpr_event_release(work->event);
	dpr_array_release(work->array);
	dpr_usm_release(work->usm);
}

START_TEST(within_a_limit)
{
	struct work work = submit_held();

	CHECK_FAILS(DPR_ERROR_TIMEOUT, wait_for(&work, _i, 0));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, wait_for(&work, _i, 20 * MS));
	mock->hold(0);
	CHECK_OK(wait_for(&work, _i, 10 * SECOND));
	CHECK_OK(wait_for(&work, _i, 0));
	CHECK_OK(wait_for(&work, _i, DPR_FOREVER));
	CHECK_OK(wait_forever(&work, _i));
	drop(&work);
}
END_TEST

/* A timeout does not take the failure away from the next wait. */
START_TEST(a_failure_after_the_limit)
{
	struct work work;

	mock->fail_command(1, DPR_RC_NATIVE, -98);
	work = submit_held();
	CHECK_FAILS(DPR_ERROR_TIMEOUT, wait_for(&work, _i, 0));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, wait_for(&work, _i, 20 * MS));
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, wait_forever(&work, _i));
	CHECK_TEXT("-98");
	drop(&work);
}
END_TEST

START_TEST(a_failure_within_the_limit)
{
	struct work work;

	mock->fail_command(1, DPR_RC_NATIVE, -98);
	work = submit_held();
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, wait_for(&work, _i, 10 * SECOND));
	CHECK_TEXT("-98");
	drop(&work);
}
END_TEST

/* The answers of waits in a callback. */
struct answers {
	struct work work;
	dpr_status forever[KINDS], some[KINDS], zero[KINDS];
	dpr_array *empty;
	dpr_status of_empty, of_empty_zero, of_null, of_null_zero;
	atomic_bool ready;
};

static void waits(dpr_event *event, dpr_status status, void *user)
{
	struct answers *answers = user;

	(void)event;
	(void)status;
	for (int i = 0; i < KINDS; i++) {
		answers->forever[i] = wait_forever(&answers->work, i);
		answers->some[i] = wait_for(&answers->work, i, MS);
		answers->zero[i] = wait_for(&answers->work, i, 0);
	}
	answers->of_empty = dpr_array_wait(answers->empty);
	answers->of_empty_zero = dpr_array_wait_for(answers->empty, 0);
	answers->of_null = dpr_event_wait(NULL);
	answers->of_null_zero = dpr_event_wait_for(NULL, 0);
	atomic_store(&answers->ready, true);
}

START_TEST(in_a_callback)
{
	struct answers answers = { .work = submit_held() };
	dpr_event *first;

	CHECK_OK(dpr_empty(DPR_SHAPE(0), DPR_INT32, q1, &answers.empty));
	/* The work of q1 is held, so the callback is of another queue. */
	CHECK_OK(dpr_queue_barrier(q2, NULL, &first));
	CHECK_OK(dpr_event_on_end(first, waits, &answers));
	EVENTUALLY(atomic_load(&answers.ready));
	for (int i = 0; i < KINDS; i++) {
		ck_assert_int_eq(answers.forever[i], DPR_ERROR_BUSY);
		ck_assert_int_eq(answers.some[i], DPR_ERROR_BUSY);
		ck_assert_int_eq(answers.zero[i], DPR_ERROR_TIMEOUT);
	}
	ck_assert_int_eq(answers.of_empty, DPR_ERROR_BUSY);
	ck_assert_int_eq(answers.of_empty_zero, DPR_OK);
	ck_assert_int_eq(answers.of_null, DPR_ERROR_BUSY);
	ck_assert_int_eq(answers.of_null_zero, DPR_OK);
	dpr_array_release(answers.empty);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q1));
	dpr_event_release(first);
	drop(&answers.work);
}
END_TEST

/* An event or a list that is NULL counts as complete; NULL in place of anything
   else is an error. */
START_TEST(nothing_to_wait_for)
{
	const struct work none = { NULL, NULL, NULL };
	dpr_array *empty;
	dpr_event *last;

	for (int i = 3; i < KINDS; i++) {
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, wait_forever(&none, i));
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, wait_for(&none, i, 0));
	}
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_queue_wait(NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_queue_wait_for(NULL, 0));
	CHECK_OK(dpr_events_wait(NULL));
	CHECK_OK(dpr_events_wait_for(NULL, 0));
	for (int i = 0; i < 2; i++) {
		CHECK_OK(wait_forever(&none, i));
		CHECK_OK(wait_for(&none, i, 0));
		CHECK_OK(wait_for(&none, i, DPR_FOREVER));
	}
	CHECK_OK(dpr_empty(DPR_SHAPE(0), DPR_INT32, q1, &empty));
	CHECK_OK(dpr_array_wait(empty));
	CHECK_OK(dpr_array_wait_for(empty, 0));
	CHECK_OK(dpr_array_event(empty, &last));
	ck_assert_ptr_null(last);
	CHECK_OK(dpr_event_wait(last));
	dpr_array_release(empty);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("api_wait_rule");
	TCase *tcase = tcase_create("wait");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, within_a_limit, 0, KINDS);
	tcase_add_loop_test(tcase, a_failure_after_the_limit, 0, KINDS);
	tcase_add_loop_test(tcase, a_failure_within_the_limit, 0, KINDS);
	tcase_add_test(tcase, in_a_callback);
	tcase_add_test(tcase, nothing_to_wait_for);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
