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

/* Attempts to get memory that other threads take or are moving. */
#define WAIT_MOST 64
/* Attempts, about 10 s in all, while another thread is in one call of the
   driver: it may have been cancelled there. */
#define DRIVER_MOST 2000
/* Nanoseconds in between. */
#define PAUSE_LEAST 50000
#define PAUSE_MOST 5000000
/* The most calls of the program's pressure callback for one request. */
#define PRESSURE_MOST 16

/* A request that the pools have not met, on its way down the steps. */
struct request {
	struct pool *pool;
	dpr_queue *queue;
	struct heap_want want;
	bool own; /* not from a slab */
	dpr_usm *usm;
	dprp_rc rc; /* of the driver's last answer, or SLAB_RC_* */
};

static bool is_short(dprp_rc rc)
{
	return rc == SLAB_RC_LIMIT || rc == DPR_RC_OOM_DEVICE ||
	       rc == DPR_RC_OOM_HOST;
}

/* Take from the pool's free blocks; in slabs of both sizes if need be. */
static bool request_take(struct request *request)
{
	struct heap_want other = request->want;
	bool oom;

	if (request->own)
		return false;
	request->usm = pool_take(request->pool, request->queue, &request->want,
				 NULL, &oom);
	if (request->usm || !other.small || !is_short(request->rc))
		return request->usm != NULL;
	other.small = false;
	request->usm =
		pool_take(request->pool, request->queue, &other, NULL, &oom);
	return request->usm != NULL;
}

/* Memory of the driver's for one allocation alone, in no slab. */
static dprp_rc make_own(dpr_queue *queue, dpr_usm_kind kind,
			const struct heap_want *want, dpr_usm **out)
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
static size_t block_size(const struct request *request)
{
	uint64_t most = request->pool->device->max_alloc;
	size_t size;

	if (__builtin_add_overflow(request->want.size, SLAB_GRANULE - 1, &size))
		return request->want.size;
	size &= ~(SLAB_GRANULE - 1);
	return most && size > most ? request->want.size : size;
}

/* Get no more than is wanted from the driver. */
static bool request_ask(struct request *request)
{
	size_t size = block_size(request);

	if (request->own) {
		request->rc = make_own(request->queue, request->pool->kind,
				       &request->want, &request->usm);
		return !is_short(request->rc);
	}
	request->rc = pool_slabs_grow(request->pool, request->queue,
				      &request->want, size, &request->usm);
	if (is_short(request->rc) && size > request->want.size)
		request->rc = pool_slabs_grow(
			request->pool, request->queue, &request->want,
			request->want.size, &request->usm);
	return !is_short(request->rc);
}

/* Take back what work has used, of all pools, waiting for it if that is
   allowed.  Returns how many allocations went. */
static size_t recover_all(struct pool_root *root, bool wait)
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
static void recover_pool(struct pool *pool)
{
	char *text = status_keep();

	reap();
	pool_settle(pool, 0);
	status_restore(text);
}

/* Whether this thread is in a pressure callback: what that allocates must not
   call it again. */
static _Thread_local bool pressing;

/* Whether the program says that it has released something. */
static bool press_program(struct request *request)
{
	struct pool_root *root = request->pool->root;
	dpr_pool_pressure call;
	void *user;
	bool more;

	if (pressing)
		return false;
	pthread_mutex_lock(&root->lock);
	call = root->pressure;
	user = root->pressure_user;
	pthread_mutex_unlock(&root->lock);
	if (!call)
		return false;
	pressing = true;
	more = call(request->pool->device, request->want.size, user);
	pressing = false;
	return more;
}

/* Idle memory of the device goes back to the driver, then it is asked again. */
static bool request_swap_idle(struct request *request)
{
	return pool_slabs_trim(request->pool->root->device, 0) &&
	       request_ask(request);
}

/* Where it is not the limit, that of others with the same memory, too. */
static bool request_swap_others(struct request *request)
{
	return request->rc != SLAB_RC_LIMIT &&
	       pool_slabs_trim_others(request->pool) && request_ask(request);
}

/* Whether released memory of the device is still on its way back. */
static bool has_pending(struct pool_root *root)
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
 * seconds. No thread is in here while it moves a slab itself.
 */
static bool request_wait(struct request *request, bool work)
{
	struct timespec pause = { 0, PAUSE_LEAST };
	struct pool_root *root = request->pool->root;
	enum slab_movement slabs;
	uint64_t moves = 0;
	size_t freed = 0;
	bool more = true;
	int i, same = 0;

	(void)pool_slabs_movement(root, &moves);
	for (i = 0; more && i < WAIT_MOST;) {
		more = work && has_pending(root);
		recover_all(root, work);
		if (request_take(request))
			return true;
		/* Any thread may have left idle memory in the pools. */
		pool_slabs_trim(root->device, 0);
		if (request_ask(request))
			return true;
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
	return request_take(request);
}

/* The steps; each ends in *request, the last in an error. */
static void request_climb(struct request *request)
{
	bool may_wait = !progress_self();
	int i;

	/* Now it is worth looking at every block. */
	request->want.thorough = true;
	if (request_swap_idle(request) || request_swap_others(request))
		return;
	if (request_wait(request, may_wait))
		return;
	for (i = 0; i < PRESSURE_MOST && press_program(request); i++) {
		recover_all(request->pool->root, may_wait);
		if (request_take(request) || request_swap_idle(request) ||
		    request_ask(request))
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

static dpr_status request_refuse(const struct request *request)
{
	const struct pool *pool = request->pool;
	const dpr_device *device = pool->device;
	struct text text = { 0 };
	dpr_status status;

	/* Else it may be the alignment, and the driver says so. */
	if (request->rc == DPR_RC_UNSUPPORTED && !request->want.align)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "usm alloc: %s has no memory of kind %s",
			    device->selector, usm_kind_name(pool->kind));
	if (request->rc == SLAB_RC_MISALIGNED && !request->want.align)
		return fail(DPR_ERROR_INTERNAL,
			    "usm alloc: %zu bytes of kind %s on %s: mem->info "
			    "of %s gives no address of them, and "
			    "DPR_INFO_ASPECT_ADDRESSES says that there is one",
			    request->want.size, usm_kind_name(pool->kind),
			    request->queue->name, device->plugin->name);
	if (request->rc == SLAB_RC_MISALIGNED)
		return fail(
			DPR_ERROR_INTERNAL,
			"usm alloc: %zu bytes of kind %s on %s: the memory of %s "
			"is not aligned to %zu bytes as it was asked for",
			request->want.size, usm_kind_name(pool->kind),
			request->queue->name, device->plugin->name,
			request->want.align);
	if (request->rc == SLAB_RC_LIMIT)
		status = fail(
			DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			"usm alloc: %zu bytes of kind %s on %s: the limit of the pools is reached",
			request->want.size, usm_kind_name(pool->kind),
			request->queue->name);
	else
		status = plugin_status(device->plugin, request->rc,
				       "usm alloc: %zu bytes of kind %s on %s",
				       request->want.size,
				       usm_kind_name(pool->kind),
				       request->queue->name);
	if (is_short(request->rc)) {
		print_limit(pool->root, &text);
		print_pools(pool->root, &text);
		holders_print(device->root, &text);
		status_append(text_get(&text));
		text_fini(&text);
	}
	return status;
}

static dpr_status alloc_more(struct pool *pool, dpr_queue *queue,
			     const struct heap_want *want, dpr_usm **out)
{
	struct request request = { .pool = pool,
				   .queue = queue,
				   .want = *want };
	size_t size = pool_slabs_size(pool, want);

	*out = NULL;
	recover_pool(pool);
	if (!request_take(&request)) {
		request.rc =
			pool_slabs_grow(pool, queue, want, size, &request.usm);
		if (is_short(request.rc) && !request_take(&request) &&
		    (size <= block_size(&request) || !request_ask(&request)))
			request_climb(&request);
	}
	if (!request.usm)
		return request_refuse(&request);
	*out = request.usm;
	return DPR_OK;
}

/* What there is at once. */
static void request_find(struct request *request)
{
	if (request_take(request))
		return;
	recover_pool(request->pool);
	if (request_take(request))
		return;
	request->rc = pool_slabs_grow(
		request->pool, request->queue, &request->want,
		pool_slabs_size(request->pool, &request->want), &request->usm);
	/* A driver that has refused a slab is not asked for each part of it:
	   only what is idle, or a limit, leaves more to be had. */
	if (request->rc == SLAB_RC_LIMIT && request_ask(request))
		return;
	if (!is_short(request->rc))
		return;
	/* Now it is worth looking at every block, in slabs of both sizes. */
	request->want.thorough = true;
	if (!request_take(request))
		(void)request_swap_idle(request);
}

dpr_status pool_alloc(dpr_queue *queue, dpr_usm_kind kind, size_t size,
		      size_t alignment, dpr_usm **out)
{
	struct heap_want want = { .size = size,
				  .align = alignment,
				  .small = size <= POOL_SMALL };
	struct pool *pool = pool_of(queue->device, kind, true);
	/* What is in the pool would be given out without asking the driver. */
	dpr_status status = device_check(queue->device, "usm alloc");
	bool oom;

	if (status)
		return status;
	if (!pool)
		return fail_memory("usm alloc");
	if (pool->heap.whole)
		want.small = false;
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
	struct request request = { .pool = pool_of(queue->device, kind, true),
				   .queue = queue,
				   .want = { .size = size } };
	dpr_status status = device_check(queue->device, "usm alloc");

	*out = NULL;
	if (status)
		return status;
	if (!request.pool)
		return fail_memory("usm alloc");
	request.want.small = !request.pool->heap.whole && size <= POOL_SMALL;
	request_find(&request);
	*out = request.usm;
	if (request.usm)
		return DPR_OK;
	return tell ? request_refuse(&request) : DPR_ERROR_OUT_OF_DEVICE_MEMORY;
}

dpr_status pool_alloc_own(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			  size_t alignment, dpr_usm **out)
{
	struct request request = { .pool = pool_of(queue->device, kind, true),
				   .queue = queue,
				   .want = { .size = size, .align = alignment },
				   .own = true };
	dpr_status status = device_check(queue->device, "usm alloc");

	if (status)
		return status;
	if (!request.pool)
		return fail_memory("usm alloc");
	reap();
	if (!request_ask(&request))
		request_climb(&request);
	if (!request.usm)
		return request_refuse(&request);
	*out = request.usm;
	return DPR_OK;
}
