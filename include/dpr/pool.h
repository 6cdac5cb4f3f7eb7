/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - where allocations come from: memory pools, their limits and
 * statistics, and allocators of one's own.
 *
 * Each device has a pool for each kind of memory.  Memory that is released goes
 * back to its pool and serves later allocations: at once for the queue whose
 * work uses it, if that queue is in order and the kind is DEVICE; for all
 * others when the work is known to be complete.  Pools take memory from the
 * driver in slabs, and give it back when they are trimmed, when the device runs
 * out of memory, and in dpr_finalize().
 *
 * When there is no memory, an allocation goes through these steps, and stops at
 * the first that helps: take back what has been released and is no longer used;
 * give unused slabs of the device, of all kinds and of its parts, back to the
 * driver and ask again; if it was the driver that refused, give those of other
 * devices back whose memory is the same, which is the host's memory or that of
 * the same physical device in another backend; wait for the work that uses what
 * was released (not on the thread that runs event callbacks), and for slabs
 * that other threads are just giving back or getting; ask the program, through
 * its pressure callback; fail with DPR_ERROR_OUT_OF_DEVICE_MEMORY (or
 * DPR_ERROR_OUT_OF_MEMORY, if the driver says that it is the host's) and a text
 * that tells what there is and who holds it.
 */
#ifndef DPR_POOL_H
#define DPR_POOL_H

#include <dpr/base.h>
#include <dpr/status.h>
#include <dpr/usm.h>

DPR_BEGIN_DECLS

/* What a pool has and has done.  It grows at its end only. */
typedef struct dpr_pool_stats {
	size_t struct_size; /* set by the caller: sizeof(dpr_pool_stats) */
	/* Bytes.  held is what came from the driver and has not gone back; it
	   is the sum of the other three. */
	uint64_t held;
	uint64_t used; /* by allocations, rounded up to blocks */
	uint64_t pending; /* released, but used by work not known complete */
	uint64_t free;
	uint64_t largest_free; /* the largest block in `free` */
	uint64_t peak_held, peak_used;
	uint64_t slabs; /* pieces of the driver's memory */
	uint64_t blocks; /* that are in use or pending in use */
	uint64_t requests; /* allocations that were made */
	uint64_t hits; /* of these, in slabs that were there already */
	uint64_t driver_allocations, driver_frees;
	/* Of the root device with all its pools. */
	uint64_t device_held, device_peak_held;
	uint64_t limit; /* bytes; 0: none */
} dpr_pool_stats;

/*
 * The state of @device's pool of @kind; of the device itself, not of its parts.
 * Does not wait and asks no driver: `pending` is as of the last look, and may
 * have in it what work has finished with since.  The library looks when an
 * allocation finds nothing, when a queue is waited for, and in dpr_pool_trim(),
 * which with UINT64_MAX bytes to keep does only that.
 * DPR_ERROR_INVALID_ARGUMENT: an unknown kind, or struct_size is not set.
 */
DPR_API DPR_CHECK dpr_status dpr_pool_get_stats(
	dpr_device *device, dpr_usm_kind kind, dpr_pool_stats *out);

/*
 * Give unused slabs back to the driver, but stop where less than @keep bytes
 * would be held.  Of a root device the pools of its parts are trimmed too, and
 * the memory that copies keep for the next one goes first.  Does not wait for
 * queued work.  @freed, which may be NULL, gets the bytes that went.  Fails
 * only as dpr/base.h says for all.
 */
DPR_API DPR_CHECK dpr_status dpr_pool_trim(
	dpr_device *device, uint64_t keep, uint64_t *freed);

/*
 * Bound what the pools of @device's root device hold together, in bytes; 0: no
 * bound.  What they hold already stays.  At first it is what DPR_POOL_LIMIT
 * says; a percentage there is no bound for a device whose driver does not tell
 * how much memory it has, and a warning in the log.  Neither waits; they fail
 * only as dpr/base.h says for all.
 */
DPR_API DPR_CHECK dpr_status dpr_pool_set_limit(
	dpr_device *device, uint64_t bytes);
DPR_API DPR_CHECK dpr_status dpr_pool_get_limit(
	dpr_device *device, uint64_t *bytes);

/*
 * Called by a thread that needs @size bytes of @device and does not get them,
 * with no lock held: to release allocations or arrays, which it tells by a
 * result that is not 0; then the allocation tries again, some times at most.
 * It may be called by several threads at once, also by that which runs event
 * callbacks, and may release, trim, submit and allocate.  When an allocation
 * that it makes itself lacks memory, that one fails: it is not called from
 * within itself.  It has to return, and must not call dpr_finalize().
 */
typedef int (*dpr_pool_pressure)(dpr_device *device, size_t size, void *user);

/* For @device's root device and its parts; NULL: none.  A call that is under
   way in another thread goes on.  Fails only as dpr/base.h says for all. */
DPR_API DPR_CHECK dpr_status dpr_pool_set_pressure(
	dpr_device *device, dpr_pool_pressure callback, void *user);

/*
 * An allocator of the program's own.  dpr_usm_alloc(), dpr_usm_alloc_aligned()
 * and all functions that make arrays ask it for memory of its device.
 */
typedef struct dpr_allocator {
	size_t struct_size; /* sizeof(dpr_allocator) */
	void *user;
	/*
	 * A new allocation of at least @size bytes for @queue, aligned
	 * to @alignment (0: the usual), which nobody else has a reference to:
	 * from dpr_pool_alloc(), dpr_pool_try_alloc(), dpr_driver_alloc() or
	 * dpr_usm_from_native().  Anything else is DPR_ERROR_INVALID_ARGUMENT
	 * of who allocates.  HOST and SHARED memory must be of @kind: else,
	 * where the backend tells of which kind memory from a native handle is,
	 * that is the error too; where it does not, @kind is believed, and
	 * dpr_usm_get_kind() says it.  For DEVICE, which the host does not
	 * touch, any kind will do.
	 * *token is kept for freed().  The status of a failure is handed on,
	 * and the caller has recorded no text: what dpr_last_error() says
	 * stays.  dpr_usm_alloc() called in here asks the pool.  Called from
	 * any thread, with no lock held.
	 */
	dpr_status (*allocate)(void *user, dpr_queue *queue, dpr_usm_kind kind,
		size_t size, size_t alignment, dpr_usm **out, void **token);
	/*
	 * An allocation of allocate() has been released and is gone: once for
	 * each, also for one that was refused.  @size is the
	 * allocation's.  No work uses its memory any more, unless it is the
	 * pool's, which has it back.  Called from any thread, also of the
	 * library's own, with no lock held; it must not wait for queued work
	 * nor call dpr_finalize().  May be NULL.
	 */
	void (*freed)(void *user, void *token, size_t size);
} dpr_allocator;

/*
 * Have @device's allocations made by @allocator, whose table is copied; NULL:
 * by the pool again.  What was allocated before keeps its own freed(), so that
 * `user` has to live until that was called for each; and a call of allocate()
 * that is under way in another thread goes on.
 * DPR_ERROR_INVALID_ARGUMENT: struct_size or allocate is missing.
 */
DPR_API DPR_CHECK dpr_status dpr_device_set_allocator(
	dpr_device *device, const dpr_allocator *allocator);

/* Memory as from dpr_usm_alloc_aligned(), whatever the allocator: from the
   pool, and straight from the driver, which has it back when it is used no
   more; the limit does not count that.  The steps for a lack of memory are the
   same.  alignment 0: the usual one.  DPR_ERROR_INTERNAL: the driver's memory
   is not aligned as it was asked for. */
DPR_API DPR_CHECK dpr_status dpr_pool_alloc(dpr_queue *queue, dpr_usm_kind kind,
	size_t size, size_t alignment, dpr_usm **out);
DPR_API DPR_CHECK dpr_status dpr_driver_alloc(dpr_queue *queue,
	dpr_usm_kind kind, size_t size, size_t alignment, dpr_usm **out);

/* Memory as from dpr_pool_alloc(), with the usual alignment, for who can do
   without: what is free or idle, or the driver's within the limit.  Of the
   steps for a lack of memory it takes the first two: it leaves other devices
   what they have, waits for no work and for no other thread, and does not call
   the pressure callback.  Errors as dpr_pool_alloc(). */
DPR_API DPR_CHECK dpr_status dpr_pool_try_alloc(
	dpr_queue *queue, dpr_usm_kind kind, size_t size, dpr_usm **out);

DPR_END_DECLS

#endif
