/* SPDX-License-Identifier: Apache-2.0 */
/* origin.c - which submissions made the contents of an allocation. */
#include "core/runtime/memory/origin.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/memory/allocation.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/finish.h"
#include "core/runtime/queue/queue_failure.h"
#include "core/runtime/queue/tickets.h"

#define FEW 2

static struct origin *origin_at(const struct origins *origins, size_t i)
{
	struct origins *all = (struct origins *)(uintptr_t)origins;

	return i < FEW ? &all->few[i] : &all->more[i - FEW];
}

static bool is_sound(const struct origin *origin)
{
	return queue_is_sound(origin->queue, origin->last);
}

static struct failure *find_failure(const struct origin *origin)
{
	return queue_failure_find(origin->queue, origin->first, origin->last);
}

/* Whether the submissions are known to have succeeded.  The order of the checks
   matters: a failure is noted before the tickets up to it count as sound. */
static bool is_valid(const struct origin *origin)
{
	struct failure *cause;

	if (!is_sound(origin))
		return false;
	cause = find_failure(origin);
	failure_release(cause);
	return !cause;
}

/* The failure that made the contents invalid, with a reference; NULL if none is
   known. */
static struct failure *find_cause(const struct origins *origins)
{
	struct failure *cause = failure_retain(origins->cause);
	size_t i;

	for (i = 0; i < origins->count && !cause; i++)
		cause = find_failure(origin_at(origins, i));
	return cause;
}

/* Record as the last error that @name cannot use the contents, because of
   @cause. */
static dpr_status fail_spoiled(const char *name, struct failure *cause)
{
	const bool lost = cause->status == DPR_ERROR_DEVICE_LOST;

	failure_tell(cause);
	return fail(cause->status,
		    "%s: the memory has no valid contents, because of an "
		    "earlier failure: %s%s",
		    name, cause->text,
		    lost ? "" /* it cannot be written any more */
			 : "; write the whole allocation again before you use "
			   "it");
}

static dpr_status check_origins(const char *name, const struct origins *origins)
{
	struct failure *cause = find_cause(origins);
	dpr_status status;

	if (!cause)
		return DPR_OK;
	status = fail_spoiled(name, cause);
	failure_release(cause);
	return status;
}

/* Extend @to by submissions @first to @last of the same queue. */
static void origin_widen(struct origin *to, uint64_t first, uint64_t last)
{
	if (first < to->first)
		to->first = first;
	if (last > to->last)
		to->last = last;
}

static bool origin_list_add(struct origin_list *list,
			    const struct origin *origin)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->list[i].queue == origin->queue) {
			origin_widen(&list->list[i], origin->first,
				     origin->last);
			return true;
		}
	if (!small_list_reserve(list, 1))
		return false;
	/* The allocation may forget this origin, and with it the queue, before
	   the list is entered: its work may succeed at any time. */
	queue_weak_retain(origin->queue);
	list->list[list->count++] = *origin;
	return true;
}

void origin_list_fini(struct origin_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		queue_weak_release(list->list[i].queue);
	small_list_fini(list);
}

static void drop_origin(struct origins *origins, size_t i)
{
	queue_weak_release(origin_at(origins, i)->queue);
	*origin_at(origins, i) = *origin_at(origins, --origins->count);
}

/* Forget valid origins on queues that have had a failure.  The record of an old
   failure gets coarser with time, and might later include them. */
static void forget_valid(struct origins *origins)
{
	size_t i = 0;

	while (i < origins->count) {
		const struct origin *origin = origin_at(origins, i);

		if (atomic_load_explicit(&origin->queue->spoil.any,
					 memory_order_relaxed) &&
		    is_valid(origin))
			drop_origin(origins, i);
		else
			i++;
	}
}

dpr_status origin_collect(dpr_queue *queue, const char *name, struct use *use,
			  struct origin_list *list)
{
	struct origins *origins = &use->usm->origins;
	const bool reads = use_reads(use->access);
	dpr_status status;
	size_t i;

	use->first = use->last = 0;
	if (use_replaces(use->access))
		return DPR_OK;
	forget_valid(origins);
	if (reads) {
		status = check_origins(name, origins);
		if (status)
			return status;
	}
	for (i = 0; i < origins->count; i++) {
		const struct origin *origin = origin_at(origins, i);

		if (is_valid(origin))
			continue;
		if (origin->queue == queue) {
			use->first = origin->first;
			use->last = origin->last;
		} else if (reads && !origin_list_add(list, origin)) {
			return fail_memory(name);
		}
	}
	return DPR_OK;
}

bool origin_reserve(struct origins *origins, const struct origin_list *list)
{
	size_t need = origins->count + list->count + 1, room;
	struct origin *grown;

	if (need <= FEW + origins->room)
		return true;
	room = origins->room ? origins->room * 2 : 4;
	if (room < need)
		room = need;
	grown = mem_grow(origins->more, room, sizeof(*grown));
	if (!grown)
		return false;
	origins->more = grown;
	origins->room = room;
	return true;
}

/* Add submissions @first to @last of @queue.  The caller has reserved room. */
static void origins_set(struct origins *origins, dpr_queue *queue,
			uint64_t first, uint64_t last)
{
	size_t i;

	for (i = 0; i < origins->count; i++)
		if (origin_at(origins, i)->queue == queue) {
			origin_widen(origin_at(origins, i), first, last);
			return;
		}
	queue_weak_retain(queue);
	*origin_at(origins, origins->count++) =
		(struct origin){ queue, first, last };
}

void origin_enter(dpr_queue *queue, uint64_t ticket, const struct use *use,
		  const struct origin_list *list)
{
	struct origins *origins = &use->usm->origins;
	const bool all = use_replaces(use->access);
	struct origin *own = NULL;
	size_t i = 0;

	if (!(use->access & (DPR_WRITE | USE_RAW)))
		return;
	while (i < origins->count) {
		struct origin *origin = origin_at(origins, i);

		if (origin->queue == queue)
			own = origin;
		else if (all || is_valid(origin)) {
			drop_origin(origins, i);
			own = NULL;
			i = 0;
			continue;
		}
		i++;
	}
	if (all)
		origin_invalidate(origins, NULL);
	/* One ticket is enough: spoil.c knows which earlier work of @queue this
	   submission used. */
	if (own)
		own->first = own->last = ticket;
	else
		origins_set(origins, queue, ticket, ticket);
	for (i = 0; i < list->count; i++)
		if (list->list[i].queue != queue)
			origins_set(origins, list->list[i].queue,
				    list->list[i].first, list->list[i].last);
}

void origin_invalidate(struct origins *origins, struct failure *cause)
{
	failure_retain(cause);
	failure_release(origins->cause);
	origins->cause = cause;
}

void origin_spoil(const struct use *use, const struct use *bad)
{
	struct failure *cause;

	if (use == bad || !(use->access & (DPR_WRITE | USE_RAW)))
		return;
	cause = find_cause(&bad->usm->origins);
	if (cause)
		origin_invalidate(&use->usm->origins, cause);
	failure_release(cause);
}

#define ASK_AT_ONCE 16

/* Visit queues of origins that are not known to have succeeded, from origin
   number *@next on.  Skips closed queues, which have reported everything.
   Returns how many were put into @queues. */
static size_t visit_unknown(dpr_usm *usm, size_t *next,
			    dpr_queue *queues[ASK_AT_ONCE])
{
	size_t n = 0;

	pthread_mutex_lock(&usm->lock);
	while (n < ASK_AT_ONCE && *next < usm->origins.count) {
		const struct origin *origin =
			origin_at(&usm->origins, (*next)++);

		if (!is_sound(origin) && queue_visit(origin->queue))
			queues[n++] = origin->queue;
	}
	pthread_mutex_unlock(&usm->lock);
	return n;
}

/* Ask one visited queue for failures, and leave it.  They are noted, and the
   queue's next wait still returns them. */
static void ask_queue(dpr_queue *queue, uint64_t deadline)
{
	char *text = status_keep();

	if (queue->in_order)
		(void)!finish_queue(queue, deadline);
	else
		tickets_poll(queue);
	status_restore(text);
	queue_leave(queue);
}

void origin_ask(dpr_usm *usm, const dpr_queue *own, uint64_t deadline)
{
	dpr_queue *queues[ASK_AT_ONCE];
	size_t n, i, next = 0;

	while ((n = visit_unknown(usm, &next, queues)))
		for (i = 0; i < n; i++)
			ask_queue(queues[i],
				  queues[i] == own ? deadline : clock_now());
}

dpr_status origin_check(const char *name, dpr_usm *usm)
{
	dpr_status status;

	pthread_mutex_lock(&usm->lock);
	status = check_origins(name, &usm->origins);
	forget_valid(&usm->origins);
	pthread_mutex_unlock(&usm->lock);
	return status;
}

void origin_reset(struct origins *origins)
{
	while (origins->count)
		drop_origin(origins, origins->count - 1);
	origin_invalidate(origins, NULL);
}

void origin_fini(struct origins *origins)
{
	origin_reset(origins);
	mem_free(origins->more);
	origins->more = NULL;
	origins->room = 0;
}
