/* SPDX-License-Identifier: Apache-2.0 */
/* api_launch.c - wrong arguments of launches, on the mock. */
#include "tests/support/runtime_test.h"

/* The limit is for the arguments plus the kernel's own local memory.  A part of
   a device has the same limit per work-group as the whole. */
START_TEST(local_memory_is_bounded)
{
	dpr_queue *queue = q1;
	dpr_usm *out, *x;
	dpr_kernel *sum;

	if (_i)
		CHECK_OK(dpr_canonical_queue("mock:gpu:0/equally:1.0", &queue));
	sum = mock_kernel(queue, "local_sum");
	out = new_ints(queue, 1, 0);
	x = new_ints(queue, 4, 2);
	dpr_arg args[] = { DPR_ARG(out), DPR_ARG(x),
			   DPR_LOCAL(65536 - MOCK_LOCAL_SIZE),
			   DPR_ARG((uint64_t)4) };
	CHECK_OK(dpr_kernel_launch_usm(queue, sum, DPR_RANGE1(4), NULL, NULL,
				       args, 4));
	ck_assert_int_eq(first_int(queue, out), 8);
	args[2].size++;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(queue, sum, DPR_RANGE1(4), NULL, NULL,
					  args, 4));
	CHECK_TEXT("needs 65537 bytes");
	CHECK_TEXT("1024");
	CHECK_TEXT("has only 65536");
	dpr_kernel_release(sum);
	dpr_usm_release(out);
	dpr_usm_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A driver that knows the sizes of parameters but not their kinds would read
   beyond a shorter argument. */
START_TEST(sizes_without_kinds)
{
	dpr_kernel *sum = mock_kernel(q1, "local_sum");
	dpr_kernel *store = mock_kernel(q1, "store");
	dpr_kernel *sleep = mock_kernel(q1, "sleep_ms");
	struct {
		int64_t index;
		int32_t value, pad;
	} s = { 2, 7, 0 };
	dpr_usm *out = new_ints(q1, 4, 0), *x = new_ints(q1, 4, 2);
	enum dpr_param_kind kind = DPR_PARAM_VALUE;
	dpr_arg args[] = { DPR_ARG(out), DPR_ARG(x), DPR_LOCAL(64),
			   DPR_ARG((uint64_t)4) };
	dpr_arg wrong[] = { DPR_ARG(out), DPR_ARG(x) };
	size_t size = 0;

	CHECK_OK(dpr_kernel_param(store, 0, &kind, &size));
	ck_assert_int_eq(kind, DPR_PARAM_UNKNOWN);
	ck_assert_uint_eq(size, sizeof(void *));
	CHECK_OK(dpr_kernel_param(store, 1, &kind, &size));
	ck_assert_int_eq(kind, DPR_PARAM_UNKNOWN);
	ck_assert_uint_eq(size, sizeof(s));
	CHECK_OK(dpr_kernel_param(sum, 2, &kind, &size));
	ck_assert_uint_eq(size, 0);
	/* Arguments that fit are accepted. */
	CHECK_OK(dpr_kernel_launch_usm(q1, sum, DPR_RANGE1(4), NULL, NULL, args,
				       4));
	ck_assert_int_eq(first_int(q1, out), 8);
	/* Memory is refused if the parameter is longer or shorter than an
	   address. */
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(q1, store, DPR_RANGE1(1), NULL, NULL,
					  wrong, 2));
	CHECK_TEXT("launch store: argument 1 is memory, whose address has 8 "
		   "bytes, its parameter has 16");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(q1, sleep, DPR_RANGE1(1), NULL, NULL,
					  wrong, 1));
	CHECK_TEXT("argument 0 is memory, whose address has 8 bytes, its "
		   "parameter has 4");
	/* A value of the wrong size is refused, and so is local memory. */
	wrong[1] = DPR_ARG((uint64_t)4);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(q1, store, DPR_RANGE1(1), NULL, NULL,
					  wrong, 2));
	CHECK_TEXT("argument 1 has 8 bytes, its parameter has 16");
	wrong[1] = DPR_LOCAL(16);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(q1, store, DPR_RANGE1(1), NULL, NULL,
					  wrong, 2));
	CHECK_TEXT("argument 1 is local memory, but the kernel does not say "
		   "that its parameter is: pass a value of 16 bytes; ");
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 1);
	dpr_kernel_release(sum);
	dpr_kernel_release(store);
	dpr_kernel_release(sleep);
	dpr_usm_release(out);
	dpr_usm_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void start_sizes(void)
{
	setenv("DPR_OPTION_MOCK_SIZES", "1", 1);
	start_mocks();
}

/* A brief launch gives what any launch gives; other flags are refused. */
START_TEST(flags_of_ranges)
{
	dpr_kernel *kernel = mock_kernel(q1, "add_one");
	dpr_usm *x = new_ints(q1, 4, 0);
	const dpr_arg args[] = { DPR_ARG(x), DPR_ARG((uint64_t)4) };
	dpr_range range = dpr_range1(4);

	ck_assert_uint_eq(range.flags, 0);
	range.flags = DPR_RANGE_BRIEF;
	CHECK_OK(dpr_kernel_launch_usm(q1, kernel, range, NULL, NULL, args, 2));
	ck_assert_int_eq(first_int(q1, x), 1);
	range.flags = DPR_RANGE_BRIEF | 4;
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_kernel_launch_usm(q1, kernel, range, NULL, NULL, args, 2));
	CHECK_TEXT("launch add_one: the range has the flags 0x5");
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 1);
	dpr_kernel_release(kernel);
	dpr_usm_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

static int told; /* messages about small work-groups */

static void count_small(void *user, enum dpr_log_level level,
			const char *message)
{
	(void)user;
	if (level == DPR_LOG_INFO && strstr(message, "DPR_RANGE_PADDED"))
		told++;
}

static dpr_status try_add(dpr_kernel *kernel, dpr_usm *x, dpr_range range)
{
	const dpr_arg args[] = { DPR_ARG(x), DPR_ARG((uint64_t)4) };

	/* The wait delivers what the launch put into the log. */
	CHECK_OK(dpr_kernel_launch_usm(q1, kernel, range, NULL, NULL, args, 2));
	return dpr_queue_wait(q1);
}

/* The log says once for each kernel that its work-groups are small. */
START_TEST(small_groups_are_told)
{
	dpr_kernel *kernel = mock_kernel(q1, "add_one");
	dpr_kernel *other = mock_kernel(q1, "add_one");
	dpr_usm *x = new_ints(q1, 4, 0);

	dpr_log_set(DPR_LOG_INFO, count_small, NULL);
	CHECK_OK(try_add(kernel, x, dpr_range1(16 * 1009)));
	CHECK_OK(try_add(kernel, x, dpr_range1(97)));
	CHECK_OK(try_add(kernel, x, dpr_range1(7)));
	CHECK_OK(try_add(kernel, x, dpr_range_padded(dpr_range1(1009))));
	CHECK_OK(
		try_add(kernel, x, dpr_range_local(dpr_range1(1009), 1, 1, 1)));
	ck_assert_int_eq(told, 0);
	CHECK_OK(try_add(kernel, x, dpr_range1(8 * 1009)));
	ck_assert_int_eq(told, 1);
	CHECK_OK(try_add(kernel, x, dpr_range1(1009)));
	ck_assert_int_eq(told, 1);
	CHECK_OK(try_add(kernel, x, dpr_range1(2 * 1009)));
	ck_assert_int_eq(told, 1);
	CHECK_OK(try_add(other, x, dpr_range2(1009, 2)));
	ck_assert_int_eq(told, 2);
	dpr_log_set(DPR_LOG_WARN, NULL, NULL);
	dpr_kernel_release(other);
	dpr_kernel_release(kernel);
	dpr_usm_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Too many work-groups are refused before the driver is called, also on a part
   of a device. */
START_TEST(work_groups_are_bounded)
{
	const uint64_t most = 65535, largest = 1024;
	dpr_queue *queue = q1;
	dpr_kernel *kernel;
	dpr_range range;
	dpr_usm *x;

	if (_i)
		CHECK_OK(dpr_canonical_queue("mock:gpu:0/equally:1.0", &queue));
	kernel = mock_kernel(queue, "add_one");
	x = new_ints(queue, 4, 0);
	dpr_arg args[] = { DPR_ARG(x), DPR_ARG((uint64_t)4) };
	range = dpr_range_local(dpr_range3(4, most * 2, 1), 1, 2, 1);
	CHECK_OK(dpr_kernel_launch_usm(queue, kernel, range, NULL, NULL, args,
				       2));
	range.global[1] += 2;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(queue, kernel, range, NULL, NULL,
					  args, 2));
	CHECK_TEXT("launch add_one: 65536 work-groups in dimension 1; ");
	CHECK_TEXT(" takes at most 65535;");
	/* Without a local size, only the largest work-groups count. */
	range = dpr_range3(4, 1, most * largest);
	CHECK_OK(dpr_kernel_launch_usm(queue, kernel, range, NULL, NULL, args,
				       2));
	range.global[2]++;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(queue, kernel, range, NULL, NULL,
					  args, 2));
	CHECK_TEXT("65536 work-groups or more in dimension 2; ");
	/* A prime has no local size but 1. */
	range = dpr_range2(4, 65537);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(queue, kernel, range, NULL, NULL,
					  args, 2));
	CHECK_TEXT("launch add_one: no local size divides the 65537 work-items "
		   "of dimension 1 into at most 65535 work-groups");
	CHECK_TEXT("DPR_RANGE_PADDED");
	ck_assert_uint_eq(mock->calls(MOCK_queue_launch), 2);
	ck_assert_int_eq(first_int(queue, x), 2);
	dpr_kernel_release(kernel);
	dpr_usm_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Array functions use dimension 0, which allows enough work-groups on every
   device. */
START_TEST(array_functions_use_one_dimension)
{
	const int order[] = { 2, 1, 0 };
	dpr_array *x, *transposed, *y, *sum;

	CHECK_OK(dpr_ones(DPR_SHAPE(70, 30, 50), DPR_FLOAT32, q1, &x));
	CHECK_OK(dpr_permute_dims(x, order, &transposed));
	CHECK_OK(dpr_add(transposed, 1, &y));
	CHECK_OK(dpr_copy_into(transposed, y));
	CHECK_OK(dpr_sum(transposed, NULL, &sum));
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_uint_ge(mock->calls(MOCK_queue_launch), 3);
	dpr_array_release(x);
	dpr_array_release(transposed);
	dpr_array_release(y);
	dpr_array_release(sum);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void start_groups(void)
{
	setenv("DPR_OPTION_MOCK_GROUPS", "2147483647,65535,65535", 1);
	start_mocks();
}

static void start_line(void)
{
	setenv("DPR_OPTION_MOCK_GROUPS", "2147483647,1,1", 1);
	/* A CPU can run the built-in kernels. */
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	start_mocks();
}

int main(void)
{
	Suite *suite = suite_create("launch");
	TCase *tcase = tcase_create("launch"), *sizes = tcase_create("sizes");
	TCase *groups = tcase_create("groups"), *line = tcase_create("line");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_add_loop_test(tcase, local_memory_is_bounded, 0, 2);
	tcase_add_test(tcase, flags_of_ranges);
	tcase_add_test(tcase, small_groups_are_told);
	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(sizes, start_sizes, NULL);
	tcase_add_test(sizes, sizes_without_kinds);
	suite_add_tcase(suite, sizes);
	tcase_add_checked_fixture(groups, start_groups, NULL);
	tcase_add_loop_test(groups, work_groups_are_bounded, 0, 2);
	suite_add_tcase(suite, groups);
	tcase_add_checked_fixture(line, start_line, NULL);
	tcase_add_test(line, array_functions_use_one_dimension);
	suite_add_tcase(suite, line);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
