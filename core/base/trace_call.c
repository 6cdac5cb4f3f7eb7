/* SPDX-License-Identifier: Apache-2.0 */
/* trace_call.c - the calls of the program, as the layer "trace" sees them. */
#include "core/base/clock.h"
#include "core/base/trace.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/status.h"

/* Of this thread: its innermost call; the one that trace_keep() is for, how
   often it is; its number, whether the file has its name. */
static _Thread_local struct trace_call *innermost;
static _Thread_local struct trace_call *kept_for;
static _Thread_local int kept;
static _Thread_local int thread_number;
static _Thread_local int thread_named;

/* NULL until there is a submission. */
static _Atomic(void (*)(int last)) worker;

void trace_set_worker(void (*function)(int last))
{
	atomic_store_explicit(&worker, function, memory_order_release);
}

static void work(int last)
{
	void (*call)(int) = atomic_load_explicit(&worker, memory_order_acquire);

	if (call)
		call(last);
}

int trace_thread(void)
{
	if (!thread_number)
		thread_number = gettid();
	return thread_number;
}

/* Under the name that the thread has now. */
static void name_thread(void)
{
	char comm[16] = "thread", name[48];
	const int number = trace_thread();

	thread_named = 1;
	(void)pthread_getname_np(pthread_self(), comm, sizeof(comm));
	if (number == getpid())
		snprintf(name, sizeof(name), "main thread");
	else
		snprintf(name, sizeof(name), "%s %d", comm, number);
	trace_name("thread_name", (uint64_t)getpid(), (uint64_t)number, name);
}

/* Who goes on after a failure has got over it. */
static void get_over(void)
{
	struct trace_call *call;

	for (call = innermost; call && call != kept_for; call = call->outer)
		call->failures = 0;
}

void trace_begin(struct trace_call *call, const char *name)
{
	call->name = name;
	call->outer = innermost;
	call->status = DPR_OK;
	call->failures = call->submissions = 0;
	call->n_notes = 0;
	innermost = call;
	get_over();
	call->start = clock_now();
}

/* A call has ended at @end; or else it has not, and will not. */
static void write_call(const struct trace_call *call, uint64_t end, int over)
{
	struct trace_line line;

	if (!thread_named)
		name_thread();
	trace_line_begin(&line, 'X', (uint64_t)getpid(),
			 (uint64_t)trace_thread(), call->start);
	trace_line_time(&line, "dur", end - call->start);
	trace_line_text(&line, "cat", "api");
	trace_line_text(&line, "name", call->name);
	trace_line_args(&line, NULL, NULL);
	trace_line_notes(&line, call->notes, call->n_notes);
	if (call->submissions > 1)
		trace_line_number(&line, "submissions", call->submissions);
	if (call->failures && call->status)
		trace_line_text(&line, "status", dpr_status_name(call->status));
	if (call->failures)
		trace_line_text(&line, "error", dpr_last_error());
	if (!over)
		trace_line_true(&line, "unfinished");
	trace_line_args_end(&line);
	trace_line_put(&line);
}

void trace_end(struct trace_call *call)
{
	const uint64_t end = clock_now();

	innermost = call->outer;
	if (!trace_on())
		return;
	write_call(call, end, 1);
	if (!innermost)
		work(0);
}

void trace_failed(dpr_status status)
{
	struct trace_call *call;

	for (call = innermost; call && call != kept_for; call = call->outer) {
		call->failures++;
		call->status = status;
	}
}

void trace_keep(void)
{
	if (kept++ == 0)
		kept_for = innermost;
}

void trace_restore(void)
{
	if (--kept == 0)
		kept_for = NULL;
}

/* Whether @call was told about @key. */
static int knows(const struct trace_call *call, const char *key)
{
	char wanted[40];
	const int n = snprintf(wanted, sizeof(wanted), ",\"%s\":", key);

	return memmem(call->notes, call->n_notes, wanted, (size_t)n) != NULL;
}

/* Add a note if it is new and fits. */
static void note(struct trace_call *call, const char *key, const char *value,
		 size_t size)
{
	const size_t n = strlen(key) + 4;

	if (call->n_notes + n + size > sizeof(call->notes) || knows(call, key))
		return;
	snprintf(call->notes + call->n_notes, n + 1, ",\"%s\":", key);
	memcpy(call->notes + call->n_notes + n, value, size);
	call->n_notes += n + size;
}

static void note_calls(int all, const char *key, const char *value, size_t size)
{
	struct trace_call *call;

	for (call = innermost; call; call = all ? call->outer : NULL)
		note(call, key, value, size);
}

void trace_note(int all, const char *key, const char *text)
{
	char value[96];
	size_t size;

	value[0] = '"';
	size = 1 + trace_escape(value + 1, sizeof(value) - 2, text);
	value[size++] = '"';
	note_calls(all, key, value, size);
}

void trace_note_number(int all, const char *key, uint64_t number)
{
	char value[24];
	const int size = snprintf(value, sizeof(value), "%llu",
				  (unsigned long long)number);

	note_calls(all, key, value, (size_t)size);
}

void trace_note_submission(void)
{
	struct trace_call *call;

	get_over();
	for (call = innermost; call; call = call->outer)
		call->submissions++;
}

void trace_stop(void)
{
	const struct trace_call *call;
	const uint64_t now = clock_now();

	if (!trace_on())
		return;
	work(1);
	/* exit() was called in a callback, within these. */
	for (call = innermost; call; call = call->outer)
		write_call(call, now, 0);
	atomic_store_explicit(&trace_state, TRACE_OFF, memory_order_relaxed);
	trace_file_finish();
}
