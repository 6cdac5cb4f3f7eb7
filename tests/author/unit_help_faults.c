/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_help_faults.c - the command queue of <dpr/backend-help.h>: failures that
 * a test asks for, and a lost device.
 */
#include "tests/author/help_steps.h"

/* The next command fails in place of its work, and no other. */
START_TEST(one_failure)
{
	dprp_queue *queue = new_queue(), *other = new_queue();
	dprp_event *events[3];
	atomic_int counter = 0;
	struct step add = { STEP_ADD, &counter, NULL };
	int i;

	dprh_queues_fail_next(&queues);
	submit(queue, &add, 0, NULL, &events[0]);
	submit(other, &add, 1, &events[0], &events[1]);
	submit(other, &add, 0, NULL, &events[2]);
	assert_event(events[0], DPRP_EVENT_FAILED, DPR_RC_NATIVE);
	assert_event(events[1], DPRP_EVENT_FAILED, DPR_RC_DEP_FAILED);
	assert_event(events[2], DPRP_EVENT_DONE, DPR_RC_OK);
	ck_assert_int_eq(atomic_load(&counter), 1);
	host_table_clear();
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_NATIVE);
	ck_assert_str_eq(host_table_error(),
			 "a failure that a test has asked for");
	ck_assert_int_eq(dprh_queue_finish(queue), DPR_RC_OK);
	for (i = 0; i < 3; i++)
		dprh_event_destroy(events[i]);
	/* A barrier fails, too. */
	dprh_queues_fail_next(&queues);
	barrier(queue, 0, NULL, &events[0]);
	assert_event(events[0], DPRP_EVENT_FAILED, DPR_RC_NATIVE);
	dprh_event_destroy(events[0]);
	dprh_queue_destroy(queue);
	dprh_queue_destroy(other);
}
END_TEST

/* --- Loss --- */

static dprp_device *const device = (dprp_device *)(uintptr_t)16;
static dprp_event *watched; /* an event of the lost device */
static int told;            /* calls of device_lost() */

/* The host learns of the loss while the event does not show it. */
static void told_first(dprp_host_instance *self, dprp_device *lost,
		       const char *why)
{
	(void)self;
	ck_assert_ptr_eq(lost, device);
	ck_assert_str_eq(why, "it smokes");
	ck_assert_uint_lt(state_of(watched).state, DPRP_EVENT_DONE);
	ck_assert_int_eq(dprh_queues_check(&queues), DPR_RC_OK);
	told++;
}

static void assert_refused(dprp_rc rc)
{
	ck_assert_int_eq(rc, DPR_RC_DEVICE_LOST);
	ck_assert_int_eq(host_table_error_rc(), DPR_RC_DEVICE_LOST);
	host_table_clear();
}

START_TEST(lost_device)
{
	const dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_queue *queue = new_queue(), *other = new_queue(), *none = NULL;
	dprp_host changed = *host_table_host(table);
	dprp_event *events[4], *more = NULL;
	atomic_int counter = 0;
	struct step wait = { STEP_WAIT, &counter, NULL };
	struct step add = { STEP_ADD, &counter, NULL };
	long blocks;
	uint64_t got;
	int i;

	changed.device_lost = told_first;
	queues.host = &changed;
	submit(queue, &wait, 0, NULL, &events[0]);
	submit(queue, &add, 0, NULL, &events[1]);
	submit(other, &add, 1, &events[1], &events[2]);
	barrier(other, 0, NULL, &events[3]);
	/* The first one is under way. */
	while (state_of(events[0]).state < DPRP_EVENT_RUNNING)
		sched_yield();
	watched = events[0];
	told = 0;
	dprh_queues_lose(&queues, device, "it smokes");
	ck_assert_int_eq(told, 1);
	blocks = host_table_blocks(table);
	assert_refused(dprh_queues_check(&queues));
	assert_refused(dprh_queue_create(&queues, &desc, sizeof(*none), &got,
					 &none));
	assert_refused(dprh_queue_submit(&queue->base,
					 &(dprp_deps){ sizeof(dprp_deps), 1, 0,
						       events },
					 do_step, &add, sizeof(add), &more));
	assert_refused(dprh_queue_barrier(queue, NULL, &more));
	ck_assert_ptr_null(none);
	ck_assert_ptr_null(more);
	ck_assert_int_eq(host_table_blocks(table), blocks);
	atomic_store(&gate, true);
	for (i = 0; i < 4; i++) {
		assert_event(events[i], DPRP_EVENT_FAILED, DPR_RC_DEVICE_LOST);
		dprh_event_destroy(events[i]);
	}
	/* Nothing has started since. */
	ck_assert_int_eq(atomic_load(&counter), 1);
	for (i = 0; i < 3; i++)
		assert_refused(dprh_queue_finish(queue));
	dprh_queue_destroy(queue);
	dprh_queue_destroy(other);
	restart();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("faults of the command queue");
	TCase *tcase = tcase_create("faults");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, one_failure);
	tcase_add_test(tcase, lost_device);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
