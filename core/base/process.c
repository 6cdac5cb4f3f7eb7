/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - fork(), exit() and dpr_finalize(). */
#include "core/base/process.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/call_stack.h"
#include "core/base/env.h"
#include "core/base/handles/handles.h"
#include "core/base/log.h"
#include "core/base/status.h"
#include "core/base/trace_file.h"

enum process_state {
	PROCESS_RUNS,
	PROCESS_SHUT,  /* dpr_finalize() was called */
	PROCESS_EXITS, /* exit() was called */
	PROCESS_FORKED /* this is a child, and the parent had a driver open */
};

/* Read relaxed by every call: a call that sees a change late could also have
   come before the change. */
static atomic_int state;
static atomic_bool driver_opened;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The newest hook, the first of the list.  No hook is ever removed. */
static _Atomic(struct process_hook *) hooks;

dpr_status process_check(const char *what)
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
			    "drivers were open; fork before the parent opens a "
			    "driver, or call exec() in the child first",
			    what);
	}
	return DPR_OK;
}

bool process_alive(void)
{
	return atomic_load_explicit(&state, memory_order_relaxed) ==
	       PROCESS_RUNS;
}

/* Leave the state PROCESS_RUNS; the first change is final.  Returns whether
   this call made the change. */
static bool leave(enum process_state to)
{
	int runs = PROCESS_RUNS;

	return atomic_compare_exchange_strong(&state, &runs, to);
}

void process_shutdown(void)
{
	(void)leave(PROCESS_SHUT);
}

void process_add(struct process_hook *hook)
{
	hook->next = atomic_load(&hooks);
	while (!atomic_compare_exchange_weak(&hooks, &hook->next, hook))
		;
}

/* Registered once per opened driver, so it may run several times. */
static void at_exit(void)
{
	const struct process_hook *hook = atomic_load(&hooks);
	int depth;

	if (!leave(PROCESS_EXITS))
		return;
	depth = call_stack_go_in();
	for (; hook; hook = hook->next)
		if (hook->at_exit)
			hook->at_exit();
	log_flush();
	call_stack_go_back(depth);
}

/* Take the locks that would stay locked in a child otherwise. */
static void before_fork(void)
{
	const struct process_hook *hook = atomic_load(&hooks);

	for (; hook; hook = hook->next)
		if (hook->before_fork)
			hook->before_fork();
	handles_before_fork();
	env_lock();
	log_lock();
}

static void after_fork(void)
{
	const struct process_hook *hook = atomic_load(&hooks);

	log_unlock(false);
	env_unlock();
	handles_after_fork(false);
	for (; hook; hook = hook->next)
		if (hook->after_fork)
			hook->after_fork();
}

static void in_child(void)
{
	const struct process_hook *hook = atomic_load(&hooks);
	bool busy = atomic_load(&driver_opened);

	trace_file_forked();
	log_unlock(true);
	env_unlock();
	handles_after_fork(true);
	for (; hook; hook = hook->next)
		if (hook->in_child)
			busy |= hook->in_child();
	if (busy)
		(void)leave(PROCESS_FORKED);
}

static void watch_fork(void)
{
	/* If this fails, a child has no handlers, as without dpr. */
	(void)pthread_atfork(before_fork, after_fork, in_child);
}

/*
 * Drivers' compilers create static objects while they compile.  exit() destroys
 * these before it calls at_exit().  Even earlier, exit() runs the thread-local
 * destructors of the thread that called it.  In nearly all programs that is the
 * first thread.  So first_thread_ends() is registered as such a destructor of
 * the first thread.
 */
extern int __cxa_thread_atexit_impl(void (*call)(void *object), void *object,
				    void *library) __attribute__((weak));

static void first_thread_ends(void *object)
{
	const struct process_hook *hook = atomic_load(&hooks);
	const int depth = call_stack_go_in();

	(void)object;
	for (; hook && process_alive(); hook = hook->next)
		if (hook->first_thread_ends)
			hook->first_thread_ends();
	call_stack_go_back(depth);
}

static void watch_first_thread(void)
{
	static bool watched;

	if (watched || !__cxa_thread_atexit_impl || gettid() != getpid())
		return;
	watched = !__cxa_thread_atexit_impl(first_thread_ends, NULL, &state);
}

void process_watch(bool opened)
{
	pthread_once(&once, watch_fork);
	if (!opened)
		return;
	atomic_store(&driver_opened, true);
	watch_first_thread();
	(void)atexit(at_exit);
}

int process_thread(void *(*run)(void *user), void *user)
{
	sigset_t every, before;
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &attr, run, user);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* --- What is kept until dpr_finalize() -------------------------------------
 */

/* The newest hook, the first of the list. */
static _Atomic(struct kept_hook *) kept_hooks;

void process_add_kept(struct kept_hook *hook)
{
	hook->next = atomic_load(&kept_hooks);
	while (!atomic_compare_exchange_weak(&kept_hooks, &hook->next, hook))
		;
}

void process_count_kept(size_t *programs, size_t *kernels)
{
	const struct kept_hook *hook = atomic_load(&kept_hooks);

	*programs = *kernels = 0;
	for (; hook; hook = hook->next) {
		size_t p = 0, k = 0;

		if (hook->count)
			hook->count(&p, &k);
		*programs += p;
		*kernels += k;
	}
}

void process_drop_kept(void)
{
	const struct kept_hook *hook = atomic_load(&kept_hooks);

	for (; hook; hook = hook->next)
		hook->drop();
}
