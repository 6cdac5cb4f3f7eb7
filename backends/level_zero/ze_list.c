/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_list.c - the immediate lists of a queue, and its commands in flight.
 *
 * The driver does not tell the plugin when a command completes, so submissions
 * check from time to time.  On an in-order queue a complete command means that
 * all earlier ones are complete, too.
 */
#include "ze_objects.h"

/* A submission checks only if at least this many commands are in flight. */
#define LOOK 32u
/* On an in-order queue one of this many commands is checked. */
#define STRIDE 16u

/* --- Lists that are kept ---
 * Some versions of Intel's driver wait for all work of an engine when a list of
 * it is destroyed, and making one is slow.  So a list that a queue no longer
 * needs is kept for the next queue, until the driver's context is destroyed.
 */

/* The properties that a list must share with the wanted list. */
struct ze_list_key {
	ze_device_handle_t device;
	enum ze_engine engine;
	ze_command_queue_flags_t flags;
	ze_command_queue_mode_t mode;
	int32_t priority;
};

struct ze_kept_list {
	struct ze_kept_list *next;
	ze_command_list_handle_t ze;
	struct ze_list_key key;
};

static bool is_same(const struct ze_list_key *a, const struct ze_list_key *b)
{
	return a->device == b->device && a->engine == b->engine &&
	       a->flags == b->flags && a->mode == b->mode &&
	       a->priority == b->priority;
}

static struct ze_list_key key_of(const dprp_queue *queue, enum ze_engine engine,
				 ze_command_queue_mode_t mode)
{
	bool sync = mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;

	return (struct ze_list_key){ queue->device->ze, engine,
				     queue->flagged && !sync
					     ? ZE_NEWER_QUEUE_IN_ORDER
					     : 0,
				     mode, sync ? 0 : queue->priority };
}

/* Take a kept list.  Returns NULL if there is none with this key. */
static ze_command_list_handle_t take_kept(struct ze_driver *driver,
					  const struct ze_list_key *key)
{
	ze_command_list_handle_t ze = NULL;
	struct ze_kept_list **place, *kept;

	pthread_mutex_lock(&driver->pool_lock);
	place = &driver->kept;
	while (*place && !is_same(&(*place)->key, key))
		place = &(*place)->next;
	kept = *place;
	if (kept)
		*place = kept->next;
	pthread_mutex_unlock(&driver->pool_lock);
	if (kept)
		ze = kept->ze;
	dprh_free(driver->instance->host, kept);
	return ze;
}

/* Keep a list whose work is over.  Without memory, or on a lost device, it is
   destroyed. */
static void keep(const dprp_queue *queue, ze_command_list_handle_t ze,
		 const struct ze_list_key *key)
{
	struct ze_driver *driver = queue->driver;
	struct ze_kept_list *kept = NULL;

	if (!atomic_load(&queue->device->root->lost))
		kept = dprh_alloc(driver->instance->host, 1, sizeof(*kept));
	if (!kept) {
		driver->instance->ze.zeCommandListDestroy(ze);
		return;
	}
	kept->ze = ze;
	kept->key = *key;
	pthread_mutex_lock(&driver->pool_lock);
	kept->next = driver->kept;
	driver->kept = kept;
	pthread_mutex_unlock(&driver->pool_lock);
}

void ze_list_free_kept(struct ze_driver *driver)
{
	struct ze_kept_list *kept;

	while ((kept = driver->kept)) {
		driver->kept = kept->next;
		driver->instance->ze.zeCommandListDestroy(kept->ze);
		dprh_free(driver->instance->host, kept);
	}
}

/* --- Making lists --- */

static ze_result_t make_list(dprp_queue *queue, const struct ze_list_key *key,
			     ze_command_list_handle_t *out)
{
	static const ze_command_queue_priority_t priorities[] = {
		ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW,
		ZE_COMMAND_QUEUE_PRIORITY_NORMAL,
		ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH
	};
	dprp_device *device = queue->device;
	const struct ze_group *group = &device->groups[key->engine];
	const ze_command_queue_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
		.ordinal = group->ordinal,
		.index =
			atomic_fetch_add(&device->n_lists, 1) % group->n_queues,
		.flags = key->flags,
		.mode = key->mode,
		.priority = priorities[key->priority + 1],
	};

	return queue->instance->ze.zeCommandListCreateImmediate(
		queue->ze_context, device->ze, &desc, out);
}

/* Take a kept list, or make one. */
static ze_result_t take_list(dprp_queue *queue, const struct ze_list_key *key,
			     ze_command_list_handle_t *out)
{
	*out = take_kept(queue->driver, key);
	return *out ? ZE_RESULT_SUCCESS : make_list(queue, key, out);
}

/* Whether @result can mean that the driver, or a layer of the loader, does not
   know the in-order flag. */
static bool is_flag_refused(ze_result_t result)
{
	return result == ZE_RESULT_ERROR_INVALID_ENUMERATION ||
	       result == ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION ||
	       result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE ||
	       result == ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

static dprp_rc open_list(dprp_queue *queue, enum ze_engine engine)
{
	struct ze_list *list = &queue->lists[engine];
	struct ze_list_key key =
		key_of(queue, engine, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_result_t result = take_list(queue, &key, &list->ze);

	if (queue->flagged && engine == ZE_ENGINE_COMPUTE &&
	    is_flag_refused(result)) {
		queue->flagged = false;
		key.flags = 0;
		result = take_list(queue, &key, &list->ze);
		if (!result)
			atomic_store(&queue->driver->in_order, false);
	}
	if (result)
		list->ze = NULL;
	list->max_fill = queue->device->groups[engine].max_fill;
	return ze_error_check_device(queue->device, result,
				     "zeCommandListCreateImmediate");
}

dprp_rc ze_list_get(dprp_queue *queue, enum ze_engine engine,
		    struct ze_list **out)
{
	dprp_rc rc = DPR_RC_OK;

	/* The second list would not be ordered with what the program appends to
	   the first. */
	if (engine == ZE_ENGINE_COPY &&
	    (queue->one_list || atomic_load(&queue->shared)))
		engine = ZE_ENGINE_COMPUTE;
	if (!queue->lists[engine].ze)
		rc = open_list(queue, engine);
	if (rc && engine == ZE_ENGINE_COPY && rc != DPR_RC_DEVICE_LOST) {
		queue->one_list = true;
		engine = ZE_ENGINE_COMPUTE;
		rc = DPR_RC_OK;
	}
	*out = &queue->lists[engine];
	return rc;
}

void ze_list_drop_all(dprp_queue *queue)
{
	ze_command_list_handle_t ze;
	struct ze_list_key key;
	int i;

	for (i = 0; i < ZE_ENGINES; i++) {
		ze = queue->lists[i].ze;
		queue->lists[i].ze = NULL;
		if (!ze || queue->foreign)
			continue;
		key = key_of(queue, (enum ze_engine)i,
			     ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
		/* The program may still use a list that it has asked for. */
		if (atomic_load(&queue->shared))
			queue->instance->ze.zeCommandListDestroy(ze);
		else
			keep(queue, ze, &key);
	}
}

dprp_rc ze_list_take_waiting(dprp_queue *queue, ze_command_list_handle_t *out)
{
	const struct ze_list_key key = key_of(
		queue, ZE_ENGINE_COMPUTE, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);

	return ze_error_check_device(queue->device, take_list(queue, &key, out),
				     "zeCommandListCreateImmediate");
}

void ze_list_give_waiting(dprp_queue *queue, ze_command_list_handle_t ze)
{
	const struct ze_list_key key = key_of(
		queue, ZE_ENGINE_COMPUTE, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);

	keep(queue, ze, &key);
}

enum ze_event_kind ze_list_event_kind(const dprp_queue *queue, bool timed)
{
	if (timed)
		return ZE_EVENT_TIMED;
	return queue->flagged && atomic_load(&queue->driver->counters)
		       ? ZE_EVENT_COUNTER
		       : ZE_EVENT_PLAIN;
}

/* --- In flight --- */

void ze_list_keep(dprp_queue *queue, dprp_event *event)
{
	ze_event_retain(event);
	event->next = NULL;
	if (queue->last)
		queue->last->next = event;
	else
		queue->first = event;
	queue->last = event;
	queue->n_flying++;
}

/* Drop the first command in flight, which is complete. */
static void drop_first(dprp_queue *queue)
{
	dprp_event *event = queue->first;

	queue->first = event->next;
	if (!queue->first)
		queue->last = NULL;
	queue->n_flying--;
	ze_event_unpin(event);
	ze_event_release(event);
}

static bool is_over(dprp_event *event)
{
	dprp_rc rc = ze_error_rc(ze_event_ask(event));

	return rc == DPR_RC_OK || rc == DPR_RC_DEVICE_LOST;
}

/* Check every STRIDE-th command, and drop all up to the last complete one. */
static void look_in_order(dprp_queue *queue)
{
	dprp_event *event;
	unsigned result;
	uint32_t i, n;

	while ((event = queue->first)) {
		for (n = 1; n < STRIDE && event->next; n++)
			event = event->next;
		if (!is_over(event))
			return;
		result = atomic_load(&event->result);
		for (i = 0; i < n; i++) {
			/* This command is over, too.  Ask the driver only if
			   the device is lost: the command may have succeeded
			   before. */
			if (result == ZE_RESULT_SUCCESS ||
			    ze_event_ask(queue->first) == ZE_RESULT_NOT_READY)
				atomic_store_explicit(&queue->first->result,
						      result,
						      memory_order_release);
			drop_first(queue);
		}
	}
}

static void look_at_each(dprp_queue *queue)
{
	uint32_t n = queue->n_flying;
	dprp_event *event;

	for (; n; n--) {
		event = queue->first;
		if (is_over(event)) {
			drop_first(queue);
			continue;
		}
		if (event == queue->last)
			continue;
		queue->first = event->next;
		event->next = NULL;
		queue->last->next = event;
		queue->last = event;
	}
}

void ze_list_look(dprp_queue *queue, bool always)
{
	if (!always &&
	    (queue->n_flying < LOOK || queue->n_flying < 2 * queue->n_left))
		return;
	if (queue->in_order)
		look_in_order(queue);
	else
		look_at_each(queue);
	queue->n_left = queue->n_flying;
}

void ze_list_forget(dprp_queue *queue)
{
	while (queue->first)
		drop_first(queue);
	ze_event_release(queue->newest);
	ze_event_release(queue->barrier);
	queue->newest = queue->barrier = NULL;
}
