/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - all memory by address: slabs, and allocations with memory of their
 * own; and who holds how much.
 *
 * What has an address is in one of two treaps, slabs in one and the rest in the
 * other: ordered by address like a search tree, by random priorities like a
 * heap, which keeps it shallow.  Slabs do not overlap.  Objects over native
 * handles may lie anywhere, in a slab and in one another; so each span knows
 * how far those below it reach.
 */
#include "core/runtime/memory/find.h"

#include <pthread.h>
#include <stdio.h>

#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/pool.h"

#define HOLDERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the fields below and the links in what they hold.  A pool's lock may
   be taken under it. */
static struct span *roots[2]; /* [1]: of slabs */
static dpr_usm *own;          /* allocations with memory of their own */
static uint32_t seed = 2463534242u;

static uint32_t random_locked(void)
{
	/* xorshift; its quality does not matter. */
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* By address; of those that begin together the larger one first, so that an
   inner one comes after an outer one. */
static int before(const struct span *a, const struct span *b)
{
	if (a->address != b->address)
		return a->address < b->address;
	if (a->size != b->size)
		return a->size > b->size;
	return (uintptr_t)a < (uintptr_t)b;
}

static uintptr_t last_of(const struct span *span)
{
	uintptr_t last;

	return __builtin_add_overflow(span->address, span->size - 1, &last)
		       ? UINTPTR_MAX
		       : last;
}

/* After something below @span has changed. */
static void update(struct span *span)
{
	span->last = last_of(span);
	if (span->left && span->left->last > span->last)
		span->last = span->left->last;
	if (span->right && span->right->last > span->last)
		span->last = span->right->last;
}

/* Cut @tree into what is before @at and the rest. */
static void split(struct span *tree, const struct span *at, struct span **left,
		  struct span **right)
{
	if (!tree) {
		*left = *right = NULL;
		return;
	}
	if (before(tree, at)) {
		split(tree->right, at, &tree->right, right);
		*left = tree;
	} else {
		split(tree->left, at, left, &tree->left);
		*right = tree;
	}
	update(tree);
}

/* One tree of two, of which all of @left comes first. */
static struct span *join(struct span *left, struct span *right)
{
	if (!left || !right)
		return left ? left : right;
	if (left->priority > right->priority) {
		left->right = join(left->right, right);
		update(left);
		return left;
	}
	right->left = join(left, right->left);
	update(right);
	return right;
}

/* @tree with @span in it. */
static struct span *insert(struct span *tree, struct span *span)
{
	if (!tree || tree->priority < span->priority) {
		split(tree, span, &span->left, &span->right);
		tree = span;
	} else if (before(span, tree)) {
		tree->left = insert(tree->left, span);
	} else {
		tree->right = insert(tree->right, span);
	}
	update(tree);
	return tree;
}

/* @tree without @span. */
static struct span *cut(struct span *tree, struct span *span)
{
	if (!tree)
		return NULL;
	if (tree == span)
		return join(span->left, span->right);
	if (before(span, tree))
		tree->left = cut(tree->left, span);
	else
		tree->right = cut(tree->right, span);
	update(tree);
	return tree;
}

static void insert_locked(struct span *span)
{
	struct span **root = &roots[span->is_slab];

	span->priority = random_locked();
	*root = insert(*root, span);
}

static void remove_locked(struct span *span)
{
	struct span **root = &roots[span->is_slab];

	*root = cut(*root, span);
}

void span_add(struct span *span)
{
	pthread_mutex_lock(&lock);
	insert_locked(span);
	pthread_mutex_unlock(&lock);
}

void span_remove(struct span *span)
{
	pthread_mutex_lock(&lock);
	remove_locked(span);
	pthread_mutex_unlock(&lock);
}

void usm_register(dpr_usm *usm)
{
	pthread_mutex_lock(&lock);
	usm->next = own;
	if (own)
		own->previous = usm;
	own = usm;
	usm->span = (struct span){ .address = (uintptr_t)usm->address,
				   .size = usm->size };
	if (usm->address)
		insert_locked(&usm->span);
	pthread_mutex_unlock(&lock);
}

void usm_unregister(dpr_usm *usm)
{
	pthread_mutex_lock(&lock);
	if (usm->previous)
		usm->previous->next = usm->next;
	else
		own = usm->next;
	if (usm->next)
		usm->next->previous = usm->previous;
	if (usm->address)
		remove_locked(&usm->span);
	pthread_mutex_unlock(&lock);
}

/* One more reference unless the last is just going. */
static int try_retain(dpr_usm *usm)
{
	unsigned refs = atomic_load_explicit(&usm->refs, memory_order_relaxed);

	while (refs)
		if (atomic_compare_exchange_weak_explicit(
			    &usm->refs, &refs, refs + 1, memory_order_acquire,
			    memory_order_relaxed))
			return 1;
	return 0;
}

/* The allocation in @span that holds @address, with a reference.  A slab and
   its blocks stay while their lock is held. */
static dpr_usm *in_span_locked(struct span *span, uintptr_t address)
{
	const struct slab *slab = (const struct slab *)span;
	const struct block *block;
	dpr_usm *usm = (dpr_usm *)((char *)span - offsetof(dpr_usm, span));

	if (!span->is_slab)
		return try_retain(usm) ? usm : NULL;
	pthread_mutex_lock(&slab->pool->lock);
	block = slab_at(slab, address - span->address);
	usm = block ? block->usm : NULL;
	if (usm && (address - (uintptr_t)usm->address >= usm->size ||
		    !try_retain(usm)))
		usm = NULL;
	pthread_mutex_unlock(&slab->pool->lock);
	return usm;
}

/* The same of the last span in @tree that has one: what begins last is the
   innermost.  Few spans are looked at that do not hold @address. */
static dpr_usm *in_tree_locked(struct span *tree, uintptr_t address)
{
	dpr_usm *usm;

	if (!tree || tree->last < address)
		return NULL;
	if (tree->address <= address) {
		usm = in_tree_locked(tree->right, address);
		if (!usm && address - tree->address < tree->size)
			usm = in_span_locked(tree, address);
		if (usm)
			return usm;
	}
	return in_tree_locked(tree->left, address);
}

/* Whether @a lies within @b, or begins later. */
static int is_inner(const dpr_usm *a, const dpr_usm *b)
{
	return a->address != b->address
		       ? (uintptr_t)a->address > (uintptr_t)b->address
		       : a->size <= b->size;
}

dpr_status dpr_usm_find(const void *pointer, dpr_usm **out, size_t *offset)
{
	TRACE_CALL;
	uintptr_t address = (uintptr_t)pointer;
	dpr_usm *block, *outer;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm find: out is NULL");
	*out = NULL;
	if (offset)
		*offset = 0;
	status = runtime_check("usm find");
	if (status)
		return status;
	pthread_mutex_lock(&lock);
	*out = in_tree_locked(roots[0], address);
	block = in_tree_locked(roots[1], address);
	pthread_mutex_unlock(&lock);
	/* A native object over a whole block is found instead of it. */
	if (!*out || (block && !is_inner(*out, block))) {
		outer = *out;
		*out = block;
	} else {
		outer = block;
	}
	dpr_usm_release(outer);
	if (!*out)
		return fail(
			DPR_ERROR_NOT_FOUND,
			"usm find: %p lies in no allocation of this process",
			pointer);
	if (offset)
		*offset = (size_t)(address - (uintptr_t)(*out)->address);
	return DPR_OK;
}

struct holders {
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

void usm_holders(const dpr_device *device, struct text *text)
{
	struct pool_root *shared = atomic_load(&device->pool_root);
	struct holders h = { .n = 0 };
	struct pool *pool;
	const dpr_usm *usm;
	int i;

	pthread_mutex_lock(&lock);
	for (usm = own; usm; usm = usm->next)
		if (usm->queue->device->root == device)
			count_holder(&h, usm);
	pthread_mutex_unlock(&lock);
	pool = shared ? atomic_load(&shared->pools) : NULL;
	for (; pool; pool = pool->next)
		count_pool(&h, pool);
	text_print(text,
		   "; this process holds %llu bytes there in %llu allocations",
		   (unsigned long long)h.bytes, (unsigned long long)h.n);
	for (i = 0; i < HOLDERS && h.top[i].size; i++)
		text_print(text, "%s%zu bytes on %s",
			   i ? ", " : ", the largest: ", h.top[i].size,
			   h.top[i].name);
}
