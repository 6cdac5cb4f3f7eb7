/* SPDX-License-Identifier: Apache-2.0 */
/* reduction_teams.c - plans for reductions by kernels that a driver builds. */
#include "core/array/engine/reduction_teams.h"

#include "core/array/engine/kernel_files.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* Work-groups and work-items that keep a large device busy. */
#define MANY_GROUPS 16384
#define MANY_ITEMS 262144
/* Elements that one accumulated value of a sum of floats takes at most, so that
   its error hardly grows with the length. */
#define MOST_SUMMED 256
/* Rows in a part of columns, at least. */
#define LEAST_ROWS 64
/* In the last pass neighbouring teams read neighbouring results, so small teams
   read whole sectors of memory. */
#define FEW_PARTS 256
/* No part is longer: kernels count its elements in 32 bits. */
#define LONGEST_PART (INT64_C(1) << 24)

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

static int64_t round_up(int64_t n, int64_t unit)
{
	return divide_up(n, unit) * unit;
}

/* --- Frames ----------------------------------------------------------------
 */

/* Whether packs of the values of each row are aligned.  @at: where the first
   row begins. */
static bool is_dense(const struct pass *p, const struct sides *kept, int64_t at,
		     int pack)
{
	if (at % pack != 0 ||
	    (reduction_pass_is_plain(p) &&
	     (uintptr_t)dpr_usm_address(p->call->inputs[0]->usm) % 16 != 0))
		return false;
	for (int d = 0; d < kept->rank; d++)
		if (kept->stride[PASS_VALUES][d] % pack != 0)
			return false;
	return true;
}

static void cut(struct pass *p, int64_t part, int64_t unit)
{
	const int64_t most = round_up(p->length, unit);

	part = round_up(part < 1 ? 1 : part, unit);
	p->part = part < most ? part : most;
	p->parts = p->is_last ? 1 : divide_up(p->length, p->part);
	if (p->parts == 1)
		p->part = most;
}

/* The elements of a pack where packs can be taken.  Where the order does not
   matter, what is loaded decides. */
static int whole_pack(const struct pass *p)
{
	if (p->frame.gpu.open)
		return 1;
	if (reductions_is_exact(p->call->reduction, p->frame.sum))
		return frame_pack(p->call->graph);
	return (int)(16 / dpr_dtype_size((dpr_dtype)reduction_pass_dtype(p)));
}

int reduction_teams_bits(int64_t length, int pack)
{
	const int64_t round = (int64_t)FRAME_FOLD_ROW_SLOTS * pack;

	return length <= round         ? 0
	       : length <= 8 * round   ? 3
	       : length <= 128 * round ? 5
				       : 8;
}

static void plan_rows(struct pass *p, const struct sides *kept,
		      const struct sides *gone)
{
	const int64_t begin =
		kept->offset[PASS_VALUES] + gone->offset[PASS_VALUES];
	const int pack = whole_pack(p);
	struct frame *frame = &p->frame;
	int64_t round, part;

	frame->kind = FRAME_FOLD_ROWS;
	frame->gpu.pack = 1;
	if (gone->stride[PASS_VALUES][0] == 1 && is_dense(p, kept, begin, pack))
		frame->gpu.pack = (uint8_t)pack;
	frame->gpu.lanes = reductions_is_exact(p->call->reduction, frame->sum)
				   ? 1
				   : FRAME_FOLD_ROW_SLOTS;
	round = (int64_t)FRAME_FOLD_ROW_SLOTS * frame->gpu.pack;
	frame->gpu.team_bits =
		(uint8_t)reduction_teams_bits(p->length, frame->gpu.pack);
	if (p->is_last && p->count > 1 && p->length <= FEW_PARTS &&
	    frame->gpu.team_bits > 3)
		frame->gpu.team_bits = 3;
	round <<= frame->gpu.team_bits;
	part = divide_up(p->length, MANY_GROUPS) * p->count;
	if (p->count > MANY_GROUPS)
		part = p->length;
	if (frame->gpu.lanes > 1 && part > MOST_SUMMED * round)
		part = MOST_SUMMED * round;
	cut(p,
	    frame->gpu.team_bits < 8 ? p->length
	    : part > LONGEST_PART    ? LONGEST_PART
				     : part,
	    round);
}

static void plan_columns(struct pass *p)
{
	const int64_t most = FRAME_FOLD_COLUMN_SLOTS * MOST_SUMMED / 2;
	const int64_t items = divide_up(p->count, whole_pack(p));
	int64_t part = divide_up(p->length, divide_up(MANY_ITEMS, items));

	p->frame.kind = FRAME_FOLD_COLUMNS;
	p->frame.gpu.lanes =
		reductions_is_exact(p->call->reduction, p->frame.sum)
			? 1
			: FRAME_FOLD_COLUMN_SLOTS;
	p->frame.gpu.team_bits = 0;
	part = part < LEAST_ROWS ? LEAST_ROWS : part;
	if (p->frame.gpu.lanes > 1 && part > most)
		part = most;
	cut(p, part > LONGEST_PART ? LONGEST_PART : part,
	    FRAME_FOLD_COLUMN_SLOTS);
}

/* Choose the frame and the parts by the layout of the values alone. */
static dpr_status plan_pass(struct pass *p)
{
	struct sides kept, gone;
	int64_t step, inner;

	reduction_pass_sides(p, false, 2, &kept);
	reduction_pass_sides(p, true, 1, &gone);
	if (gone.rank > 1)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the reduced axes are not one after the other",
			    p->call->what);
	p->count = reduction_pass_count(&kept);
	p->length = gone.dim[0];
	step = gone.stride[PASS_VALUES][0];
	inner = kept.rank - 1;
	if (kept.stride[PASS_VALUES][inner] == 1 && kept.dim[inner] >= 8 &&
	    step != 1 && p->length > 1 && !p->is_last)
		plan_columns(p);
	else
		plan_rows(p, &kept, &gone);
	return DPR_OK;
}

/* Whether input @k, behind the values and the result, has memory. */
static bool has_memory(const struct pass *p, int k)
{
	return frame_has_memory(p->call->graph, k - 1);
}

/* Whether packs along kept axis 0 can be loaded of each input. */
static bool is_packs(const struct pass *p, int pack)
{
	const int inner = p->kept.rank - 1;

	if (p->kept.dim[inner] % pack != 0)
		return false;
	for (int k = 2; k < p->n; k++) {
		const dpr_array *x = p->call->inputs[k - 2];

		if (p->kept.stride[k][inner] == 0 ||
		    (p->kept.stride[k][inner] == 1 && !has_memory(p, k)))
			continue;
		if (p->kept.stride[k][inner] != 1 ||
		    (uintptr_t)dpr_usm_address(x->usm) % 16 != 0 ||
		    (p->kept.offset[k] + p->gone.offset[k]) % pack != 0 ||
		    p->gone.stride[k][0] % pack != 0)
			return false;
		for (int d = 0; d < inner; d++)
			if (p->kept.stride[k][d] % pack != 0)
				return false;
	}
	return true;
}

/* How input @k moves along the reduced axis; NEXT only if its packs are
   aligned. */
static enum frame_inner inner_of(const struct pass *p, int k)
{
	const dpr_array *x = p->call->inputs[k - 2];
	const int64_t step = p->gone.stride[k][0];
	const int pack = p->frame.gpu.pack;

	if (step == 0)
		return FRAME_FIXED;
	if (step == 1 && !has_memory(p, k))
		return FRAME_NEXT;
	if (step != 1 || (uintptr_t)dpr_usm_address(x->usm) % 16 != 0 ||
	    (p->kept.offset[k] + p->gone.offset[k]) % pack != 0)
		return FRAME_ANY;
	for (int d = 0; d < p->kept.rank; d++)
		if (p->kept.stride[k][d] % pack != 0)
			return FRAME_ANY;
	return FRAME_NEXT;
}

/* Refuse more bytes of arguments than the device takes. */
static dpr_status check_size(const struct pass *p)
{
	const struct graph *graph = p->call->graph;
	const uint64_t n = (uint64_t)frame_words(graph, &p->frame).n +
			   (uint64_t)frame_operands(graph);

	if (n * sizeof(p->words[0]) <= p->target->parameter_bytes)
		return DPR_OK;
	return fail(DPR_ERROR_UNSUPPORTED,
		    "%s: the kernel would have more than the %llu bytes of "
		    "arguments that %s takes; use fewer operands at a time",
		    p->call->what,
		    (unsigned long long)p->target->parameter_bytes,
		    dpr_queue_name(p->queue));
}

/* Find the axes of all operands. */
static dpr_status find_axes(struct pass *p)
{
	reduction_pass_sides(p, false, p->n, &p->kept);
	reduction_pass_sides(p, true, p->n, &p->gone);
	if (p->gone.rank > 1 || p->kept.rank > FRAME_RANK)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: the operands have too many axes of different "
			    "strides for one kernel",
			    p->call->what);
	return DPR_OK;
}

/* Choose how the inputs are loaded. */
static dpr_status place_pass(struct pass *p)
{
	const int pack = whole_pack(p);
	struct frame *frame = &p->frame;
	dpr_status status = find_axes(p);

	if (status)
		return status;
	if (frame->kind == FRAME_FOLD_COLUMNS)
		frame->gpu.pack = is_packs(p, pack) ? (uint8_t)pack : 1;
	for (int k = 2; k < p->n; k++) {
		const int64_t stride = p->kept.stride[k][p->kept.rank - 1];

		if (frame->kind == FRAME_FOLD_ROWS)
			frame->inner[k - 1] = (uint8_t)inner_of(p, k);
		else
			frame->inner[k - 1] = frame->gpu.pack == 1 ? FRAME_ANY
					      : stride             ? FRAME_NEXT
						       : FRAME_FIXED;
	}
	if (frame->kind == FRAME_FOLD_ROWS && !p->target->format->holds_rows)
		frame->gpu.missing = p->length % frame->gpu.pack
					     ? FRAME_ELEMENTS
					     : FRAME_PACKS;
	p->team_bits = frame->gpu.team_bits;
	frame->rank = (uint8_t)p->kept.rank;
	frame->gpu.cut = p->parts > 1;
	frame->gpu.small =
		p->count < INT32_MAX && p->parts < INT32_MAX / p->count;
	return check_size(p);
}

dpr_status reduction_teams_plan(struct pass *p)
{
	const dpr_status status = plan_pass(p);

	return status ? status : place_pass(p);
}

bool reduction_teams_foresee(struct pass *p)
{
	return plan_pass(p) == DPR_OK && p->frame.kind == FRAME_FOLD_ROWS;
}

/* The only frame of kernels in files is like rows.  A work-item that is a team
   of its own goes along columns, too. */
dpr_status reduction_teams_plan_file(struct pass *p)
{
	dpr_status status;

	p->frame.gpu.open = 1;
	status = plan_pass(p);
	if (!status && !reduction_pass_is_plain(p))
		status = fail(DPR_ERROR_UNSUPPORTED,
			      "%s: %s has kernels of one step only",
			      p->call->what, dpr_queue_name(p->queue));
	if (!status)
		status = find_axes(p);
	if (status)
		return status;
	p->team_bits = p->frame.gpu.team_bits;
	p->frame =
		kernel_files_fold(p->call->reduction, reduction_pass_dtype(p));
	return check_size(p);
}

/* --- Launches --------------------------------------------------------------
 */

int reduction_teams_words(struct pass *p, const dpr_array *out,
			  int64_t elements)
{
	const struct frame_words at = frame_words(p->call->graph, &p->frame);
	const int operands = frame_operands(p->call->graph);
	const int64_t per = p->frame.kind == FRAME_FOLD_ROWS
				    ? p->count
				    : p->count / p->frame.gpu.pack;
	uint64_t *words = p->words;

	reduction_pass_words(p, &at, out, elements);
	words[at.count] = (uint64_t)(per * p->parts);
	words[at.per_part] = (uint64_t)per;
	for (int k = 0; k < operands; k++)
		words[at.step + k] = (uint64_t)p->gone.stride[k + 1][0];
	return at.n;
}

int reduction_teams_file_words(struct pass *p, const dpr_array *out,
			       int64_t elements)
{
	const struct frame_words at = frame_words(p->call->graph, &p->frame);
	const enum reductions_finish finish =
		reductions_table[p->call->reduction].finish;
	const int n = reduction_teams_words(p, out, elements);

	for (int d = p->kept.rank; d < p->frame.rank; d++)
		p->words[at.extent + d] = 1;
	p->words[at.next_part] = (uint64_t)p->count;
	p->words[at.team] = UINT64_C(1) << p->team_bits;
	if (p->is_first || finish != REDUCTIONS_DIVIDE)
		p->words[at.divisor] = 0;
	return n;
}
