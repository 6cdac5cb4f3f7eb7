/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap.h - allocations and queues that were released while work used them.
 * They go when that work is done, in some later call or in the progress thread.
 */
#ifndef RUNTIME_REAP_H
#define RUNTIME_REAP_H

#include <stddef.h>
#include <stdint.h>

#include <dpr/base.h>

/* Part of what is to go. */
struct reap_node {
	struct reap_node *next;
	dpr_device *root; /* whose memory it is; NULL: a queue */
	/* Free what has the node if no work uses it any more; wait for that
	   until @deadline, 0: only look.  Returns whether it is gone. */
	int (*free)(struct reap_node *node, uint64_t deadline);
};

/* Let reap() try it from now on.  Never waits, never fails. */
void reap_add(struct reap_node *node);

/* Free what can be freed now.  Cheap when there is nothing. */
void reap(void);
/* Wait for the work in the way of allocations of a root device until @deadline,
   then free.  Returns how many allocations went. */
size_t reap_wait(const dpr_device *root, uint64_t deadline);
/* Wait for all work in the way and for who is in reap(), then free.  What is
   left cannot be waited for.  Not within reap(). */
void reap_all(void);
/* Whether other threads wait for work in the way of allocations of a root
   device, and none of its allocations has gone since *@freed was set by a call
   of this. */
int reap_waits(const dpr_device *root, size_t *freed);
/* How many there are. */
size_t reap_count(void);

#endif
