/* SPDX-License-Identifier: Apache-2.0 */
/* api_host_path.c - host memory that a plugin does not accept directly.  The
   core copies the bytes through chunks, or has the memory imported.  The bytes
   must be right, and transfers must keep the queue's order. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/support/host_path_test.h"

/* Sizes around each one at which the path changes, from unaligned memory. */
START_TEST(all_sizes)
{
	static const size_t sizes[] = { 1,
					4,
					64 * KIB - 1,
					64 * KIB,
					64 * KIB + 1,
					256 * KIB,
					256 * KIB + 1,
					MIB - 1,
					MIB,
					CHUNK - 1,
					CHUNK,
					CHUNK + 1,
					4 * CHUNK,
					LARGE };
	static const size_t offsets[] = { 0, 1, 4097 };
	const size_t n = sizeof(sizes) / sizeof(sizes[0]);
	bool small = getenv("DPR_TEST_SMALL") != NULL;
	size_t i, j, transfers = 0;
	dpr_queue *queue;
	dpr_usm *usm;

	start(_i);
	queue = new_queue(_i);
	usm = new_usm(queue, DPR_USM_DEVICE, LARGE + 8192);
	mock->reset();
	for (i = 0; i < (small ? n : 2 * n); i++) {
		size_t size = sizes[i % n], off = i % GUARD;

		j = i % 3;
		if (size + offsets[j] > LARGE + 8192)
			continue;
		put(queue, usm, offsets[j], bytes + off, size, _i);
		memset(back, 0x5a, size + 2 * GUARD);
		get(queue, back + off, usm, offsets[j], size, _i);
		ck_assert_int_eq(memcmp(back + off, bytes + off, size), 0);
		for (j = 0; j < off && back[j] == 0x5a; j++)
			;
		ck_assert_uint_eq(j, off);
		ck_assert_int_eq(back[off + size], 0x5a);
		transfers += 2;
	}
	/* The plugin is tried once per transfer, and once more after the
	   dependencies of the transfer are done. */
	if (_i & UNORDERED)
		ck_assert_uint_le(mock->refused(), 2 * transfers);
	else
		ck_assert_uint_eq(mock->refused(), transfers);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish();
}
END_TEST

/* Write a part of an allocation: the rest must not change. */
START_TEST(parts_of_an_allocation)
{
	dpr_usm *usm;

	start(_i);
	usm = new_usm(q1, DPR_USM_DEVICE, LARGE);
	put(q1, usm, 0, bytes, LARGE, _i);
	fill_bytes(back, LARGE, 99);
	put(q1, usm, 5 * MIB + 3, back, 9 * MIB + 1, _i);
	put(q1, usm, 2 * MIB, back, 10, _i);
	get(q1, back + 9 * MIB + 1, usm, 0, 5 * MIB + 3, _i);
	ck_assert_int_eq(memcmp(back + 9 * MIB + 1, bytes, 2 * MIB), 0);
	ck_assert_int_eq(memcmp(back + 11 * MIB + 1, back, 10), 0);
	ck_assert_int_eq(memcmp(back + 11 * MIB + 11, bytes + 2 * MIB + 10,
				3 * MIB + 3 - 10),
			 0);
	get(q1, back + 9 * MIB + 1, usm, 5 * MIB + 3, 9 * MIB + 1, _i);
	ck_assert_int_eq(memcmp(back + 9 * MIB + 1, back, 9 * MIB + 1), 0);
	dpr_usm_release(usm);
	finish();
}
END_TEST

/* With all commands held: earlier work runs before a transfer, and later work
   after it, for small and large transfers in both directions. */
START_TEST(keeps_the_order)
{
	static const size_t sizes[] = { 100, 3 * MIB };
	dpr_event *reads[2], *write;
	dpr_queue *queue;
	dpr_usm *usm;
	size_t i, size;

	start(_i);
	queue = new_queue(_i);
	for (i = 0; i < 4; i++) {
		size = sizes[i % 2];
		usm = new_usm(queue, DPR_USM_DEVICE, size);
		CHECK_OK(dpr_queue_wait(queue));
		mock->reset();
		mock->hold(1);
		CHECK_OK(dpr_usm_fill(queue, usm, 0, "x", 1, size, NULL, NULL));
		CHECK_OK(dpr_usm_read(queue, back, usm, 0, size, NULL,
				      &reads[0]));
		CHECK_OK(dpr_usm_write(queue, usm, 0, bytes, size, NULL,
				       &write));
		CHECK_OK(dpr_usm_read(queue, back + LARGE / 2, usm, 0, size,
				      NULL, &reads[1]));
		CHECK_OK(dpr_usm_fill(queue, usm, 0, "y", 1, size, NULL, NULL));
		pause_ns(20 * MS);
		ck_assert_uint_eq(mock->calls(MOCK_queue_fill), 1);
		ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 0);
		ck_assert_int_lt(dpr_event_get_state(reads[0]),
				 DPR_EVENT_COMPLETE);
		ck_assert_int_lt(dpr_event_get_state(write),
				 DPR_EVENT_COMPLETE);
		CHECK_FAILS(DPR_ERROR_TIMEOUT,
			    dpr_queue_wait_for(queue, 10 * MS));
		mock->hold(0);
		end(reads[0]);
		end(write);
		end(reads[1]);
		ck_assert_int_eq(back[0], 'x');
		ck_assert_int_eq(memcmp(back, back + 1, size - 1), 0);
		ck_assert_int_eq(memcmp(back + LARGE / 2, bytes, size), 0);
		get(queue, back, usm, 0, size, _i);
		ck_assert_int_eq(back[0], 'y');
		ck_assert_int_eq(memcmp(back, back + 1, size - 1), 0);
		dpr_usm_release(usm);
	}
	dpr_queue_release(queue);
	finish();
}
END_TEST

/* A barrier on an unordered queue waits for a transfer, and work behind the
   barrier waits for the barrier. */
START_TEST(barriers_wait)
{
	dpr_event *done, *barrier;
	dpr_queue *queue;
	dpr_usm *usm, *other;

	start(_i);
	queue = new_queue(UNORDERED);
	usm = new_usm(queue, DPR_USM_DEVICE, LARGE);
	other = new_usm(queue, DPR_USM_DEVICE, 16);
	put(queue, usm, 0, bytes, LARGE, 0);
	CHECK_OK(dpr_queue_wait(queue));
	mock->reset();
	mock->hold(1);
	CHECK_OK(dpr_usm_read(queue, back, usm, 0, LARGE, NULL, &done));
	CHECK_OK(dpr_queue_barrier(queue, NULL, &barrier));
	CHECK_OK(dpr_usm_fill(queue, other, 0, "z", 1, 16, NULL, NULL));
	pause_ns(20 * MS);
	ck_assert_uint_eq(mock->calls(MOCK_queue_fill), 0);
	ck_assert_int_eq(dpr_event_get_state(barrier), DPR_EVENT_HELD);
	mock->hold(0);
	end(barrier);
	ck_assert_int_eq(dpr_event_get_state(done), DPR_EVENT_COMPLETE);
	ck_assert_int_eq(memcmp(back, bytes, LARGE), 0);
	dpr_event_release(done);
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_uint_eq(mock->calls(MOCK_queue_fill), 1);
	dpr_usm_release(usm);
	dpr_usm_release(other);
	dpr_queue_release(queue);
	finish();
}
END_TEST

/* The write waits for a read from another device, which produces its bytes.
   The driver cannot wait for that read. */
START_TEST(waits_for_other_queues)
{
	static const size_t sizes[] = { 10, 600 * KIB, 9 * MIB };
	dpr_event *read, *write, *again;
	size_t i, size;

	start(_i);
	for (i = 0; i < 6; i++) {
		size = sizes[i % 3];
		dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, size);
		dpr_usm *b = new_usm(q2, DPR_USM_DEVICE, size);

		put(q2, b, 0, bytes, size, 0);
		memset(back, 0, LARGE);
		mock2->hold(1);
		CHECK_OK(dpr_usm_read(q2, back, b, 0, size, NULL, &read));
		CHECK_OK(dpr_usm_write(q1, a, 0, back, size, DPR_AFTER(read),
				       &write));
		CHECK_OK(dpr_usm_read(q1, back + LARGE / 2, a, 0, size, NULL,
				      &again));
		ck_assert_int_eq(dpr_event_get_state(write), DPR_EVENT_HELD);
		mock2->hold(0);
		end(again);
		ck_assert_int_eq(memcmp(back + LARGE / 2, bytes, size), 0);
		dpr_event_release(read);
		dpr_event_release(write);
		dpr_usm_release(a);
		dpr_usm_release(b);
	}
	finish();
}
END_TEST

/* A blocking transfer with a dependency that is not done yet. */
START_TEST(blocking_calls_wait_for_dependencies)
{
	dpr_usm *a, *b;
	dpr_event *gate;

	start(_i);
	a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	b = new_usm(q2, DPR_USM_DEVICE, 16);
	put(q1, a, 0, bytes, LARGE, 0);
	mock2->delay(20 * MS);
	CHECK_OK(dpr_usm_fill(q2, b, 0, "g", 1, 16, NULL, &gate));
	CHECK_OK(dpr_usm_read(q1, back, a, 0, LARGE, DPR_AFTER(gate), NULL));
	ck_assert_int_eq(dpr_event_get_state(gate), DPR_EVENT_COMPLETE);
	ck_assert_int_eq(memcmp(back, bytes, LARGE), 0);
	dpr_event_release(gate);
	CHECK_OK(dpr_usm_fill(q2, b, 0, "g", 1, 16, NULL, &gate));
	CHECK_OK(dpr_usm_read(q1, back, a, 7, 4, DPR_AFTER(gate), NULL));
	ck_assert_int_eq(dpr_event_get_state(gate), DPR_EVENT_COMPLETE);
	ck_assert_int_eq(memcmp(back, bytes + 7, 4), 0);
	dpr_event_release(gate);
	dpr_usm_release(a);
	dpr_usm_release(b);
	finish();
}
END_TEST

/* A stuck transfer of one device does not hold up transfers of another device,
   callbacks, or other queues of the same device. */
START_TEST(holds_up_no_other)
{
	dpr_event *stuck[2], *done;
	dpr_queue *other;
	dpr_usm *a, *b, *c;

	start(_i);
	other = new_queue(0);
	a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	b = new_usm(q2, DPR_USM_DEVICE, LARGE);
	c = new_usm(other, DPR_USM_DEVICE, MIB);
	put(q1, a, 0, bytes, LARGE, 0);
	put(q2, b, 0, bytes, LARGE, 0);
	put(other, c, 0, bytes, MIB, 0);
	CHECK_OK(dpr_queue_wait(q1));
	mock->stall_command(1);
	CHECK_OK(dpr_usm_read(q1, back, a, 0, LARGE, NULL, &stuck[0]));
	CHECK_OK(dpr_usm_write(q1, a, 0, bytes, 10, NULL, &stuck[1]));
	EVENTUALLY(mock->pending() >= 1);
	CHECK_OK(dpr_usm_read(q2, back + 100, b, 0, MIB, NULL, &done));
	end(done);
	CHECK_OK(dpr_usm_read(other, back + 2 * MIB, c, 0, MIB, NULL, &done));
	end(done);
	ck_assert_int_eq(memcmp(back + 2 * MIB, bytes, MIB), 0);
	ck_assert_int_lt(dpr_event_get_state(stuck[0]), DPR_EVENT_COMPLETE);
	mock->reset();
	end(stuck[0]);
	end(stuck[1]);
	ck_assert_int_eq(memcmp(back, bytes, LARGE), 0);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* Each small transfer in a row makes two calls: the plugin refuses the first
   call, and accepts the second. */
START_TEST(small_ones_are_cheap)
{
	dpr_event *done;
	dpr_usm *usm;
	int i, value;

	start(_i);
	usm = new_ints(q1, 1000, 3);
	for (i = 0; i < 3; i++)
		ck_assert_int_eq(first_int(q1, usm), 3);
	put(q1, usm, 0, &i, 4, EVENTS);
	mock->reset();
	for (i = 0; i < 100; i++) {
		put(q1, usm, 4, &i, 4, 0);
		get(q1, &value, usm, 4, 4, 0);
		ck_assert_int_eq(value, i);
		CHECK_OK(dpr_usm_write(q1, usm, 8, &i, 4, NULL, &done));
		end(done);
	}
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 0);
	ck_assert_uint_eq(mock->calls(MOCK_mem_free), 0);
	ck_assert_uint_eq(mock->refused(), 300);
	ck_assert_uint_eq(mock->calls(MOCK_queue_read), 200);
	ck_assert_uint_eq(mock->calls(MOCK_queue_write), 400);
	ck_assert_uint_eq(mock->calls(MOCK_queue_barrier), 0);
	/* Memory that the plugin itself has allocated is not copied. */
	dpr_usm_release(usm);
	usm = new_usm(q1, DPR_USM_HOST, 2 * MIB);
	dpr_usm *device = new_usm(q1, DPR_USM_DEVICE, 2 * MIB);

	mock->reset();
	put(q1, device, 0, dpr_usm_address(usm), 2 * MIB, 0);
	get(q1, dpr_usm_address(usm), device, 0, 100, 0);
	ck_assert_uint_eq(mock->refused(), 0);
	ck_assert_uint_eq(mock->calls(MOCK_queue_write), 1);
	ck_assert_uint_eq(mock->calls(MOCK_queue_read), 1);
	dpr_usm_release(usm);
	dpr_usm_release(device);
	finish();
}
END_TEST

/* More small writes than there are chunks, while no command can run. */
START_TEST(many_small_writes)
{
	enum { N = 300 };
	dpr_event *done[N];
	int values[N], i;
	dpr_usm *usm;

	start(_i);
	usm = new_ints(q1, N, -1);
	ck_assert_int_eq(first_int(q1, usm), -1);
	mock->hold(1);
	for (i = 0; i < N; i++) {
		values[i] = i;
		CHECK_OK(dpr_usm_write(q1, usm, (size_t)i * 4, &values[i], 4,
				       NULL, &done[i]));
	}
	mock->hold(0);
	for (i = 0; i < N; i++)
		end(done[i]);
	get(q1, back, usm, 0, sizeof(values), 0);
	ck_assert_int_eq(memcmp(back, values, sizeof(values)), 0);
	dpr_usm_release(usm);
	finish();
}
END_TEST

/* Pages are imported while their piece is transferred.  A plugin that cannot
   import is tried only once. */
START_TEST(imports_pages)
{
	unsigned char *pages = aligned_alloc(4096, 16 * MIB);
	dpr_usm *usm;

	start(_i ? 0 : IMPORTS);
	ck_assert_ptr_nonnull(pages);
	fill_bytes(pages, 16 * MIB, 5);
	usm = new_usm(q1, DPR_USM_DEVICE, 16 * MIB);
	CHECK_OK(dpr_queue_wait(q1));
	mock->reset();
	put(q1, usm, 0, pages, 16 * MIB, 0);
	get(q1, back, usm, 0, 16 * MIB, 0);
	ck_assert_int_eq(memcmp(back, pages, 16 * MIB), 0);
	if (_i) {
		mock->reset();
		put(q1, usm, 0, pages, 16 * MIB, 0);
		ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), 0);
	} else {
		/* There are pieces of 4 MiB, and most of them are whole
		   pages. */
		ck_assert_uint_ge(mock->calls(MOCK_mem_free), 6);
	}
	dpr_usm_release(usm);
	free(pages);
	finish();
}
END_TEST

/* Imports fail, as if another import had the page, or the driver had no more:
   chunks are used instead. */
START_TEST(imports_fail)
{
	dpr_usm *usm;

	start(IMPORTS);
	usm = new_usm(q1, DPR_USM_DEVICE, LARGE);
	put(q1, usm, 0, bytes, 10, 0);
	/* Leave free memory, so that no chunk needs a driver allocation. */
	dpr_usm_release(new_usm(q1, DPR_USM_HOST, 8 * CHUNK));
	mock->fail(MOCK_mem_alloc, 2, 3, DPR_RC_NATIVE, -3);
	put(q1, usm, 0, bytes, LARGE, _i);
	mock->reset();
	get(q1, back, usm, 0, LARGE, _i);
	ck_assert_int_eq(memcmp(back, bytes, LARGE), 0);
	dpr_usm_release(usm);
	finish();
}
END_TEST

/* If the driver has no fill, the fill's first block also goes through a
   chunk. */
START_TEST(fills)
{
	dpr_event *done;
	dpr_usm *usm;
	size_t i;

	setenv("DPR_OPTION_MOCK_OPTIONAL", "0", 1);
	start(_i);
	usm = new_usm(q1, DPR_USM_DEVICE, 3 * MIB);
	CHECK_OK(dpr_usm_fill(q1, usm, 0, "abc", 3, 3 * MIB, NULL, &done));
	CHECK_OK(dpr_usm_fill(q1, usm, 3, "xy", 2, 6, NULL, NULL));
	end(done);
	get(q1, back, usm, 0, 3 * MIB, 0);
	ck_assert_int_eq(memcmp(back, "abcxyxyxyabc", 12), 0);
	for (i = 9; i < 3 * MIB && back[i] == "abc"[i % 3]; i++)
		;
	ck_assert_uint_eq(i, 3 * MIB);
	dpr_usm_release(usm);
	finish();
}
END_TEST

/* A copy between two plugins, neither of which accepts the other's memory. */
START_TEST(copies_between_devices)
{
	dpr_usm *a, *b, *host;

	start(_i);
	a = new_usm(q1, DPR_USM_DEVICE, LARGE);
	b = new_usm(q2, DPR_USM_DEVICE, LARGE);
	host = new_usm(q2, DPR_USM_HOST, 5 * MIB);
	put(q1, a, 0, bytes, LARGE, _i);
	CHECK_OK(dpr_usm_copy(q1, b, 0, a, 0, LARGE, NULL, NULL));
	get(q2, back, b, 0, LARGE, _i);
	ck_assert_int_eq(memcmp(back, bytes, LARGE), 0);
	CHECK_OK(dpr_usm_copy(q1, host, 1, a, 5, 4 * MIB, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q1, a, 0, host, 1, 4 * MIB, NULL, NULL));
	get(q1, back, a, 0, 4 * MIB, _i);
	ck_assert_int_eq(memcmp(back, bytes + 5, 4 * MIB), 0);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(host);
	finish();
}
END_TEST

/* --- Arrays ----------------------------------------------------------------
 */

START_TEST(arrays)
{
	dpr_array *x, *y, *z;
	int32_t *values;
	char *text;
	int i;

	start(_i);
	values = (int32_t *)(void *)back;
	for (i = 0; i < 1000000; i++)
		values[i] = i;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(1000, 1000), NULL,
				       DPR_INT32, q1, &x));
	memset(back, 0, 4000000);
	CHECK_OK(dpr_array_to_memory(x, back, dpr_array_nbytes(x), NULL));
	for (i = 0; i < 1000000; i++)
		ck_assert_int_eq(values[i], i);
	CHECK_OK(dpr_array_to_device(x, dpr_queue_device(q2), &y));
	CHECK_OK(dpr_array_view(y, &z, DPR_SLICE(0, 1000, 100),
				DPR_SLICE(0, 3, 1)));
	CHECK_OK(dpr_array_format(z, NULL, &text));
	ck_assert_ptr_nonnull(strstr(text, "900002"));
	dpr_free(text);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
	finish();
}
END_TEST

/* --- Threads ---------------------------------------------------------------
 */

enum { THREADS = 8 };

struct worker {
	pthread_t thread;
	dpr_queue *queue;
	unsigned seed;
	int rounds;
};

static void *work(void *user)
{
	static const size_t sizes[] = { 4, 5000, 100000, 700000, 5 * MIB + 1 };
	struct worker *w = user;
	const size_t most = 5 * MIB + 1;
	unsigned char *from = malloc(most), *to = malloc(most);
	dpr_usm *usm = new_usm(w->queue, DPR_USM_DEVICE, most);
	int i;

	ck_assert(from && to);
	for (i = 0; i < w->rounds; i++) {
		size_t size = sizes[((unsigned)i + w->seed) % 5];

		fill_bytes(from, size, w->seed + (unsigned)i);
		put(w->queue, usm, most - size, from, size, i & 1 ? EVENTS : 0);
		memset(to, 0, size);
		get(w->queue, to, usm, most - size, size, i & 2 ? EVENTS : 0);
		ck_assert_int_eq(memcmp(from, to, size), 0);
	}
	free(from);
	free(to);
	dpr_usm_release(usm);
	return NULL;
}

START_TEST(threads)
{
	int small = getenv("DPR_TEST_SMALL") != NULL, i;
	struct worker w[THREADS];
	dpr_queue *unordered;

	start(_i);
	unordered = new_queue(UNORDERED);
	for (i = 0; i < THREADS; i++) {
		w[i] = (struct worker){ .queue = i & 1 ? unordered : q1,
					.seed = (unsigned)i,
					.rounds = small ? 10 : 40 };
		ck_assert_int_eq(
			pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(w[i].thread, NULL);
	dpr_queue_release(unordered);
	finish();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("host path");
	TCase *tcase = tcase_create("host path");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, all_sizes, 0, ALL_MODES);
	tcase_add_loop_test(tcase, parts_of_an_allocation, 0, 2);
	tcase_add_loop_test(tcase, keeps_the_order, 0, 4);
	tcase_add_loop_test(tcase, barriers_wait, 0, 2);
	tcase_add_loop_test(tcase, waits_for_other_queues, 0, 2);
	tcase_add_loop_test(tcase, blocking_calls_wait_for_dependencies, 0, 2);
	tcase_add_loop_test(tcase, holds_up_no_other, 0, 2);
	tcase_add_loop_test(tcase, small_ones_are_cheap, 0, 2);
	tcase_add_loop_test(tcase, many_small_writes, 0, 2);
	tcase_add_loop_test(tcase, imports_pages, 0, 2);
	tcase_add_loop_test(tcase, imports_fail, 0, 2);
	tcase_add_loop_test(tcase, fills, 0, 2);
	tcase_add_loop_test(tcase, copies_between_devices, 0, 2);
	tcase_add_loop_test(tcase, arrays, 0, 2);
	tcase_add_loop_test(tcase, threads, 0, 2);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
