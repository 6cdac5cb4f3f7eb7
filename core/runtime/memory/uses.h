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
 * conflict only while they are held.  Sets `first` and `last` in each of @uses.
 * Called with the queue's `submit` held.  Fails if memory runs out.  Also
 * fails, with the cause, if the submission would read what a failed submission
 * was to write.
 */
dpr_status uses_enter(dpr_queue *queue, uint64_t ticket, const char *name,
		      struct use *uses, size_t n_uses,
		      const struct conflict_list *covered,
		      struct conflict_list *conflicts);

/*
 * Record that a submission which was entered with these uses will not run.  The
 * submissions for which it was to wait may still be under way, so later
 * submissions have to wait for them directly.  Called with the queue's `submit`
 * held.
 */
void uses_failed(const struct use *uses, size_t n_uses);

/* Record that @event is the event of a submission with these uses, on a queue
   with profiling.  Called without a lock. */
void uses_note_event(dpr_event *event, const struct use *uses, size_t n_uses);

/* The event of the last submission that writes @usm, a reference; NULL: none
   was recorded. */
dpr_event *uses_event(dpr_usm *usm);

/* Add the submissions that write @usm and are not known complete to @out. */
dpr_status uses_writes(dpr_usm *usm, struct conflict_list *out);

/* Whether no submission is known to use @usm.  Otherwise sets *queue (visited)
   and *ticket to a use that is not done.  Calls no driver. */
bool uses_idle(dpr_usm *usm, dpr_queue **queue, uint64_t *ticket);

/* If the work of only one queue uses @usm, visit and return that queue, and set
   *@ticket to the last submission that does.  Else return NULL; *@many is set
   if the work of several queues uses it. */
dpr_queue *uses_only(dpr_usm *usm, uint64_t *ticket, bool *many);

/* Forget the uses of @usm by @queue, which is visited and has lost its device.
 */
void uses_lost(dpr_usm *usm, const dpr_queue *queue);

/* Forget all uses.  uses_reset() keeps the memory of the records, and calls no
   driver. */
void uses_reset(dpr_usm *usm);
void uses_fini(dpr_usm *usm);

#endif
