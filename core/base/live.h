/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - objects that the program still holds, and failures that it was not
   told of. */
#ifndef BASE_LIVE_H
#define BASE_LIVE_H

#include "core/base/failure.h"

#include <stddef.h>

#include <dpr/status.h>

enum live_kind {
	LIVE_QUEUE, /* except canonical ones */
	LIVE_EVENT,
	LIVE_USM,
	LIVE_PROGRAM,
	LIVE_KERNEL,
	LIVE_KINDS
};

/* Count an object of @kind that was made (add) or is gone (drop).
   dpr_finalize() refuses while any exist. */
void live_add(enum live_kind kind);
void live_drop(enum live_kind kind);

/* Record a failure that the program may not have been told of, for
   dpr_finalize().  @text NULL: the text of @root. */
void live_failure(const char *text, struct failure *root);

/* Returns DPR_ERROR_BUSY, with the numbers of live objects, if any exist except
   those that the library keeps itself. */
dpr_status live_check(void);

/* Take the first failure that the program was not told of: record its text and
   return its status.  DPR_OK: there is none. */
dpr_status live_take_failure(void);

#endif
