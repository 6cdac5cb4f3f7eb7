/* SPDX-License-Identifier: Apache-2.0 */
/* cover.c - find events that prove submissions complete. */
#include "core/runtime/queue/cover.h"

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/held_list.h"
#include "core/runtime/queue/tickets.h"

enum proof {
	PROOF_COMPLETE, /* the events of the list prove it, or none is needed */
	PROOF_NEEDS_MARKER,
	PROOF_NO_MEMORY
};

/* Add events that prove @ticket complete to @list, unless that takes a new
   marker. */
static enum proof cover_locked(dpr_queue *queue, uint64_t ticket,
			       enum cover what, struct event_list *list)
{
	const bool one = what == COVER_ONE;
	const size_t before = list->count;
	size_t i;

	if (queue_is_done(queue, ticket))
		return PROOF_COMPLETE;
	if (!held_list_events_locked(queue, ticket, !one && !queue->in_order,
				     list))
		return PROOF_NO_MEMORY;
	if (list->count > before && (queue->in_order || one))
		return PROOF_COMPLETE;
	for (i = 0; i < queue->tracked.count; i++) {
		dpr_event *event = queue->tracked.list[i];
		bool all = queue->in_order || event->covers_all;

		if (what == COVER_MARKER && !event->covers_all)
			continue;
		/* A failed event does not prove that earlier work is over. */
		if ((!one || event->ticket != ticket) &&
		    event_state(event) == DPR_EVENT_FAILED)
			continue;
		if (all ? event->ticket < ticket
			: !one || event->ticket != ticket)
			continue;
		return event_list_add(list, dpr_event_retain(event))
			       ? PROOF_COMPLETE
			       : PROOF_NO_MEMORY;
	}
	/* Out of order every submission is tracked until known complete, so
	   this one is complete. */
	return !queue->in_order && one && ticket <= queue->last
		       ? PROOF_COMPLETE
		       : PROOF_NEEDS_MARKER;
}

/* Submit a marker, an event that completes after everything sent to the driver,
   and add it to @list.  Called with `submit` held. */
static dpr_status submit_marker(dpr_queue *queue, struct event_list *list)
{
	uint64_t held = held_list_first(queue);
	dprp_event *handle = NULL;
	dpr_event *event;
	dprp_rc rc;

	event = event_new(queue->device, queue, "marker",
			  held ? held - 1 : queue->last);
	if (!event || !tickets_reserve(queue)) {
		dpr_event_release(event);
		return fail_memory("marker");
	}
	event->covers_all = event->echoes = true;
	rc = queue->plugin->queue.barrier(queue->handle, NULL, &handle);
	rc = plugin_made(queue->plugin, "queue->barrier", rc, handle);
	if (rc) {
		dpr_event_release(event);
		return device_told(queue->device,
				   plugin_status(queue->plugin, rc,
						 "marker on %s", queue->name));
	}
	atomic_store_explicit(&queue->unflushed, true, memory_order_relaxed);
	event_submitted(event, handle);
	pthread_mutex_lock(&queue->lock);
	tickets_track_locked(queue, dpr_event_retain(event));
	pthread_mutex_unlock(&queue->lock);
	return event_list_add(list, event) ? DPR_OK : fail_memory("marker");
}

dpr_status cover_ticket(dpr_queue *queue, uint64_t ticket, enum cover what,
			struct event_list *list)
{
	dpr_status status = DPR_OK;
	enum proof found = PROOF_NEEDS_MARKER;

	if (queue->in_order) {
		pthread_mutex_lock(&queue->lock);
		found = cover_locked(queue, ticket, what, list);
		pthread_mutex_unlock(&queue->lock);
	}
	if (found == PROOF_NEEDS_MARKER) {
		/* Wait for a thread that is submitting @ticket: it holds
		   `submit`. */
		pthread_mutex_lock(&queue->submit);
		pthread_mutex_lock(&queue->lock);
		found = cover_locked(queue, ticket, what, list);
		pthread_mutex_unlock(&queue->lock);
		if (found == PROOF_NEEDS_MARKER)
			status = submit_marker(queue, list);
		pthread_mutex_unlock(&queue->submit);
	}
	if (found == PROOF_NO_MEMORY)
		return fail_memory("dependencies");
	return status;
}
