/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_order.c - queues and events of the Level Zero backend.  The driver
   runs commands in any order that is not forbidden, and reports an event that
   is used again too early. */
#include <level_zero/ze_api.h>
#include <pthread.h>

#include "tests/level_zero/level_zero_test.h"
#include "tests/support/random.h"

#define QUEUES 6
#define CELLS 8
#define STEPS 1200
/* Large enough for the engine that only copies. */
#define LARGE ((1u << 20) + 64)

static dpr_queue *queues[QUEUES];
static dpr_usm *cells[CELLS];
static uint32_t model[CELLS];

static void open_queues(void)
{
	dpr_device *first = get_device("level_zero:0");
	dpr_device *second = get_device("level_zero:1");
	size_t i;

	queues[0] = new_queue(first, 0);
	queues[1] = new_queue(first, DPR_QUEUE_OUT_OF_ORDER);
	queues[2] = new_queue(first, DPR_QUEUE_PROFILING);
	queues[3] = new_queue(get_device("level_zero:0.0"), 0);
	queues[4] = new_queue(get_device("level_zero:0.1"),
			      DPR_QUEUE_OUT_OF_ORDER | DPR_QUEUE_PROFILING);
	queues[5] = new_queue(second, 0);
	for (i = 0; i < CELLS; i++) {
		cells[i] = new_ints(queues[i % 5], DPR_USM_DEVICE,
				    i < 3 ? LARGE / 4 : 4, (int)i);
		model[i] = (uint32_t)i;
	}
}

static void close_queues(void)
{
	size_t i;

	for (i = 0; i < CELLS; i++)
		dpr_usm_release(cells[i]);
	for (i = 0; i < QUEUES; i++)
		dpr_queue_release(queues[i]);
	finish_all();
}

static size_t size_of(size_t a, size_t b)
{
	return a < 3 && b < 3 ? LARGE : 16;
}

/* Do one operation on random cells, and on the model.  Only the first bytes of
   a large cell are compared. */
static void step(struct random *seed)
{
	size_t q = random_next(seed) % 5, to = random_next(seed) % CELLS;
	size_t from = random_next(seed) % CELLS;
	uint32_t value = (uint32_t)random_next(seed) % 1000;
	dpr_event *done = NULL;
	dpr_events after = { 1, &done };

	switch (random_next(seed) % 8) {
	case 0: CHECK_OK(dpr_queue_barrier(queues[q], NULL, NULL)); break;
	case 1:
		/* The event is released while a command of another queue waits
		   for it. */
		CHECK_OK(dpr_usm_fill(queues[q], cells[to], 0, &value, 4, 16,
				      NULL, &done));
		CHECK_OK(dpr_queue_barrier(queues[(q + 1) % QUEUES], &after,
					   NULL));
		dpr_event_release(done);
		model[to] = value;
		break;
	case 2:
	case 3:
	case 4:
		CHECK_OK(dpr_usm_fill(queues[q], cells[to], 0, &value, 4, 16,
				      NULL, NULL));
		model[to] = value;
		break;
	default:
		if (from == to)
			break;
		CHECK_OK(dpr_usm_copy(queues[q], cells[to], 0, cells[from], 0,
				      size_of(to, from), NULL, NULL));
		model[to] = model[from];
	}
}

static void compare(uint64_t seed)
{
	struct random numbers = { seed };
	size_t i;

	use_backends(NULL);
	open_queues();
	for (i = 0; i < STEPS; i++) {
		/* Now and then, pile up work, so that the driver can choose the
		   order. */
		if (i % 40 == 0)
			zecpu->hold(i % 80 == 0);
		step(&numbers);
	}
	zecpu->hold(false);
	for (i = 0; i < CELLS; i++)
		ck_assert_msg(
			(uint32_t)get_int(queues[0], cells[i], 0) == model[i],
			"cell %d is %u, not %u", (int)i,
			(uint32_t)get_int(queues[0], cells[i], 0), model[i]);
	close_queues();
}

START_TEST(reversed)
{
	ck_assert(zecpu->set("REVERSE", 1));
	compare(1);
}
END_TEST

START_TEST(in_random_order)
{
	ck_assert(zecpu->set("SEED", 7));
	compare(2);
}
END_TEST

START_TEST(reversed_with_the_in_order_flag)
{
	ck_assert(zecpu->set("REVERSE", 1) && zecpu->set("IN_ORDER", 1));
	compare(3);
}
END_TEST

START_TEST(reversed_with_counter_based_events)
{
	ck_assert(zecpu->set("REVERSE", 1) && zecpu->set("IN_ORDER", 1) &&
		  zecpu->set("COUNTER", 1));
	compare(4);
}
END_TEST

/* The driver lists counter-based events, but refuses to create them. */
START_TEST(counter_based_events_that_are_refused)
{
	dpr_event *done;
	dpr_queue *queue;
	dpr_usm *usm;
	int i;

	ck_assert(zecpu->set("IN_ORDER", 1) && zecpu->set("COUNTER", 1));
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	ck_assert(zecpu->fail("zeEventPoolCreate", 1, 0x78000003));
	for (i = 0; i < 100; i++) {
		CHECK_OK(dpr_usm_fill(queue, usm, 0, &i, 4, 16, NULL, &done));
		CHECK_OK(dpr_event_wait(done));
		dpr_event_release(done);
	}
	ck_assert_ptr_nonnull(zecpu->failed());
	/* Plain events are used instead: they are reset. */
	ck_assert_uint_gt(zecpu->calls("zeEventHostReset"), 0);
	ck_assert_int_eq(get_int(queue, usm, 3), 99);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

START_TEST(late_with_one_worker)
{
	ck_assert(zecpu->set("DELAY_US", 200) && zecpu->set("WORKERS", 1) &&
		  zecpu->set("QUERY_STUCK", 1));
	compare(5);
}
END_TEST

START_TEST(priorities)
{
	static const struct {
		uint64_t flags;
		int priority;
	} all[] = {
		{ DPR_QUEUE_PRIORITY_LOW,
		  ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW },
		{ 0, ZE_COMMAND_QUEUE_PRIORITY_NORMAL },
		{ DPR_QUEUE_PRIORITY_HIGH,
		  ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH },
	};
	dpr_queue *queue;
	uint64_t before;
	size_t i;

	use_backends(NULL);
	for (i = 0; i < 3; i++) {
		before = zecpu->lists(all[i].priority);
		queue = new_queue(get_device("level_zero:1"), all[i].flags);
		ck_assert_uint_eq(zecpu->lists(all[i].priority), before + 1);
		dpr_queue_release(queue);
	}
	finish_all();
}
END_TEST

/* A driver, or a layer of the loader, may refuse the in-order flag although the
   driver reports it.  Queues then keep the order by events, and the flag is not
   tried again. */
static void refuse_flag(ze_result_t result)
{
	dpr_queue *queue, *other;
	uint64_t before;
	dpr_usm *x;
	int i;

	ck_assert(zecpu->set("IN_ORDER", 1) && zecpu->set("REVERSE", 1));
	use_backends(NULL);
	ck_assert(zecpu->fail("zeCommandListCreateImmediate", 1, (int)result));
	queue = new_queue(get_device("level_zero:0"), 0);
	ck_assert_ptr_nonnull(zecpu->failed());
	before = zecpu->calls("zeCommandListCreateImmediate");
	other = new_queue(get_device("level_zero:0"), 0);
	ck_assert_uint_eq(zecpu->calls("zeCommandListCreateImmediate"),
			  before + 1);
	x = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	zecpu->hold(true);
	for (i = 1; i <= 8; i++)
		CHECK_OK(dpr_usm_fill(queue, x, 0, &i, 4, 16, NULL, NULL));
	zecpu->hold(false);
	ck_assert_int_eq(get_int(queue, x, 3), 8);
	dpr_usm_release(x);
	dpr_queue_release(other);
	dpr_queue_release(queue);
	finish_all();
}

START_TEST(a_flag_that_is_no_enumerator)
{
	refuse_flag(ZE_RESULT_ERROR_INVALID_ENUMERATION);
}
END_TEST

START_TEST(a_flag_that_is_unsupported)
{
	refuse_flag(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
}
END_TEST

static void *wait_for(void *queue)
{
	CHECK_OK(dpr_queue_wait(queue));
	return NULL;
}

/* A wait asks the driver now and then, and sleeps meanwhile: polling without
   sleep would ask some 100000 times in this time. */
START_TEST(waits_sleep)
{
	const int one = 1;
	pthread_t thread;
	dpr_queue *queue;
	uint64_t before;
	dpr_usm *x;

	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	x = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	zecpu->hold(true);
	CHECK_OK(dpr_usm_fill(queue, x, 0, &one, 4, 16, NULL, NULL));
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for, queue), 0);
	usleep(100000);
	before = zecpu->calls("zeEventHostSynchronize");
	usleep(300000);
	ck_assert_uint_lt(zecpu->calls("zeEventHostSynchronize") - before,
			  2000);
	zecpu->hold(false);
	pthread_join(thread, NULL);
	ck_assert_int_eq(get_int(queue, x, 0), 1);
	dpr_usm_release(x);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* Count the lists that copies create: without (0) or with an engine for
   copies. */
static uint64_t count_lists(int groups)
{
	dpr_queue *queue;
	uint64_t before;
	dpr_usm *a, *b;

	ck_assert(zecpu->set("COPY_GROUPS", groups));
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	a = new_ints(queue, DPR_USM_DEVICE, LARGE / 4, 1);
	b = new_ints(queue, DPR_USM_DEVICE, LARGE / 4, 2);
	before = zecpu->calls("zeCommandListCreateImmediate");
	CHECK_OK(dpr_usm_copy(queue, a, 0, b, 0, 4096, NULL, NULL));
	ck_assert_uint_eq(zecpu->calls("zeCommandListCreateImmediate"), before);
	CHECK_OK(dpr_usm_copy(queue, a, 0, b, 0, LARGE, NULL, NULL));
	before = zecpu->calls("zeCommandListCreateImmediate") - before;
	ck_assert_int_eq(get_int(queue, a, LARGE / 4 - 1), 2);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_queue_release(queue);
	finish_all();
	return before;
}

static uint64_t count(const char *call)
{
	return zecpu->calls(call);
}

/* A list of a released queue serves the next queue with the same properties.
   Some drivers wait for other work when a list is destroyed. */
START_TEST(lists_are_kept)
{
	dpr_device *device;
	dpr_queue *queue, *other;
	uintptr_t handle;
	uint64_t made;
	dpr_usm *x;
	int i;

	use_backends(NULL);
	device = get_device("level_zero:0");
	queue = new_queue(device, 0);
	x = new_ints(queue, DPR_USM_SHARED, 4, 7);
	made = count("zeCommandListCreateImmediate");
	for (i = 0; i < 40; i++) {
		other = new_queue(device, 0);
		CHECK_OK(dpr_usm_fill(other, x, 0, &i, 4, 4, NULL, NULL));
		ck_assert_int_eq(get_int(other, x, 0), i);
		CHECK_OK(dpr_usm_advise(other, x, 0, 16, DPR_ADVICE_NONE));
		dpr_queue_release(other);
	}
	/* There is a list for advice, and a list for each queue that was made
	   while the queue before it was alive. */
	ck_assert_uint_lt(count("zeCommandListCreateImmediate"), made + 20);
	ck_assert_uint_eq(count("zeCommandListDestroy"), 0);
	/* Another priority needs another list. */
	made = count("zeCommandListCreateImmediate");
	other = new_queue(device, DPR_QUEUE_PRIORITY_HIGH);
	ck_assert_uint_eq(count("zeCommandListCreateImmediate"), made + 1);
	/* The program may still use a list that it has asked for. */
	CHECK_OK(dpr_queue_native(other, &handle));
	dpr_queue_release(other);
	for (i = 0; i < 5000 && !count("zeCommandListDestroy"); i++) {
		/* A new queue frees those whose work is over. */
		dpr_queue_release(new_queue(device, 0));
		usleep(1000);
	}
	ck_assert_uint_eq(count("zeCommandListDestroy"), 1);
	dpr_usm_release(x);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

START_TEST(large_copies_have_an_engine)
{
	ck_assert_uint_eq(count_lists(2), 1);
}
END_TEST

START_TEST(large_copies_do_without)
{
	ck_assert_uint_eq(count_lists(0), 0);
}
END_TEST

/* On an out-of-order queue, small and large copies use two lists, and a barrier
   orders both.  Only two commands are let go, each the newest that can run. */
static void check_barrier(bool large_first)
{
	dpr_event *first, *second, **small, **large;
	dpr_queue *queue;
	dpr_usm *a, *b, *c;
	int value = 7, i;

	ck_assert(zecpu->set("REVERSE", 1));
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), DPR_QUEUE_OUT_OF_ORDER);
	a = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	b = new_ints(queue, DPR_USM_DEVICE, LARGE / 4, 1);
	c = new_ints(queue, DPR_USM_DEVICE, LARGE / 4, 1);
	CHECK_OK(dpr_queue_wait(queue));
	zecpu->hold(true);
	small = large_first ? &second : &first;
	large = large_first ? &first : &second;
	for (i = 0; i < 2; i++) {
		if (i)
			CHECK_OK(dpr_queue_barrier(queue, NULL, NULL));
		if (large_first == !i)
			CHECK_OK(dpr_usm_copy(queue, b, 0, c, 0, LARGE, NULL,
					      large));
		else
			CHECK_OK(dpr_usm_fill(queue, a, 0, &value, 4, 16, NULL,
					      small));
	}
	ck_assert_uint_eq(zecpu->step(2), 2);
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(second, 0));
	zecpu->hold(false);
	CHECK_OK(dpr_event_wait(second));
	CHECK_OK(dpr_event_wait_for(first, 0));
	dpr_event_release(first);
	dpr_event_release(second);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	dpr_queue_release(queue);
	finish_all();
}

START_TEST(a_barrier_before_a_large_copy)
{
	check_barrier(false);
}
END_TEST

START_TEST(a_barrier_after_a_large_copy)
{
	check_barrier(true);
}
END_TEST

/* Release a queue while its work waits: the list is destroyed later. */
START_TEST(a_busy_queue_leaves)
{
	dpr_device *device;
	dpr_queue *queue, *other;
	dpr_event *done;
	dpr_usm *usm;

	use_backends(NULL);
	device = get_device("level_zero:0");
	other = queue_of(device);
	queue = new_queue(device, DPR_QUEUE_OUT_OF_ORDER);
	usm = new_ints(other, DPR_USM_DEVICE, 4, 1);
	CHECK_OK(dpr_queue_wait(other));
	zecpu->hold(true);
	CHECK_OK(dpr_usm_fill(queue, usm, 0, "\5\0\0", 4, 16, NULL, &done));
	dpr_queue_release(queue);
	ck_assert(dpr_event_wait_for(done, 0) == DPR_ERROR_TIMEOUT);
	zecpu->hold(false);
	CHECK_OK(dpr_event_wait(done));
	dpr_event_release(done);
	ck_assert_int_eq(get_int(other, usm, 3), 5);
	dpr_usm_release(usm);
	finish_all();
}
END_TEST

/* On an in-order queue with the driver's flag, an operation is one call. */
START_TEST(one_append)
{
	dpr_queue *queue;
	uint64_t before;
	dpr_usm *usm;
	int i;

	ck_assert(zecpu->set("IN_ORDER", 1) && zecpu->set("COUNTER", 1));
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	CHECK_OK(dpr_queue_wait(queue));
	before = zecpu->calls(NULL);
	for (i = 0; i < 50; i++)
		CHECK_OK(dpr_usm_fill(queue, usm, 0, &i, 4, 16, NULL, NULL));
	ck_assert_uint_eq(zecpu->calls(NULL) - before, 50);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* Events are used again, so their number does not grow with the work. */
START_TEST(events_come_back)
{
	dpr_queue *queue;
	uint64_t before;
	dpr_usm *usm;
	int i;

	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	for (i = 0; i < 1000; i++) {
		CHECK_OK(dpr_usm_fill(queue, usm, 0, &i, 4, 16, NULL, NULL));
		if (i == 200)
			before = zecpu->calls("zeEventCreate");
		if (i % 20 == 0)
			CHECK_OK(dpr_queue_wait(queue));
	}
	ck_assert_uint_eq(zecpu->calls("zeEventCreate"), before);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* Fill the cell @n times; the last fill gives an event if @done is not NULL. */
static void fill_often(dpr_queue *queue, dpr_usm *usm, int n, dpr_event **done)
{
	int i;

	for (i = 1; i <= n; i++)
		CHECK_OK(dpr_usm_fill(queue, usm, 0, &i, 4, 16, NULL,
				      i == n ? done : NULL));
}

/* A command of another queue waits for an event that has happened, and that the
   program has released.  The event must not be used again before that command
   is over.  The queue looks for completed commands now and then, so there are
   more than a few of them. */
START_TEST(an_event_that_a_command_waits_for)
{
	dpr_queue *queue, *other;
	dpr_event *done;
	dpr_events after = { 1, &done };
	dpr_usm *usm;

	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
	other = new_queue(get_device("level_zero:0"), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	CHECK_OK(dpr_queue_wait(queue));
	zecpu->hold(true);
	fill_often(queue, usm, 8, &done);
	fill_often(queue, usm, 56, NULL);
	CHECK_OK(dpr_queue_barrier(other, &after, NULL));
	/* All but the barrier. */
	ck_assert_uint_eq(zecpu->step(64), 64);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_event_release(done);
	fill_often(queue, usm, 200, NULL);
	zecpu->hold(false);
	ck_assert_int_eq(get_int(queue, usm, 3), 200);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	dpr_queue_release(other);
	finish_all();
}
END_TEST

/* Check that times increase, even when the event's or the device's clock
   wraps. */
static void check_times(int64_t ticks)
{
	dpr_times times, last = { 0 };
	dpr_queue *queue;
	dpr_event *done;
	dpr_usm *usm;
	int i;

	ck_assert(zecpu->set("TICKS", ticks));
	ck_assert(zecpu->set("DELAY_US", 2000));
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), DPR_QUEUE_PROFILING);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	for (i = 0; i < 20; i++) {
		CHECK_OK(dpr_usm_fill(queue, usm, 0, &i, 4, 16, NULL, &done));
		CHECK_OK(dpr_event_wait(done));
		CHECK_OK(dpr_event_times(done, &times));
		dpr_event_release(done);
		ck_assert_uint_ge(times.started, times.queued);
		ck_assert_uint_ge(times.ended, times.started);
		ck_assert_uint_ge(times.started, last.ended);
		ck_assert_uint_lt(times.ended - times.queued,
				  UINT64_C(60000000000));
		last = times;
	}
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}

START_TEST(times)
{
	check_times(1000000);
}
END_TEST

/* The time stamps of events have 32 bits and wrap during the test. */
START_TEST(times_that_wrap)
{
	check_times((INT64_C(1) << 32) - 300000);
}
END_TEST

START_TEST(a_clock_that_wraps)
{
	check_times((INT64_C(1) << 36) - 300000);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		reversed,
		in_random_order,
		reversed_with_the_in_order_flag,
		reversed_with_counter_based_events,
		counter_based_events_that_are_refused,
		late_with_one_worker,
		lists_are_kept,
		priorities,
		a_flag_that_is_no_enumerator,
		a_flag_that_is_unsupported,
		waits_sleep,
		large_copies_have_an_engine,
		large_copies_do_without,
		a_barrier_before_a_large_copy,
		a_barrier_after_a_large_copy,
		a_busy_queue_leaves,
		one_append,
		events_come_back,
		an_event_that_a_command_waits_for,
		times,
		times_that_wrap,
		a_clock_that_wraps,
	};

	return run_tests("api_ze_order", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
