/* SPDX-License-Identifier: Apache-2.0 */
/* event_list.c - lists of events. */
#include "core/runtime/queue/event_list.h"

#include <string.h>

#include "core/base/mem.h"

/* In a longer list no event is looked for before it is added. */
#define FEW_DOUBLES 64

bool event_list_add(struct event_list *list, dpr_event *event)
{
	size_t room = list->room ? list->room * 2 : 32, i;
	dpr_event **grown;

	if (!list->list) {
		list->list = list->few;
		list->room = 0;
	}
	/* Doubles do no harm; in a long list they are not looked for. */
	for (i = 0; i < list->count && i < FEW_DOUBLES; i++)
		if (list->list[i] == event) {
			dpr_event_release(event);
			return true;
		}
	if (list->count <
	    (list->room ? list->room
			: sizeof(list->few) / sizeof(list->few[0]))) {
		list->list[list->count++] = event;
		return true;
	}
	grown = mem_array(room, sizeof(dpr_event *));
	if (!grown) {
		dpr_event_release(event);
		return false;
	}
	memcpy(grown, list->list, list->count * sizeof(dpr_event *));
	if (list->list != list->few)
		mem_free(list->list);
	list->list = grown;
	list->room = room;
	list->list[list->count++] = event;
	return true;
}

void event_list_fini(struct event_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		dpr_event_release(list->list[i]);
	if (list->list != list->few)
		mem_free(list->list);
	list->list = NULL;
	list->count = list->room = 0;
}
