/* SPDX-License-Identifier: Apache-2.0 */
/* host_util.c - memory and threads, for all files. */
#include "host.h"

#include <sched.h>
#include <signal.h>

/* How long to spin: about as long as it takes to wake a thread. */
#define HOST_SPIN_NS 20000u

void *host_util_alloc(dprp_instance *instance, size_t size)
{
	void *block = dprh_alloc(&instance->host, 1, size);

	if (!block)
		dprh_fail(&instance->host, DPR_RC_OOM_HOST, 0,
			  "host: out of memory: %zu bytes", size);
	return block;
}

void host_util_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

int host_util_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, old;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

void host_util_spin(const atomic_uint *value, unsigned what, bool equal)
{
	uint64_t end = dprh_now() + HOST_SPIN_NS;
	unsigned i;

	do {
		for (i = 0; i < 8; i++) {
			if ((atomic_load(value) == what) == equal)
				return;
#if defined(__x86_64__) || defined(__i386__)
			__builtin_ia32_pause();
#endif
		}
		/* The thread that will change the value may need this CPU. */
		sched_yield();
	} while (dprh_now() < end);
}
