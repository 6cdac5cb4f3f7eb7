/* SPDX-License-Identifier: Apache-2.0 */
/* pool_alloc.c - taking memory from the pools, and what is done, step by step,
 * when there is none. */
#include "core/runtime/memory/pool_alloc.h"

#include <time.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/runtime/memory/holders.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/memory/pool_slabs.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/reap.h"

/* So often what other threads take or have in hand is tried for again. */
#define WAIT_MOST 64
/* And so often, for about 10 s, one call of the driver by another thread, which
   may have been cancelled in it. */
#define DRIVER_MOST 2000
/* Nanoseconds in between. */
#define PAUSE_LEAST 50000
#define PAUSE_MOST 5000000
/* So often the program is asked to release something. */
#define PRESSURE_MOST 16

/* A request that the pools have not met, on its way down the steps. */
struct need {
	struct pool *pool;
	dpr_queue *queue;
	struct want want;
	int own; /* not from a slab */
	dpr_usm *usm;
	dprp_rc rc; /* of the driver's last answer, or SLAB_RC_* */
};

static int is_short(dprp_rc rc)
{
	return rc == SLAB_RC_LIMIT || rc == DPR_RC_OOM_DEVICE ||
	       rc == DPR_RC_OOM_HOST;
}

/* From what is there by now; in slabs of both sizes if need be. */
static int take(struct need *need)
{
	struct want other = need->want;
	int oom;

	if (need->own)
		return 0;
	need->usm = pool_take(need->pool, need->queue, &need->want, NULL, &oom);
	if (need->usm || !other.small || !is_short(need->rc))
		return need->usm != NULL;
	other.small = 0;
	need->usm = pool_take(need->pool, need->queue, &other, NULL, &oom);
	return need->usm != NULL;
}

/* Memory of the driver's for one allocation alone, in no slab. */
static dprp_rc make_own(dpr_queue *queue, dpr_usm_kind kind,
			const struct want *want, dpr_usm **out)
{
	dpr_usm *usm;
	dprp_rc rc = usm_make(queue, kind, want->size, want->align, &usm);

	if (rc)
		return rc;
	if (want->align && (uintptr_t)usm->address & (want->align - 1)) {
		dpr_usm_release(usm);
		return SLAB_RC_MISALIGNED;
	}
	*out = usm;
	return DPR_RC_OK;
}

/* What is wanted as a block, if there can be one of that size. */
static size_t block_size(const struct need *need)
{
	uint64_t most = need->pool->device->max_alloc;
	size_t size;

	if (__builtin_add_overflow(need->want.size, SLAB_GRANULE - 1, &size))
		return need->want.size;
	size &= ~(SLAB_GRANULE - 1);
	return most && size > most ? need->want.size : size;
}

/* From the driver: no more than is wanted. */
static int ask(struct need *need)
{
	size_t size = block_size(need);

	if (need->own) {
		need->rc = make_own(need->queue, need->pool->kind, &need->want,
				    &need->usm);
		return !is_short(need->rc);
	}
	need->rc = pool_slabs_grow(need->pool, need->queue, &need->want, size,
				   &need->usm);
	if (is_short(need->rc) && size > need->want.size)
		need->rc = pool_slabs_grow(need->pool, need->queue, &need->want,
					   need->want.size, &need->usm);
	return !is_short(need->rc);
}

/* Take back what work has used, of all pools, waiting for it if that is
   allowed.  Returns how many allocations went. */
static size_t recover_all(struct pool_root *root, int wait)
{
	uint64_t deadline = wait ? DPR_FOREVER : 0;
	size_t freed = 0;
	struct pool *pool;
	/* What fails here is not what this call is about. */
	char *text = status_keep();

	if (wait)
		freed = reap_wait(root->device, deadline);
	else
		reap();
	for (pool = atomic_load(&root->pools); pool; pool = pool->next)
		pool_settle(pool, deadline);
	status_restore(text);
	return freed;
}

/* The same of one, without waiting. */
static void recover(struct pool *pool)
{
	char *text = status_keep();

	reap();
	pool_settle(pool, 0);
	status_restore(text);
}

/* Whether this thread is in a pressure callback: what that allocates must not
   call it again. */
static _Thread_local int pressing;

/* Whether the program says that it has released something. */
static int press(struct need *need)
{
	struct pool_root *root = need->pool->root;
	dpr_pool_pressure call;
	void *user;
	int more;

	if (pressing)
		return 0;
	pthread_mutex_lock(&root->lock);
	call = root->pressure;
	user = root->pressure_user;
	pthread_mutex_unlock(&root->lock);
	if (!call)
		return 0;
	pressing = 1;
	more = call(need->pool->device, need->want.size, user);
	pressing = 0;
	return more;
}

/* Idle memory of the device goes back to the driver, then it is asked again. */
static int swap_idle(struct need *need)
{
	return pool_slabs_trim(need->pool->root->device, 0) && ask(need);
}

/* Where it is not the limit, that of others with the same memory, too. */
static int swap_others(struct need *need)
{
	return need->rc != SLAB_RC_LIMIT &&
	       pool_slabs_trim_others(need->pool) && ask(need);
}

/* Whether released memory of the device is still on its way back. */
static int has_pending(struct pool_root *root)
{
	uint64_t pending = atomic_load(&root->waiting);
	struct pool *pool;

	for (pool = atomic_load(&root->pools); pool; pool = pool->next) {
		pthread_mutex_lock(&pool->lock);
		pending += pool->heap.pending + pool->waiting;
		pthread_mutex_unlock(&pool->lock);
	}
	return pending != 0;
}

/*
 * Wait for what is on its way back.  Other threads may take it first, or just
 * be at giving it back: then it is neither in a pool nor the driver's.  Without
 * @work only that is waited for.  Tries count after which something has
 * changed, so that work takes as long as it likes, and a call of the driver
 * seconds. Nobody is in here while a slab is in its own hands.
 */
static int wait_for(struct need *need, int work)
{
	struct timespec pause = { 0, PAUSE_LEAST };
	struct pool_root *root = need->pool->root;
	enum slab_movement slabs;
	uint64_t moves = 0;
	size_t freed = 0;
	int i, more = 1, same = 0;

	(void)pool_slabs_movement(root, &moves);
	for (i = 0; more && i < WAIT_MOST;) {
		more = work && has_pending(root);
		recover_all(root, work);
		if (take(need))
			return 1;
		/* Whoever it was that gave idle memory back. */
		pool_slabs_trim(root->device, 0);
		if (ask(need))
			return 1;
		slabs = pool_slabs_movement(root, &moves);
		more |= slabs != SLABS_STILL;
		/* What another thread waits for is in its hands only: it takes
		   as long as the work. */
		same = slabs == SLABS_UNDER_WAY ? same + 1 : 0;
		i += !reap_waits(root->device, &freed) && !same;
		more &= same < DRIVER_MOST;
		if (more)
			nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_MOST)
			pause.tv_nsec *= 2;
	}
	/* Into what was there already something may have come back since. */
	return take(need);
}

/* The steps; each ends in *need, the last in an error. */
static void climb(struct need *need)
{
	int may_wait = !progress_self(), i;

	/* Now it is worth looking at every block. */
	need->want.thorough = 1;
	/* What copies keep of this device may be of use. */
	if (pool_reclaim(NULL) && take(need))
		return;
	if (swap_idle(need) || swap_others(need))
		return;
	if (wait_for(need, may_wait))
		return;
	for (i = 0; i < PRESSURE_MOST && press(need); i++) {
		recover_all(need->pool->root, may_wait);
		if (take(need) || swap_idle(need) || ask(need))
			return;
	}
}

static void print_limit(const struct pool_root *root, struct text *text)
{
	uint64_t limit = atomic_load(&root->limit);

	if (limit != UINT64_MAX)
		text_print(text, "; its pools may hold %llu bytes",
			   (unsigned long long)limit);
}

/* What the pools of the device have, and how it is cut. */
static void print_pools(struct pool_root *root, struct text *text)
{
	size_t held = 0, used = 0, unused = 0, pending = 0, largest = 0;
	struct pool *pool;

	for (pool = atomic_load(&root->pools); pool; pool = pool->next) {
		const struct heap *heap = &pool->heap;
		size_t most;

		pthread_mutex_lock(&pool->lock);
		held += heap->held;
		used += heap->used - pool->waiting;
		pending += heap->pending + pool->waiting;
		unused += heap->free;
		most = heap_largest(heap);
		if (most > largest)
			largest = most;
		pthread_mutex_unlock(&pool->lock);
	}
	text_print(
		text,
		"; the pools of %s hold %zu bytes: %zu in use, %zu released but used by "
		"queued work, %zu free, of which the largest block has %zu",
		root->device->selector, held, used, pending, unused, largest);
}

static dpr_status refused(const struct need *need)
{
	const struct pool *pool = need->pool;
	const dpr_device *device = pool->device;
	struct text text = { 0 };
	dpr_status status;

	/* Else it may be the alignment, and the driver says so. */
	if (need->rc == DPR_RC_UNSUPPORTED && !need->want.align)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "usm alloc: %s has no memory of kind %s",
			    device->selector, pool_kind_name(pool->kind));
	if (need->rc == SLAB_RC_MISALIGNED && !need->want.align)
		return fail(DPR_ERROR_INTERNAL,
			    "usm alloc: %zu bytes of kind %s on %s: mem->info "
			    "of %s gives no address of them, and "
			    "DPR_INFO_ASPECT_ADDRESSES says that there is one",
			    need->want.size, pool_kind_name(pool->kind),
			    need->queue->name, device->plugin->name);
	if (need->rc == SLAB_RC_MISALIGNED)
		return fail(
			DPR_ERROR_INTERNAL,
			"usm alloc: %zu bytes of kind %s on %s: the memory of %s "
			"is not aligned to %zu bytes as it was asked for",
			need->want.size, pool_kind_name(pool->kind),
			need->queue->name, device->plugin->name,
			need->want.align);
	if (need->rc == SLAB_RC_LIMIT)
		status = fail(
			DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			"usm alloc: %zu bytes of kind %s on %s: the limit of the pools is reached",
			need->want.size, pool_kind_name(pool->kind),
			need->queue->name);
	else
		status = plugin_status(device->plugin, need->rc,
				       "usm alloc: %zu bytes of kind %s on %s",
				       need->want.size,
				       pool_kind_name(pool->kind),
				       need->queue->name);
	if (is_short(need->rc)) {
		print_limit(pool->root, &text);
		print_pools(pool->root, &text);
		holders_print(device->root, &text);
		status_append(text_get(&text));
		text_fini(&text);
	}
	return status;
}

static dpr_status alloc_more(struct pool *pool, dpr_queue *queue,
			     const struct want *want, dpr_usm **out)
{
	struct need need = { .pool = pool, .queue = queue, .want = *want };
	size_t size = pool_slabs_size(pool, want);

	*out = NULL;
	recover(pool);
	if (!take(&need)) {
		need.rc = pool_slabs_grow(pool, queue, want, size, &need.usm);
		if (is_short(need.rc) && !take(&need) &&
		    (size <= block_size(&need) || !ask(&need)))
			climb(&need);
	}
	if (!need.usm)
		return refused(&need);
	*out = need.usm;
	return DPR_OK;
}

/* What there is at once. */
static void find_now(struct need *need)
{
	if (take(need))
		return;
	recover(need->pool);
	if (take(need))
		return;
	need->rc = pool_slabs_grow(need->pool, need->queue, &need->want,
				   pool_slabs_size(need->pool, &need->want),
				   &need->usm);
	/* A driver that has refused a slab is not asked for each part of it:
	   only what is idle, or a limit, leaves more to be had. */
	if (need->rc == SLAB_RC_LIMIT && ask(need))
		return;
	if (!is_short(need->rc))
		return;
	/* Now it is worth looking at every block, in slabs of both sizes. */
	need->want.thorough = 1;
	if (!take(need))
		(void)swap_idle(need);
}

dpr_status pool_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
		      size_t alignment, dpr_usm **out)
{
	struct want want = { .size = size,
			     .align = alignment,
			     .small = size <= POOL_SMALL };
	struct pool *pool = pool_of(queue->device, kind, 1);
	/* What is in the pool would be given out without asking the driver. */
	dpr_status status = device_check(queue->device, "usm alloc");
	int oom;

	if (status)
		return status;
	if (!pool)
		return fail_memory("usm alloc");
	if (pool->heap.whole)
		want.small = 0;
	*out = pool_take(pool, queue, &want, NULL, &oom);
	if (oom)
		return fail_memory("usm alloc");
	if (*out)
		return DPR_OK;
	return alloc_more(pool, queue, &want, out);
}

dpr_status pool_alloc_try(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			  bool tell, dpr_usm **out)
{
	struct need need = { .pool = pool_of(queue->device, kind, 1),
			     .queue = queue,
			     .want = { .size = size } };
	dpr_status status = device_check(queue->device, "usm alloc");

	*out = NULL;
	if (status)
		return status;
	if (!need.pool)
		return fail_memory("usm alloc");
	need.want.small = !need.pool->heap.whole && size <= POOL_SMALL;
	find_now(&need);
	*out = need.usm;
	if (need.usm)
		return DPR_OK;
	return tell ? refused(&need) : DPR_ERROR_OUT_OF_DEVICE_MEMORY;
}

dpr_status pool_alloc_own(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			  size_t alignment, dpr_usm **out)
{
	struct need need = { .pool = pool_of(queue->device, kind, 1),
			     .queue = queue,
			     .want = { .size = size, .align = alignment },
			     .own = 1 };
	dpr_status status = device_check(queue->device, "usm alloc");

	if (status)
		return status;
	if (!need.pool)
		return fail_memory("usm alloc");
	reap();
	if (!ask(&need))
		climb(&need);
	if (!need.usm)
		return refused(&need);
	*out = need.usm;
	return DPR_OK;
}
