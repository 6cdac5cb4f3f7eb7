/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span.c - the index: two lists of spans, and two treaps of those with an
 * address, slabs in one and the rest in the other.
 *
 * A treap is ordered by address like a search tree, and by random priorities
 * like a heap, which keeps it shallow.  Slabs do not overlap.  Objects over
 * native handles may lie anywhere, in a slab and in one another; so each span
 * knows how far the spans below it in the tree reach.
 */
#include "core/runtime/memory/span.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the variables below and the links of the spans.  [0] has the spans of
   allocations, and [1] the slabs. */
static struct span *trees[2], *lists[2];
static uint32_t seed = 2463534242u;

static uint32_t random_locked(void)
{
	/* xorshift; its quality does not matter. */
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* The order is by address.  Of spans with the same beginning the larger one
   comes first, so an inner span comes after its outer span. */
static bool comes_before(const struct span *a, const struct span *b)
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

/* Update @span after a change below it. */
static void tree_update(struct span *span)
{
	span->last = last_of(span);
	if (span->left && span->left->last > span->last)
		span->last = span->left->last;
	if (span->right && span->right->last > span->last)
		span->last = span->right->last;
}

/* Split @tree into what is before @at and the rest. */
static void tree_split(struct span *tree, const struct span *at,
		       struct span **left, struct span **right)
{
	if (!tree) {
		*left = *right = NULL;
		return;
	}
	if (comes_before(tree, at)) {
		tree_split(tree->right, at, &tree->right, right);
		*left = tree;
	} else {
		tree_split(tree->left, at, left, &tree->left);
		*right = tree;
	}
	tree_update(tree);
}

/* Join two trees.  All of @left comes before @right. */
static struct span *tree_join(struct span *left, struct span *right)
{
	if (!left || !right)
		return left ? left : right;
	if (left->priority > right->priority) {
		left->right = tree_join(left->right, right);
		tree_update(left);
		return left;
	}
	right->left = tree_join(left, right->left);
	tree_update(right);
	return right;
}

/* Insert @span into @tree.  Returns the new root. */
static struct span *tree_insert(struct span *tree, struct span *span)
{
	if (!tree || tree->priority < span->priority) {
		tree_split(tree, span, &span->left, &span->right);
		tree = span;
	} else if (comes_before(span, tree)) {
		tree->left = tree_insert(tree->left, span);
	} else {
		tree->right = tree_insert(tree->right, span);
	}
	tree_update(tree);
	return tree;
}

/* Remove @span from @tree.  Returns the new root. */
static struct span *tree_cut(struct span *tree, struct span *span)
{
	if (!tree)
		return NULL;
	if (tree == span)
		return tree_join(span->left, span->right);
	if (comes_before(span, tree))
		tree->left = tree_cut(tree->left, span);
	else
		tree->right = tree_cut(tree->right, span);
	tree_update(tree);
	return tree;
}

void span_add(struct span *span)
{
	struct span **tree = &trees[span->is_slab];
	struct span **list = &lists[span->is_slab];

	pthread_mutex_lock(&lock);
	span->left = span->right = span->previous = NULL;
	span->next = *list;
	if (*list)
		(*list)->previous = span;
	*list = span;
	if (span->address) {
		span->priority = random_locked();
		*tree = tree_insert(*tree, span);
	}
	pthread_mutex_unlock(&lock);
}

void span_remove(struct span *span)
{
	struct span **tree = &trees[span->is_slab];

	pthread_mutex_lock(&lock);
	if (span->previous)
		span->previous->next = span->next;
	else
		lists[span->is_slab] = span->next;
	if (span->next)
		span->next->previous = span->previous;
	if (span->address)
		*tree = tree_cut(*tree, span);
	pthread_mutex_unlock(&lock);
}

/* Call @take for the spans in @tree that hold @address, from the last on, until
   it returns non-NULL.  The span that begins last is the innermost.  Skips
   subtrees that end before @address. */
static void *find_locked(struct span *tree, uintptr_t address,
			 void *(*take)(struct span *span, uintptr_t address))
{
	void *found;

	if (!tree || tree->last < address)
		return NULL;
	if (tree->address <= address) {
		found = find_locked(tree->right, address, take);
		if (!found && address - tree->address < tree->size)
			found = take(tree, address);
		if (found)
			return found;
	}
	return find_locked(tree->left, address, take);
}

void span_find(uintptr_t address,
	       void *(*take)(struct span *span, uintptr_t address),
	       void *found[2])
{
	pthread_mutex_lock(&lock);
	found[0] = find_locked(trees[0], address, take);
	found[1] = find_locked(trees[1], address, take);
	pthread_mutex_unlock(&lock);
}

void span_each(void (*call)(const struct span *span, void *user), void *user)
{
	const struct span *span;

	pthread_mutex_lock(&lock);
	for (span = lists[0]; span; span = span->next)
		call(span, user);
	pthread_mutex_unlock(&lock);
}
