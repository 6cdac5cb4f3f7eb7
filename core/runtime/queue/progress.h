/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - the library's one thread: it sends out held submissions, runs
 * the callbacks of events and reaps what has been released.  Made when it is
 * first needed, with all signals blocked.
 */
#ifndef RUNTIME_PROGRESS_H
#define RUNTIME_PROGRESS_H

#include <stdint.h>

#include <dpr/backend.h>
#include <dpr/event.h>

#include "core/base/status.h"

/* Make the thread if there is none.  @what begins the text of an error. */
dpr_status progress_start(const char *what);

/* Look after @event until it is final, then run its callbacks.  Only fails for
   want of memory. */
dpr_status progress_watch(dpr_event *event);

/* @event is held no more: if it is watched, look at it. */
void progress_moved(const dpr_event *event);

/* What the thread does with the held submissions of a queue, returning how many
   left, and when an event has moved that some of them wait for. */
void progress_set_held_jobs(size_t (*release)(dpr_queue *queue),
			    void (*unpark)(dpr_event *event));

/* @queue has held submissions. */
void progress_queue(dpr_queue *queue);

/* Whether the caller is that thread, that is, an event's callback: it must not
   wait. */
int progress_self(void);

/* DPR_ERROR_BUSY with a text if the caller is that thread. */
dpr_status progress_may_wait(const char *what);

/*
 * A wait of another thread for the driver, of which the log tells once, as a
 * warning, when it takes long: until progress_wait_end(), which takes NULL too.
 * NULL and nothing done where nobody reads such a log.
 */
struct progress_wait *progress_wait_begin(const char *what, const char *queue);
void progress_wait_end(struct progress_wait *wait);

/* Wait until it has looked at everything, and let go of what has ended. */
void progress_quiesce(void);

/*
 * Stop and forget everything watched; with @timeout nanoseconds at most.
 * In dpr_finalize().
 */
void progress_stop(uint64_t timeout);

/* The same in exit(), which does not wait long. */
void progress_exit(void);

#endif
