/* SPDX-License-Identifier: Apache-2.0 */
/* retire.c - freeing allocations that were released while work used them. */
#include "core/runtime/memory/retire.h"

#include <stddef.h>

#include "core/runtime/memory/pool.h"
#include "core/runtime/queue/finish.h"

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

static int free_usm(struct reap_node *node, uint64_t deadline)
{
	dpr_usm *usm = (dpr_usm *)((char *)node - offsetof(dpr_usm, reaped));
	dpr_queue *queue;
	uint64_t ticket;
	int passed;

	if (give_back(usm))
		return 1;
	while (!access_idle(usm, &queue, &ticket)) {
		passed = queue_reach(queue, ticket, deadline);
		if (passed && !queue_is_done(queue, ticket))
			access_lost(usm, queue);
		queue_leave(queue);
		if (!passed)
			return 0;
	}
	usm_destroy(usm);
	return 1;
}

void retire_usm(dpr_usm *usm)
{
	/* Nobody else has it: no lock is needed to look. */
	if (!usm->n_uses && !usm->before) {
		usm_destroy(usm);
		return;
	}
	if (give_back(usm))
		return;
	pool_waiting(usm);
	usm->reaped.root = usm->queue->device->root;
	usm->reaped.free = free_usm;
	reap_add(&usm->reaped);
}
