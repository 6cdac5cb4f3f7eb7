/* SPDX-License-Identifier: Apache-2.0 */
/* allocation.h - the struct of an allocation, for the files that work on it. */
#ifndef RUNTIME_ALLOCATION_H
#define RUNTIME_ALLOCATION_H

#include <pthread.h>
#include <stdbool.h>

#include <dpr/pool.h>
#include <dpr/usm.h>

#include "core/base/refs.h"
#include "core/runtime/memory/heap.h"
#include "core/runtime/memory/origin.h"
#include "core/runtime/memory/span.h"
#include "core/runtime/queue/queue.h"
#include "core/runtime/queue/reap.h"

/*
 * The last uses of an allocation by one queue, as tickets; 0 for none.
 * `pinned` is the last submission for which the memory must only be kept.  New
 * uses need not wait for `pinned`: either no order is needed, or a later write
 * waits for it.  `reads` counts the reads since the last write, up to two.
 * After more than one read, a new write waits for all work of an out-of-order
 * queue.
 */
struct usm_use {
	dpr_queue *queue; /* a weak reference: the queue may be closed */
	uint64_t written, read, pinned;
	uint32_t reads;
	bool vague; /* a later use has failed, so new uses must wait for all
		       three tickets */
};

struct dpr_usm {
	struct refs refs;
	dpr_usm_kind kind;
	size_t size;
	dpr_queue *queue; /* with a reference */
	dprp_mem *handle;
	size_t base; /* the beginning of the allocation in `handle`, in bytes */
	/* the address of the first byte; NULL: the allocation has none */
	void *address;

	/* The part of a slab that is its memory; NULL: it has memory of its
	   own, wrapped or allocated by the driver. */
	struct block *block;
	struct span span; /* used if `block` is NULL */
	dpr_usm *next; /* the next idle object, if this is one; guarded by the
			  pool */
	/* The program's allocator that made it, with its token; NULL: made by
	   the pool or the driver. */
	const dpr_allocator *allocator;
	void *token;
	/* Called with `owner` when borrowed memory is no longer used; may be
	   NULL. */
	void (*returned)(void *owner);
	void *owner;
	bool lent; /* the program keeps the native handle: freeing this calls no
		      driver */
	bool read_only; /* borrowed: no submission may write there */
	bool released; /* the last reference is gone, but the memory is not free
			  yet */
	bool kind_unknown; /* a native handle whose kind the driver does not
			      report */

	pthread_mutex_t lock;
	/* Guards the fields below.  There is one entry per queue that has used
	   the memory, the first two inline. */
	struct usm_use first[2];
	struct usm_use *more;
	/* the number of entries for which `more` has room */
	size_t n_uses, room;
	/* Submissions of `queue` up to this one may use the memory for its
	   previous owner; 0: none.  `queue` is in order, so its later work
	   follows them anyway.  A use on another queue has to wait for them,
	   whatever its access. */
	uint64_t before;
	struct origins origins;
	/* The last submission that writes it; `wrote` is only compared.  And
	   the event of the last write on a queue with profiling, a reference,
	   which may be an older one. */
	const dpr_queue *wrote;
	uint64_t wrote_ticket;
	dpr_event *writer;

	/* NULL: the allocation has no guard; see guard.h */
	struct guard *guard;

	struct reap_node reaped;
};

#endif
