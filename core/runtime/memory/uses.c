/* SPDX-License-Identifier: Apache-2.0 */
/* uses.c - the uses of an allocation by queues, which order the work on it. */
#include "core/runtime/memory/uses.h"

#include <string.h>

#include <dpr/launch.h>

#include "core/base/mem.h"
#include "core/base/small_list.h"
#include "core/base/status.h"
#include "core/runtime/memory/allocation.h"
#include "core/runtime/memory/origin.h"
#include "core/runtime/queue/cover.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/held_list.h"

static struct usm_use *use_at(dpr_usm *usm, size_t i)
{
	return i < 2 ? &usm->first[i] : &usm->more[i - 2];
}

static uint64_t use_last(const struct usm_use *use)
{
	uint64_t last = use->written > use->read ? use->written : use->read;

	return last > use->pinned ? last : use->pinned;
}

/* Forget use number @i. */
static void drop_use(dpr_usm *usm, size_t i)
{
	struct usm_use *use = use_at(usm, i);

	/* This frees at most a struct; it calls no driver. */
	queue_weak_release(use->queue);
	*use = *use_at(usm, usm->n_uses - 1);
	usm->n_uses--;
}

/* Forget uses that are over. */
static void prune_uses(dpr_usm *usm)
{
	size_t i = 0;

	if (usm->before && queue_is_done(usm->queue, usm->before))
		usm->before = 0;
	while (i < usm->n_uses) {
		const struct usm_use *use = use_at(usm, i);

		if (queue_is_done(use->queue, use_last(use)))
			drop_use(usm, i);
		else
			i++;
	}
}

/* Make room for one more entry. */
static bool reserve_use(dpr_usm *usm)
{
	struct usm_use *grown;
	size_t room;

	if (usm->n_uses < 2 || usm->n_uses - 2 < usm->room)
		return true;
	room = usm->room ? usm->room * 2 : 4;
	grown = mem_grow(usm->more, room, sizeof(*grown));
	if (!grown)
		return false;
	usm->more = grown;
	usm->room = room;
	return true;
}

/* Add to @conflicts what a new use by @queue has to wait for because of @use.
   @held: the first held ticket of @queue, or 0.  Returns false if memory runs
   out. */
static bool check_use(const dpr_queue *queue, const struct usm_use *use,
		      uint32_t access, uint64_t held,
		      const struct conflict_list *covered,
		      struct conflict_list *conflicts)
{
	uint64_t ticket = use->written;
	enum cover what = COVER_ONE;

	if (use->vague) {
		ticket = use_last(use);
		what = COVER_ALL;
	} else if (access & DPR_WRITE && use->reads) {
		if (use->reads > 1)
			what = COVER_ALL;
		if (use->read > ticket)
			ticket = use->read;
	}
	/* An in-order queue orders its own work, but what is held in the core
	   can fail without the driver knowing. */
	if (use->queue == queue && queue->in_order && (!held || ticket < held))
		return true;
	if (!ticket || queue_is_done(use->queue, ticket) ||
	    conflicts_cover(covered, use->queue, ticket, what))
		return true;
	return conflicts_add(conflicts, use->queue, ticket, what);
}

/* As check_use(), for uses by the memory's previous owner.  On their own queue
   they come first anyway. */
static bool check_before(dpr_queue *queue, dpr_usm *usm,
			 const struct conflict_list *covered,
			 struct conflict_list *conflicts)
{
	if (queue == usm->queue)
		return true;
	if (queue_is_done(usm->queue, usm->before)) {
		usm->before = 0;
		return true;
	}
	/* Wait for a marker, because a failure of that work concerns only the
	   previous owner. */
	return conflicts_cover(covered, usm->queue, usm->before,
			       COVER_MARKER) ||
	       conflicts_add(conflicts, usm->queue, usm->before, COVER_MARKER);
}

static dpr_status check_one(dpr_queue *queue, const struct use *use,
			    uint64_t held, const struct conflict_list *covered,
			    struct conflict_list *conflicts)
{
	dpr_usm *usm = use->usm;
	size_t i;

	if (usm->before && !check_before(queue, usm, covered, conflicts))
		return fail_memory("dependencies");
	/* The common case: no other queue uses it. */
	if (usm->n_uses == 1 && usm->first[0].queue == queue &&
	    queue->in_order && !held)
		return DPR_OK;
	for (i = 0; use->access & DPR_READ_WRITE && i < usm->n_uses; i++)
		if (!check_use(queue, use_at(usm, i), use->access, held,
			       covered, conflicts))
			return fail_memory("dependencies");
	return reserve_use(usm) ? DPR_OK : fail_memory("dependencies");
}

static void enter_one(dpr_queue *queue, uint64_t ticket, const struct use *use)
{
	dpr_usm *usm = use->usm;
	struct usm_use *own = NULL, *other;
	size_t i;

	if (use->access == USE_ORIGIN)
		return;
	for (i = 0; i < usm->n_uses; i++) {
		other = use_at(usm, i);
		if (other->queue == queue) {
			own = other;
		} else if (use->access & DPR_WRITE) {
			/* A later submission waits for this write, which waits
			   for that use. */
			other->pinned = use_last(other);
			other->written = other->read = 0;
			other->reads = 0;
			other->vague = false;
		}
	}
	if (!own) {
		own = use_at(usm, usm->n_uses++);
		memset(own, 0, sizeof(*own));
		own->queue = queue;
		queue_weak_retain(queue);
	}
	if (use->access & DPR_WRITE) {
		usm->wrote = queue;
		usm->wrote_ticket = ticket;
		own->pinned = use_last(own);
		own->written = ticket;
		own->read = 0;
		own->reads = 0;
		own->vague = false;
	} else if (use->access & DPR_READ) {
		own->read = ticket;
		/* Only "more than one" matters; the count saturates at 2. */
		own->reads += own->reads < 2;
	} else {
		own->pinned = ticket;
	}
}

/* Whether nothing has failed, and only this queue made the contents of all
   @uses: the common case. */
static bool are_own(const dpr_queue *queue, const struct use *uses,
		    size_t n_uses)
{
	size_t i;

	if (atomic_load_explicit(&queue->spoil.any, memory_order_acquire))
		return false;
	for (i = 0; i < n_uses; i++) {
		const struct origins *origins = &uses[i].usm->origins;

		if (origins->cause || origins->count > 1 ||
		    (origins->count && origins->few[0].queue != queue))
			return false;
	}
	return true;
}

/* Do what origin_collect() and origin_enter() would do if are_own() returns
   true.  @sound was read before are_own(). */
static void enter_own(dpr_queue *queue, uint64_t ticket, uint64_t sound,
		      struct use *use)
{
	struct origins *origins = &use->usm->origins;
	struct origin *origin = &origins->few[0];

	use->first = use->last = 0;
	if (origins->count && !use_replaces(use->access) &&
	    origin->last > sound) {
		use->first = origin->first;
		use->last = origin->last;
	}
	if (!(use->access & (DPR_WRITE | USE_RAW)))
		return;
	if (!origins->count) {
		origins->count = 1;
		origin->queue = queue;
		queue_weak_retain(queue);
	}
	origin->first = origin->last = ticket;
}

/* Collect the submissions on which the results depend.  If one of them has
   failed, what was to be written is spoiled as well.  After any failure the
   caller enters nothing. */
static dpr_status collect_origins(dpr_queue *queue, const char *name,
				  struct use *uses, size_t n_uses,
				  struct origin_list *from)
{
	dpr_status status = DPR_OK;
	size_t i, j;

	for (i = 0; i < n_uses && !status; i++)
		status = origin_collect(queue, name, &uses[i], from);
	for (j = 0; status && j < n_uses; j++)
		origin_spoil(&uses[j], &uses[i - 1]);
	for (i = 0; i < n_uses && !status; i++)
		if (!origin_reserve(&uses[i].usm->origins, from))
			status = fail_memory(name);
	return status;
}

dpr_status uses_enter(dpr_queue *queue, uint64_t ticket, const char *name,
		      struct use *uses, size_t n_uses,
		      const struct conflict_list *covered,
		      struct conflict_list *conflicts)
{
	uint64_t held = held_list_first(queue), sound;
	struct origin_list from;
	dpr_status status = DPR_OK;
	size_t i;
	bool own;

	small_list_init(&from);
	/*
	 * Lock all at once, in the order of addresses.  Then of two submissions
	 * that share allocations, one comes first everywhere, and the order has
	 * no cycles.
	 */
	for (i = 0; i < n_uses; i++)
		pthread_mutex_lock(&uses[i].usm->lock);
	for (i = 0; i < n_uses && !status; i++) {
		if (uses[i].usm->n_uses > 1)
			prune_uses(uses[i].usm);
		status = check_one(queue, &uses[i], held, covered, conflicts);
	}
	sound = atomic_load_explicit(&queue->spoil.sound, memory_order_acquire);
	own = are_own(queue, uses, n_uses);
	if (!status && !conflicts->count && !own)
		status = collect_origins(queue, name, uses, n_uses, &from);
	for (i = 0; i < n_uses && !status && !conflicts->count; i++) {
		enter_one(queue, ticket, &uses[i]);
		if (own)
			enter_own(queue, ticket, sound, &uses[i]);
		else
			origin_enter(queue, ticket, &uses[i], &from);
	}
	for (i = 0; i < n_uses; i++)
		pthread_mutex_unlock(&uses[i].usm->lock);
	origin_list_fini(&from);
	return status;
}

void uses_failed(const struct use *uses, size_t n_uses)
{
	size_t i, j;

	for (i = 0; i < n_uses; i++) {
		if (!(uses[i].access & DPR_READ_WRITE))
			continue;
		pthread_mutex_lock(&uses[i].usm->lock);
		for (j = 0; j < uses[i].usm->n_uses; j++)
			use_at(uses[i].usm, j)->vague = true;
		pthread_mutex_unlock(&uses[i].usm->lock);
	}
}

void uses_note_event(dpr_event *event, const struct use *uses, size_t n_uses)
{
	dpr_event *old;
	size_t i;

	for (i = 0; i < n_uses; i++) {
		dpr_usm *usm = uses[i].usm;

		old = NULL;
		pthread_mutex_lock(&usm->lock);
		if (usm->wrote == event->queue &&
		    usm->wrote_ticket == event->ticket) {
			old = usm->writer;
			usm->writer = dpr_event_retain(event);
		}
		pthread_mutex_unlock(&usm->lock);
		dpr_event_release(old);
	}
}

dpr_event *uses_event(dpr_usm *usm)
{
	dpr_event *event;

	pthread_mutex_lock(&usm->lock);
	event = usm->writer;
	if (event &&
	    (event->queue != usm->wrote || event->ticket != usm->wrote_ticket))
		event = NULL;
	dpr_event_retain(event);
	pthread_mutex_unlock(&usm->lock);
	return event;
}

dpr_status uses_writes(dpr_usm *usm, struct conflict_list *out)
{
	static const struct conflict_list none;
	dpr_status status = DPR_OK;
	size_t i;

	pthread_mutex_lock(&usm->lock);
	for (i = 0; i < usm->n_uses && !status; i++)
		if (!check_use(NULL, use_at(usm, i), DPR_READ, 0, &none, out))
			status = fail_memory("usm wait");
	pthread_mutex_unlock(&usm->lock);
	return status;
}

bool uses_idle(dpr_usm *usm, dpr_queue **queue, uint64_t *ticket)
{
	bool idle, visited;

	do {
		pthread_mutex_lock(&usm->lock);
		prune_uses(usm);
		idle = !usm->n_uses && !usm->before;
		if (usm->n_uses) {
			*queue = usm->first[0].queue;
			*ticket = use_last(&usm->first[0]);
		} else if (usm->before) {
			*queue = usm->queue;
			*ticket = usm->before;
		}
		/* A queue that is being closed cannot be visited; the next try
		   prunes it. */
		visited = !idle && queue_visit(*queue);
		pthread_mutex_unlock(&usm->lock);
	} while (!idle && !visited);
	return idle;
}

dpr_queue *uses_only(dpr_usm *usm, uint64_t *ticket, bool *many)
{
	dpr_queue *queue;
	uint64_t last;

	do {
		pthread_mutex_lock(&usm->lock);
		prune_uses(usm);
		*ticket = usm->before;
		queue = usm->before ? usm->queue : NULL;
		*many = usm->n_uses > 1 ||
			(usm->n_uses && queue && queue != usm->first[0].queue);
		if (usm->n_uses && !*many) {
			queue = usm->first[0].queue;
			last = use_last(&usm->first[0]);
			if (last > *ticket)
				*ticket = last;
		}
		if (*many || !queue || queue_visit(queue)) {
			pthread_mutex_unlock(&usm->lock);
			return *many ? NULL : queue;
		}
		/* The queue is being closed; the next try prunes it. */
		pthread_mutex_unlock(&usm->lock);
	} while (1);
}

void uses_lost(dpr_usm *usm, const dpr_queue *queue)
{
	size_t i = 0;

	pthread_mutex_lock(&usm->lock);
	while (i < usm->n_uses && use_at(usm, i)->queue != queue)
		i++;
	if (i < usm->n_uses)
		drop_use(usm, i);
	if (usm->queue == queue)
		usm->before = 0;
	pthread_mutex_unlock(&usm->lock);
}

void uses_reset(dpr_usm *usm)
{
	size_t i;

	for (i = 0; i < usm->n_uses; i++)
		queue_weak_release(use_at(usm, i)->queue);
	usm->n_uses = 0;
	usm->before = 0;
	usm->wrote = NULL;
	origin_reset(&usm->origins);
}

void uses_fini(dpr_usm *usm)
{
	uses_reset(usm);
	origin_fini(&usm->origins);
	mem_free(usm->more);
	usm->more = NULL;
	usm->room = 0;
}
