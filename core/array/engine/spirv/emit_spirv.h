/* SPDX-License-Identifier: Apache-2.0 */
/* emit_spirv.h - kernels as SPIR-V modules, for GPUs. */
#ifndef ARRAY_EMIT_SPIRV_H
#define ARRAY_EMIT_SPIRV_H

#include "core/array/engine/frame.h"
#include "core/base/text.h"

/* Whether this build has the functions that kernels call, compiled. */
bool emit_spirv_is_there(void);

/*
 * Write a module with the kernel @name of @graph and @frame to @out, which is
 * empty.  @frame is not FRAME_PERIOD.  A work-item takes frame_pack()
 * elements of FRAME_FLAT and FRAME_ROWS, and one of FRAME_STRIDED; work-groups
 * have FRAME_GROUP work-items.  The module names double only if the graph does.
 * Returns false if memory runs out, and then @out has failed, or if the
 * functions are not there, or if the kernel would be too long
 * (stages_plan_is_long()).
 */
bool emit_spirv_kernel(const struct graph *graph, const struct frame *frame,
		       const char *name, struct text *out);

/* The same with other functions than those of this build: @size bytes, aligned
   as words.  Returns false if they are damaged, too. */
bool emit_spirv_with(const void *functions, size_t size,
		     const struct graph *graph, const struct frame *frame,
		     const char *name, struct text *out);

#endif
