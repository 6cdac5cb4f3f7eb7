/* SPDX-License-Identifier: Apache-2.0 */
/* enqueue.c - handing one submission to the plugin, and what the core does
   where a plugin has no entry for it. */
#include "core/runtime/submit/enqueue.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/small_list.h"
#include "core/base/status.h"
#include "core/runtime/memory/guard.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/program/kernel.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/exit_wait.h"
#include "core/runtime/queue/queue_failure.h"

/* The driver's handles of the dependencies. */
struct handles {
	SMALL_LIST(dprp_event *, 16);
	dprp_deps deps;
};

/* Collect the driver's handles of @deps.  Returns false if memory
   runs out. */
static bool take_handles(struct handles *h, dpr_event *const *deps, size_t n)
{
	size_t i;

	if (!small_list_reserve(h, n))
		return false;
	memset(&h->deps, 0, sizeof(h->deps));
	h->deps.struct_size = sizeof(h->deps);
	h->deps.events = h->list;
	for (i = 0; i < n; i++) {
		/* Skip a dependency that has completed by now: it may be of
		   another backend. */
		if (event_state(deps[i]) == DPR_EVENT_COMPLETE)
			continue;
		h->list[h->deps.count++] = atomic_load_explicit(
			&deps[i]->handle, memory_order_acquire);
	}
	return true;
}

/* The offsets of target and source in the driver's memory, of which an
   allocation may be only a part. */
static uint64_t to_offset(const struct operation *op)
{
	return op->u.move.to->base + op->u.move.to_offset;
}

static uint64_t from_offset(const struct operation *op)
{
	return op->u.move.from->base + op->u.move.from_offset;
}

/* A fill for a plugin that has none: write a block, then double what is filled
   with each copy. */
struct fill {
	dpr_queue *queue;
	dprp_mem *to;
	uint64_t offset, size, done;
	/* Each step depends on the one before.  Needed on an out-of-order
	   queue, and if an event must fail when any of the steps fails. */
	bool chained;
	dprp_event *last; /* with `chained`, the event of the step before; kept
			     on failure */
};

static dprp_rc fill_step(struct fill *fill, const void *block, uint64_t n,
			 const dprp_deps *deps, dprp_event **event)
{
	const struct plugin *plugin = fill->queue->plugin;
	dprp_event *one = fill->last, *made = NULL, **want = event;
	dprp_deps chain = { .struct_size = sizeof(chain),
			    .count = 1,
			    .events = &one };
	dprp_rc rc;

	if (!want && fill->chained)
		want = &made;
	if (fill->last)
		deps = &chain;
	if (block)
		rc = plugin->queue.write(fill->queue->handle, fill->to,
					 fill->offset, block, n, deps, want);
	else
		rc = plugin->queue.copy(fill->queue->handle, fill->to,
					fill->offset + fill->done, fill->to,
					fill->offset, n, deps, want);
	if (want && !enqueue_finds_way(rc))
		rc = plugin_made(plugin, block ? "queue->write" : "queue->copy",
				 rc, *want);
	if (rc)
		return rc;
	if (fill->last)
		plugin->event.destroy(fill->last);
	fill->last = made;
	fill->done += n;
	return DPR_RC_OK;
}

static dprp_rc fill_by_copies(dpr_queue *queue, const struct operation *op,
			      uint64_t ticket, const dprp_deps *deps,
			      dprp_event **event)
{
	size_t pn = op->u.move.pattern_size, block, i;
	struct bounce *bounce = op->u.move.bounce;
	struct fill fill = { .queue = queue,
			     .to = op->u.move.to->handle,
			     .offset = to_offset(op),
			     .size = op->u.move.size,
			     .chained = event || !queue->in_order };
	unsigned char *bytes;
	dprp_rc rc;

	block = ENQUEUE_FILL_BLOCK / pn * pn;
	if (block > fill.size)
		block = (size_t)fill.size;
	bytes = bounce ? bounce->data : mem_alloc(block);
	if (!bytes)
		return DPR_RC_OOM_HOST;
	for (i = 0; i < block; i += pn)
		memcpy(bytes + i, op->u.move.pattern, pn);
	rc = fill_step(&fill, bytes, block, deps,
		       fill.size == block ? event : NULL);
	if (rc) {
		if (!bounce)
			mem_free(bytes);
		return rc;
	}
	/* Room for the pin was reserved.  If the room is gone all the same, a
	   leak is better than freeing memory that the device uses. */
	if (bounce)
		(void)tickets_pin(queue, ticket, dpr_usm_retain(bounce->usm),
				  enqueue_usm_pin.drop);
	else
		(void)tickets_pin(queue, ticket, bytes, mem_free);
	while (!rc && fill.done < fill.size) {
		uint64_t n = fill.size - fill.done;
		bool last = n <= fill.done;

		rc = fill_step(&fill, NULL, last ? n : fill.done, NULL,
			       last ? event : NULL);
	}
	/* What was submitted before a failure still uses the block. */
	if (fill.last)
		tickets_track_rest(queue, ticket, fill.last);
	if (rc)
		queue_failure_note_refused(
			queue, ticket, plugin_rc_status(queue->plugin, rc),
			"the driver refused a part of a fill, after "
			"other parts had been submitted");
	/* A part of the fill may be under way, so the core must not try it
	   again. */
	return enqueue_finds_way(rc) ? DPR_RC_UNSUPPORTED : rc;
}

static dprp_rc enqueue_fill(dpr_queue *queue, const struct operation *op,
			    uint64_t ticket, const dprp_deps *deps,
			    dprp_event **event)
{
	dprp_rc rc;

	rc = queue->plugin->queue.fill(queue->handle, op->u.move.to->handle,
				       to_offset(op), op->u.move.size,
				       op->u.move.pattern,
				       op->u.move.pattern_size, deps, event);
	if (rc == DPR_RC_HOST_MEMORY)
		return plugin_answered(queue->plugin, "queue->fill", rc);
	if (rc != DPR_RC_NO_PATH)
		return rc;
	/* A plugin before 1.2 may mean that it cannot wait for the
	   dependencies: then its write answers so, too. */
	return fill_by_copies(queue, op, ticket, deps, event);
}

static dprp_rc enqueue_prefetch(dpr_queue *queue, const struct operation *op,
				const dprp_deps *deps, dprp_event **event)
{
	dprp_rc rc;

	rc = queue->plugin->queue.prefetch(queue->handle, op->u.move.to->handle,
					   to_offset(op), op->u.move.size, deps,
					   event);
	if (rc != DPR_RC_NO_PATH)
		return rc;
	return queue->plugin->queue.barrier(queue->handle, deps, event);
}

static const char *entry_name(enum operation_kind kind)
{
	switch (kind) {
	case OPERATION_BARRIER: return "queue->barrier";
	case OPERATION_WRITE: return "queue->write";
	case OPERATION_READ: return "queue->read";
	case OPERATION_COPY: return "queue->copy";
	case OPERATION_FILL: return "queue->fill";
	case OPERATION_PREFETCH: return "queue->prefetch";
	case OPERATION_LAUNCH: return "queue->launch";
	}
	return "queue";
}

/* Hand over a write or read of @size bytes from @offset on, with @host as the
   host memory. */
static dprp_rc enqueue_host(dpr_queue *queue, const struct operation *op,
			    uint64_t offset, void *host, uint64_t size,
			    const dprp_deps *deps, dprp_event **event)
{
	const dprp_queue_ops *ops = &queue->plugin->queue;

	if (op->kind == OPERATION_WRITE)
		return ops->write(queue->handle, op->u.move.to->handle,
				  to_offset(op) + offset, host, size, deps,
				  event);
	return ops->read(queue->handle, op->u.move.from->handle,
			 from_offset(op) + offset, host, size, deps, event);
}

/* Hand over a write or read.  If the plugin does not take the host memory, use
   the bounce. */
static dprp_rc enqueue_move(dpr_queue *queue, const struct operation *op,
			    const dprp_deps *deps, dprp_event **event)
{
	struct bounce *bounce = op->u.move.bounce;
	uint64_t size = op->u.move.size;
	void *host = op->kind == OPERATION_WRITE ? (void *)op->u.move.source
						 : op->u.move.target;
	dprp_rc rc = enqueue_host(queue, op, 0, host, size, deps, event);

	if ((rc != DPR_RC_NO_PATH && rc != DPR_RC_HOST_MEMORY) || !bounce)
		return rc;
	/* The dependencies may still be filling @host, so it cannot be copied
	   yet. */
	if (op->kind == OPERATION_WRITE && deps)
		return rc;
	if (op->kind == OPERATION_WRITE)
		memcpy(bounce->data, host, size);
	rc = enqueue_host(queue, op, 0, bounce->data, size, deps, event);
	bounce->used = !rc;
	return rc;
}

/* Launch, and have the guards of the arguments looked at afterwards. */
static dprp_rc launch_guarded(dpr_queue *queue, const struct operation *op,
			      uint64_t ticket, const dprp_deps *deps,
			      dprp_event **event)
{
	const dprp_launch *launch = &op->u.launch.launch;
	struct guard_watch *watch =
		guard_watch_begin(op->name, launch, op->uses);
	dprp_rc rc = queue->plugin->queue.launch(queue->handle,
						 op->u.launch.kernel->handle,
						 launch, deps, event);

	guard_watch_end(watch, queue, ticket, !rc);
	return rc;
}

static dprp_rc call_entry(dpr_queue *queue, const struct operation *op,
			  uint64_t ticket, const dprp_deps *deps,
			  dprp_event **event)
{
	const dprp_queue_ops *ops = &queue->plugin->queue;

	switch (op->kind) {
	case OPERATION_BARRIER: return ops->barrier(queue->handle, deps, event);
	case OPERATION_WRITE:
	case OPERATION_READ: return enqueue_move(queue, op, deps, event);
	case OPERATION_COPY:
		return ops->copy(queue->handle, op->u.move.to->handle,
				 to_offset(op), op->u.move.from->handle,
				 from_offset(op), op->u.move.size, deps, event);
	case OPERATION_FILL:
		return enqueue_fill(queue, op, ticket, deps, event);
	case OPERATION_PREFETCH:
		return enqueue_prefetch(queue, op, deps, event);
	case OPERATION_LAUNCH:
		if (queue->device->has_guards)
			return launch_guarded(queue, op, ticket, deps, event);
		return ops->launch(queue->handle, op->u.launch.kernel->handle,
				   &op->u.launch.launch, deps, event);
	}
	return DPR_RC_INTERNAL;
}

/* Refuse a code that the submission may not answer.  Replace a NO_PATH that
   means HOST_MEMORY. */
static dprp_rc check_way(const dpr_queue *queue, const struct operation *op,
			 bool waits, dprp_rc rc)
{
	const bool moves = op->kind == OPERATION_WRITE ||
			   op->kind == OPERATION_READ ||
			   op->kind == OPERATION_FILL;

	if (!plugin_rc_exists(queue->plugin, rc) ||
	    (rc == DPR_RC_CANNOT_WAIT && !waits) ||
	    (rc == DPR_RC_HOST_MEMORY && !moves))
		return plugin_answered(queue->plugin, entry_name(op->kind), rc);
	return rc == DPR_RC_NO_PATH && moves && !waits ? DPR_RC_HOST_MEMORY
						       : rc;
}

dprp_rc enqueue_operation(dpr_queue *queue, const struct operation *operation,
			  uint64_t ticket, dpr_event *const *deps,
			  size_t n_deps, dprp_event **handle)
{
	struct handles handles;
	dprp_rc rc;

	small_list_init(&handles);
	handles.deps.count = 0;
	if (n_deps && !take_handles(&handles, deps, n_deps))
		return DPR_RC_OOM_HOST;
	rc = call_entry(queue, operation, ticket,
			handles.deps.count ? &handles.deps : NULL, handle);
	if (enqueue_finds_way(rc))
		rc = check_way(queue, operation, handles.deps.count > 0, rc);
	else if (handle)
		rc = plugin_made(queue->plugin, entry_name(operation->kind), rc,
				 *handle);
	else
		rc = plugin_checked(queue->plugin, entry_name(operation->kind),
				    rc);
	/* Set this after a failure, too: a part of the operation may be under
	   way. */
	atomic_store_explicit(&queue->unflushed, true, memory_order_relaxed);
	small_list_fini(&handles);
	return rc;
}

dpr_status enqueue_piece(dpr_queue *queue, const struct operation *operation,
			 const struct piece *piece, dpr_event **out)
{
	const char *entry = entry_name(operation->kind);
	dprp_event *handle = NULL;
	dprp_rc rc;

	*out = event_new(queue->device, NULL, piece->name, 0);
	if (!*out)
		return fail_memory(operation->name);
	pthread_mutex_lock(&queue->submit);
	rc = enqueue_host(queue, operation, piece->offset, piece->host,
			  piece->size, NULL, &handle);
	if (rc != DPR_RC_NO_PATH && rc != DPR_RC_HOST_MEMORY)
		rc = plugin_made(queue->plugin, entry, rc, handle);
	else
		rc = plugin_broke(queue->plugin, "Q7",
				  "%s gave %s for memory that the plugin "
				  "itself has allocated as HOST or imported",
				  entry,
				  rc == DPR_RC_NO_PATH ? "NO_PATH"
						       : "HOST_MEMORY");
	atomic_store_explicit(&queue->unflushed, true, memory_order_relaxed);
	pthread_mutex_unlock(&queue->submit);
	if (!rc) {
		event_submitted(*out, handle);
		return DPR_OK;
	}
	dpr_event_release(*out);
	*out = NULL;
	return device_told(queue->device,
			   plugin_status(queue->plugin, rc, "%s on %s",
					 piece->name, queue->name));
}

dpr_status enqueue_status(const dpr_queue *queue,
			  const struct operation *operation, dprp_rc rc)
{
	if (enqueue_finds_way(rc))
		return fail(
			DPR_ERROR_UNSUPPORTED,
			"%s on %s: the backend does not support this operation",
			operation->name, queue->name);
	return device_told(queue->device,
			   plugin_status(queue->plugin, rc, "%s on %s",
					 operation->name, queue->name));
}

bool enqueue_compiles(const struct operation *operation)
{
	if (operation->kind != OPERATION_LAUNCH ||
	    !kernel_exit_waits(operation->u.launch.kernel,
			   &operation->u.launch.launch))
		return false;
	exit_wait_begin();
	return true;
}

static void retain_usm(void *usm)
{
	dpr_usm_retain(usm);
}

static void release_usm(void *usm)
{
	dpr_usm_release(usm);
}

const struct pin_kind enqueue_usm_pin = { retain_usm, release_usm };

static void retain_kernel(void *kernel)
{
	dpr_kernel_retain(kernel);
}

/* A pin may be dropped with the queue's lock `telling` held.  So the kernel is
   only handed to the reaper. */
static void release_kernel(void *kernel)
{
	kernel_release_later(kernel);
}

const struct pin_kind enqueue_kernel_pin = { retain_kernel, release_kernel };
