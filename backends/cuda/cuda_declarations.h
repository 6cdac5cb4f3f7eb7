/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_declarations.h - what the plugin uses of the CUDA driver API, for builds
 * without NVIDIA's headers.
 *
 * Names, numbers and layouts are those of CUDA's public documentation, so that
 * the code compiles with either.  An enum has only the constants that are used.
 * PFN_<name>_v<version> is the type that an entry has since that version of
 * CUDA.  tests/build/check-cuda-header.sh compares this file with the toolkit's
 * header.
 */
#ifndef CUDA_DECLARATIONS_H
#define CUDA_DECLARATIONS_H

#include <stddef.h>
#include <stdint.h>

/* Calling conventions matter on other systems only. */
#define CUDAAPI
#define CUDA_CB

typedef uint64_t cuuint64_t;
typedef int CUdevice_v1;
typedef CUdevice_v1 CUdevice;
typedef unsigned long long CUdeviceptr_v2;
typedef CUdeviceptr_v2 CUdeviceptr;

typedef struct CUctx_st *CUcontext;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef struct CUevent_st *CUevent;
typedef struct CUfunc_st *CUfunction;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUkern_st *CUkernel;
typedef struct CUlib_st *CUlibrary;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUstream_st *CUstream;

typedef enum CUcomputemode_enum {
	CU_COMPUTEMODE_PROHIBITED = 2,
} CUcomputemode;

typedef enum CUdevice_attribute_enum {
	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
	CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
	CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
	CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
	CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
	CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
	CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
	CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
	CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
	CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
} CUdevice_attribute;

typedef enum CUdriverProcAddressQueryResult_enum {
	CU_GET_PROC_ADDRESS_SUCCESS = 0,
	CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
} CUdriverProcAddressQueryResult;

typedef enum CUdriverProcAddress_flags_enum {
	CU_GET_PROC_ADDRESS_LEGACY_STREAM = 1,
} CUdriverProcAddress_flags;

typedef enum CUevent_flags_enum {
	CU_EVENT_DEFAULT = 0,
	CU_EVENT_BLOCKING_SYNC = 1,
	CU_EVENT_DISABLE_TIMING = 2,
} CUevent_flags;

typedef enum CUevent_wait_flags_enum {
	CU_EVENT_WAIT_DEFAULT = 0,
} CUevent_wait_flags;

typedef enum CUfunction_attribute_enum {
	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
	CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
	CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
} CUfunction_attribute;

typedef enum CUipcMem_flags_enum {
	CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1,
} CUipcMem_flags;

typedef enum CUjitInputType_enum {
	CU_JIT_INPUT_PTX = 1,
} CUjitInputType;

typedef enum CUjit_option_enum {
	CU_JIT_INFO_LOG_BUFFER = 3,
	CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
	CU_JIT_ERROR_LOG_BUFFER = 5,
	CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
} CUjit_option;

typedef enum CUlibraryOption_enum {
	CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
} CUlibraryOption;

typedef enum CUmemAttach_flags_enum {
	CU_MEM_ATTACH_GLOBAL = 1,
} CUmemAttach_flags;

typedef enum CUmem_advise_enum {
	CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
	CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
	CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
	CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
} CUmem_advise;

typedef enum CUmemorytype_enum {
	CU_MEMORYTYPE_HOST = 1,
	CU_MEMORYTYPE_DEVICE = 2,
} CUmemorytype;

typedef enum CUpointer_attribute_enum {
	CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
	CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
	CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
} CUpointer_attribute;

typedef enum cudaError_enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_OUT_OF_MEMORY = 2,
	CUDA_ERROR_DEINITIALIZED = 4,
	CUDA_ERROR_STUB_LIBRARY = 34,
	CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
	CUDA_ERROR_NO_DEVICE = 100,
	CUDA_ERROR_INVALID_IMAGE = 200,
	CUDA_ERROR_INVALID_CONTEXT = 201,
	CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
	CUDA_ERROR_ECC_UNCORRECTABLE = 214,
	CUDA_ERROR_INVALID_PTX = 218,
	CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
	CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
	CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
	CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
	CUDA_ERROR_INVALID_SOURCE = 300,
	CUDA_ERROR_INVALID_HANDLE = 400,
	CUDA_ERROR_NOT_FOUND = 500,
	CUDA_ERROR_NOT_READY = 600,
	CUDA_ERROR_ILLEGAL_ADDRESS = 700,
	CUDA_ERROR_LAUNCH_TIMEOUT = 702,
	CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
	CUDA_ERROR_ASSERT = 710,
	CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
	CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
	CUDA_ERROR_MISALIGNED_ADDRESS = 716,
	CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
	CUDA_ERROR_INVALID_PC = 718,
	CUDA_ERROR_LAUNCH_FAILED = 719,
	CUDA_ERROR_NOT_PERMITTED = 800,
	CUDA_ERROR_NOT_SUPPORTED = 801,
	CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
	CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
	CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
	CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
	CUDA_ERROR_EXTERNAL_DEVICE = 911,
	CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION = 915,
	CUDA_ERROR_UNKNOWN = 999,
} CUresult;

typedef enum CUstreamCaptureMode_enum {
	CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
	CU_STREAM_CAPTURE_MODE_RELAXED = 2,
} CUstreamCaptureMode;

typedef enum CUstreamCaptureStatus_enum {
	CU_STREAM_CAPTURE_STATUS_NONE = 0,
} CUstreamCaptureStatus;

typedef enum CUstream_flags_enum {
	CU_STREAM_NON_BLOCKING = 1,
} CUstream_flags;

typedef enum {
	CU_DEV_RESOURCE_TYPE_SM = 1,
} CUdevResourceType;

typedef enum {
	CU_GREEN_CTX_DEFAULT_STREAM = 1,
} CUgreenCtxCreate_flags;

#define CU_DEVICE_CPU ((CUdevice)-1)
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

typedef struct CUuuid_st {
	char bytes[16];
} CUuuid;

typedef struct CUipcMemHandle_st {
	char reserved[64];
} CUipcMemHandle_v1;
typedef CUipcMemHandle_v1 CUipcMemHandle;

typedef struct CUdevSmResource_st {
	unsigned int smCount;
	unsigned int minSmPartitionSize;
	unsigned int smCoscheduledAlignment;
} CUdevSmResource;

typedef struct CUdevResource_st {
	CUdevResourceType type;
	unsigned char unused[92];
	union {
		CUdevSmResource sm;
		unsigned char room[48];
	};
} CUdevResource_v1;
typedef CUdevResource_v1 CUdevResource;

typedef void(CUDA_CB *CUhostFn)(void *);
typedef size_t(CUDA_CB *CUoccupancyB2DSize)(int);

typedef CUresult(CUDAAPI *PFN_cuInit_v2000)(unsigned int);
typedef CUresult(CUDAAPI *PFN_cuGetErrorName_v6000)(CUresult, const char **);
typedef CUresult(CUDAAPI *PFN_cuGetErrorString_v6000)(CUresult, const char **);
typedef CUresult(CUDAAPI *PFN_cuDeviceGetCount_v2000)(int *);
typedef CUresult(CUDAAPI *PFN_cuDeviceGet_v2000)(CUdevice_v1 *, int);
typedef CUresult(CUDAAPI *PFN_cuDeviceGetName_v2000)(char *, int, CUdevice_v1);
typedef CUresult(CUDAAPI *PFN_cuDeviceGetUuid_v11040)(CUuuid *, CUdevice_v1);
typedef CUresult(CUDAAPI *PFN_cuDeviceTotalMem_v3020)(size_t *, CUdevice_v1);
typedef CUresult(CUDAAPI *PFN_cuDeviceGetAttribute_v2000)(int *,
							  CUdevice_attribute,
							  CUdevice_v1);
typedef CUresult(CUDAAPI *PFN_cuDeviceGetPCIBusId_v4010)(char *, int,
							 CUdevice_v1);
typedef CUresult(CUDAAPI *PFN_cuDeviceCanAccessPeer_v4000)(int *, CUdevice_v1,
							   CUdevice_v1);
typedef CUresult(CUDAAPI *PFN_cuDevicePrimaryCtxRetain_v7000)(CUcontext *,
							      CUdevice_v1);
typedef CUresult(CUDAAPI *PFN_cuDevicePrimaryCtxRelease_v11000)(CUdevice_v1);
typedef CUresult(CUDAAPI *PFN_cuDevicePrimaryCtxGetState_v7000)(CUdevice_v1,
								unsigned int *,
								int *);
typedef CUresult(CUDAAPI *PFN_cuCtxPushCurrent_v4000)(CUcontext);
typedef CUresult(CUDAAPI *PFN_cuCtxPopCurrent_v4000)(CUcontext *);
typedef CUresult(CUDAAPI *PFN_cuCtxGetCurrent_v4000)(CUcontext *);
typedef CUresult(CUDAAPI *PFN_cuCtxGetId_v12000)(CUcontext,
						 unsigned long long *);
typedef CUresult(CUDAAPI *PFN_cuCtxEnablePeerAccess_v4000)(CUcontext,
							   unsigned int);
typedef CUresult(CUDAAPI *PFN_cuCtxGetStreamPriorityRange_v5050)(int *, int *);
typedef CUresult(CUDAAPI *PFN_cuMemAlloc_v3020)(CUdeviceptr_v2 *, size_t);
typedef CUresult(CUDAAPI *PFN_cuMemFree_v3020)(CUdeviceptr_v2);
typedef CUresult(CUDAAPI *PFN_cuMemHostAlloc_v2020)(void **, size_t,
						    unsigned int);
typedef CUresult(CUDAAPI *PFN_cuMemFreeHost_v2000)(void *);
typedef CUresult(CUDAAPI *PFN_cuMemAllocManaged_v6000)(CUdeviceptr_v2 *, size_t,
						       unsigned int);
typedef CUresult(CUDAAPI *PFN_cuMemGetInfo_v3020)(size_t *, size_t *);
typedef CUresult(CUDAAPI *PFN_cuPointerGetAttribute_v4000)(void *,
							   CUpointer_attribute,
							   CUdeviceptr_v2);
typedef CUresult(CUDAAPI *PFN_cuMemGetAddressRange_v3020)(CUdeviceptr_v2 *,
							  size_t *,
							  CUdeviceptr_v2);
typedef CUresult(CUDAAPI *PFN_cuIpcGetMemHandle_v4010)(CUipcMemHandle_v1 *,
						       CUdeviceptr_v2);
typedef CUresult(CUDAAPI *PFN_cuIpcOpenMemHandle_v11000)(CUdeviceptr_v2 *,
							 CUipcMemHandle_v1,
							 unsigned int);
typedef CUresult(CUDAAPI *PFN_cuIpcCloseMemHandle_v4010)(CUdeviceptr_v2);
typedef CUresult(CUDAAPI *PFN_cuMemAllocAsync_v11020)(CUdeviceptr_v2 *, size_t,
						      CUstream);
typedef CUresult(CUDAAPI *PFN_cuMemFreeAsync_v11020)(CUdeviceptr_v2, CUstream);
typedef CUresult(CUDAAPI *PFN_cuMemcpyAsync_v4000)(CUdeviceptr_v2,
						   CUdeviceptr_v2, size_t,
						   CUstream);
typedef CUresult(CUDAAPI *PFN_cuMemcpyPeerAsync_v4000)(
	CUdeviceptr_v2, CUcontext, CUdeviceptr_v2, CUcontext, size_t, CUstream);
typedef CUresult(CUDAAPI *PFN_cuMemsetD8Async_v3020)(CUdeviceptr_v2,
						     unsigned char, size_t,
						     CUstream);
typedef CUresult(CUDAAPI *PFN_cuMemsetD16Async_v3020)(CUdeviceptr_v2,
						      unsigned short, size_t,
						      CUstream);
typedef CUresult(CUDAAPI *PFN_cuMemsetD32Async_v3020)(CUdeviceptr_v2,
						      unsigned int, size_t,
						      CUstream);
typedef CUresult(CUDAAPI *PFN_cuMemPrefetchAsync_v8000)(CUdeviceptr_v2, size_t,
							CUdevice_v1, CUstream);
typedef CUresult(CUDAAPI *PFN_cuMemAdvise_v8000)(CUdeviceptr_v2, size_t,
						 CUmem_advise, CUdevice_v1);
typedef CUresult(CUDAAPI *PFN_cuStreamCreateWithPriority_v5050)(CUstream *,
								unsigned int,
								int);
typedef CUresult(CUDAAPI *PFN_cuStreamDestroy_v4000)(CUstream);
typedef CUresult(CUDAAPI *PFN_cuStreamSynchronize_v2000)(CUstream);
typedef CUresult(CUDAAPI *PFN_cuStreamQuery_v2000)(CUstream);
typedef CUresult(CUDAAPI *PFN_cuStreamWaitEvent_v3020)(CUstream, CUevent,
						       unsigned int);
typedef CUresult(CUDAAPI *PFN_cuStreamGetCtx_v9020)(CUstream, CUcontext *);
typedef CUresult(CUDAAPI *PFN_cuLaunchHostFunc_v10000)(CUstream, CUhostFn,
						       void *);
typedef CUresult(CUDAAPI *PFN_cuStreamIsCapturing_v10000)(
	CUstream, CUstreamCaptureStatus *);
typedef CUresult(CUDAAPI *PFN_cuThreadExchangeStreamCaptureMode_v10010)(
	CUstreamCaptureMode *);
typedef CUresult(CUDAAPI *PFN_cuEventCreate_v2000)(CUevent *, unsigned int);
typedef CUresult(CUDAAPI *PFN_cuEventRecord_v2000)(CUevent, CUstream);
typedef CUresult(CUDAAPI *PFN_cuEventQuery_v2000)(CUevent);
typedef CUresult(CUDAAPI *PFN_cuEventSynchronize_v2000)(CUevent);
typedef CUresult(CUDAAPI *PFN_cuEventDestroy_v4000)(CUevent);
typedef CUresult(CUDAAPI *PFN_cuEventElapsedTime_v2000)(float *, CUevent,
							CUevent);
typedef CUresult(CUDAAPI *PFN_cuLinkCreate_v6050)(unsigned int, CUjit_option *,
						  void **, CUlinkState *);
typedef CUresult(CUDAAPI *PFN_cuLinkAddData_v6050)(CUlinkState, CUjitInputType,
						   void *, size_t, const char *,
						   unsigned int, CUjit_option *,
						   void **);
typedef CUresult(CUDAAPI *PFN_cuLinkComplete_v5050)(CUlinkState, void **,
						    size_t *);
typedef CUresult(CUDAAPI *PFN_cuLinkDestroy_v5050)(CUlinkState);
typedef CUresult(CUDAAPI *PFN_cuLibraryLoadData_v12000)(
	CUlibrary *, const void *, CUjit_option *, void **, unsigned int,
	CUlibraryOption *, void **, unsigned int);
typedef CUresult(CUDAAPI *PFN_cuLibraryUnload_v12000)(CUlibrary);
typedef CUresult(CUDAAPI *PFN_cuLibraryGetKernel_v12000)(CUkernel *, CUlibrary,
							 const char *);
typedef CUresult(CUDAAPI *PFN_cuKernelGetFunction_v12000)(CUfunction *,
							  CUkernel);
typedef CUresult(CUDAAPI *PFN_cuKernelGetAttribute_v12000)(int *,
							   CUfunction_attribute,
							   CUkernel, CUdevice);
typedef CUresult(CUDAAPI *PFN_cuKernelSetAttribute_v12000)(CUfunction_attribute,
							   int, CUkernel,
							   CUdevice);
typedef CUresult(CUDAAPI *PFN_cuKernelGetParamInfo_v12040)(CUkernel, size_t,
							   size_t *, size_t *);
typedef CUresult(CUDAAPI *PFN_cuFuncLoad_v12040)(CUfunction);
typedef CUresult(CUDAAPI *PFN_cuLaunchKernel_v4000)(CUfunction, unsigned int,
						    unsigned int, unsigned int,
						    unsigned int, unsigned int,
						    unsigned int, unsigned int,
						    CUstream, void **, void **);
typedef CUresult(CUDAAPI *PFN_cuDeviceGetDevResource_v12040)(CUdevice,
							     CUdevResource *,
							     CUdevResourceType);
typedef CUresult(CUDAAPI *PFN_cuDevSmResourceSplitByCount_v12040)(
	CUdevResource *, unsigned int *, const CUdevResource *, CUdevResource *,
	unsigned int, unsigned int);
typedef CUresult(CUDAAPI *PFN_cuDevResourceGenerateDesc_v12040)(
	CUdevResourceDesc *, CUdevResource *, unsigned int);
typedef CUresult(CUDAAPI *PFN_cuGreenCtxCreate_v12040)(CUgreenCtx *,
						       CUdevResourceDesc,
						       CUdevice, unsigned int);
typedef CUresult(CUDAAPI *PFN_cuGreenCtxDestroy_v12040)(CUgreenCtx);
typedef CUresult(CUDAAPI *PFN_cuCtxFromGreenCtx_v12040)(CUcontext *,
							CUgreenCtx);
typedef CUresult(CUDAAPI *PFN_cuGreenCtxGetDevResource_v12040)(
	CUgreenCtx, CUdevResource *, CUdevResourceType);
typedef CUresult(CUDAAPI *PFN_cuGreenCtxStreamCreate_v12050)(CUstream *,
							     CUgreenCtx,
							     unsigned int, int);
typedef CUresult(CUDAAPI *PFN_cuGetProcAddress_v12000)(
	const char *, void **, int, cuuint64_t,
	CUdriverProcAddressQueryResult *);
typedef CUresult(CUDAAPI *PFN_cuDriverGetVersion_v2020)(int *);

#endif
