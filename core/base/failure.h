/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.h - a failure, shared by all that it has spoiled: the event that
 * failed first, the events that depend on it, the queue, and the memory that
 * they were to write.  Once the program is told through one of these, the
 * failure counts as told.
 */
#ifndef BASE_FAILURE_H
#define BASE_FAILURE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/status.h>

struct failure {
	atomic_uint refs;
	atomic_bool told; /* the program was told */
	dpr_status status;
	char text[];
};

/* Make a failure with one reference.  Never returns NULL: if memory runs out,
   it returns a shared failure whose text says so. */
struct failure *failure_new(dpr_status status, const char *text);
struct failure *failure_retain(struct failure *failure);
/* Release one reference; @failure may be NULL. */
void failure_release(struct failure *failure);

/* Record that the program has been told of the failure. */
static inline void failure_tell(struct failure *failure)
{
	if (failure)
		atomic_store_explicit(&failure->told, true,
				      memory_order_relaxed);
}

static inline bool failure_told(const struct failure *failure)
{
	return atomic_load_explicit(&failure->told, memory_order_relaxed);
}

#endif
