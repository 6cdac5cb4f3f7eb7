/* SPDX-License-Identifier: Apache-2.0 */
/* queue_create.h - queues over a handle of the program's own. */
#ifndef RUNTIME_QUEUE_CREATE_H
#define RUNTIME_QUEUE_CREATE_H

#include "core/runtime/queue/queue.h"

/*
 * Make a queue before its handle is wrapped, so that nothing can fail
 * afterwards.  Returns NULL without memory.  Next, queue_create_wrapped() gives
 * it @handle, or queue_free() frees it.
 */
dpr_queue *queue_create_to_wrap(dpr_device *device);
void queue_create_wrapped(dpr_queue *queue, dprp_queue *handle);

#endif
