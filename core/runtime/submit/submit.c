/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit.c - submitting: the dependencies and the ticket of a submission, and
 * whether it goes out now or is held.
 */
#include "core/runtime/submit/submit.h"

#include <string.h>

#include "core/base/settings.h"
#include "core/base/mem.h"
#include "core/base/small_list.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/memory/uses.h"
#include "core/runtime/queue/cover.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/event_wait.h"
#include "core/runtime/queue/held_list.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/queue_failure.h"
#include "core/runtime/queue/reap.h"
#include "core/runtime/submit/enqueue.h"
#include "core/runtime/submit/held.h"
#include "core/runtime/submit/trace_queue.h"

/* Request an event every MARKER_EVERY submissions so that `done` keeps
   advancing. */
#define MARKER_EVERY 256

/* What an attempt has come to. */
enum outcome {
	NOT_MADE,        /* memory ran out, or the arguments are wrong */
	SENT,            /* the driver has the submission */
	HELD,            /* the core holds it behind other held work */
	HELD_FOR_DEPS,   /* the core holds it until all of its dependencies are
			    complete */
	CARRIED_BY_CORE, /* the core holds it and carries it out itself */
	NO_DIRECT_COPY, /* the caller of submit_path() copies by another path */
	FAILED_BY_DEP,  /* it failed at once, because a dependency had failed */
	REFUSED         /* the driver refused it */
};

/* An attempt to submit. */
struct attempt {
	dpr_queue *queue;
	const struct operation *operation;
	struct {
		SMALL_LIST(struct use, 24);
	} uses; /* sorted by address, without duplicates */
	/* the dependencies that are not known complete */
	struct event_list deps;
	size_t prepared;              /* how many of deps prepare_deps() has
					 seen */
	struct conflict_list covered; /* uses that `deps` cover */
	bool wants_event;
	bool has_other_path; /* the caller can do without a direct copy */
	enum outcome outcome;
	struct held *carried; /* set for CARRIED_BY_CORE */
	dpr_event *event;
	/* tickets_poll() is worth its cost, because many events are tracked. */
	bool full;
};

/* A barrier changes no bytes; anything else must not write read-only memory. */
static bool writes_read_only(const struct operation *op, const struct use *use)
{
	return use->usm->read_only && op->kind != OPERATION_BARRIER &&
	       (use->access & (DPR_WRITE | USE_RAW));
}

/* Sort and merge the uses, by insertion, for they are few. */
static dpr_status take_uses(struct attempt *s)
{
	const struct operation *op = s->operation;
	size_t i, j;

	if (!small_list_reserve(&s->uses, op->n_uses))
		return fail_memory(op->name);
	for (i = 0; i < op->n_uses; i++) {
		const struct use *use = &op->uses[i];

		if (writes_read_only(op, use))
			return usm_fail_read_only(op->name, use->usm);
		for (j = s->uses.count; j && s->uses.list[j - 1].usm > use->usm;
		     j--)
			;
		if (j && s->uses.list[j - 1].usm == use->usm) {
			s->uses.list[j - 1].access |= use->access;
			continue;
		}
		for (size_t k = s->uses.count++; k > j; k--)
			s->uses.list[k] = s->uses.list[k - 1];
		s->uses.list[j] = *use;
	}
	return DPR_OK;
}

/* Add those of the events @after that are not complete to deps. */
static dpr_status take_after(struct attempt *s, const dpr_events *after)
{
	size_t i;

	if (!after || !after->count)
		return DPR_OK;
	if (!after->list)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s on %s: the list of events is NULL",
			    s->operation->name, s->queue->name);
	for (i = 0; i < after->count; i++) {
		dpr_event *event = after->list[i];

		if (!event || event_state(event) == DPR_EVENT_COMPLETE)
			continue;
		if (!event_list_add(&s->deps, dpr_event_retain(event)))
			return fail_memory(s->operation->name);
	}
	return DPR_OK;
}

/* Find or make events that cover the uses in @conflicts, and add them to
   deps. */
static dpr_status resolve_conflicts(struct attempt *s,
				    struct conflict_list *conflicts)
{
	dpr_status status = DPR_OK;
	size_t i;

	for (i = 0; i < conflicts->count && !status; i++)
		status = cover_ticket(conflicts->list[i].queue,
				      conflicts->list[i].ticket,
				      conflicts->list[i].what, &s->deps);
	if (!status && !conflicts_merge(&s->covered, conflicts))
		status = fail_memory(s->operation->name);
	return status;
}

/*
 * Flush the queues of dependencies, so that the driver need not.  Also poll the
 * events for failures: a driver may refuse a call that depends on a failed
 * event.
 */
static void prepare_deps(struct attempt *s)
{
	for (; s->prepared < s->deps.count; s->prepared++) {
		dpr_event *event = s->deps.list[s->prepared];

		if (event_poll(event) < DPR_EVENT_COMPLETE &&
		    event->queue != s->queue &&
		    event->plugin == s->queue->plugin)
			event_flush(event);
	}
}

/*
 * Lock `submit` with all dependencies known and the uses entered.  Conflicts
 * are resolved without a lock, since that may submit markers to other queues;
 * then everything is checked again.
 */
static dpr_status lock_and_enter(struct attempt *s)
{
	struct conflict_list conflicts;
	dpr_queue *queue = s->queue;
	dpr_status status;
	size_t found;

	small_list_init(&conflicts);
	do {
		prepare_deps(s);
		pthread_mutex_lock(&queue->submit);
		status = uses_enter(queue, queue->last + 1, s->operation->name,
				    s->uses.list, s->uses.count, &s->covered,
				    &conflicts);
		found = conflicts.count;
		if (!status && !found)
			return DPR_OK;
		pthread_mutex_unlock(&queue->submit);
		if (!status)
			status = resolve_conflicts(s, &conflicts);
		conflicts_fini(&conflicts);
	} while (!status);
	return status;
}

/* A dependency that has failed, or NULL. */
static dpr_event *find_failed_dep(const struct attempt *s)
{
	size_t i;

	for (i = 0; i < s->deps.count; i++)
		if (event_state(s->deps.list[i]) == DPR_EVENT_FAILED)
			return s->deps.list[i];
	return NULL;
}

/* Whether the core has to hold the submission.  Called with `submit` held. */
static bool must_hold(const struct attempt *s)
{
	const dpr_queue *queue = s->queue;
	size_t i;

	if (queue->held && (queue->in_order || held_list_barrier(queue) ||
			    s->operation->kind == OPERATION_BARRIER))
		return true;
	for (i = 0; i < s->deps.count; i++) {
		dpr_event *event = s->deps.list[i];
		enum dpr_event_state state = event_state(event);

		/* A dependency that has failed since find_failed_dep() looked
		   may have no handle, or one of another plugin. */
		if (state == DPR_EVENT_HELD || state == DPR_EVENT_FAILED ||
		    (state < DPR_EVENT_COMPLETE &&
		     event->plugin != queue->plugin))
			return true;
	}
	return false;
}

static dpr_status make_event(struct attempt *s, uint64_t ticket)
{
	if (s->event)
		return DPR_OK;
	s->event = event_new(s->queue->device, s->queue, s->operation->name,
			     ticket);
	if (!s->event)
		return fail_memory(s->operation->name);
	s->event->echoes = s->operation->kind == OPERATION_BARRIER;
	if (trace_on())
		trace_queue_add(s->event, s->operation);
	return DPR_OK;
}

/* Record the submission's ticket.  Returns whether tickets_poll() is worth its
   cost. */
static bool publish_ticket(struct attempt *s, uint64_t ticket, dpr_event *event,
			   dpr_kernel *kernel)
{
	return tickets_publish(
		s->queue, ticket,
		&(struct published){ .name = s->operation->name,
				     .uses = s->uses.list,
				     .n_uses = s->uses.count,
				     .event = event,
				     .pin = kernel,
				     .pin_kind = &enqueue_kernel_pin });
}

/* Hold the submission in the core, as its outcome says.  Called with `submit`
   held. */
static dpr_status hold_submission(struct attempt *s, uint64_t ticket)
{
	dpr_queue *queue = s->queue;
	dpr_status status;

	/* Start the progress thread first: without it no held submission would
	   ever be sent. */
	status = progress_start(s->operation->name);
	if (!status)
		status = make_event(s, ticket);
	if (status)
		return status;
	return held_push(queue, s->operation, ticket,
			 &(struct published){ .name = s->operation->name,
					      .uses = s->uses.list,
					      .n_uses = s->uses.count,
					      .event = s->event },
			 &s->deps, s->outcome == HELD_FOR_DEPS,
			 s->outcome == CARRIED_BY_CORE ? &s->carried : NULL);
}

/* Fail the submission at once, because @root has failed.  Called with `submit`
   held. */
static dpr_status fail_now(struct attempt *s, uint64_t ticket, dpr_event *root)
{
	dpr_status status = make_event(s, ticket);

	if (status)
		return status;
	(void)publish_ticket(s, ticket, NULL, NULL);
	event_fail_for(s->event, root);
	return DPR_OK;
}

/*
 * The driver has refused the submission, perhaps because one of deps has failed
 * since find_failed_dep() looked.  If so, do what fail_now() would have done:
 * fail the submission's event because of that dependency, and return DPR_OK.
 * The dependency has a handle of this plugin, as must_hold() makes sure.
 * Called without locks, because it polls events.
 */
static dpr_status explain_refusal(struct attempt *s, uint64_t ticket,
				  dpr_status status)
{
	dpr_event *root = event_find_failed(s->deps.list, s->deps.count);

	if (!root)
		return status;
	if (!s->event)
		s->event = event_new(s->queue->device, s->queue,
				     s->operation->name, ticket);
	if (!s->event)
		return status;
	event_fail_for(s->event, root);
	return DPR_OK;
}

/*
 * Record that the submission was refused.  Memory that it was to read, or to
 * write in part, is unchanged.  Contents that it was to replace are spoiled,
 * because the record of the old ones was dropped.  Called with `submit` held
 * and before the ticket is recorded: until then the submission cannot count as
 * succeeded.
 */
static void note_refused(struct attempt *s, uint64_t ticket, dpr_status status,
			 const char *text)
{
	size_t i;

	for (i = 0; i < s->uses.count; i++)
		if (s->uses.list[i].access & USE_WHOLE) {
			queue_failure_note_refused(s->queue, ticket, status,
						   text);
			return;
		}
}

/* What the plugin's answer @rc means for the submission. */
static enum outcome judge_answer(const struct attempt *s, dprp_rc rc)
{
	if (!rc)
		return SENT;
	if (rc == DPR_RC_NO_PATH && s->has_other_path)
		return NO_DIRECT_COPY;
	/* The core carries out only what has no dependencies left. */
	if (enqueue_finds_way(rc) && s->deps.count)
		return HELD_FOR_DEPS;
	if (rc == DPR_RC_HOST_MEMORY && s->operation->carry)
		return CARRIED_BY_CORE;
	return REFUSED;
}

/* Try to send the submission to the driver.  Called with `submit` held. */
static dpr_status send_submission(struct attempt *s, uint64_t ticket)
{
	dpr_queue *queue = s->queue;
	dprp_event *handle = NULL;
	bool compiles = enqueue_compiles(s->operation);
	dpr_status status = DPR_OK;
	dprp_rc rc;

	if (s->wants_event || compiles || !queue->in_order ||
	    queue->flags & DPR_QUEUE_PROFILING || !(ticket % MARKER_EVERY))
		status = make_event(s, ticket);
	if (!status && s->event)
		s->event->compiles = compiles;
	if (!status && !tickets_reserve(queue))
		status = fail_memory(s->operation->name);
	if (status)
		return status;
	rc = enqueue_operation(queue, s->operation, ticket, s->deps.list,
			       s->deps.count, s->event ? &handle : NULL);
	s->outcome = judge_answer(s, rc);
	if (s->outcome == HELD_FOR_DEPS || s->outcome == CARRIED_BY_CORE)
		return hold_submission(s, ticket);
	if (s->outcome == NO_DIRECT_COPY) {
		note_refused(s, ticket, DPR_ERROR_UNSUPPORTED,
			     "the driver cannot copy directly, and the copy "
			     "by another path did not begin");
	} else if (s->outcome == REFUSED) {
		status = enqueue_status(queue, s->operation, rc);
		note_refused(s, ticket, status, dpr_last_error());
	} else if (s->event) {
		event_depends(s->event, s->deps.list, s->deps.count);
		event_submitted(s->event, handle);
	}
	/* Record the ticket even after a failure, because the records of the
	   allocations name it. */
	s->full = publish_ticket(s, ticket, rc ? NULL : s->event,
				 rc ? NULL : operation_kernel(s->operation));
	return status;
}

/* Send, hold or fail the submission.  Called with `submit` held. */
static dpr_status make_attempt(struct attempt *s, uint64_t ticket)
{
	dpr_event *root = find_failed_dep(s);
	dpr_status status;

	if (root) {
		s->outcome = FAILED_BY_DEP;
		status = fail_now(s, ticket, root);
	} else if (must_hold(s)) {
		s->outcome = HELD;
		status = hold_submission(s, ticket);
	} else {
		status = send_submission(s, ticket);
	}
	if (status && s->outcome != REFUSED)
		s->outcome = NOT_MADE;
	return status;
}

/* Whether the submission runs some time. */
static bool will_run(enum outcome outcome)
{
	switch (outcome) {
	case SENT:
	case HELD:
	case HELD_FOR_DEPS:
	case CARRIED_BY_CORE: return true;
	case NOT_MADE:
	case NO_DIRECT_COPY:
	case FAILED_BY_DEP:
	case REFUSED: return false;
	}
	return false;
}

static dpr_status order_and_send(struct attempt *s)
{
	dpr_queue *queue = s->queue;
	uint64_t ticket;
	dpr_status status;
	bool held;

	status = lock_and_enter(s);
	if (status)
		return status;
	ticket = queue->last + 1;
	status = make_attempt(s, ticket);
	/* Record the ticket even so: the records of the allocations name it. */
	if (status && queue->last < ticket) {
		note_refused(s, ticket, status, dpr_last_error());
		(void)publish_ticket(s, ticket, NULL, NULL);
	}
	if (!will_run(s->outcome))
		uses_failed(s->uses.list, s->uses.count);
	held = queue->held != NULL;
	pthread_mutex_unlock(&queue->submit);
	if (s->outcome == REFUSED)
		status = explain_refusal(s, ticket, status);
	if (status)
		return status;
	if (s->event && queue->flags & DPR_QUEUE_PROFILING)
		uses_note_event(s->event, s->uses.list, s->uses.count);
	if (held)
		progress_queue(queue);
	if (s->carried)
		s->operation->carry(s->carried, s->operation->waits);
	if (s->full)
		tickets_poll(queue);
	if (!(ticket % 64))
		reap_soon();
	return status;
}

static dpr_status submit_and_wait(struct attempt *s, const dpr_events *after,
				  dpr_event **done)
{
	dpr_status status;
	bool sync;

	/* A callback must not wait. */
	sync = settings_sync() && !progress_self();
	s->wants_event = done || sync || trace_on();
	status = take_uses(s);
	if (!status)
		status = take_after(s, after);
	if (!status)
		status = order_and_send(s);
	if (!status && sync && s->outcome != NO_DIRECT_COPY) {
		status = event_wait_final(s->event, DPR_FOREVER);
		if (!status)
			status = event_result(s->event);
	}
	if (!status && done && s->outcome != NO_DIRECT_COPY) {
		*done = s->event;
		s->event = NULL;
	}
	dpr_event_release(s->event);
	event_list_fini(&s->deps);
	conflicts_fini(&s->covered);
	small_list_fini(&s->uses);
	return status;
}

dpr_status submit_operation(dpr_queue *queue, const struct operation *operation,
			    const dpr_events *after, dpr_event **done)
{
	struct attempt s;

	/* Do not zero all of @s: the inline lists are long. */
	s.queue = queue;
	s.operation = operation;
	small_list_init(&s.uses);
	small_list_init(&s.deps);
	small_list_init(&s.covered);
	s.prepared = 0;
	s.has_other_path = s.full = false;
	s.outcome = NOT_MADE;
	s.carried = NULL;
	s.event = NULL;
	return submit_and_wait(&s, after, done);
}

dpr_status submit_path(dpr_queue *queue, const struct operation *operation,
		       const dpr_events *after, dpr_event **done, bool *no_path)
{
	struct attempt s = { .queue = queue,
			     .operation = operation,
			     .has_other_path = true };
	dpr_status status = submit_and_wait(&s, after, done);

	*no_path = s.outcome == NO_DIRECT_COPY;
	return status;
}
