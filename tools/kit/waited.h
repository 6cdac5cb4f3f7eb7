/* SPDX-License-Identifier: Apache-2.0 */
/* waited.h - whether a call has waited, or its thread was only preempted. */
#ifndef TOOLS_WAITED_H
#define TOOLS_WAITED_H

#include <stdbool.h>

/* What a thread has done up to a moment. */
struct waited {
	double wall, cpu; /* seconds */
	long slept;       /* how often it gave the processor away itself */
};

/* Of the calling thread. */
struct waited waited_now(void);
/* Whether the thread has waited in between, for a millisecond at least: then the
   thread slept, or computed for a good part of the time.  Otherwise others had the
   processor. */
bool waited_between(const struct waited *before, const struct waited *after);

#endif
