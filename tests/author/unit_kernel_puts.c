/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_kernel_puts.c - writing and reading by an array of indices on a device
 * of the mock that takes only kernels in files.  A kernel of one step brings
 * the indices into range.  Another kernel stores or reads the elements.
 */
#include "tests/support/files_device.h"

#define N 10

static const char *const names[] = {
	"flat_minimum_uint64",
	"strided_put_uint32",
	"strided_gather_uint32",
};
#define N_NAMES (sizeof(names) / sizeof(*names))

static void start(void)
{
	start_kernel_files("mock", names, N_NAMES);
}

/* Write -1, -2 and -3, and then 8.  The last index is clipped. */
START_TEST(values_are_put)
{
	const uint64_t list[] = { 3, 0, N + 7 };
	const int32_t numbers[] = { -1, -2, -3 };
	int32_t have[N] = { 0 };
	dpr_array *x, *at, *values;

	CHECK_OK(dpr_array_from_memory(have, DPR_SHAPE(N), NULL, DPR_INT32, q1,
				       &x));
	CHECK_OK(dpr_array_from_memory(list, DPR_SHAPE(3), NULL, DPR_UINT64, q1,
				       &at));
	CHECK_OK(dpr_array_from_memory(numbers, DPR_SHAPE(3), NULL, DPR_INT32,
				       q1, &values));
	CHECK_OK(dpr_put(x, at, values, 0, DPR_BOUNDS_CLIP));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(have[i], i == 3       ? -1
					  : i == 0     ? -2
					  : i == N - 1 ? -3
						       : 0);
	CHECK_OK(dpr_put(x, at, 8, 0, DPR_BOUNDS_CLIP));
	CHECK_OK(dpr_array_to_memory(x, have, sizeof(have), NULL));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(have[i],
				 i == 3 || i == 0 || i == N - 1 ? 8 : 0);
	dpr_array_release(values);
	dpr_array_release(at);
	dpr_array_release(x);
}
END_TEST

/* Elements are read in the order of the indices.  The last one is clipped. */
START_TEST(elements_are_taken)
{
	const uint64_t list[] = { 3, 0, 3, N + 7 };
	float have[N], found[4];
	dpr_array *x, *at, *y;

	for (int i = 0; i < N; i++)
		have[i] = (float)i / 2 - 1;
	CHECK_OK(dpr_array_from_memory(have, DPR_SHAPE(N), NULL, DPR_FLOAT32,
				       q1, &x));
	CHECK_OK(dpr_array_from_memory(list, DPR_SHAPE(2, 2), NULL, DPR_UINT64,
				       q1, &at));
	CHECK_OK(dpr_take(x, at, 0, DPR_BOUNDS_CLIP, &y));
	CHECK_OK(dpr_array_to_memory(y, found, sizeof(found), NULL));
	for (int i = 0; i < 4; i++)
		ck_assert(found[i] == have[list[i] < N ? list[i] : N - 1]);
	dpr_array_release(y);
	dpr_array_release(at);
	dpr_array_release(x);
}
END_TEST

/* The error names the kernel that is missing. */
START_TEST(missing)
{
	const uint64_t list[] = { 1 };
	dpr_array *x, *at, *y;

	take_away("strided_put_uint32");
	take_away("strided_gather_uint32");
	CHECK_OK(dpr_zeros(DPR_SHAPE(N), DPR_INT32, q1, &x));
	CHECK_OK(dpr_array_from_memory(list, DPR_SHAPE(1), NULL, DPR_UINT64, q1,
				       &at));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_put(x, at, 8, 0, DPR_BOUNDS_CLIP));
	ck_assert(strstr(dpr_last_error(), "strided_put_uint32"));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_take(x, at, 0, DPR_BOUNDS_CLIP, &y));
	ck_assert(strstr(dpr_last_error(), "strided_gather_uint32"));
	dpr_array_release(at);
	dpr_array_release(x);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel puts");
	TCase *tcase = tcase_create("puts");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start, end_kernel_files);
	tcase_add_test(tcase, values_are_put);
	tcase_add_test(tcase, elements_are_taken);
	tcase_add_test(tcase, missing);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
