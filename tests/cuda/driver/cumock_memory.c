/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_memory.c - memory of all kinds, and the driver's answers about an
   address. */
#include "cumock_impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE (UINT64_C(1) << 20) /* above, memory is aligned to 2 * LARGE */

static struct memory *memories;
static unsigned resets; /* of contexts, which free their memory */

struct memory *cumock_memory_find(const void *address)
{
	const unsigned char *at = address;
	struct memory *memory;

	for (memory = memories; memory; memory = memory->next)
		if (at >= memory->start && at < memory->start + memory->size)
			return memory;
	return NULL;
}

bool cumock_memory_holds(const void *address, size_t size)
{
	const unsigned char *at = address;
	const struct memory *memory = cumock_memory_find(address);

	return !memory || size <= (size_t)(memory->start + memory->size - at);
}

bool cumock_memory_reaches(const struct device *device, const void *address,
			   size_t size)
{
	const struct memory *memory = cumock_memory_find(address);
	const struct device *owner;

	if (!memory || !cumock_memory_holds(address, size))
		return false;
	if (memory->kind != MEMORY_DEVICE && memory->kind != MEMORY_IPC)
		return true;
	owner = memory->context->device;
	return owner == device || device->enabled[owner->number];
}

/* --- Making and freeing --- */

/* Add memory to the list.  NULL: no memory for that. */
static struct memory *add(enum memory_kind kind, void *start, size_t size,
			  struct context *context)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->kind = kind;
	memory->start = start;
	memory->size = size;
	memory->context = context;
	memory->life = context->id;
	memory->fd = -1;
	memory->next = memories;
	memories = memory;
	cumock.live[CUMOCK_MEMORY]++;
	return memory;
}

static void drop(struct memory *memory)
{
	struct memory **at = &memories;

	while (*at != memory)
		at = &(*at)->next;
	*at = memory->next;
	if (memory->kind == MEMORY_DEVICE || memory->kind == MEMORY_MANAGED)
		memory->context->device->used -= memory->size;
	if (memory->mapped)
		munmap(memory->start, memory->mapped);
	else
		free(memory->start);
	if (memory->fd >= 0)
		close(memory->fd);
	free(memory);
	cumock.live[CUMOCK_MEMORY]--;
}

void cumock_memory_reset(struct context *context)
{
	struct memory *memory, *next;

	resets++;
	for (memory = memories; memory; memory = next) {
		next = memory->next;
		if (memory->context == context)
			drop(memory);
	}
}

/* Allocate memory that another process can map. */
static struct memory *map_shared(size_t size, struct context *context)
{
	int fd = memfd_create("cumock", MFD_CLOEXEC);
	struct memory *memory = NULL;
	void *start = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)size))
		start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     0);
	if (start != MAP_FAILED)
		memory = add(MEMORY_DEVICE, start, size, context);
	if (memory) {
		memory->fd = fd;
		memory->mapped = size;
		return memory;
	}
	if (start != MAP_FAILED)
		munmap(start, size);
	if (fd >= 0)
		close(fd);
	return NULL;
}

static struct memory *make(enum memory_kind kind, size_t size, size_t align,
			   struct context *context, CUresult *error)
{
	struct device *device = context->device;
	struct memory *memory = NULL;
	bool counted = kind == MEMORY_DEVICE || kind == MEMORY_MANAGED;
	void *start = NULL;

	if (!size) {
		*error = CUDA_ERROR_INVALID_VALUE;
		return NULL;
	}
	*error = CUDA_ERROR_OUT_OF_MEMORY;
	if (counted && (size > device->settings->memory ||
			device->used > device->settings->memory - size))
		return NULL;
	if (kind == MEMORY_DEVICE && cumock_settings.ipc) {
		memory = map_shared(size, context);
	} else if (!posix_memalign(&start, align, size)) {
		/* New memory is not zero. */
		memset(start, 0xcd, size < LARGE ? size : LARGE);
		memory = add(kind, start, size, context);
		if (!memory)
			free(start);
	}
	if (!memory)
		return NULL;
	*error = CUDA_SUCCESS;
	if (counted)
		device->used += size;
	return memory;
}

/* Free memory of one of two kinds, after waiting for the whole device.  This
   needs no current context. */
static CUresult free_of(void *address, enum memory_kind kind,
			enum memory_kind other, CUresult error)
{
	struct memory *memory;
	struct device *device;

	if (error)
		return error;
	memory = cumock_memory_find(address);
	if (!memory && resets)
		return CUDA_ERROR_INVALID_VALUE;
	if (!memory || memory->start != address || memory->freed ||
	    (memory->kind != kind && memory->kind != other))
		return cumock_misuse(CUDA_ERROR_INVALID_VALUE,
				     "%p is not the start of such memory",
				     address);
	device = memory->context->device;
	cumock_stream_drain_device(device);
	/* Another thread may have freed it during the wait. */
	if (cumock_memory_find(address) != memory)
		return cumock_misuse(CUDA_ERROR_INVALID_VALUE,
				     "%p is freed by two threads", address);
	drop(memory);
	return device->lost;
}

CUresult cumock_cuMemAlloc(CUdeviceptr *out, size_t size)
{
	CUresult error = cumock_begin(CUMOCK_cuMemAlloc);
	struct context *context = cumock_context_current(&error);
	struct memory *memory = NULL;

	if (context)
		memory = make(MEMORY_DEVICE, size,
			      size < LARGE ? 512 : 2 * LARGE, context, &error);
	if (memory)
		*out = (CUdeviceptr)(uintptr_t)memory->start;
	return cumock_end(error);
}

CUresult cumock_cuMemFree(CUdeviceptr address)
{
	CUresult error = cumock_begin(CUMOCK_cuMemFree);

	if (!address)
		return cumock_end(error);
	return cumock_end(free_of((void *)(uintptr_t)address, MEMORY_DEVICE,
				  MEMORY_MANAGED, error));
}

/* --- Allocation in the order of a stream ---------------------------------- */

/* If no memory is left, wait for memory that streams will free. */
CUresult cumock_cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream handle)
{
	CUresult error = cumock_begin(CUMOCK_cuMemAllocAsync);
	struct stream *stream = cumock_stream_get(handle, &error);
	const size_t align = size < LARGE ? 512 : 2 * LARGE;
	struct memory *memory = NULL;
	struct context *context;

	if (stream) {
		context = stream->handle.context;
		memory = make(MEMORY_DEVICE, size, align, context, &error);
		if (error == CUDA_ERROR_OUT_OF_MEMORY) {
			cumock_stream_drain_device(context->device);
			memory = make(MEMORY_DEVICE, size, align, context,
				      &error);
		}
	}
	if (memory)
		*out = (CUdeviceptr)(uintptr_t)memory->start;
	return cumock_end(error);
}

static CUresult run_free(struct operation *op)
{
	pthread_mutex_lock(&cumock.lock);
	drop(cumock_memory_find(op->to));
	pthread_mutex_unlock(&cumock.lock);
	return CUDA_SUCCESS;
}

CUresult cumock_cuMemFreeAsync(CUdeviceptr address, CUstream handle)
{
	CUresult error = cumock_begin(CUMOCK_cuMemFreeAsync);
	struct stream *stream = cumock_stream_get(handle, &error);
	struct memory *memory =
		cumock_memory_find((const void *)(uintptr_t)address);
	struct operation *op;

	if (error)
		return cumock_end(error);
	if (!memory || memory->kind != MEMORY_DEVICE || memory->freed ||
	    memory->start != (unsigned char *)(uintptr_t)address)
		return cumock_end(cumock_misuse(CUDA_ERROR_INVALID_VALUE,
						"%#llx is not the start of "
						"such memory",
						address));
	op = cumock_stream_add(stream);
	if (!op)
		return cumock_end(CUDA_ERROR_OUT_OF_MEMORY);
	op->run = run_free;
	op->always = true;
	op->to = memory->start;
	memory->freed = true;
	return cumock_end(CUDA_SUCCESS);
}

CUresult cumock_cuMemHostAlloc(void **out, size_t size, unsigned flags)
{
	CUresult error = cumock_begin(CUMOCK_cuMemHostAlloc);
	struct context *context = cumock_context_current(&error);
	struct memory *memory = NULL;

	if (!error && flags & ~7u)
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error)
		memory = make(MEMORY_HOST, size, 4096, context, &error);
	if (memory)
		*out = memory->start;
	return cumock_end(error);
}

CUresult cumock_cuMemFreeHost(void *address)
{
	CUresult error = cumock_begin(CUMOCK_cuMemFreeHost);

	return cumock_end(free_of(address, MEMORY_HOST, MEMORY_HOST, error));
}

CUresult cumock_cuMemAllocManaged(CUdeviceptr *out, size_t size, unsigned flags)
{
	CUresult error = cumock_begin(CUMOCK_cuMemAllocManaged);
	struct context *context = cumock_context_current(&error);
	struct memory *memory = NULL;

	if (!error && flags != 1 && flags != 2) /* global, host */
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error)
		memory = make(MEMORY_MANAGED, size,
			      size < LARGE ? 512 : 2 * LARGE, context, &error);
	if (memory)
		*out = (CUdeviceptr)(uintptr_t)memory->start;
	return cumock_end(error);
}

/* --- Questions about an address ------------------------------------------- */

CUresult cumock_cuMemGetInfo(size_t *unused, size_t *total)
{
	CUresult error = cumock_begin(CUMOCK_cuMemGetInfo);
	struct context *context = cumock_context_current(&error);

	if (context) {
		*total = context->device->settings->memory;
		*unused = *total - context->device->used;
	}
	return cumock_end(error);
}

CUresult cumock_cuMemGetAddressRange(CUdeviceptr *base, size_t *size,
				     CUdeviceptr address)
{
	CUresult error = cumock_begin(CUMOCK_cuMemGetAddressRange);
	struct memory *memory = NULL;

	if (cumock_context_current(&error))
		memory = cumock_memory_find((void *)(uintptr_t)address);
	if (!error && !memory)
		error = CUDA_ERROR_NOT_FOUND;
	if (!error && base)
		*base = (CUdeviceptr)(uintptr_t)memory->start;
	if (!error && size)
		*size = memory->size;
	return cumock_end(error);
}

/* Answer one attribute of an address. */
static CUresult answer(const struct memory *memory, int key, CUdeviceptr at,
		       void *out)
{
	bool host = memory->kind == MEMORY_HOST;
	bool managed = memory->kind == MEMORY_MANAGED;

	switch (key) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)out = managed ? NULL : (CUcontext)memory->context;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)out =
			host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)out = at;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		*(void **)out = host || managed ? (void *)(uintptr_t)at : NULL;
		return host || managed ? CUDA_SUCCESS
				       : CUDA_ERROR_INVALID_VALUE;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned *)out = managed;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)out = memory->context->device->number;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(void **)out = memory->start;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)out = memory->size;
		return CUDA_SUCCESS;
	default:
		return cumock_misuse(CUDA_ERROR_INVALID_VALUE,
				     "the mock does not know attribute %d",
				     key);
	}
}

CUresult cumock_cuPointerGetAttribute(void *out, CUpointer_attribute key,
				      CUdeviceptr address)
{
	CUresult error = cumock_begin(CUMOCK_cuPointerGetAttribute);
	const struct memory *memory =
		cumock_memory_find((void *)(uintptr_t)address);

	/* For ordinary memory this call fails. */
	if (!error)
		error = memory ? answer(memory, (int)key, address, out)
			       : CUDA_ERROR_INVALID_VALUE;
	return cumock_end(error);
}

/* --- Other processes --- */

/* The contents of the 64 bytes of a handle. */
struct ipc {
	char magic[8];
	int pid, fd;
	uint64_t size;
};

CUresult cumock_cuIpcGetMemHandle(CUipcMemHandle *out, CUdeviceptr address)
{
	CUresult error = cumock_begin(CUMOCK_cuIpcGetMemHandle);
	const struct memory *memory = NULL;
	struct ipc ipc = { "CUMOCK", getpid(), -1, 0 };

	if (cumock_context_current(&error))
		memory = cumock_memory_find((void *)(uintptr_t)address);
	if (!error && (!memory || memory->kind != MEMORY_DEVICE))
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error && memory->context->device->settings->instance)
		error = CUDA_ERROR_NOT_SUPPORTED;
	if (error)
		return cumock_end(error);
	ipc.fd = memory->fd;
	ipc.size = memory->size;
	memset(out, 0, sizeof(*out));
	memcpy(out, &ipc, sizeof(ipc));
	return cumock_end(CUDA_SUCCESS);
}

/* Map memory that another process has shared. */
static struct memory *map_other(const struct ipc *ipc, struct context *context)
{
	struct memory *memory = NULL;
	void *start = MAP_FAILED;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", ipc->pid, ipc->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	start = mmap(NULL, ipc->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     0);
	close(fd);
	if (start == MAP_FAILED)
		return NULL;
	memory = add(MEMORY_IPC, start, ipc->size, context);
	if (memory)
		memory->mapped = ipc->size;
	else
		munmap(start, ipc->size);
	return memory;
}

CUresult cumock_cuIpcOpenMemHandle(CUdeviceptr *out, CUipcMemHandle handle,
				   unsigned flags)
{
	CUresult error = cumock_begin(CUMOCK_cuIpcOpenMemHandle);
	struct context *context = cumock_context_current(&error);
	struct memory *memory;
	struct ipc ipc;

	memcpy(&ipc, &handle, sizeof(ipc));
	if (error)
		return cumock_end(error);
	if (flags != 1 || strcmp(ipc.magic, "CUMOCK"))
		return cumock_end(CUDA_ERROR_INVALID_VALUE);
	/* The driver refuses memory that this process has shared itself. */
	if (ipc.pid == getpid())
		return cumock_end(CUDA_ERROR_INVALID_CONTEXT);
	memory = map_other(&ipc, context);
	if (memory)
		*out = (CUdeviceptr)(uintptr_t)memory->start;
	return cumock_end(memory ? CUDA_SUCCESS : CUDA_ERROR_MAP_FAILED);
}

CUresult cumock_cuIpcCloseMemHandle(CUdeviceptr address)
{
	CUresult error = cumock_begin(CUMOCK_cuIpcCloseMemHandle);

	return cumock_end(free_of((void *)(uintptr_t)address, MEMORY_IPC,
				  MEMORY_IPC, error));
}
