/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c - waiting for the work of a queue. */
#include "core/runtime/queue/finish.h"

#include <time.h>

#include "core/base/clock.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/queue/cover.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/event_wait.h"
#include "core/runtime/queue/held_list.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/queue_failure.h"
#include "core/runtime/queue/reap.h"
#include "core/runtime/queue/suspects.h"
#include "core/runtime/queue/tickets.h"

/* Wait until all held submissions up to @last have left the core and are
   done. */
static dpr_status wait_held(dpr_queue *queue, uint64_t last, uint64_t deadline)
{
	struct event_list list = { 0 };
	dpr_status status = DPR_OK;
	bool any = true, room;
	uint64_t first;

	while (any && !status) {
		pthread_mutex_lock(&queue->lock);
		first = held_list_first(queue);
		any = first && first <= last;
		room = !any ||
		       held_list_events_locked(queue, first, false, &list);
		pthread_mutex_unlock(&queue->lock);
		if (!room)
			status = fail_memory("queue wait");
		else if (any)
			status = event_wait_final(list.list[0], deadline);
		event_list_fini(&list);
	}
	return status;
}

/* Wait with a marker, because the driver's wait for a queue has no timeout.
   Sets *@idle to whether all work up to @last is known to be over. */
static dpr_status wait_marker(dpr_queue *queue, uint64_t last,
			      uint64_t deadline, bool *idle)
{
	struct event_list list = { 0 };
	dpr_status status = DPR_OK;
	int tries;
	size_t i;

	/* A failed marker proves nothing.  It may have failed because of an
	   earlier submission; then the next marker does not fail. */
	for (tries = 0, *idle = false; tries < 3 && !*idle && !status;
	     tries++) {
		status = cover_ticket(queue, last, COVER_ALL, &list);
		for (i = 0; i < list.count && !status; i++)
			status = event_wait_final(list.list[i], deadline);
		*idle = true;
		for (i = 0; i < list.count; i++)
			*idle &=
				event_state(list.list[i]) == DPR_EVENT_COMPLETE;
		event_list_fini(&list);
	}
	return status;
}

static dprp_rc ask_finish(const dpr_queue *queue)
{
	return plugin_checked(queue->plugin, "queue->finish",
			      queue->plugin->queue.finish(queue->handle));
}

/*
 * Wait for the driver.  Returns whether it is certain that nothing runs any
 * more.  A failure may come from a command or from the wait itself, so a second
 * wait must succeed to prove the end.  @rc gets both answers, since work
 * submitted in between may fail, too.
 */
static bool finish_surely(dpr_queue *queue, dprp_rc rc[2])
{
	struct progress_wait *wait =
		progress_wait_begin("all work", queue->name);

	rc[0] = ask_finish(queue);
	rc[1] = DPR_RC_OK;
	if (rc[0] && rc[0] != DPR_RC_DEVICE_LOST)
		rc[1] = ask_finish(queue);
	progress_wait_end(wait);
	return !rc[1];
}

/*
 * Have the driver report the failures of an idle queue.  The caller has polled
 * all events, and everything up to @last is complete.  Takes `submit`, so that
 * no new work can make the driver wait.  Returns false without asking if the
 * driver might wait: for later work, for work that the program submits to the
 * handle itself, or for the marker of an earlier wait, which has no ticket.
 */
static bool finish_idle(dpr_queue *queue, uint64_t last, dprp_rc *rc)
{
	bool idle;

	pthread_mutex_lock(&queue->submit);
	pthread_mutex_lock(&queue->lock);
	idle = queue->last == last && !queue->tracked.count &&
	       !atomic_load(&queue->shared);
	pthread_mutex_unlock(&queue->lock);
	/* One call is enough: nothing runs, whatever it returns. */
	if (idle)
		*rc = ask_finish(queue);
	pthread_mutex_unlock(&queue->submit);
	return idle;
}

/* Record that all submissions up to @last are over. */
static void set_done(dpr_queue *queue, uint64_t last)
{
	pthread_mutex_lock(&queue->lock);
	queue_raise_done_locked(queue, last);
	pthread_mutex_unlock(&queue->lock);
	/* Poll the events: out of order each covers only itself, and a failed
	   event tells more than the queue does. */
	tickets_poll(queue);
}

/* Lock `telling`, before asking the driver.  Returns false if it is still taken
   at @deadline. */
static bool lock_telling(dpr_queue *queue, uint64_t deadline)
{
	const struct timespec pause = { .tv_nsec = 100000 };

	if (deadline == DPR_FOREVER)
		return !pthread_mutex_lock(&queue->telling);
	while (pthread_mutex_trylock(&queue->telling)) {
		if (clock_now() >= deadline)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* Wait for all work in the driver, and note its failures. */
static void ask_all(dpr_queue *queue, uint64_t last)
{
	dprp_rc rc[2];
	bool sure;

	atomic_store_explicit(&queue->unflushed, false, memory_order_relaxed);
	sure = finish_surely(queue, rc);
	if (rc[0] == DPR_RC_DEVICE_LOST || rc[1] == DPR_RC_DEVICE_LOST)
		suspects_note(queue->device);
	/* The caller frees memory after this, so a marker must confirm that all
	   is over. */
	if (!sure && wait_marker(queue, last, DPR_FOREVER, &sure))
		sure = false;
	if (sure)
		set_done(queue, last);
	else
		tickets_poll(queue);
	if (!rc[0])
		queue_failure_set_told(queue, last);
	else
		queue_failure_note_vague(queue, rc[0]);
	if (rc[1])
		queue_failure_note_vague(queue, rc[1]);
}

/* Ask the driver for failures, but only if it need not wait.  @sure: all work
   up to @last is over. */
static void ask_idle(dpr_queue *queue, uint64_t last, bool sure)
{
	dprp_rc rc = DPR_RC_OK;

	if (sure)
		set_done(queue, last);
	else
		tickets_poll(queue);
	if (!sure || !finish_idle(queue, last, &rc))
		return;
	if (rc)
		queue_failure_note_vague(queue, rc);
	else
		queue_failure_set_told(queue, last);
}

dpr_status finish_queue(dpr_queue *queue, uint64_t deadline)
{
	dpr_status status;
	uint64_t last;
	bool sure = true;

	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	pthread_mutex_unlock(&queue->lock);
	status = wait_held(queue, last, deadline);
	if (!status && deadline != DPR_FOREVER)
		status = wait_marker(queue, last, deadline, &sure);
	if (status)
		return status;
	/* Another thread may have got a failure from the driver and not noted
	   it yet.  That thread waits only for work for which this one waits,
	   too. */
	if (!lock_telling(queue, deadline))
		return DPR_OK;
	/* With a deadline, do not wait for later work of other threads. */
	if (deadline == DPR_FOREVER)
		ask_all(queue, last);
	else
		ask_idle(queue, last, sure);
	pthread_mutex_unlock(&queue->telling);
	return DPR_OK;
}

bool finish_may_be_gone(dpr_queue *queue)
{
	uint64_t last;

	if (!queue->lent)
		return false;
	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	pthread_mutex_unlock(&queue->lock);
	tickets_poll(queue);
	return queue_is_done(queue, last);
}

bool finish_reach(dpr_queue *queue, uint64_t ticket, uint64_t deadline)
{
	struct event_list list = { .count = 0 };
	dpr_status status = DPR_OK;
	size_t i;

	tickets_poll(queue);
	if (queue_is_done(queue, ticket))
		return true;
	/* Out of order everything is tracked already. */
	if (queue->in_order || deadline)
		status = cover_ticket(queue, ticket, COVER_ALL, &list);
	for (i = 0; deadline && i < list.count && !status; i++)
		status = event_wait_final(list.list[i], deadline);
	event_list_fini(&list);
	if (status == DPR_ERROR_DEVICE_LOST)
		return true;
	/* The marker could not be placed or waited for: wait for all work. */
	if (status && status != DPR_ERROR_TIMEOUT && deadline)
		status = finish_queue(queue, DPR_FOREVER);
	if (!deadline) {
		/* Nothing else flushes a queue that was released. */
		(void)!queue_flush(queue);
		return false;
	}
	if (status)
		return false;
	tickets_poll(queue);
	if (queue_is_done(queue, ticket))
		return true;
	/* The marker may have failed, which proves nothing: wait for the
	   queue. */
	status = finish_queue(queue, deadline);
	return !status && queue_is_done(queue, ticket);
}

dpr_status dpr_queue_wait(dpr_queue *queue)
{
	TRACE_CALL;
	HANDLES(queue);

	return dpr_queue_wait_for(queue, DPR_FOREVER);
}

dpr_status dpr_queue_wait_for(dpr_queue *queue, uint64_t nanoseconds)
{
	TRACE_CALL;
	HANDLES(queue);
	dpr_status status = queue_check("queue wait", queue);

	if (!status && nanoseconds)
		status = progress_may_wait("queue wait");
	if (status)
		return status;
	status = finish_queue(queue, clock_deadline(nanoseconds));
	if (status)
		return status;
	if (trace_on())
		atomic_store_explicit(&trace_due, 1, memory_order_relaxed);
	reap_after(nanoseconds);
	queue_settle_lane(queue);
	return queue_failure_take(queue);
}
