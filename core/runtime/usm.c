/* SPDX-License-Identifier: Apache-2.0 */
/* usm.c - allocations: making, releasing, asking. */
#include "core/runtime/usm.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/runtime/event.h"
#include "core/runtime/life.h"
#include "core/runtime/progress.h"
#include "core/runtime/reap.h"

#define MAX_ALIGNMENT ((size_t)2 << 20)

static const char *kind_name(dpr_usm_kind kind)
{
	switch (kind) {
	case DPR_USM_DEVICE: return "DEVICE";
	case DPR_USM_SHARED: return "SHARED";
	case DPR_USM_HOST: return "HOST";
	}
	return "unknown";
}

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

/* An object that has no memory behind it. */
static void usm_discard(dpr_usm *usm)
{
	access_fini(usm);
	dpr_queue_release(usm->queue);
	pthread_mutex_destroy(&usm->lock);
	mem_free(usm);
}

void usm_destroy(dpr_usm *usm)
{
	usm->queue->plugin->mem.free(usm->handle);
	usm_discard(usm);
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

/* The plugin's refusal in our words. */
static dpr_status refused(const dpr_usm *usm, dprp_rc rc)
{
	const dpr_device *device = usm->queue->device;
	struct text text = { 0 };
	dpr_status status;

	if (rc == DPR_RC_UNSUPPORTED)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "usm alloc: %s has no memory of kind %s",
			    device->selector, kind_name(usm->kind));
	status = plugin_status(
		device->plugin, rc, "usm alloc: %zu bytes of kind %s on %s",
		usm->size, kind_name(usm->kind), usm->queue->name);
	if (status == DPR_ERROR_OUT_OF_DEVICE_MEMORY) {
		usm_holders(device->root, &text);
		status_append(text_get(&text));
		text_fini(&text);
	}
	return status;
}

dpr_status dpr_usm_alloc_aligned(dpr_queue *queue, dpr_usm_kind kind,
				 size_t size, size_t alignment, dpr_usm **out)
{
	TRACE_CALL;
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = (uint32_t)kind,
			       .size = size,
			       .align = alignment };
	dprp_context *context;
	dpr_status status;
	dpr_usm *usm;
	dprp_rc rc;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm alloc: out is NULL");
	*out = NULL;
	status = check_alloc(queue, kind, size, alignment);
	if (!status)
		status = device_context(queue->device, &context);
	if (status)
		return status;
	reap();
	usm = usm_new(queue, kind, size);
	if (!usm)
		return fail_memory("usm alloc");
	rc = queue->plugin->mem.alloc(context, queue->device->handle, &desc,
				      &usm->handle);
	/* Released memory may still be on its way back. */
	if (rc == DPR_RC_OOM_DEVICE && reap_count() && !progress_self()) {
		reap_wait(DPR_FOREVER);
		rc = queue->plugin->mem.alloc(context, queue->device->handle,
					      &desc, &usm->handle);
	}
	if (rc) {
		status = refused(usm, rc);
		usm_discard(usm);
		return status;
	}
	usm_ready(usm);
	*out = usm;
	return DPR_OK;
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
