/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.h - the submissions that made the contents of an allocation, and
 * whether one of them has failed.
 *
 * Of the queue that wrote last, only the last write is kept; spoil.h knows the
 * data that this write used.  Contents may also come from data of other queues.
 * The submissions that made such data are kept until they are known to have
 * succeeded.
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
	/* the number of entries for which `more` has room */
	size_t count, room;
	/* A failure that makes the contents invalid even if these submissions
	   succeed; a reference or NULL. */
	struct failure *cause;
};

/* The submissions of other queues whose results a submission uses.  Holds a weak
   reference to each queue.  Start with small_list_init(). */
struct origin_list {
	SMALL_LIST(struct origin, 8);
};

/* Release the references and free the list's memory. */
void origin_list_fini(struct origin_list *list);

/*
 * Collect the submissions on which the results of a new submission of @queue
 * depend because of @use.  Those of @queue go into @use, those of other queues
 * into @list.  Called with the allocation's lock held.  If the new submission
 * would read spoiled contents, records that as an error of @name and returns
 * its status.
 */
dpr_status origin_collect(dpr_queue *queue, const char *name, struct use *use,
			  struct origin_list *list);

/* Make room for what origin_enter() adds.  Returns false if memory runs out. */
bool origin_reserve(struct origins *origins, const struct origin_list *list);

/* If @use writes its allocation, record submission @ticket of @queue as an
   origin of the contents.  Called with the lock of the allocation held, after
   origin_reserve(). */
void origin_enter(dpr_queue *queue, uint64_t ticket, const struct use *use,
		  const struct origin_list *list);

/* Spoil what @use was to write.  Its submission is not sent, because
   origin_collect() found the contents of @bad spoiled. */
void origin_spoil(const struct use *use, const struct use *bad);

/* Mark the contents as invalid because of @cause, until all of them are
   written anew.  @cause NULL: remove the mark.  Called with the
   allocation's lock held. */
void origin_invalidate(struct origins *origins, struct failure *cause);

/*
 * Find out whether the work that made the contents of @usm succeeded, by asking
 * its queues, unless that is known.  If @own is in order, waits until @deadline
 * for all its work.  Other queues are only polled, because they may have much
 * to do that @usm does not need.
 */
void origin_ask(dpr_usm *usm, const dpr_queue *own, uint64_t deadline);

/* If a failure has spoiled the contents of @usm, record that as an error of
   @name and return its status; else return DPR_OK. */
dpr_status origin_check(const char *name, dpr_usm *usm);

/* Forget all origins.  origin_reset() keeps the memory of the list. */
void origin_reset(struct origins *origins);
void origin_fini(struct origins *origins);

#endif
