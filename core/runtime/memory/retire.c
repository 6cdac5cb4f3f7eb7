/* SPDX-License-Identifier: Apache-2.0 */
/* retire.c - releasing allocations: memory is freed when no work uses it any
   more. */
#include <stddef.h>

#include "core/base/call_stack.h"
#include "core/base/handles/handles.h"
#include "core/base/live.h"
#include "core/base/process.h"
#include "core/runtime/memory/guard.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/queue/finish.h"
#include "core/runtime/memory/span.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/memory/uses.h"
#include "core/runtime/queue/reap.h"

/* Tell the owner of borrowed memory that it has the memory back. */
static void tell_owner(void (*returned)(void *owner), void *owner)
{
	const int depth = call_stack_go_out();

	returned(owner);
	call_stack_go_back(depth);
}

/* Free the memory and the object.  No work may use them. */
static void destroy_usm(dpr_usm *usm)
{
	const dpr_allocator *allocator = usm->allocator;
	void (*returned)(void *owner) = NULL;
	void *token = usm->token, *owner = NULL;
	size_t size = usm->size;

	if (usm->block) {
		(void)pool_give(usm, NULL, 0);
	} else {
		returned = usm->returned;
		owner = usm->owner;
		if (usm->guard)
			guard_end(usm);
		usm->queue->plugin->mem.free(usm->handle);
		if (usm->released)
			pool_waited(usm->queue, size);
		usm_discard(usm);
	}
	usm_tell_freed(allocator, token, size);
	if (returned)
		tell_owner(returned, owner);
}

/* Give the memory back if no work uses it, or only work that comes before
   anything its next owner can submit.  Else returns false. */
static bool give_usm_back(dpr_usm *usm)
{
	const dpr_allocator *allocator = usm->allocator;
	void *token = usm->token;
	size_t size = usm->size;
	dpr_queue *queue;
	uint64_t ticket;
	bool many, gone;

	queue = uses_only(usm, &ticket, &many);
	if (many)
		return false;
	if (!queue) {
		destroy_usm(usm);
		return true;
	}
	gone = pool_has_lane(usm, queue) && pool_give(usm, queue, ticket);
	if (gone)
		usm_tell_freed(allocator, token, size);
	queue_leave(queue);
	return gone;
}

static bool free_usm(struct reap_node *node, uint64_t deadline)
{
	dpr_usm *usm = (dpr_usm *)((char *)node - offsetof(dpr_usm, reaped));
	dpr_queue *queue;
	uint64_t ticket;
	bool passed;

	if (!usm->block && !usm->lent && reap_leaves())
		return false;
	if (give_usm_back(usm))
		return true;
	while (!uses_idle(usm, &queue, &ticket)) {
		passed = finish_reach(queue, ticket, deadline);
		if (passed && !queue_is_done(queue, ticket))
			uses_lost(usm, queue);
		queue_leave(queue);
		if (!passed)
			return false;
	}
	destroy_usm(usm);
	return true;
}

/* Free @usm now; but leave it to the reaper if a submission uses it, or if the
   driver may wait. */
static void retire_usm(dpr_usm *usm)
{
	/* A driver that frees memory may wait.  A block is given back without
	   the driver. */
	bool waits = !usm->block && !usm->lent;
	bool may_free = usm->block || (usm->lent && !reap_is_elsewhere());

	/* No other thread has a reference, so no lock is needed. */
	if (may_free && !usm->n_uses && !usm->before) {
		destroy_usm(usm);
		return;
	}
	if (may_free && give_usm_back(usm))
		return;
	pool_waiting(usm);
	usm->reaped.root = usm->queue->device->root;
	usm->reaped.what = REAP_MEMORY;
	usm->reaped.asks = usm->block && !usm->allocator;
	usm->reaped.free = free_usm;
	reap_add(&usm->reaped);
	if (waits)
		reap_wake();
}

void dpr_usm_release(dpr_usm *usm)
{
	HANDLES_RELEASE(dpr_usm_release, usm);
	if (!usm || !process_alive())
		return;
	if (!refs_drop(&usm->refs))
		return;
	if (!usm->block)
		span_remove(&usm->span);
	live_drop(LIVE_USM);
	dpr_event_release(usm->writer);
	usm->writer = NULL;
	retire_usm(usm);
}
