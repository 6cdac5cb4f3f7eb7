/* SPDX-License-Identifier: Apache-2.0 */
/* waited.c - whether a call has waited, or its thread was only preempted. */
#include "tools/kit/waited.h"

#include <sys/resource.h>
#include <time.h>

#include "tools/shared/seconds.h"

struct waited waited_now(void)
{
	struct rusage usage = { .ru_nvcsw = 0 };
	struct timespec cpu = { 0, 0 };

	getrusage(RUSAGE_THREAD, &usage);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	return (struct waited){ seconds_now(),
				(double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec,
				usage.ru_nvcsw };
}

/* A call that takes less, in seconds, has not waited: others had the processor
   before or after the call. */
#define SHORT 0.001

bool waited_between(const struct waited *before, const struct waited *after)
{
	const double wall = after->wall - before->wall;

	return wall >= SHORT && (after->slept > before->slept ||
				 (after->cpu - before->cpu) * 4 >= wall);
}
