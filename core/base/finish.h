/* SPDX-License-Identifier: Apache-2.0 */
/* finish.h - what is kept until dpr_finalize(). */
#ifndef BASE_FINISH_H
#define BASE_FINISH_H

#include <stddef.h>

/* Static; added once.  Both functions are called with no lock held. */
struct finish_hook {
	struct finish_hook *next;
	/* How many programs and kernels it keeps: they do not keep the library
	   busy.  NULL: none. */
	void (*count)(size_t *programs, size_t *kernels);
	/* Let go of them. */
	void (*drop)(void);
};

void finish_add(struct finish_hook *hook);

/* The sums over all hooks; all of them dropped. */
void finish_count(size_t *programs, size_t *kernels);
void finish_drop(void);

#endif
