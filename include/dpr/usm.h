/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usm.h - unified shared memory: allocations, and what can be done with them.
 *
 * An allocation belongs to the queue that it was made on.  Its kind says where
 * the memory is: DEVICE in the device's memory, HOST in host memory that the
 * device can reach, SHARED wherever it is needed.  Where the driver has
 * addresses, kernels and the host (for HOST and SHARED) use the same address.
 * On an OpenCL driver without shared virtual memory an allocation has no
 * address.
 *
 * dpr_usm_copy(), write, read, fill, prefetch and barrier are submissions: each
 * goes to @queue, waits for @after (NULL: nothing), and gives an event if @done
 * is not NULL.  A submission is ordered against earlier work on the same
 * in-order queue, by @after, and against other tracked uses of the same
 * allocations on any queue.  All but dpr_usm_copy() need an allocation of
 * @queue's root device. dpr_usm_copy() takes any two allocations, of any
 * backends, on any queue; it goes through host memory where there is no direct
 * path.
 *
 * A size of 0 is allowed.  Such an operation is dpr_queue_barrier() with
 * @after and @done.  On an in-order queue the order is that of any size.  On an
 * out-of-order queue a size of 0 orders more than a size of 1: later work starts
 * after the barrier, and a barrier whose @after has nothing left to wait for
 * completes after all earlier work.  The operation reads and writes nothing, so
 * the contents of the allocations may be invalid or read-only, and the host
 * memory and the pattern may be NULL.  Other arguments are checked as for any
 * size.
 *
 * A function that takes host memory returns, if @done is NULL, when that memory
 * may be reused.  With @done, the memory must stay valid and untouched until
 * the event completes.
 *
 * Invalid contents.  After a failed submission the contents of the allocations
 * that it was to write are invalid.  To read them, copy them, wait for them or
 * compute with them fails with the status and text of that first failure, every
 * time and in every thread.  What such a call was to write becomes invalid too.
 * New allocations have undefined contents, which are not invalid.
 *
 * Contents become valid again when one submission writes all of the allocation
 * and reads none of it:
 * - dpr_usm_write(), dpr_usm_fill() or dpr_usm_copy() of all its bytes;
 * - a launch with DPR_USM_WRITE_ALL();
 * - an array operation (dpr_copy_into() or any other `_into`) whose output
 *   covers every byte of the allocation and is not also an operand.
 * To write a part, such as a view, does not make the allocation valid.  A
 * launch that takes a plain dpr_usm counts as reading and writing it.
 *
 * If the failed submission has an event, only what it was to write is invalid.
 * If only the queue reports the failure, when the queue is waited for or memory
 * is read, everything is invalid that was written on the queue since its last
 * report, except by submissions whose own event has completed.  A queue made
 * from a native handle is asked for failures only in dpr_queue_wait(), because
 * other code may keep it busy.  Wait for such a queue before other queues use
 * its results.
 *
 * A refused call, be it by the driver or by a check, has submitted nothing.
 * Memory that the call was to change in part stays as it was.  Memory that the
 * call was to replace as a whole may be invalid afterwards.  A copy through
 * host memory, or a fill that the library makes of several submissions, may
 * have begun when it fails.
 *
 * dpr_usm_invalidate() makes contents invalid on purpose.
 */
#ifndef DPR_USM_H
#define DPR_USM_H

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* Where an allocation lives; see the top of this file. */
typedef enum dpr_usm_kind {
	DPR_USM_DEVICE = 1,
	DPR_USM_SHARED = 2,
	DPR_USM_HOST = 3
} dpr_usm_kind;

/* Advice for dpr_usm_advise(). */
typedef enum dpr_usm_advice {
	DPR_ADVICE_NONE = 0, /* withdraws earlier advice */
	DPR_ADVICE_READ_MOSTLY = 1,
	DPR_ADVICE_PREFER_DEVICE = 2,
	DPR_ADVICE_PREFER_HOST = 3
} dpr_usm_advice;

/* Allocate @size bytes of @kind on @queue's device, aligned for every dtype and
   vector.  The contents are undefined.  May wait for queued work; dpr/pool.h
   says what is tried when memory is short.
   DPR_ERROR_INVALID_ARGUMENT: size 0, or an unknown kind.
   DPR_ERROR_UNSUPPORTED: the device does not have this kind.
   DPR_ERROR_DEVICE_LOST: the device is lost.
   DPR_ERROR_OUT_OF_DEVICE_MEMORY: the device's memory or the limit of the pools
   is exhausted; or @size exceeds the device's largest allocation, which the
   text names. */
DPR_API DPR_CHECK dpr_status dpr_usm_alloc(
	dpr_queue *queue, dpr_usm_kind kind, size_t size, dpr_usm **out);

/* Allocate as dpr_usm_alloc(), with an alignment in bytes: a power of two up to
   2 MiB, or 0 for the usual one.  Errors as dpr_usm_alloc(), and
   DPR_ERROR_INVALID_ARGUMENT: any other alignment.
   DPR_ERROR_UNSUPPORTED: allocations have no addresses, and @alignment exceeds
   the device's DPR_INFO_MEM_BASE_ALIGN. */
DPR_API DPR_CHECK dpr_status dpr_usm_alloc_aligned(dpr_queue *queue,
	dpr_usm_kind kind, size_t size, size_t alignment, dpr_usm **out);

/* Add one reference and return @usm.  Never waits or fails. */
DPR_API dpr_usm *dpr_usm_retain(dpr_usm *usm);
/* Release one reference.  Never waits.  The memory goes back to its pool
   (dpr/pool.h).  An in-order queue whose work uses DEVICE memory can reuse it
   at once; others when all uses are done. */
DPR_API void dpr_usm_release(dpr_usm *usm);

/* The requested size in bytes; or, if an allocator of the program (dpr/pool.h)
   made the allocation, the size that it made. 0 for NULL. */
DPR_API size_t dpr_usm_size(const dpr_usm *usm);
/* The kind of @usm; DEVICE for NULL. */
DPR_API dpr_usm_kind dpr_usm_get_kind(const dpr_usm *usm);
/* The queue it was made on; NULL for NULL.  Lent. */
DPR_API dpr_queue *dpr_usm_queue(const dpr_usm *usm);
/* Whether @usm was borrowed with DPR_BORROW_READ_ONLY (dpr/runtime.h); 0 for
   NULL. */
DPR_API int dpr_usm_is_read_only(const dpr_usm *usm);
/* The address; NULL if the allocation has none, and for NULL.  The host may use
   it for HOST and SHARED allocations when no submitted work writes there.  For
   other libraries that run on the device use dpr_usm_native(): it waits until
   queued work of the memory's previous owners is done. */
DPR_API void *dpr_usm_address(const dpr_usm *usm);

/*
 * Wait until all submitted work that writes the allocation is over, on every
 * queue.  The library knows such work by its tracked uses: arrays,
 * DPR_USM_READ_WRITE() and the like, and the operations below.
 * The allocation's own queue is waited for as a whole if only the queue can
 * tell whether the work succeeded.  On other queues with later work, a failure
 * that no event reports may be found only after this call; it then makes the
 * contents invalid.
 * If the contents are invalid, every call fails with the status of the
 * submission that failed (see the top of this file).
 * DPR_ERROR_INVALID_ARGUMENT: NULL.
 * DPR_ERROR_BUSY: in an event's callback.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_wait(const dpr_usm *usm);
/* Wait as dpr_usm_wait(), but for @nanoseconds at most (DPR_FOREVER: no limit;
   0: do not wait).  With a limit, a failure that no event reports may stay
   unknown while a queue has later work.
   DPR_ERROR_TIMEOUT: the work is not done yet.
   DPR_ERROR_BUSY: in an event's callback, unless @nanoseconds is 0. */
DPR_API DPR_CHECK dpr_status dpr_usm_wait_for(
	const dpr_usm *usm, uint64_t nanoseconds);

/* Mark the contents as invalid: reading them fails with @cause and the text
   @why (NULL: a general one), until all of the allocation is written anew.
   This is for code that replaces the contents by several submissions, the first
   with DPR_USM_WRITE_ALL(), and has to stop between them.  Work that was
   submitted before is not affected.  Never waits.
   DPR_ERROR_INVALID_ARGUMENT: @usm is NULL or read-only, so that it could not
   be written anew; @cause is DPR_OK or no value of enum dpr_status. */
DPR_API DPR_CHECK dpr_status dpr_usm_invalidate(
	dpr_usm *usm, dpr_status cause, const char *why);

/*
 * Find the allocation that contains @pointer, and the byte offset of @pointer
 * in it.  The caller gets a reference.  Native handles can make allocations
 * overlap; then the call finds the one that begins last; of several such, the
 * smallest.
 * DPR_ERROR_NOT_FOUND: no allocation of this process contains @pointer.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_find(
	const void *pointer, dpr_usm **out, size_t *offset);

/*
 * Copy @size bytes; within one allocation the ranges must not overlap.
 *
 * Between two devices the path is that of dpr_usm_transfer_plan().  On the
 * paths through host memory (PINNED, PAGEABLE) the calling thread moves the
 * chunks.  It returns when the last byte of the source has been read; the last
 * writes may still be under way.  Work that other threads submit meanwhile may
 * run between chunks.  On the other paths the call does not wait, and work that
 * is submitted later waits for the copy.  After a failure the source is
 * unchanged, the target is undefined, and the text of the call or the event
 * says how far the copy got.
 * DPR_ERROR_INVALID_ARGUMENT: a range lies outside its allocation, or the
 * ranges overlap.
 * DPR_ERROR_UNSUPPORTED: the driver cannot copy between these two allocations
 * of one root device.
 * DPR_ERROR_BUSY: in an event's callback, when the path is through host memory.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_copy(dpr_queue *queue, dpr_usm *to,
	size_t to_offset, const dpr_usm *from, size_t from_offset, size_t size,
	const dpr_events *after, dpr_event **done);

/*
 * dpr_usm_write() copies @size bytes from host memory, dpr_usm_read() to it.
 * Without @done the call waits for the copy and returns its error; with @done
 * it does not wait.
 * Reading without @done also finds out from the queue whether the work that
 * made the contents succeeded.  Reading with @done does not: the bytes are
 * valid only if a later dpr_usm_wait() on the allocation returns DPR_OK, unless
 * events have shown that the work succeeded.
 * Where the driver does not take the host memory as it is, the library moves
 * the bytes in pieces, through HOST memory: without @done in the calling
 * thread, otherwise in a thread of its own.
 * DPR_ERROR_INVALID_ARGUMENT: a range outside the allocation.
 * DPR_ERROR_EXECUTION_PLACEMENT: the allocation and @queue are of different
 * root devices.
 * DPR_ERROR_BUSY: without @done, in an event's callback.
 * DPR_ERROR_OUT_OF_DEVICE_MEMORY, DPR_ERROR_UNSUPPORTED: the driver does not
 * take the host memory, and there is no HOST memory to go through.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_write(dpr_queue *queue, dpr_usm *to,
	size_t to_offset, const void *from, size_t size,
	const dpr_events *after, dpr_event **done);
DPR_API DPR_CHECK dpr_status dpr_usm_read(dpr_queue *queue, void *to,
	const dpr_usm *from, size_t from_offset, size_t size,
	const dpr_events *after, dpr_event **done);

/* Fill @size bytes with a pattern of 1 to 128 bytes; @size must be a multiple
   of @pattern_size.  The pattern is copied before the call returns.  Does not
   wait.
   DPR_ERROR_INVALID_ARGUMENT: a range outside the allocation; a bad pattern
   size, also where @size is 0; or @pattern is NULL and @size is not 0.
   DPR_ERROR_EXECUTION_PLACEMENT: the allocation and @queue are of different
   root devices. */
DPR_API DPR_CHECK dpr_status dpr_usm_fill(dpr_queue *queue, dpr_usm *to,
	size_t to_offset, const void *pattern, size_t pattern_size, size_t size,
	const dpr_events *after, dpr_event **done);

/* Ask the driver to move the range to the device.  Where the backend cannot do
   that, only the ordering takes place.  Does not wait.
   DPR_ERROR_INVALID_ARGUMENT: a range outside the allocation.
   DPR_ERROR_EXECUTION_PLACEMENT: as for dpr_usm_fill(). */
DPR_API DPR_CHECK dpr_status dpr_usm_prefetch(dpr_queue *queue, dpr_usm *usm,
	size_t offset, size_t size, const dpr_events *after, dpr_event **done);

/*
 * The event of the submission that writes @usm last; the caller gets a
 * reference.  On a queue with DPR_QUEUE_PROFILING this is the event of the
 * submission itself, with its name and times, even if it is over.  Elsewhere a
 * submission without @done has no event: this submits a barrier to @usm's queue
 * that completes when all work is over that writes @usm, and on an in-order
 * queue all earlier work.  Does not wait.
 * The barrier's event says when the work is over, not whether it succeeded:
 * dpr_usm_wait() does.
 * If the contents are known to be invalid: the status of the submission that
 * failed.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_event(const dpr_usm *usm, dpr_event **out);

/* Submit a barrier that counts as reading and writing all of @usm.  The barrier
   completes after every tracked use on any queue, and later uses on any queue
   wait for it.  This is for other code that works with the memory on the
   driver's queue behind @queue.  Commands that this code enqueues after the
   call follow dpr's work; its earlier commands precede dpr's work.  It is
   allowed with read-only memory.  Does not wait.
   DPR_ERROR_EXECUTION_PLACEMENT: as for dpr_usm_fill(). */
DPR_API DPR_CHECK dpr_status dpr_usm_barrier(dpr_queue *queue, dpr_usm *usm,
	const dpr_events *after, dpr_event **done);

/* A hint on how the range will be used (enum dpr_usm_advice).  A backend that
   has no such hints ignores it.  It is not ordered with submitted work.  With
   a @size of 0 it does nothing.
   DPR_ERROR_INVALID_ARGUMENT: a range outside the allocation, or unknown
   advice.
   DPR_ERROR_EXECUTION_PLACEMENT: as for dpr_usm_fill(). */
DPR_API DPR_CHECK dpr_status dpr_usm_advise(dpr_queue *queue, dpr_usm *usm,
	size_t offset, size_t size, dpr_usm_advice advice);

/*
 * An allocation, described for another process on the same machine: plain data
 * of a fixed layout, which may be sent through a pipe.  If @fd is not -1 it is
 * a file descriptor, which the program sends along (SCM_RIGHTS over a Unix
 * socket).  The receiver puts the number of its own descriptor into its copy of
 * @fd.
 */
typedef struct dpr_ipc {
	uint32_t version; /* DPR_IPC_VERSION */
	uint32_t type; /* the form of `bytes`, as a number of the backend's */
	int32_t fd; /* a file descriptor that goes with `bytes`; or -1 */
	uint32_t reserved; /* 0 */
	uint64_t size; /* bytes of the allocation */
	uint64_t offset; /* where it begins in the memory that the driver hands
			    over */
	unsigned char bytes[64]; /* the handle, in the driver's form */
	unsigned char uuid[16]; /* of the root device; zeros: not known */
	char backend[40]; /* its name */
	char device[64]; /* the root device's selector, cut if it is longer */
} dpr_ipc;
#define DPR_IPC_VERSION 1u

/*
 * Describe @usm in *@ipc for another process, which makes an allocation of it
 * with dpr_usm_import().  Both then have the same memory.  The other process
 * gets just the bytes of @usm, although the driver may make all of a larger
 * block visible to it.
 * The program keeps @usm until each importer has released its allocation, and
 * closes ipc->fd, if that is not -1. dpr does not order the work of the two
 * processes: each calls dpr_usm_wait() before it tells the other to go on.
 * Waits until queued work of the memory's previous owners is done, as
 * dpr_usm_native() does.
 * DPR_ERROR_UNSUPPORTED: the backend cannot hand over memory
 * (DPR_INFO_ASPECT_IPC_MEMORY is 0), or not this memory.
 * DPR_ERROR_BUSY: it would have to wait, in an event's callback.
 * DPR_ERROR_INVALID_ARGUMENT: NULL.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_export(const dpr_usm *usm, dpr_ipc *ipc);

/*
 * Make an allocation on @queue of the memory that another process described.
 * Does not wait.  The program keeps ipc->fd, and may close it.  Releasing the
 * allocation does not free the exporter's memory.
 * DPR_ERROR_INVALID_ARGUMENT: *@ipc is damaged, or of another version; or it is
 * of another backend or device, which the text names.
 * DPR_ERROR_UNSUPPORTED: the backend cannot take over memory.
 * DPR_ERROR_DEVICE_LOST: the device is lost.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_import(
	dpr_queue *queue, const dpr_ipc *ipc, dpr_usm **out);

/* The path of a copy. */
typedef enum dpr_transfer_path {
	DPR_TRANSFER_NONE =
		0, /* nothing to move: the target device reaches the memory */
	DPR_TRANSFER_SAME_DEVICE = 1, /* the driver's copy within a device */
	DPR_TRANSFER_DIRECT =
		2, /* one driver copies; the other side is host memory for it */
	DPR_TRANSFER_PEER = 3, /* the driver's copy between its devices */
	DPR_TRANSFER_PAGEABLE = 4, /* through ordinary host memory, in chunks */
	DPR_TRANSFER_PINNED = 5 /* through HOST memory of one of the devices, in
				   chunks */
} dpr_transfer_path;

/* What a copy would do, for dpr_usm_transfer_plan() and dpr_transfer_plan(). */
typedef struct dpr_transfer {
	dpr_transfer_path path; /* the way that the bytes take */
	uint32_t reserved; /* 0 */
	uint64_t bytes; /* bytes to move */
	uint64_t staging; /* most bytes of host memory in use on the way */
} dpr_transfer;

/* What a copy of @size bytes of @from to memory of @kind on @target's device
   would do; runs nothing.  The copy takes another path only if a driver then
   refuses what it promised before (a peer copy, HOST memory).  A peer copy that
   has waited for an event of another backend fails instead.
   DPR_ERROR_INVALID_ARGUMENT: @size exceeds @from, or the kind is unknown. */
DPR_API DPR_CHECK dpr_status dpr_usm_transfer_plan(const dpr_usm *from,
	dpr_queue *target, dpr_usm_kind kind, size_t size, dpr_transfer *out);

DPR_END_DECLS

#endif
