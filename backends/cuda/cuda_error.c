/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_error.c - the ABI's codes for the driver's errors. */
#include "cuda_objects.h"

dprp_rc cuda_error_rc(CUresult error)
{
	switch (error) {
	case CUDA_SUCCESS: return DPR_RC_OK;
	case CUDA_ERROR_OUT_OF_MEMORY: return DPR_RC_OOM_DEVICE;
	case CUDA_ERROR_NO_DEVICE: return DPR_RC_NO_DEVICE;
	case CUDA_ERROR_DEINITIALIZED: return DPR_RC_SHUTDOWN;
	case CUDA_ERROR_NOT_SUPPORTED:
	case CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION: /* the driver reports it
							   for parts */
	case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
	case CUDA_ERROR_NO_BINARY_FOR_GPU:
	case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
	case CUDA_ERROR_JIT_COMPILATION_DISABLED: return DPR_RC_UNSUPPORTED;
	case CUDA_ERROR_INVALID_PTX: return DPR_RC_BUILD;
	case CUDA_ERROR_INVALID_IMAGE:
	case CUDA_ERROR_INVALID_SOURCE: return DPR_RC_INVALID;
	/* After one of these, every later call on the context fails. */
	case CUDA_ERROR_ILLEGAL_ADDRESS:
	case CUDA_ERROR_LAUNCH_FAILED:
	case CUDA_ERROR_LAUNCH_TIMEOUT:
	case CUDA_ERROR_HARDWARE_STACK_ERROR:
	case CUDA_ERROR_ILLEGAL_INSTRUCTION:
	case CUDA_ERROR_MISALIGNED_ADDRESS:
	case CUDA_ERROR_INVALID_ADDRESS_SPACE:
	case CUDA_ERROR_INVALID_PC:
	case CUDA_ERROR_ASSERT:
	case CUDA_ERROR_ECC_UNCORRECTABLE:
	case CUDA_ERROR_NVLINK_UNCORRECTABLE:
	case CUDA_ERROR_CONTEXT_IS_DESTROYED:
	case CUDA_ERROR_DEVICE_UNAVAILABLE:
	case CUDA_ERROR_EXTERNAL_DEVICE: return DPR_RC_DEVICE_LOST;
	default: return DPR_RC_NATIVE;
	}
}

const char *cuda_error_name(const dprp_instance *instance, CUresult error)
{
	const char *name = NULL;

	if (instance->cu.cuGetErrorName(error, &name) || !name)
		return "an unknown error";
	return name;
}

dprp_rc cuda_error_check(dprp_instance *instance, CUresult error,
			 const char *call)
{
	const char *text = NULL;

	if (error == CUDA_SUCCESS)
		return DPR_RC_OK;
	if (instance->cu.cuGetErrorString(error, &text) || !text)
		text = "no description";
	return dprh_fail(instance->host, cuda_error_rc(error), error,
			 "%s: %s (%d, %s)", call,
			 cuda_error_name(instance, error), (int)error, text);
}

dprp_rc cuda_error_check_device(dprp_device *device, CUresult error,
				const char *call)
{
	dprp_instance *instance = device->instance;

	if (cuda_error_rc(error) == DPR_RC_DEVICE_LOST)
		instance->host->device_lost(instance->host->self, device,
					    cuda_error_name(instance, error));
	return cuda_error_check(instance, error, call);
}
