/* SPDX-License-Identifier: Apache-2.0 */
/* trace_queue.h - what runs on queues, for the layer "trace". */
#ifndef RUNTIME_TRACE_QUEUE_H
#define RUNTIME_TRACE_QUEUE_H

#include "core/runtime/queue/event.h"
#include "core/runtime/submit/operation.h"

/*
 * While the layer is on, every submission has an event: write its span once it
 * has ended.  Called with the queue's `submit` held; retains @event.
 */
void work_add(dpr_event *event, const struct operation *operation);

/* Look which submissions have ended and write them, unless many had not and
   that was lately.  @last: write all of them, calling no plugin. */
void work_look(bool last);

/* For dpr_finalize(): nothing is under way any more; let go of all events.  And
   then: call no plugin again, and look at no pool. */
void work_finish(void);
void work_close(void);

#endif
