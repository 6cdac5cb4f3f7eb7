/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.h - what is alive in the runtime.  Whether it may be used at all is in
 * process.h and device.h.
 */
#ifndef RUNTIME_LIFE_H
#define RUNTIME_LIFE_H

#include "core/runtime/queue/failure.h"

#include <stddef.h>

#include <dpr/status.h>

enum life_kind {
	LIFE_QUEUE, /* but for canonical ones */
	LIFE_EVENT,
	LIFE_USM,
	LIFE_PROGRAM,
	LIFE_KERNEL,
	LIFE_KINDS
};

/* An object of @kind was made, or is gone.  dpr_finalize() refuses while any
   are there. */
void life_add(enum life_kind kind);
void life_drop(enum life_kind kind);

/* Note a failure that the program may not have been told of, for
   dpr_finalize().  @text NULL: that of @root. */
void life_failure(const char *text, struct failure *root);

#endif
