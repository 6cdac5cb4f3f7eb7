/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_event.c - the entries of events, and what is known of events. */
#include "core/runtime/layer/wrap_event.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/runtime/layer/turn.h"
#include "core/runtime/layer/rules/times.h"

/* How much later than its limit a wait may return on a busy machine, in
   nanoseconds. */
#define LATE UINT64_C(100000000)

/* How old a reading of the clocks may be, in nanoseconds. */
#define CLOCK_AGE UINT64_C(1000000000)

#define GUARD 16
#define GUARD_BYTE 0xa5

/* A sink that counts the bytes it passes on. */
struct counted {
	dprp_sink to;
	size_t bytes;
};

static void count_bytes(void *user, const char *bytes, size_t size)
{
	struct counted *counted = user;

	counted->bytes += size;
	if (counted->to.write)
		counted->to.write(counted->to.user, bytes, size);
}

const char *wrap_event_state_name(uint32_t state)
{
	static const char *const names[] = { "not asked for", "QUEUED",
					     "SUBMITTED",     "RUNNING",
					     "DONE",          "FAILED" };

	return state < sizeof(names) / sizeof(*names) ? names[state]
						      : "unknown";
}

static bool is_over(uint32_t state)
{
	return state == DPRP_EVENT_DONE || state == DPRP_EVENT_FAILED;
}

/* --- States -----------------------------------------------------------------
 */

/* What was known of the event before it was asked. */
struct before {
	uint32_t state;
	bool told, must_fail, profiling;
	bool untimed; /* nothing is known of its times */
};

static struct before know(uintptr_t number)
{
	struct tag *tag = tag_get(TAG_EVENT, number);
	struct before before = { .untimed = true };

	if (!tag)
		return before;
	before = (struct before){
		.state = tag->u.event.state,
		.told = tag->u.event.told,
		.must_fail = tag->u.event.must_fail,
		.untimed = !tag->u.event.queue,
		.profiling = tag->u.event.profiling,
	};
	tag_put();
	return before;
}

/* A dependency of @tag may be the event with the number at @user. */
static void pass_failure(void *user, struct tag *tag)
{
	const uintptr_t *number = user;
	uint32_t i;

	for (i = 0; i < tag->u.event.n_deps; i++)
		if (tag->u.event.deps[i] == *number)
			tag->u.event.must_fail = true;
}

/* Note the state of the event, if it is a later one. */
static void learn(uintptr_t number, const dprp_event_state *state)
{
	struct tag *tag = tag_get(TAG_EVENT, number);
	uintptr_t *deps = NULL;
	bool failed = false;

	if (!tag)
		return;
	if (state->state > tag->u.event.state) {
		tag->u.event.state = state->state;
		tag->u.event.since = clock_now();
		/* A driver may report one fault of the device at every
		   event. */
		failed = state->state == DPRP_EVENT_FAILED &&
			 state->rc != DPR_RC_DEVICE_LOST;
		tag->u.event.failed = failed;
	}
	if (is_over(state->state)) {
		deps = tag->u.event.deps;
		tag->u.event.deps = NULL;
		tag->u.event.n_deps = 0;
	}
	tag_put();
	mem_free(deps);
	if (failed)
		tag_each(TAG_EVENT, pass_failure, &number);
}

static void check_times(struct layer *layer, const struct before *before,
			const dprp_event_state *s)
{
	bool none = !(s->t_queued | s->t_submit | s->t_start | s->t_end);

	if (before->untimed)
		return;
	if (!before->profiling && !none)
		finding_post(layer, ENTRY_event_status, DPR_LOG_ERROR, "N3",
			     "zeros, on a queue without profiling",
			     "the times %llu, %llu, %llu and %llu",
			     (unsigned long long)s->t_queued,
			     (unsigned long long)s->t_submit,
			     (unsigned long long)s->t_start,
			     (unsigned long long)s->t_end);
	if (before->profiling && s->state == DPRP_EVENT_DONE &&
	    !times_in_order(s))
		finding_post(layer, ENTRY_event_status, DPR_LOG_ERROR, "N2",
			     "0 < t_queued <= t_submit <= t_start <= t_end",
			     "the times %llu, %llu, %llu and %llu",
			     (unsigned long long)s->t_queued,
			     (unsigned long long)s->t_submit,
			     (unsigned long long)s->t_start,
			     (unsigned long long)s->t_end);
}

/* The device of the event, and when it was submitted.  NULL: it is not known.
 */
static void *find_device(uintptr_t number, uint64_t *made)
{
	struct tag *tag = tag_get(TAG_EVENT, number);
	uintptr_t at = tag ? tag->u.event.queue : 0;
	void *real;

	if (!tag)
		return NULL;
	*made = tag->u.event.made;
	tag_put();
	tag = tag_get(TAG_QUEUE, at);
	if (!tag)
		return NULL;
	at = tag->u.queue.device;
	tag_put();
	tag = tag_get(TAG_DEVICE, at);
	if (!tag)
		return NULL;
	real = tag->real;
	tag_put();
	return real;
}

/* Check the times of an event against the device's clock. */
static void check_clock(struct layer *layer, uintptr_t number,
			const dprp_event_state *s)
{
	uint64_t made = 0, device_ns = 0, host_ns = 0, now;
	void *device = find_device(number, &made);
	dprp_rc rc;

	if (!device || !DPRP_HAS(layer->desc->device, dprp_device_ops, clocks))
		return;
	passage_probe();
	rc = layer->device.clocks(device, &device_ns, &host_ns);
	passage_probed();
	now = clock_now();
	/* Another fault is a clock of the host that is not CLOCK_MONOTONIC. */
	if (!rc && host_ns <= now && now - host_ns < CLOCK_AGE &&
	    !times_on_clock(s, device_ns, host_ns, made, now))
		finding_post(layer, ENTRY_event_status, DPR_LOG_ERROR, "N2",
			     "times of the clock that device->clocks reads",
			     "the times %llu to %llu, where that clock is at "
			     "%llu",
			     (unsigned long long)s->t_queued,
			     (unsigned long long)s->t_end,
			     (unsigned long long)device_ns);
}

static void check_failure(struct layer *layer, const dprp_event_state *s,
			  bool has_text)
{
	if (!plugin_rc_exists(layer->plugin, s->rc))
		finding_post(layer, ENTRY_event_status, DPR_LOG_ERROR, "N5",
			     "a negative code of the list in rc",
			     "the state FAILED with the code %d", (int)s->rc);
	else if (!has_text)
		finding_post(layer, ENTRY_event_status, DPR_LOG_ERROR, "N5",
			     "a sentence in text",
			     "the state FAILED, with the code %d and no text",
			     (int)s->rc);
}

static void check_state(struct layer *layer, const struct before *before,
			const dprp_event_state *s, bool has_text)
{
	if (s->state < DPRP_EVENT_QUEUED || s->state > DPRP_EVENT_FAILED) {
		finding_post(layer, ENTRY_event_status, DPR_LOG_ERROR, "N1",
			     "a state from QUEUED to FAILED", "the state %u",
			     (unsigned)s->state);
		return;
	}
	if (s->state < before->state ||
	    (is_over(before->state) && s->state != before->state))
		finding_post(layer, ENTRY_event_status, DPR_LOG_ERROR, "N1",
			     "a state that never decreases, and stays once it "
			     "is final",
			     "the state %s after %s",
			     wrap_event_state_name(s->state),
			     wrap_event_state_name(before->state));
	if (before->told && !is_over(s->state))
		finding_post(layer, ENTRY_event_status, DPR_LOG_ERROR, "N9",
			     "a final state after event_done()", "the state %s",
			     wrap_event_state_name(s->state));
	if (before->must_fail && s->state == DPRP_EVENT_DONE)
		finding_post(layer, ENTRY_event_status, DPR_LOG_ERROR, "Y2",
			     "FAILED, as a dependency has failed",
			     "the state DONE");
	if (s->state == DPRP_EVENT_FAILED)
		check_failure(layer, s, has_text);
	check_times(layer, before, s);
}

dprp_rc wrap_event_ask(struct layer *layer, uintptr_t number, dprp_event *real,
		       dprp_event_state *state, dprp_sink text)
{
	/* What the plugin fills, with bytes behind it. */
	union {
		dprp_event_state state;
		unsigned char bytes[sizeof(dprp_event_state) + GUARD];
	} own;
	const size_t size = state->struct_size < sizeof(own.state)
				    ? state->struct_size
				    : sizeof(own.state);
	const size_t given = state->struct_size;
	dprp_event_state full = { 0 };
	struct counted counted = { .to = text };
	struct before before = know(number);
	size_t i;
	dprp_rc rc;

	memset(own.bytes, GUARD_BYTE, sizeof(own.bytes));
	memset(own.bytes, 0, size);
	own.state.struct_size = size;
	rc = layer->event.status(real, &own.state,
				 (dprp_sink){ count_bytes, &counted });
	for (i = size; i < size + GUARD && own.bytes[i] == GUARD_BYTE;)
		i++;
	if (i < size + GUARD || own.state.struct_size != size)
		finding_post(layer, ENTRY_event_status, DPR_LOG_ERROR, "G3",
			     "struct_size bytes of the state, and struct_size "
			     "as it was",
			     i < size + GUARD ? "bytes behind the state"
					      : "another struct_size");
	memcpy(&full, &own, size);
	memcpy(state, &own, size);
	state->struct_size = given;
	if (rc)
		return rc;
	/* The times are the last members. */
	before.untimed |= size < sizeof(full);
	check_state(layer, &before, &full, counted.bytes != 0);
	if (layer->checks && full.state == DPRP_EVENT_DONE &&
	    before.state < DPRP_EVENT_DONE) {
		turn_check(layer, number);
		if (before.profiling && !before.untimed &&
		    times_in_order(&full))
			check_clock(layer, number, &full);
	}
	if (full.state <= DPRP_EVENT_FAILED)
		learn(number, &full);
	return DPR_RC_OK;
}

bool wrap_event_over(struct passage *p, uintptr_t number)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	dprp_event *real;
	dprp_rc rc;

	if (is_over(know(number).state))
		return true;
	real = tag_pin(TAG_EVENT, number);
	if (!real)
		return true;
	passage_probe();
	rc = wrap_event_ask(p->layer, number, real, &state, (dprp_sink){ 0 });
	passage_probed();
	tag_unpin(TAG_EVENT, number);
	return rc || is_over(state.state);
}

/* --- Dependencies -----------------------------------------------------------
 */

/* Whether the event is known to have failed. */
static bool has_failed(uintptr_t number)
{
	struct tag *tag = tag_get(TAG_EVENT, number);
	bool failed;

	if (!tag)
		return false;
	failed = tag->u.event.failed;
	tag_put();
	return failed;
}

void wrap_event_depend(const dprp_deps *from, struct tag_event *event)
{
	uint32_t i;

	event->deps = mem_array(from->count, sizeof(*event->deps));
	for (i = 0; i < from->count; i++) {
		uintptr_t number = tag_number(from->events[i]);

		if (has_failed(number))
			event->must_fail = true;
		if (event->deps)
			event->deps[event->n_deps++] = number;
	}
}

/* --- Entries ----------------------------------------------------------------
 */

static dprp_rc wrap_status(dprp_event *event, dprp_event_state *state,
			   dprp_sink text)
{
	struct passage p;
	void *real;
	dprp_rc rc =
		passage_begin(&p, ENTRY_event_status, TAG_EVENT, event, &real);

	if (rc)
		return rc;
	return passage_end(&p, wrap_event_ask(p.layer, tag_number(event), real,
					      state, text));
}

/* Check what a wait has returned. */
static void check_wait(struct passage *p, dprp_event *const *events, uint32_t n,
		       uint64_t timeout_ns, bool were_over, dprp_rc rc)
{
	uint32_t i;

	if (rc == DPR_RC_TIMEOUT) {
		if (timeout_ns == UINT64_MAX)
			passage_bad(p, "N6", "DPR_RC_OK",
				    "DPR_RC_TIMEOUT without a time limit");
		else if (were_over)
			passage_bad(p, "N6", "DPR_RC_OK",
				    "DPR_RC_TIMEOUT for events that were seen "
				    "to be over");
		return;
	}
	if (rc) {
		passage_bad(p, timeout_ns == UINT64_MAX ? "N6" : "N7",
			    "DPR_RC_OK, also for events that have failed, or "
			    "DPR_RC_TIMEOUT",
			    "the code %d", (int)rc);
		return;
	}
	for (i = 0; i < n; i++)
		if (!wrap_event_over(p, tag_number(events[i])))
			passage_bad(p, "N6", "DPR_RC_OK when all are over",
				    "DPR_RC_OK, and an event that is not over");
}

static dprp_rc wrap_wait(dprp_event *const *events, uint32_t n,
			 uint64_t timeout_ns)
{
	struct passage p;
	bool were_over = true;
	dprp_event **reals;
	void *first;
	dprp_rc rc;
	uint32_t i;

	if (!n)
		return DPR_RC_OK;
	rc = passage_begin(&p, ENTRY_event_wait, TAG_EVENT, events[0], &first);
	if (rc)
		return rc;
	reals = mem_array(n, sizeof(dprp_event *));
	if (!reals)
		return passage_cancel(&p, DPR_RC_OOM_HOST);
	for (i = 0; i < n; i++) {
		were_over &= is_over(know(tag_number(events[i])).state);
		reals[i] = passage_real(&p, TAG_EVENT, events[i]);
		if (!reals[i]) {
			mem_free(reals);
			return passage_cancel(&p, DPR_RC_ABI);
		}
	}
	if (timeout_ns && timeout_ns < UINT64_MAX - LATE)
		p.allowed = timeout_ns + LATE;
	rc = passage_end_by(&p, p.layer->event.wait(reals, n, timeout_ns),
			    timeout_ns == UINT64_MAX ? NULL : "N7");
	mem_free(reals);
	if (p.layer->checks)
		check_wait(&p, events, n, timeout_ns, were_over, rc);
	return rc;
}

static void wrap_destroy(dprp_event *event)
{
	struct passage p;
	void *real;

	if (passage_begin(&p, ENTRY_event_destroy, TAG_EVENT, event, &real))
		return;
	if (tag_remove(TAG_EVENT, tag_number(event)))
		p.layer->event.destroy(real);
	(void)passage_end(&p, DPR_RC_OK);
}

/* Record that the core asks for event_done(), or that the plugin refused.
   Returns whether the core had asked before. */
static bool set_asked(uintptr_t number, bool asked, uint64_t token)
{
	struct tag *tag = tag_get(TAG_EVENT, number);
	bool before;

	if (!tag)
		return false;
	before = tag->u.event.asked;
	tag->u.event.asked = asked;
	tag->u.event.token = token;
	tag_put();
	return before;
}

static dprp_rc wrap_notify(dprp_event *event, uint64_t token)
{
	uintptr_t number = tag_number(event);
	struct passage p;
	void *real;
	dprp_rc rc =
		passage_begin(&p, ENTRY_event_notify, TAG_EVENT, event, &real);

	if (rc)
		return rc;
	if (set_asked(number, true, token))
		passage_bad(&p, FINDING_CORE, "one call for each event",
			    "a second one");
	rc = passage_end(&p, p.layer->event.notify(real, number));
	if (rc)
		set_asked(number, false, 0);
	return rc;
}

bool wrap_event_done(struct layer *layer, uintptr_t number, uint64_t *token)
{
	struct tag *tag = tag_get(TAG_EVENT, number);
	bool asked, told;

	/* A late call for an event that is destroyed is allowed. */
	if (!tag)
		return false;
	asked = tag->u.event.asked;
	told = tag->u.event.told;
	tag->u.event.told |= asked;
	*token = tag->u.event.token;
	tag_put();
	if (told)
		finding_post(layer, ENTRY_event_notify, DPR_LOG_ERROR, "N9",
			     "one call of event_done() for each",
			     "a second call for the same event");
	return asked;
}

void wrap_event_install(struct layer *layer, dprp_event_ops *ops)
{
	ops->status = wrap_status;
	ops->wait = wrap_wait;
	ops->destroy = wrap_destroy;
	if (DPRP_HAS(layer->desc->event, dprp_event_ops, notify))
		ops->notify = wrap_notify;
}
