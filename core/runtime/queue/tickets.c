/* SPDX-License-Identifier: Apache-2.0 */
/* tickets.c - what is known of a queue's submissions: how far it is, and what
   has to be kept until then. */
#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/held_list.h"
#include "core/runtime/queue/queue.h"

/* More are not kept on an in-order queue while the oldest runs: the newest says
   all that they would. */
#define TRACKED_MOST 64

/* Pins that there is always room for: a transfer may pin a chunk at any time.
 */
#define SPARE_PINS 4

static void set_cramped_locked(dpr_queue *queue)
{
	atomic_store_explicit(&queue->cramped,
			      queue->n_tracked == queue->tracked_room ||
				      queue->n_pins + SPARE_PINS >
					      queue->pins_room,
			      memory_order_relaxed);
}

/* Room for one more event. */
static int track_room_locked(dpr_queue *queue)
{
	size_t room = queue->tracked_room ? queue->tracked_room * 2 : 16;
	dpr_event **grown;

	if (queue->n_tracked < queue->tracked_room)
		return 1;
	grown = mem_grow(queue->tracked, room, sizeof(dpr_event *));
	if (!grown)
		return 0;
	queue->tracked = grown;
	queue->tracked_room = room;
	return 1;
}

/* Room for @n more pins. */
static int pin_room_locked(dpr_queue *queue, size_t n)
{
	size_t room = queue->pins_room ? queue->pins_room * 2 : 8;
	struct pin *grown;

	if (queue->n_pins + n <= queue->pins_room)
		return 1;
	grown = mem_grow(queue->pins, room, sizeof(*grown));
	if (!grown)
		return 0;
	queue->pins = grown;
	queue->pins_room = room;
	return 1;
}

int queue_reserve(dpr_queue *queue)
{
	int ok;

	/* What was seen once stays: only submissions track, one at a time. */
	if (!atomic_load_explicit(&queue->cramped, memory_order_relaxed))
		return 1;
	pthread_mutex_lock(&queue->lock);
	ok = track_room_locked(queue) && pin_room_locked(queue, SPARE_PINS);
	set_cramped_locked(queue);
	pthread_mutex_unlock(&queue->lock);
	return ok;
}

static struct pin *find_pin_locked(dpr_queue *queue, const void *object,
				   void (*drop)(void *object))
{
	size_t i;

	/* From the newest on: a kernel is mostly launched again soon. */
	for (i = queue->n_pins; i-- > 0;)
		if (queue->pins[i].object == object &&
		    queue->pins[i].drop == drop)
			return &queue->pins[i];
	return NULL;
}

/* Add one, or raise the ticket of @there. */
static void pin_locked(dpr_queue *queue, struct pin *there, uint64_t ticket,
		       void *object, void (*drop)(void *object))
{
	if (!there) {
		there = &queue->pins[queue->n_pins++];
		*there = (struct pin){ ticket, object, drop };
		set_cramped_locked(queue);
	} else if (there->ticket < ticket) {
		/* Out of order an older one that was held may come later. */
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
	if (there || pin_room_locked(queue, 1))
		pin_locked(queue, there, ticket, object, kind->drop);
}

static void track_locked(dpr_queue *queue, dpr_event *event)
{
	queue->tracked[queue->n_tracked++] = event;
	set_cramped_locked(queue);
}

int queue_publish_locked(dpr_queue *queue, uint64_t ticket,
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
			spoil_enter_locked(queue, ticket, &published->uses[i]);
	if (published->event)
		track_locked(queue, dpr_event_retain(published->event));
	if (published->pin)
		keep_locked(queue, ticket, published->pin, published->pin_kind);
	return queue->n_tracked >= queue->reap_at;
}

int queue_publish(dpr_queue *queue, uint64_t ticket,
		  const struct published *published)
{
	int full;

	pthread_mutex_lock(&queue->lock);
	full = queue_publish_locked(queue, ticket, published);
	pthread_mutex_unlock(&queue->lock);
	return full;
}

void queue_track_rest(dpr_queue *queue, uint64_t ticket, dprp_event *handle)
{
	dpr_event *event = event_new(queue->device, queue, "rest", ticket);

	if (!event) {
		/* Nobody could be told when it is over: so it has to be. */
		(void)queue->plugin->event.wait(&handle, 1, UINT64_MAX);
		queue->plugin->event.destroy(handle);
		return;
	}
	event_submitted(event, handle);
	pthread_mutex_lock(&queue->lock);
	track_locked(queue, event);
	pthread_mutex_unlock(&queue->lock);
}

int queue_is_done(const dpr_queue *queue, uint64_t ticket)
{
	return atomic_load_explicit(&queue->done, memory_order_acquire) >=
	       ticket;
}

void queue_raise_done_locked(dpr_queue *queue, uint64_t ticket)
{
	if (ticket > atomic_load_explicit(&queue->done, memory_order_relaxed))
		atomic_store_explicit(&queue->done, ticket,
				      memory_order_release);
}

int queue_shut(dpr_queue *queue)
{
	int nobody = 0;

	pthread_mutex_lock(&queue->lock);
	queue_raise_done_locked(queue, queue->last);
	pthread_mutex_unlock(&queue->lock);
	return atomic_compare_exchange_strong_explicit(
		&queue->visitors, &nobody, -1, memory_order_acq_rel,
		memory_order_relaxed);
}

/* Drop pins that are done, a few at a time. */
static void drop_pins(dpr_queue *queue)
{
	struct pin batch[16];
	size_t i, kept, n;
	uint64_t done;

	do {
		pthread_mutex_lock(&queue->lock);
		done = atomic_load_explicit(&queue->done, memory_order_relaxed);
		n = kept = 0;
		for (i = 0; i < queue->n_pins; i++)
			if (queue->pins[i].ticket <= done &&
			    n < sizeof(batch) / sizeof(batch[0]))
				batch[n++] = queue->pins[i];
			else
				queue->pins[kept++] = queue->pins[i];
		queue->n_pins = kept;
		pthread_mutex_unlock(&queue->lock);
		for (i = 0; i < n; i++)
			batch[i].drop(batch[i].object);
	} while (n == sizeof(batch) / sizeof(batch[0]));
}

int queue_pin(dpr_queue *queue, uint64_t ticket, void *object,
	      void (*drop)(void *object))
{
	struct pin *there;
	int twice, room;

	pthread_mutex_lock(&queue->lock);
	there = find_pin_locked(queue, object, drop);
	twice = there != NULL;
	room = twice || pin_room_locked(queue, 1);
	if (room)
		pin_locked(queue, there, ticket, object, drop);
	pthread_mutex_unlock(&queue->lock);
	if (twice)
		drop(object);
	return room;
}

void queue_advance(dpr_queue *queue, const dpr_event *event, dpr_status status)
{
	pthread_mutex_lock(&queue->lock);
	if (queue->in_order || event->covers_all)
		queue_raise_done_locked(queue, event->ticket);
	if (!status && !event->covers_all)
		spoil_proved_locked(queue, event->ticket);
	pthread_mutex_unlock(&queue->lock);
}

/* The tracked event number @i, with a reference. */
static dpr_event *tracked_at(dpr_queue *queue, size_t i)
{
	dpr_event *event = NULL;

	pthread_mutex_lock(&queue->lock);
	if (i < queue->n_tracked)
		event = dpr_event_retain(queue->tracked[i]);
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

	for (i = 0; i < queue->n_tracked; i++) {
		dpr_event *event = queue->tracked[i];

		if (n < room && event_final(event)) {
			out[n++] = event;
			continue;
		}
		if (event->ticket < least && !event->covers_all)
			least = event->ticket;
		queue->tracked[kept++] = event;
	}
	queue->n_tracked = kept;
	queue->reap_at = kept * 2 + TRACKED_MOST;
	if (held && held < least)
		least = held;
	if (!queue->in_order) {
		queue_raise_done_locked(queue, least - 1);
		/* Each has told of itself. */
		spoil_sound_locked(queue, least - 1);
	}
	return n;
}

/* In order and with the oldest still running: keep only the newest of many. */
static size_t thin_locked(dpr_queue *queue, dpr_event **out, size_t room)
{
	size_t n = 0;

	if (!queue->in_order)
		return 0;
	while (queue->n_tracked > TRACKED_MOST && n < room) {
		out[n++] = queue->tracked[queue->n_tracked - 2];
		queue->tracked[queue->n_tracked - 1]->compiles |=
			out[n - 1]->compiles;
		queue->tracked[queue->n_tracked - 2] =
			queue->tracked[queue->n_tracked - 1];
		queue->n_tracked--;
	}
	return n;
}

void queue_poll(dpr_queue *queue)
{
	dpr_event *batch[32], *event;
	size_t i, n;

	for (i = 0; (event = tracked_at(queue, i)); i++) {
		int final = event_poll(event) >= DPR_EVENT_COMPLETE;

		dpr_event_release(event);
		/* In order, the rest runs after this one. */
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

void queue_forget(dpr_queue *queue)
{
	size_t i;

	/* What a lost device never told the end of. */
	for (i = 0; i < queue->n_tracked; i++)
		dpr_event_release(queue->tracked[i]);
	for (i = 0; i < queue->n_pins; i++)
		queue->pins[i].drop(queue->pins[i].object);
	queue->n_tracked = queue->n_pins = 0;
}

/* Look for what covers @ticket without a marker: 1 found or not needed, 0 not,
   -1 no memory. */
static int cover_locked(dpr_queue *queue, uint64_t ticket, int many,
			struct event_list *list)
{
	size_t i;
	int n;

	if (ticket <= atomic_load_explicit(&queue->done, memory_order_relaxed))
		return 1;
	n = held_list_events_locked(queue, ticket, many && !queue->in_order,
				    list);
	if (n < 0)
		return -1;
	if (n && (queue->in_order || !many))
		return 1;
	for (i = 0; i < queue->n_tracked; i++) {
		dpr_event *event = queue->tracked[i];
		int all = queue->in_order || event->covers_all;

		if (many == COVER_MARKER && !event->covers_all)
			continue;
		/* It may have failed before those in front of it are done. */
		if ((many || event->ticket != ticket) &&
		    event_state(event) == DPR_EVENT_FAILED)
			continue;
		if (all ? event->ticket < ticket
			: many || event->ticket != ticket)
			continue;
		return event_list_add(list, dpr_event_retain(event)) ? 1 : -1;
	}
	/* Out of order all submissions are tracked until they are known to be
	   complete. */
	return !queue->in_order && !many && ticket <= queue->last;
}

/* Submit a marker that covers all that is in the driver's hands.  Called with
   `submit` held. */
static dpr_status marker(dpr_queue *queue, struct event_list *list)
{
	uint64_t held = held_list_first(queue);
	dprp_event *handle = NULL;
	dpr_event *event;
	dprp_rc rc;

	event = event_new(queue->device, queue, "marker",
			  held ? held - 1 : queue->last);
	if (!event || !queue_reserve(queue)) {
		dpr_event_release(event);
		return fail_memory("marker");
	}
	event->covers_all = event->echoes = 1;
	rc = queue->plugin->queue.barrier(queue->handle, NULL, &handle);
	rc = plugin_made(queue->plugin, "queue->barrier", rc, handle);
	if (rc) {
		dpr_event_release(event);
		return device_told(queue->device,
				   plugin_status(queue->plugin, rc,
						 "marker on %s", queue->name));
	}
	atomic_store_explicit(&queue->unflushed, 1, memory_order_relaxed);
	event_submitted(event, handle);
	pthread_mutex_lock(&queue->lock);
	track_locked(queue, dpr_event_retain(event));
	pthread_mutex_unlock(&queue->lock);
	return event_list_add(list, event) ? DPR_OK : fail_memory("marker");
}

dpr_status queue_cover(dpr_queue *queue, uint64_t ticket, int many,
		       struct event_list *list)
{
	dpr_status status = DPR_OK;
	int found = 0;

	if (queue->in_order) {
		pthread_mutex_lock(&queue->lock);
		found = cover_locked(queue, ticket, many, list);
		pthread_mutex_unlock(&queue->lock);
	}
	if (!found) {
		/* Whoever is just submitting @ticket is done with that once
		   we are in here. */
		pthread_mutex_lock(&queue->submit);
		pthread_mutex_lock(&queue->lock);
		found = cover_locked(queue, ticket, many, list);
		pthread_mutex_unlock(&queue->lock);
		if (!found)
			status = marker(queue, list);
		pthread_mutex_unlock(&queue->submit);
	}
	if (found < 0)
		return fail_memory("dependencies");
	return status;
}
