/* SPDX-License-Identifier: Apache-2.0 */
/* stock.c - free lists of blocks of one size. */
#include "core/base/stock.h"

#include "core/base/mem.h"

struct stock_block {
	struct stock_block *next;
};

/* Take a block from the list.  Does not wait for the lock: this may be a child
   of a process that forked while another thread held the lock. */
static struct stock_block *take_kept(struct stock *stock)
{
	struct stock_block *block;

	if (pthread_mutex_trylock(&stock->lock))
		return NULL;
	block = stock->first;
	if (block) {
		stock->first = block->next;
		stock->count--;
	}
	pthread_mutex_unlock(&stock->lock);
	return block;
}

void *stock_take(struct stock *stock)
{
	void *block;

	/* A test that lets allocations fail must reach this allocation, too. */
	if (mem_fault_set())
		return mem_alloc(stock->size);
	block = atomic_exchange_explicit(&stock->spare, NULL,
					 memory_order_acquire);
	if (!block)
		block = take_kept(stock);
	return block ? block : mem_alloc(stock->size);
}

void stock_give(struct stock *stock, void *object)
{
	static const size_t most = STOCK_KEEPS;
	struct stock_block *block = object;

	if (!most) {
		mem_free(block);
		return;
	}
	/* Keep the newest block in `spare`, since it is most likely in the
	   cache.  The block that was there goes to the list. */
	block = atomic_exchange_explicit(&stock->spare, block,
					 memory_order_acq_rel);
	if (!block)
		return;
	if (!pthread_mutex_trylock(&stock->lock)) {
		if (stock->count < most) {
			block->next = stock->first;
			stock->first = block;
			stock->count++;
			block = NULL;
		}
		pthread_mutex_unlock(&stock->lock);
	}
	mem_free(block);
}

void stock_empty(struct stock *stock)
{
	struct stock_block *block = atomic_exchange(&stock->spare, NULL);

	do {
		mem_free(block);
		block = take_kept(stock);
	} while (block);
}
