/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - memory pools, one for each device and kind of memory.
 *
 * Released memory goes back to its pool.  If work of one in-order queue still
 * uses it, later work of that queue may have it at once, and other work once
 * that is known complete.  Order of locks: the index of span.h, then one pool's
 * lock.  Under a pool's lock no other is taken and no driver called.
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
	struct pool_root *next;       /* list of all; pool_roots() */
	_Atomic uint64_t limit;       /* bytes; UINT64_MAX: none */
	_Atomic uint64_t held;        /* bytes from the driver */
	_Atomic uint64_t peak_held;
	_Atomic(struct allocator *) allocators; /* all that were set */
	/* How many slabs threads are moving between a pool and the driver:
	   claimed, and in no pool. */
	_Atomic uint64_t moving;
	/* Bytes of released allocations without a block that work still
	   uses. */
	_Atomic uint64_t waiting;

	pthread_mutex_t lock;
	/* Guards the fields below. */
	uint64_t claimed; /* bytes held or just being asked for */
	uint64_t moves;   /* finished moves of slabs */
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
	/* Bytes of used blocks that were released while work uses them. */
	size_t waiting;
	size_t peak_used, peak_held;
	uint64_t requests, hits, driver_allocations, driver_frees;
};

/* The pool of a device.  Returns NULL without memory, or if it does not exist
   and @make is false. */
struct pool *pool_of(dpr_device *device, dpr_usm_kind kind, bool make);
struct pool_root *pool_root_of(dpr_device *device);
/* All pool roots, by `next`; new ones are put before the first. */
struct pool_root *pool_roots(void);

/* Add @slab (may be NULL) to the pool, then make an allocation from a block for
   @want.  Returns NULL if no block fits.  Also returns NULL without host
   memory: then *@oom is set and @slab was not added. */
dpr_usm *pool_take(struct pool *pool, dpr_queue *queue,
		   const struct heap_want *want, struct slab *slab, bool *oom);

/*
 * Take back the memory and the object of @usm.  @queue NULL: no work uses it.
 * Otherwise only work of @queue up to @ticket may use it.  Returns false, with
 * nothing done, without memory to note that.
 */
bool pool_give(dpr_usm *usm, dpr_queue *queue, uint64_t ticket);

/* Whether the block of @usm, which only @queue uses, may be given to later work
   of @queue. */
bool pool_has_lane(const dpr_usm *usm, const dpr_queue *queue);

/* Count the memory of @usm as released but still in use. */
void pool_waiting(dpr_usm *usm);
/* Undo pool_waiting() for freed memory of @size bytes that had no block. */
void pool_waited(const dpr_queue *queue, size_t size);

/* Let any queue have blocks whose work is over.  First wait for that work until
   @deadline (0: only poll). */
void pool_settle(struct pool *pool, uint64_t deadline);

/* Free the idle objects that are kept for reuse. */
void pool_drop_idle(struct pool *pool);

#endif
