/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - memory pools inside: one for each device and kind of memory.
 *
 * What is released goes back to its pool; where work still uses it, it is free
 * for the later work of the same in-order queue at once, and for all when that
 * work is known to be complete.  Order of locks: the index of span.h, then one
 * pool's; under a pool's nothing is taken, and no driver is called.
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

/* What the pools of a root device and of its parts share.  Made on first use;
   like devices, these and pools are never freed. */
struct pool_root {
	dpr_device *device;
	_Atomic(struct pool *) pools; /* by `next`; only grows */
	struct pool_root *next;       /* of all, see pool_roots() */
	_Atomic uint64_t limit;       /* bytes; UINT64_MAX: none */
	_Atomic uint64_t held;        /* bytes from the driver */
	_Atomic uint64_t peak_held;
	_Atomic(struct allocator *) allocators; /* all that were set */
	/* Slabs that are claimed and in no pool: a thread is at moving them
	   between a pool and the driver. */
	_Atomic uint64_t moving;
	/* Bytes of memory of their own that were released, but work uses. */
	_Atomic uint64_t waiting;

	pthread_mutex_t lock;
	/* Guards the fields below. */
	uint64_t claimed; /* bytes held or just being asked for */
	uint64_t moves;   /* of slabs, that are over */
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
	dpr_usm *idle; /* objects without memory, by `next` */
	size_t n_idle;
	uint64_t round; /* of pool_settle() */
	/* Bytes of used blocks that were released, but work uses them. */
	size_t waiting;
	size_t peak_used, peak_held;
	uint64_t requests, hits, driver_allocations, driver_frees;
};

/* The pool of a device; NULL: no memory, or without @make that there is none.
 */
struct pool *pool_of(dpr_device *device, dpr_usm_kind kind, bool make);
struct pool_root *pool_root_of(dpr_device *device);
/* All pool roots, by `next`; new ones are put before the first. */
struct pool_root *pool_roots(void);

/* A block for @want as an allocation, after adding @slab, which may be NULL.
   NULL: there is none, or, with *@oom set, no host memory and @slab was not
   added. */
dpr_usm *pool_take(struct pool *pool, dpr_queue *queue,
		   const struct heap_want *want, struct slab *slab, bool *oom);

/*
 * Take back @usm's memory, and the object.  @queue NULL: nothing uses it.
 * Otherwise only work of @queue up to @ticket does; then it returns 0 if there
 * is no memory to note that, and has done nothing.
 */
bool pool_give(dpr_usm *usm, dpr_queue *queue, uint64_t ticket);

/* Whether a block that only @queue uses may be free for its later work. */
bool pool_has_lane(const dpr_usm *usm, const dpr_queue *queue);

/* Count @usm as released, but used by work. */
void pool_waiting(dpr_usm *usm);
/* Count it no more: the memory is gone, of an allocation without a block. */
void pool_waited(const dpr_queue *queue, size_t size);

/* Free for all what waited for work that is over by now.  First see that the
   work gets known complete, until @deadline (0: only look). */
void pool_settle(struct pool *pool, uint64_t deadline);

/* Free what is kept for reuse in host memory. */
void pool_drop_idle(struct pool *pool);

#endif
