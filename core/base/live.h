/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - counts objects that the program still holds, and records failures
   that were not reported to the program. */
#ifndef BASE_LIVE_H
#define BASE_LIVE_H

#include "core/base/failure.h"

#include <stddef.h>

#include <dpr/status.h>

enum live_kind {
	LIVE_QUEUE, /* except canonical queues */
	LIVE_EVENT,
	LIVE_USM,
	LIVE_PROGRAM,
	LIVE_KERNEL,
	LIVE_KINDS
};

/* Count an object of @kind that was made, or that is gone.  dpr_finalize()
   refuses to run while objects exist. */
void live_add(enum live_kind kind);
void live_drop(enum live_kind kind);

/* Record a failure for dpr_finalize(), since it may not have been reported to
   the program.  @text NULL: the text of @root. */
void live_failure(const char *text, struct failure *root);

/* Returns DPR_ERROR_BUSY, with the numbers of objects, if any objects exist.
   Objects that the library itself keeps do not count. */
dpr_status live_check(void);

/* Take the first failure that was not reported to the program: record its text,
   and return its status.  DPR_OK: there is none. */
dpr_status live_take_failure(void);

#endif
