/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_matmul_faults.c - products of matrices by a library and by dpr's own
 * routine, and a routine of LAPACK that needs a workspace, with each allocation
 * failing in turn: first while the library is opened and the routine built, then
 * when both are there.
 */
#include <stdlib.h>
#include <string.h>

#include <dpr/backend.h>
#include <dpr/dpr.h>

#include "core/base/mem.h"
#include "tests/support/devices.h"

#define MOST 400
#define WIDE 32
#define HALF_OF_WIDE 0x5000 /* 32 in float16 */

/* x1 is transposed; x2 is of another dtype, and so copied. */
static dpr_array *x1, *x2;

static dpr_status attempt_mixed(void)
{
	dpr_array *y = NULL;
	dpr_status status = dpr_matmul(x1, x2, &y);
	dpr_array *floats = NULL;
	float have[4] = { 0 };

	if (status) {
		ck_assert_ptr_null(y);
		return status;
	}
	mem_fault_clear();
	CHECK_OK(dpr_astype(y, DPR_FLOAT32, &floats));
	CHECK_OK(dpr_array_to_memory(floats, have, sizeof(have), NULL));
	dpr_array_release(floats);
	ck_assert(have[0] == 48 && have[1] == 58 && have[2] == 64 &&
		  have[3] == 78);
	dpr_array_release(y);
	return DPR_OK;
}

/* A routine of LAPACK, whose workspace is allocated by the launch. */
static dpr_usm *memory[3];
static dpr_kernel *lu;

static dpr_status attempt_lu(void)
{
	const dprp_lapack v = { .m = 2, .n = 2, .count = 1, .leading = { 2 } };
	const dpr_arg args[] = { dpr_arg_usm_use(memory[0], 0, DPR_READ_WRITE),
				 dpr_arg_usm_use(memory[1], 0, DPR_READ_WRITE),
				 dpr_arg_usm_use(memory[2], 0, DPR_READ_WRITE),
				 dpr_arg_bytes(&v, sizeof(v)) };
	double *a = dpr_usm_address(memory[0]);
	int32_t *info = dpr_usm_address(memory[2]);
	dpr_status status;

	memcpy(a, (const double[]){ 1, 4, 2, 4 }, 4 * sizeof(*a));
	*info = -7;
	status = dpr_kernel_launch_usm(test_queue, lu, dpr_range1(1), NULL,
				       NULL, args, 4);
	mem_fault_clear();
	if (status) {
		CHECK_OK(dpr_queue_wait(test_queue));
		ck_assert(*info == -7 && a[1] == 4);
		return status;
	}
	CHECK_OK(dpr_queue_wait(test_queue));
	ck_assert(*info == 0 && a[0] == 4 && a[1] == 0.25 && a[3] == 1);
	ck_assert_int_eq(*(int64_t *)dpr_usm_address(memory[1]), 2);
	return DPR_OK;
}

/* A product of float16, which the library gets in float32. */
static dpr_status attempt_narrow(void)
{
	dpr_array *y = NULL;
	dpr_status status = dpr_matmul(x1, x2, &y);
	uint16_t have[WIDE * WIDE];

	if (status) {
		ck_assert_ptr_null(y);
		return status;
	}
	mem_fault_clear();
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	ck_assert_uint_eq(have[0], HALF_OF_WIDE);
	ck_assert_uint_eq(have[WIDE * WIDE - 1], HALF_OF_WIDE);
	dpr_array_release(y);
	return DPR_OK;
}

/* Let allocation after allocation fail, until a call needs no more. */
static void fail_each(dpr_status (*attempt)(void), void (*fault)(uint64_t n))
{
	dpr_status status = DPR_ERROR_OUT_OF_MEMORY;
	int n;

	for (n = 0; n < MOST; n++) {
		const uint64_t before = mem_fault_count();

		fault((uint64_t)n);
		status = attempt();
		mem_fault_clear();
		ck_assert_msg(!status || status == DPR_ERROR_OUT_OF_MEMORY,
			      "allocation %d: %s: %s", n,
			      dpr_status_name(status), dpr_last_error());
		if (!status && mem_fault_count() - before <= (uint64_t)n)
			break;
	}
	ck_assert_int_gt(n, 0);
	ck_assert_int_lt(n, MOST);
}

/* Products come from the library. */
static void check_library(void)
{
	static const char routine[] = "gemm float32";
	const dpr_image image = { "calls-1", NULL, routine,
				  sizeof(routine) - 1 };
	dpr_program *program;

	CHECK_OK(dpr_program_build(test_queue, &image, 1, NULL, &program));
	ck_assert_ptr_nonnull(strstr(dpr_program_log(program), "a fake CBLAS"));
	dpr_program_release(program);
}

/* With float32 the library computes the product.  It has no integers. */
START_TEST(allocations_fail)
{
	const dpr_dtype dtype = _i ? DPR_INT16 : DPR_FLOAT32;
	static const float a[] = { 0, 1, 2, 3, 4, 5 };
	static const int8_t b[] = { 2, 3, 4, 5, 10, 12 };
	dpr_array *x, *y;

	/* (3, 2), of which the transposed is taken, and (3, 2). */
	CHECK_OK(dpr_array_from_memory(a, DPR_SHAPE(3, 2), NULL, DPR_FLOAT32,
				       test_queue, &x));
	CHECK_OK(dpr_astype(x, dtype, &y));
	CHECK_OK(dpr_matrix_transpose(y, &x1));
	dpr_array_release(y);
	dpr_array_release(x);
	CHECK_OK(dpr_array_from_memory(b, DPR_SHAPE(3, 2), NULL, DPR_INT8,
				       test_queue, &x2));
	fail_each(attempt_mixed, mem_fault_once);
	fail_each(attempt_mixed, mem_fault_after);
	CHECK_OK(attempt_mixed());
	if (dtype == DPR_FLOAT32)
		check_library();
	dpr_array_release(x1);
	dpr_array_release(x2);
}
END_TEST

START_TEST(allocations_fail_with_casts)
{
	CHECK_OK(dpr_ones(DPR_SHAPE(WIDE, WIDE), DPR_FLOAT16, test_queue, &x1));
	CHECK_OK(dpr_ones(DPR_SHAPE(WIDE, WIDE), DPR_FLOAT16, test_queue, &x2));
	fail_each(attempt_narrow, mem_fault_once);
	fail_each(attempt_narrow, mem_fault_after);
	CHECK_OK(attempt_narrow());
	dpr_array_release(x1);
	dpr_array_release(x2);
}
END_TEST

START_TEST(workspaces_fail)
{
	static const char routine[] = "getrf float64";
	const dpr_image image = { "calls-1", NULL, routine,
				  sizeof(routine) - 1 };
	dpr_program *program;

	CHECK_OK(dpr_program_build(test_queue, &image, 1, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, "getrf", &lu));
	dpr_program_release(program);
	for (int i = 0; i < 3; i++)
		CHECK_OK(dpr_usm_alloc(test_queue, DPR_USM_HOST, 32,
				       &memory[i]));
	fail_each(attempt_lu, mem_fault_once);
	fail_each(attempt_lu, mem_fault_after);
	for (int i = 0; i < 3; i++)
		dpr_usm_release(memory[i]);
	dpr_kernel_release(lu);
}
END_TEST

static Suite *faults(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("matmul with faults");

	tcase_add_loop_test(tcase, allocations_fail, 0, 2);
	tcase_add_test(tcase, workspaces_fail);
	tcase_add_test(tcase, allocations_fail_with_casts);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const char *folder = getenv("top_builddir");
	char path[4096];
	int failed;

	snprintf(path, sizeof(path), "%s/tests/functions/.libs/fake_cblas.so",
		 folder ? folder : ".");
	setenv("DPR_OPTION_HOST_BLAS", path, 1);
	failed = run_on_selected(faults, "host:cpu:0");
	if (!failed && dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		failed = EXIT_FAILURE;
	}
	return failed;
}
