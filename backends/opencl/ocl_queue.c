/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: making and destroying them, and waiting for all their work. */
#include <string.h>

#include "ocl.h"

static bool ocl_queue_in_order(const dprp_instance *instance,
			       cl_command_queue cl)
{
	cl_command_queue_properties flags =
		CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

	return !instance->cl.clGetCommandQueueInfo(
		       cl, CL_QUEUE_PROPERTIES, sizeof(flags), &flags, NULL) &&
	       !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

uint64_t ocl_queue_flags(cl_command_queue_properties flags)
{
	return (flags & CL_QUEUE_PROFILING_ENABLE ? DPRP_QUEUE_PROFILING : 0) |
	       (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
			? DPRP_QUEUE_OUT_OF_ORDER
			: 0);
}

dprp_rc ocl_queue_over(dprp_context *context, dprp_device *device,
		       cl_command_queue cl, bool profiling, dprp_queue **out)
{
	dprp_instance *instance = context->instance;
	dprp_queue *queue = dprh_alloc(instance->host, 1, sizeof(*queue));

	if (!queue)
		return dprh_no_memory(instance->host, "a queue");
	queue->instance = instance;
	queue->context = context;
	queue->device = device;
	queue->cl = cl;
	queue->profiling = profiling;
	if (device->platform->takes_turns)
		queue->in_order = ocl_queue_in_order(instance, cl);
	dprh_floats_mode(&queue->floats);
	atomic_init(&queue->refs, 1);
	*out = queue;
	return DPR_RC_OK;
}

void ocl_queue_unref(dprp_queue *queue)
{
	if (!queue || atomic_fetch_sub(&queue->refs, 1) != 1)
		return;
	queue->instance->cl.clReleaseCommandQueue(queue->cl);
	dprh_free(queue->instance->host, queue);
}

/* Make the cl_command_queue with the function that the device's version has. */
static cl_command_queue ocl_queue_make(dprp_context *context,
				       dprp_device *device,
				       cl_command_queue_properties flags,
				       cl_queue_priority_khr priority,
				       const char **call, cl_int *err)
{
	const struct ocl_api *cl = &context->instance->cl;
	cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, flags,
				       CL_QUEUE_PRIORITY_KHR, priority, 0 };

	if (!ocl_device_has(device, 200) ||
	    !cl->clCreateCommandQueueWithProperties) {
		*call = "clCreateCommandQueue";
		return cl->clCreateCommandQueue(context->cl, device->id, flags,
						err);
	}
	if (!priority)
		list[2] = 0;
	*call = "clCreateCommandQueueWithProperties";
	return cl->clCreateCommandQueueWithProperties(context->cl, device->id,
						      list, err);
}

static dprp_rc ocl_queue_check(dprp_device *device, const dprp_queue_desc *desc)
{
	if (desc->priority &&
	    (!ocl_device_has(device, 200) ||
	     !ocl_facts_extension(device, "cl_khr_priority_hints")))
		return dprh_fail(
			device->instance->host, DPR_RC_UNSUPPORTED, 0,
			"the device has no priorities (cl_khr_priority_hints)");
	return DPR_RC_OK;
}

dprp_rc ocl_queue_create(dprp_context *context, dprp_device *device,
			 const dprp_queue_desc *theirs, uint64_t *got,
			 dprp_queue **out)
{
	static const cl_queue_priority_khr priorities[] = {
		CL_QUEUE_PRIORITY_LOW_KHR, 0, CL_QUEUE_PRIORITY_HIGH_KHR
	};
	const dprp_host *host = context->instance->host;
	cl_command_queue_properties flags = 0;
	cl_command_queue cl;
	const char *call;
	cl_int err = CL_SUCCESS;
	dprp_queue_desc desc;
	dprp_rc rc = dprh_take_queue(host, theirs, &desc);

	*out = NULL;
	if (rc == DPR_RC_OK)
		rc = ocl_queue_check(device, &desc);
	if (rc != DPR_RC_OK)
		return rc;
	if (desc.flags & DPRP_QUEUE_PROFILING)
		flags |= CL_QUEUE_PROFILING_ENABLE;
	if (desc.flags & DPRP_QUEUE_OUT_OF_ORDER)
		flags |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	flags &= device->queue_flags;

	cl = ocl_queue_make(context, device, flags,
			    priorities[desc.priority + 1], &call, &err);
	if (!cl && err == CL_INVALID_DEVICE && device->parent)
		return dprh_fail(
			host, DPR_RC_UNSUPPORTED, err,
			"%s: %s (%d): this driver wants a device divided before "
			"the first queue of the device is made",
			call, ocl_error_name(err), (int)err);
	if (!cl || err)
		return ocl_error_check(host, err ? err : CL_OUT_OF_RESOURCES,
				       call);
	rc = ocl_queue_over(context, device, cl,
			    flags & CL_QUEUE_PROFILING_ENABLE, out);
	if (rc != DPR_RC_OK) {
		context->instance->cl.clReleaseCommandQueue(cl);
		return rc;
	}
	*got = ocl_queue_flags(flags);
	return DPR_RC_OK;
}

void ocl_queue_destroy(dprp_queue *queue)
{
	if (!queue)
		return;
	/* Without a flush, work that was not flushed would never start. */
	queue->instance->cl.clFlush(queue->cl);
	ocl_queue_unref(queue);
}

dprp_rc ocl_queue_flush(dprp_queue *queue)
{
	return OCL_TRY(queue->instance, clFlush, queue->cl);
}

/* Returns the error of a marker's event, not that of clFinish(): with PoCL,
   clFinish() returns 0 even if a command has failed. */
dprp_rc ocl_queue_finish(dprp_queue *queue)
{
	const dprp_host *host = queue->instance->host;
	const struct ocl_api *cl = &queue->instance->cl;
	cl_int err, status = CL_COMPLETE;
	const char *call = "clFlush";
	cl_event event;
	dprp_rc rc;

	err = cl->clEnqueueMarkerWithWaitList(queue->cl, 0, NULL, &event);
	if (err)
		return ocl_error_check_queue(queue, err,
					"clEnqueueMarkerWithWaitList");
	err = cl->clFlush(queue->cl);
	if (!err) {
		call = "clWaitForEvents";
		err = cl->clWaitForEvents(1, &event);
		if (err == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
			err = CL_SUCCESS;
	}
	if (!err) {
		call = "clGetEventInfo";
		err = cl->clGetEventInfo(event,
					 CL_EVENT_COMMAND_EXECUTION_STATUS,
					 sizeof(status), &status, NULL);
	}
	cl->clReleaseEvent(event);
	rc = ocl_error_check_queue(queue, err, call);
	if (rc == DPR_RC_OK)
		ocl_error_lost(queue, status);
	if (rc == DPR_RC_OK && status < 0)
		rc = dprh_fail(host, ocl_error_rc(status), status,
			       "a command of the queue failed: %s (%d)",
			       ocl_error_name(status), (int)status);
	return rc;
}
