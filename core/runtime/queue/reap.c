/* SPDX-License-Identifier: Apache-2.0 */
/* reap.c - frees objects that were released while work used them. */
#include "core/runtime/queue/reap.h"

#include <pthread.h>
#include <stdatomic.h>

#include <dpr/event.h>

#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/worker.h"
#include "core/runtime/device/device.h"

/* reap() stops after this many allocations in a row that are still in use: the
   rest are younger, or were looked at before. */
#define PATIENCE 8
/* The reaper's pauses in nanoseconds, while what was released is in use. */
#define PAUSE_LEAST UINT64_C(20000)
#define PAUSE_MOST UINT64_C(20000000)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the list of root devices, which only grows, and the lists in each. */
static dpr_device *roots;
/* A thread has looked at an allocation. */
static pthread_cond_t looked = PTHREAD_COND_INITIALIZER;

static atomic_size_t count;
static _Thread_local bool not_here;
/* Whether this thread is in reap_soon(), and whether it has left something to
   the reaper. */
static _Thread_local bool hurried, left;
/* Whether this thread is freeing an object. */
static _Thread_local bool freeing;

void reap_not_here(void)
{
	not_here = true;
}

bool reap_is_elsewhere(void)
{
	return not_here;
}

bool reap_leaves(void)
{
	left |= hurried;
	return hurried;
}

void reap_add(struct reap_node *node)
{
	struct released *released = &node->root->released;
	struct released_list *list = &released->lists[node->what];

	node->next = NULL;
	pthread_mutex_lock(&lock);
	if (!released->is_listed) {
		pthread_mutex_init(&released->turn, NULL);
		released->is_listed = true;
		released->next = roots;
		roots = node->root;
	}
	if (!list->first)
		list->end = &list->first;
	*list->end = node;
	list->end = &node->next;
	list->count++;
	pthread_mutex_unlock(&lock);
	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

/* The first device.  Follow `next` to the others; that needs no lock. */
static dpr_device *first_root(void)
{
	dpr_device *root;

	pthread_mutex_lock(&lock);
	root = roots;
	pthread_mutex_unlock(&lock);
	return root;
}

static size_t count_nodes(const dpr_device *root, enum reap_what what)
{
	size_t n;

	pthread_mutex_lock(&lock);
	n = root->released.lists[what].count;
	pthread_mutex_unlock(&lock);
	return n;
}

/* Take the oldest node out of a list, to free it until @deadline; or NULL.
 *@asks: put_back() will tell that it was looked at. */
static struct reap_node *take_node(dpr_device *root, enum reap_what what,
				   uint64_t deadline, bool *asks)
{
	struct released_list *list = &root->released.lists[what];
	struct reap_node *node;

	pthread_mutex_lock(&lock);
	node = list->first;
	*asks = node && node->asks && !deadline;
	if (node) {
		list->first = node->next;
		list->count--;
		root->released.asking += *asks;
		atomic_fetch_add(&root->reapers, what == REAP_MEMORY);
	}
	pthread_mutex_unlock(&lock);
	return node;
}

static void tell_looked(dpr_device *root)
{
	pthread_mutex_lock(&lock);
	root->released.asking--;
	root->released.asked++;
	pthread_cond_broadcast(&looked);
	pthread_mutex_unlock(&lock);
}

/* Wait until other threads have looked at what they look at now. */
static void await_looks(dpr_device *root)
{
	const struct released *released = &root->released;
	size_t all;

	pthread_mutex_lock(&lock);
	all = released->asked + released->asking;
	while (released->asking && released->asked != all)
		pthread_cond_wait(&looked, &lock);
	pthread_mutex_unlock(&lock);
}

/*
 * Try to free each node of a list once, or until @patience in a row are in use.
 * Takes out one at a time, so that other threads can free the rest while this
 * one waits.  Puts nodes in use at the end of the list.  Returns how many were
 * freed.
 */
static size_t free_nodes(dpr_device *root, enum reap_what what, size_t patience,
			 uint64_t deadline)
{
	size_t freed = 0, kept = 0, n = count_nodes(root, what);
	const bool before = freeing;
	struct reap_node *node;
	bool asks, gone;

	/* In exit() no driver is called any more. */
	for (; n && kept < patience && process_alive(); n--) {
		node = take_node(root, what, deadline, &asks);
		if (!node)
			break;
		freeing = true;
		gone = node->free(node, deadline);
		freeing = before;
		if (gone) {
			atomic_fetch_add(&root->reaped, what == REAP_MEMORY);
			freed++;
			kept = 0;
		} else {
			reap_add(node);
			kept++;
		}
		if (asks)
			tell_looked(root);
		/* Count down only now, because a thread that is short of memory
		   asks whether some is still to be freed. */
		atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
		atomic_fetch_sub(&root->reapers, what == REAP_MEMORY);
	}
	return freed;
}

/*
 * Free the objects that can be freed.  Another thread may be freeing objects of
 * a device; or this thread is, further up its stack.  The other thread may have
 * found an object in use, and the caller may have waited for its end since
 * then.  With @again, such objects are looked at once more, which needs no
 * turn.
 */
static void reap_each(bool again)
{
	dpr_device *root;
	bool turn;
	char *text;

	if (!atomic_load_explicit(&count, memory_order_relaxed))
		return;
	/* A failure here must not replace the caller's last error. */
	text = status_keep();
	for (root = first_root(); root; root = root->released.next) {
		turn = !pthread_mutex_trylock(&root->released.turn);
		if (again)
			await_looks(root);
		if (turn || again)
			(void)free_nodes(root, REAP_MEMORY, PATIENCE, 0);
		if (!turn)
			continue;
		(void)free_nodes(root, REAP_QUEUE, SIZE_MAX, 0);
		if (!count_nodes(root, REAP_CODE) || !reap_leaves())
			(void)free_nodes(root, REAP_CODE, SIZE_MAX, 0);
		pthread_mutex_unlock(&root->released.turn);
	}
	status_restore(text);
}

void reap_now(void)
{
	reap_each(false);
}

void reap(void)
{
	if (!not_here)
		reap_each(!freeing);
}

void reap_soon(void)
{
	bool before = hurried;

	if (not_here)
		return;
	hurried = true;
	reap_now();
	hurried = before;
	if (!left || hurried)
		return;
	left = false;
	reap_wake();
}

void reap_after(uint64_t timeout)
{
	if (timeout)
		reap();
	else
		reap_soon();
}

/* One pass of the reaper. */
static uint64_t reap_pass(void)
{
	static uint64_t pause = PAUSE_LEAST;
	size_t before = atomic_load_explicit(&count, memory_order_relaxed), now;

	reap_now();
	now = atomic_load_explicit(&count, memory_order_relaxed);
	if (now < before)
		pause = PAUSE_LEAST;
	else if (pause < PAUSE_MOST)
		pause *= 2;
	return now ? pause : DPR_FOREVER;
}

static struct worker reaper = WORKER_INIT(reap_pass);

void reap_wake(void)
{
	if (atomic_load_explicit(&count, memory_order_relaxed))
		(void)worker_wake(&reaper);
}

void reap_stop(uint64_t deadline)
{
	worker_stop(&reaper, deadline);
}

size_t reap_wait(dpr_device *root, uint64_t deadline)
{
	size_t freed = free_nodes(root, REAP_MEMORY, SIZE_MAX, deadline);

	/* Closing queues frees memory, too. */
	reap_now();
	return freed;
}

void reap_all(void)
{
	static const enum reap_what order[] = { REAP_MEMORY, REAP_QUEUE,
						REAP_CODE };
	dpr_device *root;
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(*order); i++)
		for (root = first_root(); root; root = root->released.next) {
			pthread_mutex_lock(&root->released.turn);
			(void)free_nodes(root, order[i], SIZE_MAX, DPR_FOREVER);
			pthread_mutex_unlock(&root->released.turn);
		}
}

bool reap_waits(const dpr_device *root, size_t *freed)
{
	size_t before = *freed;

	*freed = atomic_load(&root->reaped);
	return atomic_load(&root->reapers) && *freed == before;
}
