/* SPDX-License-Identifier: Apache-2.0 */
/* ze_mem.c - device, shared, host and imported memory. */
#include <fcntl.h>
#include <unistd.h>

#include "ze_objects.h"

/* The forms of a handle for another process: plain bytes, or bytes that begin
   with a file descriptor. */
#define IPC_BYTES 1u
#define IPC_FILE 2u

static dprp_rc check_desc(dprp_device *device, const dprp_mem_desc *desc)
{
	const dprp_host *host = device->instance->host;
	ze_memory_access_cap_flags_t access;

	switch (desc->kind) {
	case DPRP_MEM_DEVICE:
		access = device->access.deviceAllocCapabilities;
		break;
	case DPRP_MEM_SHARED:
		access = device->access.sharedSingleDeviceAllocCapabilities;
		break;
	case DPRP_MEM_HOST:
		access = device->access.hostAllocCapabilities;
		break;
	case DPRP_MEM_IMPORT_HOST:
		if (!desc->host_ptr)
			return dprh_fail(host, DPR_RC_INVALID, 0,
					 "the address of the memory "
					 "to import is NULL");
		access = ZE_MEMORY_ACCESS_CAP_FLAG_RW;
		if (device->driver->import)
			break;
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "the driver cannot import memory of "
				 "the host");
	default:
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "memory of kind %u is unknown",
				 (unsigned)desc->kind);
	}
	if (access & ZE_MEMORY_ACCESS_CAP_FLAG_RW)
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			 "%s has no memory of this kind",
			 device->properties.name);
}

/* Allocate memory of kind mem->kind with the driver. */
static ze_result_t ask_driver(dprp_mem *mem, dprp_device *device, size_t size,
			      size_t align, const char **call)
{
	const struct ze_api *ze = &mem->context->instance->ze;
	const ze_relaxed_allocation_limits_exp_desc_t relaxed = {
		.stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC,
		.flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE,
	};
	const void *next = size > device->properties.maxMemAllocSize &&
					   device->driver->relaxed
				   ? &relaxed
				   : NULL;
	const ze_device_mem_alloc_desc_t on_device = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = next
	};
	const ze_host_mem_alloc_desc_t on_host = {
		.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, .pNext = next
	};

	switch (mem->kind) {
	case DPRP_MEM_HOST:
		*call = "zeMemAllocHost";
		return ze->zeMemAllocHost(mem->context->ze, &on_host, size,
					  align, &mem->base);
	case DPRP_MEM_SHARED:
		*call = "zeMemAllocShared";
		return ze->zeMemAllocShared(mem->context->ze, &on_device,
					    &on_host, size, align, device->ze,
					    &mem->base);
	default:
		*call = "zeMemAllocDevice";
		return ze->zeMemAllocDevice(mem->context->ze, &on_device, size,
					    align, device->ze, &mem->base);
	}
}

/* Allocate with the requested alignment.  Some drivers refuse a large
   alignment, and others ignore it: then allocate more, and let the memory begin
   at an aligned address inside. */
static ze_result_t allocate(dprp_mem *mem, dprp_device *device,
			    const dprp_mem_desc *desc, const char **call)
{
	const struct ze_api *ze = &mem->context->instance->ze;
	size_t align = desc->align > ZE_ALIGN ? (size_t)desc->align : ZE_ALIGN;
	size_t size = (size_t)desc->size;
	ze_result_t result;

	if (desc->kind == DPRP_MEM_IMPORT_HOST) {
		*call = ZE_NEWER_IMPORT;
		mem->origin = ZE_ORIGIN_IMPORT;
		mem->address = mem->base = desc->host_ptr;
		return device->driver->import(device->driver->behind,
					      desc->host_ptr, size);
	}
	result = ask_driver(mem, device, size, align, call);

	mem->address = mem->base;
	if (!result && (uintptr_t)mem->base & (align - 1))
		ze->zeMemFree(mem->context->ze, mem->base);
	else if (result != ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT)
		return result;
	if (__builtin_add_overflow(size, align, &size))
		return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
	result = ask_driver(mem, device, size, 0, call);
	mem->address = (char *)mem->base +
		       (-(uintptr_t)mem->base & (uintptr_t)(align - 1));
	return result;
}

static dprp_mem *new_mem(dprp_context *context, enum ze_origin origin,
			 uint32_t kind, uint64_t size)
{
	dprp_mem *mem = dprh_alloc(context->instance->host, 1, sizeof(*mem));

	if (!mem)
		return NULL;
	mem->context = context;
	mem->origin = origin;
	mem->kind = kind;
	mem->size = size;
	mem->serial = atomic_fetch_add(&context->instance->n_mems, 1) + 1;
	return mem;
}

dprp_rc ze_mem_alloc(dprp_context *context, dprp_device *device,
		     const dprp_mem_desc *theirs, dprp_mem **out)
{
	dprp_instance *instance = context->instance;
	const char *call;
	dprp_mem_desc desc;
	ze_result_t result;
	dprp_mem *mem;
	dprp_rc rc = dprh_take_mem(instance->host, theirs, &desc);

	*out = NULL;
	if (!rc)
		rc = check_desc(device, &desc);
	if (rc)
		return rc;
	mem = new_mem(context, ZE_ORIGIN_ALLOC, desc.kind, desc.size);
	if (!mem)
		return dprh_no_memory(instance->host, "an allocation");
	result = allocate(mem, device, &desc, &call);
	if (!result) {
		*out = mem;
		return DPR_RC_OK;
	}
	dprh_free(instance->host, mem);
	if (result == ZE_RESULT_ERROR_UNSUPPORTED_SIZE)
		return dprh_fail(
			instance->host, DPR_RC_OOM_DEVICE, (int64_t)result,
			"%s: %s: %llu bytes; one allocation can have at most "
			"%llu",
			call, ze_error_name(result),
			(unsigned long long)desc.size,
			(unsigned long long)device->properties.maxMemAllocSize);
	return ze_error_check_device(device, result, call);
}

void ze_mem_free(dprp_mem *mem)
{
	const struct ze_api *ze = &mem->context->instance->ze;
	const struct ze_driver *driver = mem->context->driver;

	switch (mem->origin) {
	case ZE_ORIGIN_ALLOC: ze->zeMemFree(mem->context->ze, mem->base); break;
	case ZE_ORIGIN_IPC:
		ze->zeMemCloseIpcHandle(mem->context->ze, mem->base);
		break;
	case ZE_ORIGIN_IMPORT:
		driver->release(driver->behind, mem->base);
		break;
	case ZE_ORIGIN_FOREIGN: break;
	}
	dprh_free(mem->context->instance->host, mem);
}

dprp_rc ze_mem_info(dprp_mem *mem, uint32_t key, void *buffer, size_t capacity,
		    size_t *need)
{
	return dprh_mem_info(mem->context->instance->host, mem->address,
			     mem->kind, key, buffer, capacity, need);
}

/* --- Memory of the program --- */

/* Whether a result means that the driver does not know the address. */
static bool is_unknown(ze_result_t result)
{
	return result == ZE_RESULT_ERROR_INVALID_ARGUMENT ||
	       result == ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

/* Ask the driver for the kind of memory at an address.  *@kind is a DPRP_MEM_*,
   or 0 if the driver does not know the address. */
static dprp_rc ask_kind(dprp_context *context, const void *address,
			uint32_t *kind, ze_device_handle_t *device)
{
	ze_memory_allocation_properties_t properties = {
		.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES
	};
	ze_result_t result = context->instance->ze.zeMemGetAllocProperties(
		context->ze, address, &properties, device);

	*kind = 0;
	if (result && !is_unknown(result))
		return ze_error_check_device(context->root, result,
					     "zeMemGetAllocProperties");
	if (result)
		return DPR_RC_OK;
	switch (properties.type) {
	case ZE_MEMORY_TYPE_HOST: *kind = DPRP_MEM_HOST; break;
	case ZE_MEMORY_TYPE_DEVICE: *kind = DPRP_MEM_DEVICE; break;
	case ZE_MEMORY_TYPE_SHARED: *kind = DPRP_MEM_SHARED; break;
	default: break;
	}
	return DPR_RC_OK;
}

dprp_rc ze_mem_check_known(dprp_context *context, const void *address,
			   uint64_t size)
{
	const char *last = (const char *)address + (size ? size - 1 : 0);
	ze_device_handle_t device = NULL;
	uint32_t kind, kind_of_last;
	dprp_rc rc = ask_kind(context, address, &kind, &device);

	if (rc)
		return rc;
	if (kind != DPRP_MEM_HOST && kind != DPRP_MEM_SHARED)
		return dprh_host_memory(context->instance->host);
	rc = ask_kind(context, last, &kind_of_last, &device);
	return !rc && kind_of_last != kind
		       ? dprh_host_memory(context->instance->host)
		       : rc;
}

/* Ask the driver for the allocation at an address.  *@base is its beginning, or
   NULL if the range does not lie in one allocation. */
static dprp_rc ask_range(dprp_context *context, const void *address,
			 uint64_t size, void **base)
{
	size_t length = 0;
	ze_result_t result = context->instance->ze.zeMemGetAddressRange(
		context->ze, address, base, &length);

	if (result && !is_unknown(result))
		return ze_error_check_device(context->root, result,
					     "zeMemGetAddressRange");
	if (result ||
	    size > length - (size_t)((const char *)address - (char *)*base))
		*base = NULL;
	return DPR_RC_OK;
}

static bool is_of_root(const dprp_device *root, ze_device_handle_t device)
{
	uint32_t i;

	for (i = 0; i < root->n_tiles; i++)
		if (root->tiles[i] == device)
			return true;
	return device == root->ze;
}

dprp_rc ze_mem_over(dprp_context *context, uintptr_t at, uint64_t size,
		    bool own, dprp_mem **out)
{
	const dprp_host *host = context->instance->host;
	void *address = (void *)at, *base = NULL;
	ze_device_handle_t device = NULL;
	uint32_t kind;
	dprp_mem *mem;
	dprp_rc rc = ask_kind(context, address, &kind, &device);

	if (!rc && kind)
		rc = ask_range(context, address, size, &base);
	if (rc)
		return rc;
	if (!base)
		return dprh_fail(
			host, DPR_RC_INVALID, 0,
			"the memory at %p, %llu bytes, is not of the queue's "
			"ze_context: allocate it in the ze_context that is "
			"the native handle of the queue's context",
			address, (unsigned long long)size);
	if (kind == DPRP_MEM_DEVICE && !is_of_root(context->root, device))
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "the memory at %p belongs to another "
				 "device than %s",
				 address, context->root->properties.name);
	mem = new_mem(context, own ? ZE_ORIGIN_ALLOC : ZE_ORIGIN_FOREIGN, kind,
		      size);
	if (!mem)
		return dprh_no_memory(host, "memory");
	mem->address = address;
	mem->base = base;
	*out = mem;
	return DPR_RC_OK;
}

/* --- Memory for other processes --- */

/* The file descriptor that a handle begins with, or -1.  A driver that exports
   memory as a file puts its descriptor there. */
static int find_file(const ze_ipc_mem_handle_t *handle)
{
	char path[40], target[64];
	ssize_t length;
	int fd;

	memcpy(&fd, handle->data, sizeof(fd));
	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return -1;
	target[length] = '\0';
	return !strncmp(target, "/dmabuf", 7) || !strncmp(target, "/memfd:", 7)
		       ? fd
		       : -1;
}

dprp_rc ze_mem_ipc_export(dprp_mem *mem, dprp_ipc *out)
{
	dprp_instance *instance = mem->context->instance;
	dprp_ipc ipc = { .struct_size = sizeof(ipc),
			 .type = IPC_BYTES,
			 .fd = -1,
			 .size = mem->size };
	ze_ipc_mem_handle_t handle;
	int fd;
	dprp_rc rc;

	if (mem->kind != DPRP_MEM_DEVICE || mem->origin != ZE_ORIGIN_ALLOC ||
	    !mem->context->driver->ipc)
		return dprh_fail(
			instance->host, DPR_RC_UNSUPPORTED, 0,
			"only memory of kind DEVICE that dpr has allocated "
			"can be exported, and only if the driver supports "
			"that");
	ipc.offset = (uint64_t)(mem->address - (char *)mem->base);
	rc = ZE_TRY_ON(mem->context->root, zeMemGetIpcHandle, mem->context->ze,
		       mem->base, &handle);
	if (rc)
		return rc;
	fd = find_file(&handle);
	if (fd >= 0) {
		ipc.type = IPC_FILE;
		ipc.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (ipc.fd < 0)
			return dprh_fail(
				instance->host, DPR_RC_NATIVE, 0,
				"the process has no file descriptor left");
	}
	memcpy(ipc.bytes, handle.data, sizeof(ipc.bytes));
	dprh_give(out, &ipc, sizeof(ipc));
	return DPR_RC_OK;
}

/* Open exported memory of another process, and check that the range lies
   in it. */
static dprp_rc open_handle(dprp_mem *mem, dprp_device *device,
			   const dprp_ipc *ipc)
{
	dprp_instance *instance = mem->context->instance;
	ze_ipc_mem_handle_t handle;
	size_t length = 0;
	void *base = NULL;
	dprp_rc rc;

	memcpy(handle.data, ipc->bytes, sizeof(handle.data));
	if (ipc->type == IPC_FILE)
		memcpy(handle.data, &ipc->fd, sizeof(ipc->fd));
	rc = ZE_TRY_ON(device, zeMemOpenIpcHandle, mem->context->ze,
		       device->root->ze, handle, 0, &mem->base);
	if (rc == DPR_RC_NATIVE)
		return dprh_fail(
			instance->host, DPR_RC_INVALID, 0,
			"zeMemOpenIpcHandle refuses the description: the "
			"process that exported the memory must still have it");
	if (rc)
		return rc;
	rc = ZE_TRY_ON(device, zeMemGetAddressRange, mem->context->ze,
		       mem->base, &base, &length);
	if (!rc && (ipc->offset > length || ipc->size > length - ipc->offset))
		rc = dprh_fail(
			instance->host, DPR_RC_INVALID, 0,
			"the range is not within the exported memory, which "
			"has %zu bytes",
			length);
	if (rc)
		instance->ze.zeMemCloseIpcHandle(mem->context->ze, mem->base);
	return rc;
}

dprp_rc ze_mem_ipc_import(dprp_context *context, dprp_device *device,
			  const dprp_ipc *theirs, dprp_mem **out)
{
	const dprp_host *host = context->instance->host;
	dprp_ipc ipc;
	dprp_mem *mem;
	dprp_rc rc = dprh_take(host, "dprp_ipc", &ipc, sizeof(ipc), theirs);

	if (rc)
		return rc;
	if ((ipc.type != IPC_BYTES && ipc.type != IPC_FILE) || !ipc.size ||
	    (ipc.type == IPC_FILE) != (ipc.fd >= 0))
		return dprh_fail(
			host, DPR_RC_INVALID, 0,
			"this is not a description of Level Zero memory");
	mem = new_mem(context, ZE_ORIGIN_IPC, DPRP_MEM_DEVICE, ipc.size);
	if (!mem)
		return dprh_no_memory(host, "memory");
	rc = open_handle(mem, device, &ipc);
	if (rc) {
		dprh_free(host, mem);
		return rc;
	}
	mem->address = (char *)mem->base + ipc.offset;
	*out = mem;
	return DPR_RC_OK;
}
