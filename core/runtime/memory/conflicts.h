/* SPDX-License-Identifier: Apache-2.0 */
/* conflicts.h - lists of submissions that another one has to wait for. */
#ifndef RUNTIME_CONFLICTS_H
#define RUNTIME_CONFLICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/queue.h>

#include "core/base/small_list.h"
#include "core/runtime/queue/cover.h"

/* A use that a submission has to wait for. */
struct conflict {
	dpr_queue *queue; /* the queue is kept open by queue_visit() */
	uint64_t ticket;
	enum cover what; /* not COVER_ONE: everything up to the ticket */
};

struct conflict_list {
	SMALL_LIST(struct conflict, 8);
};

/* Whether a wait for all of @list is also a wait for submission @ticket of
   @queue, or for all that @what asks for. */
bool conflicts_cover(const struct conflict_list *list, const dpr_queue *queue,
		     uint64_t ticket, enum cover what);

/* Add an entry unless @list covers it.  Returns false if memory runs out. */
bool conflicts_add(struct conflict_list *list, dpr_queue *queue,
		   uint64_t ticket, enum cover what);
/* Add all entries of @from.  Returns false if memory runs out. */
bool conflicts_merge(struct conflict_list *to,
		     const struct conflict_list *from);

void conflicts_fini(struct conflict_list *list);

#endif
