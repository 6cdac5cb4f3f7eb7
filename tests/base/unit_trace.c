/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_trace.c - the layer "trace" from inside.  It costs nothing while it is
 * off.  It writes texts, overlaps and handled failures correctly, and stops when
 * the file is full.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/env.h"
#include "core/base/text.h"
#include "core/base/settings.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/submit/trace_queue.h"

/* The tests use Check's fail(), and the mock controls have a fail() of their
   own. */
#undef fail
#include "tests/support/runtime_test.h"
#include "tests/support/trace_reader.h"

static char file[256];

/* The number of writes that still reach the file.  Later ones are dropped, as
   if the process had died.  -1: all writes reach it. */
static int writes_left = -1;
/* slow_write: let the next write take a while; in_write: it has begun. */
static atomic_int slow_write, in_write;

ssize_t pwrite(int to, const void *bytes, size_t size, off_t at)
{
	if (atomic_exchange(&slow_write, 0)) {
		atomic_store(&in_write, 1);
		pause_ns(100 * MS);
	}
	if (!writes_left)
		return (ssize_t)size;
	writes_left -= writes_left > 0;
	return syscall(SYS_pwrite64, to, bytes, size, at);
}

static void make_name(void)
{
	const char *dir = getenv("TMPDIR");

	snprintf(file, sizeof(file), "%s/dpr-unit-trace.%ld.json",
		 dir ? dir : "/tmp", (long)getpid());
	unlink(file);
	setenv("DPR_TRACE", file, 1);
}

static void remove_file(void)
{
	unlink(file);
}

/* Start the mocks with the layer on.  stop_traced() ends the trace, and reads
   and checks its file. */
static void start_traced(void)
{
	setenv("DPR_LAYERS", "trace", 1);
	start_mocks();
	ck_assert(trace_on());
}

static void stop_traced(struct trace_file *f)
{
	trace_stop();
	trace_load(f, file);
	trace_check(f);
}

/* Check that the core calls every entry that the plugin has, directly. */
static void check_table(const void *core, const void *plugin, size_t size)
{
	const char *ours = core, *theirs = plugin;
	void (*a)(void), (*b)(void);
	size_t at;

	for (at = sizeof(size_t); at < size; at += sizeof(a)) {
		memcpy(&a, ours + at, sizeof(a));
		memcpy(&b, theirs + at, sizeof(b));
		ck_assert_ptr_nonnull(a);
		ck_assert(!b || a == b);
	}
}

static void check_tables(void)
{
	const struct plugin *p = q1->plugin;

	check_table(&p->device, p->desc->device, sizeof(p->device));
	check_table(&p->context, p->desc->context, sizeof(p->context));
	check_table(&p->queue, p->desc->queue, sizeof(p->queue));
	check_table(&p->event, p->desc->event, sizeof(p->event));
	check_table(&p->mem, p->desc->mem, sizeof(p->mem));
	check_table(&p->module, p->desc->module, sizeof(p->module));
}

START_TEST(off_is_nothing)
{
	uint64_t allocations, events;
	dpr_queue *queue;
	int i;

	ck_assert_int_eq(atomic_load(&trace_file_state), TRACE_UNKNOWN);
	start_mocks();
	ck_assert_int_eq(atomic_load(&trace_file_state), TRACE_OFF);
	check_tables();
	/* No event is made that the program did not ask for, and nothing is
	   kept. */
	CHECK_OK(dpr_queue_wait(q1));
	events = mock->live(MOCK_EVENT);
	mock->reset();
	allocations = mem_fault_count();
	for (i = 0; i < 100; i++) {
		CHECK_OK(dpr_device_queue(dpr_queue_device(q1), &queue));
		CHECK_OK(dpr_queue_flush(q1));
	}
	ck_assert_uint_eq(mem_fault_count(), allocations);
	ck_assert_uint_eq(mock->live(MOCK_EVENT), events);
	ck_assert_uint_eq(mock->calls(MOCK_event_status), 0);
	ck_assert_uint_eq(mock->calls(MOCK_device_clocks), 0);
	ck_assert_int_ne(access(file, F_OK), 0);
}
END_TEST

START_TEST(on_wraps_nothing)
{
	struct trace_file f;

	start_traced();
	check_tables();
	stop_traced(&f);
	trace_drop(&f);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(setuid_programs)
{
	setenv("DPR_LAYERS", "trace", 1);
	env_test_secure(1);
	CHECK_OK(env_start());
	CHECK_OK(settings_layers_read());
	ck_assert(!trace_on());
	ck_assert_int_ne(access(file, F_OK), 0);
}
END_TEST

START_TEST(texts)
{
	static const struct {
		const char *text, *json;
	} rows[] = {
		{ "", "" },
		{ "add", "add" },
		{ "a\"b\\c", "a\\u0022b\\u005cc" },
		{ "\n\t\x01\x7f", "\\u000a\\u0009\\u0001\x7f" },
		{ "\xc3\xa9 \xe2\x82\xac", "\xc3\xa9 \xe2\x82\xac" },
		{ "\xff\xc3", "\\ufffd\\ufffd" },
		{ "\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd" },
		{ "\xf5 \xc0\x80", "\\ufffd \\ufffd\\ufffd" },
		{ "12345678901234567890123456789012345678901234",
		  "1234567890123456789012345678901234567..." },
	};
	char out[64];
	size_t i, n;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		n = text_escape(out, 40, rows[i].text);
		ck_assert_uint_le(n, 40);
		out[n] = 0;
		ck_assert_str_eq(out, rows[i].json);
	}
}
END_TEST

/* Long names with odd characters still give strict JSON. */
START_TEST(long_names)
{
	char name[5000];
	struct trace_file f;
	struct trace_line line;
	size_t i;

	start_traced();
	for (i = 0; i < sizeof(name) - 1; i++)
		name[i] = (char)(i % 7 ? 'a' + i % 26 : i % 256);
	name[sizeof(name) - 1] = 0;
	for (i = 0; i < 200; i++) {
		trace_line_begin(&line, 'X', 1, 1, i);
		trace_line_time(&line, "dur", 0);
		trace_line_text(&line, "cat", "api");
		trace_line_text(&line, "name", name + i + 1);
		trace_line_args(&line, "a", name + 2 * i + 1);
		trace_line_text(&line, "b", name + 3 * i + 1);
		trace_line_text(&line, "c", name + 4 * i + 1);
		trace_line_text(&line, "d", name + 5 * i + 1);
		trace_line_text(&line, "e", name + 6 * i + 1);
		trace_line_number(&line, "f", UINT64_MAX);
		trace_line_args_end(&line);
		trace_file_put(&line);
	}
	trace_stop();
	trace_load(&f, file);
	ck_assert_uint_ge(f.n, 200);
	trace_drop(&f);
	CHECK_OK(dpr_finalize());
}
END_TEST

static dpr_status fails(void)
{
	TRACE_CALL;

	status_fail(DPR_ERROR_LAYOUT, "this fails");
	return DPR_ERROR_LAYOUT;
}

static dpr_status works(void)
{
	TRACE_CALL;

	return DPR_OK;
}

static dpr_status gets_over_it(void)
{
	TRACE_CALL;

	return fails() ? works() : DPR_ERROR_INTERNAL;
}

/* Failures between status_keep() and status_restore() are not reported, and
   neither are the successes there. */
static dpr_status keeps_it(int first)
{
	TRACE_CALL;
	dpr_status status = first ? fails() : DPR_OK;
	char *text = status_keep();
	char *inner;

	(void)!fails();
	inner = status_keep();
	(void)!fails();
	status_restore(inner);
	(void)!works();
	(void)!fails();
	status_restore(text);
	return status;
}

static dpr_status makes_it_its_own(void)
{
	TRACE_CALL;
	char *text = status_keep();
	dpr_status status = fails();

	status_replace(text, status);
	return status;
}

static dpr_status passes_it_on(void)
{
	TRACE_CALL;

	call_stack_note(0, "key", "first");
	call_stack_note(0, "key", "second");
	return fails();
}

static void moves(void)
{
	TRACE_CALL;

	call_stack_submitted(300);
	call_stack_submitted(0);
	call_stack_submitted(700);
}

static void has_moves(void)
{
	TRACE_CALL;

	call_stack_submitted(24);
	moves();
}

/* A call has the bytes of all moves in it. */
START_TEST(bytes)
{
	struct trace_file f;

	start_traced();
	has_moves();
	stop_traced(&f);
	trace_want(&f, 'X', "moves", "\"bytes\":1000");
	trace_want(&f, 'X', "has_moves", "\"bytes\":1024");
	trace_drop(&f);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(failures)
{
	struct trace_file f;

	start_traced();
	CHECK_OK(gets_over_it());
	CHECK_FAILS(DPR_ERROR_LAYOUT, passes_it_on());
	stop_traced(&f);
	ck_assert_uint_eq(trace_count(&f, 'X', "fails", "DPR_ERROR_LAYOUT"), 2);
	ck_assert_ptr_null(trace_find(&f, 'X', "works", "error", 0));
	ck_assert_ptr_null(trace_find(&f, 'X', "gets_over_it", "error", 0));
	trace_want(&f, 'X', "passes_it_on", "this fails");
	trace_want(&f, 'X', "passes_it_on", "{\"key\":\"first\",\"status\"");
	trace_drop(&f);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(kept_failures)
{
	struct trace_file f;

	start_traced();
	CHECK_OK(keeps_it(0));
	CHECK_FAILS(DPR_ERROR_LAYOUT, keeps_it(1));
	CHECK_TEXT("this fails");
	CHECK_FAILS(DPR_ERROR_LAYOUT, makes_it_its_own());
	CHECK_TEXT("this fails");
	stop_traced(&f);
	ck_assert_uint_eq(trace_count(&f, 'X', "fails", "DPR_ERROR_LAYOUT"), 8);
	ck_assert_uint_eq(trace_count(&f, 'X', "keeps_it", NULL), 2);
	ck_assert_uint_eq(trace_count(&f, 'X', "keeps_it", "DPR_ERROR_LAYOUT"),
			  1);
	trace_want(&f, 'X', "makes_it_its_own", "DPR_ERROR_LAYOUT");
	trace_drop(&f);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Work that overlaps, according to its times. */
START_TEST(overlaps)
{
	static const struct operation operation = { .kind = OPERATION_BARRIER,
						    .name = "overlap" };
	const uint64_t now = clock_now() + SECOND;
	struct trace_file f;
	dpr_event *event;
	dpr_queue *queue;
	uint64_t i;

	start_traced();
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_OUT_OF_ORDER,
				  &queue));
	for (i = 0; i < 40; i++) {
		TRACE_CALL;

		event = event_new(queue->device, queue, "overlap", i + 1);
		ck_assert_ptr_nonnull(event);
		trace_queue_add(event, &operation);
		event->sent = now;
		event->seen = now + 60 * SECOND;
		event->t_start = now + i * SECOND + MOCK_CLOCK_OFFSET;
		event->t_end = event->t_start + 20 * SECOND;
		atomic_store(&event->state, DPR_EVENT_COMPLETE);
		dpr_event_release(event);
	}
	trace_queue_look(0);
	stop_traced(&f);
	/* The trace has a limited number of lanes.  Work beyond them is written
	   as pairs of "b" and "e". */
	ck_assert_uint_eq(trace_count(&f, 'X', "overlap", NULL) +
				  trace_count(&f, 'b', "overlap", NULL),
			  40);
	ck_assert_uint_eq(trace_count(&f, 'b', "overlap", NULL),
			  trace_count(&f, 'e', "overlap", NULL));
	ck_assert_uint_eq(trace_count(&f, 'b', "overlap", NULL), 8);
	trace_want(&f, 'M', "thread_name", ", 16\"");
	dpr_queue_release(queue);
	trace_drop(&f);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The file cannot grow any more: the trace ends, the program goes on, and what
   has been written can be read. */
START_TEST(full_file)
{
	struct rlimit before, limit;
	struct trace_file f;
	int i, bad = 0;
	sigset_t set;

	start_traced();
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 200000;
	/* SIGXFSZ must not reach the program: neither unblocked nor, with _i,
	   blocked. */
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(_i ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
	/* Check writes to a file, too: assert nothing while the limit holds. */
	bad |= setrlimit(RLIMIT_FSIZE, &limit);
	for (i = 0; i < 5000; i++)
		bad |= dpr_queue_flush(q1) != DPR_OK;
	bad |= trace_on();
	for (i = 0; i < 100; i++)
		bad |= dpr_queue_flush(q1) != DPR_OK;
	trace_stop();
	bad |= setrlimit(RLIMIT_FSIZE, &before);
	bad |= sigpending(&set) || sigismember(&set, SIGXFSZ);
	ck_assert(!bad);
	trace_load(&f, file);
	trace_want(&f, 'X', "dpr_queue_flush", NULL);
	trace_drop(&f);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* If the process is killed after any write, its file can still be read. */
START_TEST(each_write_is_whole)
{
	struct trace_file f;
	int i;

	/* The first write is the beginning of the JSON list. */
	writes_left = 1 + _i;
	start_traced();
	for (i = 0; writes_left && i < 100000; i++)
		CHECK_OK(dpr_queue_flush(q1));
	ck_assert_int_eq(writes_left, 0);
	trace_load(&f, file);
	ck_assert(!_i == !f.n);
	trace_drop(&f);
	CHECK_OK(dpr_finalize());
}
END_TEST

static int n_flushes;

/* After the first call, which names the thread, only ends of calls add to the
   trace.  So the call that writes is itself in the written text. */
static void *flush_until_written(void *unused)
{
	(void)unused;
	CHECK_OK(dpr_queue_flush(q1));
	n_flushes++;
	atomic_store(&slow_write, 1);
	while (!atomic_load(&in_write)) {
		CHECK_OK(dpr_queue_flush(q1));
		n_flushes++;
	}
	return NULL;
}

/* The trace ends while a thread is writing: nothing is lost, and nothing
   hangs. */
START_TEST(end_amid_a_write)
{
	struct trace_file f;
	pthread_t thread;

	start_traced();
	ck_assert(!pthread_create(&thread, NULL, flush_until_written, NULL));
	EVENTUALLY(atomic_load(&in_write));
	CHECK_OK(dpr_queue_barrier(q1, NULL, NULL));
	stop_traced(&f);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(trace_count(&f, 'X', "dpr_queue_flush", NULL),
			  (size_t)n_flushes);
	trace_want(&f, 'X', "dpr_queue_barrier", NULL);
	trace_drop(&f);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A child that outlives its parent does not keep the trace file locked. */
START_TEST(fork_keeps_no_file)
{
	int ends[2], forked[2], how;
	pid_t parent;
	char c;

	ck_assert(!pipe(ends) && !pipe(forked));
	parent = fork();
	if (!parent) {
		start_traced();
		if (fork())
			_exit(!trace_on());
		close(ends[1]);
		if (write(forked[1], "", 1) != 1)
			_exit(1);
		_exit(read(ends[0], &c, 1) != 0);
	}
	ck_assert_int_eq(waitpid(parent, &how, 0), parent);
	ck_assert_int_eq(how, 0);
	/* The child gives up the file in fork() itself. */
	ck_assert_int_eq(read(forked[0], &c, 1), 1);
	start_traced();
	close(ends[0]);
	close(ends[1]);
	close(forked[0]);
	close(forked[1]);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Without memory the file has less in it, but no call fails because of that. */
START_TEST(no_memory)
{
	struct trace_file f;
	int i;

	start_traced();
	for (i = 0; i < 20; i++) {
		mem_fault_after((uint64_t)i);
		(void)!dpr_queue_barrier(q1, NULL, NULL);
		(void)!dpr_queue_wait(q1);
		trace_queue_look(0);
		mem_fault_clear();
	}
	CHECK_OK(dpr_queue_wait(q1));
	stop_traced(&f);
	trace_want(&f, 'X', "dpr_queue_wait", NULL);
	trace_drop(&f);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace, inside");
	TCase *tcase = tcase_create("trace");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, make_name, remove_file);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, off_is_nothing);
	tcase_add_test(tcase, on_wraps_nothing);
	tcase_add_test(tcase, setuid_programs);
	tcase_add_test(tcase, texts);
	tcase_add_test(tcase, long_names);
	tcase_add_test(tcase, bytes);
	tcase_add_test(tcase, failures);
	tcase_add_test(tcase, kept_failures);
	tcase_add_test(tcase, overlaps);
	tcase_add_loop_test(tcase, full_file, 0, 2);
	tcase_add_loop_test(tcase, each_write_is_whole, 0, 4);
	tcase_add_test(tcase, end_amid_a_write);
	tcase_add_test(tcase, fork_keeps_no_file);
	tcase_add_test(tcase, no_memory);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
