/* SPDX-License-Identifier: Apache-2.0 */
/* unit_failures.c - kernels that the driver's compiler refuses, on the mock. */
#include "tests/support/runtime_test.h"

#include "core/base/mem.h"

static dpr_array *x, *out;

static void start(void)
{
	setenv("DPR_OPTION_MOCK_FORMATS", DPRP_NATIVE_FORMAT, 1);
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	start_mocks();
	CHECK_OK(dpr_ones(DPR_SHAPE(5), DPR_FLOAT32, q1, &x));
	CHECK_OK(dpr_queue_wait(q1));
	mock->reset();
}

static void finish(void)
{
	dpr_array_release(x);
	CHECK_OK(dpr_finalize());
}

static uint64_t builds(void)
{
	return mock->calls(MOCK_module_create);
}

/* The compiler refuses everything. */
static void refuse(void)
{
	mock->reset();
	mock->lie(MOCK_LIE_BUILD, 1);
}

/* It is asked once; every call fails with its words, until the compiler is
   another one: the library was finalized. */
START_TEST(refused_once)
{
	char first[1000];

	refuse();
	CHECK_FAILS(DPR_ERROR_BUILD, dpr_sqrt(x, &out));
	ck_assert_ptr_null(out);
	CHECK_TEXT("failed:\nmock: error: nothing builds");
	snprintf(first, sizeof(first), "%s", dpr_last_error());
	ck_assert_uint_eq(builds(), 1);
	for (int i = 0; i < 1000; i++)
		CHECK_FAILS(DPR_ERROR_BUILD, dpr_sqrt(x, &out));
	ck_assert_str_eq(dpr_last_error(), first);
	ck_assert_uint_eq(builds(), 1);
	/* Another kernel is another matter. */
	mock->reset();
	CHECK_OK(dpr_exp(x, &out));
	dpr_array_release(out);
	ck_assert_uint_eq(builds(), 1);
	CHECK_FAILS(DPR_ERROR_BUILD, dpr_sqrt(x, &out));
	ck_assert_uint_eq(builds(), 1);
	finish();
}
END_TEST

/* Failures that may not repeat are tried again: a lack of memory, other
   failures of the driver, and a compiler that was killed. */
START_TEST(tried_again)
{
	static const dprp_rc codes[] = { DPR_RC_OOM_HOST, DPR_RC_OOM_DEVICE,
					 DPR_RC_NATIVE, DPR_RC_INTERNAL,
					 DPR_RC_BUILD };

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		for (int k = 0; k < 2; k++) {
			mock->reset();
			mock->fail(MOCK_module_create, 1, UINT64_MAX, codes[i],
				   0);
			ck_assert_int_ne(dpr_sqrt(x, &out), DPR_OK);
			ck_assert_uint_ge(builds(), 1);
		}
	mock->reset();
	CHECK_OK(dpr_sqrt(x, &out));
	dpr_array_release(out);
	finish();
}
END_TEST

#define KERNELS 36

/* Call function @i of KERNELS functions on the mock, whose launches are
   refused.  Each function has a kernel of its own.  @nth: the allocation that
   fails, or -1. */
static dpr_status call(int i, int nth)
{
	static dpr_status (*const functions[])(dpr_operand, dpr_array **) = {
		(dpr_abs), (dpr_negative), (dpr_sin),    (dpr_cos), (dpr_sqrt),
		(dpr_exp), (dpr_log),      (dpr_square), (dpr_tanh)
	};
	static const dpr_dtype dtypes[] = { DPR_FLOAT64, DPR_FLOAT16,
					    DPR_COMPLEX64, DPR_COMPLEX128 };
	dpr_status status;
	dpr_array *y;

	mock->reset();
	CHECK_OK(dpr_ones(DPR_SHAPE(5), dtypes[i / 9], q1, &y));
	refuse();
	if (nth >= 0)
		mem_fault_once((uint64_t)nth);
	status = functions[i % 9](dpr_operand_array(y), &out);
	mem_fault_clear();
	dpr_array_release(y);
	return status;
}

/* The newest failures are kept, the oldest ones are forgotten. */
START_TEST(bounded)
{
	refuse();
	CHECK_FAILS(DPR_ERROR_BUILD, dpr_sqrt(x, &out));
	for (int i = 0; i < KERNELS; i++) {
		CHECK_FAILS(DPR_ERROR_BUILD, call(i, -1));
		ck_assert_uint_eq(builds(), 1);
		CHECK_FAILS(DPR_ERROR_BUILD, call(i, -1));
		ck_assert_uint_eq(builds(), 0);
	}
	CHECK_FAILS(DPR_ERROR_BUILD, dpr_sqrt(x, &out));
	ck_assert_uint_eq(builds(), 1);
	mock->reset();
	CHECK_OK(dpr_exp(x, &out));
	dpr_array_release(out);
	finish();
}
END_TEST

/* Without memory a failure is not remembered, or not told: want of memory is
   not what is remembered. */
START_TEST(without_memory)
{
	uint64_t again = 0;

	for (int i = 0; i < KERNELS; i++) {
		ck_assert_int_ne(call(i, i), DPR_OK);
		CHECK_FAILS(DPR_ERROR_BUILD, call(i, -1));
		CHECK_TEXT("mock: error: nothing builds");
		again += builds();
	}
	ck_assert_uint_gt(again, 0);
	ck_assert_uint_lt(again, KERNELS);
	mock->reset();
	finish();
}
END_TEST

/* A driver's failure names the function that was called, or the expression. */
START_TEST(what_was_called)
{
	dpr_array *sum;

	/* The second call takes the quick way. */
	for (int i = 0; i < 2; i++) {
		mock->fail(MOCK_queue_launch, 1, 1, DPR_RC_NATIVE, -5);
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_add(x, x, &out));
		CHECK_TEXT("add on mock");
		CHECK_OK(dpr_add(x, x, &out));
		dpr_array_release(out);
	}
	mock->fail(MOCK_queue_launch, 1, 1, DPR_RC_NATIVE, -5);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_sum(x, NULL, &sum));
	CHECK_TEXT("sum on mock");
	mock->fail(MOCK_queue_launch, 1, 1, DPR_RC_NATIVE, -5);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_evaluate("sum(x * x) + 1", NULL, &out, "x", x));
	CHECK_TEXT("sum(x * x) + 1 on mock");
	/* The next call has a name of its own. */
	mock->fail(MOCK_queue_launch, 1, 1, DPR_RC_NATIVE, -5);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_multiply(x, x, &out));
	CHECK_TEXT("multiply on mock");
	finish();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("failures");
	TCase *tcase = tcase_create("failures");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start, NULL);
	tcase_add_test(tcase, refused_once);
	tcase_add_test(tcase, tried_again);
	tcase_add_test(tcase, bounded);
	tcase_add_test(tcase, without_memory);
	tcase_add_test(tcase, what_was_called);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
