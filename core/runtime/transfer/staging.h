/* SPDX-License-Identifier: Apache-2.0 */
/*
 * staging.h - chunks of host memory.  They are used by copies that no driver
 * can do directly, and by transfers of host memory that a driver does not take.
 *
 * A chunk is HOST memory of one of the two devices.  The driver of this device
 * moves it without a copy of its own.  If neither device has HOST memory, a
 * chunk is ordinary memory.  HOST memory comes from the device's pool.  The
 * copy's submissions name it in their uses, so the pool gets it back when they
 * are done.  Up to 36 MiB of ordinary memory are cached for the next copy.
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
	dpr_usm *usm;     /* HOST memory, until the chunk is given back */
	dpr_device *home; /* the root device of `usm`; NULL: ordinary memory */
	/* the root device of the last write from the chunk */
	dpr_device *target;
	/* the last write, with a reference; NULL: it is over */
	dpr_event *write;
	bool used; /* a running copy uses the chunk */
};

/* The root device whose HOST memory a copy between the two goes through; NULL:
   neither has any with an address. */
dpr_device *staging_home(dpr_device *from, dpr_device *to);

/* Decide how to cut a copy of @size bytes.  Sets *@step to the bytes of a
   chunk, and returns how many chunks to use at most. */
size_t staging_cut(uint64_t size, size_t *step);

/*
 * Take a chunk of at least @size bytes for a copy to @target.  It is HOST
 * memory of @home; or ordinary memory if @home is NULL, has no HOST memory
 * left, or has 128 MiB of chunks.  Neither waits for work nor calls the program
 * to get memory.  There may be 128 MiB of ordinary chunks, too.  Beyond this
 * bound, only the first chunk of a copy (@first) is given.
 *
 * The chunks that wait to be written into one device are bounded.  At the
 * bound, a copy without a chunk waits for the oldest write.  A copy with chunks
 * gets NULL, and goes on with its chunks.  So a copy never waits for another
 * copy, only for work of @target.
 *
 * Returns NULL if there is no chunk.  With @first NULL means that memory has
 * run out, and an error is recorded.
 */
struct chunk *staging_take(dpr_device *home, dpr_device *target, size_t size,
			   bool first);

/*
 * Take a chunk of at least @size bytes of @home's HOST memory, for a transfer
 * between @home and ordinary memory.  Neither waits for work nor calls the
 * program to get memory.  Returns NULL if memory runs out; or if @home's
 * chunks are at a bound, as above, and this is not the @first chunk of the
 * transfer.  Records no error.  If @why is not NULL, *@why is set to the text
 * of what has failed, for mem_free(), or to NULL.
 */
struct chunk *staging_take_own(dpr_device *home, size_t size, bool first,
			       char **why);

/* Give @chunk back.  @write is the last submission that reads the chunk, and
   may still be running.  It may be NULL. */
void staging_give(struct chunk *chunk, dpr_event *write);

/* Forget the writes that are over, and free their chunks.  Called by
   dpr_finalize(), when the queues are drained. */
void staging_finish(void);

#endif
