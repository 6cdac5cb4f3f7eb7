/* SPDX-License-Identifier: Apache-2.0 */
/* held_list.c - the submissions of a queue that the core holds. */
#include "core/runtime/queue/held_list.h"

void held_list_add_locked(dpr_queue *queue, struct held_entry *entry)
{
	entry->next = NULL;
	entry->previous = queue->held_last;
	if (entry->previous)
		entry->previous->next = entry;
	else
		queue->held = entry;
	queue->held_last = entry;
	if (!queue->unseen)
		queue->unseen = entry;
	queue->n_held++;
	queue->n_held_barriers += entry->is_barrier;
}

void held_list_remove_locked(dpr_queue *queue, struct held_entry *entry)
{
	if (entry->previous)
		entry->previous->next = entry->next;
	else
		queue->held = entry->next;
	if (entry->next)
		entry->next->previous = entry->previous;
	else
		queue->held_last = entry->previous;
	if (queue->unseen == entry)
		queue->unseen = entry->next;
	queue->n_held--;
	queue->n_held_barriers -= entry->is_barrier;
}

bool held_list_barrier(const dpr_queue *queue)
{
	return queue->n_held_barriers > 0;
}

/* Callers mostly look for the oldest, or one of the newest. */
static const struct held_entry *find_held(const dpr_queue *queue,
					  uint64_t ticket)
{
	const struct held_entry *held = queue->held;

	if (!held || held->ticket == ticket)
		return held;
	held = queue->held_last;
	while (held && held->ticket > ticket)
		held = held->previous;
	return held && held->ticket == ticket ? held : NULL;
}

bool held_list_events_locked(const dpr_queue *queue, uint64_t ticket, bool all,
			     struct event_list *list)
{
	const struct held_entry *held = queue->held;

	if (!all) {
		held = find_held(queue, ticket);
		return !held ||
		       event_list_add(list, dpr_event_retain(held->event));
	}
	for (; held && held->ticket <= ticket; held = held->next)
		if (!event_list_add(list, dpr_event_retain(held->event)))
			return false;
	return true;
}
