/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack.c - exports arrays to other libraries with DLPack. */
#include "core/array/data/dlpack.h"

#include <stdio.h>
#include <string.h>

#include <dpr/device.h>
#include <dpr/event.h>
#include <dpr/placement.h>
#include <dpr/queue.h>
#include <dpr/runtime.h>

#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* The alignment of exported copies in host memory: enough for all vectors of
   CPUs. */
#define DATA_ALIGN 64

/* Check the offsets that DLPack publishes for pointers of 8 bytes. */
#define OFFSET(type, member, offset)                                        \
	_Static_assert(sizeof(void *) != 8 ||                               \
			       offsetof(dpr_dl_##type, member) == (offset), \
		       #type "." #member)
OFFSET(tensor, data, 0);
OFFSET(tensor, device, 8);
OFFSET(tensor, ndim, 16);
OFFSET(tensor, dtype, 20);
OFFSET(tensor, shape, 24);
OFFSET(tensor, strides, 32);
OFFSET(tensor, byte_offset, 40);
OFFSET(legacy, manager, 48);
OFFSET(legacy, deleter, 56);
OFFSET(versioned, manager, 8);
OFFSET(versioned, deleter, 16);
OFFSET(versioned, flags, 24);
OFFSET(versioned, tensor, 32);
_Static_assert(sizeof(dpr_dl_dtype) == 4, "dpr_dl_dtype");
_Static_assert(sizeof(void *) != 8 || sizeof(dpr_dl_versioned) == 80,
	       "dpr_dl_versioned");

/* An exported tensor. */
struct tensor {
	union {
		dpr_dl_versioned versioned;
		dpr_dl_legacy legacy;
	} form;
	dpr_array *array; /* a reference; NULL: the elements are in `block` */
	void *block;
	int64_t dim[]; /* the extents, then the strides */
};

/* --- Devices and dtypes ----------------------------------------------------
 */

/* Get the DLPack device that the backend reports for each kind of memory.  All
   are 0 if it reports none. */
static dpr_status read_devices(const dpr_device *device, dpr_dl_device out[3])
{
	char *text = status_keep();
	uint64_t told[6];
	size_t need = 0;
	dpr_status status = dpr_device_info(device, DPR_INFO_DLPACK_DEVICE,
					    told, sizeof(told), &need);

	if (status == DPR_ERROR_OUT_OF_MEMORY) {
		status_replace(text, status);
		return status;
	}
	status_restore(text);
	if (status || need != sizeof(told))
		memset(told, 0, sizeof(told));
	for (int k = 0; k < 3; k++)
		out[k] = (dpr_dl_device){ (int32_t)told[2 * k],
					  (int32_t)told[2 * k + 1] };
	return DPR_OK;
}

static bool same_device(dpr_dl_device a, dpr_dl_device b)
{
	return a.type == b.type && a.id == b.id;
}

dpr_status dlpack_device_of(const dpr_device *device, dpr_usm_kind kind,
			    dpr_dl_device *out)
{
	dpr_dl_device all[3];
	dpr_status status = read_devices(device, all);

	if (!status)
		*out = all[kind - DPR_USM_DEVICE];
	return status;
}

dpr_status dlpack_find_kind(const dpr_device *device, dpr_dl_device wanted,
			    dpr_usm_kind *out)
{
	dpr_dl_device all[3];
	dpr_status status = read_devices(device, all);

	*out = (dpr_usm_kind)0;
	for (int k = 2; !status && wanted.type && k >= 0; k--)
		if (same_device(all[k], wanted))
			*out = (dpr_usm_kind)(DPR_USM_DEVICE + k);
	return status;
}

struct dlpack_name dlpack_device_name(dpr_dl_device device)
{
	struct dlpack_name name;

	snprintf(name.text, sizeof(name.text), "%d:%d", (int)device.type,
		 (int)device.id);
	return name;
}

dpr_status dlpack_find_queue(const char *what, dpr_dl_device wanted,
			     dpr_queue **out)
{
	dpr_device **list = NULL;
	size_t n = 0, room;
	dpr_usm_kind kind;
	dpr_status status;

	*out = NULL;
	status = dpr_device_enumerate(NULL, NULL, 0, &n);
	if (status)
		return status;
	room = n;
	list = mem_array(room ? room : 1, sizeof(list[0]));
	if (!list)
		return fail_memory(what);
	status = dpr_device_enumerate(NULL, list, room, &n);
	for (size_t i = 0; !status && !*out && i < n && i < room; i++) {
		status = dlpack_find_kind(list[i], wanted, &kind);
		if (!status && kind)
			status = dpr_device_queue(list[i], out);
	}
	mem_free(list);
	if (!status && !*out)
		status = fail(DPR_ERROR_UNSUPPORTED,
			      "%s: dpr has no device that is DLPack device %s",
			      what, dlpack_device_name(wanted).text);
	return status;
}

static const struct {
	char kind; /* a kind as returned by dpr_dtype_kind() */
	uint8_t code;
} codes[] = {
	{ 'b', DPR_DL_BOOL },  { 'i', DPR_DL_INT },     { 'u', DPR_DL_UINT },
	{ 'f', DPR_DL_FLOAT }, { 'c', DPR_DL_COMPLEX },
};
#define CODES (sizeof(codes) / sizeof(codes[0]))

static dpr_dl_dtype give_dtype(dpr_dtype dtype)
{
	dpr_dl_dtype type = { 0, (uint8_t)(8 * dpr_dtype_size(dtype)), 1 };

	for (size_t i = 0; i < CODES; i++)
		if (codes[i].kind == dpr_dtype_kind(dtype))
			type.code = codes[i].code;
	if (dtype == DPR_BFLOAT16)
		type.code = DPR_DL_BFLOAT;
	return type;
}

dpr_dtype dlpack_dtype(dpr_dl_dtype type)
{
	for (int i = DPR_BOOL; i <= DPR_COMPLEX128; i++) {
		dpr_dl_dtype has = give_dtype((dpr_dtype)i);

		if (has.code == type.code && has.bits == type.bits &&
		    type.lanes == 1)
			return (dpr_dtype)i;
	}
	return DPR_DTYPE_DEFAULT;
}

/* --- The tensor ------------------------------------------------------------
 */

/* Free a tensor.  The program is the caller, but the released reference is the
   library's. */
static void free_tensor(struct tensor *t)
{
	const int depth = call_stack_go_in();

	dpr_array_release(t->array);
	mem_free(t->block);
	mem_free(t);
	call_stack_go_back(depth);
}

static void delete_versioned(dpr_dl_versioned *self)
{
	free_tensor(self->manager);
}

static void delete_legacy(dpr_dl_legacy *self)
{
	free_tensor(self->manager);
}

dpr_array *dlpack_own_array(const dpr_dlpack *managed)
{
	const struct tensor *t = NULL;

	if (managed->versioned &&
	    managed->versioned->deleter == delete_versioned)
		t = managed->versioned->manager;
	if (managed->legacy && managed->legacy->deleter == delete_legacy)
		t = managed->legacy->manager;
	return t ? t->array : NULL;
}

/* The request of the consumer, with defaults filled in. */
struct dlpack_request {
	dpr_dlpack_options options;
	dpr_dl_device at; /* the device of the tensor's memory */
	bool copied;
};

/* Make the tensor of the shape of @x over @data, with @strides (NULL:
   C-contiguous).  On success the tensor owns the reference to @array, and owns
   @block. */
static dpr_status make_tensor(const struct dlpack_request *r,
			      const dpr_array *x, const int64_t *strides,
			      dpr_array *array, void *block, void *data,
			      dpr_dlpack *out)
{
	size_t axes = (size_t)x->rank;
	struct tensor *t = mem_alloc(sizeof(*t) + 2 * axes * sizeof(t->dim[0]));
	dpr_dl_tensor tensor;

	if (!t)
		return fail_memory("to dlpack");
	t->array = array;
	t->block = block;
	memcpy(t->dim, array_shape(x), axes * sizeof(t->dim[0]));
	if (strides)
		memcpy(t->dim + axes, strides, axes * sizeof(t->dim[0]));
	else
		layout_c_strides(x->rank, t->dim, t->dim + axes);
	tensor = (dpr_dl_tensor){ .data = data,
				  .device = r->at,
				  .ndim = x->rank,
				  .dtype = give_dtype(x->dtype),
				  .shape = t->dim,
				  .strides = t->dim + axes };
	if (!r->options.version.major) {
		t->form.legacy = (dpr_dl_legacy){ tensor, t, delete_legacy };
		out->legacy = &t->form.legacy;
		return DPR_OK;
	}
	t->form.versioned.version =
		(dpr_dl_version){ DPR_DLPACK_MAJOR, DPR_DLPACK_MINOR };
	if (r->options.version.major == DPR_DLPACK_MAJOR &&
	    r->options.version.minor < DPR_DLPACK_MINOR)
		t->form.versioned.version.minor = r->options.version.minor;
	t->form.versioned.manager = t;
	t->form.versioned.deleter = delete_versioned;
	t->form.versioned.flags = r->copied ? DPR_DL_COPIED : 0;
	if (array && dpr_usm_is_read_only(array->usm))
		t->form.versioned.flags |= DPR_DL_READ_ONLY;
	t->form.versioned.tensor = tensor;
	out->versioned = &t->form.versioned;
	return DPR_OK;
}

/* --- Order -----------------------------------------------------------------
 */

/* Wait for the event if its work is still held back by the core.  The driver's
   queue does not have the work yet, so later work of the consumer there would
   not wait for it. */
static dpr_status wait_if_held(dpr_event *event)
{
	char *text = status_keep();
	uintptr_t handle;
	dpr_status status = dpr_event_native(event, &handle);

	status_restore(text);
	return status ? dpr_event_wait(event) : DPR_OK;
}

static dpr_status order_stream(const dpr_array *x, uintptr_t stream)
{
	dpr_event *event = NULL;
	dpr_queue *queue;
	dpr_status status;

	status = dpr_queue_from_native(dpr_queue_device(x->queue), stream, 0,
				       &queue);
	if (status)
		return status;
	status = dpr_usm_barrier(queue, x->usm, NULL, &event);
	if (!status)
		status = dpr_queue_flush(queue);
	if (!status)
		status = wait_if_held(event);
	dpr_event_release(event);
	dpr_queue_release(queue);
	return status;
}

/* Wait for all uses of the memory of @x, since the consumer may also write
   there. */
static dpr_status wait_for_uses(const dpr_array *x)
{
	dpr_event *event = NULL;
	dpr_status status = dpr_usm_barrier(x->queue, x->usm, NULL, &event);

	if (!status)
		status = dpr_event_wait(event);
	dpr_event_release(event);
	return status ? status : dpr_usm_wait(x->usm);
}

static dpr_status order_consumer(const dpr_array *x,
				 const struct dlpack_request *r)
{
	dpr_status status = DPR_OK;

	if (!x->usm)
		return DPR_OK;
	switch ((enum dpr_dlpack_order)r->options.order) {
	case DPR_DLPACK_WAIT: status = wait_for_uses(x); break;
	case DPR_DLPACK_STREAM:
		status = order_stream(x, r->options.stream);
		break;
	case DPR_DLPACK_UNORDERED:
		status = dpr_usm_barrier(x->queue, x->usm, NULL, NULL);
		if (!status)
			status = dpr_queue_flush(x->queue);
		break;
	}
	return status;
}

/* --- Exporting arrays ------------------------------------------------------
 */

/* Export the memory of @x itself, without a copy. */
static dpr_status give_array(const struct dlpack_request *r, const dpr_array *x,
			     dpr_dlpack *out)
{
	dpr_array *array = dpr_array_retain((dpr_array *)(uintptr_t)x);
	char *data = dpr_usm_address(x->usm);
	dpr_status status;

	if (x->usm && !data)
		status = fail(DPR_ERROR_UNSUPPORTED,
			      "to dlpack: memory on %s has no address",
			      dpr_queue_name(x->queue));
	else
		status = order_consumer(x, r);
	if (!status && data)
		data += x->offset * (int64_t)dpr_dtype_size(x->dtype);
	if (!status)
		status = make_tensor(r, x, array_strides(x), array, NULL, data,
				     out);
	if (status)
		dpr_array_release(array);
	return status;
}

/* Export a copy in ordinary host memory, even if no device of dpr uses host
   memory. */
static dpr_status give_host_copy(const struct dlpack_request *r,
				 const dpr_array *x, dpr_dlpack *out)
{
	size_t item = dpr_dtype_size(x->dtype), bytes;
	dpr_status status = DPR_OK;
	char *block, *data;

	/* A broadcast view may have more elements than fit into memory. */
	if (__builtin_mul_overflow((size_t)x->size, item, &bytes) ||
	    __builtin_add_overflow(bytes, DATA_ALIGN, &bytes))
		return fail(DPR_ERROR_OVERFLOW,
			    "to dlpack: the size of the copy does not fit in "
			    "64 bits");
	block = mem_alloc(bytes);
	if (!block)
		return fail_memory("to dlpack");
	data = block + (-(uintptr_t)block & (DATA_ALIGN - 1));
	if (x->size)
		status =
			dpr_array_to_memory(x, data, dpr_array_nbytes(x), NULL);
	if (!status)
		status = make_tensor(r, x, NULL, NULL, block,
				     x->size ? data : NULL, out);
	if (status)
		mem_free(block);
	return status;
}

/* Get a copy of @x on @queue, in memory of @kind. */
static dpr_status copy_to_kind(const dpr_array *x, dpr_queue *queue,
			       dpr_usm_kind kind, dpr_array **out)
{
	dpr_array *moved, *copy = NULL;
	dpr_status status = dpr_array_to_queue(x, queue, &moved);

	if (!status && moved->kind == kind && moved->usm != x->usm) {
		*out = moved;
		return DPR_OK;
	}
	if (!status)
		status = array_new("to dlpack", x->dtype, x->rank,
				   array_shape(x), queue, kind, &copy);
	if (!status && x->size)
		status = dpr_copy_into(copy, moved);
	dpr_array_release(moved);
	if (status) {
		dpr_array_release(copy);
		copy = NULL;
	}
	*out = copy;
	return status;
}

/* Export a copy on DLPack device r->at.  @stays: @x is on this device, too. */
static dpr_status give_copy(struct dlpack_request *r, const dpr_array *x,
			    bool stays, dpr_dlpack *out)
{
	dpr_usm_kind kind = x->kind;
	dpr_queue *queue = x->queue;
	dpr_status status = DPR_OK;
	dpr_array *copy;

	r->copied = true;
	if (r->at.type == DPR_DL_CPU)
		return give_host_copy(r, x, out);
	if (!stays)
		status = dlpack_find_queue("to dlpack", r->at, &queue);
	if (!status && !stays)
		status =
			dlpack_find_kind(dpr_queue_device(queue), r->at, &kind);
	if (!status)
		status = copy_to_kind(x, queue, kind, &copy);
	if (status)
		return status;
	status = give_array(r, copy, out);
	dpr_array_release(copy);
	return status;
}

/* Check @options and copy them to @r.  NULL: the defaults. */
static dpr_status read_options(const dpr_dlpack_options *options,
			       struct dlpack_request *r)
{
	dpr_dlpack_options *to = &r->options;

	memset(r, 0, sizeof(*r));
	if (!options) {
		to->version =
			(dpr_dl_version){ DPR_DLPACK_MAJOR, DPR_DLPACK_MINOR };
		return DPR_OK;
	}
	if (options->struct_size < sizeof(*to))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "to dlpack: options.struct_size is %zu but must be "
			    "sizeof(dpr_dlpack_options), which is %zu",
			    options->struct_size, sizeof(*to));
	*to = *options;
	if (to->copy > DPR_COPY_NEVER)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "to dlpack: options.copy is %u, which is not a "
			    "value of dpr_copy_mode",
			    to->copy);
	if (to->order > DPR_DLPACK_UNORDERED)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "to dlpack: options.order is %u, which is not a "
			    "value of enum dpr_dlpack_order",
			    to->order);
	return DPR_OK;
}

static dpr_status fail_no_device(const dpr_array *x)
{
	return fail(DPR_ERROR_UNSUPPORTED,
		    "dlpack: memory of this kind on %s has no DLPack device; "
		    "ask for a copy on another device, such as DPR_DL_CPU",
		    dpr_queue_name(x->queue));
}

dpr_status dpr_array_dlpack_device(const dpr_array *x, dpr_dl_device *out)
{
	TRACE_CALL;
	HANDLES(x);
	dpr_status status = process_check("dlpack device");

	if (out)
		*out = (dpr_dl_device){ 0, 0 };
	if (status)
		return status;
	if (!x || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "dlpack device: %s is NULL",
			    x ? "out" : "the array");
	status = dlpack_device_of(dpr_queue_device(x->queue), x->kind, out);
	return status || out->type ? status : fail_no_device(x);
}

/* Return the reason why the consumer cannot get the memory of @x itself.  NULL:
   the consumer can.  Sets r->at. */
static const char *reason_to_copy(struct dlpack_request *r, const dpr_array *x,
				  dpr_dl_device home)
{
	bool stays =
		!r->options.device.type || same_device(r->options.device, home);

	r->at = stays ? home : r->options.device;
	if (!stays)
		return "it was requested on another device";
	if (!r->options.version.major && dpr_usm_is_read_only(x->usm))
		return "it is read-only, which the legacy struct cannot "
		       "express";
	return NULL;
}

dpr_status dpr_array_to_dlpack(const dpr_array *x,
			       const dpr_dlpack_options *options,
			       dpr_dlpack *out)
{
	TRACE_CALL;
	HANDLES(x);
	dpr_dl_device home = { 0, 0 };
	struct dlpack_request r;
	const char *reason;
	dpr_status status;

	if (out)
		*out = (dpr_dlpack){ NULL, NULL };
	if (!x || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "to dlpack: %s is NULL",
			    x ? "out" : "the array");
	status = process_check("to dlpack");
	if (!status)
		status = read_options(options, &r);
	if (!status)
		status = dlpack_device_of(dpr_queue_device(x->queue), x->kind,
					  &home);
	if (status)
		return status;
	if (!home.type && !r.options.device.type)
		return fail_no_device(x);
	reason = reason_to_copy(&r, x, home);
	if (reason && r.options.copy == DPR_COPY_NEVER)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "to dlpack: the array on %s needs a copy, because "
			    "%s, but options.copy is DPR_COPY_NEVER",
			    dpr_queue_name(x->queue), reason);
	if (reason || r.options.copy == DPR_COPY_ALWAYS)
		return give_copy(&r, x, same_device(r.at, home), out);
	return give_array(&r, x, out);
}
