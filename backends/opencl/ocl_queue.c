/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: making and ending them, wait lists, barriers, waiting for all. */
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

dprp_rc ocl_queue_over(dprp_context *context, dprp_device *device,
		       cl_command_queue cl, bool profiling, dprp_queue **out)
{
	dprp_instance *instance = context->instance;
	dprp_queue *queue = ocl_alloc(instance->host, 1, sizeof(*queue));

	if (!queue)
		return ocl_no_memory(instance->host, "a queue");
	queue->instance = instance;
	queue->context = context;
	queue->device = device;
	queue->cl = cl;
	queue->profiling = profiling;
	if (device->platform->takes_turns)
		queue->in_order = ocl_queue_in_order(instance, cl);
	atomic_init(&queue->refs, 1);
	*out = queue;
	return DPR_RC_OK;
}

void ocl_queue_unref(dprp_queue *queue)
{
	if (!queue || atomic_fetch_sub(&queue->refs, 1) != 1)
		return;
	queue->instance->cl.clReleaseCommandQueue(queue->cl);
	ocl_free(queue->instance->host, queue);
}

/* The cl_command_queue, with the entry that the device's version has. */
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
	const dprp_host *host = device->instance->host;
	const uint64_t known = DPRP_QUEUE_OUT_OF_ORDER | DPRP_QUEUE_PROFILING;

	if (desc->flags & ~known)
		return ocl_fail(host, DPR_RC_UNSUPPORTED, 0,
				"queue flags %#llx are unknown",
				(unsigned long long)(desc->flags & ~known));
	if (desc->ext)
		return ocl_fail(host, DPR_RC_UNSUPPORTED, 0,
				"a queue knows no extension \"%s\"",
				desc->ext->name ? desc->ext->name : "");
	if (desc->priority < -1 || desc->priority > 1)
		return ocl_fail(host, DPR_RC_UNSUPPORTED, 0,
				"queue priority %d is none of -1, 0, 1",
				(int)desc->priority);
	if (desc->priority &&
	    (!ocl_device_has(device, 200) ||
	     !ocl_device_extension(device, "cl_khr_priority_hints")))
		return ocl_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"the device has no priorities (cl_khr_priority_hints)");
	return DPR_RC_OK;
}

static dprp_rc ocl_queue_create(dprp_context *context, dprp_device *device,
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
	dprp_rc rc = plugin_struct_take(host, "dprp_queue_desc", &desc,
					sizeof(desc), theirs);

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
		return ocl_fail(
			host, DPR_RC_UNSUPPORTED, err,
			"%s: %s (%d): this driver wants a device divided before "
			"the first queue of the device is made",
			call, ocl_error_name(err), (int)err);
	if (!cl || err)
		return ocl_check(host, err ? err : CL_OUT_OF_RESOURCES, call);
	rc = ocl_queue_over(context, device, cl,
			    flags & CL_QUEUE_PROFILING_ENABLE, out);
	if (rc != DPR_RC_OK) {
		context->instance->cl.clReleaseCommandQueue(cl);
		return rc;
	}
	*got = (flags & CL_QUEUE_PROFILING_ENABLE ? DPRP_QUEUE_PROFILING : 0) |
	       (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
			? DPRP_QUEUE_OUT_OF_ORDER
			: 0);
	return DPR_RC_OK;
}

static void ocl_queue_destroy(dprp_queue *queue)
{
	if (!queue)
		return;
	/* Work that was not flushed would never start. */
	queue->instance->cl.clFlush(queue->cl);
	ocl_queue_unref(queue);
}

static dprp_rc ocl_queue_flush(dprp_queue *queue)
{
	return OCL_TRY(queue->instance, clFlush, queue->cl);
}

/* The error of a marker's event, not what clFinish answers: PoCL's answers 0
   after a command has failed. */
static dprp_rc ocl_queue_finish(dprp_queue *queue)
{
	const dprp_host *host = queue->instance->host;
	const struct ocl_api *cl = &queue->instance->cl;
	cl_int status = CL_COMPLETE;
	cl_event event;
	dprp_rc rc = OCL_TRY(queue->instance, clEnqueueMarkerWithWaitList,
			     queue->cl, 0, NULL, &event);

	if (rc != DPR_RC_OK)
		return rc;
	rc = OCL_TRY(queue->instance, clFlush, queue->cl);
	if (rc == DPR_RC_OK) {
		cl_int err = cl->clWaitForEvents(1, &event);

		if (err && err != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
			rc = ocl_check(host, err, "clWaitForEvents");
	}
	if (rc == DPR_RC_OK)
		rc = OCL_TRY(queue->instance, clGetEventInfo, event,
			     CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
			     &status, NULL);
	cl->clReleaseEvent(event);
	if (rc == DPR_RC_OK && status < 0)
		rc = ocl_fail(host, ocl_error_rc(status), status,
			      "a command of the queue failed: %s (%d)",
			      ocl_error_name(status), (int)status);
	return rc;
}

/* The failure of a call on the queue; the host learns of a lost device. */
static dprp_rc ocl_queue_error(dprp_queue *queue, cl_int error,
			       const char *call)
{
	const dprp_host *host = queue->instance->host;

	if (ocl_error_rc(error) == DPR_RC_DEVICE_LOST)
		host->device_lost(host->self, queue->device,
				  ocl_error_name(error));
	return ocl_check(host, error, call);
}

/* Check the dependencies and put their cl_events into the submission. */
static dprp_rc ocl_submit_list(struct ocl_submit *submit,
			       const dprp_deps *theirs)
{
	dprp_queue *queue = submit->queue;
	const dprp_host *host = queue->instance->host;
	cl_event *list = submit->few;
	dprp_deps deps;
	dprp_rc rc = plugin_struct_take(host, "dprp_deps", &deps, sizeof(deps),
					theirs);
	uint32_t i;

	if (rc != DPR_RC_OK)
		return rc;
	if (deps.flags)
		return ocl_fail(host, DPR_RC_UNSUPPORTED, 0,
				"the wait list has flags that are unknown");
	for (i = 0; i < deps.count; i++)
		if (deps.events[i]->context != queue->context->cl)
			return ocl_fail(
				host, DPR_RC_NO_PATH, 0,
				"OpenCL cannot wait for an event of another "
				"context");
	if (deps.count > sizeof(submit->few) / sizeof(submit->few[0])) {
		list = ocl_alloc(host, deps.count, sizeof(*list));
		if (!list)
			return ocl_no_memory(host, "a wait list");
		submit->many = list;
	}
	for (i = 0; i < deps.count; i++) {
		/* What this queue waits for must not wait for a flush. */
		if (deps.events[i]->queue != queue)
			ocl_event_flush(deps.events[i]);
		list[i] = deps.events[i]->cl;
	}
	submit->n = deps.count;
	submit->list = submit->n ? list : NULL;
	return DPR_RC_OK;
}

dprp_rc ocl_submit_begin(struct ocl_submit *submit, dprp_queue *queue,
			 const dprp_deps *deps, dprp_event **event)
{
	dprp_instance *instance = queue->instance;
	dprp_rc rc;

	submit->queue = queue;
	submit->n = 0;
	submit->list = NULL;
	submit->event = NULL;
	submit->made = NULL;
	submit->out = event;
	submit->many = NULL;
	if (event)
		*event = NULL;
	if (deps) {
		rc = ocl_submit_list(submit, deps);
		if (rc != DPR_RC_OK)
			return rc;
	}
	if (event) {
		submit->made =
			ocl_event_new(instance, queue->context->cl, queue);
		if (!submit->made) {
			ocl_free(instance->host, submit->many);
			return ocl_no_memory(instance->host, "an event");
		}
		submit->event = &submit->made->cl;
	}
	return DPR_RC_OK;
}

dprp_rc ocl_submit_end(struct ocl_submit *submit, cl_int error,
		       const char *call)
{
	const dprp_host *host = submit->queue->instance->host;

	ocl_free(host, submit->many);
	if (error) {
		if (submit->made) {
			submit->made->cl = NULL;
			ocl_event_destroy(submit->made);
		}
		return ocl_queue_error(submit->queue, error, call);
	}
	if (submit->out)
		*submit->out = submit->made;
	return DPR_RC_OK;
}

/* Over as soon as earlier barriers are.  A marker without a list would wait for
   all earlier commands, and PoCL's does so with one too; a barrier with a list
   waits for that alone, and what is over holds nothing up. */
static cl_int ocl_enqueue_at_once(struct ocl_submit *submit, const char **call)
{
	const struct ocl_api *cl = &submit->queue->instance->cl;
	cl_int err = CL_SUCCESS;
	cl_event over;

	*call = "clCreateUserEvent";
	over = cl->clCreateUserEvent(submit->queue->context->cl, &err);
	if (err)
		return err;
	*call = "clSetUserEventStatus";
	err = cl->clSetUserEventStatus(over, CL_COMPLETE);
	if (!err) {
		*call = "clEnqueueBarrierWithWaitList";
		err = cl->clEnqueueBarrierWithWaitList(submit->queue->cl, 1,
						       &over, submit->event);
	}
	cl->clReleaseEvent(over);
	return err;
}

dprp_rc ocl_queue_nothing(dprp_queue *queue, const dprp_deps *deps,
			  dprp_event **event)
{
	const char *call = "clEnqueueMarkerWithWaitList";
	struct ocl_submit s;
	cl_int err = CL_SUCCESS;
	dprp_rc rc;

	/* The host waits for them and comes again without. */
	if (deps && deps->count && queue->device->platform->marks_all) {
		if (event)
			*event = NULL;
		return DPR_RC_NO_PATH;
	}
	rc = ocl_submit_begin(&s, queue, deps, event);
	if (rc != DPR_RC_OK)
		return rc;
	if (s.n)
		err = queue->instance->cl.clEnqueueMarkerWithWaitList(
			queue->cl, s.n, s.list, s.event);
	else if (event)
		err = ocl_enqueue_at_once(&s, &call);
	return ocl_submit_end(&s, err, call);
}

static dprp_rc ocl_queue_barrier(dprp_queue *queue, const dprp_deps *deps,
				 dprp_event **event)
{
	struct ocl_submit s;
	cl_int err;
	dprp_rc rc = ocl_submit_begin(&s, queue, deps, event);

	if (rc != DPR_RC_OK)
		return rc;
	err = queue->instance->cl.clEnqueueBarrierWithWaitList(queue->cl, s.n,
							       s.list, s.event);
	return ocl_submit_end(&s, err, "clEnqueueBarrierWithWaitList");
}

const dprp_queue_ops ocl_queue_ops = {
	.struct_size = sizeof(dprp_queue_ops),
	.create = ocl_queue_create,
	.destroy = ocl_queue_destroy,
	.flush = ocl_queue_flush,
	.finish = ocl_queue_finish,
	.barrier = ocl_queue_barrier,
	.write = ocl_copy_write,
	.read = ocl_copy_read,
	.copy = ocl_copy_copy,
	.launch = ocl_launch,
	.fill = ocl_copy_fill,
	.prefetch = ocl_copy_prefetch,
	.advise = ocl_copy_advise,
};
