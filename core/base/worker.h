/* SPDX-License-Identifier: Apache-2.0 */
/* worker.h - a thread of the core that does one job when it is woken. */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* A static object, made with WORKER_INIT.  The thread is started by the first
   call that needs it, with all signals blocked, and runs until
   worker_stop(). */
struct worker {
	/* Do one piece of the job, with no lock held.  Returns in how many
	   nanoseconds to call it again. 0: at once; DPR_FOREVER: when woken. */
	uint64_t (*job)(void);
	pthread_mutex_t lock;
	pthread_cond_t wake, rests;
	/* Guarded by the lock. */
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

/* Have the thread call job() soon; starts the thread if need be.  Returns 0, or
   an errno. */
int worker_wake(struct worker *worker);

/* Wait until the thread has nothing left to do now. */
void worker_drain(struct worker *worker);

/* Let the thread end after its current call of job(), and wait for that until
   @deadline; a call from the thread itself does not wait. */
void worker_stop(struct worker *worker, uint64_t deadline);

/* Whether the calling thread is that of any worker. */
bool worker_self(void);

#endif
