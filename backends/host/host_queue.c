/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_queue.c - queues: each is a list of commands, and a thread that does
 * them in order.  An out-of-order queue is granted as an in-order one, because
 * its order is legal too.
 */
#include "host.h"

#include <string.h>

/* --- The dispatcher --- */

static void command_free(dprp_instance *instance, struct host_command *command)
{
	uint32_t i;

	if (!command)
		return;
	for (i = 0; i < command->n_deps; i++)
		host_event_drop(command->deps[i]);
	host_event_drop(command->event);
	dprh_free(&instance->host, command);
}

static void command_dispatch(dprp_queue *queue, struct host_command *command)
{
	dprp_event *event = command->event;
	uint32_t i;

	for (i = 0; i < command->n_deps; i++)
		(void)host_event_await(command->deps[i], UINT64_MAX);
	if (event) {
		event->t_start = dprh_now();
		atomic_store(&event->state, DPRP_EVENT_RUNNING);
	}
	host_work_run(command, queue->team);
	if (event) {
		event->t_end = dprh_now();
		host_event_complete(event);
	}
	command_free(queue->instance, command);
}

static void *dispatcher(void *arg)
{
	dprp_queue *queue = arg;
	struct host_command *command;
	unsigned seen;

	pthread_mutex_lock(&queue->lock);
	for (;;) {
		command = queue->first;
		if (!command && queue->destroyed)
			break;
		if (!command) {
			/* The next command often follows soon: spin before
			   sleeping. */
			seen = atomic_load(&queue->news);
			pthread_mutex_unlock(&queue->lock);
			host_util_spin(&queue->news, seen, false);
			pthread_mutex_lock(&queue->lock);
			while (!queue->first && !queue->destroyed)
				pthread_cond_wait(&queue->more, &queue->lock);
			continue;
		}
		queue->first = command->next;
		if (!queue->first)
			queue->last = NULL;
		pthread_mutex_unlock(&queue->lock);
		command_dispatch(queue, command);
		pthread_mutex_lock(&queue->lock);
		queue->completed++;
		pthread_cond_broadcast(&queue->done);
	}
	pthread_mutex_unlock(&queue->lock);
	atomic_store(&queue->exited, true);
	return NULL;
}

/* --- Creation and the end --- */

static void queue_free(dprp_queue *queue)
{
	pthread_mutex_destroy(&queue->lock);
	pthread_cond_destroy(&queue->more);
	pthread_cond_destroy(&queue->done);
	dprh_free(&queue->instance->host, queue);
}

/* Join and free the destroyed queues: all of them, or those whose threads have
   ended. */
static void queues_join(dprp_instance *instance, bool all)
{
	dprp_queue **at, *queue, *ended = NULL;

	pthread_mutex_lock(&instance->lock);
	for (at = &instance->queues; (queue = *at);) {
		if (!all && !atomic_load(&queue->exited)) {
			at = &queue->next;
			continue;
		}
		*at = queue->next;
		queue->next = ended;
		ended = queue;
	}
	pthread_mutex_unlock(&instance->lock);
	while ((queue = ended)) {
		ended = queue->next;
		pthread_join(queue->thread, NULL);
		queue_free(queue);
	}
}

void host_queue_reap(dprp_instance *instance)
{
	queues_join(instance, true);
}

dprp_rc host_queue_create(dprp_context *context, dprp_device *device,
			  const dprp_queue_desc *theirs, uint64_t *got,
			  dprp_queue **out)
{
	dprp_instance *instance = context->instance;
	struct dprh_team *team;
	dprp_queue_desc desc;
	dprp_queue *queue;
	dprp_rc rc;
	int error;

	*out = NULL;
	rc = dprh_take_queue(&instance->host, theirs, &desc);
	if (!rc && desc.priority)
		rc = dprh_fail(&instance->host, DPR_RC_UNSUPPORTED, 0,
			       "host: queues have no priorities");
	if (rc)
		return rc;
	queues_join(instance, false);
	rc = host_device_team(device, &team);
	if (rc)
		return rc;
	queue = host_util_alloc(instance, sizeof(*queue));
	if (!queue)
		return DPR_RC_OOM_HOST;
	queue->instance = instance;
	queue->device = device;
	queue->team = team;
	queue->profiling = desc.flags & DPRP_QUEUE_PROFILING;
	dprh_floats_mode(&queue->floats);
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->more, NULL);
	pthread_cond_init(&queue->done, NULL);
	error = dprh_thread_start(&queue->thread, dispatcher, queue);
	if (error) {
		queue_free(queue);
		return dprh_fail(&instance->host, DPR_RC_OOM_HOST, 0,
				 "host: queue: cannot start its thread (%d)",
				 error);
	}
	dprh_cpus_bind(&instance->host, queue->thread, &device->cpus);
	pthread_mutex_lock(&instance->lock);
	queue->next = instance->queues;
	instance->queues = queue;
	pthread_mutex_unlock(&instance->lock);
	*got = desc.flags & DPRP_QUEUE_PROFILING;
	*out = queue;
	return DPR_RC_OK;
}

/* Destroy a queue.  Its thread does the work that is left, and then ends; it is
   joined later. */
void host_queue_destroy(dprp_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->destroyed = true;
	atomic_fetch_add(&queue->news, 1);
	pthread_cond_signal(&queue->more);
	pthread_mutex_unlock(&queue->lock);
}

/* --- Work of the thread that submits it --- */

/* The most bytes of a copy or fill that the submitting thread does itself, and
   the most bytes that the arguments of such a launch take.  Waking a thread for
   less would take longer. */
#define HERE_BYTES 65536u
#define HERE_ARGS 2048u

/*
 * Whether a submission with these dependencies can be done in this thread.  The
 * queue must be empty; it stays so, since only one thread at a time submits.
 * There must be no dependencies: the core leaves out those that are over.  The
 * device must be whole: this thread may run on any CPU, and a part has its own.
 */
static bool is_idle(const dprp_queue *queue, const dprp_deps *deps)
{
	return !deps && !queue->device->parent &&
	       atomic_load(&queue->completed) == queue->submitted;
}

static dprp_rc run_here(const dprp_queue *queue,
			const struct host_command *command, dprp_event **event)
{
	dprp_event *made = NULL;

	if (event) {
		*event = NULL;
		made = host_event_create(queue->instance, queue->profiling);
		if (!made)
			return DPR_RC_OOM_HOST;
		made->t_start = dprh_now();
	}
	host_here_run(queue, command);
	if (made) {
		made->t_end = dprh_now();
		atomic_store(&made->state, DPRP_EVENT_DONE);
		*event = made;
	}
	return DPR_RC_OK;
}

static dprp_rc launch_here(dprp_queue *queue, const dprp_kernel *kernel,
			   const dprp_launch *launch,
			   const struct host_sizes *sizes, dprp_event **event)
{
	unsigned char behind[HERE_ARGS];
	struct host_command command = { .kind = HOST_LAUNCH };
	dprp_rc rc = host_launch_init(queue, kernel, launch, sizes, behind,
				      &command.u.launch);

	return rc ? rc : run_here(queue, &command, event);
}

/* --- Submission --- */

/* Make a command with its dependencies, and with an event if @event is not
   NULL. *@behind points to @extra bytes behind the command; @behind may be
   NULL. */
static dprp_rc command_create(dprp_queue *queue, enum host_command_kind kind,
			      const dprp_deps *theirs, dprp_event **event,
			      size_t extra, void **behind,
			      struct host_command **out)
{
	struct host_command *command;
	dprp_deps deps;
	uint32_t i, n;
	size_t size;
	dprp_rc rc;

	if (event)
		*event = NULL;
	rc = dprh_take_deps(&queue->instance->host, theirs, &deps);
	if (rc)
		return rc;
	n = deps.count;
	if (__builtin_mul_overflow(n, sizeof(*command->deps), &size) ||
	    __builtin_add_overflow(size, extra + sizeof(*command), &size))
		return dprh_fail(&queue->instance->host, DPR_RC_OOM_HOST, 0,
				 "host: %u dependencies are too many", n);
	command = host_util_alloc(queue->instance, size);
	if (!command)
		return DPR_RC_OOM_HOST;
	command->kind = kind;
	command->deps = (dprp_event **)(command + 1);
	if (behind)
		*behind = command->deps + n;
	if (event) {
		command->event =
			host_event_create(queue->instance, queue->profiling);
		if (!command->event) {
			dprh_free(&queue->instance->host, command);
			return DPR_RC_OOM_HOST;
		}
	}
	for (i = 0; i < n; i++) {
		command->deps[i] = deps.events[i];
		atomic_fetch_add(&command->deps[i]->refs, 1);
	}
	command->n_deps = n;
	*out = command;
	return DPR_RC_OK;
}

static void command_enqueue(dprp_queue *queue, struct host_command *command,
			    dprp_event **event)
{
	if (event) {
		*event = command->event;
		atomic_fetch_add(&command->event->refs, 1);
		atomic_store(&command->event->state, DPRP_EVENT_SUBMITTED);
	}
	pthread_mutex_lock(&queue->lock);
	if (queue->last)
		queue->last->next = command;
	else
		queue->first = command;
	queue->last = command;
	queue->submitted++;
	atomic_fetch_add(&queue->news, 1);
	pthread_cond_signal(&queue->more);
	pthread_mutex_unlock(&queue->lock);
}

dprp_rc host_queue_flush(dprp_queue *queue)
{
	(void)queue;
	return DPR_RC_OK;
}

dprp_rc host_queue_finish(dprp_queue *queue)
{
	uint64_t upto;

	pthread_mutex_lock(&queue->lock);
	upto = queue->submitted;
	if (queue->completed < upto) {
		pthread_mutex_unlock(&queue->lock);
		host_util_spin_upto(&queue->completed, upto);
		pthread_mutex_lock(&queue->lock);
	}
	while (queue->completed < upto)
		pthread_cond_wait(&queue->done, &queue->lock);
	pthread_mutex_unlock(&queue->lock);
	return DPR_RC_OK;
}

/* Nothing to do: queues are in order, so when a command's turn comes, all
   earlier work is done. */
dprp_rc host_queue_barrier(dprp_queue *queue, const dprp_deps *deps,
			   dprp_event **event)
{
	struct host_command *command;
	dprp_rc rc;

	if (is_idle(queue, deps))
		return run_here(queue,
				&(struct host_command){ .kind = HOST_BARRIER },
				event);
	rc = command_create(queue, HOST_BARRIER, deps, event, 0, NULL,
			    &command);
	if (rc)
		return rc;
	command_enqueue(queue, command, event);
	return DPR_RC_OK;
}

static dprp_rc submit_copy(dprp_queue *queue, void *to, const void *from,
			   uint64_t size, const dprp_deps *deps,
			   dprp_event **event)
{
	const struct host_command copy = { .kind = HOST_COPY,
					   .u.copy = { to, from, size } };
	struct host_command *command;
	dprp_rc rc;

	if (size <= HERE_BYTES && is_idle(queue, deps))
		return run_here(queue, &copy, event);
	rc = command_create(queue, HOST_COPY, deps, event, 0, NULL, &command);
	if (rc)
		return rc;
	command->u.copy = copy.u.copy;
	command_enqueue(queue, command, event);
	return DPR_RC_OK;
}

static bool range_is_outside(const dprp_mem *mem, uint64_t offset,
			     uint64_t size)
{
	return offset > mem->size || size > mem->size - offset;
}

static dprp_rc fail_outside(dprp_queue *queue, const char *what)
{
	return dprh_fail(&queue->instance->host, DPR_RC_INVALID, 0,
			 "host: %s: the range ends beyond the memory", what);
}

dprp_rc host_queue_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			 const void *from, uint64_t size, const dprp_deps *deps,
			 dprp_event **event)
{
	if (range_is_outside(to, offset, size))
		return fail_outside(queue, "write");
	return submit_copy(queue, to->address + offset, from, size, deps,
			   event);
}

dprp_rc host_queue_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
			void *to, uint64_t size, const dprp_deps *deps,
			dprp_event **event)
{
	if (range_is_outside(from, offset, size))
		return fail_outside(queue, "read");
	return submit_copy(queue, to, from->address + offset, size, deps,
			   event);
}

dprp_rc host_queue_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			dprp_mem *from, uint64_t from_offset, uint64_t size,
			const dprp_deps *deps, dprp_event **event)
{
	const unsigned char *s = from->address + from_offset;
	unsigned char *d = to->address + to_offset;
	dprp_rc rc;

	if (range_is_outside(to, to_offset, size) ||
	    range_is_outside(from, from_offset, size))
		return fail_outside(queue, "copy");
	rc = dprh_check_copy(&queue->instance->host, (uintptr_t)d, (uintptr_t)s,
			     size);
	return rc ? rc : submit_copy(queue, d, s, size, deps, event);
}

dprp_rc host_queue_launch(dprp_queue *queue, dprp_kernel *kernel,
			  const dprp_launch *theirs, const dprp_deps *deps,
			  dprp_event **event)
{
	struct host_command *command;
	struct host_sizes sizes;
	dprp_launch launch;
	void *behind;
	size_t size;
	dprp_rc rc;

	rc = dprh_take(&queue->instance->host, "dprp_launch", &launch,
		       sizeof(launch), theirs);
	if (!rc)
		rc = host_launch_size(queue, kernel, &launch, &sizes, &size);
	if (rc)
		return rc;
	/* An empty launch only keeps its place in the order, as a barrier
	   does. */
	if (dprh_launch_is_empty(&launch))
		return host_queue_barrier(queue, deps, event);
	if (launch.flags & DPRP_LAUNCH_BRIEF && size <= HERE_ARGS &&
	    is_idle(queue, deps))
		return launch_here(queue, kernel, &launch, &sizes, event);
	rc = command_create(queue, HOST_LAUNCH, deps, event, size, &behind,
			    &command);
	if (rc)
		return rc;
	rc = host_launch_init(queue, kernel, &launch, &sizes, behind,
			      &command->u.launch);
	if (rc) {
		command_free(queue->instance, command);
		return rc;
	}
	command_enqueue(queue, command, event);
	return DPR_RC_OK;
}

static void init_fill(struct host_fill *fill, unsigned char *to, uint64_t size,
		      const void *pattern, size_t pattern_size)
{
	size_t at;

	fill->to = to;
	fill->size = size;
	fill->pattern_size = pattern_size;
	for (at = 0; at + pattern_size <= sizeof(fill->pattern);
	     at += pattern_size)
		memcpy(fill->pattern + at, pattern, pattern_size);
	fill->pattern_run = at;
}

static dprp_rc fill_here(const dprp_queue *queue, unsigned char *to,
			 uint64_t size, const void *pattern,
			 size_t pattern_size, dprp_event **event)
{
	struct host_command command = { .kind = HOST_FILL };
	struct host_fill fill;

	init_fill(&fill, to, size, pattern, pattern_size);
	command.u.fill = &fill;
	return run_here(queue, &command, event);
}

dprp_rc host_queue_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			uint64_t size, const void *pattern, size_t pattern_size,
			const dprp_deps *deps, dprp_event **event)
{
	struct host_command *command;
	void *behind;
	dprp_rc rc;

	if (range_is_outside(to, offset, size))
		return fail_outside(queue, "fill");
	if (!pattern_size || pattern_size > 128 || size % pattern_size)
		return dprh_fail(
			&queue->instance->host, DPR_RC_INVALID, 0,
			"host: fill: %llu bytes with a pattern of %zu: the "
			"pattern must have 1 to 128 bytes, and the size must "
			"be a multiple of the pattern's",
			(unsigned long long)size, pattern_size);
	if (size <= HERE_BYTES && is_idle(queue, deps))
		return fill_here(queue, to->address + offset, size, pattern,
				 pattern_size, event);
	rc = command_create(queue, HOST_FILL, deps, event,
			    sizeof(struct host_fill), &behind, &command);
	if (rc)
		return rc;
	command->u.fill = behind;
	init_fill(behind, to->address + offset, size, pattern, pattern_size);
	command_enqueue(queue, command, event);
	return DPR_RC_OK;
}

/* Memory does not move, so a prefetch only keeps its place in the order. */
dprp_rc host_queue_prefetch(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			    uint64_t size, const dprp_deps *deps,
			    dprp_event **event)
{
	if (range_is_outside(mem, offset, size))
		return fail_outside(queue, "prefetch");
	return host_queue_barrier(queue, deps, event);
}

dprp_rc host_queue_advise(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			  uint64_t size, uint32_t advice)
{
	(void)advice;
	if (range_is_outside(mem, offset, size))
		return fail_outside(queue, "advise");
	return DPR_RC_OK;
}
