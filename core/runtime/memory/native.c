/* SPDX-License-Identifier: Apache-2.0 */
/* native.c - getting and wrapping the driver's own handles, and sharing memory
   with other processes. */
#include <string.h>

#include <dpr/runtime.h>
#include <dpr/usm.h>

#include "core/base/handles/handles.h"
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

/* check_native() for functions that return a handle.  Sets *@out to 0 first. */
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
	rc = plugin_checked(plugin, "native_get", rc);
	if (rc == DPR_RC_UNSUPPORTED)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the backend %s has no such handle", what,
			    plugin->name);
	return rc ? plugin_status(plugin, rc, "%s", what) : DPR_OK;
}

dpr_status dpr_queue_native(dpr_queue *queue, uintptr_t *out)
{
	TRACE_CALL;
	HANDLES(queue);
	dpr_status status = check_get("queue native", queue, out);

	if (status)
		return status;
	atomic_store(&queue->shared, 1);
	return get_handle(queue->plugin, "queue native", DPR_NATIVE_QUEUE,
			  queue->handle, out);
}

dpr_status dpr_event_native(const dpr_event *event, uintptr_t *out)
{
	TRACE_CALL;
	HANDLES(event);
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

/* Wait for uses by the memory's previous owner, because what the program does
   with the native handle is not ordered after them. */
static dpr_status wait_before(dpr_usm *usm, const char *what)
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
	status = progress_may_wait(what);
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
	HANDLES(usm);
	dpr_status status = check_get("usm native", usm, out);

	if (status)
		return status;
	status = wait_before(usm_asked(usm), "usm native");
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
	HANDLES(program);
	dpr_status status = check_get("program native", program, out);

	if (status)
		return status;
	return get_handle(program->device->plugin, "program native",
			  DPR_NATIVE_PROGRAM, program->handle, out);
}

dpr_status dpr_kernel_native(const dpr_kernel *kernel, uintptr_t *out)
{
	TRACE_CALL;
	HANDLES(kernel);
	dpr_status status = check_get("kernel native", kernel, out);

	if (status)
		return status;
	return get_handle(kernel->program->device->plugin, "kernel native",
			  DPR_NATIVE_KERNEL, kernel->handle, out);
}

static dpr_status wrap_handle(const char *what, dpr_device *device,
			      enum dpr_native_what kind, uintptr_t handle,
			      uint64_t size, int own, uint64_t *flags,
			      void **out)
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
				handle, size, own != 0, flags, out);
	rc = plugin_made(device->plugin, "native_wrap", rc, *out);
	if (rc == DPR_RC_UNSUPPORTED)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the backend %s does not support such handles",
			    what, device->plugin->name);
	return rc ? plugin_status(device->plugin, rc, "%s", what) : DPR_OK;
}

/* Refuse @flags of a wrapped queue that do not exist. */
static dpr_status check_flags(const struct plugin *plugin, uint64_t flags)
{
	flags &= ~(uint64_t)(DPRP_QUEUE_OUT_OF_ORDER | DPRP_QUEUE_PROFILING);
	if (!flags)
		return DPR_OK;
	return fail(DPR_ERROR_PLUGIN,
		    "queue from native: native_wrap of backend %s gave flags "
		    "0x%llx, which do not exist" PLUGIN_AGAINST("Q1"),
		    plugin->name, (unsigned long long)flags);
}

dpr_status dpr_queue_from_native(dpr_device *device, uintptr_t handle, int own,
				 dpr_queue **out)
{
	TRACE_CALL;
	HANDLES(device, out);
	dpr_queue *queue;
	dpr_status status;
	uint64_t flags = 0;
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
			     handle, 0, own, &flags, &made);
	if (status)
		goto err;
	status = check_flags(device->plugin, flags);
	if (status)
		goto err;
	queue_create_wrapped(queue, made, flags, !own);
	*out = queue;
	return DPR_OK;
err:
	if (made)
		device->plugin->queue.destroy(made);
	queue_free(queue);
	return status;
}

dpr_status dpr_event_from_native(dpr_device *device, uintptr_t handle, int own,
				 dpr_event **out)
{
	TRACE_CALL;
	HANDLES(device, out);
	dpr_event *event;
	dpr_status status;
	uint64_t flags = 0;
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
			     handle, 0, own, &flags, &made);
	if (status) {
		dpr_event_release(event);
		return status;
	}
	event_submitted(event, made);
	*out = event;
	return DPR_OK;
}

/* Make an allocation over the driver's handle. */
static dpr_status wrap_memory(const char *what, dpr_queue *queue,
			      uintptr_t handle, size_t size, int own,
			      dpr_usm **out)
{
	dpr_usm *usm;
	dpr_status status;
	uint64_t flags = 0;
	void *made = NULL;

	if (out)
		*out = NULL;
	status = check_native(what, queue, out);
	if (!status && !size)
		status = fail(DPR_ERROR_INVALID_ARGUMENT,
			      "%s: a size of 0 bytes", what);
	if (status)
		return status;
	usm = usm_to_wrap(queue, size);
	if (!usm)
		return fail_memory(what);
	status = wrap_handle(what, queue->device, DPR_NATIVE_MEMORY, handle,
			     size, own, &flags, &made);
	if (status) {
		usm_discard(usm);
		return status;
	}
	usm->lent = !own;
	usm_wrapped(usm, made);
	*out = usm;
	return DPR_OK;
}

dpr_status dpr_usm_from_native(dpr_queue *queue, uintptr_t handle, size_t size,
			       int own, dpr_usm **out)
{
	TRACE_CALL;
	HANDLES(queue, out);

	return wrap_memory("usm from native", queue, handle, size, own, out);
}

dpr_status dpr_usm_borrow(dpr_queue *queue, uintptr_t handle, size_t size,
			  uint32_t flags, void (*returned)(void *user),
			  void *user, dpr_usm **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_status status;

	if (out)
		*out = NULL;
	if (flags & ~(uint32_t)DPR_BORROW_READ_ONLY)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm borrow: unknown flags %#x", flags);
	status = wrap_memory("usm borrow", queue, handle, size, 0, out);
	if (status)
		return status;
	(*out)->returned = returned;
	(*out)->owner = user;
	(*out)->read_only = flags & DPR_BORROW_READ_ONLY;
	return DPR_OK;
}

dpr_status dpr_usm_export(const dpr_usm *usm, dpr_ipc *ipc)
{
	TRACE_CALL;
	HANDLES(usm);
	dprp_ipc theirs = { .struct_size = sizeof(theirs), .fd = -1 };
	dpr_status status = check_native("usm export", usm, ipc);
	const struct plugin *plugin;
	const dpr_device *root;
	dprp_rc rc;

	if (!status)
		status = wait_before(usm_asked(usm), "usm export");
	if (status)
		return status;
	plugin = usm->queue->plugin;
	root = usm->queue->device->root;
	plugin_forget_error();
	rc = plugin->mem.ipc_export(usm->handle, &theirs);
	rc = plugin_checked(plugin, "mem->ipc_export", rc);
	if (rc == DPR_RC_UNSUPPORTED)
		return plugin_status(plugin, rc,
				     "usm export: the backend %s cannot hand "
				     "over this memory to another process",
				     plugin->name);
	if (rc)
		return plugin_status(plugin, rc, "usm export");
	*ipc = (dpr_ipc){ .version = DPR_IPC_VERSION,
			  .type = theirs.type,
			  .fd = theirs.fd,
			  .size = usm->size,
			  .offset = theirs.offset + usm->base };
	memcpy(ipc->bytes, theirs.bytes, sizeof(ipc->bytes));
	if (root->has_uuid)
		memcpy(ipc->uuid, root->uuid, sizeof(ipc->uuid));
	memcpy(ipc->backend, plugin->name,
	       strnlen(plugin->name, sizeof(ipc->backend) - 1));
	memcpy(ipc->device, root->selector,
	       strnlen(root->selector, sizeof(ipc->device) - 1));
	return DPR_OK;
}

/* Whether @ipc describes memory of the root device.  Compares the UUIDs if both
   sides have one, else the selectors. */
static bool is_of_device(const dpr_ipc *ipc, const dpr_device *root)
{
	static const unsigned char none[sizeof(ipc->uuid)];

	if (root->has_uuid && memcmp(ipc->uuid, none, sizeof(none)) != 0)
		return !memcmp(ipc->uuid, root->uuid, sizeof(none));
	return !strncmp(ipc->device, root->selector, sizeof(ipc->device) - 1);
}

static dpr_status check_ipc(const dpr_queue *queue, const dpr_ipc *ipc)
{
	const dpr_device *root = queue->device->root;

	if (ipc->version != DPR_IPC_VERSION || ipc->reserved || !ipc->size ||
	    ipc->size > SIZE_MAX - ipc->offset ||
	    !memchr(ipc->backend, 0, sizeof(ipc->backend)) ||
	    !memchr(ipc->device, 0, sizeof(ipc->device)))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm import: the description is damaged, or not of "
			    "version %u",
			    DPR_IPC_VERSION);
	if (strcmp(ipc->backend, queue->plugin->name) != 0)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm import: the memory belongs to backend %s, but "
			    "%s belongs to backend %s",
			    ipc->backend, queue->name, queue->plugin->name);
	if (!is_of_device(ipc, root))
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"usm import: the memory belongs to device %s of the "
			"other process, but %s is on another device, %s",
			ipc->device, queue->name, root->selector);
	return device_check(root, "usm import");
}

static dpr_status import_handle(const dpr_queue *queue, const dpr_ipc *ipc,
				dprp_mem **out)
{
	dprp_ipc from = { .struct_size = sizeof(from),
			  .type = ipc->type,
			  .fd = ipc->fd,
			  .size = ipc->size,
			  .offset = ipc->offset };
	const struct plugin *plugin = queue->plugin;
	dprp_context *context;
	dpr_status status;
	dprp_rc rc;

	status = device_context(queue->device->root, &context);
	if (status)
		return status;
	memcpy(from.bytes, ipc->bytes, sizeof(from.bytes));
	plugin_forget_error();
	rc = plugin->mem.ipc_import(context, queue->device->handle, &from, out);
	rc = plugin_made(plugin, "mem->ipc_import", rc, *out);
	if (rc == DPR_RC_UNSUPPORTED)
		return plugin_status(plugin, rc,
				     "usm import: the backend %s cannot take "
				     "over memory of another process",
				     plugin->name);
	return rc ? plugin_status(plugin, rc, "usm import") : DPR_OK;
}

dpr_status dpr_usm_import(dpr_queue *queue, const dpr_ipc *ipc, dpr_usm **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dprp_mem *made = NULL;
	dpr_status status;
	dpr_usm *usm;

	if (out)
		*out = NULL;
	status = check_native("usm import", queue, out);
	if (!status && !ipc)
		status = fail(DPR_ERROR_INVALID_ARGUMENT,
			      "usm import: the description is NULL");
	if (!status)
		status = check_ipc(queue, ipc);
	if (status)
		return status;
	usm = usm_to_wrap(queue, ipc->size);
	if (!usm)
		return fail_memory("usm import");
	status = import_handle(queue, ipc, &made);
	if (status) {
		usm_discard(usm);
		return status;
	}
	usm_wrapped(usm, made);
	*out = usm;
	return DPR_OK;
}
