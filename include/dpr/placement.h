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
/* Get @x on @queue, as dpr_array_to_device() does on a canonical queue. */
DPR_API DPR_CHECK dpr_status dpr_array_to_queue(
	const dpr_array *x, dpr_queue *queue, dpr_array **out);

/*
 * Assign across queues and devices, the target first, as in dpr_copy_into():
 * view[...] = value, cast to the view's dtype and broadcast to its shape.
 * @value may be on another queue or device than @view.  The work is ordered
 * after all earlier work on either array, and later work after this.
 *
 * The elements go the first of these ways that fits:
 * - One root device whose kernels reach both arrays: a kernel or a copy of the
 *   driver's.  Takes no memory unless the two overlap.
 * - @value has another dtype or shape: it is moved as by dpr_array_to_queue(),
 *   and the elements are then cast and broadcast on @view's queue.
 * - The elements are contiguous in both arrays, or make a few such runs, or long
 *   ones: each run is a dpr_usm_copy(), and nothing takes memory.
 * - Both arrays are in memory that the host uses: the calling thread copies, and
 *   takes no memory.  This always waits for earlier work on both.
 * - Otherwise an array that is not contiguous has its elements packed into, or
 *   unpacked from, a new array in DEVICE memory of its device.  If that device
 *   runs no kernels or has no memory, each run is copied alone.
 *
 * The other ways wait as dpr_usm_alloc() and dpr_usm_copy() do.  Between root
 * devices they also wait for the copy if @value is HOST or SHARED memory.
 *
 * Errors as dpr_array_to_queue(), and
 * DPR_ERROR_INVALID_ARGUMENT: @view or @value is NULL, or @view is read-only.
 * DPR_ERROR_SHAPE: @value does not broadcast to @view's shape.
 * DPR_ERROR_DTYPE: a complex value into a real view.
 * DPR_ERROR_LAYOUT: elements of @view share memory.
 * If it fails between runs, the contents of @view's allocation are invalid
 * (dpr/usm.h).
 */
DPR_API DPR_CHECK dpr_status dpr_array_copy_to(
	dpr_array *view, const dpr_array *value);

/* What dpr_array_to_device() would do; runs nothing.  It builds no kernel, so
   it does not foresee a failure to build the library's kernels on the device of
   a view.  Errors as dpr_device_queue(). */
DPR_API DPR_CHECK dpr_status dpr_transfer_plan(
	const dpr_array *x, dpr_device *device, dpr_transfer *out);

DPR_END_DECLS

#endif
