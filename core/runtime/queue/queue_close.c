/* SPDX-License-Identifier: Apache-2.0 */
/* queue_close.c - closing queues whose work is done. */
#include "core/runtime/queue/queue_close.h"

#include <time.h>

#include "core/base/clock.h"
#include "core/runtime/queue/finish.h"
#include "core/runtime/queue/queue_failure.h"
#include "core/runtime/queue/queue_list.h"
#include "core/runtime/queue/tickets.h"

/*
 * Whether the driver has reported all failures up to @last; asks the driver if
 * need be.  All work up to @last is done.  Returns true for a shared queue: it
 * is not asked, since it may have other work.  Returns true for a lost device,
 * too, which reports nothing.
 */
static bool failures_are_told(dpr_queue *queue, uint64_t last)
{
	if (atomic_load(&queue->shared) ||
	    atomic_load(&queue->device->root->lost))
		return true;
	if (queue_is_sound(queue, last))
		return true;
	(void)!finish_queue(queue, clock_now());
	return queue_is_sound(queue, last);
}

/* Close the driver's queue.  All its work must be done. */
static void close_queue(dpr_queue *queue)
{
	/* Failures that are noted later go to dpr_finalize(), too. */
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_mutex_unlock(&queue->lock);
	queue_failure_hand_over(queue);
	queue_list_remove(queue);
	tickets_forget(queue);
	queue_close_lane(queue);
	queue->plugin->queue.destroy(queue->handle);
	queue_weak_release(queue);
}

bool queue_close_reaped(struct reap_node *node, uint64_t deadline)
{
	dpr_queue *queue =
		(dpr_queue *)((char *)node - offsetof(dpr_queue, reaped));
	const struct timespec pause = { .tv_nsec = 100000 };
	const bool wait = deadline > 0;
	uint64_t last;

	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	pthread_mutex_unlock(&queue->lock);
	/* Only this wait reports failures of submissions without an event. */
	if (wait && !finish_may_be_gone(queue))
		(void)!finish_queue(queue, DPR_FOREVER);
	if (!queue_is_done(queue, last) &&
	    !finish_reach(queue, last, wait ? DPR_FOREVER : 0))
		return false;
	if (!wait && !failures_are_told(queue, last))
		return false;
	while (!queue_shut(queue)) {
		if (!wait)
			return false;
		/* Visitors stay for a moment only. */
		nanosleep(&pause, NULL);
	}
	tickets_poll(queue);
	close_queue(queue);
	return true;
}

void queue_close_all(void)
{
	dpr_queue *queue;

	while ((queue = queue_list_first())) {
		queue_list_remove(queue);
		queue_failure_hand_over(queue);
		queue_close_lane(queue);
		queue->plugin->queue.destroy(queue->handle);
		if (queue->canonical)
			atomic_store(&queue->device->canonical, NULL);
		queue_free(queue);
	}
}
