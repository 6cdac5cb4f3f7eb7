/* SPDX-License-Identifier: Apache-2.0 */
/* held.h - submissions that are held in the core. */
#ifndef RUNTIME_HELD_H
#define RUNTIME_HELD_H

#include <stdbool.h>

#include "core/runtime/queue/event_list.h"
#include "core/runtime/queue/tickets.h"
#include "core/runtime/submit/operation.h"

/*
 * Keep a copy of @operation as submission @ticket, behind the others that are
 * held.  @complete_only: hold it until all of @deps are complete.  Called with
 * `submit` held.  Retains the event, which must not be NULL, and takes over
 * nothing.  Fails only without memory.
 */
dpr_status held_push(dpr_queue *queue, const struct operation *operation,
		     uint64_t ticket, const struct published *published,
		     const struct event_list *deps, bool complete_only);

#endif
