/* SPDX-License-Identifier: Apache-2.0 */
/* conflicts.c - lists of submissions that another one has to wait for. */
#include "core/runtime/memory/conflicts.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/runtime/queue/queue.h"

bool conflicts_cover(const struct conflict_list *list, const dpr_queue *queue,
		     uint64_t ticket, enum cover what)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct conflict *c = &list->list[i];

		if (c->queue != queue)
			continue;
		if (queue->in_order || c->what != COVER_ONE
			    ? c->ticket >= ticket
			    : what == COVER_ONE && c->ticket == ticket)
			return true;
	}
	return false;
}

bool conflicts_add(struct conflict_list *list, dpr_queue *queue,
		   uint64_t ticket, enum cover what)
{
	size_t few = sizeof(list->few) / sizeof(list->few[0]);
	struct conflict *grown;

	/* A closed queue has no unfinished work. */
	if (conflicts_cover(list, queue, ticket, what) || !queue_visit(queue))
		return true;
	if (!list->list) {
		list->list = list->few;
		list->room = few;
	}
	if (list->count == list->room) {
		grown = mem_array(list->room * 2, sizeof(*grown));
		if (!grown) {
			queue_leave(queue);
			return false;
		}
		memcpy(grown, list->list, list->count * sizeof(*grown));
		if (list->list != list->few)
			mem_free(list->list);
		list->list = grown;
		list->room *= 2;
	}
	list->list[list->count].queue = queue;
	list->list[list->count].ticket = ticket;
	list->list[list->count++].what = what;
	return true;
}

void conflicts_fini(struct conflict_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		queue_leave(list->list[i].queue);
	if (list->list != list->few)
		mem_free(list->list);
	list->list = NULL;
	list->count = list->room = 0;
}

bool conflicts_merge(struct conflict_list *to, const struct conflict_list *from)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		if (!conflicts_add(to, from->list[i].queue,
				   from->list[i].ticket, from->list[i].what))
			return false;
	return true;
}
