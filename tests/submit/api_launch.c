/* SPDX-License-Identifier: Apache-2.0 */
/* api_launch.c - what a launch refuses, on the mock. */
#include "tests/support/runtime_test.h"

/* Arguments together with what the kernel has of its own; a part of a device
   has as much for a work-group as the whole. */
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
	CHECK_TEXT("has 65536");
	dpr_kernel_release(sum);
	dpr_usm_release(out);
	dpr_usm_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("launch");
	TCase *tcase = tcase_create("launch");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_add_loop_test(tcase, local_memory_is_bounded, 0, 2);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
