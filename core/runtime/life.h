/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.h - whether the runtime may be used, and what is alive in it.
 *
 * runtime_check() and runtime_alive() are in device.h.
 */
#ifndef RUNTIME_LIFE_H
#define RUNTIME_LIFE_H

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

/*
 * A backend was opened.  Called by the registry after each successful open:
 * from then on exit() calls no plugin, and a child of fork() may not use what
 * the parent had.
 */
void life_opened(void);

/* Note a failure that nobody has looked at, for dpr_finalize(). */
void life_failure(dpr_status status, const char *text);

#endif
