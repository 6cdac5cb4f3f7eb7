/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_pool_order.c - the next owner of released memory comes after its old
 * uses, and inherits nothing else.
 *
 * The tests make the earlier work slow, so that the data is wrong without the
 * order.
 */
#include "tests/support/pool_test.h"

/* Make an allocation on q1 from a released block that slow work on q1 has yet
   to fill with -1. */
static dpr_usm *inherited(void)
{
	dpr_usm *a = new_ints(q1, N, 0), *b;
	void *at = dpr_usm_address(a);

	CHECK_OK(dpr_queue_wait(q1));
	busy(q1, SLOW);
	fill(q1, a, -1);
	dpr_usm_release(a);
	b = new_usm(q1, DPR_USM_DEVICE, BYTES);
	ck_assert_ptr_eq(dpr_usm_address(b), at);
	return b;
}

enum { TRACKED, RAW, COPIED, WRITTEN, FIRST_USES };

/* Let a kernel set x[i] = i through an untracked pointer. */
static void raw_fill(dpr_queue *queue, dpr_usm *usm)
{
	dpr_kernel *kernel = mock_kernel(queue, "fill_index");
	dpr_arg args[2] = { DPR_USM_AT(usm, 0), DPR_ARG((uint64_t)N) };

	CHECK_OK(dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(N), NULL, NULL,
				       args, 2));
	dpr_kernel_release(kernel);
}

/* The new owner uses the memory first on another queue: in order, out of order,
   or of another backend. */
START_TEST(first_use_elsewhere)
{
	static int out[N];
	dpr_queue *other =
		new_queue(_i / FIRST_USES ? DPR_QUEUE_OUT_OF_ORDER : 0);
	dpr_usm *b = inherited(), *from = NULL;
	int values[N], i, wrong = 0;

	for (i = 0; i < N; i++)
		out[i] = i;
	switch (_i % FIRST_USES) {
	case TRACKED:
		CHECK_OK(dpr_usm_write(other, b, 0, out, BYTES, NULL, NULL));
		break;
	case RAW: raw_fill(other, b); break;
	case COPIED:
		from = new_usm(other, DPR_USM_DEVICE, BYTES);
		raw_fill(other, from);
		CHECK_OK(dpr_queue_wait(other));
		CHECK_OK(dpr_usm_copy(other, b, 0, from, 0, BYTES, NULL, NULL));
		break;
	case WRITTEN:
		/* Copied from another device, through host memory. */
		from = new_usm(q2, DPR_USM_DEVICE, BYTES);
		CHECK_OK(dpr_usm_write(q2, from, 0, out, BYTES, NULL, NULL));
		CHECK_OK(dpr_usm_copy(q2, b, 0, from, 0, BYTES, NULL, NULL));
		CHECK_OK(dpr_queue_wait(q2));
		break;
	}
	CHECK_OK(dpr_queue_wait(other));
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_usm_read(q1, values, b, 0, BYTES, NULL, NULL));
	for (i = 0; i < N; i++)
		wrong += values[i] != i;
	ck_assert_int_eq(wrong, 0);
	dpr_usm_release(from);
	dpr_usm_release(b);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* Each queue with an untracked use has to wait, not just the first one. */
START_TEST(second_raw_use_elsewhere)
{
	dpr_queue *others[2] = { new_queue(0), new_queue(0) };
	dpr_usm *b = inherited();
	int i;

	/* Both launches must wait for the old fill, although neither knows of
	   the other. */
	raw_fill(others[0], b);
	raw_fill(others[1], b);
	for (i = 0; i < 2; i++)
		CHECK_OK(dpr_queue_wait(others[i]));
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_int_eq(first_int(q1, b), 0);
	dpr_usm_release(b);
	for (i = 0; i < 2; i++)
		dpr_queue_release(others[i]);
	finish();
}
END_TEST

/* The block is released again, unused, before the old work is done.  The next
   owner inherits the same order. */
START_TEST(handed_on)
{
	dpr_queue *other = new_queue(0);
	dpr_usm *b = inherited(), *c;
	void *at = dpr_usm_address(b);

	dpr_usm_release(b);
	c = new_usm(other, DPR_USM_DEVICE, BYTES);
	ck_assert_ptr_ne(dpr_usm_address(c), at);
	dpr_usm_release(c);
	c = new_usm(q1, DPR_USM_DEVICE, BYTES);
	ck_assert_ptr_eq(dpr_usm_address(c), at);
	raw_fill(other, c);
	CHECK_OK(dpr_queue_wait(other));
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_int_eq(first_int(q1, c), 0);
	dpr_usm_release(c);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* The block is used only on another queue, while the old work runs on its own
   queue: released now, it has uses on two queues. */
START_TEST(released_with_both)
{
	dpr_queue *other = new_queue(0);
	dpr_usm *b = inherited(), *c;
	void *at = dpr_usm_address(b);

	raw_fill(other, b);
	dpr_usm_release(b);
	c = new_usm(q1, DPR_USM_DEVICE, BYTES);
	ck_assert_ptr_ne(dpr_usm_address(c), at);
	dpr_usm_release(c);
	c = new_usm(other, DPR_USM_DEVICE, BYTES);
	ck_assert_ptr_ne(dpr_usm_address(c), at);
	dpr_usm_release(c);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* A failure of the old work does not affect the new owner. */
START_TEST(old_work_fails)
{
	dpr_queue *other = new_queue(0);
	dpr_usm *a = new_ints(q1, N, 0), *b;
	dpr_event *done;

	CHECK_OK(dpr_queue_wait(q1));
	busy(q1, SLOW);
	mock->fail_command(1, DPR_RC_NATIVE, -7);
	CHECK_OK(dpr_usm_fill(q1, a, 0, "abcd", 4, 4, NULL, &done));
	dpr_usm_release(a);
	b = new_usm(q1, DPR_USM_DEVICE, BYTES);
	raw_fill(other, b);
	CHECK_OK(dpr_queue_wait(other));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	ck_assert_int_eq(first_int(q1, b), 0);
	dpr_event_release(done);
	dpr_usm_release(b);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* Work that the core still holds may fail there: its memory is not reused
   yet. */
START_TEST(held_work)
{
	dpr_usm *a = new_ints(q1, N, 0), *b;
	void *at = dpr_usm_address(a);
	dpr_event *gate;

	CHECK_OK(dpr_queue_wait(q1));
	mock2->hold(1);
	mock2->fail_command(1, DPR_RC_NATIVE, -7);
	CHECK_OK(dpr_queue_barrier(q2, NULL, &gate));
	CHECK_OK(dpr_usm_fill(q1, a, 0, "abcd", 4, 4, DPR_AFTER(gate), NULL));
	dpr_usm_release(a);
	b = new_usm(q1, DPR_USM_DEVICE, BYTES);
	ck_assert_ptr_ne(dpr_usm_address(b), at);
	ck_assert_uint_eq(stats_of(device, DPR_USM_DEVICE).used, 2 * 4096);
	mock2->hold(0);
	(void)!dpr_queue_wait(q1);
	(void)!dpr_queue_wait(q2);
	dpr_usm_release(b);
	EVENTUALLY(!dpr_pool_trim(device, 0, NULL) &&
		   !stats_of(device, DPR_USM_DEVICE).pending);
	dpr_event_release(gate);
	finish();
}
END_TEST

/* If the driver fails to wait for the queue, the queue does not count as
   idle. */
START_TEST(finish_fails)
{
	dpr_usm *usm = new_usm(q1, DPR_USM_DEVICE, BYTES);

	mock->delay(300 * MS);
	fill(q1, usm, 1);
	dpr_usm_release(usm);
	mock->fail(MOCK_queue_finish, 1, 2, DPR_RC_OOM_HOST, -6);
	ck_assert_int_eq(dpr_queue_wait(q1), DPR_ERROR_OUT_OF_MEMORY);
	/* The core has waited another way: the memory is not free while work
	   uses it. */
	ck_assert_uint_eq(mock->pending(), 0);
	mock->delay(0);
	finish();
}
END_TEST

/* Uses through a native handle cannot be tracked, so the call waits for the old
   work. */
START_TEST(native_handle)
{
	dpr_usm *b = inherited(), *c = new_usm(q1, DPR_USM_DEVICE, BYTES);
	uintptr_t handle;
	size_t offset;
	int *ints;

	CHECK_OK(dpr_usm_native(b, &handle, &offset));
	ints = (int *)(handle + offset);
	ck_assert_int_eq(ints[0], -1);
	ck_assert_int_eq(ints[N - 1], -1);
	fill(q1, c, 9);
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_usm_native(c, &handle, &offset));
	/* Both blocks are in one slab, so the offset is not 0. */
	ck_assert_uint_gt(offset, 0);
	ck_assert_int_eq(*(int *)(handle + offset), 9);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_native(NULL, &handle, &offset));
	ck_assert_uint_eq(handle, 0);
	dpr_usm_release(b);
	dpr_usm_release(c);
	finish();
}
END_TEST

/* A view on another queue uses the memory only after the old work. */
START_TEST(views_elsewhere)
{
	dpr_queue *other = new_queue(0);
	dpr_array *x, *view;
	int zeros[N] = { 0 }, values[N], i, wrong = 0;

	dpr_usm_release(inherited());
	CHECK_OK(dpr_empty(DPR_SHAPE(N), DPR_INT32, q1, &x));
	CHECK_OK(dpr_array_to_queue(x, other, &view));
	CHECK_OK(dpr_usm_write(other, dpr_array_usm(view), 0, zeros, BYTES,
			       NULL, NULL));
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_array_to_memory(view, values, dpr_array_nbytes(view),
				     NULL));
	for (i = 0; i < N; i++)
		wrong += values[i] != 0;
	ck_assert_int_eq(wrong, 0);
	dpr_array_release(x);
	dpr_array_release(view);
	dpr_queue_release(other);
	finish();
}
END_TEST

/* Old work also comes first if an object of the driver is reused as a whole. */
START_TEST(whole_objects_inherit)
{
	dpr_queue *other = new_queue(0);
	dpr_usm *a = new_ints(q1, N, 0);
	uint64_t calls;

	CHECK_OK(dpr_queue_wait(q1));
	busy(q1, SLOW);
	fill(q1, a, -1);
	dpr_usm_release(a);
	calls = mock->calls(MOCK_mem_alloc);
	a = new_usm(q1, DPR_USM_DEVICE, BYTES);
	ck_assert_uint_eq(mock->calls(MOCK_mem_alloc), calls);
	raw_fill(other, a);
	CHECK_OK(dpr_queue_wait(other));
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_int_eq(first_int(q1, a), 0);
	dpr_usm_release(a);
	dpr_queue_release(other);
	finish();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pool order");
	TCase *tcase = tcase_create("pool"), *cut = tcase_create("whole");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, first_use_elsewhere, 0, 2 * FIRST_USES);
	/* The two launches write the same values without any order between
	   them. */
#ifndef __SANITIZE_THREAD__
	tcase_add_test(tcase, second_raw_use_elsewhere);
#else
	(void)second_raw_use_elsewhere;
#endif
	tcase_add_test(tcase, handed_on);
	tcase_add_test(tcase, released_with_both);
	tcase_add_test(tcase, old_work_fails);
	tcase_add_test(tcase, held_work);
	tcase_add_test(tcase, finish_fails);
	tcase_add_test(tcase, native_handle);
	tcase_add_test(tcase, views_elsewhere);
	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(cut, start_without_addresses, NULL);
	tcase_set_timeout(cut, 60);
	tcase_add_test(cut, whole_objects_inherit);
	suite_add_tcase(suite, cut);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
