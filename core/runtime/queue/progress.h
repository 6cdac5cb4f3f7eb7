/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - the library's background thread.  It sends out held submissions,
 * runs the callbacks of events and frees released objects (reap.h).  It is
 * started when first needed, with all signals blocked.
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

/* Watch @event until it is final, then run its callbacks.  Fails only without
   memory. */
dpr_status progress_watch(dpr_event *event);

/* Tell the thread that @event is no longer held, if it watches it. */
void progress_moved(const dpr_event *event);

/* Set what the thread does with held submissions: @release sends out those of a
   queue that can go and returns their number; @unpark is called with a final
   event that some of them wait for. */
void progress_set_held_jobs(size_t (*release)(dpr_queue *queue),
			    void (*unpark)(dpr_event *event));

/* Have the thread send out the held submissions of @queue. */
void progress_queue(dpr_queue *queue);

/* Whether the caller is the thread, in an event's callback: then it must not
   wait. */
bool progress_self(void);

/* DPR_ERROR_BUSY with a text if the caller is that thread. */
dpr_status progress_may_wait(const char *what);

/*
 * Note that a wait for the driver begins; progress_wait_end() ends it.  The log
 * warns once if it takes long.  Returns NULL if the log takes no warnings or
 * without memory; progress_wait_end() accepts NULL.
 */
struct progress_wait *progress_wait_begin(const char *what, const char *queue);
void progress_wait_end(struct progress_wait *wait);

/* Wait until the thread has looked at everything and released what has ended.
 */
void progress_quiesce(void);

/*
 * Stop the thread; wait for that at most @timeout nanoseconds.  Called by
 * dpr_finalize().
 */
void progress_stop(uint64_t timeout);

/* The same for exit(), with a short timeout. */
void progress_exit(void);

#endif
