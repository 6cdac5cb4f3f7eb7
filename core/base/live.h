/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - what the program still holds, and failures it was not told of. */
#ifndef BASE_LIVE_H
#define BASE_LIVE_H

#include "core/base/failure.h"

#include <stddef.h>

#include <dpr/status.h>

enum live_kind {
	LIVE_QUEUE, /* but for canonical ones */
	LIVE_EVENT,
	LIVE_USM,
	LIVE_PROGRAM,
	LIVE_KERNEL,
	LIVE_KINDS
};

/* An object of @kind was made, or is gone.  dpr_finalize() refuses while any
   are there. */
void live_add(enum live_kind kind);
void live_drop(enum live_kind kind);

/* Note a failure that the program may not have been told of, for
   dpr_finalize().  @text NULL: that of @root. */
void live_failure(const char *text, struct failure *root);

/* DPR_ERROR_BUSY with the numbers of what is alive, if anything is but what the
   library keeps for itself. */
dpr_status live_check(void);

/* The first failure that the program was not told of, which nothing else will
   tell it. */
dpr_status live_take_failure(void);

#endif
