/* SPDX-License-Identifier: Apache-2.0 */
/* usm.c - allocations as objects: making and checking them. */
#include "core/runtime/memory/usm.h"

#include "core/base/call_stack.h"
#include "core/base/handles/handles.h"
#include "core/base/live.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/guard.h"
#include "core/runtime/memory/span.h"
#include "core/runtime/memory/uses.h"

const char *usm_kind_name(dpr_usm_kind kind)
{
	switch (kind) {
	case DPR_USM_DEVICE: return "DEVICE";
	case DPR_USM_SHARED: return "SHARED";
	case DPR_USM_HOST: return "HOST";
	}
	return "unknown";
}

/* Make an object without a block.  The caller gives it memory of its own. */
static dpr_usm *usm_new(dpr_queue *queue, dpr_usm_kind kind, size_t size)
{
	dpr_usm *usm = mem_alloc(sizeof(*usm));

	if (!usm)
		return NULL;
	refs_init(&usm->refs);
	usm->kind = kind;
	usm->size = size;
	usm->queue = dpr_queue_retain(queue);
	pthread_mutex_init(&usm->lock, NULL);
	return usm;
}

void usm_discard(dpr_usm *usm)
{
	uses_fini(usm);
	dpr_queue_release(usm->queue);
	pthread_mutex_destroy(&usm->lock);
	handles_free(usm, mem_free);
}

void usm_tell_freed(const dpr_allocator *table, void *token, size_t size)
{
	int depth;

	if (!table || !table->freed)
		return;
	depth = call_stack_go_out();
	table->freed(table->user, token, size);
	call_stack_go_back(depth);
}

dprp_rc usm_ask_address(const struct plugin *plugin, dprp_mem *mem, void **out)
{
	void *address = NULL;
	size_t need = 0;

	*out = NULL;
	if (plugin->mem.info(mem, DPRP_MEM_INFO_ADDRESS, &address,
			     sizeof(address), &need))
		return DPR_RC_OK;
	if (need != sizeof(address))
		return plugin_broke(plugin, "M6",
				    "mem->info gave an address of %zu bytes",
				    need);
	if (!address)
		return plugin_broke(plugin, "M5",
				    "mem->info gave NULL as the address");
	*out = address;
	return DPR_RC_OK;
}

/* Enter an object into the index, once it has its memory. */
static void usm_ready(dpr_usm *usm)
{
	live_add(LIVE_USM);
	usm->span = (struct span){ .address = (uintptr_t)usm->address,
				   .size = usm->size };
	span_add(&usm->span);
}

dpr_status usm_check_kind(const char *what, dpr_usm_kind kind)
{
	if (kind >= DPR_USM_DEVICE && kind <= DPR_USM_HOST)
		return DPR_OK;
	return fail(
		DPR_ERROR_INVALID_ARGUMENT,
		"%s: %d is not a kind of memory (DPR_USM_DEVICE, _SHARED, _HOST)",
		what, (int)kind);
}

dprp_rc usm_make(dpr_queue *queue, dpr_usm_kind kind,
		 const struct heap_want *want, dpr_usm **out)
{
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = (uint32_t)kind,
			       .size = want->size,
			       .align = want->align };
	dpr_usm *usm = usm_new(queue, kind, want->size - want->guard);
	dprp_context *context;
	dprp_rc rc;

	if (!usm)
		return DPR_RC_OOM_HOST;
	/* The context was made when the queue was. */
	if (device_context(queue->device, &context)) {
		rc = DPR_RC_INTERNAL;
	} else {
		rc = queue->plugin->mem.alloc(context, queue->device->handle,
					      &desc, &usm->handle);
		rc = plugin_made(queue->plugin, "mem->alloc", rc, usm->handle);
	}
	if (!rc) {
		rc = usm_ask_address(queue->plugin, usm->handle, &usm->address);
		if (rc)
			queue->plugin->mem.free(usm->handle);
	}
	if (rc) {
		usm_discard(usm);
		return rc;
	}
	if (want->guard)
		guard_lay(usm);
	usm_ready(usm);
	*out = usm;
	return DPR_RC_OK;
}

dpr_usm *usm_to_wrap(dpr_queue *queue, size_t size)
{
	return usm_new(queue, DPR_USM_DEVICE, size);
}

void usm_wrapped(dpr_usm *usm, dprp_mem *handle)
{
	uint64_t kind = 0;
	size_t need;
	bool told;

	told = !usm->queue->plugin->mem.info(handle, DPRP_MEM_INFO_KIND, &kind,
					     sizeof(kind), &need) &&
	       kind >= DPR_USM_DEVICE && kind <= DPR_USM_HOST;
	/* If the driver does not report the kind, assume DEVICE. */
	if (told)
		usm->kind = (dpr_usm_kind)kind;
	usm->kind_unknown = !told;
	usm->handle = handle;
	(void)usm_ask_address(usm->queue->plugin, handle, &usm->address);
	usm_ready(usm);
}

dpr_usm *dpr_usm_retain(dpr_usm *usm)
{
	HANDLES_RETAIN(usm);
	if (usm)
		refs_take(&usm->refs);
	return usm;
}

size_t dpr_usm_size(const dpr_usm *usm)
{
	HANDLES_GET(usm);
	return usm ? usm->size : 0;
}

dpr_usm_kind dpr_usm_get_kind(const dpr_usm *usm)
{
	HANDLES_GET(usm);
	return usm ? usm->kind : DPR_USM_DEVICE;
}

dpr_queue *dpr_usm_queue(const dpr_usm *usm)
{
	HANDLES_LEND(usm, usm->queue);
	return usm ? usm->queue : NULL;
}

int dpr_usm_is_read_only(const dpr_usm *usm)
{
	HANDLES_GET(usm);
	return usm && usm->read_only;
}

void *dpr_usm_address(const dpr_usm *usm)
{
	HANDLES_GET(usm);
	return usm ? usm->address : NULL;
}

dpr_status usm_check(const char *what, const dpr_usm *usm, size_t offset,
		     size_t size)
{
	if (!usm)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the allocation is NULL", what);
	if (offset > usm->size || size > usm->size - offset)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"%s: %zu bytes from byte %zu on, but the allocation has only %zu bytes",
			what, size, offset, usm->size);
	return DPR_OK;
}

dpr_status usm_fail_read_only(const char *what, const dpr_usm *usm)
{
	return fail(
		DPR_ERROR_INVALID_ARGUMENT,
		"%s: an allocation of %zu bytes is read-only, because it was "
		"borrowed as such; write into a copy of it, and pass it to "
		"kernels with DPR_USM_READ()",
		what, usm->size);
}

uint32_t usm_write_access(const dpr_usm *usm, size_t offset, uint64_t size)
{
	return !offset && size == usm->size ? DPR_WRITE_ALL : DPR_WRITE;
}

void usm_invalidate(dpr_usm *usm, dpr_status status, const char *why)
{
	struct failure *cause = failure_new(status, why);

	failure_tell(cause);
	pthread_mutex_lock(&usm->lock);
	origin_invalidate(&usm->origins, cause);
	pthread_mutex_unlock(&usm->lock);
	failure_release(cause);
}

dpr_status dpr_usm_invalidate(dpr_usm *usm, dpr_status cause, const char *why)
{
	TRACE_CALL;
	HANDLES(usm);
	dpr_status status = process_check("usm invalidate");

	if (status)
		return status;
	if (!usm)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm invalidate: the allocation is NULL");
	if (!status_is_error(cause))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm invalidate: the cause %d is not an error of "
			    "enum dpr_status",
			    (int)cause);
	if (usm->read_only)
		return usm_fail_read_only("usm invalidate", usm);
	usm_invalidate(usm, cause, why ? why : "its contents were given up");
	return DPR_OK;
}
