/* SPDX-License-Identifier: Apache-2.0 */
/* pool_control.c - pools as the program sees them: statistics, limits,
   trimming. */
#include <string.h>

#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/memory/pool_slabs.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/reap.h"

/* Take the const off @device: a getter may make the record of the pools. */
static dpr_device *asked_device(const dpr_device *device)
{
	return (dpr_device *)(uintptr_t)device;
}

static dpr_status check_device(const char *what, const dpr_device *device,
			       struct pool_root **root)
{
	dpr_status status = process_check(what);

	if (status)
		return status;
	if (!device)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the device is NULL", what);
	*root = pool_root_of(asked_device(device));
	return *root ? DPR_OK
		     : fail(DPR_ERROR_OUT_OF_MEMORY, "%s: out of host memory",
			    what);
}

/* Take back memory whose work is over, without waiting. */
static void refresh_pool(struct pool *pool)
{
	char *text = status_keep();

	reap();
	pool_settle(pool, 0);
	status_restore(text);
}

static void read_pool(struct pool *pool, dpr_pool_stats *s)
{
	const struct heap *heap = &pool->heap;

	pthread_mutex_lock(&pool->lock);
	s->held = heap->held;
	s->used = heap->used - pool->waiting;
	s->pending = heap->pending + pool->waiting;
	s->free = heap->free;
	s->largest_free = heap_largest(heap);
	s->peak_held = pool->peak_held;
	s->peak_used = pool->peak_used;
	s->slabs = heap->n_slabs;
	s->blocks = heap->n_used;
	s->requests = pool->requests;
	s->hits = pool->hits;
	s->driver_allocations = pool->driver_allocations;
	s->driver_frees = pool->driver_frees;
	pthread_mutex_unlock(&pool->lock);
}

static uint64_t limit_of(struct pool_root *root)
{
	uint64_t limit = atomic_load(&root->limit);

	return limit == UINT64_MAX ? 0 : limit;
}

dpr_status dpr_pool_get_stats(const dpr_device *device, dpr_usm_kind kind,
			      dpr_pool_stats *out)
{
	TRACE_CALL;
	HANDLES(device);
	size_t size = out ? out->struct_size : 0;
	dpr_pool_stats stats = { 0 };
	struct pool_root *root;
	struct pool *pool;
	dpr_status status = check_device("pool stats", device, &root);

	if (status)
		return status;
	if (size < sizeof(size))
		return fail(DPR_ERROR_INVALID_ARGUMENT, "pool stats: %s",
			    out ? "struct_size is not set" : "out is NULL");
	status = usm_check_kind("pool stats", kind);
	if (status)
		return status;
	pool = pool_of(asked_device(device), kind, false);
	if (pool)
		read_pool(pool, &stats);
	stats.device_held = atomic_load(&root->held);
	stats.device_peak_held = atomic_load(&root->peak_held);
	stats.limit = limit_of(root);
	/* Fields that this library does not know read as 0. */
	stats.struct_size = size;
	if (size > sizeof(stats)) {
		memset((char *)out + sizeof(stats), 0, size - sizeof(stats));
		size = sizeof(stats);
	}
	memcpy(out, &stats, size);
	return DPR_OK;
}

dpr_status dpr_pool_trim(dpr_device *device, uint64_t keep, uint64_t *freed)
{
	TRACE_CALL;
	HANDLES(device);
	struct pool_root *root;
	struct pool *pool;
	dpr_status status;
	uint64_t bytes;

	if (freed)
		*freed = 0;
	status = check_device("pool trim", device, &root);
	if (status)
		return status;
	for (pool = atomic_load(&root->pools); pool; pool = pool->next)
		if (pool->device == device || device->root == device)
			refresh_pool(pool);
	bytes = pool_slabs_trim(device, keep);
	if (freed)
		*freed = bytes;
	return DPR_OK;
}

dpr_status dpr_pool_set_limit(dpr_device *device, uint64_t bytes)
{
	TRACE_CALL;
	HANDLES(device);
	struct pool_root *root;
	dpr_status status = check_device("pool limit", device, &root);

	if (!status)
		atomic_store(&root->limit, bytes ? bytes : UINT64_MAX);
	return status;
}

dpr_status dpr_pool_get_limit(const dpr_device *device, uint64_t *bytes)
{
	TRACE_CALL;
	HANDLES(device);
	struct pool_root *root;
	dpr_status status = check_device("pool limit", device, &root);

	if (bytes)
		*bytes = 0;
	if (status)
		return status;
	if (!bytes)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "pool limit: out is NULL");
	*bytes = limit_of(root);
	return DPR_OK;
}

dpr_status dpr_pool_set_pressure(dpr_device *device, dpr_pool_pressure callback,
				 void *user)
{
	TRACE_CALL;
	HANDLES(device);
	struct pool_root *root;
	dpr_status status = check_device("pool pressure", device, &root);

	if (status)
		return status;
	pthread_mutex_lock(&root->lock);
	root->pressure = callback;
	root->pressure_user = user;
	pthread_mutex_unlock(&root->lock);
	return DPR_OK;
}
