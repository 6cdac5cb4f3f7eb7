/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_queue.c - queues: making them, waiting for their work, destroying them.
 *
 * A list may be destroyed only when its work is complete.  A queue that is
 * released earlier becomes a leaving queue: its driver keeps it in a list until
 * its last event has completed.
 */
#include "ze_objects.h"

/* Make a queue without lists. */
static dprp_rc new_queue(dprp_context *context, dprp_device *device,
			 dprp_queue **out)
{
	dprp_instance *instance = context->instance;
	dprp_queue *queue;

	ze_queue_sweep(context->driver, false);
	queue = dprh_alloc(instance->host, 1, sizeof(*queue));
	if (!queue)
		return dprh_no_memory(instance->host, "a queue");
	queue->instance = instance;
	queue->driver = context->driver;
	queue->context = context;
	queue->ze_context = context->ze;
	queue->device = device;
	atomic_init(&queue->shared, false);
	pthread_mutex_init(&queue->lock, NULL);
	*out = queue;
	return DPR_RC_OK;
}

/* Free a queue whose work is over. */
static void free_queue(dprp_queue *queue)
{
	ze_list_forget(queue);
	ze_event_release(queue->end);
	ze_list_drop_all(queue);
	pthread_mutex_destroy(&queue->lock);
	dprh_free(queue->instance->host, queue);
}

dprp_rc ze_queue_create(dprp_context *context, dprp_device *device,
			const dprp_queue_desc *theirs, uint64_t *got,
			dprp_queue **out)
{
	struct ze_list *list;
	dprp_queue_desc desc;
	dprp_queue *queue;
	dprp_rc rc = dprh_take_queue(context->instance->host, theirs, &desc);

	*out = NULL;
	if (!rc)
		rc = new_queue(context, device, &queue);
	if (rc)
		return rc;
	queue->in_order = !(desc.flags & DPRP_QUEUE_OUT_OF_ORDER);
	queue->flagged =
		queue->in_order && atomic_load(&context->driver->in_order);
	queue->profiling = desc.flags & DPRP_QUEUE_PROFILING;
	queue->priority = desc.priority;
	queue->one_list = !device->groups[ZE_ENGINE_COPY].n_queues;
	rc = ze_list_get(queue, ZE_ENGINE_COMPUTE, &list);
	if (rc) {
		free_queue(queue);
		return rc;
	}
	*got = desc.flags;
	*out = queue;
	return DPR_RC_OK;
}

/* The plugin cannot know whether the list is in order. */
dprp_rc ze_queue_over(dprp_context *context, dprp_device *device,
		      ze_command_list_handle_t list, bool own, dprp_queue **out)
{
	dprp_rc rc = new_queue(context, device, out);

	if (rc)
		return rc;
	(*out)->foreign = !own;
	(*out)->one_list = true;
	atomic_store(&(*out)->shared, true);
	(*out)->lists[ZE_ENGINE_COMPUTE].ze = list;
	(*out)->lists[ZE_ENGINE_COMPUTE].max_fill = 1;
	return DPR_RC_OK;
}

/* Nothing to do: the driver starts the work by itself. */
dprp_rc ze_queue_flush(dprp_queue *queue)
{
	(void)queue;
	return DPR_RC_OK;
}

/* Get an event that completes when all work of the queue has.  NULL: a finish
   has waited for all of it.  @n: the commands appended by then. */
static dprp_rc get_end(dprp_queue *queue, uint64_t *n, dprp_event **out)
{
	bool shared = atomic_load(&queue->shared);
	dprp_event *event = NULL;
	bool used;

	pthread_mutex_lock(&queue->lock);
	*n = queue->n_appended;
	used = *n > queue->n_finished || shared;
	if (used && !shared && queue->in_order && queue->newest)
		event = ze_event_retain(queue->newest);
	pthread_mutex_unlock(&queue->lock);
	*out = event;
	return used && !event ? ze_submit_mark(queue, out) : DPR_RC_OK;
}

dprp_rc ze_queue_finish(dprp_queue *queue)
{
	const char *call = "zeEventHostSynchronize";
	ze_result_t result;
	dprp_event *end;
	uint64_t n;
	dprp_rc rc = get_end(queue, &n, &end);

	if (rc || !end)
		return rc;
	result = ze_event_await(end, UINT64_MAX);
	ze_event_release(end);
	pthread_mutex_lock(&queue->lock);
	if (!result) {
		if (queue->n_finished < n)
			queue->n_finished = n;
		ze_list_look(queue, true);
	}
	if (!result && queue->unordered) {
		call = "zeCommandListAppendBarrier";
		result = queue->unordered;
		queue->unordered = ZE_RESULT_SUCCESS;
	}
	pthread_mutex_unlock(&queue->lock);
	return ze_error_check_device(queue->device, result, call);
}

static bool is_over(dprp_event *event)
{
	dprp_rc rc = ze_error_rc(ze_event_ask(event));

	return rc == DPR_RC_OK || rc == DPR_RC_DEVICE_LOST;
}

/* Whether a leaving queue can be freed.  If the list is the program's, the
   program may have destroyed it already, but the work in flight on it still has
   to complete. */
static bool is_free(dprp_queue *queue)
{
	if (!queue->foreign)
		return queue->end && is_over(queue->end);
	ze_list_look(queue, true);
	return !queue->first;
}

void ze_queue_destroy(dprp_queue *queue)
{
	struct ze_driver *driver = queue->driver;
	dprp_rc rc = DPR_RC_OK;
	bool idle = false;
	uint64_t n;

	if (!queue->foreign) {
		rc = get_end(queue, &n, &queue->end);
		idle = !rc && !queue->end;
	}
	if (idle || is_free(queue)) {
		free_queue(queue);
		return;
	}
	/* A queue without an event stays until the driver's context is
	   destroyed. */
	pthread_mutex_lock(&driver->leaving_lock);
	queue->next = driver->leaving;
	driver->leaving = queue;
	pthread_mutex_unlock(&driver->leaving_lock);
}

/* Take the queues that can be freed out of the driver's list; with @all, every
   queue.  Returns them, linked by next. */
static dprp_queue *take_free(struct ze_driver *driver, bool all)
{
	dprp_queue **place, *queue, *list = NULL;

	pthread_mutex_lock(&driver->leaving_lock);
	place = &driver->leaving;
	while ((queue = *place)) {
		if (!all && !is_free(queue)) {
			place = &queue->next;
			continue;
		}
		*place = queue->next;
		queue->next = list;
		list = queue;
	}
	pthread_mutex_unlock(&driver->leaving_lock);
	return list;
}

static void await_queue(dprp_queue *queue)
{
	dprp_event *event;

	if (queue->end)
		ze_event_await(queue->end, UINT64_MAX);
	for (event = queue->first; event; event = event->next)
		ze_event_await(event, UINT64_MAX);
}

void ze_queue_sweep(struct ze_driver *driver, bool all)
{
	dprp_queue *queue, *next;

	for (queue = take_free(driver, all); queue; queue = next) {
		next = queue->next;
		if (all)
			await_queue(queue);
		free_queue(queue);
	}
}
