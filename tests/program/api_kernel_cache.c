/* SPDX-License-Identifier: Apache-2.0 */
/* api_kernel_cache.c - a kernel from source is built once, 256 sources are
   kept, and no failure leaves anything behind. */
#include "tests/support/runtime_test.h"

#include <pthread.h>

static void numbered(char *text, size_t size, int i)
{
	snprintf(text, size, "/* %d */ kernel void add_one(int *x, ulong n);",
		 i);
}

static dpr_kernel *take(int i)
{
	dpr_kernel *kernel;
	char text[128];

	numbered(text, sizeof(text), i);
	CHECK_OK(dpr_kernel_from_source(q1, text, "add_one", &kernel));
	return kernel;
}

START_TEST(builds_once)
{
	dpr_kernel *a = take(1), *b = take(1);

	ck_assert_ptr_eq(a, b);
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 1);
	ck_assert_uint_eq(mock->calls(MOCK_module_kernel), 1);
	dpr_kernel_release(a);
	dpr_kernel_release(b);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MODULE), 0);
	ck_assert_uint_eq(mock->live(MOCK_KERNEL), 0);
}
END_TEST

/* The included file may have changed: the source is built at each call. */
START_TEST(included_files_are_read_again)
{
	static const char text[] = "#inc\\\nlude <a.h>\n"
				   "kernel void add_one(int *x, ulong n);";
	dpr_kernel *a, *b;

	CHECK_OK(dpr_kernel_from_source(q1, text, "add_one", &a));
	CHECK_OK(dpr_kernel_from_source(q1, text, "add_one", &b));
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 2);
	dpr_kernel_release(a);
	dpr_kernel_release(b);
	ck_assert_uint_eq(mock->live(MOCK_KERNEL), 0);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(another_kernel_of_the_program)
{
	static const char text[] = "kernel void add_one(int *x, ulong n);"
				   "kernel void fill_index(int *x, ulong n);";
	dpr_kernel *a, *b;

	CHECK_OK(dpr_kernel_from_source(q1, text, "add_one", &a));
	CHECK_OK(dpr_kernel_from_source(q1, text, "fill_index", &b));
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 1);
	ck_assert_ptr_ne(a, b);
	dpr_kernel_release(a);
	dpr_kernel_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(least_recently_used_goes)
{
	int i;

	for (i = 0; i < 256; i++)
		dpr_kernel_release(take(i));
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 256);
	/* Using 0 again makes 1 the oldest: it is dropped when 256 is built. */
	dpr_kernel_release(take(0));
	dpr_kernel_release(take(256));
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 257);
	ck_assert_uint_eq(mock->live(MOCK_MODULE), 256);
	dpr_kernel_release(take(0));
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 257);
	dpr_kernel_release(take(1));
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 258);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MODULE), 0);
}
END_TEST

START_TEST(evicted_kernels_live_on)
{
	dpr_kernel *first = take(0);
	dpr_usm *x = new_ints(q1, 4, 41);
	int i;

	for (i = 1; i <= 256; i++)
		dpr_kernel_release(take(i));
	add_one(q1, first, x, 4, NULL, NULL);
	ck_assert_int_eq(first_int(q1, x), 42);
	dpr_kernel_release(first);
	dpr_usm_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

static void *take_many(void *wrong)
{
	dpr_kernel *kernel;
	char text[128];
	int i;

	for (i = 0; i < 2000; i++) {
		numbered(text, sizeof(text), i % 300);
		if (dpr_kernel_from_source(q1, text, "add_one", &kernel))
			++*(int *)wrong;
		else
			dpr_kernel_release(kernel);
	}
	return NULL;
}

START_TEST(many_threads)
{
	pthread_t threads[4];
	int wrong[4] = { 0 }, i;

	for (i = 0; i < 4; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, take_many, &wrong[i]),
			0);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_int_eq(wrong[i], 0);
	}
	ck_assert_uint_le(mock->live(MOCK_MODULE), 256);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MODULE), 0);
}
END_TEST

START_TEST(failures_leave_nothing)
{
	static const enum mock_entry entries[] = { MOCK_module_pick,
						   MOCK_module_create,
						   MOCK_module_kernel };
	dpr_kernel *kernel;
	char text[128];
	size_t i;

	numbered(text, sizeof(text), 7);
	for (i = 0; i < 3; i++) {
		mock->fail(entries[i], 1, 1, DPR_RC_OOM_HOST, -77);
		CHECK_FAILS(
			DPR_ERROR_OUT_OF_MEMORY,
			dpr_kernel_from_source(q1, text, "add_one", &kernel));
		ck_assert_ptr_null(kernel);
		ck_assert_ptr_nonnull(strstr(dpr_last_error(), "-77"));
		ck_assert_uint_eq(mock->live(MOCK_MODULE), 0);
	}
	CHECK_FAILS(DPR_ERROR_BUILD,
		    dpr_kernel_from_source(q1, "#error too many cooks",
					   "add_one", &kernel));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "too many cooks"));
	dpr_kernel_release(take(7));
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MODULE), 0);
}
END_TEST

START_TEST(placement)
{
	dpr_usm *far = new_ints(q2, 4, 1), *near = new_ints(q1, 4, 1);
	dpr_kernel *kernel = take(1);
	dpr_array *array;

	ck_assert_ptr_eq(dpr_kernel_device(kernel), dpr_queue_device(q1));
	ck_assert_ptr_null(dpr_kernel_device(NULL));
	CHECK_OK(dpr_empty(DPR_SHAPE(4), DPR_INT32, q1, &array));
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_kernel_launch(q2, kernel, DPR_RANGE1(4), NULL, NULL,
				      DPR_ARG(array), DPR_ARG(4ULL)));
	CHECK_TEXT("launch add_one: the kernel was built for ");
	dpr_array_release(array);
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_kernel_launch(q1, kernel, DPR_RANGE1(4), NULL, NULL,
				      DPR_ARG(far), DPR_ARG(4ULL)));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), dpr_queue_name(q2)));
	/* A copy would not be seen where the kernel writes. */
	CHECK_TEXT("launch on its device, or if the kernel only reads it");
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_kernel_launch(q1, kernel, DPR_RANGE1(4), NULL, NULL,
				      dpr_arg_usm_use(far, 0, DPR_READ),
				      DPR_ARG(4ULL)));
	CHECK_TEXT("; copy it to memory of the queue's device");
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_kernel_launch(q2, kernel, DPR_RANGE1(4), NULL, NULL,
				      DPR_ARG(far), DPR_ARG(4ULL)));
	dpr_usm_release(far);
	dpr_usm_release(near);
	dpr_kernel_release(kernel);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel cache");
	TCase *t = tcase_create("kernel cache");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, start_mocks, NULL);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, builds_once);
	tcase_add_test(t, included_files_are_read_again);
	tcase_add_test(t, another_kernel_of_the_program);
	tcase_add_test(t, least_recently_used_goes);
	tcase_add_test(t, evicted_kernels_live_on);
	tcase_add_test(t, many_threads);
	tcase_add_test(t, failures_leave_nothing);
	tcase_add_test(t, placement);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
