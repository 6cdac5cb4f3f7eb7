/* SPDX-License-Identifier: Apache-2.0 */
/* released.h - objects of a root device that were released and are not freed
   yet. */
#ifndef RUNTIME_RELEASED_H
#define RUNTIME_RELEASED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <dpr/device.h>

struct reap_node;

/* Kinds in enum reap_what: memory, queues, kernels with programs. */
#define RELEASED_KINDS 3

/* Zeros are the empty list. */
struct released_list {
	struct reap_node *first, **end; /* the oldest node comes first */
	size_t count;
};

/* All fields are guarded by locks of reap.c. */
struct released {
	struct released_list lists[RELEASED_KINDS];
	/* Allocations that threads look at without waiting for anything: how
	   many there are now, and how many there have been. */
	size_t asking, asked;
	/* the next in the list of devices that ever had such objects */
	dpr_device *next;
	bool is_listed;
	pthread_mutex_t turn; /* initialized when the device is listed */
};

#endif
