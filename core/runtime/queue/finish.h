/* SPDX-License-Identifier: Apache-2.0 */
/* finish.h - waiting for the work of a queue. */
#ifndef RUNTIME_FINISH_H
#define RUNTIME_FINISH_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/queue.h>

/* Wait until all present submissions are done, and note failures. */
dpr_status finish_queue(dpr_queue *queue, uint64_t deadline);

/*
 * Wait until @deadline for submission @ticket to be known complete.  With a
 * @deadline of 0, only look, and flush so that the driver completes it.
 * Returns true if it no longer uses memory: it is complete, or its device is
 * lost.
 */
bool finish_reach(dpr_queue *queue, uint64_t ticket, uint64_t deadline);

#endif
