/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usm.h - unified shared memory: allocations, and what can be done with them.
 *
 * An allocation belongs to the queue that it was made on.  Its kind says where
 * it lives: DEVICE in the device's memory, HOST in the host's memory where the
 * device can reach it, SHARED wherever it is needed.  Where the driver has
 * addresses, kernels and the host (HOST and SHARED) use the same one; on an
 * OpenCL without shared virtual memory an allocation has none.
 *
 * Every operation below is a submission: it goes to @queue, waits for @after
 * (NULL: nothing), and gives an event if @done is not NULL.  These functions
 * move bytes that the caller orders: they are ordered against earlier work on
 * the same in-order queue and by @after, and against other tracked uses of the
 * same allocations on other queues.  All but dpr_usm_copy() want an allocation
 * of @queue's root device; that one takes any two, of any backends, on any
 * queue, and goes through host memory where there is no direct path.
 *
 * Functions that take host memory return when it may be reused if @done is
 * NULL; with @done it must stay valid and untouched until the event completes.
 *
 * A submission that fails spoils the contents of the allocations that it was to
 * write.  To read, copy, wait for or compute with spoiled contents fails with
 * the status and text of that first failure, every time and in every thread;
 * and what such a call was to write is spoiled, too.  The contents are valid
 * again once one submission has written all of the allocation and read none of
 * it: dpr_usm_write(), dpr_usm_fill() or dpr_usm_copy() from byte 0 to the end,
 * a launch with DPR_USM_WRITE_ALL(), or an array operation (dpr_copy_into(),
 * any other `_into`) whose output array has every byte of the allocation and is
 * not an operand, too.  An array that is a part of an allocation, a view, does
 * not make the rest valid: it may be written, but the allocation stays spoiled.
 *
 * Which submission failed is known exactly if it has an event.  If only the
 * queue tells, when it is waited for or memory is read, all that was written on
 * it since it told last is spoiled, except by submissions whose own event has
 * completed.  A queue that was made of a native handle is never asked but by
 * dpr_queue_wait(), for other code may keep it busy: wait for it before what
 * it wrote is used on other queues.  A launch that takes a plain dpr_usm counts
 * as one that may write it.  A call that fails has submitted nothing: what it
 * was to write is as it was, unless it was to replace all of it; then that is
 * spoiled.  Memory that is allocated anew is never spoiled.
 */
#ifndef DPR_USM_H
#define DPR_USM_H

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* Where an allocation lives; as the head of this file says. */
typedef enum dpr_usm_kind {
	DPR_USM_DEVICE = 1,
	DPR_USM_SHARED = 2,
	DPR_USM_HOST = 3
} dpr_usm_kind;

/* Advice for dpr_usm_advise(). */
enum dpr_usm_advice {
	DPR_ADVICE_NONE = 0, /* takes back what was said before */
	DPR_ADVICE_READ_MOSTLY = 1,
	DPR_ADVICE_PREFER_DEVICE = 2,
	DPR_ADVICE_PREFER_HOST = 3
};

/* Memory of @size bytes of @kind on @queue's device, aligned for every dtype
   and vector.  Its contents are undefined.
   DPR_ERROR_INVALID_ARGUMENT: size 0, or an unknown kind.
   DPR_ERROR_UNSUPPORTED: the device has no such kind.
   DPR_ERROR_DEVICE_LOST: the device is lost.
   DPR_ERROR_OUT_OF_DEVICE_MEMORY: also when @size is over the device's largest
   allocation, which the text names, or the limit of the pools is reached.  What
   is done before that is in dpr/pool.h; it may wait for queued work. */
DPR_API DPR_CHECK dpr_status dpr_usm_alloc(
	dpr_queue *queue, dpr_usm_kind kind, size_t size, dpr_usm **out);

/* The same with an alignment in bytes, a power of two up to 2 MiB; 0: the usual
   one.  Errors as dpr_usm_alloc(), and
   DPR_ERROR_INVALID_ARGUMENT: also for any other alignment.
   DPR_ERROR_UNSUPPORTED: also where allocations have no addresses, for more
   than the device's DPR_INFO_MEM_BASE_ALIGN. */
DPR_API DPR_CHECK dpr_status dpr_usm_alloc_aligned(dpr_queue *queue,
	dpr_usm_kind kind, size_t size, size_t alignment, dpr_usm **out);

/* Add one reference and return @usm.  Never waits or fails. */
DPR_API dpr_usm *dpr_usm_retain(dpr_usm *usm);
/* Release one reference.  Never waits.  The memory goes back to its pool
   (dpr/pool.h): for later work of an in-order queue that uses it at once, else
   when that work is done. */
DPR_API void dpr_usm_release(dpr_usm *usm);

/* Its size in bytes, as it was asked for, or as an allocator of the program's
   (dpr/pool.h) made it; 0 for NULL. */
DPR_API size_t dpr_usm_size(const dpr_usm *usm);
/* Its kind; 0 for NULL. */
DPR_API dpr_usm_kind dpr_usm_get_kind(const dpr_usm *usm);
/* The queue it was made on; NULL for NULL.  Lent. */
DPR_API dpr_queue *dpr_usm_queue(const dpr_usm *usm);
/* Its address; NULL if it has none, and for NULL.  The host may use it for HOST
   and SHARED allocations when no submitted work writes there.  For other
   libraries that run on the device take dpr_usm_native(), which waits for what
   queued work of who had the memory before still does there. */
DPR_API void *dpr_usm_address(const dpr_usm *usm);

/*
 * Wait until the work that was submitted to write the allocation is over, by
 * the tracked uses (an array, DPR_USM_READ_WRITE() and the like, and the
 * operations below), on whatever queue.  The allocation's own queue is waited
 * for as a whole where only that tells whether the work succeeded; of other
 * queues that have later work a failure of which no event tells may be found
 * out afterwards, which then spoils the contents.
 * A failure is that of the submission which spoiled the contents, as the head
 * of this file says, on every call.  DPR_ERROR_INVALID_ARGUMENT: NULL.
 * DPR_ERROR_BUSY: in an event's callback.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_wait(dpr_usm *usm);
/* The same with a limit in nanoseconds (DPR_FOREVER: none; 0: only look, which
   an event's callback may).  DPR_ERROR_TIMEOUT: the work is not done yet.  With
   a limit, a failure of which no event tells may stay unknown while a queue has
   later work. */
DPR_API DPR_CHECK dpr_status dpr_usm_wait_for(dpr_usm *usm, uint64_t timeout);

/* Say that the contents are not valid: what reads them fails with @cause and
   the text @why (NULL: a general one), until all of the allocation is written
   anew. For code that replaces contents by several submissions, of which the
   first has DPR_USM_WRITE_ALL(), and that has to stop between them.  Work that
   was submitted before is not concerned.  Never waits.
   DPR_ERROR_INVALID_ARGUMENT: NULL for the allocation, or DPR_OK for the
   cause. */
DPR_API DPR_CHECK dpr_status dpr_usm_invalidate(
	dpr_usm *usm, dpr_status cause, const char *why);

/*
 * The allocation that holds @pointer, and how far into it that is.  The
 * caller gets a reference.  Of several, which native handles make possible, the
 * innermost: that begins last, and of these the smallest.  DPR_ERROR_NOT_FOUND:
 * no allocation of this process does.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_find(
	const void *pointer, dpr_usm **out, size_t *offset);

/*
 * Copy @size bytes; within one allocation the ranges must not overlap.
 *
 * Between two devices it goes as dpr_usm_transfer_plan() says.  By way of host
 * memory (PINNED, PAGEABLE) the calling thread moves the chunks: it returns
 * when the last byte of the source has been read, the last writes may be under
 * way, and work that other threads submit meanwhile may come between chunks.
 * On the other paths it does not wait, and what is submitted later waits for
 * the copy.  After a failure the source is as it was, the target is undefined,
 * and the text (of the call or of the event) says how far the copy came.
 * DPR_ERROR_INVALID_ARGUMENT: size 0, a range lies outside its allocation, or
 * they overlap.  DPR_ERROR_UNSUPPORTED: the driver has no copy between these
 * two of one root device.  DPR_ERROR_BUSY: in an event's callback, by way of
 * host memory.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_copy(dpr_queue *queue, dpr_usm *to,
	size_t to_offset, dpr_usm *from, size_t from_offset, size_t size,
	const dpr_events *after, dpr_event **done);

/*
 * Copy @size bytes from host memory, and to host memory.  Without @done they
 * wait for the copy and return its error; with it they do not wait.  Reading
 * without @done also asks the queue whether what made the contents succeeded.
 * With it, the bytes are only valid if a later dpr_usm_wait() on the allocation
 * returns DPR_OK, unless that is known from events.
 * DPR_ERROR_INVALID_ARGUMENT: size 0, or a range outside the allocation.
 * DPR_ERROR_EXECUTION_PLACEMENT: the allocation is another root device's than
 * @queue.  DPR_ERROR_BUSY: without @done, in an event's callback.
 */
DPR_API DPR_CHECK dpr_status dpr_usm_write(dpr_queue *queue, dpr_usm *to,
	size_t to_offset, const void *from, size_t size,
	const dpr_events *after, dpr_event **done);
DPR_API DPR_CHECK dpr_status dpr_usm_read(dpr_queue *queue, void *to,
	dpr_usm *from, size_t from_offset, size_t size, const dpr_events *after,
	dpr_event **done);

/* Fill @size bytes with a pattern of 1 to 128 bytes; size must be a multiple of
   the pattern's.  The pattern is copied at once.  Does not wait.
   DPR_ERROR_INVALID_ARGUMENT: size 0, a range outside the allocation, or a bad
   length of the pattern.  DPR_ERROR_EXECUTION_PLACEMENT: the allocation is
   another root device's than @queue. */
DPR_API DPR_CHECK dpr_status dpr_usm_fill(dpr_queue *queue, dpr_usm *to,
	size_t offset, size_t size, const void *pattern, size_t pattern_size,
	const dpr_events *after, dpr_event **done);

/* Ask that the range be brought to the device.  Where the backend has nothing
   like it, only the ordering happens.  Does not wait.
   DPR_ERROR_INVALID_ARGUMENT: size 0, or a range outside the allocation.
   DPR_ERROR_EXECUTION_PLACEMENT: as for dpr_usm_fill(). */
DPR_API DPR_CHECK dpr_status dpr_usm_prefetch(dpr_queue *queue, dpr_usm *usm,
	size_t offset, size_t size, const dpr_events *after, dpr_event **done);

/* A hint on how the range will be used (enum dpr_usm_advice); a backend
   that has nothing like it ignores it.  Not ordered with submitted work.
   DPR_ERROR_INVALID_ARGUMENT: size 0, a range outside the allocation, or
   unknown advice.  DPR_ERROR_EXECUTION_PLACEMENT: as for dpr_usm_fill(). */
DPR_API DPR_CHECK dpr_status dpr_usm_advise(dpr_queue *queue, dpr_usm *usm,
	size_t offset, size_t size, enum dpr_usm_advice advice);

/* How a copy goes. */
enum dpr_transfer_path {
	DPR_TRANSFER_NONE =
		0, /* nothing to move: the target reaches the memory */
	DPR_TRANSFER_SAME_DEVICE = 1, /* the driver's copy within a device */
	DPR_TRANSFER_DIRECT =
		2, /* one side's memory is the other's host memory */
	DPR_TRANSFER_PEER = 3, /* the driver's copy between its devices */
	DPR_TRANSFER_PAGEABLE = 4, /* through ordinary host memory, in chunks */
	DPR_TRANSFER_PINNED = 5 /* through HOST memory of either, in chunks */
};

/* What a copy would do, for dpr_usm_transfer_plan() and dpr_transfer_plan(). */
typedef struct dpr_transfer {
	enum dpr_transfer_path path;
	uint32_t reserved;
	uint64_t bytes; /* bytes to move */
	uint64_t staging; /* host memory that is used on the way, bytes, at
			     most */
} dpr_transfer;

/* What a copy of @size bytes of @from to memory of @kind on @target's device
   would do; runs nothing.  Only when a driver refuses then what it has said
   before (a peer copy, HOST memory) does the copy go another way; a peer copy
   that has waited for an event of another backend fails.
   DPR_ERROR_INVALID_ARGUMENT: more bytes than @from has, or no such kind. */
DPR_API DPR_CHECK dpr_status dpr_usm_transfer_plan(const dpr_usm *from,
	size_t size, dpr_queue *target, dpr_usm_kind kind, dpr_transfer *out);

DPR_END_DECLS

#endif
