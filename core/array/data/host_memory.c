/* SPDX-License-Identifier: Apache-2.0 */
/* host_memory.c - copies elements between arrays and host memory. */
#include "core/array/data/host_memory.h"

#include <string.h>

#include <dpr/device.h>
#include <dpr/launch.h>
#include <dpr/pool.h>
#include <dpr/queue.h>

#include "core/array/data/runs.h"
#include "core/array/data/strided.h"
#include "core/array/element/scalar.h"
#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"

/* Strided elements go through a buffer of this many bytes. */
#define CHUNK ((int64_t)4 << 20)
/* Ranges of up to this many bytes are read whole, instead of packed by a
   kernel. */
#define SMALL ((int64_t)64 << 10)

/* Elements that are copied between an allocation and host memory.  `layout` has
   their positions in the allocation.  In host memory the first one is at
   `data`, and the strides in elements are `stride`. */
struct host_memory_piece {
	struct layout layout;
	int64_t stride[DPR_MAX_RANK];
	char *data;
};

/* The parameters of moves between host memory and an allocation. */
struct carrier {
	dpr_usm *usm;
	dpr_queue *queue;
	size_t item; /* the size of an element in bytes */
	bool writing;
	/* made when first needed: CHUNK bytes, or one larger element */
	char *buffer;
};

static dpr_status move_bytes(const struct carrier *carrier, char *data,
			     int64_t first, int64_t count)
{
	size_t offset = (size_t)first * carrier->item;
	size_t size = (size_t)count * carrier->item;

	if (carrier->writing)
		return dpr_usm_write(carrier->queue, carrier->usm, offset, data,
				     size, NULL, NULL);
	return dpr_usm_read(carrier->queue, data, carrier->usm, offset, size,
			    NULL, NULL);
}

/* Copy the piece between its host memory and @address.  The first element is at
   @address in the allocation or the buffer. */
static void copy_piece(const struct carrier *carrier,
		       const struct host_memory_piece *piece, char *address)
{
	const struct layout *layout = &piece->layout;

	if (carrier->writing)
		strided_copy(layout->rank, layout->dim, carrier->item, address,
			     layout->stride, piece->data, piece->stride);
	else
		strided_copy(layout->rank, layout->dim, carrier->item,
			     piece->data, piece->stride, address,
			     layout->stride);
}

/* Move a piece through the buffer.  The piece lies in a range of @count
   elements.  This range starts @low elements from the first element. */
static dpr_status move_buffered(struct carrier *carrier,
				const struct host_memory_piece *piece,
				int64_t low, int64_t count)
{
	int64_t item = (int64_t)carrier->item;
	int64_t place = piece->layout.offset + low;
	dpr_status status = DPR_OK;
	char *first;

	if (!carrier->buffer) {
		carrier->buffer =
			mem_alloc((size_t)(CHUNK > item ? CHUNK : item));
		if (!carrier->buffer)
			return fail_memory("strided copy");
	}
	first = carrier->buffer - low * item;
	if (!carrier->writing)
		status = move_bytes(carrier, carrier->buffer, place, count);
	if (status)
		return status;
	copy_piece(carrier, piece, first);
	if (!carrier->writing)
		return DPR_OK;
	return move_bytes(carrier, carrier->buffer, place, count);
}

static bool is_contiguous(const struct host_memory_piece *piece)
{
	const struct layout *layout = &piece->layout;

	return layout_is_contiguous(layout->rank, layout->dim,
				    layout->stride) &&
	       layout_is_contiguous(layout->rank, layout->dim, piece->stride);
}

static int widest_axis(const struct layout *layout)
{
	int64_t span, widest = -1;
	int axis = 0;

	for (int k = 0; k < layout->rank; k++) {
		if (layout->dim[k] < 2)
			continue;
		span = (layout->dim[k] - 1) *
		       layout_magnitude(layout->stride[k]);
		if (span > widest) {
			widest = span;
			axis = k;
		}
	}
	return axis;
}

/*
 * Move a piece.  If both sides are contiguous, it is moved directly.  If its
 * range fits into the buffer, it goes through the buffer.  Otherwise it is
 * moved in two halves.
 *
 * Writing overwrites whole ranges, so a written array must be contiguous.  Its
 * widest axis is the outermost, so its halves are contiguous, too.
 */
static dpr_status move_piece(struct carrier *carrier,
			     const struct host_memory_piece *piece)
{
	const struct layout *layout = &piece->layout;
	int64_t low, high, half;
	struct host_memory_piece part;
	dpr_status status;
	int axis;

	layout_bounds(layout->rank, layout->dim, layout->stride, &low, &high);
	if (is_contiguous(piece))
		return move_bytes(carrier, piece->data, layout->offset,
				  high + 1);
	if (low == high || high - low < CHUNK / (int64_t)carrier->item)
		return move_buffered(carrier, piece, low, high - low + 1);
	axis = widest_axis(layout);
	half = layout->dim[axis] / 2;
	part = *piece;
	part.layout.dim[axis] = half;
	status = move_piece(carrier, &part);
	if (status)
		return status;
	part.layout.dim[axis] = layout->dim[axis] - half;
	part.layout.offset += half * layout->stride[axis];
	part.data += half * piece->stride[axis] * (int64_t)carrier->item;
	return move_piece(carrier, &part);
}

/* The address of the allocation @usm if the host uses it without moving it,
   else NULL.  SHARED memory would be moved. */
static char *host_address(dpr_usm *usm)
{
	dpr_usm_kind kind = dpr_usm_get_kind(usm);
	uint64_t is_host = kind == DPR_USM_HOST;

	if (!is_host &&
	    dpr_device_info_u64(dpr_queue_device(dpr_usm_queue(usm)),
				DPR_INFO_ASPECT_HOST_MEMORY, &is_host))
		return NULL;
	return is_host ? dpr_usm_address(usm) : NULL;
}

/* The first element of @x, whose allocation is at @address, or NULL. */
static char *first_element(const dpr_array *x, char *address)
{
	return address ? address + (size_t)x->offset * dpr_dtype_size(x->dtype)
		       : NULL;
}

char *host_memory_address(const dpr_array *x)
{
	return first_element(x, host_address(x->usm));
}

void *dpr_array_data(const dpr_array *x)
{
	HANDLES_ASK(x, dpr_array_data(x));

	if (!x || !x->usm)
		return NULL;
	return first_element(x, dpr_usm_get_kind(x->usm) == DPR_USM_SHARED
					? dpr_usm_address(x->usm)
					: host_address(x->usm));
}

/*
 * Move a piece of the allocation at @address without a buffer.  The first
 * element is moved through the queue.  This waits for earlier work on the
 * memory, and fails if the work failed.
 */
static dpr_status move_direct(const struct carrier *carrier,
			      const struct host_memory_piece *piece,
			      char *address)
{
	const struct layout *layout = &piece->layout;
	dpr_status status;

	status = move_bytes(carrier, piece->data, layout->offset, 1);
	if (status)
		return status;
	address += (size_t)layout->offset * carrier->item;
	copy_piece(carrier, piece, address);
	return DPR_OK;
}

/* Whether the elements of @layout span more than SMALL bytes. */
static bool is_wide(const struct layout *layout, size_t item)
{
	int64_t low, high;

	layout_bounds(layout->rank, layout->dim, layout->stride, &low, &high);
	return high - low >= SMALL / (int64_t)item;
}

/* Get the strides of the elements of @x in host memory: @strides, or those of
   C order. */
static void get_strides(const dpr_array *x, const int64_t *strides,
			int64_t *out)
{
	if (strides)
		memcpy(out, strides, (size_t)x->rank * sizeof(out[0]));
	else
		layout_c_strides(x->rank, array_shape(x), out);
}

static dpr_status move_elements(const dpr_array *x, char *data,
				const int64_t *strides, bool writing)
{
	struct carrier carrier = { x->usm, x->queue, dpr_dtype_size(x->dtype),
				   writing, NULL };
	struct host_memory_piece piece;
	dpr_status status;
	char *address = NULL;

	if (!x->usm)
		return DPR_OK;
	array_layout(x, &piece.layout);
	piece.data = data;
	get_strides(x, strides, piece.stride);
	if (is_wide(&piece.layout, carrier.item) && !is_contiguous(&piece))
		address = host_address(x->usm);
	if (address)
		status = move_direct(&carrier, &piece, address);
	else
		status = move_piece(&carrier, &piece);
	mem_free(carrier.buffer);
	return status;
}

dpr_status dpr_array_from_memory_on(const void *data, dpr_shape shape,
				    const int64_t *strides, dpr_dtype dtype,
				    dpr_queue *queue, dpr_usm_kind kind,
				    dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_array *made;
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "from memory: out is NULL");
	*out = NULL;
	status = array_new("from memory", dtype, shape.rank, shape.dim, queue,
			   kind, &made);
	if (status)
		return status;
	if (!data && made->size)
		status = fail(DPR_ERROR_INVALID_ARGUMENT,
			      "from memory: data is NULL");
	else
		status = move_elements(made, (char *)(uintptr_t)data, strides,
				       true);
	return array_finish(status, made, out);
}

dpr_status dpr_array_from_memory(const void *data, dpr_shape shape,
				 const int64_t *strides, dpr_dtype dtype,
				 dpr_queue *queue, dpr_array **out)
{
	TRACE_CALL;
	HANDLES(queue, out);

	return dpr_array_from_memory_on(data, shape, strides, dtype, queue,
					DPR_USM_DEVICE, out);
}

dpr_status host_memory_room(const dpr_array *x, dpr_array **out)
{
	size_t item = dpr_dtype_size(x->dtype);
	dpr_status status;
	int64_t count;
	dpr_usm *usm;

	*out = NULL;
	status = array_count("pack", x->rank, array_shape(x), item, &count);
	if (status)
		return status;
	status = dpr_pool_try_alloc(x->queue, DPR_USM_DEVICE,
				    (size_t)count * item, &usm);
	if (status)
		return status;
	status = array_make(x->dtype, x->rank, array_shape(x), NULL, 0, usm,
			    x->queue, DPR_USM_DEVICE, out);
	dpr_usm_release(usm);
	return status;
}

dpr_status host_memory_packed(const dpr_array *x, dpr_array **out)
{
	dpr_array *packed;
	dpr_status status = host_memory_room(x, &packed);

	*out = NULL;
	if (!status)
		status = cast_into(x, packed);
	return array_finish(status, packed, out);
}

dpr_status host_memory_pack(const dpr_array *x, dpr_array **out)
{
	*out = NULL;
	if (!x->contiguous)
		return host_memory_packed(x, out);
	*out = dpr_array_retain((dpr_array *)(uintptr_t)x);
	return DPR_OK;
}

bool host_memory_cannot_pack(dpr_status status)
{
	switch (status) {
	/* The device takes no format of the kernels, or cannot build them. */
	case DPR_ERROR_UNSUPPORTED:
	case DPR_ERROR_BUILD:
	case DPR_ERROR_OUT_OF_DEVICE_MEMORY:
	/* The driver of a CPU may report full device memory in this way. */
	case DPR_ERROR_OUT_OF_MEMORY: return true;
	default: return false;
	}
}

/* --- Into an existing array ---------------------------------------------- */

dpr_status host_memory_begin(const dpr_array *view)
{
	const char zero = 0;

	if (array_write_access(view, view->size) != DPR_WRITE_ALL)
		return DPR_OK;
	return dpr_usm_fill(view->queue, view->usm, 0, &zero, sizeof(zero),
			    dpr_usm_size(view->usm), NULL, NULL);
}

/* Write each run of @runs, which are from host memory at @data. */
static dpr_status set_runs(const dpr_array *view, const struct runs *runs,
			   const char *data)
{
	const size_t item = dpr_dtype_size(view->dtype);
	dpr_status status = DPR_OK;

	for (int64_t i = 0; i < runs->n; i++) {
		int64_t place[2];

		runs_place(runs, i, place);
		status = dpr_usm_write(view->queue, view->usm,
				       (size_t)place[RUNS_TO] * item,
				       data + place[RUNS_FROM] * (int64_t)item,
				       (size_t)runs->length * item, NULL, NULL);
		if (status)
			return i ? array_stopped(view, status) : status;
	}
	return DPR_OK;
}

/* Write the elements of @piece into @to, or into a new array from which a
   kernel copies them, if @to is not contiguous. */
static dpr_status set_packed(dpr_array *to, struct host_memory_piece *piece)
{
	struct carrier carrier = { to->usm, to->queue,
				   dpr_dtype_size(to->dtype), true, NULL };
	dpr_array *room = NULL;
	dpr_status status = DPR_OK;

	if (!to->contiguous)
		status = host_memory_room(to, &room);
	if (status)
		return status;
	if (room) {
		carrier.usm = room->usm;
		array_layout(room, &piece->layout);
	}
	status = move_piece(&carrier, piece);
	if (!status && room)
		status = cast_into(room, to);
	mem_free(carrier.buffer);
	dpr_array_release(room);
	return status;
}

/* Write the elements of @runs from host memory at @data.  If the host may use
   the allocation, @address is its address, and the host writes.  Otherwise a
   kernel writes. */
static dpr_status set_strided(const dpr_array *view, const struct runs *runs,
			      const char *data, char *address)
{
	const struct carrier carrier = { view->usm, view->queue,
					 dpr_dtype_size(view->dtype), true,
					 NULL };
	const struct layout *from = &runs->side[RUNS_FROM];
	struct host_memory_piece piece = { .layout = runs->side[RUNS_TO] };
	dpr_array *to;
	dpr_status status;

	memcpy(piece.stride, from->stride, sizeof(piece.stride));
	piece.data =
		(char *)(uintptr_t)data + from->offset * (int64_t)carrier.item;
	if (address)
		return move_direct(&carrier, &piece, address);
	status = array_view(view, &piece.layout, &to);
	if (status)
		return status;
	status = set_packed(to, &piece);
	dpr_array_release(to);
	return status;
}

static dpr_status set_elements(dpr_array *view, const struct layout *host,
			       const char *data)
{
	struct layout layout;
	struct runs runs;
	dpr_status status;
	char *address;

	array_layout(view, &layout);
	runs_find(&runs, &layout, host);
	if (runs.n == 1)
		return set_runs(view, &runs, data);
	status = host_memory_begin(view);
	if (status)
		return status;
	address = host_address(view->usm);
	if (address || !runs_are_few(&runs, dpr_dtype_size(view->dtype))) {
		status = set_strided(view, &runs, data, address);
		if (address || !host_memory_cannot_pack(status))
			return status;
	}
	return set_runs(view, &runs, data);
}

dpr_status dpr_array_set_memory(dpr_array *view, const void *data,
				const int64_t *strides)
{
	TRACE_CALL;
	HANDLES(view);
	struct layout host = { .rank = 0 };
	dpr_status status;

	if (!view || (!data && view->size))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "set memory: %s is NULL",
			    view ? "data" : "the view");
	status = array_check_output("set memory", view);
	if (!status)
		status = process_check("set memory");
	if (status || !view->size)
		return status;
	array_trace(view->dtype, view->rank, array_shape(view));
	host.rank = view->rank;
	memcpy(host.dim, array_shape(view),
	       (size_t)view->rank * sizeof(host.dim[0]));
	get_strides(view, strides, host.stride);
	return set_elements(view, &host, data);
}

/* --- By way of host memory ----------------------------------------------- */

/* A copy between two arrays by way of host memory. */
struct relay {
	struct carrier read, write;
	char *packed; /* CHUNK bytes, or less if all elements need less */
};

/* Copy the elements of @layout to the target, from its element @to on. */
static dpr_status relay_piece(struct relay *relay, const struct layout *layout,
			      int64_t to)
{
	int64_t n = 1, room = CHUNK / (int64_t)relay->read.item;
	struct layout part = *layout;
	struct host_memory_piece piece;
	dpr_status status;
	int axis = 0;

	for (int k = 0; k < layout->rank; k++)
		n *= layout->dim[k];
	if (n == 1 || n <= room) {
		piece.layout = *layout;
		piece.data = relay->packed;
		layout_c_strides(layout->rank, layout->dim, piece.stride);
		status = move_piece(&relay->read, &piece);
		if (status)
			return status;
		return move_bytes(&relay->write, relay->packed, to, n);
	}
	/* Copy two halves of the outermost axis: each is contiguous in the
	   target. */
	while (layout->dim[axis] == 1)
		axis++;
	n /= layout->dim[axis];
	part.dim[axis] = layout->dim[axis] / 2;
	status = relay_piece(relay, &part, to);
	if (status)
		return status;
	to += n * part.dim[axis];
	part.offset += part.dim[axis] * part.stride[axis];
	part.dim[axis] = layout->dim[axis] - part.dim[axis];
	return relay_piece(relay, &part, to);
}

dpr_status host_memory_move(const dpr_array *x, const dpr_array *to)
{
	size_t item = dpr_dtype_size(x->dtype);
	struct relay relay = {
		.read = { x->usm, x->queue, item, false, NULL },
		.write = { to->usm, to->queue, item, true, NULL },
	};
	struct layout layout;
	dpr_status status;

	if (!x->usm)
		return DPR_OK;
	relay.packed = mem_alloc((size_t)CHUNK < (size_t)x->size * item
					 ? (size_t)CHUNK
					 : (size_t)x->size * item);
	if (!relay.packed)
		return fail_memory("strided copy");
	array_layout(x, &layout);
	status = relay_piece(&relay, &layout, to->offset);
	mem_free(relay.packed);
	mem_free(relay.read.buffer);
	return status;
}

/* Whether the elements of @x are so scattered that packing them first is
   faster. */
static bool is_sparse(const dpr_array *x)
{
	int64_t low, high, item = (int64_t)dpr_dtype_size(x->dtype);

	layout_bounds(x->rank, array_shape(x), array_strides(x), &low, &high);
	return (high - low) * item > SMALL && (high - low) / 2 > x->size;
}

/* Check that @room bytes are enough for the elements of @x in host memory. */
static dpr_status check_room(const dpr_array *x, size_t room,
			     const int64_t *strides)
{
	int64_t low = 0, high = x->size - 1;
	size_t need = SIZE_MAX;
	bool fits = true;

	if (strides)
		fits = layout_bounds(x->rank, array_shape(x), strides, &low,
				     &high) &&
		       !__builtin_sub_overflow(high, low, &high);
	if (fits && __builtin_mul_overflow((size_t)high + 1,
					   dpr_array_itemsize(x), &need))
		need = SIZE_MAX;
	if (need <= room && need < SIZE_MAX)
		return DPR_OK;
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "to memory: the memory has %zu bytes, but the elements "
		    "%s %zu; give at least as many",
		    room, strides ? "with these strides span" : "need", need);
}

dpr_status dpr_array_to_memory(const dpr_array *x, void *data, size_t size,
			       const int64_t *strides)
{
	TRACE_CALL;
	HANDLES(x);
	dpr_array *packed = NULL;
	dpr_status status;

	if (!x || (!data && x->size))
		return fail(DPR_ERROR_INVALID_ARGUMENT, "to memory: %s is NULL",
			    x ? "data" : "the array");
	status = check_room(x, size, strides);
	if (!status)
		status = process_check("to memory");
	if (status)
		return status;
	array_trace(x->dtype, x->rank, array_shape(x));
	if (is_sparse(x) && !host_address(x->usm)) {
		status = host_memory_packed(x, &packed);
		/* Reading must work even if device memory is full. */
		if (host_memory_cannot_pack(status))
			status = DPR_OK;
	}
	if (!status)
		status = move_elements(packed ? packed : x, data, strides,
				       false);
	dpr_array_release(packed);
	return status;
}

dpr_status dpr_array_item(const dpr_array *x, dpr_operand *out)
{
	TRACE_CALL;
	HANDLES(x);
	unsigned char element[16];
	dpr_status status;

	if (out)
		memset(out, 0, sizeof(*out));
	if (!x || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "item: %s is NULL",
			    x ? "out" : "the array");
	if (x->size != 1)
		return fail(DPR_ERROR_SHAPE,
			    "item: the array has %lld elements, not 1",
			    (long long)x->size);
	status = move_elements(x, (char *)element, NULL, false);
	if (!status)
		*out = scalar_load(element, x->dtype);
	return status;
}

/* Store the element of @x, cast to @dtype, at @out.  After a failure @out has
   zeros. */
static dpr_status item_as(const dpr_array *x, dpr_dtype dtype, void *out)
{
	dpr_operand value;
	dpr_status status;

	if (out)
		memset(out, 0, dpr_dtype_size(dtype));
	status = dpr_array_item(x, out ? &value : NULL);
	return status ? status : scalar_store("item", value, dtype, out);
}

dpr_status dpr_array_item_double(const dpr_array *x, double *out)
{
	TRACE_CALL;
	HANDLES(x);

	return item_as(x, DPR_FLOAT64, out);
}

dpr_status dpr_array_item_int64(const dpr_array *x, int64_t *out)
{
	TRACE_CALL;
	HANDLES(x);

	return item_as(x, DPR_INT64, out);
}

dpr_status dpr_array_item_complex(const dpr_array *x, double out[2])
{
	TRACE_CALL;
	HANDLES(x);

	return item_as(x, DPR_COMPLEX128, out);
}
