/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.c - what is kept until dpr_finalize(). */
#include "core/base/hooks.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guarded by the lock.  Hooks are put before it and never taken away, so that
   what it once pointed to may be walked without the lock. */
static struct finalize_hook *first;

static struct finalize_hook *hooks(void)
{
	struct finalize_hook *hook;

	pthread_mutex_lock(&lock);
	hook = first;
	pthread_mutex_unlock(&lock);
	return hook;
}

void hooks_add(struct finalize_hook *hook)
{
	pthread_mutex_lock(&lock);
	hook->next = first;
	first = hook;
	pthread_mutex_unlock(&lock);
}

void hooks_count(size_t *programs, size_t *kernels)
{
	*programs = *kernels = 0;
	for (struct finalize_hook *hook = hooks(); hook; hook = hook->next) {
		size_t p = 0, k = 0;

		if (hook->count)
			hook->count(&p, &k);
		*programs += p;
		*kernels += k;
	}
}

void hooks_drop(void)
{
	for (struct finalize_hook *hook = hooks(); hook; hook = hook->next)
		hook->drop();
}
