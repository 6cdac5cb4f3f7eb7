/* SPDX-License-Identifier: Apache-2.0 */
/* cover.h - find events that prove submissions complete. */
#ifndef RUNTIME_COVER_H
#define RUNTIME_COVER_H

#include <stdint.h>

#include <dpr/queue.h>

#include "core/runtime/queue/event_list.h"

/* What has to be covered. */
enum cover {
	COVER_ONE,   /* one submission */
	COVER_ALL,   /* everything up to it, on an out-of-order queue too */
	COVER_MARKER /* the same, but only by a marker, which does not fail when
			a submission does */
};

/*
 * Add events to @list whose completion proves that submission @ticket, or all
 * that @what asks for, is complete.  Adds none if that is known already.  May
 * submit a marker.  The caller holds no lock.
 */
dpr_status cover_ticket(dpr_queue *queue, uint64_t ticket, enum cover what,
			struct event_list *list);

#endif
