/* SPDX-License-Identifier: Apache-2.0 */
/* api_array_move.c - moving arrays between devices, without memory for packed
   elements and after a failure.  It uses two mock backends that run our
   kernels. */
#include "tests/support/runtime_test.h"

#define ROWS 600
#define COLUMNS 1000
#define MIB ((size_t)1 << 20)

static dpr_device *home;
static int back[ROWS * COLUMNS];

static void start_cpus(void)
{
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	/* Memory is so small that an allocation gets exactly the bytes
	   requested. */
	setenv("DPR_OPTION_MOCK_MAX_ALLOC", "8388608", 1);
	start_mocks();
	home = dpr_queue_device(q1);
}

/* Leave nothing to allocate on home: the pool is at its limit, the program
   frees nothing on request, and the released block is in use by work on @queue
   that does not end.  All other work is done. */
static void exhaust(dpr_queue *queue)
{
	dpr_usm *usm = new_usm(queue, DPR_USM_SHARED, 4 * MIB);

	CHECK_OK(dpr_pool_set_limit(home, 1));
	CHECK_OK(dpr_pool_set_pressure(home, not_asked, NULL));
	CHECK_OK(dpr_queue_wait(q1));
	mock->reset();
	mock->stall_command(1);
	CHECK_OK(dpr_usm_fill(queue, usm, 0, "abcd", 4, 4, NULL, NULL));
	dpr_usm_release(usm);
}

/* A view can still be moved or read, without waiting. */
START_TEST(no_memory_to_pack_into)
{
	dpr_array *all, *view, *moved;
	dpr_queue *other;
	int64_t i;

	CHECK_OK(dpr_queue_create(home, 0, &other));
	CHECK_OK(dpr_arange(0, ROWS * COLUMNS, 1, DPR_INT32, q1, &all));
	CHECK_OK(dpr_reshape(all, DPR_SHAPE(ROWS, COLUMNS), &view));
	dpr_array_release(all);
	all = view;
	CHECK_OK(dpr_array_view(all, &view, DPR_ALL, DPR_SLICE(0, COLUMNS, 4)));
	exhaust(other);
	if (_i)
		CHECK_OK(dpr_array_to_device(view, dpr_queue_device(q2),
					     &moved));
	else
		moved = dpr_array_retain(view);
	CHECK_OK(dpr_array_to_memory(moved, back, sizeof(back), NULL));
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 0);
	for (i = 0; i < ROWS * COLUMNS / 4; i++)
		ck_assert_int_eq(back[i], 4 * i);
	mock->reset();
	dpr_array_release(moved);
	dpr_array_release(view);
	dpr_array_release(all);
	dpr_queue_release(other);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A view can also be moved if the driver reports that host memory is out. */
START_TEST(no_host_memory_to_pack_into)
{
	dpr_array *all, *view, *moved;
	int64_t i;

	CHECK_OK(dpr_arange(0, ROWS * COLUMNS, 1, DPR_INT32, q1, &all));
	CHECK_OK(dpr_array_view(all, &view, DPR_SLICE(0, ROWS * COLUMNS, 4)));
	mock->fail(MOCK_mem_alloc, 1, UINT64_MAX / 2, DPR_RC_OOM_HOST, 0);
	CHECK_OK(dpr_array_to_device(view, dpr_queue_device(q2), &moved));
	mock->reset();
	CHECK_OK(dpr_array_to_memory(moved, back, sizeof(back), NULL));
	for (i = 0; i < ROWS * COLUMNS / 4; i++)
		ck_assert_int_eq(back[i], 4 * i);
	dpr_array_release(moved);
	dpr_array_release(view);
	dpr_array_release(all);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The work that made the elements failed, and nothing asked for its event.  A
   move has to wait for that work, so the move reports the failure.  With _i ==
   2 the array is moved in pieces. */
START_TEST(what_made_it_has_failed)
{
	dpr_usm_kind kind = _i == 1 ? DPR_USM_SHARED : DPR_USM_DEVICE;
	dpr_array *all, *x, *moved = (dpr_array *)&x;
	int value = 7;

	CHECK_OK(dpr_array_from_memory_on(back, DPR_SHAPE(2 * ROWS), NULL,
					  DPR_INT32, q1, kind, &all));
	CHECK_OK(dpr_array_view(all, &x,
				_i == 2 ? DPR_SLICE(0, 2 * ROWS, 2)
					: DPR_SLICE(0, ROWS, 1)));
	dpr_array_release(all);
	if (_i == 2) {
		CHECK_OK(dpr_pool_set_limit(home, 1));
		mock->fail(MOCK_mem_alloc, 1, UINT64_MAX / 2, DPR_RC_OOM_HOST,
			   0);
	}
	mock->fail_command(1, DPR_RC_NATIVE, -61);
	CHECK_OK(dpr_usm_fill(q1, dpr_array_usm(x), 0, &value, sizeof(value),
			      ROWS * sizeof(value), NULL, NULL));
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_array_to_device(x, dpr_queue_device(q2), &moved));
	CHECK_TEXT("-61");
	CHECK_TEXT("moving an array");
	ck_assert_ptr_null(moved);
	/* The next move fails too, until all elements have been written
	   again. */
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_array_to_device(x, dpr_queue_device(q2), &moved));
	CHECK_TEXT("-61");
	CHECK_OK(dpr_usm_fill(q1, dpr_array_usm(x), 0, &value, sizeof(value),
			      2 * ROWS * sizeof(value), NULL, NULL));
	CHECK_OK(dpr_array_to_device(x, dpr_queue_device(q2), &moved));
	dpr_array_release(moved);
	dpr_array_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The queue of the source has other work that does not end.  A move waits only
   for the work on the elements. */
START_TEST(other_work_is_not_waited_for)
{
	dpr_usm_kind kind = _i ? DPR_USM_HOST : DPR_USM_SHARED;
	dpr_usm *usm = new_ints(q1, ROWS, 7);
	dpr_array *x, *view, *moved;
	const char *said;

	CHECK_OK(dpr_array_from_memory_on(back, DPR_SHAPE(ROWS), NULL,
					  DPR_INT32, q1, kind, &x));
	CHECK_OK(dpr_queue_wait(q1));
	mock->reset();
	mock->stall_command(1);
	CHECK_OK(dpr_usm_fill(q1, usm, 0, "abcd", 4, 4, NULL, NULL));
	CHECK_FAILS(DPR_ERROR_INDEX, dpr_array_view(x, &view, DPR_AT(ROWS)));
	said = dpr_last_error();
	CHECK_OK(dpr_array_to_device(x, dpr_queue_device(q2), &moved));
	/* The move has left the last error of the program alone. */
	ck_assert_ptr_eq(dpr_last_error(), said);
	mock->reset();
	dpr_array_release(moved);
	dpr_array_release(x);
	dpr_usm_release(usm);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("array move");
	TCase *tcase = tcase_create("cpus");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_cpus, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, no_memory_to_pack_into, 0, 2);
	tcase_add_test(tcase, no_host_memory_to_pack_into);
	tcase_add_loop_test(tcase, what_made_it_has_failed, 0, 3);
	tcase_add_loop_test(tcase, other_work_is_not_waited_for, 0, 2);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
