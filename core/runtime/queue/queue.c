/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c - queues: references, and how far their work has come. */
#include "core/runtime/queue/queue.h"

#include <stdio.h>
#include <string.h>

#include "core/base/handles/handles.h"
#include "core/base/live.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/queue/reap.h"

static _Atomic(const struct lane_owner *) lane_owner;

static atomic_uint queue_number = 1;

void queue_set_lane_owner(const struct lane_owner *owner)
{
	atomic_store(&lane_owner, owner);
}

void queue_settle_lane(dpr_queue *queue)
{
	if (atomic_load(&queue->lane))
		atomic_load(&lane_owner)->settle(queue);
}

void queue_close_lane(dpr_queue *queue)
{
	if (atomic_load(&queue->lane))
		atomic_load(&lane_owner)->closed(queue);
}

void queue_free(dpr_queue *queue)
{
	pthread_mutex_destroy(&queue->telling);
	pthread_mutex_destroy(&queue->submit);
	pthread_mutex_destroy(&queue->lock);
	small_list_fini(&queue->tracked);
	small_list_fini(&queue->pins);
	mem_free(queue->failure.text);
	failure_release(queue->failure.root);
	spoil_fini(&queue->spoil);
	mem_free(queue->name);
	handles_free(queue, mem_free);
}

static char *make_name(const dpr_device *device, bool canonical)
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

dpr_queue *queue_new(dpr_device *device, bool canonical)
{
	dpr_queue *queue = mem_alloc(sizeof(*queue));

	if (!queue)
		return NULL;
	refs_init(&queue->refs);
	refs_init(&queue->weak);
	atomic_init(&queue->visitors, 0);
	atomic_init(&queue->shared, false);
	queue->device = device;
	queue->plugin = device->plugin;
	queue->canonical = canonical;
	queue->reap_at = 64;
	atomic_init(&queue->cramped, true);
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

dpr_queue *dpr_queue_retain(dpr_queue *queue)
{
	HANDLES_RETAIN(queue);
	if (queue && !queue->canonical)
		refs_take(&queue->refs);
	return queue;
}

void dpr_queue_release(dpr_queue *queue)
{
	HANDLES_RELEASE(dpr_queue_release, queue);
	if (!queue || queue->canonical || !process_alive())
		return;
	if (!refs_drop(&queue->refs))
		return;
	live_drop(LIVE_QUEUE);
	reap_add(&queue->reaped);
	reap_soon();
}

bool queue_try_retain(dpr_queue *queue)
{
	return queue->canonical || refs_try_take(&queue->refs);
}

void queue_weak_retain(dpr_queue *queue)
{
	if (!queue->canonical)
		refs_take(&queue->weak);
}

void queue_weak_release(dpr_queue *queue)
{
	if (!queue->canonical && refs_drop(&queue->weak))
		queue_free(queue);
}

bool queue_visit(dpr_queue *queue)
{
	int n = atomic_load_explicit(&queue->visitors, memory_order_acquire);

	while (n >= 0)
		if (atomic_compare_exchange_weak_explicit(
			    &queue->visitors, &n, n + 1, memory_order_acquire,
			    memory_order_acquire))
			return true;
	return false;
}

void queue_leave(dpr_queue *queue)
{
	atomic_fetch_sub_explicit(&queue->visitors, 1, memory_order_release);
}

void queue_raise_done_locked(dpr_queue *queue, uint64_t ticket)
{
	if (ticket > atomic_load_explicit(&queue->done, memory_order_relaxed))
		atomic_store_explicit(&queue->done, ticket,
				      memory_order_release);
}

bool queue_shut(dpr_queue *queue)
{
	int none = 0;

	pthread_mutex_lock(&queue->lock);
	queue_raise_done_locked(queue, queue->last);
	pthread_mutex_unlock(&queue->lock);
	return atomic_compare_exchange_strong_explicit(&queue->visitors, &none,
						       -1, memory_order_acq_rel,
						       memory_order_relaxed);
}

dpr_device *dpr_queue_device(const dpr_queue *queue)
{
	HANDLES_GET(queue);
	return queue ? queue->device : NULL;
}

uint32_t dpr_queue_get_flags(const dpr_queue *queue)
{
	HANDLES_GET(queue);
	return queue ? queue->flags : 0;
}

int dpr_queue_is_canonical(const dpr_queue *queue)
{
	HANDLES_GET(queue);
	return queue && queue->canonical;
}

const char *dpr_queue_name(const dpr_queue *queue)
{
	HANDLES_GET(queue);
	return queue ? queue->name : "no queue";
}

dpr_status queue_check(const char *what, const dpr_queue *queue)
{
	dpr_status status = process_check(what);

	if (status)
		return status;
	if (!queue)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: the queue is NULL",
			    what);
	return DPR_OK;
}

dpr_status queue_flush(dpr_queue *queue)
{
	dprp_rc rc;

	if (!atomic_load_explicit(&queue->unflushed, memory_order_relaxed))
		return DPR_OK;
	pthread_mutex_lock(&queue->submit);
	atomic_store_explicit(&queue->unflushed, false, memory_order_relaxed);
	rc = plugin_checked(queue->plugin, "queue->flush",
			    queue->plugin->queue.flush(queue->handle));
	/* Let the next wait try again. */
	if (rc)
		atomic_store_explicit(&queue->unflushed, true,
				      memory_order_relaxed);
	pthread_mutex_unlock(&queue->submit);
	if (rc)
		return device_told(queue->device,
				   plugin_status(queue->plugin, rc,
						 "queue flush of %s",
						 queue->name));
	return DPR_OK;
}

dpr_status dpr_queue_flush(dpr_queue *queue)
{
	TRACE_CALL;
	HANDLES(queue);
	dpr_status status = queue_check("queue flush", queue);

	return status ? status : queue_flush(queue);
}
