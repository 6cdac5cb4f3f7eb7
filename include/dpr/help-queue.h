/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help-queue.h - queues in order for drivers that have none: each has a thread.
 * The thread takes the queue's commands in turn, waits for their dependencies,
 * and calls the plugin's function for each command.  They are the plugin's
 * queues and events: a dprp_queue is a struct that begins with a struct
 * dprh_queue, a dprp_event is a struct dprh_event, and the functions whose
 * parameters are those of entries are put into the tables as they are: destroy,
 * flush, finish and barrier of queues, all of events, and clocks.
 *
 * One lock of the instance guards all that changes.  It is not held over a
 * command's function or host->event_done().
 *
 * Queues out of order, and a pool of threads for all queues, are in
 * <dpr/help-pool.h>: it uses the same functions.
 *
 * It is a part of <dpr/backend-help.h>.
 */
#ifndef DPR_HELP_QUEUE_H
#define DPR_HELP_QUEUE_H

#include <dpr/help-native.h>

#include <pthread.h>
#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dprh_queue;
struct dprh_command;

/* Why a command failed. */
struct dprh_why {
	int64_t native; /* the driver's code, 0: none */
	char text[200]; /* a sentence */
};

/*
 * Do a command: all of its work is over when the function returns.  `data` is
 * that of the command.  Returns DPR_RC_OK, or a code after it has filled `why`.
 */
typedef dprp_rc (*dprh_run)(
	struct dprh_queue *queue, void *data, struct dprh_why *why);

/* Who decides when commands run, where no queue has a thread of its own.  Both
   functions are called with the lock held. */
struct dprh_scheduler {
	/* The command is now the last one of its queue's list. */
	void (*submitted)(
		struct dprh_queue *queue, struct dprh_command *command);
	/* The command is over: its event is final. */
	void (*ended)(struct dprh_queue *queue, struct dprh_command *command);
};

/* All queues of an instance. */
struct dprh_queues {
	const dprp_host *host; /* the core */
	pthread_mutex_t lock; /* guards all queues and events */
	pthread_cond_t changed; /* a command is over */
	const struct dprh_scheduler *scheduler; /* NULL: each has a thread */
	struct dprh_queue *list; /* those that are not freed */
	bool lost; /* the device is lost */
	bool fail_next; /* the next command is to fail, for a test */
};

/* A dependency of a command. */
struct dprh_dep {
	struct dprh_event *event; /* what it waits for */
	struct dprh_command *command; /* what waits */
	struct dprh_dep *next; /* another one that waits for the event */
};

/* The event of a command. */
struct dprh_event {
	struct dprh_queues *all; /* the queues of its instance */
	uint32_t refs; /* the handle's, the command's, and one of each command
			  that depends on the event */
	struct dprh_dep *waiting; /* for the scheduler: what waits for it */
	uint32_t state; /* DPRP_EVENT_* */
	bool profiled; /* has times */
	bool notify; /* the core waits for event_done() */
	uint64_t token; /* of notify */
	uint64_t t_queued; /* the time of submission */
	uint64_t t_start; /* the time when the work began */
	uint64_t t_end; /* the time when the work was over */
	dprp_rc rc; /* FAILED: why */
	struct dprh_why why; /* FAILED: the text */
};

/* Work that is submitted to a queue. */
struct dprh_command {
	struct dprh_command *next; /* the next one in the queue */
	dprh_run run; /* NULL: a barrier */
	void *data; /* behind the struct, aligned to DPRH_ALIGN */
	struct dprh_event *event; /* NULL: the core wants none */
	struct dprh_dep *deps; /* behind the struct */
	uint32_t n_deps; /* the number of dependencies */
	bool fails; /* fails in place of its work, for a test */
	struct dprh_queue *queue; /* its queue */
	uint64_t number; /* of the queue's commands, from 1 */
	/* The next three are for the scheduler. */
	struct dprh_command *older; /* the one before, of those not over */
	struct dprh_command *newer; /* the one behind, of those not over */
	uint64_t left; /* what it still waits for */
};

/* A queue: in order, with a thread of its own, unless there is a scheduler. */
struct dprh_queue {
	struct dprh_queues *all; /* the queues of its instance */
	struct dprh_queue *next; /* the next one in the list of all */
	pthread_t thread; /* runs the commands */
	uint64_t flags; /* those that were granted */
	pthread_cond_t more; /* a command has come, or the end */
	struct dprh_command *first; /* the next one to run */
	struct dprh_command *last; /* the one that came last */
	uint64_t submitted; /* the number of commands so far */
	uint64_t completed; /* all commands up to this number are over */
	uint64_t live; /* commands that are not freed */
	bool destroyed; /* the handle is gone */
	bool exited; /* the thread has ended, and can be joined */
	dprp_rc failed; /* the first failure that finish has not reported */
	struct dprh_why why; /* of that failure */
};

/* For the end of a command's function: fill `why` and return rc. */
__attribute__((format(printf, 4, 5))) DPRH_STATIC dprp_rc dprh_because(
	struct dprh_why *why, dprp_rc rc, int64_t native, const char *format,
	...)
{
	va_list args;

	why->native = native;
	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return rc;
}

/* Prepare the queues of an instance, in open.  `host` must outlive them. */
static inline void dprh_queues_init(
	struct dprh_queues *all, const dprp_host *host)
{
	pthread_condattr_t attr;

	all->host = host;
	all->scheduler = NULL;
	all->list = NULL;
	all->lost = all->fail_next = false;
	pthread_mutex_init(&all->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&all->changed, &attr);
	pthread_condattr_destroy(&attr);
}

/* Release one reference, with the lock held. */
static inline void dprh_event_drop(struct dprh_event *event)
{
	if (event && --event->refs == 0)
		dprh_free(event->all->host, event);
}

/* Whether an event is over, with the lock held. */
static inline bool dprh_event_is_over(const struct dprh_event *event)
{
	return event->state >= DPRP_EVENT_DONE;
}

/* Free a command and its references, with the lock held. */
static inline void dprh_command_free(
	struct dprh_queue *queue, struct dprh_command *command)
{
	uint32_t i;

	for (i = 0; i < command->n_deps; i++)
		dprh_event_drop(command->deps[i].event);
	dprh_event_drop(command->event);
	dprh_free(queue->all->host, command);
}

/* Wait until the dependencies of a command are over, with the lock held.
   Returns OK, or DEP_FAILED if one has failed. */
static inline dprp_rc dprh_command_await(struct dprh_queue *queue,
	const struct dprh_command *command, struct dprh_why *why)
{
	const struct dprh_event *dep;
	dprp_rc rc = DPR_RC_OK;
	uint32_t i;

	for (i = 0; i < command->n_deps; i++) {
		dep = command->deps[i].event;
		while (!dprh_event_is_over(dep))
			pthread_cond_wait(
				&queue->all->changed, &queue->all->lock);
		if (dep->state == DPRP_EVENT_FAILED && !rc)
			rc = dprh_because(why, DPR_RC_DEP_FAILED, 0,
				"what it depends on has failed: %.120s",
				dep->why.text);
	}
	return rc;
}

/* A command of a lost device fails. */
static inline dprp_rc dprh_because_lost(struct dprh_why *why)
{
	return dprh_because(why, DPR_RC_DEVICE_LOST, 0, "the device is lost");
}

/* Do the work of a command, with the lock held, unless the device is lost.
   Work that was under way at the loss fails, too. */
static inline dprp_rc dprh_command_run(struct dprh_queue *queue,
	struct dprh_command *command, struct dprh_why *why)
{
	struct dprh_queues *all = queue->all;
	dprp_rc rc = DPR_RC_OK;

	if (command->fails)
		return dprh_because(why, DPR_RC_NATIVE, 1,
			"a failure that a test has asked for");
	if (command->run && !all->lost) {
		pthread_mutex_unlock(&all->lock);
		rc = command->run(queue, command->data, why);
		pthread_mutex_lock(&all->lock);
	}
	return rc || !all->lost ? rc : dprh_because_lost(why);
}

/* Note how a command ended, with the lock held.  Returns whether the core wants
   to be told. */
static inline bool dprh_command_end(struct dprh_queue *queue,
	struct dprh_command *command, dprp_rc rc, const struct dprh_why *why)
{
	const struct dprh_scheduler *scheduler = queue->all->scheduler;
	struct dprh_event *event = command->event;

	if (rc && !queue->failed) {
		queue->failed = rc;
		queue->why = *why;
	}
	if (event) {
		event->t_end = dprh_now();
		event->rc = rc;
		if (rc)
			event->why = *why;
		event->state = rc ? DPRP_EVENT_FAILED : DPRP_EVENT_DONE;
	}
	if (scheduler)
		scheduler->ended(queue, command);
	else
		queue->completed = command->number;
	pthread_cond_broadcast(&queue->all->changed);
	return event && event->notify;
}

/* Do a command.  The lock is held at the start and at the end. */
DPRH_STATIC void dprh_command_do(
	struct dprh_queue *queue, struct dprh_command *command)
{
	const dprp_host *host = queue->all->host;
	struct dprh_event *event = command->event;
	struct dprh_why why;
	dprp_rc rc;

	memset(&why, 0, sizeof(why));
	rc = dprh_command_await(queue, command, &why);
	if (rc && queue->all->lost)
		rc = dprh_because_lost(&why);
	if (event) {
		event->state = DPRP_EVENT_RUNNING;
		event->t_start = dprh_now();
	}
	if (!rc)
		rc = dprh_command_run(queue, command, &why);
	if (dprh_command_end(queue, command, rc, &why)) {
		pthread_mutex_unlock(&queue->all->lock);
		host->event_done(host->self, event->token, rc);
		pthread_mutex_lock(&queue->all->lock);
	}
	dprh_command_free(queue, command);
	queue->live--;
}

/* The thread of a queue: until the queue is destroyed and has no commands. */
DPRH_STATIC void *dprh_queue_thread(void *arg)
{
	struct dprh_queue *queue = (struct dprh_queue *)arg;
	struct dprh_command *command;

	pthread_mutex_lock(&queue->all->lock);
	for (;;) {
		command = queue->first;
		if (command) {
			queue->first = command->next;
			if (!queue->first)
				queue->last = NULL;
			dprh_command_do(queue, command);
		} else if (queue->destroyed) {
			break;
		} else {
			pthread_cond_wait(&queue->more, &queue->all->lock);
		}
	}
	queue->exited = true;
	pthread_mutex_unlock(&queue->all->lock);
	return NULL;
}

/* Whether a queue can be freed, with the lock held. */
static inline bool dprh_queue_is_gone(const struct dprh_queue *queue)
{
	return queue->all->scheduler ? queue->destroyed && !queue->live
				     : queue->exited;
}

/* Join and free destroyed queues: all of them, or those whose work and thread
   have ended.  With a scheduler, no work may be left if `wait` is true. */
DPRH_STATIC void dprh_queues_join(struct dprh_queues *all, bool wait)
{
	struct dprh_queue **at, *queue, *ended = NULL;

	pthread_mutex_lock(&all->lock);
	for (at = &all->list; (queue = *at);) {
		if (!dprh_queue_is_gone(queue) && !wait) {
			at = &queue->next;
			continue;
		}
		queue->destroyed = true;
		pthread_cond_signal(&queue->more);
		*at = queue->next;
		queue->next = ended;
		ended = queue;
	}
	pthread_mutex_unlock(&all->lock);
	while ((queue = ended)) {
		ended = queue->next;
		if (!all->scheduler)
			pthread_join(queue->thread, NULL);
		pthread_cond_destroy(&queue->more);
		dprh_free(all->host, queue);
	}
}

/* Wait for the work that is left, and free all queues; for close. */
static inline void dprh_queues_fini(struct dprh_queues *all)
{
	dprh_queues_join(all, true);
	pthread_cond_destroy(&all->changed);
	pthread_mutex_destroy(&all->lock);
}

/* Fail because the device is lost. */
static inline dprp_rc dprh_queues_fail_lost(const struct dprh_queues *all)
{
	return dprh_fail(
		all->host, DPR_RC_DEVICE_LOST, 0, "the device is lost");
}

/* Fail with DEVICE_LOST if dprh_queues_lose() was called: for entries that need
   the device.  Those that make a queue or submit to one do so themselves. */
static inline dprp_rc dprh_queues_check(struct dprh_queues *all)
{
	bool lost;

	pthread_mutex_lock(&all->lock);
	lost = all->lost;
	pthread_mutex_unlock(&all->lock);
	return lost ? dprh_queues_fail_lost(all) : DPR_RC_OK;
}

/*
 * Lose the device, which is the only root device of the instance: for a driver
 * that does not answer any more, and for dprp_test_fault.lose.  The core is told
 * first; `why` goes to the log.  Then no command starts, each one that is not
 * over fails with DEVICE_LOST, and so do finish, new queues and new commands.
 * It may be called any number of times, by any thread and by a command's
 * function.
 */
static inline void dprh_queues_lose(
	struct dprh_queues *all, dprp_device *device, const char *why)
{
	all->host->device_lost(all->host->self, device, why);
	pthread_mutex_lock(&all->lock);
	all->lost = true;
	pthread_mutex_unlock(&all->lock);
}

/* Let the next command of any queue fail in place of its work, for
   dprp_test_fault.fail_next. */
static inline void dprh_queues_fail_next(struct dprh_queues *all)
{
	pthread_mutex_lock(&all->lock);
	all->fail_next = true;
	pthread_mutex_unlock(&all->lock);
}

/* Start a queue's thread, with all signals blocked. */
static inline int dprh_queue_start(struct dprh_queue *queue)
{
	sigset_t full, old;
	int error;

	sigfillset(&full);
	pthread_sigmask(SIG_SETMASK, &full, &old);
	error = pthread_create(&queue->thread, NULL, dprh_queue_thread, queue);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

/*
 * Make a queue for queue->create.  size: bytes of the plugin's struct
 * dprp_queue, which begins with a struct dprh_queue and is zero otherwise.
 * Profiling is granted, and there are no priorities.  Order is kept, unless a
 * scheduler grants OUT_OF_ORDER.
 */
DPRH_STATIC dprp_rc dprh_queue_create(struct dprh_queues *all,
	const dprp_queue_desc *theirs, size_t size, uint64_t *got,
	dprp_queue **out)
{
	uint64_t granted = DPRP_QUEUE_PROFILING;
	struct dprh_queue *queue;
	dprp_queue_desc desc;
	dprp_rc rc;
	int error;

	rc = dprh_take(
		all->host, "dprp_queue_desc", &desc, sizeof(desc), theirs);
	if (!rc)
		rc = dprh_check_queue(all->host, &desc);
	if (!rc && desc.priority)
		rc = dprh_fail(all->host, DPR_RC_UNSUPPORTED, 0,
			"queues have no priorities");
	if (!rc)
		rc = dprh_queues_check(all);
	if (rc)
		return rc;
	if (all->scheduler)
		granted |= DPRP_QUEUE_OUT_OF_ORDER;
	dprh_queues_join(all, false);
	queue = (struct dprh_queue *)dprh_alloc(all->host, 1, size);
	if (!queue)
		return dprh_no_memory(all->host, "a queue");
	queue->all = all;
	queue->flags = desc.flags & granted;
	pthread_cond_init(&queue->more, NULL);
	error = all->scheduler ? 0 : dprh_queue_start(queue);
	if (error) {
		pthread_cond_destroy(&queue->more);
		dprh_free(all->host, queue);
		return dprh_fail(all->host, DPR_RC_OOM_HOST, error,
			"a queue's thread cannot be started");
	}
	pthread_mutex_lock(&all->lock);
	queue->next = all->list;
	all->list = queue;
	pthread_mutex_unlock(&all->lock);
	*got = queue->flags;
	*out = (dprp_queue *)queue;
	return DPR_RC_OK;
}

/* The entry queue->destroy.  The commands that are left are done; the queue is
   freed by a later create, or by dprh_queues_fini(). */
static inline void dprh_queue_destroy(dprp_queue *handle)
{
	struct dprh_queue *queue = (struct dprh_queue *)handle;
	struct dprh_queues *all = queue->all;

	pthread_mutex_lock(&all->lock);
	queue->destroyed = true;
	pthread_cond_signal(&queue->more);
	pthread_mutex_unlock(&all->lock);
}

/* Free a command that is not submitted. */
static inline void dprh_command_cancel(
	struct dprh_queue *queue, struct dprh_command *command)
{
	pthread_mutex_lock(&queue->all->lock);
	dprh_command_free(queue, command);
	pthread_mutex_unlock(&queue->all->lock);
}

/*
 * Make a command with `size` zeroed bytes of data.  The caller fills them and
 * calls dprh_command_submit() or dprh_command_cancel().  run NULL: a barrier.
 */
DPRH_STATIC dprp_rc dprh_command_create(struct dprh_queue *queue,
	const dprp_deps *theirs, dprh_run run, size_t size,
	struct dprh_command **out)
{
	const dprp_host *host = queue->all->host;
	struct dprh_command *command;
	uintptr_t data;
	dprp_deps deps;
	size_t bytes;
	bool lost;
	dprp_rc rc;
	uint32_t i;

	rc = dprh_take_deps(host, theirs, &deps);
	if (rc)
		return rc;
	command = NULL;
	if (!__builtin_mul_overflow(
		    (size_t)deps.count, sizeof(*command->deps), &bytes) &&
		!__builtin_add_overflow(
			bytes, sizeof(*command) + DPRH_ALIGN, &bytes) &&
		!__builtin_add_overflow(bytes, size, &bytes))
		command = (struct dprh_command *)dprh_alloc(host, 1, bytes);
	if (!command)
		return dprh_no_memory(host, "a command");
	command->run = run;
	command->queue = queue;
	command->deps = (struct dprh_dep *)(command + 1);
	data = (uintptr_t)(command->deps + deps.count);
	command->data = (void *)dprh_round_up(data, DPRH_ALIGN);
	command->n_deps = deps.count;
	pthread_mutex_lock(&queue->all->lock);
	for (i = 0; i < deps.count; i++) {
		command->deps[i].event = (struct dprh_event *)deps.events[i];
		command->deps[i].command = command;
		command->deps[i].event->refs++;
	}
	lost = queue->all->lost;
	pthread_mutex_unlock(&queue->all->lock);
	if (lost) {
		dprh_command_cancel(queue, command);
		return dprh_queues_fail_lost(queue->all);
	}
	*out = command;
	return DPR_RC_OK;
}

/* Submit a command, with an event unless `event` is NULL.  After a failure it
   is freed. */
DPRH_STATIC dprp_rc dprh_command_submit(struct dprh_queue *queue,
	struct dprh_command *command, dprp_event **event)
{
	struct dprh_event *e;

	if (event) {
		e = (struct dprh_event *)dprh_alloc(
			queue->all->host, 1, sizeof(*e));
		if (!e) {
			dprh_command_cancel(queue, command);
			return dprh_no_memory(queue->all->host, "an event");
		}
		e->all = queue->all;
		e->refs = 2; /* the handle's and the command's */
		e->state = DPRP_EVENT_SUBMITTED;
		e->profiled = queue->flags & DPRP_QUEUE_PROFILING;
		e->t_queued = dprh_now();
		command->event = e;
		*event = (dprp_event *)e;
	}
	pthread_mutex_lock(&queue->all->lock);
	command->fails = queue->all->fail_next;
	queue->all->fail_next = false;
	if (queue->last)
		queue->last->next = command;
	else
		queue->first = command;
	queue->last = command;
	command->number = ++queue->submitted;
	queue->live++;
	if (queue->all->scheduler)
		queue->all->scheduler->submitted(queue, command);
	else
		pthread_cond_signal(&queue->more);
	pthread_mutex_unlock(&queue->all->lock);
	return DPR_RC_OK;
}

/* Submit a command whose `size` bytes of data are copied. */
static inline dprp_rc dprh_queue_submit(struct dprh_queue *queue,
	const dprp_deps *deps, dprh_run run, const void *data, size_t size,
	dprp_event **event)
{
	struct dprh_command *command;
	dprp_rc rc = dprh_command_create(queue, deps, run, size, &command);

	if (rc)
		return rc;
	if (size)
		memcpy(command->data, data, size);
	return dprh_command_submit(queue, command, event);
}

/* The entry queue->barrier: later commands start after it in any case. */
static inline dprp_rc dprh_queue_barrier(
	dprp_queue *queue, const dprp_deps *deps, dprp_event **event)
{
	return dprh_queue_submit(
		(struct dprh_queue *)queue, deps, NULL, NULL, 0, event);
}

/* The function of a command that does nothing and is no barrier. */
static inline dprp_rc dprh_run_nothing(
	struct dprh_queue *queue, void *data, struct dprh_why *why)
{
	(void)queue, (void)data, (void)why;
	return DPR_RC_OK;
}

/* A launch of a native kernel. */
struct dprh_work {
	dprp_native_run run; /* computes a group */
	const void *const *args; /* the packed arguments */
	struct dprh_range range; /* of the launch */
};

/* The function of a command that launches a native kernel. */
static inline dprp_rc dprh_run_native(
	struct dprh_queue *queue, void *data, struct dprh_why *why)
{
	const struct dprh_work *work = (const struct dprh_work *)data;

	(void)queue, (void)why;
	dprh_native_run(work->run, work->args, &work->range);
	return DPR_RC_OK;
}

/*
 * Submit a launch of a native kernel: the queue's thread runs its groups one
 * after the other.  If the launch gives no local size, all groups have
 * max_group work-items, where there are so many.  `most` and address() are as
 * for dprh_native_check() and dprh_native_pack().
 */
DPRH_STATIC dprp_rc dprh_queue_launch(struct dprh_queue *queue,
	const dprp_native_kernel *kernel, const dprp_launch *theirs,
	const struct dprh_sizes *most, uint64_t max_group,
	void *(*address)(dprp_mem *mem), const dprp_deps *deps,
	dprp_event **event)
{
	const size_t head = dprh_round_up(sizeof(struct dprh_work), DPRH_ALIGN);
	const dprp_host *host = queue->all->host;
	struct dprh_command *command;
	struct dprh_sizes sizes;
	struct dprh_work *work;
	dprp_launch launch;
	dprp_rc rc;

	rc = dprh_take(host, "dprp_launch", &launch, sizeof(launch), theirs);
	if (!rc)
		rc = dprh_native_check(host, kernel, &launch, most, &sizes);
	if (rc)
		return rc;
	if (dprh_launch_is_empty(&launch))
		return dprh_queue_submit(
			queue, deps, dprh_run_nothing, NULL, 0, event);
	/* The arguments are copied: they go behind the struct. */
	rc = dprh_command_create(queue, deps, dprh_run_native,
		head + dprh_native_size(&launch, &sizes), &command);
	if (rc)
		return rc;
	work = (struct dprh_work *)command->data;
	rc = dprh_range_of(host, &launch, max_group, max_group, &work->range);
	if (rc) {
		dprh_command_cancel(queue, command);
		return rc;
	}
	work->run = kernel->run;
	work->args = dprh_native_pack(
		&launch, &sizes, address, (unsigned char *)work + head);
	return dprh_command_submit(queue, command, event);
}

/* The entry queue->flush: what is submitted runs. */
static inline dprp_rc dprh_queue_flush(dprp_queue *queue)
{
	(void)queue;
	return DPR_RC_OK;
}

/* The entry queue->finish.  It reports each failure once, to the first that
   asks, and the loss of the device always. */
static inline dprp_rc dprh_queue_finish(dprp_queue *handle)
{
	struct dprh_queue *queue = (struct dprh_queue *)handle;
	struct dprh_queues *all = queue->all;
	struct dprh_why why;
	uint64_t upto;
	dprp_rc rc;

	pthread_mutex_lock(&all->lock);
	upto = queue->submitted;
	while (queue->completed < upto)
		pthread_cond_wait(&all->changed, &all->lock);
	rc = queue->failed;
	why = queue->why;
	queue->failed = DPR_RC_OK;
	if (!rc && all->lost)
		rc = dprh_because_lost(&why);
	pthread_mutex_unlock(&all->lock);
	if (rc)
		all->host->set_error(all->host->self, rc, why.native, why.text);
	return rc;
}

/* The entry event->status. */
static inline dprp_rc dprh_event_status(
	dprp_event *handle, dprp_event_state *state, dprp_sink text)
{
	struct dprh_event *event = (struct dprh_event *)handle;
	dprp_event_state full;
	struct dprh_why why;

	memset(&full, 0, sizeof(full));
	pthread_mutex_lock(&event->all->lock);
	full.struct_size = sizeof(full);
	full.state = event->state;
	full.rc = event->rc;
	full.native = event->why.native;
	if (event->profiled && dprh_event_is_over(event)) {
		full.t_queued = full.t_submit = event->t_queued;
		full.t_start = event->t_start;
		full.t_end = event->t_end;
	}
	why = event->why;
	pthread_mutex_unlock(&event->all->lock);
	dprh_give(state, &full, sizeof(full));
	if (full.rc && text.write)
		text.write(text.user, why.text, strlen(why.text));
	return DPR_RC_OK;
}

/* The entry event->wait. */
DPRH_STATIC dprp_rc dprh_event_wait(
	dprp_event *const *events, uint32_t n, uint64_t timeout_ns)
{
	uint64_t deadline = dprh_now() + timeout_ns;
	bool late = false;
	struct timespec ts;
	uint32_t i;

	if (deadline < timeout_ns)
		deadline = UINT64_MAX;
	ts.tv_sec = (time_t)(deadline / 1000000000u);
	ts.tv_nsec = (long)(deadline % 1000000000u);
	for (i = 0; i < n && !late; i++) {
		struct dprh_event *event = (struct dprh_event *)events[i];
		struct dprh_queues *all = event->all;

		pthread_mutex_lock(&all->lock);
		while (!dprh_event_is_over(event) && !late)
			if (deadline == UINT64_MAX)
				pthread_cond_wait(&all->changed, &all->lock);
			else
				late = pthread_cond_timedwait(&all->changed,
					       &all->lock, &ts) != 0;
		late = !dprh_event_is_over(event);
		pthread_mutex_unlock(&all->lock);
		if (late)
			return dprh_fail(all->host, DPR_RC_TIMEOUT, 0,
				"event wait: the time limit has passed");
	}
	return DPR_RC_OK;
}

/* The entry event->destroy. */
static inline void dprh_event_destroy(dprp_event *handle)
{
	struct dprh_event *event = (struct dprh_event *)handle;
	struct dprh_queues *all = event->all;

	pthread_mutex_lock(&all->lock);
	event->notify = false;
	dprh_event_drop(event);
	pthread_mutex_unlock(&all->lock);
}

/* The entry event->notify.  An event takes one token; the core asks once. */
static inline dprp_rc dprh_event_notify(dprp_event *handle, uint64_t token)
{
	struct dprh_event *event = (struct dprh_event *)handle;
	const dprp_host *host = event->all->host;
	bool over, taken;
	dprp_rc rc;

	pthread_mutex_lock(&event->all->lock);
	over = dprh_event_is_over(event);
	taken = event->notify;
	rc = event->rc;
	if (!over && !taken) {
		event->notify = true;
		event->token = token;
	}
	pthread_mutex_unlock(&event->all->lock);
	if (over)
		host->event_done(host->self, token, rc);
	else if (taken)
		return dprh_fail(host, DPR_RC_INVALID, 0,
			"event notify: the event has a token already");
	return DPR_RC_OK;
}

/* The entry device->clocks: the times of events are those of the host. */
static inline dprp_rc dprh_clocks(
	dprp_device *device, uint64_t *device_ns, uint64_t *host_ns)
{
	(void)device;
	*device_ns = *host_ns = dprh_now();
	return DPR_RC_OK;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
