/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native.h - kernels of one's own for CPUs, in C or C++, without a compiler at
 * run time.
 *
 * A native image is a table of functions of this process (dpr_native_module).
 * Give it to dpr_program_build() beside an image in OpenCL C, and the program
 * runs on every device: CPUs call the functions, GPUs compile the text.  These
 * devices take native images: the device of `host`; an OpenCL device of the CPU
 * whose driver runs functions of this process (PoCL does), unless
 * DPR_OPTION_OPENCL_NATIVE=no is set; and the device of any other plugin whose
 * DPR_INFO_FORMATS has DPR_NATIVE_FORMAT.
 *
 * Example: y += a * x.
 *
 *	static inline void axpy(dpr_native_item item, float a, const float *x,
 *		float *y)
 *	{
 *		const uint64_t i = item.global_id[0];
 *
 *		y[i] += a * x[i];
 *	}
 *	DPR_NATIVE_ITEMS(axpy_kernel, axpy, DPR_NATIVE_VALUE(float),
 *		DPR_NATIVE_POINTER(const float), DPR_NATIVE_POINTER(float))
 *
 *	static const char text[] =
 *		"kernel void axpy(float a, global const float *x,"
 *		"	global float *y)"
 *		"{"
 *		"	size_t i = get_global_id(0);"
 *		"	y[i] += a * x[i];"
 *		"}";
 *	static const dpr_native_kernel kernels[] = {
 *		DPR_NATIVE_ENTRY("axpy", axpy_kernel)
 *	};
 *	static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);
 *	...
 *	const dpr_image images[] = { DPR_NATIVE_IMAGE(module),
 *		{ "opencl-c", NULL, text, sizeof(text) - 1 } };
 *
 *	status = dpr_program_build(queue, images, 2, NULL, &program);
 *
 * Kernels are created and launched as those of other images.  The name and the
 * parameters of a native kernel must be those of the text.  Array arguments are
 * ordered, and layers (DPR_LAYERS) work, as for other kernels: DPR_LAYERS=check
 * names a kernel that writes past the end of an argument.
 *
 * The program's compiler vectorises the loop over work-items: gcc with -O3,
 * clang with -O2.  Without an option such as -march=native, both use the
 * instructions that every machine of the target has (SSE2 on x86-64).
 *
 * A CPU calls the function of a kernel once for each work-group.  Without a
 * local size a group has the largest size that divides the range, along
 * dimension 0 first: up to 4096 work-items, or fewer, down to 256, where each
 * thread of the CPU would get fewer than 16 groups.  Where a work-item takes
 * few instructions, groups of 256 cost up to a tenth of the time, and rows of
 * 32 work-items a fifth.
 *
 * Rules for the functions:
 *
 * - The code, the tables and all that they point to stay, unchanged, as long as
 *   the program: do not close a shared library with kernels before.
 * - Any thread may call a function, and several threads may call it at the same
 *   time for several groups.  The order of groups is not defined, and no group
 *   waits for another.
 * - A function calls no function of dpr.  No C++ exception and no longjmp()
 *   leaves it, and it does not end its thread.  A crash ends the process.
 * - 64 KiB of stack are safe in every launch.  The backends of dpr give 2 MiB
 *   in a launch without DPR_RANGE_BRIEF.
 * - In the backends of dpr, rounding and the handling of subnormal numbers are
 *   as in the thread that made the queue.  A function that changes this state
 *   restores it before the function returns.  The flags of floating-point
 *   exceptions are undefined.
 * - Pointers are those of this process, so a kernel may follow pointers in its
 *   arguments.  OpenCL C and GPUs cannot.
 *
 * The compiler's options, build flags and DPR_RANGE_BRIEF do not change a
 * function.  Native programs have no specialization constants and no binary,
 * and are not kept on disk.
 */
#ifndef DPR_NATIVE_H
#define DPR_NATIVE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <dpr/base.h>

DPR_BEGIN_DECLS

/* The image format of the machine that the including file is compiled for. */
#if defined(__x86_64__)
#define DPR_NATIVE_FORMAT "native-x86_64"
#elif defined(__aarch64__)
#define DPR_NATIVE_FORMAT "native-aarch64"
#elif defined(__riscv) && __riscv_xlen == 64
#define DPR_NATIVE_FORMAT "native-riscv64"
#elif defined(__powerpc64__)
#define DPR_NATIVE_FORMAT "native-powerpc64"
#else
#define DPR_NATIVE_FORMAT "native-cpu"
#endif

/* --- The tables ----------------------------------------------------------- */

/*
 * A function that executes one work-group.  The macros below make such
 * functions.
 *
 * @args has a pointer for each parameter.  For a VALUE it points to the value,
 * which is aligned to 16 bytes.  For a POINTER and for LOCAL memory it points
 * to a void *, and that is the address.  An argument made by DPR_STRIDED() is
 * two: a POINTER and a VALUE of type dpr_strided.
 * @global is the range in work-items: what the launch asked for, or more if it
 * has DPR_RANGE_PADDED.  @local is the size of a group, which divides @global.
 * @group is the index of the group.  Beyond the dimensions of the range, sizes
 * are 1 and indices 0.
 */
typedef void (*dpr_native_run)(const void *const *args,
	const uint64_t global[3], const uint64_t local[3],
	const uint64_t group[3]);

/* The kinds of dpr_native_param. */
typedef enum dpr_native_param_kind {
	DPR_NATIVE_PARAM_VALUE = 1, /* a scalar or a struct */
	DPR_NATIVE_PARAM_POINTER = 2, /* an array or an allocation */
	DPR_NATIVE_PARAM_LOCAL = 3 /* local memory, aligned to 64 bytes */
} dpr_native_param_kind;

/* A parameter.  Its layout never changes. */
typedef struct dpr_native_param {
	uint32_t kind; /* enum dpr_native_param_kind */
	uint32_t reserved; /* 0 */
	uint64_t size; /* of a VALUE; sizeof(void *) of a POINTER; 0 of LOCAL */
} dpr_native_param;

/* A kernel.  Its layout never changes. */
typedef struct dpr_native_kernel {
	const char *name; /* for dpr_kernel_create() */
	dpr_native_run run; /* computes a group */
	uint32_t n_params; /* the number of parameters */
	uint32_t reserved; /* 0 */
	const dpr_native_param *params; /* the parameters, in their order */
} dpr_native_kernel;

/* The data of a native image. */
typedef struct dpr_native_module {
	size_t struct_size; /* sizeof(dpr_native_module) */
	uint32_t n_kernels; /* the number of kernels */
	uint32_t reserved; /* 0 */
	const dpr_native_kernel *kernels; /* the kernels */
} dpr_native_module;

/* --- Functions of items and of groups ------------------------------------- */

/* The place of a work-item in the range, as get_global_id() and others of
   OpenCL C have it. */
typedef struct dpr_native_item {
	uint64_t global_id[3]; /* the place in the range */
	uint64_t local_id[3]; /* the place in the group */
	uint64_t group_id[3]; /* the place of the group */
	uint64_t global_size[3]; /* work-items in the range */
	uint64_t local_size[3]; /* work-items in a group */
} dpr_native_item;

/* The place of a work-group in the range.  first is the global id of the
   group's first work-item. */
typedef struct dpr_native_group {
	uint64_t group_id[3]; /* the place of the group */
	uint64_t first[3]; /* the place of its first work-item in the range */
	uint64_t global_size[3]; /* work-items in the range */
	uint64_t local_size[3]; /* work-items in a group */
} dpr_native_group;

/* Get the group that a dpr_native_run is called for. */
static inline dpr_native_group dpr_native_group_of(const uint64_t global[3],
	const uint64_t local[3], const uint64_t group[3])
{
	const dpr_native_group it = { { group[0], group[1], group[2] },
		{ group[0] * local[0], group[1] * local[1],
			group[2] * local[2] },
		{ global[0], global[1], global[2] },
		{ local[0], local[1], local[2] } };

	return it;
}

/* Get the work-item of @group whose global id is @i, @j, @k. */
static inline dpr_native_item dpr_native_item_of(
	const dpr_native_group *group, uint64_t i, uint64_t j, uint64_t k)
{
	const dpr_native_item it = { { i, j, k },
		{ i - group->first[0], j - group->first[1],
			k - group->first[2] },
		{ group->group_id[0], group->group_id[1], group->group_id[2] },
		{ group->global_size[0], group->global_size[1],
			group->global_size[2] },
		{ group->local_size[0], group->local_size[1],
			group->local_size[2] } };

	return it;
}

DPR_END_DECLS

/*
 * The parameters of a kernel, for DPR_NATIVE_ITEMS and DPR_NATIVE_GROUPS: a
 * value of type T; a pointer of type T *; local memory, as a T *.  T has no
 * comma, so give such a type of C++ a name first.  In C++ a value can be copied
 * by memcpy().
 */
#define DPR_NATIVE_VALUE(T) (DPR_NATIVE_PARAM_VALUE, T, sizeof(T))
#define DPR_NATIVE_POINTER(T) (DPR_NATIVE_PARAM_POINTER, T *, sizeof(void *))
#define DPR_NATIVE_LOCAL(T) (DPR_NATIVE_PARAM_LOCAL, T *, 0)

/*
 * DPR_NATIVE_ITEMS(kernel, item, parameter...): define the kernel `kernel` by
 * the function `item`, which executes one work-item:
 *
 *	static inline void item(dpr_native_item at, argument...)
 *
 * There are 1 to 16 parameters.  The items of a group are executed in loops,
 * the innermost along dimension 0.  As in OpenCL they must not depend on each
 * other: the compiler may execute several at the same time.  `item` is static
 * inline, so that the compiler sees the whole loop.
 *
 * A check of bounds in `item` (if (i < n) ...) keeps compilers from vectorising
 * the loop.  A kernel for padded ranges takes the form of groups instead, and
 * ends its loop at the last element:
 *
 *	static inline void axpy(dpr_native_group at, float a, const float *x,
 *		float *y, uint64_t n)
 *	{
 *		uint64_t i, end = at.first[0] + at.local_size[0];
 *
 *		if (end > n)
 *			end = n;
 *		for (i = at.first[0]; i < end; i++)
 *			y[i] += a * x[i];
 *	}
 *
 * `kernel` is an identifier that the program does not use otherwise: the macro
 * defines kernel_run and kernel_params, which DPR_NATIVE_ENTRY uses.
 */
#define DPR_NATIVE_ITEMS(kernel, item, ...)                                       \
	DPR__NATIVE_PARAMS(kernel, __VA_ARGS__)                                   \
	static void kernel##_run(const void *const *dpr_args,                     \
		const uint64_t dpr_global[3], const uint64_t dpr_local[3],        \
		const uint64_t dpr_group[3])                                      \
	{                                                                         \
		const dpr_native_group dpr_at =                                   \
			dpr_native_group_of(dpr_global, dpr_local, dpr_group);    \
		const uint64_t dpr_m = dpr_at.first[0] + dpr_local[0];            \
		const uint64_t dpr_n = dpr_at.first[1] + dpr_local[1];            \
		const uint64_t dpr_o = dpr_at.first[2] + dpr_local[2];            \
		uint64_t dpr_i, dpr_j, dpr_k;                                     \
		DPR__NATIVE_EACH(DPR__NATIVE_LOAD, __VA_ARGS__)                   \
                                                                                  \
		for (dpr_k = dpr_at.first[2]; dpr_k < dpr_o; dpr_k++)             \
			for (dpr_j = dpr_at.first[1]; dpr_j < dpr_n;              \
				dpr_j++) {                                        \
				DPR__NATIVE_LOOP                                  \
				for (dpr_i = dpr_at.first[0]; dpr_i < dpr_m;      \
					dpr_i++)                                  \
					item(dpr_native_item_of(                  \
						&dpr_at, dpr_i, dpr_j, dpr_k)     \
							DPR__NATIVE_EACH(         \
								DPR__NATIVE_NEXT, \
								__VA_ARGS__));    \
			}                                                         \
	}

/*
 * DPR_NATIVE_GROUPS(kernel, group, parameter...): define the kernel `kernel` by
 * the function `group`, which executes a whole work-group:
 *
 *	static inline void group(dpr_native_group at, argument...)
 *
 * Kernels with local memory or barriers take this form.  A barrier splits the
 * function into phases: each phase is a loop over the items of the group, and
 * all items have ended a phase before the next begins.  What an item keeps in
 * private variables across a barrier becomes an array with an element per item.
 *
 * Example: the sum of each group, in OpenCL C and as a native kernel.
 *
 *	kernel void sums(global const float *x, global float *sum,
 *		local float *part)
 *	{
 *		size_t i = get_local_id(0), k;
 *		part[i] = x[get_global_id(0)];
 *		barrier(CLK_LOCAL_MEM_FENCE);
 *		if (i == 0) {
 *			float s = 0;
 *			for (k = 0; k < get_local_size(0); k++)
 *				s += part[k];
 *			sum[get_group_id(0)] = s;
 *		}
 *	}
 *
 *	static inline void sums(dpr_native_group at, const float *x, float *sum,
 *		float *part)
 *	{
 *		const uint64_t n = at.local_size[0];
 *		uint64_t i;
 *		float s = 0;
 *
 *		for (i = 0; i < n; i++)
 *			part[i] = x[at.first[0] + i];
 *		// The barrier was here.
 *		for (i = 0; i < n; i++)
 *			s += part[i];
 *		sum[at.group_id[0]] = s;
 *	}
 *	DPR_NATIVE_GROUPS(sums_kernel, sums, DPR_NATIVE_POINTER(const float),
 *		DPR_NATIVE_POINTER(float), DPR_NATIVE_LOCAL(float))
 */
#define DPR_NATIVE_GROUPS(kernel, group, ...)                               \
	DPR__NATIVE_PARAMS(kernel, __VA_ARGS__)                             \
	static void kernel##_run(const void *const *dpr_args,               \
		const uint64_t dpr_global[3], const uint64_t dpr_local[3],  \
		const uint64_t dpr_group[3])                                \
	{                                                                   \
		DPR__NATIVE_EACH(DPR__NATIVE_LOAD, __VA_ARGS__)             \
                                                                            \
		group(dpr_native_group_of(dpr_global, dpr_local, dpr_group) \
				DPR__NATIVE_EACH(                           \
					DPR__NATIVE_NEXT, __VA_ARGS__));    \
	}

/*
 * Initializers: of a dpr_native_kernel, for a kernel of the macros above, with
 * its name in the program; of a dpr_native_module, for an array of kernels; of
 * a dpr_image, for a module.
 */
#define DPR_NATIVE_ENTRY(name, kernel)                                         \
	{                                                                      \
		name, kernel##_run,                                            \
			sizeof(kernel##_params) / sizeof(dpr_native_param), 0, \
			kernel##_params                                        \
	}
#define DPR_NATIVE_MODULE(kernels)                                      \
	{                                                               \
		sizeof(dpr_native_module),                              \
			sizeof(kernels) / sizeof(dpr_native_kernel), 0, \
			kernels                                         \
	}
#define DPR_NATIVE_IMAGE(module)                                   \
	{                                                          \
		DPR_NATIVE_FORMAT, NULL, &(module), sizeof(module) \
	}

/* --- How the macros do it ------------------------------------------------- */

/* gcc need not prove that work-items are independent.  clang compares addresses
   at run time. */
#if defined(__GNUC__) && !defined(__clang__)
#define DPR__NATIVE_LOOP _Pragma("GCC ivdep")
#else
#define DPR__NATIVE_LOOP
#endif

/* Of parameter @p, which is (kind, type, size) and has number @i: its entry in
   the table, a variable with the argument, and that variable in a call. */
#define DPR__NATIVE_ROW(i, p) DPR__NATIVE_ROW_OF p,
#define DPR__NATIVE_ROW_OF(kind, T, size) \
	{                                 \
		kind, 0, size             \
	}
#define DPR__NATIVE_LOAD(i, p)       \
	DPR__NATIVE_TYPE p dpr_a##i; \
	memcpy(&dpr_a##i, dpr_args[i], sizeof(dpr_a##i));
#define DPR__NATIVE_TYPE(kind, T, size) T
#define DPR__NATIVE_NEXT(i, p) , dpr_a##i

#define DPR__NATIVE_PARAMS(kernel, ...)                                       \
	static const dpr_native_param kernel##_params[] = { DPR__NATIVE_EACH( \
		DPR__NATIVE_ROW, __VA_ARGS__) };

/* M(i, p) for each of 1 to 16 parameters p. */
#define DPR__NATIVE_EACH(M, ...)                                              \
	DPR__NATIVE_PICK(__VA_ARGS__, DPR__NATIVE_16, DPR__NATIVE_15,         \
		DPR__NATIVE_14, DPR__NATIVE_13, DPR__NATIVE_12,               \
		DPR__NATIVE_11, DPR__NATIVE_10, DPR__NATIVE_9, DPR__NATIVE_8, \
		DPR__NATIVE_7, DPR__NATIVE_6, DPR__NATIVE_5, DPR__NATIVE_4,   \
		DPR__NATIVE_3, DPR__NATIVE_2, DPR__NATIVE_1, 0)               \
	(M, __VA_ARGS__)
#define DPR__NATIVE_PICK(                                        \
	a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, it, ...) \
	it
#define DPR__NATIVE_1(M, a) M(0, a)
#define DPR__NATIVE_2(M, a, b) DPR__NATIVE_1(M, a) M(1, b)
#define DPR__NATIVE_3(M, a, b, c) DPR__NATIVE_2(M, a, b) M(2, c)
#define DPR__NATIVE_4(M, a, b, c, d) DPR__NATIVE_3(M, a, b, c) M(3, d)
#define DPR__NATIVE_5(M, a, b, c, d, e) DPR__NATIVE_4(M, a, b, c, d) M(4, e)
#define DPR__NATIVE_6(M, a, b, c, d, e, f) \
	DPR__NATIVE_5(M, a, b, c, d, e) M(5, f)
#define DPR__NATIVE_7(M, a, b, c, d, e, f, g) \
	DPR__NATIVE_6(M, a, b, c, d, e, f) M(6, g)
#define DPR__NATIVE_8(M, a, b, c, d, e, f, g, h) \
	DPR__NATIVE_7(M, a, b, c, d, e, f, g) M(7, h)
#define DPR__NATIVE_9(M, a, b, c, d, e, f, g, h, i) \
	DPR__NATIVE_8(M, a, b, c, d, e, f, g, h) M(8, i)
#define DPR__NATIVE_10(M, a, b, c, d, e, f, g, h, i, j) \
	DPR__NATIVE_9(M, a, b, c, d, e, f, g, h, i) M(9, j)
#define DPR__NATIVE_11(M, a, b, c, d, e, f, g, h, i, j, k) \
	DPR__NATIVE_10(M, a, b, c, d, e, f, g, h, i, j) M(10, k)
#define DPR__NATIVE_12(M, a, b, c, d, e, f, g, h, i, j, k, l) \
	DPR__NATIVE_11(M, a, b, c, d, e, f, g, h, i, j, k) M(11, l)
#define DPR__NATIVE_13(M, a, b, c, d, e, f, g, h, i, j, k, l, m) \
	DPR__NATIVE_12(M, a, b, c, d, e, f, g, h, i, j, k, l) M(12, m)
#define DPR__NATIVE_14(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n) \
	DPR__NATIVE_13(M, a, b, c, d, e, f, g, h, i, j, k, l, m) M(13, n)
#define DPR__NATIVE_15(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) \
	DPR__NATIVE_14(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n) M(14, o)
#define DPR__NATIVE_16(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
	DPR__NATIVE_15(M, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) M(15, p)

#endif
