/* SPDX-License-Identifier: Apache-2.0 */
/* emit_text.h - kernels as OpenCL C. */
#ifndef ARRAY_EMIT_TEXT_H
#define ARRAY_EMIT_TEXT_H

#include "core/array/engine/frame.h"
#include "core/base/text.h"

/*
 * Write the kernel @name of @graph and @frame.  A work-item takes frame_pack()
 * elements of FRAME_FLAT and FRAME_ROWS, and one of FRAME_STRIDED; a group
 * takes a square of FRAME_TILE, and a team a row of FRAME_STAGES.  Returns
 * false if memory runs out, and then @out has failed, or if the kernel would be
 * too long (stages_plan_is_long()).
 */
bool emit_text_kernel(const struct graph *graph, const struct frame *frame,
		      const char *name, struct text *out);

/* Write the parameters of that kernel. */
void emit_text_parameters(const struct graph *graph, const struct frame *frame,
			  struct text *out);

#endif
