/* SPDX-License-Identifier: Apache-2.0 */
/* alloc.c - allocating, as the program sees it. */
#include <dpr/pool.h>
#include <dpr/usm.h>

#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/allocator.h"
#include "core/runtime/memory/pool_alloc.h"
#include "core/runtime/memory/usm.h"

#define MAX_ALIGNMENT ((size_t)2 << 20)

/* The checks with which all allocating functions begin. */
static dpr_status begin_alloc(const dpr_queue *queue, dpr_usm_kind kind,
			      size_t size, size_t alignment, dpr_usm **out)
{
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm alloc: out is NULL");
	*out = NULL;
	status = process_check("usm alloc");
	if (status)
		return status;
	if (!queue)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm alloc: the queue is NULL");
	status = usm_check_kind("usm alloc", kind);
	if (status)
		return status;
	if (!size)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm alloc: a size of 0 bytes");
	if (alignment & (alignment - 1) || alignment > MAX_ALIGNMENT)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"usm alloc: the alignment is %zu but must be a power of two up to %zu",
			alignment, MAX_ALIGNMENT);
	if (queue->device->max_alloc && size > queue->device->max_alloc)
		return fail(
			DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			"usm alloc: %zu bytes, but the largest allocation on %s is %llu bytes",
			size, queue->device->selector,
			(unsigned long long)queue->device->max_alloc);
	return DPR_OK;
}

dpr_status dpr_usm_alloc_aligned(dpr_queue *queue, dpr_usm_kind kind,
				 size_t size, size_t alignment, dpr_usm **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_status status = begin_alloc(queue, kind, size, alignment, out);

	if (!status)
		status = allocator_alloc(queue, kind, size, alignment, out);
	if (status || *out)
		return status;
	return pool_alloc(queue, kind, size, alignment, out);
}

dpr_status dpr_pool_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			  size_t alignment, dpr_usm **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_status status = begin_alloc(queue, kind, size, alignment, out);

	return status ? status : pool_alloc(queue, kind, size, alignment, out);
}

dpr_status dpr_pool_try_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			      dpr_usm **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_status status = begin_alloc(queue, kind, size, 0, out);

	return status ? status : pool_alloc_try(queue, kind, size, true, out);
}

dpr_status dpr_driver_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			    size_t alignment, dpr_usm **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_status status = begin_alloc(queue, kind, size, alignment, out);

	return status ? status
		      : pool_alloc_own(queue, kind, size, alignment, out);
}

dpr_status dpr_usm_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			 dpr_usm **out)
{
	TRACE_CALL;
	HANDLES(queue, out);

	return dpr_usm_alloc_aligned(queue, kind, size, 0, out);
}
