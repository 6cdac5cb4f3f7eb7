/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_event.c - events: each refers to the moment at which it was last
   recorded. */
#include "cumock_impl.h"

/* Get the event of a handle.  An error if its context has failed. */
static struct event *get_event(CUevent handle, CUresult *error)
{
	struct event *event = cumock_handle_get(handle, MAGIC_EVENT, error);

	if (event)
		*error = cumock_handle_state(&event->handle);
	return *error ? NULL : event;
}

CUresult cumock_cuEventCreate(CUevent *out, unsigned flags)
{
	CUresult error = cumock_begin(CUMOCK_cuEventCreate);
	struct context *context = cumock_context_current(&error);
	struct event *event = NULL;

	if (!error && flags & ~7u)
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error) {
		event = cumock_handle_new(sizeof(*event), MAGIC_EVENT, context);
		error = event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (event) {
		event->flags = flags;
		*out = (CUevent)event;
	}
	return cumock_end(error);
}

CUresult cumock_cuEventDestroy(CUevent handle)
{
	CUresult error = cumock_begin(CUMOCK_cuEventDestroy);
	struct event *event = cumock_handle_get(handle, MAGIC_EVENT, &error);

	if (!event)
		return cumock_end(error);
	cumock_handle_end(event);
	cumock_stream_drop_moment(event->moment);
	event->moment = NULL;
	return cumock_end(cumock_handle_state(&event->handle));
}

CUresult cumock_cuEventRecord(CUevent handle, CUstream stream_handle)
{
	CUresult error = cumock_begin(CUMOCK_cuEventRecord);
	struct event *event = get_event(handle, &error);
	struct stream *stream = cumock_stream_get(stream_handle, &error);
	struct operation *op;

	/* The event may be of the primary context and the stream of a part, or
	   the other way round. */
	if (stream &&
	    event->handle.context->device != stream->handle.context->device)
		error = cumock_misuse(CUDA_ERROR_INVALID_HANDLE,
				      "the event is of another device's "
				      "context than the stream");
	if (error)
		return cumock_end(error);
	op = cumock_stream_add(stream);
	if (!op)
		return cumock_end(CUDA_ERROR_OUT_OF_MEMORY);
	/* Operations that wait for the old moment keep it. */
	cumock_stream_drop_moment(event->moment);
	event->moment = op->moment;
	op->moment->refs++;
	return cumock_end(CUDA_SUCCESS);
}

CUresult cumock_cuEventQuery(CUevent handle)
{
	CUresult error = cumock_begin(CUMOCK_cuEventQuery);
	struct event *event = get_event(handle, &error);

	if (event && event->moment) {
		error = event->moment->error;
		if (!event->moment->done)
			error = CUDA_ERROR_NOT_READY;
	}
	return cumock_end(error);
}

CUresult cumock_cuEventSynchronize(CUevent handle)
{
	CUresult error = cumock_begin(CUMOCK_cuEventSynchronize);
	struct event *event = get_event(handle, &error);

	if (event)
		error = cumock_stream_await(event->moment);
	if (event && !error)
		error = cumock_handle_state(&event->handle);
	return cumock_end(error);
}

CUresult cumock_cuEventElapsedTime(float *out, CUevent start_handle,
				   CUevent end_handle)
{
	CUresult error = cumock_begin(CUMOCK_cuEventElapsedTime);
	struct event *start = get_event(start_handle, &error);
	struct event *end = get_event(end_handle, &error);
	int64_t ns;

	if (error)
		return cumock_end(error);
	if (start->handle.context->device != end->handle.context->device ||
	    !start->moment || !end->moment ||
	    (start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) {
		error = cumock_misuse(CUDA_ERROR_INVALID_HANDLE,
				      "events of two devices, without times, "
				      "or never recorded");
	} else if (!start->moment->done || !end->moment->done) {
		error = CUDA_ERROR_NOT_READY;
	} else {
		ns = (int64_t)(end->moment->ns - start->moment->ns);
		*out = (float)((double)ns / 1e6 *
			       (1 + cumock_settings.drift / 1e6));
	}
	return cumock_end(error);
}

CUresult cumock_cuStreamWaitEvent(CUstream stream_handle, CUevent handle,
				  unsigned flags)
{
	CUresult error = cumock_begin(CUMOCK_cuStreamWaitEvent);
	struct event *event = get_event(handle, &error);
	struct stream *stream = cumock_stream_get(stream_handle, &error);
	struct operation *op;

	if (error || flags > 1)
		return cumock_end(error ? error : CUDA_ERROR_INVALID_VALUE);
	/* If the event was never recorded or is over, there is nothing to wait
	   for. */
	if (!event->moment || event->moment->done)
		return cumock_end(CUDA_SUCCESS);
	op = cumock_stream_add(stream);
	if (!op || !cumock_stream_after(op, event->moment))
		error = CUDA_ERROR_OUT_OF_MEMORY;
	return cumock_end(error);
}
