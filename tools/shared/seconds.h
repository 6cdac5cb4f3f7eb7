/* SPDX-License-Identifier: Apache-2.0 */
/* seconds.h - the clock of the tools. */
#ifndef TOOLS_SECONDS_H
#define TOOLS_SECONDS_H

#include <time.h>

/* The time of CLOCK_MONOTONIC in seconds. */
static inline double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

#endif
