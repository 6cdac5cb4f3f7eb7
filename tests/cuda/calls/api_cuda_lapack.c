/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_cuda_lapack.c - LAPACK's routines by cuSOLVER (lapack_routines.h), in
 * batches with gaps and in packed batches, which need other calls of cuSOLVER.
 *
 * It is built twice: api_cuda_lapack uses NVIDIA's driver and libraries, and is
 * skipped without them; api_cuda_lapack_mock runs on the mock, with a library
 * in place of NVIDIA's (ON_MOCK is 1).
 */
#include "tests/cuda/cuda_cards.h"
#include "tests/cuda/calls/fake_test.h"
#include "tests/functions/lapack_routines.h"

static void begin_test(void)
{
	if (ON_MOCK) {
		open_mock();
		open_fake();
		use_libraries(fake_path, fake_path);
	}
	lapack_kind = ON_MOCK ? DPR_USM_HOST : DPR_USM_SHARED;
	test_queue = queue_of(get_device("cuda:gpu:0"));
}

static void begin_packed(void)
{
	lapack_is_packed = true;
	begin_test();
}

static void end_test(void)
{
	lapack_is_packed = false;
	if (!ON_MOCK)
		return;
	ck_assert_int_gt(fake->solvers, 0);
	stop();
}

static Suite *suite(void)
{
	Suite *both = suite_create("api_cuda_lapack");
	TCase *gaps = tcase_create("gaps"), *packed = tcase_create("packed");

	tcase_add_checked_fixture(gaps, begin_test, end_test);
	tcase_add_checked_fixture(packed, begin_packed, end_test);
	tcase_set_timeout(gaps, 300);
	tcase_set_timeout(packed, 300);
	add_routines(gaps);
	add_routines(packed);
	suite_add_tcase(both, gaps);
	suite_add_tcase(both, packed);
	return both;
}

/* Whether cuSOLVER is found.  If not, print why. */
static bool is_there(void)
{
	dpr_program *program;

	test_queue = NULL;
	if (dpr_device_select("cuda:gpu:0", &test_device) ||
	    dpr_device_queue(test_device, &test_queue) ||
	    build("potrf", 0, &program)) {
		printf("skipped: %s\n", dpr_last_error());
		return false;
	}
	printf("%s\n", dpr_program_log(program));
	dpr_program_release(program);
	return true;
}

int main(void)
{
	const int n = count_cards();
	SRunner *runner;
	int failed;

	if (ON_MOCK || n < 1)
		return run_on_cards(suite(), n, 1);
	/* Libraries take seconds to load, so all tests are in one process. */
	use_backends(NULL);
	if (!is_there())
		return 77;
	runner = srunner_create(suite());
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		failed = 1;
	}
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
