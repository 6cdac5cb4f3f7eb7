/* SPDX-License-Identifier: Apache-2.0 */
/* mock_queue.c - queues, and the functions that enqueue commands. */
#include "tests/plugins/mock/mock_impl.h"

#include <signal.h>
#include <string.h>

void mock_queue_flushed(dprp_queue *queue)
{
	if (queue->flushed == queue->enqueued)
		return;
	queue->flushed = queue->enqueued;
	pthread_cond_broadcast(&mock_changed);
}

void mock_queues_reap(dprp_instance *instance, bool all)
{
	dprp_queue *done = NULL, *queue, **at;
	unsigned i;

	pthread_mutex_lock(&mock_lock);
	for (at = &instance->queues; (queue = *at);) {
		if (!queue->exited && !(all && queue->destroyed)) {
			at = &queue->next;
			continue;
		}
		*at = queue->next;
		queue->next = done;
		done = queue;
	}
	pthread_mutex_unlock(&mock_lock);
	while ((queue = done)) {
		done = queue->next;
		for (i = 0; i < queue->n_threads; i++)
			pthread_join(queue->threads[i], NULL);
		mock_free(instance, queue);
	}
}

static dprp_rc mock_queue_create(dprp_context *context, dprp_device *device,
				 const dprp_queue_desc *desc, uint64_t *got,
				 dprp_queue **out)
{
	static uint64_t n_queues; /* under mock_lock */
	dprp_instance *instance = context->instance;
	sigset_t all, old;
	dprp_queue *queue;
	dprp_rc rc;
	int bad;

	*out = NULL;
	MOCK_ENTER(instance, MOCK_queue_create);
	MOCK_KNOWN(instance, desc);
	rc = mock_device_check(device, "queue");
	if (rc)
		return rc;
	if (desc->flags & ~(uint64_t)(DPRP_QUEUE_OUT_OF_ORDER |
				      DPRP_QUEUE_PROFILING) ||
	    desc->ext || desc->priority)
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME
				 ": queue: flags, priority or extension");
	mock_queues_reap(instance, false);
	queue = mock_alloc(instance, sizeof(*queue));
	if (!queue)
		return DPR_RC_OOM_HOST;
	queue->instance = instance;
	queue->device = device;
	queue->flags = desc->flags;
	if (!instance->options.out_of_order)
		queue->flags &= ~(uint64_t)DPRP_QUEUE_OUT_OF_ORDER;
	if (!instance->options.profiling)
		queue->flags &= ~(uint64_t)DPRP_QUEUE_PROFILING;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_mutex_lock(&mock_lock);
	bad = pthread_create(&queue->threads[0], NULL, mock_queue_run, queue);
	if (!bad) {
		queue->n_threads = 1;
		if (instance->options.overlap &&
		    queue->flags & DPRP_QUEUE_OUT_OF_ORDER &&
		    !pthread_create(&queue->threads[1], NULL, mock_queue_run,
				    queue))
			queue->n_threads = 2;
		queue->id = ++n_queues;
		queue->handles = 1;
		queue->next = instance->queues;
		instance->queues = queue;
	}
	pthread_mutex_unlock(&mock_lock);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (bad) {
		mock_free(instance, queue);
		return mock_fail(instance, DPR_RC_OOM_HOST,
				 MOCK_NAME ": queue: no thread: %d", bad);
	}
	mock_born(MOCK_QUEUE, 1);
	*got = queue->flags;
	*out = queue;
	return DPR_RC_OK;
}

static void mock_queue_destroy(dprp_queue *queue)
{
	mock_count(MOCK_queue_destroy);
	mock_born(MOCK_QUEUE, -1);
	pthread_mutex_lock(&mock_lock);
	mock_queue_flushed(queue);
	queue->destroyed = !--queue->handles;
	pthread_cond_broadcast(&mock_changed);
	pthread_mutex_unlock(&mock_lock);
}

dprp_rc mock_queue_wrap(dprp_instance *instance, dprp_device *device,
			uintptr_t in, uint64_t *flags, dprp_queue **out)
{
	uint64_t lie;
	dprp_queue *queue;

	pthread_mutex_lock(&mock_lock);
	for (queue = instance->queues; queue; queue = queue->next)
		if ((uintptr_t)queue == in && queue->device == device &&
		    !queue->destroyed)
			break;
	if (queue)
		queue->handles++;
	lie = mock_lie(MOCK_LIE_FLAGS);
	pthread_mutex_unlock(&mock_lock);
	if (!queue)
		return mock_fail(instance, DPR_RC_INVALID,
				 MOCK_NAME ": not a queue of the device");
	mock_born(MOCK_QUEUE, 1);
	*flags = lie ? lie : queue->flags;
	*out = queue;
	return DPR_RC_OK;
}

static dprp_rc mock_queue_flush(dprp_queue *queue)
{
	MOCK_ENTER(queue->instance, MOCK_queue_flush);
	pthread_mutex_lock(&mock_lock);
	mock_queue_flushed(queue);
	pthread_mutex_unlock(&mock_lock);
	return mock_device_check(queue->device, "flush");
}

static dprp_rc mock_queue_finish(dprp_queue *queue)
{
	char text[sizeof(queue->error_text)];
	const dprp_host *host = &queue->instance->host;
	uint64_t upto;
	int64_t native;
	dprp_rc rc;

	MOCK_ENTER(queue->instance, MOCK_queue_finish);
	pthread_mutex_lock(&mock_lock);
	mock_queue_flushed(queue);
	upto = queue->enqueued;
	while (queue->completed < upto)
		pthread_cond_wait(&mock_changed, &mock_lock);
	rc = queue->error;
	native = queue->error_native;
	memcpy(text, queue->error_text, sizeof(text));
	queue->error = DPR_RC_OK;
	pthread_mutex_unlock(&mock_lock);
	if (rc)
		host->set_error(host->self, rc, native, text);
	return rc;
}

/* Make a command with room for its dependencies and @extra bytes.  It is not
   enqueued. */
static struct mock_command *command_new(dprp_queue *queue, enum mock_kind kind,
					const char *what, const dprp_deps *deps,
					uint64_t extra)
{
	struct mock_command *command;
	uint32_t n = deps ? deps->count : 0;

	command = mock_alloc(queue->instance,
			     sizeof(*command) + n * sizeof(*command->deps) +
				     extra + 64 + 16);
	if (!command)
		return NULL;
	command->event = mock_event_new(queue->instance);
	if (!command->event) {
		mock_free(queue->instance, command);
		return NULL;
	}
	command->kind = kind;
	command->what = what;
	command->values = (unsigned char *)(command + 1);
	command->values += -(uintptr_t)command->values & 63;
	command->deps = (dprp_event **)(command->values +
					((extra + 15) & ~UINT64_C(15)));
	return command;
}

static void command_drop(dprp_queue *queue, struct mock_command *command)
{
	pthread_mutex_lock(&mock_lock);
	mock_mem_unused(queue->instance, command->host);
	pthread_mutex_unlock(&mock_lock);
	mock_free(queue->instance, command->event);
	mock_free(queue->instance, command);
}

/* Whether an event is of another queue, which DEPS=0 does not allow. */
static bool deps_foreign(dprp_queue *queue, const dprp_deps *deps)
{
	bool foreign = false;
	uint32_t i;

	if (queue->instance->options.deps || !deps)
		return false;
	pthread_mutex_lock(&mock_lock);
	for (i = 0; i < deps->count; i++)
		foreign |= deps->events[i]->queue != queue &&
			   !mock_event_over(deps->events[i]);
	pthread_mutex_unlock(&mock_lock);
	return foreign;
}

/* Enqueue @command.  Takes it over, even after a failure. */
/* @rc, or what a plugin or a core of an older version has in its place. */
static dprp_rc way(const dprp_queue *queue, dprp_rc rc)
{
	return MOCK_MINOR >= 2 && queue->instance->host.abi_minor >= 2
		       ? rc
		       : DPR_RC_NO_PATH;
}

static dprp_rc mock_enqueue(dprp_queue *queue, struct mock_command *command,
			    const dprp_deps *deps, dprp_event **out)
{
	dprp_event *event = command->event, *dep;
	dprp_rc rc = mock_device_check(queue->device, command->what);
	uint32_t i;

	if (!rc && deps)
		rc = mock_known(queue->instance, deps, sizeof(*deps));
	if (!rc && deps && deps->flags)
		rc = mock_fail(queue->instance, DPR_RC_UNSUPPORTED,
			       MOCK_NAME ": dependencies with flags");
	if (!rc && deps_foreign(queue, deps))
		rc = mock_fail(queue->instance, way(queue, DPR_RC_CANNOT_WAIT),
			       MOCK_NAME
			       ": %s: DEPS=0: an event of another queue",
			       command->what);
	if (rc) {
		command_drop(queue, command);
		return rc;
	}
	event->profiling = queue->flags & DPRP_QUEUE_PROFILING;
	if (out)
		mock_born(MOCK_EVENT, 1);
	pthread_mutex_lock(&mock_lock);
	for (i = 0; deps && i < deps->count; i++) {
		dep = deps->events[i];
		dep->refs++;
		command->deps[command->n_deps++] = dep;
		if (dep->queue && dep->queue != queue)
			mock_queue_flushed(dep->queue);
	}
	mock_command_orders(command);
	event->queue = queue;
	event->refs += out ? 1 : 0;
	event->state = DPRP_EVENT_SUBMITTED;
	command->number = ++queue->enqueued;
	if (!queue->instance->options.lazy)
		queue->flushed = queue->enqueued;
	if (queue->last)
		queue->last->next = command;
	else
		queue->first = command;
	queue->last = command;
	if (out)
		*out = event;
	pthread_cond_broadcast(&mock_changed);
	pthread_mutex_unlock(&mock_lock);
	return DPR_RC_OK;
}

static bool outside(const dprp_mem *mem, uint64_t offset, uint64_t size)
{
	return offset > mem->size || size > mem->size - offset;
}

/* Whether the queue's device may access this memory. */
static bool reachable(const dprp_queue *queue, const dprp_mem *mem)
{
	return mem->root == queue->device->root ||
	       queue->instance->options.peer & DPRP_PEER_COPY;
}

static dprp_rc mock_barrier(dprp_queue *queue, const dprp_deps *deps,
			    dprp_event **event)
{
	struct mock_command *command;

	MOCK_ENTER(queue->instance, MOCK_queue_barrier);
	command = command_new(queue, MOCK_BARRIER, "barrier", deps, 0);
	if (!command)
		return DPR_RC_OOM_HOST;
	return mock_enqueue(queue, command, deps, event);
}

/* Set the host memory that a write or read accesses. */
static dprp_rc mock_host(dprp_queue *queue, struct mock_command *command,
			 const void *host, uint64_t size)
{
	bool refused;

	pthread_mutex_lock(&mock_lock);
	command->host = mock_mem_find(queue->instance, host, size);
	if (command->host)
		command->host->users++;
	refused = !command->host && !queue->instance->options.pageable;
	if (refused)
		mock_refused();
	pthread_mutex_unlock(&mock_lock);
	return refused ? mock_fail(queue->instance,
				   way(queue, DPR_RC_HOST_MEMORY),
				   MOCK_NAME ": %s: PAGEABLE=0", command->what)
		       : DPR_RC_OK;
}

/* The common part of write, read and copy. */
static dprp_rc mock_move(dprp_queue *queue, enum mock_kind kind,
			 const char *what, void *to, const void *from,
			 uint64_t size, const dprp_deps *deps,
			 dprp_event **event)
{
	struct mock_command *command;
	dprp_rc rc;

	command = command_new(queue, kind, what, deps, 0);
	if (!command)
		return DPR_RC_OOM_HOST;
	command->to = to;
	command->from = from;
	command->size = size;
	if (kind != MOCK_COPY) {
		rc = mock_host(queue, command, kind == MOCK_READ ? to : from,
			       size);
		if (rc) {
			command_drop(queue, command);
			return rc;
		}
	}
	return mock_enqueue(queue, command, deps, event);
}

static dprp_rc mock_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			  const void *from, uint64_t size,
			  const dprp_deps *deps, dprp_event **event)
{
	MOCK_ENTER(queue->instance, MOCK_queue_write);
	if (outside(to, offset, size) || to->root != queue->device->root)
		return mock_fail(queue->instance, DPR_RC_INVALID,
				 MOCK_NAME
				 ": write: outside, or another device's");
	return mock_move(queue, MOCK_WRITE, "write", to->bytes + offset, from,
			 size, deps, event);
}

static dprp_rc mock_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
			 void *to, uint64_t size, const dprp_deps *deps,
			 dprp_event **event)
{
	MOCK_ENTER(queue->instance, MOCK_queue_read);
	if (outside(from, offset, size) || from->root != queue->device->root)
		return mock_fail(queue->instance, DPR_RC_INVALID,
				 MOCK_NAME
				 ": read: outside, or another device's");
	return mock_move(queue, MOCK_READ, "read", to, from->bytes + offset,
			 size, deps, event);
}

static dprp_rc mock_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			 dprp_mem *from, uint64_t from_offset, uint64_t size,
			 const dprp_deps *deps, dprp_event **event)
{
	MOCK_ENTER(queue->instance, MOCK_queue_copy);
	if (outside(to, to_offset, size) || outside(from, from_offset, size) ||
	    (to == from && to_offset < from_offset + size &&
	     from_offset < to_offset + size))
		return mock_fail(queue->instance, DPR_RC_INVALID,
				 MOCK_NAME
				 ": copy: outside, or the ranges overlap");
	if (!reachable(queue, to) || !reachable(queue, from))
		return mock_fail(queue->instance, DPR_RC_NO_PATH,
				 MOCK_NAME ": copy: the devices are no peers");
	return mock_move(queue, MOCK_COPY, "copy", to->bytes + to_offset,
			 from->bytes + from_offset, size, deps, event);
}

static dprp_rc mock_launch(dprp_queue *queue, dprp_kernel *kernel,
			   const dprp_launch *launch, const dprp_deps *deps,
			   dprp_event **event)
{
	struct mock_command *command;
	dprp_rc rc;

	MOCK_ENTER(queue->instance, MOCK_queue_launch);
	MOCK_KNOWN(queue->instance, launch);
	command = command_new(queue, MOCK_LAUNCH,
			      kernel->native ? kernel->native->name
					     : kernel->kernel->name,
			      deps, mock_launch_bytes(launch));
	if (!command)
		return DPR_RC_OOM_HOST;
	rc = mock_launch_fill(command, queue->device, kernel, launch);
	if (rc) {
		command_drop(queue, command);
		return rc;
	}
	return mock_enqueue(queue, command, deps, event);
}

#ifndef MOCK_BARE
static dprp_rc no_path(dprp_queue *queue, const char *what)
{
	return mock_fail(queue->instance, DPR_RC_NO_PATH,
			 MOCK_NAME ": %s: OPTIONAL=0", what);
}

static dprp_rc mock_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			 uint64_t size, const void *pattern,
			 size_t pattern_size, const dprp_deps *deps,
			 dprp_event **event)
{
	struct mock_command *command;

	MOCK_ENTER(queue->instance, MOCK_queue_fill);
	if (!queue->instance->options.optional)
		return no_path(queue, "fill");
	if (outside(to, offset, size) || !pattern_size || pattern_size > 128 ||
	    size % pattern_size)
		return mock_fail(queue->instance, DPR_RC_INVALID,
				 MOCK_NAME
				 ": fill: outside, or the pattern's size");
	command = command_new(queue, MOCK_FILL, "fill", deps, 0);
	if (!command)
		return DPR_RC_OOM_HOST;
	command->to = to->bytes + offset;
	command->size = size;
	command->pattern_size = pattern_size;
	memcpy(command->pattern, pattern, pattern_size);
	return mock_enqueue(queue, command, deps, event);
}

static dprp_rc mock_prefetch(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			     uint64_t size, const dprp_deps *deps,
			     dprp_event **event)
{
	struct mock_command *command;

	MOCK_ENTER(queue->instance, MOCK_queue_prefetch);
	if (!queue->instance->options.optional)
		return no_path(queue, "prefetch");
	if (outside(mem, offset, size))
		return mock_fail(queue->instance, DPR_RC_INVALID,
				 MOCK_NAME ": prefetch: outside");
	command = command_new(queue, MOCK_PREFETCH, "prefetch", deps, 0);
	if (!command)
		return DPR_RC_OOM_HOST;
	return mock_enqueue(queue, command, deps, event);
}

static dprp_rc mock_advise(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			   uint64_t size, uint32_t advice)
{
	MOCK_ENTER(queue->instance, MOCK_queue_advise);
	(void)advice;
	if (outside(mem, offset, size))
		return mock_fail(queue->instance, DPR_RC_INVALID,
				 MOCK_NAME ": advise: outside");
	return DPR_RC_OK;
}

#endif

const dprp_queue_ops mock_queue_ops = {
	.struct_size = sizeof(dprp_queue_ops),
	.create = mock_queue_create,
	.destroy = mock_queue_destroy,
	.flush = mock_queue_flush,
	.finish = mock_queue_finish,
	.barrier = mock_barrier,
	.write = mock_write,
	.read = mock_read,
	.copy = mock_copy,
	.launch = mock_launch,
#ifndef MOCK_BARE
	.fill = mock_fill,
	.prefetch = mock_prefetch,
	.advise = mock_advise,
#endif
};
