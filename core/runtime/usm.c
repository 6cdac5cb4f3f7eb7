/* SPDX-License-Identifier: Apache-2.0 */
/* usm.c - allocations: making, releasing, asking. */
#include "core/runtime/usm.h"

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/find.h"
#include "core/runtime/life.h"
#include "core/runtime/pool.h"
#include "core/runtime/reap.h"

#define MAX_ALIGNMENT ((size_t)2 << 20)

const char *pool_kind_name(dpr_usm_kind kind)
{
	switch (kind) {
	case DPR_USM_DEVICE: return "DEVICE";
	case DPR_USM_SHARED: return "SHARED";
	case DPR_USM_HOST: return "HOST";
	}
	return "unknown";
}

/* An object with memory of its own, to come. */
static dpr_usm *usm_new(dpr_queue *queue, dpr_usm_kind kind, size_t size)
{
	dpr_usm *usm = mem_alloc(sizeof(*usm));

	if (!usm)
		return NULL;
	atomic_init(&usm->refs, 1);
	usm->kind = kind;
	usm->size = size;
	usm->queue = dpr_queue_retain(queue);
	pthread_mutex_init(&usm->lock, NULL);
	return usm;
}

/* One that has no memory behind it. */
static void usm_discard(dpr_usm *usm)
{
	access_fini(usm);
	dpr_queue_release(usm->queue);
	pthread_mutex_destroy(&usm->lock);
	mem_free(usm);
}

void usm_destroy(dpr_usm *usm)
{
	const struct allocator *allocator = usm->allocator;
	void *token = usm->token;
	size_t size = usm->size;

	if (usm->block) {
		(void)pool_give(usm, NULL, 0);
	} else {
		usm->queue->plugin->mem.free(usm->handle);
		usm_discard(usm);
	}
	if (allocator)
		allocator_freed(allocator, token, size);
}

/* Its memory is there. */
static void usm_ready(dpr_usm *usm)
{
	void *address = NULL;
	size_t need;

	if (!usm->queue->plugin->mem.info(usm->handle, DPRP_MEM_INFO_ADDRESS,
					  &address, sizeof(address), &need))
		usm->address = address;
	life_add(LIFE_USM);
	usm_register(usm);
}

static dpr_status check_alloc(const dpr_queue *queue, dpr_usm_kind kind,
			      size_t size, size_t alignment)
{
	dpr_status status = runtime_check("usm alloc");

	if (status)
		return status;
	if (!queue)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm alloc: the queue is NULL");
	if (kind != DPR_USM_DEVICE && kind != DPR_USM_SHARED &&
	    kind != DPR_USM_HOST)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"usm alloc: %d is no kind of memory (DPR_USM_DEVICE, _SHARED, _HOST)",
			(int)kind);
	if (!size)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm alloc: a size of 0 bytes");
	if (alignment & (alignment - 1) || alignment > MAX_ALIGNMENT)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"usm alloc: an alignment of %zu; it has to be a power of two up to %zu",
			alignment, MAX_ALIGNMENT);
	if (queue->device->max_alloc && size > queue->device->max_alloc)
		return fail(
			DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			"usm alloc: %zu bytes; the largest allocation on %s is %llu bytes",
			size, queue->device->selector,
			(unsigned long long)queue->device->max_alloc);
	return DPR_OK;
}

dpr_status usm_alloc_own(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			 size_t alignment, dpr_usm **out)
{
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = (uint32_t)kind,
			       .size = size,
			       .align = alignment };
	const dpr_device *device = queue->device;
	dprp_context *context;
	dpr_status status;
	dpr_usm *usm;
	dprp_rc rc;

	status = device_context(queue->device, &context);
	if (status)
		return status;
	reap();
	usm = usm_new(queue, kind, size);
	if (!usm)
		return fail_memory("usm alloc");
	rc = queue->plugin->mem.alloc(context, device->handle, &desc,
				      &usm->handle);
	if (rc == DPR_RC_OOM_DEVICE && pool_make_room(queue->device))
		rc = queue->plugin->mem.alloc(context, device->handle, &desc,
					      &usm->handle);
	if (rc) {
		usm_discard(usm);
		return plugin_status(device->plugin, rc,
				     "usm alloc: %zu bytes of kind %s on %s",
				     size, pool_kind_name(kind), queue->name);
	}
	usm_ready(usm);
	*out = usm;
	return DPR_OK;
}

dpr_status dpr_usm_alloc_aligned(dpr_queue *queue, dpr_usm_kind kind,
				 size_t size, size_t alignment, dpr_usm **out)
{
	TRACE_CALL;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm alloc: out is NULL");
	*out = NULL;
	status = check_alloc(queue, kind, size, alignment);
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
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm alloc: out is NULL");
	*out = NULL;
	status = check_alloc(queue, kind, size, alignment);
	return status ? status : pool_alloc(queue, kind, size, alignment, out);
}

dpr_status dpr_driver_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			    size_t alignment, dpr_usm **out)
{
	TRACE_CALL;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm alloc: out is NULL");
	*out = NULL;
	status = check_alloc(queue, kind, size, alignment);
	return status ? status
		      : usm_alloc_own(queue, kind, size, alignment, out);
}

dpr_status dpr_usm_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			 dpr_usm **out)
{
	TRACE_CALL;

	return dpr_usm_alloc_aligned(queue, kind, size, 0, out);
}

dpr_status usm_wrap(dpr_queue *queue, dprp_mem *handle, size_t size,
		    dpr_usm **out)
{
	uint64_t kind = DPR_USM_DEVICE;
	dpr_usm *usm;
	size_t need;

	/* A driver that does not tell has made it in the device's memory. */
	if (queue->plugin->mem.info(handle, DPRP_MEM_INFO_KIND, &kind,
				    sizeof(kind), &need) ||
	    kind < DPR_USM_DEVICE || kind > DPR_USM_HOST)
		kind = DPR_USM_DEVICE;
	usm = usm_new(queue, (dpr_usm_kind)kind, size);
	if (!usm) {
		queue->plugin->mem.free(handle);
		return fail_memory("usm from native");
	}
	usm->handle = handle;
	usm_ready(usm);
	*out = usm;
	return DPR_OK;
}

dpr_usm *dpr_usm_retain(dpr_usm *usm)
{
	if (usm)
		atomic_fetch_add_explicit(&usm->refs, 1, memory_order_relaxed);
	return usm;
}

void dpr_usm_release(dpr_usm *usm)
{
	if (!usm || !runtime_alive())
		return;
	if (atomic_fetch_sub_explicit(&usm->refs, 1, memory_order_acq_rel) > 1)
		return;
	if (!usm->block)
		usm_unregister(usm);
	life_drop(LIFE_USM);
	reap_usm(usm);
}

size_t dpr_usm_size(const dpr_usm *usm)
{
	return usm ? usm->size : 0;
}

dpr_usm_kind dpr_usm_get_kind(const dpr_usm *usm)
{
	return usm ? usm->kind : (dpr_usm_kind)0;
}

dpr_queue *dpr_usm_queue(const dpr_usm *usm)
{
	return usm ? usm->queue : NULL;
}

void *dpr_usm_address(const dpr_usm *usm)
{
	return usm ? usm->address : NULL;
}
