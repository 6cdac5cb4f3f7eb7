/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_matmul_faults.c - products of matrices by a library, with each
 * allocation failing in turn: first while the library is opened and the routine
 * built, then when both are there.
 */
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/base/mem.h"
#include "tests/support/devices.h"

#define MOST 400

/* x1 is transposed; x2 is of another dtype, and so copied. */
static dpr_array *x1, *x2;

static dpr_status attempt(void)
{
	dpr_array *y = NULL;
	dpr_status status = dpr_matmul(x1, x2, &y);
	float have[4] = { 0 };

	if (status) {
		ck_assert_ptr_null(y);
		return status;
	}
	mem_fault_clear();
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	ck_assert(have[0] == 48 && have[1] == 58 && have[2] == 64 &&
		  have[3] == 78);
	dpr_array_release(y);
	return DPR_OK;
}

/* Let allocation after allocation fail, until a call needs no more. */
static void fail_each(void (*fault)(uint64_t n))
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
	ck_assert_int_gt(n, 1);
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

START_TEST(allocations_fail)
{
	static const float a[] = { 0, 1, 2, 3, 4, 5 };
	static const int8_t b[] = { 2, 3, 4, 5, 10, 12 };
	dpr_array *x;

	/* (3, 2), of which the transposed is taken, and (3, 2). */
	CHECK_OK(dpr_array_from_memory(a, DPR_SHAPE(3, 2), NULL, DPR_FLOAT32,
				       test_queue, &x));
	CHECK_OK(dpr_matrix_transpose(x, &x1));
	dpr_array_release(x);
	CHECK_OK(dpr_array_from_memory(b, DPR_SHAPE(3, 2), NULL, DPR_INT8,
				       test_queue, &x2));
	fail_each(mem_fault_once);
	fail_each(mem_fault_after);
	CHECK_OK(attempt());
	check_library();
	dpr_array_release(x1);
	dpr_array_release(x2);
}
END_TEST

static Suite *faults(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("matmul with faults");

	tcase_add_test(tcase, allocations_fail);
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
