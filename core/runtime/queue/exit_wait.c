/* SPDX-License-Identifier: Apache-2.0 */
/* exit_wait.c - let exit() wait for drivers that compile kernels, and for
   libraries. */
#include "core/runtime/queue/exit_wait.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "core/base/call_stack.h"
#include "core/base/clock.h"
#include "core/base/process.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/queue_list.h"

/* How long exit() waits for compilers, in nanoseconds. */
#define COMPILE_PATIENCE UINT64_C(5000000000)

static atomic_bool began;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The thread that waits for drivers that compile. */
static struct {
	pthread_mutex_t lock;
	/* Guards the fields below. */
	pthread_cond_t changed;
	bool over;
	/* Written once, before the thread starts. */
	uint64_t deadline;
} compiling = { .lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER };

static bool find_compiling(dpr_queue *queue, void *user)
{
	dpr_event **found = user;
	size_t i;

	pthread_mutex_lock(&queue->lock);
	for (i = 0; i < queue->tracked.count && !*found; i++)
		if (queue->tracked.list[i]->compiles &&
		    !event_final(queue->tracked.list[i]))
			*found = dpr_event_retain(queue->tracked.list[i]);
	pthread_mutex_unlock(&queue->lock);
	return !*found;
}

/* Find a launch for which the driver may compile and which is not known to be
   over.  Returns its event with a reference, or NULL. */
static dpr_event *compiling_event(void)
{
	dpr_event *found = NULL;

	queue_list_visit(find_compiling, &found);
	return found;
}

/* Wait for a launch until the deadline.  At exit() only the plugin's entries
   `event.status` and `event.wait` may be called. */
static void wait_for_launch(dpr_event *event)
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

static void *wait_for_launches(void *nothing)
{
	dpr_event *event;

	(void)nothing;
	(void)call_stack_go_in();
	while (clock_now() < compiling.deadline && (event = compiling_event()))
		wait_for_launch(event);
	pthread_mutex_lock(&compiling.lock);
	compiling.over = true;
	pthread_cond_signal(&compiling.changed);
	pthread_mutex_unlock(&compiling.lock);
	return NULL;
}

/*
 * Some drivers compile a kernel in a thread of their own when it is launched,
 * and crash if exit() meanwhile destroys what their compiler uses.  OpenBLAS ends
 * its threads in exit(), and may hang there while a routine runs.  Wait for both
 * in a thread, which is abandoned after the deadline.
 */
static void wait_for_compilers(void)
{
	struct timespec at;
	int rc = 0;

	if (!atomic_load_explicit(&began, memory_order_relaxed))
		return;
	if (!compiling.deadline)
		compiling.deadline = clock_deadline(COMPILE_PATIENCE);
	at.tv_sec = (time_t)(compiling.deadline / 1000000000u);
	at.tv_nsec = (long)(compiling.deadline % 1000000000u);
	compiling.over = false;
	if (process_thread(wait_for_launches, NULL))
		return;
	pthread_mutex_lock(&compiling.lock);
	while (!compiling.over && !rc)
		rc = pthread_cond_clockwait(&compiling.changed, &compiling.lock,
					    CLOCK_MONOTONIC, &at);
	pthread_mutex_unlock(&compiling.lock);
}

/* Stop the progress thread first: it calls plugins, too. */
static void at_exit(void)
{
	progress_exit();
	wait_for_compilers();
}

static void add_hook(void)
{
	static struct process_hook hook = { .at_exit = at_exit,
					    .first_thread_ends =
						    wait_for_compilers };

	process_add(&hook);
}

void exit_wait_begin(void)
{
	pthread_once(&once, add_hook);
	atomic_store_explicit(&began, true, memory_order_relaxed);
	process_watch(1);
}
