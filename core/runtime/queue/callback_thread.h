/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callback_thread.h - the thread that runs the callbacks of events.  It is not
 * the progress thread: a callback may allocate memory or build a program, for
 * which a driver may wait until work is done, even held work.  The progress
 * thread must be free to send that out.
 */
#ifndef RUNTIME_CALLBACK_THREAD_H
#define RUNTIME_CALLBACK_THREAD_H

#include <stdint.h>

#include "core/runtime/queue/event.h"

/* Start the thread unless it runs.  Returns 0, or an errno. */
int callback_thread_start(void);

/* Have the thread run the callbacks of @event, which is final.  Events are
   served in the order of these calls. */
void callback_thread_add(dpr_event *event);

/* Wait until the thread has run the callbacks of all events that were added. */
void callback_thread_drain(void);

/* End the thread after the callbacks that it is running now.  Wait for its end
   until @deadline, unless the caller runs on this thread. */
void callback_thread_stop(uint64_t deadline);

#endif
