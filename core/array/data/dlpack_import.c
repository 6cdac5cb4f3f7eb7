/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack_import.c - makes arrays from DLPack tensors of other libraries. */
#include <stdatomic.h>

#include <dpr/device.h>
#include <dpr/event.h>
#include <dpr/placement.h>
#include <dpr/queue.h>
#include <dpr/runtime.h>

#include "core/array/data/copy.h"
#include "core/array/data/dlpack.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* A tensor that has been checked. */
struct source {
	const dpr_dlpack *managed;
	dpr_dl_device device;
	dpr_dtype dtype;
	/* the layout, with the offset of the first element from `start` */
	struct layout layout;
	bool empty, read_only;
	/* If elements are not aligned: the largest power of two that divides
	   all addresses of elements.  Otherwise 0. */
	size_t odd;
	char *first; /* the first element */
	char *start; /* the beginning of the memory */
	size_t bytes;
};

/* A tensor whose memory an allocation borrows.  When the allocation ends, and
   `taken` is set, the tensor's deleter is called. */
struct loan {
	dpr_dlpack managed;
	atomic_bool taken;
};

static void end_loan(void *user)
{
	struct loan *loan = user;

	if (atomic_load(&loan->taken))
		dpr_dlpack_release(&loan->managed);
	mem_free(loan);
}

/* --- Checks ----------------------------------------------------------------
 */

static dpr_status check_dtype(dpr_dl_dtype type, struct source *s)
{
	if (type.lanes != 1)
		return fail(DPR_ERROR_DTYPE,
			    "from dlpack: the elements have %u lanes, but dpr "
			    "supports only 1",
			    type.lanes);
	s->dtype = dlpack_dtype(type);
	if (s->dtype != DPR_DTYPE_DEFAULT)
		return DPR_OK;
	return fail(DPR_ERROR_DTYPE,
		    "from dlpack: %s of type code %u and %u bits; dpr has no "
		    "such dtype",
		    type.bits % 8 ? "elements that are not whole bytes,"
				  : "elements",
		    type.code, type.bits);
}

static dpr_status check_shape(const dpr_dl_tensor *t, struct source *s)
{
	struct layout *to = &s->layout;
	int64_t count;
	dpr_status status;

	status = array_count("from dlpack", t->ndim, t->shape, 1, &count);
	if (status)
		return status;
	to->rank = t->ndim;
	for (int k = 0; k < t->ndim; k++)
		to->dim[k] = t->shape[k];
	if (t->strides)
		for (int k = 0; k < t->ndim; k++)
			to->stride[k] = t->strides[k];
	else
		layout_c_strides(to->rank, to->dim, to->stride);
	to->offset = 0;
	s->empty = !count;
	return DPR_OK;
}

/* Find the range of bytes of the elements. */
static dpr_status check_memory(const dpr_dl_tensor *t, struct source *s)
{
	const int64_t item = (int64_t)dpr_dtype_size(s->dtype);
	uintptr_t first, start, end;
	int64_t low, high;

	s->odd = 0;
	if (s->empty)
		return DPR_OK;
	if (!t->data)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "from dlpack: data is NULL, but the tensor has "
			    "elements");
	if (!layout_bounds(s->layout.rank, s->layout.dim, s->layout.stride,
			   &low, &high) ||
	    __builtin_add_overflow((uintptr_t)t->data, t->byte_offset,
				   &first) ||
	    __builtin_mul_overflow(low, item, &low) ||
	    __builtin_add_overflow(high, 1, &high) ||
	    __builtin_mul_overflow(high, item, &high) ||
	    __builtin_add_overflow(first, low, &start) ||
	    __builtin_add_overflow(first, high, &end))
		return fail(DPR_ERROR_OVERFLOW,
			    "from dlpack: the address of an element does not "
			    "fit in 64 bits");
	if (first % (uintptr_t)item)
		s->odd = first & -first;
	s->first = (char *)first;
	s->start = (char *)start;
	s->bytes = end - start;
	s->layout.offset = -(low / item);
	return DPR_OK;
}

static dpr_status read_source(const dpr_dlpack *managed, struct source *s)
{
	const dpr_dl_versioned *versioned = managed->versioned;
	const dpr_dl_tensor *t;
	dpr_status status;

	if (!versioned == !managed->legacy)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "from dlpack: there are %s tensors, but exactly "
			    "one of `versioned` and `legacy` must be set",
			    versioned ? "two" : "no");
	/* In another major version even the offset of the tensor in the struct
	   is unknown. */
	if (versioned && versioned->version.major != DPR_DLPACK_MAJOR)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "from dlpack: the tensor has version %u.%u; dpr "
			    "supports 1.x and the legacy struct",
			    versioned->version.major, versioned->version.minor);
	t = versioned ? &versioned->tensor : &managed->legacy->tensor;
	s->managed = managed;
	s->read_only = versioned && versioned->flags & DPR_DL_READ_ONLY;
	s->device = t->device;
	status = check_dtype(t->dtype, s);
	if (!status)
		status = check_shape(t, s);
	return status ? status : check_memory(t, s);
}

/* --- In place --------------------------------------------------------------
 */

static dpr_status make_array(const struct source *s, dpr_usm *usm,
			     dpr_queue *queue, dpr_array **out)
{
	const struct layout *l = &s->layout;

	return array_make(s->dtype, l->rank, l->dim, l->stride, l->offset, usm,
			  queue, usm ? dpr_usm_get_kind(usm) : DPR_USM_DEVICE,
			  out);
}

/* Check that the driver finds the memory on the device that the tensor
   names. */
static dpr_status check_place(const struct source *s, const dpr_usm *usm,
			      const dpr_queue *queue)
{
	dpr_dl_device found;
	dpr_status status = dlpack_device_of(dpr_queue_device(queue),
					     dpr_usm_get_kind(usm), &found);

	if (status ||
	    (found.type == s->device.type && found.id == s->device.id))
		return status;
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "from dlpack: the tensor names DLPack device %s, but its "
		    "memory is on %s",
		    dlpack_device_name(s->device).text,
		    dlpack_device_name(found).text);
}

/* Make an array over the tensor's memory.  The tensor still belongs to the
   caller until (*@loan)->taken is set. */
static dpr_status borrow_memory(const struct source *s, dpr_queue *queue,
				dpr_array **out, struct loan **loan)
{
	struct loan *made = mem_alloc(sizeof(*made));
	dpr_usm *usm;
	dpr_status status;

	*out = NULL;
	if (!made)
		return fail_memory("from dlpack");
	made->managed = *s->managed;
	atomic_init(&made->taken, false);
	status = dpr_usm_borrow(queue, (uintptr_t)s->start, s->bytes,
				s->read_only ? DPR_BORROW_READ_ONLY : 0,
				end_loan, made, &usm);
	if (status) {
		mem_free(made);
		return status;
	}
	status = check_place(s, usm, queue);
	if (!status)
		status = make_array(s, usm, queue, out);
	/* Let uses on other queues wait for the producer's work on @queue. */
	if (!status)
		status = dpr_usm_barrier(queue, usm, NULL, NULL);
	dpr_usm_release(usm);
	if (status) {
		dpr_array_release(*out);
		*out = NULL;
		return status;
	}
	*loan = made;
	return DPR_OK;
}

/* Wait until no work uses @x.  After a failed import the caller may free the
   memory of @x. */
static void settle(const dpr_array *x)
{
	char *text = status_keep();
	dpr_event *event = NULL;

	if (!dpr_usm_barrier(x->queue, x->usm, NULL, &event))
		(void)!dpr_event_wait(event);
	dpr_event_release(event);
	status_restore(text);
}

/* Import a tensor on the device of @home.  There is no copy if @queue is @home
   and @copy allows it; otherwise the tensor is copied to @queue. */
static dpr_status take_memory(const struct source *s, dpr_queue *home,
			      dpr_queue *queue, dpr_copy_mode copy,
			      dpr_array **out)
{
	struct loan *loan = NULL;
	dpr_array *x;
	dpr_status status = borrow_memory(s, home, &x, &loan);

	if (status)
		return status;
	if (home == queue && copy != DPR_COPY_ALWAYS) {
		atomic_store(&loan->taken, true);
		*out = x;
		return DPR_OK;
	}
	status = home == queue ? dpr_copy(x, out)
			       : dpr_array_to_queue(x, queue, out);
	if (status)
		settle(x);
	else
		atomic_store(&loan->taken, true);
	dpr_array_release(x);
	return status;
}

/* --- Elements that are not aligned -----------------------------------------
 */

static dpr_status fail_odd(const struct source *s)
{
	return fail(DPR_ERROR_LAYOUT,
		    "from dlpack: the elements have %zu bytes, but their "
		    "addresses are not multiples of that; allow a copy, or "
		    "make an aligned copy first",
		    dpr_dtype_size(s->dtype));
}

/* Describe the tensor as aligned unsigned integers.  Each element becomes
   several integers in a row. */
static dpr_status split_elements(const struct source *s, struct source *out)
{
	const int64_t n = (int64_t)(dpr_dtype_size(s->dtype) / s->odd);
	struct layout *l = &out->layout;

	if (s->layout.rank == DPR_MAX_RANK)
		return fail_odd(s);
	*out = *s;
	out->dtype = s->odd == 1   ? DPR_UINT8
		     : s->odd == 2 ? DPR_UINT16
		     : s->odd == 4 ? DPR_UINT32
				   : DPR_UINT64;
	for (int k = 0; k < l->rank; k++)
		l->stride[k] *= n;
	l->offset *= n;
	l->dim[l->rank] = n;
	l->stride[l->rank++] = 1;
	return DPR_OK;
}

/* Copy @parts, made by split_elements(), to an array with the tensor's
   dtype. */
static dpr_status join_parts(const struct source *s, const dpr_array *parts,
			     dpr_array **out)
{
	const struct layout *l = &s->layout;
	dpr_array *copy;
	dpr_status status = dpr_copy(parts, &copy);

	if (status)
		return status;
	status = array_make(s->dtype, l->rank, l->dim, NULL, 0, copy->usm,
			    copy->queue, copy->kind, out);
	dpr_array_release(copy);
	return status;
}

/* Import a tensor of unaligned elements on the device of @home, by a copy to
   @queue. */
static dpr_status copy_odd(const struct source *s, dpr_queue *home,
			   dpr_queue *queue, dpr_copy_mode copy,
			   dpr_array **out)
{
	struct loan *loan = NULL;
	dpr_array *parts, *whole = NULL;
	struct source split;
	dpr_status status;

	status = copy == DPR_COPY_NEVER ? fail_odd(s)
					: split_elements(s, &split);
	if (!status)
		status = borrow_memory(&split, home, &parts, &loan);
	if (status)
		return status;
	status = join_parts(s, parts, &whole);
	if (!status)
		status = dpr_array_to_queue(whole, queue, out);
	if (status)
		settle(parts);
	else
		atomic_store(&loan->taken, true);
	dpr_array_release(whole);
	dpr_array_release(parts);
	return status;
}

/* --- Copies and arrays of our own ------------------------------------------
 */

/* Import a tensor in ordinary host memory by a copy to @queue. */
static dpr_status copy_host(const struct source *s, dpr_queue *queue,
			    dpr_array **out)
{
	const struct layout *l = &s->layout;
	dpr_dlpack managed = *s->managed;
	dpr_status status;

	status = dpr_array_from_memory(s->first, dpr_shape_of(l->rank, l->dim),
				       l->stride, s->dtype, queue, out);
	if (!status)
		dpr_dlpack_release(&managed);
	return status;
}

static dpr_status fail_never(dpr_dl_device device, const dpr_queue *queue)
{
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "from dlpack: the tensor on DLPack device %s must be "
		    "copied to %s, but copy is DPR_COPY_NEVER; pass a queue of "
		    "the tensor's device, or allow the copy",
		    dlpack_device_name(device).text, dpr_queue_name(queue));
}

/* Import a tensor that dpr exported from @own.  The new array shares the
   allocation of @own: a second allocation over the same memory would not know
   about uses of the first. */
static dpr_status take_own(const struct source *s, const dpr_array *own,
			   dpr_queue *queue, dpr_copy_mode copy,
			   dpr_array **out)
{
	dpr_dlpack managed = *s->managed;
	dpr_array *moved;
	dpr_status status;

	if (!queue)
		queue = own->queue;
	if (copy == DPR_COPY_NEVER && own->usm &&
	    dpr_device_root(dpr_queue_device(own->queue)) !=
		    dpr_device_root(dpr_queue_device(queue)))
		return fail_never(s->device, queue);
	status = dpr_array_to_queue(own, queue, &moved);
	/* Let uses wait for work that the consumer may have enqueued. */
	if (!status && moved->usm && moved->usm == own->usm)
		status = dpr_usm_barrier(queue, moved->usm, NULL, NULL);
	if (!status && moved->usm == own->usm && copy == DPR_COPY_ALWAYS)
		status = dpr_copy(moved, out);
	else if (!status)
		*out = dpr_array_retain(moved);
	dpr_array_release(moved);
	if (!status)
		dpr_dlpack_release(&managed);
	return status;
}

/* Import a tensor without elements.  No memory is shared or copied. */
static dpr_status take_empty(const struct source *s, dpr_queue *queue,
			     dpr_array **out)
{
	dpr_dlpack managed = *s->managed;
	dpr_status status = make_array(s, NULL, queue, out);

	if (!status)
		dpr_dlpack_release(&managed);
	return status;
}

/* Import a tensor on the device of @home to @queue. */
static dpr_status import_from(const struct source *s, dpr_queue *home,
			      dpr_queue *queue, dpr_copy_mode copy,
			      dpr_array **out)
{
	return s->odd ? copy_odd(s, home, queue, copy, out)
		      : take_memory(s, home, queue, copy, out);
}

dpr_status dpr_array_from_dlpack(const dpr_dlpack *managed, dpr_queue *queue,
				 dpr_copy_mode copy, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_queue *home = queue;
	dpr_usm_kind kind = (dpr_usm_kind)0;
	const dpr_array *own;
	struct source s;
	dpr_status status;

	if (out)
		*out = NULL;
	if (!managed || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "from dlpack: %s is NULL",
			    managed ? "out" : "the tensor");
	status = copy_check_mode("from dlpack", copy);
	if (!status)
		status = process_check("from dlpack");
	if (!status)
		status = read_source(managed, &s);
	if (status)
		return status;
	own = dlpack_own_array(managed);
	if (own)
		return take_own(&s, own, queue, copy, out);
	if (queue && s.empty)
		return take_empty(&s, queue, out);
	if (queue)
		status = dlpack_find_kind(dpr_queue_device(queue), s.device,
					  &kind);
	if (status)
		return status;
	if (queue && kind)
		return import_from(&s, queue, queue, copy, out);
	if (queue && copy == DPR_COPY_NEVER)
		return fail_never(s.device, queue);
	if (queue && s.device.type == DPR_DL_CPU)
		return copy_host(&s, queue, out);
	status = dlpack_find_queue("from dlpack", s.device, &home);
	if (status)
		return status;
	if (s.empty)
		return take_empty(&s, home, out);
	return import_from(&s, home, queue ? queue : home, copy, out);
}
