/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap.h - allocations and queues that were released while work used them.
 * They are freed when that work is done, in a later call or in the progress
 * thread.
 */
#ifndef RUNTIME_REAP_H
#define RUNTIME_REAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/base.h>

/* Part of an object that is to be freed. */
struct reap_node {
	struct reap_node *next;
	dpr_device *root; /* whose memory it is; NULL: a queue */
	/* Free the object of the node if no work uses it any more; wait for
	   that until @deadline, 0: only look.  Returns whether it is freed. */
	bool (*free)(struct reap_node *node, uint64_t deadline);
};

/* Let reap() try to free it from now on.  Never waits, never fails. */
void reap_add(struct reap_node *node);

/* Free what can be freed now.  Cheap when there is nothing. */
void reap(void);

/* Wait until @deadline for the work that uses released allocations of a root
   device, then free them.  Returns how many were freed. */
size_t reap_wait(const dpr_device *root, uint64_t deadline);

/* Wait for all work that uses released objects and for threads in reap(), then
   free everything.  What is left cannot be waited for.  Must not be called
   within reap(). */
void reap_all(void);

/* Whether other threads wait in reap_wait() for allocations of a root device,
   and none was freed since the last call, which set *@freed. */
bool reap_waits(const dpr_device *root, size_t *freed);

/* How many nodes there are. */
size_t reap_count(void);

#endif
