/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer "trace": the contents of the trace file after programs that work,
 * fail, fork, and end in every way.  Each program is a child process of its
 * test.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/leaks.h"
#include "tests/support/runtime_test.h"
#include "tests/support/trace_reader.h"

#define N 64

static char file[256];

static void make_name(void)
{
	const char *dir = getenv("TMPDIR");

	snprintf(file, sizeof(file), "%s/dpr-trace.%ld.json",
		 dir ? dir : "/tmp", (long)getpid());
	unlink(file);
}

static void remove_file(void)
{
	unlink(file);
}

/* Run @body as a program with DPR_LAYERS=@layers.  Returns its wait status. */
static int run(void (*body)(void), const char *layers)
{
	pid_t child = fork();
	int how;

	ck_assert_int_ge(child, 0);
	if (!child) {
		setenv("DPR_LAYERS", layers, 1);
		setenv("DPR_TRACE", file, 1);
		start_mocks();
		body();
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, &how, 0), child);
	return how;
}

/* Run @body, which must succeed.  Read its trace file into @f, and check it. */
static void run_well(void (*body)(void), const char *layers,
		     struct trace_file *f)
{
	ck_assert_int_eq(run(body, layers), 0);
	trace_load(f, file);
	trace_check(f);
}

/* One of each kind of work, submitted to a queue. */
static void some_work(void)
{
	dpr_kernel *kernel = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 7), *b;
	int data[N] = { 0 };

	CHECK_OK(dpr_usm_alloc(q1, DPR_USM_DEVICE, sizeof(data), &b));
	CHECK_OK(dpr_usm_write(q1, b, 0, data, sizeof(data), NULL, NULL));
	add_one(q1, kernel, a, N, NULL, NULL);
	CHECK_OK(dpr_usm_copy(q1, b, 0, a, 0, sizeof(data), NULL, NULL));
	ck_assert_int_eq(first_int(q1, b), 8);
	CHECK_OK(dpr_queue_wait(q1));
	dpr_kernel_release(kernel);
	dpr_usm_release(a);
	dpr_usm_release(b);
}

static void check_some_work(const struct trace_file *f, const char *estimated)
{
	static const struct {
		const char *name, *category, *call, *part;
	} want[] = {
		{ "fill", "fill", "dpr_usm_fill", "\"bytes\":256" },
		{ "write", "write", "dpr_usm_write", "\"bytes\":256" },
		{ "add_one", "kernel", "dpr_kernel_launch_usm", "64 x 1 x 1" },
		{ "copy", "copy", "dpr_usm_copy", "\"bytes\":256" },
		{ "read", "read", "dpr_usm_read", "\"bytes\":4" },
	};
	const struct trace_seen *wait = trace_want(f, 'X', "dpr_queue_wait", 0);
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct trace_seen *run, *call;

		run = trace_want(f, 'X', want[i].name, want[i].part);
		call = trace_want(f, 'X', want[i].call,
				  "mock:gpu:0 (canonical");
		ck_assert_str_eq(run->category, want[i].category);
		ck_assert_str_eq(trace_track(f, run),
				 "{\"name\":\"mock:gpu:0 (canonical)\"}");
		ck_assert_uint_ge(run->start, call->start);
		ck_assert_uint_le(trace_end_of(run), trace_end_of(wait));
		ck_assert(!estimated == !strstr(run->args, "estimated"));
		if (estimated)
			ck_assert_ptr_nonnull(strstr(run->args, estimated));
		ck_assert_uint_eq(trace_count(f, 'X', want[i].name, 0), 1);
	}
	ck_assert_uint_eq(trace_count(f, 's', NULL, NULL), 5);
	ck_assert_uint_eq(trace_count(f, 'f', NULL, NULL), 5);
	ck_assert_ptr_null(trace_find(f, 'X', NULL, "error", 0));
	ck_assert_str_eq(trace_track(f, wait), "{\"name\":\"main thread\"}");
}

START_TEST(calls_and_runs)
{
	struct trace_file f;

	run_well(some_work, "trace", &f);
	check_some_work(&f, NULL);
	/* The call that loads the library is recorded, too. */
	trace_want(&f, 'X', "dpr_canonical_queue", NULL);
	trace_want(&f, 'M', "process_name", "mock:gpu:0");
	/* The two allocations, and their release. */
	trace_want(&f, 'C', "DEVICE memory", "{\"used\":512,");
	trace_want(&f, 'C', "DEVICE memory", "{\"used\":0,");
	trace_drop(&f);
}
END_TEST

START_TEST(without_clocks)
{
	struct trace_file f;

	setenv("DPR_OPTION_MOCK_OPTIONAL", "0", 1);
	ck_assert_int_eq(run(some_work, "trace"), 0);
	trace_load(&f, file);
	trace_check(&f);
	check_some_work(&f, "\"estimated\":\"position\"");
	trace_drop(&f);
}
END_TEST

START_TEST(without_profiling)
{
	struct trace_file f;

	setenv("DPR_OPTION_MOCK_PROFILING", "0", 1);
	run_well(some_work, "trace", &f);
	check_some_work(&f, "\"estimated\":\"times\"");
	trace_drop(&f);
}
END_TEST

/* The layer times all work, but the program must not notice. */
static void look_at_queues(void)
{
	dpr_event *event;
	dpr_queue *timed;
	dpr_times times;
	uint64_t ns;

	ck_assert_uint_eq(dpr_queue_get_flags(q1), 0);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_event_times(event, &times));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_event_duration(event, &ns));
	dpr_event_release(event);
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_PROFILING,
				  &timed));
	ck_assert_uint_eq(dpr_queue_get_flags(timed), DPR_QUEUE_PROFILING);
	CHECK_OK(dpr_queue_barrier(timed, NULL, &event));
	CHECK_OK(dpr_event_times(event, &times));
	dpr_event_release(event);
	dpr_queue_release(timed);
	CHECK_OK(dpr_finalize());
}

START_TEST(queues_look_the_same)
{
	struct trace_file f;

	run_well(look_at_queues, "trace", &f);
	ck_assert_uint_eq(trace_count(&f, 'X', "barrier", NULL), 2);
	trace_want(&f, 'X', "dpr_event_times", "DPR_ERROR_UNSUPPORTED");
	trace_want(&f, 'X', "dpr_finalize", NULL);
	trace_drop(&f);
}
END_TEST

static void fail_twice(void)
{
	dpr_kernel *bad = mock_kernel(q1, "fail");
	dpr_usm *a = (dpr_usm *)&a;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(q1, DPR_USM_HOST, 0, &a));
	CHECK_OK(dpr_kernel_launch_usm(q1, bad, DPR_RANGE1(1), NULL, NULL, NULL,
				       0));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(q1));
	dpr_kernel_release(bad);
}

START_TEST(failures_are_shown)
{
	const struct trace_seen *run;
	struct trace_file f;

	run_well(fail_twice, "trace", &f);
	trace_want(&f, 'X', "dpr_usm_alloc",
		   "\"status\":\"DPR_ERROR_INVALID_ARGUMENT\",\"error\":\""
		   "usm alloc: a size of 0 bytes\"");
	run = trace_want(&f, 'X', "fail", "\"status\":\"DPR_ERROR_DRIVER\"");
	ck_assert_ptr_nonnull(strstr(run->args, "-42"));
	trace_want(&f, 'X', "dpr_queue_wait", "\"error\":\"fail on mock");
	/* The launch itself succeeded: only the run of the kernel failed. */
	ck_assert_ptr_null(
		strstr(trace_want(&f, 'X', "dpr_kernel_launch_usm", 0)->args,
		       "error"));
	trace_drop(&f);
}
END_TEST

START_TEST(with_sync)
{
	const struct trace_seen *call, *run;
	struct trace_file f;

	run_well(some_work, "sync,trace", &f);
	check_some_work(&f, NULL);
	call = trace_want(&f, 'X', "dpr_kernel_launch_usm", NULL);
	run = trace_want(&f, 'X', "add_one", NULL);
	ck_assert_uint_ge(run->start, call->start);
	ck_assert_uint_le(trace_end_of(run), trace_end_of(call));
	trace_drop(&f);
}
END_TEST

static void cross_backends(void)
{
	dpr_kernel *k1 = mock_kernel(q1, "add_one");
	dpr_kernel *k2 = mock_kernel(q2, "add_one");
	dpr_usm *a = new_ints(q1, N, 0), *b = new_ints(q2, N, 0);
	dpr_event *done;

	mock->delay(5 * MS);
	add_one(q1, k1, a, N, NULL, &done);
	add_one(q2, k2, b, N, DPR_AFTER(done), NULL);
	CHECK_OK(dpr_queue_wait(q2));
	dpr_event_release(done);
	dpr_kernel_release(k1);
	dpr_kernel_release(k2);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}

START_TEST(held_submissions)
{
	const struct trace_seen *begin, *end, *first, *second;
	struct trace_file f;

	run_well(cross_backends, "trace", &f);
	begin = trace_want(&f, 'b', "add_one", "mock2:gpu:0 (canonical)");
	end = trace_want(&f, 'e', "add_one", NULL);
	ck_assert_str_eq(begin->category, "held");
	ck_assert_uint_eq(begin->id, end->id);
	first = trace_want(&f, 'X', "add_one", NULL);
	second = trace_find(&f, 'X', "add_one", NULL, 1);
	ck_assert_ptr_nonnull(second);
	ck_assert_uint_ne(first->process, second->process);
	if (first->process == begin->process) {
		const struct trace_seen *other = first;

		first = second;
		second = other;
	}
	/* The second launch was held until the first had run. */
	ck_assert_uint_ge(end->start, trace_end_of(first));
	ck_assert_uint_ge(second->start, end->start);
	trace_drop(&f);
}
END_TEST

#define LONG 4000

/* Much queued work that cannot end yet, then a submission that fails in the
   core. */
static void long_queue(void)
{
	dpr_kernel *kernel = mock_kernel(q1, "add_one");
	dpr_kernel *slow = mock_kernel(q1, "sleep_ms");
	dpr_kernel *fails = mock_kernel(q2, "fail");
	dpr_arg ms = DPR_ARG((uint32_t)5);
	dpr_usm *a = new_ints(q1, N, 0);
	dpr_event *failed;
	int i;

	CHECK_OK(dpr_kernel_launch_usm(q2, fails, DPR_RANGE1(1), NULL, &failed,
				       NULL, 0));
	ck_assert_int_ne(dpr_event_wait(failed), DPR_OK);
	CHECK_OK(dpr_queue_wait(q1));
	mock->reset();
	mock->hold(1);
	for (i = 0; i < LONG; i++)
		add_one(q1, kernel, a, N, NULL, NULL);
	CHECK_OK(dpr_kernel_launch_usm(q1, slow, DPR_RANGE1(1), NULL, NULL, &ms,
				       1));
	/* Looking at all queued work after each call would take forever. */
	ck_assert_uint_lt(mock->calls(MOCK_event_status), LONG / 4);
	CHECK_OK(dpr_queue_barrier(q1, DPR_AFTER(failed), NULL));
	mock->hold(0);
	ck_assert_int_ne(dpr_queue_wait(q1), DPR_OK);
	dpr_event_release(failed);
	dpr_kernel_release(kernel);
	dpr_kernel_release(slow);
	dpr_kernel_release(fails);
	dpr_usm_release(a);
}

START_TEST(long_queues)
{
	struct trace_file f;

	run_well(long_queue, "trace", &f);
	ck_assert_uint_eq(trace_count(&f, 'X', "add_one", NULL), LONG);
	/* The sleep ended by itself, not with the failure that came after
	   it. */
	ck_assert_uint_ge(trace_want(&f, 'X', "sleep_ms", NULL)->duration,
			  5 * MS);
	trace_drop(&f);
}
END_TEST

static void *submit_many(void *kernel)
{
	dpr_usm *a = new_ints(q1, N, 0);
	int i;

	for (i = 0; i < 200; i++)
		add_one(q1, kernel, a, N, NULL, NULL);
	ck_assert_int_eq(first_int(q1, a), 200);
	dpr_usm_release(a);
	return NULL;
}

static void many_threads(void)
{
	dpr_kernel *kernel = mock_kernel(q1, "add_one");
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		ck_assert(!pthread_create(&threads[i], NULL, submit_many,
					  kernel));
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	dpr_kernel_release(kernel);
	CHECK_OK(dpr_finalize());
}

START_TEST(threads)
{
	uint64_t seen[8] = { 0 };
	struct trace_file f;
	size_t i, j, n = 0;

	run_well(many_threads, "trace", &f);
	ck_assert_uint_eq(trace_count(&f, 'X', "dpr_kernel_launch_usm", NULL),
			  800);
	ck_assert_uint_eq(trace_count(&f, 'X', "add_one", NULL), 800);
	ck_assert_uint_eq(trace_count(&f, 's', NULL, NULL), 808);
	for (i = 0; i < f.n; i++) {
		const struct trace_seen *e = &f.events[i];

		if (strcmp(e->name, "dpr_kernel_launch_usm"))
			continue;
		for (j = 0; j < n && seen[j] != e->thread; j++)
			;
		ck_assert_uint_lt(j, 8);
		if (j == n)
			seen[n++] = e->thread;
	}
	ck_assert_uint_eq(n, 4);
	trace_drop(&f);
}
END_TEST

/* --- Drivers ---------------------------------------------------------------
 */

#define NO_DEVICE 77

/* Array operations on the canonical queue, and fills on an out-of-order
   queue. */
static void work_on(const char *selector)
{
	dpr_array *x, *y, *total;
	dpr_device *device;
	dpr_usm *usm[8];
	dpr_queue *queue;
	int i;

	if (dpr_device_select(selector, &device))
		exit(NO_DEVICE);
	CHECK_OK(dpr_device_queue(device, &queue));
	CHECK_OK(dpr_linspace(0, 1, 100000, DPR_FLOAT32, queue, &x));
	CHECK_OK(dpr_multiply(x, 4, &y));
	CHECK_OK(dpr_sum(y, NULL, &total));
	CHECK_OK(dpr_array_wait(total));
	dpr_array_release(total);
	dpr_array_release(y);
	dpr_array_release(x);
	CHECK_OK(dpr_queue_create(device, DPR_QUEUE_OUT_OF_ORDER, &queue));
	for (i = 0; i < 8; i++) {
		CHECK_OK(
			dpr_usm_alloc(queue, DPR_USM_DEVICE, 1 << 20, &usm[i]));
		CHECK_OK(dpr_usm_fill(queue, usm[i], 0, "abcd", 4, 1 << 20,
				      NULL, NULL));
	}
	CHECK_OK(dpr_queue_wait(queue));
	for (i = 0; i < 8; i++)
		dpr_usm_release(usm[i]);
	dpr_queue_release(queue);
	CHECK_OK(dpr_finalize());
}

START_TEST(on_drivers)
{
	static const char *const selectors[] = { "host", "opencl" };
	const struct trace_seen *call, *run;
	struct trace_file f;
	pid_t child = fork();
	int how;

	if (!child) {
		setenv("DPR_LAYERS", "trace", 1);
		setenv("DPR_TRACE", file, 1);
		work_on(selectors[_i]);
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, &how, 0), child);
	if (WIFEXITED(how) && WEXITSTATUS(how) == NO_DEVICE) {
		printf("not tried: there is no device %s\n", selectors[_i]);
		return;
	}
	ck_assert_int_eq(how, 0);
	trace_load(&f, file);
	trace_check(&f);
	call = trace_want(&f, 'X', "dpr_multiply", "float32 [100000]");
	run = trace_want(&f, 'X', "multiply", "\"global\"");
	/* The name of the kernel depends on the device's format. */
	if (!trace_find(&f, 'X', "multiply", "\"kernel\":\"vmcode_2\"", 0))
		(void)trace_want(&f, 'X', "multiply",
				 "\"kernel\":\"multiply_float32");
	ck_assert_uint_ge(run->start, call->start);
	ck_assert_uint_le(
		trace_end_of(run),
		trace_end_of(trace_want(&f, 'X', "dpr_array_wait", NULL)));
	ck_assert_uint_eq(trace_count(&f, 'X', "fill", "\"bytes\":1048576"), 8);
	ck_assert_ptr_null(trace_find(&f, 'X', NULL, "\"times\"", 0));
	ck_assert_ptr_null(trace_find(&f, 'X', NULL, "unfinished", 0));
	trace_drop(&f);
}
END_TEST

/* --- Ends ------------------------------------------------------------------
 */

/* More calls than are kept in memory. */
static void many_calls(void)
{
	int i;

	some_work();
	for (i = 0; i < 2000; i++)
		CHECK_OK(dpr_queue_flush(q1));
}

static void end_by_signal(void)
{
	many_calls();
	signal(SIGABRT, SIG_DFL);
	raise(SIGKILL);
}

static void end_at_once(void)
{
	many_calls();
	_exit(0);
}

START_TEST(ends_without_exit)
{
	struct trace_file f;
	int how = run(_i ? end_at_once : end_by_signal, "trace");

	ck_assert(_i ? !how : WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
	trace_load(&f, file);
	trace_want(&f, 'X', "dpr_queue_flush", NULL);
	trace_want(&f, 'X', "add_one", NULL);
	trace_drop(&f);
}
END_TEST

/* Leave work that never ends when the process exits. */
static void end_busy(void)
{
	dpr_kernel *kernel = mock_kernel(q1, "add_one");
	dpr_usm *a = new_ints(q1, N, 0);

	CHECK_OK(dpr_queue_wait(q1));
	mock->stall_command(1);
	add_one(q1, kernel, a, N, NULL, NULL);
	CHECK_OK(dpr_queue_flush(q1));
}

START_TEST(ends_with_work_queued)
{
	struct trace_file f;

	run_well(end_busy, "trace", &f);
	trace_want(&f, 'X', "fill", NULL);
	trace_want(&f, 'X', "add_one", "\"unfinished\":true");
	trace_drop(&f);
}
END_TEST

static void exit_in_callback(dpr_event *event, dpr_status status, void *user)
{
	(void)event, (void)status, (void)user;
	exit(0);
}

static void end_in_callback(void)
{
	dpr_event *event;

	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, exit_in_callback, NULL));
	for (;;)
		pause();
}

START_TEST(ends_in_callback)
{
	struct trace_file f;

	run_well(end_in_callback, "trace", &f);
	/* The process may have ended before the main thread began its next
	   call. */
	trace_want(&f, 'X', "dpr_queue_barrier", NULL);
	trace_want(&f, 'X', "barrier", NULL);
	trace_drop(&f);
}
END_TEST

static void fork_amid(void)
{
	dpr_queue *queue;
	pid_t child;
	int how;

	some_work();
	child = fork();
	if (!child) {
		leaks_not_judged = 1;
		/* The child makes a call, forks again, and ends by exit() and
		   by _exit(). */
		if (dpr_device_queue(dpr_queue_device(q1), &queue) !=
		    DPR_ERROR_FORKED)
			_exit(1);
		if (!fork())
			_exit(0);
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, &how, 0), child);
	ck_assert_int_eq(how, 0);
	CHECK_OK(dpr_queue_flush(q1));
	CHECK_OK(dpr_finalize());
}

START_TEST(fork_writes_nothing)
{
	struct trace_file f;
	size_t i;

	run_well(fork_amid, "trace", &f);
	check_some_work(&f, NULL);
	for (i = 0; i < f.n; i++)
		ck_assert_msg(f.events[i].process >= (UINT64_C(1) << 30) ||
				      f.events[i].process ==
					      f.events[0].process,
			      "an event of the child");
	ck_assert_ptr_null(trace_find(&f, 'X', NULL, "FORKED", 0));
	trace_want(&f, 'X', "dpr_queue_flush", NULL);
	trace_drop(&f);
}
END_TEST

/* --- The file --------------------------------------------------------------
 */

static char logged[4096];

static void remember(void *user, enum dpr_log_level level, const char *text)
{
	const size_t used = strlen(logged);

	(void)user;
	if (level <= DPR_LOG_WARN)
		snprintf(logged + used, sizeof(logged) - used, "%s\n", text);
}

/* The name of a trace file must be absolute; any other name is an error. */
START_TEST(bad_name)
{
	static const char *const names[] = { "trace.json", "" };
	dpr_queue *queue;
	int i;

	setenv("DPR_LAYERS", "sync,trace", 1);
	setenv("DPR_TRACE", names[_i], 1);
	for (i = 0; i < 2; i++) {
		CHECK_FAILS(DPR_ERROR_ENVIRONMENT,
			    dpr_canonical_queue("host", &queue));
		CHECK_TEXT("DPR_TRACE");
		CHECK_TEXT(names[_i]);
	}
}
END_TEST

/* The trace fails: there is one log line, with @why, and everything else
   works. */
static void check_untraced(const char *why)
{
	const char *line;

	dpr_log_set(DPR_LOG_WARN, remember, NULL);
	start_mocks();
	some_work();
	some_work();
	line = strstr(logged, "DPR_TRACE");
	ck_assert_msg(line && strstr(line, why), "no \"%s\": %s", why, logged);
	ck_assert_ptr_null(strstr(line + 1, "DPR_TRACE="));
	CHECK_OK(dpr_finalize());
}

START_TEST(bad_file)
{
	static const char *const names[][2] = {
		{ "/dev/null", "not a regular file" },
		{ "/", "Is a directory" },
		{ "/nowhere/at/all", "No such file" },
	};

	setenv("DPR_LAYERS", "trace", 1);
	setenv("DPR_TRACE", names[_i][0], 1);
	check_untraced(names[_i][1]);
}
END_TEST

/* There is no room for even one byte. */
START_TEST(full_disk)
{
	const struct rlimit limit = { 0, RLIM_INFINITY };
	pid_t child = fork();
	struct stat st;
	int how;

	if (!child) {
		/* Check writes files, too, so the signal of the limit must not
		   kill it. */
		signal(SIGXFSZ, SIG_IGN);
		setenv("DPR_LAYERS", "trace", 1);
		setenv("DPR_TRACE", file, 1);
		dpr_log_set(DPR_LOG_WARN, remember, NULL);
		if (setrlimit(RLIMIT_FSIZE, &limit))
			_exit(1);
		start_mocks();
		some_work();
		_exit(strstr(logged, "File too large") ? 0 : 2);
	}
	ck_assert_int_eq(waitpid(child, &how, 0), child);
	ck_assert_int_eq(how, 0);
	ck_assert_int_eq(stat(file, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
}
END_TEST

/* Another process is writing the file. */
START_TEST(one_writer)
{
	int to[2], how;
	pid_t child;
	char c;

	ck_assert(!pipe(to));
	child = fork();
	setenv("DPR_LAYERS", "trace", 1);
	setenv("DPR_TRACE", file, 1);
	if (!child) {
		start_mocks();
		ck_assert_int_eq(write(to[1], "x", 1), 1);
		pause();
	}
	ck_assert_int_eq(read(to[0], &c, 1), 1);
	check_untraced("another process");
	ck_assert_ptr_nonnull(strstr(logged, "%p"));
	kill(child, SIGKILL);
	waitpid(child, &how, 0);
}
END_TEST

START_TEST(number_in_the_name)
{
	char expected[300];
	struct trace_file f;
	struct stat st;
	pid_t child;
	int how;

	child = fork();
	if (!child) {
		snprintf(expected, sizeof(expected), "%s.%%p", file);
		setenv("DPR_LAYERS", "trace", 1);
		setenv("DPR_TRACE", expected, 1);
		start_mocks();
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, &how, 0), child);
	ck_assert_int_eq(how, 0);
	snprintf(expected, sizeof(expected), "%s.%ld", file, (long)child);
	trace_load(&f, expected);
	trace_check(&f);
	trace_want(&f, 'X', "dpr_device_queue", NULL);
	trace_drop(&f);
	unlink(expected);
	ck_assert_int_ne(stat(file, &st), 0);
}
END_TEST

/* Old contents are removed, but only with the layer: DPR_TRACE alone does
   nothing. */
START_TEST(old_contents)
{
	FILE *old = fopen(file, "w");
	struct trace_file f;
	struct stat st;
	int i;

	ck_assert_ptr_nonnull(old);
	for (i = 0; i < 100000; i++)
		fputs("old\n", old);
	fclose(old);
	ck_assert_int_eq(run(some_work, "sync"), 0);
	ck_assert_int_eq(stat(file, &st), 0);
	ck_assert_int_eq(st.st_size, 400000);
	run_well(some_work, "trace", &f);
	check_some_work(&f, NULL);
	trace_drop(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace");
	TCase *tcase = tcase_create("trace");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, make_name, remove_file);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, calls_and_runs);
	tcase_add_test(tcase, without_clocks);
	tcase_add_test(tcase, without_profiling);
	tcase_add_test(tcase, queues_look_the_same);
	tcase_add_test(tcase, failures_are_shown);
	tcase_add_test(tcase, with_sync);
	tcase_add_test(tcase, held_submissions);
	tcase_add_test(tcase, long_queues);
	tcase_add_test(tcase, threads);
	tcase_add_loop_test(tcase, on_drivers, 0, 2);
	tcase_add_loop_test(tcase, ends_without_exit, 0, 2);
	tcase_add_test(tcase, ends_with_work_queued);
	tcase_add_test(tcase, ends_in_callback);
	tcase_add_test(tcase, fork_writes_nothing);
	tcase_add_loop_test(tcase, bad_name, 0, 2);
	tcase_add_loop_test(tcase, bad_file, 0, 3);
	tcase_add_test(tcase, full_disk);
	tcase_add_test(tcase, one_writer);
	tcase_add_test(tcase, number_in_the_name);
	tcase_add_test(tcase, old_contents);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
