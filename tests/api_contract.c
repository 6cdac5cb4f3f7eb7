/* SPDX-License-Identifier: Apache-2.0 */
/* api_contract.c - a plugin that does not keep the contract of dpr/backend.h:
   an error that names it, and nothing worse. */
#include "tests/runtime_test.h"

#define N 64

/* The call fails for the plugin's own fault. */
#define CHECK_FAULT(call)                                          \
	do {                                                       \
		ck_assert_int_eq((call), DPR_ERROR_INTERNAL);      \
		CHECK_TEXT("internal error of the plugin [mock]"); \
	} while (0)

/* Success of the next call of @entry, and nothing is there. */
static void nothing(enum mock_entry entry)
{
	mock->fail(entry, 1, 1, MOCK_NOTHING, 0);
}

START_TEST(objects_that_are_not_there)
{
	static const char source[] = "kernel void add_one(";
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_queue *queue;
	dpr_usm *usm;
	int there = 0;

	nothing(MOCK_queue_create);
	CHECK_FAULT(dpr_queue_create(dpr_queue_device(q1), 0, &queue));
	nothing(MOCK_mem_alloc);
	CHECK_FAULT(dpr_usm_alloc(q1, DPR_USM_DEVICE, N, &usm));
	nothing(MOCK_mem_alloc);
	CHECK_FAULT(dpr_driver_alloc(q1, DPR_USM_DEVICE, N, 0, &usm));
	nothing(MOCK_native_wrap);
	CHECK_FAULT(dpr_usm_from_native(q1, (uintptr_t)&there, sizeof(there), 0,
					&usm));
	nothing(MOCK_module_create);
	CHECK_FAULT(dpr_program_from_source(q1, source, NULL, &program));
	CHECK_OK(dpr_program_from_source(q1, source, NULL, &program));
	nothing(MOCK_module_kernel);
	CHECK_FAULT(dpr_kernel_create(program, "add_one", &kernel));
	dpr_program_release(program);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), 0);
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}
END_TEST

/* Of an event that somebody wants, and of one that the core wants. */
START_TEST(events_that_are_not_there)
{
	dpr_queue *free_queue;
	dpr_usm *usm = new_ints(q1, N, 1);
	dpr_event *event;
	int value = 2;

	CHECK_OK(dpr_queue_wait(q1));
	nothing(MOCK_queue_fill);
	CHECK_FAULT(dpr_usm_fill(q1, usm, 0, 4, &value, 4, NULL, &event));
	ck_assert_ptr_null(event);
	nothing(MOCK_queue_barrier);
	CHECK_FAULT(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_OUT_OF_ORDER,
				  &free_queue));
	nothing(MOCK_queue_fill);
	CHECK_FAULT(dpr_usm_fill(free_queue, usm, 0, 4, &value, 4, NULL, NULL));
	/* A fill by the core: a write, and copies. */
	mock->fail(MOCK_queue_fill, 1, 1, DPR_RC_NO_PATH, 0);
	nothing(MOCK_queue_write);
	CHECK_FAULT(dpr_usm_fill(free_queue, usm, 4, N * 4 - 4, &value, 4, NULL,
				 NULL));
	ck_assert_int_eq(first_int(q1, usm), 1);
	dpr_queue_release(free_queue);
	dpr_usm_release(usm);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
}
END_TEST

/* Numbers that are no codes of the ABI. */
START_TEST(codes_that_are_none)
{
	dpr_usm *usm;
	int code;

	for (code = 2; code < 5; code++) {
		mock->fail(MOCK_mem_alloc, 1, 1, code, 0);
		CHECK_FAULT(dpr_driver_alloc(q1, DPR_USM_DEVICE, N, 0, &usm));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("contract");
	TCase *tcase = tcase_create("mocks");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, objects_that_are_not_there);
	tcase_add_test(tcase, events_that_are_not_there);
	tcase_add_test(tcase, codes_that_are_none);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
