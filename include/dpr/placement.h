/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - compute follows data: an operation runs on the queue that its
 * arrays share, and moving data is said in words.
 */
#ifndef DPR_PLACEMENT_H
#define DPR_PLACEMENT_H

#include <dpr/array.h>

DPR_BEGIN_DECLS

/*
 * The queue that all of @arrays are on.  Lent.
 * DPR_ERROR_EXECUTION_PLACEMENT: different devices, one device through
 * different queues, or different sub-devices; the text names each array, its
 * device and queue, and the call that would fix it.
 * DPR_ERROR_INVALID_ARGUMENT: no arrays, or one is NULL.
 */
DPR_API DPR_CHECK dpr_status dpr_execution_queue(
	const dpr_array *const *arrays, size_t count, dpr_queue **out);

/*
 * @x on @device's canonical queue: itself with one more reference if it is
 * there; a view of the same memory, ordered after the work queued so far, if
 * the target is the same root device, its parent or a sub-device and reaches
 * the memory; else a C-contiguous copy of exactly the view's elements in DEVICE
 * memory.  Returns when nothing that is done to the source afterwards reaches
 * the copy; writes into the result may still be under way, ordered on its
 * queue.  A view that is not C-contiguous is packed by a kernel of its device
 * first, into DEVICE memory there; if that device runs no kernels or has no
 * memory at once, as dpr_pool_try_alloc() has it, it goes through host memory
 * piece by piece.  The caller gets a reference.  Errors as dpr_usm_alloc() and
 * dpr_usm_copy(), which wait where their headers say so; of a copy that has
 * gone through host memory, or of which the source is HOST or SHARED memory,
 * those of a wait for the source's queue, too, if that has nothing else to do.
 * Otherwise, what failed without an event while it made the elements is told by
 * the source's queue.
 */
DPR_API DPR_CHECK dpr_status dpr_array_to_device(
	const dpr_array *x, dpr_device *device, dpr_array **out);
/* The same for a given queue. */
DPR_API DPR_CHECK dpr_status dpr_array_to_queue(
	const dpr_array *x, dpr_queue *queue, dpr_array **out);

/* What dpr_array_to_device() would do; runs nothing, and builds no kernel: that
   a view's device does not build ours is not foreseen.  Errors as
   dpr_device_queue(). */
DPR_API DPR_CHECK dpr_status dpr_transfer_plan(
	const dpr_array *x, dpr_device *device, dpr_transfer *out);

DPR_END_DECLS

#endif
