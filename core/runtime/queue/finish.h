/* SPDX-License-Identifier: Apache-2.0 */
/* finish.h - waiting for the work of a queue. */
#ifndef RUNTIME_FINISH_H
#define RUNTIME_FINISH_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/queue.h>

/* Wait until what is submitted now is done, and note what failed. */
dpr_status finish_queue(dpr_queue *queue, uint64_t deadline);

/*
 * Wait until submission @ticket is known complete, until @deadline; 0: only
 * look, and see to it that the driver completes it.  Returns whether its memory
 * is in use no more: it is complete, or its device is lost.
 */
bool finish_reach(dpr_queue *queue, uint64_t ticket, uint64_t deadline);

#endif
