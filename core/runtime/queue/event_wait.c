/* SPDX-License-Identifier: Apache-2.0 */
/* event_wait.c - waiting for events. */
#include "core/runtime/queue/event_wait.h"

#include <time.h>

#include "core/base/clock.h"
#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/reap.h"
#include "core/runtime/queue/tickets.h"

static uint64_t time_left(uint64_t deadline)
{
	uint64_t now;

	if (deadline == DPR_FOREVER)
		return DPR_FOREVER;
	now = clock_now();
	return now < deadline ? deadline - now : 0;
}

static dpr_status fail_timeout(const dpr_event *event)
{
	return fail(DPR_ERROR_TIMEOUT, "event wait: %s on %s is not done yet",
		    event->name, event_place(event));
}

static dpr_status wait_until_final(dpr_event *event, uint64_t deadline,
				   struct progress_wait **wait)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	enum dpr_event_state state;
	dprp_event *handle;
	uint64_t left;
	dprp_rc rc;

	for (;;) {
		state = event_poll(event);
		if (state >= DPR_EVENT_COMPLETE) {
			if (trace_on())
				atomic_store_explicit(&trace_due, 1,
						      memory_order_relaxed);
			return DPR_OK;
		}
		left = time_left(deadline);
		if (!left) {
			event_flush(event);
			return fail_timeout(event);
		}
		if (!*wait)
			*wait = progress_wait_begin(event->name,
						    event_place(event));
		if (state == DPR_EVENT_HELD) {
			if (!event_sleep_while_held(event, deadline))
				return fail_timeout(event);
			continue;
		}
		event_flush(event);
		handle = atomic_load_explicit(&event->handle,
					      memory_order_acquire);
		rc = event->plugin->event.wait(&handle, 1, left);
		/* The driver cannot wait, or its status lags behind.  Poll
		   until the event is final: the caller may free the work's
		   memory after this. */
		if (rc != DPR_RC_TIMEOUT &&
		    event_poll(event) < DPR_EVENT_COMPLETE)
			nanosleep(&pause, NULL);
	}
}

dpr_status event_wait_final(dpr_event *event, uint64_t deadline)
{
	struct progress_wait *wait = NULL;
	dpr_status status = wait_until_final(event, deadline, &wait);

	progress_wait_end(wait);
	/* Have the guards of a launch looked at before the program goes on. */
	if (!status && event->device->has_guards && event->queue &&
	    queue_visit(event->queue)) {
		tickets_poll(event->queue);
		queue_leave(event->queue);
	}
	return status;
}

/* The checks of a public function that waits. */
static dpr_status check_wait(const char *what, uint64_t nanoseconds)
{
	dpr_status status = process_check(what);

	if (status || !nanoseconds)
		return status;
	return progress_may_wait(what);
}

dpr_status dpr_event_wait(const dpr_event *event)
{
	TRACE_CALL;
	HANDLES(event);

	return dpr_event_wait_for(event, DPR_FOREVER);
}

dpr_status dpr_event_wait_for(const dpr_event *event, uint64_t nanoseconds)
{
	TRACE_CALL;
	HANDLES(event);
	dpr_status status = check_wait("event wait", nanoseconds);

	if (status || !event)
		return status;
	status = event_wait_final(event_asked(event),
				  clock_deadline(nanoseconds));
	if (status)
		return status;
	reap_after(nanoseconds);
	return event_result(event_asked(event));
}

dpr_status dpr_events_wait(const dpr_events *events)
{
	TRACE_CALL;
	HANDLES(events);

	return dpr_events_wait_for(events, DPR_FOREVER);
}

dpr_status dpr_events_wait_for(const dpr_events *events, uint64_t nanoseconds)
{
	TRACE_CALL;
	HANDLES(events);
	dpr_status status = check_wait("events wait", nanoseconds);
	uint64_t deadline = clock_deadline(nanoseconds);
	dpr_status first = DPR_OK;
	size_t i;

	if (status)
		return status;
	if (!events)
		return DPR_OK;
	if (events->count && !events->list)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "events wait: the list is NULL");
	for (i = 0; i < events->count; i++)
		if (events->list[i])
			event_flush(events->list[i]);
	for (i = 0; i < events->count; i++) {
		if (!events->list[i])
			continue;
		status = event_wait_final(events->list[i], deadline);
		if (status)
			return status;
	}
	/* Reap first, so that the last error is that of the returned status. */
	reap_after(nanoseconds);
	for (i = 0; i < events->count; i++) {
		if (!events->list[i] ||
		    event_state(events->list[i]) != DPR_EVENT_FAILED)
			continue;
		/* All failures count as checked; the first one is returned. */
		if (!first)
			first = event_result(events->list[i]);
		else
			failure_tell(events->list[i]->root);
	}
	return first;
}
