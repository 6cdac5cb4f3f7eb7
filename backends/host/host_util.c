/* SPDX-License-Identifier: Apache-2.0 */
/* host_util.c - memory and threads, for all files. */
#include "host.h"

#include <sched.h>
#include <signal.h>

/* How long to spin: about as long as it takes to wake a thread. */
#define HOST_SPIN_NS 20000u

/* A kernel may use much stack, such as tiles of transposed operands.  Some C
   libraries give a thread as little as 128 KiB. */
#define HOST_STACK ((size_t)2 << 20)

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
	pthread_attr_t attr;
	sigset_t all, old;
	size_t stack = 0;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_getstacksize(&attr, &stack);
	if (stack < HOST_STACK)
		pthread_attr_setstacksize(&attr, HOST_STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(thread, &attr, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return error;
}

/* Pause after the @i-th look.  Returns whether to look again. */
static bool spin_on(unsigned i, uint64_t end)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
	if (i % 8)
		return true;
	/* The thread that will change the value may need this CPU. */
	sched_yield();
	return dprh_now() < end;
}

void host_util_spin(const atomic_uint *value, unsigned what, bool equal)
{
	const uint64_t end = dprh_now() + HOST_SPIN_NS;
	unsigned i = 0;

	while ((atomic_load(value) == what) != equal && spin_on(++i, end))
		;
}

void host_util_spin_upto(const atomic_uint_fast64_t *count, uint64_t upto)
{
	const uint64_t end = dprh_now() + HOST_SPIN_NS;
	unsigned i = 0;

	while (atomic_load(count) < upto && spin_on(++i, end))
		;
}
