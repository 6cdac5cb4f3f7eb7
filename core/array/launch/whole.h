/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whole.h - routines: kernels that are written whole.
 *
 * The engine makes most kernels from the steps of a graph.  A routine is a
 * kernel that no graph describes, such as a product of matrices.  Its sources
 * are kernels/routine_NAME.c for CPUs and, for GPUs, kernels/routine_NAME.cl
 * (kernels/README.md, "A new routine").
 */
#ifndef ARRAY_WHOLE_H
#define ARRAY_WHOLE_H

#include <dpr/dtype.h>
#include <dpr/kernel.h>
#include <dpr/queue.h>

#include "core/array/engine/kernel_files.h"
#include "core/array/engine/target.h"
#include "core/base/text.h"

enum whole_routine { WHOLE_MATMUL, WHOLE_ROUTINES };

/* The variant of the kernels that come in files (kernel_files.h). */
#define WHOLE_FILE_VARIANT 4

/* A kernel that may come in a file. */
struct whole_file {
	enum whole_routine routine;
	dpr_dtype dtype;
	char name[KERNEL_FILES_NAME];
	const char *parameters, *words; /* see dpr_array_kernel */
};

/* Describe kernel @i of all that may come in files.  Returns false behind the
   last. */
bool whole_file(size_t i, struct whole_file *out);

/* Write the source of the kernel. */
void whole_source(const struct whole_file *file, struct text *out);

/* Whether routines have kernels in the format of @target, or may have some in
   files. */
bool whole_has_format(const struct target *target);

/* Get the kernel of @routine for @dtype on @queue's device.  The kernel stays
   valid until dpr_finalize().  The first call builds the kernel.  @variant is 0
   in native code.  Kernels for GPUs come in variants, from 1 on; each routine
   says what they are.  *@out is NULL if the device's format has no such kernel,
   or if the driver's compiler refuses the kernel.  This is no failure, and is
   remembered. */
dpr_status whole_get(dpr_queue *queue, enum whole_routine routine,
		     dpr_dtype dtype, int variant, dpr_kernel **out);

#endif
