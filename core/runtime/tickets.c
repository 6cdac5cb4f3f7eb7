/* SPDX-License-Identifier: Apache-2.0 */
/* tickets.c - what is known of a queue's submissions: how far it is, what has
   failed, what has to be kept until then. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/runtime/event.h"
#include "core/runtime/life.h"
#include "core/runtime/progress.h"
#include "core/runtime/queue.h"

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

static void release_kernel(void *kernel)
{
	dpr_kernel_release(kernel);
}

static void pin_kernel_locked(dpr_queue *queue, uint64_t ticket,
			      dpr_kernel *kernel)
{
	struct pin *there = find_pin_locked(queue, kernel, release_kernel);

	if (!there)
		dpr_kernel_retain(kernel);
	/* Room was reserved.  If it is gone all the same, a leak is better than
	   a kernel that is destroyed under the device. */
	if (there || pin_room_locked(queue, 1))
		pin_locked(queue, there, ticket, kernel, release_kernel);
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
	if (published->kernel)
		pin_kernel_locked(queue, ticket, published->kernel);
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

/* Raise `done` to @ticket. */
static void raise_done_locked(dpr_queue *queue, uint64_t ticket)
{
	if (ticket > atomic_load_explicit(&queue->done, memory_order_relaxed))
		atomic_store_explicit(&queue->done, ticket,
				      memory_order_release);
}

int queue_shut(dpr_queue *queue)
{
	int nobody = 0;

	pthread_mutex_lock(&queue->lock);
	raise_done_locked(queue, queue->last);
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
		raise_done_locked(queue, event->ticket);
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
	uint64_t least = queue->last + 1, held = held_first(queue);
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
		raise_done_locked(queue, least - 1);
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
	n = held_events_locked(queue, ticket, many && !queue->in_order, list);
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
	uint64_t held = held_first(queue);
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

void queue_note_failure(dpr_queue *queue, uint64_t ticket, unsigned flags,
			dpr_status status, const char *text,
			struct failure *root)
{
	char *copy = text ? mem_string(text) : NULL;
	int closed;

	pthread_mutex_lock(&queue->lock);
	if (flags & FAILURE_VAGUE)
		spoil_unproved_locked(queue, ticket, root);
	else if (!(flags & FAILURE_OTHER))
		spoil_ticket_locked(queue, ticket, root);
	if (flags & FAILURE_DRIVER)
		queue->spoil.heard = status;
	closed = queue->closed;
	if (!closed && !queue->failure.root) {
		queue->failure.status = status;
		queue->failure.root = failure_retain(root);
		queue->failure.text = copy;
		copy = NULL;
	}
	pthread_mutex_unlock(&queue->lock);
	if (closed)
		life_failure(text, root);
	mem_free(copy);
}

void queue_note_refused(dpr_queue *queue, uint64_t ticket, dpr_status status,
			const char *text)
{
	struct failure *root = failure_new(status, text);

	failure_tell(root);
	pthread_mutex_lock(&queue->lock);
	spoil_ticket_locked(queue, ticket, root);
	pthread_mutex_unlock(&queue->lock);
	failure_release(root);
}

dpr_status queue_take_failure(dpr_queue *queue)
{
	struct failure *root;
	dpr_status status;
	char *text;

	pthread_mutex_lock(&queue->lock);
	status = queue->failure.status;
	text = queue->failure.text;
	root = queue->failure.root;
	queue->failure.status = DPR_OK;
	queue->failure.text = NULL;
	queue->failure.root = NULL;
	pthread_mutex_unlock(&queue->lock);
	if (root) {
		failure_tell(root);
		status_record("%s", text ? text : root->text);
	}
	mem_free(text);
	failure_release(root);
	return status;
}

/* The names of submissions after @from up to @to, the newest of them. */
static void print_names(dpr_queue *queue, uint64_t from, uint64_t to,
			struct text *text)
{
	uint64_t ticket =
		to - from > QUEUE_NAMES ? to - QUEUE_NAMES + 1 : from + 1;
	const char *between = "";

	if (ticket > from + 1)
		text_print(text, "%llu others, ",
			   (unsigned long long)(ticket - from - 1));
	pthread_mutex_lock(&queue->lock);
	for (; ticket <= to; ticket++) {
		const struct queue_name *name =
			&queue->names[ticket % QUEUE_NAMES];

		if (name->ticket != ticket)
			continue;
		text_print(text, "%s%s", between, name->text);
		between = ", ";
	}
	pthread_mutex_unlock(&queue->lock);
}

static void set_told(dpr_queue *queue, uint64_t last)
{
	pthread_mutex_lock(&queue->lock);
	spoil_sound_locked(queue, last);
	queue->spoil.heard = DPR_OK;
	pthread_mutex_unlock(&queue->lock);
}

/*
 * The driver reports a failure without saying whose.  It is that of a
 * submission after the last of which it has told, or one that an event has told
 * of.
 */
static void note_vague(dpr_queue *queue, dprp_rc rc)
{
	char *before = status_keep();
	dpr_status status = plugin_status(queue->plugin, rc,
					  "queue wait for %s", queue->name);
	struct text text = { 0 };
	struct failure *root;
	uint64_t sound, last;
	int known;

	text_print(&text, "%s", dpr_last_error());
	status_restore(before);
	/* What another thread is just submitting may be what has failed. */
	pthread_mutex_lock(&queue->submit);
	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	sound = atomic_load_explicit(&queue->spoil.sound, memory_order_relaxed);
	known = queue->spoil.heard == status;
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_unlock(&queue->submit);
	if (!known) {
		if (last > sound) {
			text_print(&text, "; it may come from any of these, "
					  "which were submitted since the last "
					  "one known complete: ");
			print_names(queue, sound, last, &text);
		}
		root = status == DPR_ERROR_DEVICE_LOST
			       ? device_loss(queue->device, text_get(&text))
			       : failure_new(status, text_get(&text));
		queue_note_failure(queue, last, FAILURE_VAGUE, status,
				   text_get(&text), root);
		failure_release(root);
	}
	set_told(queue, last);
	text_fini(&text);
}

/* The driver has told of everything up to @last. */
static void note_told(dpr_queue *queue, dprp_rc rc, uint64_t last)
{
	if (rc)
		note_vague(queue, rc);
	else
		set_told(queue, last);
}

/* Wait until what is held now has left the core and is done. */
static dpr_status wait_held(dpr_queue *queue, uint64_t last, uint64_t deadline)
{
	struct event_list list = { 0 };
	dpr_status status = DPR_OK;
	uint64_t first;
	int n = 1;

	while (n > 0 && !status) {
		pthread_mutex_lock(&queue->lock);
		first = held_first(queue);
		n = first && first <= last
			    ? held_events_locked(queue, first, 0, &list)
			    : 0;
		pthread_mutex_unlock(&queue->lock);
		if (n < 0)
			status = fail_memory("queue wait");
		else if (n)
			status = event_wait_final(list.list[0], deadline);
		event_list_fini(&list);
	}
	return status;
}

/* Wait with a limit, which a driver's wait for its queue has not.  @idle: it
   is known that nothing runs any more. */
static dpr_status wait_marker(dpr_queue *queue, uint64_t last,
			      uint64_t deadline, int *idle)
{
	struct event_list list = { 0 };
	dpr_status status = DPR_OK;
	int tries;
	size_t i;

	/* A marker that fails does not tell, and may fail with one before it;
	   the next one then does not. */
	for (tries = 0, *idle = 0; tries < 3 && !*idle && !status; tries++) {
		status = queue_cover(queue, last, 1, &list);
		for (i = 0; i < list.count && !status; i++)
			status = event_wait_final(list.list[i], deadline);
		*idle = 1;
		for (i = 0; i < list.count; i++)
			*idle &=
				event_state(list.list[i]) == DPR_EVENT_COMPLETE;
		event_list_fini(&list);
	}
	return status;
}

/* An answer may be the failure of a command or of the wait itself: only after
   a second wait is it sure that nothing runs any more, if that one goes well.
 */
static dprp_rc finish_surely(dpr_queue *queue, int *sure)
{
	struct progress_wait *wait =
		progress_wait_begin("all work", queue->name);
	dprp_rc rc;

	rc = queue->plugin->queue.finish(queue->handle);
	*sure = !rc || rc == DPR_RC_DEVICE_LOST ||
		!queue->plugin->queue.finish(queue->handle);
	progress_wait_end(wait);
	return rc;
}

/*
 * Everything up to @last has completed, and all events were just looked at:
 * have the driver say what failed.  With `submit` held, so that nothing comes
 * that the driver would wait for.  0: it may have to wait, for what has come
 * already, for what may come past us, or for the marker of an earlier wait,
 * which has no ticket of its own.
 */
static int finish_idle(dpr_queue *queue, uint64_t last, dprp_rc *rc)
{
	int idle;

	pthread_mutex_lock(&queue->submit);
	pthread_mutex_lock(&queue->lock);
	idle = queue->last == last && !queue->n_tracked &&
	       !atomic_load(&queue->shared);
	pthread_mutex_unlock(&queue->lock);
	/* Once is enough: that nothing runs is known without its answer. */
	if (idle)
		*rc = queue->plugin->queue.finish(queue->handle);
	pthread_mutex_unlock(&queue->submit);
	return idle;
}

/* All submissions up to @last are over. */
static void set_done(dpr_queue *queue, uint64_t last)
{
	pthread_mutex_lock(&queue->lock);
	raise_done_locked(queue, last);
	pthread_mutex_unlock(&queue->lock);
	/* Out of order no event tells of the others.  And an event that has
	   failed says more than the queue does. */
	queue_poll(queue);
}

/* Whether it is this thread that asks the driver, by @deadline. */
static int take_turn(dpr_queue *queue, uint64_t deadline)
{
	const struct timespec pause = { .tv_nsec = 100000 };

	if (deadline == DPR_FOREVER)
		return !pthread_mutex_lock(&queue->telling);
	while (pthread_mutex_trylock(&queue->telling)) {
		if (clock_now() >= deadline)
			return 0;
		nanosleep(&pause, NULL);
	}
	return 1;
}

/* Wait for the driver, which tells of all failures up to @last and later. */
static void ask_all(dpr_queue *queue, uint64_t last)
{
	dprp_rc rc;
	int sure;

	atomic_store_explicit(&queue->unflushed, 0, memory_order_relaxed);
	rc = finish_surely(queue, &sure);
	/* The caller frees memory after this, so a marker must confirm that
	   all is over. */
	if (!sure && wait_marker(queue, last, DPR_FOREVER, &sure))
		sure = 0;
	if (sure)
		set_done(queue, last);
	else
		queue_poll(queue);
	note_told(queue, rc, last);
}

/* Ask it only if nothing is under way; @sure: all up to @last is over. */
static void ask_idle(dpr_queue *queue, uint64_t last, int sure)
{
	dprp_rc rc = DPR_RC_OK;

	if (sure)
		set_done(queue, last);
	else
		queue_poll(queue);
	if (sure && finish_idle(queue, last, &rc))
		note_told(queue, rc, last);
}

dpr_status queue_finish(dpr_queue *queue, uint64_t deadline)
{
	dpr_status status;
	uint64_t last;
	int sure = 1;

	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	pthread_mutex_unlock(&queue->lock);
	status = wait_held(queue, last, deadline);
	if (!status && deadline != DPR_FOREVER)
		status = wait_marker(queue, last, deadline, &sure);
	if (status)
		return status;
	/* Another thread that was told of a failure may still have to note it.
	   It waits for nothing that this one need not wait for. */
	if (!take_turn(queue, deadline))
		return DPR_OK;
	/* With a limit, later work of other threads must not be waited for. */
	if (deadline == DPR_FOREVER)
		ask_all(queue, last);
	else
		ask_idle(queue, last, sure);
	pthread_mutex_unlock(&queue->telling);
	return DPR_OK;
}
