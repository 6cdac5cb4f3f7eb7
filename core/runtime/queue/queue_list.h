/* SPDX-License-Identifier: Apache-2.0 */
/* queue_list.h - the list of all queues. */
#ifndef RUNTIME_QUEUE_LIST_H
#define RUNTIME_QUEUE_LIST_H

#include "core/runtime/queue/queue.h"

/* Put a queue into the list, or take it out; it need not be there. */
void queue_list_add(dpr_queue *queue);
void queue_list_remove(dpr_queue *queue);

/* The newest queue, or NULL.  Only while no other thread can make or release
   one. */
dpr_queue *queue_list_first(void);

/* Call @call for every queue, with a reference held. */
void queue_list_each(void (*call)(dpr_queue *queue));

/*
 * Find a launch that may have the driver compile and is not known to be over.
 * Returns its event with a reference, or NULL.  Takes locks of queues, calls
 * no plugin.
 */
dpr_event *queue_list_compiling(void);

#endif
