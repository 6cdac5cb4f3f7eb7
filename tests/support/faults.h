/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults.h - run attempts, which each make something, with injected faults: one
 * allocation of host memory fails, or all from some point on, or one call of
 * the driver, or one command.  The status must report the fault, or the result
 * must be right.  Nothing may leak, and the next try must work.  The including
 * programs have the attempts.
 */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include "tests/support/runtime_test.h"

#include "core/base/mem.h"

/* More faults than any attempt can have. */
#define MOST 400

static dpr_queue *other; /* a second queue of q1's device */
static dpr_device *part;
static dpr_array *matrix; /* (6, 7) of int32: 0, 1, ... */
static dpr_array *transposed; /* the transpose of `matrix` */
static dpr_array *far;    /* a copy of matrix in the other backend */
static dpr_array *large;  /* 300000 of int32: 0, 1, ... */
static dpr_usm *usm;      /* 1024 ints, each 7 */
static dpr_event *event;  /* complete */
static dpr_program *program;
static int tries;

struct attempt {
	const char *name;
	dpr_status (*run)(void);
};

static const struct attempt *attempts;

/* An output must be set if and only if the call succeeded. */
#define MADE(status, out)                                               \
	ck_assert_msg(!(status) == ((out) != NULL), "%s but out is %p", \
		      dpr_status_name(status), (const void *)(out))

/* --- Around an attempt -----------------------------------------------------
 */

static void set_up(void)
{
	static const char formats[] = DPRP_NATIVE_FORMAT ",opencl-c,mock,spirv";
	static const char source[] = "kernel void add_one(int *x, ulong n);";
	size_t n;

	setenv("DPR_OPTION_MOCK_FORMATS", formats, 1);
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK_IPC", "name", 1);
	setenv("DPR_OPTION_MOCK2_FORMATS", formats, 1);
	setenv("DPR_OPTION_MOCK_DLPACK", "12", 1);
	setenv("DPR_OPTION_MOCK2_TYPE", "cpu", 1);
	start_mocks();
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &other));
	CHECK_OK(dpr_device_partition_equally(dpr_queue_device(q1), 2, &part, 1,
					      &n));
	CHECK_OK(dpr_arange(0, 300000, 1, DPR_INT32, q1, &large));
	CHECK_OK(dpr_arange(0, 42, 1, DPR_INT32, q1, &matrix));
	CHECK_OK(dpr_reshape(matrix, DPR_SHAPE(6, 7), &transposed));
	dpr_array_release(matrix);
	matrix = transposed;
	CHECK_OK(dpr_matrix_transpose(matrix, &transposed));
	CHECK_OK(dpr_array_to_device(matrix, dpr_queue_device(q2), &far));
	usm = new_ints(q1, 1024, 7);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_wait(event));
	CHECK_OK(dpr_program_from_source(q1, source, NULL, &program));
}

/* Whether the closing of a released queue failed.  No caller was left to get
   that error, so dpr_finalize() returns it. */
static int closing_failed;

static void tear_down(void)
{
	dpr_status status;

	dpr_array_release(large);
	dpr_array_release(matrix);
	dpr_array_release(transposed);
	dpr_array_release(far);
	dpr_usm_release(usm);
	dpr_event_release(event);
	dpr_program_release(program);
	dpr_queue_release(other);
	status = dpr_finalize();
	if (status && closing_failed)
		CHECK_TEXT("an earlier failure was never checked");
	else
		CHECK_OK(status);
	for (int i = 0; i < MOCK_N_OBJECTS; i++) {
		ck_assert_uint_eq(mock->live((enum mock_object)i), 0);
		ck_assert_uint_eq(mock2->live((enum mock_object)i), 0);
	}
}

/* Inject no more faults, and fetch the failures that are not reported yet. */
static void calm(void)
{
	dpr_queue *queues[5] = { q1, q2, other, NULL, NULL };
	int i, n = 4, tries_left;

	mem_fault_clear();
	mock->reset();
	mock2->reset();
	CHECK_OK(dpr_device_queue(part, &queues[3]));
	if (*beside_mocks)
		CHECK_OK(dpr_canonical_queue("host", &queues[n++]));
	for (i = 0; i < n; i++) {
		for (tries_left = 20; tries_left; tries_left--)
			if (!dpr_queue_wait(queues[i]))
				break;
		ck_assert_msg(tries_left, "%s still fails after 20 waits: %s",
			      dpr_queue_name(queues[i]), dpr_last_error());
	}
	/* An allocation remembers its queues, even released ones: replace it by
	   a new one. */
	dpr_usm_release(usm);
	usm = new_ints(q1, 1024, 7);
	CHECK_OK(dpr_queue_wait(q1));
}

/* Get the library's list of living objects.  dpr_finalize() must refuse, since
   we hold some. */
static void alive(char text[200])
{
	CHECK_FAILS(DPR_ERROR_BUSY, dpr_finalize());
	snprintf(text, 200, "%s", dpr_last_error());
}

/* Run the attempt twice without a fault: after that, nothing is built or loaded
   any more. */
static void warm_up(const struct attempt *attempt, char before[200])
{
	int i;

	for (i = 0; i < 2; i++) {
		tries++;
		CHECK_OK(attempt->run());
	}
	calm();
	alive(before);
}

static void check_after(const struct attempt *attempt, const char *before)
{
	char after[200];

	tries++;
	CHECK_OK(attempt->run());
	calm();
	alive(after);
	ck_assert_str_eq(after, before);
	tear_down();
}

static void check_status(const struct attempt *attempt, const char *what,
			 uint64_t n, dpr_status status)
{
	if (!status)
		return;
	ck_assert_msg(dpr_last_error()[0], "%s, %s %d: the error has no text",
		      attempt->name, what, (int)n);
	ck_assert_msg(!strstr(dpr_last_error(), "(null)"), "%s",
		      dpr_last_error());
}

/* --- Host memory -----------------------------------------------------------
 */

static void memory_fails(const struct attempt *attempt,
			 void (*fault)(uint64_t n), const char *what)
{
	char before[200];
	dpr_status status;
	uint64_t n, used;

	warm_up(attempt, before);
	for (n = 0; n < MOST; n++) {
		tries++;
		used = mem_fault_count();
		fault(n);
		status = attempt->run();
		used = mem_fault_count() - used;
		check_status(attempt, what, n, status);
		ck_assert_msg(!status || status == DPR_ERROR_OUT_OF_MEMORY ||
				      status == DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			      "%s, %s %d: %s: %s", attempt->name, what, (int)n,
			      dpr_status_name(status), dpr_last_error());
		calm();
		if (used <= n)
			break;
	}
	ck_assert_uint_lt(n, MOST);
	ck_assert_int_eq(status, DPR_OK);
	check_after(attempt, before);
}

START_TEST(an_allocation_fails)
{
	memory_fails(&attempts[_i], mem_fault_once, "only allocation");
}
END_TEST

START_TEST(allocations_fail)
{
	memory_fails(&attempts[_i], mem_fault_after, "allocations from");
}
END_TEST

/* --- The driver ------------------------------------------------------------
 */

/* Run an attempt whose @n-th call of entry @e of @control fails.  Returns
   whether it made that call. */
static int call_fails(const struct attempt *attempt,
		      const struct mock_control *control, int e, uint64_t n,
		      dprp_rc rc)
{
	dpr_status status;
	int met;

	tries++;
	control->fail((enum mock_entry)e, n, 1, rc, -77);
	status = attempt->run();
	met = control->calls((enum mock_entry)e) >= n;
	closing_failed |= met && e == MOCK_queue_finish;
	check_status(attempt, "call", n, status);
	calm();
	return met;
}

START_TEST(driver_calls_fail)
{
	static const dprp_rc codes[] = { DPR_RC_NATIVE, DPR_RC_OOM_DEVICE,
					 DPR_RC_OOM_HOST };
	const struct attempt *attempt = &attempts[_i];
	int e, i, small = getenv("DPR_TEST_SMALL") != NULL;
	char before[200];
	uint64_t n;

	warm_up(attempt, before);
	for (e = 0; e < MOCK_N_ENTRIES; e++)
		for (i = 0; i < (small ? 1 : 3); i++)
			for (n = 1; n < MOST; n++)
				if (!call_fails(attempt, mock, e, n, codes[i]))
					break;
	for (e = 0; e < MOCK_N_ENTRIES; e++)
		for (n = 1; n < MOST; n++)
			if (!call_fails(attempt, mock2, e, n, DPR_RC_NATIVE))
				break;
	check_after(attempt, before);
}
END_TEST

/* Run an attempt whose @n-th command fails after it was accepted.  Returns
   whether there was one. */
static int command_fails(const struct attempt *attempt,
			 const struct mock_control *control, uint64_t n)
{
	struct mock_record records[64];
	uint64_t count, i;
	dpr_status status;
	int met = 0;

	tries++;
	control->fail_command(n, DPR_RC_NATIVE, -77);
	status = attempt->run();
	check_status(attempt, "command", n, status);
	/* If the attempt ignores its events, the queue reports the failure. */
	(void)!dpr_queue_wait(control == mock ? q1 : q2);
	count = control->history(records, 64);
	for (i = 0; i < count && i < 64; i++)
		met |= records[i].rc != DPR_RC_OK;
	calm();
	return met || count >= n;
}

START_TEST(commands_fail)
{
	const struct attempt *attempt = &attempts[_i];
	char before[200];
	uint64_t n;

	warm_up(attempt, before);
	for (n = 1; n < MOST; n++)
		if (!command_fails(attempt, mock, n))
			break;
	for (n = 1; n < MOST; n++)
		if (!command_fails(attempt, mock2, n))
			break;
	check_after(attempt, before);
}
END_TEST

static inline int run_faults(const struct attempt *list, int n, TCase *more)
{
	Suite *suite = suite_create("faults");
	TCase *tcase = tcase_create("faults");
	SRunner *runner = srunner_create(suite);
	int failed;

	attempts = list;
	tcase_add_checked_fixture(tcase, set_up, NULL);
	tcase_set_timeout(tcase, 240);
	tcase_add_loop_test(tcase, an_allocation_fails, 0, n);
	tcase_add_loop_test(tcase, allocations_fail, 0, n);
	tcase_add_loop_test(tcase, driver_calls_fail, 0, n);
	tcase_add_loop_test(tcase, commands_fail, 0, n);
	suite_add_tcase(suite, tcase);
	if (more)
		suite_add_tcase(suite, more);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
