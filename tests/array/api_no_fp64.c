/* SPDX-License-Identifier: Apache-2.0 */
/* api_no_fp64.c - arrays on a device without double precision.  Default dtypes
   follow the device, and float64 can be stored and moved.  Computing in float64
   fails with a text about this. */
#include "tests/support/runtime_test.h"

static void start_without_fp64(void)
{
	setenv("DPR_OPTION_MOCK_FP64", "0", 1);
	/* Let array kernels run on the mock devices as on the host. */
	setenv("DPR_OPTION_MOCK_FORMATS", DPRP_NATIVE_FORMAT, 1);
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK2_FORMATS", DPRP_NATIVE_FORMAT, 1);
	setenv("DPR_OPTION_MOCK2_TYPE", "cpu", 1);
	start_mocks();
}

/* An array of @dtype on q1 with elements 1, 2, 3, 4. */
static dpr_array *numbers(dpr_dtype dtype)
{
	static const float f[4] = { 1, 2, 3, 4 };
	static const double d[4] = { 1, 2, 3, 4 };
	static const int64_t i[4] = { 1, 2, 3, 4 };
	dpr_array *x = NULL;

	CHECK_OK(dpr_array_from_memory(dtype == DPR_FLOAT64   ? (const void *)d
				       : dtype == DPR_FLOAT32 ? (const void *)f
							      : (const void *)i,
				       DPR_SHAPE(4), NULL, dtype, q1, &x));
	return x;
}

START_TEST(defaults)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_array *x = numbers(DPR_INT64), *y = NULL;

	ck_assert(!dpr_device_has(device, "fp64"));
	ck_assert_int_eq(dpr_dtype_default(device, 'f'), DPR_FLOAT32);
	ck_assert_int_eq(dpr_dtype_default(device, 'c'), DPR_COMPLEX64);
	ck_assert(!dpr_dtype_computes(device, DPR_FLOAT64));
	ck_assert(!dpr_dtype_computes(device, DPR_COMPLEX128));
	ck_assert(dpr_dtype_computes(device, DPR_FLOAT32));
	CHECK_OK(dpr_multiply(x, 1.5, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_FLOAT32);
	dpr_array_release(y);
	CHECK_OK(dpr_divide(x, x, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_FLOAT32);
	dpr_array_release(y);
	CHECK_OK(dpr_mean(x, NULL, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_FLOAT32);
	dpr_array_release(y);
	CHECK_OK(dpr_linspace(0, 1, 5, DPR_DTYPE_DEFAULT, q1, &y));
	ck_assert_int_eq(dpr_array_dtype(y), DPR_FLOAT32);
	dpr_array_release(y);
	dpr_array_release(x);
}
END_TEST

START_TEST(computing_is_refused)
{
	dpr_array *x = numbers(DPR_FLOAT64), *y = NULL;

	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_add(x, x, &y));
	ck_assert_ptr_null(y);
	CHECK_TEXT("add");
	CHECK_TEXT("float64");
	CHECK_TEXT(dpr_device_selector(dpr_queue_device(q1)));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_sum(x, NULL, &y));
	CHECK_TEXT("float64");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_astype(x, DPR_FLOAT32, &y));
	CHECK_TEXT("float64");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_arange(0, 10, 1, DPR_FLOAT64, q1, &y));
	CHECK_TEXT("float64");
	dpr_array_release(x);
}
END_TEST

/* int64 and uint64 are promoted to float64, but compared exactly. */
START_TEST(comparing_is_not)
{
	const uint64_t values[4] = { 2, 2, 1ULL << 63, 0 };
	dpr_array *x = numbers(DPR_INT64), *y = NULL, *z = NULL;
	uint8_t back[4];

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(4), NULL, DPR_UINT64,
				       q1, &y));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_add(x, y, &z));
	CHECK_OK(dpr_less(x, y, &z));
	CHECK_OK(dpr_array_to_memory(z, back, sizeof(back), NULL));
	ck_assert_mem_eq(back, "\1\0\1\0", 4);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
}
END_TEST

START_TEST(storing_is_not)
{
	dpr_array *x = numbers(DPR_FLOAT64), *y = NULL, *z = NULL;
	double back[4] = { 0 };

	CHECK_OK(dpr_copy(x, &y));
	CHECK_OK(dpr_array_to_memory(y, back, sizeof(back), NULL));
	ck_assert(back[0] == 1 && back[3] == 4);
	/* Move the array to a device that computes in this dtype. */
	CHECK_OK(dpr_array_to_device(x, dpr_queue_device(q2), &z));
	dpr_array_release(y);
	CHECK_OK(dpr_add(z, z, &y));
	CHECK_OK(dpr_array_to_memory(y, back, sizeof(back), NULL));
	ck_assert(back[0] == 2 && back[3] == 8);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
}
END_TEST

/* The elements of every second place are copied, filled and chosen as bits. */
START_TEST(parts_are_moved)
{
	const double numbers[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const double filled[8] = { 9, 0, 3, 4, 9, 0, 7, 8 };
	const double chosen[4] = { 1, 2, -1, 0 };
	const uint8_t truth[2] = { 1, 0 };
	dpr_array *x, *every, *y, *c;
	double back[8];

	CHECK_OK(dpr_array_from_memory(numbers, DPR_SHAPE(4), NULL,
				       DPR_COMPLEX128, q1, &x));
	CHECK_OK(dpr_array_from_memory(truth, DPR_SHAPE(2), NULL, DPR_BOOL, q1,
				       &c));
	CHECK_OK(dpr_array_view(x, &every, DPR_SLICE(0, 4, 2)));
	CHECK_OK(dpr_copy(every, &y));
	CHECK_OK(dpr_array_to_memory(y, back, sizeof(back), NULL));
	ck_assert(!memcmp(back, numbers, 16));
	ck_assert(!memcmp(back + 2, numbers + 4, 16));
	dpr_array_release(y);
	CHECK_OK(dpr_where(c, every, -1, &y));
	CHECK_OK(dpr_array_to_memory(y, back, sizeof(back), NULL));
	ck_assert(!memcmp(back, chosen, sizeof(chosen)));
	CHECK_OK(dpr_copy_into(every, 9));
	CHECK_OK(dpr_array_to_memory(x, back, sizeof(back), NULL));
	ck_assert(!memcmp(back, filled, sizeof(filled)));
	dpr_array_release(y);
	dpr_array_release(c);
	dpr_array_release(every);
	dpr_array_release(x);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("no fp64");
	TCase *t = tcase_create("no fp64");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, start_without_fp64, NULL);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, defaults);
	tcase_add_test(t, computing_is_refused);
	tcase_add_test(t, comparing_is_not);
	tcase_add_test(t, storing_is_not);
	tcase_add_test(t, parts_are_moved);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
