/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_copy.c - copies and fills.  Some run later, and some make the call
   wait. */
#include "cumock_impl.h"

#include <stdlib.h>
#include <string.h>

/* A larger copy from ordinary memory is complete when the call returns. */
#define STAGED (UINT64_C(1) << 20)

static CUresult run_copy(struct operation *op)
{
	memmove(op->to, op->from, op->size);
	return CUDA_SUCCESS;
}

static bool is_host(const struct memory *memory)
{
	return !memory || memory->kind == MEMORY_HOST;
}

/* Add a copy.  @keep: the source is ordinary memory, and read now.  NULL: no
   memory. */
static struct operation *add_copy(struct stream *stream, void *to,
				  const void *from, size_t size, bool keep)
{
	void *copy = keep ? malloc(size) : NULL;
	struct operation *op;

	if (keep && !copy)
		return NULL;
	op = cumock_stream_add(stream);
	if (!op) {
		free(copy);
		return NULL;
	}
	if (keep)
		memcpy(copy, from, size);
	op->run = run_copy;
	op->owned = copy;
	op->to = to;
	op->from = keep ? copy : from;
	op->size = size;
	return op;
}

static CUresult copy(struct stream *stream, void *to, const void *from,
		     size_t size)
{
	const struct memory *target = cumock_memory_find(to);
	const struct memory *source = cumock_memory_find(from);
	bool both_host = is_host(target) && is_host(source);
	bool waits = both_host || !target || (!source && size > STAGED);
	struct operation *op;
	CUresult error;

	if (!size)
		return CUDA_SUCCESS;
	if (!cumock_memory_holds(to, size) || !cumock_memory_holds(from, size))
		return cumock_misuse(CUDA_ERROR_INVALID_VALUE,
				     "%zu bytes go beyond the memory", size);
	if (waits) {
		error = cumock_stream_drain(stream);
		if (error)
			return error;
	}
	op = add_copy(stream, to, from, size, !waits && !source);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	return waits ? cumock_stream_sleep(op->moment) : CUDA_SUCCESS;
}

CUresult cumock_cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size,
			      CUstream handle)
{
	CUresult error = cumock_begin(CUMOCK_cuMemcpyAsync);
	struct stream *stream = cumock_stream_get(handle, &error);

	if (stream)
		error = copy(stream, (void *)(uintptr_t)to,
			     (const void *)(uintptr_t)from, size);
	return cumock_end(error);
}

/* Whether the memory belongs to the context that the caller gave for it. */
static bool is_of(CUdeviceptr address, CUcontext handle, CUresult *error)
{
	struct context *context =
		cumock_handle_get(handle, MAGIC_CONTEXT, error);
	const struct memory *memory =
		cumock_memory_find((void *)(uintptr_t)address);

	if (!context)
		return false;
	if (!memory || memory->context->device != context->device)
		*error = cumock_misuse(CUDA_ERROR_INVALID_VALUE,
				       "%p is not of that context",
				       (void *)(uintptr_t)address);
	return !*error;
}

CUresult cumock_cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context,
				  CUdeviceptr from, CUcontext from_context,
				  size_t size, CUstream handle)
{
	CUresult error = cumock_begin(CUMOCK_cuMemcpyPeerAsync);
	struct stream *stream = cumock_stream_get(handle, &error);

	if (stream && is_of(to, to_context, &error) &&
	    is_of(from, from_context, &error))
		error = copy(stream, (void *)(uintptr_t)to,
			     (const void *)(uintptr_t)from, size);
	return cumock_end(error);
}

static CUresult run_fill(struct operation *op)
{
	size_t i;

	for (i = 0; i < op->size; i++)
		memcpy(op->to + i * op->unit, &op->value, op->unit);
	return CUDA_SUCCESS;
}

static CUresult fill(CUdeviceptr to, uint32_t value, size_t unit, size_t n,
		     CUstream handle, CUresult error)
{
	struct stream *stream = cumock_stream_get(handle, &error);
	void *start = (void *)(uintptr_t)to;
	struct operation *op;

	if (error || !n)
		return error;
	if (to % unit)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cumock_memory_find(start) || !cumock_memory_holds(start, n * unit))
		return cumock_misuse(CUDA_ERROR_INVALID_VALUE,
				     "%zu bytes go beyond the memory",
				     n * unit);
	op = cumock_stream_add(stream);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->run = run_fill;
	op->to = start;
	op->value = value;
	op->unit = unit;
	op->size = n;
	return CUDA_SUCCESS;
}

CUresult cumock_cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n,
				CUstream stream)
{
	CUresult error = cumock_begin(CUMOCK_cuMemsetD8Async);

	return cumock_end(fill(to, value, 1, n, stream, error));
}

CUresult cumock_cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n,
				 CUstream stream)
{
	CUresult error = cumock_begin(CUMOCK_cuMemsetD16Async);

	return cumock_end(fill(to, value, 2, n, stream, error));
}

CUresult cumock_cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n,
				 CUstream stream)
{
	CUresult error = cumock_begin(CUMOCK_cuMemsetD32Async);

	return cumock_end(fill(to, value, 4, n, stream, error));
}

/* --- Managed memory --- */

/* Check that all of a range is managed memory. */
static CUresult managed(CUdeviceptr address, size_t size)
{
	const void *start = (const void *)(uintptr_t)address;
	const struct memory *memory = cumock_memory_find(start);

	return memory && memory->kind == MEMORY_MANAGED &&
			       cumock_memory_holds(start, size) && size
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

/* Check the number of a device that has managed memory, or -1 for the host. */
static CUresult has_managed(CUdevice number)
{
	if (number == CU_DEVICE_CPU)
		return CUDA_SUCCESS;
	if (number < 0 || number >= cumock_settings.n_devices ||
	    !cumock_settings.devices[number].managed)
		return CUDA_ERROR_INVALID_DEVICE;
	return CUDA_SUCCESS;
}

CUresult cumock_cuMemPrefetchAsync(CUdeviceptr address, size_t size,
				   CUdevice number, CUstream handle)
{
	CUresult error = cumock_begin(CUMOCK_cuMemPrefetchAsync);
	struct stream *stream = cumock_stream_get(handle, &error);

	if (!error)
		error = managed(address, size);
	if (!error)
		error = has_managed(number);
	if (!error && !cumock_stream_add(stream))
		error = CUDA_ERROR_OUT_OF_MEMORY;
	return cumock_end(error);
}

CUresult cumock_cuMemAdvise(CUdeviceptr address, size_t size,
			    CUmem_advise advice, CUdevice number)
{
	CUresult error = cumock_begin(CUMOCK_cuMemAdvise);

	if (!error)
		error = managed(address, size);
	if (!error)
		error = has_managed(number);
	if (!error && ((int)advice < 1 || (int)advice > 6))
		error = CUDA_ERROR_INVALID_VALUE;
	return cumock_end(error);
}
