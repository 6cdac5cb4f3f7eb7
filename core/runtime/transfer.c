/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - copies between the memory of different root devices. */
#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/event.h"
#include "core/runtime/progress.h"
#include "core/runtime/usm.h"

/* The chunks of a copy through host memory, of which two are in flight. */
#define CHUNK ((size_t)4 << 20)
#define CHUNKS 2

static int host_reaches(const dpr_usm *usm)
{
	return usm->address && usm->kind != DPR_USM_DEVICE;
}

static int has_peer(dpr_device *from, dpr_device *to)
{
	uint32_t caps = 0;

	return from->plugin == to->plugin &&
	       !from->plugin->device.peer(from->root->handle, to->root->handle,
					  &caps) &&
	       caps & DPRP_PEER_COPY;
}

/* The list of @after and of an event for all earlier work on @queue: what work
   that is done for it on another queue has to wait for. */
static dpr_status after_queue(const char *what, dpr_queue *queue,
			      const dpr_events *after, struct event_list *list)
{
	dpr_event *event = NULL;
	dpr_status status;
	size_t i;

	status = dpr_queue_barrier(queue, NULL, &event);
	if (!status && !event_list_add(list, event))
		status = fail_memory(what);
	for (i = 0; !status && after && i < after->count; i++)
		if (after->list[i] &&
		    !event_list_add(list, dpr_event_retain(after->list[i])))
			status = fail_memory(what);
	return status;
}

/* Submit @op to @runner for @queue: after earlier work on @queue and before
   later. */
static dpr_status submit_elsewhere(dpr_queue *queue, dpr_queue *runner,
				   const struct operation *op,
				   const dpr_events *after, dpr_event **done)
{
	struct event_list list = { .count = 0 };
	dpr_event *event = NULL;
	dpr_events events;
	dpr_status status;

	status = after_queue(op->name, queue, after, &list);
	events.count = list.count;
	events.list = list.list;
	if (!status)
		status = queue_submit(runner, op, &events, &event);
	events.count = 1;
	events.list = &event;
	if (!status)
		status = dpr_queue_barrier(queue, &events, done);
	dpr_event_release(event);
	event_list_fini(&list);
	return status;
}

/*
 * A copy in which one side is, for the other, host memory: that side's driver
 * is not asked at all.  The use of both is recorded.
 */
static dpr_status copy_direct(dpr_queue *queue, const struct operation *copy,
			      const dpr_events *after, dpr_event **done)
{
	dpr_usm *to = copy->u.move.to, *from = copy->u.move.from;
	struct operation op = *copy;
	dpr_queue *runner;

	if (host_reaches(from)) {
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
		return queue_submit(queue, &op, after, done);
	return submit_elsewhere(queue, runner, &op, after, done);
}

/* A copy in chunks through host memory, under way. */
struct ring {
	const struct operation *copy;
	dpr_queue *reader, *writer;
	const dpr_events *after;
	unsigned char *chunk[CHUNKS];
	dpr_event *reads[CHUNKS], *writes[CHUNKS];
	struct event_list written; /* all of them, if the writer has no order */
};

static size_t chunk_size(const struct ring *ring, uint64_t at)
{
	uint64_t left = ring->copy->u.move.size - at;

	return left < CHUNK ? (size_t)left : CHUNK;
}

static dpr_status ring_read(struct ring *ring, uint64_t at, int slot)
{
	struct use use = { ring->copy->u.move.from, DPR_READ };
	struct operation op = { .kind = OPERATION_READ,
				.name = "copy (read)",
				.uses = &use,
				.n_uses = 1 };
	dpr_status status;

	/* The chunk is free again when its write is done. */
	if (ring->writes[slot]) {
		status = event_wait_final(ring->writes[slot], DPR_FOREVER);
		if (!status)
			status = event_result(ring->writes[slot]);
		if (status)
			return status;
		dpr_event_release(ring->writes[slot]);
		ring->writes[slot] = NULL;
	}
	op.u.move.from = use.usm;
	op.u.move.from_offset = ring->copy->u.move.from_offset + at;
	op.u.move.target = ring->chunk[slot];
	op.u.move.size = chunk_size(ring, at);
	return queue_submit(ring->reader, &op, ring->after, &ring->reads[slot]);
}

static dpr_status ring_write(struct ring *ring, uint64_t at, int slot)
{
	struct use use = { ring->copy->u.move.to, DPR_READ_WRITE };
	struct operation op = { .kind = OPERATION_WRITE,
				.name = "copy",
				.uses = &use,
				.n_uses = 1 };
	dpr_status status;

	/* This thread sees that the chunk is there before it is written on. */
	status = event_wait_final(ring->reads[slot], DPR_FOREVER);
	if (!status)
		status = event_result(ring->reads[slot]);
	if (status)
		return status;
	dpr_event_release(ring->reads[slot]);
	ring->reads[slot] = NULL;
	op.u.move.to = use.usm;
	op.u.move.to_offset = ring->copy->u.move.to_offset + at;
	op.u.move.source = ring->chunk[slot];
	op.u.move.size = chunk_size(ring, at);
	status = queue_submit(ring->writer, &op, ring->after,
			      &ring->writes[slot]);
	if (!status && !ring->writer->in_order &&
	    !event_list_add(&ring->written,
			    dpr_event_retain(ring->writes[slot])))
		status = fail_memory("copy");
	return status;
}

/* Read one chunk ahead of the one that is written. */
static dpr_status ring_run(struct ring *ring)
{
	uint64_t size = ring->copy->u.move.size, at;
	dpr_status status;
	int slot = 0;

	status = ring_read(ring, 0, 0);
	for (at = 0; at < size && !status; at += CHUNK) {
		if (size - at > CHUNK)
			status = ring_read(ring, at + CHUNK,
					   (slot + 1) % CHUNKS);
		if (!status)
			status = ring_write(ring, at, slot);
		slot = (slot + 1) % CHUNKS;
	}
	return status;
}

/* Free a chunk once its write is done. */
static void chunk_fini(struct ring *ring, int i, dpr_status status)
{
	dpr_event *write = ring->writes[i];

	if (write && !status && !event_final(write) &&
	    queue_pin(ring->writer, write->ticket, ring->chunk[i], mem_free))
		return;
	/* After a failure nothing stays in flight. */
	if (write)
		(void)!event_wait_final(write, DPR_FOREVER);
	mem_free(ring->chunk[i]);
}

static void ring_fini(struct ring *ring, dpr_status status)
{
	int i;

	for (i = 0; i < CHUNKS; i++) {
		if (ring->reads[i])
			(void)!event_wait_final(ring->reads[i], DPR_FOREVER);
		chunk_fini(ring, i, status);
		dpr_event_release(ring->reads[i]);
		dpr_event_release(ring->writes[i]);
	}
	event_list_fini(&ring->written);
}

/* The event of the whole, on the queue that was given, and its later work after
   it. */
static dpr_status ring_done(struct ring *ring, dpr_queue *queue,
			    dpr_event **done)
{
	dpr_event *last[CHUNKS];
	dpr_events events = { 0, last };
	int i;

	for (i = 0; i < CHUNKS; i++)
		if (ring->writes[i])
			last[events.count++] = ring->writes[i];
	if (!ring->writer->in_order) {
		events.count = ring->written.count;
		events.list = ring->written.list;
	}
	if (queue == ring->writer && !done)
		return DPR_OK;
	return dpr_queue_barrier(queue, &events, done);
}

static dpr_status copy_pageable(dpr_queue *queue, const struct operation *copy,
				const dpr_events *after, dpr_event **done)
{
	dpr_usm *to = copy->u.move.to, *from = copy->u.move.from;
	struct ring ring = { .copy = copy, .after = after };
	struct event_list list = { .count = 0 };
	dpr_events events;
	dpr_status status;
	int i, n;

	/* The caller's thread moves the chunks. */
	status = progress_may_wait("copy between devices");
	if (status)
		return status;
	ring.reader = queue->device->root == from->queue->device->root
			      ? queue
			      : from->queue;
	ring.writer = queue->device->root == to->queue->device->root
			      ? queue
			      : to->queue;
	if (ring.reader != queue || ring.writer != queue) {
		status = after_queue(copy->name, queue, after, &list);
		events.count = list.count;
		events.list = list.list;
		ring.after = &events;
	}
	n = copy->u.move.size > CHUNK ? CHUNKS : 1;
	for (i = 0; i < n && !status; i++) {
		ring.chunk[i] = mem_alloc(chunk_size(&ring, 0));
		if (!ring.chunk[i])
			status = fail_memory("copy between devices");
	}
	if (!status)
		status = ring_run(&ring);
	if (!status)
		status = ring_done(&ring, queue, done);
	ring_fini(&ring, status);
	event_list_fini(&list);
	return status;
}

dpr_status transfer_copy(dpr_queue *queue, const struct operation *copy,
			 const dpr_events *after, dpr_event **done)
{
	dpr_usm *to = copy->u.move.to, *from = copy->u.move.from;
	dpr_device *here = queue->device->root;
	dpr_status status;
	int no_path;

	if (host_reaches(from) || host_reaches(to))
		return copy_direct(queue, copy, after, done);
	if ((to->queue->device->root == here ||
	     from->queue->device->root == here) &&
	    has_peer(from->queue->device, to->queue->device)) {
		status = queue_submit_path(queue, copy, after, done, &no_path);
		if (status || !no_path)
			return status;
	}
	return copy_pageable(queue, copy, after, done);
}

dpr_status dpr_usm_transfer_plan(const dpr_usm *from, size_t size,
				 dpr_queue *target, dpr_usm_kind kind,
				 dpr_transfer *out)
{
	TRACE_CALL;
	dpr_device *device;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "transfer plan: out is NULL");
	memset(out, 0, sizeof(*out));
	status = runtime_check("transfer plan");
	if (status)
		return status;
	if (!from || !target)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "transfer plan: the %s is NULL",
			    from ? "target queue" : "allocation");
	device = target->device;
	out->bytes = size;
	if (from->queue->device->root == device->root)
		out->path = DPR_TRANSFER_SAME_DEVICE;
	else if (host_reaches(from) ||
		 (kind != DPR_USM_DEVICE && device->has_addresses))
		out->path = DPR_TRANSFER_DIRECT;
	else if (has_peer(from->queue->device, device))
		out->path = DPR_TRANSFER_PEER;
	else
		out->path = DPR_TRANSFER_PAGEABLE;
	if (out->path == DPR_TRANSFER_PAGEABLE)
		out->staging = size < CHUNK ? size : CHUNKS * CHUNK;
	return DPR_OK;
}
