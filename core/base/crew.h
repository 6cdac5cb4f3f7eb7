/* SPDX-License-Identifier: Apache-2.0 */
/* crew.h - threads for the length of one call. */
#ifndef BASE_CREW_H
#define BASE_CREW_H

#include <stddef.h>

/* The number of CPUs that the calling thread may run on, at most CREW_MOST. */
unsigned crew_cpus(void);
#define CREW_MOST 16u

/*
 * Call @job(@state, i) for every i below @n, in any order.  The jobs run in the
 * calling thread and up to @threads - 1 other threads, which have ended when
 * this function returns.  If no thread can be started, the existing threads do
 * all jobs.  The calling thread cannot be cancelled here.
 */
void crew_run(unsigned threads, size_t n, void (*job)(void *state, size_t i),
	      void *state);

#endif
