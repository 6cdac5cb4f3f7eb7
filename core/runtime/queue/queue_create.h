/* SPDX-License-Identifier: Apache-2.0 */
/* queue_create.h - queues over a handle of the program's own. */
#ifndef RUNTIME_QUEUE_CREATE_H
#define RUNTIME_QUEUE_CREATE_H

#include "core/runtime/queue/queue.h"

/*
 * Make a queue before its handle is wrapped, so that nothing can fail after the
 * wrapping.  Returns NULL if memory runs out.  After the wrapping, call
 * queue_create_wrapped() with @handle and its DPRP_QUEUE_* in @flags; @lent:
 * the driver's queue remains the program's.  If the wrapping failed, call
 * queue_free().
 */
dpr_queue *queue_create_to_wrap(dpr_device *device);
void queue_create_wrapped(dpr_queue *queue, dprp_queue *handle, uint64_t flags,
			  bool lent);

#endif
