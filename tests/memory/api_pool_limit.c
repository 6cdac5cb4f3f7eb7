/* SPDX-License-Identifier: Apache-2.0 */
/* api_pool_limit.c - limits of pools, and what happens when memory runs out. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/support/runtime_test.h"

#define MIB ((size_t)1 << 20)

static dpr_device *device;

static void start(void)
{
	start_mocks();
	device = dpr_queue_device(q1);
}

/* Two devices of 10 MiB each, with at most 9 MiB for one allocation. */
static void start_small(void)
{
	setenv("DPR_OPTION_MOCK2_MEMORY", "10485760", 1);
	setenv("DPR_OPTION_MOCK2_MAX_ALLOC", "9437184", 1);
	setenv("DPR_OPTION_MOCK_MEMORY", "10485760", 1);
	setenv("DPR_OPTION_MOCK_MAX_ALLOC", "9437184", 1);
	start();
}

static void finish(void)
{
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	ck_assert_uint_eq(mock->bytes(), 0);
}

static void queue_fill(dpr_usm *usm)
{
	int value = 7;

	CHECK_OK(
		dpr_usm_fill(q1, usm, 0, &value, sizeof(value), 4, NULL, NULL));
}

static void fails_to_alloc(size_t size)
{
	dpr_usm *usm = (dpr_usm *)&usm;

	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, size, &usm));
	ck_assert_ptr_null(usm);
}

/* The memory that the pressure callback can release, and a record of its
   calls. */
static struct {
	dpr_usm *list[4];
	int n, calls;
	size_t size;
	uint64_t frees; /* frees by the driver so far */
} relief;

static int relieve(dpr_device *of, size_t size, void *user)
{
	ck_assert_ptr_eq(of, device);
	ck_assert_ptr_eq(user, &relief);
	relief.calls++;
	relief.size = size;
	relief.frees = mock->calls(MOCK_mem_free);
	if (!relief.n)
		return 0;
	dpr_usm_release(relief.list[--relief.n]);
	return 1;
}

static void set_relief(int n, size_t size)
{
	int i;

	for (i = 0; i < n; i++)
		relief.list[i] = new_usm(q1, DPR_USM_DEVICE, size);
	relief.n = n;
	CHECK_OK(dpr_pool_set_pressure(device, relieve, &relief));
}

/* The largest possible request succeeds, even if slabs are usually larger. */
START_TEST(large_requests)
{
	dpr_usm *a, *b;

	a = new_usm(q1, DPR_USM_DEVICE, 9437184);
	dpr_usm_release(a);
	a = new_usm(q1, DPR_USM_DEVICE, 9437183);
	b = new_usm(q1, DPR_USM_SHARED, 1048576 - 600);
	dpr_usm_release(b);
	dpr_usm_release(a);
	fails_to_alloc(9437185);
	CHECK_TEXT("9437184");
	fails_to_alloc(SIZE_MAX);
	finish();
}
END_TEST

/* Small requests use what is left in slabs of large ones. */
START_TEST(small_in_large)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, 9 * MIB), *b, *c;

	dpr_usm_release(a);
	a = new_usm(q1, DPR_USM_DEVICE, 5 * MIB);
	b = new_usm(q1, DPR_USM_DEVICE, MIB);
	c = new_usm(q1, DPR_USM_DEVICE, MIB);
	ck_assert_uint_le(mock->live(MOCK_MEM), 2);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	finish();
}
END_TEST

/* First step: idle slabs of another kind are given back, before anything
   waits. */
START_TEST(step_trim)
{
	dpr_usm *pending = new_usm(q1, DPR_USM_DEVICE, MIB), *a;

	dpr_usm_release(new_usm(q1, DPR_USM_SHARED, 6 * MIB));
	set_relief(1, 100);
	ck_assert_uint_eq(mock->calls(MOCK_mem_free), 0);
	mock->hold(1);
	queue_fill(pending);
	dpr_usm_release(pending);
	a = new_usm(q1, DPR_USM_DEVICE, 6 * MIB);
	ck_assert_uint_eq(mock->calls(MOCK_mem_free), 1);
	ck_assert_int_eq(relief.calls, 0);
	mock->hold(0);
	dpr_usm_release(a);
	dpr_usm_release(relief.list[0]);
	finish();
}
END_TEST

/* Second step: wait for released memory that work uses, in a lane or alone. */
START_TEST(step_wait)
{
	dpr_usm_kind kind = _i ? DPR_USM_SHARED : DPR_USM_DEVICE;
	dpr_usm *pending = new_usm(q1, kind, 6 * MIB), *a;
	dpr_queue *other;

	CHECK_OK(dpr_queue_create(device, 0, &other));
	set_relief(1, 100);
	mock->delay(50 * MS);
	queue_fill(pending);
	dpr_usm_release(pending);
	CHECK_OK(dpr_usm_alloc(other, DPR_USM_DEVICE, 6 * MIB, &a));
	ck_assert_uint_eq(mock->pending(), 0);
	ck_assert_int_eq(relief.calls, 0);
	dpr_usm_release(a);
	dpr_usm_release(relief.list[0]);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* Release memory on another device all the time. */
static void churn(void)
{
	int value = 7;
	dpr_usm *usm;

	while (mock->pending()) {
		usm = new_usm(q2, DPR_USM_SHARED, 100);
		CHECK_OK(dpr_usm_fill(q2, usm, 0, &value, sizeof(value), 4,
				      NULL, NULL));
		dpr_usm_release(usm);
		CHECK_OK(dpr_queue_wait(q2));
	}
}

/* Two threads that wait for memory of the same work get it.  This may take
   long, and other devices do not matter. */
static void *take_some(void *user)
{
	dpr_usm *usm;

	CHECK_OK(dpr_usm_alloc(user, DPR_USM_DEVICE, 3 * MIB, &usm));
	return usm;
}

START_TEST(threads_wait_for_the_same)
{
	dpr_usm *pending = new_usm(q1, DPR_USM_SHARED, 8 * MIB);
	pthread_t threads[2];
	void *usm;
	int i;

	mock->delay(900 * MS);
	queue_fill(pending);
	dpr_usm_release(pending);
	for (i = 0; i < 2; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, take_some, q1), 0);
	if (_i)
		churn();
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], &usm);
		dpr_usm_release(usm);
	}
	finish();
}
END_TEST

/* An allocation that cannot wait for its own device gives up, even while a
   thread waits for another device. */
START_TEST(another_device_is_waited_for)
{
	dpr_usm *here = new_usm(q1, DPR_USM_SHARED, 8 * MIB);
	dpr_usm *there = new_usm(q2, DPR_USM_SHARED, 8 * MIB);
	pthread_t thread;
	int value = 7;
	void *usm;

	mock2->hold(1);
	CHECK_OK(dpr_usm_fill(q2, there, 0, &value, sizeof(value), 4, NULL,
			      NULL));
	dpr_usm_release(there);
	ck_assert_int_eq(pthread_create(&thread, NULL, take_some, q2), 0);
	EVENTUALLY(mock2->calls(MOCK_event_wait));
	mock->hold(1);
	queue_fill(here);
	dpr_usm_release(here);
	mock->fail(MOCK_queue_barrier, 1, UINT64_MAX / 2, DPR_RC_NATIVE, -6);
	mock->fail(MOCK_queue_finish, 1, UINT64_MAX / 2, DPR_RC_NATIVE, -6);
	fails_to_alloc(3 * MIB);
	mock->reset();
	mock2->hold(0);
	pthread_join(thread, &usm);
	dpr_usm_release(usm);
	/* The wait reports that the driver could not wait. */
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	finish();
}
END_TEST

/* Third step: call the pressure callback, as long as it releases something. */
START_TEST(step_pressure)
{
	dpr_usm *a;

	set_relief(3, 3 * MIB);
	dpr_usm_release(new_usm(q1, DPR_USM_SHARED, 100000));
	mock->delay(20 * MS);
	/* Work may use the memory that the callback releases. */
	queue_fill(relief.list[1]);
	a = new_usm(q1, DPR_USM_DEVICE, 4 * MIB);
	ck_assert_int_ge(relief.calls, 1);
	ck_assert_int_le(relief.calls, 2);
	ck_assert_uint_eq(relief.size, 4 * MIB);
	/* Idle memory had been given back before the callback. */
	ck_assert_uint_ge(relief.frees, 1);
	while (relief.n)
		dpr_usm_release(relief.list[--relief.n]);
	dpr_usm_release(a);
	finish();
}
END_TEST

/* Last step: fail, with all sizes in the error text. */
START_TEST(step_error)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, 4 * MIB);
	dpr_usm *b = new_usm(q1, DPR_USM_SHARED, 2 * MIB);
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };

	set_relief(0, 0);
	fails_to_alloc(7 * MIB);
	ck_assert_int_eq(relief.calls, 1);
	CHECK_TEXT("7340032 bytes of kind DEVICE on mock:gpu:0 (canonical)");
	CHECK_TEXT("the device is full");
	CHECK_TEXT(
		"the pools of mock:gpu:0 hold 6291456 bytes: 6291456 in use, "
		"0 released but used by queued work, 0 free");
	CHECK_TEXT("6291456 bytes on this device in 2 allocations");
	CHECK_TEXT("the largest: 4194304 bytes on mock:gpu:0 (canonical), "
		   "2097152 bytes");
	CHECK_OK(dpr_pool_set_pressure(device, NULL, NULL));
	fails_to_alloc(7 * MIB);
	ck_assert_int_eq(relief.calls, 1);
	/* Failed requests do not count as held. */
	CHECK_OK(dpr_pool_get_stats(device, DPR_USM_DEVICE, &stats));
	ck_assert_uint_eq(stats.device_held, 6 * MIB);
	ck_assert_uint_eq(stats.device_peak_held, 6 * MIB);
	dpr_usm_release(a);
	a = new_usm(q1, DPR_USM_DEVICE, 7 * MIB);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pool_set_pressure(NULL, relieve, NULL));
	finish();
}
END_TEST

/* An allocation inside the callback does not call the callback again. */
static int allocate_more(dpr_device *of, size_t size, void *user)
{
	int *depth = user;
	dpr_usm *usm;

	(void)of;
	ck_assert_int_eq(*depth, 0);
	++*depth;
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, size, &usm));
	--*depth;
	return 0;
}

START_TEST(callback_allocates)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, 6 * MIB);
	int depth = 0;

	CHECK_OK(dpr_pool_set_pressure(device, allocate_more, &depth));
	fails_to_alloc(7 * MIB);
	fails_to_alloc(7 * MIB);
	dpr_usm_release(a);
	finish();
}
END_TEST

/* The error text tells free bytes from the largest free block. */
START_TEST(tells_fragmentation)
{
	dpr_usm *list[9];
	int i;

	dpr_usm_release(new_usm(q1, DPR_USM_DEVICE, 9 * MIB));
	for (i = 0; i < 6; i++)
		list[i] = new_usm(q1, DPR_USM_DEVICE, 3 * MIB / 2);
	for (i = 0; i < 6; i += 2)
		dpr_usm_release(list[i]);
	fails_to_alloc(2 * MIB);
	CHECK_TEXT("4718592 free (largest block: 1572864)");
	for (i = 1; i < 6; i += 2)
		dpr_usm_release(list[i]);
	finish();
}
END_TEST

#define RELEASED                                                       \
	"the pools of mock:gpu:0 hold 7340032 bytes: 1048576 in use, " \
	"6291456 released but used by queued work, 0 free"

/* A callback of an event must not wait, so its allocation fails at once. */
static atomic_int called;
static dpr_status in_callback;
static char text_in_callback[4096];

static void alloc_in_callback(dpr_event *event, dpr_status status, void *user)
{
	dpr_usm *usm = NULL;

	(void)event;
	(void)status;
	in_callback = dpr_usm_alloc(user, DPR_USM_DEVICE, 6 * MIB, &usm);
	if (in_callback)
		snprintf(text_in_callback, sizeof(text_in_callback), "%s",
			 dpr_last_error());
	dpr_usm_release(usm);
	atomic_store(&called, 1);
}

/* The error text counts released memory that work uses, whether its own queue
   could reuse it (DEVICE) or no queue (SHARED). */
START_TEST(callbacks_do_not_wait)
{
	dpr_usm_kind kind = _i ? DPR_USM_SHARED : DPR_USM_DEVICE;
	dpr_usm *pending = new_usm(q1, kind, 6 * MIB);
	dpr_usm *used = new_usm(q1, DPR_USM_HOST, MIB);
	dpr_queue *other;
	dpr_event *event;

	CHECK_OK(dpr_queue_create(device, 0, &other));
	CHECK_OK(dpr_queue_barrier(other, NULL, &event));
	CHECK_OK(dpr_event_wait(event));
	mock->hold(1);
	queue_fill(pending);
	dpr_usm_release(pending);
	CHECK_OK(dpr_event_on_end(event, alloc_in_callback, other));
	EVENTUALLY(atomic_load(&called));
	ck_assert_int_eq(in_callback, DPR_ERROR_OUT_OF_DEVICE_MEMORY);
	ck_assert_msg(strstr(text_in_callback, RELEASED) != NULL,
		      "no \"%s\" in: %s", RELEASED, text_in_callback);
	mock->hold(0);
	dpr_event_release(event);
	dpr_usm_release(used);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* If the driver refuses memory once, the core tries again. */
START_TEST(refused_once)
{
	dpr_usm *a;

	mock->fail(MOCK_mem_alloc, 1, 1, DPR_RC_OOM_DEVICE, -4);
	a = new_usm(q1, DPR_USM_DEVICE, 100);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 2);
	dpr_usm_release(a);
	CHECK_OK(dpr_pool_trim(device, 0, NULL));
	/* Any other failure is reported at once. */
	mock->fail(MOCK_mem_alloc, 1, 1, DPR_RC_NATIVE, -99);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 100, &a));
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 3);
	finish();
}
END_TEST

START_TEST(a_lost_device_gives_nothing)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, 1000), *b;
	uint64_t calls;

	queue_fill(a);
	dpr_usm_release(a);
	mock->lose(0);
	(void)!dpr_queue_wait(q1);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 1000, &b));
	ck_assert_ptr_null(b);
	/* The driver is not called any more. */
	calls = mock->calls(MOCK_mem_alloc);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_driver_alloc(q1, DPR_USM_DEVICE, 1000, 0, &b));
	ck_assert_ptr_null(b);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_pool_try_alloc(q1, DPR_USM_DEVICE, 1000, &b));
	ck_assert_ptr_null(b);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), calls);
	(void)!dpr_finalize();
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}
END_TEST

/* --- The limit --------------------------------------------------------------
 */

START_TEST(limits)
{
	dpr_usm *a, *b;
	uint64_t limit;

	CHECK_OK(dpr_pool_get_limit(device, &limit));
	ck_assert_uint_eq(limit, 0);
	CHECK_OK(dpr_pool_set_limit(device, 4 * MIB));
	CHECK_OK(dpr_pool_get_limit(device, &limit));
	ck_assert_uint_eq(limit, 4 * MIB);
	a = new_usm(q1, DPR_USM_DEVICE, 3 * MIB);
	/* Where slabs do not fit, the exact size is allocated: the limit can be
	   used up. */
	b = new_usm(q1, DPR_USM_HOST, MIB);
	ck_assert_uint_eq(mock->bytes(), 4 * MIB);
	fails_to_alloc(600);
	CHECK_TEXT("the limit of the pools is reached; the device's pools may "
		   "hold 4194304 bytes");
	fails_to_alloc(SIZE_MAX / 2);
	/* Released memory of any kind makes room. */
	dpr_usm_release(b);
	b = new_usm(q1, DPR_USM_DEVICE, 600);
	dpr_usm_release(b);
	/* A new limit applies only to later requests. */
	CHECK_OK(dpr_pool_set_limit(device, MIB));
	fails_to_alloc(2 * MIB);
	dpr_usm_release(a);
	a = new_usm(q1, DPR_USM_DEVICE, 2 * MIB);
	dpr_usm_release(a);
	CHECK_OK(dpr_pool_set_limit(device, 0));
	a = new_usm(q1, DPR_USM_DEVICE, 40 * MIB);
	dpr_usm_release(a);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_pool_set_limit(NULL, 1));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_pool_get_limit(device, NULL));
	finish();
}
END_TEST

/* Reaching the limit calls the pressure callback, too. */
START_TEST(limit_presses)
{
	dpr_usm *a;

	CHECK_OK(dpr_pool_set_limit(device, 4 * MIB));
	set_relief(1, 3 * MIB);
	a = new_usm(q1, DPR_USM_DEVICE, 2 * MIB);
	ck_assert_int_eq(relief.calls, 1);
	ck_assert_uint_le(mock->bytes(), 4 * MIB);
	dpr_usm_release(a);
	finish();
}
END_TEST

/* Threads that all keep within the limit if they wait for each other. */
static void *within(void *user)
{
	dpr_queue *queue = user;
	uint32_t random = (uint32_t)(uintptr_t)user;
	int i;

	for (i = 0; i < 150; i++) {
		dpr_usm *usm;
		int value = i;

		random = random * 1103515245 + 12345;
		usm = new_usm(queue, DPR_USM_DEVICE,
			      100000 + (random >> 12) % 160000);
		CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, sizeof(value), 4,
				      NULL, NULL));
		dpr_usm_release(usm);
	}
	return NULL;
}

START_TEST(threads_within_the_limit)
{
	enum { THREADS = 6 };
	pthread_t threads[THREADS];
	dpr_queue *queues[THREADS];
	int i;

	CHECK_OK(dpr_pool_set_limit(device, 4 * MIB));
	mock->delay(MS);
	for (i = 0; i < THREADS; i++) {
		CHECK_OK(dpr_queue_create(device,
					  i & 1 ? DPR_QUEUE_OUT_OF_ORDER : 0,
					  &queues[i]));
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, within, queues[i]),
			0);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		dpr_queue_release(queues[i]);
	}
	ck_assert_uint_le(mock->bytes(), 4 * MIB);
	finish();
}
END_TEST

/* While another thread gives memory to the driver or gets it from there, it
   counts neither as free nor as in use.  Allocations that need it wait. */
static void *trim(void *user)
{
	(void)user;
	CHECK_OK(dpr_pool_trim(device, 0, NULL));
	return NULL;
}

static void give_back_slowly(pthread_t *thread)
{
	dpr_usm_release(new_usm(q1, DPR_USM_SHARED, 3 * MIB));
	mock->slow(MOCK_mem_free, 600 * MS);
	ck_assert_int_eq(pthread_create(thread, NULL, trim, NULL), 0);
	EVENTUALLY(mock->calls(MOCK_mem_free));
}

START_TEST(waits_for_a_slab_under_way)
{
	pthread_t thread;
	dpr_usm *a;

	CHECK_OK(dpr_pool_set_limit(device, 4 * MIB));
	give_back_slowly(&thread);
	a = new_usm(q1, DPR_USM_DEVICE, 3 * MIB);
	ck_assert_uint_le(mock->bytes(), 4 * MIB);
	pthread_join(thread, NULL);
	dpr_usm_release(a);
	finish();
}
END_TEST

/* A callback waits, too, because this is not queued work. */
START_TEST(callbacks_wait_for_a_slab)
{
	pthread_t thread;
	dpr_event *event;

	CHECK_OK(dpr_pool_set_limit(device, 8 * MIB));
	give_back_slowly(&thread);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, alloc_in_callback, q1));
	EVENTUALLY(atomic_load(&called));
	ck_assert_int_eq(in_callback, DPR_OK);
	pthread_join(thread, NULL);
	dpr_event_release(event);
	finish();
}
END_TEST

/* Until the driver refuses it, another thread's request takes up part of the
   limit.  An allocation waits for that. */
static void *ask_in_vain(void *user)
{
	dpr_usm *usm = NULL;

	(void)user;
	(void)!dpr_usm_alloc(q1, DPR_USM_HOST, 3 * MIB, &usm);
	dpr_usm_release(usm);
	return NULL;
}

START_TEST(waits_for_a_refusal)
{
	pthread_t thread;
	dpr_usm *a;

	CHECK_OK(dpr_pool_set_limit(device, 4 * MIB));
	mock->fail(MOCK_mem_alloc, 1, 1, DPR_RC_NATIVE, -99);
	mock->slow(MOCK_mem_alloc, 400 * MS);
	ck_assert_int_eq(pthread_create(&thread, NULL, ask_in_vain, NULL), 0);
	EVENTUALLY(mock->calls(MOCK_mem_alloc));
	mock->slow(MOCK_mem_alloc, 0);
	a = new_usm(q1, DPR_USM_DEVICE, 3 * MIB);
	pthread_join(thread, NULL);
	dpr_usm_release(a);
	finish();
}
END_TEST

static const struct {
	const char *text;
	uint64_t limit;
} values[] = {
	{ "1048576", 1048576 },
	{ "512k", 512 << 10 },
	{ "512K", 512 << 10 },
	{ "7M", 7 << 20 },
	{ "7MiB", 7 << 20 },
	{ "7MB", 7 << 20 },
	{ "4G", UINT64_C(4) << 30 },
	{ "2T", UINT64_C(2) << 40 },
	/* The mock has 1 GiB. */
	{ "50%", UINT64_C(1) << 29 },
	{ "100%", UINT64_C(1) << 30 },
	/* No limit, as in dpr_pool_set_limit(). */
	{ "0", 0 },
	{ "0G", 0 },
	{ "", 0 },
};

START_TEST(variable)
{
	uint64_t limit;

	setenv("DPR_POOL_LIMIT", values[_i].text, 1);
	start();
	CHECK_OK(dpr_pool_get_limit(device, &limit));
	ck_assert_uint_eq(limit, values[_i].limit);
	finish();
}
END_TEST

static void note(void *user, enum dpr_log_level level, const char *message)
{
	if (level == DPR_LOG_WARN && strstr(message, "DPR_POOL_LIMIT"))
		++*(int *)user;
}

/* A percentage of an unknown size means no limit.  A warning says so. */
START_TEST(percent_of_the_unknown)
{
	uint64_t limit = 1;
	int warnings = 0;

	setenv("DPR_POOL_LIMIT", "50%", 1);
	start();
	dpr_log_set(DPR_LOG_WARN, note, &warnings);
	mock->fail(MOCK_device_info, 1, 1, DPR_RC_UNSUPPORTED, 0);
	CHECK_OK(dpr_pool_get_limit(device, &limit));
	ck_assert_uint_eq(limit, 0);
	CHECK_OK(dpr_pool_get_limit(device, &limit));
	ck_assert_int_eq(warnings, 1);
	dpr_log_set(DPR_LOG_WARN, NULL, NULL);
	finish();
}
END_TEST

static const char *const bad_values[] = {
	"x",
	"-1",
	"+1",
	" 1",
	"1 G",
	"0%",
	"101%",
	"5Q",
	"1.5G",
	"0x10",
	"1GG",
	"%",
	"G",
	"1%%",
	"4Gx",
	"99999999999T",
	"18446744073709551616G",
	"1 ",
	"1 B",
	"18446744073709551616",
};

START_TEST(bad_variable)
{
	dpr_queue *queue;
	int i;

	setenv("DPR_POOL_LIMIT", bad_values[_i], 1);
	for (i = 0; i < 2; i++) {
		CHECK_FAILS(DPR_ERROR_ENVIRONMENT,
			    dpr_canonical_queue("host", &queue));
		CHECK_TEXT("DPR_POOL_LIMIT");
		CHECK_TEXT(bad_values[_i]);
		CHECK_TEXT("\"4G\"");
		CHECK_TEXT("\"1%\"");
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pool limit");
	TCase *small = tcase_create("small"), *limit = tcase_create("limit");
	TCase *env = tcase_create("variable");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(small, start_small, NULL);
	tcase_set_timeout(small, 60);
	tcase_add_test(small, large_requests);
	tcase_add_test(small, small_in_large);
	tcase_add_test(small, step_trim);
	tcase_add_loop_test(small, step_wait, 0, 2);
	tcase_add_loop_test(small, threads_wait_for_the_same, 0, 2);
	tcase_add_test(small, another_device_is_waited_for);
	tcase_add_test(small, step_pressure);
	tcase_add_test(small, step_error);
	tcase_add_test(small, callback_allocates);
	tcase_add_test(small, tells_fragmentation);
	tcase_add_loop_test(small, callbacks_do_not_wait, 0, 2);
	suite_add_tcase(suite, small);
	tcase_add_checked_fixture(limit, start, NULL);
	tcase_set_timeout(limit, 60);
	tcase_add_test(limit, refused_once);
	tcase_add_test(limit, a_lost_device_gives_nothing);
	tcase_add_test(limit, limits);
	tcase_add_test(limit, limit_presses);
	tcase_add_test(limit, threads_within_the_limit);
	tcase_add_test(limit, waits_for_a_slab_under_way);
	tcase_add_test(limit, callbacks_wait_for_a_slab);
	tcase_add_test(limit, waits_for_a_refusal);
	suite_add_tcase(suite, limit);
	tcase_set_timeout(env, 60);
	tcase_add_loop_test(env, variable, 0,
			    sizeof(values) / sizeof(values[0]));
	tcase_add_test(env, percent_of_the_unknown);
	tcase_add_loop_test(env, bad_variable, 0,
			    sizeof(bad_values) / sizeof(bad_values[0]));
	suite_add_tcase(suite, env);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
