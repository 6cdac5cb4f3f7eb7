/* SPDX-License-Identifier: Apache-2.0 */
/* api_formats.c - the list of formats of a device decides on the kernels for
   arrays, whatever the type of the device. */
#include "tests/support/runtime_test.h"

#define N 1000

/* Start the mock as a device of @type that takes @formats. */
static void start_as(const char *type, const char *formats)
{
	setenv("DPR_OPTION_MOCK_TYPE", type, 1);
	setenv("DPR_OPTION_MOCK_FORMATS", formats, 1);
	start_mocks();
}

static dpr_array *numbers(void)
{
	float values[N];
	dpr_array *x;
	int i;

	for (i = 0; i < N; i++)
		values[i] = (float)i;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(N / 10, 10), NULL,
				       DPR_FLOAT32, q1, &x));
	return x;
}

static const char *const types[] = { "cpu", "gpu", "accelerator", "custom" };

/* Native code runs operations, strided ones, casts, fusions and reductions on a
   device of any type. */
START_TEST(native_code)
{
	dpr_array *x, *y, *turned, *sum;
	float values[N], total;
	int i;

	start_as(types[_i], DPRP_NATIVE_FORMAT ",opencl-c");
	x = numbers();
	CHECK_OK(dpr_evaluate("x * 2 + astype(x, int16)", NULL, &y, "x", x));
	CHECK_OK(dpr_matrix_transpose(y, &turned));
	CHECK_OK(dpr_sum(turned, NULL, &sum));
	CHECK_OK(dpr_array_to_memory(y, values, sizeof(values), NULL));
	CHECK_OK(dpr_array_to_memory(sum, &total, sizeof(total), NULL));
	for (i = 0; i < N; i++)
		if (values[i] != (float)(3 * i))
			break;
	ck_assert_int_eq(i, N);
	ck_assert(total == 3.0f * (N - 1) * N / 2);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(turned);
	dpr_array_release(sum);
}
END_TEST

/* A device gets the format that it lists first.  Here this is OpenCL C, and the
   call fails: our source has no kernel that the mock knows. */
START_TEST(best_first)
{
	dpr_array *x, *y;

	start_as("gpu", "opencl-c," DPRP_NATIVE_FORMAT);
	x = numbers();
	CHECK_FAILS(DPR_ERROR_BUILD, dpr_add(x, x, &y));
	CHECK_TEXT("no kernel that the mock knows");
	dpr_array_release(x);
}
END_TEST

int main(void)
{
	const int n_types = (int)(sizeof(types) / sizeof(*types));
	Suite *suite = suite_create("formats");
	TCase *tcase = tcase_create("formats");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, native_code, 0, n_types);
	tcase_add_test(tcase, best_first);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
