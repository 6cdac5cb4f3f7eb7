/* SPDX-License-Identifier: Apache-2.0 */
/* api_transfer.c - copies between allocations of different devices and
   backends, in every direction. */
#include "tests/support/runtime_test.h"

static dpr_device *devices[MAX_DEVICES];
static size_t n_devices;

/* Sizes around the core's chunks, which have 4 MiB. */
static const size_t sizes[] = { 1, 4097, (4 << 20) + 3, (8 << 20) + 12345 };
#define LARGE sizes[3]

static void start_all(void)
{
	use_mock_devices();
	CHECK_OK(dpr_device_enumerate(NULL, devices, MAX_DEVICES, &n_devices));
	ck_assert_uint_ge(n_devices, 3);
}

static void number(unsigned char *bytes, size_t n, size_t seed)
{
	size_t i, block = n < 65521 ? n : 65521;

	for (i = 0; i < block; i++)
		bytes[i] = (unsigned char)(i * 31 + i / 253 + seed);
	/* Repeat a block whose size is a prime, so that no two chunks are
	   alike. */
	for (; i < n; i += block)
		memcpy(bytes + i, bytes, n - i < block ? n - i : block);
}

/* Copy from @a to @b on @runner, a queue of either device or of a third one. */
static void one_way(dpr_device *a, dpr_device *b, dpr_queue *runner,
		    size_t size, dpr_usm_kind from_kind, dpr_usm_kind to_kind)
{
	unsigned char *bytes = malloc(size + 32), *back = malloc(size + 32);
	dpr_usm *from, *to = NULL;
	dpr_event *done = NULL;

	ck_assert(bytes && back);
	if (dpr_usm_alloc(queue_of(a), from_kind, size + 16, &from))
		goto out;
	if (dpr_usm_alloc(queue_of(b), to_kind, size + 32, &to))
		goto out;
	number(bytes, size + 32, size);
	CHECK_OK(dpr_usm_write(queue_of(b), to, 0, bytes, size + 32, NULL,
			       NULL));
	number(bytes + 8, size, size + 5);
	CHECK_OK(dpr_usm_write(queue_of(a), from, 4, bytes + 8, size, NULL,
			       NULL));
	CHECK_OK(dpr_usm_copy(runner, to, 8, from, 4, size, NULL,
			      size & 1 ? &done : NULL));
	/* Later work on the source does not change the copy. */
	CHECK_OK(dpr_usm_fill(queue_of(a), from, 0, "x", 1,
			      size < 999 ? size : 999, NULL, NULL));
	if (done)
		CHECK_OK(dpr_event_wait(done));
	CHECK_OK(dpr_usm_read(queue_of(b), back, to, 0, size + 32, NULL, NULL));
	ck_assert_int_eq(memcmp(back, bytes, size + 32), 0);
out:
	dpr_event_release(done);
	dpr_usm_release(from);
	dpr_usm_release(to);
	free(bytes);
	free(back);
}

START_TEST(every_direction)
{
	size_t i, j;

	for (i = 0; i < n_devices; i++)
		for (j = 0; j < n_devices; j++) {
			one_way(devices[i], devices[j], queue_of(devices[i]),
				sizes[_i], DPR_USM_DEVICE, DPR_USM_DEVICE);
			one_way(devices[i], devices[j], queue_of(devices[j]),
				sizes[_i], DPR_USM_DEVICE, DPR_USM_DEVICE);
		}
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(every_kind)
{
	static const dpr_usm_kind kinds[3] = { DPR_USM_DEVICE, DPR_USM_SHARED,
					       DPR_USM_HOST };
	size_t i, j;
	int k, l;

	for (i = 0; i < n_devices; i++)
		for (j = 0; j < n_devices; j++)
			for (k = 0; k < 3; k++)
				for (l = 0; l < 3; l++)
					one_way(devices[i], devices[j],
						queue_of(devices[(i + k) %
								 n_devices]),
						4097, kinds[k], kinds[l]);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Large copies, for which CPUs bypass their caches, at odd offsets. */
START_TEST(larger_than_caches)
{
	const size_t size = ((size_t)33 << 20) + 61;
	size_t i, j;

	for (i = 0; i < n_devices; i++)
		for (j = 0; j < n_devices; j++)
			if (dpr_device_has(devices[i], "host_memory") &&
			    dpr_device_has(devices[j], "host_memory"))
				one_way(devices[i], devices[j],
					queue_of(devices[j]), size + (i & 1),
					DPR_USM_DEVICE, DPR_USM_DEVICE);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The queues on both sides are out of order. */
START_TEST(out_of_order_queues)
{
	unsigned char *bytes = malloc(LARGE), *back = malloc(LARGE);
	dpr_queue *qa, *qb;
	dpr_event *done;
	dpr_usm *a, *b;
	int i;

	ck_assert(bytes && back);
	for (i = 0; i < 2; i++) {
		CHECK_OK(dpr_queue_create(dpr_queue_device(q1),
					  DPR_QUEUE_OUT_OF_ORDER, &qa));
		CHECK_OK(dpr_queue_create(dpr_queue_device(q2),
					  DPR_QUEUE_OUT_OF_ORDER, &qb));
		mock->reorder(1);
		mock2->reorder(1);
		a = new_usm(qa, DPR_USM_DEVICE, LARGE);
		b = new_usm(qb, DPR_USM_DEVICE, LARGE);
		number(bytes, LARGE, 3);
		CHECK_OK(dpr_usm_write(qa, a, 0, bytes, LARGE, NULL, NULL));
		CHECK_OK(dpr_usm_copy(i ? qa : qb, b, 0, a, 0, LARGE, NULL,
				      &done));
		CHECK_OK(dpr_event_wait(done));
		dpr_event_release(done);
		CHECK_OK(dpr_usm_read(qb, back, b, 0, LARGE, NULL, NULL));
		ck_assert_int_eq(memcmp(bytes, back, LARGE), 0);
		dpr_usm_release(a);
		dpr_usm_release(b);
		dpr_queue_release(qa);
		dpr_queue_release(qb);
	}
	free(bytes);
	free(back);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The copy waits for events of any queue. */
START_TEST(waits_for_events)
{
	dpr_usm *a = new_ints(q1, 64, 3), *b = new_ints(q2, 64, 0);
	dpr_usm *host = new_usm(q1, DPR_USM_HOST, 256);
	dpr_event *gate, *done;
	dpr_queue *bare;

	CHECK_OK(dpr_canonical_queue("mock_bare", &bare));
	CHECK_OK(dpr_queue_wait(q2));
	memset(dpr_usm_address(host), 0, 256);
	control_of("mock_bare")->hold(1);
	CHECK_OK(dpr_queue_barrier(bare, NULL, &gate));
	/* With host memory on one side, the call does not block. */
	CHECK_OK(dpr_usm_copy(q2, b, 0, host, 0, 256, DPR_AFTER(gate), &done));
	*(int *)dpr_usm_address(host) = 11;
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(done, 10 * MS));
	control_of("mock_bare")->hold(0);
	CHECK_OK(dpr_event_wait_for(done, 5 * SECOND));
	ck_assert_int_eq(first_int(q2, b), 11);
	dpr_event_release(done);
	CHECK_OK(dpr_usm_copy(q1, b, 0, a, 0, 256, DPR_AFTER(gate), NULL));
	ck_assert_int_eq(first_int(q2, b), 3);
	dpr_event_release(gate);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(host);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Earlier work on the queue that runs the copy comes first, even if its use of
   the memory is not tracked. */
START_TEST(after_raw_work)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *host = new_usm(q1, DPR_USM_HOST, 256);
	dpr_usm *b = new_ints(q2, 64, 0);
	dpr_arg args[2] = { DPR_USM_AT(host, 0), DPR_ARG((uint64_t)64) };
	int i;

	memset(dpr_usm_address(host), 0, 256);
	mock->delay(MS);
	for (i = 0; i < 10; i++)
		CHECK_OK(dpr_kernel_launch_usm(q1, plus, DPR_RANGE1(64), NULL,
					       NULL, args, 2));
	CHECK_OK(dpr_usm_copy(q1, b, 0, host, 0, 256, NULL, NULL));
	/* Later work on that queue comes after the copy. */
	CHECK_OK(dpr_kernel_launch_usm(q1, plus, DPR_RANGE1(64), NULL, NULL,
				       args, 2));
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_int_eq(first_int(q2, b), 10);
	ck_assert_int_eq(*(int *)dpr_usm_address(host), 11);
	dpr_kernel_release(plus);
	dpr_usm_release(host);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A copy fails half way: the source is unchanged, and nothing is left
   behind. */
START_TEST(fails_half_way)
{
	unsigned char *bytes = malloc(LARGE), *back = malloc(LARGE);
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, LARGE);
	dpr_event *done = (dpr_event *)&done;
	dpr_status status;

	ck_assert(bytes && back);
	number(bytes, LARGE, 1);
	CHECK_OK(dpr_usm_write(q1, a, 0, bytes, LARGE, NULL, NULL));
	switch (_i) {
	case 0: mock->fail_command(2, DPR_RC_NATIVE, -5); break;
	case 1: mock2->fail_command(2, DPR_RC_NATIVE, -5); break;
	case 2: mock->fail(MOCK_queue_read, 2, 1, DPR_RC_NATIVE, -5); break;
	case 3: mock2->fail(MOCK_queue_write, 2, 1, DPR_RC_NATIVE, -5); break;
	}
	status = dpr_usm_copy(q2, b, 0, a, 0, LARGE, NULL, &done);
	/* The last writes may fail only after the call. */
	if (_i == 1 && !status) {
		status = dpr_event_wait(done);
		dpr_event_release(done);
		done = NULL;
	}
	ck_assert_int_eq(status, DPR_ERROR_DRIVER);
	ck_assert_ptr_null(done);
	CHECK_TEXT("-5");
	mock->reset();
	mock2->reset();
	CHECK_OK(dpr_usm_read(q1, back, a, 0, LARGE, NULL, NULL));
	ck_assert_int_eq(memcmp(bytes, back, LARGE), 0);
	(void)!dpr_queue_wait(q1);
	(void)!dpr_queue_wait(q2);
	dpr_usm_release(a);
	dpr_usm_release(b);
	free(bytes);
	free(back);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void plan(dpr_usm *from, dpr_queue *to, dpr_usm_kind kind,
		 enum dpr_transfer_path path)
{
	dpr_transfer out;

	CHECK_OK(dpr_usm_transfer_plan(from, to, kind, 100, &out));
	ck_assert_int_eq(out.path, path);
	ck_assert_uint_eq(out.bytes, 100);
	ck_assert_uint_eq(out.staging,
			  path == DPR_TRANSFER_PINNED ||
					  path == DPR_TRANSFER_PAGEABLE
				  ? 100
				  : 0);
}

START_TEST(plans)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, 100);
	dpr_usm *h = new_usm(q1, DPR_USM_HOST, 100);
	dpr_usm *big = new_usm(q1, DPR_USM_DEVICE, 64 << 20);
	dpr_transfer out;

	plan(a, q1, DPR_USM_DEVICE, DPR_TRANSFER_SAME_DEVICE);
	plan(a, q2, DPR_USM_DEVICE, DPR_TRANSFER_PINNED);
	plan(h, q2, DPR_USM_DEVICE, DPR_TRANSFER_DIRECT);
	plan(a, q2, DPR_USM_HOST, DPR_TRANSFER_DIRECT);
	CHECK_OK(
		dpr_usm_transfer_plan(big, q2, DPR_USM_DEVICE, 64 << 20, &out));
	ck_assert_uint_eq(out.staging, 16 << 20);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_transfer_plan(a, q2, DPR_USM_DEVICE, 101, &out));
	CHECK_TEXT("the allocation has only 100");
	CHECK_OK(dpr_usm_transfer_plan(a, q2, DPR_USM_DEVICE, 0, &out));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_transfer_plan(a, q2, (dpr_usm_kind)77, 1, &out));
	CHECK_TEXT("77");
	ck_assert_uint_eq(out.bytes, 0);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_transfer_plan(NULL, q2, DPR_USM_DEVICE, 1, &out));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_transfer_plan(a, NULL, DPR_USM_DEVICE, 1, &out));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_transfer_plan(a, q2, DPR_USM_DEVICE, 1, NULL));
	dpr_usm_release(a);
	dpr_usm_release(h);
	dpr_usm_release(big);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Two devices of one plugin: with peer copies by the plugin, or without. */
static void start_pair(void)
{
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	setenv("DPR_OPTION_MOCK_PEER", getenv("PEER"), 1);
	start_mocks();
}

static void start_peers(void)
{
	setenv("PEER", "1", 1);
	start_pair();
}

static void start_strangers(void)
{
	setenv("PEER", "0", 1);
	start_pair();
}

static void pair(enum dpr_transfer_path path, uint64_t copies)
{
	dpr_usm *a = new_ints(q1, 64, 9), *b;
	dpr_queue *q3;

	CHECK_OK(dpr_canonical_queue("mock:1", &q3));
	ck_assert_ptr_ne(q1, q3);
	b = new_ints(q3, 64, 0);
	plan(a, q3, DPR_USM_DEVICE, path);
	mock->reset();
	CHECK_OK(dpr_usm_copy(q3, b, 0, a, 0, 256, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q3));
	ck_assert_uint_eq(mock->calls(MOCK_queue_copy), copies);
	ck_assert_int_eq(first_int(q3, b), 9);
	/* The plugin reported peer copies, but now refuses one. */
	mock->fail(MOCK_queue_copy, 1, 1, DPR_RC_NO_PATH, 0);
	CHECK_OK(dpr_usm_fill(q3, b, 0, "\0", 1, 256, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q1, b, 0, a, 0, 256, NULL, NULL));
	ck_assert_int_eq(first_int(q3, b), 9);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}

/* The plugin copies between its devices, but cannot wait for this event: the
   core waits, and no byte goes through the host. */
START_TEST(peers_that_cannot_wait)
{
	dpr_usm *a = new_ints(q1, 64, 9), *b;
	dpr_queue *q3, *other;
	dpr_event *gate, *done;
	uint64_t copies;

	CHECK_OK(dpr_canonical_queue("mock:1", &q3));
	CHECK_OK(dpr_queue_create(dpr_queue_device(q3), 0, &other));
	b = new_ints(q3, 64, 0);
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_wait(q3));
	mock->hold(1);
	CHECK_OK(dpr_queue_barrier(other, NULL, &gate));
	copies = mock->calls(MOCK_queue_copy);
	mock->fail(MOCK_queue_copy, 1, 1, DPR_RC_CANNOT_WAIT, 0);
	CHECK_OK(dpr_usm_copy(q3, b, 0, a, 0, 256, DPR_AFTER(gate), &done));
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_HELD);
	mock->hold(0);
	CHECK_OK(dpr_event_wait_for(done, 5 * SECOND));
	ck_assert_uint_eq(mock->calls(MOCK_queue_copy), copies + 2);
	ck_assert_uint_eq(mock->calls(MOCK_queue_read), 0);
	ck_assert_int_eq(first_int(q3, b), 9);
	dpr_event_release(gate);
	dpr_event_release(done);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_queue_release(other);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A queue of a third device runs the copy.  The two devices still copy
   directly, after earlier work of that queue and before its later work. */
START_TEST(peers_for_a_third)
{
	dpr_usm *a, *b;
	dpr_queue *q3;
	dpr_event *done;

	CHECK_OK(dpr_canonical_queue("mock:1", &q3));
	a = new_ints(q1, 64, 9);
	b = new_ints(q3, 64, 0);
	mock->reset();
	CHECK_OK(dpr_queue_wait(q2));
	mock2->hold(1);
	CHECK_OK(dpr_queue_barrier(q2, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q2, b, 0, a, 0, 256, NULL, &done));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(done, 10 * MS));
	mock2->hold(0);
	CHECK_OK(dpr_event_wait(done));
	ck_assert_uint_eq(mock->calls(MOCK_queue_copy), 1);
	ck_assert_uint_eq(mock->calls(MOCK_queue_read), 0);
	ck_assert_int_eq(first_int(q3, b), 9);
	dpr_event_release(done);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The plugin is asked once for each direction, however many copies follow, and
   also for parts of the devices. */
START_TEST(peers_are_asked_once)
{
	dpr_queue *q3, *part;
	dpr_usm *a, *b, *c;
	int i;

	CHECK_OK(dpr_canonical_queue("mock:1", &q3));
	CHECK_OK(dpr_canonical_queue("mock:1/equally:1.0", &part));
	a = new_ints(q1, 64, 9);
	b = new_ints(q3, 64, 0);
	c = new_ints(part, 64, 0);
	for (i = 0; i < 3; i++)
		CHECK_OK(dpr_usm_copy(q3, b, 0, a, 0, 256, NULL, NULL));
	ck_assert_uint_eq(mock->calls(MOCK_device_peer), 1);
	CHECK_OK(dpr_usm_copy(part, c, 0, a, 0, 256, NULL, NULL));
	ck_assert_uint_eq(mock->calls(MOCK_device_peer), 1);
	for (i = 0; i < 3; i++)
		CHECK_OK(dpr_usm_copy(q1, a, 0, b, 0, 256, NULL, NULL));
	ck_assert_uint_eq(mock->calls(MOCK_device_peer), 2);
	ck_assert_uint_eq(mock->calls(MOCK_queue_copy), 7);
	ck_assert_int_eq(first_int(part, c), 9);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* After a failure the plugin is asked again; after UNSUPPORTED it is not. */
START_TEST(peers_that_do_not_answer)
{
	dpr_queue *q3;
	dpr_usm *a, *b;

	CHECK_OK(dpr_canonical_queue("mock:1", &q3));
	a = new_ints(q1, 64, 9);
	b = new_ints(q3, 64, 0);
	mock->fail(MOCK_device_peer, 1, 1,
		   _i ? DPR_RC_UNSUPPORTED : DPR_RC_OOM_HOST, 0);
	CHECK_OK(dpr_usm_copy(q3, b, 0, a, 0, 256, NULL, NULL));
	ck_assert_int_eq(first_int(q3, b), 9);
	ck_assert_uint_eq(mock->calls(MOCK_queue_copy), 0);
	CHECK_OK(dpr_usm_copy(q3, b, 0, a, 0, 256, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q3));
	ck_assert_uint_eq(mock->calls(MOCK_queue_copy), _i ? 0 : 1);
	ck_assert_uint_eq(mock->calls(MOCK_device_peer), _i ? 1 : 2);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(peers)
{
	pair(DPR_TRANSFER_PEER, 1);
}
END_TEST

START_TEST(strangers)
{
	pair(DPR_TRANSFER_PINNED, 0);
}
END_TEST

/* Both devices are like CPUs: the host can access their memory. */
static void start_cpus(void)
{
	setenv("DPR_OPTION_MOCK_HOST_MEMORY", "1", 1);
	setenv("DPR_OPTION_MOCK2_HOST_MEMORY", "1", 1);
	setenv("DPR_OPTION_MOCK2_COPY_THREADS", getenv("COPIERS"), 1);
	start_mocks();
}

static void start_two(void)
{
	setenv("COPIERS", "2", 1);
	start_cpus();
}

static void start_many(void)
{
	setenv("COPIERS", "16", 1);
	setenv("DPR_OPTION_MOCK_OVERLAP", "1", 1);
	start_cpus();
}

static void copy_between(dpr_queue *queue, dpr_usm *to, dpr_usm *from,
			 size_t size, uint64_t by_first, uint64_t by_second)
{
	mock->reset();
	mock2->reset();
	CHECK_OK(dpr_usm_copy(queue, to, 0, from, 0, size, NULL, NULL));
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_uint_eq(mock->calls(MOCK_queue_read) +
				  mock->calls(MOCK_queue_write),
			  by_first);
	ck_assert_uint_eq(mock2->calls(MOCK_queue_read) +
				  mock2->calls(MOCK_queue_write),
			  by_second);
}

/* The side with more threads copies large allocations, in both directions and
   whichever queue is given.  With many more threads this begins at smaller
   sizes. */
static void more_threads(size_t large)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, large);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, large);

	plan(a, q2, DPR_USM_DEVICE, DPR_TRANSFER_DIRECT);
	plan(b, q1, DPR_USM_DEVICE, DPR_TRANSFER_DIRECT);
	copy_between(q1, b, a, large - 1, 1, 0);
	copy_between(q1, a, b, large - 1, 1, 0);
	copy_between(q1, b, a, large, 0, 1);
	copy_between(q1, a, b, large, 0, 1);
	copy_between(q2, b, a, large, 0, 1);
	copy_between(q2, a, b, large, 0, 1);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}

START_TEST(two_threads)
{
	more_threads(32 << 20);
}
END_TEST

START_TEST(many_threads)
{
	more_threads(4 << 20);
}
END_TEST

/* A wait with a time limit for a large copy returns in time, and other work
   goes on. */
START_TEST(waits_have_limits)
{
	const size_t large = 4 << 20;
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, large);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, large);
	dpr_usm *c = new_ints(q1, 64, 3);
	dpr_queue *other;
	dpr_event *done;

	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &other));
	mock2->hold(1);
	CHECK_OK(dpr_usm_copy(q1, b, 0, a, 0, large, NULL, &done));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(done, 10 * MS));
	ck_assert_int_eq(first_int(other, c), 3);
	mock2->hold(0);
	CHECK_OK(dpr_event_wait(done));
	dpr_event_release(done);
	dpr_queue_release(other);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* If the side with more threads has other work to do, it does not copy. */
START_TEST(busy_side)
{
	const size_t large = 4 << 20;
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, large);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, large);
	dpr_event *other;

	mock2->hold(1);
	CHECK_OK(dpr_queue_barrier(q2, NULL, &other));
	CHECK_OK(dpr_usm_copy(q1, b, 0, a, 0, large, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q1, a, 0, b, 0, large, NULL, NULL));
	CHECK_OK(dpr_queue_wait_for(q1, 20000 * MS));
	ck_assert_int_ne(dpr_event_get_state(other), DPR_EVENT_COMPLETE);
	mock2->hold(0);
	CHECK_OK(dpr_event_wait(other));
	dpr_event_release(other);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* On an out-of-order queue, a copy waits only for what it must.  Going through
   another queue would make it wait for all earlier work. */
START_TEST(no_order_is_made)
{
	const size_t large = 4 << 20;
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, large);
	dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, large);
	dpr_event *stuck, *done;
	dpr_kernel *sleep_ms = mock_kernel(q1, "sleep_ms");
	dpr_range range = { .dims = 1, .global = { 1 } };
	dpr_arg arg = DPR_ARG((uint32_t)0);
	dpr_queue *q3;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_OUT_OF_ORDER,
				  &q3));
	mock->stall_command(1);
	CHECK_OK(dpr_kernel_launch_usm(q3, sleep_ms, range, NULL, &stuck, &arg,
				       1));
	CHECK_OK(dpr_usm_copy(q3, b, 0, a, 0, large, NULL, &done));
	CHECK_OK(dpr_event_wait_for(done, 20000 * MS));
	ck_assert_int_ne(dpr_event_get_state(stuck), DPR_EVENT_COMPLETE);
	/* This ends the stuck command. */
	mock->reset();
	dpr_event_release(stuck);
	dpr_event_release(done);
	dpr_kernel_release(sleep_ms);
	dpr_queue_release(q3);
	dpr_usm_release(a);
	dpr_usm_release(b);
	ck_assert_int_ne(dpr_finalize(), DPR_ERROR_BUSY);
}
END_TEST

/* Released memory is freed after all work that uses it, even if a device with
   such work is lost. */
START_TEST(lost_user)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, 256), *b, *c;
	dpr_queue *other;
	dpr_event *done;
	uint64_t frees;

	CHECK_OK(dpr_driver_alloc(q1, DPR_USM_DEVICE, 256, 0, &b));
	c = new_ints(q2, 64, 0);
	CHECK_OK(dpr_queue_wait(q2));
	mock->hold(1);
	mock2->hold(1);
	CHECK_OK(dpr_usm_copy(q2, c, 0, b, 0, 256, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q1, a, 0, b, 0, 256, NULL, &done));
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_QUEUED);
	mock2->lose(0);
	frees = mock->calls(MOCK_mem_free);
	dpr_usm_release(b);
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &other));
	CHECK_OK(dpr_queue_wait(other));
	dpr_queue_release(other);
	ck_assert_uint_eq(mock->calls(MOCK_mem_free), frees);
	mock->hold(0);
	CHECK_OK(dpr_event_wait(done));
	CHECK_OK(dpr_queue_wait(q1));
	/* The reaper may still be freeing it. */
	EVENTUALLY(mock->calls(MOCK_mem_free) == frees + 1);
	dpr_event_release(done);
	dpr_usm_release(a);
	dpr_usm_release(c);
}
END_TEST

/* The allocation belongs to another device: each call fails and says so. */
START_TEST(wrong_device)
{
	dpr_usm *a = new_ints(q1, 64, 9);
	dpr_event *done = (dpr_event *)&done;
	int value = 0;

	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_usm_write(q2, a, 0, &value, 4, NULL, &done));
	ck_assert_ptr_null(done);
	CHECK_TEXT("mock:gpu:0 (canonical)");
	CHECK_TEXT("mock2:gpu:0 (canonical)");
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_usm_read(q2, &value, a, 0, 4, NULL, NULL));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_usm_fill(q2, a, 0, &value, 4, 4, NULL, NULL));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_usm_prefetch(q2, a, 0, 4, NULL, NULL));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_usm_advise(q2, a, 0, 4, DPR_ADVICE_NONE));
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("transfer");
	TCase *all = tcase_create("all devices");
	TCase *mocks = tcase_create("mocks");
	TCase *peer = tcase_create("peers"), *none = tcase_create("strangers");
	TCase *two = tcase_create("two"), *many = tcase_create("many");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(all, start_all, NULL);
	tcase_set_timeout(all, 60);
	tcase_add_loop_test(all, every_direction, 0,
			    sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_test(all, every_kind);
	tcase_add_test(all, larger_than_caches);
	suite_add_tcase(suite, all);
	tcase_add_checked_fixture(mocks, start_mocks, NULL);
	tcase_set_timeout(mocks, 60);
	tcase_add_test(mocks, out_of_order_queues);
	tcase_add_test(mocks, waits_for_events);
	tcase_add_test(mocks, after_raw_work);
	tcase_add_loop_test(mocks, fails_half_way, 0, 4);
	tcase_add_test(mocks, plans);
	tcase_add_test(mocks, wrong_device);
	suite_add_tcase(suite, mocks);
	tcase_add_checked_fixture(peer, start_peers, NULL);
	tcase_add_test(peer, peers);
	tcase_add_test(peer, peers_that_cannot_wait);
	tcase_add_test(peer, peers_for_a_third);
	tcase_add_test(peer, peers_are_asked_once);
	tcase_add_loop_test(peer, peers_that_do_not_answer, 0, 2);
	suite_add_tcase(suite, peer);
	tcase_add_checked_fixture(none, start_strangers, NULL);
	tcase_add_test(none, strangers);
	suite_add_tcase(suite, none);
	tcase_add_checked_fixture(two, start_two, NULL);
	tcase_add_test(two, two_threads);
	suite_add_tcase(suite, two);
	tcase_add_checked_fixture(many, start_many, NULL);
	tcase_set_timeout(many, 60);
	tcase_add_test(many, many_threads);
	tcase_add_test(many, waits_have_limits);
	tcase_add_test(many, busy_side);
	tcase_add_test(many, no_order_is_made);
	tcase_add_test(many, lost_user);
	suite_add_tcase(suite, many);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
