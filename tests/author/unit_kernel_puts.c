/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_kernel_puts.c - writing by an array of indices on a device whose kernels
 * come in files, that of the mock.  Kernels of one step bring the indices into
 * range, and another one stores the values.
 */
#include "tests/support/files_device.h"

#define N 10

static const char *const names[] = {
	"flat_minimum_uint64",
	"strided_put_uint32",
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

/* The error names the kernel that is missing. */
START_TEST(missing)
{
	const uint64_t list[] = { 1 };
	dpr_array *x, *at;

	take_away("strided_put_uint32");
	CHECK_OK(dpr_zeros(DPR_SHAPE(N), DPR_INT32, q1, &x));
	CHECK_OK(dpr_array_from_memory(list, DPR_SHAPE(1), NULL, DPR_UINT64, q1,
				       &at));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_put(x, at, 8, 0, DPR_BOUNDS_CLIP));
	ck_assert(strstr(dpr_last_error(), "strided_put_uint32"));
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
	tcase_add_test(tcase, missing);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
