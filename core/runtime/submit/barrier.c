/* SPDX-License-Identifier: Apache-2.0 */
/* barrier.c - dpr_queue_barrier(). */
#include "core/base/trace.h"
#include "core/runtime/submit/submit.h"

dpr_status dpr_queue_barrier(dpr_queue *queue, const dpr_events *after,
			     dpr_event **done)
{
	TRACE_CALL;
	struct operation operation = { .kind = OPERATION_BARRIER,
				       .name = "barrier" };
	dpr_status status;

	if (done)
		*done = NULL;
	status = queue_check("barrier", queue);
	if (status)
		return status;
	/* An in-order queue needs no barrier unless it has events. */
	if (queue->in_order && !done && (!after || !after->count))
		return DPR_OK;
	return submit_operation(queue, &operation, after, done);
}
