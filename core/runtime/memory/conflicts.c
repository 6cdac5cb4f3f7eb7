/* SPDX-License-Identifier: Apache-2.0 */
/* conflicts.c - lists of submissions that another one has to wait for. */
#include "core/runtime/memory/conflicts.h"

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
	/* A closed queue has no unfinished work. */
	if (conflicts_cover(list, queue, ticket, what) || !queue_visit(queue))
		return true;
	if (!small_list_reserve(list, 1)) {
		queue_leave(queue);
		return false;
	}
	list->list[list->count++] = (struct conflict){ queue, ticket, what };
	return true;
}

void conflicts_fini(struct conflict_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		queue_leave(list->list[i].queue);
	small_list_fini(list);
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
