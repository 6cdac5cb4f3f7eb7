/* SPDX-License-Identifier: Apache-2.0 */
/* helpers.c - threads for work whose end no caller awaits. */
#include "core/runtime/transfer/helpers.h"

#include <string.h>
#include <time.h>

#include "core/base/call_stack.h"
#include "core/base/clock.h"
#include "core/base/process.h"
#include "core/base/status.h"

/* How long an idle thread stays, in nanoseconds. */
#define LINGER UINT64_C(1000000000)
/* How long exit() waits for jobs that are in a driver. */
#define EXIT_PATIENCE UINT64_C(100000000)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Guards the variables below, and `jobs`, `jobs_end`, `helper_next` and
   `in_helpers` of queues. */
static bool stopping;
/* Queues that have jobs but run none now, oldest first. */
static dpr_queue *ready, **ready_end = &ready;
static size_t n_ready, n_threads, n_idle, n_running;

static pthread_once_t watched = PTHREAD_ONCE_INIT;

static void add_ready_locked(dpr_queue *queue)
{
	queue->helper_next = NULL;
	*ready_end = queue;
	ready_end = &queue->helper_next;
	n_ready++;
	pthread_cond_broadcast(&changed);
}

/* The first job of the oldest queue; or NULL. */
static struct helper_job *take_job_locked(void)
{
	dpr_queue *queue = ready;
	struct helper_job *job;

	if (!queue)
		return NULL;
	ready = queue->helper_next;
	if (!ready)
		ready_end = &ready;
	n_ready--;
	job = queue->jobs;
	queue->jobs = job->next;
	if (!queue->jobs)
		queue->jobs_end = &queue->jobs;
	return job;
}

/* Wait until something has changed.  Returns false if nothing has until
   @until. */
static bool sleep_locked(uint64_t until)
{
	struct timespec at = { .tv_sec = (time_t)(until / 1000000000u),
			       .tv_nsec = (long)(until % 1000000000u) };

	if (until == DPR_FOREVER)
		return !pthread_cond_wait(&changed, &lock);
	return !pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &at);
}

static void run_job_locked(struct helper_job *job)
{
	dpr_queue *queue = job->queue;

	n_running++;
	pthread_mutex_unlock(&lock);
	job->run(job);
	pthread_mutex_lock(&lock);
	if (queue->jobs)
		add_ready_locked(queue);
	else
		queue->in_helpers = false;
	pthread_mutex_unlock(&lock);
	/* This may close the queue. */
	dpr_queue_release(queue);
	pthread_mutex_lock(&lock);
	n_running--;
	pthread_cond_broadcast(&changed);
}

static void *helper_main(void *nothing)
{
	struct helper_job *job;
	bool waited = true;

	(void)nothing;
	(void)call_stack_go_in();
	pthread_mutex_lock(&lock);
	while (!stopping && (ready || waited)) {
		job = take_job_locked();
		if (job) {
			run_job_locked(job);
			waited = true;
			continue;
		}
		n_idle++;
		waited = sleep_locked(clock_deadline(LINGER));
		n_idle--;
	}
	n_threads--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void stop_threads(uint64_t until)
{
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_broadcast(&changed);
	while (n_threads && sleep_locked(until))
		;
	pthread_mutex_unlock(&lock);
}

static void exit_threads(void)
{
	stop_threads(clock_deadline(EXIT_PATIENCE));
}

static void add_hooks(void)
{
	static struct process_hook hook = { .at_exit = exit_threads };

	process_add(&hook);
}

dpr_status helpers_add(struct helper_job *job, const char *what)
{
	dpr_queue *queue = job->queue;
	int rc = 0;

	pthread_once(&watched, add_hooks);
	job->next = NULL;
	pthread_mutex_lock(&lock);
	if (!stopping && n_ready + !queue->in_helpers > n_idle) {
		rc = process_thread(helper_main, NULL);
		n_threads += !rc;
	}
	/* If a thread is there already, it runs the job later. */
	if (!n_threads) {
		pthread_mutex_unlock(&lock);
		return fail(DPR_ERROR_OUT_OF_MEMORY,
			    "%s: cannot start a copying thread: %s", what,
			    strerror(rc));
	}
	dpr_queue_retain(queue);
	if (!queue->jobs)
		queue->jobs_end = &queue->jobs;
	*queue->jobs_end = job;
	queue->jobs_end = &job->next;
	if (!queue->in_helpers) {
		queue->in_helpers = true;
		add_ready_locked(queue);
	}
	pthread_mutex_unlock(&lock);
	return DPR_OK;
}

void helpers_quiesce(void)
{
	pthread_mutex_lock(&lock);
	while (n_ready || n_running)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

void helpers_stop(void)
{
	stop_threads(DPR_FOREVER);
}
