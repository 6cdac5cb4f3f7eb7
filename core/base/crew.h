/* SPDX-License-Identifier: Apache-2.0 */
/* crew.h - threads for the length of one call. */
#ifndef BASE_CREW_H
#define BASE_CREW_H

#include <stddef.h>

/* The number of CPUs that the calling thread may run on, at most CREW_MOST. */
unsigned crew_cpus(void);
#define CREW_MOST 16u

/*
 * Call @job(@state, i) for every i below @n, in any order, from the calling
 * thread and up to @threads - 1 others, which are gone when this returns.  If
 * no thread can be started, the existing ones do all jobs.  The calling thread
 * cannot be cancelled here.
 */
void crew_run(unsigned threads, size_t n, void (*job)(void *state, size_t i),
	      void *state);

#endif
