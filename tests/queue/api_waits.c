/* SPDX-License-Identifier: Apache-2.0 */
/* api_waits.c - drivers that wait for their device while they free or create an
   object: no other work of the program waits with them. */
#include "tests/support/runtime_test.h"

#include <pthread.h>
#include <stdatomic.h>

#define N 256

static atomic_int called;

static void counts(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	atomic_fetch_add(&called, 1);
}

/* Allocate memory from the driver, and release it while work uses it. */
static void release_used(dpr_queue *queue)
{
	dpr_usm *usm;

	CHECK_OK(dpr_driver_alloc(queue, DPR_USM_DEVICE, N * sizeof(int), 0,
				  &usm));
	set_ints(queue, usm, N, 1);
	dpr_usm_release(usm);
}

/* A submission on mock2 is held until work of mock is done, and then runs. */
static void held_work_goes_out(void)
{
	dpr_usm *usm = new_usm(q2, DPR_USM_DEVICE, N * sizeof(int));
	dpr_event *gate, *held;
	int seven = 7;

	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	CHECK_OK(dpr_usm_fill(q2, usm, 0, &seven, sizeof(seven),
			      N * sizeof(int), DPR_AFTER(gate), &held));
	ck_assert_int_eq(dpr_event_get_state(held), DPR_EVENT_HELD);
	mock->hold(0);
	CHECK_OK(dpr_event_wait_for(held, 5 * SECOND));
	dpr_event_release(gate);
	dpr_event_release(held);
	dpr_usm_release(usm);
}

static void callbacks_run(void)
{
	int before = atomic_load(&called);
	dpr_event *event;

	CHECK_OK(dpr_queue_barrier(q2, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, counts, NULL));
	dpr_event_release(event);
	EVENTUALLY(atomic_load(&called) > before);
}

static void queues_submit(void)
{
	dpr_usm *usm = new_ints(q1, N, 3);
	dpr_queue *other;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &other));
	ck_assert_int_eq(first_int(q1, usm), 3);
	set_ints(other, usm, N, 4);
	CHECK_OK(dpr_queue_wait_for(other, 5 * SECOND));
	CHECK_OK(dpr_queue_wait_for(q1, 5 * SECOND));
	dpr_usm_release(usm);
	dpr_queue_release(other);
}

static void all_goes_on(void)
{
	held_work_goes_out();
	callbacks_run();
	queues_submit();
}

static void finish(void)
{
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->misplaced(), 0);
	ck_assert_uint_eq(mock2->misplaced(), 0);
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	ck_assert_uint_eq(mock->live(MOCK_KERNEL), 0);
	ck_assert_uint_eq(mock->live(MOCK_MODULE), 0);
}

/* Memory is released while work uses it.  The reaper frees the memory, and
   hangs. */
START_TEST(memory_is_freed_by_the_reaper)
{
	dpr_event *event;

	mock->hold(1);
	release_used(q1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, counts, NULL));
	mock->block(MOCK_mem_free, 1);
	mock->hold(0);
	EVENTUALLY(mock->blocked());
	all_goes_on();
	ck_assert_uint_eq(mock->blocked(), 1);
	mock->block(MOCK_mem_free, 0);
	dpr_event_release(event);
	finish();
}
END_TEST

struct things {
	dpr_usm *usm;
	dpr_kernel *kernel;
};

static void releases(dpr_event *event, dpr_status status, void *user)
{
	struct things *things = user;

	(void)event;
	(void)status;
	dpr_usm_release(things->usm);
	dpr_kernel_release(things->kernel);
	atomic_fetch_add(&called, 1);
}

/* A callback releases objects whose freeing hangs. */
START_TEST(callbacks_release)
{
	static const enum mock_entry entries[] = { MOCK_mem_free,
						   MOCK_module_kernel_destroy,
						   MOCK_module_destroy };
	struct things things = { .kernel = mock_kernel(q1, "fill_index") };
	dpr_event *event;

	CHECK_OK(dpr_driver_alloc(q1, DPR_USM_DEVICE, N, 0, &things.usm));
	mock->block(entries[_i], 1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, releases, &things));
	EVENTUALLY(mock->blocked() && atomic_load(&called));
	all_goes_on();
	ck_assert_uint_eq(mock->blocked(), 1);
	mock->block(entries[_i], 0);
	dpr_event_release(event);
	finish();
}
END_TEST

static void makes(dpr_event *event, dpr_status status, void *user)
{
	struct things *things = user;

	(void)event;
	(void)status;
	CHECK_OK(dpr_driver_alloc(q1, DPR_USM_DEVICE, N, 0, &things->usm));
	things->kernel = mock_kernel(q1, "fill_index");
	atomic_fetch_add(&called, 1);
}

/* A callback creates objects, which hangs: only other callbacks wait for
   that. */
START_TEST(callbacks_make)
{
	static const enum mock_entry entries[] = { MOCK_mem_alloc,
						   MOCK_module_create,
						   MOCK_module_kernel };
	struct things things = { 0 };
	dpr_event *event;

	/* Free blocks for the allocations of queues_submit(). */
	dpr_usm_release(new_ints(q1, N, 0));
	CHECK_OK(dpr_queue_wait(q1));
	mock->block(entries[_i], 1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, makes, &things));
	EVENTUALLY(mock->blocked());
	held_work_goes_out();
	queues_submit();
	ck_assert_int_eq(atomic_load(&called), 0);
	mock->block(entries[_i], 0);
	EVENTUALLY(atomic_load(&called));
	dpr_event_release(event);
	dpr_usm_release(things.usm);
	dpr_kernel_release(things.kernel);
	finish();
}
END_TEST

/* A held submission has the last reference to a kernel, and fails with the work
   that it waits for.  Destroying the kernel hangs. */
START_TEST(held_work_releases)
{
	dpr_kernel *kernel = mock_kernel(q2, "sleep_ms");
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_event *root, *held;
	unsigned none = 0;
	dpr_arg arg = DPR_ARG(none);

	mock->hold(1);
	mock2->block(MOCK_module_kernel_destroy, 1);
	CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	CHECK_OK(dpr_kernel_launch_usm(q2, kernel, DPR_RANGE1(1),
				       DPR_AFTER(root), &held, &arg, 1));
	dpr_kernel_release(kernel);
	mock->hold(0);
	EVENTUALLY(mock2->blocked());
	held_work_goes_out();
	callbacks_run();
	ck_assert_uint_eq(mock2->blocked(), 1);
	mock2->block(MOCK_module_kernel_destroy, 0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(held, SECOND));
	(void)!dpr_queue_wait(q1);
	(void)!dpr_queue_wait(q2);
	dpr_event_release(root);
	dpr_event_release(held);
	dpr_kernel_release(bad);
	finish();
}
END_TEST

static void *waits_for_queue(void *queue)
{
	CHECK_OK(dpr_queue_wait(queue));
	return NULL;
}

/* A submission has the last reference to a kernel.  Destroying it hangs in a
   wait, which must hold no lock of the queue. */
START_TEST(waits_release)
{
	dpr_kernel *kernel = mock_kernel(q1, "sleep_ms");
	unsigned none = 0;
	dpr_arg arg = DPR_ARG(none);
	pthread_t thread;

	CHECK_OK(dpr_kernel_launch_usm(q1, kernel, DPR_RANGE1(1), NULL, NULL,
				       &arg, 1));
	dpr_kernel_release(kernel);
	mock->block(MOCK_module_kernel_destroy, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, waits_for_queue, q1), 0);
	EVENTUALLY(mock->blocked());
	all_goes_on();
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_uint_eq(mock->blocked(), 1);
	mock->block(MOCK_module_kernel_destroy, 0);
	pthread_join(thread, NULL);
	finish();
}
END_TEST

/* Here the mock itself frees nothing before all other work of the device is
   done, which the tests above imitate by blocking calls.  Another device frees
   meanwhile. */
START_TEST(frees_wait_for_the_device)
{
	dpr_queue *busy, *second;
	dpr_event *event, *stuck;

	CHECK_OK(dpr_canonical_queue("mock:gpu:1", &second));
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &busy));
	mock->stall_command(1);
	CHECK_OK(dpr_queue_barrier(busy, NULL, &stuck));
	release_used(q1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, counts, NULL));
	EVENTUALLY(mock->calls(MOCK_mem_free));
	held_work_goes_out();
	callbacks_run();
	ck_assert_uint_eq(mock->live(MOCK_MEM), 1);
	mock->hold(1);
	release_used(second);
	ck_assert_uint_eq(mock->live(MOCK_MEM), 2);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(second));
	ck_assert_uint_eq(mock->live(MOCK_MEM), 1);
	ck_assert_uint_eq(mock->misplaced(), 0);
	mock->reset();
	dpr_queue_release(busy);
	dpr_event_release(event);
	dpr_event_release(stuck);
	finish();
}
END_TEST

static void start_waiting(void)
{
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	setenv("DPR_OPTION_MOCK_WAITS", "1", 1);
	start_mocks();
}

static void add_case(Suite *suite, const char *name, void (*start)(void),
		     const TTest *test, int n)
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, start, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test, 0, n);
	suite_add_tcase(suite, tcase);
}

int main(void)
{
	Suite *suite = suite_create("api_waits");
	SRunner *runner;
	int failed;

	add_case(suite, "memory", start_mocks, memory_is_freed_by_the_reaper,
		 1);
	add_case(suite, "releases", start_mocks, callbacks_release, 3);
	add_case(suite, "makes", start_mocks, callbacks_make, 3);
	add_case(suite, "held", start_mocks, held_work_releases, 1);
	add_case(suite, "waits", start_mocks, waits_release, 1);
	add_case(suite, "device", start_waiting, frees_wait_for_the_device, 1);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
