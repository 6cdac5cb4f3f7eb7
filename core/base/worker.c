/* SPDX-License-Identifier: Apache-2.0 */
/* worker.c - a thread of the core that does one job whenever it is woken. */
#include "core/base/worker.h"

#include <time.h>

#include <dpr/base.h>

#include "core/base/call_stack.h"
#include "core/base/clock.h"
#include "core/base/process.h"

/* The worker whose thread this is, or NULL. */
static _Thread_local const struct worker *own;

/* Wait for @cond until @deadline.  Returns 0, or an errno once @deadline has
   passed. */
static int wait_locked(struct worker *worker, pthread_cond_t *cond,
		       uint64_t deadline)
{
	struct timespec at = { .tv_sec = (time_t)(deadline / 1000000000u),
			       .tv_nsec = (long)(deadline % 1000000000u) };

	if (deadline == DPR_FOREVER)
		return pthread_cond_wait(cond, &worker->lock);
	return pthread_cond_clockwait(cond, &worker->lock, CLOCK_MONOTONIC,
				      &at);
}

/* Wait until there is work, or until @pause is over.  Returns false if the
   thread must end. */
static bool rest_locked(struct worker *worker, uint64_t pause)
{
	uint64_t until = clock_deadline(pause);
	int late = 0;

	if (pause) {
		worker->busy = false;
		pthread_cond_broadcast(&worker->rests);
	}
	while (pause && !worker->woken && !worker->stopping && !late)
		late = wait_locked(worker, &worker->wake, until);
	return !worker->stopping;
}

static void *worker_main(void *user)
{
	struct worker *worker = user;
	uint64_t pause = DPR_FOREVER;

	(void)call_stack_go_in();
	own = worker;
	pthread_mutex_lock(&worker->lock);
	while (rest_locked(worker, pause)) {
		worker->woken = false;
		worker->busy = true;
		pthread_mutex_unlock(&worker->lock);
		pause = worker->job();
		pthread_mutex_lock(&worker->lock);
	}
	worker->running = worker->busy = false;
	pthread_cond_broadcast(&worker->rests);
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

static int start_locked(struct worker *worker)
{
	int rc = 0;

	if (!worker->running && !worker->stopping) {
		rc = process_thread(worker_main, worker);
		worker->running = !rc;
	}
	return rc;
}

int worker_start(struct worker *worker)
{
	int rc;

	pthread_mutex_lock(&worker->lock);
	rc = start_locked(worker);
	pthread_mutex_unlock(&worker->lock);
	return rc;
}

int worker_wake(struct worker *worker)
{
	int rc;

	pthread_mutex_lock(&worker->lock);
	rc = start_locked(worker);
	worker->woken = !rc;
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
	return rc;
}

void worker_drain(struct worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	while (worker->running && !worker->stopping &&
	       (worker->woken || worker->busy))
		(void)wait_locked(worker, &worker->rests, DPR_FOREVER);
	pthread_mutex_unlock(&worker->lock);
}

void worker_stop(struct worker *worker, uint64_t deadline)
{
	int late = 0;

	pthread_mutex_lock(&worker->lock);
	worker->stopping = true;
	pthread_cond_signal(&worker->wake);
	while (worker->running && own != worker && !late)
		late = wait_locked(worker, &worker->rests, deadline);
	pthread_mutex_unlock(&worker->lock);
}

bool worker_self(void)
{
	return own != NULL;
}
