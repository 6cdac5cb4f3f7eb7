/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h - kernels: the entry points of programs. */
#ifndef DPR_KERNEL_H
#define DPR_KERNEL_H

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* Get a kernel of @program by name.  The caller gets a reference.
   DPR_ERROR_NOT_FOUND: @program has no kernel with this name; the text lists
   its kernels. */
DPR_API DPR_CHECK dpr_status dpr_kernel_create(
	dpr_program *program, const char *name, dpr_kernel **out);

/*
 * Build OpenCL C for @queue's device and get a kernel of it.  @source is the
 * text, and @name the kernel's name.  Blocks while it builds.  Each source is
 * built once per device, then cached: up to 256 sources per device; beyond
 * that the least recently used is dropped.  Other threads that want the same
 * source wait for the build.  A source that includes files is built at each
 * call, because the files may have changed: keep its kernel.
 * Errors as dpr_program_from_source() and dpr_kernel_create().
 */
DPR_API DPR_CHECK dpr_status dpr_kernel_from_source(dpr_queue *queue,
	const char *source, const char *name, dpr_kernel **out);

/* Add one reference and return @kernel.  Never fails. */
DPR_API dpr_kernel *dpr_kernel_retain(dpr_kernel *kernel);
/* Release one reference. */
DPR_API void dpr_kernel_release(dpr_kernel *kernel);
/* The kernel's name in its program; "" for NULL.  Lent as long as the
   kernel. */
DPR_API const char *dpr_kernel_name(const dpr_kernel *kernel);
/* The device that the kernel was built for; NULL for NULL. */
DPR_API dpr_device *dpr_kernel_device(const dpr_kernel *kernel);

/* Properties of a kernel on its device; those that the driver does not
   report are 0. */
typedef struct dpr_kernel_info {
	uint32_t n_args; /* the number of arguments */
	uint32_t reserved; /* 0 */
	uint64_t max_work_group_size; /* work-items in a group, at most */
	uint64_t preferred_multiple; /* of the work-group size */
	uint64_t private_size; /* private memory, bytes per work-item */
	uint64_t local_size; /* local memory, bytes per group */
	uint64_t required_local[3]; /* the local size that the kernel
				       requires */
	uint64_t max_sub_group_size; /* work-items in a sub-group, at most */
	uint64_t max_sub_groups; /* sub-groups in a group, at most */
} dpr_kernel_info;

/* Get the properties of @kernel.  Fails only as dpr/base.h says. */
DPR_API DPR_CHECK dpr_status dpr_kernel_get_info(
	const dpr_kernel *kernel, dpr_kernel_info *out);

/* The kinds of a kernel's parameters. */
typedef enum dpr_param_kind {
	DPR_PARAM_UNKNOWN = 0, /* the driver does not report it */
	DPR_PARAM_VALUE = 1,
	DPR_PARAM_MEMORY = 2, /* global or constant pointer */
	DPR_PARAM_LOCAL = 3
} dpr_param_kind;

/*
 * The kind of parameter @index, and its size in bytes: 0 for local memory, and
 * if the driver does not report it.  A parameter of unknown kind may have a
 * size: a launch then takes a value of this size, or memory if it is the size
 * of an address.
 * DPR_ERROR_INVALID_ARGUMENT: @index is out of range.
 * DPR_ERROR_UNSUPPORTED: the driver does not report parameters.
 */
DPR_API DPR_CHECK dpr_status dpr_kernel_param(const dpr_kernel *kernel,
	uint32_t index, dpr_param_kind *kind, size_t *size);

DPR_END_DECLS

#endif
