/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap.h - allocations and queues that were released while work used them.
 * They go when that work is done, in some later call or in the progress thread.
 */
#ifndef RUNTIME_REAP_H
#define RUNTIME_REAP_H

#include "core/runtime/memory/usm.h"

/* Free it when no submission uses it any more.  Never waits, never fails. */
void reap_usm(dpr_usm *usm);
/* Close it when all its work is done. */
void reap_queue(dpr_queue *queue);

/* Free what can be freed now.  Cheap when there is nothing. */
void reap(void);
/* Wait for the work in the way of allocations of a root device until @deadline,
   then free.  Returns how many allocations went. */
size_t reap_wait(const dpr_device *root, uint64_t deadline);
/* Wait for all work in the way and for who is in reap(), then free.  What is
   left cannot be waited for.  Not within reap(). */
void reap_all(void);
/*
 * See that @ticket gets known complete, until @deadline (0: only look; then it
 * is once the driver says so).  Of a queue that has lost its device nothing is
 * in use: then too it returns 1.
 */
int reap_look(dpr_queue *queue, uint64_t ticket, uint64_t deadline);
/* Whether other threads wait for work in the way of allocations of a root
   device, and none of its allocations has gone since *@freed was set by a call
   of this. */
int reap_waits(const dpr_device *root, size_t *freed);
/* How many there are. */
size_t reap_count(void);

#endif
