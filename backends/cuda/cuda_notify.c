/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_notify.c - telling the core that an event is complete.
 *
 * The driver calls a host function in the order of a stream.  On the queue's
 * own stream the function would delay the work behind it.  So there are side
 * streams, each of which waits for one event at a time; if all are in use, the
 * core polls.
 */
#include "cuda_objects.h"

/* Runs in a thread of the driver, where no call of the driver is allowed. */
static void CUDA_CB notice_run(void *data)
{
	struct cuda_notice *notice = data;
	const dprp_host *host = notice->host;
	uint64_t token = notice->token;

	atomic_store_explicit(&notice->taken, false, memory_order_release);
	host->event_done(host->self, token, DPR_RC_OK);
}

/* Take an unused notice with its stream.  NULL: all are in use, or the stream
   cannot be made. */
static struct cuda_notice *notice_take(struct cuda_scope *scope)
{
	struct cuda_notice *notice = NULL;
	dprp_rc rc = DPR_RC_OK;
	int i;

	for (i = 0; i < CUDA_NOTICES; i++) {
		notice = &scope->notices[i];
		if (!atomic_exchange(&notice->taken, true))
			break;
	}
	if (i == CUDA_NOTICES)
		return NULL;
	pthread_mutex_lock(&scope->lock);
	if (!notice->stream)
		rc = cuda_stream_make(scope, 0, &notice->stream);
	pthread_mutex_unlock(&scope->lock);
	if (!rc)
		return notice;
	atomic_store(&notice->taken, false);
	return NULL;
}

dprp_rc cuda_notify_ask(dprp_event *event, uint64_t token)
{
	struct cuda_scope *scope = event->scope;
	dprp_instance *instance = scope->context->instance;
	const struct cuda_api *cu = &instance->cu;
	struct cuda_notice *notice = notice_take(scope);
	CUresult error;

	if (!notice)
		return dprh_fail(
			instance->host, DPR_RC_UNSUPPORTED, 0,
			"%d events of this device already have a notification",
			CUDA_NOTICES);
	notice->host = instance->host;
	notice->token = token;
	error = cu->cuStreamWaitEvent(notice->stream, event->cu,
				      CU_EVENT_WAIT_DEFAULT);
	if (!error)
		error = cu->cuLaunchHostFunc(notice->stream, notice_run,
					     notice);
	if (!error)
		return DPR_RC_OK;
	atomic_store(&notice->taken, false);
	return cuda_error_check_device(scope->device, error,
				       "cuLaunchHostFunc");
}

void cuda_notify_free_all(struct cuda_scope *scope)
{
	const struct cuda_api *cu = &scope->context->instance->cu;
	int i;

	for (i = 0; i < CUDA_NOTICES; i++) {
		if (!scope->notices[i].stream || scope->gone)
			continue;
		/* The events are complete, so their host functions run soon. */
		cu->cuStreamSynchronize(scope->notices[i].stream);
		cu->cuStreamDestroy(scope->notices[i].stream);
	}
}
