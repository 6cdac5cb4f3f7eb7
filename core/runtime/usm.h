/* SPDX-License-Identifier: Apache-2.0 */
/* usm.h - an allocation inside, with the record of its uses. */
#ifndef RUNTIME_USM_H
#define RUNTIME_USM_H

#include <pthread.h>
#include <stdatomic.h>

#include <dpr/usm.h>

#include "core/runtime/queue.h"

/*
 * The last uses of an allocation by one queue: tickets, 0 for none.  `pinned`
 * is the last submission that only keeps the memory and is not ordered, or
 * whose order is implied by a later write on another queue.  `reads` counts the
 * reads since the last write: on an out-of-order queue more than one ticket
 * matters.
 */
struct usm_use {
	dpr_queue *queue; /* holds a reference */
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

	pthread_mutex_t lock;
	/* Guards the fields below: one entry per queue that used it, the first
	   two inline. */
	struct usm_use first[2];
	struct usm_use *more;
	size_t n_uses, room; /* room: of `more` */

	/* Guarded by the registry of allocations (find.c). */
	dpr_usm *left, *right, *next, *previous;
	uint32_t priority;

	dpr_usm *zombie_next; /* reap.c */
};

/* access.c: the record of uses. */

/* A use that a submission has to wait for. */
struct conflict {
	dpr_queue *queue; /* a reference */
	uint64_t ticket;
	int many; /* everything up to the ticket */
};

struct conflict_list {
	struct conflict few[8], *list;
	size_t count, room;
};

/*
 * Enter submission @ticket of @queue as a use of all of @uses, which are sorted
 * by address and have no doubles, if every conflicting use is known complete or
 * among @covered; else enter nothing and add the others to @conflicts.  On an
 * in-order queue its own uses conflict only as far as they are held.  Called
 * with the queue's submission mutex held.
 */
dpr_status access_enter(dpr_queue *queue, uint64_t ticket,
			const struct use *uses, size_t n_uses,
			const struct conflict_list *covered,
			struct conflict_list *conflicts);

/*
 * A submission that was entered with these uses will not run.  What it was to
 * wait for is over when it is not: whoever comes next has to wait for that
 * itself.  Called with the queue's submission mutex held.
 */
void access_failed(const struct use *uses, size_t n_uses);

/* Whether no submission uses @usm as far as is known.  Calls no driver.  If
   not, a use that is not done goes to *queue (a reference) and *ticket. */
int access_idle(dpr_usm *usm, dpr_queue **queue, uint64_t *ticket);

/* Drop the references to queues. */
void access_fini(dpr_usm *usm);

void conflicts_fini(struct conflict_list *list);
/* 0: no memory. */
int conflicts_merge(struct conflict_list *to, const struct conflict_list *from);

/* find.c: all allocations. */
void usm_register(dpr_usm *usm);
void usm_unregister(dpr_usm *usm);
/* The largest allocations of @root and how many there are, as a text to end an
   error with. */
struct text;
void usm_holders(const dpr_device *root, struct text *text);

/* Free the memory; nothing uses it. */
void usm_destroy(dpr_usm *usm);

/* An allocation over @handle, which it owns from here on, also after a
   failure. */
dpr_status usm_wrap(dpr_queue *queue, dprp_mem *handle, size_t size,
		    dpr_usm **out);

/* The range check of every operation on allocations. */
dpr_status usm_check(const char *what, const dpr_usm *usm, size_t offset,
		     size_t size);

/* transfer.c: a copy between two root devices. */
dpr_status transfer_copy(dpr_queue *queue, const struct operation *copy,
			 const dpr_events *after, dpr_event **done);

#endif
