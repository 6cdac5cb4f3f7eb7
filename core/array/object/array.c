/* SPDX-License-Identifier: Apache-2.0 */
/* array.c - array objects. */
#include "core/array/object/array.h"

#include <string.h>

#include <dpr/event.h>
#include <dpr/launch.h>
#include <dpr/queue.h>

#include "core/array/element/dtype.h"
#include "core/array/layout/layout.h"
#include "core/array/layout/overlap.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/stock.h"
#include "core/base/text.h"
#include "core/base/trace.h"

#define OBJECT(axes) (sizeof(dpr_array) + 2 * (axes) * sizeof(int64_t))

/* Released objects are cached in free lists, one for each of these numbers of
   axes. */
static const int stock_axes[] = { 2, 4, 8 };
static struct stock stocks[] = {
	STOCK_INIT(OBJECT(2)),
	STOCK_INIT(OBJECT(4)),
	STOCK_INIT(OBJECT(8)),
};
#define STOCKS (sizeof(stocks) / sizeof(stocks[0]))

static void empty_stocks(void)
{
	for (size_t i = 0; i < STOCKS; i++)
		stock_empty(&stocks[i]);
}

static void add_hook(void)
{
	static struct kept_hook hook = { .drop = empty_stocks };

	process_add_kept(&hook);
}

/* The free list for objects of @rank axes.  NULL: they are not cached. */
static struct stock *stock_of(int rank)
{
	for (size_t i = 0; i < STOCKS; i++)
		if (rank <= stock_axes[i])
			return &stocks[i];
	return NULL;
}

/* Get memory for an array.  The caller must set all members. */
static dpr_array *object_take(int rank)
{
	struct stock *stock = stock_of(rank);

	return stock ? stock_take(stock) : mem_alloc(OBJECT((size_t)rank));
}

static void object_give(void *object)
{
	dpr_array *x = object;
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct stock *stock = stock_of(x->rank);

	if (!stock) {
		mem_free(x);
		return;
	}
	pthread_once(&once, add_hook);
	stock_give(stock, x);
}

dpr_status array_count(const char *what, int rank, const int64_t *shape,
		       size_t itemsize, int64_t *count)
{
	int64_t bytes;

	if (rank < 0 || rank > DPR_MAX_RANK)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the shape has %d axes, but must have 0 to %d",
			    what, rank, DPR_MAX_RANK);
	if (rank && !shape)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the list of extents is NULL", what);
	for (int k = 0; k < rank; k++)
		if (shape[k] < 0)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "%s: axis %d has the negative extent %lld",
				    what, k, (long long)shape[k]);
	if (!layout_count(rank, shape, count) ||
	    __builtin_mul_overflow(*count, (int64_t)itemsize, &bytes))
		return fail(DPR_ERROR_OVERFLOW,
			    "%s: the size of the array does not fit in 64 bits",
			    what);
	return DPR_OK;
}

dpr_status array_make(dpr_dtype dtype, int rank, const int64_t *shape,
		      const int64_t *strides, int64_t offset, dpr_usm *usm,
		      dpr_queue *queue, dpr_usm_kind kind, dpr_array **out)
{
	dpr_array *x;
	int64_t count;
	size_t axes = (size_t)rank;

	*out = NULL;
	if (!layout_count(rank, shape, &count))
		return fail(
			DPR_ERROR_OVERFLOW,
			"array: the number of elements does not fit in 64 bits");
	x = object_take(rank);
	if (!x)
		return fail_memory("array");
	refs_init(&x->refs);
	x->dtype = dtype;
	x->rank = rank;
	x->kind = kind;
	x->queue = dpr_queue_retain(queue);
	x->usm = count ? dpr_usm_retain(usm) : NULL;
	x->offset = count ? offset : 0;
	x->size = count;
	if (rank)
		memcpy(x->dim, shape, axes * sizeof(x->dim[0]));
	if (!strides)
		layout_c_strides(rank, x->dim, x->dim + rank);
	else if (rank)
		memcpy(x->dim + rank, strides, axes * sizeof(x->dim[0]));
	x->contiguous = layout_is_contiguous(rank, x->dim, x->dim + rank);
	*out = x;
	return DPR_OK;
}

void array_trace(dpr_dtype dtype, int rank, const int64_t *shape)
{
	struct text text = { 0 };

	if (!trace_on())
		return;
	text_print(&text, "%s [", dpr_dtype_name(dtype));
	for (int d = 0; d < rank; d++)
		text_print(&text, "%s%lld", d ? ", " : "", (long long)shape[d]);
	text_print(&text, "]");
	call_stack_note(true, "array", text_get(&text));
	text_fini(&text);
}

dpr_status array_new(const char *what, dpr_dtype dtype, int rank,
		     const int64_t *shape, dpr_queue *queue, dpr_usm_kind kind,
		     dpr_array **out)
{
	size_t itemsize = dpr_dtype_size(dtype);
	dpr_usm *usm = NULL;
	dpr_status status;
	int64_t count;

	*out = NULL;
	if (!itemsize)
		return fail(DPR_ERROR_DTYPE, "%s: %d is not a dtype", what,
			    (int)dtype);
	if (kind != DPR_USM_DEVICE && kind != DPR_USM_SHARED &&
	    kind != DPR_USM_HOST)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: %d is not a kind of memory (DPR_USM_DEVICE, "
			    "_SHARED, _HOST)",
			    what, (int)kind);
	status = array_count(what, rank, shape, itemsize, &count);
	if (status)
		return status;
	if (!queue) {
		status = dpr_canonical_queue(NULL, &queue);
		if (status)
			goto err;
	}
	array_trace(dtype, rank, shape);
	if (count) {
		status = dpr_usm_alloc(queue, kind, (size_t)count * itemsize,
				       &usm);
		if (status)
			goto err;
	} else {
		status = process_check(what);
		if (status)
			return status;
	}
	status = array_make(dtype, rank, shape, NULL, 0, usm, queue, kind, out);
	dpr_usm_release(usm);
	if (!status)
		return DPR_OK;
err:
	status_prefix("%s", what);
	return status;
}

dpr_status array_view(const dpr_array *x, const struct layout *layout,
		      dpr_array **out)
{
	return array_make(x->dtype, layout->rank, layout->dim, layout->stride,
			  layout->offset, x->usm, x->queue, x->kind, out);
}

dpr_status array_bits(const dpr_array *x, dpr_dtype dtype, dpr_array **out)
{
	return array_make(dtype, x->rank, array_shape(x), array_strides(x),
			  x->offset, x->usm, x->queue, x->kind, out);
}

void array_layout(const dpr_array *x, struct layout *layout)
{
	size_t bytes = (size_t)x->rank * sizeof(x->dim[0]);

	layout->rank = x->rank;
	layout->offset = x->offset;
	memcpy(layout->dim, array_shape(x), bytes);
	memcpy(layout->stride, array_strides(x), bytes);
}

dpr_array *dpr_array_retain(dpr_array *x)
{
	HANDLES_RETAIN(x);
	if (x)
		refs_take(&x->refs);
	return x;
}

void dpr_array_release(dpr_array *x)
{
	HANDLES_RELEASE(dpr_array_release, x);
	if (!x || !refs_drop(&x->refs))
		return;
	dpr_usm_release(x->usm);
	dpr_queue_release(x->queue);
	handles_free(x, object_give);
}

dpr_dtype dpr_array_dtype(const dpr_array *x)
{
	HANDLES_GET(x);
	return x ? x->dtype : DPR_DTYPE_DEFAULT;
}

int dpr_array_rank(const dpr_array *x)
{
	HANDLES_GET(x);
	return x ? x->rank : 0;
}

const int64_t *dpr_array_shape(const dpr_array *x)
{
	HANDLES_GET(x);
	return x ? array_shape(x) : NULL;
}

const int64_t *dpr_array_strides(const dpr_array *x)
{
	HANDLES_GET(x);
	return x ? array_strides(x) : NULL;
}

int64_t dpr_array_offset(const dpr_array *x)
{
	HANDLES_GET(x);
	return x ? x->offset : 0;
}

int64_t dpr_array_size(const dpr_array *x)
{
	HANDLES_GET(x);
	return x ? x->size : 0;
}

size_t dpr_array_itemsize(const dpr_array *x)
{
	HANDLES_GET(x);
	return x ? dpr_dtype_size(x->dtype) : 0;
}

size_t dpr_array_nbytes(const dpr_array *x)
{
	HANDLES_GET(x);
	size_t bytes;

	if (!x)
		return 0;
	return __builtin_mul_overflow((size_t)x->size, dpr_dtype_size(x->dtype),
				      &bytes)
		       ? SIZE_MAX
		       : bytes;
}

int dpr_array_is_contiguous(const dpr_array *x)
{
	HANDLES_GET(x);
	return x && x->contiguous;
}

dpr_usm *dpr_array_usm(const dpr_array *x)
{
	HANDLES_LEND(x, x->usm);
	return x ? x->usm : NULL;
}

dpr_queue *dpr_array_queue(const dpr_array *x)
{
	HANDLES_LEND(x, x->queue);
	return x ? x->queue : NULL;
}

dpr_device *dpr_array_device(const dpr_array *x)
{
	HANDLES_ASK(x, dpr_array_device(x));
	return x ? dpr_queue_device(x->queue) : NULL;
}

dpr_usm_kind dpr_array_kind(const dpr_array *x)
{
	HANDLES_GET(x);
	return x ? x->kind : DPR_USM_DEVICE;
}

dpr_status dpr_array_wait(const dpr_array *x)
{
	TRACE_CALL;
	HANDLES(x);

	return dpr_array_wait_for(x, DPR_FOREVER);
}

dpr_status dpr_array_wait_for(const dpr_array *x, uint64_t nanoseconds)
{
	TRACE_CALL;
	HANDLES(x);
	dpr_status status;

	if (!x)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "array wait: the array is NULL");
	if (!x->usm) {
		status = process_check("array wait");
		/* Refuse to wait in an event's callback. */
		return status || !nanoseconds ? status : dpr_events_wait(NULL);
	}
	status = dpr_usm_wait_for(x->usm, nanoseconds);
	if (status)
		status_prefix("array wait");
	return status;
}

dpr_status dpr_array_event(const dpr_array *x, dpr_event **out)
{
	TRACE_CALL;
	HANDLES(x, out);
	dpr_status status;

	if (out)
		*out = NULL;
	if (!x || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "array event: the %s is NULL",
			    x ? "output" : "array");
	if (!x->usm)
		return DPR_OK;
	status = dpr_usm_event(x->usm, out);
	if (status)
		status_prefix("array event");
	return status;
}

/* Check that elements of @itemsize bytes are aligned in @usm, since kernels and
   the host access whole elements.  Memory without an address is aligned by the
   driver. */
static dpr_status check_aligned(const dpr_usm *usm, size_t itemsize)
{
	if ((uintptr_t)dpr_usm_address(usm) % itemsize == 0)
		return DPR_OK;
	return fail(DPR_ERROR_LAYOUT,
		    "array over: the elements have %zu bytes, but the "
		    "allocation does not begin at a multiple of that; make an "
		    "array of a narrower dtype, or copy the memory",
		    itemsize);
}

static dpr_status check_inside(const dpr_usm *usm, int64_t offset,
			       dpr_shape shape, const int64_t *strides,
			       size_t itemsize)
{
	int64_t low, high, room = (int64_t)(dpr_usm_size(usm) / itemsize);

	bool fits = layout_bounds(shape.rank, shape.dim, strides, &low, &high);

	if (fits && high < low)
		return DPR_OK; /* there are no elements */
	if (!fits || __builtin_add_overflow(low, offset, &low) ||
	    __builtin_add_overflow(high, offset, &high))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "array over: the index of an element does not fit "
			    "in 64 bits; the allocation holds %lld elements",
			    (long long)room);
	if (low < 0 || high >= room)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "array over: the array takes elements %lld to "
			    "%lld, but the allocation holds only %lld, from "
			    "0 on",
			    (long long)low, (long long)high, (long long)room);
	return check_aligned(usm, itemsize);
}

dpr_status dpr_array_over(dpr_usm *usm, int64_t offset, dpr_shape shape,
			  const int64_t *strides, dpr_dtype dtype,
			  dpr_array **out)
{
	TRACE_CALL;
	HANDLES(usm, out);
	int64_t c_order[DPR_MAX_RANK], count;
	size_t itemsize = dpr_dtype_size(dtype);
	dpr_status status;

	if (out)
		*out = NULL;
	if (!usm || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "array over: %s is NULL",
			    usm ? "out" : "the allocation");
	if (!itemsize)
		return fail(DPR_ERROR_DTYPE, "array over: %d is not a dtype",
			    (int)dtype);
	status = array_count("array over", shape.rank, shape.dim, itemsize,
			     &count);
	if (status)
		return status;
	if (!strides) {
		layout_c_strides(shape.rank, shape.dim, c_order);
		strides = c_order;
	}
	status = check_inside(usm, offset, shape, strides, itemsize);
	if (status)
		return status;
	return array_make(dtype, shape.rank, shape.dim, strides, offset, usm,
			  dpr_usm_queue(usm), dpr_usm_get_kind(usm), out);
}

bool array_same_layout(const dpr_array *a, const dpr_array *b)
{
	return a->usm == b->usm && a->offset == b->offset &&
	       a->rank == b->rank &&
	       dpr_dtype_size(a->dtype) == dpr_dtype_size(b->dtype) &&
	       !memcmp(a->dim, b->dim, 2 * (size_t)a->rank * sizeof(a->dim[0]));
}

/* Whether two allocations overlap.  A program may have imported the same memory
   twice, as two views of an array by DLPack. */
static bool share_bytes(const dpr_usm *a, const dpr_usm *b)
{
	const uintptr_t a_begin = (uintptr_t)dpr_usm_address(a);
	const uintptr_t b_begin = (uintptr_t)dpr_usm_address(b);

	return a_begin && b_begin && a_begin < b_begin + dpr_usm_size(b) &&
	       b_begin < a_begin + dpr_usm_size(a);
}

bool array_may_overlap(const dpr_array *a, const dpr_array *b)
{
	struct layout la, lb;

	if (!a->usm || !b->usm)
		return false;
	if (a->usm != b->usm)
		return share_bytes(a->usm, b->usm);
	array_layout(a, &la);
	array_layout(b, &lb);
	return overlap_layouts(&la, dpr_dtype_size(a->dtype), &lb,
			       dpr_dtype_size(b->dtype));
}

dpr_usm_kind array_result_kind(const dpr_array *const *arrays, size_t n)
{
	dpr_usm_kind kind = DPR_USM_HOST;

	/* The values of the kinds are ordered: DEVICE < SHARED < HOST. */
	for (size_t i = 0; i < n; i++)
		if (arrays[i]->kind < kind)
			kind = arrays[i]->kind;
	return kind;
}

dpr_status array_check_output(const char *what, const dpr_array *x)
{
	struct layout layout;

	if (dpr_usm_is_read_only(x->usm))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "%s: the output is read-only, because the owner "
			    "of its memory does not allow writing; write into "
			    "a dpr_copy() of it",
			    what);
	if (x->contiguous)
		return DPR_OK;
	array_layout(x, &layout);
	if (overlap_is_distinct(&layout))
		return DPR_OK;
	return fail(DPR_ERROR_LAYOUT,
		    "%s: elements of the output share memory (a broadcast "
		    "view?); write into a dpr_copy() of it",
		    what);
}

dpr_status array_check_result(const char *what, const dpr_array *x, int rank,
			      const int64_t *shape, dpr_dtype dtype)
{
	char have[160], want[160];

	if (x->rank != rank ||
	    (rank && memcmp(x->dim, shape, (size_t)rank * sizeof(*shape)) != 0))
		return fail(
			DPR_ERROR_SHAPE,
			"%s: the shape of out is %s, but that of the "
			"result is %s; pass an array of that shape",
			what,
			layout_shape_text(have, sizeof(have), x->rank, x->dim),
			layout_shape_text(want, sizeof(want), rank, shape));
	if (dtype_level(dtype) > dtype_level(x->dtype))
		return fail(DPR_ERROR_DTYPE,
			    "%s: the result is %s, which does not fit into "
			    "out's dtype %s; cast it with dpr_astype()",
			    what, dpr_dtype_name(dtype),
			    dpr_dtype_name(x->dtype));
	return array_check_output(what, x);
}

dpr_status array_check_call(const char *what, const dpr_array *x,
			    dpr_array **out)
{
	if (out)
		*out = NULL;
	if (!x || !out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", what,
			    x ? "out" : "the array");
	return DPR_OK;
}

dpr_status array_axis(const char *what, const dpr_array *x, int axis, int *at)
{
	*at = axis < 0 ? axis + x->rank : axis;
	if (*at >= 0 && *at < x->rank)
		return DPR_OK;
	return fail(DPR_ERROR_INDEX,
		    "%s: there is no axis %d in an array of %d axes", what,
		    axis, x->rank);
}

uint32_t array_write_access(const dpr_array *x, int64_t n)
{
	return (size_t)n * dpr_dtype_size(x->dtype) == dpr_usm_size(x->usm)
		       ? DPR_WRITE_ALL
		       : DPR_WRITE;
}

dpr_status array_stopped(const dpr_array *x, dpr_status status)
{
	(void)!dpr_usm_invalidate(x->usm, status, dpr_last_error());
	return status;
}
