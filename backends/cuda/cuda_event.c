/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_event.c - events: their pools, state and times, and waiting for them.
 *
 * A stream that waits for an event waits for the event's latest record at the
 * time of the call.  So a released event goes back to the pool at once and may
 * be recorded again.
 *
 * Times are on the host's clock.  A queue with profiling records an event
 * before and after its work.  Both are measured from an anchor: an event whose
 * time on the host's clock is known.  The driver gives differences as float
 * milliseconds, so an anchor is replaced before the differences grow too large
 * to hold microseconds.
 */
#include "cuda_objects.h"

/* A wait polls without a pause for LOOK_NS, and then with short sleeps.  A wait
   without a time limit sleeps in the driver after SLEEP_NS; not sooner, because
   the driver was seen to wake half a millisecond late. */
#define LOOK_NS 50000u
#define SLEEP_NS 64000000u
/* An anchor of age ANCHOR_NS is replaced.  The thread that makes the new one
   waits at most ANCHOR_SHORT_NS in a submission, and ANCHOR_LONG_NS when a
   queue is made. */
#define ANCHOR_NS 100000000u
#define ANCHOR_SHORT_NS 40000u
#define ANCHOR_LONG_NS 100000000u

/* Make a CUevent, with the scope's lock held: a green context may be current on
   one thread at a time, and only this function makes one current. */
static CUresult make_event_locked(struct cuda_scope *scope, unsigned flags,
				  CUevent *out)
{
	const struct cuda_api *cu = &scope->context->instance->cu;
	bool entered;
	CUresult error = cuda_context_enter(cu, scope->cu, &entered);

	if (!error)
		error = cu->cuEventCreate(out, flags);
	cuda_context_leave(cu, entered);
	return error;
}

static void release_anchor(const struct cuda_scope *scope,
			   struct cuda_anchor *anchor)
{
	dprp_instance *instance = scope->context->instance;

	if (!anchor || atomic_fetch_sub(&anchor->refs, 1) != 1)
		return;
	if (anchor->cu && !scope->gone)
		instance->cu.cuEventDestroy(anchor->cu);
	dprh_free(instance->host, anchor);
}

/* Get the stream on which anchors are recorded; it has no other work. */
static dprp_rc take_clock(struct cuda_scope *scope, CUstream *out)
{
	dprp_rc rc = DPR_RC_OK;

	pthread_mutex_lock(&scope->lock);
	if (!scope->clock)
		rc = cuda_stream_make(scope, 0, &scope->clock);
	*out = scope->clock;
	pthread_mutex_unlock(&scope->lock);
	return rc;
}

/* Make an anchor; wait at most @limit_ns for its time. */
static struct cuda_anchor *make_anchor(struct cuda_scope *scope,
				       uint64_t limit_ns)
{
	dprp_instance *instance = scope->context->instance;
	const struct cuda_api *cu = &instance->cu;
	struct cuda_anchor *anchor;
	uint64_t before;
	CUresult error;
	CUstream clock;

	if (take_clock(scope, &clock))
		return NULL;
	anchor = dprh_alloc(instance->host, 1, sizeof(*anchor));
	if (!anchor)
		return NULL;
	atomic_init(&anchor->refs, 1);
	pthread_mutex_lock(&scope->lock);
	error = make_event_locked(scope, CU_EVENT_DEFAULT, &anchor->cu);
	pthread_mutex_unlock(&scope->lock);
	before = dprh_now();
	if (!error)
		error = cu->cuEventRecord(anchor->cu, clock);
	if (!error)
		error = cuda_event_await(cu, anchor->cu, limit_ns);
	anchor->host_ns = before + (dprh_now() - before) / 2;
	if (!error)
		return anchor;
	release_anchor(scope, anchor);
	return NULL;
}

/* Make @made the newest anchor. */
static void replace_anchor(struct cuda_scope *scope, struct cuda_anchor *made)
{
	struct cuda_anchor *old;

	pthread_mutex_lock(&scope->lock);
	old = scope->anchor;
	scope->anchor = made;
	pthread_mutex_unlock(&scope->lock);
	release_anchor(scope, old);
}

void cuda_event_set_clock(struct cuda_scope *scope)
{
	struct cuda_anchor *made = make_anchor(scope, ANCHOR_LONG_NS);

	if (made)
		replace_anchor(scope, made);
}

/*
 * Get a reference to the newest anchor, or NULL.  An old anchor is replaced
 * first: a submission to a queue with profiling waits for the new one, briefly
 * and at most once in ANCHOR_NS.
 *
 * An event's anchor cannot be chosen later, when the event is waited for: after
 * an idle hour the clocks have drifted apart by milliseconds, and the driver's
 * float has no digits left for microseconds.
 */
static struct cuda_anchor *take_anchor(struct cuda_scope *scope)
{
	struct cuda_anchor *anchor, *made;
	bool old;

	pthread_mutex_lock(&scope->lock);
	anchor = scope->anchor;
	old = !anchor || dprh_now() - anchor->host_ns > ANCHOR_NS;
	if (anchor)
		atomic_fetch_add(&anchor->refs, 1);
	pthread_mutex_unlock(&scope->lock);
	made = old ? make_anchor(scope, ANCHOR_SHORT_NS) : NULL;
	if (!made)
		return anchor;
	release_anchor(scope, anchor);
	atomic_fetch_add(&made->refs, 1);
	replace_anchor(scope, made);
	return made;
}

static void free_event(dprp_event *event)
{
	dprp_instance *instance = event->scope->context->instance;
	bool gone = event->scope->gone;

	if (event->cu && !event->foreign && !gone)
		instance->cu.cuEventDestroy(event->cu);
	if (event->start && !gone)
		instance->cu.cuEventDestroy(event->start);
	dprh_free(instance->host, event);
}

static dprp_rc make_event(struct cuda_scope *scope, bool timed,
			  dprp_event **out)
{
	dprp_instance *instance = scope->context->instance;
	const unsigned flags =
		CU_EVENT_BLOCKING_SYNC | (timed ? 0 : CU_EVENT_DISABLE_TIMING);
	dprp_event *event = dprh_alloc(instance->host, 1, sizeof(*event));
	CUresult error;

	if (!event)
		return dprh_no_memory(instance->host, "an event");
	event->scope = scope;
	pthread_mutex_lock(&scope->lock);
	error = make_event_locked(scope, flags, &event->cu);
	if (!error && timed)
		error = make_event_locked(scope, flags, &event->start);
	pthread_mutex_unlock(&scope->lock);
	if (!error)
		*out = event;
	else
		free_event(event);
	return cuda_error_check_device(scope->device, error, "cuEventCreate");
}

dprp_rc cuda_event_take(struct cuda_scope *scope, bool timed, dprp_event **out)
{
	dprp_event *event;
	dprp_rc rc = DPR_RC_OK;

	pthread_mutex_lock(&scope->lock);
	event = scope->idle[timed];
	if (event)
		scope->idle[timed] = event->next;
	pthread_mutex_unlock(&scope->lock);
	if (!event)
		rc = make_event(scope, timed, &event);
	*out = event;
	if (rc)
		return rc;
	event->stream = 0;
	atomic_store_explicit(&event->result, CUDA_ERROR_NOT_READY,
			      memory_order_relaxed);
	if (timed) {
		event->queued_ns = dprh_now();
		event->anchor = take_anchor(scope);
	}
	return DPR_RC_OK;
}

void cuda_event_destroy(dprp_event *event)
{
	struct cuda_scope *scope = event->scope;
	bool timed = event->start != NULL;

	release_anchor(scope, event->anchor);
	event->anchor = NULL;
	if (event->wrapped) {
		free_event(event);
		return;
	}
	pthread_mutex_lock(&scope->lock);
	event->next = scope->idle[timed];
	scope->idle[timed] = event;
	pthread_mutex_unlock(&scope->lock);
}

void cuda_event_free_all(struct cuda_scope *scope)
{
	dprp_instance *instance = scope->context->instance;
	dprp_event *event;
	int timed;

	for (timed = 0; timed < 2; timed++) {
		while ((event = scope->idle[timed])) {
			scope->idle[timed] = event->next;
			free_event(event);
		}
	}
	release_anchor(scope, scope->anchor);
	if (scope->clock && !scope->gone)
		instance->cu.cuStreamDestroy(scope->clock);
}

dprp_rc cuda_event_over(dprp_context *context, CUevent cu, bool own,
			dprp_event **out)
{
	const dprp_host *host = context->instance->host;
	dprp_event *event = dprh_alloc(host, 1, sizeof(*event));

	if (!event)
		return dprh_no_memory(host, "an event");
	event->scope = &context->scope;
	event->cu = cu;
	event->wrapped = true;
	event->foreign = !own;
	atomic_init(&event->result, CUDA_ERROR_NOT_READY);
	*out = event;
	return DPR_RC_OK;
}

/* Ask the driver about an event.  While a graph is captured the driver may
   refuse to answer; the event then counts as not ready. */
static CUresult query(const struct cuda_api *api, CUevent cu)
{
	CUresult result = api->cuEventQuery(cu);

	return result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
		       ? CUDA_ERROR_NOT_READY
		       : result;
}

/* Whether the work is over.  After any other answer it may still run. */
static bool is_final(CUresult result)
{
	return result == CUDA_SUCCESS ||
	       cuda_error_rc(result) == DPR_RC_DEVICE_LOST;
}

/* The result of the event, or CUDA_ERROR_NOT_READY.  A final result is kept,
   because asking the driver about a completed event is slow. */
static CUresult ask(dprp_event *event)
{
	const struct cuda_api *cu = &event->scope->context->instance->cu;
	int result = atomic_load_explicit(&event->result, memory_order_acquire);
	CUstreamCaptureMode mode;

	if (result != CUDA_ERROR_NOT_READY)
		return (CUresult)result;
	mode = cuda_capture_ignore(cu);
	result = (int)query(cu, event->cu);
	cuda_capture_heed(cu, mode);
	if (is_final((CUresult)result))
		atomic_store_explicit(&event->result, result,
				      memory_order_release);
	return (CUresult)result;
}

/* The time at which @cu was recorded, on the host's clock; 0: unknown. */
static uint64_t to_host_time(const dprp_event *event, CUevent cu)
{
	const struct cuda_api *api = &event->scope->context->instance->cu;
	float ms = 0;

	if (!event->anchor ||
	    api->cuEventElapsedTime(&ms, event->anchor->cu, cu))
		return 0;
	return event->anchor->host_ns + (uint64_t)(int64_t)((double)ms * 1e6);
}

/* Get the times of the work.  The anchor's two times have an error of some
   microseconds, so the start may seem to be before the queueing, or the end
   before the start.  The later step then gets the time of the earlier one. */
static void put_times(const dprp_event *event, dprp_event_state *state)
{
	uint64_t start = to_host_time(event, event->start);
	uint64_t end = to_host_time(event, event->cu);

	if (!start || !end)
		return;
	if (start < event->queued_ns)
		start = event->queued_ns;
	if (end < start)
		end = start;
	state->t_queued = state->t_submit = event->queued_ns;
	state->t_start = start;
	state->t_end = end;
}

static void explain(const dprp_event *event, CUresult result, dprp_sink text)
{
	const char *name =
		cuda_error_name(event->scope->context->instance, result);

	if (text.write)
		text.write(text.user, name, strlen(name));
}

dprp_rc cuda_event_status(dprp_event *event, dprp_event_state *state,
			  dprp_sink text)
{
	dprp_event_state now = { .struct_size = sizeof(now) };
	CUresult result = ask(event);
	dprp_rc rc;

	if (result == CUDA_SUCCESS) {
		now.state = DPRP_EVENT_DONE;
		if (event->start)
			put_times(event, &now);
	} else if (result == CUDA_ERROR_NOT_READY) {
		now.state = DPRP_EVENT_SUBMITTED;
	} else {
		rc = cuda_error_check_device(event->scope->device, result,
					     "cuEventQuery");
		if (!is_final(result))
			return rc;
		now.state = DPRP_EVENT_FAILED;
		now.rc = rc;
		now.native = result;
		explain(event, result, text);
	}
	dprh_give(state, &now, sizeof(now));
	return DPR_RC_OK;
}

static CUresult await(const struct cuda_api *api, CUevent cu,
		      uint64_t timeout_ns)
{
	uint64_t begin = dprh_now(), passed = 0;
	CUresult result = query(api, cu);

	while (result == CUDA_ERROR_NOT_READY) {
		passed = dprh_now() - begin;
		if (passed >= timeout_ns)
			return result;
		if (passed >= SLEEP_NS && timeout_ns == UINT64_MAX) {
			result = api->cuEventSynchronize(cu);
			if (result != CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
				return result;
		}
		if (passed >= LOOK_NS)
			dprh_nap(passed, timeout_ns - passed);
		result = query(api, cu);
	}
	return result;
}

CUresult cuda_event_await(const struct cuda_api *api, CUevent cu,
			  uint64_t timeout_ns)
{
	CUstreamCaptureMode mode = cuda_capture_ignore(api);
	CUresult result = await(api, cu, timeout_ns);

	cuda_capture_heed(api, mode);
	return result;
}

dprp_rc cuda_event_wait(dprp_event *const *events, uint32_t n,
			uint64_t timeout_ns)
{
	uint64_t begin = dprh_now(), passed, left;
	dprp_instance *instance;
	CUresult result;
	uint32_t i;

	for (i = 0; i < n; i++) {
		instance = events[i]->scope->context->instance;
		if (is_final(ask(events[i])))
			continue;
		passed = dprh_now() - begin;
		left = timeout_ns == UINT64_MAX ? UINT64_MAX
		       : passed < timeout_ns    ? timeout_ns - passed
						: 0;
		result = cuda_event_await(&instance->cu, events[i]->cu, left);
		if (result == CUDA_ERROR_NOT_READY)
			return dprh_fail(
				instance->host, DPR_RC_TIMEOUT, 0,
				"the event did not complete within %llu ns",
				(unsigned long long)timeout_ns);
		if (!is_final(result))
			return cuda_error_check(instance, result,
						"cuEventQuery");
		atomic_store_explicit(&events[i]->result, (int)result,
				      memory_order_release);
	}
	return DPR_RC_OK;
}
