/* SPDX-License-Identifier: Apache-2.0 */
/* trace_queue.h - what runs on queues, for the layer "trace". */
#ifndef RUNTIME_TRACE_QUEUE_H
#define RUNTIME_TRACE_QUEUE_H

#include <stdbool.h>

#include "core/runtime/queue/event.h"
#include "core/runtime/submit/operation.h"

/*
 * Note a submission, which has an event while the layer is on: its span is
 * written once it has ended.  Called with the queue's `submit` held; retains
 * @event.
 */
void trace_queue_add(dpr_event *event, const struct operation *operation);

/* Write the submissions that have ended, unless many had not at a recent look.
   @last: write all of them, calling no plugin. */
void trace_queue_look(bool last);

/* Nothing is under way any more: write all submissions and release their
   events.  Only dpr_finalize() calls it. */
void trace_queue_finish(void);

/* The end of this part of the trace: call no plugin and read no pool from now
   on.  Only dpr_finalize() calls it. */
void trace_queue_close(void);

#endif
