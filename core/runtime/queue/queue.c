/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c - queues: making, finding, waiting, closing. */
#include "core/runtime/queue/queue.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/live.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/reap.h"

static _Atomic(const struct lane_owner *) lane_owner;

void queue_set_lane_owner(const struct lane_owner *owner)
{
	atomic_store(&lane_owner, owner);
}

static void tell_settle(dpr_queue *queue)
{
	if (atomic_load(&queue->lane))
		atomic_load(&lane_owner)->settle(queue);
}

static void tell_closed(dpr_queue *queue)
{
	if (atomic_load(&queue->lane))
		atomic_load(&lane_owner)->closed(queue);
}

#define KNOWN_FLAGS                                     \
	(DPR_QUEUE_OUT_OF_ORDER | DPR_QUEUE_PROFILING | \
	 DPR_QUEUE_PRIORITY_LOW | DPR_QUEUE_PRIORITY_HIGH)
#define PRIORITIES (DPR_QUEUE_PRIORITY_LOW | DPR_QUEUE_PRIORITY_HIGH)

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the field below and the links of the queues in it. */
static dpr_queue *all;

static atomic_uint queue_number = 1;

static void link_queue(dpr_queue *queue)
{
	pthread_mutex_lock(&all_lock);
	queue->next = all;
	if (all)
		all->previous = queue;
	all = queue;
	pthread_mutex_unlock(&all_lock);
}

static void unlink_queue(dpr_queue *queue)
{
	pthread_mutex_lock(&all_lock);
	if (queue->previous)
		queue->previous->next = queue->next;
	else if (all == queue)
		all = queue->next;
	if (queue->next)
		queue->next->previous = queue->previous;
	queue->next = queue->previous = NULL;
	pthread_mutex_unlock(&all_lock);
}

void queue_free(dpr_queue *queue)
{
	pthread_mutex_destroy(&queue->telling);
	pthread_mutex_destroy(&queue->submit);
	pthread_mutex_destroy(&queue->lock);
	mem_free(queue->tracked);
	mem_free(queue->pins);
	mem_free(queue->failure.text);
	failure_release(queue->failure.root);
	spoil_fini(&queue->spoil);
	mem_free(queue->name);
	mem_free(queue);
}

static char *make_name(const dpr_device *device, int canonical)
{
	char *text;
	int n;

	if (canonical)
		n = asprintf(&text, "%s (canonical)", device->selector);
	else
		n = asprintf(&text, "%s (queue %u)", device->selector,
			     atomic_fetch_add(&queue_number, 1));
	return n < 0 ? NULL : text;
}

/* A queue without a handle yet. */
static dpr_queue *queue_new(dpr_device *device, int canonical)
{
	dpr_queue *queue = mem_alloc(sizeof(*queue));

	if (!queue)
		return NULL;
	atomic_init(&queue->refs, 1);
	atomic_init(&queue->weak, 1);
	atomic_init(&queue->visitors, 0);
	atomic_init(&queue->shared, 0);
	queue->device = device;
	queue->plugin = device->plugin;
	queue->canonical = canonical;
	queue->reap_at = 64;
	atomic_init(&queue->cramped, 1);
	pthread_mutex_init(&queue->telling, NULL);
	pthread_mutex_init(&queue->submit, NULL);
	pthread_mutex_init(&queue->lock, NULL);
	queue->name = make_name(device, canonical);
	if (!queue->name) {
		queue_free(queue);
		return NULL;
	}
	return queue;
}

static dpr_status create(dpr_device *device, uint32_t flags, int canonical,
			 dpr_queue **out)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_context *context;
	dpr_queue *queue;
	dpr_status status;
	uint64_t got = 0;
	dprp_rc rc;

	status = device_context(device, &context);
	if (status)
		return status;
	queue = queue_new(device, canonical);
	if (!queue)
		return fail_memory("queue create");
	desc.flags = flags & (DPRP_QUEUE_OUT_OF_ORDER | DPRP_QUEUE_PROFILING);
	if (trace_on())
		desc.flags |= DPRP_QUEUE_PROFILING;
	desc.priority = flags & DPR_QUEUE_PRIORITY_HIGH  ? 1
			: flags & DPR_QUEUE_PRIORITY_LOW ? -1
							 : 0;
	rc = device->plugin->queue.create(context, device->handle, &desc, &got,
					  &queue->handle);
	rc = plugin_made(device->plugin, "queue->create", rc, queue->handle);
	if (rc) {
		status = plugin_status(device->plugin, rc, "queue create on %s",
				       device->selector);
		goto err;
	}
	if (flags & DPR_QUEUE_PROFILING & ~got) {
		device->plugin->queue.destroy(queue->handle);
		status = fail(
			DPR_ERROR_UNSUPPORTED,
			"queue create: %s has no queues with profiling (DPR_QUEUE_PROFILING)",
			device->selector);
		goto err;
	}
	queue->flags = flags;
	if (!(got & DPRP_QUEUE_OUT_OF_ORDER))
		queue->flags &= ~(uint32_t)DPR_QUEUE_OUT_OF_ORDER;
	queue->in_order = !(queue->flags & DPR_QUEUE_OUT_OF_ORDER);
	*out = queue;
	return DPR_OK;
err:
	queue_free(queue);
	return status;
}

dpr_queue *queue_to_wrap(dpr_device *device)
{
	return queue_new(device, 0);
}

void queue_wrapped(dpr_queue *queue, dprp_queue *handle)
{
	queue->handle = handle;
	queue->wrapped = 1;
	atomic_init(&queue->shared, 1);
	live_add(LIVE_QUEUE);
	link_queue(queue);
}

dpr_status dpr_queue_create(dpr_device *device, uint32_t flags, dpr_queue **out)
{
	TRACE_CALL;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "queue create: out is NULL");
	*out = NULL;
	status = runtime_check("queue create");
	if (status)
		return status;
	if (!device)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "queue create: the device is NULL");
	if (flags & ~(uint32_t)KNOWN_FLAGS)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"queue create: flags 0x%x are not in enum dpr_queue_flags",
			flags & ~(uint32_t)KNOWN_FLAGS);
	if ((flags & PRIORITIES) == PRIORITIES)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"queue create: both a low and a high priority are asked for");
	status = create(device, flags, 0, out);
	if (status)
		return status;
	live_add(LIVE_QUEUE);
	link_queue(*out);
	return DPR_OK;
}

dpr_status dpr_device_queue(dpr_device *device, dpr_queue **out)
{
	TRACE_CALL;
	dpr_queue *queue, *there = NULL;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device queue: out is NULL");
	*out = NULL;
	status = runtime_check("device queue");
	if (status)
		return status;
	if (!device)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "device queue: the device is NULL");
	queue = atomic_load_explicit(&device->canonical, memory_order_acquire);
	if (queue) {
		*out = queue;
		return DPR_OK;
	}
	status = create(device, DPR_QUEUE_IN_ORDER, 1, &queue);
	if (status)
		return status;
	if (atomic_compare_exchange_strong(&device->canonical, &there, queue)) {
		link_queue(queue);
		*out = queue;
		return DPR_OK;
	}
	/* Another thread was first; nobody has seen this one. */
	queue->plugin->queue.destroy(queue->handle);
	queue_free(queue);
	*out = there;
	return DPR_OK;
}

dpr_status dpr_canonical_queue(const char *selector, dpr_queue **out)
{
	TRACE_CALL;
	dpr_device *device;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "canonical queue: out is NULL");
	*out = NULL;
	status = dpr_device_select(selector, &device);
	if (status)
		return status;
	return dpr_device_queue(device, out);
}

dpr_queue *dpr_queue_retain(dpr_queue *queue)
{
	if (queue && !queue->canonical)
		atomic_fetch_add_explicit(&queue->refs, 1,
					  memory_order_relaxed);
	return queue;
}

int queue_try_retain(dpr_queue *queue)
{
	unsigned refs;

	if (queue->canonical)
		return 1;
	refs = atomic_load_explicit(&queue->refs, memory_order_relaxed);
	while (refs)
		if (atomic_compare_exchange_weak_explicit(
			    &queue->refs, &refs, refs + 1, memory_order_acquire,
			    memory_order_relaxed))
			return 1;
	return 0;
}

void queue_weak_retain(dpr_queue *queue)
{
	if (!queue->canonical)
		atomic_fetch_add_explicit(&queue->weak, 1,
					  memory_order_relaxed);
}

void queue_weak_release(dpr_queue *queue)
{
	if (!queue->canonical &&
	    atomic_fetch_sub_explicit(&queue->weak, 1, memory_order_acq_rel) ==
		    1)
		queue_free(queue);
}

int queue_visit(dpr_queue *queue)
{
	int n = atomic_load_explicit(&queue->visitors, memory_order_acquire);

	while (n >= 0)
		if (atomic_compare_exchange_weak_explicit(
			    &queue->visitors, &n, n + 1, memory_order_acquire,
			    memory_order_acquire))
			return 1;
	return 0;
}

void queue_leave(dpr_queue *queue)
{
	atomic_fetch_sub_explicit(&queue->visitors, 1, memory_order_release);
}

/* All work up to @last is done.  Whether the driver has told what of it has
   failed; it is asked for that.  A queue of other code may have more to do, and
   is not asked; a lost device tells nothing. */
static int is_told(dpr_queue *queue, uint64_t last)
{
	if (atomic_load(&queue->shared) ||
	    atomic_load(&queue->device->root->lost))
		return 1;
	if (spoil_is_sound(queue, last))
		return 1;
	(void)!queue_finish(queue, clock_now());
	return spoil_is_sound(queue, last);
}

/* Close it if all its work is done; with @deadline wait for that, and for all
   others who have to do with the queue. */
static int free_queue(struct reap_node *node, uint64_t deadline)
{
	dpr_queue *queue =
		(dpr_queue *)((char *)node - offsetof(dpr_queue, reaped));
	const struct timespec pause = { .tv_nsec = 100000 };
	const int wait = deadline > 0;
	uint64_t last;

	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	pthread_mutex_unlock(&queue->lock);
	/* Only so the driver tells what has failed without an event. */
	if (wait)
		(void)!queue_finish(queue, DPR_FOREVER);
	if (!queue_is_done(queue, last) &&
	    !queue_reach(queue, last, wait ? DPR_FOREVER : 0))
		return 0;
	if (!wait && !is_told(queue, last))
		return 0;
	while (!queue_shut(queue)) {
		if (!wait)
			return 0;
		/* Who visits is there for a moment. */
		nanosleep(&pause, NULL);
	}
	queue_poll(queue);
	queue_close(queue);
	return 1;
}

void dpr_queue_release(dpr_queue *queue)
{
	if (!queue || queue->canonical || !runtime_alive())
		return;
	if (atomic_fetch_sub_explicit(&queue->refs, 1, memory_order_acq_rel) >
	    1)
		return;
	live_drop(LIVE_QUEUE);
	queue->reaped.free = free_queue;
	reap_add(&queue->reaped);
	reap();
}

/* @queue itself will not be asked any more. */
static void hand_over_failure(dpr_queue *queue)
{
	if (queue->failure.root)
		live_failure(queue->failure.text, queue->failure.root);
}

void queue_close(dpr_queue *queue)
{
	/* What is noted from here on goes to where the rest goes. */
	pthread_mutex_lock(&queue->lock);
	queue->closed = 1;
	pthread_mutex_unlock(&queue->lock);
	hand_over_failure(queue);
	unlink_queue(queue);
	queue_forget(queue);
	tell_closed(queue);
	queue->plugin->queue.destroy(queue->handle);
	queue_weak_release(queue);
}

void queue_close_all(void)
{
	dpr_queue *queue;

	while ((queue = all)) {
		all = queue->next;
		hand_over_failure(queue);
		tell_closed(queue);
		queue->plugin->queue.destroy(queue->handle);
		if (queue->canonical)
			atomic_store(&queue->device->canonical, NULL);
		queue_free(queue);
	}
}

dpr_event *queue_compiling(void)
{
	dpr_event *found = NULL;
	dpr_queue *queue;
	size_t i;

	pthread_mutex_lock(&all_lock);
	for (queue = all; queue && !found; queue = queue->next) {
		pthread_mutex_lock(&queue->lock);
		for (i = 0; i < queue->n_tracked && !found; i++)
			if (queue->tracked[i]->compiles &&
			    !event_final(queue->tracked[i]))
				found = dpr_event_retain(queue->tracked[i]);
		pthread_mutex_unlock(&queue->lock);
	}
	pthread_mutex_unlock(&all_lock);
	return found;
}

void queue_each(void (*call)(dpr_queue *queue))
{
	dpr_queue *queue, *next;

	pthread_mutex_lock(&all_lock);
	queue = all;
	while (queue && !queue_try_retain(queue))
		queue = queue->next;
	pthread_mutex_unlock(&all_lock);
	while (queue) {
		call(queue);
		pthread_mutex_lock(&all_lock);
		next = queue->next;
		while (next && !queue_try_retain(next))
			next = next->next;
		pthread_mutex_unlock(&all_lock);
		dpr_queue_release(queue);
		queue = next;
	}
}

dpr_device *dpr_queue_device(const dpr_queue *queue)
{
	return queue ? queue->device : NULL;
}

uint32_t dpr_queue_get_flags(const dpr_queue *queue)
{
	return queue ? queue->flags : 0;
}

int dpr_queue_is_canonical(const dpr_queue *queue)
{
	return queue && queue->canonical;
}

const char *dpr_queue_name(const dpr_queue *queue)
{
	return queue ? queue->name : "no queue";
}

dpr_status queue_flush(dpr_queue *queue)
{
	dprp_rc rc;

	if (!atomic_load_explicit(&queue->unflushed, memory_order_relaxed))
		return DPR_OK;
	pthread_mutex_lock(&queue->submit);
	atomic_store_explicit(&queue->unflushed, 0, memory_order_relaxed);
	rc = queue->plugin->queue.flush(queue->handle);
	/* Whoever waits next tries again. */
	if (rc)
		atomic_store_explicit(&queue->unflushed, 1,
				      memory_order_relaxed);
	pthread_mutex_unlock(&queue->submit);
	if (rc)
		return device_told(queue->device,
				   plugin_status(queue->plugin, rc,
						 "queue flush of %s",
						 queue->name));
	return DPR_OK;
}

dpr_status queue_check(const char *what, const dpr_queue *queue)
{
	dpr_status status = runtime_check(what);

	if (status)
		return status;
	if (!queue)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: the queue is NULL",
			    what);
	return DPR_OK;
}

dpr_status dpr_queue_flush(dpr_queue *queue)
{
	TRACE_CALL;
	dpr_status status = queue_check("queue flush", queue);

	return status ? status : queue_flush(queue);
}

dpr_status dpr_queue_wait(dpr_queue *queue)
{
	TRACE_CALL;

	return dpr_queue_wait_for(queue, DPR_FOREVER);
}

dpr_status dpr_queue_wait_for(dpr_queue *queue, uint64_t timeout)
{
	TRACE_CALL;
	dpr_status status = queue_check("queue wait", queue);

	if (!status && timeout)
		status = progress_may_wait("queue wait");
	if (status)
		return status;
	status = queue_finish(queue, clock_deadline(timeout));
	if (status)
		return status;
	if (trace_on())
		atomic_store_explicit(&trace_due, 1, memory_order_relaxed);
	reap();
	tell_settle(queue);
	return queue_take_failure(queue);
}
