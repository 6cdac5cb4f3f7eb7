/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - the calls of the program, as the layer "trace" writes them. */
#include "core/base/trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/status.h"

atomic_int trace_due;

/* This thread's number, and whether the file has this thread's name. */
static _Thread_local int thread_number;
static _Thread_local bool thread_named;

static _Thread_local uint64_t launches;

/* See trace_set_worker(); NULL until something was submitted. */
static _Atomic(void (*)(bool last)) worker;

void trace_set_worker(void (*function)(bool last))
{
	atomic_store_explicit(&worker, function, memory_order_release);
}

static void call_worker(bool last)
{
	void (*call)(bool) =
		atomic_load_explicit(&worker, memory_order_acquire);
	const int depth = call_stack_go_in();

	if (call)
		call(last);
	call_stack_go_back(depth);
}

void trace_add_launch(void)
{
	launches++;
}

uint64_t trace_launches(void)
{
	return launches;
}

int trace_thread(void)
{
	if (!thread_number)
		thread_number = gettid();
	return thread_number;
}

/* Write the thread's present name to the file. */
static void name_thread(void)
{
	char comm[16] = "thread", name[48];
	const int number = trace_thread();

	thread_named = true;
	(void)pthread_getname_np(pthread_self(), comm, sizeof(comm));
	if (number == getpid())
		snprintf(name, sizeof(name), "main thread");
	else
		snprintf(name, sizeof(name), "%s %d", comm, number);
	trace_file_name("thread_name", (uint64_t)getpid(), (uint64_t)number,
			name);
}

void trace_begin(struct call *call, const char *name)
{
	call_stack_push(call, name);
	call->start = clock_now();
}

/* Write a call.  @ended: the call ended at @end; otherwise it is still running
   then. */
static void write_call(const struct call *call, uint64_t end, bool ended)
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
	if (call->moved)
		trace_line_number(&line, "bytes", call->moved);
	if (call->submissions > 1)
		trace_line_number(&line, "submissions", call->submissions);
	if (call->failures && call->status)
		trace_line_text(&line, "status", dpr_status_name(call->status));
	if (call->failures)
		trace_line_text(&line, "error", dpr_last_error());
	if (!ended)
		trace_line_true(&line, "unfinished");
	trace_line_args_end(&line);
	trace_file_put(&line);
}

/* Whether the trace shows @call, which may be in a call that is shown
   whole. */
static bool is_shown(const struct call *call)
{
	for (call = call->outer; call; call = call->outer)
		if (call->is_whole)
			return false;
	return true;
}

void trace_end(struct call *call)
{
	const uint64_t end = clock_now();

	call_stack_pop(call);
	if (!trace_on())
		return;
	if (is_shown(call))
		write_call(call, end, true);
	if (!call_stack_top())
		call_worker(false);
}

void trace_stop(void)
{
	const struct call *call;
	const uint64_t now = clock_now();

	if (!trace_on())
		return;
	call_worker(true);
	/* exit() was called in a callback, within these calls. */
	for (call = call_stack_top(); call; call = call->outer)
		write_call(call, now, false);
	trace_file_finish();
}

dpr_status trace_start(const char *file)
{
	const bool before = trace_on();
	dpr_status status = trace_file_open(file);

	if (!before && trace_on())
		(void)atexit(trace_stop);
	return status;
}
