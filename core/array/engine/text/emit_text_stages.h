/* SPDX-License-Identifier: Apache-2.0 */
/* emit_text_stages.h - kernels as OpenCL C that compute rows on a CPU. */
#ifndef ARRAY_EMIT_TEXT_STAGES_H
#define ARRAY_EMIT_TEXT_STAGES_H

#include "core/array/engine/text/emit_steps.h"

/* Write what stands before a kernel of FRAME_STAGES. */
void emit_text_stages_begin(const struct graph *graph,
			    const struct frame *frame, struct text *out);

/* Write its body. */
void emit_text_stages(const struct emission *e);

/* The longest row that it may have. */
int64_t emit_text_stages_longest(const struct graph *graph,
				 const struct frame *frame);

#endif
