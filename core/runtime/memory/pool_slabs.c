/* SPDX-License-Identifier: Apache-2.0 */
/* pool_slabs.c - making slabs, and giving idle ones back to the driver. */
#include "core/runtime/memory/pool_slabs.h"

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/runtime/device/info.h"
#include "core/runtime/memory/span.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/reap.h"

#define MIB ((size_t)1 << 20)
/* Slabs for small requests, and for those up to MEDIUM bytes.  A larger request
   gets a slab of its own. */
#define SMALL_SLAB (2 * MIB)
#define MEDIUM (8 * MIB)
#define MEDIUM_SLAB (16 * MIB)
#define LARGE_UNIT (2 * MIB)
size_t pool_slabs_size(const struct pool *pool, const struct heap_want *want)
{
	uint64_t most = pool->device->max_alloc;
	size_t unit = SLAB_GRANULE, size, rounded;

	if (!pool->heap.whole && want->size > MEDIUM)
		unit = LARGE_UNIT;
	if (__builtin_add_overflow(want->size, unit - 1, &rounded))
		return want->size;
	size = rounded & ~(unit - 1);
	/* Do not use up a small device with a few slabs. */
	if (!pool->heap.whole && size <= MEDIUM) {
		size_t slab = want->small ? SMALL_SLAB : MEDIUM_SLAB;

		if (!most || slab <= most / 16)
			size = slab;
	}
	return most && size > most ? want->size : size;
}

/* How many moves of slabs this thread has ended. */
static _Thread_local uint64_t own_moves;

/* Claim @size bytes for a slab, unless that exceeds the limit.  Also counts the
   slab as moving, so that a thread for which the claim leaves no room waits for
   the slab. */
static bool claim_bytes(struct pool_root *root, uint64_t size)
{
	uint64_t sum;
	bool fits;

	pthread_mutex_lock(&root->lock);
	fits = !__builtin_add_overflow(root->claimed, size, &sum) &&
	       sum <= atomic_load(&root->limit);
	if (fits) {
		root->claimed = sum;
		atomic_fetch_add(&root->moving, 1);
	}
	pthread_mutex_unlock(&root->lock);
	return fits;
}

/* Record that the move of a slab has ended.  @gone is 0 if the slab is in a
   pool now, or its size if the driver has it back. */
static void slab_moved(struct pool_root *root, uint64_t gone)
{
	own_moves++;
	pthread_mutex_lock(&root->lock);
	root->claimed -= gone;
	root->moves++;
	atomic_fetch_sub(&root->moving, 1);
	pthread_mutex_unlock(&root->lock);
}

/* Count @size bytes that the driver has given. */
static void count_held(struct pool_root *root, uint64_t size)
{
	uint64_t sum = atomic_fetch_add(&root->held, size) + size;
	uint64_t peak = atomic_load(&root->peak_held);

	while (peak < sum &&
	       !atomic_compare_exchange_weak(&root->peak_held, &peak, sum))
		;
}

/* Free a slab that is in no pool. */
static void slab_free(struct pool *pool, struct slab *slab)
{
	if (slab->handle) {
		if (slab->address)
			span_remove(&slab->span);
		pool->device->plugin->mem.free(slab->handle);
		atomic_fetch_sub(&pool->root->held, slab->size);
	}
	slab_moved(pool->root, slab->size);
	mem_free(slab);
}

/* Make a slab with memory, in no pool yet. */
static dprp_rc slab_make(struct pool *pool, const struct heap_want *want,
			 size_t size, struct slab **out)
{
	struct plugin *plugin = pool->device->plugin;
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = (uint32_t)pool->kind,
			       .size = size,
			       .align = want->align };
	dprp_context *context;
	struct slab *slab;
	dprp_rc rc;

	if (!claim_bytes(pool->root, size))
		return SLAB_RC_LIMIT;
	slab = mem_alloc(sizeof(*slab));
	if (!slab) {
		slab_moved(pool->root, size);
		return DPR_RC_OOM_HOST;
	}
	slab->pool = pool;
	slab->size = size;
	slab->align = want->align;
	slab->small = want->small;
	/* The context was made when the queue was. */
	if (device_context(pool->device, &context)) {
		rc = DPR_RC_INTERNAL;
	} else {
		rc = plugin->mem.alloc(context, pool->device->handle, &desc,
				       &slab->handle);
		rc = plugin_made(plugin, "mem->alloc", rc, slab->handle);
	}
	if (rc) {
		slab->handle = NULL;
		slab_free(pool, slab);
		return rc;
	}
	count_held(pool->root, size);
	rc = usm_ask_address(plugin, slab->handle, &slab->address);
	if (rc) {
		slab_free(pool, slab);
		return rc;
	}
	if (slab->address) {
		slab->span = (struct span){ .address = (uintptr_t)slab->address,
					    .size = size,
					    .is_slab = true };
		span_add(&slab->span);
	}
	*out = slab;
	return DPR_RC_OK;
}

static dprp_rc grow(struct pool *pool, dpr_queue *queue,
		    const struct heap_want *want, size_t size, dpr_usm **out)
{
	struct slab *slab;
	dprp_rc rc = slab_make(pool, want, size, &slab);
	bool oom;

	if (rc)
		return rc;
	if (!heap_suits(&pool->heap, slab, want)) {
		slab_free(pool, slab);
		return SLAB_RC_MISALIGNED;
	}
	*out = pool_take(pool, queue, want, slab, &oom);
	if (oom) {
		slab_free(pool, slab);
		return DPR_RC_OOM_HOST;
	}
	slab_moved(pool->root, 0);
	return DPR_RC_OK;
}

dprp_rc pool_slabs_grow(struct pool *pool, dpr_queue *queue,
			const struct heap_want *want, size_t size,
			dpr_usm **out)
{
	dprp_rc rc;
	int cancel;

	/* Disable cancellation: threads that are short of memory wait for
	   the end of this. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	rc = grow(pool, queue, want, size, out);
	pthread_setcancelstate(cancel, NULL);
	return rc;
}

/* Remove idle slabs from a pool while *@held stays at least @keep.  Returns
   them as a list. */
static struct slab *take_idle(struct pool *pool, uint64_t keep, uint64_t *held)
{
	struct slab *slab, *next, *list = NULL;

	pthread_mutex_lock(&pool->lock);
	for (slab = pool->heap.slabs; slab; slab = next) {
		next = slab->next;
		if (!heap_slab_is_idle(slab) || *held < keep ||
		    *held - keep < slab->size)
			continue;
		*held -= slab->size;
		atomic_fetch_add(&pool->root->moving, 1);
		heap_remove(&pool->heap, slab);
		pool->driver_frees++;
		slab->next = list;
		list = slab;
	}
	pthread_mutex_unlock(&pool->lock);
	return list;
}

/* Give idle slabs of one pool back while *@held stays at least @keep.  Returns
   how many bytes were given back. */
static uint64_t trim_pool(struct pool *pool, uint64_t keep, uint64_t *held)
{
	struct slab *slab, *next;
	uint64_t freed = 0;
	int cancel;

	/* Disable cancellation: threads that are short of memory wait for
	   the end of this. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	for (slab = take_idle(pool, keep, held); slab; slab = next) {
		next = slab->next;
		freed += slab->size;
		slab_free(pool, slab);
	}
	pthread_setcancelstate(cancel, NULL);
	return freed;
}

static bool pool_is_of(const struct pool *pool, const dpr_device *device)
{
	return pool->device == device || pool->device->root == device;
}

uint64_t pool_slabs_trim(dpr_device *device, uint64_t keep)
{
	struct pool_root *root = pool_root_of(device);
	struct pool *pools = root ? atomic_load(&root->pools) : NULL, *pool;
	uint64_t held = 0, freed = 0;

	for (pool = pools; pool; pool = pool->next) {
		if (!pool_is_of(pool, device))
			continue;
		pthread_mutex_lock(&pool->lock);
		held += pool->heap.held;
		pthread_mutex_unlock(&pool->lock);
	}
	for (pool = pools; pool; pool = pool->next) {
		if (pool_is_of(pool, device))
			freed += trim_pool(pool, keep, &held);
	}
	return freed;
}

static bool is_on_host(const struct pool *pool)
{
	const dpr_device *device = pool->root->device;

	return pool->kind != DPR_USM_DEVICE || device->is_host_memory ||
	       device->type == DPR_DEVICE_CPU ||
	       info_has_aspect(device, DPR_INFO_UNIFIED_MEMORY);
}

/* Whether both pools use the same physical memory. */
static bool share_memory(const struct pool *a, const struct pool *b)
{
	const dpr_device *one = a->root->device, *other = b->root->device;

	return (is_on_host(a) && is_on_host(b)) ||
	       dpr_device_twin(one) == other || dpr_device_twin(other) == one;
}

uint64_t pool_slabs_trim_others(struct pool *pool)
{
	struct pool_root *root;
	struct pool *other;
	uint64_t freed = 0;

	for (root = pool_roots(); root; root = root->next) {
		other = atomic_load(&root->pools);
		for (; other && root != pool->root; other = other->next)
			if (share_memory(pool, other))
				freed += trim_pool(other, 0,
						   &(uint64_t){ UINT64_MAX });
	}
	return freed;
}

enum slab_movement pool_slabs_movement(struct pool_root *root, uint64_t *seen)
{
	uint64_t before = *seen;
	bool moving;

	pthread_mutex_lock(&root->lock);
	*seen = root->moves - own_moves;
	moving = atomic_load(&root->moving) != 0;
	pthread_mutex_unlock(&root->lock);
	return *seen != before ? SLABS_ARRIVED
	       : moving        ? SLABS_UNDER_WAY
			       : SLABS_STILL;
}

static void close_root(struct pool_root *root)
{
	struct pool *pool;

	pool_slabs_trim(root->device, 0);
	/* Like devices, pools are never freed: another thread may be reading
	   their statistics. */
	for (pool = atomic_load(&root->pools); pool; pool = pool->next)
		pool_drop_idle(pool);
}

void pool_slabs_close_all(void)
{
	struct pool_root *root;

	for (root = pool_roots(); root; root = root->next)
		close_root(root);
}
