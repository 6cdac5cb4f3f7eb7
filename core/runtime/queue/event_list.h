/* SPDX-License-Identifier: Apache-2.0 */
/* event_list.h - lists of events. */
#ifndef RUNTIME_EVENT_LIST_H
#define RUNTIME_EVENT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/event.h>

#include "core/base/small_list.h"

/* Each event is a reference.  All zero is an empty list. */
struct event_list {
	SMALL_LIST(dpr_event *, 8);
};

/* Add @event and take over the reference.  Returns false if memory runs out;
   then the reference is released. */
bool event_list_add(struct event_list *list, dpr_event *event);

/* Release all events and the list's memory. */
void event_list_fini(struct event_list *list);

#endif
