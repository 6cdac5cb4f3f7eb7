/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - the library's one thread: it sends out held submissions, runs
 * the callbacks of events and reaps what has been released.  Made when it is
 * first needed, with all signals blocked.
 */
#ifndef RUNTIME_PROGRESS_H
#define RUNTIME_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/backend.h>
#include <dpr/event.h>

#include "core/base/status.h"

/* Make the thread if there is none.  @what begins the text of an error. */
dpr_status progress_start(const char *what);

/* Watch @event until it is final, then run its callbacks.  Fails only without
   memory. */
dpr_status progress_watch(dpr_event *event);

/* @event is held no more: have the thread look at it, if it is watched. */
void progress_moved(const dpr_event *event);

/* Set the jobs of the thread: @release sends out the held submissions of a
   queue, and returns how many left; @unpark is called when an event has moved
   for which some of them wait. */
void progress_set_held_jobs(size_t (*release)(dpr_queue *queue),
			    void (*unpark)(dpr_event *event));

/* Have the thread release the held submissions of @queue. */
void progress_queue(dpr_queue *queue);

/* Whether the caller is the thread itself, in an event's callback: then it must
   not wait. */
bool progress_self(void);

/* DPR_ERROR_BUSY with a text if the caller is that thread. */
dpr_status progress_may_wait(const char *what);

/*
 * Begin a wait for the driver; progress_wait_end() ends it.  If it takes long,
 * the log gets one warning.  Returns NULL where the log takes no warnings;
 * progress_wait_end() accepts that.
 */
struct progress_wait *progress_wait_begin(const char *what, const char *queue);
void progress_wait_end(struct progress_wait *wait);

/* Wait until the thread has looked at everything and released what has ended.
 */
void progress_quiesce(void);

/*
 * Stop and forget everything watched; with @timeout nanoseconds at most.
 * In dpr_finalize().
 */
void progress_stop(uint64_t timeout);

/* The same in exit(), which does not wait long. */
void progress_exit(void);

#endif
