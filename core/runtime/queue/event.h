/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - the struct of an event.
 *
 * A held event has no driver handle yet; an event that fails in the core never
 * gets one.  The state only moves forward.  Complete and failed are final; they
 * are set under the event's lock, after its text and status.
 */
#ifndef RUNTIME_EVENT_H
#define RUNTIME_EVENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/event.h>

#include "core/base/failure.h"
#include "core/base/refs.h"
#include "core/runtime/queue/queue.h"

struct event_callback {
	struct event_callback *next;
	dpr_event_callback call;
	void *user;
};

struct dpr_event {
	struct refs refs;
	dpr_device *device;
	struct plugin *plugin;
	dpr_queue *queue; /* a weak reference; NULL for a wrapped event */
	/* On an in-order queue the event proves every submission up to this
	   ticket complete.  Out of order it proves only this submission, or
	   with `covers_all` every submission up to it. */
	uint64_t ticket;
	bool covers_all;
	bool echoes; /* the event may report a failure of earlier work */
	/* A launch for which the driver may compile, or an event that proves
	   the end of such a launch.  Written before the event is tracked, later
	   with the queue's lock held. */
	bool compiles;
	unsigned depth; /* the length of the event's chain of `deps` */
	/* The driver's event; set once (release, before the state leaves
	   HELD). */
	_Atomic(dprp_event *) handle;
	atomic_int
		state; /* enum dpr_event_state; release, pairs with acquire */

	pthread_mutex_t lock;
	/* Guards the fields below; those marked * do not change once the state
	   is final. */
	dpr_status status;    /* * */
	char *text;           /* * NULL: that of `root` */
	struct failure *root; /* * the failure that started the chain of
				 failures; a reference */
	uint64_t t_queued, t_submit, t_start, t_end; /* * the device's clock */
	struct event_callback *callbacks, **callbacks_end;
	/* The events for which the driver makes this one wait, each a
	   reference.  Kept until this event is final, to name the cause if it
	   fails. */
	dpr_event **deps;
	size_t n_deps;

	/* With layer "trace": when the event was handed to the driver, when it
	   was found to be final, and whether the core had to hold it. */
	uint64_t sent, seen;
	atomic_bool was_held;

	/* Guarded by the lock of progress.c. */
	uint64_t token; /* 0: the event is not watched */
	/* Used by the progress thread only: held submissions to look at again
	   when this event moves. */
	struct parking *parked;

	/* Guarded by the lock of callback_thread.c.  `called_next` also links
	   events that have no reference left (left_by_exit in event.c). */
	dpr_event *called_next;
	bool is_called; /* callback_thread.c has the event in its list */

	char name[]; /* the name of the work */
};

/* Make a held event of @queue without a handle.  Returns NULL if memory runs
   out, and records no error. */
dpr_event *event_new(dpr_device *device, dpr_queue *queue, const char *name,
		     uint64_t ticket);

/* Record that the event was handed to the driver as @handle. */
void event_submitted(dpr_event *event, dprp_event *handle);

/* Remember @deps, the events for which the driver makes @event wait.  Called
   before event_submitted(). */
void event_depends(dpr_event *event, dpr_event *const *deps, size_t n);

/* Fail the event in the core.  Does nothing if it is final. */
void event_fail(dpr_event *event, dpr_status status, const char *text);

/* Complete a held event whose work the core has done itself.  @times: its
   times, zeros if they are not known. */
void event_complete(dpr_event *event, const dprp_event_state *times);

/* Fail a held event because @piece has failed.  That is an event without a
   queue, for a part of the work that the driver did. */
void event_fail_by(dpr_event *event, const dpr_event *piece);

/* Fail the event because @root has failed.  It gets the status and the cause of
   @root. */
void event_fail_for(dpr_event *event, dpr_event *root);

static inline enum dpr_event_state event_state(const dpr_event *event)
{
	return (enum dpr_event_state)atomic_load_explicit(&event->state,
							  memory_order_acquire);
}

/* Why a failed event has failed. */
static inline const char *event_text(const dpr_event *event)
{
	return event->text ? event->text : event->root->text;
}

/* Where the event's work runs, for messages: its queue, or the device of a
   wrapped event. */
static inline const char *event_place(const dpr_event *event)
{
	return event->queue ? event->queue->name : event->device->selector;
}

static inline bool event_final(const dpr_event *event)
{
	return event_state(event) >= DPR_EVENT_COMPLETE;
}

/* Update the state from the driver, unless the event is held or final.  Returns
   the state. */
enum dpr_event_state event_poll(dpr_event *event);

/* Poll the events of @list until one has failed.  Returns that one, or NULL. */
dpr_event *event_find_failed(dpr_event *const *list, size_t n);

/* Flush the event's queue, so that the event can complete. */
void event_flush(dpr_event *event);

/* If the event has failed, make its failure this thread's last error.  Returns
   the event's status, or DPR_OK. */
dpr_status event_result(dpr_event *event);

/* Take the const off @event: for functions that only ask how far an event is.
   The driver's answer may change the state. */
static inline dpr_event *event_asked(const dpr_event *event)
{
	return (dpr_event *)(uintptr_t)event;
}

/* Run the event's callbacks.  Only callback_thread.c calls this, once the event
   is final. */
void event_run_callbacks(dpr_event *event);

/* Wait until the event is no longer held.  Returns false on timeout. */
bool event_sleep_while_held(dpr_event *event, uint64_t deadline);
/* Wake all threads in event_sleep_while_held(); called after an event has left
   HELD. */
void event_wake(void);

#endif
