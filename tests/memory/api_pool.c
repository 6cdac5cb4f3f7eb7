/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_pool.c - memory pools as a program sees them: which memory is used again,
 * and when; limits; and what happens when memory runs out.
 *
 * To prove that work is ordered, the tests make the earlier work slow, so that
 * the data is wrong without the order.
 */
#include <pthread.h>

#include "tests/support/pool_test.h"

/* --- When memory is used again ---------------------------------------------
 */

START_TEST(at_once_on_the_same_queue)
{
	dpr_usm *a, *b;
	void *at;
	int i;

	busy(q1, SLOW);
	for (i = 0; i < 50; i++) {
		a = new_ints(q1, N, i);
		at = dpr_usm_address(a);
		dpr_usm_release(a);
		b = new_usm(q1, DPR_USM_DEVICE, BYTES);
		ck_assert_ptr_eq(dpr_usm_address(b), at);
		/* The fill of the previous owner comes before this one. */
		fill(q1, b, i + 1000);
		dpr_usm_release(b);
	}
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 1);
	b = new_usm(q1, DPR_USM_DEVICE, BYTES);
	fill(q1, b, 7);
	check_all(q1, b, 7);
	dpr_usm_release(b);
	finish();
}
END_TEST

/* A queue, in order or not, gets memory of another queue only after its
   work. */
START_TEST(elsewhere_when_done)
{
	dpr_queue *other = new_queue(_i ? DPR_QUEUE_OUT_OF_ORDER : 0);
	dpr_usm *a = new_ints(q1, N, 5), *b;
	void *at = dpr_usm_address(a);

	CHECK_OK(dpr_queue_wait(q1));
	mock->hold(1);
	fill(q1, a, 6);
	dpr_usm_release(a);
	b = new_usm(other, DPR_USM_DEVICE, BYTES);
	ck_assert_ptr_ne(dpr_usm_address(b), at);
	ck_assert_uint_ge(stats_of(device, DPR_USM_DEVICE).pending, BYTES);
	dpr_usm_release(b);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_uint_eq(stats_of(device, DPR_USM_DEVICE).pending, 0);
	/* All free blocks have merged again. */
	ck_assert_uint_eq(stats_of(device, DPR_USM_DEVICE).largest_free,
			  stats_of(device, DPR_USM_DEVICE).held);
	b = new_usm(other, DPR_USM_DEVICE, BYTES);
	ck_assert_ptr_eq(dpr_usm_address(b), at);
	dpr_usm_release(b);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* Released memory is not used again before its work is done, if an out-of-order
   queue or two queues use it, or if the host may access it. */
START_TEST(waits_for_its_tickets)
{
	dpr_queue *other = new_queue(_i == 0 ? DPR_QUEUE_OUT_OF_ORDER : 0);
	dpr_usm_kind kind = _i == 2   ? DPR_USM_SHARED
			    : _i == 3 ? DPR_USM_HOST
				      : DPR_USM_DEVICE;
	dpr_queue *queue = _i == 0 ? other : q1;
	dpr_usm *a = new_usm(queue, kind, BYTES), *b;
	void *at = dpr_usm_address(a);
	int i;

	mock->hold(1);
	fill(queue, a, 1);
	if (_i == 1) {
		/* Change no element: nothing orders this launch and the
		   fill. */
		dpr_arg args[2] = { DPR_USM_AT(a, 0), DPR_ARG((uint64_t)0) };
		dpr_kernel *plus = mock_kernel(q1, "add_one");

		CHECK_OK(dpr_kernel_launch_usm(other, plus, DPR_RANGE1(N), NULL,
					       NULL, args, 2));
		dpr_kernel_release(plus);
	}
	dpr_usm_release(a);
	for (i = 0; i < 20; i++) {
		b = new_usm(queue, kind, BYTES);
		ck_assert_ptr_ne(dpr_usm_address(b), at);
		dpr_usm_release(b);
	}
	ck_assert_uint_ge(stats_of(device, kind).pending, BYTES);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(other));
	ck_assert_uint_eq(stats_of(device, kind).pending, 0);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* Nothing waits: an allocation that finds no free block checks what is done. */
START_TEST(comes_back_without_a_wait)
{
	enum { MOST = 300 };
	dpr_usm *list[MOST], *first = new_usm(q1, DPR_USM_SHARED, 2 * MIB);
	void *at = dpr_usm_address(first);
	int n = 0;

	fill(q1, first, 1);
	dpr_usm_release(first);
	do {
		pause_ns(MS);
		list[n] = new_usm(q1, DPR_USM_SHARED, 2 * MIB);
	} while (dpr_usm_address(list[n]) != at && ++n < MOST);
	ck_assert_int_lt(n, MOST);
	for (; n >= 0; n--)
		dpr_usm_release(list[n]);
	finish();
}
END_TEST

/* --- Slabs and whole objects -----------------------------------------------
 */

START_TEST(shares_slabs)
{
	dpr_usm *list[64], *found;
	size_t offset;
	int i;

	for (i = 0; i < 64; i++)
		list[i] = new_usm(q1, DPR_USM_SHARED, 1000 + (size_t)i);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 1);
	for (i = 0; i < 64; i++)
		memset(dpr_usm_address(list[i]), i, 1000 + (size_t)i);
	for (i = 0; i < 64; i++) {
		unsigned char *at = dpr_usm_address(list[i]);

		ck_assert_uint_eq(at[0], (unsigned)i);
		ck_assert_uint_eq(at[999 + i], (unsigned)i);
		CHECK_OK(dpr_usm_find(at + 999 + i, &found, &offset));
		ck_assert_ptr_eq(found, list[i]);
		ck_assert_uint_eq(offset, 999 + (unsigned)i);
		dpr_usm_release(found);
		/* Behind the allocation: its size was rounded up, but this byte
		   is not its own. */
		if (1000 + i >= 1024)
			continue;
		CHECK_FAILS(DPR_ERROR_NOT_FOUND,
			    dpr_usm_find(at + 1000 + i, &found, NULL));
	}
	for (i = 0; i < 64; i++) {
		void *at = dpr_usm_address(list[i]);

		dpr_usm_release(list[i]);
		CHECK_FAILS(DPR_ERROR_NOT_FOUND,
			    dpr_usm_find(at, &found, NULL));
	}
	ck_assert_uint_eq(stats_of(device, DPR_USM_SHARED).largest_free,
			  2 * MIB);
	/* Slabs for medium and for large requests. */
	list[0] = new_usm(q1, DPR_USM_SHARED, 3 * MIB);
	list[1] = new_usm(q1, DPR_USM_SHARED, 5 * MIB);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 2);
	list[2] = new_usm(q1, DPR_USM_SHARED, 21 * MIB + 1);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 3);
	ck_assert_uint_eq(stats_of(device, DPR_USM_SHARED).held, 40 * MIB);
	for (i = 0; i < 3; i++)
		dpr_usm_release(list[i]);
	finish();
}
END_TEST

START_TEST(whole_objects)
{
	dpr_usm *a = new_ints(q1, N, 4), *b;
	uint64_t calls = mock->calls(MOCK_mem_alloc);

	ck_assert_ptr_null(dpr_usm_address(a));
	check_all(q1, a, 4);
	dpr_usm_release(a);
	a = new_usm(q1, DPR_USM_DEVICE, BYTES);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), calls);
	/* The object is neither shared nor divided. */
	b = new_usm(q1, DPR_USM_DEVICE, 100);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), calls + 1);
	dpr_usm_release(b);
	dpr_usm_release(a);
	ck_assert_uint_eq(stats_of(device, DPR_USM_DEVICE).slabs, 2);
	/* A slightly smaller request takes the object again, a much smaller one
	   does not. */
	a = new_usm(q1, DPR_USM_DEVICE, BYTES - BYTES / 10);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), calls + 1);
	dpr_usm_release(a);
	a = new_usm(q1, DPR_USM_DEVICE, BYTES / 2);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), calls + 2);
	fill(q1, b = new_usm(q1, DPR_USM_DEVICE, BYTES), 8);
	check_all(q1, b, 8);
	dpr_usm_release(a);
	dpr_usm_release(b);
	finish();
}
END_TEST

/* --- Statistics, trimming, finalize -----------------------------------------
 */

START_TEST(statistics)
{
	dpr_pool_stats s = { .struct_size = 0 };
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, 1000), *b;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pool_get_stats(device, DPR_USM_DEVICE, &s));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pool_get_stats(device, DPR_USM_DEVICE, NULL));
	s.struct_size = sizeof(s);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pool_get_stats(NULL, DPR_USM_DEVICE, &s));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pool_get_stats(device, (dpr_usm_kind)4, &s));
	/* The struct of an older program is shorter: bytes behind it are not
	   written. */
	memset(&s, 0x5a, sizeof(s));
	s.struct_size = 2 * sizeof(uint64_t);
	CHECK_OK(dpr_pool_get_stats(device, DPR_USM_DEVICE, &s));
	ck_assert_uint_eq(s.held, 2 * MIB);
	ck_assert_uint_eq(s.used, UINT64_C(0x5a5a5a5a5a5a5a5a));
	s = stats_of(device, DPR_USM_DEVICE);
	ck_assert_uint_eq(s.used, 1024);
	ck_assert_uint_eq(s.blocks, 1);
	ck_assert_uint_eq(s.slabs, 1);
	ck_assert_uint_eq(s.requests, 1);
	ck_assert_uint_eq(s.hits, 0);
	b = new_usm(q1, DPR_USM_DEVICE, MIB);
	dpr_usm_release(b);
	b = new_usm(q1, DPR_USM_DEVICE, 512);
	s = stats_of(device, DPR_USM_DEVICE);
	ck_assert_uint_eq(s.requests, 3);
	ck_assert_uint_eq(s.hits, 2);
	ck_assert_uint_eq(s.peak_used, MIB + 1024);
	ck_assert_uint_eq(s.peak_held, 2 * MIB);
	ck_assert_uint_eq(s.driver_allocations, 1);
	ck_assert_uint_eq(s.limit, 0);
	/* Each kind of memory has its own pool. */
	ck_assert_uint_eq(stats_of(device, DPR_USM_HOST).held, 0);
	ck_assert_uint_eq(stats_of(device, DPR_USM_HOST).device_held, 2 * MIB);
	dpr_usm_release(a);
	dpr_usm_release(b);
	finish();
}
END_TEST

/* Released memory does not count as used, even if work still uses it. */
START_TEST(peak_without_what_is_released)
{
	dpr_usm *a = new_usm(q1, DPR_USM_SHARED, MIB), *b;
	dpr_pool_stats s;

	mock->hold(1);
	fill(q1, a, 7);
	dpr_usm_release(a);
	b = new_usm(q1, DPR_USM_SHARED, MIB);
	s = stats_of(device, DPR_USM_SHARED);
	ck_assert_uint_eq(s.used, MIB);
	ck_assert_uint_eq(s.pending, MIB);
	ck_assert_uint_eq(s.peak_used, MIB);
	mock->hold(0);
	dpr_usm_release(b);
	finish();
}
END_TEST

START_TEST(trimming)
{
	dpr_usm *list[4], *keep;
	uint64_t freed;
	int i;

	for (i = 0; i < 4; i++)
		list[i] = new_usm(q1, DPR_USM_DEVICE, 20 * MIB);
	keep = new_usm(q1, DPR_USM_HOST, 100);
	for (i = 0; i < 4; i++)
		dpr_usm_release(list[i]);
	ck_assert_uint_eq(mock->live(MOCK_MEM), 5);
	CHECK_OK(dpr_pool_trim(device, 100 * MIB, &freed));
	ck_assert_uint_eq(freed, 0);
	/* 82 MiB are held, and 40 of them must stay. */
	CHECK_OK(dpr_pool_trim(device, 40 * MIB, &freed));
	ck_assert_uint_eq(freed, 40 * MIB);
	ck_assert_uint_eq(mock->live(MOCK_MEM), 3);
	CHECK_OK(dpr_pool_trim(device, 0, &freed));
	ck_assert_uint_eq(freed, 40 * MIB);
	/* Memory in use stays. */
	CHECK_OK(dpr_pool_trim(device, 0, &freed));
	ck_assert_uint_eq(freed, 0);
	ck_assert_uint_eq(stats_of(device, DPR_USM_HOST).device_held, 2 * MIB);
	dpr_usm_release(keep);
	/* Released memory that work still uses stays, too. */
	mock->hold(1);
	dpr_usm_release(new_ints(q1, N, 1));
	CHECK_OK(dpr_pool_trim(device, 0, &freed));
	ck_assert_uint_eq(freed, 2 * MIB);
	ck_assert_uint_eq(mock->live(MOCK_MEM), 1);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_pool_trim(device, 0, NULL));
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_pool_trim(NULL, 0, &freed));
	finish();
}
END_TEST

/* While an object is alive, dpr_finalize() refuses and changes nothing. */
START_TEST(finalize_while_in_use)
{
	dpr_usm *a = new_ints(q1, N, 1);

	CHECK_FAILS(DPR_ERROR_BUSY, dpr_finalize());
	CHECK_TEXT("1 allocations");
	check_all(q1, a, 1);
	dpr_usm_release(a);
	finish();
	CHECK_FAILS(DPR_ERROR_SHUTDOWN, dpr_pool_trim(device, 0, NULL));
}
END_TEST

/* Queues are released while their work still uses released memory. */
START_TEST(queues_go_first)
{
	int i;

	for (i = 0; i < 20; i++) {
		dpr_queue *queue =
			new_queue(i & 1 ? DPR_QUEUE_OUT_OF_ORDER : 0);

		busy(queue, 1);
		dpr_usm_release(new_ints(queue, N, i));
		dpr_queue_release(queue);
	}
	/* Any call that needs memory checks which work is done. */
	for (i = 0; i < 5000 && stats_of(device, DPR_USM_DEVICE).pending; i++) {
		CHECK_OK(dpr_pool_trim(device, 0, NULL));
		pause_ns(MS);
	}
	ck_assert_int_lt(i, 5000);
	CHECK_OK(dpr_pool_trim(device, 0, NULL));
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	finish();
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), 0);
}
END_TEST

/* Each part has a pool of its own, but all share the limit of the whole
   device. */
START_TEST(parts)
{
	dpr_device *half[2];
	dpr_queue *queue;
	dpr_usm *a, *b = (dpr_usm *)&b;
	uint64_t freed;
	size_t n;

	CHECK_OK(dpr_device_partition_equally(device, 2, half, 2, &n));
	CHECK_OK(dpr_device_queue(half[0], &queue));
	a = new_usm(queue, DPR_USM_DEVICE, 5 * MIB);
	ck_assert_uint_eq(stats_of(device, DPR_USM_DEVICE).held, 0);
	ck_assert_uint_eq(stats_of(half[0], DPR_USM_DEVICE).held, 16 * MIB);
	ck_assert_uint_eq(stats_of(device, DPR_USM_DEVICE).device_held,
			  16 * MIB);
	CHECK_OK(dpr_pool_set_limit(half[1], 20 * MIB));
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(q1, DPR_USM_SHARED, 5 * MIB, &b));
	ck_assert_ptr_null(b);
	dpr_usm_release(a);
	/* Now the part's idle memory is given up to make room. */
	b = new_usm(q1, DPR_USM_SHARED, 18 * MIB);
	ck_assert_uint_eq(stats_of(half[0], DPR_USM_DEVICE).held, 0);
	dpr_usm_release(b);
	a = new_usm(queue, DPR_USM_DEVICE, 100);
	dpr_usm_release(a);
	CHECK_OK(dpr_pool_trim(half[1], 0, &freed));
	ck_assert_uint_eq(freed, 0);
	CHECK_OK(dpr_pool_trim(device, 0, &freed));
	ck_assert_uint_eq(freed, 20 * MIB);
	finish();
}
END_TEST

/* --- Threads
 * ------------------------------------------------------------------ */

struct worker {
	dpr_queue *queues[3];
	dpr_kernel *plus;
	uint32_t random;
	uint64_t until;
	int rounds, wrong;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

/* Allocate, fill, use on another queue, read, release. */
static void *work(void *user)
{
	struct worker *w = user;
	int values[64], i;

	do {
		uint32_t r = w->random = w->random * 1103515245 + 12345;
		dpr_queue *home = w->queues[r >> 16 & 1];
		dpr_queue *away = w->queues[(r >> 17) % 3];
		dpr_usm_kind kind =
			(r >> 20) % 4 ? DPR_USM_DEVICE : DPR_USM_SHARED;
		size_t n = 64 + (r >> 8) % 30000;
		int value = (int)(r >> 12), last;
		dpr_usm *usm = new_usm(home, kind, n * sizeof(int));

		CHECK_OK(dpr_usm_fill(away, usm, 0, &value, sizeof(value),
				      n * sizeof(int), NULL, NULL));
		add_one(home, w->plus, usm, n, NULL, NULL);
		w->rounds++;
		if (w->rounds % 3) {
			dpr_usm_release(usm);
			continue;
		}
		CHECK_OK(dpr_usm_read(away, values, usm, 0, sizeof(values),
				      NULL, NULL));
		CHECK_OK(dpr_usm_read(away, &last, usm, (n - 1) * sizeof(int),
				      sizeof(int), NULL, NULL));
		for (i = 0; i < 64; i++)
			w->wrong += values[i] != value + 1;
		w->wrong += last != value + 1;
		dpr_usm_release(usm);
	} while (now() < w->until);
	return NULL;
}

START_TEST(many_threads)
{
	enum { THREADS = 8 };
	struct worker w[THREADS];
	pthread_t threads[THREADS];
	dpr_queue *q3 = new_queue(0), *q4 = new_queue(DPR_QUEUE_OUT_OF_ORDER);
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	uint64_t until = now() + SECOND;
	int i;

	mock->reorder(1);
	for (i = 0; i < THREADS; i++) {
		w[i] = (struct worker){
			{ q1, q3, q4 }, plus, (uint32_t)i * 77 + 1, until, 0, 0
		};
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &w[i]),
				 0);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_int_eq(w[i].wrong, 0);
		ck_assert_int_gt(w[i].rounds, 0);
	}
	dpr_kernel_release(plus);
	dpr_queue_release(q3);
	dpr_queue_release(q4);
	finish();
}
END_TEST

/* --- At once ---------------------------------------------------------------
 */

static dpr_usm *taken_at_once(dpr_usm_kind kind, size_t size)
{
	dpr_usm *usm = NULL;

	CHECK_OK(dpr_pool_try_alloc(q1, kind, size, &usm));
	ck_assert_uint_eq(dpr_usm_size(usm), size);
	ck_assert_int_eq(dpr_usm_get_kind(usm), kind);
	return usm;
}

static void nothing_at_once(dpr_usm_kind kind, size_t size)
{
	dpr_usm *usm = (dpr_usm *)&usm;

	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_pool_try_alloc(q1, kind, size, &usm));
	ck_assert_ptr_null(usm);
}

/* dpr_pool_try_alloc() takes free memory, even in slabs for larger requests,
   and gives up idle memory of other kinds.  It does not wait for work, and does
   not call the pressure callback. */
START_TEST(what_there_is_at_once)
{
	dpr_usm *a = taken_at_once(DPR_USM_DEVICE, 3 * MIB), *b;
	uint64_t held = stats_of(device, DPR_USM_DEVICE).held;

	ck_assert_uint_gt(held, 4 * MIB);
	CHECK_OK(dpr_pool_set_pressure(device, not_asked, NULL));
	CHECK_OK(dpr_pool_set_limit(device, held));
	b = taken_at_once(DPR_USM_DEVICE, 100);
	ck_assert_uint_eq(stats_of(device, DPR_USM_DEVICE).held, held);
	nothing_at_once(DPR_USM_HOST, 100);
	CHECK_TEXT("the limit of the pools is reached");
	dpr_usm_release(b);
	dpr_usm_release(a);
	a = taken_at_once(DPR_USM_SHARED, BYTES);
	ck_assert_uint_eq(stats_of(device, DPR_USM_DEVICE).held, 0);
	CHECK_OK(dpr_pool_set_limit(device, 1));
	mock->hold(1);
	fill(q1, a, 7);
	dpr_usm_release(a);
	nothing_at_once(DPR_USM_SHARED, BYTES);
	mock->hold(0);
	EVENTUALLY(!mock->pending());
	dpr_usm_release(taken_at_once(DPR_USM_SHARED, BYTES));
	finish();
}
END_TEST

static void *look_at_pool(void *nothing)
{
	CHECK_OK(dpr_pool_trim(device, UINT64_MAX, NULL));
	return nothing;
}

/* Let calls of the entry at @entry go on, after wrong code has had time to go
   on without them. */
static void *unblock(void *entry)
{
	const struct timespec pause = { .tv_nsec = 50000000 };

	nanosleep(&pause, NULL);
	mock->block(*(enum mock_entry *)entry, 0);
	return NULL;
}

/* A wait frees the memory of its work, although another thread has just found
   this memory in use. */
START_TEST(looked_at_meanwhile)
{
	enum mock_entry entry = MOCK_queue_flush;
	dpr_usm *a = new_usm(q1, DPR_USM_SHARED, BYTES);
	pthread_t looks, unblocks;

	mock->hold(1);
	fill(q1, a, 1);
	dpr_usm_release(a);
	mock->block(entry, 1);
	ck_assert_int_eq(pthread_create(&looks, NULL, look_at_pool, NULL), 0);
	EVENTUALLY(mock->blocked() == 1);
	mock->hold(0);
	ck_assert_int_eq(pthread_create(&unblocks, NULL, unblock, &entry), 0);
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_uint_eq(stats_of(device, DPR_USM_SHARED).pending, 0);
	pthread_join(looks, NULL);
	pthread_join(unblocks, NULL);
	finish();
}
END_TEST

static void called(dpr_event *event, dpr_status status, void *nothing)
{
	(void)event;
	(void)status;
	(void)nothing;
}

/* The reaper places a marker on a queue that dpr_finalize() has drained. */
START_TEST(marker_of_the_reaper)
{
	enum mock_entry entry = MOCK_queue_barrier;
	dpr_usm *a = new_usm(q1, DPR_USM_SHARED, BYTES);
	dpr_event *event;
	pthread_t unblocks;

	/* The thread that waits for the event wakes the reaper. */
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, called, NULL));
	dpr_event_release(event);
	fill(q1, a, 1);
	mock->block(entry, 1);
	dpr_usm_release(a);
	EVENTUALLY(mock->blocked() == 1);
	mock->hold(0);
	ck_assert_int_eq(pthread_create(&unblocks, NULL, unblock, &entry), 0);
	finish();
	pthread_join(unblocks, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pool");
	TCase *tcase = tcase_create("pool"), *whole = tcase_create("whole");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, at_once_on_the_same_queue);
	tcase_add_loop_test(tcase, elsewhere_when_done, 0, 2);
	tcase_add_loop_test(tcase, waits_for_its_tickets, 0, 4);
	tcase_add_test(tcase, comes_back_without_a_wait);
	tcase_add_test(tcase, shares_slabs);
	tcase_add_test(tcase, statistics);
	tcase_add_test(tcase, peak_without_what_is_released);
	tcase_add_test(tcase, trimming);
	tcase_add_test(tcase, finalize_while_in_use);
	tcase_add_test(tcase, queues_go_first);
	tcase_add_test(tcase, parts);
	tcase_add_test(tcase, many_threads);
	tcase_add_test(tcase, what_there_is_at_once);
	tcase_add_test(tcase, looked_at_meanwhile);
	tcase_add_test(tcase, marker_of_the_reaper);
	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(whole, start_without_addresses, NULL);
	tcase_set_timeout(whole, 60);
	tcase_add_test(whole, whole_objects);
	suite_add_tcase(suite, whole);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
