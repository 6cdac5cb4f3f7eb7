/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failure.h - a failure, shared by everything that became invalid.
 *
 * A failure belongs to the first failed event, to all events that depend on it,
 * to their queue, and to the memory of their results.  Once the program has
 * learned of the failure through any of them, the failure counts as reported.
 */
#ifndef BASE_FAILURE_H
#define BASE_FAILURE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/status.h>

#include "core/base/refs.h"

struct failure {
	struct refs refs;
	atomic_bool told; /* the failure was reported to the program */
	dpr_status status;
	char text[];
};

/* Make a failure with one reference.  Never returns NULL.  If memory runs out,
   returns a shared failure with a text that says so. */
struct failure *failure_new(dpr_status status, const char *text);
struct failure *failure_retain(struct failure *failure);
/* Release one reference; @failure may be NULL. */
void failure_release(struct failure *failure);

/* Record that the failure was reported to the program. */
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
