/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c - slabs and blocks: best fit, cutting, merging. */
#include "core/runtime/memory/heap.h"

#include "core/base/mem.h"

#define CHUNK_BLOCKS 62
/* At most this many blocks of a list are searched for the best fit. */
#define SEARCH 32

struct block_chunk {
	struct block_chunk *next;
	struct block blocks[CHUNK_BLOCKS];
};

/*
 * The number of the list for @size.  Each power of two has eight lists.  Every
 * block of a later list is larger than any size of this one.
 */
static unsigned bin_of(size_t size)
{
	size_t granules = size / SLAB_GRANULE;
	unsigned log;

	if (granules < 8)
		return (unsigned)granules;
	log = 63 - (unsigned)__builtin_clzll(granules);
	return (log - 2) * 8 + (unsigned)(granules >> (log - 3) & 7);
}

/* The first list from @from on that has blocks; SLAB_BINS: none. */
static unsigned bin_next(const struct bins *bins, unsigned from)
{
	unsigned word = from / 64;
	uint64_t bits;

	if (from >= SLAB_BINS)
		return SLAB_BINS;
	bits = bins->map[word] & ~UINT64_C(0) << from % 64;
	while (!bits) {
		if (++word == sizeof(bins->map) / sizeof(bins->map[0]))
			return SLAB_BINS;
		bits = bins->map[word];
	}
	return word * 64 + (unsigned)__builtin_ctzll(bits);
}

static struct bins *bins_of(struct heap *heap, const struct block *block)
{
	int small = block->slab->small;

	return block->lane ? &block->lane->bins[small] : &heap->bins[small];
}

/* Put a free block into its list. */
static void block_insert(struct heap *heap, struct block *block)
{
	struct bins *bins = bins_of(heap, block);
	unsigned bin = bin_of(block->size);
	struct lane *lane = block->lane;

	block->bin_next = bins->list[bin];
	if (block->bin_next)
		block->bin_next->bin_at = &block->bin_next;
	bins->list[bin] = block;
	block->bin_at = &bins->list[bin];
	bins->map[bin / 64] |= UINT64_C(1) << bin % 64;
	heap->n_free++;
	if (!lane) {
		heap->free += block->size;
		return;
	}
	block->lane_next = NULL;
	block->lane_at = lane->newest;
	*lane->newest = block;
	lane->newest = &block->lane_next;
	lane->bytes += block->size;
	heap->pending += block->size;
}

static void block_extract(struct heap *heap, struct block *block)
{
	struct bins *bins = bins_of(heap, block);
	unsigned bin = bin_of(block->size);
	struct lane *lane = block->lane;

	*block->bin_at = block->bin_next;
	if (block->bin_next)
		block->bin_next->bin_at = block->bin_at;
	if (!bins->list[bin])
		bins->map[bin / 64] &= ~(UINT64_C(1) << bin % 64);
	heap->n_free--;
	if (!lane) {
		heap->free -= block->size;
		return;
	}
	*block->lane_at = block->lane_next;
	if (block->lane_next)
		block->lane_next->lane_at = block->lane_at;
	else
		lane->newest = block->lane_at;
	lane->bytes -= block->size;
	heap->pending -= block->size;
}

bool heap_reserve(struct heap *heap)
{
	struct block_chunk *chunk;
	size_t i;

	/* A request may need two new blocks, for the rests before and behind
	   its own.  A slab needs one. */
	if (heap->n_spare >= 3)
		return true;
	chunk = mem_alloc(sizeof(*chunk));
	if (!chunk)
		return false;
	chunk->next = heap->chunks;
	heap->chunks = chunk;
	for (i = 0; i < CHUNK_BLOCKS; i++) {
		chunk->blocks[i].after = heap->spare;
		heap->spare = &chunk->blocks[i];
	}
	heap->n_spare += CHUNK_BLOCKS;
	return true;
}

static struct block *block_new(struct heap *heap)
{
	struct block *block = heap->spare;

	heap->spare = block->after;
	heap->n_spare--;
	return block;
}

static void block_recycle(struct heap *heap, struct block *block)
{
	block->after = heap->spare;
	heap->spare = block;
	heap->n_spare++;
}

/* How many bytes of @block to skip so that @want fits; the block's size if it
   does not fit. */
static size_t block_fit(const struct heap *heap, const struct block *block,
			const struct heap_want *want)
{
	const struct slab *slab = block->slab;
	uintptr_t address, natural;
	size_t align, skip;

	if (block->size < want->size)
		return block->size;
	if (heap->whole || !slab->address)
		/* The block is used whole: it must not be much larger, and the
		   slab's alignment must suffice. */
		return block->size - want->size >
					       want->size / 8 + SLAB_GRANULE ||
				       slab->align < want->align
			       ? block->size
			       : 0;
	address = (uintptr_t)slab->address;
	natural = address & -address;
	align = natural < SLAB_GRANULE ? (size_t)natural : SLAB_GRANULE;
	if (align < want->align)
		align = want->align;
	skip = -(address + block->offset) & (align - 1);
	return skip < block->size && block->size - skip >= want->size
		       ? skip
		       : block->size;
}

bool heap_suits(const struct heap *heap, const struct slab *slab,
		const struct heap_want *want)
{
	/* The cast is safe: block_fit() only reads. */
	const struct block block = { .slab = (struct slab *)(uintptr_t)slab,
				     .size = slab->size };

	return block_fit(heap, &block, want) < slab->size;
}

/* The smallest block that fits, among the first ones of a list. */
static struct block *bin_search(const struct heap *heap,
				const struct bins *bins, unsigned bin,
				const struct heap_want *want)
{
	struct block *block, *best = NULL;
	int left = SEARCH;

	for (block = bins->list[bin]; block && left; block = block->bin_next) {
		left -= !want->thorough;
		if ((best && block->size >= best->size) ||
		    block_fit(heap, block, want) == block->size)
			continue;
		best = block;
		if (best->size == want->size)
			break;
	}
	return best;
}

static struct block *best_of(const struct heap *heap, const struct bins *bins,
			     const struct heap_want *want)
{
	unsigned bin = bin_next(bins, bin_of(want->size));
	struct block *best = NULL;

	while (bin < SLAB_BINS && !best) {
		best = bin_search(heap, bins, bin, want);
		/* The blocks of later lists are larger still, too large to be
		   used whole. */
		if (heap->whole && bin > bin_of(want->size) + 2)
			break;
		bin = bin_next(bins, bin + 1);
	}
	return best;
}

/* Cut @block after @size bytes.  Returns the rest, which has the lane and
   ticket of @block. */
static struct block *block_cut(struct heap *heap, struct block *block,
			       size_t size)
{
	struct block *rest = block_new(heap);

	*rest = *block;
	rest->usm = NULL;
	rest->offset += size;
	rest->size -= size;
	rest->before = block;
	if (rest->after)
		rest->after->before = rest;
	block->after = rest;
	block->size = size;
	return rest;
}

struct block *heap_take(struct heap *heap, struct lane *lane,
			const struct heap_want *want)
{
	struct block *block, *own = NULL, *rest;
	size_t skip, size;

	block = best_of(heap, &heap->bins[want->small], want);
	if (lane && lane->bytes)
		own = best_of(heap, &lane->bins[want->small], want);
	if (own && (!block || own->size <= block->size))
		block = own;
	if (!block)
		return NULL;
	skip = block_fit(heap, block, want);
	block_extract(heap, block);
	if (skip) {
		rest = block_cut(heap, block, skip);
		block_insert(heap, block);
		block = rest;
	}
	size = (want->size + SLAB_GRANULE - 1) & ~(SLAB_GRANULE - 1);
	if (!heap->whole && block->slab->address && size >= want->size &&
	    block->size >= size + SLAB_GRANULE)
		block_insert(heap, block_cut(heap, block, size));
	heap->used += block->size;
	heap->n_used++;
	return block;
}

/* Merge the next block into @block. */
static void block_swallow(struct heap *heap, struct block *block)
{
	struct block *behind = block->after;

	block->size += behind->size;
	block->after = behind->after;
	if (block->after)
		block->after->before = block;
	if (block->ticket < behind->ticket)
		block->ticket = behind->ticket;
	block_recycle(heap, behind);
}

/* Merge a free block that is in no list with its neighbours, then list it. */
static void block_settle(struct heap *heap, struct block *block)
{
	struct block *before = block->before, *after = block->after;

	if (after && !after->usm && after->lane == block->lane) {
		block_extract(heap, after);
		block_swallow(heap, block);
	}
	if (before && !before->usm && before->lane == block->lane) {
		block_extract(heap, before);
		block_swallow(heap, before);
		block = before;
	}
	block_insert(heap, block);
}

/* Free a block of a lane for any queue.  No work may use it any more. */
static void block_free_for_all(struct heap *heap, struct block *block)
{
	block_extract(heap, block);
	block->lane = NULL;
	block->ticket = 0;
	block_settle(heap, block);
}

void heap_give(struct heap *heap, struct block *block, struct lane *lane,
	       uint64_t ticket, uint64_t done)
{
	struct block *beside[2] = { block->before, block->after };
	int i;

	heap->used -= block->size;
	heap->n_used--;
	/* A merged block gets the later of both tickets.  So first take out of
	   the lane the neighbours that no work uses any more. */
	for (i = 0; lane && i < 2; i++)
		if (beside[i] && !beside[i]->usm && beside[i]->lane == lane &&
		    beside[i]->ticket <= done)
			block_free_for_all(heap, beside[i]);
	block->usm = NULL;
	block->lane = lane;
	block->ticket = ticket;
	block_settle(heap, block);
}

void heap_settle(struct heap *heap, struct lane *lane, uint64_t done,
		 size_t patience)
{
	struct block *block, *next;

	for (block = lane->oldest; block && patience; block = next) {
		next = block->lane_next;
		if (block->ticket <= done)
			block_free_for_all(heap, block);
		else
			patience--;
	}
}

void heap_add(struct heap *heap, struct slab *slab)
{
	struct block *block = block_new(heap);

	*block = (struct block){ .slab = slab, .size = slab->size };
	slab->first = block;
	slab->previous = NULL;
	slab->next = heap->slabs;
	if (slab->next)
		slab->next->previous = slab;
	heap->slabs = slab;
	heap->n_slabs++;
	heap->held += slab->size;
	block_insert(heap, block);
}

bool heap_slab_is_idle(const struct slab *slab)
{
	const struct block *block = slab->first;

	return !block->after && !block->usm && !block->lane;
}

void heap_remove(struct heap *heap, struct slab *slab)
{
	block_extract(heap, slab->first);
	block_recycle(heap, slab->first);
	slab->first = NULL;
	if (slab->previous)
		slab->previous->next = slab->next;
	else
		heap->slabs = slab->next;
	if (slab->next)
		slab->next->previous = slab->previous;
	heap->n_slabs--;
	heap->held -= slab->size;
}

struct block *heap_slab_block(const struct slab *slab, size_t offset)
{
	struct block *block = slab->first;

	while (block && offset - block->offset >= block->size)
		block = block->after;
	return block;
}

size_t heap_largest(const struct heap *heap)
{
	const struct block *block;
	size_t largest = 0;
	unsigned bin;
	int small;

	for (small = 0; small < 2; small++) {
		for (bin = SLAB_BINS; bin-- && !heap->bins[small].list[bin];)
			;
		if (bin >= SLAB_BINS)
			continue;
		for (block = heap->bins[small].list[bin]; block;
		     block = block->bin_next)
			if (block->size > largest)
				largest = block->size;
	}
	return largest;
}

void heap_fini(struct heap *heap)
{
	struct block_chunk *chunk, *next;

	for (chunk = heap->chunks; chunk; chunk = next) {
		next = chunk->next;
		mem_free(chunk);
	}
	heap->chunks = NULL;
	heap->spare = NULL;
	heap->n_spare = 0;
}

void heap_lane_init(struct lane *lane)
{
	lane->newest = &lane->oldest;
}
