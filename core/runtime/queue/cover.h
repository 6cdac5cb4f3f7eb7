/* SPDX-License-Identifier: Apache-2.0 */
/* cover.h - find events that prove submissions complete. */
#ifndef RUNTIME_COVER_H
#define RUNTIME_COVER_H

#include <stdint.h>

#include <dpr/queue.h>

#include "core/runtime/queue/event_list.h"

/* What the events of cover_ticket() have to prove complete. */
enum cover {
	COVER_ONE,   /* only submission @ticket */
	COVER_ALL,   /* all submissions up to @ticket, on an out-of-order queue
			too */
	COVER_MARKER /* as COVER_ALL, but only by a marker, not by a
			submission's own event, which fails when the submission
			does */
};

/*
 * Add events to @list.  When all of them are complete, so is submission
 * @ticket, or all that @what asks for.  Adds none if that is known to be
 * complete already.  May submit a marker.  The caller holds no lock.
 */
dpr_status cover_ticket(dpr_queue *queue, uint64_t ticket, enum cover what,
			struct event_list *list);

#endif
