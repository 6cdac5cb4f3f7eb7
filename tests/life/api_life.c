/* SPDX-License-Identifier: Apache-2.0 */
/* api_life.c - the ways in which the library ends: finalize, exit, fork; each
   test in a process of its own. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/runtime_test.h"

#define N 64

START_TEST(finalize_refuses_and_counts)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q1, N, 1);
	dpr_event *event;
	dpr_queue *q3;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	CHECK_OK(dpr_queue_barrier(q3, NULL, &event));
	CHECK_FAILS(DPR_ERROR_BUSY, dpr_finalize());
	CHECK_TEXT("1 queues");
	CHECK_TEXT("1 events");
	CHECK_TEXT("2 allocations");
	CHECK_TEXT("1 kernels");
	/* Nothing was closed: everything still works. */
	add_one(q1, plus, a, N, NULL, NULL);
	ck_assert_int_eq(first_int(q1, a), 2);
	ck_assert_uint_eq(mock->calls(MOCK_close), 0);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_queue_release(q3);
	dpr_kernel_release(plus);
	CHECK_FAILS(DPR_ERROR_BUSY, dpr_finalize());
	ck_assert_str_eq(dpr_last_error(),
			 "finalize: still alive: 1 events; release them first "
			 "(arrays hold allocations)");
	dpr_event_release(event);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->calls(MOCK_close), 1);
	ck_assert_uint_eq(mock->live(MOCK_INSTANCE), 0);
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), 0);
	ck_assert_uint_eq(mock->live(MOCK_KERNEL), 0);
	ck_assert_uint_eq(mock->live(MOCK_MODULE), 0);
	ck_assert_uint_eq(mock->live(MOCK_CONTEXT), 0);
}
END_TEST

START_TEST(after_finalize)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_queue *queue;
	dpr_usm *usm;

	CHECK_OK(dpr_finalize());
	CHECK_FAILS(DPR_ERROR_SHUTDOWN, dpr_finalize());
	CHECK_FAILS(DPR_ERROR_SHUTDOWN, dpr_queue_create(device, 0, &queue));
	ck_assert_ptr_null(queue);
	CHECK_FAILS(DPR_ERROR_SHUTDOWN, dpr_device_queue(device, &queue));
	CHECK_FAILS(DPR_ERROR_SHUTDOWN, dpr_canonical_queue(NULL, &queue));
	CHECK_FAILS(DPR_ERROR_SHUTDOWN,
		    dpr_usm_alloc(NULL, DPR_USM_DEVICE, 10, &usm));
	ck_assert_ptr_null(usm);
	dpr_queue_release(NULL);
	dpr_usm_release(NULL);
}
END_TEST

/* dpr_finalize() waits for the work of a released queue, and reports its
   failure. */
START_TEST(finalize_drains_and_tells)
{
	dpr_queue *q3;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	mock->delay(20 * MS);
	mock->fail_command(2, DPR_RC_NATIVE, -61);
	if (_i) {
		dpr_usm *a = new_ints(q3, N, 0);
		dpr_event *event;

		CHECK_OK(dpr_usm_fill(q3, a, 0, "abcd", 4, 4, NULL, &event));
		/* A failure that the program has seen already is not reported
		   again. */
		if (_i == 2)
			CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(event));
		dpr_event_release(event);
		dpr_usm_release(a);
	} else {
		dpr_kernel *bad = mock_kernel(q1, "fail");

		CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL,
					       NULL, NULL, 0));
		dpr_kernel_release(bad);
	}
	dpr_queue_release(q3);
	if (_i == 2) {
		CHECK_OK(dpr_finalize());
	} else {
		CHECK_FAILS(DPR_ERROR_DRIVER, dpr_finalize());
		CHECK_TEXT(_i ? "-61" : "-42");
	}
	ck_assert_uint_eq(mock->live(MOCK_INSTANCE), 0);
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}
END_TEST

/* A launch without an event fails on a queue that was released while busy:
   dpr_finalize() reports that failure, too. */
START_TEST(finalize_asks_a_released_queue)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_queue *q3;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	mock->delay(20 * MS);
	CHECK_OK(dpr_kernel_launch_usm(q3, bad, DPR_RANGE1(1), NULL, NULL, NULL,
				       0));
	dpr_kernel_release(bad);
	dpr_queue_release(q3);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_finalize());
	CHECK_TEXT("-42");
}
END_TEST

/* If waiting for a released queue fails, dpr_finalize() still reports a failure
   that is known already. */
START_TEST(finalize_tells_of_what_is_left)
{
	dpr_event *event;
	dpr_queue *q3;
	dpr_usm *a;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	a = new_ints(q3, N, 0);
	mock->fail_command(1, DPR_RC_NATIVE, -61);
	CHECK_OK(dpr_usm_fill(q3, a, 0, "abcd", 4, 4, NULL, &event));
	EVENTUALLY(!mock->pending());
	dpr_event_release(event);
	mock->fail(MOCK_queue_barrier, 1, 100, DPR_RC_NATIVE, -62);
	mock->fail(MOCK_queue_finish, 1, 100, DPR_RC_NATIVE, -63);
	dpr_usm_release(a);
	dpr_queue_release(q3);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_finalize());
	CHECK_TEXT("-61");
}
END_TEST

/* Make a queue with a failing launch whose event nothing asks for, and with
   released memory. */
static dpr_queue *failing_queue(void)
{
	dpr_kernel *plus = mock_kernel(q1, "add_one");
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_queue *q3;
	dpr_usm *a;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	a = new_ints(q3, N, 1);
	mock->delay(20 * MS);
	add_one(q3, plus, a, N, NULL, NULL);
	CHECK_OK(dpr_kernel_launch_usm(q3, bad, DPR_RANGE1(1), NULL, NULL, NULL,
				       0));
	dpr_usm_release(a);
	dpr_kernel_release(plus);
	dpr_kernel_release(bad);
	return q3;
}

static void *release_it(void *queue)
{
	dpr_queue_release(queue);
	return NULL;
}

static void *trim_nothing(void *device)
{
	CHECK_OK(dpr_pool_trim(device, UINT64_MAX, NULL));
	return NULL;
}

/* While dpr_finalize() runs, another thread is checking whether the released
   queue can be freed or, with _i, its memory.  dpr_finalize() waits for that
   thread, and reports the failure. */
START_TEST(finalize_waits_for_other_hands)
{
	dpr_device *device = dpr_queue_device(q1);
	dpr_queue *q3 = failing_queue();
	uint64_t looks = _i ? 3 : 1;
	pthread_t thread;

	/* If no marker can be enqueued, the check ends with a flush, which is
	   slow here. */
	mock->fail(MOCK_queue_barrier, 1, looks - (uint64_t)_i, DPR_RC_NATIVE,
		   -62);
	if (_i) {
		mock->fail(MOCK_queue_flush, 1, 2, DPR_RC_NATIVE, -63);
		dpr_queue_release(q3);
	}
	mock->slow(MOCK_queue_flush, 200 * MS);
	ck_assert(!pthread_create(&thread, NULL, _i ? trim_nothing : release_it,
				  _i ? (void *)device : (void *)q3));
	EVENTUALLY(mock->calls(MOCK_queue_flush) >= looks);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_finalize());
	CHECK_TEXT("-42");
	pthread_join(thread, NULL);
}
END_TEST

/* exit() with queued work, held work and a callback to come: no plugin is
   called any more, and nothing hangs. */
static void never(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	_exit(99);
}

static void notes_nothing(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
}

/* Unlike the C library's heap, those of the sanitizers stay locked in the child
   if another thread was using them at the fork.  So let the library's thread
   finish. */
static void before_fork(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	pause_ns(50 * MS);
#endif
}

static uint64_t calls_at_exit;

static void check_exit(void)
{
	dpr_event *event;

	/* Registered before the library's handler, so this runs after it. */
	pause_ns(20 * MS);
	if (mock2->calls(MOCK_queue_fill) != calls_at_exit)
		_exit(98);
	if (mock->live(MOCK_INSTANCE) != 1)
		_exit(97);
	if (dpr_queue_barrier(q1, NULL, &event) != DPR_ERROR_SHUTDOWN)
		_exit(96);
	if (dpr_finalize() != DPR_ERROR_SHUTDOWN)
		_exit(95);
}

static void register_check(void)
{
	atexit(check_exit);
	start_mocks();
}

START_TEST(exit_at_work)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q2, N, 1);
	dpr_event *gate, *held;

	CHECK_OK(dpr_queue_wait(q2));
	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, a, 0, "abcd", 4, 4, NULL, &gate));
	CHECK_OK(dpr_usm_fill(q2, b, 0, "abcd", 4, 4, DPR_AFTER(gate), &held));
	CHECK_OK(dpr_event_on_end(held, never, NULL));
	calls_at_exit = mock2->calls(MOCK_queue_fill);
	exit(17);
}
END_TEST

static void exits(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	calls_at_exit = mock2->calls(MOCK_queue_fill);
	exit(17);
}

START_TEST(exit_in_a_callback)
{
	dpr_event *event;

	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, exits, NULL));
	pause_ns(20 * SECOND);
}
END_TEST

/* Runs in a child of a process that has opened a backend. */
static void in_child(dpr_usm *usm, dpr_event *event, dpr_queue *queue)
{
	uint64_t frees = mock->calls(MOCK_mem_free), size = 0;
	dpr_device *device;
	dpr_queue *other;
	int bad = 0;

	bad |= dpr_queue_wait(queue) != DPR_ERROR_FORKED;
	bad |= dpr_queue_barrier(queue, NULL, NULL) != DPR_ERROR_FORKED;
	bad |= (dpr_event_wait_for(event, 0) != DPR_ERROR_FORKED) * 2;
	bad |= (dpr_usm_write(queue, usm, 0, &bad, 4, NULL, NULL) !=
		DPR_ERROR_FORKED) *
	       4;
	bad |= (dpr_device_select("mock", &device) != DPR_ERROR_FORKED) * 8;
	bad |= (dpr_queue_create(dpr_queue_device(queue), 0, &other) !=
		DPR_ERROR_FORKED) *
	       16;
	bad |= (dpr_finalize() != DPR_ERROR_FORKED) * 32;
	dpr_usm_release(usm);
	dpr_event_release(event);
	dpr_queue_release(queue);
	bad |= (mock->calls(MOCK_mem_free) != frees) * 64;
	size = dpr_usm_size(usm);
	bad |= (size != N * 4) * 128;
	exit(bad);
}

START_TEST(forks)
{
	dpr_usm *usm;
	dpr_event *event;
	dpr_queue *q3;
	int status;
	pid_t pid;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &q3));
	usm = new_ints(q3, N, 3);
	CHECK_OK(dpr_queue_barrier(q3, NULL, &event));
	/* Start the library's thread before the fork. */
	CHECK_OK(dpr_event_on_end(event, notes_nothing, NULL));
	before_fork();
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		in_child(usm, event, q3);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "child: 0x%x",
		      status);
	/* The parent can still use the library. */
	ck_assert_int_eq(first_int(q3, usm), 3);
	dpr_event_release(event);
	dpr_usm_release(usm);
	dpr_queue_release(q3);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Nothing was open before fork(): the child can use all of the library. */
START_TEST(forks_before)
{
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		start_mocks();
		_exit(dpr_queue_wait(q1) || dpr_finalize());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	start_mocks();
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The library's thread does not handle signals of the program. */
static volatile sig_atomic_t wrong_thread;
static pthread_t main_thread;

static void on_signal(int number)
{
	(void)number;
	if (!pthread_equal(pthread_self(), main_thread))
		wrong_thread = 1;
}

START_TEST(signals_are_the_programs)
{
	sigset_t set;
	dpr_event *event;
	int i;

	main_thread = pthread_self();
	signal(SIGUSR1, on_signal);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, notes_nothing, NULL));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	/* Blocked in this thread, the signal would go to any other thread that
	   accepts it. */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < 20; i++) {
		kill(getpid(), SIGUSR1);
		pause_ns(MS);
	}
	ck_assert(!wrong_thread);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	ck_assert(!wrong_thread);
	dpr_event_release(event);
	CHECK_OK(dpr_finalize());
}
END_TEST

static int n_left; /* outputs that a failed call has not cleared */

/* Check that @call has cleared @size bytes at @out, and fill them again. */
static void expect_cleared(const char *call, void *out, size_t size)
{
	unsigned char *bytes = out;
	size_t i = 0;

	while (i < size && !bytes[i])
		i++;
	if (i < size) {
		n_left++;
		printf("not cleared: %s\n", call);
	}
	memset(out, 0xa5, size);
}

/* @call fails because of an argument, and clears @out. */
#define CLEARS(call, out)                                      \
	do {                                                   \
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, call); \
		expect_cleared(#call, &out, sizeof(out));      \
	} while (0)

/* Outputs are cleared before arguments are checked, also by calls that have
   another output, which is NULL. */
START_TEST(outputs_of_failed_calls)
{
	dpr_plugin_report *report = (void *)&report;
	dpr_variable *variables = (void *)&variables;
	dpr_array_kernel *kernels = (void *)&kernels;
	enum dpr_param_kind kind = DPR_PARAM_VALUE;
	size_t n = 1;
	uint64_t number = 1;
	uintptr_t native = 1;
	dpr_times times = { 1, 1, 1, 1 };
	dpr_kernel_info info;
	dpr_operand item;
	double real = 1, parts[2];
	int64_t integer = 1;
	dpr_usm *usm = (void *)&usm;

	memset(&info, 1, sizeof(info));
	memset(&item, 1, sizeof(item));
	memset(parts, 1, sizeof(parts));
	CLEARS(dpr_plugins(0, &report, NULL), report);
	CLEARS(dpr_plugins(0, NULL, &n), n);
	CLEARS(dpr_variables(&variables, NULL), variables);
	CLEARS(dpr_variables(NULL, &n), n);
	CLEARS(dpr_array_kernels(&kernels, NULL), kernels);
	CLEARS(dpr_array_kernels(NULL, &n), n);
	CLEARS(dpr_usm_find(&n, NULL, &n), n);
	CLEARS(dpr_kernel_param(NULL, 0, &kind, NULL), kind);
	CLEARS(dpr_kernel_param(NULL, 0, NULL, &n), n);
	CLEARS(dpr_kernel_get_info(NULL, &info), info);
	CLEARS(dpr_program_binary(NULL, NULL, 0, &n), n);
	CLEARS(dpr_event_times(NULL, &times), times);
	CLEARS(dpr_event_duration(NULL, &number), number);
	CLEARS(dpr_pool_get_limit(NULL, &number), number);
	CLEARS(dpr_pool_trim(NULL, 0, &number), number);
	CLEARS(dpr_array_item(NULL, &item), item);
	CLEARS(dpr_array_item_double(NULL, &real), real);
	CLEARS(dpr_array_item_int64(NULL, &integer), integer);
	CLEARS(dpr_array_item_complex(NULL, parts), parts);
	CLEARS(dpr_usm_native(NULL, &native, &n), native);
	CLEARS(dpr_usm_borrow(NULL, 64, 8, 0, NULL, NULL, &usm), usm);
	ck_assert_int_eq(n_left, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("life");
	TCase *tcase = tcase_create("life"), *bare = tcase_create("bare");
	TCase *exits_case = tcase_create("exit");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_add_test(tcase, finalize_refuses_and_counts);
	tcase_add_test(tcase, after_finalize);
	tcase_add_test(tcase, outputs_of_failed_calls);
	tcase_add_loop_test(tcase, finalize_drains_and_tells, 0, 3);
	tcase_add_test(tcase, finalize_asks_a_released_queue);
	tcase_add_test(tcase, finalize_tells_of_what_is_left);
	tcase_add_loop_test(tcase, finalize_waits_for_other_hands, 0, 2);
	tcase_add_test(tcase, forks);
	tcase_add_test(tcase, signals_are_the_programs);
	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(exits_case, register_check, NULL);
	tcase_add_exit_test(exits_case, exit_at_work, 17);
	tcase_add_exit_test(exits_case, exit_in_a_callback, 17);
	suite_add_tcase(suite, exits_case);
	tcase_add_test(bare, forks_before);
	suite_add_tcase(suite, bare);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
