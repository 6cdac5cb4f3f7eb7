/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - copies between the memory of different root devices: which path
   they take. */
#include "core/runtime/transfer/transfer.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/device/peer.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/cover.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/tickets.h"
#include "core/runtime/submit/submit.h"
#include "core/runtime/transfer/host_path.h"
#include "core/runtime/transfer/ring.h"
#include "core/runtime/transfer/staging.h"

/* The size from which on a copy goes through the progress thread to gain one
   copying thread, half of it for two, and so on; and the least size, however
   many threads are gained. */
#define LARGE ((uint64_t)32 << 20)
#define LEAST_LARGE ((uint64_t)4 << 20)

/* Whether every driver can use @usm as host memory. */
static bool host_reaches(const dpr_usm *usm)
{
	return usm->address && (usm->kind != DPR_USM_DEVICE ||
				usm->queue->device->is_host_memory);
}

/* The path from @from's memory to @to's.  @reached: the host can access one
   side. */
static enum dpr_transfer_path find_path(dpr_device *from, dpr_device *to,
					bool reached)
{
	if (from->root == to->root)
		return DPR_TRANSFER_SAME_DEVICE;
	if (reached)
		return DPR_TRANSFER_DIRECT;
	if (peer_caps(from, to) & DPRP_PEER_COPY)
		return DPR_TRANSFER_PEER;
	return staging_home(from, to) ? DPR_TRANSFER_PINNED
				      : DPR_TRANSFER_PAGEABLE;
}

static uint64_t last_ticket(dpr_queue *queue)
{
	uint64_t last;

	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	pthread_mutex_unlock(&queue->lock);
	return last;
}

static bool is_idle(dpr_queue *queue)
{
	uint64_t last = last_ticket(queue);

	if (!queue_is_done(queue, last))
		tickets_poll(queue);
	return queue_is_done(queue, last);
}

/* Collect what work for @queue has to wait for when it runs on another queue:
   @after and all earlier work on @queue. */
static dpr_status after_queue(dpr_queue *queue, const dpr_events *after,
			      struct event_list *list)
{
	dpr_status status = DPR_OK;
	size_t i;

	if (after && after->count && !after->list)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "copy on %s: the list of events is NULL",
			    queue->name);
	if (!is_idle(queue))
		status = cover_ticket(queue, last_ticket(queue), COVER_ALL,
				      list);
	for (i = 0; !status && after && i < after->count; i++)
		if (after->list[i] &&
		    !event_list_add(list, dpr_event_retain(after->list[i])))
			status = fail_memory("copy");
	return status;
}

/* Submit @op to @runner on behalf of @queue: after the earlier work of @queue
   and before its later work.  @no_path is as for submit_path(), or NULL. */
static dpr_status submit_elsewhere(dpr_queue *queue, dpr_queue *runner,
				   const struct operation *op,
				   const dpr_events *after, dpr_event **done,
				   bool *no_path)
{
	struct event_list list = { .count = 0 };
	dpr_event *event = NULL;
	dpr_events events;
	dpr_status status;

	status = after_queue(queue, after, &list);
	events.count = list.count;
	events.list = list.list;
	if (!status && no_path)
		status = submit_path(runner, op, &events, &event, no_path);
	else if (!status)
		status = submit_operation(runner, op, &events, &event);
	events.count = 1;
	events.list = &event;
	if (!status && event)
		status = dpr_queue_barrier(queue, &events, done);
	dpr_event_release(event);
	event_list_fini(&list);
	return status;
}

/* Whether a copy is large enough to prefer @more threads to @fewer. */
static bool pays(uint64_t size, uint64_t more, uint64_t fewer)
{
	uint64_t least;

	if (more <= fewer)
		return false;
	least = LARGE / (more - fewer);
	return size >= (least > LEAST_LARGE ? least : LEAST_LARGE);
}

/* Whether the target's device should write, rather than the source's device
   read, when both could. */
static bool shall_write(dpr_queue *queue, const struct operation *copy)
{
	dpr_usm *to = copy->u.move.to, *from = copy->u.move.from;
	uint64_t by_to = to->queue->device->root->copy_threads;
	uint64_t by_from = from->queue->device->root->copy_threads;

	bool own = queue->device->root != from->queue->device->root;

	/* Do not use another queue if @queue is out of order: the copy
	   would have to follow all earlier work on @queue and precede all
	   later work. */
	if (!queue->in_order)
		return own;
	/* To wait for a busy queue would be no gain. */
	if (pays(copy->u.move.size, by_from, by_to) && is_idle(from->queue))
		return false;
	if (pays(copy->u.move.size, by_to, by_from) && is_idle(to->queue))
		return true;
	return own;
}

/*
 * Do a copy in which the memory of one side is host memory to the driver of the
 * other.  Only that other driver is involved, but the uses of both sides are
 * recorded.
 */
static dpr_status copy_direct(dpr_queue *queue, const struct operation *copy,
			      const dpr_events *after, dpr_event **done)
{
	dpr_usm *to = copy->u.move.to, *from = copy->u.move.from;
	struct operation op = *copy;
	dpr_queue *runner;
	bool write;

	op.carry = host_path_carry;
	write = host_reaches(from) &&
		(!host_reaches(to) || shall_write(queue, copy));
	if (write) {
		op.kind = OPERATION_WRITE;
		op.u.move.source =
			(char *)from->address + copy->u.move.from_offset;
		runner = to->queue;
	} else {
		op.kind = OPERATION_READ;
		op.u.move.target = (char *)to->address + copy->u.move.to_offset;
		runner = from->queue;
	}
	if (queue->device->root == runner->device->root)
		return submit_operation(queue, &op, after, done);
	return submit_elsewhere(queue, runner, &op, after, done, NULL);
}

/* Use the driver's own copy between its devices.  *@no_path is set if it has
   none. */
static dpr_status copy_peer(dpr_queue *queue, const struct operation *copy,
			    const dpr_events *after, dpr_event **done,
			    bool *no_path)
{
	dpr_usm *to = copy->u.move.to, *from = copy->u.move.from;
	dpr_device *here = queue->device->root;

	if (to->queue->device->root == here ||
	    from->queue->device->root == here)
		return submit_path(queue, copy, after, done, no_path);
	return submit_elsewhere(queue, to->queue, copy, after, done, no_path);
}

dpr_status transfer_copy(dpr_queue *queue, const struct operation *copy,
			 const dpr_events *after, dpr_event **done)
{
	dpr_usm *to = copy->u.move.to, *from = copy->u.move.from;
	dpr_status status = DPR_OK;
	bool no_path = false;

	switch (find_path(from->queue->device, to->queue->device,
			  host_reaches(from) || host_reaches(to))) {
	case DPR_TRANSFER_DIRECT: return copy_direct(queue, copy, after, done);
	case DPR_TRANSFER_NONE:
	case DPR_TRANSFER_SAME_DEVICE:
		/* @queue is of a third device. */
		status = submit_elsewhere(queue, to->queue, copy, after, done,
					  &no_path);
		break;
	case DPR_TRANSFER_PEER:
		status = copy_peer(queue, copy, after, done, &no_path);
		break;
	case DPR_TRANSFER_PINNED:
	case DPR_TRANSFER_PAGEABLE: no_path = true;
	}
	if (status || !no_path)
		return status;
	return ring_copy(queue, copy, after, done);
}

dpr_status dpr_usm_transfer_plan(const dpr_usm *from, dpr_queue *target,
				 dpr_usm_kind kind, size_t size,
				 dpr_transfer *out)
{
	TRACE_CALL;
	HANDLES(from, target);
	dpr_device *device;
	dpr_status status;
	size_t step, n;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "transfer plan: out is NULL");
	memset(out, 0, sizeof(*out));
	status = process_check("transfer plan");
	if (status)
		return status;
	if (!from || !target)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "transfer plan: the %s is NULL",
			    from ? "target queue" : "allocation");
	status = usm_check("transfer plan", from, 0, size);
	if (status)
		return status;
	status = usm_check_kind("transfer plan", kind);
	if (status)
		return status;
	device = target->device;
	out->bytes = size;
	out->path = find_path(from->queue->device, device,
			      host_reaches(from) || (device->has_addresses &&
						     (kind != DPR_USM_DEVICE ||
						      device->is_host_memory)));
	if (out->path == DPR_TRANSFER_PINNED ||
	    out->path == DPR_TRANSFER_PAGEABLE) {
		n = staging_cut(size, &step);
		out->staging = n * step < size ? n * step : size;
	}
	return DPR_OK;
}
