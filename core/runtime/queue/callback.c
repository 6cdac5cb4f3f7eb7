/* SPDX-License-Identifier: Apache-2.0 */
/* callback.c - calling the program when an event is final. */
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/progress.h"

dpr_status dpr_event_on_complete(dpr_event *event, dpr_event_callback callback,
				 void *user)
{
	TRACE_CALL;
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
	/* Start the thread first: once the callback is in the list, it must
	   run. */
	status = progress_start("event callback");
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
	/* Not watched: only this thread can remove the entry. */
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
	/* Another thread had the event watched: the callback has run. */
	if (!entry)
		return DPR_OK;
	mem_free(entry);
	return status;
}
