/* SPDX-License-Identifier: Apache-2.0 */
/* api_event.c - events: states, errors with their texts, times, callbacks. */
#include "tests/support/runtime_test.h"

#include <pthread.h>
#include <stdatomic.h>

#define N 64

START_TEST(states)
{
	dpr_kernel *sleep_ms = mock_kernel(q1, "sleep_ms");
	dpr_arg arg = DPR_ARG((unsigned)50);
	dpr_event *event, *later;
	const char *text;
	dpr_status status = DPR_ERROR_BUSY;

	mock->hold(1);
	CHECK_OK(dpr_kernel_launch_usm(q1, sleep_ms, DPR_RANGE1(1), NULL,
				       &event, &arg, 1));
	CHECK_OK(dpr_queue_barrier(q1, NULL, &later));
	ck_assert_int_eq(dpr_event_get_state(event), DPR_EVENT_QUEUED);
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(event, 0));
	CHECK_TEXT("sleep_ms");
	mock->hold(0);
	EVENTUALLY(dpr_event_get_state(event) >= DPR_EVENT_RUNNING);
	CHECK_OK(dpr_event_wait(event));
	ck_assert_int_eq(dpr_event_get_state(event), DPR_EVENT_COMPLETE);
	CHECK_OK(dpr_event_wait_for(event, 0));
	dpr_event_error(event, &status, &text);
	ck_assert_int_eq(status, DPR_OK);
	ck_assert_str_eq(text, "");
	dpr_event_error(event, NULL, NULL);
	ck_assert_str_eq(dpr_event_name(event), "sleep_ms");
	CHECK_OK(dpr_events_wait_for(DPR_AFTER(event, NULL, later), SECOND));
	CHECK_OK(dpr_events_wait_for(NULL, 0));
	dpr_event_release(event);
	dpr_event_release(later);
	dpr_kernel_release(sleep_ms);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(bad_arguments)
{
	dpr_times t;
	uint64_t ns;
	dpr_event *event;

	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_events_wait_for(&(dpr_events){ 1, NULL }, 0));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_event_times(NULL, &t));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_event_times(event, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_event_duration(NULL, &ns));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_event_on_end(event, NULL, NULL));
	dpr_event_release(NULL);
	ck_assert_ptr_null(dpr_event_retain(NULL));
	ck_assert_ptr_null(dpr_event_queue(NULL));
	ck_assert_int_eq(dpr_event_get_state(NULL), DPR_EVENT_COMPLETE);
	ck_assert_str_eq(dpr_event_name(NULL), "");
	dpr_event_release(event);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* An event gives references to its queue as long as there is another one. */
START_TEST(queue_of_an_event)
{
	dpr_queue *queue, *again;
	dpr_event *event;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &queue));
	CHECK_OK(dpr_queue_barrier(queue, NULL, &event));
	again = dpr_event_retain_queue(event);
	ck_assert_ptr_eq(again, queue);
	dpr_queue_release(queue);
	ck_assert_ptr_eq(dpr_event_queue(event), again);
	CHECK_OK(dpr_queue_wait(again));
	dpr_queue_release(again);
	ck_assert_ptr_null(dpr_event_retain_queue(event));
	dpr_event_release(event);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	ck_assert_ptr_eq(dpr_event_retain_queue(event), q1);
	dpr_queue_release(q1);
	dpr_event_release(event);
	ck_assert_ptr_null(dpr_event_retain_queue(NULL));
	CHECK_OK(dpr_finalize());
}
END_TEST

/* An event that the program asked for names exactly the command that failed. */
START_TEST(exact_failure)
{
	dpr_usm *a = new_ints(q1, N, 0);
	dpr_event *good, *bad;
	int value = 1;

	mock->fail_command(2, DPR_RC_NATIVE, -99);
	CHECK_OK(dpr_usm_fill(q1, a, 0, &value, 4, 4, NULL, &good));
	CHECK_OK(dpr_usm_write(q1, a, 0, &value, 4, NULL, &bad));
	CHECK_OK(dpr_event_wait(good));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(bad));
	CHECK_TEXT("write on mock:gpu:0 (canonical) failed");
	CHECK_TEXT("-99");
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_events_wait(DPR_AFTER(good, bad)));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_TEXT("write on mock:gpu:0 (canonical) failed");
	CHECK_OK(dpr_queue_wait(q1));
	dpr_event_release(good);
	dpr_event_release(bad);
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* dpr_event_get_state() does not count as a failing call: whatever it sees, the
   last error stays the same, even its address. */
START_TEST(looking_keeps_the_last_error)
{
	dpr_usm *a = new_ints(q1, N, 0);
	const char *lent, *text;
	dpr_event *event;
	dpr_status status;
	int value = 1;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_queue_flush(NULL));
	lent = dpr_last_error();
	CHECK_OK(dpr_usm_fill(q1, a, 0, &value, 4, 4, NULL, &event));
	EVENTUALLY(!mock->pending());
	mock->fail(MOCK_event_status, 1, 2, DPR_RC_NATIVE, -7);
	ck_assert_int_eq(dpr_event_get_state(event), DPR_EVENT_FAILED);
	ck_assert_ptr_eq(dpr_last_error(), lent);
	CHECK_TEXT("the queue is NULL");
	dpr_event_error(event, &status, &text);
	ck_assert_int_eq(status, DPR_ERROR_DRIVER);
	ck_assert_ptr_nonnull(strstr(text, "state of fill"));
	ck_assert_ptr_nonnull(strstr(text, "-7"));
	dpr_event_release(event);
	/* It flushes, too, and a flush that fails changes nothing either. */
	CHECK_OK(dpr_usm_fill(q1, a, 0, &value, 4, 4, NULL, &event));
	mock->fail(MOCK_queue_flush, 1, 1, DPR_RC_NATIVE, -8);
	EVENTUALLY(dpr_event_get_state(event) == DPR_EVENT_COMPLETE);
	ck_assert_ptr_eq(dpr_last_error(), lent);
	dpr_event_release(event);
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Commands that depend on a failed one in the same backend report the first
   failure of the chain. */
START_TEST(failure_flows)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_event *root, *last, *next;
	dpr_queue *q3;
	int i;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	mock->hold(1);
	CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, &root,
				       NULL, 0));
	last = dpr_event_retain(root);
	for (i = 0; i < 10; i++) {
		CHECK_OK(dpr_queue_barrier(i & 1 ? q1 : q3, DPR_AFTER(last),
					   &next));
		dpr_event_release(last);
		last = next;
	}
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait_for(last, 5 * SECOND));
	CHECK_TEXT("barrier on mock:gpu:0 (canonical) was not done");
	CHECK_TEXT("fail on mock:gpu:0 (canonical) failed");
	CHECK_TEXT("-42");
	dpr_event_release(root);
	dpr_event_release(last);
	dpr_kernel_release(bad);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q3));
	dpr_queue_release(q3);
	/* A long chain of released events is freed without harm. */
	last = NULL;
	for (i = 0; i < 1000; i++) {
		CHECK_OK(dpr_queue_barrier(q1, DPR_AFTER(last), &next));
		dpr_event_release(last);
		last = next;
	}
	dpr_event_release(last);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* If no event was asked for, the wait names all commands that may have
   failed. */
START_TEST(vague_failure)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 0);

	CHECK_OK(dpr_queue_wait(q1));
	mock->fail_command(3, DPR_RC_NATIVE, -98);
	add_one(q1, plus, a, N, NULL, NULL);
	CHECK_OK(dpr_usm_fill(q1, a, 0, "abcd", 4, 4, NULL, NULL));
	add_one(q1, plus, a, N, NULL, NULL);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	CHECK_TEXT("-98");
	CHECK_TEXT("add_one, fill, add_one");
	ck_assert_ptr_null(strstr(dpr_last_error(), "fill, add_one, fill"));
	CHECK_OK(dpr_queue_wait(q1));
	/* A wait with a time limit does the same. */
	set_ints(q1, a, N, 0);
	CHECK_OK(dpr_queue_wait(q1));
	mock->fail_command(1, DPR_RC_NATIVE, -97);
	add_one(q1, plus, a, N, NULL, NULL);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait_for(q1, 5 * SECOND));
	CHECK_TEXT("-97");
	dpr_kernel_release(plus);
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A command that the driver refuses is an error of that call alone.  The queue
   stays usable. */
START_TEST(refused_at_once)
{
	dpr_usm *a = new_ints(q1, N, 5);
	dpr_event *done = (dpr_event *)&done;
	int value = 1;

	mock->fail(MOCK_queue_write, 1, 1, DPR_RC_OOM_DEVICE, -3);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_write(q1, a, 0, &value, 4, NULL, &done));
	ck_assert_ptr_null(done);
	CHECK_TEXT("write on mock:gpu:0 (canonical)");
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_int_eq(first_int(q1, a), 5);
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* When a device is lost, all its commands fail, and nothing hangs. */
START_TEST(lost_device)
{
	dpr_usm *a = new_ints(q1, N, 5), *b = new_ints(q2, N, 5), *c;
	dpr_event *pending, *held, *more = NULL;

	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, a, 0, "abcd", 4, 4, NULL, &pending));
	CHECK_OK(dpr_usm_fill(q2, b, 0, "abcd", 4, 4, DPR_AFTER(pending),
			      &held));
	mock->lose(0);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_event_wait_for(pending, 5 * SECOND));
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_event_wait_for(held, 5 * SECOND));
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_usm_fill(q1, a, 0, "abcd", 4, 4, NULL, &more));
	ck_assert_ptr_null(more);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_queue_wait(q1));
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 10, &c));
	/* The other backend stays usable. */
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_queue_wait(q2));
	check_spoiled(q2, b, DPR_ERROR_DEVICE_LOST);
	set_ints(q2, b, N, 6);
	ck_assert_int_eq(first_int(q2, b), 6);
	dpr_event_release(pending);
	dpr_event_release(held);
	dpr_usm_release(a);
	dpr_usm_release(b);
	/* The library ends, whatever it reports about the lost device. */
	ck_assert_int_ne(dpr_finalize(), DPR_ERROR_BUSY);
}
END_TEST

/* Commands that failed because of a lost device have that status, whether an
   event or a wait reports them. */
START_TEST(lost_dependency)
{
	dpr_queue *one, *told, *untold;
	dpr_event *root, *last;
	dpr_usm *a, *b, *c;

	CHECK_OK(dpr_canonical_queue("mock:gpu:0", &one));
	CHECK_OK(dpr_canonical_queue("mock:gpu:1", &told));
	CHECK_OK(dpr_queue_create(dpr_queue_device(told), 0, &untold));
	a = new_ints(one, N, 5);
	b = new_ints(told, N, 5);
	c = new_ints(untold, N, 5);
	mock->hold(1);
	CHECK_OK(dpr_usm_fill(one, a, 0, "abcd", 4, 4, NULL, &root));
	CHECK_OK(
		dpr_usm_fill(told, b, 0, "abcd", 4, 4, DPR_AFTER(root), &last));
	CHECK_OK(dpr_usm_fill(untold, c, 0, "abcd", 4, 4, DPR_AFTER(root),
			      NULL));
	mock->lose(0);
	mock->hold(0);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_event_wait(last));
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_queue_wait(told));
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_queue_wait(untold));
	/* The other device stays usable. */
	CHECK_OK(dpr_usm_fill(untold, c, 0, "abcd", 4, 4, NULL, NULL));
	CHECK_OK(dpr_queue_wait(untold));
	dpr_event_release(root);
	dpr_event_release(last);
	dpr_queue_release(untold);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	ck_assert_int_ne(dpr_finalize(), DPR_ERROR_BUSY);
}
END_TEST

static void start_two(void)
{
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	start_mocks();
}

static int called, order[64];

static void notes(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	if (!status)
		order[called % 64] = (int)(intptr_t)user;
	__atomic_add_fetch(&called, 1, __ATOMIC_RELEASE);
}

START_TEST(callbacks_once_each)
{
	dpr_event *events[32];
	int i, j;

	mock->hold(1);
	for (i = 0; i < 32; i++) {
		CHECK_OK(dpr_queue_barrier(q1, NULL, &events[i]));
		for (j = 0; j < 2; j++)
			CHECK_OK(dpr_event_on_end(
				events[i], notes,
				(void *)(intptr_t)(2 * i + j)));
		dpr_event_release(events[i]);
	}
	pause_ns(5 * MS);
	ck_assert_int_eq(__atomic_load_n(&called, __ATOMIC_ACQUIRE), 0);
	mock->hold(0);
	EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE) == 64);
	pause_ns(5 * MS);
	ck_assert_int_eq(__atomic_load_n(&called, __ATOMIC_ACQUIRE), 64);
	for (i = 0; i < 32; i++) {
		for (j = 0; j < 64 && order[j] != 2 * i; j++)
			;
		/* The callbacks of one event are called in the order in which
		   they were registered. */
		ck_assert_int_lt(j, 63);
		ck_assert_int_eq(order[j + 1], 2 * i + 1);
	}
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Lines in the log: fills that take long, queues that take long, all. */
static atomic_int n_fills, n_queues, n_lines;

static void reads_log(void *user, enum dpr_log_level level, const char *line)
{
	(void)user;
	if (level != DPR_LOG_WARN)
		return;
	atomic_fetch_add(&n_lines, 1);
	if (!strstr(line, ": still not done, waiting since 20"))
		return;
	if (strstr(line, "fill on mock:gpu:0 (canonical)"))
		atomic_fetch_add(&n_fills, 1);
	if (strstr(line, "all work on mock2:gpu:0 (canonical)"))
		atomic_fetch_add(&n_queues, 1);
}

static void *waits_for(void *event)
{
	CHECK_OK(dpr_event_wait(event));
	return NULL;
}

static void *waits_for_queue(void *queue)
{
	CHECK_OK(dpr_queue_wait(queue));
	return NULL;
}

/* The log has one line for each wait that takes long, and none for others. */
START_TEST(long_waits)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q2, N, 1);
	pthread_t one, two;
	dpr_event *event;

	dpr_log_set(DPR_LOG_WARN, reads_log, NULL);
	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, a, 0, "abcd", 4, 4, NULL, &event));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(event, 10 * MS));
	mock2->hold(1);
	CHECK_OK(dpr_usm_fill(q2, b, 0, "abcd", 4, 4, NULL, NULL));
	ck_assert_int_eq(pthread_create(&one, NULL, waits_for, event), 0);
	ck_assert_int_eq(pthread_create(&two, NULL, waits_for_queue, q2), 0);
	while (!atomic_load(&n_fills) || !atomic_load(&n_queues))
		pause_ns(10 * MS);
	/* No line is repeated. */
	pause_ns(3 * SECOND);
	mock->hold(0);
	mock2->hold(0);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_int_eq(atomic_load(&n_fills), 1);
	ck_assert_int_eq(atomic_load(&n_queues), 1);
	ck_assert_int_eq(atomic_load(&n_lines), 2);
	dpr_log_set(DPR_LOG_WARN, NULL, NULL);
	dpr_event_release(event);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The plugin runs nothing before a flush: any wait flushes. */
static void start_lazy(void)
{
	setenv("DPR_OPTION_MOCK_LAZY", "1", 1);
	setenv("DPR_OPTION_MOCK2_LAZY", "1", 1);
	start_mocks();
}

START_TEST(nobody_has_to_flush)
{
	dpr_usm *a = new_ints(q1, N, 0);
	dpr_event *event, *other, *held;
	dpr_queue *q3;
	int i;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	for (i = 0; i < 3; i++) {
		CHECK_OK(dpr_usm_fill(q1, a, 0, &i, 4, 4, NULL, &event));
		/* A command on another queue depends on it, and so does one in
		   another backend. */
		CHECK_OK(dpr_queue_barrier(q3, DPR_AFTER(event), &other));
		CHECK_OK(dpr_queue_barrier(q2, DPR_AFTER(other), &held));
		if (i == 0)
			CHECK_OK(dpr_event_wait_for(held, 5 * SECOND));
		if (i == 1)
			EVENTUALLY(dpr_event_get_state(held) ==
				   DPR_EVENT_COMPLETE);
		if (i == 2) {
			called = 0;
			CHECK_OK(dpr_event_on_end(held, notes, NULL));
			EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE) ==
				   1);
		}
		dpr_event_release(event);
		dpr_event_release(other);
		dpr_event_release(held);
	}
	dpr_usm_release(a);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void start_lazy_plain(void)
{
	setenv("DPR_OPTION_MOCK_OPTIONAL", "0", 1);
	start_lazy();
}

/* A fill takes several steps, and the second is refused.  The first is under
   way already, so waiting for the queue's end must flush it. */
START_TEST(half_a_fill)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, 1 << 20);
	uint64_t queues = mock->live(MOCK_QUEUE);
	dpr_queue *q3;
	int one = 1;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_OUT_OF_ORDER,
				  &q3));
	mock->fail(MOCK_queue_copy, 1, 1, DPR_RC_NATIVE, -3);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_fill(q3, a, 0, &one, 4, 1 << 20, NULL, NULL));
	dpr_queue_release(q3);
	dpr_usm_release(a);
	EVENTUALLY(!dpr_queue_wait(q1) && mock->live(MOCK_QUEUE) == queues);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void start_sync(void)
{
	setenv("DPR_LAYERS", "sync", 1);
	start_mocks();
}

/* With the layer "sync", a command that fails makes its call fail, and no work
   is left under way. */
START_TEST(sync_layer)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_usm *a = new_ints(q1, N, 0);
	dpr_event *done = (dpr_event *)&done;

	mock->delay(5 * MS);
	CHECK_OK(dpr_usm_fill(q1, a, 0, "abcd", 4, 4, NULL, NULL));
	ck_assert_uint_eq(mock->pending(), 0);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, &done,
					  NULL, 0));
	ck_assert_ptr_null(done);
	CHECK_TEXT("fail on mock:gpu:0 (canonical) failed");
	dpr_kernel_release(bad);
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(unknown_layer)
{
	dpr_queue *queue;

	setenv("DPR_LAYERS", "sync,asink", 1);
	CHECK_FAILS(DPR_ERROR_ENVIRONMENT, dpr_canonical_queue(NULL, &queue));
	CHECK_TEXT("asink");
	CHECK_TEXT("sync");
}
END_TEST

/* The clock of the mock device differs much from the host's. */
START_TEST(times_on_the_hosts_clock)
{
	dpr_kernel *sleep_ms = mock_kernel(q1, "sleep_ms");
	dpr_arg arg = DPR_ARG((unsigned)20);
	struct timespec before, after;
	dpr_queue *q3, *bare;
	dpr_event *event;
	uint64_t ran;
	dpr_times t;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_PROFILING,
				  &q3));
	clock_gettime(CLOCK_MONOTONIC, &before);
	CHECK_OK(dpr_kernel_launch_usm(q3, sleep_ms, DPR_RANGE1(1), NULL,
				       &event, &arg, 1));
	CHECK_OK(dpr_event_times(event, &t));
	clock_gettime(CLOCK_MONOTONIC, &after);
	ck_assert_uint_ge(t.queued + MS, (uint64_t)before.tv_sec * SECOND +
						 (uint64_t)before.tv_nsec);
	ck_assert_uint_le(t.ended, (uint64_t)after.tv_sec * SECOND +
					   (uint64_t)after.tv_nsec + MS);
	CHECK_OK(dpr_event_duration(event, &ran));
	ck_assert_uint_ge(ran, 19 * MS);
	ck_assert_uint_eq(ran, t.ended - t.started);
	dpr_event_release(event);
	dpr_queue_release(q3);
	dpr_kernel_release(sleep_ms);
	/* A device without clocks has durations only. */
	CHECK_OK(dpr_canonical_queue("mock_bare", &bare));
	if (!dpr_queue_create(dpr_queue_device(bare), DPR_QUEUE_PROFILING,
			      &q3)) {
		CHECK_OK(dpr_queue_barrier(q3, NULL, &event));
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_event_times(event, &t));
		CHECK_TEXT("clock");
		CHECK_OK(dpr_event_duration(event, &ran));
		dpr_event_release(event);
		dpr_queue_release(q3);
	}
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Events that the program does not wait for do not accumulate in the driver. */
START_TEST(many_events)
{
	dpr_usm *a = new_ints(q1, N, 0);
	dpr_queue *q3;
	dpr_event *event;
	int i;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1),
				  _i ? DPR_QUEUE_OUT_OF_ORDER : 0, &q3));
	for (i = 0; i < 5000; i++) {
		CHECK_OK(dpr_usm_fill(q3, a, 0, &i, 4, 4, NULL, &event));
		dpr_event_release(event);
	}
	CHECK_OK(dpr_queue_wait(q3));
	ck_assert_uint_le(mock->live(MOCK_EVENT), 1);
	ck_assert_int_eq(first_int(q3, a), 4999);
	dpr_usm_release(a);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("event");
	TCase *tcase = tcase_create("event"), *lazy = tcase_create("lazy");
	TCase *plain = tcase_create("lazy, without extras");
	TCase *two = tcase_create("two devices");
	TCase *sync = tcase_create("sync"), *bare = tcase_create("bare");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, states);
	tcase_add_test(tcase, bad_arguments);
	tcase_add_test(tcase, queue_of_an_event);
	tcase_add_test(tcase, exact_failure);
	tcase_add_test(tcase, looking_keeps_the_last_error);
	tcase_add_test(tcase, failure_flows);
	tcase_add_test(tcase, vague_failure);
	tcase_add_test(tcase, refused_at_once);
	tcase_add_test(tcase, lost_device);
	tcase_add_test(tcase, long_waits);
	tcase_add_test(tcase, callbacks_once_each);
	tcase_add_test(tcase, times_on_the_hosts_clock);
	tcase_add_loop_test(tcase, many_events, 0, 2);
	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(two, start_two, NULL);
	tcase_set_timeout(two, 60);
	tcase_add_test(two, lost_dependency);
	suite_add_tcase(suite, two);
	tcase_add_checked_fixture(lazy, start_lazy, NULL);
	tcase_add_test(lazy, nobody_has_to_flush);
	suite_add_tcase(suite, lazy);
	tcase_add_checked_fixture(plain, start_lazy_plain, NULL);
	tcase_set_timeout(plain, 30);
	tcase_add_test(plain, half_a_fill);
	suite_add_tcase(suite, plain);
	tcase_add_checked_fixture(sync, start_sync, NULL);
	tcase_add_test(sync, sync_layer);
	suite_add_tcase(suite, sync);
	tcase_add_test(bare, unknown_layer);
	suite_add_tcase(suite, bare);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
