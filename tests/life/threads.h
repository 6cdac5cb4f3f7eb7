/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h - shared by the jobs of api_threads: the devices that they use, how
   they choose, and how they report errors. */
#ifndef TESTS_THREADS_H
#define TESTS_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tests/support/random.h"

#define MAX_PLACES 32

/* A device to work on, and a counter on it that all threads share: @counter and
   @view are the same memory on two queues. */
struct place {
	dpr_device *device;
	dpr_queue *queue;
	int sources; /* takes kernels from source */
	dpr_usm_kind kinds[3];
	int n_kinds;
	int is_part;
	dpr_queue *second;
	dpr_array *counter, *view;
	atomic_llong added;
};

struct worker {
	pthread_t thread;
	struct random random;
	unsigned number;
	const char *job;
};

extern struct place places[MAX_PLACES];
extern size_t n_places;
extern dpr_device *faulty_device; /* of mock2; some of its calls fail */
extern uint64_t seed;
extern _Thread_local struct worker *self; /* NULL: the main thread */

/* Report an error, and end the process. */
#define BAD(...)                                                               \
	do {                                                                   \
		printf("%s:%d: thread %u, %s, DPR_TEST_SEED=%llu: ", __FILE__, \
		       __LINE__, self ? self->number : 0,                      \
		       self ? self->job : "main", (unsigned long long)seed);   \
		printf(__VA_ARGS__);                                           \
		printf("\n");                                                  \
		fflush(stdout);                                                \
		_exit(1);                                                      \
	} while (0)

#define OK(call)                                                           \
	do {                                                               \
		dpr_status status_ = (call);                               \
		if (status_)                                               \
			BAD("%s: %s: %s", #call, dpr_status_name(status_), \
			    dpr_last_error());                             \
	} while (0)

#define SAME(got, want)                                                 \
	do {                                                            \
		long long got_ = (got), want_ = (want);                 \
		if (got_ != want_)                                      \
			BAD("%s is %lld, not %lld", #got, got_, want_); \
	} while (0)

/* Choose at random for this thread: a number from @low to @high, inclusive; a
   place; a kind of memory that @place has. */
int64_t pick(int64_t low, int64_t high);
struct place *pick_place(void);
dpr_usm_kind pick_kind(const struct place *place);

/* Check that x[i] == first + step * i for all elements of @x in C order. */
void check_steps(const dpr_array *x, int64_t first, int64_t step);

/* threads_pool.c: jobs on the memory pools that all other jobs use. */
void job_trim(void);
void job_limit(void);
void job_pressure(void);
void job_statistics(void);
/* After all threads have ended: remove limits and callbacks from the pools. */
void threads_pool_end(void);

#endif
