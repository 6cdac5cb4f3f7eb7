/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_submit.c - one submission: its stream, what it waits for, its event;
   barriers. */
#include "cuda_objects.h"

static CUresult wait_for(dprp_queue *queue, struct cuda_stream *stream,
			 const dprp_event *event)
{
	/* Work on the same stream is ordered already. */
	if (event->stream == stream->id)
		return CUDA_SUCCESS;
	return queue->instance->cu.cuStreamWaitEvent(stream->cu, event->cu,
						     CU_EVENT_WAIT_DEFAULT);
}

/* Choose the stream of a submission: the stream of a dependency, or the next
   stream in turn. */
static struct cuda_stream *choose_stream(dprp_queue *queue,
					 const dprp_deps *deps)
{
	uint32_t i, n = deps ? deps->count : 0;

	if (queue->n_streams == 1)
		return &queue->streams[0];
	for (i = 0; n && i < queue->n_streams; i++)
		if (queue->streams[i].id == deps->events[n - 1]->stream)
			return &queue->streams[i];
	queue->next = (queue->next + 1) % queue->n_streams;
	return &queue->streams[queue->next];
}

static CUresult wait_for_all(dprp_queue *queue, struct cuda_stream *stream,
			     const dprp_deps *deps)
{
	CUresult error = CUDA_SUCCESS;
	uint32_t i;

	if (stream->seen != queue->barriers) {
		error = wait_for(queue, stream, queue->barrier);
		if (error)
			return error;
		stream->seen = queue->barriers;
	}
	for (i = 0; deps && i < deps->count && !error; i++)
		error = wait_for(queue, stream, deps->events[i]);
	return error;
}

/* The error that the stream's own context has, or CUDA_SUCCESS. */
static CUresult own_fault(const struct cuda_api *cu, CUstream stream)
{
	CUstreamCaptureMode mode = cuda_capture_ignore(cu);
	CUresult error = cu->cuStreamQuery(stream);

	cuda_capture_heed(cu, mode);
	return cuda_error_rc(error) == DPR_RC_DEVICE_LOST ? error
							  : CUDA_SUCCESS;
}

/* Report a failed wait.  The fault is in the stream's context, or in that of an
   event, which may belong to another device. */
static dprp_rc explain_wait(dprp_queue *queue, const struct cuda_stream *stream,
			    const dprp_deps *deps, CUresult error)
{
	bool fault = cuda_error_rc(error) == DPR_RC_DEVICE_LOST &&
		     !own_fault(&queue->instance->cu, stream->cu);
	uint32_t i;

	for (i = 0; fault && deps && i < deps->count; i++)
		if (deps->events[i]->scope->context != queue->context)
			return dprh_fail(
				queue->instance->host, DPR_RC_DEP_FAILED, error,
				"cuStreamWaitEvent: %s on %s",
				cuda_error_name(queue->instance, error),
				deps->events[i]->scope->device->name);
	return cuda_error_check_device(queue->device, error,
				       "cuStreamWaitEvent");
}

/* Take an event.  If it has times, record the start of the work. */
static dprp_rc take_event(struct cuda_submit *submit)
{
	dprp_queue *queue = submit->queue;
	const struct cuda_api *cu = &queue->instance->cu;
	CUresult error;
	dprp_rc rc =
		cuda_event_take(queue->scope, queue->profiling, &submit->event);

	if (rc)
		return rc;
	submit->event->stream = submit->stream->id;
	if (!queue->profiling)
		return DPR_RC_OK;
	error = cu->cuEventRecord(submit->event->start, submit->stream->cu);
	if (!error)
		return DPR_RC_OK;
	cuda_event_destroy(submit->event);
	return cuda_error_check_device(queue->device, error, "cuEventRecord");
}

/* Let the stream wait for @deps and earlier barriers, and take an event if one
   is wanted.  The queue's context must be current if the stream needs that. */
static dprp_rc prepare(struct cuda_submit *submit, const dprp_deps *deps)
{
	CUresult error = wait_for_all(submit->queue, submit->stream, deps);

	if (error)
		return explain_wait(submit->queue, submit->stream, deps, error);
	return submit->out ? take_event(submit) : DPR_RC_OK;
}

dprp_rc cuda_submit_begin(struct cuda_submit *submit, dprp_queue *queue,
			  const dprp_deps *theirs, dprp_event **event)
{
	dprp_deps deps;
	CUresult error;
	dprp_rc rc;

	submit->queue = queue;
	submit->event = NULL;
	submit->out = event;
	if (event)
		*event = NULL;
	if (theirs) {
		rc = dprh_take_deps(queue->instance->host, theirs, &deps);
		if (rc)
			return rc;
		theirs = &deps;
	}
	submit->stream = choose_stream(queue, theirs);
	error = cuda_queue_enter(queue, &submit->entered);
	rc = error ? cuda_error_check_device(queue->device, error,
					     "cuCtxPushCurrent")
		   : prepare(submit, theirs);
	if (rc)
		cuda_context_leave(&queue->instance->cu, submit->entered);
	return rc;
}

dprp_rc cuda_submit_end(struct cuda_submit *submit, CUresult error,
			const char *call)
{
	dprp_queue *queue = submit->queue;
	const struct cuda_api *cu = &queue->instance->cu;

	submit->stream->used = true;
	if (!error && submit->event) {
		call = "cuEventRecord";
		error = cu->cuEventRecord(submit->event->cu,
					  submit->stream->cu);
		/* The command is in the stream, but its submission fails: it
		   must not use memory that the core takes for unused. */
		if (error)
			cuda_stream_settle(cu, submit->stream->cu);
	}
	cuda_context_leave(cu, submit->entered);
	if (!error) {
		if (submit->out)
			*submit->out = submit->event;
		return DPR_RC_OK;
	}
	if (submit->event)
		cuda_event_destroy(submit->event);
	return cuda_error_check_device(queue->device, error, call);
}

void cuda_submit_drop(struct cuda_submit *submit)
{
	/* Waits may have been submitted to the stream. */
	submit->stream->used = true;
	if (submit->event)
		cuda_event_destroy(submit->event);
	cuda_context_leave(&submit->queue->instance->cu, submit->entered);
}

/* Let @stream wait for all work of the other streams. */
static dprp_rc join_streams(dprp_queue *queue, struct cuda_stream *stream)
{
	const struct cuda_api *cu = &queue->instance->cu;
	CUresult error = CUDA_SUCCESS;
	struct cuda_stream *other;
	dprp_event *event;
	uint32_t i;
	dprp_rc rc;

	for (i = 0; i < queue->n_streams && !error; i++) {
		other = &queue->streams[i];
		if (other == stream || !other->used)
			continue;
		rc = cuda_event_take(queue->scope, false, &event);
		if (rc)
			return rc;
		error = cu->cuEventRecord(event->cu, other->cu);
		if (!error)
			error = cu->cuStreamWaitEvent(stream->cu, event->cu,
						      CU_EVENT_WAIT_DEFAULT);
		/* The stream waits for this record, even if the event is
		   recorded again. */
		cuda_event_destroy(event);
	}
	return cuda_error_check_device(queue->device, error, "a barrier");
}

/* Let all streams of an out-of-order queue wait for the work that @stream has
   now.  @joined: @stream's work includes, or waits for, all earlier work. */
static dprp_rc start_epoch(dprp_queue *queue, struct cuda_stream *stream,
			   bool joined)
{
	dprp_rc rc = DPR_RC_OK;
	uint32_t i;

	if (!queue->barrier)
		rc = cuda_event_take(queue->scope, false, &queue->barrier);
	if (!rc)
		rc = CUDA_TRY_ON(queue->device, cuEventRecord,
				 queue->barrier->cu, stream->cu);
	if (rc)
		return rc;
	queue->barrier->stream = stream->id;
	stream->seen = ++queue->barriers;
	for (i = 0; i < queue->n_streams && joined; i++)
		queue->streams[i].used = false;
	return DPR_RC_OK;
}

dprp_rc cuda_submit_barrier(dprp_queue *queue, const dprp_deps *deps,
			    dprp_event **event)
{
	bool all = !deps || !deps->count;
	struct cuda_submit s;
	dprp_rc rc = cuda_submit_begin(&s, queue, deps, event);

	if (rc)
		return rc;
	if (queue->n_streams > 1 && all)
		rc = join_streams(queue, s.stream);
	if (queue->n_streams > 1 && !rc)
		rc = start_epoch(queue, s.stream, all);
	if (!rc)
		return cuda_submit_end(&s, CUDA_SUCCESS, "a barrier");
	cuda_submit_drop(&s);
	return rc;
}
