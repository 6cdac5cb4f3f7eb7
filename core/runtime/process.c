/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - fork(), exit() and dpr_finalize(). */
#include "core/runtime/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/device/device.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/device/registry.h"

/* How long exit() waits for the progress thread, and for drivers that compile,
   in nanoseconds. */
#define EXIT_PATIENCE UINT64_C(100000000)
#define COMPILE_PATIENCE UINT64_C(5000000000)

enum process_state {
	PROCESS_RUNS,
	PROCESS_SHUT,  /* dpr_finalize() was called */
	PROCESS_EXITS, /* exit() was called */
	PROCESS_FORKED /* this is a child, and the parent had a driver open */
};

/* Read relaxed by every call: who sees it late is no worse off than who came
   earlier. */
static atomic_int state;
static atomic_int driver_opened;
static pthread_once_t once = PTHREAD_ONCE_INIT;

dpr_status runtime_check(const char *what)
{
	log_flush();
	switch (atomic_load_explicit(&state, memory_order_relaxed)) {
	case PROCESS_SHUT:
		return fail(DPR_ERROR_SHUTDOWN,
			    "%s: the library has been finalized", what);
	case PROCESS_EXITS:
		return fail(DPR_ERROR_SHUTDOWN, "%s: the process is exiting",
			    what);
	case PROCESS_FORKED:
		return fail(DPR_ERROR_FORKED,
			    "%s: this process was forked from one in which "
			    "drivers were open; use dpr in the child only if "
			    "the parent did not, or exec() first",
			    what);
	}
	return DPR_OK;
}

int runtime_alive(void)
{
	return atomic_load_explicit(&state, memory_order_relaxed) ==
	       PROCESS_RUNS;
}

/* From RUNS only: what came first counts. */
static void leave(enum process_state to)
{
	int runs = PROCESS_RUNS;

	atomic_compare_exchange_strong(&state, &runs, to);
}

void process_shutdown(void)
{
	leave(PROCESS_SHUT);
}

/* The thread that waits for drivers that compile. */
static struct {
	pthread_mutex_t lock;
	/* Guards the fields below. */
	pthread_cond_t changed;
	int over;
	/* Written before the thread begins, once. */
	uint64_t deadline;
} compiling = { .lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER };

/* Only looks and waits: nothing else of a plugin is called any more. */
static void wait_for(dpr_event *event)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	dprp_event *handle =
		atomic_load_explicit(&event->handle, memory_order_acquire);
	uint64_t now;

	while (event_poll(event) < DPR_EVENT_COMPLETE) {
		now = clock_now();
		if (now >= compiling.deadline)
			return;
		if (event->plugin->event.wait(&handle, 1,
					      compiling.deadline - now))
			nanosleep(&pause, NULL);
	}
}

static void *wait_for_all(void *nothing)
{
	dpr_event *event;

	(void)nothing;
	while (clock_now() < compiling.deadline && (event = queue_compiling()))
		wait_for(event);
	pthread_mutex_lock(&compiling.lock);
	compiling.over = 1;
	pthread_cond_signal(&compiling.changed);
	pthread_mutex_unlock(&compiling.lock);
	return NULL;
}

/*
 * Some drivers compile a kernel in a thread of their own when it is launched,
 * and crash if exit() destroys meanwhile what their compiler uses.  A thread
 * waits for them, which is left alone when the time is over.
 */
static void wait_for_compilers(void)
{
	struct timespec at;
	int rc = 0;

	if (!queue_has_compiled())
		return;
	if (!compiling.deadline)
		compiling.deadline = clock_deadline(COMPILE_PATIENCE);
	at.tv_sec = (time_t)(compiling.deadline / 1000000000u);
	at.tv_nsec = (long)(compiling.deadline % 1000000000u);
	compiling.over = 0;
	if (progress_thread(wait_for_all, NULL))
		return;
	pthread_mutex_lock(&compiling.lock);
	while (!compiling.over && !rc)
		rc = pthread_cond_clockwait(&compiling.changed, &compiling.lock,
					    CLOCK_MONOTONIC, &at);
	pthread_mutex_unlock(&compiling.lock);
}

/* Registered once per open, so it may run several times. */
static void at_exit(void)
{
	int runs = PROCESS_RUNS;

	if (!atomic_compare_exchange_strong(&state, &runs, PROCESS_EXITS))
		return;
	progress_stop(EXIT_PATIENCE);
	wait_for_compilers();
	log_flush();
}

/* The locks that a child could otherwise find held for ever. */
static void before_fork(void)
{
	registry_lock();
	env_lock();
	log_lock();
}

static void after_fork(void)
{
	log_unlock(0);
	env_unlock();
	registry_unlock();
}

static void in_child(void)
{
	int busy;

	trace_forked();
	log_unlock(1);
	env_unlock();
	busy = registry_unlock_child();
	if (busy || atomic_load(&driver_opened)) {
		leave(PROCESS_FORKED);
		progress_forked();
	}
}

static void watch_fork(void)
{
	/* Without memory for it a child is no worse off than without dpr. */
	(void)pthread_atfork(before_fork, after_fork, in_child);
}

/*
 * What a compiler needs may be made while it compiles, and exit() destroys the
 * newest first, before it calls at_exit().  Before all of that it runs the
 * destructors of its thread, which is the first one in nearly all programs.
 */
extern int __cxa_thread_atexit_impl(void (*call)(void *object), void *object,
				    void *library) __attribute__((weak));

static void first_thread_ends(void *object)
{
	(void)object;
	if (runtime_alive())
		wait_for_compilers();
}

static void watch_first_thread(void)
{
	static int watched;

	if (watched || !__cxa_thread_atexit_impl || gettid() != getpid())
		return;
	watched = !__cxa_thread_atexit_impl(first_thread_ends, NULL, &state);
}

void process_watch(int opened)
{
	pthread_once(&once, watch_fork);
	if (!opened)
		return;
	atomic_store(&driver_opened, 1);
	watch_first_thread();
	(void)atexit(at_exit);
}
