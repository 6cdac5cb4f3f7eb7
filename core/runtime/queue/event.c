/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - events: how far a submission is, and how it ended. */
#include "core/runtime/queue/event.h"

#include <string.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/base/handles/handles.h"
#include "core/base/live.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/stock.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/runtime/queue/queue_failure.h"
#include "core/runtime/queue/suspects.h"

/* An event that was not polled keeps its dependencies.  Such chains are cut at
   this length, because releasing an event recurses along them. */
#define MAX_DEPTH 32

/* Events whose name fits in this many bytes are recycled. */
#define STOCK_NAME 40

static struct stock stock = STOCK_INIT(sizeof(dpr_event) + STOCK_NAME);

/*
 * Threads that wait for held events share one condition: they are few and wait
 * long.  The mutex guards no data.  The state changes before event_wake() takes
 * the mutex, and waiters check it under the mutex, so no wake-up is lost.
 */
static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t held_changed = PTHREAD_COND_INITIALIZER;

static void empty_stock(void)
{
	stock_empty(&stock);
}

static void add_stock_hook(void)
{
	static struct kept_hook hook = { .drop = empty_stock };

	process_add_kept(&hook);
}

/* Free an event's memory, or keep it for the next event. */
static void give_object(void *object)
{
	dpr_event *event = object;
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (strlen(event->name) >= STOCK_NAME) {
		mem_free(event);
		return;
	}
	pthread_once(&once, add_stock_hook);
	stock_give(&stock, event);
}

dpr_event *event_new(dpr_device *device, dpr_queue *queue, const char *name,
		     uint64_t ticket)
{
	size_t size = strlen(name) + 1;
	dpr_event *event = size > STOCK_NAME ? mem_alloc(sizeof(*event) + size)
					     : stock_take(&stock);

	if (!event)
		return NULL;
	memset(event, 0, sizeof(*event));
	refs_init(&event->refs);
	event->device = device;
	event->plugin = device->plugin;
	event->queue = queue;
	if (queue)
		queue_weak_retain(queue);
	event->ticket = ticket;
	atomic_init(&event->handle, NULL);
	atomic_init(&event->state, DPR_EVENT_HELD);
	pthread_mutex_init(&event->lock, NULL);
	event->callbacks_end = &event->callbacks;
	memcpy(event->name, name, size);
	live_add(LIVE_EVENT);
	return event;
}

dpr_event *dpr_event_retain(dpr_event *event)
{
	HANDLES_RETAIN(event);
	if (event)
		refs_take(&event->refs);
	return event;
}

static void drop_deps(dpr_event **deps, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		dpr_event_release(deps[i]);
	mem_free(deps);
}

void event_depends(dpr_event *event, dpr_event *const *deps, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (deps[i]->depth >= event->depth)
			event->depth = deps[i]->depth + 1;
	if (!n)
		return;
	if (event->depth > MAX_DEPTH) {
		event->depth = 0;
		return;
	}
	/* If memory runs out, a later failure of @event does not name the
	   dependency that caused it. */
	event->deps = mem_copy(deps, n * sizeof(dpr_event *));
	for (i = 0; event->deps && i < n; i++)
		dpr_event_retain(deps[i]);
	event->n_deps = event->deps ? n : 0;
}

/* Events that nobody needs any more, but that exit() does not let go.  A list,
   so that a pointer reaches each of them: leak checkers report all other
   memory.  Linked by `called_next`. */
static _Atomic(dpr_event *) left_by_exit;

static void leave_to_exit(dpr_event *event)
{
	event->called_next = atomic_load(&left_by_exit);
	while (!atomic_compare_exchange_weak(&left_by_exit, &event->called_next,
					     event))
		;
}

void dpr_event_release(dpr_event *event)
{
	HANDLES_RELEASE(dpr_event_release, event);
	struct event_callback *callback;
	dprp_event *handle;

	if (!event)
		return;
	if (!refs_drop(&event->refs))
		return;
	/* The last reference may be that of a thread of the library, which goes
	   on for a moment while exit() runs. */
	if (!process_alive()) {
		leave_to_exit(event);
		return;
	}
	handle = atomic_load_explicit(&event->handle, memory_order_relaxed);
	if (handle)
		event->plugin->event.destroy(handle);
	while ((callback = event->callbacks)) {
		event->callbacks = callback->next;
		mem_free(callback);
	}
	if (event->queue)
		queue_weak_release(event->queue);
	drop_deps(event->deps, event->n_deps);
	pthread_mutex_destroy(&event->lock);
	mem_free(event->text);
	failure_release(event->root);
	handles_free(event, give_object);
	live_drop(LIVE_EVENT);
}

void event_wake(void)
{
	pthread_mutex_lock(&held_lock);
	pthread_cond_broadcast(&held_changed);
	pthread_mutex_unlock(&held_lock);
}

bool event_sleep_while_held(dpr_event *event, uint64_t deadline)
{
	struct timespec until = { .tv_sec = (time_t)(deadline / 1000000000u),
				  .tv_nsec = (long)(deadline % 1000000000u) };
	int rc = 0;

	pthread_mutex_lock(&held_lock);
	while (!rc && event_state(event) == DPR_EVENT_HELD) {
		if (deadline == DPR_FOREVER)
			rc = pthread_cond_wait(&held_changed, &held_lock);
		else
			rc = pthread_cond_clockwait(&held_changed, &held_lock,
						    CLOCK_MONOTONIC, &until);
	}
	pthread_mutex_unlock(&held_lock);
	return event_state(event) != DPR_EVENT_HELD;
}

void event_submitted(dpr_event *event, dprp_event *handle)
{
	if (trace_on())
		event->sent = clock_now();
	atomic_store_explicit(&event->handle, handle, memory_order_release);
	atomic_store_explicit(&event->state, DPR_EVENT_QUEUED,
			      memory_order_release);
}

/* Record in the event's queue which submissions the final event proves to be
   over. */
static void advance_queue(const dpr_event *event, dpr_status status)
{
	dpr_queue *queue = event->queue;

	pthread_mutex_lock(&queue->lock);
	if (queue->in_order || event->covers_all)
		queue_raise_done_locked(queue, event->ticket);
	if (!status && !event->covers_all)
		spoil_proved(&queue->spoil, event->ticket);
	pthread_mutex_unlock(&queue->lock);
}

/* How an event ended. */
struct ending {
	dpr_status status;
	char *text;                    /* NULL: the text of `root` */
	struct failure *root;          /* NULL: no failure */
	unsigned flags;                /* enum failure_flags */
	const dprp_event_state *times; /* NULL: unknown */
};

/* Make the event final.  Takes over @end's text and root.  Returns false if it
   was final already. */
static bool make_final(dpr_event *event, struct ending *end)
{
	dpr_event **deps = NULL;
	size_t n_deps = 0;
	bool first;

	pthread_mutex_lock(&event->lock);
	first = !event_final(event);
	if (first) {
		deps = event->deps;
		n_deps = event->n_deps;
		event->deps = NULL;
		event->n_deps = 0;
		if (trace_on())
			event->seen = clock_now();
		event->status = end->status;
		event->text = end->text;
		event->root = end->root;
		end->text = NULL;
		end->root = NULL;
		if (end->times) {
			event->t_queued = end->times->t_queued;
			event->t_submit = end->times->t_submit;
			event->t_start = end->times->t_start;
			event->t_end = end->times->t_end;
		}
		/* Record the failure before the state shows it: a wait for the
		   queue must find the failure.  Takes leaf locks only. */
		if (end->status && event->queue)
			event->root = queue_failure_note(
				event->queue, event->ticket, end->flags,
				end->status, event->text, event->root);
		atomic_store_explicit(&event->state,
				      end->status ? DPR_EVENT_FAILED
						  : DPR_EVENT_COMPLETE,
				      memory_order_release);
	}
	pthread_mutex_unlock(&event->lock);
	drop_deps(deps, n_deps);
	mem_free(end->text);
	failure_release(end->root);
	return first;
}

static void end_event(dpr_event *event, struct ending *end)
{
	dpr_status status = end->status;

	if (!make_final(event, end) || !event->queue)
		return;
	/* An event may fail early, because something that it waits for has
	   failed.  So a failure does not prove that earlier work is over. */
	if (status && status != DPR_ERROR_DEVICE_LOST)
		return;
	/* A complete event without a handle was carried out by the core.  On an
	   in-order queue the core does so after all earlier work. */
	if (!status ||
	    atomic_load_explicit(&event->handle, memory_order_relaxed))
		advance_queue(event, status);
}

void event_fail(dpr_event *event, dpr_status status, const char *text)
{
	struct ending end = { .status = status,
			      .root = failure_new(status, text) };

	end_event(event, &end);
	event_wake();
}

void event_complete(dpr_event *event, const dprp_event_state *times)
{
	end_event(event, &(struct ending){ .times = times });
	event_wake();
}

void event_fail_by(dpr_event *event, const dpr_event *piece)
{
	struct ending end = { .status = piece->status,
			      .root = failure_retain(piece->root),
			      .flags = FAILURE_DRIVER };

	if (piece->text)
		end.text = mem_string(piece->text);
	if (event->queue->in_order && end.status == DPR_ERROR_DEVICE_LOST)
		end.flags |= FAILURE_VAGUE;
	end_event(event, &end);
	event_wake();
}

static void fail_for_root(dpr_event *event, dpr_event *root, unsigned flags)
{
	struct ending end = { .status = root->status,
			      .root = failure_retain(root->root),
			      .flags = flags };
	struct text text = { 0 };

	text_print(
		&text,
		"%s on %s was not done, because a submission that it waits for "
		"has failed: %s",
		event->name, event_place(event), root->root->text);
	end.text = text_take(&text);
	end_event(event, &end);
	event_wake();
}

void event_fail_for(dpr_event *event, dpr_event *root)
{
	fail_for_root(event, root, 0);
}

/* The first of the listed dependencies that has failed, with a reference; NULL
   if none is known to have failed. */
static dpr_event *find_root(dpr_event *event)
{
	dpr_event *dep = NULL;
	size_t i;

	for (i = 0;; i++) {
		pthread_mutex_lock(&event->lock);
		dep = i < event->n_deps ? dpr_event_retain(event->deps[i])
					: NULL;
		pthread_mutex_unlock(&event->lock);
		if (!dep || event_poll(dep) == DPR_EVENT_FAILED)
			return dep;
		dpr_event_release(dep);
	}
}

/* The failure that this event shares with all its dependents.  After a loss,
   all events of the device share a failure. */
static struct failure *root_failure(const dpr_device *device, dpr_status status,
				    const char *text)
{
	return status == DPR_ERROR_DEVICE_LOST ? device_loss(device, text)
					       : failure_new(status, text);
}

/*
 * The flags for a failure @rc that the driver reports for @event.  In order, a
 * submission may fail because an earlier one did, even if the earlier one's
 * event has not reported that yet.  Out of order each event reports only on
 * itself, and a marker reports on no submission.
 */
static unsigned native_flags(const dpr_event *event, dprp_rc rc)
{
	if (!event->queue || !event->queue->in_order)
		return FAILURE_DRIVER |
		       (event->covers_all ? (unsigned)FAILURE_OTHER : 0);
	return FAILURE_DRIVER | (event->echoes || rc == DPR_RC_DEP_FAILED ||
						 rc == DPR_RC_DEVICE_LOST
					 ? (unsigned)FAILURE_VAGUE
					 : 0);
}

/* Fail an event that the driver reports as failed. */
static void fail_native(dpr_event *event, dprp_rc rc, dpr_status status,
			int64_t native, const struct text *said,
			const dprp_event_state *times)
{
	struct ending end = { .status = status,
			      .flags = native_flags(event, rc),
			      .times = times };
	struct text text = { 0 };

	text_print(&text, "%s on %s failed: %s", event->name,
		   event_place(event),
		   said->size ? text_get(said) : dpr_status_text(status));
	plugin_print_native(&text, text_get(said), native);
	if (rc == DPR_RC_DEVICE_LOST)
		suspects_print(event->device, &text);
	end.root = root_failure(event->device, status, text_get(&text));
	/* `root` may be an earlier failure with another text. */
	end.text = text_take(&text);
	end_event(event, &end);
}

/* Fail an event whose state the driver can no longer report.  This thread's
   last error stays as it was. */
static void fail_unknown(dpr_event *event, dprp_rc rc, struct text *said)
{
	char *before = status_keep();
	dpr_status status;

	text_fini(said);
	/* This records the plugin's words as the last error. */
	status = plugin_status(event->plugin, rc, "state of %s", event->name);
	text_print(said, "%s", dpr_last_error());
	status_restore(before);
	fail_native(event, rc, status, 0, said, NULL);
}

/* Ask the plugin for the state.  Returns a failure if the answer breaks the
   contract. */
static dprp_rc ask_state(const dpr_event *event, dprp_event *handle,
			 dprp_event_state *state, struct text *said)
{
	dprp_sink sink = { text_sink, said };
	dprp_rc rc = event->plugin->event.status(handle, state, sink);

	rc = plugin_checked(event->plugin, "event->status", rc);
	if (rc || (state->state >= DPRP_EVENT_QUEUED &&
		   state->state <= DPRP_EVENT_FAILED))
		return rc;
	return plugin_broke(event->plugin, "N1",
			    "event->status gave the state %u, which does not "
			    "exist",
			    (unsigned)state->state);
}

/*
 * The driver could not report the state.  Ask with a wait that does not block.
 * After a timeout the work still runs, and its memory and objects must be kept.
 * If the work is over, ask for the state once more.
 */
static dprp_rc ask_again(dpr_event *event, dprp_event *handle, dprp_rc rc,
			 dprp_event_state *state, struct text *said)
{
	dprp_rc waited;

	if (rc == DPR_RC_DEVICE_LOST)
		return rc;
	waited = event->plugin->event.wait(&handle, 1, 0);
	if (waited == DPR_RC_TIMEOUT)
		return waited;
	if (waited)
		return rc;
	text_fini(said);
	*state = (dprp_event_state){ .struct_size = sizeof(*state) };
	return ask_state(event, handle, state, said);
}

enum dpr_event_state event_poll(dpr_event *event)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	enum dpr_event_state before = event_state(event);
	struct text said = { 0 };
	dprp_event *handle;
	int queued = DPR_EVENT_QUEUED;
	dpr_event *root;
	dprp_rc rc;

	if (before == DPR_EVENT_HELD || before >= DPR_EVENT_COMPLETE)
		return before;
	handle = atomic_load_explicit(&event->handle, memory_order_acquire);
	rc = ask_state(event, handle, &state, &said);
	if (rc)
		rc = ask_again(event, handle, rc, &state, &said);
	if (rc == DPR_RC_TIMEOUT) {
		text_fini(&said);
		return before;
	}
	if (rc) {
		fail_unknown(event, rc, &said);
	} else if (state.state == DPRP_EVENT_DONE) {
		end_event(event, &(struct ending){ .times = &state });
	} else if (state.state == DPRP_EVENT_FAILED &&
		   state.rc == DPR_RC_DEP_FAILED && (root = find_root(event))) {
		fail_for_root(event, root, FAILURE_DRIVER);
		dpr_event_release(root);
	} else if (state.state == DPRP_EVENT_FAILED) {
		if (!said.size && !plugin_rc_exists(event->plugin, state.rc))
			text_print(&said,
				   "event->status gave DPRP_EVENT_FAILED with "
				   "the code %d, which is not a "
				   "failure" PLUGIN_AGAINST("E1"),
				   (int)state.rc);
		rc = state.rc ? state.rc : DPR_RC_INTERNAL;
		fail_native(event, rc, plugin_rc_status(event->plugin, rc),
			    state.native, &said, &state);
	} else if (state.state == DPRP_EVENT_RUNNING) {
		atomic_compare_exchange_strong(&event->state, &queued,
					       DPR_EVENT_RUNNING);
	}
	text_fini(&said);
	return event_state(event);
}

dpr_event *event_find_failed(dpr_event *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (event_poll(list[i]) == DPR_EVENT_FAILED)
			return list[i];
	return NULL;
}

void event_flush(dpr_event *event)
{
	dpr_queue *queue = event->queue;
	char *text;

	if (!queue ||
	    !atomic_load_explicit(&queue->unflushed, memory_order_relaxed))
		return;
	/* A queue that was released may have work left.  A closed one has
	   none. */
	if (!queue_visit(queue))
		return;
	/* Ignore an error here: a later wait meets the same error and reports
	   it. */
	text = status_keep();
	if (queue_flush(queue))
		event_poll(event);
	status_restore(text);
	queue_leave(queue);
}

dpr_status event_result(dpr_event *event)
{
	if (event_state(event) != DPR_EVENT_FAILED)
		return DPR_OK;
	failure_tell(event->root);
	return fail(event->status, "%s", event_text(event));
}

void event_run_callbacks(dpr_event *event)
{
	struct event_callback *entry;
	int depth;

	for (;;) {
		pthread_mutex_lock(&event->lock);
		entry = event->callbacks;
		if (entry) {
			event->callbacks = entry->next;
			if (!event->callbacks)
				event->callbacks_end = &event->callbacks;
		}
		pthread_mutex_unlock(&event->lock);
		if (!entry)
			return;
		failure_tell(event->root);
		depth = call_stack_go_out();
		if (handles_watch())
			handles_lend(HANDLE_EVENT, event, "dpr_event_callback",
				     NULL);
		entry->call(event, event->status, entry->user);
		call_stack_go_back(depth);
		mem_free(entry);
	}
}

enum dpr_event_state dpr_event_get_state(const dpr_event *event)
{
	HANDLES_ASK(event, dpr_event_get_state(event));
	if (!event)
		return DPR_EVENT_COMPLETE;
	if (!process_alive())
		return event_state(event);
	/* A program that polls must not have to flush. */
	if (!event_final(event))
		event_flush(event_asked(event));
	return event_poll(event_asked(event));
}

void dpr_event_error(const dpr_event *event, dpr_status *status,
		     const char **text)
{
	HANDLES_GET(event);
	bool failed = event && dpr_event_get_state(event) == DPR_EVENT_FAILED;

	if (status)
		*status = failed ? event->status : DPR_OK;
	if (text)
		*text = failed ? event_text(event) : "";
	if (failed)
		failure_tell(event->root);
}

const char *dpr_event_name(const dpr_event *event)
{
	HANDLES_GET(event);
	return event ? event->name : "";
}

/* The queue of @event, or NULL if the queue is gone. */
static dpr_queue *queue_of(const dpr_event *event)
{
	if (!event->queue)
		return NULL;
	return event->queue->canonical || refs_count(&event->queue->refs)
		       ? event->queue
		       : NULL;
}

dpr_queue *dpr_event_queue(const dpr_event *event)
{
	HANDLES_LEND(event, queue_of(event));
	return event ? queue_of(event) : NULL;
}

dpr_queue *dpr_event_retain_queue(const dpr_event *event)
{
	HANDLES_GET(event);
	dpr_queue *queue = event ? event->queue : NULL;

	if (!queue || !queue_try_retain(queue))
		return NULL;
	HANDLES_MADE(queue);
	return queue;
}
