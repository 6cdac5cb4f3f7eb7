/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_copy.c - writing, reading, copying, filling and advice.
 *
 * In two kinds of copies the driver makes the caller wait for the stream:
 * copies from or to host memory that the driver does not know, and copies from
 * host memory to host memory.  The plugin leaves the first kind to the core.
 * It does the second in pieces through memory of the device, or with a host
 * function if there is no such memory.
 */
#include "cuda_objects.h"

/* A write of at most this many bytes does not wait for the stream: the driver
   copies the bytes before it returns. */
#define WRITE_MOST 65536u
/* The size of the pieces of a host-to-host copy. */
#define PIECE (4u << 20)

/* Submit work that moves nothing and completes in its turn. */
static dprp_rc move_nothing(dprp_queue *queue, const dprp_deps *deps,
			    dprp_event **event)
{
	struct cuda_submit s;
	dprp_rc rc = cuda_submit_begin(&s, queue, deps, event);

	return rc ? rc : cuda_submit_end(&s, CUDA_SUCCESS, "nothing");
}

/* Copy from host to host, through memory of the device that is allocated for
   this copy.  If the device is full, or cannot allocate in stream order, the
   host copies; that is slower if the piece is large. */
static CUresult copy_on_host(dprp_queue *queue, CUstream stream, CUdeviceptr to,
			     CUdeviceptr from, uint64_t size)
{
	const struct cuda_api *cu = &queue->instance->cu;
	size_t most = size < PIECE ? (size_t)size : PIECE, n;
	CUdeviceptr between = 0;
	CUresult error = cu->cuMemAllocAsync(&between, most, stream);
	CUresult freed;

	if (error == CUDA_ERROR_OUT_OF_MEMORY ||
	    error == CUDA_ERROR_NOT_SUPPORTED)
		return cuda_host_copy(
			queue->scope, stream, (void *)(uintptr_t)to,
			(const void *)(uintptr_t)from, (size_t)size);
	if (error)
		return error;
	for (; size && !error; size -= n, from += n, to += n) {
		n = size < most ? (size_t)size : most;
		error = cu->cuMemcpyAsync(between, from, n, stream);
		if (!error)
			error = cu->cuMemcpyAsync(to, between, n, stream);
	}
	freed = cu->cuMemFreeAsync(between, stream);
	if (!error)
		error = freed;
	/* As in cuda_submit_end(): the first pieces are in the stream. */
	if (error)
		cuda_stream_settle(cu, stream);
	return error;
}

static dprp_rc move(dprp_queue *queue, CUdeviceptr to, CUdeviceptr from,
		    uint64_t size, bool on_host, const dprp_deps *deps,
		    dprp_event **event)
{
	const struct cuda_api *cu = &queue->instance->cu;
	struct cuda_submit s;
	CUresult error;
	bool entered;
	dprp_rc rc = cuda_submit_begin(&s, queue, deps, event);

	if (rc)
		return rc;
	error = cuda_context_enter(cu, queue->context->scope.cu, &entered);
	if (!error && on_host)
		error = copy_on_host(queue, s.stream->cu, to, from, size);
	else if (!error)
		error = cu->cuMemcpyAsync(to, from, size, s.stream->cu);
	cuda_context_leave(cu, entered);
	return cuda_submit_end(&s, error,
			       on_host ? "a copy within the host"
				       : "cuMemcpyAsync");
}

dprp_rc cuda_copy_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			const void *from, uint64_t size, const dprp_deps *deps,
			dprp_event **event)
{
	if (!size)
		return move_nothing(queue, deps, event);
	if (size > WRITE_MOST &&
	    !cuda_mem_is_pinned(queue->context, from, size))
		return dprh_host_memory(queue->instance->host);
	return move(queue, to->address + offset, (CUdeviceptr)(uintptr_t)from,
		    size, cuda_mem_is_pinned_kind(to), deps, event);
}

dprp_rc cuda_copy_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
		       void *to, uint64_t size, const dprp_deps *deps,
		       dprp_event **event)
{
	if (!size)
		return move_nothing(queue, deps, event);
	if (!cuda_mem_is_pinned(queue->context, to, size))
		return dprh_host_memory(queue->instance->host);
	return move(queue, (CUdeviceptr)(uintptr_t)to, from->address + offset,
		    size, cuda_mem_is_pinned_kind(from), deps, event);
}

static dprp_rc copy_between(dprp_queue *queue, dprp_mem *to, CUdeviceptr there,
			    dprp_mem *from, CUdeviceptr here, uint64_t size,
			    const dprp_deps *deps, dprp_event **event)
{
	const struct cuda_api *cu = &queue->instance->cu;
	struct cuda_submit s;
	CUresult error;
	bool entered;
	dprp_rc rc = cuda_submit_begin(&s, queue, deps, event);

	if (rc)
		return rc;
	error = cuda_context_enter(cu, queue->context->scope.cu, &entered);
	if (!error)
		error = cu->cuMemcpyPeerAsync(there, to->context->scope.cu,
					      here, from->context->scope.cu,
					      size, s.stream->cu);
	cuda_context_leave(cu, entered);
	return cuda_submit_end(&s, error, "cuMemcpyPeerAsync");
}

dprp_rc cuda_copy_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
		       dprp_mem *from, uint64_t from_offset, uint64_t size,
		       const dprp_deps *deps, dprp_event **event)
{
	CUdeviceptr there = to->address + to_offset;
	CUdeviceptr here = from->address + from_offset;
	dprp_rc rc;

	if (!size)
		return move_nothing(queue, deps, event);
	rc = dprh_check_copy(queue->instance->host, there, here, size);
	if (rc)
		return rc;
	if (to->context != from->context && to->kind == DPRP_MEM_DEVICE &&
	    from->kind == DPRP_MEM_DEVICE)
		return copy_between(queue, to, there, from, here, size, deps,
				    event);
	return move(queue, there, here, size,
		    cuda_mem_is_pinned_kind(to) &&
			    cuda_mem_is_pinned_kind(from),
		    deps, event);
}

/* Fill with the driver's functions, which take patterns of 1, 2 and 4 bytes at
   addresses that are multiples of the pattern's size.  The context must be
   current. */
static CUresult set(const struct cuda_api *cu, CUstream stream, CUdeviceptr at,
		    uint64_t size, const void *pattern, size_t pattern_size)
{
	unsigned char byte;
	unsigned short half;
	unsigned word;

	switch (pattern_size) {
	case 1:
		memcpy(&byte, pattern, sizeof(byte));
		return cu->cuMemsetD8Async(at, byte, size, stream);
	case 2:
		memcpy(&half, pattern, sizeof(half));
		return cu->cuMemsetD16Async(at, half, size / 2, stream);
	default:
		memcpy(&word, pattern, sizeof(word));
		return cu->cuMemsetD32Async(at, word, size / 4, stream);
	}
}

/* Fill with a pattern that the driver supports.  For any other, NO_PATH makes
   the core write the pattern once and copy it. */
dprp_rc cuda_copy_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		       uint64_t size, const void *pattern, size_t pattern_size,
		       const dprp_deps *deps, dprp_event **event)
{
	const struct cuda_api *cu = &queue->instance->cu;
	CUdeviceptr at = to->address + offset;
	CUresult error;
	struct cuda_submit s;
	bool entered;
	dprp_rc rc;

	if ((pattern_size != 1 && pattern_size != 2 && pattern_size != 4) ||
	    at & (pattern_size - 1))
		return DPR_RC_NO_PATH;
	rc = cuda_submit_begin(&s, queue, deps, event);
	if (rc)
		return rc;
	error = cuda_context_enter(cu, queue->context->scope.cu, &entered);
	if (!error && size)
		error = set(cu, s.stream->cu, at, size, pattern, pattern_size);
	cuda_context_leave(cu, entered);
	return cuda_submit_end(&s, error, "a fill");
}

dprp_rc cuda_copy_prefetch(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			   uint64_t size, const dprp_deps *deps,
			   dprp_event **event)
{
	const struct cuda_api *cu = &queue->instance->cu;
	struct cuda_submit s;
	CUresult error;
	bool entered;
	dprp_rc rc;

	if (mem->kind != DPRP_MEM_SHARED || !size)
		return move_nothing(queue, deps, event);
	rc = cuda_submit_begin(&s, queue, deps, event);
	if (rc)
		return rc;
	error = cuda_context_enter(cu, queue->context->scope.cu, &entered);
	if (!error)
		error = cu->cuMemPrefetchAsync(mem->address + offset, size,
					       queue->device->id, s.stream->cu);
	cuda_context_leave(cu, entered);
	return cuda_submit_end(&s, error, "cuMemPrefetchAsync");
}

dprp_rc cuda_copy_advise(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			 uint64_t size, uint32_t advice)
{
	const struct cuda_api *cu = &queue->instance->cu;
	CUdevice device = queue->device->id;
	const struct {
		CUmem_advise what;
		CUdevice where;
	} steps[] = {
		/* DPR_ADVICE_NONE takes the first two steps. */
		{ CU_MEM_ADVISE_UNSET_READ_MOSTLY, device },
		{ CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, device },
		{ CU_MEM_ADVISE_SET_READ_MOSTLY, device },
		{ CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device },
		{ CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU },
	};
	uint32_t first = advice ? advice + 1 : 0, last = advice ? first : 1, i;
	CUresult error;
	bool entered;

	if (advice > 3)
		return dprh_fail(queue->instance->host, DPR_RC_UNSUPPORTED, 0,
				 "advice %u is unknown", (unsigned)advice);
	if (mem->kind != DPRP_MEM_SHARED || !size)
		return DPR_RC_OK;
	error = cuda_context_enter(cu, queue->context->scope.cu, &entered);
	for (i = first; i <= last && !error; i++)
		error = cu->cuMemAdvise(mem->address + offset, size,
					steps[i].what, steps[i].where);
	cuda_context_leave(cu, entered);
	return cuda_error_check_device(queue->device, error, "cuMemAdvise");
}
