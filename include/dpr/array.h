/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.h - n-d arrays: a dtype, a shape, strides and an offset over an
 * allocation.
 *
 * An array has up to 32 axes.  Strides and offset are in elements; a stride may
 * be negative or zero.  An array of size zero has no allocation.  An array
 * belongs to a queue: the queue of its allocation, or the queue that
 * dpr_array_to_queue() or dpr_array_to_device() gave the array.  Its metadata
 * never changes.  Views share the allocation and keep it alive.
 *
 * Functions submit work to the array's queue and do not wait, except those that
 * read elements into host memory.
 *
 * Between queues and devices, dpr_array_to_device() moves a whole array, and
 * dpr_array_copy_to() writes into a view that exists, as for a halo exchange
 * (placement.h).
 */
#ifndef DPR_ARRAY_H
#define DPR_ARRAY_H

#include <stdio.h>

#include <dpr/base.h>
#include <dpr/dtype.h>
#include <dpr/operand.h>
#include <dpr/status.h>
#include <dpr/usm.h>

DPR_BEGIN_DECLS

/* The most axes that an array may have. */
#define DPR_MAX_RANK 32
/* Stands for None in the place of an axis, where a function allows this: the
   elements of an array count as one axis, in C order. */
#define DPR_AXIS_NONE INT32_MIN

/* A shape: the rank and the extents, which are borrowed for the call.  Passed
   by value; its layout never changes. */
typedef struct dpr_shape {
	int32_t rank; /* the number of axes */
	int32_t reserved; /* 0 */
	const int64_t *dim; /* the extents of the axes */
} dpr_shape;

/* The shape with the @rank extents at @dim, which the caller keeps alive. */
static inline dpr_shape dpr_shape_of(int rank, const int64_t *dim)
{
	dpr_shape shape = { rank, 0, dim };

	return shape;
}

/* DPR_SHAPE(2, 3): a shape.  DPR_SCALAR_SHAPE: the shape of a 0-d array.  Write
   DPR_SHAPE in the call: the extents are valid in C until the end of the
   enclosing block, in C++ until the end of the full expression.  To keep them
   to the end of a block in C++, keep their object: `const auto shape =
   DPR_SHAPE(2, 3);`. */
#ifdef __cplusplus
DPR_END_DECLS
template <size_t N> struct dpr_shape_list {
	int64_t dim[N];
	operator dpr_shape() const
	{
		return dpr_shape_of(static_cast<int>(N), dim);
	}
};
template <class... D>
static inline dpr_shape_list<sizeof...(D)> dpr_shape_make(D... d)
{
	return dpr_shape_list<sizeof...(D)>{ { static_cast<int64_t>(d)... } };
}
#define DPR_SHAPE(...) dpr_shape_make(__VA_ARGS__)
DPR_BEGIN_DECLS
#else
#define DPR_SHAPE(...)                                                \
	dpr_shape_of((int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / \
			     sizeof(int64_t)),                        \
		(const int64_t[]){ __VA_ARGS__ })
#endif
#define DPR_SCALAR_SHAPE dpr_shape_of(0, NULL)

/* Add one reference and return @x. */
DPR_API dpr_array *dpr_array_retain(dpr_array *x);
/* Release one reference.  Never waits. */
DPR_API void dpr_array_release(dpr_array *x);

/* The dtype of the elements of @x. */
DPR_API dpr_dtype dpr_array_dtype(const dpr_array *x);
/* The number of axes of @x. */
DPR_API int dpr_array_rank(const dpr_array *x);
/* The extents, and the strides in elements; one entry per axis.  Lent. */
DPR_API const int64_t *dpr_array_shape(const dpr_array *x);
DPR_API const int64_t *dpr_array_strides(const dpr_array *x);
/* The position of the first element, in elements from the start of the
   allocation. */
DPR_API int64_t dpr_array_offset(const dpr_array *x);
/* The number of elements, and the bytes of one element. */
DPR_API int64_t dpr_array_size(const dpr_array *x);
DPR_API size_t dpr_array_itemsize(const dpr_array *x);
/* The bytes of all elements, without gaps between them: size times itemsize.
   0 for NULL.  SIZE_MAX: the product does not fit, as of a broadcast view. */
DPR_API size_t dpr_array_nbytes(const dpr_array *x);
/* Whether the elements of @x lie in C order, without gaps. */
DPR_API int dpr_array_is_contiguous(const dpr_array *x);
/* The array's allocation (NULL if its size is zero), queue and device.
   Lent. */
DPR_API dpr_usm *dpr_array_usm(const dpr_array *x);
DPR_API dpr_queue *dpr_array_queue(const dpr_array *x);
DPR_API dpr_device *dpr_array_device(const dpr_array *x);
/* The kind of its memory, which an array without elements has too; DEVICE for
   NULL. */
DPR_API dpr_usm_kind dpr_array_kind(const dpr_array *x);
/*
 * The address of the first element, if the host may use the memory: HOST and
 * SHARED memory, and memory of a device that is the host itself
 * (DPR_INFO_ASPECT_HOST_MEMORY).  NULL: the host may not, or @x has no elements
 * or is NULL.  The other elements are at dpr_array_strides() from there.  The
 * pointer is valid as long as the allocation.  Does not wait: read after
 * dpr_array_wait(), and write when all work that uses the allocation is over.
 * dpr does not know what the host does there, so the host must be done before
 * work is submitted that uses the memory.  Memory that was borrowed as
 * read-only must not be written.
 */
DPR_API void *dpr_array_data(const dpr_array *x);

/* Wait for the work that writes @x's allocation.  If a failed submission has
   made the contents invalid, every call returns its status and text
   (dpr/usm.h).  Failures of other work on the queue are left to the queue.
   Other errors as dpr_usm_wait(). */
DPR_API DPR_CHECK dpr_status dpr_array_wait(const dpr_array *x);
/* Wait as dpr_array_wait(), but for @nanoseconds at most (DPR_FOREVER: no
   limit; 0: do not wait).  An array without elements has nothing to wait for.
   Errors as dpr_usm_wait_for(). */
DPR_API DPR_CHECK dpr_status dpr_array_wait_for(
	const dpr_array *x, uint64_t nanoseconds);

/*
 * The event of the work that writes @x's allocation last, as dpr_usm_event();
 * NULL, which counts as complete, if @x has no elements.  To measure array
 * functions, put the arrays on a queue with DPR_QUEUE_PROFILING.
 *
 * This is the event of one submission.  A function or an expression of several
 * kernels has several.  The event is that of the last kernel, though its name
 * is that of the function, or the text of the whole expression.
 */
DPR_API DPR_CHECK dpr_status dpr_array_event(
	const dpr_array *x, dpr_event **out);

/*
 * Make an array over existing memory, from element @offset of @usm on, with
 * @strides in elements (NULL: C-contiguous), on @usm's queue.  It keeps @usm
 * alive.  The caller gets a reference.
 * DPR_ERROR_INVALID_ARGUMENT: an element would lie outside the allocation.
 * DPR_ERROR_LAYOUT: @usm was borrowed at an address that is no multiple of the
 * size of an element.
 */
DPR_API DPR_CHECK dpr_status dpr_array_over(dpr_usm *usm, int64_t offset,
	dpr_shape shape, const int64_t *strides, dpr_dtype dtype,
	dpr_array **out);

/*
 * Make a C-contiguous array with the elements in host memory, on @queue (NULL:
 * the default device's). dpr_array_from_memory() uses DEVICE memory, _on()
 * memory of @kind.  @strides are in elements and may be negative or zero (NULL:
 * C-contiguous).  Returns when the host memory may be reused.  Large strided
 * memory is copied by up to 16 threads, but no more than the CPUs that the
 * calling thread may use; they end before the call returns.
 */
DPR_API DPR_CHECK dpr_status dpr_array_from_memory(const void *data,
	dpr_shape shape, const int64_t *strides, dpr_dtype dtype,
	dpr_queue *queue, dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_array_from_memory_on(const void *data,
	dpr_shape shape, const int64_t *strides, dpr_dtype dtype,
	dpr_queue *queue, dpr_usm_kind kind, dpr_array **out);

/*
 * Copy elements in host memory into the existing array @view, which may have
 * any strides; their dtype and shape are those of @view.  @strides, of @data,
 * are as for dpr_array_from_memory().  The write comes after earlier work that
 * uses @view's allocation, and before later work.  Returns when the host memory
 * may be reused.  A contiguous @view, and memory that the host uses, are
 * written directly.  A few rows, or long ones, are written one by one.  Other
 * elements go through a new array in DEVICE memory, and a kernel copies them
 * into @view.  Without kernels or memory for that, each row is written alone.
 * Copies in several threads where dpr_array_from_memory() does.  After a
 * failure the contents of @view's allocation may be invalid (dpr/usm.h).
 * DPR_ERROR_INVALID_ARGUMENT: @data is NULL, or @view is read-only.
 * DPR_ERROR_LAYOUT: elements of @view share memory.
 * DPR_ERROR_BUSY: in an event's callback.
 * Others as dpr_usm_write().
 */
DPR_API DPR_CHECK dpr_status dpr_array_set_memory(
	dpr_array *view, const void *data, const int64_t *strides);

/*
 * Copy the elements into host memory, the first one to @data.  @strides are in
 * elements and may be negative or zero (NULL: C-contiguous).  @size is how many
 * bytes may be written, from the element with the lowest address on: that is
 * @data, unless a stride is negative.  Waits for the work that writes the
 * array.  If several elements have the same address in host memory, as with a
 * stride of 0, one of them is stored there.  If the layouts differ, the copy is
 * not atomic: work that another thread submits during the copy may change some
 * of the elements and not others.  Copies in several threads where
 * dpr_array_from_memory() does.  Errors as dpr_array_wait(), and
 * DPR_ERROR_INVALID_ARGUMENT: @size is smaller than what the elements span; the
 * text names both sizes.  Nothing is written then.
 */
DPR_API DPR_CHECK dpr_status dpr_array_to_memory(
	const dpr_array *x, void *data, size_t size, const int64_t *strides);

/*
 * Get the element of an array of size 1 as a number: of the kind of its dtype,
 * or as a double, an int64_t, or the real and imaginary part of a complex
 * number.  A bool is 0 or 1.  _double() rounds an integer that a double does
 * not hold to the nearest one; _int64() truncates a float, as C does.  Each
 * waits for the work that writes the array.  *@out is 0 after a failure.
 * Errors as dpr_array_wait(), and
 * DPR_ERROR_SHAPE: the array has another size.
 * DPR_ERROR_DTYPE: the array is complex, and a real number is asked for.
 * DPR_ERROR_OVERFLOW: _int64() of a NaN, or of a value out of its range.
 */
DPR_API DPR_CHECK dpr_status dpr_array_item(
	const dpr_array *x, dpr_operand *out);
DPR_API DPR_CHECK dpr_status dpr_array_item_double(
	const dpr_array *x, double *out);
DPR_API DPR_CHECK dpr_status dpr_array_item_int64(
	const dpr_array *x, int64_t *out);
DPR_API DPR_CHECK dpr_status dpr_array_item_complex(
	const dpr_array *x, double out[2]);

/* What one step of basic indexing does. */
typedef enum dpr_index_kind {
	DPR_INDEX_INTEGER = 0,
	DPR_INDEX_SLICE = 1,
	DPR_INDEX_NEW_AXIS = 2,
	DPR_INDEX_ELLIPSIS = 3
} dpr_index_kind;

/* One step of basic indexing.  Passed by value; its layout never changes.  The
   index of an INTEGER step is in @start.  DPR_OPEN stands for what a slice
   leaves out. */
typedef struct dpr_index {
	uint32_t kind; /* enum dpr_index_kind */
	uint32_t reserved; /* 0 */
	int64_t start; /* of a slice; or the position */
	int64_t stop; /* of a slice: the first position behind it */
	int64_t step; /* of a slice */
} dpr_index;

/* Stands for a bound or step that a slice leaves out. */
#define DPR_OPEN INT64_MIN

/* One step of basic indexing from its fields.  Use the macros below instead. */
static inline dpr_index dpr_index_make(
	uint32_t kind, int64_t start, int64_t stop, int64_t step)
{
	dpr_index index = { kind, 0, start, stop, step };

	return index;
}

/* x[i]; x[start:stop:step]; x[:]; x[np.newaxis]; x[...] */
#define DPR_AT(i) dpr_index_make(DPR_INDEX_INTEGER, (i), 0, 0)
#define DPR_SLICE(start, stop, step) \
	dpr_index_make(DPR_INDEX_SLICE, (start), (stop), (step))
#define DPR_ALL dpr_index_make(DPR_INDEX_SLICE, DPR_OPEN, DPR_OPEN, 1)
#define DPR_NEW_AXIS dpr_index_make(DPR_INDEX_NEW_AXIS, 0, 0, 0)
#define DPR_ELLIPSIS dpr_index_make(DPR_INDEX_ELLIPSIS, 0, 0, 0)

/*
 * Make a view by basic indexing, with one index per axis.  Axes without an
 * index, at the end, are taken whole (array API, "Indexing").
 * DPR_ERROR_INDEX: an integer out of range, too many indices, two ellipses, or
 * a step of zero.
 * DPR_ERROR_SHAPE: the view would have more than 32 axes.
 */
DPR_API DPR_CHECK dpr_status dpr_array_index(const dpr_array *x,
	const dpr_index *indices, size_t n_indices, dpr_array **out);

/* View elements, with the indices in the call: dpr_array_view(x, &row, DPR_AT(3),
   DPR_SLICE(0, 10, 2)). */
#ifdef __cplusplus
DPR_END_DECLS
template <class... X>
DPR_CHECK static inline dpr_status dpr_array_view(
	const dpr_array *x, dpr_array **out, X... indices)
{
	const dpr_index list[] = { indices... };

	return dpr_array_index(x, list, sizeof...(X), out);
}
DPR_BEGIN_DECLS
#else
#define dpr_array_view(x, out, ...)                              \
	dpr_array_index((x), (const dpr_index[]){ __VA_ARGS__ }, \
		sizeof((const dpr_index[]){ __VA_ARGS__ }) /     \
			sizeof(dpr_index),                       \
		(out))
#endif

/*
 * The same elements, in C order, in another shape.  One extent may be -1: it
 * then follows from the others.  The result is a view where the layout allows
 * it, else a copy.
 * DPR_ERROR_SHAPE: the sizes differ.
 */
DPR_API DPR_CHECK dpr_status dpr_reshape(
	const dpr_array *x, dpr_shape shape, dpr_array **out);
/* A view with the axes in another order; @axes has one entry per axis, NULL
   reverses them.  DPR_ERROR_INDEX: not a permutation. */
DPR_API DPR_CHECK dpr_status dpr_permute_dims(
	const dpr_array *x, const int *axes, dpr_array **out);
/* A view with the last two axes swapped.  DPR_ERROR_SHAPE: fewer than two. */
DPR_API DPR_CHECK dpr_status dpr_matrix_transpose(
	const dpr_array *x, dpr_array **out);
/* A view in a larger shape; repeated axes have stride 0.
   DPR_ERROR_SHAPE: the shapes do not match (array API, "Broadcasting"). */
DPR_API DPR_CHECK dpr_status dpr_broadcast_to(
	const dpr_array *x, dpr_shape shape, dpr_array **out);
/* A view with a new axis of extent 1 before @axis (-1: at the end). */
DPR_API DPR_CHECK dpr_status dpr_expand_dims(
	const dpr_array *x, int axis, dpr_array **out);

/* How an array is written as text.  The struct grows at its end only; 0 in a
   field means its default. */
typedef struct dpr_print_options {
	size_t struct_size; /* sizeof(dpr_print_options) */
	int precision; /* most digits after the point; 0: 8 */
	int threshold; /* an array with more elements is summarised; 0: 1000 */
	int edge_items; /* shown at each end of an axis when summarised; 0: 3 */
	int line_width; /* 0: 75 */
} dpr_print_options;

/*
 * Write the elements as str() of NumPy 2.3 and later does. dpr_array_print()
 * adds a newline.  Exponents are used from 1e8 on, or from where the type
 * cannot hold all whole numbers (1e3 in float16, 1e6 in float32); older
 * versions of NumPy use 1e8 for all types.  Only the elements that are shown
 * are copied.  Waits.  @options NULL: all defaults.  *@text is to be freed with
 * dpr_free().
 * DPR_ERROR_INVALID_ARGUMENT: struct_size is not set.
 */
DPR_API DPR_CHECK dpr_status dpr_array_print(const dpr_array *x, FILE *stream);
DPR_API DPR_CHECK dpr_status dpr_array_format(
	const dpr_array *x, const dpr_print_options *options, char **text);

DPR_END_DECLS

#endif
