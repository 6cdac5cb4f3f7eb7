/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uses.h - the uses of an allocation by queues, which order the work on it.
 */
#ifndef RUNTIME_USES_H
#define RUNTIME_USES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/status.h>
#include <dpr/usm.h>

#include "core/runtime/memory/conflicts.h"
#include "core/runtime/queue/queue.h"

/*
 * Enter submission @ticket of @queue, called @name, as a user of all
 * allocations in @uses, which are sorted by address without duplicates.  If a
 * conflicting use is neither known complete nor among @covered, enter nothing
 * and add all such uses to @conflicts.  On an in-order queue its own uses
 * conflict only while they are held.  Sets in each of @uses which earlier work
 * of @queue it uses.  Called with the queue's `submit` held.  Fails without
 * memory, or with the cause if it would read what a failed submission was to
 * write.
 */
dpr_status uses_enter(dpr_queue *queue, uint64_t ticket, const char *name,
		      struct use *uses, size_t n_uses,
		      const struct conflict_list *covered,
		      struct conflict_list *conflicts);

/*
 * Note that a submission which was entered with these uses will not run.  The
 * submissions that it was to wait for may still be under way: later ones have
 * to wait for those themselves.  Called with the queue's submission mutex held.
 */
void uses_failed(const struct use *uses, size_t n_uses);

/* Add the submissions that write @usm and are not known complete to @out. */
dpr_status uses_writes(dpr_usm *usm, struct conflict_list *out);

/* Whether no submission is known to use @usm.  Otherwise sets *queue (visited)
   and *ticket to a use that is not done.  Calls no driver. */
bool uses_idle(dpr_usm *usm, dpr_queue **queue, uint64_t *ticket);

/* The only queue whose work uses @usm, visited, with the ticket up to which it
   does.  NULL if no queue does, or more than one, which sets *@many. */
dpr_queue *uses_only(dpr_usm *usm, uint64_t *ticket, bool *many);

/* Forget the uses of @usm by @queue, which is visited and has lost its device.
 */
void uses_lost(dpr_usm *usm, const dpr_queue *queue);

/* Forget all uses.  uses_reset() keeps the room, and calls no driver. */
void uses_reset(dpr_usm *usm);
void uses_fini(dpr_usm *usm);

#endif
