/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help-pool.h - for authors of backends: queues whose commands a pool of threads
 * runs, in order and out of order.
 *
 * The queues, commands and events are those of <dpr/help-queue.h>, with the same
 * functions to submit, to wait and to ask.  Two functions have another name:
 * dprh_pool_init() comes in place of dprh_queues_init(), and dprh_pool_fini() in
 * place of dprh_queues_fini().  The plugin's struct dprp_queue begins with a
 * struct dprh_pool_queue.
 *
 * On an out-of-order queue a command starts after its dependencies and earlier
 * barriers; on an in-order queue, after all earlier commands too.  What depends
 * on a failed command fails, and does not run.
 *
 * No thread waits for a dependency.  A command that waits costs memory alone,
 * and commands that need nothing from each other run side by side.  A launch is
 * shared among all threads that have no command of their own.
 *
 * It is not a part of <dpr/backend-help.h>, and includes <dpr/help-team.h>.  It
 * needs _GNU_SOURCE: include it first, or compile with -D_GNU_SOURCE.
 */
#ifndef DPR_HELP_POOL_H
#define DPR_HELP_POOL_H

#include <dpr/help-team.h>

#include <dpr/help-queue.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Work of a command for several threads.  It is in the stack of the thread that
   runs the command. */
struct dprh_pool_share {
	struct dprh_pool_share *next; /* another one */
	dprh_piece run; /* does a piece */
	void *context; /* for run */
	uint64_t pieces; /* the number of pieces */
	uint64_t taken; /* the next piece; changed without the lock */
	uint32_t joined; /* helpers so far */
	uint32_t inside; /* helpers at work */
};

/* The queues of an instance, and the threads that run their commands. */
struct dprh_pool {
	struct dprh_queues queues; /* it comes first; its lock guards the rest */
	pthread_cond_t work; /* there is something to do, or the end */
	pthread_cond_t left; /* the last helper has left a share */
	struct dprh_command *first; /* the next one that can run */
	struct dprh_command *last; /* the one that came last of these */
	uint64_t ready; /* how many these are */
	struct dprh_pool_share *shares; /* those that may have pieces left */
	uint32_t sleeping; /* threads that wait for work */
	bool stop; /* the threads are to end, once nothing is ready */
	uint32_t n; /* threads */
	pthread_t *threads; /* n of them */
};

/* A queue of a pool. */
struct dprh_pool_queue {
	struct dprh_queue base; /* it comes first */
	struct dprh_command *oldest; /* the first one that is not over */
	struct dprh_command *newest; /* the last one that is not over */
	/* The barrier that later commands wait for; NULL: none. */
	struct dprh_command *barrier;
	/* Commands that wait for nothing in this queue and are not over, with
	   the barrier.  The others are in the queue's list. */
	uint64_t open;
};

/* --- Which command runs when ---------------------------------------------- */

/* All functions here are called with the lock held. */

/* The pool of a queue. */
static inline struct dprh_pool *dprh_pool_of(const struct dprh_queue *queue)
{
	return (struct dprh_pool *)queue->all;
}

/* Wake threads for `n` things to do. */
static inline void dprh_pool_wake(struct dprh_pool *pool, uint64_t n)
{
	uint32_t i;

	for (i = 0; i < n && i < pool->sleeping; i++)
		pthread_cond_signal(&pool->work);
}

/* A command can run.  Barriers go first: there is nothing to do for them. */
static inline void dprh_pool_ready(
	struct dprh_pool *pool, struct dprh_command *command)
{
	pool->ready++;
	if (!pool->first) {
		command->next = NULL;
		pool->first = pool->last = command;
	} else if (command->run) {
		command->next = NULL;
		pool->last->next = command;
		pool->last = command;
	} else {
		command->next = pool->first;
		pool->first = command;
	}
}

/* Take the next command that can run; NULL: there is none. */
static inline struct dprh_command *dprh_pool_next(struct dprh_pool *pool)
{
	struct dprh_command *command = pool->first;

	if (!command)
		return NULL;
	pool->first = command->next;
	if (!pool->first)
		pool->last = NULL;
	pool->ready--;
	return command;
}

/* Let a command wait for those of its dependencies that are not over. */
static inline void dprh_pool_depend(struct dprh_command *command)
{
	struct dprh_dep *dep;
	uint32_t i;

	for (i = 0; i < command->n_deps; i++) {
		dep = &command->deps[i];
		if (dprh_event_is_over(dep->event))
			continue;
		dep->next = dep->event->waiting;
		dep->event->waiting = dep;
		command->left++;
	}
}

/* Let the commands of a queue's list go on to their dependencies, as far as the
   queue's order allows. */
static inline void dprh_pool_admit(struct dprh_pool_queue *queue)
{
	const bool in_order = !(queue->base.flags & DPRP_QUEUE_OUT_OF_ORDER);
	struct dprh_command *command;

	while ((command = queue->base.first) && !queue->barrier &&
		!(in_order && queue->open)) {
		queue->base.first = command->next;
		if (!queue->base.first)
			queue->base.last = NULL;
		dprh_pool_depend(command);
		if (!command->run)
			queue->barrier = command;
		/* A barrier without dependencies waits for what is open. */
		if (!command->run && !command->n_deps && queue->open)
			command->left++;
		queue->open++;
		if (!command->left)
			dprh_pool_ready(dprh_pool_of(&queue->base), command);
	}
}

/* One thing less that a command waits for. */
static inline void dprh_pool_less(
	struct dprh_pool *pool, struct dprh_command *command)
{
	if (!--command->left)
		dprh_pool_ready(pool, command);
}

/* Take a command out of those of its queue that are not over. */
static inline void dprh_pool_unlink(
	struct dprh_pool_queue *queue, struct dprh_command *command)
{
	if (command->older)
		command->older->newer = command->newer;
	else
		queue->oldest = command->newer;
	if (command->newer)
		command->newer->older = command->older;
	else
		queue->newest = command->older;
	queue->base.completed = queue->oldest ? queue->oldest->number - 1
					      : queue->base.submitted;
}

/* The scheduler's `ended`: what waited for the command goes on. */
DPRH_STATIC void dprh_pool_ended(
	struct dprh_queue *base, struct dprh_command *command)
{
	struct dprh_pool_queue *queue = (struct dprh_pool_queue *)base;
	struct dprh_pool *pool = dprh_pool_of(base);
	struct dprh_command *barrier;
	struct dprh_dep *dep, *next;

	dprh_pool_unlink(queue, command);
	if (queue->barrier == command)
		queue->barrier = NULL;
	queue->open--;
	barrier = queue->barrier;
	/* The barrier itself is open, too. */
	if (barrier && !barrier->n_deps && queue->open == 1)
		dprh_pool_less(pool, barrier);
	for (dep = command->event ? command->event->waiting : NULL; dep;
		dep = next) {
		next = dep->next;
		dprh_pool_less(pool, dep->command);
	}
	if (command->event)
		command->event->waiting = NULL;
	dprh_pool_admit(queue);
	dprh_pool_wake(pool, pool->ready);
}

/* The scheduler's `submitted`.  A barrier with nothing to wait for is over at
   once. */
DPRH_STATIC void dprh_pool_submitted(
	struct dprh_queue *base, struct dprh_command *command)
{
	struct dprh_pool_queue *queue = (struct dprh_pool_queue *)base;
	struct dprh_pool *pool = dprh_pool_of(base);

	command->older = queue->newest;
	if (queue->newest)
		queue->newest->newer = command;
	else
		queue->oldest = command;
	queue->newest = command;
	dprh_pool_admit(queue);
	if (!command->run && pool->first == command) {
		dprh_pool_next(pool);
		dprh_command_do(base, command);
	} else {
		dprh_pool_wake(pool, pool->ready);
	}
}

/* --- Threads -------------------------------------------------------------- */

/* Do pieces until none is left. */
static inline void dprh_pool_take(
	struct dprh_pool_share *share, uint32_t member)
{
	uint64_t piece;

	while ((piece = __atomic_fetch_add(&share->taken, 1,
			__ATOMIC_RELAXED)) < share->pieces)
		share->run(share->context, member, piece);
}

/* Help with a share that has pieces left, with the lock held.  Returns whether
   there was one. */
DPRH_STATIC bool dprh_pool_help(struct dprh_pool *pool)
{
	struct dprh_pool_share *share = pool->shares;
	uint32_t member;

	while (share && __atomic_load_n(&share->taken, __ATOMIC_RELAXED) >=
				share->pieces)
		share = share->next;
	if (!share)
		return false;
	member = ++share->joined;
	share->inside++;
	pthread_mutex_unlock(&pool->queues.lock);
	dprh_pool_take(share, member);
	pthread_mutex_lock(&pool->queues.lock);
	if (!--share->inside)
		pthread_cond_broadcast(&pool->left);
	return true;
}

/*
 * Do the pieces 0 to pieces - 1, in any order, with the threads of the pool that
 * have nothing else to do.  Returns when all are done.  Only a command's
 * function may call this, and no piece may.  The members of one call have
 * different numbers, below the number of threads.
 */
DPRH_STATIC void dprh_pool_do(struct dprh_queue *queue, uint64_t pieces,
	dprh_piece run, void *context)
{
	struct dprh_pool *pool = dprh_pool_of(queue);
	struct dprh_pool_share share, **at;

	memset(&share, 0, sizeof(share));
	share.run = run;
	share.context = context;
	share.pieces = pieces;
	if (pool->n == 1 || pieces <= 1) {
		dprh_pool_take(&share, 0);
		return;
	}
	pthread_mutex_lock(&pool->queues.lock);
	share.next = pool->shares;
	pool->shares = &share;
	dprh_pool_wake(pool, pieces - 1);
	pthread_mutex_unlock(&pool->queues.lock);
	dprh_pool_take(&share, 0);
	pthread_mutex_lock(&pool->queues.lock);
	for (at = &pool->shares; *at != &share; at = &(*at)->next)
		;
	*at = share.next;
	while (share.inside)
		pthread_cond_wait(&pool->left, &pool->queues.lock);
	pthread_mutex_unlock(&pool->queues.lock);
}

/* A thread of a pool, until the end.  At the end, commands may still wait for the
   work of another thread: that thread runs them, too. */
DPRH_STATIC void *dprh_pool_thread(void *arg)
{
	struct dprh_pool *pool = (struct dprh_pool *)arg;
	struct dprh_command *command;

	pthread_mutex_lock(&pool->queues.lock);
	for (;;) {
		command = dprh_pool_next(pool);
		if (command) {
			dprh_command_do(command->queue, command);
		} else if (pool->stop) {
			break;
		} else if (!dprh_pool_help(pool)) {
			pool->sleeping++;
			pthread_cond_wait(&pool->work, &pool->queues.lock);
			pool->sleeping--;
		}
	}
	pthread_mutex_unlock(&pool->queues.lock);
	return NULL;
}

/* Wait for the work that is left, end the threads and free all queues; for
   close. */
DPRH_STATIC void dprh_pool_fini(struct dprh_pool *pool)
{
	const dprp_host *host = pool->queues.host;
	uint32_t i;

	pthread_mutex_lock(&pool->queues.lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->queues.lock);
	for (i = 0; i < pool->n; i++)
		pthread_join(pool->threads[i], NULL);
	dprh_free(host, pool->threads);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->left);
	dprh_queues_fini(&pool->queues);
}

/*
 * Prepare the queues of an instance, in open, with `threads` threads, 1 at
 * least, that are bound to `cpus`; NULL: to none.  `host` must outlive them.  If
 * a thread cannot be started, the text of the failure ends with `advice`, and
 * there is nothing to finish.
 */
DPRH_STATIC dprp_rc dprh_pool_init(struct dprh_pool *pool,
	const dprp_host *host, const struct dprh_cpus *cpus, uint32_t threads,
	const char *advice)
{
	static const struct dprh_scheduler scheduler = { dprh_pool_submitted,
		dprh_pool_ended };
	int error = 0;

	memset(pool, 0, sizeof(*pool));
	pool->threads = (pthread_t *)dprh_alloc(
		host, threads, sizeof(*pool->threads));
	if (!pool->threads)
		return dprh_no_memory(host, "a pool of threads");
	dprh_queues_init(&pool->queues, host);
	pool->queues.scheduler = &scheduler;
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->left, NULL);
	while (pool->n < threads && !error) {
		error = dprh_thread_start(
			&pool->threads[pool->n], dprh_pool_thread, pool);
		if (error)
			break;
		if (cpus)
			dprh_cpus_bind(host, pool->threads[pool->n], cpus);
		pool->n++;
	}
	if (!error)
		return DPR_RC_OK;
	dprh_fail(host, DPR_RC_OOM_HOST, error,
		"thread %u of %u cannot be started (errno %d)%s",
		(unsigned)(pool->n + 1), (unsigned)threads, error, advice);
	dprh_pool_fini(pool);
	return DPR_RC_OOM_HOST;
}

/* --- Launches ------------------------------------------------------------- */

/* The function of a command that launches a native kernel. */
static inline dprp_rc dprh_pool_run(
	struct dprh_queue *queue, void *data, struct dprh_why *why)
{
	struct dprh_native_launch *launch = (struct dprh_native_launch *)data;
	const uint64_t *groups = launch->range.groups;

	(void)why;
	dprh_pool_do(queue, groups[0] * groups[1] * groups[2],
		dprh_native_piece, launch);
	return DPR_RC_OK;
}

/* Pack the arguments of a launch for `members` members, `each` bytes apart. */
static inline void dprh_pool_pack(struct dprh_native_launch *to,
	const dprp_launch *launch, const struct dprh_sizes *sizes,
	void *(*address)(dprp_mem *mem), uint32_t members, size_t each,
	unsigned char *block)
{
	uint32_t i;

	to->args = (const void *const *)(const void *)block;
	to->args_stride = members > 1 ? each / sizeof(void *) : 0;
	for (i = 0; i < members; i++)
		(void)dprh_native_pack(
			launch, sizes, address, block + i * each);
}

/*
 * Submit a launch of a native kernel, whose groups the pool shares.  If the
 * launch gives no local size, a size is chosen, max_group at most.  `most` and
 * address() are as for dprh_native_check() and dprh_native_pack().
 */
DPRH_STATIC dprp_rc dprh_pool_launch(struct dprh_queue *queue,
	const dprp_native_kernel *kernel, const dprp_launch *theirs,
	const struct dprh_sizes *most, uint64_t max_group,
	void *(*address)(dprp_mem *mem), const dprp_deps *deps,
	dprp_event **event)
{
	const size_t head =
		dprh_round_up(sizeof(struct dprh_native_launch), DPRH_ALIGN);
	const struct dprh_pool *pool = dprh_pool_of(queue);
	const dprp_host *host = pool->queues.host;
	struct dprh_native_launch *work;
	struct dprh_command *command;
	struct dprh_sizes sizes;
	size_t each, bytes = 0;
	dprp_launch launch;
	uint32_t members;
	dprp_rc rc;

	rc = dprh_take(host, "dprp_launch", &launch, sizeof(launch), theirs);
	if (!rc)
		rc = dprh_native_check(host, kernel, &launch, most, &sizes);
	if (rc)
		return rc;
	if (dprh_launch_is_empty(&launch))
		return dprh_queue_submit(
			queue, deps, dprh_run_nothing, NULL, 0, event);
	/* Local memory is a member's own. */
	members = sizes.local ? pool->n : 1;
	each = dprh_native_size(&launch, &sizes);
	if (__builtin_mul_overflow(each, (size_t)members, &bytes) ||
		__builtin_add_overflow(bytes, head, &bytes))
		return dprh_no_memory(host, "the arguments of a launch");
	rc = dprh_command_create(queue, deps, dprh_pool_run, bytes, &command);
	if (rc)
		return rc;
	work = (struct dprh_native_launch *)command->data;
	rc = dprh_range_of(host, &launch, max_group,
		dprh_team_items(pool->n, &launch), &work->range);
	if (rc) {
		dprh_command_cancel(queue, command);
		return rc;
	}
	work->run = kernel->run;
	dprh_pool_pack(work, &launch, &sizes, address, members, each,
		(unsigned char *)work + head);
	return dprh_command_submit(queue, command, event);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
