/* SPDX-License-Identifier: Apache-2.0 */
/* finish.c - waiting for all work of a queue, and what has failed of it. */
#include <time.h>

#include "core/base/clock.h"
#include "core/base/live.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/held_list.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/queue.h"

/* The part that is about the results.  Returns the failure that `finish` has
   told of before the event of @ticket was asked, if it did. */
static struct failure *spoil_results_locked(dpr_queue *queue, uint64_t ticket,
					    unsigned flags,
					    struct failure *root)
{
	struct failure *told = NULL;

	if ((flags & FAILURE_DRIVER) && !(flags & FAILURE_OTHER))
		told = spoil_told_locked(queue, ticket);
	if (told)
		return failure_retain(told);
	if (flags & FAILURE_VAGUE)
		spoil_unproved_locked(queue, ticket, root);
	else if (!(flags & FAILURE_OTHER))
		spoil_ticket_locked(queue, ticket, root);
	if ((flags & FAILURE_DRIVER) &&
	    ticket > atomic_load_explicit(&queue->spoil.sound,
					  memory_order_relaxed))
		spoil_heard_locked(queue, root);
	return NULL;
}

struct failure *queue_note_failure(dpr_queue *queue, uint64_t ticket,
				   unsigned flags, dpr_status status,
				   const char *text, struct failure *root)
{
	char *copy = text ? mem_string(text) : NULL;
	struct failure *told;
	int closed;

	pthread_mutex_lock(&queue->lock);
	told = spoil_results_locked(queue, ticket, flags, root);
	if (told) {
		pthread_mutex_unlock(&queue->lock);
		mem_free(copy);
		failure_release(root);
		return told;
	}
	closed = queue->closed;
	if (!closed && !queue->failure.root) {
		queue->failure.status = status;
		queue->failure.root = failure_retain(root);
		queue->failure.text = copy;
		copy = NULL;
	}
	pthread_mutex_unlock(&queue->lock);
	if (closed)
		live_failure(text, root);
	mem_free(copy);
	return root;
}

void queue_note_refused(dpr_queue *queue, uint64_t ticket, dpr_status status,
			const char *text)
{
	struct failure *root = failure_new(status, text);

	failure_tell(root);
	pthread_mutex_lock(&queue->lock);
	spoil_ticket_locked(queue, ticket, root);
	pthread_mutex_unlock(&queue->lock);
	failure_release(root);
}

dpr_status queue_take_failure(dpr_queue *queue)
{
	struct failure *root;
	dpr_status status;
	char *text;

	pthread_mutex_lock(&queue->lock);
	status = queue->failure.status;
	text = queue->failure.text;
	root = queue->failure.root;
	queue->failure.status = DPR_OK;
	queue->failure.text = NULL;
	queue->failure.root = NULL;
	pthread_mutex_unlock(&queue->lock);
	if (root) {
		failure_tell(root);
		status_record("%s", text ? text : root->text);
	}
	mem_free(text);
	failure_release(root);
	return status;
}

/* The names of submissions after @from up to @to, the newest of them. */
static void print_names(dpr_queue *queue, uint64_t from, uint64_t to,
			struct text *text)
{
	uint64_t ticket =
		to - from > QUEUE_NAMES ? to - QUEUE_NAMES + 1 : from + 1;
	const char *between = "";

	if (ticket > from + 1)
		text_print(text, "%llu others, ",
			   (unsigned long long)(ticket - from - 1));
	pthread_mutex_lock(&queue->lock);
	for (; ticket <= to; ticket++) {
		const struct queue_name *name =
			&queue->names[ticket % QUEUE_NAMES];

		if (name->ticket != ticket)
			continue;
		text_print(text, "%s%s", between, name->text);
		between = ", ";
	}
	pthread_mutex_unlock(&queue->lock);
}

static void set_told(dpr_queue *queue, uint64_t last)
{
	pthread_mutex_lock(&queue->lock);
	spoil_sound_locked(queue, last);
	spoil_heard_locked(queue, NULL);
	pthread_mutex_unlock(&queue->lock);
}

/* A failure of any of the submissions after @sound up to @last. */
static struct failure *vague_failure(dpr_queue *queue, uint64_t sound,
				     uint64_t last, dpr_status status,
				     const char *said)
{
	struct text text = { 0 };
	struct failure *root;

	text_print(&text, "%s", said);
	if (last > sound) {
		text_print(&text, "; it may come from any of these, which were "
				  "submitted since the last one known "
				  "complete: ");
		print_names(queue, sound, last, &text);
	}
	root = status == DPR_ERROR_DEVICE_LOST
		       ? device_loss(queue->device, text_get(&text))
		       : failure_new(status, text_get(&text));
	root = queue_note_failure(queue, last, FAILURE_VAGUE, status,
				  text_get(&text), root);
	text_fini(&text);
	return root;
}

/*
 * The driver reports a failure without saying whose.  It is that of any
 * submission after the last of which it has told.  An event may have told of
 * the same failure; then the program is not told twice.  But another one of the
 * same status may hide behind it, so that everything else is spoiled, too.
 */
static void note_vague(dpr_queue *queue, dprp_rc rc)
{
	char *before = status_keep();
	dpr_status status = plugin_status(queue->plugin, rc,
					  "queue wait for %s", queue->name);
	struct text said = { 0 };
	struct failure *heard;
	uint64_t sound, last;

	text_print(&said, "%s", dpr_last_error());
	status_restore(before);

	/* What another thread is just submitting may be what has failed. */
	pthread_mutex_lock(&queue->submit);
	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	sound = atomic_load_explicit(&queue->spoil.sound, memory_order_relaxed);
	heard = failure_retain(queue->spoil.heard);
	if (heard && heard->status == status) {
		spoil_unproved_locked(queue, last, heard);
	} else {
		failure_release(heard);
		heard = NULL;
	}
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_unlock(&queue->submit);
	if (!heard)
		heard = vague_failure(queue, sound, last, status,
				      text_get(&said));
	failure_release(heard);
	text_fini(&said);
	set_told(queue, last);
}

/* Wait until what is held now has left the core and is done. */
static dpr_status wait_held(dpr_queue *queue, uint64_t last, uint64_t deadline)
{
	struct event_list list = { 0 };
	dpr_status status = DPR_OK;
	uint64_t first;
	int n = 1;

	while (n > 0 && !status) {
		pthread_mutex_lock(&queue->lock);
		first = held_list_first(queue);
		n = first && first <= last
			    ? held_list_events_locked(queue, first, 0, &list)
			    : 0;
		pthread_mutex_unlock(&queue->lock);
		if (n < 0)
			status = fail_memory("queue wait");
		else if (n)
			status = event_wait_final(list.list[0], deadline);
		event_list_fini(&list);
	}
	return status;
}

/* Wait with a limit, which a driver's wait for its queue has not.  @idle: it
   is known that nothing runs any more. */
static dpr_status wait_marker(dpr_queue *queue, uint64_t last,
			      uint64_t deadline, int *idle)
{
	struct event_list list = { 0 };
	dpr_status status = DPR_OK;
	int tries;
	size_t i;

	/* A marker that fails does not tell, and may fail with one before it;
	   the next one then does not. */
	for (tries = 0, *idle = 0; tries < 3 && !*idle && !status; tries++) {
		status = queue_cover(queue, last, 1, &list);
		for (i = 0; i < list.count && !status; i++)
			status = event_wait_final(list.list[i], deadline);
		*idle = 1;
		for (i = 0; i < list.count; i++)
			*idle &=
				event_state(list.list[i]) == DPR_EVENT_COMPLETE;
		event_list_fini(&list);
	}
	return status;
}

/*
 * An answer may be the failure of a command or of the wait itself.  Only if a
 * second wait goes well is it sure that nothing runs any more.  @rc are the
 * answers: what comes to the queue in between may fail, too.
 */
static int finish_surely(dpr_queue *queue, dprp_rc rc[2])
{
	struct progress_wait *wait =
		progress_wait_begin("all work", queue->name);

	rc[0] = queue->plugin->queue.finish(queue->handle);
	rc[1] = DPR_RC_OK;
	if (rc[0] && rc[0] != DPR_RC_DEVICE_LOST)
		rc[1] = queue->plugin->queue.finish(queue->handle);
	progress_wait_end(wait);
	return !rc[1];
}

/*
 * Everything up to @last has completed, and all events were just looked at:
 * have the driver say what failed.  With `submit` held, so that nothing comes
 * that the driver would wait for.  0: it may have to wait, for what has come
 * already, for what may come past us, or for the marker of an earlier wait,
 * which has no ticket of its own.
 */
static int finish_idle(dpr_queue *queue, uint64_t last, dprp_rc *rc)
{
	int idle;

	pthread_mutex_lock(&queue->submit);
	pthread_mutex_lock(&queue->lock);
	idle = queue->last == last && !queue->n_tracked &&
	       !atomic_load(&queue->shared);
	pthread_mutex_unlock(&queue->lock);
	/* Once is enough: that nothing runs is known without its answer. */
	if (idle)
		*rc = queue->plugin->queue.finish(queue->handle);
	pthread_mutex_unlock(&queue->submit);
	return idle;
}

/* All submissions up to @last are over. */
static void set_done(dpr_queue *queue, uint64_t last)
{
	pthread_mutex_lock(&queue->lock);
	queue_raise_done_locked(queue, last);
	pthread_mutex_unlock(&queue->lock);
	/* Out of order no event tells of the others.  And an event that has
	   failed says more than the queue does. */
	queue_poll(queue);
}

/* Whether it is this thread that asks the driver, by @deadline. */
static int take_turn(dpr_queue *queue, uint64_t deadline)
{
	const struct timespec pause = { .tv_nsec = 100000 };

	if (deadline == DPR_FOREVER)
		return !pthread_mutex_lock(&queue->telling);
	while (pthread_mutex_trylock(&queue->telling)) {
		if (clock_now() >= deadline)
			return 0;
		nanosleep(&pause, NULL);
	}
	return 1;
}

/* Wait for the driver, which tells of all failures up to @last and later. */
static void ask_all(dpr_queue *queue, uint64_t last)
{
	dprp_rc rc[2];
	int sure;

	atomic_store_explicit(&queue->unflushed, 0, memory_order_relaxed);
	sure = finish_surely(queue, rc);
	/* The caller frees memory after this, so a marker must confirm that
	   all is over. */
	if (!sure && wait_marker(queue, last, DPR_FOREVER, &sure))
		sure = 0;
	if (sure)
		set_done(queue, last);
	else
		queue_poll(queue);
	if (!rc[0])
		set_told(queue, last);
	else
		note_vague(queue, rc[0]);
	if (rc[1])
		note_vague(queue, rc[1]);
}

/* Ask it only if nothing is under way; @sure: all up to @last is over. */
static void ask_idle(dpr_queue *queue, uint64_t last, int sure)
{
	dprp_rc rc = DPR_RC_OK;

	if (sure)
		set_done(queue, last);
	else
		queue_poll(queue);
	if (!sure || !finish_idle(queue, last, &rc))
		return;
	if (rc)
		note_vague(queue, rc);
	else
		set_told(queue, last);
}

dpr_status queue_finish(dpr_queue *queue, uint64_t deadline)
{
	dpr_status status;
	uint64_t last;
	int sure = 1;

	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	pthread_mutex_unlock(&queue->lock);
	status = wait_held(queue, last, deadline);
	if (!status && deadline != DPR_FOREVER)
		status = wait_marker(queue, last, deadline, &sure);
	if (status)
		return status;
	/* Another thread that was told of a failure may still have to note it.
	   It waits for nothing that this one need not wait for. */
	if (!take_turn(queue, deadline))
		return DPR_OK;
	/* With a limit, later work of other threads must not be waited for. */
	if (deadline == DPR_FOREVER)
		ask_all(queue, last);
	else
		ask_idle(queue, last, sure);
	pthread_mutex_unlock(&queue->telling);
	return DPR_OK;
}

int queue_reach(dpr_queue *queue, uint64_t ticket, uint64_t deadline)
{
	struct event_list list = { .count = 0 };
	dpr_status status = DPR_OK;
	size_t i;

	queue_poll(queue);
	if (queue_is_done(queue, ticket))
		return 1;
	/* Out of order everything is tracked already. */
	if (queue->in_order || deadline)
		status = queue_cover(queue, ticket, 1, &list);
	for (i = 0; deadline && i < list.count && !status; i++)
		status = event_wait_final(list.list[i], deadline);
	event_list_fini(&list);
	if (status == DPR_ERROR_DEVICE_LOST)
		return 1;
	/* No marker, but the driver can wait for all there is. */
	if (status && status != DPR_ERROR_TIMEOUT && deadline)
		status = queue_finish(queue, DPR_FOREVER);
	if (!deadline) {
		/* Nothing else flushes a queue that was released. */
		(void)!queue_flush(queue);
		return 0;
	}
	if (status)
		return 0;
	queue_poll(queue);
	if (queue_is_done(queue, ticket))
		return 1;
	/* Markers that fail do not tell. */
	status = queue_finish(queue, deadline);
	return !status && queue_is_done(queue, ticket);
}
