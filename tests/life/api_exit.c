/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_exit.c - how a process that uses arrays ends or forks: on each backend
 * (or those in DPR_TEST_BACKENDS), each way in a fresh process.  The process
 * has limited time and must end with the right exit status.
 */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dpr/dpr.h>

#undef fail

#include "tests/plugins/mock_control.h"
#include "tests/support/leaks.h"

/* Exit statuses of the processes. */
enum { GOOD = 17, NO_DEVICE = 77 };

#define N 20000

static const struct mock_control *mock;
static const char *selector;
static dpr_queue *queue;
static dpr_array *array;

/* --- In the process ------------------------------------------------------- */

static void bad(int line, const char *what)
{
	printf("api_exit.c:%d: on %s: %s (%s)\n", line, selector, what,
	       dpr_last_error());
	fflush(stdout);
	_exit(1);
}

#define MUST(condition)                            \
	do {                                       \
		if (!(condition))                  \
			bad(__LINE__, #condition); \
	} while (0)
#define OK(call) MUST((call) == DPR_OK)

static void pause_ms(long ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void start(void)
{
	if (dpr_canonical_queue(selector, &queue) == DPR_ERROR_NOT_FOUND)
		_exit(NO_DEVICE);
	MUST(queue != NULL);
	OK(dpr_zeros(DPR_SHAPE(N), DPR_FLOAT32, queue, &array));
	OK(dpr_add_into(array, 0, array));
	OK(dpr_queue_wait(queue));
}

static void add(int times)
{
	for (int i = 0; i < times; i++)
		OK(dpr_add_into(array, 1, array));
}

static void never(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	_exit(2);
}

/* Leave queued work, held work, and a callback that has not been called. */
static void queue_work(void)
{
	dpr_event *gate, *held;
	dpr_queue *other;
	dpr_usm *usm;

	OK(dpr_canonical_queue("mock2", &other));
	OK(dpr_usm_alloc(other, DPR_USM_DEVICE, 64, &usm));
	mock->hold(1);
	OK(dpr_usm_fill(other, usm, 0, "abcd", 4, 64, NULL, &gate));
	add(100);
	OK(dpr_queue_barrier(queue, DPR_AFTER(gate), &held));
	OK(dpr_event_on_end(held, never, NULL));
	add(100);
}

static int run_at_work(void)
{
	start();
	queue_work();
	exit(GOOD);
}

static int run_return(void)
{
	start();
	queue_work();
	return GOOD;
}

static void exits(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)user;
	exit(status ? 3 : GOOD);
}

static int run_in_callback(void)
{
	dpr_event *event;
	dpr_queue *own;

	start();
	OK(dpr_queue_create(dpr_queue_device(queue), 0, &own));
	queue_work();
	OK(dpr_queue_barrier(own, NULL, &event));
	/* The process may end before this call returns. */
	(void)!dpr_event_on_end(event, exits, NULL);
	pause_ms(60000);
	return 4;
}

static void *exits_soon(void *unused)
{
	(void)unused;
	pause_ms(50);
	exit(GOOD);
}

static void nothing_to_do(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
}

/* The driver hangs while it frees released memory. */
static int run_in_free(void)
{
	dpr_event *event;
	dpr_usm *usm;

	start();
	/* Only the mock can be told to hang. */
	if (strcmp(selector, "mock"))
		return GOOD;
	mock = mock_control_open("mock", NULL, 0);
	OK(dpr_driver_alloc(queue, DPR_USM_DEVICE, 64, 0, &usm));
	mock->hold(1);
	OK(dpr_usm_fill(queue, usm, 0, "abcd", 4, 64, NULL, &event));
	OK(dpr_event_on_end(event, nothing_to_do, NULL));
	dpr_usm_release(usm);
	mock->block(MOCK_mem_free, 1);
	mock->hold(0);
	while (!mock->blocked())
		pause_ms(1);
	return GOOD;
}

/* A second thread exits while the first one waits for work that never ends. */
static int run_in_thread(void)
{
	pthread_t thread;
	dpr_event *gate, *held;
	dpr_queue *other;

	start();
	add(10);
	OK(dpr_canonical_queue("mock2", &other));
	mock->hold(1);
	OK(dpr_queue_barrier(other, NULL, &gate));
	OK(dpr_queue_barrier(queue, DPR_AFTER(gate), &held));
	MUST(!pthread_create(&thread, NULL, exits_soon, NULL));
	(void)!dpr_event_wait(held);
	pause_ms(60000);
	return 4;
}

static atomic_int rounds;

static void *keeps_on(void *unused)
{
	dpr_array *x, *y;
	dpr_status status;

	(void)unused;
	do {
		status = dpr_zeros(DPR_SHAPE(100), DPR_INT32, queue, &x);
		if (!status)
			status = dpr_add(x, 1, &y);
		if (!status)
			dpr_array_release(y);
		dpr_array_release(x);
		/* Sometimes wait, so that the queued work does not grow without
		   end. */
		if (!status && !(atomic_fetch_add(&rounds, 1) % 16))
			status = dpr_queue_wait(queue);
	} while (!status);
	MUST(status == DPR_ERROR_SHUTDOWN);
	pause_ms(60000);
	return NULL;
}

static void start_threads(int n)
{
	pthread_t thread;

	while (n--)
		MUST(!pthread_create(&thread, NULL, keeps_on, NULL));
	while (atomic_load(&rounds) < 100)
		pause_ms(1);
}

/* Other threads go on submitting while the process exits. */
static int run_busy(void)
{
	start();
	start_threads(4);
	return GOOD;
}

static dpr_event *late_event;
static dpr_queue *late_queue;

/* Registered before the library's handler, so it runs after it. */
static void at_end(void)
{
	dpr_queue *other;
	dpr_array *x;

	MUST(dpr_zeros(DPR_SHAPE(3), DPR_INT32, queue, &x) ==
	     DPR_ERROR_SHUTDOWN);
	MUST(!x);
	MUST(dpr_add_into(array, 1, array) == DPR_ERROR_SHUTDOWN);
	MUST(dpr_queue_create(dpr_queue_device(queue), 0, &other) ==
	     DPR_ERROR_SHUTDOWN);
	MUST(dpr_event_wait(late_event) == DPR_ERROR_SHUTDOWN);
	MUST(dpr_finalize() == DPR_ERROR_SHUTDOWN);
	dpr_array_release(array);
	dpr_event_release(late_event);
	dpr_queue_release(late_queue);
	_exit(GOOD);
}

static int run_afterwards(void)
{
	MUST(!atexit(at_end));
	start();
	OK(dpr_queue_create(dpr_queue_device(queue), 0, &late_queue));
	OK(dpr_queue_barrier(late_queue, NULL, &late_event));
	add(3);
	return 5;
}

/* Runs after the library's handler: held work must not be submitted now. */
static void lets_go(void)
{
	mock->hold(0);
	pause_ms(100);
	_exit(GOOD);
}

/* The work that held work depends on completes while the process ends. */
static int run_let_go(void)
{
	MUST(!atexit(lets_go));
	start();
	queue_work();
	return 5;
}

/* --- Kernels that a driver compiles when they are launched ---------------- */

static void start_late(void)
{
	/* The variable is read when the first call opens the backend. */
	MUST(!setenv("DPR_OPTION_MOCK_LATE", "1", 1));
	mock = mock_control_open("mock", NULL, 0);
	MUST(mock != NULL);
	OK(dpr_canonical_queue(selector, &queue));
	OK(dpr_zeros(DPR_SHAPE(N), DPR_FLOAT32, queue, &array));
	OK(dpr_queue_wait(queue));
}

/* Runs after the library's handler.  The mock reports the end of work a moment
   before it counts it; a launch takes much longer. */
static void all_has_run(void)
{
	for (int i = 0; i < 50 && mock->pending(); i++)
		pause_ms(1);
	MUST(!mock->pending());
	_exit(GOOD);
}

/* A kernel's first launch must be done before the driver's exit handlers. */
static int run_compiling(void)
{
	MUST(!atexit(all_has_run));
	start_late();
	mock->delay(300000000);
	add(3);
	return 5;
}

static void *exits_at_once(void *unused)
{
	(void)unused;
	exit(5);
}

/* Do the same as run_compiling(), but let a second thread exit. */
static int run_compiling_thread(void)
{
	pthread_t thread;

	MUST(!atexit(all_has_run));
	start_late();
	mock->delay(300000000);
	add(3);
	MUST(!pthread_create(&thread, NULL, exits_at_once, NULL));
	pause_ms(60000);
	return 4;
}

/* Only the barrier behind the launch may still be pending. */
static void launch_has_run(void)
{
	MUST(mock->pending() < 2);
	_exit(GOOD);
}

/* Do the same as run_compiling(), with a held launch on a released queue. */
static int run_compiling_held(void)
{
	const struct mock_control *other = mock_control_open("mock2", NULL, 0);
	dpr_event *gate, *go;
	dpr_queue *gates, *own;
	dpr_array *x;

	MUST(!atexit(launch_has_run));
	start_late();
	OK(dpr_canonical_queue("mock2", &gates));
	OK(dpr_queue_create(dpr_queue_device(queue), 0, &own));
	OK(dpr_zeros(DPR_SHAPE(N), DPR_FLOAT32, own, &x));
	other->hold(1);
	OK(dpr_queue_barrier(gates, NULL, &gate));
	OK(dpr_queue_barrier(own, DPR_AFTER(gate), NULL));
	mock->delay(300000000);
	OK(dpr_add_into(x, 1, x));
	OK(dpr_queue_barrier(own, NULL, &go));
	dpr_array_release(x);
	dpr_queue_release(own);
	other->hold(0);
	while (dpr_event_get_state(go) == DPR_EVENT_HELD)
		pause_ms(1);
	return 5;
}

static uint64_t looks;

static uint64_t count_looks(void)
{
	return mock->calls(MOCK_event_status) + mock->calls(MOCK_event_wait) +
	       mock->calls(MOCK_queue_finish) + mock->calls(MOCK_queue_flush);
}

static void nobody_has_looked(void)
{
	MUST(count_looks() == looks);
	_exit(GOOD);
}

/* exit() does not wait for a kernel that has run with these sizes before. */
static int run_compiled(void)
{
	MUST(!atexit(nobody_has_looked));
	start_late();
	add(1);
	OK(dpr_queue_wait(queue));
	mock->hold(1);
	add(3);
	looks = count_looks();
	return 5;
}

static void still_there(void)
{
	MUST(mock->pending() || strncmp(selector, "mock", 4) != 0);
	_exit(GOOD);
}

/* exit() does not wait for ever for a plugin that hangs. */
static int run_compiles_for_ever(void)
{
	MUST(!atexit(still_there));
	start_late();
	mock->hold(1);
	mock->slow(MOCK_event_wait, UINT64_C(1000000000000));
	add(1);
	return 5;
}

/* dpr_finalize() counts the objects that are left, and closes without any. */
static int run_finalize(void)
{
	dpr_array *view;
	dpr_event *event;
	dpr_queue *own;

	start();
	add(3);
	OK(dpr_array_view(array, &view, DPR_SLICE(0, 10, 1)));
	OK(dpr_queue_create(dpr_queue_device(queue), 0, &own));
	OK(dpr_queue_barrier(own, NULL, &event));
	dpr_array_release(array);
	MUST(dpr_finalize() == DPR_ERROR_BUSY);
	MUST(strstr(dpr_last_error(),
		    "still alive: 1 queues, 1 events, 1 allocations;"));
	OK(dpr_add_into(view, 1, view));
	dpr_array_release(view);
	dpr_event_release(event);
	MUST(dpr_finalize() == DPR_ERROR_BUSY);
	MUST(strstr(dpr_last_error(), "still alive: 1 queues;"));
	dpr_queue_release(own);
	OK(dpr_finalize());
	MUST(dpr_zeros(DPR_SHAPE(3), DPR_INT32, queue, &view) ==
	     DPR_ERROR_SHUTDOWN);
	return GOOD;
}

/* Wait for a child, which must end with status 0. */
static void reap_child(pid_t pid)
{
	int how = 0;

	MUST(waitpid(pid, &how, 0) == pid);
	if (WIFEXITED(how) && !WEXITSTATUS(how))
		return;
	printf("a child ended with 0x%x\n", (unsigned)how);
	bad(__LINE__, "child");
}

static void check_sum(double want)
{
	dpr_operand value;
	dpr_array *sum;

	OK(dpr_sum(array, NULL, &sum));
	OK(dpr_array_item(sum, &value));
	MUST(value.as.f == want);
	dpr_array_release(sum);
}

/* Nothing was open before fork(): parent and child can both use the library. */
static int run_fork_before(void)
{
	pid_t pid = fork();

	MUST(pid >= 0);
	if (!pid)
		alarm(60);
	start();
	add(2);
	check_sum(2.0 * N);
	dpr_array_release(array);
	OK(dpr_finalize());
	if (!pid)
		_exit(0);
	reap_child(pid);
	return GOOD;
}

static uint64_t all_calls(void)
{
	uint64_t n = 0;

	for (int i = 0; i < MOCK_N_ENTRIES; i++)
		n += mock->calls((enum mock_entry)i);
	return n;
}

static void nothing(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
}

#define FORKED(call) MUST((call) == DPR_ERROR_FORKED)

static void check_forked_runtime(dpr_event *event, dpr_usm *usm)
{
	dpr_device *device = dpr_queue_device(queue), *found;
	char bytes[64] = "";
	dpr_queue *other;
	enum dpr_param_kind kind;
	dpr_kernel_info info;
	dpr_kernel *kernel;
	dpr_usm *more;
	uint64_t value;
	size_t n;

	FORKED(dpr_device_select(selector, &found));
	FORKED(dpr_device_enumerate(NULL, &found, 1, &n));
	FORKED(dpr_canonical_queue(selector, &other));
	FORKED(dpr_device_queue(device, &other));
	FORKED(dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &value));
	FORKED(dpr_device_partition_equally(device, 1, &found, 1, &n));
	FORKED(dpr_queue_create(device, 0, &other));
	FORKED(dpr_queue_wait(queue));
	FORKED(dpr_queue_flush(queue));
	FORKED(dpr_queue_barrier(queue, DPR_AFTER(event), NULL));
	FORKED(dpr_event_wait_for(event, 0));
	FORKED(dpr_events_wait(DPR_AFTER(event)));
	FORKED(dpr_event_duration(event, &value));
	FORKED(dpr_event_on_end(event, nothing, NULL));
	FORKED(dpr_usm_alloc(queue, DPR_USM_DEVICE, 64, &more));
	FORKED(dpr_usm_fill(queue, usm, 0, "abcd", 4, 4, NULL, NULL));
	FORKED(dpr_usm_write(queue, usm, 0, bytes, 4, NULL, NULL));
	FORKED(dpr_usm_read(queue, bytes, usm, 0, 4, NULL, NULL));
	FORKED(dpr_usm_copy(queue, usm, 0, usm, 32, 4, NULL, NULL));
	FORKED(dpr_usm_prefetch(queue, usm, 0, 4, NULL, NULL));
	FORKED(dpr_usm_find(bytes, &more, &n));
	FORKED(dpr_kernel_from_source(queue, "kernel void f() {}", "f",
				      &kernel));
	FORKED(dpr_kernel_create(NULL, "f", &kernel));
	FORKED(dpr_kernel_get_info(NULL, &info));
	FORKED(dpr_kernel_param(NULL, 0, &kind, &n));
	FORKED(dpr_program_binary(NULL, NULL, 0, &n));
	FORKED(dpr_finalize());
	MUST(strstr(dpr_last_error(), "fork"));
}

static void check_forked_arrays(void)
{
	dpr_device *device = dpr_queue_device(queue);
	float numbers[3] = { 0, 0, 0 };
	dpr_operand value;
	dpr_array *x;
	char *text;

	FORKED(dpr_zeros(DPR_SHAPE(3), DPR_INT32, queue, &x));
	MUST(!x);
	FORKED(dpr_array_from_memory(numbers, DPR_SHAPE(3), NULL, DPR_FLOAT32,
				     queue, &x));
	FORKED(dpr_add(array, 1, &x));
	FORKED(dpr_add_into(array, 1, array));
	FORKED(dpr_sum(array, NULL, &x));
	FORKED(dpr_copy(array, &x));
	FORKED(dpr_copy_into(array, 1));
	FORKED(dpr_array_wait(array));
	FORKED(dpr_array_format(array, NULL, &text));
	OK(dpr_array_view(array, &x, DPR_AT(3)));
	FORKED(dpr_array_item(x, &value));
	dpr_array_release(x);
	if (strncmp(dpr_device_backend(device), "mock", 4))
		return;
	FORKED(dpr_array_to_device(array, dpr_queue_device(late_queue), &x));
}

/* Runs in a child of a process that has a driver open and threads at work. */
static void check_forked(dpr_event *event, dpr_usm *usm)
{
	uint64_t calls = all_calls();
	const char *text;
	dpr_status status;

	/* If a call hangs, this signal ends the process. */
	alarm(20);
	check_forked_runtime(event, usm);
	check_forked_arrays();
	(void)dpr_event_get_state(event);
	dpr_event_error(event, &status, &text);
	MUST(dpr_usm_size(usm) == 64);
	dpr_array_release(array);
	dpr_usm_release(usm);
	dpr_event_release(event);
	dpr_queue_release(late_queue);
	MUST(all_calls() == calls);
}

static int run_fork_after(void)
{
	dpr_event *event;
	dpr_usm *usm;
	int i;

	start();
	add(5);
	/* Wait first, so that the mock's own threads make no more calls. */
	OK(dpr_queue_wait(queue));
	OK(dpr_queue_create(dpr_queue_device(queue), 0, &late_queue));
	OK(dpr_usm_alloc(late_queue, DPR_USM_DEVICE, 64, &usm));
	OK(dpr_usm_fill(late_queue, usm, 0, "abcd", 4, 64, NULL, &event));
	start_threads(3);
	for (i = 0; i < 20; i++) {
		pid_t pid;

		pause_ms(i % 4);
		pid = fork();
		MUST(pid >= 0);
		if (!pid) {
			check_forked(event, usm);
			_exit(0);
		}
		reap_child(pid);
	}
	/* The parent can still use the library. */
	add(5);
	check_sum(10.0 * N);
	OK(dpr_event_wait(event));
	dpr_event_release(event);
	dpr_usm_release(usm);
	dpr_queue_release(late_queue);
	return GOOD;
}

/* A child that ends with exit() also runs the library's exit handler. */
static int run_fork_exit(void)
{
	pid_t pid;

	start();
	add(5);
	pid = fork();
	MUST(pid >= 0);
	if (!pid) {
		leaks_not_judged = 1;
		alarm(20);
		exit(0);
	}
	reap_child(pid);
	check_sum(5.0 * N);
	dpr_array_release(array);
	OK(dpr_finalize());
	return GOOD;
}

static const struct way {
	const char *name;
	int (*run)(void);
	int drivers; /* also run on drivers, not only on our own code */
	int clean;   /* no leaks; other ways leak, as releases do nothing at
			exit(), and running threads own memory */
} ways[] = {
	{ "at work", run_at_work, 1, 0 },
	{ "return", run_return, 1, 0 },
	{ "in a callback", run_in_callback, 1, 0 },
	{ "in a thread", run_in_thread, 1, 0 },
	{ "in a free", run_in_free, 0, 0 },
	{ "busy", run_busy, 0, 0 },
	{ "afterwards", run_afterwards, 1, 0 },
	{ "let go", run_let_go, 0, 0 },
	{ "compiling", run_compiling, 0, 0 },
	{ "compiling, in a thread", run_compiling_thread, 0, 0 },
	{ "compiling, held", run_compiling_held, 0, 0 },
	{ "compiled", run_compiled, 0, 0 },
	{ "compiles for ever", run_compiles_for_ever, 0, 0 },
	{ "finalize", run_finalize, 1, 1 },
	{ "fork before", run_fork_before, 1, 1 },
	{ "fork after", run_fork_after, 1, 0 },
	{ "fork, exit", run_fork_exit, 0, 1 },
};
#define N_WAYS (sizeof(ways) / sizeof(*ways))

static int child_main(const struct way *way)
{
	/* If a call hangs, this signal ends the process. */
	alarm(120);
	mock = mock_control_open("mock2", NULL, 0);
	MUST(mock != NULL);
	return way->run();
}

/* --- The tests ------------------------------------------------------------ */

static const char *selectors[] = { "mock", "host", "opencl" };
#define N_SELECTORS (sizeof(selectors) / sizeof(*selectors))

static void set_environment(void)
{
	static const char formats[] = DPRP_NATIVE_FORMAT ",opencl-c,mock";
	const char *path = getenv("DPR_PLUGIN_PATH");
	const char *mocks = getenv("DPR_TEST_PLUGIN_DIR");
	char both[8192];

	snprintf(both, sizeof(both), "%s%s%s", path ? path : "",
		 path && mocks ? ":" : "", mocks ? mocks : "");
	setenv("DPR_PLUGIN_PATH", both, 1);
	setenv("DPR_OPTION_MOCK_FORMATS", formats, 1);
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
}

static int has_plugin(const char *name)
{
	const char *path = getenv("DPR_PLUGIN_PATH");
	char file[8192];

	if (!strcmp(name, "mock"))
		return 1;
	snprintf(file, sizeof(file), "%s/libdpr-%s.so", path ? path : "", name);
	return !access(file, R_OK);
}

extern char **environ;

/* Check for leaks only if this way to end should leave none. */
static void set_leaks(const struct way *way)
{
	const char *options = getenv("ASAN_OPTIONS");
	char more[4096];

	snprintf(more, sizeof(more), "%s%sdetect_leaks=%d",
		 options ? options : "", options ? ":" : "", way->clean);
	setenv("ASAN_OPTIONS", more, 1);
}

static void end_in(const char *where, const struct way *way)
{
	char self[] = "api_exit";
	char *const argv[] = { self, (char *)(uintptr_t)way->name,
			       (char *)(uintptr_t)where, NULL };
	int how = 0;
	pid_t pid;

	fflush(NULL);
	ck_assert_int_eq(
		posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ),
		0);
	ck_assert_int_eq(waitpid(pid, &how, 0), pid);
	ck_assert_msg(WIFEXITED(how), "%s on %s: killed by signal %d",
		      way->name, where, WTERMSIG(how));
	if (WEXITSTATUS(how) == NO_DEVICE)
		printf("skipped: %s has no device\n", where);
	else
		ck_assert_msg(WEXITSTATUS(how) == GOOD,
			      "%s on %s: exit status %d, not %d", way->name,
			      where, WEXITSTATUS(how), GOOD);
}

START_TEST(ends)
{
	const struct way *way = &ways[(size_t)_i % N_WAYS];
	const char *where = selectors[(size_t)_i / N_WAYS];
	int known = has_plugin(where);

	set_environment();
	if (!known)
		printf("skipped: no plugin %s\n", where);
	if (!known || (!way->drivers && !strcmp(where, "opencl")))
		return;
	set_leaks(way);
	end_in(where, way);
}
END_TEST

int main(int argc, char **argv)
{
	const char *only = getenv("DPR_TEST_BACKENDS");
	size_t i, n_selectors = only ? 1 : N_SELECTORS;
	SRunner *runner;
	TCase *tcase;
	Suite *suite;
	int failed;

	for (i = 0; argc == 3 && i < N_WAYS; i++) {
		if (strcmp(argv[1], ways[i].name) != 0)
			continue;
		selector = argv[2];
		return child_main(&ways[i]);
	}
	selectors[0] = only ? only : selectors[0];
	suite = suite_create("exit");
	tcase = tcase_create("exit");
	tcase_set_timeout(tcase, 150);
	tcase_add_loop_test(tcase, ends, 0, (int)(N_WAYS * n_selectors));
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
