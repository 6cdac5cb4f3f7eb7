/* SPDX-License-Identifier: Apache-2.0 */
/*
 * staging.h - the chunks of host memory by way of which copies go that no
 * driver does.
 *
 * A chunk is HOST memory of one of the two devices, which its driver moves
 * without a copy of its own, or ordinary memory if neither has any.  HOST
 * memory comes from the device's pool.  The copy's submissions name it in their
 * uses, so the pool gets it back when they are done.  Up to 36 MiB of ordinary
 * memory are kept for the next copy.
 */
#ifndef RUNTIME_STAGING_H
#define RUNTIME_STAGING_H

#include <stdbool.h>

#include "core/runtime/device/device.h"

/* The most chunks of one copy, and the most bytes of each. */
#define STAGING_CHUNKS 4
#define STAGING_CHUNK ((size_t)4 << 20)

struct chunk {
	struct chunk *next;
	unsigned char *data;
	size_t size;
	dpr_usm *usm;     /* HOST memory, until it is given back */
	dpr_device *home; /* the root device of `usm`; NULL: ordinary memory */
	dpr_device *target; /* the root device of the last write out of it */
	dpr_event *write;   /* that write, a reference; NULL: over */
	bool used;          /* by a copy that is running */
};

/* The root device whose HOST memory a copy between the two goes through; NULL:
   neither has any with an address. */
dpr_device *staging_home(dpr_device *from, dpr_device *to);

/* How a copy of @size bytes is cut: the chunks' size, and (returned) how many
   at most. */
size_t staging_cut(uint64_t size, size_t *step);

/*
 * A chunk of at least @size bytes, @home's (NULL: ordinary memory) or, when
 * @home has none left or 64 MiB of it are chunks, ordinary, for a copy to
 * @target.  It neither waits for work nor asks the program to get memory. There
 * are at most as many ordinary ones; beyond that, a copy that has no chunk yet
 * (@first) gets one.
 *
 * What waits to be written into one device is bounded: if all that it may have
 * is under way, a copy that has no chunk yet waits for the oldest write, and
 * one that has gets NULL and goes on with those.  So a copy never
 * waits for another copy, only for @target's own work.
 *
 * NULL with a recorded error and @first only: no memory.
 */
struct chunk *staging_take(dpr_device *home, dpr_device *target, size_t size,
			   bool first);

/* Give @chunk back.  @write, which may be NULL, is the last submission that
   reads it, and may be under way. */
void staging_give(struct chunk *chunk, dpr_event *write);

/* Forget the writes that are over: dpr_finalize(), when the queues are drained.
 */
void staging_finish(void);

#endif
