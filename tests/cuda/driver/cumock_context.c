/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_context.c - primary contexts, and each thread's stack of contexts. */
#include "cumock_impl.h"

#include <string.h>

#define DEPTH 16

static _Thread_local struct context *stack[DEPTH];
static _Thread_local size_t depth;

struct device *cumock_context_device(CUdevice number, CUresult *error)
{
	if (*error)
		return NULL;
	if (number >= 0 && number < cumock_settings.n_devices)
		return &cumock.devices[number];
	*error = CUDA_ERROR_INVALID_DEVICE;
	return NULL;
}

struct context *cumock_context_current(CUresult *error)
{
	struct context *context = depth ? stack[depth - 1] : NULL;

	if (*error)
		return NULL;
	if (!context) {
		*error = cumock_misuse(CUDA_ERROR_INVALID_CONTEXT,
				       "no context is current");
		return NULL;
	}
	if (!context->active)
		*error = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	else
		*error = context->device->lost;
	return *error ? NULL : context;
}

size_t cumock_context_depth(void)
{
	return depth;
}

struct context *cumock_context_primary(struct device *device)
{
	if (device->primary)
		return device->primary;
	device->primary = cumock_handle_new(sizeof(*device->primary),
					    MAGIC_CONTEXT, NULL);
	if (device->primary)
		device->primary->device = device;
	return device->primary;
}

CUresult cumock_context_retain(struct device *device)
{
	const struct cumock_device_settings *set = device->settings;
	struct context *context;

	if (set->mode == CU_COMPUTEMODE_PROHIBITED ||
	    (set->mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS && set->taken))
		return CUDA_ERROR_DEVICE_UNAVAILABLE;
	/* After a fault, not even a new context works in this process. */
	if (device->lost)
		return device->lost;
	context = cumock_context_primary(device);
	if (!context)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!context->active) {
		context->active = true;
		context->id = ++cumock.ids;
	}
	device->retains++;
	cumock.live[CUMOCK_RETAINS]++;
	return CUDA_SUCCESS;
}

void cumock_context_reset(struct device *device, bool forget)
{
	struct context *context = device->primary;

	if (!context || !context->active)
		return;
	cumock_stream_drain_device(device);
	if (forget) {
		cumock.live[CUMOCK_RETAINS] -= device->retains;
		device->retains = 0;
		cumock_memory_reset(context);
		cumock_handle_end_all(context);
	}
	context->active = false;
	context->legacy = NULL;
	context->id = ++cumock.ids;
	memset(device->enabled, 0, sizeof(device->enabled));
}

void cumock_context_release(struct device *device)
{
	if (!device->retains) {
		cumock_misuse(CUDA_SUCCESS,
			      "more releases than retains of device %d",
			      device->number);
		return;
	}
	cumock.live[CUMOCK_RETAINS]--;
	if (!--device->retains)
		cumock_context_reset(device, false);
}

CUresult cumock_cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice number)
{
	CUresult error = cumock_begin(CUMOCK_cuDevicePrimaryCtxRetain);
	struct device *device = cumock_context_device(number, &error);

	if (!error)
		error = cumock_context_retain(device);
	if (!error)
		*out = (CUcontext)device->primary;
	return cumock_end(error);
}

CUresult cumock_cuDevicePrimaryCtxRelease(CUdevice number)
{
	CUresult error = cumock_begin(CUMOCK_cuDevicePrimaryCtxRelease);
	struct device *device = cumock_context_device(number, &error);

	if (device && !device->retains)
		error = cumock_misuse(CUDA_ERROR_INVALID_CONTEXT,
				      "device %d is not retained", number);
	else if (device)
		cumock_context_release(device);
	return cumock_end(error);
}

CUresult cumock_cuDevicePrimaryCtxGetState(CUdevice number, unsigned *flags,
					   int *active)
{
	CUresult error = cumock_begin(CUMOCK_cuDevicePrimaryCtxGetState);
	struct device *device = cumock_context_device(number, &error);

	if (device) {
		*flags = 0;
		*active = device->primary && device->primary->active;
	}
	return cumock_end(error);
}

CUresult cumock_cuCtxPushCurrent(CUcontext handle)
{
	CUresult error = cumock_begin(CUMOCK_cuCtxPushCurrent);
	struct context *context =
		cumock_handle_get(handle, MAGIC_CONTEXT, &error);

	if (context && depth == DEPTH)
		error = CUDA_ERROR_INVALID_VALUE;
	else if (context && context->green && context->users &&
		 !pthread_equal(context->user, pthread_self()))
		error = cumock_misuse(CUDA_ERROR_CONTEXT_ALREADY_IN_USE,
				      "another thread has this green context");
	else if (context) {
		stack[depth++] = context;
		context->user = pthread_self();
		context->users++;
	}
	return cumock_end(error);
}

CUresult cumock_cuCtxPopCurrent(CUcontext *out)
{
	CUresult error = cumock_begin(CUMOCK_cuCtxPopCurrent);

	if (!error && !depth)
		error = cumock_misuse(CUDA_ERROR_INVALID_CONTEXT,
				      "the stack is empty");
	if (!error) {
		depth--;
		stack[depth]->users--;
		if (out)
			*out = (CUcontext)stack[depth];
	}
	return cumock_end(error);
}

CUresult cumock_cuCtxGetCurrent(CUcontext *out)
{
	CUresult error = cumock_begin(CUMOCK_cuCtxGetCurrent);

	if (!error)
		*out = depth ? (CUcontext)stack[depth - 1] : NULL;
	return cumock_end(error);
}

CUresult cumock_cuCtxGetId(CUcontext handle, unsigned long long *id)
{
	CUresult error = cumock_begin(CUMOCK_cuCtxGetId);
	struct context *context =
		handle ? cumock_handle_get(handle, MAGIC_CONTEXT, &error)
		       : cumock_context_current(&error);

	if (context && !context->active)
		error = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	else if (context)
		*id = context->id;
	return cumock_end(error);
}

CUresult cumock_cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CUresult error = cumock_begin(CUMOCK_cuCtxGetStreamPriorityRange);

	if (cumock_context_current(&error)) {
		*least = 0;
		*greatest = -5;
	}
	return cumock_end(error);
}
