/* SPDX-License-Identifier: Apache-2.0 */
/* reap.c - freeing what was released while work used it. */
#include "core/runtime/reap.h"

#include "core/base/status.h"
#include "core/runtime/event.h"
#include "core/runtime/pool.h"
#include "core/runtime/queue.h"

/* After so many in a row that are still in use, the rest, which is younger,
   waits for another time. */
#define PATIENCE 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the lists, oldest first. */
static dpr_usm *usms, **usms_end = &usms;
static dpr_queue *queues, **queues_end = &queues;

static atomic_size_t count;
static atomic_flag busy = ATOMIC_FLAG_INIT;

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
		return status != DPR_ERROR_TIMEOUT;
	queue_poll(queue);
	return is_done(queue, ticket);
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
	dpr_queue_release(queue);
	return gone;
}

static int try_usm(dpr_usm *usm, uint64_t deadline)
{
	dpr_queue *queue;
	uint64_t ticket;
	int passed = 1;

	if (give_back(usm))
		return 1;
	while (!access_idle(usm, &queue, &ticket)) {
		passed = reap_look(queue, ticket, deadline);
		if (passed && !is_done(queue, ticket)) {
			dpr_queue_release(queue);
			break;
		}
		dpr_queue_release(queue);
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

static int try_queue(dpr_queue *queue, uint64_t deadline)
{
	uint64_t last;

	pthread_mutex_lock(&queue->lock);
	last = queue->last;
	pthread_mutex_unlock(&queue->lock);
	if (!is_done(queue, last) && !reap_look(queue, last, deadline))
		return 0;
	queue_poll(queue);
	queue_close(queue);
	return 1;
}

/* Of a root device, or of all (NULL). */
static size_t reap_usms(const dpr_device *root, uint64_t deadline)
{
	dpr_usm *list, *next;
	size_t freed = 0, kept = 0;

	pthread_mutex_lock(&lock);
	list = usms;
	usms = NULL;
	usms_end = &usms;
	pthread_mutex_unlock(&lock);
	for (; list; list = next) {
		next = list->zombie_next;
		if ((kept < PATIENCE || deadline) &&
		    (!root || list->queue->device->root == root) &&
		    try_usm(list, deadline)) {
			freed++;
			kept = 0;
		} else {
			kept++;
			put_usm(list);
		}
		/* Not before: who is short of memory asks whether there is
		   some to come back. */
		atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
	}
	return freed;
}

static void reap_queues(uint64_t deadline)
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
		if (!try_queue(list, deadline))
			reap_queue(list);
	}
}

void reap(void)
{
	char *text;

	if (!atomic_load_explicit(&count, memory_order_relaxed))
		return;
	/* Another thread is at it, or this one, further down the stack. */
	if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
		return;
	/* What fails here is not what the caller's last error is about. */
	text = status_keep();
	/* Allocations first: they hold queues. */
	reap_usms(NULL, 0);
	reap_queues(0);
	status_restore(text);
	atomic_flag_clear_explicit(&busy, memory_order_release);
}

size_t reap_wait(const dpr_device *root, uint64_t deadline)
{
	size_t freed = reap_usms(root, deadline);

	reap_queues(root ? 0 : deadline);
	return freed;
}

size_t reap_count(void)
{
	return atomic_load_explicit(&count, memory_order_relaxed);
}
