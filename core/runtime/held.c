/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held.c - submissions that wait in the core, since the driver cannot wait for
 * what they wait for.
 *
 * Only the progress thread takes entries out.  So one that it has found stays
 * where it is, and can be looked at without a lock.
 */
#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/event.h"
#include "core/runtime/kernel.h"
#include "core/runtime/progress.h"
#include "core/runtime/usm.h"

struct held {
	struct held *next; /* guarded by the queue's locks */
	uint64_t ticket;
	struct operation operation; /* a deep copy */
	struct use *uses;           /* each a reference */
	dprp_arg *args;             /* with the values behind them */
	unsigned char *pattern;
	dpr_event *event; /* a reference */
	dpr_event **deps; /* each a reference */
	size_t n_deps;
	int complete_only; /* the plugin cannot wait for any of deps */
	int after_all; /* a barrier without deps: all held ones come first */
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
	dpr_event_release(held->event);
	mem_free(held->uses);
	mem_free(held->args);
	mem_free(held->pattern);
	mem_free(held->deps);
	mem_free(held);
}

/* The arguments and, behind them, their values in one block. */
static int copy_args(struct held *held)
{
	dprp_launch *launch = &held->operation.u.launch.launch;
	size_t n = launch->n_args, size = n * sizeof(dprp_arg), i;
	unsigned char *value;

	for (i = 0; i < n; i++)
		if (launch->args[i].kind == DPRP_ARG_VALUE)
			size += (launch->args[i].size + 15) & ~(size_t)15;
	held->args = mem_alloc(size);
	if (!held->args)
		return 0;
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
	return 1;
}

static int copy_operation(struct held *held)
{
	struct operation *op = &held->operation;
	size_t i;

	if (op->n_uses) {
		held->uses = mem_copy(op->uses, op->n_uses * sizeof(*op->uses));
		if (!held->uses)
			return 0;
	}
	for (i = 0; i < op->n_uses; i++)
		dpr_usm_retain(held->uses[i].usm);
	op->uses = held->uses;
	if (op->kind == OPERATION_FILL) {
		held->pattern =
			mem_copy(op->u.move.pattern, op->u.move.pattern_size);
		if (!held->pattern)
			return 0;
		op->u.move.pattern = held->pattern;
	}
	return op->kind != OPERATION_LAUNCH || copy_args(held);
}

int held_push(dpr_queue *queue, const struct operation *operation,
	      uint64_t ticket, dpr_event *event, const struct event_list *deps,
	      int complete_only)
{
	struct held *held = mem_alloc(sizeof(*held));
	size_t i;

	if (!held)
		return 0;
	held->ticket = ticket;
	held->complete_only = complete_only;
	held->after_all = operation->kind == OPERATION_BARRIER && !deps->count;
	held->event = dpr_event_retain(event);
	event->was_held = 1;
	held->operation = *operation;
	held->operation.name = event->name;
	if (operation->kind == OPERATION_LAUNCH)
		dpr_kernel_retain(operation->u.launch.kernel);
	if (!copy_operation(held))
		goto err;
	if (deps->count) {
		held->deps =
			mem_copy(deps->list, deps->count * sizeof(dpr_event *));
		if (!held->deps)
			goto err;
	}
	for (i = 0; i < deps->count; i++)
		dpr_event_retain(held->deps[i]);
	held->n_deps = deps->count;
	pthread_mutex_lock(&queue->lock);
	*queue->held_end = held;
	queue->held_end = &held->next;
	queue->n_held++;
	(void)queue_publish_locked(queue, ticket, event->name, NULL, NULL);
	pthread_mutex_unlock(&queue->lock);
	return 1;
err:
	held_free(held);
	return 0;
}

uint64_t held_first(const dpr_queue *queue)
{
	return queue->held ? queue->held->ticket : 0;
}

int held_barrier(const dpr_queue *queue)
{
	const struct held *held;

	for (held = queue->held; held; held = held->next)
		if (held->operation.kind == OPERATION_BARRIER)
			return 1;
	return 0;
}

int held_events_locked(const dpr_queue *queue, uint64_t ticket, int many,
		       struct event_list *list)
{
	const struct held *held;
	int n = 0;

	for (held = queue->held; held && held->ticket <= ticket;
	     held = held->next) {
		if (!many && held->ticket != ticket)
			continue;
		if (!event_list_add(list, dpr_event_retain(held->event)))
			return -1;
		n++;
	}
	return n;
}

enum readiness { NOT_YET, READY, FAILED };

/* Whether it can go; *@root is the dependency that it fails for. */
static enum readiness examine(dpr_queue *queue, struct held *held, int is_first,
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
		if (state == DPR_EVENT_COMPLETE)
			continue;
		if (state != DPR_EVENT_HELD && dep->plugin == queue->plugin &&
		    !held->complete_only)
			continue;
		ready = NOT_YET;
		/* A held one is looked at again when it has left the core. */
		if (state != DPR_EVENT_HELD)
			progress_watch(dep);
	}
	return ready;
}

/* Take it out; called with both locks. */
static void unlink_locked(dpr_queue *queue, struct held *held)
{
	struct held **at = &queue->held;

	while (*at != held)
		at = &(*at)->next;
	*at = held->next;
	if (queue->held_end == &held->next)
		queue->held_end = at;
	queue->n_held--;
}

/* Take out one whose event has just failed: as long as it is there, whoever
   waits for the queue finds that event.  Takes over `submit`, so that no
   submission sees one without the other. */
static void take_out_failed(dpr_queue *queue, struct held *held)
{
	access_failed(held->uses, held->operation.n_uses);
	pthread_mutex_lock(&queue->lock);
	unlink_locked(queue, held);
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_unlock(&queue->submit);
	event_wake();
}

/* Send it out.  0: it has to stay, for its dependencies have to complete. */
static int send_out(dpr_queue *queue, struct held *held)
{
	dprp_event *handle = NULL;
	dpr_status status;
	dprp_rc rc;

	pthread_mutex_lock(&queue->submit);
	if (queue_reserve(queue))
		rc = submit_enqueue(queue, &held->operation, held->ticket,
				    held->deps, held->n_deps, &handle);
	else
		rc = DPR_RC_OOM_HOST;
	if (rc == DPR_RC_NO_PATH && held->n_deps && !held->complete_only) {
		pthread_mutex_unlock(&queue->submit);
		held->complete_only = 1;
		return 0;
	}
	if (rc) {
		status = submit_status(queue, &held->operation, rc);
		event_settle(held->event, status, dpr_last_error(), NULL);
		take_out_failed(queue, held);
		return 1;
	}
	event_depends(held->event, held->deps, held->n_deps);
	event_submitted(held->event, handle);
	pthread_mutex_lock(&queue->lock);
	unlink_locked(queue, held);
	(void)queue_publish_locked(queue, held->ticket, held->event->name,
				   held->event,
				   operation_kernel(&held->operation));
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_unlock(&queue->submit);
	event_wake();
	return 1;
}

static void fail_one(dpr_queue *queue, struct held *held, dpr_event *root)
{
	pthread_mutex_lock(&queue->submit);
	event_fail_for(held->event, root);
	take_out_failed(queue, held);
}

/* Deal with one entry.  Returns whether it has left. */
static int release_one(dpr_queue *queue, struct held *held, int is_first)
{
	dpr_event *root = NULL;

	switch (examine(queue, held, is_first, &root)) {
	case NOT_YET: return 0;
	case READY:
		if (!send_out(queue, held))
			return 0;
		break;
	case FAILED: fail_one(queue, held, root); break;
	}
	held_free(held);
	return 1;
}

static struct held *next_held(dpr_queue *queue, const struct held *held)
{
	struct held *next;

	pthread_mutex_lock(&queue->lock);
	next = held ? held->next : queue->held;
	pthread_mutex_unlock(&queue->lock);
	return next;
}

size_t held_release(dpr_queue *queue)
{
	struct held *held = next_held(queue, NULL), *next;
	int is_first = 1;
	size_t left = 0;

	while (held) {
		int barrier = held->operation.kind == OPERATION_BARRIER;

		next = next_held(queue, held);
		if (release_one(queue, held, is_first)) {
			left++;
			held = next_held(queue, NULL);
			is_first = 1;
			continue;
		}
		/* In order nothing overtakes; a barrier is not overtaken
		   either. */
		if (queue->in_order || barrier)
			break;
		is_first = 0;
		held = next;
	}
	/* Whoever waits for them does not know when to flush. */
	if (left && queue_flush(queue))
		queue_poll(queue);
	return left;
}
