/* SPDX-License-Identifier: Apache-2.0 */
/* worker.h - a thread of the core that does one job whenever it is woken. */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* A worker.  It is a static object made with WORKER_INIT.  The first call that
   needs the thread starts it, with all signals blocked.  The thread runs until
   worker_stop(). */
struct worker {
	/* Do one piece of the job, with no lock held.  Returns the pause before
	   the next call in nanoseconds.  0: none; DPR_FOREVER: until the worker
	   is woken. */
	uint64_t (*job)(void);
	pthread_mutex_t lock;
	pthread_cond_t wake, rests;
	/* The members below are guarded by the lock. */
	bool running, stopping, woken;
	bool busy; /* the thread is in job(), or calls it again at once */
};

#define WORKER_INIT(job)                                                  \
	{                                                                 \
		job, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, \
			PTHREAD_COND_INITIALIZER, 0, 0, 0, 0              \
	}

/* Start the thread unless it is running.  Returns 0, or an errno. */
int worker_start(struct worker *worker);

/* Let the thread call job() soon, and start the thread if necessary.  Returns
   0, or an errno. */
int worker_wake(struct worker *worker);

/* Wait until the thread has no more work for now. */
void worker_drain(struct worker *worker);

/* Let the thread end after its current call of job(), and wait for its end
   until @deadline.  A call from the thread itself does not wait. */
void worker_stop(struct worker *worker, uint64_t deadline);

/* Whether the calling thread is the thread of any worker. */
bool worker_self(void);

#endif
