/* SPDX-License-Identifier: Apache-2.0 */
/* queue_close.h - closing queues. */
#ifndef RUNTIME_QUEUE_CLOSE_H
#define RUNTIME_QUEUE_CLOSE_H

#include "core/runtime/queue/queue.h"

/*
 * The `free` function of a queue's reap_node: close the queue if all its work
 * is done.  Unless @deadline is 0, wait for the work and for all visitors
 * without limit.
 */
bool queue_close_reaped(struct reap_node *node, uint64_t deadline);

/* Close the canonical queues, and those that could not be closed before.  Only
   dpr_finalize() calls it. */
void queue_close_all(void);

#endif
