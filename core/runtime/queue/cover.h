/* SPDX-License-Identifier: Apache-2.0 */
/* cover.h - which events tell that submissions are complete. */
#ifndef RUNTIME_COVER_H
#define RUNTIME_COVER_H

#include <stdint.h>

#include <dpr/queue.h>

#include "core/runtime/queue/event_list.h"

/* What has to be covered. */
enum cover {
	COVER_ONE,   /* one submission */
	COVER_ALL,   /* everything up to it, on an out-of-order queue too */
	COVER_MARKER /* the same, by a marker: it does not fail when a
			submission does */
};

/*
 * Add events to @list that are complete only when submission @ticket is, or
 * what else @what says; none if that is known complete.  May submit a marker.
 * Called without locks.
 */
dpr_status cover_ticket(dpr_queue *queue, uint64_t ticket, enum cover what,
			struct event_list *list);

#endif
