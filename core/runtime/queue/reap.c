/* SPDX-License-Identifier: Apache-2.0 */
/* reap.c - freeing what was released while work used it. */
#include "core/runtime/queue/reap.h"

#include <pthread.h>
#include <stdatomic.h>

#include <dpr/event.h>

#include "core/base/status.h"
#include "core/runtime/device/device.h"

/* reap() stops after this many in a row that are still in use: the rest are
   younger. */
#define PATIENCE 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the lists, oldest first. */
static struct reap_node *memory, **memory_end = &memory;
static struct reap_node *queues, **queues_end = &queues;

static atomic_size_t count;
/* Held by the thread that reaps; what it tries is in no list meanwhile.  Only
   reap_all() waits for it. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void reap_add(struct reap_node *node)
{
	struct reap_node ***end = node->root ? &memory_end : &queues_end;

	node->next = NULL;
	pthread_mutex_lock(&lock);
	**end = node;
	*end = &node->next;
	pthread_mutex_unlock(&lock);
	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

/* Free the memory that can be freed now.  Stops after PATIENCE nodes in a row
   that are still in use. */
static void reap_memory(void)
{
	struct reap_node *list, *next;
	dpr_device *root;
	size_t kept = 0;

	pthread_mutex_lock(&lock);
	list = memory;
	memory = NULL;
	memory_end = &memory;
	pthread_mutex_unlock(&lock);
	for (; list; list = next) {
		next = list->next;
		root = list->root;
		if (kept < PATIENCE && list->free(list, 0)) {
			atomic_fetch_add(&root->reaped, 1);
			kept = 0;
		} else {
			kept++;
			reap_add(list);
		}
		/* Only now: a thread that is short of memory asks whether some
		   is still to be freed. */
		atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
	}
}

static bool is_of(const struct reap_node *node, const dpr_device *root)
{
	return !root || node->root == root;
}

static size_t count_nodes(const dpr_device *root)
{
	const struct reap_node *node;
	size_t n = 0;

	pthread_mutex_lock(&lock);
	for (node = memory; node; node = node->next)
		n += is_of(node, root) ? 1 : 0;
	pthread_mutex_unlock(&lock);
	return n;
}

/* Take the oldest node of @root out of the list, to wait for it; or NULL. */
static struct reap_node *take_node(const dpr_device *root)
{
	struct reap_node *node, **at = &memory;

	pthread_mutex_lock(&lock);
	while ((node = *at) && !is_of(node, root))
		at = &node->next;
	if (node) {
		*at = node->next;
		if (!*at)
			memory_end = at;
		atomic_fetch_add(&node->root->reapers, 1);
	}
	pthread_mutex_unlock(&lock);
	return node;
}

/* Wait for each node of @root.  Takes one at a time, so that other threads can
   free the rest without waiting. */
static size_t wait_for_memory(const dpr_device *root, uint64_t deadline)
{
	size_t freed = 0, n = count_nodes(root);
	struct reap_node *node;
	dpr_device *of;

	for (; n && (node = take_node(root)); n--) {
		of = node->root;
		if (node->free(node, deadline)) {
			atomic_fetch_add(&of->reaped, 1);
			freed++;
		} else {
			reap_add(node);
		}
		atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
		atomic_fetch_sub(&of->reapers, 1);
	}
	return freed;
}

static void reap_queues(uint64_t deadline)
{
	struct reap_node *list, *next;

	pthread_mutex_lock(&lock);
	list = queues;
	queues = NULL;
	queues_end = &queues;
	pthread_mutex_unlock(&lock);
	for (; list; list = next) {
		next = list->next;
		atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
		if (!list->free(list, deadline))
			reap_add(list);
	}
}

void reap(void)
{
	char *text;

	if (!atomic_load_explicit(&count, memory_order_relaxed))
		return;
	/* Another thread is reaping, or this one further up its stack. */
	if (pthread_mutex_trylock(&turn))
		return;
	/* A failure here must not replace the caller's last error. */
	text = status_keep();
	/* Allocations first: they hold queues. */
	reap_memory();
	reap_queues(0);
	status_restore(text);
	pthread_mutex_unlock(&turn);
}

size_t reap_wait(const dpr_device *root, uint64_t deadline)
{
	size_t freed = wait_for_memory(root, deadline);

	/* Closing queues frees memory, too. */
	reap();
	return freed;
}

void reap_all(void)
{
	pthread_mutex_lock(&turn);
	wait_for_memory(NULL, DPR_FOREVER);
	reap_queues(DPR_FOREVER);
	pthread_mutex_unlock(&turn);
}

bool reap_waits(const dpr_device *root, size_t *freed)
{
	size_t before = *freed;

	*freed = atomic_load(&root->reaped);
	return atomic_load(&root->reapers) && *freed == before;
}

size_t reap_count(void)
{
	return atomic_load_explicit(&count, memory_order_relaxed);
}
