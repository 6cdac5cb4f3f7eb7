/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_context.c - contexts. */
#include "zecpu_impl.h"

bool zecpu_context_has(const struct context *context,
		       const struct device *device)
{
	unsigned i;

	/* With a root device, its tiles are in the context, and with a tile,
	   its root. */
	for (i = 0; i < context->n_devices; i++)
		if (context->devices[i]->root == device->root)
			return true;
	return false;
}

ze_result_t ZE_APICALL zecpu_zeContextCreateEx(ze_driver_handle_t driver,
					       const ze_context_desc_t *desc,
					       uint32_t n,
					       ze_device_handle_t *devices,
					       ze_context_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeContextCreateEx);
	struct context *context;
	uint32_t i;

	if (result || !zecpu_object_is(driver, KIND_DRIVER, &result) ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_CONTEXT_DESC, &result) ||
	    !zecpu_check_pointer(out, "phContext", &result))
		return result;
	for (i = 0; i < n; i++)
		if (!zecpu_object_is(devices[i], KIND_DEVICE, &result))
			return result;
	context = zecpu_object_new(sizeof(*context), KIND_CONTEXT);
	if (!context)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	if (n > sizeof(context->devices) / sizeof(context->devices[0]))
		n = sizeof(context->devices) / sizeof(context->devices[0]);
	for (i = 0; i < n; i++)
		context->devices[i] = (struct device *)devices[i];
	for (i = 0; n == 0 && i < zecpu.n_devices; i++)
		context->devices[i] = zecpu.devices[i];
	context->n_devices = n ? n : zecpu.n_devices;
	*out = (ze_context_handle_t)context;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeContextCreate(ze_driver_handle_t driver,
					     const ze_context_desc_t *desc,
					     ze_context_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeContextCreate);

	return result ? result
		      : zecpu_zeContextCreateEx(driver, desc, 0, NULL, out);
}

ze_result_t ZE_APICALL zecpu_zeContextDestroy(ze_context_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeContextDestroy);
	struct context *context = (struct context *)handle;

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	if (context->live > 0)
		result = zecpu_misuse(
			ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
			"the context still has %lld objects or allocations",
			(long long)context->live);
	zecpu_object_end(context);
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeContextGetStatus(ze_context_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeContextGetStatus);
	struct context *context = (struct context *)handle;
	unsigned i;

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result))
		return result;
	for (i = 0; i < context->n_devices; i++)
		if (atomic_load(&context->devices[i]->lost))
			return ZE_RESULT_ERROR_DEVICE_LOST;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeContextSystemBarrier(ze_context_handle_t context,
						    ze_device_handle_t device)
{
	ze_result_t result = zecpu_enter(ENTRY_zeContextSystemBarrier);

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_object_is(device, KIND_DEVICE, &result))
		return result;
	/* The host and the devices share one address space, so a fence is
	   enough. */
	atomic_thread_fence(memory_order_seq_cst);
	return ZE_RESULT_SUCCESS;
}

/* Make resident or evict: only check that the memory exists.  All memory is
   always resident. */
static ze_result_t residency(ze_context_handle_t context,
			     ze_device_handle_t device, void *address,
			     size_t size)
{
	struct memory *memory;
	ze_result_t result;

	if (!zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_pointer(address, "ptr", &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	memory = zecpu_memory_find(address);
	if (!memory ||
	    (size_t)((unsigned char *)address - memory->start) + size >
		    memory->size)
		result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				      "%zu bytes at %p are not one allocation",
				      size, address);
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeContextMakeMemoryResident(
	ze_context_handle_t context, ze_device_handle_t device, void *address,
	size_t size)
{
	ze_result_t result = zecpu_enter(ENTRY_zeContextMakeMemoryResident);

	return result ? result : residency(context, device, address, size);
}

ze_result_t ZE_APICALL zecpu_zeContextEvictMemory(ze_context_handle_t context,
						  ze_device_handle_t device,
						  void *address, size_t size)
{
	ze_result_t result = zecpu_enter(ENTRY_zeContextEvictMemory);

	return result ? result : residency(context, device, address, size);
}
