/* SPDX-License-Identifier: Apache-2.0 */
/* mock_event.c - events: their states, waits and notifications. */
#include "tests/plugins/mock/mock_impl.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

dprp_event *mock_event_new(dprp_instance *instance)
{
	dprp_event *event = mock_alloc(instance, sizeof(*event));

	if (!event)
		return NULL;
	event->instance = instance;
	event->refs = 1;
	event->state = DPRP_EVENT_QUEUED;
	event->t_queued = mock_now();
	return event;
}

void mock_event_drop(dprp_event *event)
{
	if (--event->refs == 0)
		mock_free(event->instance, event);
}

void mock_event_complete(dprp_event *event, dprp_rc rc, int64_t native,
			 const char *text, struct mock_token **told)
{
	struct mock_token *token;

	event->state = rc ? DPRP_EVENT_FAILED : DPRP_EVENT_DONE;
	event->rc = rc;
	event->native = native;
	event->queue = NULL;
	event->t_end = mock_now();
	if (!event->t_submit)
		event->t_submit = event->t_end;
	if (!event->t_start)
		event->t_start = event->t_end;
	if (rc)
		snprintf(event->text, sizeof(event->text), "%s", text);
	while ((token = event->tokens)) {
		event->tokens = token->next;
		token->rc = rc;
		token->next = *told;
		*told = token;
	}
	pthread_cond_broadcast(&mock_changed);
}

void mock_tell(struct mock_token *told)
{
	struct mock_token *token;
	const dprp_host *host;

	while ((token = told)) {
		told = token->next;
		host = &token->instance->host;
		host->event_done(host->self, token->token, token->rc);
		host->free(host->self, token);
	}
}

static void mock_event_lie(dprp_event_state *state, char *sentence)
{
	if (mock_lie(MOCK_LIE_STATE))
		state->state = (uint32_t)mock_lie(MOCK_LIE_STATE);
	if (state->rc && mock_lie(MOCK_LIE_CODE)) {
		state->rc = (dprp_rc)mock_lie(MOCK_LIE_CODE);
		*sentence = '\0';
	}
	if (mock_lie(MOCK_LIE_TIMES))
		state->t_end = state->t_start - mock_lie(MOCK_LIE_TIMES);
}

static dprp_rc mock_event_status(dprp_event *event, dprp_event_state *state,
				 dprp_sink text)
{
	dprp_event_state full = { .struct_size = state->struct_size };
	size_t size = state->struct_size;
	char sentence[sizeof(event->text)];
	uint64_t offset = 0;

	MOCK_ENTER(event->instance, MOCK_event_status);
	pthread_mutex_lock(&mock_lock);
	full.state = event->state;
	full.rc = event->rc;
	full.native = event->native;
	if (event->profiling && mock_event_over(event)) {
		offset = MOCK_CLOCK_OFFSET;
		full.t_queued = event->t_queued + offset;
		full.t_submit = event->t_submit + offset;
		full.t_start = event->t_start + offset;
		full.t_end = event->t_end + offset;
	}
	memcpy(sentence, event->text, sizeof(sentence));
	if (mock_event_over(event))
		mock_event_lie(&full, sentence);
	pthread_mutex_unlock(&mock_lock);
	memcpy(state, &full, size < sizeof(full) ? size : sizeof(full));
	if (full.state == DPRP_EVENT_FAILED && text.write)
		text.write(text.user, sentence, strlen(sentence));
	return DPR_RC_OK;
}

static struct timespec deadline(uint64_t timeout_ns)
{
	uint64_t end = mock_now();
	struct timespec ts;

	if (timeout_ns > UINT64_C(1000000000) * 86400 * 365)
		timeout_ns = UINT64_C(1000000000) * 86400 * 365;
	end += timeout_ns;
	ts.tv_sec = (time_t)(end / 1000000000u);
	ts.tv_nsec = (long)(end % 1000000000u);
	return ts;
}

static dprp_rc mock_event_wait(dprp_event *const *events, uint32_t n,
			       uint64_t timeout_ns)
{
	struct timespec ts = deadline(timeout_ns);
	bool late = false;
	uint32_t i;

	if (!n)
		return DPR_RC_OK;
	MOCK_ENTER(events[0]->instance, MOCK_event_wait);
	pthread_mutex_lock(&mock_lock);
	for (i = 0; i < n; i++)
		if (events[i]->queue)
			mock_queue_flushed(events[i]->queue);
	for (i = 0; i < n && !late; i++)
		while (!mock_event_over(events[i]) && !late)
			late = !timeout_ns ||
			       pthread_cond_clockwait(&mock_changed, &mock_lock,
						      CLOCK_MONOTONIC,
						      &ts) != 0;
	/* Look once more: an event may have ended as the time ran out. */
	for (i = 0, late = false; i < n; i++)
		late |= !mock_event_over(events[i]);
	pthread_mutex_unlock(&mock_lock);
	if (late)
		return mock_fail(events[0]->instance, DPR_RC_TIMEOUT,
				 MOCK_NAME ": event wait: time is up");
	return DPR_RC_OK;
}

static void mock_event_destroy(dprp_event *event)
{
	mock_count(MOCK_event_destroy);
	mock_born(MOCK_EVENT, -1);
	pthread_mutex_lock(&mock_lock);
	mock_event_drop(event);
	pthread_mutex_unlock(&mock_lock);
}

#ifndef MOCK_BARE
static dprp_rc mock_event_notify(dprp_event *event, uint64_t number)
{
	struct mock_token *told = NULL, *token;

	mock_is_sender();
	MOCK_ENTER(event->instance, MOCK_event_notify);
	if (!event->instance->options.notify)
		return mock_fail(event->instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": event notify: NOTIFY=0");
	token = mock_alloc(event->instance, sizeof(*token));
	if (!token)
		return DPR_RC_OOM_HOST;
	token->instance = event->instance;
	token->token = number;
	pthread_mutex_lock(&mock_lock);
	if (mock_event_over(event)) {
		token->rc = event->rc;
		told = token;
	} else {
		token->next = event->tokens;
		event->tokens = token;
	}
	pthread_mutex_unlock(&mock_lock);
	mock_tell(told);
	return DPR_RC_OK;
}

#endif

const dprp_event_ops mock_event_ops = {
	.struct_size = sizeof(dprp_event_ops),
	.status = mock_event_status,
	.wait = mock_event_wait,
	.destroy = mock_event_destroy,
#ifndef MOCK_BARE
	.notify = mock_event_notify,
#endif
};
