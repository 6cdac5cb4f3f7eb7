/* SPDX-License-Identifier: Apache-2.0 */
/* event_times.c - when a submission ran, by the driver's clock. */
#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/event_wait.h"
#include "core/runtime/queue/progress.h"

/* Check the arguments, then wait until @event is complete and its times are
   known. */
static dpr_status wait_for_times(const char *what, const dpr_event *event,
				 void *out)
{
	dpr_status status = process_check(what);

	if (status)
		return status;
	if (!event || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: the %s is NULL",
			    what, event ? "output" : "event");
	if (event->queue && !(event->queue->flags & DPR_QUEUE_PROFILING))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: %s was made without DPR_QUEUE_PROFILING", what,
			    event->queue->name);
	if (!event_final(event)) {
		status = progress_may_wait(what);
		if (!status)
			status = event_wait_final(event_asked(event),
						  DPR_FOREVER);
		if (status)
			return status;
	}
	status = event_result(event_asked(event));
	if (status)
		return status;
	if (event->t_end < event->t_start)
		return fail(
			DPR_ERROR_PLUGIN,
			"%s: event->status of backend %s says that %s ended "
			"%llu ns before it started" PLUGIN_AGAINST("N2"),
			what, event->plugin->name, event->name,
			(unsigned long long)(event->t_start - event->t_end));
	if (!event->t_end)
		return fail(
			DPR_ERROR_UNSUPPORTED,
			"%s: the driver has recorded no times for %s%s", what,
			event->name,
			event->queue
				? ""
				: "; its queue must be created with profiling");
	return DPR_OK;
}

dpr_status dpr_event_times(const dpr_event *event, dpr_times *out)
{
	TRACE_CALL;
	HANDLES(event);
	uint64_t device_ns, host_ns, shift;
	dpr_status status;
	dprp_rc rc;

	if (out)
		*out = (dpr_times){ 0 };
	status = wait_for_times("event times", event, out);
	if (status)
		return status;
	rc = event->plugin->device.clocks(event->device->root->handle,
					  &device_ns, &host_ns);
	rc = plugin_checked(event->plugin, "device->clocks", rc);
	if (rc == DPR_RC_UNSUPPORTED)
		return fail(
			DPR_ERROR_UNSUPPORTED,
			"event times: the clock of %s cannot be compared with "
			"the host's; dpr_event_device_times() and "
			"dpr_event_duration() still work",
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

dpr_status dpr_event_device_times(const dpr_event *event, dpr_times *out)
{
	TRACE_CALL;
	HANDLES(event);
	dpr_status status = wait_for_times("event device times", event, out);

	if (status)
		return status;
	out->queued = event->t_queued;
	out->submitted = event->t_submit;
	out->started = event->t_start;
	out->ended = event->t_end;
	return DPR_OK;
}

dpr_status dpr_event_duration(const dpr_event *event, uint64_t *nanoseconds)
{
	TRACE_CALL;
	HANDLES(event);
	dpr_status status;

	if (nanoseconds)
		*nanoseconds = 0;
	status = wait_for_times("event duration", event, nanoseconds);
	if (status)
		return status;
	*nanoseconds = event->t_end - event->t_start;
	return DPR_OK;
}
