/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - fork(), exit() and dpr_finalize(). */
#include "core/runtime/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/device.h"
#include "core/runtime/progress.h"
#include "core/runtime/registry.h"

/* How long exit() waits for the progress thread, in nanoseconds. */
#define EXIT_PATIENCE UINT64_C(100000000)

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

/* Registered once per open, so it may run several times. */
static void at_exit(void)
{
	int runs = PROCESS_RUNS;

	if (!atomic_compare_exchange_strong(&state, &runs, PROCESS_EXITS))
		return;
	progress_stop(EXIT_PATIENCE);
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

void process_watch(int opened)
{
	pthread_once(&once, watch_fork);
	if (!opened)
		return;
	atomic_store(&driver_opened, 1);
	(void)atexit(at_exit);
}
