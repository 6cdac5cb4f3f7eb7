/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - the library's background thread.  It sends out held submissions
 * and watches events.  It is started when first needed, with all signals
 * blocked.
 *
 * It calls neither entries of plugins that may wait for a device nor callbacks
 * of events.  callback_thread.h runs the callbacks, and reap.h frees what was
 * released.
 */
#ifndef RUNTIME_PROGRESS_H
#define RUNTIME_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/backend.h>
#include <dpr/event.h>

#include "core/base/status.h"

/* Start the thread unless it runs.  @what begins the text of an error. */
dpr_status progress_start(const char *what);

/* Watch @event until it is final, then have its callbacks run.  Fails only if
   memory runs out. */
dpr_status progress_watch(dpr_event *event);

/* If the thread watches @event, tell it that the event is no longer held. */
void progress_moved(const dpr_event *event);

/*
 * Set the thread's functions for held submissions.  @release sends out the
 * ready submissions of a queue, and fails those that can no longer run.  It
 * returns the number of both.  @unpark is called with a final event for which
 * submissions wait.
 */
void progress_set_held_jobs(size_t (*release)(dpr_queue *queue),
			    void (*unpark)(dpr_event *event));

/* Have the thread send out the held submissions of @queue. */
void progress_queue(dpr_queue *queue);

/* Whether the caller is a thread of the library, perhaps in an event's
   callback: then it must not wait. */
bool progress_self(void);

/* DPR_ERROR_BUSY: the caller is a thread of the library, see progress_self().
   @what begins the text of the error. */
dpr_status progress_may_wait(const char *what);

/*
 * Record that a wait for @what on @queue begins; progress_wait_end() ends it.
 * The log warns once if the wait takes long.  Returns NULL if the log takes no
 * warnings, if the caller is a thread of the library, or if memory runs out.
 * progress_wait_end() accepts NULL.
 */
struct progress_wait *progress_wait_begin(const char *what, const char *queue);
void progress_wait_end(struct progress_wait *wait);

/* Wait until the thread has looked at everything and released what has ended,
   and callbacks have run. */
void progress_quiesce(void);

/*
 * Stop the progress thread, the callback thread and the reaper.  Wait for their
 * end at most @timeout nanoseconds.  Called by dpr_finalize().
 */
void progress_stop(uint64_t timeout);

/* Call progress_stop() in exit(), with a short timeout. */
void progress_exit(void);

#endif
