/* SPDX-License-Identifier: Apache-2.0 */
/* emit_spirv.h - writes kernels as SPIR-V modules, for GPUs. */
#ifndef ARRAY_EMIT_SPIRV_H
#define ARRAY_EMIT_SPIRV_H

#include <dpr/status.h>

#include "core/array/engine/schedule.h"
#include "core/base/text.h"

/* Whether this build has the compiled functions that kernels call.  Without
   them no kernel can be written. */
bool emit_spirv_is_there(void);

/* Decompress the module of compiled functions.  Without this call, the first
   call of emit_spirv_kernel() does so.  Returns the errors of embed_get(). */
dpr_status emit_spirv_open(void);

/*
 * Write a module with the kernel @name of @graph and @schedule to @out, which
 * must be empty.  Work-groups have SCHEDULE_GROUP work-items.  A work-item
 * takes schedule_items() elements in SCHEDULE_FLAT and SCHEDULE_ROWS, and one
 * element in SCHEDULE_STRIDED.  The module uses float64 only if the graph does.
 *
 * Returns false, and sets @out->failed, if memory runs out or if
 * emit_spirv_open() fails.  Also returns false if the functions are missing, or
 * if the kernel would be too long (stages_plan_is_long()).
 */
bool emit_spirv_kernel(const struct graph *graph,
		       const struct schedule *schedule, const char *name,
		       struct text *out);

/* Do the same as emit_spirv_kernel(), but copy the functions that the kernel
   calls from the SPIR-V module @functions.  This module has @size bytes, and
   must be aligned to 4 bytes.  Also returns false if @functions is damaged. */
bool emit_spirv_with(const void *functions, size_t size,
		     const struct graph *graph, const struct schedule *schedule,
		     const char *name, struct text *out);

#endif
