/* SPDX-License-Identifier: Apache-2.0 */
/* barrier.h - barriers of queues. */
#ifndef RUNTIME_BARRIER_H
#define RUNTIME_BARRIER_H

#include "core/runtime/queue/queue.h"

/* Submit a barrier to @queue, as dpr_queue_barrier() does, with @name for its
   event and for messages. */
dpr_status barrier_submit(dpr_queue *queue, const char *name,
			  const dpr_events *after, dpr_event **done);

#endif
