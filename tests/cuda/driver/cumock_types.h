/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_types.h - the driver's types as the plugin declares them, and
   constants that only the mock needs. */
#ifndef CUMOCK_TYPES_H
#define CUMOCK_TYPES_H

#include "backends/cuda/cuda_declarations.h"

/* The plugin's enums have some of these, with the same values. */
#define CUDA_ERROR_INVALID_VALUE ((CUresult)1)
#define CUDA_ERROR_NOT_INITIALIZED ((CUresult)3)
#define CUDA_ERROR_INVALID_DEVICE ((CUresult)101)
#define CUDA_ERROR_MAP_FAILED ((CUresult)205)
#define CUDA_ERROR_CONTEXT_ALREADY_IN_USE ((CUresult)216)
#define CUDA_ERROR_PEER_ACCESS_UNSUPPORTED ((CUresult)217)
#define CUDA_ERROR_INVALID_HANDLE ((CUresult)400)
#define CUDA_ERROR_NOT_FOUND ((CUresult)500)
#define CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ((CUresult)704)
#define CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED ((CUresult)712)
#define CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED ((CUresult)713)
#define CUDA_ERROR_NOT_PERMITTED ((CUresult)800)
#define CUDA_ERROR_INVALID_RESOURCE_TYPE ((CUresult)914)
#define CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION ((CUresult)915)

#define CU_COMPUTEMODE_EXCLUSIVE_PROCESS 3
#define CU_EVENT_DISABLE_TIMING 2
#define CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES 8
#define CU_JIT_INPUT_PTX 1
#define CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT \
	((CUdriverProcAddressQueryResult)2)
#define CU_POINTER_ATTRIBUTE_CONTEXT 1
#define CU_POINTER_ATTRIBUTE_DEVICE_POINTER 3
#define CU_POINTER_ATTRIBUTE_HOST_POINTER 4
#define CU_POINTER_ATTRIBUTE_RANGE_START_ADDR 11
#define CU_POINTER_ATTRIBUTE_RANGE_SIZE 12

#endif
