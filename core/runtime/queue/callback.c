/* SPDX-License-Identifier: Apache-2.0 */
/* callback.c - what can be had of an event beside waiting: times and
   callbacks. */
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/progress.h"

/* Wait for an event whose times are asked for. */
static dpr_status wait_timed(const char *what, dpr_event *event, void *out)
{
	dpr_status status = runtime_check(what);

	if (status)
		return status;
	if (!event || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: the %s is NULL",
			    what, event ? "output" : "event");
	if (event->queue && !event->queue->wrapped &&
	    !(event->queue->flags & DPR_QUEUE_PROFILING))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: %s was made without DPR_QUEUE_PROFILING", what,
			    event->queue->name);
	if (!event_final(event)) {
		status = progress_may_wait(what);
		if (!status)
			status = event_wait_final(event, DPR_FOREVER);
		if (status)
			return status;
	}
	status = event_result(event);
	if (status)
		return status;
	if (event->t_end < event->t_start)
		return fail(
			DPR_ERROR_PLUGIN,
			"%s: event->status of backend %s gave an end of %s "
			"%llu ns before its start",
			what, event->plugin->name, event->name,
			(unsigned long long)(event->t_start - event->t_end));
	if (!event->t_end)
		return fail(
			DPR_ERROR_UNSUPPORTED,
			"%s: the driver keeps no times of %s%s", what,
			event->name,
			event->queue
				? ""
				: "; its queue has to be made with profiling");
	return DPR_OK;
}

dpr_status dpr_event_times(dpr_event *event, dpr_times *out)
{
	TRACE_CALL;
	uint64_t device_ns, host_ns, shift;
	dpr_status status;
	dprp_rc rc;

	status = wait_timed("event times", event, out);
	if (status)
		return status;
	rc = event->plugin->device.clocks(event->device->root->handle,
					  &device_ns, &host_ns);
	if (rc == DPR_RC_UNSUPPORTED)
		return fail(
			DPR_ERROR_UNSUPPORTED,
			"event times: the clock of %s cannot be compared with "
			"the host's; dpr_event_duration() works",
			event->device->selector);
	if (rc)
		return plugin_status(event->plugin, rc, "event times of %s",
				     event->name);
	/* Unsigned, so that a negative difference wraps and comes out right. */
	shift = host_ns - device_ns;
	out->queued = event->t_queued + shift;
	out->submitted = event->t_submit + shift;
	out->started = event->t_start + shift;
	out->ended = event->t_end + shift;
	return DPR_OK;
}

dpr_status dpr_event_duration(dpr_event *event, uint64_t *nanoseconds)
{
	TRACE_CALL;
	dpr_status status = wait_timed("event duration", event, nanoseconds);

	if (status)
		return status;
	*nanoseconds = event->t_end - event->t_start;
	return DPR_OK;
}

dpr_status dpr_event_on_complete(dpr_event *event, dpr_event_callback callback,
				 void *user)
{
	TRACE_CALL;
	struct event_callback *entry;
	dpr_status status;

	status = runtime_check("event callback");
	if (status)
		return status;
	if (!event || !callback)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "event callback: the %s is NULL",
			    event ? "callback" : "event");
	entry = mem_alloc(sizeof(*entry));
	if (!entry)
		return fail_memory("event callback");
	/* The thread first: once the callback is in the list it will run. */
	status = progress_start("event callback");
	if (status) {
		mem_free(entry);
		return status;
	}
	entry->call = callback;
	entry->user = user;
	event_flush(event);
	pthread_mutex_lock(&event->lock);
	*event->callbacks_end = entry;
	event->callbacks_end = &entry->next;
	pthread_mutex_unlock(&event->lock);
	status = progress_watch(event);
	if (!status)
		return DPR_OK;
	/* Nobody looks after it, so nobody else takes it out. */
	pthread_mutex_lock(&event->lock);
	event->callbacks_end = &event->callbacks;
	while (*event->callbacks_end && *event->callbacks_end != entry)
		event->callbacks_end = &(*event->callbacks_end)->next;
	if (*event->callbacks_end)
		*event->callbacks_end = entry->next;
	else
		entry = NULL;
	while (*event->callbacks_end)
		event->callbacks_end = &(*event->callbacks_end)->next;
	pthread_mutex_unlock(&event->lock);
	/* Another thread had it watched, and it is called. */
	if (!entry)
		return DPR_OK;
	mem_free(entry);
	return status;
}

void event_run_callbacks(dpr_event *event)
{
	struct event_callback *entry;

	for (;;) {
		pthread_mutex_lock(&event->lock);
		entry = event->callbacks;
		if (entry) {
			event->callbacks = entry->next;
			if (!event->callbacks)
				event->callbacks_end = &event->callbacks;
		}
		pthread_mutex_unlock(&event->lock);
		if (!entry)
			return;
		failure_tell(event->root);
		entry->call(event, event->status, entry->user);
		mem_free(entry);
	}
}
