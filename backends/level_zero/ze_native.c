/* SPDX-License-Identifier: Apache-2.0 */
/* ze_native.c - native handles: giving out the driver's handles, and wrapping
   handles of the program. */
#include "ze_programs.h"

/* Get the queue's list.  From now on the program may append commands to it,
   too.  On an in-order queue they run after everything that was submitted
   before. */
static dprp_rc get_queue(dprp_queue *queue, uintptr_t *out)
{
	const dprp_deps none = { .struct_size = sizeof(none) };
	bool before;

	pthread_mutex_lock(&queue->lock);
	before = atomic_exchange(&queue->shared, true);
	*out = (uintptr_t)queue->lists[ZE_ENGINE_COMPUTE].ze;
	pthread_mutex_unlock(&queue->lock);
	return before || !queue->in_order
		       ? DPR_RC_OK
		       : ze_submit_nothing(queue, &none, NULL);
}

dprp_rc ze_native_get(dprp_instance *instance, uint32_t what, void *handle,
		      uint32_t type, uintptr_t *out)
{
	if (type)
		return dprh_no_native(instance->host, what, type);
	switch (what) {
	case DPRP_NATIVE_PLATFORM:
		*out = (uintptr_t)((const dprp_device *)handle)->driver->ze;
		return DPR_RC_OK;
	case DPRP_NATIVE_DEVICE:
		*out = (uintptr_t)((const dprp_device *)handle)->ze;
		return DPR_RC_OK;
	case DPRP_NATIVE_CONTEXT:
		*out = (uintptr_t)((const dprp_context *)handle)->ze;
		return DPR_RC_OK;
	case DPRP_NATIVE_QUEUE: return get_queue(handle, out);
	case DPRP_NATIVE_EVENT:
		*out = (uintptr_t)((const dprp_event *)handle)->ze;
		return DPR_RC_OK;
	case DPRP_NATIVE_MEMORY:
		*out = (uintptr_t)((const dprp_mem *)handle)->address;
		return DPR_RC_OK;
	case DPRP_NATIVE_PROGRAM: return ze_module_native(handle, out);
	case DPRP_NATIVE_KERNEL: return ze_kernel_native(handle, out);
	default: return dprh_no_native(instance->host, what, type);
	}
}

static dprp_rc wrap_event(dprp_context *context, uintptr_t in, bool own,
			  dprp_event **out)
{
	dprp_instance *instance = context->instance;
	ze_result_t result =
		instance->ze.zeEventHostSynchronize((ze_event_handle_t)in, 0);

	if (result && result != ZE_RESULT_NOT_READY)
		return dprh_fail(instance->host, DPR_RC_INVALID,
				 (int64_t)result, "zeEventHostSynchronize: %s",
				 ze_error_name(result));
	return ze_event_over(context, (ze_event_handle_t)in, own, out);
}

dprp_rc ze_native_wrap(dprp_instance *instance, uint32_t what,
		       dprp_context *parent, dprp_device *device, uintptr_t in,
		       uint64_t size, uint32_t own, uint64_t *flags, void **out)
{
	dprp_queue *queue;
	dprp_event *event;
	dprp_mem *mem;
	dprp_rc rc;

	*flags = 0;
	switch (what) {
	case DPRP_NATIVE_QUEUE:
		*flags = DPRP_QUEUE_OUT_OF_ORDER;
		rc = ze_queue_over(parent, device, (ze_command_list_handle_t)in,
				   own, &queue);
		*out = rc ? NULL : (void *)queue;
		return rc;
	case DPRP_NATIVE_EVENT:
		rc = wrap_event(parent, in, own, &event);
		*out = rc ? NULL : (void *)event;
		return rc;
	case DPRP_NATIVE_MEMORY:
		rc = ze_mem_over(parent, in, size, own, &mem);
		*out = rc ? NULL : (void *)mem;
		return rc;
	default:
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "only immediate command lists, "
				 "events and memory can be wrapped");
	}
}
