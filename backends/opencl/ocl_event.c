/* SPDX-License-Identifier: Apache-2.0 */
/* Events: status, times, waiting with a limit, callbacks. */
#include <string.h>
#include <time.h>

#include "ocl.h"

dprp_event *ocl_event_new(dprp_instance *instance, cl_context context,
			  dprp_queue *queue)
{
	dprp_event *event = dprh_alloc(instance->host, 1, sizeof(*event));

	if (!event)
		return NULL;
	event->instance = instance;
	event->context = context;
	event->queue = queue;
	atomic_init(&event->flushed, false);
	if (queue) {
		atomic_fetch_add(&queue->refs, 1);
		event->profiling = queue->profiling;
	}
	return event;
}

void ocl_event_destroy(dprp_event *event)
{
	if (!event)
		return;
	if (event->cl)
		event->instance->cl.clReleaseEvent(event->cl);
	if (event->begin)
		event->instance->cl.clReleaseEvent(event->begin);
	ocl_queue_unref(event->queue);
	dprh_free(event->instance->host, event);
}

void ocl_event_flush(dprp_event *event)
{
	if (event->queue && !atomic_exchange(&event->flushed, true))
		event->instance->cl.clFlush(event->queue->cl);
}

/* The kind of the event's command, for messages. */
static const char *ocl_event_command(dprp_event *event)
{
	cl_command_type type = 0;

	event->instance->cl.clGetEventInfo(event->cl, CL_EVENT_COMMAND_TYPE,
					   sizeof(type), &type, NULL);
	switch (type) {
	case CL_COMMAND_NDRANGE_KERNEL:
	case CL_COMMAND_NATIVE_KERNEL: return "a kernel";
	case CL_COMMAND_READ_BUFFER: return "a read";
	case CL_COMMAND_WRITE_BUFFER: return "a write";
	case CL_COMMAND_COPY_BUFFER:
	case CL_COMMAND_COPY_BUFFER_RECT:
	case CL_COMMAND_SVM_MEMCPY:
	case CL_COMMAND_MEMCPY_INTEL: return "a copy";
	case CL_COMMAND_FILL_BUFFER:
	case CL_COMMAND_SVM_MEMFILL:
	case CL_COMMAND_MEMFILL_INTEL: return "a fill";
	case CL_COMMAND_MIGRATE_MEM_OBJECTS:
	case CL_COMMAND_SVM_MIGRATE_MEM:
	case CL_COMMAND_MIGRATEMEM_INTEL: return "a prefetch";
	case CL_COMMAND_MARKER:
	case CL_COMMAND_BARRIER: return "a barrier, or what it waits for,";
	default: return "a command";
	}
}

static void ocl_event_explain(dprp_event *event, cl_int code, dprp_sink text)
{
	const char *parts[] = { ocl_event_command(event), " failed with ",
				ocl_error_name(code) };
	char digits[16];
	unsigned left = 0u - (unsigned)code;
	size_t i, at = sizeof(digits);

	if (!text.write)
		return;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		text.write(text.user, parts[i], strlen(parts[i]));
	digits[--at] = ')';
	do
		digits[--at] = (char)('0' + left % 10);
	while ((left /= 10) && at > 3);
	digits[--at] = '-';
	digits[--at] = '(';
	digits[--at] = ' ';
	text.write(text.user, digits + at, sizeof(digits) - at);
}

/* Get a time: queued, submit, start or end. */
static cl_int ocl_event_time(dprp_event *event, size_t i, cl_ulong *time)
{
	/* The keys are consecutive numbers in this order. */
	cl_profiling_info key =
		CL_PROFILING_COMMAND_QUEUED + (cl_profiling_info)i;
	cl_event of = event->cl;

	if (event->begin && key != CL_PROFILING_COMMAND_END)
		of = event->begin;
	if (event->begin && key == CL_PROFILING_COMMAND_START)
		key = CL_PROFILING_COMMAND_END;
	return event->instance->cl.clGetEventProfilingInfo(
		of, key, sizeof(*time), time, NULL);
}

static dprp_rc ocl_event_times(dprp_event *event, dprp_event_state *state)
{
	cl_ulong times[4];
	size_t i;

	for (i = 0; i < 4; i++) {
		cl_int err = ocl_event_time(event, i, &times[i]);

		if (err == CL_PROFILING_INFO_NOT_AVAILABLE)
			return DPR_RC_OK;
		if (err)
			return ocl_error_check(event->instance->host, err,
					       "clGetEventProfilingInfo");
	}
	state->t_queued = times[0];
	state->t_submit = times[1];
	state->t_start = times[2];
	state->t_end = times[3];
	return DPR_RC_OK;
}

dprp_rc ocl_event_status(dprp_event *event, dprp_event_state *state,
			 dprp_sink text)
{
	dprp_event_state now = { .struct_size = sizeof(now) };
	cl_int status = CL_QUEUED;
	dprp_rc rc = OCL_TRY(event->instance, clGetEventInfo, event->cl,
			     CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
			     &status, NULL);

	if (rc != DPR_RC_OK)
		return rc;
	if (status < 0) {
		now.state = DPRP_EVENT_FAILED;
		now.rc = ocl_error_rc(status);
		now.native = status;
		if (event->queue)
			ocl_error_lost(event->queue, status);
		ocl_event_explain(event, status, text);
	} else if (status == CL_COMPLETE) {
		now.state = DPRP_EVENT_DONE;
		if (event->profiling)
			rc = ocl_event_times(event, &now);
	} else {
		now.state = status == CL_RUNNING     ? DPRP_EVENT_RUNNING
			    : status == CL_SUBMITTED ? DPRP_EVENT_SUBMITTED
						     : DPRP_EVENT_QUEUED;
		/* Flush, so that a caller who only polls sees the end. */
		ocl_event_flush(event);
	}
	dprh_give(state, &now, sizeof(now));
	return rc;
}

/* Returns 1 if the event has completed or failed, 0 if not, or a negative
   OpenCL error. */
static cl_int ocl_event_over(dprp_event *event)
{
	cl_int status = CL_QUEUED;
	cl_int err = event->instance->cl.clGetEventInfo(
		event->cl, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
		&status, NULL);

	return err ? err : status <= CL_COMPLETE;
}

/* Wait with a time limit, which OpenCL cannot do.  Polling again after a tenth
   of the time that has passed finds the end at most 10 % late, and costs very
   little. */
static dprp_rc ocl_event_poll(dprp_event *event, uint64_t start,
			      uint64_t timeout_ns)
{
	for (;;) {
		cl_int over = ocl_event_over(event);
		uint64_t passed = dprh_now() - start, nap = passed / 10;
		struct timespec ts = { 0 };

		if (over < 0)
			return ocl_error_check(event->instance->host, over,
					       "clGetEventInfo");
		if (over)
			return DPR_RC_OK;
		if (passed >= timeout_ns)
			return DPR_RC_TIMEOUT;
		if (nap < 2000)
			nap = 2000;
		if (nap > 1000000)
			nap = 1000000;
		if (nap > timeout_ns - passed)
			nap = timeout_ns - passed;
		ts.tv_nsec = (long)nap;
		nanosleep(&ts, NULL);
	}
}

dprp_rc ocl_event_wait(dprp_event *const *events, uint32_t n,
		       uint64_t timeout_ns)
{
	uint64_t start = dprh_now();
	dprp_rc rc = DPR_RC_OK;
	cl_int err;
	uint32_t i;

	for (i = 0; i < n; i++)
		ocl_event_flush(events[i]);
	/* Wait for the events one after the other: they may belong to several
	   contexts, and a common wait would end when one event fails, before
	   the others are over. */
	for (i = 0; i < n && rc == DPR_RC_OK; i++) {
		if (timeout_ns != UINT64_MAX) {
			rc = ocl_event_poll(events[i], start, timeout_ns);
			continue;
		}
		err = events[i]->instance->cl.clWaitForEvents(1,
							      &events[i]->cl);
		if (err &&
		    err != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST &&
		    ocl_event_over(events[i]) != 1)
			rc = ocl_error_check(events[i]->instance->host, err,
					     "clWaitForEvents");
	}
	if (rc == DPR_RC_TIMEOUT)
		dprh_fail(events[0]->instance->host, rc, 0,
			  "the event did not complete within %llu ns",
			  (unsigned long long)timeout_ns);
	return rc;
}

/* Data for the driver's callback. */
struct ocl_notice {
	const dprp_host *host;
	uint64_t token;
};

static void CL_CALLBACK ocl_event_called(cl_event cl, cl_int status, void *data)
{
	struct ocl_notice *notice = data;
	const dprp_host *host = notice->host;
	uint64_t token = notice->token;

	(void)cl;
	dprh_free(host, notice);
	host->event_done(host->self, token,
			 status < 0 ? ocl_error_rc(status) : DPR_RC_OK);
}

dprp_rc ocl_event_notify(dprp_event *event, uint64_t token)
{
	const dprp_host *host = event->instance->host;
	struct ocl_notice *notice = dprh_alloc(host, 1, sizeof(*notice));
	dprp_rc rc;

	if (!notice)
		return dprh_no_memory(host, "a notice");
	notice->host = host;
	notice->token = token;
	rc = OCL_TRY(event->instance, clSetEventCallback, event->cl,
		     CL_COMPLETE, ocl_event_called, notice);
	if (rc != DPR_RC_OK)
		dprh_free(host, notice);
	else
		ocl_event_flush(event);
	return rc;
}
