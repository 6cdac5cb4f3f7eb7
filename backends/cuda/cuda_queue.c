/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_queue.c - queues: each is one or more streams that do not wait for the
   default stream. */
#include "cuda_objects.h"
#include "backends/cuda/calls/cuda_calls.h"

static uint64_t next_id(dprp_instance *instance)
{
	return atomic_fetch_add(&instance->streams, 1) + 1;
}

/* Make a queue without streams. */
static dprp_rc new_queue(dprp_context *context, dprp_device *device,
			 dprp_queue **out)
{
	dprp_instance *instance = context->instance;
	struct cuda_scope *scope;
	dprp_queue *queue;
	dprp_rc rc = cuda_context_scope(context, device, &scope);

	if (rc)
		return rc;
	queue = dprh_alloc(instance->host, 1, sizeof(*queue));
	if (!queue)
		return dprh_no_memory(instance->host, "a queue");
	queue->instance = instance;
	queue->context = context;
	queue->device = device;
	queue->scope = scope;
	*out = queue;
	return DPR_RC_OK;
}

dprp_rc cuda_queue_create(dprp_context *context, dprp_device *device,
			  const dprp_queue_desc *theirs, uint64_t *got,
			  dprp_queue **out)
{
	dprp_instance *instance = context->instance;
	dprp_queue_desc desc;
	dprp_queue *queue;
	uint32_t n, i;
	dprp_rc rc = dprh_take_queue(instance->host, theirs, &desc);

	*out = NULL;
	if (!rc)
		rc = new_queue(context, device, &queue);
	if (rc)
		return rc;
	queue->in_order = !(desc.flags & DPRP_QUEUE_OUT_OF_ORDER);
	queue->profiling = desc.flags & DPRP_QUEUE_PROFILING;
	n = queue->in_order ? 1 : CUDA_MAX_STREAMS;
	for (i = 0; i < n && !rc; i++) {
		rc = cuda_stream_make(queue->scope, desc.priority,
				      &queue->streams[i].cu);
		queue->streams[i].id = next_id(instance);
		queue->n_streams += !rc;
	}
	if (rc) {
		cuda_queue_destroy(queue);
		return rc;
	}
	if (queue->profiling)
		cuda_event_set_clock(queue->scope);
	*got = desc.flags;
	*out = queue;
	return DPR_RC_OK;
}

dprp_rc cuda_queue_over(dprp_context *context, dprp_device *device,
			CUstream stream, bool own, dprp_queue **out)
{
	dprp_rc rc = new_queue(context, device, out);

	if (rc)
		return rc;
	(*out)->in_order = true;
	(*out)->special = stream == CU_STREAM_LEGACY;
	(*out)->foreign = !own || (*out)->special;
	(*out)->n_streams = 1;
	(*out)->streams[0].cu = stream;
	(*out)->streams[0].id = next_id(context->instance);
	return DPR_RC_OK;
}

/* Destroy a queue.  Its work still runs: the driver lets a destroyed stream
   finish. */
void cuda_queue_destroy(dprp_queue *queue)
{
	const struct cuda_api *cu = &queue->instance->cu;
	uint32_t i;
	const bool ours = cuda_context_is_ours(queue->context);

	for (i = 0; i < queue->n_streams && ours; i++) {
		cuda_vendor_forget(queue->scope, &queue->streams[i]);
		if (!queue->foreign)
			cu->cuStreamDestroy(queue->streams[i].cu);
	}
	if (queue->barrier)
		cuda_event_destroy(queue->barrier);
	dprh_free(queue->instance->host, queue);
}

/* Nothing to do: the driver starts the work by itself. */
dprp_rc cuda_queue_flush(dprp_queue *queue)
{
	(void)queue;
	return DPR_RC_OK;
}

/* Wait for one stream through an event, so that a long wait sleeps.  Without an
   event only a setting of the primary context would do that, and the plugin
   must not change it. */
static dprp_rc finish_stream(dprp_queue *queue, CUstream stream)
{
	const struct cuda_api *cu = &queue->instance->cu;
	const char *call = "cuEventRecord";
	dprp_event *event;
	bool entered;
	dprp_rc rc;
	CUstreamCaptureMode mode = cuda_capture_ignore(cu);
	CUresult error = cuda_queue_enter(queue, &entered);

	if (!error)
		error = cu->cuStreamQuery(stream);
	cuda_context_leave(cu, entered);
	cuda_capture_heed(cu, mode);
	/* The driver may refuse to answer while a graph is captured. */
	if (error == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
		error = CUDA_ERROR_NOT_READY;
	if (error != CUDA_ERROR_NOT_READY)
		return cuda_error_check_device(queue->device, error,
					       "cuStreamQuery");
	rc = cuda_event_take(queue->scope, false, &event);
	if (rc)
		return rc;
	error = cuda_queue_enter(queue, &entered);
	if (!error)
		error = cu->cuEventRecord(event->cu, stream);
	cuda_context_leave(cu, entered);
	if (!error) {
		call = "cuEventQuery";
		error = cuda_event_await(cu, event->cu, UINT64_MAX);
	}
	cuda_event_destroy(event);
	return cuda_error_check_device(queue->device, error, call);
}

dprp_rc cuda_queue_finish(dprp_queue *queue)
{
	dprp_rc rc = DPR_RC_OK, one;
	uint32_t i;

	for (i = 0; i < queue->n_streams; i++) {
		one = finish_stream(queue, queue->streams[i].cu);
		if (!rc)
			rc = one;
	}
	return rc;
}
