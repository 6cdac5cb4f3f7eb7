/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h - kernels: the entry points of programs. */
#ifndef DPR_KERNEL_H
#define DPR_KERNEL_H

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* A kernel by name.  DPR_ERROR_NOT_FOUND: the program has none of that name. */
DPR_API DPR_CHECK dpr_status dpr_kernel_create(
	dpr_program *program, const char *name, dpr_kernel **out);

/*
 * Build @source for @queue's device and take the kernel @name of it.  Built
 * once per device and source, then cached: up to 256 sources per device, the
 * least recently used goes first.  Threads that want the same wait for the one
 * that builds it.  Errors as dpr_program_from_source() and dpr_kernel_create().
 */
DPR_API DPR_CHECK dpr_status dpr_kernel_from_source(dpr_queue *queue,
	const char *source, const char *name, dpr_kernel **out);

/* Add one reference and return @kernel.  Never fails. */
DPR_API dpr_kernel *dpr_kernel_retain(dpr_kernel *kernel);
/* Release one reference. */
DPR_API void dpr_kernel_release(dpr_kernel *kernel);
/* Its name in the program; "" for NULL.  Lent as long as the kernel. */
DPR_API const char *dpr_kernel_name(const dpr_kernel *kernel);

/* What a kernel takes and uses on its device; 0 where the driver does not
   tell. */
typedef struct dpr_kernel_info {
	uint32_t n_args, reserved;
	uint64_t max_work_group_size;
	uint64_t preferred_multiple; /* of the work-group size */
	uint64_t private_size, local_size; /* bytes per work-item, per group */
	uint64_t required_local[3]; /* the local size that it was built for */
	uint64_t max_sub_group_size, max_sub_groups;
} dpr_kernel_info;

/* What @kernel takes and uses.  Fails only as dpr/base.h says for all. */
DPR_API DPR_CHECK dpr_status dpr_kernel_get_info(
	const dpr_kernel *kernel, dpr_kernel_info *out);

/* The kinds of a kernel's parameters. */
enum dpr_param_kind {
	DPR_PARAM_UNKNOWN = 0, /* the driver does not tell */
	DPR_PARAM_VALUE = 1,
	DPR_PARAM_MEMORY = 2, /* global or constant pointer */
	DPR_PARAM_LOCAL = 3
};

/*
 * Parameter @index: its kind, and for values the size in bytes (0: the driver
 * does not tell).  DPR_ERROR_INVALID_ARGUMENT: there is no such parameter.
 * DPR_ERROR_UNSUPPORTED: the driver tells no parameters at all.
 */
DPR_API DPR_CHECK dpr_status dpr_kernel_param(const dpr_kernel *kernel,
	uint32_t index, enum dpr_param_kind *kind, size_t *size);

DPR_END_DECLS

#endif
