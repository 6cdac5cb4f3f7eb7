/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_spoiled_parts.c - operations that reach the driver in several parts, or
 * not at all: their result is valid only if all parts succeeded.
 */
#include <stdlib.h>

#include "tests/support/runtime_test.h"

#define N 64

/* Check that the last four bytes of @size cannot be read. */
static void check_end_spoiled(dpr_queue *queue, dpr_usm *usm, size_t size)
{
	int value = -1;

	for (int i = 0; i < 2; i++)
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    dpr_usm_read(queue, &value, usm, size - 4, 4, NULL,
					 NULL));
}

/* On a driver without fills, a fill is a write and copies of it. */
START_TEST(any_part_of_a_fill)
{
	const struct mock_control *bare = control_of("mock_bare");
	const size_t size = 65536 * sizeof(int);
	dpr_status status;
	int value = 1;
	uint64_t n;

	for (n = 1;; n++) {
		dpr_event *done;
		dpr_queue *q;
		dpr_usm *a;

		CHECK_OK(dpr_canonical_queue("mock_bare", &q));
		a = new_usm(q, DPR_USM_DEVICE, size);
		bare->fail_command(n, DPR_RC_NATIVE, -42);
		CHECK_OK(dpr_usm_fill(q, a, 0, &value, 4, size, NULL,
				      _i ? &done : NULL));
		if (_i) {
			status = dpr_event_wait(done);
			ck_assert_int_eq(dpr_queue_wait(q), status);
			dpr_event_release(done);
		} else {
			status = dpr_queue_wait(q);
		}
		if (status) {
			check_end_spoiled(q, a, size);
			check_end_spoiled(q, a, 4);
		}
		dpr_usm_release(a);
		if (!status)
			break;
	}
	ck_assert_uint_gt(n, 3);
	/* Cancel the failure: no command was left for it. */
	bare->fail_command(0, 0, 0);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void spoil(dpr_queue *queue, dpr_usm *usm, size_t size)
{
	int value = 1;

	CHECK_OK(dpr_queue_wait(queue));
	control_of("mock")->fail_command(1, DPR_RC_NATIVE, -42);
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, 4, size, NULL, NULL));
	check_spoiled(queue, usm, DPR_ERROR_DRIVER);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(queue));
}

/* The first chunk announces that all is overwritten; a later chunk cannot be
   read or written. */
START_TEST(a_copy_that_stops)
{
	const size_t size = 32u << 20;
	dpr_usm *to = new_usm(q1, DPR_USM_DEVICE, size);
	dpr_usm *from = new_usm(q2, DPR_USM_DEVICE, size);
	int value = 9;

	CHECK_OK(dpr_usm_fill(q2, from, 0, &value, 4, size, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q2));
	spoil(q1, to, size);
	if (_i)
		mock->fail(MOCK_queue_write, 3, 1, DPR_RC_NATIVE, -44);
	else
		mock2->fail_command(4, DPR_RC_NATIVE, -44);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_copy(q1, to, 0, from, 0, size, NULL, NULL));
	CHECK_TEXT("the rest of the target is undefined");
	check_end_spoiled(q1, to, size);
	/* A complete copy makes the target valid. */
	CHECK_OK(dpr_usm_copy(q1, to, 0, from, 0, size, NULL, NULL));
	value = -1;
	CHECK_OK(dpr_usm_read(q1, &value, to, size - 4, 4, NULL, NULL));
	ck_assert_int_eq(value, 9);
	dpr_usm_release(to);
	dpr_usm_release(from);
	(void)!dpr_queue_wait(q1);
	(void)!dpr_queue_wait(q2);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The driver cannot copy directly, and the other path fails before its first
   chunk: nothing was written. */
START_TEST(a_path_that_does_not_exist)
{
	dpr_usm *to, *from;
	dpr_queue *other;

	CHECK_OK(dpr_canonical_queue("mock:cpu:1", &other));
	to = new_ints(q1, N, 1);
	from = new_ints(other, N, 3);
	CHECK_OK(dpr_queue_wait(other));
	spoil(q1, to, N * sizeof(int));
	mock->fail(MOCK_queue_copy, 1, 1, DPR_RC_NO_PATH, 0);
	mock->fail(MOCK_queue_read, 1, 1, DPR_RC_NATIVE, -44);
	CHECK_FAILS(
		DPR_ERROR_DRIVER,
		dpr_usm_copy(q1, to, 0, from, 0, N * sizeof(int), NULL, NULL));
	check_spoiled(q1, to, DPR_ERROR_UNSUPPORTED);
	CHECK_TEXT("cannot copy directly");
	mock->fail(MOCK_queue_copy, 1, 1, DPR_RC_NO_PATH, 0);
	CHECK_OK(dpr_usm_copy(q1, to, 0, from, 0, N * sizeof(int), NULL, NULL));
	ck_assert_int_eq(first_int(q1, to), 3);
	dpr_usm_release(to);
	dpr_usm_release(from);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* More axes than a kernel takes: the host loops over the others, with one
   launch for each step. */
START_TEST(a_launch_of_several_is_refused)
{
	const dpr_shape shape = DPR_SHAPE(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2);
	/* No two neighbouring axes are neighbours in memory. */
	const int axes[12] = { 11, 0, 10, 1, 9, 2, 8, 3, 7, 4, 6, 5 };
	uint64_t before, launches;
	dpr_array *x, *y, *out;
	float have[1 << 12];

	CHECK_OK(dpr_ones(shape, DPR_FLOAT32, q1, &x));
	CHECK_OK(dpr_permute_dims(x, axes, &y));
	CHECK_OK(dpr_zeros(shape, DPR_FLOAT32, q1, &out));
	before = mock->calls(MOCK_queue_launch);
	CHECK_OK(dpr_add_into(y, x, out));
	launches = mock->calls(MOCK_queue_launch) - before;
	ck_assert_uint_gt(launches, 1);
	for (uint64_t i = 2; i <= launches; i++) {
		CHECK_OK(dpr_queue_wait(q1));
		mock->fail(MOCK_queue_launch, i, 1, DPR_RC_NATIVE, -44);
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_add_into(y, x, out));
		CHECK_FAILS(DPR_ERROR_DRIVER,
			    dpr_array_to_memory(out, have, sizeof(have), NULL));
		CHECK_TEXT("-44");
		CHECK_OK(dpr_add_into(y, x, out));
		CHECK_OK(dpr_array_to_memory(out, have, sizeof(have), NULL));
		ck_assert_float_eq(have[(1 << 12) - 1], 2);
	}
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(out);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Nothing runs, so nothing is overwritten, and the memory stays spoiled. */
START_TEST(an_empty_range_replaces_nothing)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 1);
	dpr_arg args[2] = { DPR_USM_WRITE_ALL(a), DPR_ARG((uint64_t)N) };

	spoil(q1, a, N * sizeof(int));
	CHECK_OK(dpr_kernel_launch_usm(q1, plus, DPR_RANGE1(0), NULL, NULL,
				       args, 2));
	check_spoiled(q1, a, DPR_ERROR_DRIVER);
	dpr_kernel_release(plus);
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The program itself declares contents invalid. */
START_TEST(given_up_by_the_program)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q1, N, 2), *lent;
	static int memory[N];

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_invalidate(NULL, DPR_ERROR_DRIVER, "x"));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_invalidate(a, DPR_OK, "x"));
	/* Memory that a program could not write anew, and statuses that no
	   function returns, are refused. */
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_invalidate(a, (dpr_status)-4711, NULL));
	CHECK_TEXT("-4711 is not an error");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_invalidate(a, (dpr_status)1, NULL));
	CHECK_OK(dpr_usm_wait(a));
	CHECK_OK(dpr_usm_borrow(q1, (uintptr_t)memory, sizeof(memory),
				DPR_BORROW_READ_ONLY, NULL, NULL, &lent));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_invalidate(lent, DPR_ERROR_DRIVER, "x"));
	CHECK_TEXT("read-only");
	CHECK_OK(dpr_usm_wait(lent));
	dpr_usm_release(lent);
	ck_assert_int_eq(first_int(q1, a), 1);
	CHECK_OK(dpr_usm_invalidate(a, DPR_ERROR_OUT_OF_MEMORY, "step 2 of 3"));
	check_spoiled(q1, a, DPR_ERROR_OUT_OF_MEMORY);
	CHECK_TEXT("step 2 of 3");
	CHECK_FAILS(DPR_ERROR_OUT_OF_MEMORY, dpr_usm_wait(a));
	/* Results made from them are invalid, too, and writing a part does not
	   help. */
	CHECK_FAILS(DPR_ERROR_OUT_OF_MEMORY,
		    dpr_usm_copy(q1, b, 0, a, 0, N * 2, NULL, NULL));
	check_spoiled(q1, b, DPR_ERROR_OUT_OF_MEMORY);
	set_ints(q1, a, N / 2, 5);
	check_spoiled(q1, a, DPR_ERROR_OUT_OF_MEMORY);
	set_ints(q1, a, N, 5);
	ck_assert_int_eq(first_int(q1, a), 5);
	CHECK_OK(dpr_usm_wait(a));
	CHECK_OK(dpr_usm_invalidate(a, DPR_ERROR_DRIVER, NULL));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_usm_wait(a));
	dpr_usm_release(a);
	dpr_usm_release(b);
	/* A new allocation is valid, even at an address that was spoiled. */
	a = new_ints(q1, N, 3);
	ck_assert_int_eq(first_int(q1, a), 3);
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("api_spoiled_parts");
	SRunner *runner = srunner_create(suite);
	TCase *tcase;
	int failed;

	/* A CPU copies transposed operands in panels. */
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	tcase = tcase_create("parts");
	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_add_loop_test(tcase, any_part_of_a_fill, 0, 2);
	tcase_add_loop_test(tcase, a_copy_that_stops, 0, 2);
	tcase_add_test(tcase, a_path_that_does_not_exist);
	tcase_add_test(tcase, a_launch_of_several_is_refused);
	tcase_add_test(tcase, a_launch_of_several_is_refused);
	tcase_add_test(tcase, an_empty_range_replaces_nothing);
	tcase_add_test(tcase, given_up_by_the_program);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
