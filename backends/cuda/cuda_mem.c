/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_mem.c - device, pinned, managed and imported memory. */
#include "cuda_objects.h"

/* The alignment of every allocation of the driver. */
#define BASE_ALIGN 256u

static dprp_rc check_desc(dprp_device *device, const dprp_mem_desc *desc)
{
	const dprp_host *host = device->instance->host;

	/* Unpinning waits for the whole device, which makes imports half as
	   fast as copies through memory of kind HOST. */
	if (desc->kind == DPRP_MEM_IMPORT_HOST)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "the CUDA backend does not support "
				 "importing memory of the program");
	if (desc->kind < DPRP_MEM_DEVICE || desc->kind > DPRP_MEM_HOST)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "memory of kind %u is unknown",
				 (unsigned)desc->kind);
	if (desc->kind == DPRP_MEM_SHARED && !device->managed)
		return dprh_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"the device has no managed memory that the host may "
			"use while kernels run");
	return DPR_RC_OK;
}

/* Allocate @size bytes with the driver.  The context must be current. */
static CUresult ask_driver(dprp_mem *mem, size_t size, const char **call)
{
	const struct cuda_api *cu = &mem->context->instance->cu;
	CUdeviceptr address = 0;
	CUresult error;
	void *base = NULL;

	switch (mem->kind) {
	case DPRP_MEM_HOST:
		*call = "cuMemHostAlloc";
		mem->origin = CUDA_ORIGIN_HOST;
		error = cu->cuMemHostAlloc(&base, size,
					   CU_MEMHOSTALLOC_PORTABLE |
						   CU_MEMHOSTALLOC_DEVICEMAP);
		mem->base = (CUdeviceptr)(uintptr_t)base;
		return error;
	case DPRP_MEM_SHARED:
		*call = "cuMemAllocManaged";
		error = cu->cuMemAllocManaged(&address, size,
					      CU_MEM_ATTACH_GLOBAL);
		break;
	default: *call = "cuMemAlloc"; error = cu->cuMemAlloc(&address, size);
	}
	mem->origin = CUDA_ORIGIN_ALLOC;
	mem->base = address;
	return error;
}

static CUresult allocate(dprp_mem *mem, const dprp_mem_desc *desc,
			 const char **call)
{
	uint64_t align = desc->align > BASE_ALIGN ? desc->align : 0, size;
	CUresult error;

	*call = "an allocation";
	if (__builtin_add_overflow(desc->size, align, &size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	error = ask_driver(mem, size, call);
	mem->address = mem->base;
	if (align)
		mem->address = (mem->base + align - 1) & ~(align - 1);
	return error;
}

dprp_rc cuda_mem_alloc(dprp_context *context, dprp_device *device,
		       const dprp_mem_desc *theirs, dprp_mem **out)
{
	dprp_instance *instance = context->instance;
	const struct cuda_api *cu = &instance->cu;
	const char *call = "cuCtxPushCurrent";
	CUstreamCaptureMode mode;
	dprp_mem_desc desc;
	CUresult error;
	dprp_mem *mem;
	bool entered;
	dprp_rc rc = dprh_take_mem(instance->host, theirs, &desc);

	*out = NULL;
	if (!rc)
		rc = check_desc(device, &desc);
	if (rc)
		return rc;
	mem = dprh_alloc(instance->host, 1, sizeof(*mem));
	if (!mem)
		return dprh_no_memory(instance->host, "an allocation");
	mem->context = context;
	mem->kind = desc.kind;
	mem->size = desc.size;
	mode = cuda_capture_ignore(cu);
	error = cuda_context_enter(cu, context->scope.cu, &entered);
	if (!error)
		error = allocate(mem, &desc, &call);
	cuda_context_leave(cu, entered);
	cuda_capture_heed(cu, mode);
	if (!error) {
		*out = mem;
		return DPR_RC_OK;
	}
	dprh_free(instance->host, mem);
	return cuda_error_check_device(device, error, call);
}

/* Give memory back to the driver.  The context must be current. */
static void give_back(const struct cuda_api *cu, const dprp_mem *mem)
{
	switch (mem->origin) {
	case CUDA_ORIGIN_ALLOC: cu->cuMemFree(mem->base); break;
	case CUDA_ORIGIN_HOST:
		cu->cuMemFreeHost((void *)(uintptr_t)mem->base);
		break;
	case CUDA_ORIGIN_IPC: cu->cuIpcCloseMemHandle(mem->base); break;
	case CUDA_ORIGIN_FOREIGN: break;
	}
}

void cuda_mem_free(dprp_mem *mem)
{
	const struct cuda_api *cu = &mem->context->instance->cu;
	CUstreamCaptureMode mode = cuda_capture_ignore(cu);
	bool entered;

	/* A reset of the context has freed the memory already, and another
	   library may have memory at this address now. */
	if (mem->origin != CUDA_ORIGIN_FOREIGN &&
	    cuda_context_is_ours(mem->context)) {
		if (!cuda_context_enter(cu, mem->context->scope.cu, &entered))
			give_back(cu, mem);
		cuda_context_leave(cu, entered);
	}
	cuda_capture_heed(cu, mode);
	dprh_free(mem->context->instance->host, mem);
}

dprp_rc cuda_mem_info(dprp_mem *mem, uint32_t key, void *buffer,
		      size_t capacity, size_t *need)
{
	return dprh_mem_info(mem->context->instance->host,
			     (const void *)(uintptr_t)mem->address, mem->kind,
			     key, buffer, capacity, need);
}

/* Ask the driver about an address.  Returns 0 if the address is unknown. */
static uint64_t ask_pointer(const struct cuda_api *cu, uintptr_t address,
			    CUpointer_attribute key, void *value)
{
	return !cu->cuPointerGetAttribute(value, key, (CUdeviceptr)address);
}

bool cuda_mem_is_pinned(dprp_context *context, const void *address,
			uint64_t size)
{
	const struct cuda_api *cu = &context->instance->cu;
	uintptr_t first = (uintptr_t)address, last = first + (size_t)size - 1;
	unsigned type = 0;

	return ask_pointer(cu, first, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
			   &type) &&
	       type == CU_MEMORYTYPE_HOST &&
	       ask_pointer(cu, last, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, &type) &&
	       type == CU_MEMORYTYPE_HOST;
}

/* Whether the range lies in one allocation of the driver, which begins at
 *@base. */
static bool is_one_range(dprp_context *context, uintptr_t address,
			 uint64_t size, CUdeviceptr *base)
{
	const struct cuda_api *cu = &context->instance->cu;
	size_t length = 0;
	bool entered;
	CUresult error = cuda_context_enter(cu, context->scope.cu, &entered);

	if (!error)
		error = cu->cuMemGetAddressRange(base, &length,
						 (CUdeviceptr)address);
	cuda_context_leave(cu, entered);
	return !error && size <= length - (address - *base);
}

dprp_rc cuda_mem_over(dprp_context *context, uintptr_t address, uint64_t size,
		      bool own, dprp_mem **out)
{
	dprp_instance *instance = context->instance;
	const struct cuda_api *cu = &instance->cu;
	unsigned type = 0, managed = 0;
	CUdeviceptr base = 0;
	int ordinal = -1;
	dprp_mem *mem;

	if (!ask_pointer(cu, address, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
			 &type) ||
	    !is_one_range(context, address, size, &base))
		return dprh_fail(instance->host, DPR_RC_INVALID, 0,
				 "at %#llx CUDA knows no memory of %llu bytes",
				 (unsigned long long)address,
				 (unsigned long long)size);
	ask_pointer(cu, address, CU_POINTER_ATTRIBUTE_IS_MANAGED, &managed);
	ask_pointer(cu, address, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, &ordinal);
	if (type == CU_MEMORYTYPE_DEVICE && !managed &&
	    ordinal != (int)context->root->number)
		return dprh_fail(
			instance->host, DPR_RC_INVALID, 0,
			"the memory at %#llx belongs to CUDA device %d, not "
			"to device %u",
			(unsigned long long)address, ordinal,
			(unsigned)context->root->number);
	mem = dprh_alloc(instance->host, 1, sizeof(*mem));
	if (!mem)
		return dprh_no_memory(instance->host, "memory");
	mem->context = context;
	mem->size = size;
	mem->address = (CUdeviceptr)address;
	mem->base = base;
	mem->kind = managed                      ? DPRP_MEM_SHARED
		    : type == CU_MEMORYTYPE_HOST ? DPRP_MEM_HOST
						 : DPRP_MEM_DEVICE;
	mem->origin = !own                         ? CUDA_ORIGIN_FOREIGN
		      : mem->kind == DPRP_MEM_HOST ? CUDA_ORIGIN_HOST
						   : CUDA_ORIGIN_ALLOC;
	*out = mem;
	return DPR_RC_OK;
}

/* dprp_ipc.type: there is only one form of CUipcMemHandle. */
#define IPC_TYPE 1u

dprp_rc cuda_mem_ipc_export(dprp_mem *mem, dprp_ipc *out)
{
	dprp_instance *instance = mem->context->instance;
	const struct cuda_api *cu = &instance->cu;
	dprp_ipc ipc = { .struct_size = sizeof(ipc),
			 .type = IPC_TYPE,
			 .fd = -1,
			 .size = mem->size,
			 .offset = mem->address - mem->base };
	CUipcMemHandle handle;
	CUresult error;
	bool entered;

	if (mem->kind != DPRP_MEM_DEVICE || mem->origin != CUDA_ORIGIN_ALLOC)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "CUDA can export only memory of kind "
				 "DEVICE that dpr has allocated");
	error = cuda_context_enter(cu, mem->context->scope.cu, &entered);
	if (!error)
		error = cu->cuIpcGetMemHandle(&handle, mem->base);
	cuda_context_leave(cu, entered);
	if (error)
		return cuda_error_check_device(mem->context->root, error,
					       "cuIpcGetMemHandle");
	memcpy(ipc.bytes, handle.reserved, sizeof(ipc.bytes));
	dprh_give(out, &ipc, sizeof(ipc));
	return DPR_RC_OK;
}

/* Open exported memory of another process, and check that the range lies
   in it.  The context must be current. */
static CUresult open_handle(dprp_mem *mem, const dprp_ipc *ipc)
{
	const struct cuda_api *cu = &mem->context->instance->cu;
	CUdeviceptr base = 0;
	CUipcMemHandle handle;
	size_t length = 0;
	CUresult error;

	memcpy(handle.reserved, ipc->bytes, sizeof(handle.reserved));
	error = cu->cuIpcOpenMemHandle(&mem->base, handle,
				       CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
	if (error)
		return error;
	error = cu->cuMemGetAddressRange(&base, &length, mem->base);
	if (!error &&
	    (ipc->offset > length || ipc->size > length - ipc->offset))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error)
		cu->cuIpcCloseMemHandle(mem->base);
	return error;
}

dprp_rc cuda_mem_ipc_import(dprp_context *context, dprp_device *device,
			    const dprp_ipc *theirs, dprp_mem **out)
{
	dprp_instance *instance = context->instance;
	const dprp_host *host = instance->host;
	const struct cuda_api *cu = &instance->cu;
	CUresult error;
	dprp_ipc ipc;
	dprp_mem *mem;
	bool entered;
	dprp_rc rc = dprh_take(host, "dprp_ipc", &ipc, sizeof(ipc), theirs);

	*out = NULL;
	if (rc)
		return rc;
	if (ipc.type != IPC_TYPE || !ipc.size)
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "this is not a description of CUDA memory");
	mem = dprh_alloc(host, 1, sizeof(*mem));
	if (!mem)
		return dprh_no_memory(host, "memory");
	mem->context = context;
	mem->origin = CUDA_ORIGIN_IPC;
	mem->kind = DPRP_MEM_DEVICE;
	mem->size = ipc.size;
	error = cuda_context_enter(cu, context->scope.cu, &entered);
	if (!error)
		error = open_handle(mem, &ipc);
	cuda_context_leave(cu, entered);
	mem->address = mem->base + ipc.offset;
	if (!error) {
		*out = mem;
		return DPR_RC_OK;
	}
	dprh_free(host, mem);
	rc = cuda_error_check_device(device, error, "cuIpcOpenMemHandle");
	return rc != DPR_RC_NATIVE
		       ? rc
		       : dprh_fail(host, DPR_RC_INVALID, error,
				   "cuIpcOpenMemHandle: %s: memory can only be "
				   "imported from another process, and only "
				   "until that process frees it",
				   cuda_error_name(instance, error));
}
