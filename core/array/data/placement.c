/* SPDX-License-Identifier: Apache-2.0 */
/* placement.c - moves arrays between queues and devices. */
#include <dpr/placement.h>

#include <string.h>

#include <dpr/creation.h>
#include <dpr/device.h>
#include <dpr/event.h>
#include <dpr/queue.h>

#include "core/array/data/copy.h"
#include "core/array/data/host_memory.h"
#include "core/array/data/runs.h"
#include "core/array/data/strided.h"
#include "core/array/launch/cast.h"
#include "core/array/launch/cast_copy_fill.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The bytes of all elements, but at most the size of the allocation: a
   broadcast view can be larger than its allocation. */
static size_t memory_bytes(const dpr_array *x)
{
	size_t bytes = dpr_array_nbytes(x), size = dpr_usm_size(x->usm);

	return bytes < size ? bytes : size;
}

/* Whether work on @queue can use the memory of @x.  Devices with different root
   devices have different contexts, and cannot.  Otherwise the backend
   decides. */
static bool queue_reaches(const dpr_array *x, dpr_queue *queue)
{
	dpr_device *home = dpr_queue_device(x->queue);
	dpr_transfer plan;

	if (x->queue == queue)
		return true;
	if (dpr_device_root(home) != dpr_device_root(dpr_queue_device(queue)))
		return false;
	if (!x->usm)
		return true;
	return dpr_usm_transfer_plan(x->usm, queue, x->kind, memory_bytes(x),
				     &plan) == DPR_OK &&
	       (plan.path == DPR_TRANSFER_NONE ||
		plan.path == DPR_TRANSFER_SAME_DEVICE);
}

/* Let @queue wait for all work queued so far on the queue of @x. */
static dpr_status order_after(const dpr_array *x, dpr_queue *queue)
{
	dpr_event *event;
	dpr_status status;

	if (!x->usm)
		return DPR_OK;
	status = dpr_queue_barrier(x->queue, NULL, &event);
	if (status)
		return status;
	status = dpr_queue_barrier(queue, DPR_AFTER(event), NULL);
	dpr_event_release(event);
	return status;
}

static dpr_status move_view(const dpr_array *x, dpr_queue *queue,
			    dpr_array **out)
{
	dpr_status status;

	status = order_after(x, queue);
	if (status)
		return status;
	return array_make(x->dtype, x->rank, array_shape(x), array_strides(x),
			  x->offset, x->usm, queue, x->kind, out);
}

/* Copy @n elements between two allocations: from place @first of @from to place
   @to_first of @to.  @wait: wait for the copy. */
static dpr_status copy_run(const dpr_array *to, int64_t to_first,
			   const dpr_array *from, int64_t first, int64_t n,
			   bool wait)
{
	const size_t item = dpr_dtype_size(to->dtype);
	dpr_event *done = NULL;
	dpr_status status;

	status = dpr_usm_copy(to->queue, to->usm, (size_t)to_first * item,
			      from->usm, (size_t)first * item, (size_t)n * item,
			      NULL, wait ? &done : NULL);
	if (!status && done)
		status = dpr_event_wait(done);
	dpr_event_release(done);
	return status;
}

/* Whether a copy of elements of @x must be waited for: the host may write to
   HOST and SHARED memory as soon as the call returns. */
static bool needs_wait(const dpr_array *x)
{
	return x->kind != DPR_USM_DEVICE;
}

/* Copy @packed, which has the elements of @x, into @moved.  Both are
   contiguous. */
static dpr_status copy_packed(const dpr_array *x, const dpr_array *packed,
			      const dpr_array *moved)
{
	return copy_run(moved, moved->offset, packed, packed->offset, x->size,
			needs_wait(x));
}

/* Set *@waited to whether a copy from @packed to @moved waits for the work that
   makes the elements of @x.  The copy waits if the data goes through host
   memory, or if needs_wait() says so. */
static dpr_status has_waited(const dpr_array *x, const dpr_array *packed,
			     const dpr_array *moved, bool *waited)
{
	dpr_transfer plan = { .path = DPR_TRANSFER_PAGEABLE };
	dpr_status status = DPR_OK;

	if (!needs_wait(x))
		status = dpr_usm_transfer_plan(packed->usm, moved->queue,
					       DPR_USM_DEVICE,
					       memory_bytes(packed), &plan);
	*waited = plan.path >= DPR_TRANSFER_PAGEABLE;
	return status;
}

/* Copy the elements of @x into @moved.  *@waited is set if the work that makes
   the elements is known to have ended. */
static dpr_status copy_elements(const dpr_array *x, const dpr_array *moved,
				bool *waited)
{
	dpr_array *packed = NULL;
	dpr_status status = host_memory_pack(x, &packed);

	*waited = true;
	if (host_memory_cannot_pack(status))
		return host_memory_move(x, moved);
	if (!status)
		status = copy_packed(x, packed, moved);
	if (!status)
		status = has_waited(x, packed, moved, waited);
	dpr_array_release(packed);
	return status;
}

/* Check whether the work that made @x has failed.  This work has ended, so
   there is no wait.  If other work of the queue reports a failure later, the
   copy becomes invalid then. */
static dpr_status ask_source(const dpr_array *x)
{
	char *text = status_keep();
	dpr_status status = dpr_usm_wait_for(x->usm, 0);

	if (status && status != DPR_ERROR_TIMEOUT) {
		status_replace(text, status);
		return status;
	}
	status_restore(text);
	return DPR_OK;
}

static dpr_status move_copy(const dpr_array *x, dpr_queue *queue,
			    dpr_array **out)
{
	bool waited = false;
	dpr_array *moved;
	dpr_status status;

	status = array_new("to device", x->dtype, x->rank, array_shape(x),
			   queue, DPR_USM_DEVICE, &moved);
	if (status)
		return status;
	if (x->usm)
		status = copy_elements(x, moved, &waited);
	if (!status && waited)
		status = ask_source(x);
	return array_finish(status, moved, out);
}

dpr_status dpr_array_to_queue(const dpr_array *x, dpr_queue *queue,
			      dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, queue, out);
	dpr_status status;

	if (out)
		*out = NULL;
	if (!x || !queue || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "to queue: %s is NULL",
			    !x       ? "the array"
			    : !queue ? "the queue"
				     : "out");
	status = process_check("to queue");
	if (status)
		return status;
	if (x->queue == queue) {
		*out = dpr_array_retain((dpr_array *)(uintptr_t)x);
		return DPR_OK;
	}
	status = queue_reaches(x, queue) ? move_view(x, queue, out)
					 : move_copy(x, queue, out);
	if (status)
		status_prefix("moving an array from %s to %s",
			      dpr_queue_name(x->queue), dpr_queue_name(queue));
	return status;
}

/* --- Into an existing array ---------------------------------------------- */

/* Copy each run alone. */
static dpr_status copy_runs(const dpr_array *value, const dpr_array *view,
			    const struct runs *runs, bool *waited)
{
	dpr_status status = has_waited(value, value, view, waited);

	for (int64_t i = 0; !status && i < runs->n; i++) {
		int64_t place[2];

		runs_place(runs, i, place);
		status = copy_run(view, place[RUNS_TO], value, place[RUNS_FROM],
				  runs->length, needs_wait(value));
		if (status && i)
			return array_stopped(view, status);
	}
	return status;
}

/* Have this thread copy, which both memories allow.  The copy of one element
   waits for earlier work on either. */
static dpr_status copy_by_host(const dpr_array *to, const dpr_array *from)
{
	dpr_status status = dpr_usm_wait(from->usm);

	if (!status)
		status = copy_run(to, to->offset, from, from->offset, 1, true);
	if (!status)
		strided_copy(to->rank, array_shape(to),
			     dpr_dtype_size(to->dtype), host_memory_address(to),
			     array_strides(to), host_memory_address(from),
			     array_strides(from));
	return status;
}

/* Pack the elements of @from unless they are contiguous, copy them, and unpack
   them unless @to is contiguous. */
static dpr_status copy_by_kernels(const dpr_array *to, const dpr_array *from,
				  bool *waited)
{
	dpr_array *packed = NULL, *room = NULL;
	dpr_status status = host_memory_pack(from, &packed);

	if (!status && !to->contiguous)
		status = host_memory_room(to, &room);
	if (!status)
		status = copy_packed(from, packed, room ? room : to);
	if (!status)
		status = has_waited(from, packed, room ? room : to, waited);
	if (!status && room)
		status = cast_into(room, (dpr_array *)(uintptr_t)to);
	dpr_array_release(packed);
	dpr_array_release(room);
	return status;
}

/* Copy between two views in the layouts of @runs. */
static dpr_status copy_strided(const dpr_array *view, const dpr_array *value,
			       const struct runs *runs, bool *waited)
{
	dpr_array *to, *from = NULL;
	dpr_status status = array_view(view, &runs->side[RUNS_TO], &to);

	if (!status)
		status = array_view(value, &runs->side[RUNS_FROM], &from);
	if (!status)
		status = host_memory_address(to) && host_memory_address(from)
				 ? copy_by_host(to, from)
				 : copy_by_kernels(to, from, waited);
	dpr_array_release(from);
	dpr_array_release(to);
	return status;
}

/* Copy the elements of @value into @view, which has the same dtype and shape,
   and is memory of another root device. */
static dpr_status copy_across(const dpr_array *view, const dpr_array *value)
{
	const size_t item = dpr_dtype_size(view->dtype);
	struct layout to, from;
	struct runs runs;
	bool waited = false, alone;
	dpr_status status = DPR_OK;

	array_layout(view, &to);
	array_layout(value, &from);
	runs_find(&runs, &to, &from);
	alone = runs_are_few(&runs, item);
	if (runs.n > 1)
		status = host_memory_begin(view);
	if (!status && !alone) {
		status = copy_strided(view, value, &runs, &waited);
		alone = host_memory_cannot_pack(status);
		if (alone)
			status = DPR_OK;
	}
	if (!status && alone)
		status = copy_runs(value, view, &runs, &waited);
	return !status && waited ? ask_source(value) : status;
}

/* Move @value to the queue of @view first.  The result may be a view of the
   same memory. */
static dpr_status copy_moved(dpr_array *view, const dpr_array *value)
{
	dpr_array *moved;
	dpr_status status = dpr_array_to_queue(value, view->queue, &moved);

	if (status)
		return status;
	status = copy_assign(view, moved);
	dpr_array_release(moved);
	return status;
}

/* Check the arguments of dpr_array_copy_to(). */
static dpr_status check_copy_to(const dpr_array *view, const dpr_array *value)
{
	dpr_array *wide = NULL;
	dpr_status status;

	if (!view || !value)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "copy to: the %s is NULL", view ? "value" : "view");
	status = array_check_output("copy to", view);
	if (!status)
		status = copy_check_cast("copy to", value->dtype, view->dtype);
	if (!status)
		status = process_check("copy to");
	if (!status && !array_same_shape(value, view))
		status = dpr_broadcast_to(
			value, dpr_shape_of(view->rank, array_shape(view)),
			&wide);
	dpr_array_release(wide);
	return status;
}

dpr_status dpr_array_copy_to(dpr_array *view, const dpr_array *value)
{
	TRACE_CALL;
	HANDLES(view, value);
	dpr_status status = check_copy_to(view, value);

	if (status || !view->size)
		return status;
	status = value->dtype != view->dtype ||
				 !array_same_shape(value, view) ||
				 queue_reaches(value, view->queue)
			 ? copy_moved(view, value)
			 : copy_across(view, value);
	if (status)
		status_prefix("copying from %s to %s",
			      dpr_queue_name(value->queue),
			      dpr_queue_name(view->queue));
	return status;
}

/* --- To a device --------------------------------------------------------- */

/* Check the arguments of a call that moves @x to @device, and get the canonical
   queue of @device. */
static dpr_status queue_for(const char *what, const dpr_array *x,
			    dpr_device *device, const void *out,
			    dpr_queue **queue)
{
	if (x && device && out)
		return dpr_device_queue(device, queue);
	return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", what,
		    !x        ? "the array"
		    : !device ? "the device"
			      : "out");
}

dpr_status dpr_array_to_device(const dpr_array *x, dpr_device *device,
			       dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, device, out);
	dpr_queue *queue;
	dpr_status status;

	if (out)
		*out = NULL;
	status = queue_for("to device", x, device, out, &queue);
	return status ? status : dpr_array_to_queue(x, queue, out);
}

dpr_status dpr_transfer_plan(const dpr_array *x, dpr_device *device,
			     dpr_transfer *out)
{
	TRACE_CALL;
	HANDLES(x, device);
	dpr_queue *queue;
	dpr_status status;

	if (out)
		memset(out, 0, sizeof(*out));
	status = queue_for("transfer plan", x, device, out, &queue);
	if (status)
		return status;
	out->path = DPR_TRANSFER_NONE;
	if (!x->usm || queue_reaches(x, queue))
		return DPR_OK;
	status = dpr_usm_transfer_plan(x->usm, queue, DPR_USM_DEVICE,
				       memory_bytes(x), out);
	if (status)
		return status;
	if (out->staging == out->bytes)
		out->staging = dpr_array_nbytes(x);
	out->bytes = dpr_array_nbytes(x);
	if (!x->contiguous && !cast_copy_fill_can_copy(x)) {
		out->path = DPR_TRANSFER_PAGEABLE;
		out->staging = HOST_MEMORY_STAGING;
	}
	return DPR_OK;
}

/* Fail because @x in @dtype needs a copy. */
static dpr_status fail_never(const char *what, const dpr_array *x,
			     dpr_dtype dtype)
{
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "%s: %s as %s needs a copy, but copy is DPR_COPY_NEVER",
		    what, dpr_dtype_name(x->dtype), dpr_dtype_name(dtype));
}

dpr_status dpr_asarray(const dpr_array *x, dpr_dtype dtype, dpr_copy_mode copy,
		       dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	dpr_status status = array_check_call("asarray", x, out);

	if (!status)
		status = process_check("asarray");
	if (!status)
		status = copy_check_mode("asarray", copy);
	if (status)
		return status;
	if (dtype == DPR_DTYPE_DEFAULT)
		dtype = x->dtype;
	if (dtype == x->dtype && copy != DPR_COPY_ALWAYS) {
		*out = dpr_array_retain((dpr_array *)(uintptr_t)x);
		return DPR_OK;
	}
	if (copy == DPR_COPY_NEVER)
		return fail_never("asarray", x, dtype);
	return dpr_astype(x, dtype, out);
}

dpr_status dpr_asarray_to_device(const dpr_array *x, dpr_device *device,
				 dpr_copy_mode copy, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, device, out);
	dpr_array *moved;
	dpr_queue *queue;
	dpr_status status;
	bool same;

	if (out)
		*out = NULL;
	status = queue_for("asarray", x, device, out, &queue);
	if (!status)
		status = copy_check_mode("asarray", copy);
	if (status)
		return status;
	same = queue_reaches(x, queue);
	/* An array without elements needs no copy. */
	if (!same && x->usm && copy == DPR_COPY_NEVER)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "asarray: moving the array from %s to %s needs a "
			    "copy, but copy is DPR_COPY_NEVER",
			    dpr_queue_name(x->queue), dpr_queue_name(queue));
	if (!same || copy != DPR_COPY_ALWAYS)
		return dpr_array_to_queue(x, queue, out);
	status = dpr_array_to_queue(x, queue, &moved);
	if (status)
		return status;
	status = dpr_copy(moved, out);
	dpr_array_release(moved);
	return status;
}

/* Whether to cast @x before it is moved to @to: where fewer bytes move, if the
   device of @x can cast. */
static bool casts_first(const dpr_array *x, dpr_dtype dtype,
			const dpr_device *to)
{
	const dpr_device *from = dpr_queue_device(x->queue);
	const bool here = dpr_dtype_computes(from, x->dtype) &&
			  dpr_dtype_computes(from, dtype);
	const bool there = dpr_dtype_computes(to, x->dtype) &&
			   dpr_dtype_computes(to, dtype);

	return here &&
	       (!there || dpr_dtype_size(dtype) <= dpr_dtype_size(x->dtype));
}

dpr_status dpr_astype_to_device(const dpr_array *x, dpr_dtype dtype,
				dpr_device *device, dpr_copy_mode copy,
				dpr_array **out)
{
	TRACE_CALL;
	HANDLES(x, device, out);
	dpr_array *between;
	dpr_queue *queue;
	dpr_status status;

	if (out)
		*out = NULL;
	status = queue_for("astype", x, device, out, &queue);
	if (!status)
		status = copy_check_mode("astype", copy);
	if (status)
		return status;
	if (dtype == DPR_DTYPE_DEFAULT || dtype == x->dtype)
		return dpr_asarray_to_device(x, device, copy, out);
	status = copy_check_cast("astype", x->dtype, dtype);
	if (status)
		return status;
	if (copy == DPR_COPY_NEVER)
		return fail_never("astype", x, dtype);
	if (queue_reaches(x, queue) || !casts_first(x, dtype, device)) {
		status = dpr_array_to_queue(x, queue, &between);
		if (status)
			return status;
		status = dpr_astype(between, dtype, out);
	} else {
		status = dpr_astype(x, dtype, &between);
		if (status)
			return status;
		status = dpr_array_to_queue(between, queue, out);
	}
	dpr_array_release(between);
	return status;
}
