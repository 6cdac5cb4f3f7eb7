/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - all allocations: by address, and as a list.
 *
 * Those with an address are in a treap: ordered by address like a search tree,
 * by random priorities like a heap, which keeps it shallow.
 */
#include <pthread.h>
#include <stdio.h>

#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/runtime/usm.h"

#define HOLDERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the fields below and the links of the allocations in them. */
static dpr_usm *root, *all;
static uint32_t seed = 2463534242u;

static uint32_t random_locked(void)
{
	/* xorshift; its quality does not matter. */
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static int before(const dpr_usm *a, const dpr_usm *b)
{
	if (a->address != b->address)
		return (uintptr_t)a->address < (uintptr_t)b->address;
	/* Two objects over one address come from native handles. */
	return (uintptr_t)a < (uintptr_t)b;
}

/* Cut @tree into what is before @at and the rest. */
static void split(dpr_usm *tree, const dpr_usm *at, dpr_usm **left,
		  dpr_usm **right)
{
	while (tree) {
		if (before(tree, at)) {
			*left = tree;
			left = &tree->right;
			tree = tree->right;
		} else {
			*right = tree;
			right = &tree->left;
			tree = tree->left;
		}
	}
	*left = *right = NULL;
}

/* One tree of two, of which all of @left comes first. */
static dpr_usm *join(dpr_usm *left, dpr_usm *right)
{
	dpr_usm *tree, **at = &tree;

	while (left && right) {
		if (left->priority > right->priority) {
			*at = left;
			at = &left->right;
			left = left->right;
		} else {
			*at = right;
			at = &right->left;
			right = right->left;
		}
	}
	*at = left ? left : right;
	return tree;
}

static void insert_locked(dpr_usm *usm)
{
	dpr_usm **at = &root;

	usm->priority = random_locked();
	while (*at && (*at)->priority >= usm->priority)
		at = before(usm, *at) ? &(*at)->left : &(*at)->right;
	split(*at, usm, &usm->left, &usm->right);
	*at = usm;
}

static void remove_locked(dpr_usm *usm)
{
	dpr_usm **at = &root;

	while (*at && *at != usm)
		at = before(usm, *at) ? &(*at)->left : &(*at)->right;
	if (*at)
		*at = join(usm->left, usm->right);
}

void usm_register(dpr_usm *usm)
{
	pthread_mutex_lock(&lock);
	usm->next = all;
	if (all)
		all->previous = usm;
	all = usm;
	if (usm->address)
		insert_locked(usm);
	pthread_mutex_unlock(&lock);
}

void usm_unregister(dpr_usm *usm)
{
	pthread_mutex_lock(&lock);
	if (usm->previous)
		usm->previous->next = usm->next;
	else
		all = usm->next;
	if (usm->next)
		usm->next->previous = usm->previous;
	if (usm->address)
		remove_locked(usm);
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

dpr_status dpr_usm_find(const void *pointer, dpr_usm **out, size_t *offset)
{
	TRACE_CALL;
	dpr_usm *tree, *best = NULL;
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
	for (tree = root; tree;) {
		if ((uintptr_t)tree->address <= (uintptr_t)pointer) {
			best = tree;
			tree = tree->right;
		} else {
			tree = tree->left;
		}
	}
	if (best &&
	    (uintptr_t)pointer - (uintptr_t)best->address < best->size &&
	    try_retain(best))
		*out = best;
	pthread_mutex_unlock(&lock);
	if (!*out)
		return fail(
			DPR_ERROR_NOT_FOUND,
			"usm find: %p lies in no allocation of this process",
			pointer);
	if (offset)
		*offset =
			(size_t)((uintptr_t)pointer - (uintptr_t)best->address);
	return DPR_OK;
}

void usm_holders(const dpr_device *device, struct text *text)
{
	struct {
		size_t size;
		char name[64];
	} top[HOLDERS] = { { 0 } };
	uint64_t bytes = 0, n = 0;
	const dpr_usm *usm;
	int i, j;

	pthread_mutex_lock(&lock);
	for (usm = all; usm; usm = usm->next) {
		if (usm->queue->device->root != device)
			continue;
		n++;
		bytes += usm->size;
		for (i = 0; i < HOLDERS && usm->size <= top[i].size; i++)
			;
		if (i == HOLDERS)
			continue;
		for (j = HOLDERS - 1; j > i; j--)
			top[j] = top[j - 1];
		top[i].size = usm->size;
		snprintf(top[i].name, sizeof(top[i].name), "%s",
			 usm->queue->name);
	}
	pthread_mutex_unlock(&lock);
	text_print(text,
		   "; this process holds %llu bytes there in %llu allocations",
		   (unsigned long long)bytes, (unsigned long long)n);
	for (i = 0; i < HOLDERS && top[i].size; i++)
		text_print(text, "%s%zu bytes on %s",
			   i ? ", " : ", the largest: ", top[i].size,
			   top[i].name);
}
