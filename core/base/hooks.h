/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.h - what is kept until dpr_finalize(). */
#ifndef BASE_HOOKS_H
#define BASE_HOOKS_H

#include <stddef.h>

/* Static; added once.  Both functions are called with no lock held. */
struct finalize_hook {
	struct finalize_hook *next;
	/* How many programs and kernels it keeps: they do not keep the library
	   busy.  NULL: none. */
	void (*count)(size_t *programs, size_t *kernels);
	/* Let go of them. */
	void (*drop)(void);
};

void hooks_add(struct finalize_hook *hook);

/* The sums over all hooks; all of them dropped. */
void hooks_count(size_t *programs, size_t *kernels);
void hooks_drop(void);

#endif
