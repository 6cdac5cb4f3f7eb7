/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_native.c - native handles: giving out the driver's handles, and wrapping
   handles of the program. */
#include "cuda_programs.h"

static dprp_rc get_queue(const dprp_queue *queue, uintptr_t *out)
{
	if (queue->n_streams > 1)
		return dprh_fail(
			queue->instance->host, DPR_RC_UNSUPPORTED, 0,
			"an out-of-order queue is several streams and has no "
			"native handle; an in-order queue has one");
	*out = (uintptr_t)queue->streams[0].cu;
	return DPR_RC_OK;
}

dprp_rc cuda_native_get(dprp_instance *instance, uint32_t what, void *handle,
			uint32_t type, uintptr_t *out)
{
	if (type)
		return dprh_no_native(instance->host, what, type);
	switch (what) {
	case DPRP_NATIVE_DEVICE:
		*out = (uintptr_t)((const dprp_device *)handle)->id;
		return DPR_RC_OK;
	case DPRP_NATIVE_CONTEXT:
		*out = (uintptr_t)((const dprp_context *)handle)->scope.cu;
		return DPR_RC_OK;
	case DPRP_NATIVE_QUEUE: return get_queue(handle, out);
	case DPRP_NATIVE_EVENT:
		*out = (uintptr_t)((const dprp_event *)handle)->cu;
		return DPR_RC_OK;
	case DPRP_NATIVE_MEMORY:
		*out = (uintptr_t)((const dprp_mem *)handle)->address;
		return DPR_RC_OK;
	case DPRP_NATIVE_PROGRAM: return cuda_module_native(handle, out);
	case DPRP_NATIVE_KERNEL: return cuda_kernel_native(handle, out);
	default: return dprh_no_native(instance->host, what, type);
	}
}

/* Check a stream.  If it is capturing a graph, new work would go into the
   graph, and a wait for the work would never end.  The context must be
   current. */
static CUresult ask_stream(const struct cuda_api *cu, CUstream stream,
			   CUcontext *owner, bool *captures)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUresult error = cu->cuStreamGetCtx(stream, owner);

	if (!error)
		error = cu->cuStreamIsCapturing(stream, &status);
	/* This is the default stream, and another stream is capturing. */
	*captures = error == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
		    status != CU_STREAM_CAPTURE_STATUS_NONE;
	return *captures ? CUDA_SUCCESS : error;
}

static dprp_rc wrap_queue(dprp_context *context, dprp_device *device,
			  uintptr_t in, bool own, dprp_queue **out)
{
	dprp_instance *instance = context->instance;
	const struct cuda_api *cu = &instance->cu;
	CUstream stream = (CUstream)in;
	struct cuda_scope *scope;
	CUcontext owner = NULL;
	CUresult error;
	bool entered, captures = false;
	dprp_rc rc;

	if (stream == CU_STREAM_PER_THREAD)
		return dprh_fail(
			instance->host, DPR_RC_INVALID, 0,
			"CU_STREAM_PER_THREAD is a different stream on each "
			"thread: give a stream of your own or "
			"CU_STREAM_LEGACY");
	rc = cuda_context_scope(context, device, &scope);
	if (rc)
		return rc;
	/* CU_STREAM_LEGACY belongs to the current context. */
	error = cuda_context_enter(cu, context->scope.cu, &entered);
	if (!error)
		error = ask_stream(cu, stream, &owner, &captures);
	cuda_context_leave(cu, entered);
	if (captures)
		return dprh_fail(
			instance->host, DPR_RC_INVALID, 0,
			"the stream is capturing a graph: wrap it after "
			"cuStreamEndCapture, or wrap another stream");
	if (error || owner != scope->cu)
		return dprh_fail(instance->host, DPR_RC_INVALID, error,
				 "the stream does not belong to the "
				 "context of %s",
				 device->name);
	return cuda_queue_over(context, device, stream, own, out);
}

static dprp_rc wrap_event(dprp_context *context, uintptr_t in, bool own,
			  dprp_event **out)
{
	dprp_instance *instance = context->instance;
	CUstreamCaptureMode mode = cuda_capture_ignore(&instance->cu);
	CUresult error = instance->cu.cuEventQuery((CUevent)in);

	cuda_capture_heed(&instance->cu, mode);
	if (error && error != CUDA_ERROR_NOT_READY)
		return dprh_fail(instance->host, DPR_RC_INVALID, error,
				 "cuEventQuery: %s",
				 cuda_error_name(instance, error));
	return cuda_event_over(context, (CUevent)in, own, out);
}

dprp_rc cuda_native_wrap(dprp_instance *instance, uint32_t what,
			 dprp_context *parent, dprp_device *device,
			 uintptr_t in, uint64_t size, uint32_t own,
			 uint64_t *flags, void **out)
{
	dprp_queue *queue;
	dprp_event *event;
	dprp_mem *mem;
	dprp_rc rc;

	*flags = 0;
	switch (what) {
	case DPRP_NATIVE_QUEUE:
		rc = wrap_queue(parent, device, in, own, &queue);
		*out = rc ? NULL : (void *)queue;
		return rc;
	case DPRP_NATIVE_EVENT:
		rc = wrap_event(parent, in, own, &event);
		*out = rc ? NULL : (void *)event;
		return rc;
	case DPRP_NATIVE_MEMORY:
		rc = cuda_mem_over(parent, in, size, own, &mem);
		*out = rc ? NULL : (void *)mem;
		return rc;
	default:
		return dprh_fail(
			instance->host, DPR_RC_UNSUPPORTED, 0,
			"only streams, events and memory can be wrapped");
	}
}
