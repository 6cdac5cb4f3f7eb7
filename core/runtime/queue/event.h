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
#include "core/runtime/queue/queue.h"

struct event_callback {
	struct event_callback *next;
	dpr_event_callback call;
	void *user;
};

struct dpr_event {
	atomic_uint refs;
	dpr_device *device;
	struct plugin *plugin;
	dpr_queue *queue; /* a weak reference; NULL for a wrapped one */
	/* In order, the event covers every submission up to this one.  Out of
	   order it covers only this one, or with `covers_all` every one up to
	   it. */
	uint64_t ticket;
	bool covers_all;
	bool echoes; /* it may report a failure of earlier work */
	/* A launch for which the driver may compile, or an event that proves
	   the end of one.  Written before the event is tracked, later with the
	   queue's lock held. */
	bool compiles;
	unsigned depth; /* length of its chain of `deps` */
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
	struct failure *root; /* * the first failure in a chain, a reference */
	uint64_t t_queued, t_submit, t_start, t_end; /* * the device's clock */
	struct event_callback *callbacks, **callbacks_end;
	/* The events that it waits for in the driver, each a reference, kept
	   until it is final: to name the root of a failure. */
	dpr_event **deps;
	size_t n_deps;

	/* With layer "trace": when it was handed to the driver, and when it was
	   known to be final; whether the core had to hold it. */
	uint64_t sent, seen;
	atomic_bool was_held;

	/* Guarded by progress.c. */
	uint64_t token; /* 0: not watched */
	/* Used by the progress thread only: held submissions to look at again
	   when this event moves. */
	struct parking *parked;

	char name[]; /* what was submitted */
};

/* Make a held event of @queue without a handle.  Returns NULL without memory,
   and records no error. */
dpr_event *event_new(dpr_device *device, dpr_queue *queue, const char *name,
		     uint64_t ticket);

/* Note that the event was handed to the driver as @handle. */
void event_submitted(dpr_event *event, dprp_event *handle);

/* Remember what the driver makes the event wait for.  Called before
   event_submitted(). */
void event_depends(dpr_event *event, dpr_event *const *deps, size_t n);

/* Fail the event in the core.  Does nothing if it is final. */
void event_fail(dpr_event *event, dpr_status status, const char *text);

/* Fail the event because @root has failed, with its status and cause. */
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

/* Where it runs, for messages: its queue, or the device of a wrapped event. */
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

/* Flush its queue, so that the event can complete. */
void event_flush(dpr_event *event);

/* Record the event's failure for this thread.  Returns its status, DPR_OK if it
   has not failed. */
dpr_status event_result(dpr_event *event);

/* Run the callbacks.  Only the progress thread calls it, once the event is
   final. */
void event_run_callbacks(dpr_event *event);

/* Wait until the event is no longer held.  Returns false on timeout. */
bool event_sleep_while_held(dpr_event *event, uint64_t deadline);
/* Wake all threads in event_sleep_while_held(); called after an event has left
   HELD. */
void event_wake(void);

#endif
