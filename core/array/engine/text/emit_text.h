/* SPDX-License-Identifier: Apache-2.0 */
/* emit_text.h - writes kernels as OpenCL C. */
#ifndef ARRAY_EMIT_TEXT_H
#define ARRAY_EMIT_TEXT_H

#include "core/array/engine/frame.h"
#include "core/base/text.h"

/*
 * Write the kernel @name of @graph and @frame.  A work-item takes frame_pack()
 * elements in FRAME_FLAT and FRAME_ROWS, and one element in FRAME_STRIDED.  A
 * group takes a square in FRAME_TILE, and a team takes a row in FRAME_STAGES.
 *
 * Returns false if memory runs out (then @out has failed), or if the kernel
 * would be too long (stages_plan_is_long()).
 */
bool emit_text_kernel(const struct graph *graph, const struct frame *frame,
		      const char *name, struct text *out);

/* Write the parameters of this kernel. */
void emit_text_parameters(const struct graph *graph, const struct frame *frame,
			  struct text *out);

#endif
