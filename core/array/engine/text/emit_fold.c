/* SPDX-License-Identifier: Apache-2.0 */
/* emit_fold.c - the accumulated values of OpenCL C kernels that reduce. */
#include "core/array/engine/text/emit_fold.h"

#include <inttypes.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reductions.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

static const struct reductions_entry *entry_of(const struct emission *e)
{
	return &reductions_table[e->frame->reduction];
}

/* Whether the result is divided, as in a mean. */
static bool divides(const struct frame *frame)
{
	return frame->result &&
	       reductions_table[frame->reduction].finish == REDUCTIONS_DIVIDE;
}

unsigned emit_fold_result(const struct frame *frame)
{
	return frame->result ? frame->result : frame->sum;
}

void emit_fold_once(const struct emission *e, int k)
{
	ADD(e, "\tconst %s once%d = ",
	    emit_steps_stored(frame_operand(e->graph, k)), k);
	emit_steps_at(e, k, "at%d", k);
	ADD(e, ";\n");
}

void emit_fold_first(const struct emission *e, unsigned sum)
{
	const uint64_t bits =
		reductions_first((enum reduction)e->frame->reduction, sum);
	const char *type = emit_steps_computed(sum);

	switch (sum) {
	case DPR_FLOAT32: ADD(e, "as_float((uint)%" PRIu64 ")", bits); return;
	case DPR_FLOAT64: ADD(e, "as_double((ulong)%" PRIu64 ")", bits); return;
	case DPR_COMPLEX64:
		ADD(e, "convert_parts(as_float((uint)%" PRIu64 "), 0.0f)",
		    bits);
		return;
	case DPR_COMPLEX128:
		ADD(e,
		    "convert_double_parts(as_double((ulong)%" PRIu64 "), 0.0)",
		    bits);
		return;
	}
	ADD(e, "(%s)%" PRIu64 "ul", type, bits);
}

void emit_fold_cast(const struct emission *e, unsigned from, unsigned to,
		    const char *what)
{
	const bool is_same =
		from == to || (to == DPR_FLOAT32 &&
			       (from == DPR_FLOAT16 || from == DPR_BFLOAT16));

	if (is_same)
		ADD(e, "%s", what);
	else
		ADD(e, "cast_%u_%u(%s)", from, to, what);
}

void emit_fold_combine(const struct emission *e, unsigned sum, const char *to,
		       const char *from)
{
	ADD(e, "%s = %s_%u(%s, %s);\n", to,
	    operations_table[entry_of(e)->combine].name, sum, from, to);
}

void emit_fold_finish(const struct emission *e, const char *what)
{
	const unsigned sum = e->frame->sum;
	const bool is_double = dtype_part((dpr_dtype)sum) == DPR_FLOAT64;
	const bool is_mean = divides(e->frame);

	if (emit_fold_result(e->frame) != sum)
		ADD(e, "cast_%u_%u(", sum, emit_fold_result(e->frame));
	if (is_mean && e->frame->gpu.open)
		ADD(e, "divisor == 0 ? %s : ", what);
	if (!is_mean)
		ADD(e, "%s", what);
	else if (dpr_dtype_kind((dpr_dtype)sum) == 'c')
		ADD(e, "%s(%s.re / divisor, %s.im / divisor)",
		    is_double ? "convert_double_parts" : "convert_parts", what,
		    what);
	else
		ADD(e, "%s / divisor", what);
	if (emit_fold_result(e->frame) != sum)
		ADD(e, ")");
}

void emit_fold_divisor(const struct emission *e)
{
	const bool is_double =
		dtype_part((dpr_dtype)e->frame->sum) == DPR_FLOAT64;
	const char *type = is_double ? "double" : "float";
	const int at = e->words.divisor;

	if (!divides(e->frame))
		return;
	ADD(e, "\tconst %s divisor = ", type);
	if (e->frame->kind == FRAME_STAGES)
		ADD(e, "(%s)(long)w.w[%d];\n", type, at);
	else if (is_double)
		ADD(e, "as_double(w.w[%d]);\n", at);
	else
		ADD(e, "as_float((uint)w.w[%d]);\n", at);
}
