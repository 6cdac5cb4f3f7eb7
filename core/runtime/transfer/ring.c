/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.c - a copy in chunks by way of host memory, driven by the caller.
 *
 * While the target's queue writes some chunks, the source's queue reads the
 * next ones.  The call returns when all of the source has been read: the last
 * writes may still be under way, and their chunks come back when they are done.
 */
#include "core/runtime/transfer/ring.h"

#include <stdio.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/event_list.h"
#include "core/runtime/queue/event_wait.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/submit/submit.h"
#include "core/runtime/transfer/host_path.h"
#include "core/runtime/transfer/staging.h"

struct ring_slot {
	struct chunk *chunk;
	dpr_event *read, *write;
};

/* Chunk i of the copy is in slot i % n. */
struct ring {
	const struct operation *copy;
	dpr_queue *reader, *writer;
	const dpr_events *after;
	struct ring_slot slots[STAGING_CHUNKS];
	size_t n, step;
	uint64_t count;         /* the number of chunks in the copy */
	uint64_t read, written; /* how many were submitted to be read, and to be
				   written */
	uint64_t done; /* the number of chunks that are known to be written */
	struct event_list all; /* all writes, if `writer` is out of order */
};

static size_t part_size(const struct ring *ring, uint64_t i)
{
	uint64_t left = ring->copy->u.move.size - i * ring->step;

	return left < ring->step ? (size_t)left : ring->step;
}

/* "copy (read bytes 0 to 4194304 of 9000000)": the name of an event that fails
   says how far the copy came. */
static void name_part(const struct ring *ring, const char *what, uint64_t i,
		      char *name, size_t capacity)
{
	uint64_t first = i * ring->step;

	snprintf(name, capacity, "copy (%s bytes %llu to %llu of %llu)", what,
		 (unsigned long long)first,
		 (unsigned long long)first + part_size(ring, i),
		 (unsigned long long)ring->copy->u.move.size);
}

static dpr_status wait_event(dpr_event **event)
{
	dpr_status status = event_wait_final(*event, DPR_FOREVER);

	if (!status)
		status = event_result(*event);
	if (status)
		return status;
	dpr_event_release(*event);
	*event = NULL;
	return DPR_OK;
}

static dpr_status ring_read(struct ring *ring)
{
	struct ring_slot *slot = &ring->slots[ring->read % ring->n];
	struct use uses[2] = {
		{ .usm = ring->copy->u.move.from, .access = DPR_READ },
		{ .usm = slot->chunk->usm, .access = DPR_NONE },
	};
	char name[96];
	struct operation op = { .kind = OPERATION_READ,
				.name = name,
				.uses = uses,
				.n_uses = slot->chunk->usm ? 2 : 1,
				.carry = host_path_carry };
	dpr_status status;

	/* The chunk is free again when its write is done. */
	if (slot->write) {
		status = wait_event(&slot->write);
		if (status)
			return status;
		ring->done++;
	}
	name_part(ring, "read", ring->read, name, sizeof(name));
	op.u.move.from = uses[0].usm;
	op.u.move.from_offset =
		ring->copy->u.move.from_offset + ring->read * ring->step;
	op.u.move.target = slot->chunk->data;
	op.u.move.size = part_size(ring, ring->read);
	status = submit_operation(ring->reader, &op, ring->after, &slot->read);
	if (!status)
		ring->read++;
	return status;
}

static dpr_status ring_write(struct ring *ring)
{
	struct ring_slot *slot = &ring->slots[ring->written % ring->n];
	struct use uses[3] = {
		{ .usm = ring->copy->u.move.to, .access = DPR_WRITE },
		{ .usm = ring->copy->u.move.from, .access = USE_ORIGIN },
		{ .usm = slot->chunk->usm, .access = DPR_NONE },
	};
	char name[96];
	struct operation op = { .kind = OPERATION_WRITE,
				.name = name,
				.uses = uses,
				.n_uses = slot->chunk->usm ? 3 : 2,
				.carry = host_path_carry };
	dpr_status status;

	/* The first write stands for the whole copy, which may replace all
	   contents. */
	if (!ring->written)
		uses[0].access = usm_write_access(uses[0].usm,
						  ring->copy->u.move.to_offset,
						  ring->copy->u.move.size);

	/* This thread waits until the chunk is filled, then writes it out. */
	status = wait_event(&slot->read);
	if (status)
		return status;
	name_part(ring, "write", ring->written, name, sizeof(name));
	op.u.move.to = uses[0].usm;
	op.u.move.to_offset =
		ring->copy->u.move.to_offset + ring->written * ring->step;
	op.u.move.source = slot->chunk->data;
	op.u.move.size = part_size(ring, ring->written);
	status = submit_operation(ring->writer, &op, ring->after, &slot->write);
	if (status)
		return status;
	ring->written++;
	/* Flush, or a driver may keep the write until the next wait. */
	(void)!queue_flush(ring->writer);
	if (!ring->writer->in_order &&
	    !event_list_add(&ring->all, dpr_event_retain(slot->write)))
		return fail_memory("copy between devices");
	return DPR_OK;
}

/* Run the copy.  Reads are submitted ahead, up to half of the chunks beyond the
   read that is awaited.  So the other half may be on their way to the
   target. */
static dpr_status ring_run(struct ring *ring)
{
	dpr_status status = DPR_OK;

	while (ring->written < ring->count && !status) {
		while (!status && ring->read < ring->count &&
		       ring->read <= ring->written + ring->n / 2)
			status = ring_read(ring);
		if (!status)
			status = ring_write(ring);
	}
	return status;
}

/* Append to the error's text where the copy stopped. */
static void append_progress(const struct ring *ring)
{
	struct text text = { 0 };
	uint64_t size = ring->copy->u.move.size;
	uint64_t bytes = ring->done * ring->step;

	text_print(&text,
		   "; the copy stopped after %llu of %llu bytes: the source is "
		   "unchanged, the rest of the target is undefined",
		   (unsigned long long)(bytes < size ? bytes : size),
		   (unsigned long long)size);
	status_append(text_get(&text));
	text_fini(&text);
}

/* After a failure, wait for all that is under way, and report the progress. */
static void ring_stop(struct ring *ring, dpr_status status)
{
	uint64_t first = ring->written > ring->n ? ring->written - ring->n : 0;
	char *text = status_keep();
	uint64_t i;

	for (i = 0; i < ring->n; i++)
		if (ring->slots[i].read)
			(void)!event_wait_final(ring->slots[i].read,
						DPR_FOREVER);
	for (i = first; i < ring->written; i++) {
		dpr_event *write = ring->slots[i % ring->n].write;

		if (write && !event_wait_final(write, DPR_FOREVER) &&
		    event_state(write) == DPR_EVENT_COMPLETE && i == ring->done)
			ring->done++;
	}
	status_restore(text);
	append_progress(ring);
	/* The first write may have marked the contents as valid. */
	if (ring->written)
		usm_invalidate(ring->copy->u.move.to, status, dpr_last_error());
}

static void ring_fini(struct ring *ring)
{
	size_t i;

	for (i = 0; i < ring->n; i++) {
		struct ring_slot *slot = &ring->slots[i];

		/* At most one of `read` and `write` is set. */
		staging_give(slot->chunk,
			     slot->write ? slot->write : slot->read);
		dpr_event_release(slot->read);
		dpr_event_release(slot->write);
	}
	event_list_fini(&ring->all);
}

/* Place the end of the copy, and its event, on the queue that the caller gave,
   so that later work there comes after the copy. */
static dpr_status ring_done(struct ring *ring, dpr_queue *queue,
			    dpr_event **done)
{
	dpr_event *last[STAGING_CHUNKS];
	dpr_events events = { 0, last };
	size_t i;

	for (i = 0; i < ring->n; i++)
		if (ring->slots[i].write)
			last[events.count++] = ring->slots[i].write;
	if (!ring->writer->in_order) {
		events.count = ring->all.count;
		events.list = ring->all.list;
	}
	if (queue == ring->writer && !done)
		return DPR_OK;
	return dpr_queue_barrier(queue, &events, done);
}

static dpr_status ring_init(struct ring *ring, dpr_device *from, dpr_device *to)
{
	dpr_device *home = staging_home(from, to);
	uint64_t size = ring->copy->u.move.size;
	size_t n, i;

	n = staging_cut(size, &ring->step);
	ring->count = (size + ring->step - 1) / ring->step;
	for (i = 0; i < n; i++) {
		ring->slots[i].chunk =
			staging_take(home, to->root, ring->step, i == 0);
		/* The copy can go on with fewer chunks. */
		if (!ring->slots[i].chunk)
			break;
		ring->n++;
	}
	return ring->n ? DPR_OK : DPR_ERROR_OUT_OF_MEMORY;
}

dpr_status ring_copy(dpr_queue *queue, const struct operation *copy,
		     const dpr_events *after, dpr_event **done)
{
	dpr_usm *to = copy->u.move.to, *from = copy->u.move.from;
	struct ring ring = { .copy = copy, .after = after };
	dpr_status status;

	/* The caller's thread moves the chunks, so it has to wait. */
	status = progress_may_wait("copy between devices");
	if (status)
		return status;
	/*
	 * The other device's queue need not wait for earlier work on @queue:
	 * that work reaches the other device's memory only by copies, which are
	 * tracked.
	 */
	ring.reader = queue->device->root == from->queue->device->root
			      ? queue
			      : from->queue;
	ring.writer = queue->device->root == to->queue->device->root
			      ? queue
			      : to->queue;
	status = ring_init(&ring, from->queue->device, to->queue->device);
	if (!status) {
		status = ring_run(&ring);
		if (!status)
			status = ring_done(&ring, queue, done);
		if (status)
			ring_stop(&ring, status);
	}
	ring_fini(&ring);
	return status;
}
