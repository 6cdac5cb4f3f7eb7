/* SPDX-License-Identifier: Apache-2.0 */
/* event_list.c - lists of events. */
#include "core/runtime/queue/event_list.h"

/* How many events of a list are compared with a new one. */
#define FEW_DOUBLES 64

bool event_list_add(struct event_list *list, dpr_event *event)
{
	size_t i;

	/* A duplicate that is not found does no harm. */
	for (i = 0; i < list->count && i < FEW_DOUBLES; i++)
		if (list->list[i] == event) {
			dpr_event_release(event);
			return true;
		}
	if (!small_list_reserve(list, 1)) {
		dpr_event_release(event);
		return false;
	}
	list->list[list->count++] = event;
	return true;
}

void event_list_fini(struct event_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		dpr_event_release(list->list[i]);
	small_list_fini(list);
}
