/* SPDX-License-Identifier: Apache-2.0 */
/* usm.h - an allocation inside, with the record of its uses. */
#ifndef RUNTIME_USM_H
#define RUNTIME_USM_H

#include <pthread.h>
#include <stdatomic.h>

#include <dpr/usm.h>

#include "core/runtime/memory/heap.h"
#include "core/runtime/memory/origin.h"
#include "core/runtime/queue/queue.h"
#include "core/runtime/queue/use.h"

/*
 * The last uses of an allocation by one queue: tickets, 0 for none.  `pinned`
 * is the last submission that only keeps the memory and is not ordered, or
 * whose order is implied by a later write on another queue.  `reads` counts the
 * reads since the last write, up to two: on an out-of-order queue more than one
 * ticket matters.
 */
struct usm_use {
	dpr_queue *queue; /* a weak reference: it may be closed by now */
	uint64_t written, read, pinned;
	uint32_t reads;
	int vague; /* a later use failed: all three tickets may still matter */
};

struct dpr_usm {
	atomic_uint refs;
	dpr_usm_kind kind;
	size_t size;
	dpr_queue *queue; /* holds a reference */
	dprp_mem *handle;
	size_t base;   /* where it begins in `handle`, bytes */
	void *address; /* its own, with `base`; NULL if it has none */

	/* Its part of a slab; NULL: memory of its own, wrapped or asked of the
	   driver for it alone. */
	struct block *block;
	struct span span; /* of memory of its own */
	/* Guarded by find.c, or by its pool while it is an idle object. */
	dpr_usm *next, *previous;
	/* Who made it instead of the pool (allocator.c), with their word for
	   it. */
	const struct allocator *allocator;
	void *token;
	int released;     /* the last reference is gone, but work uses it */
	int kind_unknown; /* a native handle's, of which nobody tells */

	pthread_mutex_t lock;
	/* Guards the fields below: one entry per queue that used it, the first
	   two inline. */
	struct usm_use first[2];
	struct usm_use *more;
	size_t n_uses, room; /* room: of `more` */
	/* Submissions of `queue`, which is in order, up to this one use the
	   memory for who had it before; 0: none.  Whoever uses it on another
	   queue, ordered or not, has to wait for them. */
	uint64_t before;
	struct origins origins;

	struct reap_node reaped;
};

/* access.c: the record of uses. */

/* A use that a submission has to wait for. */
struct conflict {
	dpr_queue *queue; /* visited */
	uint64_t ticket;
	int many; /* everything up to the ticket; or COVER_MARKER */
};

struct conflict_list {
	struct conflict few[8], *list;
	size_t count, room;
};

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
dpr_status access_writes(dpr_usm *usm, struct conflict_list *out);

/* Whether no submission uses @usm as far as is known.  Calls no driver.  If
   not, a use that is not done goes to *queue (visited) and *ticket. */
int access_idle(dpr_usm *usm, dpr_queue **queue, uint64_t *ticket);

/* What is in the way of @usm's memory being free: the queue of the only one
   whose work uses it, visited, and up to which ticket; NULL: none, or with
   *@many set more than one. */
dpr_queue *access_only(dpr_usm *usm, uint64_t *ticket, int *many);

/* @queue, which is visited, has lost its device: no work of it uses @usm any
   more, but that of other queues may. */
void access_lost(dpr_usm *usm, const dpr_queue *queue);

/* Drop the references to queues; access_reset() keeps the room, and calls no
   driver. */
void access_reset(dpr_usm *usm);
void access_fini(dpr_usm *usm);

void conflicts_fini(struct conflict_list *list);
/* 0: no memory. */
int conflicts_merge(struct conflict_list *to, const struct conflict_list *from);

/* Free the memory, and the object; nothing uses it. */
void usm_destroy(dpr_usm *usm);

/* The address of memory, NULL: it has none.  DPR_RC_INTERNAL: the plugin's
   answer is no address. */
dprp_rc usm_ask_address(const struct plugin *plugin, dprp_mem *mem, void **out);

/* Memory of the driver's for this allocation alone; the driver's answer, or
   DPR_RC_OOM_HOST. */
dprp_rc usm_make(dpr_queue *queue, dpr_usm_kind kind, size_t size,
		 size_t alignment, dpr_usm **out);

/*
 * An allocation over a handle of the user's: made before that is wrapped, so
 * that nothing can fail afterwards.  NULL: no memory.  Then usm_wrapped() gives
 * it @handle, or usm_discard() takes it back.
 */
dpr_usm *usm_to_wrap(dpr_queue *queue, size_t size);
void usm_wrapped(dpr_usm *usm, dprp_mem *handle);
/* Free the object, which has no memory behind it. */
void usm_discard(dpr_usm *usm);

/* The access of a submission that writes these bytes and reads none. */
uint32_t usm_write_access(const dpr_usm *usm, size_t offset, uint64_t size);

/* The range check of every operation on allocations. */
dpr_status usm_check(const char *what, const dpr_usm *usm, size_t offset,
		     size_t size);

/* That a kind is one of the three. */
dpr_status usm_check_kind(const char *what, dpr_usm_kind kind);

/* Mark the contents of @usm as not valid, with @status and the text @why, until
   one submission writes all of them.  The caller returns the failure to the
   program. */
void usm_invalidate(dpr_usm *usm, dpr_status status, const char *why);

#endif
