/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - compute follows data: an operation runs on the queue that its
 * arrays share, and data moves only by an explicit call.
 */
#ifndef DPR_PLACEMENT_H
#define DPR_PLACEMENT_H

#include <dpr/array.h>

DPR_BEGIN_DECLS

/*
 * Get the queue that all of @arrays are on.  Lent.
 * DPR_ERROR_EXECUTION_PLACEMENT: the arrays are on different devices, different
 * queues of one device, or different sub-devices.  The text names each array
 * with its device and queue, and the call that would fix it.
 * DPR_ERROR_INVALID_ARGUMENT: no arrays, or one is NULL.
 */
DPR_API DPR_CHECK dpr_status dpr_execution_queue(
	const dpr_array *const *arrays, size_t count, dpr_queue **out);

/*
 * Get @x on @device's canonical queue.  The caller gets a reference to
 * - @x itself, if it is there already;
 * - a view of the same memory, ordered after the work queued so far, if @device
 *   is the same root device, its parent or a sub-device, and reaches the
 *   memory;
 * - otherwise a C-contiguous copy of @x's elements, in DEVICE memory.
 *
 * Once the call has returned, changes to the source do not reach the copy.
 * Writes into the copy may still be under way, ordered on its queue.  A view
 * that is not C-contiguous is first packed by a kernel of its device, into
 * DEVICE memory there.  If that device runs no kernels, or dpr_pool_try_alloc()
 * finds no memory, the view goes through host memory piece by piece.
 *
 * Errors, and when it waits: as dpr_usm_alloc() and dpr_usm_copy().  If the
 * copy went through host memory, or the source is HOST or SHARED memory, the
 * call also returns errors of the source's queue, provided that queue has no
 * other work.  Otherwise, if the work that made the elements has no event, only
 * the source's queue reports its failure.
 */
DPR_API DPR_CHECK dpr_status dpr_array_to_device(
	const dpr_array *x, dpr_device *device, dpr_array **out);
/* The same for a given queue. */
DPR_API DPR_CHECK dpr_status dpr_array_to_queue(
	const dpr_array *x, dpr_queue *queue, dpr_array **out);

/* What dpr_array_to_device() would do; runs nothing.  It builds no kernel, so
   it does not foresee a failure to build the library's kernels on the device of
   a view.  Errors as dpr_device_queue(). */
DPR_API DPR_CHECK dpr_status dpr_transfer_plan(
	const dpr_array *x, dpr_device *device, dpr_transfer *out);

DPR_END_DECLS

#endif
