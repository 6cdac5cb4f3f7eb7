/* SPDX-License-Identifier: Apache-2.0 */
/* holders.c - the largest holders of memory, for error texts. */
#include "core/runtime/memory/holders.h"

#include <stddef.h>
#include <stdio.h>

#include "core/runtime/memory/allocation.h"
#include "core/runtime/memory/heap.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/memory/span.h"

#define HOLDERS 3

struct holders {
	const dpr_device *root;
	struct {
		size_t size;
		char name[64];
	} top[HOLDERS];
	uint64_t bytes, n;
};

static void count_holder(struct holders *h, const dpr_usm *usm)
{
	int i, j;

	h->n++;
	h->bytes += usm->size;
	for (i = 0; i < HOLDERS && usm->size <= h->top[i].size; i++)
		;
	if (i == HOLDERS)
		return;
	for (j = HOLDERS - 1; j > i; j--)
		h->top[j] = h->top[j - 1];
	h->top[i].size = usm->size;
	snprintf(h->top[i].name, sizeof(h->top[i].name), "%s",
		 usm->queue->name);
}

/* Count an allocation with memory of its own. */
static void count_own(const struct span *span, void *user)
{
	const dpr_usm *usm =
		(const void *)((const char *)span - offsetof(dpr_usm, span));
	struct holders *h = user;

	if (usm->queue->device->root == h->root)
		count_holder(h, usm);
}

static void count_pool(struct holders *h, struct pool *pool)
{
	const struct slab *slab;
	const struct block *block;

	pthread_mutex_lock(&pool->lock);
	for (slab = pool->heap.slabs; slab; slab = slab->next)
		for (block = slab->first; block; block = block->after)
			if (block->usm && !block->usm->released)
				count_holder(h, block->usm);
	pthread_mutex_unlock(&pool->lock);
}

void holders_print(const dpr_device *root, struct text *text)
{
	struct pool_root *shared = atomic_load(&root->pool_root);
	struct holders h = { .root = root };
	struct pool *pool;
	int i;

	span_each(count_own, &h);
	pool = shared ? atomic_load(&shared->pools) : NULL;
	for (; pool; pool = pool->next)
		count_pool(&h, pool);
	text_print(text,
		   "; this process holds %llu bytes on this device in %llu "
		   "allocations",
		   (unsigned long long)h.bytes, (unsigned long long)h.n);
	for (i = 0; i < HOLDERS && h.top[i].size; i++)
		text_print(text, "%s%zu bytes on %s",
			   i ? ", " : ", the largest: ", h.top[i].size,
			   h.top[i].name);
}
