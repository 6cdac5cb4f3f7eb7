/* SPDX-License-Identifier: Apache-2.0 */
/* tickets.h - the state of a queue's submissions, and what is kept until they
   are done. */
#ifndef RUNTIME_TICKETS_H
#define RUNTIME_TICKETS_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/backend.h>
#include <dpr/event.h>

#include "core/runtime/queue/queue.h"
#include "core/runtime/queue/use.h"

/* How to retain and drop a kind of object.  drop() may run with a lock held, so
   it must not call an entry of a plugin that may wait for work. */
struct pin_kind {
	void (*retain)(void *object);
	void (*drop)(void *object);
};

/*
 * Make room for one submission's event and pins, before the submission is sent
 * or held.  Called with `submit` held.  Returns false if memory runs out.
 */
bool tickets_reserve(dpr_queue *queue);

/* What tickets_publish() notes of a submission. */
struct published {
	const char *name;
	const struct use *uses; /* the uses after uses_enter() */
	size_t n_uses;
	dpr_event *event; /* the event to track, or NULL */
	/* Kept until the submission is done, with a reference of its own; may
	   be NULL. */
	void *pin;
	const struct pin_kind *pin_kind;
};

/*
 * Record submission @ticket.  Called with `submit` held;
 * tickets_publish_locked() with `lock` held, too.  Returns whether
 * tickets_poll() is worth its cost, because many events are tracked.
 */
bool tickets_publish(dpr_queue *queue, uint64_t ticket,
		     const struct published *published);
bool tickets_publish_locked(dpr_queue *queue, uint64_t ticket,
			    const struct published *published);

/* Track @event, and take over the reference.  Called with `submit` and `lock`
   held and after tickets_reserve(). */
void tickets_track_locked(dpr_queue *queue, dpr_event *event);

/*
 * Track @handle, which is still under way although submission @ticket has
 * failed, and take it over.  Called with `submit` held and after
 * tickets_reserve().
 */
void tickets_track_rest(dpr_queue *queue, uint64_t ticket, dprp_event *handle);

/*
 * Keep @object until submission @ticket is done, then drop(object).  Takes over
 * the caller's reference.  The same object with the same drop is kept once, for
 * the higher ticket.  Returns false if memory runs out: then the caller
 * keeps the reference and must not drop it while the work is under way.
 */
bool tickets_pin(dpr_queue *queue, uint64_t ticket, void *object,
		 void (*drop)(void *object));

/*
 * Poll the tracked events, advance `done` and drop the pins of what is done.
 * Calls the driver; does not wait.
 */
void tickets_poll(dpr_queue *queue);

/* Drop all pins and tracked events.  No work of the queue may be under way. */
void tickets_forget(dpr_queue *queue);

#endif
