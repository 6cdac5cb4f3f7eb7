/* SPDX-License-Identifier: Apache-2.0 */
/* queue_list.c - the list of all queues. */
#include "core/runtime/queue/queue_list.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the variable below and the links of the queues in it. */
static dpr_queue *all;

void queue_list_add(dpr_queue *queue)
{
	pthread_mutex_lock(&lock);
	queue->next = all;
	if (all)
		all->previous = queue;
	all = queue;
	pthread_mutex_unlock(&lock);
}

void queue_list_remove(dpr_queue *queue)
{
	pthread_mutex_lock(&lock);
	if (queue->previous)
		queue->previous->next = queue->next;
	else if (all == queue)
		all = queue->next;
	if (queue->next)
		queue->next->previous = queue->previous;
	queue->next = queue->previous = NULL;
	pthread_mutex_unlock(&lock);
}

dpr_queue *queue_list_first(void)
{
	return all;
}

void queue_list_visit(bool (*call)(dpr_queue *queue, void *user), void *user)
{
	dpr_queue *queue;

	pthread_mutex_lock(&lock);
	queue = all;
	while (queue && call(queue, user))
		queue = queue->next;
	pthread_mutex_unlock(&lock);
}

void queue_list_each(void (*call)(dpr_queue *queue))
{
	dpr_queue *queue, *next;

	pthread_mutex_lock(&lock);
	queue = all;
	while (queue && !queue_try_retain(queue))
		queue = queue->next;
	pthread_mutex_unlock(&lock);
	while (queue) {
		call(queue);
		pthread_mutex_lock(&lock);
		next = queue->next;
		while (next && !queue_try_retain(next))
			next = next->next;
		pthread_mutex_unlock(&lock);
		dpr_queue_release(queue);
		queue = next;
	}
}
