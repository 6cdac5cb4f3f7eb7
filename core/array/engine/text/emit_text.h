/* SPDX-License-Identifier: Apache-2.0 */
/* emit_text.h - writes kernels as OpenCL C. */
#ifndef ARRAY_EMIT_TEXT_H
#define ARRAY_EMIT_TEXT_H

#include "core/array/engine/schedule.h"
#include "core/base/text.h"

/*
 * Write the kernel @name of @graph and @schedule to @out.  A work-item takes
 * schedule_items() elements in SCHEDULE_FLAT and SCHEDULE_ROWS, and one element
 * in SCHEDULE_STRIDED.  A group takes a tile in SCHEDULE_TILE, and a team takes
 * a row in SCHEDULE_STAGES.
 *
 * Returns false, and sets @out->failed, if memory runs out.  Also returns false
 * if the kernel would be too long (stages_plan_is_long()).
 */
bool emit_text_kernel(const struct graph *graph,
		      const struct schedule *schedule, const char *name,
		      struct text *out);

/* Write the declarations of the kernel's parameters, without parentheses. */
void emit_text_parameters(const struct graph *graph,
			  const struct schedule *schedule, struct text *out);

#endif
