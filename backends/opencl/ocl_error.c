/* SPDX-License-Identifier: Apache-2.0 */
/* ocl_error.c - the names of OpenCL's error codes, and the ABI's codes for
   them. */
#include "ocl.h"

static const struct {
	cl_int code;
	const char *name;
} ocl_error_names[] = {
#define N(name)             \
	{                   \
		name, #name \
	}
	N(CL_DEVICE_NOT_FOUND),
	N(CL_DEVICE_NOT_AVAILABLE),
	N(CL_COMPILER_NOT_AVAILABLE),
	N(CL_MEM_OBJECT_ALLOCATION_FAILURE),
	N(CL_OUT_OF_RESOURCES),
	N(CL_OUT_OF_HOST_MEMORY),
	N(CL_PROFILING_INFO_NOT_AVAILABLE),
	N(CL_MEM_COPY_OVERLAP),
	N(CL_IMAGE_FORMAT_MISMATCH),
	N(CL_IMAGE_FORMAT_NOT_SUPPORTED),
	N(CL_BUILD_PROGRAM_FAILURE),
	N(CL_MAP_FAILURE),
	N(CL_MISALIGNED_SUB_BUFFER_OFFSET),
	N(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
	N(CL_COMPILE_PROGRAM_FAILURE),
	N(CL_LINKER_NOT_AVAILABLE),
	N(CL_LINK_PROGRAM_FAILURE),
	N(CL_DEVICE_PARTITION_FAILED),
	N(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
	N(CL_INVALID_VALUE),
	N(CL_INVALID_DEVICE_TYPE),
	N(CL_INVALID_PLATFORM),
	N(CL_INVALID_DEVICE),
	N(CL_INVALID_CONTEXT),
	N(CL_INVALID_QUEUE_PROPERTIES),
	N(CL_INVALID_COMMAND_QUEUE),
	N(CL_INVALID_HOST_PTR),
	N(CL_INVALID_MEM_OBJECT),
	N(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
	N(CL_INVALID_IMAGE_SIZE),
	N(CL_INVALID_SAMPLER),
	N(CL_INVALID_BINARY),
	N(CL_INVALID_BUILD_OPTIONS),
	N(CL_INVALID_PROGRAM),
	N(CL_INVALID_PROGRAM_EXECUTABLE),
	N(CL_INVALID_KERNEL_NAME),
	N(CL_INVALID_KERNEL_DEFINITION),
	N(CL_INVALID_KERNEL),
	N(CL_INVALID_ARG_INDEX),
	N(CL_INVALID_ARG_VALUE),
	N(CL_INVALID_ARG_SIZE),
	N(CL_INVALID_KERNEL_ARGS),
	N(CL_INVALID_WORK_DIMENSION),
	N(CL_INVALID_WORK_GROUP_SIZE),
	N(CL_INVALID_WORK_ITEM_SIZE),
	N(CL_INVALID_GLOBAL_OFFSET),
	N(CL_INVALID_EVENT_WAIT_LIST),
	N(CL_INVALID_EVENT),
	N(CL_INVALID_OPERATION),
	N(CL_INVALID_GL_OBJECT),
	N(CL_INVALID_BUFFER_SIZE),
	N(CL_INVALID_MIP_LEVEL),
	N(CL_INVALID_GLOBAL_WORK_SIZE),
	N(CL_INVALID_PROPERTY),
	N(CL_INVALID_IMAGE_DESCRIPTOR),
	N(CL_INVALID_COMPILER_OPTIONS),
	N(CL_INVALID_LINKER_OPTIONS),
	N(CL_INVALID_DEVICE_PARTITION_COUNT),
	N(CL_INVALID_PIPE_SIZE),
	N(CL_INVALID_DEVICE_QUEUE),
	N(CL_INVALID_SPEC_ID),
	N(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
#undef N
	/* Codes of extensions and vendors are numbers here, because not every
	   version of the headers names them. */
	{ -1000, "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR" },
	{ -1001, "CL_PLATFORM_NOT_FOUND_KHR" },
	{ -1057, "CL_DEVICE_PARTITION_FAILED_EXT" },
	{ -1058, "CL_INVALID_PARTITION_COUNT_EXT" },
	{ -1059, "CL_INVALID_PARTITION_NAME_EXT" },
	{ -1092, "CL_EGL_RESOURCE_NOT_ACQUIRED_KHR" },
	{ -1093, "CL_INVALID_EGL_OBJECT_KHR" },
	{ -1094, "CL_INVALID_ACCELERATOR_INTEL" },
	{ -1097, "CL_INVALID_VA_API_MEDIA_ADAPTER_INTEL" },
	{ -1122, "CL_CONTEXT_TERMINATED_KHR" },
	{ -1138, "CL_INVALID_COMMAND_BUFFER_KHR" },
	{ -1139, "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR" },
	{ -9999, "NVIDIA: illegal read or write by a kernel or a copy" },
};

const char *ocl_error_name(cl_int error)
{
	size_t i;

	for (i = 0; i < sizeof(ocl_error_names) / sizeof(ocl_error_names[0]);
	     i++)
		if (ocl_error_names[i].code == error)
			return ocl_error_names[i].name;
	return "an unknown error";
}

dprp_rc ocl_error_rc(cl_int error)
{
	switch (error) {
	case CL_SUCCESS: return DPR_RC_OK;
	case CL_OUT_OF_HOST_MEMORY: return DPR_RC_OOM_HOST;
	case CL_MEM_OBJECT_ALLOCATION_FAILURE: return DPR_RC_OOM_DEVICE;
	case CL_DEVICE_NOT_AVAILABLE:
	case -1122: return DPR_RC_DEVICE_LOST;
	case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
		return DPR_RC_DEP_FAILED;
	case CL_BUILD_PROGRAM_FAILURE:
	case CL_COMPILE_PROGRAM_FAILURE:
	case CL_LINK_PROGRAM_FAILURE:
	case CL_INVALID_BUILD_OPTIONS:
	case CL_INVALID_COMPILER_OPTIONS:
	case CL_INVALID_LINKER_OPTIONS: return DPR_RC_BUILD;
	case CL_COMPILER_NOT_AVAILABLE:
	case CL_LINKER_NOT_AVAILABLE: return DPR_RC_UNSUPPORTED;
	case CL_MEM_COPY_OVERLAP:
	case CL_MISALIGNED_SUB_BUFFER_OFFSET:
	case CL_INVALID_KERNEL_NAME:
	case CL_INVALID_ARG_INDEX:
	case CL_INVALID_ARG_VALUE:
	case CL_INVALID_ARG_SIZE:
	case CL_INVALID_KERNEL_ARGS:
	case CL_INVALID_WORK_DIMENSION:
	case CL_INVALID_WORK_GROUP_SIZE:
	case CL_INVALID_WORK_ITEM_SIZE:
	case CL_INVALID_GLOBAL_WORK_SIZE:
	case CL_INVALID_BINARY:
	case CL_INVALID_SPEC_ID:
	case CL_INVALID_DEVICE_PARTITION_COUNT: return DPR_RC_INVALID;
	default: return DPR_RC_NATIVE;
	}
}

dprp_rc ocl_error_check(const dprp_host *host, cl_int error, const char *call)
{
	if (error == CL_SUCCESS)
		return DPR_RC_OK;
	return dprh_fail(host, ocl_error_rc(error), error, "%s: %s (%d)", call,
			 ocl_error_name(error), (int)error);
}

void ocl_error_lost(dprp_queue *queue, cl_int error)
{
	const dprp_host *host = queue->instance->host;

	if (ocl_error_rc(error) == DPR_RC_DEVICE_LOST)
		host->device_lost(host->self, queue->device,
				  ocl_error_name(error));
}

dprp_rc ocl_error_check_queue(dprp_queue *queue, cl_int error, const char *call)
{
	ocl_error_lost(queue, error);
	return ocl_error_check(queue->instance->host, error, call);
}
