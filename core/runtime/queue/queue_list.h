/* SPDX-License-Identifier: Apache-2.0 */
/* queue_list.h - the list of all queues. */
#ifndef RUNTIME_QUEUE_LIST_H
#define RUNTIME_QUEUE_LIST_H

#include "core/runtime/queue/queue.h"

/* Put a queue into the list, or take it out.  Taking out a queue that is not in
   the list does nothing. */
void queue_list_add(dpr_queue *queue);
void queue_list_remove(dpr_queue *queue);

/* The newest queue, or NULL.  Call it only while no other thread can make or
   release a queue. */
dpr_queue *queue_list_first(void);

/* Call @call for every queue, with a reference held. */
void queue_list_each(void (*call)(dpr_queue *queue));

/* Call @call for every queue, newest first, until it returns false.  The list
   is locked meanwhile: @call may take locks of queues, and calls no plugin. */
void queue_list_visit(bool (*call)(dpr_queue *queue, void *user), void *user);

#endif
