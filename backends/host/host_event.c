/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_event.c - events.  The work of this backend cannot fail once it is
 * enqueued, so events only ever become done.  A backend with a driver would
 * report its failures as DPRP_EVENT_FAILED in status, and as DEP_FAILED for
 * work that depends on the event.
 */
#include "host.h"

#include <string.h>
#include <time.h>

dprp_event *host_event_create(dprp_instance *instance, bool profiling)
{
	dprp_event *event = host_util_alloc(instance, sizeof(*event));

	if (!event)
		return NULL;
	event->instance = instance;
	event->profiling = profiling;
	atomic_init(&event->refs, 1);
	atomic_init(&event->state, DPRP_EVENT_QUEUED);
	pthread_mutex_init(&event->lock, NULL);
	host_util_cond_init(&event->done);
	event->t_queued = dprh_now();
	return event;
}

void host_event_drop(dprp_event *event)
{
	if (!event || atomic_fetch_sub(&event->refs, 1) != 1)
		return;
	pthread_mutex_destroy(&event->lock);
	pthread_cond_destroy(&event->done);
	dprh_free(&event->instance->host, event);
}

void host_event_complete(dprp_event *event)
{
	const dprp_host *host = &event->instance->host;
	struct host_token *token, *tokens;

	pthread_mutex_lock(&event->lock);
	atomic_store(&event->state, DPRP_EVENT_DONE);
	tokens = event->tokens;
	event->tokens = NULL;
	pthread_cond_broadcast(&event->done);
	pthread_mutex_unlock(&event->lock);
	while ((token = tokens)) {
		tokens = token->next;
		host->event_done(host->self, token->token, DPR_RC_OK);
		dprh_free(&event->instance->host, token);
	}
}

bool host_event_await(dprp_event *event, uint64_t deadline)
{
	struct timespec ts = { .tv_sec = (time_t)(deadline / 1000000000u),
			       .tv_nsec = (long)(deadline % 1000000000u) };
	unsigned state;
	int late = 0;

	if (deadline)
		host_util_spin(&event->state, DPRP_EVENT_DONE, true);
	pthread_mutex_lock(&event->lock);
	while (!late && atomic_load(&event->state) != DPRP_EVENT_DONE)
		if (deadline == UINT64_MAX)
			pthread_cond_wait(&event->done, &event->lock);
		else
			late = pthread_cond_timedwait(&event->done,
						      &event->lock, &ts);
	state = atomic_load(&event->state);
	pthread_mutex_unlock(&event->lock);
	return state == DPRP_EVENT_DONE;
}

dprp_rc host_event_status(dprp_event *event, dprp_event_state *state,
			  dprp_sink text)
{
	dprp_event_state full = { .struct_size = sizeof(full) };

	(void)text;
	full.state = atomic_load(&event->state);
	if (event->profiling && full.state == DPRP_EVENT_DONE) {
		full.t_queued = event->t_queued;
		full.t_submit = event->t_queued;
		full.t_start = event->t_start;
		full.t_end = event->t_end;
	}
	dprh_give(state, &full, sizeof(full));
	return DPR_RC_OK;
}

dprp_rc host_event_wait(dprp_event *const *events, uint32_t n,
			uint64_t timeout_ns)
{
	uint64_t deadline = timeout_ns ? dprh_now() + timeout_ns : 0;
	uint32_t i;

	if (timeout_ns == UINT64_MAX || deadline < timeout_ns)
		deadline = UINT64_MAX;
	for (i = 0; i < n; i++)
		if (!host_event_await(events[i], deadline))
			return dprh_fail(
				&events[i]->instance->host, DPR_RC_TIMEOUT, 0,
				"host: event wait: the time limit has passed");
	return DPR_RC_OK;
}

void host_event_destroy(dprp_event *event)
{
	host_event_drop(event);
}

dprp_rc host_event_notify(dprp_event *event, uint64_t number)
{
	dprp_instance *instance = event->instance;
	struct host_token *token = host_util_alloc(instance, sizeof(*token));
	bool done;

	if (!token)
		return DPR_RC_OOM_HOST;
	token->token = number;
	pthread_mutex_lock(&event->lock);
	done = atomic_load(&event->state) == DPRP_EVENT_DONE;
	if (!done) {
		token->next = event->tokens;
		event->tokens = token;
	}
	pthread_mutex_unlock(&event->lock);
	if (done) {
		dprh_free(&instance->host, token);
		instance->host.event_done(instance->host.self, number,
					  DPR_RC_OK);
	}
	return DPR_RC_OK;
}
