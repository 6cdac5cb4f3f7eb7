/* SPDX-License-Identifier: Apache-2.0 */
/* reap.c - freeing what was released while work used it. */
#include "core/runtime/queue/reap.h"

#include <time.h>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/queue/queue.h"

/* After so many in a row that are still in use, the rest, which is younger,
   waits for another time. */
#define PATIENCE 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the lists, oldest first. */
static dpr_usm *usms, **usms_end = &usms;
static dpr_queue *queues, **queues_end = &queues;

static atomic_size_t count;
/* Whose it is has what he tries out of the lists in hand.  Nobody but
   reap_all() waits for it. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void put_usm(dpr_usm *usm)
{
	pthread_mutex_lock(&lock);
	usm->zombie_next = NULL;
	*usms_end = usm;
	usms_end = &usm->zombie_next;
	pthread_mutex_unlock(&lock);
	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void reap_queue(dpr_queue *queue)
{
	pthread_mutex_lock(&lock);
	queue->zombie_next = NULL;
	*queues_end = queue;
	queues_end = &queue->zombie_next;
	pthread_mutex_unlock(&lock);
	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

static int is_done(const dpr_queue *queue, uint64_t ticket)
{
	return atomic_load_explicit(&queue->done, memory_order_acquire) >=
	       ticket;
}

int reap_look(dpr_queue *queue, uint64_t ticket, uint64_t deadline)
{
	struct event_list list = { .count = 0 };
	dpr_status status = DPR_OK;
	size_t i;

	queue_poll(queue);
	if (is_done(queue, ticket))
		return 1;
	/* Out of order everything is tracked already. */
	if (queue->in_order || deadline)
		status = queue_cover(queue, ticket, 1, &list);
	for (i = 0; deadline && i < list.count && !status; i++)
		status = event_wait_final(list.list[i], deadline);
	event_list_fini(&list);
	if (status == DPR_ERROR_DEVICE_LOST)
		return 1;
	/* No marker, but the driver can wait for all there is. */
	if (status && status != DPR_ERROR_TIMEOUT && deadline)
		status = queue_finish(queue, DPR_FOREVER);
	if (!deadline) {
		/* Of a queue that was released, nobody else will. */
		(void)!queue_flush(queue);
		return 0;
	}
	if (status)
		return 0;
	queue_poll(queue);
	if (is_done(queue, ticket))
		return 1;
	/* Markers that fail do not tell. */
	status = queue_finish(queue, deadline);
	return !status && is_done(queue, ticket);
}

/* Give the memory back if nothing uses it, or only what comes before all that
   its next owner can do; 0: neither. */
static int give_back(dpr_usm *usm)
{
	const struct allocator *allocator = usm->allocator;
	void *token = usm->token;
	size_t size = usm->size;
	dpr_queue *queue;
	uint64_t ticket;
	int many, gone;

	queue = access_only(usm, &ticket, &many);
	if (many)
		return 0;
	if (!queue) {
		usm_destroy(usm);
		return 1;
	}
	gone = pool_has_lane(usm, queue) && pool_give(usm, queue, ticket);
	if (gone && allocator)
		allocator_freed(allocator, token, size);
	queue_leave(queue);
	return gone;
}

static int try_usm(dpr_usm *usm, uint64_t deadline)
{
	dpr_queue *queue;
	uint64_t ticket;
	int passed;

	if (give_back(usm))
		return 1;
	while (!access_idle(usm, &queue, &ticket)) {
		passed = reap_look(queue, ticket, deadline);
		if (passed && !is_done(queue, ticket))
			access_lost(usm, queue);
		queue_leave(queue);
		if (!passed)
			return 0;
	}
	usm_destroy(usm);
	return 1;
}

void reap_usm(dpr_usm *usm)
{
	/* Nobody else has it: no lock is needed to look. */
	if (!usm->n_uses && !usm->before) {
		usm_destroy(usm);
		return;
	}
	if (give_back(usm))
		return;
	pool_waiting(usm);
	put_usm(usm);
}

/* All work up to @last is done.  Whether the driver has told what of it has
   failed; it is asked for that.  A queue of other code may have more to do, and
   is not asked; a lost device tells nothing. */
static int is_told(dpr_queue *queue, uint64_t last)
{
	if (atomic_load(&queue->shared) ||
	    atomic_load(&queue->device->root->lost))
		return 1;
	if (spoil_is_sound(queue, last))
		return 1;
	(void)!queue_finish(queue, clock_now());
	return spoil_is_sound(queue, last);
}

/* Close it if all its work is done; @wait: wait for that, and for all others
   who have to do with the queue. */
static int try_queue(dpr_queue *queue, int wait)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	uint64_t last;

	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	pthread_mutex_unlock(&queue->lock);
	/* Only so the driver tells what has failed without an event. */
	if (wait)
		(void)!queue_finish(queue, DPR_FOREVER);
	if (!is_done(queue, last) &&
	    !reap_look(queue, last, wait ? DPR_FOREVER : 0))
		return 0;
	if (!wait && !is_told(queue, last))
		return 0;
	while (!queue_shut(queue)) {
		if (!wait)
			return 0;
		/* Who visits is there for a moment. */
		nanosleep(&pause, NULL);
	}
	queue_poll(queue);
	queue_close(queue);
	return 1;
}

static dpr_device *root_of(const dpr_usm *usm)
{
	return usm->queue->device->root;
}

/* Free all that can be freed now, but for what comes after many in use. */
static void reap_usms(void)
{
	dpr_usm *list, *next;
	dpr_device *root;
	size_t kept = 0;

	pthread_mutex_lock(&lock);
	list = usms;
	usms = NULL;
	usms_end = &usms;
	pthread_mutex_unlock(&lock);
	for (; list; list = next) {
		next = list->zombie_next;
		root = root_of(list);
		if (kept < PATIENCE && try_usm(list, 0)) {
			atomic_fetch_add(&root->reaped, 1);
			kept = 0;
		} else {
			kept++;
			put_usm(list);
		}
		/* Not before: who is short of memory asks whether there is
		   some to come back. */
		atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
	}
}

static int is_of(const dpr_usm *usm, const dpr_device *root)
{
	return !root || root_of(usm) == root;
}

static size_t count_of(const dpr_device *root)
{
	const dpr_usm *usm;
	size_t n = 0;

	pthread_mutex_lock(&lock);
	for (usm = usms; usm; usm = usm->zombie_next)
		n += is_of(usm, root) ? 1 : 0;
	pthread_mutex_unlock(&lock);
	return n;
}

/* Take the oldest of @root out of the list, to wait for it; NULL: there is
   none. */
static dpr_usm *take_of(const dpr_device *root)
{
	dpr_usm *usm, **at = &usms;

	pthread_mutex_lock(&lock);
	while ((usm = *at) && !is_of(usm, root))
		at = &usm->zombie_next;
	if (usm) {
		*at = usm->zombie_next;
		if (!*at)
			usms_end = at;
		atomic_fetch_add(&root_of(usm)->reapers, 1);
	}
	pthread_mutex_unlock(&lock);
	return usm;
}

/* Wait for each of @root.  One at a time, for another thread may have a use for
   the others, or need not wait for them. */
static size_t wait_for_usms(const dpr_device *root, uint64_t deadline)
{
	size_t freed = 0, n = count_of(root);
	dpr_device *of;
	dpr_usm *usm;

	for (; n && (usm = take_of(root)); n--) {
		of = root_of(usm);
		if (try_usm(usm, deadline)) {
			atomic_fetch_add(&of->reaped, 1);
			freed++;
		} else {
			put_usm(usm);
		}
		atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
		atomic_fetch_sub(&of->reapers, 1);
	}
	return freed;
}

static void reap_queues(int wait)
{
	dpr_queue *list, *next;

	pthread_mutex_lock(&lock);
	list = queues;
	queues = NULL;
	queues_end = &queues;
	pthread_mutex_unlock(&lock);
	for (; list; list = next) {
		next = list->zombie_next;
		atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
		if (!try_queue(list, wait))
			reap_queue(list);
	}
}

void reap(void)
{
	char *text;

	if (!atomic_load_explicit(&count, memory_order_relaxed))
		return;
	/* Another thread is at it, or this one, further down the stack. */
	if (pthread_mutex_trylock(&turn))
		return;
	/* What fails here is not what the caller's last error is about. */
	text = status_keep();
	/* Allocations first: they hold queues. */
	reap_usms();
	reap_queues(0);
	status_restore(text);
	pthread_mutex_unlock(&turn);
}

size_t reap_wait(const dpr_device *root, uint64_t deadline)
{
	size_t freed = wait_for_usms(root, deadline);

	/* Queues that can go now leave memory behind. */
	reap();
	return freed;
}

void reap_all(void)
{
	pthread_mutex_lock(&turn);
	wait_for_usms(NULL, DPR_FOREVER);
	reap_queues(1);
	pthread_mutex_unlock(&turn);
}

int reap_waits(const dpr_device *root, size_t *freed)
{
	size_t before = *freed;

	*freed = atomic_load(&root->reaped);
	return atomic_load(&root->reapers) && *freed == before;
}

size_t reap_count(void)
{
	return atomic_load_explicit(&count, memory_order_relaxed);
}
