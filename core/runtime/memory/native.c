/* SPDX-License-Identifier: Apache-2.0 */
/* native.c - the driver's own handles, out and in. */
#include <dpr/runtime.h>

#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/program/kernel.h"
#include "core/runtime/queue/cover.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/event_wait.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/queue.h"
#include "core/runtime/queue/queue_create.h"
#include "core/runtime/queue/tickets.h"

/* The checks of all functions below. */
static dpr_status check_native(const char *what, const void *object,
			       const void *out)
{
	dpr_status status = process_check(what);

	if (status)
		return status;
	if (!object || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: the %s is NULL",
			    what, object ? "output" : "object");
	return DPR_OK;
}

/* The same for functions that return a handle, which is 0 after a failure. */
static dpr_status check_get(const char *what, const void *object,
			    uintptr_t *out)
{
	if (out)
		*out = 0;
	return check_native(what, object, out);
}

static dpr_status get_handle(const struct plugin *plugin, const char *what,
			     enum dpr_native_what kind, void *handle,
			     uintptr_t *out)
{
	dprp_rc rc;

	rc = plugin_native_get(plugin, kind, handle, out);
	if (rc == DPR_RC_UNSUPPORTED)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the backend %s has no such handle", what,
			    plugin->name);
	return rc ? plugin_status(plugin, rc, "%s", what) : DPR_OK;
}

dpr_status dpr_queue_native(dpr_queue *queue, uintptr_t *out)
{
	TRACE_CALL;
	dpr_status status = check_get("queue native", queue, out);

	if (status)
		return status;
	atomic_store(&queue->shared, 1);
	return get_handle(queue->plugin, "queue native", DPR_NATIVE_QUEUE,
			  queue->handle, out);
}

dpr_status dpr_event_native(dpr_event *event, uintptr_t *out)
{
	TRACE_CALL;
	dpr_status status = check_get("event native", event, out);
	dprp_event *handle;

	if (status)
		return status;
	handle = atomic_load_explicit(&event->handle, memory_order_acquire);
	if (!handle)
		return fail(
			DPR_ERROR_UNSUPPORTED,
			"event native: %s has not been handed to the driver",
			event->name);
	return get_handle(event->plugin, "event native", DPR_NATIVE_EVENT,
			  handle, out);
}

/* Wait for uses by the memory's previous owner: what the caller does with the
   handle is not ordered after them. */
static dpr_status wait_before(dpr_usm *usm)
{
	struct event_list list = { .count = 0 };
	dpr_status status = DPR_OK;
	uint64_t ticket;
	size_t i;

	pthread_mutex_lock(&usm->lock);
	ticket = usm->before;
	pthread_mutex_unlock(&usm->lock);
	if (!ticket)
		return DPR_OK;
	tickets_poll(usm->queue);
	if (queue_is_done(usm->queue, ticket))
		return DPR_OK;
	status = progress_may_wait("usm native");
	if (!status)
		status = cover_ticket(usm->queue, ticket, COVER_ALL, &list);
	for (i = 0; i < list.count && !status; i++)
		status = event_wait_final(list.list[i], DPR_FOREVER);
	event_list_fini(&list);
	return status;
}

dpr_status dpr_usm_native(const dpr_usm *usm, uintptr_t *out, size_t *offset)
{
	TRACE_CALL;
	dpr_status status = check_get("usm native", usm, out);

	if (status)
		return status;
	status = wait_before((dpr_usm *)(uintptr_t)usm);
	if (status)
		return status;
	if (offset)
		*offset = usm->base;
	return get_handle(usm->queue->plugin, "usm native", DPR_NATIVE_MEMORY,
			  usm->handle, out);
}

dpr_status dpr_program_native(const dpr_program *program, uintptr_t *out)
{
	TRACE_CALL;
	dpr_status status = check_get("program native", program, out);

	if (status)
		return status;
	return get_handle(program->device->plugin, "program native",
			  DPR_NATIVE_PROGRAM, program->handle, out);
}

dpr_status dpr_kernel_native(const dpr_kernel *kernel, uintptr_t *out)
{
	TRACE_CALL;
	dpr_status status = check_get("kernel native", kernel, out);

	if (status)
		return status;
	return get_handle(kernel->program->device->plugin, "kernel native",
			  DPR_NATIVE_KERNEL, kernel->handle, out);
}

static dpr_status wrap_handle(const char *what, dpr_device *device,
			      enum dpr_native_what kind, uintptr_t handle,
			      uint64_t size, int own, void **out)
{
	dprp_context *context;
	dpr_status status;
	dprp_rc rc;

	if (!handle)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: the handle is 0",
			    what);
	status = device_context(device->root, &context);
	if (status)
		return status;
	rc = plugin_native_wrap(device->plugin, kind, context, device->handle,
				handle, size, own != 0, out);
	rc = plugin_made(device->plugin, "native_wrap", rc, *out);
	if (rc == DPR_RC_UNSUPPORTED)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the backend %s does not take this handle",
			    what, device->plugin->name);
	return rc ? plugin_status(device->plugin, rc, "%s", what) : DPR_OK;
}

dpr_status dpr_queue_from_native(dpr_device *device, uintptr_t handle, int own,
				 dpr_queue **out)
{
	TRACE_CALL;
	dpr_queue *queue;
	dpr_status status;
	void *made = NULL;

	if (out)
		*out = NULL;
	status = check_native("queue from native", device, out);
	if (status)
		return status;
	queue = queue_create_to_wrap(device);
	if (!queue)
		return fail_memory("queue from native");
	status = wrap_handle("queue from native", device, DPR_NATIVE_QUEUE,
			     handle, 0, own, &made);
	if (status) {
		queue_free(queue);
		return status;
	}
	queue_create_wrapped(queue, made);
	*out = queue;
	return DPR_OK;
}

dpr_status dpr_event_from_native(dpr_device *device, uintptr_t handle, int own,
				 dpr_event **out)
{
	TRACE_CALL;
	dpr_event *event;
	dpr_status status;
	void *made = NULL;

	if (out)
		*out = NULL;
	status = check_native("event from native", device, out);
	if (status)
		return status;
	event = event_new(device, NULL, "native event", 0);
	if (!event)
		return fail_memory("event from native");
	status = wrap_handle("event from native", device, DPR_NATIVE_EVENT,
			     handle, 0, own, &made);
	if (status) {
		dpr_event_release(event);
		return status;
	}
	event_submitted(event, made);
	*out = event;
	return DPR_OK;
}

dpr_status dpr_usm_from_native(dpr_queue *queue, uintptr_t handle, size_t size,
			       int own, dpr_usm **out)
{
	TRACE_CALL;
	dpr_usm *usm;
	dpr_status status;
	void *made = NULL;

	if (out)
		*out = NULL;
	status = check_native("usm from native", queue, out);
	if (!status && !size)
		status = fail(DPR_ERROR_INVALID_ARGUMENT,
			      "usm from native: a size of 0 bytes");
	if (status)
		return status;
	usm = usm_to_wrap(queue, size);
	if (!usm)
		return fail_memory("usm from native");
	status = wrap_handle("usm from native", queue->device,
			     DPR_NATIVE_MEMORY, handle, size, own, &made);
	if (status) {
		usm_discard(usm);
		return status;
	}
	usm_wrapped(usm, made);
	*out = usm;
	return DPR_OK;
}
