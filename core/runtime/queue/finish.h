/* SPDX-License-Identifier: Apache-2.0 */
/* finish.h - waiting for the work of a queue. */
#ifndef RUNTIME_FINISH_H
#define RUNTIME_FINISH_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/queue.h>

/* Wait until @deadline for all present submissions, and note their failures for
   queue_failure_take(). */
dpr_status finish_queue(dpr_queue *queue, uint64_t deadline);

/* Whether the program may have destroyed the driver's queue: it is the
   program's own, and the work on it is known to be over. */
bool finish_may_be_gone(dpr_queue *queue);

/*
 * Wait until @deadline for submission @ticket to be known complete.  With a
 * @deadline of 0, only look, and flush so that the driver completes it.
 * Returns whether the submission no longer uses memory, because it is complete
 * or its device is lost.
 */
bool finish_reach(dpr_queue *queue, uint64_t ticket, uint64_t deadline);

#endif
