/* SPDX-License-Identifier: Apache-2.0 */
/* emit_fold.c - what is accumulated by kernels as OpenCL C that reduce. */
#include "core/array/engine/text/emit_fold.h"

#include <inttypes.h>
#include <stdio.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reductions.h"

#define ADD(e, ...) EMIT_STEPS(e, __VA_ARGS__)

unsigned emit_fold_value(const struct graph *graph)
{
	return graph->step[graph->result[0]].dtype;
}

static const struct reductions_entry *entry_of(const struct emission *e)
{
	return &reductions_table[e->frame->reduction];
}

bool emit_fold_adds(const struct frame *frame)
{
	return reductions_table[frame->reduction].combine == OPERATION__add;
}

bool emit_fold_rounds(const struct frame *frame)
{
	return emit_fold_adds(frame) &&
	       !reductions_is_exact((enum reduction)frame->reduction,
				    frame->sum);
}

bool emit_fold_divides(const struct frame *frame)
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
	emit_steps_at(e, 'x', k, "at%d", k);
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
	const bool divides = emit_fold_divides(e->frame);

	if (emit_fold_result(e->frame) != sum)
		ADD(e, "cast_%u_%u(", sum, emit_fold_result(e->frame));
	if (divides && e->frame->open)
		ADD(e, "divisor == 0 ? %s : ", what);
	if (!divides)
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

	if (!emit_fold_divides(e->frame))
		return;
	ADD(e, "\tconst %s divisor = ", type);
	if (e->frame->kind == FRAME_STAGES)
		ADD(e, "(%s)(long)w.w[%d];\n", type, at);
	else if (is_double)
		ADD(e, "as_double(w.w[%d]);\n", at);
	else
		ADD(e, "as_float((uint)w.w[%d]);\n", at);
}

void emit_fold_careful(struct text *out, unsigned dtype)
{
	const char *type = emit_steps_computed(dtype);

	/* The loss is NaN if the sum is not finite. */
	text_print(out,
		   "FUNCTION void careful(%s *total, %s *lost, %s v)\n{\n"
		   "\tconst %s sum = *total + v, back = sum - *total;\n"
		   "\tconst %s loss = (*total - (sum - back)) + (v - back);\n"
		   "\t*lost += sum - sum == 0 ? loss : 0;\n"
		   "\t*total = sum;\n}\n",
		   type, type, type, type, type);
}

/* --- Lanes and totals ------------------------------------------------------
 */

#define EXACT_BLOCK 1024
/* The most bytes of the totals that the lanes of a line could have, and the
   least lanes, as a power of two. */
#define LINE_BYTES 512
#define LEAST_BITS 3
/* Bytes of a vector in a loop that is written out, and the most vectors. */
#define VECTOR 32
#define MOST_VECTORS 16

/* The lanes of 32 bits of a result have room for the sum of a block of 16-bit
   values.  The sum itself has 64 bits. */
_Static_assert(LINE_BYTES / 8 * EXACT_BLOCK <= 1 << 16,
	       "a lane would overflow");

int emit_fold_line(unsigned sum, int near)
{
	const size_t size = dpr_dtype_size((dpr_dtype)sum);
	int bits = LEAST_BITS;

	while ((size_t)near * size << (bits + 1) <= LINE_BYTES)
		bits++;
	return bits;
}

int emit_fold_block(const struct frame *frame)
{
	return emit_fold_rounds(frame) ? EMIT_FOLD_BLOCK : EXACT_BLOCK;
}

unsigned emit_fold_lane(const struct frame *frame, unsigned value)
{
	if (dpr_dtype_size((dpr_dtype)value) > 2 || !emit_fold_adds(frame))
		return frame->sum;
	switch (frame->sum) {
	case DPR_INT64: return DPR_INT32;
	case DPR_UINT64: return DPR_UINT32;
	}
	return frame->sum;
}

void emit_fold_straight(char loop[EMIT_FOLD_LOOP], unsigned dtype, int n)
{
	const int size = (int)dpr_dtype_size((dpr_dtype)dtype);
	const int width = VECTOR / size;

	if (n < width || n > width * MOST_VECTORS ||
	    dpr_dtype_kind((dpr_dtype)dtype) == 'c')
		snprintf(loop, EMIT_FOLD_LOOP, "INDEPENDENT");
	else
		snprintf(loop, EMIT_FOLD_LOOP, "STRAIGHT(%d, %d)", width,
			 n / width);
}

void emit_fold_fill(const struct emission *e, const char *what, const char *n,
		    unsigned dtype)
{
	ADD(e, "\tfor (int j = 0; j < %s; j++) %s[j] = ", n, what);
	emit_fold_first(e, dtype);
	ADD(e, ";\n");
}

void emit_fold_totals(const struct emission *e, int n)
{
	const char *type = emit_steps_computed(e->frame->sum);

	ADD(e, "\t%s total[%d]%s", type, n,
	    emit_fold_rounds(e->frame) ? "" : ";\n");
	if (emit_fold_rounds(e->frame))
		ADD(e, ", lost[%d];\n", n);
}

void emit_fold_begin(const struct emission *e, const char *n)
{
	emit_fold_fill(e, "total", n, e->frame->sum);
	if (emit_fold_rounds(e->frame))
		emit_fold_fill(e, "lost", n, e->frame->sum);
}

void emit_fold_halves(const struct emission *e, unsigned dtype, int width,
		      int near)
{
	char from[40], loop[EMIT_FOLD_LOOP];

	for (int n = width / 2; n >= near; n /= 2) {
		emit_fold_straight(loop, dtype, n);
		ADD(e, "\t%s for (int j = 0; j < %d; j++) ", loop, n);
		snprintf(from, sizeof(from), "lane[j + %d]", n);
		emit_fold_combine(e, dtype, "lane[j]", from);
	}
}

void emit_fold_empty(const struct emission *e, unsigned dtype, const char *n)
{
	const unsigned sum = e->frame->sum;
	const bool parts = dpr_dtype_kind((dpr_dtype)sum) == 'c';

	ADD(e, "\tINDEPENDENT for (int j = 0; j < %s; j++) {\n\t\t", n);
	if (!emit_fold_rounds(e->frame)) {
		ADD(e, "const %s u = ", emit_steps_computed(sum));
		emit_fold_cast(e, dtype, sum, "lane[j]");
		ADD(e, ";\n\t\t");
		emit_fold_combine(e, sum, "total[j]", "u");
	} else if (parts) {
		ADD(e, "careful(&total[j].re, &lost[j].re, lane[j].re);\n"
		       "\t\tcareful(&total[j].im, &lost[j].im, lane[j].im);\n");
	} else {
		ADD(e, "careful(&total[j], &lost[j], lane[j]);\n");
	}
	ADD(e, "\t}\n");
}

void emit_fold_join(const struct emission *e)
{
	if (emit_fold_rounds(e->frame))
		emit_fold_combine(e, e->frame->sum, "total[j]", "lost[j]");
}
