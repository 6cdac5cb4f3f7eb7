/* SPDX-License-Identifier: Apache-2.0 */
/* barrier.c - barriers of queues, and of allocations. */
#include "core/runtime/submit/barrier.h"

#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/uses.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/submit/submit.h"

dpr_status barrier_submit(dpr_queue *queue, const char *name,
			  const dpr_events *after, dpr_event **done)
{
	struct operation operation = { .kind = OPERATION_BARRIER,
				       .name = name };

	/* An in-order queue needs no barrier unless there are events to wait
	   for or to return. */
	if (queue->in_order && !done && (!after || !after->count))
		return DPR_OK;
	return submit_operation(queue, &operation, after, done);
}

dpr_status dpr_queue_barrier(dpr_queue *queue, const dpr_events *after,
			     dpr_event **done)
{
	TRACE_CALL;
	HANDLES(queue, after, done);
	dpr_status status;

	if (done)
		*done = NULL;
	status = queue_check("barrier", queue);
	if (status)
		return status;
	return barrier_submit(queue, "barrier", after, done);
}

dpr_status dpr_usm_event(const dpr_usm *usm, dpr_event **out)
{
	TRACE_CALL;
	HANDLES(usm, out);
	struct use use = { .usm = usm_asked(usm), .access = DPR_READ };
	struct operation operation = { .kind = OPERATION_BARRIER,
				       .name = "usm event",
				       .uses = &use,
				       .n_uses = 1 };
	dpr_status status;

	if (out)
		*out = NULL;
	status = process_check("usm event");
	if (status)
		return status;
	if (!usm || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm event: the %s is NULL",
			    usm ? "output" : "allocation");
	*out = uses_event(usm_asked(usm));
	return *out ? DPR_OK
		    : submit_operation(usm->queue, &operation, NULL, out);
}

dpr_status dpr_usm_barrier(dpr_queue *queue, dpr_usm *usm,
			   const dpr_events *after, dpr_event **done)
{
	TRACE_CALL;
	HANDLES(queue, usm, after, done);
	struct use use = { .usm = usm, .access = DPR_READ_WRITE };
	struct operation operation = { .kind = OPERATION_BARRIER,
				       .name = "usm barrier",
				       .uses = &use,
				       .n_uses = 1 };
	dpr_status status;

	if (done)
		*done = NULL;
	status = queue_check("usm barrier", queue);
	if (status)
		return status;
	if (!usm)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm barrier: the allocation is NULL");
	if (usm->queue->device->root != queue->device->root)
		return fail(
			DPR_ERROR_EXECUTION_PLACEMENT,
			"usm barrier: the allocation is on %s, the queue is "
			"%s; use a queue of the allocation's device",
			usm->queue->name, queue->name);
	return submit_operation(queue, &operation, after, done);
}
