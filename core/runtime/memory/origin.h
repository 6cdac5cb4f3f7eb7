/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.h - which submissions made the contents of an allocation, and whether
 * one of them has failed.
 *
 * For the queue that wrote last, only its last write is kept; spoil.h knows
 * what that write used.  For other queues, what the contents were computed or
 * copied from is kept until it is known to have succeeded.
 */
#ifndef RUNTIME_ORIGIN_H
#define RUNTIME_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/base.h>
#include <dpr/status.h>

#include "core/base/small_list.h"

struct use;

struct origin {
	dpr_queue *queue;     /* a weak reference */
	uint64_t first, last; /* tickets */
};

struct failure;

/* Part of an allocation, guarded by its lock. */
struct origins {
	struct origin few[2], *more;
	size_t count, room; /* room: of `more` */
	/* Why the contents are invalid regardless of these submissions; a
	   reference or NULL. */
	struct failure *cause;
};

/* What the results of a submission come from on other queues. */
struct origin_list {
	SMALL_LIST(struct origin, 8);
};

/*
 * Collect what the results of a submission of @queue with this use will depend
 * on: earlier work of @queue goes into @use, that of other queues to @list.
 * Called with the allocation's lock held.  If what it reads is spoiled, that is
 * recorded as the failure of @name and returned.
 */
dpr_status origin_collect(dpr_queue *queue, const char *name, struct use *use,
			  struct origin_list *list);

/* Make room for what origin_enter() adds.  False: no memory. */
bool origin_reserve(struct origins *origins, const struct origin_list *list);

/* Note that submission @ticket of @queue is this use of an allocation.  Called
   with its lock held, after origin_reserve(). */
void origin_enter(dpr_queue *queue, uint64_t ticket, const struct use *use,
		  const struct origin_list *list);

/* Spoil what @use was to write.  Its submission is not sent, because
   origin_collect() found the contents of @bad spoiled. */
void origin_spoil(const struct use *use, const struct use *bad);

/* Mark the contents as invalid because of @cause, until all is written anew.
   Called with the allocation's lock held. */
void origin_invalidate(struct origins *origins, struct failure *cause);

/*
 * Ask the queues whose work made @usm whether it succeeded, unless that is
 * known.  If @own is in order, waits until @deadline for all its work.  Other
 * queues are only polled, because they may have much to do that @usm does not
 * need.
 */
void origin_ask(dpr_usm *usm, const dpr_queue *own, uint64_t deadline);

/* DPR_OK, or the failure that has spoiled @usm's contents, recorded as that of
   @name. */
dpr_status origin_check(const char *name, dpr_usm *usm);

/* Forget all; origin_reset() keeps the room. */
void origin_reset(struct origins *origins);
void origin_fini(struct origins *origins);

#endif
