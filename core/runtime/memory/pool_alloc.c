/* SPDX-License-Identifier: Apache-2.0 */
/* pool_alloc.c - taking memory from the pools, and the steps that are tried
   when it runs out. */
#include "core/runtime/memory/pool_alloc.h"

#include <time.h>

#include "core/base/call_stack.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/runtime/memory/guard.h"
#include "core/runtime/memory/holders.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/memory/pool_slabs.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/reap.h"

/* The most attempts while other threads take or move memory. */
#define WAIT_MOST 64
/* The most attempts, about 10 s in all, of a thread that must not wait for
   work, while another one is in a call of the driver. */
#define DRIVER_MOST 2000
/* The pauses between attempts, in nanoseconds.  They double. */
#define PAUSE_LEAST 50000
#define PAUSE_MOST 5000000
/* The most calls of the program's pressure callback for one request. */
#define PRESSURE_MOST 16

/* A request that free blocks could not meet, while the steps below are
   tried. */
struct pool_request {
	struct pool *pool;
	dpr_queue *queue;
	struct heap_want want;
	bool own; /* the memory is not from a slab */
	dpr_usm *usm;
	dprp_rc rc; /* the driver's last answer, or SLAB_RC_* */
};

/* The request of the program for @size bytes. */
static struct heap_want want_of(const struct pool *pool, size_t size,
				size_t align)
{
	const size_t guard =
		pool->device->has_guards ? guard_bytes(pool->device, size) : 0;

	return (struct heap_want){ .size = size + guard,
				   .align = align,
				   .guard = guard,
				   .small = !pool->heap.whole &&
					    size + guard <= POOL_SMALL };
}

/* How many bytes the program has asked for. */
static size_t size_of(const struct pool_request *request)
{
	return request->want.size - request->want.guard;
}

/* Go on without a guard: memory is short. */
static void request_unguard(struct pool_request *request)
{
	request->want.size = size_of(request);
	request->want.guard = 0;
}

static bool is_short(dprp_rc rc)
{
	return rc == SLAB_RC_LIMIT || rc == DPR_RC_OOM_DEVICE ||
	       rc == DPR_RC_OOM_HOST;
}

/* Take from the pool's free blocks; once memory is short, from slabs of both
   sizes. */
static bool request_take(struct pool_request *request)
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

/* Make an allocation with memory of its own. */
static dprp_rc make_own(dpr_queue *queue, dpr_usm_kind kind,
			const struct heap_want *want, dpr_usm **out)
{
	dpr_usm *usm;
	dprp_rc rc = usm_make(queue, kind, want, &usm);

	if (rc)
		return rc;
	if (want->align && (uintptr_t)usm->address & (want->align - 1)) {
		dpr_usm_release(usm);
		return SLAB_RC_MISALIGNED;
	}
	*out = usm;
	return DPR_RC_OK;
}

/* The wanted size rounded up to whole granules, unless the driver cannot
   allocate that much. */
static size_t block_size(const struct pool_request *request)
{
	uint64_t most = request->pool->device->max_alloc;
	size_t size;

	if (__builtin_add_overflow(request->want.size, SLAB_GRANULE - 1, &size))
		return request->want.size;
	size &= ~(SLAB_GRANULE - 1);
	return most && size > most ? request->want.size : size;
}

/* Ask the driver for memory of just the wanted size.  Returns false if memory
   is short. */
static bool request_ask(struct pool_request *request)
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

/* Take back memory of all pools whose work is over; with @wait, wait for that
   work.  Returns how many released allocations were freed after waiting. */
static size_t recover_all(struct pool_root *root, bool wait)
{
	uint64_t deadline = wait ? DPR_FOREVER : 0;
	size_t freed = 0;
	struct pool *pool;
	/* A failure here must not replace the caller's last error. */
	char *text = status_keep();

	if (wait)
		freed = reap_wait(root->device, deadline);
	else
		reap_now();
	for (pool = atomic_load(&root->pools); pool; pool = pool->next)
		pool_settle(pool, deadline);
	status_restore(text);
	return freed;
}

/* Take back memory of one pool whose work is over, without waiting. */
static void recover_pool(struct pool *pool)
{
	char *text = status_keep();

	reap();
	pool_settle(pool, 0);
	status_restore(text);
}

/* Whether this thread is in a pressure callback: allocations within it must not
   call it again. */
static _Thread_local bool pressing;

/* Call the pressure callback.  Returns whether the program says that it has
   released something. */
static bool press_program(struct pool_request *request)
{
	struct pool_root *root = request->pool->root;
	dpr_pool_pressure call;
	void *user;
	bool more;
	int depth;

	if (pressing)
		return false;
	pthread_mutex_lock(&root->lock);
	call = root->pressure;
	user = root->pressure_user;
	pthread_mutex_unlock(&root->lock);
	if (!call)
		return false;
	pressing = true;
	depth = call_stack_go_out();
	more = call(request->pool->device, size_of(request), user);
	call_stack_go_back(depth);
	pressing = false;
	return more;
}

/* Give idle memory of the device back, then ask the driver again. */
static bool request_swap_idle(struct pool_request *request)
{
	return pool_slabs_trim(request->pool->root->device, 0) &&
	       request_ask(request);
}

/* As request_swap_idle(), with idle memory of other devices that share physical
   memory with this one.  That is no help against the limit. */
static bool request_swap_others(struct pool_request *request)
{
	return request->rc != SLAB_RC_LIMIT &&
	       pool_slabs_trim_others(request->pool) && request_ask(request);
}

/* Whether work still uses released memory of the device. */
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
 * Wait for memory that is coming back.  Threads that move slabs will bring some
 * back: meanwhile a slab is neither in a pool nor in the driver.  With @work,
 * queued work will bring some back, too.  Other threads may take the memory
 * first, so this tries up to WAIT_MOST times.  A try does not count while
 * another thread waits for work or is in a call of the driver, because either
 * may take any time.  The caller must not be moving a slab.
 */
static bool request_wait(struct pool_request *request, bool work)
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
		/* Do not count this try while another thread moves a slab, or
		   waits for a released allocation, which it has taken from the
		   list. */
		same = slabs == SLABS_UNDER_WAY ? same + 1 : 0;
		i += !reap_waits(root->device, &freed) && !same;
		more &= work || same < DRIVER_MOST;
		if (more)
			nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_MOST)
			pause.tv_nsec *= 2;
	}
	/* Memory may have come back to existing slabs since. */
	return request_take(request);
}

/* The steps that are tried when memory is short.  Sets request->usm, or
   request->rc to the last reason. */
static void request_climb(struct pool_request *request)
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
		text_print(text, "; the device's pools may hold %llu bytes",
			   (unsigned long long)limit);
}

/* Append what the pools of the device hold. */
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
		"queued work, %zu free (largest block: %zu)",
		root->device->selector, held, used, pending, unused, largest);
}

static dpr_status request_refuse(const struct pool_request *request)
{
	const struct pool *pool = request->pool;
	const dpr_device *device = pool->device;
	struct text text = { 0 };
	dpr_status status;

	/* If an alignment was requested, the driver may have refused only that,
	   and its text says so. */
	if (request->rc == DPR_RC_UNSUPPORTED && !request->want.align)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "usm alloc: %s has no memory of kind %s",
			    device->selector, usm_kind_name(pool->kind));
	if (request->rc == SLAB_RC_MISALIGNED && !request->want.align)
		return fail(
			DPR_ERROR_INTERNAL,
			"usm alloc: %zu bytes of kind %s on %s: backend "
			"%s gives no address for this memory (mem->info), but "
			"its device has DPR_INFO_ASPECT_ADDRESSES"
			", against rule M5 of dpr/backend.h",
			size_of(request), usm_kind_name(pool->kind),
			request->queue->name, device->plugin->name);
	if (request->rc == SLAB_RC_MISALIGNED)
		return fail(
			DPR_ERROR_INTERNAL,
			"usm alloc: %zu bytes of kind %s on %s: the memory that "
			"mem->alloc of backend %s gave "
			"is not aligned to %zu bytes as requested"
			", against rule M3 of dpr/backend.h",
			size_of(request), usm_kind_name(pool->kind),
			request->queue->name, device->plugin->name,
			request->want.align);
	if (request->rc == SLAB_RC_LIMIT)
		status = fail(
			DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			"usm alloc: %zu bytes of kind %s on %s: the limit of the pools is reached",
			size_of(request), usm_kind_name(pool->kind),
			request->queue->name);
	else
		status = plugin_status(device->plugin, request->rc,
				       "usm alloc: %zu bytes of kind %s on %s",
				       size_of(request),
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
	struct pool_request request = { .pool = pool,
					.queue = queue,
					.want = *want };
	size_t size = pool_slabs_size(pool, want);

	*out = NULL;
	recover_pool(pool);
	if (!request_take(&request)) {
		request.rc =
			pool_slabs_grow(pool, queue, want, size, &request.usm);
		if (is_short(request.rc)) {
			request_unguard(&request);
			if (!request_take(&request) &&
			    (size <= block_size(&request) ||
			     !request_ask(&request)))
				request_climb(&request);
		}
	}
	if (!request.usm)
		return request_refuse(&request);
	*out = request.usm;
	return DPR_OK;
}

/* Find memory without waiting. */
static void request_find(struct pool_request *request)
{
	if (request_take(request))
		return;
	recover_pool(request->pool);
	if (request_take(request))
		return;
	request->rc = pool_slabs_grow(
		request->pool, request->queue, &request->want,
		pool_slabs_size(request->pool, &request->want), &request->usm);
	if (is_short(request->rc))
		request_unguard(request);
	/* If the driver has refused a slab, do not ask it for less: a smaller
	   size may help only against the limit. */
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
	struct pool *pool = pool_of(queue->device, kind, true);
	struct heap_want want;
	/* Check this first: a free block would be given out even on a lost
	   device. */
	dpr_status status = device_check(queue->device, "usm alloc");
	bool oom;

	if (status)
		return status;
	if (!pool)
		return fail_memory("usm alloc");
	want = want_of(pool, size, alignment);
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
	struct pool_request request = {
		.pool = pool_of(queue->device, kind, true), .queue = queue
	};
	dpr_status status = device_check(queue->device, "usm alloc");

	*out = NULL;
	if (status)
		return status;
	if (!request.pool)
		return fail_memory("usm alloc");
	request.want = want_of(request.pool, size, 0);
	request_find(&request);
	*out = request.usm;
	if (request.usm)
		return DPR_OK;
	return tell ? request_refuse(&request) : DPR_ERROR_OUT_OF_DEVICE_MEMORY;
}

dpr_status pool_alloc_own(dpr_queue *queue, dpr_usm_kind kind, size_t size,
			  size_t alignment, dpr_usm **out)
{
	struct pool_request request = { .pool = pool_of(queue->device, kind,
							true),
					.queue = queue,
					.own = true };
	dpr_status status = device_check(queue->device, "usm alloc");

	if (status)
		return status;
	if (!request.pool)
		return fail_memory("usm alloc");
	request.want = want_of(request.pool, size, alignment);
	reap();
	if (!request_ask(&request)) {
		request_unguard(&request);
		request_climb(&request);
	}
	if (!request.usm)
		return request_refuse(&request);
	*out = request.usm;
	return DPR_OK;
}
