/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_faults.c - the Level Zero backend with each call of the driver failing
   in turn, with a device that is lost, and with eight threads. */
#include <pthread.h>

#include "tests/level_zero/level_zero_test.h"
#include "tests/support/driver_faults.h"
#include "tests/support/random.h"

/* --- Work in addition to that of driver_faults.h --- */

/* Copies that change to the other list, with a dependency. */
static dpr_status try_copies(void)
{
	dpr_usm *large = NULL;
	dpr_event *first = NULL, *second = NULL;
	dpr_events after = { 1, &first };
	dpr_status status =
		dpr_usm_alloc(queue, DPR_USM_DEVICE, 6 << 20, &large);

	if (!status)
		status = dpr_usm_fill(queue, large, 0, "abcd", 4, 6 << 20, NULL,
				      NULL);
	if (!status)
		status = dpr_usm_copy(queue, large, 0, large, 3 << 20, 3 << 20,
				      NULL, &first);
	if (!status)
		status = dpr_usm_copy(queue, usm, 0, large, 0, 64, &after,
				      &second);
	if (!status)
		status = dpr_event_wait(second);
	dpr_event_release(first);
	dpr_event_release(second);
	dpr_usm_release(large);
	return status;
}

static dpr_status try_transfers(void)
{
	static char bytes[200000];
	dpr_usm *made = NULL;
	dpr_status status =
		dpr_usm_alloc(queue, DPR_USM_DEVICE, sizeof(bytes), &made);

	if (!status)
		status = dpr_usm_write(queue, made, 0, bytes, sizeof(bytes),
				       NULL, NULL);
	if (!status)
		status = dpr_usm_read(queue, bytes, made, 0, sizeof(bytes),
				      NULL, NULL);
	dpr_usm_release(made);
	return status;
}

static dpr_status try_part(void)
{
	dpr_device *parts[2] = { NULL };
	size_t n;
	dpr_status status = dpr_device_partition_domain(
		dpr_queue_device(queue), DPR_DOMAIN_NUMA, parts, 2, &n);

	return try_on_part(status, parts[1]);
}

static dpr_status try_times(void)
{
	dpr_queue *made;
	dpr_event *done = NULL;
	dpr_times times;
	dpr_status status = dpr_queue_create(dpr_queue_device(queue),
					     DPR_QUEUE_PROFILING, &made);

	if (!status)
		status =
			dpr_usm_fill(made, usm, 0, "\7\0\0", 4, 4, NULL, &done);
	if (!status)
		status = dpr_event_wait(done);
	/* The driver may have failed to report the time. */
	if (!status && dpr_event_times(done, &times))
		ck_assert(zecpu->failed() != NULL);
	dpr_event_release(done);
	dpr_queue_release(made);
	return status;
}

static const struct attempt attempts[] = {
	{ "queue", try_queue },         { "alloc", try_alloc },
	{ "fill", try_fill },           { "copies", try_copies },
	{ "transfers", try_transfers }, { "peer copy", try_peer_copy },
	{ "part", try_part },           { "times", try_times },
	{ "take", try_take },
};
#define ATTEMPTS (sizeof(attempts) / sizeof(attempts[0]))

/* --- Each call fails --- */

static void fail_call(uint64_t n, int code)
{
	ck_assert(zecpu->fail(NULL, n, code));
}

static const char *failed_call(void)
{
	return zecpu->failed();
}

static const struct faulty_driver driver = {
	.near = "level_zero:0",
	.far = "level_zero:1",
	.codes = { 0x7ffffffe, 0x70000003 }, /* UNKNOWN, OUT_OF_DEVICE_MEMORY */
	.fail = fail_call,
	.failed = failed_call,
};

static void attempt_all(size_t i)
{
	use_backends(NULL);
	faults_begin(&driver);
	faults_try_all(&driver, &attempts[i]);
	faults_end();
	finish_all();
}

START_TEST(calls_fail)
{
	attempt_all((size_t)_i);
}
END_TEST

START_TEST(calls_fail_with_the_in_order_flag)
{
	ck_assert(zecpu->set("IN_ORDER", 1) && zecpu->set("COUNTER", 1));
	attempt_all((size_t)_i);
}
END_TEST

/* A call fails while the driver starts, or while a context is made. */
START_TEST(starting_fails)
{
	dpr_device *device;
	dpr_queue *made = NULL;
	dpr_status status;

	use_backends(NULL);
	ck_assert(zecpu->fail(NULL, (uint64_t)_i + 1, 0x7ffffffe));
	status = dpr_device_select("level_zero:0", &device);
	if (!status)
		status = dpr_queue_create(device, 0, &made);
	if (status)
		ck_assert(*dpr_last_error());
	dpr_queue_release(made);
	ck_assert(zecpu->fail(NULL, 0, 0));
	finish_all();
}
END_TEST

/* --- A lost device --- */

/* With _i, the driver does not report the loss to calls that ask for the end of
   work. */
START_TEST(a_lost_device)
{
	dpr_event *done[2];
	dpr_usm *other;
	int value = 5;

	ck_assert(zecpu->set("LOST_QUIET", _i));
	use_backends(NULL);
	faults_begin(&driver);
	CHECK_OK(dpr_queue_wait(queue));
	zecpu->hold(true);
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, 4, 16, NULL, &done[0]));
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, 4, 16, NULL, &done[1]));
	zecpu->lose(0);
	zecpu->hold(false);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_event_wait(done[1]));
	CHECK_TEXT("ZE_RESULT_ERROR_DEVICE_LOST");
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_event_wait(done[0]));
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_usm_alloc(queue, DPR_USM_DEVICE, 5 << 20, &other));
	ck_assert_int_ne(dpr_queue_wait(queue), DPR_OK);
	/* The driver's other device still works. */
	ck_assert_int_eq(get_int(far_queue, far_usm, 3), 1);
	dpr_event_release(done[0]);
	dpr_event_release(done[1]);
	faults_end();
	CHECK_OK(dpr_finalize());
	ck_assert_msg(!zecpu->violations(), "%s", zecpu->violation(0));
}
END_TEST

/* Work of one device that waits for a lost device fails, but its own device
   stays usable. */
START_TEST(a_lost_dependency)
{
	dpr_event *first, *second;
	dpr_events after = { 1, &first };
	dpr_queue *third;
	dpr_usm *other;
	int value = 5;

	use_backends(NULL);
	faults_begin(&driver);
	CHECK_OK(dpr_queue_wait(queue));
	CHECK_OK(dpr_queue_wait(far_queue));
	third = new_queue(dpr_queue_device(far_queue), 0);
	zecpu->hold(true);
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, 4, 16, NULL, &first));
	CHECK_OK(dpr_usm_fill(far_queue, far_usm, 0, &value, 4, 16, &after,
			      &second));
	zecpu->lose(0);
	zecpu->hold(false);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_event_wait(second));
	CHECK_OK(dpr_usm_alloc(third, DPR_USM_DEVICE, 5 << 20, &other));
	CHECK_OK(dpr_usm_fill(third, other, 0, &value, 4, 16, NULL, NULL));
	ck_assert_int_eq(get_int(third, other, 3), 5);
	dpr_usm_release(other);
	dpr_queue_release(third);
	dpr_event_release(first);
	dpr_event_release(second);
	ck_assert_int_ne(dpr_queue_wait(far_queue), DPR_OK);
	ck_assert_int_ne(dpr_queue_wait(queue), DPR_OK);
	faults_end();
	CHECK_OK(dpr_finalize());
	ck_assert_msg(!zecpu->violations(), "%s", zecpu->violation(0));
}
END_TEST

/* --- Threads --- */

#define THREADS 8
#define ROUNDS 150

static dpr_usm *counters[THREADS];

/* Returns what went wrong, or NULL. */
static const char *work_on(size_t own)
{
	struct random numbers = { own + 1 };
	dpr_queue *mine = NULL, *list[2];
	int i, value, got = -1;
	dpr_usm *pinned = NULL;
	dpr_event *done;

	if (dpr_queue_create(dpr_queue_device(queue),
			     own % 2 ? DPR_QUEUE_OUT_OF_ORDER : 0, &mine) ||
	    dpr_usm_alloc(queue, DPR_USM_HOST, 4, &pinned))
		return "an object was not made";
	list[0] = queue;
	list[1] = mine;
	for (i = 0; i < ROUNDS; i++) {
		value = i;
		if (dpr_usm_fill(list[random_next(&numbers) % 2], counters[own],
				 0, &value, 4, 4, NULL, NULL) ||
		    dpr_usm_copy(list[random_next(&numbers) % 2], pinned, 0,
				 counters[own], 0, 4, NULL, &done))
			return "a submission failed";
		if (i % 5 == 0 && dpr_queue_wait(list[i / 5 % 2]))
			return "a wait failed";
		if (dpr_event_wait(done))
			return "an event failed";
		dpr_event_release(done);
		memcpy(&got, dpr_usm_address(pinned), sizeof(got));
		if (got != i)
			return "a value is wrong";
	}
	dpr_usm_release(pinned);
	dpr_queue_release(mine);
	return NULL;
}

static void *work(void *own)
{
	return (void *)(uintptr_t)work_on((size_t)(uintptr_t)own);
}

static void run_threads(void)
{
	pthread_t threads[THREADS];
	void *failed;
	size_t i;

	ck_assert(zecpu->set("SLOW_US", 20));
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	for (i = 0; i < THREADS; i++)
		counters[i] = new_ints(queue, DPR_USM_DEVICE, 4, -1);
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work,
						(void *)(uintptr_t)i),
				 0);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		ck_assert_msg(!failed, "thread %d: %s", (int)i,
			      (const char *)failed);
		dpr_usm_release(counters[i]);
	}
	dpr_queue_release(queue);
	finish_all();
}

START_TEST(eight_threads)
{
	run_threads();
}
END_TEST

START_TEST(eight_threads_with_the_in_order_flag)
{
	ck_assert(zecpu->set("IN_ORDER", 1) && zecpu->set("COUNTER", 1));
	run_threads();
}
END_TEST

int main(void)
{
	const struct test_times tests[] = {
		{ calls_fail, ATTEMPTS },
		{ calls_fail_with_the_in_order_flag, ATTEMPTS },
		{ starting_fails, 60 },
		{ a_lost_device, 2 },
		{ a_lost_dependency, 1 },
		{ eight_threads, 1 },
		{ eight_threads_with_the_in_order_flag, 1 },
	};

	return run_tests_times("api_ze_faults", tests,
			       sizeof(tests) / sizeof(tests[0]));
}
