/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held.c - submissions that are held in the core, because the driver cannot
 * wait for their dependencies.
 *
 * Only the progress thread removes entries.  The exception are entries that the
 * core carries out, and the progress thread leaves these alone.  So an entry
 * that the progress thread has found stays valid, and the thread can look at
 * the entry without a lock.
 *
 * On an in-order queue only the oldest entry is looked at.  Out of order each
 * entry is looked at once, up to a barrier that has to stay.  An entry that has
 * to wait is parked at its events, and looked at again when one of them moves.
 * So the cost of a long chain grows linearly.
 */
#include "core/runtime/submit/held.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/memory/uses.h"
#include "core/runtime/program/kernel.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/held_list.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/submit/enqueue.h"

/* An entry in an event's list of the submissions that wait for it.  Only the
   progress thread uses it. */
struct parking {
	struct held *held;
	/* `at` is NULL if the parking is in no list */
	struct parking *next, **at;
};

struct held {
	/* links the submission into the queue's list */
	struct held_entry entry;
	struct held *again_next; /* the next submission in queue->again */
	bool again;              /* the submission is in queue->again */
	/* the queue stays open while the submission is held */
	dpr_queue *queue;
	struct operation operation; /* a deep copy */
	struct use *uses;           /* the uses, each with a reference */
	dprp_arg *args; /* the arguments, followed by their values */
	unsigned char *pattern;
	dpr_event **deps;         /* the dependencies, each with a reference */
	struct parking *parkings; /* a parking for each of `deps` */
	size_t n_deps;
	/* the submission is held until all of `deps` are complete */
	bool complete_only;
	bool after_all; /* a barrier without deps: all earlier held ones go
			   first */
};

static void held_free(struct held *held)
{
	size_t i;

	if (!held)
		return;
	for (i = 0; held->uses && i < held->operation.n_uses; i++)
		dpr_usm_release(held->uses[i].usm);
	for (i = 0; held->deps && i < held->n_deps; i++)
		dpr_event_release(held->deps[i]);
	if (held->operation.kind == OPERATION_LAUNCH)
		dpr_kernel_release(held->operation.u.launch.kernel);
	dpr_event_release(held->entry.event);
	mem_free(held->uses);
	mem_free(held->args);
	mem_free(held->pattern);
	mem_free(held->deps);
	mem_free(held->parkings);
	mem_free(held);
}

/* Copy the arguments and, behind them, their values into one block.  Returns
   false if memory runs out. */
static bool copy_args(struct held *held)
{
	dprp_launch *launch = &held->operation.u.launch.launch;
	size_t n = launch->n_args, size = n * sizeof(dprp_arg), i;
	unsigned char *value;

	for (i = 0; i < n; i++)
		if (launch->args[i].kind == DPRP_ARG_VALUE)
			size += (launch->args[i].size + 15) & ~(size_t)15;
	held->args = mem_alloc(size);
	if (!held->args)
		return false;
	value = (unsigned char *)(held->args + n);
	for (i = 0; i < n; i++) {
		held->args[i] = launch->args[i];
		if (launch->args[i].kind != DPRP_ARG_VALUE)
			continue;
		memcpy(value, launch->args[i].u.value, launch->args[i].size);
		held->args[i].u.value = value;
		value += (launch->args[i].size + 15) & ~(size_t)15;
	}
	launch->args = held->args;
	return true;
}

/* Copy what the operation points to.  Returns false if memory runs out. */
static bool copy_operation(struct held *held)
{
	struct operation *op = &held->operation;
	size_t i;

	if (op->n_uses) {
		held->uses = mem_copy(op->uses, op->n_uses * sizeof(*op->uses));
		if (!held->uses)
			return false;
	}
	for (i = 0; i < op->n_uses; i++)
		dpr_usm_retain(held->uses[i].usm);
	op->uses = held->uses;
	if (op->kind != OPERATION_LAUNCH)
		op->u.move.bounce = NULL;
	if (op->kind == OPERATION_FILL) {
		held->pattern =
			mem_copy(op->u.move.pattern, op->u.move.pattern_size);
		if (!held->pattern)
			return false;
		op->u.move.pattern = held->pattern;
	}
	return op->kind != OPERATION_LAUNCH || copy_args(held);
}

static void set_held_jobs(void);

dpr_status held_push(dpr_queue *queue, const struct operation *operation,
		     uint64_t ticket, const struct published *published,
		     const struct event_list *deps, bool complete_only,
		     struct held **carried)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct held *held = mem_alloc(sizeof(*held));
	dpr_event *event = published->event;
	size_t i;

	if (!held)
		return fail_memory(operation->name);
	pthread_once(&once, set_held_jobs);
	held->queue = queue;
	held->entry.ticket = ticket;
	held->entry.is_barrier = operation->kind == OPERATION_BARRIER;
	held->entry.is_carried = carried != NULL;
	if (carried && trace_on())
		event->sent = clock_now();
	held->complete_only = complete_only;
	held->after_all = operation->kind == OPERATION_BARRIER && !deps->count;
	held->entry.event = dpr_event_retain(event);
	held->operation = *operation;
	held->operation.name = event->name;
	if (operation->kind == OPERATION_LAUNCH)
		dpr_kernel_retain(operation->u.launch.kernel);
	if (!copy_operation(held))
		goto err;
	if (deps->count) {
		held->deps =
			mem_copy(deps->list, deps->count * sizeof(dpr_event *));
		held->parkings =
			mem_array(deps->count, sizeof(*held->parkings));
		if (!held->deps || !held->parkings)
			goto err;
	}
	for (i = 0; i < deps->count; i++) {
		dpr_event_retain(held->deps[i]);
		held->parkings[i].held = held;
	}
	held->n_deps = deps->count;
	atomic_store_explicit(&event->was_held, true, memory_order_relaxed);
	pthread_mutex_lock(&queue->lock);
	held_list_add_locked(queue, &held->entry);
	(void)tickets_publish_locked(
		queue, ticket,
		&(struct published){ .name = published->name,
				     .uses = published->uses,
				     .n_uses = published->n_uses });
	pthread_mutex_unlock(&queue->lock);
	if (carried)
		*carried = held;
	return DPR_OK;
err:
	held_free(held);
	return fail_memory(operation->name);
}

/* Whether @held has to wait while @dep is in @state. */
static bool blocks_held(const struct held *held, const dpr_event *dep,
			enum dpr_event_state state)
{
	if (state == DPR_EVENT_COMPLETE)
		return false;
	return state == DPR_EVENT_HELD || dep->plugin != held->queue->plugin ||
	       held->complete_only;
}

enum readiness { NOT_YET, READY, FAILED };

/* Whether @held can be sent.  FAILED: it cannot, because *@root, one of its
   dependencies, has failed. */
static enum readiness examine_held(struct held *held, bool is_first,
				   dpr_event **root)
{
	enum readiness ready = READY;
	size_t i;

	if (held->after_all && !is_first)
		ready = NOT_YET;
	for (i = 0; i < held->n_deps; i++) {
		dpr_event *dep = held->deps[i];
		enum dpr_event_state state = event_poll(dep);

		if (state == DPR_EVENT_FAILED) {
			*root = dep;
			return FAILED;
		}
		if (!blocks_held(held, dep, state))
			continue;
		ready = NOT_YET;
		/* If @dep is held, @held is looked at again when @dep leaves
		   the core.  Else watch @dep. */
		if (state != DPR_EVENT_HELD)
			progress_watch(dep);
	}
	return ready;
}

/* Put @held into the list of submissions to look at again. */
static void look_again(struct held *held)
{
	if (held->again)
		return;
	held->again = true;
	held->again_next = held->queue->again;
	held->queue->again = held;
}

static void leave_parking(struct parking *parking)
{
	if (!parking->at)
		return;
	*parking->at = parking->next;
	if (parking->next)
		parking->next->at = parking->at;
	parking->at = NULL;
}

/* Park @held at all unfinished dependencies, because any of them may fail. */
static void park_held(struct held *held)
{
	bool blocked = false;
	size_t i;

	for (i = 0; i < held->n_deps; i++) {
		struct parking *parking = &held->parkings[i];
		dpr_event *dep = held->deps[i];
		enum dpr_event_state state = event_state(dep);

		blocked |= blocks_held(held, dep, state);
		if (parking->at || state == DPR_EVENT_COMPLETE)
			continue;
		/* An event that is not watched moves unnoticed: look at @held
		   again each time. */
		if (state == DPR_EVENT_FAILED ||
		    (state != DPR_EVENT_HELD && progress_watch(dep))) {
			look_again(held);
			continue;
		}
		parking->next = dep->parked;
		parking->at = &dep->parked;
		if (parking->next)
			parking->next->at = &parking->next;
		dep->parked = parking;
	}
	/* All dependencies may have completed since examine_held() looked. */
	if (!blocked)
		look_again(held);
}

/* @event has moved: look again at the submissions parked at it. */
static void unpark_held(dpr_event *event)
{
	struct parking *parking;

	while ((parking = event->parked)) {
		leave_parking(parking);
		look_again(parking->held);
	}
}

/* Remove @held from all lists.  Called with `submit` and `lock` held. */
static void unlink_locked(dpr_queue *queue, struct held *held)
{
	size_t i;

	held_list_remove_locked(queue, &held->entry);
	for (i = 0; i < held->n_deps; i++)
		leave_parking(&held->parkings[i]);
}

/* Remove a submission whose event has just failed.  Until it is removed, a wait
   for the queue finds the event.  Called with `submit` held, which this
   releases: so a new submission sees both the failure and the removal. */
static void take_out_failed(dpr_queue *queue, struct held *held)
{
	uses_failed(held->uses, held->operation.n_uses);
	pthread_mutex_lock(&queue->lock);
	unlink_locked(queue, held);
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_unlock(&queue->submit);
	unpark_held(held->entry.event);
	progress_moved(held->entry.event);
	event_wake();
}

/* Fail @held, which the driver has refused.  If a dependency has failed since
   examine_held() looked, that is taken as the cause. */
static void fail_refused(dpr_queue *queue, struct held *held, dprp_rc rc)
{
	dpr_status status = enqueue_status(queue, &held->operation, rc);
	dpr_event *root = event_find_failed(held->deps, held->n_deps);

	pthread_mutex_lock(&queue->submit);
	if (root)
		event_fail_for(held->entry.event, root);
	else
		event_fail(held->entry.event, status, dpr_last_error());
	take_out_failed(queue, held);
}

/* Have another thread carry out @held.  From then on that thread may free it at
   any time. */
static void carry_held(dpr_queue *queue, struct held *held)
{
	size_t i;

	for (i = 0; i < held->n_deps; i++)
		leave_parking(&held->parkings[i]);
	if (trace_on())
		held->entry.event->sent = clock_now();
	pthread_mutex_lock(&queue->lock);
	held->entry.is_carried = true;
	pthread_mutex_unlock(&queue->lock);
	held->operation.carry(held, false);
}

/* What has become of a submission that was ready.  STAYS: it waits until its
   dependencies are complete.  SENT: it was sent or has failed, and is to be
   freed.  CARRIED: another thread carries it out. */
enum sending { STAYS, SENT, CARRIED };

/* Send @held to the driver. */
static enum sending send_held(dpr_queue *queue, struct held *held)
{
	dprp_event *handle = NULL;
	dprp_rc rc;

	pthread_mutex_lock(&queue->submit);
	held->entry.event->compiles |= enqueue_compiles(&held->operation);
	if (tickets_reserve(queue))
		rc = enqueue_operation(queue, &held->operation,
				       held->entry.ticket, held->deps,
				       held->n_deps, &handle);
	else
		rc = DPR_RC_OOM_HOST;
	if (enqueue_finds_way(rc) && held->n_deps && !held->complete_only) {
		pthread_mutex_unlock(&queue->submit);
		held->complete_only = true;
		return STAYS;
	}
	if (rc == DPR_RC_HOST_MEMORY && held->operation.carry) {
		pthread_mutex_unlock(&queue->submit);
		carry_held(queue, held);
		return CARRIED;
	}
	if (rc) {
		pthread_mutex_unlock(&queue->submit);
		fail_refused(queue, held, rc);
		return SENT;
	}
	event_depends(held->entry.event, held->deps, held->n_deps);
	event_submitted(held->entry.event, handle);
	pthread_mutex_lock(&queue->lock);
	unlink_locked(queue, held);
	/* Its uses were published when it was held. */
	(void)tickets_publish_locked(
		queue, held->entry.ticket,
		&(struct published){ .name = held->entry.event->name,
				     .event = held->entry.event,
				     .pin = operation_kernel(&held->operation),
				     .pin_kind = &enqueue_kernel_pin });
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_unlock(&queue->submit);
	unpark_held(held->entry.event);
	progress_moved(held->entry.event);
	event_wake();
	return SENT;
}

static void fail_held(dpr_queue *queue, struct held *held, dpr_event *root)
{
	pthread_mutex_lock(&queue->submit);
	event_fail_for(held->entry.event, root);
	take_out_failed(queue, held);
}

/* Send @held if it is ready, or fail it if a dependency has failed.  Returns
   whether it was sent, was failed or is carried out. */
static bool release_one(dpr_queue *queue, struct held *held, bool is_first)
{
	dpr_event *root = NULL;

	for (;;) {
		switch (examine_held(held, is_first, &root)) {
		case NOT_YET: return false;
		case READY:
			switch (send_held(queue, held)) {
			case STAYS: continue;
			case SENT: break;
			case CARRIED: return true;
			}
			break;
		case FAILED: fail_held(queue, held, root); break;
		}
		held_free(held);
		return true;
	}
}

/* The submission with this entry; NULL for NULL. */
static struct held *held_of(struct held_entry *entry)
{
	return (struct held *)entry; /* the entry is the first member */
}

/* The oldest held submission.  NULL if there is none, or while the oldest is
   carried out. */
static struct held *find_oldest(dpr_queue *queue)
{
	struct held *held;

	pthread_mutex_lock(&queue->lock);
	held = held_of(queue->held);
	if (held && held->entry.is_carried)
		held = NULL;
	pthread_mutex_unlock(&queue->lock);
	return held;
}

static size_t release_in_order(dpr_queue *queue)
{
	struct held *held;
	size_t left = 0;

	while ((held = find_oldest(queue)) && release_one(queue, held, true))
		left++;
	return left;
}

/* Send or fail the submissions to look at again, where that is possible.
   Returns how many were dealt with. */
static size_t release_parked(dpr_queue *queue)
{
	struct held *held, *stay = NULL;
	size_t left = 0;

	while ((held = queue->again)) {
		queue->again = held->again_next;
		held->again = false;
		if (release_one(queue, held, false)) {
			left++;
			continue;
		}
		park_held(held);
		if (!held->again)
			continue;
		/* It cannot be parked, so look at it again next time. */
		queue->again = held->again_next;
		held->again_next = stay;
		stay = held;
	}
	queue->again = stay;
	return left;
}

/* The oldest submission that was not looked at.  *@is_first: whether no older
   one is held. */
static struct held *find_oldest_unseen(dpr_queue *queue, bool *is_first)
{
	struct held *held;

	pthread_mutex_lock(&queue->lock);
	while (queue->unseen && queue->unseen->is_carried)
		queue->unseen = queue->unseen->next;
	held = held_of(queue->unseen);
	*is_first = queue->unseen == queue->held;
	pthread_mutex_unlock(&queue->lock);
	return held;
}

static void set_seen(dpr_queue *queue, struct held *held)
{
	pthread_mutex_lock(&queue->lock);
	queue->unseen = held->entry.next;
	pthread_mutex_unlock(&queue->lock);
}

static size_t release_out_of_order(dpr_queue *queue)
{
	size_t left = release_parked(queue);
	struct held *held;
	bool is_first;

	while ((held = find_oldest_unseen(queue, &is_first))) {
		if (release_one(queue, held, is_first)) {
			left += 1 + release_parked(queue);
			continue;
		}
		/* Later submissions must not overtake a barrier. */
		if (held->operation.kind == OPERATION_BARRIER)
			break;
		set_seen(queue, held);
		park_held(held);
	}
	return left;
}

/* Free the submissions that were carried out, and look again at submissions
   that wait for them. */
static void unpark_carried(dpr_queue *queue)
{
	struct held *list, *next;

	pthread_mutex_lock(&queue->lock);
	list = queue->carried;
	queue->carried = NULL;
	pthread_mutex_unlock(&queue->lock);
	for (; list; list = next) {
		next = list->again_next;
		unpark_held(list->entry.event);
		held_free(list);
	}
}

/* Send each held submission that is ready, and fail each that cannot run any
   more.  Returns how many were dealt with. */
static size_t release_held(dpr_queue *queue)
{
	size_t left;

	unpark_carried(queue);
	left = queue->in_order ? release_in_order(queue)
			       : release_out_of_order(queue);

	/* Threads that wait for these do not know when to flush. */
	if (left && queue_flush(queue))
		tickets_poll(queue);
	return left;
}

static void set_held_jobs(void)
{
	progress_set_held_jobs(release_held, unpark_held);
}

dpr_queue *held_queue(const struct held *held)
{
	return held->queue;
}

const struct operation *held_operation(const struct held *held)
{
	return &held->operation;
}

/* Remove a submission that was carried out.  The progress thread frees it
   later.  Called with `submit` held, and releases `submit`. */
static void take_out_carried(struct held *held)
{
	dpr_event *event = dpr_event_retain(held->entry.event);
	dpr_queue *queue = held->queue;
	struct use *uses = held->uses;
	size_t n = held->operation.n_uses, i;

	/* Freeing memory may take long, so it must not happen in the progress
	   thread. */
	held->uses = NULL;
	pthread_mutex_lock(&queue->lock);
	held_list_remove_locked(queue, &held->entry);
	held->again_next = queue->carried;
	queue->carried = held;
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_unlock(&queue->submit);
	for (i = 0; i < n; i++)
		dpr_usm_release(uses[i].usm);
	mem_free(uses);
	progress_moved(event);
	event_wake();
	progress_queue(queue);
	dpr_event_release(event);
}

void held_finish(struct held *held, const struct held_end *end)
{
	dpr_event *event = held->entry.event;
	dpr_queue *queue = held->queue;

	pthread_mutex_lock(&queue->submit);
	if (end->piece)
		event_fail_by(event, end->piece);
	else if (end->status)
		event_fail(event, end->status, end->text);
	else
		event_complete(event, end->times);
	if (end->status)
		uses_failed(held->uses, held->operation.n_uses);
	take_out_carried(held);
}

dpr_status held_send_last(struct held *held, const struct held_last *last)
{
	struct published published = { .name = held->entry.event->name,
				       .event = held->entry.event,
				       .pin_kind = &enqueue_usm_pin };
	dpr_event *event = held->entry.event;
	dpr_queue *queue = held->queue;
	dprp_event *handle = NULL;
	dprp_rc rc = DPR_RC_OOM_HOST;
	size_t i = 0;

	pthread_mutex_lock(&queue->submit);
	if (tickets_reserve(queue))
		rc = enqueue_operation(queue, &last->operation,
				       held->entry.ticket, last->deps,
				       last->n_deps, &handle);
	if (rc) {
		pthread_mutex_unlock(&queue->submit);
		return enqueue_status(queue, &last->operation, rc);
	}
	event->echoes = last->operation.kind == OPERATION_BARRIER;
	event_depends(event, last->deps, last->n_deps);
	event_submitted(event, handle);
	pthread_mutex_lock(&queue->lock);
	/* Its uses were published when it was held. */
	do {
		published.pin = i < last->n_chunks ? last->chunks[i] : NULL;
		(void)tickets_publish_locked(queue, held->entry.ticket,
					     &published);
		published.event = NULL;
	} while (++i < last->n_chunks);
	pthread_mutex_unlock(&queue->lock);
	take_out_carried(held);
	return DPR_OK;
}
