/* SPDX-License-Identifier: Apache-2.0 */
/* api_order.c - tracked uses of an allocation stay in order on any mix of
   queues, and cost nothing if there is nothing to order. */
#include <pthread.h>

#include "tests/support/runtime_test.h"

#define N 64

static dpr_queue *new_queue(uint32_t flags)
{
	dpr_queue *queue = NULL;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), flags, &queue));
	return queue;
}

static void check_all(dpr_queue *queue, dpr_usm *usm, int expected)
{
	int values[N], i;

	CHECK_OK(dpr_usm_read(queue, values, usm, 0, sizeof(values), NULL,
			      NULL));
	for (i = 0; i < N; i++)
		ck_assert_int_eq(values[i], expected);
}

/* On one in-order queue, a launch is one enqueue and no other driver call. */
START_TEST(one_queue_is_plain)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 0);
	int i;

	CHECK_OK(dpr_queue_wait(q1));
	mock->reset();
	for (i = 0; i < 100; i++)
		add_one(q1, plus, a, N, NULL, NULL);
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 100);
	ck_assert_uint_eq(mock->calls(MOCK_queue_barrier), 0);
	ck_assert_uint_eq(mock->calls(MOCK_event_status), 0);
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
	check_all(q1, a, 100);
	dpr_kernel_release(plus);
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Asking for the canonical queue again makes no driver call. */
START_TEST(canonical_hit_is_free)
{
	dpr_queue *again;

	mock->reset();
	CHECK_OK(dpr_device_queue(dpr_queue_device(q1), &again));
	ck_assert_ptr_eq(again, q1);
	ck_assert_uint_eq(mock->calls(MOCK_queue_create), 0);
	CHECK_OK(dpr_canonical_queue("mock:gpu:0", &again));
	ck_assert_ptr_eq(again, q1);
	ck_assert_uint_eq(mock->calls(MOCK_queue_create), 0);
}
END_TEST

/* Another queue's use needs one marker; uses that only read need none. */
START_TEST(marker_when_needed)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_kernel *copy = mock_kernel(q1, "copy");
	dpr_usm *a = new_ints(q1, N, 0), *b = new_ints(q1, N, 0);
	dpr_queue *q3 = new_queue(0);
	dpr_usm *c = new_ints(q3, N, 0);

	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q3));
	mock->reset();
	mock->hold(1);
	{
		dpr_arg one[3] = { DPR_USM_READ_WRITE(b, 0), DPR_USM_READ(a, 0),
				   DPR_ARG((uint64_t)N) };
		dpr_arg two[3] = { DPR_USM_READ_WRITE(c, 0), DPR_USM_READ(a, 0),
				   DPR_ARG((uint64_t)N) };

		CHECK_OK(dpr_kernel_launch_usm(q1, copy, DPR_RANGE1(N), NULL,
					       NULL, one, 3));
		CHECK_OK(dpr_kernel_launch_usm(q3, copy, DPR_RANGE1(N), NULL,
					       NULL, two, 3));
	}
	ck_assert_uint_eq(mock->calls(MOCK_queue_barrier), 0);
	/* A write after both reads needs one marker, on the other queue. */
	add_one(q1, plus, a, N, NULL, NULL);
	ck_assert_uint_eq(mock->calls(MOCK_queue_barrier), 1);
	/* After that write, uses on this queue are in order by themselves. */
	add_one(q1, plus, a, N, NULL, NULL);
	ck_assert_uint_eq(mock->calls(MOCK_queue_barrier), 1);
	mock->hold(0);
	check_all(q1, a, 2);
	dpr_kernel_release(plus);
	dpr_kernel_release(copy);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Untracked uses are not ordered, but keep the memory. */
START_TEST(raw_uses_are_pinned)
{
	/* The kernel touches no memory: two unordered ones that did would be a
	   race. */
	dpr_kernel *idle = mock_kernel(q1, "sleep_on");
	dpr_usm *a = new_ints(q1, N, 0);
	dpr_queue *q3 = new_queue(0);
	dpr_arg args[2] = { DPR_USM_AT(a, 0), DPR_ARG((uint32_t)0) };

	CHECK_OK(dpr_queue_wait(q1));
	mock->reset();
	mock->hold(1);
	CHECK_OK(dpr_kernel_launch_usm(q1, idle, DPR_RANGE1(N), NULL, NULL,
				       args, 2));
	CHECK_OK(dpr_kernel_launch_usm(q3, idle, DPR_RANGE1(N), NULL, NULL,
				       args, 2));
	ck_assert_uint_eq(mock->calls(MOCK_queue_barrier), 0);
	dpr_usm_release(a);
	dpr_kernel_release(idle);
	CHECK_OK(dpr_pool_trim(dpr_queue_device(q1), 0, NULL));
	ck_assert_uint_eq(mock->calls(MOCK_mem_free), 0);
	ck_assert_uint_eq(mock->calls(MOCK_module_kernel_destroy), 0);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q3));
	/* The pool has the memory back, and all of it is free. */
	CHECK_OK(dpr_pool_trim(dpr_queue_device(q1), 0, NULL));
	ck_assert_uint_eq(mock->calls(MOCK_mem_free), 1);
	/* Another thread may be freeing the kernel. */
	EVENTUALLY(mock->calls(MOCK_module_kernel_destroy) == 1);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Memory comes back even if the program never waits for the queue. */
START_TEST(memory_comes_back)
{
	int i;

	dpr_pool_stats stats = { .struct_size = sizeof(stats) };
	dpr_device *device = dpr_queue_device(q1);

	for (i = 0; i < 200; i++) {
		dpr_usm *usm = new_usm(q1, DPR_USM_SHARED, 1 << 18);

		CHECK_OK(dpr_usm_fill(q1, usm, 0, &i, 4, 1 << 18, NULL, NULL));
		dpr_usm_release(usm);
	}
	/* Each call that needs memory takes back blocks whose work is done. */
	for (i = 0; i < 5000; i++) {
		CHECK_OK(dpr_pool_trim(device, 0, NULL));
		CHECK_OK(dpr_pool_get_stats(device, DPR_USM_SHARED, &stats));
		if (!stats.held)
			break;
		pause_ns(MS);
	}
	ck_assert_int_lt(i, 5000);
	ck_assert_uint_eq(stats.pending, 0);
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Without the order, the queues' threads would lose increments. */
START_TEST(alternating_queues)
{
	dpr_queue *queues[4] = { q1, new_queue(0),
				 new_queue(DPR_QUEUE_OUT_OF_ORDER),
				 new_queue(DPR_QUEUE_OUT_OF_ORDER) };
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 0);
	uint32_t random = 1;
	int i;

	ck_assert_uint_eq(dpr_queue_get_flags(queues[2]),
			  DPR_QUEUE_OUT_OF_ORDER);
	mock->reorder(1);
	for (i = 0; i < 600; i++) {
		random = random * 1103515245 + 12345;
		add_one(queues[random >> 16 & 3], plus, a, N, NULL, NULL);
	}
	check_all(queues[2], a, 600);
	dpr_kernel_release(plus);
	dpr_usm_release(a);
	for (i = 1; i < 4; i++)
		dpr_queue_release(queues[i]);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* One out-of-order queue that runs the newest command first: several readers,
   then a writer, then more readers. */
START_TEST(readers_and_writers_out_of_order)
{
	dpr_queue *q3 = new_queue(DPR_QUEUE_OUT_OF_ORDER);
	dpr_usm *a = new_ints(q3, N, 1), *copies[8];
	int i, value;

	for (i = 0; i < 8; i++)
		copies[i] = new_ints(q3, N, 0);
	CHECK_OK(dpr_queue_wait(q3));
	mock->reorder(1);
	mock->hold(1);
	for (i = 0; i < 4; i++)
		CHECK_OK(dpr_usm_copy(q3, copies[i], 0, a, 0, N * 4, NULL,
				      NULL));
	value = 2;
	CHECK_OK(dpr_usm_fill(q3, a, 0, &value, 4, N * 4, NULL, NULL));
	for (i = 4; i < 8; i++)
		CHECK_OK(dpr_usm_copy(q3, copies[i], 0, a, 0, N * 4, NULL,
				      NULL));
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q3));
	for (i = 0; i < 8; i++) {
		check_all(q3, copies[i], i < 4 ? 1 : 2);
		dpr_usm_release(copies[i]);
	}
	dpr_usm_release(a);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* On an out-of-order queue, a launch of an empty range waits for the memory
   that it uses, but holds up no other work. */
START_TEST(empty_ranges_are_no_barriers)
{
	dpr_queue *q3 = new_queue(DPR_QUEUE_OUT_OF_ORDER);
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q3, N, 0), *b = new_ints(q3, N, 0);
	dpr_arg on_a[2] = { DPR_USM_READ_WRITE(a, 0), DPR_ARG((uint64_t)N) };
	dpr_arg on_b[2] = { DPR_USM_READ_WRITE(b, 0), DPR_ARG((uint64_t)N) };
	dpr_event *of_a, *of_b, *more;

	CHECK_OK(dpr_queue_wait(q3));
	mock->stall_command(1);
	add_one(q3, plus, a, N, NULL, NULL);
	CHECK_OK(dpr_kernel_launch_usm(q3, plus, DPR_RANGE2(N, 0), NULL, &of_b,
				       on_b, 2));
	CHECK_OK(dpr_kernel_launch_usm(q3, plus, DPR_RANGE1(0), NULL, &of_a,
				       on_a, 2));
	add_one(q3, plus, b, N, NULL, &more);
	CHECK_OK(dpr_event_wait_for(of_b, 10 * SECOND));
	CHECK_OK(dpr_event_wait_for(more, 10 * SECOND));
	ck_assert_int_lt(dpr_event_get_state(of_a), DPR_EVENT_COMPLETE);
	ck_assert_int_eq(first_int(q3, b), 1);
	/* This ends the stuck command. */
	mock->reset();
	ck_assert_int_ne(dpr_event_wait(of_a), DPR_ERROR_TIMEOUT);
	dpr_event_release(of_a);
	dpr_event_release(of_b);
	dpr_event_release(more);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_kernel_release(plus);
	dpr_queue_release(q3);
	ck_assert_int_ne(dpr_finalize(), DPR_ERROR_BUSY);
}
END_TEST

/* Each part of a device has a canonical queue of its own, and can use the
   memory of the other parts and of the whole. */
START_TEST(parts_of_a_device)
{
	static const char source[] =
		"kernel void add_one(global int *x, ulong n)"
		"{ ulong i = get_global_id(0); if (i < n) x[i] += 1; }";
	dpr_device *parts[2];
	dpr_queue *queues[3] = { q1 }, *again;
	dpr_usm *a = new_ints(q1, N, 0);
	dpr_kernel *kernels[3];
	size_t n;
	int i;

	CHECK_OK(dpr_device_partition_equally(dpr_queue_device(q1), 2, parts, 2,
					      &n));
	ck_assert_uint_eq(n, 2);
	for (i = 0; i < 2; i++) {
		CHECK_OK(dpr_device_queue(parts[i], &queues[i + 1]));
		CHECK_OK(dpr_device_queue(parts[i], &again));
		ck_assert_ptr_eq(again, queues[i + 1]);
		ck_assert_ptr_ne(again, q1);
	}
	for (i = 0; i < 3; i++)
		CHECK_OK(dpr_kernel_from_source(queues[i], source, "add_one",
						&kernels[i]));
	for (i = 0; i < 300; i++)
		add_one(queues[i % 3], kernels[i % 3], a, N, NULL, NULL);
	check_all(queues[1], a, 300);
	for (i = 0; i < 3; i++)
		dpr_kernel_release(kernels[i]);
	dpr_usm_release(a);
	/* Kernels that only the cache still holds do not count as alive. */
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MODULE), 0);
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), 0);
}
END_TEST

/* Threads use two allocations in opposite order, on two queues and through
   another backend: there is no deadlock, and no increment is lost. */
struct crosser {
	dpr_queue *queue[3];
	dpr_kernel *plus;
	dpr_usm *usm[2];
	unsigned seed;
	int n;
};

static void *cross(void *user)
{
	struct crosser *c = user;
	uint32_t random = c->seed;
	dpr_event *done, *gate = NULL;
	int i;

	for (i = 0; i < c->n; i++) {
		unsigned which = random >> 20 & 1;
		dpr_usm *to = c->usm[which], *from = c->usm[!which];
		dpr_queue *queue = c->queue[random >> 16 & 1];

		random = random * 1103515245 + 12345;
		/* This reads the other allocation, so that both are in use. */
		CHECK_OK(
			dpr_usm_copy(queue, to, N * 4, from, 0, 4, NULL, NULL));
		add_one(queue, c->plus, to, N, NULL, NULL);
		if (i % 16)
			continue;
		/* Go to the other backend and back. */
		add_one(queue, c->plus, to, N, NULL, &done);
		CHECK_OK(
			dpr_queue_barrier(c->queue[2], DPR_AFTER(done), &gate));
		dpr_event_release(done);
		add_one(queue, c->plus, to, N, DPR_AFTER(gate), NULL);
		dpr_event_release(gate);
	}
	return NULL;
}

START_TEST(threads_cross)
{
	enum { THREADS = 4, EACH = 160 };
	struct crosser c[THREADS];
	dpr_queue *q3 = new_queue(_i ? DPR_QUEUE_OUT_OF_ORDER : 0);
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *usm[2] = { new_ints(q1, N + 1, 0), new_ints(q1, N + 1, 0) };
	int values[2][N], i, expected;
	pthread_t threads[THREADS];

	mock->reorder(_i);
	for (i = 0; i < THREADS; i++) {
		c[i] = (struct crosser){ { q1, q3, q2 },
					 plus,
					 { usm[0], usm[1] },
					 77 + (unsigned)i,
					 EACH };
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, cross, &c[i]), 0);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 2; i++)
		CHECK_OK(dpr_usm_read(q1, values[i], usm[i], 0, N * 4, NULL,
				      NULL));
	expected = THREADS * (EACH + 2 * (EACH / 16));
	for (i = 0; i < N; i++)
		ck_assert_int_eq(values[0][i] + values[1][i], expected);
	dpr_kernel_release(plus);
	dpr_usm_release(usm[0]);
	dpr_usm_release(usm[1]);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A released queue is freed when its work is done, even if an allocation that
   it used stays and is not used any more. */
START_TEST(released_queues_go)
{
	uint32_t flags = _i ? DPR_QUEUE_OUT_OF_ORDER : 0;
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 0);
	dpr_queue *q3;
	uint64_t live;
	int i, value;

	CHECK_OK(dpr_queue_wait(q1));
	live = mock->live(MOCK_QUEUE);
	mock->hold(1);
	for (i = 0; i < 20; i++) {
		q3 = new_queue(flags);
		add_one(q3, plus, a, N, NULL, NULL);
		dpr_queue_release(q3);
	}
	/* Each launch waits for the one before it, even on a released queue. */
	add_one(q1, plus, a, N, NULL, NULL);
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), live + 20);
	mock->hold(0);
	EVENTUALLY(!dpr_pool_trim(dpr_queue_device(q1), 0, NULL) &&
		   mock->live(MOCK_QUEUE) == live);
	q3 = new_queue(flags);
	add_one(q3, plus, a, N, NULL, NULL);
	check_all(q1, a, 22);
	dpr_queue_release(q3);
	value = 5;
	CHECK_OK(dpr_usm_fill(q1, a, 0, &value, 4, N * 4, NULL, NULL));
	check_all(q1, a, 5);
	dpr_usm_release(a);
	dpr_kernel_release(plus);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), 0);
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
}
END_TEST

/* Several threads create, use and release queues, on allocations that stay. */
static void *churn_queues(void *user)
{
	struct crosser *c = user;
	uint32_t flags;
	int i;

	for (i = 0; i < c->n; i++) {
		dpr_usm *usm = c->usm[i & 1];
		dpr_queue *queue;

		flags = i & 2 ? DPR_QUEUE_OUT_OF_ORDER : 0;
		queue = new_queue(flags);
		add_one(queue, c->plus, usm, N, NULL, NULL);
		dpr_queue_release(queue);
		if (i % 4 == 0)
			add_one(c->queue[0], c->plus, usm, N, NULL, NULL);
	}
	return NULL;
}

START_TEST(threads_churn_queues)
{
	enum { THREADS = 3, EACH = 48 };
	struct crosser c = { { q1 },
			     mock_kernel(q1, "add_one"),
			     { new_ints(q1, N, 0), new_ints(q1, N, 0) },
			     0,
			     EACH };
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, churn_queues, &c), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check_all(q1, c.usm[0], THREADS * (EACH / 2 + EACH / 4));
	check_all(q1, c.usm[1], THREADS * (EACH / 2));
	EVENTUALLY(!dpr_pool_trim(dpr_queue_device(q1), 0, NULL) &&
		   mock->live(MOCK_QUEUE) == 1);
	dpr_kernel_release(c.plus);
	dpr_usm_release(c.usm[0]);
	dpr_usm_release(c.usm[1]);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
}
END_TEST

/* Several threads create, use and release allocations on two queues. */
static void *churn(void *user)
{
	struct crosser *c = user;
	int i;

	for (i = 0; i < c->n; i++) {
		dpr_usm *usm = new_ints(c->queue[i & 1], N, 0), *found;

		add_one(c->queue[i >> 1 & 1], c->plus, usm, N, NULL, NULL);
		add_one(c->queue[i & 1], c->plus, usm, N, NULL, NULL);
		CHECK_OK(dpr_usm_find((char *)dpr_usm_address(usm) + 5, &found,
				      NULL));
		ck_assert_ptr_eq(found, usm);
		dpr_usm_release(found);
		if (i % 8 == 0)
			ck_assert_int_eq(first_int(c->queue[0], usm), 2);
		dpr_usm_release(usm);
	}
	return NULL;
}

START_TEST(threads_churn)
{
	enum { THREADS = 3 };
	dpr_queue *q3 = new_queue(0);
	struct crosser c = { { q1, q3, q2 },
			     mock_kernel(q1, "add_one"),
			     { NULL, NULL },
			     0,
			     100 };
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, churn, &c),
				 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	dpr_kernel_release(c.plus);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), 0);
	ck_assert_uint_eq(mock->live(MOCK_KERNEL), 0);
	ck_assert_uint_eq(mock->live(MOCK_CONTEXT), 0);
}
END_TEST

/* A wait with a time limit returns in time, even if another thread goes on
   submitting. */
struct submitter {
	dpr_queue *queue;
	int ended;
};

static void *submit_barriers(void *user)
{
	struct submitter *s = user;
	dpr_event *done;
	int i;

	for (i = 0; i < 40; i++) {
		CHECK_OK(dpr_queue_barrier(s->queue, NULL, &done));
		dpr_event_release(done);
	}
	__atomic_store_n(&s->ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

START_TEST(limited_waits_are_limited)
{
	int round, i;

	for (round = 0; round < 40; round++) {
		struct submitter s = {
			new_queue(_i ? DPR_QUEUE_OUT_OF_ORDER : 0), 0
		};
		pthread_t thread;

		/* One of the barriers never ends. */
		mock->stall_command((uint64_t)round % 40 + 1);
		ck_assert_int_eq(
			pthread_create(&thread, NULL, submit_barriers, &s), 0);
		for (i = 0; !__atomic_load_n(&s.ended, __ATOMIC_ACQUIRE); i++) {
			dpr_status status =
				dpr_queue_wait_for(s.queue, MS / 20);

			if (status != DPR_ERROR_TIMEOUT)
				CHECK_OK(status);
		}
		pthread_join(thread, NULL);
		CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_queue_wait_for(s.queue, MS));
		/* This ends the stuck barrier. */
		mock->reset();
		dpr_queue_release(s.queue);
	}
	ck_assert_int_ne(dpr_finalize(), DPR_ERROR_BUSY);
}
END_TEST

static void check_limited(dpr_queue *queue)
{
	dpr_status status = dpr_queue_wait_for(queue, MS);

	if (status != DPR_ERROR_TIMEOUT)
		CHECK_OK(status);
}

/* A wait with a time limit also returns in time if all work is known to be
   done, and only the marker of an earlier wait never ends. */
START_TEST(late_markers_are_not_waited_for)
{
	dpr_queue *q3 = new_queue(_i ? DPR_QUEUE_OUT_OF_ORDER : 0);
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q3, N, 0);
	dpr_event *done;

	CHECK_OK(dpr_queue_wait(q3));
	add_one(q3, plus, a, N, NULL, &done);
	mock->stall_command(1);
	/* No event of the work is left that could serve as a marker. */
	CHECK_OK(dpr_event_wait(done));
	check_limited(q3);
	dpr_event_release(done);
	/* A call that needs the memory checks how far the work is. */
	dpr_usm_release(a);
	CHECK_OK(dpr_pool_trim(dpr_queue_device(q1), 0, NULL));
	check_limited(q3);
	mock->reset();
	dpr_kernel_release(plus);
	dpr_queue_release(q3);
	ck_assert_int_ne(dpr_finalize(), DPR_ERROR_BUSY);
}
END_TEST

/* A wait with a time limit does not call the driver's finish for a queue whose
   handle the program has: it would wait for the program's own commands, too. */
START_TEST(work_past_us_is_not_waited_for)
{
	dpr_queue *q3 = new_queue(0);
	uintptr_t handle;
	uint64_t calls;

	CHECK_OK(dpr_queue_native(q3, &handle));
	ck_assert_uint_ne(handle, 0);
	calls = mock->calls(MOCK_queue_finish);
	CHECK_OK(dpr_queue_wait_for(q3, 10000 * MS));
	ck_assert_uint_eq(mock->calls(MOCK_queue_finish), calls);
	CHECK_OK(dpr_queue_wait(q3));
	ck_assert_uint_gt(mock->calls(MOCK_queue_finish), calls);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A fill writes a block and copies it, and one copy is refused.  The block must
   stay until all commands that read the block are done. */
START_TEST(refused_part_of_a_fill)
{
	enum { BLOCK = 16384 };
	static int got[2 * BLOCK];
	dpr_usm *a, *b, *c;
	uintptr_t native;
	size_t offset;
	int value = 77, i;
	dpr_queue *q3;

	setenv("DPR_OPTION_MOCK_OPTIONAL", "0", 1);
	start_mocks();
	q3 = new_queue(DPR_QUEUE_OUT_OF_ORDER);
	a = new_ints(q3, 2 * BLOCK, 1);
	b = new_ints(q3, N, 1);
	c = new_ints(q3, N, 1);
	CHECK_OK(dpr_queue_wait(q3));
	mock->hold(1);
	mock->fail(MOCK_queue_copy, 1, 1, DPR_RC_NATIVE, -9);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_fill(q3, a, 0, &value, 4, sizeof(got), NULL, NULL));
	/* There are so many commands that the queue checks for finished
	   ones. */
	for (i = 0; i < 200; i++)
		CHECK_OK(dpr_usm_copy(q3, b, 0, c, 0, N * 4, NULL, NULL));
	dpr_usm_release(b);
	dpr_usm_release(c);
	ck_assert_int_eq(dpr_queue_wait_for(q3, MS), DPR_ERROR_TIMEOUT);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q3));
	/* The host can read the mock's memory directly. */
	CHECK_OK(dpr_usm_native(a, &native, &offset));
	memcpy(got, (char *)native + offset, sizeof(got));
	for (i = 0; i < BLOCK; i++)
		ck_assert_int_eq(got[i], 77);
	check_spoiled(q3, a, DPR_ERROR_DRIVER);
	dpr_usm_release(a);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
}
END_TEST

static void start_small(void)
{
	setenv("DPR_OPTION_MOCK_MEMORY", "1000000", 1);
	setenv("DPR_OPTION_MOCK_MAX_ALLOC", "900000", 1);
	start_mocks();
}

/* An allocation waits for memory that is being released.  Otherwise the error
   says which queue has the memory. */
START_TEST(small_memory)
{
	dpr_usm *a = new_ints(q1, 150000, 1), *b = (dpr_usm *)&b;

	mock->delay(50 * MS);
	CHECK_OK(dpr_usm_fill(q1, a, 0, "abcd", 4, 4, NULL, NULL));
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 500000, &b));
	ck_assert_ptr_null(b);
	CHECK_TEXT("600000 bytes on mock:gpu:0 (canonical)");
	CHECK_TEXT("1 allocations");
	dpr_usm_release(a);
	CHECK_OK(dpr_usm_alloc(q1, DPR_USM_DEVICE, 500000, &b));
	dpr_usm_release(b);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 900001, &b));
	CHECK_TEXT("900000");
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("order");
	TCase *tcase = tcase_create("order"), *small = tcase_create("small");
	TCase *parts = tcase_create("parts");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, one_queue_is_plain);
	tcase_add_test(tcase, canonical_hit_is_free);
	tcase_add_test(tcase, marker_when_needed);
	tcase_add_test(tcase, raw_uses_are_pinned);
	tcase_add_test(tcase, memory_comes_back);
	tcase_add_test(tcase, alternating_queues);
	tcase_add_test(tcase, readers_and_writers_out_of_order);
	tcase_add_test(tcase, empty_ranges_are_no_barriers);
	tcase_add_test(tcase, parts_of_a_device);
	tcase_add_loop_test(tcase, threads_cross, 0, 2);
	tcase_add_test(tcase, threads_churn);
	tcase_add_loop_test(tcase, limited_waits_are_limited, 0, 2);
	tcase_add_loop_test(tcase, released_queues_go, 0, 2);
	tcase_add_test(tcase, threads_churn_queues);
	tcase_add_loop_test(tcase, late_markers_are_not_waited_for, 0, 2);
	tcase_add_test(tcase, work_past_us_is_not_waited_for);
	suite_add_tcase(suite, tcase);
	tcase_add_test(parts, refused_part_of_a_fill);
	suite_add_tcase(suite, parts);
	tcase_add_checked_fixture(small, start_small, NULL);
	tcase_add_test(small, small_memory);
	suite_add_tcase(suite, small);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
