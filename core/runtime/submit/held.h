/* SPDX-License-Identifier: Apache-2.0 */
/* held.h - submissions that wait in the core. */
#ifndef RUNTIME_HELD_H
#define RUNTIME_HELD_H

#include "core/runtime/queue/event_list.h"
#include "core/runtime/queue/tickets.h"
#include "core/runtime/submit/operation.h"

/*
 * Keep a copy of @operation as submission @ticket behind the others that are
 * held.  Called with `submit` held.  Retains @event and takes over nothing; 0:
 * no memory.
 */
int held_push(dpr_queue *queue, const struct operation *operation,
	      uint64_t ticket, const struct published *published,
	      const struct event_list *deps, int complete_only);

#endif
