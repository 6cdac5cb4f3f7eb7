/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction_text.c - how kernels in OpenCL C go over what they reduce on a CPU.
 *
 * Results of parts are stored as if they were results in C order, and a mean
 * divides them by 1: so the last pass often has the same kernel as the first.
 */
#include "core/array/engine/reduction_text.h"

#include <string.h>

#include "core/array/element/dtype.h"
#include "core/array/engine/text/emit_fold.h"
#include "core/array/engine/text/emit_text_lanes.h"
#include "core/array/engine/reduction_blocks.h"

/* The lanes of lines of less than EMIT_FOLD_SHORT elements, as a power of two.
 */
#define SHORT_LINE_BITS 5
/* A work-item takes so many elements, unless that leaves fewer work-items than
   this. */
#define ITEM_ELEMENTS 16384
#define ENOUGH_ITEMS 64

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

/* The most lanes of a line of @length elements, as a power of two. */
static uint8_t most_bits(bool are_many, int64_t length)
{
	return are_many && length < EMIT_FOLD_SHORT ? SHORT_LINE_BITS
						    : EMIT_FOLD_LONG;
}

/* Choose the number of lanes by the layout of the values alone. */
static uint8_t lane_bits(const struct pass *p)
{
	const int near = p->frame.pack;
	const int bits = emit_fold_line(p->frame.sum, near);
	const int most = most_bits(p->count > near, p->length);

	return (uint8_t)(bits < most ? bits : most);
}

uint8_t reduction_text_rows(int64_t count, int64_t length)
{
	return count > 1 && length < EMIT_FOLD_LEAST
		       ? 0
		       : most_bits(count > 1, length);
}

/* How input @k moves along a line. */
static enum frame_inner along_line(const struct pass *p, int k)
{
	const int64_t near = p->frame.pack;
	const int64_t across = p->kept.stride[k][p->kept.rank - 1];
	int64_t step = near > 1 ? across : 0;

	for (int d = 0; d < p->gone.rank; d++)
		step |= p->gone.stride[k][d];
	if (step == 0)
		return FRAME_FIXED;
	return p->gone.rank == 1 && p->gone.stride[k][0] == near &&
			       (near == 1 || across == 1)
		       ? FRAME_NEXT
		       : FRAME_ANY;
}

static enum frame_inner along_columns(const struct pass *p, int k)
{
	const int64_t across = p->kept.stride[k][p->kept.rank - 1];

	return across == 0 ? FRAME_FIXED : across == 1 ? FRAME_NEXT : FRAME_ANY;
}

/* About the same number of columns for each team. */
static void choose_columns(struct pass *p)
{
	const int64_t dim = p->kept.dim[p->kept.rank - 1];
	const int64_t most = EMIT_TEXT_LANES_COLUMNS;

	p->columns = most;
	if (!p->linear)
		p->columns =
			divide_up(divide_up(dim, divide_up(dim, most)), 32) *
			32;
}

dpr_status reduction_text_plan(struct pass *p)
{
	struct frame *frame = &p->frame;
	dpr_status status = reduction_blocks_plan(p);

	if (status)
		return status;
	frame->cut = 0;
	frame->linear = p->linear;
	if (frame->kind == FRAME_FOLD_ROWS)
		frame->team_bits = lane_bits(p);
	else
		choose_columns(p);
	for (int k = 2; k < p->n; k++)
		frame->inner[k - 1] = (uint8_t)(frame->kind == FRAME_FOLD_ROWS
							? along_line(p, k)
							: along_columns(p, k));
	return DPR_OK;
}

void reduction_text_cut(struct pass *p)
{
	p->frame.result = p->frame.sum;
	p->is_first = true;
}

uint64_t reduction_text_each(int64_t count, int64_t size)
{
	const int64_t enough = divide_up(ITEM_ELEMENTS, size);
	const int64_t most = count / ENOUGH_ITEMS;
	const int64_t each = enough < most ? enough : most;

	return each ? (uint64_t)each : 1;
}

int reduction_text_words(struct pass *p, const dpr_array *out, int64_t elements)
{
	const struct frame_words at = frame_words(p->call->graph, &p->frame);
	const int n = reduction_blocks_words(p, out, elements);
	const int64_t part = p->part < p->length ? p->part : p->length;
	const int64_t size =
		part *
		(p->frame.kind == FRAME_FOLD_ROWS ? p->frame.pack : p->columns);

	p->words[at.step] = (uint64_t)p->columns;
	p->words[at.step + 1] =
		reduction_text_each((int64_t)p->words[at.count], size);
	return n;
}

dpr_range reduction_text_range(const struct pass *p)
{
	const struct frame_words at = frame_words(p->call->graph, &p->frame);
	const uint64_t each = p->words[at.step + 1];

	return dpr_range_local(
		dpr_range1((p->words[at.count] + each - 1) / each), 1, 1, 1);
}
