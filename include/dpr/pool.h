/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - where allocations come from: memory pools, their limits and
 * statistics, and allocators of the program's own.
 *
 * Each device has a pool for each kind of memory.  Memory that is released goes
 * back to its pool and serves later allocations.  The queue whose work uses the
 * memory can get it again at once, if the queue is in-order and the kind is
 * DEVICE.  Other queues can get it when the work is known to be complete.
 * Pools get memory from the driver in slabs.  They give slabs back when they
 * are trimmed, when the device runs out of memory, and in dpr_finalize().
 *
 * When memory is short, an allocation goes through these steps, and stops at
 * the first that helps:
 * - Take back memory that has been released and is no longer used.
 * - Give unused slabs of the device, of all kinds and of its sub-devices, back
 *   to the driver and ask it again.
 * - If the driver refused: also give back slabs of other devices that share the
 *   memory: host memory, or the memory of the same physical device in another
 *   backend.
 * - Wait for the work that uses released memory (not in an event's callback),
 *   and for slabs that other threads are giving back or getting.
 * - Call the program's pressure callback.
 * - Fail with DPR_ERROR_OUT_OF_DEVICE_MEMORY, or DPR_ERROR_OUT_OF_MEMORY if the
 *   driver says that host memory is short.  The text tells how much memory
 *   there is and what holds it.
 */
#ifndef DPR_POOL_H
#define DPR_POOL_H

#include <dpr/base.h>
#include <dpr/status.h>
#include <dpr/usm.h>

DPR_BEGIN_DECLS

/* The state of a pool and its counts.  The struct grows at its end only. */
typedef struct dpr_pool_stats {
	size_t struct_size; /* set by the caller: sizeof(dpr_pool_stats) */
	/* Bytes. held is what came from the driver and has not gone back; it is
	   the sum of used, pending and free. */
	uint64_t held;
	/* used: by allocations, rounded up to blocks, on CPUs with the bytes
	   that DPR_LAYERS=check puts behind each. */
	uint64_t used;
	uint64_t pending; /* released, but work that uses it may still run */
	uint64_t free; /* held, and neither used nor pending */
	uint64_t largest_free; /* the largest block in `free` */
	uint64_t peak_held; /* the largest `held` so far */
	uint64_t peak_used; /* the largest `used` so far */
	uint64_t slabs; /* pieces of the driver's memory */
	uint64_t blocks; /* in use or pending */
	uint64_t requests; /* allocations that were made */
	uint64_t hits; /* of these, served from slabs that existed already */
	uint64_t driver_allocations; /* calls that got memory of the driver */
	uint64_t driver_frees; /* calls that gave memory back to the driver */
	uint64_t device_held; /* by all pools of the root device */
	uint64_t device_peak_held; /* the largest `device_held` so far */
	uint64_t limit; /* bytes; 0: none */
} dpr_pool_stats;

/*
 * The state of @device's pool of @kind, without the pools of its sub-devices.
 * Does not wait and does not call the driver: `pending` dates from the
 * library's last check, and may include memory that work has finished with
 * since.  The library checks when an allocation finds no memory, when a queue
 * is waited for, and in dpr_pool_trim(). dpr_pool_trim() with @keep UINT64_MAX
 * only checks.
 * DPR_ERROR_INVALID_ARGUMENT: an unknown kind, or struct_size is not set.
 */
DPR_API DPR_CHECK dpr_status dpr_pool_get_stats(
	const dpr_device *device, dpr_usm_kind kind, dpr_pool_stats *out);

/*
 * Give unused slabs back to the driver, but keep at least @keep bytes.  For a
 * root device the pools of its sub-devices are trimmed too.  Does not wait for
 * queued work.  *@freed (may be NULL) is how many bytes went back.
 */
DPR_API DPR_CHECK dpr_status dpr_pool_trim(
	dpr_device *device, uint64_t keep, uint64_t *freed);

/*
 * Limit the bytes that the pools of @device's root device hold together; 0: no
 * limit.  Memory that they hold already stays.  The initial limit is that of
 * DPR_POOL_LIMIT.  If that is a percentage and the driver does not report the
 * device's memory, the device has no limit, and the log has a warning.  Neither
 * function waits.
 */
DPR_API DPR_CHECK dpr_status dpr_pool_set_limit(
	dpr_device *device, uint64_t bytes);
DPR_API DPR_CHECK dpr_status dpr_pool_get_limit(
	const dpr_device *device, uint64_t *bytes);

/*
 * Called by a thread that cannot get @size bytes on @device, with no lock held,
 * so that the program can release allocations or arrays.  If it returns a value
 * other than 0, the allocation is tried again, a few times at most.
 * Several threads may call it at the same time, including the thread that runs
 * event callbacks.  It may release, trim, submit and allocate.  It is not
 * called from within itself: if memory is short, its own allocations fail.  It
 * must return, and must not call dpr_finalize().
 */
typedef int (*dpr_pool_pressure)(dpr_device *device, size_t size, void *user);

/* Set the callback for @device's root device and its sub-devices; NULL: none.
   A call that is under way in another thread goes on. */
DPR_API DPR_CHECK dpr_status dpr_pool_set_pressure(
	dpr_device *device, dpr_pool_pressure callback, void *user);

/*
 * An allocator of the program's own. dpr_usm_alloc(), dpr_usm_alloc_aligned()
 * and all functions that make arrays call it for memory of its device.
 */
typedef struct dpr_allocator {
	size_t struct_size; /* sizeof(dpr_allocator) */
	void *user; /* passed to both functions */
	/*
	 * Make an allocation of at least @size bytes for @queue, aligned to
	 * @alignment (0: the usual).  It must come from dpr_pool_alloc(),
	 * dpr_pool_try_alloc(), dpr_driver_alloc() or dpr_usm_from_native(),
	 * and *@out must be its only reference.  Otherwise the allocating call
	 * fails with DPR_ERROR_INVALID_ARGUMENT.
	 * For HOST and SHARED it must be of @kind, or the call fails likewise.
	 * If the backend cannot tell the kind of memory from a native handle,
	 * @kind is assumed, and dpr_usm_get_kind() returns it.  For DEVICE,
	 * which the host does not touch, any kind is allowed.
	 * *@token is passed to freed().  After a failure the allocating call
	 * returns the same status and records no text, so dpr_last_error()
	 * keeps what allocate() recorded.  If allocate() calls dpr_usm_alloc(),
	 * that uses the pool.  Called from any thread, with no lock held.
	 */
	dpr_status (*allocate)(void *user, dpr_queue *queue, dpr_usm_kind kind,
		size_t size, size_t alignment, dpr_usm **out, void **token);
	/*
	 * An allocation that allocate() made has been released and is gone.
	 * Called once for each, including those that were refused.  @size is
	 * the size of the allocation.  No work uses its memory any more, unless
	 * it went back to the pool.  Called from any thread, including the
	 * library's own, with no lock held.  It must not wait for queued work
	 * or call dpr_finalize().  May be NULL.
	 */
	void (*freed)(void *user, void *token, size_t size);
} dpr_allocator;

/*
 * Let @allocator, which is copied, make @device's allocations; NULL: the pool
 * makes them again.  Earlier allocations keep their own freed(), so `user` must
 * live until freed() was called for each of them.  A call of allocate() that is
 * under way in another thread goes on.
 * DPR_ERROR_INVALID_ARGUMENT: struct_size or allocate is missing.
 */
DPR_API DPR_CHECK dpr_status dpr_device_set_allocator(
	dpr_device *device, const dpr_allocator *allocator);

/* Allocate as dpr_usm_alloc_aligned(), but without the program's allocator:
   dpr_pool_alloc() from the pool, dpr_driver_alloc() straight from the driver.
   Memory of the latter goes back to the driver when it is no longer used, and
   does not count towards the limit.  The steps when memory is short are the
   same.  @alignment 0: the usual one.
   DPR_ERROR_INTERNAL: the driver's memory does not have the alignment that was
   asked for. */
DPR_API DPR_CHECK dpr_status dpr_pool_alloc(dpr_queue *queue, dpr_usm_kind kind,
	size_t size, size_t alignment, dpr_usm **out);
DPR_API DPR_CHECK dpr_status dpr_driver_alloc(dpr_queue *queue,
	dpr_usm_kind kind, size_t size, size_t alignment, dpr_usm **out);

/* Allocate as dpr_pool_alloc(), with the usual alignment, for callers that can
   do without the memory.  It takes memory of the pool that is free or no longer
   used, or new memory of the driver within the limit.  Of the steps when memory
   is short it takes only the first two: it takes nothing from other devices,
   waits for no work and no other thread, and does not call the pressure
   callback.  Errors as dpr_pool_alloc(). */
DPR_API DPR_CHECK dpr_status dpr_pool_try_alloc(
	dpr_queue *queue, dpr_usm_kind kind, size_t size, dpr_usm **out);

DPR_END_DECLS

#endif
