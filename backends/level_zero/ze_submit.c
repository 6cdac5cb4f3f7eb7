/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_submit.c - one submission: its list, its waits, its event; barriers.
 *
 * Three cases.  In-order queue, and the driver has in-order lists: each list
 * keeps the order, and an event is needed only where the queue changes from one
 * list to the other.  In-order queue without such lists: each command signals
 * an event and waits for the event of the command before it.  Out-of-order
 * queue: barriers order the first list, and the events of these barriers order
 * the second.
 *
 * A command that waits for events also signals an event.  After this signal the
 * awaited events may be used again.
 */
#include "ze_objects.h"

/* --- What a submission waits for --- */

static dprp_rc take_deps(dprp_queue *queue, const dprp_deps *theirs,
			 dprp_deps *deps)
{
	const dprp_host *host = queue->instance->host;
	uint32_t i;
	dprp_rc rc = dprh_take_deps(host, theirs, deps);

	if (rc)
		return rc;
	for (i = 0; i < deps->count; i++) {
		if (deps->events[i]->driver != queue->driver)
			return dprh_fail(host, dprh_cannot_wait(host), 0,
					 "a list cannot wait for an "
					 "event of another driver");
		if (deps->events[i]->kind == ZE_EVENT_COUNTER &&
		    !queue->flagged)
			return dprh_fail(host, dprh_cannot_wait(host), 0,
					 "only an in-order list can "
					 "wait for counter-based "
					 "events");
	}
	return DPR_RC_OK;
}

/* Make room for the waits: the dependencies, and two of the plugin's own. */
static dprp_rc reserve(struct ze_submit *s, const dprp_deps *deps)
{
	const dprp_host *host = s->queue->instance->host;
	size_t n = (size_t)(deps ? deps->count : 0) + 2;
	char *more;

	s->events = s->few_events;
	s->waits = s->few;
	if (n <= ZE_FEW)
		return DPR_RC_OK;
	more = dprh_alloc(host, n, sizeof(*s->events) + sizeof(*s->waits));
	if (!more)
		return dprh_no_memory(host, "a wait list");
	s->more = more;
	s->events = (dprp_event **)(void *)more;
	s->waits = (ze_event_handle_t *)(void *)(more + n * sizeof(*s->events));
	return DPR_RC_OK;
}

/* Wait for an event, unless it is known to be complete. */
static dprp_rc wait_for(struct ze_submit *s, dprp_event *event)
{
	unsigned result =
		atomic_load_explicit(&event->result, memory_order_acquire);

	if (result == ZE_RESULT_SUCCESS)
		return DPR_RC_OK;
	if (result != ZE_RESULT_NOT_READY)
		return dprh_fail(s->queue->instance->host, DPR_RC_DEP_FAILED,
				 (int64_t)result, "a dependency has failed: %s",
				 ze_error_name((ze_result_t)result));
	s->events[s->n_waits] = event;
	s->waits[s->n_waits++] = event->ze;
	return DPR_RC_OK;
}

static dprp_rc wait_for_all(struct ze_submit *s, const dprp_deps *deps)
{
	dprp_rc rc = DPR_RC_OK;
	uint32_t i;

	for (i = 0; deps && i < deps->count && !rc; i++)
		rc = wait_for(s, deps->events[i]);
	return rc;
}

/* --- Barriers between commands --- */

static dprp_rc append_barrier(dprp_queue *queue, struct ze_list *list,
			      dprp_event *event)
{
	return ZE_TRY_ON(queue->device, zeCommandListAppendBarrier, list->ze,
			 event ? event->ze : NULL, 0, NULL);
}

/* Get an event that completes when all commands of @list have. */
static dprp_rc mark_end(dprp_queue *queue, struct ze_list *list,
			dprp_event **out)
{
	dprp_rc rc = ze_event_take(queue->device, queue->ze_context,
				   ze_list_event_kind(queue, false), out);

	if (rc)
		return rc;
	rc = append_barrier(queue, list, *out);
	if (rc) {
		ze_event_release(*out);
		*out = NULL;
		return rc;
	}
	(*out)->used = true;
	return DPR_RC_OK;
}

/* As mark_end(), for the queue, which keeps the event. */
static dprp_rc mark_list(dprp_queue *queue, struct ze_list *list,
			 dprp_event **out)
{
	dprp_rc rc = mark_end(queue, list, out);

	if (!rc && (*out)->kind != ZE_EVENT_COUNTER)
		ze_list_keep(queue, *out);
	return rc;
}

/* Order the submission after the earlier ones of its queue. */
static dprp_rc keep_order(struct ze_submit *s)
{
	dprp_queue *queue = s->queue;
	dprp_rc rc = DPR_RC_OK;

	if (!queue->in_order) {
		if (s->on != &queue->lists[0] && queue->barrier)
			rc = wait_for(s, queue->barrier);
		return rc;
	}
	if (queue->flagged &&
	    (!queue->newest_list || queue->newest_list == s->on))
		return DPR_RC_OK;
	if (queue->flagged && !queue->newest)
		rc = mark_list(queue, queue->newest_list, &queue->newest);
	if (!rc && queue->newest)
		rc = wait_for(s, queue->newest);
	/* Wait for what the program has appended. */
	if (!rc && !queue->flagged && atomic_load(&queue->shared))
		rc = append_barrier(queue, s->on, NULL);
	return rc;
}

/* --- Begin and end --- */

/* Take an event, if the submission needs it, and pin the awaited events. */
static dprp_rc take_event(struct ze_submit *s)
{
	dprp_queue *queue = s->queue;
	bool wanted = s->out != NULL,
	     needed = queue->in_order && !queue->flagged;
	bool timed = wanted && queue->profiling && !s->finishes;
	enum ze_event_kind kind = ze_list_event_kind(queue, timed);
	dprp_rc rc = DPR_RC_OK;
	uint32_t i;

	for (i = 0; i < s->n_waits; i++)
		needed |= s->events[i]->kind != ZE_EVENT_COUNTER;
	if (!wanted && !needed && !s->always)
		return DPR_RC_OK;
	/* A command's waits are pinned by its event, which is kept in flight
	   for that.  Counter-based events are not kept. */
	if (needed && kind == ZE_EVENT_COUNTER)
		kind = ZE_EVENT_PLAIN;
	rc = ze_event_take(queue->device, queue->ze_context, kind, &s->event);
	if (rc)
		return rc;
	s->event->queued = s->now;
	for (i = 0; i < s->n_waits && !rc; i++)
		if (s->events[i]->kind != ZE_EVENT_COUNTER)
			rc = ze_event_pin(s->event, s->events[i]);
	if (!rc)
		s->signal = s->event->ze;
	return rc;
}

/* Release what the submission holds, after a failure too. */
static void drop(struct ze_submit *s)
{
	dprh_free(s->queue->instance->host, s->more);
	if (!s->event)
		return;
	ze_event_unpin(s->event);
	ze_event_release(s->event);
	s->event = NULL;
}

static dprp_rc begin_locked(struct ze_submit *s, enum ze_engine engine,
			    const dprp_deps *deps)
{
	dprp_queue *queue = s->queue;
	dprp_rc rc;

	ze_list_look(queue, false);
	if (atomic_load(&queue->device->root->lost))
		return ze_error_check_device(queue->device,
					     ZE_RESULT_ERROR_DEVICE_LOST,
					     "a submission");
	rc = ze_list_get(queue, engine, &s->on);
	if (!rc)
		rc = reserve(s, deps);
	if (!rc)
		rc = keep_order(s);
	if (!rc)
		rc = wait_for_all(s, deps);
	if (!rc)
		rc = take_event(s);
	s->list = s->on->ze;
	if (!s->n_waits)
		s->waits = NULL;
	return rc;
}

/* Do the work of ze_submit_begin().  `finishes` and `always` must be set. */
static dprp_rc begin(struct ze_submit *s, dprp_queue *queue,
		     enum ze_engine engine, const dprp_deps *theirs,
		     dprp_event **event)
{
	dprp_deps deps;
	dprp_rc rc;

	s->queue = queue;
	s->signal = NULL;
	s->n_waits = 0;
	s->event = NULL;
	s->out = event;
	s->more = NULL;
	s->now = 0;
	if (event)
		*event = NULL;
	if (theirs) {
		rc = take_deps(queue, theirs, &deps);
		if (rc)
			return rc;
		theirs = &deps;
	}
	if (event && queue->profiling && !s->finishes)
		s->now = ze_clock_now(queue->device);
	pthread_mutex_lock(&queue->lock);
	rc = begin_locked(s, engine, theirs);
	if (!rc)
		return DPR_RC_OK;
	drop(s);
	pthread_mutex_unlock(&queue->lock);
	return rc;
}

dprp_rc ze_submit_begin(struct ze_submit *submit, dprp_queue *queue,
			enum ze_engine engine, const dprp_deps *deps,
			dprp_event **event)
{
	submit->finishes = submit->always = false;
	return begin(submit, queue, engine, deps, event);
}

/* The command is in the list: update the queue. */
static void note(struct ze_submit *s)
{
	dprp_queue *queue = s->queue;

	s->on->used = true;
	queue->n_appended += !s->finishes;
	if (s->event) {
		s->event->used = true;
		if (s->event->kind != ZE_EVENT_COUNTER)
			ze_list_keep(queue, s->event);
	}
	if (!queue->in_order)
		return;
	ze_event_release(queue->newest);
	queue->newest = s->event ? ze_event_retain(s->event) : NULL;
	queue->newest_list = s->on;
}

/* Make commands that the program appends later run after this command.  The
   command runs in any case, so a failure here is reported by finish. */
static void keep_order_after(struct ze_submit *s)
{
	const struct ze_api *ze = &s->queue->instance->ze;
	ze_result_t result =
		ze->zeCommandListAppendBarrier(s->on->ze, NULL, 0, NULL);

	if (result)
		s->queue->unordered = result;
}

static dprp_rc end_locked(struct ze_submit *s, ze_result_t result,
			  const char *call)
{
	dprp_queue *queue = s->queue;

	if (!result) {
		note(s);
		/* Commands that the program appends must come after this one.
		   A submission that finishes is itself a barrier, and the last
		   that its list gets. */
		if (queue->in_order && !queue->flagged && !s->finishes &&
		    atomic_load(&queue->shared))
			keep_order_after(s);
		if (s->out)
			*s->out = ze_event_retain(s->event);
	}
	if (result || !s->event) {
		drop(s);
	} else {
		dprh_free(queue->instance->host, s->more);
		ze_event_release(s->event);
	}
	return ze_error_check_device(queue->device, result, call);
}

dprp_rc ze_submit_end(struct ze_submit *submit, ze_result_t result,
		      const char *call)
{
	dprp_queue *queue = submit->queue;
	dprp_rc rc = end_locked(submit, result, call);

	pthread_mutex_unlock(&queue->lock);
	return rc;
}

/* How often a driver that refuses is asked again. */
#define TRIES 3

/* Wait for an event that nothing else holds. */
static void await_end(dprp_event *end)
{
	ze_result_t result = ZE_RESULT_NOT_READY;
	int i;

	for (i = 0; i < TRIES && result; i++) {
		result = ze_event_await(end, UINT64_MAX);
		if (ze_error_rc(result) == DPR_RC_DEVICE_LOST)
			break;
	}
	/* The driver may still signal an event that is not known to be
	   complete, so nobody gets it again. */
	if (!result)
		ze_event_release(end);
}

dprp_rc ze_submit_end_late(struct ze_submit *submit, ze_result_t result,
			   const char *call)
{
	dprp_queue *queue = submit->queue;
	dprp_event *end = NULL;
	int i;

	for (i = 0; i < TRIES && !end; i++)
		(void)mark_end(queue, submit->on, &end);
	drop(submit);
	pthread_mutex_unlock(&queue->lock);
	if (end)
		await_end(end);
	return ze_error_check_device(queue->device, result, call);
}

/* --- Submissions that run nothing --- */

/* Append a barrier after what the submission waits for; on an in-order queue
   that is all earlier work. */
static dprp_rc append_waits(struct ze_submit *s)
{
	const struct ze_api *ze = &s->queue->instance->ze;

	return ze_submit_end(s,
			     ze->zeCommandListAppendBarrier(
				     s->list, s->signal, s->n_waits, s->waits),
			     "zeCommandListAppendBarrier");
}

dprp_rc ze_submit_nothing(dprp_queue *queue, const dprp_deps *deps,
			  dprp_event **event)
{
	const struct ze_api *ze = &queue->instance->ze;
	ze_result_t result = ZE_RESULT_SUCCESS;
	struct ze_submit s;
	dprp_rc rc;

	if (!event && !deps)
		return DPR_RC_OK;
	rc = ze_submit_begin(&s, queue, ZE_ENGINE_COMPUTE, deps, event);
	if (rc)
		return rc;
	if (queue->in_order || s.n_waits)
		return append_waits(&s);
	/* A barrier without waits would wait for all earlier work. */
	if (s.signal)
		result = ze->zeCommandListAppendSignalEvent(s.list, s.signal);
	return ze_submit_end(&s, result, "zeCommandListAppendSignalEvent");
}

/* Barriers of an out-of-order queue are on the first list.  Have this one wait
   for all earlier work on the second list, too. */
static dprp_rc join_lists(struct ze_submit *s)
{
	dprp_queue *queue = s->queue;
	struct ze_list *second = &queue->lists[ZE_ENGINE_COPY];
	dprp_event *copies;
	dprp_rc rc;

	if (!second->used)
		return DPR_RC_OK;
	rc = append_barrier(queue, s->on, NULL);
	if (!rc)
		rc = mark_list(queue, second, &copies);
	if (rc)
		return rc;
	s->waits = s->few;
	rc = wait_for(s, copies);
	if (!rc)
		rc = ze_event_pin(s->event, copies);
	ze_event_release(copies);
	return rc;
}

static dprp_rc barrier_out_of_order(struct ze_submit *s, bool all)
{
	dprp_queue *queue = s->queue;
	const struct ze_api *ze = &queue->instance->ze;
	dprp_event *barrier;
	ze_result_t result;
	dprp_rc rc = all ? join_lists(s) : DPR_RC_OK;

	if (rc) {
		drop(s);
		pthread_mutex_unlock(&queue->lock);
		return rc;
	}
	barrier = s->event;
	result = ze->zeCommandListAppendBarrier(s->list, s->signal, s->n_waits,
						s->waits);
	if (!result && barrier) {
		ze_event_release(queue->barrier);
		queue->barrier = ze_event_retain(barrier);
	}
	if (!result && all)
		queue->lists[ZE_ENGINE_COPY].used = false;
	return ze_submit_end(s, result, "zeCommandListAppendBarrier");
}

static dprp_rc barrier(dprp_queue *queue, const dprp_deps *deps,
		       dprp_event **event, bool finishes)
{
	bool all = !deps || !deps->count;
	struct ze_submit s;
	dprp_rc rc;

	if (queue->in_order && !event && !deps)
		return DPR_RC_OK;
	s.finishes = finishes;
	/* Later commands on the second list wait for this event. */
	s.always = !queue->in_order &&
		   queue->device->groups[ZE_ENGINE_COPY].n_queues;
	rc = begin(&s, queue, ZE_ENGINE_COMPUTE, deps, event);
	if (rc)
		return rc;
	return queue->in_order ? append_waits(&s)
			       : barrier_out_of_order(&s, all);
}

dprp_rc ze_submit_barrier(dprp_queue *queue, const dprp_deps *deps,
			  dprp_event **event)
{
	return barrier(queue, deps, event, false);
}

dprp_rc ze_submit_mark(dprp_queue *queue, dprp_event **event)
{
	return barrier(queue, NULL, event, true);
}
