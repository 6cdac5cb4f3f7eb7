/* SPDX-License-Identifier: Apache-2.0 */
/* move.c - operations on allocations: copy, write, read, fill, prefetch. */
#include <string.h>

#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/origin.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/event_wait.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/submit/barrier.h"
#include "core/runtime/submit/submit.h"
#include "core/runtime/transfer/host_path.h"
#include "core/runtime/transfer/transfer.h"

#define MAX_PATTERN 128

/* Check what all operations but copies require: the queue, the range of @usm,
   and that @usm is memory of the queue's root device. */
static dpr_status check_move(const char *what, const dpr_queue *queue,
			     const dpr_usm *usm, size_t offset, size_t size)
{
	dpr_status status = queue_check(what, queue);

	if (status)
		return status;
	status = usm_check(what, usm, offset, size);
	if (status)
		return status;
	if (usm->queue->device->root != queue->device->root)
		return fail(
			DPR_ERROR_EXECUTION_PLACEMENT,
			"%s: the allocation is on %s, the queue is %s; use a "
			"queue of the allocation's device, or dpr_usm_copy()",
			what, usm->queue->name, queue->name);
	return DPR_OK;
}

/* Submit a read, a write or a barrier, and wait for its end.  A read that went
   into @chunk is copied to the program's memory.  @chunk may be NULL. */
static dpr_status submit_waiting(dpr_queue *queue, struct operation *op,
				 const dpr_events *after, struct chunk *chunk)
{
	struct bounce *bounce = op->u.move.bounce;
	dpr_event *event = NULL;
	dpr_status status = submit_operation(queue, op, after, &event);

	/* The driver does not use the chunk, for example because the operation
	   is held: give the chunk back before the wait. */
	if (chunk && !bounce->used) {
		staging_give(chunk, NULL);
		chunk = NULL;
	}
	if (!status)
		status = event_wait_final(event, DPR_FOREVER);
	if (!status)
		status = event_result(event);
	if (!status && chunk && op->kind == OPERATION_READ)
		memcpy(op->u.move.target, bounce->data, op->u.move.size);
	if (chunk)
		staging_give(chunk, NULL);
	dpr_event_release(event);
	return status;
}

/* Carry out a read or write of 0 bytes: a barrier.  Without @done, wait for its
   end. */
static dpr_status submit_no_bytes(dpr_queue *queue, const char *name,
				  const dpr_events *after, dpr_event **done)
{
	struct operation op = { .kind = OPERATION_BARRIER, .name = name };
	dpr_status status;

	if (done)
		return submit_operation(queue, &op, after, done);
	status = progress_may_wait(name);
	return status ? status : submit_waiting(queue, &op, after, NULL);
}

/* Submit an operation on host memory.  Without @done, wait for its end.  @uses
   has one entry and room for one more. */
static dpr_status submit_host(dpr_queue *queue, struct operation *op,
			      struct use *uses, const dpr_events *after,
			      dpr_event **done)
{
	struct bounce bounce = { .data = NULL };
	struct chunk *chunk = NULL;
	dpr_status status;

	op->uses = uses;
	op->n_uses = 1;
	op->carry = host_path_carry;
	op->waits = !done;
	if (!done) {
		status = progress_may_wait(op->name);
		if (status)
			return status;
	}
	/* Only a thread that waits can copy a read out of the chunk in the
	   end. */
	if (!done || op->kind == OPERATION_WRITE)
		chunk = host_path_chunk(queue, op->u.move.size);
	if (chunk) {
		bounce.data = chunk->data;
		op->u.move.bounce = &bounce;
	}
	if (!done)
		return submit_waiting(queue, op, after, chunk);
	if (chunk)
		uses[op->n_uses++] =
			(struct use){ .usm = chunk->usm, .access = DPR_NONE };
	status = submit_operation(queue, op, after, done);
	if (chunk)
		staging_give(chunk, bounce.used ? *done : NULL);
	return status;
}

dpr_status dpr_usm_write(dpr_queue *queue, dpr_usm *to, size_t to_offset,
			 const void *from, size_t size, const dpr_events *after,
			 dpr_event **done)
{
	TRACE_CALL;
	HANDLES(queue, to, after, done);
	struct use uses[2] = { { .usm = to } };
	struct operation op = { .kind = OPERATION_WRITE, .name = "write" };
	dpr_status status;

	if (done)
		*done = NULL;
	status = check_move("write", queue, to, to_offset, size);
	if (status)
		return status;
	if (!size)
		return submit_no_bytes(queue, "write", after, done);
	if (!from)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "write: the host memory is NULL");
	uses[0].access = usm_write_access(to, to_offset, size);
	op.u.move.to = to;
	op.u.move.to_offset = to_offset;
	op.u.move.source = from;
	op.u.move.size = size;
	return submit_host(queue, &op, uses, after, done);
}

dpr_status dpr_usm_read(dpr_queue *queue, void *to, const dpr_usm *from,
			size_t from_offset, size_t size,
			const dpr_events *after, dpr_event **done)
{
	TRACE_CALL;
	HANDLES(queue, from, after, done);
	struct use uses[2] = { { .usm = usm_asked(from), .access = DPR_READ } };
	struct operation op = { .kind = OPERATION_READ, .name = "read" };
	dpr_status status;

	if (done)
		*done = NULL;
	status = check_move("read", queue, from, from_offset, size);
	if (status)
		return status;
	if (!size)
		return submit_no_bytes(queue, "read", after, done);
	if (!to)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "read: the host memory is NULL");
	op.u.move.from = usm_asked(from);
	op.u.move.from_offset = from_offset;
	op.u.move.target = to;
	op.u.move.size = size;
	status = submit_host(queue, &op, uses, after, done);
	if (status || done)
		return status;
	/* The bytes are here, but it is not yet known whether the work that
	   made them failed. */
	origin_ask(usm_asked(from), queue, DPR_FOREVER);
	return origin_check("read", usm_asked(from));
}

dpr_status dpr_usm_copy(dpr_queue *queue, dpr_usm *to, size_t to_offset,
			const dpr_usm *from, size_t from_offset, size_t size,
			const dpr_events *after, dpr_event **done)
{
	TRACE_CALL;
	HANDLES(queue, to, from, after, done);
	struct use uses[2] = { { .usm = to },
			       { .usm = usm_asked(from), .access = DPR_READ } };
	struct operation op = { .kind = OPERATION_COPY,
				.name = "copy",
				.uses = uses,
				.n_uses = 2 };
	dpr_status status;

	if (done)
		*done = NULL;
	status = process_check("copy");
	if (status)
		return status;
	if (!queue)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "copy: the queue is NULL");
	status = usm_check("copy: target", to, to_offset, size);
	if (!status)
		status = usm_check("copy: source", from, from_offset, size);
	if (status)
		return status;
	if (!size)
		return barrier_submit(queue, "copy", after, done);
	/* Both ranges are in bounds, so these sums do not overflow. */
	if (to == from && to_offset < from_offset + size &&
	    from_offset < to_offset + size)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"copy: the ranges from byte %zu on and from byte %zu on, "
			"of %zu bytes each, overlap; copy through another allocation",
			from_offset, to_offset, size);
	uses[0].access = usm_write_access(to, to_offset, size);
	op.u.move.to = to;
	op.u.move.from = usm_asked(from);
	op.u.move.to_offset = to_offset;
	op.u.move.from_offset = from_offset;
	op.u.move.size = size;
	if (to->queue->device->root == queue->device->root &&
	    from->queue->device->root == queue->device->root)
		return submit_operation(queue, &op, after, done);
	return transfer_copy(queue, &op, after, done);
}

dpr_status dpr_usm_fill(dpr_queue *queue, dpr_usm *to, size_t to_offset,
			const void *pattern, size_t pattern_size, size_t size,
			const dpr_events *after, dpr_event **done)
{
	TRACE_CALL;
	HANDLES(queue, to, after, done);
	struct use use = { .usm = to };
	struct operation op = { .kind = OPERATION_FILL,
				.name = "fill",
				.uses = &use,
				.n_uses = 1,
				.carry = host_path_carry };
	dpr_status status;

	if (done)
		*done = NULL;
	status = check_move("fill", queue, to, to_offset, size);
	if (status)
		return status;
	if (!pattern_size || pattern_size > MAX_PATTERN)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "fill: a pattern of %zu bytes; it must have 1 to %d",
			    pattern_size, MAX_PATTERN);
	if (size % pattern_size)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"fill: %zu bytes are not a multiple of the pattern's %zu",
			size, pattern_size);
	if (!size)
		return barrier_submit(queue, "fill", after, done);
	if (!pattern)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "fill: the pattern is NULL");
	use.access = usm_write_access(to, to_offset, size);
	op.u.move.to = to;
	op.u.move.to_offset = to_offset;
	op.u.move.size = size;
	op.u.move.pattern = pattern;
	op.u.move.pattern_size = pattern_size;
	return submit_operation(queue, &op, after, done);
}

dpr_status dpr_usm_prefetch(dpr_queue *queue, dpr_usm *usm, size_t offset,
			    size_t size, const dpr_events *after,
			    dpr_event **done)
{
	TRACE_CALL;
	HANDLES(queue, usm, after, done);
	/* A prefetch changes no bytes, but may move them. */
	struct use use = { .usm = usm, .access = DPR_READ };
	struct operation op = { .kind = OPERATION_PREFETCH,
				.name = "prefetch",
				.uses = &use,
				.n_uses = 1 };
	dpr_status status;

	if (done)
		*done = NULL;
	status = check_move("prefetch", queue, usm, offset, size);
	if (status)
		return status;
	if (!size)
		return barrier_submit(queue, "prefetch", after, done);
	op.u.move.to = usm;
	op.u.move.to_offset = offset;
	op.u.move.size = size;
	return submit_operation(queue, &op, after, done);
}

dpr_status dpr_usm_advise(dpr_queue *queue, dpr_usm *usm, size_t offset,
			  size_t size, enum dpr_usm_advice advice)
{
	TRACE_CALL;
	HANDLES(queue, usm);
	dpr_status status = check_move("advise", queue, usm, offset, size);
	dprp_rc rc;

	if (status)
		return status;
	if ((unsigned)advice > DPR_ADVICE_PREFER_HOST)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"advise: the advice is %u, which is not a value of enum "
			"dpr_usm_advice",
			(unsigned)advice);
	if (!size)
		return DPR_OK;
	pthread_mutex_lock(&queue->submit);
	rc = queue->plugin->queue.advise(queue->handle, usm->handle,
					 usm->base + offset, size,
					 (uint32_t)advice);
	pthread_mutex_unlock(&queue->submit);
	rc = plugin_checked(queue->plugin, "queue->advise", rc);
	/* Advice is a hint, so a driver may ignore it. */
	if (!rc || rc == DPR_RC_UNSUPPORTED || rc == DPR_RC_NO_PATH)
		return DPR_OK;
	return plugin_status(queue->plugin, rc, "advise on %s", queue->name);
}
