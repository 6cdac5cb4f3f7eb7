/* SPDX-License-Identifier: Apache-2.0 */
/* emit_text_fold.c - writes kernels that reduce axes, as OpenCL C. */
#include "core/array/engine/text/emit_text_fold.h"

#include "core/array/engine/text/emit_fold.h"
#include "core/array/engine/text/emit_text_teams.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

void emit_text_fold_parameters(const struct graph *graph,
			       const struct frame *frame, struct text *out)
{
	text_print(out, "global %s *x0, ",
		   emit_steps_stored(emit_fold_result(frame)));
	for (int k = 1; k < frame_operands(graph); k++)
		if (frame_has_memory(graph, k))
			text_print(out, "global const %s *x%d, ",
				   emit_steps_stored(frame_operand(graph, k)),
				   k);
	text_print(out, "const words w");
}

bool emit_text_fold(const struct graph *graph, const struct frame *frame,
		    const char *name, struct text *out)
{
	const struct emission e = { .graph = graph,
				    .frame = frame,
				    .words = frame_words(graph, frame),
				    .out = out };
	const uint32_t used = emit_steps_dtypes(graph) | UINT32_C(1)
								 << frame->sum;

	/* A 16-bit value is rounded before it is accumulated. */
	emit_steps_begin(used, false, out);
	emit_steps_head(&e, name);
	emit_text_fold_parameters(graph, frame, out);
	ADD(&e, ")\n{\n");
	emit_steps_numbers(&e);
	emit_steps_scalars(&e);
	emit_fold_divisor(&e);
	emit_text_teams_fold(&e);
	ADD(&e, "}\n");
	return !out->failed;
}
