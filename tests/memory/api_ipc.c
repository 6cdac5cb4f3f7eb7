/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_ipc.c - sharing memory with another process, which runs "api_ipc import".
 * It reads a dpr_ipc from its standard input, and writes its answer to the
 * memory.
 */
#include <unistd.h>

#include "tests/support/other_process.h"
#include "tests/support/runtime_test.h"

#define N 100

static void start(void)
{
	setenv("DPR_OPTION_MOCK_IPC", "name", 1);
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	start_mocks();
}

/* Runs in the other process: reads i * 3 and writes i * 5.  It finds the
   plugins through the environment of the first process.  Check's macros work
   only in tests. */
static int run_importer(void)
{
	int values[N], i;
	dpr_usm *usm;
	dpr_ipc ipc;

	if (read(0, &ipc, sizeof(ipc)) != sizeof(ipc))
		return 2;
	if (dpr_canonical_queue("mock", &q1) || dpr_usm_import(q1, &ipc, &usm))
		return 3;
	if (dpr_usm_size(usm) != sizeof(values) ||
	    dpr_usm_get_kind(usm) != DPR_USM_DEVICE)
		return 4;
	if (dpr_usm_read(q1, values, usm, 0, sizeof(values), NULL, NULL))
		return 5;
	for (i = 0; i < N; i++) {
		if (values[i] != i * 3)
			return 6;
		values[i] = i * 5;
	}
	if (dpr_usm_write(q1, usm, 0, values, sizeof(values), NULL, NULL))
		return 7;
	dpr_usm_release(usm);
	return dpr_finalize() ? 8 : 0;
}

/* With _i, pass a descriptor, which the other process inherits; otherwise a
   name. */
START_TEST(two_processes)
{
	dpr_usm *before, *usm, *after;
	int values[N], i;
	dpr_ipc ipc;

	setenv("DPR_OPTION_MOCK_IPC", _i ? "fd" : "name", 1);
	start_mocks();
	before = new_ints(q1, N, 7);
	usm = new_usm(q1, DPR_USM_DEVICE, sizeof(values));
	after = new_ints(q1, N, 8);
	for (i = 0; i < N; i++)
		values[i] = i * 3;
	CHECK_OK(dpr_usm_write(q1, usm, 0, values, sizeof(values), NULL, NULL));
	CHECK_OK(dpr_usm_export(usm, &ipc));
	ck_assert_int_eq(ipc.fd >= 0, _i);
	ck_assert_uint_eq(ipc.size, sizeof(values));
	ck_assert_str_eq(ipc.backend, "mock");
	ck_assert_str_eq(ipc.device, "mock:gpu:0");
	/* All three allocations are parts of one slab, so the offset is not
	   0. */
	ck_assert_uint_gt(ipc.offset, 0);
	run_other_process("import", &ipc, sizeof(ipc));
	if (_i)
		close(ipc.fd);
	CHECK_OK(dpr_usm_read(q1, values, usm, 0, sizeof(values), NULL, NULL));
	for (i = 0; i < N; i++)
		ck_assert_int_eq(values[i], i * 5);
	ck_assert_int_eq(first_int(q1, before), 7);
	ck_assert_int_eq(first_int(q1, after), 8);
	dpr_usm_release(before);
	dpr_usm_release(usm);
	dpr_usm_release(after);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}
END_TEST

static void check_refused(dpr_queue *queue, const dpr_ipc *ipc, const char *why)
{
	dpr_usm *made = NULL;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_import(queue, ipc, &made));
	CHECK_TEXT(why);
	ck_assert_ptr_null(made);
}

START_TEST(wrong_places)
{
	dpr_queue *other;
	dpr_usm *usm;
	dpr_ipc ipc, known;

	start();
	CHECK_OK(dpr_canonical_queue("mock:gpu:1", &other));
	usm = new_ints(q1, N, 1);
	CHECK_OK(dpr_usm_export(usm, &ipc));
	check_refused(q2, &ipc,
		      "belongs to backend mock, but mock2:gpu:0 "
		      "(canonical) belongs to backend mock2");
	check_refused(other, &ipc, "belongs to device mock:gpu:0");
	/* A different UUID is refused, although the selector is the same. */
	known = ipc;
	memset(known.uuid, 1, sizeof(known.uuid));
	check_refused(other, &known, "belongs to device mock:gpu:0");
	dpr_usm_release(usm);
}
END_TEST

START_TEST(wrong_uuid)
{
	dpr_queue *other;
	dpr_usm *usm, *made;
	dpr_ipc ipc;

	setenv("DPR_OPTION_MOCK_UUID", "00112233445566778899aabbccddee00", 1);
	start();
	CHECK_OK(dpr_canonical_queue("mock:gpu:1", &other));
	usm = new_ints(q1, N, 1);
	CHECK_OK(dpr_usm_export(usm, &ipc));
	check_refused(other, &ipc, "belongs to device mock:gpu:0");
	/* The UUID counts: another process may number the devices
	   differently. */
	strcpy(ipc.device, "mock:gpu:1");
	check_refused(other, &ipc, "belongs to device mock:gpu:1");
	CHECK_OK(dpr_usm_import(q1, &ipc, &made));
	ck_assert_int_eq(first_int(q1, made), 1);
	dpr_usm_release(made);
	dpr_usm_release(usm);
}
END_TEST

START_TEST(damaged)
{
	dpr_usm *usm, *made = NULL;
	dpr_ipc ipc, bad;

	start();
	usm = new_ints(q1, N, 1);
	CHECK_OK(dpr_usm_export(usm, &ipc));
	bad = ipc;
	bad.version++;
	check_refused(q1, &bad, "version 1");
	bad = ipc;
	bad.size = 0;
	check_refused(q1, &bad, "damaged");
	bad = ipc;
	bad.offset = UINT64_MAX;
	check_refused(q1, &bad, "damaged");
	bad = ipc;
	memset(bad.backend, 'x', sizeof(bad.backend));
	check_refused(q1, &bad, "damaged");
	bad = ipc;
	bad.size = UINT64_C(1) << 40;
	check_refused(q1, &bad, "mock: ipc: no such memory");
	bad = ipc;
	bad.bytes[2] = 'x';
	check_refused(q1, &bad, "mock: ipc: no such memory");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_import(q1, NULL, &made));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_usm_export(usm, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_usm_export(NULL, &bad));
	mock->lose(0);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_usm_import(q1, &ipc, &made));
	dpr_usm_release(usm);
}
END_TEST

/* The backend refuses, or does not have these functions. */
START_TEST(unsupported)
{
	dpr_queue *queue;
	dpr_usm *usm, *made;
	dpr_ipc ipc;

	setenv("DPR_OPTION_MOCK_IPC", "name", 1);
	start_mocks();
	usm = new_ints(q1, N, 1);
	CHECK_OK(dpr_usm_export(usm, &ipc));
	dpr_usm_release(usm);
	CHECK_OK(dpr_canonical_queue(_i ? "mock_bare" : "mock2", &queue));
	usm = new_usm(queue, DPR_USM_DEVICE, 64);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_usm_export(usm, &ipc));
	CHECK_TEXT("cannot hand over");
	strcpy(ipc.backend, _i ? "mock_bare" : "mock2");
	strcpy(ipc.device, _i ? "mock_bare:gpu:0" : "mock2:gpu:0");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_usm_import(queue, &ipc, &made));
	CHECK_TEXT("cannot take over");
	dpr_usm_release(usm);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite;
	SRunner *runner;
	TCase *t;
	int failed;

	if (argc > 1 && !strcmp(argv[1], "import"))
		return run_importer();
	suite = suite_create("ipc");
	t = tcase_create("ipc");
	runner = srunner_create(suite);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, two_processes, 0, 2);
	tcase_add_test(t, wrong_places);
	tcase_add_test(t, wrong_uuid);
	tcase_add_test(t, damaged);
	tcase_add_loop_test(t, unsupported, 0, 2);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
