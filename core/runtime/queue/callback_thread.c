/* SPDX-License-Identifier: Apache-2.0 */
/* callback_thread.c - the thread that runs the callbacks of events. */
#include "core/runtime/queue/callback_thread.h"

#include <dpr/base.h>

#include "core/runtime/queue/reap.h"
#include "core/base/worker.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the list below, of references, and its links in the events. */
static dpr_event *events, **events_end = &events;

static dpr_event *take_event(void)
{
	dpr_event *event;

	pthread_mutex_lock(&lock);
	event = events;
	if (event) {
		events = event->called_next;
		if (!events)
			events_end = &events;
		event->is_called = false;
	}
	pthread_mutex_unlock(&lock);
	return event;
}

static uint64_t run_next(void)
{
	dpr_event *event = take_event();

	if (!event)
		return DPR_FOREVER;
	reap_not_here();
	event_run_callbacks(event);
	dpr_event_release(event);
	/* A callback may have released something. */
	reap_wake();
	return 0;
}

static struct worker worker = WORKER_INIT(run_next);

int callback_thread_start(void)
{
	return worker_start(&worker);
}

void callback_thread_add(dpr_event *event)
{
	bool there;

	pthread_mutex_lock(&lock);
	there = event->is_called;
	if (!there) {
		event->is_called = true;
		event->called_next = NULL;
		*events_end = dpr_event_retain(event);
		events_end = &event->called_next;
	}
	pthread_mutex_unlock(&lock);
	/* The thread was started before the first callback was added. */
	(void)worker_wake(&worker);
}

void callback_thread_drain(void)
{
	worker_drain(&worker);
}

void callback_thread_stop(uint64_t deadline)
{
	worker_stop(&worker, deadline);
}
