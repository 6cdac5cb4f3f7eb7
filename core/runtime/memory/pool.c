/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - pools: taking and giving back memory, and the lanes of queues. */
#include "core/runtime/memory/pool.h"

#include "core/base/handles/handles.h"
#include "core/base/live.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/memory/guard.h"
#include "core/runtime/memory/pool_limit.h"
#include "core/runtime/memory/uses.h"
#include "core/runtime/queue/finish.h"
#include "core/runtime/queue/reap.h"

/* The most objects without memory that a pool keeps for reuse. */
#define IDLE_MOST 1024
/* The search of a lane stops after this many blocks that are still in use: the
   rest are younger. */
#define PATIENCE 8
/* How many bytes may wait for a look at their guards: see waits_for_guard(). */
#define GUARDED_MOST ((size_t)64 << 20)

static _Atomic(struct pool_root *) all_roots;

struct pool_root *pool_roots(void)
{
	return atomic_load(&all_roots);
}

struct pool_root *pool_root_of(dpr_device *device)
{
	dpr_device *top = device->root;
	struct pool_root *root, *there = NULL;

	root = atomic_load_explicit(&top->pool_root, memory_order_acquire);
	if (root)
		return root;
	root = mem_alloc(sizeof(*root));
	if (!root)
		return NULL;
	root->device = top;
	atomic_init(&root->limit, pool_limit_default(top));
	pthread_mutex_init(&root->lock, NULL);
	if (!atomic_compare_exchange_strong(&top->pool_root, &there, root)) {
		pthread_mutex_destroy(&root->lock);
		mem_free(root);
		return there;
	}
	root->next = atomic_load(&all_roots);
	while (!atomic_compare_exchange_weak(&all_roots, &root->next, root))
		;
	return root;
}

static struct pool *pool_new(dpr_device *device, dpr_usm_kind kind)
{
	struct pool_root *root = pool_root_of(device);
	struct pool *pool = root ? mem_alloc(sizeof(*pool)) : NULL;

	if (!pool)
		return NULL;
	pool->device = device;
	pool->kind = kind;
	pool->root = root;
	/* Where memory has no addresses, or offsets must be aligned, slabs are
	   not cut into blocks. */
	pool->heap.whole = !device->has_addresses || device->offset_align > 1;
	pthread_mutex_init(&pool->lock, NULL);
	return pool;
}

struct pool *pool_of(dpr_device *device, dpr_usm_kind kind, bool make)
{
	_Atomic(struct pool *) *at = &device->pools[kind - 1];
	struct pool *pool, *there = NULL;

	pool = atomic_load_explicit(at, memory_order_acquire);
	if (pool || !make)
		return pool;
	pool = pool_new(device, kind);
	if (!pool)
		return NULL;
	if (!atomic_compare_exchange_strong(at, &there, pool)) {
		pthread_mutex_destroy(&pool->lock);
		mem_free(pool);
		return there;
	}
	pool->next = atomic_load(&pool->root->pools);
	while (!atomic_compare_exchange_weak(&pool->root->pools, &pool->next,
					     pool))
		;
	return pool;
}

/* Reserve an object and its blocks, so that taking cannot fail halfway. */
static bool reserve_locked(struct pool *pool)
{
	dpr_usm *usm;

	if (!heap_reserve(&pool->heap))
		return false;
	if (pool->idle)
		return true;
	usm = mem_alloc(sizeof(*usm));
	if (!usm)
		return false;
	pthread_mutex_init(&usm->lock, NULL);
	usm->kind = pool->kind;
	pool->idle = usm;
	pool->n_idle++;
	return true;
}

static dpr_usm *take_locked(struct pool *pool, dpr_queue *queue,
			    const struct heap_want *want)
{
	struct lane *lane = NULL;
	struct block *block;
	struct slab *slab;
	dpr_usm *usm;

	if (queue->device == pool->device && pool->kind == DPR_USM_DEVICE)
		lane = atomic_load_explicit(&queue->lane, memory_order_relaxed);
	block = heap_take(&pool->heap, lane, want);
	if (!block)
		return NULL;
	usm = pool->idle;
	pool->idle = usm->next;
	pool->n_idle--;
	slab = block->slab;
	block->usm = usm;
	usm->next = NULL;
	usm->size = want->size - want->guard;
	usm->queue = queue;
	usm->handle = slab->handle;
	usm->base = block->offset;
	usm->address =
		slab->address ? (char *)slab->address + block->offset : NULL;
	usm->block = block;
	usm->before = block->lane && !queue_is_done(queue, block->ticket)
			      ? block->ticket
			      : 0;
	/* Earlier work of the queue may still use the bytes of the guard. */
	if (want->guard && !usm->before)
		guard_lay(usm);
	/* Set this with the lock held: dpr_usm_find() must not see a half-made
	   object. */
	refs_init(&usm->refs);
	if (pool->heap.used - pool->waiting > pool->peak_used)
		pool->peak_used = pool->heap.used - pool->waiting;
	return usm;
}

dpr_usm *pool_take(struct pool *pool, dpr_queue *queue,
		   const struct heap_want *want, struct slab *slab, bool *oom)
{
	dpr_usm *usm = NULL;

	pthread_mutex_lock(&pool->lock);
	*oom = !reserve_locked(pool);
	if (!*oom && slab) {
		heap_add(&pool->heap, slab);
		pool->driver_allocations++;
		if (pool->heap.held > pool->peak_held)
			pool->peak_held = pool->heap.held;
	}
	if (!*oom)
		usm = take_locked(pool, queue, want);
	pool->requests += usm != NULL;
	pool->hits += usm && !slab;
	pthread_mutex_unlock(&pool->lock);
	if (!usm)
		return NULL;
	/* The caller holds a reference, so a plain retain will do. */
	dpr_queue_retain(queue);
	live_add(LIVE_USM);
	return usm;
}

/* Whether the block of @usm stays until its guard was looked at: only while the
   pool has few such blocks, for they cannot be given out again. */
static bool waits_for_guard(struct pool *pool, const dpr_usm *usm)
{
	bool waits = usm->guard && guard_is_watched(usm);

	if (!waits)
		return false;
	pthread_mutex_lock(&pool->lock);
	waits = pool->waiting < GUARDED_MOST;
	pthread_mutex_unlock(&pool->lock);
	return waits;
}

bool pool_has_lane(const dpr_usm *usm, const dpr_queue *queue)
{
	struct pool *pool;

	if (!usm->block || !queue->in_order)
		return false;
	pool = usm->block->slab->pool;
	/* Only DEVICE memory: the host may access the other kinds at once,
	   before earlier work is done. */
	return pool->kind == DPR_USM_DEVICE && queue->device == pool->device &&
	       !waits_for_guard(pool, usm);
}

static void settle_lane(dpr_queue *queue);
static void close_lane(dpr_queue *queue);

/* The lane of @queue, made if missing.  Returns NULL if memory runs out. */
static struct lane *lane_locked(struct pool *pool, dpr_queue *queue)
{
	static const struct lane_owner owner = { settle_lane, close_lane };
	struct lane *lane;

	lane = atomic_load_explicit(&queue->lane, memory_order_relaxed);
	if (lane)
		return lane;
	lane = mem_alloc(sizeof(*lane));
	if (!lane)
		return NULL;
	queue_set_lane_owner(&owner);
	heap_lane_init(lane);
	lane->queue = queue;
	queue_weak_retain(queue);
	lane->next = pool->lanes;
	pool->lanes = lane;
	atomic_store_explicit(&queue->lane, lane, memory_order_relaxed);
	return lane;
}

/* Keep an object for reuse after its memory was given back.  Returns false if
   too many are kept. */
static bool keep_object_locked(struct pool *pool, dpr_usm *usm)
{
	usm->block = NULL;
	usm->allocator = NULL;
	usm->released = false;
	if (pool->n_idle >= IDLE_MOST || handles_watch())
		return false;
	usm->next = pool->idle;
	pool->idle = usm;
	pool->n_idle++;
	return true;
}

static void object_free(dpr_usm *usm)
{
	pthread_mutex_destroy(&usm->lock);
	uses_fini(usm);
	handles_free(usm, mem_free);
}

bool pool_give(dpr_usm *usm, dpr_queue *queue, uint64_t ticket)
{
	struct block *block = usm->block;
	struct pool *pool = block->slab->pool;
	dpr_queue *home = usm->queue;
	struct lane *lane = NULL;
	uint64_t done = 0;
	bool kept;

	if (usm->guard)
		guard_end(usm);
	if (!queue)
		uses_reset(usm);
	pthread_mutex_lock(&pool->lock);
	if (queue) {
		lane = lane_locked(pool, queue);
		if (!lane) {
			pthread_mutex_unlock(&pool->lock);
			return false;
		}
		done = queue_done(queue);
		if (ticket > lane->last)
			lane->last = ticket;
	}
	if (usm->released)
		pool->waiting -= block->size;
	heap_give(&pool->heap, block, lane, ticket, done);
	uses_reset(usm);
	kept = keep_object_locked(pool, usm);
	pthread_mutex_unlock(&pool->lock);
	if (!kept)
		object_free(usm);
	dpr_queue_release(home);
	return true;
}

void pool_waiting(dpr_usm *usm)
{
	struct pool_root *root;
	struct pool *pool;

	if (usm->released)
		return;
	if (!usm->block) {
		root = pool_root_of(usm->queue->device);
		if (root) {
			usm->released = true;
			atomic_fetch_add(&root->waiting, usm->size);
		}
		return;
	}
	pool = usm->block->slab->pool;
	pthread_mutex_lock(&pool->lock);
	usm->released = true;
	pool->waiting += usm->block->size;
	pthread_mutex_unlock(&pool->lock);
}

void pool_waited(const dpr_queue *queue, size_t size)
{
	atomic_fetch_sub(&pool_root_of(queue->device)->waiting, size);
}

/* The pool to which the lane of @queue belongs; NULL: @queue has no lane. */
static struct pool *lane_pool(dpr_queue *queue)
{
	if (!atomic_load_explicit(&queue->lane, memory_order_relaxed))
		return NULL;
	return pool_of(queue->device, DPR_USM_DEVICE, false);
}

/* Let any queue use those blocks of the queue's lane whose work is known to be
   complete. */
static void settle_lane(dpr_queue *queue)
{
	struct pool *pool = lane_pool(queue);
	struct lane *lane;

	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	lane = atomic_load_explicit(&queue->lane, memory_order_relaxed);
	if (lane && lane->bytes)
		heap_settle(&pool->heap, lane, queue_done(queue), PATIENCE);
	pthread_mutex_unlock(&pool->lock);
}

/* Empty and free the lane.  All work of @queue must be done, and no more may
   come. */
static void close_lane(dpr_queue *queue)
{
	struct pool *pool = lane_pool(queue);
	struct lane *lane, **at;

	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	lane = atomic_load_explicit(&queue->lane, memory_order_relaxed);
	if (lane) {
		heap_settle(&pool->heap, lane, UINT64_MAX, SIZE_MAX);
		for (at = &pool->lanes; *at != lane; at = &(*at)->next)
			;
		*at = lane->next;
		atomic_store_explicit(&queue->lane, NULL, memory_order_relaxed);
	}
	pthread_mutex_unlock(&pool->lock);
	mem_free(lane);
	if (lane)
		queue_weak_release(queue);
}

/* Visit a queue whose lane has blocks and was not handled in this round.
   Returns NULL if there is none. */
static dpr_queue *next_lane(struct pool *pool, uint64_t round, uint64_t *ticket)
{
	dpr_queue *queue = NULL;
	struct lane *lane;

	pthread_mutex_lock(&pool->lock);
	for (lane = pool->lanes; lane && !queue; lane = lane->next) {
		if (!lane->bytes || lane->round >= round)
			continue;
		lane->round = round;
		*ticket = lane->last;
		/* A queue that is being closed settles its lane itself. */
		if (queue_visit(lane->queue))
			queue = lane->queue;
	}
	pthread_mutex_unlock(&pool->lock);
	return queue;
}

void pool_settle(struct pool *pool, uint64_t deadline)
{
	struct lane *lane;
	dpr_queue *queue;
	uint64_t round, ticket;
	bool lost;

	pthread_mutex_lock(&pool->lock);
	round = pool->heap.pending ? ++pool->round : 0;
	pthread_mutex_unlock(&pool->lock);
	while (round && (queue = next_lane(pool, round, &ticket))) {
		/* A queue that has lost its device uses nothing any more. */
		lost = finish_reach(queue, ticket, deadline) &&
		       !queue_is_done(queue, ticket);
		pthread_mutex_lock(&pool->lock);
		lane = atomic_load_explicit(&queue->lane, memory_order_relaxed);
		if (lane)
			heap_settle(&pool->heap, lane,
				    lost ? ticket : queue_done(queue),
				    SIZE_MAX);
		pthread_mutex_unlock(&pool->lock);
		queue_leave(queue);
	}
}

void pool_drop_idle(struct pool *pool)
{
	dpr_usm *list, *next;

	pthread_mutex_lock(&pool->lock);
	list = pool->idle;
	pool->idle = NULL;
	pool->n_idle = 0;
	if (!pool->heap.n_slabs)
		heap_fini(&pool->heap);
	pthread_mutex_unlock(&pool->lock);
	for (; list; list = next) {
		next = list->next;
		object_free(list);
	}
}
