/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uses.h - the record of who uses an allocation, which orders work on it.
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
 * Enter submission @ticket of @queue, called @name, as a use of all of @uses,
 * which are sorted by address and have no doubles, if every conflicting use is
 * known complete or among @covered; else enter nothing and add the others to
 * @conflicts.  On an in-order queue its own uses conflict only as far as they
 * are held.  What @uses read of the queue's own work is put into them.  Called
 * with the queue's submission mutex held.  Besides a lack of memory it fails,
 * with the cause, if it would read what a failed submission was to write.
 */
dpr_status access_enter(dpr_queue *queue, uint64_t ticket, const char *name,
			struct use *uses, size_t n_uses,
			const struct conflict_list *covered,
			struct conflict_list *conflicts);

/*
 * A submission that was entered with these uses will not run.  What it was to
 * wait for is over when it is not: whoever comes next has to wait for that
 * itself.  Called with the queue's submission mutex held.
 */
void access_failed(const struct use *uses, size_t n_uses);

/* The submissions that write @usm and are not known complete. */
dpr_status uses_writes(dpr_usm *usm, struct conflict_list *out);

/* Whether no submission uses @usm as far as is known.  Calls no driver.  If
   not, a use that is not done goes to *queue (visited) and *ticket. */
int uses_idle(dpr_usm *usm, dpr_queue **queue, uint64_t *ticket);

/* What is in the way of @usm's memory being free: the queue of the only one
   whose work uses it, visited, and up to which ticket; NULL: none, or with
   *@many set more than one. */
dpr_queue *uses_only(dpr_usm *usm, uint64_t *ticket, int *many);

/* @queue, which is visited, has lost its device: no work of it uses @usm any
   more, but that of other queues may. */
void uses_lost(dpr_usm *usm, const dpr_queue *queue);

/* Drop the references to queues; uses_reset() keeps the room, and calls no
   driver. */
void uses_reset(dpr_usm *usm);
void uses_fini(dpr_usm *usm);

#endif
