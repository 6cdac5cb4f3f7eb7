/* SPDX-License-Identifier: Apache-2.0 */
/* Native handles: giving out OpenCL's objects, and wrapping objects of the
   program. */
#include <string.h>

#include "ocl.h"

/* The argument `type` of native_get: 0 is the usual type. */
enum { OCL_NATIVE_USUAL = 0, OCL_NATIVE_ADDRESS = 1 };

static dprp_rc ocl_native_memory(dprp_mem *mem, uint32_t type, uintptr_t *out)
{
	cl_mem cl;
	dprp_rc rc;

	if (type == OCL_NATIVE_ADDRESS) {
		if (!mem->address)
			return dprh_fail(mem->instance->host,
					 DPR_RC_UNSUPPORTED, 0,
					 "a buffer has no address");
		*out = (uintptr_t)mem->address;
		return DPR_RC_OK;
	}
	rc = ocl_mem_native(mem, &cl);
	if (rc == DPR_RC_OK)
		*out = (uintptr_t)cl;
	return rc;
}

dprp_rc ocl_native_get(dprp_instance *instance, uint32_t what, void *handle,
		       uint32_t type, uintptr_t *out)
{
	bool native;

	*out = 0;
	if (type != OCL_NATIVE_USUAL &&
	    (type != OCL_NATIVE_ADDRESS || what != DPRP_NATIVE_MEMORY))
		return dprh_no_native(instance->host, what, type);
	native = (what == DPRP_NATIVE_PROGRAM &&
		  ((dprp_module *)handle)->native) ||
		 (what == DPRP_NATIVE_KERNEL &&
		  ((dprp_kernel *)handle)->native);
	if (native)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "there is no native handle: the kernel is a "
				 "function of this process");
	switch (what) {
	case DPRP_NATIVE_PLATFORM:
		*out = (uintptr_t)((dprp_device *)handle)->platform->id;
		return DPR_RC_OK;
	case DPRP_NATIVE_DEVICE:
		*out = (uintptr_t)((dprp_device *)handle)->id;
		return DPR_RC_OK;
	case DPRP_NATIVE_CONTEXT:
		*out = (uintptr_t)((dprp_context *)handle)->cl;
		return DPR_RC_OK;
	case DPRP_NATIVE_QUEUE:
		*out = (uintptr_t)((dprp_queue *)handle)->cl;
		return DPR_RC_OK;
	case DPRP_NATIVE_EVENT:
		*out = (uintptr_t)((dprp_event *)handle)->cl;
		return DPR_RC_OK;
	case DPRP_NATIVE_MEMORY: return ocl_native_memory(handle, type, out);
	case DPRP_NATIVE_PROGRAM:
		*out = (uintptr_t)((dprp_module *)handle)->cl;
		return DPR_RC_OK;
	case DPRP_NATIVE_KERNEL:
		*out = (uintptr_t)((dprp_kernel *)handle)->cl;
		return DPR_RC_OK;
	default: return dprh_no_native(instance->host, what, type);
	}
}

/* Check that the handle belongs to the parent's context. */
static dprp_rc ocl_wrap_check(dprp_context *parent, const char *what,
			      cl_int err, cl_context context)
{
	if (err)
		return dprh_fail(parent->instance->host, DPR_RC_INVALID, err,
				 "the driver does not know this %s: %s (%d)",
				 what, ocl_error_name(err), (int)err);
	if (context != parent->cl)
		return dprh_fail(
			parent->instance->host, DPR_RC_INVALID, 0,
			"the %s belongs to another cl_context; make it in the "
			"device's own (DPR_NATIVE_CONTEXT)",
			what);
	return DPR_RC_OK;
}

static dprp_rc ocl_wrap_queue(dprp_context *parent, dprp_device *device,
			      cl_command_queue cl, uint64_t *flags, void **out)
{
	const struct ocl_api *api = &parent->instance->cl;
	cl_command_queue_properties has = 0;
	cl_context context = NULL;
	cl_device_id id = NULL;
	cl_int err = api->clGetCommandQueueInfo(
		cl, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL);
	dprp_rc rc;

	if (!err)
		err = api->clGetCommandQueueInfo(cl, CL_QUEUE_DEVICE,
						 sizeof(id), &id, NULL);
	if (!err)
		err = api->clGetCommandQueueInfo(cl, CL_QUEUE_PROPERTIES,
						 sizeof(has), &has, NULL);
	rc = ocl_wrap_check(parent, "cl_command_queue", err, context);
	if (rc == DPR_RC_OK && id != device->id)
		rc = dprh_fail(
			parent->instance->host, DPR_RC_INVALID, 0,
			"the cl_command_queue belongs to another device");
	if (rc != DPR_RC_OK)
		return rc;
	*flags = ocl_queue_flags(has);
	return ocl_queue_over(parent, device, cl,
			      has & CL_QUEUE_PROFILING_ENABLE,
			      (dprp_queue **)out);
}

static dprp_rc ocl_wrap_event(dprp_context *parent, dprp_device *device,
			      cl_event cl, void **out)
{
	const struct ocl_api *api = &parent->instance->cl;
	cl_command_queue queue = NULL;
	dprp_queue *of = NULL;
	cl_context context = NULL;
	dprp_event *event;
	cl_int err = api->clGetEventInfo(cl, CL_EVENT_CONTEXT, sizeof(context),
					 &context, NULL);
	dprp_rc rc = ocl_wrap_check(parent, "cl_event", err, context);

	if (rc != DPR_RC_OK)
		return rc;
	/* A user event has no queue.  The queue of any other event is flushed
	   like one of ours. */
	if (api->clGetEventInfo(cl, CL_EVENT_COMMAND_QUEUE, sizeof(queue),
				&queue, NULL) == CL_SUCCESS &&
	    queue) {
		rc = ocl_queue_over(parent, device, queue, false, &of);
		if (rc != DPR_RC_OK)
			return rc;
		api->clRetainCommandQueue(queue);
	}
	event = ocl_event_new(parent->instance, context, of);
	/* The event has a reference to the queue now. */
	ocl_queue_unref(of);
	if (!event)
		return dprh_no_memory(parent->instance->host, "an event");
	event->cl = cl;
	/* If its queue does not record times, the driver says so when asked for
	   them. */
	event->profiling = true;
	*out = event;
	return DPR_RC_OK;
}

static dprp_rc ocl_wrap_memory(dprp_context *parent, dprp_device *device,
			       cl_mem cl, uint64_t size, void **out)
{
	const struct ocl_api *api = &parent->instance->cl;
	cl_context context = NULL;
	size_t has = 0;
	cl_int err = api->clGetMemObjectInfo(cl, CL_MEM_CONTEXT,
					     sizeof(context), &context, NULL);
	dprp_rc rc;

	if (!err)
		err = api->clGetMemObjectInfo(cl, CL_MEM_SIZE, sizeof(has),
					      &has, NULL);
	rc = ocl_wrap_check(parent, "cl_mem", err, context);
	if (rc == DPR_RC_OK && size > has)
		rc = dprh_fail(parent->instance->host, DPR_RC_INVALID, 0,
			       "the cl_mem has %zu bytes, not %llu", has,
			       (unsigned long long)size);
	if (rc != DPR_RC_OK)
		return rc;
	return ocl_mem_over(parent, device, cl, size ? size : has,
			    (dprp_mem **)out);
}

static dprp_rc ocl_wrap_program(dprp_context *parent, dprp_device *device,
				cl_program cl, void **out)
{
	cl_context context = NULL;
	cl_int err = parent->instance->cl.clGetProgramInfo(
		cl, CL_PROGRAM_CONTEXT, sizeof(context), &context, NULL);
	dprp_rc rc = ocl_wrap_check(parent, "cl_program", err, context);

	if (rc != DPR_RC_OK)
		return rc;
	return ocl_module_over(parent, device, cl, (dprp_module **)out);
}

static dprp_rc ocl_wrap_kernel(dprp_context *parent, cl_kernel cl, void **out)
{
	cl_context context = NULL;
	cl_int err = parent->instance->cl.clGetKernelInfo(
		cl, CL_KERNEL_CONTEXT, sizeof(context), &context, NULL);
	dprp_rc rc = ocl_wrap_check(parent, "cl_kernel", err, context);

	if (rc != DPR_RC_OK)
		return rc;
	return ocl_kernel_over(parent, cl, (dprp_kernel **)out);
}

/* Find the device that has this handle.  No device is made. */
static dprp_rc ocl_wrap_device(dprp_instance *instance, uintptr_t in,
			       void **out)
{
	dprp_device *sub;
	uint32_t i;

	for (i = 0; i < instance->n_devices && !*out; i++)
		if ((uintptr_t)instance->devices[i]->id == in)
			*out = instance->devices[i];
	pthread_mutex_lock(&instance->lock);
	for (sub = instance->subs; sub && !*out; sub = sub->next)
		if ((uintptr_t)sub->id == in)
			*out = sub;
	pthread_mutex_unlock(&instance->lock);
	if (*out)
		return DPR_RC_OK;
	return dprh_fail(instance->host, DPR_RC_INVALID, 0,
			 "the cl_device_id is not one of dpr's devices");
}

static dprp_rc ocl_wrap_context(dprp_instance *instance, dprp_device *device,
				cl_context cl, void **out)
{
	if (!device)
		return dprh_fail(instance->host, DPR_RC_INVALID, 0,
				 "wrapping a cl_context needs a device");
	return ocl_context_over(device, cl, (dprp_context **)out);
}

/* Retain the handle if the caller keeps its own reference, because each of our
   objects releases one reference at its end. */
static void ocl_wrap_retain(dprp_instance *instance, uint32_t what,
			    uintptr_t in)
{
	const struct ocl_api *cl = &instance->cl;

	switch (what) {
	case DPRP_NATIVE_CONTEXT: cl->clRetainContext((cl_context)in); break;
	case DPRP_NATIVE_QUEUE:
		cl->clRetainCommandQueue((cl_command_queue)in);
		break;
	case DPRP_NATIVE_EVENT: cl->clRetainEvent((cl_event)in); break;
	case DPRP_NATIVE_MEMORY: cl->clRetainMemObject((cl_mem)in); break;
	case DPRP_NATIVE_PROGRAM: cl->clRetainProgram((cl_program)in); break;
	case DPRP_NATIVE_KERNEL: cl->clRetainKernel((cl_kernel)in); break;
	default: break;
	}
}

dprp_rc ocl_native_wrap(dprp_instance *instance, uint32_t what,
			dprp_context *parent, dprp_device *device, uintptr_t in,
			uint64_t size, uint32_t own, uint64_t *flags,
			void **out)
{
	dprp_rc rc;

	*out = NULL;
	*flags = 0;
	if (!in || own > 1)
		return dprh_fail(instance->host, DPR_RC_INVALID, 0,
				 "the handle to wrap is 0");
	if (!parent && what != DPRP_NATIVE_DEVICE &&
	    what != DPRP_NATIVE_CONTEXT)
		return dprh_fail(instance->host, DPR_RC_INVALID, 0,
				 "wrapping a native handle needs a context");
	switch (what) {
	case DPRP_NATIVE_DEVICE: return ocl_wrap_device(instance, in, out);
	case DPRP_NATIVE_CONTEXT:
		rc = ocl_wrap_context(instance, device, (cl_context)in, out);
		break;
	case DPRP_NATIVE_QUEUE:
		rc = ocl_wrap_queue(parent, device ? device : parent->root,
				    (cl_command_queue)in, flags, out);
		break;
	case DPRP_NATIVE_EVENT:
		rc = ocl_wrap_event(parent, device ? device : parent->root,
				    (cl_event)in, out);
		break;
	case DPRP_NATIVE_MEMORY:
		rc = ocl_wrap_memory(parent, device ? device : parent->root,
				     (cl_mem)in, size, out);
		break;
	case DPRP_NATIVE_PROGRAM:
		rc = ocl_wrap_program(parent, device ? device : parent->root,
				      (cl_program)in, out);
		break;
	case DPRP_NATIVE_KERNEL:
		rc = ocl_wrap_kernel(parent, (cl_kernel)in, out);
		break;
	default:
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "OpenCL handles of kind %u cannot be wrapped",
				 what);
	}
	if (rc == DPR_RC_OK && !own)
		ocl_wrap_retain(instance, what, in);
	return rc;
}
