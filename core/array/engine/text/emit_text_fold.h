/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_text_fold.h - writes kernels that reduce axes, as OpenCL C.
 *
 * The kernels go over the elements as the kernels in PTX do (ptx_fold.c).
 */
#ifndef ARRAY_EMIT_TEXT_FOLD_H
#define ARRAY_EMIT_TEXT_FOLD_H

#include "core/array/engine/frame.h"
#include "core/base/text.h"

/* Write the kernel @name of @graph and @frame.  Returns false if memory runs
   out. */
bool emit_text_fold(const struct graph *graph, const struct frame *frame,
		    const char *name, struct text *out);

/* Write the parameters of this kernel. */
void emit_text_fold_parameters(const struct graph *graph,
			       const struct frame *frame, struct text *out);

#endif
