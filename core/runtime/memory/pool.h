/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - memory pools inside: one for each device and kind of memory.
 *
 * What is released goes back to its pool; where work still uses it, it is free
 * for the later work of the same in-order queue at once, and for all when that
 * work is known to be complete.  Order of locks: the index of find.c, then one
 * pool's; under a pool's nothing is taken, and no driver is called.
 */
#ifndef RUNTIME_POOL_H
#define RUNTIME_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include <dpr/pool.h>

#include "core/runtime/memory/heap.h"
#include "core/runtime/memory/usm.h"

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

/*
 * Memory for @queue from its device's pool.  May wait for queued work and call
 * the user's pressure callback when there is no memory; holds no lock then.
 */
dpr_status pool_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
		      size_t alignment, dpr_usm **out);

/*
 * Memory for @queue where there is another way if there is none: what is free,
 * else what the driver gives within the limit, idle memory given back for it if
 * need be.  Waits for no work and asks nobody.  @tell: there is a text that
 * says why there is none.  pool_slabs.c.
 */
dpr_status pool_try(dpr_queue *queue, dpr_usm_kind kind, size_t size, int tell,
		    dpr_usm **out);

/*
 * @usm's memory goes back to its pool, and the object with it.  @queue NULL:
 * nothing uses it.  Else only work of @queue up to @ticket does; 0: there is no
 * memory to note that, and nothing was done.
 */
int pool_give(dpr_usm *usm, dpr_queue *queue, uint64_t ticket);

/* Whether a block that only @queue uses may be free for its later work. */
int pool_has_lane(const dpr_usm *usm, const dpr_queue *queue);

/* @usm was released, and waits for work; pool_waited(): the memory is gone, of
   one that is not the pool's. */
void pool_waiting(dpr_usm *usm);
void pool_waited(const dpr_queue *queue, size_t size);

/* The same for all queues of @pool; see that more gets known, until @deadline
   (0: only look). */
void pool_settle(struct pool *pool, uint64_t deadline);

/* A block for @want as an allocation, after adding @slab, which may be NULL.
   NULL: there is none, or, with *@oom set, no host memory and @slab was not
   added. */
dpr_usm *pool_take(struct pool *pool, dpr_queue *queue, const struct want *want,
		   struct slab *slab, int *oom);

/* The pool of a device; NULL: no memory, or with @make 0 that there is none. */
struct pool *pool_of(dpr_device *device, dpr_usm_kind kind, int make);
struct pool_root *pool_root_of(dpr_device *device);
/* All there are, by `next`; more only come before the first. */
struct pool_root *pool_roots(void);

/* Give idle slabs of @device's pools back, of a root device those of its parts
   too, but keep @keep bytes.  Returns how many bytes went.  pool_slabs.c. */
uint64_t pool_trim(dpr_device *device, uint64_t keep);

/* pool_alloc() when the pool has no such block: from the driver, or after all
   that can be done about a lack of memory.  pool_slabs.c. */
dpr_status pool_alloc_more(struct pool *pool, dpr_queue *queue,
			   const struct want *want, dpr_usm **out);

/* Memory of the driver's for one allocation alone, after all that can be done
   about a lack of it, as for the pools. */
dpr_status pool_alloc_own(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			  size_t alignment, dpr_usm **out);

/* The word for a kind of memory. */
const char *pool_kind_name(dpr_usm_kind kind);

/* The limit that it gives @root. */
uint64_t pool_limit_default(dpr_device *root);

/* Free what @reclaim's owner keeps of a root device's memory (NULL: of all) for
   later, when memory runs out or is trimmed; it returns how many bytes.  There
   is one such owner. */
void pool_set_reclaim(size_t (*reclaim)(dpr_device *root));
size_t pool_reclaim(dpr_device *root);

/* Give all memory back to the drivers: dpr_finalize(), before devices close. */
void pool_close_all(void);

/* allocator.c: the program's own. */
struct allocator;
/* Memory from @device's own allocator, if it has one; else *@out stays NULL and
   the status DPR_OK. */
dpr_status allocator_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			   size_t alignment, dpr_usm **out);
/* Tell it that the memory behind @token is used no more. */
void allocator_freed(const struct allocator *allocator, void *token,
		     size_t size);

#endif
