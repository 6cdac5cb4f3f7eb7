/* SPDX-License-Identifier: Apache-2.0 */
/* queue_create.c - making queues. */
#include "core/runtime/queue/queue_create.h"

#include "core/base/handles/handles.h"
#include "core/base/live.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/queue/queue_close.h"
#include "core/runtime/queue/queue_list.h"

#define KNOWN_FLAGS                                     \
	(DPR_QUEUE_OUT_OF_ORDER | DPR_QUEUE_PROFILING | \
	 DPR_QUEUE_PRIORITY_LOW | DPR_QUEUE_PRIORITY_HIGH)
#define PRIORITIES (DPR_QUEUE_PRIORITY_LOW | DPR_QUEUE_PRIORITY_HIGH)

static void grant_flags(dpr_queue *queue, uint32_t flags)
{
	queue->flags = flags;
	queue->in_order = !(flags & DPR_QUEUE_OUT_OF_ORDER);
}

static dpr_status make_queue(dpr_device *device, uint32_t flags, bool canonical,
			     dpr_queue **out)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_context *context;
	dpr_queue *queue;
	dpr_status status;
	uint64_t got = 0;
	dprp_rc rc;

	status = device_context(device, &context);
	if (status)
		return status;
	queue = queue_new(device, canonical);
	if (!queue)
		return fail_memory("queue create");
	desc.flags = flags & (DPRP_QUEUE_OUT_OF_ORDER | DPRP_QUEUE_PROFILING);
	if (trace_on())
		desc.flags |= DPRP_QUEUE_PROFILING;
	desc.priority = flags & DPR_QUEUE_PRIORITY_HIGH  ? 1
			: flags & DPR_QUEUE_PRIORITY_LOW ? -1
							 : 0;
	rc = device->plugin->queue.create(context, device->handle, &desc, &got,
					  &queue->handle);
	rc = plugin_made(device->plugin, "queue->create", rc, queue->handle);
	if (rc) {
		status = plugin_status(device->plugin, rc, "queue create on %s",
				       device->selector);
		goto err;
	}
	if (flags & DPR_QUEUE_PROFILING & ~got) {
		device->plugin->queue.destroy(queue->handle);
		status = fail(
			DPR_ERROR_UNSUPPORTED,
			"queue create: %s has no queues with profiling (DPR_QUEUE_PROFILING)",
			device->selector);
		goto err;
	}
	if (!(got & DPRP_QUEUE_OUT_OF_ORDER))
		flags &= ~(uint32_t)DPR_QUEUE_OUT_OF_ORDER;
	grant_flags(queue, flags);
	*out = queue;
	return DPR_OK;
err:
	queue_free(queue);
	return status;
}

/* Enter a queue that is not canonical into the list of queues. */
static void enter_queue(dpr_queue *queue)
{
	queue->reaped.root = queue->device->root;
	queue->reaped.what = REAP_QUEUE;
	queue->reaped.free = queue_close_reaped;
	live_add(LIVE_QUEUE);
	queue_list_add(queue);
}

dpr_queue *queue_create_to_wrap(dpr_device *device)
{
	return queue_new(device, false);
}

void queue_create_wrapped(dpr_queue *queue, dprp_queue *handle, uint64_t flags,
			  bool lent)
{
	queue->handle = handle;
	queue->lent = lent;
	/* DPR_QUEUE_* and DPRP_QUEUE_* have the same values. */
	grant_flags(queue, (uint32_t)flags);
	atomic_init(&queue->shared, true);
	enter_queue(queue);
}

dpr_status dpr_queue_create(dpr_device *device, uint32_t flags, dpr_queue **out)
{
	TRACE_CALL;
	HANDLES(device, out);
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "queue create: out is NULL");
	*out = NULL;
	status = process_check("queue create");
	if (status)
		return status;
	if (!device)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "queue create: the device is NULL");
	if (flags & ~(uint32_t)KNOWN_FLAGS)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"queue create: flags 0x%x are not in enum dpr_queue_flags",
			flags & ~(uint32_t)KNOWN_FLAGS);
	if ((flags & PRIORITIES) == PRIORITIES)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"queue create: DPR_QUEUE_PRIORITY_LOW and _HIGH cannot be combined");
	status = make_queue(device, flags, false, out);
	if (status)
		return status;
	enter_queue(*out);
	return DPR_OK;
}

dpr_status dpr_device_queue(dpr_device *device, dpr_queue **out)
{
	TRACE_CALL;
	HANDLES(device, out);
	dpr_queue *queue, *there = NULL;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device queue: out is NULL");
	*out = NULL;
	status = process_check("device queue");
	if (status)
		return status;
	if (!device)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device queue: the device is NULL");
	queue = atomic_load_explicit(&device->canonical, memory_order_acquire);
	if (queue) {
		*out = queue;
		return DPR_OK;
	}
	status = make_queue(device, DPR_QUEUE_IN_ORDER, true, &queue);
	if (status)
		return status;
	if (atomic_compare_exchange_strong(&device->canonical, &there, queue)) {
		queue_list_add(queue);
		handles_add_lasting(HANDLE_QUEUE, queue);
		*out = queue;
		return DPR_OK;
	}
	/* Another thread was first, and no thread has seen this queue. */
	queue->plugin->queue.destroy(queue->handle);
	queue_free(queue);
	*out = there;
	return DPR_OK;
}

dpr_status dpr_canonical_queue(const char *selector, dpr_queue **out)
{
	TRACE_CALL;
	HANDLES(out);
	dpr_device *device;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "canonical queue: out is NULL");
	*out = NULL;
	status = dpr_device_select(selector, &device);
	if (status)
		return status;
	return dpr_device_queue(device, out);
}
