/* SPDX-License-Identifier: Apache-2.0 */
/* enqueue.c - handing one submission to the plugin, and what the core does
   where a plugin has no entry for it. */
#include "core/runtime/submit/enqueue.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/small_list.h"
#include "core/base/status.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/program/kernel.h"
#include "core/runtime/queue/compilers.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/queue_failure.h"

#define FILL_BLOCK 65536

/* The driver's handles of the dependencies. */
struct handles {
	SMALL_LIST(dprp_event *, 16);
	dprp_deps deps;
};

/* Returns 0, or -1 without memory. */
static int take_handles(struct handles *h, dpr_event *const *deps, size_t n)
{
	size_t i;

	if (!small_list_reserve(h, n))
		return -1;
	memset(&h->deps, 0, sizeof(h->deps));
	h->deps.struct_size = sizeof(h->deps);
	h->deps.events = h->list;
	for (i = 0; i < n; i++) {
		/* A dependency that has completed by now may be of any
		   backend. */
		if (event_state(deps[i]) == DPR_EVENT_COMPLETE)
			continue;
		h->list[h->deps.count++] = atomic_load_explicit(
			&deps[i]->handle, memory_order_acquire);
	}
	return 0;
}

/* Offsets in the driver's memory; an allocation may be a part of it. */
static uint64_t to_offset(const struct operation *op)
{
	return op->u.move.to->base + op->u.move.to_offset;
}

static uint64_t from_offset(const struct operation *op)
{
	return op->u.move.from->base + op->u.move.from_offset;
}

/* A fill for a plugin without one: write a block, then copy it, doubling it
   each time. */
struct fill {
	dpr_queue *queue;
	dprp_mem *to;
	uint64_t offset, size, done;
	/* Each step depends on the one before.  Needed out of order, and when
	   an event has to fail if any step does. */
	bool chained;
	dprp_event *last; /* with `chained`, of the step before; kept on
			     failure */
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
	if (want)
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
	struct fill fill = { .queue = queue,
			     .to = op->u.move.to->handle,
			     .offset = to_offset(op),
			     .size = op->u.move.size,
			     .chained = event || !queue->in_order };
	unsigned char *bytes;
	dprp_rc rc;

	block = FILL_BLOCK / pn * pn;
	if (block > fill.size)
		block = (size_t)fill.size;
	bytes = mem_alloc(block);
	if (!bytes)
		return DPR_RC_OOM_HOST;
	for (i = 0; i < block; i += pn)
		memcpy(bytes + i, op->u.move.pattern, pn);
	rc = fill_step(&fill, bytes, block, deps,
		       fill.size == block ? event : NULL);
	if (rc) {
		mem_free(bytes);
		return rc;
	}
	/* Room was reserved.  If it is gone all the same, a leak is better than
	   memory that is freed while the device uses it. */
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
	/* A part of it may be under way: the core must not try again. */
	return rc == DPR_RC_NO_PATH ? DPR_RC_UNSUPPORTED : rc;
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
	if (rc != DPR_RC_NO_PATH)
		return rc;
	/* If the dependencies were the reason, the write below says the
	   same. */
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

static dprp_rc call_entry(dpr_queue *queue, const struct operation *op,
			  uint64_t ticket, const dprp_deps *deps,
			  dprp_event **event)
{
	const dprp_queue_ops *ops = &queue->plugin->queue;

	switch (op->kind) {
	case OPERATION_BARRIER: return ops->barrier(queue->handle, deps, event);
	case OPERATION_WRITE:
		return ops->write(queue->handle, op->u.move.to->handle,
				  to_offset(op), op->u.move.source,
				  op->u.move.size, deps, event);
	case OPERATION_READ:
		return ops->read(queue->handle, op->u.move.from->handle,
				 from_offset(op), op->u.move.target,
				 op->u.move.size, deps, event);
	case OPERATION_COPY:
		return ops->copy(queue->handle, op->u.move.to->handle,
				 to_offset(op), op->u.move.from->handle,
				 from_offset(op), op->u.move.size, deps, event);
	case OPERATION_FILL:
		return enqueue_fill(queue, op, ticket, deps, event);
	case OPERATION_PREFETCH:
		return enqueue_prefetch(queue, op, deps, event);
	case OPERATION_LAUNCH:
		return ops->launch(queue->handle, op->u.launch.kernel->handle,
				   &op->u.launch.launch, deps, event);
	}
	return DPR_RC_INTERNAL;
}

dprp_rc enqueue_operation(dpr_queue *queue, const struct operation *operation,
			  uint64_t ticket, dpr_event *const *deps,
			  size_t n_deps, dprp_event **handle)
{
	struct handles handles;
	dprp_rc rc;

	small_list_init(&handles);
	handles.deps.count = 0;
	if (n_deps && take_handles(&handles, deps, n_deps))
		return DPR_RC_OOM_HOST;
	rc = call_entry(queue, operation, ticket,
			handles.deps.count ? &handles.deps : NULL, handle);
	if (handle)
		rc = plugin_made(queue->plugin, entry_name(operation->kind), rc,
				 *handle);
	/* Set after a failure, too: a part of it may be under way. */
	atomic_store_explicit(&queue->unflushed, true, memory_order_relaxed);
	small_list_fini(&handles);
	return rc;
}

dpr_status enqueue_status(const dpr_queue *queue,
			  const struct operation *operation, dprp_rc rc)
{
	if (rc == DPR_RC_NO_PATH)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s on %s: the backend does not support this",
			    operation->name, queue->name);
	return device_told(queue->device,
			   plugin_status(queue->plugin, rc, "%s on %s",
					 operation->name, queue->name));
}

bool enqueue_compiles(const struct operation *operation)
{
	if (operation->kind != OPERATION_LAUNCH ||
	    !kernel_is_new(operation->u.launch.kernel,
			   &operation->u.launch.launch))
		return false;
	compilers_begin();
	return true;
}

static void retain_kernel(void *kernel)
{
	dpr_kernel_retain(kernel);
}

static void release_kernel(void *kernel)
{
	dpr_kernel_release(kernel);
}

const struct pin_kind enqueue_kernel_pin = { retain_kernel, release_kernel };
