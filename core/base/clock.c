/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - the time of waits and traces. */
#include "core/base/clock.h"

#include <time.h>

#include <dpr/event.h>

uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_deadline(uint64_t timeout)
{
	uint64_t deadline;

	if (__builtin_add_overflow(clock_now(), timeout, &deadline))
		return DPR_FOREVER;
	return deadline;
}
