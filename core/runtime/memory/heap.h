/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap.h - the structure of a memory pool: slabs, which are pieces of the
 * driver's memory, cut into blocks.
 *
 * The blocks of a slab cover it and are linked in the order of addresses, so
 * that neighbours merge in constant time.  Free blocks are in bins by size.  A
 * free block may belong to a lane: then it is free for the lane's queue only,
 * until that queue's work up to `ticket` is done.  Nothing here locks, waits or
 * calls a driver.
 */
#ifndef RUNTIME_HEAP_H
#define RUNTIME_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/usm.h>

#include "core/runtime/memory/span.h"
#include "core/runtime/plugin/plugin.h"

/* Sizes of blocks are multiples of this, as far as the slab's size allows. */
#define SLAB_GRANULE ((size_t)512)
#define SLAB_BINS 432

struct lane;
struct pool;
struct slab;

struct block {
	struct slab *slab;
	size_t offset, size;
	struct block *before, *after; /* the neighbours in the slab */
	dpr_usm *usm;                 /* the owner; NULL: the block is free */
	/* The fields below are for free blocks only. */
	struct block *bin_next, **bin_at;
	struct lane *lane; /* NULL: the block is free for any queue */
	uint64_t ticket;
	struct block *lane_next, **lane_at;
};

struct bins {
	uint64_t map[(SLAB_BINS + 63) / 64]; /* the lists that have blocks */
	struct block *list[SLAB_BINS];
};

struct slab {
	struct span span;
	struct pool *pool;
	dprp_mem *handle;
	void *address; /* NULL: the slab has no address */
	size_t size, align;
	bool small; /* the slab is for small requests only */
	struct block *first;
	struct slab *next, *previous;
};

/* The free blocks that only one in-order queue may take, because its work may
   still use them. */
struct lane {
	dpr_queue *queue; /* a weak reference */
	struct bins bins[2];
	struct block *oldest, **newest; /* in the order of release */
	size_t bytes;
	uint64_t last; /* the highest ticket of any block that was ever here */
	/* the last round of pool_settle() that visited the lane */
	uint64_t round;
	struct lane *next;
};

struct block_chunk;

struct heap {
	bool whole; /* each slab is one block, and is never cut */
	/* the blocks that are free for any queue; [1]: in small slabs */
	struct bins bins[2];
	struct slab *slabs;
	struct block *spare; /* linked by `after` */
	size_t n_spare;
	struct block_chunk *chunks;
	/* Bytes: held = used + free + pending.  The pending ones are in
	   lanes. */
	size_t held, used, free, pending;
	size_t n_slabs, n_used, n_free;
};

/* What a request needs. */
struct heap_want {
	size_t size, align; /* align: 0 or a power of two */
	size_t guard;       /* the number of bytes in `size` for a guard */
	bool small;         /* look in small slabs */
	bool thorough;      /* look at all blocks, even if there are many */
};

/* Allocate the structs that one request and one new slab may need.  Returns
   false if memory runs out. */
bool heap_reserve(struct heap *heap);

/*
 * Take a block for @want: the best fit among the blocks that are free for any
 * queue and those of @lane (may be NULL).  Returns NULL if nothing fits.
 * Called after heap_reserve().  The caller sets block->usm; block->lane and
 * block->ticket are still those of the free block.
 */
struct block *heap_take(struct heap *heap, struct lane *lane,
			const struct heap_want *want);

/* Free a block for any queue; or if @lane is not NULL, only for the lane's
   queue until its submission @ticket is done.  @done: that queue's submissions
   up to this one are done. */
void heap_give(struct heap *heap, struct block *block, struct lane *lane,
	       uint64_t ticket, uint64_t done);

/* Let any queue use the blocks of @lane up to ticket @done.  Stops after
   @patience blocks of later tickets. */
void heap_settle(struct heap *heap, struct lane *lane, uint64_t done,
		 size_t patience);

/* Add a slab as one free block.  Called after heap_reserve(). */
void heap_add(struct heap *heap, struct slab *slab);
/* Whether @want fits into @slab when all of the slab is free. */
bool heap_suits(const struct heap *heap, const struct slab *slab,
		const struct heap_want *want);
/* Whether all of @slab is free. */
bool heap_slab_is_idle(const struct slab *slab);
/* Remove an idle slab. */
void heap_remove(struct heap *heap, struct slab *slab);
/* The block that holds @offset. */
struct block *heap_slab_block(const struct slab *slab, size_t offset);
/* The size of the largest block that is free for any queue. */
size_t heap_largest(const struct heap *heap);
/* Free the structs of blocks, once the slabs are gone. */
void heap_fini(struct heap *heap);

void heap_lane_init(struct lane *lane);

#endif
