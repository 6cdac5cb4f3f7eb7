/* SPDX-License-Identifier: Apache-2.0 */
/* tag.c - the handles that the core gets in place of a plugin's. */
#include "core/runtime/layer/tag.h"

#include "core/base/mem.h"

#define BUCKETS 4096
/* Numbers look like addresses that are aligned and not NULL. */
#define STEP 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unpinned = PTHREAD_COND_INITIALIZER;
/* Guards the variables below, and all tags that were added. */
static struct tag *by_number[BUCKETS], *by_real[BUCKETS];
static uintptr_t last_number;

static struct tag **bucket(uintptr_t number)
{
	return &by_number[number / STEP % BUCKETS];
}

static struct tag **bucket_real(const void *real)
{
	uint64_t mixed = (uintptr_t)real * UINT64_C(0x9e3779b97f4a7c15);

	return &by_real[mixed >> 52];
}

static struct tag *find_locked(enum tag_kind kind, uintptr_t number)
{
	struct tag *tag = *bucket(number);

	while (tag && (tag->number != number || tag->kind != kind))
		tag = tag->next;
	return tag;
}

static struct tag *find_real_locked(const struct layer *layer,
				    enum tag_kind kind, const void *real)
{
	struct tag *tag = *bucket_real(real);

	while (tag &&
	       (tag->real != real || tag->kind != kind || tag->layer != layer))
		tag = tag->next_real;
	return tag;
}

struct tag *tag_new(struct layer *layer, enum tag_kind kind, uintptr_t parent)
{
	struct tag *tag = mem_alloc(sizeof(*tag));

	if (!tag)
		return NULL;
	tag->layer = layer;
	tag->kind = kind;
	tag->parent = parent;
	return tag;
}

void *tag_add(struct tag *tag, void *real, bool *twice)
{
	struct tag **at;
	void *shown;

	tag->real = real;
	pthread_mutex_lock(&lock);
	*twice = find_real_locked(tag->layer, tag->kind, real) != NULL;
	tag->number = last_number += STEP;
	at = bucket(tag->number);
	tag->next = *at;
	*at = tag;
	at = bucket_real(real);
	tag->next_real = *at;
	*at = tag;
	/* The core never looks behind it. */
	shown = (void *)tag->number; // NOLINT(performance-no-int-to-ptr)
	pthread_mutex_unlock(&lock);
	return shown;
}

uintptr_t tag_newest(void)
{
	uintptr_t number;

	pthread_mutex_lock(&lock);
	number = last_number;
	pthread_mutex_unlock(&lock);
	return number;
}

static void free_tag(struct tag *tag)
{
	if (tag && tag->kind == TAG_EVENT)
		mem_free(tag->u.event.deps);
	mem_free(tag);
}

void tag_drop(struct tag *tag)
{
	free_tag(tag);
}

struct tag *tag_get(enum tag_kind kind, uintptr_t number)
{
	struct tag *tag;

	pthread_mutex_lock(&lock);
	tag = find_locked(kind, number);
	if (!tag)
		pthread_mutex_unlock(&lock);
	return tag;
}

void tag_put(void)
{
	pthread_mutex_unlock(&lock);
}

void *tag_real(enum tag_kind kind, const void *shown, struct layer **layer)
{
	struct tag *tag = tag_get(kind, tag_number(shown));
	void *real;

	if (!tag)
		return NULL;
	real = tag->real;
	if (layer)
		*layer = tag->layer;
	tag_put();
	return real;
}

void *tag_shown(struct layer *layer, enum tag_kind kind, const void *real)
{
	struct tag *tag;
	uintptr_t number;

	pthread_mutex_lock(&lock);
	tag = find_real_locked(layer, kind, real);
	number = tag ? tag->number : 0;
	pthread_mutex_unlock(&lock);
	return (void *)number; // NOLINT(performance-no-int-to-ptr)
}

/* Take a tag out of both lists. */
static void unlink_locked(struct tag *tag)
{
	struct tag **at;

	for (at = bucket(tag->number); *at != tag;)
		at = &(*at)->next;
	*at = tag->next;
	for (at = bucket_real(tag->real); *at != tag;)
		at = &(*at)->next_real;
	*at = tag->next_real;
}

void *tag_remove(enum tag_kind kind, uintptr_t number)
{
	void *real = NULL;
	struct tag *tag;

	pthread_mutex_lock(&lock);
	while ((tag = find_locked(kind, number)) && tag->pins)
		pthread_cond_wait(&unpinned, &lock);
	if (tag) {
		unlink_locked(tag);
		real = tag->real;
	}
	pthread_mutex_unlock(&lock);
	free_tag(tag);
	return real;
}

bool tag_remove_block(struct layer *layer, const void *block, size_t *size)
{
	struct tag *tag;

	pthread_mutex_lock(&lock);
	tag = find_real_locked(layer, TAG_BLOCK, block);
	if (tag) {
		unlink_locked(tag);
		*size = tag->u.block;
	}
	pthread_mutex_unlock(&lock);
	free_tag(tag);
	return tag != NULL;
}

void *tag_pin(enum tag_kind kind, uintptr_t number)
{
	struct tag *tag = tag_get(kind, number);
	void *real;

	if (!tag)
		return NULL;
	tag->pins++;
	real = tag->real;
	tag_put();
	return real;
}

void tag_unpin(enum tag_kind kind, uintptr_t number)
{
	struct tag *tag = tag_get(kind, number);

	if (!tag)
		return;
	tag->pins--;
	pthread_cond_broadcast(&unpinned);
	tag_put();
}

void tag_remove_all(const struct layer *layer, enum tag_kind kind)
{
	struct tag *tag;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < BUCKETS;) {
		tag = by_number[i];
		while (tag && (tag->layer != layer ||
			       (kind != TAG_KINDS && tag->kind != kind)))
			tag = tag->next;
		if (!tag) {
			i++;
		} else if (tag->pins) {
			pthread_cond_wait(&unpinned, &lock);
		} else {
			unlink_locked(tag);
			free_tag(tag);
		}
	}
	pthread_mutex_unlock(&lock);
}

void tag_each(enum tag_kind kind, void (*visit)(void *user, struct tag *tag),
	      void *user)
{
	struct tag *tag;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < BUCKETS; i++) {
		for (tag = by_number[i]; tag; tag = tag->next) {
			if (tag->kind == kind)
				visit(user, tag);
		}
	}
	pthread_mutex_unlock(&lock);
}

size_t tag_count(const struct layer *layer, enum tag_kind kind,
		 uintptr_t parent)
{
	const struct tag *tag;
	size_t i, n = 0;

	pthread_mutex_lock(&lock);
	for (i = 0; i < BUCKETS; i++) {
		for (tag = by_number[i]; tag; tag = tag->next)
			n += tag->layer == layer && tag->kind == kind &&
			     (!parent || tag->parent == parent);
	}
	pthread_mutex_unlock(&lock);
	return n;
}

void tag_lock(void)
{
	pthread_mutex_lock(&lock);
}

void tag_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
