/* SPDX-License-Identifier: Apache-2.0 */
/* trace_queue.h - what runs on queues, for the layer "trace". */
#ifndef RUNTIME_TRACE_QUEUE_H
#define RUNTIME_TRACE_QUEUE_H

#include <stdbool.h>

#include "core/runtime/queue/event.h"
#include "core/runtime/submit/operation.h"

/*
 * Record a submission, which has an event while the layer is on: its span is
 * written once it has ended.  Called with the queue's `submit` held; retains
 * @event.
 */
void trace_queue_add(dpr_event *event, const struct operation *operation);

/* Write the submissions that have ended; does nothing if another look was
   recent and left many unfinished.  @last: write all submissions, finished or
   not, and call no plugin. */
void trace_queue_look(bool last);

/* Write all submissions and release their events.  Nothing may be under way any
   more.  Only dpr_finalize() calls it. */
void trace_queue_finish(void);

/* End this part of the trace: it calls no plugin and reads no pool from now on.
   Only dpr_finalize() calls it. */
void trace_queue_close(void);

#endif
