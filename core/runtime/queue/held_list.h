/* SPDX-License-Identifier: Apache-2.0 */
/* held_list.h - the submissions of a queue that the core holds. */
#ifndef RUNTIME_HELD_LIST_H
#define RUNTIME_HELD_LIST_H

#include <stdbool.h>

#include "core/runtime/queue/event_list.h"
#include "core/runtime/queue/queue.h"

/* The part of a held submission that the queue knows; guarded by the queue's
   locks. */
struct held_entry {
	struct held_entry *next, *previous;
	uint64_t ticket;
	dpr_event *event; /* a reference */
	bool is_barrier;
	/* The core carries out the submission itself.  The progress thread
	   leaves it alone until held_finish() or held_send_last(). */
	bool is_carried;
};

/* Append @entry, or remove it.  The caller holds `submit` and `lock`. */
void held_list_add_locked(dpr_queue *queue, struct held_entry *entry);
void held_list_remove_locked(dpr_queue *queue, struct held_entry *entry);

/* The ticket of the oldest held submission, or 0.  The caller holds `submit` or
   `lock`. */
static inline uint64_t held_list_first(const dpr_queue *queue)
{
	return queue->held ? queue->held->ticket : 0;
}

/* Whether a barrier is held.  Called with `submit` or `lock` held. */
bool held_list_barrier(const dpr_queue *queue);

/*
 * Add the event of the held submission @ticket to @list; with @all, the events
 * of all held submissions up to @ticket.  Returns false if memory runs out.  The
 * caller holds `lock`.
 */
bool held_list_events_locked(const dpr_queue *queue, uint64_t ticket, bool all,
			     struct event_list *list);

#endif
