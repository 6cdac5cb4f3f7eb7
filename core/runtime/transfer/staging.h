/* SPDX-License-Identifier: Apache-2.0 */
/*
 * staging.h - chunks of host memory, through which copies go that no driver can
 * do directly.
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
	dpr_usm *usm;     /* its memory; NULL: ordinary memory */
	dpr_device *home; /* the root device of `usm` */
	dpr_device *target; /* the root device of the last write out of it */
	dpr_event *write;   /* that write, a reference; NULL: it is over */
	bool used;          /* by a copy that is running */
};

/* The root device whose HOST memory a copy between the two should use.  NULL:
   neither has HOST memory with addresses. */
dpr_device *staging_home(dpr_device *from, dpr_device *to);

/* How a copy of @size bytes is cut: sets the size of a chunk, and returns the
   most chunks it should use. */
size_t staging_cut(uint64_t size, size_t *step);

/*
 * Take a chunk of at least @size bytes for a copy to @target.  It is memory of
 * @home; or ordinary memory if @home is NULL, has none left, or has reached its
 * limit of chunks.  Ordinary chunks have the same limit, but a copy that has no
 * chunk yet (@first) gets one all the same.  This does not wait for other work
 * to get memory, nor call the program.
 *
 * What waits to be written into one device is bounded.  At the bound, a copy
 * that has no chunk yet waits for the oldest write, and one that has gets NULL
 * and goes on with the chunks it has.  So a copy never waits for another copy,
 * only for @target's own work.
 *
 * Returns NULL without memory; an error is recorded only with @first.
 */
struct chunk *staging_take(dpr_device *home, dpr_device *target, size_t size,
			   bool first);

/* Give @chunk back.  @write is the last submission that reads it, which may be
   under way, or NULL. */
void staging_give(struct chunk *chunk, dpr_event *write);

/* Free all unused chunks of @home (NULL: of all).  Returns how many bytes that
   were.  Calls drivers; does not wait. */
void staging_finish(void);

#endif
