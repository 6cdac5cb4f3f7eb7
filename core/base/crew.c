/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew.c - threads for the length of one call.
 *
 * Starting and joining a thread costs some tens of microseconds; the work takes
 * milliseconds.  No thread is left between two calls, so fork(), exit() and
 * dlclose() need no care.
 */
#include "core/base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/base/call_stack.h"

struct crew {
	atomic_size_t next;
	size_t n;
	void (*job)(void *state, size_t i);
	void *state;
};

unsigned crew_cpus(void)
{
	long n = 0;
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set))
		n = CPU_COUNT(&set);
	else /* the machine has more CPUs than the set has room for */
		n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > (long)CREW_MOST ? CREW_MOST : (unsigned)n;
}

/* The work of each thread, the caller of crew_run() among them. */
static void *crew_main(void *arg)
{
	const int depth = call_stack_go_in();
	struct crew *crew = arg;
	size_t i;

	while ((i = atomic_fetch_add_explicit(&crew->next, 1,
					      memory_order_relaxed)) < crew->n)
		crew->job(crew->state, i);
	call_stack_go_back(depth);
	return NULL;
}

/* Start up to @most threads, with all signals blocked: signals are for the
   program's own threads.  Returns the number of threads that have started. */
static unsigned start_helpers(struct crew *crew, unsigned most,
			      pthread_t *threads)
{
	sigset_t every, before;
	unsigned n = 0;

	if (!most)
		return 0;
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	while (n < most && !pthread_create(&threads[n], NULL, crew_main, crew))
		n++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return n;
}

void crew_run(unsigned threads, size_t n, void (*job)(void *state, size_t i),
	      void *state)
{
	struct crew crew = { .n = n, .job = job, .state = state };
	pthread_t helpers[CREW_MOST];
	unsigned started;
	int cancel;

	if (threads > CREW_MOST)
		threads = CREW_MOST;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	started = start_helpers(&crew, threads > 1 ? threads - 1 : 0, helpers);
	crew_main(&crew);
	while (started)
		pthread_join(helpers[--started], NULL);
	pthread_setcancelstate(cancel, NULL);
}
