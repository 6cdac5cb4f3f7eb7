/* SPDX-License-Identifier: Apache-2.0 */
/* host_util.c - memory, errors, the clock and threads, for all files. */
#include "host.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* About what it takes to wake a thread. */
#define HOST_SPIN_NS 20000u

uint64_t host_util_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void *host_util_alloc(dprp_instance *instance, size_t size)
{
	const dprp_host *host = &instance->host;
	void *block = host->alloc(host->self, size);

	if (block)
		memset(block, 0, size);
	else
		host_util_fail(instance, DPR_RC_OOM_HOST,
			       "host: out of memory: %zu bytes", size);
	return block;
}

void host_util_free(dprp_instance *instance, void *block)
{
	if (block)
		instance->host.free(instance->host.self, block);
}

dprp_rc host_util_fail(dprp_instance *instance, dprp_rc rc, const char *format,
		       ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	instance->host.set_error(instance->host.self, rc, 0, text);
	return rc;
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
	uint64_t end = host_util_now() + HOST_SPIN_NS;
	unsigned i;

	do {
		for (i = 0; i < 8; i++) {
			if ((atomic_load(value) == what) == equal)
				return;
#if defined(__x86_64__) || defined(__i386__)
			__builtin_ia32_pause();
#endif
		}
		/* The thread that we wait for may need this CPU. */
		sched_yield();
	} while (host_util_now() < end);
}
