/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - where work runs.
 *
 * Work that is submitted to an in-order queue runs in the order of submission.
 * On an out-of-order queue only events, barriers and the tracked use of arrays
 * order it, though a backend may still run it in order.  Threads that submit to
 * one queue at the same time get some serial order.
 */
#ifndef DPR_QUEUE_H
#define DPR_QUEUE_H

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* Flags of dpr_queue_create(), to be ORed. */
typedef enum dpr_queue_flags {
	DPR_QUEUE_IN_ORDER = 0,
	DPR_QUEUE_OUT_OF_ORDER = 1,
	DPR_QUEUE_PROFILING = 2, /* events have times; every submission has an
				    event, which takes time */
	DPR_QUEUE_PRIORITY_LOW = 4,
	DPR_QUEUE_PRIORITY_HIGH = 8
} dpr_queue_flags;

/*
 * Make a queue on @device.  Each call makes a new queue; arrays on it are not
 * on the device's canonical queue.  Calls the driver; waits for no work.
 * DPR_ERROR_INVALID_ARGUMENT: an unknown flag, or both priorities.
 * DPR_ERROR_UNSUPPORTED: the backend has no profiling or no priorities.
 * DPR_ERROR_DEVICE_LOST: the device is lost.
 * Other failures are the driver's.
 */
DPR_API DPR_CHECK dpr_status dpr_queue_create(
	dpr_device *device, uint32_t flags, dpr_queue **out);

/*
 * The canonical queue of the device that @selector finds (NULL: the default
 * device).  Lent.  May block while drivers start.  Errors as
 * dpr_device_select() and dpr_device_queue().
 */
DPR_API DPR_CHECK dpr_status dpr_canonical_queue(
	const char *selector, dpr_queue **out);

/* Add one reference and return @queue.  Does nothing on a canonical queue. */
DPR_API dpr_queue *dpr_queue_retain(dpr_queue *queue);
/*
 * Release one reference.  Never waits: submitted work still runs to its end,
 * and its events stay valid.
 */
DPR_API void dpr_queue_release(dpr_queue *queue);

/* The queue's device, which outlives the queue; NULL for NULL. */
DPR_API dpr_device *dpr_queue_device(const dpr_queue *queue);
/* The queue's flags: those asked for, without OUT_OF_ORDER if the backend made
   an in-order queue.  For a queue from dpr_queue_from_native(): OUT_OF_ORDER
   and PROFILING, as its handle has them. 0 for NULL. */
DPR_API uint32_t dpr_queue_get_flags(const dpr_queue *queue);
/* Whether @queue is the canonical queue of its device. */
DPR_API int dpr_queue_is_canonical(const dpr_queue *queue);
/* A name for messages: "opencl:cpu:0 (canonical)", "cuda:gpu:0 (queue 3)".
   Lent as long as the queue; "no queue" for NULL. */
DPR_API const char *dpr_queue_name(const dpr_queue *queue);

/* Hand submitted work to the device now.  Does not wait for the work.  Fails
   only if the driver does; the text has its message. */
DPR_API DPR_CHECK dpr_status dpr_queue_flush(dpr_queue *queue);

/*
 * Wait until everything that was submitted to @queue before the call is done.
 * Returns the first asynchronous error since the last wait, even if an event
 * has reported it already.  The text names the failed operation.  If it is not
 * known, the text names all operations that may have failed.  Work that is
 * submitted afterwards runs normally.
 * DPR_ERROR_BUSY: in an event's callback.
 */
DPR_API DPR_CHECK dpr_status dpr_queue_wait(dpr_queue *queue);

/*
 * Wait as dpr_queue_wait(), but for @nanoseconds at most (DPR_FOREVER: no
 * limit; 0: do not wait).  A failure that no event reports is returned by the
 * first call that finds no later work on the queue.  If the program has the
 * queue's native handle, only dpr_queue_wait() returns it.
 * DPR_ERROR_TIMEOUT: the work is not done yet; a later call still reports its
 * failures.
 * DPR_ERROR_BUSY: in an event's callback, unless @nanoseconds is 0.
 */
DPR_API DPR_CHECK dpr_status dpr_queue_wait_for(
	dpr_queue *queue, uint64_t nanoseconds);

/*
 * Submit a barrier.  It completes when @after has completed.  If @after has
 * nothing left to wait for (NULL, empty, or complete by now), it completes when
 * everything submitted to @queue so far has.  Work that is submitted later
 * starts after it, on an out-of-order queue too.  Does not wait.  @done may be
 * NULL; otherwise the caller gets a reference.  The barrier fails if an event
 * of @after fails, and may fail if earlier work fails.
 */
DPR_API DPR_CHECK dpr_status dpr_queue_barrier(
	dpr_queue *queue, const dpr_events *after, dpr_event **done);

DPR_END_DECLS

#endif
