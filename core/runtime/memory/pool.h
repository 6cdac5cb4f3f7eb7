/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - memory pools, one for each device and kind of memory.
 *
 * Released memory goes back to its pool when no work uses it.  DEVICE memory
 * goes back at once if only one in-order queue of the device still uses it.
 * Later work of this queue may take it then.  Other work may take it when the
 * old work is known to be complete.
 *
 * Order of locks: the index of span.h, then one pool's lock.  While a pool's
 * lock is held, no other lock is taken and no driver is called.
 */
#ifndef RUNTIME_POOL_H
#define RUNTIME_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/pool.h>

#include "core/runtime/memory/allocation.h"
#include "core/runtime/memory/heap.h"

#define POOL_KINDS 3
/* Requests up to this size share small slabs. */
#define POOL_SMALL ((size_t)1 << 20)

/* What the pools of a root device and of its sub-devices share.  Made on first
   use.  Like devices, pool roots and pools are never freed. */
struct pool_root {
	dpr_device *device;
	/* the first pool, linked by `next`; pools are only added */
	_Atomic(struct pool *) pools;
	/* the next in the list of all; see pool_roots() */
	struct pool_root *next;
	_Atomic uint64_t limit; /* in bytes; UINT64_MAX: no limit */
	_Atomic uint64_t held;  /* the bytes taken from the driver */
	_Atomic uint64_t peak_held;
	/* all allocators that were ever set */
	_Atomic(struct allocator *) allocators;
	/* How many slabs are on their way between the driver and a pool: they
	   are in no pool, but count in `claimed`. */
	_Atomic uint64_t moving;
	/* Bytes of released allocations that have no block and are not freed
	   yet. */
	_Atomic uint64_t waiting;

	pthread_mutex_t lock;
	/* Guards the fields below. */
	/* the bytes held, or being requested from the driver */
	uint64_t claimed;
	uint64_t moves; /* the number of finished moves of slabs */
	dpr_pool_pressure pressure;
	void *pressure_user;
};

struct pool {
	dpr_device *device;
	dpr_usm_kind kind;
	struct pool_root *root;
	struct pool *next;

	pthread_mutex_t lock;
	/* Guards the fields below, the blocks of its slabs, and `lane` of its
	   device's queues. */
	struct heap heap;
	struct lane *lanes;
	dpr_usm *idle; /* objects without memory, linked by `next` */
	size_t n_idle;
	uint64_t round; /* the last round of pool_settle() */
	/* Bytes of blocks that count as used, although they were released: work
	   still uses them. */
	size_t waiting;
	size_t peak_used, peak_held;
	uint64_t requests, hits, driver_allocations, driver_frees;
};

/* The pool of a device, and the pool root of a device; made if missing.  Return
   NULL if memory runs out.  pool_of() also does if there is no pool and @make
   is false. */
struct pool *pool_of(dpr_device *device, dpr_usm_kind kind, bool make);
struct pool_root *pool_root_of(dpr_device *device);
/* All pool roots, by `next`; new ones are put before the first. */
struct pool_root *pool_roots(void);

/* Add @slab (may be NULL) to the pool, then make an allocation from a block for
   @want.  Returns NULL if no block fits.  Also returns NULL if host memory runs
   out: then *@oom is set and @slab was not added. */
dpr_usm *pool_take(struct pool *pool, dpr_queue *queue,
		   const struct heap_want *want, struct slab *slab, bool *oom);

/*
 * Take the memory and the object of @usm back into the pool.  Only work of
 * @queue up to @ticket may still use the memory; @queue NULL: no work uses it.
 * Returns false, and has done nothing, if host memory runs out.
 */
bool pool_give(dpr_usm *usm, dpr_queue *queue, uint64_t ticket);

/* Whether the block of @usm, which only @queue uses, may be given to later work
   of @queue. */
bool pool_has_lane(const dpr_usm *usm, const dpr_queue *queue);

/* Count the memory of @usm as released but still in use. */
void pool_waiting(dpr_usm *usm);
/* Undo pool_waiting() for freed memory of @size bytes that had no block. */
void pool_waited(const dpr_queue *queue, size_t size);

/* Let any queue use those blocks in the pool's lanes whose work is over.  First
   wait for that work until @deadline (0: only poll). */
void pool_settle(struct pool *pool, uint64_t deadline);

/* Free the idle objects that are kept for reuse. */
void pool_drop_idle(struct pool *pool);

#endif
