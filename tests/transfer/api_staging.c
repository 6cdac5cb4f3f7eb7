/* SPDX-License-Identifier: Apache-2.0 */
/* api_staging.c - copies through host memory.  They follow the plan; reads and
   writes are under way at the same time; chunks are limited and kept; and a
   copy that fails says how many bytes are done. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/support/runtime_test.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define CHUNK (4 * MIB)
#define LARGE (6 * CHUNK + 12345) /* seven chunks */

static dpr_queue *q3; /* on mock's second device */
static unsigned char *bytes, *back;

static dpr_pool_stats stats_of(dpr_device *device, dpr_usm_kind kind)
{
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };

	CHECK_OK(dpr_pool_get_stats(device, kind, &stats));
	return stats;
}

/* Bytes of HOST memory in chunks, in use or waiting to be written. */
static uint64_t chunk_bytes(dpr_device *device)
{
	dpr_pool_stats stats = stats_of(device, DPR_USM_HOST);

	return stats.used + stats.pending;
}

/* Two devices of mock that are not peers, and one of mock2. */
static void start(void)
{
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	setenv("DPR_OPTION_MOCK_PEER", "0", 1);
	start_mocks();
	CHECK_OK(dpr_canonical_queue("mock:1", &q3));
	bytes = malloc(LARGE);
	back = malloc(LARGE);
	ck_assert(bytes && back);
	for (size_t i = 0; i < LARGE; i++)
		bytes[i] = (unsigned char)(i * 7 + i / 251 + i / 65537);
}

static void start_pageable(void)
{
	setenv("DPR_OPTION_MOCK_KINDS", "device", 1);
	setenv("DPR_OPTION_MOCK2_KINDS", "device", 1);
	start();
}

/* Only the target's device has HOST memory. */
static void start_half(void)
{
	setenv("DPR_OPTION_MOCK_KINDS", "device", 1);
	start();
}

static void finish(void)
{
	free(bytes);
	free(back);
}

/* Check the plan of a copy from @qa to @qb, and that the copy does what the
   plan says. */
static void check_plan(dpr_queue *qa, dpr_queue *qb, size_t size,
		       enum dpr_transfer_path path, uint64_t staging,
		       uint64_t chunks)
{
	const struct mock_control *source = qa == q2 ? mock2 : mock;
	const struct mock_control *target = qb == q2 ? mock2 : mock;
	dpr_usm *a = new_usm(qa, DPR_USM_DEVICE, size);
	dpr_usm *b = new_usm(qb, DPR_USM_DEVICE, size);
	dpr_transfer plan;

	CHECK_OK(dpr_usm_write(qa, a, 0, bytes, size, NULL, NULL));
	mock->reset();
	mock2->reset();
	CHECK_OK(dpr_usm_transfer_plan(a, qb, DPR_USM_DEVICE, size, &plan));
	ck_assert_int_eq(plan.path, path);
	ck_assert_uint_eq(plan.bytes, size);
	ck_assert_uint_eq(plan.staging, staging);
	ck_assert_uint_eq(source->calls(MOCK_queue_read), 0);
	CHECK_OK(dpr_usm_copy(qb, b, 0, a, 0, size, NULL, NULL));
	ck_assert_uint_eq(source->calls(MOCK_queue_read), chunks);
	ck_assert_uint_eq(target->calls(MOCK_queue_write), chunks);
	ck_assert_uint_eq(target->calls(MOCK_queue_copy), 0);
	CHECK_OK(dpr_usm_read(qb, back, b, 0, size, NULL, NULL));
	ck_assert_int_eq(memcmp(bytes, back, size), 0);
	dpr_usm_release(a);
	dpr_usm_release(b);
}

static void check_plans(enum dpr_transfer_path path)
{
	dpr_queue *ends[3] = { q1, q2, q3 };

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			if (i == j)
				continue;
			check_plan(ends[i], ends[j], 1, path, 1, 1);
			check_plan(ends[i], ends[j], 60 * KIB, path, 60 * KIB,
				   1);
			check_plan(ends[i], ends[j], 600 * KIB, path, 600 * KIB,
				   3);
			check_plan(ends[i], ends[j], 4 * MIB + 4, path,
				   4 * MIB + 4, 4);
			check_plan(ends[i], ends[j], LARGE, path, 4 * CHUNK, 7);
		}
}

START_TEST(pinned)
{
	check_plans(DPR_TRANSFER_PINNED);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->bytes(), 0);
	ck_assert_uint_eq(mock2->bytes(), 0);
}
END_TEST

START_TEST(pageable)
{
	check_plans(DPR_TRANSFER_PAGEABLE);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(pinned_by_the_target)
{
	uint64_t before = mock2->bytes();

	check_plan(q1, q2, 60 * KIB, DPR_TRANSFER_PINNED, 60 * KIB, 1);
	/* mock2 has allocated the chunk. */
	ck_assert_uint_gt(mock2->bytes(), before);
	check_plan(q1, q3, 60 * KIB, DPR_TRANSFER_PAGEABLE, 60 * KIB, 1);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock2->bytes(), 0);
}
END_TEST

/* If the driver has no HOST memory left, ordinary memory is used. */
START_TEST(falls_back_to_pageable)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, LARGE);

	CHECK_OK(dpr_usm_write(q1, a, 0, bytes, LARGE, NULL, NULL));
	mock->fail(MOCK_mem_alloc, 1, 1000, DPR_RC_OOM_DEVICE, 0);
	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, LARGE, NULL, NULL));
	ck_assert_uint_gt(mock->calls(MOCK_mem_alloc), 0);
	mock->reset();
	CHECK_OK(dpr_usm_read(q2, back, b, 0, LARGE, NULL, NULL));
	ck_assert_int_eq(memcmp(bytes, back, LARGE), 0);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Reads and writes run at the same time: if each chunk was read and then
   written, they would never meet. */
START_TEST(both_directions_at_once)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q3, DPR_USM_DEVICE, LARGE);

	CHECK_OK(dpr_usm_write(q1, a, 0, bytes, LARGE, NULL, NULL));
	mock->reset();
	mock->meet(300 * MS);
	CHECK_OK(dpr_usm_copy(_i ? q1 : q3, b, 0, a, 0, LARGE, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q3));
	ck_assert_uint_ge(mock->met(), 3);
	mock->reset();
	CHECK_OK(dpr_usm_read(q3, back, b, 0, LARGE, NULL, NULL));
	ck_assert_int_eq(memcmp(bytes, back, LARGE), 0);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The call returns before the target has written anything.  The source may then
   be overwritten, and the next copy takes other chunks. */
START_TEST(returns_when_all_is_read)
{
	const size_t size = 3 * MIB;
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, size);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, size);
	dpr_usm *c = new_usm(q2, DPR_USM_DEVICE, size);
	dpr_event *done;

	CHECK_OK(dpr_usm_write(q1, a, 0, bytes, size, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q2));
	mock2->hold(1);
	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, size, NULL, &done));
	ck_assert_int_lt(dpr_event_get_state(done), DPR_EVENT_COMPLETE);
	CHECK_OK(dpr_usm_fill(q1, a, 0, "x", 1, size, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_usm_copy(q2, c, 0, a, 0, size, NULL, NULL));
	mock2->hold(0);
	CHECK_OK(dpr_event_wait(done));
	CHECK_OK(dpr_usm_read(q2, back, b, 0, size, NULL, NULL));
	ck_assert_int_eq(memcmp(bytes, back, size), 0);
	CHECK_OK(dpr_usm_read(q2, back, c, 0, size, NULL, NULL));
	ck_assert_int_eq(back[0], 'x');
	ck_assert_int_eq(memcmp(back, back + 1, size - 1), 0);
	dpr_event_release(done);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Later copies allocate nothing. */
START_TEST(chunks_are_kept)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, LARGE);

	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, LARGE, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, 100, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q2));
	mock->reset();
	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, LARGE, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, 100, NULL, NULL));
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 0);
	CHECK_OK(dpr_queue_wait(q2));
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->bytes(), 0);
}
END_TEST

static struct {
	dpr_usm *from, *to;
	size_t size;
	atomic_int n;
} flood;

static void *copy_many(void *unused)
{
	(void)unused;
	for (int i = 0; i < 200; i++) {
		CHECK_OK(dpr_usm_copy(q2, flood.to, 0, flood.from, 0,
				      flood.size, NULL, NULL));
		atomic_fetch_add(&flood.n, 1);
	}
	return NULL;
}

/* While writes are held, the number of chunks that wait is limited: to 64 small
   ones, or to 8 large ones, which is two copies.  The next copy waits. */
START_TEST(chunks_are_bounded)
{
	const int most = _i ? 64 : 2;
	pthread_t thread;
	uint64_t before;

	flood.size = _i ? 4 : MIB;
	flood.from = new_usm(q1, DPR_USM_DEVICE, flood.size);
	flood.to = new_usm(q2, DPR_USM_DEVICE, flood.size);
	CHECK_OK(dpr_queue_wait(q2));
	before = mock->bytes();
	mock2->hold(1);
	ck_assert_int_eq(pthread_create(&thread, NULL, copy_many, NULL), 0);
	EVENTUALLY(atomic_load(&flood.n) >= most);
	pause_ns(50 * MS);
	ck_assert_int_eq(atomic_load(&flood.n), most);
	ck_assert_uint_le(mock->bytes() - before, 36 * MIB);
	mock2->hold(0);
	pthread_join(thread, NULL);
	CHECK_OK(dpr_queue_wait(q2));
	dpr_usm_release(flood.from);
	dpr_usm_release(flood.to);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->bytes(), 0);
}
END_TEST

/* When memory runs out, idle chunks are given up first. */
START_TEST(chunks_are_given_up)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, LARGE), *c;

	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, LARGE, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q2));
	CHECK_OK(dpr_pool_set_limit(device, LARGE + 20 * MIB));
	CHECK_OK(dpr_usm_alloc(q1, DPR_USM_DEVICE, 12 * MIB, &c));
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	CHECK_OK(dpr_finalize());
}
END_TEST

static int count_pressure(dpr_device *device, size_t size, void *user)
{
	(void)device;
	(void)size;
	atomic_fetch_add((atomic_int *)user, 1);
	return 1;
}

/* There is another way than HOST memory.  So to get HOST memory, the core does
   not call the pressure callback, and does not wait for released memory, which
   would never come here. */
START_TEST(memory_is_not_fought_for)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, LARGE);
	dpr_usm *stuck = new_usm(q1, DPR_USM_SHARED, 20 * MIB), *c;
	atomic_int asked = 0;
	dpr_pool_stats stats;
	dpr_queue *other;
	int i;

	CHECK_OK(dpr_usm_write(q1, a, 0, bytes, LARGE, NULL, NULL));
	CHECK_OK(dpr_queue_create(device, 0, &other));
	mock->stall_command(1);
	CHECK_OK(dpr_usm_fill(other, stuck, 0, "x", 1, 4, NULL, NULL));
	dpr_usm_release(stuck);
	stats = stats_of(device, DPR_USM_SHARED);
	ck_assert_uint_eq(stats.pending, 20 * MIB);
	CHECK_OK(dpr_pool_set_limit(device, stats.device_held));
	CHECK_OK(dpr_pool_set_pressure(device, count_pressure, &asked));
	for (i = 0; i < 3; i++) {
		memset(back, 0, LARGE);
		CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, LARGE, NULL, NULL));
		CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, 100, NULL, NULL));
		CHECK_OK(dpr_usm_read(q2, back, b, 0, LARGE, NULL, NULL));
		ck_assert_int_eq(memcmp(bytes, back, LARGE), 0);
	}
	ck_assert_int_eq(atomic_load(&asked), 0);
	ck_assert_uint_eq(stats_of(device, DPR_USM_HOST).requests, 0);
	/* But idle memory is given up to make room. */
	device = dpr_queue_device(q3);
	c = new_usm(q3, DPR_USM_DEVICE, LARGE);
	dpr_usm_release(new_usm(q3, DPR_USM_SHARED, 20 * MIB));
	stats = stats_of(device, DPR_USM_SHARED);
	CHECK_OK(dpr_pool_set_limit(device, stats.device_held));
	CHECK_OK(dpr_pool_set_pressure(device, count_pressure, &asked));
	CHECK_OK(dpr_usm_copy(q2, b, 0, c, 0, LARGE, NULL, NULL));
	ck_assert_uint_eq(stats_of(device, DPR_USM_HOST).peak_used, 16 * MIB);
	ck_assert_uint_eq(stats_of(device, DPR_USM_SHARED).held, 0);
	ck_assert_int_eq(atomic_load(&asked), 0);
	mock->reset();
	(void)!dpr_queue_wait(other);
	dpr_queue_release(other);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	CHECK_OK(dpr_finalize());
}
END_TEST

enum { COPIERS = 12 };

struct copier {
	pthread_t thread;
	dpr_usm *from, *to;
	dpr_status status;
};

static void *copy_all(void *user)
{
	struct copier *c = user;

	c->status = dpr_usm_copy(q2, c->to, 0, c->from, 0, LARGE, NULL, NULL);
	return NULL;
}

/* Any number of copying threads share one limit of chunks per device.  Fewer
   are kept afterwards, and none after dpr_pool_trim(). */
START_TEST(threads_share_a_bound)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, LARGE);
	struct copier c[COPIERS];
	uint64_t freed;
	int i;

	CHECK_OK(dpr_usm_write(q1, a, 0, bytes, LARGE, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q2));
	/* No chunk gets written, so none gets free for another copy. */
	mock2->hold(1);
	for (i = 0; i < COPIERS; i++) {
		c[i] = (struct copier){ .from = a, .to = b };
		ck_assert_int_eq(
			pthread_create(&c[i].thread, NULL, copy_all, &c[i]), 0);
	}
	/* Each thread has at least one chunk, of HOST or of ordinary memory. */
	EVENTUALLY(mock2->pending() >= COPIERS);
	EVENTUALLY(stats_of(device, DPR_USM_HOST).used >= 128 * MIB);
	mock2->hold(0);
	for (i = 0; i < COPIERS; i++) {
		pthread_join(c[i].thread, NULL);
		ck_assert_int_eq(c[i].status, DPR_OK);
	}
	CHECK_OK(dpr_usm_read(q2, back, b, 0, LARGE, NULL, NULL));
	ck_assert_int_eq(memcmp(bytes, back, LARGE), 0);
	ck_assert_uint_le(stats_of(device, DPR_USM_HOST).peak_used, 128 * MIB);
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q2));
	/* A trim that allows enough memory keeps the chunks. */
	CHECK_OK(dpr_pool_trim(device, UINT64_MAX, &freed));
	ck_assert_uint_eq(freed, 0);
	CHECK_OK(dpr_pool_trim(device, 0, &freed));
	ck_assert_uint_gt(freed, 0);
	ck_assert_uint_eq(stats_of(device, DPR_USM_HOST).used, 0);
	ck_assert_uint_eq(stats_of(device, DPR_USM_HOST).held, 0);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Chunks are kept until they have been written.  A later copy then gives back
   the surplus, even if it copies to another device. */
START_TEST(later_copies_give_back)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, LARGE);
	dpr_usm *d = new_usm(q3, DPR_USM_DEVICE, LARGE);
	int i;

	CHECK_OK(dpr_queue_wait(q2));
	CHECK_OK(dpr_queue_wait(q3));
	mock2->hold(1);
	mock->delay(5 * MS);
	for (i = 0; i < 2; i++)
		CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, 16 * MIB, NULL, NULL));
	ck_assert_uint_eq(chunk_bytes(device), 32 * MIB);
	/* These chunks belong to q1's device, too. */
	CHECK_OK(dpr_usm_copy(q3, d, 0, a, 0, 16 * MIB, NULL, NULL));
	ck_assert_uint_eq(chunk_bytes(device), 48 * MIB);
	mock2->hold(0);
	mock->delay(0);
	/* No call asks whether the copies are done. */
	EVENTUALLY(!mock2->pending() && !mock->pending());
	CHECK_OK(dpr_usm_copy(q3, d, 0, a, 0, MIB / 4, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q3));
	EVENTUALLY(chunk_bytes(device) <= 4 * MIB);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(d);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* While one device's work is stuck, copies to another device go on. */
START_TEST(a_stalled_device_stops_no_other)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, LARGE);
	dpr_usm *c = new_usm(q3, DPR_USM_DEVICE, LARGE);
	int i;

	CHECK_OK(dpr_usm_write(q1, a, 0, bytes, LARGE, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q2));
	mock2->hold(1);
	for (i = 0; i < 60; i++)
		CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, 100, NULL, NULL));
	for (i = 0; i < 2; i++)
		CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, 16 * MIB, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q3, c, 0, a, 0, LARGE, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q3, c, 0, a, 0, 100, NULL, NULL));
	CHECK_OK(dpr_usm_read(q3, back, c, 0, LARGE, NULL, NULL));
	ck_assert_int_eq(memcmp(bytes, back, LARGE), 0);
	mock2->hold(0);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	CHECK_OK(dpr_finalize());
}
END_TEST

struct worker {
	pthread_t thread;
	dpr_queue *from, *to;
	int failed;
};

static void *copy_often(void *user)
{
	struct worker *w = user;
	dpr_usm *a = new_usm(w->from, DPR_USM_DEVICE, 20 * MIB);
	dpr_usm *b = new_usm(w->to, DPR_USM_DEVICE, 20 * MIB);
	unsigned char *own = malloc(20 * MIB);
	int i;

	w->failed |= !own ||
		     dpr_usm_write(w->from, a, 0, bytes, 20 * MIB, NULL, NULL);
	for (i = 0; i < 6 && !w->failed; i++) {
		size_t size = i & 1 ? 20 * MIB : 30 * KIB;

		w->failed |= dpr_usm_copy(w->to, b, 0, a, 0, size, NULL, NULL);
		w->failed |= dpr_usm_read(w->to, own, b, 0, size, NULL, NULL);
		w->failed |= memcmp(own, bytes, size) != 0;
	}
	free(own);
	dpr_usm_release(a);
	dpr_usm_release(b);
	return NULL;
}

START_TEST(threads_share_the_chunks)
{
	struct worker w[4] = { { .from = q1, .to = q2 },
			       { .from = q2, .to = q1 },
			       { .from = q3, .to = q1 },
			       { .from = q1, .to = q2 } };
	int i;

	for (i = 0; i < 4; i++)
		ck_assert_int_eq(
			pthread_create(&w[i].thread, NULL, copy_often, &w[i]),
			0);
	for (i = 0; i < 4; i++) {
		pthread_join(w[i].thread, NULL);
		ck_assert_int_eq(w[i].failed, 0);
	}
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->bytes(), 0);
	ck_assert_uint_eq(mock2->bytes(), 0);
}
END_TEST

/* The third of seven chunks fails: in the read or in the write, when it is
   submitted or when it runs. */
START_TEST(says_how_far_it_came)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, LARGE);
	dpr_event *done = (dpr_event *)&done;

	CHECK_OK(dpr_usm_write(q1, a, 0, bytes, LARGE, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q2));
	switch (_i) {
	case 0: mock->fail_command(3, DPR_RC_NATIVE, -5); break;
	case 1: mock2->fail_command(3, DPR_RC_NATIVE, -5); break;
	case 2: mock->fail(MOCK_queue_read, 3, 1, DPR_RC_NATIVE, -5); break;
	case 3: mock2->fail(MOCK_queue_write, 3, 1, DPR_RC_NATIVE, -5); break;
	}
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_copy(q2, b, 0, a, 0, LARGE, NULL, &done));
	ck_assert_ptr_null(done);
	CHECK_TEXT("-5");
	CHECK_TEXT("bytes 8388608 to 12582912 of 25178169");
	if (_i == 2)
		CHECK_TEXT("stopped after 0 of 25178169 bytes");
	else
		CHECK_TEXT("stopped after 8388608 of 25178169 bytes");
	ck_assert_uint_eq(mock->pending(), 0);
	ck_assert_uint_eq(mock2->pending(), 0);
	mock->reset();
	mock2->reset();
	CHECK_OK(dpr_usm_read(q1, back, a, 0, LARGE, NULL, NULL));
	ck_assert_int_eq(memcmp(bytes, back, LARGE), 0);
	(void)!dpr_queue_wait(q1);
	(void)!dpr_queue_wait(q2);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->bytes(), 0);
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
	ck_assert_uint_eq(mock2->live(MOCK_EVENT), 0);
}
END_TEST

/* The last chunk fails after the call has returned: the event reports it. */
START_TEST(the_event_says_how_far)
{
	const size_t size = 4 * MIB;
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, size);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, size);
	const char *text;
	dpr_status status;
	dpr_event *done;

	CHECK_OK(dpr_queue_wait(q2));
	mock2->fail_command(4, DPR_RC_NATIVE, -5);
	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, size, NULL, &done));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(done));
	dpr_event_error(done, &status, &text);
	ck_assert_ptr_nonnull(
		strstr(text, "bytes 3145728 to 4194304 of 4194304"));
	(void)!dpr_queue_wait(q2);
	dpr_event_release(done);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->bytes(), 0);
}
END_TEST

/* A device has been lost: the copy fails. */
START_TEST(loses_a_device)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, LARGE);

	CHECK_OK(dpr_queue_wait(q2));
	CHECK_OK(dpr_queue_wait(q1));
	if (_i)
		mock->lose(0);
	else
		mock2->lose(0);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_usm_copy(q2, b, 0, a, 0, LARGE, NULL, NULL));
	dpr_usm_release(a);
	dpr_usm_release(b);
	(void)!dpr_finalize();
}
END_TEST

/* A view of every second of @n rows, of 1000 ints each, on q1. */
static dpr_array *new_rows(int64_t n, dpr_array **all)
{
	dpr_array *view;

	CHECK_OK(dpr_array_from_memory(bytes, DPR_SHAPE(n, 1000), NULL,
				       DPR_INT32, q1, all));
	CHECK_OK(dpr_array_view(*all, &view, DPR_SLICE(0, n, 2)));
	return view;
}

static void check_rows(const dpr_array *moved, int64_t n)
{
	ck_assert_ptr_eq(dpr_array_queue(moved), q2);
	ck_assert(dpr_array_is_contiguous(moved));
	CHECK_OK(dpr_array_to_memory(moved, back, dpr_array_nbytes(moved),
				     NULL));
	for (int64_t i = 0; i < n / 2; i++)
		ck_assert_int_eq(
			memcmp(back + i * 4000, bytes + 2 * i * 4000, 4000), 0);
}

/* With these devices, a kernel packs the view, and only the bytes of the view
   are transferred. */
static void start_cpus(void)
{
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	start();
}

START_TEST(views_are_packed_by_a_kernel)
{
	dpr_device *home = dpr_queue_device(q1);
	dpr_array *all, *view, *moved;
	dpr_transfer plan;

	/* Without memory to pack into, the view is moved all the same. */
	CHECK_OK(dpr_pool_set_limit(home, 2500000));
	view = new_rows(600, &all);
	mock->reset();
	CHECK_OK(dpr_array_to_device(view, dpr_queue_device(q2), &moved));
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 0);
	check_rows(moved, 600);
	dpr_array_release(moved);
	CHECK_OK(dpr_pool_set_limit(home, UINT64_MAX));
	mock->reset();
	CHECK_OK(dpr_transfer_plan(view, dpr_queue_device(q2), &plan));
	ck_assert_int_eq(plan.path, DPR_TRANSFER_PINNED);
	ck_assert_uint_eq(plan.bytes, 1200000);
	ck_assert_uint_eq(plan.staging, 1200000);
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 0);
	CHECK_OK(dpr_array_to_device(view, dpr_queue_device(q2), &moved));
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 1);
	ck_assert_uint_eq(mock->calls(MOCK_queue_read), 4);
	check_rows(moved, 600);
	dpr_array_release(moved);
	dpr_array_release(view);
	dpr_array_release(all);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void start_without_kernels(void)
{
	setenv("DPR_OPTION_MOCK_FORMATS", "mock", 1);
	start();
}

/* Without kernels, the view goes through the host in pieces. */
START_TEST(views_without_kernels)
{
	dpr_array *all, *view = new_rows(6000, &all), *moved;
	dpr_transfer plan;

	CHECK_OK(dpr_transfer_plan(view, dpr_queue_device(q2), &plan));
	ck_assert_int_eq(plan.path, DPR_TRANSFER_PAGEABLE);
	ck_assert_uint_eq(plan.staging, 8 * MIB);
	CHECK_OK(dpr_array_to_device(view, dpr_queue_device(q2), &moved));
	check_rows(moved, 6000);
	dpr_array_release(moved);
	dpr_array_release(view);
	dpr_array_release(all);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* If the host changes its memory after the call, the copy does not change. */
START_TEST(host_memory_has_been_read)
{
	dpr_array *x, *y;
	int32_t *data;
	int i;

	CHECK_OK(dpr_array_from_memory_on(bytes, DPR_SHAPE(1000), NULL,
					  DPR_INT32, q1, DPR_USM_HOST, &x));
	data = dpr_usm_address(dpr_array_usm(x));
	CHECK_OK(dpr_queue_wait(q2));
	mock2->delay(30 * MS);
	CHECK_OK(dpr_array_to_device(x, dpr_queue_device(q2), &y));
	for (i = 0; i < 1000; i++)
		data[i] = i;
	mock2->reset();
	CHECK_OK(dpr_array_to_memory(y, back, dpr_array_nbytes(y), NULL));
	ck_assert_int_eq(memcmp(back, bytes, 4000), 0);
	dpr_array_release(x);
	dpr_array_release(y);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("staging");
	TCase *all = tcase_create("pinned");
	TCase *none = tcase_create("pageable"), *half = tcase_create("half");
	TCase *cpus = tcase_create("kernels"),
	      *bare = tcase_create("no kernels");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(all, start, finish);
	tcase_set_timeout(all, 60);
	tcase_add_test(all, pinned);
	tcase_add_test(all, falls_back_to_pageable);
	tcase_add_loop_test(all, both_directions_at_once, 0, 2);
	tcase_add_test(all, returns_when_all_is_read);
	tcase_add_test(all, chunks_are_kept);
	tcase_add_loop_test(all, chunks_are_bounded, 0, 2);
	tcase_add_test(all, chunks_are_given_up);
	tcase_add_test(all, memory_is_not_fought_for);
	tcase_add_test(all, threads_share_a_bound);
	tcase_add_test(all, later_copies_give_back);
	tcase_add_test(all, a_stalled_device_stops_no_other);
	tcase_add_test(all, threads_share_the_chunks);
	tcase_add_loop_test(all, says_how_far_it_came, 0, 4);
	tcase_add_test(all, the_event_says_how_far);
	tcase_add_test(all, host_memory_has_been_read);
	tcase_add_loop_test(all, loses_a_device, 0, 2);
	suite_add_tcase(suite, all);
	tcase_add_checked_fixture(none, start_pageable, finish);
	tcase_set_timeout(none, 60);
	tcase_add_test(none, pageable);
	suite_add_tcase(suite, none);
	tcase_add_checked_fixture(half, start_half, finish);
	tcase_add_test(half, pinned_by_the_target);
	suite_add_tcase(suite, half);
	tcase_add_checked_fixture(cpus, start_cpus, finish);
	tcase_add_test(cpus, views_are_packed_by_a_kernel);
	suite_add_tcase(suite, cpus);
	tcase_add_checked_fixture(bare, start_without_kernels, finish);
	tcase_add_test(bare, views_without_kernels);
	suite_add_tcase(suite, bare);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
