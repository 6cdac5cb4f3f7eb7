/* SPDX-License-Identifier: Apache-2.0 */
/* tickets.c - the state of a queue's submissions, and what is kept until they
   are done. */
#include "core/runtime/queue/tickets.h"

#include <string.h>

#include "core/runtime/queue/event.h"
#include "core/runtime/queue/held_list.h"

/* The most events that an in-order queue tracks while the oldest runs: the
   newest covers them all. */
#define TRACKED_MOST 64

/* tickets_reserve() makes room for this many pins, because a transfer may pin a
   chunk at any time. */
#define SPARE_PINS 4

static void set_cramped_locked(dpr_queue *queue)
{
	atomic_store_explicit(&queue->cramped,
			      queue->tracked.count == queue->tracked.room ||
				      queue->pins.count + SPARE_PINS >
					      queue->pins.room,
			      memory_order_relaxed);
}

bool tickets_reserve(dpr_queue *queue)
{
	bool there;

	/* This room cannot be taken by others: only submissions track events,
	   and the caller holds `submit`. */
	if (!atomic_load_explicit(&queue->cramped, memory_order_relaxed))
		return true;
	pthread_mutex_lock(&queue->lock);
	there = small_list_reserve(&queue->tracked, 1) &&
		small_list_reserve(&queue->pins, SPARE_PINS);
	set_cramped_locked(queue);
	pthread_mutex_unlock(&queue->lock);
	return there;
}

static struct pin *find_pin_locked(dpr_queue *queue, const void *object,
				   void (*drop)(void *object))
{
	size_t i;

	/* Search the newest first: a kernel is often launched again soon. */
	for (i = queue->pins.count; i-- > 0;)
		if (queue->pins.list[i].object == object &&
		    queue->pins.list[i].drop == drop)
			return &queue->pins.list[i];
	return NULL;
}

/* Add a pin; or if @there is one, raise its ticket. */
static void pin_locked(dpr_queue *queue, struct pin *there, uint64_t ticket,
		       void *object, void (*drop)(void *object))
{
	if (!there) {
		there = &queue->pins.list[queue->pins.count++];
		*there = (struct pin){ ticket, object, drop };
		set_cramped_locked(queue);
	} else if (there->ticket < ticket) {
		/* Never lower it.  Out of order, an older submission that was
		   held may go out later. */
		there->ticket = ticket;
	}
}

static void keep_locked(dpr_queue *queue, uint64_t ticket, void *object,
			const struct pin_kind *kind)
{
	struct pin *there = find_pin_locked(queue, object, kind->drop);

	if (!there)
		kind->retain(object);
	/* Room was reserved.  If it is gone all the same, a leak is better than
	   an object that is destroyed under the device. */
	if (there || small_list_reserve(&queue->pins, 1))
		pin_locked(queue, there, ticket, object, kind->drop);
}

void tickets_track_locked(dpr_queue *queue, dpr_event *event)
{
	queue->tracked.list[queue->tracked.count++] = event;
	set_cramped_locked(queue);
}

bool tickets_publish_locked(dpr_queue *queue, uint64_t ticket,
			    const struct published *published)
{
	struct queue_name *entry = &queue->names[ticket % QUEUE_NAMES];
	size_t size = strnlen(published->name, sizeof(entry->text) - 1), i;

	if (queue->last < ticket)
		queue->last = ticket;
	entry->ticket = ticket;
	memcpy(entry->text, published->name, size);
	entry->text[size] = 0;
	for (i = 0; i < published->n_uses; i++)
		if (published->uses[i].last)
			spoil_enter(&queue->spoil, ticket, &published->uses[i]);
	if (published->event)
		tickets_track_locked(queue, dpr_event_retain(published->event));
	if (published->pin)
		keep_locked(queue, ticket, published->pin, published->pin_kind);
	return queue->tracked.count >= queue->reap_at;
}

bool tickets_publish(dpr_queue *queue, uint64_t ticket,
		     const struct published *published)
{
	bool full;

	pthread_mutex_lock(&queue->lock);
	full = tickets_publish_locked(queue, ticket, published);
	pthread_mutex_unlock(&queue->lock);
	return full;
}

void tickets_track_rest(dpr_queue *queue, uint64_t ticket, dprp_event *handle)
{
	dpr_event *event = event_new(queue->device, queue, "rest", ticket);

	if (!event) {
		/* Without an event nothing could note the end of the work
		   later, so wait for it. */
		(void)queue->plugin->event.wait(&handle, 1, UINT64_MAX);
		queue->plugin->event.destroy(handle);
		return;
	}
	event_submitted(event, handle);
	pthread_mutex_lock(&queue->lock);
	tickets_track_locked(queue, event);
	pthread_mutex_unlock(&queue->lock);
}

/* Drop the pins of submissions that are done, a few at a time. */
static void drop_pins(dpr_queue *queue)
{
	struct pin batch[16];
	size_t i, kept, n;

	do {
		pthread_mutex_lock(&queue->lock);
		n = kept = 0;
		for (i = 0; i < queue->pins.count; i++)
			if (queue_is_done(queue, queue->pins.list[i].ticket) &&
			    n < sizeof(batch) / sizeof(batch[0]))
				batch[n++] = queue->pins.list[i];
			else
				queue->pins.list[kept++] = queue->pins.list[i];
		queue->pins.count = kept;
		pthread_mutex_unlock(&queue->lock);
		for (i = 0; i < n; i++)
			batch[i].drop(batch[i].object);
	} while (n == sizeof(batch) / sizeof(batch[0]));
}

bool tickets_pin(dpr_queue *queue, uint64_t ticket, void *object,
		 void (*drop)(void *object))
{
	struct pin *there;
	bool twice, room;

	pthread_mutex_lock(&queue->lock);
	there = find_pin_locked(queue, object, drop);
	twice = there != NULL;
	room = twice || small_list_reserve(&queue->pins, 1);
	if (room)
		pin_locked(queue, there, ticket, object, drop);
	pthread_mutex_unlock(&queue->lock);
	if (twice)
		drop(object);
	return room;
}

/* The tracked event number @i, with a reference; or NULL. */
static dpr_event *tracked_at(dpr_queue *queue, size_t i)
{
	dpr_event *event = NULL;

	pthread_mutex_lock(&queue->lock);
	if (i < queue->tracked.count)
		event = dpr_event_retain(queue->tracked.list[i]);
	pthread_mutex_unlock(&queue->lock);
	return event;
}

/*
 * Take final events out of the list into @out, up to @room.  Out of order,
 * everything before the first that is left is done.
 */
static size_t take_final_locked(dpr_queue *queue, dpr_event **out, size_t room)
{
	uint64_t least = queue->last + 1, held = held_list_first(queue);
	size_t i, kept = 0, n = 0;

	for (i = 0; i < queue->tracked.count; i++) {
		dpr_event *event = queue->tracked.list[i];

		if (n < room && event_final(event)) {
			out[n++] = event;
			continue;
		}
		if (event->ticket < least && !event->covers_all)
			least = event->ticket;
		queue->tracked.list[kept++] = event;
	}
	queue->tracked.count = kept;
	queue->reap_at = kept * 2 + TRACKED_MOST;
	if (held && held < least)
		least = held;
	if (!queue->in_order) {
		queue_raise_done_locked(queue, least - 1);
		/* The event of each such submission has told how it ended. */
		spoil_sound(&queue->spoil, least - 1);
	}
	return n;
}

/* On an in-order queue, take out the newest event but one while too many are
   tracked: the newest covers it. */
static size_t thin_locked(dpr_queue *queue, dpr_event **out, size_t room)
{
	size_t n = 0;

	if (!queue->in_order)
		return 0;
	while (queue->tracked.count > TRACKED_MOST && n < room) {
		out[n++] = queue->tracked.list[queue->tracked.count - 2];
		queue->tracked.list[queue->tracked.count - 1]->compiles |=
			out[n - 1]->compiles;
		queue->tracked.list[queue->tracked.count - 2] =
			queue->tracked.list[queue->tracked.count - 1];
		queue->tracked.count--;
	}
	return n;
}

void tickets_poll(dpr_queue *queue)
{
	dpr_event *batch[32], *event;
	size_t i, n;

	for (i = 0; (event = tracked_at(queue, i)); i++) {
		bool final = event_poll(event) >= DPR_EVENT_COMPLETE;

		dpr_event_release(event);
		/* On an in-order queue, later submissions run after this
		   one. */
		if (!final && queue->in_order)
			break;
	}
	do {
		pthread_mutex_lock(&queue->lock);
		n = take_final_locked(queue, batch, 32);
		if (n < 32)
			n += thin_locked(queue, batch + n, 32 - n);
		pthread_mutex_unlock(&queue->lock);
		for (i = 0; i < n; i++)
			dpr_event_release(batch[i]);
	} while (n == 32);
	drop_pins(queue);
}

void tickets_forget(dpr_queue *queue)
{
	size_t i;

	/* On a lost device some events never become final. */
	for (i = 0; i < queue->tracked.count; i++)
		dpr_event_release(queue->tracked.list[i]);
	for (i = 0; i < queue->pins.count; i++)
		queue->pins.list[i].drop(queue->pins.list[i].object);
	queue->tracked.count = queue->pins.count = 0;
}
