/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_events.c - faults of events. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/kit/faulty.h"
#include "tests/plugins/mock/mock_impl.h"

/* What the plugin's state becomes. */
static void (*change)(dprp_event *event, dprp_event_state *state);

static dprp_rc changed_status(dprp_event *event, dprp_event_state *state,
			      dprp_sink text)
{
	dprp_rc rc = faulty.mock->event->status(event, state, text);

	if (!rc && state->struct_size >= sizeof(*state))
		change(event, state);
	return rc;
}

static void change_by(void (*how)(dprp_event *event, dprp_event_state *state))
{
	change = how;
	faulty.event.status = changed_status;
}

/* The second of two answers in a row for an event that is done is wrong. */
static void back(dprp_event *event, dprp_event_state *state)
{
	static dprp_event *_Atomic last;

	if (state->state != DPRP_EVENT_DONE)
		return;
	if (last == event) {
		last = NULL;
		state->state = DPRP_EVENT_RUNNING;
	} else {
		last = event;
	}
}

static void goes_back(void)
{
	change_by(back);
}

static void unknown(dprp_event *event, dprp_event_state *state)
{
	(void)event;
	if (state->state != DPRP_EVENT_DONE)
		state->state = 0;
}

static void unknown_state(void)
{
	change_by(unknown);
}

static void early(dprp_event *event, dprp_event_state *state)
{
	(void)event;
	if (state->state < DPRP_EVENT_DONE)
		state->state = DPRP_EVENT_DONE;
}

static void early_done(void)
{
	change_by(early);
}

static void swap(dprp_event *event, dprp_event_state *state)
{
	uint64_t end = state->t_end;

	(void)event;
	state->t_end = state->t_queued;
	state->t_queued = end;
}

static void swapped_times(void)
{
	change_by(swap);
}

static void shift(dprp_event *event, dprp_event_state *state)
{
	(void)event;
	if (!state->t_queued)
		return;
	state->t_queued += UINT64_C(100000000000);
	state->t_submit += UINT64_C(100000000000);
	state->t_start += UINT64_C(100000000000);
	state->t_end += UINT64_C(100000000000);
}

/* The event of the last copy, whose end is before its start. */
static dprp_event *last_copied;

static void swap_copied(dprp_event *event, dprp_event_state *state)
{
	if (event == last_copied && state->t_start)
		state->t_end = state->t_start - 1;
}

static dprp_rc noted_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			  dprp_mem *from, uint64_t from_offset, uint64_t size,
			  const dprp_deps *deps, dprp_event **event)
{
	dprp_rc rc = faulty.mock->queue->copy(queue, to, to_offset, from,
					      from_offset, size, deps, event);

	last_copied = !rc && event ? *event : NULL;
	return rc;
}

static void copied_times(void)
{
	faulty.queue.copy = noted_copy;
	change_by(swap_copied);
}

static void other_times(void)
{
	change_by(shift);
}

static void always(dprp_event *event, dprp_event_state *state)
{
	state->t_queued = event->t_queued;
	state->t_end = event->t_end;
}

static void times_always(void)
{
	change_by(always);
}

static dprp_rc wait_no_time(dprp_event *const *events, uint32_t n,
			    uint64_t timeout_ns)
{
	(void)events;
	(void)n;
	(void)timeout_ns;
	return DPR_RC_OK;
}

static dprp_rc wait_for_ever(dprp_event *const *events, uint32_t n,
			     uint64_t timeout_ns)
{
	while (timeout_ns == UINT64_MAX)
		pause();
	return faulty.mock->event->wait(events, n, timeout_ns);
}

static void wait_hangs(void)
{
	faulty.event.wait = wait_for_ever;
}

static void wait_early(void)
{
	faulty.event.wait = wait_no_time;
}

static dprp_rc wait_internal(dprp_event *const *events, uint32_t n,
			     uint64_t timeout_ns)
{
	dprp_rc rc = faulty.mock->event->wait(events, n, timeout_ns);

	return rc ? faulty_fail(DPR_RC_INTERNAL) : rc;
}

static void wait_code(void)
{
	faulty.event.wait = wait_internal;
}

static dprp_rc wait_zero(dprp_event *const *events, uint32_t n,
			 uint64_t timeout_ns)
{
	if (!timeout_ns)
		return faulty_fail(DPR_RC_TIMEOUT);
	return faulty.mock->event->wait(events, n, timeout_ns);
}

static void zero_times_out(void)
{
	faulty.event.wait = wait_zero;
}

static _Atomic uint64_t last_token;

static dprp_rc notify_two(dprp_event *event, uint64_t token)
{
	faulty.mock->event->notify(event, token);
	return faulty.mock->event->notify(event, token);
}

static void notify_twice(void)
{
	faulty.event.notify = notify_two;
}

static dprp_rc notify_none(dprp_event *event, uint64_t token)
{
	(void)event;
	(void)token;
	return DPR_RC_OK;
}

static void notify_never(void)
{
	faulty.event.notify = notify_none;
}

static dprp_rc notify_now(dprp_event *event, uint64_t token)
{
	(void)event;
	faulty.given->event_done(faulty.given->self, token, DPR_RC_OK);
	return DPR_RC_OK;
}

static void notify_early(void)
{
	faulty.event.notify = notify_now;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void locked_done(dprp_host_instance *self, uint64_t token,
			dprp_rc status)
{
	pthread_mutex_lock(&lock);
	faulty.given->event_done(self, token, status);
	pthread_mutex_unlock(&lock);
}

static dprp_rc locked_status(dprp_event *event, dprp_event_state *state,
			     dprp_sink text)
{
	dprp_rc rc;

	pthread_mutex_lock(&lock);
	rc = faulty.mock->event->status(event, state, text);
	pthread_mutex_unlock(&lock);
	return rc;
}

static void done_locked(void)
{
	faulty.event_done = locked_done;
	faulty.event.status = locked_status;
}

/* The same for events that are over, which notify tells of itself. */
static dprp_rc locked_notify(dprp_event *event, uint64_t token)
{
	if (event->state < DPRP_EVENT_DONE)
		return faulty.mock->event->notify(event, token);
	locked_done(faulty.given->self, token, event->rc);
	return DPR_RC_OK;
}

static void over_locked(void)
{
	faulty.event.notify = locked_notify;
	faulty.event.status = locked_status;
}

static void open_done(dprp_host_instance *self, uint64_t token, dprp_rc status)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	faulty.given->event_done(self, token, status);
}

static void signals_open(void)
{
	faulty.event_done = open_done;
}

/* Tells of an event that is over with each look at its state, in the caller's
   thread. */
static dprp_rc telling_status(dprp_event *event, dprp_event_state *state,
			      dprp_sink text)
{
	dprp_rc rc = faulty.mock->event->status(event, state, text);

	if (!rc && state->state >= DPRP_EVENT_DONE && last_token)
		faulty.given->event_done(faulty.given->self, last_token,
					 DPR_RC_OK);
	return rc;
}

static dprp_rc notify_and_keep(dprp_event *event, uint64_t token)
{
	last_token = token;
	return faulty.mock->event->notify(event, token);
}

static void tells_again(void)
{
	faulty.event.notify = notify_and_keep;
	faulty.event.status = telling_status;
}

/* In a thread of the plugin. */
static void logging_done(dprp_host_instance *self, uint64_t token,
			 dprp_rc status)
{
	faulty.given->log(self, 9, "an event is over");
	faulty.given->event_done(self, token, status);
}

static void logs_in_thread(void)
{
	faulty.event_done = logging_done;
}

static void destroy_over(dprp_event *event)
{
	if (event->state < DPRP_EVENT_DONE)
		raise(SIGSEGV);
	faulty.mock->event->destroy(event);
}

static void destroy_crash(void)
{
	faulty.event.destroy = destroy_over;
}

const struct fault faulty_events_faults[] = {
	{ "goes_back", goes_back },
	{ "unknown_state", unknown_state },
	{ "early_done", early_done },
	{ "swapped_times", swapped_times },
	{ "copied_times", copied_times },
	{ "other_times", other_times },
	{ "times_always", times_always },
	{ "wait_early", wait_early },
	{ "wait_hangs", wait_hangs },
	{ "wait_code", wait_code },
	{ "zero_times_out", zero_times_out },
	{ "notify_twice", notify_twice },
	{ "notify_never", notify_never },
	{ "notify_early", notify_early },
	{ "done_locked", done_locked },
	{ "over_locked", over_locked },
	{ "signals_open", signals_open },
	{ "tells_again", tells_again },
	{ "logs_in_thread", logs_in_thread },
	{ "destroy_crash", destroy_crash },
	{ NULL, NULL },
};
