/* SPDX-License-Identifier: Apache-2.0 */
/* ze_error.c - what the driver's results mean to the core. */
#include "ze_objects.h"

static const struct {
	ze_result_t result;
	dprp_rc rc;
	const char *name;
} results[] = {
#define R(name, rc)                                      \
	{                                                \
		ZE_RESULT_##name, rc, "ZE_RESULT_" #name \
	}
	R(SUCCESS, DPR_RC_OK),
	R(NOT_READY, DPR_RC_TIMEOUT),
	R(ERROR_DEVICE_LOST, DPR_RC_DEVICE_LOST),
	R(ERROR_OUT_OF_HOST_MEMORY, DPR_RC_OOM_HOST),
	R(ERROR_OUT_OF_DEVICE_MEMORY, DPR_RC_OOM_DEVICE),
	R(ERROR_MODULE_BUILD_FAILURE, DPR_RC_BUILD),
	R(ERROR_MODULE_LINK_FAILURE, DPR_RC_BUILD),
	R(ERROR_DEVICE_REQUIRES_RESET, DPR_RC_DEVICE_LOST),
	R(ERROR_DEVICE_IN_LOW_POWER_STATE, DPR_RC_NATIVE),
	R(ERROR_INSUFFICIENT_PERMISSIONS, DPR_RC_NATIVE),
	R(ERROR_NOT_AVAILABLE, DPR_RC_NATIVE),
	R(ERROR_DEPENDENCY_UNAVAILABLE, DPR_RC_NATIVE),
	R(ERROR_UNINITIALIZED, DPR_RC_NATIVE),
	R(ERROR_UNSUPPORTED_VERSION, DPR_RC_UNSUPPORTED),
	R(ERROR_UNSUPPORTED_FEATURE, DPR_RC_UNSUPPORTED),
	R(ERROR_INVALID_ARGUMENT, DPR_RC_NATIVE),
	R(ERROR_INVALID_NULL_HANDLE, DPR_RC_NATIVE),
	R(ERROR_HANDLE_OBJECT_IN_USE, DPR_RC_NATIVE),
	R(ERROR_INVALID_NULL_POINTER, DPR_RC_NATIVE),
	R(ERROR_INVALID_SIZE, DPR_RC_NATIVE),
	R(ERROR_UNSUPPORTED_SIZE, DPR_RC_UNSUPPORTED),
	R(ERROR_UNSUPPORTED_ALIGNMENT, DPR_RC_UNSUPPORTED),
	R(ERROR_INVALID_SYNCHRONIZATION_OBJECT, DPR_RC_NATIVE),
	R(ERROR_INVALID_ENUMERATION, DPR_RC_NATIVE),
	R(ERROR_UNSUPPORTED_ENUMERATION, DPR_RC_UNSUPPORTED),
	R(ERROR_UNSUPPORTED_IMAGE_FORMAT, DPR_RC_UNSUPPORTED),
	R(ERROR_INVALID_NATIVE_BINARY, DPR_RC_INVALID),
	R(ERROR_INVALID_GLOBAL_NAME, DPR_RC_INVALID),
	R(ERROR_INVALID_KERNEL_NAME, DPR_RC_INVALID),
	R(ERROR_INVALID_FUNCTION_NAME, DPR_RC_INVALID),
	R(ERROR_INVALID_GROUP_SIZE_DIMENSION, DPR_RC_INVALID),
	R(ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, DPR_RC_INVALID),
	R(ERROR_INVALID_KERNEL_ARGUMENT_INDEX, DPR_RC_INVALID),
	R(ERROR_INVALID_KERNEL_ARGUMENT_SIZE, DPR_RC_INVALID),
	R(ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE, DPR_RC_NATIVE),
	R(ERROR_INVALID_MODULE_UNLINKED, DPR_RC_BUILD),
	R(ERROR_INVALID_COMMAND_LIST_TYPE, DPR_RC_NATIVE),
	R(ERROR_OVERLAPPING_REGIONS, DPR_RC_INVALID),
	R(ERROR_UNKNOWN, DPR_RC_NATIVE),
#undef R
};

#define N_RESULTS (sizeof(results) / sizeof(results[0]))

dprp_rc ze_error_rc(ze_result_t result)
{
	size_t i;

	for (i = 0; i < N_RESULTS; i++)
		if (results[i].result == result)
			return results[i].rc;
	return DPR_RC_NATIVE;
}

const char *ze_error_name(ze_result_t result)
{
	size_t i;

	for (i = 0; i < N_RESULTS; i++)
		if (results[i].result == result)
			return results[i].name;
	return "an unknown result";
}

dprp_rc ze_error_check(dprp_instance *instance, ze_result_t result,
		       const char *call)
{
	if (result == ZE_RESULT_SUCCESS)
		return DPR_RC_OK;
	if (instance->starting) {
		instance->failed = call;
		instance->failed_with = result;
	}
	return dprh_fail(instance->host, ze_error_rc(result), (int64_t)result,
			 "%s: %s (%#x)", call, ze_error_name(result),
			 (unsigned)result);
}

static void mark_lost(dprp_device *device)
{
	const dprp_host *host = device->instance->host;

	/* The core learns of it before another thread can see it here. */
	host->device_lost(host->self, device,
			  ze_error_name(ZE_RESULT_ERROR_DEVICE_LOST));
	atomic_store(&device->root->lost, true);
}

bool ze_error_is_lost(dprp_device *device)
{
	dprp_device *root = device->root;

	if (atomic_load(&root->lost))
		return true;
	if (ze_error_rc(device->instance->ze.zeDeviceGetStatus(root->ze)) !=
	    DPR_RC_DEVICE_LOST)
		return false;
	mark_lost(device);
	return true;
}

/* Whether @device is not lost, but another root of its driver is. */
static bool is_another(dprp_device *device)
{
	const dprp_instance *instance = device->instance;
	dprp_device *other;
	uint32_t i;

	if (ze_error_is_lost(device))
		return false;
	for (i = 0; i < instance->n_devices; i++) {
		other = instance->devices[i];
		if (other->driver == device->driver &&
		    other->root != device->root && ze_error_is_lost(other))
			return true;
	}
	return false;
}

dprp_rc ze_error_check_device(dprp_device *device, ze_result_t result,
			      const char *call)
{
	if (ze_error_rc(result) != DPR_RC_DEVICE_LOST)
		return ze_error_check(device->instance, result, call);
	if (is_another(device))
		return dprh_fail(device->instance->host, DPR_RC_DEP_FAILED,
				 (int64_t)result,
				 "%s: the work waited for work of a "
				 "device that is lost: %s",
				 call, ze_error_name(result));
	mark_lost(device);
	return ze_error_check(device->instance, result, call);
}
