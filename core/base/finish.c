/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c - what is kept until dpr_finalize(). */
#include "core/base/finish.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guarded by the lock.  Hooks are put before it and never taken away, so that
   what it once pointed to may be walked without the lock. */
static struct finish_hook *first;

static struct finish_hook *hooks(void)
{
	struct finish_hook *hook;

	pthread_mutex_lock(&lock);
	hook = first;
	pthread_mutex_unlock(&lock);
	return hook;
}

void finish_add(struct finish_hook *hook)
{
	pthread_mutex_lock(&lock);
	hook->next = first;
	first = hook;
	pthread_mutex_unlock(&lock);
}

void finish_count(size_t *programs, size_t *kernels)
{
	*programs = *kernels = 0;
	for (struct finish_hook *hook = hooks(); hook; hook = hook->next) {
		size_t p = 0, k = 0;

		if (hook->count)
			hook->count(&p, &k);
		*programs += p;
		*kernels += k;
	}
}

void finish_drop(void)
{
	for (struct finish_hook *hook = hooks(); hook; hook = hook->next)
		hook->drop();
}
