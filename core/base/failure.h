/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.h - one failure, shared by all that it has spoiled: the event that
 * failed first, those that depend on it, the queue, and the memory that they
 * were to write.  Being told of one of these is being told of the failure.
 */
#ifndef BASE_FAILURE_H
#define BASE_FAILURE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/status.h>

struct failure {
	atomic_uint refs;
	atomic_bool told; /* the program has seen it */
	dpr_status status;
	char text[];
};

/* A failure with one reference.  Never NULL: without memory it is one that all
   share, with a text that says so. */
struct failure *failure_new(dpr_status status, const char *text);
struct failure *failure_retain(struct failure *failure);
/* NULL is fine. */
void failure_release(struct failure *failure);

/* The program is told of it now. */
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
