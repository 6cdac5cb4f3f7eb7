/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - the launch of kernels: ranges and arguments.
 *
 * dpr_kernel_launch() launches a kernel with the arguments in the call, each of
 * which DPR_ARG() or a macro such as DPR_LOCAL() makes:
 *
 *	status = dpr_kernel_launch(queue, kernel, DPR_RANGE1(n), NULL, NULL,
 *		DPR_ARG(x), DPR_ARG(2.5f));
 *
 * The two NULL are for the events that the launch waits for, and for its own
 * event.  dpr_kernel_launch_args() takes the arguments as an array of dpr_arg.
 */
#ifndef DPR_LAUNCH_H
#define DPR_LAUNCH_H

#include <string.h>

#include <dpr/base.h>
#include <dpr/status.h>
#include <dpr/usm.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

DPR_BEGIN_DECLS

/*
 * Flags of dpr_range.
 *
 * BRIEF: the work-items only compute, wait for nothing, and all together take a
 * few microseconds and little stack (64 KiB).  Then a backend without a device
 * of its own may do the work in the calling thread, before the call returns, if
 * nothing comes before it.  Other backends ignore the flag.
 *
 * PADDED: the kernel checks its bounds (if (i < n) ...), so more work-items
 * than @global may run.  Without a local size the backend then chooses the
 * fastest, and rounds @global up to a multiple; get_global_size() is the
 * rounded size.  With a local size the flag changes nothing.
 */
typedef enum dpr_range_flags {
	DPR_RANGE_BRIEF = 1,
	DPR_RANGE_PADDED = 2
} dpr_range_flags;

/*
 * The range of a launch, in work-items: exactly @global of them run, and
 * get_global_size() is @global, unless the range is padded (DPR_RANGE_PADDED).
 * A local size must divide @global.  Without a local size (local[0] == 0) dpr
 * chooses a divisor: the largest power of two, up to 256 work-items in a group;
 * or another divisor where such a group has fewer than 8.  Native code
 * (dpr/native.h) gets the largest divisor with up to 4096 work-items in a
 * group, along dimension 0 first, and with fewer where the range is small.
 *
 * So a size with few small divisors costs time.  A large prime number of
 * work-items runs in groups of 1: a GPU then uses 1 of its 32 or more lanes,
 * and a CPU calls the kernel for each work-item.  On a CPU an axpy of 10^7
 * takes 20 to 100 times as long in groups of 1, and 3 to 12 times in groups of
 * 8.  The log says so once for each kernel whose groups have fewer than 16
 * work-items (DPR_LOG=info).  Give such a range the flag DPR_RANGE_PADDED and
 * check bounds in the kernel, or round @global up to a multiple of 256.
 *
 * A range without work-items runs nothing, but is ordered like a launch.
 * Passed by value; its layout never changes.
 */
typedef struct dpr_range {
	uint32_t dims; /* 1, 2 or 3 */
	uint32_t flags; /* enum dpr_range_flags, ORed */
	uint64_t global[3]; /* work-items along each dimension */
	uint64_t local[3]; /* work-items in a group; local[0] 0: dpr chooses */
} dpr_range;

/* A range of one dimension, in work-items.  dpr chooses the local size. */
static inline dpr_range dpr_range1(uint64_t n)
{
	dpr_range range = { 1, 0, { n, 1, 1 }, { 0, 0, 0 } };

	return range;
}

/* A range of two dimensions, in work-items.  dpr chooses the local size.  @n0 is
   dimension 0, which is get_global_id(0) in the kernel. */
static inline dpr_range dpr_range2(uint64_t n0, uint64_t n1)
{
	dpr_range range = { 2, 0, { n0, n1, 1 }, { 0, 0, 0 } };

	return range;
}

/* A range of three dimensions, in work-items.  dpr chooses the local size.  @n0
   is dimension 0, which is get_global_id(0) in the kernel. */
static inline dpr_range dpr_range3(uint64_t n0, uint64_t n1, uint64_t n2)
{
	dpr_range range = { 3, 0, { n0, n1, n2 }, { 0, 0, 0 } };

	return range;
}

/* dpr_range1(), dpr_range2() and dpr_range3() as macros. */
#define DPR_RANGE1(n) dpr_range1(n)
#define DPR_RANGE2(n0, n1) dpr_range2((n0), (n1))
#define DPR_RANGE3(n0, n1, n2) dpr_range3((n0), (n1), (n2))

/* @range with a local size of @l0, @l1 and @l2 work-items; sizes beyond the
   range's dimensions are ignored. */
static inline dpr_range dpr_range_local(
	dpr_range range, uint64_t l0, uint64_t l1, uint64_t l2)
{
	range.local[0] = l0;
	range.local[1] = l1;
	range.local[2] = l2;
	return range;
}

/* @range with the flag DPR_RANGE_PADDED: more work-items than it says may run,
   and the kernel checks its bounds, see dpr_range_flags. */
static inline dpr_range dpr_range_padded(dpr_range range)
{
	range.flags |= DPR_RANGE_PADDED;
	return range;
}

/* The kinds of dpr_arg. */
typedef enum dpr_arg_kind {
	DPR_ARG_VALUE = 0, /* a scalar of up to 16 bytes */
	DPR_ARG_ARRAY =
		1, /* a C-contiguous array: the pointer to its first element */
	DPR_ARG_USM = 2, /* an allocation and a byte offset */
	DPR_ARG_LOCAL = 3, /* local memory, in bytes */
	DPR_ARG_BYTES_AT = 4, /* a struct, copied by the launch */
	DPR_ARG_STRIDED = 5, /* any array: two parameters, see DPR_STRIDED */
	DPR_ARG_BASE =
		6 /* any array: the pointer to its allocation's first byte */
} dpr_arg_kind;

/*
 * How the kernel uses memory.  NONE: the launch is not ordered against other
 * uses of the allocation (the caller orders it with `after`).  WRITE: the
 * kernel writes some of it, and does not read its old contents.  WRITE_ALL: the
 * kernel writes every byte of the allocation, so its old contents do not
 * matter, valid or not (dpr/usm.h); SYCL calls this write_only with no_init.
 */
typedef enum dpr_access {
	DPR_NONE = 0,
	DPR_READ = 1,
	DPR_WRITE = 2,
	DPR_READ_WRITE = 3,
	DPR_WRITE_ALL = 6
} dpr_access;

/* One argument.  Passed by value; its layout never changes.  What it points to
   is borrowed for the call. */
typedef struct dpr_arg {
	uint32_t kind; /* enum dpr_arg_kind */
	uint32_t access; /* enum dpr_access */
	size_t size; /* bytes of a value, of a struct or of local memory */
	/* The argument itself, as its kind says. */
	union {
		unsigned char value[16]; /* a scalar */
		const dpr_array *array;
		const void *bytes; /* a struct */
		/* a place in an allocation */
		struct {
			dpr_usm *usm;
			size_t offset; /* in bytes */
		} at;
	} as;
} dpr_arg;

/*
 * What DPR_STRIDED passes by value after the base pointer: the array's offset,
 * shape and strides, all in elements.
 */
typedef struct dpr_strided {
	int64_t offset; /* of the first element */
	int32_t rank; /* the number of axes */
	int32_t pad; /* 0 */
	int64_t shape[8]; /* the extents of the axes */
	int64_t stride[8]; /* the strides of the axes */
} dpr_strided;

/*
 * Launch @kernel over @range on @queue, after the events of @after.  @after is
 * a list of events, such as DPR_AFTER(a, b), or NULL, to wait for none.  *@done
 * becomes the event of this launch, of which the caller gets a reference; @done
 * may be NULL.
 *
 * The number, kinds and sizes of the arguments are compared with the kernel's
 * parameters; a float passes for an int.  Not compared are: sizes of values for
 * structs and typedefs on PoCL, which does not report these sizes; arguments
 * of cubins, and of kernels whose list of parameters has macros, with an NVIDIA
 * driver before CUDA 12.4; arguments of a vendor's own format on Level Zero.
 * Arrays must be on @queue.  Array arguments are ordered against every other
 * use of their allocation: a `const dpr_array *` is read, a `dpr_array *` is
 * read and written.  Does not wait.  Arguments are copied or kept alive, so the
 * caller may release them at once.
 * DPR_ERROR_INVALID_ARGUMENT: a wrong number, kind or size of an argument; more
 * local memory than the device has; a local size that does not divide the
 * global size; without DPR_RANGE_PADDED, a global size with no divisor that the
 * kernel and the device take as local size; too large a range.
 * DPR_ERROR_EXECUTION_PLACEMENT: an array is on another queue, or the kernel is
 * of another device.
 * DPR_ERROR_LAYOUT: an array is not C-contiguous (use dpr_copy(), DPR_STRIDED
 * or DPR_BASE), or starts at an offset that the device cannot bind.
 */
DPR_API DPR_CHECK dpr_status dpr_kernel_launch_args(dpr_queue *queue,
	dpr_kernel *kernel, dpr_range range, const dpr_events *after,
	dpr_event **done, const dpr_arg *args, size_t n_args);

/*
 * Launch a kernel without array arguments.  dpr_kernel_launch_args() calls
 * this.  An argument of kind DPR_ARG_USM is ordered like an array, as its access
 * says, or not at all if that is DPR_NONE.
 */
DPR_API DPR_CHECK dpr_status dpr_kernel_launch_usm(dpr_queue *queue,
	dpr_kernel *kernel, dpr_range range, const dpr_events *after,
	dpr_event **done, const dpr_arg *args, size_t n_args);

DPR_END_DECLS

/* The functions below make arguments, by value, and never fail.  A bad
   argument, such as a NULL array, is reported by the launch.  DPR_ARG chooses
   the function by type. dpr_arg_i8() to dpr_arg_f64() make a number of that
   type. */
#define DPR__MAKE_ARG(name, T)                     \
	static inline dpr_arg dpr_arg_##name(T v)  \
	{                                          \
		dpr_arg a;                         \
		memset(&a, 0, sizeof(a));          \
		a.kind = DPR_ARG_VALUE;            \
		a.size = sizeof(v);                \
		memcpy(a.as.value, &v, sizeof(v)); \
		return a;                          \
	}
DPR__MAKE_ARG(i8, signed char)
DPR__MAKE_ARG(u8, unsigned char)
DPR__MAKE_ARG(i16, short)
DPR__MAKE_ARG(u16, unsigned short)
DPR__MAKE_ARG(i32, int)
DPR__MAKE_ARG(u32, unsigned)
DPR__MAKE_ARG(i64, long long)
DPR__MAKE_ARG(u64, unsigned long long)
DPR__MAKE_ARG(f32, float)
DPR__MAKE_ARG(f64, double)
#undef DPR__MAKE_ARG

/* Returns @a, for DPR_ARG. */
static inline dpr_arg dpr_arg_same(dpr_arg a)
{
	return a;
}

/*
 * Make an argument of kind @kind (DPR_ARG_ARRAY, _STRIDED or _BASE) from an
 * array.  @access says how the kernel uses the array.  The array is borrowed
 * until the launch returns.  The same holds for the objects passed to all the
 * functions below.
 */
static inline dpr_arg dpr_arg_of_array(
	const dpr_array *x, uint32_t kind, uint32_t access)
{
	dpr_arg a;

	memset(&a, 0, sizeof(a));
	a.kind = kind;
	a.access = access;
	a.as.array = x;
	return a;
}

/* A C-contiguous array that the kernel reads. */
static inline dpr_arg dpr_arg_array_r(const dpr_array *x)
{
	return dpr_arg_of_array(x, DPR_ARG_ARRAY, DPR_READ);
}

/* A C-contiguous array that the kernel reads and writes. */
static inline dpr_arg dpr_arg_array_rw(const dpr_array *x)
{
	return dpr_arg_of_array(x, DPR_ARG_ARRAY, DPR_READ_WRITE);
}

/* DPR_STRIDED of an array that the kernel reads. */
static inline dpr_arg dpr_arg_strided_r(const dpr_array *x)
{
	return dpr_arg_of_array(x, DPR_ARG_STRIDED, DPR_READ);
}

/* DPR_STRIDED of an array that the kernel reads and writes. */
static inline dpr_arg dpr_arg_strided_rw(const dpr_array *x)
{
	return dpr_arg_of_array(x, DPR_ARG_STRIDED, DPR_READ_WRITE);
}

/* DPR_BASE of an array that the kernel reads. */
static inline dpr_arg dpr_arg_base_r(const dpr_array *x)
{
	return dpr_arg_of_array(x, DPR_ARG_BASE, DPR_READ);
}

/* DPR_BASE of an array that the kernel reads and writes. */
static inline dpr_arg dpr_arg_base_rw(const dpr_array *x)
{
	return dpr_arg_of_array(x, DPR_ARG_BASE, DPR_READ_WRITE);
}

/* An allocation from byte @offset on, ordered as @access (enum dpr_access)
   says.  The launch keeps it alive until its work is done. */
static inline dpr_arg dpr_arg_usm_use(
	dpr_usm *usm, size_t offset, uint32_t access)
{
	dpr_arg a;

	memset(&a, 0, sizeof(a));
	a.kind = DPR_ARG_USM;
	a.access = access;
	a.as.at.usm = usm;
	a.as.at.offset = offset;
	return a;
}

/* An allocation from byte @offset on, not ordered against other uses
   (DPR_NONE). */
static inline dpr_arg dpr_arg_usm_at(dpr_usm *usm, size_t offset)
{
	return dpr_arg_usm_use(usm, offset, DPR_NONE);
}

/* All of an allocation, not ordered against other uses (DPR_NONE). */
static inline dpr_arg dpr_arg_usm(dpr_usm *usm)
{
	return dpr_arg_usm_use(usm, 0, DPR_NONE);
}

/* Local memory of @bytes bytes, see DPR_LOCAL. */
static inline dpr_arg dpr_arg_local(size_t bytes)
{
	dpr_arg a;

	memset(&a, 0, sizeof(a));
	a.kind = DPR_ARG_LOCAL;
	a.size = bytes;
	return a;
}

/* A struct of @size bytes, see DPR_STRUCT. */
static inline dpr_arg dpr_arg_bytes(const void *bytes, size_t size)
{
	dpr_arg a;

	memset(&a, 0, sizeof(a));
	a.kind = DPR_ARG_BYTES_AT;
	a.size = size;
	a.as.bytes = bytes;
	return a;
}

/*
 * Arguments other than arrays and scalars.  DPR_LOCAL: local memory.
 * DPR_USM_AT: an allocation from a byte offset on, not ordered against other
 * uses; the other DPR_USM_ macros make the launch ordered.  DPR_STRUCT: a
 * struct, copied by the launch.  The local memory of a launch plus what the
 * kernel declares itself (local_size of dpr_kernel_info) must not exceed the
 * device's DPR_INFO_LOCAL_MEM_SIZE; otherwise the launch fails with
 * DPR_ERROR_INVALID_ARGUMENT.
 */
#define DPR_LOCAL(bytes) dpr_arg_local(bytes)
#define DPR_USM_AT(usm, offset) dpr_arg_usm_at((usm), (offset))
#define DPR_USM_READ(usm, offset) dpr_arg_usm_use((usm), (offset), DPR_READ)
#define DPR_USM_READ_WRITE(usm, offset) \
	dpr_arg_usm_use((usm), (offset), DPR_READ_WRITE)
#define DPR_USM_WRITE(usm, offset) dpr_arg_usm_use((usm), (offset), DPR_WRITE)
#define DPR_USM_WRITE_ALL(usm) dpr_arg_usm_use((usm), 0, DPR_WRITE_ALL)
#define DPR_STRUCT(lvalue) dpr_arg_bytes(&(lvalue), sizeof(lvalue))

#ifndef __cplusplus
/* A bool as one byte, for DPR_ARG. */
static inline dpr_arg dpr_arg_bool(bool v)
{
	return dpr_arg_u8(v);
}

/* A long in its width on this machine, for DPR_ARG. */
static inline dpr_arg dpr_arg_long(long v)
{
	return sizeof(long) == 8 ? dpr_arg_i64(v) : dpr_arg_i32((int)v);
}

/* An unsigned long in its width on this machine, for DPR_ARG. */
static inline dpr_arg dpr_arg_ulong(unsigned long v)
{
	return sizeof(long) == 8 ? dpr_arg_u64(v) : dpr_arg_u32((unsigned)v);
}
#endif

/*
 * DPR_ARG(x): an argument from a real scalar, an array, a dpr_usm or another
 * dpr_arg.
 * DPR_STRIDED(x): an array of any layout with up to 8 axes.  It fills two
 * parameters of the kernel: `global T *base`, and a struct with the fields of
 * dpr_strided.
 * DPR_BASE(x): only the first of these two parameters.
 */
#ifdef __cplusplus
static inline dpr_arg dpr_arg_of(dpr_arg a)
{
	return a;
}
static inline dpr_arg dpr_arg_of(const dpr_array *x)
{
	return dpr_arg_array_r(x);
}
static inline dpr_arg dpr_arg_of(dpr_array *x)
{
	return dpr_arg_array_rw(x);
}
static inline dpr_arg dpr_arg_of(dpr_usm *usm)
{
	return dpr_arg_usm(usm);
}
static inline dpr_arg dpr_arg_of(bool v)
{
	return dpr_arg_u8(v);
}
static inline dpr_arg dpr_strided_of(const dpr_array *x)
{
	return dpr_arg_strided_r(x);
}
static inline dpr_arg dpr_strided_of(dpr_array *x)
{
	return dpr_arg_strided_rw(x);
}
static inline dpr_arg dpr_base_of(const dpr_array *x)
{
	return dpr_arg_base_r(x);
}
static inline dpr_arg dpr_base_of(dpr_array *x)
{
	return dpr_arg_base_rw(x);
}
#define DPR__X(T, maker)                      \
	static inline dpr_arg dpr_arg_of(T v) \
	{                                     \
		return dpr_arg_##maker(v);    \
	}
DPR__X(char, i8)
DPR__X(signed char, i8)
DPR__X(short, i16)
DPR__X(int, i32)
DPR__X(long, i64)
DPR__X(long long, i64)
DPR__X(unsigned char, u8)
DPR__X(unsigned short, u16)
DPR__X(unsigned, u32)
DPR__X(unsigned long, u64)
DPR__X(unsigned long long, u64)
DPR__X(float, f32)
DPR__X(double, f64)
#undef DPR__X
/* Without this, any other pointer would become a bool. */
template <class T> dpr_arg dpr_arg_of(T *) = delete;
#define DPR_ARG(x) dpr_arg_of(x)
#define DPR_STRIDED(x) dpr_strided_of(x)
#define DPR_BASE(x) dpr_base_of(x)

/* Launch with the arguments in the call: a, x, DPR_STRIDED(y), ...  Otherwise
   as dpr_kernel_launch_args(). */
template <class... A>
DPR_CHECK static inline dpr_status dpr_kernel_launch(dpr_queue *queue,
	dpr_kernel *kernel, dpr_range range, const dpr_events *after,
	dpr_event **done, const A &...args)
{
	const dpr_arg list[] = { dpr_arg_of(args)..., dpr_arg() };

	return dpr_kernel_launch_args(
		queue, kernel, range, after, done, list, sizeof...(A));
}
#else
#define DPR_ARG(x) \
	_Generic((x), dpr_arg: dpr_arg_same, dpr_array *: dpr_arg_array_rw, \
		const dpr_array *: dpr_arg_array_r, dpr_usm *: dpr_arg_usm, \
		bool: dpr_arg_bool, char: dpr_arg_i8, \
		signed char: dpr_arg_i8, unsigned char: dpr_arg_u8, \
		short: dpr_arg_i16, unsigned short: dpr_arg_u16, \
		int: dpr_arg_i32, unsigned: dpr_arg_u32, long: dpr_arg_long, \
		unsigned long: dpr_arg_ulong, long long: dpr_arg_i64, \
		unsigned long long: dpr_arg_u64, float: dpr_arg_f32, \
		double: dpr_arg_f64)(x)
#define DPR_STRIDED(x) \
	_Generic((x), dpr_array *: dpr_arg_strided_rw, \
		const dpr_array *: dpr_arg_strided_r)(x)
#define DPR_BASE(x) \
	_Generic((x), dpr_array *: dpr_arg_base_rw, \
		const dpr_array *: dpr_arg_base_r)(x)

/* --- A launch with the arguments in the call ----------------------------- */

/*
 * Launch a kernel with the arguments in the call: DPR_ARG(a), DPR_ARG(x), ...
 * The parameters before them are
 *
 *	dpr_queue *queue         the queue to launch on
 *	dpr_kernel *kernel       the kernel
 *	dpr_range range          how many work-items, such as DPR_RANGE1(n)
 *	const dpr_events *after  the events to wait for, such as DPR_AFTER(a, b);
 *	                         NULL: none
 *	dpr_event **done         the place for the event of the launch; NULL: none
 *
 * The result is a dpr_status.  This launches a kernel with two parameters,
 * `global float *x` and `float factor`, and waits for its event:
 *
 *	dpr_event *done;
 *	if (!(status = dpr_kernel_launch(queue, kernel, DPR_RANGE1(n), NULL,
 *		&done, DPR_ARG(x), DPR_ARG(2.5f)))) {
 *		status = dpr_event_wait(done);
 *		dpr_event_release(done);
 *	}
 *
 * Otherwise as dpr_kernel_launch_args(), which has the errors.
 */
#define dpr_kernel_launch(queue, kernel, range, after, done, ...)           \
	dpr_kernel_launch_args((queue), (kernel), (range), (after), (done), \
		(const dpr_arg[]){ __VA_ARGS__ },                           \
		sizeof((const dpr_arg[]){ __VA_ARGS__ }) / sizeof(dpr_arg))
#endif

#endif
