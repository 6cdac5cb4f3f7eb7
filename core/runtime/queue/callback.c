/* SPDX-License-Identifier: Apache-2.0 */
/* callback.c - calling the program when an event is final. */
#include <string.h>

#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/queue/callback_thread.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/progress.h"

/* Start the threads that watch events and run callbacks. */
static dpr_status start_threads(void)
{
	int rc = callback_thread_start();

	if (rc)
		return fail(DPR_ERROR_OUT_OF_MEMORY,
			    "event callback: cannot start the thread for "
			    "callbacks: %s",
			    strerror(rc));
	return progress_start("event callback");
}

dpr_status dpr_event_on_end(dpr_event *event, dpr_event_callback callback,
			    void *user)
{
	TRACE_CALL;
	HANDLES(event);
	struct event_callback *entry;
	dpr_status status;

	status = process_check("event callback");
	if (status)
		return status;
	if (!event || !callback)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "event callback: the %s is NULL",
			    event ? "callback" : "event");
	entry = mem_alloc(sizeof(*entry));
	if (!entry)
		return fail_memory("event callback");
	/* Start the threads first: once the callback is in the list, it must
	   run. */
	status = start_threads();
	if (status) {
		mem_free(entry);
		return status;
	}
	entry->call = callback;
	entry->user = user;
	event_flush(event);
	pthread_mutex_lock(&event->lock);
	*event->callbacks_end = entry;
	event->callbacks_end = &entry->next;
	pthread_mutex_unlock(&event->lock);
	status = progress_watch(event);
	if (!status)
		return DPR_OK;
	/* Watching failed, so the callback may never run: remove the entry, if
	   it is still in the list. */
	pthread_mutex_lock(&event->lock);
	event->callbacks_end = &event->callbacks;
	while (*event->callbacks_end && *event->callbacks_end != entry)
		event->callbacks_end = &(*event->callbacks_end)->next;
	if (*event->callbacks_end)
		*event->callbacks_end = entry->next;
	else
		entry = NULL;
	while (*event->callbacks_end)
		event->callbacks_end = &(*event->callbacks_end)->next;
	pthread_mutex_unlock(&event->lock);
	/* Another thread had the event watched, and the callback has run. */
	if (!entry)
		return DPR_OK;
	mem_free(entry);
	return status;
}
