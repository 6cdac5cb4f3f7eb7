/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlpack.h - exchange arrays with libraries in the same process, by DLPack.
 *
 * DLPack is a struct that describes memory with a dtype, a shape and strides,
 * and a function that gives the memory back.  The structs below have layouts
 * that DLPack publishes: dpr_dl_versioned has the layout of version 1, and
 * dpr_dl_legacy the older layout.  The names are dpr's own, so this header may
 * be included beside DLPack's, in either order; pointers to the structs are
 * converted by a cast.
 */
#ifndef DPR_DLPACK_H
#define DPR_DLPACK_H

#include <dpr/array.h>
#include <dpr/base.h>
#include <dpr/creation.h>
#include <dpr/dtype.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* The version of DLPack whose structs dpr makes. dpr accepts tensors of any
   version with this major number, and the legacy struct. */
#define DPR_DLPACK_MAJOR 1
#define DPR_DLPACK_MINOR 1

/* The DLPack device types that dpr or its users name.  Any other number works
   if a backend reports it (DPR_INFO_DLPACK_DEVICE). */
typedef enum dpr_dl_device_type {
	DPR_DL_CPU = 1,
	DPR_DL_CUDA = 2,
	DPR_DL_CUDA_HOST = 3, /* pinned host memory */
	DPR_DL_OPENCL = 4,
	DPR_DL_CUDA_MANAGED = 13,
	DPR_DL_ONEAPI = 14
} dpr_dl_device_type;

/* The codes of dtypes that dpr has. */
typedef enum dpr_dl_code {
	DPR_DL_INT = 0,
	DPR_DL_UINT = 1,
	DPR_DL_FLOAT = 2,
	DPR_DL_BFLOAT = 4,
	DPR_DL_COMPLEX = 5,
	DPR_DL_BOOL = 6
} dpr_dl_code;

/* Bits of dpr_dl_versioned.flags. */
#define DPR_DL_READ_ONLY UINT64_C(1) /* the consumer must not write */
#define DPR_DL_COPIED UINT64_C(2) /* the producer made a copy */

/* A version of DLPack. */
typedef struct dpr_dl_version {
	uint32_t major; /* another one: the layout of the struct differs */
	uint32_t minor; /* a higher one: there are more codes and flags */
} dpr_dl_version;

/* Where the elements are. */
typedef struct dpr_dl_device {
	int32_t type; /* enum dpr_dl_device_type */
	int32_t id; /* the number of the device among those of its type */
} dpr_dl_device;

/* The dtype of the elements. */
typedef struct dpr_dl_dtype {
	uint8_t code; /* enum dpr_dl_code */
	uint8_t bits; /* of an element */
	uint16_t lanes; /* 1 */
} dpr_dl_dtype;

/* The elements. */
typedef struct dpr_dl_tensor {
	void *data; /* the memory, a driver's handle where it has no address */
	dpr_dl_device device; /* where the memory is */
	int32_t ndim; /* the number of axes */
	dpr_dl_dtype dtype; /* of the elements */
	int64_t *shape; /* the extents of the axes */
	int64_t *strides; /* in elements; NULL: C-contiguous */
	uint64_t byte_offset; /* of the first element, behind data */
} dpr_dl_tensor;

/* The struct from before version 1. */
typedef struct dpr_dl_legacy {
	dpr_dl_tensor tensor; /* the elements */
	void *manager; /* the producer's own */
	void (*deleter)(struct dpr_dl_legacy *self); /* may be NULL */
} dpr_dl_legacy;

/* The struct of version 1. */
typedef struct dpr_dl_versioned {
	dpr_dl_version version; /* of DLPack */
	void *manager; /* the producer's own */
	void (*deleter)(struct dpr_dl_versioned *self); /* may be NULL */
	uint64_t flags; /* DPR_DL_READ_ONLY, ... */
	dpr_dl_tensor tensor; /* the elements */
} dpr_dl_versioned;

/* A managed tensor in one of the two forms; the other pointer is NULL.  Its
   owner calls the deleter once. */
typedef struct dpr_dlpack {
	dpr_dl_versioned *versioned; /* of version 1; or NULL */
	dpr_dl_legacy *legacy; /* from before version 1; or NULL */
} dpr_dlpack;

/* Call the deleter of @managed, if it has one, and set both pointers to NULL.
   The deleter of dpr's own tensors never waits. */
static inline void dpr_dlpack_release(dpr_dlpack *managed)
{
	dpr_dl_versioned *versioned = managed->versioned;
	dpr_dl_legacy *legacy = managed->legacy;

	managed->versioned = NULL;
	managed->legacy = NULL;
	if (versioned && versioned->deleter)
		versioned->deleter(versioned);
	if (legacy && legacy->deleter)
		legacy->deleter(legacy);
}

/* How the consumer's work is ordered after the work that dpr has queued. */
typedef enum dpr_dlpack_order {
	/* dpr_array_to_dlpack() waits until the memory may be used. */
	DPR_DLPACK_WAIT = 0,
	/* Work that is enqueued later on `stream`, a driver's queue of the
	   array's device, waits for dpr's work.  The call itself waits only if
	   that driver cannot wait for work of another backend. */
	DPR_DLPACK_STREAM = 1,
	/* The consumer takes care: it works on the native handle of the array's
	   queue, or after dpr_queue_wait() of that queue. */
	DPR_DLPACK_UNORDERED = 2
} dpr_dlpack_order;

/* What the consumer wants of dpr_array_to_dlpack().  The struct grows at its
   end only; 0 in a field means its default. */
typedef struct dpr_dlpack_options {
	size_t struct_size; /* sizeof(dpr_dlpack_options) */
	/* The greatest version that the consumer takes; major 0: the legacy
	   struct. */
	dpr_dl_version version;
	/* Where the consumer wants the elements; type 0: where they are. */
	dpr_dl_device device;
	uint32_t copy; /* enum dpr_copy_mode */
	uint32_t order; /* enum dpr_dlpack_order */
	/* With DPR_DLPACK_STREAM: the handle that dpr_queue_from_native()
	   takes.  Python's numbers for CUDA streams are such handles. */
	uintptr_t stream;
} dpr_dlpack_options;

/*
 * The DLPack device of @x's memory, on which dpr_array_to_dlpack() gives it
 * without a copy.  Calls the driver and does not wait.  *@out is 0, 0 after a
 * failure.
 * DPR_ERROR_UNSUPPORTED: the backend has no DLPack device for this kind of
 * memory; a copy on another device, such as DPR_DL_CPU, is possible.
 */
DPR_API DPR_CHECK dpr_status dpr_array_dlpack_device(
	const dpr_array *x, dpr_dl_device *out);

/*
 * Make a managed tensor of @x for a consumer.  @options NULL: version 1, on the
 * device where @x is, a copy if needed, with DPR_DLPACK_WAIT.
 *
 * Without a copy the tensor shares @x's memory and keeps it until its deleter
 * is called.  The deleter may be called by any thread at any time; it never
 * waits.  By then the consumer's work with the memory must be over, or ordered
 * before anything that dpr enqueues later on @x's queue.  While the tensor
 * lives, dpr does not know what the consumer does: the program orders dpr's
 * later uses after it, for instance with dpr_usm_barrier().
 *
 * A copy is made if the consumer wants another device, or with
 * DPR_COPY_ALWAYS.  It is C-contiguous and has the flag DPR_DL_COPIED.  On
 * DPR_DL_CPU it is in ordinary host memory, and complete when the call returns,
 * whatever the order.  A read-only array (dpr_usm_is_read_only()) has the flag
 * DPR_DL_READ_ONLY; the legacy struct cannot say so and gets a copy.
 *
 * Waits as its order says, for copies to DPR_DL_CPU, and as
 * dpr_array_to_device().  Both pointers of *@out are NULL after a failure.
 * DPR_ERROR_INVALID_ARGUMENT: struct_size is too small; copy or order is
 * unknown; the stream is 0 or not of @x's device; or a copy is needed and copy
 * is DPR_COPY_NEVER.
 * DPR_ERROR_UNSUPPORTED: as dpr_array_dlpack_device(); no device of dpr has the
 * DLPack device that is wanted; or the backend takes no streams.
 * Other errors as dpr_usm_barrier(), dpr_array_wait() and
 * dpr_array_to_device().
 */
DPR_API DPR_CHECK dpr_status dpr_array_to_dlpack(
	const dpr_array *x, const dpr_dlpack_options *options, dpr_dlpack *out);

/*
 * Make an array of a producer's managed tensor, on @queue (NULL: the canonical
 * queue of the first root device that has the tensor's DLPack device).  After
 * DPR_OK dpr owns the tensor and calls its deleter once; after a failure the
 * tensor is still the caller's, and unchanged.
 *
 * Without a copy the array shares the memory.  The elements must be ready for
 * work on @queue: the producer was given @queue's native handle as the
 * consumer's stream, or its work is over.  Uses on other queues wait for what
 * was enqueued on @queue before the call, also by the producer.  The deleter is
 * called as `returned` of dpr_usm_borrow(), when no array has the memory and no
 * submitted work uses it.  Memory that comes twice is lent twice, as
 * dpr_usm_borrow() says.  A tensor with DPR_DL_READ_ONLY gives an array that
 * cannot be written: every operation that would do so fails with
 * DPR_ERROR_INVALID_ARGUMENT.
 *
 * A copy is made if the memory is not of @queue's device, if elements are not
 * aligned to their size (NumPy aligns complex128 to 8 bytes), or with
 * DPR_COPY_ALWAYS.  Memory of another device, except DPR_DL_CPU, must be ready
 * for work on the canonical queue of that device.  From a tensor that dpr made
 * without a copy, the result is the array that the tensor was made of, or a
 * copy.
 *
 * Waits only for copies, as dpr_array_from_memory() and dpr_array_to_queue().
 * DPR_ERROR_INVALID_ARGUMENT: @managed has no tensor or two; a field is wrong
 * (a negative number of axes or extent, more than 32 axes, no data or shape);
 * copy is unknown; a copy is needed and copy is DPR_COPY_NEVER; or the memory
 * is not of the device that the tensor names.
 * DPR_ERROR_UNSUPPORTED: a newer major version, or a DLPack device that no
 * device of dpr has.
 * DPR_ERROR_DTYPE: elements of several lanes or of less than a byte, or a type
 * that dpr does not have.
 * DPR_ERROR_LAYOUT: elements that are not aligned to their size, and copy is
 * DPR_COPY_NEVER, or the tensor has 32 axes.
 * DPR_ERROR_OVERFLOW: the address of an element does not fit 64 bits.
 */
DPR_API DPR_CHECK dpr_status dpr_array_from_dlpack(const dpr_dlpack *managed,
	dpr_queue *queue, dpr_copy_mode copy, dpr_array **out);

DPR_END_DECLS

#endif
